/* make.c - the constructors' work: operands and attributes taken, the line noted, the node given. */
#define POR_NO_LINES
#include "make.h"

#include <stdio.h>

#define BEGIN(n, args)                                                                                       \
	por_graph *const g = graph_of_at((n), (args), where);                                                \
	ENTER(g, NULL);                                                                                      \
	graph_where(g, where);                                                                               \
	Graph *const ir = g->ir;                                                                             \
	(void)ir

static por_node *make_op(Op op, uint32_t nattr, const AttrValue *attr, int n, por_node *const *x,
	const char *where)
{
	BEGIN(n, x);
	LEAVE(give_node(g, build(ir, op, attr_make(ir, nattr, attr), (uint32_t)n, take_nodes(g, n, x))));
}

por_node *make1(Op op, por_node *x, const char *where)
{
	return make_op(op, 0, NULL, 1, &x, where);
}

por_node *make2(Op op, por_node *x, por_node *y, const char *where)
{
	return make_op(op, 0, NULL, 2, (por_node *[]){x, y}, where);
}

por_node *make3(Op op, por_node *x, por_node *y, por_node *z, const char *where)
{
	return make_op(op, 0, NULL, 3, (por_node *[]){x, y, z}, where);
}

por_node *make_dtype(Op op, por_node *x, int dtype, const char *where)
{
	BEGIN(1, &x);
	if (!dtype_public(dtype))
		LEAVE((por_node *)graph_fail(
			ir, ERR_VALUE, "%s: there is no dtype %d", op_info[op].text, dtype));
	AttrValue v = av_dtype((Dtype)dtype);
	LEAVE(give_node(g,
		op == OP_CAST ? convert_number(ir, x->node, (Dtype)dtype)
			      : build(ir, op, attr_make(ir, 1, &v), 1, &x->node)));
}

por_node *make_axis(Op op, por_node *x, int axis, const char *where)
{
	AttrValue v = av_int(axis);
	return make_op(op, 1, &v, 1, &x, where);
}

/* ---- folds -------------------------------------------------------------------------------- */

por_node *make_fold(Op op, por_node *x, int axis, const char *where)
{
	BEGIN(1, &x);
	LEAVE(give_node(
		g, axis == POR_ALL ? fold_all(ir, op, x->node) : fold(ir, op, x->node, 1, &(int64_t){axis})));
}

/* n axes as numbers of 64 bits; NULL with an error when there are too many. */
static int64_t *wide(por_graph *g, int n, const int *axes)
{
	if (n < 0 || n > RANK_MAX || (n && !axes))
		return graph_fail(g->ir, ERR_VALUE, "%d axes; wanted 0 to %d", n, RANK_MAX);
	int64_t *out = NEW_ARRAY(g->ir->arena, int64_t, n + 1);
	for (int i = 0; i < n; i++) out[i] = axes[i];
	return out;
}

por_node *make_folds(Op op, por_node *x, int n, const int *axes, const char *where)
{
	BEGIN(1, &x);
	int64_t *a = wide(g, n, axes);
	LEAVE(give_node(g, a ? fold(ir, op, x->node, (uint32_t)n, a) : NULL));
}

/* ---- views ---------------------------------------------------------------------------------- */

/* The rank of an array; -1 with an error of a tuple. */
static int rank_of(por_graph *g, const por_node *x, const char *what)
{
	if (x->node->type->kind == TYPE_ARRAY) return (int)x->node->type->n;
	graph_fail(g->ir, ERR_TYPE, "%s: the operand is no array", what);
	return -1;
}

por_node *make_reshape(por_node *x, int rank, const por_size *sizes, const char *where)
{
	BEGIN(1, &x);
	const Size **dim = rank_of(g, x, "reshape") < 0 ? NULL : take_sizes(g, rank, sizes);
	LEAVE(give_node(g, dim ? reshape(ir, x->node, (uint32_t)rank, dim) : NULL));
}

por_node *make_transpose(por_node *x, const int *axes, const char *where)
{
	BEGIN(1, &x);
	int rank = rank_of(g, x, "transpose");
	int64_t *a = rank < 0 || !axes ? NULL : wide(g, rank, axes);
	for (int i = 0; a && i < rank; i++) a[i] += a[i] < 0 ? rank : 0;
	Node *y = NULL;
	if (rank >= 0 && !axes)
		y = turn(ir, x->node);
	else if (a)
		y = transpose(ir, x->node, a);
	LEAVE(give_node(g, y));
}

por_node *make_expand(por_node *x, int n, const int *axes, const por_size *sizes, const char *where)
{
	BEGIN(1, &x);
	int64_t *a = rank_of(g, x, "expand") < 0 ? NULL : wide(g, n, axes);
	const Size **dim = a ? take_sizes(g, n, sizes) : NULL;
	LEAVE(give_node(g, dim ? expand(ir, x->node, (uint32_t)n, a, dim) : NULL));
}

