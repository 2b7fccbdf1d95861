/* Marks: what is built since one goes when it is released; what was there stays, and programs do. */
#include <stdbool.h>
#include <stdlib.h>

#include "graph_says.h"

static size_t held;

static void *count_alloc(void *user, size_t size, size_t align)
{
	(void)user;
	held += size;
	return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_free(void *user, void *p, size_t size, size_t align)
{
	(void)user, (void)align;
	held -= size;
	free(p);
}

static const char file[] =
	"op swish(x) = x*sigmoid(x)\n"
	"fn loss(p: {w: f64[n], b: f64}, x: f64[n], rate: f64 = 0.5 if rate > 0) = sum(swish(p.w*x + p.b))*rate\n"
	"let steps = 3\n";

static double value_at(por_program *p, double x)
{
	double y = 0;
	por_array in = por_view(&x, POR_F64, 0, NULL), out = por_view(&y, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
	return y;
}

static por_program *compiled(por_graph *g, por_node *x, por_node *y, int tier)
{
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	assert_non_null(p);
	return p;
}

/* Equal is == over a mark; handles from before it are what they were, types, sizes and promises too. */
static void test_before_stays(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n] if x > 0"), *y = por_exp(x);
	por_type *t = por_node_type(y);
	por_size n = por_size_named(g, "n");
	assert_int_equal(por_mark(g), 1);
	assert_ptr_equal(por_exp(x), y);
	assert_ptr_equal(por_input(g, "x", "f64[n]"), x);
	assert_ptr_equal(por_node_type(por_log(y)), t);
	assert_true(por_size_named(g, "n") == n);
	por_size two = por_size_add(g, n, n);
	is_text(por_size_text(g, two), "2*n");
	shows(por_add(por_sin(y), x), "sin(exp(x)) + x");
	assert_int_equal(por_release(g, 1), POR_OK);
	shows(y, "exp(x)");
	is_text(por_type_text(t), "f64[n]");
	is_text(por_size_text(g, n), "n");
	assert_ptr_equal(por_exp(x), y);
	shows(por_log(por_abs(x)), "log(abs(x))");
	good(g);
	por_close(g);
}

/* Lines and names that are told of old nodes under a mark go with it. */
static void test_provenance_stays(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input_at(g, "x", "f64", "before.c:1"), *y = por_exp_at(x, "before.c:2");
	por_mark(g);
	assert_ptr_equal(por_exp_at(x, "after.c:3"), y);
	por_node *z = por_sin_at(y, "after.c:4");
	assert_string_equal(por_node_where(z), "after.c:4");
	assert_int_equal(por_release(g, 1), POR_OK);
	assert_string_equal(por_node_where(y), "before.c:2");
	good(g);
	por_close(g);
}

static void test_programs_stay(void **state)
{
	(void)state;
	static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_REFERENCE};
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	for (int i = 0; i < 2; i++) {
		int mark = por_mark(g);
		por_node *y = por_add(por_mul(x, x), por_number(g, 1 + i));
		por_program *p = compiled(g, x, y, tiers[i]);
		assert_int_equal(por_release(g, mark), POR_OK);
		for (int k = 0; k < 100; k++) por_sin(por_add(x, por_number(g, k)));
		assert_true(value_at(p, 3) == 10 + i);
		por_program_free(p);
	}
	good(g);
	por_close(g);
}

/* The reference tier outlives its graph's handle, with an operator of the user's. */
static int twice(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user, (void)nin, (void)nout;
	*(double *)out[0].data = 2 * *(const double *)in[0].data;
	return 0;
}

static void test_custom_stays(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	por_custom c = {.size = sizeof c, .signature = "twice(x: f64) -> f64", .kernel = twice};
	assert_int_equal(por_define(g, &c), POR_OK);
	por_mark(g);
	por_node *y = por_custom_call(g, "twice", 1, &x);
	por_program *p = compiled(g, x, por_add(y, x), POR_TIER_REFERENCE);
	assert_int_equal(por_release(g, 1), POR_OK);
	por_close(g);
	assert_true(value_at(p, 5) == 15);
	por_program_free(p);
}

