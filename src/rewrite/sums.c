/* sums.c - the terms of whole sums, and what is known of them.
 *
 * A long sum is a chain of sums, each with one term more, and rewriting asks of each of them what may be
 * joined, is zero or shares factors.  So the list of a sum is that of one of its operands and one term more,
 * before or behind the others, and what was found out about those is not asked again.
 * Needs: facts of the region.  Gives: what terms_of_sum gives of the sum; NULL where it is not short.
 */
#include "rules.h"

enum { SHORT = 1, LONG, FEW = 8 };

/* ---- lists ------------------------------------------------------------------------------------ */

static void cut(SumSpan *known, const SumSpan *all)
{
	if (known->begin < all->begin) known->begin = all->begin;
	if (known->end > all->end) known->end = all->end;
	if (known->begin > known->end) *known = (SumSpan){all->begin, all->begin};
}

/* The list as it was before its last terms came. */
static void take_last(SumList *s)
{
	bool front = s->of->arg[0] != s->rest;
	s->of = s->rest;
	s->rest = NULL;
	s->visits = s->visits_rest;
	if (front)
		s->all.begin += s->more;
	else
		s->all.end -= s->more;
	cut(&s->coefs, &s->all);
	cut(&s->factored, &s->all);
	cut(&s->keyed, &s->all);
	for (uint32_t i = 0; i < s->nasked && i < PARTS_ASKED; i++) cut(&s->asked[i].of, &s->all);
}

/* The terms that x has beside a sum; false: they are too many, or the sum is turned. */
static bool terms_beside(const Node *x, uint32_t rest, Terms *t)
{
	Node *y = x->arg[1 - rest];
	bool minus = x->op == OP_SUB;
	if (rest && minus) return false;
	if (y->op == OP_ADD || y->op == OP_SUB || y->op == OP_NEG) {
		if (!terms_of_sum(y, t, KEY_TERMS)) return false;
	} else {
		t->n = t->visits = 1;
		t->term[0] = (SumTerm){y, 1};
	}
	for (uint32_t i = 0; i < t->n && minus; i++) t->term[i].sign = -t->term[i].sign;
	return true;
}

/* x is a sum that is listed, perhaps but for its last terms, and some terms more. */
static bool extend(SumList *s, Node *x)
{
	uint32_t rest = 0;
	Terms t;
	if (!s || !s->of) return false;
	while (rest < 2 && s->of != x->arg[rest] && (!s->rest || s->rest != x->arg[rest])) rest++;
	if (rest == 2 || !terms_beside(x, rest, &t)) return false;
	if (s->of != x->arg[rest]) take_last(s);
	uint32_t visits = s->visits + 1 + t.visits, n = sum_count(s);
	uint32_t room = rest ? s->all.begin : SUM_ROOM - s->all.end;
	if (n + t.n > KEY_TERMS || visits > SUM_VISITS || t.n > room) return false;
	s->first = rest ? t.n : n;
	if (rest) s->all.begin -= t.n;
	memcpy(s->term + (rest ? s->all.begin : s->all.end), t.term, t.n * sizeof *t.term);
	if (!rest) s->all.end += t.n;
	s->more = t.n;
	s->of = x;
	s->rest = x->arg[rest];
	s->visits_rest = s->visits;
	s->visits = visits;
	return true;
}

static bool list_anew(SumLists *l, Node *x)
{
	Terms t;
	if (!terms_of_sum(x, &t, KEY_TERMS)) return false;
	SumList *s = l->last[1] = l->last[1] ? l->last[1] : NEW(l->arena, SumList);
	s->of = x;
	s->rest = NULL;
	s->first = terms_of_first(x, &t);
	s->visits = t.visits;
	s->all = (SumSpan){KEY_TERMS, KEY_TERMS + t.n};
	s->coefs = s->factored = s->keyed = (SumSpan){KEY_TERMS, KEY_TERMS};
	memcpy(s->term + KEY_TERMS, t.term, t.n * sizeof *t.term);
	memset(s->bases, 0, sizeof s->bases);
	s->joins = false;
	s->met = (KeysMet){0};
	s->nasked = 0;
	return true;
}

/* With more terms than one that is long it is longer yet. */
static bool holds_long(const SumLists *l, const Node *x)
{
	for (uint32_t i = 0; i < x->narg; i++)
		if ((uintptr_t)idmap_get(&l->length, x->arg[i]->id) == LONG) return true;
	return false;
}

/* Short ones, which stand within the terms of long ones, leave the long one as it is. */
static SumList *kept_long(SumLists *l, uint32_t k)
{
	SumList *s = l->last[k];
	if (k == 1 && sum_count(s) >= FEW) {
		l->last[1] = l->last[0];
		l->last[0] = s;
	}
	return s;
}

