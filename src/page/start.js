// start.js - the page: its parts, what is chosen, the search.
"use strict";

const view = { stage: 0, panes: [], compare: false, place: "", tab: "node", chosen: null };
const ui = {};

function build() {
	setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
	document.title = (data.title || "porism") + " \u2013 porism";
	const head = tag("header", {}, document.body);
	tag("h1", { title: data.title }, head, data.title.replace(/^.*\/(?=[^/]*\.por:)/, "") || "expression");
	ui.stages = tag("nav", { class: "stages" }, head);
	stages.forEach(s => {
		const same = s.i && stages[s.i - 1].fn === s.fn;
		const b = tag("button", { "data-stage": s.name, class: same ? "same" : "", title: same ? "as the stage before left it" :
			count(sizeOf(s.fn), "node") }, ui.stages, s.name);
		tag("small", {}, b, same ? "=" : sizeOf(s.fn));
		b.addEventListener("click", () => showStage(s.i, true));
	});
	const tools = tag("div", { class: "tools" }, head);
	ui.search = tag("input", { type: "search", placeholder: "search: name, type, rule", id: "search" }, tools);
	ui.found = tag("ul", { class: "found" }, tools);
	const button = (id, text, title, act) => tag("button", { id, title }, tools, text).addEventListener("click", act);
	button("compare", "compare", "this stage beside the one before", () => {
		view.compare = !view.compare;
		showStage(view.stage, true);
	});
	button("unfold", "open", "open what is folded, one level more", unfoldAll);
	button("fold", "fold", "fold all", () => { for (const p of view.panes) { openOf(p.stage).clear(); p.draw(); p.fit(); } mark(); });
	button("fit", "fit", "the whole graph", () => view.panes.forEach(p => p.fit()));
	button("theme", "\u25d0", "dark or light", flipTheme);
	const main = tag("main", {}, document.body);
	ui.sources = tag("section", { class: "sources" }, main);
	ui.canvas = tag("section", { class: "canvas" }, main);
	const side = tag("aside", {}, main);
	ui.tabs = tag("nav", { class: "tabs" }, side);
	ui.panel = tag("div", { class: "panel" }, side);
	for (const [name, text] of [["node", "Node"], ["rules", "Rules"], ["times", "Time"], ["memory", "Memory"], ["text", "Text"]])
		tag("button", { "data-tab": name }, ui.tabs, text).addEventListener("click", () => showTab(name));
	drawSources(ui.sources);
	ui.search.addEventListener("input", search);
	ui.search.addEventListener("keydown", e => { if (e.key === "Enter" && ui.found.firstChild) ui.found.firstChild.click(); });
	document.addEventListener("keydown", keys);
	new ResizeObserver(() => view.panes.forEach(p => p.fit())).observe(ui.canvas);
	const settled = stages.findIndex(s => s.name === data.stage);
	showStage(settled < 0 ? 0 : settled, true);
	showTab("node");
}

function sizeOf(f) {
	return scopesOf(f).reduce((a, s) => a + s.fn.size, 0);
}

