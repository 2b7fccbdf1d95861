/* factors.c - factors with exponents collect and cancel: x*x^2 is x^3, x*y/(x*z) is y/z.
 * x*x and x^3*x^3 stay: a rule that writes powers as products is not undone.
 *
 * Needs: a product or quotient of floats over normal operands.  Gives: an equal
 * node with fewer factors, or NULL.  A factor is a power if its exponent is a
 * number; a number is never a base.  What would leave no variable behind is
 * left to rules of law `finite`.  In exp a square with its number, 1 or 1/2, is
 * x^2, x^2/2, -x^2 or -x^2/2, as rules know it: exp has the same bits.
 */
#include "rules.h"

typedef struct Factors {
	Terms t;
	Node *base[KEY_TERMS];
	double e[KEY_TERMS]; /* exponents; 0: gone */
	bool met[KEY_TERMS];
} Factors;

static bool is_number(const Node *x)
{
	return x->op == OP_CONST;
}

static bool factors_of(Node *x, Factors *f)
{
	if (!terms_of_product(x, &f->t, KEY_TERMS)) return false;
	for (uint32_t i = 0; i < f->t.n; i++) {
		Node *y = f->t.term[i].x;
		bool power = y->op == OP_POW && constant_is_uniform(y->arg[1]) &&
			constant_value(y->arg[1], &f->e[i]);
		f->base[i] = power ? y->arg[0] : y;
		f->e[i] = power ? f->e[i] : 1;
		f->met[i] = false;
	}
	return true;
}

/* The factor as it stands now; NULL: gone. */
static Node *factor(Graph *g, const Factors *f, uint32_t i)
{
	if (!f->met[i]) return f->t.term[i].x;
	if (f->e[i] == 0) return NULL;
	if (f->e[i] == 1) return f->base[i];
	return build2(g, OP_POW, f->base[i], constant_float(g, f->base[i]->type, f->e[i]));
}

/* The product of what is left; NULL with *empty: nothing is. */
static Node *product_of(Graph *g, Node *x, const Factors *f, bool *empty)
{
	Node *with[KEY_TERMS];
	bool any = false, changed = false;
	for (uint32_t i = 0; i < f->t.n; i++) {
		with[i] = factor(g, f, i);
		if (!with[i] && f->e[i] != 0) return NULL;
		any |= with[i] != NULL;
		changed |= f->met[i];
	}
	*empty = !any;
	if (!any) return NULL;
	if (changed) return terms_rebuild(g, x, true, with);
	return x;
}

/* Is there nothing but powers of one base, and numbers that keep their product in range?  x*(z*x^2) may be in
 * range where x^3 is not. */
static bool has_one_base(const Factors *f)
{
	const Node *base = NULL;
	double value;
	for (uint32_t i = 0; i < f->t.n; i++) {
		const Node *y = f->base[i];
		bool number = is_number(y) && constant_value(y, &value);
		bool fits = number ? is_moderate(node_dtype(y), value) : !base || y == base;
		if (!fits) return false;
		base = number ? base : y;
	}
	return true;
}

static bool has_variable(const Factors *f)
{
	for (uint32_t i = 0; i < f->t.n; i++)
		if (f->e[i] != 0 && !is_number(f->base[i])) return true;
	return false;
}

Node *collect_powers(Graph *g, Node *x)
{
	Factors f;
	bool any = false, empty;
	if (!factors_of(x, &f) || !has_one_base(&f)) return NULL;
	for (uint32_t i = 0; i < f.t.n; i++)
		for (uint32_t k = i + 1; k < f.t.n && f.e[i] != 0 && !is_number(f.base[i]); k++)
			if (f.base[k] == f.base[i] && f.t.term[k].x != f.t.term[i].x && f.e[k] != 0 &&
				exponent_fits(f.e[i] + f.e[k]) && f.e[i] + f.e[k] != 0) {
				f.e[i] += f.e[k];
				f.e[k] = 0;
				f.met[i] = f.met[k] = any = true;
			}
	return any ? product_of(g, x, &f, &empty) : NULL;
}

static uint32_t number_at(const Factors *f, double *value)
{
	for (uint32_t i = 0; i < f->t.n; i++)
		if (f->e[i] == 1 && is_number(f->base[i]) && constant_value(f->base[i], value)) return i;
	return UINT32_MAX;
}

