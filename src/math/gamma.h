/* gamma.h - the gamma function and its derivatives.
 *
 * Stirling's series at z >= 4 (lgamma: 3.25), as a polynomial in 1/z^2; smaller x by Gamma(x + 4) = x(x + 1)(x + 2)(x + 3)*Gamma(x).
 * lgamma to 2.25 is (x - 1)*(x - 2) times a polynomial, so its zeros 1 and 2 are exact; at those below 0, as at digamma's,
 * only the absolute error is small.  Negative arguments by reflection.  gamma carries two doubles up to its last sum.
 * f32: the same in f64 with shorter polynomials.
 * near_gamma and its kin leave the reflection out: they serve where no argument is far, that is below 0 (see math.h).
 * polygamma is n! times Hurwitz's zeta function of n + 1, summed by Euler and Maclaurin, good to 6 ulp for n < 8.
 * Coefficients: tools/chebyshev.py; those of log2_short and exp2_short: tools/minimax.py.  Errors: docs/accuracy.md.
 */

/* what Stirling's series adds to (z - 1/2)*log z - z + log(2 pi)/2, for z >= 3.25 and r = 1/z */
M double stirling_rest_f64(double r)
{
	double s = r * r, ss = s * s, s4 = ss * ss, c = __builtin_fma(0x1.8e47aa6ba084fp-2, s, -0x1.13bfebf804108p-2);
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.f508868ed8c96p-10, 0x1.960f6dd39144cp-8,
		-0x1.919d7fc99f19bp-6, 0x1.821b555d87a94p-4));
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.6c16c16c0c869p-9, 0x1.a01a015b77a4cp-11,
		-0x1.381353ace1b0ep-11, 0x1.b9421b4069f61p-11));
	return __builtin_fma(c, s, 0x1.5555555555555p-4) * r;
}

/* the same to 2^-31 */
M double stirling_short_f64(double r)
{
	double s = r * r;
	double c = -0x1.edbcf104a30a1p-12;
	c = __builtin_fma(c, s, 0x1.9c88feee019c7p-11);
	c = __builtin_fma(c, s, -0x1.6c1290c45fdb0p-9);
	return __builtin_fma(c, s, 0x1.5555553c17717p-4) * r;
}

/* lgamma(y) for 0.8 <= y <= 2.25, y = 1 + t: t*(t - 1)*g(t - 1/2), the product with the first term of g rounded once */
M double lgamma_zeros_f64(double t)
{
	double w = __builtin_fma(t, t, -t), u = t - 0.5, uu = u * u, u4 = uu * uu;
	double c = __builtin_fma(-0x1.054d6e1c549c4p-20, uu, __builtin_fma(0x1.25beb91ea9993p-19, u, -0x1.52a5fabcf12c0p-25));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.44f212f6aeac8p-18, 0x1.9ba4fb805ff61p-18,
		-0x1.d8d7b2435bd87p-20, -0x1.284ae9f29711dp-19));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.befd9295bb0dep-16, 0x1.27c68c637b31ap-16,
		-0x1.5403689018c39p-17, 0x1.37163aa51ef66p-18));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.623ac787c16ddp-13, 0x1.bb3eab32cd3fdp-14,
		-0x1.15d290792dc51p-14, 0x1.5c3bd325aaa83p-15));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.313e8b910474cp-10, 0x1.750b001312895p-11,
		-0x1.cb44d9f3406b9p-12, 0x1.1c7253647ecf3p-12));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.34dbda14bb10ep-7, 0x1.64f066542a107p-8,
		-0x1.a5035223ca6a7p-9, 0x1.f814b6f33f5a8p-10));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.2aed059bd608bp-3, 0x1.01af62a2929fap-4,
		-0x1.007aa83cedf69p-5, 0x1.1334235276a04p-6));
	return __builtin_fma(w, 0x1.eeb95b094c191p-2, w * __builtin_fma(c, u, 0x1.2e5cbd3fd61cdp-56));
}

