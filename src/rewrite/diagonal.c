/* diagonal.c - unit matrices, diagonals, rows that a one-hot selects: products with them, solves, and what of
 * a matrix lies on its diagonal.
 *
 * Needs: a product, a sum, a solve or a view over normal operands.  Gives: an equal node without the matrix,
 * or NULL, by law `real`: 0 times what is infinite is forgotten.
 */
#include "../oracle/oracle.h"
#include "rules.h"

/* ---- what is zero off its diagonal ----------------------------------------------------------- */

/* Row index and column index compared: iota[n]()[:, _] == iota[n](). */
static bool is_diagonal_mask(const Node *c)
{
	if (c->op != OP_EQ || node_rank(c) != 2 || node_dim(c, 0) != node_dim(c, 1)) return false;
	int64_t axis[2];
	for (uint32_t k = 0; k < 2; k++) {
		const Node *e = c->arg[k];
		if (e->op != OP_EXPAND || attr_count(e) != 2 || e->arg[0]->op != OP_IOTA) return false;
		axis[k] = attr_int(e, 0);
	}
	return axis[0] != axis[1];
}

bool is_identity(const Node *x)
{
	if (x->op == OP_CAST) return is_diagonal_mask(x->arg[0]);
	return x->op == OP_ONE_HOT && node_rank(x) == 2 && x->arg[0]->op == OP_IOTA &&
		node_dim(x, 0) == node_dim(x, 1);
}

/* What is the same along rows or along columns, or everywhere: a vector, a number; else NULL. */
static Node *along_diagonal(Graph *g, Node *x)
{
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_scalar(g, node_dtype(x)));
	return x->op == OP_EXPAND && x->narg == 1 && node_rank(x) == 2 ? x->arg[0] : NULL;
}

/* Is x zero off its diagonal?  *numbers: what stands on it, a vector or a number; NULL: ones. */
static bool is_diagonal(Graph *g, Node *x, Node **numbers)
{
	double zero;
	*numbers = NULL;
	if (is_identity(x)) return true;
	if (x->op == OP_WHERE && is_diagonal_mask(x->arg[0]) && constant_value(x->arg[2], &zero) && zero == 0)
		return (*numbers = along_diagonal(g, x->arg[1]));
	for (uint32_t k = 0; k < 2 && x->op == OP_MUL; k++)
		if (is_identity(x->arg[k]) && (*numbers = along_diagonal(g, x->arg[1 - k]))) return true;
	return false;
}

/* Both, each NULL where it is ones. */
static Node *numbers_times(Graph *g, Node *a, Node *b)
{
	if (!a || !b) return a ? a : b;
	return build2(g, OP_MUL, a, b);
}

/* The matrix of the same size with these numbers. */
static Node *diagonal_with(Graph *g, Node *like, Node *numbers)
{
	AttrValue v[2] = {av_size(node_dim(like, 0)), av_dtype(node_dtype(like))};
	Node *i = iota(g, node_dim(like, 0)),
	     *one = i ? node_make(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &i) : NULL;
	if (!one || !numbers) return one;
	return build2(g, OP_MUL, one, broadcast_to(g, numbers, 2, like->type->u.dim));
}

/* ---- products -------------------------------------------------------------------------------- */

