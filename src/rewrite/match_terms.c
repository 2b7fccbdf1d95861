/* match_terms.c - the terms of a sum and the factors of a product, in any order.
 * What is bound elsewhere is looked for first, then what says most; a term is matched once, so those in
 * which there is a choice come last.  At the root of a rule what is not taken stays around the result;
 * elsewhere the last variable takes it.
 */
#include "match.h"

enum { NOT_ASKED, NO_TERM, A_TERM };

typedef struct TermSearch {
	const Pattern *p;
	Node *x;
	const Terms *t;
	bool used[KEY_TERMS], done[KEY_TERMS];
	bool product, root, flat; /* product: or a chain; flat: through re-association */
	bool negative; /* of a product: t->negative, but for literals and bound factors that turn it */
	bool bare;                /* variables alone: x - y means a difference as written, no sum at all */
	uint32_t first;           /* how many of the terms, those at the beginning, are the first operand's */
	int turned;               /* -1: every sign of a part of a sum is the other way round */
	bool shares; /* two terms are looked for that have factors in common */
	bool pairs;  /* two terms of a sum, of which each operand has one */
	uint8_t other[2]; /* of either operand: has it one for the second part? */
	const Goal *next;
} TermSearch;

static bool terms_of(const Pattern *p, Node *x, Terms *t, uint32_t most)
{
	if (p->kind == P_CHAIN) return terms_of_chain(x, t, most);
	return p->kind == P_PRODUCT ? terms_of_product(x, t, most) : terms_of_sum(x, t, most);
}

/* In how many ways may terms be chosen within it, or more?  Where one operand alone is not bound, in one; of
 * a sum, product or chain what is left may have to be joined. */
uint32_t match_choices(const Match *m, const Pattern *p)
{
	uint32_t n = 0, open = 0;
	bool any_order = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN ||
		(p->kind == P_OPERATOR && op_info[p->op].flags & COMM);
	for (uint32_t i = 0; i < p->n; i++) {
		n += match_choices(m, p->arg[i]);
		open += p->arg[i]->kind == P_VARIABLE && !m->value[p->arg[i]->var];
	}
	bool joins = open && p->n > 1 && (p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN);
	return n + (any_order && (open > 1 || joins));
}

enum { BOUND, LITERAL, OPERATOR, CHOICE, ANYTHING };

/* Variables bound elsewhere first, then literals, then operators, those last in which there is a choice,
 * for a term is matched once; then what takes anything. */
int match_rank(const Match *m, const Pattern *p)
{
	if (p->kind == P_LITERAL) return LITERAL;
	if (p->kind != P_VARIABLE) return match_choices(m, p) ? CHOICE : OPERATOR;
	return m->value[p->var] ? BOUND : ANYTHING;
}

static uint32_t next_term(const Match *m, const TermSearch *s, uint32_t *left)
{
	uint32_t best = UINT32_MAX;
	int least = ANYTHING + 1;
	*left = 0;
	for (uint32_t i = 0; i < s->p->n; i++) {
		if (s->done[i]) continue;
		int rank = match_rank(m, s->p->arg[i]);
		(*left)++;
		if (rank < least) {
			least = rank;
			best = i;
		}
	}
	return best;
}

/* A variable that nothing has been bound to, or something. */
static bool takes_anything(const Match *m, const Pattern *p)
{
	return p->kind == P_VARIABLE && !m->value[p->var];
}
static bool is_bound(const Match *m, const Pattern *p)
{
	return p->kind == P_VARIABLE && m->value[p->var];
}

/* May these terms of a sum, NULL those that are used, be joined?  Of both signs the new sum might cancel. */
static bool have_one_sign(Match *m, const TermSearch *s, Node *const *with)
{
	bool up = true, down = true;
	for (uint32_t i = 0; i < s->t->n; i++) {
		if (!with[i]) continue;
		const Range *r = range_of(m->facts, with[i]);
		bool plus = s->t->term[i].sign > 0;
		up &= (plus ? r->lo : -r->hi) >= 0;
		down &= (plus ? r->hi : -r->lo) <= 0;
	}
	return up || down;
}

