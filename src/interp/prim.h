/* prim.h - the interpreter's primitives, loops over the scalar functions of src/math.
 *
 * A primitive takes n elements of vectors; out may be one of the operands, at
 * the same place.  The tables exist once per instruction set (prim_0.c,
 * prim_1.c, prim_2.c include prim.c); all give the same bits.  A narrow dtype
 * is the one that it is held in here: its entries are those of dtype_held.
 */
#ifndef POR_PRIM_H
#define POR_PRIM_H

#include <stdint.h>
#include "../ir/dtype.h"
#include "../ir/op.h"

typedef void (*Prim)(int64_t n, void *out, const void *a, const void *b, const void *c);

enum { PRIM_TYPES = DT_WEAK_INT };

/* The joins of a fold, in the order that loop.h defines.  An accumulator is an
 * element of its type; LANE_BYTES of them are the lanes of a block. */
typedef struct FoldPrim {
	uint8_t acc;                                                     /* dtype of the accumulator */
	void (*start)(int64_t n, void *acc);                             /* n neutral elements */
	void (*chunk)(int64_t n, void *lanes, const void *v);            /* n terms, the first for lane 0 */
	void (*finish)(void *out, void *lanes);                          /* lanes joined by halving */
	/* rows of n <= FOLD_BLOCK terms, n > 0 */
	void (*segments)(int64_t rows, int64_t n, void *out, const void *v);
	/* acc[i] = acc[i] op v[0][i] op v[1][i] ... */
	void (*chain)(int64_t rows, int64_t n, void *acc, const void *v);
	void (*join)(int64_t n, void *acc, const void *later);           /* acc[i] = acc[i] op later[i] */
} FoldPrim;

/* ARGMAX, ARGMIN: the best value so far and its index, -1: none yet. */
typedef struct ArgPrim {
	void (*chunk)(int64_t n, void *value, int64_t *index, const void *v, int64_t base);
	void (*segments)(int64_t rows, int64_t n, int64_t *out, const void *v);
	void (*chain)(int64_t rows, int64_t n, void *value, int64_t *index, const void *v, int64_t base);
	void (*join)(int64_t n, void *value, int64_t *index, const void *later, const int64_t *later_index);
} ArgPrim;

typedef struct Prims {
	Prim map[OP_COUNT][PRIM_TYPES];          /* and draws: element c of the draw of (a, b) */
	Prim map_vs[OP_COUNT][PRIM_TYPES];       /* b is one element; of WHERE: c; NULL: there is none */
	Prim map_sv[OP_COUNT][PRIM_TYPES];       /* a is one element; of WHERE: b */
	Prim where_ss[PRIM_TYPES];               /* b and c are */
	Prim cast[PRIM_TYPES][PRIM_TYPES];       /* [from][to]; to a narrow one: rounded once */
	Prim bits[PRIM_TYPES];                   /* as they are, of NaN the positive quiet one's */
	/* of a narrow dtype: registers to registers, memory to registers, registers to memory */
	Prim round[PRIM_TYPES], load[PRIM_TYPES], store[PRIM_TYPES];
	Prim key_a, key_b;                       /* halves of key c of (a, b) */
	Prim splat[4];                           /* out = the one element a; by size 1, 2, 4, 8 */
	FoldPrim sum[PRIM_TYPES], prod[PRIM_TYPES], max[PRIM_TYPES], min[PRIM_TYPES], any, all;
	ArgPrim argmax[PRIM_TYPES], argmin[PRIM_TYPES];
} Prims;

extern const Prims prims_0, prims_1, prims_2;    /* baseline, AVX2+FMA, AVX-512 */
const Prims *prims_of(int isa); /* of that instruction set or the best below it that was built */

#endif
