// fold.js - what stands in a scope: nodes, blocks that come again, and parts of what is too much to look at.
//
// Every box holds nodes that follow each other in the order of the function, so that boxes and nodes have an order
// too: no two boxes need each other.
"use strict";

const MANY = 90;          // of nodes in a box: more are folded into parts

// Blocks that come three times or more, one behind the other: [{ from, period, times, drawn }] by places in `list`;
// the block that is drawn begins so far behind the first.
function repeats(fn, list) {
	const place = new Map(list.map((i, k) => [i, k]));
	const from = list.map(i => fn.nodes[i].args.map(a => sourceOf(fn, a)));
	const word = list.map(i => {
		const x = fn.nodes[i];
		const text = x.kind === "index" || x.kind === "view" ? x.text.replace(/\[[-\d:, ]*\]/g, "[]") : x.text;
		return text + "|" + x.type + "|" + bodiesOf(fn, i).map(b => b[0]).join() + "|" + x.args.length;
	});
	// The same operator, of the same operand, of one as far before, or of what is no operator at all.
	const same = (k, p) => word[k] === word[k + p] && from[k].every((s, a) => {
		const t = from[k + p][a], at = place.get(s.i), to = place.get(t.i);
		if (s.port !== t.port) return false;
		return s.i === t.i || (at === undefined ? to === undefined : to !== undefined && to - at === p);
	});
	// What is before a run belongs to it, if all that differs is that it begins with inputs of the function.
	const like = (k, p) => k >= 0 && word[k] === word[k + p] && from[k].every((s, a) => {
		const t = from[k + p][a], at = place.get(s.i);
		return s.i === t.i || at === undefined || place.get(t.i) - at === p;
	});
	const run = (begin, end, period) => {
		let first = begin;
		while (like(first - 1, period)) first--;
		return { from: first, period, times: Math.floor((end - first) / period) + 1, drawn: first < begin ? period : 0 };
	};
	const last = new Map(), votes = new Map();
	word.forEach((w, k) => {
		const gap = k - (last.has(w) ? last.get(w) : k);
		if (gap) votes.set(gap, (votes.get(gap) || 0) + 1);
		last.set(w, k);
	});
	const periods = [...votes.keys()].filter(p => p > 1).sort((p, q) => votes.get(q) - votes.get(p)).slice(0, 20);
	const runs = [];
	for (const p of periods)
		for (let k = 0, begin = 0; k + p <= list.length; k++) {
			if (k + p < list.length && same(k, p)) continue;
			if (k - begin >= 2 * p) runs.push(run(begin, k, p));
			begin = k + 1;
		}
	runs.sort((r, s) => s.period * s.times - r.period * r.times || r.period - s.period);
	const taken = new Array(list.length).fill(false);
	return runs.filter(r => {
		const end = r.from + r.period * r.times;
		if (taken.slice(r.from, end).some(t => t)) return false;
		taken.fill(true, r.from, end);
		return true;
	}).sort((r, s) => r.from - s.from);
}

// The items of a list of nodes: { kind: "node" | "again" | "part", nodes, ... }.
function itemsOf(fn, list) {
	// what is made of literals and sizes alone belongs to no block, though it stands in the first that uses it
	const isInner = i => fn.nodes[i].args.some(a => fn.nodes[sourceOf(fn, a).i].kind !== "literal");
	const leaves = list.filter(i => !isInner(i)), inner = list.filter(isInner);
	const node = i => ({ kind: "node", nodes: [i], id: "n" + i });
	let items = [], k = 0;
	for (const r of repeats(fn, inner)) {
		while (k < r.from) items.push(node(inner[k++]));
		const end = r.from + r.period * r.times;
		items.push({ kind: "again", times: r.times, id: "a" + inner[k], nodes: inner.slice(k, end),
			first: inner.slice(k, k + r.period), block: inner.slice(k + r.drawn, k + r.drawn + r.period) });
		k = end;
	}
	while (k < inner.length) items.push(node(inner[k++]));
	if (items.length > MANY) items = parts(fn, items);
	const shown = leaves.length > MANY ? [{ kind: "part", nodes: leaves, id: "p" + leaves[0], leaves: true }]
		: leaves.map(node);
	return shown.concat(items);
}

const lineOf = (fn, i) => graphs.origins[fn.nodes[i].origin][1];

// Parts of about equal length, cut where the user's line changes if one does near there.
function parts(fn, items) {
	const n = Math.min(36, Math.ceil(items.length / 30)), cuts = [0];
	for (let k = 1; k < n; k++) {
		const want = Math.round(items.length * k / n), slack = Math.floor(items.length / n / 3);
		let cut = want;
		for (let d = 0; d <= slack; d++) {
			const at = [want + d, want - d].find(c => c > cuts[cuts.length - 1] && c < items.length &&
				lineOf(fn, items[c].nodes[0]) !== lineOf(fn, items[c - 1].nodes[0]));
			if (at === undefined) continue;
			cut = at;
			break;
		}
		if (cut > cuts[cuts.length - 1]) cuts.push(cut);
	}
	cuts.push(items.length);
	return cuts.slice(1).map((end, k) => {
		const nodes = items.slice(cuts[k], end).flatMap(x => x.nodes);
		return nodes.length === 1 ? items[cuts[k]] : { kind: "part", nodes, id: "p" + nodes[0] };
	});
}

// "lines 12 to 18" of what a part holds.
function linesText(fn, nodes) {
	const lines = nodes.map(i => lineOf(fn, i)).filter(l => l);
	if (!lines.length) return "";
	const low = lines.reduce((a, b) => Math.min(a, b)), high = lines.reduce((a, b) => Math.max(a, b));
	return low === high ? "line " + low : "lines " + low + " to " + high;
}

// The operators of a part, those that come most often first.
function operatorsText(fn, nodes) {
	const count = new Map();
	for (const i of nodes) count.set(fn.nodes[i].op, (count.get(fn.nodes[i].op) || 0) + 1);
	return [...count].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([op, n]) => n > 1 ? op + "\u00d7" + n : op).join("  ");
}

function drawnNodes(fn) {
	return fn.nodes.filter(x => isDrawn(x) && (x.kind !== "param" || fn.users[x.i].length)).map(x => x.i);
}
