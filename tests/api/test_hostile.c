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

/* What is exported has to be C. */
static void names_of_exported_functions(void **state)
{
	static const char *const bad[] = {"", "a b", "2x", "int", "f-g", "a\nb", NULL};
	(void)state;
	por_program *p = two_results(POR_TIER_INTERPRET, 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_null(por_export_c(p, bad[i], (int)i % 2));
		assert_non_null(strstr(por_program_error(p)->text, "is no name of a function of C"));
	}
	char *text = por_export_c(p, "model_2", 0);
	assert_non_null(text);
	por_text_free(text);
	por_program_free(p);
}

/* A size of all memory is refused where it does not fit, and before anything is copied; reserve says what the call
 * says. */
static void sizes_past_memory(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_program *p = two_results(tiers[t], 0);
		por_frame *f = por_frame_new(p);
		double v[4] = {1, 2, 3, 4};
		int64_t most = INT64_MAX, four = 4;
		por_array in[2] = {por_view(v, POR_F64, 1, &most), por_view(v, POR_F64, 1, &four)};
		refused(f, p, in, 0, NULL, "argument 2");
		assert_int_equal(por_frame_error(f)->code, POR_ERR_CALL);
		assert_int_equal(por_frame_reserve(f, 2, in), POR_ERR_CALL);
		assert_int_equal(por_frame_reserve(f, -3, in), POR_ERR_CALL);
		assert_int_equal(por_frame_reserve(f, 2, NULL), POR_ERR_CALL);
		in[0].shape = &four;
		assert_int_equal(por_frame_reserve(f, 2, in), POR_OK);
		assert_int_equal(por_frame_error(f)->code, POR_OK);
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		por_frame_free(f);
		por_program_free(p);
	}
}

