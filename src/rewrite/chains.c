/* chains.c - products where another grouping costs less: a*x + a*y, A @ B + A @ C, chains of matrices.
 *
 * Needs: a node over normal operands, and what of the region is needed more than
 * once.  Gives: an equal node with fewer operations, or NULL.  What something
 * else needs too stays: it would be computed twice.
 */
#include "rules.h"

/* ---- common factors ------------------------------------------------------------------ */

/* a*x and a*y, or A @ x and A @ y: the node of `both` in place of x; NULL: nothing in common. */
static Node *with_common(Graph *g, Node *p, Node *q, bool plus)
{
	if (p->op != q->op || p->attr != q->attr || p->type != q->type) return NULL;
	if ((p->op != OP_MUL && p->op != OP_CONTRACT) || p == q) return NULL;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 2; k++) {
			if (p->arg[i] != q->arg[k] || (i != k && p->op != OP_MUL)) continue;
			Node *x = p->arg[1 - i], *y = q->arg[1 - k];
			if (x->type != y->type || p->arg[i]->op == OP_CONST) continue;
			if (x == y) return build2(g, plus ? OP_ADD : OP_SUB, p, p); /* x*y and y*x */
			Node *sum = build2(g, plus ? OP_ADD : OP_SUB, x, y), *arg[2];
			arg[i] = p->arg[i];
			arg[1 - i] = sum;
			return sum ? node_make(g, (Op)p->op, p->attr, 2, arg) : NULL;
		}
	return NULL;
}

/* Two terms of a sum with a factor in common become one. */
Node *factor_sum(Graph *g, Node *x, const IdMap *needs)
{
	Terms t;
	Node *with[KEY_TERMS];
	bool pair =
		x->arg[0]->op == x->arg[1]->op && (x->arg[0]->op == OP_MUL || x->arg[0]->op == OP_CONTRACT);
	if (pair && !needed_twice(needs, x->arg[0]) && !needed_twice(needs, x->arg[1])) {
		Node *y = with_common(g, x->arg[0], x->arg[1], x->op == OP_ADD);
		if (y) return y;
	}
	Node *last = x->arg[1]; /* the terms before it have met already */
	if ((last->op != OP_MUL && last->op != OP_CONTRACT) || needed_twice(needs, last)) return NULL;
	if (!terms_of_sum(x, &t, 16)) return NULL;
	for (uint32_t i = 0; i + 1 < t.n; i++) with[i] = t.term[i].x;
	for (uint32_t i = 0; i + 1 < t.n; i++) {
		if (t.term[t.n - 1].x != last || needed_twice(needs, with[i])) continue;
		Node *y = with_common(g, with[i], last, t.term[i].sign == t.term[t.n - 1].sign);
		if (!y) continue;
		with[i] = y;
		with[t.n - 1] = NULL;
		return terms_rebuild(g, x, false, with);
	}
	return NULL;
}

/* Zeros to which something is added at one place after another, or at first written, and reshapes of that:
 * the writes and reshapes, the last one first; how many they are, 0 if it is anything else. */
static uint32_t writes_of(Node *x, const IdMap *needs, Node **write)
{
	double zero;
	uint32_t n = 0;
	for (bool set = false; !set && n < KEY_TERMS && !needed_twice(needs, x); x = x->arg[0]) {
		set = x->op == OP_SCATTER_SET && node_is_scalar(x->arg[1]);
		if (x->op != OP_SCATTER_ADD && x->op != OP_RESHAPE && !set) return 0;
		write[n++] = x;
		if (constant_value(x->arg[0], &zero)) return zero == 0 ? n : 0;
	}
	return 0;
}

static Node *shaped_as(Graph *g, Node *x, const Node *like)
{
	return reshape(g, x, node_rank(like), like->type->u.dim);
}

/* What the first of the writes is to be made into, so that after the last one it is into y. */
static Node *under_writes(Graph *g, Node *y, uint32_t n, Node *const *write)
{
	for (uint32_t i = 0; i < n; i++)
		if (write[i]->op == OP_RESHAPE) y = shaped_as(g, y, write[i]->arg[0]);
	return y;
}

/* x + zeros with something added or written at i is x with it added there: one pass less over x.  Of a
 * difference what is subtracted. */
Node *add_into(Graph *g, Node *x, const IdMap *needs)
{
	Node *write[KEY_TERMS];
	bool minus = x->op == OP_SUB;
	for (uint32_t k = minus; k < 2; k++) {
		uint32_t n = x->arg[1 - k]->op == OP_CONST ? 0 : writes_of(x->arg[k], needs, write);
		Node *y = under_writes(g, x->arg[1 - k], n, write);
		if (!n) continue;
		while (n-- && y) {
			const Node *w = write[n];
			if (w->op == OP_RESHAPE) {
				y = shaped_as(g, y, w);
				continue;
			}
			Node *v = minus ? build1(g, OP_NEG, w->arg[2]) : w->arg[2];
			y = scatter(g, OP_SCATTER_ADD, y, w->arg[1], v, attr_int(w, 0));
		}
		return y;
	}
	return NULL;
}

