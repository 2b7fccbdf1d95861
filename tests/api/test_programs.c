/* What a compiled program can do besides a call: donated memory, a cap, rows of calls, the bare function,
 * profiles, the log. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "graph_says.h"

#define SHAPE(...) ((int64_t[]){__VA_ARGS__})

static const int tiers[] = {POR_TIER_REFERENCE, POR_TIER_INTERPRET, POR_TIER_NATIVE};

static void contains(const char *text, const char *part)
{
	assert_non_null(text);
	if (!strstr(text, part)) fail_msg("\"%s\" lacks \"%s\"", text, part);
}

/* w - 0.5*x and sum(w): the first may take w's memory. */
static por_program *step_program(int tier, int donate)
{
	por_graph *g = por_open(NULL);
	por_node *in[] = {por_input(g, "w", "f64[n]"), por_input(g, "x", "f64[n]")};
	por_node *out[] = {por_sub(in[0], por_mul(por_number(g, 0.5), in[1])), por_sum(in[0], POR_ALL)};
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1, .donate = donate};
	por_program *p = por_compile(g, 2, in, 2, out, &o);
	good(g);
	por_close(g);
	return p;
}

static void results_take_arguments(void **state)
{
	(void)state;
	for (size_t t = 0; t < 3; t++) {
		por_program *p = step_program(tiers[t], 1);
		por_frame *f = por_frame_new(p);
		double w[3] = {1, 2, 3}, x[3] = {2, 2, 4}, other[3] = {0}, sum = 0;
		por_array in[] = {por_view(w, POR_F64, 1, SHAPE(3)), por_view(x, POR_F64, 1, SHAPE(3))};
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(w[0] == 0 && w[1] == 1 && w[2] == 1 && x[2] == 4);
		assert_true(*(double *)por_frame_result(f, 1)->data == 6);
		for (int i = 0; i < 10; i++) assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(w[0] == -10 && w[2] == -19);
		/* without a frame the donated results need no memory of their own */
		por_array out[] = {{0}, por_view(&sum, POR_F64, 0, NULL)};
		assert_int_equal(por_call(p, NULL, 2, in, 2, out), POR_OK);
		assert_true(w[0] == -11 && sum == -10 - 9 - 19);
		/* memory that is given goes before */
		out[0] = por_view(other, POR_F64, 1, SHAPE(3));
		assert_int_equal(por_call(p, f, 2, in, 2, out), POR_OK);
		assert_true(w[0] == -11 && other[0] == -12);
		/* strides; a call that fails changes nothing */
		double both[6] = {1, 9, 2, 9, 3, 9};
		in[0] = por_view(both, POR_F64, 1, SHAPE(3)), in[0].strides = SHAPE(2);
		assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(both[0] == 0 && both[1] == 9 && both[2] == 1 && both[4] == 1);
		in[1] = por_view(x, POR_F64, 1, SHAPE(2));
		assert_int_not_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
		assert_true(both[0] == 0);
		por_frame_free(f);
		por_program_free(p);
	}
}

/* A map takes the argument's memory itself; what is read again afterwards, at another place, or by what may fail, is
 * made elsewhere and then moved.  The values are the same. */
static void results_are_made_in_place(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool in_place;
	} cases[] = {
		{"(w - 0.5*x, sum(x))", true}, /* an element is read only to be written */
		{"(exp(w)*w + x*w, sum(x))", true},
		{"(x + sum(w), sum(x))", true},   /* read for the last time by the kernel before */
		{"(w - 0.5*x, sum(w))", false},   /* the sum comes after */
		{"(w[::-1] - x, sum(x))", false}, /* reads what it has overwritten */
		{"(cumsum(w) - w, sum(x))",
			true}, /* the sums lie elsewhere; the map that follows reads w last */
		{"(w - x[i64(x) - 2], sum(x))",
			false}, /* an index may be outside: then w must be as it was */
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		por_graph *g = por_open(NULL);
		char text[200];
		snprintf(text, sizeof text, "fn f(w: f64[n], x: f64[n]) = %s", cases[c].text);
		por_function *fn = por_function_named(
			por_load(g, text, (int64_t)strlen(text), "place.por"), "f", 0, NULL);
		good(g);
		double want[3], sum = 0, w[3], x[3] = {2, 2, 4};
		for (int way = 0; way < 3; way++) {
			por_options o = {.size = sizeof o,
				.tier = way < 2 ? POR_TIER_INTERPRET : POR_TIER_NATIVE,
				.threads = 1,
				.donate = way > 0};
			por_program *p = por_compile_function(fn, &o);
			good(g);
			por_frame *f = por_frame_new(p);
			for (int i = 0; i < 3; i++) w[i] = i + 1.25;
			por_array a[] = {
				por_view(w, POR_F64, 1, SHAPE(3)), por_view(x, POR_F64, 1, SHAPE(3))};
			por_array out[] = {
				por_view(want, POR_F64, 1, SHAPE(3)), por_view(&sum, POR_F64, 0, NULL)};
			if (!way) assert_int_equal(por_call(p, f, 2, a, 2, out), POR_OK);
			if (way) {
				assert_int_equal(por_call(p, f, 2, a, 0, NULL), POR_OK);
				assert_memory_equal(w, want, sizeof w);
				if ((por_frame_result(f, 0)->data == w) != cases[c].in_place)
					fail_msg("%s: %s", cases[c].text,
						cases[c].in_place ? "copied" : "in place");
				assert_true(*(double *)por_frame_result(f, 1)->data == sum);
			}
			por_frame_free(f);
			por_program_free(p);
		}
		por_close(g);
	}
}

