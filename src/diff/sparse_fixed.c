/* sparse_fixed.c - diagonals that have one place along some axes of their node.
 *
 * Nodes with coordinates, elements with a few nodes: arrays with short axes, along which elements come
 * together and apart (a sum over coordinates, a cross product). A diagonal of places as arrays is cut
 * there into one for each place along such an axis, which keeps that place: its value has size 1 there.
 * What other columns read of it is nothing then, without a zero to be computed, and what comes to one
 * column from several is added up.
 *
 * needs: an indexed diagonal that is no list; gives: those of the node, or a list where that is no way
 */
#include "sparse.h"

enum { SHORT_AXIS = 8, FULL = -1 };

static int64_t fixed_at(const Diagonal *d, uint32_t axis)
{
	return d->fixed ? d->fixed[axis] : FULL;
}

static int64_t *fixed_new(const Forms *w, uint32_t rank)
{
	int64_t *f = NEW_ARRAY(w->a, int64_t, rank + 1);
	for (uint32_t i = 0; i <= rank; i++) f[i] = FULL;
	return f;
}

static Node *cut(const Forms *w, Node *x, const int64_t *fixed);

/* Copies are alike: one of them is what is copied. */
static Node *cut_copies(const Forms *w, Node *x, const int64_t *fixed)
{
	const Size *dim[RANK_MAX];
	int64_t axes[RANK_MAX], single[RANK_MAX], inner[RANK_MAX];
	uint32_t n = 0, ones = 0, from = 0, kept = 0;
	for (uint32_t i = 0, k = 0; i < node_rank(x); i++) {
		bool copies = k < attr_count(x) && attr_int(x, k) == i;
		if (copies) k += 2;
		if (copies && fixed[i] != FULL) {
			single[ones++] = i;
			continue;
		}
		if (copies) {
			axes[n] = kept;
			dim[n++] = node_dim(x, i);
		} else {
			inner[from++] = fixed[i];
		}
		kept++;
	}
	Node *y = cut(w, x->arg[0], inner);
	if (y && n) y = expand(w->g, y, n, axes, dim);
	return y && ones ? unsqueeze(w->g, y, ones, single) : y;
}

/* Of places that are computed element by element. */
static Node *cut_operands(const Forms *w, Node *x, const int64_t *fixed)
{
	Node **arg = NEW_ARRAY(w->a, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++)
		if (!(arg[i] = i < node_operands(x) ? cut(w, x->arg[i], fixed) : x->arg[i])) return NULL;
	return node_with(w->g, x, arg, NULL, NULL);
}

/* Of places that an index takes. */
static Node *cut_taken(const Forms *w, Node *x, const int64_t *fixed)
{
	int64_t inner[RANK_MAX + 1], axis = attr_int(x, 0);
	uint32_t r = node_rank(x->arg[1]), n = node_rank(x->arg[0]);
	for (uint32_t i = 0; i < n; i++) inner[i] = fixed[i <= axis ? i : i + r - 1];
	inner[axis] = FULL;
	Node *y = cut(w, x->arg[0], inner), *index = cut(w, x->arg[1], fixed + axis);
	return y && index ? gather(w->g, y, index, axis) : NULL;
}

static bool any_fixed(const int64_t *fixed, uint32_t n)
{
	bool any = false;
	for (uint32_t i = 0; i < n; i++) any |= fixed[i] != FULL;
	return any;
}

/* Of an array of the node's shape what lies at the places that the diagonal has.  Places that are the same
 * are to be the same node, whichever way they came. */
