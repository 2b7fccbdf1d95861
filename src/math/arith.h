/* arith.h - arithmetic, comparison, logic and selection, a function per dtype.
 *
 * Integers wrap: sums and products are formed in unsigned words of 32 or 64 bits and cut.  bool is a uint8_t of 0 or
 * 1, as is every result of a comparison.  Float +, -, *, / and fma are the machine's, rounded once; floor division
 * is exact while the quotient is below 2^24 (f32) or 2^53 (f64), % while it is below 2^106.
 */

/* ---- sums and products ---- */

/* x + y; integers wrap */
M int8_t add_i8(int8_t x, int8_t y)        { return (int8_t)((uint32_t)x + (uint32_t)y); }
M int16_t add_i16(int16_t x, int16_t y)    { return (int16_t)((uint32_t)x + (uint32_t)y); }
M int32_t add_i32(int32_t x, int32_t y)    { return (int32_t)((uint32_t)x + (uint32_t)y); }
M int64_t add_i64(int64_t x, int64_t y)    { return (int64_t)((uint64_t)x + (uint64_t)y); }
M uint8_t add_u8(uint8_t x, uint8_t y)     { return (uint8_t)((uint32_t)x + (uint32_t)y); }
M uint16_t add_u16(uint16_t x, uint16_t y) { return (uint16_t)((uint32_t)x + (uint32_t)y); }
M uint32_t add_u32(uint32_t x, uint32_t y) { return (uint32_t)((uint32_t)x + (uint32_t)y); }
M uint64_t add_u64(uint64_t x, uint64_t y) { return (uint64_t)((uint64_t)x + (uint64_t)y); }
M float add_f32(float x, float y)          { return x + y; }
M double add_f64(double x, double y)       { return x + y; }

/* x - y; integers wrap */
M int8_t sub_i8(int8_t x, int8_t y)        { return (int8_t)((uint32_t)x - (uint32_t)y); }
M int16_t sub_i16(int16_t x, int16_t y)    { return (int16_t)((uint32_t)x - (uint32_t)y); }
M int32_t sub_i32(int32_t x, int32_t y)    { return (int32_t)((uint32_t)x - (uint32_t)y); }
M int64_t sub_i64(int64_t x, int64_t y)    { return (int64_t)((uint64_t)x - (uint64_t)y); }
M uint8_t sub_u8(uint8_t x, uint8_t y)     { return (uint8_t)((uint32_t)x - (uint32_t)y); }
M uint16_t sub_u16(uint16_t x, uint16_t y) { return (uint16_t)((uint32_t)x - (uint32_t)y); }
M uint32_t sub_u32(uint32_t x, uint32_t y) { return (uint32_t)((uint32_t)x - (uint32_t)y); }
M uint64_t sub_u64(uint64_t x, uint64_t y) { return (uint64_t)((uint64_t)x - (uint64_t)y); }
M float sub_f32(float x, float y)          { return x - y; }
M double sub_f64(double x, double y)       { return x - y; }

/* x*y; integers wrap */
M int8_t mul_i8(int8_t x, int8_t y)        { return (int8_t)((uint32_t)x * (uint32_t)y); }
M int16_t mul_i16(int16_t x, int16_t y)    { return (int16_t)((uint32_t)x * (uint32_t)y); }
M int32_t mul_i32(int32_t x, int32_t y)    { return (int32_t)((uint32_t)x * (uint32_t)y); }
M int64_t mul_i64(int64_t x, int64_t y)    { return (int64_t)((uint64_t)x * (uint64_t)y); }
M uint8_t mul_u8(uint8_t x, uint8_t y)     { return (uint8_t)((uint32_t)x * (uint32_t)y); }
M uint16_t mul_u16(uint16_t x, uint16_t y) { return (uint16_t)((uint32_t)x * (uint32_t)y); }
M uint32_t mul_u32(uint32_t x, uint32_t y) { return (uint32_t)((uint32_t)x * (uint32_t)y); }
M uint64_t mul_u64(uint64_t x, uint64_t y) { return (uint64_t)((uint64_t)x * (uint64_t)y); }
M float mul_f32(float x, float y)          { return x * y; }
M double mul_f64(double x, double y)       { return x * y; }

