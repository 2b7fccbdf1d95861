/* test_pairs.c - functions that belong together: one undoes the other, within a bound; one is the derivative of the other
 * by the rule that rules/derivative.por has, at every scale and across the places where formulas change. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "math/math.h"

enum { SAMPLES = 20000 };

static uint64_t seed = 11;

static uint64_t random_bits(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d;
}

static double unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

/* uniform in the interval, or of one of its ends' signs and any size down to 2^-40 of it */
static double between(double a, double b)
{
	double u = a + (b - a) * unit(), end = random_bits() & 1 ? a : b, v = end * exp2_f64(-40 * unit());
	return random_bits() & 1 || v < a || v > b ? u : v;
}

/* ---- inverses ---- */

/* g undoes f on [from, to]; f errs by fewer than `f_ulp` neighbours, g by fewer than `g_ulp`, and x is then found again
 * between what g makes of the numbers so far beside f(x), give or take its own error */
typedef struct Inverse {
	const char *name;
	double from, to;
	int f_ulp, g_ulp;
	float (*f32)(float), (*g32)(float);
	double (*f64)(double), (*g64)(double);
} Inverse;

#define PAIR(f, g, from, to, f_ulp, g_ulp) \
	{ #g "(" #f "(x))", from, to, f_ulp, g_ulp, f##_f32, g##_f32, f##_f64, g##_f64 }
static const Inverse inverses[] = {
	PAIR(exp, log, -80, 80, 1, 1),          PAIR(log, exp, 1e-30, 1e30, 1, 1),
	PAIR(exp2, log2, -120, 120, 1, 1),      PAIR(log2, exp2, 1e-30, 1e30, 1, 1),
	PAIR(exp10, log10, -37, 37, 1, 1),      PAIR(log10, exp10, 1e-30, 1e30, 1, 1),
	PAIR(expm1, log1p, -15, 80, 1, 1),      PAIR(log1p, expm1, -0.999, 1e30, 1, 1),
	PAIR(sin, asin, -1.5, 1.5, 1, 1),       PAIR(asin, sin, -1, 1, 1, 1),
	PAIR(cos, acos, 0.1, 3.1, 1, 1),        PAIR(acos, cos, -1, 1, 1, 1),
	PAIR(tan, atan, -1.5, 1.5, 1, 1),       PAIR(atan, tan, -1e6, 1e6, 1, 1),
	PAIR(sinh, asinh, -80, 80, 1, 2),       PAIR(asinh, sinh, -1e30, 1e30, 2, 1),
	PAIR(cosh, acosh, 0.1, 80, 1, 2),       PAIR(acosh, cosh, 1, 1e30, 2, 1),
	PAIR(tanh, atanh, -8, 8, 1, 2),         PAIR(atanh, tanh, -1, 1, 2, 1),
	PAIR(erf, erfinv, -3, 3, 1, 4),         PAIR(erfinv, erf, -1, 1, 4, 1),
	PAIR(sigmoid, logit, -80, 15, 1, 2),    PAIR(logit, sigmoid, 1e-30, 1, 2, 1),
};

static float moved_f32(float x, int n, float to)
{
	for (; n > 0; n--) x = nextafterf(x, to);
	return x;
}

static double moved_f64(double x, int n, double to)
{
	for (; n > 0; n--) x = nextafter(x, to);
	return x;
}

/* NaN and infinities lie outside the domain of g: then that side proves nothing */
static int inside_f32(const Inverse *p, float x)
{
	float y = p->f32(x), a = p->g32(moved_f32(y, p->f_ulp, -INFINITY)), b = p->g32(moved_f32(y, p->f_ulp, INFINITY));
	float low = a < b ? a : b, high = a < b ? b : a;
	low = a - a != 0 || b - b != 0 ? -INFINITY : low, high = a - a != 0 || b - b != 0 ? INFINITY : high;
	return moved_f32(low, p->g_ulp, -INFINITY) <= x && x <= moved_f32(high, p->g_ulp, INFINITY);
}

static int inside_f64(const Inverse *p, double x)
{
	double y = p->f64(x), a = p->g64(moved_f64(y, p->f_ulp, -INFINITY)), b = p->g64(moved_f64(y, p->f_ulp, INFINITY));
	double low = a < b ? a : b, high = a < b ? b : a;
	low = a - a != 0 || b - b != 0 ? -INFINITY : low, high = a - a != 0 || b - b != 0 ? INFINITY : high;
	return moved_f64(low, p->g_ulp, -INFINITY) <= x && x <= moved_f64(high, p->g_ulp, INFINITY);
}

static void test_inverses(void **state)
{
	(void)state;
	for (const Inverse *p = inverses; p < inverses + sizeof inverses / sizeof *inverses; p++)
		for (int i = 0; i < SAMPLES; i++) {
			double x = between(p->from, p->to);
			if (!inside_f64(p, x)) fail_msg("%s in f64 is %a for x = %a", p->name, p->g64(p->f64(x)), x);
			float y = (float)x;
			if (!inside_f32(p, y)) fail_msg("%s in f32 is %a for x = %a", p->name, (double)p->g32(p->f32(y)), (double)y);
		}
}

/* ---- derivatives ---- */

typedef struct Slope {
	const char *name;
	double from, to;
	double (*f)(double), (*slope)(double);
} Slope;

#define PI 3.141592653589793
#define E2(x) exp_f64(-(x) * (x))                       /* e^(-x^2) */
#define SLOPES(X) \
	X(exp, -50, 50, exp_f64(x)) X(exp2, -50, 50, y * log_f64(2)) X(exp10, -20, 20, y * log_f64(10)) \
	X(expm1, -30, 50, exp_f64(x)) X(log, 1e-9, 1e9, 1 / x) X(log2, 1e-9, 1e9, 1 / (x * log_f64(2))) \
	X(log10, 1e-9, 1e9, 1 / (x * log_f64(10))) X(log1p, -0.99, 1e9, 1 / (1 + x)) \
	X(log1mexp, 1e-3, 20, 1 / expm1_f64(x)) X(sigmoid, -30, 30, y * sigmoid_f64(-x)) X(softplus, -30, 30, sigmoid_f64(x)) \
	X(logsigmoid, -30, 30, sigmoid_f64(-x)) X(logit, 1e-3, 0.999, 1 / (x * (1 - x))) \
	X(silu, -30, 30, sigmoid_f64(x) * (1 + x * sigmoid_f64(-x))) X(sqrt, 1e-9, 1e9, 0.5 / y) X(rsqrt, 1e-9, 1e9, -0.5 * y / x) \
	X(cbrt, -1e9, 1e9, 1 / (3 * y * y)) X(sin, -30, 30, cos_f64(x)) X(cos, -30, 30, -sin_f64(x)) X(tan, -1.5, 1.5, 1 + y * y) \
	X(sinpi, -9, 9, PI * cospi_f64(x)) X(cospi, -9, 9, -PI * sinpi_f64(x)) X(sinc, -9, 9, (cospi_f64(x) - y) / x) \
	X(asin, -0.99, 0.99, 1 / sqrt_f64(1 - x * x)) X(acos, -0.99, 0.99, -1 / sqrt_f64(1 - x * x)) X(atan, -99, 99, 1 / (1 + x * x)) \
	X(sinh, -50, 50, cosh_f64(x)) X(cosh, -50, 50, sinh_f64(x)) X(tanh, -15, 15, 1 / (cosh_f64(x) * cosh_f64(x))) \
	X(asinh, -99, 99, 1 / sqrt_f64(1 + x * x)) X(acosh, 1.01, 99, 1 / sqrt_f64((x - 1) * (x + 1))) \
	X(atanh, -0.99, 0.99, 1 / ((1 - x) * (1 + x))) X(erf, -5, 5, 2 / sqrt_f64(PI) * E2(x)) X(erfc, -5, 20, -2 / sqrt_f64(PI) * E2(x)) \
	X(erfcx, -5, 20, 2 * x * y - 2 / sqrt_f64(PI)) X(erfinv, -0.99, 0.99, 0.5 * sqrt_f64(PI) / E2(y)) \
	X(ndtr, -20, 5, exp_f64(-0.5 * x * x) / sqrt_f64(2 * PI)) \
	X(log_ndtr, -50, 5, sqrt_f64(2 / PI) / erfcx_f64(-x / sqrt_f64(2))) \
	X(gelu, -20, 5, ndtr_f64(x) + x * exp_f64(-0.5 * x * x) / sqrt_f64(2 * PI)) \
	X(gamma, -9, 60, y * digamma_f64(x)) X(lgamma, -9, 1e6, digamma_f64(x)) X(digamma, -9, 1e6, trigamma_f64(x)) \
	X(trigamma, 1e-3, 1e6, polygamma_f64(2, x)) X(i0e, -40, 40, i1e_f64(x) - sign_f64(x) * y) \
	X(i1e, -40, 40, i0e_f64(x) - y / x - sign_f64(x) * y)
#define SLOPE(name, from, to, rule) \
	static double slope_##name(double x) { double y = name##_f64(x); (void)y; return rule; }
SLOPES(SLOPE)
#define ROW(name, from, to, rule) { #name, from, to, name##_f64, slope_##name },
static const Slope slopes[] = { SLOPES(ROW) };

/* The difference over five points, some ten-thousandths of the way to 0 or an end apart: good to 2^-26 of the slope, and to what
 * roundings of the values do to it. */
static void test_slopes(void **state)
{
	(void)state;
	for (const Slope *p = slopes; p < slopes + sizeof slopes / sizeof *slopes; p++)
		for (int i = 0; i < SAMPLES; i++) {
			double x = between(p->from, p->to), near = fabs(x - rint(x));
			if (p->from == -9 && x < 0.5 && near < 0.05) continue;       /* poles of the gamma functions, the removable one of sinc */
			double size = fmin(fmin(fabs(x), 1), fmin(x - p->from, p->to - x));
			double h = exp2_f64(floor(log2_f64(size)) - 12);
			if (p->from == -9 && x < 0.5) h = 0x1p-14;
			if (x - 2 * h < p->from || x + 2 * h > p->to) continue;
			double a = p->f(x - 2 * h), b = p->f(x - h), c = p->f(x + h), d = p->f(x + 2 * h);
			double got = ((a - d) + 8 * (c - b)) / (12 * h), want = p->slope(x);
			double noise = 8 * 0x1p-52 * (fabs(a) + fabs(d) + 1e-300) / h;
			if (!(fabs(got - want) <= 0x1p-26 * fabs(want) + noise))
				fail_msg("the slope of %s at %a is %.17g by its rule, %.17g by differences", p->name, x, want, got);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_inverses), cmocka_unit_test(test_slopes) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
