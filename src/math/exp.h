/* exp.h - exponentials.
 *
 * x = k*ln 2 + r with a whole k, and e^x = 2^k*e^r with a polynomial for e^r.  Adding 1.5*2^23 (f64: 1.5*2^52) leaves k in the
 * low bits of the sum, so no conversion between integers and floats is needed.  ln 2 is split so that k times its upper part
 * is exact.
 * exp, exp2 and exp10 round twice: w = e^r - 1, and s + s*w with s about 2^(k/2); the product with the other half of 2^k rounds
 * subnormal results only.  r lies between log(3/4) and log(3/2), where the rounding of w costs least: k is the whole part of
 * x/ln 2 + 0.414.
 * exp_parts gives 2^k*(1 + h + l) unrounded, h + l in two parts and |r| <= ln(2)/2, for the functions made of exponentials.
 * Arguments are clamped so that no step overflows unless the result does.  This is done on their bits: compilers may move a
 * computation above a comparison of floats, and so compute with the very argument that was to be kept out.  In f32 the last
 * factor at the upper end is infinite itself, so that an infinite argument raises no exception.
 * Coefficients: tools/minimax.py; splits: tools/splits.py.  Errors: docs/accuracy.md.
 */

/* 2^k for a whole -1022 <= k <= 1023 */
M double pow2_f64(double k)
{
	return f64_of_bits((int64_t)((uint64_t)(bits_f64(k + 0x1.8p52) + 1023) << 52));
}

/* 2^k for a whole -126 <= k <= 127 */
M float pow2_f32(float k)
{
	return f32_of_bits((int32_t)((uint32_t)(bits_f32(k + 0x1.8p23f) + 127) << 23));
}

/* y*2^k, rounded once when the result is subnormal; t = k + 1.5*2^23 + 254 for a whole |k| <= 200.  254 + k is halved
 * into two exponents, each with its bias. */
M float scale_biased_f32(float y, float t)
{
	uint32_t n = (uint32_t)bits_f32(t), h = n >> 1;
	return y * f32_of_bits((int32_t)(h << 23)) * f32_of_bits((int32_t)((n - h) << 23));
}

/* as scale_biased_f32, with t = k + 1.5*2^52 + 2046 and |k| <= 2000 */
M double scale_biased_f64(double y, double t)
{
	uint64_t n = (uint64_t)bits_f64(t), h = n >> 1;
	return y * f64_of_bits((int64_t)(h << 52)) * f64_of_bits((int64_t)((n - h) << 52));
}

/* y*2^k, for the same k */
M float  scale_f32(float y, float k)   { return scale_biased_f32(y, k + 0x1.8001fcp23f); }
M double scale_f64(double y, double k) { return scale_biased_f64(y, k + 0x1.80000000007fep52); }

/* (e^r - 1 - r)/r^2 for |r| <= 0.347 */
M float exp_tail_f32(float r)
{
	float p = 0x1.6b853ap-10f;
	p = __builtin_fmaf(p, r, 0x1.12304cp-7f);
	p = __builtin_fmaf(p, r, 0x1.555674p-5f);
	p = __builtin_fmaf(p, r, 0x1.5554a2p-3f);
	return __builtin_fmaf(p, r, 0.5f);
}

/* e^r - 1 - r + lo for |r| <= 0.347 and a small lo */
M double exp_rest_f64(double r, double lo)
{
	double rr = r * r, r4 = rr * rr;
	double p = poly8_f64(r, rr, r4, 0x1.555555555555ap-3, 0x1.5555555555530p-5, 0x1.111111110f164p-7,
		0x1.6c16c16c27586p-10, 0x1.a01a01b1e5b15p-13, 0x1.a01a01504dd27p-16, 0x1.71ddf385199ffp-19, 0x1.27e5922de1b1fp-22);
	p = __builtin_fma(__builtin_fma(r, 0x1.1e5e70c05e79dp-29, 0x1.af66bf6a5007dp-26), r4 * r4, p);
	return __builtin_fma(r * rr, p, __builtin_fma(0.5, rr, lo));
}

/* x clamped to low < 0 < high by its bits, which rise with positive numbers and fall with negative ones; NaN may become either
 * end */
M float clamp_f32(float x, float low, float high)
{
	int32_t i = bits_f32(x), h = bits_f32(high);
	uint32_t u = (uint32_t)(i < h ? i : h), l = (uint32_t)bits_f32(low);
	u = u < l ? u : l;
	return f32_of_bits((int32_t)u);
}

