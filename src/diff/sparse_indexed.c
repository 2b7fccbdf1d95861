/* sparse_indexed.c - diagonals whose places are arrays, where no form tells them.
 *
 * needs: a node linear in operand k, of which there is an indexed diagonal; gives: that of the node
 *
 * `other` holds for each element of the value the place in the leaf.  As long as there is one for each
 * element of the node, in order, what a view does to the value it does to the places.  Where elements come
 * together (a sum, a scatter) or lie apart, the value is a list, and `own` holds their places in the node.
 */
#include "sparse.h"

bool diagonal_indexed(const Forms *w, Node *of, Diagonal *d)
{
	if (d->other) return true;
	d->other = w->all ? form_places(w, of->type, d->form) : NULL;
	d->form = NULL;
	return d->other != NULL;
}

/* What multiplies or chooses, as it is for the elements of the value. */
static Node *coefficient(const Forms *w, Node *x, const Diagonal *d)
{
	Graph *g = w->g;
	if (!d->own) return at_fixed(w, x, d);
	if (x->op == OP_CONST && constant_is_uniform(x)) {
		const Type *t = type_array(g, node_dtype(x), 1, d->own->type->u.dim);
		return t ? node_leaf(g, OP_CONST, x->attr, t) : NULL;
	}
	Node *all = flat(g, x);
	return all ? gather(g, all, d->own, 0) : NULL;
}

/* The operator over the value; what depends on the leaf elsewhere is zero. */
static Node *over_value(const Forms *w, const IndexedOperand *at, const Diagonal *d)
{
	Graph *g = w->g;
	Node *x = at->x, **arg = NEW_ARRAY(w->a, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		Node *c = at->depends[i] ? like(g, x->arg[i], 0) : x->arg[i];
		if (i == at->k)
			arg[i] = d->value;
		else
			arg[i] = i < node_operands(x) && c ? coefficient(w, c, d) : c;
		if (!arg[i]) return NULL;
	}
	return node_with(g, x, arg, NULL, NULL);
}

/* The view, or what an index takes, of the places. */
static Node *over_places(const Forms *w, const IndexedOperand *at, Node *places)
{
	Graph *g = w->g;
	Node *x = at->x, **arg = NEW_ARRAY(w->a, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		arg[i] = x->arg[i];
		if (i == at->k) arg[i] = places;
		if (i != at->k && x->op == OP_CONCAT && i < node_operands(x))
			arg[i] = constant_int(g, type_with_dtype(g, x->arg[i]->type, DT_I64), 0);
		if (!arg[i]) return NULL;
	}
	int64_t c;
	if (x->op == OP_GATHER && node_is_scalar(x->arg[1]) && constant_integer(x->arg[1], &c) && c >= 0)
		return element_places(w, places, (uint32_t)attr_int(x, 0), c);
	if (x->op == OP_RESHAPE) return reshaped(g, places, node_rank(x), x->type->u.dim);
	Node *y = node_with(g, x, arg, NULL, NULL), *same = y ? copy_of_taken(g, y) : NULL;
	return same ? same : y;
}

/* ---- where elements go ------------------------------------------------------------ */

