/* random.h - random numbers by counting.
 *
 * Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (2011): ten rounds turn a counter of four words and a key of two into four random words, none depending on another
 * counter's.  A key of ours is (a, b): a is Philox's key, b the upper half of the counter, the element number the
 * lower.  The words and uniform are frozen; the other draws follow log, sin and cos here.
 */

/* Ten rounds in place on the words c0 ... c3.  A round multiplies two words, and mixes upper halves, the other words
 * and the key; the key then moves on by Weyl's steps. */
M void philox_4x32(uint64_t key, uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3)
{
	uint32_t x = *c0, y = *c1, z = *c2, w = *c3, k = (uint32_t)key, l = (uint32_t)(key >> 32);
	for (int i = 0; i < 10; i++) {
		uint64_t p = 0xd2511f53ull * x, q = 0xcd9e8d57ull * z;
		x = (uint32_t)(q >> 32) ^ y ^ k, y = (uint32_t)q;
		z = (uint32_t)(p >> 32) ^ w ^ l, w = (uint32_t)p;
		k += 0x9e3779b9, l += 0xbb67ae85;
	}
	*c0 = x, *c1 = y, *c2 = z, *c3 = w;
}

/* words 0 and 1, words 2 and 3 of block e under the key (a, b); the first of the two is the upper half */
M uint64_t words01(uint64_t a, uint64_t b, uint64_t e)
{
	uint32_t x = (uint32_t)e, y = (uint32_t)(e >> 32), z = (uint32_t)b, w = (uint32_t)(b >> 32);
	philox_4x32(a, &x, &y, &z, &w);
	return (uint64_t)x << 32 | y;
}

/* see words01 */
M uint64_t words23(uint64_t a, uint64_t b, uint64_t e)
{
	uint32_t x = (uint32_t)e, y = (uint32_t)(e >> 32), z = (uint32_t)b, w = (uint32_t)(b >> 32);
	philox_4x32(a, &x, &y, &z, &w);
	return (uint64_t)z << 32 | w;
}

/* Key i of (a, b): words 0 and 1 are its a, words 2 and 3 its b, the first of the two being the lower half.  The key
 * is a xor the golden ratio's 64 bits, so that keys and numbers never share a block. */
M uint64_t key_at_a(uint64_t a, uint64_t b, uint64_t i)
{
	uint64_t w = words01(a ^ 0x9e3779b97f4a7c15, b, i);
	return w >> 32 | w << 32;
}

/* see key_at_a */
M uint64_t key_at_b(uint64_t a, uint64_t b, uint64_t i)
{
	uint64_t w = words23(a ^ 0x9e3779b97f4a7c15, b, i);
	return w >> 32 | w << 32;
}

/* the top 53 bits of w, as a number in [0, 1); halves are converted by their place in a double's fraction */
M double fraction_f64(uint64_t w)
{
	double upper = f64_of_bits((int64_t)(w >> 32 | 0x4330000000000000)) - 0x1p52;
	double lower = f64_of_bits((int64_t)((w >> 11 & 0x1fffff) | 0x4330000000000000)) - 0x1p52;
	return upper * 0x1p-32 + lower * 0x1p-53;
}

/* Element e of a uniform draw in [0, 1): the top n bits of word 0, as many as the dtype has digits; more would round to
 * 1.  Open: the ends left out, odd multiples of 2^-n. */
M float uniform_top(uint64_t a, uint64_t b, uint64_t e, int32_t n)
{
	return (float)(int32_t)(words01(a, b, e) >> (64 - n)) * f32_of_bits((127 - n) << 23);
}

M float uniform_open_top(uint64_t a, uint64_t b, uint64_t e, int32_t n)
{
	return (float)(int32_t)(words01(a, b, e) >> (64 - n) | 1) * f32_of_bits((127 - n) << 23);
}

M float uniform_f16(uint64_t a, uint64_t b, uint64_t e)       { return uniform_top(a, b, e, 11); }
M float uniform_open_f16(uint64_t a, uint64_t b, uint64_t e)  { return uniform_open_top(a, b, e, 11); }
M float uniform_bf16(uint64_t a, uint64_t b, uint64_t e)      { return uniform_top(a, b, e, 8); }
M float uniform_open_bf16(uint64_t a, uint64_t b, uint64_t e) { return uniform_open_top(a, b, e, 8); }
M float uniform_f32(uint64_t a, uint64_t b, uint64_t e)       { return uniform_top(a, b, e, 24); }
M float uniform_open_f32(uint64_t a, uint64_t b, uint64_t e)  { return uniform_open_top(a, b, e, 24); }

/* element e of a uniform draw in [0, 1): the top 53 bits of words 0 and 1 */
M double uniform_f64(uint64_t a, uint64_t b, uint64_t e)
{
	return fraction_f64(words01(a, b, e));
}

