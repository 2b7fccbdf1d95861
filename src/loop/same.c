/* same.c - runs of steps that come again, over other arrays and sizes.
 *
 * Equal blocks of a program give equal runs of steps: the same kernels and cores with the same constants.  A
 * run that comes FEW times or more, in whatever lists of steps, is found once, with a row for each time that
 * it comes.  What differs between the rows are the numbers that a row gives; what stands at several places of
 * every row alike is given once.
 */
#include "loop.h"

enum { FEW = 3, SHORT = 4, LONG = 64, LOOK = 64 };

typedef struct Finder {
	Arena *arena;
	const Plan *plan;
	bool *begins;        /* by step: a phase begins with it */
	const Step **step; /* in order; NULL between lists */
	uint32_t n, *place;  /* by step: where it is there */
	bool *taken;         /* cannot come again, or belongs to a run that does */
	uint32_t *next; /* the next place whose first SHORT steps are alike as far as a hash tells; 0: none */
	SameRuns *out;
} Finder;

/* ---- steps that may be one ------------------------------------------------------------------------ */

uint32_t buffer_base(const Plan *p, uint32_t i)
{
	while (p->buffer[i].space == SPACE_ALIAS && p->buffer[i].loop == UINT32_MAX) i = p->buffer[i].of;
	return i;
}

bool buffer_is_filled(const Plan *p, uint32_t i)
{
	const Buffer *b = &p->buffer[i];
	const Dim *d = &p->dim[elements_dim(p, b)];
	bool one = d->kind == DIM_CONST && d->value <= 1;
	return b->space == SPACE_CONST && !one &&
		p->constant[b->constant].bytes == dtype_bytes((Dtype)b->dtype);
}

/* Has the array a place, which a row can say, and from which a loop moves it? */
static bool has_place(const Plan *p, uint32_t i)
{
	uint32_t all = buffer_base(p, i), from = all;
	while (p->buffer[from].space == SPACE_ALIAS) from = buffer_base(p, p->buffer[from].of);
	return from == all || p->buffer[from].space != SPACE_CONST;
}

static bool may_come_again(const Finder *f, const Step *s)
{
	bool good = s->kind == STEP_KERNEL || core_has_items(s);
	for (uint32_t i = 0; good && i < s->call->nbuffer; i++) good = has_place(f->plan, s->buffer[i]);
	return good;
}

static bool dim_same(const Plan *p, uint32_t a, uint32_t b)
{
	const Dim *x = &p->dim[a], *y = &p->dim[b];
	bool number = x->kind == DIM_CONST;
	return number == (y->kind == DIM_CONST) && (!number || x->value == y->value);
}

/* Constants that are no fill are what they are: their elements stand where they are used. */
static bool array_same(const Plan *p, uint32_t a, uint32_t b)
{
	bool own = p->buffer[a].space == SPACE_CONST && !buffer_is_filled(p, a);
	bool other = p->buffer[b].space == SPACE_CONST && !buffer_is_filled(p, b);
	return own == other && (!own || a == b);
}

static bool step_same(const Plan *p, const Step *s, const Step *t)
{
	const StepCall *a = s->call, *b = t->call;
	if (s->kind != t->kind || a->core != b->core || a->dtype != b->dtype || a->kernel != b->kernel ||
		a->nbuffer != b->nbuffer || a->nparam != b->nparam || a->nconstant != b->nconstant ||
		memcmp(call_constants(a), call_constants(b), a->nconstant * sizeof *call_constants(a)) != 0)
		return false;
	for (uint32_t i = 0; i < a->nparam; i++)
		if (!dim_same(p, a->param[i], b->param[i])) return false;
	for (uint32_t i = 0; i < a->nbuffer; i++)
		if (!array_same(p, buffer_base(p, s->buffer[i]), buffer_base(p, t->buffer[i]))) return false;
	return true;
}

/* ---- runs that come again ------------------------------------------------------------------------- */

typedef struct Window {
	uint32_t hash, last;
} Window;

static bool window_same(const void *item, const void *key)
{
	return ((const Window *)item)->hash == *(const uint32_t *)key;
}

static uint32_t step_hash(const Step *s)
{
	uint32_t h = hash_mix(s->call->core + 31u * s->call->dtype, (uintptr_t)s->call->kernel);
	return hash_mix(h, s->call->nparam + 7u * s->call->nconstant);
}