static int64_t *steps_of(por_graph *g, int rank, const int64_t *step)
{
	int64_t *out = NEW_ARRAY(g->ir->arena, int64_t, rank + 1);
	for (int i = 0; i < rank; i++) out[i] = step ? step[i] : 1;
	return out;
}

por_node *make_slice(
	por_node *x, const por_size *start, const por_size *length, const int64_t *step, const char *where)
{
	BEGIN(1, &x);
	int rank = rank_of(g, x, "slice");
	const Size **a = rank < 0 ? NULL : take_sizes(g, rank, start),
		   **b = a ? take_sizes(g, rank, length) : NULL;
	LEAVE(give_node(g, b ? slice(ir, x->node, a, b, steps_of(g, rank, step)) : NULL));
}

por_node *make_pad(
	por_node *x, const por_size *before, const por_size *after, const int64_t *step, const char *where)
{
	BEGIN(1, &x);
	int rank = rank_of(g, x, "pad");
	const Size **a = rank < 0 ? NULL : take_sizes(g, rank, before),
		   **b = a ? take_sizes(g, rank, after) : NULL;
	LEAVE(give_node(g, b ? pad(ir, x->node, a, b, steps_of(g, rank, step)) : NULL));
}

por_node *make_flip(por_node *x, int n, const int *axes, const char *where)
{
	BEGIN(1, &x);
	int64_t *a = rank_of(g, x, "flip") < 0 ? NULL : wide(g, n, axes);
	LEAVE(give_node(g, a ? flip(ir, x->node, (uint32_t)n, a) : NULL));
}

por_node *make_concat(int axis, int n, por_node *const *x, const char *where)
{
	BEGIN(n, x);
	LEAVE(give_node(g, concat(ir, axis, (uint32_t)n, take_nodes(g, n, x))));
}

por_node *por_turn(por_node *x)
{
	return make_transpose(x, NULL, NULL);
}

por_node *por_broadcast_to(por_node *x, int rank, const por_size *sizes)
{
	const char *const where = NULL;
	BEGIN(1, &x);
	const Size **dim = rank_of(g, x, "broadcast_to") < 0 ? NULL : take_sizes(g, rank, sizes);
	LEAVE(give_node(g, dim ? spread_to(ir, "broadcast_to", x->node, (uint32_t)rank, dim) : NULL));
}

por_node *por_squeeze(por_node *x, int n, const int *axes)
{
	const char *const where = NULL;
	BEGIN(1, &x);
	int64_t *a = rank_of(g, x, "squeeze") < 0 ? NULL : wide(g, n, axes);
	LEAVE(give_node(g, a ? squeeze(ir, x->node, (uint32_t)n, a) : NULL));
}

por_node *por_unsqueeze(por_node *x, int n, const int *axes)
{
	const char *const where = NULL;
	BEGIN(1, &x);
	int64_t *a = rank_of(g, x, "unsqueeze") < 0 ? NULL : wide(g, n, axes);
	LEAVE(give_node(g, a ? unsqueeze(ir, x->node, (uint32_t)n, a) : NULL));
}

/* ---- indices ------------------------------------------------------------------------------------ */

por_node *make_gather(por_node *x, por_node *i, int axis, const char *where)
{
	BEGIN(2, ((por_node *[]){x, i}));
	LEAVE(give_node(g, rank_of(g, x, "gather") < 0 ? NULL : gather(ir, x->node, i->node, axis)));
}

por_node *por_at_index(por_node *x, por_node *i)
{
	return make_gather(x, i, 0, NULL);
}

por_node *make_scatter(Op op, por_node *x, por_node *i, por_node *v, int axis, const char *where)
{
	BEGIN(3, ((por_node *[]){x, i, v}));
	LEAVE(give_node(g,
		rank_of(g, x, op_info[op].text) < 0 ? NULL
						    : scatter(ir, op, x->node, i->node, v->node, axis)));
}

por_node *make_one_hot(por_node *i, por_size n, int dtype, const char *where)
{
	BEGIN(1, &i);
	const Size *size = take_size(g, n);
	if (!size || !dtype_public(dtype))
		LEAVE((por_node *)graph_fail(ir, ERR_VALUE, "one_hot: there is no such size or dtype"));
	AttrValue v[2] = {av_size(size), av_dtype((Dtype)dtype)};
	LEAVE(give_node(g, build(ir, OP_ONE_HOT, attr_make(ir, 2, v), 1, &i->node)));
}

por_node *make_top_k(por_node *x, por_size k, const char *where)
{
	BEGIN(1, &x);
	const Size *size = take_size(g, k);
	AttrValue v = av_size(size);
	LEAVE(give_node(g, size ? build(ir, OP_TOP_K, attr_make(ir, 1, &v), 1, &x->node) : NULL));
}

