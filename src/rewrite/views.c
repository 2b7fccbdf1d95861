/* views.c - views lifted out of maps, to where they meet other views, folds and products.
 *
 * Needs: a map over normal operands.  Gives: an equal node, to the bit, or NULL.
 */
#include "rules.h"

/* f(x.T, y.T, 2) is f(x, y, 2).T: turned last, where it meets other views, folds and products.  So is what is
 * flipped. */
Node *lift_turned(Graph *g, Node *x)
{
	const Node *t = NULL;
	Node *inner[4];
	if (op_info[x->op].class != MAP || !x->narg || x->narg > countof(inner)) return NULL;
	for (uint32_t k = 0; k < x->narg && !t; k++)
		if (x->arg[k]->op == OP_TRANSPOSE || x->arg[k]->op == OP_FLIP) t = x->arg[k];
	if (!t) return NULL;
	const Type *as = t->arg[0]->type;
	for (uint32_t k = 0; k < x->narg; k++) {
		Node *a = x->arg[k];
		if (a->op == t->op && a->attr == t->attr)
			inner[k] = a->arg[0];
		else if (a->op == OP_EXPAND && a->narg == 1 && node_is_scalar(a->arg[0]))
			inner[k] = broadcast_to(g, a->arg[0], as->n, as->u.dim);
		else if (a->op == OP_CONST && constant_is_uniform(a))
			inner[k] = node_leaf(
				g, OP_CONST, a->attr, type_array(g, node_dtype(a), as->n, as->u.dim));
		else
			return NULL;
		if (!inner[k]) return NULL;
	}
	Node *y = node_make(g, (Op)x->op, x->attr, x->narg, inner);
	return y ? node_make(g, (Op)t->op, t->attr, 1, &y) : NULL;
}