/* x/y */
M float div_f32(float x, float y)    { return x / y; }
M double div_f64(double x, double y) { return x / y; }

/* x*y + z, rounded once */
M float fma_f32(float x, float y, float z)     { return __builtin_fmaf(x, y, z); }
M double fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* -x; integers wrap */
M int8_t neg_i8(int8_t x)      { return (int8_t)(0 - (uint32_t)x); }
M int16_t neg_i16(int16_t x)   { return (int16_t)(0 - (uint32_t)x); }
M int32_t neg_i32(int32_t x)   { return (int32_t)(0 - (uint32_t)x); }
M int64_t neg_i64(int64_t x)   { return (int64_t)(0 - (uint64_t)x); }
M uint8_t neg_u8(uint8_t x)    { return (uint8_t)(0 - (uint32_t)x); }
M uint16_t neg_u16(uint16_t x) { return (uint16_t)(0 - (uint32_t)x); }
M uint32_t neg_u32(uint32_t x) { return (uint32_t)(0 - (uint32_t)x); }
M uint64_t neg_u64(uint64_t x) { return (uint64_t)(0 - (uint64_t)x); }
M float neg_f32(float x)       { return -x; }
M double neg_f64(double x)     { return -x; }

/* |x|; the smallest integer stays */
M int8_t abs_i8(int8_t x)      { return x < 0 ? neg_i8(x) : x; }
M int16_t abs_i16(int16_t x)   { return x < 0 ? neg_i16(x) : x; }
M int32_t abs_i32(int32_t x)   { return x < 0 ? neg_i32(x) : x; }
M int64_t abs_i64(int64_t x)   { return x < 0 ? neg_i64(x) : x; }
M uint8_t abs_u8(uint8_t x)    { return x; }
M uint16_t abs_u16(uint16_t x) { return x; }
M uint32_t abs_u32(uint32_t x) { return x; }
M uint64_t abs_u64(uint64_t x) { return x; }
M float abs_f32(float x)       { return __builtin_fabsf(x); }
M double abs_f64(double x)     { return __builtin_fabs(x); }

/* -1, 0 or 1; -0 and NaN stay */
M int8_t sign_i8(int8_t x)      { return (int8_t)((x > 0) - (x < 0)); }
M int16_t sign_i16(int16_t x)   { return (int16_t)((x > 0) - (x < 0)); }
M int32_t sign_i32(int32_t x)   { return (int32_t)((x > 0) - (x < 0)); }
M int64_t sign_i64(int64_t x)   { return (int64_t)((x > 0) - (x < 0)); }
M uint8_t sign_u8(uint8_t x)    { return (uint8_t)(x != 0); }
M uint16_t sign_u16(uint16_t x) { return (uint16_t)(x != 0); }
M uint32_t sign_u32(uint32_t x) { return (uint32_t)(x != 0); }
M uint64_t sign_u64(uint64_t x) { return (uint64_t)(x != 0); }
M float sign_f32(float x)       { return x > 0 ? 1 : x < 0 ? -1 : x; }
M double sign_f64(double x)     { return x > 0 ? 1 : x < 0 ? -1 : x; }

/* ---- the larger and the smaller ---- */

/* the larger of two integers */
M int8_t maximum_i8(int8_t x, int8_t y)        { return x > y ? x : y; }
M int16_t maximum_i16(int16_t x, int16_t y)    { return x > y ? x : y; }
M int32_t maximum_i32(int32_t x, int32_t y)    { return x > y ? x : y; }
M int64_t maximum_i64(int64_t x, int64_t y)    { return x > y ? x : y; }
M uint8_t maximum_u8(uint8_t x, uint8_t y)     { return x > y ? x : y; }
M uint16_t maximum_u16(uint16_t x, uint16_t y) { return x > y ? x : y; }
M uint32_t maximum_u32(uint32_t x, uint32_t y) { return x > y ? x : y; }
M uint64_t maximum_u64(uint64_t x, uint64_t y) { return x > y ? x : y; }

