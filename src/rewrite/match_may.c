/* match_may.c - may a pattern match at a node at all?
 *
 * Needs: a match at work, not modulo equations.  Gives: false only where no way of matching would succeed,
 * as far as operators, literals and what is bound say; it binds and builds nothing.  So most terms of a long
 * sum are passed over without a search.
 */
#include "match.h"

enum { FACTORS = 12 }; /* of more factors nothing is said */

/* A power that is no x^2 by what is written: x*x, x^4 and 4*x^2 are none of them. */
static bool is_other_power(const Pattern *p)
{
	return p->op == OP_POW && (p->arg[1]->kind != P_LITERAL || p->arg[1]->value != 2);
}

/* Operators that are found in others too: a minus in a number, a quotient in a product, a square in x*x. */
static bool is_found_elsewhere(const Pattern *p)
{
	return p->op == OP_NEG || p->op == OP_DIV || (p->op == OP_POW && !is_other_power(p));
}

/* A view of a map is the map of views. */
static bool may_be_viewed(const Pattern *p, const Node *x)
{
	if (!is_seen_through((Op)x->op)) return false;
	while (is_seen_through((Op)x->op)) x = x->arg[0];
	if (op_info[x->op].class != MAP) return false;
	if (p->kind != P_OPERATOR || is_found_elsewhere(p)) return true;
	return x->op == p->op || x->op == p->tied || x->op == mirrored(p->op) || x->op == mirrored(p->tied);
}

/* The factors that a product has, through its minus signs; false: they are too many. */
static bool list_factors(const Node *x, const Node **factor, uint32_t *n)
{
	const Node *stack[FACTORS];
	uint32_t top = 0;
	*n = 0;
	for (stack[top++] = x; top;) {
		const Node *y = stack[--top];
		if (y->op != OP_MUL && y->op != OP_NEG) {
			if (*n == FACTORS) return false;
			factor[(*n)++] = y;
			continue;
		}
		if (top + 2 > FACTORS) return false;
		if (y->op == OP_MUL) stack[top++] = y->arg[1];
		stack[top++] = y->arg[0];
	}
	return true;
}

/* A number over a variable, which no product is. */
static bool is_inverse_of_variable(const Pattern *p)
{
	return p->kind == P_OPERATOR && p->op == OP_DIV && p->arg[0]->kind == P_LITERAL &&
		p->arg[1]->kind == P_VARIABLE;
}

/* What takes a part of a product that is no factor: several of them, or one with its sign. */
static bool takes_parts(const Match *m, const Pattern *p)
{
	const Node *x = p->kind == P_VARIABLE ? m->value[p->var] : NULL;
	if (p->kind == P_VARIABLE) return !x || x->op == OP_MUL || x->op == OP_NEG || x->op == OP_CONST;
	if (p->kind == P_OPERATOR) return is_found_elsewhere(p) && !is_inverse_of_variable(p);
	return p->kind == P_PRODUCT;
}

/* A variable that is a constant, by the guard. */
static bool is_constant(const Match *m, const Pattern *p)
{
	return p->kind == P_VARIABLE && m->rule->constants >> p->var & 1;
}

/* Each part takes a factor of its own, but for those that take what is no factor. */
static bool may_be_product(const Match *m, const Pattern *p, const Node *x)
{
	const Node *factor[FACTORS];
	uint32_t n, any = 0, parts = 0;
	if (!list_factors(x, factor, &n)) return true;
	for (uint32_t i = 0; i < p->n; i++) {
		const Pattern *part = p->arg[i];
		bool number = part->kind == P_LITERAL || is_constant(m, part);
		if (!number && takes_parts(m, part)) continue;
		uint32_t fit = 0;
		for (uint32_t k = 0; k < n; k++)
			if (number ? factor[k]->op == OP_CONST : match_may(m, part, factor[k]))
				fit |= 1u << k;
		if (!fit) return false;
		any |= fit;
		parts++;
	}
	return (uint32_t)__builtin_popcount(any) >= parts;
}

/* In the tree of one operator, is there what an operator among the parts is found in?  More than FACTORS
 * nodes are not looked at. */
