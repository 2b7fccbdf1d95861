/* test_program.c - programs written as one C file give the bits of the interpreter: by gcc and clang, at any level of
 * optimisation, for every instruction set, one file. */
#include "../../src/api/compile.h"
#include "../../src/kernels/kernels.h"
#include "../../src/standalone/standalone.h"
#include "../../src/elab/elab.h"
#include "../../src/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#undef fail
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZES = 4, ARGS = 16 };

typedef struct Example {
	const char *text;       /* defines f */
	int64_t size[3][SIZES]; /* of its size parameters, in three runs */
	int want;      /* what the C gives: 2 for an index outside, 1 for a computed size past its most */
	int64_t most;  /* of computed sizes */
	uint32_t told; /* the result that is the first of them, + 1: it is told as well */
} Example;

/* More steps than a function takes, in a list and in the body of a loop. */
#define LINES(x) x x x x x x x x x x x x x x x x x x x x x x x x x x x x
#define POSITIVE "let k = sum(i64(x > 0)) in "

static const Example example[] = {
	{"fn f(x: f32[n]) = exp(x)*2 + x", {{1}, {1000}, {0}}, 0},
	{"fn f(x: f64[m, n]) = (sum[-1](x*x), max[0](x), sum(x))", {{3, 5}, {30, 9000}, {5000, 3}}, 0},
	{"fn f(x: f32[m, n]) = exp(x - max[-1, keep](x))/sum[-1, keep](exp(x - max[-1, keep](x)))",
		{{3, 10}, {2, 5000}, {1, 1}}, 0},
	{"fn f(x: f32[m, k], y: f32[k, n], b: f32[n]) = tanh(x @ y + b)",
		{{3, 4, 5}, {40, 70, 50}, {1, 5000, 3}}, 0},
	{"fn f(x: f64[m, k], y: f64[k]) = (x @ y, y @ y)", {{3, 4}, {33, 5000}, {1, 1}}, 0},
	{"fn f(w: f64[n], X: f64[m, n], y: f64[m]) =\n"
	 "    let z = X @ w\n    in grad(mean(softplus(z) - y*z), w)",
		{{5, 7}, {10, 4500}, {1, 1}}, 0},
	{"fn f(x: f64[n], a: f64) = scan (x = x, i < 7) => a*x + x[0]", {{4}, {1000}, {1}}, 0},
	{"fn f(x: f64[n]) = scan (s = 0.0, v in x) => {s = s*0.5 + v, all = s*2}", {{4}, {1001}, {1}}, 0},
	{"fn f(x: f32[n], k: i64[m]) = gather[0](x, k)*2.0", {{100, 7}, {100, 5000}, {100, 0}}, 0},
	{"fn f(x: f32[n], k: i64[m]) = sum(gather[0](x, k))", {{50, 700}, {50, 5000}, {90, 3000}}, 2},
	{"fn f(x: f64[n]) = x * [1.5, 2.25, -0.0, inf, 3.0]", {{5}, {5}, {5}}, 0},
	{"fn f(x: f16[n], y: bf16[n]) = (exp(x) + 1.0, sum(y))", {{5}, {5000}, {64}}, 0},
	{"fn f(x: f64[n]) = (cumsum[0](x), argmax[0](x))", {{5}, {9000}, {64}}, 0},
	{"fn f(int: f64[n], out: f64[n]) = int - out", {{5}, {50}, {64}}, 0},
	{"fn f(x: f64[n]) =\n" LINES("    let x = cos(x)/(1.7 + sum(x*x)) in\n") "    x", {{5}, {50}, {4500}},
		0},
	{"fn f(x: f64[n]) = scan (x = x, y = x, i < n//4) =>\n" LINES("    let x = cumsum[0](x)*0.5 in\n") "    {x = x + y, y = x*f64(i), all = (scan (x = x, j < 3) =>\n" LINES(
		 "    let x = sin(x) + mean(x)*y in\n") "    x)}",
		{{5}, {9}, {16}}, 0},
	/* sizes that are computed */
	{"fn f(x: f64[n]) = " POSITIVE "(x[:k]*2, k)", {{5}, {5000}, {0}}, 0, .most = 5000, .told = 2},
	{"fn f(x: f64[n]) = " POSITIVE "(x[:k]*2, k)", {{50}, {5000}, {60}}, 1, .most = 6},
	{"fn f(x: f64[n]) = " POSITIVE "(sum(iota[k]()), mean(x[k:]), f64[k, n](2)*x)", {{5}, {300}, {1}}, 0,
		.most = 300},
	{"fn f(x: f64[n]) = " POSITIVE "let A = x[:k, _]*x[_, :] in (A @ x, A.T @ x[:k])", {{5}, {300}, {1}},
		0, .most = 200},
	{"fn f(x: f64[n]) = let y = x[:sum(i64(x > 0))] in let z = y[:sum(i64(y > 1))] in (z*2, sum(y), x)",
		{{5}, {300}, {1}}, 0, .most = 300},
	{"fn f(x: f64[n]) = scan (s = 0.0, i < n) => {s = s + sum(x[:i]^2), all = mean(x[i:])}",
		{{5}, {300}, {0}}, 0},
	{"fn f(x: f64[n]) = grad(scan (s = 0.0, i < n) => s + sum(sin(x[:i]))*x[i], x)", {{5}, {60}, {1}}, 0},
	{"fn f(x: f64[n]) = scan (s = 0.0, k = 1, i < 4) => {s = s + sum(exp(x[:k])), k = 7*k % 5}",
		{{5}, {30}, {4}}, 0, .most = 4},
	{"fn f(x: f64[n]) = scan (s = 0.0, k = 1, i < 4) => {s = s + sum(exp(x[:k])), k = 7*k % 5}",
		{{5}, {30}, {4}}, 1, .most = 3},
	{"fn f(x: f64[n]) = scan (s = x, i < 3) => let k = sum(i64(s > 0)) in let y = sin(s[:k]) in\n"
	 "    s - sum(y)*0.125 + f64(sum(i64(y > 0))) - sum(x[k:])*f64[k](0.25) @ y",
		{{5}, {3000}, {4}}, 0, .most = 3000},
	{"fn f(x: f64[n]) = scan (s = 0.0, i < n) => s + (scan (t = 1.0, j < i) => t*0.5 + sum(x[:j]) + f64(i))",
		{{5}, {30}, {1}}, 0},
};

