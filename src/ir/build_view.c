/* build_view.c - views: axes put in, taken out, repeated, turned, cut, joined.
 *
 * A view that changes nothing is its operand; a view of a uniform constant is
 * that constant in another shape, where nothing has to be asked for.
 */
#include "build.h"

/* ---- axes -------------------------------------------------------------------------- */

int64_t front_axis(Graph *g, const char *what, int64_t axis, uint32_t rank)
{
	int64_t a = axis < 0 ? axis + rank : axis;
	if (a >= 0 && a < rank) return a;
	if (rank)
		graph_fail(g, ERR_TYPE, "%s: axis %lld of %u axes; wanted %d to %d", what, (long long)axis,
			rank, -(int)rank, (int)rank - 1);
	else
		graph_fail(g, ERR_TYPE, "%s: axis %lld of a scalar, which has none", what, (long long)axis);
	return -1;
}

bool front_axes(Graph *g, const char *what, uint32_t n, const int64_t *axes, uint32_t rank, AttrValue *out)
{
	bool on[RANK_MAX] = {false};
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = front_axis(g, what, axes[i], rank);
		if (a < 0) return false;
		if (on[a]) {
			graph_fail(g, ERR_TYPE, "%s: axis %lld is given twice", what, (long long)axes[i]);
			return false;
		}
		on[a] = true;
	}
	for (uint32_t a = 0, k = 0; a < rank; a++)
		if (on[a]) out[k++] = av_int(a);
	return true;
}

/* ---- shapes ------------------------------------------------------------------------ */

Node *reshape(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	if (!x || rank > RANK_MAX)
		return x
			? graph_fail(g, ERR_TYPE, "reshape: %u axes, at most %d are possible", rank, RANK_MAX)
			: NULL;
	AttrValue v[RANK_MAX];
	bool same = rank == node_rank(x);
	for (uint32_t i = 0; i < rank; i++) {
		if (!dim[i]) return NULL;
		v[i] = av_size(dim[i]);
		same = same && dim[i] == node_dim(x, i);
	}
	if (same) return x;
	const Type *t = type_array(g, node_dtype(x), rank, dim);
	if (x->op == OP_CONST && constant_is_uniform(x) && t &&
		type_elements(g, t) == type_elements(g, x->type))
		return node_leaf(g, OP_CONST, x->attr, t);
	Node *old = x->op == OP_RESHAPE && !is_sized(x) ? x->arg[0] : NULL;
	if (old && old->type == t) return old;
	return build_unary(g, OP_RESHAPE, rank, v, x);
}

Node *sized(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	const Type *t = x ? type_array(g, node_dtype(x), rank, dim) : NULL;
	if (!t || x->type == t) return t ? x : NULL;
	AttrValue v[RANK_MAX + 1];
	for (uint32_t i = 0; i < rank; i++) v[i] = av_size(dim[i]);
	v[rank] = av_int(1);
	return build_unary(g, OP_RESHAPE, rank + 1, v, x);
}

Node *spread_to(Graph *g, const char *what, Node *x, uint32_t rank, const Size *const *dim)
{
	const Type *t = x && rank <= RANK_MAX ? type_array(g, node_dtype(x), rank, dim) : NULL;
	if (!t) return broadcast_to(g, x, rank, dim); /* which says what is wrong */
	for (uint32_t i = 0, r = node_rank(x); r <= rank && i < r; i++) {
		const Size *have = node_dim(x, i), *want = dim[rank - r + i];
		if (!size_equals(have, 1) && sizes_clash(g, have, want))
			return graph_fail(g, ERR_TYPE, "%s: %s does not spread to %s%s", what, type_shown(g, x->type),
				type_shown(g, t), clash_advice(g, want, have));
	}
	return sized(g, broadcast_to(g, x, rank, dim), rank, dim);
}

Node *squeeze(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t r = 0, k = 0;
	if (!x || !front_axes(g, "squeeze", n, axes, node_rank(x), v)) return NULL;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		if (k < n && v[k].u.i == i) {
			k++;
			if (size_differ(g, node_dim(x, i), size_const(g, 1)))
				return graph_fail(g, ERR_TYPE, "squeeze: axis %u of %s is not of size 1", i,
					type_shown(g, x->type));
		} else {
			dim[r++] = node_dim(x, i);
		}
	}
	return reshape(g, x, r, dim);
}

