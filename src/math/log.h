/* log.h - logarithms.
 *
 * x = 2^k*(1 + f) with 1 + f between sqrt(1/2) and sqrt(2), and log x = k*ln 2 + log(1 + f).
 * f32: log(1 + f) = f - f^2/2 + f^3*p(f).
 * f64: with s = f/(2 + f), log(1 + f) = 2*atanh(s) = 2s + s^3*L(s^2); summed as f - (f^2/2 - s*(f^2/2 + s^2*L)),
 * whose large terms carry no error of the division (K. C. Ng's arrangement, 1986).
 * log_two carries the sum in two doubles, for pow, log2, log10 and the gamma functions.
 * Coefficients: Chebyshev interpolation in 60 digits, rounded.
 * Largest errors measured, in ulp (f32 on every number, f64 on dense samples against binary128):
 *   log 1.0, log2 0.6, log10 0.6, log1p 1.5, log1mexp 2.1, softplus 1.8, logit 1.8; logaddexp 1.0 of max(|result|, 1).
 */

/* x = 2^k*m for a positive finite x: gives k, stores m.  Moving the bits by those of sqrt(1/2) centres m about 1. */
M float split_f32(float x, float *m)
{
	float y = x < 0x1p-126f ? x * 0x1p24f : x;
	uint32_t u = (uint32_t)bits_f32(y) + (0x3f800000 - 0x3f3504f3);
	*m = f32_of_bits((int32_t)((u & 0x7fffff) + 0x3f3504f3));
	return (float)((int32_t)(u >> 23) - (x < 0x1p-126f ? 127 + 24 : 127));
}

