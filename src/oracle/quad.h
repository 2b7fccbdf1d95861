/* quad.h - scalar mathematics in binary128, for the oracle's second opinion.
 *
 * A table by operator: what each MAP does to one binary128 number, or to a
 * pair of them (complex).  Operators that a dtype does not have are NULL.
 * Accurate to a few units of the 34th digit; nothing here is meant to be fast.
 */
#ifndef POR_QUAD_H
#define POR_QUAD_H

#include "../ir/ir.h"

typedef __float128 Quad;
typedef struct QuadPair { Quad re, im; } QuadPair;

typedef struct QuadOp {
	Quad (*one)(Quad);
	Quad (*two)(Quad, Quad);
	Quad (*three)(Quad, Quad, Quad);
	bool (*test)(Quad);
	bool (*compare)(Quad, Quad);
	QuadPair (*pair)(QuadPair);
	QuadPair (*pairs)(QuadPair, QuadPair);
} QuadOp;

extern const QuadOp quad_op[OP_COUNT];

Quad quad_abs_pair(QuadPair);            /* the modulus */
Quad quad_fma(Quad, Quad, Quad);
Quad quad_sqrt(Quad);
Quad quad_trunc(Quad);
Quad quad_nan(void);                     /* the positive quiet one */
Quad quad_inf(void);

#endif
