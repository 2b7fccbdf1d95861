/* elab_while.c - scan (...) while c => e: a loop that carries whether it goes on.
 *
 * Before the first pass the condition is asked of the first values, in each pass of the next ones, so that a
 * pass knows before it begins whether it is made.  A loop that stacks values, or is cut into pieces, first
 * counts its passes, and is then a loop of so many.
 */
#include "elab_scan.h"

bool read_condition(ScanForm *l)
{
	Graph *g = l->e->g;
	l->condition = l->at->part[2];
	l->bounded = l->length || l->steps;
	if (l->back)
		return fail_at_syntax(l->e, l->condition, ERR_UNSUPPORTED,
			"scan[back] ... while: a loop from the end has all its steps; walk along x[::-1]");
	if (!l->ncarry)
		return fail_at_syntax(
			l->e, l->condition, ERR_TYPE, "scan: nothing is carried that could end it");
	if (!l->bounded) l->length = size_const(g, LARGEST);
	if (!l->steps) l->steps = size_node(g, l->length);
	return l->steps != NULL;
}

static Node *element_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)n;
	return gather(e->g, x[0], *(Node *const *)user, 0);
}

/* The condition of these carried values before the pass with this index. */
static Node *condition_at(ScanForm *l, Binding *const *carried, Node *index)
{
	Elab *e = l->e;
	Env env = env_open(e, l->env);
	const Syntax *list = l->at->part[1];
	for (uint32_t i = 0; i < l->ncarry; i++) env_bind(e, &env, l->carry[i]->name, carried[i]);
	for (uint32_t i = 0; i < l->nseq; i++)
		env_bind(e, &env, l->seq[i]->name,
			on_leaves(e, l->seq[i], 1, &l->xs[i], element_leaf, &index));
	for (uint32_t i = 0; i < list->count; i++)
		if (list->part[i]->kind == SYN_BELOW)
			env_bind(e, &env, list->part[i]->name, bind_node(e->g, index));
	if (e->g->error.code) return NULL;
	e->g->bodies++;
	Node *c = elab_array(e, env, l->condition);
	e->g->bodies--;
	if (!c) return NULL;
	if (node_is_scalar(c) && node_dtype(c) == DT_BOOL) return c;
	return fail_at_syntax(e, l->condition, ERR_TYPE, "scan: while %s: %s where one bool is wanted",
		shown(e, l->condition), type_shown(e->g, c->type));
}

/* Is there a pass with this index, and does the condition hold before it?  Of a pass that there is not, the
 * condition is not asked. */
static Node *goes_on(ScanForm *l, Binding *const *carried, Node *index)
{
	Graph *g = l->e->g;
	Node *c = condition_at(l, carried, index), *no = constant_int(g, type_scalar(g, DT_BOOL), 0);
	if (!c || !l->bounded) return c;
	Node *is_pass = build2(g, OP_LT, index, l->steps);
	return is_pass ? get(g, branch(g, is_pass, 1, &c, &no, (Outside){0}), 0) : NULL;
}

/* Carried besides, first: whether it goes on, and how many passes there were. */
static Node *counting_loop(ScanForm *l, const LoopParts *p)
{
	Graph *g = l->e->g;
	uint32_t ncarry = p->ncarry + 2;
	const Type *number = type_scalar(g, DT_I64);
	Node **param = NEW_ARRAY(g->arena, Node *, p->nparam + 2),
	     **first = NEW_ARRAY(g->arena, Node *, ncarry),
	     **result = NEW_ARRAY(g->arena, Node *, ncarry);
	Node *next = build2(g, OP_ADD, cast(g, l->index, DT_I64), constant_int(g, number, 1));
	param[0] = p->param[0];
	param[1] = fresh(g, type_scalar(g, DT_BOOL), "goes");
	param[2] = fresh(g, number, "passes");
	memcpy(param + 3, p->param + 1, (p->nparam - 1) * sizeof *param);
	first[0] = goes_on(l, l->first, constant_int(g, number, 0));
	first[1] = constant_int(g, number, 0);
	memcpy(first + 2, p->first, p->ncarry * sizeof *first);
	result[0] = next ? goes_on(l, l->next, next) : NULL;
	result[1] = next;
	memcpy(result + 2, p->result, p->ncarry * sizeof *result);
	Closure c;
	if (g->error.code || !first[0] ||
		!body_close(g, NULL, NULL, p->nparam + 2, param, ncarry, result, (Outside){0}, &c))
		return NULL;
	return scan(g, &c, l->steps, ncarry, first, p->nseq, p->seq, WAY_WHILE);
}

Node *while_node(ScanForm *l, const LoopParts *p, uint32_t *first)
{
	Graph *g = l->e->g;
	Node *t = counting_loop(l, p);
	*first = 2;
	if (!t || !(l->ntrace || l->states)) return t;
	LoopParts counted = *p;
	*first = 0;
	l->steps = get(g, t, 1);
	l->length = l->steps ? size_of_node(g, l->steps) : NULL;
	counted.seq = NEW_ARRAY(g->arena, Node *, p->nseq + 1);
	for (uint32_t i = 0; i < p->nseq && l->length; i++)
		counted.seq[i] = rows(g, p->seq[i], size_const(g, 0), l->length);
	return g->error.code ? NULL : loop_node(l, &counted);
}
