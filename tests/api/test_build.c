/* Building, walking, editing, printing; derivatives against hand formulas; loops; errors' texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph_says.h"

#define N(...) ((por_node *[]){__VA_ARGS__})

static por_options tier(int t)
{
	return (por_options){.size = sizeof(por_options), .tier = t, .cache = ""};
}

/* C has no type of f16: por_convert makes such elements of doubles, rounded once, and doubles of them. */
static void elements_are_converted(void **state)
{
	(void)state;
	const double x[] = {1.5, 65519.999, 65520, -0.0, NAN}, wanted[] = {1.5, 65504, INFINITY, -0.0, NAN};
	double back[5];
	uint16_t half[5];
	int8_t small[5];
	assert_int_equal(por_convert(5, POR_F16, half, POR_F64, x), POR_OK);
	assert_int_equal(por_convert(5, POR_F64, back, POR_F16, half), POR_OK);
	for (int i = 0; i < 5; i++)
		assert_true(isnan(wanted[i]) ? isnan(back[i]) : back[i] == wanted[i] && signbit(back[i]) == signbit(wanted[i]));
	assert_int_equal(por_convert(5, POR_I8, small, POR_F16, half), POR_OK);
	assert_true(small[0] == 1 && small[1] == 127 && small[2] == 127 && small[3] == 0 && small[4] == 0);
	assert_int_equal(por_convert(1, POR_C64, back, POR_F64, x), POR_ERR_TYPE);
	assert_int_equal(por_convert(1, POR_F64, back, POR_KEY, x), POR_ERR_TYPE);
	assert_int_equal(por_convert(1, POR_F64, back, 99, x), POR_ERR_TYPE);
	assert_int_equal(por_convert(-1, POR_F64, back, POR_F64, x), POR_ERR_VALUE);
	assert_int_equal(por_convert(1, POR_F64, back, POR_F64, NULL), POR_ERR_VALUE);
	assert_true(por_dtype_is_float(POR_BF16) && !por_dtype_is_float(POR_C64) && !por_dtype_is_float(POR_BOOL));
}

/* Nodes made for one line share what is known of that line: a name that one of them gets is not the others', and goes
 * with the node that stands for it in a function. */
static void names_are_of_one_node(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	por_node *sum = por_parse_at(g, "let v = sin(x) + x in\n v*cos(v)", 1, (const char *[]){"x"}, N(x), "user.c:5");
	good(g);
	por_node *v = por_node_arg(sum, 0), *sine = por_node_arg(v, 0);
	assert_string_equal(por_node_name(sum), "");
	assert_string_equal(por_node_name(v), "v");
	assert_string_equal(por_node_name(sine), "");
	assert_string_equal(por_node_where(v), "user.c:5");
	assert_string_equal(por_node_where(sine), "user.c:5");
	por_function *f = por_function_of(g, "f", 1, N(x), 1, N(sum));
	char *text = por_print_function(f, 0);
	good(g);
	assert_non_null(strstr(text, "let v = sin(x) + x"));
	por_text_free(text);
	por_close(g);
}

/* ---- building ------------------------------------------------------------------------------- */

static void values_are_interned(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	assert_ptr_equal(x, por_input(g, "x", "f64[n]"));
	assert_ptr_equal(por_exp(x), por_exp(x));
	assert_ptr_equal(por_node_type(x), por_type_parse(g, "f64[n]"));
	assert_ptr_equal(
		por_type_array(g, POR_F64, 1, (por_size[]){por_size_named(g, "n")}), por_node_type(x));
	shows(por_add(por_mul(x, x), por_number(g, 2)), "x*x + 2");
	good(g);
	por_close(g);
}

