/* parts.c - sums of parts of an array that lie apart, or at one place: each is written to its place.
 *
 * The derivative of f(x[:k]) + g(x[k:]) by x is a sum of two arrays, zero but for a part; where the parts do
 * not overlap it is one array, a concatenation of them, with zeros where there is none.  Parts of one place
 * are added there, also to a part of a concatenation that nothing else needs.
 * needs: a sum; gives: the same by law `real` (0 + -0 is 0), or NULL where nothing meets
 */
#include "rules.h"

typedef struct Patch {
	Node *x;
	const Size *from, *to;
} Patch;

/* What is zero but for parts along one axis, in ascending order. */
typedef struct Patches {
	uint32_t axis, n;
	Patch patch[KEY_TERMS];
} Patches;

static bool is_literal_zero(const Node *x)
{
	double c;
	return x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &c) && c == 0 && !signbit(c);
}

/* Of a pad: the axis along which it adds anything; whether that is one, with nothing between elements. */
static bool padded_axis(const Node *x, uint32_t *axis)
{
	uint32_t n = node_rank(x), found = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool same = node_dim(x, i) == node_dim(x->arg[0], i);
		if (attr_int(x, 2 * n + i) != 1) return false;
		found += !same;
		if (!same) *axis = i;
	}
	return found == 1;
}

static bool parts_of(Graph *g, Node *x, const IdMap *needs, Patches *p)
{
	p->n = 0;
	if (x->op == OP_PAD && padded_axis(x, &p->axis)) {
		const Size *from = x->attr->v[p->axis].u.size;
		p->patch[p->n++] = (Patch){x->arg[0], from, size_add(g, from, node_dim(x->arg[0], p->axis))};
		return true;
	}
	if (x->op != OP_CONCAT) return false;
	const Size *at = size_const(g, 0);
	p->axis = (uint32_t)attr_int(x, 0);
	for (uint32_t k = 0; k < x->narg; k++) {
		const Size *from = at;
		at = size_add(g, at, node_dim(x->arg[k], p->axis));
		if (is_literal_zero(x->arg[k])) continue;
		if (p->n == KEY_TERMS) return false;
		p->patch[p->n++] = (Patch){x->arg[k], from, at};
	}
	return p->n && (p->n < x->narg || !needed_twice(needs, x));
}

/* Puts it among the others, if it is proved to overlap none, or to lie where one lies. */
static bool part_fits(Graph *g, Patches *p, Patch x)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->patch[i].from == x.from && p->patch[i].to == x.to)
			return (p->patch[i].x = build2(g, OP_ADD, p->patch[i].x, x.x));
	for (uint32_t i = 0; i <= p->n && p->n < KEY_TERMS; i++) {
		if (i && !size_at_most(g, p->patch[i - 1].to, x.from)) return false;
		if (i < p->n && !size_at_most(g, x.to, p->patch[i].from)) continue;
		memmove(p->patch + i + 1, p->patch + i, (p->n - i) * sizeof *p->patch);
		p->patch[i] = x;
		p->n++;
		return true;
	}
	return false;
}

/* All of these or none. */
static bool parts_fit(Graph *g, Patches *p, const Patches *q)
{
	Patches both = *p;
	if (q->axis != p->axis) return false;
	for (uint32_t i = 0; i < q->n; i++)
		if (!part_fits(g, &both, q->patch[i])) return false;
	*p = both;
	return true;
}

static Node *zeros_between(Graph *g, const Type *t, uint32_t axis, const Size *from, const Size *to)
{
	const Size *dim[RANK_MAX];
	memcpy(dim, t->u.dim, t->n * sizeof *dim);
	dim[axis] = size_sub(g, to, from);
	return dim[axis] ? constant_int(g, type_array(g, (Dtype)t->dtype, t->n, dim), 0) : NULL;
}

static Node *parts_together(Graph *g, const Type *t, const Patches *p)
{
	Node *part[2 * KEY_TERMS + 1];
	uint32_t n = 0;
	const Size *at = size_const(g, 0), *end = t->u.dim[p->axis];
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->patch[i].from != at) part[n++] = zeros_between(g, t, p->axis, at, p->patch[i].from);
		part[n++] = p->patch[i].x;
		at = p->patch[i].to;
	}
	if (at != end) part[n++] = zeros_between(g, t, p->axis, at, end);
	return concat(g, p->axis, n, part);
}

Node *sum_of_parts(Graph *g, Node *x, const IdMap *needs, Facts *facts)
{
	Terms t;
	Patches all, more;
	Node *with[KEY_TERMS];
	uint32_t first;
	if (x->op != OP_ADD || !sum_terms(facts, x, &t, &first)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) with[i] = t.term[i].x;
	for (uint32_t i = 0; i < t.n; i++) {
		bool met = false;
		if (t.term[i].sign < 0 || !parts_of(g, with[i], needs, &all)) continue;
		for (uint32_t k = i + 1; k < t.n; k++) {
			if (t.term[k].sign < 0 || !parts_of(g, with[k], needs, &more)) continue;
			if (!parts_fit(g, &all, &more)) continue;
			with[k] = NULL;
			met = true;
		}
		if (!met) continue;
		with[i] = parts_together(g, x->type, &all);
		return with[i] ? terms_rebuild(g, x, false, with) : NULL;
	}
	return NULL;
}

/* ---- concatenations ----------------------------------------------------------------------- */

/* What is zero but for one part is a pad. */
static Node *part_between_zeros(Graph *g, const Node *x, uint32_t axis)
{
	const Size *before[RANK_MAX], *after[RANK_MAX], *at = size_const(g, 0);
	int64_t step[RANK_MAX];
	Node *part = NULL;
	for (uint32_t d = 0; d < node_rank(x); d++) {
		before[d] = after[d] = size_const(g, 0);
		step[d] = 1;
	}
	for (uint32_t k = 0; k < x->narg; k++) {
		const Size *n = node_dim(x->arg[k], axis);
		const Node *p = x->arg[k], *whole = p->op == OP_SLICE ? p->arg[0] : p;
		if (is_literal_zero(whole)) {
			at = size_add(g, at, n);
			continue;
		}
		if (part) return NULL;
		part = x->arg[k];
		before[axis] = at;
		at = size_const(g, 0);
	}
	after[axis] = at;
	return pad(g, part, before, after, step);
}

Node *fewer_parts(Graph *g, Node *x)
{
	Node *part[KEY_TERMS];
	uint32_t axis = (uint32_t)attr_int(x, 0), n = 0;
	bool less = false;
	for (uint32_t k = 0; k < x->narg; k++) {
		Node *p = x->arg[k];
		bool joined = p->op == OP_CONCAT && attr_int(p, 0) == axis,
		     empty = size_equals(node_dim(p, axis), 0);
		uint32_t more = joined ? p->narg : !empty;
		if (n + more > KEY_TERMS) return NULL;
		memcpy(part + n, joined ? p->arg : &p, more * sizeof *part);
		n += more;
		less |= joined || empty;
	}
	if (!n) return NULL;
	return less ? concat(g, axis, n, part) : part_between_zeros(g, x, axis);
}
