/* helper_back.c - helpers of transposition: cotangents back through views, contractions, solves and
 * indices. */
#include "helper.h"

/* ---- views ------------------------------------------------------------------------- */

Node *unpermute(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t perm[RANK_MAX], back[RANK_MAX] = {0};
	uint32_t k = axes_at(m, p, 0, perm);
	(void)n;
	for (uint32_t i = 0; i < k; i++) back[perm[i]] = i;
	return transpose(m->g, x[0], back);
}

/* unslice[a](y, x): y where slice[a] took it from x, zeros around.  It asks what the slice asks: one that
 * goes back begins at an element, also where it takes nothing, or at the end of an axis that may be empty. */
Node *unslice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Attr *a = list_at(m, p, 0);
	const Size *zero = size_const(g, 0), *one = size_const(g, 1);
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t step[RANK_MAX], back[RANK_MAX];
	uint32_t rank = node_rank(x[1]), nback = 0;
	(void)n;
	for (uint32_t i = 0; i < rank; i++) {
		const Size *start = a->v[i].u.size, *length = a->v[rank + i].u.size;
		step[i] = a->v[2 * rank + i].u.i;
		const Size *axis = node_dim(x[1], i);
		bool backwards = step[i] < 0;
		if (backwards) step[i] = -step[i];
		const Size *apart = size_const(g, step[i]);
		const Size *reach = size_mul(g, apart, size_sub(g, length, one));
		const Size *inner = size_add(g, reach, one);
		if (step[i] > 1) inner = size_max(g, zero, inner);
		if (backwards) {
			back[nback++] = i;
			start = slice_is_whole(g, start, axis) ? size_sub(g, axis, inner)
							       : size_sub(g, start, size_max(g, zero, reach));
		}
		before[i] = start;
		after[i] = size_sub(g, axis, size_add(g, start, inner));
	}
	Node *y = nback ? flip(g, x[0], nback, back) : x[0];
	return pad(g, y, before, after, step);
}

Node *unpad(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	const Attr *a = list_at(m, p, 0);
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t rank = node_rank(x[1]);
	(void)n;
	for (uint32_t i = 0; i < rank; i++) {
		start[i] = a->v[i].u.size;
		step[i] = a->v[2 * rank + i].u.i;
	}
	return slice(m->g, x[0], start, x[1]->type->u.dim, step);
}

/* concat_part[a](y, ..x): the part of y where operand `which` of a concatenation stands. */
Node *concat_part(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	int64_t axis[RANK_MAX], step[RANK_MAX];
	const Size *start[RANK_MAX], *at = size_const(g, 0);
	axes_at(m, p, 0, axis);
	if (m->which + 1 >= n) return NULL;
	const Node *part = x[1 + m->which];
	for (uint32_t i = 0; i < m->which; i++) at = size_add(g, at, node_dim(x[1 + i], (uint32_t)axis[0]));
	for (uint32_t i = 0; i < node_rank(part); i++) {
		start[i] = i == axis[0] ? at : size_const(g, 0);
		step[i] = 1;
	}
	return slice(g, x[0], start, part->type->u.dim, step);
}

/* ---- contractions and solves ------------------------------------------------------- */

/* The contraction of a, with the labels s.l[left], and b over those of `to`, which may hold labels of
 * neither: such are repeated, sizes from `as`. */
typedef struct Einsum { const Labels *s; int left, right, to; } Einsum;

static Node *contract_to(Graph *g, const Einsum *e, Node *a, Node *b, const Node *as)
{
	const int64_t *la = e->s->l[e->left], *lb = e->s->l[e->right], *want = e->s->l[e->to];
	uint32_t na = e->s->n[e->left], nb = e->s->n[e->right], nwant = e->s->n[e->to];
	int64_t have[RANK_MAX], axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t nhave = 0, naxes = 0;
	for (uint32_t i = 0; i < nwant; i++) {
		if (list_has(i, want, want[i]))
			return graph_fail(g, ERR_DERIVATIVE,
				"no transpose of an einsum with a repeated label in one operand");
		if (list_has(na, la, want[i]) || list_has(nb, lb, want[i]))
			have[nhave++] = want[i];
		else {
			axes[naxes] = i;
			size[naxes++] = node_dim(as, i);
		}
	}
	return expand(g, contract(g, (Labelled){a, la}, (Labelled){b, lb}, nhave, have), naxes, axes, size);
}

/* einsum_left[a](g, y, x): the cotangent of the left operand x; einsum_right[a](x, g, y): of the right
 * one. */
