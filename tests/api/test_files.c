/* Files of the notation, signatures, expressions, bound leaves, rules, custom operators, programs. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "graph_says.h"

static const char model[] =
	"# parameters of a line\n"
	"type line[n] = {w: f64[n], b: f64}\n"
	"# mean squared distance\n"
	"fn loss(p: line[n], x: f64[m, n], y: f64[m], scale: f64 = 0.5 if 0 < scale <= 1) = "
	"scale*mean((x @ p.w + p.b - y)^2)\n"
	"fn gradient(p: line[n], x: f64[m, n], y: f64[m], scale: f64) = grad(loss(p, x, y, scale), p)\n"
	"let train = {minimise = loss, steps = 500, by = {rate = 0.1}}\n";

/* ---- files -------------------------------------------------------------------------------------- */

static void files_are_listed(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, model, -1, "line.por");
	good(g);
	assert_int_equal(por_module_count(m), 4);
	assert_string_equal(por_module_kind(m, 1), "fn");
	assert_string_equal(por_module_name(m, 1), "loss");
	assert_non_null(strstr(por_module_doc(m, 1), "mean squared distance"));
	assert_int_equal(por_module_line(m, 1), 4);
	assert_int_equal(por_declared_params(m, "loss"), 4);
	assert_int_equal(por_declared_params(m, "train.minimise"), 4);
	assert_int_equal(por_declared_params(m, "nothing"), -1);
	por_param p;
	assert_int_equal(por_declared_param(m, "train.minimise", 3, &p), POR_OK);
	assert_string_equal(p.name, "scale");
	assert_string_equal(p.type, "f64");
	assert_string_equal(p.fallback, "0.5");
	assert_string_equal(p.fact, "0 < scale <= 1");
	por_value *v = por_value_named(m, "train");
	assert_string_equal(por_value_kind(v), "record");
	assert_string_equal(por_value_field(v, 1), "steps");
	double steps;
	assert_int_equal(por_node_number(por_value_node(por_value_element(v, 1)), &steps), POR_OK);
	assert_true(steps == 500);
	assert_string_equal(por_value_kind(por_value_element(v, 0)), "function");
	assert_int_equal(por_module_add(m, "fn twice(x: f64) = 2*x", "more.por"), POR_OK);
	assert_non_null(por_function_named(m, "twice", 0, NULL));
	assert_null(por_value_named(m, "train.speed"));
	fails(g, POR_ERR_NAME, "speed");
	assert_null(por_load(g, "fn f(x = ", -1, "bad.por"));
	assert_string_equal(por_graph_error(g)->file, "bad.por");
	por_close(g);
}

/* A module of the library gives functions as a file does, again and again, some of which call others. */
static void modules_of_the_library_give_functions(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load_library(g, "stats");
	good(g);
	por_given x = {.name = "x", .type = por_type_parse(g, "f64[n]")};
	const char *const name[] = {"ascending", "median", "ascending", "ranks", "median", "skewness"};
	for (int i = 0; i < 6; i++) {
		por_function *f = por_function_named(m, name[i], 1, &x);
		good(g);
		assert_string_equal(por_function_name(f), name[i]);
	}
	assert_null(por_function_named(m, "mode", 1, &x));
	fails(g, POR_ERR_NAME, "there is no mode; it has ascending, ");
	por_close(g);
}

static void signatures_show_leaves(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, model, -1, "line.por");
	por_function *f = por_function_named(m, "train.minimise", 0, NULL),
		     *d = por_function_named(m, "gradient", 0, NULL);
	good(g);
	assert_int_equal(por_function_params(f), 4);
	assert_int_equal(por_function_inputs(f), 5);
	por_leaf leaf;
	assert_int_equal(por_function_input(f, 1, &leaf), POR_OK);
	assert_string_equal(leaf.path, "p.w");
	is_text(por_type_text(leaf.type), "f64[n]");
	assert_int_equal(leaf.param, 0);
	assert_int_equal(por_function_input(f, 4, &leaf), POR_OK);
	assert_true(leaf.low == 0 && leaf.above_low && leaf.high == 1 && !leaf.below_high);
	double fallback;
	assert_int_equal(por_node_number(leaf.fallback, &fallback), POR_OK);
	assert_true(fallback == 0.5);
	is_text(por_function_fact(f, 3), "0 < scale <= 1");
	const por_structure *s = por_function_result_structure(d);
	assert_string_equal(por_structure_kind(s), "record");
	assert_string_equal(por_structure_field(s, 0), "w"); /* declared order; leaves are sorted */
	assert_int_equal(por_structure_leaf(por_structure_element(s, 0)), 1);
	assert_int_equal(por_function_output(d, 0, &leaf), POR_OK);
	assert_string_equal(leaf.path, "b");
	assert_string_equal(por_structure_kind(por_function_result_structure(f)), "array");
	por_close(g);
}

