/* summary.c - why a program takes its time: its dearest steps, what bounds them, what lies in memory between
 * two steps and why it does.
 *
 * Amounts are those of one call, where all sizes are numbers: operations by the costs of src/ir/ops.h, bytes
 * of the arrays that a step reads and writes, each counted once.
 */
#define POR_NO_LINES
#include "compiled.h"

#include <stdlib.h>

enum { SHOWN = 6, UNKNOWN = -1 };

/* A step that computes, with what one call asks of it. */
typedef struct Load {
	const Step *step;
	double operations, bytes; /* of all passes of the loops around it */
	int64_t calls, ns;        /* as they were measured */
	bool fixed;               /* the amounts are known */
} Load;

typedef struct Loads {
	Arena *arena;
	const Plan *plan;
	const Program *run;
	int64_t *dim; /* UNKNOWN: it depends on the call */
	Load *v;
	uint32_t n, cap, loops;
	bool timed;
	int64_t ns;
} Loads;

/* ---- sizes ---------------------------------------------------------------------------------- */

static int64_t dim_value(const int64_t *known, const Dim *d)
{
	if (d->kind == DIM_CONST) return d->value;
	if (d->kind == DIM_SIZE || d->kind == DIM_SCALAR) return UNKNOWN;
	const int64_t a = known[d->a], b = known[d->b];
	if (a < 0 || b < 0) return UNKNOWN;
	switch (d->kind) {
	case DIM_ADD: return a + b;
	case DIM_MUL: return a * b;
	case DIM_FLOORDIV: return b ? a / b : 0;
	case DIM_MOD: return b ? a % b : a;
	case DIM_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}

static double product(const Loads *l, const Step *s, uint32_t from, uint32_t to)
{
	const Kernel *k = s->call->kernel;
	double n = 1;
	for (uint32_t i = from; i < to; i++) {
		Int e = k->extent[i];
		int64_t x = e.param < 0 ? e.value : l->dim[s->call->param[e.param]];
		if (x < 0) return UNKNOWN;
		n *= (double)x;
	}
	return n;
}

static double elements(const Loads *l, uint32_t buffer)
{
	const Plan *p = l->plan;
	return (double)l->dim[elements_dim(p, &p->buffer[buffer])];
}

static double bytes_of(const Loads *l, uint32_t buffer)
{
	return elements(l, buffer) * (double)dtype_bytes((Dtype)l->plan->buffer[buffer].dtype);
}

/* ---- amounts -------------------------------------------------------------------------------- */

static double stage_cost(const Kernel *k, const Stage *s)
{
	double cost = 0;
	for (uint32_t i = s->first; i < s->end; i++) {
		const Ins *x = &k->code[i];
		if (x->kind == INS_MAP || x->kind == INS_RANDOM) cost += op_info[x->op].cost;
		if (x->kind == INS_FOLD) cost += 1;
	}
	return cost;
}

static bool kernel_operations(const Loads *l, const Step *s, double *operations)
{
	const Kernel *k = s->call->kernel;
	const double rows = product(l, s, 0, k->nrow), all = product(l, s, 0, k->naxis);
	*operations = 0;
	if (rows < 0 || all < 0) return false;
	for (uint32_t i = 0; i < k->nstage; i++) {
		double times = k->stage[i].inner ? all : rows;
		if (k->recipe == RECIPE_CHAIN && i) times = rows * product(l, s, k->nfold, k->naxis);
		*operations += times * stage_cost(k, &k->stage[i]);
	}
	return true;
}

static bool core_operations(const Loads *l, const Step *s, double *operations)
{
	enum { BATCH = 1, DEPTH = 4 };
	const StepCall *c = s->call;
	*operations = 0;
	if (c->core != CORE_CONTRACT) {
		for (uint32_t i = 0; i < c->nbuffer; i++) *operations += elements(l, s->buffer[i]);
		return true;
	}
	double n = 2;
	for (uint32_t i = BATCH; i <= DEPTH && n >= 0; i++) {
		int64_t x = l->dim[c->param[i]];
		n = x < 0 ? UNKNOWN : n * (double)x;
	}
	*operations = n;
	return n >= 0;
}

static void add_load(Loads *l, const Step *s, double passes)
{
	Load x = {.step = s, .fixed = passes >= 0};
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		double bytes = bytes_of(l, s->buffer[i]);
		bool again = false;
		for (uint32_t k = 0; k < i; k++) again |= s->buffer[k] == s->buffer[i];
		x.fixed &= bytes >= 0;
		if (!again) x.bytes += bytes;
	}
	x.fixed = x.fixed &&
		(s->kind == STEP_KERNEL ? kernel_operations(l, s, &x.operations)
					: core_operations(l, s, &x.operations));
	x.operations *= passes;
	x.bytes *= passes;
	StepTaken taken = program_taken(l->run, s->number);
	x.calls = taken.calls;
	x.ns = taken.nanoseconds;
	l->timed |= x.calls > 0;
	l->ns += x.ns;
	GROW(l->arena, l->v, l->n, l->cap);
	l->v[l->n++] = x;
}