static void sizes_are_expressions(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_size n = por_size_named(g, "n"), s = por_size_add(g, por_size_mul(g, 2, n), 1);
	char *text = por_size_text(g, s);
	assert_string_equal(text, "2*n + 1");
	por_text_free(text);
	assert_true(por_size_sub(g, s, s) == 0);
	assert_true(por_size_add(g, 3, 4) == 7);
	assert_true(por_size_add(g, POR_NO_SIZE, 1) == POR_NO_SIZE);
	assert_true(por_size_floordiv(g, 7, 2) == 3 && por_size_mod(g, 7, 2) == 1);
	por_type *t = por_type_parse(g, "f32[m, 2*n + 1]");
	assert_true(por_type_size(t, 1) == s && por_type_size(t, 2) == POR_NO_SIZE);
	assert_int_equal(por_type_dtype(t), POR_F32);
	good(g);
	por_close(g);
}

static void operators_of_every_kind(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *A = por_input(g, "A", "f64[3, 4]"), *i = por_input(g, "i", "i64[2]"),
		 *k = por_input(g, "k", "key");
	por_node *all[] = {
		por_sum(A, 0),
		por_sum(A, POR_ALL),
		por_sum_axes(A, 2, (int[]){0, -1}),
		por_argmax(A, 1),
		por_cumsum(A, -1),
		por_reshape(A, 1, (por_size[]){12}),
		por_transpose(A, (int[]){1, 0}),
		por_turn(A),
		por_expand(A, 1, (int[]){0}, (por_size[]){5}),
		por_flip(A, 1, (int[]){1}),
		por_slice(A, (por_size[]){0, 1}, (por_size[]){2, 2}, (int64_t[]){1, 2}),
		por_pad(A, (por_size[]){1, 0}, (por_size[]){0, 2}, NULL),
		por_concat(0, 2, N(A, A)),
		por_gather(A, i, 0),
		por_scatter_add(A, i, por_gather(A, i, 0), 0),
		por_one_hot(i, 4, POR_F32),
		por_get(por_top_k(A, 2), 1),
		por_einsum("ij,kj->ik", A, A),
		por_matmul(A, por_turn(A)),
		por_get(por_qr(por_turn(A)), 0),
		por_uniform(k, POR_F32, 1, (por_size[]){7}),
		por_normal(por_subkey(k, por_integer(g, 3)), POR_F64, 0, NULL),
		por_uniform_open(k, POR_F16, 1, (por_size[]){7}),
		por_exponential(k, POR_BF16, 0, NULL),
		por_gamma_draw(k, A),
		por_cast(A, POR_F32),
		por_iota(g, 4),
		por_where(por_gt(A, por_number(g, 0)), A, por_neg(A)),
		por_squeeze(por_unsqueeze(A, 1, (int[]){0}), 1, (int[]){0}),
		por_broadcast_to(por_number(g, 1), 1, (por_size[]){4}),
		por_mean(A, 0),
		por_softmax(A, -1),
		por_relu(A),
		por_clip(A, por_number(g, 0), por_number(g, 1)),
		por_dot(A, A),
		por_norm(A),
		por_log_softmax(A, 0),
		por_library(g, "variance[0]", 1, N(A)),
		por_parse(g, "a @ a.T + 1", 1, (const char *[]){"a"}, N(A)),
	};
	good(g);
	for (size_t n = 0; n < sizeof all / sizeof *all; n++) assert_non_null(all[n]);
	assert_ptr_equal(por_apply(g, POR_OP_ADD, 2, N(A, A), 0, NULL, NULL), por_add(A, A));
	por_close(g);
}

