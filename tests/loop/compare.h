/* compare.h - one function in every tier, to the bit. */
#ifndef POR_COMPARE_H
#define POR_COMPARE_H

#include "../../src/oracle/oracle.h"
#include "../../src/run/run.h"

typedef struct Comparison {
	uint32_t runs;               /* tiers and threads that were compared with the reference */
	uint32_t same;
	char text[1800];              /* the first difference: where, and both values */
} Comparison;

/* Run a closed function without calls on these inputs (own dtypes): the reference evaluator, the interpreter and
 * native code, each with one thread and two, at the baseline and at the best instruction set; an error must be an
 * error everywhere.  Any NaN equals any NaN.  False with an error when a program could not be made. */
bool compare_tiers(Graph *, Function *, const Value *in, bool native, Comparison *, Error *);

#endif
