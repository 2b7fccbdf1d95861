/* math_loops.c - the scalar functions of src/math over arrays, beside SLEEF's 1-ulp functions, glibc's vector library and
 * the scalar C library.  Compiled once for each instruction set by bench/bench_math.py, with the flags of generated kernels.
 *
 *     math_loops N [NAME...]   prints a line for each function: name, dtype, the interval of the operands, and ns an element
 *                              of ours, SLEEF, libmvec, libm, libm over the same numbers in every call, and of our function
 *                              for far arguments too (math.h); 0 where there is none; then `divide`, an integer dtype, and ns an
 *                              element of x//d by divide.h and by the machine's division
 *
 * Each time is the best of ROUNDS rounds, in which ours and theirs take turns: other work only ever adds.  The scalar
 * functions branch on their operands, and over the same thousand again and again the processor would know every branch
 * by heart, as it never does in use: their loop gets other numbers for each call, put into place before the clock starts.
 * What it takes over the same numbers is shown beside it.
 */
#include <dlfcn.h>
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../src/math/math.h"

enum { ROUNDS = 15, MOST = 100000 };

#ifdef __AVX512F__
enum { WIDTH_F32 = 16, WIDTH_F64 = 8 };
typedef __m512 V_f32;
typedef __m512d V_f64;
static const char sleef_isa[] = "avx512f", mvec_isa = 'e';
#else
enum { WIDTH_F32 = 8, WIDTH_F64 = 4 };
typedef __m256 V_f32;
typedef __m256d V_f64;
static const char sleef_isa[] = "avx2", mvec_isa = 'd';
#endif

/* X(name, operands, from, to): operands of f32 and f64 are uniform in the interval; 3 and 4: one and two, and a faster
 * function for those that are not far */
#define FUNCTIONS(X) \
	X(exp, 1, -10, 10) X(exp2, 1, -10, 10) X(exp10, 1, -10, 10) X(expm1, 1, -10, 10) \
	X(log, 1, 0.01, 100) X(log2, 1, 0.01, 100) X(log10, 1, 0.01, 100) X(log1p, 1, -0.9, 10) \
	X(sin, 3, -10, 10) X(cos, 3, -10, 10) X(tan, 3, -10, 10) X(sinpi, 1, -10, 10) X(cospi, 1, -10, 10) \
	X(asin, 1, -1, 1) X(acos, 1, -1, 1) X(atan, 1, -10, 10) X(atan2, 2, -10, 10) \
	X(sinh, 1, -10, 10) X(cosh, 1, -10, 10) X(tanh, 1, -10, 10) \
	X(asinh, 1, -10, 10) X(acosh, 1, 1, 10) X(atanh, 1, -1, 1) \
	X(sigmoid, 1, -10, 10) X(softplus, 1, -10, 10) X(sqrt, 1, 0, 10) X(cbrt, 1, -10, 10) X(hypot, 2, -10, 10) X(pow, 4, 0.1, 10) \
	X(erf, 1, -4, 4) X(erfc, 1, -4, 4) X(gamma, 3, 0.1, 10) X(lgamma, 3, 0.1, 10) X(digamma, 3, 0.1, 10) X(trigamma, 3, 0.1, 10)

typedef void (*Loop)(long n, void *out, const void *x, const void *y);

typedef struct Case {
	const char *name, *libm;
	int operands;
	double from, to;
	Loop loop_f32, loop_f64, any_f32, any_f64;   /* any: also for far arguments, or NULL */
} Case;

