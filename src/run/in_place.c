/* in_place.c - which results may be written over which arguments: donated memory that is really reused.
 *
 * A result may take the memory of an argument where the argument is read for the last time before the result is first
 * written, or both happen in one map that reads an element only to write that element.  A call that fails changes no
 * argument: so only where no step can fail.
 */
#include "program.h"

static bool can_fail(const Step *s)
{
	for (; s; s = s->next) {
		if (s->kind == STEP_CORE && (s->core == CORE_CUSTOM || s->core == CORE_SCATTER)) return true;
		if (s->kind == STEP_LOOP && can_fail(s->body)) return true;
		for (uint16_t i = 0; s->kind == STEP_KERNEL && i < s->kernel->nat; i++)
			if (s->kernel->at[i].ndynamic) return true;
	}
	return false;
}

static bool same_place(const Access *x, const Access *y)
{
	return !memcmp(&x->offset, &y->offset, sizeof x->offset) &&
		!memcmp(x->stride, y->stride, sizeof x->stride);
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
	const Kernel *k = s->kernel;
	const Ins *store = s->kind == STEP_KERNEL && k->recipe == RECIPE_ROWS ? only_store(k) : NULL;
	if (!store || s->buffer[k->at[store->at].buffer] != out) return false;
	const Stage *stage = stage_of(k, (uint16_t)(store - k->code));
	for (uint16_t i = 0; i < k->ncode; i++) {
		if (k->code[i].kind != INS_LOAD) continue;
		const Access *from = &k->at[k->code[i].at];
		uint32_t b = s->buffer[from->buffer], root = b;
		while (p->buffer[root].space == SPACE_ALIAS) root = p->buffer[root].of;
		bool same = b == in && stage_of(k, i) == stage && same_place(from, &k->at[store->at]);
		if (root == out || (root == in && !same)) return false;
	}
	return stage->inner;
}

/* Does a loop run when step `first` has begun?  It may be cancelled, and then no argument has changed. */
static bool loops_from(const Plan *p, uint32_t first)
{
	for (const Step *s = p->first; s; s = s->next)
		if (s->kind == STEP_LOOP && (!s->next || s->next->number > first)) return true;
	return false;
}

static bool may_share(const Plan *p, uint32_t in, uint32_t out)
{
	const Buffer *x = &p->buffer[in], *y = &p->buffer[out];
	if (loops_from(p, y->first)) return false;
	if (x->first == UINT32_MAX || x->last < y->first) return true;
	if (x->last > y->first || dtype_bytes((Dtype)x->dtype) != dtype_bytes((Dtype)y->dtype)) return false;
	const Step *s = p->first;
	while (s && s->number < y->first) s = s->next;
	return s && s->number == y->first && maps_over(p, s, in, out);
}

/* By result and argument. */
bool *find_in_place(Arena *a, const Plan *p)
{
	bool *may = NEW_ARRAY(a, bool, p->nin * p->nout + 1);
	if (p->nphase > 1 || can_fail(p->first)) return may;
	for (uint32_t j = 0; j < p->nout; j++)
		for (uint32_t i = 0; i < p->nin; i++)
			may[j * p->nin + i] = may_share(p, p->in[i].buffer, p->out[j].buffer);
	return may;
}
