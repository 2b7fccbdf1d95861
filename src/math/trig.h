/* trig.h - trigonometric functions and their inverses.
 *
 * f32, in f64: x = n*pi + r with |r| <= pi/2 and pi in two parts; sin r is r*p(r^2), cos r is (pi^2/4 - r^2)*p(r^2), and
 * their sign is that of (-1)^n.  tan: n quarter turns, a quotient of polynomials.  From 2^48 on 1/pi in three parts, picked
 * by the size of x so that whole multiples of 2 drop out; right for every x.
 * f64: x = k*pi/2 + r with |r| <= pi/4 in two doubles, then polynomials in r^2, chosen and signed by k mod 4.  To 2^51
 * from pi/2 in three parts; beyond, from four pieces of 2/pi picked by the exponent (M. H. Payne and R. N. Hanek,
 * 1983), so that r is right for every x.
 * atan: the smaller over the larger operand (f64: moved by pi/4 where above tan(pi/8)), then an odd polynomial.
 * asin: an odd polynomial to 1/2, above by the half angle.  Roots and quotients carry their remainders.
 * Coefficients: tools/minimax.py, those of sin_part and cos_part: Chebyshev interpolation in 60 digits, rounded.
 * Errors: docs/accuracy.md.
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

/* sin(r + lo) for |r| <= 0.79 and a tiny lo, as an unrounded sum */
M double sin_two_f64(double r, double lo, double *l)
{
	double z = r * r, p = -0x1.ab066192d18c1p-41;
	p = __builtin_fma(p, z, 0x1.6121612670151p-33);
	p = __builtin_fma(p, z, -0x1.ae6453ecab5c3p-26);
	p = __builtin_fma(p, z, 0x1.71de3a544a6cep-19);
	p = __builtin_fma(p, z, -0x1.a01a01a01988p-13);
	p = __builtin_fma(p, z, 0x1.111111111111p-7);
	p = __builtin_fma(p, z, -0x1.5555555555555p-3);
	double t = __builtin_fma(r * z, p, __builtin_fma(-0.5 * z, lo, lo)), s = r + t;
	*l = (r - s) + t;
	return s;
}

/* cos(r + lo) for |r| <= 0.79 and a tiny lo, as an unrounded sum */
M double cos_two_f64(double r, double lo, double *l)
{
	double z = r * r, p = 0x1.ab68d5c0882b6p-45;
	p = __builtin_fma(p, z, -0x1.93949f74df968p-37);
	p = __builtin_fma(p, z, 0x1.1eed8ddaa539p-29);
	p = __builtin_fma(p, z, -0x1.27e4fb7708fb2p-22);
	p = __builtin_fma(p, z, 0x1.a01a01a019cb8p-16);
	p = __builtin_fma(p, z, -0x1.6c16c16c16c16p-10);
	p = __builtin_fma(p, z, 0x1.5555555555555p-5);
	double h = 0.5 * z, w = 1 - h;
	double t = ((1 - w) - h) + __builtin_fma(z * z, p, -r * lo), c = w + t;
	*l = (w - c) + t;
	return c;
}

/* rounded */
M double sin_part_f64(double r, double lo) { double l; return sin_two_f64(r, lo, &l); }
M double cos_part_f64(double r, double lo) { double l; return cos_two_f64(r, lo, &l); }

/* y with its sign turned where bit 1 of n is set */
M float  turn_f32(float y, int32_t n)  { return f32_of_bits(bits_f32(y) ^ (int32_t)((uint32_t)(n & 2) << 30)); }
M double turn_f64(double y, int64_t n) { return f64_of_bits(bits_f64(y) ^ (int64_t)((uint64_t)(n & 2) << 62)); }

/* Is near_sin of x, say, not good enough?  Loops ask this first: nearly always no argument is far, and the near ones are
 * several times faster.  Where both are right they have the same bits. */
M uint8_t is_far_f32(float x)  { return __builtin_fabsf(x) >= 0x1p48f; }
M uint8_t is_far_f64(double x) { return __builtin_fabs(x) >= 0x1p51; }

