/* eval_cast.c - conversions of value and of bits.
 *
 * A narrow float is written from f64, rounded once (so an integer past 2^53 is
 * first rounded to f64).  To complex: the imaginary part is +0.  With
 * binary128 floats keep what they have, whatever the dtype; a bit cast goes
 * through the own dtype of either side.
 */
#include "eval.h"

/* ---- own dtype ------------------------------------------------------------------ */

static void cast_own(const Value *v, Value *out)
{
	static const Eval own;
	Dtype from = dtype_part(v->dtype), to = dtype_part(out->dtype);
	bool complex = dtype_is_complex(v->dtype);
	for (int64_t i = 0; i < out->count; i++)
		for (int k = 0; k < 1 + complex; k++)
			element_cast(to, (char *)eval_at(&own, out, i) + (size_t)k * dtype_bytes(to), from,
				(char *)eval_at(&own, v, i) + (size_t)k * dtype_bytes(from));
	elements_quiet(out->dtype, out->data, (size_t)out->count * dtype_bytes(out->dtype));
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
