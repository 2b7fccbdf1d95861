/* test_kernels.c - every kernel of cases.c, compiled by gcc and clang for every instruction set that runs here, gives
 * the bits that naive.c gives; whole, in ranges of items, and shared by blocks. */
#include "cases.h"
#include "kernel/naive.h"
#include "../../src/run/compiler.h"

#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void (*KernelFunction)(void *const *, const int64_t *, int64_t, int64_t, void *, Fault *);

static uint64_t state;

static uint64_t next(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	uint64_t x = state ^ state >> 31;
	return x * 0x9e3779b97f4a7c15ull >> 16;
}

/* Numbers in [-3, 3), a NaN or infinity now and then in some buffers; whole numbers anywhere. */
static void fill(const Case *c, int b, void *p)
{
	Dtype t = (Dtype)c->d.k.buffer[b].dtype;
	bool specials = next() % 3 == 0;
	for (int64_t i = 0; i < ELEMENTS; i++) {
		double x = (double)(next() % 6000000) / 1e6 - 3;
		if (specials && next() % 5000 == 0) x = next() % 2 ? __builtin_nan("") : -__builtin_inf();
		if (c->zeros || (specials && next() % 50 == 0)) x = -0.0;
		int64_t n = c->index_extent[b] ? (int64_t)(next() % (uint64_t)c->index_extent[b])
					       : (int64_t)next();
		if (c->stray && c->index_extent[b] && next() % 300 == 0)
			n = next() % 2 ? -1 - (int64_t)(next() % 5) : INT64_MAX;
		float f = (float)x;
		uint32_t bits;
		memcpy(&bits, &f, 4);
		switch (t) {
		case DT_F64: ((double *)p)[i] = x; break;
		case DT_F32: ((float *)p)[i] = f; break;
		case DT_C64:
			((float *)p)[2 * i] = f,
					 ((float *)p)[2 * i + 1] = (float)(next() % 6000000) / 1e6f - 3;
			break;
		case DT_C128:
			((double *)p)[2 * i] = x,
					  ((double *)p)[2 * i + 1] = (double)(next() % 6000000) / 1e6 - 3;
			break;
		case DT_BF16: ((uint16_t *)p)[i] = (uint16_t)(bits >> 16); break;
		case DT_F16: ((uint16_t *)p)[i] = (uint16_t)(next() % 0x4400 | (next() & 0x8000)); break;
		case DT_BOOL: ((uint8_t *)p)[i] = next() % 4000 == 0; break;
		case DT_I32: ((int32_t *)p)[i] = (int32_t)n; break;
		case DT_KEY:
			((uint64_t *)p)[2 * i] = next() * next(),
					    ((uint64_t *)p)[2 * i + 1] = next() * next();
			break;
		default: memcpy((char *)p + i * (int64_t)dtype_bytes(t), &n, dtype_bytes(t)); break;
		}
	}
}

/* The first element that differs, any NaN being any other; -1: none. */
static int64_t difference(Dtype t, const void *a, const void *b)
{
	int parts = dtype_is_complex(t) ? 2 : 1;
	t = dtype_part(t);
	size_t bytes = dtype_bytes(t);
	for (int64_t i = 0; i < ELEMENTS * parts; i++) {
		const char *x = (const char *)a + (size_t)i * bytes, *y = (const char *)b + (size_t)i * bytes;
		if (!memcmp(x, y, bytes)) continue;
		if (dtype_is_float(t) && isnan(element_number(t, x)) && isnan(element_number(t, y))) continue;
		return i;
	}
	return -1;
}

typedef struct Memory {
	void *at[BUFFERS_MAX + 1];
} Memory;

static Memory memory_new(const Case *c, uint64_t seed)
{
	Memory m = {{NULL}};
	state = seed;
	for (int b = 0; b < c->d.k.nbuffer; b++) {
		m.at[b] = aligned_alloc(64, ELEMENTS * 16);
		if (!c->d.k.buffer[b].written)
			fill(c, b, m.at[b]);
		else
			memset(m.at[b], 0x77, ELEMENTS * 16);
	}
	return m;
}

