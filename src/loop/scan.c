/* scan.c - a loop's step: what is carried, elements and traces as aliases that move, and the body's own steps. */
#include "make.h"

void scan_plan(Maker *m, Node *x)
{
	Plan *p = m->plan;
	Arena *a = p->arena;
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), loop = p->nloop++;
	Step *s = NEW(a, Step);
	s->kind = STEP_LOOP, s->loop = loop, s->back = scan_is_back(x), s->ncarry = carries;
	s->steps = dim_of(m, size_of_node(m->g, x->arg[0]));
	s->carry = arena_array(a, sizeof *s->carry, carries);
	uint32_t *param = NEW_ARRAY(m->scratch, uint32_t, f->nparam),
		 *result = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	uint32_t *size = NEW_ARRAY(m->scratch, uint32_t, f->nsize);
	param[0] = s->index = buffer_new(m, type_scalar(m->g, DT_I64), SPACE_WORK);
	for (uint32_t i = 0; i < carries; i++) {
		const Type *t = x->type->u.elem[i];
		s->carry[i].first = buffer_need(m, x->arg[1 + i]);
		s->carry[i].now = param[1 + i] = buffer_new(m, t, SPACE_WORK);
		s->carry[i].next = result[i] = buffer_new(m, t, SPACE_WORK);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) {
		uint32_t of = buffer_need(m, x->arg[i]);
		param[i] = of;
		if (i < 1 + carries + sequences) {
			const Type *t = x->arg[i]->type;
			param[i] = buffer_new(
				m, type_array(m->g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), SPACE_ALIAS);
			p->buffer[param[i]].of = of, p->buffer[param[i]].loop = loop;
		}
	}
	uint32_t *trace = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	for (uint32_t i = carries; i < f->nresult; i++) {
		const Type *t = x->type->u.elem[i];
		trace[i] = buffer_new(m, t, SPACE_WORK);
		result[i] =
			buffer_new(m, type_array(m->g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), SPACE_ALIAS);
		p->buffer[result[i]].of = trace[i], p->buffer[result[i]].loop = loop;
	}
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = dim_of(m, x->attr->v[4 + i].u.size);
	step_add(m, s);
	Step **tail = m->tail;
	Scope inner = {.outer = m->scope, .around = x, .size = size, .loop = loop};
	m->scope = &inner;
	m->tail = &s->body;
	plan_body(m, f, param, result);
	m->tail = tail;
	m->scope = inner.outer;
	uint32_t first = s->number, last = p->nstep++;
	touch(m, s->index, first), touch(m, s->index, last);
	/* what the loop uses lives through all of it */
	for (uint32_t i = 0; i < carries; i++) {
		touch(m, s->carry[i].first, first);
		touch(m, s->carry[i].now, first), touch(m, s->carry[i].now, last);
		touch(m, s->carry[i].next, first), touch(m, s->carry[i].next, last);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) touch(m, param[i], last);
	for (uint32_t i = carries; i < f->nresult; i++) touch(m, result[i], first), touch(m, result[i], last);
	for (uint32_t i = 0; i < carries; i++) trace[i] = s->carry[i].now;
	set_results(m, x, trace);
}
