/* same.c - runs of steps that come again, over other arrays and sizes.
 *
 * Equal blocks of a program give equal runs of steps: the same kernels and cores with the same constants, in
 * the same loops and branches.  A run that comes FEW times or more, in whatever lists of steps, is found
 * once, with a row for each time that it comes.  What differs between the rows are the numbers that a row
 * gives; what stands at several places of every row alike is given once.
 *
 * The steps are read as a word: a letter for each, and one more where the body of a loop ends; a run holds a
 * loop whole or not at all.  Runs without loops are found first.  Each row of them is one letter then, and
 * runs are found whose loops hold no others, and so on outwards, so that what comes again in a loop that
 * comes again is a run in a run.
 */
#include "same.h"

enum { FEW = 3, SHORT = 4, SHORT_LOOP = 3, LONG = 64, LOOK = 64 };
_Static_assert(FEW == 3, "length_at keeps the two longest");

typedef struct Letter {
	const Step *step;            /* its first; NULL: of what ends */
	const SameAt *at;            /* a row that was found before; NULL: a step */
	int8_t depth;                /* 1: a loop begins; -1: it ends */
	bool taken;                  /* cannot come again, or belongs to a run that does */
	uint32_t loops;              /* that begin before it */
	uint32_t next;               /* where its window comes again, as far as a hash tells; 0: nowhere */
} Letter;

typedef struct Finder {
	Arena *arena;
	const Plan *plan;
	bool *begins;                /* by step: a phase begins with it */
	uint32_t *height;            /* by loop: 1 where its body holds none, else 1 more than those have */
	uint32_t **value;            /* by run: the numbers of all its rows */
	Letter *letter;
	uint32_t n, level;           /* runs are looked for whose loops are not higher than this */
	SameRuns *out;
} Finder;

/* ---- letters --------------------------------------------------------------------------------------- */

const SameAt *same_at(const SameRuns *same, const Step *s, const SameRun *within)
{
	const SameAt *x = same->at[s->number];
	while (x && within && &same->run[x->run] >= within) x = x->inner;
	return x;
}

static uint32_t height_of(Finder *f, const Step *s)
{
	uint32_t most = 0;
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) continue;
		uint32_t h = f->height[s->loop] = 1 + height_of(f, s->body);
		most = h > most ? h : most;
	}
	return most;
}

static void add_letter(Finder *f, const Step *s, const SameAt *at, int8_t depth, bool taken)
{
	uint32_t loops = f->n ? f->letter[f->n - 1].loops + (f->letter[f->n - 1].depth > 0) : 0;
	f->letter[f->n++] = (Letter){.step = s, .at = at, .depth = depth, .taken = taken, .loops = loops};
}

/* The list and those within. */
static void read_steps(Finder *f, const Step *s)
{
	for (; s; s = s->next) {
		const SameAt *at = f->out->at[s->number];
		bool loop = !at && s->kind == STEP_LOOP;
		bool high = loop && f->height[s->loop] > f->level;
		bool taken = !at && (high || !step_may_come_again(f->plan, s));
		add_letter(f, s, at, loop, taken);
		if (loop) {
			read_steps(f, s->body);
			add_letter(f, NULL, NULL, -1, taken);
		}
		for (uint32_t k = at ? f->out->run[at->run].steps : 1; k > 1; k--) s = s->next;
	}
}

static bool letter_same(const Finder *f, uint32_t i, uint32_t j)
{
	const Letter *x = &f->letter[i], *y = &f->letter[j];
	if (x->depth != y->depth || !x->at != !y->at) return false;
	if (x->at) return x->at->run == y->at->run;
	return !x->step || step_same(f->plan, x->step, y->step);
}

static uint32_t letter_hash(const Letter *x)
{
	if (x->at) return hash_mix(1, x->at->run);
	return x->step ? step_hash(x->step) : 2;
}

/* May the letter be the k-th of a run? */
static bool goes_on(const Finder *f, uint32_t i, uint32_t k)
{
	const Letter *x = &f->letter[i]; /* the last is taken */
	return !x->taken && !(k && x->step && f->begins[x->step->number]);
}

/* ---- windows -------------------------------------------------------------------------------------- */

/* The least letters of a run. */
static uint32_t least_of(const Finder *f)
{
	return f->level ? SHORT_LOOP : SHORT;
}

typedef struct Window {
	uint32_t hash, last;
} Window;

static bool window_same(const void *item, const void *key)
{
	return ((const Window *)item)->hash == *(const uint32_t *)key;
}

/* 0: a run does not begin there. */
static uint32_t window_hash(const Finder *f, uint32_t i)
{
	uint32_t h = 1;
	int depth = 0;
	for (uint32_t k = 0; k < least_of(f); k++) {
		if (!goes_on(f, i + k, k) || (depth += f->letter[i + k].depth) < 0) return 0;
		h = hash_mix(h, letter_hash(&f->letter[i + k])) | 1;
	}
	return h;
}

