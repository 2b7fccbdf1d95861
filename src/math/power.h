/* power.h - roots and powers.
 *
 * pow: e^(y*log x) with log x and the product in two doubles each, so the exponent is good to about 2^-65 relative.
 * cbrt: a quadratic guess, three steps of Halley, one of Newton with an exact residual.
 * Largest errors measured, in ulp (dense samples against binary128): sqrt and cbrt 0.5, hypot 0.6, pow 0.9.
 */

/* x^(1/2) */
M float  sqrt_f32(float x)  { return __builtin_sqrtf(x); }
M double sqrt_f64(double x) { return __builtin_sqrt(x); }

/* x^(1/3): x = 2^(3q)*w with w between 0.35 and 2.83 */
M double cbrt_f64(double x)
{
	double a = __builtin_fabs(x), m, k = split_f64(a, &m);
	double q = (k * 0x1.5555555555555p-2 + 0x1.8p52) - 0x1.8p52;
	double w = m * pow2_f64(k - 3 * q);
	double y = __builtin_fma(__builtin_fma(-0.08321, w, 0.53699), w, 0.53852), c;
	c = y * y * y, y = y * (c + 2 * w) / (2 * c + w);
	c = y * y * y, y = y * (c + 2 * w) / (2 * c + w);
	c = y * y * y, y = y * (c + 2 * w) / (2 * c + w);
	double s = y * y, sl = __builtin_fma(y, y, -s);
	c = s * y;
	double rest = (w - c) - (__builtin_fma(s, y, -c) + sl * y);
	y = (y + rest / (3 * s)) * pow2_f64(q);
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
	double fix = (__builtin_fma(-h, h, t) + rest) / (2 * h);
	h = (h > 0 ? h + fix : h) * back;
	h = x != x || y != y ? __builtin_nan("") : h;
	return a == __builtin_inf() || b == __builtin_inf() ? __builtin_inf() : h;
}

/* through f64, where neither square nor sum can leave the range */
M float cbrt_f32(float x) { return (float)cbrt_f64(x); }

/* sqrt(x^2 + y^2) */
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
	double a = __builtin_fabs(x), l, h = log_two_f64(a, &l);
	double p = y * h, pl = __builtin_fma(y, h, -p) + y * l;
	double r = exp_two_f64(p, __builtin_fabs(p) < 1300 ? pl : 0, 0);
	r = a == 1 ? (y == y ? 1 : y) : r;
	double half = 0.5 * y;
	uint8_t whole = __builtin_floor(y) == y, odd = whole && __builtin_floor(half) != half;
	r = x < 0 && !whole && a <= 0x1.fffffffffffffp1023 ? __builtin_nan("") : r;
	r = odd ? __builtin_copysign(r, x) : r;
	return x == 1 || y == 0 ? 1 : r;
}

/* through f64, with logarithms and exponentials in one double: their errors lie far below half an ulp of f32 */
M float pow_f32(float x, float y)
{
	double a = __builtin_fabs((double)x), e = y, m, k = split_f64(a, &m);
	double r = exp_f64(e * log_ends_f64(a, log_sum_f64(k, m - 1, 0)));
	r = a == 1 ? (y == y ? 1 : e) : r;
	double half = 0.5 * e;
	uint8_t whole = __builtin_floor(e) == e, odd = whole && __builtin_floor(half) != half;
	r = x < 0 && !whole && a <= 0x1.fffffep127 ? __builtin_nan("") : r;
	r = odd ? __builtin_copysign(r, (double)x) : r;
	return x == 1 || y == 0 ? 1 : (float)r;
}
