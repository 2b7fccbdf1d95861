/* wide.c - references in binary128 for inputs of f64: the C library's, and forms made of them that do not cancel.
 * Their relative error stays below WIDE_RELATIVE; a sample of them is held against MPFR. */
#include "accuracy.h"
#include <math.h>

Quad expf128(Quad), exp2f128(Quad), exp10f128(Quad), expm1f128(Quad), logf128(Quad), log2f128(Quad), log10f128(Quad);
Quad log1pf128(Quad), sqrtf128(Quad), cbrtf128(Quad), sinf128(Quad), cosf128(Quad), tanf128(Quad), asinf128(Quad);
Quad acosf128(Quad), atanf128(Quad), atan2f128(Quad, Quad), hypotf128(Quad, Quad), sinhf128(Quad), coshf128(Quad);
Quad tanhf128(Quad), asinhf128(Quad), acoshf128(Quad), atanhf128(Quad), erff128(Quad), erfcf128(Quad), tgammaf128(Quad);
Quad lgammaf128(Quad), powf128(Quad, Quad), remainderf128(Quad, Quad), rintf128(Quad), copysignf128(Quad, Quad), fabsf128(Quad);

#define LIBM(name) Quad quad_##name(Quad x) { return name##f128(x); }
LIBM(exp) LIBM(exp2) LIBM(exp10) LIBM(expm1) LIBM(log) LIBM(log2) LIBM(log10) LIBM(log1p) LIBM(sqrt) LIBM(cbrt)
LIBM(sin) LIBM(cos) LIBM(tan) LIBM(asin) LIBM(acos) LIBM(atan) LIBM(sinh) LIBM(cosh) LIBM(tanh)
LIBM(asinh) LIBM(acosh) LIBM(atanh) LIBM(erf) LIBM(erfc) LIBM(lgamma)

static const Quad pi = 3.14159265358979323846264338327950288Q, root_half = 0.707106781186547524400844362104849039Q;
static const Quad infinity = __builtin_inf(), none = __builtin_nan("");

Quad quad_pow(Quad x, Quad y)   { return powf128(x, y); }
Quad quad_atan2(Quad y, Quad x) { return atan2f128(y, x); }
Quad quad_hypot(Quad x, Quad y) { return hypotf128(x, y); }
Quad quad_gamma(Quad x)         { return x == -infinity ? none : x == 0 ? 1 / x : tgammaf128(x); }

Quad quad_rsqrt(Quad x)       { return 1 / sqrtf128(x); }
Quad quad_sigmoid(Quad x)     { return 1 / (1 + expf128(-x)); }
Quad quad_softplus(Quad x)    { return x > 0 ? x + log1pf128(expf128(-x)) : log1pf128(expf128(x)); }
Quad quad_logsigmoid(Quad x) { return -quad_softplus(-x); }
Quad quad_log1mexp(Quad x)    { return x < 0.7Q ? logf128(-expm1f128(-x)) : log1pf128(-expf128(-x)); }
Quad quad_silu(Quad x)        { return x < -11000 ? -0.0Q : x / (1 + expf128(-x)); }

Quad quad_logit(Quad x)
{
	return x > 0.25Q && x < 0.75Q ? log1pf128((2 * x - 1) / (1 - x)) : logf128(x / (1 - x));
}

Quad quad_logaddexp(Quad x, Quad y)
{
	if (x != x || y != y) return x + y;
	Quad m = x > y ? x : y, d = x == y ? 0 : fabsf128(x - y);
	return m + log1pf128(expf128(-d));
}

Quad quad_xlogy(Quad x, Quad y) { return x == 0 && y == y ? 0 : x * logf128(y); }

Quad quad_sinpi(Quad x)
{
	Quad r = remainderf128(x, 2), a = fabsf128(r);
	Quad y = a > 0.75Q ? sinf128(pi * (1 - a)) : a > 0.25Q ? cosf128(pi * (0.5Q - a)) : sinf128(pi * a);
	return copysignf128(y, r == 0 || a == 1 ? x : r);
}

Quad quad_cospi(Quad x)
{
	Quad a = fabsf128(remainderf128(x, 2));
	return a > 0.75Q ? -cosf128(pi * (1 - a)) : a > 0.25Q ? sinf128(pi * (0.5Q - a)) : cosf128(pi * a);
}

Quad quad_tanpi(Quad x) { return quad_sinpi(x) / quad_cospi(x); }
Quad quad_sinc(Quad x)  { return x == 0 ? 1 : fabsf128(x) == infinity ? 0 : quad_sinpi(x) / (pi * x); }

/* 1 - 1/y + 3/y^2 - 15/y^3 ..., for y >= 3200 */
static Quad mills(Quad y)
{
	Quad s = 1;
	for (int k = 14; k > 0; k--)
		s = 1 - (2 * k - 1) / y * s;
	return s;
}

Quad quad_erfcx(Quad x)
{
	return x < 60 ? expf128(x * x) * erfcf128(x) : mills(2 * x * x) / (x * sqrtf128(pi));
}

Quad quad_log_ndtr(Quad x)
{
	if (x > 0) return x == infinity ? -0.0Q : x > 40 ? -0x1p-1200Q : log1pf128(-erfcf128(x * root_half) / 2);
	if (x > -60) return logf128(erfcf128(-x * root_half) / 2);
	return x == -infinity ? x : logf128(mills(x * x)) - (x * x + logf128(2 * pi * x * x)) / 2;
}

