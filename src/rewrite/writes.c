/* writes.c - what is read of an array into which something was written; writes that change nothing.
 *
 * Needs: an index, a slice or a write over a normal operand.  Gives: an equal node, or NULL: to the bit, but
 * for -0 + 0.  An index that is not known to be within is checked all the same.
 */
#include "rules.h"

bool index_names_once(Graph *g, const Node *i)
{
	IndexRow r;
	while (i->op == OP_SLICE || i->op == OP_FLIP) i = i->arg[0];
	return node_is_scalar(i) || (node_rank(i) == 1 && row_of(g, i, &r));
}

/* Is every index of a write known to be within? */
static bool writes_within(Graph *g, const Node *w)
{
	return index_holds(g, w->arg[1], node_dim(w, (uint32_t)attr_int(w, 0)));
}

/* v as it stands at index i of axis, which is checked. */
static Node *checked_value(Graph *g, const Node *w)
{
	int64_t axis = attr_int(w, 0);
	if (writes_within(g, w)) return w->arg[2];
	if (!node_is_scalar(w->arg[1])) return NULL;
	return gather(g, expand(g, w->arg[2], 1, &axis, &DIM(w->type, axis)), w->arg[1], axis);
}

Node *read_written(Graph *g, Node *x)
{
	Node *w = x->arg[0], *i = x->arg[1];
	if (!is_scatter(w) || attr_int(w, 0) != attr_int(x, 0)) return NULL;
	const Size *at = known_index(g, i), *place = known_index(g, w->arg[1]);
	if (w->arg[1] != i) {
		bool apart = at && place && size_differ(g, at, place) && writes_within(g, w);
		return apart ? gather(g, w->arg[0], i, attr_int(x, 0)) : NULL;
	}
	if (!index_names_once(g, i)) return NULL;
	if (w->op == OP_SCATTER_SET) return checked_value(g, w);
	Node *v = checks_index(g, w->arg[0], i, attr_int(w, 0)) ? w->arg[2] : checked_value(g, w);
	Node *before = node_is_scalar(i) ? index_at(g, w->arg[0], i, attr_int(w, 0))
					 : gather(g, w->arg[0], i, attr_int(w, 0));
	return v ? build2(g, scatter_map((Op)w->op), before, v) : NULL;
}

Node *move_write(Graph *g, Node *x, bool real)
{
	Node *y = x->arg[0], *i = x->arg[1], *v = x->arg[2];
	double zero;
	if (!writes_within(g, x)) return NULL;
	bool own = v->op == OP_GATHER && v->arg[0] == y && v->arg[1] == i && attr_int(v, 0) == attr_int(x, 0);
	if (x->op != OP_SCATTER_ADD) return own && x->op != OP_SCATTER_MUL ? y : NULL;
	bool nothing = v->op == OP_CONST && constant_is_uniform(v) && constant_value(v, &zero) && zero == 0;
	return nothing && (real || dtype_is_integer(node_dtype(x))) ? y : NULL;
}

/* An index as a number, checked where it is not known to be within. */
static Node *within(Graph *g, Node *i, const Size *n)
{
	i = cast(g, i, DT_I64);
	return index_holds(g, i, n) ? i : gather(g, iota(g, n), i, 0);
}

/* Nothing but what is written into it for the row at hand, one place after another? */
static bool is_row_of_writes(const Node *row, const IdMap *needs)
{
	double zero;
	for (; is_scatter(row); row = row->arg[0]) {
		bool last = row->arg[0]->op == OP_CONST;
		if (row->op != OP_SCATTER_ADD && (row->op != OP_SCATTER_SET || !last)) return false;
		if (!node_is_scalar(row->arg[1]) || needed_twice(needs, row)) return false;
	}
	return constant_value(row, &zero) && zero == 0;
}

