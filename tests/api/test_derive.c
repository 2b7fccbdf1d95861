/* Derivatives by nodes that the user has made, over earlier ones whose normal form no longer holds them; each
 * mode, through substitution, and after a mark is released. */
#include "graph_says.h"

#include <math.h>

static const por_options interpreted = {.size = sizeof interpreted, .tier = POR_TIER_INTERPRET, .threads = 1};

static por_node *of(por_graph *g, const char *text, int n, por_node *const *x)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	por_node *y = por_parse(g, text, n, names, x);
	good(g);
	return y;
}

/* The elements of what a node is where v = 2 and c = 5. */
static double sum_of(por_graph *g, por_node *const *in, por_node *y)
{
	double v = 2, c = 5, out = 0;
	por_node *sum = por_sum(y, POR_ALL);
	por_program *p = por_compile(g, 2, in, 1, &sum, &interpreted);
	if (!p) fail_msg("%s", por_graph_error(g)->text);
	por_array x[] = {por_view(&v, POR_F64, 0, NULL), por_view(&c, POR_F64, 0, NULL)},
		  to = por_view(&out, POR_F64, 0, NULL);
	por_frame *f = por_frame_new(p);
	assert_int_equal(por_call(p, f, 2, x, 1, &to), POR_OK);
	por_frame_free(f);
	por_program_free(p);
	return out;
}

static void is(por_graph *g, por_node *const *in, por_node *y, double want)
{
	good(g);
	double is = sum_of(g, in, y);
	if (fabs(is - want) > 1e-12 * fabs(want)) fail_msg("%.17g, wanted %.17g", is, want);
}

static por_node *grad(por_node *y, por_node *x)
{
	por_node *d;
	por_grad(y, 1, &x, &d);
	return d;
}

typedef struct Opened {
	por_graph *g;
	por_node *in[2], *q; /* v, c; v + 1 */
} Opened;

static Opened opened(void)
{
	Opened o = {por_open(NULL)};
	o.in[0] = por_input(o.g, "v", "f64");
	o.in[1] = por_input(o.g, "c", "f64");
	o.q = of(o.g, "a + 1", 1, o.in);
	return o;
}

static void gradients_of_gradients(void **state)
{
	(void)state;
	Opened o = opened();
	por_node *c = o.in[1], *x[] = {o.q, c};
	por_node *first = grad(of(o.g, "a*b", 2, x), c);
	is(o.g, o.in, grad(first, o.q), 1);
	first = grad(of(o.g, "exp(a)*b^3", 2, x), c); /* 3 exp(q) c^2 */
	is(o.g, o.in, grad(first, o.q), 75 * exp(3));
	por_node *second = grad(first, c); /* 6 exp(q) c */
	is(o.g, o.in, grad(second, o.q), 30 * exp(3));
	is(o.g, o.in, grad(grad(second, o.q), o.q), 30 * exp(3));
	is(o.g, o.in, grad(of(o.g, "a*b", 2, (por_node *[]){second, o.q}), o.q), 30 * exp(3) * 4);
	/* what stands nowhere in it */
	is(o.g, o.in, grad(second, of(o.g, "a + 2", 1, o.in)), 0);
	por_close(o.g);
}

/* A direction has the shape of what it belongs to, and does not spread. */
static void directions_have_the_shape(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *k = por_input(g, "k", "f64[m]"), *y = por_mul(x, x), *d;
	por_node *s = por_sum(y, POR_ALL), *one = por_number(g, 1), *row = por_input(g, "r", "f64[1]");
	assert_int_equal(por_jvp(1, &y, 1, &x, &one, &d), POR_ERR_TYPE);
	assert_non_null(strstr(por_graph_error(g)->text, "jvp: tangent 1 is f64, wanted the shape of what it belongs to, f64[n]"));
	por_clear_error(g);
	assert_int_equal(por_jvp(1, &y, 1, &x, &row, &d), POR_ERR_TYPE);
	por_clear_error(g);
	assert_int_equal(por_vjp(1, &y, 1, &x, &k, &d), POR_ERR_TYPE);
	assert_non_null(
		strstr(por_graph_error(g)->text, "vjp: cotangent 1 is f64[m], wanted the shape of what it belongs to, f64[n]"));
	por_clear_error(g);
	assert_int_equal(por_vjp(1, &s, 1, &x, &x, &d), POR_ERR_TYPE);
	por_clear_error(g);
	assert_int_equal(por_vjp(1, &s, 1, &x, &one, &d), POR_OK);
	assert_int_equal(por_jvp(1, &s, 1, &x, &x, &d), POR_OK);
	assert_int_equal(por_vjp(1, &y, 1, &x, (por_node *[]){por_exp(x)}, &d), POR_OK);
	por_close(g);
}

