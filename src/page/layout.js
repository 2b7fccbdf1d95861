// layout.js - a layered drawing of boxes and edges: layers, order in them, places.
//
// boxes: [{ w, h }], edges: [{ from, to, port, ports }]; every edge leads to a later box.  Gives boxes their left and
// top, edges their points, and the size of all.
"use strict";

const SIDE_GAP = 22, LAYER_GAP = 38, WAY_WIDTH = 10;

function layered(boxes, edges) {
	const layer = layersOf(boxes, edges);
	const all = boxes.map((b, i) => ({ w: b.w, h: b.h, box: i, layer: layer[i], up: [], down: [] }));
	const ways = waysOf(all, edges);
	const rows = [];
	for (const v of all) (rows[v.layer] = rows[v.layer] || []).push(v);
	for (let k = 0; k < rows.length; k++) rows[k] = rows[k] || [];
	orderRows(rows);
	placeRows(rows);
	return finish(boxes, edges, rows, ways);
}

function layersOf(boxes, edges) {
	const up = boxes.map(() => []), down = boxes.map(() => []), layer = boxes.map(() => 0);
	for (const e of edges) {
		up[e.to].push(e.from);
		down[e.from].push(e.to);
	}
	for (let i = 0; i < boxes.length; i++) for (const j of up[i]) layer[i] = Math.max(layer[i], layer[j] + 1);
	for (let i = boxes.length; i-- > 0;) {          // what needs little stands next to who uses it
		if (!down[i].length || up[i].length > down[i].length) continue;
		layer[i] = Math.max(layer[i], down[i].reduce((a, j) => Math.min(a, layer[j]), Infinity) - 1);
	}
	return layer;
}

// A long edge goes through a point in each layer between; edges of one port of a box share them.
function waysOf(all, edges) {
	const bends = new Map();
	let room = 6000;
	return edges.map(e => {
		const a = all[e.from], b = all[e.to], way = [a];
		let before = a;
		for (let l = a.layer + 1; l < b.layer && room > 0; l++) {
			const key = e.from + "," + e.port + "," + l;
			let bend = bends.get(key);
			if (!bend) {
				bend = { w: WAY_WIDTH, h: 0, box: -1, layer: l, up: [], down: [] };
				bends.set(key, bend);
				all.push(bend);
				room--;
				before.down.push(bend);
				bend.up.push(before);
			}
			way.push(bend);
			before = bend;
		}
		before.down.push(b);
		b.up.push(before);
		way.push(b);
		return way;
	});
}

function numberRow(row) {
	row.forEach((v, k) => { v.at = k; });
}

function crossings(rows) {
	let n = 0;
	for (let l = 1; l < rows.length; l++) {
		const ends = [];
		for (const v of rows[l - 1]) for (const u of v.down.map(d => d.at).sort((a, b) => a - b)) ends.push(u);
		const tree = new Int32Array(rows[l].length + 2);
		ends.forEach((end, k) => {
			let less = 0;
			for (let i = end + 1; i > 0; i -= i & -i) less += tree[i];
			n += k - less;
			for (let i = end + 1; i < tree.length; i += i & -i) tree[i]++;
		});
	}
	return n;
}

function orderRows(rows) {
	rows.forEach(numberRow);
	const mean = list => list.reduce((a, v) => a + v.at, 0) / list.length;
	let best = crossings(rows), kept = rows.map(r => r.slice());
	for (let sweep = 0; sweep < 14 && best > 0; sweep++) {
		const down = sweep % 2 === 0;
		for (let k = 1; k < rows.length; k++) {
			const row = rows[down ? k : rows.length - 1 - k];
			const want = new Map(row.map(v => {
				const list = down ? v.up : v.down;
				return [v, list.length ? mean(list) : v.at];
			}));
			row.sort((a, b) => want.get(a) - want.get(b) || a.at - b.at);
			numberRow(row);
		}
		const n = crossings(rows);
		if (n < best) {
			best = n;
			kept = rows.map(r => r.slice());
		}
	}
	kept.forEach((row, k) => {
		rows[k] = row;
		numberRow(row);
	});
}

