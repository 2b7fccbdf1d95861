/* indices.c - lanes of elements by computed indices.
 *
 * What an index takes that counts the lanes (2*i + 1, i the lane) is a slice.  Where what is looked into has
 * lanes too, both axes become one, and the index counts through it: lane*size + index, each index having been
 * looked up in the iota of its axis, so that one that is outside is found and no other lane's element taken.
 */
#include "lanes.h"

/* ---- indices that count -------------------------------------------------------------------------- */

/* start + step*lane */
typedef struct Count {
	const Size *start;
	int64_t step;
} Count;

static Node *without_casts(Node *x)
{
	while (x->op == OP_CAST && (node_dtype(x) == DT_I64 || node_dtype(x) == DT_WEAK_INT) &&
		(node_dtype(x->arg[0]) == DT_I64 || node_dtype(x->arg[0]) == DT_WEAK_INT))
		x = x->arg[0];
	return x;
}

static bool counts(const Batch *b, Node *x, Count *c);

/* The sum of two, the second times 1 or -1. */
static bool sum_counts(const Batch *b, Node *const *x, int64_t sign, Count *c)
{
	Count y[2];
	if (!counts(b, x[0], &y[0]) || !counts(b, x[1], &y[1])) return false;
	const Size *more = size_mul(b->g, size_const(b->g, sign), y[1].start);
	c->start = size_add(b->g, y[0].start, more);
	return c->start && !__builtin_mul_overflow(sign, y[1].step, &c->step) &&
		!__builtin_add_overflow(y[0].step, c->step, &c->step);
}

static bool product_counts(const Batch *b, Node *const *x, Count *c)
{
	Count y[2];
	int64_t factor;
	if (!counts(b, x[0], &y[0]) || !counts(b, x[1], &y[1])) return false;
	for (int k = 0; k < 2; k++) {
		if (y[!k].step || !size_is(y[!k].start, &factor)) continue;
		c->start = size_mul(b->g, y[k].start, y[!k].start);
		return c->start && !__builtin_mul_overflow(factor, y[k].step, &c->step);
	}
	return false;
}

/* Is x, an index of [n], one that counts? */
static bool counts(const Batch *b, Node *x, Count *c)
{
	x = without_casts(x);
	if (x->op == OP_IOTA) {
		*c = (Count){size_const(b->g, 0), 1};
		return true;
	}
	if (x->op == OP_EXPAND && node_is_scalar(x->arg[0])) x = without_casts(x->arg[0]);
	if (node_is_scalar(x) || x->op == OP_CONST) {
		int64_t value;
		if (x->op == OP_SIZE && x->narg == 0)
			*c = (Count){x->attr->v[0].u.size, 0};
		else if (constant_integer(x, &value))
			*c = (Count){size_const(b->g, value), 0};
		else
			return false;
		return true;
	}
	switch (x->op) {
	case OP_ADD: return sum_counts(b, x->arg, 1, c);
	case OP_SUB: return sum_counts(b, x->arg, -1, c);
	case OP_MUL: return product_counts(b, x->arg, c);
	default: return false;
	}
}

/* x at start + step*lane along an axis, the lanes in its place; NULL without an error: not proved to be
 * there. */
static Node *counted_slice(const Batch *b, Node *x, int64_t axis, const Count *c)
{
	Graph *g = b->g;
	const Size *start[RANK_MAX], *length[RANK_MAX], *zero = size_const(g, 0), *one = size_const(g, 1);
	int64_t step[RANK_MAX];
	if (!c->step || c->step == INT64_MIN) return NULL;
	const Size *way = size_mul(g, size_const(g, c->step), size_sub(g, b->n, one)),
		   *last = size_add(g, c->start, way);
	const Size *low = c->step > 0 ? c->start : last, *high = c->step > 0 ? last : c->start;
	if (!last || !size_holds(g, zero, low, false) ||
		!size_holds(g, size_add(g, high, one), node_dim(x, (uint32_t)axis), false))
		return NULL;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		bool here = i == axis;
		start[i] = here ? c->start : zero;
		length[i] = here ? b->n : node_dim(x, i);
		step[i] = here ? c->step : 1;
	}
	return slice(g, x, start, length, step);
}

/* ---- flat indices ----------------------------------------------------------------------------------- */

/* An index of an axis of n, checked: what is outside is an error here. */
static Node *checked(Graph *g, Node *index, const Size *n)
{
	return index && !index_holds(g, index, n) ? gather(g, iota(g, n), index, 0) : index;
}

