/* test_vmap.c - functions for all along an axis of their arguments. */
#include "porism.h"

#include <math.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { K = 5, N = 3 };

/* softplus(x . w)*y, and its gradient by w. */
static por_function *one_of(por_graph *g)
{
	por_node *w = por_input(g, "w", "f64[n]"), *x = por_input(g, "x", "f64[n]"),
		 *y = por_input(g, "y", "f64");
	por_node *in[] = {w, x, y}, *out[2];
	out[0] = por_mul(por_softplus(por_matmul(x, w)), y);
	assert_int_equal(por_grad(out[0], 1, &w, &out[1]), POR_OK);
	por_function *f = por_function_of(g, "one", 3, in, 2, out);
	assert_non_null(f);
	return f;
}

static void wanted(const double *w, const double *x, double y, double *value, double *slope)
{
	double z = 0;
	for (int i = 0; i < N; i++) z += x[i] * w[i];
	*value = log1p(exp(z)) * y;
	for (int i = 0; i < N; i++) slope[i] = y * x[i] / (1 + exp(-z));
}

/* x in rows (axis 0) or in columns (axis 1, or -1), w shared or one for each */
static void mapped(int axis_of_x, int axis_of_w)
{
	por_graph *g = por_open(NULL);
	int axes[3] = {axis_of_w, axis_of_x, 0};
	por_function *f = por_vmap(one_of(g), 3, axes);
	por_program *p = por_compile_function(
		f, &(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	assert_non_null(p);
	bool rows = !axis_of_x, own = axis_of_w != POR_SHARED;
	double w[K * N], x[K * N], y[K], value[K], slope[K * N];
	for (int i = 0; i < K * N; i++) {
		w[i] = 0.3 * (i % 4) - 0.5;
		x[i] = 0.25 * (i % 7) - 0.6;
	}
	for (int k = 0; k < K; k++) y[k] = k - 1.5;
	int64_t by_rows[2] = {K, N}, by_columns[2] = {N, K}, n[1] = {N}, many[1] = {K};
	por_array in[] = {por_view(w, POR_F64, own ? 2 : 1, own ? by_rows : n),
		por_view(x, POR_F64, 2, rows ? by_rows : by_columns), por_view(y, POR_F64, 1, many)};
	por_array out[] = {por_view(value, POR_F64, 1, many), por_view(slope, POR_F64, 2, by_rows)};
	assert_int_equal(por_call(p, NULL, 3, in, 2, out), POR_OK);
	for (int k = 0; k < K; k++) {
		double one[N], v, d[N];
		for (int i = 0; i < N; i++) one[i] = rows ? x[k * N + i] : x[i * K + k];
		wanted(w + (own ? k * N : 0), one, y[k], &v, d);
		assert_true(fabs(value[k] - v) < 1e-14);
		for (int i = 0; i < N; i++) assert_true(fabs(slope[k * N + i] - d[i]) < 1e-14);
	}
	por_program_free(p);
	por_close(g);
}

static void any_axis_of_any_argument(void **state)
{
	(void)state;
	mapped(0, POR_SHARED);
	mapped(1, POR_SHARED);
	mapped(-1, POR_SHARED);
	mapped(0, 0);
	mapped(1, 0);
}

static void maps_of_maps(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_input(g, "y", "f64"), *z = por_sub(x, por_mul(y, y));
	por_function *f = por_function_of(g, "f", 2, (por_node *[]){x, y}, 1, &z);
	f = por_vmap(por_vmap(f, 2, (int[]){POR_SHARED, 0}), 2, (int[]){0, POR_SHARED});
	por_program *p = por_compile_function(
		f, &(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	assert_non_null(p);
	double a[2] = {1, 2}, b[3] = {3, 4, 5}, r[6];
	int64_t two[1] = {2}, three[1] = {3}, both[2] = {2, 3};
	por_array in[] = {por_view(a, POR_F64, 1, two), por_view(b, POR_F64, 1, three)},
		  out = por_view(r, POR_F64, 2, both);
	assert_int_equal(por_call(p, NULL, 2, in, 1, &out), POR_OK);
	for (int i = 0; i < 6; i++) assert_true(r[i] == a[i / 3] - b[i % 3] * b[i % 3]);
	por_program_free(p);
	por_close(g);
}

static void refused(const char *part, int n, const int *axes)
{
	por_graph *g = por_open(NULL);
	assert_null(por_vmap(one_of(g), n, axes));
	assert_non_null(strstr(por_graph_error(g)->text, part));
	por_close(g);
}

static void what_is_no_axis(void **state)
{
	(void)state;
	refused("given axes of 2 inputs, it has 3", 2, (int[]){0, 0});
	refused("given axes of 0 inputs, it has 3", 3, NULL);
	refused("no room for axis 2", 3, (int[]){0, 2, 0});
	refused("no room for axis", 3, (int[]){0, -3, 0});
	refused("no argument has an axis", 3, (int[]){POR_SHARED, POR_SHARED, POR_SHARED});
	assert_null(por_vmap(NULL, 0, NULL));
}

static int calls;
static int half(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user;
	calls++;
	for (int64_t i = 0; i < por_array_count(&out[0]); i++)
		((double *)out[0].data)[i] = ((const double *)in[0].data)[i]/(nin + nout);
	return 0;
}

/* An elementwise operator of the user's is called for all lanes at once; another for one after another. */
static int calls_of(const char *signature, unsigned flags, const char *type)
{
	por_graph *g = por_open(NULL);
	const por_custom c = {.size = sizeof c, .signature = signature, .kernel = half, .flags = flags};
	assert_int_equal(por_define(g, &c), POR_OK);
	por_node *x = por_input(g, "x", type), *y = por_custom_call(g, "half", 1, &x), *xs = por_input(g, "xs", "f64[k, n]");
	por_function *f = por_vmap(por_function_of(g, "one", 1, &x, 1, &y), 1, (int[]){0});
	if (!type[3]) f = por_vmap(f, 1, (int[]){0});
	y = por_invoke(f, 1, &xs);
	por_program *p = por_compile(g, 1, &xs, 1, &y, &(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	assert_non_null(p);
	double in[K * N], out[K * N];
	for (int i = 0; i < K * N; i++) in[i] = i;
	por_array from = por_view(in, POR_F64, 2, (int64_t[]){K, N}), to = por_view(out, POR_F64, 2, (int64_t[]){K, N});
	calls = 0;
	assert_int_equal(por_call(p, NULL, 1, &from, 1, &to), POR_OK);
	for (int i = 0; i < K * N; i++) assert_true(out[i] == in[i]/2);
	por_program_free(p);
	por_close(g);
	return calls;
}

static void operators_of_the_users(void **state)
{
	(void)state;
	assert_int_equal(calls_of("half(x: f64[..s]) -> f64[..s]", POR_ELEMENTWISE, "f64[n]"), 1);
	assert_int_equal(calls_of("half(x: f64[..s]) -> f64[..s]", POR_ELEMENTWISE, "f64"), 1);
	assert_int_equal(calls_of("half(x: f64[..s]) -> f64[..s]", 0, "f64[n]"), K);
	assert_int_equal(calls_of("half(x: f64[n]) -> f64[n]", POR_ELEMENTWISE, "f64[n]"), K);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(any_axis_of_any_argument),
		cmocka_unit_test(maps_of_maps), cmocka_unit_test(operators_of_the_users), cmocka_unit_test(what_is_no_axis)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
