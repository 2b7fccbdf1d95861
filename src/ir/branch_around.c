/* branch_around.c - what is computed whichever side of a branch is taken is captured by it, not computed
 * again; and so is what is computed whether or not the pass of a guard (close_body.c) is taken.
 *
 * What stands around a branch or a guard is known when that is closed, as other results may use what it does.
 * A chain in which each value is used by a loop and beside it would else hold each value twice as often as
 * the one after it.
 */
#include "close.h"

void note_around(Arena *a, Nodes of, IdMap *around)
{
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	for (uint32_t i = 0; i < of.n; i++) {
		GROW(a, stack, depth, cap);
		stack[depth++] = of.v[i];
	}
	while (depth) {
		Node *y = stack[--depth];
		if (!y || idmap_get(around, y->id)) continue;
		idmap_put(around, y->id, y);
		for (uint32_t k = 0; k < (y->op == OP_IF ? 1 : y->narg); k++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = y->arg[k];
		}
	}
}

Nodes within_sides(Arena *a, uint32_t n, Node *const *yes, Node *const *no, const IdMap *around)
{
	Node **node = NULL;
	uint32_t count = 0, cap = 0;
	for (uint32_t k = 0; k < 2; k++) {
		Region *r = region_of(a, n, k ? no : yes);
		for (uint32_t i = 0; i < r->n; i++) {
			if (!idmap_get(around, r->node[i]->id)) continue;
			GROW(a, node, count, cap);
			node[count++] = r->node[i];
		}
	}
	return (Nodes){count, node};
}

/* The branch that captures what is computed around it. */
static Node *made_again(Graph *g, Arena *a, Node *x, IdMap *around)
{
	Body b[BODIES_MAX];
	Opened side[BODIES_MAX];
	node_bodies(x, b);
	for (uint32_t k = 0; k < 2; k++) side[k] = body_open(g, a, x, &b[k]);
	if (g->error.code) return NULL;
	Nodes outside = within_sides(a, x->type->n, side[0].result, side[1].result, around);
	Node *y = branch(g, x->arg[0], x->type->n, side[0].result, side[1].result, outside);
	if (y) note_around(a, captured(y), around);
	return y;
}

/* A loop of one pass or none, over nothing. */
static bool is_guard(Graph *g, const Node *x)
{
	if (x->op != OP_SCAN || is_effect(x) || scan_is_while(x) || scan_sequences(x)) return false;
	if (scan_body(x)->nresult != scan_carries(x)) return false;
	const Size *n = size_of_node(g, cast(g, x->arg[0], DT_I64));
	return n && size_holds(g, n, size_const(g, 1), false);
}

/* The guard that captures what is computed around it. */
static Node *guard_again(Graph *g, Arena *a, Node *x, IdMap *around)
{
	Opened o = scan_open(g, a, x);
	if (g->error.code) return NULL;
	Region *r = region_of(a, o.nresult, o.result);
	Nodes known = captured(x);
	Node **outside = NEW_ARRAY(a, Node *, r->n + 1);
	uint32_t n = 0, nnew = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		Node *y = r->node[i];
		bool is_known = op_info[y->op].class == LEAF;
		if (!idmap_get(around, y->id)) continue;
		for (uint32_t k = 0; k < known.n; k++) is_known |= known.v[k] == y;
		nnew += !is_known;
		outside[n++] = y;
	}
	if (!nnew) return x;
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){1 + scan_carries(x), o.param},
		    (Nodes){o.nresult, o.result}, (Around){x->arg[0], {n, outside}}, &c))
		return NULL;
	Node *y = scan(g, &c, x->arg[0], (Nodes){scan_carries(x), x->arg + 1}, (Nodes){0}, scan_way(x));
	if (y) note_around(a, captured(y), around);
	return y;
}

/* The places of nodes that others stand for, each behind those that the other is made of. */
static uint32_t in_order(Arena *a, const Region *r, Node *const *now, Nodes results, uint32_t *order)
{
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0, n = 0;
	bool *left = NEW_ARRAY(a, bool, r->n);
	IdMap seen;
	idmap_open(&seen, a);
	for (uint32_t i = 0; i < results.n; i++) {
		GROW(a, stack, depth, cap);
		stack[depth++] = results.v[i];
	}
	while (depth) {
		Node *x = stack[depth - 1];
		uint32_t at = region_place(r, x);
		Node *other = at != UINT32_MAX ? now[at] : NULL;
		if (idmap_get(&seen, x->id)) {
			depth--;
			if (other && !left[at]) order[n++] = at;
			if (other) left[at] = true;
			continue;
		}
		idmap_put(&seen, x->id, x);
		const bool same = !other || other == x;
		for (uint32_t k = 0; k < (same ? x->narg : 1); k++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = same ? x->arg[k] : other;
		}
	}
	return n;
}

static Node **rebuilt(Graph *g, Arena *a, const Region *r, Node **now, Nodes results)
{
	Node **out = NEW_ARRAY(a, Node *, results.n + 1);
	uint32_t *order = NEW_ARRAY(a, uint32_t, r->n + 1), n = in_order(a, r, now, results, order);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < n && !g->error.code; i++) {
		Node *x;
		rebuild(g, (Nodes){1, &now[order[i]]}, &map, NULL, NULL, &x);
		idmap_put(&map, r->node[order[i]]->id, x);
	}
	if (!g->error.code) rebuild(g, results, &map, NULL, NULL, out);
	return g->error.code ? NULL : out;
}

/* The branches and guards that are made anew where these results are closed, by place; NULL: none. */
static bool *own_bodies(Graph *g, Arena *a, const Region *r, Nodes bound, const IdMap *own)
{
	bool *hangs = region_hanging(a, r, bound), *is = NEW_ARRAY(a, bool, r->n), any = false;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		is[i] = (hangs[i] || (own && idmap_get(own, x->id))) && (x->op == OP_IF || is_guard(g, x));
		any |= is[i];
	}
	return any ? is : NULL;
}

Node *const *captured_around(
	Graph *g, Arena *a, Nodes results, Nodes bound, Nodes outside, const IdMap *own)
{
	bool any = false;
	for (const Graph *of = g; of; of = of->under) any |= of->branches || of->guards;
	if (!any) return results.v;
	Region *r = region_of(a, results.n, results.v);
	bool *is = own_bodies(g, a, r, bound, own), changed = false;
	if (!is) return results.v;
	Node **now = NEW_ARRAY(a, Node *, r->n);
	IdMap around;
	idmap_open(&around, a);
	note_around(a, results, &around);
	for (uint32_t i = 0; i < outside.n; i++) idmap_put(&around, outside.v[i]->id, outside.v[i]);
	g->bodies++;
	/* from the last on: what one captures is around those before it */
	for (uint32_t i = r->n; i-- > 0 && !g->error.code;) {
		Node *x = r->node[i];
		if (!is[i] || !idmap_get(&around, x->id)) continue;
		now[i] = (x->op == OP_IF ? made_again : guard_again)(g, a, x, &around);
		changed |= now[i] != x;
	}
	Node *const *out = results.v;
	if (changed && !g->error.code) out = rebuilt(g, a, r, now, results);
	if (g->error.code) out = NULL;
	g->bodies--;
	return out;
}