/* as clamp_f32 */
M double clamp_f64(double x, double low, double high)
{
	int64_t i = bits_f64(x), h = bits_f64(high);
	uint64_t u = (uint64_t)(i < h ? i : h), l = (uint64_t)bits_f64(low);
	u = u < l ? u : l;
	return f64_of_bits((int64_t)u);
}

/* x if `holds` is 1, y if it is 0, chosen by their bits: of a choice between floats compilers may move what is computed from
 * them ahead of it, to both */
M double pick_f64(int64_t holds, double x, double y)
{
	return f64_of_bits(bits_f64(y) ^ ((bits_f64(y) ^ bits_f64(x)) & -holds));
}

/* x clamped to -high and high by its bits; NaN becomes one of them */
M double within_f64(double x, double high)
{
	int64_t i = bits_f64(x), s = i & INT64_MIN, a = i ^ s, h = bits_f64(high);
	return f64_of_bits((a < h ? a : h) | s);
}

/* 2^n if `holds` is 1, 1 if it is 0; likewise */
M float power_if_f32(int32_t holds, int32_t n) { return f32_of_bits(0x3f800000 + (-holds & n * 0x800000)); }
M double power_if_f64(int64_t holds, int64_t n) { return f64_of_bits(0x3ff0000000000000 + (-holds & n * 0x10000000000000)); }

/* the smaller of x and high > 0, by their bits; a NaN may become high */
M float below_f32(float x, float high)
{
	int32_t i = bits_f32(x), h = bits_f32(high);
	return f32_of_bits(i < h ? i : h);
}

/* as below_f32 */
M double below_f64(double x, double high)
{
	int64_t i = bits_f64(x), h = bits_f64(high);
	return f64_of_bits(i < h ? i : h);
}

/* the larger of x and low > 0, by their bits; low for an x < 0 */
M float above_f32(float x, float low)
{
	int32_t i = bits_f32(x), l = bits_f32(low);
	return f32_of_bits(i > l ? i : l);
}

/* as above_f32 */
M double above_f64(double x, double low)
{
	int64_t i = bits_f64(x), l = bits_f64(low);
	return f64_of_bits(i > l ? i : l);
}

/* floor(x*rate + 0.414) + bias, in bits 8 to 16: the sum counts 256ths, of which the low 8 bits are cut off */
M uint32_t steps_f32(float x, float rate, float bias)
{
	return (uint32_t)bits_f32(__builtin_fmaf(x, rate, bias + 0x1.8000d4p15f)) & 0xffffff00;
}

/* the whole number that steps_f32 gave, as a float and without its bias */
M float steps_whole_f32(uint32_t n, float bias) { return f32_of_bits((int32_t)n) - (bias + 0x1.8p15f); }

/* 2^k*(1 + w), rounded once more when it is subnormal, for e = (k + 254)*2^23 and |k| <= 200: halved into two exponents,
 * each with its bias */
M float grow_f32(float w, uint32_t e)
{
	uint32_t h = e >> 1 & 0xff800000;
	float s = f32_of_bits((int32_t)h);
	return __builtin_fmaf(w, s, s) * f32_of_bits((int32_t)(e - h));
}

/* as grow_f32, for e = (k + 2046)*2^52 and |k| <= 2047 */
M double grow_f64(double w, uint64_t e)
{
	uint64_t h = e >> 1 & 0xfff0000000000000;
	double s = f64_of_bits((int64_t)h);
	return __builtin_fma(w, s, s) * f64_of_bits((int64_t)(e - h));
}

/* (e^r - 1 - r)/r^2 for r between log(3/4) and log(3/2) */
M float exp_short_f32(float r)
{
	float p = 0x1.7fb570p-10f;
	p = __builtin_fmaf(p, r, 0x1.11f40cp-7f);
	p = __builtin_fmaf(p, r, 0x1.554422p-5f);
	p = __builtin_fmaf(p, r, 0x1.5554d4p-3f);
	return __builtin_fmaf(p, r, 0x1.000006p-1f);
}

/* e^x */
M float exp_f32(float x)
{
	float c = clamp_f32(x, -104, 176.75f);
	uint32_t n = steps_f32(c, 0x1.715476p0f, 254);
	float k = steps_whole_f32(n, 254), r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, __builtin_fmaf(k, -0x1.62e4p-1f, c));
	float y = grow_f32(__builtin_fmaf(r * r, exp_short_f32(r), r), n << 15);
	return x == x ? y : x;
}

