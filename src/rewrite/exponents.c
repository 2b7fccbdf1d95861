/* exponents.c - products that are equal by what stands in their exponents: S*exp(-d^2/2) and
 * K*exp(-r*T)*exp(-(d - v*sqrt(T))^2/2) of d = (log(S/K) + (r + v^2/2)*T)/(v*sqrt(T)).
 *
 * Needs: two products or quotients of floats, each with an exponential.  Gives: whether the
 * one is the other as a real number.  An exponent is worked out as a sum of products of powers,
 * of whole and half exponents, of what is no sum or product itself, and of logarithms; a factor
 * beside the exponential counts as the exponential of its logarithm, if it is known to be
 * positive.  All within bounds, and numbers as far as they are exact: beyond that nothing is known.
 */
#include "rules.h"

#include <stdlib.h>

enum { FACTORS = 6, PRODUCTS = 24, DEEP = 10, MOST_HALVES = 64 };

/* base^(halves/2), or log(base)^(halves/2) */
typedef struct HalfPower {
	Node *base;
	bool log;
	int halves;
} HalfPower;
/* c times powers in the order of their bases */
typedef struct PowerProduct {
	double c;
	uint32_t n;
	HalfPower power[FACTORS];
} PowerProduct;
typedef struct PowerSum {
	uint32_t n;
	bool over; /* there are too many */
	PowerProduct product[PRODUCTS]; /* n of them are set: there is room for more than most sums have */
} PowerSum;

static void begin_sum(PowerSum *s)
{
	s->n = 0;
	s->over = false;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

static int order_of_powers(const HalfPower *a, const HalfPower *b)
{
	if (a->base->id != b->base->id) return a->base->id < b->base->id ? -1 : 1;
	return (int)a->log - (int)b->log;
}

static bool multiply_by_power(PowerProduct *a, HalfPower p)
{
	uint32_t i = 0;
	while (i < a->n && order_of_powers(&a->power[i], &p) < 0) i++;
	if (i < a->n && !order_of_powers(&a->power[i], &p)) {
		a->power[i].halves += p.halves;
		if (abs(a->power[i].halves) > MOST_HALVES) return false;
		if (!a->power[i].halves) memmove(&a->power[i], &a->power[i + 1], (--a->n - i) * sizeof p);
		return true;
	}
	if (a->n == FACTORS) return false;
	memmove(&a->power[i + 1], &a->power[i], (a->n++ - i) * sizeof p);
	a->power[i] = p;
	return true;
}

bool multiply_number(double *c, double b, int sign)
{
	double y = sign < 0 ? *c / b : *c * b;
	double rest = sign < 0 ? fma(y, b, -*c) : fma(*c, b, -y);
	if (rest != 0 || (y != 0 && fabs(y) < 1e-200)) return false;
	*c = y;
	return true;
}

/* a times b, or times 1/b */
static bool multiply(PowerProduct *a, const PowerProduct *b, int sign)
{
	if (!multiply_number(&a->c, b->c, sign)) return false;
	for (uint32_t i = 0; i < b->n; i++)
		if (!multiply_by_power(
			    a, (HalfPower){b->power[i].base, b->power[i].log, sign * b->power[i].halves}))
			return false;
	return true;
}

static bool same_powers(const PowerProduct *a, const PowerProduct *b)
{
	if (a->n != b->n) return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (order_of_powers(&a->power[i], &b->power[i]) || a->power[i].halves != b->power[i].halves)
			return false;
	return true;
}

static void add_product(PowerSum *s, const PowerProduct *p)
{
	uint32_t i = 0;
	while (i < s->n && !same_powers(&s->product[i], p)) i++;
	if (i == PRODUCTS) {
		s->over = true;
	} else if (i == s->n) {
		s->product[s->n++] = *p;
	} else {
		double a = s->product[i].c, c = a + p->c, of_p = c - a;
		s->over |= (a - (c - of_p)) + (p->c - of_p) != 0; /* it is rounded */
		s->product[i].c = c;
		if (c == 0) s->product[i] = s->product[--s->n];
	}
}

static void add_sum(PowerSum *s, const PowerSum *with, double by)
{
	s->over |= with->over;
	for (uint32_t i = 0; i < with->n && !s->over; i++) {
		PowerProduct p = with->product[i];
		s->over |= !multiply_number(&p.c, by, 1);
		add_product(s, &p);
	}
}

/* The products of one sum by another, added. */
static void add_all(PowerSum *s, const PowerSum *a, const PowerSum *b)
{
	s->over |= a->over || b->over;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n && !s->over; k++) {
			PowerProduct p = a->product[i];
			s->over |= !multiply(&p, &b->product[k], 1);
			add_product(s, &p);
		}
}

