/* What is refused leaves an error of its own graph, at the user's line: no constructor gives NULL in silence.
 * Texts from C: their errors, their tuples.  Keys and constants print as they read. */
#include <math.h>
#include <stdlib.h>

#include "graph_says.h"

#define N(...) ((por_node *[]){__VA_ARGS__})

/* The graph that was asked has the error, whichever node is foreign. */
static void foreign_nodes(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL), *h = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_input(h, "y", "f64[n]"), *out;
	por_function *f = por_function_of(g, "f", 1, &x, 1, &x);
	const char *u = "u";
	assert_null(por_add_at(x, y, "user.c:12"));
	fails_at(g, POR_ERR_VALUE, "user.c", 12, 0, "nodes of two graphs");
	assert_null(por_function_of(g, "f", 1, &y, 1, &x));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_compile(g, 1, &y, 1, &y, NULL));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_invoke(f, 1, &y));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_bind(f, 1, (const char *[]){"x"}, &y));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_parse(g, "u", 1, &u, &y));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_library(g, "relu", 1, &y));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_apply(g, POR_OP_EXP, 1, &y, 0, NULL, NULL));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_int_equal(por_substitute(1, &x, 1, &x, &y, &out), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_loop_open(g, y, 0));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_loop_each(por_loop_open(g, NULL, 0), y));
	fails(g, POR_ERR_VALUE, "two graphs");
	assert_null(por_input_typed(g, "z", por_node_type(y)));
	fails(g, POR_ERR_VALUE, "another graph");
	assert_int_equal(por_graph_error(h)->code, POR_OK);
	por_close(g);
	por_close(h);
}

static void counts(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *s = por_sum(x, 0), *d;
	por_function *f = por_function_of(g, "f", 1, &x, 1, &s);
	assert_int_equal(por_grad(s, 0, &x, &d), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "grad: given 0, wanted 1 or more");
	assert_null(por_function_of(g, "f", 1, &x, 0, &s));
	fails(g, POR_ERR_VALUE, "results: given 0, wanted 1 or more");
	assert_null(por_function_of(g, "f", -1, &x, 1, &s));
	fails(g, POR_ERR_VALUE, "parameters: given -1");
	assert_null(por_invoke(f, -1, &x));
	fails(g, POR_ERR_VALUE, "f: given -1");
	assert_null(por_bind(f, -1, NULL, NULL));
	fails(g, POR_ERR_VALUE, "bind: given -1");
	assert_null(por_parse(g, "1", -1, NULL, NULL));
	fails(g, POR_ERR_VALUE, "names: given -1");
	assert_null(por_rebuild(por_add(x, x), 1, &x));
	fails(g, POR_ERR_TYPE, "rebuild: 1 operands where + has 2");
	assert_null(por_apply(g, POR_OP_ADD, -1, &x, 0, NULL, NULL));
	fails(g, POR_ERR_VALUE, "operands: given -1");
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *e = por_loop_each(l, x), *c = por_loop_carry(l, por_constant(g, "f64", 0));
	assert_int_equal(por_loop_next(l, c, por_add(c, e)), POR_OK);
	assert_int_equal(por_loop_next(l, c, c), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "carried value 1 has a next one already");
	assert_null(por_loop_stacked(l, 0));
	fails(g, POR_ERR_VALUE, "nothing is stacked under this number");
	assert_int_equal(por_loop_close(l), POR_OK);
	shows(por_loop_last(l, c), "scan (carried = f64(0), x1 in x) => carried + x1");
	assert_null(por_compile(g, 1, &x, 1, &e, NULL));
	fails(g, POR_ERR_NAME, "a value of a loop's body");
	assert_null(por_get(x, 0));
	fails(g, POR_ERR_TYPE, "no tuple");
	assert_null(por_get(por_tuple(2, N(x, s)), 2));
	fails(g, POR_ERR_TYPE, "no element 2 in a tuple of 2");
	por_close(g);
}