static void link_windows(Finder *f)
{
	Table table;
	table_open(&table, f->arena);
	for (uint32_t i = f->n; i-- > 0;) {
		uint32_t h = window_hash(f, i);
		if (!h) continue;
		Window *x = table_find(&table, h, &h, window_same);
		if (x) {
			f->letter[i].next = x->last;
		} else {
			x = NEW(f->arena, Window);
			x->hash = h;
			table_add(&table, h, x);
		}
		x->last = i;
	}
}

/* ---- runs that come again ------------------------------------------------------------------------- */

/* Of how many letters, up to `most`, are the runs at i and at j the same?  They hold their loops whole. */
static uint32_t common(const Finder *f, uint32_t i, uint32_t j, uint32_t most)
{
	uint32_t whole = 0;
	int depth = 0;
	for (uint32_t n = 0; n < most && (depth || n < LONG);) {
		if (!goes_on(f, i + n, n) || !goes_on(f, j + n, n) || !letter_same(f, i + n, j + n)) break;
		if ((depth += f->letter[i + n++].depth) < 0) break;
		if (!depth) whole = n;
	}
	return whole;
}

/* Where loops are looked for, runs without any have been found. */
static bool is_run(const Finder *f, uint32_t i, uint32_t n)
{
	return n >= least_of(f) && (!f->level || f->letter[i + n].loops > f->letter[i].loops);
}

/* The length of the run at i that comes again at once, else of the longest that comes FEW times, as far as
 * those do not overlap; 0: none does. */
static uint32_t length_at(const Finder *f, uint32_t i)
{
	uint32_t looks = 0, longest = 0, next = 0;
	for (uint32_t j = f->letter[i].next; j && looks < LOOK; j = f->letter[j].next, looks++) {
		uint32_t n = common(f, i, j, j - i);
		if (!is_run(f, i, n)) continue;
		if (n == j - i) return n;
		if (n > longest) {
			next = longest;
			longest = n;
		} else if (n > next) {
			next = n;
		}
	}
	return next;
}

/* The letters where the run of n at i comes, itself the first; NULL: it comes too seldom. */
static uint32_t *find_rows(const Finder *f, uint32_t i, uint32_t n, uint32_t *times)
{
	uint32_t *row = NULL, cap = 0, after = i + n, looks = 0;
	*times = 0;
	GROW(f->arena, row, *times, cap);
	row[(*times)++] = i;
	for (uint32_t j = f->letter[i].next; j && (*times >= FEW || looks++ < LOOK); j = f->letter[j].next) {
		if (j < after || common(f, i, j, n) < n) continue;
		GROW(f->arena, row, *times, cap);
		row[(*times)++] = j;
		after = j + n;
	}
	return *times >= FEW ? row : NULL;
}

/* ---- what a row gives ----------------------------------------------------------------------------- */

/* Those of a row that was found before: what it gives. */
static uint32_t letter_places(const Finder *f, const Letter *x, Place *v)
{
	if (!x->at) return x->step ? step_places(f->plan, x->step, v) : 0;
	const SameRun *run = &f->out->run[x->at->run];
	const uint32_t *value = f->value[x->at->run] + (size_t)x->at->row * run->ngiven;
	for (uint32_t k = 0; v && k < run->ngiven; k++) v[k] = (Place){run->gives[k], value[k]};
	return run->ngiven;
}

static Place *row_places(const Finder *f, uint32_t i, uint32_t n, uint32_t nplace)
{
	Place *v = NEW_ARRAY(f->arena, Place, nplace + 1);
	for (uint32_t k = 0, at = 0; k < n; k++) at += letter_places(f, &f->letter[i + k], v + at);
	return v;
}

static bool is_in_all(const Plan *p, const SameRun *run, Place *const *v, uint32_t place)
{
	const Place *x = &v[0][place];
	bool all = true;
	for (uint32_t r = 1; r < run->times && all; r++)
		all = v[r][place].number == x->number ||
			(x->kind == PLACE_DIM && p->dim[x->number].kind == DIM_CONST);
	return all;
}

/* Does one number of each row stand at both? */
static bool is_one(const SameRun *run, Place *const *v, uint32_t a, uint32_t b)
{
	bool one = v[0][a].kind == v[0][b].kind;
	for (uint32_t r = 0; r < run->times && one; r++) one = v[r][a].number == v[r][b].number;
	return one;
}

