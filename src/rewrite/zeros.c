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

/* Keys that were met before: as bits, so that most are compared with all of them at once. */
typedef struct KeysMet {
	uint64_t bits;
	bool any, unknown;
} KeysMet;

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

Node *drop_zeros(Graph *g, Node *x, Facts *facts)
{
	Terms t;
	Node *with[KEY_TERMS];
	uint64_t key[KEY_TERMS];
	KeysMet met = {0};
	uint32_t gone = 0, left = 0, first;
	if (!sum_terms(facts, x, &t, &first)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		Node *y = t.term[i].x;
		const TermFact *fact = term_fact(facts, y);
		with[i] = fact->zero ? NULL : y;
		key[i] = fact->key;
		if (!with[i] || !may_be_met(&met, key[i])) continue;
		for (uint32_t k = 0; k < i && with[i]; k++) {
			bool may = key[k] == key[i] || key[k] == KEY_UNKNOWN;
			may |= key[k] && key[i] == KEY_UNKNOWN;
			int sign = t.term[k].sign * t.term[i].sign;
			if (!may || !with[k]) continue;
			watch_step(g->arena, g->watch, 4);
			if (exponents_cancel(facts, with[k], y, sign)) with[i] = with[k] = NULL;
		}
	}
	for (uint32_t i = 0; i < t.n; i++) {
		gone += !with[i];
		left += with[i] && with[i]->op != OP_CONST;
	}
	return gone && left ? terms_rebuild(g, x, false, with) : NULL;
}