/* y times, or divided by, the numbers along its axis `at`. */
static Node *scaled_along(Graph *g, Op op, Node *y, Node *numbers, uint32_t at)
{
	int64_t axis[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	if (!numbers || node_is_scalar(numbers)) return numbers ? build2(g, op, y, numbers) : y;
	for (uint32_t i = 0; i < node_rank(y); i++)
		if (i != at) {
			axis[n] = i;
			dim[n++] = node_dim(y, i);
		}
	return build2(g, op, y, expand(g, numbers, n, axis, dim));
}

/* y, whose axes have these labels, with them in the order of the result. */
static Node *ordered(Graph *g, Node *y, const int64_t *label, const Labels *s)
{
	int64_t perm[RANK_MAX];
	if (!y || node_rank(y) != s->n[2]) return NULL;
	for (uint32_t i = 0; i < s->n[2]; i++) {
		uint32_t k = 0;
		while (k < s->n[2] && label[k] != s->l[2][i]) k++;
		if (k == s->n[2]) return NULL;
		perm[i] = k;
	}
	return transpose(g, y, perm);
}

static uint32_t place_in(const Labels *s, uint32_t side, int64_t label)
{
	uint32_t at = 0;
	while (at < s->n[side] && s->l[side][at] != label) at++;
	return at;
}

/* A product with a diagonal matrix scales rows or columns; one of two of them is one. */
Node *product_of_identity(Graph *g, Node *x)
{
	Labels s = labels_of(x->attr);
	Node *numbers, *others;
	for (uint32_t k = 0; k < 2; k++) {
		Node *y = x->arg[1 - k];
		if (s.n[k] != 2 || !is_diagonal(g, x->arg[k], &numbers)) continue;
		for (uint32_t side = 0; side < 2; side++) {
			int64_t summed = s.l[k][side], kept = s.l[k][1 - side];
			uint32_t at = place_in(&s, 1 - k, summed);
			if (list_has(s.n[2], s.l[2], summed) || list_has(s.n[1 - k], s.l[1 - k], kept) ||
				at == s.n[1 - k])
				continue;
			s.l[1 - k][at] = kept;
			if (node_rank(y) == 2 && s.n[2] == 2 && is_diagonal(g, y, &others))
				return diagonal_with(g, x, numbers_times(g, numbers, others));
			return ordered(g, scaled_along(g, OP_MUL, y, numbers, at), s.l[1 - k], &s);
		}
	}
	return NULL;
}

/* Is every index within the n places of the one-hot? */
static bool within(Facts *facts, const Node *one_hot)
{
	Node *i = one_hot->arg[0];
	const Range *r = range_of(facts, i);
	const Size *n = node_dim(one_hot, node_rank(one_hot) - 1);
	int64_t size, at;
	if (i->op == OP_GATHER && i->arg[0]->op == OP_IOTA && node_dim(i->arg[0], 0) == n) return true;
	if (constant_integer(i, &at) && constant_is_uniform(i))
		return size_is(n, &size) && at >= 0 && at < size;
	if (!size_is(n, &size) || r->lo < 0) return false;
	return r->hi < (double)size || (r->hi == (double)size && r->hi_open);
}

/* sum(one_hot(i)*x) is x[i], for one i. */
Node *pick_by_one_hot(Graph *g, Node *x, Facts *facts)
{
	Node *p = x->arg[0];
	for (uint32_t k = 0; k < 2 && p->op == OP_MUL; k++) {
		Node *h = p->arg[k], *from = p->arg[1 - k];
		if (h->op == OP_ONE_HOT && node_rank(h) == 1 && within(facts, h))
			return gather(g, from, h->arg[0], 0);
	}
	bool row = p->op == OP_ONE_HOT && attr_count(x) == 1 && attr_int(x, 0) + 1 == node_rank(p);
	return row && within(facts, p) ? like(g, x, 1) : NULL;
}

/* one_hot(i) @ W is W[i], whichever axis of W it is. */
Node *rows_by_one_hot(Graph *g, Node *x, Facts *facts)
{
	Labels s = labels_of(x->attr);
	for (uint32_t k = 0; k < 2; k++) {
		Node *h = x->arg[k], *w = x->arg[1 - k];
		int64_t label[2 * RANK_MAX], last;
		uint32_t n = 0, at, rank = s.n[k];
		if (h->op != OP_ONE_HOT) continue;
		last = s.l[k][rank - 1];
		at = place_in(&s, 1 - k, last);
		bool fits = at < s.n[1 - k] && !list_has(s.n[2], s.l[2], last);
		for (uint32_t i = 0; i + 1 < rank; i++) fits &= !list_has(s.n[1 - k], s.l[1 - k], s.l[k][i]);
		if (!fits || s.n[1 - k] + rank > RANK_MAX || !within(facts, h)) continue;
		for (uint32_t i = 0; i < s.n[1 - k]; i++) {
			if (i != at) label[n++] = s.l[1 - k][i];
			for (uint32_t j = 0; i == at && j + 1 < rank; j++) label[n++] = s.l[k][j];
		}
		return ordered(g, gather(g, w, h->arg[0], at), label, &s);
	}
	return NULL;
}

/* With a diagonal matrix a triangular solve divides; so it does with a matrix of one element. */
Node *solve_diagonal(Graph *g, Node *x)
{
	Node *a = x->arg[0], *b = x->arg[1], *numbers;
	if (node_rank(a) != 2 || node_rank(b) != 2) return NULL;
	if (size_equals(node_dim(a, 0), 1) && size_equals(node_dim(a, 1), 1))
		return build2(g, OP_DIV, b, reshape(g, a, 0, NULL));
	return is_diagonal(g, a, &numbers) ? scaled_along(g, OP_DIV, b, numbers, 0) : NULL;
}

/* ---- what lies on a diagonal -------------------------------------------------------------------- */

/* Those of a contraction to a matrix, whose rows and columns go together. */
static Labels labels_on_diagonal(const Node *product)
{
	Labels s = labels_of(product->attr);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s.n[side]; k++)
			if (s.l[side][k] == s.l[2][1]) s.l[side][k] = s.l[2][0];
	return s;
}