/* r = x - n*pi, |r| <= pi/2 for |x| < 2^48; stores n in the low bits of t */
M double half_turn_near_f32(float x, double *t)
{
	double d = x, n;
	*t = __builtin_fma(d, 0x1.45f306dc9c883p-2, 0x1.8p52);
	n = *t - 0x1.8p52;
	return __builtin_fma(n, -0x1.1a62633145c07p-53, __builtin_fma(n, -0x1.921fb54442d18p1, d));
}

/* r = x - n*pi/2, as half_turn_near_f32 */
M double quarter_near_f32(float x, double *t)
{
	double d = x, n;
	*t = __builtin_fma(d, 0x1.45f306dc9c883p-1, 0x1.8p52);
	n = *t - 0x1.8p52;
	return __builtin_fma(n, -0x1.1a62633145c07p-54, __builtin_fma(n, -0x1.921fb54442d18p0, d));
}

/* f = x/pi - n for |x| >= 2^48; stores n.  Of x >= 2^48, 2^72, 2^96, 2^120 three pieces of 53 bits, which leave out of 1/pi
 * what gives multiples of 2. */
M double turns_far_f32(float x, double *t)
{
	double d = x, a = __builtin_fabs(d);
	uint8_t j = a >= 0x1p72, l = a >= 0x1p96, m = a >= 0x1p120;
	double p = m ? 0x1.f534ddc0db629p-97 : l ? 0x1.3abe8fa9a6ee0p-76 : j ? 0x1.529fc2757d1f5p-53 : 0x1.6e4e441529fc2p-25;
	double q = m ? 0x1.664f10e4107f9p-151 : l ? 0x1.b6c52b3278872p-130 : j ? 0x1.a6ee06db14acdp-108 : 0x1.d5f47d4d37703p-79;
	double r = m ? 0x1.163abdebbc562p-205 : l ? 0x1.07f9458eaf7afp-187 : j ? -0x1.8778df7c035d4p-162 : 0x1.b6295993c4390p-133;
	*t = __builtin_fma(d, p, 0x1.8p52);
	return __builtin_fma(d, r, __builtin_fma(d, q, __builtin_fma(d, p, 0x1.8p52 - *t)));
}

/* either */
M double half_turn_f32(float x, double *t)
{
	double n, r = half_turn_near_f32(x, t), f = turns_far_f32(x, &n);
	*t = is_far_f32(x) ? n : *t;
	return is_far_f32(x) ? f * 0x1.921fb54442d18p1 : r;
}

M double quarter_f32(float x, double *t)
{
	double n, r = quarter_near_f32(x, t), f = 2 * turns_far_f32(x, &n), u = f + 0x1.8p52;
	*t = is_far_f32(x) ? u : *t;
	return is_far_f32(x) ? (f - (u - 0x1.8p52)) * 0x1.921fb54442d18p0 : r;
}

/* y, turned when t is odd */
M float turned_f32(double y, double t)
{
	return (float)f64_of_bits(bits_f64(y) ^ (int64_t)((uint64_t)bits_f64(t) << 63));
}

/* sin r for |r| <= pi/2 */
M double sin_half_turn_f32(double r)
{
	double z = r * r, p = 0x1.5dbcf14bb2165p-19;
	p = __builtin_fma(p, z, -0x1.9f6fecf3b1148p-13);
	p = __builtin_fma(p, z, 0x1.110ed31f983a2p-7);
	p = __builtin_fma(p, z, -0x1.55554bc5fc19cp-3);
	return r * __builtin_fma(p, z, 1);
}

/* cos r for |r| <= pi/2 */
M double cos_half_turn_f32(double r)
{
	double z = r * r, p = 0x1.14f14d7d2a3f9p-22;
	p = __builtin_fma(p, z, -0x1.94721584991a9p-16);
	p = __builtin_fma(p, z, 0x1.5c78ddfc99e74p-10);
	p = __builtin_fma(p, z, -0x1.3a76a048a9d84p-5);
	p = __builtin_fma(p, z, 0x1.9f02f61b55483p-2);
	return __builtin_fma(-r, r, 0x1.3bd3cc9be45dep1) * p;
}

