/* near.c - references in double for inputs of f32, as loops over vectors, compiled once for each instruction set
 * (OURS_ISA): the C library's functions, of which the compiler takes the vector forms where there are any, and forms made
 * of them.  Squares of f32 numbers are exact here.  The vector forms are slow where a result leaves the range, so
 * arguments are cut to where it is certain to round to 0 or infinity.  Relative errors stay below NEAR_RELATIVE, beside
 * zeros of a function the absolute ones below NEAR_ABSOLUTE; check_math holds a sample of them against MPFR. */
#include "accuracy.h"
#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define VECTOR(name) __attribute__((simd("notinbranch"))) double name(double);
#define VECTOR_2(name) __attribute__((simd("notinbranch"))) double name(double, double);
VECTOR(exp) VECTOR(exp2) VECTOR(exp10) VECTOR(expm1) VECTOR(log) VECTOR(log2) VECTOR(log10) VECTOR(log1p) VECTOR(cbrt)
VECTOR(sin) VECTOR(cos) VECTOR(tan) VECTOR(asin) VECTOR(acos) VECTOR(atan) VECTOR(sinh) VECTOR(cosh) VECTOR(tanh)
VECTOR(asinh) VECTOR(acosh) VECTOR(atanh) VECTOR(erf) VECTOR(erfc) VECTOR_2(pow) VECTOR_2(atan2) VECTOR_2(hypot)
#endif

#define N static inline __attribute__((always_inline)) double
#define ROOT_HALF 0.707106781186547524400844362104849039
#define HALF_LOG_2PI 0.918938533204672741780329736405617640
#define NEVER __builtin_nan("")
#define WITHOUT_END __builtin_inf()

/* 1, which the compiler does not see: it would call the library of the constant apart and of x as it is */
extern double hidden_one;
#define HIDDEN(c) ((c) * hidden_one)

N cut(double x, double end) { return x > end ? HIDDEN(end) : x < -end ? HIDDEN(-end) : x; }
N exp_cut(double x)         { return exp(cut(x, 600)); }

/* a logarithm of what may be 0 or negative */
#define LOG(f, x, edge) ((x) > (edge) ? f((x) > (edge) ? (x) : HIDDEN(2)) : (x) == (edge) ? -WITHOUT_END : NEVER)

/* ---- the C library's ---- */

N near_exp(double x)   { return exp_cut(x); }
N near_exp2(double x)  { return exp2(cut(x, 1000)); }
N near_exp10(double x) { return exp10(cut(x, 300)); }
N near_expm1(double x) { return expm1(cut(x, 600)); }
N near_log(double x)   { return LOG(log, x, 0); }
N near_log2(double x)  { return LOG(log2, x, 0); }
N near_log10(double x) { return LOG(log10, x, 0); }
N near_log1p(double x) { return LOG(log1p, x, -1); }
N near_sqrt(double x)  { return __builtin_sqrt(x); }
N near_rsqrt(double x) { return 1 / __builtin_sqrt(x); }
N near_cbrt(double x)  { return cbrt(x); }
N near_sin(double x)   { return sin(x); }
N near_cos(double x)   { return cos(x); }
N near_tan(double x)   { return tan(x); }
N near_asin(double x)  { return asin(fabs(x) <= 1 ? x : HIDDEN(0.5)) * (fabs(x) <= 1 ? 1 : NEVER); }
N near_acos(double x)  { return acos(fabs(x) <= 1 ? x : HIDDEN(0.5)) * (fabs(x) <= 1 ? 1 : NEVER); }
N near_atan(double x)  { return atan(x); }
N near_sinh(double x)  { return sinh(cut(x, 600)); }
N near_cosh(double x)  { return cosh(cut(x, 600)); }
N near_tanh(double x)  { return tanh(cut(x, 600)); }
N near_asinh(double x) { return asinh(x); }
N near_acosh(double x) { return acosh(x >= 1 ? x : HIDDEN(2)) * (x >= 1 ? 1 : NEVER); }
N near_atanh(double x)
{
	double a = fabs(x);
	return atanh(a < 1 ? x : copysign(HIDDEN(0.5), x)) * (a < 1 ? 1 : a == 1 ? WITHOUT_END : NEVER);
}

