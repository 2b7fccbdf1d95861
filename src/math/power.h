/* power.h - roots and powers.
 *
 * pow: e^(y*log x) with log x and the product in two doubles each, so the exponent is good to about 2^-65 relative.
 * cbrt: no division; the reciprocal root by a polynomial (f32: a third of the bits) and a step like Halley's, the root
 * with its remainder.
 * Errors: docs/accuracy.md.
 */

/* x^(1/2) */
M float  sqrt_f32(float x)  { return __builtin_sqrtf(x); }
M double sqrt_f64(double x) { return __builtin_sqrt(x); }

/* x^(-1/2) in double, rounded once */
M float rsqrt_f32(float x)
{
	return (float)(1 / __builtin_sqrt((double)x));
}

/* x^(-1/2), the root with its rest */
M double rsqrt_f64(double x)
{
	double s = __builtin_sqrt(x), i = 1 / s, r = __builtin_fma(-s, i, 1), d = __builtin_fma(-s, s, x);
	double y = __builtin_fma(i, r - 0.5 * d * i * i, i);
	return x > 0 && x <= 0x1.fffffffffffffp1023 ? y : i;
}

/* about (1 + f)^(-1/3) * 2^(-j/3), to 2^-11 */
M float rcbrt_guess_f32(float f, float j)
{
	float p = __builtin_fmaf(__builtin_fmaf(__builtin_fmaf(-0x1.448a6ap-3f, f, 0x1.e6d234p-3f), f, -0x1.56b4b6p-2f), f, 0x1.ffe304p-1f);
	return p * (j > 0 ? 0x1.965feap-1f : j < 0 ? 0x1.428a3p0f : 1);
}

/* x^(1/3): t is a^(-1/3) to 2^-5, its bits being a third of those of a, then to 2^-15 by a series in the error e; the root
 * y = a*t^2 with the remainder of y^3.  Small numbers are scaled. */
M float cbrt_f32(float x)
{
	uint8_t small = __builtin_fabsf(x) < 0x1p-90f;
	float a = __builtin_fabsf(x), c = clamp_f32(a, -1, 0x1.fffffep127f) * (small ? 0x1p24f : 1);
	float t = f32_of_bits(0x54a2fa8e - (int32_t)((float)bits_f32(c) * 0x1.555556p-2f));
	float e = __builtin_fmaf(-c * t, t * t, 1), p = __builtin_fmaf(e, 0x1.61f9aep-3f, 0x1.c71c72p-3f);
	t = __builtin_fmaf(t * e, __builtin_fmaf(e, p, 0x1.555556p-2f), t);
	float u = t * t, y = c * u, s = y * y, r = __builtin_fmaf(-__builtin_fmaf(y, y, -s), y, __builtin_fmaf(-s, y, c));
	y = __builtin_fmaf(r * 0x1.555556p-2f, u, y) * (small ? 0x1p-8f : 1);
	return a <= 0x1.fffffep127f ? __builtin_copysignf(y, x) : x;
}

/* x^(1/3): |x| = 2^(3q)*w, t about w^(-1/3) by a polynomial and Halley's step, y = w*t^2 with the remainder of y^3 */
M double cbrt_f64(double x)
{
	double a = __builtin_fabs(x), m, k = split_f64(a, &m), q = (k * 0x1.5555555555555p-2 + 0x1.8p52) - 0x1.8p52, j = k - 3 * q;
	double w = m * pow2_f64(j), t = rcbrt_guess_f32((float)(m - 1), (float)j), e = __builtin_fma(-w * t, t * t, 1);
	t = __builtin_fma(t * e, __builtin_fma(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), t);
	double y = w * t * t, s = y * y, c = s * y;
	double r = (w - c) - __builtin_fma(__builtin_fma(y, y, -s), y, __builtin_fma(s, y, -c));
	y = __builtin_fma(r * 0x1.5555555555555p-2, t * t, y) * pow2_f64(q);
	return a > 0 && a <= 0x1.fffffffffffffp1023 ? __builtin_copysign(y, x) : x;
}