/* as split_f32 */
M double split_f64(double x, double *m)
{
	double y = x < 0x1p-1022 ? x * 0x1p54 : x;
	uint64_t u = (uint64_t)bits_f64(y) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	*m = f64_of_bits((int64_t)((u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd));
	return f64_of_bits((int64_t)(u >> 52 | 0x4330000000000000)) - (x < 0x1p-1022 ? 0x1p52 + 1023 + 54 : 0x1p52 + 1023);
}

/* k*ln 2 + log(1 + f); even and odd powers apart, for a shorter chain of dependent operations */
M float log_sum_f32(float k, float f)
{
	float z = f * f, p = -0x1.fc06e2p-5f, q = 0x1.af581ep-4f;
	p = __builtin_fmaf(p, z, -0x1.b4116ap-4f);
	q = __builtin_fmaf(q, z, 0x1.c41b8cp-4f);
	p = __builtin_fmaf(p, z, -0x1.fdfb82p-4f);
	q = __builtin_fmaf(q, z, 0x1.249688p-3f);
	p = __builtin_fmaf(p, z, -0x1.555c54p-3f);
	q = __builtin_fmaf(q, z, 0x1.9999a8p-3f);
	p = __builtin_fmaf(p, z, -0x1.fffff2p-3f);
	q = __builtin_fmaf(q, z, 0x1.555556p-2f);
	p = __builtin_fmaf(p, z, -0.5f);
	p = __builtin_fmaf(q, f, p);
	float rest = __builtin_fmaf(z, p, k * 0x1.7f7d1cp-20f);
	return __builtin_fmaf(k, 0x1.62e4p-1f, f + rest);
}

/* as log_sum_f32 */
M double log_sum_f64(double k, double f)
{
	double s = f / (2 + f), z = s * s, y = z * z, h = 0.5 * f * f;
	double p = 0x1.2b5f68a51190dp-3, q = 0x1.39fdcceb4b524p-3;
	p = __builtin_fma(p, y, 0x1.7462b91b8df9fp-3);
	q = __builtin_fma(q, y, 0x1.c71c62d5e53dfp-3);
	p = __builtin_fma(p, y, 0x1.2492492dfd86cp-2);
	q = __builtin_fma(q, y, 0x1.9999999995273p-2);
	p = __builtin_fma(p, y, 0x1.5555555555558p-1);
	p = __builtin_fma(q, z, p);
	double rest = __builtin_fma(k, 0x1.a39ef35793c76p-33, s * __builtin_fma(z, p, h));
	return __builtin_fma(k, 0x1.62e42feep-1, f - (h - rest));
}

/* log(1 + f) as an unrounded sum: gives the upper part, stores the lower.  The first two terms of the series of
 * 2*atanh(s) are formed in two doubles, s by a division with its remainder. */
M double log_frac_two_f64(double f, double *lo)
{
	double d = 2 + f, dl = f - (d - 2);
	double s = f / d, sl = (__builtin_fma(-s, d, f) - s * dl) / d;
	double z = s * s, zl = __builtin_fma(s, s, -z) + 2 * s * sl;
	double c = z * s, cl = __builtin_fma(z, s, -c) + (zl * s + z * sl);
	double t = c * 0x1.5555555555555p-2;
	double tl = __builtin_fma(c, 0x1.5555555555555p-2, -t) + (c * 0x1.5555555555555p-56 + cl * 0x1.5555555555555p-2);
	double p = 0x1.e03a7aec6ada2p-5;
	p = __builtin_fma(p, z, 0x1.df7ba1f141b59p-5);
	p = __builtin_fma(p, z, 0x1.1118cd673776bp-4);
	p = __builtin_fma(p, z, 0x1.3b1395b826983p-4);
	p = __builtin_fma(p, z, 0x1.745d177ad437ep-4);
	p = __builtin_fma(p, z, 0x1.c71c71c6ea5acp-4);
	p = __builtin_fma(p, z, 0x1.2492492492522p-3);
	p = __builtin_fma(p, z, 0x1.999999999999ap-3);
	double h = s + t, l = (t - (h - s)) + (tl + sl + z * c * p);
	*lo = 2 * l;
	return 2 * h;
}

/* log x as an unrounded sum, for x >= 0 or NaN; the lower part of an infinite one is 0 */
M double log_two_f64(double x, double *lo)
{
	double m, l, k = split_f64(x, &m);
	double h = log_frac_two_f64(m - 1, &l);
	double a = k * 0x1.62e42feep-1, s = a + h;
	double t = (h - (s - a)) + __builtin_fma(k, 0x1.a39ef35793c76p-33, l);
	double y = s + t;
	uint8_t normal = x > 0 && x <= 0x1.fffffffffffffp1023;
	*lo = normal ? t - (y - s) : 0;
	return normal ? y : x == 0 ? -__builtin_inf() : x;
}

/* the value y of a logarithm at x > 0, -inf at 0, NaN below, inf at inf */
M float log_ends_f32(float x, float y)
{
	return x > 0 ? (x <= 0x1.fffffep127f ? y : x) : x == 0 ? -__builtin_inff() : __builtin_nanf("");
}

/* as log_ends_f32 */
M double log_ends_f64(double x, double y)
{
	return x > 0 ? (x <= 0x1.fffffffffffffp1023 ? y : x) : x == 0 ? -__builtin_inf() : __builtin_nan("");
}

/* natural logarithm */
M float log_f32(float x)
{
	float m, k = split_f32(x, &m);
	return log_ends_f32(x, log_sum_f32(k, m - 1));
}

/* natural logarithm */
M double log_f64(double x)
{
	double m, k = split_f64(x, &m);
	return log_ends_f64(x, log_sum_f64(k, m - 1));
}

/* logarithm to base 2; exact at powers of 2 */
M double log2_f64(double x)
{
	double m, l, k = split_f64(x, &m);
	double h = log_frac_two_f64(m - 1, &l);
	double p = h * 0x1.71547652b82fep0;
	double pl = __builtin_fma(h, 0x1.71547652b82fep0, -p) + (h * 0x1.777d0ffda0d24p-56 + l * 0x1.71547652b82fep0);
	double s = k + p;
	return log_ends_f64(x, s + ((p - (s - k)) + pl));
}

/* logarithm to base 10 */
M double log10_f64(double x)
{
	double m, l, k = split_f64(x, &m);
	double h = log_frac_two_f64(m - 1, &l);
	double p = h * 0x1.bcb7b1526e50ep-2;
	double pl = __builtin_fma(h, 0x1.bcb7b1526e50ep-2, -p) + (h * 0x1.95355baaafad3p-57 + l * 0x1.bcb7b1526e50ep-2);
	double a = k * 0x1.34413508p-2, s = a + p;
	return log_ends_f64(x, s + ((p - (s - a)) + __builtin_fma(k, 0x1.f79fef311f12bp-34, pl)));
}

/* through f64 */
M float log2_f32(float x)  { return (float)log2_f64(x); }
M float log10_f32(float x) { return (float)log10_f64(x); }

/* log(1 + x): k is that of the rounded 1 + x, f = 2^-k*(1 + x) - 1 is formed with one rounding */
M float log1p_f32(float x)
{
	float u = 1 + x, m, k = split_f32(u, &m);
	float s = f32_of_bits((int32_t)((uint32_t)(127 - (int32_t)k) << 23));
	float f = x < 0x1p40f ? __builtin_fmaf(x, s, s - 1) : m - 1;
	return __builtin_copysignf(log_ends_f32(u, log_sum_f32(k, f)), x);
}

/* as log1p_f32 */
M double log1p_f64(double x)
{
	double u = 1 + x, m, k = split_f64(u, &m);
	double s = pow2_f64(-k);
	double f = x < 0x1p100 ? __builtin_fma(x, s, s - 1) : m - 1;
	return __builtin_copysign(log_ends_f64(u, log_sum_f64(k, f)), x);
}

/* log(1 - e^-x): with expm1 below ln 2, with log1p above */
M float log1mexp_f32(float x)
{
	float near = log_f32(-expm1_f32(-x)), far = log1p_f32(-exp_f32(-x));
	return x < 0x1.62e43p-1f ? near : far;
}

/* as log1mexp_f32 */
M double log1mexp_f64(double x)
{
	double near = log_f64(-expm1_f64(-x)), far = log1p_f64(-exp_f64(-x));
	return x < 0x1.62e42fefa39efp-1 ? near : far;
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) */
M float softplus_f32(float x)
{
	return (x > 0 ? x : 0) + log1p_f32(exp_f32(-__builtin_fabsf(x)));
}

/* as softplus_f32 */
M double softplus_f64(double x)
{
	return (x > 0 ? x : 0) + log1p_f64(exp_f64(-__builtin_fabs(x)));
}

/* log(e^x + e^y) = max + log(1 + e^-|x - y|); of equal infinities the same */
M float logaddexp_f32(float x, float y)
{
	float m = x > y ? x : y, d = x == y ? 0 : __builtin_fabsf(x - y);
	return m + log1p_f32(exp_f32(-d));
}

/* as logaddexp_f32 */
M double logaddexp_f64(double x, double y)
{
	double m = x > y ? x : y, d = x == y ? 0 : __builtin_fabs(x - y);
	return m + log1p_f64(exp_f64(-d));
}

/* log(x/(1 - x)): for x <= 1/2 it is -log1p((1 - 2x)/x), and odd about 1/2.  1 - 2x is exact where that matters; an x
 * too small to divide by is scaled. */
M double logit_f64(double x)
{
	double a = x >= 0.5 ? 1 - x : x;
	uint8_t tiny = a < 0x1p-1000;
	double t = (1 - 2 * a) / (tiny ? a * 0x1p100 : a);
	double y = log1p_f64(t) + (tiny ? 0x1.1542457337d43p6 : 0);
	y = a > 0 ? y : a == 0 ? __builtin_inf() : __builtin_nan("");
	return x >= 0.5 ? y : -y;
}

/* through f64 */
M float logit_f32(float x) { return (float)logit_f64(x); }

/* x*log y, and 0 where x is 0, whatever the number y */
M float xlogy_f32(float x, float y)    { return x == 0 && y == y ? 0 : (float)(x * log_f64(y)); }
M double xlogy_f64(double x, double y) { return x == 0 && y == y ? 0 : x * log_f64(y); }
