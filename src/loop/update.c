/* update.c - what a loop carries and writes elements of stays where it is.
 *
 * A pass has the carried value in `now` and leaves the next in `next`.  Between them stand copies with
 * something changed: scatters, one after another, in sides of branches, in loops of the body that carry the
 * array on; and arrays of which a part is written and the rest copied (a slice that is written is such).
 * They are versions of one array, and lie in one where each step finds the version that it reads: where
 * nobody reads an old one behind what writes over it.  Then a pass costs what it writes.
 *
 * needs: a loop whose body is planned, and whose carried arrays are not touched yet for all of it
 */
#include "make.h"

/* A version that kernels of one list make, perhaps part by part. */
typedef struct MadeOf {
	uint32_t of, from;               /* places; the other parts are copied from there, 0: from nowhere */
	Step *const *list;
	const Step *last;
	bool mixed;                      /* they are copied from two */
	struct MadeOf *before;
} MadeOf;

/* The versions of what a loop carries. */
typedef struct Versions {
	PlanMaker *m;
	Plan *p;
	Arena *scratch;
	Step *loop;
	struct Carry *carry;
	uint32_t n, cap, *array;         /* the first is `now`, the second `next` */
	bool reached;                    /* one is made of `now` */
	IdMap place;                     /* by array + 1: its place among them, + 1 */
	IdMap changing;                  /* those + 1 that change places, or that other carries hold */
	MadeOf *parts;                    /* all there are */
	IdMap making;                    /* by a step's number + 1: what it is a step of */
} Versions;

/* ---- which they are ---------------------------------------------------------------------------- */

/* The place of an array among the versions, + 1; 0: it is none. */
static uint32_t version(const Versions *v, uint32_t buffer)
{
	return (uint32_t)(uintptr_t)idmap_get(&v->place, array_root(v->p, buffer) + 1);
}

/* Of an array that is all of one; 0 also where it is a part that moves. */
static uint32_t whole_version(const Versions *v, uint32_t buffer)
{
	uint32_t base = buffer_base(v->p, buffer);
	return v->p->buffer[base].space == SPACE_ALIAS ? 0 : version(v, base);
}

static void version_add(Versions *v, uint32_t buffer)
{
	uint32_t b = buffer_base(v->p, buffer);
	const Buffer *x = &v->p->buffer[b];
	v->reached |= v->n && b == v->array[0];
	if (x->space != SPACE_WORK || idmap_get(&v->place, b + 1) || idmap_get(&v->changing, b + 1)) return;
	bool carried = !v->n || b == v->carry->next;
	if (!carried && x->first <= v->loop->number) return; /* it is there before the loop */
	GROW(v->scratch, v->array, v->n, v->cap);
	v->array[v->n++] = b;
	idmap_put(&v->place, b + 1, (void *)(uintptr_t)v->n);
}

static void note_changing(Versions *v, const Step *s)
{
	for (uint32_t i = 0; i < s->ncarry; i++) {
		const struct Carry *c = &s->carry[i];
		if (c == v->carry || (s != v->loop && c->now == c->next)) continue;
		idmap_put(&v->changing, c->now + 1, v);
		idmap_put(&v->changing, c->next + 1, v);
	}
	for (const Step *y = s->body; y; y = y->next)
		if (y->kind == STEP_LOOP) note_changing(v, y);
}

/* How many elements an array has where its body runs. */
static uint32_t elements_in(const Plan *p, uint32_t buffer)
{
	uint32_t n = elements_dim(p, &p->buffer[buffer]);
	const Dim *d = &p->dim[n];
	if (d->kind != DIM_MUL || d->guard == UINT32_MAX || (d->a != d->guard && d->b != d->guard)) return n;
	return d->a == d->guard ? d->b : d->a;
}

/* Does it copy, to the same places of another array? */
static bool is_part_copy(const Step *s)
{
	const Kernel *k = s->call->kernel;
	if (s->kind != STEP_KERNEL || k->ncode != 2 || k->nbuffer != 2) return false;
	const Access *from = &k->at[k->code[0].at], *to = &k->at[k->code[1].at];
	return k->code[0].kind == INS_LOAD && k->code[1].kind == INS_STORE && from->buffer != to->buffer &&
		place_same(from, to, k->naxis) && !from->ndynamic;
}