/* Strides and steps whose sums leave 64 bits, or all memory; calls of many that are none. */
static void far_strides_and_steps(void **state)
{
	(void)state;
	for (int t = 0; t < TIERS; t++) {
		por_program *p = two_results(tiers[t], 0);
		por_frame *f = por_frame_new(p);
		double v[4] = {1, 2, 3, 4}, r[8];
		int64_t four = 4, far[] = {INT64_MAX / 2, INT64_MIN, (int64_t)1 << 44, -((int64_t)1 << 46)};
		int64_t step[2] = {0, 0}, away[2] = {INT64_MAX / 2, 8};
		por_array in[2] = {por_view(v, POR_F64, 1, &four), por_view(v, POR_F64, 1, &four)};
		por_array out[2] = {por_view(r, POR_F64, 1, &four), por_view(r + 4, POR_F64, 1, &four)};
		por_calls c = {2, in, step, 2, out, step}, none = c, gone = c;
		none.in_step = NULL;
		gone.in_step = away;
		for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
			in[1].strides = &far[k];
			refused(f, p, in, 2, out, "argument 2: its strides reach past 2^48 bytes");
			in[1].strides = NULL;
			out[0].strides = &far[k];
			refused(f, p, in, 2, out, "result 1: its strides reach past 2^48 bytes");
			out[0].strides = NULL;
		}
		for (int own = 0; own < 2; own++) {
			por_frame *of = own ? f : NULL;
			const por_error *e = own ? por_frame_error(f) : por_program_error(p);
			assert_int_equal(por_call_many(p, of, -5, &c), POR_ERR_VALUE);
			assert_string_equal(e->text, "call_many: fewer calls than none");
			assert_int_equal(por_call_many(p, of, 2, &none), POR_ERR_VALUE);
			assert_string_equal(e->text, "call_many: arrays or steps are NULL");
			assert_int_equal(por_call_many(p, of, 1 << 20, &gone), POR_ERR_VALUE);
			assert_string_equal(e->text, "call_many: the steps reach past 2^48 bytes");
			assert_int_equal(por_call_many(p, of, 2, &c), POR_OK);
		}
		por_frame_free(f);
		por_program_free(p);
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

/* ---- functions of rules -------------------------------------------------------------------------- */

static por_graph *graph;
static por_node *other, *kept;

static por_node *gives_a_tuple(void *u, por_node *x, int n, por_node *const *v) { return por_tuple(1, &x); }
static por_node *gives_an_integer(void *u, por_node *x, int n, por_node *const *v) { return por_cast(v[0], POR_I64); }
static por_node *gives_an_array(void *u, por_node *x, int n, por_node *const *v) { return por_constant(graph, "f64[3]", 1); }
static por_node *gives_an_input(void *u, por_node *x, int n, por_node *const *v) { return other; }
static por_node *gives_what_it_kept(void *u, por_node *x, int n, por_node *const *v)
{
	por_node *was = kept;
	kept = por_sin(v[0]);
	return was;
}
static por_node *differentiates(void *u, por_node *x, int n, por_node *const *v)
{
	por_node *d = NULL;
	por_grad(x, 1, v, &d);
	return d;
}
static por_node *parses_a_gradient(void *u, por_node *x, int n, por_node *const *v)
{
	return por_parse(graph, "grad(exp(y), y)", 1, (const char *[]){"y"}, v);
}
static por_node *closes(void *u, por_node *x, int n, por_node *const *v) { return por_close(graph), NULL; }
static por_node *compiles(void *u, por_node *x, int n, por_node *const *v)
{
	por_program_free(por_compile(graph, 0, NULL, 1, &x, NULL));
	return NULL;
}
static por_node *simplifies(void *u, por_node *x, int n, por_node *const *v)
{
	por_simplify(1, &x, NULL);
	return x;
}
static por_node *adds_a_rule(void *u, por_node *x, int n, por_node *const *v)
{
	por_rule(graph, "zap: sin(x) => cos(pi/2 - x)", NULL);
	return NULL;
}
static por_node *loads(void *u, por_node *x, int n, por_node *const *v)
{
	por_load(graph, "fn f(x: f64) = x", -1, "a.por");
	return NULL;
}

static const struct {
	por_rewrite fn;
	int code;
	const char *text;
} slips[] = {
	{gives_a_tuple, POR_ERR_TYPE, "rule slip: its function gave (f64,), wanted f64"},
	{gives_an_integer, POR_ERR_TYPE, "rule slip: its function gave i64, wanted f64"},
	{gives_an_array, POR_ERR_TYPE, "rule slip: its function gave f64[3], wanted f64"},
	{gives_an_input, POR_ERR_RULE, "a node over q, which is not below what it matched"},
	{gives_what_it_kept, POR_ERR_RULE, "which is not below what it matched"},
	{differentiates, POR_ERR_VALUE, "grad: a rule's function builds nodes, and does nothing else with the graph"},
	{parses_a_gradient, POR_ERR_RULE, "builds what these functions are called for"},
	{closes, POR_ERR_VALUE, "close: a rule's function builds nodes"},
	{compiles, POR_ERR_VALUE, "compile: a rule's function builds nodes"},
	{simplifies, POR_ERR_VALUE, "simplify: a rule's function builds nodes"},
	{adds_a_rule, POR_ERR_VALUE, "rule: a rule's function builds nodes"},
	{loads, POR_ERR_VALUE, "load: a rule's function builds nodes"},
};

/* In a compile, in a gradient, and by hand; the graph goes on. */
static void functions_of_rules(void **state)
{
	(void)state;
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
		for (int way = 0; way < 3; way++) {
			por_graph *g = graph = por_open(NULL);
			other = por_input(g, "q", "f64"), kept = NULL;
			por_node *x = por_input(g, "x", "f64"), *z = por_input(g, "z", "f64");
			por_node *y = por_add(por_exp(x), por_exp(por_sin(x))), *d = NULL, *again = por_exp(z);
			assert_int_equal(por_rule_call(g, "slip: exp(a)", POR_LAW_REAL, slips[i].fn, NULL), POR_OK);
			if (way == 0) {
				por_program_free(por_compile(g, 1, &x, 1, &y, &o));
				if (slips[i].fn == gives_what_it_kept) assert_null(por_compile(g, 2, N(x, z), 1, &again, &o));
			} else if (way == 1) {
				por_grad(y, 1, &x, &d);
				if (slips[i].fn == gives_what_it_kept) por_grad(again, 1, &z, &d);
			} else {
				por_simplify(1, &y, NULL);
				if (slips[i].fn == gives_what_it_kept) por_simplify(1, &again, NULL);
			}
			fails(g, slips[i].code, slips[i].text);
			shows(por_sin(x), "sin(x)");
			good(g);
			por_close(g);
		}
}

static int loads_again(void *user, por_source *s)
{
	por_input(graph, "x", "f64");
	por_close(graph);
	s->text = "let a = 1\n";
	return 0;
}

static void loaders_leave_their_graph_alone(void **state)
{
	(void)state;
	por_context *c = por_context_new(&(por_context_options){.size = sizeof(por_context_options), .load = loads_again});
	graph = por_open(c);
	por_load(graph, "use m\n", -1, "f.por");
	fails(graph, POR_ERR_VALUE, "a function of the context must not call the graph that called it");
	assert_non_null(por_input(graph, "x", "f64"));
	por_close(graph);
	por_context_free(c);
}

/* ---- loops in the wrong order --------------------------------------------------------------------- */

static void loops_closed_in_the_wrong_order(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		por_graph *g = por_open(NULL);
		por_node *A = por_input(g, "A", "f64[m, n]"), *zero = por_constant(g, "f64", 0);
		por_loop *rows = por_loop_open(g, NULL, 0);
		por_node *row = por_loop_each(rows, A), *all = por_loop_carry(rows, zero);
		por_loop *row_sum = por_loop_open(g, NULL, 0);
		por_node *a = por_loop_each(row_sum, row), *s = por_loop_carry(row_sum, zero);
		assert_int_equal(por_loop_next(row_sum, s, por_add(s, por_mul(a, a))), POR_OK);
		if (way == 0) { /* the outer one hangs on the inner one's value */
			assert_int_equal(por_loop_next(rows, all, por_add(all, s)), POR_OK);
			assert_int_equal(por_loop_close(rows), POR_ERR_VALUE);
			fails(g, POR_ERR_VALUE, "a loop inside it is open still; close that one first");
		} else if (way == 1) { /* it does not: then the inner one comes too late */
			assert_int_equal(por_loop_next(rows, all, por_add(all, por_sum(row, 0))), POR_OK);
			assert_int_equal(por_loop_close(rows), POR_OK);
			assert_int_equal(por_loop_close(row_sum), POR_ERR_VALUE);
			fails(g, POR_ERR_VALUE, "the loop around it is closed already");
		} else {
			assert_int_equal(por_loop_close(row_sum), POR_OK);
			assert_int_equal(
				por_loop_next(rows, all, por_add(all, por_loop_last(row_sum, s))), POR_OK);
			assert_int_equal(por_loop_close(rows), POR_OK);
			por_node *y = por_loop_last(rows, all);
			por_program *p = por_compile(g, 1, &A, 1, &y, &(por_options){.size = sizeof(por_options),
				.tier = POR_TIER_INTERPRET});
			double v[6] = {1, 2, 3, 4, 5, 6}, r;
			int64_t shape[2] = {2, 3};
			por_array in = por_view(v, POR_F64, 2, shape), out = por_view(&r, POR_F64, 0, NULL);
			assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
			assert_true(r == 91);
			por_program_free(p);
		}
		good(g);
		por_close(g);
	}
}