/* the same to 2^-30 */
M double lgamma_zeros_short_f64(double t)
{
	double u = t - 0.5, uu = u * u, u4 = uu * uu;
	double c = -0x1.31d80a409e0c0p-12;
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.2fa3eeffdeee5p-10, 0x1.f51fe777c88edp-12,
		-0x1.99d8a11f0f6cdp-12, 0x1.29d41dbdc6f8cp-11));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.34cf4bc10b132p-7, 0x1.63ec580aab148p-8,
		-0x1.a5f6337934c01p-9, 0x1.073188ad9337dp-9));
	c = __builtin_fma(c, u4, poly4_f64(u, uu, -0x1.2aed0554257f2p-3, 0x1.01af5742ed7c2p-4,
		-0x1.007ae2ca41ba3p-5, 0x1.1339b53cd5dfdp-6));
	return __builtin_fma(t, t, -t) * __builtin_fma(c, u, 0x1.eeb95b0d12239p-2);
}

/* sinpi_tail_f64 to 2^-32 */
M double sinpi_short_f64(double z)
{
	double c = -0x1.27935a1917e8cp-9;
	c = __builtin_fma(c, z, 0x1.ac1505939280bp-6);
	c = __builtin_fma(c, z, -0x1.86a7f7f317689p-3);
	c = __builtin_fma(c, z, 0x1.9f9cb22a548d1p-1);
	return __builtin_fma(c, z, -0x1.a51a66240238ap+0);
}

/* x*(x + 1)*(x + 2)*(x + 3) as an unrounded sum, for 0 <= x <= 4: with t = x*(x + 3) it is t*(t + 2) */
M double rise_4_f64(double x, double *lo)
{
	double q = x + 3, ql = x - (q - 3), t = x * q, tl = __builtin_fma(x, q, -t) + x * ql;
	double u, v = two_sum_f64(t, 2, &u), p = t * v;
	*lo = __builtin_fma(t, v, -p) + (t * (u + tl) + tl * v);
	return p;
}

/* log Gamma(z + zl) for 4 <= z <= 210, as an unrounded sum; zl is what rounding took from z */
M double stirling_two_f64(double z, double zl, double *lo)
{
	double l, h = log_two_f64(z, &l), w = z - 0.5, r = 1 / z;
	double u = w * h, ul = __builtin_fma(w, h, -u) + __builtin_fma(w, l, zl * __builtin_fma(-0.5, r, h));
	double v = 0x1.d67f1c864beb5p-1 - z, vl = 0x1.d67f1c864beb5p-1 - (v + z), y = u + v;
	*lo = ((u - y) + v) + (ul + (vl - 0x1.65b5a1b7ff5dfp-55) + stirling_rest_f64(r));
	return y;
}

/* For negative arguments the functions reflect. */
M uint8_t far_gamma_f32(float x)     { return x < 0; }
M uint8_t far_gamma_f64(double x)    { return x < 0; }
M uint8_t far_lgamma_f32(float x)    { return x < 0; }
M uint8_t far_lgamma_f64(double x)   { return x < 0; }
M uint8_t far_digamma_f32(float x)   { return x < 0; }
M uint8_t far_digamma_f64(double x)  { return x < 0; }
M uint8_t far_trigamma_f32(float x)  { return x < 0; }
M uint8_t far_trigamma_f64(double x) { return x < 0; }

/* num/den * e^(h + l), each a sum of two doubles */
M double ratio_exp_f64(double num, double numl, double den, double denl, double h, double l)
{
	double e, k, f = exp_parts_f64(h, l, &e, &k);
	double i = 1 / den, q = num * i, ql = (__builtin_fma(-q, den, num) + (numl - q * denl)) * i;
	return scale_f64(q + __builtin_fma(q, f, __builtin_fma(q, e, __builtin_fma(ql, f, ql))), k);
}

