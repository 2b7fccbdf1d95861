/* trig.h - trigonometric functions and their inverses.
 *
 * f32, in f64: x = n*pi + r with |r| <= pi/2 and pi in two parts; sin r is r*p(r^2), cos r is (pi^2/4 - r^2)*p(r^2), and
 * their sign is that of (-1)^n.  tan: n quarter turns, a quotient of polynomials.  From 2^48 on 1/pi in three parts, picked
 * by the size of x so that whole multiples of 2 drop out; right for every x.
 * f64: x = k*pi/2 + r with |r| <= pi/4 in two doubles, then polynomials in r^2, chosen and signed by k mod 4.  To 2^45
 * from pi/2 in three parts; beyond, from four pieces of 2/pi picked by the exponent (M. H. Payne and R. N. Hanek,
 * 1983), so that r is right for every x.
 * atan: the smaller over the larger operand, then an odd polynomial.
 * asin: an odd polynomial to 1/2, above by the half angle.  Roots and quotients carry their remainders.
 * Coefficients: tools/minimax.py; those of sin_part_f32 and cos_part_f32, which normal draws use: tools/chebyshev.py; the
 * digits of 1/pi and 2/pi: tools/splits.py.  Errors: docs/accuracy.md.
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
	double z = r * r, zz = z * z;
	double p = poly6_f64(z, zz, -0x1.5555555555549p-3, 0x1.111111110f894p-7, -0x1.a01a019c12743p-13,
		0x1.71de357713c21p-19, -0x1.ae5e64ef10707p-26, 0x1.5d927272f19fbp-33);
	double t = __builtin_fma(r * z, p, __builtin_fma(-0.5 * z, lo, lo)), s = r + t;
	*l = (r - s) + t;
	return s;
}

/* cos(r + lo) for |r| <= 0.79 and a tiny lo, as an unrounded sum */
M double cos_two_f64(double r, double lo, double *l)
{
	double z = r * r, zz = z * z, h = 0.5 * z, w = 1 - h;
	double p = poly6_f64(z, zz, 0x1.555555555554cp-5, -0x1.6c16c16c15212p-10, 0x1.a01a019cbd25ep-16,
		-0x1.27e4f81088017p-22, 0x1.1ee9ef8451e98p-29, -0x1.8fb01ca354900p-37);
	double t = __builtin_fma(zz, p, __builtin_fma(-r, lo, (1 - w) - h)), c = w + t;
	*l = (w - c) + t;
	return c;
}

/* sin(r + lo) and cos(r + lo), rounded */
M double sin_part_f64(double r, double lo) { double l; return sin_two_f64(r, lo, &l); }
M double cos_part_f64(double r, double lo) { double l; return cos_two_f64(r, lo, &l); }

/* y with its sign turned where bit 1 of n is set */
M float  turn_f32(float y, int32_t n)  { return f32_of_bits(bits_f32(y) ^ (int32_t)((uint32_t)(n & 2) << 30)); }
M double turn_f64(double y, int64_t n) { return f64_of_bits(bits_f64(y) ^ (int64_t)((uint64_t)(n & 2) << 62)); }

/* From here on a multiple of pi has to be taken off with more of its digits. */
M uint8_t far_sin_f32(float x)  { return __builtin_fabsf(x) >= 0x1p48f; }
M uint8_t far_sin_f64(double x) { return __builtin_fabs(x) >= 0x1p45; }
M uint8_t far_cos_f32(float x)  { return far_sin_f32(x); }
M uint8_t far_cos_f64(double x) { return far_sin_f64(x); }
M uint8_t far_tan_f32(float x)  { return far_sin_f32(x); }
M uint8_t far_tan_f64(double x) { return far_sin_f64(x); }

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

/* f = s*x/pi - n for |x| >= 2^48 and s = 1 or 2, |f| < 0.54; stores n.  1/pi is three pieces of 53 bits, for x from 2^48,
 * 2^72, 2^96 and 2^120 on others: the leading bits, which give multiples of 2*s, are left out. */
