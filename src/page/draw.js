// draw.js - a pane: the graph of a stage as SVG, with boxes that open and close.
"use strict";

const LETTER = 7.25, PAD = 14, HEAD = 26, MOST_LETTERS = 44;
const COMMUTES = new Set(["+", "*", "max", "min", "==", "!=", "and", "or", "xor"]);
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, parent, text) {
	const e = document.createElementNS(SVG, name);
	for (const k in attributes) if (attributes[k] !== undefined) e.setAttribute(k, attributes[k]);
	if (text !== undefined) e.textContent = text;
	if (parent) parent.appendChild(e);
	return e;
}

const cut = (text, n) => text.length > n ? text.slice(0, n - 1) + "\u2026" : text;
const widthOf = text => Math.max(34, Math.round(text.length * LETTER) + 18);

// ---- what stands in a box ------------------------------------------------------------------------

// The nodes of a scope that are drawn: what is captured stands by its name in the formulas that use it.
function listOf(scope) {
	return drawnNodes(scope.fn).filter(i => {
		const x = scope.fn.nodes[i];
		if (x.kind !== "param" || !scope.up) return true;
		return +x.text < scope.bound || !nameOf(scope, i);
	});
}

// A box for an item, closed or open; `in` is the path of the box that it stands in.
function boxOf(pane, scope, item, inside) {
	const i = item.nodes[0], x = scope.fn.nodes[i], id = scope.path + i;
	const box = { scope, item, i, id, x, parts: [], key: inside + item.id };
	if (item.kind !== "node") return groupBox(pane, scope, item, box);
	if (bodiesOf(scope.fn, i).length) return bodyBox(pane, scope, box);
	box.name = x.kind === "param" ? "" : originOf(x.origin).name;
	box.text = cut(x.kind === "param" || x.kind === "data" ? formula(scope, i, 2) : formula(scope, i, 0), MOST_LETTERS);
	box.w = Math.max(widthOf(box.text), box.name ? widthOf(box.name) : 0);
	box.h = box.name && box.name !== box.text ? 42 : 28;
	return box;
}

function groupBox(pane, scope, item, box) {
	const again = item.kind === "again", n = again ? item.block.length : item.nodes.length;
	const lines = linesText(scope.fn, again ? item.block : item.nodes);
	box.id = box.key;
	box.title = again ? item.times + " \u00d7 a block of " + n : item.leaves ? n + " inputs and constants" : n + " nodes";
	box.sub = (lines ? lines + ":  " : "") + operatorsText(scope.fn, again ? item.block : item.nodes);
	if (pane.isOpen(box.id)) {
		box.parts = [{ drawing: drawingOf(pane, scope, again ? item.block : item.nodes, box.id + "/", item), caption: "" }];
		return opened(box);
	}
	return closed(box);
}

function bodyBox(pane, scope, box) {
	const { i, x } = box, bodies = bodiesOf(scope.fn, i), name = originOf(x.origin).name;
	box.title = (name ? name + " = " : "") + cut(formula(scope, i, 1), MOST_LETTERS + 16);
	box.sub = bodyText(scope, i);
	if (!pane.isOpen(box.id)) return closed(box);
	box.parts = bodies.map((b, which) => {
		const inner = bodyScope(scope, i, which);
		return { drawing: drawingOf(pane, inner, listOf(inner), inner.path, null),
			caption: bodies.length > 1 ? ["where it holds", "where it does not"][which] : "" };
	});
	return opened(box);
}

function bodyText(scope, i) {
	const bodies = bodiesOf(scope.fn, i), n = bodies.reduce((a, b) => a + functionOf(b[0]).size, 0);
	if (scope.fn.nodes[i].op !== "scan") return n + " nodes inside";
	const inner = bodyScope(scope, i, 0), names = [];
	for (let k = 1; k <= inner.carried; k++) names.push(paramOf(inner, k).name);
	const walked = [];
	for (let k = inner.carried + 1; k < inner.bound; k++) walked.push(paramOf(inner, k).name);
	return "carries " + (cut(names.join(", "), 30) || "nothing") +
		(walked.length ? "; walks " + cut(walked.join(", "), 30) : "") + "; " + n + " nodes inside";
}

function closed(box) {
	box.closed = true;
	box.w = Math.max(widthOf(box.title) + 20, Math.round(box.sub.length * LETTER * 0.9) + 36, 120);
	box.h = 46;
	return box;
}