/* For each element of operand k the place in x to which it goes; NULL: to none, or several. */
static Node *goes_to(const Forms *w, Node *x, uint32_t k)
{
	Graph *g = w->g;
	const Type *t = x->arg[k]->type, *r = x->type;
	const Size *step[RANK_MAX + 1] = {NULL}, *at = size_const(g, 0);
	const AttrValue *v = x->attr ? x->attr->v : NULL;
	if (x->op == OP_SUM) {
		for (uint32_t i = 0, j = 0, n = 0; i < t->n; i++)
			if (j < attr_count(x) && attr_int(x, j) == i)
				j++;
			else
				step[i] = stride(g, r, n++);
	} else if (x->op == OP_PAD) {
		for (uint32_t i = 0; i < t->n; i++) {
			step[i] = size_mul(g, stride(g, r, i), size_const(g, v[2 * t->n + i].u.i));
			at = size_add(g, at, size_mul(g, stride(g, r, i), v[i].u.size));
		}
	} else if (x->op == OP_EXPAND) { /* to the first of its copies */
		for (uint32_t i = 0, k = 0, n = 0; i < r->n; i++)
			if (k < attr_count(x) && attr_int(x, k) == i)
				k += 2;
			else
				step[n++] = stride(g, r, i);
	} else if (x->op == OP_TRANSPOSE) {
		for (uint32_t i = 0; i < t->n; i++) step[attr_int(x, i)] = stride(g, r, i);
	} else if (x->op == OP_CONCAT) {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		for (uint32_t i = 0; i < t->n; i++) step[i] = stride(g, r, i);
		for (uint32_t i = 0; i < k; i++)
			at = size_add(g, at, size_mul(g, step[axis], node_dim(x->arg[i], axis)));
	} else {
		return NULL;
	}
	return at ? places(g, t->n, t->u.dim, step, at) : NULL;
}

/* Of a scatter: the index tells along an axis. */
static Node *written_to(const Forms *w, Node *x)
{
	Graph *g = w->g;
	Node *index = x->arg[1];
	const Type *t = x->arg[2]->type;
	const Size *step[RANK_MAX] = {NULL};
	uint32_t axis = (uint32_t)attr_int(x, 0), r = node_rank(index), n = 0;
	int64_t axes[RANK_MAX];
	const Size *dim[RANK_MAX];
	for (uint32_t i = 0; i < t->n; i++) {
		if (i >= axis && i < axis + r) continue;
		step[i] = stride(g, x->type, i < axis ? i : i + 1 - r);
		axes[n] = i;
		dim[n++] = DIM(t, i);
	}
	Node *rest = places(g, t->n, t->u.dim, step, size_const(g, 0)),
	     *along = build2(g, OP_MUL, index, size_node(g, stride(g, x->type, axis)));
	along = along ? expand(g, along, n, axes, dim) : NULL;
	return rest && along ? build2(g, OP_ADD, rest, along) : NULL;
}

/* As a list, at these places of x for each element of the operand. */
static bool as_list(const Forms *w, const Diagonal *d, Node *to, Diagonal *out)
{
	Graph *g = w->g;
	Node *all = flat(g, to);
	if (!all) return false;
	*out = (Diagonal){
		NULL, flat(g, d->value), flat(g, d->other), d->own ? gather(g, all, d->own, 0) : all};
	return out->value && out->other && out->own;
}

/* Along a second axis as often as `copies` has elements, as a list again. */
static Node *copied(Graph *g, Node *x, Node *copies, uint32_t axis)
{
	int64_t at = axis;
	Node *y = x ? expand(g, x, 1, &at, copies->type->u.dim) : NULL;
	return y ? flat(g, y) : NULL;
}

/* Each element of a list as often as it is repeated, if that is known and not often. */
static bool through_copies(const Forms *w, Node *x, const Diagonal *d, Diagonal *out)
{
	Graph *g = w->g;
	const Type *r = x->type;
	const Size *step[RANK_MAX] = {NULL}, *dim[RANK_MAX];
	uint32_t n = 0;
	Diagonal first;
	int64_t often = 1, size;
	for (uint32_t k = 0; k < attr_count(x); k += 2) {
		step[n] = stride(g, r, (uint32_t)attr_int(x, k));
		dim[n++] = DIM(r, attr_int(x, k));
		if (!size_is(dim[n - 1], &size) || size > PIECES_MAX) return false;
		if ((often *= size) > PIECES_MAX) return false;
	}
	Node *to = goes_to(w, x, 0), *copies = flat(g, places(g, n, dim, step, size_const(g, 0)));
	if (!to || !copies || !as_list(w, d, to, &first)) return false;
	Node *own = copied(g, first.own, copies, 1);
	int64_t along = 0;
	Node *apart = expand(g, copies, 1, &along, first.own->type->u.dim);
	*out = (Diagonal){.value = copied(g, first.value, copies, 1)};
	out->other = copied(g, first.other, copies, 1);
	if (own && apart) out->own = build2(g, OP_ADD, own, flat(g, apart));
	return out->value && out->other && out->own;
}