/* the smaller of two integers */
M int8_t minimum_i8(int8_t x, int8_t y)        { return x < y ? x : y; }
M int16_t minimum_i16(int16_t x, int16_t y)    { return x < y ? x : y; }
M int32_t minimum_i32(int32_t x, int32_t y)    { return x < y ? x : y; }
M int64_t minimum_i64(int64_t x, int64_t y)    { return x < y ? x : y; }
M uint8_t minimum_u8(uint8_t x, uint8_t y)     { return x < y ? x : y; }
M uint16_t minimum_u16(uint16_t x, uint16_t y) { return x < y ? x : y; }
M uint32_t minimum_u32(uint32_t x, uint32_t y) { return x < y ? x : y; }
M uint64_t minimum_u64(uint64_t x, uint64_t y) { return x < y ? x : y; }

/* NaN if either is; max(-0, +0) is +0: equal numbers differ in the sign of zero at most, so "and" their bits */
M float maximum_f32(float x, float y)
{
	float m = x > y ? x : y;
	m = x == y ? f32_of_bits(bits_f32(x) & bits_f32(y)) : m;
	return x != x ? x : m;
}

M double maximum_f64(double x, double y)
{
	double m = x > y ? x : y;
	m = x == y ? f64_of_bits(bits_f64(x) & bits_f64(y)) : m;
	return x != x ? x : m;
}

/* NaN if either is; min(-0, +0) is -0: "or" the bits of equal numbers */
M float minimum_f32(float x, float y)
{
	float m = x < y ? x : y;
	m = x == y ? f32_of_bits(bits_f32(x) | bits_f32(y)) : m;
	return x != x ? x : m;
}

M double minimum_f64(double x, double y)
{
	double m = x < y ? x : y;
	m = x == y ? f64_of_bits(bits_f64(x) | bits_f64(y)) : m;
	return x != x ? x : m;
}

/* ---- whole powers ---- */

/* x^y by squaring, wrapping; a negative power truncates: 0, except of 1 and -1 */
M int8_t pow_i8(int8_t x, int8_t y)
{
	uint32_t p = 1, s = (uint32_t)x, e = y < 0 ? 0 : (uint32_t)y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (int8_t)(y >= 0 ? p : x == 1 || x == -1 ? (y & 1 ? (uint32_t)x : 1) : 0);
}

M int16_t pow_i16(int16_t x, int16_t y)
{
	uint32_t p = 1, s = (uint32_t)x, e = y < 0 ? 0 : (uint32_t)y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (int16_t)(y >= 0 ? p : x == 1 || x == -1 ? (y & 1 ? (uint32_t)x : 1) : 0);
}

M int32_t pow_i32(int32_t x, int32_t y)
{
	uint32_t p = 1, s = (uint32_t)x, e = y < 0 ? 0 : (uint32_t)y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (int32_t)(y >= 0 ? p : x == 1 || x == -1 ? (y & 1 ? (uint32_t)x : 1) : 0);
}

M int64_t pow_i64(int64_t x, int64_t y)
{
	uint64_t p = 1, s = (uint64_t)x, e = y < 0 ? 0 : (uint64_t)y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (int64_t)(y >= 0 ? p : x == 1 || x == -1 ? (y & 1 ? (uint64_t)x : 1) : 0);
}

M uint8_t pow_u8(uint8_t x, uint8_t y)
{
	uint32_t p = 1, s = x, e = y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (uint8_t)p;
}

M uint16_t pow_u16(uint16_t x, uint16_t y)
{
	uint32_t p = 1, s = x, e = y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (uint16_t)p;
}

M uint32_t pow_u32(uint32_t x, uint32_t y)
{
	uint32_t p = 1, s = x, e = y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (uint32_t)p;
}

M uint64_t pow_u64(uint64_t x, uint64_t y)
{
	uint64_t p = 1, s = x, e = y;
	for (; e; e >>= 1, s *= s)
		p *= e & 1 ? s : 1;
	return (uint64_t)p;
}

/* ---- comparison: 0 or 1 ---- */