/* 0: a run does not begin there. */
static uint32_t window_hash(const Finder *f, uint32_t i)
{
	uint32_t h = 1;
	for (uint32_t k = i; k < i + SHORT && h; k++) {
		bool ends = f->taken[k] || (k > i && f->begins[f->step[k]->number]);
		h = ends ? 0 : hash_mix(h, step_hash(f->step[k])) | 1;
	}
	return h;
}

static void link_windows(Finder *f)
{
	Table table;
	table_open(&table, f->arena);
	f->next = NEW_ARRAY(f->arena, uint32_t, f->n + 1);
	for (uint32_t i = f->n < SHORT ? 0 : f->n - SHORT + 1; i-- > 0;) {
		uint32_t h = window_hash(f, i);
		if (!h) continue;
		Window *x = table_find(&table, h, &h, window_same);
		if (x) {
			f->next[i] = x->last;
		} else {
			x = NEW(f->arena, Window);
			x->hash = h;
			table_add(&table, h, x);
		}
		x->last = i;
	}
}

/* May the step be the k-th of a run? */
static bool goes_on(const Finder *f, uint32_t place, uint32_t k)
{
	return place < f->n && !f->taken[place] && !(k && f->begins[f->step[place]->number]);
}

/* Of how many steps, up to `most`, are the runs at i and at j the same? */
static uint32_t common(const Finder *f, uint32_t i, uint32_t j, uint32_t most)
{
	uint32_t n = 0;
	while (n < most && goes_on(f, i + n, n) && goes_on(f, j + n, n) &&
		step_same(f->plan, f->step[i + n], f->step[j + n]))
		n++;
	return n;
}

/* The length of the run at i that comes again at once, else of the longest that comes again; 0: none does. */
static uint32_t length_at(const Finder *f, uint32_t i)
{
	uint32_t looks = 0, longest = 0;
	for (uint32_t j = f->next[i]; j && looks < LOOK; j = f->next[j], looks++) {
		uint32_t most = j - i < LONG ? j - i : LONG;
		uint32_t n = most < SHORT ? 0 : common(f, i, j, most);
		if (n >= SHORT && n == j - i) return n;
		if (n > longest) longest = n;
	}
	return longest < SHORT ? 0 : longest;
}

/* Where the run of n steps at i comes, itself the first; whether often enough. */
static bool find_rows(const Finder *f, uint32_t i, uint32_t n, SameRun *run)
{
	uint32_t cap = 0, after = i + n, looks = 0;
	*run = (SameRun){.steps = n};
	GROW(f->arena, run->row, run->rows, cap);
	run->row[run->rows++] = f->step[i];
	for (uint32_t j = f->next[i]; j && (run->rows >= FEW || looks < LOOK); j = f->next[j], looks++) {
		if (j < after || common(f, i, j, n) < n) continue;
		GROW(f->arena, run->row, run->rows, cap);
		run->row[run->rows++] = f->step[j];
		after = j + n;
	}
	return run->rows >= FEW;
}

/* ---- what a row gives ----------------------------------------------------------------------------- */

/* What stands at the places of a row: sizes, then arrays, step by step. */
static uint32_t *placed(Arena *a, const Plan *p, const SameRun *run, const Step *first)
{
	uint32_t *v = NEW_ARRAY(a, uint32_t, run->nplace + 1), n = 0;
	const Step *s = first;
	for (uint32_t k = 0; k < run->steps; k++, s = s->next) {
		for (uint32_t i = 0; i < s->call->nparam; i++) v[n++] = s->call->param[i];
		for (uint32_t i = 0; i < s->call->nbuffer; i++) v[n++] = buffer_base(p, s->buffer[i]);
	}
	return v;
}

static void list_places(Arena *a, SameRun *run)
{
	const Step *s = run->row[0];
	for (uint32_t k = 0; k < run->steps; k++, s = s->next)
		run->nplace += s->call->nparam + s->call->nbuffer;
	run->is_array = NEW_ARRAY(a, bool, run->nplace + 1);
	s = run->row[0];
	for (uint32_t k = 0, at = 0; k < run->steps; k++, s = s->next) {
		at += s->call->nparam;
		for (uint32_t i = 0; i < s->call->nbuffer; i++) run->is_array[at++] = true;
	}
}