function opened(box) {
	let x = PAD, h = 0;
	for (const p of box.parts) {
		p.x = x;
		p.y = HEAD + (p.caption ? 18 : 8);
		x += Math.max(p.drawing.w, p.caption.length * LETTER) + PAD + 6;
		h = Math.max(h, p.y + p.drawing.h);
	}
	box.w = Math.max(x - 6, widthOf(box.title) + 30);
	box.h = h + PAD;
	return box;
}

// ---- edges -----------------------------------------------------------------------------------------

function drawingOf(pane, scope, list, inside, group) {
	const fn = scope.fn;
	let boxes = itemsOf(fn, list).map(item => boxOf(pane, scope, item, inside));
	const owner = new Map(), ghosts = new Map(), edges = [], front = [];
	boxes.forEach((b, k) => b.item.nodes.forEach(i => owner.set(i, k)));
	const ghost = (i, text) => {
		if (!ghosts.has(text)) {
			ghosts.set(text, front.length);
			front.push({ scope, i, id: scope.path + i, x: fn.nodes[i], ghost: true, text, parts: [], w: widthOf(text), h: 24 });
		}
		return ghosts.get(text);
	};
	boxes.forEach((b, k) => edgesInto(fn, scope, b, k, owner, group, ghost, edges));
	if (!group) {
		boxes = withoutIdle(scope, boxes, edges, front);
		boxes.forEach((b, k) => b.item.nodes.forEach(i => owner.set(i, k)));
	}
	const shift = front.length;
	for (const e of edges) {
		if (!e.ghost) e.from += shift;
		e.to += shift;
	}
	const all = front.concat(boxes);
	if (!group) addResults(scope, owner, shift, all, edges);
	const size = layered(all, edges);
	return { boxes: all, edges, w: size.w, h: size.h, scope };
}

// Inputs that nothing leads from, since boxes use them by their names, are one note; gives the others.
function withoutIdle(scope, boxes, edges, front) {
	const busy = new Set(edges.filter(e => !e.ghost).map(e => e.from));
	for (const [place] of scope.fn.results) {
		const at = boxes.findIndex(b => b.i === sourceOf(scope.fn, place).i);
		if (at >= 0) busy.add(at);
	}
	const idle = boxes.filter((b, k) => b.x.kind === "param" && !b.parts.length && b.item.kind === "node" && !busy.has(k));
	if (!idle.length) return boxes;
	const names = idle.map(b => b.text).join(", "), text = cut("used within boxes: " + names, 44);
	front.push({ scope, i: idle[0].i, id: scope.path + "idle", x: idle[0].x, ghost: true, parts: [], text, w: widthOf(text), h: 24,
		hint: names });
	const rest = boxes.filter(b => !idle.includes(b)), to = boxes.map(b => rest.indexOf(b));
	for (const e of edges) {
		if (!e.ghost) e.from = to[e.from];
		e.to = to[e.to];
	}
	return rest;
}

// What a box needs: of a node its operands in order, of a part each source once.
function edgesInto(fn, scope, b, k, owner, group, ghost, edges) {
	const single = b.item.kind === "node", seen = new Set(), own = [];
	for (const i of b.item.first || b.item.nodes)
		fn.nodes[i].args.forEach((a, slot) => {
			const s = sourceOf(fn, a), x = fn.nodes[s.i], from = owner.get(s.i), key = s.i + "," + s.port;
			if (x.kind === "literal" || from === k || (!single && seen.has(key))) return;
			if (isCaptured(fn, i, slot) && x.kind === "param") return;      // stands in the body by its name
			seen.add(key);
			const e = { to: k, i: s.i, port: Math.max(0, s.port), type: s.type, operand: slot,
				outs: s.port < 0 ? 1 : (bodiesOf(fn, s.i).length ? functionOf(fn.bodies[s.i][0][0]).results.length : 1) };
			if (from !== undefined)
				own.push(Object.assign(e, { from }));
			else if (group && !nameOf(scope, s.i)) {
				const before = group.block && group.nodes.includes(s.i);
				own.push(Object.assign(e, { ghost: true, outs: 1, port: 0,
					from: ghost(s.i, before ? "the block before" : cut(expression(scope, s.i, 1), 24)) }));
			}
		});
	own.forEach((e, slot) => {
		e.slot = slot;
		e.slots = single ? own.length : 1;
		if (!single) e.slot = 0;
		e.ordered = single && own.length > 1 && !COMMUTES.has(fn.nodes[b.i].op) && !bodiesOf(fn, b.i).length;
		edges.push(e);
	});
}