/* log Gamma(a) for a >= 4, log Gamma(a + 4) below, as an unrounded sum; Gamma(a) is e to that power over p + pl, which is 1
 * from 4 on */
M double stirling_moved_f64(double a, double *lo, double *p, double *pl)
{
	double ql, q = rise_4_f64(a > 4 ? 4 : a, &ql), c = a < 4 ? a + 4 : a;
	*p = a < 4 ? q : 1, *pl = a < 4 ? ql : 0;
	return stirling_two_f64(c, a < 4 ? a - (c - 4) : 0, lo);
}

/* gamma_f64 for x >= 0 */
M double near_gamma_f64(double x)
{
	double a = below_f64(above_f64(__builtin_fabs(x), 0x1p-61), 301.7), l, p, pl, h = stirling_moved_f64(a, &l, &p, &pl);
	double y = ratio_exp_f64(1, 0, p, pl, h, l);
	y = x != x ? __builtin_nan("") : y;
	return __builtin_fabs(x) < 0x1p-60 ? 1 / x : y;
}

/* integral of t^(x-1) e^-t.  Below 0, -1/(x*s*Gamma(-x)) with s = sin(pi*x)/pi.  All but the last sum is carried in two
 * doubles, so whole numbers have their factorials. */
M double gamma_f64(double x)
{
	double b = above_f64(below_f64(__builtin_fabs(x), 0x1p53), 0x1p-61), n = __builtin_rint(b), d = b - n, z = d * d;
	double t = d * z * sinpi_tail_f64(z), s = d + t;
	uint8_t neg = x < 0, odd = n != 2 * __builtin_rint(0.5 * n);
	double a = below_f64(b, neg ? 200 : 301.7), sl = (d - s) + t, den = a * s, denl = __builtin_fma(a, s, -den) + a * sl;
	double l, p, pl, h = stirling_moved_f64(a, &l, &p, &pl);
	den = pick_f64(neg, odd ? den : -den, p), denl = neg ? (odd ? denl : -denl) : pl;
	double y = ratio_exp_f64(neg ? p : 1, neg ? pl : 0, den, denl, neg ? -h : h, neg ? -l : l);
	y = ((neg & (d == 0)) | (x != x)) ? __builtin_nan("") : y;
	return __builtin_fabs(x) < 0x1p-60 ? 1 / x : y;
}

/* log Gamma(a) for a >= 0 as an unrounded sum.  To 2.25 it is (y - 1)*(y - 2)*g(y) with y = a, or y = a + 1 and less log a
 * below 0.8; to 3.25 that of a - 1 and log(a - 1); beyond, Stirling's series. */
M double lgamma_right_f64(double a, double *lo)
{
	double t = a < 0.8 ? a : a < 2.25 ? a - 1 : a - 2;
	double l, h = log_two_f64(a < 2.25 ? a : a < 3.25 ? a - 1 : a, &l);
	double w = a < 0.8 ? -1 : a < 2.25 ? 0 : a < 3.25 ? 1 : a - 0.5, u = w * h, ul = __builtin_fma(w, h, -u) + w * l;
	double v = 0x1.d67f1c864beb5p-1 - a, vl = (0x1.d67f1c864beb5p-1 - (v + a)) - 0x1.65b5a1b7ff5dfp-55 + stirling_rest_f64(1 / a);
	v = a < 3.25 ? lgamma_zeros_f64(t) : v, vl = a < 3.25 ? 0 : vl;
	double sl, s = two_sum_f64(u, v, &sl);
	*lo = a > 0x1p900 ? 0 : sl + (ul + vl);
	return a > 0x1p900 ? a * (h - 1) : s;
}

/* lgamma_f64 for x >= 0 */
M double near_lgamma_f64(double x)
{
	double a = __builtin_fabs(x), lo, h = lgamma_right_f64(a, &lo), y = h + lo;
	return a == 0 ? __builtin_inf() : a == __builtin_inf() ? a : y;
}

