/* trig.h - trigonometric functions and their inverses.
 *
 * sin, cos, tan: x = k*pi/2 + r with |r| <= pi/4, then polynomials in r^2, chosen and signed by k mod 4.
 * f32: x*2/pi is formed in f64 from four pieces of 2/pi, picked by the size of x so that whole multiples of 4 drop out;
 * right for every x.  f64: pi/2 in three parts, r in two doubles; right for |x| < 2^51.  Beyond, where the spacing of
 * the numbers nears pi, sin is taken as 0, cos as 1 and tan as 0.
 * atan2: the smaller over the larger operand, moved by pi/4 where above tan(pi/8), then an odd polynomial.
 * asin: an odd polynomial to 1/2, above by the half angle.
 * Coefficients: Chebyshev interpolation in 60 digits, rounded.
 * Largest errors measured, in ulp (dense samples against binary128; f32 sin and cos on a third of all numbers):
 *   sin and cos 0.8 (f32: 1.5), tan 1.9, asin 1.6, acos 1.1, atan and atan2 1.4; f32 through f64 0.5.
 */

/* sin r for |r| <= 0.79 */
M float sin_part_f32(float r)
{
	float z = r * r, p = 0x1.6da8ecp-19f;
	p = __builtin_fmaf(p, z, -0x1.a01366p-13f);
	p = __builtin_fmaf(p, z, 0x1.11110ep-7f);
	p = __builtin_fmaf(p, z, -0x1.555556p-3f);
	return __builtin_fmaf(r * z, p, r);
}

/* cos r for |r| <= 0.79 */
M float cos_part_f32(float r)
{
	float z = r * r, p = -0x1.251636p-22f;
	p = __builtin_fmaf(p, z, 0x1.a01598p-16f);
	p = __builtin_fmaf(p, z, -0x1.6c16cp-10f);
	p = __builtin_fmaf(p, z, 0x1.555556p-5f);
	p = __builtin_fmaf(p, z, -0.5f);
	return __builtin_fmaf(p, z, 1.f);
}

/* sin(r + lo) for |r| <= 0.79 and a tiny lo */
M double sin_part_f64(double r, double lo)
{
	double z = r * r, p = -0x1.ab066192d18c1p-41;
	p = __builtin_fma(p, z, 0x1.6121612670151p-33);
	p = __builtin_fma(p, z, -0x1.ae6453ecab5c3p-26);
	p = __builtin_fma(p, z, 0x1.71de3a544a6cep-19);
	p = __builtin_fma(p, z, -0x1.a01a01a01988p-13);
	p = __builtin_fma(p, z, 0x1.111111111111p-7);
	p = __builtin_fma(p, z, -0x1.5555555555555p-3);
	return r + __builtin_fma(r * z, p, __builtin_fma(-0.5 * z, lo, lo));
}

/* cos(r + lo) for |r| <= 0.79 and a tiny lo */
M double cos_part_f64(double r, double lo)
{
	double z = r * r, p = 0x1.ab68d5c0882b6p-45;
	p = __builtin_fma(p, z, -0x1.93949f74df968p-37);
	p = __builtin_fma(p, z, 0x1.1eed8ddaa539p-29);
	p = __builtin_fma(p, z, -0x1.27e4fb7708fb2p-22);
	p = __builtin_fma(p, z, 0x1.a01a01a019cb8p-16);
	p = __builtin_fma(p, z, -0x1.6c16c16c16c16p-10);
	p = __builtin_fma(p, z, 0x1.5555555555555p-5);
	double h = 0.5 * z, w = 1 - h;
	return w + (((1 - w) - h) + __builtin_fma(z * z, p, -r * lo));
}

/* y with its sign turned where bit 1 of n is set */
M float  turn_f32(float y, int32_t n)  { return f32_of_bits(bits_f32(y) ^ (int32_t)((uint32_t)(n & 2) << 30)); }
M double turn_f64(double y, int64_t n) { return f64_of_bits(bits_f64(y) ^ (int64_t)((uint64_t)(n & 2) << 62)); }

/* r = x - k*pi/2 for an f32 x, in f64; stores k mod 2^31.  2/pi is cut into pieces of 26 bits: a product with the 24
 * bits of x is exact.  Of x >= 2^51, 2^77, 2^103 the first 1, 2, 3 pieces give multiples of 4 and are left out. */
