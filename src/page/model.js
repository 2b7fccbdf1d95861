// model.js - the data as functions, nodes and scopes.
//
// A function is a list of nodes, operands before users.  A scope is a function where it stands: the whole, or the
// body of a node of another scope.  What a node's formula names, its scope knows.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const graphs = data.graphs.graphs, texts = graphs.texts;
const stages = data.graphs.stages.map(([name, fn], i) => ({ name, fn, i }));
const steps = data.graphs.steps.map(([stage, rule, place, before, after, bf, bn, af, an, of], i) =>
	({ i, stage, rule, place, before, after, bf, bn, af, an, of }));
const functions = [];

function originOf(n) {
	const [file, line, name, rule, derived] = graphs.origins[n];
	return { file: texts[file], line, name: texts[name], rule: texts[rule], derived: !!derived };
}

function functionOf(f) {
	if (functions[f]) return functions[f];
	const raw = graphs.functions[f];
	const fn = { f, name: texts[raw.name], params: raw.params.map(([n, t]) => [texts[n], graphs.types[t]]),
		results: raw.results.map(([n, name]) => [n, texts[name]]), bodies: raw.bodies };
	fn.nodes = raw.nodes.map((row, i) => {
		const [text, op, kind] = graphs.labels[row[0]];
		return { i, text, op, kind, type: graphs.types[row[1]], origin: row[2],
			args: row.slice(3).map(back => i - back) };
	});
	fn.users = fn.nodes.map(() => []);
	for (const x of fn.nodes) for (const a of x.args) fn.users[a].push(x.i);
	fn.size = fn.nodes.filter(isDrawn).length;
	return functions[f] = fn;
}

const isDrawn = x => x.kind !== "literal" && x.kind !== "spread" && x.kind !== "get";
const bodiesOf = (fn, i) => fn.bodies[i] || [];

// What an operand comes from, through what only spreads it or takes one of several results, and its type there.
function sourceOf(fn, i) {
	let port = -1, type = "";
	for (;;) {
		const x = fn.nodes[i];
		if (x.kind !== "spread") type = type || x.type;
		if (x.kind === "get") port = +x.text;
		else if (x.kind !== "spread") return { i, port, type };
		i = x.args[0];
	}
}

// ---- scopes -----------------------------------------------------------------------------------

function rootScope(f) {
	return { path: "", fn: functionOf(f), up: null };
}

const scopeCache = new Map();

function bodyScope(scope, i, which) {
	const body = bodiesOf(scope.fn, i)[which], key = scope.fn.f + "|" + scope.path + i + "." + which + "/";
	if (!scopeCache.has(key))
		scopeCache.set(key, { path: scope.path + i + "." + which + "/", fn: functionOf(body[0]), up: scope, at: i,
			bound: body[1], first: body[2], carried: body[3], walked: body[4], which });
	return scopeCache.get(key);
}

// The parameter of a scope: { name, from }: `from` is the node outside that it is, or null where it is bound.
function paramOf(scope, k) {
	const name = scope.fn.params[k][0];
	if (!scope.up) return { name: name || "x" + (k + 1), from: null };
	const x = scope.up.fn.nodes[scope.at];
	if (k >= scope.bound) return { name: null, from: x.args[scope.first + k] };
	if (x.op !== "scan") return { name: name || "x" + (k + 1), from: null };
	if (!k) return { name: name || "i", from: null };
	if (k <= scope.carried) return { name: name || "c" + k, from: null };
	return { name: name || elementName(scope, x, k), from: null };
}

// An element is called after what the loop walks along.
function elementName(scope, x, k) {
	const whole = nameOf(scope.up, x.args[k]), text = whole || expression(scope.up, x.args[k], 1);
	if (whole) return whole + "[i]";
	return text.length > 1 && text.length < 20 ? "(" + text + ")[i]" : "e" + (k - scope.carried);
}

// What a value is called where it is used: the name of its let or parameter; "" where it has none.
function nameOf(scope, i) {
	const { i: at, port } = sourceOf(scope.fn, i), x = scope.fn.nodes[at];
	if (x.kind === "param") {
		const p = paramOf(scope, +x.text);
		return p.from === null ? p.name : nameOf(scope.up, p.from);
	}
	if (port >= 0) return portName(scope, at, port);
	if (x.kind === "literal") return x.op === "size" ? x.text.replace(/^\w+\((.*)\)$/, "$1") : x.text;
	return originOf(x.origin).name;
}

