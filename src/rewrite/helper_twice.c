/* helper_twice.c - helpers that make one fold or view of two. */
#include "helper.h"

/* fold_twice[a, b](x): fold a of fold b of x as one fold. */
Node *fold_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t outer[RANK_MAX], inner[RANK_MAX], all[2 * RANK_MAX];
	uint32_t no = axes_at(m, p, 0, outer), ni = axes_at(m, p, 1, inner), k = 0, at = 0;
	(void)n;
	for (int64_t d = 0; d < node_rank(x[0]); d++) {
		if (list_has(ni, inner, d)) {
			all[k++] = d;
			continue;
		}
		if (list_has(no, outer, at)) all[k++] = d;
		at++;
	}
	return fold(m->g, (Op)m->node->op, x[0], k, all);
}

/* expand_twice[a, b](x): expand a of expand b. */
Node *expand_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t outer[RANK_MAX], inner[RANK_MAX], all[2 * RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t no = axes_at(m, p, 0, outer), ni = axes_at(m, p, 1, inner), k = 0;
	(void)n;
	for (int64_t d = 0, at = 0; d < node_rank(m->node); d++) {
		bool mine = list_has(no, outer, d);
		if (mine || list_has(ni, inner, at)) all[k] = d, size[k++] = node_dim(m->node, (uint32_t)d);
		at += !mine;
	}
	return expand(m->g, x[0], k, all, size);
}

/* transpose_twice[a, b](x): transpose a of transpose b. */
Node *transpose_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[RANK_MAX], b[RANK_MAX], both[RANK_MAX];
	uint32_t k = axes_at(m, p, 0, a);
	(void)n;
	axes_at(m, p, 1, b);
	for (uint32_t i = 0; i < k; i++) both[i] = b[a[i]];
	return transpose(m->g, x[0], both);
}

/* flip_twice[a, b](x): flip a of flip b; an axis of both is as it was. */
Node *flip_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[RANK_MAX], b[RANK_MAX], one[2 * RANK_MAX];
	uint32_t na = axes_at(m, p, 0, a), nb = axes_at(m, p, 1, b), k = 0;
	(void)n;
	for (int64_t d = 0; d < node_rank(x[0]); d++)
		if (list_has(na, a, d) != list_has(nb, b, d)) one[k++] = d;
	return k ? flip(m->g, x[0], k, one) : x[0];
}

/* slice_twice[a, b](x): slice a of slice b. */
Node *slice_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Attr *a = list_at(m, p, 0), *b = list_at(m, p, 1);
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t r = node_rank(x[0]);
	(void)n;
	for (uint32_t i = 0; i < r; i++) {
		start[i] = size_add(
			g, b->v[i].u.size, size_mul(g, size_const(g, b->v[2 * r + i].u.i), a->v[i].u.size));
		step[i] = a->v[2 * r + i].u.i * b->v[2 * r + i].u.i;
	}
	return slice(g, x[0], start, m->node->type->u.dim, step);
}
