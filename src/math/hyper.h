/* hyper.h - hyperbolic functions and their inverses.
 *
 * f64: tanh is a quotient, with its remainder, of sums with e^-2|x| - 1 in two parts, so that nothing cancels near 0.
 * sinh and cosh: x = k*ln 2 + r, then series for sinh r and cosh r.  f32: tanh is a polynomial up to 1.
 * The inverses are log1p of forms that do not cancel; atanh in f64 has a series of its own.
 * Coefficients: tools/minimax.py.  Errors: docs/accuracy.md.
 */

/* an odd polynomial to 1, then 1 - 2/(e^2a + 1) */
M float tanh_f32(float x)
{
	float a = __builtin_fabsf(x), b = below_f32(a, 10), c = 2 * b;
	uint32_t n = steps_f32(c, 0x1.715476p0f, 127);
	float k = steps_whole_f32(n, 127), r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, __builtin_fmaf(k, -0x1.62e4p-1f, c));
	float w = __builtin_fmaf(r * r, exp_short_f32(r), r), s = f32_of_bits((int32_t)(n << 15));
	float far = 1 - 2 / __builtin_fmaf(s, w, 1 + s), z = b * b, p = -0x1.77d116p-12f;
	p = __builtin_fmaf(p, z, 0x1.2da146p-9f);
	p = __builtin_fmaf(p, z, -0x1.046030p-7f);
	p = __builtin_fmaf(p, z, 0x1.6009aep-6f);
	p = __builtin_fmaf(p, z, -0x1.b9623ap-5f);
	p = __builtin_fmaf(p, z, 0x1.110be4p-3f);
	p = __builtin_fmaf(p, z, -0x1.55553cp-2f);
	return __builtin_copysignf(a >= 1 ? far : __builtin_fmaf(b * z, p, a), x);
}

/* with t = (e^-2a - 1)/2, tanh a = -t/(1 + t) */
M double tanh_f64(double x)
{
	double a = __builtin_fabs(x), l, u = expm1_half_f64(-2 * below_f64(a, 20), 1, &l), t = u + l, tl = (u - t) + l;
	double d = 1 + t, dl = ((1 - d) + t) + tl, i = 1 / d, q = t * i;
	double y = __builtin_fma(__builtin_fma(-q, d, t) + __builtin_fma(-q, dl, tl), i, q);
	return a >= 0x1p-100 ? __builtin_copysign(y, x) : x;
}

/* 2, or |x| where x is infinite or NaN: the last factor of results that overflow only at the end of their range */
M float two_f32(float x) { return __builtin_fabsf(x) < __builtin_inff() ? 2 : __builtin_fabsf(x); }

/* min(|x|, 89.5) = k*ln 2 + a + b with an exact a: gives a, stores b, 2^k/4 and 2^-k/4 */
M float halves_f32(float x, float *b, float *up, float *down)
{
	float c = clamp_f32(__builtin_fabsf(x), -1, 89.5f);
	uint32_t n = steps_f32(c, 0x1.715476p0f, 0);
	int32_t e = (int32_t)(n << 15), d = 0x3e800000 - e;
	float k = steps_whole_f32(n, 0);
	*b = k * -0x1.7f7d1cp-20f;
	*up = f32_of_bits(e + 0x3e800000);
	*down = f32_of_bits(d < 0 ? 0 : d);
	return __builtin_fmaf(k, -0x1.62e4p-1f, c);
}

/* (sinh r - r)/r^3 as a function of z = r^2, and cosh r - 1, for |r| < 0.41 */
M float sinh_tail_f32(float z) { return __builtin_fmaf(__builtin_fmaf(0x1.a27946p-13f, z, 0x1.110fe4p-7f), z, 0x1.555556p-3f); }
M float coshm1_part_f32(float r, float z)
{
	return __builtin_fmaf(0.5f * r, r, z * z * __builtin_fmaf(0x1.6dc708p-10f, z, 0x1.555480p-5f));
}

/* with p = (2^k - 2^-k)/4 and q = (2^k + 2^-k)/4, half the sine is p*cosh r + q*sinh r = (p + q*a) + (q*(b + sinh r - r) +
 * p*(cosh r - 1)); what rounding takes from the first sum, from p and from q is added again */
M float sinh_f32(float x)
{
	float b, up, down, a = halves_f32(x, &b, &up, &down), r = a + b, z = r * r;
	float p = up - down, pl = (up - p) - down, q = up + down, ql = (up - q) + down;
	float h = __builtin_fmaf(q, a, p), l = __builtin_fmaf(q, a, p - h) + __builtin_fmaf(ql, a, pl);
	l = __builtin_fmaf(p, coshm1_part_f32(r, z), l);
	float y = (h + __builtin_fmaf(q, __builtin_fmaf(r * z, sinh_tail_f32(z), b), l)) * two_f32(x);
	return __builtin_fabsf(x) >= 0x1p-60f ? __builtin_copysignf(y, x) : x;
}