/* x = y; false with NaN */
M uint8_t eq_bool(uint8_t x, uint8_t y)  { return x == y; }
M uint8_t eq_i8(int8_t x, int8_t y)      { return x == y; }
M uint8_t eq_i16(int16_t x, int16_t y)   { return x == y; }
M uint8_t eq_i32(int32_t x, int32_t y)   { return x == y; }
M uint8_t eq_i64(int64_t x, int64_t y)   { return x == y; }
M uint8_t eq_u8(uint8_t x, uint8_t y)    { return x == y; }
M uint8_t eq_u16(uint16_t x, uint16_t y) { return x == y; }
M uint8_t eq_u32(uint32_t x, uint32_t y) { return x == y; }
M uint8_t eq_u64(uint64_t x, uint64_t y) { return x == y; }
M uint8_t eq_f32(float x, float y)       { return x == y; }
M uint8_t eq_f64(double x, double y)     { return x == y; }

/* x and y differ; true with NaN */
M uint8_t ne_bool(uint8_t x, uint8_t y)  { return x != y; }
M uint8_t ne_i8(int8_t x, int8_t y)      { return x != y; }
M uint8_t ne_i16(int16_t x, int16_t y)   { return x != y; }
M uint8_t ne_i32(int32_t x, int32_t y)   { return x != y; }
M uint8_t ne_i64(int64_t x, int64_t y)   { return x != y; }
M uint8_t ne_u8(uint8_t x, uint8_t y)    { return x != y; }
M uint8_t ne_u16(uint16_t x, uint16_t y) { return x != y; }
M uint8_t ne_u32(uint32_t x, uint32_t y) { return x != y; }
M uint8_t ne_u64(uint64_t x, uint64_t y) { return x != y; }
M uint8_t ne_f32(float x, float y)       { return x != y; }
M uint8_t ne_f64(double x, double y)     { return x != y; }

/* x < y; false with NaN, and of bools false < true */
M uint8_t lt_bool(uint8_t x, uint8_t y)  { return x < y; }
M uint8_t lt_i8(int8_t x, int8_t y)      { return x < y; }
M uint8_t lt_i16(int16_t x, int16_t y)   { return x < y; }
M uint8_t lt_i32(int32_t x, int32_t y)   { return x < y; }
M uint8_t lt_i64(int64_t x, int64_t y)   { return x < y; }
M uint8_t lt_u8(uint8_t x, uint8_t y)    { return x < y; }
M uint8_t lt_u16(uint16_t x, uint16_t y) { return x < y; }
M uint8_t lt_u32(uint32_t x, uint32_t y) { return x < y; }
M uint8_t lt_u64(uint64_t x, uint64_t y) { return x < y; }
M uint8_t lt_f32(float x, float y)       { return x < y; }
M uint8_t lt_f64(double x, double y)     { return x < y; }

/* x <= y; false with NaN */
M uint8_t le_bool(uint8_t x, uint8_t y)  { return x <= y; }
M uint8_t le_i8(int8_t x, int8_t y)      { return x <= y; }
M uint8_t le_i16(int16_t x, int16_t y)   { return x <= y; }
M uint8_t le_i32(int32_t x, int32_t y)   { return x <= y; }
M uint8_t le_i64(int64_t x, int64_t y)   { return x <= y; }
M uint8_t le_u8(uint8_t x, uint8_t y)    { return x <= y; }
M uint8_t le_u16(uint16_t x, uint16_t y) { return x <= y; }
M uint8_t le_u32(uint32_t x, uint32_t y) { return x <= y; }
M uint8_t le_u64(uint64_t x, uint64_t y) { return x <= y; }
M uint8_t le_f32(float x, float y)       { return x <= y; }
M uint8_t le_f64(double x, double y)     { return x <= y; }

/* x > y; false with NaN */
M uint8_t gt_bool(uint8_t x, uint8_t y)  { return x > y; }
M uint8_t gt_i8(int8_t x, int8_t y)      { return x > y; }
M uint8_t gt_i16(int16_t x, int16_t y)   { return x > y; }
M uint8_t gt_i32(int32_t x, int32_t y)   { return x > y; }
M uint8_t gt_i64(int64_t x, int64_t y)   { return x > y; }
M uint8_t gt_u8(uint8_t x, uint8_t y)    { return x > y; }
M uint8_t gt_u16(uint16_t x, uint16_t y) { return x > y; }
M uint8_t gt_u32(uint32_t x, uint32_t y) { return x > y; }
M uint8_t gt_u64(uint64_t x, uint64_t y) { return x > y; }
M uint8_t gt_f32(float x, float y)       { return x > y; }
M uint8_t gt_f64(double x, double y)     { return x > y; }

