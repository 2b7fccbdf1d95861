/* Long programs: chains far deeper than the stack of the thread that reads, prints, differentiates and runs them; and
 * texts that nest too deep, which are errors. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <porism.h>

/* A walk that recursed would need 48 bytes of stack a step at least: 1 MB. */
enum { STEPS = 20000, STACK = 256 << 10, TEXT = 64 * STEPS };

static const double X = 0.75, Y = 0.5;

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* Text to value and derivative by x, at x = X and y = Y, and back to text that gives the same node. */
static void follow(por_graph *g, const char *text, double value, double derivative)
{
	por_node *leaf[] = {por_input(g, "x", "f64[n]"), por_input(g, "y", "f64[n]")};
	por_node *e = por_parse(g, text, 2, (const char *const[]){"x", "y"}, leaf), *out[2] = {e};
	assert_int_equal(por_graph_error(g)->code, 0);
	char *printed = por_print(1, &e);
	assert_non_null(printed);
	por_node *again = por_parse(g, printed, 2, (const char *const[]){"x", "y"}, leaf);
	assert_int_equal(por_node_id(again), por_node_id(e));
	por_text_free(printed);

	assert_int_equal(por_grad(e, 1, leaf, &out[1]), 0);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	por_program *p = por_compile(g, 2, leaf, 2, out, &o);
	assert_non_null(p);
	double x[] = {X}, y[] = {Y}, v = 0, d[1] = {0};
	int64_t one = 1;
	por_array in[] = {por_view(x, POR_F64, 1, &one), por_view(y, POR_F64, 1, &one)};
	por_array result[] = {por_view(&v, POR_F64, 0, NULL), por_view(d, POR_F64, 1, &one)};
	assert_int_equal(por_call(p, NULL, 2, in, 2, result), 0);
	assert_true(near(v, value));
	assert_true(near(d[0], derivative));
	por_program_free(p);
}

/* v <- tanh(v*y + x), as lets. */
static void follow_lets_of(por_graph *g, char *text, int n)
{
	char *at = text + sprintf(text, "sum(let v = x ");
	double v = X, d = 1;
	for (int i = 0; i < n; i++) {
		at += sprintf(at, "let v = tanh(v*y + x) ");
		v = tanh(v * Y + X);
		d = (1 - v * v) * (d * Y + 1);
	}
	strcpy(at, "in v)");
	follow(g, text, v, d);
}

/* One expression of left-associated + and -. */
static void follow_operators(por_graph *g, char *text)
{
	char *at = text + sprintf(text, "sum(x");
	double v = X, d = 1;
	for (int i = 1; i <= STEPS; i++) {
		double sign = i % 2 ? 1 : -1;
		at += sprintf(at, " %c sin(x*%d)", i % 2 ? '+' : '-', i);
		v += sign * sin(X * i);
		d += sign * cos(X * i) * i;
	}
	strcpy(at, ")");
	follow(g, text, v, d);
}

static void *on_small_stack(void *failed)
{
	por_graph *g = por_open(NULL);
	char *text = malloc(TEXT);
	follow_lets_of(g, text, STEPS);
	follow_operators(g, text);
	free(text);
	por_close(g);
	*(bool *)failed = false;
	return NULL;
}

static void run_on(size_t stack, void *(*run)(void *))
{
	pthread_attr_t a;
	pthread_t t;
	bool failed = true;
	assert_int_equal(pthread_attr_init(&a), 0);
	assert_int_equal(pthread_attr_setstacksize(&a, stack), 0);
	assert_int_equal(pthread_create(&t, &a, run, &failed), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	pthread_attr_destroy(&a);
	assert_false(failed);
}

static void check_long(void **state)
{
	(void)state;
	run_on(STACK, on_small_stack);
}

/* ---- memory ------------------------------------------------------------------------------------------- */

typedef struct Bytes {
	size_t now, most;
} Bytes;

static void *take(void *user, size_t size, size_t align)
{
	Bytes *b = user;
	b->now += size;
	b->most = b->now > b->most ? b->now : b->most;
	size_t room = (size + align - 1) / align * align;
	return align > 16 ? aligned_alloc(align, room) : malloc(room ? room : 1);
}

static void give(void *user, void *p, size_t size, size_t align)
{
	(void)align;
	((Bytes *)user)->now -= p ? size : 0;
	free(p);
}

typedef void (*Work)(por_graph *, char *text, int n);

/* The bytes at most in use while that is done with n lets. */
static size_t bytes_of(Work work, int n)
{
	Bytes b = {0};
	por_context_options o = {.size = sizeof o, .alloc = take, .free = give, .user = &b};
	por_context *c = por_context_new(&o);
	por_graph *g = por_open(c);
	char *text = malloc((size_t)n * 48 + 64);
	work(g, text, n);
	free(text);
	por_close(g);
	por_context_free(c);
	assert_int_equal(b.now, 0);
	return b.most;
}

/* A file's function of n lets, compiled and called: each step is one multiplication and one sine. */
static void run_lets_of(por_graph *g, char *text, int n)
{
	char *at = text + sprintf(text, "fn f(x0: f64) =\n");
	double x = X, value = 0;
	for (int i = 0; i < n; i++) {
		at += sprintf(at, "let x%d = sin(x%d)*0.999\n", i + 1, i);
		x = sin(x) * 0.999;
	}
	sprintf(at, "in x%d\n", n);
	por_function *f = por_function_named(por_load(g, text, -1, "lets.por"), "f", 0, NULL);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	por_program *p = por_compile_function(f, &o);
	assert_non_null(p);
	por_array in = por_view((double[]){X}, POR_F64, 0, NULL), out = por_view(&value, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), 0);
	assert_true(near(value, x));
	por_program_free(p);
}

