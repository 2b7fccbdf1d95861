/* system.c - functions that solve a system of linear equations, which their derivatives solve again.
 *
 * Brackets of such a function: OWN_SYSTEM, a, a transposed, what solves, what solves the transposed system,
 * and how many operands are the right side.  All four take the operands of the call.
 */
#include "own.h"

enum { KIND, APPLY, APPLY_TRANSPOSED, INVERSE, INVERSE_TRANSPOSED, SIZE, PARTS };

/* The function with these brackets. */
static Function *with_parts(Graph *g, const Function *f, const AttrValue v[PARTS])
{
	Function as = *f;
	as.flags = FN_OWN;
	as.opattr = attr_make(g, PARTS, v);
	return function_over(g, &as, f->nresult, f->result);
}

Node *system_call(Graph *g, const SystemParts *p, Node *const *given)
{
	const Title title = {.name = p->name, .flags = FN_BODY};
	uint32_t n = p->u.n;
	Node **leaf = NEW_ARRAY(g->arena, Node *, p->leaf.n);
	memcpy(leaf, p->leaf.v, p->leaf.n * sizeof *leaf);
	memcpy(leaf, p->u.v, n * sizeof *leaf);
	const Nodes turned_leaf = {p->leaf.n, leaf}, apply_of = {n, (Node **)p->apply},
		    turned_of = {n, (Node **)p->apply_transposed}, solve_of = {n, (Node **)p->solve},
		    back_of = {n, (Node **)p->solve_transposed};
	Closure c, of_solve;
	if (!told_is_linear(g, "with_system: its second function", "what is solved for", apply_of,
		    (Nodes){n, p->leaf.v}))
		return NULL;
	Function *apply = closed_over(g, title, p->leaf, apply_of, &c),
		 *solve = closed_over(g, title, p->leaf, solve_of, &of_solve),
		 *back = closed_over(g, title, p->leaf, back_of, &c),
		 *turned = closed_over(g, title, turned_leaf, turned_of, &c);
	if (!apply || !solve || !back || !turned) return NULL;
	name_closed_sizes(solve, &of_solve);
	const AttrValue v[PARTS] = {[KIND] = av_int(OWN_SYSTEM), [APPLY] = av_function(apply),
		[APPLY_TRANSPOSED] = av_function(turned), [INVERSE] = av_function(solve),
		[INVERSE_TRANSPOSED] = av_function(back), [SIZE] = av_int(n)};
	Function *f = with_parts(g, solve, v);
	Node **arg = NEW_ARRAY(g->arena, Node *, p->leaf.n);
	for (uint32_t i = 0; i < p->leaf.n; i++)
		if (!(arg[i] = strong_operand(g, given[i]))) return NULL;
	return f ? call_with(g, f, of_solve.size, p->leaf.n, arg) : NULL;
}

static const AttrValue *parts_of(const Node *x)
{
	const Function *f = x->op == OP_CALL ? call_function(x) : NULL;
	bool system = f && f->flags & FN_OWN && f->opattr->v[KIND].u.i == OWN_SYSTEM;
	return system ? f->opattr->v : NULL;
}

uint32_t system_size(const Node *x)
{
	const AttrValue *v = parts_of(x);
	return v ? (uint32_t)v[SIZE].u.i : 0;
}

/* The call's operands with others in the place of the right side. */
static Node **operands(Graph *g, const Node *x, Node *const *b)
{
	uint32_t n = call_function(x)->nparam;
	Node **arg = NEW_ARRAY(g->arena, Node *, n + 1);
	memcpy(arg, x->arg, n * sizeof *arg);
	memcpy(arg, b, system_size(x) * sizeof *arg);
	return arg;
}

Node *system_of(Graph *g, Node *x, Node *const *b)
{
	Function *f = call_function(x);
	return call_as_called(g, x, f, operands(g, x, b));
}

Node *system_transposed(Graph *g, Node *x, Node *const *u)
{
	const AttrValue *v = parts_of(x);
	const AttrValue turned[PARTS] = {[KIND] = v[KIND], [APPLY] = v[APPLY_TRANSPOSED],
		[APPLY_TRANSPOSED] = v[APPLY], [INVERSE] = v[INVERSE_TRANSPOSED],
		[INVERSE_TRANSPOSED] = v[INVERSE], [SIZE] = v[SIZE]};
	Function *f = with_parts(g, turned[INVERSE].u.function, turned);
	return f ? call_as_called(g, x, f, operands(g, x, u)) : NULL;
}

bool system_apply(Graph *g, Node *x, Node *const *z, Node **out)
{
	Function *a = parts_of(x)[APPLY].u.function;
	const Size **size = NEW_ARRAY(g->arena, const Size *, a->nsize + 1);
	Node **arg = operands(g, x, z);
	if (g->error.code || !sizes_as_called(g, x, a, arg, size)) return false;
	function_inline(g, a, size, arg, out);
	return !g->error.code;
}

Node *system_apply_call(Graph *g, Node *x)
{
	Function *f = parts_of(x)[APPLY].u.function;
	return call_as_called(g, x, f, x->arg);
}

Node *system_transposed_call(Graph *g, Node *x)
{
	Function *f = parts_of(x)[INVERSE_TRANSPOSED].u.function;
	return call_as_called(g, x, f, x->arg);
}
