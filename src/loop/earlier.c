/* earlier.c - steps that read an array go before the one that writes over it, where nothing is in the way.
 *
 * Of two steps either may be first where neither writes what the other names.  A step that goes takes with it
 * those that it hangs on.  What is heard outside, and what sizes are made of, stays where it is.
 */
#include "make.h"

enum { SPAN = 200 };                     /* steps that one passes at most */

/* A list of steps, and the arrays that those which go name: by root + 1, READ and WRITTEN. */
typedef struct Going {
	PlanMaker *m;
	Arena *scratch;
	IdMap named;
	Step *step[SPAN + 1];
	uint32_t width[SPAN + 1];        /* numbers of each, those of its body among them */
	bool goes[SPAN + 1];
	uint32_t n;
} Going;

enum { READ = 1, WRITTEN = 2 };

static void go(Going *x, Step *s)
{
	StepArray *list = NEW_ARRAY(x->scratch, StepArray, most_named(s) + 1);
	uint32_t n = named_by(x->m->plan, s, list);
	if (s->kind == STEP_LOOP && s->condition) {
		uint32_t at = array_root(x->m->plan, s->condition - 1) + 1;
		idmap_put(&x->named, at, (void *)((uintptr_t)idmap_get(&x->named, at) | READ));
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = array_root(x->m->plan, *list[i].at) + 1;
		uintptr_t how = (list[i].read ? READ : 0) | (list[i].written ? WRITTEN : 0);
		idmap_put(&x->named, at, (void *)((uintptr_t)idmap_get(&x->named, at) | how));
	}
	for (Step *y = s->kind == STEP_LOOP ? s->body : NULL; y; y = y->next) go(x, y);
}

static bool meets(const Going *x, uint32_t buffer, bool written)
{
	uintptr_t how = (uintptr_t)idmap_get(&x->named, array_root(x->m->plan, buffer) + 1);
	return how & WRITTEN || (written && how);
}

/* Does one of the two write what the other names? */
static bool in_the_way(const Going *x, Step *s)
{
	StepArray *list = NEW_ARRAY(x->scratch, StepArray, most_named(s) + 1);
	uint32_t n = named_by(x->m->plan, s, list);
	bool meet = s->kind == STEP_LOOP && s->condition && meets(x, s->condition - 1, false);
	for (uint32_t i = 0; i < n && !meet; i++) meet = meets(x, *list[i].at, list[i].written);
	for (Step *y = s->kind == STEP_LOOP ? s->body : NULL; y && !meet; y = y->next)
		meet = in_the_way(x, y);
	return meet;
}

static bool is_heard(const Step *s)
{
	if (s->kind == STEP_CORE) return s->call->core == CORE_EFFECT || s->call->core == CORE_CUSTOM;
	for (const Step *y = s->kind == STEP_LOOP ? s->body : NULL; y; y = y->next)
		if (is_heard(y)) return true;
	return false;
}

/* Those that go with the last, so that all of them can pass the first. */
static bool find_going(Going *x)
{
	uint32_t last = x->n - 1;
	if (is_heard(x->step[last])) return false;
	x->goes[last] = true;
	go(x, x->step[last]);
	for (uint32_t k = last; k-- > 1;) {
		if (is_heard(x->step[k])) return false;
		if (!in_the_way(x, x->step[k])) continue;
		x->goes[k] = true;
		go(x, x->step[k]);
	}
	return !in_the_way(x, x->step[0]);
}

/* Do sizes become known among the steps from number `first` to `end`? */
static bool sizes_between(const Plan *p, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (p->scalar[i].ready > first && p->scalar[i].ready <= end) return true;
	return false;
}

/* Its number and those of its body; what they name lives from `first` to `last`. */
static void renumber(const Going *x, Step *s, uint32_t by, uint32_t first, uint32_t last)
{
	PlanMaker *m = x->m;
	StepArray *list = NEW_ARRAY(x->scratch, StepArray, most_named(s) + 1);
	uint32_t n = named_by(m->plan, s, list);
	s->number += by; /* around 2^32, where it goes back */
	for (uint32_t i = 0; i < n; i++) {
		touch(m, *list[i].at, first);
		touch(m, *list[i].at, last);
	}
	if (s->kind != STEP_LOOP) return;
	if (s->condition) {
		touch(m, s->condition - 1, first);
		touch(m, s->condition - 1, last);
	}
	for (Step *y = s->body; y; y = y->next) renumber(x, y, by, first, last);
}

/* The list in its new order, from `at` on. */
static void put_in_order(Going *x, Step **at, uint32_t first, uint32_t end)
{
	Step *rest = x->step[x->n - 1]->next;
	uint32_t number = first;
	for (int stays = 0; stays < 2; stays++)
		for (uint32_t k = 0; k < x->n; k++) {
			if (x->goes[k] == stays) continue;
			renumber(x, x->step[k], number - x->step[k]->number, first, end - 1);
			number += x->width[k];
			*at = x->step[k];
			at = &x->step[k]->next;
		}
	*at = rest;
}

/* The list from the writer to the reader; false: it is too long. */
static bool list_between(Going *x, Step *s, const Step *reader, uint32_t list_end)
{
	for (;; s = s->next) {
		if (x->n > SPAN) return false;
		x->width[x->n] = (s->next ? s->next->number : list_end) - s->number;
		x->step[x->n++] = s;
		if (s == reader) return true;
	}
}

bool step_goes_before(PlanMaker *m, Step **writer, const Step *reader, uint32_t list_end)
{
	uint32_t first = (*writer)->number, end = reader->next ? reader->next->number : list_end;
	Arena *a = arena_child(m->scratch);
	Going *x = NEW(a, Going);
	x->m = m;
	x->scratch = a;
	idmap_open(&x->named, a);
	bool goes = list_between(x, *writer, reader, list_end) && !sizes_between(m->plan, first, end) &&
		find_going(x);
	if (goes) put_in_order(x, writer, first, end);
	arena_free(a);
	return goes;
}