/* as exp_f32 */
M double exp_f64(double x)
{
	double c = within_f64(x, 746);
	uint64_t n = (uint64_t)bits_f64(__builtin_fma(c, 0x1.71547652b82fep0, 0x1.80000000ffcd4p43)) & 0xfffffffffffffe00;
	double k = f64_of_bits((int64_t)n) - 0x1.80000000ffc00p43;
	double r = __builtin_fma(k, -0x1.a39ef35793c76p-33, __builtin_fma(k, -0x1.62e42feep-1, c)), rr = r * r, r4 = rr * rr;
	double p = poly8_f64(r, rr, r4, 0x1.55555555556e7p-3, 0x1.5555555555a75p-5, 0x1.111111108cdd9p-7, 0x1.6c16c16bc9231p-10,
		0x1.a01a054f518fbp-13, 0x1.a019f10ad5f4cp-16, 0x1.71d33a3cebc74p-19, 0x1.284525c0354eap-22);
	p = __builtin_fma(r, __builtin_fma(0x1.c645697ee87f9p-26, r4 * r4, p), 0.5);
	double y = grow_f64(__builtin_fma(rr, p, r), n << 43);
	return x == x ? y : x;
}

/* e^(x + lo) = 2^k*(1 + h + l) for a small lo and |x| <= 104: gives h, stores l and k */
M float exp_parts_f32(float x, float lo, float *l, float *k)
{
	float n = __builtin_fmaf(x, 0x1.715476p0f, 0x1.8p23f) - 0x1.8p23f;
	float a = __builtin_fmaf(n, -0x1.62e4p-1f, x), b = __builtin_fmaf(n, -0x1.7f7d1cp-20f, lo);
	float r = a + b, w = r * exp_tail_f32(r), h = __builtin_fmaf(w, r, r);
	*l = __builtin_fmaf(w, r, r - h) + ((a - r) + b);
	*k = n;
	return h;
}

/* as exp_parts_f32, for |x| <= 1400 */
M double exp_parts_f64(double x, double lo, double *l, double *k)
{
	double n = __builtin_fma(x, 0x1.71547652b82fep0, 0x1.8p52) - 0x1.8p52;
	double a = __builtin_fma(n, -0x1.62e42feep-1, x), b = __builtin_fma(n, -0x1.a39ef35793c76p-33, lo);
	double r = a + b, w = exp_rest_f64(r, (a - r) + b), h = r + w;
	*l = (r - h) + w;
	*k = n;
	return h;
}

/* e^(x + lo) * 2^s for a small lo and a whole |s| <= 100 */
M double exp_two_f64(double x, double lo, double s)
{
	double t = __builtin_fma(x, 0x1.71547652b82fep0, 0x1.8p52), k = t - 0x1.8p52;
	double a = __builtin_fma(k, -0x1.62e42feep-1, x), b = __builtin_fma(k, -0x1.a39ef35793c76p-33, lo);
	double r = a + b, u = 1 + r, l = __builtin_fma((a - r) + b, u, (1 - u) + r);
	double y = scale_biased_f64(u + exp_rest_f64(r, l), t + (s + 2046));
	y = x > 800 ? __builtin_inf() : y;
	return x < -900 ? 0 : y;
}

/* e^x as an unrounded sum, for -104 <= x <= 88: gives the upper part, stores the lower */
M float exp_sum_f32(float x, float *lo)
{
	float l, k, h = exp_parts_f32(x, 0, &l, &k), y = 1 + h;
	*lo = scale_f32(((1 - y) + h) + l, k);
	return scale_f32(y, k);
}

/* as exp_sum_f32, for -746 <= x <= 709 */
M double exp_sum_f64(double x, double *lo)
{
	double l, k, h = exp_parts_f64(x, 0, &l, &k), y = 1 + h;
	*lo = scale_f64(((1 - y) + h) + l, k);
	return scale_f64(y, k);
}

/* (e^x - 1)/2 as a sum whose parts may overlap, for -700 <= x <= 710; `below` says that x < 0 */
M double expm1_half_f64(double x, uint8_t below, double *lo)
{
	double t = __builtin_fma(x, 0x1.71547652b82fep0, 0x1.80000000003fep52), k = t - 0x1.80000000003fep52;
	double a = __builtin_fma(k, -0x1.62e42feep-1, x), b = k * -0x1.a39ef35793c76p-33, r = a + b;
	double s = f64_of_bits((int64_t)((uint64_t)bits_f64(t) << 52)), d = s - 0.5, y = __builtin_fma(s, r, d);
	*lo = __builtin_fma(s, exp_rest_f64(r, (a - r) + b), __builtin_fma(s, r, d - y) + (below ? s - (d + 0.5) : (s - d) - 0.5));
	return y;
}