N near_erf(double x)   { return erf(x); }
N near_erfc(double x)  { return erfc(cut(x, 26)); }

N near_pow(double x, double y)   { return pow(x, y); }
N near_atan2(double y, double x) { return atan2(y, x); }
N near_hypot(double x, double y) { return hypot(x, y); }

/* ---- exponentials and logarithms ---- */

N near_sigmoid(double x)    { return 1 / (1 + exp_cut(-x)); }
N near_softplus(double x)   { return (x > 0 ? x : 0) + log1p(exp_cut(x > 0 ? -x : x)); }
N near_logsigmoid(double x) { return -near_softplus(-x); }
N near_silu(double x)       { return (x < -600 ? -600 : x) / (1 + exp_cut(-x)); }

N near_log1mexp(double x)
{
	double a = log(-expm1(x > 0 ? (x < 0.7 ? -x : HIDDEN(-0.7)) : HIDDEN(-0.7))), b = log1p(-exp_cut(x > 0.7 ? -x : HIDDEN(-1.3)));
	return x > 0 ? (x < 0.7 ? a : b) : x == 0 ? -WITHOUT_END : NEVER;
}

N near_logit(double x)
{
	double c = x > 0 ? (x < 1 ? x : HIDDEN(0.6)) : HIDDEN(0.6), a = log1p((2 * c - 1) / (1 - c)), b = log(c / (1 - c));
	double y = fabs(c - 0.5) < 0.25 ? a : b;
	y = x > 0 ? (x < 1 ? y : NEVER) : NEVER;
	return x == 0 ? -WITHOUT_END : x == 1 ? WITHOUT_END : y;
}

N near_logaddexp(double x, double y)
{
	double m = x > y ? x : y, d = x == y ? 0 : fabs(x - y), s = m + log1p(exp_cut(-d));
	return x != x || y != y ? NEVER : s;
}

N near_xlogy(double x, double y)
{
	double l = LOG(log, y, 0);
	return x == 0 && y == y ? 0 : x * l;
}

/* ---- of pi*x, whole turns taken off exactly ---- */

N near_sinpi(double x)
{
	double r = x - 2 * __builtin_rint(0.5 * x), a = fabs(r), y = sin(M_PI * (a > 0.5 ? 1 - a : a));
	return copysign(y, r == 0 || a == 1 ? x : r);
}

N near_cospi(double x) { return sin(M_PI * (0.5 - fabs(x - 2 * __builtin_rint(0.5 * x)))); }

N near_sinc(double x)
{
	double y = near_sinpi(x) / (M_PI * x);
	return x == 0 ? 1 : fabs(x) == WITHOUT_END ? 0 : y;
}

/* ---- the error function and its kin ---- */

/* e^(x^2)*erfc(x) for x >= 0: by that to 10, then the asymptotic series */
N erfcx_right(double x)
{
	double a = x > 10 ? x : HIDDEN(10), z = 1 / (2 * a * a), s = 1, b = x < 10 ? x : HIDDEN(10);
	for (int k = 12; k > 0; k--)
		s = 1 - (2 * k - 1) * z * s;
	double near = exp(b * b) * erfc(b), far = s / (a * sqrt(M_PI));
	return x < 10 ? near : far;
}

N near_erfcx(double x)
{
	double r = erfcx_right(fabs(x)), l = 2 * exp_cut(x * x) - r;
	return x < 0 ? l : x >= 0 ? r : x;
}

N near_ndtr(double x) { return 0.5 * near_erfc(-x * ROOT_HALF); }
N near_gelu(double x) { return (x < -30 ? -30 : x) * near_ndtr(x); }

