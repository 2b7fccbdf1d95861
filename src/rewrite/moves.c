/* moves.c - an index, a sum or a choice moved to where it costs less: what no pattern can say for all
 * operators at once.
 *
 * Needs: a node over normal operands, and what of the region is needed whole.
 * Gives: an equal node, or NULL.  f(x, y)[i] is f(x[i], y[i]), to the bit, and
 * so through folds, contractions, views and concatenations; it is moved only
 * when nothing else needs f(x, y) whole.
 */
#include "rules.h"

/* ---- x[i] ------------------------------------------------------------------------- */

static bool is_index(const Node *x)
{
	return x->op == OP_GATHER && node_is_scalar(x->arg[1]);
}

static bool passes_index(const Node *x)
{
	Class k = op_info[x->op].class;
	return k == MAP || x->op == OP_CONTRACT || x->op == OP_EXPAND || x->op == OP_TRANSPOSE ||
		x->op == OP_CONCAT || x->op == OP_FLIP || x->op == OP_SLICE ||
		(k == FOLD && x->op != OP_ARGMAX && x->op != OP_ARGMIN);
}

/* 2*users, + 1 if one of them needs it whole. */
static void need(IdMap *needs, uint32_t id, uintptr_t more)
{
	uintptr_t was = (uintptr_t)idmap_get(needs, id);
	idmap_put(needs, id, (void *)(((was & ~(uintptr_t)1) + (more & ~(uintptr_t)1)) | ((was | more) & 1)));
}

void needs_of(IdMap *needs, const Region *r, uint32_t n, Node *const *roots)
{
	for (uint32_t i = 0; i < n; i++)
		if (roots[i]) need(needs, roots[i]->id, 3);
	for (uint32_t i = r->n; i-- > 0;) {
		const Node *x = r->node[i];
		bool through = passes_index(x) && !((uintptr_t)idmap_get(needs, x->id) & 1);
		for (uint32_t k = 0; k < x->narg; k++)
			need(needs, x->arg[k]->id, through || (is_index(x) && !k) ? 2 : 3);
	}
}

void needs_move(IdMap *needs, const Node *from, const Node *to)
{
	uintptr_t more = from == to ? 0 : (uintptr_t)idmap_get(needs, from->id);
	if (more) need(needs, to->id, more);
}

static bool needed_whole(const IdMap *needs, const Node *x)
{
	return (uintptr_t)idmap_get((IdMap *)needs, x->id) & 1;
}

bool needed_twice(const IdMap *needs, const Node *x)
{
	return (uintptr_t)idmap_get((IdMap *)needs, x->id) > 3;
}

static Node *index_expand(Graph *g, Node *e, Node *i, int64_t axis);

/* x[i], where the index is checked if that must be: what repeats along the axis loses it. */
static Node *index_at(Graph *g, Node *x, Node *i, int64_t axis)
{
	if (x->op == OP_EXPAND && x->narg == 1) return index_expand(g, x, i, axis);
	if (x->op != OP_CONST || !constant_is_uniform(x)) return gather(g, x, i, axis);
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t d = 0; d < node_rank(x); d++)
		if (d != axis) dim[n++] = node_dim(x, d);
	return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), n, dim));
}

static Node *index_expand(Graph *g, Node *e, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX], inner = axis;
	const Size *size[RANK_MAX];
	uint32_t n = 0, all = attr_count(e) / 2;
	bool gone = false;
	for (uint32_t k = 0; k < all; k++) {
		int64_t a = attr_int(e, 2 * k);
		if (a == axis) {
			gone = true;
			continue;
		}
		inner -= a < axis;
		axes[n] = a - (a > axis);
		size[n++] = node_dim(e, (uint32_t)a);
	}
	Node *x = gone ? e->arg[0] : index_at(g, e->arg[0], i, inner);
	return x && n ? expand(g, x, n, axes, size) : x;
}

/* An index that is not known to be within is checked where it is used.  Is x[i] such a place?  Not where x
 * repeats. */
static bool checks_index(Graph *g, const Node *x, Node *i, int64_t axis)
{
	if (index_holds(g, i, node_dim(x, (uint32_t)axis))) return true;
	for (; x->op == OP_EXPAND; x = x->arg[0]) {
		int64_t inner = axis;
		for (uint32_t k = 0; k < attr_count(x); k += 2) {
			if (attr_int(x, k) == axis) return false;
			inner -= attr_int(x, k) < axis;
		}
		axis = inner;
	}
	return x->op != OP_CONST || !constant_is_uniform(x);
}