static void lines_are_noted(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	por_node *y = por_exp(x);
	int line = __LINE__ - 1;
	char want[300];
	snprintf(want, sizeof want, "%s:%d", __FILE__, line);
	assert_string_equal(por_node_where(y), want);
	assert_string_equal(por_node_where(por_log_at(x, "model.c:31")), "model.c:31");
	assert_null(por_matmul_at(x, por_input(g, "w", "f64[n + 1, 5]"), "model.c:40"));
	assert_string_equal(por_graph_error(g)->file, "model.c");
	assert_int_equal(por_graph_error(g)->line, 40);
	char *shown = por_error_show(por_graph_error(g), NULL);
	assert_non_null(strstr(shown, "model.c:40"));
	por_text_free(shown);
	por_close(g);
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* Numbers without a dtype print as literals, and what no literal holds as its bits. */
static void constants_print(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	uint64_t wide[] = {UINT64_MAX - 1, 3};
	por_array a = por_view(wide, POR_U64, 1, (int64_t[]){2});
	por_node *x = por_input(g, "x", "u64[n]");
	struct {
		por_node *x;
		const char *text;
	} all[] = {{por_integer(g, 5), "5"}, {por_number(g, -0.5), "-0.5"},
		{por_constant_array(g, &a), "bitcast[u64]([-2, 3])"},
		{por_bit_not(por_constant(g, "u64", 0)), NULL},
		{por_parse(g, "x + bitcast[u64](-2)", 1, (const char *[]){"x"}, &x), "x + bitcast[u64](-2)"},
		{por_parse(g, "bitcast[u64](i64[2](-2))", 0, NULL, NULL), "bitcast[u64](i64[2](-2))"}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *text = por_print(1, &all[i].x);
		assert_non_null(text);
		if (all[i].text) assert_string_equal(text, all[i].text);
		por_node *back = por_parse(g, text, 1, (const char *[]){"x"}, &x);
		assert_ptr_equal(back, all[i].x);
		por_text_free(text);
	}
	por_close(g);
}

static void messages_name_what_is_wrong(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL), *h = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *b = por_input(g, "b", "bool[n]");
	assert_null(por_input(g, "x", "f32[n]"));
	fails(g, POR_ERR_TYPE, "input x: f32[n] here, f64[n] before");
	assert_null(por_add(x, por_input(g, "z", "f64[n + 1]")));
	fails(g, POR_ERR_TYPE, "n + 1");
	assert_null(por_not(x));
	fails(g, POR_ERR_TYPE, "not");
	assert_null(por_add(x, por_input(h, "x", "f64[n]")));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_input(g, "q", "f64[n"));
	fails(g, POR_ERR_SYNTAX, "");
	assert_null(por_input(g, "q", "f65[n]"));
	fails(g, POR_ERR_TYPE, "f65 is no dtype");
	assert_null(por_sum(x, 3));
	fails(g, POR_ERR_TYPE, "sum");
	assert_null(por_einsum("ij,jk->ik", x, x));
	fails(g, POR_ERR_VALUE, "einsum");
	por_node *d;
	assert_int_equal(por_grad(x, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_null(d);
	fails(g, POR_ERR_DERIVATIVE, "vjp and jacobian");
	assert_null(por_function_of(g, "f", 1, &b, 1, &x));
	fails(g, POR_ERR_NAME, "input x is used and not listed");
	assert_null(por_parse(g, "1 +", 0, NULL, NULL));
	fails(g, POR_ERR_SYNTAX, "");
	assert_null(por_input(g, "two words", "f64"));
	fails(g, POR_ERR_NAME, "input \"two words\": a name was wanted");
	assert_null(por_input_typed(g, "a.b", por_node_type(x)));
	fails(g, POR_ERR_NAME, "input \"a.b\"");
	assert_null(por_apply(g, 9999, 0, NULL, 0, NULL, NULL));
	fails(g, POR_ERR_VALUE, "an operator that is none");
	por_node *y = por_exp(x);
	assert_int_equal(por_simplify(1, &y, "nosuch"), POR_ERR_NAME);
	fails(g, POR_ERR_NAME, "there is no stage nosuch");
	assert_null(por_optimise(por_function_of(g, "f", 1, &x, 1, &x), NULL, "nosuch"));
	fails(g, POR_ERR_NAME, "there is no stage nosuch");
	int64_t twice[] = {0, 0, -1, -1, 0};
	por_attribute label[5];
	for (int i = 0; i < 5; i++) label[i] = (por_attribute){.kind = POR_ATTR_INT, .integer = twice[i]};
	por_node *pair[] = {por_input(g, "S", "f64[n, n]"), por_constant(g, "f64", 1)};
	por_node *diagonal = por_apply(g, POR_OP_CONTRACT, 2, pair, 5, label, NULL);
	assert_int_equal(por_type_rank(por_node_type(por_node_arg(diagonal, 0))),
		1); /* each label once in an operand */
	por_size many[20] = {[0] = -1};
	assert_null(por_broadcast_to(x, 1, many));
	fails(g, POR_ERR_VALUE, "negative size");
	assert_null(por_broadcast_to(x, 20, many));
	fails(g, POR_ERR_TYPE, "more than 16 axes");
	assert_non_null(por_input(g, "T", "f64[n, p]"));
	assert_null(por_broadcast_to(pair[0], 2, (por_size[]){por_size_named(g, "n"), por_size_named(g, "p")}));
	fails(g, POR_ERR_TYPE, "f64[n, n] does not spread to f64[n, p]; p and n are declared as two sizes");
	por_node *wide = por_broadcast_to(pair[0], 3, (por_size[]){2, 3, 4});
	assert_int_equal(por_type_size(por_node_type(wide), 1), 3); /* as it is wanted: the call asks for it */
	assert_int_equal(por_type_size(por_node_type(wide), 2), 4);
	/* after an error everything gives NULL, and the first stays */
	assert_null(por_sum(x, 9));
	assert_null(por_exp(x));
	assert_non_null(strstr(por_graph_error(g)->text, "sum"));
	assert_null(por_compile(g, 1, &x, 1, &x, NULL));
	por_close(g), por_close(h);
}

/* Whatever is given to an operator by its number, it is built or refused with a reason. */
static void operators_by_number(void **state)
{
	(void)state;
	static const char *const types[] = {"f64", "f32[m, n]", "i32[n]", "bool[n]", "key", "f64[2, 3, 3]"};
	por_graph *g = por_open(NULL);
	por_node *in[6], *args[4];
	for (int i = 0; i < 6; i++) in[i] = por_input(g, (char[]){'a', (char)('0' + i), 0}, types[i]);
	unsigned random = 1;
	for (int op = -1; op <= por_op_count(); op++)
		for (int k = 0; k < 120; k++) {
			por_attribute attr[6] = {{0}};
			int nargs = k % 4, nattrs = k / 4 % 7;
			for (int i = 0; i < nargs; i++)
				args[i] = in[(random = random * 1103515245 + 12345) / 65536 % 6];
			for (int i = 0; i < nattrs; i++) {
				random = random * 1103515245 + 12345;
				attr[i].kind = k % 3 ? (int)(random >> 16) % 3 : (int)(random >> 16) % 9;
				attr[i].dtype = (int)(random >> 20) % 18 - 1;
				attr[i].integer = attr[i].size = (int)(random >> 24) % 6 - 1;
			}
			por_node *x = por_apply(g, op, nargs, args, nattrs, nattrs ? attr : NULL, NULL);
			if (!x) assert_true(*por_graph_error(g)->text || !nargs);
			por_clear_error(g);
			char *text = x ? por_print(1, &x) : NULL;
			if (x) assert_non_null(text);
			por_text_free(text);
		}
	por_close(g);
}

static void no_arguments_no_harm(void **state)
{
	(void)state;
	assert_null(por_add(NULL, NULL));
	assert_null(por_sum(NULL, 0));
	assert_null(por_concat(0, 0, NULL));
	assert_null(por_input(NULL, "x", "f64"));
	assert_string_equal(por_graph_error(NULL)->text, "there is no graph");
	assert_string_equal(por_node_where(NULL), "");
	por_close(NULL), por_context_free(NULL), por_program_free(NULL), por_frame_free(NULL),
		por_region_free(NULL);
	por_text_free(NULL), por_array_free(NULL);
}

/* ---- derivatives ------------------------------------------------------------------------------ */

enum { M = 3, F = 2 };

/* loss = mean(softplus(X w) - y X w); d = X' (sigmoid(X w) - y)/m */
static void logistic_regression(void **state)
{
	(void)state;
	static const int tiers[] = {POR_TIER_REFERENCE, POR_TIER_INTERPRET, POR_TIER_NATIVE};
	por_graph *g = por_open(NULL);
	por_node *w = por_input(g, "w", "f64[n]"), *X = por_input(g, "X", "f64[m, n]"),
		 *y = por_input(g, "y", "f64[m]");
	por_node *z = por_matmul(X, w), *d;
	por_node *loss = por_mean(por_sub(por_softplus(z), por_mul(y, z)), POR_ALL);
	por_grad(loss, 1, &w, &d);
	good(g);
	double wv[F] = {0.5, -0.25}, Xv[M][F] = {{1, 2}, {3, 4}, {5, 6}}, yv[M] = {0, 1, 1}, l = 0,
	       dv[F] = {0};
	for (int i = 0; i < M; i++) {
		double zi = Xv[i][0] * wv[0] + Xv[i][1] * wv[1];
		l += (log1p(exp(zi)) - yv[i] * zi) / M;
		for (int k = 0; k < F; k++) dv[k] += Xv[i][k] * (1 / (1 + exp(-zi)) - yv[i]) / M;
	}
	for (size_t t = 0; t < sizeof tiers / sizeof *tiers; t++) {
		por_options o = tier(tiers[t]);
		por_program *p = por_compile(g, 3, N(w, X, y), 2, N(loss, d), &o);
		good(g);
		assert_string_equal(por_program_input(p, 1), "X: f64[m, n]");
		double lo, od[F], turned[F][M];
		for (int i = 0; i < M; i++)
			for (int k = 0; k < F; k++) turned[k][i] = Xv[i][k];
		int64_t shape[] = {M, F}, columns_first[] = {1, M};
		por_array in[] = {por_view(wv, POR_F64, 1, shape + 1), por_view(Xv, POR_F64, 2, shape),
			por_view(yv, POR_F64, 1, shape)};
		por_array out[] = {por_view(&lo, POR_F64, 0, NULL), por_view(od, POR_F64, 1, (int64_t[]){F})};
		for (int strided = 0; strided < 2; strided++) {
			if (strided) {
				in[1] = por_view(turned, POR_F64, 2, shape);
				in[1].strides = columns_first;
			}
			assert_int_equal(por_call(p, NULL, 3, in, 2, out), POR_OK);
			assert_true(fabs(lo - l) < 1e-14);
			for (int k = 0; k < F; k++) assert_true(fabs(od[k] - dv[k]) < 1e-14);
		}
		por_program_free(p);
	}
	por_close(g);
}

static void second_derivatives(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *v = por_input(g, "v", "f64"), *t;
	por_node *y = por_sin(por_mul(x, x));
	por_node *h = por_hessian(y, x), *j = por_jacobian(y, x, 1);
	assert_int_equal(por_jvp(1, &y, 1, &x, &v, &t), POR_OK);
	por_node *u = por_number(g, 2), *c;
	assert_int_equal(por_vjp(1, &y, 1, &x, &u, &c), POR_OK);
	por_options o = tier(POR_TIER_REFERENCE);
	por_program *p = por_compile(g, 2, N(x, v), 4, N(h, j, t, c), &o);
	good(g);
	double xv = 0.75, vv = -3, r[4];
	por_array in[] = {por_view(&xv, POR_F64, 0, NULL), por_view(&vv, POR_F64, 0, NULL)}, out[4];
	for (int k = 0; k < 4; k++) out[k] = por_view(&r[k], POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 2, in, 4, out), POR_OK);
	double first = 2 * xv * cos(xv * xv);
	assert_true(fabs(r[0] - (2 * cos(xv * xv) - 4 * xv * xv * sin(xv * xv))) < 1e-14 &&
		fabs(r[1] - first) < 1e-14);
	assert_true(fabs(r[2] + 3 * first) < 1e-14 && fabs(r[3] - 2 * first) < 1e-14);
	por_program_free(p);
	por_close(g);
}

