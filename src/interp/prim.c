/* prim.c - the interpreter's primitives for one instruction set; included by prim_0.c, prim_1.c and prim_2.c.
 *
 * Every loop is one the compiler vectorises; the order of folds is written out
 * in lanes (prim_fold.h), so that the width does not show.
 */
#include <string.h>
#include "prim.h"
#include "../loop/order.h"
#include "../math/math.h"

#if defined(__clang__)
/* asked of every loop; those with loops inside, as of polygamma, cannot be vectors, and clang need not say so */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH _Pragma("GCC ivdep")
#endif
#define LOOP(n) EACH for (int64_t i = 0; i < (n); i++)

/* ---- elementwise ------------------------------------------------------------------ */

/* X(NAME, name, operands, ...): cheap operators of two operands have forms with one of them a scalar (kind 4);
 * those of kinds 6 and 7 have a faster function for arguments that are not far (math.h);
 * those of kind 8 divide by a number that stays without a division (divide.h). */
#define NUMBER_OPS(X, D, d, T) \
	X(ADD, add, 4, D, d, T) X(SUB, sub, 4, D, d, T) X(MUL, mul, 4, D, d, T) X(NEG, neg, 1, D, d, T) \
	X(ABS, abs, 1, D, d, T) \
	X(SIGN, sign, 1, D, d, T) X(MAXIMUM, maximum, 4, D, d, T) X(MINIMUM, minimum, 4, D, d, T)
#define COMPARE_OPS(X, D, d, T) \
	X(EQ, eq, 4, D, d, T) X(NE, ne, 4, D, d, T) X(LT, lt, 4, D, d, T) X(LE, le, 4, D, d, T) \
	X(GT, gt, 4, D, d, T) X(GE, ge, 4, D, d, T)
#define BIT_OPS(X, D, d, T) \
	X(BIT_AND, bit_and, 2, D, d, T) X(BIT_OR, bit_or, 2, D, d, T) X(BIT_XOR, bit_xor, 2, D, d, T) \
	X(BIT_NOT, bit_not, 1, D, d, T)
#define TRUTH_OPS(X, D, d, T) X(AND, and, 4, D, d, T) X(OR, or, 4, D, d, T) X(NOT, not, 1, D, d, T)
#define WHOLE_OPS(X, D, d, T) \
	X(POW, pow, 2, D, d, T) X(FLOORDIV, floordiv, 8, D, d, T) X(MOD, mod, 8, D, d, T) \
	X(SHIFT_LEFT, shift_left, 2, D, d, T) X(SHIFT_RIGHT, shift_right, 2, D, d, T) X(POPCOUNT, popcount, 1, D, d, T)
