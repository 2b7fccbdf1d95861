/* folds.c - folds met by views, by folds, by concatenations: what reads less.
 *
 * Needs: a fold over a normal operand.  Gives: an equal node, or NULL.  Bits stay, but where sums and
 * products take another order (`real`).
 */
#include "rules.h"

static uint32_t axes_of(const Node *x, int64_t *axes)
{
	for (uint32_t k = 0; k < attr_count(x); k++) axes[k] = attr_int(x, k);
	return attr_count(x);
}

/* Axes as they are called when those of `gone` are no more. */
uint32_t renumber(int64_t *l, uint32_t n, const int64_t *gone, uint32_t ngone)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t less = 0;
		if (list_has(ngone, gone, l[i])) continue;
		for (uint32_t j = 0; j < ngone; j++) less += gone[j] < l[i];
		l[k++] = l[i] - less;
	}
	return k;
}

/* The axis of the operand that is axis `at` of what the fold gives. */
int64_t unfolded_axis(const Node *f, int64_t at)
{
	for (int64_t d = 0; d <= at; d++)
		for (uint32_t k = 0; k < attr_count(f); k++) at += attr_int(f, k) == d;
	return at;
}

/* ---- folds of views ------------------------------------------------------------------------- */

/* A fold of axes of size 1 reads one element: they are dropped, the rest is folded. */
static Node *fold_units(Graph *g, Node *x)
{
	Node *y = x->arg[0];
	int64_t axes[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t n = 0, rank = 0;
	for (uint32_t d = 0, k = 0; d < node_rank(y); d++) {
		bool folded = k < attr_count(x) && attr_int(x, k) == d;
		k += folded;
		if (folded && size_equals(node_dim(y, d), 1)) continue;
		if (folded) axes[n++] = rank;
		dim[rank++] = node_dim(y, d);
	}
	if (rank == node_rank(y)) return NULL;
	y = reshape(g, y, rank, dim);
	y = y && n ? fold(g, (Op)x->op, y, n, axes) : y;
	return y ? cast(g, y, node_dtype(x)) : NULL;
}

/* A fold of turned axes is a fold of the axes as they were. */
static Node *fold_turned(Graph *g, Node *x)
{
	Node *t = x->arg[0];
	int64_t axes[RANK_MAX], left[RANK_MAX], order[RANK_MAX];
	uint32_t n = 0, rest = 0;
	for (uint32_t d = 0; d < node_rank(t); d++) {
		bool folded = n < attr_count(x) && attr_int(x, n) == d;
		if (folded)
			axes[n++] = attr_int(t, d);
		else
			left[rest++] = attr_int(t, d);
	}
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j && axes[j - 1] > axes[j]; j--) {
			int64_t a = axes[j];
			axes[j] = axes[j - 1];
			axes[j - 1] = a;
		}
	for (uint32_t i = 0; i < rest; i++) {
		order[i] = 0;
		for (uint32_t j = 0; j < rest; j++) order[i] += left[j] < left[i];
	}
	Node *y = fold(g, (Op)x->op, t->arg[0], n, axes);
	return y ? transpose(g, y, order) : NULL;
}

/* Axes that are folded need not be flipped. */
static Node *fold_flipped(Graph *g, Node *x)
{
	Node *f = x->arg[0];
	int64_t axes[RANK_MAX], folded[RANK_MAX];
	uint32_t n = 0, all = attr_count(f);
	uint32_t nfolded = axes_of(x, folded);
	for (uint32_t i = 0; i < all; i++)
		if (!list_has(nfolded, folded, attr_int(f, i))) axes[n++] = attr_int(f, i);
	if (n == all) return NULL;
	return fold(g, (Op)x->op, flip(g, f->arg[0], n, axes), nfolded, folded);
}