static void leaves_are_bound(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g, model, -1, "line.por");
	por_function *f = por_function_named(m, "loss", 0, NULL);
	double w[2] = {1, 2};
	por_array a = por_view(w, POR_F64, 1, (int64_t[]){2});
	por_node *values[] = {por_constant_array(g, &a), por_constant(g, "f64", 3), por_number(g, 1)};
	por_function *h = por_bind(f, 3, (const char *[]){"p.w", "p.b", "scale"}, values);
	good(g);
	assert_int_equal(por_function_inputs(h), 2);
	por_leaf leaf;
	assert_int_equal(por_function_input(h, 0, &leaf), POR_OK);
	assert_string_equal(leaf.path, "x");
	is_text(por_type_text(leaf.type), "f64[m, 2]");
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile_function(h, &o);
	good(g);
	double x[2] = {4, 5}, y = 10, out;
	por_array in[] = {
		por_view(x, POR_F64, 2, (int64_t[]){1, 2}), por_view(&y, POR_F64, 1, (int64_t[]){1})};
	por_array to = por_view(&out, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 2, in, 1, &to), POR_OK);
	assert_true(out == 49);
	por_program_free(p);
	assert_null(por_bind(f, 1, (const char *[]){"p.b"}, values + 1));
	fails(g, POR_ERR_VALUE, "p is given in part");
	por_close(g);
}

static void expressions_have_free_names(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_given y = {.name = "y", .declared = "y: f64[m] if y >= 0"};
	por_function *f = por_function_expression(g, NULL, "sum(log(1 + exp(-y*(X @ w))))", 1, &y);
	good(g);
	assert_int_equal(por_function_inputs(f), 3);
	por_leaf leaf;
	bool found = false;
	for (int i = 0; i < 3; i++) {
		por_function_input(f, i, &leaf);
		found |= !strcmp(leaf.path, "y") && leaf.low == 0;
	}
	assert_true(found);
	por_function *stable = por_optimise(f, NULL, "stable");
	good(g);
	char *text = por_print_function(stable, POR_PRINT_ONE_LINE);
	assert_non_null(text);
	assert_non_null(strstr(text, "softplus"));
	por_text_free(text);
	text = por_print_dot(f);
	assert_memory_equal(text, "digraph", 7);
	por_text_free(text);
	por_close(g);
}

/* ---- programs -------------------------------------------------------------------------------------- */

static void calls_are_checked(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		por_graph *g = por_open(NULL);
		por_node *x = por_input(g, "x", "f64[n] if 0 <= x < 1"),
			 *y = por_add(x, por_input(g, "y", "f64[n]"));
		por_options o = {.size = sizeof o, .tier = t ? POR_TIER_INTERPRET : POR_TIER_REFERENCE};
		por_program *p = por_compile(g, 2, (por_node *[]){x, por_node_arg(y, 1)}, 1, &y, &o);
		good(g);
		por_frame *f = por_frame_new(p);
		double v[3] = {0, 0.5, 0.25};
		int32_t whole[3] = {0};
		por_array in[] = {
			por_view(v, POR_F64, 1, (int64_t[]){3}), por_view(v, POR_F64, 1, (int64_t[]){3})};
		assert_int_equal(por_frame_reserve(f, 2, in), POR_OK);
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(((double *)por_frame_result(f, 0)->data)[1] == 1);
		in[1].shape = (int64_t[]){2};
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
		assert_int_equal(por_frame_error(f)->argument, 2);
		in[1] = por_view(whole, POR_I32, 1, (int64_t[]){3});
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
		assert_non_null(strstr(por_frame_error(f)->text, "i32"));
		in[1] = in[0], v[2] = 1;
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
		assert_non_null(strstr(por_frame_error(f)->text, "x = 1, which breaks its promise"));
		in[0].data = NULL;
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_ERR_CALL);
		por_program_free(p); /* the frame keeps it */
		por_close(g);
		in[0] = in[1], v[2] = 0;
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		por_frame_free(f);
	}
}

