/* jacobian.c - all derivatives of an array by an array: that by one direction, for all unit vectors at once.
 * */
#include "diff.h"
#include "../batch/batch.h"

/* All unit vectors of a type, in row order, along a first axis. */
static Node *units(Graph *g, const Type *t, const Size *n)
{
	const Size *dim[RANK_MAX + 1] = {n};
	AttrValue v[2] = {av_size(n), av_dtype((Dtype)t->dtype)};
	Node *i = iota(g, n), *e = i ? node_make(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &i) : NULL;
	memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
	return e ? reshape(g, e, t->n + 1, dim) : NULL;
}

Node *diff_jacobian(Graph *g, Node *y, Node *x, bool forward)
{
	if (!x || !y || g->error.code) return NULL;
	Node *row, *all;
	if (node_is_scalar(y) && !forward) return diff_grad(g, y, 1, &x, &row) ? row : NULL;
	const Type *over = forward ? x->type : y->type, *of = forward ? y->type : x->type;
	const Size *n = type_elements(g, over);
	if (over->n + of->n > RANK_MAX || over->n >= RANK_MAX)
		return graph_fail(
			g, ERR_TYPE, "jacobian: %u axes, at most %d are possible", over->n + of->n, RANK_MAX);
	Node *e = fresh(g, over, "e"), *rows = n ? units(g, over, n) : NULL;
	if (!e || !rows ||
		!(forward ? diff_jvp(g, (Nodes){1, &y}, (Nodes){1, &x}, &e, &row)
			  : diff_vjp(g, (Nodes){1, &y}, (Nodes){1, &x}, &e, &row)) ||
		!batch(g, &(Lanes){.n = n, .nx = 1, .x = &e, .xs = &rows}, 1, &row, &all))
		return NULL;
	const Size *dim[2 * RANK_MAX];
	memcpy(dim, over->u.dim, over->n * sizeof *dim);
	memcpy(dim + over->n, of->u.dim, of->n * sizeof *dim);
	all = reshape(g, all, over->n + of->n, dim);
	if (!all || !forward) return all;
	int64_t turn[RANK_MAX]; /* sizes of y first */
	for (uint32_t k = 0; k < of->n; k++) turn[k] = over->n + k;
	for (uint32_t k = 0; k < over->n; k++) turn[of->n + k] = k;
	return transpose(g, all, turn);
}
