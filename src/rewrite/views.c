/* views.c - views met by indices, folds and maps: what reads fewer of them.
 *
 * Needs: a node over normal operands.  Gives: an equal node, or NULL.  Bits
 * stay, but where a fold takes another order (`real`).
 */
#include "rules.h"

/* ---- x[start : : step][k], flip(x)[k] ----------------------------------------------------- */

/* Is element k of a slice of n, if it has one, known to be element start + step*k of what it is taken from,
 * and is that within n only if k is within the slice?  Otherwise the call checks the slice. */
static bool picks(Graph *g, const Size *start, const Size *length, int64_t step, const Size *n, int64_t k)
{
	const Size *one = size_const(g, 1), *zero = size_const(g, 0);
	if (step == 1 && size_add(g, start, length) == n) return size_at_most(g, zero, start);
	const Size *last = size_add(g, start, size_mul(g, size_const(g, step), size_sub(g, length, one)));
	const Size *low = step < 0 ? last : start, *high = step < 0 ? start : last;
	return size_at_most(g, zero, low) && size_at_most(g, size_add(g, high, one), n) &&
		size_at_most(g, size_const(g, k), size_sub(g, length, one));
}

/* A number k known while building: element start + step*k.  (A computed one is checked against the slice.) */
Node *index_slice(Graph *g, Node *s, Node *i, int64_t axis)
{
	uint32_t r = node_rank(s);
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX], k;
	if (!constant_integer(i, &k) || k < 0) return NULL;
	for (uint32_t d = 0; d < r; d++) {
		start[d] = s->attr->v[d].u.size;
		length[d] = node_dim(s, d);
		step[d] = s->attr->v[2 * r + d].u.i;
	}
	if (!picks(g, start[axis], length[axis], step[axis], node_dim(s->arg[0], (uint32_t)axis), k))
		return NULL;
	const Size *at = size_add(g, start[axis], size_mul(g, size_const(g, step[axis]), size_const(g, k)));
	Node *x = gather(g, s->arg[0], cast(g, size_node(g, at), node_dtype(i)), axis);
	for (uint32_t d = (uint32_t)axis; d + 1 < r; d++) {
		start[d] = start[d + 1];
		length[d] = length[d + 1];
		step[d] = step[d + 1];
	}
	return x && r > 1 ? slice(g, x, start, length, step) : x;
}

Node *index_flip(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX], k;
	uint32_t n = 0;
	bool turned = false;
	for (uint32_t d = 0; d < attr_count(f); d++) {
		int64_t a = attr_int(f, d);
		turned |= a == axis;
		if (a != axis) axes[n++] = a - (a > axis);
	}
	if (turned) {
		if (!constant_integer(i, &k) || k < 0) return NULL;
		i = cast(g, size_node(g, size_sub(g, node_dim(f, (uint32_t)axis), size_const(g, k + 1))),
			node_dtype(i));
	}
	Node *x = gather(g, f->arg[0], i, axis);
	return x && n ? flip(g, x, n, axes) : x;
}

/* x[k][i] is x[k[i]], where all of k is known to be within x: otherwise each of its elements is checked, also
 * those that i does not take. */
Node *index_gather(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t first = attr_int(f, 0), rank = node_rank(f->arg[1]);
	if (axis < first || axis >= first + rank) return NULL;
	if (!index_holds(g, f->arg[1], node_dim(f->arg[0], (uint32_t)first))) return NULL;
	Node *at = gather(g, f->arg[1], i, axis - first);
	return at ? gather(g, f->arg[0], at, first) : NULL;
}

/* ---- folds --------------------------------------------------------------------------------- */

/* A fold of axes of size 1 reads one element: they are dropped, the rest is folded. */
static Node *fold_units(Graph *g, Node *x)
{
	Node *y = x->arg[0];
	int64_t axes[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t n = 0, rank = 0;
	for (uint32_t d = 0, k = 0; d < node_rank(y); d++) {
		bool folded = k < attr_count(x) && attr_int(x, k) == d;
		k += folded;
		if (folded && size_equals(node_dim(y, d), 1)) continue;
		if (folded) axes[n++] = rank;
		dim[rank++] = node_dim(y, d);
	}
	if (rank == node_rank(y)) return NULL;
	y = reshape(g, y, rank, dim);
	y = y && n ? fold(g, (Op)x->op, y, n, axes) : y;
	return y ? cast(g, y, node_dtype(x)) : NULL;
}

/* A fold of turned axes is a fold of the axes as they were. */
static Node *fold_turned(Graph *g, Node *x)
{
	Node *t = x->arg[0];
	int64_t axes[RANK_MAX], left[RANK_MAX], order[RANK_MAX];
	uint32_t n = 0, rest = 0;
	for (uint32_t d = 0; d < node_rank(t); d++) {
		bool folded = n < attr_count(x) && attr_int(x, n) == d;
		if (folded)
			axes[n++] = attr_int(t, d);
		else
			left[rest++] = attr_int(t, d);
	}
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j && axes[j - 1] > axes[j]; j--) {
			int64_t a = axes[j];
			axes[j] = axes[j - 1];
			axes[j - 1] = a;
		}
	for (uint32_t i = 0; i < rest; i++) {
		order[i] = 0;
		for (uint32_t j = 0; j < rest; j++) order[i] += left[j] < left[i];
	}
	Node *y = fold(g, (Op)x->op, t->arg[0], n, axes);
	return y ? transpose(g, y, order) : NULL;
}