Node *unsqueeze(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	const Size *dim[RANK_MAX];
	if (!x || node_rank(x) + n > RANK_MAX)
		return x ? graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX) : NULL;
	if (!front_axes(g, "new axis", n, axes, node_rank(x) + n, v)) return NULL;
	for (uint32_t i = 0, k = 0, from = 0; i < node_rank(x) + n; i++)
		dim[i] = k < n && v[k].u.i == i ? (k++, size_const(g, 1)) : node_dim(x, from++);
	return reshape(g, x, node_rank(x) + n, dim);
}

Node *expand(Graph *g, Node *x, uint32_t n, const int64_t *axes, const Size *const *sizes)
{
	if (!x || !n) return x;
	if (node_rank(x) + n > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	const Size *by_axis[RANK_MAX] = {0}, *dim[RANK_MAX];
	AttrValue v[2 * RANK_MAX];
	uint32_t rank = node_rank(x) + n, k = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = front_axis(g, "expand", axes[i], rank);
		if (a < 0 || !sizes[i]) return NULL;
		by_axis[a] = sizes[i];
	}
	for (uint32_t i = 0, from = 0; i < rank; i++) {
		if (by_axis[i])
			dim[i] = by_axis[i];
		else if (from < node_rank(x))
			dim[i] = node_dim(x, from++);
		else
			dim[i] = NULL;
		if (!dim[i]) return graph_fail(g, ERR_TYPE, "expand: an axis is given twice");
		if (by_axis[i]) {
			v[k++] = av_int(i);
			v[k++] = av_size(by_axis[i]);
		}
	}
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), rank, dim));
	return build_unary(g, OP_EXPAND, k, v, x);
}

static Node *no_spread(Graph *g, const Node *x, uint32_t rank, const Size *const *dim)
{
	const Type *want = type_array(g, node_dtype(x), rank, dim);
	if (!want) return NULL;
	const char *shown = type_shown(g, want), *sizes = strchr(shown, '[');
	if (sizes && rank != node_rank(x) && type_elements(g, want) == type_elements(g, x->type))
		return graph_fail(g, ERR_TYPE, "%s does not spread to %s; reshape%s(x) has the elements of x",
			type_shown(g, x->type), shown, sizes);
	return graph_fail(g, ERR_TYPE, "%s does not spread to %s", type_shown(g, x->type), shown);
}

Node *broadcast_to(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	if (!x) return NULL;
	uint32_t r = node_rank(x), lead = rank - r;
	if (rank > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	if (r && !rank) return graph_fail(g, ERR_TYPE, "%s: one number was wanted", type_shown(g, x->type));
	if (r > rank)
		return graph_fail(g, ERR_TYPE, "%s does not spread to %u axes", type_shown(g, x->type), rank);
	if (!lead && (!r || !memcmp(x->type->u.dim, dim, r * sizeof *dim))) return x;
	if (x->op == OP_CONST && constant_is_uniform(x)) {
		/* sizes that it has stay: that they are those wanted is asked for by its user */
		const Size *own[RANK_MAX];
		for (uint32_t i = 0; i < rank; i++) own[i] = dim[i];
		for (uint32_t i = 0; i < r; i++) {
			if (size_equals(node_dim(x, i), 1)) continue;
			own[lead + i] = node_dim(x, i);
			if (size_differ(g, own[lead + i], dim[lead + i])) return no_spread(g, x, rank, dim);
		}
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), rank, own));
	}
	int64_t gone[RANK_MAX], axes[RANK_MAX];
	const Size *sizes[RANK_MAX];
	uint32_t ngone = 0, n = 0;
	for (uint32_t i = 0; i < lead; i++) {
		axes[n] = i;
		sizes[n++] = dim[i];
	}
	for (uint32_t i = 0; i < r; i++)
		if (size_equals(node_dim(x, i), 1) && !size_equals(dim[lead + i], 1)) {
			gone[ngone++] = i;
			axes[n] = lead + i;
			sizes[n++] = dim[lead + i];
		} else if (size_differ(g, node_dim(x, i), dim[lead + i])) {
			return no_spread(g, x, rank, dim);
		}
	return expand(g, ngone ? squeeze(g, x, ngone, gone) : x, n, axes, sizes);
}

