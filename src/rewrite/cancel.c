/* cancel.c - a factor that stands above a line and below another: (x/y)*(y/z) is x/z, v*k/s/k is v/s.
 *
 * Needs: a product or quotient of floats over normal operands.  Gives: an equal node
 * without such a pair, or NULL.  Only a pair that meets at this node, one in each operand,
 * and only where what is left is at most two values that were there before, and a moderate
 * number: nothing is computed then but the node's own value, so that no range is left that it
 * stays in.  What would leave no variable behind is left to rules of law `finite`.
 */
#include "rules.h"

enum { PARTS = 8 };

/* A factor of an operand, as base^e; e is below 0 under a line. */
typedef struct Power {
	Node *base;
	double e, own;  /* own: as it is written, x^-2 */
	uint32_t place; /* among all factors of the operand */
} Power;
typedef struct Powers {
	Power at[KEY_TERMS];
	uint32_t n, places;
	bool over; /* there are too many */
} Powers;

/* A product of values over a product of others. */
typedef struct Ratio {
	Node *above[PARTS], *below[PARTS];
	uint32_t n, m;
	bool minus, failed;
	Node *number; /* above the line, apart from what stands there; may be NULL */
} Ratio;

static void list_powers(Node *x, int sign, uint32_t depth, Powers *p)
{
	if (p->places == KEY_TERMS || !depth) {
		p->over = true;
	} else if (x->op == OP_NEG) {
		list_powers(x->arg[0], sign, depth - 1, p);
	} else if (x->op == OP_MUL || x->op == OP_DIV) {
		list_powers(x->arg[0], sign, depth - 1, p);
		list_powers(x->arg[1], x->op == OP_DIV ? -sign : sign, depth - 1, p);
	} else {
		double e = 1;
		bool power = x->op == OP_POW && constant_value(x->arg[1], &e); /* else e stays */
		uint32_t place = p->places++;
		if (x->op == OP_CONST) return;
		p->at[p->n++] = (Power){power ? x->arg[0] : x, sign * e, e, place};
	}
}

static void add_above(Ratio *r, Node *x)
{
	r->failed |= r->n == PARTS;
	if (!r->failed) r->above[r->n++] = x;
}

static void turned_over(Ratio *r)
{
	Ratio was = *r;
	memcpy(r->above, was.below, sizeof r->above);
	memcpy(r->below, was.above, sizeof r->below);
	r->n = was.m;
	r->m = was.n;
}

static uint32_t places_in(const Node *x)
{
	if (x->op == OP_NEG) return places_in(x->arg[0]);
	return x->op == OP_MUL || x->op == OP_DIV ? places_in(x->arg[0]) + places_in(x->arg[1]) : 1;
}

/* x with the factor of that place replaced, by nothing if `by` is NULL. */
static Ratio replaced(Node *x, uint32_t place, Node *by)
{
	Ratio r = {.n = 0};
	if (x->op == OP_NEG) {
		r = replaced(x->arg[0], place, by);
		r.minus = !r.minus;
		return r;
	}
	if (x->op != OP_MUL && x->op != OP_DIV) {
		if (by) add_above(&r, by);
		return r;
	}
	uint32_t first = places_in(x->arg[0]), side = place >= first;
	r = replaced(x->arg[side], side ? place - first : place, by);
	if (x->op == OP_DIV) turned_over(&r); /* for the other operand, which stands on the other side */
	add_above(&r, x->arg[1 - side]);
	if (x->op == OP_DIV && !side) turned_over(&r);
	return r;
}

/* What is left of a factor when so much of its power has gone; false: it may not be written. */
static bool rest_of_power(Graph *g, const Power *p, double e, Node **rest)
{
	double left = fabs(p->e) - e;
	*rest = NULL;
	if (left == 0) return true;
	if (!exponent_fits(left)) return false;
	left = copysign(left, p->own);
	*rest = left == 1 ? p->base : build2(g, OP_POW, p->base, constant_float(g, p->base->type, left));
	return *rest != NULL;
}

static Node *ratio_node(Graph *g, const Ratio *r, const Type *type)
{
	Node *y = r->n ? r->above[0] : constant_int(g, type, 1);
	if (r->n == 2) y = build2(g, OP_MUL, r->above[0], r->above[1]);
	if (r->m) y = build2(g, OP_DIV, y, r->below[0]);
	if (r->number) y = build2(g, OP_MUL, r->number, y);
	return r->minus ? build1(g, OP_NEG, y) : y;
}

/* A moderate number above the line is taken out, if there are other values. */
static void take_number(Ratio *r, Dtype d)
{
	double value;
	for (uint32_t i = 0; i < r->n && r->n > 1 && !r->number; i++) {
		if (!constant_value(r->above[i], &value) || !is_moderate(d, value)) continue;
		r->number = r->above[i];
		memmove(&r->above[i], &r->above[i + 1], (--r->n - i) * sizeof *r->above);
	}
}

static Node *without_pair(Graph *g, Node *x, const Power *a, const Power *b)
{
	double e = fmin(fabs(a->e), fabs(b->e));
	Node *rest[2];
	if (!rest_of_power(g, a, e, &rest[0]) || !rest_of_power(g, b, e, &rest[1])) return NULL;
	Ratio r = replaced(x->arg[0], a->place, rest[0]), s = replaced(x->arg[1], b->place, rest[1]);
	if (x->op == OP_DIV) turned_over(&s);
	r.minus ^= s.minus;
	for (uint32_t i = 0; i < s.n; i++) add_above(&r, s.above[i]);
	turned_over(&r);
	for (uint32_t i = 0; i < s.m; i++) add_above(&r, s.below[i]);
	turned_over(&r);
	bool variable = false;
	take_number(&r, node_dtype(x));
	for (uint32_t i = 0; i < r.n; i++) variable |= r.above[i]->op != OP_CONST;
	for (uint32_t i = 0; i < r.m; i++) variable |= r.below[i]->op != OP_CONST;
	bool few = r.n + r.m <= 2 && r.m <= 1, erased = r.n == 1 && r.m == 1 && r.above[0] == r.below[0];
	return few && variable && !erased && !r.failed && !s.failed ? ratio_node(g, &r, x->type) : NULL;
}

Node *cancel_factors(Graph *g, Node *x, Facts *facts)
{
	Powers side[2];
	if (ratio_is_long(facts, x->arg[0]) || ratio_is_long(facts, x->arg[1])) return NULL;
	for (uint32_t k = 0; k < 2; k++) {
		side[k].n = side[k].places = 0;
		side[k].over = false;
		list_powers(x->arg[k], k && x->op == OP_DIV ? -1 : 1, KEY_TERMS, &side[k]);
		if (side[k].over) return NULL;
	}
	for (uint32_t i = 0; i < side[0].n; i++)
		for (uint32_t k = 0; k < side[1].n; k++) {
			const Power *a = &side[0].at[i], *b = &side[1].at[k];
			if (a->base != b->base || a->e * b->e >= 0) continue;
			Node *y = without_pair(g, x, a, b);
			if (y) return y;
		}
	return NULL;
}
