/* scan.c - a loop's step: what it carries, elements and traces as aliases that move, the body's own steps.
 *
 * A loop of one pass that carries nothing, as checkpoints are, has no step: its body's stand in its place.
 */
#include "make.h"

/* The elements of `of` along its first axis, which the loop moves along; UINT32_MAX: it has one. */
static uint32_t element_buffer(PlanMaker *m, const Type *t, uint32_t of, uint32_t loop)
{
	uint32_t b = buffer_new(m, type_array(m->g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), SPACE_ALIAS);
	m->plan->buffer[b].of = of;
	m->plan->buffer[b].loop = loop;
	return b;
}

/* Buffers of the body's parameters and results, and of the traces, which the loop gives. */
typedef struct BodyBuffers {
	uint32_t *param, *result, *trace;
} BodyBuffers;

/* index: the buffer that holds it; loop: with which elements move, UINT32_MAX: there is one pass. */
static BodyBuffers body_buffers(PlanMaker *m, Node *x, uint32_t index, uint32_t loop)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), moving = 1 + carries + scan_sequences(x);
	BodyBuffers b = {.param = NEW_ARRAY(m->scratch, uint32_t, f->nparam),
		.result = NEW_ARRAY(m->scratch, uint32_t, f->nresult),
		.trace = NEW_ARRAY(m->scratch, uint32_t, f->nresult)};
	b.param[0] = index;
	for (uint32_t i = 0; i < carries; i++) {
		const Type *t = x->type->u.elem[i];
		b.trace[i] = b.param[1 + i] = buffer_new(m, t, SPACE_WORK);
		b.result[i] = buffer_new(m, t, SPACE_WORK);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) {
		uint32_t of = buffer_need(m, x->arg[i]);
		b.param[i] = i < moving ? element_buffer(m, x->arg[i]->type, of, loop) : of;
	}
	for (uint32_t i = carries; i < f->nresult; i++) {
		const Type *t = x->type->u.elem[i];
		b.trace[i] = element_target(m, x, i);
		b.result[i] = element_buffer(m, t, b.trace[i], loop);
	}
	return b;
}

void body_plan(PlanMaker *m, Step *s, PlanScope *inner, const uint32_t *param, const uint32_t *result)
{
	inner->loop = s->loop;
	step_add(m, s);
	Step **tail = m->tail;
	m->scope = inner;
	m->tail = &s->body;
	plan_body(m, inner->body.f, param, result);
	m->tail = tail;
	m->scope = inner->outer;
}

/* What the loop uses lives through all of it. */
static void keep_alive(PlanMaker *m, const Node *x, const Step *s, const BodyBuffers *b, uint32_t last)
{
	const Function *f = scan_body(x);
	uint32_t first = s->number, carries = scan_carries(x);
	touch(m, s->index, first);
	touch(m, s->index, last);
	for (uint32_t i = 0; i < s->ncarry; i++) {
		touch(m, s->carry[i].first, first);
		touch(m, s->carry[i].now, first);
		touch(m, s->carry[i].now, last);
		touch(m, s->carry[i].next, first);
		touch(m, s->carry[i].next, last);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) touch(m, b->param[i], last);
	for (uint32_t i = carries; i < f->nresult; i++) {
		touch(m, b->result[i], first);
		touch(m, b->result[i], last);
	}
}

/* What it carries from pass to pass; tokens it does not: the steps are in order. */
static void list_carries(PlanMaker *m, Node *x, Step *s, const BodyBuffers *b)
{
	s->carry = arena_array(m->plan->arena, sizeof *s->carry, scan_carries(x));
	for (uint32_t i = 0; i < scan_carries(x); i++)
		if (x->type->u.elem[i]->kind != TYPE_TOKEN)
			s->carry[s->ncarry++] = (struct Carry){
				buffer_need(m, x->arg[1 + i]), b->trace[i], b->result[i]};
}

static bool is_one_pass(const Node *x)
{
	int64_t steps;
	bool one = constant_integer(x->arg[0], &steps) && steps == 1 && !scan_is_while(x);
	for (uint32_t i = 0; i < scan_carries(x) && one; i++)
		one = x->type->u.elem[i]->kind == TYPE_TOKEN;
	return one;
}

static void pass_plan(PlanMaker *m, Node *x)
{
	const Node *zero = constant_int(m->g, type_scalar(m->g, DT_I64), 0);
	if (!zero) return;
	Body own[BODIES_MAX];
	node_bodies(x, own);
	PlanScope *inner = scope_of_body(m, x, own);
	BodyBuffers b = body_buffers(m, x, constant_buffer(m, zero), UINT32_MAX);
	inner->loop = m->scope->loop;
	m->scope = inner;
	plan_body(m, inner->body.f, b.param, b.result);
	m->scope = inner->outer;
	set_results(m, x, b.trace);
}

static uint32_t *loop_plan(PlanMaker *m, Node *x, Step *s)
{
	s->loop = m->plan->nloop++;
	s->back = scan_is_back(x);
	s->whiles = scan_is_while(x);
	s->index = buffer_new(m, type_scalar(m->g, DT_I64), SPACE_WORK);
	BodyBuffers b = body_buffers(m, x, s->index, s->loop);
	list_carries(m, x, s, &b);
	Body own[BODIES_MAX];
	node_bodies(x, own);
	PlanScope *inner = scope_of_body(m, x, own);
	s->steps = inner->steps;
	body_plan(m, s, inner, b.param, b.result);
	update_in_place(m, s);
	s->guard = inner->guard == GUARD_UNMADE ? UINT32_MAX : inner->guard;
	keep_alive(m, x, s, &b, m->plan->nstep++);
	return b.trace;
}

void scan_plan(PlanMaker *m, Node *x)
{
	Recording r;
	if (is_one_pass(x)) {
		pass_plan(m, x);
		return;
	}
	Step *s = loop_new(m);
	bool recorded = scan_is_while(x) && recording_of(m, x, &r);
	if (m->g->error.code) return;
	const uint32_t *result = loop_plan(m, recorded ? r.as.loop : x, s);
	if (recorded)
		recording_set(m, x, s, &r, result);
	else
		set_results(m, x, recording_take(m, x, s, result));
}