/* Is it a plain copy, of all elements to all? */
static bool is_copy(const Plan *p, const Step *s)
{
	const Kernel *k = s->call->kernel;
	if (!is_part_copy(s) || k->naxis != 1) return false;
	const Access *from = &k->at[k->code[0].at], *to = &k->at[k->code[1].at];
	if (!int_is(from->offset, 0) || !int_is(from->stride[0], 1)) return false;
	if (s->moves) return true; /* sizes that are equal by a check alone, or guarded, are other dims */
	uint32_t all = elements_in(p, s->buffer[to->buffer]);
	if (elements_in(p, s->buffer[from->buffer]) != all) return false;
	Int extent = k->extent[0];
	if (extent.param >= 0) return s->call->param[extent.param] == all;
	return p->dim[all].kind == DIM_CONST && p->dim[all].value == extent.value;
}

static uint32_t copied_from(const Step *s)
{
	return s->buffer[s->call->kernel->at[s->call->kernel->code[0].at].buffer];
}
static uint32_t copied_to(const Step *s)
{
	return s->buffer[s->call->kernel->at[s->call->kernel->code[1].at].buffer];
}

static bool same_shape(const Plan *p, uint32_t a, uint32_t b)
{
	return p->buffer[a].rank == p->buffer[b].rank &&
		!memcmp(buffer_dims(p, a), buffer_dims(p, b), p->buffer[a].rank * sizeof(uint32_t));
}

static bool is_scatter_step(const Step *s)
{
	return s->kind == STEP_CORE && s->call->core == CORE_SCATTER;
}

/* What it makes its result of, and that. */
static uint32_t scatter_base(const Step *s)
{
	return s->buffer[0];
}

static uint32_t scatter_result(const Step *s)
{
	enum { RESULT = 3 }; /* behind base, index, values */
	const uint32_t *buffer = s->buffer;
	return buffer[RESULT];
}

static void find_versions(Versions *v, const Step *s);

/* What a version is made of by this step is one too. */
static void find_source(Versions *v, const Step *s)
{
	if (s->kind == STEP_LOOP) {
		for (uint32_t i = 0; i < s->ncarry; i++)
			if (version(v, s->carry[i].now)) version_add(v, s->carry[i].first);
		find_versions(v, s->body);
	} else if (is_scatter_step(s) && whole_version(v, scatter_result(s))) {
		version_add(v, scatter_base(s));
	} else if (is_part_copy(s) && whole_version(v, copied_to(s)) &&
		   (is_copy(v->p, s) || same_shape(v->p, copied_from(s), copied_to(s)))) {
		version_add(v, copied_from(s));
	}
}

/* The last steps of the list are seen first. */
static void find_versions(Versions *v, const Step *s)
{
	const Step **list = NULL;
	uint32_t n = 0, cap = 0;
	for (; s; s = s->next) {
		GROW(v->scratch, list, n, cap);
		list[n++] = s;
	}
	while (n) find_source(v, list[--n]);
}

/* ---- which are made part by part ---------------------------------------------------------------- */

static MadeOf *parts_of(Versions *v, uint32_t x, Step *const *list)
{
	MadeOf *p = v->parts;
	while (p && (p->of != x || p->list != list)) p = p->before;
	if (p) return p;
	p = NEW(v->scratch, MadeOf);
	*p = (MadeOf){.of = x, .list = list, .before = v->parts};
	return v->parts = p;
}

static void part_written(Versions *v, Step *s, Step *const *list, uint32_t x)
{
	MadeOf *parts = parts_of(v, x, list);
	uint32_t from = 0;
	parts->last = s;
	if (s->kind == STEP_KERNEL && s->fills) return; /* nothing is left of what it was made of */
	idmap_put(&v->making, s->number + 1, parts);
	if (is_part_copy(s) && x == whole_version(v, copied_to(s))) from = whole_version(v, copied_from(s));
	if (!from || !same_shape(v->p, copied_from(s), copied_to(s))) return;
	parts->mixed |= parts->from && parts->from != from;
	parts->from = from;
}

static void find_parts(Versions *v, Step *const *list)
{
	for (Step *s = *list; s; s = s->next) {
		StepArray *named = NEW_ARRAY(v->scratch, StepArray, most_named(s) + 1);
		uint32_t n = s->kind == STEP_LOOP || is_scatter_step(s) ? 0 : named_by(v->p, s, named);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t x = version(v, *named[i].at);
			if (x && named[i].written) part_written(v, s, list, x);
		}
		if (s->kind == STEP_LOOP) find_parts(v, &s->body);
	}
}

