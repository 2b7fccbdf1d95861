/* test_math.c - the scalar functions against binary128, in units of the last place; integers, casts and random words
 * exactly.
 *
 * Every real function has a line in `unary` or `binary`: its reference, the interval that is sampled densely, and the
 * error it may have in f32 and f64.  Samples are the special values, uniform points of the interval, points of random
 * exponent, and random bits.  An error is counted in ulp of the true result, or of `floor` if that is larger: some
 * functions are accurate near their zeros only in the absolute sense.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/quad.h" /* its fail() is no macro yet */

#include <cmocka.h>

#include "math/math.h"

typedef Quad Q;

Q frexpf128(Q, int *), ldexpf128(Q, int), copysignf128(Q, Q), rintf128(Q), tgammaf128(Q), powf128(Q, Q);
Q sqrtf128(Q), logf128(Q), log1pf128(Q), sinf128(Q), cosf128(Q), expf128(Q), sinhf128(Q), coshf128(Q);

#ifndef SAMPLES
#define SAMPLES 4000
#endif

/* ---- references: the oracle's ---- */

static Q absq(Q x) { return x < 0 ? -x : x; }
static int nanq(Q x) { return x != x; }
static Q infq(void) { return __builtin_inf(); }
static Q quad_logsigmoid(Q x) { return -quad_softplus(-x); } /* no operator, so that the oracle has none */

/* ---- errors ---- */

/* |got - want| in ulp of a format of p bits with smallest exponent low (of a fraction in [1/2, 1)) and largest high */
static double error_in_ulp(Q got, Q want, int p, int low, int high, double floor)
{
	if (nanq(want) || nanq(got)) return nanq(want) && nanq(got) ? 0 : 1e30;
	Q top = ldexpf128(1, high), edge = top - ldexpf128(1, high - p - 1);
	if (absq(want) >= edge) want = want > 0 ? top : -top;      /* rounds to infinity */
	if (absq(got) == infq()) got = got > 0 ? top : -top;
	if (want == 0 && got == 0) return copysignf128(1, want) == copysignf128(1, got) ? 0 : 1e29;
	int e, f;
	frexpf128(want, &e);
	frexpf128(floor, &f);
	if (want == 0 || e < low) e = low;
	if (floor > 0 && e < f) e = f;
	return (double)(absq(got - want) / ldexpf128(1, e - p));
}

static double error_f32(float got, Q want, double floor) { return error_in_ulp(got, want, 24, -125, 128, floor); }
static double error_f64(double got, Q want, double floor) { return error_in_ulp(got, want, 53, -1021, 1024, floor); }

/* ---- samples ---- */

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d;
}

static double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

static const double special[] = { 0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 10, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p-149,
	-0x1p-149, 0x1p-126, -0x1p-126, 0x1.fffffep127, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0.9, 0.6, 0.25, 1.5,
	2.5, 12, 1e-8, -1e-8, 1e8, 1e16, 88.7228, 88.7229, -103.97, 709.78, 709.79, -745.13, -745.14, 171.62, 171.63, 35.04,
	0x1p-25, 0x1p-54, 0.69314718055994530942, 1.5707963267948966, 3.1415926535897931, 1e22, 0x1.921fb6p0, 4, 26.5, 6 };

/* sample number i for a function that is interesting from a to b; i < 2 are the infinities, 2 is NaN */
static double sample(int i, double a, double b)
{
	if (i < 2) return i ? -__builtin_inf() : __builtin_inf();
	if (i == 2) return __builtin_nan("");
	if (i < 3 + (int)(sizeof special / sizeof *special)) return special[i - 3];
	switch (i % 8) {
	case 0: { uint64_t u = random_bits(); double d; memcpy(&d, &u, 8); return d; }
	case 1: { int k = (int)(random_bits() % 280) - 150; return ldexpf128(random_unit() - 0.5, k); }
	case 2: { int k = (int)(random_bits() % 40) - 30; return ldexpf128(random_unit() - 0.5, k); }
	case 3: return (double)(int)(random_bits() % 64) / 2 - 16;
	default: return a + (b - a) * random_unit();
	}
}

/* ---- the real functions ---- */

typedef struct {
	const char *name;
	float (*f32)(float);
	double (*f64)(double);
	Q (*ref)(Q);
	double from, to;                   /* sampled densely */
	double bound_f32, bound_f64;       /* largest error in ulp; 0.501: rounded right; 0: exact */
	double floor;                      /* results below it may have the absolute error that it has */
	double limit;                      /* arguments beyond this are not compared in f64; 0: all are */
	double floor_below_0;              /* the floor for arguments below 0, if it is another */
	double bound_below_0;              /* the bound for arguments below 0, if it is another */
} Unary;

typedef struct {
	const char *name;
	float (*f32)(float, float);
	double (*f64)(double, double);
	Q (*ref)(Q, Q);
	double from, to, from2, to2;
	double bound_f32, bound_f64, floor;
} Binary;

#define F(name) #name, name##_f32, name##_f64

