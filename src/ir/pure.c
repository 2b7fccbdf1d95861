/* pure.c - values without the effects on the way to them.
 *
 * What is differentiated, or computed again, is not what happens again: loops carry no token, branches and
 * calls give none, and so no effect is left within.
 * needs: nodes; gives: nodes of the same values; keeps: what has no effects, as it is
 */
#include "over.h"

typedef struct Stripped {
	Graph *g;
	Arena *a;
	Node **x; /* what is no token */
	uint32_t n;
} Stripped;

/* Those of n nodes that are no tokens, without effects. */
static Stripped stripped(Graph *g, Arena *a, uint32_t n, Node *const *x)
{
	Stripped s = {.g = g, .a = a, .x = NEW_ARRAY(a, Node *, n + 1)};
	for (uint32_t i = 0; i < n; i++)
		if (!is_token(x[i])) s.x[s.n++] = x[i];
	without_effects(g, (Nodes){s.n, s.x}, s.x);
	return s;
}

/* A tuple as that of x, whose tokens stand for nothing; less: what gives the others. */
static Node *all_results(Graph *g, Arena *a, const Node *x, Node *less)
{
	if (x->type->kind == TYPE_TOKEN) return token(g);
	if (x->type->kind == TYPE_ARRAY) return less;
	uint32_t n = x->type->n, k = 0;
	Node **out = NEW_ARRAY(a, Node *, n);
	if (!less) less = token(g);
	for (uint32_t i = 0; i < n; i++) {
		if (x->type->u.elem[i]->kind == TYPE_TOKEN)
			out[i] = token(g);
		else
			out[i] = less && less->type->kind == TYPE_TUPLE ? get(g, less, k++) : less;
		if (!out[i]) return NULL;
	}
	return tuple(g, n, out);
}

static Node *pure_scan(Graph *g, Arena *a, Node *x)
{
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), np = 0, kept = 0;
	Opened o = scan_open(g, a, x);
	if (g->error.code) return NULL;
	Node **params = NEW_ARRAY(a, Node *, o.nparam), **first = NEW_ARRAY(a, Node *, carries + 1);
	for (uint32_t i = 0; i < 1 + carries + sequences; i++) {
		if (is_token(o.param[i])) continue;
		params[np++] = o.param[i];
		if (i && i <= carries) first[kept++] = x->arg[i];
	}
	Stripped s = stripped(g, a, o.nresult, o.result);
	Closure c;
	if (!s.n) return all_results(g, a, x, NULL);
	if (g->error.code ||
		!body_close(g, scan_body(x)->name, (Nodes){np, params}, (Nodes){s.n, s.x},
			(Around){scan_steps(x), captured(x)}, &c))
		return NULL;
	Node *less = scan(g, &c, x->arg[0], (Nodes){kept, first}, (Nodes){sequences, x->arg + 1 + carries},
		scan_way(x));
	return less ? all_results(g, a, x, less) : NULL;
}

static Node *pure_branch(Graph *g, Arena *a, Node *x)
{
	Body b[BODIES_MAX];
	Stripped s[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	for (uint32_t k = 0; k < n; k++) {
		Opened o = body_open(g, a, x, &b[k]);
		if (g->error.code) return NULL;
		s[k] = stripped(g, a, o.nresult, o.result);
	}
	if (g->error.code) return NULL;
	Node *less = s[0].n ? branch(g, x->arg[0], s[0].n, s[0].x, s[1].x, captured(x)) : NULL;
	return g->error.code ? NULL : all_results(g, a, x, less);
}

/* A function that is kept, as checkpoint(f) is. */
static Node *pure_call(Graph *g, Arena *a, Node *x)
{
	Function *f = call_function(x);
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Node **leaf = NEW_ARRAY(a, Node *, f->nparam), **args = NEW_ARRAY(a, Node *, f->nparam),
	     **param = NEW_ARRAY(a, Node *, f->nparam), **result = NEW_ARRAY(a, Node *, f->nresult);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->nparam; i++) {
		param[i] = fresh(g, x->arg[i]->type, f->param_name[i]);
		if (is_token(x->arg[i])) continue;
		leaf[n] = param[i];
		args[n++] = x->arg[i];
	}
	if (g->error.code) return NULL;
	function_inline(g, f, body_sizes(a, x, b), param, result);
	Stripped s = g->error.code ? (Stripped){.n = 0} : stripped(g, a, f->nresult, result);
	if (g->error.code || !s.n) return g->error.code ? NULL : all_results(g, a, x, NULL);
	Node *less = call_over(g, a, x, (Nodes){n, leaf}, args, (Nodes){s.n, s.x});
	return less ? all_results(g, a, x, less) : NULL;
}

static Node *pure(Graph *g, Arena *a, Node *x)
{
	if (x->op == OP_SCAN) return pure_scan(g, a, x);
	return x->op == OP_IF ? pure_branch(g, a, x) : pure_call(g, a, x);
}

bool without_effects_over(Graph *g, Nodes given, Nodes roots, Node **out)
{
	bool any = false;
	for (const Graph *of = g; of; of = of->under) any |= of->effects;
	Arena *a = arena_child(g->arena);
	Region *r = region_of(a, any ? roots.n : 0, roots.v); /* nothing has effects without a token */
	IdMap map;
	idmap_open(&map, a);
	if (r->n) counts_of(given, &map); /* these stay */
	g->bodies++;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		Body b[BODIES_MAX];
		if (!is_effect(x) || !node_bodies(x, b)) continue;
		rebuild(g, (Nodes){1, &x}, &map, NULL, NULL, &y);
		y = y ? pure(g, a, y) : NULL;
		if (y) idmap_put(&map, x->id, y);
	}
	g->bodies--;
	if (map.count)
		rebuild(g, roots, &map, NULL, NULL, out);
	else if (roots.n && out != roots.v)
		memcpy(out, roots.v, roots.n * sizeof *out);
	arena_free(a);
	return !g->error.code;
}

bool without_effects(Graph *g, Nodes roots, Node **out)
{
	return without_effects_over(g, (Nodes){0}, roots, out);
}
