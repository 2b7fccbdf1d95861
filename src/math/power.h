/* power.h - roots and powers.
 *
 * pow: e^(y*log x) with log x and the product in two doubles each, so the exponent is good to about 2^-65 relative.
 * cbrt: no division; the reciprocal root by a polynomial and a step of Halley, the root with its remainder.
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

/* x^(1/3): |x| = 2^(3q)*w, t about w^(-1/3) by a polynomial and Halley's step, y = w*t^2 with the remainder of y^3 */
M float cbrt_f32(float x)
{
	float a = __builtin_fabsf(x), m, k = split_f32(a, &m), q = (k * 0x1.555556p-2f + 0x1.8p23f) - 0x1.8p23f, j = k - 3 * q;
	float w = m * pow2_f32(j), t = rcbrt_guess_f32(m - 1, j), e = __builtin_fmaf(-w * t, t * t, 1);
	t = __builtin_fmaf(t * e, __builtin_fmaf(e, 0x1.c71c72p-3f, 0x1.555556p-2f), t);
	float y = w * t * t, s = y * y, c = s * y;
	float r = (w - c) - __builtin_fmaf(__builtin_fmaf(y, y, -s), y, __builtin_fmaf(s, y, -c));
	y = __builtin_fmaf(r * 0x1.555556p-2f, t * t, y) * pow2_f32(q);
	return a > 0 && a <= 0x1.fffffep127f ? __builtin_copysignf(y, x) : x;
}

/* as cbrt_f32 */
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

/* 2^(y*log2 x) in f64: log2 and 2^r need 36 bits, for |y*log2 x| stays below 256 */
M float pow_f32(float x, float y)
{
	double a = __builtin_fabs((double)x), e = y;
	uint64_t u = (uint64_t)bits_f64(a) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	double f = f64_of_bits((int64_t)((u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd)) - 1;
	double k = f64_of_bits((int64_t)(u >> 52 | 0x4330000000000000)) - (0x1p52 + 1023);
	double s = f / (2 + f), z = s * s, p = 0x1.5cea5d6340bfcp-2;
	p = __builtin_fma(p, z, 0x1.a58d68b902ce6p-2);
	p = __builtin_fma(p, z, 0x1.27778037a63bep-1);
	p = __builtin_fma(p, z, 0x1.ec709d12521dep-1);
	p = __builtin_fma(p, z, 0x1.71547652bee6cp+1);
	double log2 = a == 0 ? -0x1p1000 : a <= 0x1.fffffffffffffp1023 ? __builtin_fma(s, p, k) : a, c = e * log2;
	c = c > 200 ? 200 : c < -200 ? -200 : c;
	double t = c + 0x1.8p52, r = c - (t - 0x1.8p52), q = 0x1.00f0dba5cad1dp-16;
	q = __builtin_fma(q, r, 0x1.445e7595225e7p-13);
	q = __builtin_fma(q, r, 0x1.5d872431d331dp-10);
	q = __builtin_fma(q, r, 0x1.3b29f0ed8ff21p-7);
	q = __builtin_fma(q, r, 0x1.c6b08df3e8716p-5);
	q = __builtin_fma(q, r, 0x1.ebfbe07acf223p-3);
	q = __builtin_fma(q, r, 0x1.62e42fef7b92fp-1);
	r = __builtin_fma(q, r, 1) * f64_of_bits((int64_t)((uint64_t)(bits_f64(t) + 1023) << 52));
	r = a == 1 ? (y == y ? 1 : e) : r;
	double half = 0.5 * e;
	uint8_t whole = __builtin_floor(e) == e, odd = whole && __builtin_floor(half) != half;
	r = x < 0 && !whole && a <= 0x1.fffffep127 ? __builtin_nan("") : r;
	r = odd ? __builtin_copysign(r, (double)x) : r;
	return x == 1 || y == 0 ? 1 : (float)r;
}