/* sin(pi*f) for |f| <= 1/2 */
M float sinpi_half_f32(double f)
{
	double z = f * f, p = 0x1.3daf9b41e5be0p-4;
	p = __builtin_fma(p, z, -0x1.324cc60557395p-1);
	p = __builtin_fma(p, z, 0x1.4668af2eb630fp+1);
	p = __builtin_fma(p, z, -0x1.4abbc166c0a20p+2);
	return (float)(f * __builtin_fma(p, z, 0x1.921fb52068823p+1));
}

/* r + lo = x - k*pi/2 for |x| < 2^51; stores lo and k mod 2^51 */
M double quarter_near_f64(double x, double *lo, int64_t *k)
{
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

/* x + y as an unrounded sum */
M double two_sum_f64(double x, double y, double *lo)
{
	double s = x + y, b = s - x;
	*lo = (x - (s - b)) + (y - b);
	return s;
}

/* x less the nearest multiple of 4, for |x| < 2^53 */
M double mod4_f64(double x) { return x - ((x + 0x1.8p54) - 0x1.8p54); }

/* as quarter_near_f64 for 2^51 <= |x|.  word[j] has bits 26j + 1 to 26j + 52 of 2/pi, a number below 1.  Of x = m*2^e
 * with a whole m the bits up to e - 2 give multiples of 4 and are left out, as far as words begin there. */
M double quarter_far_f64(double x, double *lo, int64_t *k)
{
	static const double word[] = {
		0x1.45f306dc9c882p-1, 0x1.727220a94fe12p-1, 0x1.4a7f09d5f47d4p-2, 0x1.abe8fa9a6ee06p-1,
		0x1.a6ee06db14ac8p-3, 0x1.b6295993c4390p-2, 0x1.278872083fca2p-1, 0x1.07f9458eaf7a0p-4,
		0x1.8eaf7aef1586cp-2, 0x1.de2b0db92371cp-1, 0x1.c91b8e9093748p-2, 0x1.2126e97003248p-1,
		0x1.c00c925dd413ap-1, 0x1.77504e8c90e7ep-1, 0x1.921cfe1deb1c0p-4, 0x1.0ef58e5894d38p-1,
		0x1.62534e7dd1046p-1, 0x1.f74411afa975cp-1, 0x1.7d4baed1213a4p-2, 0x1.a24274ce38134p-1,
		0x1.38e04d68befc8p-1, 0x1.a2fbf209cc8eap-1, 0x1.3991d63983530p-4, 0x1.1cc1a99cfa4e4p-1,
		0x1.cfa4e422fc5d8p-3, 0x1.17e2ef7e4a0e0p-4, 0x1.bf250763ff12ep-1, 0x1.8ffc4bffef02cp-1,
		0x1.ffbc0b301fde4p-1, 0x1.80fef2f118b58p-2, 0x1.e2316b414da3ep-1, 0x1.05368fb69b3f6p-1,
		0x1.b4d9fb3c9f2c0p-2, 0x1.e4f96136e9e88p-3, 0x1.36e9e8c7ecd3cp-1, 0x1.1fb34f2ff516ap-1,
		0x1.7fa8b5d49eeb0p-2, 0x1.a93dd63f5f2f8p-1, 0x1.faf97c5ecf41cp-2, 0x1.7b3d0739f78a4p-2,
		0x1.cfbc529497530p-3, 0x1.292ea6bfb5fb0p-2, 0x1.7f6bf623f1abap-1, 0x1.1f8d5d0856030p-2 };
	uint64_t e = (uint64_t)bits_f64(x) >> 52 & 2047, j = e < 1077 ? 0 : (e - 1077) * 2521 >> 16;
	j = j > 37 ? 37 : j;
	double y = f64_of_bits((int64_t)((uint64_t)bits_f64(x) - (26 * j << 52)));
	double p = word[j], q = word[j + 2] * 0x1p-52, r = word[j + 4] * 0x1p-104, s = word[j + 6] * 0x1p-156;
	double a = y * p, al = mod4_f64(__builtin_fma(y, p, -a)), b = y * q, bl = __builtin_fma(y, q, -b);
	double c = y * r, cl = __builtin_fma(y, r, -c), l0, l1, l2, l3, l4, l5;
	a = mod4_f64(a - ((a + 0x1.8p81) - 0x1.8p81));
	double h = two_sum_f64(two_sum_f64(a, al, &l0), mod4_f64(b), &l1), t = h + 0x1.8p52;
	h = two_sum_f64(two_sum_f64(h - (t - 0x1.8p52), bl, &l2), c, &l3);
	h = two_sum_f64(two_sum_f64(h, l0, &l4), l1, &l5);
	double l = ((l2 + l3) + (l4 + l5)) + (cl + y * s), g = h + l, z = g * 0x1.921fb54442d18p0;
	l = (h - g) + l;
	*lo = __builtin_fma(g, 0x1.921fb54442d18p0, -z) + (g * 0x1.1a62633145c07p-54 + l * 0x1.921fb54442d18p0);
	*k = bits_f64(t);
	return z;
}

/* either */
M double quarter_f64(double x, double *lo, int64_t *k)
{
	uint8_t far = __builtin_fabs(x) >= 0x1p51;
	int64_t m, n;
	double l, h, r = quarter_near_f64(far ? 0 : x, &l, &m);
	double g, f = quarter_far_f64(far ? x : 0x1p51, &g, &n);
	h = far ? f : r;
	*lo = far ? g : l;
	*k = far ? n : m;
	return h + 0 * x;
}

/* tan(r + n*pi/2) for |r| < pi/4 + 2^-6, t with n in its low bits: n/d, or -d/n where n is odd */
M float tan_quarter_f32(double r, double t)
{
	double z = r * r, n = r * __builtin_fma(z, -0x1.886ac37978ce9p-4, 1);
	double d = __builtin_fma(z, __builtin_fma(z, 0x1.3e6ebbf79d465p-7, -0x1.b7702c63ba4f0p-2), 1);
	int64_t odd = -(bits_f64(t) & 1), swap = (bits_f64(n) ^ bits_f64(d)) & odd;
	double u = f64_of_bits(bits_f64(n) ^ swap), v = f64_of_bits(bits_f64(d) ^ swap);
	return (float)(u / f64_of_bits(bits_f64(v) ^ (int64_t)((uint64_t)odd << 63)));
}

/* sine */
M float near_sin_f32(float x)
{
	double t, r = half_turn_near_f32(x, &t);
	return turned_f32(sin_half_turn_f32(r), t);
}

/* sine */
M float sin_f32(float x)
{
	double t, r = half_turn_f32(x, &t);
	return turned_f32(sin_half_turn_f32(r), t);
}

/* cosine */
M float near_cos_f32(float x)
{
	double t, r = half_turn_near_f32(x, &t);
	return turned_f32(cos_half_turn_f32(r), t);
}

/* cosine */
M float cos_f32(float x)
{
	double t, r = half_turn_f32(x, &t);
	return turned_f32(cos_half_turn_f32(r), t);
}

/* tangent */
M float near_tan_f32(float x)
{
	double t, r = quarter_near_f32(x, &t);
	return tan_quarter_f32(r, t);
}

/* tangent */
M float tan_f32(float x)
{
	double t, r = quarter_f32(x, &t);
	return tan_quarter_f32(r, t);
}

/* the quotient of the sine and the cosine of r + lo, both unrounded sums, with its remainder; -1 by it for odd k */
M double tan_part_f64(double r, double lo, int64_t k)
{
	double sl, s = sin_two_f64(r, lo, &sl), cl, c = cos_two_f64(r, lo, &cl);
	double n = k & 1 ? -c : s, nl = k & 1 ? -cl : sl, d = k & 1 ? s : c, dl = k & 1 ? sl : cl;
	double i = 1 / d, q = n * i;
	return __builtin_fma(__builtin_fma(-q, d, n) + (nl - q * dl), i, q);
}

/* sine */
M double near_sin_f64(double x)
{
	int64_t k;
	double lo, r = quarter_near_f64(x, &lo, &k);
	return x == 0 ? x : turn_f64(k & 1 ? cos_part_f64(r, lo) : sin_part_f64(r, lo), k);
}

/* sine */
M double sin_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k);
	return x == 0 ? x : turn_f64(k & 1 ? cos_part_f64(r, lo) : sin_part_f64(r, lo), k);
}