/* ---- data ------------------------------------------------------------------------------------ */

static uint64_t state;

static uint64_t next(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state ^ state >> 29) * 0x9e3779b97f4a7c15ull >> 20;
}

static void fill(Dtype t, void *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		double x = (double)(next() % 4000000) / 1e6 - 2;
		float f = (float)x;
		uint32_t bits;
		memcpy(&bits, &f, 4);
		switch (t) {
		case DT_F64: ((double *)p)[i] = x; break;
		case DT_F32: ((float *)p)[i] = f; break;
		case DT_C64:
			((float *)p)[2 * i] = f, ((float *)p)[2 * i + 1] = (float)(next() % 1000) / 500 - 1;
			break;
		case DT_BF16: ((uint16_t *)p)[i] = (uint16_t)(bits >> 16); break;
		case DT_F16: ((uint16_t *)p)[i] = (uint16_t)(next() % 0x4000); break;
		case DT_I64: ((int64_t *)p)[i] = (int64_t)(next() % 100); break;
		default: memset((char *)p + i * (int64_t)dtype_bytes(t), 1, dtype_bytes(t)); break;
		}
	}
}

/* Of an input: it has no computed sizes. */
static int64_t dim_of(const Plan *p, uint32_t i, const int64_t *size)
{
	const Dim *d = &p->dim[i];
	if (d->kind == DIM_CONST) return d->value;
	assert_int_equal(d->kind, DIM_SIZE);
	return size[d->a];
}

typedef struct TestData {
	uint32_t nin, nout;
	void *at[ARGS + 1], *want[ARGS]; /* inputs, then outputs; NULL behind them */
	size_t bytes[ARGS];
	Dtype dtype[ARGS];
	int64_t shape[ARGS][16];
	uint32_t rank[ARGS];
} TestData;

static void test_data_make(TestData *d, const Plan *p, const int64_t *size)
{
	d->nin = p->nin, d->nout = p->nout;
	for (uint32_t i = 0; i < p->nin; i++) {
		const struct PlanArg *a = &p->in[i];
		int64_t n = 1;
		d->rank[i] = a->rank;
		for (uint32_t k = 0; k < a->rank; k++) n *= d->shape[i][k] = dim_of(p, buffer_dims(p, a->buffer)[k], size);
		d->dtype[i] = (Dtype)a->dtype;
		d->bytes[i] = (size_t)n * dtype_bytes(d->dtype[i]);
		d->at[i] = malloc(d->bytes[i] + 64);
		fill(d->dtype[i], d->at[i], n);
	}
}

static void test_data_free(TestData *d)
{
	for (uint32_t i = 0; i < d->nin + d->nout; i++) free(d->at[i]), free(d->want[i]);
	memset(d, 0, sizeof *d);
}