/* x >= y; false with NaN */
M uint8_t ge_bool(uint8_t x, uint8_t y)  { return x >= y; }
M uint8_t ge_i8(int8_t x, int8_t y)      { return x >= y; }
M uint8_t ge_i16(int16_t x, int16_t y)   { return x >= y; }
M uint8_t ge_i32(int32_t x, int32_t y)   { return x >= y; }
M uint8_t ge_i64(int64_t x, int64_t y)   { return x >= y; }
M uint8_t ge_u8(uint8_t x, uint8_t y)    { return x >= y; }
M uint8_t ge_u16(uint16_t x, uint16_t y) { return x >= y; }
M uint8_t ge_u32(uint32_t x, uint32_t y) { return x >= y; }
M uint8_t ge_u64(uint64_t x, uint64_t y) { return x >= y; }
M uint8_t ge_f32(float x, float y)       { return x >= y; }
M uint8_t ge_f64(double x, double y)     { return x >= y; }

/* x is NaN */
M uint8_t isnan_f32(float x)  { return x != x; }
M uint8_t isnan_f64(double x) { return x != x; }

/* x is infinite */
M uint8_t isinf_f32(float x)  { return __builtin_fabsf(x) > 0x1.fffffep127f; }
M uint8_t isinf_f64(double x) { return __builtin_fabs(x) > 0x1.fffffffffffffp1023; }

/* x is neither NaN nor infinite */
M uint8_t isfinite_f32(float x)  { return __builtin_fabsf(x) <= 0x1.fffffep127f; }
M uint8_t isfinite_f64(double x) { return __builtin_fabs(x) <= 0x1.fffffffffffffp1023; }

/* the sign bit of x; NaN is positive */
M uint8_t signbit_f32(float x)  { return (bits_f32(x) < 0) & (x == x); }
M uint8_t signbit_f64(double x) { return (bits_f64(x) < 0) & (x == x); }

/* |x| with the sign of y; NaN counts as positive */
M float  copysign_f32(float x, float y)   { return __builtin_copysignf(x, y == y ? y : 1.f); }
M double copysign_f64(double x, double y) { return __builtin_copysign(x, y == y ? y : 1.0); }

/* ---- logic and bits ---- */

/* of truth values */
M uint8_t and_bool(uint8_t x, uint8_t y) { return x & y; }
M uint8_t or_bool(uint8_t x, uint8_t y)  { return x | y; }
M uint8_t not_bool(uint8_t x)            { return x ^ 1; }

/* bits of both */
M uint8_t bit_and_bool(uint8_t x, uint8_t y)   { return x & y; }
M int8_t bit_and_i8(int8_t x, int8_t y)        { return x & y; }
M int16_t bit_and_i16(int16_t x, int16_t y)    { return x & y; }
M int32_t bit_and_i32(int32_t x, int32_t y)    { return x & y; }
M int64_t bit_and_i64(int64_t x, int64_t y)    { return x & y; }
M uint8_t bit_and_u8(uint8_t x, uint8_t y)     { return x & y; }
M uint16_t bit_and_u16(uint16_t x, uint16_t y) { return x & y; }
M uint32_t bit_and_u32(uint32_t x, uint32_t y) { return x & y; }
M uint64_t bit_and_u64(uint64_t x, uint64_t y) { return x & y; }

/* bits of either */
M uint8_t bit_or_bool(uint8_t x, uint8_t y)   { return x | y; }
M int8_t bit_or_i8(int8_t x, int8_t y)        { return x | y; }
M int16_t bit_or_i16(int16_t x, int16_t y)    { return x | y; }
M int32_t bit_or_i32(int32_t x, int32_t y)    { return x | y; }
M int64_t bit_or_i64(int64_t x, int64_t y)    { return x | y; }
M uint8_t bit_or_u8(uint8_t x, uint8_t y)     { return x | y; }
M uint16_t bit_or_u16(uint16_t x, uint16_t y) { return x | y; }
M uint32_t bit_or_u32(uint32_t x, uint32_t y) { return x | y; }
M uint64_t bit_or_u64(uint64_t x, uint64_t y) { return x | y; }