/* trace(A @ B), a sum over the diagonal of a product: no product of matrices is left. */
Node *trace_of_product(Graph *g, Node *x)
{
	Node *w = x->arg[0];
	double zero;
	if (w->op != OP_WHERE || attr_count(x) != 2 || !is_diagonal_mask(w->arg[0]) ||
		w->arg[1]->op != OP_CONTRACT || !constant_value(w->arg[2], &zero) || zero != 0)
		return NULL;
	Labels s = labels_on_diagonal(w->arg[1]);
	s.n[2] = 0;
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s.n[side]; k++)
			if (list_has(k, s.l[side], s.l[side][k])) return NULL; /* an operand's own */
	return contract_as(g, &s, w->arg[1]->arg[0], w->arg[1]->arg[1]);
}

/* The matrix whose diagonal this is, as views say it: a row of zeros more, and one element of each row. */
static Node *diagonal_from(Graph *g, const Node *x)
{
	static const Op views[] = {OP_RESHAPE, OP_SLICE, OP_RESHAPE, OP_PAD, OP_RESHAPE};
	const Node *v[countof(views)];
	for (size_t i = 0; i < countof(views); i++) {
		if (x->op != views[i] || x->narg != 1) return NULL;
		v[i] = x;
		x = x->arg[0];
	}
	if (x->type->kind != TYPE_ARRAY || node_rank(x) != 2 || node_rank(v[0]) != 1) return NULL;
	const Size *n = node_dim(x, 0);
	Node *y = v[4]->arg[0];
	return node_dim(x, 1) == n && diagonal(g, y, 0, 1) == v[0] ? y : NULL;
}

static Node *diagonal_of(Graph *g, Node *x)
{
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), 1, x->type->u.dim));
	if (x->op == OP_EXPAND && x->narg == 1) return broadcast_to(g, x->arg[0], 1, x->type->u.dim);
	return diagonal(g, x, 0, 1);
}

/* The numbers on the diagonal of a matrix that is zero besides, as views make it of them: each is followed by
 * n zeros, which end in the row below; NULL: it is none. */
static Node *placed_on_diagonal(Graph *g, const Node *x)
{
	const Node *cut = x->arg[0], *row = cut->op == OP_SLICE ? cut->arg[0] : cut,
		   *wide = row->op == OP_RESHAPE && row->narg == 1 ? row->arg[0] : row;
	if (cut->op != OP_SLICE || row->op != OP_RESHAPE || wide->op != OP_PAD) return NULL;
	if (node_rank(x) != 2 || node_rank(wide) != 2 || node_rank(row) != 1) return NULL;
	const Size *n = node_dim(x, 0), *one = size_const(g, 1), *none = size_const(g, 0);
	Node *column = wide->arg[0];
	if (node_dim(x, 1) != n || node_dim(column, 0) != n || node_dim(column, 1) != one) return NULL;
	if (node_dim(wide, 0) != n || node_dim(wide, 1) != size_add(g, n, one)) return NULL;
	const AttrValue *from = cut->attr->v, *before = wide->attr->v;
	if (from[0].u.size != none || before[0].u.size != none || before[1].u.size != none) return NULL;
	return reshape(g, column, 1, &n);
}

/* where(iota[n]()[:, _] == iota[n](), v, 0) */
static Node *diagonal_matrix(Graph *g, Node *v)
{
	const Size *n = node_dim(v, 0), *dim[2] = {n, n};
	Node *i = iota(g, n), *row = expand(g, i, 1, (int64_t[]){1}, &n);
	Node *column = expand(g, i, 1, (int64_t[]){0}, &n);
	Node *wide = expand(g, v, 1, (int64_t[]){0}, &n), *mask = build2(g, OP_EQ, row, column);
	return build3(g, OP_WHERE, mask, wide, constant_int(g, type_array(g, node_dtype(v), 2, dim), 0));
}

