/* c_same.c - steps that come again, but for their arrays and sizes, as one function.
 *
 * Equal blocks of a program give equal runs of steps: the same kernels and cores with the same constants,
 * over other arrays.  A run that comes FEW times or more is written once.  What is different is a row of
 * numbers that its call gives: of an array, its place in the workspace, or -1 less its number among the
 * arguments; of a size, its number among the dims.
 */
#include "writer.h"

enum { FEW = 3, SHORT = 4, LONG = 64, LOOK = 64 };

static uint32_t base_of(const Plan *p, uint32_t i)
{
	while (p->buffer[i].space == SPACE_ALIAS && p->buffer[i].loop == UINT32_MAX) i = p->buffer[i].of;
	return i;
}

/* Has the array one place, that a row can say, or a name that is the same for all? */
static bool lies_still(const Writer *w, uint32_t i)
{
	i = base_of(w->plan, i);
	return w->plan->buffer[i].space != SPACE_ALIAS && !w->carrier[i];
}

/* A constant is called by its name. */
static bool is_named(const Writer *w, uint32_t i)
{
	uint8_t space = w->plan->buffer[i].space;
	return space != SPACE_INPUT && space != SPACE_OUTPUT && w->place[i] == UINT32_MAX;
}

static bool may_come_again(const Writer *w, const Step *s)
{
	bool good = s->kind == STEP_KERNEL || core_has_items(s);
	for (uint32_t i = 0; good && i < s->call->nbuffer; i++) good = lies_still(w, s->buffer[i]);
	return good;
}

static bool dim_same(const Plan *p, uint32_t a, uint32_t b)
{
	const Dim *x = &p->dim[a], *y = &p->dim[b];
	bool number = x->kind == DIM_CONST;
	return number == (y->kind == DIM_CONST) && (!number || x->value == y->value);
}

static bool step_same(const Writer *w, const Step *s, const Step *t)
{
	const StepCall *a = s->call, *b = t->call;
	if (s->kind != t->kind || a->core != b->core || a->dtype != b->dtype || a->kernel != b->kernel ||
		a->nbuffer != b->nbuffer || a->nparam != b->nparam || a->nconstant != b->nconstant ||
		memcmp(call_constants(a), call_constants(b), a->nconstant * sizeof *call_constants(a)) != 0)
		return false;
	for (uint32_t i = 0; i < a->nparam; i++)
		if (!dim_same(w->plan, a->param[i], b->param[i])) return false;
	for (uint32_t i = 0; i < a->nbuffer; i++) {
		uint32_t x = base_of(w->plan, s->buffer[i]), y = base_of(w->plan, t->buffer[i]);
		if (is_named(w, x) != is_named(w, y) || (is_named(w, x) && x != y)) return false;
	}
	return true;
}

/* ---- runs that come again ------------------------------------------------------------------- */

typedef struct Runs {
	Writer *w;
	const Step **step;
	uint32_t n;
	bool *taken;    /* cannot come again, or belongs to a run that does */
	uint32_t *next; /* the next place whose first SHORT steps are alike as far as a hash tells; 0: none */
} Runs;

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

static void link_windows(Runs *r)
{
	Table table;
	table_open(&table, r->w->arena);
	r->next = NEW_ARRAY(r->w->arena, uint32_t, r->n + 1);
	for (uint32_t i = r->n < SHORT ? 0 : r->n - SHORT + 1; i-- > 0;) {
		uint32_t h = 1;
		for (uint32_t k = 0; k < SHORT && h; k++)
			h = r->taken[i + k] ? 0 : hash_mix(h, step_hash(r->step[i + k])) | 1;
		if (!h) continue;
		Window *x = table_find(&table, h, &h, window_same);
		if (x) {
			r->next[i] = x->last;
		} else {
			x = NEW(r->w->arena, Window);
			x->hash = h;
			table_add(&table, h, x);
		}
		x->last = i;
	}
}

/* Of how many steps, up to `most`, are the runs at i and at j the same? */
static uint32_t common(const Runs *r, uint32_t i, uint32_t j, uint32_t most)
{
	uint32_t n = 0;
	while (n < most && j + n < r->n && !r->taken[i + n] && !r->taken[j + n] &&
		step_same(r->w, r->step[i + n], r->step[j + n]))
		n++;
	return n;
}

