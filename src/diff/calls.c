/* calls.c - derivatives of calls that stay: others of them, of functions that compute the values again.
 *
 * The operands of a call of tangents are those of the call, and their tangents; of its transpose, the
 * operands and the cotangents of the results.  So of what is computed within nothing is kept for a
 * derivative.
 */
#include "linear.h"

/* Leaves that stand for operands of a call of f. */
typedef struct Standing {
	const Function *f;
	Node **leaf, **given;
	uint32_t n;
} Standing;

static Standing standing(Arena *a, const Function *f, uint32_t most)
{
	return (Standing){f, NEW_ARRAY(a, Node *, most + 1), NEW_ARRAY(a, Node *, most + 1), 0};
}

static Node *stand(Standing *s, Node *leaf, Node *given)
{
	s->leaf[s->n] = leaf;
	s->given[s->n++] = given;
	return leaf;
}

/* The call's results over a leaf for each operand, in order. */
static Node **results_over(Graph *g, Arena *a, Node *x, Standing *s)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Node **result = NEW_ARRAY(a, Node *, b->f->nresult);
	for (uint32_t i = 0; i < b->f->nparam; i++)
		if (!stand(s, fresh(g, x->arg[i]->type, b->f->param_name[i]), x->arg[i])) return NULL;
	function_inline(g, b->f, body_sizes(a, x, b), s->leaf, result);
	return g->error.code ? NULL : result;
}

/* Those of n results that are there, as one call; out has NULL for the others. */
static bool call_of(Graph *g, Arena *a, const Standing *s, uint32_t n, Node *const *result, Node **out)
{
	Node **there = NEW_ARRAY(a, Node *, n + 1), **got = NEW_ARRAY(a, Node *, n + 1);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (result[i]) there[k++] = result[i];
	const Title title = {.name = s->f->name, .flags = s->f->flags};
	if (!kept_call(g, title, (Nodes){s->n, s->leaf}, s->given, (Nodes){k, there}, got)) return false;
	k = 0;
	for (uint32_t i = 0; i < n; i++) out[i] = result[i] ? got[k++] : NULL;
	return true;
}

bool forward_kept(Forward *f, Node *x, Tangent *t)
{
	Graph *g = f->g;
	Arena *a = f->scratch;
	uint32_t nparam = call_function(x)->nparam;
	Standing s = standing(a, call_function(x), 2 * nparam);
	Node **result = results_over(g, a, x, &s), **dy = NEW_ARRAY(a, Node *, t->n);
	Forward inner;
	if (!result) return false;
	forward_open(&inner, g, a);
	for (uint32_t i = 0; i < nparam; i++) {
		Node *v = x->arg[i]->type->kind == TYPE_ARRAY ? forward_of(f, x->arg[i]) : NULL;
		forward_seed(&inner, s.leaf[i], v ? stand(&s, differential_leaf(g, s.leaf[i]), v) : NULL);
	}
	if (g->error.code || !forward_run(&inner, t->n, result)) return false;
	for (uint32_t i = 0; i < t->n; i++) dy[i] = forward_of(&inner, result[i]);
	return call_of(g, a, &s, t->n, dy, t->elem);
}

static bool reverse_in(Graph *g, Arena *a, Node *x, const bool *linear, Node *const *cotangent, Node **out)
{
	Function *f = call_function(x);
	Standing s = standing(a, f, f->nparam + f->nresult);
	Node **result = results_over(g, a, x, &s), **u = NEW_ARRAY(a, Node *, f->nresult),
	     **leaf = NEW_ARRAY(a, Node *, f->nparam), **back = NEW_ARRAY(a, Node *, f->nparam),
	     **of = NEW_ARRAY(a, Node *, f->nparam);
	uint32_t n = 0;
	for (uint32_t i = 0; result && i < f->nresult; i++)
		if (cotangent[i]) u[i] = stand(&s, fresh(g, cotangent[i]->type, NULL), cotangent[i]);
	for (uint32_t i = 0; result && i < f->nparam; i++)
		if (linear[i]) leaf[n++] = s.leaf[i];
	if (!result || g->error.code ||
		!transpose_linear(g, (Nodes){f->nresult, result}, u, (Nodes){n, leaf}, back))
		return false;
	n = 0;
	for (uint32_t i = 0; i < f->nparam; i++) of[i] = linear[i] ? back[n++] : NULL;
	return call_of(g, a, &s, f->nparam, of, out);
}

bool reverse_kept(Graph *g, Node *x, const bool *linear, Node *const *cotangent, Node **out)
{
	Arena *a = arena_child(g->arena);
	bool good = reverse_in(g, a, x, linear, cotangent, out);
	arena_free(a);
	return good;
}

/* ---- systems of linear equations ----------------------------------------------------------- */

/* dz solves the same system for db - da(z), where z stays. */
bool forward_system(Forward *f, Node *x, Node *const *v, Tangent *t)
{
	Graph *g = f->g;
	Arena *a = f->scratch;
	uint32_t n = system_size(x), nparam = call_function(x)->nparam;
	Node **z = NEW_ARRAY(a, Node *, n), **y = NEW_ARRAY(a, Node *, n), **r = NEW_ARRAY(a, Node *, n);
	Forward inner;
	forward_open(&inner, g, a);
	for (uint32_t i = n; i < nparam; i++) forward_seed(&inner, x->arg[i], v[i]);
	for (uint32_t i = 0; i < n; i++) {
		z[i] = n == 1 ? x : get(g, x, i);
		forward_seed(&inner, z[i], NULL);
	}
	if (!system_apply(g, x, z, y) || !forward_run(&inner, n, y)) return false;
	for (uint32_t i = 0; i < n; i++) {
		Node *d = forward_of(&inner, y[i]);
		r[i] = v[i] ? v[i] : like(g, z[i], 0);
		if (d && r[i]) r[i] = build2(g, OP_SUB, r[i], d);
		if (!r[i]) return false;
	}
	Node *dz = system_of(g, x, r);
	for (uint32_t i = 0; i < n && dz; i++) t->elem[i] = n == 1 ? dz : get(g, dz, i);
	return dz != NULL;
}

/* Linear in the right side alone. */
bool reverse_system(Graph *g, Node *x, const bool *linear, Node *const *u, Node **out)
{
	uint32_t n = system_size(x);
	Node **all = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		Node *z = n == 1 ? x : get(g, x, i);
		all[i] = z && !u[i] ? like(g, z, 0) : u[i];
		if (!all[i]) return false;
	}
	Node *back = system_transposed(g, x, all);
	for (uint32_t i = 0; i < n && back; i++)
		if (linear[i]) out[i] = n == 1 ? back : get(g, back, i);
	return back != NULL;
}