#define ARGS_1(p) p[i]
#define ARGS_2(p) p[i], q[i]
#define LOOP_OF(loop, f, k, T) \
	static __attribute__((noinline)) void loop(long n, void *out, const void *x, const void *y) \
	{ \
		T *restrict o = out; const T *restrict p = x, *restrict q = y; (void)q; \
		for (long i = 0; i < n; i++) o[i] = f(ARGS_##k(p)); \
	}
#define LOOP(name, k, T, D) LOOP_OF(name##D##_loop, name##D, k, T)
/* as kernels do it: near_f serves unless an argument is far */
#define NEAR_LOOP(name, k, T, D) \
	LOOP_OF(near_##name##D##_loop, near_##name##D, k, T) \
	LOOP_OF(any_##name##D##_loop, name##D, k, T) \
	static void name##D##_loop(long n, void *out, const void *x, const void *y) \
	{ \
		const T *p = x, *q = y; \
		int far = 0; \
		(void)q; \
		for (long i = 0; i < n; i++) far |= far_##name##D(ARGS_##k(p)); \
		(far ? any_##name##D##_loop : near_##name##D##_loop)(n, out, x, y); \
	}
#define LOOPS(name, k, from, to) LOOPS_##k(name)
#define LOOPS_1(name) LOOP(name, 1, float, _f32) LOOP(name, 1, double, _f64)
#define LOOPS_2(name) LOOP(name, 2, float, _f32) LOOP(name, 2, double, _f64)
#define LOOPS_3(name) NEAR_LOOP(name, 1, float, _f32) NEAR_LOOP(name, 1, double, _f64)
#define LOOPS_4(name) NEAR_LOOP(name, 2, float, _f32) NEAR_LOOP(name, 2, double, _f64)
FUNCTIONS(LOOPS)

#define ANY_1(loop) NULL
#define ANY_2(loop) NULL
#define ANY_3(loop) loop
#define ANY_4(loop) loop
#define ENTRY(name, k, from, to) \
	{ #name, #name, k, from, to, name##_f32_loop, name##_f64_loop, ANY_##k(any_##name##_f32_loop), ANY_##k(any_##name##_f64_loop) },
static const Case cases[] = { FUNCTIONS(ENTRY) };

static int is_binary(const Case *c) { return c->operands == 2 || c->operands == 4; }

/* ---- loops over the peers' functions ---- */

typedef void (*Any)(void);

#define VECTOR(D, T) \
	static __attribute__((noinline)) void vector##D(long n, void *out, const void *x, const void *y, Any f, int k) \
	{ \
		const V##D *p = x, *q = y; V##D *o = out; \
		for (long i = 0; i < n/(long)(sizeof(V##D)/sizeof(T)); i++) \
			o[i] = k != 2 ? ((V##D (*)(V##D))f)(p[i]) : ((V##D (*)(V##D, V##D))f)(p[i], q[i]); \
	} \
	static __attribute__((noinline)) void scalar##D(long n, void *out, const void *x, const void *y, Any f, int k) \
	{ \
		const T *p = x, *q = y; T *o = out; \
		for (long i = 0; i < n; i++) o[i] = k != 2 ? ((T (*)(T))f)(p[i]) : ((T (*)(T, T))f)(p[i], q[i]); \
	}
VECTOR(_f32, float)
VECTOR(_f64, double)

static Any find(const char *library, const char *name)
{
	void *l = dlopen(library, RTLD_NOW);
	void *s = l ? dlsym(l, name) : NULL;
	Any f;
	memcpy(&f, &s, sizeof f);
	return f;
}

static const char *libm_name(const char *name)
{
	return !strcmp(name, "gamma") ? "tgamma" : name;
}

static Any sleef(const Case *c, int f32)
{
	char name[64];
	int width = f32 ? (int)WIDTH_F32 : (int)WIDTH_F64, u05 = !strcmp(c->name, "sqrt") || !strcmp(c->name, "hypot") || strstr(c->name, "pi");
	snprintf(name, sizeof name, "Sleef_%s%s%d_%s%s", libm_name(c->name), f32 ? "f" : "d", width,
		!strcmp(c->name, "erfc") ? "u15" : u05 ? "u05" : "u10", sleef_isa);
	return find("libsleef.so.3", name);
}

static Any mvec(const Case *c, int f32)
{
	char name[64];
	snprintf(name, sizeof name, "_ZGV%cN%d%s_%s%s", mvec_isa, f32 ? WIDTH_F32 : WIDTH_F64, is_binary(c) ? "vv" : "v",
		c->name, f32 ? "f" : "");
	return find("libmvec.so.1", name);
}

static Any libm(const Case *c, int f32)
{
	char name[64];
	snprintf(name, sizeof name, "%s%s", libm_name(c->name), f32 ? "f" : "");
	return find("libm.so.6", name);
}

/* ---- timing ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void fill(void *to, int f32, long n, double a, double b, unsigned seed)
{
	for (long i = 0; i < n; i++) {
		seed = seed*1664525u + 1013904223u;
		double v = a + (b - a)*((double)seed + 0.5)*0x1p-32;
		if (f32) ((float *)to)[i] = (float)v;
		else ((double *)to)[i] = v;
	}
}

/* SEEN: the scalar functions over the same numbers in every call; FAR: ours for far arguments too */
enum { OURS, SLEEF, MVEC, SCALAR, SEEN, FAR, SIDES };

typedef struct Bench {
	const Case *c;
	int f32, operands;
	long n;
	char *pool[2], *at[2];      /* MOST numbers for each operand, and where the loops read n of them */
	void *out;
} Bench;

static void run(const Bench *b, int side, Any f)
{
	if (side == OURS) (b->f32 ? b->c->loop_f32 : b->c->loop_f64)(b->n, b->out, b->at[0], b->at[1]);
	else if (side == FAR) (b->f32 ? b->c->any_f32 : b->c->any_f64)(b->n, b->out, b->at[0], b->at[1]);
	else if (side == SCALAR || side == SEEN) (b->f32 ? scalar_f32 : scalar_f64)(b->n, b->out, b->at[0], b->at[1], f, b->operands);
	else (b->f32 ? vector_f32 : vector_f64)(b->n, b->out, b->at[0], b->at[1], f, b->operands);
}

/* n numbers of each pool, others for each i, into place */
static void place(const Bench *b, long i)
{
	size_t size = b->f32 ? sizeof(float) : sizeof(double), from = (size_t)(i*b->n%(MOST - b->n + 1));
	for (int k = 0; k < b->operands; k++) memcpy(b->at[k], b->pool[k] + size*from, size*(size_t)b->n);
}

/* seconds of so many calls */
static double seconds(const Bench *b, int side, Any f, long calls)
{
	double total = 0, start = now();
	for (long i = 0; i < calls; i++) {
		if (side == SCALAR) {
			place(b, i);
			start = now();
		}
		run(b, side, f);
		if (side == SCALAR) total += now() - start;
	}
	return side == SCALAR ? total : now() - start;
}

static int is_there(const Case *c, int side, Any peer)
{
	return side == OURS || (side == FAR ? c->any_f32 != NULL : peer != NULL);
}

static void measure(const Bench *b)
{
	const Case *c = b->c;
	Any peer[SIDES] = { NULL, sleef(c, b->f32), mvec(c, b->f32), libm(c, b->f32), libm(c, b->f32), NULL };
	double best[SIDES] = { 0 };
	long calls[SIDES];
	for (int k = 0; k < b->operands; k++) fill(b->pool[k], b->f32, MOST, c->from, c->to, (unsigned)k + 1);
	place(b, 0);
	for (int side = 0; side < SIDES; side++) {
		if (!is_there(c, side, peer[side])) continue;
		seconds(b, side, peer[side], 1);
		calls[side] = 1 + (long)(0.001/seconds(b, side, peer[side], 1));
	}
	for (int r = 0; r < ROUNDS; r++)
		for (int side = 0; side < SIDES; side++) {
			if (!is_there(c, side, peer[side])) continue;
			double t = seconds(b, side, peer[side], calls[side])/(double)(calls[side]*b->n)*1e9;
			if (!r || t < best[side]) best[side] = t;
		}
	printf("%s\t%s\t%g\t%g", c->name, b->f32 ? "f32" : "f64", c->from, c->to);
	for (int side = 0; side < SIDES; side++) printf("\t%.4f", best[side]);
	printf("\n");
	fflush(stdout);
}

/* ---- whole numbers by a number that stays ---- */

#define DIVIDE(t, T) \
	static __attribute__((noinline)) void any_##t(long n, T *restrict o, const T *restrict x, T d) \
	{ \
		for (long i = 0; i < n; i++) o[i] = floordiv_##t(x[i], d); \
	} \
	static __attribute__((noinline)) void by_##t(long n, T *restrict o, const T *restrict x, T d) \
	{ \
		uint32_t l; \
		const __typeof__(divisor_##t(d, &l)) m = divisor_##t(d, &l); \
		for (long i = 0; i < n; i++) o[i] = by_floordiv_##t(x[i], d, m, l); \
	} \
	static void divide_##t(long n, void *out, void *in) \
	{ \
		double best[2] = { 0 }; \
		for (long i = 0; i < n; i++) ((T *)in)[i] = (T)((uint64_t)(i + 1)*0x9e3779b97f4a7c15u); \
		for (int r = 0; r < ROUNDS; r++) \
			for (int side = 0; side < 2; side++) { \
				double start = now(), t; \
				for (int k = 0; k < 20; k++) (side ? any_##t : by_##t)(n, out, in, (T)(37 + r)); \
				t = (now() - start)/20/(double)n*1e9; \
				if (!r || t < best[side]) best[side] = t; \
			} \
		printf("divide\t%s\t%.4f\t%.4f\n", #t, best[0], best[1]); \
	}
DIVIDE(i8, int8_t) DIVIDE(i32, int32_t) DIVIDE(i64, int64_t)

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1024;
	if (n < 64 || n > MOST) return 2;
	n -= n%64;
	Bench b = { .n = n, .out = aligned_alloc(64, MOST*8 + 512) };
	for (int k = 0; k < 2; k++)
		b.pool[k] = aligned_alloc(64, MOST*8 + 512), b.at[k] = aligned_alloc(64, MOST*8 + 512);
	if (!b.out || !b.pool[0] || !b.pool[1] || !b.at[0] || !b.at[1]) return 1;
	for (b.f32 = 1; b.f32 >= 0; b.f32--)
		for (b.c = cases; b.c < cases + sizeof cases/sizeof *cases; b.c++) {
			int wanted = argc <= 2;
			for (int i = 2; i < argc; i++) wanted |= !strcmp(argv[i], b.c->name);
			b.operands = is_binary(b.c) ? 2 : 1;
			if (wanted) measure(&b);
		}
	if (argc > 2) return 0;
	divide_i8(n, b.out, b.pool[0]), divide_i32(n, b.out, b.pool[0]), divide_i64(n, b.out, b.pool[0]);
	return 0;
}
