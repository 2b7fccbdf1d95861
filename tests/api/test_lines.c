/* The user's line in every error: of what builds, compiles and differentiates the line of this file; of a call the line
 * that declared what it complains of. */
#include <stdio.h>
#include <stdlib.h>

#include "graph_says.h"

#define N(...) ((por_node *[]){__VA_ARGS__})

/* The error of the call on this line of the file has this line. */
#define HERE(call)                                                                                           \
	do {                                                                                                 \
		(void)(call);                                                                                \
		is_here(g, __LINE__, #call);                                                                 \
	} while (0)

static void is_here(por_graph *g, int line, const char *call)
{
	const por_error *e = por_graph_error(g);
	if (!e->code) fail_msg("no error: %s", call);
	if (e->line != line || !strstr(e->file, "test_lines.c")) fail_msg("%s: at %s:%d: %s", call, e->file, e->line, e->text);
	por_clear_error(g);
}

static void lines_of_what_builds(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL), *h = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *i = por_input(g, "i", "i64[n]"), *s = por_sum(x, 0), *out;
	por_node *foreign = por_input(h, "y", "f64[n]");
	HERE(por_grad(x, 1, &x, &out));
	HERE(por_grad(s, 1, &i, &out));
	HERE(por_grad(s, 0, &x, &out));
	HERE(por_grad(s, 1, &foreign, &out));
	HERE(por_jvp(1, &s, 1, &i, &i, &out));
	HERE(por_vjp(1, &s, 1, &i, &s, &out));
	HERE(por_jacobian(x, i, 0));
	HERE(por_if(x, x, i));
	HERE(por_hessian(x, x));
	HERE(por_function_of(g, "f", 0, NULL, 1, &s));
	HERE(por_function_of(g, "f", 1, &s, 1, &s));
	HERE(por_function_of(g, "f", 2, N(x, x), 1, &s));
	HERE(por_function_of(g, "1f", 1, &x, 1, &s));
	HERE(por_compile(g, 0, NULL, 1, &s, NULL));
	HERE(por_compile(g, 1, &x, 1, &s, &(por_options){.size = sizeof(por_options), .tier = 77}));
	HERE(por_compile(g, 1, &x, 1, &s, &(por_options){.size = sizeof(por_options), .rules_off = "none"}));
	HERE(por_compile(g, 1, &x, 1, &s, &(por_options){.size = sizeof(por_options), .donate = 1}));
	HERE(por_substitute(1, &s, 1, &x, &i, &out));
	HERE(por_simplify(1, &s, "none"));
	HERE(por_rebuild(s, 2, N(x, x)));
	HERE(por_parse(g, "x +", 0, NULL, NULL));
	HERE(por_parse(g, "1 + nope", 0, NULL, NULL));
	HERE(por_library(g, "nope", 1, &x));
	HERE(por_type_parse(g, "f63"));
	HERE(por_constant(g, "f63", 1));
	HERE(por_constant_array(g, &(por_array){0}));
	HERE(por_input(g, "x", "f32[n]"));
	HERE(por_input_typed(g, "1x", por_node_type(x)));
	HERE(por_squeeze(x, 1, (int[]){3}));
	HERE(por_unsqueeze(x, 1, (int[]){7}));
	HERE(por_broadcast_to(x, 0, NULL));
	HERE(por_at_index(x, x));
	HERE(por_rule_call(g, "exp(", POR_LAW_REAL, (por_rewrite)abort, NULL));
	HERE(por_custom_call(g, "nope", 1, &x));
	HERE(por_define(g, &(por_custom){.size = sizeof(por_custom)}));
	por_function *f = por_function_of(g, "f", 2, N(x, i), 1, &s);
	HERE(por_invoke(f, 1, &x));
	HERE(por_vmap(f, 3, NULL));
	HERE(por_bind(f, 1, (const char *[]){"zz"}, &s));
	HERE(por_optimise(f, NULL, "zz"));
	HERE(por_compile_function(f, &(por_options){.size = sizeof(por_options), .threads = -1}));
	por_module *m = por_load(g, "fn k(x: f64) = x\n", -1, "m.por");
	HERE(por_function_expression(g, m, "k(1.0)", 1, NULL));
	por_close(g);
	por_close(h);
}

static void lines_of_loops(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *s = por_sum(x, 0);
	HERE(por_loop_open(g, x, 0));
	por_loop *l = por_loop_open(g, NULL, 0);
	HERE(por_loop_close(l));
	HERE(por_loop_each(l, s));
	HERE(por_loop_carry(l, por_number(g, 0)));
	por_node *e = por_loop_each(l, x), *c = por_loop_carry(l, por_constant(g, "f64", 0));
	HERE(por_loop_close(l));
	HERE(por_loop_next(l, x, e));
	HERE(por_loop_next(l, c, x));
	HERE(por_loop_last(l, c));
	HERE(por_loop_last(l, x));
	HERE(por_loop_stacked(l, 0));
	assert_int_equal(por_loop_next(l, c, por_add(c, e)), POR_OK);
	assert_int_equal(por_loop_close(l), POR_OK);
	HERE(por_loop_close(l));
	HERE(por_loop_each(l, x));
	HERE(por_loop_stack(l, x));
	por_close(g);
}

