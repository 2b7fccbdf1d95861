/* eval_random.c - keys and draws.
 *
 * A key is two u64, (a, b), stored in this order.  Element e of a draw, in row
 * order, is uniform(a, b, e) or normal(a, b, e) of src/math, normal of f32 for
 * f16 and bf16, rounded.  With binary128 the numbers are those of the own dtype.
 */
#include "eval.h"
#include "../math/math.h"

typedef struct Key {
	uint64_t a, b;
} Key;

static Scalar draw(Op op, Dtype d, Key k, uint64_t e)
{
	if (op == OP_UNIFORM && (d == DT_F16 || d == DT_BF16))
		return (Scalar){.f = {d == DT_F16 ? uniform_f16(k.a, k.b, e) : uniform_bf16(k.a, k.b, e)}};
	if (dtype_strong(d) == DT_F64)
		return (Scalar){.d = {op == OP_UNIFORM ? uniform_f64(k.a, k.b, e) : normal_f64(k.a, k.b, e)}};
	return (Scalar){.f = {op == OP_UNIFORM ? uniform_f32(k.a, k.b, e) : normal_f32(k.a, k.b, e)}};
}

static void draw_all(const Eval *e, Op op, Key k, Value *out)
{
	static const Eval own;
	Dtype d = out->dtype;
	for (int64_t i = 0; i < out->count; i++) {
		Scalar s = {.q = {0, 0}};
		eval_store(&own, d, &s, draw(op, d, k, (uint64_t)i));
		if (e->quad) s = (Scalar){.q = {quad_from_own(d, &s, 0), 0}};
		memcpy(eval_at(e, out, i), &s, eval_bytes(e, d));
	}
}

bool eval_random(Frame *f, const Node *x, const Value *const *arg, Value *out)
{
	if (!eval_alloc(f, out)) return false;
	const Key *from = arg[0]->data;
	Key *to = out->data;
	if (x->op == OP_UNIFORM || x->op == OP_NORMAL) {
		draw_all(f->e, (Op)x->op, *from, out);
		return true;
	}
	for (uint32_t k = 0; k < out->rank; k++)
		for (int i = 0; i < op_info[x->op].args; i++)
			if (arg[i]->dim[k] != out->dim[k])
				return eval_fail(f, ERR_CALL, "%s: sizes %lld and %lld differ",
					op_info[x->op].text, (long long)arg[i]->dim[k],
					(long long)out->dim[k]);
	for (int64_t i = 0; i < out->count; i++) {
		if (x->op == OP_KEY) {
			to[i] = (Key){
				(uint64_t)eval_load(f->e, arg[0]->dtype, eval_at(f->e, arg[0], i)).i, 0};
			continue;
		}
		uint64_t n = eval_load(f->e, arg[1]->dtype, eval_at(f->e, arg[1], i)).u;
		to[i] = (Key){key_at_a(from[i].a, from[i].b, n), key_at_b(from[i].a, from[i].b, n)};
	}
	return true;
}