static Node *index_map(Graph *g, Node *f, Node *i, int64_t axis)
{
	Node *arg[4];
	bool checked = false;
	if (f->narg > countof(arg) || !f->narg) return NULL;
	for (uint32_t k = 0; k < f->narg; k++) checked |= checks_index(g, f->arg[k], i, axis);
	for (uint32_t k = 0; k < f->narg; k++)
		if (!checked || !(arg[k] = index_at(g, f->arg[k], i, axis))) return NULL;
	return node_make(g, (Op)f->op, f->attr, f->narg, arg);
}

static Node *index_fold(Graph *g, Node *f, Node *i, int64_t axis)
{
	int64_t axes[RANK_MAX], at = axis;
	uint32_t n = attr_count(f);
	for (uint32_t k = 0; k < n; k++) axes[k] = attr_int(f, k);
	for (int64_t d = 0; d <= at; d++) /* the axis of the operand that is number `axis` of the result */
		for (uint32_t k = 0; k < n; k++) at += axes[k] == d;
	for (uint32_t k = 0; k < n; k++) axes[k] -= axes[k] > at;
	if (!checks_index(g, f->arg[0], i, at)) return NULL;
	Node *x = index_at(g, f->arg[0], i, at);
	return x ? fold(g, (Op)f->op, x, n, axes) : NULL;
}

static void drop(Labels *s, uint32_t side, uint32_t at)
{
	s->n[side]--;
	memmove(&s->l[side][at], &s->l[side][at + 1], (s->n[side] - at) * sizeof s->l[side][0]);
}

static Node *index_contract(Graph *g, Node *c, Node *i, int64_t axis)
{
	Labels s = labels_of(c->attr);
	int64_t label = s.l[2][axis];
	Node *arg[2] = {c->arg[0], c->arg[1]};
	bool checked = false;
	drop(&s, 2, (uint32_t)axis);
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s.n[side]; k++)
			checked |= s.l[side][k] == label && checks_index(g, arg[side], i, k);
	if (!checked) return NULL;
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = s.n[side]; k-- > 0;) {
			if (s.l[side][k] != label) continue;
			if (!(arg[side] = index_at(g, arg[side], i, k))) return NULL;
			drop(&s, side, k);
		}
	return contract_as(g, &s, arg[0], arg[1]);
}

static Node *index_transpose(Graph *g, Node *t, Node *i, int64_t axis)
{
	int64_t perm[RANK_MAX], from = attr_int(t, (uint32_t)axis);
	uint32_t n = 0;
	for (uint32_t k = 0; k < node_rank(t); k++)
		if (k != axis) perm[n++] = attr_int(t, k) - (attr_int(t, k) > from);
	if (!checks_index(g, t->arg[0], i, from)) return NULL;
	Node *x = index_at(g, t->arg[0], i, from);
	return x ? transpose(g, x, perm) : NULL;
}

/* A number known while building picks its part, where the sizes before it are known. */
static Node *index_concat(Graph *g, Node *c, Node *i, int64_t axis)
{
	int64_t at, size;
	if (attr_int(c, 0) != axis) {
		Node **part = NEW_ARRAY(g->arena, Node *, c->narg);
		bool checked = false;
		for (uint32_t k = 0; k < c->narg; k++) checked |= checks_index(g, c->arg[k], i, axis);
		for (uint32_t k = 0; k < c->narg; k++)
			if (!checked || !(part[k] = index_at(g, c->arg[k], i, axis))) return NULL;
		AttrValue to = av_int(attr_int(c, 0) - (attr_int(c, 0) > axis));
		return node_make(g, OP_CONCAT, attr_make(g, 1, &to), c->narg, part);
	}
	if (!constant_integer(i, &at) || at < 0) return NULL;
	for (uint32_t k = 0; k < c->narg; k++) {
		if (!size_is(node_dim(c->arg[k], (uint32_t)axis), &size)) return NULL;
		if (at < size) return gather(g, c->arg[k], constant_int(g, i->type, at), axis);
		at -= size;
	}
	return NULL;
}

