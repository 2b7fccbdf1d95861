/* test_forms.c - functions that stay functions, systems of equations, sparse derivatives, as C builds them. */
#include "porism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { N = 4 };
static const por_options interpreted = {.size = sizeof interpreted, .tier = POR_TIER_INTERPRET, .threads = 1};

/* n results of numbers, for vectors w and b. */
static void run(por_graph *g, por_node *w, por_node *b, int n, por_node *const *y, double (*out)[N])
{
	double wv[N] = {2, 3, 4, 5}, bv[N] = {1, -1, 2, 3};
	int64_t size[1] = {N};
	por_program *p = por_compile(g, 2, (por_node *[]){w, b}, n, y, &interpreted);
	if (!p) fail_msg("%s", por_graph_error(g)->text);
	por_frame *f = por_frame_new(p);
	por_array in[] = {por_view(wv, POR_F64, 1, size), por_view(bv, POR_F64, 1, size)};
	assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
	for (int i = 0; i < n; i++) {
		const por_array *r = por_frame_result(f, i);
		memcpy(out[i], (char *)r->data + r->byte_offset, (r->ndim ? (size_t)r->shape[0] : 1) * sizeof(double));
	}
	por_frame_free(f);
	por_program_free(p);
}

static int count(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)); text += strlen(part)) n++;
	return n;
}

/* ---- functions that stay ------------------------------------------------------------------------- */

static por_function *layer(por_graph *g)
{
	por_node *in[] = {por_input(g, "x", "f64[n]"), por_input(g, "w", "f64[n]")};
	por_node *y = por_sin(por_mul(por_tanh(in[0]), in[1]));
	return por_function_of(g, "layer", 2, in, 1, &y);
}

/* So many layers, one upon the other, and the gradient; how often `tanh` is printed of both. */
static int layers(int n, por_function *(*mark)(por_function *), double (*out)[N])
{
	por_graph *g = por_open(NULL);
	por_node *w = por_input(g, "w", "f64[n]"), *b = por_input(g, "b", "f64[n]"), *y[2] = {b};
	por_function *f = mark ? mark(layer(g)) : layer(g);
	assert_string_equal(por_function_name(f), "layer");
	for (int i = 0; i < n; i++) y[0] = por_invoke(f, 2, (por_node *[]){y[0], w});
	y[0] = por_sum(y[0], POR_ALL);
	assert_int_equal(por_grad(y[0], 1, &w, &y[1]), POR_OK);
	char *text = por_print_function(por_function_of(g, "f", 2, (por_node *[]){w, b}, 2, y), 0);
	int printed = count(text, "tanh(");
	por_text_free(text);
	run(g, w, b, 2, y, out);
	por_close(g);
	return printed;
}

/* Printed once, as is each derivative; the values are those of what is taken apart. */
static void kept_functions_are_one(void **state)
{
	(void)state;
	double out[2][N], kept[2][N];
	assert_int_equal(layers(12, por_kept, kept), layers(6, por_kept, out));
	layers(12, NULL, out);
	assert_true(fabs(out[0][0] - kept[0][0]) < 1e-14);
	for (int i = 0; i < N; i++) assert_true(fabs(out[1][i] - kept[1][i]) <= 1e-13 * fabs(out[1][i]));
}

/* Each mark belongs to a call of its own. */
static void kept_and_marked_otherwise(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_function *f = layer(g), *both[] = {por_kept(por_checkpoint(f)), por_checkpoint(por_kept(f)),
		por_with_laws(por_kept(f), POR_LAW_EXACT), por_kept(por_kept(f))};
	por_node *w = por_input(g, "w", "f64[n]"), *b = por_input(g, "b", "f64[n]"), *y[4];
	double out[4][N];
	for (int i = 0; i < 4; i++) {
		assert_non_null(both[i]);
		y[i] = por_invoke(both[i], 2, (por_node *[]){b, w});
	}
	run(g, w, b, 4, y, out);
	for (int i = 1; i < 4; i++) assert_memory_equal(out[0], out[i], sizeof out[0]);
	assert_null(por_kept(NULL));
	por_close(g);
}

/* ---- systems --------------------------------------------------------------------------------------- */

/* Of (z, w): w*z^power. */
static por_function *product(por_graph *g, int power)
{
	por_node *in[] = {por_input(g, "z", "f64[n]"), por_input(g, "w", "f64[n]")}, *y = in[1];
	for (int i = 0; i < power; i++) y = por_mul(y, in[0]);
	return por_function_of(g, "product", 2, in, 1, &y);
}

/* Of (b, w): b/w by steps, whose own derivative would not be that of b/w. */
static por_function *quotient(por_graph *g)
{
	por_node *in[] = {por_input(g, "b", "f64[n]"), por_input(g, "w", "f64[n]")};
	por_node *y = por_div(por_stop_gradient(in[0]), por_stop_gradient(in[1]));
	return por_function_of(g, "quotient", 2, in, 1, &y);
}

