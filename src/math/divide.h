/* divide.h - quotients that floor, and remainders with the sign of the divisor.
 *
 * Where a divisor stays for many numbers, by_floordiv and by_mod take a multiplication in place of the machine's division:
 * for e > 0 and N bits, with 2^(l - 1) < e <= 2^l and m = floor(2^N*(2^l - e)/e) + 1, the quotient of a by e is
 * (t + (a - t)/2)/2^(l - 1), t being the upper half of m*a, each part cut to a whole number (T. Granlund and P. Montgomery,
 * Division by Invariant Integers using Multiplication, 1994, figure 4.1).  divisor gives m and stores l.
 */

/* ---- by any divisor ---- */

/* floor(x/y); x//0 is 0, and the smallest integer by -1 wraps.  The machine's division never sees the divisors 0 and -1, by which
 * it may trap. */
M int8_t floordiv_i8(int8_t x, int8_t y)
{
	int8_t d = y == 0 || y == -1 ? 1 : y;
	int8_t q = (int8_t)(x / d - ((x % d != 0) & ((x ^ d) < 0)));
	return y == 0 ? 0 : y == -1 ? neg_i8(x) : q;
}

M int16_t floordiv_i16(int16_t x, int16_t y)
{
	int16_t d = y == 0 || y == -1 ? 1 : y;
	int16_t q = (int16_t)(x / d - ((x % d != 0) & ((x ^ d) < 0)));
	return y == 0 ? 0 : y == -1 ? neg_i16(x) : q;
}

M int32_t floordiv_i32(int32_t x, int32_t y)
{
	int32_t d = y == 0 || y == -1 ? 1 : y;
	int32_t q = (int32_t)(x / d - ((x % d != 0) & ((x ^ d) < 0)));
	return y == 0 ? 0 : y == -1 ? neg_i32(x) : q;
}

M int64_t floordiv_i64(int64_t x, int64_t y)
{
	int64_t d = y == 0 || y == -1 ? 1 : y;
	int64_t q = (int64_t)(x / d - ((x % d != 0) & ((x ^ d) < 0)));
	return y == 0 ? 0 : y == -1 ? neg_i64(x) : q;
}

M uint8_t floordiv_u8(uint8_t x, uint8_t y)     { return y == 0 ? 0 : (uint8_t)(x / (y == 0 ? 1 : y)); }
M uint16_t floordiv_u16(uint16_t x, uint16_t y) { return y == 0 ? 0 : (uint16_t)(x / (y == 0 ? 1 : y)); }
M uint32_t floordiv_u32(uint32_t x, uint32_t y) { return y == 0 ? 0 : (uint32_t)(x / (y == 0 ? 1 : y)); }
M uint64_t floordiv_u64(uint64_t x, uint64_t y) { return y == 0 ? 0 : (uint64_t)(x / (y == 0 ? 1 : y)); }

/* x - y*floor(x/y), with the sign of y; x%0 is x */
M int8_t mod_i8(int8_t x, int8_t y)
{
	int8_t d = y == 0 || y == -1 ? 1 : y;
	int8_t r = (int8_t)(x % d);
	r = (int8_t)(r + (r != 0 && (r ^ d) < 0 ? d : 0));
	return y == 0 ? x : r;
}

M int16_t mod_i16(int16_t x, int16_t y)
{
	int16_t d = y == 0 || y == -1 ? 1 : y;
	int16_t r = (int16_t)(x % d);
	r = (int16_t)(r + (r != 0 && (r ^ d) < 0 ? d : 0));
	return y == 0 ? x : r;
}

M int32_t mod_i32(int32_t x, int32_t y)
{
	int32_t d = y == 0 || y == -1 ? 1 : y;
	int32_t r = (int32_t)(x % d);
	r = (int32_t)(r + (r != 0 && (r ^ d) < 0 ? d : 0));
	return y == 0 ? x : r;
}

M int64_t mod_i64(int64_t x, int64_t y)
{
	int64_t d = y == 0 || y == -1 ? 1 : y;
	int64_t r = (int64_t)(x % d);
	r = (int64_t)(r + (r != 0 && (r ^ d) < 0 ? d : 0));
	return y == 0 ? x : r;
}

M uint8_t mod_u8(uint8_t x, uint8_t y)     { return y == 0 ? x : (uint8_t)(x % (y == 0 ? 1 : y)); }
M uint16_t mod_u16(uint16_t x, uint16_t y) { return y == 0 ? x : (uint16_t)(x % (y == 0 ? 1 : y)); }
M uint32_t mod_u32(uint32_t x, uint32_t y) { return y == 0 ? x : (uint32_t)(x % (y == 0 ? 1 : y)); }
M uint64_t mod_u64(uint64_t x, uint64_t y) { return y == 0 ? x : (uint64_t)(x % (y == 0 ? 1 : y)); }

