/* test_checkpoint.c - functions of which a derivative computes again what is within. */
#include "porism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { N = 3 };

static int64_t n[1] = {N};

/* y[i] = exp(x[i]), and how often that was done. */
static int counting_exp(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const double *x = in[0].data;
	double *y = out[0].data;
	(void)nin, (void)nout;
	++*(int *)user;
	for (int64_t i = 0; i < in[0].shape[0]; i++) y[i] = exp(x[i]);
	return 0;
}

static por_graph *open_counting(int *count)
{
	por_graph *g = por_open(NULL);
	por_custom c = {.size = sizeof c,
		.signature = "ex(x: f64[n]) -> f64[n]",
		.kernel = counting_exp,
		.user = count};
	assert_int_equal(por_define(g, &c), POR_OK);
	assert_int_equal(por_rule(g, "d(ex(x)) => ex(x)*dx", "derivative"), POR_OK);
	return g;
}

static por_function *counted(por_graph *g)
{
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_sin(por_custom_call(g, "ex", 1, &x));
	return por_function_of(g, "f", 1, &x, 1, &y);
}

/* The gradient of sum(f(f(x))^2), and the value if it is asked for. */
static void run(por_graph *g, por_function *f, int nout, double *value, double *d)
{
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_invoke(f, 1, &x), *z = por_invoke(f, 1, &y), *out[2];
	por_node *s = por_sum(por_mul(z, z), POR_ALL);
	assert_int_equal(por_grad(s, 1, &x, &out[0]), POR_OK);
	out[1] = s;
	por_program *p = por_compile(g, 1, &x, nout, out, NULL);
	assert_non_null(p);
	double at[N] = {0.5, -1, 0.25};
	por_array in = por_view(at, POR_F64, 1, n),
		  to[2] = {por_view(d, POR_F64, 1, n), por_view(value, POR_F64, 0, NULL)};
	assert_int_equal(por_call(p, NULL, 1, &in, nout, to), POR_OK);
	por_program_free(p);
}

/* Kept, f runs once at each place; else once, and once more for the derivative there. */
static void what_is_inside_runs_again(void **state)
{
	(void)state;
	double value[3], d[3][N];
	int count[3] = {0};
	for (int way = 0; way < 3; way++) {
		por_graph *g = open_counting(&count[way]);
		por_function *f = counted(g);
		if (way) f = por_checkpoint(f);
		if (way == 2) f = por_with_laws(f, POR_LAW_EXACT);
		assert_non_null(f);
		run(g, f, 2, &value[way], d[way]);
		assert_true(value[way] == value[0]);
		for (int i = 0; i < N; i++) assert_true(fabs(d[way][i] - d[0][i]) < 1e-14);
		por_close(g);
	}
	assert_int_equal(count[0], 2);
	assert_int_equal(count[1], 4);
	assert_int_equal(count[2], 4);
}

static void values_alone_run_once(void **state)
{
	(void)state;
	int count = 0;
	por_graph *g = open_counting(&count);
	por_function *f = por_checkpoint(por_with_laws(counted(g), POR_LAW_EXACT));
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_invoke(f, 1, &x);
	por_program *p = por_compile(g, 1, &x, 1, &y, NULL);
	double at[N] = {0.5, -1, 0.25}, got[N];
	por_array in = por_view(at, POR_F64, 1, n), out = por_view(got, POR_F64, 1, n);
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
	assert_int_equal(count, 1);
	for (int i = 0; i < N; i++) assert_true(fabs(got[i] - sin(exp(at[i]))) < 1e-15);
	char *text = por_print(1, &y);
	assert_non_null(strstr(text, "checkpoint("));
	assert_non_null(strstr(text, "exact("));
	por_text_free(text);
	por_program_free(p);
	por_close(g);
	assert_null(por_checkpoint(NULL));
}

/* ---- loops in levels ---------------------------------------------------------------------------- */

static int counting_sin(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)nin, (void)nout;
	++*(int *)user;
	*(double *)out[0].data = sin(*(const double *)in[0].data);
	return 0;
}

static double choose(double n, int k)
{
	double c = 1;
	for (int i = 1; i <= k; i++) c *= (n - k + i) / i;
	return c;
}

/* The fewest steps that a reverse sweep over n of them computes with so many states (Griewank and Walther 2000). */
static double fewest(double n, double states)
{
	int r = 1;
	while (choose(states + r, r) < n) r++;
	return r * n - choose(states + r, r - 1);
}

/* 100,000 steps, each of which counts. */
static const char counted_loop[] = "(y = x, i < n) => {y = counting(y)}",
		  by_number[] = "(y = x, k = 0) while k < n => {y = counting(y), k = k + 1}",
		  by_value[] = "(y = x, k = 0) while y > -k and k < n => {y = counting(y), k = k + 1}";

static int64_t steps_of(const char *loop, int levels, double *d)
{
	static const char text[] = "fn end(x: f64, n: i64) = (scan[levels = %d] %s).y\n"
				   "fn slope(x: f64, n: i64) = grad(end(x, n), x)\n";
	int count = 0;
	char file[300];
	snprintf(file, sizeof file, text, levels, loop);
	por_graph *g = por_open(NULL);
	por_custom c = {.size = sizeof c,
		.signature = "counting(x: f64) -> f64",
		.kernel = counting_sin,
		.user = &count};
	assert_int_equal(por_define(g, &c), POR_OK);
	assert_int_equal(por_rule(g, "d(counting(x)) => cos(x)*dx", "derivative"), POR_OK);
	por_module *m = por_load(g, file, -1, "m.por");
	por_program *p = por_compile_function(por_function_named(m, "slope", 0, NULL),
		&(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	assert_non_null(p);
	double x = 0.75;
	int64_t steps = 100000;
	por_array in[] = {por_view(&x, POR_F64, 0, NULL), por_view(&steps, POR_I64, 0, NULL)},
		  out = por_view(d, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 2, in, 1, &out), POR_OK);
	por_program_free(p);
	por_close(g);
	return count;
}

/* k levels, each of n^(1/k) pieces, compute hardly more than the best that may keep k*n^(1/k) states. */
static void levels_compute_few_steps_again(void **state)
{
	(void)state;
	double d[4];
	assert_int_equal(steps_of(counted_loop, 1, &d[1]), 100000);
	for (int k = 2; k <= 3; k++) {
		double best = fewest(1e5, k * ceil(pow(1e5, 1.0 / k)));
		assert_true(steps_of(counted_loop, k, &d[k]) < 1.05 * best);
		assert_true(d[k] == d[1]);
	}
}

/* A loop of unknown length writes down its states as it runs; where only some are kept it is one of known length
 * once its passes are counted, by what the condition asks for. */
static void passes_are_counted_once(void **state)
{
	(void)state;
	for (int k = 1; k <= 3; k++) {
		double d[3];
		int64_t least = steps_of(counted_loop, k, &d[0]);
		assert_int_equal(steps_of(by_number, k, &d[1]), least);
		assert_int_equal(steps_of(by_value, k, &d[2]), least + (k > 1 ? 100000 : 0));
		assert_true(d[0] == d[1] && d[0] == d[2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_inside_runs_again),
		cmocka_unit_test(values_alone_run_once),
		cmocka_unit_test(levels_compute_few_steps_again),
		cmocka_unit_test(passes_are_counted_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
