/* branches.c - branches that need not be.
 *
 * A condition that is known takes its side; results that both sides give alike are no results of a branch;
 * and where both sides cost little and cannot fail, a select does without the branch.
 */
#include "rules.h"

#include <math.h>

/* Instructions an element, or so, of both sides together: a branch costs some tens of nanoseconds. */
enum { SELECT_COST = 24 };

typedef struct Sides {
	Opened yes, no;
} Sides;

/* Within a side the condition is known; what is captured stays what it is around. */
static Opened open_side(Graph *g, Arena *a, Node *x, const Body *b, bool holds)
{
	Function *f = b->f;
	Opened o = {.nparam = f->nparam, .nresult = f->nresult};
	Node *known = constant_int(g, x->arg[0]->type, holds);
	o.param = NEW_ARRAY(a, Node *, f->nparam);
	o.result = NEW_ARRAY(a, Node *, f->nresult);
	for (uint32_t i = 0; i < f->nparam; i++) {
		Node *given = x->arg[b->first + i];
		o.param[i] = given == x->arg[0] ? known : given;
	}
	if (!g->error.code) function_inline(g, f, body_sizes(a, x, b), o.param, o.result);
	return o;
}

static Sides open_sides(Graph *g, Arena *a, Node *x)
{
	Body b[BODIES_MAX];
	Sides s = {0};
	node_bodies(x, b);
	s.yes = open_side(g, a, x, &b[0], true);
	if (!g->error.code) s.no = open_side(g, a, x, &b[1], false);
	return s;
}

/* ---- selects ---------------------------------------------------------------------------- */

/* A reshape that neither joins axes nor splits them: axes of size 1 come or go. */
static bool keeps_axes(const Node *x)
{
	const Type *t = x->type, *from = x->arg[0]->type;
	uint32_t j = 0;
	int64_t one;
	for (uint32_t i = 0; i < t->n; i++) {
		if (size_is(DIM(t, i), &one) && one == 1) continue;
		while (j < from->n && size_is(DIM(from, j), &one) && one == 1) j++;
		if (j == from->n || DIM(from, j++) != DIM(t, i)) return false;
	}
	while (j < from->n && size_is(DIM(from, j), &one) && one == 1) j++;
	return j == from->n;
}

/* What is given, or a part of it: what is computed would be stored for an element of it to be taken. */
static bool is_place(const Node *x)
{
	while (x->op == OP_GATHER || x->op == OP_SLICE) x = x->arg[0];
	return op_info[x->op].class == LEAF;
}

/* What a kernel computes in passing. */
static bool is_passing(const Node *x)
{
	switch (op_info[x->op].class) {
	case LEAF:
	case MAP: return true;
	case VIEW:
		if (x->op == OP_RESHAPE) return keeps_axes(x);
		return x->op != OP_CONCAT && x->op != OP_PAD;
	case INDEX: return x->op == OP_GATHER && is_place(x->arg[0]);
	default: return false;
	}
}

static bool is_cheap(Graph *g, Function *f, uint32_t *cost)
{
	Region *r = function_region(g, f);
	for (uint32_t i = 0; i < r->n && *cost <= SELECT_COST; i++) {
		Node *x = r->node[i];
		if (!is_passing(x) || x->type->kind != TYPE_ARRAY || !node_is_total(g, x, NULL)) return false;
		*cost += op_info[x->op].class != VIEW ? op_info[x->op].cost : 0;
	}
	return *cost <= SELECT_COST;
}

static bool can_select(Graph *g, const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t cost = 0, n = node_bodies(x, b);
	for (uint32_t i = 0; i < n; i++)
		if (!is_cheap(g, b[i].f, &cost)) return false;
	for (uint32_t i = 0; i < b[0].f->nresult; i++)
		if (x->type->u.elem[i]->kind != TYPE_ARRAY) return false;
	return true;
}

/* Is a result of one side as large as the other's, whatever the call brings?  Else the sizes of the side
 * that is not taken would be asked for. */