static void donations_must_fit(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_sum(x, POR_ALL),
		 *z = por_concat(0, 2, (por_node *[]){x, x});
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .donate = 1};
	assert_null(por_compile(g, 1, &x, 1, &y, &o));
	contains(por_graph_error(g)->text, "x: f64[n]");
	por_clear_error(g);
	o.donate = 2;
	assert_null(por_compile(g, 1, &x, 1, &x, &o));
	contains(por_graph_error(g)->text, "donate 2");
	por_clear_error(g);
	o.donate = 1;
	por_program *p = por_compile(g, 1, &x, 1, &z, &o);
	good(g);
	double v[2] = {1, 2};
	por_array in = por_view(v, POR_F64, 1, SHAPE(2));
	assert_int_equal(por_call(p, NULL, 1, &in, 0, NULL), POR_ERR_CALL);
	contains(por_program_error(p)->text, "wanted 4");
	por_program_free(p);
	por_close(g);
}

static void memory_is_capped(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_cumsum(por_cumsum(x, 0), 0);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1, .memory_cap = 100000};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	double *v = calloc(10000, sizeof *v);
	por_array in = por_view(v, POR_F64, 1, SHAPE(100));
	por_frame *f = por_frame_new(p);
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
	in.shape = SHAPE(10000);
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_CALL);
	contains(por_frame_error(f)->text, "memory cap of 100000");
	in.shape = SHAPE(100);
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_OK);
	free(v);
	por_frame_free(f);
	por_program_free(p);
	por_close(g);
}

/* ---- rows of calls -------------------------------------------------------------------------------- */

static por_program *pair_program(const char *type, int tier)
{
	por_graph *g = por_open(NULL);
	por_node *in[] = {por_input(g, "x", type), por_input(g, "y", "f64[k]")};
	por_node *out[] = {por_add(por_mul(in[0], in[1]), in[0]), por_sum(in[1], POR_ALL)};
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1};
	por_program *p = por_compile(g, 2, in, 2, out, &o);
	good(g);
	por_close(g);
	return p;
}

enum { ROOM = 64 };

/* All n calls at once give what n calls give one after the other, wherever results lie. */
static void same_as_calls(por_program *p, int64_t n, int64_t at, int64_t x_step, int64_t out_step)
{
	double a[ROOM], b[ROOM];
	por_frame *f = por_frame_new(p);
	for (int i = 0; i < ROOM; i++) a[i] = b[i] = 1 + i % 7;
	for (int k = 0; k < 2; k++) {
		double *m = k ? b : a;
		por_array in[] = {por_view(m + 8, POR_F64, 0, NULL), por_view(m + 16, POR_F64, 1, SHAPE(2))};
		por_array out[] = {
			por_view(m + at, POR_F64, 1, SHAPE(2)), por_view(m + 60, POR_F64, 0, NULL)};
		if (k) {
			const int64_t step[] = {x_step * 8, 0}, steps_out[] = {out_step * 8, 8};
			assert_int_equal(por_call_many(p, f, n, &(por_calls){2, in, step, 2, out, steps_out}), POR_OK);
			continue;
		}
		for (int64_t i = 0; i < n; i++) {
			assert_int_equal(por_call(p, f, 2, in, 2, out), POR_OK);
			in[0].data = (double *)in[0].data + x_step;
			out[0].data = (double *)out[0].data + out_step;
			out[1].data = (double *)out[1].data + 1;
		}
	}
	assert_memory_equal(a, b, sizeof a);
	por_frame_free(f);
}

