/* What the graphs of one context share, and what is each one's own: rules, library, statistics; with threads. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "graph_says.h"

static const char program[] = "use logp\n"
			      "fn loss(w: f64[n], x: f64[m, n], y: f64[m]) =\n"
			      "    mean(log(1 + exp(x @ w)) - y*softmax(x @ w)) - sum(logp.normal(w, 0, 1))\n"
			      "fn gradient(w: f64[n], x: f64[m, n], y: f64[m]) = grad(loss(w, x, y), w)\n";

static por_rule_info rule_named(por_graph *g, const char *name)
{
	por_rule_info r = {0};
	for (int i = por_rule_count(g); i-- > 0;)
		if (!por_rule_at(g, i, &r) && !strcmp(r.name, name)) return r;
	return (por_rule_info){0};
}

/* The gradient at a few values, by the interpreter. */
static bool gradient(por_graph *g, double out[3])
{
	por_module *m = por_load(g, program, -1, "program.por");
	por_function *f = por_function_named(m, "gradient", 0, NULL);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	por_program *p = por_compile_function(f, &o);
	double w[3] = {0.5, -1, 2}, x[6] = {1, 2, 3, -1, 0.25, 7}, y[2] = {1, 0};
	por_array in[] = {por_view(w, POR_F64, 1, (int64_t[]){3}), por_view(x, POR_F64, 2, (int64_t[]){2, 3}),
		por_view(y, POR_F64, 1, (int64_t[]){2})};
	por_array result = por_view(out, POR_F64, 1, (int64_t[]){3});
	bool done = p && !por_call(p, NULL, 3, in, 1, &result);
	por_program_free(p);
	return done;
}

static bool is_simplified(por_graph *g, const char *from, const char *to)
{
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_parse(g, from, 1, (const char *[]){"x"}, &x);
	por_simplify(1, &y, "algebra");
	char *text = por_print(1, &y);
	bool same = text && !strcmp(text, to);
	por_text_free(text);
	return same;
}

/* Rules are read once: the second graph has the very same.  How often they fired is each graph's own. */
static void rules_are_shared(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *a = por_open(c), *b = por_open(c);
	double one[3], two[3];
	assert_true(gradient(a, one));
	por_rule_info of_a = rule_named(a, "softplus"), of_b = rule_named(b, "softplus");
	assert_non_null(of_a.name);
	assert_ptr_equal(of_a.name, of_b.name);
	assert_string_equal(of_a.text, of_b.text);
	assert_true(of_a.fired > 0);
	assert_int_equal(of_b.tried + of_b.fired, 0);
	assert_true(gradient(b, two));
	assert_memory_equal(one, two, sizeof one);
	assert_int_equal(rule_named(b, "softplus").tried, of_a.tried);
	por_close(a);
	assert_string_equal(rule_named(b, "softplus").name, "softplus");
	por_close(b);
	por_context_free(c);
}

static void keep_last(void *user, const char *line)
{
	snprintf(user, 500, "%s", line);
}

/* What there is to tell of a rule is the log's and the rule's own, from C and from a file. */
static void rules_are_told(void **state)
{
	char last[500] = "";
	por_context_options o = {.size = sizeof o, .log = keep_last, .user = last};
	por_context *c = por_context_new(&o);
	por_graph *g = por_open(c);
	(void)state;
	assert_int_equal(por_rule(g, "mine: sin(x)*cos(x) => sin(2*x)/2 if wide(x)", "algebra"), POR_OK);
	assert_string_equal(last, rule_named(g, "mine").told);
	assert_non_null(strstr(last, "mine: real, "));
	assert_non_null(strstr(last, "; in stage algebra, of floats, before and after derivatives; operations: 3 on"));
	assert_non_null(por_load(g, "book own: last\n  zero: max(x, 0.0) => relu(x)\n", -1, "a.por"));
	assert_string_equal(last, rule_named(g, "zero").told);
	assert_non_null(strstr(last, "after the last derivative"));
	assert_string_equal(rule_named(g, "mul_one").told, "");
	assert_non_null(por_load(g, "op half(x: T[..s]) = x/2\n", -1, "b.por"));
	assert_int_not_equal(por_rule(g, "lost: log(exp(x))/2 => half(x)", "algebra"), POR_OK);
	fails(g, POR_ERR_RULE, "it can never be found: log_exp (ops:");
	por_close(g);
	por_context_free(c);
}

/* What improve finds, a rule that holds and one that does not, is told and not added. */
static void found_rules_are_told_alone(void **state)
{
	static const char *const text[] = {"log(n + 1)/log(n) - 1", "n: f64 if n > 100 and n < 1e6",
		"(x - sin(x))/(x - tan(x))", "x: f64 if x > -1 and x < 1"};
	(void)state;
	for (int i = 0; i < 2; i++) {
		por_graph *g = por_open(NULL);
		int n = por_rule_count(g);
		por_given x = {.name = i ? "x" : "n", .declared = text[2*i + 1]};
		por_function *f = por_function_expression(g, NULL, text[2*i], 1, &x);
		const por_improvement *found = por_improve(f, NULL, 1);
		good(g);
		assert_non_null(found);
		assert_non_null(found->rule);
		printf("%s: %d %s\n", found->rule, found->holds, found->report);
		assert_int_equal(por_rule_count(g), n);
		assert_null(rule_named(g, "improved").name);
		por_close(g);
	}
}

