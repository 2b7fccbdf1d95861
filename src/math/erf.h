/* erf.h - the error function, the normal distribution and their kin.
 *
 * erf: to 0.9 an odd polynomial.  Beyond, f32: 1 - e^-q, where q = -log erfc(x) is 2x + 2x*p(2x) with a small p, so
 * that its rounding cannot make erf fall from one number to the next; f64: 1 - erfc(x).
 * erfcx(x) = e^(x^2)*erfc(x) for x >= 0 is g(t)/(1 + 2x), t = (x - 4)/(x + 4), where g is smooth for all x (the mapping
 * of J. L. Schonfelder, 1978; and M. M. Shepherd and J. G. Laframboise, 1981).  It is carried in two doubles, x^2 too;
 * e^(-x^2) = 2^k*(1 + u) joins as erfcx + u*erfcx: erfc, ndtr and gelu round once there, and once more at 2^k.
 * erfinv: a polynomial guess in -log(1 - x^2), as M. Giles (2010) takes it, then two steps of Halley on erf or erfc.
 * Coefficients: tools/chebyshev.py; those of erfc_f32: tools/minimax.py.  Errors: docs/accuracy.md.
 */

/* erf(x)/x - 1 for z = x^2 <= 0.81 */
M float erf_tail_f32(float z)
{
	float p = 0x1.65bfcp-14f;
	p = __builtin_fmaf(p, z, -0x1.acd92ap-11f);
	p = __builtin_fmaf(p, z, 0x1.55107p-8f);
	p = __builtin_fmaf(p, z, -0x1.b815ccp-6f);
	p = __builtin_fmaf(p, z, 0x1.ce2e5cp-4f);
	p = __builtin_fmaf(p, z, -0x1.812744p-2f);
	return __builtin_fmaf(p, z, 0x1.06eba8p-3f);
}

/* 2/sqrt(pi) * integral of e^-t^2 from 0 to x */
M float erf_f32(float x)
{
	float a = __builtin_fabsf(x), b = below_f32(a, 4), c = b + b, p = 0x1.7e9638p-34f;
	p = __builtin_fmaf(p, c, -0x1.5c34d2p-27f);
	p = __builtin_fmaf(p, c, 0x1.ccd686p-22f);
	p = __builtin_fmaf(p, c, -0x1.51487ap-17f);
	p = __builtin_fmaf(p, c, 0x1.41d538p-13f);
	p = __builtin_fmaf(p, c, -0x1.b60be4p-10f);
	p = __builtin_fmaf(p, c, 0x1.c49b32p-7f);
	p = __builtin_fmaf(p, c, 0x1.4351cep-3f);
	p = __builtin_fmaf(p, c, -0x1.bd3dbcp-2f);
	float q = __builtin_fmaf(p, c, c), ql = __builtin_fmaf(p, c, c - q) - 0x1.6e903cp-12f;
	float k, l, h = exp_parts_f32(-q, -ql, &l, &k), s = pow2_f32(k), y = __builtin_fmaf(-s, h + l, 1 - s);
	return __builtin_copysignf(a < 0.9f ? __builtin_fmaf(b, erf_tail_f32(b * b), b) : x == x ? y : x, x);
}

/* 1 - erf(x), computed so for small |x|, where what rounding takes from 1 - x is added again, so that it never rises; else
 * e^(-x^2)*t*P(t - 1/2) with t = 1/(1 + 3|x|/8), for x < 0 subtracted from 2.  An error of t counts by the slope of
 * t*P(t - 1/2), which is near 1/3 + 8/3*t^3. */