static void systems_are_differentiated_as_such(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_function *f = por_with_system(quotient(g), product(g, 1), quotient(g));
	assert_non_null(f);
	assert_string_equal(por_function_name(f), "quotient");
	por_node *w = por_input(g, "w", "f64[n]"), *b = por_input(g, "b", "f64[n]"), *y[5];
	y[0] = por_invoke(f, 2, (por_node *[]){b, w});
	por_node *sum = por_sum(y[0], POR_ALL), *one = por_broadcast_to(por_constant(g, "f64", 1), 1, (por_size[]){por_size_named(g, "n")});
	assert_int_equal(por_grad(sum, 1, &b, &y[1]), POR_OK);
	assert_int_equal(por_grad(sum, 1, &w, &y[2]), POR_OK);
	assert_int_equal(por_grad(por_sum(y[2], POR_ALL), 1, &w, &y[3]), POR_OK);
	assert_int_equal(por_jvp(1, y, 1, &w, &one, &y[4]), POR_OK);
	double out[5][N], wv[N] = {2, 3, 4, 5}, bv[N] = {1, -1, 2, 3};
	run(g, w, b, 5, y, out);
	for (int i = 0; i < N; i++) {
		assert_true(fabs(out[0][i] - bv[i] / wv[i]) < 1e-15);
		assert_true(fabs(out[1][i] - 1 / wv[i]) < 1e-15);
		assert_true(fabs(out[2][i] + bv[i] / (wv[i] * wv[i])) < 1e-15);
		assert_true(fabs(out[3][i] - 2 * bv[i] / (wv[i] * wv[i] * wv[i])) < 1e-15);
		assert_true(fabs(out[4][i] - out[2][i]) < 1e-15);
	}
	por_close(g);
}

/* Two inputs are the right side: (b + c, b - c)/2 solves z + u = b, z - u = c; all is as its own transpose. */
static void systems_of_several_arrays(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *in[] = {por_input(g, "b", "f64[n]"), por_input(g, "c", "f64[n]")}, *half = por_number(g, 0.5),
		 *a[] = {por_add(in[0], in[1]), por_sub(in[0], in[1])},
		 *z[] = {por_mul(half, a[0]), por_mul(half, a[1])};
	por_function *f = por_function_of(g, "halves", 2, in, 2, z), *h = por_function_of(g, "sums", 2, in, 2, a);
	por_function *own = por_with_system(f, h, f);
	por_node *w = por_input(g, "w", "f64[n]"), *b = por_input(g, "b", "f64[n]");
	por_node *r = por_invoke(own, 2, (por_node *[]){w, b}), *y[3] = {por_get(r, 0), por_get(r, 1)};
	const char *const names[] = {"r"};
	assert_ptr_equal(por_parse(g, "get[1](r)", 1, names, &r), y[1]);
	assert_ptr_equal(por_parse(g, "let (a, b) = r in a*b", 1, names, &r), por_mul(y[0], y[1]));
	por_node *same = por_parse(g, "r", 1, names, &r);
	assert_ptr_equal(por_get(same, 0), y[0]);
	assert_int_equal(por_grad(por_sum(por_mul(y[0], y[1]), POR_ALL), 1, &w, &y[2]), POR_OK);
	double out[3][N], wv[N] = {2, 3, 4, 5}, bv[N] = {1, -1, 2, 3};
	run(g, w, b, 3, y, out);
	for (int i = 0; i < N; i++) {
		assert_true(out[0][i] == (wv[i] + bv[i]) / 2 && out[1][i] == (wv[i] - bv[i]) / 2);
		assert_true(fabs(out[2][i] - wv[i] / 2) < 1e-15);
	}
	por_close(g);
}

static void refused(por_function *f, por_graph *g, int code, const char *part)
{
	assert_null(f);
	assert_int_equal(por_graph_error(g)->code, code);
	if (!strstr(por_graph_error(g)->text, part)) fail_msg("%s", por_graph_error(g)->text);
	por_clear_error(g);
}

static void what_is_no_system(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL), *other = por_open(NULL);
	por_function *f = quotient(g), *a = product(g, 1);
	por_node *x = por_input(g, "x", "f64[n]"), *w = por_input(g, "w", "f64[n]"), *i = por_input(g, "i", "i64[n]"),
		 *s = por_sum(por_mul(x, w), POR_ALL), *two[] = {x, w};
	por_function *one = por_function_of(g, "one", 1, &x, 1, &x), *dot = por_function_of(g, "dot", 2, two, 1, &s),
		     *pair = por_function_of(g, "pair", 1, &x, 2, (por_node *[]){x, x}),
		     *whole = por_function_of(g, "whole", 1, &i, 1, &i);
	refused(por_with_system(f, product(g, 2), f), g, POR_ERR_DERIVATIVE, "not linear in input 1");
	refused(por_with_system(f, one, f), g, POR_ERR_VALUE, "its second function has 1 inputs and 1 results, wanted 2 and 1");
	refused(por_with_system(f, a, pair), g, POR_ERR_VALUE, "its third function has 1 inputs and 2 results");
	refused(por_with_system(pair, pair, pair), g, POR_ERR_VALUE, "2 results of 1 inputs");
	refused(por_with_system(f, dot, f), g, POR_ERR_TYPE, "its second function gives f64, wanted f64[n]");
	refused(por_with_system(whole, whole, whole), g, POR_ERR_TYPE, "its right side has i64[n], wanted arrays of floats");
	refused(por_with_system(f, product(other, 1), f), g, POR_ERR_VALUE, "several graphs");
	assert_null(por_with_system(NULL, a, f));
	assert_null(por_with_system(f, NULL, f));
	assert_null(por_with_system(f, a, NULL));
	assert_int_equal(por_graph_error(g)->code, POR_OK);
	por_close(g);
	por_close(other);
}

