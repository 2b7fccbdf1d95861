/* extended.c - the quick references for inputs of f64: the C library's functions in long double, and forms
 * made of them that do not cancel.  How many bits of each are right, of its result or (with a floor) of
 * 1 where that is more, stands in functions.h; check_math holds a sample of them against MPFR. Where
 * long double is no more than double there is no use in them, and binary128 is asked at once. */
#include "accuracy.h"
#include <float.h>
#include <math.h>

typedef long double Long;

#define LIBM(name) Long extended_##name(Long x) { return name##l(x); }
LIBM(exp) LIBM(exp2) LIBM(exp10) LIBM(expm1) LIBM(log) LIBM(log2) LIBM(log10) LIBM(log1p) LIBM(sqrt) LIBM(cbrt)
LIBM(sin) LIBM(cos) LIBM(tan) LIBM(asin) LIBM(acos) LIBM(atan) LIBM(sinh) LIBM(cosh) LIBM(tanh)
LIBM(asinh) LIBM(acosh) LIBM(atanh) LIBM(erf) LIBM(erfc)

static const Long pi = 3.14159265358979323846264338327950288L, infinity = __builtin_inf();

Long extended_pow(Long x, Long y)   { return powl(x, y); }
Long extended_atan2(Long y, Long x) { return atan2l(y, x); }
Long extended_hypot(Long x, Long y) { return hypotl(x, y); }
Long extended_gamma(Long x)         { return tgammal(x); }
Long extended_lgamma(Long x)        { int sign; return lgammal_r(x, &sign); }

Long extended_rsqrt(Long x)      { return 1 / sqrtl(x); }
Long extended_sigmoid(Long x)    { return 1 / (1 + expl(-x)); }
Long extended_softplus(Long x)   { return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x)); }
Long extended_logsigmoid(Long x) { return -extended_softplus(-x); }
Long extended_log1mexp(Long x)   { return x < 0.7L ? logl(-expm1l(-x)) : log1pl(-expl(-x)); }
Long extended_silu(Long x)       { return x < -11000 ? -0.0L : x / (1 + expl(-x)); }
Long extended_xlogy(Long x, Long y) { return x == 0 && y == y ? 0 : x * logl(y); }

Long extended_logit(Long x)
{
	return x > 0.25L && x < 0.75L ? log1pl((2 * x - 1) / (1 - x)) : logl(x / (1 - x));
}

Long extended_logaddexp(Long x, Long y)
{
	if (x != x || y != y) return x + y;
	Long m = x > y ? x : y, d = x == y ? 0 : fabsl(x - y);
	return m + log1pl(expl(-d));
}

/* ---- of pi*x, whole turns taken off exactly ---- */

static Long turned(Long x) { return x - 2 * rintl(x / 2); }

Long extended_sinpi(Long x)
{
	Long r = turned(x), a = fabsl(r);
	Long y = a > 0.75L ? sinl(pi * (1 - a)) : a > 0.25L ? cosl(pi * (0.5L - a)) : sinl(pi * a);
	return copysignl(y, r == 0 || a == 1 ? x : r);
}

Long extended_cospi(Long x)
{
	Long a = fabsl(turned(x));
	return a > 0.75L ? -cosl(pi * (1 - a)) : a > 0.25L ? sinl(pi * (0.5L - a)) : cosl(pi * a);
}

Long extended_sinc(Long x) { return x == 0 ? 1 : fabsl(x) == infinity ? 0 : extended_sinpi(x) / (pi * x); }

/* ---- the error function and its kin ---- */

typedef struct Pair { Long high, low; } Pair;

static Long upper_half(Long x)
{
	Long t = x * ((1ull << (LDBL_MANT_DIG + 1) / 2) + 1);
	return t - (t - x);
}

