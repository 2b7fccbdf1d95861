/* type_view.c - the types of views, and of elements by computed indices. */
#include "type.h"

/* ---- views ----------------------------------------------------------------------- */

static const Type *reshape_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX] = {0};
	uint32_t n = attr ? attr->n : 0;
	bool each = n && attr->v[n - 1].kind == A_INT; /* axis by axis, see sized() */
	n -= each;
	if (n > RANK_MAX)
		return graph_fail(g, ERR_TYPE, "reshape: %u axes, at most %d are possible", n, RANK_MAX);
	for (uint32_t i = 0; i < n; i++) dim[i] = attr->v[i].u.size;
	const Type *t = type_array(g, node_dtype(x[0]), n, dim);
	bool fits = t && (!each || n == node_rank(x[0])), asks = !g->bodies;
	for (uint32_t i = 0; fits && asks && each && i < n; i++)
		fits = !size_differ(g, dim[i], node_dim(x[0], i));
	if (t && !fits)
		return graph_fail(
			g, ERR_TYPE, "given %s, wanted %s", type_shown(g, x[0]->type), type_shown(g, t));
	if (!t || (!each && asks && size_differ(g, type_elements(g, t), type_elements(g, x[0]->type))))
		return t ? graph_fail(g, ERR_TYPE, "reshape: %s to %s: the numbers of elements differ",
				   type_shown(g, x[0]->type), type_shown(g, t))
			 : NULL;
	return t;
}

static const Type *transpose_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX];
	uint32_t n = node_rank(x[0]), seen = 0;
	if ((attr ? attr->n : 0) != n)
		return graph_fail(g, ERR_TYPE, "transpose: %u axes given for %s", attr ? attr->n : 0,
			type_shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		int64_t p = attr->v[i].u.i;
		if (p < 0 || p >= n || seen >> p & 1)
			return graph_fail(g, ERR_TYPE,
				"transpose: the axes are no permutation of those of %s",
				type_shown(g, x[0]->type));
		seen |= 1u << p;
		dim[i] = node_dim(x[0], (uint32_t)p);
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *expand_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX];
	uint32_t n = node_rank(x[0]) + (attr ? attr->n : 0) / 2, k = 0, from = 0;
	if (n > RANK_MAX)
		return graph_fail(g, ERR_TYPE, "expand: %u axes, at most %d are possible", n, RANK_MAX);
	for (uint32_t i = 0; i < n; i++) {
		if (k + 1 < (attr ? attr->n : 0) && attr->v[k].u.i == i) {
			dim[i] = attr->v[k + 1].u.size;
			k += 2;
		} else if (from < node_rank(x[0])) {
			dim[i] = node_dim(x[0], from++);
		}
	}
	if (k != (attr ? attr->n : 0))
		return graph_fail(g, ERR_TYPE, "expand: axes are not ascending axes of the result of %s",
			type_shown(g, x[0]->type));
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *slice_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX], *zero = size_const(g, 0);
	uint32_t n = node_rank(x[0]);
	if ((attr ? attr->n : 0) != 3 * n)
		return graph_fail(g, ERR_TYPE, "slice: %u attributes for %s", attr ? attr->n : 0,
			type_shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		const Size *start = attr->v[i].u.size, *length = attr->v[n + i].u.size;
		int64_t step = attr->v[2 * n + i].u.i;
		if (step == 0) return graph_fail(g, ERR_TYPE, "slice: a step of 0 on axis %u", i);
		const Size *last = size_add(
			g, start, size_mul(g, size_const(g, step), size_sub(g, length, size_const(g, 1))));
		if (!last) return NULL;
		const Size *high = step > 0 ? last : start, *low = step > 0 ? start : last;
		dim[i] = length;
		if (g->bodies) continue;
		if (size_compare(g, length, zero) == PROOF_LESS)
			return graph_fail(g, ERR_TYPE, "slice: a negative length on axis %u of %s", i,
				type_shown(g, x[0]->type));
		Proof over = size_compare(g, high, node_dim(x[0], i));
		if (size_compare(g, length, zero) == PROOF_GREATER &&
			(size_compare(g, low, zero) == PROOF_LESS || over == PROOF_EQUAL ||
				over == PROOF_GREATER || over == PROOF_GREATER_EQUAL))
			return graph_fail(g, ERR_TYPE,
				"slice: %s elements from %s by steps of %lld leave axis %u of %s",
				size_shown(g, length), size_shown(g, start), (long long)step, i,
				type_shown(g, x[0]->type));
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *pad_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX], *one = size_const(g, 1);
	uint32_t n = node_rank(x[0]);
	if ((attr ? attr->n : 0) != 3 * n)
		return graph_fail(g, ERR_TYPE, "pad: %u attributes for %s", attr ? attr->n : 0,
			type_shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		int64_t step = attr->v[2 * n + i].u.i;
		if (step < 1)
			return graph_fail(g, ERR_TYPE, "pad: a step of %lld on axis %u", (long long)step, i);
		for (uint32_t k = i; k < 2 * n; k += n)
			if (!g->bodies && size_compare(g, attr->v[k].u.size, size_const(g, 0)) == PROOF_LESS)
				return graph_fail(g, ERR_TYPE, "pad: %s zeros %s axis %u of %s",
					size_shown(g, attr->v[k].u.size), k < n ? "before" : "after", i,
					type_shown(g, x[0]->type));
		const Size *inner = node_dim(x[0], i);
		if (step > 1) /* max(0, 1 + step*(n - 1)) */
			inner = size_max(g, size_const(g, 0),
				size_add(g, one, size_mul(g, size_const(g, step), size_sub(g, inner, one))));
		dim[i] = size_add(g, inner, size_add(g, attr->v[i].u.size, attr->v[n + i].u.size));
		if (!dim[i]) return NULL;
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *concat_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	const Size *dim[RANK_MAX];
	if (!n) return graph_fail(g, ERR_TYPE, "concat: of nothing");
	uint32_t rank = node_rank(x[0]), axis = (uint32_t)attr->v[0].u.i;
	if (axis >= rank || !operands_share_dtype(n, x))
		return type_refused(g, OP_CONCAT, "arrays of one dtype with that axis", n, x);
	for (uint32_t i = 0; i < rank; i++) dim[i] = node_dim(x[0], i);
	for (uint32_t k = 1; k < n; k++) {
		if (node_rank(x[k]) != rank) return type_refused(g, OP_CONCAT, "arrays of one rank", n, x);
		for (uint32_t i = 0; i < rank; i++)
			if (i != axis && sizes_clash(g, dim[i], node_dim(x[k], i)))
				return type_refused(g, OP_CONCAT, "equal sizes off the axis", n, x);
		dim[axis] = size_add(g, dim[axis], node_dim(x[k], axis));
	}
	return dim[axis] ? type_array(g, node_dtype(x[0]), rank, dim) : NULL;
}

