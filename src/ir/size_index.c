/* size_index.c - what is proved about sizes and indices that hang on loops' indices.
 *
 * A loop's index runs from 0 below the number of steps.  A sum of products, in which it is a factor, is least
 * or largest where it is at an end of its range, whichever the sign says.
 */
#include "size.h"

void leaf_is_below(Graph *g, const Node *leaf, Node *steps)
{
	const Size *n = leaf && steps ? size_of_node(g, cast(g, steps, DT_I64)) : NULL;
	if (n) idmap_put(&g->bounds, leaf->id, (void *)n);
}

/* How many values a loop's index takes; NULL: it is none. */
static const Size *count_of(const Graph *g, const Node *x)
{
	while (x->op == OP_CAST && dtype_is_integer(node_dtype(x->arg[0])) && node_dtype(x) == DT_I64)
		x = x->arg[0];
	const Size *n = NULL;
	for (; g && !n; g = g->under) n = idmap_get(&g->bounds, x->id);
	return n;
}

/* A term with loops' indices at the end of their ranges where it is least; NULL: it is not known which, or
 * too large. */
static const Size *least_term(Graph *g, const Term *t)
{
	const Size *product = size_const(g, t->coef), *one = size_const(g, 1);
	bool any = false, signs = true;
	for (uint32_t k = 0; k < t->natom && product; k++) {
		const Atom *a = t->atom[k];
		const Size *n = a->kind == ATOM_NODE ? count_of(g, a->node) : NULL;
		any |= n != NULL;
		signs &= n || atom_record(a)->range.low >= 0;
		const Size *factor;
		if (!n)
			factor = size_of_term(g, (Term){1, 1, &a});
		else if (t->coef < 0)
			factor = size_sum(g, n, -1, one);
		else
			factor = size_const(g, 0);
		product = size_product(g, product, factor);
	}
	return any && !signs ? NULL : product;
}

static const Size *least_of(Graph *g, const Size *s)
{
	const Size *total = size_const(g, 0);
	for (uint32_t t = 0; t < s->nterm; t++) total = size_sum(g, total, 1, least_term(g, &s->term[t]));
	return total;
}

bool size_holds(Graph *g, const Size *a, const Size *b, bool equal)
{
	if (equal) return size_compare(g, a, b) == PROOF_EQUAL;
	if (size_at_most(g, a, b)) return true;
	const Size *more = size_sum(g, b, -1, a), *least = more ? least_of(g, more) : NULL;
	return least && least != more && size_proved(g, least);
}

/* Each element of an index is within 0 <= i < n. */
bool index_holds(Graph *g, Node *index, const Size *n)
{
	int64_t low = 0, high = 0;
	while (op_info[index->op].class == VIEW && index->op != OP_PAD && index->op != OP_CONCAT)
		index = index->arg[0];
	if (index->op == OP_IOTA) return size_holds(g, node_dim(index, 0), n, false);
	if (node_dtype(index) != DT_I64 || (index->op != OP_CONST && !node_is_scalar(index))) return false;
	if (index->op == OP_CONST) {
		const int64_t *at = constant_bytes(index);
		for (size_t i = 0; i < index->attr->v[0].u.data->bytes / sizeof *at; i++) {
			low = at[i] < low ? at[i] : low;
			high = at[i] > high ? at[i] : high;
		}
		return low >= 0 && high < INT64_MAX && size_holds(g, size_const(g, high + 1), n, false);
	}
	const Size *i = size_of_node(g, index), *more = i ? size_sum(g, i, 1, size_const(g, 1)) : NULL;
	return more && size_holds(g, size_const(g, 0), i, false) && size_holds(g, more, n, false);
}