/* The number of each lane, or of its row, in the shape of these lanes. */
static Node *lane_numbers(const Batch *b, Node *row, const Node *like)
{
	int64_t axis[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 1; i < node_rank(like); i++) axis[n++] = i;
	return expand(b->g, row ? row : iota(b->g, b->n), n, axis, like->type->u.dim + 1);
}

/* high*size + low */
static Node *joined(Graph *g, Node *high, const Size *size, Node *low)
{
	return high && low ? build2(g, OP_ADD, build2(g, OP_MUL, high, size_node(g, size)), low) : NULL;
}

/* The first n axes as one. */
static Node *merged(Graph *g, Node *x, uint32_t n)
{
	const Size *dim[RANK_MAX] = {size_const(g, 1)};
	if (!x) return NULL;
	for (uint32_t i = 0; i < n; i++) dim[0] = size_mul(g, dim[0], node_dim(x, i));
	for (uint32_t i = n; i < node_rank(x); i++) dim[i - n + 1] = node_dim(x, i);
	return reshape(g, x, node_rank(x) - n + 1, dim);
}

/* ---- gather -------------------------------------------------------------------------------------------- */

/* The lanes' axis to the front, from where the axes of an index stand. */
static Node *lanes_to_front(Graph *g, Node *x, int64_t axis)
{
	return axes_first(g, x, 1, &axis);
}

static Node *gather_shared(const Batch *b, Node *x, Node *index, int64_t axis)
{
	Count c;
	Node *y = node_rank(index) == 1 && counts(b, index, &c) ? counted_slice(b, x, axis, &c) : NULL;
	if (b->g->error.code) return NULL;
	return lanes_to_front(b->g, y ? y : gather(b->g, x, index, axis), axis);
}

/* row: which of the rows of x each lane has; NULL: its own. */
static Node *gather_lanes(const Batch *b, Node *x, Node *row, Node *index, int64_t axis)
{
	Graph *g = b->g;
	const Size *d = node_dim(x, (uint32_t)axis + 1);
	uint32_t more = node_rank(index) - 1;
	int64_t place[RANK_MAX];
	Node *flat = joined(g, lane_numbers(b, row, index), d, checked(g, index, d));
	Node *y = gather(g, merged(g, axes_first(g, x, 2, (int64_t[]){0, axis + 1}), 2), flat, 0);
	if (!y) return NULL;
	/* [n, index..., others...] to [n, before..., index..., after...] */
	for (uint32_t i = 0; i < node_rank(y); i++) place[i] = i;
	for (uint32_t i = 0; i < axis; i++) place[1 + i] = 1 + more + i;
	for (uint32_t i = 0; i < more; i++) place[1 + axis + i] = 1 + i;
	return transpose(g, y, place);
}

bool can_mask(const Batch *b, Node *x)
{
	if (x->op != OP_GATHER || !node_is_scalar(x->arg[1])) return false;
	const Size *d = node_dim(x->arg[0], (uint32_t)attr_int(x, 0));
	return size_holds(b->g, size_const(b->g, 1), d, false) || size_holds(b->g, b->n, d, false);
}

bool wants_mask(const Batch *b, Node *x)
{
	return can_mask(b, x) &&
		!index_holds(b->g, x->arg[1], node_dim(x->arg[0], (uint32_t)attr_int(x, 0)));
}

bool is_masked(const Batch *b, Node *x)
{
	return b->takes && wants_mask(b, x);
}

/* Those of an element's index; NULL: all have the same. */
static Node *index_lanes(const Batch *b, Node *x)
{
	if (!is_masked(b, x)) return lanes_of(b, x->arg[1]);
	Node *lanes = all_lanes(b, x->arg[1]);
	return lanes ? choose(b, b->takes, lanes, constant_int(b->g, lanes->type, 0)) : NULL;
}

/* Elements of an array by one index after another, of different axes: x[i, j].  What all lanes share is taken
 * first, and the others by one index of all their axes, of which that of the lanes is one where the array has
 * some. */
typedef struct Links {
	Node *base;
	const Stood *stood; /* of the base, if it is stood in for */
	uint32_t n;
	struct Link {
		Node *index;
		bool lanes;   /* that of each lane */
		bool row;     /* the lane's own, or which it sees: it is one */
		int64_t axis; /* of the base */
	} link[RANK_MAX + 1];
} Links;

/* Has it lanes that were made here, of its operands' ones?  What a body captures was made outside. */
static bool is_of_lanes(const Batch *b, const Node *x)
{
	return has_lanes(b, x) && idmap_get(&b->done, x->arg[0]->id) && idmap_get(&b->done, x->arg[1]->id);
}

