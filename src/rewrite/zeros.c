/* zeros.c - terms of a sum that are zero: products that are equal by their exponents.
 *
 * Needs: a sum or difference of floats over normal operands; law `real`.  Gives: an equal node
 * without terms that are zero, or NULL.  Something else stays: as of x + y - x a variable is left.
 */
#include "rules.h"

enum { DEEP = 6 };

/* Is it two terms that cancel, or a multiple of them? */
static bool is_nothing(Facts *facts, const Node *x, uint32_t depth)
{
	if (!depth) return false;
	switch ((Op)x->op) {
	case OP_ADD: return exponents_cancel(facts, x->arg[0], x->arg[1], 1);
	case OP_SUB: return exponents_cancel(facts, x->arg[0], x->arg[1], -1);
	case OP_NEG:
	case OP_DIV:
	case OP_SUM:
	case OP_EXPAND: return is_nothing(facts, x->arg[0], depth - 1);
	case OP_MUL:
		return is_nothing(facts, x->arg[0], depth - 1) || is_nothing(facts, x->arg[1], depth - 1);
	default: return false;
	}
}

bool term_is_zero(Facts *facts, const Node *x)
{
	return is_nothing(facts, x, DEEP);
}

static bool may_be_met(KeysMet *met, uint64_t key)
{
	uint64_t bit = (uint64_t)1 << (key * 0x9E3779B97F4A7C15u >> 58);
	if (!key) return false;
	bool may = key == KEY_UNKNOWN ? met->any : met->unknown || met->bits & bit;
	met->any = true;
	met->unknown |= key == KEY_UNKNOWN;
	met->bits |= bit;
	return may;
}

/* Is one of the terms that were not asked yet zero, or may it be with another? */
static bool may_be_zero(Facts *facts, SumList *s)
{
	SumSpan known = s->keyed;
	bool any = false;
	for (uint32_t i; (i = sum_unknown(s, &known)) < SUM_ROOM;) {
		const TermFact *fact = term_fact(facts, s->term[i].x);
		s->key[i] = fact->key;
		any |= fact->zero || may_be_met(&s->met, fact->key);
	}
	return any;
}

static bool may_cancel(uint64_t a, uint64_t b)
{
	return a && b && (a == b || a == KEY_UNKNOWN || b == KEY_UNKNOWN);
}

/* The terms that are not zero, alone or with another; of those that are known none is.  How many are gone. */
static uint32_t without_zeros(Graph *g, Facts *facts, const SumList *s, Node **with)
{
	uint32_t n = sum_count(s), gone = 0;
	const SumTerm *term = s->term + s->all.begin;
	const uint64_t *key = s->key + s->all.begin;
	const SumSpan old = {s->keyed.begin - s->all.begin, s->keyed.end - s->all.begin};
	for (uint32_t i = 0; i < n; i++) {
		bool known = i >= old.begin && i < old.end;
		uint32_t others = known ? old.begin : i; /* with those before it, it was not looked at */
		with[i] = !known && term_fact(facts, term[i].x)->zero ? NULL : term[i].x;
		for (uint32_t k = 0; k < others && with[i]; k++) {
			if (!with[k] || !may_cancel(key[k], key[i])) continue;
			watch_step(g->arena, g->watch, 4);
			if (exponents_cancel(facts, with[k], term[i].x, term[k].sign * term[i].sign))
				with[i] = with[k] = NULL;
		}
	}
	for (uint32_t i = 0; i < n; i++) gone += !with[i];
	return gone;
}

Node *drop_zeros(Graph *g, Node *x, Facts *facts)
{
	Node *with[KEY_TERMS];
	uint32_t left = 0;
	SumList *s = sum_list(facts, x);
	if (!s) return NULL;
	if (!may_be_zero(facts, s) || !without_zeros(g, facts, s, with)) {
		s->keyed = s->all;
		return NULL;
	}
	for (uint32_t i = 0; i < sum_count(s); i++) left += with[i] && with[i]->op != OP_CONST;
	return left ? terms_rebuild(g, x, false, with) : NULL;
}
