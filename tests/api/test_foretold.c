/* What is known of a call before it is made: dtypes and axes of arguments and results, shapes, work; and which errors
 * are of an index. */
#include "graph_says.h"

#include <stdbool.h>

static por_program *compiled(por_graph *g, int nin, por_node **in, int nout, por_node **out, int tier)
{
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1};
	por_program *p = por_compile(g, nin, in, nout, out, &o);
	good(g);
	por_close(g);
	return p;
}

static void types_are_told(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f32[m, n]"), *k = por_input(g, "k", "i64");
	por_node *in[] = {x, k}, *out[] = {por_sum(x, 1), por_gt(k, por_integer(g, 2))};
	por_program *p = compiled(g, 2, in, 2, out, POR_TIER_INTERPRET);
	int rank = 7;
	assert_int_equal(por_program_input_type(p, 0, &rank), POR_F32);
	assert_int_equal(rank, 2);
	assert_int_equal(por_program_input_type(p, 1, &rank), POR_I64);
	assert_int_equal(rank, 0);
	assert_int_equal(por_program_output_type(p, 0, &rank), POR_F32);
	assert_int_equal(rank, 1);
	assert_int_equal(por_program_output_type(p, 1, NULL), POR_BOOL);
	assert_int_equal(por_program_output_type(p, 2, &rank), POR_NO_DTYPE);
	assert_int_equal(rank, -1);
	assert_int_equal(por_program_input_type(p, -1, NULL), POR_NO_DTYPE);
	assert_int_equal(por_program_input_type(NULL, 0, &rank), POR_NO_DTYPE);
	por_program_free(p);
}

static void shapes_follow_from_arguments(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[m, n]");
	por_node *out[] = {por_turn(x), por_sum(por_exp(x), POR_ALL)};
	por_program *p = compiled(g, 1, &x, 2, out, POR_TIER_INTERPRET);
	por_frame *f = por_frame_new(p);
	int64_t sizes[16] = {0};
	assert_int_equal(por_frame_shape(f, 0, sizes), -1);
	assert_true(por_frame_work(f) == -1);
	double data[4000] = {0};
	por_array in = por_view(data, POR_F64, 2, (int64_t[]){3, 5});
	assert_int_equal(por_frame_reserve(f, 1, &in), POR_OK);
	assert_int_equal(por_frame_shape(f, 0, sizes), 2);
	assert_true(sizes[0] == 5 && sizes[1] == 3);
	assert_int_equal(por_frame_shape(f, 1, sizes), 0);
	assert_int_equal(por_frame_shape(f, 2, sizes), -1);
	int64_t small = por_frame_work(f);
	assert_true(small >= 15);
	in = por_view(data, POR_F64, 2, (int64_t[]){40, 100});
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
	assert_int_equal(por_frame_shape(f, 0, sizes), 2);
	assert_true(sizes[0] == 100 && sizes[1] == 40);
	assert_true(por_frame_work(f) > 100*small);
	por_frame_free(f);
	por_program_free(p);
	assert_int_equal(por_frame_shape(NULL, 0, sizes), -1);
	assert_true(por_frame_work(NULL) == -1);
}

/* Where the values decide, nothing is foretold: not even after a call that came to the same. */
static void values_decide(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *above = por_parse(g, "x[x > 1]", 1, (const char *[]){"x"}, &x);
	por_program *p = compiled(g, 1, &x, 1, &above, POR_TIER_INTERPRET);
	por_frame *f = por_frame_new(p);
	int64_t sizes[16];
	por_array in = por_view((double[]){0, 2, 3}, POR_F64, 1, (int64_t[]){3});
	for (int i = 0; i < 2; i++) {
		assert_int_equal(por_frame_reserve(f, 1, &in), POR_OK);
		assert_int_equal(por_frame_shape(f, 0, sizes), -1);
		assert_true(por_frame_work(f) == -1);
		assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
		assert_true(por_frame_result(f, 0)->shape[0] == 2);
	}
	por_frame_free(f);
	por_program_free(p);

	g = por_open(NULL);
	por_node *k = por_input(g, "k", "i64"), *ramp = por_parse(g, "iota[k]()", 1, (const char *[]){"k"}, &k);
	p = compiled(g, 1, &k, 1, &ramp, POR_TIER_INTERPRET);
	f = por_frame_new(p);
	for (int64_t n = 4; n >= 0; n -= 2) {
		in = por_view(&n, POR_I64, 0, NULL);
		assert_int_equal(por_frame_reserve(f, 1, &in), POR_OK);
		assert_int_equal(por_frame_shape(f, 0, sizes), 1);   /* an argument's value is known then */
		assert_true(sizes[0] == n && por_frame_work(f) == -1);
	}
	por_frame_free(f);
	por_program_free(p);
}