static bool has_part_of_chain(const Match *m, const Pattern *part, const Node *x)
{
	const Node *stack[FACTORS];
	uint32_t top = 0, looks = 0;
	for (stack[top++] = x; top; looks++) {
		const Node *y = stack[--top];
		if (looks == FACTORS || top + 2 > FACTORS) return true;
		if (y->op != x->op) {
			if (match_may(m, part, y)) return true;
			continue;
		}
		stack[top++] = y->arg[1];
		stack[top++] = y->arg[0];
	}
	return false;
}

static bool may_be_chain(const Match *m, const Pattern *p, const Node *x)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const Pattern *part = p->arg[i];
		bool alone = part->kind == P_OPERATOR && part->op != x->op && !is_found_elsewhere(part);
		if (alone && !has_part_of_chain(m, part, x)) return false;
	}
	return true;
}

/* The same operator: do its operands fit? */
static bool may_have_operands(const Match *m, const Pattern *p, const Node *x)
{
	if (p->n != own_args(x) || (p->n && p->arg[0]->kind == P_RUN)) return true;
	bool straight = true, crossed = p->n == 2 && op_info[p->op].flags & COMM;
	for (uint32_t i = 0; i < p->n; i++) {
		straight = straight && match_may(m, p->arg[i], x->arg[i]);
		crossed = crossed && match_may(m, p->arg[i], x->arg[p->n - 1 - i]);
	}
	return straight || crossed;
}

static bool may_be_operator(const Match *m, const Pattern *p, const Node *x)
{
	if (p->op == OP_NEG) return true;
	if (is_inverse_of_variable(p))
		return x->op == OP_DIV ? match_literal(p->arg[0], x->arg[0]) : may_be_viewed(p, x);
	if (p->op == OP_DIV && (x->op == OP_DIV || x->op == OP_MUL || x->op == OP_NEG)) return true;
	bool square = p->op == OP_POW && !is_other_power(p);
	if (square && x->op == OP_MUL && x->arg[0] == x->arg[1]) return true;
	if (square && (is_even_power(x) || is_scaled_square(x))) return true;
	if (x->op == p->op) return may_have_operands(m, p, x);
	bool turned = mirrored(p->op) == x->op || mirrored(p->tied) == x->op;
	return turned || p->tied == x->op || may_be_viewed(p, x);
}

bool match_may(const Match *m, const Pattern *p, const Node *x)
{
	switch (p->kind) {
	case P_VARIABLE:
		if (is_constant(m, p) && x->op != OP_CONST) return false;
		return !m->value[p->var] || m->value[p->var] == x || m->rule->signs >> p->var & 1;
	case P_LITERAL: return match_literal(p, x);
	case P_OPERATOR: return may_be_operator(m, p, x);
	case P_LIBRARY: return library_name(x) == p->name;
	case P_SUM: return x->op == OP_ADD || x->op == OP_SUB || may_be_viewed(p, x);
	case P_PRODUCT:
		if (x->op == OP_POW) return true; /* x*x, of a square */
		return x->op == OP_MUL ? may_be_product(m, p, x) : may_be_viewed(p, x);
	case P_CHAIN: return x->op == p->op ? may_be_chain(m, p, x) : may_be_viewed(p, x);
	case P_TURN: return x->op == OP_TRANSPOSE;
	case P_MATMUL: return x->op == OP_CONTRACT;
	default: return true;
	}
}

/* ---- what stands twice ------------------------------------------------------------------------ */

/* Is it one node wherever it stands? */
static bool is_plain_value(const Rule *r, uint32_t var)
{
	return r->var[var].kind == V_VALUE && !(r->signs >> var & 1);
}

static bool has_repeated(const Rule *r)
{
	for (uint32_t v = 0; v < r->nvar; v++)
		if (is_plain_value(r, v) && stands_in(r->left, v) > 1) return true;
	return false;
}

/* A quotient whose upper part stands twice is not found among factors: match_quotient. */
bool rule_repeats(const Rule *r)
{
	const Pattern *p = r->left;
	if (!p || p->kind != P_OPERATOR || r->head || r->factors || r->splits) return false;
	if (p->op == OP_NEG || op_info[p->op].flags & COMM) return false;
	bool among_factors = p->op == OP_DIV && (p->arg[0]->kind != P_VARIABLE ||
		stands_in(p, p->arg[0]->var) < 2);
	return !among_factors && has_repeated(r);
}

