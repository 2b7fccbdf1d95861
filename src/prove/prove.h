/* prove.h - is a rule true?  Does it make things simpler, and can it fire at all? */
#ifndef POR_PROVE_H
#define POR_PROVE_H

#include "../rewrite/rewrite.h"

/* ---- admit.c --------------------------------------------------------------------------- */

/* From now on rules that are added to this graph are checked first: the order of their book, both sides on
 * samples. Those of `check` are run by rule_check alone. */
void prove_open(Graph *);

/* ---- order.c ------------------------------------------------------------------------ */

/* Is => proved to make the expression simpler?  The weights of the sides, for a message. */
bool rule_decreases(Graph *, const Rule *, double *left, double *right);

/* ---- found.c ------------------------------------------------------------------------ */

/* Does rewriting ever come to the rule where its left side is written?  FOUND_ALREADY: never, but others do
 * its work.  Unless it is FOUND, the text says what comes first and what that makes of the left side.
 * NEVER_ENDS: of a rule of stable that finds its left side in what it makes. */
typedef enum Finding { FOUND, FOUND_ALREADY, NEVER_FOUND, NEVER_ENDS } Finding;
Finding rule_finding(Graph *, const Rule *, Text *why);

/* ---- check.c: is a rule true? -------------------------------------------------------- */

/* Evaluate both sides at ranks 0, 1, 3 on mixed scales, in binary128 or to the
 * bit as its law says.  False: *report has the reason with a counterexample.
 * True: how many samples there were, how many met the guard and the largest
 * error.  The place of the rule is not in the report. */
bool rule_check(Graph *, const Rule *, uint64_t seed, Text *report);
/* Do the differentials of the sides differ somewhere?  rule_check sets `late` of such a rule's use; ours
 * stand in a book of order `last`. */
bool rule_is_late(Graph *, const Rule *, uint64_t seed);

#endif
