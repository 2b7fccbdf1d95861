/* eval_random.c - keys and draws.
 *
 * A key is two u64, (a, b), stored in this order.  Element e of a draw, in row
 * order, is uniform(a, b, e), normal(a, b, e), ... of src/math, all but uniform
 * ones of f32 for narrow floats, rounded; a gamma draw has a key of its own.  With binary128 the numbers are
 * those of the own dtype.
 */
#include "eval.h"
#include "../math/math.h"

typedef struct DrawKey {
	uint64_t a, b;
} DrawKey;

/* Element e under the key k, or the gamma draw of this shape under it. */
static Scalar draw(Op op, Dtype d, DrawKey k, uint64_t e, Scalar shape)
{
	bool f64 = dtype_strong(d) == DT_F64, open = op == OP_UNIFORM_OPEN;
	switch (op) {
	case OP_NORMAL:
		return f64 ? (Scalar){.d = {normal_f64(k.a, k.b, e)}}
			   : (Scalar){.f = {normal_f32(k.a, k.b, e)}};
	case OP_EXPONENTIAL:
		return f64 ? (Scalar){.d = {exponential_f64(k.a, k.b, e)}}
			   : (Scalar){.f = {exponential_f32(k.a, k.b, e)}};
	case OP_GAMMA_DRAW:
		return f64 ? (Scalar){.d = {gamma_draw_f64(k.a, k.b, shape.d[0])}}
			   : (Scalar){.f = {gamma_draw_f32(k.a, k.b, shape.f[0])}};
	default: break;
	}
	if (f64) return (Scalar){.d = {open ? uniform_open_f64(k.a, k.b, e) : uniform_f64(k.a, k.b, e)}};
	switch (d) {
#define UNIFORM(D, d, ...)                                                                                   \
	case DT_##D:                                                                                         \
		return (Scalar){.f = {open ? uniform_open##d(k.a, k.b, e) : uniform##d(k.a, k.b, e)}};
		NARROW_DTYPES(UNIFORM)
	default: return (Scalar){.f = {open ? uniform_open_f32(k.a, k.b, e) : uniform_f32(k.a, k.b, e)}};
	}
}

/* Element i of all has the key i, and is the first one under it; without shapes it is one of `each` under its
 * key. */
static void draw_all(const Eval *e, Op op, const DrawKey *k, int64_t each, const Value *shape, Value *out)
{
	static const Eval own;
	Dtype d = out->dtype;
	for (int64_t i = 0; i < out->count; i++) {
		Scalar s = {.q = {0, 0}};
		eval_works(e, 20);
		if (shape) {
			s = eval_load(e, d, eval_at(e, shape, i));
			if (e->quad) {
				quad_to_own(d, &s, &s.q[0]);
				s = eval_load(&own, d, &s);
			}
		}
		eval_store(&own, d, &s, draw(op, d, k[i / each], (uint64_t)(i % each), s));
		if (e->quad) s = (Scalar){.q = {quad_from_own(d, &s, 0), 0}};
		memcpy(eval_at(e, out, i), &s, eval_bytes(e, d));
	}
}

bool eval_random(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	if (!eval_alloc(f, out)) return false;
	const DrawKey *from = arg[0]->data;
	DrawKey *to = out->data;
	bool draws = out->dtype != DT_KEY && op_info[x->op].args == 1;
	for (uint32_t k = 0; !draws && k < out->rank; k++)
		for (int i = 0; i < op_info[x->op].args; i++)
			if (arg[i]->dim[k] != out->dim[k])
				return eval_fail(f, ERR_CALL, "%s: sizes %lld and %lld differ",
					op_info[x->op].text, (long long)arg[i]->dim[k],
					(long long)out->dim[k]);
	if (out->dtype != DT_KEY) {
		int64_t each = draws && arg[0]->count ? out->count / arg[0]->count : 1;
		draw_all(f->e, (Op)x->op, from, each ? each : 1, draws ? NULL : arg[1], out);
		return true;
	}
	for (int64_t i = 0; i < out->count; i++) {
		if (x->op == OP_KEY) {
			to[i] = (DrawKey){
				(uint64_t)eval_load(f->e, arg[0]->dtype, eval_at(f->e, arg[0], i)).i, 0};
			continue;
		}
		uint64_t n = eval_load(f->e, arg[1]->dtype, eval_at(f->e, arg[1], i)).u;
		to[i] = (DrawKey){key_at_a(from[i].a, from[i].b, n), key_at_b(from[i].a, from[i].b, n)};
	}
	return true;
}
