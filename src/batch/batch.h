/* batch.h - the third transform beside the forward sweep and transposition: nodes for many values at once.
 *
 * A node over leaves is computed for n values of these leaves together, which lie along a new first axis: its
 * lanes.  What hangs on none of the leaves is the same in all lanes, and stays as it is.  Each operator has
 * its lanes by its class; where there is no other way, by a loop over the lanes.
 *
 * The value of each lane is that of a loop over the lanes, to the bit where no operand of a product is shared
 * by them, else by law `real`: a product with what is shared may add in another order.  Errors are those of
 * the loop: what a lane does not reach does not fail.
 */
#ifndef POR_BATCH_H
#define POR_BATCH_H

#include "../elab/elab.h"
#include "../rewrite/rewrite.h"

/* out[i]: y[i] for all of them, along a first axis of n; where there are effects, lane by lane in ascending
 * order.  False with an error: a size of a result differs from lane to lane. */
bool batch(Graph *, const Lanes *, uint32_t ny, Node *const *y, Node **out);
/* Of a loop's body: why it is made for one lane after another; NULL: it is none that `batch` made. */
const char *why_lane_by_lane(const Function *body);
/* maps.c: the function whose loops without state are what they map, by law `real`; NULL with an error */
Function *loops_as_maps(Graph *, Function *);
/* guarded.c: the function in which no factor of a product is larger for a guard, by law `real` */
Function *guarded_products(Graph *, Function *);
/* guarded.c: what goes back to operand `which` of a contraction, where the mask holds of the cotangent:
 * nothing of the other operand where it does not, be that no number.  *mask: the result's then, NULL: it
 * needs none.  NULL without an error: not of this contraction */
Node *guarded_transpose(Graph *, const Node *contraction, uint32_t which, Node *cotangent, Node **mask);
/* before.c: the function whose loops walk along what they would make of elements alone, by law `real` */
Function *maps_before_loops(Graph *, Function *);

#endif
