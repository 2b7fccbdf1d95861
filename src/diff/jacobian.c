/* jacobian.c - all derivatives of an array by an array: a loop over unit vectors. */
#include "diff.h"

/* Unit vector number i of a type, in row order. */
static Node *unit(Graph *g, const Type *t, Node *i)
{
	const Size *n = type_elements(g, t);
	AttrValue v[2] = {av_size(n), av_dtype((Dtype)t->dtype)};
	Node *e = node_make(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &i);
	return reshape(g, e, t->n, t->u.dim);
}

Node *diff_jacobian(Graph *g, Node *y, Node *x, bool forward)
{
	if (!x || !y || g->error.code) return NULL;
	Node *row;
	if (node_is_scalar(y) && !forward) return diff_grad(g, y, 1, &x, &row) ? row : NULL;
	const Type *over = forward ? x->type : y->type, *of = forward ? y->type : x->type;
	Node *i = fresh(g, type_scalar(g, DT_I64), "i"), *steps = size_node(g, type_elements(g, over));
	leaf_is_below(g, i, steps);
	Node *e = unit(g, over, i);
	if (!e ||
		!(forward ? diff_jvp(g, (Nodes){1, &y}, (Nodes){1, &x}, &e, &row)
			  : diff_vjp(g, (Nodes){1, &y}, (Nodes){1, &x}, &e, &row)))
		return NULL;
	Closure c;
	if (!body_close(g, "jacobian", (Nodes){1, &i}, (Nodes){1, &row}, (Around){.steps = steps}, &c)) return NULL;
	Node *all = get(g, scan(g, &c, steps, (Nodes){0}, (Nodes){0}, 0), 0);
	const Size *dim[2 * RANK_MAX];
	if (over->n + of->n > RANK_MAX)
		return graph_fail(
			g, ERR_TYPE, "jacobian: %u axes, at most %d are possible", over->n + of->n, RANK_MAX);
	memcpy(dim, over->u.dim, over->n * sizeof *dim);
	memcpy(dim + over->n, of->u.dim, of->n * sizeof *dim);
	all = reshape(g, all, over->n + of->n, dim);
	if (!all || !forward) return all;
	int64_t turn[RANK_MAX]; /* sizes of y first */
	for (uint32_t k = 0; k < of->n; k++) turn[k] = over->n + k;
	for (uint32_t k = 0; k < over->n; k++) turn[of->n + k] = k;
	return transpose(g, all, turn);
}