/* 6 elements are no 12, uniform or not; what no array has is refused where it is written. */
static void shapes(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *six = por_constant(g, "f64[6]", 1), *x = por_input(g, "x", "f64[6]"), *k = por_key(por_integer(g, 1));
	assert_null(por_reshape(six, 2, (por_size[]){3, 4}));
	fails(g, POR_ERR_TYPE, "f64[6] to f64[3, 4]");
	shows(por_reshape(six, 2, (por_size[]){2, 3}), "f64[2, 3](1)");
	assert_null(por_reshape(x, 1, (por_size[]){POR_NO_SIZE}));
	fails(g, POR_ERR_VALUE, "axis 0: there is no size");
	assert_null(por_slice(x, (por_size[]){4}, (por_size[]){4}, NULL));
	fails(g, POR_ERR_TYPE, "slice: 4 elements from 4 by steps of 1 leave axis 0 of f64[6]");
	assert_null(por_pad(x, (por_size[]){1}, (por_size[]){-2}, NULL));
	fails(g, POR_ERR_TYPE, "pad: -2 zeros after axis 0 of f64[6]");
	assert_null(por_top_k(x, 7));
	fails(g, POR_ERR_TYPE, "top_k: 7 wanted");
	assert_null(por_one_hot(por_integer(g, 1), 3, POR_KEY));
	fails(g, POR_ERR_TYPE, "a key is none");
	assert_null(por_subkey(k, por_number(g, 1.5)));
	fails(g, POR_ERR_TYPE, "wanted integers");
	assert_null(por_sum(x, 1));
	fails(g, POR_ERR_TYPE, "sum: axis 1 of 1 axes; wanted -1 to 0");
	assert_null(por_sum(por_sum(x, 0), 0));
	fails(g, POR_ERR_TYPE, "sum: axis 0 of a scalar");
	por_node *out, *s = por_sum(x, 0);
	assert_int_equal(por_substitute(1, &s, 1, &x, &s, &out), POR_ERR_TYPE);
	fails(g, POR_ERR_TYPE, "number 1 is f64, put in the place of f64[6]");
	char *text = por_type_text(por_node_type(por_parse(g, "[1.0, 2.0]", 0, NULL, NULL)));
	assert_string_equal(text, "f64[2]"); /* what a weak number becomes, as por_type_dtype says */
	por_text_free(text);
	por_close(g);
}

static int no_kernel(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user, (void)nin, (void)in, (void)nout, (void)out;
	return 1;
}

static void names(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	assert_true(por_size_named(g, "let") == POR_NO_SIZE);
	fails(g, POR_ERR_NAME, "size \"let\": a name was wanted");
	assert_true(por_size_named(g, "") == POR_NO_SIZE);
	fails(g, POR_ERR_NAME, "size \"\"");
	por_custom c = {.size = sizeof c, .signature = "exp(x: f64) -> f64", .kernel = no_kernel};
	assert_int_equal(por_define(g, &c), POR_ERR_NAME);
	fails(g, POR_ERR_NAME, "define: exp is an operator already");
	shows(por_exp(x), "exp(x)");
	assert_null(por_function_of(g, "a b", 1, &x, 1, &x));
	fails(g, POR_ERR_NAME, "function \"a b\": a name was wanted");
	por_close(g);
}

