/* search.h - forms of an expression that are equal by the rules, all at once, and the best of them.
 *
 * Classes of equal nodes (egraph.c) grow by rules and equations, read both ways, within bounds that are
 * counted and never timed, so that the same graph gives the same result.  By `operations` the cheapest form
 * is taken at compile time; by `improve` the one whose measured error is least.
 */
#ifndef POR_SEARCH_H
#define POR_SEARCH_H

#include "../print/print.h"
#include "../rewrite/rewrite.h"

/* ---- operations.c: less to compute ------------------------------------------------------------- */

/* The function with fewer operations for all sizes, or as it is; bodies of loops and branches stay.  NULL: an
 * error. */
Function *fewer_operations(Graph *, Function *, uint32_t nfact, const LeafFact *);

/* ---- improve.c: less error --------------------------------------------------------------------- */

/* One form of the function, or a piece of it. */
typedef struct ErrorForm {
	const char *what;  /* "written", "books", "improved", or "piece" of the one before */
	const char *text;  /* in the notation */
	double mean, most; /* bits of error: log2 of how many numbers lie between it and the true value */
	const double *at;  /* the inputs where that is most, NULL: nowhere; and the true value there */
	double truth;
} ErrorForm;

/* What is improved: a function of f64 numbers, one result; where: of the same inputs, a bool, or NULL. */
typedef struct ImproveTask {
	const Function *f, *where;
	const char *const *name; /* of its inputs */
	const LeafFact *fact;    /* of its parameters */
	uint32_t nfact;
	uint64_t seed;
} ImproveTask;

typedef struct Improvement {
	uint32_t nform;
	ErrorForm *form;
	uint32_t asked, judged; /* points, and those at which the true value is known and a number */
	const char *rule; /* that makes the improved form of what was written; NULL: there is no better one */
	bool holds;       /* it does, as it was checked */
	const char *report; /* of the check */
} Improvement;

/* False with an error: it is no function of f64 numbers, or its true value is known nowhere.  */
bool improve(Graph *, Arena *, const ImproveTask *, Improvement *);

#endif
