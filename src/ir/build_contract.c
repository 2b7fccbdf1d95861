/* build_contract.c - sums of products: einsum by labels, and matmul as the labels that it means. */
#include "build.h"

/* Labels of an operand without its literal axes of size 1 that the result lacks (and that are 1 in the other, too). */
static Node *squeeze_labels(Graph *g, Node *x, const int64_t *l, const Node *other, const int64_t *lo,
	uint32_t n, const int64_t *result, int64_t *kept)
{
	int64_t gone[RANK_MAX];
	uint32_t ngone = 0, k = 0;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		bool stays = false;
		for (uint32_t j = 0; j < n; j++) stays |= result[j] == l[i];
		for (uint32_t j = 0; j < node_rank(other); j++)
			stays |= lo[j] == l[i] && !size_equals(node_dim(other, j), 1);
		if (!stays && size_equals(node_dim(x, i), 1))
			gone[ngone++] = i;
		else
			kept[k++] = l[i];
	}
	return ngone ? squeeze(g, x, ngone, gone) : x;
}

static bool has_label(uint32_t n, const int64_t *l, int64_t label)
{
	for (uint32_t i = 0; i < n; i++)
		if (l[i] == label) return true;
	return false;
}

/* x where two of its axes agree: one axis, the last.  With a row more of zeros the diagonal is a column. */
static Node *diagonal(Graph *g, Node *x, uint32_t i, uint32_t j)
{
	int64_t perm[RANK_MAX], ones[RANK_MAX];
	const Size *dim[RANK_MAX + 1], *none[RANK_MAX], *after[RANK_MAX], *n = node_dim(x, i);
	uint32_t k = 0;
	for (uint32_t a = 0; a < node_rank(x); a++)
		if (a != i && a != j) dim[k] = node_dim(x, a), perm[k++] = a;
	perm[k] = i, perm[k + 1] = j, dim[k] = dim[k + 1] = n;
	if (!(x = sized(g, transpose(g, x, perm), k + 2, dim))) return NULL;
	for (uint32_t a = 0; a < k + 2; a++) ones[a] = 1, none[a] = after[a] = size_const(g, 0);
	dim[k] = size_mul(g, n, n), after[k] = n;
	if (!(x = reshape(g, x, k + 1, dim)) || !(x = pad(g, x, none, after, ones))) return NULL;
	dim[k] = n, dim[k + 1] = size_add(g, n, size_const(g, 1));
	if (!(x = reshape(g, x, k + 2, dim))) return NULL;
	dim[k + 1] = size_const(g, 1);
	x = slice(g, x, none, dim, ones);
	return x ? squeeze(g, x, 1, (int64_t[]){k + 1}) : NULL;
}

/* An operand with each label once, and without those that nothing else has: these are summed here. */
static Node *own_labels(Graph *g, Node *x, int64_t *l, uint32_t nother, const int64_t *other, uint32_t n,
	const int64_t *result)
{
	int64_t gone[RANK_MAX];
	uint32_t ngone = 0, k = 0;
	Dtype d = x ? node_dtype(x) : DT_NONE;
	for (uint32_t j = 1; x && j < node_rank(x); j++)
		for (uint32_t i = 0; i < j; i++)
			if (l[i] == l[j]) {
				int64_t label = l[i];
				uint32_t rank = node_rank(x), m = 0;
				if (!(x = diagonal(g, x, i, j))) return NULL;
				for (uint32_t a = 0; a < rank; a++)
					if (a != i && a != j) l[m++] = l[a];
				l[m] = label;
				j = 0; /* its axes have moved: from the beginning */
				break;
			}
	for (uint32_t i = 0; x && i < node_rank(x); i++)
		if (has_label(nother, other, l[i]) || has_label(n, result, l[i]))
			l[k++] = l[i];
		else
			gone[ngone++] = i;
	return ngone ? cast(g, fold(g, OP_SUM, x, ngone, gone), d) : x;
}

/* One form for equal contractions: labels are renumbered in the order of their first appearance; each stands
 * once in an operand, and in the other one or in the result. */