static void memory_free(Memory *m)
{
	for (int b = 0; b <= BUFFERS_MAX; b++) free(m->at[b]);
}

static void check_same(const Case *c, int run, const char *how, const Memory *want, const Fault *wf,
	const Memory *got, const Fault *gf)
{
	if (wf->position != gf->position || wf->index != gf->index || wf->extent != gf->extent)
		fail_msg("%s, run %d, %s: fault at %lld (%lld of %lld), not %lld (%lld of %lld)", c->d.name,
			run, how, (long long)gf->position, (long long)gf->index, (long long)gf->extent,
			(long long)wf->position, (long long)wf->index, (long long)wf->extent);
	for (int b = 0; b < c->d.k.nbuffer; b++) {
		int64_t at = difference((Dtype)c->d.k.buffer[b].dtype, want->at[b], got->at[b]);
		if (at >= 0)
			fail_msg("%s, run %d, %s: buffer %d differs at %lld", c->d.name, run, how, b,
				(long long)at);
	}
}

/* Items in ranges of uneven length, the last range first. */
static void run_ranges(
	KernelFunction f, int64_t items, const Memory *m, const int64_t *param, void *scratch, Fault *fault)
{
	int64_t step = items > 40 ? items / 7 : items > 1 ? 2 : 1;
	for (int64_t lo = items > 0 ? (items - 1) / step * step : -1; lo >= 0; lo -= step)
		f(m->at, param, lo, lo + step < items ? lo + step : items, scratch, fault);
}

static void check_run(const Case *c, int run, const Code *code, uint32_t number, const char *how)
{
	const Kernel *k = &c->d.k;
	const int64_t *param = c->param[run];
	KernelForm form = kernel_form(k);
	Fault wf = {INT64_MAX, 0, 0}, gf = wf, bf = wf;
	Memory want = memory_new(c, 77 + (uint64_t)run), got = memory_new(c, 77 + (uint64_t)run),
	       split = memory_new(c, 77 + (uint64_t)run);
	size_t bytes = form_scratch(&form, param), part = form_partial(&form, param);
	char *scratch = aligned_alloc(64, (bytes + 127) & ~(size_t)63), name[40];
	memset(scratch, 0x55, bytes);
	memset(scratch + bytes, 0x66, 64);
	naive_run(k, want.at, param, &wf);
	snprintf(name, sizeof name, "k%u", number);
	KernelFunction whole = (KernelFunction)(uintptr_t)code_symbol(code, name);
	run_ranges(whole, form_items(&form, param), &got, param, scratch, &gf);
	check_same(c, run, how, &want, &wf, &got, &gf);
	if (form.splits) {
		char both[100];
		split.at[k->nbuffer] = aligned_alloc(64, (part + 127) & ~(size_t)63);
		memset(split.at[k->nbuffer], 0x66, (part + 127) & ~(size_t)63);
		snprintf(name, sizeof name, "k%u_blocks", number);
		run_ranges((KernelFunction)(uintptr_t)code_symbol(code, name), form_blocks(&form, param),
			&split, param, scratch, &bf);
		snprintf(name, sizeof name, "k%u_finish", number);
		run_ranges((KernelFunction)(uintptr_t)code_symbol(code, name), form_items(&form, param),
			&split, param, scratch, &bf);
		for (size_t i = part; i < ((part + 127) & ~(size_t)63); i++)
			assert_int_equal(((unsigned char *)split.at[k->nbuffer])[i], 0x66);
		free(split.at[k->nbuffer]);
		split.at[k->nbuffer] = NULL;
		snprintf(both, sizeof both, "%s, shared", how);
		check_same(c, run, both, &want, &wf, &split, &bf);
	}
	for (int i = 0; i < 64; i++) assert_int_equal((unsigned char)scratch[bytes + (size_t)i], 0x66);
	free(scratch);
	memory_free(&want), memory_free(&got), memory_free(&split);
}