/* Of a step that makes a part of x; NULL: it makes all of it, or nothing of it. */
static const MadeOf *parts_made(const Versions *v, const Step *s, uint32_t x)
{
	const MadeOf *p = idmap_get(&v->making, s->number + 1);
	return p && p->of == x && p->from && !p->mixed ? p : NULL;
}

/* ---- which of them the array holds -------------------------------------------------------------- */

/* By place: does the one array hold this version?  PART: what is written of it by now, beside what it was
 * made of. */
typedef unsigned char Held;
enum { WHOLE = 1, PART = 2 };

static Held *held_copy(const Versions *v, const Held *held)
{
	return memcpy(NEW_ARRAY(v->scratch, Held, v->n), held, v->n * sizeof *held);
}

static bool held_both(const Versions *v, Held *held, const Held *other)
{
	bool less = false;
	for (uint32_t i = 0; i < v->n; i++) {
		less |= held[i] & ~other[i];
		held[i] &= other[i];
	}
	return less;
}

static void hold_only(const Versions *v, Held *held, uint32_t place)
{
	for (uint32_t i = 0; i < v->n; i++) held[i] = i + 1 == place ? WHOLE : 0;
}

/* A part is copied that lies there already. */
static bool copy_holds(const MadeOf *p, const Step *s, Held *held)
{
	if (held[p->of - 1] != PART && held[p->from - 1] != WHOLE) return false;
	if (s == p->last) held[p->of - 1] = WHOLE;
	return true;
}

static bool part_holds(const Versions *v, const MadeOf *p, const Step *s, Held *held)
{
	if (held[p->of - 1] != PART && held[p->from - 1] != WHOLE) return false;
	hold_only(v, held, p->of);
	if (s != p->last) held[p->of - 1] = PART;
	return true;
}

/* The inner stage that writes elements of an array, each once, and alone writes them; NULL: none does. */
static const Stage *stage_that_writes(const Kernel *k, uint32_t buffer, const Access **to)
{
	const Stage *found = NULL;
	for (const Stage *s = k->stage; s < k->stage + k->nstage; s++)
		for (uint32_t i = s->first; i < s->end; i++) {
			const Access *at = &k->at[k->code[i].at];
			if (k->code[i].kind != INS_STORE || at->buffer != buffer) continue;
			if (found || !s->inner || at->ndynamic) return NULL;
			found = s;
			*to = at;
		}
	for (uint32_t d = 0; found && d < k->naxis; d++)
		if (int_is((*to)->stride[d], 0)) return NULL;
	return found;
}

/* Does a kernel read of an array only what it writes of it then, element by element? */
static bool reads_as_it_writes(const Kernel *k, uint32_t read, uint32_t written)
{
	const Access *to = NULL;
	const Stage *s = k->recipe == RECIPE_ROWS ? stage_that_writes(k, written, &to) : NULL;
	for (uint32_t i = 0; i < k->ncode && s; i++) {
		const Access *at = &k->at[k->code[i].at];
		if (k->code[i].kind != INS_LOAD || at->buffer != read) continue;
		if (i < s->first || i >= s->end || !place_same(at, to, k->naxis)) return false;
	}
	return s != NULL;
}

/* Reads this step of versions only what it writes over? */
static bool reads_own_places(const Versions *v, const Step *s)
{
	const Kernel *k = s->call->kernel;
	if (s->kind != STEP_KERNEL) return false;
	for (uint32_t w = 0; w < k->nbuffer; w++)
		for (uint32_t r = 0; r < k->nbuffer; r++) {
			if (!k->buffer[w].written || !whole_version(v, s->buffer[w])) continue;
			uint32_t x = version(v, s->buffer[r]);
			if (r == w || !x) continue;
			bool alike = same_shape(v->p, s->buffer[r], s->buffer[w]);
			if (!alike || !reads_as_it_writes(k, r, w)) return false;
		}
	return true;
}

/* A step that writes over a version in place, or reads and writes what it will.  False: it finds what it does
 * not look for. */
