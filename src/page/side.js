// side.js - what stands beside the graph: the user's lines, a node, the rules, times, memory, the text.
"use strict";

function tag(name, attributes, parent, text) {
	const e = document.createElement(name);
	for (const k in attributes) if (attributes[k] !== undefined) e.setAttribute(k, attributes[k]);
	if (text !== undefined) e.textContent = text;
	if (parent) parent.appendChild(e);
	return e;
}

const samePlace = (o, place) => o.line && o.file + ":" + o.line === place;
const count = (n, word) => n + " " + word + (n === 1 ? "" : "s");

// ---- the user's lines --------------------------------------------------------------------------------

function drawSources(holder) {
	holder.textContent = "";
	const shares = timeByLine(), most = Math.max(...shares.values(), 1);
	for (const s of data.sources) {
		tag("div", { class: "file" }, holder, s.file || "expression");
		const list = tag("ol", { class: "lines" }, holder);
		s.text.replace(/\n$/, "").split("\n").forEach((text, k) => {
			const place = s.file + ":" + (k + 1), row = tag("li", { "data-place": place }, list);
			const ns = shares.get(place);
			tag("span", { class: "number" }, row, k + 1);
			const bar = tag("span", { class: "bar", title: ns ? nanoseconds(ns) + " of kernels for this line" : undefined }, row);
			if (ns) tag("i", { style: "width:" + Math.max(6, 100 * ns / most) + "%" }, bar);
			paintLine(tag("code", {}, row), text || " ");
			row.addEventListener("click", () => chooseLine(view.place === place ? "" : place));
		});
	}
	if (!data.sources.length) tag("p", { class: "hint" }, holder, "No text of the user's came with this program.");
}

