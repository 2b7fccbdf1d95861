/* log.h - logarithms.
 *
 * x = 2^k*(1 + f) with 1 + f between sqrt(1/2) and sqrt(2), and log x = k*ln 2 + log(1 + f).
 * f32: log(1 + f) = f + f^2*p(f), the polynomial in several chains, which take less time than one.
 * f64: with s = f/(2 + f), log(1 + f) = 2*atanh(s) = 2s + s^3*L(s^2); summed as f - (f^2/2 - s*(f^2/2 + s^2*L)),
 * whose large terms carry no error of the division (K. C. Ng's arrangement, 1986).
 * In all of them f itself is exact, and what rounding takes from its sum with k*ln 2 is added again.
 * log_two carries the sum in two doubles, for pow and the gamma functions.
 * Coefficients: tools/minimax.py; those of log_frac_two: tools/chebyshev.py.  Errors: docs/accuracy.md.
 */

/* the bits of x >= 0; those of a subnormal x as if the exponent field could go below 0 */
M uint32_t normal_bits_f32(float x)
{
	uint32_t u = (uint32_t)bits_f32(x), least = 0x800000, w = u < least ? u : least;
	return bits_f32(x) < 0x800000 ? (uint32_t)bits_f32(f32_of_bits((int32_t)w) * 0x1p24f) - (24u << 23) : u;
}

/* x = 2^k*m for a positive finite x of these bits: gives 2^23*k, stores m.  Less the bits of sqrt(1/2) they are a
 * whole exponent and a rest, which centres m about 1. */
M float split_f32(uint32_t bits, float *m)
{
	uint32_t e = (bits - 0x3f3504f3) & 0xff800000;
	*m = f32_of_bits((int32_t)(bits - e));
	return (float)(int32_t)e;
}