/* cosine */
M double near_cos_f64(double x)
{
	int64_t k;
	double lo, r = quarter_near_f64(x, &lo, &k);
	return turn_f64(k & 1 ? sin_part_f64(r, lo) : cos_part_f64(r, lo), k + 1);
}

/* cosine */
M double cos_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k);
	return turn_f64(k & 1 ? sin_part_f64(r, lo) : cos_part_f64(r, lo), k + 1);
}

/* tangent */
M double near_tan_f64(double x)
{
	int64_t k;
	double lo, r = quarter_near_f64(x, &lo, &k);
	return x == 0 ? x : tan_part_f64(r, lo, k);
}

/* tangent */
M double tan_f64(double x)
{
	int64_t k;
	double lo, r = quarter_f64(x, &lo, &k);
	return x == 0 ? x : tan_part_f64(r, lo, k);
}

/* pi*(x - k/2) = r + lo with |r| <= pi/4; stores lo and k mod 4.  x less an even number is exact, and so is all up to the
 * product with pi. */
M double half_quarter_f64(double x, double *lo, int64_t *k)
{
	double c = x - 2 * __builtin_rint(0.5 * x), t = 2 * c + 0x1.8p52, d = c - 0.5 * (t - 0x1.8p52);
	double r = d * 0x1.921fb54442d18p1;
	*lo = __builtin_fma(d, 0x1.921fb54442d18p1, -r) + d * 0x1.1a62633145c07p-53;
	*k = bits_f64(t);
	return r;
}

