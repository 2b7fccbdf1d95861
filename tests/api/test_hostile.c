/* Hostile callers: memory that is given twice, functions of rules that do what they may not, loops closed in any order,
 * arrays that no memory holds.  Each is refused with a clear error; the graph, the frame and the program go on. */
#include <stdio.h>
#include <stdlib.h>

#include "graph_says.h"

#define N(...) ((por_node *[]){__VA_ARGS__})

static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_NATIVE, POR_TIER_REFERENCE};
enum { TIERS = sizeof tiers / sizeof *tiers };

static void refused(por_frame *f, por_program *p, const por_array *in, int nout, const por_array *out, const char *part)
{
	const por_error *e = por_frame_error(f);
	assert_int_equal(por_call(p, f, por_program_inputs(p), in, nout, out), POR_ERR_CALL);
	if (!strstr(e->text, part)) fail_msg("\"%s\" lacks \"%s\"", e->text, part);
	assert_int_equal(por_call(p, NULL, por_program_inputs(p), in, nout, out), POR_ERR_CALL);
}

/* ---- memory that is given twice --------------------------------------------------------------- */

static por_program *two_results(int tier, int donate)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_input(g, "y", "f64[n]");
	por_program *p = por_compile(g, 2, N(x, y), 2, N(por_add(x, y), por_mul(x, y)),
		&(por_options){.size = sizeof(por_options), .tier = tier, .donate = donate});
	good(g);
	por_close(g);
	return p;
}

static void results_on_each_other(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_program *p = two_results(tiers[t], 0);
		por_frame *f = por_frame_new(p);
		double v[16] = {1, 2, 3, 4}, r[16];
		int64_t four = 4, two = 2, back = -1, one = 1;
		por_array in[2] = {por_view(v, POR_F64, 1, &four), por_view(v, POR_F64, 1, &four)};
		por_array out[2] = {por_view(r, POR_F64, 1, &four), por_view(r, POR_F64, 1, &four)};
		refused(f, p, in, 2, out, "results 1 and 2 lie on each other");
		out[1].data = r + 3;
		refused(f, p, in, 2, out, "results 1 and 2 lie on each other");
		out[1].data = (char *)r - 0, out[1].byte_offset = 8;
		refused(f, p, in, 2, out, "results 1 and 2 lie on each other");
		out[1].byte_offset = 0, out[0].strides = out[1].strides = &two, out[1].data = r + 2;
		refused(f, p, in, 2, out, "results 1 and 2 lie on each other");
		out[1].data = r + 7, out[1].strides = &back, out[0].strides = &one;
		out[0].data = r + 1; /* 1 2 3 4 and 7 6 5 4 */
		refused(f, p, in, 2, out, "results 1 and 2 lie on each other");
		out[0].data = r, out[1].data = r + 1, out[0].strides = out[1].strides = &two;
		assert_int_equal(por_call(p, f, 2, in, 2, out), POR_OK); /* columns of a matrix */
		for (int i = 0; i < 4; i++) assert_true(r[2 * i] == 2 * v[i] && r[2 * i + 1] == v[i] * v[i]);
		out[0].data = r, out[1].data = r + 4, out[0].strides = out[1].strides = NULL;
		assert_int_equal(por_call(p, f, 2, in, 2, out), POR_OK);
		out[0].data = v, out[1].data = r; /* a result on an argument is well */
		in[1].data = v;
		assert_int_equal(por_call(p, f, 2, in, 2, out), POR_OK);
		for (int i = 0; i < 4; i++) assert_true(v[i] == 2 * (i + 1) && r[i] == (i + 1) * (i + 1));
		por_frame_free(f);
		por_program_free(p);
	}
}

