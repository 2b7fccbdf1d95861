/* match_ratio.c - what a rule looks for in a tree of products, quotients and minus signs: a quotient of
 * two factors, the logarithm of one. */
#include "match.h"

/* As far as operators say. */
static bool may_be(const Pattern *p, const Node *x)
{
	double value;
	switch (p->kind) {
	case P_VARIABLE: return true;
	case P_LITERAL: return literal_value(x, &value) && literal_equals(x, value, p->value);
	case P_OPERATOR:
	case P_CHAIN: return x->op == p->op || is_square_of(p, x);
	case P_LIBRARY: return library_name(x) == p->name;
	case P_SUM: return x->op == OP_ADD || x->op == OP_SUB;
	default: return false;
	}
}

/* Is 0.5 a factor where x/2 is looked for?  -0.5: with that sign. */
static bool is_inverse_of(const Pattern *p, const Node *x, double sign)
{
	double value;
	bool literal = p->kind == P_LITERAL && literal_value(x, &value);
	return literal && literal_is_inverse(node_dtype(x), sign * value, p->value);
}

static bool is_inverse(const Pattern *p, const Node *x)
{
	return is_inverse_of(p, x, 1);
}

/* x/2 is found in -(x/2), 0.5*x and y/(2*z), of x = -x and y/z: one factor below the line, all else above
 * it. */
bool match_ratio(Match *m, const Goal *goal)
{
	const Pattern *above = goal->p->arg[0], *below = goal->p->arg[1];
	Node *x = goal->x, *with[KEY_TERMS];
	Ratios f;
	bool fits = x->op == OP_NEG || x->op == OP_MUL || x->op == OP_DIV;
	bool bound = above->kind == P_VARIABLE && m->value[above->var];
	if (!fits || goal->root || m->rule->head || m->rule->law == LAW_EXACT) return false;
	if (bound || below->kind == P_VARIABLE || !dtype_is_float(node_dtype(x))) return false;
	if (!factors_of_ratio(m->facts, x, &f)) return false;
	for (uint32_t k = 0; k < f.n; k++) {
		bool minus = !f.factor[k].below && is_inverse_of(below, f.factor[k].x, -1);
		bool inverse = minus || (!f.factor[k].below && is_inverse(below, f.factor[k].x));
		if (!inverse && (!f.factor[k].below || !may_be(below, f.factor[k].x))) continue;
		for (uint32_t i = 0; i < f.n; i++) with[i] = i == k ? NULL : f.factor[i].x;
		Node *rest = ratio_with(m->g, x, with);
		if (rest && minus) rest = build1(m->g, OP_NEG, rest);
		MatchMark saved = match_mark(m);
		Goal over = {.p = above, .x = rest, .next = goal->next},
		     under = {.p = below, .x = f.factor[k].x, .next = &over};
		if (rest && match_goal(m, inverse ? &over : &under)) return true;
		match_undo(m, &saved);
	}
	return false;
}

/* What the lower part of the left side may be at factor k: what stands below the line, or 2 for 0.5 above
 * it. */
static Node *lower_part(Match *m, const Pattern *below, const Ratios *f, uint32_t k)
{
	Node *y = f->factor[k].x;
	if (f->factor[k].below) return may_be(below, y) ? y : NULL;
	return is_inverse(below, y) ? constant_float(m->g, y->type, below->value) : NULL;
}

/* Factor k as the left side's lower part, and all that is left as its upper one, which takes anything. */
static bool match_below(Match *m, const Rule *r, Node *x, const Ratios *f, uint32_t k)
{
	Node *with[KEY_TERMS];
	for (uint32_t i = 0; i < f->n; i++) with[i] = i == k ? NULL : f->factor[i].x;
	Node *above = ratio_with(m->g, x, with), *below = lower_part(m, r->left->arg[1], f, k);
	Node *q = above ? build2(m->g, OP_DIV, above, below) : NULL;
	return q && q != x && match_whole(m, r, q);
}

/* A quotient whose upper part takes anything: all that one lower factor leaves. */
bool match_quotient(Match *m, const Rule *r, Node *x)
{
	const Pattern *above = r->left->arg[0], *below = r->left->arg[1];
	Ratios f;
	bool takes_all = above->kind == P_VARIABLE && stands_in(r->left, above->var) == 1;
	if (r->law == LAW_EXACT || !takes_all || below->kind == P_VARIABLE) return false;
	if (!dtype_is_float(node_dtype(x)) || !factors_of_ratio(m->facts, x, &f)) return false;
	for (uint32_t k = 0; k < f.n; k++)
		if (lower_part(m, below, &f, k) && match_below(m, r, x, &f, k)) return true;
	return false;
}

/* ---- a product or quotient by its factors ------------------------------------------------------- */

enum { FACTORS = 8 };

/* The factors of a left side, and of a tree of products and quotients in which they are looked for. */
typedef struct FactorSearch {
	const Pattern *p[FACTORS];
	bool below[FACTORS], done[FACTORS];
	uint32_t n;
	Node *x;
	Ratios f;
	uint8_t used[KEY_TERMS];
} FactorSearch;