static const Unary unary[] = {
	{ F(exp),          quad_exp,         -105, 90,    1, 1, 0, 0, 0 },
	{ F(exp),          quad_exp,         -746, 710,   1, 1, 0, 0, 0 },
	{ F(exp2),         quad_exp2,        -1076, 1025, 1, 1, 0, 0, 0 },
	{ F(exp2),         quad_exp2,        -150, 129,   1, 1, 0, 0, 0 },
	{ F(exp10),        quad_exp10,       -324, 309,   1, 1, 0, 0, 0 },
	{ F(exp10),        quad_exp10,       -45, 39,     1, 1, 0, 0, 0 },
	{ F(expm1),        quad_expm1,       -3, 3,       1, 1, 0, 0, 0 },
	{ F(expm1),        quad_expm1,       -40, 710,    1, 1, 0, 0, 0 },
	{ F(log),          quad_log,         0, 10,       1, 1, 0, 0, 0 },
	{ F(log),          quad_log,         0.7, 1.5,    1, 1, 0, 0, 0 },
	{ F(log2),         quad_log2,        0, 10,       1, 1, 0, 0, 0 },
	{ F(log2),         quad_log2,        0.7, 1.5,    1, 1, 0, 0, 0 },
	{ F(log10),        quad_log10,       0, 10,       1, 1, 0, 0, 0 },
	{ F(log10),        quad_log10,       0.7, 1.5,    1, 1, 0, 0, 0 },
	{ F(log1p),        quad_log1p,       -1, 10,      1, 1, 0, 0, 0 },
	{ F(log1p),        quad_log1p,       -0.5, 0.5,   1, 1, 0, 0, 0 },
	{ F(log1mexp),     quad_log1mexp,    0, 2,        3, 3, 0, 0, 0 },
	{ F(sigmoid),      quad_sigmoid,     -105, 20,    1, 1, 0, 0, 0 },
	{ F(sigmoid),      quad_sigmoid,     -746, 40,    1, 1, 0, 0, 0 },
	{ F(silu),         quad_silu,        -112, 20,    2, 2, 0, 0, 0 },
	{ F(silu),         quad_silu,        -750, 40,    2, 2, 0, 0, 0 },
	{ F(softplus),     quad_softplus,    -105, 20,    1, 1, 0, 0, 0 },
	{ F(softplus),     quad_softplus,    -746, 40,    1, 1, 0, 0, 0 },
	{ F(softplus),     quad_softplus,    -3, 3,       1, 1, 0, 0, 0 },
	{ F(logsigmoid),   quad_logsigmoid,  -3, 3,   1, 1, 0, 0, 0 },
	{ F(logit),        quad_logit,       0, 1,        3, 3, 0, 0, 0 },
	{ F(sqrt),         quad_sqrt,        0, 10,       0.501, 0.501, 0, 0, 0 },
	{ F(rsqrt),        quad_rsqrt,       0, 10,       1, 1, 0, 0, 0 },
	{ F(cbrt),         quad_cbrt,        -10, 10,     1, 1, 0, 0, 0 },
	{ F(sin),          quad_sin,         -7, 7,       1, 1, 0, 0, 0 },
	{ F(sin),          quad_sin,         -1e6, 1e6,   1, 1, 0, 0, 0 },
	{ F(sin),          quad_sin,         -1e38, 1e38, 1, 1, 0, 0, 0 },
	{ F(cos),          quad_cos,         -7, 7,       1, 1, 0, 0, 0 },
	{ F(cos),          quad_cos,         -1e15, 1e15, 1, 1, 0, 0, 0 },
	{ F(cos),          quad_cos,         -1e38, 1e38, 1, 1, 0, 0, 0 },
	{ F(tan),          quad_tan,         -7, 7,       1, 1, 0, 0, 0 },
	{ F(tan),          quad_tan,         -1e38, 1e38, 1, 1, 0, 0, 0 },
	{ F(sinpi),        quad_sinpi,       -4, 4,       1, 1, 0, 0, 0 },
	{ F(cospi),        quad_cospi,       -4, 4,       1, 1, 0, 0, 0 },
	{ F(asin),         quad_asin,        -1, 1,       1, 1, 0, 0, 0 },
	{ F(acos),         quad_acos,        -1, 1,       1, 1, 0, 0, 0 },
	{ F(atan),         quad_atan,        -5, 5,       1, 1, 0, 0, 0 },
	{ F(sinh),         quad_sinh,        -3, 3,       1, 1, 0, 0, 0 },
	{ F(sinh),         quad_sinh,        -711, 711,   1, 1, 0, 0, 0 },
	{ F(cosh),         quad_cosh,        -3, 3,       1, 1, 0, 0, 0 },
	{ F(cosh),         quad_cosh,        -711, 711,   1, 1, 0, 0, 0 },
	{ F(tanh),         quad_tanh,        -3, 3,       1, 1, 0, 0, 0 },
	{ F(tanh),         quad_tanh,        -22, 22,     1, 1, 0, 0, 0 },
	{ F(asinh),        quad_asinh,       -5, 5,       2, 2, 0, 0, 0 },
	{ F(acosh),        quad_acosh,       1, 5,        2, 2, 0, 0, 0 },
	{ F(atanh),        quad_atanh,       -1, 1,       2, 2, 0, 0, 0 },
	{ F(erf),          quad_erf,         -4, 4,       1, 1, 0, 0, 0 },
	{ F(erf),          quad_erf,         -1, 1,       1, 1, 0, 0, 0 },
	{ F(erfc),         quad_erfc,        -3, 27,      2, 2, 0, 0, 0 },
	{ F(erfc),         quad_erfc,        -1, 1,       2, 2, 0, 0, 0 },
	{ F(erfinv),       quad_erfinv,      -1, 1,       4, 4, 0, 0, 0 },
	{ F(gamma),        quad_gamma,       0, 172,      1, 1, 0, 0, 0, 2 },
	{ F(gamma),        quad_gamma,       -184, 0,     2, 2, 0, 0, 0 },
	{ F(gamma),        quad_gamma,       -5, 5,       2, 2, 0, 0, 0 },
	{ F(lgamma),       quad_lgamma,      0, 4,        2, 2, 0, 0, 4 },
	{ F(lgamma),       quad_lgamma,      0, 1e4,      2, 2, 0, 0, 4 },
	{ F(digamma),      quad_digamma,     0, 12,       2, 2, 0x1p-8, 0, 0.5 },
	{ F(floor),        quad_floor,       -10, 10,     0, 0, 0, 0, 0 },
	{ F(ceil),         quad_ceil,        -10, 10,     0, 0, 0, 0, 0 },
	{ F(round),        quad_round,       -10, 10,     0, 0, 0, 0, 0 },
	{ F(trunc),        quad_trunc,       -10, 10,     0, 0, 0, 0, 0 },
	{ F(abs),          quad_abs,         -10, 10,     0, 0, 0, 0, 0 },
	{ F(sign),         quad_sign,        -10, 10,     0, 0, 0, 0, 0 },
};

