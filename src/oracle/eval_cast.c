/* eval_cast.c - conversions of value and of bits.
 *
 * f16 and bf16: read as f32; written from f64, rounded once (so an integer past
 * 2^53 is first rounded to f64).  To complex: the imaginary part is +0.  With
 * binary128 floats keep what they have, whatever the dtype; a bit cast goes
 * through the own dtype of either side.
 */
#include "eval.h"
#include "../math/math.h"

#define DTYPES(X, ...)                                                                                       \
	X(BOOL, _bool, uint8_t, __VA_ARGS__)                                                                 \
	X(I8, _i8, int8_t, __VA_ARGS__)                                                                      \
	X(I16, _i16, int16_t, __VA_ARGS__) X(I32, _i32, int32_t, __VA_ARGS__)                                \
		X(I64, _i64, int64_t, __VA_ARGS__) X(U8, _u8, uint8_t, __VA_ARGS__)                          \
			X(U16, _u16, uint16_t, __VA_ARGS__) X(U32, _u32, uint32_t, __VA_ARGS__)              \
				X(U64, _u64, uint64_t, __VA_ARGS__) X(F32, _f32, float, __VA_ARGS__)         \
					X(F64, _f64, double, __VA_ARGS__)

#define DEFINE(FROM, from, S, to, T)                                                                         \
	static void from_##from##to(void *r, const void *a)                                                  \
	{                                                                                                    \
		S s;                                                                                         \
		memcpy(&s, a, sizeof s);                                                                     \
		T t = cast##from##to(s);                                                                     \
		memcpy(r, &t, sizeof t);                                                                     \
	}
DTYPES(DEFINE, _bool, uint8_t)
DTYPES(DEFINE, _i8, int8_t)
DTYPES(DEFINE, _i16, int16_t) DTYPES(DEFINE, _i32, int32_t) DTYPES(DEFINE, _i64, int64_t)
	DTYPES(DEFINE, _u8, uint8_t) DTYPES(DEFINE, _u16, uint16_t) DTYPES(DEFINE, _u32, uint32_t)
		DTYPES(DEFINE, _u64, uint64_t) DTYPES(DEFINE, _f32, float) DTYPES(DEFINE, _f64, double)

			typedef void (*Conversion)(void *r, const void *a);

#define ENTRY(FROM, from, S, to, ...) [DT_##FROM] = from_##from##to,
static const Conversion conversion[DT_COUNT][DT_COUNT] = {
	/* [to][from] */
	[DT_BOOL] = {DTYPES(ENTRY, _bool)},
	[DT_I8] = {DTYPES(ENTRY, _i8)},
	[DT_I16] = {DTYPES(ENTRY, _i16)},
	[DT_I32] = {DTYPES(ENTRY, _i32)},
	[DT_I64] = {DTYPES(ENTRY, _i64)},
	[DT_U8] = {DTYPES(ENTRY, _u8)},
	[DT_U16] = {DTYPES(ENTRY, _u16)},
	[DT_U32] = {DTYPES(ENTRY, _u32)},
	[DT_U64] = {DTYPES(ENTRY, _u64)},
	[DT_F32] = {DTYPES(ENTRY, _f32)},
	[DT_F64] = {DTYPES(ENTRY, _f64)},
};

/* ---- own dtype ------------------------------------------------------------------ */

/* One real number from dtype `from` to dtype `to`. */
static void convert(Dtype from, const void *a, Dtype to, Scalar *r)
{
	static const Eval own;
	Scalar s = {.q = {0, 0}};
	memcpy(&s, a, dtype_bytes(from));
	if (from == DT_F16 || from == DT_BF16) {
		s = eval_load(&own, from, a);
		from = DT_F32;
	}
	bool half = to == DT_F16 || to == DT_BF16;
	conversion[half ? DT_F64 : to][from](r, &s);
	if (half) {
		uint16_t h = to == DT_F16 ? f16_from_f64(r->d[0]) : bf16_from_f64(r->d[0]);
		memcpy(r, &h, 2);
	}
}

