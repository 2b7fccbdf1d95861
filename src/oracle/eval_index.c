/* eval_index.c - gather, scatter, one_hot, top_k.
 *
 * Every index is checked before anything is moved, but where nothing would be
 * moved because another axis is empty; the lowest position outside, in row
 * order of the index array, is the error.
 *
 * scatter_add adds in row order of the index array, one rounded addition of
 * the node's dtype at a time (f16 and bf16 are rounded after each), beginning
 * with the element of x: r = r + v; so do the others with what they join.
 */
#include "eval.h"

static bool check_indices(Activation *f, const Node *x, const Value *index, int64_t size)
{
	for (int64_t i = 0; i < index->count; i++) {
		int64_t at = eval_index_at(index, i);
		if (at >= 0 && at < size) continue;
		const char *told = eval_indices_text(f, x);
		if (!size)
			eval_fail(f, ERR_CALL,
				"%s: an index of an axis of 0, which has no element (element %lld)%s",
				op_info[x->op].text, (long long)i, told);
		else
			eval_fail(f, ERR_CALL, "%s: index %lld at position %lld is outside of 0 <= i < %lld%s",
				op_info[x->op].text, (long long)at, (long long)i, (long long)size, told);
		f->e->error.argument = ERR_AT_INDEX;
		return false;
	}
	return true;
}

/* x as [before, size, after], the other side as [before, indices, after] */
typedef struct Rows {
	int64_t before, size, after;
} Rows;

static Rows rows_of(const Value *x, int64_t axis)
{
	Rows r = {1, x->dim[axis], 1};
	for (uint32_t k = 0; k < x->rank; k++)
		if (k != axis) *(k < axis ? &r.before : &r.after) *= x->dim[k];
	return r;
}

static bool gather_rows(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Rows r = rows_of(arg[0], attr_int(x, 0));
	const Value *index = arg[1];
	if (r.before && r.after && !check_indices(f, x, index, r.size)) return false;
	size_t row = (size_t)r.after * eval_bytes(f->e, out->dtype);
	for (int64_t b = 0; b < r.before; b++)
		for (int64_t i = 0; i < index->count; i++)
			memcpy((char *)out->data + (size_t)(b * index->count + i) * row,
				(char *)arg[0]->data + (size_t)(b * r.size + eval_index_at(index, i)) * row,
				row);
	return true;
}

/* Of the elements r and v that op joins. */
static Scalar joined(Op op, const Arithmetic *a, Scalar r, Scalar v)
{
	switch (op) {
	case OP_SCATTER_ADD: return a->add(r, v);
	case OP_SCATTER_MUL: return a->mul(r, v);
	case OP_SCATTER_MAX:
	case OP_SCATTER_OR: return a->max(r, v);
	case OP_SCATTER_MIN:
	case OP_SCATTER_AND: return a->min(r, v);
	default: return v;
	}
}

static bool scatter_rows(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Rows r = rows_of(arg[0], attr_int(x, 0));
	const Value *index = arg[1], *v = arg[2];
	if (r.before && r.after && !check_indices(f, x, index, r.size)) return false;
	if (v->count != r.before * index->count * r.after)
		return eval_fail(f, ERR_CALL, "%s: %lld values for %lld places", op_info[x->op].text,
			(long long)v->count, (long long)(r.before * index->count * r.after));
	memcpy(out->data, arg[0]->data, (size_t)out->count * eval_bytes(f->e, out->dtype));
	const Arithmetic *a = eval_arithmetic(eval_kind(f->e, out->dtype));
	for (int64_t b = 0; b < r.before; b++)
		for (int64_t i = 0; i < index->count; i++)
			for (int64_t k = 0; k < r.after; k++) {
				void *to = eval_at(
					f->e, out, (b * r.size + eval_index_at(index, i)) * r.after + k);
				Scalar s = eval_load(f->e, v->dtype,
					eval_at(f->e, v, (b * index->count + i) * r.after + k));
				Scalar r = eval_load(f->e, out->dtype, to);
				eval_store(f->e, out->dtype, to, joined((Op)x->op, a, r, s));
			}
	return true;
}

static bool one_hot_rows(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)x;
	int64_t n = out->dim[out->rank - 1];
	Scalar one = eval_arithmetic(eval_kind(f->e, out->dtype))->one;
	for (int64_t i = 0; n && i < arg[0]->count; i++) {
		int64_t at = eval_index_at(arg[0], i);
		if (at >= 0 && at < n) eval_store(f->e, out->dtype, eval_at(f->e, out, i * n + at), one);
	}
	return true;
}

/* ---- top_k ----------------------------------------------------------------------- */

/* Does y come before x in descending order?  NaN comes last; equals (-0 and +0 too) stay in order. */
static bool comes_before(const Arithmetic *a, Scalar y, Scalar x, bool y_nan, bool x_nan)
{
	return x_nan ? !y_nan : !y_nan && a->less(x, y);
}

static bool top_k_rows(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Value *values = &out->elem[0], *places = &out->elem[1];
	const Value *v = arg[0];
	int64_t n = v->dim[v->rank - 1], k = values->dim[v->rank - 1];
	(void)x;
	if (k > n)
		return eval_fail(f, ERR_CALL, "top_k: the %lld largest of %lld", (long long)k, (long long)n);
	if (!eval_alloc(f, values) || !eval_alloc(f, places)) return false;
	ScalarKind kind = eval_kind(f->e, v->dtype);
	const Arithmetic *a = eval_arithmetic(kind);
	bool *taken = NEW_ARRAY(f->arena, bool, n + 1);
	for (int64_t row = 0; row < (k ? values->count / k : 0); row++) {
		memset(taken, 0, (size_t)n);
		for (int64_t j = 0; j < k; j++) {
			int64_t best = -1;
			Scalar kept = a->zero;
			bool kept_nan = false;
			for (int64_t i = 0; i < n; i++) {
				Scalar s = eval_load(f->e, v->dtype, eval_at(f->e, v, row * n + i));
				bool nan = eval_is_nan(kind, s);
				if (!taken[i] && (best < 0 || comes_before(a, s, kept, nan, kept_nan))) {
					best = i;
					kept = s;
					kept_nan = nan;
				}
			}
			taken[best] = true;
			eval_store(f->e, values->dtype, eval_at(f->e, values, row * k + j), kept);
			((int64_t *)places->data)[row * k + j] = best;
		}
	}
	return true;
}

bool eval_index(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	static const Evaluator index[OP_COUNT] = {
		[OP_GATHER] = gather_rows,
		[OP_SCATTER_ADD] = scatter_rows,
		[OP_SCATTER_SET] = scatter_rows,
		[OP_SCATTER_MAX] = scatter_rows,
		[OP_SCATTER_MIN] = scatter_rows,
		[OP_SCATTER_MUL] = scatter_rows,
		[OP_SCATTER_AND] = scatter_rows,
		[OP_SCATTER_OR] = scatter_rows,
		[OP_ONE_HOT] = one_hot_rows,
		[OP_TOP_K] = top_k_rows,
	};
	return (x->op == OP_TOP_K || eval_alloc(f, out)) && index[x->op](f, x, arg, out);
}