/* ---- loops -------------------------------------------------------------------------------------- */

static void running_sum_of_squares(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *xs = por_input(g, "xs", "f64[n]"), *scale = por_input(g, "scale", "f64");
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *x = por_loop_each(l, xs), *s = por_loop_carry(l, por_constant(g, "f64", 0));
	por_node *next = por_add(s, por_mul(scale, por_mul(x, x)));
	por_loop_next(l, s, next);
	int t = por_loop_stack(l, next);
	assert_int_equal(por_loop_close(l), POR_OK);
	por_node *last = por_loop_last(l, s), *all = por_loop_stacked(l, t), *d;
	assert_int_equal(por_grad(last, 1, &xs, &d), POR_OK);
	for (int k = 0; k < 2; k++) {
		por_options o = tier(k ? POR_TIER_INTERPRET : POR_TIER_REFERENCE);
		por_program *p = por_compile(g, 2, N(xs, scale), 3, N(last, all, d), &o);
		good(g);
		double xv[3] = {1, 2, 3}, sv = 2;
		por_array in[] = {por_view(xv, POR_F64, 1, (int64_t[]){3}), por_view(&sv, POR_F64, 0, NULL)};
		por_frame *f = por_frame_new(p);
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(*(double *)por_frame_result(f, 0)->data == 28);
		assert_int_equal(por_frame_result(f, 1)->shape[0], 3);
		assert_true(((double *)por_frame_result(f, 1)->data)[1] == 10);
		assert_true(((double *)por_frame_result(f, 2)->data)[2] == 12);
		por_program_free(p);
		por_frame_free(f);
	}
	assert_int_equal(por_loop_close(l), POR_ERR_VALUE);
	por_close(g);
}

