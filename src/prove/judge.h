/* judge.h - is what rewriting made worse than what was written?
 *
 * Both computed in f64 and in binary128.  The true value is what was written, in binary128.  Where that too
 * has cancelled or left its range the rewritten one in binary128 may be nearer, so the milder verdict of both
 * counts.
 */
#ifndef POR_JUDGE_H
#define POR_JUDGE_H

#include "sample.h"
#include "../oracle/quad.h"

typedef struct Judged {
	double written, ours; /* in f64 */
	double plain; /* the right side by itself in the same place; NaN: not asked */
	Quad truth[2]; /* what was written, and ours, in binary128 */
	Quad stir; /* how far the true value moves when the inputs are rounded */
	Quad rough[2]; /* what was written: the largest error in f64 at inputs nearby, by either truth */
} Judged;

typedef enum Verdict { VERDICT_NONE, VERDICT_GOOD, VERDICT_LOST } Verdict;

enum { FEW_ULP = 8 };

/* NONE: there is nothing to compare; LOST: NaN or infinite where what was written is finite; GOOD: *excess is
 * by how many ulp, of the value or of the inputs, ours is farther from the true value than what was written
 * (0: no farther).  What was written may be right by luck: it counts as far off as it is at inputs nearby. */
Verdict judge(const Judged *, double *excess);

enum { STIRS = 2, NEAR = 5, SEEN_RESULTS = 16 };

/* Results of two functions of the same inputs in f64 and in binary128: at the inputs ([0]), a few units in
 * the last place away, and of the first function a little farther away. */
typedef struct Seen {
	Value plain[SEEN_RESULTS], ours[SEEN_RESULTS], own[1 + STIRS + NEAR][SEEN_RESULTS],
		wide[2][1 + STIRS + NEAR][SEEN_RESULTS];
} Seen;
/* What is compared; plain NULL: not asked. */
typedef struct Compared { const Function *written, *ours, *plain; } Compared;
/* False: something could not be computed, as an index outside; other inputs will do. */
bool see(Graph *, Arena *, Random *, const Compared *, const Value *in, Seen *);
Judged seen_at(const Seen *, uint32_t result, int64_t element);

#endif