/* Axes that are folded need not be walked from the end. */
static Node *fold_reversed(Graph *g, Node *x)
{
	Node *s = x->arg[0];
	uint32_t r = node_rank(s), turned = 0;
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX], axes[RANK_MAX];
	for (uint32_t d = 0; d < r; d++) {
		start[d] = s->attr->v[d].u.size;
		step[d] = s->attr->v[2 * r + d].u.i;
	}
	for (uint32_t k = 0; k < attr_count(x); k++) {
		int64_t d = axes[k] = attr_int(x, k);
		const Size *last = size_sub(g, node_dim(s, (uint32_t)d), size_const(g, 1));
		bool begins = slice_is_whole(g, start[d], node_dim(s->arg[0], (uint32_t)d)) ||
			size_at_most(g, size_const(g, 0), start[d]);
		if (step[d] != -1 || !begins) continue; /* the call checks where it begins */
		start[d] = size_sub(g, start[d], last);
		step[d] = 1;
		turned++;
	}
	if (!turned) return NULL;
	Node *y = slice(g, s->arg[0], start, s->type->u.dim, step);
	return y ? fold(g, (Op)x->op, y, attr_count(x), axes) : NULL;
}

/* A fold of all elements does not ask for their shape. */
static Node *fold_reshaped(Graph *g, Node *x)
{
	int64_t axes[RANK_MAX];
	Node *y = x->arg[0]->arg[0];
	uint32_t n = node_rank(y);
	if (attr_count(x) != node_rank(x->arg[0]) || !n || is_sized(x->arg[0]) ||
		type_elements(g, y->type) != type_elements(g, x->arg[0]->type))
		return NULL; /* a shape that the call checks */
	for (uint32_t d = 0; d < n; d++) {
		if (size_equals(node_dim(y, d), 1)) return NULL; /* fold_units took it off */
		axes[d] = d;
	}
	return fold(g, (Op)x->op, y, n, axes);
}

/* ---- folds of folds, of what repeats, of parts -------------------------------------------------- */

/* Would other values be made on the way than those that were written?  Of a product they may leave the
 * range, of a sum of numbers whose range is narrow too, where parts are rounded to it. */
static bool regroups(const Node *fold, bool parts)
{
	Dtype d = node_dtype(fold);
	bool narrow = parts && fold->op == OP_SUM && !is_wide(d);
	return dtype_is_float(d) && (fold->op == OP_PROD || narrow);
}

/* A sum of sums is one.  Of equals a maximum of maxima shares its gradient in another way. */
static Node *fold_folded(Graph *g, Node *x, const Moves *m)
{
	Node *f = x->arg[0];
	int64_t axes[RANK_MAX];
	uint32_t n = axes_of(f, axes);
	if (((x->op == OP_MAX || x->op == OP_MIN) && !m->last) || needed_twice(m->needs, f)) return NULL;
	for (uint32_t k = 0; k < attr_count(x); k++) axes[n++] = unfolded_axis(f, attr_int(x, k));
	return fold(g, (Op)x->op, f->arg[0], n, axes);
}

/* n equal elements as one: n*x, x^n, x. */
static Node *fold_equals(Graph *g, const Node *fold, Node *x, const Size *n)
{
	Dtype d = node_dtype(fold);
	int64_t count;
	if (fold->op != OP_SUM && fold->op != OP_PROD && fold->op != OP_LOGSUMEXP)
		return size_at_most(g, size_const(g, 1), n) ? x : NULL;
	if (dtype_is_float(d) && !is_wide(d) && !(size_is(n, &count) && (double)count <= dtype_max(d)))
		return NULL;
	Node *number = cast(g, size_node(g, n), d);
	if (fold->op == OP_SUM) return build2(g, OP_MUL, cast(g, x, d), number);
	if (fold->op == OP_PROD) {
		bool exact = d == DT_F64 ||
			(dtype_is_float(d) && size_is(n, &count) && count <= (int64_t)1 << dtype_digits(d));
		return exact ? build2(g, OP_POW, x, number) : NULL;
	}
	return size_at_most(g, size_const(g, 1), n) ? build2(g, OP_ADD, x, build1(g, OP_LOG, number)) : NULL;
}

/* What repeats along axes that are folded is counted, what repeats along others is folded before it does. */
static Node *fold_expanded(Graph *g, Node *x)
{
	Node *e = x->arg[0];
	int64_t folded[RANK_MAX], wide[RANK_MAX];
	const Size *size[RANK_MAX], *count = size_const(g, 1);
	uint32_t n = axes_of(x, folded), all = attr_count(e) / 2, nwide = 0, kept = 0;
	for (uint32_t i = 0; i < all; i++) wide[nwide++] = attr_int(e, 2 * i);
	for (uint32_t i = 0; i < nwide; i++) {
		const Size *s = node_dim(e, (uint32_t)wide[i]);
		if (!list_has(n, folded, wide[i])) {
			size[kept++] = s;
			continue;
		}
		if (!size_at_most(g, size_const(g, 0), s)) return NULL; /* the call checks it */
		count = size_mul(g, count, s);
	}
	uint32_t inner = renumber(folded, n, wide, nwide);
	Node *y = inner ? fold(g, (Op)x->op, e->arg[0], inner, folded) : e->arg[0];
	if (y && kept < nwide) y = fold_equals(g, x, y, count);
	if (!y) return NULL;
	axes_of(x, folded);
	nwide = renumber(wide, nwide, folded, n);
	return expand(g, y, nwide, wide, size);
}

