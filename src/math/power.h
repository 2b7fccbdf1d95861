/* power.h - roots and powers.
 *
 * pow: e^(y*log x) with log x and the product in two doubles each, so the exponent is good to about 2^-65 relative.
 * cbrt: without division, from a guess of the reciprocal root (a third of the bits, which are nearly a logarithm), a polynomial
 * in the guess's error, and a step with the remainder of the root.
 * Coefficients: tools/minimax.py; guesses: tools/splits.py.  Errors: docs/accuracy.md.
 */

/* x^(1/2) */
M float  sqrt_f32(float x)  { return __builtin_sqrtf(x); }
M double sqrt_f64(double x) { return __builtin_sqrt(x); }

/* x^(-1/2) in double, rounded once */
M float rsqrt_f32(float x)
{
	return (float)(1 / __builtin_sqrt((double)x));
}

/* x^(-1/2) by the root and its remainder, which would underflow for a tiny x: that is scaled */
M double rsqrt_f64(double x)
{
	int64_t tiny = x < 0x1p-900;
	double c = below_f64(above_f64(x, 0x1p-1074), 0x1.fffffffffffffp1023) * power_if_f64(tiny, 200);
	double s = __builtin_sqrt(c), i = 1 / s, r = __builtin_fma(-s, i, 1), d = __builtin_fma(-s, s, c);
	double y = __builtin_fma(i, r - 0.5 * d * i * i, i) * power_if_f64(tiny, 100);
	y = x > 0x1.fffffffffffffp1023 ? 0 : y;
	return x > 0 ? y : x == 0 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
}

/* 1/(2s) to 5 per cent, for s >= 0: bits are nearly a logarithm */
M double half_over_f64(double s) { return f64_of_bits(0x7fce600000000000 - bits_f64(s)); }

/* x^(1/3): t is a^(-1/3) to 2^-5, its bits being a third of those of a, then to 2^-15 by a series in the error e; the root
 * y = a*t^2 with the remainder of y^3.  Small numbers are scaled. */
M float cbrt_f32(float x)
{
	int32_t small = __builtin_fabsf(x) < 0x1p-90f;
	float a = __builtin_fabsf(x), c = clamp_f32(a, -1, 0x1.fffffep127f) * power_if_f32(small, 24);
	float t = f32_of_bits(0x54a2fa8e - (int32_t)((float)bits_f32(c) * 0x1.555556p-2f));
	float e = __builtin_fmaf(-c * t, t * t, 1), p = __builtin_fmaf(e, 0x1.61f9aep-3f, 0x1.c71c72p-3f);
	t = __builtin_fmaf(t * e, __builtin_fmaf(e, p, 0x1.555556p-2f), t);
	float u = t * t, y = c * u, s = y * y, r = __builtin_fmaf(-__builtin_fmaf(y, y, -s), y, __builtin_fmaf(-s, y, c));
	y = __builtin_fmaf(r * 0x1.555556p-2f, u, y) * (small ? 0x1p-8f : 1);
	return a <= 0x1.fffffep127f ? __builtin_copysignf(y, x) : x;
}

/* x^(1/3): the upper half of the bits of |x|, nearly a logarithm, is divided by -3 for a t about |x|^(-1/3); then
 * e = 1 - |x|*t^3, |e| <= 0.103, and t*(1 - e)^(-1/3) by a polynomial; the rest as in cbrt_f32 */
M double cbrt_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t tiny = a < 0x1p-900;
	double c = a * (tiny ? 0x1p300 : 1), b = f64_of_bits((int64_t)((uint64_t)bits_f64(c) >> 32 | 0x4330000000000000));
	double n = __builtin_fma(b, -0x1.5555555555555p-2, 0x1.d5555aa943d55p+52);
	double t = f64_of_bits((int64_t)((uint64_t)bits_f64(n) << 32)), e = __builtin_fma(-c * t, t * t, 1), ee = e * e;
	double p = poly6_f64(e, ee, 0x1.55555633e00c1p-2, 0x1.c71c75a05ba26p-3, 0x1.61f47e05d5321p-3, 0x1.26f34c3c466d2p-3,
		0x1.037c605eeee1dp-3, 0x1.cef0b654beaabp-4);
	t = __builtin_fma(t * e, p, t);
	double y = c * (t * t), s = y * y, w = s * y;
	double r = (c - w) - __builtin_fma(__builtin_fma(y, y, -s), y, __builtin_fma(s, y, -w));
	y = __builtin_fma(r * 0x1.5555555555555p-2, t * t, y) * (tiny ? 0x1p-100 : 1);
	return a <= 0x1.fffffffffffffp1023 ? __builtin_copysign(y, x) : x;
}

/* sqrt(x^2 + y^2): scaled by a power of two where squares would leave the range, and corrected by the residual */
M double hypot_f64(double x, double y)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y), u = a > b ? a : b, v = a > b ? b : a;
	double s = u > 0x1p510 ? 0x1p-600 : u < 0x1p-450 ? 0x1p600 : 1;
	double back = f64_of_bits(0x7fe0000000000000 - bits_f64(s));
	u *= s, v *= s;
	double uu = u * u, vv = v * v, t = uu + vv, h = __builtin_sqrt(t);
	double rest = (vv - (t - uu)) + (__builtin_fma(u, u, -uu) + __builtin_fma(v, v, -vv));
	h = __builtin_fma(__builtin_fma(-h, h, t) + rest, half_over_f64(h), h) * back;
	return a == __builtin_inf() || b == __builtin_inf() ? __builtin_inf() : h;
}

