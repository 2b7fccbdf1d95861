/* Limits of nodes, bytes and seconds, progress, and work that is cancelled from another thread: while a program is
 * read, elaborated, derived, rewritten, compiled, and while it is called, in every tier.  What has no end here would
 * run for hours: that a test ends is half of what it says. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "graph_says.h"

static void spent(por_graph *g, int code, const char *part)
{
	fails(g, code, part);
	fails(g, code, part); /* it stays */
	assert_null(por_input(g, "late", "f64"));
	por_close(g);
}

/* ---- programs without an end ------------------------------------------------------------------ */

enum { TEXT = 1 << 16 };

/* fn f40(x): its calls double with every level; what is remembered does not hold for values that all differ. */
static const char *doubling_types(char *text)
{
	int n = sprintf(text, "type t0 = {a: f64, b: f64}\n");
	for (int i = 1; i <= 60; i++) n += sprintf(text + n, "type t%d = {a: t%d, b: t%d}\n", i, i - 1, i - 1);
	sprintf(text + n, "fn f(x: t60) = 1.0\n");
	return text;
}

static const char *doubling_calls(char *text)
{
	int n = sprintf(text, "fn f0(x: f64, n: f64) = sin(x*n)\n");
	for (int i = 1; i <= 60; i++)
		n += sprintf(text + n, "fn f%d(x: f64, n: f64) = f%d(x, 2*n) + f%d(x, 2*n + 1)\n", i, i - 1, i - 1);
	sprintf(text + n, "fn f(x: f64) = f60(x, 1)\n");
	return text;
}

static const char *nested_gradients(char *text)
{
	int n = sprintf(text, "fn g0(x: f64) = sin(x)*exp(cos(x)*x)/(1.0 + x^2)\n");
	for (int i = 1; i <= 40; i++) n += sprintf(text + n, "fn g%d(x: f64) = grad(g%d(x), x)\n", i, i - 1);
	sprintf(text + n, "fn f(x: f64) = g40(x)\n");
	return text;
}

static const char *(*const programs[])(char *) = {doubling_types, doubling_calls, nested_gradients};

static por_graph *graph_with(const por_context_options *given)
{
	por_context_options o = *given;
	o.size = sizeof o;
	por_context *c = por_context_new(&o);
	assert_non_null(c);
	por_graph *g = por_open(c);
	por_context_free(c);
	assert_non_null(g);
	return g;
}

static por_function *elaborate(por_graph *g, int program)
{
	char *text = malloc(TEXT);
	por_module *m = por_load(g, programs[program](text), -1, "f.por");
	free(text);
	good(g);
	return por_function_named(m, "f", 0, NULL);
}

/* Ends that the elaborator has of its own: too many calls in each other, a type of too many arrays. */
static int ends_itself(int code)
{
	return code == POR_ERR_VALUE || code == POR_ERR_TYPE;
}

static void limits_of_elaboration(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		por_graph *g = graph_with(&(por_context_options){.max_bytes = 24 << 20});
		assert_null(elaborate(g, i));
		if (!ends_itself(por_graph_error(g)->code))
			spent(g, POR_ERR_LIMIT, "elaborate: it takes more than 25165824 bytes, the limit max_bytes");
		else
			por_close(g);
		g = graph_with(&(por_context_options){.max_seconds = 0.2});
		assert_null(elaborate(g, i));
		if (!ends_itself(por_graph_error(g)->code))
			spent(g, POR_ERR_LIMIT, "it takes more than 0.2 seconds, the limit max_seconds");
		else
			por_close(g);
	}
	for (int i = 1; i < 3; i++) {
		por_graph *g = graph_with(&(por_context_options){.max_nodes = 20000});
		assert_null(elaborate(g, i));
		if (!ends_itself(por_graph_error(g)->code))
			spent(g, POR_ERR_LIMIT, "it takes more than 20000 nodes, the limit max_nodes");
		else
			por_close(g);
	}
}

