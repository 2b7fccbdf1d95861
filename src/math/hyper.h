/* hyper.h - hyperbolic functions and their inverses.
 *
 * f64: tanh, sinh and cosh are made of (e^x - 1)/4 or e^x/4 in two parts, so that nothing cancels near 0; quotients carry
 * their remainder.  f32: sinh by the sums of series for sinh and cosh of what is left of k*ln 2, tanh by a polynomial to 1.
 * The inverses are log1p of forms that do not cancel.
 * Errors: docs/accuracy.md.
 */

/* an odd polynomial to 1, then 1 - 2/(e^2a + 1) */
M float tanh_f32(float x)
{
	float a = __builtin_fabsf(x), b = a > 10 ? 10 : a, c = 2 * b;
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
	return __builtin_copysignf(a < 1 ? __builtin_fmaf(b * z, p, b) : far, x);
}

/* with t = (e^-2a - 1)/4, tanh a = -t/(1/2 + t) */
M double tanh_f64(double x)
{
	double a = __builtin_fabs(x), l, t = expm1_quarter_f64(a > 20 ? -40 : -2 * a, &l);
	double d = 0.5 + t, dl = ((0.5 - d) + t) + l, i = 1 / d, q = t * i;
	double y = __builtin_fma(__builtin_fma(-q, d, t) + (l - q * dl), i, q);
	return a < 0x1p-100 ? x : __builtin_copysign(y, x);
}

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
 * p*(cosh r - 1)); the first sum, p and q keep their rests */
M float sinh_f32(float x)
{
	float b, up, down, a = halves_f32(x, &b, &up, &down), r = a + b, z = r * r;
	float p = up - down, pl = (up - p) - down, q = up + down, ql = (up - q) + down;
	float h = __builtin_fmaf(q, a, p), l = __builtin_fmaf(q, a, p - h) + __builtin_fmaf(ql, a, pl);
	l = __builtin_fmaf(p, coshm1_part_f32(r, z), l);
	float y = 2 * (h + __builtin_fmaf(q, __builtin_fmaf(r * z, sinh_tail_f32(z), b), l));
	return __builtin_fabsf(x) >= 0x1p-60f ? __builtin_copysignf(y, x) : x;
}

/* with t = (e^a - 1)/4, sinh a = 2*(t + t/(1 + 4t)) */
M double sinh_f64(double x)
{
	double a = __builtin_fabs(x), l, t = expm1_quarter_f64(a > 710.7 ? 710.7 : a, &l);
	double c = t > 0x1p60 ? 0.0625 * t : t, d = 1 + 4 * c, i = 1 / d, q = c * i;
	double r = __builtin_fma(-q, d, c) - q * ((1 - d) + 4 * c), y = t + q, e = (t - y) + q;
	return a < 0x1p-100 ? x : __builtin_copysign(2 * (y + (e + __builtin_fma(r + l * i, i, l))), x);
}

/* half the cosine is q*cosh r + p*sinh r */
M float cosh_f32(float x)
{
	float b, up, down, a = halves_f32(x, &b, &up, &down), r = a + b, z = r * r;
	float p = up - down, q = up + down, ql = (up - q) + down;
	float l = __builtin_fmaf(p, __builtin_fmaf(r * z, sinh_tail_f32(z), b), __builtin_fmaf(q, coshm1_part_f32(r, z), ql));
	float y = 2 * (q + __builtin_fmaf(p, a, l));
	return x == x ? y : x;
}

/* with u = e^a/4, cosh a = 2*(u + 1/(16u)) */
M double cosh_f64(double x)
{
	double a = __builtin_fabs(x), l, k, h = exp_parts_f64(a > 710.7 ? 710.7 : a, 0, &l, &k);
	double s = pow2_f64(k - 2), b = s * h, u = s + b, i = 0.0625 / u, y = u + i;
	return 2 * (y + (((u - y) + i) + __builtin_fma(s, l, (s - u) + b)));
}

/* log(a + sqrt(a^2 + 1)) = log1p(a + v) with v = sqrt(a^2 + 1) - 1 = a^2/(1 + sqrt(a^2 + 1)).  v has a rest d, for v^2 + 2v
 * is a^2.  1 + a + v is halved, so that it is finite; a itself for small a and what is not finite. */