/* ---- what a node is ------------------------------------------------------------------------- */

static bool is_positive(Facts *facts, Node *x)
{
	const Range *r = range_of(facts, x);
	return r->lo > 0 || (r->lo >= 0 && off_zero(r));
}

static void add_power(PowerSum *s, Node *base, bool log, int halves)
{
	add_product(s, &(PowerProduct){1, 1, {{base, log, halves}}});
}

/* log(p) of powers that are positive; false: they are not known to be. */
static bool add_logarithm(Facts *facts, const PowerProduct *p, PowerSum *s)
{
	if (p->c != 1) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->power[i].log || !is_positive(facts, p->power[i].base)) return false;
	for (uint32_t i = 0; i < p->n; i++)
		add_product(s, &(PowerProduct){p->power[i].halves / 2.0, 1, {{p->power[i].base, true, 2}}});
	return true;
}

static void work_out(Facts *, Node *x, uint32_t depth, PowerSum *s);

/* x^(halves/2) */
static void work_out_power(Facts *facts, Node *x, int halves, uint32_t depth, PowerSum *s)
{
	PowerSum a, b;
	begin_sum(&a);
	work_out(facts, x, depth, &a);
	bool one = a.n == 1 && !a.over;
	if (one && halves % 2 == 0) {
		PowerProduct p = {.c = 1};
		for (int i = 0; i < abs(halves) / 2; i++)
			s->over |= !multiply(&p, &a.product[0], halves < 0 ? -1 : 1);
		add_product(s, &p);
	} else if (!a.over && (halves == 4 || halves == 6)) {
		begin_sum(&b);
		add_all(&b, &a, &a);
		if (halves == 4)
			add_sum(s, &b, 1);
		else
			add_all(s, &a, &b);
	} else {
		add_power(s, x, false, halves);
	}
}

/* Adds what x is to the sum. */
static void work_out(Facts *facts, Node *x, uint32_t depth, PowerSum *s)
{
	PowerSum a, b;
	double value;
	if (s->over) return;
	begin_sum(&a);
	begin_sum(&b);
	if (!depth) {
		add_power(s, x, false, 2);
		return;
	}
	switch ((Op)x->op) {
	case OP_CONST:
		if (constant_value(x, &value) && isfinite(value)) {
			if (value != 0) add_product(s, &(PowerProduct){value, 0, {{0}}});
			return;
		}
		break;
	case OP_NEG:
		work_out(facts, x->arg[0], depth - 1, &a);
		add_sum(s, &a, -1);
		return;
	case OP_ADD:
	case OP_SUB:
		work_out(facts, x->arg[0], depth - 1, s);
		work_out(facts, x->arg[1], depth - 1, &a);
		add_sum(s, &a, x->op == OP_SUB ? -1 : 1);
		return;
	case OP_MUL:
		work_out(facts, x->arg[0], depth - 1, &a);
		work_out(facts, x->arg[1], depth - 1, &b);
		add_all(s, &a, &b);
		return;
	case OP_DIV:
		work_out(facts, x->arg[0], depth - 1, &a);
		work_out_power(facts, x->arg[1], -2, depth - 1, &b);
		add_all(s, &a, &b);
		return;
	case OP_SQRT: add_power(s, x->arg[0], false, 1); return;
	case OP_POW:
		if (!constant_value(x->arg[1], &value) || 2 * value != floor(2 * value) || fabs(value) > 8)
			break;
		work_out_power(facts, x->arg[0], (int)(2 * value), depth - 1, s);
		return;
	case OP_LOG:
		work_out(facts, x->arg[0], depth - 1, &a);
		if (a.n != 1 || a.over || !add_logarithm(facts, &a.product[0], s))
			add_power(s, x->arg[0], true, 2);
		return;
	default: break;
	}
	add_power(s, x, false, 2);
}