/* The terms not used, as one value times `sign`; NULL if they may not be joined. */
static Node *rest_of(Match *m, const TermSearch *s, int sign)
{
	Node *with[KEY_TERMS], *one = NULL;
	uint32_t n = 0;
	int own = 1;
	for (uint32_t i = 0; i < s->t->n; i++) {
		with[i] = s->used[i] ? NULL : s->t->term[i].x;
		if (!with[i]) continue;
		if (!n++) own = s->t->term[i].sign;
		one = with[i];
	}
	if (!n) return NULL;
	if (n > 1) {
		if (!s->product && !have_one_sign(m, s, with)) return NULL;
		one = terms_rebuild(m->g, s->x, s->product, with); /* whose signs stand in it */
		if (s->product && s->negative != s->t->negative) sign = -sign;
	} else if (s->product ? s->negative : own < 0) {
		sign = -sign;
	}
	if (!one || sign > 0) return one;
	if (s->bare) return NULL;
	Node *plain = negated(m->g, one);
	return plain ? plain : build1(m->g, OP_NEG, one);
}

static bool finish_terms(Match *m, TermSearch *s)
{
	bool all = true, turned_product = s->product && s->negative;
	for (uint32_t i = 0; i < s->t->n; i++) all &= s->used[i];
	if (!s->root) return all && !turned_product && match_goal(m, s->next);
	if (s->product && s->negative != s->t->negative) return false; /* a minus that nothing would take */
	bool part = !all && s->flat && !s->product;
	if (part && rule_keeps_differences(m->rule) && difference_is_torn(s->x, s->t, s->used)) return false;
	bool whole = all && s->turned > 0 && !turned_product;
	m->whole = whole ? NULL : s->x;
	m->used = arena_alloc(m->scratch, KEY_TERMS);
	const uint8_t taken = s->turned < 0 ? 2 : 1;
	if (!s->flat) memset(m->used, taken, KEY_TERMS); /* of operands as written: all in them */
	for (uint32_t i = 0; s->flat && i < s->t->n; i++) m->used[i] = s->used[i] ? taken : 0;
	return match_goal(m, s->next);
}

/* y - t is y + x of x = -t, where x is known. */
static Node *other_sign(Match *m, const Pattern *p, Node *x)
{
	double value;
	Node *known = p->kind == P_VARIABLE ? m->value[p->var] : NULL;
	if (!known || !dtype_is_float(node_dtype(x))) return NULL;
	if (x->op == OP_CONST && constant_value(x, &value)) return constant_float(m->g, x->type, -value);
	return m->rule->law != LAW_EXACT && negated(m->g, known) == x ? known : NULL;
}

/* A sum that is bound already, by its terms: x + y in 1 + x + y, where x + y stands elsewhere too. */
static bool take_bound(Match *m, TermSearch *s, Node *bound, int sign)
{
	Terms t;
	bool used[KEY_TERMS], negative = s->negative, found = false;
	bool tree = s->product ? bound->op == s->x->op : bound->op == OP_ADD || bound->op == OP_SUB;
	if (!s->flat || !tree || !terms_of(s->p, bound, &t, KEY_TERMS)) return false;
	memcpy(used, s->used, s->t->n);
	s->negative ^= t.negative;
	for (uint32_t i = 0; i < t.n; i++) {
		uint32_t k = 0;
		int want = s->product ? 1 : sign * t.term[i].sign;
		while (k < s->t->n &&
			(s->used[k] || s->t->term[k].x != t.term[i].x || s->t->term[k].sign != want))
			k++;
		if (k == s->t->n) break;
		s->used[k] = true;
		found = i + 1 == t.n;
	}
	if (found && match_more_terms(m, s)) return true;
	memcpy(s->used, used, s->t->n);
	s->negative = negative;
	return false;
}

/* The literal with the other sign? */
static bool is_opposite(const Pattern *p, const Node *x)
{
	double value;
	return p->kind == P_LITERAL && dtype_is_float(node_dtype(x)) && literal_value(x, &value) &&
		value != 0 && literal_equals(x, -value, p->value);
}

