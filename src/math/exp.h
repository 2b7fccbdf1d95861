/* exp.h - exponentials.
 *
 * exp: x = k*ln 2 + r with k whole and |r| <= ln(2)/2, then e^r = 1 + r + r^2*q(r) with a near-minimax polynomial q,
 * then a product with 2^k in two halves, so that subnormal results are rounded once.  k is found by adding 1.5*2^23
 * (f64: 1.5*2^52), which leaves it in the low bits of the sum; no conversion between integers and floats is needed.
 * ln 2 is split so that k times its upper part is exact.
 * Coefficients: Chebyshev interpolation in 60 digits, rounded.
 * Largest errors measured, in ulp (f32 on every number, f64 on dense samples against binary128):
 *   exp 0.9, exp2 0.9, expm1 1.6, sigmoid 2.5.
 */

/* y*2^k for a whole |k| <= 2000, rounded once when the result is subnormal */
M float scale_f32(float y, int32_t k)
{
	int32_t h = k >> 1;
	float a = f32_of_bits((int32_t)((uint32_t)(h + 127) << 23)), b = f32_of_bits((int32_t)((uint32_t)(k - h + 127) << 23));
	return y * a * b;
}

/* 2^k for a whole -1022 <= k <= 1023 */
M double pow2_f64(double k)
{
	return f64_of_bits((int64_t)((uint64_t)(bits_f64(k + 0x1.8p52) + 1023) << 52));
}

/* as scale_f32 */
M double scale_f64(double y, double k)
{
	double h = (k * 0.5 + 0x1.8p52) - 0x1.8p52;
	return y * pow2_f64(h) * pow2_f64(k - h);
}

/* (e^r - 1 - r)/r^2 for |r| <= 0.35; even and odd powers apart, which halves the chain of dependent operations */
M float exp_tail_f32(float r)
{
	float z = r * r, p = 0x1.a10106p-13f, q = 0x1.6d4a02p-10f;
	p = __builtin_fmaf(p, z, 0x1.1110f4p-7f);
	q = __builtin_fmaf(q, z, 0x1.5554e4p-5f);
	p = __builtin_fmaf(p, z, 0x1.555556p-3f);
	q = __builtin_fmaf(q, z, 0.5f);
	return __builtin_fmaf(p, r, q);
}

/* as exp_tail_f32 */
M double exp_tail_f64(double r)
{
	double z = r * r, p = 0x1.af53405459b0ep-26, q = 0x1.1f55640281dc9p-29;
	q = __builtin_fma(q, z, 0x1.27e4ebfa600a7p-22);
	p = __builtin_fma(p, z, 0x1.71ddff9920f53p-19);
	q = __builtin_fma(q, z, 0x1.a01a01a0691e7p-16);
	p = __builtin_fma(p, z, 0x1.a01a01acbbf9fp-13);
	q = __builtin_fma(q, z, 0x1.6c16c16c172efp-10);
	p = __builtin_fma(p, z, 0x1.111111110ff53p-7);
	q = __builtin_fma(q, z, 0x1.5555555555554p-5);
	p = __builtin_fma(p, z, 0x1.5555555555557p-3);
	q = __builtin_fma(q, z, 0.5);
	return __builtin_fma(p, r, q);
}

/* e^x */
M float exp_f32(float x)
{
	float c = x > 89.f ? 89.f : x < -104.f ? -104.f : x;
	float t = __builtin_fmaf(c, 0x1.715476p0f, 0x1.8p23f), k = t - 0x1.8p23f;
	float a = __builtin_fmaf(k, -0x1.62e4p-1f, c), b = k * -0x1.7f7d1cp-20f;
	float r = a + b, rest = (a - r) + b;
	float y = 1 + (r + __builtin_fmaf(r * r, exp_tail_f32(r), rest));
	return scale_f32(y, (int32_t)((uint32_t)bits_f32(t) - 0x4b400000));
}