/* Of the elements of a list those that a slice, or an element's index, takes; the others are zero. */
typedef struct Taking {
	Graph *g;
	Node *place;  /* in the operand; what is left of it, along the axes to come */
	Node *within; /* is it taken?  NULL: as far as is known */
	Node *to;     /* its place in the node, so far; NULL: the first */
} Taking;

/* Of an axis whose elements lie `apart`: places start, start + step, ..., n of them, which in the node lie
 * `wide` apart; NULL there: it has no such axis. */
typedef struct TakenAxis {
	const Size *apart, *n, *wide;
	Node *start;
	int64_t step;
} TakenAxis;

static bool take_along(Taking *t, const TakenAxis *a)
{
	Graph *g = t->g;
	Node *by = size_node(g, a->apart), *at = by ? build2(g, OP_FLOORDIV, t->place, by) : NULL;
	Node *from = at && a->start ? build2(g, OP_SUB, at, a->start) : NULL;
	if (!from) return false;
	t->place = build2(g, OP_MOD, t->place, by);
	Node *zero = constant_int(g, from->type, 0), *step = constant_int(g, type_scalar(g, DT_I64), a->step);
	Node *k = a->step == 1 ? from : build2(g, OP_FLOORDIV, from, step);
	Node *good = build2(g, OP_AND, build2(g, OP_LE, zero, k), build2(g, OP_LT, k, size_node(g, a->n)));
	Node *met = a->step == 1 ? NULL : build2(g, OP_EQ, build2(g, OP_MOD, from, step), zero);
	if (met) good = build2(g, OP_AND, good, met);
	t->within = t->within && good ? build2(g, OP_AND, t->within, good) : good;
	Node *add = a->wide ? build2(g, OP_MUL, k, size_node(g, a->wide)) : NULL;
	if (add) t->to = t->to ? build2(g, OP_ADD, t->to, add) : add;
	return t->within && (add || !a->wide) && t->place;
}

static TakenAxis taken_axis(Graph *g, Node *x, uint32_t i)
{
	const Type *from = x->arg[0]->type;
	const AttrValue *v = x->attr->v;
	TakenAxis a = {.apart = stride(g, from, i), .step = 1};
	uint32_t axis = x->op == OP_GATHER ? (uint32_t)attr_int(x, 0) : from->n, n = i - (i > axis);
	if (i == axis) {
		a.n = size_const(g, 1);
		a.start = cast(g, x->arg[1], DT_I64);
		return a;
	}
	a.n = node_dim(x, n);
	a.wide = stride(g, x->type, n);
	if (x->op == OP_SLICE) {
		a.start = size_node(g, v[i].u.size);
		a.step = v[2 * from->n + i].u.i;
	} else {
		a.start = constant_int(g, type_scalar(g, DT_I64), 0);
	}
	return a;
}

static bool taken_of_list(const Forms *w, Node *x, const Diagonal *d, Diagonal *out)
{
	Graph *g = w->g;
	Taking t = {g, d->own, NULL, NULL};
	for (uint32_t i = 0; i < node_rank(x->arg[0]); i++) {
		TakenAxis a = taken_axis(g, x, i);
		if (!take_along(&t, &a)) return false;
	}
	Node *zero = like(g, d->value, 0), *first = constant_int(g, d->own->type, 0);
	if (!t.within || !zero || !first) return false;
	*out = (Diagonal){NULL, build3(g, OP_WHERE, t.within, d->value, zero), d->other, first};
	if (t.to) out->own = build3(g, OP_WHERE, t.within, t.to, first);
	return out->value && out->own;
}