/* A term is matched alone, once; the guard comes at the end. */
bool match_alone(Match *m, const Pattern *p, Node *term)
{
	bool part = m->part;
	m->part = true;
	bool fits = match_goal(m, &(Goal){.p = p, .x = term});
	m->part = part;
	return fits;
}

/* What the guard wants to be constant is, as far as it is bound: what is bound now stays so. */
static bool are_constant(const Match *m)
{
	for (uint32_t left = m->rule->constants; left; left &= left - 1) {
		const Node *x = m->value[__builtin_ctz(left)];
		if (x && x->op != OP_CONST) return false;
	}
	return true;
}

/* Which terms the last part of a pattern may be.  Where all others are within one operand, it is in the
 * other: an operand is a sum too, in which a match of its own has been looked for. */
static void last_terms(const Match *m, const TermSearch *s, uint32_t left, uint32_t *from, uint32_t *end)
{
	uint32_t used[2] = {0};
	*from = 0;
	*end = s->t->n;
	bool product = s->product && s->p->kind != P_CHAIN;
	if (left > 1 || !s->root || !s->flat || product || m->equal) return;
	for (uint32_t i = 0; i < s->t->n; i++) used[i >= s->first] += s->used[i];
	if (used[0] && !used[1]) *from = s->first;
	if (used[1] && !used[0]) *end = s->first;
}

/* Of two terms, where this one is part k, is there one in the other operand that may go with it, as far as
 * signs and factors say? */
static bool has_partner(const Match *m, const TermSearch *s, uint32_t i, uint32_t k)
{
	uint32_t from = i < s->first ? s->first : 0, end = i < s->first ? s->t->n : s->first;
	unsigned meet;
	const TermFactors *f = sum_factors(sum_list(m->facts, s->x), &meet);
	const Pattern *other = s->p->arg[1 - k];
	int sign = other->kind == P_VARIABLE ? 0 : s->p->sign[1 - k] * s->turned;
	for (uint32_t j = from; j < end; j++)
		if ((!sign || s->t->term[j].sign == sign) &&
			match_may_pair(m->rule, &f[i], &f[j]))
			return true;
	return false;
}

/* Where term i is part k of a pair, is there any in the other operand that may be the other part? */
static bool has_other(const Match *m, TermSearch *s, uint32_t i, uint32_t k)
{
	const Pattern *p = s->p->arg[1 - k];
	bool second = i < s->first;
	uint32_t end = second ? s->t->n : s->first;
	int sign = s->p->sign[1 - k] * s->turned;
	if (p->kind == P_VARIABLE) return true;
	for (uint32_t j = second ? s->first : 0; j < end && s->other[second] == NOT_ASKED; j++)
		if (s->t->term[j].sign == sign && match_may(m, p, s->t->term[j].x)) s->other[second] = A_TERM;
	if (s->other[second] == NOT_ASKED) s->other[second] = NO_TERM;
	return s->other[second] == A_TERM;
}