static void rows_of_calls(void **state)
{
	(void)state;
	for (size_t t = 0; t < 3; t++) {
		por_program *p = pair_program("f64", tiers[t]);
		same_as_calls(p, 4, 32, 1, 2);   /* apart */
		same_as_calls(p, 4, 40, -2, -2); /* backwards */
		same_as_calls(p, 4, 32, 0, 0);   /* in one place */
		same_as_calls(p, 4, 8, 1, 2);    /* results over what later calls read */
		same_as_calls(p, 4, 16, 1, 0);   /* results over an argument of all calls */
		same_as_calls(p, 4, 32, 1, 1);   /* results over one another */
		same_as_calls(p, 4, 20, 1, -2);  /* backwards over an argument */
		same_as_calls(p, 0, 32, 1, 2);
		same_as_calls(p, 1, 32, 1, 2);
		por_program_free(p);
		p = pair_program("f64 if x < 4", tiers[t]);
		double x[] = {1, 2, 3, 4, 5}, y[] = {1, 1}, z[10] = {0}, s[5];
		por_array in[] = {por_view(x, POR_F64, 0, NULL), por_view(y, POR_F64, 1, SHAPE(2))};
		por_array out[] = {por_view(z, POR_F64, 1, SHAPE(2)), por_view(s, POR_F64, 0, NULL)};
		assert_int_equal(
			por_call_many(p, NULL, 5, &(por_calls){2, in, SHAPE(8, 0), 2, out, SHAPE(16, 8)}), POR_ERR_CALL);
		contains(por_program_error(p)->text, "x = 4");
		assert_true(z[4] == 6 && z[6] == 0);
		por_program_free(p);
	}
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

typedef struct Parts {
	int calls;
	int64_t most;
} Parts;

/* Backwards, one after the other: parts do not wait for one another. */
static void own_for(void *user, int64_t n, por_task task, void *argument)
{
	Parts *p = user;
	p->calls++;
	if (n > p->most) p->most = n;
	for (int64_t i = n; i-- > 0;) task(argument, i);
}

static void threads_of_the_users(void **state)
{
	(void)state;
	enum { N = 400000 };
	double *v = malloc(N * sizeof *v), *z[2], s[2];
	for (int i = 0; i < N; i++) v[i] = i * 1e-5;
	for (size_t t = 1; t < 3; t++) {
		Parts parts = {0};
		for (int own = 0; own < 2; own++) {
			por_graph *g = por_open(NULL);
			por_node *x = por_input(g, "x", "f64[n]");
			por_node *out[] = {por_exp(x), por_sum(por_mul(x, x), POR_ALL)};
			por_options o = {.size = sizeof o, .tier = tiers[t], .threads = own ? 3 : 1};
			if (own) o.parallel_for = own_for, o.parallel_user = &parts;
			por_program *p = por_compile(g, 1, &x, 2, out, &o);
			good(g);
			por_close(g);
			z[own] = malloc(N * sizeof **z);
			por_array in = por_view(v, POR_F64, 1, SHAPE(N));
			por_array to[] = {
				por_view(z[own], POR_F64, 1, SHAPE(N)), por_view(&s[own], POR_F64, 0, NULL)};
			for (int i = 0; i < 4; i++)
				assert_int_equal(por_call(p, NULL, 1, &in, 2, to), POR_OK);
			por_program_free(p);
		}
		assert_true(parts.calls > 0 && parts.most == 3);
		assert_memory_equal(z[0], z[1], N * sizeof **z);
		assert_memory_equal(&s[0], &s[1], sizeof *s);
		free(z[0]), free(z[1]);
	}
	free(v);
}

typedef struct Door {
	atomic_int inside, most, calls;
} Door;

static int slow_kernel(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)nin, (void)nout;
	Door *d = user;
	int now = atomic_fetch_add(&d->inside, 1) + 1;
	if (now > atomic_load(&d->most)) atomic_store(&d->most, now);
	atomic_fetch_add(&d->calls, 1);
	nanosleep(&(struct timespec){0, 1000000}, NULL);
	*(double *)out[0].data = *(double *)in[0].data + 1;
	atomic_fetch_sub(&d->inside, 1);
	return 0;
}

static void *call_often(void *program)
{
	double v = 1, z;
	por_array in = por_view(&v, POR_F64, 0, NULL), out = por_view(&z, POR_F64, 0, NULL);
	for (int i = 0; i < 20; i++)
		if (por_call(program, NULL, 1, &in, 1, &out) || z != 2) return program;
	return NULL;
}

static void one_thread_at_a_time(void **state)
{
	(void)state;
	for (int one = 0; one < 2; one++) {
		Door d = {0};
		por_graph *g = por_open(NULL);
		por_custom c = {.size = sizeof c,
			.signature = "slow(x: f64) -> f64",
			.kernel = slow_kernel,
			.user = &d,
			.flags = one ? POR_ONE_THREAD : 0};
		assert_int_equal(por_define(g, &c), POR_OK);
		por_node *x = por_input(g, "x", "f64"), *y = por_custom_call(g, "slow", 1, &x);
		por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
		por_program *p = por_compile(g, 1, &x, 1, &y, &o);
		good(g);
		por_close(g);
		pthread_t thread[3];
		for (int i = 0; i < 3; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, call_often, p), 0);
		for (int i = 0; i < 3; i++) {
			void *bad = NULL;
			pthread_join(thread[i], &bad);
			assert_null(bad);
		}
		assert_int_equal(d.calls, 60);
		if (one)
			assert_int_equal(d.most, 1);
		else
			assert_true(d.most > 1);
		por_program_free(p);
	}
}