/* bits of one alone */
M uint8_t bit_xor_bool(uint8_t x, uint8_t y)   { return x ^ y; }
M int8_t bit_xor_i8(int8_t x, int8_t y)        { return x ^ y; }
M int16_t bit_xor_i16(int16_t x, int16_t y)    { return x ^ y; }
M int32_t bit_xor_i32(int32_t x, int32_t y)    { return x ^ y; }
M int64_t bit_xor_i64(int64_t x, int64_t y)    { return x ^ y; }
M uint8_t bit_xor_u8(uint8_t x, uint8_t y)     { return x ^ y; }
M uint16_t bit_xor_u16(uint16_t x, uint16_t y) { return x ^ y; }
M uint32_t bit_xor_u32(uint32_t x, uint32_t y) { return x ^ y; }
M uint64_t bit_xor_u64(uint64_t x, uint64_t y) { return x ^ y; }

/* all bits turned */
M uint8_t bit_not_bool(uint8_t x)  { return x ^ 1; }
M int8_t bit_not_i8(int8_t x)      { return (int8_t)~x; }
M int16_t bit_not_i16(int16_t x)   { return (int16_t)~x; }
M int32_t bit_not_i32(int32_t x)   { return (int32_t)~x; }
M int64_t bit_not_i64(int64_t x)   { return (int64_t)~x; }
M uint8_t bit_not_u8(uint8_t x)    { return (uint8_t)~x; }
M uint16_t bit_not_u16(uint16_t x) { return (uint16_t)~x; }
M uint32_t bit_not_u32(uint32_t x) { return (uint32_t)~x; }
M uint64_t bit_not_u64(uint64_t x) { return (uint64_t)~x; }

/* x*2^y; y below 0 or past the width gives 0 */
M int8_t shift_left_i8(int8_t x, int8_t y)        { return (uint8_t)y < 8 ? (int8_t)((uint32_t)x << (y & 7)) : 0; }
M int16_t shift_left_i16(int16_t x, int16_t y)    { return (uint16_t)y < 16 ? (int16_t)((uint32_t)x << (y & 15)) : 0; }
M int32_t shift_left_i32(int32_t x, int32_t y)    { return (uint32_t)y < 32 ? (int32_t)((uint32_t)x << (y & 31)) : 0; }
M int64_t shift_left_i64(int64_t x, int64_t y)    { return (uint64_t)y < 64 ? (int64_t)((uint64_t)x << (y & 63)) : 0; }
M uint8_t shift_left_u8(uint8_t x, uint8_t y)     { return (uint8_t)y < 8 ? (uint8_t)((uint32_t)x << (y & 7)) : 0; }
M uint16_t shift_left_u16(uint16_t x, uint16_t y) { return (uint16_t)y < 16 ? (uint16_t)((uint32_t)x << (y & 15)) : 0; }
M uint32_t shift_left_u32(uint32_t x, uint32_t y) { return (uint32_t)y < 32 ? (uint32_t)((uint32_t)x << (y & 31)) : 0; }
M uint64_t shift_left_u64(uint64_t x, uint64_t y) { return (uint64_t)y < 64 ? (uint64_t)((uint64_t)x << (y & 63)) : 0; }

