/* match.h - what the files of the matcher share; nobody else includes it. */
#ifndef POR_MATCH_H
#define POR_MATCH_H

#include "rules.h"

typedef struct Goal Goal;
struct Goal {
	const Pattern *p;
	Node *x;
	bool root;
	const Goal *next;
	struct TermSearch *terms; /* no pattern: to go on with these */
};

/* A choice: what was bound before it. */
typedef struct MatchMark {
	uint32_t nbound;
	Node *whole;
	uint8_t *used;
} MatchMark;

static inline MatchMark match_mark(const Match *m)
{
	return (MatchMark){m->nbound, m->whole, m->used};
}

/* match.c */
bool match_goal(Match *, const Goal *); /* it, and those behind it */
bool match_literal(const Pattern *, const Node *); /* is it this number? */
void match_begin(Match *, const Rule *, Node *x); /* nothing is bound */
bool match_whole(Match *, const Rule *, Node *x); /* nothing stands around */
bool match_viewed(Match *, const Goal *); /* a map seen through a view */
bool match_bind(Match *, uint32_t var, Node *);
void match_undo(Match *, const MatchMark *); /* what was bound since; the steps stay counted */
bool is_square_of(const Pattern *, const Node *); /* is it x*x, and x^2 looked for? */
/* match_terms.c */
bool match_terms(Match *, const Goal *); /* of a sum or product */
uint32_t match_choices(const Match *, const Pattern *); /* in how many ways may terms be chosen, or more? */
bool match_more_terms(Match *, struct TermSearch *); /* those that are not matched yet */
/* match_may.c: false: x cannot be what the pattern stands for, with what is bound; it binds nothing */
bool match_may(const Match *, const Pattern *, const Node *x);
/* False: what stands twice in a rule that repeats does not at x. */
bool match_may_repeat(const Rule *, const Node *x);
/* May x be the first part of the rule's sum of two, y the second? */
bool match_may_pair(const Rule *, const TermFactors *x, const TermFactors *y);
bool match_alone(Match *, const Pattern *, Node *x); /* without what comes after it */
int match_rank(const Match *, const Pattern *); /* what is looked for first is least */
/* match_ratio.c */
bool match_ratio(Match *, const Goal *); /* of a quotient within something, seen through products */
bool match_quotient(Match *, const Rule *, Node *x); /* a rule of anything over something, among factors */
bool match_factors(Match *, const Rule *, Node *x); /* a rule of a product or quotient, among other factors */
bool match_logarithm(Match *, const Rule *, Node *x); /* a rule of a factor's logarithm */

#endif