/* por_at's line is there again after a call with one of its own, and a text keeps the file that it named. */
static void the_line_comes_back(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *d;
	por_at(g, "user.c:7");
	assert_int_equal((por_grad)(x, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_int_equal(por_graph_error(g)->line, 7);
	por_clear_error(g);
	HERE(por_grad(x, 1, &x, &d));
	assert_int_equal((por_grad)(x, 1, &x, &d), POR_ERR_DERIVATIVE);
	assert_int_equal(por_graph_error(g)->line, 7);
	por_clear_error(g);
	assert_null(por_parse(g, "nope", 0, NULL, NULL));
	fails_at(g, POR_ERR_NAME, "user.c", 7, 0, "nope is not declared; line 1, column 1 of the text");
	por_close(g);
}

/* ---- calls ---------------------------------------------------------------------------------------- */

static const char text[] = "fn f(\n"
			   "  x: f64[n],\n"
			   "  y: f64[n],\n"
			   "  p: f64 if p > 0,\n"
			   "  q: {a: f64[2*n],\n"
			   "      b: i64}\n"
			   ") = sum(x*y)*p +\n"
			   "  sum(x[0:2]) +\n"
			   "  sum(q.a) + f64(q.b)\n";

static void call_at(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out, int line)
{
	const por_error *e = por_frame_error(f);
	assert_int_equal(por_call(p, f, nin, in, nout, out), POR_ERR_CALL);
	if (e->line != line || strcmp(e->file, "m.por")) fail_msg("at %s:%d, wanted line %d: %s", e->file, e->line, line, e->text);
}

static void lines_of_calls(void **state)
{
	(void)state;
	static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_NATIVE, POR_TIER_REFERENCE};
	for (int t = 0; t < 3; t++) {
		por_graph *g = por_open(NULL);
		por_module *m = por_load(g, text, -1, "m.por");
		por_function *fn = por_function_named(m, "f", 0, NULL);
		por_program *p = por_compile_function(fn, &(por_options){.size = sizeof(por_options), .tier = tiers[t]});
		good(g);
		por_close(g);
		por_frame *f = por_frame_new(p);
		double v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bad = -1, r[9];
		int64_t one = 1, two = 2, three = 3, six = 6, k = 1;
		const por_array well[5] = {por_view(v, POR_F64, 1, &three), por_view(v, POR_F64, 1, &three),
			por_view(v, POR_F64, 0, NULL), por_view(v, POR_F64, 1, &six), por_view(&k, POR_I64, 0, NULL)};
		por_array in[5], out = por_view(r, POR_F64, 0, NULL);
		assert_int_equal(por_call(p, f, 5, well, 1, &out), POR_OK);
#define WITH(i, array, line) (memcpy(in, well, sizeof in), in[i] = (array), call_at(p, f, 5, in, 0, NULL, line))
		WITH(0, por_view(v, POR_F32, 1, &three), 2);
		WITH(0, por_view(v, POR_F64, 0, NULL), 2);
		WITH(1, por_view(v, POR_F64, 1, &two), 3);
		WITH(2, por_view(&bad, POR_F64, 0, NULL), 4);
		WITH(2, por_view(&bad, POR_I64, 0, NULL), 4);
		WITH(3, por_view(v, POR_F64, 1, &three), 5);
		WITH(4, por_view(v, POR_F64, 0, NULL), 5);
		memcpy(in, well, sizeof in);
		in[0].shape = in[1].shape = &one, in[3].shape = &two; /* too few for the slice */
		call_at(p, f, 5, in, 0, NULL, 8);
		call_at(p, f, 4, well, 0, NULL, 1);
		call_at(p, f, 5, well, 1, (por_array[]){por_view(r, POR_F32, 0, NULL)}, 1);
		por_frame_free(f);
		por_program_free(p);
	}
}

/* Inputs that are made here have the lines of this file. */
static void lines_of_inputs(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input_at(g, "x", "f64[n]", "user.c:11"), *y = por_input_at(g, "y", "f64[n] if y > 0", "user.c:12");
	por_node *z = por_add_at(x, y, "user.c:13");
	por_program *p = por_compile_at(g, 2, N(x, y), 1, &z, &(por_options){.size = sizeof(por_options),
		.tier = POR_TIER_INTERPRET}, "user.c:14");
	por_close(g);
	por_frame *f = por_frame_new(p);
	double v[3] = {1, 2, -3};
	int64_t two = 2, three = 3;
	por_array in[2] = {por_view(v, POR_F64, 1, &three), por_view(v, POR_F64, 1, &two)};
	assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
	assert_int_equal(por_frame_error(f)->line, 12);
	in[1].shape = &three;
	assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
	assert_int_equal(por_frame_error(f)->line, 12);
	assert_int_equal(por_call(p, f, 1, in, 0, NULL), POR_ERR_CALL);
	assert_int_equal(por_frame_error(f)->line, 14);
	por_frame_free(f);
	por_program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_what_builds),
		cmocka_unit_test(lines_of_loops),
		cmocka_unit_test(the_line_comes_back),
		cmocka_unit_test(lines_of_calls),
		cmocka_unit_test(lines_of_inputs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
