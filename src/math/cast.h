/* cast.h - conversion of one dtype into another, bit casts, and the narrow floats.
 *
 * To integers: truncates and saturates, NaN gives 0; among integers wraps never, saturates always; to bool: x != 0.
 * To floats: rounded once, to nearest even.  Narrow floats, f16 and bf16, are kept as whole numbers and computed as f32,
 * rounded after each operation by round_f16 or round_bf16; every conversion here is done on integers, exactly.
 */

/* ---- bits ---- */

/* the bits of x, and the number with given bits: no change of value, NaN as it comes */
M int32_t bits_f32(float x)    { union { float f; int32_t i; } u = { x }; return u.i; }
M int64_t bits_f64(double x)   { union { double f; int64_t i; } u = { x }; return u.i; }
M float   f32_of_bits(int32_t i) { union { int32_t i; float f; } u = { i }; return u.f; }
M double  f64_of_bits(int64_t i) { union { int64_t i; double f; } u = { i }; return u.f; }

/* bitcast: the bits of a float, of NaN those of the positive quiet one */
M int32_t  bitcast_f32_i32(float x)    { return x == x ? bits_f32(x) : 0x7fc00000; }
M uint32_t bitcast_f32_u32(float x)    { return (uint32_t)bitcast_f32_i32(x); }
M float    bitcast_i32_f32(int32_t x)  { return f32_of_bits(x); }
M float    bitcast_u32_f32(uint32_t x) { return f32_of_bits((int32_t)x); }
M int64_t  bitcast_f64_i64(double x)   { return x == x ? bits_f64(x) : 0x7ff8000000000000; }
M uint64_t bitcast_f64_u64(double x)   { return (uint64_t)bitcast_f64_i64(x); }
M double   bitcast_i64_f64(int64_t x)  { return f64_of_bits(x); }
M double   bitcast_u64_f64(uint64_t x) { return f64_of_bits((int64_t)x); }

/* bitcast among integers of one width, and of a dtype to itself */
M int8_t bitcast_i8_i8(int8_t x)       { return x; }
M uint8_t bitcast_i8_u8(int8_t x)      { return (uint8_t)x; }
M int8_t bitcast_u8_i8(uint8_t x)      { return (int8_t)x; }
M uint8_t bitcast_u8_u8(uint8_t x)     { return x; }
M int16_t bitcast_i16_i16(int16_t x)   { return x; }
M uint16_t bitcast_i16_u16(int16_t x)  { return (uint16_t)x; }
M int16_t bitcast_u16_i16(uint16_t x)  { return (int16_t)x; }
M uint16_t bitcast_u16_u16(uint16_t x) { return x; }
M int32_t bitcast_i32_i32(int32_t x)   { return x; }
M uint32_t bitcast_i32_u32(int32_t x)  { return (uint32_t)x; }
M int32_t bitcast_u32_i32(uint32_t x)  { return (int32_t)x; }
M uint32_t bitcast_u32_u32(uint32_t x) { return x; }
M int64_t bitcast_i64_i64(int64_t x)   { return x; }
M uint64_t bitcast_i64_u64(int64_t x)  { return (uint64_t)x; }
M int64_t bitcast_u64_i64(uint64_t x)  { return (int64_t)x; }
M uint64_t bitcast_u64_u64(uint64_t x) { return x; }
M uint8_t bitcast_bool_bool(uint8_t x) { return x; }
M float bitcast_f32_f32(float x)       { return x; }
M double bitcast_f64_f64(double x)     { return x; }

/* ---- casts ---- */

/* to bool */
M uint8_t cast_bool_bool(uint8_t x) { return x != 0; }
M uint8_t cast_i8_bool(int8_t x)    { return x != 0; }
M uint8_t cast_i16_bool(int16_t x)  { return x != 0; }
M uint8_t cast_i32_bool(int32_t x)  { return x != 0; }
M uint8_t cast_i64_bool(int64_t x)  { return x != 0; }
M uint8_t cast_u8_bool(uint8_t x)   { return x != 0; }
M uint8_t cast_u16_bool(uint16_t x) { return x != 0; }
M uint8_t cast_u32_bool(uint32_t x) { return x != 0; }
M uint8_t cast_u64_bool(uint64_t x) { return x != 0; }
M uint8_t cast_f32_bool(float x)    { return x != 0; }
M uint8_t cast_f64_bool(double x)   { return x != 0; }

/* x without its fraction, for an |x| that the result holds.  The sign goes apart: of a cast there and back gcc 12 makes trunc
 * where nobody asks for traps, and trunc has a -0. */