static void many_calls_step_through(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_mul(x, x);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	double v[5] = {1, 2, 3, 4, 5}, r[5];
	por_array in = por_view(v, POR_F64, 0, NULL), out = por_view(r, POR_F64, 0, NULL);
	assert_int_equal(por_call_many(p, NULL, 5, &(por_calls){1, &in, (int64_t[]){8}, 1, &out, (int64_t[]){8}}), POR_OK);
	assert_true(r[0] == 1 && r[4] == 25);
	por_program_free(p);
	por_close(g);
}

static void every_tier_gives_the_same_bits(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_function *f = por_function_expression(g, NULL, "sum(exp(sin(x @ w)))", 0, NULL);
	good(g);
	double v[300];
	for (int i = 0; i < 300; i++) v[i] = sin(i);
	por_array in[] = {
		por_view(v, POR_F64, 1, (int64_t[]){300}), por_view(v, POR_F64, 1, (int64_t[]){300})};
	char *report;
	assert_int_equal(por_check_function(f, NULL, 2, in, &report), POR_OK);
	assert_non_null(strstr(report, "interpreted: the same bits"));
	por_text_free(report);
	por_close(g);
}

static void programs_become_c(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_sum(por_exp(x), POR_ALL);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	char *code = por_export_c(p, "total", 0), *header = por_export_c(p, "total", 1);
	assert_non_null(code);
	assert_non_null(strstr(code, "total"));
	assert_null(strstr(code, "porism.h"));
	assert_non_null(strstr(header, "total_workspace"));
	assert_non_null(strstr(header, "total(int64_t n, const double *x"));
	por_text_free(code), por_text_free(header);
	por_program_free(p);
	por_close(g);
}

static void rules_are_switched_off(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_function *f = por_function_expression(g, NULL, "log(exp(x))", 0, NULL);
	por_options o = {.size = sizeof o, .rules_off = "log_exp"};
	char *with = por_print_function(por_optimise(f, NULL, "algebra"), POR_PRINT_ONE_LINE);
	char *without = por_print_function(por_optimise(f, &o, "algebra"), POR_PRINT_ONE_LINE);
	good(g);
	assert_null(strstr(with, "exp"));
	assert_non_null(strstr(without, "exp"));
	por_text_free(with), por_text_free(without);
	assert_int_equal(por_rule(g, "mine[own, logs]: log(exp(x)) => x real", NULL), POR_OK);
	por_rule_info r;
	assert_int_equal(por_rule_at(g, por_rule_count(g) - 1, &r), POR_OK);
	assert_string_equal(r.tags, "own, logs");
	o.rules_off = "log_exp, own";
	without = por_print_function(por_optimise(f, &o, "algebra"), POR_PRINT_ONE_LINE);
	assert_non_null(strstr(without, "exp"));
	por_text_free(without);
	o.rules_off = "log_exp";
	with = por_print_function(por_optimise(f, &o, "algebra"), POR_PRINT_ONE_LINE);
	assert_null(strstr(with, "exp"));
	por_text_free(with);
	o.rules_off = "no_such_rule";
	assert_null(por_optimise(f, &o, NULL));
	fails(g, POR_ERR_NAME, "no_such_rule");
	por_close(g);
}

static void unknown_options_are_refused(void **state)
{
	(void)state;
	struct {
		por_options o;
		int64_t later;
	} big = {.o = {.size = sizeof big}};
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_exp(x);
	big.o.tier = POR_TIER_INTERPRET;
	por_program *p = por_compile(g, 1, &x, 1, &y, &big.o);
	assert_non_null(p);
	por_program_free(p);
	big.later = 1;
	assert_null(por_compile(g, 1, &x, 1, &y, &big.o));
	fails(g, POR_ERR_UNSUPPORTED, "does not have");
	big = (typeof(big)){.o = {.size = sizeof(por_options), .target = "z80"}};
	assert_null(por_compile(g, 1, &x, 1, &y, &big.o));
	fails(g, POR_ERR_VALUE, "z80");
	por_close(g);
}