/* 2^x */
M float exp2_f32(float x)
{
	float c = clamp_f32(x, -151, 255);
	float t = c + 0x1.8001fcp23f, r = c - (t - 0x1.8001fcp23f), p = 0x1.442d98p-13f;
	p = __builtin_fmaf(p, r, 0x1.5f0a78p-10f);
	p = __builtin_fmaf(p, r, 0x1.3b2a40p-7f);
	p = __builtin_fmaf(p, r, 0x1.c6af78p-5f);
	p = __builtin_fmaf(p, r, 0x1.ebfbe0p-3f);
	float y = grow_f32(__builtin_fmaf(r, 0x1.62e430p-1f, r * r * p), (uint32_t)bits_f32(t) << 23);
	return x == x ? y : x;
}

/* as exp2_f32 */
M double exp2_f64(double x)
{
	double c = within_f64(x, 1080);
	double t = c + 0x1.80000000007fep52, r = c - (t - 0x1.80000000007fep52), rr = r * r, r4 = rr * rr;
	double p = poly8_f64(r, rr, r4, 0x1.ebfbdff82c5a0p-3, 0x1.c6b08d704a154p-5, 0x1.3b2ab6fba0917p-7,
		0x1.5d87fe7892f81p-10, 0x1.4309130d956a8p-13, 0x1.ffcbfcaa0256ep-17, 0x1.62bfca4246ccdp-20,
		0x1.b5248727506b4p-24);
	p = __builtin_fma(__builtin_fma(r, 0x1.ea6be03254da4p-32, 0x1.e6176057bd957p-28), r4 * r4, p);
	double y = grow_f64(__builtin_fma(r, 0x1.62e42fefa39efp-1, rr * p), (uint64_t)bits_f64(t) << 52);
	return x == x ? y : x;
}

/* 10^x = 2^k*10^r, r = a + b between log10(3/4) and log10(3/2); a is exact */
M float exp10_f32(float x)
{
	float c = clamp_f32(x, -46, 76.75f);
	uint32_t n = steps_f32(c, 0x1.a934fp1f, 254);
	float k = steps_whole_f32(n, 254), a = __builtin_fmaf(k, -0x1.344p-2f, c), r = __builtin_fmaf(k, -0x1.3509f8p-18f, a);
	float p = 0x1.bea134p-3f;
	p = __builtin_fmaf(p, r, 0x1.152518p-1f);
	p = __builtin_fmaf(p, r, 0x1.2bc77ap+0f);
	p = __builtin_fmaf(p, r, 0x1.046fd0p+1f);
	p = __builtin_fmaf(p, r, 0x1.535256p+1f);
	p = __builtin_fmaf(r * r, p, k * -0x1.63cb52p-17f);
	float y = grow_f32(__builtin_fmaf(a, 0x1.26bb1cp+1f, p), n << 15);
	return x == x ? y : x;
}

/* as exp10_f32 */
M double exp10_f64(double x)
{
	uint64_t n = (uint64_t)bits_f64(__builtin_fma(x, 0x1.a934f0979a371p1, 0x1.80000000ffcd4p43)) & 0xfffffffffffffe00;
	double k = f64_of_bits((int64_t)n) - 0x1.80000000ffc00p43;
	double a = __builtin_fma(k, -0x1.34413508p-2, x), r = __builtin_fma(k, -0x1.f79fef311f12bp-34, a), rr = r * r, r4 = rr * rr;
	double p = poly8_f64(r, rr, r4, 0x1.53524c73cea65p+1, 0x1.0470591de2ef7p+1, 0x1.2bd7609fda6c6p+0,
		0x1.1429ffd11cdeap-1, 0x1.a7ed70825a3cap-3, 0x1.16e4e2b25b09dp-4, 0x1.4116a4fd22f62p-6,
		0x1.488d11b351276p-8);
	p = __builtin_fma(__builtin_fma(r, 0x1.0c027ed791362p-12, 0x1.2f08534b04cc7p-10), r4 * r4, p);
	double w = __builtin_fma(rr, p, k * -0x1.21e8e28a453bap-32);
	double y = grow_f64(__builtin_fma(a, 0x1.26bb1bbb55515p+1, w), n << 43);
	y = x > 309 ? __builtin_inf() : y;
	return x < -325 ? 0 : y;
}

