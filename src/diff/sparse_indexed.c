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
	if (!d->own) return x;
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
	return node_with(g, x, arg, NULL, NULL);
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

/* A product of two vectors is a list of products. */
static bool through_dot(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Graph *g = w->g;
	Node *x = at->x, *by = x->arg[!at->k];
	if (d->own || node_rank(x) || node_rank(x->arg[at->k]) != 1 || node_rank(by) != 1) return false;
	Diagonal one = {NULL, build2(g, OP_MUL, d->value, by), d->other, NULL};
	return one.value && as_list(w, &one, constant_int(g, d->other->type, 0), out);
}

/* ---- through an operator ----------------------------------------------------------- */

static bool same_shape(const IndexedOperand *at, const Forms *w, const Diagonal *d, Diagonal *out)
{
	*out = (Diagonal){NULL, over_value(w, at, d), d->other, d->own};
	return out->value != NULL;
}

static bool through_index(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Node *x = at->x;
	if (x->op == OP_GATHER && at->k == 0 && !d->own) {
		*out = (Diagonal){NULL, over_value(w, at, d), over_places(w, at, d->other), NULL};
		return out->value && out->other;
	}
	if (x->op == OP_SCATTER_ADD && at->k == 0) {
		*out = *d;
		return true;
	}
	if (x->op == OP_SCATTER_SET && at->k == 0 && !d->own) return same_shape(at, w, d, out);
	Node *to = x->op == OP_SCATTER_ADD && at->k == 2 ? written_to(w, x) : NULL;
	return to && as_list(w, d, to, out);
}

bool indexed_moved(const Forms *w, const IndexedOperand *at, const Diagonal *d, Diagonal *out)
{
	Node *x = at->x;
	if (x->type->kind != TYPE_ARRAY) return false;
	switch (op_info[x->op].class) {
	case MAP: return same_shape(at, w, d, out);
	case VIEW:
		if (d->own && x->op == OP_RESHAPE) {
			*out = *d;
			return true;
		}
		if (!d->own) {
			*out = (Diagonal){NULL, over_value(w, at, d), over_places(w, at, d->other), NULL};
			return out->value && out->other;
		} /* fall through */
	case FOLD: {
		Node *to = goes_to(w, x, at->k);
		return to && as_list(w, d, to, out);
	}
	case CONTRACT: return through_dot(w, at, d, out);
	case INDEX: return through_index(w, at, d, out);
	default: return false;
	}
}