/* ---- rules and operators --------------------------------------------------------------------------- */

static void rules_are_added_and_checked(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	int before = por_rule_count(g);
	assert_true(before > 20);
	assert_int_equal(por_rule(g, "my_cosh: (exp(x) + exp(-x))/2 => cosh(x)  real", "algebra"), POR_OK);
	assert_int_equal(por_rule_count(g), before + 1);
	por_rule_info r;
	assert_int_equal(por_rule_at(g, before, &r), POR_OK);
	assert_string_equal(r.name, "my_cosh");
	assert_int_equal(r.law, POR_LAW_REAL);
	por_node *x = por_input(g, "x", "f64[n]");
	por_node *y = por_parse(g, "(exp(x) + exp(-x))/2", 1, (const char *[]){"x"}, &x);
	assert_int_equal(por_simplify(1, &y, "algebra"), POR_OK);
	assert_int_equal(por_node_op(y), POR_OP_COSH);
	assert_int_equal(por_rule(g, "wrong: sinh(x) => cosh(x)", NULL), POR_ERR_RULE);
	fails(g, POR_ERR_RULE, "wrong");
	por_close(g);
}

/* x^n by squaring, of an even literal n: no pattern of the notation halves. */
static por_node *halve_power(void *user, por_node *matched, int n, por_node *const *v)
{
	double power;
	++*(int *)user;
	assert_int_equal(n, 2);
	assert_int_equal(por_node_op(matched), POR_OP_POW);
	if (por_node_number(v[1], &power) || power < 6 || (int)power % 2) return NULL;
	por_graph *g = por_node_graph(matched);
	por_node *half = por_pow(v[0], por_number(g, power / 2));
	return por_mul(half, half);
}

static por_node *leave(void *user, por_node *matched, int n, por_node *const *v)
{
	(void)user, (void)matched, (void)n, (void)v;
	return NULL;
}

static por_node *other_type(void *user, por_node *matched, int n, por_node *const *v)
{
	(void)user, (void)matched, (void)n;
	return por_cast(v[0], POR_F32);
}

static por_node *other_shape(void *user, por_node *matched, int n, por_node *const *v)
{
	(void)user, (void)matched, (void)n;
	return por_reshape(v[0], 2, (int64_t[]){2, 2});
}

static por_node *impossible(void *user, por_node *matched, int n, por_node *const *v)
{
	(void)user, (void)n;
	por_add_at(v[0], por_input(por_node_graph(matched), "z", "f64[3]"), "user.c:7");
	return NULL;
}

static por_node *of_another_graph(void *user, por_node *matched, int n, por_node *const *v)
{
	(void)matched, (void)n, (void)v;
	return user;
}

/* What a rule's function breaks is told, with its rule, what it gave, what was wanted, and the line
 * of what matched. */
static void slips_of_rules_by_function(void **state)
{
	(void)state;
	por_graph *other = por_open(NULL);
	const struct {
		por_rewrite fn;
		int code;
		const char *says;
	} slips[] = {
		{other_type, POR_ERR_TYPE, "rule flat: its function gave f32[4], wanted f64[4]"},
		{other_shape, POR_ERR_TYPE, "rule flat: its function gave f64[2, 2], wanted f64[4]"},
		{impossible, POR_ERR_TYPE, "+: shapes do not fit: f64[4] and f64[3]"},
		{of_another_graph, POR_ERR_VALUE, "rule flat: its function gave a node of another graph"},
	};
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
		por_graph *g = por_open(NULL);
		assert_int_equal(por_rule_call(g, "flat: sinh(x)", POR_LAW_EXACT, slips[i].fn,
					 por_input(other, "x", "f64[4]")),
			POR_OK);
		por_node *x = por_input(g, "x", "f64[4]");
		por_node *y = por_sub(por_number(g, 1), por_sinh_at(x, "user.c:7")), *before = y;
		assert_int_equal(por_simplify(1, &y, NULL), slips[i].code);
		fails_at(g, slips[i].code, "user.c", 7, 0, slips[i].says);
		assert_ptr_equal(y, before);
		por_close(g);
	}
	por_close(other);
}