static bool may_be_again(const Rule *r, const Pattern *p, const Node *x, const Node *const *value)
{
	bool plain = p->kind == P_VARIABLE && is_plain_value(r, p->var);
	return !plain || !value[p->var] || value[p->var] == x;
}

static bool may_repeat(const Rule *r, const Pattern *p, const Node *x, const Node **value);

/* Of an operator that x is, or of the mirrored one. */
static bool operands_may_repeat(const Rule *r, const Pattern *p, const Node *x, const Node **value)
{
	bool straight = x->op == p->op || x->op == p->tied;
	if (p->n != own_args(x) || (p->n && p->arg[0]->kind == P_RUN)) return true;
	if (p->n == 2 && op_info[p->op].flags & COMM)
		return !straight || (may_be_again(r, p->arg[0], x->arg[0], value) &&
			may_be_again(r, p->arg[1], x->arg[1], value)) ||
			(may_be_again(r, p->arg[0], x->arg[1], value) &&
				may_be_again(r, p->arg[1], x->arg[0], value));
	if (!straight && mirrored(p->op) != x->op && mirrored(p->tied) != x->op) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (!may_repeat(r, p->arg[i], x->arg[straight ? i : p->n - 1 - i], value)) return false;
	return true;
}

/* Variables are bound where there is no choice; of all else nothing is said. */
static bool may_repeat(const Rule *r, const Pattern *p, const Node *x, const Node **value)
{
	if (!may_be_again(r, p, x, value)) return false;
	if (p->kind == P_VARIABLE) value[p->var] = x;
	return p->kind != P_OPERATOR || is_found_elsewhere(p) || operands_may_repeat(r, p, x, value);
}

bool match_may_repeat(const Rule *r, const Node *x)
{
	const Node *value[RULE_VARIABLES];
	memset(value, 0, r->nvar * sizeof *value);
	return x->op != r->left->op || operands_may_repeat(r, r->left, x, value);
}

/* ---- chains -------------------------------------------------------------------------------- */

static bool has_op(const struct ChainSeen *s, unsigned op)
{
	return s->ops[op >> 6 & 1] >> (op & 63) & 1;
}

/* Is it found as what it is alone, or as the mirrored comparison?  x^2 is x*x too, a quotient a product. */
static bool has_own_op(const Pattern *p)
{
	const OpInfo *o = p->kind == P_OPERATOR ? &op_info[p->op] : NULL;
	return p->kind == P_CHAIN || (o && (o->dtype == BOOL || o->dtype == TEST || o->dtype == RTEST));
}

bool match_may_be_at(Facts *facts, const Rule *r, Node *x)
{
	const Pattern *p = r->left;
	if (r->integers && !dtype_is_integer(node_dtype(x))) return false;
	if (p->kind != P_CHAIN || x->op != p->op) return true;
	const struct ChainSeen *s = chain_seen(facts, x);
	bool may = true, variables = true, again = false;
	if (s->views) return true;
	for (uint32_t i = 0; i < p->n && may; i++) {
		const Pattern *q = p->arg[i];
		may = !has_own_op(q) || has_op(s, q->op) || has_op(s, mirrored((Op)q->op));
		variables &= q->kind == P_VARIABLE;
		for (uint32_t k = 0; k < i && variables; k++) again |= p->arg[k]->var == q->var;
	}
	return may && !(variables && again && !s->twice);
}

/* ---- two terms of a sum ---------------------------------------------------------------------- */

/* Of a*x + a*y both terms have a factor that is the same, and where x and y are constants all but those; of
 * y*exp(x) - y the second one has no factor that the first one has not. */
typedef enum Shared { SHARE_NOTHING, SHARE_FACTOR, SHARE_ALL, SHARE_BUT_NUMBERS } Shared;

/* Factors of a term as bits, so that two are compared at once: of a number its magnitude, for it may meet the
 * other sign. */
enum { HAS_NUMBER = 1, HAS_SUM = 2, IS_VIEW = 4, NO_PRODUCT = 8, OTHERS = 15, FACTOR_BITS = 60 };