/* The length of the run at i that comes again at once, else of the longest that comes again; 0: none does. */
static uint32_t length_at(const Runs *r, uint32_t i)
{
	uint32_t looks = 0, longest = 0;
	for (uint32_t j = r->next[i]; j && looks < LOOK; j = r->next[j], looks++) {
		uint32_t most = j - i < LONG ? j - i : LONG;
		uint32_t n = most < SHORT ? 0 : common(r, i, j, most);
		if (n >= SHORT && n == j - i) return n;
		if (n > longest) longest = n;
	}
	return longest < SHORT ? 0 : longest;
}

/* Where the run of n steps at i comes, itself the first; whether often enough. */
static bool find_rows(const Runs *r, uint32_t i, uint32_t n, SameSteps *out)
{
	uint32_t cap = 0, after = i + n, looks = 0;
	*out = (SameSteps){.steps = n};
	GROW(r->w->arena, out->row, out->rows, cap);
	out->row[out->rows++] = r->step[i];
	for (uint32_t j = r->next[i]; j && (out->rows >= FEW || looks < LOOK); j = r->next[j], looks++) {
		if (j < after || common(r, i, j, n) < n) continue;
		GROW(r->w->arena, out->row, out->rows, cap);
		out->row[out->rows++] = r->step[j];
		after = j + n;
	}
	return out->rows >= FEW;
}

static void take_rows(Runs *r, const SameSteps *run)
{
	Writer *w = r->w;
	for (uint32_t k = 0; k < run->rows; k++) {
		const Step *s = run->row[k];
		w->same_at[s->number] = (SameAt){w->nsame + 1, k};
		for (uint32_t i = 0; i < run->steps; i++, s = s->next) w->within[s->number] = i > 0;
	}
	for (uint32_t i = 0, left = 0; i < r->n; i++) {
		const SameAt *at = &w->same_at[r->step[i]->number];
		if (at->run == w->nsame + 1) left = run->steps;
		r->taken[i] |= left > 0;
		left -= left > 0;
	}
	w->same[w->nsame++] = *run;
}

void find_same(Writer *w)
{
	const Plan *p = w->plan;
	Runs r = {.w = w};
	w->same_at = NEW_ARRAY(w->arena, SameAt, p->nstep + 1);
	w->within = NEW_ARRAY(w->arena, bool, p->nstep + 1);
	w->same = NEW_ARRAY(w->arena, SameSteps, p->nstep / (FEW * SHORT) + 1);
	if (p->nphase > 1) return; /* sizes and places are found between steps */
	r.step = NEW_ARRAY(w->arena, const Step *, p->nstep + 1);
	for (const Step *s = p->first; s; s = s->next) r.step[r.n++] = s;
	r.taken = NEW_ARRAY(w->arena, bool, r.n + 1);
	for (uint32_t i = 0; i < r.n; i++) r.taken[i] = !may_come_again(w, r.step[i]);
	link_windows(&r);
	for (uint32_t i = 0; i < r.n; i++) {
		SameSteps run;
		uint32_t n = r.taken[i] ? 0 : length_at(&r, i);
		if (n && find_rows(&r, i, n, &run)) take_rows(&r, &run);
	}
}

/* ---- as C ------------------------------------------------------------------------------------ */

static bool is_numbered(const Plan *p, uint32_t dim)
{
	return p->dim[dim].kind != DIM_CONST;
}

static void write_row(Writer *w, const Step *s, uint32_t steps)
{
	const Plan *p = w->plan;
	Text t;
	text_open(&t, w->arena);
	for (uint32_t k = 0; k < steps; k++, s = s->next) {
		for (uint32_t i = 0; i < s->call->nparam; i++)
			if (is_numbered(p, s->call->param[i])) text_printf(&t, "%u, ", s->call->param[i]);
		for (uint32_t i = 0; i < s->call->nbuffer; i++) {
			uint32_t b = base_of(p, s->buffer[i]);
			const Buffer *x = &p->buffer[b];
			if (is_named(w, b)) continue;
			if (x->space == SPACE_INPUT)
				text_printf(&t, "-%u, ", 1 + x->index);
			else if (x->space == SPACE_OUTPUT)
				text_printf(&t, "-%u, ", 1 + p->nin + x->index);
			else
				text_printf(&t, "%u, ", w->place[b]);
		}
	}
	say(w, "{ %s0 },", text_done(&t));
}

static uint32_t numbers_of(const Writer *w, const Step *s, uint32_t steps)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < steps; k++, s = s->next) {
		for (uint32_t i = 0; i < s->call->nparam; i++) n += is_numbered(w->plan, s->call->param[i]);
		for (uint32_t i = 0; i < s->call->nbuffer; i++)
			n += !is_named(w, base_of(w->plan, s->buffer[i]));
	}
	return n;
}