Node *move_diagonal(Graph *g, Node *x, const Moves *m)
{
	Node *v = x->narg == 1 ? placed_on_diagonal(g, x) : NULL;
	if (v) return diagonal_matrix(g, v);
	Node *f = diagonal_from(g, x), *arg[4], *numbers;
	bool real = m->laws & 1u << LAW_REAL;
	if (!f) return NULL;
	if (f->op == OP_TRANSPOSE) return diagonal(g, f->arg[0], 0, 1);
	if (f->op == OP_EXPAND && f->narg == 1) return diagonal_of(g, f);
	if (is_diagonal(g, f, &numbers))
		return numbers ? broadcast_to(g, numbers, 1, x->type->u.dim) : like(g, x, 1);
	if (needed_twice(m->needs, f)) return NULL;
	if (f->op == OP_CONTRACT && real) {
		Labels s = labels_on_diagonal(f);
		s.n[2] = 1;
		return contract_as(g, &s, f->arg[0], f->arg[1]);
	}
	if (op_info[f->op].class != MAP || !f->narg || f->narg > countof(arg)) return NULL;
	for (uint32_t k = 0; k < f->narg; k++)
		if (!(arg[k] = diagonal_of(g, f->arg[k]))) return NULL;
	return node_make(g, (Op)f->op, f->attr, f->narg, arg);
}

/* ---- pairs of row and column -------------------------------------------------------------------- */

/* Indices of rows and of columns, apart, of an index into all elements row by row. */
static bool pairs_of(Graph *g, Node *i, const Type *matrix, Node **row, Node **column)
{
	int64_t columns;
	uint32_t last = matrix->n - 1; /* 1 */
	const Size *width = DIM(matrix, last);
	if (i->op == OP_CONST && node_dtype(i) == DT_I64 && !constant_is_uniform(i) &&
		size_is(width, &columns) && columns > 0) {
		Node *by = constant_int(g, i->type, columns);
		*row = evaluate_constant(g, build2(g, OP_FLOORDIV, i, by));
		*column = evaluate_constant(g, build2(g, OP_MOD, i, by));
		return *row && *column && index_holds(g, *row, DIM(matrix, 0));
	}
	for (uint32_t k = 0; k < 2 && i->op == OP_ADD; k++) {
		Node *p = i->arg[k], *c = i->arg[1 - k];
		for (uint32_t j = 0; j < 2 && p->op == OP_MUL; j++) {
			Node *by = p->arg[j], *r = p->arg[1 - j];
			if (by->op == OP_EXPAND) by = by->arg[0];
			const Size *size =
				by->op == OP_SIZE || by->op == OP_CONST ? size_of_node(g, by) : NULL;
			bool counted = r->op == OP_GATHER && c->op == OP_GATHER && r->arg[0]->op == OP_IOTA &&
				c->arg[0]->op == OP_IOTA && node_dim(r->arg[0], 0) == DIM(matrix, 0) &&
				node_dim(c->arg[0], 0) == width;
			if (size != width || !counted) continue;
			*row = r->arg[1];
			*column = c->arg[1];
			return true;
		}
	}
	return false;
}

/* (A @ B)[[i, j], [k, l]], some elements of a product: a product of those rows and columns alone. */
Node *pairs_of_product(Graph *g, Node *x, const Moves *m)
{
	Node *f = x->arg[0], *p = f->op == OP_RESHAPE && f->narg == 1 ? f->arg[0] : NULL, *at[2];
	if (!p || !is_product(p) || node_rank(f) != 1 || node_rank(x->arg[1]) != 1 ||
		needed_twice(m->needs, f) || needed_twice(m->needs, p) ||
		!pairs_of(g, x->arg[1], p->type, &at[0], &at[1]))
		return NULL;
	return contract(g, (Labelled){gather(g, p->arg[0], at[0], 0), (int64_t[]){0, 1}},
		(Labelled){gather(g, p->arg[1], at[1], 1), (int64_t[]){1, 0}}, 1, (int64_t[]){0});
}