/* Side by side they are closed as one likes; one that is never closed is in nobody's way. */
static void loops_side_by_side(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *zero = por_constant(g, "f64", 0);
	por_loop *l[3];
	por_node *c[3];
	for (int i = 0; i < 3; i++) {
		l[i] = por_loop_open(g, NULL, 0), c[i] = por_loop_carry(l[i], zero);
		por_loop_next(l[i], c[i], por_add(c[i], por_loop_each(l[i], x)));
	}
	assert_int_equal(por_loop_close(l[0]), POR_OK);
	assert_int_equal(por_loop_close(l[1]), POR_OK);
	good(g);
	por_close(g);
}

/* ---- arrays that no memory holds -------------------------------------------------------------------- */

static size_t room;
static void *some(void *user, size_t size, size_t align)
{
	return size > room ? NULL : align > 16 ? aligned_alloc(align, (size + align - 1) & ~(align - 1)) : malloc(size);
}
static void back(void *user, void *p, size_t size, size_t align) { free(p); }

/* What an argument asks for, and there is not, is an error that can be cleared. */
static void large_constants(void **state)
{
	(void)state;
	room = 64 << 20;
	por_context *c = por_context_new(
		&(por_context_options){.size = sizeof(por_context_options), .alloc = some, .free = back});
	por_graph *g = por_open(c);
	double *v = calloc(9 << 20, sizeof *v), two[2] = {1, 2};
	for (int k = 0; k < 9 << 20; k++) v[k] = k;
	for (int i = 0; i < 50; i++) { /* each time it ends elsewhere */
		int64_t n = 9 << 20, few = 2;
		por_array a = por_view(v, POR_F64, 1, &n), b = por_view(two, POR_F64, 1, &few);
		room = (size_t)1 << (20 + i % 7);
		assert_null(por_constant_array(g, &a));
		fails(g, POR_ERR_MEMORY, "constant_array: no memory for 9437184 elements of 8 bytes");
		room = 64 << 20;
		two[0] = i + 10;
		por_node *x = por_input(g, "x", "f64[2]"), *y = por_add(x, por_constant_array(g, &b));
		good(g);
		char *text = por_print(1, &y), want[40];
		snprintf(want, sizeof want, "x + f64([%d.0, 2.0])", i + 10);
		is_text(text, want);
	}
	int64_t huge[2] = {INT64_C(1) << 40, 1 << 20};
	por_array a = por_view(v, POR_F64, 2, huge);
	assert_null(por_constant_array(g, &a));
	fails(g, POR_ERR_MEMORY, "no memory for 1152921504606846976 elements");
	free(v);
	por_close(g);
	por_context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_on_each_other),
		cmocka_unit_test(a_result_on_itself),
		cmocka_unit_test(donated_memory),
		cmocka_unit_test(the_frames_own_memory),
		cmocka_unit_test(names_of_exported_functions),
		cmocka_unit_test(sizes_past_memory),
		cmocka_unit_test(far_strides_and_steps),
		cmocka_unit_test(functions_of_rules),
		cmocka_unit_test(loaders_leave_their_graph_alone),
		cmocka_unit_test(loops_closed_in_the_wrong_order),
		cmocka_unit_test(loops_side_by_side),
		cmocka_unit_test(large_constants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