/* A context and its other graphs go on; a limit that is not met changes nothing. */
static void others_go_on(void **state)
{
	(void)state;
	por_context *c = por_context_new(
		&(por_context_options){.size = sizeof(por_context_options), .max_nodes = 20000, .max_seconds = 1000});
	por_graph *g = por_open(c), *h = por_open(c);
	por_node *x = por_input(h, "x", "f64[n]");
	assert_null(elaborate(g, 2));
	spent(g, POR_ERR_LIMIT, "max_nodes");
	por_node *y = por_sum(por_exp(x), POR_ALL), *d;
	assert_int_equal(por_grad(y, 1, &x, &d), POR_OK);
	por_program *p = por_compile(h, 1, &x, 1, &d, &(por_options){.size = sizeof(por_options),
		.tier = POR_TIER_INTERPRET});
	good(h);
	assert_non_null(p);
	por_program_free(p);
	por_close(h);
	por_context_free(c);
	assert_null(por_context_new(&(por_context_options){.size = sizeof(por_context_options), .max_seconds = -1}));
}

/* A loader that always has another file. */
static int endless_load(void *user, por_source *s)
{
	static char text[64], file[32];
	int *n = user;
	snprintf(file, sizeof file, "m%d.por", ++*n);
	snprintf(text, sizeof text, "use m%d\n", *n + 1);
	s->file = file, s->text = text;
	return 0;
}

static void a_loader_without_end(void **state)
{
	(void)state;
	int n = 0;
	por_graph *g = graph_with(
		&(por_context_options){.load = endless_load, .user = &n, .max_bytes = 8 << 20, .max_seconds = 20});
	assert_null(por_load(g, "use m1\n", -1, "f.por"));
	spent(g, POR_ERR_LIMIT, "read: it takes more than");
}

/* Rewriting, planning and texts of a large graph, with a limit that falls everywhere in turn. */
static void limits_of_compiling(void **state)
{
	(void)state;
	int limited = 0;
	for (uint64_t bytes = 1 << 20; bytes < 1u << 30; bytes += bytes / 4) {
		por_graph *g = graph_with(&(por_context_options){.max_bytes = bytes});
		por_node *x = por_input(g, "x", "f64[n]"), *s = x;
		for (int i = 0; i < 400; i++) s = por_add(por_mul(s, por_constant(g, "f64", i)), por_sin(s));
		por_program *p = por_compile(g, 1, &x, 1, &s, &(por_options){.size = sizeof(por_options),
			.tier = POR_TIER_INTERPRET, .keep_stages = 1});
		por_program_free(p);
		if (p) {
			por_close(g);
			break;
		}
		limited++;
		spent(g, POR_ERR_LIMIT, "the limit max_bytes");
	}
	assert_true(limited > 3);
}

/* ---- progress --------------------------------------------------------------------------------- */

typedef struct Seen {
	int calls, end_at;
	double seconds;
	uint64_t nodes, bytes;
	char stage[32];
	sem_t *begun; /* or NULL */
} Seen;

static int see(void *user, const por_progress *p)
{
	Seen *s = user;
	assert_int_equal(p->size, sizeof *p);
	assert_true(p->seconds >= s->seconds);
	s->seconds = p->seconds, s->nodes = p->nodes, s->bytes = p->bytes;
	snprintf(s->stage, sizeof s->stage, "%s", p->stage);
	if (s->begun && !strcmp(s->stage, "elaborate")) sem_post(s->begun);
	return ++s->calls == s->end_at;
}

static void progress_is_told_and_cancels(void **state)
{
	(void)state;
	Seen s = {.end_at = 3};
	por_graph *g = graph_with(&(por_context_options){.progress = see, .user = &s});
	assert_null(elaborate(g, 1));
	assert_int_equal(s.calls, 3);
	assert_string_equal(s.stage, "elaborate");
	assert_true(s.bytes > 1 << 20);
	spent(g, POR_ERR_CANCELLED, "elaborate: cancelled");
}

/* ---- cancelled from another thread ------------------------------------------------------------- */

typedef struct Later {
	pthread_t thread;
	por_context *context;
	por_frame *frame;
	sem_t *begun; /* NULL: soon, which may be before the work begins */
} Later;