static void a_result_on_itself(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_graph *g = por_open(NULL);
		por_node *x = por_input(g, "x", "f64[m, n]"), *y = por_exp(x);
		por_program *p = por_compile(g, 1, &x, 1, &y, &(por_options){.size = sizeof(por_options), .tier = tiers[t]});
		por_close(g);
		por_frame *f = por_frame_new(p);
		double v[6] = {0}, r[20];
		int64_t shape[2] = {2, 3}, same[2] = {1, 1}, meeting[2] = {2, 1}, turned[2] = {1, 2}, odd[2] = {3, 2}, zero[2] = {0, 1};
		por_array in = por_view(v, POR_F64, 2, shape), out = por_view(r, POR_F64, 2, shape);
		for (int k = 0; k < 3; k++) {
			out.strides = k == 0 ? same : k == 1 ? meeting : zero;
			refused(f, p, &in, 1, &out, "elements on each other");
		}
		for (int k = 0; k < 2; k++) {
			out.strides = k ? turned : odd;
			assert_int_equal(por_call(p, f, 1, &in, 1, &out), POR_OK);
		}
		por_frame_free(f);
		por_program_free(p);
	}
}

static void donated_memory(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_program *p = two_results(tiers[t], 2), *q = two_results(tiers[t], 1);
		por_frame *f = por_frame_new(p), *h = por_frame_new(q);
		double v[8] = {1, 2, 3, 4, 5, 6, 7, 8}, r[4];
		int64_t four = 4;
		por_array in[2] = {por_view(v, POR_F64, 1, &four), por_view(v, POR_F64, 1, &four)};
		refused(f, p, in, 0, NULL, "arguments 1 and 2 lie on each other, and 1 is donated");
		in[1].data = v + 1;
		refused(f, p, in, 0, NULL, "arguments 1 and 2 lie on each other, and 1 is donated");
		refused(h, q, in, 2, (por_array[2]){{0}, por_view(r, POR_F64, 1, &four)}, "arguments 1 and 2 lie on each other");
		in[1].data = v + 4;
		refused(h, q, in, 2, (por_array[2]){{0}, por_view(v + 1, POR_F64, 1, &four)},
			"result 2 lies on argument 1, which is donated");
		for (int i = 0; i < 8; i++) assert_true(v[i] == i + 1);
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		for (int i = 0; i < 4; i++) assert_true(v[i] == 2 * i + 6 && v[i + 4] == (i + 1) * (i + 5));
		por_frame_free(f), por_frame_free(h);
		por_program_free(p), por_program_free(q);
	}
}

/* A frame's result is no argument of its next call, and no memory for one; another frame's is. */
static void the_frames_own_memory(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_program *p = two_results(tiers[t], 0);
		por_frame *f = por_frame_new(p), *h = por_frame_new(p);
		double v[1000] = {1, 2, 3, 4}, r[1000];
		int64_t n = 4, many = 1000;
		por_array in[2] = {por_view(v, POR_F64, 1, &n), por_view(v, POR_F64, 1, &n)};
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		por_array own = *por_frame_result(f, 0), to[2] = {own, por_view(r, POR_F64, 1, &n)};
		assert_int_equal(por_call(p, f, 2, (por_array[2]){own, in[1]}, 0, NULL), POR_ERR_CALL);
		assert_non_null(strstr(por_frame_error(f)->text, "argument 1"));
		assert_non_null(strstr(por_frame_error(f)->text, "this frame's own memory"));
		assert_int_equal(por_call(p, f, 2, in, 2, to), POR_ERR_CALL);
		assert_non_null(strstr(por_frame_error(f)->text, "result 1"));
		assert_int_equal(por_call(p, h, 2, (por_array[2]){own, in[1]}, 0, NULL), POR_OK);
		assert_true(((double *)por_frame_result(h, 0)->data)[3] == 12);
		in[0].shape = in[1].shape = &many; /* the frame's memory moves */
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		por_frame_free(f), por_frame_free(h);
		por_program_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_on_each_other),
		cmocka_unit_test(a_result_on_itself),
		cmocka_unit_test(donated_memory),
		cmocka_unit_test(the_frames_own_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
