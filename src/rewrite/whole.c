/* whole.c - what numbers do beside one another in chains that are exact: 2*(3*x), max(3, max(5, x)),
 * bit_and(12, bit_and(10, x)), x % 6 % 3, x//2//3.
 *
 * And of two comparisons of the same, one.
 *
 * Needs: an operator over normal operands.  Gives: the same to the bit with one number or comparison less, or
 * NULL.
 */
#include "../oracle/oracle.h"
#include "rules.h"

static bool is_number(const Node *x)
{
	return x->op == OP_CONST && constant_is_uniform(x);
}

/* Two numbers as one; NULL: it is none.  Of two equal ones a tie is what gradients divide by. */
static Node *one_of(Graph *g, Op op, Node *x, Node *y)
{
	if (x->type != y->type || (x == y && dtype_is_float(node_dtype(x)))) return NULL;
	Node *both = node_make(g, op, NULL, 2, (Node *[]){x, y});
	return both ? evaluate_constant(g, both) : NULL;
}

static Node *numbers_of_chain(Graph *g, Node *x)
{
	Terms t;
	Node *with[KEY_TERMS];
	uint32_t first = UINT32_MAX;
	bool product = x->op == OP_MUL, any = false;
	if (!(product ? terms_of_product : terms_of_chain)(x, &t, KEY_TERMS)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		with[i] = t.term[i].x;
		if (!is_number(with[i])) continue;
		Node *both = first < i ? one_of(g, (Op)x->op, with[first], with[i]) : NULL;
		if (first == UINT32_MAX) first = i;
		if (!both) continue;
		with[first] = both;
		with[i] = NULL;
		any = true;
	}
	return any ? terms_rebuild(g, x, true, with) : NULL;
}

/* x % 6 % 3 is x % 3, x//2//3 is x//6, of numbers above 0. */
static Node *divided_twice(Graph *g, Node *x)
{
	Node *y = x->arg[0];
	double a, b;
	if (y->op != x->op || !is_number(y->arg[1]) || !is_number(x->arg[1])) return NULL;
	if (!constant_value(y->arg[1], &a) || !constant_value(x->arg[1], &b) || a <= 0 || b <= 0) return NULL;
	bool mod = x->op == OP_MOD, fits = mod ? fmod(a, b) == 0 : a * b <= dtype_max(node_dtype(x));
	if (!fits || a > 0x1p52 || b > 0x1p52 || a * b > 0x1p52) return NULL;
	Node *by = mod ? x->arg[1] : one_of(g, OP_MUL, y->arg[1], x->arg[1]);
	return by ? build2(g, (Op)x->op, y->arg[0], by) : NULL;
}

/* The comparison of x->arg[0] with x->arg[1] that y is, too; OP_NONE: it is none of these. */
static Op compared(const Node *x, const Node *y)
{
	Op op = (Op)y->op;
	if (op_info[op].class != MAP || (op_info[op].dtype != TEST && op_info[op].dtype != RTEST))
		return OP_NONE;
	if (x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1]) return op;
	if (x->arg[0] != y->arg[1] || x->arg[1] != y->arg[0]) return OP_NONE;
	return op == OP_EQ || op == OP_NE ? op : mirrored(op);
}

/* x < y or x == y is x <= y, x <= y and x != y is x < y, x <= y and x >= y is x == y, also of what is no
 * number. */
static Node *compared_twice(Graph *g, Node *x)
{
	static const struct {
		Op of, a, b, is;
	} both[] = {
		{OP_OR, OP_LT, OP_EQ, OP_LE},
		{OP_OR, OP_GT, OP_EQ, OP_GE},
		{OP_AND, OP_LE, OP_NE, OP_LT},
		{OP_AND, OP_GE, OP_NE, OP_GT},
		{OP_AND, OP_LE, OP_GE, OP_EQ},
	};
	for (uint32_t k = 0; k < 2; k++) {
		const Node *a = x->arg[k], *b = x->arg[1 - k];
		if (a->narg != 2 || b->narg != 2) return NULL;
		for (uint32_t i = 0; i < countof(both); i++)
			if (x->op == both[i].of && a->op == both[i].a && compared(a, b) == both[i].b)
				return build2(g, both[i].is, a->arg[0], a->arg[1]);
	}
	return NULL;
}

/* not (x == y) is x != y, and the other way round. */
static Node *contrary(Graph *g, const Node *x)
{
	if (x->op != OP_EQ && x->op != OP_NE) return NULL;
	return build2(g, x->op == OP_EQ ? OP_NE : OP_EQ, x->arg[0], x->arg[1]);
}

Node *collect_whole(Graph *g, Node *x)
{
	bool integer = dtype_is_integer(node_dtype(x));
	if (x->op == OP_MAXIMUM || x->op == OP_MINIMUM) return numbers_of_chain(g, x);
	if (x->op == OP_NOT) return contrary(g, x->arg[0]);
	if (x->op == OP_AND || x->op == OP_OR) return compared_twice(g, x);
	if (!integer) return NULL;
	if (x->op == OP_MOD || x->op == OP_FLOORDIV) return divided_twice(g, x);
	bool bits = x->op == OP_BIT_AND || x->op == OP_BIT_OR || x->op == OP_BIT_XOR;
	return x->op == OP_MUL || bits ? numbers_of_chain(g, x) : NULL;
}