/* Of what others are written over nothing is left. */
static bool written_over(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Graph *g = w->g;
	Node *x = at->x, *left = like(g, x->arg[0], 1), *none = like(g, x->arg[2], 0);
	Node *arg[3] = {left, x->arg[1], none};
	Node *kept = left && none ? node_with(g, x, arg, NULL, NULL) : NULL;
	Node *by = kept ? coefficient(w, kept, d) : NULL;
	*out = (Diagonal){NULL, by ? build2(g, OP_MUL, d->value, by) : NULL, d->other, d->own};
	return out->value != NULL;
}

/* A product of two vectors is a list of products. */
static bool through_dot(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Graph *g = w->g;
	Node *x = at->x, *by = x->arg[!at->k];
	if (node_rank(x) || node_rank(x->arg[at->k]) != 1 || node_rank(by) != 1) return false;
	Node *c = coefficient(w, by, d), *nowhere = constant_int(g, d->other->type, 0);
	*out = (Diagonal){NULL, c ? build2(g, OP_MUL, d->value, c) : NULL, d->other, nowhere};
	return out->value && out->own;
}

/* ---- through an operator ----------------------------------------------------------- */

static bool same_shape(const IndexedOperand *at, const Forms *w, const Diagonal *d, Diagonal *out)
{
	*out = (Diagonal){NULL, over_value(w, at, d), d->other, d->own, d->fixed};
	return out->value != NULL;
}

static bool through_index(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Node *x = at->x;
	if (x->op == OP_GATHER && at->k == 0 && !d->own) {
		*out = (Diagonal){NULL, over_value(w, at, d), over_places(w, at, d->other), NULL};
		return out->value && out->other;
	}
	if (x->op == OP_GATHER && at->k == 0 && node_is_scalar(x->arg[1])) return taken_of_list(w, x, d, out);
	if (x->op == OP_SCATTER_ADD && at->k == 0) {
		*out = *d;
		return true;
	}
	if (x->op == OP_SCATTER_SET && at->k == 0)
		return d->own ? written_over(w, at, d, out) : same_shape(at, w, d, out);
	/* nothing is written over what is */
	bool once = x->op == OP_SCATTER_ADD || node_is_scalar(x->arg[1]);
	Node *to = once && at->k == 2 ? written_to(w, x) : NULL;
	return to && as_list(w, d, to, out);
}

bool indexed_moved(const Forms *w, const IndexedOperand *at, const Diagonal *given, Diagonal *out)
{
	Node *x = at->x;
	Diagonal listed = *given, *d = &listed;
	if (x->type->kind != TYPE_ARRAY) return false;
	if (!d->own && op_info[x->op].class != MAP) {
		FixedMoved how = fixed_moved(w, x, at->k, given, out);
		if (how == FIXED_NOTHING) *out = (Diagonal){.value = NULL};
		if (how != FIXED_NOT) return how != FIXED_FAILED;
		if (!diagonal_listed(w, x->arg[at->k]->type, d)) return false;
	}
	switch (op_info[x->op].class) {
	case MAP: return same_shape(at, w, d, out);
	case VIEW:
		if (d->own && x->op == OP_RESHAPE) {
			*out = *d;
			return true;
		}
		if (!d->own && x->op != OP_CONCAT) {
			*out = (Diagonal){NULL, over_value(w, at, d), over_places(w, at, d->other), NULL};
			return out->value && out->other;
		}
		if (x->op == OP_EXPAND) return through_copies(w, x, d, out);
		if (x->op == OP_SLICE) return taken_of_list(w, x, d, out);
		/* fall through */
	case FOLD: {
		Node *to = goes_to(w, x, at->k);
		return to && as_list(w, d, to, out);
	}
	case CONTRACT: return through_dot(w, at, d, out);
	case INDEX: return through_index(w, at, d, out);
	default: return false;
	}
}