M float erfc_f32(float x)
{
	float a = __builtin_fabsf(x), c = below_f32(a, 10.1f), z = c * c, zl = __builtin_fmaf(c, c, -z);
	float d = __builtin_fmaf(0.375f, c, 1), t = 1 / d, w = t * t, u = t - 0.5f, p = 0x1.82b82cp-6f;
	float tl = (__builtin_fmaf(-t, d, 1) - t * __builtin_fmaf(0.375f, c, 1 - d)) * __builtin_fmaf(2.67f * w, w, 0.33f * t);
	p = __builtin_fmaf(p, u, 0x1.873fc8p-5f);
	p = __builtin_fmaf(p, u, -0x1.79221ep-5f);
	p = __builtin_fmaf(p, u, -0x1.1ec9c4p-3f);
	p = __builtin_fmaf(p, u, -0x1.396470p-7f);
	p = __builtin_fmaf(p, u, 0x1.55b8c4p-2f);
	p = __builtin_fmaf(p, u, 0x1.4fa614p-1f);
	p = __builtin_fmaf(p, u, 0x1.82a068p-1f);
	p = __builtin_fmaf(p, u, 0x1.406332p-1f);
	float h = __builtin_fmaf(p, u, 0x1.97b364p-2f), hl = __builtin_fmaf(p, u, 0x1.97b364p-2f - h);
	float k, l, r = exp_parts_f32(-z, -zl, &l, &k), q = t * h, ql = __builtin_fmaf(t, h, -q) + __builtin_fmaf(t, hl, tl);
	float y = scale_f32(q + __builtin_fmaf(q, r, __builtin_fmaf(q, l, __builtin_fmaf(ql, r, ql))), k);
	float near = __builtin_copysignf(c, x), one = 1 - near, rest = (1 - one) - near;
	y = a < 0.7f ? one + __builtin_fmaf(-near, erf_tail_f32(z), rest) : x < 0 ? 2 - y : y;
	return x == x ? y : x;
}

/* e^(x + lo) = 2^k*(1 + r + rest) for a small lo and |x| <= 1400: gives r, stores rest and k */
M double exp_frac_f64(double x, double lo, double *rest, double *k)
{
	double n = __builtin_fma(x, 0x1.71547652b82fep0, 0x1.8p52) - 0x1.8p52;
	double a = __builtin_fma(n, -0x1.62e42feep-1, x), b = __builtin_fma(n, -0x1.a39ef35793c76p-33, lo);
	double r = a + b;
	*rest = exp_rest_f64(r, (a - r) + b);
	*k = n;
	return r;
}

/* erfcx(x + lo) for a number x >= 0 and a tiny lo as an unrounded sum: gives the upper part, stores the lower */
M double erfcx_two_f64(double x, double lo, double *low)
{
	double c = below_f64(x, 0x1p100), d = __builtin_fma(2, c, 1), j = 1 / d, t = (c - 4) / (c + 4);
	double tt = t * t, t4 = tt * tt, p = -0x1.3ab58f87cfb03p-33;
	p = __builtin_fma(p, t4, poly4_f64(t, tt, -0x1.fcc3a5268653fp-27, 0x1.b34e17ed4ff9fp-29,
		0x1.f5d7df6dfda9p-30, -0x1.24000f0a15ee9p-32));
	p = __builtin_fma(p, t4, poly4_f64(t, tt, -0x1.baf5e74545cc2p-21, 0x1.4cb0ece36623dp-24,
		0x1.d98825ca9deb5p-24, -0x1.611fc8f45b51p-26));
	p = __builtin_fma(p, t4, poly4_f64(t, tt, -0x1.9958e21c32f5cp-16, -0x1.78862b6b1e3abp-17,
		0x1.7f2545048fbf3p-18, 0x1.398374178fe8cp-22));
	p = __builtin_fma(p, t4, poly4_f64(t, tt, 0x1.49c6728a1a0fp-8, -0x1.8d4a9b0690e08p-11,
		-0x1.a1df289a58f28p-13, 0x1.3be04c486a75ep-13));
	p = __builtin_fma(p, t4, poly4_f64(t, tt, 0x1.7fee004e1295bp-4, -0x1.0fb06dfe52605p-4,
		0x1.3079edf67777bp-5, -0x1.096238838fb04p-6));
	p = __builtin_fma(p, t4, poly4_f64(t, tt, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd6bap-7,
		0x1.16ecefcfa5383p-4, -0x1.9ddb23c3e89f3p-4));
	double h = __builtin_fma(p, t, 0x1.3ba5916e9fd7fp0), hl = __builtin_fma(p, t, 0x1.3ba5916e9fd7fp0 - h) - 0x1.9e3cc2b030f03p-55;
	double b = d - 1, dl = (1 - (d - b)) + (2 * c - b), q = h * j;
	*low = (__builtin_fma(-q, d, h) + (hl - q * (dl + 2 * lo))) * j;
	return q;
}