// Is it what a body uses as it is, neither bound by the loop nor the condition of a branch?
function isCaptured(fn, i, slot) {
	const body = bodiesOf(fn, i)[0];
	return !!body && slot >= body[1] + body[2];
}

function addResults(scope, owner, shift, all, edges) {
	const results = scope.fn.results.slice(0, 60);
	results.forEach(([place, path], k) => {
		const s = sourceOf(scope.fn, place), x = scope.fn.nodes[s.i], from = owner.get(s.i);
		const name = resultName(scope, k, path);
		const text = from === undefined ? (name ? name + " = " : "") + expression(scope, place, 2) : name || "result";
		all.push({ scope, i: s.i, id: scope.path + "r" + k, x, result: true, text: cut(text, MOST_LETTERS), parts: [],
			w: widthOf(cut(text, MOST_LETTERS)), h: 26 });
		if (from === undefined) return;
		edges.push({ from: from + shift, to: all.length - 1, i: s.i, port: Math.max(0, s.port), slot: 0, slots: 1,
			outs: s.port < 0 || !bodiesOf(scope.fn, s.i).length ? 1 : functionOf(scope.fn.bodies[s.i][0][0]).results.length,
			type: s.type });
	});
}

function resultName(scope, k, path) {
	if (!scope.up) return path;
	if (scope.up.fn.nodes[scope.at].op !== "scan") return scope.fn.results.length > 1 ? "result " + k : "result";
	return k < scope.carried ? "next " + paramOf(scope, 1 + k).name : "kept of each pass";
}

// ---- SVG -------------------------------------------------------------------------------------------

function paint(pane, drawing, parent) {
	const told = new Set(), room = takenRoom(drawing);
	for (const e of drawing.edges) paintEdge(drawing, e, parent, told, room);
	for (const b of drawing.boxes) paintBox(pane, b, parent);
}

// Where boxes and types stand, by bands of their height.
const BAND = 40;

function takenRoom(drawing) {
	const room = new Map();
	for (const b of drawing.boxes) takeRoom(room, { x: b.left, y: b.top, w: b.w, h: b.h });
	return room;
}

function bandsOf(r) {
	const bands = [];
	for (let k = Math.floor(r.y / BAND); k <= Math.floor((r.y + r.h) / BAND); k++) bands.push(k);
	return bands;
}

function takeRoom(room, r) {
	for (const k of bandsOf(r)) {
		if (!room.has(k)) room.set(k, []);
		room.get(k).push(r);
	}
}

function isFree(room, r) {
	const meets = (o) => r.x < o.x + o.w && o.x < r.x + r.w && r.y < o.y + o.h && o.y < r.y + r.h;
	return !bandsOf(r).some((k) => (room.get(k) || []).some(meets));
}

// Beside the edge's beginning, right or left of it; where there is no room the edge's title alone has it.
function paintType(e, parent, room) {
	const LETTER = 5.8, HEIGHT = 9, [x, y] = e.points[0], w = e.type.length * LETTER;
	for (const [dx, dy] of [[5, 11], [-5 - w, 11], [5, 21], [-5 - w, 21]]) {
		const r = { x: x + dx, y: y + dy - HEIGHT + 1, w, h: HEIGHT };
		if (!isFree(room, r)) continue;
		takeRoom(room, r);
		element("text", { class: "type", x: r1(r.x), y: r1(y + dy) }, parent, e.type);
		return;
	}
}

function paintEdge(drawing, e, parent, told, room) {
	const a = drawing.boxes[e.from], b = drawing.boxes[e.to], key = e.from + "," + e.port, end = e.points[e.points.length - 1];
	const path = drawing.scope.path;
	const g = element("g", { class: "edge", "data-from": path + e.i, "data-to": b.id }, parent);
	element("path", { d: curve(e.points), "marker-end": "url(#tip)" }, g);
	element("title", {}, g, e.type + (e.operand !== undefined ? ": operand " + (e.operand + 1) : ""));
	if (e.ordered) element("text", { class: "slot", x: r1(end[0] - 8), y: r1(end[1] - 5) }, g, e.operand + 1);
	if (told.has(key) || a.ghost) return;
	told.add(key);
	paintType(e, g, room);
}