/* sin(pi*x); at whole x it is 0 with the sign of x */
M double sinpi_f64(double x)
{
	int64_t k;
	double lo, r = half_quarter_f64(x, &lo, &k);
	double y = turn_f64(k & 1 ? cos_part_f64(r, lo) : sin_part_f64(r, lo), k);
	return y == 0 ? __builtin_copysign(0.0, x) : y;
}

/* cos(pi*x) */
M double cospi_f64(double x)
{
	int64_t k;
	double lo, r = half_quarter_f64(x, &lo, &k);
	double y = turn_f64(k & 1 ? sin_part_f64(r, lo) : cos_part_f64(r, lo), k + 1);
	return y == 0 ? 0 : y;
}

/* sin(pi*x), as sinpi_f64: c is x less an even number, and sin(pi*|c|) that of the smaller of |c| and 1 - |c|; all exact */
M float sinpi_f32(float x)
{
	float c = __builtin_fmaf(-2.f, __builtin_rintf(0.5f * x), x), a = __builtin_fabsf(c), b = 1 - a;
	int32_t i = bits_f32(a), j = bits_f32(b);
	float y = sinpi_half_f32(f32_of_bits(i < j ? i : j));
	return __builtin_copysignf(y, y == 0 ? x : c);
}

/* cos(pi*x) = sin(pi*(1/2 - |c|)) */
M float cospi_f32(float x)
{
	float c = __builtin_fmaf(-2.f, __builtin_rintf(0.5f * x), x);
	return sinpi_half_f32(0.5 - (double)__builtin_fabsf(c));
}

/* (asin s - s)/s^3 as a function of z = s^2 <= 1/4 */
M float asin_tail_f32(float z)
{
	float p = 0x1.59c3e8p-5f;
	p = __builtin_fmaf(p, z, 0x1.8bbec8p-6f);
	p = __builtin_fmaf(p, z, 0x1.748954p-5f);
	p = __builtin_fmaf(p, z, 0x1.330170p-4f);
	return __builtin_fmaf(p, z, 0x1.5555cap-3f);
}

