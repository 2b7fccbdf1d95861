/* Long folds: many blocks, in every tier, with 1 and 2 threads, to the bit; and sizes that must be equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <porism.h>

static uint32_t state = 1;
static float chance(void)
{
	state = state * 1664525u + 1013904223u;
	return (float)(state >> 8) / (1 << 24) - 0.5f;
}

static por_program *compile(por_graph *g, const char *text, const char *name, int tier, int threads)
{
	por_module *m = por_load(g, text, -1, "orders.por");
	por_options o = {.size = sizeof o, .tier = tier, .threads = threads};
	por_program *p = por_compile_function(por_function_named(m, name, 0, NULL), &o);
	if (!p) fail_msg("%s: %s", name, por_graph_error(g)->text);
	return p;
}

static size_t bytes_of(const por_array *a)
{
	return (size_t)por_array_count(a) * a->dtype.bits / 8;
}

/* One block holds 4,096 terms.  With 4 blocks and more the pairs differ from a chain; with an odd number one moves
 * up; a rest of a few terms is a block too. */
static const int64_t lengths[] = {
	1, 63, 64, 65, 4095, 4096, 4097, 3 * 4096, 4 * 4096, 5 * 4096 + 17, 7 * 4096 + 1, 50000};

static void folds_agree(void **unused)
{
	static const char text[] =
		"fn f(x: f32[n]) = {a = sum(x), b = sum(x*x), c = max(x), d = logsumexp(x), "
		"e = sum(cumsum(x)[-1:]), g = argmin(x), h = dot(x, sin(x)), i = prod(1 + x/100)}\n"
		"fn g(x: f32[n]) = let y = x[:, _]*[1.0, 2.0, 3.0] in {a = sum[0](y), b = y.T @ x, c = max[0](y)}\n";
	static const char *const names[] = {"f", "g"};
	static const int tiers[] = {POR_TIER_REFERENCE, POR_TIER_INTERPRET, POR_TIER_NATIVE};
	(void)unused;
	for (size_t which = 0; which < 2; which++) {
		por_graph *g = por_open(NULL);
		por_program *p[3][2];
		por_frame *f[3][2];
		for (int t = 0; t < 3; t++)
			for (int n = 0; n < 2; n++) {
				p[t][n] = compile(g, text, names[which], tiers[t], n + 1);
				f[t][n] = por_frame_new(p[t][n]);
			}
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			int64_t n = lengths[i];
			float *x = malloc((size_t)(n + 1) * sizeof *x);
			for (int64_t k = 0; k < n; k++) x[k] = chance() * (k % 7 ? 1 : 1000);
			por_array in = por_view(x, POR_F32, 1, &n);
			for (int t = 0; t < 3; t++)
				for (int k = 0; k < 2; k++) {
					assert_int_equal(por_call(p[t][k], f[t][k], 1, &in, 0, NULL), 0);
					for (int r = 0; r < por_program_outputs(p[0][0]); r++) {
						const por_array *want = por_frame_result(f[0][0], r),
								*got = por_frame_result(f[t][k], r);
						if (bytes_of(want) != bytes_of(got) ||
							memcmp(want->data, got->data, bytes_of(want)))
							fail_msg(
								"%s, result %d, %lld terms: tier %d with %d threads has other bits",
								names[which], r, (long long)n, tiers[t],
								k + 1);
					}
				}
			free(x);
		}
		for (int t = 0; t < 3; t++)
			for (int n = 0; n < 2; n++) por_frame_free(f[t][n]), por_program_free(p[t][n]);
		por_close(g);
	}
}

/* Few results of long sums, whose blocks go to threads: past 64 blocks in groups of 2 and more, the last group and the
 * last block not whole.  By the reference, by one thread and by three. */
