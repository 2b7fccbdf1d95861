/* elab_length.c - len(x), size[0](x): the size of an axis as a number.
 *
 * A size is what the program says, n - a of x[a:], which is a length only where the slice is one: where that
 * is not proved, what is counted are ones that are cut as x is cut, so that the call checks the same of
 * them.  size_of_node sees through it: as a size it is n - a again.  Functions of the library divide by sizes
 * of what they sum, where the call checks them anyway.
 */
#include "elab_builtin.h"

enum { CUTS_MAX = 16 }; /* views in views that are looked through */

static Node *ones_along(Graph *g, Node *x, uint32_t axis, int levels, bool *proved);

static Node *ones_of_slice(Graph *g, Node *x, uint32_t axis, int levels, bool *proved)
{
	uint32_t n = node_rank(x);
	const AttrValue *v = x->attr->v;
	Node *of = ones_along(g, x->arg[0], axis, levels, proved);
	return slice(g, of, &v[axis].u.size, &v[n + axis].u.size, &v[2 * n + axis].u.i);
}

static Node *ones_of_parts(Graph *g, Node *x, uint32_t axis, int levels, bool *proved)
{
	uint32_t n = node_operands(x);
	Node **part = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) part[i] = ones_along(g, x->arg[i], axis, levels, proved);
	return concat(g, 0, n, part);
}

/* A one for each element along the axis, made by the views that made it; can none of them fail? */
static Node *ones_along(Graph *g, Node *x, uint32_t axis, int levels, bool *proved)
{
	const Size *size = node_dim(x, axis);
	Node *ones;
	for (; levels > 0; levels--) {
		if (op_info[x->op].class == MAP || x->op == OP_FLIP)
			x = x->arg[0];
		else if (x->op == OP_TRANSPOSE) {
			axis = (uint32_t)attr_int(x, axis);
			x = x->arg[0];
		} else
			break;
		size = node_dim(x, axis);
	}
	if (levels > 0 && x->op == OP_SLICE)
		ones = ones_of_slice(g, x, axis, levels - 1, proved);
	else if (levels > 0 && x->op == OP_CONCAT && axis == attr_int(x, 0))
		ones = ones_of_parts(g, x, axis, levels - 1, proved);
	else
		ones = constant_int(g, type_array(g, DT_I64, 1, &size), 1);
	*proved = *proved && ones && node_is_total(g, ones, NULL);
	return ones;
}

/* ---- sizes that ask ------------------------------------------------------------------------------ */

/* Do these cuts ask no more than that what is left is no less than nothing, as a size is? */
static bool ask_no_more(Graph *g, const Node *x)
{
	for (; x->op == OP_SLICE; x = x->arg[0]) {
		const Size *start = x->attr->v[0].u.size, *length = node_dim(x, 0);
		bool inside = x->attr->v[2].u.i == 1 && size_at_most(g, size_const(g, 0), start) &&
			size_at_most(g, size_add(g, start, length), node_dim(x->arg[0], 0));
		if (!inside) return false;
	}
	return x->op == OP_CONST;
}

static void count_found(void *user, Node *ones, bool alone)
{
	Elab *e = user;
	if (node_is_total(e->g, ones, NULL) || (alone && ask_no_more(e->g, ones))) return;
	GROW(e->g->arena, e->counted, e->ncounted, e->counted_cap);
	e->counted[e->ncounted++] = ones;
}

void lengths_in_size(Elab *e, Node *x)
{
	size_counts(e->g, x, count_found, e);
}

static bool is_cut(const Node *x)
{
	for (int i = 0; i < CUTS_MAX; i++) {
		if (op_info[x->op].class != MAP && x->op != OP_FLIP && x->op != OP_TRANSPOSE) break;
		x = x->arg[0];
	}
	return x->op == OP_SLICE || x->op == OP_CONCAT;
}

void lengths_of_arrays(Elab *e, const Binding *b, bool alone)
{
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		if (leaf[i]->type->kind != TYPE_ARRAY || !is_cut(leaf[i])) continue;
		for (uint32_t k = 0; k < node_rank(leaf[i]); k++) {
			bool proved = true;
			Node *ones = ones_along(e->g, leaf[i], k, CUTS_MAX, &proved);
			if (ones && !proved) count_found(e, ones, alone);
		}
	}
}

void lengths_of_unused(Elab *e, const Binding *value, uint32_t n, const Given *given)
{
	Arena *a = arena_child(e->g->arena);
	uint32_t count = binding_leaves(value, NULL);
	Node **leaf = NEW_ARRAY(a, Node *, count);
	Region *r = NULL;
	binding_leaves(value, leaf);
	for (uint32_t i = 0; i < n && !e->library_calls; i++) {
		const Binding *b = given[i].value;
		bool array = b->kind == B_NODE && b->node->type->kind == TYPE_ARRAY;
		if (!array || !node_rank(b->node) || !is_cut(b->node)) continue;
		if (!r) r = region_of(a, count, leaf);
		if (region_place(r, b->node) == UINT32_MAX) lengths_of_arrays(e, b, false);
	}
	arena_free(a);
}

/* Nothing of those ones is 0, and asks of them what all of them does. */
static Node *nothing_of(Graph *g, Node *ones)
{
	const Size *zero = size_const(g, 0);
	return fold_all(g, OP_SUM, slice(g, ones, &zero, &zero, &(int64_t){1}));
}

static Node *nothing_as(Graph *g, Node *nothing, Dtype d)
{
	return d == DT_KEY ? build1(g, OP_KEY, nothing) : cast(g, nothing, d);
}

/* What is chosen otherwise, which never is, asks too: both sides may turn out to be one number. */
Binding *ask_lengths(Elab *e, Binding *b, uint32_t first)
{
	Graph *g = e->g;
	Node *sum = NULL;
	uint32_t n = b && !g->error.code ? binding_leaves(b, NULL) : 0, asked = 0;
	Node **leaf = NEW_ARRAY(g->arena, Node *, n);
	if (!n || e->ncounted <= first) return b;
	for (uint32_t i = first; i < e->ncounted; i++) {
		Node *none = nothing_of(g, e->counted[i]);
		sum = sum ? build2(g, OP_ADD, sum, none) : none;
	}
	Node *holds = build2(g, OP_EQ, sum, sum ? like(g, sum, 0) : NULL);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n && holds; i++) {
		const Type *t = leaf[i]->type;
		if (t->kind != TYPE_ARRAY) continue;
		Node *all = broadcast_to(g, holds, t->n, t->u.dim);
		Node *none = nothing_as(g, sum, node_dtype(leaf[i]));
		if (none) none = broadcast_to(g, none, t->n, t->u.dim);
		leaf[i] = build3(g, OP_WHERE, all, leaf[i], none);
		asked++;
	}
	if (asked) e->ncounted = first;
	return asked && !g->error.code ? binding_refill(g, b, leaf) : b;
}

/* ---- lengths as numbers ------------------------------------------------------------------------- */

Binding *length_of_axis(Use *u, Node *x, uint32_t axis)
{
	Graph *g = u->e->g;
	bool proved = true;
	if (u->e->library_calls) return size_value(g, node_dim(x, axis));
	Node *ones = ones_along(g, x, axis, CUTS_MAX, &proved);
	return ones && proved ? size_value(g, node_dim(x, axis)) : bind_node(g, fold_all(g, OP_SUM, ones));
}