Node *write_at_both(Graph *g, Node *x, const IdMap *needs)
{
	Node *row = x->op == OP_SCATTER_ADD ? x->arg[2] : NULL;
	if (!row || !node_is_scalar(x->arg[1]) || !is_scatter(row)) return NULL;
	if (!is_row_of_writes(row, needs)) return NULL;
	uint32_t outer = (uint32_t)attr_int(x, 0), inner = (uint32_t)attr_int(row, 0), r = node_rank(x);
	inner += inner >= outer;
	bool first = inner == outer + 1;
	if (!first && outer != inner + 1) return NULL;
	uint32_t axis = first ? outer : inner;
	const Size *dim[RANK_MAX], *n = node_dim(x, axis), *m = node_dim(x, axis + 1);
	for (uint32_t d = 0; d + 1 < r; d++) dim[d] = node_dim(x, d + (d > axis));
	dim[axis] = size_mul(g, n, m);
	Node *i = within(g, first ? x->arg[1] : row->arg[1], n);
	Node *k = within(g, first ? row->arg[1] : x->arg[1], m);
	Node *place = build2(g, OP_ADD, build2(g, OP_MUL, i, size_node(g, m)), k);
	Node *before = x->arg[0];
	if (is_scatter(row->arg[0])) { /* first what was written into the row before */
		Node *first_of = scatter(g, OP_SCATTER_ADD, before, x->arg[1], row->arg[0], outer);
		before = first_of ? write_at_both(g, first_of, needs) : NULL;
	}
	Node *y = scatter(g, OP_SCATTER_ADD, reshape(g, before, r - 1, dim), place, row->arg[2], axis);
	return reshape(g, y, r, x->type->u.dim);
}

/* ---- slices ------------------------------------------------------------------------------- */

/* The places of an index: of a number or size one; false: they are computed. */
static bool span_of(Graph *g, Node *i, const Size **low, const Size **high, IndexRow *r)
{
	const Size *one = size_const(g, 1);
	if ((*low = *high = known_index(g, i))) {
		*r = (IndexRow){0, 1, one};
		return true;
	}
	if (node_is_scalar(i) || node_rank(i) != 1 || !row_of(g, i, r)) return false;
	const Size *first = size_const(g, r->first);
	const Size *last =
		size_add(g, first, size_mul(g, size_const(g, r->step), size_sub(g, r->length, one)));
	*low = r->step < 0 ? last : first;
	*high = r->step < 0 ? first : last;
	return true;
}

Node *cut_written(Graph *g, Node *x)
{
	Node *w = x->arg[0];
	uint32_t r = node_rank(x), axis = (uint32_t)attr_int(w, 0);
	const Size *start[RANK_MAX], *low, *high, *one = size_const(g, 1);
	int64_t step[RANK_MAX];
	IndexRow row;
	for (uint32_t d = 0; d < r; d++) {
		start[d] = x->attr->v[d].u.size;
		step[d] = attr_int(x, 2 * r + d);
		bool whole = DIM(x->type, d) == node_dim(w, d) && step[d] == 1 && size_equals(start[d], 0);
		if (d != axis && !whole) return NULL; /* goes inwards first */
	}
	if (!writes_within(g, w) || !span_of(g, w->arg[1], &low, &high, &row)) return NULL;
	const Size *last = size_add(
		g, start[axis], size_mul(g, size_const(g, step[axis]), size_sub(g, node_dim(x, axis), one)));
	bool turned = step[axis] < 0;
	const Size *from = turned ? last : start[axis], *to = turned ? start[axis] : last;
	Node *y = slice(g, w->arg[0], start, x->type->u.dim, step);
	bool before = size_at_most(g, size_add(g, to, one), low);
	if (before || size_at_most(g, size_add(g, high, one), from)) return y;
	bool same = !node_is_scalar(w->arg[1]) && size_equals(start[axis], row.first) &&
		row.step == step[axis] && row.length == node_dim(x, axis);
	if (!same) return NULL;
	return w->op == OP_SCATTER_SET ? w->arg[2] : build2(g, scatter_map((Op)w->op), y, w->arg[2]);
}