/* A rule, a file of books, a module, a custom operator: one graph's own. */
static void own_rules_stay(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *a = por_open(c), *b = por_open(c);
	int n = por_rule_count(a);
	assert_int_equal(por_rule(a, "mine: sin(x)*cos(x) => sin(2*x)/2", "algebra"), POR_OK);
	assert_non_null(por_load(a, "op twice(x: f64[n]) = x + x\nbook own: algebra\n  tenfold: twice(10*x) => 20*x\n", -1, "a.por"));
	good(a);
	assert_int_equal(por_rule_count(a), n + 2);
	assert_int_equal(por_rule_count(b), n);
	por_rule_info r;
	assert_int_equal(por_rule_at(a, n, &r), POR_OK);
	assert_string_equal(r.name, "mine");
	assert_true(is_simplified(a, "sin(x)*cos(x)", "sin(2*x)/2"));
	assert_false(is_simplified(b, "sin(x)*cos(x)", "sin(2*x)/2"));
	assert_int_equal(por_rule(b, "other: exp(x)*exp(-x) => 1  finite", "algebra"), POR_OK);
	assert_string_equal(rule_named(b, "other").name, "other");
	assert_null(rule_named(a, "other").name);
	por_node *x = por_input(b, "x", "f64[n]");
	assert_null(por_parse(b, "twice(x)", 1, (const char *[]){"x"}, &x));
	fails(b, POR_ERR_NAME, "twice");
	por_graph *later = por_open(c);
	assert_int_equal(por_rule_count(later), n);
	assert_true(is_simplified(later, "x*1", "x"));
	por_close(later);
	por_close(a);
	assert_false(is_simplified(b, "sin(x)*cos(x)", "sin(2*x)/2"));
	por_close(b);
	por_context_free(c);
}

static por_node *one_more(void *fired, por_node *node, int n, por_node *const *value)
{
	(void)node;
	(*(int *)fired)++;
	return n == 1 ? por_exp(value[0]) : NULL;
}

/* Rules of a stage may be any number, and so their subpatterns. */
static void many_rules(void **state)
{
	enum { MANY = 12000 };
	(void)state;
	por_graph *g = por_open(NULL);
	int fired = 0;
	for (int i = 1; i <= MANY; i++) {
		char rule[80];
		snprintf(rule, sizeof rule, "sin(cos(x + %d.25))", i);
		assert_int_equal(por_rule_call(g, rule, POR_LAW_REAL, one_more, &fired), POR_OK);
	}
	assert_true(is_simplified(g, "sin(cos(x + 11999.25))", "exp(x)"));
	assert_false(is_simplified(g, "sin(cos(x + 0.25))", "exp(x)"));
	assert_int_equal(fired, 1);
	por_close(g);
}

/* A rule that one compile leaves out is there for the others. */
static void rules_off_stay(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *a = por_open(c), *b = por_open(c);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1, .rules_off = "mul_one"};
	por_node *x[] = {por_input(a, "x", "f64[n]")}, *y[] = {por_mul(x[0], por_number(a, 1))};
	por_program *p = por_compile(a, 1, x, 1, y, &o);
	good(a);
	assert_int_equal(rule_named(a, "mul_one").fired, 0);
	assert_true(is_simplified(b, "x*1", "x"));
	assert_true(is_simplified(a, "x*1", "x"));
	por_program_free(p);
	por_close(a);
	por_close(b);
	por_context_free(c);
}

/* A check of a rule that all have may say what it finds, and changes nothing for the others. */
static void checks_stay(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *a = por_open(c), *b = por_open(c);
	for (int i = 0; i < por_rule_count(a); i++) {
		por_rule_info r;
		char *report = NULL;
		assert_int_equal(por_rule_at(a, i, &r), POR_OK);
		if (strcmp(r.name, "softplus")) continue;
		assert_int_equal(por_rule_check(a, i, 1, &report), POR_OK);
		por_text_free(report);
	}
	double one[3], two[3];
	assert_true(gradient(a, one) && gradient(b, two));
	assert_memory_equal(one, two, sizeof one);
	por_close(a);
	por_close(b);
	por_context_free(c);
}

/* Library and books are more than a megabyte: they are the context's, and count for no graph. */
static void library_does_not_count(void **state)
{
	(void)state;
	por_context_options o = {.size = sizeof o, .max_bytes = 1 << 20};
	por_context *c = por_context_new(&o);
	por_graph *g = por_open(c);
	double out[3];
	assert_true(gradient(g, out));
	good(g);
	por_close(g);
	por_context_free(c);
}

