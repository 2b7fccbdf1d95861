/* build_contract.c - sums of products: einsum by labels, and matmul as the labels that it means. */
#include "build.h"

/* Labels of an operand without its literal axes of size 1 that the result lacks (and that are 1 in the
 * other). */
static Node *squeeze_labels(
	Graph *g, Labelled x, Labelled other, uint32_t n, const int64_t *result, int64_t *kept)
{
	int64_t gone[RANK_MAX];
	uint32_t ngone = 0, k = 0;
	for (uint32_t i = 0; i < node_rank(x.x); i++) {
		bool stays = false;
		for (uint32_t j = 0; j < n; j++) stays |= result[j] == x.label[i];
		for (uint32_t j = 0; j < node_rank(other.x); j++)
			stays |= other.label[j] == x.label[i] && !size_equals(node_dim(other.x, j), 1);
		if (!stays && size_equals(node_dim(x.x, i), 1))
			gone[ngone++] = i;
		else
			kept[k++] = x.label[i];
	}
	return ngone ? squeeze(g, x.x, ngone, gone) : x.x;
}

/* With a row more of zeros the diagonal is a column. */
Node *diagonal(Graph *g, Node *x, uint32_t i, uint32_t j)
{
	int64_t perm[RANK_MAX], ones[RANK_MAX];
	const Size *dim[RANK_MAX + 1], *none[RANK_MAX], *after[RANK_MAX], *n = node_dim(x, i);
	uint32_t k = 0;
	for (uint32_t a = 0; a < node_rank(x); a++)
		if (a != i && a != j) {
			dim[k] = node_dim(x, a);
			perm[k++] = a;
		}
	perm[k] = i;
	perm[k + 1] = j;
	dim[k] = dim[k + 1] = n;
	if (!(x = sized(g, transpose(g, x, perm), k + 2, dim))) return NULL;
	for (uint32_t a = 0; a < k + 2; a++) {
		ones[a] = 1;
		none[a] = after[a] = size_const(g, 0);
	}
	dim[k] = size_mul(g, n, n);
	after[k] = n;
	if (!(x = reshape(g, x, k + 1, dim)) || !(x = pad(g, x, none, after, ones))) return NULL;
	dim[k] = n;
	dim[k + 1] = size_add(g, n, size_const(g, 1));
	if (!(x = reshape(g, x, k + 2, dim))) return NULL;
	dim[k + 1] = size_const(g, 1);
	x = slice(g, x, none, dim, ones);
	return x ? squeeze(g, x, 1, (int64_t[]){k + 1}) : NULL;
}

/* An operand with each label once, and without those that nothing else has: these are summed here. */
static Node *own_labels(Graph *g, Node *x, int64_t *l, Labelled other, uint32_t n, const int64_t *result)
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
		if (list_has(node_rank(other.x), other.label, l[i]) || list_has(n, result, l[i]))
			l[k++] = l[i];
		else
			gone[ngone++] = i;
	return ngone ? cast(g, fold(g, OP_SUM, x, ngone, gone), d) : x;
}

/* The attribute of a contraction: labels of x, -1, labels of y, -1, labels of the result. */
typedef struct Labelling {
	uint32_t n;
	AttrValue v[3 * RANK_MAX + 3];
	int64_t number[LABELS_MAX], next; /* of each label as it is given; -1: it has not been met */
} Labelling;

static bool add_labels(Labelling *s, uint32_t n, const int64_t *labels)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t l = labels[i];
		if (l < 0 || l >= LABELS_MAX) return false;
		if (s->number[l] < 0) s->number[l] = s->next++;
		s->v[s->n++] = av_int(s->number[l]);
	}
	s->v[s->n++] = av_int(-1);
	return true;
}

/* One form for equal contractions: labels are renumbered in the order of their first appearance; each stands
 * once in an operand, and in the other one or in the result. */
Node *contract(Graph *g, Labelled a, Labelled b, uint32_t n, const int64_t *result)
{
	if (!a.x || !b.x) return NULL;
	Dtype d = joint_dtype(g, OP_CONTRACT, 2, (Node *[]){a.x, b.x});
	if (d == DT_NONE) return NULL;
	int64_t kx[RANK_MAX], ky[RANK_MAX];
	for (uint32_t i = 0; i < n; i++)
		if (list_has(i, result, result[i]))
			return graph_fail(g, ERR_TYPE, "einsum: a name stands twice in the result");
	a.x = cast(g, a.x, d);
	b.x = cast(g, b.x, d);
	Node *x = squeeze_labels(g, a, b, n, result, kx), *y = squeeze_labels(g, b, a, n, result, ky);
	if (y) x = own_labels(g, x, kx, (Labelled){y, ky}, n, result);
	if (x) y = own_labels(g, y, ky, (Labelled){x, kx}, n, result);
	if (!x || !y) return NULL;
	Labelling s = {0};
	memset(s.number, -1, sizeof s.number);
	if (!add_labels(&s, node_rank(x), kx) || !add_labels(&s, node_rank(y), ky) ||
		!add_labels(&s, n, result))
		return graph_fail(g, ERR_TYPE, "einsum: a label out of range");
	return node_make(g, OP_CONTRACT, attr_make(g, s.n - 1, s.v), 2, (Node *[]){x, y});
}

