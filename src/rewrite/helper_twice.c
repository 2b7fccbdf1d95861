/* helper_twice.c - helpers that make one fold or view of two. */
#include "helper.h"

/* expand_twice[a, b](x): expand a of expand b. */
Node *expand_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t outer[RANK_MAX], inner[RANK_MAX], all[2 * RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t no = axes_at(m, p, 0, outer), ni = axes_at(m, p, 1, inner), k = 0;
	(void)n;
	for (int64_t d = 0, at = 0; d < node_rank(m->node); d++) {
		bool mine = list_has(no, outer, d);
		if (mine || list_has(ni, inner, at)) {
			all[k] = d;
			size[k++] = node_dim(m->node, (uint32_t)d);
		}
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

/* A slice of an axis: its first and its last position. */
typedef struct Cut {
	const Size *start, *length, *last;
	int64_t step;
} Cut;

static Cut cut_of(Graph *g, const Attr *a, uint32_t rank, uint32_t axis)
{
	Cut c = {.start = a->v[axis].u.size, .length = a->v[rank + axis].u.size,
		.step = a->v[2 * rank + axis].u.i};
	c.last = size_add(g, c.start,
		size_mul(g, size_const(g, c.step), size_sub(g, c.length, size_const(g, 1))));
	return c;
}

/* Are the positions of a cut known to lie within an axis of this size? */
static bool begins_within(Graph *g, const Cut *c)
{
	return size_at_most(g, size_const(g, 0), c->step < 0 ? c->last : c->start);
}

static bool ends_within(Graph *g, const Cut *c, const Size *axis)
{
	return size_at_most(g, size_add(g, c->step < 0 ? c->start : c->last, size_const(g, 1)), axis);
}

/* What is not known of slices the call checks.  Does what it checks of `both` hold what has to hold of each:
 * of the inner one of an axis and of the outer one of that? */
static bool one_for_both(Graph *g, const Cut *outer, const Cut *inner, const Cut *both, const Size *axis)
{
	const Size *zero = size_const(g, 0);
	bool tail = inner->step == 1 && size_add(g, inner->start, inner->length) == axis;
	bool counted = size_at_most(g, zero, inner->length);
	if (outer->step < 0 && slice_is_whole(g, outer->start, inner->length) && !counted) return false;
	if (!begins_within(g, inner) || (!begins_within(g, outer) && !(tail && inner->length == axis)))
		return false;
	if (!tail && !(counted && ends_within(g, inner, axis) &&
			     ends_within(g, outer, inner->length)))
		return false;
	/* what is empty may begin behind the end of the inner one */
	if (both->step < 0)
		return slice_is_whole(g, both->start, axis) || size_at_most(g, zero, both->start);
	return inner->step == 1 || size_at_most(g, both->start, axis);
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
		Cut outer = cut_of(g, a, r, i), inner = cut_of(g, b, r, i), both = {.length = outer.length};
		both.start = size_add(g, inner.start, size_mul(g, size_const(g, inner.step), outer.start));
		if (__builtin_mul_overflow(outer.step, inner.step, &both.step) ||
			!one_for_both(g, &outer, &inner, &both, node_dim(x[0], i)))
			return NULL;
		start[i] = both.start;
		step[i] = both.step;
	}
	return slice(g, x[0], start, m->node->type->u.dim, step);
}