N near_gelu_tanh(double x)
{
	double c = x < -30 ? -30 : x, u = 0.797884560802865355879892119868763737 * (c + 0.044715 * (c * c * c));
	return c / (1 + exp_cut(-2 * u));
}

/* left of -12 by the asymptotic series of Mills' ratio */
N near_log_ndtr(double x)
{
	double c = x < -12 ? x : HIDDEN(-12), z = 1 / (c * c), s = 0, e = 0.5 * erfc(ROOT_HALF * cut(fabs(x), 36));
#pragma GCC unroll 20
	for (int k = 20; k > 0; k--)
		s = -(2 * k - 1) * z * (1 + s);
	double far = -0.5 * c * c - log(-c) - HALF_LOG_2PI + log1p(s), near = log(e), right = log1p(-e);
	double left = x > -12 ? near : far, y = x > 0 ? right : left;
	y = x == -WITHOUT_END ? x : y;
	return x == x ? y : x;
}

/* S. Winitzki's guess (2008), then two steps of Halley on erf or, next to 1, erfc */
N near_erfinv(double x)
{
	double a = fabs(x) < 1 ? fabs(x) : HIDDEN(0.5), l = log((1 - a) * (1 + a)), h = 2 / (M_PI * 0.147) + 0.5 * l;
	double y = a < 0.1 ? 0.886 * a : sqrt(sqrt(h * h - l / 0.147) - h);
	for (int i = 0; i < 3; i++) {
		double r = a < 0.5 ? erf(y) - a : (1 - a) - erfc(y);
		double e = r * 0.886226925452758013649083741670572591 * exp(y * y);
		y -= e / (1 + y * e);
	}
	return fabs(x) < 1 ? copysign(y, x) : fabs(x) == 1 ? x * WITHOUT_END : NEVER;
}

/* ---- the gamma function and its kin, from 16 on by Stirling's series ---- */

static const double bernoulli[] = { 1 / 6., -1 / 30., 1 / 42., -1 / 30., 5 / 66., -691 / 2730., 7 / 6. };

N stirling_rest(double z)
{
	double s = 1 / (z * z), sum = 0;
	for (int k = 6; k >= 0; k--)
		sum = sum * s + bernoulli[k] / ((2 * k + 1) * (2 * k + 2));
	return sum / z;
}

/* past 50 every result is too large or too small a number; a power has not the error of an exponent */
N near_gamma(double x)
{
	double a = fabs(x) < 50 ? fabs(x) : HIDDEN(50), z = a < 16 ? a + 16 : a, p = 1, s = near_sinpi(x);
	for (int j = 0; j < 16; j++)
		p *= a < 16 ? a + j : 1;
	double g = pow(z, z - 0.5) * exp(HALF_LOG_2PI + stirling_rest(z) - z) / p;
	double y = x > 0 ? g : s == 0 ? NEVER : M_PI / (s * a * g);
	y = a < 0x1p-60 ? 1 / x : x == -WITHOUT_END ? NEVER : y;
	return x != x ? x : y;
}

N near_lgamma(double x) { int s; return lgamma_r(x, &s); }

/* log(Gamma(x)*Gamma(y)/Gamma(x + y)): both moved up to 16 by B(a, b) = B(a + 1, b)*(a + b)/a */
N near_lbeta(double x, double y)
{
	double a = x, b = y, l = 0;
#pragma GCC unroll 16
	for (int j = 0; j < 16; j++) {
		double p = x < 16 ? (a + b) / a : 1;
		a = x < 16 ? a + 1 : a;
		p *= y < 16 ? (a + b) / b : 1;
		b = y < 16 ? b + 1 : b;
		l += log(p > 0 ? p : 1);
	}
	double r = l + 0.5 * (2 * HALF_LOG_2PI - log(a)) + (stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b)) -
	           (b - 0.5) * log1p(a / b) - a * log1p(b / a);
	uint8_t zero = x == 0 || y == 0, end = x == WITHOUT_END || y == WITHOUT_END;
	return x >= 0 && y >= 0 ? (zero ? (end ? NEVER : WITHOUT_END) : end ? -WITHOUT_END : r) : NEVER;
}