static const Binary binary[] = {
	{ F(pow),          quad_pow,         0, 4, -50, 50,      1, 1, 0 },
	{ F(pow),          quad_pow,         0.9, 1.1, -800, 800, 1, 1, 0 },
	{ F(pow),          quad_pow,         -9, 9, -9, 9,       1, 1, 0 },
	{ F(atan2),        quad_atan2,       -2, 2, -2, 2,       1, 1, 0 },
	{ F(hypot),        quad_hypot,       -9, 9, -9, 9,       1, 1, 0 },
	{ F(logaddexp),    quad_logaddexp,   -9, 9, -9, 9,       2, 2, 0x1p-4 },
	{ F(mod),          quad_mod,         -99, 99, -9, 9,     0.501, 0.501, 0 },
	{ F(floordiv),     quad_floordiv,    -99, 99, -9, 9,     0.501, 0.501, 0 },
	{ F(maximum),      quad_maximum,     -1, 1, -1, 1,       0, 0, 0 },
	{ F(minimum),      quad_minimum,     -1, 1, -1, 1,       0, 0, 0 },
	{ F(add),          quad_add,         -1, 1, -1, 1,       0.501, 0.501, 0 },
	{ F(div),          quad_div,         -1, 1, -1, 1,       0.501, 0.501, 0 },
};

static int failures;

static void report(const char *name, const char *dtype, double worst, double bound, Q x, Q y)
{
	if (getenv("VERBOSE")) printf("%-12s %s %9.3f ulp at %.17g %.17g\n", name, dtype, worst, (double)x, (double)y);
	if (worst <= bound) return;
	print_error("%s_%s: error %.3f ulp, allowed %.3f, at %.17g %.17g\n", name, dtype, worst, bound, (double)x, (double)y);
	failures++;
}

static void test_unary(void **state)
{
	(void)state;
	failures = 0;
	for (const Unary *u = unary; u < unary + sizeof unary / sizeof *unary; u++) {
		double worst = 0, worst_f32 = 0, at = 0, at_f32 = 0;
		for (int i = 0; i < SAMPLES; i++) {
			double x = sample(i, u->from, u->to), e;
			float f = (float)x;
			double floor = x < 0 && u->floor_below_0 > 0 ? u->floor_below_0 : u->floor;
			double share = x < 0 && u->bound_below_0 > 0 ? u->bound_f64 / u->bound_below_0 : 1;
			if ((e = share * error_f32(u->f32(f), u->ref(f), floor)) > worst_f32) worst_f32 = e, at_f32 = f;
			if (u->limit > 0 && (x > u->limit || x < -u->limit) && x - x == 0) continue;
			if ((e = share * error_f64(u->f64(x), u->ref(x), floor)) > worst) worst = e, at = x;
		}
		report(u->name, "f32", worst_f32, u->bound_f32, at_f32, 0);
		report(u->name, "f64", worst, u->bound_f64, at, 0);
	}
	assert_int_equal(failures, 0);
}

static void test_binary(void **state)
{
	(void)state;
	failures = 0;
	for (const Binary *u = binary; u < binary + sizeof binary / sizeof *binary; u++) {
		double worst = 0, worst_f32 = 0, at[2] = { 0 }, at_f32[2] = { 0 };
		int n = 3 + (int)(sizeof special / sizeof *special), special_pairs = n * n;
		for (int i = 0; i < SAMPLES + special_pairs; i++) {
			int j = i - special_pairs;
			double x = j < 0 ? sample(i % n, 0, 0) : sample(j, u->from, u->to), e;
			double y = j < 0 ? sample(i / n, 0, 0) : sample(j + 3 * (j % 5 == 0), u->from2, u->to2);
			float f = (float)x, g = (float)y;
			e = error_f32(u->f32(f, g), u->ref(f, g), u->floor > 0 ? u->floor + 0x1p-30 : 0);
			if (e > worst_f32) worst_f32 = e, at_f32[0] = f, at_f32[1] = g;
			e = error_f64(u->f64(x, y), u->ref(x, y), u->floor);
			if (e > worst) worst = e, at[0] = x, at[1] = y;
		}
		report(u->name, "f32", worst_f32, u->bound_f32, at_f32[0], at_f32[1]);
		report(u->name, "f64", worst, u->bound_f64, at[0], at[1]);
	}
	assert_int_equal(failures, 0);
}

/* digamma and lgamma below 0 and polygamma, whose zeros lie everywhere: absolute or relative error */
static void test_polygamma(void **state)
{
	(void)state;
	failures = 0;
	for (int n = 0; n < 8; n++) {
		double worst = 0, at = 0, worst_left = 0, at_left = 0;
		for (int i = 0; i < SAMPLES / 8; i++) {
			double x = sample(i, 0, 30), e;
			if (x > 1e6) continue;
			if (x > 1e-30 && (e = error_f64(polygamma_f64(n, x), quad_polygamma(n, x), 0)) > worst) worst = e, at = x;
			Q d = x - rintf128(x), least = tgammaf128(n + 1) * powf128(absq(d), -n - 1);
			if (x > 1e-3 && x < 999 && (e = error_f64(polygamma_f64(n, -x), quad_polygamma(n, -x), (double)least)) > worst_left) worst_left = e, at_left = -x;
		}
		char name[32];
		snprintf(name, sizeof name, "polygamma %d", n);
		report(name, "f64", worst, 8, at, 0);
		report(name, "below 0", worst_left, 6, at_left, 0);
	}
	double worst = 0, at = 0, e;
	for (int i = 0; i < SAMPLES; i++) {                        /* every second one beside a whole number, where its parts cancel */
		double whole = 1 + i % 40, x = i % 2 ? -sample(i, 0, 30) : -whole - whole * 0x1p-52 * (i % 997 - 498);
		if ((e = error_f64(lgamma_f64(x), quad_lgamma(x), x < 0 ? 4 : 0)) > worst) worst = e, at = x;
	}
	report("lgamma", "below 0", worst, 1, at, 0);
	assert_int_equal(failures, 0);
	assert_true(polygamma_f64(1.5, 2) != polygamma_f64(1.5, 2) && polygamma_f64(-1, 2) != polygamma_f64(-1, 2));
	assert_true(polygamma_f64(__builtin_inf(), __builtin_inf()) != 0);     /* infinity is no number of a derivative */
	assert_true(digamma_f64(0.0) == -__builtin_inf() && digamma_f64(-0.0) == __builtin_inf());
	assert_true(digamma_f64(-3) != digamma_f64(-3) && digamma_f64(__builtin_inf()) == __builtin_inf());
}

