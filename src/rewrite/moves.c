/* moves.c - a sum or a choice moved to where it costs less, and what else no pattern can say for all
 * operators at once.
 *
 * Needs: a node over normal operands, and what of the region is needed twice or whole.
 * Gives: an equal node, or NULL.  Indices move in indices.c, slices in cuts.c, folds in folds.c: only when
 * nothing else needs what they move into.
 */
#include "rules.h"

/* ---- what is needed ------------------------------------------------------------------------ */

static bool is_index(const Node *x)
{
	return x->op == OP_GATHER && node_is_scalar(x->arg[1]);
}

/* Is an index of it one of its operands? */
static bool passes_index(Graph *g, const Node *x)
{
	Class k = op_info[x->op].class;
	if (x->op == OP_RESHAPE) return x->narg == 1 && same_but_ones(x->type, x->arg[0]->type);
	return k == MAP || k == FOLD || k == CONTRACT || (k == VIEW && x->narg) || axis_apart(g, x) >= 0;
}

/* Does x, if it is needed in part, need its operand k in part? */
static bool reads_part(Graph *g, const Node *x, uint32_t k, bool through)
{
	if (is_index(x) && !k) return axis_apart(g, x->arg[k]) != attr_int(x, 0);
	return through && axis_apart(g, x->arg[k]) < 0;
}

/* 4*users, + 1 if one of them needs it whole, + 2 if it was in the way that there are two: then ANYWHERE,
 * which is no node's id, has that too. */
enum { WHOLE = 1, HELD = 2, USER = 4, ANYWHERE = 0 };

static void need(IdMap *needs, uint32_t id, uintptr_t more)
{
	void **slot = idmap_slot(needs, id);
	uintptr_t was = (uintptr_t)*slot;
	uintptr_t whole = (was | more) & WHOLE;
	*slot = (void *)((was & ~(uintptr_t)WHOLE) + (more & ~(uintptr_t)(USER - 1)) + whole);
}

bool needed_whole(const IdMap *needs, const Node *x)
{
	return (uintptr_t)idmap_get((IdMap *)needs, x->id) & WHOLE;
}

void needs_of(Graph *g, IdMap *needs, const Region *r, uint32_t n, Node *const *roots)
{
	for (uint32_t i = 0; i < n; i++)
		if (roots[i]) need(needs, roots[i]->id, USER + WHOLE);
	for (uint32_t i = r->n; i-- > 0;) {
		const Node *x = r->node[i];
		bool through = !needed_whole(needs, x) && passes_index(g, x);
		for (uint32_t k = 0; k < x->narg; k++)
			need(needs, x->arg[k]->id, reads_part(g, x, k, through) ? USER : USER + WHOLE);
	}
}

void needs_move(IdMap *needs, const Node *from, const Node *to)
{
	uintptr_t more = from == to ? 0 : (uintptr_t)idmap_get(needs, from->id);
	if (more) need(needs, to->id, more);
}

bool needed_twice(const IdMap *needs, const Node *x)
{
	uintptr_t users = (uintptr_t)idmap_get((IdMap *)needs, x->id);
	if (users < 2 * USER) return false;
	void **slot = users & HELD ? NULL : idmap_slot((IdMap *)needs, x->id);
	if (!slot) return true;
	*slot = (void *)(users | HELD);
	idmap_put((IdMap *)needs, ANYWHERE, (void *)(uintptr_t)HELD);
	return true;
}

bool is_any_held(const IdMap *needs)
{
	return idmap_get(needs, ANYWHERE);
}

bool frees_held(const IdMap *before, const IdMap *after, const Region *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const uint32_t id = r->node[i]->id;
		bool held = (uintptr_t)idmap_get((IdMap *)before, id) & HELD;
		if (held && (uintptr_t)idmap_get((IdMap *)after, id) < 2 * USER) return true;
	}
	return false;
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
		labels_drop(&s, 2, axis);
		for (uint32_t j = 0; j < s.n[2]; j++)
			if (s.l[2][j] == label) return NULL;
		for (uint32_t side = 0; side < 2; side++)
			for (uint32_t j = 0; j < s.n[side]; j++) in[side] += s.l[side][j] == label;
		if (in[0] && in[1]) continue;
		uint32_t side = in[0] ? 0 : 1, j = 0;
		if (in[side] != 1) return NULL;
		while (s.l[side][j] != label) j++;
		if (!(arg[side] = fold(g, OP_SUM, arg[side], 1, (int64_t[]){j}))) return NULL;
		labels_drop(&s, side, j);
	}
	return contract_as(g, &s, arg[0], arg[1]);
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