static bool fits(Graph *g, const Node *no, const Type *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!size_holds(g, node_dim(no, i), DIM(t, i), true)) return false;
	return true;
}

/* A result of a side, whose sizes must be those of the branch. */
static Node *of_type(Graph *g, Node *x, const Type *t)
{
	return t->kind == TYPE_ARRAY ? sized(g, x, t->n, t->u.dim) : x;
}

static Node *select_of(Graph *g, Arena *a, Node *x, const Sides *s)
{
	uint32_t n = x->type->n;
	Node **result = NEW_ARRAY(a, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		const Type *t = x->type->u.elem[i];
		Node *c = broadcast_to(g, x->arg[0], t->n, t->u.dim);
		Node *no = s->no.result[i];
		if (no->type != t && !fits(g, no, t)) return NULL;
		if (c) no = of_type(g, no, t);
		result[i] = build3(g, OP_WHERE, c, s->yes.result[i], no);
		if (!result[i] || result[i]->type != t) return NULL;
	}
	return tuple(g, n, result);
}

/* ---- results ------------------------------------------------------------------------------ */

static bool is_equal(const Node *x, const Sides *s, uint32_t i)
{
	return s->yes.result[i] == s->no.result[i] && s->yes.result[i]->type == x->type->u.elem[i];
}

/* Results that the sides give alike, as what both capture, are that; the branch keeps the others. */
static Node *without_equal(Graph *g, Arena *a, Node *x, const Sides *s)
{
	uint32_t n = x->type->n, kept = 0, k = 0;
	Node **yes = NEW_ARRAY(a, Node *, n), **no = NEW_ARRAY(a, Node *, n), **out = NEW_ARRAY(a, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		if (is_equal(x, s, i)) continue;
		yes[kept] = s->yes.result[i];
		no[kept++] = s->no.result[i];
	}
	if (kept == n) return x;
	Node *less = kept ? branch(g, x->arg[0], kept, yes, no, captured(x)) : NULL;
	if (kept && !less) return NULL;
	for (uint32_t i = 0; i < n; i++) out[i] = is_equal(x, s, i) ? s->yes.result[i] : get(g, less, k++);
	return tuple(g, n, out);
}

/* ---- writes ------------------------------------------------------------------------------- */

enum { WRITES_MOST = 4 };

/* Writes at fixed places of nothing, the first one first: a side's derivative by p[0] and p[1]. */
typedef struct Writes {
	Node *nothing, *write[WRITES_MOST];
	uint32_t n;
} Writes;

static bool is_nothing(const Node *x)
{
	double zero;
	return x->op == OP_CONST && dtype_is_float(node_dtype(x)) && constant_value(x, &zero) && zero == 0 &&
		!signbit(zero);
}

static bool writes_of(Graph *g, Node *x, Writes *w)
{
	uint32_t n = 0;
	for (Node *y = x; is_scatter(y); y = y->arg[0]) n++;
	if (n > WRITES_MOST) return false;
	w->n = n;
	for (; n; x = x->arg[0]) {
		const Size *places = node_dim(x, (uint32_t)attr_int(x, 0));
		bool fixed = x->arg[1]->op == OP_CONST && node_is_scalar(x->arg[1]);
		if (x->op != OP_SCATTER_ADD && (x->op != OP_SCATTER_SET || n > 1)) return false;
		if (!fixed || !index_holds(g, x->arg[1], places)) return false;
		w->write[--n] = x;
	}
	w->nothing = x;
	return x->type->kind == TYPE_ARRAY && is_nothing(x);
}

/* What is written is the branch's result then, or 0 where the other side is taken, and is written behind it:
 * there it can leave a loop. */