/* ---- the bare function -------------------------------------------------------------------------------- */

static void the_bare_function(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *in[] = {por_input(g, "w", "f64[n]"), por_input(g, "X", "f64[m, n]")};
	por_node *out[] = {por_mean(por_softplus(por_matmul(in[1], in[0])), POR_ALL), NULL};
	assert_int_equal(por_grad(out[0], 1, in, &out[1]), POR_OK);
	for (size_t t = 1; t < 3; t++) {
		por_options o = {.size = sizeof o, .tier = tiers[t], .threads = 1};
		por_program *p = por_compile(g, 2, in, 2, out, &o);
		good(g);
		if (t == 1) {
			assert_null(por_program_entry(p));
			contains(por_program_error(p)->text, "tier");
			assert_int_equal(por_program_workspace(p, SHAPE(1, 1)), -1);
			por_program_free(p);
			continue;
		}
		double w[3] = {0.5, -1, 2}, X[6] = {1, 2, 3, 4, 5, 6}, y[2], dw[2][3];
		por_array a[] = {por_view(w, POR_F64, 1, SHAPE(3)), por_view(X, POR_F64, 2, SHAPE(2, 3)),
			por_view(&y[0], POR_F64, 0, NULL), por_view(dw[0], POR_F64, 1, SHAPE(3))};
		assert_int_equal(por_call(p, NULL, 2, a, 2, a + 2), POR_OK);
		por_entry entry = por_program_entry(p);
		if (!entry) fail_msg("%s", por_program_error(p)->text);
		assert_ptr_equal(entry, por_program_entry(p));
		int64_t size[2] = {0};
		assert_int_equal(por_program_sizes(p), 2);
		for (int i = 0; i < 2; i++) size[i] = *por_program_size(p, i) == 'n' ? 3 : 2;
		assert_int_equal(size[0] + size[1], 5);
		int64_t bytes = por_program_workspace(p, size);
		assert_true(bytes >= 0);
		void *work = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64 + 64);
		assert_int_equal(entry((void *const[]){w, X, &y[1], dw[1]}, size, work), 0);
		assert_memory_equal(&y[0], &y[1], sizeof *y);
		assert_memory_equal(dw[0], dw[1], sizeof *dw);
		assert_int_equal(por_program_workspace(p, SHAPE(INT64_MAX / 2, INT64_MAX / 2)), -1);
		free(work);
		por_program_free(p);
	}
	por_close(g);
}

static void sizes_that_are_values(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *in[] = {por_input(g, "x", "f64[m]"), por_input(g, "count", "i64")};
	por_node *out =
		por_add(por_sum(in[0], POR_ALL), por_sum(por_iota(g, por_size_of_node(in[1])), POR_ALL));
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE};
	por_program *p = por_compile(g, 2, in, 1, &out, &o);
	good(g);
	por_close(g);
	assert_int_equal(por_program_sizes(p), 2);
	assert_string_equal(por_program_size(p, 0), "m");
	assert_string_equal(por_program_size(p, 1), "count");
	assert_string_equal(por_program_size(p, 2), "");
	por_entry entry = por_program_entry(p);
	if (!entry) fail_msg("%s", por_program_error(p)->text);
	double x[2] = {0.25, 0.5}, y = 0;
	int64_t n = 5, size[2] = {2, 5};
	void *work = malloc((size_t)por_program_workspace(p, size));
	assert_int_equal(entry((void *const[]){x, &n, &y}, size, work), 0);
	assert_true(y == 10.75);
	free(work);
	por_program_free(p);
}

/* The caller says how large a computed size may be: two of the four numbers are positive. */
static void sizes_that_are_computed(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m =
		por_load(g, "fn first(x: f64[n]) = let k = sum(i64(x > 0)) in x[:k]*2", -1, "first.por");
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE};
	por_program *p = por_compile_function(por_function_named(m, "first", 0, NULL), &o);
	good(g);
	por_close(g);
	assert_int_equal(por_program_sizes(p), 2);
	assert_string_equal(por_program_size(p, 0), "n");
	assert_string_equal(por_program_size(p, 1), "k");
	por_entry entry = por_program_entry(p);
	if (!entry) fail_msg("%s", por_program_error(p)->text);
	double x[4] = {0.5, 3, -1, -2}, y[3] = {7, 7, 7};
	for (int64_t most = 4; most > 0; most--) {
		int64_t size[2] = {4, most};
		void *work = malloc((size_t)por_program_workspace(p, size));
		assert_int_equal(entry((void *const[]){x, y}, size, work), most < 2);
		free(work);
	}
	assert_true(y[0] == 1 && y[1] == 6 && y[2] == 7);
	assert_int_equal(por_program_workspace(p, (int64_t[]){4, -1}), -1);
	por_program_free(p);
}

