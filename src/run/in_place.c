/* in_place.c - which results may be written over which arguments: donated memory that is really reused.
 *
 * A result may take the memory of an argument where the argument is read for the last time before the result
 * is first written, or both happen in one map that reads an element only to write that element.  A call that
 * fails changes no argument: so only where no step can fail.
 */
#include "program.h"

static bool can_fail(const Step *s)
{
	for (; s; s = s->next) {
		bool core = s->kind == STEP_CORE;
		if (core && (!core_has_items(s) || s->call->core == CORE_SCATTER)) return true;
		if (s->kind == STEP_LOOP && can_fail(s->body)) return true;
		for (uint16_t i = 0; s->kind == STEP_KERNEL && i < s->call->kernel->nat; i++)
			if (s->call->kernel->at[i].ndynamic) return true;
	}
	return false;
}

static const Stage *stage_of(const Kernel *k, uint16_t instruction)
{
	const Stage *s = k->stage;
	while (instruction >= s->end) s++;
	return s;
}

/* The one store of the kernel, if there is but one. */
static const Ins *only_store(const Kernel *k)
{
	const Ins *store = NULL;
	for (uint16_t i = 0; i < k->ncode; i++)
		if (k->code[i].kind == INS_STORE) {
			if (store) return NULL;
			store = &k->code[i];
		}
	return store;
}

/* Does the step map elements of `in`, each read but to write the same element of `out`? */
static bool maps_over(const Plan *p, const Step *s, uint32_t in, uint32_t out)
{
	const Kernel *k = s->call->kernel;
	const Ins *store = s->kind == STEP_KERNEL && k->recipe == RECIPE_ROWS ? only_store(k) : NULL;
	if (!store || s->buffer[k->at[store->at].buffer] != out) return false;
	const Stage *stage = stage_of(k, (uint16_t)(store - k->code));
	for (uint16_t i = 0; i < k->ncode; i++) {
		if (k->code[i].kind != INS_LOAD) continue;
		const Access *from = &k->at[k->code[i].at];
		uint32_t b = s->buffer[from->buffer], root = b;
		while (p->buffer[root].space == SPACE_ALIAS) root = p->buffer[root].of;
		bool same = b == in && stage_of(k, i) == stage &&
			place_same(from, &k->at[store->at], k->naxis);
		if (root == out || (root == in && !same)) return false;
	}
	return stage->inner;
}

/* By buffer: the argument that lies in it, from 1. */
static uint32_t *arguments_by_buffer(Arena *a, const Plan *p)
{
	uint32_t *argument = NEW_ARRAY(a, uint32_t, p->nbuffer + 1);
	for (uint32_t i = 0; i < p->nin; i++) argument[p->in[i].buffer] = i + 1;
	return argument;
}

/* Arguments that step s reads for the last time while it writes result j, element by element; ended by
 * UINT32_MAX. */
static const uint32_t *mapped_over(Arena *a, const Plan *p, const Step *s, uint32_t j,
	const uint32_t *argument)
{
	const Buffer *y = &p->buffer[p->out[j].buffer];
	uint32_t n = 0, cap = 0, *list = NULL;
	for (uint32_t k = 0; k < s->call->nbuffer; k++) {
		uint32_t b = s->buffer[k];
		const Buffer *x = &p->buffer[b];
		if (argument[b] && x->last == y->first &&
			dtype_bytes((Dtype)x->dtype) == dtype_bytes((Dtype)y->dtype) &&
			maps_over(p, s, b, p->out[j].buffer)) {
			GROW(a, list, n, cap);
			list[n++] = argument[b] - 1;
		}
	}
	if (!n) return NULL;
	GROW(a, list, n, cap);
	list[n] = UINT32_MAX;
	return list;
}

/* The step behind the last loop: a loop may be cancelled, and then no argument has changed. */
static uint32_t behind_loops(const Plan *p)
{
	uint32_t number = 0;
	for (const Step *s = p->first; s; s = s->next)
		if (s->kind == STEP_LOOP) number = s->next ? s->next->number : UINT32_MAX;
	return number;
}

Reuse find_reuse(Arena *a, const Plan *p)
{
	if (p->nphase > 1 || can_fail(p->first)) return (Reuse){.over = NULL};
	Arena *scratch = arena_child(a);
	const uint32_t *argument = arguments_by_buffer(scratch, p);
	const Step **step = NEW_ARRAY(scratch, const Step *, p->nstep + 1); /* those that stand in no loop */
	for (const Step *s = p->first; s; s = s->next) step[s->number] = s;
	Reuse r = {.from = behind_loops(p), .over = NEW_ARRAY(a, const uint32_t *, p->nout + 1)};
	for (uint32_t j = 0; j < p->nout; j++) {
		uint32_t first = p->buffer[p->out[j].buffer].first;
		if (first < p->nstep && step[first]) r.over[j] = mapped_over(a, p, step[first], j, argument);
	}
	arena_free(scratch);
	return r;
}

bool may_write_over(const Program *p, uint32_t j, uint32_t i)
{
	const Plan *plan = p->plan;
	const Buffer *x = &plan->buffer[plan->in[i].buffer], *y = &plan->buffer[plan->out[j].buffer];
	if (!p->reuse.over || y->first < p->reuse.from) return false;
	if (x->first == UINT32_MAX || x->last < y->first) return true;
	const uint32_t *over = p->reuse.over[j];
	while (over && *over != i && *over != UINT32_MAX) over++;
	return over && *over == i;
}
