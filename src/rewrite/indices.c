/* indices.c - x[i] moved to where less is computed: f(x, y)[i] is f(x[i], y[i]).
 *
 * Needs: an index over a normal operand, and what of the region is needed whole.
 * Gives: an equal node, or NULL: to the bit, but where folds and products take another order of sums
 * (`real`).  Indices that are known while building find their place in slices, concatenations and writes.
 */
#include "rules.h"

/* ---- through operators ------------------------------------------------------------------------ */

static Node *index_expand(Graph *g, Node *e, Node *i, int64_t axis);

/* x[i], where the index is checked if that must be: what repeats along the axis loses it. */
Node *index_at(Graph *g, Node *x, Node *i, int64_t axis)
{
	if (x->op == OP_EXPAND && x->narg == 1) return index_expand(g, x, i, axis);
	if (x->op != OP_CONST || !constant_is_uniform(x)) return gather(g, x, i, axis);
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t d = 0; d < node_rank(x); d++)
		if (d != axis) dim[n++] = node_dim(x, d);
	return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), n, dim));
}

static Node *index_expand(Graph *g, Node *e, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX], inner = axis;
	const Size *size[RANK_MAX];
	uint32_t n = 0, all = attr_count(e) / 2;
	bool gone = false;
	for (uint32_t k = 0; k < all; k++) {
		int64_t a = attr_int(e, 2 * k);
		if (a == axis) {
			gone = true;
			continue;
		}
		inner -= a < axis;
		axes[n] = a - (a > axis);
		size[n++] = node_dim(e, (uint32_t)a);
	}
	Node *x = gone ? e->arg[0] : index_at(g, e->arg[0], i, inner);
	return x && n ? expand(g, x, n, axes, size) : x;
}

/* An index that is not known to be within is checked where it is used.  Is x[i] such a place?  Not where x
 * repeats. */
bool checks_index(Graph *g, const Node *x, Node *i, int64_t axis)
{
	if (index_holds(g, i, node_dim(x, (uint32_t)axis))) return true;
	for (; x->op == OP_EXPAND; x = x->arg[0]) {
		int64_t inner = axis;
		for (uint32_t k = 0; k < attr_count(x); k += 2) {
			if (attr_int(x, k) == axis) return false;
			inner -= attr_int(x, k) < axis;
		}
		axis = inner;
	}
	return x->op != OP_CONST || !constant_is_uniform(x);
}

static Node *index_map(Graph *g, Node *f, Node *i, int64_t axis)
{
	Node *arg[4];
	bool checked = false;
	if (f->narg > countof(arg) || !f->narg) return NULL;
	for (uint32_t k = 0; k < f->narg; k++) checked |= checks_index(g, f->arg[k], i, axis);
	for (uint32_t k = 0; k < f->narg; k++)
		if (!checked || !(arg[k] = index_at(g, f->arg[k], i, axis))) return NULL;
	return node_make(g, (Op)f->op, f->attr, f->narg, arg);
}

static Node *index_fold(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX], at = unfolded_axis(f, axis);
	uint32_t n = attr_count(f);
	for (uint32_t k = 0; k < n; k++) axes[k] = attr_int(f, k) - (attr_int(f, k) > at);
	if (!checks_index(g, f->arg[0], i, at)) return NULL;
	Node *x = index_at(g, f->arg[0], i, at);
	return x ? fold(g, (Op)f->op, x, n, axes) : NULL;
}

static Node *index_contract(Graph *g, Node *c, Node *i, int64_t axis)
{
	Labels s = labels_of(c->attr);
	int64_t label = s.l[2][axis];
	Node *arg[2] = {c->arg[0], c->arg[1]};
	bool checked = false;
	labels_drop(&s, 2, (uint32_t)axis);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s.n[side]; k++)
			checked |= s.l[side][k] == label && checks_index(g, arg[side], i, k);
	if (!checked) return NULL;
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = s.n[side]; k-- > 0;) {
			if (s.l[side][k] != label) continue;
			if (!(arg[side] = index_at(g, arg[side], i, k))) return NULL;
			labels_drop(&s, side, k);
		}
	return contract_as(g, &s, arg[0], arg[1]);
}

