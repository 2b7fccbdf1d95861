/* signs.c - where a minus stands: outside of products, or in a number that is there.
 *
 * Needs: normal operands; of what is not in sums floats, and law `real`, or products of whole numbers.
 * Gives: NULL where nothing changes.
 */
#include "rules.h"

enum { SIGNS_DEEP = 16 };

/* Of a product, and of what is above in quotients. */
static uint32_t signs_down_to(const Node *x, uint32_t depth)
{
	if (x->op == OP_NEG) return 1 + (depth ? signs_down_to(x->arg[0], depth - 1) : 0);
	if ((x->op != OP_MUL && x->op != OP_DIV) || !depth) return 0;
	uint32_t above = signs_down_to(x->arg[0], depth - 1);
	return x->op == OP_DIV ? above : above + signs_down_to(x->arg[1], depth - 1);
}

static Node *plain_down_to(Graph *g, Node *x, uint32_t depth)
{
	if (x->op == OP_NEG) return depth ? plain_down_to(g, x->arg[0], depth - 1) : x->arg[0];
	if ((x->op != OP_MUL && x->op != OP_DIV) || !depth) return x;
	Node *a = plain_down_to(g, x->arg[0], depth - 1);
	Node *b = x->op == OP_DIV ? x->arg[1] : plain_down_to(g, x->arg[1], depth - 1);
	return a && b ? build2(g, (Op)x->op, a, b) : NULL;
}

uint32_t minus_signs(const Node *x)
{
	return signs_down_to(x, SIGNS_DEEP);
}

Node *without_signs(Graph *g, Node *x)
{
	return plain_down_to(g, x, SIGNS_DEEP);
}

Node *signs_of_product(Graph *g, Node *x)
{
	Node *y = without_signs(g, x);
	return y && minus_signs(x) % 2 ? build1(g, OP_NEG, y) : y;
}

/* -(2*x*y) is (-2)*x*y, and -(1/x/y) is (-1)/x/y. */
Node *minus_number(Graph *g, Node *x)
{
	Terms t;
	Node *with[KEY_TERMS], *base, *above = x;
	bool any = false;
	for (uint32_t i = 0; above->op == OP_DIV && i < SIGNS_DEEP; i++) above = above->arg[0];
	if (x->op == OP_DIV && above->op == OP_CONST && constant_is_uniform(above)) {
		Node *y = x->arg[0] == above ? constant_float(g, above->type, -coefficient(above, &base))
					     : minus_number(g, x->arg[0]);
		return y ? build2(g, OP_DIV, y, x->arg[1]) : NULL;
	}
	if (x->op != OP_MUL || !terms_of_product(x, &t, KEY_TERMS)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		double c = coefficient(with[i] = t.term[i].x, &base);
		if (base || any) continue;
		with[i] = constant_float(g, with[i]->type, -c);
		any = true;
	}
	return any ? terms_rebuild(g, x, true, with) : NULL;
}

/* x + (-y)*z is x - y*z, to the bit, with one operator less; -2 + x is x - 2, -2/y + x is x - 2/y. */
Node *sign_in_sum(Graph *g, Node *x)
{
	Node *a = x->arg[0], *b = x->arg[1], *plain = b->op == OP_CONST ? NULL : negated(g, b);
	if (plain) return build2(g, x->op == OP_ADD ? OP_SUB : OP_ADD, a, plain);
	bool number = a->op == OP_CONST ? b->op != OP_CONST : a->op == OP_DIV && a->arg[0]->op == OP_CONST;
	plain = x->op == OP_ADD && (number || a->op == OP_NEG) ? negated(g, a) : NULL;
	return plain ? build2(g, OP_SUB, b, plain) : NULL;
}

/* y/(-x*z) is -(y/(x*z)), 2/-x is -2/x: a minus stands where sums and other functions see it. */
Node *sign_below(Graph *g, Node *x)
{
	Node *a = x->arg[0];
	double c;
	if (minus_signs(x->arg[1]) != 1) return NULL; /* two have cancelled already */
	Node *below = without_signs(g, x->arg[1]), *plain = negated(g, a);
	if (!plain && a->op == OP_CONST && constant_is_uniform(a) && constant_value(a, &c))
		plain = constant_float(g, a->type, -c);
	if (!below || plain) return below ? build2(g, OP_DIV, plain, below) : NULL;
	Node *y = build2(g, OP_DIV, a, below);
	return y ? build1(g, OP_NEG, y) : NULL;
}

/* (-x)^3 is -x^3, (-x)^4 and (-x)^(-2) are those of x. */
Node *sign_of_power(Graph *g, Node *x)
{
	double n;
	bool literal = constant_is_uniform(x->arg[1]) && constant_value(x->arg[1], &n);
	if (!literal || floor(n) != n || fabs(n) > 99 || minus_signs(x->arg[0]) != 1) return NULL;
	Node *base = without_signs(g, x->arg[0]);
	Node *y = base ? build2(g, OP_POW, base, x->arg[1]) : NULL;
	return y && fmod(n, 2) != 0 ? build1(g, OP_NEG, y) : y;
}
