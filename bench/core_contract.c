/* core_contract.c - the contraction core against the machine's peak: one thread, square matrices and others.
 *
 *     core_contract [isa]
 *
 * A line for each shape and dtype: GFLOP/s, and the share of what fused multiply-adds on registers alone reach.  A
 * product by a vector is given in GB/s of the matrix.  The best of several runs stands for each.
 */
#include "../src/loop/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);      /* other work on the machine does not count */
	return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

/* ---- the peak ------------------------------------------------------------------------ */

#if defined(__x86_64__)
#define CHAINS(r) r(0) r(1) r(2) r(3) r(4) r(5) r(6) r(7) r(8) r(9) r(10) r(11) r(12) r(13)
#define FUSE_512(i) "vfmadd213ps %%zmm15, %%zmm15, %%zmm" #i "\n\t"
#define FUSE_256(i) "vfmadd213ps %%ymm15, %%ymm15, %%ymm" #i "\n\t"
#define CLEAR(i) "vxorps %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n\t"
#define USED "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
	"xmm12", "xmm13", "xmm15"
#define MANY(f) CHAINS(f) CHAINS(f) CHAINS(f) CHAINS(f)

/* f32 operations in a second of fma, chains enough to hide their latency; f64 has half. */
static double peak(int isa)
{
	enum { ROUNDS = 500000 };
	double best = 1e9;
	for (int run = 0; run < 10; run++) {
		double start = now();
		for (int i = 0; i < ROUNDS; i++)
			if (isa == 2)
				__asm__ volatile(CLEAR(15) CHAINS(CLEAR) MANY(FUSE_512) ::: USED);
			else
				__asm__ volatile(CLEAR(15) CHAINS(CLEAR) MANY(FUSE_256) ::: USED);
		double t = now() - start;
		best = t < best ? t : best;
	}
	return 2.0*4*14*ROUNDS*(isa == 2 ? 16 : 8)/best;
}
#else
static double peak(int isa) { return 1e9*(1 + isa); }
#endif

/* ---- one shape -------------------------------------------------------------------------- */

static void *numbers(uint8_t dtype, int64_t n)
{
	void *p = aligned_alloc(64, ((size_t)n*8 + 127)/64*64);
	for (int64_t i = 0; p && i < n; i++)
		if (dtype == DT_F64)
			((double *)p)[i] = (double)(i % 13) - 6;
		else if (dtype == DT_F32)
			((float *)p)[i] = (float)(i % 13) - 6;
		else
			((uint16_t *)p)[i] = (uint16_t)(0x3c00 + i % 13);
	return p;
}

/* Seconds of one run, the best of many within a while. */
static double seconds(uint8_t dtype, const int64_t *p, int isa)
{
	int64_t batch = p[1], m = p[2], n = p[3], k = p[4];
	void *buffer[] = { numbers(dtype, batch*m*k), numbers(dtype, batch*k*n), numbers(dtype, batch*m*n) };
	void *scratch = aligned_alloc(64, (core_scratch(CORE_CONTRACT, dtype, p) + 127)/64*64);
	Fault f = { INT64_MAX, 0, 0 };
	double best = 1e9, begin = now(), work = (double)batch*(double)m*(double)n*(double)k;
	int many = work < 1e6 ? (int)(1e6/(work + 1)) + 1 : 1;
	for (int run = 0; run < 5 || (now() - begin < 0.4 && run < 2000); run++) {
		double start = now();
		for (int i = 0; i < many; i++)
			core_run(CORE_CONTRACT, dtype, &(Piece){ buffer, p, 0, core_items(CORE_CONTRACT, p), scratch, &f }, isa);
		double t = (now() - start)/many;
		best = t < best ? t : best;
	}
	for (int i = 0; i < 3; i++)
		free(buffer[i]);
	free(scratch);
	return best;
}

static void square(uint8_t dtype, int isa, double most, int64_t m, int64_t n, int64_t k)
{
	static const char *const name[] = { "x y", "x y'", "x' y", "x' y'" };
	printf("%5s %5lld %5lld %5lld ", dtype_name((Dtype)dtype), (long long)m, (long long)n, (long long)k);
	for (int turned = 0; turned < 4; turned++) {
		bool x = turned & 2, y = turned & 1;
		int64_t p[11] = { 0, 1, m, n, k, 0, x ? 1 : k, x ? m : 1, 0, y ? 1 : n, y ? k : 1 };
		double rate = 2.0*(double)m*(double)n*(double)k/seconds(dtype, p, isa);
		printf("  %5s %6.1f %3.0f%%", name[turned], rate/1e9, 100*rate/most);
	}
	printf("\n");
}

static void by_vector(uint8_t dtype, int isa, int64_t m, int64_t k)
{
	int64_t lanes[11] = { 1, 1, m, 1, k, 0, k, 1, 0, 1, 1 }, chain[11] = { 0, 1, 1, m, k, 0, 0, 1, 0, m, 1 };
	double bytes = (double)m*(double)k*(double)dtype_bytes((Dtype)dtype)/1e9;
	printf("%5s %5lld by vector %5lld   lanes %6.1f GB/s   vector by matrix, chain %6.1f GB/s\n",
	       dtype_name((Dtype)dtype), (long long)m, (long long)k, bytes/seconds(dtype, lanes, isa),
	       bytes/seconds(dtype, chain, isa));
}

int main(int argc, char **argv)
{
	int isa = argc > 1 ? atoi(argv[1]) : cpu_isa();
	if (isa > cpu_isa())
		isa = cpu_isa();
	double f32 = peak(isa);
	printf("instruction set %d, peak of f32 %.1f GFLOP/s\n", isa, f32/1e9);
	static const int64_t size[] = { 16, 32, 64, 100, 128, 256, 512, 784, 1024, 2048 };
	for (size_t i = 0; i < countof(size); i++) {
		square(DT_F32, isa, f32, size[i], size[i], size[i]);
		square(DT_F64, isa, f32/2, size[i], size[i], size[i]);
	}
	square(DT_F32, isa, f32, 128, 10, 784);
	square(DT_F32, isa, f32, 128, 500, 784);
	square(DT_F32, isa, f32, 784, 500, 128);
	square(DT_F32, isa, f32, 64, 64, 16384);
	square(DT_BF16, isa, f32, 512, 512, 512);
	square(DT_F16, isa, f32, 512, 512, 512);
	by_vector(DT_F32, isa, 256, 256);
	by_vector(DT_F32, isa, 1024, 1024);
	by_vector(DT_F32, isa, 4096, 8192);
	by_vector(DT_F64, isa, 1024, 1024);
	by_vector(DT_F64, isa, 4096, 4096);
	by_vector(DT_BF16, isa, 4096, 4096);
	return 0;
}
