/* within.c - other nodes in place of some, within branches and loops too.
 *
 * A branch's side holds what it alone uses, so does what guards a loop that may have no pass.  A node that
 * is to become a leaf may be such a one: a body that holds it is closed anew, and captures the leaf.
 * needs: nodes; gives: the same over others; keeps: bodies that hold none of them
 */
#include "over.h"

/* What is looked for in bodies, each of which many nodes may hold; asked once of each. */
typedef struct Exchange {
	Graph *g;
	Arena *a;
	IdMap *map;
	IdMap without; /* bodies that hold none of them */
} Exchange;

static bool within(Exchange *, Nodes results, const IdMap *known);

/* Its operands over what is mapped. */
static Node **operands(Graph *g, Arena *a, const Node *x, IdMap *map)
{
	Node **out = NEW_ARRAY(a, Node *, x->narg + 1);
	rebuild(g, (Nodes){x->narg, x->arg}, map, NULL, NULL, out);
	return out;
}

/* In a loop's body, of a value that is carried or walked along, with the sizes of what it is now. */
static Node *leaf_over(Graph *g, Node *leaf, const Node *given, bool element)
{
	const Type *t = given->type;
	if (element) t = type_array(g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1));
	t = t ? type_with_dtype(g, t, node_dtype(leaf)) : NULL;
	return t && t != leaf->type ? fresh(g, t, leaf_name(leaf)) : leaf;
}

Opened opened_over(Graph *g, Arena *a, const Node *x, const Body *b, IdMap *map)
{
	if (x->op != OP_SCAN) return body_open(g, a, x, b);
	Opened o = scan_open(g, a, x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	IdMap counts;
	idmap_open(&counts, a);
	if (!g->error.code) counts_of((Nodes){carries + sequences, o.param + 1}, &counts);
	Node **now = counts.count ? operands(g, a, x, map) : NULL;
	for (uint32_t i = 1; now && i <= carries + sequences && !g->error.code; i++) {
		Node *leaf = o.param[i];
		if (now[i] == x->arg[i] || leaf->type->kind != TYPE_ARRAY) continue;
		o.param[i] = leaf_over(g, leaf, now[i], i > carries);
		if (o.param[i] && o.param[i] != leaf) idmap_put(map, leaf->id, o.param[i]);
	}
	return o;
}

Node *node_over_bodies(Graph *g, Arena *a, const Node *x, const Opened *o, IdMap *map)
{
	Node **arg = operands(g, a, x, map), **result[BODIES_MAX];
	Nodes outer = captured(x);
	outer.v = arg + (outer.v - x->arg);
	for (uint32_t k = 0; k < (x->op == OP_IF ? 2 : 1); k++) {
		result[k] = NEW_ARRAY(a, Node *, o[k].nresult + 1);
		rebuild(g, (Nodes){o[k].nresult, o[k].result}, map, NULL, NULL, result[k]);
	}
	if (g->error.code) return NULL;
	if (x->op == OP_IF) return branch(g, arg[0], x->type->n, result[0], result[1], outer);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){1 + carries + sequences, o->param},
		    (Nodes){o->nresult, result[0]}, (Around){scan_is_while(x) ? NULL : arg[0], outer}, &c))
		return NULL;
	return scan(
		g, &c, arg[0], (Nodes){carries, arg + 1}, (Nodes){sequences, arg + 1 + carries}, scan_way(x));
}

Node *call_over(Graph *g, Arena *a, const Node *x, Nodes leaf, Node *const *given, Nodes results)
{
	const Function *f = call_function(x);
	const Title title = {f->name, f->flags, f->op, f->opattr, 0};
	Closure c;
	if (!function_close(g, title, leaf, results, &c)) return NULL;
	Node **all = NEW_ARRAY(a, Node *, leaf.n + c.ncapture);
	memcpy(all, given, leaf.n * sizeof *all);
	for (uint32_t i = 0; i < c.ncapture; i++) all[leaf.n + i] = strong_operand(g, c.capture[i]);
	return call_with(g, c.function, c.size, leaf.n + c.ncapture, all);
}

/* A branch or loop: in `map` where it holds one of them. */
static bool within_bodies(Exchange *w, Node *x)
{
	Graph *g = w->g;
	Arena *a = w->a;
	Body b[BODIES_MAX];
	Opened o[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	bool found = false;
	for (uint32_t k = 0; k < n && !g->error.code; k++) {
		IdMap known;
		idmap_open(&known, a);
		o[k] = opened_over(g, a, x, &b[k], w->map);
		for (uint32_t i = 0; i < o[k].nparam && !g->error.code; i++)
			idmap_put(&known, o[k].param[i]->id, o[k].param[i]);
		found |= !g->error.code && within(w, (Nodes){o[k].nresult, o[k].result}, &known);
	}
	Node *y = found && !g->error.code ? node_over_bodies(g, a, x, o, w->map) : NULL;
	if (y) idmap_put(w->map, x->id, y);
	if (!found) idmap_put(&w->without, x->id, x);
	return found;
}

/* Do they hold one of the nodes, above what is known?  Bodies that do are in `map` then. */
static bool within(Exchange *w, Nodes results, const IdMap *known)
{
	Region *r = region_above(w->a, results.n, results.v, known);
	bool found = false;
	for (uint32_t i = 0; i < r->n && !w->g->error.code; i++) {
		Node *x = r->node[i], *to = idmap_get(w->map, x->id);
		if (to)
			found |= to != x;
		else if ((x->op == OP_SCAN || x->op == OP_IF) && !idmap_get(&w->without, x->id))
			found |= within_bodies(w, x);
	}
	return found;
}

bool rebuild_within(Graph *g, Nodes roots, IdMap *map, Node **out)
{
	Exchange w = {.g = g, .a = arena_child(g->arena), .map = map};
	IdMap none;
	idmap_open(&none, w.a);
	idmap_open(&w.without, w.a);
	g->bodies++;
	within(&w, roots, &none);
	g->bodies--;
	if (!g->error.code) rebuild(g, roots, map, NULL, NULL, out);
	arena_free(w.a);
	return !g->error.code;
}