// Result `port` of a loop: what it carries, or what it keeps of each pass.
function portName(scope, i, port) {
	const own = originOf(scope.fn.nodes[i].origin).name, bodies = bodiesOf(scope.fn, i);
	if (!bodies.length || scope.fn.nodes[i].op !== "scan") return own ? own + "." + port : "";
	const inner = bodyScope(scope, i, 0), carried = inner.carried;
	if (port < carried) return paramOf(inner, 1 + port).name;
	const kept = sourceOf(inner.fn, inner.fn.results[port][0]), name = nameOf(inner, kept.i);
	return name ? "all " + name : "";
}

// The formula of a node; `depth` says how far operands without a name are written out.
function formula(scope, i, depth) {
	const x = scope.fn.nodes[i];
	if (x.kind === "param") {
		const p = paramOf(scope, +x.text);
		return p.from === null ? p.name : expression(scope.up, p.from, depth);
	}
	return shortText(x).replace(/\$(\d+)/g, (_, k) => operandText(scope, x.args[+k], depth, x));
}

// Contractions by their labels: ij,jk\u2192ik.
function shortText(x) {
	const lists = x.op === "einsum" && x.text.match(/^einsum\[((?:\([^()]*\)(?:, )?)+)\](.*)$/);
	if (!lists) return x.text;
	const labels = lists[1].match(/\([^()]*\)/g).map(l => l.replace(/[^a-z0-9]/g, "") || "\u00b7");
	return labels.slice(0, -1).join(",") + "\u2192" + labels[labels.length - 1] + lists[2];
}

function operandText(scope, i, depth, user) {
	const text = expression(scope, i, depth);
	const apart = / [-+<>=|&] |^-|[*/^@] ?/.test(text) && /^\$\d+[ */^@+-]|[*/^@+-] ?\$\d+$|^-/.test(user.text);
	return apart && !/^\([^()]*\)\[i\]$/.test(text) ? "(" + text + ")" : text;
}

function expression(scope, i, depth) {
	const name = nameOf(scope, i);
	if (name) return name;
	const { i: at, port } = sourceOf(scope.fn, i), x = scope.fn.nodes[at];
	if (x.kind === "param") {
		const p = paramOf(scope, +x.text);
		return expression(scope.up, p.from, depth);
	}
	if (depth <= 0 || port >= 0) return "\u00b7";
	return formula(scope, at, depth - 1);
}

// ---- what changed --------------------------------------------------------------------------------

const keysOf = new Map();

// A text for each node that is the same for equal nodes of two functions.
function structure(f) {
	if (keysOf.has(f)) return keysOf.get(f);
	const fn = functionOf(f), keys = [];
	keysOf.set(f, keys);
	for (const x of fn.nodes) {
		const inner = bodiesOf(fn, x.i).map(b => hash(structure(b[0]).join()));
		keys.push(hash(x.op + x.text + x.type + x.args.map(a => keys[a]).join() + inner.join()));
	}
	return keys;
}

function hash(text) {
	let a = 0x811c9dc5, b = 0x1b873593;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		a = Math.imul(a ^ c, 0x01000193);
		b = Math.imul(b ^ c, 0x85ebca6b) ^ (b >>> 13);
	}
	return (a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff);
}

// All functions of a stage, with the path of scopes that leads to each first.
function scopesOf(f) {
	const list = [rootScope(f)], seen = new Set([f]);
	for (let k = 0; k < list.length; k++) {
		const scope = list[k];
		for (const i of Object.keys(scope.fn.bodies))
			bodiesOf(scope.fn, i).forEach((b, which) => {
				if (seen.has(b[0])) return;
				seen.add(b[0]);
				list.push(bodyScope(scope, +i, which));
			});
	}
	return list;
}

function everyKey(f) {
	const all = new Set();
	for (const scope of scopesOf(f)) for (const k of structure(scope.fn.f)) all.add(k);
	return all;
}