/* a*b without error, by T. J. Dekker (1971); an infinity has no rest */
static Pair product(Long a, Long b)
{
	Long p = a * b, c = upper_half(a), d = upper_half(b), e = a - c, f = b - d;
	return (Pair){ p, p - p == 0 ? ((c * d - p) + c * f + e * d) + e * f : 0 };
}

/* erfc(x/sqrt(2)); what the rounded argument lacks goes in by the slope: erfc'(t)/erfc(t) is near
 * -(t + sqrt(t^2 + 4/pi)), and matters for large t alone */
static Long erfc_root(Long x)
{
	const Long root_half = 0.707106781186547524400844362104849039L;
	Pair t = product(x, root_half);
	if (t.high < 1) return erfcl(t.high);
	t.low += x * (Long)(0.707106781186547524400844362104849039Q - root_half);
	return erfcl(t.high) * (1 - t.low * (t.high + sqrtl(t.high * t.high + 4 / pi)));
}

/* 1 - 1/y + 3/y^2 - 15/y^3 ..., for y >= 3200 */
static Long mills(Long y)
{
	Long s = 1, r = 1 / y;
	for (int k = 8; k > 0; k--)
		s = 1 - (2 * k - 1) * r * s;
	return s;
}

Long extended_erfcx(Long x)
{
	if (x < -30) return infinity;
	if (x >= 60) return mills(2 * x * x) / (x * sqrtl(pi));
	Pair s = product(x, x);
	return expl(s.high) * (1 + s.low) * erfcl(x);
}

Long extended_log_ndtr(Long x)
{
	if (x > 0) return x == infinity ? -0.0L : x > 40 ? -0x1p-1200L : log1pl(-erfc_root(x) / 2);
	return x > -60 ? logl(erfc_root(-x) / 2) : logl(mills(x * x)) - (x * x + logl(2 * pi * x * x)) / 2;
}

Long extended_ndtr(Long x) { return erfc_root(-x) / 2; }
Long extended_gelu(Long x) { return x < -200 ? -0.0L : x * (erfc_root(-x) / 2); }

/* e^u needs u to an absolute error: u in binary128, its lower part as a factor */
Long extended_gelu_tanh(Long x)
{
	if (!(x > -1000 && x < 1000)) return x < 0 ? -0.0L : x;
	Quad q = x, u = -1.59576912160573071175978423973752675Q * (q + 0.044715Q * (q * q * q));
	Long high = (Long)u;
	return x / (1 + expl(high) * (1 + (Long)(u - high)));
}

/* S. Winitzki's guess (2008), then steps of Halley on erf or, next to 1, erfc, the last of them in long
 * double */
Long extended_erfinv(Long x)
{
	double a = (double)fabsl(x), l = log((1 - a) * (1 + a)), h = 4.3307467508 + 0.5 * l;
	if (!(a < 1)) return a == 1 ? x * infinity : __builtin_nan("");
	double g = a < 0.1 ? a * 0.886 : sqrt(sqrt(h * h - l / 0.147) - h);
	for (int i = 0; i < 2; i++) {
		double r = a < 0.5 ? erf(g) - a : (1 - a) - erfc(g), e = r * 0.886226925452758013649 * exp(g * g);
		g -= e / (1 + g * e);
	}
	Long y = g, r = a < 0.5 ? erfl(y) - a : (1 - (Long)a) - erfcl(y);
	Long e = r * 0.886226925452758013649083741670572591L * expl(y * y);
	y = a < 1e-18 ? a * 0.886226925452758013649083741670572591L : y - e / (1 + y * e);
	return copysignl(y, x);
}

/* ---- the gamma function's kin, from 10 on by Stirling's series ---- */

static const Long bernoulli[] = { 1 / 6.L, -1 / 30.L, 1 / 42.L, -1 / 30.L, 5 / 66.L, -691 / 2730.L, 7 / 6.L,
	-3617 / 510.L, 43867 / 798.L, -174611 / 330.L, 854513 / 138.L, -236364091 / 2730.L, 8553103 / 6.L };

