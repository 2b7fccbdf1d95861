/* called.c - rules by function: what a function of the user's gives for a node that its pattern matched.
 *
 * The function builds what it likes; a slip of its is the graph's error, which names the rule and stays.
 */
#include "drive.h"

/* Does `x` bind a name: is it of one function or open graph, and worth nothing in another? */
static bool is_bound(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM;
}

typedef struct LeafWalk {
	Arena *arena;
	IdMap seen;
	Node **stack;
	uint32_t n, cap;
} LeafWalk;

static void visit(LeafWalk *w, Node *x)
{
	if (idmap_get(&w->seen, x->id)) return;
	idmap_put(&w->seen, x->id, x);
	GROW(w->arena, w->stack, w->n, w->cap);
	w->stack[w->n++] = x;
}

/* A bound leaf of y that is not below x, or NULL.  What the function was given is not looked into. */
static Node *foreign_leaf(Arena *a, const Rule *r, Node *x, Node *y, const Match *m)
{
	LeafWalk w = {.arena = a};
	Region *known = NULL;
	idmap_open(&w.seen, a);
	idmap_put(&w.seen, x->id, x);
	for (uint32_t i = 0; i < x->narg; i++) idmap_put(&w.seen, x->arg[i]->id, x);
	for (uint32_t i = 0; i < r->nvar; i++)
		if (r->var[i].kind == V_VALUE && m->value[i]) idmap_put(&w.seen, m->value[i]->id, x);
	visit(&w, y);
	while (w.n) {
		Node *z = w.stack[--w.n];
		for (uint32_t i = 0; i < z->narg; i++) visit(&w, z->arg[i]);
		if (!is_bound(z)) continue;
		if (!known) known = region_of(a, 1, &x);
		if (region_place(known, z) == UINT32_MAX) return z;
	}
	return NULL;
}

Node *by_function(Driver *d, const Rule *r, Node *x, const Match *m)
{
	Graph *g = d->g;
	Node *y = r->call(r, g, x, m->value);
	if (!y || g->error.code) return NULL;
	Trial t;
	trial_begin(g, &t);
	Node *fitted = fit_type(g, y, x->type);
	trial_end(g, &t);
	if (!fitted)
		return graph_fail(g, ERR_TYPE, "rule %s: its function gave %s, wanted %s", r->name,
			type_shown(g, y->type), type_shown(g, x->type));
	Arena *a = arena_child(d->scratch);
	Node *foreign = foreign_leaf(a, r, x, y, m);
	arena_free(a);
	if (!foreign) return fitted;
	const char *name = foreign->op == OP_INPUT ? foreign->attr->v[0].u.name : leaf_name(foreign);
	return graph_fail(g, ERR_RULE,
		"rule %s: its function gave a node over %s, which is not below what it matched", r->name,
		name ? name : "a parameter");
}
