/* branch.c - a branch's steps: each side a loop of one pass that only runs where the condition says so.
 *
 * Both sides write the same results, where those are wanted, and as one is done before the other begins,
 * what they need beside those may lie in the same memory.
 */
#include "make.h"

static void side_plan(PlanMaker *m, Node *x, const Body *b, const uint32_t *param, const uint32_t *result)
{
	Step *s = loop_new(m);
	PlanScope *inner = scope_of_body(m, x, b);
	s->loop = m->plan->nloop++;
	s->condition = buffer_need(m, x->arg[0]) + 1;
	s->unless = b->which != 0;
	s->steps = dim_const(m, 1);
	s->index = s->guard = UINT32_MAX;
	touch(m, s->condition - 1, m->plan->nstep);
	body_plan(m, s, inner, param, result);
	m->plan->nstep++; /* a number for its end, as a loop has */
	if (inner->guard != GUARD_UNMADE) s->guard = inner->guard;
}

void branch_plan(PlanMaker *m, Node *x)
{
	Body b[BODIES_MAX];
	uint32_t sides = node_bodies(x, b), n = b[0].f->nparam, first;
	uint32_t *param = NEW_ARRAY(m->scratch, uint32_t, n), *result = NEW_ARRAY(m->scratch, uint32_t,
		x->type->n);
	for (uint32_t i = 0; i < n; i++) param[i] = buffer_need(m, x->arg[1 + i]);
	for (uint32_t i = 0; i < x->type->n; i++) result[i] = element_target(m, x, i);
	buffer_need(m, x->arg[0]);
	first = m->plan->nstep;
	for (uint32_t k = 0; k < sides; k++) side_plan(m, x, &b[k], param, result);
	uint32_t last = m->plan->nstep - 1;
	for (uint32_t i = 0; i < n; i++) touch(m, param[i], last);
	for (uint32_t i = 0; i < x->type->n; i++) {
		touch(m, result[i], first);
		touch(m, result[i], last);
	}
	set_results(m, x, result);
}