Node *contract(
	Graph *g, Node *x, const int64_t *lx, Node *y, const int64_t *ly, uint32_t n, const int64_t *result)
{
	if (!x || !y) return NULL;
	Dtype d = joint_dtype(g, OP_CONTRACT, 2, (Node *[]){x, y});
	if (d == DT_NONE) return NULL;
	int64_t kx[RANK_MAX], ky[RANK_MAX], number[64], next = 0;
	Node *x0 = x;
	for (uint32_t i = 0; i < n; i++)
		if (has_label(i, result, result[i]))
			return graph_fail(g, ERR_TYPE, "einsum: a name stands twice in the result");
	x = squeeze_labels(g, cast(g, x, d), lx, y, ly, n, result, kx);
	y = squeeze_labels(g, cast(g, y, d), ly, x0, lx, n, result, ky);
	if (y) x = own_labels(g, x, kx, node_rank(y), ky, n, result);
	if (x) y = own_labels(g, y, ky, node_rank(x), kx, n, result);
	if (!x || !y) return NULL;
	AttrValue v[3 * RANK_MAX + 2];
	uint32_t k = 0;
	memset(number, -1, sizeof number);
#define LABEL(l)                                                                                             \
	do {                                                                                                 \
		int64_t l_ = (l);                                                                            \
		if (l_ < 0 || l_ >= 64) return graph_fail(g, ERR_TYPE, "einsum: a label out of range");      \
		if (number[l_] < 0) number[l_] = next++;                                                     \
		v[k++] = av_int(number[l_]);                                                                 \
	} while (0)
	for (uint32_t i = 0; i < node_rank(x); i++) LABEL(kx[i]);
	v[k++] = av_int(-1);
	for (uint32_t i = 0; i < node_rank(y); i++) LABEL(ky[i]);
	v[k++] = av_int(-1);
	for (uint32_t i = 0; i < n; i++) LABEL(result[i]);
#undef LABEL
	return node_make(g, OP_CONTRACT, attr_make(g, k, v), 2, (Node *[]){x, y});
}

/* The same from the attribute of a node: labels of x, -1, labels of y, -1, labels of the result. */
Node *build_contract(Graph *g, const Attr *attr, Node *const *x)
{
	int64_t l[3][RANK_MAX];
	uint32_t n[3] = {0}, side = 0;
	for (uint32_t i = 0; i < (attr ? attr->n : 0); i++)
		if (attr->v[i].u.i < 0)
			side++;
		else if (side < 3 && n[side] < RANK_MAX)
			l[side][n[side]++] = attr->v[i].u.i;
	if (side != 2 || n[0] != node_rank(x[0]) || n[1] != node_rank(x[1]))
		return graph_fail(g, ERR_TYPE, "einsum: given %s and %s, wanted a label for each axis",
			type_shown(g, x[0]->type), type_shown(g, x[1]->type));
	return contract(g, x[0], l[0], x[1], l[1], n[2], l[2]);
}

Node *matmul(Graph *g, Node *x, Node *y)
{
	if (!x || !y) return NULL;
	uint32_t rx = node_rank(x), ry = node_rank(y);
	if (!rx || !ry || x->type->kind != TYPE_ARRAY || y->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "@: %s and %s: both need an axis; use * for scalars",
			type_shown(g, x->type), type_shown(g, y->type));
	const Size *inner = node_dim(x, rx - 1), *other = node_dim(y, ry > 1 ? ry - 2 : 0);
	if (size_differ(g, inner, other))
		return graph_fail(g, ERR_TYPE, "@: inner sizes differ: %s (of %s) and %s (of %s)",
			size_shown(g, inner), type_shown(g, x->type), size_shown(g, other),
			type_shown(g, y->type));
	uint32_t bx = rx > 2 ? rx - 2 : 0, by = ry > 2 ? ry - 2 : 0, batch = bx > by ? bx : by, n = 0;
	int64_t lx[RANK_MAX], ly[RANK_MAX], out[RANK_MAX], gone[RANK_MAX];
	enum { ROW = 40, INNER, COLUMN };
	/* Batches align from the right.  A literal axis of 1 against another size is squeezed away, not repeated. */
	for (uint32_t side = 0; side < 2; side++) {
		Node **p = side ? &y : &x;
		const Node *q = side ? x : y;
		uint32_t bp = side ? by : bx, bq = side ? bx : by, ngone = 0, k = 0;
		int64_t *l = side ? ly : lx;
		for (uint32_t i = 0; i < bp; i++) {
			uint32_t right = bp - i; /* distance from the matrix axes */
			if (right <= bq && size_equals(node_dim(*p, i), 1) &&
				!size_equals(node_dim(q, bq - right), 1))
				gone[ngone++] = i;
			else
				l[k++] = batch - right;
		}
		uint32_t rank = node_rank(*p);
		if (!side)
			l[k++] = rank > 1 ? ROW : INNER;
		else if (rank > 1)
			l[k++] = INNER;
		if (!side ? rank > 1 : true) l[k++] = side ? (rank > 1 ? COLUMN : INNER) : INNER;
		if (ngone && !(*p = squeeze(g, *p, ngone, gone))) return NULL;
	}
	for (uint32_t i = 0; i < batch; i++) out[n++] = i;
	if (rx > 1) out[n++] = ROW;
	if (ry > 1) out[n++] = COLUMN;
	return contract(g, x, lx, y, ly, n, out);
}