static Node *index_transpose(Graph *g, Node *t, Node *i, int64_t axis)
{
	int64_t perm[RANK_MAX], from = attr_int(t, (uint32_t)axis);
	uint32_t n = 0;
	for (uint32_t k = 0; k < node_rank(t); k++)
		if (k != axis) perm[n++] = attr_int(t, k) - (attr_int(t, k) > from);
	if (!checks_index(g, t->arg[0], i, from)) return NULL;
	Node *x = index_at(g, t->arg[0], i, from);
	return x ? transpose(g, x, perm) : NULL;
}

/* Off the axis of a concatenation each part is indexed. */
static Node *index_parts(Graph *g, Node *c, Node *i, int64_t axis)
{
	Node **part = NEW_ARRAY(g->arena, Node *, c->narg);
	bool checked = false;
	for (uint32_t k = 0; k < c->narg; k++) checked |= checks_index(g, c->arg[k], i, axis);
	for (uint32_t k = 0; k < c->narg; k++)
		if (!checked || !(part[k] = index_at(g, c->arg[k], i, axis))) return NULL;
	return concat(g, attr_int(c, 0) - (attr_int(c, 0) > axis), c->narg, part);
}

/* Is it a reshape that only adds or drops axes of size 1, the indexed one none of them?  *inner: that axis of
 * the operand. */
static bool keeps_axis(const Node *r, int64_t axis, int64_t *inner)
{
	const Node *y = r->arg[0];
	uint32_t i = 0;
	*inner = -1;
	if (r->narg > 1 || is_sized(r)) return false;
	for (uint32_t d = 0; d < node_rank(r); d++) {
		if (size_equals(node_dim(r, d), 1)) continue;
		while (i < node_rank(y) && size_equals(node_dim(y, i), 1)) i++;
		if (i == node_rank(y) || node_dim(y, i) != node_dim(r, d)) return false;
		if (d == axis) *inner = i;
		i++;
	}
	return *inner >= 0;
}

static uint32_t dims_without(const Type *t, int64_t axis, const Size **dim)
{
	uint32_t n = 0;
	for (uint32_t d = 0; d < t->n; d++)
		if (d != axis) dim[n++] = DIM(t, d);
	return n;
}

static Node *index_reshape(Graph *g, Node *r, Node *i, int64_t axis)
{
	const Size *dim[RANK_MAX];
	int64_t inner;
	if (!keeps_axis(r, axis, &inner) || !checks_index(g, r->arg[0], i, inner)) return NULL;
	uint32_t n = dims_without(r->type, axis, dim);
	return reshape(g, index_at(g, r->arg[0], i, inner), n, dim);
}

/* A softmax, or a sum along an axis, of one place of another axis. */
static Node *index_apart(Graph *g, Node *f, Node *i, int64_t axis, int64_t apart)
{
	if (!checks_index(g, f->arg[0], i, axis)) return NULL;
	return apart_over(g, f, index_at(g, f->arg[0], i, axis), apart - (apart > axis));
}

/* ---- places known while building -------------------------------------------------------------- */

/* The number or size that an index is; NULL: it is computed. */
const Size *known_index(Graph *g, Node *i)
{
	return node_is_scalar(i) && (i->op == OP_CONST || i->op == OP_SIZE) ? size_of_node(g, i) : NULL;
}

static Node *index_place(Graph *g, Node *x, const Size *k, int64_t axis)
{
	return k ? gather(g, x, size_node(g, k), axis) : NULL;
}

/* x[start : : step][k]; the call asks for what it asked of both, or this is refused.  (An index that is
 * computed is checked against the slice.) */
static Node *index_slice(Graph *g, Node *s, const Size *k, int64_t axis)
{
	uint32_t r = node_rank(s);
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t d = 0, n = 0; d < r; d++) {
		if (d == axis) continue;
		start[n] = s->attr->v[d].u.size;
		length[n] = node_dim(s, d);
		step[n++] = s->attr->v[2 * r + d].u.i;
	}
	const Size *by = size_const(g, s->attr->v[2 * r + (uint32_t)axis].u.i);
	const Size *at = size_add(g, s->attr->v[axis].u.size, size_mul(g, by, k));
	Node *x = index_place(g, s->arg[0], at, axis);
	return x && r > 1 ? slice(g, x, start, length, step) : x;
}