static void loops_have_no_known_work(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *n = por_input(g, "n", "i64");
	por_loop *l = por_loop_open(g, n, 0);
	por_node *s = por_loop_carry(l, por_constant(g, "f64", 1));
	por_loop_next(l, s, por_sin(s));
	por_loop_close(l);
	por_node *last = por_loop_last(l, s);
	por_program *p = compiled(g, 1, &n, 1, &last, POR_TIER_INTERPRET);
	por_frame *f = por_frame_new(p);
	int64_t steps = 3;
	por_array in = por_view(&steps, POR_I64, 0, NULL);
	assert_int_equal(por_frame_reserve(f, 1, &in), POR_OK);
	assert_true(por_frame_work(f) == -1);
	por_frame_free(f);
	por_program_free(p);
}

static void indices_are_told_apart(void **state)
{
	(void)state;
	for (int tier = 0; tier < 2; tier++) {
		por_graph *g = por_open(NULL);
		por_node *in[] = {por_input(g, "x", "f64[n]"), por_input(g, "i", "i64[m]"), por_input(g, "y", "f64[m]")};
		por_node *out = por_add(por_gather(in[0], in[1], 0), in[2]);
		por_program *p = compiled(g, 3, in, 1, &out, tier ? POR_TIER_REFERENCE : POR_TIER_INTERPRET);
		por_frame *f = por_frame_new(p);
		double x[3] = {1, 2, 3};
		int64_t i[2] = {1, 3}, three[1] = {3}, two[1] = {2};
		por_array of[] = {por_view(x, POR_F64, 1, three), por_view(i, POR_I64, 1, two), por_view(x, POR_F64, 1, two)};
		assert_int_equal(por_call(p, f, 3, of, 0, NULL), POR_ERR_CALL);
		assert_int_equal(por_frame_error(f)->argument, POR_AT_INDEX);
		of[2] = of[0];
		assert_int_equal(por_call(p, f, 3, of, 0, NULL), POR_ERR_CALL);
		assert_true(por_frame_error(f)->argument >= 0);
		i[1] = 2;
		of[2] = por_view(x, POR_F64, 1, two);
		assert_int_equal(por_call(p, f, 3, of, 0, NULL), POR_OK);
		por_frame_free(f);
		por_program_free(p);
	}
}

/* An index that is written: known to be outside when it is built, or when the sizes are known. */
static void written_indices(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *three = por_input(g, "y", "f64[3]");
	assert_null(por_at_index(three, por_integer(g, 3)));
	assert_int_equal(por_graph_error(g)->code, POR_ERR_TYPE);
	assert_int_equal(por_graph_error(g)->argument, POR_AT_INDEX);
	por_clear_error(g);
	por_node *x = por_input(g, "x", "f64[n]"), *at = por_at_index(x, por_integer(g, 4));
	por_program *p = compiled(g, 1, &x, 1, &at, POR_TIER_INTERPRET);
	por_frame *f = por_frame_new(p);
	double data[5] = {1, 2, 3, 4, 5};
	por_array in = por_view(data, POR_F64, 1, (int64_t[]){4});
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_CALL);
	assert_int_equal(por_frame_error(f)->argument, POR_AT_INDEX);
	in = por_view(data, POR_F64, 1, (int64_t[]){5});
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
	por_frame_free(f);
	por_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_told), cmocka_unit_test(shapes_follow_from_arguments),
		cmocka_unit_test(values_decide), cmocka_unit_test(loops_have_no_known_work),
		cmocka_unit_test(indices_are_told_apart), cmocka_unit_test(written_indices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