static bool is_in_all(const Plan *p, const SameRun *run, uint32_t *const *v, uint32_t place)
{
	bool all = true;
	for (uint32_t r = 1; r < run->rows && all; r++)
		all = v[r][place] == v[0][place] ||
			(!run->is_array[place] && p->dim[v[0][place]].kind == DIM_CONST);
	return all;
}

/* Does one number of each row stand at both? */
static bool is_one(const SameRun *run, uint32_t *const *v, uint32_t a, uint32_t b)
{
	bool one = run->is_array[a] == run->is_array[b];
	for (uint32_t r = 0; r < run->rows && one; r++) one = v[r][a] == v[r][b];
	return one;
}

static void give_rows(Finder *f, SameRun *run)
{
	Arena *a = f->arena;
	list_places(a, run);
	uint32_t **v = NEW_ARRAY(a, uint32_t *, run->rows), *from = NEW_ARRAY(a, uint32_t, run->nplace + 1);
	for (uint32_t r = 0; r < run->rows; r++) v[r] = placed(a, f->plan, run, run->row[r]);
	run->same = v[0];
	run->given = NEW_ARRAY(a, uint32_t, run->nplace + 1);
	for (uint32_t i = 0; i < run->nplace; i++) {
		uint32_t k = 0;
		if (is_in_all(f->plan, run, v, i)) continue;
		while (k < run->ngiven && !is_one(run, v, from[k], i)) k++;
		if (k == run->ngiven) from[run->ngiven++] = i;
		run->given[i] = k + 1;
	}
	run->value = NEW_ARRAY(a, uint32_t, (size_t)run->rows * run->ngiven + 1);
	for (uint32_t r = 0, n = 0; r < run->rows; r++)
		for (uint32_t k = 0; k < run->ngiven; k++) run->value[n++] = v[r][from[k]];
	run->gives_array = NEW_ARRAY(a, bool, run->ngiven + 1);
	for (uint32_t k = 0; k < run->ngiven; k++) run->gives_array[k] = run->is_array[from[k]];
}

/* ---- all of them ---------------------------------------------------------------------------------- */

static void take_rows(Finder *f, const SameRun *run)
{
	SameRuns *out = f->out;
	for (uint32_t k = 0; k < run->rows; k++) {
		const Step *s = run->row[k];
		out->at[s->number] = (SameAt){out->n + 1, k};
		for (uint32_t i = 0; i < run->steps; i++, s = s->next) {
			out->within[s->number] = i > 0;
			f->taken[f->place[s->number]] = true;
		}
	}
	out->run[out->n++] = *run;
}

/* The list and those within, NULL behind each. */
static void list_steps(Finder *f, const Step *s)
{
	for (; s; s = s->next) {
		f->place[s->number] = f->n;
		f->step[f->n++] = s;
		if (s->kind == STEP_LOOP) list_steps(f, s->body);
	}
	f->step[f->n++] = NULL;
}

SameRuns *same_runs(Arena *a, const Plan *p)
{
	SameRuns *out = NEW(a, SameRuns);
	*out = (SameRuns){.at = NEW_ARRAY(a, SameAt, p->nstep + 1),
		.within = NEW_ARRAY(a, bool, p->nstep + 1),
		.run = NEW_ARRAY(a, SameRun, p->nstep / (FEW * SHORT) + 1)};
	Finder f = {.arena = a,
		.plan = p,
		.out = out,
		.place = NEW_ARRAY(a, uint32_t, p->nstep + 1),
		.begins = NEW_ARRAY(a, bool, p->nstep + 1),
		.step = NEW_ARRAY(a, const Step *, p->nstep + p->nloop + 1)};
	for (uint32_t k = 1; k < p->nphase; k++)
		if (p->phase[k].step) f.begins[p->phase[k].step->number] = true;
	list_steps(&f, p->first);
	f.taken = NEW_ARRAY(a, bool, f.n + 1);
	for (uint32_t i = 0; i < f.n; i++) f.taken[i] = !f.step[i] || !may_come_again(&f, f.step[i]);
	link_windows(&f);
	for (uint32_t i = 0; i < f.n; i++) {
		SameRun run;
		uint32_t n = f.taken[i] ? 0 : length_at(&f, i);
		if (!n || !find_rows(&f, i, n, &run)) continue;
		give_rows(&f, &run);
		take_rows(&f, &run);
	}
	return out;
}