static bool list_patterns(FactorSearch *s, const Pattern *p, bool below)
{
	bool quotient = p->kind == P_OPERATOR && p->op == OP_DIV;
	if (p->kind == P_PRODUCT || quotient) {
		for (uint32_t i = 0; i < p->n; i++)
			if (!list_patterns(s, p->arg[i], below != (quotient && i))) return false;
		return true;
	}
	if (p->kind == P_LITERAL && p->value == 1) return true; /* 1/f(x) in y/f(x) */
	if (s->n == FACTORS) return false;
	s->p[s->n] = p;
	s->below[s->n++] = below;
	return true;
}

/* Of exp(x)/exp(y) the exponents meet, apart from what keeps them in range: z in z*exp(x)/exp(y). */
static bool is_exponential(const Pattern *p)
{
	bool power = p->kind == P_OPERATOR && p->op == OP_POW && p->arg[1]->kind != P_LITERAL;
	if (power) return !p->arg[0]->n;
	return p->kind == P_OPERATOR && (p->op == OP_EXP || p->op == OP_EXP2 || p->op == OP_EXP10);
}

/* Has factor k a variable of another one?  One that is a variable must stand in a function. */
static bool shares_variable(const FactorSearch *s, const Rule *r, uint32_t k)
{
	for (uint32_t v = 0; v < r->nvar; v++)
		for (uint32_t i = 0; i < s->n && stands_in(s->p[k], v); i++) {
			bool function = s->p[k]->kind != P_VARIABLE || s->p[i]->n;
			if (i != k && function && stands_in(s->p[i], v)) return true;
		}
	return false;
}

/* x over a function of x and others: as small as x may be beside them, which what stands around need not
 * be. */
static bool is_part(const FactorSearch *s, const Rule *r)
{
	uint32_t others = 0;
	if (s->n != 2 || s->p[0]->kind != P_VARIABLE || s->below[0] || !s->below[1]) return false;
	for (uint32_t v = 0; v < r->nvar; v++) others += stands_in(s->p[1], v) != 0;
	return others > 1;
}

/* May what is below be 0 where what is above is not?  Then factors that make it small must come before the
 * division. */
static bool has_pole(const FactorSearch *s, const Rule *r)
{
	bool zero[2] = {false, false};
	if (r->right->kind == P_OPERATOR && r->right->op == OP_DIV) return false;
	for (uint32_t i = 0; i < s->n; i++) {
		const Pattern *p = s->p[i];
		if (p->kind == P_OPERATOR && p->op == OP_POW) p = p->arg[0];
		bool op_zero = p->kind == P_OPERATOR && (op_info[p->op].flags & ZERO);
		zero[s->below[i]] |= op_zero || p->kind == P_VARIABLE || p->kind == P_LIBRARY;
	}
	return zero[1] && !zero[0];
}

static bool sums_quotient(const Pattern *p)
{
	bool quotient = false;
	for (uint32_t i = 0; i < p->n; i++)
		quotient |= p->arg[i]->kind == P_OPERATOR && p->arg[i]->op == OP_DIV;
	return p->kind == P_SUM && quotient;
}

bool rule_has_factors(const Rule *r)
{
	FactorSearch s = {.n = 0};
	bool product = r->left && r->left->kind == P_PRODUCT,
	     quotient = r->left && r->left->kind == P_OPERATOR && r->left->op == OP_DIV,
	     exponentials = true;
	if ((!product && !quotient) || r->head || r->call || r->equation || r->law == LAW_EXACT) return false;
	if (!list_patterns(&s, r->left, false)) return false;
	uint32_t functions = 0;
	for (uint32_t i = 0; i < s.n; i++) {
		const Pattern *p = s.p[i];
		bool function = p->kind != P_VARIABLE && p->kind != P_LITERAL, needs = product || !function;
		if (needs && p->kind != P_LITERAL && !shares_variable(&s, r, i)) return false;
		if (product && sums_quotient(p)) return false; /* (x/y + z)*y/c: y*z alone may be large */
		exponentials &= is_exponential(p);
		functions += function;
	}
	return functions && !exponentials && !is_part(&s, r) && !has_pole(&s, r);
}

/* Is y a number times x: -x, 2*x, x/3?  By which it is more, or with *less, less. */
static bool is_multiple(const Node *y, const Node *x, double *times, bool *less)
{
	bool product = y->op == OP_MUL, number = product || (y->op == OP_DIV && y->arg[0] == x);
	*less = !product;
	if (y->op == OP_NEG && y->arg[0] == x) {
		*times = -1;
		return true;
	}
	if (!number || (product && y->arg[0] != x && y->arg[1] != x)) return false;
	const Node *by = y->arg[product && y->arg[1] == x ? 0 : 1];
	return literal_value(by, times) && is_moderate(node_dtype(y), *times);
}