/* The user's handle of a context goes first, then graphs, then what was compiled. */
static void freed_in_any_order(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *a = por_open(c), *b = por_open(c);
	por_context_free(c);
	double one[3], two[3];
	assert_true(gradient(a, one));
	por_node *x[] = {por_input(b, "x", "f64[n]")}, *y[] = {por_log(por_add(por_exp(x[0]), por_number(b, 1)))};
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	por_program *p = por_compile(b, 1, x, 1, y, &o);
	assert_non_null(p);
	por_close(a);
	assert_true(gradient(b, two));
	assert_memory_equal(one, two, sizeof one);
	por_close(b);
	double in = 0, out = 1;
	por_array from = por_view(&in, POR_F64, 1, (int64_t[]){1}), to = por_view(&out, POR_F64, 1, (int64_t[]){1});
	assert_int_equal(por_call(p, NULL, 1, &from, 1, &to), POR_OK);
	assert_true(out > 0.693147 && out < 0.693148);
	por_program_free(p);
}

enum { THREADS = 4, ROUNDS = 3 };
typedef struct Worker {
	por_context *context;
	pthread_t thread;
	double out[3];
	bool odd, good;
} Worker;

static void *work(void *given)
{
	Worker *w = given;
	w->good = true;
	for (int i = 0; i < ROUNDS && w->good; i++) {
		por_graph *g = por_open(w->context);
		if (w->odd) w->good = !por_rule(g, "mine: sin(x)*cos(x) => sin(2*x)/2", "algebra");
		w->good = w->good && gradient(g, w->out) && is_simplified(g, "sin(x)*cos(x)", "sin(2*x)/2") == w->odd;
		por_close(g);
	}
	return NULL;
}

static void threads_share(void **state)
{
	(void)state;
	Worker w[THREADS];
	double one[3];
	por_context *c = por_context_new(NULL);
	por_graph *g = por_open(c);
	assert_true(gradient(g, one));
	for (int i = 0; i < THREADS; i++) {
		w[i] = (Worker){.context = c, .odd = i & 1};
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	por_context_free(c);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		assert_true(w[i].good);
		assert_memory_equal(w[i].out, one, sizeof one);
	}
	por_close(g);
}

/* A rule may speak of an op of the library (d(logsumexp) of softmax) in a graph that has read no text. */
static void rules_find_the_library(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *dx = NULL;
	por_node *y = por_log(por_sum(por_exp(x), POR_ALL));
	assert_int_equal(por_grad(y, 1, &x, &dx), POR_OK);
	por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){y, dx}, NULL);
	if (!p) fail_msg("%s", por_graph_error(g)->text);
	double in[2] = {1000, 1000}, value = 0, gradient[2] = {0};
	int64_t two[1] = {2};
	por_array from = por_view(in, POR_F64, 1, two);
	por_array to[2] = {por_view(&value, POR_F64, 0, NULL), por_view(gradient, POR_F64, 1, two)};
	assert_int_equal(por_call(p, NULL, 1, &from, 2, to), POR_OK);
	assert_true(value > 1000.69 && value < 1000.7);
	assert_true(gradient[0] == 0.5 && gradient[1] == 0.5);
	por_program_free(p);
	por_close(g);
}

static int twice(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user;
	for (int i = 0; i < nin; i++) *(double *)out[0].data = 2**(const double *)in[i].data;
	return nout - 1;
}

/* Operators that a graph defines are its own: no other graph of the context knows them, nor holds what was closed with it
 * (which a run under sanitizers sees). */
static void operators_are_each_graphs_own(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	for (int turn = 0; turn < 10; turn++) {
		por_graph *a = por_open(c), *b = por_open(c);
		por_node *x = por_input(a, "x", "f64"), *y = por_input(b, "x", "f64");
		for (int i = 0; i < 40; i++) {
			char signature[80];
			snprintf(signature, sizeof signature, "double_of_%d(x: f64) -> f64", i);
			const por_custom one = {.size = sizeof one, .signature = signature, .kernel = twice};
			assert_int_equal(por_define(a, &one), POR_OK);
		}
		assert_non_null(por_parse(a, "double_of_7(x) + 1", 1, (const char *[]){"x"}, &x));
		assert_null(por_parse(b, "double_of_7(x) + 1", 1, (const char *[]){"x"}, &y));
		por_close(turn % 2 ? a : b);
		por_close(turn % 2 ? b : a);
	}
	por_context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_find_the_library),
		cmocka_unit_test(rules_are_shared),
		cmocka_unit_test(found_rules_are_told_alone),
		cmocka_unit_test(own_rules_stay),
		cmocka_unit_test(many_rules),
		cmocka_unit_test(rules_off_stay),
		cmocka_unit_test(rules_are_told),
		cmocka_unit_test(checks_stay),
		cmocka_unit_test(library_does_not_count),
		cmocka_unit_test(freed_in_any_order),
		cmocka_unit_test(threads_share),
		cmocka_unit_test(operators_are_each_graphs_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