static void rules_by_function(void **state)
{
	(void)state;
	int calls = 0;
	por_graph *g = por_open(NULL);
	assert_int_equal(por_rule_call(g, "sinh(x)", POR_LAW_EXACT, leave, NULL), POR_OK);
	assert_int_equal(por_rule_call(g, "halve: x^y", POR_LAW_REAL, halve_power, &calls), POR_OK);
	por_rule_info r;
	assert_int_equal(por_rule_at(g, por_rule_count(g) - 1, &r), POR_OK);
	assert_string_equal(r.name, "halve");
	assert_int_equal(r.law, POR_LAW_REAL);
	char *report = NULL;
	assert_int_equal(por_rule_check(g, por_rule_count(g) - 1, 1, &report), POR_ERR_UNSUPPORTED);
	is_text(report, "a rule by function is not checked\n");
	good(g);
	por_function *f = por_function_expression(g, NULL, "sinh(x^12) + x^7", 0, NULL);
	por_function *h = por_optimise(f, NULL, "algebra");
	good(g);
	assert_true(calls > 0);
	is_text(por_print_function(h, POR_PRINT_ONE_LINE), "let v1 = x^3 let v2 = v1*v1 in x^7 + sinh(v2*v2)\n");
	int before = calls; /* its law is asked for */
	por_options exact = {.size = sizeof exact, .laws = POR_LAW_EXACT};
	is_text(por_print_function(por_optimise(f, &exact, "algebra"), POR_PRINT_ONE_LINE),
		"x^7 + sinh(x^12)\n");
	assert_int_equal(calls, before);
	assert_int_equal(por_rule_call(g, "exp(x)", 3, halve_power, &calls), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "law 3");
	assert_int_equal(por_rule_call(g, "exp(", POR_LAW_REAL, halve_power, &calls), POR_ERR_SYNTAX);
	fails(g, POR_ERR_SYNTAX, "");
	good(g);
	por_close(g);
}

static int cube(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const double *x = in[0].data;
	double *y = out[0].data;
	(void)nin, (void)nout;
	if (++*(int *)user < 0) return 7;
	for (int64_t i = 0, n = por_array_count(in); i < n; i++) y[i] = x[i] * x[i] * x[i];
	return 0;
}

static void operators_of_the_users(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	int calls = 0;
	por_custom c = {
		.size = sizeof c, .signature = "cube(x: f64[n]) -> f64[n]", .kernel = cube, .user = &calls};
	assert_int_equal(por_define(g, &c), POR_OK);
	assert_int_equal(por_rule(g, "d(cube(x)) => 3*x^2*dx", "derivative"), POR_OK);
	good(g);
	por_node *x = por_input(g, "x", "f64[n]"), *d;
	por_node *y = por_sum(por_custom_call(g, "cube", 1, &x), POR_ALL);
	assert_int_equal(por_grad(y, 1, &x, &d), POR_OK);
	assert_ptr_equal(y, por_parse(g, "sum(cube(x))", 1, (const char *[]){"x"}, &x));
	por_program *program[2];
	for (int t = 0; t < 2; t++) {
		por_options o = {.size = sizeof o, .tier = t ? POR_TIER_INTERPRET : POR_TIER_REFERENCE};
		program[t] = por_compile(g, 1, &x, 2, (por_node *[]){y, d}, &o);
		good(g);
	}
	por_define(g, &(por_custom){.size = sizeof c, .signature = "bad(x", .kernel = cube});
	fails(g, POR_ERR_SYNTAX, "");
	por_close(g);
	for (int t = 0; t < 2; t++) {
		double v[2] = {2, 3}, s, dv[2];
		por_array in = por_view(v, POR_F64, 1, (int64_t[]){2});
		por_array out[] = {por_view(&s, POR_F64, 0, NULL), por_view(dv, POR_F64, 1, (int64_t[]){2})};
		assert_int_equal(por_call(program[t], NULL, 1, &in, 2, out), POR_OK);
		assert_true(s == 35 && dv[0] == 12 && dv[1] == 27 && calls == t + 1);
		calls = -100;
		v[0] = 0.5;
		assert_int_equal(por_call(program[t], NULL, 1, &in, 2, out), POR_ERR_CALL);
		assert_string_equal(por_program_error(program[t])->text, "cube: its kernel gave 7");
		calls = t + 1;
		por_program_free(program[t]);
	}
}