M double quarter_f32(float x, int32_t *k)
{
	double d = x, a = __builtin_fabs(d);
	uint8_t i = a >= 0x1p51, j = a >= 0x1p77, l = a >= 0x1p103;
	double p = l ? 0x1.abe8fa8p-79 : j ? 0x1.4a7f09p-54 : i ? 0x1.7272208p-27 : 0x1.45f3068p-1;
	double q = l ? 0x1.a6ee06p-107 : j ? 0x1.abe8fa8p-79 : i ? 0x1.4a7f09p-54 : 0x1.7272208p-27;
	double r = l ? 0x1.b62959p-132 : j ? 0x1.a6ee06p-107 : i ? 0x1.abe8fa8p-79 : 0x1.4a7f09p-54;
	double s = l ? 0x1.278872083fca3p-157 : j ? 0x1.b6295993c439p-132 : i ? 0x1.a6ee06db14acdp-107 : 0x1.abe8fa9a6ee07p-79;
	double u = d * p, v = d * q;
	u -= (u + 0x1.8p54) - 0x1.8p54;
	v -= (v + 0x1.8p54) - 0x1.8p54;
	u += v;
	v = d * r + d * s;
	double t = (u + v) + 0x1.8p52;
	*k = (int32_t)bits_f64(t);
	return ((u - (t - 0x1.8p52)) + v) * 0x1.921fb54442d18p0;
}

/* r + lo = x - k*pi/2; stores lo and k mod 2^51 */
M double quarter_f64(double x, double *lo, int64_t *k)
{
	uint8_t far = __builtin_fabs(x) >= 0x1p51 && __builtin_fabs(x) <= 0x1.fffffffffffffp1023;
	x = far ? 0 : x;
	double t = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), n = t - 0x1.8p52;
	double a = __builtin_fma(n, -0x1.921fb54442d18p0, x);
	double b = n * -0x1.1a62633145c07p-54;
	double r = a + b, c = r - a;
	double rest = (a - (r - c)) + (b - c);
	rest += __builtin_fma(n, -0x1.1a62633145c07p-54, -b) + n * 0x1.f1976b7ed8fbcp-110;
	*lo = rest;
	*k = bits_f64(t);
	return r;
}

/* sine */
M float sin_f32(float x)
{
	int32_t k;
	float r = (float)quarter_f32(x, &k);
	float y = turn_f32(k & 1 ? cos_part_f32(r) : sin_part_f32(r), k);
	return x == 0 ? x : y;
}

/* cosine */
M float cos_f32(float x)
{
	int32_t k;
	float r = (float)quarter_f32(x, &k);
	return turn_f32(k & 1 ? sin_part_f32(r) : cos_part_f32(r), k + 1);
}

/* tangent, divided in f64 */
M float tan_f32(float x)
{
	int32_t k;
	double r = quarter_f32(x, &k), s = sin_part_f64(r, 0), c = cos_part_f64(r, 0);
	float y = (float)(k & 1 ? -c / s : s / c);
	return x == 0 ? x : y;
}

/* sine */
M double sin_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k);
	double y = turn_f64(k & 1 ? cos_part_f64(r, lo) : sin_part_f64(r, lo), k);
	return x == 0 ? x : y;
}

/* cosine */
M double cos_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k);
	return turn_f64(k & 1 ? sin_part_f64(r, lo) : cos_part_f64(r, lo), k + 1);
}

/* tangent */
M double tan_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k), s = sin_part_f64(r, lo), c = cos_part_f64(r, lo);
	double y = (k & 1 ? -c : s) / (k & 1 ? s : c);
	return x == 0 ? x : y;
}

/* sin(pi*x) and cos(pi*x): the quarter turn is taken off exactly */
M double sinpi_f64(double x)
{
	double n = __builtin_rint(2 * x), d = x - 0.5 * n, q = n - 4 * __builtin_floor(0.25 * n);
	double r = d * 0x1.921fb54442d18p1;
	double lo = __builtin_fma(d, 0x1.921fb54442d18p1, -r) + d * 0x1.1a62633145c07p-53;
	double y = q == 1 || q == 3 ? cos_part_f64(r, lo) : sin_part_f64(r, lo);
	return q >= 2 ? -y : y;
}

/* as sinpi_f64 */
M double cospi_f64(double x)
{
	double n = __builtin_rint(2 * x), d = x - 0.5 * n, q = n - 4 * __builtin_floor(0.25 * n);
	double r = d * 0x1.921fb54442d18p1;
	double lo = __builtin_fma(d, 0x1.921fb54442d18p1, -r) + d * 0x1.1a62633145c07p-53;
	double y = q == 1 || q == 3 ? sin_part_f64(r, lo) : cos_part_f64(r, lo);
	return q == 1 || q == 2 ? -y : y;
}

/* (asin s - s)/s^3 as a function of z = s^2 <= 1/4 */
M double asin_tail_f64(double z)
{
	double p = 0x1.e58a4f2d1ba3p-6;
	p = __builtin_fma(p, z, -0x1.3bd7e35d37e7p-6);
	p = __builtin_fma(p, z, 0x1.40c91fafde5eep-6);
	p = __builtin_fma(p, z, 0x1.8dcdf1010f856p-9);
	p = __builtin_fma(p, z, 0x1.3177748b9e9c1p-7);
	p = __builtin_fma(p, z, 0x1.3b462d11c5cd5p-7);
	p = __builtin_fma(p, z, 0x1.7b02ef0088c7ep-7);
	p = __builtin_fma(p, z, 0x1.c990a42b3199dp-7);
	p = __builtin_fma(p, z, 0x1.1c4efd20ebc27p-6);
	p = __builtin_fma(p, z, 0x1.6e8ba121b9d59p-6);
	p = __builtin_fma(p, z, 0x1.f1c71c7a5e151p-6);
	p = __builtin_fma(p, z, 0x1.6db6db6dac0eap-5);
	p = __builtin_fma(p, z, 0x1.3333333333389p-4);
	return __builtin_fma(p, z, 0x1.5555555555555p-3);
}