static Long stirling_rest(Long z)
{
	Long r = 1 / z, s = r * r, sum = 0;
	for (int k = 12; k >= 0; k--)
		sum = sum * s + bernoulli[k] / ((2 * k + 1) * (2 * k + 2));
	return sum * r;
}

/* psi or psi' of x > 0: recurrence, whose terms are summed as one fraction, to 10, then Stirling's series */
static Long polygamma_right(Long x, int n)
{
	Long above = 0, below = 1;
	for (; x < 10; x += 1) {
		Long q = n ? x * x : x;
		above = above * q + below;
		below *= q;
	}
	Long r = 1 / x, s = r * r, t = 0, sum = above / below;
	for (int k = 12; k >= 0; k--)
		t = t * s + (n ? bernoulli[k] : bernoulli[k] / (2 * k + 2));
	return n ? sum + (1 + 0.5L * r + t * s) * r : logl(x) - 0.5L * r - t * s - sum;
}

/* below 0, psi(-x) - 1/x - pi*cot(pi*x) */
Long extended_digamma(Long x)
{
	if (x == 0) return -1 / x;
	if (x > 0) return x == infinity ? x : polygamma_right(x, 0);
	return x == rintl(x) ? __builtin_nan("") : polygamma_right(-x, 0) - 1 / x - pi * extended_cospi(x) / extended_sinpi(x);
}

/* below 0, (pi/sin(pi*x))^2 - psi'(1 - x) */
Long extended_trigamma(Long x)
{
	if (x > 0) return x == infinity ? 0 : polygamma_right(x, 1);
	if (x == rintl(x)) return x == -infinity ? __builtin_nan("") : infinity;
	Long t = pi / extended_sinpi(x);
	return t * t - polygamma_right(1 - x, 1);
}

/* the larger moved up to 10 by B(a, b) = B(a + 1, b)*(a + b)/a, then Stirling's series for it, and for the
 * smaller if that too is from 10 on */
Long extended_lbeta(Long x, Long y)
{
	Long a = x > y ? x : y, b = x > y ? y : x, above = 1, below = 1;
	if (!(a >= 0 && b >= 0) || (b == 0 && a == infinity)) return __builtin_nan("");
	if (b == 0) return infinity;
	if (a == infinity) return -infinity;
	for (; a < 10; a += 1) {
		above *= a + b;
		below *= a;
	}
	Long l = logl(above / below), rest = stirling_rest(a) - stirling_rest(a + b);
	if (b < 10) return l + extended_lgamma(b) - (a - 0.5L) * log1pl(b / a) - b * (logl(a + b) - 1) + rest;
	return l + logl(2 * pi / a) / 2 + (stirling_rest(b) + rest) - (b - 0.5L) * log1pl(a / b) - a * log1pl(b / a);
}

/* ---- Bessel's I of order 0 and 1 times e^-|x|: the power series, beyond 30 the asymptotic one ---- */

static Long bessel(Long x, int order)
{
	Long a = fabsl(x), sum = 1, t = 1;
	bool far = a > 30;
	Long z = far ? 1 / (8 * a) : a * a / 4;
	for (int k = 1; k < 60 + 60 * !far && fabsl(t) > sum * LDBL_EPSILON / 16; k++) {
		t *= far ? z * ((2 * k - 1) * (2 * k - 1) - 4 * order) / k : z / (k * (k + order));
		sum += t;
	}
	Long y = far ? sum / sqrtl(2 * pi * a) : sum * expl(-a) * (order ? a / 2 : 1);
	return order ? copysignl(y, x) : y;
}

Long extended_i0e(Long x) { return x != x ? x : fabsl(x) == infinity ? 0 : bessel(x, 0); }
Long extended_i1e(Long x) { return x != x ? x : fabsl(x) == infinity ? copysignl(0, x) : bessel(x, 1); }