/* Where the fold that a kernel would have walked is stored for another one, there is still native code for it. */
static void a_fold_is_stored_elsewhere(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_module *m = por_load(g,
		"fn f(x: f64[n], a: i64[m], b: i64[m, n], c: i64[n, m]) =\n"
		"    (i64(clip(outer(f64(max[0](c % c + c) - a), x), -100, 100)) - b)[:, 0]",
		-1, "f.por");
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE};
	por_program *p = por_compile_function(por_function_named(m, "f", 0, NULL), &o);
	good(g);
	por_close(g);
	assert_int_equal(por_program_tier(p), POR_TIER_NATIVE);
	por_program_free(p);
}

/* What the compiled tiers cannot do is said when it is compiled, whichever of them is asked for. */
static void what_no_compiled_tier_has(void **state)
{
	(void)state;
	for (int tier = 0; tier < 3; tier++) {
		por_graph *g = por_open(NULL);
		por_module *m = por_load(g, "fn f(z: c128[n]) = z*z", -1, "f.por");
		por_options o = {.size = sizeof o,
			.tier = tier == 0   ? POR_TIER_NATIVE
				: tier == 1 ? POR_TIER_INTERPRET
					    : POR_TIER_BACKGROUND};
		assert_null(por_compile_function(por_function_named(m, "f", 0, NULL), &o));
		assert_int_equal(por_graph_error(g)->code, POR_ERR_UNSUPPORTED);
		assert_non_null(
			strstr(por_graph_error(g)->text, "complex numbers run on the reference tier only"));
		por_close(g);
	}
}

static void compiles(const char *before, const char *code)
{
	char *compiler = por_compiler_path(NULL);
	char path[] = "/tmp/porism_names_XXXXXX.c", command[600];
	int file = mkstemps(path, 2);
	assert_true(file >= 0 && write(file, before, strlen(before)) == (ssize_t)strlen(before));
	assert_true(write(file, code, strlen(code)) == (ssize_t)strlen(code));
	close(file);
	snprintf(command, sizeof command, "%s -std=gnu11 -Werror -fsyntax-only %s", compiler, path);
	assert_int_equal(system(command), 0);
	unlink(path);
	por_text_free(compiler);
}

/* The sum of inputs of these names, as a file and its header. */
static por_program *sum_of(por_graph *g, int n, const char (*name)[32])
{
	por_node *in[400], *out = NULL;
	for (int i = 0; i < n; i++) {
		in[i] = por_input(g, name[i], "f64[n]");
		out = out ? por_add(out, in[i]) : in[i];
	}
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile(g, n, in, 1, &out, &o);
	good(g);
	return p;
}

/* A name is kept unless C, or the file itself, has another use for it. */
static void names_in_c(void **state)
{
	(void)state;
	static const char name[][32] = {"w", "at", "size", "isa", "int", "model_run_0", "int64_t", "M"};
	por_graph *g = por_open(NULL);
	por_program *p = sum_of(g, (int)(sizeof name/sizeof *name), name);
	char *code = por_export_c(p, "model", 0), *header = por_export_c(p, "model", 1);
	contains(header,
		"const double *w, const double *at, const double *size, const double *isa_2, "
		"const double *int_2, const double *model_run_0_2, const double *int64_t_2, "
		"const double *M_2, double *out1");
	compiles("", code);
	por_text_free(code), por_text_free(header);
	por_program_free(p);
	por_close(g);
}

