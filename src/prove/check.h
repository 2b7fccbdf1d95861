/* check.h - shared by the files that check rules. */
#ifndef POR_CHECK_H
#define POR_CHECK_H

#include "sample.h"
#include "../oracle/quad.h"

/* False: no choice of shapes fits.  In either case it is closed. */
bool instance_open(Instance *, Graph *, const Rule *, Random *, Dtype real, int mode);
void instance_close(Instance *);
/* The guard as a bool array in the shape of the root; NULL: it is known, *never: to be false. */
Node *mask_of(Instance *, const Pattern *guard, const Type *root, bool *never);
/* Both sides on samples, and enough of them; the report has the counts or what is wrong.  *late becomes true
 * where the rule has to wait for the last derivative. */
bool sides_agree(Graph *, const Rule *, uint64_t seed, Text *report, bool *late);
/* check_suggest.c: a guard under which they would agree, or NULL */
const char *guard_suggested(Graph *, const Rule *, uint64_t seed);
/* A line of a book of kind check: the pipeline turns left into right (=>), or both compute the same (<=>). */
bool book_check(Graph *, const Rule *, Random *, Text *report);
/* check_table.c: d(f(x)) => ... by central differences; vjp(f(x), g) => ... by <g, f(dx)> = <g', dx> */
bool table_check(Graph *, const Rule *, Random *, Text *report);

/* ---- check_compare.c ---- */

typedef struct Tally {
	uint64_t met, samples, instances, better, tuples;
	uint64_t defined; /* met, and the left side a number */
	Quad error; /* the largest, as a part of the largest number inside */
} Tally;
/* own, wide: values of left, right, mask (where there is one), and what stands inside the left side, n in
 * all; in their own dtypes and in binary128. */
typedef struct Samples {
	const Value *input, *own, *wide;
	uint32_t n;
	bool masked;
} Samples;
/* Counts; false with the first difference in the report. */
bool samples_agree(Instance *, const Samples *, Tally *, Text *report);
bool has_choice(const Pattern *); /* where(...) */
void say_counts(Text *, const Rule *, uint64_t samples, uint64_t met, double error);
void say_rule(Text *, const Rule *); /* "rule NAME, law LAW: " */

/* check_late.c: the differential of y by the tangents of the inputs; NULL when the table has no line for
 * something inside. */
Node *differential(Instance *, Arena *, Node *y, Node *const *tangent, uint32_t n);
/* check_early.c: are the first and second derivatives of the right side no worse than those of the left?  If
 * they are, the report says where. */
bool rule_may_come_early(Graph *, const Rule *, uint64_t seed, Text *report);

#endif
