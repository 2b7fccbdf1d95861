/* summary.c - why a program takes its time: its dearest steps by the user's lines, what bounds them, what
 * would take less, what lies in memory between two steps and why it does.
 *
 * Times, bytes and work are the profile's, of one call; where nothing was measured the amounts are those
 * that a profile would have (src/run/amounts.c).
 */
#define POR_NO_LINES
#include "compiled.h"

#include <stdlib.h>

enum { SHOWN = 6, EXAMPLE = 1000 };

/* A step that computes, with what one call asks of it. */
typedef struct Load {
	const Step *step, *loop; /* the innermost around it, or NULL */
	double work, bytes, calls, ns; /* of all passes of the loops around it */
} Load;

typedef struct Loads {
	Arena *arena;
	const Plan *plan;
	const Program *run;
	int64_t *dim;
	Load *v;
	uint32_t n, cap, loops;
	double calls; /* of the program, measured; 0: none */
	bool open;    /* sizes that are not known */
	bool ends;    /* loops or branches that values decide */
} Loads;

/* ---- amounts -------------------------------------------------------------------------------- */

/* The calls that were measured: what stands in no loop ran once in each. */
static double measured_calls(const Loads *l)
{
	int64_t calls = 0;
	for (const Step *s = l->plan->first; s; s = s->next) {
		int64_t n = program_taken(l->run, s->number).calls;
		if (n > calls) calls = n;
	}
	return (double)calls;
}

static void add_load(Loads *l, const Step *s, const Step *loop, double passes)
{
	StepTaken t = l->calls > 0 ? program_taken(l->run, s->number)
				   : step_amounts(l->plan, s, l->dim, l->arena);
	const double times = l->calls > 0 ? 1 / l->calls : passes;
	GROW(l->arena, l->v, l->n, l->cap);
	l->v[l->n++] = (Load){s, loop, (double)t.work * times, (double)t.bytes * times,
		(double)t.calls * times, (double)t.nanoseconds * times};
}

static void add_loads(Loads *l, const Step *s, const Step *loop, double passes)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) {
			add_load(l, s, loop, passes);
			continue;
		}
		const bool known = !s->whiles && !s->condition;
		if (!s->condition) l->loops++;
		l->ends |= !known;
		add_loads(l, s->body, s->condition ? loop : s,
			known ? passes * (double)l->dim[s->steps] : passes);
	}
}

/* What a step does: a product's work is counted in multiplications, each with an addition. */
static double operations(const Load *x)
{
	return x->step->kind == STEP_CORE && x->step->call->core == CORE_CONTRACT ? 2 * x->work : x->work;
}