/* half the cosh (even) or sinh of 0 <= a <= 710.5: with a = k*ln 2 + r, u = 2^k/4 and v = 2^-k/4, cosh a/2 =
 * (u + v)*cosh r + (u - v)*sinh r, sinh a/2 = (u - v)*cosh r + (u + v)*sinh r; what rounding takes from
 * the first terms, p + q*r, is added again */
M double hyper_half_f64(double a, uint8_t even)
{
	double t = __builtin_fma(a, 0x1.71547652b82fep0, 0x1.80000000003fdp52), k = t - 0x1.80000000003fdp52;
	double b = __builtin_fma(k, -0x1.62e42feep-1, a), c = k * -0x1.a39ef35793c76p-33, r = b + c;
	double z = r * r, zz = z * z, rest = (b - r) + c;
	double odd_part = __builtin_fma(r * z, poly6_f64(z, zz, 0x1.5555555555555p-3, 0x1.1111111111384p-7,
		0x1.a01a019ea3cfep-13, 0x1.71de406ef2c1fp-19, 0x1.ae4d2d0bf9b61p-26, 0x1.821ed431e6170p-33), rest);
	double even_part = z * poly6_f64(z, zz, 0.5, 0x1.5555555555558p-5, 0x1.6c16c16c15000p-10,
		0x1.a01a01ad7d650p-16, 0x1.27e4cc1424481p-22, 0x1.1f8bd94dc5358p-29);
	uint64_t n = (uint64_t)bits_f64(t) << 52;
	int64_t m = (int64_t)(0x7fa0000000000000 - n);
	double u = f64_of_bits((int64_t)n), v = f64_of_bits(m < 0 ? 0 : m), p = even ? u + v : u - v, q = even ? u - v : u + v;
	double y = __builtin_fma(q, r, p), l = __builtin_fma(q, r, p - y) + (even ? (u - p) + v : (u - p) - v);
	return y + __builtin_fma(q, odd_part, __builtin_fma(p, even_part, l));
}

/* hyperbolic sine */
M double sinh_f64(double x)
{
	double a = __builtin_fabs(x), y = 2 * hyper_half_f64(a, 0);
	y = a > 710.5 ? __builtin_inf() : y;
	return a < 0x1p-100 ? x : __builtin_copysign(y, x);
}

/* half the cosine is q*cosh r + p*sinh r */
M float cosh_f32(float x)
{
	float b, up, down, a = halves_f32(x, &b, &up, &down), r = a + b, z = r * r;
	float p = up - down, q = up + down, ql = (up - q) + down;
	float l = __builtin_fmaf(p, __builtin_fmaf(r * z, sinh_tail_f32(z), b), __builtin_fmaf(q, coshm1_part_f32(r, z), ql));
	return (q + __builtin_fmaf(p, a, l)) * two_f32(x);
}

/* hyperbolic cosine */
M double cosh_f64(double x)
{
	double a = __builtin_fabs(x), y = 2 * hyper_half_f64(a, 1);
	return a > 710.5 ? __builtin_inf() : y;
}

/* log(a + sqrt(a^2 + 1)) = log1p(a + v) with v = sqrt(a^2 + 1) - 1 = a^2/(1 + sqrt(a^2 + 1)).  v has a rest d, for v^2 + 2v
 * is a^2.  1 + a + v is halved, so that it is finite; a itself for small a and what is not finite. */
M float asinh_f32(float x)
{
	float a = __builtin_fabsf(x), c = clamp_f32(a, -1, 0x1p40f), s = c * c, r = __builtin_sqrtf(s + 1), i = s / (1 + r);
	uint8_t big = a > 0x1p40f;
	float e = below_f32(a, 0x1.fffffep127f), v = big ? e : i, d = __builtin_fmaf(-i, i, __builtin_fmaf(c, c, -2 * i)) / r;
	float p = 0.5f * e, q = 0.5f * v, w = p + q, l = (p - w) + (big ? q : __builtin_fmaf(d, 0.25f, q));
	float u = w + 0.5f, rest = (w > 0.5f ? 0.5f - (u - w) : w - (u - 0.5f)) + l;
	float y = log_near_f32(u, rest, 0x1p23f);
	return __builtin_copysignf((uint32_t)bits_f32(a) - 0x39000000 < 0x7f800000u - 0x39000000 ? y : a, x);
}

/* as asinh_f32, but the errors of root and quotient stay: v is the smaller term.  Above 1 v is the root less 1, so that asinh
 * rises from one number to the next. */