bool match_more_terms(Match *m, TermSearch *s)
{
	uint32_t left, k = next_term(m, s, &left), from, end;
	if (k == UINT32_MAX) return finish_terms(m, s);
	const Pattern *p = s->p->arg[k];
	int sign = s->product ? 1 : s->p->sign[k] * s->turned;
	s->done[k] = true;
	bool found = false;
	bool rest_goes = left == 1 && !s->root && takes_anything(m, p);
	if (rest_goes) { /* the last variable takes the rest */
		Node *rest = rest_of(m, s, sign);
		MatchMark saved = match_mark(m);
		bool negative = s->negative, used[KEY_TERMS];
		memcpy(used, s->used, s->t->n);
		s->negative = false;
		memset(s->used, true, s->t->n);
		found = rest && match_bind(m, p->var, rest) && finish_terms(m, s);
		s->negative = negative;
		if (!found) {
			match_undo(m, &saved);
			memcpy(s->used, used, s->t->n);
		}
	}
	last_terms(m, s, left, &from, &end);
	if (rest_goes) end = 0;
	for (uint32_t i = from; i < end && !found; i++) {
		Node *term = s->t->term[i].x;
		bool turned = !s->product && s->t->term[i].sign != sign;
		if (s->used[i] || (turned && !(term = other_sign(m, p, term)))) continue;
		if (left == 2 && s->pairs && !has_other(m, s, i, k)) continue;
		if (left == 2 && s->shares && !has_partner(m, s, i, k)) continue;
		/* -2*x is 2*x of -x */
		bool minus = s->p->kind == P_PRODUCT && s->flat && !s->root && is_opposite(p, term);
		if (minus) term = constant_float(m->g, term->type, p->value);
		if (!m->equal && !match_may(m, p, term)) continue;
		s->negative ^= minus;
		MatchMark saved = match_mark(m);
		s->used[i] = true;
		if (m->equal || match_choices(m, p) == 1) /* in every way */
			found = match_goal(m, &(Goal){.p = p, .x = term, .next = &(Goal){.terms = s}});
		else
			found = match_alone(m, p, term) && are_constant(m) && match_more_terms(m, s);
		if (!found) {
			match_undo(m, &saved);
			s->used[i] = false;
			s->negative ^= minus;
		}
	}
	if (!found && is_bound(m, p)) {
		s->done[k] = true;
		found = take_bound(m, s, m->value[p->var], sign);
	}
	s->done[k] = found;
	return found;
}

/* The terms or factors of the goal's node; false: there are more than are looked at.  first: those of the
 * first operand. */
static bool terms_of_goal(const Match *m, const Goal *goal, bool flat, Terms *t, uint32_t *first)
{
	Node *x = goal->x;
	*first = 1;
	if (goal->p->kind == P_CHAIN && flat) {
		if (!terms_of_chain(x, t, KEY_TERMS)) return false;
		*first = terms_of_first(x, t);
		return true;
	}
	if (goal->p->kind != P_SUM) return terms_of(goal->p, x, t, flat ? KEY_TERMS : 2);
	if (!flat) return terms_of_sum(x, t, 2);
	if (m->facts) return sum_terms(m->facts, x, t, first);
	if (!terms_of_sum(x, t, KEY_TERMS)) return false;
	*first = terms_of_first(x, t);
	return true;
}

/* May the operands of a sum be the two terms that a rule speaks of, as far as their factors say? */
static bool may_be_pair(const Match *m, const Terms *t)
{
	if (!m->rule->shared || m->equal) return true;
	TermFactors a = factors_of_term(t->term[0].x), b = factors_of_term(t->term[1].x);
	return match_may_pair(m->rule, &a, &b) || match_may_pair(m->rule, &b, &a);
}

/* Is a part with what is before it, of which none is bound, one variable twice? */
static bool comes_again(const Match *m, const Pattern *p, uint32_t i)
{
	const Pattern *x = p->arg[i];
	bool found = false;
	if (!takes_anything(m, x) || m->rule->signs >> x->var & 1) return false;
	for (uint32_t k = 0; k < i; k++) found |= p->arg[k]->kind == P_VARIABLE && p->arg[k]->var == x->var;
	return found;
}

/* Of x*x and max(x, x) two parts are one node, and of x and (x and y). */
static bool may_be_same(const Match *m, const Pattern *p, const Terms *t)
{
	Node *x[KEY_TERMS];
	bool all = p->n > 1, again = false;
	for (uint32_t i = 0; i < p->n; i++) {
		all = all && takes_anything(m, p->arg[i]) && p->arg[i]->var == p->arg[0]->var;
		again |= p->kind == P_CHAIN && comes_again(m, p, i);
	}
	if (!all && !again) return true;
	for (uint32_t i = 0; i < t->n; i++) x[i] = t->term[i].x;
	return is_one_twice(t->n, x);
}

/* Is the variable an operand of this part, or of an operator of one operand among those?  OP_NONE, or that
 * one's; OP_COUNT where it is anywhere else. */
static Op stands_below(const Pattern *part, uint32_t var)
{
	for (uint32_t i = 0; i < part->n; i++) {
		const Pattern *q = part->arg[i];
		if (q->kind == P_VARIABLE && q->var == var) return OP_NONE;
		const Pattern *of = q->kind == P_OPERATOR && q->n == 1 ? q->arg[0] : NULL;
		if (of && of->kind == P_VARIABLE && of->var == var) return (Op)q->op;
	}
	return OP_COUNT;
}

