/* The n-th allocation fails, for every n, on the main paths: nothing leaks, nothing aborts. */
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

typedef struct Counter {
	long left, live, count;
} Counter;

static void *counted_alloc(void *user, size_t size, size_t align)
{
	Counter *c = user;
	c->count++;
	if (c->left-- == 0) return NULL;
	size_t room = size ? (size + align - 1) / align * align : align;
	void *p = align > 16 ? aligned_alloc(align, room) : malloc(room);
	c->live += p != NULL;
	return p;
}

static void counted_free(void *user, void *p, size_t size, size_t align)
{
	(void)size, (void)align;
	((Counter *)user)->live -= p != NULL;
	free(p);
}

/* A path through the library: true when it came to its end. */
typedef bool (*Path)(por_graph *);

static bool over_failures(Path path, const char *name)
{
	for (long n = 0;; n++) {
		Counter c = {.left = n};
		por_context_options o = {
			.size = sizeof o, .alloc = counted_alloc, .free = counted_free, .user = &c};
		por_context *context = por_context_new(&o);
		por_graph *g = context ? por_open(context) : NULL;
		por_context_free(context);
		bool done = g && path(g);
		if (g && !done && por_graph_error(g)->code != POR_OK &&
			por_graph_error(g)->code != POR_ERR_MEMORY)
			fail_msg("%s, allocation %ld: %s", name, n, por_graph_error(g)->text);
		por_close(g);
		if (c.live) fail_msg("%s, allocation %ld: %ld blocks are left", name, n, c.live);
		if (done && c.left >= 0) {
			print_message("%s: survived %ld of %ld\n", name, n, n);
			return true;
		}
		if (done && n > 100000) return false;
	}
}

static bool builds(por_graph *g)
{
	char names[20];
	por_node *x = por_input(g, "x", "f64[n]");
	for (int i = 0; i < 3000 && x; i++) {
		snprintf(names, sizeof names, "x%d", i);
		x = por_add(por_mul(x, x), por_input(g, names, "f64[n]"));
	}
	char *text = por_type_text(por_node_type(x));
	por_text_free(text);
	return x && text;
}

static bool differentiates(por_graph *g)
{
	por_node *w = por_input(g, "w", "f64[n]"), *X = por_input(g, "X", "f64[m, n] if 0 <= X < 1"),
		 *d = NULL;
	por_node *loss = por_mean(por_softplus(por_matmul(X, w)), POR_ALL);
	por_grad(loss, 1, &w, &d);
	char *text = d ? por_print(1, &d) : NULL;
	por_text_free(text);
	return text != NULL;
}

static bool runs_on(por_graph *g, int tier)
{
	por_node *x = por_input(g, "x", "f64[n]"), *d = NULL;
	por_node *y = por_sum(por_exp(por_mul(x, x)), POR_ALL);
	por_grad(y, 1, &x, &d);
	por_options o = {.size = sizeof o, .tier = tier, .keep_stages = 1, .threads = 1};
	por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){y, d}, &o);
	por_frame *f = por_frame_new(p);
	double v[3] = {0, 0.5, 1};
	por_array in = por_view(v, POR_F64, 1, (int64_t[]){3});
	bool done = f && !por_call(p, f, 1, &in, 0, NULL) && por_frame_result(f, 1);
	char *text = done ? por_explain(p, "stages") : NULL;
	por_text_free(text);
	por_program_free(p);
	por_frame_free(f);
	return done && text;
}

static bool interprets(por_graph *g)
{
	return runs_on(g, POR_TIER_INTERPRET);
}
static bool refers(por_graph *g)
{
	return runs_on(g, POR_TIER_REFERENCE);
}

static bool loads(por_graph *g)
{
	static const char file[] =
		"use optim\nfn loss(p: {w: f64[n], b: f64}, x: f64[n]) = dot(p.w, x) + p.b\n"
		"fn step(p: {w: f64[n], b: f64}, x: f64[n]) = grad(loss(p, x)^2, p)\n";
	por_module *m = por_load(g, file, -1, "model.por");
	por_function *f = por_function_named(m, "step", 0, NULL);
	por_leaf leaf;
	char *text = f && !por_function_input(f, 1, &leaf) ? por_print_function(f, POR_PRINT_NOTES) : NULL;
	por_text_free(text);
	return text != NULL;
}

#define TEST(path)                                                                                           \
	static void test_##path(void **state)                                                                \
	{                                                                                                    \
		(void)state;                                                                                 \
		assert_true(over_failures(path, #path));                                                     \
	}
TEST(builds)
TEST(differentiates) TEST(interprets) TEST(refers) TEST(loads)

	int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_differentiates),
		cmocka_unit_test(test_refers),
		cmocka_unit_test(test_interprets),
		cmocka_unit_test(test_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