/* Newton's steps until they are small; the pass that is not made, and the side that is not taken, fail not. */
static void newton_until_it_is_near(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *a = por_input(g, "a", "f64"), *xs = por_input(g, "xs", "f64[n]"), *k = por_input(g, "k", "i64");
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *x = por_loop_carry(l, a), *half = por_number(g, 0.5);
	por_loop_next(l, x, por_mul(half, por_add(x, por_div(a, x))));
	int t = por_loop_stack(l, x);
	por_node *off = por_abs(por_sub(por_mul(x, x), a));
	assert_int_equal(por_loop_while(l, por_gt(off, por_number(g, 1e-12))), POR_OK);
	assert_int_equal(por_loop_close(l), POR_OK);
	por_node *root = por_loop_last(l, x), *all = por_loop_stacked(l, t), *d;
	assert_int_equal(por_grad(root, 1, &a, &d), POR_OK);
	por_node *taken = por_if(por_lt(k, por_number(g, 3)), por_at_index(xs, k), por_mul(a, por_sum(xs, 0)));
	for (int way = 0; way < 2; way++) {
		por_options o = tier(way ? POR_TIER_INTERPRET : POR_TIER_REFERENCE);
		por_program *p = por_compile(g, 3, N(a, xs, k), 4, N(root, all, d, taken), &o);
		good(g);
		double av = 4, xv[3] = {1, 2, 3};
		int64_t kv = way ? 99 : 2;
		por_array in[] = {por_view(&av, POR_F64, 0, NULL), por_view(xv, POR_F64, 1, (int64_t[]){3}),
			por_view(&kv, POR_I64, 0, NULL)};
		por_frame *f = por_frame_new(p);
		assert_int_equal(por_call(p, f, 3, in, 0, NULL), POR_OK);
		assert_true(fabs(*(double *)por_frame_result(f, 0)->data - 2) < 1e-14);
		assert_int_equal(por_frame_result(f, 1)->shape[0], 5);
		assert_true(((double *)por_frame_result(f, 1)->data)[0] == 4);
		assert_true(fabs(*(double *)por_frame_result(f, 2)->data - 0.25) < 1e-12);
		assert_true(*(double *)por_frame_result(f, 3)->data == (way ? 24 : 3));
		por_program_free(p);
		por_frame_free(f);
	}
	por_close(g);
}