void write_same_rows(Writer *w)
{
	for (uint32_t q = 0; q < w->nsame; q++) {
		const SameSteps *run = &w->same[q];
		say(w, "/* %u steps that come %u times: their sizes and arrays */", run->steps, run->rows);
		say_open(w, "static const int %s_same%u[][%u] =", w->name, q + 1,
			numbers_of(w, run->row[0], run->steps) + 1);
		for (uint32_t k = 0; k < run->rows; k++) write_row(w, run->row[k], run->steps);
		w->depth--;
		say(w, "};");
	}
}

void write_same_place(Writer *w)
{
	if (!w->nsame) return;
	say_open(w, "static inline void *%s_array(const struct %s_run *r, int i)", w->name, w->name);
	say(w, "return i < 0 ? r->arg[-1 - i] : r->w + r->at[i];");
	say_close(w);
}

/* Its integers, of which `u[at]` is the next that a row has; gives what is next then. */
static uint32_t write_numbers(Writer *w, const Step *s, uint32_t at, bool constants)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nparam; i++) {
		uint32_t dim = s->call->param[i];
		if (is_numbered(w->plan, dim))
			text_printf(&t, "d[u[%u]], ", at++);
		else
			text_printf(&t, "%s, ", dim_text(w, dim));
	}
	if (constants) write_step_constants(w, &t, s);
	say(w, "const int64_t m[] = { %s0 };", text_done(&t));
	return at;
}

static uint32_t write_arrays(Writer *w, const Step *s, uint32_t at, bool shown)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		uint32_t b = base_of(w->plan, s->buffer[i]);
		if (is_named(w, b))
			text_printf(&t, "(char *)c%u, ", b);
		else
			text_printf(&t, "%s_array(r, u[%u]), ", w->name, at++);
	}
	if (shown) say(w, "void *const v[] = { %s0 };", text_done(&t));
	return at;
}

void write_same_needs(Writer *w)
{
	for (uint32_t q = 0; q < w->nsame; q++) {
		const SameSteps *run = &w->same[q];
		const Step *s = run->row[0];
		say_open(w, "static int64_t %s_same%u_scratch(const int64_t *d, const int *u)", w->name, q + 1);
		say(w, "int64_t most = 0;");
		for (uint32_t k = 0, at = 0; k < run->steps; k++, s = s->next) {
			say_open(w, "%s", "");
			at = write_numbers(w, s, at, false);
			at = write_arrays(w, s, at, false);
			write_need_of(w, s);
			say_close(w);
		}
		say(w, "return most;");
		say_close(w);
	}
}

void write_same_layout(Writer *w)
{
	for (uint32_t q = 0; q < w->nsame; q++) {
		say_open(w, "for (int i = 0; i < %u; i++)", w->same[q].rows);
		say(w, "const int64_t need = %s_same%u_scratch(d, %s_same%u[i]);", w->name, q + 1, w->name,
			q + 1);
		say(w, "if (need > scratch) scratch = need;");
		say(w, "if (need < 0) return -1;");
		say_close(w);
	}
}

/* A function for each run. */
void write_same(Writer *w)
{
	for (uint32_t q = 0; q < w->nsame; q++) {
		const SameSteps *run = &w->same[q];
		const Step *s = run->row[0];
		say(w, "%s", "");
		say_open(w, "static int %s_run_same%u%s(struct %s_run *r, const int *u)", w->name, q + 1,
			w->suffix, w->name);
		say(w, "int64_t *const d = r->d;");
		say(w, "char *const scratch = r->w + r->at[%u];", w->nplace);
		say(w, "struct fault fault = { INT64_MAX, 0, 0 };");
		for (uint32_t k = 0, at = 0; k < run->steps; k++, s = s->next) {
			write_comment(w, s);
			say_open(w, "%s", "");
			at = write_numbers(w, s, at, true);
			at = write_arrays(w, s, at, true);
			write_run_of(w, s);
			say_close(w);
		}
		say(w, "return 0;");
		say_close(w);
	}
}

const Step *write_same_call(Writer *w, const Step *s)
{
	const SameAt *at = &w->same_at[s->number];
	say(w, "if ((bad = %s_run_same%u%s(r, %s_same%u[%u]))) return bad;", w->name, at->run, w->suffix,
		w->name, at->run, at->row);
	for (uint32_t k = w->same[at->run - 1].steps; k > 1; k--) s = s->next;
	return s;
}
