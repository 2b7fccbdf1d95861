/* prim.c - the interpreter's primitives for one instruction set; included by prim_0.c, prim_1.c and prim_2.c.
 *
 * Every loop is one the compiler vectorises; the order of folds is written out
 * in lanes (prim_fold.h), so that the width does not show.
 */
#include <string.h>
#include "prim.h"
#include "../ir/dtypes.h"
#include "../loop/order.h"
#include "../math/math.h"

#if defined(__clang__)
#define EACH _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH _Pragma("GCC ivdep")
#endif
#define LOOP(n) EACH for (int64_t i = 0; i < (n); i++)

/* ---- elementwise ------------------------------------------------------------------ */

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
#define DEFINE_VV_1(f, T) FORM(map_##f, RESULT(f((T)0)), T, T, T, f(x[i]),,,)
#define DEFINE_VV_2(f, T) FORM(map_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x[i], y[i]),,,)
#define DEFINE_VV_3(f, T) FORM(map_##f, RESULT(f((T)0, (T)0, (T)0)), T, T, T, f(x[i], y[i], z[i]),,,)
#define DEFINE_VS_2(f, T) DEFINE_VV_2(f, T) \
	FORM(map_vs_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x[i], y0),, ONE(y, T, y),) \
	FORM(map_sv_##f, RESULT(f((T)0, (T)0)), T, T, T, f(x0, y[i]), ONE(x, T, x),,)
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
#define DEFINE_NEAR_1(f, T) DEFINE_NEAR(f, T, (x[i]))
#define DEFINE_NEAR_2(f, T) DEFINE_NEAR(f, T, (x[i], y[i]))
#define DIVISOR(d, l) _Generic(d, int8_t: divisor_i8, int16_t: divisor_i16, int32_t: divisor_i32, int64_t: divisor_i64, \
	uint8_t: divisor_u8, uint16_t: divisor_u16, uint32_t: divisor_u32, uint64_t: divisor_u64)(d, l)
#define DEFINE_BY_2(f, T) DEFINE_VV_2(f, T) \
	FORM(map_vs_##f, T, T, T, T, by_##f(x[i], y0, m, l),, \
		ONE(y, T, y) uint32_t l; const __typeof__(DIVISOR(y0, &l)) m = DIVISOR(y0, &l);,)