/* Constants of floats that each run gives, instead of such that the code knows. */
static void give_constants(Case *c)
{
	Kernel *k = &c->d.k;
	for (uint32_t i = 0; i < k->ncode; i++) {
		Ins *x = &c->d.k.code[i];
		if (x->kind != INS_CONST || !dtype_is_float((Dtype)x->dtype)) continue;
		uint32_t at = k->nparam + k->nconstant;
		assert_true(at < countof(c->param[0]));
		for (int run = 0; run < c->nrun; run++) c->param[run][at] = (int64_t)x->bits;
		x->kind = INS_GIVEN, x->bits = k->nconstant++;
	}
}

static void check_unit(uint32_t first, uint32_t end, const char *cc, int isa)
{
	static Case cases[UNIT_KERNELS];
	const Kernel *kernel[UNIT_KERNELS];
	Arena *a = arena_new(NULL);
	Error error = {0};
	Compiler compiler;
	Text t;
	char how[80], dir[64];
	snprintf(how, sizeof how, "%s, isa %d", cc, isa);
	snprintf(dir, sizeof dir, "/tmp/porism-test-%ld", (long)getpid());
	for (uint32_t i = first; i < end; i++) {
		memset(&cases[i - first], 0, sizeof cases[0]);
		case_make[i](&cases[i - first]);
		draft_done(&cases[i - first].d);
		if (i % 2) give_constants(&cases[i - first]);
		kernel[i - first] = &cases[i - first].d.k;
	}
	text_open(&t, a);
	if (!emit_unit(&t, end - first, kernel, &error)) fail_msg("%s", error.text);
	assert_true(compiler_open(&compiler, cc, dir, &error));
	compiler.time_limit = 3600; /* a guard alone: the machine may be busy */
	if (!compiler_exists(&compiler)) {
		print_message("no %s here\n", cc);
	} else {
		Code *code = compile_unit(&compiler, text_done(&t), isa, false, &error);
		if (!code) fail_msg("%s", error.text);
		for (uint32_t i = first; i < end; i++)
			for (int run = 0; run < cases[i - first].nrun; run++)
				check_run(&cases[i - first], run, code, i - first, how);
		code_close(code);
	}
	cache_clear(&compiler.cache);
	compiler_close(&compiler);
	rmdir(dir);
	arena_free(a);
}

static void test_with(const char *cc)
{
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (uint32_t first = 0; first < ncase; first += UNIT_KERNELS)
			check_unit(
				first, first + UNIT_KERNELS < ncase ? first + UNIT_KERNELS : ncase, cc, isa);
}

static void gcc_gives_the_bits(void **user)
{
	(void)user;
	test_with("gcc");
}
static void clang_gives_the_bits(void **user)
{
	(void)user;
	test_with("clang");
}

/* What is no kernel, or has no function, is an error and no text. */
static void what_cannot_be_printed(void **user)
{
	(void)user;
	Arena *a = arena_new(NULL);
	Error error = {0};
	Draft d;
	Text t;
	const Kernel *k = &d.k;
	draft_open(&d, "no such function", RECIPE_ROWS, 0, 0, 0);
	int y = draft_buffer(&d, DT_BOOL, true);
	draft_stage(&d, true);
	int v = draft_const(&d, DT_BOOL, 1);
	draft_store(&d, y, draft_map(&d, OP_EXP, DT_BOOL, DT_BOOL, v, 0, 0), 0, NULL);
	draft_done(&d);
	text_open(&t, a);
	assert_false(emit_unit(&t, 1, &k, &error));
	assert_int_equal(error.code, ERR_UNSUPPORTED);
	assert_string_equal(error.text, "there is no scalar function exp_bool");
	assert_int_equal(t.n, 0);
	d.k.code[d.k.ncode - 2].a = 9; /* an operand that comes later */
	error_clear(&error);
	assert_false(emit_unit(&t, 1, &k, &error));
	assert_int_equal(error.code, ERR_INTERNAL);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_printed),
		cmocka_unit_test(gcc_gives_the_bits),
		cmocka_unit_test(clang_gives_the_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