/* A line that is known is the error's; the place in the text is told too.  Else that is line and column. */
static void lines_of_texts(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	assert_null(por_input_at(g, "x", "f63[n]", "user.c:31"));
	fails_at(g, POR_ERR_TYPE, "user.c", 31, 0,
		"f63 is no dtype; a type is one with its sizes, such as f64[m, n]; line 1, column 1 of the text");
	assert_null(por_input_at(g, "x", "f64 if y > 0", "user.c:32"));
	fails_at(g, POR_ERR_VALUE, "user.c", 32, 0,
		"input x: the promise y > 0 is not understood; write bounds such as 0 <= x < 1, or integer(x)");
	assert_null(por_input_at(g, "x", "f64[n", NULL));
	fails_at(g, POR_ERR_SYNTAX, "", 1, 4, "this [ is not closed: the text ends before its ]");
	assert_null((por_parse)(g, "1 + nope", 0, NULL, NULL));
	fails_at(g, POR_ERR_NAME, "", 1, 5, "nope is not declared");
	assert_null(por_parse_at(g, "1 + nope", 0, NULL, NULL, "user.c:33"));
	fails_at(g, POR_ERR_NAME, "user.c", 33, 0, "nope is not declared; line 1, column 5 of the text");
	por_at(g, "user.c:77");
	assert_null(por_parse(g, "1 + nope", 0, NULL, NULL));
	fails_at(g, POR_ERR_NAME, "user.c", 77, 0, "nope is not declared; line 1, column 5 of the text");
	assert_null(por_type_parse(g, "f64[1.5]"));
	assert_int_equal(por_graph_error(g)->line, 77);
	por_clear_error(g);
	por_at(g, "model.por"); /* a file alone: lines are those of the text */
	assert_null(por_parse(g, "1 +\n nope", 0, NULL, NULL));
	fails_at(g, POR_ERR_NAME, "model.por", 2, 2, "nope is not declared");
	por_close(g);
}

static void tuples_from_text(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	const char *name = "x";
	por_node *t = por_parse(g, "(x, sum(x))", 1, &name, &x);
	shows(t, "(x, sum(x))");
	assert_ptr_equal(por_get(t, 0), x);
	shows(por_tuple(1, &x), "(x,)");
	t = por_library(g, "top_k[2]", 1, &x);
	assert_int_equal(por_type_count(por_node_type(t)), 2);
	assert_int_equal(por_type_dtype(por_node_type(por_get(t, 1))), POR_I64);
	assert_null(por_parse(g, "(x, {a = x})", 1, &name, &x));
	fails(g, POR_ERR_TYPE, "where one array is wanted");
	por_close(g);
}

/* Numbers become what por_cast makes of them; a derived key has two words and reads back. */
static void constants(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	shows(por_constant(g, "i8", 300), "i8(127)");
	shows(por_constant(g, "u8", -1), "u8(0)");
	shows(por_constant(g, "i8", -1.5), "i8(-1)");
	shows(por_constant(g, "i32", NAN), "i32(0)");
	shows(por_constant(g, "i64", 1e300), "i64(9223372036854775807)");
	uint64_t words[2] = {12, (uint64_t)-3};
	por_array a = por_view(words, POR_KEY, 0, NULL);
	por_node *k = por_constant_array(g, &a);
	shows(k, "key(12, -3)");
	assert_ptr_equal(por_parse(g, "key(12, -3)", 0, NULL, NULL), k);
	words[1] = 0;
	shows(por_constant_array(g, &a), "key(12)");
	por_node *x = por_input(g, "x", "i64");
	assert_null(por_parse(g, "key(x, 1)", 1, (const char *[]){"x"}, &x));
	fails(g, POR_ERR_TYPE, "key: its two words are known whole numbers");
	por_close(g);
}

/* por_given: a type as text tells an untyped parameter's type, and must fit a typed one. */
static void declared_parameters(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, "fn f(x: f64) = x\nfn h(x) = x + 1\n", -1, "m.por");
	por_given x = {.name = "x", .declared = "x: f32[n]"};
	por_function *half = por_function_named(por_load(g, "fn half(a: f64 if 0 < a < 1, x: f64) = a*x", -1, "h.por"), "half", 0, NULL);
	por_node *a = por_constant(g, "f64", 1.5);
	assert_null(por_bind(half, 1, (const char *[]){"a"}, &a)); /* no call checks what is bound */
	fails(g, POR_ERR_VALUE, "bind: a = 1.5, which breaks its promise: 0 < a < 1");
	a = por_constant(g, "f64", 0.5);
	assert_non_null(por_bind(half, 1, (const char *[]){"a"}, &a));
	char *text = por_print_function(por_function_named(m, "h", 1, &x), POR_PRINT_ONE_LINE);
	assert_non_null(text);
	assert_string_equal(text, "fn h(x: f32[n]) -> f32[n] = x + 1\n");
	por_text_free(text);
	assert_null(por_function_named(m, "f", 1, &x));
	fails(g, POR_ERR_TYPE, "f32[n]");
	por_close(g);
}