static Node *writing_behind(Graph *g, Arena *a, Node *x, const Sides *s)
{
	uint32_t n = x->type->n, k = 0;
	Node **yes = NEW_ARRAY(a, Node *, 2 * WRITES_MOST * n);
	Node **no = NEW_ARRAY(a, Node *, 2 * WRITES_MOST * n);
	Node **out = NEW_ARRAY(a, Node *, n);
	Writes *w = NEW_ARRAY(a, Writes, 2 * n);
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		Writes *p = &w[2 * i], *q = p + 1;
		bool writes = writes_of(g, s->yes.result[i], p) && writes_of(g, s->no.result[i], q) &&
			p->nothing == q->nothing && p->n + q->n;
		any |= writes;
		if (!writes) {
			p->n = q->n = 0;
			yes[k] = s->yes.result[i];
			no[k++] = s->no.result[i];
		}
		for (uint32_t j = 0; j < p->n + q->n; j++, k++) {
			Node *value = j < p->n ? p->write[j]->arg[2] : q->write[j - p->n]->arg[2];
			Node *zero = constant_float(g, value->type, 0);
			yes[k] = j < p->n ? value : zero;
			no[k] = j < p->n ? zero : value;
		}
	}
	Node *inner = any ? branch(g, x->arg[0], k, yes, no, captured(x)) : x;
	if (!any || !inner) return inner;
	k = 0;
	for (uint32_t i = 0; i < n; i++) {
		const Writes *p = &w[2 * i], *q = p + 1;
		out[i] = p->n + q->n ? p->nothing : get(g, inner, k++);
		for (uint32_t j = 0; j < p->n + q->n; j++) {
			const Node *at = j < p->n ? p->write[j] : q->write[j - p->n];
			Op op = j ? OP_SCATTER_ADD : (Op)at->op;
			out[i] = scatter(g, op, out[i], at->arg[1], get(g, inner, k++), attr_int(at, 0));
		}
	}
	return tuple(g, n, out);
}

/* Zero, or zeros into which something is written anywhere, the last one first. */
static bool adds_to_nothing(Node *x, Writes *w)
{
	double zero;
	for (w->n = 0; is_scatter(x) && w->n < WRITES_MOST; x = x->arg[0]) {
		bool set = x->op == OP_SCATTER_SET && node_is_scalar(x->arg[1]);
		if (x->op != OP_SCATTER_ADD && !set) return false;
		w->write[w->n++] = x;
		if (x->op == OP_SCATTER_SET && is_scatter(x->arg[0])) return false;
	}
	return constant_value(x, &zero) && constant_is_uniform(x) && zero == 0;
}

static Node *with_writes(Graph *g, Node *x, const Writes *w, bool minus)
{
	for (uint32_t n = w->n; n-- && x;) {
		const Node *at = w->write[n];
		Node *v = minus ? build1(g, OP_NEG, at->arg[2]) : at->arg[2];
		x = scatter(g, OP_SCATTER_ADD, x, at->arg[1], v, attr_int(at, 0));
	}
	return x;
}

/* Does x hang on y?  Where that would take long to tell, too. */
static bool may_hang_on(const Node *x, const Node *y, uint32_t *fuel)
{
	if (x == y || !*fuel) return true;
	if (x->id < y->id) return false;
	--*fuel;
	for (uint32_t i = 0; i < x->narg; i++)
		if (may_hang_on(x->arg[i], y, fuel)) return true;
	return false;
}

static bool is_result_of_branch(const Node *x)
{
	return x->op == OP_GET && x->arg[0]->op == OP_IF;
}

enum { NESTED = 4 }; /* branches in one another */

/* Zeros with something written, or what both sides of a branch give of such? */
static bool gives_writes(Graph *g, Arena *a, Node *x, uint32_t depth)
{
	Writes w;
	if (!is_result_of_branch(x)) return adds_to_nothing(x, &w);
	if (!depth) return false;
	const Sides s = open_sides(g, a, x->arg[0]);
	const int64_t i = attr_int(x, 0);
	return !g->error.code && gives_writes(g, a, s.yes.result[i], depth - 1) &&
		gives_writes(g, a, s.no.result[i], depth - 1);
}