/* ---- sparse derivatives ---------------------------------------------------------------------------- */

/* Each element of the dense matrix, from those that are told. */
static void same_matrix(por_graph *g, por_node *x, int rows, por_node *const *part, por_node *dense)
{
	por_node *y[] = {part[0], part[1], part[2], dense};
	por_program *p = por_compile(g, 1, &x, 4, y, &interpreted);
	assert_non_null(p);
	por_frame *f = por_frame_new(p);
	double v[N] = {0.5, -1, 2, 3}, sum[N * N] = {0};
	por_array in = por_view(v, POR_F64, 1, (int64_t[]){N});
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
	const por_array *of = por_frame_result(f, 0), *row = por_frame_result(f, 1), *column = por_frame_result(f, 2),
			*all = por_frame_result(f, 3);
	assert_true(row->dtype.code == 0 && row->dtype.bits == 64 && column->dtype.code == 0);
	assert_true(of->shape[0] < rows * N && of->shape[0] == row->shape[0] && of->shape[0] == column->shape[0]);
	for (int64_t k = 0; k < of->shape[0]; k++)
		sum[((int64_t *)row->data)[k] * N + ((int64_t *)column->data)[k]] += ((double *)of->data)[k];
	for (int i = 0; i < rows * N; i++) assert_true(fabs(sum[i] - ((double *)all->data)[i]) < 1e-13);
	por_frame_free(f);
	por_program_free(p);
}

static void sparse_matrices_are_the_dense_ones(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y, *e, *part[3];
	por_function *fn = por_function_named(
		por_load(g, "fn y(x: f64[n]) = x[1:]*x[:-1]^2\nfn e(x: f64[n]) = sum(sin(x[1:] - x[:-1]^2))\n", -1, "p.por"), "y", 0, NULL);
	y = por_invoke(fn, 1, &x);
	assert_int_equal(por_sparse_jacobian(y, x, part), POR_OK);
	same_matrix(g, x, N - 1, part, por_jacobian(y, x, 0));
	e = por_sum(por_sin(y), POR_ALL);
	assert_int_equal(por_sparse_hessian(e, x, part), POR_OK);
	same_matrix(g, x, N, part, por_hessian(e, x));
	por_close(g);
}

static void what_has_no_sparse_derivative(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL), *other = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *i = por_input(g, "i", "i64[n]"), *c = por_constant(g, "f64", 2),
		 *y = por_exp(x), *part[3] = {x, x, x};
	assert_int_equal(por_sparse_jacobian(por_cast(i, POR_F64), i, part), POR_ERR_DERIVATIVE);
	assert_null(part[0]);
	assert_non_null(strstr(por_graph_error(g)->text, "sparse_jacobian: variable 1 is i64[n], wanted an array of real floats"));
	por_clear_error(g);
	assert_int_equal(por_sparse_jacobian(y, c, part), POR_ERR_DERIVATIVE);
	assert_non_null(strstr(por_graph_error(g)->text, "is a constant"));
	por_clear_error(g);
	assert_int_equal(por_sparse_hessian(y, x, part), POR_ERR_DERIVATIVE);
	assert_non_null(strstr(por_graph_error(g)->text, "sparse_hessian: f64[n] is differentiated, wanted a real scalar"));
	por_clear_error(g);
	assert_int_not_equal(por_sparse_jacobian(y, por_input(other, "x", "f64[n]"), part), POR_OK);
	assert_int_not_equal(por_sparse_jacobian(y, x, NULL), POR_OK);
	assert_int_not_equal(por_sparse_hessian(NULL, x, part), POR_OK);
	por_close(g);
	por_close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_functions_are_one),
		cmocka_unit_test(kept_and_marked_otherwise),
		cmocka_unit_test(systems_are_differentiated_as_such),
		cmocka_unit_test(systems_of_several_arrays),
		cmocka_unit_test(what_is_no_system),
		cmocka_unit_test(sparse_matrices_are_the_dense_ones),
		cmocka_unit_test(what_has_no_sparse_derivative),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