static void *cancel_later(void *user)
{
	Later *l = user;
	if (l->begun)
		sem_wait(l->begun);
	else
		nanosleep(&(struct timespec){0, 50000000}, NULL);
	if (l->frame)
		por_frame_cancel(l->frame, 1);
	else
		por_cancel(l->context, 1);
	return NULL;
}

static void start(Later *l)
{
	assert_int_equal(pthread_create(&l->thread, NULL, cancel_later, l), 0);
}

static void work_is_cancelled(void **state)
{
	(void)state;
	sem_t begun;
	assert_int_equal(sem_init(&begun, 0, 0), 0);
	Seen s = {.begun = &begun};
	por_context *c = por_context_new(
		&(por_context_options){.size = sizeof(por_context_options), .progress = see, .user = &s});
	por_graph *g = por_open(c);
	Later l = {.context = c, .begun = &begun};
	start(&l);
	assert_null(elaborate(g, 1));
	pthread_join(l.thread, NULL);
	sem_destroy(&begun);
	spent(g, POR_ERR_CANCELLED, "elaborate: cancelled");
	por_cancel(c, 0);
	g = por_open(c);
	assert_non_null(por_input(g, "x", "f64"));
	por_close(g);
	por_context_free(c);
}

static const struct {
	const char *name, *text, *type;
	int64_t n;
} endless[] = {
	{"a loop", "scan (r = sum(x), i < 1000000000000) => 0.5*r + 1.0", "f64[n]", 3},
	{"loops in a loop", "scan (r = sum(x), i < 1000000000) => sum(scan (q = r, j < 1000) => 0.5*q + 1.0)", "f64[n]", 3},
	{"a large row", "scan (r = x[0], i < 1000000) => 0.5*r + sum(exp(sin(x + r)))", "f64[n]", 4000000},
	{"large maps", "scan (r = x, i < 1000000) => exp(sin(r))", "f64[n]", 4000000},
	{"a while", "scan (r = sum(x)) while r < 10 => 0.5*r + 1.0", "f64[n]", 3},
	{"branches", "scan (r = sum(x)) while r < 10 => if r > 1.5 then cumsum([r])[0]/2 + 1 else sqrt(r + 2)", "f64[n]", 3},
	{"a while in lanes", "[v in x] => scan (r = v) while r < 10 => 0.5*r + 1.0", "f64[n]", 3},
	{"its derivative", "grad(sum(scan (r = x) while sum(r) < 10 => 0.5*r + 1.0), x)", "f64[n]", 3},
	{"kept calls", "scan (r = sum(x)) while r < 10 => kept((v) => 0.5*v + 1.0)(r)", "f64[n]", 3},
	{"a checkpoint", "grad(sum(checkpoint(scan (r = x) while sum(r) < 10 => 0.5*r + sin(x))), x)", "f64[n]", 3},
	{"a system", "with_system((b) => scan (r = b) while sum(r) < 10 => 0.5*r + b, (z) => z, (u) => u)(x)", "f64[n]", 3},
	{"effects", "scan (r = sum(x)) while r < 10 => (do check(r) do assert(r < 10) in 0.5*r + 1.0)", "f64[n]", 3},
	{"pieces", "grad(sum(scan[states = 2] (r = x) while sum(r) < 10 => 0.5*r + sin(r)*0.25), x)", "f64[n]", 3},
	{"pieces in pieces", "grad(sum(scan[levels = 3] (r = x, i < 1000000000) => 0.5*r + sin(r)*0.25), x)", "f64[n]", 3},
	{"its own derivative",
		"jvp(with_derivative((v) => v^2, (v, y, dv) => scan (r = dv) while sum(r) < 10 => 0.5*r)(x), x, x)", "f64[n]", 3},
	{"its own cotangents",
		"grad(sum(with_vjp((v) => v^2, (v, y, u) => scan (r = u*x) while sum(r) < 10 => 0.5*r)(x)), x)", "f64[n]", 3},
	{"a sparse matrix",
		"scan (r = sum(x)) while r < 10 => let s = sparse_hessian(sum(x^4)*r, x) in 0.5*r + sum(s.values)", "f64[n]", 3},
	{"sizes from data", "scan (r = sum(x)) while r < 10 => 0.5*r + sum(f64[i64(min(r, 1)) + 1](0.5))", "f64[n]", 3},
	{"masks", "scan (r = x) while sum(r) < 10 => let k = r > 0 in 0.5*r + sum(r[k])*0.1 + 0.1", "f64[n]", 3},
	{"draws", "scan (r = sum(x)) while r < 10 => 0.5*r + uniform[f64](key(7))", "f64[n]", 3},
	{"large products", "scan (r = A, i < 1000000) => 0.001*(A @ r)", "f64[n, n]", 700},
};