/* x[i + 1 for all i] with a whole range of indices is a slice: x[iota + k]. */
static Node *index_range(Graph *g, Node *x)
{
	Node *v = x->arg[0], *i = x->arg[1];
	int64_t axis = attr_int(x, 0), k = 0, step[RANK_MAX];
	const Size *start[RANK_MAX], *size[RANK_MAX];
	if (i->op == OP_ADD && constant_is_uniform(i->arg[0]) && constant_integer(i->arg[0], &k))
		i = i->arg[1];
	else if (i->op == OP_ADD && constant_is_uniform(i->arg[1]) && constant_integer(i->arg[1], &k))
		i = i->arg[0];
	if (i->op != OP_IOTA || node_rank(i) != 1 || k < 0) return NULL;
	const Size *end = size_add(g, node_dim(i, 0), size_const(g, k));
	Proof p = size_compare(g, node_dim(v, (uint32_t)axis), end);
	if (p != PROOF_GREATER && p != PROOF_EQUAL && p != PROOF_GREATER_EQUAL) return NULL;
	for (uint32_t d = 0; d < node_rank(v); d++) {
		start[d] = size_const(g, d == axis ? k : 0);
		step[d] = 1;
		size[d] = d == axis ? node_dim(i, 0) : node_dim(v, d);
	}
	return slice(g, v, start, size, step);
}

static Node *move_index(Graph *g, Node *x, const IdMap *needs, bool real)
{
	Node *f = x->arg[0], *i = x->arg[1];
	int64_t axis = attr_int(x, 0);
	bool alone = node_is_scalar(i) ? !needed_whole(needs, f) : !needed_twice(needs, f);
	if (f->op == OP_GATHER && alone) return index_gather(g, f, i, axis);
	if (!node_is_scalar(i)) return index_range(g, x);
	if (needed_whole(needs, f) || !passes_index(f)) return NULL;
	if (!real && (f->op == OP_CONTRACT || op_info[f->op].class == FOLD))
		return NULL; /* another order of sums */
	if (f->op == OP_EXPAND)
		return f->narg == 1 && checks_index(g, f, i, axis) ? index_expand(g, f, i, axis) : NULL;
	if (f->op == OP_TRANSPOSE) return index_transpose(g, f, i, axis);
	if (f->op == OP_CONCAT) return index_concat(g, f, i, axis);
	if (f->op == OP_SLICE) return index_slice(g, f, i, axis);
	if (f->op == OP_FLIP) return index_flip(g, f, i, axis);
	if (f->op == OP_CONTRACT) return index_contract(g, f, i, axis);
	return op_info[f->op].class == FOLD ? index_fold(g, f, i, axis) : index_map(g, f, i, axis);
}

/* ---- sums of contractions, parts that belong together ---------------------------------- */

/* A sum of a contraction: the labels go from the result; those of one operand are summed there first. */
static Node *sum_contract(Graph *g, Node *x)
{
	Node *c = x->arg[0], *arg[2] = {c->arg[0], c->arg[1]};
	Labels s = labels_of(c->attr);
	for (uint32_t k = attr_count(x); k-- > 0;) {
		uint32_t axis = (uint32_t)attr_int(x, k), in[2] = {0, 0};
		int64_t label = s.l[2][axis];
		drop(&s, 2, axis);
		for (uint32_t j = 0; j < s.n[2]; j++)
			if (s.l[2][j] == label) return NULL;
		for (uint32_t side = 0; side < 2; side++)
			for (uint32_t j = 0; j < s.n[side]; j++) in[side] += s.l[side][j] == label;
		if (in[0] && in[1]) continue;
		uint32_t side = in[0] ? 0 : 1, j = 0;
		if (in[side] != 1) return NULL;
		while (s.l[side][j] != label) j++;
		if (!(arg[side] = fold(g, OP_SUM, arg[side], 1, (int64_t[]){j}))) return NULL;
		drop(&s, side, j);
	}
	return contract_as(g, &s, arg[0], arg[1]);
}

/* Axes as they are called when those of `gone` are no more. */
static uint32_t renumber(int64_t *l, uint32_t n, const int64_t *gone, uint32_t ngone)
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