/* The same of a number everywhere; a sum of none is 0, whatever these would be. */
static Node *fold_uniform(Graph *g, Node *x)
{
	Node *k = x->arg[0];
	double value;
	const Size *count = size_const(g, 1);
	for (uint32_t i = 0; i < attr_count(x); i++) {
		const Size *s = node_dim(k, (uint32_t)attr_int(x, i));
		if (!size_at_most(g, size_const(g, 0), s)) return NULL; /* the call checks it */
		count = size_mul(g, count, s);
	}
	if (x->op == OP_SUM && constant_value(k, &value) && !isfinite(value) &&
		!size_at_most(g, size_const(g, 1), count))
		return NULL;
	k = node_leaf(g, OP_CONST, k->attr, type_scalar(g, node_dtype(k)));
	Node *y = fold_equals(g, x, k, count);
	return y ? broadcast_to(g, y, x->type->n, x->type->u.dim) : NULL;
}

enum { PARTS = 8 }; /* of more, a concatenation costs less than what is made of them */

/* Parts are folded each.  Of equal maxima a maximum of two shares its gradient in another way, unless there
 * are but two numbers. */
static Node *fold_parts(Graph *g, Node *x, const Moves *m)
{
	Node *c = x->arg[0], *part[PARTS], *y = NULL;
	int64_t folded[RANK_MAX], axis = attr_int(c, 0);
	uint32_t n = axes_of(x, folded), count = c->narg;
	bool joins = list_has(n, folded, axis), numbers = n == 1, few = count == 2;
	Op op = op_joining((Op)x->op);
	if (count > PARTS || needed_twice(m->needs, c)) return NULL;
	for (uint32_t k = 0; k < count; k++) {
		numbers = numbers && size_equals(node_dim(c->arg[k], (uint32_t)axis), 1);
		part[k] = fold(g, (Op)x->op, c->arg[k], n, folded);
	}
	if (!joins) {
		renumber(&axis, 1, folded, n);
		return concat(g, axis, count, part);
	}
	if (op == OP_NONE || (regroups(x, true) && !numbers)) return NULL;
	if ((x->op == OP_MAX || x->op == OP_MIN) && !m->last && !(numbers && few)) return NULL;
	y = part[0];
	for (uint32_t k = 1; k < count; k++) y = build2(g, op, y, part[k]);
	return y;
}

Node *fold_view(Graph *g, Node *x, const Moves *m)
{
	bool real = m->laws & 1u << LAW_REAL && dtype_is_float(node_dtype(x));
	bool any_order = x->op == OP_MAX || x->op == OP_MIN || x->op == OP_ANY || x->op == OP_ALL ||
		dtype_is_integer(node_dtype(x));
	Node *v = x->arg[0];
	if (x->op == OP_ARGMAX || x->op == OP_ARGMIN || (!any_order && !real)) return NULL;
	Node *y = fold_units(g, x);
	if (y || !attr_count(x)) return y;
	if (v->op == x->op) return regroups(x, false) ? NULL : fold_folded(g, x, m);
	if (v->op == OP_CONCAT) return fold_parts(g, x, m);
	if (v->op == OP_CONST && constant_is_uniform(v)) return fold_uniform(g, x);
	if (v->narg != 1) return NULL;
	if (v->op == OP_EXPAND) return fold_expanded(g, x);
	if (regroups(x, false)) return NULL;
	switch ((Op)v->op) {
	case OP_TRANSPOSE: return fold_turned(g, x);
	case OP_SLICE: return fold_reversed(g, x);
	case OP_FLIP: return fold_flipped(g, x);
	case OP_RESHAPE: return fold_reshaped(g, x);
	default: return NULL;
	}
}
