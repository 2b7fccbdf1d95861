/* sparse_places.c - places of elements, in row order, as nodes.
 *
 * needs: sizes and forms; gives: i64 arrays that hold a place for each element of a box
 */
#include "sparse.h"

Node *places(Graph *g, uint32_t rank, const Size *const *dim, const Size *const *step, const Size *offset)
{
	Node *sum = offset->nterm ? size_node(g, offset) : NULL;
	for (uint32_t i = 0; i < rank; i++) {
		if (!step[i] || !step[i]->nterm) continue;
		Node *one = iota(g, dim[i]);
		if (one && !size_equals(step[i], 1)) one = build2(g, OP_MUL, one, size_node(g, step[i]));
		const Size *others[RANK_MAX + 1];
		int64_t axes[RANK_MAX + 1];
		uint32_t n = 0;
		for (uint32_t k = 0; k < rank; k++)
			if (k != i) {
				axes[n] = k;
				others[n++] = dim[k];
			}
		one = one ? expand(g, one, n, axes, others) : NULL;
		sum = sum && one ? build2(g, OP_ADD, sum, one) : one;
		if (!one) return NULL;
	}
	if (!sum) sum = constant_int(g, type_scalar(g, DT_I64), 0);
	return sum ? broadcast_to(g, sum, rank, dim) : NULL;
}

const Size *stride(Graph *g, const Type *t, uint32_t axis)
{
	const Size *s = size_const(g, 1);
	for (uint32_t i = axis + 1; i < t->n; i++) s = size_mul(g, s, DIM(t, i));
	return s;
}

bool places_inside(Graph *g, uint32_t rank, const Size *const *dim, const Size *const *form, const Size *n)
{
	const Size *low = form[rank], *high = low, *zero = size_const(g, 0), *one = size_const(g, 1);
	for (uint32_t i = 0; i < rank; i++) {
		const Size *end = size_mul(g, form[i], size_sub(g, dim[i], one));
		if (!form[i]->nterm) continue;
		Proof sign = size_compare(g, form[i], zero);
		bool up = sign == PROOF_GREATER || sign == PROOF_GREATER_EQUAL;
		if (!up && sign != PROOF_LESS && sign != PROOF_LESS_EQUAL) return false;
		low = up ? low : size_add(g, low, end);
		high = up ? size_add(g, high, end) : high;
	}
	return low && high && size_at_most(g, zero, low) && size_at_most(g, size_add(g, high, one), n);
}

Node *nearest_places(Graph *g, uint32_t rank, const Size *const *dim, const Size *const *form, const Size *n)
{
	Node *p = form[rank] ? places(g, rank, dim, form, form[rank]) : NULL;
	if (!p || places_inside(g, rank, dim, form, n)) return p;
	Node *last = size_node(g, size_sub(g, n, size_const(g, 1)));
	return build2(
		g, OP_MAXIMUM, build2(g, OP_MINIMUM, p, last), constant_int(g, type_scalar(g, DT_I64), 0));
}

Node *form_places(const Forms *w, const Type *own, Form form)
{
	Graph *g = w->g;
	Node *sum = NULL;
	for (uint32_t t = 0; t < w->n; t++) {
		const Size *apart = stride(g, w->all, t);
		Node *p = nearest_places(g, own->n, own->u.dim, form + t * (own->n + 1), DIM(w->all, t));
		if (p && !size_equals(apart, 1)) p = build2(g, OP_MUL, p, size_node(g, apart));
		sum = sum && p ? build2(g, OP_ADD, sum, p) : p;
		if (!p) return NULL;
	}
	return sum ? sum : places(g, own->n, own->u.dim, (const Size *[RANK_MAX]){NULL}, size_const(g, 0));
}

Node *flat(Graph *g, Node *x)
{
	const Size *n = x ? type_elements(g, x->type) : NULL;
	return n ? reshape(g, x, 1, &n) : NULL;
}

Node *reshaped(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	while (x && x->op == OP_RESHAPE) x = x->arg[0];
	bool same = x && node_rank(x) == rank;
	for (uint32_t i = 0; i < rank && same; i++) same = node_dim(x, i) == dim[i];
	return same || !x ? x : reshape(g, x, rank, dim);
}

Node *copy_of_taken(Graph *g, Node *x)
{
	bool element = x->op == OP_GATHER && node_is_scalar(x->arg[1]);
	if (!element && x->op != OP_SLICE) return NULL;
	Node *copies = x->arg[0], *y = copies->op == OP_EXPAND && copies->narg == 1 ? copies->arg[0] : NULL;
	if (!y) return NULL;
	const Size *start[RANK_MAX], *dim[RANK_MAX], *wide[RANK_MAX];
	int64_t step[RANK_MAX], axes[RANK_MAX], single[RANK_MAX];
	uint32_t r = node_rank(copies), n = 0, ones = 0, kept = 0, to = 0;
	for (uint32_t i = 0, k = 0; i < r; i++) {
		bool repeated = k < attr_count(copies) && attr_int(copies, k) == i;
		bool one = element && attr_int(x, 0) == i;
		if (repeated) k += 2;
		if (repeated && !one && size_equals(node_dim(x, to), 1)) {
			single[ones++] = to;
		} else if (repeated && !one) {
			axes[n] = to - ones;
			wide[n++] = node_dim(x, to);
		} else if (!repeated && element) {
			if (one) y = gather(g, y, x->arg[1], kept);
		} else if (!repeated) {
			start[kept] = x->attr->v[i].u.size;
			dim[kept] = node_dim(x, i);
			step[kept] = x->attr->v[2 * r + i].u.i;
		}
		kept += !repeated;
		to += !one;
	}
	if (!element) y = slice(g, y, start, dim, step);
	if (y && n) y = expand(g, y, n, axes, wide);
	return y && ones ? unsqueeze(g, y, ones, single) : y;
}