M double asinh_f64(double x)
{
	double a = __builtin_fabs(x), r = __builtin_sqrt(__builtin_fma(a, a, 1)), v = a > 1 ? r - 1 : a * a / (1 + r);
	uint8_t big = a > 0x1p500;
	double u = big ? a * 0x1p-100 : a + v, l = big ? 0 : (a - u) + v, y = log1p_sum_f64(u, l, big ? 101 : 0);
	y = a <= 0x1.fffffffffffffp1023 ? y : a;
	return a < 0x1p-60 ? x : __builtin_copysign(y, x);
}

/* log(x + sqrt(x^2 - 1)) = log1p(t + v) with t = x - 1 and v = sqrt(t^2 + 2t), which has a rest d; 1 + t + v is halved, so
 * that it is finite */
M float acosh_f32(float x)
{
	float t = below_f32(x, 0x1.fffffep127f) - 1, c = clamp_f32(t, -1, 0x1p40f);
	float s = __builtin_fmaf(c, c, 2 * c), r = __builtin_sqrtf(s), v = x > 0x1p40f ? t : r;
	float d = __builtin_fmaf(-r, r, s) / __builtin_fmaf(r, 4, 0x1p-100f);
	float p = 0.5f * t, q = 0.5f * v, w = p + q, l = ((q - w) + p) + d;
	float u = w + 0.5f, e = (w > 0.5f ? 0.5f - (u - w) : w - (u - 0.5f)) + l;
	float y = log_near_f32(u, e, 0x1p23f);
	return x >= 1 ? (x <= 0x1.fffffep127f ? y : x) : __builtin_nanf("");
}

/* log(x + sqrt(x^2 - 1)), with t = x - 1 and the rest of the root; log(2x) for large x */
M double acosh_f64(double x)
{
	double t = x - 1, s = __builtin_fma(t, t, 2 * t), v = __builtin_sqrt(s);
	uint8_t big = x > 0x1p500;
	double d = __builtin_fma(-v, v, s) * half_over_f64(v);
	double u = big ? x * 0x1p-100 : v + t, l = big ? 0 : ((v - u) + t) + d, y = log1p_sum_f64(u, l, big ? 101 : 0);
	y = x <= 0x1.fffffffffffffp1023 ? y : x;
	return x >= 1 ? y : __builtin_nan("");
}

/* log((1 + x)/(1 - x))/2 = log1p(2x/(1 - x))/2, the quotient with its remainder */
M float atanh_f32(float x)
{
	float a = __builtin_fabsf(x), d = above_f32(1 - a, 0x1p-25f), dl = (1 - d) - a, n = 2 * a, q = n / d;
	float u = 1 + q, l = __builtin_fmaf(-q, d, n) - q * dl, e = (q > 1 ? 1 - (u - q) : q - (u - 1)) + l / d;
	float y = 0.5f * log_near_f32(u, e, 0);
	return __builtin_copysignf(a < 1 ? y : a == 1 ? __builtin_inff() : __builtin_nanf(""), x);
}

/* (1 + a)/(1 - a) = 2^k*(1 + s)/(1 - s) with s = (2a - q)/(2 + q), q = (2^k - 1)*(1 - a) with its rest, so atanh a = k*ln 2/2 +
 * atanh s; k by the difference of the bits, which is nearly that of the logarithms: |s| <= 0.2 */
M double atanh_f64(double x)
{
	double a = __builtin_fabs(x), d = 1 - a, b = 2 * a;
	uint64_t w = (uint64_t)bits_f64(1 + a) - (uint64_t)bits_f64(d) + 0x3ff8000000000000;
	double k = f64_of_bits((int64_t)(w >> 52 | 0x4330000000000000)) - (0x1p52 + 1023);
	double p = f64_of_bits((int64_t)(w & 0x7ff0000000000000)) - 1;
	double q = p * d, ql = __builtin_fma(p, (1 - d) - a, __builtin_fma(p, d, -q));
	double n = b - q, nl = (b - (n + q)) - ql, m = 2 + q, ml = ((2 - m) + q) + ql, i = 1 / m;
	double s = n * i, sl = (__builtin_fma(-s, m, n) + __builtin_fma(-s, ml, nl)) * i, z = s * s, zz = z * z;
	double t = poly8_f64(z, zz, zz * zz, 0x1.555555555554fp-1, 0x1.999999999c185p-2, 0x1.24924921e3540p-2,
		0x1.c71c7490b906ep-3, 0x1.745c4a9d79e12p-3, 0x1.3b35c906084a2p-3, 0x1.0dcb07e3ecf42p-3, 0x1.1b8565797ae26p-3);
	double y = __builtin_fma(k, 0x1.62e42fefa39efp-2, s), e = __builtin_fma(k, 0x1.62e42fefa39efp-2, -y) + s;
	y += __builtin_fma(0.5 * s * z, t, __builtin_fma(k, 0x1.abc9e3b39803fp-57, e + sl));
	y = a < 1 ? y : a == 1 ? __builtin_inf() : __builtin_nan("");
	return __builtin_copysign(y, x);
}