function keys(e) {
	if (e.target.tagName === "INPUT") return;
	if (e.key === "n") takeStep(1);
	else if (e.key === "p") takeStep(-1);
	else if (e.key === "/") { e.preventDefault(); ui.search.focus(); }
	else if (e.key === "ArrowRight") showStage(Math.min(stages.length - 1, view.stage + 1), true);
	else if (e.key === "ArrowLeft") showStage(Math.max(0, view.stage - 1), true);
	else if (e.key === "Escape") chooseLine("");
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function flipTheme() {
	setTheme(document.documentElement.dataset.theme !== "dark");
}

// ---- stages and tabs --------------------------------------------------------------------------------------

function showStage(stage, again) {
	const shown = view.panes.map(p => p.stage + "," + p.before).join(" ");
	const compare = view.compare && stage > 0, wanted = (compare ? stage - 1 + ",true " : "") + stage + ",false";
	view.stage = stage;
	if (shown !== wanted || again) {
		view.chosen = null;
		ui.canvas.textContent = "";
		view.panes = [];
		const two = compare ? [[stage - 1, true], [stage, false]] : [[stage, false]];
		const holders = two.map(() => tag("div", { class: "pane" }, ui.canvas));
		two.forEach(([s, before], k) => {
			tag("div", { class: "caption" }, holders[k],
				compare ? (before ? "before: " : "after: ") + stages[s].name : captionOf(s));
			view.panes.push(new Pane(holders[k], s, before));
		});
	}
	for (const b of ui.stages.children) b.classList.toggle("chosen", b.dataset.stage === stages[stage].name);
	document.getElementById("compare").classList.toggle("chosen", view.compare);
	markLines(stage);
	mark();
	if (view.tab === "text") showTab("text");
}

const told = { written: "as it was written, derivatives expanded", merge: "loops that walk alike are one",
	map: "loops without state are none", algebra: "simpler", stable: "more accurate",
	remerge: "bodies that became equal are one", lower: "what kernels know" };

function captionOf(stage) {
	const name = stages[stage].name, s = data.stages && data.stages.find(k => k.stage === name);
	return name + ": " + told[name] + (s && s.applied ? "; " + count(s.applied, "rule") + " applied" : "");
}

function showTab(name) {
	view.tab = name;
	for (const b of ui.tabs.children) b.classList.toggle("chosen", b.dataset.tab === name);
	if (name === "node") drawNode(ui.panel, view.chosen && view.chosen.pane, view.chosen && view.chosen.b);
	else if (name === "rules") drawRules(ui.panel);
	else if (name === "times") drawTimes(ui.panel);
	else if (name === "memory") drawMemory(ui.panel);
	else drawText(ui.panel, view.stage);
	ui.panel.scrollTop = 0;
}

function unfoldAll() {
	for (const p of view.panes) {
		const open = openOf(p.stage);
		for (const { b } of p.shown.slice()) if (b.closed && p.shown.length < 1200) open.add(b.id);
		p.draw();
		p.fit();
	}
	mark();
}

// ---- what is chosen ------------------------------------------------------------------------------------------

function chooseNode(pane, b) {
	view.chosen = b ? { pane, b } : null;
	if (b && b.item && b.item.kind === "node" || b && b.ghost) {
		const o = originOf(b.x.origin);
		view.place = o.line ? o.file + ":" + o.line : "";
	} else if (!b) view.place = "";
	mark();
	showTab("node");
}

function chooseLine(place, quiet) {
	view.place = place;
	if (!quiet) view.chosen = null;
	mark();
	if (quiet || !place) return;
	for (const p of view.panes) {
		const first = p.shown.find(s => s.g.classList.contains("lined") && !s.b.parts.length);
		if (first) p.center(first.g);
	}
}

function goTo(pane, scope, i, keepTab) {
	const at = pane.reveal(scope, i);
	if (!at) return;
	const tab = view.tab;
	chooseNode(pane, at.b);
	if (keepTab) showTab(tab);
	pane.center(at.g);
}

// Does a node, or a body of it, belong to the line?
const lineCache = new Map();
function hasLine(fn, i, place) {
	if (samePlace(originOf(fn.nodes[i].origin), place) && fn.nodes[i].args.length) return true;
	return bodiesOf(fn, i).some(b => {
		const key = b[0] + "|" + place;
		if (!lineCache.has(key)) {
			const inner = functionOf(b[0]);
			lineCache.set(key, inner.nodes.some(x => hasLine(inner, x.i, place)));
		}
		return lineCache.get(key);
	});
}

function mark() {
	for (const row of document.querySelectorAll(".lines li")) {
		const on = row.dataset.place === view.place;
		row.classList.toggle("chosen", on);
		if (on) row.scrollIntoView({ block: "nearest" });
	}
	for (const p of view.panes) {
		const chosen = view.chosen && view.chosen.pane === p ? view.chosen.b : null;
		for (const { b, g } of p.shown) {
			const mine = chosen && (b.id === chosen.id || (b.ghost && b.scope === chosen.scope && b.i === chosen.i));
			g.classList.toggle("chosen", !!mine);
			g.classList.toggle("lined", !!view.place && !!b.item && b.item.nodes.some(i => hasLine(b.scope.fn, i, view.place)));
		}
		for (const e of p.world.querySelectorAll(".edge")) {
			const from = chosen && e.dataset.from === chosen.scope.path + chosen.i, to = chosen && e.dataset.to === chosen.id;
			e.classList.toggle("out", !!from);
			e.classList.toggle("in", !!to);
		}
		p.svg.classList.toggle("choosing", !!chosen || !!view.place);
	}
}

// ---- search ----------------------------------------------------------------------------------------------------

function search() {
	const wanted = ui.search.value.trim().toLowerCase();
	ui.found.textContent = "";
	if (!wanted) return;
	let n = 0;
	const pane = view.panes[view.panes.length - 1];
	for (const scope of scopesOf(stages[pane.stage].fn))
		for (const x of scope.fn.nodes) {
			if (!isDrawn(x) || n >= 50) continue;
			const o = originOf(x.origin), name = nameOf(scope, x.i);
			const text = [name, x.op, x.type, o.rule, x.kind === "param" ? "" : formula(scope, x.i, 0)].join(" ").toLowerCase();
			if (!text.includes(wanted)) continue;
			n++;
			const row = tag("li", {}, ui.found);
			tag("code", {}, row, cut((name && x.kind !== "param" ? name + " = " : "") + formula(scope, x.i, 1), 52));
			tag("span", { class: "type" }, row, x.type);
			row.addEventListener("click", () => {
				ui.found.textContent = "";
				goTo(pane, scope, x.i);
			});
		}
	if (!n) tag("li", { class: "hint" }, ui.found, "nothing of this stage");
}

build();
