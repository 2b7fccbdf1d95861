/* ratios.c - a tree of products, quotients and minus signs as its factors: above a line, or below.
 * A quotient that a rule looks for may stand among other factors: exp(-x^2/2)/ndtr(x) in
 * z*exp(-x^2/2)/(y*ndtr(x)). Its two parts are found among the factors, and the right side stands where
 * the upper part stood; the rest of the tree keeps its shape.
 */
#include "rules.h"

/* A square, x*x, is one factor. */
static bool is_divided(const Node *x)
{
	return x->op == OP_DIV || (x->op == OP_MUL && x->arg[0] != x->arg[1]);
}

static bool list_factors(Node *x, bool below, uint32_t depth, Ratios *r)
{
	if (r->n == KEY_TERMS || !depth) return false;
	if (x->op == OP_NEG) return list_factors(x->arg[0], below, depth - 1, r);
	if (is_divided(x))
		return list_factors(x->arg[0], below, depth - 1, r) &&
			list_factors(x->arg[1], below != (x->op == OP_DIV), depth - 1, r);
	r->factor[r->n].x = x;
	r->factor[r->n++].below = below;
	return true;
}

bool ratio_is_long(Facts *facts, const Node *x)
{
	return idmap_get(long_ratios(facts), x->id);
}

/* With more factors than one that is long it is longer yet. */
static bool holds_long(Facts *facts, const Node *x)
{
	bool any = false;
	for (uint32_t k = 0; (x->op == OP_NEG || is_divided(x)) && k < own_args(x); k++)
		any |= ratio_is_long(facts, x->arg[k]);
	return any;
}

bool factors_of_ratio(Facts *facts, Node *x, Ratios *r)
{
	r->n = 0;
	if (ratio_is_long(facts, x)) return false;
	bool few = !holds_long(facts, x) && list_factors(x, false, KEY_TERMS, r);
	if (!few) idmap_put(long_ratios(facts), x->id, x);
	return few;
}

/* What a part of the tree has become; x NULL: nothing is left of it but perhaps a minus. */
typedef struct RatioPart {
	Node *x;
	uint32_t next;
	bool minus, failed;
} RatioPart;

static RatioPart without(Graph *g, Node *x, Node *const *with, uint32_t next)
{
	if (x->op == OP_NEG) {
		RatioPart a = without(g, x->arg[0], with, next);
		if (a.x && a.x == x->arg[0])
			a.x = x;
		else if (a.x)
			a.failed |= !(a.x = build1(g, OP_NEG, a.x));
		else
			a.minus = !a.minus;
		return a;
	}
	if (!is_divided(x)) return (RatioPart){with[next], next + 1, false, false};
	RatioPart a = without(g, x->arg[0], with, next), b = without(g, x->arg[1], with, a.next);
	RatioPart y = {x, b.next, a.minus != b.minus, a.failed || b.failed};
	if (a.x == x->arg[0] && b.x == x->arg[1]) return y;
	if (!a.x && b.x && x->op == OP_DIV) a.x = constant_int(g, x->type, 1);
	if (a.x && b.x)
		y.failed |= !(y.x = build2(g, (Op)x->op, a.x, b.x));
	else
		y.x = a.x ? a.x : b.x;
	return y;
}

Node *ratio_with(Graph *g, Node *x, Node *const *with)
{
	RatioPart y = without(g, x, with, 0);
	if (y.x && y.minus) y.x = build1(g, OP_NEG, y.x);
	return y.failed ? NULL : y.x;
}

/* Two factors that are numbers, as one that stands where the first does; false: it would be rounded, or is
 * not moderate. */
static bool one_number(Dtype d, double *c, double with, bool same)
{
	double y = same ? *c * with : *c / with;
	bool exact = same ? fma(*c, with, -y) == 0 : fma(y, with, -*c) == 0;
	if (!exact || !is_moderate(d, y) || !is_moderate(d, *c) || !is_moderate(d, with)) return false;
	*c = y;
	return true;
}

/* The first number from `at` on; else r->n. */
static uint32_t number_in(const Ratios *r, uint32_t at, double *value)
{
	while (at < r->n && !constant_value(r->factor[at].x, value)) at++;
	return at;
}

Node *numbers_of_ratio(Graph *g, Facts *facts, Node *x)
{
	Ratios r;
	Node *with[KEY_TERMS];
	double c, own;
	if (!factors_of_ratio(facts, x, &r) || r.n < 3) return NULL;
	uint32_t at = number_in(&r, 0, &own), gone = number_in(&r, at + 1, &c);
	if (gone >= r.n || !one_number(node_dtype(x), &own, c, r.factor[at].below == r.factor[gone].below))
		return NULL;
	for (uint32_t i = 0; i < r.n; i++) with[i] = i == gone ? NULL : r.factor[i].x;
	with[at] = own == 1 ? NULL : constant_float(g, with[at]->type, own);
	return ratio_with(g, x, with);
}