const Type *view_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i]->type->kind != TYPE_ARRAY) return type_refused(g, op, "an array", n, x);
	switch (op) {
	case OP_RESHAPE: return reshape_type(g, attr, x);
	case OP_TRANSPOSE: return transpose_type(g, attr, x);
	case OP_EXPAND: return expand_type(g, attr, x);
	case OP_SLICE: return slice_type(g, attr, x);
	case OP_PAD: return pad_type(g, attr, x);
	case OP_CONCAT: return concat_type(g, attr, n, x);
	default: break;
	}
	for (uint32_t i = 0; i < (attr ? attr->n : 0); i++) /* FLIP */
		if (attr->v[i].u.i < 0 || attr->v[i].u.i >= node_rank(x[0]))
			return type_refused(g, op, "an array with these axes", n, x);
	return x[0]->type;
}

/* ---- indices ------------------------------------------------------------------------ */

const Type *index_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	const Size *dim[2 * RANK_MAX];
	const Type *t = x[0]->type;
	for (uint32_t i = 0; i < n; i++)
		if (x[i]->type->kind != TYPE_ARRAY) return type_refused(g, op, "arrays", n, x);
	uint32_t r = 0;
	if (op == OP_ONE_HOT) {
		if (!dtype_is_integer(node_dtype(x[0])) || t->n >= RANK_MAX)
			return type_refused(g, op, "an integer array", n, x);
		if (attr->v[1].u.dtype == DT_KEY)
			return graph_fail(
				g, ERR_TYPE, "one_hot: wanted a dtype of numbers, or bool; a key is none");
		for (; r < t->n; r++) dim[r] = DIM(t, r);
		dim[r++] = attr->v[0].u.size;
		return type_array(g, attr->v[1].u.dtype, r, dim);
	}
	if (op == OP_TOP_K) {
		if (!t->n || !(dtype_is_integer(node_dtype(x[0])) || dtype_is_float(node_dtype(x[0]))))
			return type_refused(g, op, "an array of real numbers", n, x);
		if (!g->bodies && size_compare(g, attr->v[0].u.size, DIM(t, t->n - 1)) == PROOF_GREATER)
			return graph_fail(g, ERR_TYPE, "top_k: %s wanted, more than the last axis of %s has",
				size_shown(g, attr->v[0].u.size), type_shown(g, t));
		for (; r + 1 < t->n; r++) dim[r] = DIM(t, r);
		dim[r++] = attr->v[0].u.size;
		return type_tuple(g, 2,
			(const Type *[]){
				type_array(g, node_dtype(x[0]), r, dim), type_array(g, DT_I64, r, dim)});
	}
	uint32_t axis = (uint32_t)attr->v[0].u.i;
	if (axis >= t->n || !dtype_is_integer(node_dtype(x[1])))
		return type_refused(g, op, "an array with that axis and integer indices", n, x);
	for (uint32_t i = 0; i < axis; i++) dim[r++] = DIM(t, i);
	for (uint32_t i = 0; i < node_rank(x[1]); i++) dim[r++] = node_dim(x[1], i);
	for (uint32_t i = axis + 1; i < t->n; i++) dim[r++] = DIM(t, i);
	if (r > RANK_MAX)
		return graph_fail(
			g, ERR_TYPE, "%s: %u axes, at most %d are possible", op_info[op].text, r, RANK_MAX);
	if (op == OP_GATHER) return type_array(g, (Dtype)t->dtype, r, dim);
	if (!scatter_takes(op, (Dtype)t->dtype)) return type_refused(g, op, scatter_wanted(op), n, x);
	bool fits = node_rank(x[2]) == r && node_dtype(x[2]) == (Dtype)t->dtype;
	for (uint32_t i = 0; fits && i < r; i++) fits = !size_differ(g, dim[i], node_dim(x[2], i));
	return fits ? t : type_refused(g, op, "values of the shape that a gather gives", n, x);
}