/* ---- contraction, decompositions ------------------------------------------------------------------ */

/* "ij,jk->ik": letters up to the end sign; -1: something else, or not as many as axes. */
static int read_labels(const char **text, const char *ends, int64_t *label, int rank)
{
	int n = 0; /* labels are small numbers: a is 0, A is 26 */
	for (; **text && !strchr(ends, **text); ++*text) {
		if (**text == ' ') continue;
		bool letter = (**text >= 'a' && **text <= 'z') || (**text >= 'A' && **text <= 'Z');
		if (!letter || n == RANK_MAX) return -1;
		label[n++] = **text >= 'a' ? **text - 'a' : 26 + (**text - 'A');
	}
	return rank >= 0 && n != rank ? -1 : n;
}

por_node *make_einsum(const char *labels, por_node *x, por_node *y, const char *where)
{
	BEGIN(2, ((por_node *[]){x, y}));
	int64_t lx[RANK_MAX], ly[RANK_MAX], lz[RANK_MAX];
	int rx = rank_of(g, x, "einsum"), ry = rank_of(g, y, "einsum"), n = -1;
	const char *at = labels;
	if (rx < 0 || ry < 0) LEAVE((por_node *)NULL);
	if (at && read_labels(&at, ",", lx, rx) >= 0 && *at++ == ',' && read_labels(&at, "-", ly, ry) >= 0 &&
		*at++ == '-' && *at++ == '>')
		n = read_labels(&at, "", lz, -1);
	if (n < 0)
		LEAVE((por_node *)graph_fail(ir, ERR_VALUE,
			"einsum: \"%s\" for operands of %d and %d axes: wanted a letter for each axis, as in "
			"\"ij,jk->ik\"",
			labels ? labels : "", rx, ry));
	LEAVE(give_node(g, contract(ir, (Labelled){x->node, lx}, (Labelled){y->node, ly}, (uint32_t)n, lz)));
}

por_node *make_matmul(por_node *x, por_node *y, const char *where)
{
	BEGIN(2, ((por_node *[]){x, y}));
	LEAVE(give_node(
		g, rank_of(g, x, "@") < 0 || rank_of(g, y, "@") < 0 ? NULL : matmul(ir, x->node, y->node)));
}

por_node *make_tri_solve(por_node *a, por_node *b, int upper, int turned, const char *where)
{
	AttrValue v[2] = {av_int(upper != 0), av_int(turned != 0)};
	return make_op(OP_TRI_SOLVE, 2, v, 2, (por_node *[]){a, b}, where);
}

/* ---- random, tuples, library ---------------------------------------------------------------------- */

por_node *make_random(Op op, por_node *k, int dtype, int rank, const por_size *sizes, const char *where)
{
	BEGIN(1, &k);
	const Size **dim = dtype_public(dtype) ? take_sizes(g, rank, sizes) : NULL;
	if (!dim)
		LEAVE((por_node *)graph_fail(
			ir, ERR_VALUE, "%s: there is no dtype %d", op_info[op].text, dtype));
	AttrValue v[2 * RANK_MAX + 1] = {av_dtype((Dtype)dtype)};
	for (int i = 0; i < rank; i++) v[1 + i] = av_size(dim[i]);
	LEAVE(give_node(g, build(ir, op, attr_make(ir, 1 + (uint32_t)rank, v), 1, &k->node)));
}

por_node *make_tuple(int n, por_node *const *x, const char *where)
{
	BEGIN(n, x);
	LEAVE(give_node(g, tuple(ir, (uint32_t)n, take_nodes(g, n, x))));
}

por_node *make_get(por_node *t, int i, const char *where)
{
	BEGIN(1, &t);
	const Type *type = t->node->type;
	if (type->kind != TYPE_TUPLE)
		LEAVE((por_node *)graph_fail(ir, ERR_TYPE, "get: the operand is no tuple"));
	if (i < 0 || i >= (int)type->n)
		LEAVE((por_node *)graph_fail(
			ir, ERR_TYPE, "get: there is no element %d in a tuple of %u", i, type->n));
	LEAVE(give_node(g, get(ir, t->node, (uint32_t)i)));
}

por_node *make_library(const char *name, int axis, int n, por_node *const *x, const char *where)
{
	BEGIN(n, x);
	static const char *const names[] = {"a", "b", "c", "d"};
	char text[200], bracket[20] = "";
	if (axis != NO_AXIS && axis != POR_ALL) snprintf(bracket, sizeof bracket, "[%d]", axis);
	static const char *const operands[] = {"a", "a, b", "a, b, c"};
	snprintf(text, sizeof text, "%s%s(%s)", name, bracket, operands[n < 3 ? n - 1 : 2]);
	LEAVE(give_node(g, parse_node(g, text, (uint32_t)n, names, take_nodes(g, n, x))));
}
