/* taken.c - a term of a sum that is a part of another one: (1 + a)*x - x is a*x, 1/(1 + x) - x/(1 + x)^2 is
 * 1/(1 + x)^2.
 *
 * Needs: a sum of floats over normal operands; law `real`.  Gives: the sum with one term less, and no
 * difference in which digits go; or NULL.  Of a term in which a sum S of u and others is a factor, the term
 * that is -u/S of it goes; of one in which S is divided by, the one of which it is -u/S.
 */
#include "rules.h"

enum { TAKEN_TERMS = 8 };

typedef struct TakenSum {
	uint32_t n;
	const SumTerm *term;
	AlikeProduct product[TAKEN_TERMS];
	bool known[TAKEN_TERMS];
} TakenSum;

/* The other term that goes with this one and u of it; n: none. */
static uint32_t partner(const TakenSum *s, uint32_t i, Node *sum, const SumTerm *u, int sign)
{
	AlikeProduct p = s->product[i];
	uint32_t k = 0;
	if (!alike_times(&p, sum, -sign) || !alike_times(&p, u->x, sign)) return s->n;
	for (; k < s->n; k++)
		if (k != i && s->known[k] &&
			alike_ratio(&s->product[k], &p) == -s->term[i].sign * s->term[k].sign * u->sign)
			break;
	return k;
}

/* The sum without that term. */
static Node *sum_without(Graph *g, Node *sum, const Terms *t, uint32_t gone)
{
	Node *with[KEY_TERMS];
	for (uint32_t i = 0; i < t->n; i++) with[i] = i == gone ? NULL : t->term[i].x;
	return terms_rebuild(g, sum, false, with);
}

/* A factor that is a sum, or one below a line that is a power of one; NULL: neither. */
static Node *sum_in(Node *x, bool below)
{
	if (below && x->op == OP_POW) x = x->arg[0];
	return x->op == OP_ADD || x->op == OP_SUB ? x : NULL;
}

/* Term i with the factor, in which u goes; or, where that is divided by, the term whose part i is, over
 * it. */
static bool take(Graph *g, const TakenSum *s, uint32_t i, const Ratios *r, uint32_t f, Node **with)
{
	Node *sum = sum_in(r->factor[f].x, r->factor[f].below), *factor[KEY_TERMS];
	Terms t;
	if (!sum || !terms_of_sum(sum, &t, TAKEN_TERMS)) return false;
	for (uint32_t u = 0; u < t.n; u++) {
		uint32_t k = partner(s, i, sum, &t.term[u], r->factor[f].below ? -1 : 1);
		if (k == s->n) continue;
		Node *rest = sum_without(g, sum, &t, u);
		if (!rest) return false;
		if (r->factor[f].below) {
			if (rest->op != OP_CONST) return false; /* y/(x + y), y infinite, is no number */
			with[i] = NULL;
			with[k] = build2(g, OP_MUL, s->term[k].x, build2(g, OP_DIV, rest, sum));
			return with[k];
		}
		for (uint32_t j = 0; j < r->n; j++) factor[j] = j == f ? rest : r->factor[j].x;
		with[k] = NULL;
		with[i] = ratio_with(g, s->term[i].x, factor);
		return with[i];
	}
	return false;
}

Node *take_parts(Graph *g, Node *x, Facts *facts)
{
	TakenSum s = {.n = 0};
	Terms t;
	Node *with[KEY_TERMS];
	uint32_t first;
	if (!sum_terms(facts, x, &t, &first) || t.n > TAKEN_TERMS) return NULL;
	s.n = t.n;
	s.term = t.term;
	for (uint32_t i = 0; i < t.n; i++) {
		with[i] = t.term[i].x;
		s.known[i] = alike_product(with[i], &s.product[i]);
	}
	for (uint32_t i = 0; i < t.n; i++) {
		Ratios r;
		if (!s.known[i] || (with[i]->op != OP_MUL && with[i]->op != OP_DIV)) continue;
		if (!factors_of_ratio(facts, with[i], &r)) continue;
		for (uint32_t f = 0; f < r.n; f++)
			if (take(g, &s, i, &r, f, with)) return terms_rebuild(g, x, false, with);
	}
	return NULL;
}
