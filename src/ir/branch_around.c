/* branch_around.c - what is computed whichever side of a branch is taken is captured by it, not computed
 * again.
 *
 * What stands around a branch is known when that is closed, as other results may use what a side does.
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

static Node **rebuilt(Graph *g, Arena *a, const Region *r, Node **now, Nodes results)
{
	Node **out = NEW_ARRAY(a, Node *, results.n + 1);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		if (!now[i]) continue;
		rebuild(g, (Nodes){1, &now[i]}, &map, NULL, NULL, &now[i]);
		idmap_put(&map, r->node[i]->id, now[i]);
	}
	if (!g->error.code) rebuild(g, results, &map, NULL, NULL, out);
	return g->error.code ? NULL : out;
}

/* The branches that are made anew where these results are closed, by place; NULL: there is none. */
static bool *own_branches(Arena *a, const Region *r, Nodes bound, const IdMap *own)
{
	bool *hangs = region_hanging(a, r, bound), *is = NEW_ARRAY(a, bool, r->n), any = false;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		is[i] = x->op == OP_IF && (hangs[i] || (own && idmap_get(own, x->id)));
		any |= is[i];
	}
	return any ? is : NULL;
}

Node *const *captured_around(
	Graph *g, Arena *a, Nodes results, Nodes bound, Nodes outside, const IdMap *own)
{
	bool any = false;
	for (const Graph *of = g; of; of = of->under) any |= of->branches > 0;
	if (!any) return results.v;
	Region *r = region_of(a, results.n, results.v);
	bool *is = own_branches(a, r, bound, own), changed = false;
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
		now[i] = made_again(g, a, x, &around);
		changed |= now[i] != x;
	}
	Node *const *out = results.v;
	if (g->error.code || changed) out = rebuilt(g, a, r, now, results);
	g->bodies--;
	return out;
}
