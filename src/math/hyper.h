/* hyper.h - hyperbolic functions and their inverses.
 *
 * tanh, sinh and cosh are made of (e^x - 1)/4 or e^x/4 in two parts, so that nothing cancels near 0; quotients carry
 * their remainder.  The inverses are log1p of forms that do not cancel.
 * Errors: docs/accuracy.md.
 */

/* with t = (e^-2a - 1)/4, tanh a = -t/(1/2 + t) */
M float tanh_f32(float x)
{
	float a = __builtin_fabsf(x), l, t = expm1_quarter_f32(a > 10 ? -20 : -2 * a, &l);
	float d = 0.5f + t, dl = ((0.5f - d) + t) + l, i = 1 / d, q = t * i;
	float y = __builtin_fmaf(__builtin_fmaf(-q, d, t) + (l - q * dl), i, q);
	return a < 0x1p-60f ? x : __builtin_copysignf(y, x);
}

/* as tanh_f32 */
M double tanh_f64(double x)
{
	double a = __builtin_fabs(x), l, t = expm1_quarter_f64(a > 20 ? -40 : -2 * a, &l);
	double d = 0.5 + t, dl = ((0.5 - d) + t) + l, i = 1 / d, q = t * i;
	double y = __builtin_fma(__builtin_fma(-q, d, t) + (l - q * dl), i, q);
	return a < 0x1p-100 ? x : __builtin_copysign(y, x);
}

/* with t = (e^a - 1)/4, sinh a = 2*(t + t/(1 + 4t)); beside a large t its last term is nothing, but must not overflow */
M float sinh_f32(float x)
{
	float a = __builtin_fabsf(x), l, t = expm1_quarter_f32(a > 89.5f ? 89.5f : a, &l);
	float c = t > 0x1p60f ? 0.0625f * t : t, d = 1 + 4 * c, i = 1 / d, q = c * i;
	float r = __builtin_fmaf(-q, d, c) - q * ((1 - d) + 4 * c), y = t + q, e = (t - y) + q;
	return a < 0x1p-60f ? x : __builtin_copysignf(2 * (y + (e + __builtin_fmaf(r + l * i, i, l))), x);
}

/* as sinh_f32 */
M double sinh_f64(double x)
{
	double a = __builtin_fabs(x), l, t = expm1_quarter_f64(a > 710.7 ? 710.7 : a, &l);
	double c = t > 0x1p60 ? 0.0625 * t : t, d = 1 + 4 * c, i = 1 / d, q = c * i;
	double r = __builtin_fma(-q, d, c) - q * ((1 - d) + 4 * c), y = t + q, e = (t - y) + q;
	return a < 0x1p-100 ? x : __builtin_copysign(2 * (y + (e + __builtin_fma(r + l * i, i, l))), x);
}

/* with u = e^a/4, cosh a = 2*(u + 1/(16u)) */
M float cosh_f32(float x)
{
	float a = __builtin_fabsf(x), l, k, h = exp_parts_f32(a > 89.5f ? 89.5f : a, 0, &l, &k);
	float s = pow2_f32(k - 2), b = s * h, u = s + b, i = 0.0625f / u, y = u + i;
	return 2 * (y + (((u - y) + i) + __builtin_fmaf(s, l, (s - u) + b)));
}

/* as cosh_f32 */
M double cosh_f64(double x)
{
	double a = __builtin_fabs(x), l, k, h = exp_parts_f64(a > 710.7 ? 710.7 : a, 0, &l, &k);
	double s = pow2_f64(k - 2), b = s * h, u = s + b, i = 0.0625 / u, y = u + i;
	return 2 * (y + (((u - y) + i) + __builtin_fma(s, l, (s - u) + b)));
}

/* log(x + sqrt(x^2 + 1)) = log1p(x + x^2/(1 + sqrt(x^2 + 1))), the root and the quotient with their rests; log(2x) for
 * large x */
M float asinh_f32(float x)
{
	float a = __builtin_fabsf(x);
	uint8_t big = a > 0x1p60f;
	float c = big ? 1 : a, s = c * c, sl = __builtin_fmaf(c, c, -s), q = s + 1, r = __builtin_sqrtf(q);
	float rl = (__builtin_fmaf(-r, r, q) + ((s > 1 ? (s - q) + 1 : (1 - q) + s) + sl)) * 0.5f / r;
	float d = 1 + r, i = 1 / d, v = s * i, vl = (__builtin_fmaf(-v, d, s) + (sl - v * (((r - d) + 1) + rl))) * i;
	float u = a + v, l = (a > v ? (a - u) + v : (v - u) + a) + vl;
	float y = log1p_sum_f32(big ? a : u, big ? 0 : l, big ? 1 : 0);
	return __builtin_copysignf(a <= 0x1.fffffep127f ? y : a, x);
}

/* as asinh_f32 */
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

/* log(x + sqrt(x^2 - 1)), with t = x - 1; log(2x) for large x */
M float acosh_f32(float x)
{
	float t = x - 1;
	uint8_t big = x > 0x1p60f;
	float v = __builtin_sqrtf(__builtin_fmaf(t, t, 2 * t)), u = v + t, l = v > t ? (v - u) + t : (t - u) + v;
	float y = log1p_sum_f32(big ? x : u, big ? 0 : l, big ? 1 : 0);
	return x >= 1 ? (x <= 0x1.fffffep127f ? y : x) : __builtin_nanf("");
}

/* as acosh_f32 */
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
	float a = __builtin_fabsf(x), d = 1 - a, dl = (1 - d) - a, i = 1 / d, n = 2 * a, q = n * i;
	float l = (__builtin_fmaf(-q, d, n) - q * dl) * i;
	float y = 0.5f * log1p_sum_f32(q, l, 0);
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