/* ---- values that ops.h promises ---- */

#define INF __builtin_inf()
#define NAN_ __builtin_nan("")

static int same(double a, double b) { return a != a ? b != b : a == b && !__builtin_signbit(a) == !__builtin_signbit(b); }

#define EXPECT(want, name, ...) do { \
	if (!same(name##_f64(__VA_ARGS__), want)) fail_msg("%s_f64(%s) is %g", #name, #__VA_ARGS__, name##_f64(__VA_ARGS__)); \
	if (!same(name##_f32(__VA_ARGS__), want)) fail_msg("%s_f32(%s) is %g", #name, #__VA_ARGS__, (double)name##_f32(__VA_ARGS__)); \
} while (0)

static void test_promises(void **state)
{
	(void)state;
	EXPECT(0, maximum, -0.0, 0.0);      EXPECT(0, maximum, 0.0, -0.0);      EXPECT(-0.0, maximum, -0.0, -0.0);
	EXPECT(-0.0, minimum, -0.0, 0.0);   EXPECT(-0.0, minimum, 0.0, -0.0);   EXPECT(NAN_, maximum, NAN_, 1);
	EXPECT(NAN_, maximum, 1, NAN_);     EXPECT(NAN_, minimum, 1, NAN_);     EXPECT(NAN_, minimum, NAN_, 1);
	EXPECT(-0.0, sign, -0.0);           EXPECT(NAN_, sign, NAN_);           EXPECT(-1, sign, -INF);
	EXPECT(1, copysign, -1, NAN_);      EXPECT(-1, copysign, 1, -0.0);      EXPECT(1, copysign, 1, -NAN_);
	EXPECT(1, pow, NAN_, 0);            EXPECT(1, pow, NAN_, -0.0);         EXPECT(NAN_, pow, -2, 0.5);
	EXPECT(1, pow, 1, NAN_);            EXPECT(-8, pow, -2, 3);             EXPECT(NAN_, pow, NAN_, 1);
	EXPECT(-INF, pow, -0.0, -1);        EXPECT(1, pow, -1, INF);            EXPECT(0, pow, 2, -INF);
	EXPECT(-INF, log, 0);               EXPECT(NAN_, log, -1);              EXPECT(-INF, log1p, -1);
	EXPECT(NAN_, log1p, -2);            EXPECT(-INF, log2, -0.0);           EXPECT(NAN_, log10, -INF);
	EXPECT(-INF, log1mexp, 0);          EXPECT(NAN_, log1mexp, -1);         EXPECT(-0.0, log1mexp, INF);
	EXPECT(-INF, logaddexp, -INF, -INF);EXPECT(INF, logaddexp, INF, -INF);  EXPECT(INF, logaddexp, INF, INF);
	EXPECT(-INF, logit, 0);             EXPECT(INF, logit, 1);              EXPECT(NAN_, logit, 1.5);
	EXPECT(NAN_, logit, -0.5);          EXPECT(0, logit, 0.5);
	EXPECT(NAN_, sin, INF);             EXPECT(NAN_, cos, -INF);            EXPECT(NAN_, tan, INF);
	EXPECT(-0.0, sin, -0.0);            EXPECT(-0.0, tan, -0.0);            EXPECT(1, cos, -0.0);
	EXPECT(NAN_, asin, 1.5);            EXPECT(NAN_, acos, -1.5);           EXPECT(0, acos, 1);
	EXPECT(NAN_, acosh, 0.5);           EXPECT(NAN_, acosh, -9);            EXPECT(INF, atanh, 1);
	EXPECT(-INF, atanh, -1);            EXPECT(NAN_, atanh, 2);             EXPECT(-0.0, atanh, -0.0);
	EXPECT(-0.0, tanh, -0.0);           EXPECT(-0.0, sinh, -0.0);           EXPECT(-0.0, asinh, -0.0);
	EXPECT(-0.0, expm1, -0.0);          EXPECT(-0.0, log1p, -0.0);          EXPECT(-0.0, sqrt, -0.0);
	EXPECT(NAN_, sqrt, -1);             EXPECT(-0.0, cbrt, -0.0);           EXPECT(-INF, cbrt, -INF);
	EXPECT(INF, hypot, INF, NAN_);      EXPECT(INF, hypot, NAN_, -INF);     EXPECT(0, hypot, -0.0, 0);
	EXPECT(INF, erfinv, 1);             EXPECT(-INF, erfinv, -1);           EXPECT(NAN_, erfinv, 1.5);
	EXPECT(-0.0, erf, -0.0);            EXPECT(2, erfc, -INF);              EXPECT(0, erfc, INF);
	EXPECT(INF, gamma, 0.0);            EXPECT(-INF, gamma, -0.0);          EXPECT(NAN_, gamma, -2);
	EXPECT(24, gamma, 5);               EXPECT(INF, lgamma, -2);            EXPECT(INF, lgamma, 0);
	EXPECT(0, lgamma, 1);               EXPECT(0, lgamma, 2);
	EXPECT(-1, floordiv, -1, INF);      EXPECT(9, floordiv, 1, 0x1.99999ap-4);
	EXPECT(2, mod, -1, 3);              EXPECT(-1, mod, 5, -3);             EXPECT(NAN_, mod, 1, 0);
	EXPECT(-0.0, mod, 6, -3);           EXPECT(INF, mod, -1, INF);          EXPECT(1, mod, 1, INF);
	EXPECT(0.0, round, 0.5);            EXPECT(2, round, 1.5);              EXPECT(-0.0, round, -0.5);
	EXPECT(0, sigmoid, -INF);           EXPECT(1, sigmoid, INF);            EXPECT(NAN_, softplus, NAN_);
	EXPECT(INF, softplus, INF);         EXPECT(0, softplus, -INF);          EXPECT(-INF, logsigmoid, -INF);
	EXPECT(-0.0, logsigmoid, INF);      EXPECT(-0.0, silu, -INF);           EXPECT(INF, silu, INF);
	EXPECT(-0.0, silu, -0.0);           EXPECT(INF, rsqrt, 0);              EXPECT(-INF, rsqrt, -0.0);
	EXPECT(0, rsqrt, INF);              EXPECT(NAN_, rsqrt, -1);            EXPECT(0, exp10, -INF);
	EXPECT(INF, exp10, INF);            EXPECT(1, exp10, -0.0);             EXPECT(1000, exp10, 3);
	EXPECT(0, sinpi, 3);                EXPECT(-0.0, sinpi, -3);            EXPECT(-0.0, sinpi, -0.0);
	EXPECT(0, cospi, -2.5);             EXPECT(-1, cospi, 3);               EXPECT(1, cospi, 0x1p60);
	EXPECT(NAN_, sinpi, INF);           EXPECT(NAN_, cospi, -INF);          EXPECT(0, sinpi, 0x1p60);
	assert_true(where_f64(1, 2, NAN_) == 2 && where_f32(0, NAN_, 3) == 3);
	assert_true(signbit_f64(-0.0) == 1 && signbit_f64(-NAN_) == 0 && signbit_f32(-NAN_) == 0 && signbit_f32(-1) == 1);
	assert_true(isnan_f32(NAN_) && !isnan_f64(INF) && isinf_f64(-INF) && !isinf_f32(1) && isfinite_f32(1) && !isfinite_f64(NAN_));
	assert_true(ne_f64(NAN_, NAN_) == 1 && eq_f64(NAN_, NAN_) == 0 && le_f32(NAN_, 1) == 0 && lt_bool(0, 1) == 1);
	assert_true(fma_f64(0x1.0000001p0, 0x1.0000001p0, -1) == 0x1.00000008p-27);
}

/* ---- integers ---- */

static void test_integers(void **state)
{
	(void)state;
	assert_int_equal(add_i8(127, 1), -128);
	assert_int_equal(sub_u16(0, 1), 65535);
	assert_int_equal(mul_u16(65535, 65535), 1);
	assert_int_equal(mul_i32(INT32_MIN, -1), INT32_MIN);
	assert_true(add_i64(INT64_MAX, 1) == INT64_MIN && mul_i64(INT64_MIN, -1) == INT64_MIN && neg_i64(INT64_MIN) == INT64_MIN);
	assert_true(abs_i8(-128) == -128 && abs_i64(INT64_MIN) == INT64_MIN && abs_i16(-5) == 5 && neg_u8(1) == 255);
	assert_true(sign_i32(-7) == -1 && sign_u8(200) == 1 && sign_i64(0) == 0);
	/* the defining sums, for every pair of bytes */
	for (int x = -128; x < 128; x++)
		for (int y = -128; y < 128; y++) {
			int q = y == 0 ? 0 : (x - ((x % y + y) % y)) / y, r = y == 0 ? x : (x % y + y) % y;
			assert_int_equal(floordiv_i8((int8_t)x, (int8_t)y), (int8_t)q);
			assert_int_equal(mod_i8((int8_t)x, (int8_t)y), (int8_t)r);
			assert_int_equal(floordiv_i32(x, y), q);
			assert_int_equal(mod_i64(x, y), r);
			unsigned a = (uint8_t)x, b = (uint8_t)y;
			assert_int_equal(floordiv_u8((uint8_t)x, (uint8_t)y), b ? a / b : 0);
			assert_int_equal(mod_u16((uint16_t)a, (uint16_t)b), b ? a % b : a);
			assert_int_equal(shift_left_i8((int8_t)x, (int8_t)y), y < 0 || y > 7 ? 0 : (int8_t)(a << y));
			assert_int_equal(shift_right_i8((int8_t)x, (int8_t)y), y < 0 || y > 7 ? (x < 0 ? -1 : 0) : x >> y);
			assert_int_equal(shift_right_u8((uint8_t)x, (uint8_t)y), b > 7 ? 0 : a >> b);
			unsigned p = 1;
			for (int i = 0; i < y; i++) p *= (unsigned)x;
			if (y < 0) p = x == 1 ? 1 : x == -1 ? (y % 2 ? -1u : 1) : 0;
			assert_int_equal(pow_i8((int8_t)x, (int8_t)y), (int8_t)p);
			assert_int_equal(pow_i32(x, y), (int)p);
		}
	assert_true(floordiv_i64(INT64_MIN, -1) == INT64_MIN && mod_i64(INT64_MIN, -1) == 0 && floordiv_i32(INT32_MIN, -1) == INT32_MIN);
	assert_true(floordiv_i64(-7, 2) == -4 && mod_i64(-7, 2) == 1 && floordiv_u64(UINT64_MAX, 2) == INT64_MAX);
	assert_true(shift_left_u64(1, 63) == 0x8000000000000000 && shift_left_u64(1, 64) == 0 && shift_left_i64(1, -1) == 0);
	assert_true(shift_right_i64(INT64_MIN, 63) == -1 && shift_right_i64(-1, 100) == -1 && shift_right_i64(5, -1) == 0);
	assert_true(pow_i64(3, 39) == 4052555153018976267 && pow_u64(2, 64) == 0 && pow_u16(65535, 65535) == 65535 && pow_i64(0, -1) == 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t u = random_bits() & random_bits();
		assert_int_equal(popcount_u64(u), __builtin_popcountll(u));
		assert_int_equal(popcount_i32((int32_t)u), __builtin_popcount((uint32_t)u));
		assert_int_equal(popcount_u8((uint8_t)u), __builtin_popcount((uint8_t)u));
		assert_int_equal(popcount_i16((int16_t)u), __builtin_popcount((uint16_t)u));
	}
	assert_true(popcount_i64(-1) == 64 && popcount_i8(-1) == 8 && bit_not_bool(1) == 0 && bit_not_u8(1) == 254 && not_bool(0) == 1);
}

static void test_casts(void **state)
{
	(void)state;
	assert_true(cast_f64_i64(0x1p63) == INT64_MAX && cast_f64_i64(-0x1p63) == INT64_MIN && cast_f64_i64(-0x1p70) == INT64_MIN);
	assert_true(cast_f64_i64(NAN_) == 0 && cast_f64_u64(NAN_) == 0 && cast_f32_i8(NAN_) == 0 && cast_f32_u32(NAN_) == 0);
	assert_true(cast_f64_u64(0x1p64) == UINT64_MAX && cast_f64_u64(-1) == 0 && cast_f64_u64(0x1.fffffffffffffp63) == 0xfffffffffffff800);
	assert_true(cast_f32_i32(0x1p31f) == INT32_MAX && cast_f32_i32(-0x1p31f) == INT32_MIN && cast_f32_i32(-1.9f) == -1);
	assert_true(cast_f64_i32(2147483647.9) == INT32_MAX && cast_f64_i32(-2147483648.9) == INT32_MIN && cast_f64_i32(2147483646.9) == 2147483646);
	assert_true(cast_f32_u32(0x1.fffffep31f) == 0xffffff00 && cast_f32_u32(0x1p32f) == UINT32_MAX && cast_f32_u32(-0.5f) == 0);
	assert_true(cast_f32_i8(127.9f) == 127 && cast_f32_i8(128) == 127 && cast_f32_i8(-128.9f) == -128 && cast_f32_i8(-INF) == -128);
	assert_true(cast_f32_u8(255.9f) == 255 && cast_f32_u8(INF) == 255 && cast_f64_u16(65535.5) == 65535 && cast_f64_i16(-1e9) == -32768);
	assert_true(cast_f64_bool(NAN_) == 1 && cast_f32_bool(-0.0f) == 0 && cast_f64_bool(0.1) == 1 && cast_i8_bool(-1) == 1);
	assert_true(cast_i64_i8(300) == 127 && cast_i64_i8(-300) == -128 && cast_i64_u8(-1) == 0 && cast_u64_i64(UINT64_MAX) == INT64_MAX);
	assert_true(cast_i8_u64(-1) == 0 && cast_u8_i8(200) == 127 && cast_i32_u32(-1) == 0 && cast_u32_i32(UINT32_MAX) == INT32_MAX);
	assert_true(cast_i16_u8(256) == 255 && cast_i64_u32(-5) == 0 && cast_i64_u32(INT64_MAX) == UINT32_MAX && cast_u64_u8(7) == 7);
	assert_true(cast_u64_f32(UINT64_MAX) == 0x1p64f && cast_u64_f32(0x8000008000000001) == 0x1.000002p63f && cast_u64_f64(0x8000000000000401) == 0x1.0000000000001p63);
	assert_true(cast_i64_f32(0x4000004000000001) == 0x1.000002p62f && cast_i64_f64(INT64_MIN) == -0x1p63 && cast_bool_i8(1) == 1);
	assert_true(cast_f64_f32(1e300) == __builtin_inff() && cast_f64_f32(0x1.000001p0) == 1.0f && cast_bool_f64(1) == 1);
	assert_true(bitcast_f32_i32(-NAN_) == 0x7fc00000 && bitcast_f64_u64(-NAN_) == 0x7ff8000000000000 && bitcast_f32_u32(-1) == 0xbf800000);
	assert_true(bitcast_i64_f64(0x3ff0000000000000) == 1 && bitcast_i8_u8(-1) == 255 && bitcast_u16_i16(65535) == -1);
}

static void test_halves(void **state)
{
	(void)state;
	for (uint32_t h = 0; h < 65536; h++) {
		float x = cast_f16_f32((uint16_t)h);
		uint16_t want = (h & 0x7fff) > 0x7c00 ? 0x7e00 : (uint16_t)h;
		if ((h & 0x7fff) <= 0x7c00) {
			int e = h >> 10 & 31, f = h & 1023;
			double y = e == 31 ? INF : e ? ldexpf128(1024 + f, e - 25) : ldexpf128(f, -24);
			assert_true(same(x, h & 0x8000 ? -y : y));
		} else assert_true(x != x);
		assert_int_equal(cast_f32_f16(x), want);
		assert_int_equal(cast_f64_f16(x), want);
		float b = cast_bf16_f32((uint16_t)h);
		assert_int_equal(cast_f32_bf16(b), b == b ? h : 0x7fc0);
		assert_int_equal(cast_f64_bf16(b), b == b ? h : 0x7fc0);
		/* half way between neighbours, and a little off, in f32 and f64 */
		if ((h & 0x7fff) < 0x7bff) {
			double m = (cast_f16_f64((uint16_t)h) + cast_f16_f64((uint16_t)(h + 1))) / 2, d = m * 0x1p-50;
			uint16_t even = h & 1 ? (uint16_t)(h + 1) : (uint16_t)h;
			assert_int_equal(cast_f32_f16((float)m), even);
			assert_int_equal(cast_f64_f16(m), even);
			assert_int_equal(cast_f64_f16(m + d), h + 1);
			assert_int_equal(cast_f64_f16(m - d), h);
		}
		if ((h & 0x7fff) < 0x7f7f) {
			double m = (cast_bf16_f64((uint16_t)h) + cast_bf16_f64((uint16_t)(h + 1))) / 2, d = m * 0x1p-50;
			uint16_t even = h & 1 ? (uint16_t)(h + 1) : (uint16_t)h;
			assert_int_equal(cast_f32_bf16((float)m), even);
			assert_int_equal(cast_f64_bf16(m), even);
			assert_int_equal(cast_f64_bf16(m + d), h + 1);
			assert_int_equal(cast_f64_bf16(m - d), h);
		}
	}
	assert_int_equal(cast_f32_f16(65519.996f), 0x7bff);
	assert_int_equal(cast_f32_f16(65520.f), 0x7c00);
	assert_int_equal(cast_f64_f16(65519.999999999), 0x7bff);
	assert_int_equal(cast_f32_f16(0x1p-25f), 0);
	assert_int_equal(cast_f32_f16(0x1.000002p-25f), 1);
	assert_int_equal(cast_f64_f16(-1e300), 0xfc00);
	assert_int_equal(cast_f64_f16(1e-300), 0);
	assert_int_equal(cast_f64_bf16(1e300), 0x7f80);
	assert_true(round_f16(1.0001f) == 1 && round_bf16(257) == 256 && round_f16(-0.0f) == 0);
}

/* ---- random words ---- */

static void test_philox(void **state)
{
	(void)state;
	/* known answers of the authors' Random123 */
	uint32_t a = 0, b = 0, c = 0, d = 0;
	philox_4x32(0, &a, &b, &c, &d);
	assert_true(a == 0x6627e8d5 && b == 0xe169c58d && c == 0xbc57ac4c && d == 0x9b00dbd8);
	a = b = c = d = 0xffffffff;
	philox_4x32(UINT64_MAX, &a, &b, &c, &d);
	assert_true(a == 0x408f276d && b == 0x41c83b0e && c == 0xa20bc7c6 && d == 0x6d5451fd);
	a = 0x243f6a88, b = 0x85a308d3, c = 0x13198a2e, d = 0x03707344;
	philox_4x32(0x299f31d0a4093822, &a, &b, &c, &d);
	assert_true(a == 0xd16cfe09 && b == 0x94fdcceb && c == 0x5001e420 && d == 0x24126ea1);

	/* the words where they go */
	assert_true(uniform_f32(0, 0, 0) == 0x6627e8 * 0x1p-24);
	assert_true(uniform_f64(0, 0, 0) == (double)(0x6627e8d5e169c58d >> 11) * 0x1p-53);
	assert_true(key_at_a(0x9e3779b97f4a7c15, 0, 0) == 0xe169c58d6627e8d5);
	assert_true(key_at_b(0x9e3779b97f4a7c15, 0, 0) == 0x9b00dbd8bc57ac4c);
	assert_true(uniform_f64(UINT64_MAX, UINT64_MAX, UINT64_MAX) == (double)(0x408f276d41c83b0e >> 11) * 0x1p-53);

	/* moments of 100 000 numbers; the standard error of a mean is 0.003, of these sums at most 0.03 */
	double sum[5] = { 0 }, sum_f32[5] = { 0 }, mean = 0;
	int n = 100000;
	for (int i = 0; i < n; i++) {
		double x = normal_f64(7, 3, (uint64_t)i), y = (double)normal_f32(7, 3, (uint64_t)i), p = 1, q = 1;
		for (int k = 0; k < 5; k++, p *= x, q *= y) sum[k] += p / n, sum_f32[k] += q / n;
		mean += uniform_f64(1, 2, (uint64_t)i) / n;
	}
	double want[5] = { 1, 0, 1, 0, 3 }, tolerance[5] = { 1e-9, 0.02, 0.03, 0.07, 0.2 };
	for (int k = 0; k < 5; k++) {
		assert_true(absq(sum[k] - want[k]) < tolerance[k]);
		assert_true(absq(sum_f32[k] - want[k]) < tolerance[k]);
	}
	assert_true(absq(mean - 0.5) < 0.005);

	/* normal against its formula in binary128 */
	for (uint64_t i = 0; i < 1000; i++) {
		uint32_t w[4] = { (uint32_t)i, 0, 9, 0 };
		philox_4x32(5, &w[0], &w[1], &w[2], &w[3]);
		Q turn = 6.28318530717958647692528676655900577Q;
		Q u = ((Q)(((uint64_t)w[0] << 32 | w[1]) >> 11) + 1) * 0x1p-53Q, v = (Q)(((uint64_t)w[2] << 32 | w[3]) >> 11) * 0x1p-53Q;
		assert_true(error_f64(normal_f64(5, 9, i), sqrtf128(-2 * logf128(u)) * cosf128(turn * v), 0) < 4);
		float g = (float)(w[0] >> 8) * 0x1p-24f + (float)((w[0] & 255) << 9 | (w[1] & 255) << 1 | 1) * 0x1p-41f;
		u = g, v = (w[1] >> 8) * 0x1p-24Q;
		assert_true(error_f32(normal_f32(5, 9, i), sqrtf128(-2 * logf128(u)) * cosf128(turn * v), 0) < 4);
	}
}

/* ---- complex numbers ---- */

static int near(C128 x, double re, double im)
{
	return absq(x.re - re) <= 1e-15 * (1 + absq(re)) && absq(x.im - im) <= 1e-15 * (1 + absq(im));
}

static void test_complex(void **state)
{
	(void)state;
	C128 x = { 3, -4 }, y = { 1, 2 };
	assert_true(near(mul_c128(x, y), 11, 2) && near(div_c128(x, y), -1, -2) && abs_c128(x) == 5);
	assert_true(near(sqrt_c128(x), 2, -1) && near(sqrt_c128((C128){ -4, 0 }), 0, 2) && near(sqrt_c128((C128){ -4, -0.0 }), 0, -2));
	assert_true(near(sqrt_c128((C128){ 0, 0 }), 0, 0) && sqrt_c128((C128){ -1e300, 0 }).im > 9.9e149);
	assert_true(near(exp_c128((C128){ 0, 3.14159265358979323846 }), -1, 0) && exp_c128((C128){ 1, 0 }).im == 0);
	assert_true(near(log_c128((C128){ -1, 0 }), 0, 3.14159265358979323846) && near(log_c128((C128){ -1, -0.0 }), 0, -3.14159265358979323846));
	assert_true(near(pow_c128(x, (C128){ 2, 0 }), -7, -24) && near(pow_c128((C128){ 0, 0 }, (C128){ 0, 0 }), 1, 0));
	assert_true(div_c128((C128){ 1e300, 1e300 }, (C128){ 1e300, 1e300 }).re == 1);
	assert_true(eq_c128(x, x) && ne_c64((C64){ 1, 2 }, (C64){ 1, 3 }) && mul_c64((C64){ 0, 1 }, (C64){ 0, 1 }).re == -1);
	assert_true(conj_c64((C64){ 1, 2 }).im == -2 && cast_i8_c64(-3).re == -3 && cast_c128_bool((C128){ 0, 1 }) == 1);
	C128 r = exp_c128(log_c128((C128){ 0.3, -2.7 }));
	assert_true(near(r, 0.3, -2.7));
}

/* against sums of real functions in binary128, componentwise in ulp of the modulus; nothing overflows on the way */
static void test_complex_functions(void **state)
{
	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		double re = 40 * random_unit() - 20, im = 40 * random_unit() - 20;
		C128 x = { re, im }, s = sin_c128(x), c = cos_c128(x), t = tanh_c128(x);
		Q size = sqrtf128(coshf128(im) * coshf128(im));
		assert_true(absq(s.re - sinf128(re) * coshf128(im)) < 1e-15Q * size && absq(s.im - cosf128(re) * sinhf128(im)) < 1e-15Q * size);
		assert_true(absq(c.re - cosf128(re) * coshf128(im)) < 1e-15Q * size && absq(c.im + sinf128(re) * sinhf128(im)) < 1e-15Q * size);
		Q d = sinhf128(re) * sinhf128(re) + cosf128(im) * cosf128(im);
		Q a = sinhf128(re) * coshf128(re) / d, b = sinf128(im) * cosf128(im) / d, m = absq(a) + absq(b);
		if (absq(t.re - a) > 2e-15Q * m || absq(t.im - b) > 2e-15Q * m) fail_msg("tanh_c128(%.17g, %.17g)", re, im);
	}
	/* e^800*1e-200 is a number though e^800 is none */
	Q want = expf128(800) * sinf128(1e-200Q);
	assert_true(absq(exp_c128((C128){ 800, 1e-200 }).im / want - 1) < 1e-14Q);
	assert_true(absq(sin_c128((C128){ 1e-200, 800 }).re / (want / 2) - 1) < 1e-14Q);
	assert_true(absq(cos_c128((C128){ 1e-200, 800 }).im / (-want / 2) - 1) < 1e-14Q);
	/* what is smaller than any normal number is not halved before it grows or meets its scale */
	assert_true(absq(sin_c128((C128){ 0x1p-1074, 750 }).re / (expf128(750) * 0x1p-1075Q) - 1) < 1e-14Q);
	C128 root = sqrt_c128((C128){ 0, 0x1p-1074 });
	assert_true(absq(root.re / sqrtf128(0x1p-1075Q) - 1) < 0x1p-50Q && absq(root.im / sqrtf128(0x1p-1075Q) - 1) < 0x1p-50Q);
	/* four factors e^(x/4) once made 3 ulp of e^x */
	double most = cos_c128((C128){ 0, 709.858484 }).re;
	assert_true(absq(most / (expf128(709.858484) / 2) - 1) < 0x1p-52Q);
	C128 far = tanh_c128((C128){ 1000, 1 }), left = tanh_c128((C128){ -INF, NAN_ });
	assert_true(far.re == 1 && far.im == 0 && left.re == -1 && left.im == 0);
	C128 zero = sin_c128((C128){ -0.0, 0 }), flat = cos_c128((C128){ 0, 2 });
	assert_true(same(zero.re, -0.0) && same(zero.im, 0) && same(flat.im, -0.0));
	assert_true(same(tanh_c128((C128){ 0, -0.0 }).im, -0.0) && sin_c64((C64){ 1, 0 }).re == (float)sin_f64(1));
}

/* The f32 number nearest to an odd number of quarter turns: its cosine, from the C library's in double, is 1.6e-9. */
static void test_cos_beside_zero(void **state)
{
	(void)state;
	float x = 7.72917892e+28f, y = cos_f32(x);
	double right = __builtin_cos((double)x);
	assert_true(__builtin_fabs((double)y - right) < __builtin_fabs(right) * 0x1p-24);
	assert_true(cos_f32(-x) == y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cos_beside_zero),
		cmocka_unit_test(test_unary), cmocka_unit_test(test_binary), cmocka_unit_test(test_polygamma),
		cmocka_unit_test(test_promises), cmocka_unit_test(test_integers), cmocka_unit_test(test_casts),
		cmocka_unit_test(test_halves), cmocka_unit_test(test_philox), cmocka_unit_test(test_complex),
		cmocka_unit_test(test_complex_functions),
	};
	return cmocka_run_group_tests_name("math", tests, NULL, NULL);
}