/* From the last index down to what is no element by one index; false: there is no such chain. */
static bool read_links(const Batch *b, Node *x, Links *c)
{
	int64_t axis[RANK_MAX];
	bool gone[RANK_MAX] = {0};
	uint32_t lanes = 0, n = 0;
	Node *y = x;
	while (y->op == OP_GATHER && node_is_scalar(y->arg[1]) && (y == x || is_of_lanes(b, y))) {
		Node *index = index_lanes(b, y);
		lanes += index != NULL;
		c->link[n] = (struct Link){index ? index : y->arg[1], index != NULL, false, 0};
		axis[n++] = attr_int(y, 0);
		y = y->arg[0];
	}
	if (n < 2 || !lanes) return false;
	c->stood = stood_of(b, y);
	c->base = c->stood ? c->stood->own : lanes_of(b, y);
	if (!c->base) c->base = y;
	c->n = n;
	while (n--) {
		uint32_t at = 0;
		for (int64_t left = axis[n]; gone[at] || left; at++) left -= !gone[at];
		gone[at] = true;
		c->link[n].axis = at + (c->base != y);
	}
	Node *row = c->stood && c->stood->row ? c->stood->row : iota(b->g, b->n);
	if (c->base != y) c->link[c->n++] = (struct Link){row, true, true, 0};
	return true;
}

/* Link k is applied: axes behind its own are one less. */
static void drop_link(Links *c, uint32_t k)
{
	int64_t axis = c->link[k].axis;
	c->n--;
	for (uint32_t i = k; i < c->n; i++) c->link[i] = c->link[i + 1];
	for (uint32_t i = 0; i < c->n; i++) c->link[i].axis -= c->link[i].axis > axis;
}

static void sort_by_axis(Links *c)
{
	for (uint32_t i = 1; i < c->n; i++)
		for (uint32_t k = i; k && c->link[k].axis < c->link[k - 1].axis; k--) {
			struct Link l = c->link[k];
			c->link[k] = c->link[k - 1];
			c->link[k - 1] = l;
		}
}

static Node *gather_links(const Batch *b, Links *c)
{
	Graph *g = b->g;
	Node *x = c->base, *flat = NULL;
	int64_t axis[RANK_MAX];
	for (uint32_t k = c->n; x && k-- > 0;)
		if (!c->link[k].lanes) {
			x = gather(g, x, c->link[k].index, c->link[k].axis);
			drop_link(c, k);
		}
	if (!x || c->n == 1) return x ? gather_shared(b, x, c->link[0].index, c->link[0].axis) : NULL;
	sort_by_axis(c);
	for (uint32_t k = 0; k < c->n; k++) {
		const Size *d = node_dim(x, (uint32_t)c->link[k].axis);
		Node *at = c->link[k].row ? c->link[k].index : checked(g, c->link[k].index, d);
		flat = k ? joined(g, flat, d, at) : at;
		axis[k] = c->link[k].axis;
	}
	return gather(g, merged(g, axes_first(g, x, c->n, axis), c->n), flat, 0);
}

/* Of what is stood in for: by an index that all lanes share it is so still, by one of each it is read. */
static Node *gather_stood(const Batch *b, const Stood *s, Node *x, Node *index, Known *out)
{
	int64_t axis = attr_int(x, 0);
	if (index) return stood_read(b, s, gather_lanes(b, s->own, s->row, index, axis));
	Node *own = gather(b->g, s->own, x->arg[1], axis + 1);
	Node *seen = s->row ? gather(b->g, lanes_of(b, x->arg[0]), x->arg[1], axis + 1) : NULL;
	if (seen) out->stood[0] = stood_read_of(b, s, own, seen);
	return s->row ? NULL : own;
}

bool batch_gather(Batch *b, Node *x, Known *out)
{
	Node *index = index_lanes(b, x);
	const Stood *s = stood_of(b, x->arg[0]);
	int64_t axis = attr_int(x, 0);
	Links c;
	Node **y = out->elem;
	if (read_links(b, x, &c)) {
		y[0] = gather_links(b, &c);
		if (c.stood) y[0] = stood_read(b, c.stood, y[0]);
	} else if (s) {
		y[0] = gather_stood(b, s, x, index, out);
	} else {
		Node *v = lanes_of(b, x->arg[0]);
		if (!index)
			y[0] = gather(b->g, v, x->arg[1], axis + 1);
		else if (v)
			y[0] = gather_lanes(b, v, NULL, index, axis);
		else
			y[0] = gather_shared(b, x->arg[0], index, axis);
	}
	return y[0] || out->stood[0];
}