/* What the interpreter says; 0 or an error's code. */
static int reference(Program *p, TestData *d)
{
	Array a[ARGS];
	Error e = {0};
	for (uint32_t i = 0; i < d->nin; i++) {
		a[i] = (Array){.data = d->at[i],
			.device = {1, 0},
			.ndim = (int32_t)d->rank[i],
			.shape = d->shape[i]};
		array_set_dtype(&a[i], d->dtype[i]);
	}
	Frame *f = frame_new(p, &e);
	int code = program_call(p, f, &(CallArrays){d->nin, a, 0, NULL}, &e);
	if (code && !strstr(e.text, "index")) fail_msg("%s", e.text);
	for (uint32_t j = d->nin; j < d->nin + d->nout && !code; j++) {
		Array out;
		assert_true(frame_result(f, j - d->nin, &out));
		d->dtype[j] = array_dtype(&out);
		d->bytes[j] = dtype_bytes(d->dtype[j]);
		for (int32_t k = 0; k < out.ndim; k++) d->bytes[j] *= (size_t)out.shape[k];
		d->want[j] = malloc(d->bytes[j] + 1);
		if (d->bytes[j]) memcpy(d->want[j], out.data, d->bytes[j]);
	}
	for (uint32_t j = d->nin; j < d->nin + d->nout; j++) d->at[j] = malloc(d->bytes[j] + 64);
	frame_free(f);
	return code;
}

static bool same(Dtype t, const void *a, const void *b, size_t bytes)
{
	size_t each = t == DT_F32 || t == DT_C64 ? 4 : dtype_bytes(t);
	for (size_t i = 0; i < bytes; i += each) {
		const char *x = (const char *)a + i, *y = (const char *)b + i;
		float f, g;
		double v, w;
		if (!memcmp(x, y, each)) continue;
		if (each == 4 && (memcpy(&f, x, 4), memcpy(&g, y, 4), f != f && g != g)) continue;
		if (t == DT_F64 && (memcpy(&v, x, 8), memcpy(&w, y, 8), v != v && w != w)) continue;
		return false;
	}
	return true;
}

/* ---- the C -------------------------------------------------------------------------------------- */

typedef int Call(const int64_t *size, void *const *arg, void *workspace);
typedef int64_t NeedOf(const int64_t *size);

/* The program's functions over arrays of arguments. */
static void write_file(const char *path, const char *code, const Plan *p)
{
	FILE *f = fopen(path, "w");
	fputs(code, f);
	fprintf(f, "int test_call(const int64_t *s, void *const *a, void *w) { return example(");
	uint32_t asked = 0, told = 0;
	for (uint32_t i = 0; i < p->nscalar; i++) {
		asked += scalar_is_asked(p, i);
		told += scalar_is_asked(p, i) && p->scalar[i].loop == UINT32_MAX;
	}
	for (uint32_t i = 0; i < p->nsize; i++) fprintf(f, "s[%u], ", i);
	for (uint32_t i = 0; i < asked; i++) fprintf(f, "s[%d], ", SIZES);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) fprintf(f, "a[%u], ", i);
	for (uint32_t i = 0; i < told; i++) fprintf(f, "a[%u], ", i ? (uint32_t)ARGS : p->nin + p->nout);
	fprintf(f, "w); }\nint64_t test_need(const int64_t *s) { return example_workspace(");
	for (uint32_t i = 0; i < p->nsize; i++) fprintf(f, "%ss[%u]", i ? ", " : "", i);
	for (uint32_t i = 0; i < asked; i++) fprintf(f, "%ss[%d]", i + p->nsize ? ", " : "", SIZES);
	fprintf(f, "); }\n");
	fclose(f);
}

static void check_call(const Example *x, int run, void *lib, TestData *d, int code, const char *how)
{
	Call *call = (Call *)(uintptr_t)dlsym(lib, "test_call");
	NeedOf *need = (NeedOf *)(uintptr_t)dlsym(lib, "test_need");
	int64_t size[SIZES + 1], told = -1, bytes;
	memcpy(size, x->size[run], sizeof x->size[run]);
	size[SIZES] = x->most;
	d->at[d->nin + d->nout] = x->told ? &told : NULL;
	bytes = need(size);
	assert_true(bytes >= 0);
	char *work = malloc((size_t)bytes + 65);
	memset(work, 0xff, (size_t)bytes + 65);
	for (uint32_t j = d->nin; j < d->nin + d->nout; j++) memset(d->at[j], 0x77, d->bytes[j] + 64);
	int got = call(size, d->at, work + 1); /* of any alignment */
	if (got != (code || x->want == 1 ? x->want : 0))
		fail_msg("%s: run %d, %s: gave %d", x->text, run, how, got);
	for (int i = 0; i < 64; i++) assert_int_equal((unsigned char)work[1 + bytes + i], 0xff);
	for (uint32_t j = d->nin; j < d->nin + d->nout && !got; j++) {
		if (!same(d->dtype[j], d->at[j], d->want[j], d->bytes[j]))
			fail_msg("%s: run %d, %s: result %u differs", x->text, run, how, j - d->nin + 1);
		assert_int_equal(((unsigned char *)d->at[j])[d->bytes[j]], 0x77);
	}
	if (x->told) assert_int_equal(told, *(int64_t *)d->at[d->nin + x->told - 1]);
	d->at[d->nin + d->nout] = NULL;
	free(work);
}