/* Whatever macro the file defines may be what the user calls an argument; so may be those of C's headers. */
static void names_of_macros(void **state)
{
	(void)state;
	static const char theirs[][32] = {"I", "NULL", "EOF", "NAN", "INFINITY", "errno", "stdin", "stdout",
		"complex", "bool", "true", "INT64_MAX", "DBL_MAX", "CHAR_BIT", "RAND_MAX", "HUGE_VAL",
		"INT_MAX", "EXIT_SUCCESS", "noreturn", "BUFSIZ"};
	static char name[400][32];
	por_graph *g = por_open(NULL);
	por_node *A = por_input(g, "A", "f64[m, k]"), *B = por_input(g, "B", "f64[k, n]");
	por_node *z = por_logsumexp(por_matmul(A, B), 1);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile(g, 2, (por_node *[]){A, B}, 1, &z, &o);
	char *code = por_export_c(p, "model", 0);
	int n = 0;
	for (const char *s = code; (s = strstr(s, "#define ")) && n < 400; s += 8) {
		int first = 0;
		if (sscanf(s + 8, "%31[A-Za-z0-9_]", name[n]) != 1) continue;
		while (strcmp(name[first], name[n])) first++;
		n += first == n;
	}
	assert_true(n > 50 && n < 400);
	por_text_free(code), por_program_free(p);

	p = sum_of(g, n, (const char(*)[32])name);
	code = por_export_c(p, "model", 0);
	compiles("", code);
	por_text_free(code), por_program_free(p);

	p = sum_of(g, (int)(sizeof theirs/sizeof *theirs), theirs);
	char *header = por_export_c(p, "model", 1);
	compiles("#include <complex.h>\n#include <errno.h>\n#include <float.h>\n#include <limits.h>\n#include "
		 "<math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
		 "<stdlib.h>\n#include <stdnoreturn.h>\n",
		header);
	por_text_free(header), por_program_free(p);
	por_close(g);
}

/* ---- operators of the user's, in C ------------------------------------------------------------------------ */

static int table_kernel(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	(void)user, (void)nin, (void)nout;
	const double *x = in[0].data, *y = in[1].data;
	double *z = out[0].data;
	if (x[0] < 0) return 1;
	for (int64_t i = 0; i < in[0].shape[0]; i++)
		for (int64_t j = 0; j < in[1].shape[0]; j++) z[i * in[1].shape[0] + j] = x[i] * y[j];
	return 0;
}

static const char table_text[] =
	"#include <stdint.h>\n#include <math.h>\n"
	"static int table(void *const *a, const int64_t *s)\n{\n"
	"\tconst double *x = a[0], *y = a[1];\n\tdouble *z = a[2];\n"
	"\tif (x[0] < 0 || s[2] != s[0] || s[3] != s[1]) return 1;\n"
	"\tfor (int64_t i = 0; i < s[0]; i++) for (int64_t j = 0; j < s[1]; j++) z[i*s[1] + j] = x[i]*y[j];\n"
	"\treturn 0;\n}\n";

static void operators_in_c(void **state)
{
	(void)state;
	for (int with = 0; with < 2; with++) {
		por_graph *g = por_open(NULL);
		por_custom c = {.size = sizeof c,
			.signature = "table(x: f64[m], y: f64[n]) -> f64[m, n]",
			.kernel = table_kernel,
			.c_text = with ? table_text : NULL};
		assert_int_equal(por_define(g, &c), POR_OK);
		por_node *in[] = {por_input(g, "table", "f64[m]"), por_input(g, "v", "f64[n]")};
		por_node *twice =
			por_custom_call(g, "table", 2, (por_node *[]){por_add(in[0], in[0]), in[1]});
		por_node *out = por_add(por_sum(twice, 1), por_sum(por_custom_call(g, "table", 2, in), 1));
		por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE};
		por_program *p = por_compile(g, 2, in, 1, &out, &o);
		good(g);
		por_entry entry = por_program_entry(p);
		char *code = por_export_c(p, "rows", 0);
		if (!with) {
			assert_null(entry);
			assert_null(code);
			assert_int_equal(por_program_error(p)->code, POR_ERR_UNSUPPORTED);
			contains(por_program_error(p)->text, "table has no C text");
		} else {
			contains(code, "static int table(");
			assert_null(strstr(strstr(code, "static int table(") + 1, "static int table("));
			assert_null(por_export_c(p, "table", 0));
			contains(por_program_error(p)->text, "program's name");
			double x[2] = {1, 2}, y[3] = {1, 10, 100}, z[2];
			if (!entry) fail_msg("%s", por_program_error(p)->text);
			int64_t size[2] = {0};
			for (int i = 0; i < 2; i++) size[i] = *por_program_size(p, i) == 'n' ? 3 : 2;
			void *work = malloc((size_t)por_program_workspace(p, size));
			assert_int_equal(entry((void *const[]){x, y, z}, size, work), 0);
			assert_true(z[0] == 333 && z[1] == 666);
			x[0] = -1;
			assert_int_equal(entry((void *const[]){x, y, z}, size, work), 3);
			free(work);
		}
		por_text_free(code);
		por_program_free(p);
		por_close(g);
	}
}

/* ---- profiles, the log ---------------------------------------------------------------------------------- */