function classOf(pane, b) {
	const words = ["node"];
	if (b.item && b.item.kind !== "node") words.push("group", b.item.kind);
	else words.push(b.x.kind);
	if (b.ghost) words.push("ghost");
	if (b.result) words.push("result");
	if (b.parts.length) words.push("open");
	if (b.closed) words.push("closed");
	if (!b.result && !b.ghost && pane.hasChanged(b)) words.push(pane.before ? "gone" : "new");
	if (b.item && b.item.nodes.length === 1 && originOf(b.x.origin).derived) words.push("derived");
	return words.join(" ");
}

function paintBox(pane, b, parent) {
	const at = "translate(" + r1(b.left) + " " + r1(b.top) + ")";
	const g = element("g", { class: classOf(pane, b), "data-id": b.id, transform: at }, parent);
	pane.shown.push({ b, g });
	if (b.item && b.item.kind === "again" && b.closed)
		for (const d of [6, 3]) element("rect", { class: "behind", x: d, y: d, width: r1(b.w), height: b.h, rx: 7 }, g);
	element("rect", { width: r1(b.w), height: r1(b.h), rx: b.result || b.ghost || b.x.kind === "param" ? 13 : 7 }, g);
	if (b.closed || b.parts.length) return paintHead(pane, b, g);
	if (b.h > 30) {
		element("text", { class: "name", x: r1(b.w / 2), y: 16 }, g, b.name);
		element("text", { x: r1(b.w / 2), y: 33 }, g, b.text);
	} else
		element("text", { x: r1(b.w / 2), y: b.h / 2 + 4 }, g, b.text);
	element("title", {}, g, b.ghost ? b.hint || "computed outside of this box" : titleOf(b));
}

function titleOf(b) {
	return cut(formula(b.scope, b.i, 4), 300) + "\n" + b.x.type;
}

function paintHead(pane, b, g) {
	const head = element("g", { class: "toggle", "data-toggle": b.id }, g);
	element("rect", { class: "head", width: r1(b.w), height: b.closed ? b.h : HEAD, rx: 7 }, head);
	element("text", { class: "mark", x: 9, y: 17 }, head, b.closed ? "\u25b8" : "\u25be");
	element("text", { class: "title", x: 24, y: 17 }, head, b.title);
	if (b.closed) element("text", { class: "sub", x: 24, y: 35 }, head, b.sub);
	element("title", {}, head, (b.closed ? "click to open: " : "click to fold: ") + b.title + "\n" + b.sub);
	for (const p of b.parts) {
		const inner = element("g", { transform: "translate(" + r1(p.x) + " " + r1(p.y) + ")" }, g);
		if (p.caption) element("text", { class: "sub", x: 0, y: -5 }, inner, p.caption);
		paint(pane, p.drawing, inner);
	}
}

// ---- a pane ----------------------------------------------------------------------------------------

const openBoxes = new Map();           // by stage: the paths of the boxes that are open

function openOf(stage) {
	if (!openBoxes.has(stage)) openBoxes.set(stage, firstOpen(stage));
	return openBoxes.get(stage);
}

// At first what is small enough to be looked at whole.
function firstOpen(stage) {
	const open = new Set(), root = rootScope(stages[stage].fn);
	let room = 70 - listOf(root).length;
	for (const i of Object.keys(root.fn.bodies)) {
		if (root.fn.nodes[i].op === "call") continue;
		const n = bodiesOf(root.fn, i).reduce((a, b) => a + functionOf(b[0]).size, 0);
		if (n > room) continue;
		room -= n;
		open.add(root.path + i);
	}
	return open;
}

class Pane {
	constructor(holder, stage, before) {
		this.stage = stage;
		this.before = before;
		this.svg = element("svg", { class: "graph" }, holder);
		this.svg.innerHTML = '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" ' +
			'markerHeight="7" orient="auto"><path d="M0 1L7 4L0 7z"/></marker></defs>';
		this.world = element("g", {}, this.svg);
		this.svg.setAttribute("data-stage", stages[stage].name);
		this.scale = 1;
		this.listen();
		this.draw();
		this.fit();
	}

	isOpen(id) {
		return openOf(this.stage).has(id);
	}