/* Where the lanes' slices begin: of one without elements no index would say that it does within its axis. */
static Node *begin(Graph *g, Node *from, const Size *length, const Size *axis, int64_t step)
{
	const Size *before = size_const(g, step < 0 ? -step : 0);
	const Size *room = size_add(g, axis, size_const(g, step > 0));
	if (!from || size_at_most(g, size_const(g, 1), length)) return from;
	if (step > 0) return checked(g, from, room);
	Node *low = size_node(g, before), *at = low ? build2(g, OP_ADD, from, low) : NULL;
	at = checked(g, at, size_add(g, room, before));
	return at ? build2(g, OP_SUB, at, low) : NULL;
}

/* [n, length]: where the elements lie that begin there in each lane. */
static Node *places(const Batch *b, Node *from, const Size *length, int64_t step)
{
	Graph *g = b->g;
	Node *k = from ? iota(g, length) : NULL;
	Node *by = k ? build2(g, OP_MUL, k, constant_int(g, type_scalar(g, DT_I64), step)) : NULL;
	if (!by) return NULL;
	return build2(g, OP_ADD, expand(g, from, 1, (int64_t[]){1}, &length),
		expand(g, by, 1, (int64_t[]){0}, &b->n));
}

/* Does a slice leave this axis as it is? */
static bool is_whole(const Batch *b, const Node *x, uint32_t i)
{
	uint32_t rank = node_rank(x);
	return x->attr->v[i].u.size == size_const(b->g, 0) && attr_int(x, 2 * rank + i) == 1 &&
		x->attr->v[rank + i].u.size == node_dim(x->arg[0], i);
}

/* y, or its lanes, sliced along the axes of which all lanes take the same. */
static Node *slice_shared(const Batch *b, const Node *x, Node *y, bool lanes)
{
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t rank = node_rank(x), front = lanes ? 1 : 0;
	for (uint32_t i = 0; i < rank + front; i++) {
		bool own = i < front || size_differs(b, x->attr->v[i - front].u.size);
		start[i] = own ? size_const(b->g, 0) : x->attr->v[i - front].u.size;
		length[i] = own ? node_dim(y, i) : x->attr->v[rank + i - front].u.size;
		step[i] = own ? 1 : attr_int(x, 2 * rank + i - front);
	}
	return slice(b->g, y, start, length, step);
}

/* x[i:i + k], i the lane's own: element by element. */
bool batch_window(Batch *b, Node *x, Node **out)
{
	Graph *g = b->g;
	uint32_t rank = node_rank(x);
	const Stood *stood = stood_of(b, x->arg[0]);
	Node *y = stood ? stood->own : lanes_of(b, x->arg[0]), *row = stood ? stood->row : NULL;
	bool lanes = y != NULL;
	y = slice_shared(b, x, lanes ? y : x->arg[0], lanes);
	for (uint32_t i = 0; y && i < rank; i++) {
		const Size *start = x->attr->v[i].u.size, *length = x->attr->v[rank + i].u.size;
		int64_t step = attr_int(x, 2 * rank + i);
		if (is_whole(b, x, i) || !size_differs(b, start)) continue;
		Node *from = begin(g, size_lanes(b, start), length, node_dim(x->arg[0], i), step);
		Node *index = places(b, from, length, step);
		if (!index) return false;
		y = lanes ? gather_lanes(b, y, row, index, i) : gather_shared(b, y, index, i);
		row = NULL;
		lanes = true;
	}
	out[0] = stood ? stood_read(b, stood, y) : y;
	return out[0] != NULL;
}

/* ---- scatter --------------------------------------------------------------------------------------------
 * */

/* [n, before..., index..., after...] with the index's axes behind the lanes */
static Node *index_first(Graph *g, Node *v, uint32_t axis, uint32_t n)
{
	int64_t first[RANK_MAX];
	first[0] = 0;
	for (uint32_t i = 0; i < n; i++) first[1 + i] = 1 + axis + i;
	return axes_first(g, v, n + 1, first);
}

static Node *scatter_lanes(const Batch *b, Node *x, Node *index, Node *v, Op op, int64_t axis)
{
	Graph *g = b->g;
	const Size *d = node_dim(x, (uint32_t)axis + 1), *dim[RANK_MAX];
	Node *flat = joined(g, lane_numbers(b, NULL, index), d, checked(g, index, d));
	Node *rows = axes_first(g, x, 2, (int64_t[]){0, axis + 1});
	if (!rows) return NULL;
	for (uint32_t i = 0; i < node_rank(rows); i++) dim[i] = node_dim(rows, i);
	Node *y = scatter(
		g, op, merged(g, rows, 2), flat, index_first(g, v, (uint32_t)axis, node_rank(index) - 1), 0);
	y = y ? reshape(g, y, node_rank(x), dim) : NULL;
	if (!y) return NULL;
	int64_t perm[RANK_MAX]; /* [n, d, others...] to [n, before..., d, after...] */
	for (uint32_t i = 0; i < node_rank(y); i++) perm[i] = i;
	for (uint32_t i = 1; i <= axis; i++) perm[i] = i + 1;
	perm[1 + axis] = 1;
	return transpose(g, y, perm);
}