/* What a side gives of such added to what it is added to; NULL: it is none. */
static Node *with_side(Graph *g, Arena *a, Node *to, Node *x, bool minus)
{
	Writes w;
	if (adds_to_nothing(x, &w)) return with_writes(g, to, &w, minus);
	if (!is_result_of_branch(x) || !gives_writes(g, a, x, NESTED)) return NULL;
	return build2(g, minus ? OP_SUB : OP_ADD, to, x);
}

/* What the sides give by the condition of a branch, over its captures and `more`. */
static Node *sum_of_sides(Graph *g, Arena *a, const Node *both, Node *const sum[2], Nodes more)
{
	Nodes own = captured(both);
	Node **outside = NEW_ARRAY(a, Node *, own.n + more.n + 1);
	if (!sum[0] || !sum[1]) return NULL;
	if (own.n) memcpy(outside, own.v, own.n * sizeof *outside);
	if (more.n) memcpy(outside + own.n, more.v, more.n * sizeof *outside);
	Node *y = branch(g, both->arg[0], 1, &sum[0], &sum[1], (Nodes){own.n + more.n, outside});
	return y ? of_type(g, get(g, y, 0), sum[0]->type) : NULL;
}

/* Two results of one branch, of which in either side one is zeros with something written: what is written is
 * added there to the other. */
static Node *add_in_both(Graph *g, Arena *a, Node *x, const IdMap *needs)
{
	Node *both = x->arg[0]->arg[0], *sum[2] = {0};
	bool minus = x->op == OP_SUB;
	if (needed_twice(needs, x->arg[0]) || needed_twice(needs, x->arg[1])) return NULL;
	const Sides s = open_sides(g, a, both);
	const Opened *side[] = {&s.yes, &s.no};
	for (uint32_t i = 0; i < 2 && !g->error.code; i++) {
		for (uint32_t k = minus; k < 2 && !sum[i]; k++) {
			Node *part = side[i]->result[attr_int(x->arg[k], 0)];
			Node *to = side[i]->result[attr_int(x->arg[1 - k], 0)];
			sum[i] = with_side(g, a, to, part, minus);
		}
		if (!sum[i]) return NULL;
	}
	return g->error.code ? NULL : sum_of_sides(g, a, both, sum, (Nodes){0});
}

/* What a branch writes into zeros added to what hangs on other results of it: places and values are results,
 * and nothing in the other side, for another branch behind it. */
static Node *add_behind(Graph *g, Arena *a, Node *to, const Node *both, const Writes w[2], bool minus)
{
	uint32_t n = 2 * (w[0].n + w[1].n), m = 0;
	Node **result[] = {NEW_ARRAY(a, Node *, n), NEW_ARRAY(a, Node *, n)};
	Node **cell = NEW_ARRAY(a, Node *, n + 1);
	Node *sum[] = {to, to};
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = w[k].n; i-- > 0;)
			for (uint32_t j = 1; j < 3; j++, m++) {
				result[k][m] = w[k].write[i]->arg[j];
				result[1 - k][m] = constant_int(g, result[k][m]->type, 0);
			}
	Node *cells = branch(g, both->arg[0], n, result[0], result[1], captured(both));
	if (!cells) return NULL;
	for (uint32_t i = 0; i < n; i++) cell[i] = get(g, cells, i);
	cell[n] = to;
	m = 0;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = w[k].n; i-- > 0; m += 2) {
			Node *v = minus ? build1(g, OP_NEG, cell[m + 1]) : cell[m + 1];
			sum[k] = scatter(g, OP_SCATTER_ADD, sum[k], cell[m], v, attr_int(w[k].write[i], 0));
		}
	return sum_of_sides(g, a, both, sum, (Nodes){n + 1, cell});
}