/* ---- two products --------------------------------------------------------------------------- */

/* A product or quotient as a product and what stands in its exponentials. */
static bool take_apart(Facts *facts, Node *x, int sign, uint32_t depth, PowerProduct *p, PowerSum *exponent)
{
	if (!depth) return false;
	PowerSum s;
	begin_sum(&s);
	switch ((Op)x->op) {
	case OP_NEG: p->c = -p->c; return take_apart(facts, x->arg[0], sign, depth - 1, p, exponent);
	case OP_MUL:
	case OP_DIV:
		return take_apart(facts, x->arg[0], sign, depth - 1, p, exponent) &&
			take_apart(facts, x->arg[1], x->op == OP_DIV ? -sign : sign, depth - 1, p, exponent);
	case OP_EXP:
		work_out(facts, x->arg[0], DEEP, &s);
		add_sum(exponent, &s, sign);
		return !exponent->over;
	default: break;
	}
	int two;
	double value;
	bool number =
		constant_value(x, &value) && fabs(frexp(value, &two)) != 0.5; /* whose inverse is rounded */
	if (!number) work_out(facts, x, depth, &s);
	if (s.n == 1 && !s.over) return multiply(p, &s.product[0], sign);
	return multiply_by_power(p, (HalfPower){x, false, 2 * sign});
}

static bool has_exponential(const Node *x, uint32_t depth)
{
	if (!depth) return false;
	if (x->op == OP_NEG) return has_exponential(x->arg[0], depth - 1);
	bool product = x->op == OP_MUL || x->op == OP_DIV;
	return x->op == OP_EXP ||
		(product && (has_exponential(x->arg[0], depth - 1) || has_exponential(x->arg[1], depth - 1)));
}

bool exponents_cancel(Facts *facts, Node *x, Node *y, int sign)
{
	PowerProduct p = {.c = 1};
	PowerSum exponent;
	begin_sum(&exponent);
	if (!has_exponential(x, DEEP) || !has_exponential(y, DEEP)) return false;
	if (!take_apart(facts, x, 1, DEEP, &p, &exponent) || !take_apart(facts, y, -1, DEEP, &p, &exponent))
		return false;
	if (p.c * sign != -1) return false;
	p.c = 1;
	return add_logarithm(facts, &p, &exponent) && !exponent.n && !exponent.over;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static uint64_t hash_of_powers(const PowerProduct *p)
{
	uint64_t h = p->n, bits;
	memcpy(&bits, &p->c, sizeof bits);
	for (uint32_t i = 0; i < p->n; i++) {
		h = h * 0x9E3779B97F4A7C15u + p->power[i].base->id;
		h = h * 0x9E3779B97F4A7C15u + (uint64_t)(2 * p->power[i].halves + p->power[i].log);
	}
	h = (h ^ bits) * 0xD6E8FEB86659FD93u;
	return (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
}

/* The logarithm of all factors together, of logarithms the factor itself: what may cancel has the same. */
uint64_t exponents_key(Facts *facts, Node *x)
{
	PowerProduct p = {.c = 1};
	PowerSum sum;
	begin_sum(&sum);
	if (!has_exponential(x, DEEP) || !take_apart(facts, x, 1, DEEP, &p, &sum)) return 0;
	for (uint32_t i = 0; i < p.n; i++) {
		HalfPower at = {p.power[i].base, true, p.power[i].log ? MOST_HALVES + 2 : 2};
		add_product(&sum, &(PowerProduct){p.power[i].halves / 2.0, 1, {at}});
	}
	if (sum.over) return KEY_UNKNOWN;
	uint64_t h = hash_of_powers(&(PowerProduct){.c = fabs(p.c)});
	for (uint32_t i = 0; i < sum.n; i++) h += hash_of_powers(&sum.product[i]);
	return h > KEY_UNKNOWN ? h : KEY_UNKNOWN;
}