static void test_nested(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	assert_int_equal(por_mark(g), 1);
	por_node *y = por_exp(x);
	assert_int_equal(por_mark(g), 2);
	por_node *z = por_sin(y);
	assert_int_equal(por_mark(g), 3);
	por_node *w = por_add(por_add(z, y), por_log(x));
	shows(w, "let v1 = exp(x) in sin(v1) + v1 + log(x)");
	assert_int_equal(por_release(g, 3), POR_OK);
	shows(z, "sin(exp(x))");
	assert_int_equal(por_mark(g), 3);
	assert_ptr_equal(por_sin(por_exp(x)), z);
	assert_int_equal(por_release(g, 2), POR_OK);
	shows(y, "exp(x)");
	assert_int_equal(por_release(g, 1), POR_OK);
	shows(x, "x");
	good(g);
	por_mark(g), por_mark(g);
	por_close(g); /* with marks that nobody released */
}

/* A file from before a mark is used under it, with operators, values and derivatives; also when nothing was
 * elaborated before. */
static void test_file(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, file, -1, "a.por");
	for (int i = 0; i < 3; i++) {
		int mark = por_mark(g);
		por_mark(g);
		por_function *f = por_function_named(m, "loss", 0, NULL);
		por_leaf leaf;
		good(g);
		assert_int_equal(por_function_input(f, 3, &leaf), POR_OK);
		assert_string_equal(leaf.path, "rate");
		assert_non_null(leaf.fallback);
		por_node *x = por_input(g, "x", "f64[n]"), *d = NULL;
		por_node *y = por_sum(por_parse(g, "x*sigmoid(x)", 1, (const char *[]){"x"}, &x), POR_ALL);
		por_grad(y, 1, &x, &d);
		good(g);
		por_node *steps = por_value_node(por_value_named(m, "steps"));
		shows(steps, "3");
		por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
		por_program *p = por_compile_function(f, &o);
		good(g);
		assert_int_equal(por_release(g, mark), POR_OK);
		assert_string_equal(por_program_input(p, 0), "p.b: f64");
		por_program_free(p);
	}
	por_function *f = por_function_named(m, "loss", 0, NULL);
	char *text = por_print_function(f, 0);
	good(g);
	assert_non_null(text);
	por_text_free(text);
	por_close(g);
}

/* What was asked of an older function under a mark is asked anew behind it. */
static void test_function_from_before(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_function *f = por_function_named(por_load(g, file, -1, "a.por"), "loss", 0, NULL);
	por_leaf leaf;
	por_mark(g);
	assert_int_equal(por_function_input(f, 1, &leaf), POR_OK);
	assert_int_equal(por_function_output(f, 0, &leaf), POR_OK);
	assert_int_equal(por_release(g, 1), POR_OK);
	assert_int_equal(por_function_input(f, 3, &leaf), POR_OK);
	assert_string_equal(leaf.path, "rate");
	assert_true(leaf.low == 0 && leaf.above_low);
	shows(leaf.fallback, "f64(0.5)");
	assert_int_equal(por_function_input(f, 1, &leaf), POR_OK);
	assert_string_equal(leaf.path, "p.w");
	good(g);
	por_close(g);
}

static void test_loops(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *xs = por_input(g, "xs", "f64[n]");
	por_mark(g);
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *x = por_loop_each(l, xs), *s = por_loop_carry(l, por_constant(g, "f64", 0));
	assert_int_equal(por_mark(g), -1);
	fails(g, POR_ERR_VALUE, "mark: a loop is open; close it first");
	por_loop_next(l, s, por_add(s, x));
	por_loop_close(l);
	assert_int_equal(por_mark(g), 2);
	shows(por_loop_last(l, s), "scan (carried = f64(0), x in xs) => carried + x");
	assert_int_equal(por_release(g, 1), POR_OK);
	por_mark(g);
	por_loop_each(por_loop_open(g, NULL, 0), xs); /* and never closed */
	assert_int_equal(por_release(g, 1), POR_OK);
	shows(por_mul(xs, xs), "xs*xs");
	assert_int_equal(por_mark(g), 1);
	good(g);
	por_close(g);
}