/* arc sine: above 1/2, asin a = pi/2 - 2*asin(sqrt((1 - a)/2)) */
M double asin_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t big = a > 0.5;
	double z = big ? 0.5 * (1 - a) : a * a, s = big ? __builtin_sqrt(z) : a;
	double t = s * z * asin_tail_f64(z);
	double y = big ? 0x1.921fb54442d18p0 - (2 * s + (2 * t - 0x1.1a62633145c07p-54)) : s + t;
	return __builtin_copysign(y, x);
}

/* arc cosine: 2*asin(sqrt((1 - x)/2)) above 1/2, mirrored below -1/2 */
M double acos_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t big = a > 0.5;
	double z = big ? 0.5 * (1 - a) : a * a, s = big ? __builtin_sqrt(z) : x;
	double t = s * z * asin_tail_f64(z);
	double far = x > 0 ? 2 * (s + t) : 0x1.921fb54442d18p1 - (2 * s + (2 * t - 0x1.1a62633145c07p-53));
	return big ? far : 0x1.921fb54442d18p0 - (s + (t - 0x1.1a62633145c07p-54));
}

/* The angle of the point (y, x).  It is k*pi/4 + or - atan(t) with |t| <= tan(pi/8): k and the sign follow the
 * octant. */
M double atan2_f64(double y, double x)
{
	double a = __builtin_fabs(y), b = __builtin_fabs(x);
	uint8_t swap = a > b, left = bits_f64(x) < 0, none = x != x || y != y;
	double n = swap ? b : a, d = swap ? a : b;
	n = d > 0x1p1000 ? n * 0x1p-60 : n, d = d > 0x1p1000 ? d * 0x1p-60 : d;
	n = d == __builtin_inf() ? (n == d ? 1 : 0) : d == 0 ? 0 : n;
	d = d == __builtin_inf() || d == 0 ? 1 : d;
	uint8_t half = n > 0x1.a827999fcef32p-2 * d;
	double t = (half ? n - d : n) / (half ? n + d : d), z = t * t;
	double p = -0x1.c7a6bc696f76p-7;
	p = __builtin_fma(p, z, 0x1.f5ba2717c87a2p-6);
	p = __builtin_fma(p, z, -0x1.5030c27f831adp-5);
	p = __builtin_fma(p, z, 0x1.829a09d7cbfe1p-5);
	p = __builtin_fma(p, z, -0x1.aebcad640edacp-5);
	p = __builtin_fma(p, z, 0x1.e1d8ddf459259p-5);
	p = __builtin_fma(p, z, -0x1.1110ce8054753p-4);
	p = __builtin_fma(p, z, 0x1.3b13aea53b188p-4);
	p = __builtin_fma(p, z, -0x1.745d173542f7ap-4);
	p = __builtin_fma(p, z, 0x1.c71c71c6dd2d8p-4);
	p = __builtin_fma(p, z, -0x1.24924924920a3p-3);
	p = __builtin_fma(p, z, 0x1.9999999999997p-3);
	p = __builtin_fma(p, z, -0x1.5555555555555p-2);
	double v = __builtin_fma(t * z, p, t), k = half ? 1 : 0;
	k = swap ? 2 - k : k, v = swap ? -v : v;
	k = left ? 4 - k : k, v = left ? -v : v;
	double r = __builtin_fma(k, 0x1.921fb54442d18p-1, __builtin_fma(k, 0x1.1a62633145c07p-55, v));
	return none ? __builtin_nan("") : __builtin_copysign(r, y);
}

/* arc tangent */
M double atan_f64(double x) { return atan2_f64(x, 1); }

/* through f64 */
M float asin_f32(float x)           { return (float)asin_f64(x); }
M float acos_f32(float x)           { return (float)acos_f64(x); }
M float atan_f32(float x)           { return (float)atan_f64(x); }
M float atan2_f32(float y, float x) { return (float)atan2_f64(y, x); }

/* sin(pi*x)/(pi*x), 1 at 0 */
M double sinc_f64(double x)
{
	double a = __builtin_fabs(x), y = a < 0x1p-30 ? 1 : sinpi_f64(a) / (a * 0x1.921fb54442d18p1);
	y = a < 0x1p53 ? y : x == x ? 0 : x;
	return y == 0 ? 0 : y;
}

M float sinc_f32(float x) { return (float)sinc_f64(x); }
