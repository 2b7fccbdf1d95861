/* dtypes.h - every element type, a line each, with all that is known of it, in lists by kind.
 *
 * X(NAME, name, T, HELD, held, H, ...)
 *   NAME    the enumerator is DT_NAME
 *   name    the notation's, in front of it a _ : so end the names of its scalar functions in src/math, exp_f64
 *   T       the C type of an element in memory
 *   HELD, held, H   of the dtype in whose registers it is computed; where it is another, each operation is rounded
 */
#ifndef POR_IR_DTYPES_H
#define POR_IR_DTYPES_H

/* clang-format off */
#define BOOL_DTYPES(X, ...) \
	X(BOOL, _bool, uint8_t,  BOOL, _bool, uint8_t,  __VA_ARGS__)
#define SIGNED_DTYPES(X, ...) \
	X(I8,   _i8,   int8_t,   I8,   _i8,   int8_t,   __VA_ARGS__) \
	X(I16,  _i16,  int16_t,  I16,  _i16,  int16_t,  __VA_ARGS__) \
	X(I32,  _i32,  int32_t,  I32,  _i32,  int32_t,  __VA_ARGS__) \
	X(I64,  _i64,  int64_t,  I64,  _i64,  int64_t,  __VA_ARGS__)
#define UNSIGNED_DTYPES(X, ...) \
	X(U8,   _u8,   uint8_t,  U8,   _u8,   uint8_t,  __VA_ARGS__) \
	X(U16,  _u16,  uint16_t, U16,  _u16,  uint16_t, __VA_ARGS__) \
	X(U32,  _u32,  uint32_t, U32,  _u32,  uint32_t, __VA_ARGS__) \
	X(U64,  _u64,  uint64_t, U64,  _u64,  uint64_t, __VA_ARGS__)
#define HALF_DTYPES(X, ...) \
	X(F16,  _f16,  uint16_t, F32,  _f32,  float,    __VA_ARGS__) \
	X(BF16, _bf16, uint16_t, F32,  _f32,  float,    __VA_ARGS__)
#define FLOAT_DTYPES(X, ...) \
	X(F32,  _f32,  float,    F32,  _f32,  float,    __VA_ARGS__) \
	X(F64,  _f64,  double,   F64,  _f64,  double,   __VA_ARGS__)
#define COMPLEX_DTYPES(X, ...) \
	X(C64,  _c64,  C64,      C64,  _c64,  C64,      __VA_ARGS__) \
	X(C128, _c128, C128,     C128, _c128, C128,     __VA_ARGS__)
/* clang-format on */

#define WHOLE_DTYPES(X, ...) SIGNED_DTYPES(X, __VA_ARGS__) UNSIGNED_DTYPES(X, __VA_ARGS__)

#endif