static void every_mode(void **state)
{
	(void)state;
	Opened o = opened();
	por_node *c = o.in[1], *x[] = {o.q, c}, *one = por_number(o.g, 1), *d, *part[3];
	por_node *both = of(o.g, "[a*b^2, a^2*b]", 2, x), *y = of(o.g, "a^2*b^3", 2, x);
	por_vjp(1, &both, 1, &c, &(por_node *){of(o.g, "[1.0, 10.0]", 0, NULL)}, &d); /* 2 q c + 10 q^2 */
	is(o.g, o.in, grad(d, o.q), 10 + 60);
	por_jvp(1, &both, 1, &c, &one, &d);
	is(o.g, o.in, grad(por_sum(d, POR_ALL), o.q), 10 + 6);
	for (int forward = 0; forward < 2; forward++) {
		d = por_jacobian(both, c, forward);
		is(o.g, o.in, grad(por_sum(d, POR_ALL), o.q), 10 + 6);
		is(o.g, o.in, por_jacobian(d, o.q, forward), 10 + 6);
	}
	d = por_hessian(y, c); /* 6 q^2 c */
	is(o.g, o.in, grad(d, o.q), 12 * 3 * 5);
	is(o.g, o.in, por_hessian(grad(y, c), o.q), 2 * 3 * 25);
	por_jvp(1, &d, 1, &o.q, &one, &d);
	is(o.g, o.in, d, 12 * 3 * 5);
	d = grad(y, c);
	por_vjp(1, &d, 1, &o.q, &one, &d);
	is(o.g, o.in, d, 6 * 3 * 25);
	por_sparse_jacobian(both, of(o.g, "[a]", 1, &c), part); /* of no node that `both` holds */
	is(o.g, o.in, part[0], 0);
	por_node *list = of(o.g, "[a, 2*a]", 1, &c), *z = of(o.g, "sum(b^3)*a", 2, (por_node *[]){o.q, list});
	por_sparse_hessian(z, list, part); /* 6 b q */
	is(o.g, o.in, grad(por_sum(part[0], POR_ALL), o.q), 6 * 15);
	por_close(o.g);
}

/* A function's variable is put in place of another after its derivative was taken. */
static void through_substitution(void **state)
{
	(void)state;
	Opened o = opened();
	por_node *z = por_input(o.g, "z", "f64"), *next = of(o.g, "a + 1", 1, &o.in[1]);
	por_node *d = grad(of(o.g, "a*b^2", 2, (por_node *[]){o.q, z}), z); /* 2 q z */
	por_substitute(1, &d, 1, &z, &next, &d);
	is(o.g, o.in, d, 2 * 3 * 6);
	is(o.g, o.in, grad(d, o.q), 2 * 6);
	por_close(o.g);
}

static void after_a_mark(void **state)
{
	(void)state;
	Opened o = opened();
	por_node *x[] = {o.q, o.in[1]}, *y = of(o.g, "a^2*b^2", 2, x);
	por_node *first = grad(y, o.in[1]);
	int mark = por_mark(o.g);
	is(o.g, o.in, grad(grad(first, o.in[1]), o.q), 4 * 3);
	assert_int_equal(por_release(o.g, mark), POR_OK);
	is(o.g, o.in, grad(first, o.q), 4 * 3 * 5);
	por_close(o.g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_of_gradients),
		cmocka_unit_test(directions_have_the_shape), cmocka_unit_test(every_mode), cmocka_unit_test(through_substitution),
		cmocka_unit_test(after_a_mark)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
