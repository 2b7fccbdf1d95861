/* build_solve.c - decompositions and solving, with the dtypes and batches that are meant.
 *
 * Integers and literals are f64, as in a quotient.  Batches broadcast; a right
 * side of one axis is a vector, solved as a matrix of one column.
 */
#include "ir.h"

static Dtype solve_dtype(uint32_t n, Node *const *x)
{
	Dtype d = node_dtype(x[0]);
	for (uint32_t i = 1; i < n; i++) d = dtype_promote(d, node_dtype(x[i]));
	return dtype_is_integer(d) || d == DT_WEAK_FLOAT ? DT_F64 : d;
}

/* The leading sizes of both; where they do not fit, broadcast_to tells. */
static bool join_batches(Graph *g, Node **x)
{
	uint32_t rank = node_rank(x[0]) > node_rank(x[1]) ? node_rank(x[0]) : node_rank(x[1]);
	const Size *dim[RANK_MAX] = {0};
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0, lead = rank - node_rank(x[k]); i + 2 < node_rank(x[k]); i++)
			if (!dim[lead + i] || size_equals(dim[lead + i], 1))
				dim[lead + i] = node_dim(x[k], i);
	for (int k = 0; k < 2; k++) {
		for (uint32_t i = 1; i <= 2; i++) dim[rank - i] = node_dim(x[k], node_rank(x[k]) - i);
		if (!(x[k] = broadcast_to(g, x[k], rank, dim))) return false;
	}
	return true;
}

Node *build_solve(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	Node *x[2];
	for (uint32_t i = 0; i < n; i++)
		if (args[i]->type->kind != TYPE_ARRAY) return node_make(g, op, attr, n, args);
	Dtype d = solve_dtype(n, args);
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] = d == DT_F32 || d == DT_F64 ? cast(g, args[i], d) : args[i])) return NULL;
	uint32_t r = node_rank(x[0]);
	if (op == OP_QR || r < 2 || !node_rank(x[1])) return node_make(g, op, attr, n, x);
	bool vector = node_rank(x[1]) == 1;
	if (vector && sizes_clash(g, node_dim(x[0], r - 2), node_dim(x[1], 0)))
		return node_make(g, op, attr, n, x); /* which says so */
	if (vector) x[1] = unsqueeze(g, x[1], 1, (int64_t[]){1});
	if (!x[1] || !join_batches(g, x)) return NULL;
	Node *z = node_make(g, op, attr, n, x);
	return z && vector ? squeeze(g, z, 1, (int64_t[]){(int64_t)node_rank(z) - 1}) : z;
}
