/* range.h - does what was in range as it was written leave it by rewriting? */
#ifndef POR_RANGE_H
#define POR_RANGE_H

#include "sample.h"

enum { RANGE_RESULTS = 80 };

/* What is written, all its parts beside it, and what it has become. */
typedef struct RangePair {
	/* what it has become, what holds (or that again), what is written and its parts, parts of what
	 * it has become */
	Node *result[RANGE_RESULTS];
	uint32_t n, nwritten;
	bool guarded;
	Function *f;
} RangePair;
/* False: it is too large, or it has no closed function. */
bool range_open(Graph *, Arena *, RangePair *, Nodes in, Node *const after_holds_written[3]);

/* A power of two that the dtype has, often near the ends, and numbers about it. */
double range_scale(Random *, Dtype);
Value range_value(Random *, Arena *, const Type *, double scale, bool positive);
double range_number(const Value *, int64_t i);

/* Of numbers in range throughout, *met then: has one become NaN, infinite or nothing, which in truth is
 * none of that, because something on the way is too large or too small? */
typedef struct RangeSeen {
	bool met;
	double was, is;
} RangeSeen;
bool range_is_lost(Graph *, Arena *, const RangePair *, const Value *in, RangeSeen *);

/* Does this input stand for a scalar that the guard says to be `wide`, and that may leave a sum? */
bool range_may_leave(const Instance *, uint32_t input);
/* A rule at its ends: false with the numbers in the report. What the guard says to be `wide` and the
 * left side repeats is a scalar beside a sum, and of everyday size: docs/rules.md, Range. */
struct Doubts;
bool rule_keeps_range(Graph *, const Rule *, Dtype, uint64_t seed, Text *report, struct Doubts *);

#endif