static void add_loads(Loads *l, const Step *s, double passes)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) {
			add_load(l, s, passes);
			continue;
		}
		int64_t n = s->whiles ? UNKNOWN : l->dim[s->steps];
		l->loops++;
		add_loads(l, s->body, n < 0 || passes < 0 ? UNKNOWN : passes * (double)n);
	}
}

/* What a step weighs: its time; else its operations, or the time in which its bytes come, if that is more. */
static double weight(const Loads *l, const Load *x)
{
	enum { OPERATIONS_A_BYTE = 1 };
	if (l->timed) return (double)x->ns;
	if (!x->fixed) return 0;
	const double moved = x->bytes * OPERATIONS_A_BYTE;
	return x->operations > moved ? x->operations : moved;
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

static void say_load(Text *t, const Loads *l, const Load *x, double all)
{
	const double part = all > 0 ? weight(l, x) / all : 0;
	text_printf(t, "  %3d%%  ", (int)(100 * part + 0.5));
	if (l->timed)
		text_printf(t, "%lld.%03lld ms  ", (long long)(x->ns / 1000000),
			(long long)(x->ns / 1000 % 1000));
	name_of(t, x->step);
	if (x->fixed) {
		text_add(t, "\n        ");
		amount(t, x->operations, "");
		text_add(t, " operations, ");
		amount(t, x->bytes, "B");
		text_printf(t, ": %s",
			x->operations >= 2 * x->bytes
				? "computing bounds it"
				: "memory bounds it where that is more than the caches hold");
	}
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
	double all = 0;
	Load *sorted = NEW_ARRAY(l->arena, Load, l->n + 1);
	if (l->n) memcpy(sorted, l->v, l->n * sizeof *sorted);
	qsort_r(sorted, l->n, sizeof *sorted, by_weight, l);
	for (uint32_t i = 0; i < l->n; i++) all += weight(l, &l->v[i]);
	if (!(all > 0)) return;
	text_add(t, l->timed ? "where the time went\n" : "where the work is\n");
	for (uint32_t i = 0; i < l->n && i < SHOWN && weight(l, &sorted[i]) > 0; i++)
		say_load(t, l, &sorted[i], all);
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
	if (x->bytes >= 0) {
		amount(t, x->bytes, "B");
		text_add(t, "  ");
	}
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
	bool fixed = true;
	for (uint32_t i = 0; i < p->ndim; i++) l.dim[i] = dim_value(l.dim, &p->dim[i]);
	add_loads(&l, p->first, 1);
	for (uint32_t i = 0; i < l.n; i++) {
		kernels += l.v[i].step->kind == STEP_KERNEL;
		fixed &= l.v[i].fixed;
	}
	text_printf(t, "steps: %u by kernels, %u by cores", kernels, l.n - kernels);
	if (l.loops) text_printf(t, ", in %u %s", l.loops, l.loops == 1 ? "loop" : "loops");
	text_char(t, '\n');
	say_loads(t, &l);
	if (!fixed)
		text_add(t,
			"amounts are those of sizes that are known: values for all parameters tell the others\n");
	say_stored(t, &l);
}
