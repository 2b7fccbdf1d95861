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
#define WHOLE_REST BY
#define FLOAT_VV VV
#define FLOAT_VS VS
#define FLOAT_NEAR NEAR
#define FLOAT_BY VV
#define FLOAT_REST NEAR
#define OF_BOOL(NAME, name, n, forms) BOOL_DTYPES(FUNCTION, NAME, name, n, forms)
#define OF_WHOLE(NAME, name, n, forms) WHOLE_DTYPES(FUNCTION, NAME, name, n, WHOLE_##forms)
#define OF_FLOAT(NAME, name, n, forms) FLOAT_DTYPES(FUNCTION, NAME, name, n, FLOAT_##forms)
#define OF_COMPLEX(...)
#define OF_CHOICE(...)

#define DEFINE_(f, T, n, forms) DEFINE_##forms##_##n(f, T)
#define FUNCTION(D, d, T, HELD, held, H, numbers, NAME, name, n, forms) DEFINE_(name##d, T, n, forms)
#include "../ir/map_ops.h"
#undef FUNCTION

#define DEFINE_WHERE(D, d, T, ...) \
	FORM(map_where##d, T, uint8_t, T, T, where##d(x[i], y[i], z[i]),,,) \
	FORM(map_vs_where##d, T, uint8_t, T, T, where##d(x[i], y[i], z0),,, ONE(z, T, z)) \
	FORM(map_sv_where##d, T, uint8_t, T, T, where##d(x[i], y0, z[i]),, ONE(y, T, y),) \
	FORM(map_ss_where##d, T, uint8_t, T, T, where##d(x[i], y0, z0),, ONE(y, T, y), ONE(z, T, z))
HELD_DTYPES(DEFINE_WHERE)

/* ---- conversions --------------------------------------------------------------------- */

/* casts of each to each: EXPAND lets a list stand within itself */
#define EXPAND(...) __VA_ARGS__
#define LATER()
#define HELD_AGAIN() HELD_DTYPES
#define NARROW_AGAIN() NARROW_DTYPES
#define EACH_CAST(D, d, T, ...) \
	HELD_AGAIN LATER()()(CAST, D, d, T) NARROW_AGAIN LATER()()(NARROW_CAST, D, d, T)
#define CAST(D, d, T, HELD, held, H, numbers, FROM, from, S) \
	FORM(map_cast##from##d, T, S, S, S, cast##from##d(x[i]),,,)
#define NARROW_CAST(D, d, T, HELD, held, H, numbers, FROM, from, S) \
	FORM(map_cast##from##d, H, S, S, S, cast##d##held(cast_f64##d(cast##from##_f64(x[i]))),,,)
EXPAND(HELD_DTYPES(EACH_CAST))
#undef CAST
#undef NARROW_CAST

#define BITS(D, d, T, ...) FORM(prim_bits##d, T, T, T, T, x[i],,,)
#define QUIET_BITS(D, d, T, ...) FORM(prim_bits##d, T, T, T, T, (x[i] == x[i] ? x[i] : (T)__builtin_nanf("")),,,)
BOOL_DTYPES(BITS) WHOLE_DTYPES(BITS) FLOAT_DTYPES(QUIET_BITS)

#define NARROW(D, d, T, HELD, held, H, ...) \
	FORM(prim_round##d, H, H, H, H, round##d(x[i]),,,) \
	FORM(prim_load##d, H, T, H, H, cast##d##held(x[i]),,,) \
	FORM(prim_store##d, T, H, H, H, cast##held##d(x[i]),,,)
NARROW_DTYPES(NARROW)

/* ---- random numbers, splats -------------------------------------------------------------- */

FORM(prim_key_a, uint64_t, uint64_t, uint64_t, int64_t, key_at_a(x[i], y[i], (uint64_t)z[i]),,,)
FORM(prim_key_b, uint64_t, uint64_t, uint64_t, int64_t, key_at_b(x[i], y[i], (uint64_t)z[i]),,,)
/* uniform draws of a narrow dtype have a function of their own, others are rounded */
#define NUMBERED_DRAW(D, d, T, HELD, held, H, numbers, name) \
	FORM(prim_##name##d, H, uint64_t, uint64_t, int64_t, name##d(x[i], y[i], (uint64_t)z[i]),,,)
#define SHAPED_DRAW(D, d, T, HELD, held, H, numbers, name) \
	FORM(prim_##name##d, H, uint64_t, uint64_t, H, name##d(x[i], y[i], z[i]),,,)
FLOAT_DTYPES(NUMBERED_DRAW, uniform) NARROW_DTYPES(NUMBERED_DRAW, uniform)
FLOAT_DTYPES(NUMBERED_DRAW, uniform_open) NARROW_DTYPES(NUMBERED_DRAW, uniform_open)
FLOAT_DTYPES(NUMBERED_DRAW, normal) FLOAT_DTYPES(NUMBERED_DRAW, exponential)
FLOAT_DTYPES(SHAPED_DRAW, gamma_draw)
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
#define FUNCTION(D, d, T, HELD, held, H, numbers, NAME, name, n, forms) [OP_##NAME][DT_##D] = ENTRY(name##d, forms),
#define ENTRY_WHERE(D, d, T, HELD, held, H, numbers, form) [OP_WHERE][DT_##D] = map_##form##where##d,
#define ENTRY_SS(D, d, ...) [DT_##D] = map_ss_where##d,
#define CAST(D, d, T, HELD, held, H, numbers, FROM, from, S) [DT_##FROM][DT_##D] = map_cast##from##d,
#define NARROW_CAST CAST
#define ENTRY_DRAW(D, d, T, HELD, held, H, numbers, NAME, name) [OP_##NAME][DT_##D] = prim_##name##d,
#define ENTRY_FORM(D, d, T, HELD, held, H, numbers, name) [DT_##D] = prim_##name##d,

const Prims PRIMS = {
	.map = {
#define ENTRY(f, forms) map_##f
#include "../ir/map_ops.h"
#undef ENTRY
		HELD_DTYPES(ENTRY_WHERE, )
		FLOAT_DTYPES(ENTRY_DRAW, UNIFORM, uniform) NARROW_DTYPES(ENTRY_DRAW, UNIFORM, uniform)
		FLOAT_DTYPES(ENTRY_DRAW, UNIFORM_OPEN, uniform_open)
		NARROW_DTYPES(ENTRY_DRAW, UNIFORM_OPEN, uniform_open)
		FLOAT_DTYPES(ENTRY_DRAW, NORMAL, normal) FLOAT_DTYPES(ENTRY_DRAW, EXPONENTIAL, exponential)
		FLOAT_DTYPES(ENTRY_DRAW, GAMMA_DRAW, gamma_draw)
	},
	.map_vs = {
#define ENTRY(f, forms) VS_##forms(f)
#include "../ir/map_ops.h"
#undef ENTRY
		HELD_DTYPES(ENTRY_WHERE, vs_)
	},
	.map_sv = {
#define ENTRY(f, forms) SV_##forms(f)
#include "../ir/map_ops.h"
#undef ENTRY
		HELD_DTYPES(ENTRY_WHERE, sv_)
	},
	.where_ss = { HELD_DTYPES(ENTRY_SS) },
	.cast = { EXPAND(HELD_DTYPES(EACH_CAST)) },
	.bits = { HELD_DTYPES(ENTRY_FORM, bits) },
	.round = { NARROW_DTYPES(ENTRY_FORM, round) },
	.load = { NARROW_DTYPES(ENTRY_FORM, load) },
	.store = { NARROW_DTYPES(ENTRY_FORM, store) },
	.key_a = prim_key_a, .key_b = prim_key_b,
	.splat = { prim_splat_1, prim_splat_2, prim_splat_4, prim_splat_8 },
	.sum = { FOLD_ENTRIES(sum) }, .prod = { FOLD_ENTRIES(prod) },
	.max = { FOLD_OWN_ENTRIES(max) }, .min = { FOLD_OWN_ENTRIES(min) },
	.any = FOLD_ENTRY(any_bool, DT_BOOL), .all = FOLD_ENTRY(all_bool, DT_BOOL),
	.argmax = { ARG_ENTRIES(argmax) }, .argmin = { ARG_ENTRIES(argmin) },
};