Quad quad_ndtr(Quad x)  { return erfcf128(-x * root_half) / 2; }
Quad quad_gelu(Quad x)  { return x < -200 ? -0.0Q : x * (erfcf128(-x * root_half) / 2); }

Quad quad_gelu_tanh(Quad x)
{
	Quad u = 0.797884560802865355879892119868763737Q * (x + 0.044715Q * (x * x * x));
	return x < -1000 ? -0.0Q : x / (1 + expf128(-2 * u));
}

static const Quad bernoulli[] = { 1 / 6.Q, -1 / 30.Q, 1 / 42.Q, -1 / 30.Q, 5 / 66.Q, -691 / 2730.Q, 7 / 6.Q,
	-3617 / 510.Q, 43867 / 798.Q, -174611 / 330.Q, 854513 / 138.Q, -236364091 / 2730.Q, 8553103 / 6.Q };

/* what Stirling's series adds to (z - 1/2)*log z - z + log(2 pi)/2, for z >= 40 */
static Quad stirling_rest(Quad z)
{
	Quad s = 0, p = 1 / z;
	for (int k = 0; k < 13; k++, p /= z * z)
		s += bernoulli[k] * p / ((2 * k + 1) * (2 * k + 2));
	return s;
}

/* psi or psi' of x > 0: recurrence to 40, then Stirling's series */
static Quad polygamma_right(Quad x, int n)
{
	Quad sum = 0;
	for (; x < 40; x += 1)
		sum += n ? 1 / (x * x) : 1 / x;
	Quad s = 1 / (x * x), t = 0;
	for (int k = 12; k >= 0; k--)
		t = t * s + (n ? bernoulli[k] : bernoulli[k] / (2 * k + 2));
	return n ? sum + (1 + 0.5Q / x + t * s) / x : logf128(x) - 0.5Q / x - t * s - sum;
}

/* below 0, psi(-x) - 1/x - pi*cot(pi*x) */
Quad quad_digamma(Quad x)
{
	if (x == 0) return -1 / x;
	if (x < 0) return x == rintf128(x) ? none : polygamma_right(-x, 0) - 1 / x - pi / quad_tanpi(x);
	return x == infinity ? x : polygamma_right(x, 0);
}

/* below 0, (pi/sin(pi*x))^2 - psi'(1 - x) */
Quad quad_trigamma(Quad x)
{
	if (x == -infinity) return none;
	if (x <= 0 && x == rintf128(x)) return infinity;
	Quad t = pi / quad_sinpi(x);
	return x < 0 ? t * t - polygamma_right(1 - x, 1) : x == infinity ? 0 : polygamma_right(x, 1);
}

/* both moved up to 40 by B(a, b) = B(a + 1, b)*(a + b)/a; there nothing cancels but the result */
Quad quad_lbeta(Quad a, Quad b)
{
	Quad p = 1, l = 0;
	if (!(a >= 0 && b >= 0) || (a == 0 && b == infinity) || (b == 0 && a == infinity)) return none;
	if (a == 0 || b == 0) return infinity;
	if (a == infinity || b == infinity) return -infinity;
	for (; a < 40 || b < 40; a < 40 ? (a += 1) : (b += 1)) {
		p *= a < 40 ? (a + b) / a : (a + b) / b;
		if (p > 0x1p10000Q) l += logf128(p), p = 1;
	}
	return l + logf128(p) + (logf128(2 * pi) - logf128(a)) / 2 + (stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b)) -
	       (b - 0.5Q) * log1pf128(a / b) - a * log1pf128(b / a);
}

/* S. Winitzki's guess (2008), then steps of Halley on erf or, next to 1, erfc: each has three times the digits */
Quad quad_erfinv(Quad x)
{
	double a = (double)fabsf128(x), l = log((1 - a) * (1 + a)), h = 4.3307467508 + 0.5 * l;
	if (!(a < 1)) return a == 1 ? x * infinity : none;
	Quad z = a, y = a < 0.1 ? z * 0.886226925452758013649083741670572591Q : sqrt(sqrt(h * h - l / 0.147) - h);
	if (a < 1e-18) return copysignf128(y, x);
	for (int i = 0; i < 3; i++) {
		Quad r = a < 0.5 ? erff128(y) - z : (1 - z) - erfcf128(y);
		Quad e = r * 0.886226925452758013649083741670572591Q * expf128(y * y);
		y -= e / (1 + y * e);
	}
	return copysignf128(y, x);
}

/* Bessel's I of order 0 and 1 times e^-|x|: the power series, beyond 100 the asymptotic one */
static Quad bessel(Quad x, int order)
{
	Quad a = fabsf128(x), sum = 1, t = 1;
	bool far = a > 100;
	Quad z = far ? 1 / (8 * a) : a * a / 4;
	for (int k = 1; k < 400 && fabsf128(t) > sum * 0x1p-115Q; k++) {
		t *= far ? z * ((2 * k - 1) * (2 * k - 1) - 4 * order) / k : z / (k * (k + order));
		sum += t;
	}
	Quad y = far ? sum / sqrtf128(2 * pi * a) : sum * expf128(-a) * (order ? a / 2 : 1);
	return order ? copysignf128(y, x) : y;
}

Quad quad_i0e(Quad x) { return x != x ? x : fabsf128(x) == infinity ? 0 : bessel(x, 0); }
Quad quad_i1e(Quad x) { return x != x ? x : fabsf128(x) == infinity ? copysignf128(0, x) : bessel(x, 1); }
