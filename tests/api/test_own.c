/* test_own.c - functions that tell their derivative. */
#include "porism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static double at(por_graph *g, por_node *x, por_node *y, double value)
{
	por_program *p = por_compile(g, 1, &x, 1, &y, NULL);
	assert_non_null(p);
	double result = NAN;
	por_array in = por_view(&value, POR_F64, 0, NULL), out = por_view(&result, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
	por_program_free(p);
	return result;
}

static por_node *derivative(por_node *y, por_node *x)
{
	por_node *d = NULL;
	assert_int_equal(por_grad(y, 1, &x, &d), POR_OK);
	return d;
}

/* The square root as Newton finds it, with the derivative 1/(2*y). */
static void of_any_order(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *a = por_input(g, "a", "f64"), *y = por_input(g, "y", "f64"), *da = por_input(g, "da", "f64");
	por_loop *l = por_loop_open(g, por_constant(g, "i64", 60), 0);
	por_node *t = por_loop_carry(l, a);
	por_loop_next(l, t, por_div(por_add(t, por_div(a, t)), por_number(g, 2)));
	assert_int_equal(por_loop_close(l), POR_OK);
	por_node *root = por_loop_last(l, t), *d = por_div(da, por_mul(por_number(g, 2), y));
	por_function *f = por_function_of(g, "root", 1, &a, 1, &root),
		     *h = por_function_of(g, "slope", 3, (por_node *[]){a, y, da}, 1, &d);
	por_function *own = por_with_derivative(f, h);
	assert_non_null(own);
	por_node *r = por_invoke(own, 1, &a), *d1 = derivative(r, a), *d2 = derivative(d1, a), *d3 = derivative(d2, a);
	assert_true(fabs(at(g, a, r, 7) - sqrt(7)) < 1e-15);
	assert_true(fabs(at(g, a, d1, 7) - 0.5 / sqrt(7)) < 1e-16);
	assert_true(fabs(at(g, a, d2, 7) + 0.25 / (7 * sqrt(7))) < 1e-16);
	assert_true(fabs(at(g, a, d3, 7) - 0.375 / (49 * sqrt(7))) < 1e-16);
	char *text = por_print(1, &d1);
	assert_non_null(strstr(text, "with_derivative("));
	por_text_free(text);
	por_node *tangent, *one = por_constant(g, "f64", 1);
	assert_int_equal(por_jvp(1, &r, 1, &a, &one, &tangent), POR_OK);
	assert_true(at(g, a, tangent, 7) == at(g, a, d1, 7));
	por_close(g);
}

static void backwards_alone(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_input(g, "y", "f64"), *u = por_input(g, "u", "f64");
	por_node *twice = por_mul(por_number(g, 2), x), *cut = por_minimum(u, por_constant(g, "f64", 0.5));
	por_function *f = por_function_of(g, "twice", 1, &x, 1, &twice),
		     *b = por_function_of(g, "cut", 3, (por_node *[]){x, y, u}, 1, &cut);
	por_function *own = por_with_vjp(f, b);
	por_node *r = por_invoke(own, 1, &x), *one = por_constant(g, "f64", 1), *tangent = NULL;
	assert_true(at(g, x, derivative(por_mul(por_number(g, 3), r), x), 5) == 0.5);
	assert_true(at(g, x, derivative(por_mul(por_number(g, 0.25), r), x), 5) == 0.25);
	assert_int_not_equal(por_jvp(1, &r, 1, &x, &one, &tangent), POR_OK);
	assert_non_null(strstr(por_graph_error(g)->text, "reverse alone"));
	por_close(g);
}

static void what_is_refused(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_exp(x);
	por_function *f = por_function_of(g, "f", 1, &x, 1, &y);
	assert_null(por_with_derivative(f, f));
	assert_non_null(strstr(por_graph_error(g)->text, "wanted 3 and 1"));
	assert_null(por_with_derivative(NULL, f));
	assert_null(por_with_vjp(f, NULL));
	por_close(g);
	g = por_open(NULL);
	x = por_input(g, "x", "f64[n]");
	y = por_exp(x);
	f = por_function_of(g, "f", 1, &x, 1, &y);
	por_node *in[] = {x, por_input(g, "y", "f64[n]"), por_input(g, "dx", "f64[n]")},
		 *d = por_sum(por_mul(in[1], in[2]), POR_ALL);
	assert_null(por_with_derivative(f, por_function_of(g, "d", 3, in, 1, &d)));
	assert_string_equal(por_graph_error(g)->text, "with_derivative: it gives f64, wanted f64[n]");
	por_close(g);
}

static int twice(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user, (void)nin, (void)nout;
	*(double *)out[0].data = 2 * *(double *)in[0].data;
	return 0;
}

/* Which operator of the user's nobody tells the derivative of: the error has a mark of it. */
static void operators_without_a_derivative(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	const por_custom c = {.size = sizeof c, .signature = "twice(x: f64) -> f64", .kernel = twice};
	assert_int_equal(por_define(g, &c), POR_OK);
	por_node *x = por_input(g, "x", "f64"), *y = por_custom_call(g, "twice", 1, &x), *d;
	assert_int_equal(por_grad(y, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_int_equal(por_graph_error(g)->argument, POR_AT_OPERATOR);
	assert_string_equal(por_graph_error(g)->text, "no derivative rule for twice (d(twice(x)) => ... in book derivative)");
	por_clear_error(g);
	/* linear, and told forwards alone */
	assert_int_equal(por_rule(g, "d(twice(x)) => twice(dx)", "derivative"), POR_OK);
	assert_int_equal(por_grad(y, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_int_equal(por_graph_error(g)->argument, POR_AT_OPERATOR);
	por_clear_error(g);
	assert_int_equal(por_rule(g, "vjp(twice(x), g) => twice(g)", "transposition"), POR_OK);
	assert_int_equal(por_grad(y, 1, &x, &d), POR_OK);
	/* an error of another kind has no such mark */
	por_node *many = por_input(g, "many", "f64[n]");
	assert_int_equal(por_grad(many, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_int_equal(por_graph_error(g)->argument, 0);
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_any_order),
		cmocka_unit_test(backwards_alone),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(operators_without_a_derivative),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
