/* eval_view.c - views: elements moved, none computed.
 *
 * Each is a walk over a box of indices with one stride per axis on either side.
 */
#include "eval.h"

void eval_walk_next(BoxWalk *w)
{
	for (uint32_t k = w->rank; k-- > 0;) {
		w->at[0] += w->stride[0][k];
		w->at[1] += w->stride[1][k];
		if (++w->index[k] < w->dim[k]) return;
		w->at[0] -= w->stride[0][k] * w->dim[k];
		w->at[1] -= w->stride[1][k] * w->dim[k];
		w->index[k] = 0;
	}
}

void eval_strides(const Value *v, int64_t *stride)
{
	int64_t s = 1;
	for (uint32_t k = v->rank; k-- > 0;) {
		stride[k] = s;
		s *= v->dim[k] ? v->dim[k] : 1;
	}
}

/* Copy n elements from place at[1] of `from` to place at[0] of `to`. */
static void move(const Eval *e, Value *to, const Value *from, BoxWalk *w, int64_t n)
{
	size_t bytes = eval_bytes(e, to->dtype);
	for (int64_t i = 0; i < n; i++, eval_walk_next(w))
		memcpy((char *)to->data + (size_t)w->at[0] * bytes,
			(char *)from->data + (size_t)w->at[1] * bytes, bytes);
}

static bool reshape_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	for (uint32_t i = 0; is_sized(x) && i < out->rank; i++)
		if (arg[0]->dim[i] != out->dim[i])
			return eval_fail(f, ERR_CALL, "axis %u has size %lld, wanted %lld", i,
				(long long)arg[0]->dim[i], (long long)out->dim[i]);
	if (arg[0]->count != out->count)
		return eval_fail(f, ERR_CALL, "reshape: %lld elements into %lld", (long long)arg[0]->count,
			(long long)out->count);
	out->data = arg[0]->data;
	return true;
}

static bool transpose_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	BoxWalk w = {.rank = out->rank};
	int64_t from[RANK_MAX];
	eval_strides(arg[0], from);
	eval_strides(out, w.stride[0]);
	for (uint32_t k = 0; k < out->rank; k++) {
		w.dim[k] = out->dim[k];
		w.stride[1][k] = from[attr_int(x, k)];
	}
	move(f->e, out, arg[0], &w, out->count);
	return true;
}

static bool expand_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	BoxWalk w = {.rank = out->rank};
	int64_t from[RANK_MAX];
	eval_strides(arg[0], from);
	eval_strides(out, w.stride[0]);
	uint32_t next = 0, old = 0;
	for (uint32_t k = 0; k < out->rank; k++) {
		w.dim[k] = out->dim[k];
		bool new = next < attr_count(x) && attr_int(x, next) == k;
		w.stride[1][k] = new ? 0 : from[old++];
		next += new ? 2 : 0;
	}
	move(f->e, out, arg[0], &w, out->count);
	return true;
}

static bool slice_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	BoxWalk w = {.rank = out->rank};
	int64_t from[RANK_MAX];
	uint32_t n = out->rank;
	eval_strides(arg[0], from);
	eval_strides(out, w.stride[0]);
	for (uint32_t k = 0; k < n; k++) {
		int64_t start, last, step = attr_int(x, 2 * n + k), size = arg[0]->dim[k],
				     length = out->dim[k];
		if (!eval_size(f, x->attr->v[k].u.size, &start)) return false;
		bool far = __builtin_mul_overflow(step, length - 1, &last) ||
			__builtin_add_overflow(start, last, &last);
		bool whole = step < 0 && slice_is_whole(f->e->g, x->attr->v[k].u.size,
			node_dim(x->arg[0], k));
		bool begins = (start >= 0 || whole) && start < size + (step > 0);
		if (far || !begins || (length && (last < 0 || last >= size)))
			return eval_fail(f, ERR_CALL,
				"slice: from %lld, %lld elements by steps of %lld, of an axis of %lld",
				(long long)start, (long long)length, (long long)step, (long long)size);
		w.dim[k] = length;
		w.stride[1][k] = length ? from[k] * step : 0;
		w.at[1] += length ? from[k] * start : 0;
	}
	if (!eval_alloc(f, out)) return false;
	move(f->e, out, arg[0], &w, out->count);
	return true;
}

static bool flip_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	BoxWalk w = {.rank = out->rank};
	eval_strides(arg[0], w.stride[1]);
	eval_strides(out, w.stride[0]);
	memcpy(w.dim, out->dim, sizeof out->dim);
	for (uint32_t i = 0; i < attr_count(x); i++) {
		int64_t k = attr_int(x, i), *s = &w.stride[1][k];
		w.at[1] += *s * (out->dim[k] - 1);
		*s = -*s;
	}
	move(f->e, out, arg[0], &w, out->count);
	return true;
}

/* The data of `out` is zero from the start. */
static bool pad_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	BoxWalk w = {.rank = out->rank};
	uint32_t n = out->rank;
	eval_strides(arg[0], w.stride[1]);
	eval_strides(out, w.stride[0]);
	for (uint32_t k = 0; k < n; k++) {
		int64_t before, after, size = arg[0]->dim[k], step = attr_int(x, 2 * n + k);
		if (!eval_size(f, x->attr->v[k].u.size, &before) ||
			!eval_size(f, x->attr->v[n + k].u.size, &after))
			return false;
		if (before < 0 || after < 0)
			return eval_fail(f, ERR_CALL, "pad: %lld before and %lld after", (long long)before,
				(long long)after);
		if (out->dim[k] != before + after + (size ? (size - 1) * step + 1 : 0))
			return eval_fail(
				f, ERR_INTERNAL, "pad: axis %u has the size %lld", k, (long long)out->dim[k]);
		w.dim[k] = size;
		w.at[0] += w.stride[0][k] * before;
		w.stride[0][k] *= step;
	}
	move(f->e, out, arg[0], &w, arg[0]->count);
	return true;
}

static bool concat_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	int64_t axis = attr_int(x, 0), stride[RANK_MAX], at = 0;
	eval_strides(out, stride);
	for (uint32_t i = 0; i < x->narg; i++) {
		BoxWalk w = {.rank = out->rank};
		for (uint32_t k = 0; k < out->rank; k++)
			if (k != axis && arg[i]->dim[k] != out->dim[k])
				return eval_fail(f, ERR_CALL, "concat: sizes %lld and %lld differ on axis %u",
					(long long)arg[i]->dim[k], (long long)out->dim[k], k);
		memcpy(w.dim, arg[i]->dim, sizeof arg[i]->dim);
		memcpy(w.stride[0], stride, sizeof stride);
		eval_strides(arg[i], w.stride[1]);
		w.at[0] = at;
		move(f->e, out, arg[i], &w, arg[i]->count);
		at += stride[axis] * arg[i]->dim[axis];
	}
	return true;
}

bool eval_view(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	static const Evaluator view[OP_COUNT] = {
		[OP_RESHAPE] = reshape_view,
		[OP_TRANSPOSE] = transpose_view,
		[OP_EXPAND] = expand_view,
		[OP_SLICE] = slice_view,
		[OP_FLIP] = flip_view,
		[OP_PAD] = pad_view,
		[OP_CONCAT] = concat_view,
	};
	bool own = x->op == OP_RESHAPE || x->op == OP_SLICE; /* no memory before its bounds are checked */
	return (own || eval_alloc(f, out)) && view[x->op](f, x, arg, out);
}