M double turns_far_f32(float x, double s, double *t)
{
	double d = s * x, a = __builtin_fabs(x);
	uint8_t j = a >= 0x1p72, l = a >= 0x1p96, m = a >= 0x1p120;
	double p = m ? 0x1.f534ddc0db629p-97 : l ? 0x1.3abe8fa9a6ee0p-76 : j ? 0x1.529fc2757d1f5p-53 : 0x1.6e4e441529fc2p-25;
	double q = m ? 0x1.664f10e4107f9p-151 : l ? 0x1.b6c52b3278872p-130 : j ? 0x1.a6ee06db14acdp-108 : 0x1.d5f47d4d37703p-79;
	double r = m ? 0x1.163abdebbc562p-205 : l ? 0x1.07f9458eaf7afp-187 : j ? -0x1.8778df7c035d4p-162 : 0x1.b6295993c4390p-133;
	*t = __builtin_fma(d, p, 0x1.8p52);
	return __builtin_fma(d, r, __builtin_fma(d, q, __builtin_fma(d, p, 0x1.8p52 - *t)));
}

/* r = x - n*pi for any x, as half_turn_near_f32 has it */
M double half_turn_f32(float x, double *t)
{
	double n, r = half_turn_near_f32(x, t), f = turns_far_f32(x, 1, &n), k = (f + 0x1.8p52) - 0x1.8p52;
	*t = far_sin_f32(x) ? n + k : *t;
	return far_sin_f32(x) ? (f - k) * 0x1.921fb54442d18p1 : r;
}

/* r = x - n*pi/2 for any x */
M double quarter_f32(float x, double *t)
{
	double n, r = quarter_near_f32(x, t), f = 2 * turns_far_f32(x, 1, &n), u = f + 0x1.8p52;
	*t = far_sin_f32(x) ? u : *t;
	return far_sin_f32(x) ? (f - (u - 0x1.8p52)) * 0x1.921fb54442d18p0 : r;
}

/* y, with its sign turned if the whole number in the low bits of t is odd */
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

