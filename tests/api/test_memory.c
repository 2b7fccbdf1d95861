/* The n-th allocation fails, for every n, on the main paths in C: nothing leaks, nothing aborts.  What the notation can
 * say goes through the same in test_every_form.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <porism.h>

#include "refusing.h"

/* A path through the library: true when it came to its end. */
typedef bool (*Path)(por_graph *);

/* With all that the path holds given back: was it done, with no error but that of memory? */
static bool once(Path path, const char *name, long n, por_context *context)
{
	por_graph *g = context ? por_open(context) : NULL;
	por_context_free(context);
	bool done = g && path(g);
	if (g && !done && por_graph_error(g)->code != POR_OK && por_graph_error(g)->code != POR_ERR_MEMORY)
		fail_msg("%s, allocation %ld: %s", name, n, por_graph_error(g)->text);
	por_close(g);
	return done;
}

/* test_memory [EVERY]: of the allocations beyond the first 100 so many of which one fails. */
#ifdef WRAPPED
static long every = 7; /* sanitizers make each path many times as long */
#else
static long every = 1;
#endif

static long next(long n)
{
	return n < 100 ? n + 1 : n + every;
}

static bool over_failures(Path path, const char *name)
{
	for (long n = 0; n < 100000; n = next(n)) {
		Counter c = {.left = n};
		por_context_options o = {
			.size = sizeof o, .alloc = counted_alloc, .free = counted_free, .user = &c};
		bool done = once(path, name, n, por_context_new(&o));
		if (c.live) fail_msg("%s, allocation %ld: %ld blocks are left", name, n, c.live);
		if (done && c.left >= 0) {
			print_message("%s: survived %ld of %ld\n", name, n, n);
			return true;
		}
	}
	return false;
}

/* The same for each allocation of the process. */
static bool over_refusals(Path path, const char *name)
{
	for (long n = 0; n < 100000; n = next(n)) {
		refuse_in = n;
		bool done = once(path, name, n, por_context_new(NULL)), refused = refuse_in < 0;
		refuse_in = -1;
		if (done && !refused) {
			print_message("%s, any allocation: survived %ld of %ld\n", name, n, n);
			return true;
		}
	}
	return false;
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

/* Compiled natively (the cache has it after the first time), as a bare function, as C; calls of growing shapes
 * and of rows. */
static bool compiles(por_graph *g)
{
	por_node *x = por_input(g, "x", "f64[n]"), *w = por_input(g, "w", "f64[n]"), *d = NULL;
	por_node *y = por_sum(por_softplus(por_mul(w, x)), POR_ALL);
	por_grad(y, 1, &w, &d);
	por_node *next = por_sub(w, por_mul(por_number(g, 0.1), d));
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE, .threads = 1, .donate = 1, .profile = 1};
	por_program *p = por_compile(g, 2, (por_node *[]){w, x}, 2, (por_node *[]){next, y}, &o);
	char *code = por_export_c(p, "step", 0), *header = por_export_c(p, "step", 1),
	     *profile = por_explain(p, "profile");
	por_entry entry = por_program_entry(p);
	por_frame *f = por_frame_new(p);
	double v[2][64] = {{1, 2, 3}, {4, 5, 6}};
	bool done = code && header && profile && entry && f;
	for (int64_t n = 1; n <= 64 && done;
		n *= 4) { /* as a fit does: the parameters are stepped in place */
		por_array in[] = {por_view(v[0], POR_F64, 1, &n), por_view(v[1], POR_F64, 1, &n)};
		done = !por_frame_reserve(f, 2, in);
		for (int i = 0; i < 3 && done; i++) done = !por_call(p, f, 2, in, 0, NULL);
		double sum[2];
		por_array out[] = {{0}, por_view(sum, POR_F64, 0, NULL)};
		done = done && !por_call(p, NULL, 2, in, 2, out) &&
			!por_call_many(p, f, 2, &(por_calls){2, in, (int64_t[]){0, 0}, 2, out, (int64_t[]){0, 8}});
	}
	por_text_free(code), por_text_free(header), por_text_free(profile);
	por_frame_free(f);
	por_program_free(p);
	return done;
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

/* A kept function, a system of equations, both sparse matrices. */
static bool forms(por_graph *g)
{
	por_node *in[] = {por_input(g, "b", "f64[n]"), por_input(g, "w", "f64[n]")}, *z = por_div(in[0], in[1]),
		 *a = por_mul(in[0], in[1]), *d, *part[3];
	por_function *f = por_function_of(g, "quotient", 2, in, 1, &z), *h = por_function_of(g, "product", 2, in, 1, &a);
	por_node *y = por_invoke(por_kept(por_with_system(f, h, f)), 2, in);
	bool done = !por_grad(por_sum(y, POR_ALL), 1, &in[1], &d) && !por_sparse_jacobian(d, in[1], part) &&
		!por_sparse_hessian(por_sum(por_exp(a), POR_ALL), in[0], part);
	char *text = done ? por_print(3, part) : NULL;
	por_text_free(text);
	return text != NULL;
}

/* A loop, with a condition and an effect in it, a branch, and what is asked of nodes. */
static bool loops(por_graph *g)
{
	por_node *x = por_input(g, "x", "f64[n]"), *d = NULL, *dx = NULL;
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *e = por_loop_each(l, x), *s = por_loop_carry(l, por_constant(g, "f64", 0));
	por_loop_while(l, por_lt(s, por_number(g, 9)));
	por_node *next = por_if(por_gt(e, por_number(g, 0)), por_add(s, por_exp(e)), por_mul(s, e));
	por_node *seen = por_do(NULL, POR_EFFECT_CHECK, 1, (const char *[]){"x"}, &x);
	por_loop_next(l, s, next);
	int path = por_loop_stack(l, s);
	por_loop_close(l);
	por_node *y = por_sum(por_mul(por_loop_stacked(l, path), por_loop_last(l, s)), POR_ALL), *k = por_number(g, 2);
	por_grad(y, 1, &x, &d);
	por_substitute(1, &d, 1, &x, &(por_node *){por_mul(x, k)}, &dx);
	por_simplify(1, &dx, "algebra");
	por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){dx, seen},
		&(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET, .threads = 1});
	por_frame *f = por_frame_new(p);
	double v[3] = {0.5, -1, 2};
	por_array in = por_view(v, POR_F64, 1, (int64_t[]){3});
	bool done = f && !por_call(p, f, 1, &in, 0, NULL);
	por_region *r = por_region_of(1, &dx);
	done = r && por_region_count(r) > 3 && done;
	por_region_free(r);
	por_program_free(p);
	por_frame_free(f);
	return done;
}

