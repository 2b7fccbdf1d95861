/* What a context holds when work is done: nodes of finished stages go, however often a program is elaborated and
 * compiled, with errors and limits in the middle too. */
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

static por_context *context(void)
{
	return por_context_new(&(por_context_options){
		.size = sizeof(por_context_options), .alloc = count_alloc, .free = count_free});
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
	(void)state;
	por_context *c = context();
	por_graph *g = por_open(c);
	por_function *f = por_function_named(por_load(g, program, -1, "a.por"), "both", 0, NULL);
	good(g);
	compile(f, &interpreted);
	size_t before = held;
	for (int i = 0; i < 100; i++) compile(f, &interpreted);
	good(g);
	assert_int_equal(held, before);
	por_close(g);
	por_context_free(c);
	assert_int_equal(held, 0);
}

/* What a user asks for anew is given anew: a function with its signature, of some hundred bytes a leaf. */
static void test_elaborated_again(void **state)
{
	(void)state;
	enum { TIMES = 100, EACH = 8000 };
	por_context *c = context();
	por_graph *g = por_open(c);
	por_module *m = por_load(g, program, -1, "a.por");
	compile(por_function_named(m, "both", 0, NULL), &interpreted);
	size_t before = held;
	for (int i = 0; i < TIMES; i++) compile(por_function_named(m, "both", 0, NULL), &interpreted);
	good(g);
	assert_in_range(held - before, 0, TIMES * EACH);
	por_close(g);
	por_context_free(c);
	assert_int_equal(held, 0);
}

/* A derivative of a derivative makes many nodes that nobody wants when it is done. */
static void test_small_result(void **state)
{
	(void)state;
	por_context *c = context();
	por_graph *g = por_open(c);
	por_module *m = por_load(g,
		"fn f(x: f64) = exp(sin(x)*tanh(x^2))/(1 + x^2)\nfn g(x: f64) = grad(f(x), x)\n"
		"fn h(x: f64) = grad(g(x), x)\nfn third(x: f64) = 0*grad(h(x), x) + x\n", -1, "a.por");
	por_function_named(m, "h", 0, NULL);
	size_t before = held;
	assert_non_null(por_function_named(m, "third", 0, NULL));
	assert_in_range(held - before, 0, 60000);
	good(g);
	por_close(g);
	por_context_free(c);
}

/* An error in the middle of the work is the graph's, with its place, and the work goes as well: what is left is the list
 * of what was given. */
static void test_failed(void **state)
{
	(void)state;
	por_context *c = context();
	por_graph *g = por_open(c);
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
	por_close(g);
	por_context_free(c);
	assert_int_equal(held, 0);
}

static por_node *halved(void *user, por_node *x, int n, por_node *const *v)
{
	(void)user, (void)x, (void)n;
	return por_mul(v[0], v[0]);
}

/* Rules by function build nodes of the user's graph: that is where such a graph's programs are compiled. */
static void test_rule_by_function(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
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
	por_close(g);
}

/* What outlives the work is the graph's: names, defaults, promises, notes of stages, the reference tier. */
static void test_carried_down(void **state)
{
	(void)state;
	por_context *c = context();
	por_graph *g = por_open(c);
	por_function *f = por_function_named(por_load(g, program, -1, "a.por"), "both", 0, NULL);
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
	por_close(g);
	por_context_free(c);
	assert_int_equal(held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compiled_again),
		cmocka_unit_test(test_elaborated_again),
		cmocka_unit_test(test_small_result),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_rule_by_function),
		cmocka_unit_test(test_carried_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