/* ---- views ----------------------------------------------------------------------------- */

Node *transpose(Graph *g, Node *x, const int64_t *perm)
{
	if (!x) return NULL;
	AttrValue v[RANK_MAX];
	bool same = true;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		v[i] = av_int(perm[i]);
		same = same && perm[i] == i;
	}
	if (!same && x->op == OP_CONST && constant_is_uniform(x)) {
		const Size *dim[RANK_MAX];
		for (uint32_t i = 0; i < node_rank(x); i++)
			dim[i] = perm[i] >= 0 && perm[i] < node_rank(x) ? node_dim(x, (uint32_t)perm[i])
									: NULL;
		for (uint32_t i = 0; i < node_rank(x); i++)
			if (!dim[i]) return build_unary(g, OP_TRANSPOSE, node_rank(x), v, x);
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), node_rank(x), dim));
	}
	return same ? x : build_unary(g, OP_TRANSPOSE, node_rank(x), v, x);
}

Node *turn(Graph *g, Node *x)
{
	if (!x) return NULL;
	uint32_t n = node_rank(x);
	if (n < 2) return graph_fail(g, ERR_TYPE, ".T: %s has fewer than two axes", type_shown(g, x->type));
	int64_t p[RANK_MAX];
	for (uint32_t i = 0; i < n; i++) p[i] = i;
	p[n - 2] = n - 1;
	p[n - 1] = n - 2;
	return transpose(g, x, p);
}

/* SLICE and PAD have two sizes and a step for each axis. */
static Node *step_view(
	Graph *g, Op op, Node *x, const Size *const *first, const Size *const *second, const int64_t *step)
{
	if (!x) return NULL;
	AttrValue v[3 * RANK_MAX];
	uint32_t n = node_rank(x);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!first[i] || !second[i]) return NULL;
		v[i] = av_size(first[i]);
		v[n + i] = av_size(second[i]);
		v[2 * n + i] = av_int(step[i]);
		same = same && size_equals(first[i], 0) && step[i] == 1 &&
			(op == OP_SLICE ? second[i] == node_dim(x, i) : size_equals(second[i], 0));
	}
	return same ? x : build_unary(g, op, 3 * n, v, x);
}

Node *slice(Graph *g, Node *x, const Size *const *start, const Size *const *length, const int64_t *step)
{
	return step_view(g, OP_SLICE, x, start, length, step);
}

Node *pad(Graph *g, Node *x, const Size *const *before, const Size *const *after, const int64_t *step)
{
	return step_view(g, OP_PAD, x, before, after, step);
}

Node *flip(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	if (!x || !front_axes(g, "flip", n, axes, node_rank(x), v)) return NULL;
	return n ? build_unary(g, OP_FLIP, n, v, x) : x;
}

Node *concat(Graph *g, int64_t axis, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	if (!n || args[0]->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "concat: of nothing, or of no arrays");
	axis = front_axis(g, "concat", axis, node_rank(args[0]));
	Dtype d = axis < 0 ? DT_NONE : joint_dtype(g, OP_CONCAT, n, args);
	if (d == DT_NONE) return NULL;
	Node **x = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] = cast(g, args[i], d))) return NULL;
	return n == 1 ? x[0] : node_make(g, OP_CONCAT, attr_ints(g, 1, &axis), n, x);
}

Node *rows(Graph *g, Node *x, const Size *from, const Size *n)
{
	const Size *start[RANK_MAX], *size[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t d = 0; d < node_rank(x); d++) {
		start[d] = d ? size_const(g, 0) : from;
		size[d] = d ? node_dim(x, d) : n;
		step[d] = 1;
	}
	return slice(g, x, start, size, step);
}