static int cubes(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const double *x = in->data;
	(void)user, (void)nin, (void)nout;
	for (int64_t i = 0; i < in->shape[0]; i++) ((double *)out->data)[i] = x[i] * x[i] * x[i];
	return 0;
}

static por_node *plain(void *user, por_node *x, int n, por_node *const *v)
{
	(void)user, (void)x, (void)n;
	return v[0];
}

/* An operator and rules of the user's, in a function for all rows; what it gives, given back at a checkpoint. */
static bool extends(por_graph *g)
{
	por_custom c = {.size = sizeof c, .signature = "cube(x: f64[n]) -> f64[n]", .kernel = cubes,
		.c_text = "static int cube(void *const *a, const int64_t *n) { return !a || !n; }"};
	if (por_define(g, &c) || por_rule(g, "d(cube(x)) => 3*x^2*dx", "derivative") ||
		por_rule_call(g, "floor(ceil(x))", POR_LAW_EXACT, plain, NULL))
		return false;
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_custom_call(g, "cube", 1, &x), *d = NULL;
	por_function *f = por_checkpoint(por_function_of(g, "f", 1, &x, 1, &y));
	por_function *all = por_vmap(f, 1, (int[]){0});
	por_node *X = por_input(g, "X", "f64[m, n]"), *Y = por_invoke(all, 1, &X);
	por_grad(por_sum(Y, POR_ALL), 1, &X, &d);
	por_program *p = por_compile(g, 1, &X, 1, &d,
		&(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET, .threads = 1});
	por_frame *frame = por_frame_new(p);
	char *code = por_export_c(p, "slopes", 0);
	double v[4] = {0.5, -1, 2, 3};
	por_array in = por_view(v, POR_F64, 2, (int64_t[]){2, 2});
	bool done = code && frame && !por_call(p, frame, 1, &in, 0, NULL);
	done = done && ((double *)por_frame_result(frame, 0)->data)[3] == 27;
	por_text_free(code);
	por_frame_free(frame);
	por_program_free(p);
	return done;
}

/* Marks, in whose middle memory runs out; what is compiled and asked under them, released and not. */
static bool marks(por_graph *g)
{
	por_node *x = por_input(g, "x", "f64[n]"), *d = NULL;
	int mark = por_mark(g);
	por_node *y = por_sum(por_softplus(por_mul(x, por_input(g, "w", "f64[n] if w > 0"))), POR_ALL);
	int inner = por_mark(g);
	por_grad(y, 1, &x, &d);
	char *text = d ? por_print(1, &d) : NULL;
	por_text_free(text);
	bool done = text && !por_release(g, inner) && runs_on(g, POR_TIER_REFERENCE) && !por_release(g, mark);
	return done && runs_on(g, POR_TIER_INTERPRET) && por_mark(g) == 1;
}

#define TEST(path)                                                                                           \
	static void test_##path(void **state)                                                                \
	{                                                                                                    \
		(void)state;                                                                                 \
		assert_true(over_failures(path, #path));                                                     \
		assert_true(over_refusals(path, #path));                                                     \
	}
TEST(builds)
TEST(differentiates)
TEST(interprets)
TEST(refers)
TEST(compiles)
TEST(loads)
TEST(forms)
TEST(loops)
TEST(extends)
TEST(marks)

int main(int n, char **word)
{
	if (n > 1) every = atol(word[1]);
	if (every < 1) return 2;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_differentiates),
		cmocka_unit_test(test_refers),
		cmocka_unit_test(test_interprets),
		cmocka_unit_test(test_compiles),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_extends),
		cmocka_unit_test(test_marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