/* floor(x/2^y); y below 0 or past the width gives 0, or -1 of a negative x */
M int8_t shift_right_i8(int8_t x, int8_t y)        { return (int8_t)(x >> ((uint8_t)y < 8 ? y : 7)); }
M int16_t shift_right_i16(int16_t x, int16_t y)    { return (int16_t)(x >> ((uint16_t)y < 16 ? y : 15)); }
M int32_t shift_right_i32(int32_t x, int32_t y)    { return (int32_t)(x >> ((uint32_t)y < 32 ? y : 31)); }
M int64_t shift_right_i64(int64_t x, int64_t y)    { return (int64_t)(x >> ((uint64_t)y < 64 ? y : 63)); }
M uint8_t shift_right_u8(uint8_t x, uint8_t y)     { return y < 8 ? (uint8_t)(x >> (y & 7)) : 0; }
M uint16_t shift_right_u16(uint16_t x, uint16_t y) { return y < 16 ? (uint16_t)(x >> (y & 15)) : 0; }
M uint32_t shift_right_u32(uint32_t x, uint32_t y) { return y < 32 ? (uint32_t)(x >> (y & 31)) : 0; }
M uint64_t shift_right_u64(uint64_t x, uint64_t y) { return y < 64 ? (uint64_t)(x >> (y & 63)) : 0; }

/* number of bits that are set: bits are added in pairs, in fours, in bytes, in ever wider words */
M uint64_t popcount_u64(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	x += x >> 8;
	x += x >> 16;
	x += x >> 32;
	return x & 127;
}

/* as popcount_u64 */
M uint32_t popcount_u32(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	x += x >> 8;
	x += x >> 16;
	return x & 63;
}

/* of the other integers */
M int8_t popcount_i8(int8_t x)      { return (int8_t)popcount_u32((uint8_t)x); }
M int16_t popcount_i16(int16_t x)   { return (int16_t)popcount_u32((uint16_t)x); }
M int32_t popcount_i32(int32_t x)   { return (int32_t)popcount_u32((uint32_t)x); }
M int64_t popcount_i64(int64_t x)   { return (int64_t)popcount_u64((uint64_t)x); }
M uint8_t popcount_u8(uint8_t x)    { return (uint8_t)popcount_u32((uint8_t)x); }
M uint16_t popcount_u16(uint16_t x) { return (uint16_t)popcount_u32((uint16_t)x); }

/* ---- selection ---- */

/* x where c, else y; the other has no influence */
M uint8_t where_bool(uint8_t c, uint8_t x, uint8_t y)   { return c ? x : y; }
M int8_t where_i8(uint8_t c, int8_t x, int8_t y)        { return c ? x : y; }
M int16_t where_i16(uint8_t c, int16_t x, int16_t y)    { return c ? x : y; }
M int32_t where_i32(uint8_t c, int32_t x, int32_t y)    { return c ? x : y; }
M int64_t where_i64(uint8_t c, int64_t x, int64_t y)    { return c ? x : y; }
M uint8_t where_u8(uint8_t c, uint8_t x, uint8_t y)     { return c ? x : y; }
M uint16_t where_u16(uint8_t c, uint16_t x, uint16_t y) { return c ? x : y; }
M uint32_t where_u32(uint8_t c, uint32_t x, uint32_t y) { return c ? x : y; }
M uint64_t where_u64(uint8_t c, uint64_t x, uint64_t y) { return c ? x : y; }
M float where_f32(uint8_t c, float x, float y)          { return c ? x : y; }
M double where_f64(uint8_t c, double x, double y)       { return c ? x : y; }

/* x itself: stop_gradient */
M uint8_t stop_bool(uint8_t x)  { return x; }
M int8_t stop_i8(int8_t x)      { return x; }
M int16_t stop_i16(int16_t x)   { return x; }
M int32_t stop_i32(int32_t x)   { return x; }
M int64_t stop_i64(int64_t x)   { return x; }
M uint8_t stop_u8(uint8_t x)    { return x; }
M uint16_t stop_u16(uint16_t x) { return x; }
M uint32_t stop_u32(uint32_t x) { return x; }
M uint64_t stop_u64(uint64_t x) { return x; }
M float stop_f32(float x)       { return x; }
M double stop_f64(double x)     { return x; }

/* the real part of a real */
M float re_f32(float x)   { return x; }
M double re_f64(double x) { return x; }

/* the imaginary part of a real */
M float im_f32(float x)   { return (void)x, 0.f; }
M double im_f64(double x) { return (void)x, 0.0; }

/* the complex conjugate of a real */
M float conj_f32(float x)   { return x; }
M double conj_f64(double x) { return x; }