Node *einsum_left(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Labels s = labels_of(list_at(m, p, 0));
	(void)n;
	return contract_to(m->g, &(Einsum){&s, 2, 1, 0}, x[0], x[1], x[2]);
}

Node *einsum_right(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Labels s = labels_of(list_at(m, p, 0));
	(void)n;
	return contract_to(m->g, &(Einsum){&s, 0, 2, 1}, x[1], x[0], x[2]);
}

/* solve_turned[a](A, b): tri_solve with the other value of `turned`. */
Node *solve_turned(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[2] = {0};
	(void)n;
	axes_at(m, p, 0, a);
	a[1] = !a[1];
	return build(m->g, OP_TRI_SOLVE, attr_ints(m->g, 2, a), 2, (Node *[]){x[1], x[0]});
}

/* x where its row and column indices satisfy `on`, 0 elsewhere. */
static Node *half(Graph *g, Node *x, Op on)
{
	uint32_t rank = node_rank(x);
	const Size *rows = node_dim(x, rank - 2), *columns = node_dim(x, rank - 1);
	Node *i = expand(g, iota(g, rows), 1, (int64_t[]){1}, &columns);
	Node *j = expand(g, iota(g, columns), 1, (int64_t[]){0}, &rows);
	Node *mask = build2(g, on, i, j);
	mask = mask ? broadcast_to(g, mask, rank, x->type->u.dim) : NULL;
	return mask ? build3(g, OP_WHERE, mask, x, constant_int(g, x->type, 0)) : NULL;
}

/* triangle_product[a](x, z): the half of x that tri_solve[a] reads, turned as it reads it, times z. */
Node *triangle_product(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[2] = {0};
	(void)n;
	axes_at(m, p, 0, a);
	Node *t = half(m->g, x[0], a[0] ? OP_LE : OP_GE);
	return matmul(m->g, a[1] ? turn(m->g, t) : t, x[1]);
}

Node *strictly_lower(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p;
	(void)n;
	return half(m->g, x[0], OP_GT);
}

/* solve_right(b, r): z with z @ r = b, r upper triangular. */
Node *solve_right(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Node *b = turn(m->g, x[0]);
	(void)p;
	(void)n;
	return b ? turn(m->g,
			   build(m->g, OP_TRI_SOLVE, attr_ints(m->g, 2, (int64_t[]){1, 1}), 2,
				   (Node *[]){x[1], b}))
		 : NULL;
}

/* ---- indices ----------------------------------------------------------------------- */

/* pick_last(y, i): of each row of y along its last axis the elements at the row's own indices i. */
Node *pick_last(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	Node *y = x[0], *i = x[1];
	uint32_t last = node_rank(y) - 1;
	(void)p;
	(void)n;
	if (!last) return gather(g, y, i, 0);
	const Size *rows = size_const(g, 1), *all = type_elements(g, y->type);
	for (uint32_t d = 0; d < last; d++) rows = size_mul(g, rows, node_dim(y, d));
	Node *start = build2(g, OP_MUL, iota(g, rows), size_node(g, node_dim(y, last)));
	start = start ? reshape(g, start, last, y->type->u.dim) : NULL;
	start = start ? expand(g, start, 1, (int64_t[]){last}, &DIM(i->type, last)) : NULL;
	Node *flat = reshape(g, y, 1, &all), *at = start ? build2(g, OP_ADD, start, i) : NULL;
	return flat && at ? gather(g, flat, at, 0) : NULL;
}

/* written_last[a](v, i, x): v, but 0 where a later equal index overwrites it in scatter_set[a](x, i, v). */
Node *written_last(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	int64_t axis[RANK_MAX] = {0}, axes[RANK_MAX];
	const Size *size[RANK_MAX];
	(void)n;
	axes_at(m, p, 0, axis);
	Node *v = x[0], *i = x[1];
	if (node_is_scalar(i)) return v;
	Node *order = reshape(g, iota(g, type_elements(g, i->type)), node_rank(i), i->type->u.dim);
	const Size *places = node_dim(x[2], (uint32_t)axis[0]);
	Node *last = constant_int(g, type_array(g, DT_I64, 1, &places), -1);
	last = gather(g, scatter(g, OP_SCATTER_SET, last, i, order, 0), i, 0);
	Node *on = build2(g, OP_EQ, last, order);
	uint32_t k = 0;
	for (uint32_t d = 0; d < node_rank(v); d++)
		if (d < axis[0] || d >= axis[0] + node_rank(i)) {
			axes[k] = d;
			size[k++] = node_dim(v, d);
		}
	return build3(g, OP_WHERE, expand(g, on, k, axes, size), v, constant_int(g, v->type, 0));
}