/* through f64, where neither squares nor their sum can leave the range */
M float hypot_f32(float x, float y)
{
	double a = x, b = y;
	float h = (float)__builtin_sqrt(a * a + b * b);
	return (__builtin_fabsf(x) == __builtin_inff() || __builtin_fabsf(y) == __builtin_inff()) ? __builtin_inff() : h;
}

/* Zeros, infinities and NaN have cases of their own, and so have the signs of powers of negative numbers. */
M uint8_t far_pow_f32(float x, float y)
{
	return !(x > 0) | !(x <= 0x1.fffffep127f) | !(__builtin_fabsf(y) <= 0x1p33f);
}
M uint8_t far_pow_f64(double x, double y)
{
	return !(x > 0) | !(x <= 0x1.fffffffffffffp1023) | !(__builtin_fabs(y) <= 0x1.fffffffffffffp1023);
}

/* pow_f64 for finite x > 0 and finite y */
M double near_pow_f64(double x, double y)
{
	double l, h = log_raw_f64(x, &l), p = y * h;
	return exp_two_f64(p, __builtin_fma(y, h, -p) + y * l, 0);
}

/* x^y.  As in C: x^0 and 1^y are 1 also of NaN, (-1)^inf is 1, (-inf)^0.5 is inf; an odd whole y keeps the sign of x,
 * another whole one loses it, a fractional one gives NaN for a finite x below 0. */
M double pow_f64(double x, double y)
{
	double a = __builtin_fabs(x), l, h = log_raw_f64(a, &l);
	uint8_t normal = (uint64_t)bits_f64(a) - 1 < 0x7fefffffffffffff;
	double p = y * (normal ? h : a), r = exp_two_f64(p, __builtin_fma(y, h, -p) + y * l, 0);
	r = a == 0 && y == y ? (y < 0 ? __builtin_inf() : 0) : r;
	r = a == 1 && y == y ? 1 : r;
	double half = 0.5 * y;
	uint64_t whole = -(uint64_t)(__builtin_floor(y) == y), odd = whole & -(uint64_t)(__builtin_floor(half) != half);
	r = x < 0 && normal && !whole ? __builtin_nan("") : r;
	r = f64_of_bits((int64_t)((uint64_t)bits_f64(r) | ((uint64_t)bits_f64(x) & odd & 0x8000000000000000)));
	return x == 1 || y == 0 ? 1 : r;
}

/* 2^(y*log2 x) in f64, for x >= 0 and |y| <= 2^33: log2 and 2^r need 36 bits, for |y*log2 x| stays below 256 where the
 * result is a number */
M float near_pow_f32(float x, float y)
{
	double c = x, e = y;
	uint64_t u = (uint64_t)bits_f64(c) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	double f = f64_of_bits((int64_t)((u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd)) - 1;
	double k = f64_of_bits((int64_t)(u >> 52 | 0x4330000000000000)) - (0x1p52 + 1023);
	double s = f / (2 + f), z = s * s;
	double p = __builtin_fma(0x1.ec709d12521dep-1, z, 0x1.71547652bee6cp+1), q = __builtin_fma(0x1.5cea5d6340bfcp-2, z, 0x1.a58d68b902ce6p-2);
	q = __builtin_fma(q, z, 0x1.27778037a63bep-1);
	c = e * __builtin_fma(s, __builtin_fma(q, z * z, p), k);
	double t = (c + 0x1.8p52) - 0x1.8p52, r = c - t, w = r * r;
	double i = __builtin_fma(0x1.ebfbe0a322e6cp-3, r, 0x1.62e430cf682ebp-1), j = __builtin_fma(0x1.3b29d0d6126c9p-7, r, 0x1.c6aecd011dd6ep-5);
	j = __builtin_fma(__builtin_fma(0x1.44753f871d5c7p-13, r, 0x1.5f488af290589p-10), w, j);
	return scale_f32((float)__builtin_fma(__builtin_fma(j, w, i), r, 1), clamp_f32((float)t, -200, 255));
}

/* as pow_f64.  Beyond |y| = 2^33 the result is 0, 1 or infinite, so y is cut there; for x = 0 and infinite x, whose logarithms
 * come out near -1024 and 1024, y is made as large. */
M float pow_f32(float x, float y)
{
	float a = __builtin_fabsf(x), g = __builtin_copysignf(0x1p33f, y);
	uint8_t end = (uint32_t)bits_f32(a) - 1 >= 0x7f7fffff, large = __builtin_fabsf(y) > 0x1p33f;
	float v = near_pow_f32(a, (end | large) ? g : y);
	uint8_t whole = __builtin_rintf(y) == y, odd = whole & (__builtin_rintf(0.5f * y) != 0.5f * y);
	v = odd ? __builtin_copysignf(v, x) : v;
	v = (((x < 0) & !whole & (a <= 0x1.fffffep127f)) | (x != x) | (y != y)) ? __builtin_nanf("") : v;
	return ((x == 1) | (y == 0)) ? 1 : v;
}
