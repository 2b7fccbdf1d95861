/* terms.c - a sum as its terms, a product as its factors.
 *
 * A key is a list of at most KEY_TERMS leaves of one maximal tree of ADD, SUB
 * and NEG (or MUL and NEG), from left to right, each with its sign.  It is
 * used to match, collect and cancel; it is not the order of evaluation:
 * terms_rebuild keeps the user's tree for whatever met nothing.
 */
#include "rules.h"

typedef struct SignedTerm {
	Node *x;
	int sign;
} SignedTerm;

static bool additive(const Node *x)
{
	return x->op == OP_ADD || x->op == OP_SUB;
}

/* -(a + b) is a sum within a sum; the minus of a lone term is its sign.  With most = 2 the root's own
 * operands alone are the terms, for rules that may not re-associate. */
bool terms_of_sum(Node *x, Terms *t, uint32_t most)
{
	SignedTerm stack[2 * KEY_TERMS];
	uint32_t top = 0, visits = 0;
	t->n = 0;
	t->negative = false;
	if (most <= 2) {
		t->n = 2;
		t->term[0].x = x->arg[0];
		t->term[0].sign = 1;
		t->term[1].x = x->arg[1];
		t->term[1].sign = x->op == OP_SUB ? -1 : 1;
		return additive(x);
	}
	stack[top++] = (SignedTerm){x, 1};
	while (top) {
		SignedTerm f = stack[--top];
		if (++visits > SUM_VISITS || top + 2 > 2 * KEY_TERMS) return false;
		if (f.x->op == OP_NEG) {
			stack[top++] = (SignedTerm){f.x->arg[0], -f.sign};
		} else if (additive(f.x)) {
			stack[top++] = (SignedTerm){f.x->arg[1], f.x->op == OP_SUB ? -f.sign : f.sign};
			stack[top++] = (SignedTerm){f.x->arg[0], f.sign};
		} else {
			if (t->n == most || t->n == KEY_TERMS) return false;
			t->term[t->n].x = f.x;
			t->term[t->n++].sign = f.sign;
		}
	}
	t->visits = visits;
	return true;
}

uint32_t terms_of_first(const Node *x, const Terms *t)
{
	Terms second;
	if (is_chained((Op)x->op)) {
		if (x->arg[1]->op != x->op) return t->n - 1;
		return terms_of_chain(x->arg[1], &second, KEY_TERMS) ? t->n - second.n : 1;
	}
	if (!additive(x->arg[1]) && x->arg[1]->op != OP_NEG) return t->n - 1;
	return terms_of_sum(x->arg[1], &second, KEY_TERMS) ? t->n - second.n : 1;
}

/* Equal ones have one bit among those that were seen; where one is there already, all before are compared. */
bool is_one_twice(uint32_t n, Node *const *x)
{
	uint64_t seen[4] = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bit = x[i] ? x[i]->id * 0x9E3779B1u >> 24 : 0;
		uint64_t *word = &seen[bit >> 6], at = 1ull << (bit & 63);
		for (uint32_t k = 0; k < i && *word & at; k++)
			if (x[k] == x[i]) return true;
		*word |= at;
	}
	return false;
}

/* What a part of a sum holds: its terms, how many of them are chosen, and their signs. */
typedef struct SumPart {
	uint32_t n, chosen;
	bool plus, minus, torn;
} SumPart;

/* A difference of which some terms are wanted elsewhere. */
static bool is_torn(SumPart p)
{
	return p.torn || (p.chosen && p.chosen < p.n && p.plus && p.minus);
}

static SumPart part_of(const Node *x, const Terms *t, const bool *chosen, uint32_t next)
{
	if (x->op == OP_NEG) return part_of(x->arg[0], t, chosen, next);
	int sign = additive(x) ? 0 : t->term[next].sign;
	if (sign) return (SumPart){1, chosen[next], sign > 0, sign < 0, false};
	SumPart a = part_of(x->arg[0], t, chosen, next), b = part_of(x->arg[1], t, chosen, next + a.n);
	bool torn = a.chosen && b.chosen ? is_torn(a) || is_torn(b) : a.torn || b.torn;
	return (SumPart){a.n + b.n, a.chosen + b.chosen, a.plus || b.plus, a.minus || b.minus, torn};
}

bool difference_is_torn(const Node *x, const Terms *t, const bool *chosen)
{
	return part_of(x, t, chosen, 0).torn;
}

/* The operands of a tree of one operator, of the root alone with most = 2; minus: `negative` is the parity
 * of the minus signs met on the way. */