/* as asin_tail_f32 */
M double asin_tail_f64(double z)
{
	double p = 0x1.0ba92ee28015ap-5;
	p = __builtin_fma(p, z, -0x1.593fd1854bdc0p-6);
	p = __builtin_fma(p, z, 0x1.6485fe2ff24c8p-6);
	p = __builtin_fma(p, z, 0x1.e2e0d529c7d94p-9);
	p = __builtin_fma(p, z, 0x1.61724475cc769p-7);
	p = __builtin_fma(p, z, 0x1.757ba704983f6p-7);
	p = __builtin_fma(p, z, 0x1.ca20cd50d0ff1p-7);
	p = __builtin_fma(p, z, 0x1.1c49e28487419p-6);
	p = __builtin_fma(p, z, 0x1.6e8bdfadeba03p-6);
	p = __builtin_fma(p, z, 0x1.f1c71a8d4ac7fp-6);
	p = __builtin_fma(p, z, 0x1.6db6db7228094p-5);
	p = __builtin_fma(p, z, 0x1.333333332df3ep-4);
	return __builtin_fma(p, z, 0x1.5555555555578p-3);
}

/* arc sine: above 1/2, asin a = pi/2 - 2*asin(sqrt((1 - a)/2)).  The root's rest is divided by 2s as a line in s has it:
 * where it matters that is right to 5 per cent. */
M float asin_f32(float x)
{
	float a = __builtin_fabsf(x);
	uint8_t big = a > 0.5f;
	float z = big ? 0.5f * (1 - a) : a * a, s = big ? __builtin_sqrtf(z) : a, t = s * z * asin_tail_f32(z);
	float l = __builtin_fmaf(-s, s, z) * __builtin_fmaf(-3.57f, s, 2.74f);
	float h = 0x1.921fb6p0f - 2 * s, e = (0x1.921fb6p0f - h) - 2 * s;
	return __builtin_copysignf(big ? h + (e + (-0x1.777a5cp-25f - 2 * (t + l))) : s + t, x);
}

/* as asin_f32 */
M double asin_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t big = a > 0.5;
	double z = big ? 0.5 * (1 - a) : a * a, s = big ? __builtin_sqrt(z) : a, t = s * z * asin_tail_f64(z);
	double l = __builtin_fma(-s, s, z) * __builtin_fma(-3.57, s, 2.74);
	double h = 0x1.921fb54442d18p0 - 2 * s, e = (0x1.921fb54442d18p0 - h) - 2 * s;
	return __builtin_copysign(big ? h + (e + (0x1.1a62633145c07p-54 - 2 * (t + l))) : s + t, x);
}

/* arc cosine: pi/2 - asin x to 1/2; 2*asin(sqrt((1 - x)/2)) above, mirrored below -1/2 */
M float acos_f32(float x)
{
	float a = __builtin_fabsf(x);
	uint8_t big = a > 0.5f;
	float z = big ? 0.5f * (1 - a) : a * a, s = big ? __builtin_sqrtf(z) : x, t = s * z * asin_tail_f32(z);
	t += big ? __builtin_fmaf(-s, s, z) / (2 * s + 0x1p-100f) : 0;
	float m = big ? (x > 0 ? -2 : 2) : 1, b = big ? (x > 0 ? 0 : 0x1.921fb6p1f) : 0x1.921fb6p0f, bl = big ? (x > 0 ? 0 : -0x1.777a5cp-24f) : -0x1.777a5cp-25f;
	float h = __builtin_fmaf(-m, s, b), e = __builtin_fmaf(-m, s, b - h);
	return h + (e + __builtin_fmaf(-m, t, bl));
}

/* as acos_f32 */
M double acos_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t big = a > 0.5;
	double z = big ? 0.5 * (1 - a) : a * a, s = big ? __builtin_sqrt(z) : x, t = s * z * asin_tail_f64(z);
	t += big ? __builtin_fma(-s, s, z) / (2 * s + 0x1p-500) : 0;
	double m = big ? (x > 0 ? -2 : 2) : 1, b = big ? (x > 0 ? 0 : 0x1.921fb54442d18p1) : 0x1.921fb54442d18p0, bl = big ? (x > 0 ? 0 : 0x1.1a62633145c07p-53) : 0x1.1a62633145c07p-54;
	double h = __builtin_fma(-m, s, b), e = __builtin_fma(-m, s, b - h);
	return h + (e + __builtin_fma(-m, t, bl));
}