static void long_sums_are_shared(void **unused)
{
	static const char text[] = "fn f32s(x: f32[n]) = {a = cumsum(x), b = x @ x, c = [x, 2*x, x*x] @ x}\n"
				   "fn f64s(x: f64[n]) = {a = cumsum(x), b = x @ x, c = [x, 2*x, x*x] @ x}\n"
				   "fn i8s(x: i8[n]) = {a = cumsum(x), b = x @ x, c = [x, 2*x, x*x] @ x}\n"
				   "fn f16s(x: f16[n]) = {a = cumsum(x), b = x @ x}\n";
	static const char *const names[] = {"f32s", "f64s", "i8s", "f16s"};
	static const por_dtype dtypes[] = {POR_F32, POR_F64, POR_I8, POR_F16};
	static const int64_t many[] = {64 * 4096 + 1, 270001, 130 * 4096, 800003};
	(void)unused;
	for (size_t which = 0; which < sizeof names / sizeof *names; which++) {
		por_graph *g = por_open(NULL);
		por_program *p[] = {compile(g, text, names[which], POR_TIER_REFERENCE, 1),
			compile(g, text, names[which], POR_TIER_INTERPRET, 1),
			compile(g, text, names[which], POR_TIER_INTERPRET, 3)};
		por_frame *f[] = {por_frame_new(p[0]), por_frame_new(p[1]), por_frame_new(p[2])};
		for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
			int64_t n = many[i];
			char *x = malloc((size_t)n * 8);
			for (int64_t k = 0; k < n; k++) {
				float v = chance() * (k % 7 ? 1 : 1000);
				if (dtypes[which] == POR_F32)
					((float *)(void *)x)[k] = v;
				else if (dtypes[which] == POR_F64)
					((double *)(void *)x)[k] = v;
				else if (dtypes[which] == POR_I8)
					x[k] = (char)(int)(v * 100);
				else
					((uint16_t *)(void *)x)[k] =
						(uint16_t)(0x2c00 + (int)(v * 100)); /* near 0.06 */
			}
			por_array in = por_view(x, dtypes[which], 1, &n);
			for (int k = 0; k < 3; k++)
				assert_int_equal(por_call(p[k], f[k], 1, &in, 0, NULL), 0);
			for (int k = 1; k < 3; k++)
				for (int r = 0; r < por_program_outputs(p[0]); r++) {
					const por_array *want = por_frame_result(f[0], r),
							*got = por_frame_result(f[k], r);
					assert_int_equal(bytes_of(want), bytes_of(got));
					if (memcmp(want->data, got->data, bytes_of(want)))
						fail_msg("%s, result %d, %lld terms: %s has other bits",
							names[which], r, (long long)n,
							k == 1 ? "one thread" : "three threads");
				}
			free(x);
		}
		for (int k = 0; k < 3; k++) por_frame_free(f[k]), por_program_free(p[k]);
		por_close(g);
	}
}

/* x[1:] + y: the call must find that n - 1 and m are equal, whichever is larger. */
static void sizes_must_be_equal(void **unused)
{
	(void)unused;
	static const int tiers[] = {POR_TIER_REFERENCE, POR_TIER_INTERPRET};
	for (int t = 0; t < 2; t++) {
		por_graph *g = por_open(NULL);
		por_program *p = compile(g, "fn f(x: f64[n], y: f64[m]) = x[1:] + y\n", "f", tiers[t], 1);
		por_frame *f = por_frame_new(p);
		double x[9] = {0};
		for (int64_t n = 1; n < 6; n++)
			for (int64_t m = 0; m < 6; m++) {
				por_array in[2] = {por_view(x, POR_F64, 1, &n), por_view(x, POR_F64, 1, &m)};
				int code = por_call(p, f, 2, in, 0, NULL);
				assert_int_equal(code != 0, n - 1 != m);
				if (code) assert_int_equal(por_frame_error(f)->code, POR_ERR_CALL);
			}
		por_frame_free(f);
		por_program_free(p);
		por_close(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folds_agree),
		cmocka_unit_test(long_sums_are_shared), cmocka_unit_test(sizes_must_be_equal)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
