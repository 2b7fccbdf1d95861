/* index.c - which element a kernel's instruction is about, and what views make of that. */
#include "kernel.h"

Index index_zero(Builder *b)
{
	Index i = {.offset = size_const(b->g, 0)};
	for (uint32_t k = 0; k < AXES_MAX; k++) i.coef[k] = i.offset;
	return i;
}

Index index_axis(Builder *b, uint32_t axis)
{
	Index i = index_zero(b);
	i.coef[axis] = size_const(b->g, 1);
	return i;
}

/* False: more computed indices than an access has room for; then what is indexed is stored first. */
bool index_add(Builder *b, Index *to, const Index *from, const Size *factor)
{
	Graph *g = b->g;
	to->offset = size_add(g, to->offset, size_mul(g, from->offset, factor));
	to->within |= from->within;
	for (uint32_t k = 0; k < b->naxis; k++)
		to->coef[k] = size_add(g, to->coef[k], size_mul(g, from->coef[k], factor));
	for (uint32_t k = 0; k < from->ndynamic; k++) {
		if (to->ndynamic == countof(to->dynamic)) return false;
		to->dynamic[to->ndynamic] = from->dynamic[k];
		to->dynamic[to->ndynamic].coef = size_mul(g, from->dynamic[k].coef, factor);
		to->ndynamic++;
	}
	return true;
}

bool index_linear(Builder *b, const Type *t, const Index *at, Index *out)
{
	const Size *stride = size_const(b->g, 1);
	*out = index_zero(b);
	for (uint32_t k = t->n; k-- > 0;) {
		/* a computed index is checked there too */
		bool still = size_equals(DIM(t, k), 1) && !at[k].ndynamic;
		if (!still && !index_add(b, out, &at[k], stride)) return false;
		stride = size_mul(b->g, stride, DIM(t, k));
	}
	return true;
}

/* ---- views -------------------------------------------------------------------------- */

static bool expand_index(const Node *x, const Index *at, Index *to)
{
	for (uint32_t i = 0, k = 0, from = 0; i < node_rank(x); i++)
		if (k == attr_count(x) || attr_int(x, k) != i)
			to[from++] = at[i];
		else if (at[i].ndynamic) /* a computed index is checked where it is used */
			return false;
		else
			k += 2;
	return true;
}

static bool slice_index(Builder *b, const Node *x, const Index *at, Index *to)
{
	uint32_t n = node_rank(x);
	for (uint32_t i = 0; i < n; i++) {
		to[i] = index_zero(b);
		to[i].offset = x->attr->v[i].u.size;
		if (!index_add(b, &to[i], &at[i], size_const(b->g, attr_int(x, 2 * n + i)))) return false;
	}
	return true;
}

static bool flip_index(Builder *b, const Node *x, const Index *at, Index *to)
{
	memcpy(to, at, node_rank(x) * sizeof *to);
	for (uint32_t k = 0; k < attr_count(x); k++) {
		uint32_t i = (uint32_t)attr_int(x, k);
		to[i] = index_zero(b);
		to[i].offset = size_sub(b->g, node_dim(x, i), size_const(b->g, 1));
		if (!index_add(b, &to[i], &at[i], size_const(b->g, -1))) return false;
	}
	return true;
}

/* Axes that are split or joined at their own bounds stay sums of products; a reshape across them would need a
 * division for each element, so its operand is stored and read as it lies. */
static bool reshape_index(Builder *b, Node *x, const Index *at, Index *to)
{
	int axis[RANK_MAX];
	const Size *factor[RANK_MAX];
	if (!reshape_splits(b->g, x, axis, factor)) return false;
	for (uint32_t i = 0; i < node_rank(x->arg[0]); i++) to[i] = index_zero(b);
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (axis[i] >= 0 ? !index_add(b, &to[axis[i]], &at[i], factor[i]) : at[i].ndynamic)
			return false;
	return true;
}

/* Do the elements of an array lie along the kernel's inner axes? */
static bool is_inner(const Builder *b, const Node *x, const Index *at)
{
	for (uint32_t i = 0; i < node_rank(x); i++)
		for (uint32_t k = b->nrow; k < b->naxis; k++)
			if (!size_equals(at[i].coef[k], 0)) return true;
	return false;
}

static bool gather_index(Builder *b, const Node *x, const Index *at, Index *to)
{
	uint32_t axis = (uint32_t)attr_int(x, 0), r = node_rank(x->arg[1]), k = 0, computed = 1;
	for (uint32_t i = 0; i < node_rank(x); i++)
		computed += i < axis || i >= axis + r ? at[i].ndynamic : 0;
	if (computed > countof(to->dynamic)) return false; /* this one is stored, and read at the others */
	for (uint32_t i = 0; i < axis; i++) to[k++] = at[i];
	uint16_t value = value_at(b, x->arg[1], r ? at + axis : NULL);
	to[k] = index_zero(b);
	to[k].ndynamic = 1;
	to[k].within = is_inner(b, x, at);
	to[k].dynamic[0].value = value;
	to[k].dynamic[0].coef = size_const(b->g, 1);
	to[k++].dynamic[0].extent = node_dim(x->arg[0], axis);
	for (uint32_t i = axis + r; i < node_rank(x); i++) to[k++] = at[i];
	return true;
}

bool view_index(Builder *b, Node *x, const Index *at, Node **inner, Index *to)
{
	*inner = x->narg ? x->arg[0] : NULL;
	switch (x->op) {
	case OP_TRANSPOSE:
		for (uint32_t i = 0; i < node_rank(x); i++) to[attr_int(x, i)] = at[i];
		return true;
	case OP_EXPAND: return expand_index(x, at, to);
	case OP_SLICE: return slice_index(b, x, at, to);
	case OP_FLIP: return flip_index(b, x, at, to);
	case OP_RESHAPE: return reshape_index(b, x, at, to);
	case OP_GATHER: return gather_index(b, x, at, to);
	default: return false;
	}
}