/* (atan t - t)/t^3 as a function of z = t^2 <= 1 */
M float atan_tail_f32(float z)
{
	float p = -0x1.de2e7ep-10f;
	p = __builtin_fmaf(p, z, 0x1.6a1d1cp-7f);
	p = __builtin_fmaf(p, z, -0x1.017b24p-5f);
	p = __builtin_fmaf(p, z, 0x1.dcdb18p-5f);
	p = __builtin_fmaf(p, z, -0x1.58cd88p-4f);
	p = __builtin_fmaf(p, z, 0x1.c0cd6ep-4f);
	p = __builtin_fmaf(p, z, -0x1.24267ap-3f);
	p = __builtin_fmaf(p, z, 0x1.99926ap-3f);
	return __builtin_fmaf(p, z, -0x1.555540p-2f);
}

/* The angle of the point (d, n), 0 <= n <= d, turned as the octant has it.  The quotient t = n/d keeps its remainder l,
 * and atan(t + l) = atan t + l/(1 + t^2); n/d above tan(pi/8) is (n - d)/(n + d) turned by pi/4 */
M double octant_f64(double n, double d, uint8_t swap, uint8_t left)
{
	uint8_t half = n > 0x1.a827999fcef32p-2 * d;
	double u = half ? n - d : n, ul = half ? n - (u + d) : 0, v = half ? n + d : d, vl = half ? n - (v - d) : 0;
	double i = 1 / v, t = u * i, l = (__builtin_fma(-t, v, u) + (ul - t * vl)) * i, z = t * t;
	double p = 0x1.ebc6a90e46459p-7;
	p = __builtin_fma(p, z, -0x1.10a4a2436adfdp-5);
	p = __builtin_fma(p, z, 0x1.703862ecc1b26p-5);
	p = __builtin_fma(p, z, -0x1.ab4ef3481e8a3p-5);
	p = __builtin_fma(p, z, 0x1.e16a6be561421p-5);
	p = __builtin_fma(p, z, -0x1.110c0ad7fb4acp-4);
	p = __builtin_fma(p, z, 0x1.3b1366c8380bbp-4);
	p = __builtin_fma(p, z, -0x1.745d1461ad532p-4);
	p = __builtin_fma(p, z, 0x1.c71c71b4b9519p-4);
	p = __builtin_fma(p, z, -0x1.249249246fe29p-3);
	p = __builtin_fma(p, z, 0x1.999999999958dp-3);
	p = __builtin_fma(p, z, -0x1.5555555555554p-2);
	l = __builtin_fma(t * z, p, __builtin_fma(-z, l, l));
	double k = half ? 1 : 0, m = swap != left ? -1 : 1;
	k = swap ? 2 - k : k;
	k = left ? 4 - k : k;
	double b = k * 0x1.921fb54442d18p-1, h = __builtin_fma(m, t, b), e = __builtin_fma(m, t, b - h);
	return h + (e + __builtin_fma(m, l, k * 0x1.1a62633145c07p-55));
}

/* arc tangent: that of -1/a turned by pi/2 for a > 1, the quotient i with its rest d; that of the square is near enough where
 * it matters, beside 1 */
M float atan_f32(float x)
{
	float a = __builtin_fabsf(x);
	int32_t u = bits_f32(a), one = 0x3f800000, most = 0x5d800000;
	u = u > one ? u : one;
	float c = f32_of_bits(u < most ? u : most), i = 1 / c, d = __builtin_fmaf(i, c, -1);
	uint8_t swap = a > 1;
	float t = swap ? -i : a, z = t * t;
	float b = swap ? 0x1.921fb6p0f : 0, bl = swap ? -0x1.777a5cp-25f : 0, h = b + t, l = ((b - h) + t) + bl;
	l = __builtin_fmaf(d * i, __builtin_fmaf(-0.5f, z, 1), l);
	l = __builtin_fmaf(__builtin_fmaf(t, t, -z), t * -0.16f, l);
	return __builtin_copysignf(h + __builtin_fmaf(t * z, atan_tail_f32(z), l), x);
}

