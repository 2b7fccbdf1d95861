/* The n-th allocation fails, for every n, on the main paths: nothing leaks, nothing aborts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* What does not ask the context: scratch of compiles, the compiler's run, the C library's own.  A sanitizer's
 * allocator must stay the process's: there the linker turns the calls of our own code alone (--wrap). */
static long refuse_in = -1; /* allocations of the process until one fails; -1: none does */

#ifdef WRAPPED
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
#define REAL_ALIGNED __real_aligned_alloc
#else
#define OURS(name) name
#define REAL(name) __libc_##name
#define REAL_ALIGNED __libc_memalign
#endif
extern void *REAL(malloc)(size_t);
extern void *REAL(calloc)(size_t, size_t);
extern void *REAL(realloc)(void *, size_t);
extern void *REAL_ALIGNED(size_t, size_t);

static bool refuse(void)
{
	if (refuse_in < 0 || refuse_in-- > 0) return false;
	errno = ENOMEM;
	return true;
}
void *OURS(malloc)(size_t n)
{
	return refuse() ? NULL : REAL(malloc)(n);
}
void *OURS(calloc)(size_t n, size_t m)
{
	return refuse() ? NULL : REAL(calloc)(n, m);
}
void *OURS(realloc)(void *p, size_t n)
{
	return refuse() ? NULL : REAL(realloc)(p, n);
}
void *OURS(aligned_alloc)(size_t align, size_t n)
{
	return refuse() ? NULL : REAL_ALIGNED(align, n);
}
int OURS(posix_memalign)(void **p, size_t align, size_t n)
{
	*p = refuse() ? NULL : REAL_ALIGNED(align, n);
	return *p ? 0 : ENOMEM;
}

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

static bool over_failures(Path path, const char *name)
{
	for (long n = 0; n < 100000; n++) {
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
	for (long n = 0; n < 100000; n++) {
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

/* A sparse Hessian by forms and by index arrays, a sparse Jacobian that forward mode does not follow. */
static bool sparse(por_graph *g)
{
	static const char file[] =
		"fn bent(x: f64[n], k: i64[m]) =\n"
		"    sparse_hessian(sum((x[1:] - x[:-1]^2)^2*x[0]) + sum(tanh(x[k])), x).values\n"
		"fn rows(x: f64[n]) = sparse_jacobian(concat(x[1:]^2, [sum(cumsum(x))]), x).rows\n";
	por_module *m = por_load(g, file, -1, "sparse.por");
	por_function *f = por_function_named(m, "bent", 0, NULL), *r = por_function_named(m, "rows", 0, NULL);
	char *text = f && r ? por_print_function(f, 0) : NULL;
	por_text_free(text);
	return text != NULL;
}

/* Functions that tell their derivative, one of them a system, derived twice. */
static bool own(por_graph *g)
{
	static const char file[] =
		"fn root(w: f64, x: f64[n]) =\n"
		"    with_derivative(() => sqrt(w)*x, (y) => differential(w*x)/(2*y))()\n"
		"fn solved(w: f64, x: f64[n]) =\n"
		"    with_system((b) => b/w, (z) => w*z, (u) => u/w)(root(w, x))\n"
		"fn derived(w: f64, x: f64[n]) = grad(grad(sum(solved(w, x)^2), w), w)\n";
	por_module *m = por_load(g, file, -1, "own.por");
	por_function *f = por_function_named(m, "derived", 0, NULL), *s = por_function_named(m, "solved", 0, NULL);
	char *text = f && s ? por_print_function(s, 0) : NULL;
	por_text_free(text);
	return text != NULL;
}

/* Of each form that has functions in it one, and the derivative, called. */
static bool control(por_graph *g)
{
	static const char file[] =
		"fn forms(x: f64[n], w: f64) =\n"
		"    let s = scan (c = x) while sum(c) < 20 => c*w + 9\n"
		"    let b = if w > 1 then checkpoint(exp(s)*w) else s + x\n"
		"    do check(b) in [v in b] => kept((v) => sin(v)*w)(v)\n"
		"fn derived(x: f64[n], w: f64) = (grad(sum(forms(x, w)), w), x[nonzero(x > 0)])\n";
	por_module *m = por_load(g, file, -1, "control.por");
	por_program *p = por_compile_function(por_function_named(m, "derived", 0, NULL),
		&(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET, .threads = 1});
	por_frame *f = por_frame_new(p);
	double v[3] = {0.5, -1, 2}, w = 0.75;
	por_array in[] = {por_view(v, POR_F64, 1, (int64_t[]){3}), por_view(&w, POR_F64, 0, NULL)};
	bool done = f && !por_call(p, f, 2, in, 0, NULL) && por_frame_result(f, 1)->shape[0] == 2;
	por_program_free(p);
	por_frame_free(f);
	return done;
}

/* The same in C: a kept function, a system of equations, both sparse matrices. */
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
TEST(sparse)
TEST(own)
TEST(control)
TEST(forms)
TEST(marks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_differentiates),
		cmocka_unit_test(test_refers),
		cmocka_unit_test(test_interprets),
		cmocka_unit_test(test_compiles),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