static Node *cut(const Forms *w, Node *x, const int64_t *fixed)
{
	Graph *g = w->g;
	const Size *start[RANK_MAX], *dim[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t n = node_rank(x);
	if (!any_fixed(fixed, n)) return x;
	for (uint32_t i = 0; i < n; i++) {
		start[i] = size_const(g, fixed[i] == FULL ? 0 : fixed[i]);
		dim[i] = fixed[i] == FULL ? node_dim(x, i) : size_const(g, 1);
		step[i] = 1;
	}
	bool places = node_dtype(x) == DT_I64;
	if (x->op == OP_CONST && constant_is_uniform(x)) {
		const Type *t = type_array(g, node_dtype(x), n, dim);
		return t ? node_leaf(g, OP_CONST, x->attr, t) : NULL;
	}
	if (x->op == OP_EXPAND) return cut_copies(w, x, fixed);
	if (places && op_info[x->op].class == MAP) return cut_operands(w, x, fixed);
	if (places && x->op == OP_GATHER) return cut_taken(w, x, fixed);
	return slice(g, x, start, dim, step);
}

Node *at_fixed(const Forms *w, Node *x, const Diagonal *d)
{
	return d->fixed ? cut(w, x, d->fixed) : x;
}

Node *element_places(const Forms *w, Node *places, uint32_t axis, int64_t c)
{
	int64_t *fixed = fixed_new(w, node_rank(places));
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < node_rank(places); i++)
		if (i != axis) dim[n++] = node_dim(places, i);
	fixed[axis] = c;
	return reshaped(w->g, cut(w, places, fixed), n, dim);
}

bool diagonal_listed(const Forms *w, const Type *of, Diagonal *d)
{
	Graph *g = w->g;
	const Size *step[RANK_MAX], *at = size_const(g, 0);
	if (!d->fixed) return true;
	for (uint32_t i = 0; i < of->n; i++) {
		step[i] = stride(g, of, i);
		if (d->fixed[i] != FULL)
			at = size_add(g, at, size_mul(g, step[i], size_const(g, d->fixed[i])));
	}
	d->own = flat(g, places(g, of->n, d->value->type->u.dim, step, at));
	d->value = flat(g, d->value);
	d->other = flat(g, d->other);
	d->fixed = NULL;
	return d->own && d->value && d->other;
}

/* ---- where it is cut ------------------------------------------------------------------------------- */

/* Does the node bring elements together, or apart, along this axis of the operand? */
static bool is_crossed(const Node *x, uint32_t axis)
{
	uint32_t n = node_rank(x->arg[0]);
	switch (x->op) {
	case OP_SUM:
		for (uint32_t j = 0; j < attr_count(x); j++)
			if (attr_int(x, j) == axis) return true;
		return false;
	case OP_PAD:
		return !size_equals(x->attr->v[axis].u.size, 0) ||
			!size_equals(x->attr->v[n + axis].u.size, 0) || x->attr->v[2 * n + axis].u.i != 1;
	case OP_CONCAT: return attr_int(x, 0) == axis;
	default: return false;
	}
}

/* Into how many pieces it goes along an axis; 0: it is a list or has a place there, or too many. */
static uint32_t short_axis(const Diagonal *d, uint32_t axis)
{
	int64_t n;
	bool whole = d->other && !d->own && fixed_at(d, axis) == FULL;
	return whole && size_is(node_dim(d->value, axis), &n) && n > 0 && n <= SHORT_AXIS ? (uint32_t)n : 0;
}

uint32_t pieces_of(const Node *x, uint32_t k, const Diagonal *d, uint32_t *axis)
{
	if (x->type->kind != TYPE_ARRAY) return 0;
	for (*axis = 0; *axis < node_rank(x->arg[k]); ++*axis)
		if (is_crossed(x, *axis) && short_axis(d, *axis)) return short_axis(d, *axis);
	return 0;
}

uint32_t pieces_beside(const Diagonals *all, const Diagonal *d, uint32_t *axis)
{
	for (*axis = 0; d->other && !d->own && *axis < node_rank(d->value); ++*axis)
		for (uint32_t i = 0; i < all->n; i++)
			if (fixed_at(&all->v[i], *axis) != FULL && short_axis(d, *axis))
				return short_axis(d, *axis);
	return 0;
}

bool piece_of(const Forms *w, const Diagonal *d, uint32_t axis, uint32_t c, Diagonal *out)
{
	uint32_t n = node_rank(d->value);
	int64_t *one = fixed_new(w, n), *all = fixed_new(w, n);
	for (uint32_t i = 0; i < n; i++) all[i] = fixed_at(d, i);
	one[axis] = all[axis] = c;
	*out = (Diagonal){NULL, cut(w, d->value, one), cut(w, d->other, one), NULL, all};
	return out->value && out->other;
}

/* ---- through views ------------------------------------------------------------------------------------ */