/* y*2^k for a whole |k| <= 2000, in two factors that are both normal */
M double times_pow2_f64(double y, double k)
{
	double h = __builtin_rint(0.5 * k);
	return y * pow2_f64(h) * pow2_f64(k - h);
}

/* e^-(z + zl)*(q + ql), rounded once before the power of two is put on */
M double fade_f64(double z, double zl, double q, double ql)
{
	double k, l, r = exp_frac_f64(-z, -zl, &l, &k);
	return times_pow2_f64(q + __builtin_fma(q, r, __builtin_fma(q, l, __builtin_fma(ql, r, ql))), k);
}

/* erfc for x >= 0, zero from 28 on */
M double erfc_right_f64(double x)
{
	double c = below_f64(x, 28), l, q = erfcx_two_f64(c, 0, &l);
	double z = c * c, zl = __builtin_fma(c, c, -z), y = fade_f64(z, zl, q, l);
	return x == x ? y : x;
}

/* erf for |x| <= 0.9; of a larger x some number */
M double erf_part_f64(double x)
{
	double c = __builtin_copysign(below_f64(__builtin_fabs(x), 1), x), z = c * c;
	double zz = z * z, z4 = zz * zz, p = __builtin_fma(-0x1.44cc02a81def6p-38, z, 0x1.889685f037e6bp-34);
	p = __builtin_fma(p, z4, poly4_f64(z, zz, 0x1.b9e6a4e4e174ep-20, -0x1.5f71b3244c7f7p-23,
		0x1.fc894e8a6c036p-27, -0x1.4fdf9629f5162p-30));
	p = __builtin_fma(p, z4, poly4_f64(z, zz, 0x1.565bcd0e69a09p-8, -0x1.c02db40009367p-11,
		0x1.f9a326ee95d3ap-14, -0x1.f4d25ab974fcbp-17));
	p = __builtin_fma(p, z4, poly4_f64(z, zz, 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2,
		0x1.ce2f21a042be1p-4, -0x1.b82ce31288b25p-6));
	return __builtin_fma(c, p, c);
}

/* as erf_f32 */
M double erf_f64(double x)
{
	double a = __builtin_fabs(x);
	double near = erf_part_f64(a), far = 1 - erfc_right_f64(a);
	return __builtin_copysign(a < 0.9 ? near : far, x);
}

/* 1 - erf(x), formed so for small |x|; of other x below 0 by 2 - erfc(-x) */
M double erfc_f64(double x)
{
	double y = erfc_right_f64(__builtin_fabs(x)), small = 1 - erf_part_f64(x);
	return x > -0.47 && x < 0.47 ? small : x < 0 ? 2 - y : y;
}

/* e^(x^2)*erfc(x), computed as that product beside 0; below -0.9 it is 2*e^(x^2) - erfcx(-x) */
M double erfcx_f64(double x)
{
	double a = __builtin_fabs(x), l, q = erfcx_two_f64(a, 0, &l);
	uint8_t finite = x > -__builtin_inf();
	double c = below_f64(a, (x < 0) & finite ? 30 : 1), z = c * c, zl = __builtin_fma(c, c, -z);
	double e = erf_part_f64(x), f = 1 - e, small = fade_f64(-z, -zl, f, (1 - f) - e);
	double y = a > 0x1p99 ? 0x1.20dd750429b6dp-1 / above_f64(a, 1) : x == x ? q + l : x;
	y = x < 0 ? exp_two_f64(z, zl, 1) - y : y;
	y = x == -__builtin_inf() ? __builtin_inf() : y;
	return x > -0.9 && x < 0.47 ? small : y;
}