static void conditions_are_bools(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *xs = por_input(g, "xs", "f64[n]"), *c = por_gt(x, por_number(g, 0));
	assert_null(por_if(x, x, x));
	assert_string_equal(por_graph_error(g)->text, "if: a condition of f64 where one bool is wanted");
	por_clear_error(g);
	assert_null(por_if(c, xs, por_gt(xs, x)));
	assert_string_equal(por_graph_error(g)->text, "if: one side gives f64[n], the other bool[n]");
	por_clear_error(g);
	por_loop *l = por_loop_open(g, NULL, 0);
	assert_int_equal(por_loop_while(l, x), POR_ERR_TYPE);
	por_clear_error(g);
	assert_int_equal(por_loop_while(l, c), POR_OK);
	assert_int_equal(por_loop_while(l, c), POR_ERR_VALUE);
	por_clear_error(g);
	assert_int_equal(por_loop_close(l), POR_ERR_VALUE);
	assert_non_null(strstr(por_graph_error(g)->text, "nothing is carried"));
	por_close(g);
}

/* ---- walking ---------------------------------------------------------------------------------------- */

static void graphs_are_walked_and_edited(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *e = por_exp(x), *y = por_add(e, por_mul(e, x));
	por_region *r = por_region_of(1, &y);
	assert_int_equal(por_region_count(r), 4);
	assert_ptr_equal(por_region_node(r, 0), x);
	assert_ptr_equal(por_region_node(r, 3), y);
	int place = por_region_place(r, e);
	assert_int_equal(por_region_users(r, place), 2);
	assert_ptr_equal(por_region_user(r, place, 1), y);
	assert_int_equal(por_region_place(r, por_log(x)), -1);
	por_close(g); /* the region keeps it alive */
	assert_int_equal(por_node_op(por_region_node(r, 1)), POR_OP_EXP);
	por_node *log_x = por_log(x), *z;
	assert_int_equal(por_substitute(1, &y, 1, &e, &log_x, &z), POR_OK);
	shows(z, "let v1 = log(x) in v1 + v1*x");
	assert_ptr_equal(por_rebuild(y, 2, N(x, x)), por_add(x, x));
	por_node *s = por_log(por_exp(x));
	assert_int_equal(por_simplify(1, &s, NULL), POR_OK);
	assert_ptr_equal(s, x);
	por_attribute a;
	assert_int_equal(por_node_attribute(por_sum(x, 0), 0, &a), POR_OK);
	assert_true(a.kind == POR_ATTR_INT && a.integer == 0);
	por_region_free(r);
}

