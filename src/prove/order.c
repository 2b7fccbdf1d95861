/* order.c - does a rule make things simpler?
 *
 * Needs: a compiled rule.  Gives: whether => lowers the order of its book, by
 * one of two proofs.
 *
 * First proof, by weight: both sides read as linear polynomials in the weights
 * of the variables.  Second proof, by an operator that goes: the left side has
 * more of it than the right, and nothing that the right side is made of, nor
 * what other rules can make of that, builds it again.
 */
#include "check.h"

/* ---- by weight ------------------------------------------------------------------ */

/* Arithmetic and views add one, quotients four, other maps double, contractions and folds that add or choose
 * triple what is inside, other folds and taking at an index fourfold it; the index itself is a term of its
 * own and weighs nothing.  A helper that gives its operand back weighs nothing. */
static double rule_weight(const Pattern *p, const Rule *r, double *coef)
{
	double inner[RULE_VARIABLES], w = 1;
	if (p->kind == P_VARIABLE || p->kind == P_RUN) {
		coef[p->var] += 1;
		return 0;
	}
	if (p->kind == P_LITERAL) return 1;
	if (p->kind == P_HELPER && helper_gives_operand(p->helper)) return rule_weight(p->arg[0], r, coef);
	Class class = op_info[p->op].class;
	unsigned flags = op_info[p->op].flags;
	bool arithmetic = class == MAP && flags & (LINEAR | BILINEAR | RATIO);
	bool light = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_HELPER || class == VIEW ||
		(p->kind == P_OPERATOR && arithmetic);
	bool at = p->op == OP_GATHER;
	double times = 2;
	if (at)
		times = 4;
	else if (light)
		times = 1;
	else if (class == FOLD)
		times = flags & (LINEAR | IDEM) ? 3 : 4;
	else if (class == CONTRACT)
		times = 3;
	uint32_t ops = 2;
	if (p->kind == P_SUM || p->kind == P_PRODUCT)
		ops = p->n - 1;
	else if (p->kind == P_CHAIN)
		ops = 2 * (p->n - 1);
	else if (flags & RATIO)
		ops = 4;
	else if (light)
		ops = 1;
	for (uint32_t i = 0; i < (at ? 1 : p->n); i++) {
		memset(inner, 0, sizeof inner);
		double c = rule_weight(p->arg[i], r, inner);
		w += times * c;
		for (uint32_t v = 0; v < r->nvar; v++) coef[v] += times * inner[v];
	}
	return w + ops - 1;
}

static bool lighter(const Rule *r, double *l, double *w)
{
	double left[RULE_VARIABLES] = {0}, right[RULE_VARIABLES] = {0};
	bool grows = false;
	*l = rule_weight(r->left, r, left);
	*w = rule_weight(r->right, r, right);
	for (uint32_t v = 0; v < r->nvar; v++) {
		grows |= right[v] > left[v];
		*l += 2 * left[v];
		*w += 2 * right[v]; /* a leaf weighs 2 */
	}
	return !grows && *l > *w;
}

/* ---- by an operator that goes -------------------------------------------------------- */

typedef struct Symbol {
	Op op;
	const char *name; /* of an op of the library */
} Symbol;

enum { SYMBOLS = 256 };

typedef struct Symbols {
	uint32_t n;
	Symbol s[SYMBOLS];
} Symbols;

static Symbol symbol_of(const Pattern *p)
{
	switch (p->kind) {
	case P_SUM: return (Symbol){OP_ADD, NULL};
	case P_PRODUCT: return (Symbol){OP_MUL, NULL};
	case P_LIBRARY: return (Symbol){OP_CALL, p->name};
	case P_OPERATOR:
	case P_CHAIN:
	case P_MATMUL:
	case P_TURN:
	case P_INDEX: return (Symbol){p->op == OP_SUB ? OP_ADD : p->op, NULL};
	default: return (Symbol){OP_NONE, NULL};
	}
}

static bool same_symbol(Symbol a, Symbol b)
{
	return a.op == b.op && a.name == b.name;
}

static bool symbol_add(Symbols *s, Symbol x)
{
	if (x.op == OP_NONE) return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (same_symbol(s->s[i], x)) return false;
	if (s->n < SYMBOLS) s->s[s->n++] = x;
	return true;
}

static void symbols_of(Symbols *s, const Pattern *p)
{
	symbol_add(s, symbol_of(p));
	for (uint32_t i = 0; i < p->n; i++) symbols_of(s, p->arg[i]);
}

static uint32_t count_of(const Pattern *p, Symbol s)
{
	uint32_t n = same_symbol(symbol_of(p), s) ? 1 : 0;
	if (n && (p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN)) n = p->n - 1;
	for (uint32_t i = 0; i < p->n; i++) n += count_of(p->arg[i], s);
	return n;
}

/* Can the rule fire again and again on the symbols?  It needs all that it uses up; what it builds is
 * added. */
static bool spread(Symbols *s, const Rule *r)
{
	Symbols left = {0}, right = {0};
	bool fed = true, any = false;
	if (r->head || r->equation || !r->left) return false;
	symbols_of(&left, r->left);
	symbols_of(&right, r->right);
	for (uint32_t i = 0; i < left.n && fed; i++) {
		if (count_of(r->left, left.s[i]) <= count_of(r->right, left.s[i])) continue;
		fed = false;
		for (uint32_t k = 0; k < s->n && !fed; k++) fed = same_symbol(left.s[i], s->s[k]);
	}
	for (uint32_t i = 0; fed && i < right.n; i++)
		if (count_of(r->right, right.s[i]) > count_of(r->left, right.s[i]))
			any |= symbol_add(s, right.s[i]);
	return any;
}

/* What a helper builds cannot be seen from its name. */
static bool has_helper(const Pattern *p)
{
	bool has = p->kind == P_HELPER && !helper_gives_operand(p->helper);
	for (uint32_t i = 0; i < p->n; i++) has |= has_helper(p->arg[i]);
	return has;
}

static bool goes(Graph *g, const Rule *r)
{
	if (has_helper(r->right)) return false;
	Symbols left = {0}, *reach = NEW(g->arena, Symbols);
	symbols_of(&left, r->left);
	symbols_of(reach, r->right);
	static const char *const stages[] = {"algebra", "stable"};
	for (bool any = true; any;) {
		any = false;
		for (size_t k = 0; k < countof(stages); k++) {
			uint32_t n;
			const uint32_t *rules = stage_rules(g, stages[k], &n);
			for (uint32_t i = 0; i < n; i++)
				if (rule_at(g, rules[i]) != r) any |= spread(reach, rule_at(g, rules[i]));
		}
	}
	if (reach->n == SYMBOLS) return false;
	for (uint32_t i = 0; i < left.n; i++) {
		bool back = left.s[i].op == OP_CONST;
		for (uint32_t k = 0; k < reach->n; k++) back |= same_symbol(left.s[i], reach->s[k]);
		if (!back) return true;
	}
	return false;
}

bool rule_decreases(Graph *g, const Rule *r, double *left, double *right)
{
	return lighter(r, left, right) || goes(g, r);
}