/* The run of n letters, of which `row` are the first: its places, and the numbers of all rows. */
static uint32_t *give_rows(const Finder *f, SameRun *run, const uint32_t *row, uint32_t n)
{
	Arena *a = f->arena;
	for (uint32_t k = 0; k < n; k++) run->nplace += letter_places(f, &f->letter[row[0] + k], NULL);
	Place **v = NEW_ARRAY(a, Place *, run->times);
	uint32_t *from = NEW_ARRAY(a, uint32_t, run->nplace + 1);
	for (uint32_t r = 0; r < run->times; r++) v[r] = row_places(f, row[r], n, run->nplace);
	run->same = v[0];
	run->given = NEW_ARRAY(a, uint32_t, run->nplace + 1);
	for (uint32_t i = 0; i < run->nplace; i++) {
		uint32_t k = 0;
		if (is_in_all(f->plan, run, v, i)) continue;
		while (k < run->ngiven && !is_one(run, v, from[k], i)) k++;
		if (k == run->ngiven) from[run->ngiven++] = i;
		run->given[i] = k + 1;
	}
	uint32_t *value = NEW_ARRAY(a, uint32_t, (size_t)run->times * run->ngiven + 1);
	for (uint32_t r = 0, k = 0; r < run->times; r++)
		for (uint32_t i = 0; i < run->ngiven; i++) value[k++] = v[r][from[i]].number;
	run->gives = NEW_ARRAY(a, PlaceKind, run->ngiven + 1);
	for (uint32_t i = 0; i < run->ngiven; i++) run->gives[i] = v[0][from[i]].kind;
	return value;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

static void take_rows(Finder *f, const uint32_t *row, uint32_t n, uint32_t times)
{
	SameRuns *out = f->out;
	SameRun *run = &out->run[out->n];
	*run = (SameRun){.times = times, .row = NEW_ARRAY(f->arena, const Step *, times)};
	int depth = 0;
	for (uint32_t k = 0; k < n; k++) {
		const Letter *x = &f->letter[row[0] + k];
		if (!depth && x->step) run->steps += x->at ? out->run[x->at->run].steps : 1;
		depth += x->depth;
	}
	f->value[out->n] = give_rows(f, run, row, n);
	for (uint32_t r = 0; r < times; r++) {
		uint32_t first = f->letter[row[r]].step->number;
		run->row[r] = f->letter[row[r]].step;
		SameAt *at = NEW(f->arena, SameAt);
		*at = (SameAt){out->n, r, out->at[first]};
		out->at[first] = at;
		for (uint32_t k = 0; k < n; k++) {
			Letter *x = &f->letter[row[r] + k];
			if (k && x->step) out->within[x->step->number] = true;
			x->taken = true;
		}
	}
	out->n++;
}

static void find_runs(Finder *f)
{
	f->n = 0;
	read_steps(f, f->plan->first);
	add_letter(f, NULL, NULL, 0, true);
	link_windows(f);
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t times, n = f->letter[i].taken ? 0 : length_at(f, i);
		uint32_t *row = n ? find_rows(f, i, n, &times) : NULL;
		if (row) take_rows(f, row, n, times);
	}
}

/* Rows within other runs are told there. */
static void list_rows(const Finder *f, uint32_t number)
{
	SameRun *run = &f->out->run[number];
	run->value = f->value[number];
	for (uint32_t r = 0; r < run->times; r++) {
		uint32_t first = run->row[r]->number;
		SameAt *at = f->out->at[first];
		if (f->out->within[first] || at->run != number) continue;
		memmove(run->value + (size_t)run->rows * run->ngiven, run->value + (size_t)r * run->ngiven,
			run->ngiven * sizeof *run->value);
		at->row = run->rows++;
	}
}

SameRuns *same_runs(Arena *a, const Plan *p)
{
	SameRuns *out = NEW(a, SameRuns);
	uint32_t most = p->nstep / (FEW * SHORT) + p->nloop / FEW + 1;
	*out = (SameRuns){.at = NEW_ARRAY(a, SameAt *, p->nstep + 1),
		.within = NEW_ARRAY(a, bool, p->nstep + 1),
		.run = NEW_ARRAY(a, SameRun, most)};
	Finder f = {.arena = a,
		.plan = p,
		.out = out,
		.value = NEW_ARRAY(a, uint32_t *, most),
		.height = NEW_ARRAY(a, uint32_t, p->nloop + 1),
		.begins = NEW_ARRAY(a, bool, p->nstep + 1),
		.letter = NEW_ARRAY(a, Letter, p->nstep + p->nloop + 1)};
	for (uint32_t k = 1; k < p->nphase; k++)
		if (p->phase[k].step) f.begins[p->phase[k].step->number] = true;
	for (uint32_t high = height_of(&f, p->first); f.level <= high; f.level++) find_runs(&f);
	for (uint32_t i = 0; i < out->n; i++) list_rows(&f, i);
	return out;
}
