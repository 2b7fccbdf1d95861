/* own.c - functions that tell their derivative: it is a function too. */
#define POR_NO_LINES
#include "api.h"
#include "../ir/own.h"

Node **function_leaves(Graph *g, const Function *f)
{
	Node **leaf = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	for (uint32_t i = 0; i < f->nparam; i++)
		leaf[i] = fresh(g, type_by_name(g, f, f->param[i]), f->param_name[i]);
	return leaf;
}

static Node **fresh_like(Graph *g, uint32_t n, Node *const *x)
{
	Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
	for (uint32_t i = 0; i < n && !g->error.code; i++) leaf[i] = fresh(g, x[i]->type, NULL);
	return leaf;
}

Node **function_results(Graph *g, Function *f, uint32_t n, Node *const *args)
{
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult + 1);
	const Size **size = NEW_ARRAY(g->arena, const Size *, f->nsize + 1);
	if (f->flags & ~FN_OP) {
		Node *y = call(g, f, n, args);
		for (uint32_t i = 0; i < f->nresult && y; i++) result[i] = f->nresult == 1 ? y : get(g, y, i);
	} else if (function_solve_sizes(g, f, n, args, size)) {
		function_inline(g, f, size, args, result);
	}
	return g->error.code ? NULL : result;
}

/* Each in the dtype and shape of what it belongs to. */
static bool fit_all(Graph *g, const char *what, Nodes to, Node **d)
{
	for (uint32_t i = 0; i < to.n; i++) {
		const Type *t = to.v[i]->type;
		if (!has_tangent(to.v[i])) {
			d[i] = like(g, to.v[i], 0);
		} else if (d[i]->type != t) {
			graph_fail(g, ERR_DERIVATIVE, "%s: it gives %s, wanted %s", what,
				type_shown(g, d[i]->type), type_shown(g, t));
		}
	}
	return !g->error.code;
}

/* The function with another as its derivative. */
static Function *with_own(Graph *g, const Signature *s, Function *f, Function *h, OwnKind kind)
{
	bool forward = kind == OWN_DIFFERENTIAL;
	const char *what = forward ? "with_derivative" : "with_vjp";
	uint32_t n = f->nparam, m = f->nresult, nd = forward ? n : m, nout = forward ? m : n, k = 0;
	if (!forward && m > 1)
		return graph_fail(g, ERR_VALUE, "with_vjp: %s has %u results, wanted one", s->name, m);
	if (h->nparam != n + m + nd || h->nresult != nout)
		return graph_fail(g, ERR_VALUE, "%s: given a function of %u inputs and %u results, wanted %u and %u",
			what, h->nparam, h->nresult, n + m + nd, nout);
	Node **leaf = function_leaves(g, f);
	Node **result = g->error.code ? NULL : function_results(g, f, n, leaf);
	if (!result) return NULL;
	Node **y = fresh_like(g, m, result),
	     **d = forward ? fresh_like(g, n, leaf) : fresh_like(g, m, result),
	     **all = NEW_ARRAY(g->arena, Node *, n + m + nd);
	for (uint32_t i = 0; i < n; i++) all[k++] = leaf[i];
	for (uint32_t i = 0; i < m; i++) all[k++] = y[i];
	for (uint32_t i = 0; i < nd; i++) all[k++] = d[i];
	Node **out = g->error.code ? NULL : function_results(g, h, k, all);
	const Nodes to = {nout, forward ? result : leaf};
	if (!out || !fit_all(g, what, to, out)) return NULL;
	const OwnParts parts = {.name = f->name ? f->name : what,
		.leaf = {n, leaf},
		.result = {m, result},
		.y = {m, y},
		.d = {nd, d},
		.derivative = {nout, out},
		.kind = kind};
	Node *x = own_call(g, &parts, leaf);
	return x ? call_function(x) : NULL;
}

static por_function *give_own(por_function *f, por_function *h, OwnKind kind)
{
	if (!f || !h) return NULL;
	if (f->graph != h->graph)
		return api_fail(f->graph, ERR_VALUE, "with_derivative: the functions are of two graphs");
	ENTER(f->graph, NULL);
	Function *own = with_own(f->graph->ir, f->signature, f->function, h->function, kind);
	if (!own) LEAVE((por_function *)NULL);
	Signature *s = signature_like(f->graph, own, f->signature);
	LEAVE(give_function(f->graph, own, s));
}

por_function *por_with_derivative(por_function *f, por_function *d)
{
	return give_own(f, d, OWN_DIFFERENTIAL);
}

por_function *por_with_vjp(por_function *f, por_function *b)
{
	return give_own(f, b, OWN_PULLBACK);
}