/* log|Gamma(x)|; below 0, -log|x*sin(pi*x)/pi| - lgamma(-x), both unrounded: beside whole numbers they cancel */
M double lgamma_f64(double x)
{
	double a = __builtin_fabs(x), lo, h = lgamma_right_f64(a, &lo), whole = a - __builtin_rint(a);
	double d = pick_f64((x < -0x1p-60) & (whole != 0), whole, 0.25), z = d * d, t = d * z * sinpi_tail_f64(z), s = d + t;
	double p = a * s, pl = __builtin_fma(a, s, -p) + a * ((d - s) + t), l, g = log_two_f64(__builtin_fabs(p), &l);
	double sl, sum = two_sum_f64(h, g, &sl), y = x < -0x1p-60 ? -(sum + (sl + (lo + (l + pl / p)))) : h + lo;
	y = x < 0 ? (whole == 0 ? __builtin_inf() : y) : y;
	return a == 0 ? __builtin_inf() : a == __builtin_inf() ? a : y;
}

/* log2 x for a positive number that f32 could hold or near it, to 2^-37 */
M double log2_short_f64(double x)
{
	uint64_t u = (uint64_t)bits_f64(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	double f = f64_of_bits((int64_t)((u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd)) - 1;
	double k = f64_of_bits((int64_t)(u >> 52 | 0x4330000000000000)) - (0x1p52 + 1023);
	double s = f / (2 + f), z = s * s, p = 0x1.5cea5d6340bfcp-2;
	p = __builtin_fma(p, z, 0x1.a58d68b902ce6p-2);
	p = __builtin_fma(p, z, 0x1.27778037a63bep-1);
	p = __builtin_fma(p, z, 0x1.ec709d12521dep-1);
	p = __builtin_fma(p, z, 0x1.71547652bee6cp+1);
	return __builtin_fma(s, p, k);
}

/* 2^x for |x| <= 1000, to 2^-34 */
M double exp2_short_f64(double x)
{
	double t = x + 0x1.8p52, r = x - (t - 0x1.8p52), q = 0x1.00f0dba5cad1dp-16;
	q = __builtin_fma(q, r, 0x1.445e7595225e7p-13);
	q = __builtin_fma(q, r, 0x1.5d872431d331dp-10);
	q = __builtin_fma(q, r, 0x1.3b29f0ed8ff21p-7);
	q = __builtin_fma(q, r, 0x1.c6b08df3e8716p-5);
	q = __builtin_fma(q, r, 0x1.ebfbe07acf223p-3);
	q = __builtin_fma(q, r, 0x1.62e42fef7b92fp-1);
	return __builtin_fma(q, r, 1) * f64_of_bits((int64_t)((uint64_t)(bits_f64(t) + 1023) << 52));
}

/* log2 Gamma(a) for a >= 4, log2 Gamma(a + 4) below, to 2^-31; Gamma(a) is 2 to that power over p, which is 1 from 4 on */
M double stirling_moved_short_f64(double a, double *p)
{
	double t = a * (a + 3), c = a < 4 ? a + 4 : a;
	*p = a < 4 ? t * (t + 2) : 1;
	return __builtin_fma(c - 0.5, log2_short_f64(c), 0x1.71547652b82fep0 * ((0x1.d67f1c864beb5p-1 - c) + stirling_short_f64(1 / c)));
}

/* gamma_f32 for x >= 0 */
M float near_gamma_f32(float x)
{
	double b = __builtin_fabs((double)x), p, e = stirling_moved_short_f64(below_f64(b, 171.62), &p);
	double y = 1 / p * exp2_short_f64(e);
	y = x != x ? __builtin_nan("") : y;
	return (float)(b < 0x1p-30 ? 1 / (double)x : y);
}

/* as gamma_f64, in f64 */
M float gamma_f32(float x)
{
	double b = below_f64(__builtin_fabs((double)x), 0x1p53), n = __builtin_rint(b), d = b - n, z = d * d;
	uint8_t neg = x < 0, odd = n != 2 * __builtin_rint(0.5 * n);
	double a = below_f64(b, neg ? 50 : 171.62), den = a * __builtin_fma(d * z, sinpi_short_f64(z), d);
	double p, e = stirling_moved_short_f64(a, &p), num = neg ? p : 1;
	den = pick_f64(neg, odd ? den : -den, p);
	double y = num / den * exp2_short_f64(neg ? -e : e);
	y = ((neg & (d == 0)) | (x != x)) ? __builtin_nan("") : y;
	return (float)(b < 0x1p-30 ? 1 / (double)x : y);
}

/* log Gamma(a) as in lgamma_right_f64, for 0 < a < inf, good to f32 */
M double lgamma_right_short_f64(double a)
{
	double g = below_f64(a, 4), t = a < 0.8 ? g : a < 2.25 ? g - 1 : g - 2;
	double h = 0x1.62e42fefa39efp-1 * log2_short_f64(a < 2.25 ? a : a < 3.25 ? a - 1 : a);
	double w = a < 0.8 ? -1 : a < 2.25 ? 0 : a < 3.25 ? 1 : a - 0.5, v = (0x1.d67f1c864beb5p-1 - a) + stirling_short_f64(1 / above_f64(a, 3));
	return __builtin_fma(w, h, a < 3.25 ? lgamma_zeros_short_f64(t) : v);
}

/* lgamma_f32 for x >= 0 */
M float near_lgamma_f32(float x)
{
	double b = __builtin_fabs((double)x), y = lgamma_right_short_f64(pick_f64((b > 0) & (b < __builtin_inf()), b, 1));
	y = b == 0 ? __builtin_inf() : b == __builtin_inf() ? b : y;
	return x == x ? (float)y : x;
}

/* as lgamma_f64, in f64 */
M float lgamma_f32(float x)
{
	double b = __builtin_fabs((double)x), a = pick_f64((b > 0) & (b < __builtin_inf()), below_f64(b, x < 0 ? 0x1p53 : b), 1);
	double y = lgamma_right_short_f64(a);
	double d = a - __builtin_rint(a), z = d * d, q = a * __builtin_fabs(__builtin_fma(d * z, sinpi_short_f64(z), d));
	y = x < -0x1p-30f ? __builtin_fma(-0x1.62e42fefa39efp-1, log2_short_f64(q), -y) : y;
	y = x < 0 ? (d == 0 ? __builtin_inf() : y) : y;
	y = b == 0 ? __builtin_inf() : b == __builtin_inf() ? b : y;
	return x == x ? (float)y : x;
}

/* log z - 1/(2z) - digamma(z) for z >= 4 and s = 1/z^2 */
M double digamma_rest_f64(double s)
{
	double ss = s * s, s4 = ss * ss, c = __builtin_fma(0x1.045c2109878b3p+4, s, -0x1.f7faa2a5c0f17p+2);
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.592b7582439c4p-6, 0x1.5011eeaa920c2p-4,
		-0x1.98e0fffc3be84p-2, 0x1.000f97b8f2bffp+1));
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.111111110f067p-7, 0x1.041040f9b9245p-8,
		-0x1.111106bcc5d6cp-8, 0x1.f076c126922e4p-8));
	return __builtin_fma(c, s, 0x1.5555555555555p-4) * s;
}