static void steps_are_timed(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n, n]"), *y = por_matmul(por_exp(x), x);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .profile = 1};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	double v[4] = {1, 2, 3, 4}, z[4];
	por_array in = por_view(v, POR_F64, 2, SHAPE(2, 2)), out = por_view(z, POR_F64, 2, SHAPE(2, 2));
	for (int i = 0; i < 37; i++) assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
	char *text = por_explain(p, "profile");
	contains(text, "kernel 0");
	contains(text, "contract");
	contains(text, "          37 ");
	por_text_free(text);
	text = por_explain(p, "profile.json");
	/* the exponential is the first step, of this line's file; the product the second; both of no loop */
	contains(text, "[{\"step\":0,\"inside\":null,\"what\":\"kernel 0\",\"calls\":37,\"nanoseconds\":");
	contains(text, "\n{\"step\":1,\"inside\":null,\"what\":\"contract\",\"calls\":37,\"nanoseconds\":");
	contains(text, "test_programs.c\",\"line\":");
	por_text_free(text);
	por_program_free(p);
	o.profile = 0;
	p = por_compile(g, 1, &x, 1, &y, &o);
	assert_null(por_explain(p, "profile.json"));
	assert_null(por_explain(p, "profile"));
	contains(por_program_error(p)->text, "option profile");
	por_program_free(p);
	por_close(g);
}

/* A page holds the user's texts, and no text of theirs ends its script; it needs the graphs. */
static void pages_are_whole(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *y = por_log(por_add(por_exp(x), por_number(g, 1)));
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .keep_stages = 1, .profile = 1};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	assert_null(por_page(p, "f", NULL, 0, NULL, NULL));
	contains(por_program_error(p)->text, "keep_stages of 2");
	por_program_free(p);
	o.keep_stages = 2;
	p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	double v[3] = {1, 2, 3}, z[3];
	por_array in = por_view(v, POR_F64, 1, SHAPE(3)), out = por_view(z, POR_F64, 1, SHAPE(3));
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
	char *text = por_page(p, "a </script> \"b\"", "lower", 1, (const char *[]){"mine.c"}, (const char *[]){"</script>"});
	contains(text, "\"title\":\"a \\u003c/script> \\\"b\\\"\"");
	contains(text, "\"stage\":\"lower\"");
	contains(text, "\"sources\":[{\"file\":\"mine.c\",\"text\":\"\\u003c/script>\"}]");
	contains(text, "\"softplus\"");
	contains(text, "\"peaks\":{\"cache\":");
	int ends = 0;
	for (const char *at = text; (at = strstr(at, "</script>")); at++) ends++;
	assert_int_equal(ends, 2); /* of the data and of what draws it */
	por_text_free(text);
	/* arrays with their bytes, from the step that makes them on */
	text = por_explain(p, "arrays.json");
	contains(text, "{\"sizes\":\"given\",\"steps\":1,\"arrays\":[");
	contains(text, "\"space\":\"input\",\"dtype\":\"f64\",\"bytes\":24,\"first\":0");
	por_text_free(text);
	por_program_free(p);
	por_close(g);
	assert_null(por_page(NULL, NULL, NULL, 0, NULL, NULL));
}

typedef struct Lines {
	int n;
	char last[1000];
} Lines;

static void keep_line(void *user, const char *line)
{
	Lines *l = user;
	l->n++;
	snprintf(l->last, sizeof l->last, "%s", line);
}

static void the_log_says_why(void **state)
{
	(void)state;
	static const char *const compilers[] = {"/no/such/cc", "false"};
	static const char *const why[] = {"no C compiler", "gave status 1"};
	for (int k = 0; k < 2; k++) {
		Lines lines = {0};
		por_context_options c = {.size = sizeof c, .user = &lines, .log = keep_line};
		por_context *context = por_context_new(&c);
		por_graph *g = por_open(context);
		por_context_free(context);
		por_node *x = por_input(g, "x", "f64[n]"), *y = por_exp(x);
		for (int i = 0; i < 2; i++) {
			por_options o = {.size = sizeof o,
				.tier = i ? POR_TIER_NATIVE : POR_TIER_BACKGROUND,
				.compiler = compilers[k],
				.cache = ""};
			por_program *p = por_compile(g, 1, &x, 1, &y, &o);
			if (i) { /* who asks for native code is told that there is none */
				assert_null(p);
				assert_int_equal(por_graph_error(g)->code, POR_ERR_COMPILER);
				contains(por_graph_error(g)->text, "native code was asked for");
				contains(por_graph_error(g)->text, why[k]);
				break;
			}
			good(g);
			assert_int_not_equal(por_wait(p, -1), POR_OK);
			double v = 0, z = 0;
			por_array in = por_view(&v, POR_F64, 1, SHAPE(1)),
				  out = por_view(&z, POR_F64, 1, SHAPE(1));
			assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
			assert_true(z == 1);
			por_program_free(p);
			contains(lines.last, "interpreted, because ");
			contains(lines.last, why[k]);
			if (k == 0) assert_int_equal(lines.n, 1); /* the same reason is told once */
		}
		por_close(g);
	}
}