/* e^(x + lo) * 2^s for a small lo and a whole |s| <= 100 */
M double exp_two_f64(double x, double lo, double s)
{
	double c = x > 1300 ? 1300 : x < -1300 ? -1300 : x;
	double k = __builtin_fma(c, 0x1.71547652b82fep0, 0x1.8p52) - 0x1.8p52;
	double a = __builtin_fma(k, -0x1.62e42feep-1, c), b = __builtin_fma(k, -0x1.a39ef35793c76p-33, lo);
	double r = a + b, rest = (a - r) + b;
	double y = 1 + (r + __builtin_fma(r * r, exp_tail_f64(r), rest));
	return scale_f64(y, k + s);
}

/* e^x */
M double exp_f64(double x) { return exp_two_f64(x, 0, 0); }

/* 2^x */
M float exp2_f32(float x)
{
	float c = x > 130.f ? 130.f : x < -151.f ? -151.f : x;
	float t = c + 0x1.8p23f, k = t - 0x1.8p23f, f = c - k;
	float r = f * 0x1.62e43p-1f;
	float rest = __builtin_fmaf(f, 0x1.62e43p-1f, -r) + f * -0x1.05c61p-29f;
	float y = 1 + (r + __builtin_fmaf(r * r, exp_tail_f32(r), rest));
	return scale_f32(y, (int32_t)((uint32_t)bits_f32(t) - 0x4b400000));
}

/* as exp2_f32 */
M double exp2_f64(double x)
{
	double c = x > 1100 ? 1100 : x < -1100 ? -1100 : x;
	double k = (c + 0x1.8p52) - 0x1.8p52, f = c - k;
	double r = f * 0x1.62e42fefa39efp-1;
	double rest = __builtin_fma(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56;
	double y = 1 + (r + __builtin_fma(r * r, exp_tail_f64(r), rest));
	return scale_f64(y, k);
}

/* e^x - 1 = 2^k*(e^r - 1) + (2^k - 1), halved so that 2^k stays finite; k = 0 keeps small x exact */
M float expm1_f32(float x)
{
	float c = x > 89.f ? 89.f : x < -20.f ? -20.f : x;
	float t = __builtin_fmaf(c, 0x1.715476p0f, 0x1.8p23f), k = t - 0x1.8p23f;
	float r = __builtin_fmaf(k, -0x1.62e4p-1f, c);
	r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, r);
	float p = __builtin_fmaf(r * r, exp_tail_f32(r), r);
	float s = f32_of_bits((int32_t)(((uint32_t)bits_f32(t) - 0x4b400000 + 126) << 23));
	float y = 2 * __builtin_fmaf(s, p, s - 0.5f);
	return __builtin_copysignf(k == 0 ? p : y, x);
}

/* as expm1_f32 */
M double expm1_f64(double x)
{
	double c = x > 710 ? 710 : x < -40 ? -40 : x;
	double k = __builtin_fma(c, 0x1.71547652b82fep0, 0x1.8p52) - 0x1.8p52;
	double a = __builtin_fma(k, -0x1.62e42feep-1, c), b = k * -0x1.a39ef35793c76p-33;
	double r = a + b, rest = (a - r) + b;
	double p = r + __builtin_fma(r * r, exp_tail_f64(r), rest);
	double s = pow2_f64(k - 1);
	double y = 2 * __builtin_fma(s, p, s - 0.5);
	return __builtin_copysign(k == 0 ? p : y, x);
}

/* 1/(1 + e^-x), from e^-|x| so that nothing overflows */
M float sigmoid_f32(float x)
{
	float e = exp_f32(-__builtin_fabsf(x));
	return (x < 0 ? e : 1) / (1 + e);
}

/* as sigmoid_f32 */
M double sigmoid_f64(double x)
{
	double e = exp_f64(-__builtin_fabs(x));
	return (x < 0 ? e : 1) / (1 + e);
}