/* floor of the exact quotient: where x - q*y has not the sign of y, the rounded quotient was one too large */
M float floordiv_f32(float x, float y)
{
	float q = __builtin_floorf(x / y);
	float r = q == 0 ? x : __builtin_fmaf(-q, y, x);
	return ((r < 0) & (y > 0)) | ((r > 0) & (y < 0)) ? q - 1 : q;
}

/* as floordiv_f32 */
M double floordiv_f64(double x, double y)
{
	double q = __builtin_floor(x / y);
	double r = q == 0 ? x : __builtin_fma(-q, y, x);
	return ((r < 0) & (y > 0)) | ((r > 0) & (y < 0)) ? q - 1 : q;
}

/* Quotients from 2^100 on take steps of their own. */
M uint8_t far_mod_f64(double x, double y)
{
	return (y != 0) & (x - x == 0) & (__builtin_fabs(x) >= 0x1p100 * __builtin_fabs(y));
}

/* The remainder of a quotient cut to 53 bits is exact under fma, so two steps serve quotients to 2^106.  By an infinite y
 * it is x or, of the other sign, y; by 0 NaN. */
M double near_mod_f64(double x, double y)
{
	double q = __builtin_trunc(x / y);
	double r = q == 0 ? x : __builtin_fma(-q, y, x);
	q = __builtin_trunc(r / y);
	r = q == 0 ? r : __builtin_fma(-q, y, r);
	uint8_t other = ((r < 0) & (y > 0)) | ((r > 0) & (y < 0));
	r = other ? r + y : r;
	r = r == 0 ? __builtin_copysign(0.0, y) : r;
	uint8_t wide = (y - y != 0) & (y == y), apart = ((x < 0) & (y > 0)) | ((x > 0) & (y < 0));
	r = wide ? (apart ? y : r) : r;
	return ((y == 0) | (x - x != 0)) ? __builtin_nan("") : r;
}

/* what stays of x after multiples of y times powers of two has the same remainder, and is exact while all is positive */
M double mod_f64(double x, double y)
{
	double rest = __builtin_fabs(x), by = __builtin_fabs(y), d = by;
	uint8_t far = far_mod_f64(x, y);
	for (; far && d < 0x1p-100 * rest; d *= 0x1p50) {}
	for (; far && d > by; d *= 0x1p-50) rest = near_mod_f64(rest, d);
	return near_mod_f64(far ? __builtin_copysign(rest, x) : x, y);
}

/* through f64 */
M uint8_t far_mod_f32(float x, float y) { return far_mod_f64(x, y); }
M float near_mod_f32(float x, float y)  { return (float)near_mod_f64(x, y); }
M float mod_f32(float x, float y)       { return (float)mod_f64(x, y); }

/* ---- by a divisor that stays ---- */

/* the upper half of a product */
M uint64_t product_high_u64(uint64_t a, uint64_t b)
{
	uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
	uint64_t low = al * bl, left = ah * bl + (low >> 32), right = al * bh + (left & 0xffffffff);
	return ah * bh + (left >> 32) + (right >> 32);
}

/* the least l with e <= 2^l */
M uint32_t log2_up_u64(uint64_t e)
{
	uint32_t l = 0;
	for (uint64_t rest = e > 0 ? e - 1 : 0; rest > 0; rest >>= 1)
		l++;
	return l;
}

/* m and l of the divisor e, for 32 bits and for 64; of 0 some numbers */
M uint32_t divisor_u32(uint32_t e, uint32_t *l)
{
	uint64_t d = e > 0 ? e : 1;
	*l = log2_up_u64(e);
	return (uint32_t)(((((uint64_t)1 << *l) - d) << 32) / d + 1);
}

M uint64_t divisor_u64(uint64_t e, uint32_t *l)
{
	*l = log2_up_u64(e);
	uint64_t rest = (*l < 64 ? (uint64_t)1 << *l : 0) - e, m = 0;
	if (e - 1 < UINT32_MAX) { /* two digits of 32 bits */
		uint64_t upper = (rest << 32) / e, left = (rest << 32) % e;
		return (upper << 32 | (left << 32) / e) + 1;
	}
	for (int i = 0; i < 64; i++) {
		uint64_t over = rest >> 63, twice = rest << 1, one = over | (twice >= e);
		rest = one ? twice - e : twice;
		m = m << 1 | one;
	}
	return m + 1;
}