static void call_fails(por_program *p, int argument, const char *part)
{
	const por_error *e = por_program_error(p);
	if (!strstr(e->text, part)) fail_msg("\"%s\" lacks \"%s\"", e->text, part);
	assert_int_equal(e->argument, argument);
}

/* What a call refuses, in every tier alike. */
static void calls(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y[2] = {por_exp(x), por_sum(x, 0)};
	static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_REFERENCE};
	for (int t = 0; t < 2; t++) {
		por_options o = {.size = sizeof o, .tier = tiers[t]};
		por_program *p = por_compile(g, 1, &x, 2, y, &o), *q = por_compile(g, 1, &x, 2, y, &o);
		double v[3] = {0, 0, 0}, e[3], s = 7;
		int64_t three[1] = {3}, none[1] = {0}, still[1] = {0};
		por_array in = por_view(v, POR_F64, 1, three);
		por_array out[2] = {por_view(e, POR_F64, 1, three), por_view(&s, POR_F64, 0, NULL)};
		assert_int_equal(por_call(p, NULL, 1, NULL, 2, out), POR_ERR_CALL);
		call_fails(p, 0, "the arguments are NULL");
		assert_int_equal(por_call(p, NULL, 1, &in, 2, NULL), POR_ERR_CALL);
		call_fails(p, 0, "the results are NULL");
		out[0].strides = still;
		assert_int_equal(por_call(p, NULL, 1, &in, 2, out), POR_ERR_CALL);
		call_fails(p, 0, "result 1: a stride of 0 on axis 0");
		out[0].strides = NULL, out[1].dtype.bits = 32;
		assert_int_equal(por_call(p, NULL, 1, &in, 2, out), POR_ERR_CALL);
		call_fails(p, 0, "result 2: dtype f32, wanted f64"); /* no argument is at fault */
		out[1].dtype.bits = 64, out[1].data = NULL;
		assert_int_equal(por_call(p, NULL, 1, &in, 2, out), POR_ERR_CALL);
		call_fails(p, 0, "result 2: without a frame every result needs memory");
		assert_int_equal(por_call(p, NULL, 1, &in, 0, NULL), POR_ERR_CALL);
		call_fails(p, 0, "without a frame every result needs memory");
		/* what has no elements needs none */
		out[1].data = &s, out[0].data = NULL, in.data = NULL, in.shape = none;
		assert_int_equal(por_call(p, NULL, 1, &in, 2, out), POR_OK);
		assert_true(s == 0);
		por_frame *f = por_frame_new(q);
		assert_int_equal(por_call(p, f, 1, &in, 2, out), POR_ERR_VALUE);
		assert_string_equal(por_frame_error(f)->text, "this frame is another program's");
		por_frame_free(f);
		por_program_free(p);
		por_program_free(q);
	}
	por_close(g);
}

/* A struct whose size was forgotten would be read as empty. */
static void sizes_of_options(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	assert_null(por_compile(g, 1, &x, 1, &x, &(por_options){.tier = POR_TIER_INTERPRET}));
	fails(g, POR_ERR_VALUE, "options: their size is 0, wanted sizeof(por_options)");
	assert_null(por_compile(g, 1, &x, 1, &x, &(por_options){.size = sizeof(por_options), .compile_seconds = -1}));
	fails(g, POR_ERR_VALUE, "options: compile_seconds is out of range");
	assert_null(por_context_new(&(por_context_options){.user = g}));
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(foreign_nodes), cmocka_unit_test(counts),
		cmocka_unit_test(shapes), cmocka_unit_test(names), cmocka_unit_test(lines_of_texts),
		cmocka_unit_test(tuples_from_text), cmocka_unit_test(constants), cmocka_unit_test(declared_parameters),
		cmocka_unit_test(calls), cmocka_unit_test(sizes_of_options)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