static bool terms_of_tree(Node *x, bool minus, Terms *t, uint32_t most)
{
	Node *stack[2 * KEY_TERMS];
	Op op = minus ? OP_MUL : (Op)x->op;
	uint32_t top = 0, visits = 0;
	t->n = 0;
	t->negative = false;
	stack[top++] = x;
	while (top) {
		Node *y = stack[--top];
		if (++visits > 3 * KEY_TERMS || top + 2 > 2 * KEY_TERMS) return false;
		if (minus && y->op == OP_NEG) {
			t->negative = !t->negative;
			stack[top++] = y->arg[0];
		} else if (y->op == op && (most > 2 || y == x)) {
			stack[top++] = y->arg[1];
			stack[top++] = y->arg[0];
		} else {
			if (t->n == most || t->n == KEY_TERMS) return false;
			t->term[t->n].x = y;
			t->term[t->n++].sign = 1;
		}
	}
	return true;
}

bool terms_of_product(Node *x, Terms *t, uint32_t most)
{
	if (most <= 2 && x->op != OP_MUL) return false;
	return terms_of_tree(x, most > 2, t, most);
}

bool terms_of_chain(Node *x, Terms *t, uint32_t most)
{
	return terms_of_tree(x, false, t, most);
}

typedef struct Rebuilt {
	Node *x;
	uint32_t next;
	bool failed, minus;
} Rebuilt;

/* -1*x is -x, -1*(x - y) is y - x. */
static Node *joined(Graph *g, Op op, Node *x, Node *y)
{
	double c;
	bool minus = op == OP_MUL && x->op == OP_CONST && x->type == y->type && constant_is_uniform(x) &&
		constant_value(x, &c) && c == -1;
	if (!minus) return build2(g, op, x, y);
	return y->op == OP_SUB ? build2(g, OP_SUB, y->arg[1], y->arg[0]) : build1(g, OP_NEG, y);
}

/* At most 3*KEY_TERMS deep by construction.  Signs stand in the tree, so with[i] replaces the bare leaf; a
 * minus whose factor went is handed up. */
static Rebuilt again(Graph *g, Node *x, Op of, Node *const *with, uint32_t next)
{
	bool product = of == OP_MUL;
	if (x->op == OP_NEG && (product || of == OP_ADD)) {
		Rebuilt a = again(g, x->arg[0], of, with, next);
		if (a.x && a.x == x->arg[0])
			a.x = x;
		else if (a.x)
			a.failed |= !(a.x = build1(g, OP_NEG, a.x));
		else
			a.minus = product && !a.minus;
		return a;
	}
	if (of == OP_ADD ? !additive(x) : x->op != of) return (Rebuilt){with[next], next + 1, false, false};
	Rebuilt a = again(g, x->arg[0], of, with, next), b = again(g, x->arg[1], of, with, a.next);
	b.failed |= a.failed;
	b.minus ^= a.minus;
	if (a.x == x->arg[0] && b.x == x->arg[1]) {
		b.x = x;
	} else if (a.x && b.x) {
		b.x = joined(g, (Op)x->op, a.x, b.x);
		b.failed |= !b.x;
	} else if (a.x) {
		b.x = a.x;
	} else if (b.x && x->op == OP_SUB) {
		b.x = build1(g, OP_NEG, b.x);
		b.failed |= !b.x;
	}
	return b;
}

Node *terms_rebuild(Graph *g, Node *x, bool product, Node *const *with)
{
	Op of = OP_ADD;
	if (product) of = is_chained((Op)x->op) ? (Op)x->op : OP_MUL;
	Rebuilt r = again(g, x, of, with, 0);
	if (r.x && r.minus) r.x = build1(g, OP_NEG, r.x);
	return r.failed ? NULL : r.x;
}

bool terms_of_whole(const Match *m, Terms *t)
{
	if (is_chained((Op)m->whole->op)) return terms_of_chain(m->whole, t, KEY_TERMS);
	return m->whole->op == OP_MUL ? terms_of_product(m->whole, t, KEY_TERMS)
				      : terms_of_sum(m->whole, t, KEY_TERMS);
}

Node *terms_around(Graph *g, const Match *m, Node *y)
{
	Node *with[KEY_TERMS];
	Terms t;
	bool product = m->whole->op == OP_MUL || is_chained((Op)m->whole->op), placed = false;
	if (!terms_of_whole(m, &t)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		with[i] = m->used[i] ? NULL : t.term[i].x;
		if (!m->used[i] || placed) continue;
		placed = true;
		int turned = m->used[i] == 2 ? -1 : 1;
		with[i] = product || t.term[i].sign == turned ? y : build1(g, OP_NEG, y);
	}
	return terms_rebuild(g, m->whole, product, with);
}