/* Axes that are folded need not be flipped. */
static Node *fold_flipped(Graph *g, Node *x)
{
	Node *f = x->arg[0];
	int64_t axes[RANK_MAX], folded[RANK_MAX];
	uint32_t n = 0, all = attr_count(f);
	for (uint32_t k = 0; k < attr_count(x); k++) folded[k] = attr_int(x, k);
	for (uint32_t i = 0; i < all; i++) {
		bool goes = false;
		for (uint32_t k = 0; k < attr_count(x); k++) goes |= folded[k] == attr_int(f, i);
		if (!goes) axes[n++] = attr_int(f, i);
	}
	if (n == all) return NULL;
	Node *y = n ? flip(g, f->arg[0], n, axes) : f->arg[0];
	return y ? fold(g, (Op)x->op, y, attr_count(x), folded) : NULL;
}

/* Axes that are folded need not be walked from the end. */
static Node *fold_reversed(Graph *g, Node *x)
{
	Node *s = x->arg[0];
	uint32_t r = node_rank(s), turned = 0;
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX], axes[RANK_MAX];
	for (uint32_t d = 0; d < r; d++) {
		start[d] = s->attr->v[d].u.size;
		step[d] = s->attr->v[2 * r + d].u.i;
	}
	for (uint32_t k = 0; k < attr_count(x); k++) {
		int64_t d = axes[k] = attr_int(x, k);
		const Size *last = size_sub(g, node_dim(s, (uint32_t)d), size_const(g, 1));
		bool begins = slice_is_whole(g, start[d], node_dim(s->arg[0], (uint32_t)d)) ||
			size_at_most(g, size_const(g, 0), start[d]);
		if (step[d] != -1 || !begins) continue; /* the call checks where it begins */
		start[d] = size_sub(g, start[d], last);
		step[d] = 1;
		turned++;
	}
	if (!turned) return NULL;
	Node *y = slice(g, s->arg[0], start, s->type->u.dim, step);
	return y ? fold(g, (Op)x->op, y, attr_count(x), axes) : NULL;
}

/* A fold of all elements does not ask for their shape. */
static Node *fold_reshaped(Graph *g, Node *x)
{
	int64_t axes[RANK_MAX];
	Node *y = x->arg[0]->arg[0];
	uint32_t n = node_rank(y);
	if (attr_count(x) != node_rank(x->arg[0]) || !n || is_sized(x->arg[0]) ||
		type_elements(g, y->type) != type_elements(g, x->arg[0]->type))
		return NULL; /* a shape that the call checks */
	for (uint32_t d = 0; d < n; d++) {
		if (size_equals(node_dim(y, d), 1)) return NULL; /* fold_units took it off */
		axes[d] = d;
	}
	return fold(g, (Op)x->op, y, n, axes);
}

/* `real`: sums may take another order. */
Node *fold_view(Graph *g, Node *x, bool real)
{
	bool any_order = x->op == OP_MAX || x->op == OP_MIN || x->op == OP_ANY || x->op == OP_ALL ||
		dtype_is_integer(node_dtype(x));
	Op view = x->arg[0]->op;
	if (x->op == OP_ARGMAX || x->op == OP_ARGMIN || (!any_order && !real)) return NULL;
	Node *y = fold_units(g, x);
	if (y || x->arg[0]->narg != 1) return y;
	if (view == OP_TRANSPOSE) return fold_turned(g, x);
	if (view == OP_SLICE) return fold_reversed(g, x);
	if (view == OP_FLIP) return fold_flipped(g, x);
	if (view == OP_RESHAPE) return fold_reshaped(g, x);
	return NULL;
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* f(x.T, y.T, 2) is f(x, y, 2).T: turned last, where it meets other views, folds and products. */
Node *lift_transpose(Graph *g, Node *x)
{
	const Node *t = NULL;
	Node *inner[4];
	if (op_info[x->op].class != MAP || !x->narg || x->narg > countof(inner)) return NULL;
	for (uint32_t k = 0; k < x->narg && !t; k++)
		if (x->arg[k]->op == OP_TRANSPOSE) t = x->arg[k];
	if (!t) return NULL;
	const Type *as = t->arg[0]->type;
	for (uint32_t k = 0; k < x->narg; k++) {
		Node *a = x->arg[k];
		if (a->op == OP_TRANSPOSE && a->attr == t->attr)
			inner[k] = a->arg[0];
		else if (a->op == OP_EXPAND && a->narg == 1 && node_is_scalar(a->arg[0]))
			inner[k] = broadcast_to(g, a->arg[0], as->n, as->u.dim);
		else if (a->op == OP_CONST && constant_is_uniform(a))
			inner[k] = node_leaf(
				g, OP_CONST, a->attr, type_array(g, node_dtype(a), as->n, as->u.dim));
		else
			return NULL;
		if (!inner[k]) return NULL;
	}
	Node *y = node_make(g, (Op)x->op, x->attr, x->narg, inner);
	return y ? node_make(g, OP_TRANSPOSE, t->attr, 1, &y) : NULL;
}