static Node *scattered(const Batch *b, Node *x, Node *base, Node *index, Node *v)
{
	int64_t axis = attr_int(x, 0);
	return index ? scatter_lanes(b, base, index, v, (Op)x->op, axis)
		     : scatter(b->g, (Op)x->op, base, x->arg[1], v, axis + 1);
}

/* y[l] = x with zeros around, as many on axis i as they are in lane l: element by element. */
static Node *placed_along(Batch *b, const Node *x, Node *y, uint32_t i)
{
	Graph *g = b->g;
	const Size *length = node_dim(y, i + 1), *dim[RANK_MAX];
	int64_t step = attr_int(x, 2 * node_rank(x) + i);
	Node *from = begin(g, size_lanes(b, x->attr->v[i].u.size), length, node_dim(x, i), step);
	Node *index = places(b, from, length, step);
	if (!index) return NULL;
	for (uint32_t k = 0; k < node_rank(y); k++) dim[k] = node_dim(y, k);
	dim[i + 1] = node_dim(x, i);
	Node *none = constant_int(g, type_array(g, node_dtype(y), node_rank(y), dim), 0);
	return none ? scatter_lanes(b, none, index, y, OP_SCATTER_SET, i) : NULL;
}

bool batch_pad(Batch *b, Node *x, Node **out)
{
	const Size *width[2][RANK_MAX], *zero = size_const(b->g, 0);
	int64_t step[RANK_MAX] = {1};
	uint32_t rank = node_rank(x);
	bool own[RANK_MAX];
	Node *y = lane_type(b, x->type) ? all_lanes(b, x->arg[0]) : NULL;
	if (!y) return false;
	width[0][0] = width[1][0] = zero;
	for (uint32_t i = 0; i < rank; i++) {
		const Size *before = x->attr->v[i].u.size, *after = x->attr->v[rank + i].u.size;
		own[i] = size_differs(b, before) || size_differs(b, after);
		width[0][i + 1] = own[i] ? zero : before;
		width[1][i + 1] = own[i] ? zero : after;
		step[i + 1] = own[i] ? 1 : attr_int(x, 2 * rank + i);
	}
	y = pad(b->g, y, width[0], width[1], step);
	for (uint32_t i = 0; y && i < rank; i++)
		if (own[i]) y = placed_along(b, x, y, i);
	return (out[0] = y) != NULL;
}

/* What is to be written into a row so that it stays as it is: what is there, or what adds nothing. */
static Node *as_it_is(const Batch *b, Node *x, Node *own, Node *index, const Type *t)
{
	int64_t axis = attr_int(x, 0);
	bool adds = x->op == OP_SCATTER_ADD, joins = adds || x->op == OP_SCATTER_MUL;
	if (joins && dtype_is_float((Dtype)t->dtype)) return constant_float(b->g, t, adds ? -0.0 : 1);
	if (joins) return constant_int(b->g, t, !adds);
	return index ? gather_lanes(b, own, NULL, index, axis) : gather(b->g, own, x->arg[1], axis + 1);
}

/* Into what is stood in for: each lane that takes part writes into its own row. */
static bool scatter_stood(const Batch *b, Node *x, const Stood *s, Node *index, Node *v, Known *out)
{
	Node *none = as_it_is(b, x, s->own, index, v->type);
	Node *own = none ? scattered(b, x, s->own, index, choose(b, s->takes, v, none)) : NULL;
	out->stood[0] = own ? stood_like(b, s, own, s->kept) : NULL;
	return own != NULL;
}

bool batch_scatter(Batch *b, Node *x, Known *out)
{
	Node *v = all_lanes(b, x->arg[2]), *index = lanes_of(b, x->arg[1]);
	const Stood *s = stood_of(b, x->arg[0]);
	if (!v) return false;
	if (s && s->kept && !dtype_is_complex(node_dtype(x))) return scatter_stood(b, x, s, index, v, out);
	Node *base = all_lanes(b, x->arg[0]);
	out->elem[0] = base ? scattered(b, x, base, index, v) : NULL;
	return out->elem[0] != NULL;
}
