/* near.c - references in double for inputs of f32: the C library's scalar functions, and forms made of them.
 * Where these cancel or the library has none, long double serves.  Their relative error stays below NEAR_RELATIVE,
 * beside zeros of the function their absolute error below NEAR_ABSOLUTE; check_math holds a sample of them
 * against MPFR. */
#include "accuracy.h"
#include <math.h>

Quad quad_lbeta(Quad, Quad);

#define LIBM(name) double near_##name(double x) { return name(x); }
LIBM(exp) LIBM(exp2) LIBM(exp10) LIBM(expm1) LIBM(log) LIBM(log2) LIBM(log10) LIBM(log1p) LIBM(sqrt) LIBM(cbrt)
LIBM(sin) LIBM(cos) LIBM(tan) LIBM(asin) LIBM(acos) LIBM(atan) LIBM(sinh) LIBM(cosh) LIBM(tanh)
LIBM(asinh) LIBM(acosh) LIBM(atanh) LIBM(erf) LIBM(erfc)

double near_pow(double x, double y)   { return pow(x, y); }
double near_atan2(double y, double x) { return atan2(y, x); }
double near_hypot(double x, double y) { return hypot(x, y); }

static const long double pi_l = 3.141592653589793238462643383279502884L;
static const long double root_half = 0.707106781186547524400844362104849039L;

/* ---- exponentials and logarithms ---- */