const WORDS = /\b(fn|let|in|if|then|else|type|use|book|op|scan|while|where|and|or|not|grad)\b|(#.*)|(\b\d[\d.e]*\b)/g;

// Words of the notation, comments and numbers get colours.
function paintLine(code, text) {
	let at = 0;
	for (const m of text.matchAll(WORDS)) {
		code.append(text.slice(at, m.index));
		tag("span", { class: m[1] ? "word" : m[2] ? "comment" : "literal" }, code, m[0]);
		at = m.index + m[0].length;
	}
	code.append(text.slice(at));
}

// Which lines the stage that is shown has nodes of.
function markLines(stage) {
	const lines = new Map();
	for (const scope of scopesOf(stages[stage].fn))
		for (const x of scope.fn.nodes) {
			const o = originOf(x.origin);
			if (isDrawn(x) && x.args.length && o.line) lines.set(o.file + ":" + o.line, (lines.get(o.file + ":" + o.line) || 0) + 1);
		}
	for (const row of document.querySelectorAll(".lines li")) {
		const n = lines.get(row.dataset.place);
		row.classList.toggle("used", !!n);
		row.title = n ? count(n, "node") + " of this line" : "no node of this line is left";
	}
}

// ---- a node --------------------------------------------------------------------------------------------

function drawNode(holder, pane, b) {
	holder.textContent = "";
	if (!b) {
		tag("p", { class: "hint" }, holder, "Click a node: its formula, operands and users, the rule that made it, its line. " +
			"Click the head of a box to open or fold it. Click a line of the program: its nodes. Drag and scroll to move.");
		return drawLegend(holder);
	}
	const { scope } = b, fn = scope.fn, x = fn.nodes[b.i], o = originOf(x.origin);
	if (b.item && b.item.kind !== "node") {
		tag("h3", {}, holder, b.title);
		return tag("p", {}, holder, b.sub);
	}
	tag("h3", {}, holder, nameOf(scope, b.i) || x.op);
	tag("pre", { class: "formula" }, holder, formula(scope, b.i, 5));
	const facts = tag("dl", {}, holder);
	const fact = (k, v) => { if (v) { tag("dt", {}, facts, k); tag("dd", {}, facts, v); } };
	fact("type", x.type);
	fact("operator", x.kind === "param" ? "input" : x.op + (x.kind === "leaf" ? "" : " (" + x.kind + ")"));
	fact("from", o.derived ? "the derivative of its line" : "");
	const rule = o.rule && data.graphs.rules[o.rule];
	fact(rule ? "rule" : "made by", o.rule);
	if (rule) fact("", rule[0]);
	if (o.line) {
		tag("dt", {}, facts, "line");
		const a = tag("a", { href: "#" }, tag("dd", {}, facts), o.file + ":" + o.line);
		a.addEventListener("click", e => { e.preventDefault(); chooseLine(o.file + ":" + o.line); });
	}
	listNodes(holder, "Operands, in order", x.args.map(a => sourceOf(fn, a).i), pane, scope, x.args);
	listNodes(holder, "Used by", [...usersOf(fn, b.i)], pane, scope);
}

// Through what only spreads or takes apart.
function usersOf(fn, i, out = new Set()) {
	for (const u of fn.users[i]) isDrawn(fn.nodes[u]) ? out.add(u) : usersOf(fn, u, out);
	return out;
}

function listNodes(holder, title, nodes, pane, scope, own) {
	if (!nodes.length) return;
	tag("h4", {}, holder, title);
	const list = tag(own ? "ol" : "ul", { class: "nodes" }, holder);
	nodes.slice(0, 40).forEach((i, k) => {
		const row = tag("li", {}, list), x = scope.fn.nodes[i], name = own ? nameOf(scope, own[k]) : nameOf(scope, i);
		tag("code", {}, row, cut((name && x.kind !== "literal" && x.kind !== "param" ? name + " = " : "") + formula(scope, i, 1), 60));
		tag("span", { class: "type" }, row, own ? scope.fn.nodes[own[k]].type : x.type);
		if (isDrawn(x)) row.addEventListener("click", () => goTo(pane, scope, i));
	});
	if (nodes.length > 40) tag("p", { class: "hint" }, holder, "and " + (nodes.length - 40) + " more");
}

function drawLegend(holder) {
	tag("h4", {}, holder, "Legend");
	const list = tag("ul", { class: "legend" }, holder);
	const row = (cls, text) => { const li = tag("li", {}, list); tag("i", { class: cls }, li); tag("span", {}, li, text); };
	row("param", "input of the function, or what a loop binds: index, carried values, elements");
	row("map", "elementwise");
	row("fold", "fold or cumulative sum");
	row("contract", "product or contraction");
	row("view", "view: reshaped, transposed, sliced, joined");
	row("index", "index: gather, scatter");
	row("random", "random draw");
	row("solve", "decomposition, solution of a system");
	row("control", "loop, branch or call; its body is inside");
	row("again", "a block that comes several times in a row, drawn once");
	row("new", "came in this stage");
	row("gone", "goes in the next (in \u201ccompare\u201d)");
	row("derived", "of a derivative");
	row("result", "result");
}

// ---- rules, step by step -----------------------------------------------------------------------------------

let atStep = -1, onlyRule = "";

function drawRules(holder) {
	holder.textContent = "";
	if (!steps.length) {
		tag("p", { class: "hint" }, holder, "No rule changed this function.");
		return;
	}
	const bar = tag("div", { class: "stepper" }, holder);
	const back = tag("button", { id: "previous", title: "the application before (key p)" }, bar, "\u2039 previous");
	tag("span", { class: "where", id: "where" }, bar, atStep < 0 ? count(steps.length, "application") : (atStep + 1) + " of " + steps.length);
	const on = tag("button", { id: "next", title: "the next application (key n)" }, bar, "next \u203a");
	back.addEventListener("click", () => takeStep(-1));
	on.addEventListener("click", () => takeStep(1));
	if (atStep >= 0) drawStep(tag("div", { class: "step" }, holder), steps[atStep]);
	const counted = new Map();
	for (const s of steps) counted.set(s.rule, (counted.get(s.rule) || 0) + 1);
	const head = tag("h4", {}, holder, "Rules applied");
	if (onlyRule) tag("button", { class: "small" }, head, "all").addEventListener("click", () => { onlyRule = ""; drawRules(holder); });
	const list = tag("ul", { class: "rules" }, holder);
	for (const [rule, n] of [...counted].sort((a, b) => b[1] - a[1])) {
		const row = tag("li", { class: rule === onlyRule ? "chosen" : "", title: (data.graphs.rules[rule] || [""])[0] }, list);
		tag("span", { class: "n" }, row, n + "\u00d7");
		tag("code", {}, row, rule);
		row.addEventListener("click", () => {
			onlyRule = rule;
			atStep = steps.findIndex(s => s.rule === rule) - 1;
			takeStep(1);
		});
	}
}

function drawStep(holder, s) {
	const rule = data.graphs.rules[s.rule];
	tag("h3", {}, holder, s.rule);
	tag("div", { class: "sub" }, holder, "stage " + stages[s.stage].name + (rule && rule[1] ? ", rules/" + rule[1].replace(":", ".por:") : ""));
	if (rule) tag("pre", { class: "rule" }, holder, rule[0]);
	else tag("p", { class: "hint" }, holder, "A transform of the driver's, no rule of a book.");
	tag("div", { class: "label" }, holder, "before");
	tag("pre", { class: "before" }, holder, namedText(s, s.before));
	tag("div", { class: "label" }, holder, "after");
	tag("pre", { class: "after" }, holder, namedText(s, s.after));
	if (s.place) {
		const a = tag("a", { href: "#" }, tag("p", {}, holder, "of line "), s.place);
		a.addEventListener("click", e => { e.preventDefault(); chooseLine(s.place); });
	}
	tag("p", { class: "hint" }, holder, s.an >= 0 ? "Marked in the graph: what came." : s.bn >= 0 ?
		"It changed again later in this stage; marked in the graph of the stage before: what was there." :
		"Both were there for a moment: it changed again within this stage.");
}

// Where a body's parameter has no name, that of what it is outside.
function namedText(s, text) {
	if (s.of < 0) return text;
	const scope = scopesOf(stages[Math.max(0, s.stage - 1)].fn).concat(scopesOf(stages[s.stage].fn)).find(k => k.fn.f === s.of);
	return !scope ? text : text.replace(/\bx(\d+)\b/g, (word, k) => {
		const param = scope.fn.params[k - 1], p = param && !param[0] && paramOf(scope, k - 1);
		return p ? (p.from === null ? p.name : expression(scope.up, p.from, 1)) : word;
	});
}

function takeStep(by) {
	let k = atStep + by;
	while (k >= 0 && k < steps.length && onlyRule && steps[k].rule !== onlyRule) k += by;
	if (k < 0 || k >= steps.length) return;
	atStep = k;
	const s = steps[k], now = s.an >= 0, found = now ? [s.af, s.an] : s.bn >= 0 ? [s.bf, s.bn] : null;
	showTab("rules");
	showStage(now || !found ? s.stage : Math.max(0, s.stage - 1), false);
	chooseLine(s.place, true);
	if (!found) {
		view.chosen = null;
		return mark();
	}
	const pane = view.panes[view.panes.length - 1], scope = scopesOf(stages[pane.stage].fn).find(k => k.fn.f === found[0]);
	if (scope && isDrawn(scope.fn.nodes[found[1]])) goTo(pane, scope, found[1], true);
}

// ---- times -------------------------------------------------------------------------------------------------

function nanoseconds(ns) {
	return ns >= 1e9 ? (ns / 1e9).toPrecision(3) + " s" : ns >= 1e6 ? (ns / 1e6).toPrecision(3) + " ms" :
		ns >= 1e3 ? (ns / 1e3).toPrecision(3) + " \u00b5s" : Math.round(ns) + " ns";
}

function bytesText(n) {
	const units = ["B", "kB", "MB", "GB", "TB"];
	let k = 0;
	while (n >= 1000 && k < 4) { n /= 1000; k++; }
	return (k ? n.toPrecision(3) : n) + " " + units[k];
}

// Steps without what they hold: a loop's own time is what its body did not take.
function ownTimes() {
	if (!data.profile) return [];
	const own = data.profile.map(s => ({ s, ns: s.nanoseconds, depth: 0 })), by = new Map(own.map(o => [o.s.step, o]));
	for (const o of own) {
		const holder = o.s.inside === null ? null : by.get(o.s.inside);
		if (holder) holder.ns -= o.s.nanoseconds;
		o.depth = holder ? holder.depth + 1 : 0;
	}
	for (const o of own) o.ns = Math.max(0, o.ns);
	return own;
}

function timeByLine() {
	const sum = new Map();
	for (const o of ownTimes()) {
		const place = o.s.line ? o.s.file + ":" + o.s.line : "";
		sum.set(place, (sum.get(place) || 0) + o.ns);
	}
	return sum;
}

// How near a step comes to what this machine does at its best: of moving bytes, or of multiplying.
function shareOf(s, ns) {
	if (!ns || !s.bytes || !data.peaks) return null;
	const large = s.bytes / s.calls > 4e6, peak = large ? data.peaks.memory : data.peaks.cache;
	const moved = peak ? s.bytes / ns / peak : 0;
	const done = s.what === "contract" && data.peaks.product ? s.work / ns / data.peaks.product : 0;
	return done > moved ? { share: done, of: "products" } : { share: moved, of: large ? "memory" : "cache" };
}

function table(holder, heads) {
	const t = tag("table", {}, holder), row = tag("tr", {}, tag("thead", {}, t));
	for (const h of heads) tag("th", {}, row, h);
	return tag("tbody", {}, t);
}

function drawTimes(holder) {
	holder.textContent = "";
	if (!data.profile) {
		tag("p", { class: "hint" }, holder, "No call was timed. Give a value for every input, " +
			"as in porism view FILE:FN x=@data.npy -o page.html, and this shows the time of each kernel.");
	} else {
		const own = ownTimes(), all = own.reduce((a, o) => a + o.ns, 0) || 1, calls = Math.max(...own.map(o => o.depth ? 0 : o.s.calls), 1);
		tag("p", {}, holder, nanoseconds(all / calls) + " a call, " + count(calls, "call") + " timed.");
		tag("p", { class: "hint" }, holder, "Measured at its best on this machine: " + rateText(data.peaks.cache) + " within caches, " +
			rateText(data.peaks.memory) + " from memory, " + (data.peaks.product || 0).toPrecision(3) +
			" billion multiplications a second in a product. A share is of the one that is nearer.");
		drawLineTimes(holder, all, calls);
		drawStepTimes(holder, own, all, calls);
	}
	for (const [key, title] of [["plan", "Plan"], ["kernels", "Kernels"], ["calls", "Calls that stay"]]) {
		if (!data[key] || !data[key].text) continue;
		const more = tag("details", {}, holder);
		tag("summary", {}, more, title);
		tag("pre", {}, more, data[key].text);
	}
}

const rateText = x => x ? x.toPrecision(3) + " GB/s" : "?";

function barCell(row, share) {
	const cell = tag("td", { class: "barcell" }, row);
	tag("i", { style: "width:" + Math.round(100 * Math.min(1, share)) + "%" }, cell);
	tag("span", {}, cell, (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "%");
}

function drawLineTimes(holder, all, calls) {
	tag("h4", {}, holder, "By line");
	const body = table(holder, ["line", "time a call", "of all"]);
	for (const [place, ns] of [...timeByLine()].sort((a, b) => b[1] - a[1]).slice(0, 40)) {
		const row = tag("tr", { class: place ? "link" : "" }, body);
		tag("td", {}, row, place.replace(/^:/, "line ") || "loops themselves");
		tag("td", { class: "num" }, row, nanoseconds(ns / calls));
		barCell(row, ns / all);
		if (place) row.addEventListener("click", () => chooseLine(place));
	}
}

function drawStepTimes(holder, own, all, calls) {
	tag("h4", {}, holder, "By step");
	const body = table(holder, ["step", "time a call", "of all", "bytes", "of peak"]);
	for (const o of own.slice(0, 400)) {
		const row = tag("tr", { class: o.s.line ? "link" : "", title: o.s.computes || "" }, body), share = shareOf(o.s, o.ns);
		const first = tag("td", { style: "padding-left:" + (6 + 12 * o.depth) + "px" }, row, o.s.what);
		if (o.s.computes) tag("div", { class: "computes" }, first, cut(o.s.computes, 60));
		tag("td", { class: "num" }, row, nanoseconds(o.ns / calls));
		barCell(row, o.ns / all);
		tag("td", { class: "num" }, row, o.s.bytes ? bytesText(o.s.bytes / o.s.calls) : "");
		tag("td", { class: "num" }, row, share ? Math.round(100 * share.share) + "% " + share.of : "");
		if (o.s.line) row.addEventListener("click", () => chooseLine(o.s.file + ":" + o.s.line));
	}
	if (own.length > 400) tag("p", { class: "hint" }, holder, "and " + (own.length - 400) + " steps more");
}

// ---- memory --------------------------------------------------------------------------------------------------

function drawMemory(holder) {
	holder.textContent = "";
	const m = data.memory;
	if (!m) return tag("p", { class: "hint" }, holder, "A program of the reference tier has no plan.");
	const work = m.arrays.filter(a => a.space === "work" && a.bytes > 0), live = new Array(m.steps + 1).fill(0);
	for (const a of work) for (let k = a.first; k <= Math.min(a.last, m.steps); k++) live[k] += a.bytes;
	const peak = Math.max(...live, 1), at = live.indexOf(peak);
	const given = m.arrays.filter(a => a.space === "input" || a.space === "output").reduce((s, a) => s + a.bytes, 0);
	tag("p", {}, holder, "At most " + bytesText(peak) + " of intermediate arrays live, at step " + at + "; inputs and results are " +
		bytesText(given) + ". " + (m.sizes === "given" ? "" : "Sizes are symbols: with every size " + m.sizes + "."));
	const W = 360, H = 150, L = 52, x = k => L + (W - L - 8) * k / Math.max(1, live.length - 1), y = b => H - 20 - (H - 34) * b / peak;
	const svg = element("svg", { class: "chart", viewBox: "0 0 " + W + " " + H }, holder);
	for (const part of [0, 0.5, 1]) {
		element("line", { class: "grid", x1: L, x2: W - 8, y1: y(part * peak), y2: y(part * peak) }, svg);
		element("text", { x: L - 5, y: y(part * peak) + 4, "text-anchor": "end" }, svg, bytesText(Math.round(part * peak)));
	}
	let line = "M" + x(0) + " " + y(0);
	live.forEach((b, k) => { line += "L" + r1(x(k)) + " " + r1(y(b)) + "L" + r1(x(Math.min(k + 1, live.length - 1))) + " " + r1(y(b)); });
	element("path", { class: "area", d: line + "L" + x(live.length - 1) + " " + y(0) + "Z" }, svg);
	element("circle", { class: "peak", cx: x(at), cy: y(peak), r: 3.5 }, svg);
	element("text", { x: (L + W) / 2, y: H - 4, "text-anchor": "middle" }, svg, "step");
	drawLives(holder, m, work, W, L);
}

// The largest arrays, each from the step that makes it to the last that reads it.
function drawLives(holder, m, work, W, L) {
	const rows = work.slice().sort((a, b) => b.bytes - a.bytes || a.first - b.first).slice(0, 40);
	if (!rows.length) return;
	tag("h4", {}, holder, rows.length < work.length ? "The largest arrays" : "Arrays");
	const most = rows[0].bytes, svg = element("svg", { class: "chart", viewBox: "0 0 " + W + " " + (rows.length * 15 + 6) }, holder);
	rows.forEach((a, k) => {
		const x0 = L + (W - L - 8) * a.first / Math.max(1, m.steps), x1 = L + (W - L - 8) * Math.min(m.steps, a.last + 1) / Math.max(1, m.steps);
		const g = element("g", { class: "life" }, svg);
		element("text", { x: L - 5, y: k * 15 + 13, "text-anchor": "end" }, g, bytesText(a.bytes));
		element("rect", { x: x0, y: k * 15 + 4, width: Math.max(3, x1 - x0), height: 10, rx: 3, opacity: 0.35 + 0.65 * a.bytes / most }, g);
		element("title", {}, g, a.dtype + ", steps " + a.first + " to " + a.last + (a.line ? ", " + a.file + ":" + a.line : ""));
		if (a.line) g.addEventListener("click", () => chooseLine(a.file + ":" + a.line));
	});
}

// ---- the text --------------------------------------------------------------------------------------------------

function drawText(holder, stage) {
	holder.textContent = "";
	const s = data.stages && data.stages.find(k => k.stage === stages[stage].name);
	if (!s) return tag("p", { class: "hint" }, holder, "The text is too long for a page: porism explain --stage " + stages[stage].name);
	const pre = tag("pre", { class: "notation" }, holder);
	for (const line of s.text.split("\n")) paintLine(tag("div", {}, pre), line || " ");
}