M float asinh_f32(float x)
{
	float a = __builtin_fabsf(x), c = clamp_f32(a, -1, 0x1p40f), s = c * c, r = __builtin_sqrtf(s + 1), i = s / (1 + r);
	uint8_t big = a > 0x1p40f;
	float v = big ? a : i, d = __builtin_fmaf(-i, i, __builtin_fmaf(c, c, -2 * i)) / r;
	float p = 0.5f * a, q = 0.5f * v, w = p + q, l = (p - w) + (big ? q : __builtin_fmaf(d, 0.25f, q));
	float u = w + 0.5f, e = (w > 0.5f ? 0.5f - (u - w) : w - (u - 0.5f)) + l;
	float y = log_near_f32(u, e, 0x1p23f);
	return __builtin_copysignf((uint32_t)bits_f32(a) - 0x39000000 < 0x7f800000u - 0x39000000 ? y : a, x);
}

/* log(x + sqrt(x^2 + 1)) = log1p(x + x^2/(1 + sqrt(x^2 + 1))), the root and the quotient with their rests; log(2x) for
 * large x */
M double asinh_f64(double x)
{
	double a = __builtin_fabs(x);
	uint8_t big = a > 0x1p60;
	double c = big ? 1 : a, s = c * c, sl = __builtin_fma(c, c, -s), q = s + 1, r = __builtin_sqrt(q);
	double rl = (__builtin_fma(-r, r, q) + ((s > 1 ? (s - q) + 1 : (1 - q) + s) + sl)) * 0.5 / r;
	double d = 1 + r, i = 1 / d, v = s * i, vl = (__builtin_fma(-v, d, s) + (sl - v * (((r - d) + 1) + rl))) * i;
	double u = a + v, l = (a > v ? (a - u) + v : (v - u) + a) + vl;
	double y = log1p_sum_f64(big ? a : u, big ? 0 : l, big ? 1 : 0);
	return __builtin_copysign(a <= 0x1.fffffffffffffp1023 ? y : a, x);
}

/* log(x + sqrt(x^2 - 1)) = log1p(t + v) with t = x - 1 and v = sqrt(t^2 + 2t), which has a rest d; 1 + t + v is halved, so
 * that it is finite */
M float acosh_f32(float x)
{
	float t = x - 1, c = clamp_f32(t, -1, 0x1p40f), s = __builtin_fmaf(c, c, 2 * c), r = __builtin_sqrtf(s), v = x > 0x1p40f ? t : r;
	float d = __builtin_fmaf(-r, r, s) / __builtin_fmaf(r, 4, 0x1p-100f);
	float p = 0.5f * t, q = 0.5f * v, w = p + q, l = ((q - w) + p) + d;
	float u = w + 0.5f, e = (w > 0.5f ? 0.5f - (u - w) : w - (u - 0.5f)) + l;
	float y = log_near_f32(u, e, 0x1p23f);
	return x >= 1 ? (x <= 0x1.fffffep127f ? y : x) : __builtin_nanf("");
}

/* log(x + sqrt(x^2 - 1)), with t = x - 1; log(2x) for large x */
M double acosh_f64(double x)
{
	double t = x - 1;
	uint8_t big = x > 0x1p60;
	double v = __builtin_sqrt(__builtin_fma(t, t, 2 * t)), u = v + t, l = v > t ? (v - u) + t : (t - u) + v;
	double y = log1p_sum_f64(big ? x : u, big ? 0 : l, big ? 1 : 0);
	return x >= 1 ? (x <= 0x1.fffffffffffffp1023 ? y : x) : __builtin_nan("");
}

/* log((1 + x)/(1 - x))/2 = log1p(2x/(1 - x))/2, the quotient with its remainder */
M float atanh_f32(float x)
{
	float a = __builtin_fabsf(x), d = 1 - a, dl = (1 - d) - a, n = 2 * a, q = n / d;
	float u = 1 + q, l = __builtin_fmaf(-q, d, n) - q * dl, e = (q > 1 ? 1 - (u - q) : q - (u - 1)) + l / d;
	float y = 0.5f * log_near_f32(u, e, 0);
	return __builtin_copysignf(a < 1 ? y : a == 1 ? __builtin_inff() : __builtin_nanf(""), x);
}

/* as atanh_f32 */
M double atanh_f64(double x)
{
	double a = __builtin_fabs(x), d = 1 - a, dl = (1 - d) - a, i = 1 / d, n = 2 * a, q = n * i;
	double l = (__builtin_fma(-q, d, n) - q * dl) * i;
	double y = 0.5 * log1p_sum_f64(q, l, 0);
	return __builtin_copysign(a < 1 ? y : a == 1 ? __builtin_inf() : __builtin_nan(""), x);
}