/* What a step weighs: its time; else its operations, or the time in which its bytes come, if that is more. */
static double weight(const Loads *l, const Load *x)
{
	if (l->calls > 0) return x->ns;
	return operations(x) > x->bytes ? operations(x) : x->bytes;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void amount(Text *t, double x, const char *unit)
{
	static const char *const scale[] = {"", "k", "M", "G", "T"};
	uint32_t i = 0;
	for (; x >= 999.5 && i + 1 < countof(scale); i++) x /= 1000;
	long tenths = (long)(x * 10 + 0.5); /* %f has the locale's point */
	if (tenths < 100 && tenths % 10)
		text_printf(t, "%ld.%ld", tenths / 10, tenths % 10);
	else
		text_printf(t, "%ld", (tenths + 5) / 10);
	text_printf(t, "%s%s%s", scale[i][0] || *unit ? " " : "", scale[i], unit);
}

static void name_of(Text *t, const Step *s)
{
	if (s->kind == STEP_KERNEL)
		text_printf(t, "kernel %u", s->call->kernel->index);
	else
		text_add(t, core_name(s));
	if (s->call->rules && *s->call->rules) text_printf(t, ": %s", s->call->rules);
	if (s->call->file && *s->call->file && s->line) text_printf(t, "  %s:%d", s->call->file, s->line);
}

static bool has_f64(const Loads *l, const Step *s)
{
	for (uint32_t i = 0; i < s->call->nbuffer; i++)
		if (l->plan->buffer[s->buffer[i]].dtype == DT_F64) return true;
	return false;
}

/* What bounds a step, and what would take less. */
static void say_bound(Text *t, const Loads *l, const Load *x)
{
	enum { SHORT = 16384, MANY = 100 }; /* bytes and operations that take less than their beginning */
	const double calls = x->calls > 1 ? x->calls : 1;
	const bool wide = has_f64(l, x->step);
	if (x->bytes / calls < SHORT && operations(x) / calls < SHORT)
		text_add(t, x->calls < MANY ? "its beginning bounds it: it is small"
					    : "the beginning of a pass bounds it; larger arrays, or many "
					      "problems at once (vmap), give a pass more to do");
	else if (operations(x) >= 2 * x->bytes)
		text_printf(t, "computing bounds it%s", wide ? "; f32 computes twice as many at once" : "");
	else
		text_printf(t, "memory bounds it where that is more than the caches hold%s",
			wide ? "; f32 is half of it" : "");
}

static void say_load(Text *t, const Loads *l, const Load *x, double all, double all_bytes)
{
	const double part = all > 0 ? weight(l, x) / all : 0;
	text_printf(t, "  %3d%%  ", (int)(100 * part + 0.5));
	if (l->calls > 0)
		text_printf(t, "%lld.%03lld ms  ", (long long)(x->ns / 1e6), (long long)(x->ns / 1e3) % 1000);
	name_of(t, x->step);
	if (x->loop) {
		text_add(t, ", in a loop");
		if (x->loop->call->file && x->loop->line && x->loop->line != x->step->line)
			text_printf(t, " of line %d", x->loop->line);
		text_add(t, ": ");
		amount(t, x->calls, "");
		text_add(t, x->calls >= 1.5 ? " times" : " time");
	}
	text_add(t, "\n        ");
	amount(t, operations(x), "");
	text_add(t, " operations, ");
	amount(t, x->bytes, "B");
	text_printf(t, " (%d%% of all): ", all_bytes > 0 ? (int)(100 * x->bytes / all_bytes + 0.5) : 0);
	say_bound(t, l, x);
	text_char(t, '\n');
}

static int by_weight(const void *a, const void *b, void *user)
{
	const double x = weight(user, a), y = weight(user, b);
	if (x != y) return x < y ? 1 : -1;
	const uint32_t m = ((const Load *)a)->step->number, n = ((const Load *)b)->step->number;
	return m < n ? -1 : m > n;
}

static void say_loads(Text *t, Loads *l)
{
	double all = 0, all_bytes = 0;
	Load *sorted = NEW_ARRAY(l->arena, Load, l->n + 1);
	if (l->n) memcpy(sorted, l->v, l->n * sizeof *sorted);
	qsort_r(sorted, l->n, sizeof *sorted, by_weight, l);
	for (uint32_t i = 0; i < l->n; i++) {
		all += weight(l, &l->v[i]);
		all_bytes += l->v[i].bytes;
	}
	if (!(all > 0)) return;
	text_add(t, l->calls > 0 ? "where the time went" : "where the work is");
	if (!(l->calls > 0) && l->open) text_printf(t, ", with every open size %d", EXAMPLE);
	if (!(l->calls > 0) && l->ends) text_add(t, ", one pass of what values end or choose");
	if (!(l->calls > 0) && (l->open || l->ends)) text_add(t, " (values for all parameters tell yours)");
	text_char(t, '\n');
	for (uint32_t i = 0; i < l->n && i < SHOWN && weight(l, &sorted[i]) * 200 > all; i++)
		say_load(t, l, &sorted[i], all, all_bytes);
	TierState tier;
	program_state((Program *)l->run, &tier);
	if (l->calls > 0 && tier.kernels && !tier.native)
		text_add(t, "kernels were interpreted: --tier native tells the times of compiled ones\n");
}

/* ---- what is stored between steps ----------------------------------------------------------- */

static bool writes(const Step *s, uint32_t buffer)
{
	if (s->kind == STEP_KERNEL) {
		for (uint32_t i = 0; i < s->call->nbuffer; i++)
			if (s->buffer[i] == buffer && s->call->kernel->buffer[i].written) return true;
		return false;
	}
	return s->call->nbuffer && s->buffer[s->call->nbuffer - 1] == buffer;
}

static bool reads(const Step *s, uint32_t buffer)
{
	for (uint32_t i = 0; i < s->call->nbuffer; i++)
		if (s->buffer[i] == buffer && !writes(s, buffer)) return true;
	return false;
}

static bool folds(const Step *s)
{
	const Kernel *k = s->call->kernel;
	for (uint32_t i = 0; i < k->ncode; i++)
		if (k->code[i].kind == INS_FOLD) return true;
	return false;
}

/* Why the array that `from` writes is not computed within `to`, of `readers` that read it. */
static const char *why_stored(Arena *a, const Step *from, const Step *to, uint32_t readers)
{
	if (from->kind == STEP_CORE) return arena_printf(a, "%s makes a whole array", core_name(from));
	if (to->kind == STEP_CORE) return arena_printf(a, "%s reads whole arrays", core_name(to));
	if (readers > 1) return arena_printf(a, "%u steps read it, it is computed once", readers);
	if (from->call->kernel->ncode + to->call->kernel->ncode > CODE_MAX)
		return arena_printf(a, "both would have more than %d instructions", CODE_MAX);
	if (folds(from)) return "a fold over other axes, or all of them, ends before it is read";
	return "it is read along other axes";
}

/* What an array takes: as it was measured, else by the dims. */
static double bytes_of(const Loads *l, uint32_t buffer)
{
	const Buffer *b = &l->plan->buffer[buffer];
	if (l->calls > 0) return (double)program_array_bytes(l->run, buffer);
	return (double)l->dim[elements_dim(l->plan, b)] * (double)dtype_bytes((Dtype)b->dtype);
}

typedef struct Stored {
	const Load *from;
	uint32_t buffer;
	double bytes;
} Stored;

static int by_bytes(const void *a, const void *b)
{
	const Stored *x = a, *y = b;
	if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Which step reads it, a core before a kernel, and how many do; NULL: none, but a loop may carry it. */
static const Step *reader_of(const Loads *l, uint32_t buffer, uint32_t *readers)
{
	const Step *to = NULL;
	*readers = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if (!reads(l->v[i].step, buffer)) continue;
		++*readers;
		if (!to || to->kind == STEP_KERNEL) to = l->v[i].step;
	}
	return to;
}

static void say_stored_one(Text *t, const Loads *l, const Stored *x)
{
	uint32_t readers;
	const Step *to = reader_of(l, x->buffer, &readers);
	text_add(t, "  ");
	amount(t, x->bytes, "B");
	text_add(t, "  ");
	name_of(t, x->from->step);
	text_printf(t, "\n        %s\n", why_stored(l->arena, x->from->step, to, readers));
}

static void say_stored(Text *t, const Loads *l)
{
	Stored *s = NEW_ARRAY(l->arena, Stored, l->plan->nbuffer + 1);
	uint32_t n = 0, readers;
	for (uint32_t b = 0; b < l->plan->nbuffer; b++) {
		if (l->plan->buffer[b].space != SPACE_WORK || !l->plan->buffer[b].rank) continue;
		if (!reader_of(l, b, &readers)) continue;
		for (uint32_t i = 0; i < l->n; i++)
			if (writes(l->v[i].step, b)) {
				s[n++] = (Stored){&l->v[i], b, bytes_of(l, b)};
				break;
			}
	}
	qsort(s, n, sizeof *s, by_bytes);
	if (n) text_printf(t, "arrays that lie in memory between two steps: %u\n", n);
	for (uint32_t i = 0; i < n && i < SHOWN; i++) say_stored_one(t, l, &s[i]);
}

void summary_text(Text *t, const Program *run)
{
	const Plan *p = program_plan(run);
	Loads l = {
		.arena = t->arena, .plan = p, .run = run, .dim = NEW_ARRAY(t->arena, int64_t, p->ndim + 1)};
	uint32_t kernels = 0;
	plan_example(p, EXAMPLE, l.dim);
	for (uint32_t i = 0; i < p->ndim; i++)
		l.open |= p->dim[i].kind == DIM_SIZE || p->dim[i].kind == DIM_SCALAR;
	l.calls = measured_calls(&l);
	add_loads(&l, p->first, NULL, 1);
	for (uint32_t i = 0; i < l.n; i++) kernels += l.v[i].step->kind == STEP_KERNEL;
	text_printf(t, "steps: %u by kernels, %u by cores", kernels, l.n - kernels);
	if (l.loops) text_printf(t, ", in %u %s", l.loops, l.loops == 1 ? "loop" : "loops");
	text_char(t, '\n');
	say_loads(t, &l);
	say_stored(t, &l);
}
