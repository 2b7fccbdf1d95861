/* timer.c - what the benches time in C: calls of a program, and what this machine can do at most. */
#include <porism.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec*1e-9;
}

/* Seconds of n calls; below 0: one failed. */
API double bench_calls(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out,
                       int64_t n)
{
	double start = now();
	for (int64_t i = 0; i < n; i++)
		if (por_call(p, f, nin, in, nout, out))
			return -1;
	return now() - start;
}

/* FLOP/s of one core: 12 independent chains of fused multiply-adds, by the widest vectors there are. */
#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)
#define START(k) a##k = x*(float)k;
#define STEP(k) a##k = a##k*x + y;
#define TAKE(k) sink += a##k[0];
#if defined(__clang__)
#define FUSED
#define FUSE _Pragma("clang fp contract(fast)")
#else
#define FUSED __attribute__((optimize("O2", "fp-contract=fast")))
#define FUSE
#endif
#define PEAK(name, type, bytes, isa) \
	typedef type name##_v __attribute__((vector_size(bytes))); \
	FUSED __attribute__((target(isa))) static double name(void) \
	{ \
		FUSE \
		enum { CHAINS = 12, LANES = bytes/sizeof(type), ROUNDS = 4000000 }; \
		name##_v x, y, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11; \
		for (unsigned i = 0; i < LANES; i++) \
			x[i] = (type)0.999, y[i] = (type)1e-3; \
		EACH(START) \
		double best = 0; \
		for (int t = 0; t < 3; t++) { \
			double start = now(); \
			for (int r = 0; r < ROUNDS; r++) { \
				EACH(STEP) \
			} \
			double rate = 2.0*LANES*CHAINS*ROUNDS/(now() - start); \
			best = rate > best ? rate : best; \
		} \
		type sink = 0; \
		EACH(TAKE) \
		return sink == sink ? best : 0; \
	}

#if defined(__x86_64__)
PEAK(f32_512, float, 64, "avx512f,fma")
PEAK(f64_512, double, 64, "avx512f,fma")
PEAK(f32_256, float, 32, "avx2,fma")
PEAK(f64_256, double, 32, "avx2,fma")
API double bench_peak_f32(void)
{
	return __builtin_cpu_supports("avx512f") ? f32_512() : __builtin_cpu_supports("avx2") ? f32_256() : 0;
}
API double bench_peak_f64(void)
{
	return __builtin_cpu_supports("avx512f") ? f64_512() : __builtin_cpu_supports("avx2") ? f64_256() : 0;
}
#else
API double bench_peak_f32(void) { return 0; }
API double bench_peak_f64(void) { return 0; }
#endif

/* Bytes a second that one core reads and writes: y = a*x + y over 256 MB. */
API double bench_bandwidth(void)
{
	size_t n = 32u << 20;
	float *x = malloc(n*sizeof *x), *y = malloc(n*sizeof *y);
	if (!x || !y)
		return free(x), free(y), 0;
	for (size_t i = 0; i < n; i++)
		x[i] = 1, y[i] = 2;
	double best = 0;
	for (int t = 0; t < 4; t++) {
		double start = now();
		for (size_t i = 0; i < n; i++)
			y[i] = 0.5f*x[i] + y[i];
		double rate = 3.0*(double)n*sizeof *x/(now() - start);
		best = rate > best ? rate : best;
	}
	volatile float sink = y[n/2];
	(void)sink;
	free(x), free(y);
	return best;
}