/* An operator over value and places, and what it makes of the fixed places; NOTHING: no element is left. */
typedef struct FixedMoving {
	const Forms *w;
	Node *x;
	const Diagonal *d;
	int64_t *to;
	Diagonal *out;
} FixedMoving;

static FixedMoved done(const FixedMoving *m, Node *value, Node *other)
{
	bool any = any_fixed(m->to, node_rank(m->x));
	*m->out = (Diagonal){NULL, value, other, NULL, any ? m->to : NULL};
	return value && other ? FIXED : FIXED_FAILED;
}

static FixedMoved same_view(const FixedMoving *m)
{
	Graph *g = m->w->g;
	Node **arg = NEW_ARRAY(m->w->a, Node *, m->x->narg);
	memcpy(arg, m->x->arg, m->x->narg * sizeof *arg);
	arg[0] = m->d->value;
	Node *value = node_with(g, m->x, arg, NULL, NULL);
	arg[0] = m->d->other;
	return done(m, value, value ? node_with(g, m->x, arg, NULL, NULL) : NULL);
}

/* Without axes of which it has one place. */
static FixedMoved without_axes(const FixedMoving *m, uint32_t n, const int64_t *axes)
{
	Node *value = squeeze(m->w->g, m->d->value, n, axes);
	return done(m, value,
		value ? reshaped(m->w->g, m->d->other, node_rank(value), value->type->u.dim) : NULL);
}

static FixedMoved through_slice(const FixedMoving *m)
{
	Graph *g = m->w->g;
	const AttrValue *v = m->x->attr->v;
	uint32_t n = node_rank(m->x);
	const Size *start[RANK_MAX], *dim[RANK_MAX];
	int64_t step[RANK_MAX], from, length;
	for (uint32_t i = 0; i < n; i++) {
		start[i] = v[i].u.size;
		dim[i] = node_dim(m->x, i);
		step[i] = v[2 * n + i].u.i;
		if (m->d->fixed[i] == FULL) continue;
		if (!size_is(start[i], &from) || !size_is(dim[i], &length)) return FIXED_NOT;
		int64_t c = m->d->fixed[i] - from;
		if (c % step[i] || c / step[i] < 0 || c / step[i] >= length) return FIXED_NOTHING;
		m->to[i] = c / step[i];
		start[i] = size_const(g, 0);
		dim[i] = size_const(g, 1);
		step[i] = 1;
	}
	return done(m, slice(g, m->d->value, start, dim, step), slice(g, m->d->other, start, dim, step));
}

/* One place of an axis, or several of one that it has whole. */
static FixedMoved through_gather(const FixedMoving *m)
{
	Graph *g = m->w->g;
	Node *index = m->x->arg[1];
	int64_t axis = attr_int(m->x, 0), c;
	uint32_t n = node_rank(m->d->value), r = node_rank(index);
	for (uint32_t i = 0; i < n; i++)
		if (i != axis) m->to[i < axis ? i : i + r - 1] = m->d->fixed[i];
	if (m->d->fixed[axis] == FULL)
		return done(m, gather(g, m->d->value, index, axis), gather(g, m->d->other, index, axis));
	if (r || !constant_integer(index, &c)) return FIXED_NOT;
	if (c != m->d->fixed[axis]) return FIXED_NOTHING;
	return without_axes(m, 1, &axis);
}

static FixedMoved through_pad(const FixedMoving *m)
{
	const AttrValue *v = m->x->attr->v;
	uint32_t n = node_rank(m->x);
	int64_t before;
	for (uint32_t i = 0; i < n; i++) {
		if (m->d->fixed[i] == FULL && is_crossed(m->x, i)) return FIXED_NOT;
		if (m->d->fixed[i] == FULL) continue;
		if (!size_is(v[i].u.size, &before)) return FIXED_NOT;
		m->to[i] = before + m->d->fixed[i] * v[2 * n + i].u.i;
	}
	return done(m, m->d->value, m->d->other);
}