/* e^x - 1, which is x if x is tiny.  With s = 2^(k-1) and x - k*ln 2 = a + b, a exact, half of it is (s*a + s - 1/2) + s*(b +
 * the rest of the series); what rounding takes from the first sum is added again. */
M float expm1_f32(float x)
{
	float c = clamp_f32(x, -40, 89);
	uint32_t n = steps_f32(c, 0x1.715476p0f, 126);
	float k = steps_whole_f32(n, 126), a = __builtin_fmaf(k, -0x1.62e4p-1f, c), b = k * -0x1.7f7d1cp-20f, r = a + b;
	float s = f32_of_bits((int32_t)(n << 15)), v = s - 0.5f, vl = (s - v) - 0.5f;
	float h = __builtin_fmaf(s, a, v), l = __builtin_fmaf(s, a, v - h) + vl;
	float p = 0x1.7c23fep-10f;
	p = __builtin_fmaf(p, r, 0x1.11ed96p-7f);
	p = __builtin_fmaf(p, r, 0x1.554b52p-5f);
	p = __builtin_fmaf(p, r, 0x1.5554dap-3f);
	p = __builtin_fmaf(0.5f * r, r, __builtin_fmaf(r * r * r, p, b));
	float y = (h + __builtin_fmaf(s, p, l)) * (x == __builtin_inff() ? x : 2);
	return __builtin_fabsf(x) >= 0x1p-60f ? y : x;
}

/* as expm1_f32 */
M double expm1_f64(double x)
{
	double l, h = expm1_half_f64(x, 0, &l), y = 2 * (h + l);
	y = x > 710 ? __builtin_inf() : y;
	y = x < -40 ? -1 : y;
	return __builtin_fabs(x) < 0x1p-60 ? x : y;
}

/* 1/(1 + e^-x) from e = e^-|x| in two parts: n/(1 + e), n being 1 or e, by one division and its remainder */
M float sigmoid_f32(float x)
{
	float a = -__builtin_fabsf(x), l, e = exp_sum_f32(a < -104 ? -104 : a, &l);
	float d = 1 + e, dl = ((1 - d) + e) + l, i = 1 / d;
	float n = x < 0 ? e : 1, nl = x < 0 ? l : 0, q = n * i;
	return __builtin_fmaf(__builtin_fmaf(-q, d, n) + (nl - q * dl), i, q);
}

/* as sigmoid_f32 */
M double sigmoid_f64(double x)
{
	double a = -__builtin_fabs(x), l, e = exp_sum_f64(a < -746 ? -746 : a, &l);
	double d = 1 + e, dl = ((1 - d) + e) + l, i = 1 / d;
	double n = x < 0 ? e : 1, nl = x < 0 ? l : 0, q = n * i;
	return __builtin_fma(__builtin_fma(-q, d, n) + (nl - q * dl), i, q);
}

/* x*sigmoid(x), multiplied by 2^k last, because e^x alone may be subnormal where x*e^x is not; below -128 (f64: -800) the
 * result is -0 */
M float silu_f32(float x)
{
	float a = __builtin_fabsf(x), l, k, h = exp_parts_f32(a > 128 ? -128 : -a, 0, &l, &k);
	float u = 1 + h, ul = ((1 - u) + h) + l, e = scale_f32(u, k), d = 1 + e, dl = ((1 - d) + e) + scale_f32(ul, k);
	float i = 1 / d, n = x < 0 ? u : 1, nl = x < 0 ? ul : 0, q = n * i;
	float y = __builtin_fmaf(__builtin_fmaf(-q, d, n) + (nl - q * dl), i, q);
	return scale_f32(y * (x < -128 ? -128 : x), x < 0 ? k : 0);
}

/* as silu_f32 */
M double silu_f64(double x)
{
	double a = __builtin_fabs(x), l, k, h = exp_parts_f64(a > 800 ? -800 : -a, 0, &l, &k);
	double u = 1 + h, ul = ((1 - u) + h) + l, e = scale_f64(u, k), d = 1 + e, dl = ((1 - d) + e) + scale_f64(ul, k);
	double i = 1 / d, n = x < 0 ? u : 1, nl = x < 0 ? ul : 0, q = n * i;
	double y = __builtin_fma(__builtin_fma(-q, d, n) + (nl - q * dl), i, q);
	return scale_f64(y * (x < -800 ? -800 : x), x < 0 ? k : 0);
}