/* whole numbers have no far arguments, floats no divisors */
#define WHOLE_VV VV
#define WHOLE_VS VS
#define WHOLE_NEAR VV
#define WHOLE_BY BY
#define FLOAT_VV VV
#define FLOAT_VS VS
#define FLOAT_NEAR NEAR
#define FLOAT_BY VV
#define OF_BOOL(NAME, name, n, forms) BOOL_DTYPES(FUNCTION, NAME, name, n, forms)
#define OF_WHOLE(NAME, name, n, forms) WHOLE_DTYPES(FUNCTION, NAME, name, n, WHOLE_##forms)
#define OF_FLOAT(NAME, name, n, forms) \
	FLOAT_DTYPES(FUNCTION, NAME, name, n, FLOAT_##forms) HALF_DTYPES(HALF_FUNCTION, NAME, name, n, FLOAT_##forms)
#define OF_COMPLEX(...)
#define OF_CHOICE(...)

#define DEFINE_(f, T, n, forms) DEFINE_##forms##_##n(f, T)
#define FUNCTION(D, d, T, HELD, held, H, NAME, name, n, forms) DEFINE_(name##d, T, n, forms)
#define HALF_FUNCTION(...)
#include "../ir/map_ops.h"
#undef FUNCTION
#undef HALF_FUNCTION

#define DEFINE_WHERE(D, d, T, ...) \
	FORM(map_where##d, T, uint8_t, T, T, where##d(x[i], y[i], z[i]),,,) \
	FORM(map_vs_where##d, T, uint8_t, T, T, where##d(x[i], y[i], z0),,, ONE(z, T, z)) \
	FORM(map_sv_where##d, T, uint8_t, T, T, where##d(x[i], y0, z[i]),, ONE(y, T, y),) \
	FORM(map_ss_where##d, T, uint8_t, T, T, where##d(x[i], y0, z0),, ONE(y, T, y), ONE(z, T, z))
#define HELD_DTYPES(X, ...) BOOL_DTYPES(X, __VA_ARGS__) WHOLE_DTYPES(X, __VA_ARGS__) FLOAT_DTYPES(X, __VA_ARGS__)
#define REAL_DTYPES(X, ...) HELD_DTYPES(X, __VA_ARGS__) HALF_DTYPES(X, __VA_ARGS__)
HELD_DTYPES(DEFINE_WHERE)
FORM(map_same_f32, float, float, float, float, x[i],,,)

/* ---- conversions --------------------------------------------------------------------- */

#define CAST(D, d, T, HELD, held, H, from, S) FORM(map_cast##from##d, T, S, S, S, cast##from##d(x[i]),,,)
#define CAST_HALF(D, d, T, HELD, held, H, from, S) \
	FORM(map_cast##from##d, H, S, S, S, HALF_OF(d, cast##from##_f64(x[i])),,,)
#define HALF_OF(d, x) f32_from##d(TO_HALF##d(x))
#define TO_HALF_f16(x) f16_from_f64(x)
#define TO_HALF_bf16(x) bf16_from_f64(x)
#define CASTS_FROM(from, S) HELD_DTYPES(CAST, from, S) HALF_DTYPES(CAST_HALF, from, S)
CASTS_FROM(_bool, uint8_t) CASTS_FROM(_i8, int8_t) CASTS_FROM(_i16, int16_t) CASTS_FROM(_i32, int32_t)
CASTS_FROM(_i64, int64_t) CASTS_FROM(_u8, uint8_t) CASTS_FROM(_u16, uint16_t) CASTS_FROM(_u32, uint32_t)
CASTS_FROM(_u64, uint64_t) CASTS_FROM(_f32, float) CASTS_FROM(_f64, double)

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
/* X(NAME, name, DTYPE, function's dtype, held as, third operand): f16 and bf16 are rounded draws of f32, but
 * uniform ones */
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

#define VS_VV(f) NULL
#define VS_VS(f) map_vs_##f
#define VS_NEAR(f) NULL
#define VS_BY(f) map_vs_##f
#define SV_VV(f) NULL
#define SV_VS(f) map_sv_##f
#define SV_NEAR(f) NULL
#define SV_BY(f) NULL
#define FUNCTION(D, d, T, HELD, held, H, NAME, name, n, forms) [OP_##NAME][DT_##D] = ENTRY(name##held, forms),
#define HALF_FUNCTION FUNCTION
#define ENTRY_WHERE(D, d, T, HELD, held, H, form) [OP_WHERE][DT_##D] = map_##form##where##held,
#define ENTRY_SS(D, d, T, HELD, held, ...) [DT_##D] = map_ss_where##held,
#define ENTRY_CAST(D, d, T, HELD, held, H, FROM, from) [DT_##FROM][DT_##D] = map_cast##from##d,
#define ENTRY_CASTS(FROM, from) REAL_DTYPES(ENTRY_CAST, FROM, from)
#define ENTRY_HALF_CAST(D, d, ...) [DT_F16][DT_##D] = map_cast_f32##d, [DT_BF16][DT_##D] = map_cast_f32##d,
#define ENTRY_BITS(FROM, from, S, TO, to, T) [DT_##FROM][DT_##TO] = map_bits##from##to,
#define ENTRY_HALF_BITS(FROM, TO, name, S, T, call) [DT_##FROM][DT_##TO] = map_bits_##name,

#define ENTRY_DRAW(NAME, name, D, d, T, third) [OP_##NAME][DT_##D] = prim_##name##d,
#define HALF_DRAWS(NAME, name) [OP_##NAME][DT_F16] = prim_##name##_f32, [OP_##NAME][DT_BF16] = prim_##name##_f32,

const Prims PRIMS = {
	.map = {
#define ENTRY(f, forms) map_##f
#include "../ir/map_ops.h"
#undef ENTRY
		REAL_DTYPES(ENTRY_WHERE, ) DRAWS(ENTRY_DRAW) HALF_DRAWS(NORMAL, normal)
		HALF_DRAWS(EXPONENTIAL, exponential) HALF_DRAWS(GAMMA_DRAW, gamma_draw)
	},
	.map_vs = {
#define ENTRY(f, forms) VS_##forms(f)
#include "../ir/map_ops.h"
#undef ENTRY
		REAL_DTYPES(ENTRY_WHERE, vs_)
	},
	.map_sv = {
#define ENTRY(f, forms) SV_##forms(f)
#include "../ir/map_ops.h"
#undef ENTRY
		REAL_DTYPES(ENTRY_WHERE, sv_)
	},
	.where_ss = { REAL_DTYPES(ENTRY_SS) },
	.cast = {
		ENTRY_CASTS(BOOL, _bool) ENTRY_CASTS(I8, _i8) ENTRY_CASTS(I16, _i16) ENTRY_CASTS(I32, _i32)
		ENTRY_CASTS(I64, _i64) ENTRY_CASTS(U8, _u8) ENTRY_CASTS(U16, _u16) ENTRY_CASTS(U32, _u32)
		ENTRY_CASTS(U64, _u64) ENTRY_CASTS(F32, _f32) ENTRY_CASTS(F64, _f64)
		HELD_DTYPES(ENTRY_HALF_CAST)
		[DT_F16][DT_F16] = map_same_f32, [DT_BF16][DT_BF16] = map_same_f32,
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