/* Is it one node whatever it was bound by?  A map may stand within a view or around it. */
static bool is_rigid(const Pattern *p)
{
	if (p->kind == P_VARIABLE) return true;
	if (p->kind != P_OPERATOR || op_info[p->op].class == MAP) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!is_rigid(p->arg[i])) return false;
	return p->attr.kind == AT_VARIABLE;
}

static bool same_pattern(const Pattern *p, const Pattern *q)
{
	if (p->kind != q->kind || p->n != q->n) return false;
	if (p->kind == P_VARIABLE) return p->var == q->var;
	if (p->op != q->op || p->attr.var != q->attr.var) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!same_pattern(p->arg[i], q->arg[i])) return false;
	return true;
}

static bool has_part(const Pattern *product, const Pattern *part)
{
	for (uint32_t i = 0; i < product->n; i++)
		if (is_rigid(part) && same_pattern(product->arg[i], part)) return true;
	return false;
}

/* Are all of its factors constants but one that may be anything? */
static bool has_one_variable(const Rule *r, const Pattern *product)
{
	uint32_t others = 0;
	for (uint32_t i = 0; i < product->n; i++) {
		const Pattern *p = product->arg[i];
		bool constant = p->kind == P_VARIABLE && r->constants >> p->var & 1;
		if (p->kind != P_VARIABLE && p->kind != P_LITERAL) return false;
		others += p->kind == P_VARIABLE && !constant;
	}
	return others == 1;
}

uint8_t rule_shares_factors(const Rule *r)
{
	const Pattern *p = r->left;
	if (!p || p->kind != P_SUM || p->n != 2 || r->head) return SHARE_NOTHING;
	const Pattern *a = p->arg[0], *b = p->arg[1];
	if (a->kind == P_VARIABLE) {
		a = b;
		b = p->arg[0];
	}
	if (a->kind != P_PRODUCT) return SHARE_NOTHING;
	if (b->kind == P_VARIABLE) return has_part(a, b) ? SHARE_ALL : SHARE_NOTHING;
	bool shares = false;
	for (uint32_t i = 0; i < b->n && b->kind == P_PRODUCT; i++) shares |= has_part(a, b->arg[i]);
	if (shares && has_one_variable(r, a) && has_one_variable(r, b)) return SHARE_BUT_NUMBERS;
	return shares ? SHARE_FACTOR : SHARE_NOTHING;
}

/* Does a number stand in it whose sign may be turned? */
static bool has_number(const Node *x)
{
	double value;
	while (x->op == OP_EXPAND) {
		x = x->arg[0];
		if (x->op == OP_CONST || x->op == OP_MUL || x->op == OP_NEG) return true;
	}
	return x->op == OP_DIV || (x->op == OP_CONST && !literal_value(x, &value));
}

static uint64_t factor_bit(const Node *x)
{
	double value;
	uint64_t told = x->id;
	if (literal_value(x, &value)) {
		value = fabs(value);
		memcpy(&told, &value, sizeof told);
	}
	return (OTHERS + 1ull) << hash_mix(x->op, told) % FACTOR_BITS;
}

TermFactors factors_of_term(const Node *x)
{
	const Node *factor[FACTORS];
	TermFactors f = {.x = x};
	uint32_t n;
	if (is_seen_through((Op)x->op))
		f.bits = IS_VIEW;
	else if (x->op != OP_MUL && x->op != OP_POW) /* x*x, of a square, is one */
		f.bits = NO_PRODUCT;
	if (!list_factors(x, factor, &n)) return (TermFactors){.x = x, .bits = ~(uint64_t)0};
	for (uint32_t i = 0; i < n; i++) {
		f.bits |= factor_bit(factor[i]);
		if (has_number(factor[i])) f.bits |= HAS_NUMBER;
		if (factor[i]->op == OP_ADD || factor[i]->op == OP_SUB) f.bits |= HAS_SUM;
		if (factor[i]->op != OP_CONST) f.rest += hash_mix64(factor[i]->id);
	}
	return f;
}

static bool same_factor(const Node *x, const Node *y)
{
	double a, b;
	if (x == y || (has_number(x) && has_number(y))) return true;
	return literal_value(x, &a) && literal_value(y, &b) && fabs(a) == fabs(b);
}

