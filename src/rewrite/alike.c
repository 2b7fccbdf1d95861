/* alike.c - products that are equal but for their grouping, their numbers and their signs: 3*x*y and x*(y*2),
 * 2*x^2 and x*(2*x), 1/(a - b) and 1/(b - a).
 *
 * Needs: terms of a sum, floats over normal operands; law `real`.  Gives: which are alike, and by which
 * number.  A product is a number times powers of what is neither product, quotient nor power; a difference
 * and the other one are one base, whose sign tells which it is.  Numbers as far as they are exact.
 */
#include "rules.h"

#include <stdlib.h>

enum { ALIKE_DEEP = 12 };

/* ---- a product as powers ------------------------------------------------------------------------ */

static bool add_base(AlikeProduct *p, Node *x, int halves)
{
	AlikePower new = {x, NULL, halves};
	if (x->op == OP_SUB && halves % 2 == 0) {
		bool turned = x->arg[0]->id > x->arg[1]->id;
		new = (AlikePower){x->arg[turned], x->arg[!turned], halves};
		if (turned && halves / 2 % 2) p->c = -p->c;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		AlikePower *at = &p->power[i];
		if (at->x != new.x || at->less != new.less) continue;
		at->halves += halves;
		return p->cancels || (at->halves > 0) == (halves > 0); /* x/x is no 1 yet */
	}
	if (p->n == ALIKE_POWERS) return false;
	p->power[p->n++] = new;
	return true;
}

/* The number to a whole power; false: it is rounded. */
static bool add_number(AlikeProduct *p, double value, int power)
{
	if (value == 0 || !isfinite(value) || abs(power) > 8) return false;
	for (int i = 0; i < abs(power); i++)
		if (!multiply_number(&p->c, value, power)) return false;
	return true;
}

/* Times x^(halves/2) */
static bool add_factors(AlikeProduct *p, Node *x, int halves, uint32_t depth)
{
	double value;
	bool whole = halves % 2 == 0;
	if (!depth || abs(halves) > 2 * KEY_TERMS) return false;
	if (whole && x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &value))
		return add_number(p, value, halves / 2);
	if (x->op == OP_NEG && whole) {
		if (halves / 2 % 2) p->c = -p->c;
		return add_factors(p, x->arg[0], halves, depth - 1);
	}
	if ((x->op == OP_MUL || x->op == OP_DIV) && whole)
		return add_factors(p, x->arg[0], halves, depth - 1) &&
			add_factors(p, x->arg[1], x->op == OP_DIV ? -halves : halves, depth - 1);
	bool power = x->op == OP_POW && whole && constant_is_uniform(x->arg[1]) &&
		constant_value(x->arg[1], &value) && exponent_fits(value);
	if (power && value != 0) return add_factors(p, x->arg[0], (int)(value * halves), depth - 1);
	return add_base(p, x, halves);
}

static uint64_t key_of_power(const AlikePower *p)
{
	uint64_t bases = p->x->id | (uint64_t)(p->less ? p->less->id + 1 : 0) << 32;
	return hash_mix64(bases + 0x9E3779B97F4A7C15u) * (uint64_t)(int64_t)p->halves;
}

static void set_key(AlikeProduct *p)
{
	p->key = 0;
	for (uint32_t i = 0; i < p->n; i++) p->key += key_of_power(&p->power[i]);
}

bool alike_times(AlikeProduct *p, Node *x, int power)
{
	p->cancels = true;
	if (!add_factors(p, x, 2 * power, ALIKE_DEEP)) return false;
	set_key(p);
	return true;
}

bool alike_product(Node *x, AlikeProduct *p)
{
	*p = (AlikeProduct){.c = 1};
	if (!add_factors(p, x, 2, ALIKE_DEEP) || !p->n) return false;
	set_key(p);
	return true;
}

uint64_t alike_key(Node *x)
{
	AlikeProduct p;
	return alike_product(x, &p) ? p.key : 0;
}

/* Have both the same powers?  Those of no halves are gone. */
static bool same_powers(const AlikeProduct *a, const AlikeProduct *b)
{
	uint32_t n = 0, m = 0;
	if (a->key != b->key) return false;
	for (uint32_t i = 0; i < b->n; i++) m += b->power[i].halves != 0;
	for (uint32_t i = 0; i < a->n; i++) {
		bool found = a->power[i].halves == 0;
		n += !found;
		for (uint32_t k = 0; k < b->n && !found; k++)
			found = a->power[i].x == b->power[k].x && a->power[i].less == b->power[k].less &&
				a->power[i].halves == b->power[k].halves;
		if (!found) return false;
	}
	return n == m;
}

double alike_ratio(const AlikeProduct *a, const AlikeProduct *b)
{
	double c = a->c;
	return same_powers(a, b) && multiply_number(&c, b->c, -1) ? c : 0;
}

/* ---- factors that are opposite ------------------------------------------------------------------- */

/* A difference, or a whole power of one: its exponent, else 0. */
static int power_of_difference(Node *x, Node **base)
{
	double n = 1;
	bool power = x->op == OP_POW && constant_is_uniform(x->arg[1]) && constant_value(x->arg[1], &n);
	*base = power ? x->arg[0] : x;
	return (*base)->op == OP_SUB && exponent_fits(n) && floor(n) == n ? (int)n : 0;
}

/* (a - b)*x/(b - a) is -((a - b)*x/(a - b)), to the bit: equal bases then meet. */
Node *with_equal_differences(Graph *g, Node *x, Facts *facts)
{
	Ratios r;
	Node *with[KEY_TERMS], *first, *base;
	int power;
	if (!factors_of_ratio(facts, x, &r)) return NULL;
	for (uint32_t k = 1; k < r.n; k++) {
		if (!(power = power_of_difference(r.factor[k].x, &base))) continue;
		for (uint32_t i = 0; i < k; i++) {
			if (!power_of_difference(r.factor[i].x, &first) || first->type != base->type)
				continue;
			if (first->arg[0] != base->arg[1] || first->arg[1] != base->arg[0]) continue;
			if (first == base) continue;
			for (uint32_t j = 0; j < r.n; j++) with[j] = r.factor[j].x;
			with[k] = r.factor[k].x == base ? first
							: build2(g, OP_POW, first, r.factor[k].x->arg[1]);
			Node *y = ratio_with(g, x, with);
			return y && power % 2 ? build1(g, OP_NEG, y) : y;
		}
	}
	return NULL;
}