static por_program *endless_program(por_context *c, int i, int tier)
{
	por_graph *g = por_open(c);
	char text[400];
	snprintf(text, sizeof text, "fn f(%s: %s) = %s\n", strchr(endless[i].type, ',') ? "A" : "x", endless[i].type,
		endless[i].text);
	por_function *f = por_function_named(por_load(g, text, -1, "f.por"), "f", 0, NULL);
	por_program *p = por_compile_function(f, &(por_options){.size = sizeof(por_options), .tier = tier});
	good(g);
	assert_non_null(p);
	por_close(g);
	return p;
}

static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_NATIVE, POR_TIER_BACKGROUND, POR_TIER_REFERENCE};

static void calls_are_cancelled(void **state)
{
	(void)state;
	for (int i = 0; i < (int)(sizeof endless / sizeof *endless); i++) {
		int64_t n = endless[i].n, shape[2] = {n, n}, rank = strchr(endless[i].type, ',') ? 2 : 1;
		print_message("%s\n", endless[i].name);
		double *data = calloc((size_t)(rank == 2 ? n * n : n), sizeof *data);
		por_array in = por_view(data, POR_F64, (int)rank, shape);
		for (size_t t = 0; t < sizeof tiers / sizeof *tiers; t++) {
			por_context *c = por_context_new(NULL);
			por_program *p = endless_program(c, i, tiers[t]);
			por_frame *f = por_frame_new(p);
			assert_int_equal(por_frame_limit(f, 0.05), POR_OK);
			assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_LIMIT);
			assert_string_equal(por_frame_error(f)->text,
				"the call takes more than 0.05 seconds, the limit call_seconds");
			assert_int_equal(por_frame_limit(f, 0), POR_OK);
			for (int by_frame = 0; by_frame < 2; by_frame++) {
				Later l = {.context = c, .frame = by_frame ? f : NULL};
				start(&l);
				assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_CANCELLED);
				pthread_join(l.thread, NULL);
				assert_string_equal(por_frame_error(f)->text, "the call was cancelled");
				assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_CANCELLED);
				por_cancel(c, 0), por_frame_cancel(f, 0);
			}
			por_frame_free(f);
			por_program_free(p);
			por_context_free(c);
		}
		free(data);
	}
}

/* What was cancelled is called again, and gives what it gives. */
static void frames_go_on(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof tiers / sizeof *tiers; t++) {
		por_context *c = por_context_new(NULL);
		por_graph *g = por_open(c);
		por_node *x = por_input(g, "x", "f64[n]"), *s = por_parse(g, "sum(x)*2", 1, (const char *[]){"x"}, &x);
		por_program *p = por_compile(g, 1, &x, 1, &s,
			&(por_options){.size = sizeof(por_options), .tier = tiers[t], .call_seconds = 1000});
		por_frame *f = por_frame_new(p);
		double v[3] = {1, 2, 3}, out = 0;
		int64_t three = 3;
		por_array in = por_view(v, POR_F64, 1, &three), to = por_view(&out, POR_F64, 0, NULL);
		por_frame_cancel(f, 1);
		assert_int_equal(por_call(p, f, 1, &in, 1, &to), POR_ERR_CANCELLED);
		assert_int_equal(por_call(p, NULL, 1, &in, 1, &to), POR_OK); /* another frame */
		por_frame_cancel(f, 0);
		out = 0;
		assert_int_equal(por_call(p, f, 1, &in, 1, &to), POR_OK);
		assert_true(out == 12);
		por_cancel(c, 1);
		assert_int_equal(por_call(p, NULL, 1, &in, 1, &to), POR_ERR_CANCELLED);
		assert_int_equal(por_program_error(p)->code, POR_ERR_CANCELLED);
		assert_null(por_exp(x));
		fails(g, POR_ERR_CANCELLED, "cancelled");
		por_cancel(c, 0);
		shows(por_exp(x), "exp(x)"); /* it was not at work */
		por_close(g);
		assert_int_equal(por_frame_limit(f, -1), POR_ERR_VALUE);
		assert_int_equal(por_frame_limit(NULL, 1), POR_ERR_VALUE);
		por_frame_cancel(NULL, 1), por_cancel(NULL, 1);
		por_frame_free(f);
		por_program_free(p);
		por_context_free(c);
	}
}