/* as atan_f32 */
M double atan_f64(double x)
{
	double a = __builtin_fabs(x), c = a > 0x1p100 ? 0x1p100 : a;
	uint8_t swap = c > 1;
	double y = octant_f64(swap ? 1 : c, swap ? c : 1, swap, 0);
	return a < 0x1p-60 ? x : __builtin_copysign(y, x);
}

/* The angle of the point (x, y): the quotient t of the smaller operand n by the larger d has the rest l, and
 * atan(t + l) = atan t + l/(1 + t^2), in which 1 - t^2/2 is near enough.  Both are scaled to d about 2^24, so that n keeps its
 * bits; equal infinities are at pi/4, by another one t is 0. */
M float atan2_f32(float y, float x)
{
	float a = __builtin_fabsf(y), b = __builtin_fabsf(x);
	uint8_t swap = a > b, left = bits_f32(x) < 0;
	int32_t i = bits_f32(a), j = bits_f32(b), u = i < j ? i : j, v = i < j ? j : i;
	uint8_t apart = (v > 0x7f7fffff) & (u != v);
	u = apart ? 0 : u < 0x7f7fffff ? u : 0x7f7fffff;
	v = v < 0x7f7fffff ? v : 0x7f7fffff;
	v = v > 1 ? v : 1;
	int32_t e = v & 0x7f800000;
	e = e < 0x7e000000 ? e : 0x7e000000;
	e = e > 0x0b800000 ? e : 0x0b800000;
	float s = f32_of_bits((int32_t)(0x8a800000 - (uint32_t)e)), n = f32_of_bits(u) * s, d = f32_of_bits(v) * s, q = 1 / d;
	float t = n * q, z = t * t, l = __builtin_fmaf(-t, d, n) * q;
	l = __builtin_fmaf(t * z, atan_tail_f32(z), __builtin_fmaf(-0.5f * z, l, l));
	int32_t turn = (swap ? INT32_MIN : 0) ^ (bits_f32(x) & INT32_MIN);
	float ts = f32_of_bits(bits_f32(t) ^ turn), ls = f32_of_bits(bits_f32(l) ^ turn);
	float m = swap ? 0x1.921fb6p0f : left ? 0x1.921fb6p1f : 0, h = m + ts;
	float r = h + (((m - h) + ts) + __builtin_fmaf(m, -0x1.ddefaap-26f, ls));
	return ((x == x) & (y == y)) ? __builtin_copysignf(r, y) : __builtin_nanf("");
}

/* The angle of the point (x, y).  Operands that are too large or too small to divide are scaled; infinities are one. */
M double atan2_f64(double y, double x)
{
	double a = __builtin_fabs(y), b = __builtin_fabs(x);
	uint8_t swap = a > b, left = bits_f64(x) < 0, none = x != x || y != y;
	double n = swap ? b : a, d = swap ? a : b, s = d > 0x1p500 ? 0x1p-500 : d < 0x1p-500 ? 0x1p500 : 1;
	uint8_t ends = d == __builtin_inf() || d == 0;
	n = ends ? (d > 0 && n == d ? 1 : 0) : n * s;
	d = ends ? 1 : d * s;
	return none ? __builtin_nan("") : __builtin_copysign(octant_f64(n, d, swap, left), y);
}

/* sin(pi*x)/(pi*x), 1 at 0 */
M double sinc_f64(double x)
{
	double a = __builtin_fabs(x), y = a < 0x1p-30 ? 1 : sinpi_f64(a) / (a * 0x1.921fb54442d18p1);
	y = a < 0x1p53 ? y : x == x ? 0 : x;
	return y == 0 ? 0 : y;
}

M float sinc_f32(float x) { return (float)sinc_f64(x); }