/* Halley's step from y towards the number with erf a; the difference of two that are near is exact */
M double erfinv_step_f64(double y, double a)
{
	double near = erf_part_f64(y) - a, far = (1 - a) - erfc_right_f64(y);
	double e = (a < 0.5 ? near : far) * 0x1.c5bf891b4ef6bp-1 * exp_f64(y * y);
	return y - e / (1 + y * e);
}

/* y with erf(y) = x */
M double erfinv_f64(double x)
{
	double a = __builtin_fabs(x), w = -log_f64(above_f64((1 - a) * (1 + a), 0x1p-60));
	double u = w - 2.5, s = __builtin_sqrt(w) - 4, uu = u * u, u4 = uu * uu, ss = s * s, s4 = ss * ss;
	double p = __builtin_fma(-0x1.32e4d04eca751p-27, u, 0x1.90e867e23988p-26);
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.c9e96ecda5be3p-13, -0x1.4db15e527e843p-18,
		-0x1.d0ed9aa06c291p-19, 0x1.f6a66f56677a3p-22));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.805c5d250a585p0, 0x1.f91e89e38fce6p-3,
		-0x1.11c505c516185p-8, -0x1.48650bca3d7ep-10));
	double q = __builtin_fma(-0x1.d274a12019e16p-19, s, 0x1.7b37816daee15p-16);
	q = __builtin_fma(q, s4, poly4_f64(s, ss, 0x1.443b44a277bd2p-12, -0x1.859c7535e2424p-14,
		0x1.02b36d5531b17p-14, -0x1.be2eed3a137bfp-15));
	q = __builtin_fma(q, s4, poly4_f64(s, ss, 0x1.eb7e0971a99b9p1, 0x1.026e34c5df2p0,
		0x1.4b2815c1978e9p-10, -0x1.cce9b47c90326p-11));
	double y = erfinv_step_f64(erfinv_step_f64(a * (w < 5 ? p : q), a), a);
	y = a < 1 ? y : a == 1 ? __builtin_inf() : __builtin_nan("");
	return a < 0x1p-500 ? x * 0x1.c5bf891b4ef6bp-1 : __builtin_copysign(y, x);
}

/* ---- the normal distribution ---- */

/* the distribution's integral from -inf to -x, times s, for x >= 0.65; x^2/2 is exact in two doubles, x/sqrt(2) nearly */
M double ndtr_left_f64(double x, double s)
{
	double c = below_f64(x, 40), r = c * 0x1.6a09e667f3bcdp-1;
	double l, q = erfcx_two_f64(r, __builtin_fma(c, 0x1.6a09e667f3bcdp-1, -r) - c * 0x1.bdd3413b26456p-55, &l);
	double z = c * c, zl = __builtin_fma(c, c, -z);
	double h = 0.5 * s, p = h * q, y = fade_f64(0.5 * z, 0.5 * zl, p, __builtin_fma(h, l, __builtin_fma(h, q, -p)));
	return x == x ? y : x;
}

/* erf(x/sqrt(2)) for |x| <= 0.65; of a larger x some number */
M double erf_root_f64(double x)
{
	double c = __builtin_copysign(below_f64(__builtin_fabs(x), 1), x);
	double r = c * 0x1.6a09e667f3bcdp-1, lo = __builtin_fma(c, 0x1.6a09e667f3bcdp-1, -r);
	return erf_part_f64(r) + lo;
}

/* the integral from -inf to x, for |x| <= 0.65 */
M double ndtr_near_f64(double x) { return 0.5 + 0.5 * erf_root_f64(x); }