/* A program that is called a little starts no compiler; one that works, or is waited for, does. */
static void what_soon_ends_starts_no_compiler(void **state)
{
	(void)state;
	char dir[] = "/tmp/porism-test-XXXXXX", compiler[100], started[100], command[200];
	assert_non_null(mkdtemp(dir));
	snprintf(compiler, sizeof compiler, "%s/cc", dir), snprintf(started, sizeof started, "%s/started", dir);
	FILE *f = fopen(compiler, "w");
	fprintf(f, "#!/bin/sh\necho > %s\nexec cc \"$@\"\n", started);
	fclose(f);
	chmod(compiler, 0700);
	static double v[100000], z[100000];
	for (int way = 0; way < 3; way++) {
		por_graph *g = por_open(NULL);
		por_node *x = por_input(g, "x", "f64[n]"), *y = por_exp(x);
		por_options o = {.size = sizeof o, .compiler = compiler, .cache = ""};
		por_program *p = por_compile(g, 1, &x, 1, &y, &o);
		good(g);
		int64_t n = way == 1 ? 100000 : 3;
		por_array in = por_view(v, POR_F64, 1, SHAPE(n)), out = por_view(z, POR_F64, 1, SHAPE(n));
		for (int i = 0; i < 100; i++) assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
		if (way == 2) assert_int_equal(por_wait(p, -1), POR_OK);
		while (way == 1 && access(started, F_OK)) /* it starts behind the calls, sooner or later */
			nanosleep(&(struct timespec){0, 1000000}, NULL);
		por_program_free(p);
		por_close(g);
		assert_int_equal(access(started, F_OK) == 0, way > 0);
		unlink(started);
	}
	snprintf(command, sizeof command, "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* A call that fails in an odd or an even pass, then one on the same frame: what is carried lies where the
 * steps behind the loop leave it. */
static void a_call_after_one_that_failed(void **state)
{
	(void)state;
	static const char *const text[] = {
		"fn f(x: f64[n], k: i64[m]) = let s = scan (h = x, i in k) => 2.0*h + x[i] in cumsum(cumsum(s)) + s",
		"fn f(x: f64[n], k: i64[m]) = let s = (scan (h = x, j = 0) while j < m => {h = 2.0*h + x[k[j]], j = j + 1}).h"
		" in cumsum(cumsum(s)) + s"};
	for (size_t t = 0; t < 6; t++) {
		por_graph *g = por_open(NULL);
		por_module *m = por_load(g, text[t % 2], -1, "f.por");
		por_options o = {.size = sizeof o, .tier = tiers[t / 2], .threads = 1};
		por_program *p = por_compile_function(por_function_named(m, "f", 0, NULL), &o);
		good(g);
		por_frame *f = por_frame_new(p);
		double x[64];
		int64_t k[9] = {0};
		for (int i = 0; i < 64; i++) x[i] = 1;
		por_array in[] = {por_view(x, POR_F64, 1, SHAPE(64)), por_view(k, POR_I64, 1, SHAPE(9))};
		for (int bad = -1; bad < 9; bad++) {
			if (bad >= 0) k[bad] = 64;
			assert_int_equal(por_call(p, f, 2, in, 0, NULL), bad >= 0 ? POR_ERR_CALL : POR_OK);
			if (bad >= 0) k[bad] = 0;
			assert_int_equal(por_call(p, f, 2, in, 0, NULL), POR_OK);
			const double *r = por_frame_result(f, 0)->data; /* s is 2*512 - 1 each */
			for (int i = 0; i < 64; i++) assert_true(r[i] == 1023.0*((i + 1)*(i + 2)/2 + 1));
		}
		por_frame_free(f);
		por_program_free(p);
		por_close(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_take_arguments),
		cmocka_unit_test(results_are_made_in_place),
		cmocka_unit_test(donations_must_fit),
		cmocka_unit_test(memory_is_capped),
		cmocka_unit_test(rows_of_calls),
		cmocka_unit_test(a_call_after_one_that_failed),
		cmocka_unit_test(threads_of_the_users),
		cmocka_unit_test(one_thread_at_a_time),
		cmocka_unit_test(the_bare_function),
		cmocka_unit_test(sizes_that_are_values),
		cmocka_unit_test(sizes_that_are_computed),
		cmocka_unit_test(what_soon_ends_starts_no_compiler),
		cmocka_unit_test(what_no_compiled_tier_has),
		cmocka_unit_test(a_fold_is_stored_elsewhere),
		cmocka_unit_test(names_in_c), cmocka_unit_test(names_of_macros),
		cmocka_unit_test(operators_in_c),
		cmocka_unit_test(steps_are_timed), cmocka_unit_test(pages_are_whole),
		cmocka_unit_test(the_log_says_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