/* Nodes that were given back are told, in every place that takes one; asking of them gives nothing. */
static void test_given_back(void **state)
{
	(void)state;
	static const char gone[] = "a node that por_release has given back";
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *out = NULL;
	por_mark(g);
	por_node *y = por_exp(x);
	por_region *r = por_region_of(1, &y);
	assert_int_equal(por_region_count(r), 2);
	assert_int_equal(por_release(g, 1), POR_OK);
	assert_null(por_sin_at(y, "a.c:7"));
	fails_at(g, POR_ERR_VALUE, "a.c", 7, 0, gone);
	assert_null(por_add(x, y)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_add(y, x)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_sum(y, 0)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_print(1, &y)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_compile(g, 1, &x, 1, &y, NULL)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_compile(g, 1, &y, 1, &x, NULL)), fails(g, POR_ERR_VALUE, gone);
	por_grad(y, 1, &x, &out), fails(g, POR_ERR_VALUE, gone);
	por_grad(x, 1, &y, &out), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_parse(g, "a + 1", 1, (const char *[]){"a"}, &y)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_rebuild(y, 1, &x)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_region_of(1, &y)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_loop_open(g, y, 0)), fails(g, POR_ERR_VALUE, gone);
	assert_null(por_if(y, x, x)), fails(g, POR_ERR_VALUE, gone);
	assert_true(por_size_of_node(y) == POR_NO_SIZE), fails(g, POR_ERR_VALUE, gone);
	por_substitute(1, &x, 1, &x, &y, &out), fails(g, POR_ERR_VALUE, gone);
	por_given given = {.name = "a", .value = y};
	assert_null(por_function_expression(g, NULL, "a + b", 1, &given)), fails(g, POR_ERR_VALUE, gone);
	assert_int_equal(por_node_op(y), 0);
	assert_int_equal(por_node_nargs(y), 0);
	assert_null(por_node_type(y));
	assert_null(por_node_constant(y));
	assert_string_equal(por_node_name(y), "");
	assert_string_equal(por_node_where(y), "");
	assert_int_not_equal(por_node_number(y, &(double){0}), POR_OK);
	assert_int_equal(por_region_count(r), 0);
	assert_int_equal(por_region_place(r, x), -1);
	assert_null(por_region_node(r, 0));
	assert_int_equal(por_region_users(r, 0), 0);
	good(g);
	por_region_free(r);
	por_close(g);
}

static void test_refused(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, file, -1, "a.por");
	assert_int_equal(por_mark(NULL), -1);
	assert_int_equal(por_release(NULL, 1), POR_ERR_VALUE);
	assert_int_equal(por_release(g, 1), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "release: there is no mark 1; 0 stand");
	por_mark(g);
	assert_int_equal(por_release(g, 0), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "release: there is no mark 0; 1 stand");
	static const char outlives[] = "would outlive the mark; release that first";
	assert_null(por_load(g, file, -1, "b.por")), fails(g, POR_ERR_VALUE, outlives);
	por_module_add(m, "fn g(x) = x", "c.por"), fails(g, POR_ERR_VALUE, outlives);
	por_rule(g, "mine: sin(sin(x)) => sin(x)  approx", NULL), fails(g, POR_ERR_VALUE, outlives);
	por_custom c = {.size = sizeof c, .signature = "twice(x: f64) -> f64", .kernel = twice};
	por_define(g, &c), fails(g, POR_ERR_VALUE, outlives);
	/* an error stays over a release, and hinders none */
	assert_null(por_sum(por_number(g, 1), 3));
	assert_int_equal(por_release(g, 1), POR_OK);
	fails(g, POR_ERR_TYPE, "sum");
	assert_non_null(por_load(g, file, -1, "b.por"));
	good(g);
	por_close(g);
}

/* Whoever marks and releases again and again holds what he held at first. */
static void test_nothing_is_left(void **state)
{
	(void)state;
	por_context *c = por_context_new(&(por_context_options){
		.size = sizeof(por_context_options), .alloc = count_alloc, .free = count_free});
	por_graph *g = por_open(c);
	por_module *m = por_load(g, file, -1, "a.por");
	por_node *x = por_input(g, "x", "f64[n]");
	size_t before = 0;
	for (int i = 0; i < 50; i++) {
		int mark = por_mark(g);
		por_node *y = x, *d = NULL;
		for (int k = 0; k < 300; k++) y = por_add(por_sin(y), por_number(g, i + k));
		por_grad(por_sum(y, POR_ALL), 1, &x, &d);
		por_function *f = por_function_named(m, "loss", 0, NULL);
		por_options o = {.size = sizeof o, .tier = i % 2 ? POR_TIER_INTERPRET : POR_TIER_REFERENCE, .threads = 1};
		por_program *p = por_compile_function(f, &o), *q = compiled(g, x, por_mul(d, x), o.tier);
		assert_non_null(p);
		por_program_free(p), por_program_free(q);
		assert_int_equal(por_release(g, mark), POR_OK);
		good(g);
		if (i == 9) before = held; /* the index of rules has met all that it meets here */
	}
	assert_int_equal(held, before);
	por_close(g);
	por_context_free(c);
	assert_int_equal(held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_stays),
		cmocka_unit_test(test_provenance_stays),
		cmocka_unit_test(test_programs_stay),
		cmocka_unit_test(test_custom_stays),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_function_from_before),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_given_back),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nothing_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