static FixedMoved through_concat(const FixedMoving *m, uint32_t k)
{
	int64_t axis = attr_int(m->x, 0), n;
	memcpy(m->to, m->d->fixed, node_rank(m->x) * sizeof *m->to);
	if (m->to[axis] == FULL) return FIXED_NOT;
	for (uint32_t i = 0; i < k; i++) {
		if (!size_is(node_dim(m->x->arg[i], (uint32_t)axis), &n)) return FIXED_NOT;
		m->to[axis] += n;
	}
	return done(m, m->d->value, m->d->other);
}

static FixedMoved through_sum(const FixedMoving *m)
{
	int64_t axes[RANK_MAX];
	uint32_t n = 0, kept = 0;
	for (uint32_t i = 0; i < node_rank(m->d->value); i++)
		if (is_crossed(m->x, i) && m->d->fixed[i] == FULL)
			return FIXED_NOT;
		else if (is_crossed(m->x, i))
			axes[n++] = i;
		else
			m->to[kept++] = m->d->fixed[i];
	return without_axes(m, n, axes);
}

static FixedMoved through_expand(const FixedMoving *m)
{
	Graph *g = m->w->g;
	const Size *dim[RANK_MAX];
	int64_t axes[RANK_MAX];
	uint32_t n = 0, from = 0;
	for (uint32_t i = 0; i < node_rank(m->x); i++)
		if (n < attr_count(m->x) / 2 && attr_int(m->x, 2 * n) == i) {
			axes[n] = i;
			dim[n++] = node_dim(m->x, i);
		} else {
			m->to[i] = m->d->fixed[from++];
		}
	return done(m, expand(g, m->d->value, n, axes, dim), expand(g, m->d->other, n, axes, dim));
}

/* Axes of size 1 come and go. */
static FixedMoved through_reshape(const FixedMoving *m)
{
	Graph *g = m->w->g;
	const Type *from = m->x->arg[0]->type, *to = m->x->type;
	const Size *dim[RANK_MAX];
	uint32_t i = 0, k = 0;
	while (i < from->n || k < to->n) {
		if (i < from->n && k < to->n && DIM(from, i) == DIM(to, k)) {
			m->to[k] = m->d->fixed[i];
			dim[k++] = node_dim(m->d->value, i++);
		} else if (k < to->n && size_equals(DIM(to, k), 1)) {
			dim[k++] = size_const(g, 1);
		} else if (i < from->n && size_equals(DIM(from, i), 1)) {
			i++;
		} else {
			return FIXED_NOT;
		}
	}
	return done(m, reshape(g, m->d->value, to->n, dim), reshaped(g, m->d->other, to->n, dim));
}

/* Written at one place of an axis, among zeros or what comes otherwise. */
static FixedMoved through_placed(const FixedMoving *m)
{
	Graph *g = m->w->g;
	int64_t axis = attr_int(m->x, 0), c;
	if (!node_is_scalar(m->x->arg[1]) || !constant_integer(m->x->arg[1], &c) || c < 0) return FIXED_NOT;
	for (uint32_t i = 0; i < node_rank(m->x); i++)
		if (i == axis)
			m->to[i] = c;
		else
			m->to[i] = fixed_at(m->d, i < axis ? i : i - 1);
	return done(m, unsqueeze(g, m->d->value, 1, &axis), unsqueeze(g, m->d->other, 1, &axis));
}

FixedMoved fixed_moved(const Forms *w, Node *x, uint32_t k, const Diagonal *d, Diagonal *out)
{
	FixedMoving m = {w, x, d, fixed_new(w, RANK_MAX), out};
	if (x->op == OP_SCATTER_ADD && k == 2) return through_placed(&m);
	if (!d->fixed) return FIXED_NOT;
	switch (x->op) {
	case OP_SLICE: return through_slice(&m);
	case OP_GATHER: return k ? FIXED_NOT : through_gather(&m);
	case OP_PAD: return through_pad(&m);
	case OP_CONCAT: return through_concat(&m, k);
	case OP_SUM: return through_sum(&m);
	case OP_EXPAND: return through_expand(&m);
	case OP_RESHAPE: return through_reshape(&m);
	case OP_TRANSPOSE:
		for (uint32_t i = 0; i < node_rank(x); i++) m.to[i] = d->fixed[attr_int(x, i)];
		return same_view(&m);
	default: return FIXED_NOT;
	}
}