static bool call_holds(const Versions *v, Step *s, Held *held)
{
	StepArray *list = NEW_ARRAY(v->scratch, StepArray, most_named(s) + 1);
	uint32_t n = named_by(v->p, s, list), read = 0, written = 0, from = 0;
	uint32_t copy = is_copy(v->p, s) ? whole_version(v, copied_to(s)) : 0;
	if (copy && (from = whole_version(v, copied_from(s)))) {
		held[copy - 1] = WHOLE;
		return held[from - 1] == WHOLE;
	}
	uint32_t of = is_part_copy(s) ? whole_version(v, copied_to(s)) : 0;
	const MadeOf *parts = of ? parts_made(v, s, of) : NULL;
	if (parts && parts->from == whole_version(v, copied_from(s))) return copy_holds(parts, s, held);
	bool in_place = is_scatter_step(s) && whole_version(v, scatter_base(s)) &&
		whole_version(v, scatter_result(s));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = version(v, *list[i].at);
		if (x && list[i].read && held[x - 1] != WHOLE) return false;
		if (x && list[i].read && !(in_place && i == 0)) read++;
		if (!x || !list[i].written) continue;
		if (written && written != x) return false;
		written = x;
	}
	bool apart = !read || (written && reads_own_places(v, s));
	if (written && (parts = parts_made(v, s, written))) return apart && part_holds(v, parts, s, held);
	if (written) hold_only(v, held, written);
	return !written || apart;
}

static bool list_holds(const Versions *v, Step *s, Held *held);

/* It holds `now` where the loop begins, and where a pass ends; the passes may be none. */
static bool loop_holds(const Versions *v, Step *s, Held *held)
{
	for (uint32_t i = 0; i < s->ncarry; i++) {
		uint32_t first = version(v, s->carry[i].first), now = version(v, s->carry[i].now);
		if (first && held[first - 1] != WHOLE) return false;
		if (!now) continue;
		if (!first)
			hold_only(v, held, now);
		else if (first != whole_version(v, s->carry[i].first))
			return false;
		held[now - 1] = WHOLE;
	}
	for (bool less = true; less;) {
		Held *end = held_copy(v, held);
		if (!list_holds(v, s->body, end)) return false;
		for (uint32_t i = 0; i < s->ncarry; i++) {
			uint32_t next = version(v, s->carry[i].next);
			if (next && end[next - 1] != WHOLE) return false;
		}
		less = held_both(v, held, end);
	}
	return true;
}

static bool list_holds(const Versions *v, Step *s, Held *held)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) {
			if (!call_holds(v, s, held)) return false;
		} else if (!s->condition) {
			if (!loop_holds(v, s, held)) return false;
		} else { /* one side, and the other where it is there */
			Held *other = held_copy(v, held);
			Step *second = s->next;
			if (!list_holds(v, s->body, held)) return false;
			bool both = second && second->kind == STEP_LOOP && second->unless != s->unless &&
				second->condition == s->condition;
			if (both && !list_holds(v, second->body, other)) return false;
			held_both(v, held, other);
			s = both ? second : s;
		}
	}
	return true;
}

/* ---- readers of an old one first ------------------------------------------------------------------ */

/* The versions that a step, or one of its body, reads and writes. */
static void versions_in(const Versions *v, Step *s, Held *read, Held *written)
{
	StepArray *list = NEW_ARRAY(v->scratch, StepArray, most_named(s) + 1);
	uint32_t n = named_by(v->p, s, list);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = version(v, *list[i].at);
		if (x && list[i].read) read[x - 1] = WHOLE;
		if (x && list[i].written) written[x - 1] = WHOLE;
	}
	for (Step *y = s->kind == STEP_LOOP ? s->body : NULL; y; y = y->next)
		versions_in(v, y, read, written);
}

static bool any_held(const Versions *v, const Held *held)
{
	bool any = false;
	for (uint32_t i = 0; i < v->n; i++) any |= held[i];
	return any;
}

/* Reads a step a version, but not one of those, and writes none? */
static bool reads_old(const Versions *v, Step *s, const Held *made)
{
	Held *read = NEW_ARRAY(v->scratch, Held, v->n);
	Held *written = NEW_ARRAY(v->scratch, Held, v->n);
	versions_in(v, s, read, written);
	bool made_now = false;
	for (uint32_t i = 0; i < v->n; i++) made_now |= read[i] && made[i];
	return any_held(v, read) && !made_now && !any_held(v, written);
}

