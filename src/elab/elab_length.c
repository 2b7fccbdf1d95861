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

Binding *length_of_axis(Use *u, Node *x, uint32_t axis)
{
	Graph *g = u->e->g;
	bool proved = true;
	if (u->e->library_calls) return size_value(g, node_dim(x, axis));
	Node *ones = ones_along(g, x, axis, CUTS_MAX, &proved);
	return ones && proved ? size_value(g, node_dim(x, axis)) : bind_node(g, fold_all(g, OP_SUM, ones));
}
