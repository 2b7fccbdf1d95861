/* random.h - random functions, for checks that compare the tiers. */
#ifndef POR_RANDOM_H
#define POR_RANDOM_H

#include "../../src/ir/ir.h"

/* A closed function of about `nodes` operators over a few inputs of several dtypes with sizes m, n and numbers;
 * every class of operators that the compiled tiers know occurs.  Deterministic. */
Function *random_function(Graph *, uint64_t seed, uint32_t nodes);
/* A size for size parameter i of such a function (0, 1, small ones, now and then past a block of 4,096). */
int64_t random_size(uint64_t seed, uint32_t i);
/* Fill an input of a dtype: mixed scales, now and then zeros, infinities, NaN; indices stay small. */
void random_fill(uint64_t seed, Dtype, void *data, int64_t count);

#endif
