/* pattern_exp.c - the exponential of a square in a rule's left side, as the collector leaves it in the graph:
 * of a square times 1, -1, 1/2 or -1/2 it is x^2, -x^2, x^2/2 or -x^2/2, however it is written.
 */
#include "pattern.h"

/* A product of numbers and one square, of x*x or x^2. */
typedef struct Square {
	double number;
	const Pattern *base;
	uint32_t power; /* of base: 2 where it is a square */
	bool failed;
} Square;

static bool is_same(const Pattern *a, const Pattern *b)
{
	return a->kind == P_VARIABLE && b->kind == P_VARIABLE && a->var == b->var;
}

static void read_factor(Square *s, const Pattern *p)
{
	bool operator = p->kind == P_OPERATOR, literal = p->kind == P_LITERAL && !p->is_bool;
	bool quotient = operator && p->op == OP_DIV && p->arg[1]->kind == P_LITERAL,
	     square = operator && p->op == OP_POW && p->arg[1]->kind == P_LITERAL && p->arg[1]->value == 2;
	if (literal) {
		s->number *= p->value;
	} else if (operator && p->op == OP_NEG) {
		s->number = -s->number;
		read_factor(s, p->arg[0]);
	} else if (quotient) {
		s->number /= p->arg[1]->value;
		read_factor(s, p->arg[0]);
	} else if (p->kind == P_PRODUCT) {
		for (uint32_t i = 0; i < p->n; i++) read_factor(s, p->arg[i]);
	} else {
		s->failed |= s->base && (square || s->power != 1 || !is_same(s->base, p));
		s->base = square ? p->arg[0] : p;
		s->power += square ? 2 : 1;
	}
}

static Pattern *operation(RuleReader *c, Op op, const Pattern *a, const Pattern *b)
{
	uint32_t n = b ? 2 : 1;
	Pattern *p = a ? pattern_make(c, P_OPERATOR, c->rule->where, n) : NULL;
	if (!p) return NULL;
	p->op = op;
	p->arg[0] = a;
	if (b) p->arg[1] = b;
	return p;
}

static const Pattern *two(RuleReader *c)
{
	Pattern *p = pattern_make(c, P_LITERAL, c->rule->where, 0);
	if (!p) return NULL;
	p->value = 2;
	p->is_integer = true;
	return p;
}

const Pattern *pattern_exponent(RuleReader *c, const Pattern *p)
{
	Square s = {.number = 1};
	read_factor(&s, p);
	bool half = fabs(s.number) == 0.5;
	if (s.failed || !s.base || s.power != 2 || (fabs(s.number) != 1 && !half)) return p;
	const Pattern *y = operation(c, OP_POW, s.base, two(c));
	if (s.number < 0) y = operation(c, OP_NEG, y, NULL);
	return half ? operation(c, OP_DIV, y, two(c)) : y;
}