// The places of a row nearest to what each wants, with the gaps that are due: neighbours that want to be nearer join.
function settle(row, want, weight) {
	const groups = [];
	let sum = 0;
	row.forEach((v, k) => {
		if (k) sum += (row[k - 1].w + v.w) / 2 + (row[k - 1].box < 0 && v.box < 0 ? 4 : SIDE_GAP);
		v.offset = sum;
		groups.push({ first: k, last: k, weight: weight[k], at: want[k] - sum });
		while (groups.length > 1 && groups[groups.length - 2].at > groups[groups.length - 1].at) {
			const b = groups.pop(), a = groups[groups.length - 1];
			a.at = (a.at * a.weight + b.at * b.weight) / (a.weight + b.weight);
			a.weight += b.weight;
			a.last = b.last;
		}
	});
	for (const g of groups) for (let k = g.first; k <= g.last; k++) row[k].x = g.at + row[k].offset;
}

// A box wants to stand at boxes next to it, a point of an edge at points of edges, so that neither pulls the other
// aside, layer by layer; where there are none, at what there is.
function wish(v, list) {
	const near = list.filter(u => u.box >= 0 === v.box >= 0), of = near.length ? near : list;
	return of.reduce((a, u) => a + u.x, 0) / of.length;
}

// Boxes that edges join: in a sweep all of them may move aside together, and each sweep further.
function partsOf(rows) {
	const seen = new Set(), parts = [];
	for (const row of rows) for (const v of row) {
		if (seen.has(v)) continue;
		const part = [v];
		seen.add(v);
		for (let k = 0; k < part.length; k++)
			for (const u of part[k].up.concat(part[k].down)) if (!seen.has(u)) {
				seen.add(u);
				part.push(u);
			}
		parts.push(part);
	}
	return parts;
}

const middle = part => part.reduce((a, v) => a + v.x, 0) / part.length;

function placeRows(rows) {
	for (const row of rows) {
		let x = 0;
		for (const v of row) {
			v.x = x + v.w / 2;
			x += v.w + SIDE_GAP;
		}
		for (const v of row) v.x -= x / 2;
	}
	const parts = partsOf(rows), at = parts.map(middle), SWEEPS = 26;
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		for (let k = 0; k < rows.length; k++) {
			const down = sweep % 2 === 0, row = rows[down ? k : rows.length - 1 - k];
			const want = [], weight = [];
			for (const v of row) {
				const list = sweep > 17 ? v.up.concat(v.down) : down ? v.up : v.down;
				want.push(list.length ? wish(v, list) : v.x);
				weight.push(list.length ? (v.box < 0 ? 6 : 1 + list.length) : 0.2);
			}
			settle(row, want, weight);
		}
		if (sweep + 1 < SWEEPS) parts.forEach((part, k) => {
			const aside = middle(part) - at[k];
			for (const v of part) v.x -= aside;
		});
	}
}

function finish(boxes, edges, rows, ways) {
	let y = 0, left = Infinity, right = -Infinity;
	for (const row of rows) {
		const h = row.reduce((a, v) => Math.max(a, v.h), 0);
		for (const v of row) {
			v.y = y;
			v.tall = h;
			left = Math.min(left, v.x - v.w / 2);
			right = Math.max(right, v.x + v.w / 2);
			if (v.box >= 0) boxes[v.box].top = y + (h - v.h) / 2;
		}
		y += h + LAYER_GAP;
	}
	if (!boxes.length) left = right = 0;
	for (const row of rows) for (const v of row) {
		v.x -= left;
		if (v.box >= 0) boxes[v.box].left = v.x - v.w / 2;
	}
	edges.forEach((e, k) => { e.points = pointsOf(boxes[e.from], boxes[e.to], e, ways[k]); });
	return { w: right - left, h: Math.max(0, y - LAYER_GAP) };
}

// From the lower side of a box to its place on the upper side of the other: operands enter in their order.
function pointsOf(a, b, e, way) {
	const out = [a.left + a.w * (e.outs > 1 ? (e.port + 1) / (e.outs + 1) : 0.5), a.top + a.h];
	const into = [b.left + b.w * (e.slots > 1 ? (e.slot + 1) / (e.slots + 1) : 0.5), b.top];
	const points = [out];
	for (const v of way.slice(1, -1)) points.push([v.x, v.y], [v.x, v.y + v.tall]);
	points.push(into);
	return points;
}

function curve(points) {
	let text = "M" + points[0].map(r1).join(" ");
	for (let k = 1; k < points.length; k++) {
		const [x0, y0] = points[k - 1], [x1, y1] = points[k], bend = Math.max(8, (y1 - y0) / 2);
		text += x0 === x1 ? "L" + r1(x1) + " " + r1(y1)
			: "C" + [x0, y0 + bend, x1, y1 - bend, x1, y1].map(r1).join(" ");
	}
	return text;
}

const r1 = x => Math.round(x * 10) / 10;