/* (n + nl)/(d + dl) as an unrounded sum */
M double quotient_two_f64(double n, double nl, double d, double dl, double *lo)
{
	double i = 1 / d, q = n * i;
	*lo = (__builtin_fma(-q, d, n) + (nl - q * dl)) * i;
	return q;
}

/* digamma(a) for a > 0 as an unrounded sum: log z - 1/(2z) - ..., z = a + 4 below 4, less 1/a + ... + 1/(a + 3) =
 * (2a + 3)*(2t + 2)/(t*(t + 2)) with t = a*(a + 3) */
M double digamma_right_f64(double a, double *lo)
{
	double b = below_f64(a, 4), z = a < 4 ? a + 4 : a, zl = a < 4 ? a - (z - 4) : 0;
	double l, h = log_two_f64(z, &l), r = 1 / z, half = 0.5 * r, halfl = half * (__builtin_fma(-r, z, 1) - zl * r);
	double q = b + 3, t = b * q, tl = __builtin_fma(b, q, -t) + b * (b - (q - 3)), pl, p = rise_4_f64(b, &pl);
	double ul, u = two_sum_f64(2 * b, 3, &ul), vl, v = two_sum_f64(2 * t, 2, &vl), n = u * v;
	double gl, g = quotient_two_f64(n, __builtin_fma(u, v, -n) + (ul * v + u * (vl + 2 * tl)), p, pl, &gl);
	double el, fl, e = two_sum_f64(h, a < 4 ? -g : 0, &el), f = two_sum_f64(e, -half, &fl);
	*lo = (el + fl) + ((l + zl * r) - (a < 4 ? gl : 0) - halfl - digamma_rest_f64(r * r));
	return f;
}