static void cast_own(const Value *v, Value *out)
{
	static const Eval own;
	Dtype from = dtype_strong(v->dtype), to = dtype_strong(out->dtype);
	Dtype part_to;
	if (to == DT_C64)
		part_to = DT_F32;
	else if (to == DT_C128)
		part_to = DT_F64;
	else
		part_to = to;
	bool complex = dtype_is_complex(from);
	Dtype part_from;
	if (from == DT_C64)
		part_from = DT_F32;
	else if (from == DT_C128)
		part_from = DT_F64;
	else
		part_from = from;
	for (int64_t i = 0; i < out->count; i++)
		for (int k = 0; k < 1 + complex; k++) {
			Scalar r = {.q = {0, 0}};
			convert(part_from, (char *)eval_at(&own, v, i) + (size_t)k * dtype_bytes(part_from),
				part_to, &r);
			memcpy((char *)eval_at(&own, out, i) + (size_t)k * dtype_bytes(part_to), &r,
				dtype_bytes(part_to));
		}
	if (dtype_is_float(out->dtype) || dtype_is_complex(out->dtype))
		for (int64_t i = 0; i < out->count; i++)
			eval_store(&own, out->dtype, eval_at(&own, out, i),
				eval_load(&own, out->dtype, eval_at(&own, out, i)));
}

/* ---- binary128 -------------------------------------------------------------------- */

static bool is_wide(Dtype d)
{
	return dtype_is_float(d) || dtype_is_complex(d);
}

static Scalar saturated(const Eval *e, Dtype to, Quad x)
{
	Scalar low = eval_extreme(e, to, false), high = eval_extreme(e, to, true);
	if (to == DT_BOOL) return (Scalar){.i = x != 0};
	if (x != x) return (Scalar){.q = {0, 0}};
	x = quad_trunc(x);
	if (eval_kind(e, to) == KIND_U64) {
		if (x <= 0) return (Scalar){.u = 0};
		return x >= (Quad)high.u ? high : (Scalar){.u = (uint64_t)x};
	}
	if (x <= (Quad)low.i) return low;
	return x >= (Quad)high.i ? high : (Scalar){.i = (int64_t)x};
}

static void cast_quad(const Eval *e, const Value *v, Value *out)
{
	for (int64_t i = 0; i < out->count; i++) {
		Scalar s = eval_load(e, v->dtype, eval_at(e, v, i)), r = {.q = {0, 0}};
		if (!is_wide(v->dtype))
			r.q[0] = eval_kind(e, v->dtype) == KIND_U64 ? (Quad)s.u : (Quad)s.i;
		else if (is_wide(out->dtype))
			r = s;
		else
			r = saturated(e, out->dtype, s.q[0]);
		eval_store(e, out->dtype, eval_at(e, out, i), r);
	}
}

bool eval_cast(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)x;
	if (!eval_alloc(f, out)) return false;
	if (f->e->quad && (is_wide(out->dtype) || is_wide(arg[0]->dtype)))
		cast_quad(f->e, arg[0], out);
	else
		cast_own(arg[0], out);
	return true;
}

bool eval_bitcast(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	const Eval *e = f->e;
	Dtype from = arg[0]->dtype, to = out->dtype;
	(void)x;
	if (!eval_alloc(f, out)) return false;
	for (int64_t i = 0; i < out->count; i++) {
		Scalar bits = {.q = {0, 0}}, s;
		const void *p = eval_at(e, arg[0], i);
		if (e->quad && dtype_is_float(from))
			quad_to_own(from, &bits, p);
		else if (dtype_is_float(from))
			eval_store(e, from, &bits, eval_load(e, from, p)); /* NaN is the positive quiet one */
		else
			memcpy(&bits, p, dtype_bytes(from));
		if (e->quad && dtype_is_float(to))
			s = (Scalar){.q = {quad_from_own(to, &bits, 0), 0}};
		else if (dtype_is_float(to) && !e->quad)
			s = eval_load(e, to, &bits);
		else {
			memcpy(eval_at(e, out, i), &bits, dtype_bytes(to));
			continue;
		}
		eval_store(e, to, eval_at(e, out, i), s);
	}
	return true;
}