Labelled without_repeats(Node *x, int64_t *label)
{
	for (uint32_t i = 0; i < node_rank(x); i++) label[i] = i;
	while (x->op == OP_EXPAND) {
		uint32_t kept = 0;
		for (uint32_t i = 0, k = 0; i < node_rank(x); i++)
			if (k < attr_count(x) && attr_int(x, k) == i)
				k += 2;
			else
				label[kept++] = label[i];
		x = x->arg[0];
	}
	return (Labelled){x, label};
}

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
	return contract(g, (Labelled){x[0], l[0]}, (Labelled){x[1], l[1]}, n[2], l[2]);
}

enum { ROW = 40, INNER, COLUMN }; /* labels beside those of the batch, which are its axes */

/* An operand of a product of matrices, and how many axes its batch has. */
typedef struct Batched {
	Node *x;
	uint32_t n;
} Batched;

/* Is batch axis i of x one element beside more of them? */
static bool is_dropped(const Batched *x, uint32_t i, const Batched *other)
{
	uint32_t right = x->n - i; /* distance from the matrix axes */
	return right <= other->n && size_equals(node_dim(x->x, i), 1) &&
		!size_equals(node_dim(other->x, other->n - right), 1);
}

/* Labels of the batch axes of x, which align from the right with those of the other operand; a literal axis
 * of 1 against another size is squeezed away, not repeated. */
static Node *batch_labels(Graph *g, const Batched *x, const Batched *other, int64_t *label, uint32_t *n)
{
	int64_t gone[RANK_MAX], batch = x->n > other->n ? x->n : other->n;
	uint32_t ngone = 0;
	for (uint32_t i = 0; i < x->n; i++) {
		if (is_dropped(x, i, other))
			gone[ngone++] = i;
		else
			label[(*n)++] = batch - (x->n - i);
	}
	return ngone ? squeeze(g, x->x, ngone, gone) : x->x;
}

Node *matmul(Graph *g, Node *x, Node *y)
{
	if (!x || !y) return NULL;
	uint32_t rx = node_rank(x), ry = node_rank(y);
	if (!rx || !ry || x->type->kind != TYPE_ARRAY || y->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "@: %s and %s: both need an axis; use * for scalars",
			type_shown(g, x->type), type_shown(g, y->type));
	const Size *inner = node_dim(x, rx - 1), *other = node_dim(y, ry > 1 ? ry - 2 : 0);
	if (sizes_clash(g, inner, other))
		return graph_fail(g, ERR_TYPE, "@: inner sizes differ: %s (of %s) and %s (of %s)",
			size_shown(g, inner), type_shown(g, x->type), size_shown(g, other),
			type_shown(g, y->type));
	uint32_t bx = rx > 2 ? rx - 2 : 0, by = ry > 2 ? ry - 2 : 0, batch = bx > by ? bx : by;
	uint32_t nx = 0, ny = 0, n = 0;
	int64_t lx[RANK_MAX], ly[RANK_MAX], out[RANK_MAX];
	const Batched a = {x, bx}, b = {y, by};
	Node *left = batch_labels(g, &a, &b, lx, &nx), *right = batch_labels(g, &b, &a, ly, &ny);
	if (rx > 1) lx[nx++] = ROW;
	lx[nx] = INNER;
	ly[ny++] = INNER;
	if (ry > 1) ly[ny] = COLUMN;
	for (uint32_t i = 0; i < batch; i++) out[n++] = i;
	if (rx > 1) out[n++] = ROW;
	if (ry > 1) out[n++] = COLUMN;
	return contract(g, (Labelled){left, lx}, (Labelled){right, ly}, n, out);
}

static bool drops_any(const Batched *x, const Batched *other)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (is_dropped(x, i, other)) return true;
	return false;
}

/* The label that axis i of an operand has in a product of matrices: a batch's is its distance from the
 * matrix. */
static int64_t matmul_label(uint32_t i, uint32_t rank, uint32_t batch, bool left)
{
	uint32_t own = rank > 2 ? rank - 2 : 0;
	if (i < own) return batch - (own - i);
	if (rank == 1 || (i == own) != left) return INNER;
	return left ? ROW : COLUMN;
}

bool is_matmul(const Node *x)
{
	if (x->op != OP_CONTRACT) return false;
	const Node *a = x->arg[0], *b = x->arg[1];
	uint32_t ra = node_rank(a), rb = node_rank(b);
	if (!ra || !rb) return false;
	uint32_t na = ra > 2 ? ra - 2 : 0, nb = rb > 2 ? rb - 2 : 0, batch = na > nb ? na : nb;
	const Size *inner = node_dim(a, ra - 1), *other = node_dim(b, rb > 1 ? rb - 2 : 0);
	const Batched as = {x->arg[0], na}, bs = {x->arg[1], nb};
	if (drops_any(&as, &bs) || drops_any(&bs, &as)) return false;
	if (size_equals(inner, 1) && size_equals(other, 1)) return false;
	Labelling s = {0};
	int64_t l[RANK_MAX];
	uint32_t n = 0;
	memset(s.number, -1, sizeof s.number);
	for (uint32_t i = 0; i < ra; i++) l[i] = matmul_label(i, ra, batch, true);
	add_labels(&s, ra, l);
	for (uint32_t i = 0; i < rb; i++) l[i] = matmul_label(i, rb, batch, false);
	add_labels(&s, rb, l);
	for (uint32_t i = 0; i < batch; i++) l[n++] = i;
	if (ra > 1) l[n++] = ROW;
	if (rb > 1) l[n++] = COLUMN;
	add_labels(&s, n, l);
	bool same = attr_count(x) == s.n - 1;
	for (uint32_t i = 0; same && i + 1 < s.n; i++) same = attr_int(x, i) == s.v[i].u.i;
	return same;
}