/* Is it a term but `without`, or the first of one that is such a chain itself? */
static bool begins_a_term(const Node *x, Op chain, const Terms *t, const Node *without)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const Node *y = t->term[i].x;
		if (y == without) continue;
		while (y->op == chain) y = y->arg[0];
		if (y == x || t->term[i].x == x) return true;
	}
	return false;
}

/* Is another term an operand of this chain, or what such an operand with `below` is of? */
static bool holds_a_term(Node *x, Op below, const Terms *t)
{
	Terms in;
	if (!terms_of_chain(x, &in, KEY_TERMS)) return true;
	for (uint32_t i = 0; i < in.n; i++) {
		const Node *y = in.term[i].x;
		if (below == OP_NONE ? begins_a_term(y, (Op)x->op, t, x)
				     : y->op == below && begins_a_term(y->arg[0], OP_NONE, t, x))
			return true;
	}
	return false;
}

/* Of x and (x or y) one term is an operand of another, of x and (not x or y) what is below such a one, and of
 * x and not x what the other is of. */
static bool may_be_within(const Match *m, const Pattern *p, const Terms *t)
{
	bool first = p->n == 2 && takes_anything(m, p->arg[0]);
	if (p->kind != P_CHAIN || p->n != 2 || first == takes_anything(m, p->arg[1])) return true;
	const Pattern *x = p->arg[!first], *part = p->arg[first];
	const Op below = stands_below(part, x->var);
	const bool opposite = part->kind == P_OPERATOR && part->n == 1 && below == OP_NONE;
	bool may = below == OP_COUNT || (part->kind != P_CHAIN && !opposite);
	for (uint32_t i = 0; i < t->n && !may; i++) {
		Node *y = t->term[i].x;
		if (y->op != part->op)
			may = match_may(m, part, y); /* behind a view */
		else
			may = opposite ? begins_a_term(y->arg[0], OP_NONE, t, y) : holds_a_term(y, below, t);
	}
	return may;
}

/* What is known of a part; in the place of one that was asked about long ago, if need be. */
static PartAsked *part_asked(SumList *s, const Pattern *part)
{
	for (uint32_t i = 0; i < s->nasked && i < PARTS_ASKED; i++)
		if (s->asked[i].part == part) return &s->asked[i];
	PartAsked *a = &s->asked[s->nasked++ % PARTS_ASKED];
	*a = (PartAsked){.part = part, .of = {s->all.begin, s->all.begin}};
	return a;
}

/* With nothing bound, may a term of this sign be the part? */
static bool may_hold(const Match *m, SumList *s, const Pattern *part, int sign)
{
	PartAsked *a = part_asked(s, part);
	bool *may = &a->may[sign < 0];
	for (uint32_t i; !*may && (i = sum_unknown(s, &a->of)) < SUM_ROOM;)
		if (match_may(m, part, s->term[i].x)) a->may[s->term[i].sign < 0] = true;
	return *may;
}

/* At the root of a rule, may a sum hold all parts that are no variables? */
static bool may_hold_all(const Match *m, const Goal *goal, int turned)
{
	const Pattern *p = goal->p;
	SumList *s = sum_list(m->facts, goal->x);
	bool may = s != NULL;
	for (uint32_t i = 0; may && i < p->n; i++)
		may = p->arg[i]->kind == P_VARIABLE || may_hold(m, s, p->arg[i], p->sign[i] * turned);
	return may;
}

/* The same of the two operands as they are written. */
static bool operands_may_be_all(const Match *m, const Pattern *p, const Terms *t, int turned)
{
	bool may = true;
	for (uint32_t i = 0; may && i < p->n; i++) {
		may = p->arg[i]->kind == P_VARIABLE;
		for (uint32_t k = 0; k < t->n && !may; k++)
			may = t->term[k].sign == p->sign[i] * turned && match_may(m, p->arg[i], t->term[k].x);
	}
	return may;
}