static Node *index_flip(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX];
	uint32_t n = 0;
	bool turned = false;
	for (uint32_t d = 0; d < attr_count(f); d++) {
		int64_t a = attr_int(f, d);
		turned |= a == axis;
		if (a != axis) axes[n++] = a - (a > axis);
	}
	if (turned) {
		const Size *k = known_index(g, i);
		if (!k) return NULL;
		k = size_sub(g, node_dim(f, (uint32_t)axis), size_add(g, k, size_const(g, 1)));
		i = size_node(g, k);
	}
	Node *x = gather(g, f->arg[0], i, axis);
	return x && n ? flip(g, x, n, axes) : x;
}

/* The part of a concatenation in which the place is known to lie. */
static Node *index_concat(Graph *g, Node *c, const Size *k, int64_t axis)
{
	const Size *at = size_const(g, 0), *next = size_add(g, k, size_const(g, 1));
	for (uint32_t p = 0; p < c->narg; p++) {
		const Size *end = size_add(g, at, node_dim(c->arg[p], (uint32_t)axis));
		if (!size_at_most(g, at, k)) return NULL;
		if (size_at_most(g, next, end)) return index_place(g, c->arg[p], size_sub(g, k, at), axis);
		at = end;
	}
	return NULL;
}

/* A place between zeros, or a zero; along another axis each place. */
static Node *index_pad(Graph *g, Node *p, Node *i, int64_t axis)
{
	uint32_t r = node_rank(p), n = 0;
	const Size *before[RANK_MAX], *after[RANK_MAX], *dim[RANK_MAX], *k = known_index(g, i);
	const Size *from = p->attr->v[axis].u.size, *length = node_dim(p->arg[0], (uint32_t)axis);
	int64_t apart[RANK_MAX];
	for (uint32_t d = 0; d < r; d++) {
		if (d == axis) continue;
		before[n] = p->attr->v[d].u.size;
		after[n] = p->attr->v[r + d].u.size;
		apart[n++] = attr_int(p, 2 * r + d);
	}
	if (length == node_dim(p, (uint32_t)axis))
		return pad(g, gather(g, p->arg[0], i, axis), before, after, apart);
	if (!k || attr_int(p, 2 * r + (uint32_t)axis) != 1 || !index_holds(g, i, node_dim(p, (uint32_t)axis)))
		return NULL;
	const Size *place = size_sub(g, k, from), *next = size_add(g, place, size_const(g, 1));
	if (size_at_most(g, next, size_const(g, 0)) || size_at_most(g, length, place))
		return constant_int(
			g, type_array(g, node_dtype(p), dims_without(p->type, axis, dim), dim), 0);
	if (!size_at_most(g, size_const(g, 0), place) || !size_at_most(g, next, length)) return NULL;
	return pad(g, index_place(g, p->arg[0], place, axis), before, after, apart);
}

/* Along its own axis a cumulative sum is a sum of what comes before, log_softmax needs one sum. */
static Node *index_along(Graph *g, Node *f, Node *i, int64_t axis)
{
	Node *x = f->arg[0];
	const Size *start[RANK_MAX], *length[RANK_MAX], *k = known_index(g, i);
	int64_t step[RANK_MAX];
	if (f->op != OP_CUMSUM) {
		if (strcmp(library_name(f), "log_softmax")) return NULL;
		return build2(g, OP_SUB, gather(g, x, i, axis), fold(g, OP_LOGSUMEXP, x, 1, &axis));
	}
	if (!k || !index_holds(g, i, node_dim(x, (uint32_t)axis))) return NULL;
	for (uint32_t d = 0; d < node_rank(x); d++) {
		start[d] = size_const(g, 0);
		length[d] = d == axis ? size_add(g, k, size_const(g, 1)) : node_dim(x, d);
		step[d] = 1;
	}
	return fold(g, OP_SUM, slice(g, x, start, length, step), 1, &axis);
}

/* ---- indices of indices ------------------------------------------------------------------------- */