static void *built(
	const char *cc, const char *flags, int isa, const char *dir, const char *source, int number)
{
	char object[200], command[600];
	snprintf(object, sizeof object, "%s/%d.so", dir, number);
	snprintf(command, sizeof command, "%s %s -w -DISA_MOST=%d -shared -fPIC %s -o %s -lm", cc, flags, isa,
		source, object);
	if (system(command)) fail_msg("failed: %s", command);
	void *lib = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	if (!lib) fail_msg("%s", dlerror());
	return lib;
}

static const struct {
	const char *cc, *flags;
	int isa;
} way[] = {
	{"gcc", "-O2", 2},
	{"gcc", "-O0", 1},
	{"gcc", "-O3 -std=c11", 0},
	{"clang", "-O2", 2},
	{"clang", "-O1", 1},
	{"clang", "-O2", 0},
	{"gcc", "-O3 -march=native -ffp-contract=fast", 2},
};

/* How many of the ways are taken for each example, others each time; under sanitizers, which what is written out
 * has no part in, one. */
#ifdef __SANITIZE_ADDRESS__
enum { WAYS_TAKEN = 1 };
#else
enum { WAYS_TAKEN = 2 };
#endif

static void check_example(const Example *x, const char *dir)
{
	Graph *g = graph_open(NULL);
	diff_open(g);
	Module *m = module_load(g, "test", x->text, strlen(x->text));
	Signature *s = m ? elaborate_function(g, m, "f", 0, NULL) : NULL;
	Pipeline pipe = {0};
	Function *f = s ? pipeline_run(g, s->function, &pipe) : NULL;
	Error e = {0};
	if (!f) fail_msg("%s: %s", x->text, g->error.text);
	Plan *plan = plan_make(g, f, &e), *again = plan_make(g, f, &e);
	RunOptions options = {.tier = TIER_INTERPRET, .threads = 1};
	Program *p = plan && again ? program_new(again, &options, &e) : NULL;
	if (!p) fail_msg("%s: %s", x->text, e.text);
	Arena *a = arena_new(NULL);
	Text code, header;
	text_open(&code, a), text_open(&header, a);
	if (!emit_program(&code, &header, plan, "example", &e)) fail_msg("%s: %s", x->text, e.text);
	char path[200];
	snprintf(path, sizeof path, "%s/example.h", dir);
	FILE *h = fopen(path, "w");
	fputs(text_done(&header), h);
	fclose(h);
	char command[400];
	snprintf(command, sizeof command,
		"g++ -std=c++17 -Wall -Wextra -Werror -pedantic -fsyntax-only -x c++ %s", path);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/example.c", dir);
	write_file(path, text_done(&code), plan);
	snprintf(command, sizeof command, "gcc -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only %s",
		path);
	assert_int_equal(system(command), 0);
	for (size_t k = 0; k < WAYS_TAKEN; k++) {
		size_t i = ((size_t)(x - example) + 3 * k) % countof(way);
		char how[100];
		snprintf(how, sizeof how, "%s %s, instruction set %d", way[i].cc, way[i].flags, way[i].isa);
		void *lib = built(way[i].cc, way[i].flags, way[i].isa, dir, path, (int)i);
		for (int run = 0; run < 3; run++) {
			TestData d = {0};
			state = 99 + (uint64_t)run;
			test_data_make(&d, plan, x->size[run]);
			int error = reference(p, &d);
			check_call(x, run, lib, &d, error, how);
			test_data_free(&d);
		}
		dlclose(lib);
	}
	arena_free(a);
	program_free(p);
	plan_free(plan);
	graph_close(g);
}

static void examples(void **user)
{
	(void)user;
	char dir[] = "/tmp/porism-test-XXXXXX", command[100];
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < countof(example); i++) check_example(&example[i], dir);
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(examples)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
