/* What a context holds when work is done: nodes of finished stages go, however often a program is elaborated and
 * compiled, with errors and limits in the middle too. */
#include <stdbool.h>
#include <stdlib.h>

#include "../../bench/held.h"
#include "graph_says.h"

/* Each test has a context and a graph of its own, and when they are closed all is given back. */
typedef struct Opened {
	por_context *c;
	por_graph *g;
} Opened;

static int open_graph(void **state)
{
	Opened *o = calloc(1, sizeof *o);
	o->c = held_context();
	o->g = por_open(o->c);
	*state = o;
	return !o->g;
}

static int close_graph(void **state)
{
	Opened *o = *state;
	por_close(o->g);
	por_context_free(o->c);
	free(o);
	return held != 0;
}

static por_graph *graph_of(void **state)
{
	return ((Opened *)*state)->g;
}

static por_function *function(por_graph *g, const char *text, const char *name)
{
	return por_function_named(por_load(g, text, -1, "a.por"), name, 0, NULL);
}

/* A loop and its gradient, ops of the library, a promise, a default, a structure. */
static const char program[] =
	"type Pair = {w: f64[n], b: f64}\n"
	"op swish(x) = x*sigmoid(x)\n"
	"fn loss(p: Pair, x: f64[m, n], rate: f64 = 0.5 if rate > 0, k: i64 = 3) =\n"
	"    scan (s = 0.0, i < k) => s + mean(log(1 + exp(swish(x @ p.w + p.b))) + softmax(x @ p.w))*rate\n"
	"fn both(p: Pair, x: f64[m, n], rate: f64 = 0.5 if rate > 0, k: i64 = 3) =\n"
	"    (loss(p, x, rate, k), grad(loss(p, x, rate, k), p))\n";

static const por_options interpreted = {.size = sizeof interpreted, .tier = POR_TIER_INTERPRET, .threads = 1};

static void compile(por_function *f, const por_options *o)
{
	por_program *p = por_compile_function(f, o);
	assert_non_null(p);
	por_program_free(p);
}

/* Once all is there that is made on first use, a compile leaves nothing behind. */
static void test_compiled_again(void **state)
{
	por_graph *g = graph_of(state);
	por_function *f = function(g, program, "both");
	good(g);
	compile(f, &interpreted);
	size_t before = held;
	for (int i = 0; i < 100; i++) compile(f, &interpreted);
	good(g);
	assert_int_equal(held, before);
}

/* What a user asks for anew is given anew: a function with its signature, of some hundred bytes a leaf. */
static void test_elaborated_again(void **state)
{
	enum { TIMES = 100, EACH = 8000 };
	por_graph *g = graph_of(state);
	por_module *m = por_load(g, program, -1, "a.por");
	compile(por_function_named(m, "both", 0, NULL), &interpreted);
	size_t before = held;
	for (int i = 0; i < TIMES; i++) compile(por_function_named(m, "both", 0, NULL), &interpreted);
	good(g);
	assert_in_range(held - before, 0, TIMES * EACH);
}

/* A derivative of a derivative makes many nodes that nobody wants when it is done. */
static void test_small_result(void **state)
{
	por_graph *g = graph_of(state);
	por_module *m = por_load(g,
		"fn f(x: f64) = exp(sin(x)*tanh(x^2))/(1 + x^2)\nfn g(x: f64) = grad(f(x), x)\n"
		"fn h(x: f64) = grad(g(x), x)\nfn third(x: f64) = 0*grad(h(x), x) + x\n", -1, "a.por");
	por_function_named(m, "h", 0, NULL);
	size_t before = held;
	assert_non_null(por_function_named(m, "third", 0, NULL));
	assert_in_range(held - before, 0, 60000);
	good(g);
}

/* An error in the middle of the work is the graph's, with its place, and the work goes as well: what is left is the list
 * of what was given. */
static void test_failed(void **state)
{
	por_graph *g = graph_of(state);
	por_module *m = por_load(g, "fn f(x: f64[3]) = grad(sum(sin(x)), x) @ [1.0, 2.0]\n", -1, "a.por");
	size_t before = 0;
	for (int i = 0; i < 20; i++) {
		assert_null(por_function_named(m, "f", 0, NULL));
		assert_int_equal(por_graph_error(g)->code, POR_ERR_TYPE);
		assert_string_equal(por_graph_error(g)->file, "a.por");
		assert_int_equal(por_graph_error(g)->line, 1);
		por_clear_error(g);
		if (!i) before = held;
	}
	assert_in_range(held - before, 0, 20 * 500);
}

static por_node *halved(void *user, por_node *x, int n, por_node *const *v)
{
	(void)user, (void)x, (void)n;
	return por_mul(v[0], v[0]);
}

/* Rules by function build nodes of the user's graph: that is where such a graph's programs are compiled. */
static void test_rule_by_function(void **state)
{
	por_graph *g = graph_of(state);
	por_rule_call(g, "square: cosh(x)", POR_LAW_REAL, halved, NULL);
	por_module *m = por_load(g, "fn f(x: f64) = cosh(x)\n", -1, "a.por");
	for (int i = 0; i < 3; i++) {
		por_program *p = por_compile_function(por_function_named(m, "f", 0, NULL), &interpreted);
		double x = 3, y = 0;
		por_array in = por_view(&x, POR_F64, 0, NULL), out = por_view(&y, POR_F64, 0, NULL);
		assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
		assert_true(y == 9);
		por_program_free(p);
	}
	good(g);
}

/* What outlives the work is the graph's: names, defaults, promises, notes of stages, the reference tier. */
static void test_carried_down(void **state)
{
	por_graph *g = graph_of(state);
	por_function *f = function(g, program, "both");
	por_options o = {.size = sizeof o, .tier = POR_TIER_REFERENCE, .keep_stages = 1};
	por_program *p = por_compile_function(f, &o);
	assert_non_null(p);
	por_leaf leaf;
	assert_int_equal(por_function_input(f, 3, &leaf), POR_OK);
	assert_string_equal(leaf.path, "rate");
	shows(leaf.fallback, "f64(0.5)");
	assert_true(leaf.low == 0 && leaf.above_low);
	char *text = por_explain(p, "stage:lower"), *rules = por_explain(p, "rules");
	assert_non_null(strstr(text, "a.por"));
	assert_non_null(strstr(rules, "=>"));
	por_text_free(text);
	por_text_free(rules);
	por_function *h = por_optimise(f, NULL, "stable");
	char *of = por_print_function(f, 0), *optimised = por_print_function(h, 0);
	assert_non_null(strstr(of, "rate"));
	assert_non_null(strstr(optimised, "rate"));
	por_text_free(of);
	por_text_free(optimised);
	por_program_free(p);
}

/* What graph and program hold when compiling is done, over the nodes that are alive. */
static void test_live_nodes(void **state)
{
	static const struct {
		por_function *(*make)(por_graph *, int n, int *own);
		int n;
		size_t most;
	} programs[] = {{transformer, 12, MOST_BYTES}, {hierarchical, 125, MOST_BYTES}};
	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		Held h = hold(programs[i].make, programs[i].n);
		assert_string_equal(h.error.text, "");
		assert_true(h.written > 1000);
		assert_in_range((h.graph + h.program) / (size_t)(h.own + h.written), 1, programs[i].most);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_graph, close_graph)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_compiled_again),
		TEST(test_elaborated_again),
		TEST(test_small_result),
		TEST(test_failed),
		TEST(test_rule_by_function),
		TEST(test_carried_down),
		TEST(test_live_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