/* x = 2^k*m for a positive finite x: gives k, stores m.  Moving the bits by those of sqrt(1/2) centres m about 1. */
M double split_f64(double x, double *m)
{
	uint64_t u = (uint64_t)bits_f64(x), tiny = (uint64_t)((int64_t)(u - 0x0010000000000000) >> 63);
	u = (u & ~tiny) | ((uint64_t)bits_f64(x * 0x1p54) & tiny);
	u += 0x3ff0000000000000 - 0x3fe6a09e667f3bcd;
	*m = f64_of_bits((int64_t)((u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd));
	return f64_of_bits((int64_t)((u >> 52) - (tiny & 54) + 0x4330000000000400)) - (0x1p52 + 1023 + 1024);
}

/* (log(1 + f) - f)/f^2 for 1 + f between sqrt(1/2) and sqrt(2) */
M float log_tail_f32(float f)
{
	float z = f * f, b = __builtin_fmaf(0x1.99a5a6p-3f, f, -0x1.000220p-2f), c = __builtin_fmaf(0x1.226d7ep-3f, f, -0x1.547888p-3f);
	float d = __builtin_fmaf(-0x1.41f47cp-4f, z, __builtin_fmaf(0x1.07d43ap-3f, f, -0x1.0ce024p-3f));
	d = __builtin_fmaf(__builtin_fmaf(d, z, c), z, b);
	return __builtin_fmaf(__builtin_fmaf(d, f, 0x1.55554ap-2f), f, -0.5f);
}

/* log(1 + f) - f + h for 1 + f between sqrt(1/2) and sqrt(2), as s*(h + s^2*L(s^2)) with h = f^2/2 and s = f/(2 + f) */
M double log_tail_f64(double f, double h, double lo)
{
	double s = f / (2 + f), z = s * s, zz = z * z;
	double p = poly4_f64(z, zz, 0x1.5555555555593p-1, 0x1.999999997fb0cp-2, 0x1.249249421028fp-2, 0x1.c71c51f3def78p-3);
	double q = __builtin_fma(zz, 0x1.2f0892a13377dp-3, __builtin_fma(z, 0x1.39a161993bed5p-3, 0x1.746642c582467p-3));
	return __builtin_fma(s, __builtin_fma(z, __builtin_fma(zz * zz, q, p), h), lo);
}

/* k*ln 2 + log(1 + f) + lo for a small lo and n = 2^23*k: k times the upper part of ln 2 is exact, and so is the first sum
 * with its rest */
M float log_sum_f32(float n, float f, float lo)
{
	float h = __builtin_fmaf(n, 0x1.62e4p-24f, f), e = __builtin_fmaf(n, 0x1.62e4p-24f, -h) + f;
	return h + (e + __builtin_fmaf(f * f, log_tail_f32(f), __builtin_fmaf(n, 0x1.7f7d1cp-43f, lo)));
}

/* as log_sum_f32 */
M double log_sum_f64(double k, double f, double lo)
{
	double y = __builtin_fma(k, 0x1.62e42fefa39efp-1, f), e = __builtin_fma(k, 0x1.62e42fefa39efp-1, -y) + f;
	double h = 0.5 * f * f;
	return y + log_tail_f64(f, h, (e + __builtin_fma(k, 0x1.abc9e3b39803fp-56, lo)) - h);
}

/* log(1 + f) as an unrounded sum: gives the upper part, stores the lower.  The first two terms of the series of
 * 2*atanh(s) are formed in two doubles, s by a division with its remainder; the others are s^5 in two by a double. */
M double log_frac_two_f64(double f, double *lo)
{
	double d = 1 + 0.5 * f, i = 1 / d, s = f * i, sl = __builtin_fma(s, (d - 1) - 0.5 * f, __builtin_fma(-s, d, f)) * i;
	double z = s * s, zl = __builtin_fma(s, 2 * sl, __builtin_fma(s, s, -z)), zz = z * z;
	double c = z * s, cl = __builtin_fma(zl, s, __builtin_fma(z, sl, __builtin_fma(z, s, -c)));
	double t = c * 0x1.5555555555555p-4;
	double tl = __builtin_fma(cl, 0x1.5555555555555p-4, __builtin_fma(c, 0x1.5555555555555p-58,
		__builtin_fma(c, 0x1.5555555555555p-4, -t)));
	double p = poly8_f64(z, zz, zz * zz, 0x1.999999999999ap-7, 0x1.2492492492522p-9, 0x1.c71c71c6ea5acp-12,
		0x1.745d177ad437ep-14, 0x1.3b1395b826983p-16, 0x1.1118cd673776bp-18, 0x1.df7ba1f141b59p-21, 0x1.e03a7aec6ada2p-23);
	double h = s + t, v = z * c, vl = __builtin_fma(z, c, -v) + __builtin_fma(z, cl, zl * c);
	*lo = __builtin_fma(v, p, __builtin_fma(vl, p, ((s - h) + t) + (tl + sl)));
	return h;
}

/* log x as an unrounded sum, for 0 < x < inf */
M double log_raw_f64(double x, double *lo)
{
	double m, l, k = split_f64(x, &m), h = log_frac_two_f64(m - 1, &l);
	double a = k * 0x1.62e42feep-1, s = a + h, sl = ((a - s) + h) + __builtin_fma(k, 0x1.a39ef35793c76p-33, l), y = s + sl;
	*lo = (s - y) + sl;
	return y;
}

/* the same for x >= 0 or NaN; of an infinite result the lower part is 0 */
M double log_two_f64(double x, double *lo)
{
	double l, y = log_raw_f64(x, &l);
	uint8_t normal = (uint64_t)bits_f64(x) - 1 < 0x7fefffffffffffff;
	*lo = normal ? l : 0;
	return normal ? y : x == 0 ? -__builtin_inf() : x;
}

/* y, the logarithm of x, where 0 < x < inf; -inf at 0, NaN below, inf at inf */
M float log_ends_f32(float x, float y)
{
	y = x <= 0x1.fffffep127f ? y : x;
	return x > 0 ? y : x == 0 ? -__builtin_inff() : __builtin_nanf("");
}

/* as log_ends_f32 */
M double log_ends_f64(double x, double y)
{
	double z = x > 0 ? x : x == 0 ? -__builtin_inf() : __builtin_nan("");
	return (uint64_t)bits_f64(x) - 1 < 0x7fefffffffffffff ? y : z;
}

/* natural logarithm */
M float log_f32(float x)
{
	float m, n = split_f32(normal_bits_f32(x), &m);
	return log_ends_f32(x, log_sum_f32(n, m - 1, 0));
}

/* natural logarithm */
M double log_f64(double x)
{
	double m, k = split_f64(x, &m);
	return log_ends_f64(x, log_sum_f64(k, m - 1, 0));
}

/* logarithm to base 2, log2(1 + f) = f*log2(e) + f^2*q(f), rounded before k is added; exact at powers of 2 */
M float log2_f32(float x)
{
	float m, n = split_f32(normal_bits_f32(x), &m), f = m - 1, z = f * f;
	float p = __builtin_fmaf(0x1.920542p-4f, f, -0x1.59523ep-3f), q = __builtin_fmaf(-0x1.ec77bap-3f, f, 0x1.277e62p-2f);
	p = __builtin_fmaf(p, f, 0x1.5ed78ap-3f);
	q = __builtin_fmaf(q, f, -0x1.71549ep-2f);
	p = __builtin_fmaf(p, f, -0x1.6e8cfcp-3f);
	q = __builtin_fmaf(q, f, 0x1.ec708cp-2f);
	p = __builtin_fmaf(p, f, 0x1.a42faep-3f);
	q = __builtin_fmaf(p, z * z, q);
	q = __builtin_fmaf(q, f, -0x1.715476p-1f);
	float w = __builtin_fmaf(f, 0x1.715476p0f, __builtin_fmaf(z, q, f * 0x1.4ae0cp-26f));
	return log_ends_f32(x, __builtin_fmaf(n, 0x1p-23f, w));
}

/* as log2_f32 */
M double log2_f64(double x)
{
	double m, k = split_f64(x, &m), f = m - 1, h = 0.5 * f * f, t = log_tail_f64(f, h, -__builtin_fma(0.5 * f, f, -h));
	double p = f * 0x1.71547652b82fep0, y = k + p, e = (k - y) + p;
	e += __builtin_fma(f, 0x1.777d0ffda0d24p-56, __builtin_fma(f, 0x1.71547652b82fep0, -p));
	return log_ends_f64(x, y + __builtin_fma(t, 0x1.71547652b82fep0, __builtin_fma(-h, 0x1.71547652b82fep0, e)));
}

/* logarithm to base 10; what rounding takes from f*log10(e) and from its sum with k*log10(2) is added again */
M float log10_f32(float x)
{
	float m, n = split_f32(normal_bits_f32(x), &m), f = m - 1, z = f * f;
	float p = f * 0x1.bcb7b2p-2f, l = __builtin_fmaf(f, 0x1.bcb7b2p-2f, -p);
	float h = __builtin_fmaf(n, 0x1.344p-25f, p), e = __builtin_fmaf(n, 0x1.344p-25f, -h) + p;
	l = __builtin_fmaf(f, -0x1.5b235ep-27f, __builtin_fmaf(n, 0x1.3509f8p-41f, l));
	float d = __builtin_fmaf(0x1.f543b8p-6f, f, -0x1.a3c3bap-5f), q = __builtin_fmaf(0x1.63cdfep-4f, f, -0x1.bcb744p-4f);
	d = __builtin_fmaf(d, f, 0x1.a401fcp-5f);
	q = __builtin_fmaf(q, f, 0x1.287a6ep-3f);
	d = __builtin_fmaf(d, f, -0x1.b8387ep-5f);
	q = __builtin_fmaf(q, f, -0x1.bcb7b2p-3f);
	d = __builtin_fmaf(d, f, 0x1.fa338cp-5f);
	d = __builtin_fmaf(d, f, -0x1.288dacp-4f);
	return log_ends_f32(x, h + (e + __builtin_fmaf(z, __builtin_fmaf(d, z * z, q), l)));
}

/* as log10_f32 */
M double log10_f64(double x)
{
	double m, k = split_f64(x, &m), f = m - 1, h = 0.5 * f * f, t = log_tail_f64(f, h, -__builtin_fma(0.5 * f, f, -h));
	double a = k * 0x1.34413508p-2, p = f * 0x1.bcb7b1526e50ep-2, y = a + p, e = (a - y) + p;
	e += __builtin_fma(f, 0x1.95355baaafad3p-57, __builtin_fma(k, 0x1.f79fef311f12bp-34, __builtin_fma(f, 0x1.bcb7b1526e50ep-2, -p)));
	return log_ends_f64(x, y + __builtin_fma(t, 0x1.bcb7b1526e50ep-2, __builtin_fma(-h, 0x1.bcb7b1526e50ep-2, e)));
}

/* log(2^j*(u + lo)) for a u > 2^-30, a small lo and n = 2^23*j; of u = lo = 0 it is some number */
M float log_near_f32(float u, float lo, float n)
{
	float m, k = split_f32((uint32_t)bits_f32(u), &m);
	return log_sum_f32(k + n, m - 1, lo / (u + 0x1p-100f));
}

/* 1 + x = 2^k*(1 + f + rest) for x > -1, k being that of the rounded sum: gives f, stores rest, k and 4*2^-k.  log(1 + f)
 * grows by rest/(1 + f), in which 1 - f is near enough.  4*2^-k is stored because 2^-k may be subnormal. */
M double log1p_parts_f64(double x, double *k, double *s, double *rest)
{
	uint64_t u = (uint64_t)bits_f64(1 + x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	double q = f64_of_bits((int64_t)(0x8000000000000000 - (u & 0xfff0000000000000)));
	double g = __builtin_fma(-0.25, q, 1), f = __builtin_fma(0.25 * x, q, -g);
	*k = f64_of_bits((int64_t)(u >> 52 | 0x4330000000000000)) - (0x1p52 + 1023);
	*s = q;
	*rest = __builtin_fma(0.25 * x, q, -(g + f));
	return f;
}

/* log(2^n*(1 + x + lo)) for x > -1, a whole n and a small lo */
M double log1p_sum_f64(double x, double lo, double n)
{
	double k, s, g, f = log1p_parts_f64(x, &k, &s, &g);
	g = __builtin_fma(0.25 * lo, s, g);
	return log_sum_f64(k + n, f, __builtin_fma(-g, f, g));
}

/* log(1 + x); what rounding takes from 1 + x is computed, and is exact where it matters */
M float log1p_f32(float x)
{
	float c = below_f32(x, 0x1.fffffep127f), u = 1 + c, y = log_near_f32(u, c - (u - 1), 0);
	y = x <= 0x1.fffffep127f ? y : x;
	return __builtin_copysignf(x > -1 ? y : x == -1 ? -__builtin_inff() : __builtin_nanf(""), x);
}

/* as log1p_f32 */
M double log1p_f64(double x)
{
	double k, s, g, f = log1p_parts_f64(x, &k, &s, &g);
	double y = log_ends_f64(1 + x, log_sum_f64(k, f, __builtin_fma(-g, f, g)));
	return __builtin_fabs(x) < 0x1p-60 ? x : y;
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
	double near = log_f64(-expm1_f64(-below_f64(x, 1))), far = log1p_f64(-exp_f64(-x));
	return x < 0x1.62e42fefa39efp-1 ? near : far;
}

/* log(1 + e^-d) for d >= 0 as an unrounded sum: gives the upper part, stores the lower, of which f^2/2 is a term */
M float log1p_exp_f32(float d, float *lo)
{
	float l, e = exp_sum_f32(d > 104 ? -104 : -d, &l), c = e - 1, k = e > 0x1.a8279ap-2f ? 1 : 0;
	float f = k > 0 ? 0.5f * c : e, g = k > 0 ? 0.5f * (l + ((-1 - c) + e)) : l;
	float a = k * 0x1.62e43p-1f, y = a + f;
	float r = __builtin_fmaf(-0.5f * f, f, __builtin_fmaf(k, -0x1.05c61p-29f, __builtin_fmaf(-g, f, g)));
	*lo = ((a - y) + f) + __builtin_fmaf(f * f, log_tail_f32(f) + 0.5f, r);
	return y;
}

/* log(1 + e^-(d + dl)) for d >= 0 and a small dl as an unrounded sum */
M double log1p_exp_f64(double d, double dl, double *lo)
{
	double l, k, h = exp_parts_f64(d > 746 ? -746 : -d, d > 746 ? 0 : -dl, &l, &k), y = 1 + h;
	double el = scale_f64(((1 - y) + h) + l, k), e = scale_f64(y, k);
	double c = e - 1, n = e > 0x1.a827999fcef32p-2 ? 1 : 0;
	double f = n > 0 ? 0.5 * c : e, g = n > 0 ? 0.5 * (el + ((-1 - c) + e)) : el;
	double a = n * 0x1.62e42fefa39efp-1, s = a + f;
	double r = 0.5 * f * f, t = log_tail_f64(f, r, __builtin_fma(n, 0x1.abc9e3b39803fp-56, __builtin_fma(-g, f, g)));
	*lo = ((a - s) + f) + (t - r);
	return s;
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) */
M float softplus_f32(float x)
{
	float m = clamp_f32(x, -0.f, 1e30f), lo, y = log1p_exp_f32(__builtin_fabsf(x), &lo);
	float s = m + y, b = s - m, t = (m - (s - b)) + (y - b);
	return x < 1e30f ? s + (t + lo) : x;
}

/* as softplus_f32 */
M double softplus_f64(double x)
{
	double m = clamp_f64(x, -0., 1e300), lo, y = log1p_exp_f64(__builtin_fabs(x), 0, &lo);
	double s = m + y, b = s - m, t = (m - (s - b)) + (y - b);
	return x < 1e300 ? s + (t + lo) : x;
}

/* -log(1 + e^-x), the logarithm of sigmoid */
M float  logsigmoid_f32(float x)  { return -softplus_f32(-x); }
M double logsigmoid_f64(double x) { return -softplus_f64(-x); }

/* log(e^x + e^y) = m + log(1 + e^-d), m the larger and d = |x - y| with its rounding; past 1e300 m itself.
 * Beside its zeros the error is 2^-57. */
M double logaddexp_f64(double x, double y)
{
	double p = clamp_f64(x, -1e300, 1e300), q = clamp_f64(y, -1e300, 1e300), m = p > q ? p : q, n = p > q ? q : p;
	double d = m - n, v = m - d, dl = (m - (d + v)) - (n - v), lo, h = log1p_exp_f64(d, d < 1000 ? dl : 0, &lo);
	double s = m + h, b = s - m, t = (m - (s - b)) + (h - b), most = x > y ? x : y;
	s = __builtin_fabs(most) < 1e300 ? s + (t + lo) : most;
	return x != x ? x : s;
}

/* through f64 */
M float logaddexp_f32(float x, float y) { return (float)logaddexp_f64(x, y); }

/* log(x/(1 - x)): for x <= 1/2 it is -log1p((1 - 2x)/x), and odd about 1/2.  1 - 2x is exact where that matters; an x
 * too small to divide by is scaled. */
M double logit_f64(double x)
{
	double a = x >= 0.5 ? 1 - x : x;
	uint8_t tiny = a < 0x1p-1000;
	double t = (1 - 2 * a) / (__builtin_fabs(a) * power_if_f64(tiny, 100));
	double y = log1p_f64(t) + (tiny ? 0x1.1542457337d43p6 : 0);
	y = a > 0 ? y : a == 0 ? __builtin_inf() : __builtin_nan("");
	return x >= 0.5 ? y : -y;
}

/* through f64 */
M float logit_f32(float x) { return (float)logit_f64(x); }

/* x*log y, and 0 where x is 0, whatever the number y */
M double xlogy_f64(double x, double y)
{
	int64_t zero = (x == 0) & (y == y);
	return pick_f64(zero, 0, x * log_f64(pick_f64(zero, 1, y)));
}

/* through f64 */
M float xlogy_f32(float x, float y) { return (float)xlogy_f64(x, y); }