/* sum(c*q) where c repeats along some of the axes: q is summed along those first. */
static Node *sum_product(Graph *g, Node *x)
{
	Node *p = x->arg[0];
	for (uint32_t side = 0; side < 2; side++) {
		Node *e = p->arg[side], *q = p->arg[1 - side];
		int64_t axes[RANK_MAX], first[RANK_MAX], wide[RANK_MAX];
		const Size *size[RANK_MAX];
		uint32_t n = attr_count(x), nfirst = 0, nwide = 0;
		if (e->op != OP_EXPAND || e->narg != 1) continue;
		for (uint32_t i = 0; i < attr_count(e) / 2; i++) wide[nwide++] = attr_int(e, 2 * i);
		for (uint32_t i = 0; i < n; i++) {
			axes[i] = attr_int(x, i);
			if (list_has(nwide, wide, axes[i])) first[nfirst++] = axes[i];
		}
		if (!nfirst || (nfirst == n && nwide == n)) continue; /* none; or the rule sum_scale */
		uint32_t k = 0;
		for (uint32_t i = 0; i < nwide; i++)
			if (!list_has(nfirst, first, wide[i])) size[k++] = node_dim(e, (uint32_t)wide[i]);
		nwide = renumber(wide, nwide, first, nfirst);
		n = renumber(axes, n, first, nfirst);
		Node *t = fold(g, OP_SUM, q, nfirst, first);
		Node *c = nwide ? expand(g, e->arg[0], nwide, wide, size) : e->arg[0];
		Node *y = t && c ? build2(g, OP_MUL, c, t) : NULL;
		return y && n ? fold(g, OP_SUM, y, n, axes) : y;
	}
	return NULL;
}