/* x where c is known: on that side of a choice by it */
static Node *on_side(Graph *g, Node *x, const Node *c, uint32_t side, uint32_t depth, const IdMap *needs)
{
	Node *arg[4];
	bool changed = false;
	if (x->op == OP_WHERE && x->arg[0] == c) return x->arg[side];
	if (!depth || op_info[x->op].class != MAP || !x->narg || x->narg > countof(arg)) return x;
	if (needed_twice(needs, x)) return x;
	for (uint32_t k = 0; k < x->narg; k++) {
		arg[k] = on_side(g, x->arg[k], c, side, depth - 1, needs);
		changed |= arg[k] != x->arg[k];
	}
	return changed ? node_make(g, (Op)x->op, x->attr, x->narg, arg) : x;
}

/* where(c, f(where(c, x, y)), z) is where(c, f(x), z). */
static Node *choose_once(Graph *g, Node *x, const IdMap *needs)
{
	enum { DEEP = 4 };
	Node *a = on_side(g, x->arg[1], x->arg[0], 1, DEEP, needs),
	     *b = on_side(g, x->arg[2], x->arg[0], 2, DEEP, needs);
	bool changed = a != x->arg[1] || b != x->arg[2];
	return changed ? build3(g, OP_WHERE, x->arg[0], a, b) : NULL;
}

/* f(where(c, x, y), where(c, z, w)) is where(c, f(x, z), f(y, w)): one choice instead of two, where f costs
 * no more than that. */
static Node *choose_last(Graph *g, Op op, Node *a, Node *b, const IdMap *needs)
{
	if (a->op != OP_WHERE || b->op != OP_WHERE || a->arg[0] != b->arg[0] || op_info[op].cost > 1 ||
		needed_twice(needs, a) || needed_twice(needs, b))
		return NULL;
	return build3(g, OP_WHERE, a->arg[0], build2(g, op, a->arg[1], b->arg[1]),
		build2(g, op, a->arg[2], b->arg[2]));
}