/* the size of x, no larger or smaller than digamma needs */
M double digamma_size_f64(double x) { return below_f64(above_f64(__builtin_fabs(x), 0x1p-61), 0x1.fffffffffffffp1023); }

/* digamma_f64 for x >= 0 */
M double near_digamma_f64(double x)
{
	double lo, f = digamma_right_f64(digamma_size_f64(x), &lo), y = f + lo;
	return __builtin_fabs(x) < 0x1p-60 ? -1 / x : x < __builtin_inf() ? y : x;
}

/* Derivative of lgamma; of x < 0 it is that of -x, and 1/-x and pi*cot(-pi*x).  In two doubles: beside zeros the error is
 * 2^-56. */
M double digamma_f64(double x)
{
	double a = digamma_size_f64(x), lo, f = digamma_right_f64(a, &lo);
	int64_t k;
	double wl, w = half_quarter_f64(pick_f64(x < 0, a, 0.25), &wl, &k), sl, s = sin_two_f64(w, wl, &sl), cl, c = cos_two_f64(w, wl, &cl);
	uint8_t odd = k & 1;
	double dl, d = quotient_two_f64(odd ? -s : c, odd ? -sl : cl, odd ? c : s, odd ? cl : sl, &dl);
	double m = 0x1.921fb54442d18p1 * d, ml = __builtin_fma(0x1.921fb54442d18p1, d, -m);
	ml += 0x1.921fb54442d18p1 * dl + 0x1.1a62633145c07p-53 * d;
	double i = 1 / a, il = i * __builtin_fma(-i, a, 1), jl, ol, j = two_sum_f64(f, i, &jl), o = two_sum_f64(j, m, &ol);
	double y = x < 0 ? o + (ol + (jl + (il + (ml + lo)))) : f + lo;
	y = x < 0 ? (a == __builtin_floor(a) ? __builtin_nan("") : y) : y;
	return __builtin_fabs(x) < 0x1p-60 ? -1 / x : x < __builtin_inf() ? y : x;
}

/* Gamma(s) * (x^-s + (x + 1)^-s + ...) for x > 0 and a whole s >= 2: twelve terms, then the integral, half a term and
 * Bernoulli's corrections, all divided by the first term */