/* 6*x/(2*y) is 3*x/y: nearer to the ends of the range by as much as 6/2, or 1/2. */
static bool divide_numbers(Graph *g, Factors *a, Factors *b)
{
	double p, q;
	uint32_t i = number_at(a, &p), k = number_at(b, &q);
	if (i == UINT32_MAX || k == UINT32_MAX || (b->t.n == 1 && a->t.n == 1)) return false;
	if (!is_moderate(node_dtype(a->base[i]), p) || !is_moderate(node_dtype(a->base[i]), q)) return false;
	b->e[k] = 0;
	b->met[k] = true;
	a->e[i] = p == q && a->t.n > 1 ? 0 : 1;
	a->met[i] = true;
	a->base[i] = constant_float(g, a->base[i]->type, p / q);
	return true;
}

/* One or two factors that are no numbers: without one of them the other is in range. */
static bool is_pair(const Factors *f)
{
	double value;
	return f->t.n == 1 || (f->t.n == 2 && number_at(f, &value) == UINT32_MAX);
}

Node *collect_quotient(Graph *g, Node *x)
{
	Factors a, b;
	bool any = false, none = false, over = false;
	if (!factors_of(x->arg[0], &a) || !factors_of(x->arg[1], &b)) return NULL;
	if (!is_wide(node_dtype(x)) && (!is_pair(&a) || !is_pair(&b))) return NULL;
	for (uint32_t i = 0; i < b.t.n; i++)
		for (uint32_t k = 0; k < a.t.n && b.e[i] != 0 && !is_number(b.base[i]); k++) {
			if (a.base[k] != b.base[i] || a.e[k] == 0) continue;
			if (!exponent_fits(a.e[k] - b.e[i])) continue;
			double e = a.e[k] - b.e[i];
			a.e[k] = e > 0 ? e : 0;
			b.e[i] = e < 0 ? -e : 0;
			a.met[k] = b.met[i] = any = true;
		}
	any |= divide_numbers(g, &a, &b);
	if (!any || (!has_variable(&a) && !has_variable(&b))) return NULL;
	Node *above = product_of(g, x->arg[0], &a, &none), *below = product_of(g, x->arg[1], &b, &over);
	if (none) above = constant_int(g, x->type, a.t.negative ? -1 : 1);
	if (over) return b.t.negative ? build1(g, OP_NEG, above) : above;
	return above && below ? build2(g, OP_DIV, above, below) : NULL;
}

/* x*x and x^2 as x^2, of a product of numbers, which are *c, and one square; NULL: it is something else. */
static Node *square_in(Graph *g, const Factors *f, double *c)
{
	Node *square = NULL, *single = NULL;
	*c = f->t.negative ? -1 : 1;
	for (uint32_t i = 0; i < f->t.n; i++) {
		Node *y = f->t.term[i].x;
		double value;
		if (is_number(y)) {
			if (!constant_is_uniform(y) || !constant_value(y, &value)) return NULL;
			*c *= value;
		} else if (f->e[i] == 2 && !square && !single) {
			square = y;
		} else if (f->e[i] == 1 && !square && !single) {
			single = y;
		} else if (f->e[i] == 1 && !square && single == y) {
			square = build2(g, OP_POW, y, constant_float(g, y->type, 2));
		} else {
			return NULL;
		}
	}
	return square;
}

/* Is it the square, negative or not, halved or not? */
static bool is_square_as(const Node *x, const Node *square, bool negative, bool half)
{
	double by;
	if (half) {
		if (x->op != OP_DIV || x->arg[1]->type != square->type || !constant_is_uniform(x->arg[1]) ||
			!constant_value(x->arg[1], &by) || by != 2)
			return false;
		x = x->arg[0];
	}
	if (negative && x->op != OP_NEG) return false;
	return (negative ? x->arg[0] : x) == square;
}

Node *collect_gaussian(Graph *g, Node *x)
{
	Node *q = x->arg[0];
	bool minus = q->op == OP_NEG;
	double c, by = 1;
	Factors f;
	q = minus ? q->arg[0] : q;
	if (q->op == OP_DIV) {
		if (!constant_is_uniform(q->arg[1]) || !constant_value(q->arg[1], &by)) return NULL;
		q = q->arg[0];
	}
	Node *y = factors_of(q, &f) ? square_in(g, &f, &c) : NULL;
	if (!y || (fabs(c / by) != 1 && fabs(c / by) != 0.5)) return NULL;
	bool negative = (c / by < 0) != minus, half = fabs(c / by) == 0.5;
	if (is_square_as(x->arg[0], y, negative, half)) return NULL;
	if (negative) y = build1(g, OP_NEG, y);
	if (half) y = build2(g, OP_DIV, y, constant_float(g, y->type, 2));
	y = build1(g, OP_EXP, y);
	return y != x ? y : NULL;
}