/* The inputs of what a fn g is called with, "a: f64[n]; b.v: i64; ". */
static void calls(por_module *m, const char *name, int n, const por_given *given, const char *wanted)
{
	char said[200] = "";
	por_function *f = por_called_with(m, name, n, given, "g");
	assert_non_null(f);
	for (int i = 0; i < por_function_inputs(f); i++) {
		por_leaf leaf;
		assert_int_equal(por_function_input(f, i, &leaf), POR_OK);
		char *type = por_type_text(leaf.type);
		size_t at = strlen(said);
		snprintf(said + at, sizeof said - at, "%s: %s; ", leaf.path, type);
		por_text_free(type);
	}
	assert_string_equal(said, wanted);
}

static void types_of_calls_are_found(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g,
		"fn g(a, b) = 0.0\n"
		"fn h(f, x) = f(x[1:], {v = sum(x), u = [x, x]})\n"
		"fn plain(x: f64[n]) = h(g, x) + g(b = 1, a = x)\n"
		"fn scalars(x: f32) = g(x, 2)\n"
		"fn odd(x: f64[n]) = g(x[::2], concat(x[::2], x))\n"
		"fn kept(x: f64[n]) = g(x[1:], x)\n"
		"fn looped(x: f64[n]) = sum([k < n] => g(x[k], k))\n"
		"fn masked(x: f64[n]) = sum(g(x[x > 0], grad(g(x, 0.0), x)))\n"
		"fn open(x) = g(x, 2*x)\n"
		"fn none(x: f64) = x\n"
		"fn wrong(x: f64[n]) = x + nothing + g(x, x)\n"
		"fn deep(x: f64) = g((t) => t + x, x)\n"
		"fn many(x: f64) = g(x)\n",
		-1, "calls.por");
	good(g);
	calls(m, "plain", 0, NULL, "a: f64[n - 1]; b.u: f64[2, n]; b.v: f64; ");
	calls(m, "scalars", 0, NULL, "a: f32; b: i64; ");
	calls(m, "odd", 0, NULL, "a: f64[size1]; b: f64[size2]; ");
	calls(m, "kept", 0, NULL, "a: f64[n - 1]; b: f64[n]; ");
	calls(m, "looped", 0, NULL, "a: f64; b: i64; ");
	calls(m, "masked", 0, NULL, "a: f64[n]; b: f64; ");
	por_given x = {.name = "x", .type = por_type_parse(g, "f32[3, k + 1]")};
	calls(m, "open", 1, &x, "a: f32[3, size1]; b: f32[3, size1]; ");
	assert_null(por_called_with(m, "none", 0, NULL, "g"));
	good(g);
	assert_null(por_called_with(m, "wrong", 0, NULL, "g"));
	fails(g, POR_ERR_NAME, "nothing");
	assert_null(por_called_with(m, "deep", 0, NULL, "g"));
	fails(g, POR_ERR_UNSUPPORTED, "a is a function");
	assert_null(por_called_with(m, "many", 0, NULL, "g"));
	fails(g, POR_ERR_TYPE, "argument b is missing");
	assert_null(por_called_with(m, "none", 0, NULL, "q"));
	fails(g, POR_ERR_NAME, "there is no fn q");
	assert_non_null(por_function_named(m, "kept", 0, NULL)); /* as ever: it is no longer watched */
	good(g);
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_listed),
		cmocka_unit_test(modules_of_the_library_give_functions),
		cmocka_unit_test(signatures_show_leaves),
		cmocka_unit_test(types_of_calls_are_found),
		cmocka_unit_test(leaves_are_bound),
		cmocka_unit_test(expressions_have_free_names),
		cmocka_unit_test(calls_are_checked),
		cmocka_unit_test(many_calls_step_through),
		cmocka_unit_test(every_tier_gives_the_same_bits),
		cmocka_unit_test(unknown_options_are_refused),
		cmocka_unit_test(programs_become_c),
		cmocka_unit_test(rules_are_switched_off),
		cmocka_unit_test(rules_are_added_and_checked),
		cmocka_unit_test(rules_by_function),
		cmocka_unit_test(slips_of_rules_by_function),
		cmocka_unit_test(operators_of_the_users),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