/* sqrt(x^2 + y^2): scaled by a power of two where squares would leave the range, and corrected by the residual */
M double hypot_f64(double x, double y)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y);
	double u = a > b ? a : b, v = a > b ? b : a;
	double s = u > 0x1p510 ? 0x1p-600 : u < 0x1p-450 ? 0x1p600 : 1;
	double back = u > 0x1p510 ? 0x1p600 : u < 0x1p-450 ? 0x1p-600 : 1;
	u *= s, v *= s;
	double uu = u * u, vv = v * v, t = uu + vv;
	double rest = (vv - (t - uu)) + (__builtin_fma(u, u, -uu) + __builtin_fma(v, v, -vv));
	double h = __builtin_sqrt(t);
	h = (h + (__builtin_fma(-h, h, t) + rest) / (2 * h + 0x1p-900)) * back;       /* both may be 0 */
	h = x != x || y != y ? __builtin_nan("") : h;
	return a == __builtin_inf() || b == __builtin_inf() ? __builtin_inf() : h;
}

/* through f64, where neither squares nor their sum can leave the range */
M float hypot_f32(float x, float y)
{
	double a = x, b = y;
	float h = (float)__builtin_sqrt(a * a + b * b);
	return x - x != 0 && x == x ? __builtin_inff() : y - y != 0 && y == y ? __builtin_inff() : h;
}

/* x^y.  As in C: x^0 and 1^y are 1 also of NaN, (-1)^inf is 1, (-inf)^0.5 is inf; an odd whole y keeps the sign of x,
 * another whole one loses it, a fractional one gives NaN for a finite x below 0. */
M double pow_f64(double x, double y)
{
	double a = __builtin_fabs(x), l;
	int64_t u = bits_f64(a), least = 1;              /* of 0 the logarithm of the least number, which is finite */
	double h = log_two_f64(f64_of_bits(u > least ? u : least), &l);
	double p = y * h, pl = __builtin_fma(y, h, -p) + y * l;
	double r = exp_two_f64(p, __builtin_fabs(p) < 1300 ? pl : 0, 0);
	r = ((u == 0) & (y == y)) ? (y < 0 ? __builtin_inf() : 0) : r;
	r = a == 1 ? (y == y ? 1 : y) : r;
	double half = 0.5 * y;
	uint8_t whole = __builtin_floor(y) == y, odd = whole && __builtin_floor(half) != half;
	r = x < 0 && !whole && a <= 0x1.fffffffffffffp1023 ? __builtin_nan("") : r;
	r = odd ? __builtin_copysign(r, x) : r;
	return x == 1 || y == 0 ? 1 : r;
}

/* 2^(y*log2 x) in f64: log2 and 2^r need 36 bits, for |y*log2 x| stays below 256 where the result is a number.  Past 2^33 y
 * is large enough for 0 or infinity, as it is made for x = 0 and infinite x, whose logarithms come out near -+1024. */
M float pow_f32(float x, float y)
{
	float a = __builtin_fabsf(x), g = __builtin_copysignf(0x1p33f, y);
	uint8_t end = (uint32_t)bits_f32(a) - 1 >= 0x7f7fffff, large = __builtin_fabsf(y) > 0x1p33f;
	double c = a, e = (end | large) ? g : y;
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
	float v = scale_f32((float)__builtin_fma(__builtin_fma(j, w, i), r, 1), clamp_f32((float)t, -200, 200));
	uint8_t whole = __builtin_rintf(y) == y, odd = whole & (__builtin_rintf(0.5f * y) != 0.5f * y);
	v = odd ? __builtin_copysignf(v, x) : v;
	v = (((x < 0) & !whole & (a <= 0x1.fffffep127f)) | (x != x) | (y != y)) ? __builtin_nanf("") : v;
	return ((x == 1) | (y == 0)) ? 1 : v;
}