/* below 0 psi(-x) - 1/x - pi*cot(pi*x) */
N near_digamma(double x)
{
	double a = fabs(x), z = a < 16 ? a + 16 : a, s = 1 / (z * z), sum = 0, g = 0;
	for (int j = 0; j < 16; j++)
		g += a < 16 ? 1 / (a + j) : 0;
	for (int k = 6; k >= 0; k--)
		sum = sum * s + bernoulli[k] / (2 * k + 2);
	double y = log(z) - 0.5 / z - sum * s - g, c = near_cospi(a) / near_sinpi(a);
	double left = a == __builtin_floor(a) ? NEVER : y + 1 / a + M_PI * c;
	return x == 0 ? -1 / x : x > 0 ? y : left;
}

/* below 0 (pi/sin(pi*x))^2 - psi'(1 - x) */
N near_trigamma(double x)
{
	double a = x < 0 ? 1 - x : x, z = a < 16 ? a + 16 : a, r = 1 / z, s = r * r, sum = 0, g = 0;
	for (int j = 0; j < 16; j++)
		g += a < 16 ? 1 / ((a + j) * (a + j)) : 0;
	for (int k = 6; k >= 0; k--)
		sum = sum * s + bernoulli[k];
	double y = g + r + 0.5 * s + sum * s * r, t = M_PI / near_sinpi(x), left = t * t - y;
	y = x < 0 ? (x == __builtin_floor(x) ? WITHOUT_END : left) : y;
	return x == 0 ? WITHOUT_END : x == -WITHOUT_END ? NEVER : y;
}

/* ---- Bessel's I of order 0 and 1 times e^-|x|: power series, beyond 20 the asymptotic one ---- */

N bessel(double x, int order)
{
	double a = fabs(x) < 20 ? fabs(x) : HIDDEN(20), z = 0.25 * a * a, t = 1, sum = 1;
#pragma GCC unroll 60
	for (int k = 1; k < 60; k++)
		t *= z * (1.0 / (k * (k + order))), sum += t;
	double near = sum * exp(-a) * (order ? 0.5 * a : 1), b = 1 / (fabs(x) > 20 ? fabs(x) : HIDDEN(20)), far = 1;
	t = 1;
#pragma GCC unroll 36
	for (int k = 1; k < 36; k++)
		t *= b * (((2.0 * k - 1) * (2 * k - 1) - 4 * order) / (8.0 * k)), far += t;
	far *= sqrt(b / (2 * M_PI));
	double y = fabs(x) < 20 ? near : far;
	return order ? copysign(y, x) : y;
}

N near_i0e(double x) { return x != x ? x : bessel(x, 0); }
N near_i1e(double x) { return x != x ? x : bessel(x, 1); }

/* ---- as loops ---- */

#define ONE(name, ...) \
	static void name##_loop(const double *restrict x, const double *y, double *restrict out, int n) \
	{ \
		(void)y; \
		for (int i = 0; i < n; i++) out[i] = near_##name(x[i]); \
	}
#define TWO(name, ...) \
	static void name##_loop(const double *restrict x, const double *restrict y, double *restrict out, int n) \
	{ \
		for (int i = 0; i < n; i++) out[i] = near_##name(x[i], y[i]); \
	}
#include "functions.h"
#undef ONE
#undef TWO

#define ONE(name, ...) name##_loop,
#define TWO(name, ...) name##_loop,
#define TABLE_(isa) near_##isa
#define TABLE(isa) TABLE_(isa)
const Near TABLE(OURS_ISA)[] = {
#include "functions.h"
};