SumList *sum_list(Facts *f, Node *x)
{
	SumLists *l = sum_lists(f);
	for (uint32_t k = 0; k < 2; k++)
		if (l->last[k] && l->last[k]->of == x) return l->last[k];
	uintptr_t known = (uintptr_t)idmap_get(&l->length, x->id);
	if (known == LONG) return NULL;
	SumList *s = NULL;
	bool longer = holds_long(l, x);
	for (uint32_t k = 0; k < 2 && !s && !longer; k++)
		if (extend(l->last[k], x)) s = kept_long(l, k);
	if (!s && !longer && list_anew(l, x)) s = kept_long(l, 1);
	if (!known) idmap_put(&l->length, x->id, (void *)(uintptr_t)(s ? SHORT : LONG));
	return s;
}

bool sum_is_short(Facts *f, Node *x)
{
	uintptr_t known = (uintptr_t)idmap_get(&sum_lists(f)->length, x->id);
	return known ? known == SHORT : sum_list(f, x) != NULL;
}

bool sum_terms(Facts *f, Node *x, Terms *t, uint32_t *first)
{
	const SumList *s = sum_list(f, x);
	if (!s) return false;
	t->n = sum_count(s);
	t->negative = false;
	memcpy(t->term, s->term + s->all.begin, t->n * sizeof *t->term);
	*first = s->first;
	return true;
}

/* ---- what is known of terms -------------------------------------------------------------------- */

uint32_t sum_unknown(const SumList *s, SumSpan *known)
{
	if (known->end < s->all.end) return known->end++;
	return known->begin > s->all.begin ? --known->begin : SUM_ROOM;
}

const TermFactors *sum_factors(SumList *s, unsigned *meet)
{
	uint32_t new = 0, i;
	for (; (i = sum_unknown(s, &s->factored)) < SUM_ROOM; new++)
		s->factors[i] = factors_of_term(s->term[i].x);
	if (new) s->meet = factors_may_meet(sum_count(s), s->factors + s->all.begin, s->first);
	*meet = s->meet;
	return s->factors + s->all.begin;
}

/* Was the bit of the key met? */
static bool is_met(SumList *s, uint64_t key)
{
	uint32_t bit = (uint32_t)key * 0x9E3779B1u >> 24;
	uint64_t *word = &s->bases[bit >> 6], at = 1ull << (bit & 63);
	bool met = *word & at;
	*word |= at;
	return met;
}

static bool is_like_others(SumList *s, uint32_t n)
{
	const Node *x = s->base[n];
	bool base = is_met(s, x ? x->id : 0), key = s->alike[n] && is_met(s, s->alike[n]), found = false;
	for (uint32_t i = s->coefs.begin; (base || key) && i < s->coefs.end && !found; i++)
		found = i != n && (s->base[i] == x || (key && s->alike[i] == s->alike[n]));
	return found;
}

static bool is_ratio_of_equals(const Node *x)
{
	return x && x->op == OP_DIV && x->arg[0] == x->arg[1];
}

bool sum_may_join(SumList *s)
{
	for (uint32_t i; (i = sum_unknown(s, &s->coefs)) < SUM_ROOM;) {
		s->c[i] = s->term[i].sign * coefficient(s->term[i].x, &s->base[i]);
		s->alike[i] = s->base[i] ? alike_key(s->base[i]) : 0;
		s->joins |= is_like_others(s, i) || is_ratio_of_equals(s->base[i]);
	}
	return s->joins;
}

/* ---- chains ------------------------------------------------------------------------------------- */

static void note_op(struct ChainSeen *s, unsigned op)
{
	s->ops[op >> 6 & 1] |= 1ull << (op & 63);
}

const struct ChainSeen *chain_seen(Facts *f, Node *x)
{
	struct ChainSeen *s = &sum_lists(f)->chain;
	Node *term[KEY_TERMS];
	Terms t;
	if (s->of == x) return s;
	*s = (struct ChainSeen){.of = x};
	if (!terms_of_chain(x, &t, KEY_TERMS)) {
		s->ops[0] = s->ops[1] = ~0ull;
		s->views = s->twice = true;
		return s;
	}
	note_op(s, x->op);
	for (uint32_t i = 0; i < t.n; i++) {
		term[i] = t.term[i].x;
		note_op(s, term[i]->op);
		s->views |= op_info[term[i]->op].class == VIEW;
	}
	s->twice = is_one_twice(t.n, term);
	return s;
}