/* Four times the lets take about four times the memory: tables double, so between two and six times. */
static void check_memory(void **state)
{
	(void)state;
	size_t few = bytes_of(follow_lets_of, 5000), many = bytes_of(follow_lets_of, 20000);
	assert_in_range(many, 2 * few, 6 * few);
}

/* A million lets must fit: a let of three operations that is printed, read again, differentiated and run takes 9 KB, 10 as
 * clang orders its nodes and while native code is made; one of two that is run takes 2.6 KB. */
static void check_bytes_of_a_let(void **state)
{
	(void)state;
	assert_true(bytes_of(follow_lets_of, 20000) < 20000 * (size_t)11000);
	assert_true(bytes_of(run_lets_of, 20000) < 20000 * (size_t)2750);
}

/* ---- nesting ------------------------------------------------------------------------------------------ */

static const struct Nest {
	const char *open, *middle, *close;
} nests[] = {{"(", "x", ")"}, {"sin(", "x", ")"}, {"-", "x", ""}, {"x^", "x", ""},
	{"where(x > 0, x, ", "x", ")"}, {"x[", "0", "]"}, {"x*(", "x", ")"}, {"(let a = x in ", "x", ")"},
	{"[", "x", "]"}};

static bool nests_too_deep(const struct Nest *n, int levels)
{
	char *text = malloc((size_t)levels * (strlen(n->open) + strlen(n->close)) + 8), *at = text;
	for (int i = 0; i < levels; i++) at = stpcpy(at, n->open);
	at = stpcpy(at, n->middle);
	for (int i = 0; i < levels; i++) at = stpcpy(at, n->close);
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	por_parse(g, text, 1, (const char *const[]){"x"}, &x);
	bool deep = strstr(por_graph_error(g)->text, "nested") != NULL;
	por_close(g);
	free(text);
	return deep;
}

static void *nest_on_small_stack(void *failed)
{
	for (size_t i = 0; i < sizeof nests / sizeof *nests; i++)
		if (!nests_too_deep(&nests[i], 1001) || !nests_too_deep(&nests[i], 100000)) return NULL;
	*(bool *)failed = false;
	return NULL;
}

static void check_nesting(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
		assert_false(nests_too_deep(&nests[i], 300));
		assert_true(nests_too_deep(&nests[i], 1001));
	}
	run_on(STACK, nest_on_small_stack);
}

/* A chain of functions, each of which calls the one before: as deep as a program is long, unless it has no end. */
static void *chain(void *failed)
{
	enum { CHAIN = 2500 };
	char *text = malloc(CHAIN * 48), *at = text + sprintf(text, "fn f0(x: f64) = x\n");
	for (int i = 1; i < CHAIN; i++) at += sprintf(at, "fn f%d(x: f64) = f%d(x) + 1\n", i, i - 1);
	strcpy(at, "fn g(x: f64) = g(x + 1)\n");
	for (int endless = 0; endless < 2; endless++) {
		por_graph *g = por_open(NULL);
		por_module *m = por_load(g, text, -1, "chain.por");
		char name[16];
		sprintf(name, "f%d", CHAIN - 1);
		por_function *f = por_function_named(m, endless ? "g" : name, 0, NULL);
		if ((f == NULL) != (endless == 1)) return NULL;
		if (endless && !strstr(por_graph_error(g)->text, "does this recursion end? g")) return NULL;
		por_close(g);
	}
	free(text);
	*(bool *)failed = false;
	return NULL;
}

static void check_chain(void **state)
{
	(void)state;
	run_on(64 << 20, chain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_long), cmocka_unit_test(check_memory),
		cmocka_unit_test(check_bytes_of_a_let), cmocka_unit_test(check_nesting), cmocka_unit_test(check_chain)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
