/* eight.c - eight functions in one kernel against the sum of the eight kernels of one, which run in first-level cache:
 * what a long kernel loses by keeping too much in registers. */
#include "rows.h"

#include <stdbool.h>

enum { LONG = 100000, SHORT = 1024, ROUNDS = 40, EIGHT = 8 };

typedef struct Chain {
	const char *name, *function[EIGHT]; /* applied in this order, to numbers of [0.1, 0.9] */
} Chain;

static const Chain chains[] = {
	{"exp log1p tanh erf cbrt atan sigmoid expm1",
		{"exp", "log1p", "tanh", "erf", "cbrt", "atan", "sigmoid", "expm1"}},
	{"cos exp sin log tan sinh atan expm1", {"cos", "exp", "sin", "log", "tan", "sinh", "atan", "expm1"}},
	{"log2 exp2 softplus acosh sqrt erfc cosh log10",
		{"log2", "exp2", "softplus", "acosh", "sqrt", "erfc", "cosh", "log10"}},
};

typedef struct Job {
	por_program *p;
	por_frame *f;
	por_array in, out;
	int64_t n;
	double best; /* seconds an element */
} Job;

static _Alignas(64) char x[EIGHT + 1][LONG * 8], y[LONG * 8];

static bool job_open(
	Job *j, por_graph *g, por_node *in, por_node *out, int dtype, const void *from, int64_t n)
{
	static int64_t dim[2] = {LONG, SHORT};
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE, .threads = 1};
	j->p = por_compile(g, 1, &in, 1, &out, &o);
	j->f = j->p ? por_frame_new(j->p) : NULL;
	j->in = por_view((void *)(uintptr_t)from, dtype, 1, &dim[n == SHORT]);
	j->out = por_view(y, dtype, 1, &dim[n == SHORT]);
	j->n = n, j->best = 1e9;
	return j->f && !por_call(j->p, j->f, 1, &j->in, 1, &j->out);
}

/* of this thread, so that other work on the machine counts little */
static double processor_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void job_time(Job *j)
{
	int calls = (int)(LONG / j->n);
	double start = processor_time();
	for (int i = 0; i < calls; i++) por_call(j->p, j->f, 1, &j->in, 1, &j->out);
	double each = (processor_time() - start) / calls / (double)j->n;
	j->best = each < j->best ? each : j->best;
}

static void measure(const Chain *c, int dtype)
{
	Job job[EIGHT + 1];
	char name[120];
	por_graph *g = por_open(NULL);
	por_node *in = por_input(g, "x", dtype == POR_F32 ? "f32[n]" : "f64[n]"), *all = in;
	bool good = true;
	snprintf(name, sizeof name, "%s, %s", c->name, dtype == POR_F32 ? "f32" : "f64");
	for (int i = 0; i < LONG; i++) {
		double v = 0.1 + 0.8 * i / LONG;
		dtype == POR_F32 ? (void)(((float *)x[0])[i] = (float)v) : (void)(((double *)x[0])[i] = v);
	}
	for (int k = 0; good && k < EIGHT; k++) { /* each part has what the part before it gave */
		char text[40];
		snprintf(text, sizeof text, "%s(x)", c->function[k]);
		por_node *one = por_parse(g, text, 1, (const char *[]){"x"}, &in);
		all = por_parse(g, text, 1, (const char *[]){"x"}, &all);
		good = job_open(&job[k], g, in, one, dtype, x[k], SHORT);
		memcpy(x[k + 1], y, sizeof y);
	}
	good = good && job_open(&job[EIGHT], g, in, all, dtype, x[0], LONG);
	if (!good) {
		row_failed(name, por_graph_error(g) ? por_graph_error(g)->text : "no program");
		por_close(g);
		return;
	}
	for (int r = 0; r < ROUNDS; r++)
		for (int k = 0; k <= EIGHT; k++) job_time(&job[k]);
	double sum = 0;
	for (int k = 0; k < EIGHT; k++) sum += job[k].best;
	row(name, job[EIGHT].best * 1e9, sum * 1e9, 1.15);
	for (int k = 0; k <= EIGHT; k++) por_frame_free(job[k].f), por_program_free(job[k].p);
	por_close(g);
}

int main(void)
{
	for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
		measure(&chains[k], POR_F32), measure(&chains[k], POR_F64);
	return 0;
}