/* r + lo = x - k*pi/2 for |x| < 2^45; stores lo and k mod 2^51.  x less k times the first part of pi/2 is exact. */
M double quarter_near_f64(double x, double *lo, int64_t *k)
{
	double t = __builtin_fma(x, 0x1.45f306dc9c883p-1, 0x1.8p52), n = t - 0x1.8p52;
	double a = __builtin_fma(n, -0x1.921fb54442d18p0, x), b = n * -0x1.1a62633145c07p-54, r = a + b, c = r - a;
	double rest = __builtin_fma(n, 0x1.f1976b7ed8fbcp-110, __builtin_fma(n, -0x1.1a62633145c07p-54, -b));
	*lo = ((a - (r - c)) + (b - c)) + rest;
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

/* as quarter_near_f64 for 2^45 <= |x|.  word[j] has bits 26j + 1 to 26j + 52 of 2/pi, a number below 1.  Of x = m*2^e
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

/* r + lo = x - k*pi/2 for any x */
M double quarter_f64(double x, double *lo, int64_t *k)
{
	uint8_t far = __builtin_fabs(x) >= 0x1p45;
	int64_t m, n;
	double l, h, r = quarter_near_f64(far ? 0 : x, &l, &m);
	double g, f = quarter_far_f64(far ? x : 0x1p45, &g, &n);
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

/* cosine; a far x is counted in quarter turns, since beside an odd number of them a half turn's r is not exact enough */
M float cos_f32(float x)
{
	double t, n, near = half_turn_near_f32(x, &t), far = turns_far_f32(x, 2, &n) * 0x1.921fb54442d18p0;
	double r = far_sin_f32(x) ? far : near, y = far_sin_f32(x) & (bits_f64(n) & 1) ? sin_half_turn_f32(r) : cos_half_turn_f32(r);
	uint64_t turned = far_sin_f32(x) ? ((uint64_t)bits_f64(n) + 1) >> 1 : (uint64_t)bits_f64(t);
	return (float)f64_of_bits(bits_f64(y) ^ (int64_t)(turned << 63));
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

/* tan(r + lo) = h + l, and for odd k its reciprocal, negative, with the remainder of the division */
M double tan_part_f64(double r, double lo, int64_t k)
{
	double z = r * r, zz = z * z, z4 = zz * zz, c = r * z;
	double p = poly8_f64(z, zz, z4, 0x1.11111111104c4p-3, 0x1.ba1ba1bacbdafp-5, 0x1.664f485ab7ac3p-6, 0x1.226e3ac8a5023p-7,
		0x1.d6d2dd123dce4p-9, 0x1.7db2194da0830p-10, 0x1.34b722c68394dp-11, 0x1.ff700442c3aedp-13);
	double q = poly6_f64(z, zz, 0x1.5d425bfa2b976p-14, 0x1.1c02e1fa5a143p-14, -0x1.b7d5d595b4e32p-16, 0x1.9bd0f4795c3a7p-15,
		-0x1.9ad0bb04f1a19p-16, 0x1.4a4bdf5ba5fa1p-17);
	p = __builtin_fma(z, __builtin_fma(q, z4 * z4, p), 0x1.555555555555fp-2);
	double cl = __builtin_fma(r, __builtin_fma(r, r, -z), __builtin_fma(r, z, -c));
	double w = __builtin_fma(c, p, __builtin_fma(0.45, cl, __builtin_fma(z, 1.6 * lo, lo))), h = r + w, l = (r - h) + w;
	double i = -1 / pick_f64(k & 1, h, 1), y = __builtin_fma(__builtin_fma(i, h, 1) + i * l, i, i);
	return k & 1 ? y : h;
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

/* pi*(x - k/2) = r + lo with |r| <= pi/4; stores lo and k, right mod 4.  All is exact up to the
 * product with pi. */
M double half_quarter_f64(double x, double *lo, int64_t *k)
{
	double n = __builtin_rint(x), c = x - n, t = c + 0x1.8p51, d = c - (t - 0x1.8p51), r = d * 0x1.921fb54442d18p1;
	*lo = __builtin_fma(d, 0x1.1a62633145c07p-53, __builtin_fma(d, 0x1.921fb54442d18p1, -r));
	*k = bits_f64(t + __builtin_fma(-2, __builtin_rint(0.5 * n), n));
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
	double zz = z * z, z4 = zz * zz;
	double p = poly8_f64(z, zz, z4, 0x1.5555555555578p-3, 0x1.333333332df3ep-4, 0x1.6db6db7228094p-5, 0x1.f1c71a8d4ac7fp-6,
		0x1.6e8bdfadeba03p-6, 0x1.1c49e28487419p-6, 0x1.ca20cd50d0ff1p-7, 0x1.757ba704983f6p-7);
	double q = poly4_f64(z, zz, 0x1.61724475cc769p-7, 0x1.e2e0d529c7d94p-9, 0x1.6485fe2ff24c8p-6, -0x1.593fd1854bdc0p-6);
	return __builtin_fma(__builtin_fma(z4, 0x1.0ba92ee28015ap-5, q), z4 * z4, p);
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
	double z = big ? __builtin_fma(-0.5, a, 0.5) : a * a, s = big ? __builtin_sqrt(z) : a, t = s * z * asin_tail_f64(z);
	double h = __builtin_fma(-2, s, 0x1.921fb54442d18p0), e = __builtin_fma(-2, s, 0x1.921fb54442d18p0 - h);
	double y = h + __builtin_fma(-2, __builtin_fma(__builtin_fma(-s, s, z), half_over_f64(s), t), e + 0x1.1a62633145c07p-54);
	return __builtin_copysign(big ? y : s + t, x);
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
	double z = big ? __builtin_fma(-0.5, a, 0.5) : a * a, s = big ? __builtin_sqrt(z) : a, t = s * z * asin_tail_f64(z);
	double i = half_over_f64(s), c = x > 0 ? -1 : 1;
	double b = x > 0 ? 0 : 0x1.921fb54442d18p1, bl = x > 0 ? 0 : 0x1.1a62633145c07p-53;
	t = big ? __builtin_fma(__builtin_fma(-s, s, z), i, t) : t;
	b = big ? b : 0x1.921fb54442d18p0, bl = big ? bl : 0x1.1a62633145c07p-54, c = big ? -2 * c : c;
	double h = __builtin_fma(c, s, b), e = __builtin_fma(c, s, b - h);
	return h + (e + __builtin_fma(c, t, bl));
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

/* (atan t - t)/t^3 as a function of z = t^2 <= 1, and in low what its last rounding loses */
M double atan_tail_f64(double z, double *low)
{
	double zz = z * z, z4 = zz * zz, z8 = z4 * z4;
	double p = poly8_f64(z, zz, z4, -0x1.24924923921e6p-3, 0x1.c71c71841f5dcp-4, -0x1.745d11fa87c0ap-4, 0x1.3b136a0f1994cp-4,
		-0x1.110e6d4b5cb88p-4, 0x1.e1bcf4341bef9p-5, -0x1.ae643cef5401cp-5, 0x1.82ee75cd8c913p-5);
	double q = poly8_f64(z, zz, z4, -0x1.59d757460a345p-5, 0x1.2c96d7b5965ffp-5, -0x1.eb45196427182p-6, 0x1.69d3643ef8b3cp-6,
		-0x1.ca8ddaa1e4237p-7, 0x1.dbf6773f9a337p-8, -0x1.7e97ceb9f8412p-9, 0x1.ba27dfff5416fp-11);
	double o = __builtin_fma(z, 0x1.c4856dc7e081cp-17, -0x1.44919ddd8583cp-13);
	p = __builtin_fma(z, __builtin_fma(__builtin_fma(o, z8, q), z8, p), 0x1.9999999995ae5p-3);
	double y = __builtin_fma(z, p, -0x1.555555555552ap-2);
	*low = __builtin_fma(z, p, -0x1.555555555552ap-2 - y);
	return y;
}

/* b + bl + atan(t + l) for |b| > |t| or b = 0.  l counts by 1/(1 + t^2), for which 1 - t^2/2 is near enough; what rounding
 * takes from t^2 and t^3 counts for t near 1 only, and there by the factors -0.15*t and -0.22. */
M double turned_atan_f64(double t, double l, double b, double bl)
{
	double z = t * t, c = t * z, h = b + t, rest = __builtin_fma(-0.5 * z, l, l) + (((b - h) + t) + bl);
	rest = __builtin_fma(__builtin_fma(t, t, -z), -0.15 * t, rest);
	rest = __builtin_fma(__builtin_fma(t, z, -c), -0.22, rest);
	double low, tail = atan_tail_f64(z, &low);
	return h + __builtin_fma(c, tail, __builtin_fma(c, low, rest));
}

/* arc tangent; for a > 1 it is pi/2 + atan(-1/a), and the quotient i = 1/a has the remainder d.  What rounding takes from t^2
 * counts by a factor that is right beside 1, where it matters. */
M float atan_f32(float x)
{
	float a = __builtin_fabsf(x);
	int32_t u = bits_f32(a), one = 0x3f800000, most = 0x5d800000;
	u = u > one ? u : one;
	float c = f32_of_bits(u < most ? u : most), i = 1 / c, d = __builtin_fmaf(i, c, -1);
	uint8_t swap = a > 1;
	float t = f32_of_bits(bits_f32(a) ^ ((bits_f32(a) ^ bits_f32(-i)) & -(int32_t)swap)), z = t * t;
	float b = swap ? 0x1.921fb6p0f : 0, bl = swap ? -0x1.777a5cp-25f : 0, h = b + t, l = ((b - h) + t) + bl;
	l = __builtin_fmaf(d * i, __builtin_fmaf(-0.5f, z, 1), l);
	l = __builtin_fmaf(__builtin_fmaf(t, t, -z), t * -0.16f, l);
	return __builtin_copysignf(h + __builtin_fmaf(t * z, atan_tail_f32(z), l), x);
}

/* arc tangent: atan c, or pi/2 + atan(-1/c) whose quotient keeps its remainder over c */
M double atan_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t swap = a > 1;
	double n = swap ? -1 : a, d = below_f64(pick_f64(a > 1, a, 1), 0x1p100), t = n / d;
	double c = swap ? 0x1.921fb54442d18p0 : 0, cl = swap ? 0x1.1a62633145c07p-54 : 0;
	return __builtin_copysign(turned_atan_f64(t, -t * __builtin_fma(-t, d, n), c, cl), x);
}

/* The angle of the point (x, y).  The smaller operand n over the larger d is t + l, l being the remainder over d, and
 * atan(t + l) = atan t + l/(1 + t^2), for which 1 - t^2/2 is near enough; what rounding takes from t^2 and t^3 counts for t near
 * 1 only.  Both operands are scaled so that d is about 2^24 and n keeps its bits.  Two infinities give t = 1, one gives t = 0. */
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
	float t = n * q, z = t * t, c = t * z, l = __builtin_fmaf(-t, d, n) * q;
	l = __builtin_fmaf(__builtin_fmaf(t, t, -z), t * -0.16f, __builtin_fmaf(-0.5f * z, l, l));
	l = __builtin_fmaf(c, atan_tail_f32(z), __builtin_fmaf(__builtin_fmaf(t, z, -c), -0.21f, l));
	int32_t turn = (swap ? INT32_MIN : 0) ^ (bits_f32(x) & INT32_MIN);
	float ts = f32_of_bits(bits_f32(t) ^ turn), ls = f32_of_bits(bits_f32(l) ^ turn);
	float m = swap ? 0x1.921fb6p0f : left ? 0x1.921fb6p1f : 0, h = m + ts;
	float r = h + (((m - h) + ts) + __builtin_fmaf(m, -0x1.ddefaap-26f, ls));
	return ((x == x) & (y == y)) ? __builtin_copysignf(r, y) : __builtin_nanf("");
}

/* as atan2_f32.  Small operands are scaled, so that the remainder of their quotient is exact; a divisor of 0 becomes the
 * smallest number; of equal operands, infinite ones too, the quotient is 1. */
M double atan2_f64(double y, double x)
{
	double a = __builtin_fabs(y), b = __builtin_fabs(x);
	uint8_t swap = a > b, left = bits_f64(x) < 0;
	double n = swap ? b : a, d = swap ? a : b, s = d < 0x1p-500 ? 0x1p540 : 1;
	n *= s, d = d * s + 0x1p-1074;
	double t = n / d, l = __builtin_fma(-t, d, n) / d;
	t = n == d ? 1 : t;
	l = d < __builtin_inf() ? l : 0;
	double c = left ? 0x1.921fb54442d18p1 : 0, cl = left ? 0x1.1a62633145c07p-53 : 0;
	c = swap ? 0x1.921fb54442d18p0 : c, cl = swap ? 0x1.1a62633145c07p-54 : cl;
	t = swap != left ? -t : t, l = swap != left ? -l : l;
	return __builtin_copysign(turned_atan_f64(t, l, c, cl), y);
}

/* (sin(pi*d)/(pi*d) - 1)/d^2 as a function of z = d^2 <= 1/4 */
M double sinpi_tail_f64(double z)
{
	double c = 0x1.080d6f89e0a7bp-22;
	c = __builtin_fma(c, z, -0x1.d3f28cd7ed530p-18);
	c = __builtin_fma(c, z, 0x1.3746c57917ca7p-13);
	c = __builtin_fma(c, z, -0x1.33816a0620ac5p-9);
	c = __builtin_fma(c, z, 0x1.ac6805cdf308ap-6);
	c = __builtin_fma(c, z, -0x1.86a8e4720c749p-3);
	c = __builtin_fma(c, z, 0x1.9f9cb402bc45dp-1);
	return __builtin_fma(c, z, -0x1.a51a6625307d3p+0);
}

/* sin(pi*x)/(pi*x), 1 at 0: with d = x less the nearest whole number, (d + d^3*q(d^2))/x with its remainder, turned where
 * that number is odd */
M double sinc_f64(double x)
{
	double a = below_f64(__builtin_fabs(x), 0x1p53), n = __builtin_rint(a), d = a - n, z = d * d, q = sinpi_tail_f64(z), c = d * z * q;
	double s = d + c, i = 1 / above_f64(a, 0.5), r = s * i, h = 0.5 * n;
	r = __builtin_fma(__builtin_fma(-r, a, s) + ((d - s) + c), i, r);
	double y = n == 0 ? __builtin_fma(z, q, 1) : h == __builtin_rint(h) ? r : -r;
	y = a < 0x1p53 ? y : x == x ? 0 : x;
	return y == 0 ? 0 : y;
}

/* through f64 */
M float sinc_f32(float x) { return (float)sinc_f64(x); }
