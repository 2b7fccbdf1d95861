/* test_interp.c - the interpreter against one index at a time, bit by bit, at every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail
#include "sample.h"
#include "kernel/naive.h"
#include "../../src/interp/script.h"
#include "../../src/run/run.h"
#include "../../src/run/compiler.h"
#include "../../src/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_number(Dtype d, const char *x, const char *y, size_t bytes)
{
	if (!memcmp(x, y, bytes)) return true;
	if (d == DT_F32) { /* which NaN is not promised here */
		float a, b;
		memcpy(&a, x, 4), memcpy(&b, y, 4);
		return a != a && b != b;
	}
	if (d == DT_F64) {
		double a, b;
		memcpy(&a, x, 8), memcpy(&b, y, 8);
		return a != a && b != b;
	}
	return false;
}

/* Long rows in three parts, phase after phase. */
static void run_phases(const Bound *b, const Sample *s, void **buffer, Fault *fault)
{
	size_t bytes = (bound_scratch(b) + 63) & ~63ul;
	char *scratch = aligned_alloc(64, 3 * bytes), *shared = aligned_alloc(64, bound_shared(b));
	for (RowPart r = {.parts = 3, .shared = shared}; r.row < bound_items(b); r.row++)
		for (r.phase = 0; r.phase < bound_phases(b); r.phase++)
			for (r.part = 2; r.part >= 0; r.part--)
				interp_phase(
					b, &r, buffer, s->param, scratch + (size_t)r.part * bytes, fault);
	free(scratch), free(shared);
}

static void run_interpreted(const Sample *s, int isa, int pieces, bool many, void **buffer, Fault *fault)
{
	Error e = {0};
	Arena *a = arena_new(NULL);
	assert_non_null(a);
	ConstPool *pool = const_pool_open(a, isa);
	if (many) pool->bytes = 65 << 20; /* it holds very many constants: those are repeated at each call */
	Bound *b = interp_bind(interp_new(&s->kernel, pool), s->param, a, &e);
	if (!b) fprintf(stderr, "%s\n", e.text);
	assert_non_null(b);
	char *scratch = aligned_alloc(64, (bound_scratch(b) + 63) & ~63ul);
	memset(scratch, 0x77, bound_scratch(b));
	int64_t n = bound_items(b);
	if (pieces == 3 && bound_blocks(b) > 1)
		run_phases(b, s, buffer, fault);
	else
		for (int i = 0; i < pieces; i++)
			interp_run(b, &(Piece){buffer, s->param, n * i / pieces, n * (i + 1) / pieces, scratch, fault}, NULL);
	free(scratch);
	arena_free(a);
}

static void check_seed(uint64_t seed, int isa)
{
	Sample *s = malloc(sizeof *s);
	void *want[BUFFERS_MAX], *got[BUFFERS_MAX];
	Fault a = {.position = INT64_MAX}, b = a;
	sample_make(s, seed);
	sample_fill(s, seed, want), sample_fill(s, seed, got);
	naive_run(&s->kernel, want, s->param, &a);
	run_interpreted(s, isa, 1 + (int)(seed % 3), seed % 200 == 7, got, &b);
	for (uint32_t k = 0; k < s->kernel.nbuffer; k++) {
		size_t bytes = dtype_bytes((Dtype)s->kernel.buffer[k].dtype);
		for (int64_t i = 0; i < s->elements[k]; i++)
			if (!same_number((Dtype)s->kernel.buffer[k].dtype,
				    (char *)want[k] + i * (int64_t)bytes, (char *)got[k] + i * (int64_t)bytes,
				    bytes)) {
				print_error("seed %llu, isa %d: buffer %u differs at %lld of %lld\n",
					(unsigned long long)seed, isa, k, (long long)i,
					(long long)s->elements[k]);
				assert_true(false);
			}
		free(want[k]), free(got[k]);
	}
	assert_int_equal(a.position, b.position);
	assert_int_equal(a.index, b.index);
	free(s);
}

static void test_random_kernels(void **state)
{
	(void)state;
	const char *only = getenv("SEED");
	for (uint64_t seed = only ? (uint64_t)atoll(only) : 1; seed <= (only ? (uint64_t)atoll(only) : 3000);
		seed++)
		check_seed(seed, (int)(seed % (uint64_t)(cpu_isa() + 1)));
}

/* ---- native code: the same plans of work, the same bits -------------------------------- */

typedef void (*Native)(
	void *const *buffer, const int64_t *param, int64_t lo, int64_t hi, void *scratch, Fault *);

static void compare_native(const Sample *s, uint64_t seed, Native native)
{
	void *want[BUFFERS_MAX], *got[BUFFERS_MAX + 1];
	Fault a = {.position = INT64_MAX}, b = a;
	sample_fill(s, seed, want), sample_fill(s, seed, got);
	run_interpreted(s, cpu_isa(), 1, false, want, &a);
	KernelForm form = kernel_form(&s->kernel);
	size_t bytes = form_scratch(&form, s->param);
	void *scratch = aligned_alloc(64, (bytes + 64) & ~63ul);
	native(got, s->param, 0, form_items(&form, s->param), scratch, &b);
	for (uint32_t k = 0; k < s->kernel.nbuffer; k++) {
		size_t each = dtype_bytes((Dtype)s->kernel.buffer[k].dtype);
		for (int64_t i = 0; i < s->elements[k]; i++)
			if (!same_number((Dtype)s->kernel.buffer[k].dtype,
				    (char *)want[k] + i * (int64_t)each, (char *)got[k] + i * (int64_t)each,
				    each)) {
				print_error("seed %llu: buffer %u differs from native code at %lld\n",
					(unsigned long long)seed, k, (long long)i);
				assert_true(false);
			}
		free(want[k]), free(got[k]);
	}
	assert_int_equal(a.position, b.position);
	assert_int_equal(a.index, b.index);
	free(scratch);
}

static void test_native_agrees(void **state)
{
	(void)state;
	const char *many = getenv("UNITS");
	Error e = {0};
	Compiler *c = calloc(1, sizeof *c);
	assert_true(compiler_open(c, NULL, NULL, &e));
	Sample *s = malloc(UNIT_KERNELS * sizeof *s);
	for (uint64_t unit = 0; compiler_exists(c) && unit < (many ? (uint64_t)atoll(many) : 4); unit++) {
		Arena *a = arena_new(NULL);
		Text t;
		text_open(&t, a);
		const Kernel *k[UNIT_KERNELS];
		for (uint64_t i = 0; i < UNIT_KERNELS; i++) {
			sample_make(&s[i], 5000 + unit * UNIT_KERNELS + i);
			k[i] = &s[i].kernel;
		}
		assert_true(emit_unit(&t, UNIT_KERNELS, k, &e));
		struct Code *code = compile_unit(c, text_done(&t), cpu_isa(), false, &e);
		if (!code) print_error("%s\n", e.text);
		assert_non_null(code);
		for (uint64_t i = 0; i < UNIT_KERNELS; i++) {
			char name[20];
			snprintf(name, sizeof name, "k%u", (unsigned)i);
			void *symbol = code_symbol(code, name);
			Native native;
			memcpy(&native, &symbol, sizeof native);
			compare_native(&s[i], 5000 + unit * UNIT_KERNELS + i, native);
		}
		code_close(code);
		arena_free(a);
	}
	free(s);
	compiler_close(c);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_kernels), cmocka_unit_test(test_native_agrees)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
