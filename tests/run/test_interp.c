/* test_interp.c - the interpreter against one index at a time, bit by bit, at every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail
#include "naive.h"
#include "../../src/run/run.h"

#include <stdio.h>
#include <stdlib.h>

static bool same_number(Dtype d, const char *x, const char *y, size_t bytes)
{
	if (!memcmp(x, y, bytes))
		return true;
	if (d == DT_F32) {               /* which NaN is not promised here */
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

static void run_interpreted(const Sample *s, int isa, int pieces, void **buffer, Fault *fault)
{
	Error e = { 0 };
	Interp *t = interp_new(&s->kernel, isa, NULL, &e);
	if (!t)
		fprintf(stderr, "%s\n", e.text);
	assert_non_null(t);
	Bound *b = malloc(interp_bound_bytes(t));
	interp_bind(t, s->param, b);
	char *scratch = aligned_alloc(64, (bound_scratch(b) + 63) & ~63ul);
	memset(scratch, 0x77, bound_scratch(b));
	int64_t n = bound_items(b);
	for (int i = 0; i < pieces; i++)
		interp_run(b, buffer, s->param, n*i/pieces, n*(i + 1)/pieces, scratch, fault);
	free(scratch), free(b);
	interp_free(t);
}

static void check_seed(uint64_t seed, int isa)
{
	Sample *s = malloc(sizeof *s);
	void *want[BUFFERS_MAX], *got[BUFFERS_MAX];
	Fault a = { .position = INT64_MAX }, b = a;
	sample_make(s, seed);
	sample_fill(s, seed, want), sample_fill(s, seed, got);
	naive_run(&s->kernel, want, s->param, &a);
	run_interpreted(s, isa, 1 + (int)(seed % 3), got, &b);
	for (uint32_t k = 0; k < s->kernel.nbuffer; k++) {
		size_t bytes = dtype_bytes((Dtype)s->kernel.buffer[k].dtype);
		for (int64_t i = 0; i < s->elements[k]; i++)
			if (!same_number((Dtype)s->kernel.buffer[k].dtype, (char *)want[k] + i*(int64_t)bytes,
			                 (char *)got[k] + i*(int64_t)bytes, bytes)) {
				print_error("seed %llu, isa %d: buffer %u differs at %lld of %lld\n", (unsigned long long)seed, isa, k,
				            (long long)i, (long long)s->elements[k]);
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
	for (uint64_t seed = only ? (uint64_t)atoll(only) : 1; seed <= (only ? (uint64_t)atoll(only) : 3000); seed++)
		check_seed(seed, (int)(seed % (uint64_t)(cpu_isa() + 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_kernels) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
