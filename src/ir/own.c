/* own.c - functions that tell their derivative themselves.
 *
 * The derivative is a function of the operands and of the results, as nodes that are there: where it is
 * differentiated again, the results have their own derivative again.
 */
#include "own.h"

Function *closed_over(Graph *g, Title title, Nodes leaf, Nodes result, Closure *c)
{
	if (!function_close(g, title, leaf, result, c)) return NULL;
	if (c->ncapture) return graph_fail(g, ERR_INTERNAL, "%s: it captures what is outside", title.name);
	return c->function;
}

static void is_shown(void *user, const Atom *a)
{
	bool *shown = user;
	if (a->kind == ATOM_PARAM) shown[a->index] = true;
}

/* Do the parameters that it has in common with another show all of its sizes, as that one's do? */
static bool shows_sizes_alike(Graph *g, const Function *h, const Function *f)
{
	bool *shown = NEW_ARRAY(g->arena, bool, h->nsize + 1);
	for (uint32_t i = 0; i < h->nparam && i < f->nparam; i++) {
		const Type *t = h->param[i];
		if (t != f->param[i]) return false;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			size_atoms(DIM(t, k), is_shown, shown);
	}
	for (uint32_t i = 0; i < h->nsize; i++)
		if (!shown[i] || i >= f->nsize) return false;
	return true;
}

/* Of x[m - 1:] the size n - m + 1 is two: what the call was given tells them, the operand does not. */
bool sizes_as_called(Graph *g, const Node *x, const Function *h, Node *const *arg, const Size **size)
{
	if (!shows_sizes_alike(g, h, call_function(x)))
		return function_solve_sizes(g, h, h->nparam, arg, size);
	for (uint32_t i = 0; i < h->nsize; i++) size[i] = x->attr->v[1 + i].u.size;
	return true;
}

Node *call_as_called(Graph *g, const Node *x, Function *h, Node *const *arg)
{
	const Size **size = NEW_ARRAY(g->arena, const Size *, h->nsize + 1);
	if (g->error.code || !sizes_as_called(g, x, h, arg, size)) return NULL;
	return call_with(g, h, size, h->nparam, arg);
}

Node *own_call(Graph *g, const OwnParts *p, Node *const *given)
{
	uint32_t n = p->leaf.n + p->y.n + p->d.n, k = 0;
	Node **all = NEW_ARRAY(g->arena, Node *, n + 1), **args = NEW_ARRAY(g->arena, Node *, p->leaf.n + 1);
	for (uint32_t i = 0; i < p->leaf.n; i++) all[k++] = p->leaf.v[i];
	for (uint32_t i = 0; i < p->y.n; i++) all[k++] = p->y.v[i];
	for (uint32_t i = 0; i < p->d.n; i++) all[k++] = p->d.v[i];
	Closure d, c;
	if (p->kind == OWN_DIFFERENTIAL &&
		!told_is_linear(g, arena_printf(g->arena, "%s: the derivative that is told", p->name),
			"the differentials", p->derivative, p->d))
		return NULL;
	if (!closed_over(g, (Title){.name = p->name, .flags = FN_BODY}, (Nodes){n, all}, p->derivative, &d))
		return NULL;
	AttrValue v[2] = {av_int(p->kind), av_function(d.function)};
	const Title title = {.name = p->name, .flags = FN_OWN, .opattr = attr_make(g, 2, v)};
	if (!closed_over(g, title, p->leaf, p->result, &c)) return NULL;
	name_closed_sizes(c.function, &c);
	for (uint32_t i = 0; i < p->leaf.n; i++)
		if (!(args[i] = strong_operand(g, given[i]))) return NULL;
	return call_with(g, c.function, c.size, p->leaf.n, args);
}

Function *own_derivative(const Node *x, OwnKind kind)
{
	const Function *f = x->op == OP_CALL ? call_function(x) : NULL;
	bool own = f && f->flags & FN_OWN && f->opattr->v[0].u.i == kind;
	return own ? f->opattr->v[1].u.function : NULL;
}

/* Its operands over a call; d NULL: zeros. */
static Node **operands_of(Graph *g, Node *x, Node *const *d)
{
	const Function *f = call_function(x);
	bool forward = f->opattr->v[0].u.i == OWN_DIFFERENTIAL;
	uint32_t n = 0, count = forward ? f->nparam : f->nresult;
	Node **arg = NEW_ARRAY(g->arena, Node *, f->nparam + f->nresult + count + 1);
	for (uint32_t i = 0; i < f->nparam; i++) arg[n++] = x->arg[i];
	for (uint32_t i = 0; i < f->nresult; i++) arg[n++] = f->nresult == 1 ? x : get(g, x, i);
	for (uint32_t i = 0; i < count; i++) {
		Node *of = forward ? x->arg[i] : arg[f->nparam + i];
		arg[n++] = d && d[i] ? d[i] : like(g, of, 0);
	}
	return arg;
}

Node *own_derivative_call(Graph *g, Node *x)
{
	Function *h = call_function(x)->opattr->v[1].u.function;
	return call_as_called(g, x, h, operands_of(g, x, NULL));
}

bool own_apply(Graph *g, Node *x, Node *const *d, Node **out)
{
	Function *h = call_function(x)->opattr->v[1].u.function;
	const Size **size = NEW_ARRAY(g->arena, const Size *, h->nsize + 1);
	Node **arg = operands_of(g, x, d);
	if (g->error.code || !sizes_as_called(g, x, h, arg, size)) return false;
	function_inline(g, h, size, arg, out);
	return !g->error.code;
}