static bool has_factor(uint32_t n, const Node *const *factor, const Node *x)
{
	for (uint32_t i = 0; i < n; i++)
		if (same_factor(factor[i], x)) return true;
	return false;
}

/* What the bits say, of the factors themselves. */
static bool share(Shared what, const Node *x, const Node *y)
{
	const Node *a[FACTORS], *b[FACTORS];
	uint32_t na, nb, both = 0;
	if (!list_factors(x, a, &na) || !list_factors(y, b, &nb)) return true;
	for (uint32_t i = 0; i < nb; i++) both += has_factor(na, a, b[i]);
	return what == SHARE_ALL ? both == nb : both > 0;
}

/* May y be a term of the sum x? */
static bool may_be_term(const Node *x, const Node *y)
{
	for (uint32_t i = 0; i < x->narg; i++) {
		Op op = (Op)x->arg[i]->op;
		if (x->arg[i] == y || op == OP_ADD || op == OP_SUB || op == OP_NEG) return true;
	}
	return false;
}

/* With as many factors as the pattern has, what is left for the variable may be a sum, of several terms, of
 * which y is one. */
static bool may_take_sum(const Rule *r, const Node *x, const Node *y)
{
	const Node *factor[FACTORS];
	const Pattern *p = r->left->arg[0]->kind == P_PRODUCT ? r->left->arg[0] : r->left->arg[1];
	uint32_t n;
	bool may = !list_factors(x, factor, &n);
	for (uint32_t i = 0; !may && n <= p->n && i < n; i++)
		may = (factor[i]->op == OP_ADD || factor[i]->op == OP_SUB) && may_be_term(factor[i], y);
	return may;
}

bool match_may_pair(const Rule *r, const TermFactors *x, const TermFactors *y)
{
	uint64_t a = x->bits, b = y->bits;
	if (!~a || !~b || r->shared == SHARE_NOTHING || a & IS_VIEW) return true;
	if (x->x->type != y->x->type) return true;
	if (a & NO_PRODUCT) return false;
	bool all = r->shared == SHARE_ALL;
	if (!all && b & (IS_VIEW | NO_PRODUCT)) return b & IS_VIEW;
	if (all && a & HAS_SUM && may_take_sum(r, x->x, y->x)) return true;
	bool numbers = a & b & HAS_NUMBER;
	if (r->shared == SHARE_BUT_NUMBERS && !numbers) return x->rest == y->rest;
	a &= ~(uint64_t)OTHERS;
	b &= ~(uint64_t)OTHERS;
	return (numbers || (all ? !(b & ~a) : a & b)) && share((Shared)r->shared, x->x, y->x);
}

/* Two terms, as factors_may_meet tells it; known: what has been found already. */
static unsigned terms_may_meet(const TermFactors *x, const TermFactors *y, unsigned known)
{
	unsigned found = 0, other = 1u << SHARE_ALL;
	if (x->bits & y->bits & NO_PRODUCT) return 0;
	if (!((x->bits | y->bits) & NO_PRODUCT)) {
		if (x->rest == y->rest || x->bits & y->bits & HAS_NUMBER) found = 1u << SHARE_BUT_NUMBERS;
		other |= 1u << SHARE_FACTOR;
	}
	bool may = other & ~known && x->bits & y->bits & ~(uint64_t)(HAS_SUM | NO_PRODUCT);
	return may && share(SHARE_FACTOR, x->x, y->x) ? found | other : found;
}

unsigned factors_may_meet(uint32_t n, const TermFactors *x, uint32_t first)
{
	const unsigned all = 1u << SHARE_FACTOR | 1u << SHARE_ALL | 1u << SHARE_BUT_NUMBERS;
	unsigned meet = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!~x[i].bits || x[i].bits & IS_VIEW || x[i].x->type != x[0].x->type) return all;
		if (x[i].bits & HAS_SUM) meet = 1u << SHARE_ALL;
	}
	for (uint32_t k = first; k < n; k++)
		for (uint32_t i = 0; i < first && meet != all; i++)
			meet |= terms_may_meet(&x[i], &x[k], meet);
	return meet;
}