/* Is x a square, where a square is looked for? */
static bool is_squared(const Pattern *p, const Node *x)
{
	if (p->kind != P_OPERATOR || p->op != OP_POW) return false;
	bool power = x->op == OP_POW && p->arg[1]->kind == P_LITERAL && p->arg[1]->value == 2;
	return is_square_of(p, x) || (power && match_literal(p->arg[1], x->arg[1]));
}

/* sin(2*x)/x is 2 times sin(2*x)/(2*x): the left side's variable, bound to 2*x, stands for a factor x then,
 * and the right side is 2 times as much; of a square, 4 times. */
static bool is_part_of_bound(Match *m, const Pattern *p, Node *x, bool below)
{
	bool square = is_squared(p, x), less;
	const Pattern *v = square ? p->arg[0] : p;
	double times;
	if (v->kind != P_VARIABLE || !m->value[v->var] || m->scale != 1) return false;
	if (!is_multiple(m->value[v->var], square ? x->arg[0] : x, &times, &less)) return false;
	if (square) times *= times;
	m->scale = times;
	m->scale_below = less == below;
	return true;
}

static bool match_more_factors(Match *, FactorSearch *);

/* Pattern k is factor i. */
static bool match_factor(Match *m, FactorSearch *s, uint32_t k, uint32_t i)
{
	const Pattern *p = s->p[k];
	Node *x = s->f.factor[i].x;
	bool across = s->f.factor[i].below != s->below[k];
	MatchMark saved = match_mark(m);
	double scale = m->scale;
	s->used[i] = 1;
	bool fits = across ? is_inverse(p, x) : may_be(p, x) && match_alone(m, p, x);
	fits = fits || (!across && is_part_of_bound(m, p, x, s->below[k]));
	if (fits && match_more_factors(m, s)) return true;
	match_undo(m, &saved);
	m->scale = scale;
	s->used[i] = 0;
	return false;
}

static bool match_more_factors(Match *m, FactorSearch *s)
{
	uint32_t k = s->n;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->done[i] && (k == s->n || match_rank(m, s->p[i]) < match_rank(m, s->p[k]))) k = i;
	if (k == s->n) {
		m->ratio = s->x;
		m->used = arena_alloc(m->scratch, KEY_TERMS);
		memcpy(m->used, s->used, KEY_TERMS);
		return match_goal(m, NULL);
	}
	s->done[k] = true;
	for (uint32_t i = 0; i < s->f.n; i++)
		if (!s->used[i] && match_factor(m, s, k, i)) return true;
	s->done[k] = false;
	return false;
}

bool match_factors(Match *m, const Rule *r, Node *x)
{
	FactorSearch s = {.x = x};
	if (!dtype_is_float(node_dtype(x)) || !factors_of_ratio(m->facts, x, &s.f)) return false;
	if (!list_patterns(&s, r->left, false)) return false;
	match_begin(m, r, x);
	return match_more_factors(m, &s);
}

static bool has_logarithm(const Pattern *p)
{
	bool has = p->kind == P_OPERATOR && p->op == OP_LOG;
	for (uint32_t i = 0; i < p->n; i++) has |= has_logarithm(p->arg[i]);
	return has;
}

bool rule_splits_logarithms(const Rule *r)
{
	const Pattern *of =
		r->left && r->left->kind == P_OPERATOR && r->left->op == OP_LOG ? r->left->arg[0] : NULL;
	bool function =
		of && of->n == 1 && (of->kind == P_LIBRARY || (of->kind == P_OPERATOR && of->op != OP_NEG));
	return function && r->law != LAW_EXACT && !r->head && !r->call && !r->equation &&
		!has_logarithm(r->right);
}

/* Is what is left of a tree without factor i a value already, one factor, or the quotient of two? */
static bool leaves_value(const Node *x, const Ratios *f, uint32_t i)
{
	uint32_t other = i == 0, last = i == 2 ? 1 : 2;
	bool quotient = f->n == 3 && f->factor[other].below != f->factor[last].below;
	if (f->n == 2 || quotient || x->arg[0] == f->factor[i].x) return true;
	return x->narg > 1 && x->arg[1] == f->factor[i].x;
}

/* log(f(x)*y) is log(f(x)) + log(y), where f(x) is positive and its logarithm no logarithm any more. */
bool match_logarithm(Match *m, const Rule *r, Node *x)
{
	Ratios f;
	if (!factors_of_ratio(m->facts, x->arg[0], &f) || f.n < 2) return false;
	for (uint32_t i = 0; i < f.n; i++) {
		Node *y = f.factor[i].x;
		if (!may_be(r->left->arg[0], y) || !(range_of(m->facts, y)->lo >= 0)) continue;
		if (!leaves_value(x->arg[0], &f, i)) continue;
		Node *log = build1(m->g, OP_LOG, y);
		if (!log || !match_whole(m, r, log)) continue;
		m->ratio = x->arg[0];
		m->upper = i;
		m->logarithm = f.factor[i].below ? -1 : 1;
		return true;
	}
	return false;
}