/* where(c, x, 0) where x is zeros with something written at a place: there stands where(c, v, 0), and rows
 * are not chosen from.  Of a number c alone. */
Node *choose_written(Graph *g, Node *x, const IdMap *needs)
{
	Node *write[KEY_TERMS], *c = x->arg[0]->op == OP_EXPAND ? x->arg[0]->arg[0] : x->arg[0];
	double zero;
	for (uint32_t k = 1; node_is_scalar(c) && k < 3; k++) {
		bool nothing = constant_value(x->arg[3 - k], &zero) && zero == 0;
		uint32_t n = nothing ? writes_of(x->arg[k], needs, write) : 0;
		Node *y = under_writes(g, x->arg[3 - k], n, write);
		if (!n) continue;
		while (n-- && y) {
			const Node *w = write[n];
			if (w->op == OP_RESHAPE) {
				y = shaped_as(g, y, w);
				continue;
			}
			Node *v = w->arg[2], *arg[] = {v, constant_float(g, v->type, 0)};
			Node *asked = broadcast_to(g, c, v->type->n, v->type->u.dim);
			v = build3(g, OP_WHERE, asked, arg[k - 1], arg[2 - k]);
			y = scatter(g, (Op)w->op, y, w->arg[1], v, attr_int(w, 0));
		}
		return y;
	}
	return NULL;
}

/* ---- chains of matrix products -------------------------------------------------------- */

enum { CHAIN = 12 };

typedef struct Chain {
	Node *factor[CHAIN];
	int64_t size[CHAIN + 1];
	uint32_t n;
	double cost; /* of the tree as it stands */
} Chain;

bool is_product(const Node *x)
{
	return is_matmul(x) && node_rank(x->arg[0]) == 2 && node_rank(x->arg[1]) == 2;
}

static bool add_factor(Chain *c, Node *x)
{
	if (c->n == CHAIN || !size_is(node_dim(x, 0), &c->size[c->n]) ||
		!size_is(node_dim(x, 1), &c->size[c->n + 1]))
		return false;
	c->factor[c->n++] = x;
	return true;
}

/* The factors of x from left to right, through products that nothing else needs. */
static bool chain_of(Graph *g, Node *x, const IdMap *needs, Chain *c)
{
	Node *stack[2 * CHAIN];
	uint32_t n = 0;
	*c = (Chain){.n = 0};
	stack[n++] = x;
	while (n) {
		Node *y = stack[--n];
		if (!is_product(y) || (y != x && needed_twice(needs, y))) {
			if (!add_factor(c, y)) return false;
			continue;
		}
		int64_t a, b, d;
		if (n + 2 > countof(stack) || !size_is(node_dim(y, 0), &a) || !size_is(node_dim(y, 1), &b) ||
			!size_is(node_dim(y->arg[0], 1), &d))
			return false;
		c->cost += (double)a * (double)b * (double)d;
		stack[n++] = y->arg[1];
		stack[n++] = y->arg[0];
	}
	return c->n > 2;
}

/* (A @ B) @ C or A @ (B @ C), whichever multiplies fewer numbers: the best cut of every part of the chain. */
Node *order_chain(Graph *g, Node *x, const IdMap *needs)
{
	Chain c;
	double best[CHAIN][CHAIN] = {{0}};
	uint32_t cut[CHAIN][CHAIN] = {{0}};
	Node *part[CHAIN][CHAIN] = {{NULL}};
	if (!is_product(x) || !chain_of(g, x, needs, &c)) return NULL;
	for (uint32_t n = 1; n < c.n; n++)
		for (uint32_t i = 0; i + n < c.n; i++) {
			best[i][i + n] = INFINITY;
			for (uint32_t k = i; k < i + n; k++) {
				double all = best[i][k] + best[k + 1][i + n] +
					(double)c.size[i] * (double)c.size[k + 1] * (double)c.size[i + n + 1];
				if (all < best[i][i + n]) {
					best[i][i + n] = all;
					cut[i][i + n] = k;
				}
			}
		}
	if (!(best[0][c.n - 1] < c.cost)) return NULL;
	for (uint32_t i = 0; i < c.n; i++) part[i][i] = c.factor[i];
	for (uint32_t n = 1; n < c.n; n++)
		for (uint32_t i = 0; i + n < c.n; i++) {
			Node *l = part[i][cut[i][i + n]], *r = part[cut[i][i + n] + 1][i + n];
			part[i][i + n] = l && r ? matmul(g, l, r) : NULL;
		}
	return part[0][c.n - 1];
}