double near_rsqrt(double x)       { return 1 / sqrt(x); }
double near_sigmoid(double x)     { return 1 / (1 + exp(-x)); }
double near_softplus(double x)    { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
double near_log_sigmoid(double x) { return x == 0 ? -log(2) : -near_softplus(-x); }
double near_log1mexp(double x)    { return x < 0.7 ? log(-expm1(-x)) : log1p(-exp(-x)); }
double near_logit(double x)       { return x > 0.25 && x < 0.75 ? log1p((2 * x - 1) / (1 - x)) : log(x / (1 - x)); }
double near_silu(double x)        { return x < -1e4 ? -0.0 : x / (1 + exp(-x)); }

double near_logaddexp(double x, double y)
{
	double m = fmax(x, y), d = x == y ? 0 : fabs(x - y);
	return x != x || y != y ? x + y : m + log1p(exp(-d));
}

double near_xlogy(double x, double y) { return x == 0 && y == y ? 0 : x * log(y); }

/* ---- of pi*x, whole turns taken off exactly ---- */

double near_sinpi(double x)
{
	double r = remainder(x, 2), a = fabs(r);
	double y = a > 0.75 ? sin(M_PI * (1 - a)) : a > 0.25 ? cos(M_PI * (0.5 - a)) : sin(M_PI * a);
	return copysign(y, r == 0 || a == 1 ? x : r);
}

double near_cospi(double x)
{
	double a = fabs(remainder(x, 2));
	return a > 0.75 ? -cos(M_PI * (1 - a)) : a > 0.25 ? sin(M_PI * (0.5 - a)) : cos(M_PI * a);
}

double near_tanpi(double x)  { return near_sinpi(x) / near_cospi(x); }
double near_sinc(double x)   { return x == 0 ? 1 : isinf(x) ? 0 : near_sinpi(x) / (M_PI * x); }

/* ---- the error function and its kin ---- */

double near_erfcx(double x)
{
	long double t = x, z = 1 / (2 * t * t), s = 1;
	if (x < 20)
		return expl(t * t) * erfcl(t);
	for (int k = 20; k > 0; k--)
		s = 1 - (2 * k - 1) * z * s;
	return s / (t * sqrtl(pi_l));
}

double near_ndtr(double x) { return 0.5L * erfcl(-x * root_half); }
double near_gelu(double x) { return x == -INFINITY ? -0.0 : x * (0.5L * erfcl(-x * root_half)); }

double near_gelu_tanh(double x)
{
	long double u = 0.797884560802865355879892119868763737L * (x + 0.044715L * ((long double)x * x * x));
	return x < -1e3 ? -0.0 : x / (1 + expl(-2 * u));
}

double near_log_ndtr(double x)
{
	long double t = x;
	if (x > -12)
		return x > 0 ? log1pl(-0.5L * erfcl(t * root_half)) : logl(0.5L * erfcl(-t * root_half));
	long double z = 1 / (t * t), s = 0;
	for (int k = 20; k > 0; k--)
		s = -(2 * k - 1) * z * (1 + s);
	return x == -INFINITY ? x : -0.5L * t * t - logl(-t) - 0.918938533204672741780329736405617640L + log1pl(s);
}

/* Newton's steps on erf, or erfc near 1 */
double near_erfinv(double x)
{
	long double a = fabs(x), rest = 1 - a;
	if (!(a < 1))
		return a == 1 ? x * INFINITY : NAN;
	long double w = -logl((1 - a) * (1 + a)), y = a < 0.9L ? a * 0.886L : sqrtl(w - 0.5L * logl(w + 1));
	for (int i = 0; i < 40; i++) {
		long double e = (a < 0.5L ? erfl(y) - a : rest - erfcl(y)) * 0.886226925452758013649083741670572591L * expl(y * y);
		long double step = e / (1 + y * e);
		y -= step;
		if (fabsl(step) <= 0x1p-58L * y)
			break;
	}
	return copysign((double)(a < 1e-12L ? a * 0.886226925452758013649083741670572591L : y), x);
}

/* ---- the gamma function and its kin ---- */

double near_gamma(double x)  { return x == -INFINITY ? NAN : tgamma(x); }
double near_lgamma(double x) { int s; return lgamma_r(x, &s); }

double near_lbeta(double x, double y) { return (double)quad_lbeta(x, y); }

/* derivative number n + 1 of lgamma for n = 0 and 1: recurrence to 20, then Stirling's series; reflection below 0 */
static long double polygamma_right(int n, long double x)
{
	static const long double bernoulli[] = { 1 / 6.L, -1 / 30.L, 1 / 42.L, -1 / 30.L, 5 / 66.L, -691 / 2730.L, 7 / 6.L,
		-3617 / 510.L, 43867 / 798.L, -174611 / 330.L };
	long double sum = 0;
	for (; x < 20; x += 1)
		sum += n == 0 ? -1 / x : 1 / (x * x);
	long double r = 1 / x, z = r * r, p = n == 0 ? z : z * r;
	sum += n == 0 ? logl(x) - 0.5L * r : r + 0.5L * z;
	for (int k = 0; k < 10; k++, p *= z)
		sum += n == 0 ? -bernoulli[k] * p / (2 * k + 2) : bernoulli[k] * p;
	return sum;
}

static long double turned(long double x, long double *cosine)
{
	long double d = x - rintl(x);
	*cosine = cosl(pi_l * d);
	return sinl(pi_l * d);
}

double near_digamma(double x)
{
	long double c, s = turned(x, &c);
	if (x == 0) return -1 / x;
	if (x < 0) return x == floor(x) ? NAN : polygamma_right(0, 1 - (long double)x) - pi_l * c / s;
	return x == INFINITY ? x : polygamma_right(0, x);
}

double near_trigamma(double x)
{
	long double c, s = turned(x, &c);
	if (x <= 0 && x == floor(x)) return INFINITY;
	if (x < 0) return pi_l * pi_l / (s * s) - polygamma_right(1, 1 - (long double)x);
	return x == INFINITY ? 0 : polygamma_right(1, x);
}

/* ---- Bessel's I of order 0 and 1 times e^-|x|: power series, beyond 32 the asymptotic one ---- */

static double bessel(double x, int order)
{
	long double a = fabs(x), sum = 1, t = 1;
	if (a > 32) {
		for (int k = 1; k < 30; k++) {
			t *= ((2.0L * k - 1) * (2 * k - 1) - 4 * order) / (8 * k * a);
			sum += t;
		}
		return isinf(x) ? 0 * x : copysign((double)(sum / sqrtl(2 * pi_l * a)), order ? x : 1);
	}
	long double z = 0.25L * a * a;
	for (int k = 1; k < 90; k++) {
		t *= z / ((long double)k * (k + order));
		sum += t;
	}
	return (double)(sum * expl(-a)) * (order ? 0.5 * x : 1);
}

double near_i0e(double x) { return x != x ? x : bessel(x, 0); }
double near_i1e(double x) { return x != x ? x : bessel(x, 1); }
