/* random.h - random numbers by counting.
 *
 * Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (2011): ten rounds turn a counter of four words and a key of two into four random words, none depending on another
 * counter's.  A key of ours is (a, b): a is Philox's key, b the upper half of the counter, the element number the
 * lower.  The words and uniform are frozen; normal follows log, sin and cos here.
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

/* element e of a uniform draw in [0, 1) that f16 or bf16 holds: the top 11 or 8 bits of word 0; more would round to 1 */
M float uniform_f16(uint64_t a, uint64_t b, uint64_t e)
{
	return (float)(int32_t)(words01(a, b, e) >> 53) * 0x1p-11f;
}

M float uniform_bf16(uint64_t a, uint64_t b, uint64_t e)
{
	return (float)(int32_t)(words01(a, b, e) >> 56) * 0x1p-8f;
}

/* element e of a uniform draw in [0, 1): the top 24 bits of word 0 */
M float uniform_f32(uint64_t a, uint64_t b, uint64_t e)
{
	return (float)(int32_t)(words01(a, b, e) >> 40) * 0x1p-24f;
}

/* element e of a uniform draw in [0, 1): the top 53 bits of words 0 and 1 */
M double uniform_f64(uint64_t a, uint64_t b, uint64_t e)
{
	return fraction_f64(words01(a, b, e));
}

/* element e of a uniform draw in (0, 1), the ends left out: odd multiples of 2^-24 and 2^-53, from 23 and 52 bits */
M float uniform_open_f32(uint64_t a, uint64_t b, uint64_t e)
{
	return (float)(int32_t)(words01(a, b, e) >> 40 | 1) * 0x1p-24f;
}

M double uniform_open_f64(uint64_t a, uint64_t b, uint64_t e)
{
	return fraction_f64(words01(a, b, e) | 1 << 11);
}

/* Element e of a standard exponential draw, -log u with u in (0, 1].  For the tail's sake f32 uses all 32 bits of word 0,
 * and both take one number in 2^32 (2^53) far out: at most 22.2 (36.7). */
M float exponential_f32(uint64_t a, uint64_t b, uint64_t e)
{
	uint64_t w = words01(a, b, e);
	return -log_f32((float)(int32_t)(w >> 40) * 0x1p-24f + (float)(int32_t)((w >> 32 & 255) + 1) * 0x1p-32f);
}

M double exponential_f64(uint64_t a, uint64_t b, uint64_t e)
{
	return -log_f64(fraction_f64(words01(a, b, e)) + 0x1p-53);
}

/* Element e of a standard normal draw, by Box and Muller: sqrt(-2 log u)*cos(2 pi v), u in (0, 1] from word 0, v from
 * the top 24 bits of word 1.  4v less the nearest whole number is exact.  u keeps all 32 bits, for the tail's sake. */
M float normal_f32(uint64_t a, uint64_t b, uint64_t e)
{
	uint64_t w = words01(a, b, e);
	float u = (float)(int32_t)(w >> 40) * 0x1p-24f + (float)(int32_t)((w >> 32 & 255) + 1) * 0x1p-32f;
	float v = (float)(int32_t)(w >> 8 & 0xffffff) * 0x1p-22f;
	float t = v + 0x1.8p23f, r = (v - (t - 0x1.8p23f)) * 0x1.921fb6p0f;
	int32_t k = bits_f32(t);
	float c = turn_f32(k & 1 ? sin_part_f32(r) : cos_part_f32(r), k + 1);
	return __builtin_sqrtf(-2 * log_f32(u)) * c;
}

/* as normal_f32: u from 53 bits of words 0 and 1, v from words 2 and 3 */
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
