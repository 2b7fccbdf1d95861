/* quad.h - scalar mathematics in binary128, for the oracle's second opinion.
 *
 * A function for each MAP of numbers, and a table of them by operator: what it does to binary128 numbers, or
 * to pairs of them (complex).  Operators that a dtype does not have are NULL.
 * Accurate to a few units of the 34th digit, but for what quad_lost tells; nothing here is meant to be fast.
 */
#ifndef POR_QUAD_H
#define POR_QUAD_H

#include "../ir/ir.h"

typedef __float128 Quad;
typedef struct QuadPair { Quad re, im; } QuadPair;

/* quad_NAME of each map of floats, pair_NAME of those of complex numbers; a truth is 1 or 0. */
#define QUADS_1 Quad
#define QUADS_2 Quad, Quad
#define QUADS_3 Quad, Quad, Quad
#define PAIRS_1 QuadPair
#define PAIRS_2 QuadPair, QuadPair
#define OF_BOOL(...)
#define OF_WHOLE(...)
#define OF_CHOICE(...)
#define OF_FLOAT(NAME, name, n, forms) Quad quad_##name(QUADS_##n);
#define OF_COMPLEX(NAME, name, n, forms) QuadPair pair_##name(PAIRS_##n);
#include "../ir/map_ops.h"
#undef OF_BOOL
#undef OF_WHOLE
#undef OF_CHOICE
#undef OF_FLOAT
#undef OF_COMPLEX

typedef struct QuadOp {
	Quad (*of_1)(QUADS_1);
	Quad (*of_2)(QUADS_2);
	Quad (*of_3)(QUADS_3);
	QuadPair (*of_pair_1)(PAIRS_1);
	QuadPair (*of_pair_2)(PAIRS_2);
} QuadOp;

extern const QuadOp quad_op[OP_COUNT];

/* Of what size the terms were of which y = op(x) is the rest: it is good to some units of their last one. */
Quad quad_lost(Op, const Quad *x, Quad y);
Quad quad_nan(void);                     /* the positive quiet one */
Quad quad_inf(void);

#endif