/* as uniform_f64, the ends left out: odd multiples of 2^-53, from a bit less */
M double uniform_open_f64(uint64_t a, uint64_t b, uint64_t e)
{
	return fraction_f64(words01(a, b, e) | 1 << 11);
}

/* Element e of a standard exponential draw.  The first bit says whether u is below 1/2; the others make v, the
 * distance of u from the nearer end of (0, 1), in steps of 2^-48 (2^-54), so that both tails are fine: numbers lie
 * between 2^-49 and 33.9 (2^-55 and 38.1). */
M float exponential_f32(uint64_t a, uint64_t b, uint64_t e)
{
	uint64_t w = words01(a, b, e);
	float v = (float)(int32_t)(w >> 39 & 0xffffff) * 0x1p-25f + (float)(int32_t)((w >> 15 & 0xffffff) | 1) * 0x1p-49f;
	return w >> 63 ? -log_f32(v) : -log1p_f32(-v);
}

M double exponential_f64(uint64_t a, uint64_t b, uint64_t e)
{
	uint64_t w = words01(a, b, e);
	double v = fraction_f64(w << 1) * 0.5 + 0x1p-55;
	return w >> 63 ? -log_f64(v) : -log1p_f64(-v);
}

/* Element e of a standard normal draw, by Box and Muller: sqrt(-2 log u)*cos(2 pi v).  v is the top 24 bits of word 1;
 * u in (0, 1] is word 0 and the 8 bits of word 1 that are left, in steps of 2^-40 from 2^-41: for the tail's sake, which
 * ends at 7.5.  4v less the nearest whole number is exact. */
M float normal_f32(uint64_t a, uint64_t b, uint64_t e)
{
	uint64_t w = words01(a, b, e);
	int32_t low = (int32_t)((w >> 23 & 0x1fe00) | (w << 1 & 0x1fe) | 1);
	float u = (float)(int32_t)(w >> 40) * 0x1p-24f + (float)low * 0x1p-41f;
	float v = (float)(int32_t)(w >> 8 & 0xffffff) * 0x1p-22f;
	float t = v + 0x1.8p23f, r = (v - (t - 0x1.8p23f)) * 0x1.921fb6p0f;
	int32_t k = bits_f32(t);
	float c = turn_f32(k & 1 ? sin_part_f32(r) : cos_part_f32(r), k + 1);
	return __builtin_sqrtf(-2 * log_f32(u)) * c;
}

/* as normal_f32: u from 53 bits of words 0 and 1 (the tail ends at 8.5), v from words 2 and 3 */
M double normal_f64(uint64_t a, uint64_t b, uint64_t e)
{
	double u = fraction_f64(words01(a, b, e)) + 0x1p-53;
	double v = 4 * fraction_f64(words23(a, b, e));
	double t = v + 0x1.8p52, d = v - (t - 0x1.8p52), r = d * 0x1.921fb54442d18p0;
	double lo = __builtin_fma(d, 0x1.921fb54442d18p0, -r);
	int64_t k = bits_f64(t);
	double c = turn_f64(k & 1 ? sin_part_f64(r, lo) : cos_part_f64(r, lo), k + 1);
	return __builtin_sqrt(-2 * log_f64(u)) * c;
}

/* The gamma draw of shape s under a key of its own, by G. Marsaglia and W. W. Tsang, "A simple method for generating
 * gamma variables" (2000): d*(1 + t)^3 with t = x/sqrt(9d), x normal, is taken if log u is below the logarithm of the
 * ratio of the densities, here written in t, whose first terms cancel.  Attempt j has x from block 2j and u from block
 * 2j + 1; 19 of 20 are taken, and the 64th as it is.  A shape below 1 is that of s + 1 times a uniform number to the
 * power 1/s, from the last block.  NaN unless s > 0. */
M double gamma_draw_f64(uint64_t a, uint64_t b, double s)
{
	double d = (s < 1 ? s + 1 : s) - 0x1.5555555555555p-2, c = 1 / __builtin_sqrt(9 * d), t = 0;
	for (uint64_t j = 0; j < 64; j++) {
		double x = normal_f64(a, b, 2 * j), u = uniform_open_f64(a, b, 2 * j + 1);
		t = c * x;
		if (!(t > -1)) continue;
		if (u < 1 - 0.0331 * (x * x) * (x * x)) break;      /* surely below: no logarithms */
		double ratio = d * (3 * (log1p_f64(t) - t) + t * t * (1.5 - t));
		if (log_f64(u) < ratio) break;
	}
	double g = d * ((1 + t) * (1 + t) * (1 + t));
	if (s < 1) g *= exp_f64(-exponential_f64(a, b, ~(uint64_t)0) / s);
	return s > 0 ? g : __builtin_nan("");
}

M float gamma_draw_f32(uint64_t a, uint64_t b, float s)
{
	return (float)gamma_draw_f64(a, b, (double)s);
}