M double zeta_gamma_f64(double s, double x)
{
	double l, p, pl, h = stirling_moved_f64(s, &l, &p, &pl);
	double ql, q = log_two_f64(x, &ql), u = s * q, ul = __builtin_fma(s, q, -u) + s * ql;
	double v = h - u, b = v - h, vl = ((h - (v - b)) - (u + b)) + (l - ul);
	double first = exp_two_f64(v, __builtin_fabs(v) < 1300 ? vl : 0, 0) / p * (1 - pl / p);
	double sum = 0;
	for (int k = 11; k > 0; k--)
		sum += pow_f64(x / (x + k), s);
	double z = x + 12, r = 1 / (z * z), t = s * (1 / z), c = t * (1.0 / 12);
	t *= (s + 1) * (s + 2) * r, c -= t * (1.0 / 720);
	t *= (s + 3) * (s + 4) * r, c += t * (1.0 / 30240);
	t *= (s + 5) * (s + 6) * r, c -= t * (1.0 / 1209600);
	t *= (s + 7) * (s + 8) * r, c += t * (1.0 / 47900160);
	t *= (s + 9) * (s + 10) * r, c -= t * (691.0 / 1307674368000);
	t *= (s + 11) * (s + 12) * r, c += t * (1.0 / 74724249600);
	double rest = pow_f64(x / z, s) * (z / (s - 1) + 0.5 + c);
	return first * (1 + (sum + rest));
}

/* Derivative number n of digamma, n whole and >= 0, else NaN: (-1)^(n+1) n! zeta(n + 1, x).  Below 0 the sum of
 * (x + k)^-s over all whole k depends only on d, x less the nearest whole number, and what lies right of it is taken
 * off: below 0 the error is small against n!/|d|^(n+1) only.  NaN at 0 and the negative integers for even n, inf for
 * odd n. */
M double polygamma_f64(double n, double x)
{
	double s = n >= 1 ? n + 1 : 2, even = 2 * __builtin_floor(0.5 * n) == n ? -1 : 1;
	double d = x - __builtin_rint(x);
	double right = zeta_gamma_f64(s, x > 0 ? x : 1 + d);
	double left = zeta_gamma_f64(s, 1 - d), far = zeta_gamma_f64(s, x > 0 ? 1 : 1 - x);
	double pole = gamma_f64(s) * pow_f64(d, -s);
	double y = x > 0 ? right : (pole + right) + even * (left - far);
	y = x <= 0 && d == 0 ? (even < 0 ? __builtin_nan("") : __builtin_inf()) : y;
	y = x == __builtin_inf() ? 0 : y;
	y = n == 0 ? digamma_f64(x) : even * y;
	return n >= 0 && n <= 0x1.fffffffffffffp1023 && n == __builtin_floor(n) ? y : __builtin_nan("");
}

/* trigamma(z) - 1/z - 1/(2z^2) for z >= 4, r = 1/z and s = r^2 */
M double trigamma_rest_f64(double r, double s)
{
	double ss = s * s, s4 = ss * ss, c = __builtin_fma(-0x1.0122cf091a26bp+11, ss, __builtin_fma(0x1.f547c20e8a0f4p+9, s, -0x1.e7ac4a53c92b0p+7));
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.03085919ac3aep-2, 0x1.283ab7d262e9fp+0,
		-0x1.abbfc3f1f4072p+2, 0x1.53b4d5dfc0e78p+5));
	c = __builtin_fma(c, s4, poly4_f64(s, ss, -0x1.111111110f99bp-5, 0x1.8618617d3e620p-6,
		-0x1.11110bc6bf742p-5, 0x1.364beb80341bcp-4));
	return __builtin_fma(c, s, 0x1.5555555555555p-3) * (r * s);
}

/* trigamma(a) for a > 0: 1/z + 1/(2z^2) + ..., z = a + 4 below 4, and 1/a^2 + ... + 1/(a + 3)^2, the last three of which
 * are (3w^2 + 1)/(w*(w - 1)^2) with w = (a + 2)^2; b is a or 4, whichever is less */
M double trigamma_right_f64(double a, double b)
{
	double z = a < 4 ? a + 4 : a, r = 1 / z, s = r * r;
	double w = (b + 2) * (b + 2), v = w - 1, f = 1 / b / b, g = __builtin_fma(3 * w, w, 1) / (w * (v * v));
	double y = r + __builtin_fma(0.5, s, trigamma_rest_f64(r, s));
	return a < 4 ? f + (g + y) : y;
}

