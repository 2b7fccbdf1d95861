/* same.h - steps that may be one, for same.c. */
#ifndef POR_SAME_H
#define POR_SAME_H

#include "loop.h"

/* Those that cannot are of arrays that a row cannot say, or loops in whose bodies sizes become known. */
bool step_may_come_again(const Plan *, const Step *);
/* Are they the same but for their places?  Of loops, but for their bodies too. */
bool step_same(const Plan *, const Step *, const Step *);
uint32_t step_hash(const Step *);

#endif