/* sum[a](expand[b](c)) with no axis of a in b: the sum goes inside. */
static Node *sum_within(Graph *g, Node *x)
{
	Node *e = x->arg[0];
	int64_t axes[RANK_MAX] = {0}, old[RANK_MAX], wide[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t n = attr_count(x), nwide = attr_count(e) / 2;
	if (e->narg != 1) return NULL;
	for (uint32_t i = 0; i < nwide; i++) {
		wide[i] = attr_int(e, 2 * i);
		size[i] = node_dim(e, (uint32_t)wide[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		axes[i] = old[i] = attr_int(x, i);
		if (list_has(nwide, wide, axes[i])) return NULL;
	}
	renumber(axes, n, wide, nwide);
	Node *y = fold(g, OP_SUM, e->arg[0], n, axes);
	renumber(wide, nwide, old, n);
	return y ? expand(g, y, nwide, wide, size) : NULL;
}

/* Slices of one array, one after the other, are one slice. */
static Node *join_slices(Graph *g, Node *x)
{
	uint32_t axis = (uint32_t)attr_int(x, 0), r = node_rank(x);
	const Node *first = x->arg[0];
	const Size *start[RANK_MAX], *at = NULL;
	int64_t step[RANK_MAX];
	for (uint32_t k = 0; k < x->narg; k++) {
		const Node *s = x->arg[k];
		if (s->op != OP_SLICE || s->arg[0] != first->arg[0]) return NULL;
		for (uint32_t d = 0; d < r; d++) {
			const Size *from = s->attr->v[d].u.size;
			if (s->attr->v[2 * r + d].u.i != 1) return NULL;
			if (d == axis && !size_at_most(g, size_const(g, 0), s->attr->v[r + d].u.size))
				return NULL; /* the call checks it */
			if (d != axis ? from != first->attr->v[d].u.size : k && from != at) return NULL;
			start[d] = first->attr->v[d].u.size;
			step[d] = 1;
		}
		at = size_add(g, s->attr->v[axis].u.size, s->attr->v[r + axis].u.size);
	}
	return slice(g, first->arg[0], start, x->type->u.dim, step);
}

/* A slice that lies within one part of a concatenation is a slice of that part. */
static Node *slice_part(Graph *g, Node *x)
{
	Node *c = x->arg[0];
	uint32_t axis = (uint32_t)attr_int(c, 0), r = node_rank(x);
	const Size *start[RANK_MAX], *at = size_const(g, 0);
	int64_t step[RANK_MAX];
	for (uint32_t d = 0; d < r; d++) {
		start[d] = x->attr->v[d].u.size;
		step[d] = x->attr->v[2 * r + d].u.i;
	}
	if (step[axis] != 1) return NULL;
	const Size *from = start[axis], *to = size_add(g, from, x->attr->v[r + axis].u.size);
	for (uint32_t k = 0; k < c->narg; k++) {
		const Size *end = size_add(g, at, node_dim(c->arg[k], axis));
		Proof first = size_compare(g, from, at), last = size_compare(g, end, to);
		bool in = (first == PROOF_EQUAL || first == PROOF_GREATER || first == PROOF_GREATER_EQUAL) &&
			(last == PROOF_EQUAL || last == PROOF_GREATER || last == PROOF_GREATER_EQUAL);
		if (in) {
			start[axis] = size_sub(g, from, at);
			return slice(g, c->arg[k], start, x->type->u.dim, step);
		}
		at = end;
	}
	return NULL;
}

/* where(c, f(x, z), f(y, z)) is f(where(c, x, y), z): one f instead of two, when nothing else needs them. */
static Node *choose_first(Graph *g, Node *x, const IdMap *needs)
{
	Node *a = x->arg[1], *b = x->arg[2], *arg[2];
	uint32_t differ = 0, at = 0;
	if (a->op != b->op || a == b || !a->narg || a->narg > 2 || op_info[a->op].class != MAP ||
		a->attr != b->attr || a->op == OP_NEG || needed_twice(needs, a) || needed_twice(needs, b))
		return NULL;
	for (uint32_t k = 0; k < a->narg; k++) {
		arg[k] = a->arg[k];
		if (a->arg[k] != b->arg[k]) {
			differ++;
			at = k;
		}
	}
	if (differ != 1 || a->arg[at]->type != b->arg[at]->type) return NULL;
	arg[at] = build3(g, OP_WHERE, x->arg[0], a->arg[at], b->arg[at]);
	return arg[at] ? node_make(g, (Op)a->op, a->attr, a->narg, arg) : NULL;
}

/* (A @ B) @ v is A @ (B @ v), and v @ (A @ B) is (v @ A) @ B: no product of matrices is left. */
static Node *vector_last(Graph *g, Node *x, const IdMap *needs)
{
	for (uint32_t k = 0; k < 2; k++) {
		Node *c = x->arg[k], *v = x->arg[1 - k];
		if (c->op != OP_CONTRACT || node_rank(c) != 2 || node_rank(v) != 1 || needed_twice(needs, c))
			continue;
		Node *a = c->arg[0], *b = c->arg[1];
		if (node_rank(a) != 2 || node_rank(b) != 2 || !is_matmul(c) || !is_matmul(x)) continue;
		return k ? matmul(g, matmul(g, v, a), b) : matmul(g, a, matmul(g, b, v));
	}
	return NULL;
}

static Node *move_sum(Graph *g, Node *x, const IdMap *needs, Facts *facts)
{
	Node *y = x->arg[0], *z = pick_by_one_hot(g, x, facts);
	if (z) return z;
	if (y->op == OP_EXPAND) return sum_within(g, x);
	if (needed_twice(needs, y) || !is_wide(node_dtype(x))) return NULL;
	if (y->op == OP_CONTRACT) return sum_contract(g, x);
	if (y->op == OP_WHERE) return trace_of_product(g, x);
	return y->op == OP_MUL ? sum_product(g, x) : NULL;
}

static Node *move_contraction(Graph *g, Node *x, const IdMap *needs, Facts *facts)
{
	Node *y = product_of_identity(g, x);
	y = y ? y : rows_by_one_hot(g, x, facts);
	if (y || !is_wide(node_dtype(x))) return y;
	y = vector_last(g, x, needs);
	return y ? y : order_chain(g, x, needs);
}

Node *move_inwards(Graph *g, Node *x, const IdMap *needs, Facts *facts, unsigned laws)
{
	if (x->type->kind != TYPE_ARRAY) return NULL;
	bool real = laws & 1u << LAW_REAL && dtype_is_float(node_dtype(x));
	Node *y = op_info[x->op].class == FOLD ? fold_view(g, x, real) : NULL;
	if (y) return y;
	switch ((Op)x->op) {
	case OP_GATHER: return move_index(g, x, needs, laws & 1u << LAW_REAL);
	case OP_CONCAT: return x->narg > 1 ? join_slices(g, x) : NULL;
	case OP_SLICE: return x->arg[0]->op == OP_CONCAT ? slice_part(g, x) : NULL;
	case OP_WHERE: return choose_first(g, x, needs);
	case OP_SUM: return real ? move_sum(g, x, needs, facts) : NULL;
	case OP_CONTRACT: return real ? move_contraction(g, x, needs, facts) : NULL;
	case OP_ADD:
		if (real && (y = add_into(g, x, needs))) return y;
		return real && is_wide(node_dtype(x)) ? factor_sum(g, x, needs) : NULL;
	case OP_SUB: return real && is_wide(node_dtype(x)) ? factor_sum(g, x, needs) : NULL;
	default: return NULL;
	}
}