#define FLOAT_OPS(X, D, d, T) \
	X(DIV, div, 4, D, d, T) X(FLOORDIV, floordiv, 2, D, d, T) X(MOD, mod, 2, D, d, T) X(POW, pow, 7, D, d, T) \
	X(FMA, fma, 3, D, d, T) X(ISNAN, isnan, 1, D, d, T) X(ISINF, isinf, 1, D, d, T) \
	X(ISFINITE, isfinite, 1, D, d, T) X(SIGNBIT, signbit, 1, D, d, T) X(COPYSIGN, copysign, 2, D, d, T) \
	X(FLOOR, floor, 1, D, d, T) X(CEIL, ceil, 1, D, d, T) X(ROUND, round, 1, D, d, T) X(TRUNC, trunc, 1, D, d, T) \
	X(SQRT, sqrt, 1, D, d, T) X(CBRT, cbrt, 1, D, d, T) X(HYPOT, hypot, 2, D, d, T) X(EXP, exp, 1, D, d, T) \
	X(EXP2, exp2, 1, D, d, T) X(EXPM1, expm1, 1, D, d, T) X(LOG, log, 1, D, d, T) X(LOG2, log2, 1, D, d, T) \
	X(LOG10, log10, 1, D, d, T) X(LOG1P, log1p, 1, D, d, T) X(LOG1MEXP, log1mexp, 1, D, d, T) \
	X(LOGADDEXP, logaddexp, 2, D, d, T) X(SIGMOID, sigmoid, 1, D, d, T) X(SOFTPLUS, softplus, 1, D, d, T) \
	X(LOGIT, logit, 1, D, d, T) X(SIN, sin, 6, D, d, T) X(COS, cos, 6, D, d, T) X(TAN, tan, 6, D, d, T) \
	X(ASIN, asin, 1, D, d, T) X(ACOS, acos, 1, D, d, T) X(ATAN, atan, 1, D, d, T) X(ATAN2, atan2, 2, D, d, T) \
	X(SINH, sinh, 1, D, d, T) X(COSH, cosh, 1, D, d, T) X(TANH, tanh, 1, D, d, T) X(ASINH, asinh, 1, D, d, T) \
	X(ACOSH, acosh, 1, D, d, T) X(ATANH, atanh, 1, D, d, T) X(ERF, erf, 1, D, d, T) X(ERFC, erfc, 1, D, d, T) \
	X(ERFINV, erfinv, 1, D, d, T) X(GAMMA, gamma, 6, D, d, T) X(LGAMMA, lgamma, 6, D, d, T) \
	X(DIGAMMA, digamma, 6, D, d, T) X(POLYGAMMA, polygamma, 2, D, d, T) \
	X(EXP10, exp10, 1, D, d, T) X(RSQRT, rsqrt, 1, D, d, T) X(XLOGY, xlogy, 2, D, d, T) X(SINPI, sinpi, 1, D, d, T) \
	X(COSPI, cospi, 1, D, d, T) X(SINC, sinc, 1, D, d, T) X(SILU, silu, 1, D, d, T) X(GELU, gelu, 1, D, d, T) \
	X(GELU_TANH, gelu_tanh, 1, D, d, T) X(ERFCX, erfcx, 1, D, d, T) X(NDTR, ndtr, 1, D, d, T) X(LOG_NDTR, log_ndtr, 1, D, d, T) \
	X(TRIGAMMA, trigamma, 6, D, d, T) X(LBETA, lbeta, 2, D, d, T) X(I0E, i0e, 1, D, d, T) X(I1E, i1e, 1, D, d, T) \
	X(RE, re, 1, D, d, T) X(IM, im, 1, D, d, T) X(CONJ, conj, 1, D, d, T)
#define ANY_OPS(X, D, d, T) X(WHERE, where, 5, D, d, T) X(STOP, stop, 1, D, d, T)

#define OF_BOOL(X, D, d, T) COMPARE_OPS(X, D, d, T) BIT_OPS(X, D, d, T) TRUTH_OPS(X, D, d, T) ANY_OPS(X, D, d, T)
#define OF_WHOLE(X, D, d, T) \
	NUMBER_OPS(X, D, d, T) COMPARE_OPS(X, D, d, T) BIT_OPS(X, D, d, T) WHOLE_OPS(X, D, d, T) ANY_OPS(X, D, d, T)
#define OF_FLOAT(X, D, d, T) NUMBER_OPS(X, D, d, T) COMPARE_OPS(X, D, d, T) FLOAT_OPS(X, D, d, T) ANY_OPS(X, D, d, T)
#define OF_ALL(X) \
	OF_BOOL(X, BOOL, _bool, uint8_t) OF_WHOLE(X, I8, _i8, int8_t) OF_WHOLE(X, I16, _i16, int16_t) \
	OF_WHOLE(X, I32, _i32, int32_t) OF_WHOLE(X, I64, _i64, int64_t) OF_WHOLE(X, U8, _u8, uint8_t) \
	OF_WHOLE(X, U16, _u16, uint16_t) OF_WHOLE(X, U32, _u32, uint32_t) OF_WHOLE(X, U64, _u64, uint64_t) \
	OF_FLOAT(X, F32, _f32, float) OF_FLOAT(X, F64, _f64, double)

#define FORM(name, O, A, B, C, call, at_a, at_b, at_c) \
	static void name(int64_t n, void *out, const void *a, const void *b, const void *c) \
	{ \
		O *o = out; \
		const A *x = a; const B *y = b; const C *z = c; \
		(void)x, (void)y, (void)z; \
		at_a at_b at_c \
		LOOP(n) o[i] = (O)call; \
	}