/* x[k][i] is x[k[i]], where all of k is known to be within x: otherwise each of its elements is checked, also
 * those that i does not take.  One place of another axis is taken first. */
static Node *index_gather(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t first = attr_int(f, 0), rank = node_rank(f->arg[1]);
	bool before = axis < first;
	if (axis >= first && axis < first + rank) {
		if (!index_holds(g, f->arg[1], node_dim(f->arg[0], (uint32_t)first))) return NULL;
		return gather(g, f->arg[0], gather(g, f->arg[1], i, axis - first), first);
	}
	bool stays =
		axis_apart(g, f->arg[0]) == first; /* a place along a softmax: the other one goes inwards */
	if ((!rank && !stays) || !node_is_scalar(i)) return NULL;
	return gather(g, gather(g, f->arg[0], i, before ? axis : axis - rank + 1), f->arg[1], first - before);
}

static bool row_of_data(Graph *g, const Node *i, IndexRow *r)
{
	if (constant_is_uniform(i) || node_dtype(i) != DT_I64 || node_rank(i) != 1) return false;
	const int64_t *at = constant_bytes(i);
	size_t n = i->attr->v[0].u.data->bytes / sizeof *at;
	if (n < 2 || __builtin_sub_overflow(at[1], at[0], &r->step) || !r->step) return false;
	for (size_t k = 2; k < n; k++) {
		int64_t step;
		if (__builtin_sub_overflow(at[k], at[k - 1], &step) || step != r->step) return false;
	}
	r->first = at[0];
	r->length = size_const(g, (int64_t)n);
	return true;
}

/* 2*iota + 1 and what else it is made of with numbers. */
bool row_of(Graph *g, const Node *i, IndexRow *r)
{
	int64_t k;
	if (i->op == OP_CONST) return row_of_data(g, i, r);
	if (i->op == OP_IOTA) {
		*r = (IndexRow){0, 1, node_dim(i, 0)};
		return true;
	}
	if ((i->op != OP_ADD && i->op != OP_SUB && i->op != OP_MUL) || node_dtype(i) != DT_I64) return false;
	bool first = i->arg[0]->op == OP_CONST;
	const Node *number = i->arg[!first];
	if (number->op != OP_CONST || !constant_is_uniform(number) || !constant_integer(number, &k))
		return false;
	if (!row_of(g, i->arg[first], r) || k > INT32_MAX || k < -INT32_MAX) return false;
	if (i->op == OP_MUL || (i->op == OP_SUB && first)) {
		int64_t by = i->op == OP_MUL ? k : -1;
		if (!by || __builtin_mul_overflow(r->first, by, &r->first) ||
			__builtin_mul_overflow(r->step, by, &r->step))
			return false;
	}
	if (i->op == OP_MUL) return true;
	return !__builtin_add_overflow(r->first, i->op == OP_SUB && !first ? -k : k, &r->first);
}

/* x[2*iota + 1], x[[1, 3, 5]]: a slice, where that is known to be within x. */
static Node *index_row(Graph *g, Node *x)
{
	Node *v = x->arg[0];
	int64_t axis = attr_int(x, 0), step[RANK_MAX];
	const Size *start[RANK_MAX], *size[RANK_MAX], *zero = size_const(g, 0), *one = size_const(g, 1);
	IndexRow r;
	if (node_rank(x->arg[1]) != 1 || !row_of(g, x->arg[1], &r)) return NULL;
	const Size *last = size_add(
		g, size_const(g, r.first), size_mul(g, size_const(g, r.step), size_sub(g, r.length, one)));
	const Size *low = r.step < 0 ? last : size_const(g, r.first);
	const Size *high = r.step < 0 ? size_const(g, r.first) : last;
	const Size *end = node_dim(v, (uint32_t)axis);
	if (!size_at_most(g, zero, low) || !size_at_most(g, size_add(g, high, one), end)) return NULL;
	for (uint32_t d = 0; d < node_rank(v); d++) {
		start[d] = d == axis ? size_const(g, r.first) : zero;
		step[d] = d == axis ? r.step : 1;
		size[d] = d == axis ? r.length : node_dim(v, d);
	}
	return slice(g, v, start, size, step);
}

