/* dtypes.h - every element type, a line each, with all that is known of it, in lists by kind.
 *
 * X(NAME, name, T, HELD, held, H, (NUMBER, DLPACK, SUM, DIGITS, MIN, MAX, PAST), ...)
 *   NAME    the enumerator is DT_NAME, and POR_NAME in the C interface
 *   name    the notation's, in front of it a _ : so end the names of its scalar functions in src/math, exp_f64
 *   T       the C type of an element in memory; a key is two words
 *   HELD, held, H   of the dtype in whose registers it is computed, and its folds are accumulated (whole numbers add up
 *           in 64 bits); where it is another, the dtype is narrow: each operation is rounded, by round_NAME
 *   NUMBER  of the enumerator: callers have it in their programs, so it never changes; a new dtype takes the next
 *   DLPACK  its kind in a DLDataType: 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool
 *   SUM     the dtype of a sum or product of many
 *   DIGITS  binary digits that it holds, a leading 1 that is not stored too; of a complex number, each part
 *   MIN, MAX   the least number, of floats the least normal positive one, and the largest
 *   PAST    what a larger number becomes when it is cast to it
 *
 * A narrow dtype has cast_NAME_f32, cast_f32_NAME, round_NAME, cast_NAME_f64 and cast_f64_NAME in src/math/cast.h, and
 * uniform_NAME and uniform_open_NAME in random.h.  tools/make_dtypes.py writes what is text: the C interface's
 * enumerators, the cores' routines for each, and a page.
 */
#ifndef POR_IR_DTYPES_H
#define POR_IR_DTYPES_H

#include <float.h>
#include <stdint.h>

/* clang-format off */
#define BOOL_DTYPES(X, ...) \
	X(BOOL, _bool, uint8_t,  BOOL, _bool, uint8_t,  (1,  6, I64,  1,  0,         1,          1),          __VA_ARGS__)
#define SIGNED_DTYPES(X, ...) \
	X(I8,   _i8,   int8_t,   I8,   _i8,   int8_t,   (2,  0, I64,  7,  INT8_MIN,  INT8_MAX,   INT8_MAX),   __VA_ARGS__) \
	X(I16,  _i16,  int16_t,  I16,  _i16,  int16_t,  (3,  0, I64,  15, INT16_MIN, INT16_MAX,  INT16_MAX),  __VA_ARGS__) \
	X(I32,  _i32,  int32_t,  I32,  _i32,  int32_t,  (4,  0, I64,  31, INT32_MIN, INT32_MAX,  INT32_MAX),  __VA_ARGS__) \
	X(I64,  _i64,  int64_t,  I64,  _i64,  int64_t,  (5,  0, I64,  63, INT64_MIN, INT64_MAX,  INT64_MAX),  __VA_ARGS__)
#define UNSIGNED_DTYPES(X, ...) \
	X(U8,   _u8,   uint8_t,  U8,   _u8,   uint8_t,  (6,  1, U64,  8,  0,         UINT8_MAX,  UINT8_MAX),  __VA_ARGS__) \
	X(U16,  _u16,  uint16_t, U16,  _u16,  uint16_t, (7,  1, U64,  16, 0,         UINT16_MAX, UINT16_MAX), __VA_ARGS__) \
	X(U32,  _u32,  uint32_t, U32,  _u32,  uint32_t, (8,  1, U64,  32, 0,         UINT32_MAX, UINT32_MAX), __VA_ARGS__) \
	X(U64,  _u64,  uint64_t, U64,  _u64,  uint64_t, (9,  1, U64,  64, 0,         UINT64_MAX, UINT64_MAX), __VA_ARGS__)
#define NARROW_DTYPES(X, ...) \
	X(F16,  _f16,  uint16_t, F32,  _f32,  float,    (10, 2, F16,  11, 0x1p-14,   65504,      INFINITY),   __VA_ARGS__) \
	X(BF16, _bf16, uint16_t, F32,  _f32,  float,    (11, 4, BF16, 8,  0x1p-126,  0x1.fep127, INFINITY),   __VA_ARGS__)
#define FLOAT_DTYPES(X, ...) \
	X(F32,  _f32,  float,    F32,  _f32,  float,    (12, 2, F32,  24, FLT_MIN,   FLT_MAX,    INFINITY),   __VA_ARGS__) \
	X(F64,  _f64,  double,   F64,  _f64,  double,   (13, 2, F64,  53, DBL_MIN,   DBL_MAX,    INFINITY),   __VA_ARGS__)
#define COMPLEX_DTYPES(X, ...) \
	X(C64,  _c64,  C64,      C64,  _c64,  C64,      (14, 5, C64,  24, FLT_MIN,   FLT_MAX,    INFINITY),   __VA_ARGS__) \
	X(C128, _c128, C128,     C128, _c128, C128,     (15, 5, C128, 53, DBL_MIN,   DBL_MAX,    INFINITY),   __VA_ARGS__)
#define KEY_DTYPES(X, ...) \
	X(KEY,  _key,  uint64_t, U64,  _u64,  uint64_t, (16, 1, KEY,  64, 0,         UINT64_MAX, UINT64_MAX), __VA_ARGS__)
/* clang-format on */

#define WHOLE_DTYPES(X, ...) SIGNED_DTYPES(X, __VA_ARGS__) UNSIGNED_DTYPES(X, __VA_ARGS__)
/* what registers hold, and each real number and bool */
#define HELD_DTYPES(X, ...) BOOL_DTYPES(X, __VA_ARGS__) WHOLE_DTYPES(X, __VA_ARGS__) FLOAT_DTYPES(X, __VA_ARGS__)
#define REAL_DTYPES(X, ...) HELD_DTYPES(X, __VA_ARGS__) NARROW_DTYPES(X, __VA_ARGS__)
#define ALL_DTYPES(X, ...) REAL_DTYPES(X, __VA_ARGS__) COMPLEX_DTYPES(X, __VA_ARGS__) KEY_DTYPES(X, __VA_ARGS__)

/* of a line's numbers */
#define DTYPE_NUMBER(number, ...) number
#define DTYPE_MIN(number, dlpack, sum, digits, min, ...) min
#define DTYPE_MAX(number, dlpack, sum, digits, min, max, ...) max

#endif