/* A row of calls has the time of one. */
static void a_row_of_calls_is_limited(void **state)
{
	(void)state;
	for (int checked = 0; checked < 2; checked++) {
		por_graph *g = por_open(NULL);
		por_node *x = por_input(g, "x", checked ? "f64 if x > -1" : "f64"), *y = por_mul(x, x);
		por_program *p = por_compile(g, 1, &x, 1, &y, &(por_options){.size = sizeof(por_options),
			.tier = POR_TIER_INTERPRET, .call_seconds = 0.05});
		por_close(g);
		double a = 3, b;
		por_array in = por_view(&a, POR_F64, 0, NULL), out = por_view(&b, POR_F64, 0, NULL);
		int64_t none = 0;
		por_frame *f = por_frame_new(p);
		assert_int_equal(por_call_many(p, f, INT64_MAX / 2, &(por_calls){1, &in, &none, 1, &out, &none}), POR_ERR_LIMIT);
		assert_int_equal(por_call(p, f, 1, &in, 1, &out), POR_OK);
		por_frame_free(f);
		por_program_free(p);
	}
}

/* A donated argument is as it was when the call was cancelled, whenever that was. */
static void donated_arguments_are_kept(void **state)
{
	(void)state;
	por_context *c = por_context_new(NULL);
	por_graph *g = por_open(c);
	por_node *x = por_input(g, "x", "f64[n]");
	por_node *y = por_parse(g, "scan (r = x, i < 1000000000000) => 0.5*r + 1", 1, (const char *[]){"x"}, &x);
	por_program *p = por_compile(g, 1, &x, 1, &y,
		&(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET, .donate = 1});
	good(g);
	por_close(g);
	double v[4] = {5, 6, 7, 8};
	int64_t four = 4;
	por_array in = por_view(v, POR_F64, 1, &four);
	por_frame *f = por_frame_new(p);
	por_frame_limit(f, 0.05);
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), POR_ERR_LIMIT);
	for (int i = 0; i < 4; i++) assert_true(v[i] == 5 + i);
	por_frame_free(f);
	por_program_free(p);
	por_context_free(c);
}

static int tell_stage(void *user, const char *stage, double done)
{
	(void)done;
	return !strcmp(stage, user);
}

/* Between stages a compile is cancelled and nothing is lost. */
static void compiles_are_cancelled_between_stages(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .progress = tell_stage};
	o.progress_user = (void *)"plan";
	assert_null(por_compile(g, 1, &x, 1, &x, &o));
	fails(g, POR_ERR_CANCELLED, "compile: cancelled before plan");
	o.progress_user = (void *)"none";
	por_program *p = por_compile(g, 1, &x, 1, &x, &o);
	good(g);
	por_program_free(p);
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_of_elaboration),
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(a_loader_without_end),
		cmocka_unit_test(limits_of_compiling),
		cmocka_unit_test(progress_is_told_and_cancels),
		cmocka_unit_test(work_is_cancelled),
		cmocka_unit_test(calls_are_cancelled),
		cmocka_unit_test(frames_go_on),
		cmocka_unit_test(a_row_of_calls_is_limited),
		cmocka_unit_test(donated_arguments_are_kept),
		cmocka_unit_test(compiles_are_cancelled_between_stages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