/* the integral from -inf to x */
M double ndtr_f64(double x)
{
	double left = ndtr_left_f64(__builtin_fabs(x), 1), near = ndtr_near_f64(x);
	return x > -0.65 && x < 0.65 ? near : x < 0 ? left : 1 - left;
}

/* its logarithm; in the left tail -x^2/2 + log(erfcx(-x/sqrt(2))/2), two terms of one sign */
M double log_ndtr_f64(double x)
{
	uint8_t finite = (uint64_t)bits_f64(x) != 0xfff0000000000000;
	double a = pick_f64((x < 0) & finite, __builtin_fabs(x), 0), r = a * 0x1.6a09e667f3bcdp-1;
	double l, q = erfcx_two_f64(r, 0, &l), h = 0.5 * a, z = h * a, zl = z <= 0x1.fffffffffffffp1023 ? __builtin_fma(h, a, -z) : 0;
	uint8_t near = x > -0.65;
	double left = log_f64(near ? ndtr_near_f64(x) : 0.5 * q) + (near ? 0 : l / q - zl);
	left = near ? left : finite ? left - z : x;
	return x > 0 ? log1p_f64(-ndtr_f64(-below_f64(__builtin_fabs(x), 40))) : x == x ? left : x;
}

/* x*ndtr(x); near 0 it is (x + x*erf(x/sqrt(2)))/2 */
M double gelu_f64(double x)
{
	double a = __builtin_fabs(x), left = ndtr_left_f64(a, a > 40 ? 40 : a), c = __builtin_copysign(below_f64(a, 1), x);
	double near = __builtin_copysign(0.5 * __builtin_fma(c, erf_root_f64(c), c), x);
	return x > -0.65 && x < 0.65 ? near : x < 0 ? -left : x - left;
}

/* x*sigmoid(w), w = sqrt(8/pi)*(x + 0.044715 x^3) in two doubles; below 0 it is x*e^w/(1 + e^w) */
M double gelu_tanh_f64(double x)
{
	double a = __builtin_fabs(x), c = below_f64(a, 22);
	double s = c * c, sl = __builtin_fma(c, c, -s);
	double b = s * 0x1.2444f2a4d8b4bp-4, bl = sl * 0x1.2444f2a4d8b4bp-4 - s * 0x1.6c843a29d1c7p-61;
	bl += __builtin_fma(s, 0x1.2444f2a4d8b4bp-4, -b);
	double h = b + 0x1.9884533d43651p0, v = h - b;
	double hl = (0x1.9884533d43651p0 - v) + (b - (h - v)) + (bl - 0x1.cbc0d30ebfd15p-54);
	double w = c * h, wl = __builtin_fma(c, h, -w) + c * hl;
	double k, l, r = exp_frac_f64(-w, -wl, &l, &k), u = r + l;
	double e = times_pow2_f64(1 + u, k), d = 1 + e, dl = e - (d - 1);
	double n = x < 0 ? __builtin_fma(c, u, c) : c, nl = x < 0 ? __builtin_fma(c, u, c - n) : 0, i = 1 / d, q = n * i;
	q = __builtin_fma(__builtin_fma(-q, dl, __builtin_fma(-q, d, n) + nl), i, q);
	return x <= 22 ? __builtin_copysign(x < 0 ? times_pow2_f64(q, k) : q, x) : x;
}

/* through f64 */
M float erfcx_f32(float x)     { return (float)erfcx_f64(x); }
M float erfinv_f32(float x)    { return (float)erfinv_f64(x); }
M float ndtr_f32(float x)      { return (float)ndtr_f64(x); }
M float log_ndtr_f32(float x)  { return (float)log_ndtr_f64(x); }
M float gelu_f32(float x)      { return (float)gelu_f64(x); }
M float gelu_tanh_f32(float x) { return (float)gelu_tanh_f64(x); }