M int32_t whole_i32_f32(float x)
{
	int32_t s = bits_f32(x) >> 31;
	return ((int32_t)__builtin_fabsf(x) ^ s) - s;
}
M int64_t whole_i64_f32(float x)
{
	int64_t s = bits_f32(x) >> 31;
	return ((int64_t)__builtin_fabsf(x) ^ s) - s;
}
M int32_t whole_i32_f64(double x)
{
	int32_t s = (int32_t)(bits_f64(x) >> 63);
	return ((int32_t)__builtin_fabs(x) ^ s) - s;
}
M int64_t whole_i64_f64(double x)
{
	int64_t s = bits_f64(x) >> 63;
	return ((int64_t)__builtin_fabs(x) ^ s) - s;
}

/* to i8 */
M int8_t cast_bool_i8(uint8_t x) { return (int8_t)x; }
M int8_t cast_i8_i8(int8_t x)    { return x; }
M int8_t cast_i16_i8(int16_t x)  { return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_i32_i8(int32_t x)  { return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_i64_i8(int64_t x)  { return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_u8_i8(uint8_t x)   { return x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_u16_i8(uint16_t x) { return x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_u32_i8(uint32_t x) { return x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_u64_i8(uint64_t x) { return x > INT8_MAX ? INT8_MAX : (int8_t)x; }
M int8_t cast_f32_i8(float x)    { return x >= 0x1p7f ? INT8_MAX : x > -0x1p7f ? (int8_t)whole_i32_f32(x) : x == x ? INT8_MIN : 0; }
M int8_t cast_f64_i8(double x)   { return x >= 0x1p7 ? INT8_MAX : x > -0x1p7 ? (int8_t)whole_i32_f64(x) : x == x ? INT8_MIN : 0; }

/* to i16 */
M int16_t cast_bool_i16(uint8_t x) { return x; }
M int16_t cast_i8_i16(int8_t x)    { return x; }
M int16_t cast_i16_i16(int16_t x)  { return x; }
M int16_t cast_i32_i16(int32_t x)  { return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : (int16_t)x; }
M int16_t cast_i64_i16(int64_t x)  { return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : (int16_t)x; }
M int16_t cast_u8_i16(uint8_t x)   { return x; }
M int16_t cast_u16_i16(uint16_t x) { return x > INT16_MAX ? INT16_MAX : (int16_t)x; }
M int16_t cast_u32_i16(uint32_t x) { return x > INT16_MAX ? INT16_MAX : (int16_t)x; }
M int16_t cast_u64_i16(uint64_t x) { return x > INT16_MAX ? INT16_MAX : (int16_t)x; }
M int16_t cast_f32_i16(float x)    { return x >= 0x1p15f ? INT16_MAX : x > -0x1p15f ? (int16_t)whole_i32_f32(x) : x == x ? INT16_MIN : 0; }
M int16_t cast_f64_i16(double x)   { return x >= 0x1p15 ? INT16_MAX : x > -0x1p15 ? (int16_t)whole_i32_f64(x) : x == x ? INT16_MIN : 0; }

/* to i32 */
M int32_t cast_bool_i32(uint8_t x) { return x; }
M int32_t cast_i8_i32(int8_t x)    { return x; }
M int32_t cast_i16_i32(int16_t x)  { return x; }
M int32_t cast_i32_i32(int32_t x)  { return x; }
M int32_t cast_i64_i32(int64_t x)  { return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x; }
M int32_t cast_u8_i32(uint8_t x)   { return x; }
M int32_t cast_u16_i32(uint16_t x) { return x; }
M int32_t cast_u32_i32(uint32_t x) { return x > INT32_MAX ? INT32_MAX : (int32_t)x; }
M int32_t cast_u64_i32(uint64_t x) { return x > INT32_MAX ? INT32_MAX : (int32_t)x; }
M int32_t cast_f32_i32(float x)    { return x >= 0x1p31f ? INT32_MAX : x > -0x1p31f ? whole_i32_f32(x) : x == x ? INT32_MIN : 0; }
M int32_t cast_f64_i32(double x)   { return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? whole_i32_f64(x) : x == x ? INT32_MIN : 0; }

/* to i64 */
M int64_t cast_bool_i64(uint8_t x) { return x; }
M int64_t cast_i8_i64(int8_t x)    { return x; }
M int64_t cast_i16_i64(int16_t x)  { return x; }
M int64_t cast_i32_i64(int32_t x)  { return x; }
M int64_t cast_i64_i64(int64_t x)  { return x; }
M int64_t cast_u8_i64(uint8_t x)   { return x; }
M int64_t cast_u16_i64(uint16_t x) { return x; }
M int64_t cast_u32_i64(uint32_t x) { return x; }
M int64_t cast_u64_i64(uint64_t x) { return x > INT64_MAX ? INT64_MAX : (int64_t)x; }
M int64_t cast_f32_i64(float x)    { return x >= 0x1p63f ? INT64_MAX : x > -0x1p63f ? whole_i64_f32(x) : x == x ? INT64_MIN : 0; }
M int64_t cast_f64_i64(double x)   { return x >= 0x1p63 ? INT64_MAX : x > -0x1p63 ? whole_i64_f64(x) : x == x ? INT64_MIN : 0; }

/* to u8 */
M uint8_t cast_bool_u8(uint8_t x) { return x; }
M uint8_t cast_i8_u8(int8_t x)    { return x < 0 ? 0 : (uint8_t)x; }
M uint8_t cast_i16_u8(int16_t x)  { return x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_i32_u8(int32_t x)  { return x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_i64_u8(int64_t x)  { return x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_u8_u8(uint8_t x)   { return x; }
M uint8_t cast_u16_u8(uint16_t x) { return x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_u32_u8(uint32_t x) { return x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_u64_u8(uint64_t x) { return x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }
M uint8_t cast_f32_u8(float x)    { return x >= 0x1p8f ? UINT8_MAX : x > 0 ? (uint8_t)(int32_t)x : 0; }
M uint8_t cast_f64_u8(double x)   { return x >= 0x1p8 ? UINT8_MAX : x > 0 ? (uint8_t)(int32_t)x : 0; }

/* to u16 */
M uint16_t cast_bool_u16(uint8_t x) { return x; }
M uint16_t cast_i8_u16(int8_t x)    { return x < 0 ? 0 : (uint16_t)x; }
M uint16_t cast_i16_u16(int16_t x)  { return x < 0 ? 0 : (uint16_t)x; }
M uint16_t cast_i32_u16(int32_t x)  { return x < 0 ? 0 : x > UINT16_MAX ? UINT16_MAX : (uint16_t)x; }
M uint16_t cast_i64_u16(int64_t x)  { return x < 0 ? 0 : x > UINT16_MAX ? UINT16_MAX : (uint16_t)x; }
M uint16_t cast_u8_u16(uint8_t x)   { return x; }
M uint16_t cast_u16_u16(uint16_t x) { return x; }
M uint16_t cast_u32_u16(uint32_t x) { return x > UINT16_MAX ? UINT16_MAX : (uint16_t)x; }
M uint16_t cast_u64_u16(uint64_t x) { return x > UINT16_MAX ? UINT16_MAX : (uint16_t)x; }
M uint16_t cast_f32_u16(float x)    { return x >= 0x1p16f ? UINT16_MAX : x > 0 ? (uint16_t)(int32_t)x : 0; }
M uint16_t cast_f64_u16(double x)   { return x >= 0x1p16 ? UINT16_MAX : x > 0 ? (uint16_t)(int32_t)x : 0; }

/* to u32 */
M uint32_t cast_bool_u32(uint8_t x) { return x; }
M uint32_t cast_i8_u32(int8_t x)    { return x < 0 ? 0 : (uint32_t)x; }
M uint32_t cast_i16_u32(int16_t x)  { return x < 0 ? 0 : (uint32_t)x; }
M uint32_t cast_i32_u32(int32_t x)  { return x < 0 ? 0 : (uint32_t)x; }
M uint32_t cast_i64_u32(int64_t x)  { return x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : (uint32_t)x; }
M uint32_t cast_u8_u32(uint8_t x)   { return x; }
M uint32_t cast_u16_u32(uint16_t x) { return x; }
M uint32_t cast_u32_u32(uint32_t x) { return x; }
M uint32_t cast_u64_u32(uint64_t x) { return x > UINT32_MAX ? UINT32_MAX : (uint32_t)x; }
M uint32_t cast_f32_u32(float x)    { return x >= 0x1p32f ? UINT32_MAX : x > 0 ? (uint32_t)x : 0; }
M uint32_t cast_f64_u32(double x)   { return x >= 0x1p32 ? UINT32_MAX : x > 0 ? (uint32_t)x : 0; }

/* to u64 */
M uint64_t cast_bool_u64(uint8_t x) { return x; }
M uint64_t cast_i8_u64(int8_t x)    { return x < 0 ? 0 : (uint64_t)x; }
M uint64_t cast_i16_u64(int16_t x)  { return x < 0 ? 0 : (uint64_t)x; }
M uint64_t cast_i32_u64(int32_t x)  { return x < 0 ? 0 : (uint64_t)x; }
M uint64_t cast_i64_u64(int64_t x)  { return x < 0 ? 0 : (uint64_t)x; }
M uint64_t cast_u8_u64(uint8_t x)   { return x; }
M uint64_t cast_u16_u64(uint16_t x) { return x; }
M uint64_t cast_u32_u64(uint32_t x) { return x; }
M uint64_t cast_u64_u64(uint64_t x) { return x; }
M uint64_t cast_f32_u64(float x)    { return x >= 0x1p64f ? UINT64_MAX : x > 0 ? (uint64_t)x : 0; }
M uint64_t cast_f64_u64(double x)   { return x >= 0x1p64 ? UINT64_MAX : x > 0 ? (uint64_t)x : 0; }

/* to f32 */
M float cast_bool_f32(uint8_t x) { return x; }
M float cast_i8_f32(int8_t x)    { return (float)x; }
M float cast_i16_f32(int16_t x)  { return (float)x; }
M float cast_i32_f32(int32_t x)  { return (float)x; }
M float cast_i64_f32(int64_t x)  { return (float)x; }
M float cast_u8_f32(uint8_t x)   { return (float)x; }
M float cast_u16_f32(uint16_t x) { return (float)x; }
M float cast_u32_f32(uint32_t x) { return (float)x; }
M float cast_u64_f32(uint64_t x) { return (float)x; }
M float cast_f32_f32(float x)    { return x; }
M float cast_f64_f32(double x)   { return (float)x; }

/* to f64 */
M double cast_bool_f64(uint8_t x) { return x; }
M double cast_i8_f64(int8_t x)    { return (double)x; }
M double cast_i16_f64(int16_t x)  { return (double)x; }
M double cast_i32_f64(int32_t x)  { return (double)x; }
M double cast_i64_f64(int64_t x)  { return (double)x; }
M double cast_u8_f64(uint8_t x)   { return (double)x; }
M double cast_u16_f64(uint16_t x) { return (double)x; }
M double cast_u32_f64(uint32_t x) { return (double)x; }
M double cast_u64_f64(uint64_t x) { return (double)x; }
M double cast_f32_f64(float x)    { return (double)x; }
M double cast_f64_f64(double x)   { return x; }

/* ---- the narrow floats ---- */

/* f16: 1 sign, 5 exponent, 10 fraction bits.  The fraction is moved to its place and the exponent moved on by the
 * difference of the biases, 112; a product with 2^112 does this for subnormals as well. */
M float cast_f16_f32(uint16_t h)
{
	uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
	float x = f32_of_bits((int32_t)magnitude) * 0x1p112f;
	uint32_t special = (h & 0x7fff) >= 0x7c00 ? 0x7f800000 | magnitude : (uint32_t)bits_f32(x);
	return f32_of_bits((int32_t)(sign | special));
}

/* To nearest even.  Normal numbers: 13 bits are dropped, and a carry from them rounds the rest; from 65520 (0x477ff000) on
 * the result is infinite.  Below 2^-14 the sum with 0.5 has its last bit at 2^-24, f16's smallest, and the adder rounds. */
M uint16_t cast_f32_f16(float x)
{
	uint32_t b = (uint32_t)bits_f32(x), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
	uint32_t normal = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
	uint32_t small = (uint32_t)bits_f32(f32_of_bits((int32_t)a) + 0.5f) - 0x3f000000;
	uint32_t h = a < 0x38800000 ? small : normal;
	h = a >= 0x477ff000 ? 0x7c00 : h;
	h = a > 0x7f800000 ? 0x7e00 : sign | h;
	return (uint16_t)h;
}

/* bf16: the upper half of an f32 */
M float cast_bf16_f32(uint16_t h) { return f32_of_bits((int32_t)((uint32_t)h << 16)); }

/* to nearest even, by a carry; NaN becomes the positive quiet one */
M uint16_t cast_f32_bf16(float x)
{
	uint32_t b = (uint32_t)bits_f32(x);
	uint32_t h = (b + 0x7fff + (b >> 16 & 1)) >> 16;
	return (uint16_t)(x == x ? h : 0x7fc0);
}

/* x rounded, still an f32 */
M float round_f16(float x)  { return cast_f16_f32(cast_f32_f16(x)); }
M float round_bf16(float x) { return cast_bf16_f32(cast_f32_bf16(x)); }

/* An f64 as an f32 rounded to odd: cut towards 0, and the last bit set if something was cut.  A second rounding, to a
 * format at least two bits shorter, is then that of x itself. */
M float f32_odd_from_f64(double x)
{
	float f = (float)x;
	double d = f;
	int32_t b = bits_f32(f) - (__builtin_fabs(d) > __builtin_fabs(x));
	return f32_of_bits(d == x || x != x ? bits_f32(f) : b | 1);
}

/* f64 from and to the narrow floats, rounded once */
M uint16_t cast_f64_f16(double x)    { return cast_f32_f16(f32_odd_from_f64(x)); }
M uint16_t cast_f64_bf16(double x)   { return cast_f32_bf16(f32_odd_from_f64(x)); }
M double   cast_f16_f64(uint16_t h)  { return cast_f16_f32(h); }
M double   cast_bf16_f64(uint16_t h) { return cast_bf16_f32(h); }
