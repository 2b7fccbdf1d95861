/* system.c - functions that solve a system of linear equations, and say which. */
#define POR_NO_LINES
#include "api.h"
#include "../ir/own.h"

static bool check_function(Graph *g, const Function *f, const char *which, uint32_t n, uint32_t nb)
{
	if (f->nparam == n && f->nresult == nb && function_values(f) == nb) return true;
	return graph_fail(g, ERR_VALUE,
		"with_system: %s has %u inputs and %u results%s, wanted %u and %u, without effects", which,
		f->nparam, function_values(f), f->nresult > function_values(f) ? " and effects" : "", n, nb);
}

/* The results of h, each as the right side is. */
static Node **results_like(Graph *g, Function *h, const char *which, Nodes leaf, uint32_t nb)
{
	Node **z = function_results(g, h, leaf.n, leaf.v);
	for (uint32_t i = 0; i < nb && z; i++)
		if (z[i]->type != leaf.v[i]->type)
			return graph_fail(g, ERR_TYPE, "with_system: %s gives %s, wanted %s as its right side", which,
				type_shown(g, z[i]->type), type_shown(g, leaf.v[i]->type));
	return z;
}

/* What the transposed matrix makes of leaves: a is linear where that hangs on no z. */
static Node **transposed(Graph *g, SystemParts *p, uint32_t nb)
{
	Node **u = NEW_ARRAY(g->arena, Node *, nb), **out = NEW_ARRAY(g->arena, Node *, nb);
	for (uint32_t i = 0; i < nb; i++)
		if (!(u[i] = fresh(g, p->leaf.v[i]->type, NULL))) return NULL;
	p->u = (Nodes){nb, u};
	const Nodes y = {nb, (Node **)p->apply}, z = {nb, p->leaf.v};
	if (!g->transforms->vjp(g, y, z, u, out)) return NULL;
	Region *r = region_of(g->arena, nb, out);
	for (uint32_t i = 0; i < nb; i++)
		if (region_place(r, p->leaf.v[i]) != UINT32_MAX)
			return graph_fail(g, ERR_DERIVATIVE,
				"with_system: its second function is not linear in input %u, what is solved for", i + 1);
	return out;
}

static Function *with_system(Graph *g, Function *f, Function *a, Function *t)
{
	uint32_t n = f->nparam, nb = f->nresult;
	if (!nb || nb > n)
		return graph_fail(g, ERR_VALUE, "with_system: its first function has %u results of %u inputs,"
			" wanted as many as its right side has arrays, which are its first inputs", nb, n);
	if (!check_function(g, f, "its first function", n, nb) ||
		!check_function(g, a, "its second function", n, nb) ||
		!check_function(g, t, "its third function", n, nb))
		return NULL;
	Node **leaf = function_leaves(g, f);
	for (uint32_t i = 0; i < nb && !g->error.code; i++)
		if (!has_tangent(leaf[i]))
			graph_fail(g, ERR_TYPE, "with_system: its right side has %s, wanted arrays of floats",
				type_shown(g, leaf[i]->type));
	if (g->error.code) return NULL;
	SystemParts p = {.name = f->name ? f->name : "with_system", .leaf = {n, leaf}};
	if (!(p.solve = results_like(g, f, "its first function", p.leaf, nb)) ||
		!(p.apply = results_like(g, a, "its second function", p.leaf, nb)) ||
		!(p.solve_transposed = results_like(g, t, "its third function", p.leaf, nb)) ||
		!(p.apply_transposed = transposed(g, &p, nb)))
		return NULL;
	Node *x = system_call(g, &p, leaf);
	return x ? call_function(x) : NULL;
}

por_function *por_with_system(por_function *f, por_function *a, por_function *t)
{
	if (!f || !a || !t) return NULL;
	if (f->graph != a->graph || f->graph != t->graph)
		return api_fail(f->graph, ERR_VALUE, "with_system: the functions are of several graphs");
	ENTER(f->graph, NULL);
	f->graph->ir->watch->stage = "derive";
	Function *own = with_system(f->graph->ir, f->function, a->function, t->function);
	if (!own) LEAVE((por_function *)NULL);
	LEAVE(give_function(f->graph, own, signature_like(f->graph, own, f->signature)));
}