/* The same of a sum or product of more: of its last operand with one before. */
static Node *choose_last_of(Graph *g, Node *x, const IdMap *needs, bool real)
{
	Terms t;
	Node *with[KEY_TERMS], *last = x->arg[1], *y = choose_last(g, (Op)x->op, x->arg[0], last, needs);
	bool product = x->op == OP_MUL, sum = x->op == OP_ADD || x->op == OP_SUB;
	if (y || !real || (!product && !sum) || !is_wide(node_dtype(x)) || last->op != OP_WHERE) return y;
	if (!(product ? terms_of_product : terms_of_sum)(x, &t, 16) || t.term[t.n - 1].x != last) return NULL;
	for (uint32_t i = 0; i + 1 < t.n; i++) with[i] = t.term[i].x;
	for (uint32_t i = 0; i + 1 < t.n; i++) {
		Op op = t.term[i].sign == t.term[t.n - 1].sign ? OP_ADD : OP_SUB;
		if (!(y = choose_last(g, product ? OP_MUL : op, with[i], last, needs))) continue;
		with[i] = y;
		with[t.n - 1] = NULL;
		return terms_rebuild(g, x, product, with);
	}
	return NULL;
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

static Node *move_sum(Graph *g, Node *x, const Moves *m)
{
	Node *y = x->arg[0], *z = pick_by_one_hot(g, x, m->facts);
	if (z) return z;
	if (needed_twice(m->needs, y) || !is_wide(node_dtype(x))) return NULL;
	if (y->op == OP_CONTRACT) return sum_contract(g, x);
	if (y->op == OP_WHERE) return trace_of_product(g, x);
	if (y->op != OP_MUL) return NULL;
	return (z = sum_by_pairs(g, x, m->needs)) ? z : sum_product(g, x);
}

static Node *move_contraction(Graph *g, Node *x, const Moves *m)
{
	Node *y = product_of_identity(g, x);
	y = y ? y : rows_by_one_hot(g, x, m->facts);
	if (y || !is_wide(node_dtype(x))) return y;
	y = vector_last(g, x, m->needs);
	if (!y) y = contract_by_pairs(g, x, m->needs);
	return y ? y : order_chain(g, x, m->needs);
}

/* z*(x - y) as z*(y - x), where nothing else needs that difference. */
static Node *turn_difference(Graph *g, Node *x, const IdMap *needs, uint32_t depth)
{
	if (!depth) return NULL;
	if (x->op == OP_SUB) return needed_twice(needs, x) ? NULL : build2(g, OP_SUB, x->arg[1], x->arg[0]);
	if (x->op != OP_MUL && x->op != OP_DIV) return NULL;
	for (uint32_t k = x->op == OP_MUL ? 2 : 1; k-- > 0;) {
		Node *y = turn_difference(g, x->arg[k], needs, depth - 1);
		if (y && needed_twice(needs, x)) return NULL;
		if (y) return build2(g, (Op)x->op, k ? x->arg[0] : y, k ? y : x->arg[1]);
	}
	return NULL;
}

/* -(z*(x - y)) is z*(y - x), unless z holds x - y too. */
static Node *move_minus(Graph *g, Node *x, const Moves *m)
{
	enum { DEEP = 8 };
	Node *y = dtype_is_float(node_dtype(x)) ? turn_difference(g, x->arg[0], m->needs, DEEP) : NULL;
	bool product = y && (y->op == OP_MUL || y->op == OP_DIV);
	return product && with_equal_differences(g, y, m->facts) ? NULL : y;
}

/* What repeats once is a reshape. */
static Node *expand_units(Graph *g, Node *x)
{
	for (uint32_t k = 1; k < attr_count(x); k += 2)
		if (!size_equals(x->attr->v[k].u.size, 1)) return NULL;
	return reshape(g, x->arg[0], node_rank(x), x->type->u.dim);
}

Node *move_inwards(Graph *g, Node *x, const Moves *m)
{
	if (x->type->kind != TYPE_ARRAY) return NULL;
	bool real = m->laws & 1u << LAW_REAL && dtype_is_float(node_dtype(x)), wide = is_wide(node_dtype(x));
	Node *y = NULL;
	bool sum = x->op == OP_ADD || x->op == OP_SUB;
	if (op_info[x->op].class == FOLD) y = fold_view(g, x, m);
	if (real && sum) y = add_into(g, x, m->needs);
	if (!y && real && wide && sum) y = factor_sum(g, x, m->needs);
	if (!y && op_info[x->op].class == MAP && x->narg == 2) y = choose_last_of(g, x, m->needs, real);
	if (y) return y;
	switch ((Op)x->op) {
	case OP_GATHER: return move_index(g, x, m);
	case OP_SLICE: return move_cut(g, x, m);
	case OP_SCATTER_ADD:
	case OP_SCATTER_SET: return move_write(g, x, real);
	case OP_CONCAT: return (y = join_slices(g, x)) ? y : fewer_parts(g, x);
	case OP_EXPAND: return expand_units(g, x);
	case OP_RESHAPE: return move_diagonal(g, x, m);
	case OP_TRI_SOLVE: return real ? solve_diagonal(g, x) : NULL;
	case OP_WHERE:
		if (real && ((y = choose_part(g, x)) || (y = choose_written(g, x, m->needs)))) return y;
		return (y = choose_first(g, x, m->needs)) ? y : choose_once(g, x, m->needs);
	case OP_SUM: return real ? move_sum(g, x, m) : NULL;
	case OP_NEG:
		if (real && (y = move_minus(g, x, m))) return y;
		return real ? zeros_times(g, x) : NULL;
	case OP_MUL:
	case OP_DIV: return real ? zeros_times(g, x) : NULL;
	case OP_CONTRACT: return real ? move_contraction(g, x, m) : NULL;
	default: return NULL;
	}
}