static void constants_are_read(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	double v[4] = {1, 2, 3, 4}, number;
	por_array a = por_view(v, POR_F64, 2, (int64_t[]){2, 2});
	a.strides = (int64_t[]){1, 2};
	por_node *c = por_constant_array(g, &a);
	por_array *back = por_node_constant(c);
	assert_non_null(back);
	assert_true(((double *)back->data)[1] == 3 && back->ndim == 2);
	por_array_free(back);
	assert_int_equal(por_node_number(por_constant(g, "f32[n]", 0.5), &number), POR_OK);
	assert_true(number == 0.5);
	assert_int_equal(por_node_number(c, &number), POR_ERR_VALUE);
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_interned),
		cmocka_unit_test(names_are_of_one_node),
		cmocka_unit_test(elements_are_converted),
		cmocka_unit_test(sizes_are_expressions),
		cmocka_unit_test(operators_of_every_kind),
		cmocka_unit_test(lines_are_noted),
		cmocka_unit_test(constants_print),
		cmocka_unit_test(operators_by_number),
		cmocka_unit_test(messages_name_what_is_wrong),
		cmocka_unit_test(no_arguments_no_harm),
		cmocka_unit_test(logistic_regression),
		cmocka_unit_test(second_derivatives),
		cmocka_unit_test(running_sum_of_squares),
		cmocka_unit_test(newton_until_it_is_near),
		cmocka_unit_test(conditions_are_bools),
		cmocka_unit_test(graphs_are_walked_and_edited),
		cmocka_unit_test(constants_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