	hasChanged(b) {
		const other = this.before ? this.stage + 1 : this.stage - 1;
		if (other < 0 || other >= stages.length) return false;
		const keys = structure(b.scope.fn.f), there = keysOfStage(other);
		return (b.item ? b.item.nodes : [b.i]).some(i => !there.has(keys[i]));
	}

	draw() {
		const root = rootScope(stages[this.stage].fn);
		this.shown = [];
		this.world.textContent = "";
		this.drawing = drawingOf(this, root, listOf(root), "", null);
		paint(this, this.drawing, this.world);
	}

	toggle(id) {
		const open = openOf(this.stage), box = this.find(id), at = box && box.g.getBoundingClientRect();
		open.has(id) ? open.delete(id) : open.add(id);
		this.draw();
		const now = this.find(id);
		if (now && at) {                        // what was clicked stays where it is
			const to = now.g.getBoundingClientRect();
			this.move(at.left - to.left, at.top - to.top);
		}
	}

	find(id) {
		return this.shown.find(s => s.b.id === id && !s.b.ghost && !s.b.result);
	}

	// Opens what a node stands in, and gives what is shown of it.
	reveal(scope, i) {
		const open = openOf(this.stage);
		for (let s = scope; s.up; s = s.up) open.add(s.path.replace(/\.\d+\/$/, ""));
		this.draw();
		for (let guard = 0; guard < 20; guard++) {
			const at = this.shown.find(s => s.b.scope.path === scope.path && s.b.item && s.b.item.nodes.includes(i) &&
				!s.b.parts.length);
			if (!at || at.b.item.kind === "node") return at;
			if (at.b.item.block && !at.b.item.block.includes(i)) {
				const again = at.b.item;
				i = again.block[again.nodes.indexOf(i) % again.block.length];
			}
			open.add(at.b.id);
			this.draw();
		}
		return null;
	}

	center(g) {
		const r = g.getBoundingClientRect(), all = this.svg.getBoundingClientRect();
		this.move(all.left + all.width / 2 - r.left - r.width / 2, all.top + all.height / 2 - r.top - Math.min(r.height, 200) / 2);
	}

	fit() {
		const all = this.svg.getBoundingClientRect(), { w, h } = this.drawing;
		const whole = Math.min(all.width / (w + 40), all.height / (h + 40)), wide = all.width / (w + 40);
		this.scale = Math.min(1.15, Math.max(whole, Math.min(wide, 0.95), 0.45));
		this.x = (all.width - w * this.scale) / 2;
		this.y = Math.max(36, (all.height - h * this.scale) / 2);
		this.place();
	}

	move(dx, dy) {
		this.x += dx;
		this.y += dy;
		this.place();
	}

	zoom(by, x, y) {
		const scale = Math.min(4, Math.max(0.02, this.scale * by));
		this.x = x - (x - this.x) * scale / this.scale;
		this.y = y - (y - this.y) * scale / this.scale;
		this.scale = scale;
		this.place();
	}

	place() {
		this.world.setAttribute("transform", "translate(" + this.x + " " + this.y + ") scale(" + this.scale + ")");
		this.svg.classList.toggle("far", this.scale < 0.45);
	}

	listen() {
		let from = null;
		this.svg.addEventListener("wheel", e => {
			e.preventDefault();
			const all = this.svg.getBoundingClientRect();
			this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), e.clientX - all.left, e.clientY - all.top);
		}, { passive: false });
		this.svg.addEventListener("pointerdown", e => { from = { x: e.clientX, y: e.clientY, moved: false }; });
		this.svg.addEventListener("pointermove", e => {
			if (!from || !(e.buttons & 1)) return;
			const dx = e.clientX - from.x, dy = e.clientY - from.y;
			if (!from.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
			from = { x: e.clientX, y: e.clientY, moved: true };
			this.move(dx, dy);
		});
		this.svg.addEventListener("click", e => {
			if (from && from.moved) return;
			const toggle = e.target.closest("[data-toggle]"), node = e.target.closest("[data-id]");
			if (toggle) this.toggle(toggle.getAttribute("data-toggle"));
			const s = node && this.shown.find(k => k.g === node || k.b.id === node.getAttribute("data-id"));
			if (s) chooseNode(this, s.b);
			else if (!toggle) chooseNode(this, null);
		});
	}
}

const stageKeys = new Map();
function keysOfStage(stage) {
	if (!stageKeys.has(stage)) stageKeys.set(stage, everyKey(stages[stage].fn));
	return stageKeys.get(stage);
}