static void read_first(Versions *v, Step **list, uint32_t end)
{
	for (; *list; list = &(*list)->next) {
		Step *s = *list;
		if (s->kind == STEP_LOOP) read_first(v, &s->body, (s->next ? s->next->number : end) - 1);
		Held *read = NEW_ARRAY(v->scratch, Held, v->n);
		Held *made = NEW_ARRAY(v->scratch, Held, v->n);
		versions_in(v, s, read, made);
		if (!any_held(v, made)) continue;
		for (Step *y = s->next, *after; y; y = after) {
			after = y->next;
			if (reads_old(v, y, made) && step_goes_before(v->m, list, y, end))
				while (*list != s) list = &(*list)->next;
		}
	}
}

/* ---- one array ------------------------------------------------------------------------------------ */

/* Versions of its shape are `now`, others lie in it; copies of it into itself go. */
static void join_steps(const Versions *v, Step **list)
{
	while (*list) {
		Step *s = *list;
		StepArray *named = NEW_ARRAY(v->scratch, StepArray, most_named(s) + 1);
		uint32_t n = named_by(v->p, s, named);
		for (uint32_t i = 0; i < n; i++)
			if (whole_version(v, *named[i].at) &&
				(s->kind == STEP_LOOP || same_shape(v->p, *named[i].at, v->array[0])))
				*named[i].at = v->array[0];
		if (s->kind == STEP_LOOP) join_steps(v, &s->body);
		bool all = is_copy(v->p, s) &&
			buffer_base(v->p, copied_from(s)) == buffer_base(v->p, copied_to(s));
		bool part = is_part_copy(s) && copied_from(s) == v->array[0] && copied_to(s) == v->array[0];
		if (all || part)
			*list = s->next;
		else
			list = &s->next;
	}
}

static void join_versions(const Versions *v)
{
	Plan *p = v->p;
	for (uint32_t i = 1; i < v->n; i++) {
		Buffer *b = &p->buffer[v->array[i]];
		if (same_shape(p, v->array[i], v->array[0])) {
			b->first = UINT32_MAX;
			b->last = 0;
			continue;
		}
		b->space = SPACE_ALIAS;
		b->of = v->array[0];
	}
	for (uint32_t b = 0; b < p->nbuffer; b++)
		if (p->buffer[b].space == SPACE_ALIAS && idmap_get(&v->place, p->buffer[b].of + 1))
			p->buffer[b].of = v->array[0];
}

static Versions versions_open(PlanMaker *m, Step *loop, struct Carry *c)
{
	Versions v = {.m = m, .p = m->plan, .scratch = arena_child(m->scratch), .loop = loop, .carry = c};
	idmap_open(&v.place, v.scratch);
	idmap_open(&v.changing, v.scratch);
	idmap_open(&v.making, v.scratch);
	note_changing(&v, loop);
	return v;
}

static void join_all(const Versions *v)
{
	join_versions(v);
	join_steps(v, &v->loop->body);
}

static bool keep_in_place(PlanMaker *m, Step *loop, struct Carry *c)
{
	Versions v = versions_open(m, loop, c);
	version_add(&v, c->now);
	version_add(&v, c->next);
	if (v.n == 2) find_versions(&v, loop->body);
	if (v.reached) read_first(&v, &loop->body, m->plan->nstep);
	Held *held = NEW_ARRAY(v.scratch, Held, v.n + 1);
	held[0] = WHOLE;
	if (v.reached) find_parts(&v, &loop->body);
	bool kept = v.reached && list_holds(&v, loop->body, held) && held[1] == WHOLE;
	if (kept) {
		join_all(&v);
		c->next = c->now;
	}
	arena_free(v.scratch);
	return kept;
}

/* What moves within `now`, as a queue does, is made anew in `next`: but once, with what is written then. */
static void make_in_next(PlanMaker *m, Step *loop, struct Carry *c)
{
	Versions v = versions_open(m, loop, c);
	idmap_put(&v.changing, c->now + 1, &v);
	version_add(&v, c->next);
	if (v.n) find_versions(&v, loop->body);
	Held *held = NEW_ARRAY(v.scratch, Held, v.n + 1);
	if (v.n > 1) find_parts(&v, &loop->body);
	if (v.n > 1 && list_holds(&v, loop->body, held) && held[0] == WHOLE) join_all(&v);
	arena_free(v.scratch);
}

void update_in_place(PlanMaker *m, Step *loop)
{
	for (uint32_t i = 0; i < loop->ncarry; i++) {
		struct Carry *c = &loop->carry[i];
		if (m->plan->buffer[c->now].rank && !keep_in_place(m, loop, c)) make_in_next(m, loop, c);
	}
}