static bool try_terms(Match *m, const Goal *goal, bool flat, int turned)
{
	Terms t;
	TermSearch s;
	s.p = goal->p;
	s.x = goal->x;
	s.product = goal->p->kind != P_SUM;
	s.root = goal->root;
	s.flat = flat;
	s.turned = turned;
	s.next = goal->next;
	s.bare = true;
	for (uint32_t i = 0; i < s.p->n; i++) s.bare &= takes_anything(m, s.p->arg[i]);
	if (s.bare && (flat || turned < 0) && !s.product) return false;
	bool at_root = s.root && flat && !s.product && m->facts && !m->equal;
	if (at_root && !may_hold_all(m, goal, turned)) return false;
	if (!terms_of_goal(m, goal, flat, &t, &s.first) || t.n < s.p->n) return false;
	if (flat && !s.product && t.n <= 2 && t.term[0].x == s.x->arg[0] && t.term[1].x == s.x->arg[1])
		return false; /* nothing new */
	if (s.product && !m->equal && !(may_be_same(m, s.p, &t) && may_be_within(m, s.p, &t))) return false;
	s.t = &t;
	s.negative = t.negative;
	unsigned meet = ~0u;
	s.shares = m->rule->shared && at_root;
	s.pairs = s.root && flat && !s.product && !m->equal && s.p->n == 2;
	s.other[0] = s.other[1] = NOT_ASKED;
	if (s.shares) sum_factors(sum_list(m->facts, s.x), &meet);
	if (!(meet >> m->rule->shared & 1)) return false;
	bool as_written = s.root && !flat && !s.product;
	if (as_written && !m->equal && !operands_may_be_all(m, s.p, &t, turned)) return false;
	if (as_written && !may_be_pair(m, &t)) return false;
	memset(s.used, false, t.n);
	memset(s.done, false, s.p->n);
	MatchMark saved = match_mark(m);
	if (match_more_terms(m, &s)) return true;
	match_undo(m, &saved);
	return false;
}

/* x^3, where x*x*x is looked for */
static bool is_power_of(const Match *m, const Pattern *p, const Node *x)
{
	double e;
	if (p->kind != P_PRODUCT || x->op != OP_POW || m->rule->law == LAW_EXACT) return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->arg[i]->kind != P_VARIABLE || p->arg[i]->var != p->arg[0]->var) return false;
	return dtype_is_float(node_dtype(x)) && literal_value(x->arg[1], &e) && e == p->n;
}

/* Groups do not show in bits, but in those of a sum of exponentials. */
static bool match_chain(Match *m, const Goal *goal)
{
	const Pattern *p = goal->p;
	if (goal->x->op != p->op) return match_viewed(m, goal);
	if (try_terms(m, goal, false, 1)) return true;
	bool regroups = p->op != OP_LOGADDEXP || m->rule->law != LAW_EXACT;
	return regroups && try_terms(m, goal, true, 1);
}

bool match_terms(Match *m, const Goal *goal)
{
	bool sum = goal->p->kind == P_SUM;
	if (goal->p->kind == P_CHAIN) return match_chain(m, goal);
	if (is_power_of(m, goal->p, goal->x))
		return match_bind(m, goal->p->arg[0]->var, goal->x->arg[0]) && match_goal(m, goal->next);
	if (sum ? goal->x->op != OP_ADD && goal->x->op != OP_SUB : goal->x->op != OP_MUL)
		return match_viewed(m, goal);
	if (!sum && goal->root && !m->equal && !match_may(m, goal->p, goal->x)) return false;
	if (try_terms(m, goal, false, 1)) return true;
	bool whole = dtype_is_integer(node_dtype(goal->x)); /* those wrap, in every order alike */
	if (m->rule->law == LAW_EXACT && !whole) /* -(x - 0) and 0 - x differ at 0 */
		return false;
	if (sum && goal->root && try_terms(m, goal, false, -1)) return true;
	if (!whole && !dtype_is_float(node_dtype(goal->x))) return false;
	return try_terms(m, goal, true, 1) || (sum && goal->root && try_terms(m, goal, true, -1));
}