/* iota[n]()[i] is i, where something checks it: as an index of n places, or because it is known. */
static Node *index_count(Graph *g, Node *x)
{
	Node *f = x->arg[0], *i = x->arg[1];
	if (f->op == OP_IOTA) return index_holds(g, i, node_dim(f, 0)) ? i : NULL;
	bool counted = i->op == OP_GATHER && i->arg[0]->op == OP_IOTA &&
		node_dim(i->arg[0], 0) == node_dim(f, (uint32_t)attr_int(x, 0));
	return counted ? gather(g, f, i->arg[1], attr_int(x, 0)) : NULL;
}

/* A row of one_hot; a column of a unit matrix is its row. */
static Node *index_one_hot(Graph *g, Node *f, Node *i, int64_t axis)
{
	Node *at = gather(g, f->arg[0], i, axis + 1 < node_rank(f) ? axis : 0);
	return at ? node_make(g, OP_ONE_HOT, f->attr, 1, &at) : NULL;
}

/* The one place of an axis of size 1. */
static Node *index_unit(Graph *g, Node *x)
{
	const Size *dim[RANK_MAX];
	int64_t axis = attr_int(x, 0), k;
	if (!size_equals(node_dim(x->arg[0], (uint32_t)axis), 1) || !constant_integer(x->arg[1], &k) || k)
		return NULL;
	return reshape(g, x->arg[0], dims_without(x->arg[0]->type, axis, dim), dim);
}

Node *move_index(Graph *g, Node *x, const Moves *m)
{
	Node *f = x->arg[0], *i = x->arg[1], *y;
	bool real = m->laws & 1u << LAW_REAL, scalar = node_is_scalar(i);
	int64_t axis = attr_int(x, 0), apart;
	if ((y = index_count(g, x)) || (y = read_written(g, x))) return y;
	bool alone = scalar ? !needed_whole(m->needs, f) : !needed_twice(m->needs, f);
	if (f->op == OP_GATHER && alone) return index_gather(g, f, i, axis);
	if (!scalar) return real && (y = pairs_of_product(g, x, m)) ? y : index_row(g, x);
	if ((y = index_unit(g, x))) return y;
	const Size *k = known_index(g, i);
	if (k && (y = pass_of_trace(g, x, k, m))) return y;
	if (f->op == OP_SLICE) return k ? index_slice(g, f, k, axis) : NULL;
	if (f->op == OP_FLIP) return index_flip(g, f, i, axis);
	if (f->op == OP_PAD) return f->narg == 1 ? index_pad(g, f, i, axis) : NULL;
	if (f->op == OP_CONCAT && attr_int(f, 0) == axis) return k ? index_concat(g, f, k, axis) : NULL;
	if (f->op == OP_RESHAPE) return index_reshape(g, f, i, axis);
	if (f->op == OP_ONE_HOT && (axis + 1 < node_rank(f) || is_identity(f)))
		return index_one_hot(g, f, i, axis);
	bool whole = needed_whole(m->needs, f);
	bool lanes = (real || f->op == OP_CUMSUM) && (!whole || !needed_twice(m->needs, f));
	if (lanes && (apart = axis_apart(g, f)) >= 0) {
		if (apart != axis) return index_apart(g, f, i, axis, apart);
		return real ? index_along(g, f, i, axis) : NULL;
	}
	if (whole) return NULL;
	if (!real && (f->op == OP_CONTRACT || op_info[f->op].class == FOLD))
		return NULL; /* another order of sums */
	switch ((Op)f->op) {
	case OP_EXPAND:
		return f->narg == 1 && checks_index(g, f, i, axis) ? index_expand(g, f, i, axis) : NULL;
	case OP_TRANSPOSE: return index_transpose(g, f, i, axis);
	case OP_CONCAT: return index_parts(g, f, i, axis);
	case OP_CONTRACT: return index_contract(g, f, i, axis);
	default: break;
	}
	if (op_info[f->op].class == FOLD) return index_fold(g, f, i, axis);
	return op_info[f->op].class == MAP ? index_map(g, f, i, axis) : NULL;
}