/* What branch `both` gives as result i added to what it is added to. */
static Node *add_result(Graph *g, Arena *a, Node *to, Node *both, int64_t i, bool minus)
{
	const Sides s = open_sides(g, a, both);
	Writes w[2];
	uint32_t fuel = FUEL;
	if (g->error.code) return NULL;
	Node *part[] = {s.yes.result[i], s.no.result[i]};
	bool plain = adds_to_nothing(part[0], &w[0]) && adds_to_nothing(part[1], &w[1]);
	if (plain && !(w[0].n + w[1].n)) return NULL;
	if (may_hang_on(to, both, &fuel)) return plain && fuel ? add_behind(g, a, to, both, w, minus) : NULL;
	Node *sum[2] = {0};
	for (uint32_t k = 0; k < 2; k++)
		if (!(sum[k] = with_side(g, a, to, part[k], minus))) return NULL;
	return sum_of_sides(g, a, both, sum, (Nodes){1, &to});
}

/* May it be such in both sides, for what the closed ones show? */
static bool may_give_writes(const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x->arg[0], b);
	for (uint32_t k = 0; k < n; k++) {
		const Node *y = b[k].f->result[attr_int(x, 0)];
		if (y->op != OP_CONST && !is_scatter(y) && !is_result_of_branch(y)) return false;
	}
	return true;
}

Node *add_in_sides(Graph *g, Arena *a, Node *x, const IdMap *needs)
{
	const Node *p = x->arg[0], *q = x->arg[1];
	bool minus = x->op == OP_SUB, two = is_result_of_branch(p) && is_result_of_branch(q);
	if (two && p != q && p->arg[0] == q->arg[0]) return add_in_both(g, a, x, needs);
	for (uint32_t k = minus; k < 2; k++) {
		Node *part = x->arg[k], *to = x->arg[1 - k];
		if (!is_result_of_branch(part) || to->type->n != part->type->n) continue;
		if (needed_twice(needs, part) || !may_give_writes(part)) continue;
		Node *y = add_result(g, a, to, part->arg[0], attr_int(part, 0), minus);
		if (y || g->error.code) return y ? of_type(g, y, x->type) : NULL;
	}
	return NULL;
}

/* Is every capture used, and taken once, and is the condition none of them? */
static bool captures_well(Graph *g, Arena *a, const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b), nparam = b[0].f->nparam;
	bool *used = NEW_ARRAY(a, bool, nparam);
	for (uint32_t k = 0; k < n; k++) {
		Region *r = function_region(g, b[k].f);
		for (uint32_t i = 0; i < r->n; i++)
			if (r->node[i]->op == OP_PARAM) used[attr_int(r->node[i], 0)] = true;
	}
	for (uint32_t i = 0; i < nparam; i++) {
		if (!used[i]) return false;
		for (uint32_t k = 0; k < 1 + i; k++)
			if (x->arg[1 + i] == x->arg[k]) return false;
	}
	return true;
}

Node *distinct_branch(Graph *g, Arena *a, Node *x)
{
	if (captures_well(g, a, x)) return x;
	Sides s = open_sides(g, a, x);
	if (g->error.code) return NULL;
	return branch(g, x->arg[0], x->type->n, s.yes.result, s.no.result, captured(x));
}

Node *simpler_branch(Graph *g, Arena *a, Node *x)
{
	int64_t known;
	Sides s = open_sides(g, a, x);
	if (g->error.code) return NULL;
	if (constant_integer(x->arg[0], &known)) {
		const Opened *taken = known ? &s.yes : &s.no;
		for (uint32_t i = 0; i < taken->nresult; i++)
			taken->result[i] = of_type(g, taken->result[i], x->type->u.elem[i]);
		return tuple(g, taken->nresult, taken->result);
	}
	Node *y = without_equal(g, a, x, &s);
	if (y == x) y = writing_behind(g, a, x, &s);
	if (y != x) return y;
	if (can_select(g, x)) {
		y = select_of(g, a, x, &s);
		if (y || g->error.code) return y;
	}
	return distinct_branch(g, a, x);
}