M uint32_t divisor_i32(int32_t d, uint32_t *l) { return divisor_u32(d < 0 ? 0 - (uint32_t)d : (uint32_t)d, l); }
M uint64_t divisor_i64(int64_t d, uint32_t *l) { return divisor_u64(d < 0 ? 0 - (uint64_t)d : (uint64_t)d, l); }
M uint32_t divisor_i8(int8_t d, uint32_t *l)    { return divisor_i32(d, l); }
M uint32_t divisor_i16(int16_t d, uint32_t *l)  { return divisor_i32(d, l); }
M uint32_t divisor_u8(uint8_t d, uint32_t *l)   { return divisor_u32(d, l); }
M uint32_t divisor_u16(uint16_t d, uint32_t *l) { return divisor_u32(d, l); }

/* x//d; 0 if d is 0 */
M uint32_t by_floordiv_u32(uint32_t x, uint32_t d, uint32_t m, uint32_t l)
{
	uint32_t t = (uint32_t)((uint64_t)m * x >> 32), half = l > 0;
	return d == 0 ? 0 : (t + ((x - t) >> half)) >> (l - half);
}

M uint64_t by_floordiv_u64(uint64_t x, uint64_t d, uint64_t m, uint32_t l)
{
	uint64_t t = product_high_u64(m, x);
	uint32_t half = l > 0;
	return d == 0 ? 0 : (t + ((x - t) >> half)) >> (l - half);
}

/* that of -x by -d if d < 0; of a negative z it is -1 - (-1 - z)//|d| */
M int32_t by_floordiv_i32(int32_t x, int32_t d, uint32_t m, uint32_t l)
{
	uint32_t z = d < 0 ? 0 - (uint32_t)x : (uint32_t)x, turn = 0 - (uint32_t)(d < 0 ? x > 0 : x < 0);
	return d == 0 ? 0 : (int32_t)(by_floordiv_u32(z ^ turn, 1, m, l) ^ turn);
}

M int64_t by_floordiv_i64(int64_t x, int64_t d, uint64_t m, uint32_t l)
{
	uint64_t z = d < 0 ? 0 - (uint64_t)x : (uint64_t)x, turn = 0 - (uint64_t)(d < 0 ? x > 0 : x < 0);
	return d == 0 ? 0 : (int64_t)(by_floordiv_u64(z ^ turn, 1, m, l) ^ turn);
}

M int8_t by_floordiv_i8(int8_t x, int8_t d, uint32_t m, uint32_t l)          { return (int8_t)by_floordiv_i32(x, d, m, l); }
M int16_t by_floordiv_i16(int16_t x, int16_t d, uint32_t m, uint32_t l)      { return (int16_t)by_floordiv_i32(x, d, m, l); }
M uint8_t by_floordiv_u8(uint8_t x, uint8_t d, uint32_t m, uint32_t l)       { return (uint8_t)by_floordiv_u32(x, d, m, l); }
M uint16_t by_floordiv_u16(uint16_t x, uint16_t d, uint32_t m, uint32_t l)   { return (uint16_t)by_floordiv_u32(x, d, m, l); }

/* x%d; x if d is 0 */
M uint32_t by_mod_u32(uint32_t x, uint32_t d, uint32_t m, uint32_t l) { return x - by_floordiv_u32(x, d, m, l) * d; }
M uint64_t by_mod_u64(uint64_t x, uint64_t d, uint64_t m, uint32_t l) { return x - by_floordiv_u64(x, d, m, l) * d; }
M int32_t by_mod_i32(int32_t x, int32_t d, uint32_t m, uint32_t l)
{
	return (int32_t)((uint32_t)x - (uint32_t)by_floordiv_i32(x, d, m, l) * (uint32_t)d);
}
M int64_t by_mod_i64(int64_t x, int64_t d, uint64_t m, uint32_t l)
{
	return (int64_t)((uint64_t)x - (uint64_t)by_floordiv_i64(x, d, m, l) * (uint64_t)d);
}
M int8_t by_mod_i8(int8_t x, int8_t d, uint32_t m, uint32_t l)         { return (int8_t)by_mod_i32(x, d, m, l); }
M int16_t by_mod_i16(int16_t x, int16_t d, uint32_t m, uint32_t l)     { return (int16_t)by_mod_i32(x, d, m, l); }
M uint8_t by_mod_u8(uint8_t x, uint8_t d, uint32_t m, uint32_t l)      { return (uint8_t)by_mod_u32(x, d, m, l); }
M uint16_t by_mod_u16(uint16_t x, uint16_t d, uint32_t m, uint32_t l)  { return (uint16_t)by_mod_u32(x, d, m, l); }