#define ONE(N, T, v) const T N##0 = *v;
#define RESULT(call) __typeof__(call)
#define DEFINE_1(f, T) FORM(map_##f, RESULT(f((T)0)), T, T, T, f(x[i]),,,)
#define DEFINE_2(f, T) FORM(map_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x[i], y[i]),,,)
#define DEFINE_3(f, T) FORM(map_##f, RESULT(f((T)0, (T)0, (T)0)), T, T, T, f(x[i], y[i], z[i]),,,)
#define DEFINE_4(f, T) DEFINE_2(f, T) \
	FORM(map_vs_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x[i], y0),, ONE(y, T, y),) \
	FORM(map_sv_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x0, y[i]), ONE(x, T, x),,)
#define DEFINE_5(f, T) \
	FORM(map_##f, T, uint8_t, T, T, f(x[i], y[i], z[i]),,,) \
	FORM(map_vs_##f, T, uint8_t, T, T, f(x[i], y[i], z0),,, ONE(z, T, z)) \
	FORM(map_sv_##f, T, uint8_t, T, T, f(x[i], y0, z[i]),, ONE(y, T, y),) \
	FORM(map_ss_##f, T, uint8_t, T, T, f(x[i], y0, z0),, ONE(y, T, y), ONE(z, T, z))
/* near_f serves unless an argument is far */
#define DEFINE_NEAR(f, T, operands) \
	FORM(map_near_##f, T, T, T, T, near_##f operands,,,) \
	FORM(map_any_##f, T, T, T, T, f operands,,,) \
	static void map_##f(int64_t n, void *out, const void *a, const void *b, const void *c) \
	{ \
		const T *x = a, *y = b; \
		int far = 0; \
		(void)y; \
		LOOP(n) far |= far_##f operands; \
		(far ? map_any_##f : map_near_##f)(n, out, a, b, c); \
	}
#define DEFINE_6(f, T) DEFINE_NEAR(f, T, (x[i]))
#define DEFINE_7(f, T) DEFINE_NEAR(f, T, (x[i], y[i]))
#define DIVISOR(d, l) _Generic(d, int8_t: divisor_i8, int16_t: divisor_i16, int32_t: divisor_i32, int64_t: divisor_i64, \
	uint8_t: divisor_u8, uint16_t: divisor_u16, uint32_t: divisor_u32, uint64_t: divisor_u64)(d, l)
#define DEFINE_8(f, T) DEFINE_2(f, T) \
	FORM(map_vs_##f, T, T, T, T, by_##f(x[i], y0, m, l),, \
		ONE(y, T, y) uint32_t l; const __typeof__(DIVISOR(y0, &l)) m = DIVISOR(y0, &l);,)
#define DEFINE(NAME, name, k, D, d, T) DEFINE_##k(name##d, T)
OF_ALL(DEFINE)

/* ---- conversions --------------------------------------------------------------------- */

#define DTYPES(X, ...) \
	X(BOOL, _bool, uint8_t, __VA_ARGS__) X(I8, _i8, int8_t, __VA_ARGS__) X(I16, _i16, int16_t, __VA_ARGS__) \
	X(I32, _i32, int32_t, __VA_ARGS__) X(I64, _i64, int64_t, __VA_ARGS__) X(U8, _u8, uint8_t, __VA_ARGS__) \
	X(U16, _u16, uint16_t, __VA_ARGS__) X(U32, _u32, uint32_t, __VA_ARGS__) X(U64, _u64, uint64_t, __VA_ARGS__) \
	X(F32, _f32, float, __VA_ARGS__) X(F64, _f64, double, __VA_ARGS__)
#define CAST(FROM, from, S, to, T) FORM(map_cast##from##to, T, S, S, S, cast##from##to(x[i]),,,)
DTYPES(CAST, _bool, uint8_t) DTYPES(CAST, _i8, int8_t) DTYPES(CAST, _i16, int16_t) DTYPES(CAST, _i32, int32_t)
DTYPES(CAST, _i64, int64_t) DTYPES(CAST, _u8, uint8_t) DTYPES(CAST, _u16, uint16_t) DTYPES(CAST, _u32, uint32_t)
DTYPES(CAST, _u64, uint64_t) DTYPES(CAST, _f32, float) DTYPES(CAST, _f64, double)
#define CAST_HALF(FROM, from, S, h, ...) \
	FORM(map_cast##from##h, float, S, S, S, f32_from##h(h##_from_f64(cast##from##_f64(x[i]))),,,)
#define _f16_from_f64 f16_from_f64
#define _bf16_from_f64 bf16_from_f64
DTYPES(CAST_HALF, _f16) DTYPES(CAST_HALF, _bf16)

/* BITS(from, S, to, T): dtypes of one width; those of the 16-bit floats are held as f32 */
#define BITS_OF(X) \
	X(BOOL, _bool, uint8_t, BOOL, _bool, uint8_t) \
	X(I8, _i8, int8_t, I8, _i8, int8_t) X(I8, _i8, int8_t, U8, _u8, uint8_t) \
	X(U8, _u8, uint8_t, I8, _i8, int8_t) X(U8, _u8, uint8_t, U8, _u8, uint8_t) \
	X(I16, _i16, int16_t, I16, _i16, int16_t) X(I16, _i16, int16_t, U16, _u16, uint16_t) \
	X(U16, _u16, uint16_t, I16, _i16, int16_t) X(U16, _u16, uint16_t, U16, _u16, uint16_t) \
	X(I32, _i32, int32_t, I32, _i32, int32_t) X(I32, _i32, int32_t, U32, _u32, uint32_t) \
	X(U32, _u32, uint32_t, I32, _i32, int32_t) X(U32, _u32, uint32_t, U32, _u32, uint32_t) \
	X(I64, _i64, int64_t, I64, _i64, int64_t) X(I64, _i64, int64_t, U64, _u64, uint64_t) \
	X(U64, _u64, uint64_t, I64, _i64, int64_t) X(U64, _u64, uint64_t, U64, _u64, uint64_t) \
	X(F32, _f32, float, I32, _i32, int32_t) X(F32, _f32, float, U32, _u32, uint32_t) \
	X(I32, _i32, int32_t, F32, _f32, float) X(U32, _u32, uint32_t, F32, _f32, float) \
	X(F64, _f64, double, I64, _i64, int64_t) X(F64, _f64, double, U64, _u64, uint64_t) \
	X(I64, _i64, int64_t, F64, _f64, double) X(U64, _u64, uint64_t, F64, _f64, double) \
	X(F32, _f32, float, F32, _f32, float) X(F64, _f64, double, F64, _f64, double)
#define HALF_BITS_OF(X) \
	X(F16, I16, f16_i16, float, int16_t, f16_from_f32(x[i])) X(F16, U16, f16_u16, float, uint16_t, f16_from_f32(x[i])) \
	X(BF16, I16, bf16_i16, float, int16_t, bf16_from_f32(x[i])) \
	X(BF16, U16, bf16_u16, float, uint16_t, bf16_from_f32(x[i])) \
	X(I16, F16, i16_f16, int16_t, float, f32_from_f16((uint16_t)x[i])) \
	X(U16, F16, u16_f16, uint16_t, float, f32_from_f16(x[i])) \
	X(I16, BF16, i16_bf16, int16_t, float, f32_from_bf16((uint16_t)x[i])) \
	X(U16, BF16, u16_bf16, uint16_t, float, f32_from_bf16(x[i])) \
	X(F16, F16, f16_f16, float, float, x[i]) X(BF16, BF16, bf16_bf16, float, float, x[i]) \
	X(F16, BF16, f16_bf16, float, float, f32_from_bf16(f16_from_f32(x[i]))) \
	X(BF16, F16, bf16_f16, float, float, f32_from_f16(bf16_from_f32(x[i])))
#define BITS(FROM, from, S, TO, to, T) FORM(map_bits##from##to, T, S, S, S, bitcast##from##to(x[i]),,,)
#define HALF_BITS(FROM, TO, name, S, T, call) FORM(map_bits_##name, T, S, S, S, call,,,)
BITS_OF(BITS)
HALF_BITS_OF(HALF_BITS)

FORM(prim_round_f16, float, float, float, float, round_f16(x[i]),,,)
FORM(prim_round_bf16, float, float, float, float, round_bf16(x[i]),,,)
FORM(prim_load_f16, float, uint16_t, float, float, f32_from_f16(x[i]),,,)
FORM(prim_load_bf16, float, uint16_t, float, float, f32_from_bf16(x[i]),,,)
FORM(prim_store_f16, uint16_t, float, float, float, f16_from_f32(x[i]),,,)
FORM(prim_store_bf16, uint16_t, float, float, float, bf16_from_f32(x[i]),,,)

/* ---- random numbers, splats -------------------------------------------------------------- */

FORM(prim_key_a, uint64_t, uint64_t, uint64_t, int64_t, key_at_a(x[i], y[i], (uint64_t)z[i]),,,)
FORM(prim_key_b, uint64_t, uint64_t, uint64_t, int64_t, key_at_b(x[i], y[i], (uint64_t)z[i]),,,)
#define DRAW_FORM(NAME, name, D, d, T, third) \
	FORM(prim_##name##d, T, uint64_t, uint64_t, third, name##d(x[i], y[i], (DRAW_##third)z[i]),,,)
#define DRAW_int64_t uint64_t
#define DRAW_float float
#define DRAW_double double
/* X(NAME, name, DTYPE, function's dtype, held as, third operand): f16 and bf16 are rounded draws of f32, but uniform ones */
#define EXACT_DRAWS(X, NAME, name) \
	X(NAME, name, F16, _f16, float, int64_t) X(NAME, name, BF16, _bf16, float, int64_t) \
	X(NAME, name, F32, _f32, float, int64_t) X(NAME, name, F64, _f64, double, int64_t)
#define DRAWS(X) \
	EXACT_DRAWS(X, UNIFORM, uniform) EXACT_DRAWS(X, UNIFORM_OPEN, uniform_open) \
	X(NORMAL, normal, F32, _f32, float, int64_t) X(NORMAL, normal, F64, _f64, double, int64_t) \
	X(EXPONENTIAL, exponential, F32, _f32, float, int64_t) X(EXPONENTIAL, exponential, F64, _f64, double, int64_t) \
	X(GAMMA_DRAW, gamma_draw, F32, _f32, float, float) X(GAMMA_DRAW, gamma_draw, F64, _f64, double, double)
DRAWS(DRAW_FORM)
FORM(prim_splat_1, uint8_t, uint8_t, uint8_t, uint8_t, x0, ONE(x, uint8_t, x),,)
FORM(prim_splat_2, uint16_t, uint16_t, uint16_t, uint16_t, x0, ONE(x, uint16_t, x),,)
FORM(prim_splat_4, uint32_t, uint32_t, uint32_t, uint32_t, x0, ONE(x, uint32_t, x),,)
FORM(prim_splat_8, uint64_t, uint64_t, uint64_t, uint64_t, x0, ONE(x, uint64_t, x),,)

#include "prim_fold.h"

/* ---- the table ------------------------------------------------------------------------------ */

#define V_1(f) map_##f
#define V_2(f) map_##f
#define V_3(f) map_##f
#define V_4(f) map_##f
#define V_5(f) map_##f
#define V_6(f) map_##f
#define V_7(f) map_##f
#define V_8(f) map_##f
#define VS_1(f) NULL
#define VS_2(f) NULL
#define VS_3(f) NULL
#define VS_4(f) map_vs_##f
#define VS_5(f) map_vs_##f
#define VS_6(f) NULL
#define VS_7(f) NULL
#define VS_8(f) map_vs_##f
#define SV_1(f) NULL
#define SV_2(f) NULL
#define SV_3(f) NULL
#define SV_4(f) map_sv_##f
#define SV_5(f) map_sv_##f
#define SV_6(f) NULL
#define SV_7(f) NULL
#define SV_8(f) NULL
#define ENTRY(NAME, name, k, D, d, T) [OP_##NAME][DT_##D] = V_##k(name##d),
#define ENTRY_VS(NAME, name, k, D, d, T) [OP_##NAME][DT_##D] = VS_##k(name##d),
#define ENTRY_SV(NAME, name, k, D, d, T) [OP_##NAME][DT_##D] = SV_##k(name##d),
/* f16 and bf16 use the functions of f32 */
#define HALVES(E) OF_FLOAT(E, F16, _f32, float) OF_FLOAT(E, BF16, _f32, float)
#define ENTRY_SS(D, d, T, ...) [DT_##D] = map_ss_where##d,
#define ENTRY_CAST(TO, to, T, FROM, from) [DT_##FROM][DT_##TO] = map_cast##from##to,
#define ENTRY_CASTS(FROM, from) \
	DTYPES(ENTRY_CAST, FROM, from) \
	[DT_##FROM][DT_F16] = map_cast##from##_f16, [DT_##FROM][DT_BF16] = map_cast##from##_bf16,
#define ENTRY_HALF_CAST(TO, to, T, ...) [DT_F16][DT_##TO] = map_cast_f32##to, [DT_BF16][DT_##TO] = map_cast_f32##to,
#define ENTRY_BITS(FROM, from, S, TO, to, T) [DT_##FROM][DT_##TO] = map_bits##from##to,
#define ENTRY_HALF_BITS(FROM, TO, name, S, T, call) [DT_##FROM][DT_##TO] = map_bits_##name,

#define ENTRY_DRAW(NAME, name, D, d, T, third) [OP_##NAME][DT_##D] = prim_##name##d,
#define HALF_DRAWS(NAME, name) [OP_##NAME][DT_F16] = prim_##name##_f32, [OP_##NAME][DT_BF16] = prim_##name##_f32,

const Prims PRIMS = {
	.map = { OF_ALL(ENTRY) HALVES(ENTRY) DRAWS(ENTRY_DRAW) HALF_DRAWS(NORMAL, normal) HALF_DRAWS(EXPONENTIAL, exponential)
		HALF_DRAWS(GAMMA_DRAW, gamma_draw) },
	.map_vs = { OF_ALL(ENTRY_VS) HALVES(ENTRY_VS) },
	.map_sv = { OF_ALL(ENTRY_SV) HALVES(ENTRY_SV) },
	.where_ss = { DTYPES(ENTRY_SS) [DT_F16] = map_ss_where_f32, [DT_BF16] = map_ss_where_f32 },
	.cast = {
		ENTRY_CASTS(BOOL, _bool) ENTRY_CASTS(I8, _i8) ENTRY_CASTS(I16, _i16) ENTRY_CASTS(I32, _i32)
		ENTRY_CASTS(I64, _i64) ENTRY_CASTS(U8, _u8) ENTRY_CASTS(U16, _u16) ENTRY_CASTS(U32, _u32)
		ENTRY_CASTS(U64, _u64) ENTRY_CASTS(F32, _f32) ENTRY_CASTS(F64, _f64) DTYPES(ENTRY_HALF_CAST)
		[DT_F16][DT_F16] = map_stop_f32, [DT_BF16][DT_BF16] = map_stop_f32,
		[DT_F16][DT_BF16] = prim_round_bf16, [DT_BF16][DT_F16] = prim_round_f16,
	},
	.bitcast = { BITS_OF(ENTRY_BITS) HALF_BITS_OF(ENTRY_HALF_BITS) },
	.round_f16 = prim_round_f16, .round_bf16 = prim_round_bf16,
	.load_f16 = prim_load_f16, .load_bf16 = prim_load_bf16,
	.store_f16 = prim_store_f16, .store_bf16 = prim_store_bf16,
	.key_a = prim_key_a, .key_b = prim_key_b,
	.splat = { prim_splat_1, prim_splat_2, prim_splat_4, prim_splat_8 },
	.sum = { FOLD_ENTRIES(sum) }, .prod = { FOLD_ENTRIES(prod) },
	.max = { FOLD_OWN_ENTRIES(max) }, .min = { FOLD_OWN_ENTRIES(min) },
	.any = FOLD_ENTRY(any_bool, DT_BOOL), .all = FOLD_ENTRY(all_bool, DT_BOOL),
	.argmax = { ARG_ENTRIES(argmax) }, .argmin = { ARG_ENTRIES(argmin) },
};