/* trigamma_f64 for x >= 0 */
M double near_trigamma_f64(double x)
{
	double y = trigamma_right_f64(x, below_f64(above_f64(x, x == 0 ? 1 : 0x1p-530), 4));
	return x == 0 ? __builtin_inf() : y;
}

/* Derivative of digamma; below 0 that of 1 + x and 1/x^2, below -1/2 (pi/sin(pi*x))^2 less that of 1 - x, which is at most
 * a sixth of it */
M double trigamma_f64(double x)
{
	double a = x < -0.5 ? 1 - x : x < 0 ? 1 + x : x, y = trigamma_right_f64(a, below_f64(above_f64(a, x == 0 ? 1 : 0x1p-530), 4));
	double e = below_f64(above_f64(__builtin_fabs(x), x == 0 ? 1 : 0x1p-530), 2);
	double t = below_f64(x, 0x1p60), whole = t - __builtin_rint(t), d = pick_f64((x < -0.5) & (whole != 0), whole, 0.25);
	double u = d * d, c = d * u * sinpi_tail_f64(u), q = d + c, ql = (d - q) + c, i = 1 / q, il = i * (__builtin_fma(-i, q, 1) - i * ql);
	double left = x < -0.5 ? __builtin_fma(i, i, 2 * i * il - y) : 1 / e / e + y;
	left = whole == 0 ? __builtin_inf() : left;
	y = x < 0 ? left : x == 0 ? __builtin_inf() : y;
	return x == -__builtin_inf() ? __builtin_nan("") : y;
}

/* log(Gamma(x)*Gamma(y)/Gamma(x + y)) for x, y >= 0, NaN below: with a the smaller and b the larger.  Gamma(b)/Gamma(a + b)
 * is moved to b + n >= 4 first; there the large parts of the two logarithms cancel in log1p(a/b). */
M double lbeta_f64(double x, double y)
{
	double s = x < y ? x : y, t = x < y ? y : x, most = t < __builtin_inf() ? 0x1.fffffffffffffp1023 : 0x1p900, p = 1;
	double a = below_f64(above_f64(s, 0x1p-1074), most), b = below_f64(above_f64(t, 0x1p-1074), most);
	double e = below_f64(a, 12), g = above_f64(a, 12);
	for (int j = 0; j < 4; j++)
		p *= b < 4 ? 1 + a / (b + j) : 1;
	double z = b < 4 ? b + 4 : b, c = below_f64(a, 0x1p960) + z;
	double rest = stirling_rest_f64(1 / z) - stirling_rest_f64(1 / c), fall = (z - 0.5) * log1p_f64(a / z);
	double l, h = log_two_f64(c, &l), m = e * h, ml = __builtin_fma(e, h, -m) + e * l;
	double small = (near_lgamma_f64(e) + ((a - fall) + (log_f64(p) + (rest - ml)))) - m;
	double large = (0x1.d67f1c864beb5p-1 - 0.5 * log_f64(g)) + (rest + stirling_rest_f64(1 / g)) - fall - g * log1p_f64(b / g);
	l = a < 12 ? small : large;
	l = t == __builtin_inf() ? -t : l;
	l = s == 0 ? (t == __builtin_inf() ? __builtin_nan("") : __builtin_inf()) : l;
	return s >= 0 && y == y && x == x ? l : __builtin_nan("");
}

/* through f64 */
M float near_digamma_f32(float x)       { return (float)near_digamma_f64(x); }
M float digamma_f32(float x)            { return (float)digamma_f64(x); }
M float near_trigamma_f32(float x)      { return (float)near_trigamma_f64(x); }
M float trigamma_f32(float x)           { return (float)trigamma_f64(x); }
M float lbeta_f32(float x, float y)     { return (float)lbeta_f64(x, y); }
M float polygamma_f32(float n, float x) { return (float)polygamma_f64(n, x); }
