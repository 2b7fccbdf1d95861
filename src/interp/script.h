/* script.h - what a kernel becomes for the vector interpreter.
 *
 * A kernel is prepared when it is bound first: its instructions become
 * operations on vectors of at most BLOCK elements, with the primitives looked
 * up.  It is bound to the integers of a step once per shape: axes that an
 * access walks as one are merged.  It then runs over items, in order or by
 * several threads.
 *
 * Values are of three kinds:  the same everywhere (computed once a call);
 * one a row; one for each inner index.  Rows that are short are taken many at
 * a time (BATCH): a block is R rows of all their inner indices, one after
 * another.  Long rows (LONG) are taken one by one, in blocks, stage after
 * stage; what a later stage needs is kept for the whole row.
 */
#ifndef POR_SCRIPT_H
#define POR_SCRIPT_H

#include "interp.h"
#include "prim.h"

#include <stdatomic.h>

enum { BLOCK = 1024, STACK_LEVELS = 52, STATE_BYTES = LANE_BYTES + 8*STACK_LEVELS + 32 };

typedef enum Mode { MODE_LONG, MODE_BATCH, MODE_CHAIN } Mode;
typedef enum OpKind {
	RUN_PRIM, RUN_PRIM_STORE, RUN_LOAD, RUN_LOAD_ROWS, RUN_LOAD_EACH, RUN_STORE, RUN_STORE_EACH,
		RUN_INDEX,
	RUN_INDEX_EACH, RUN_PARAM, RUN_EXPAND, RUN_FOLD, RUN_ARG, RUN_CUT
} OpKind;

typedef struct RunOp {
	uint8_t kind, size;              /* size: log2 of an element's bytes, in memory */
	uint8_t buffer, ndynamic;
	uint8_t one;                     /* a bit of each of `dynamic`: is it one for all rows? */
	bool narrow : 1;                 /* LOAD, STORE: fn is between memory and what is held */
	bool direct : 1;                 /* LOAD: the memory itself may stand for the value */
	bool zero_empty : 1;             /* FOLD: an empty one is 0 */
	uint16_t out, a, b, c;           /* slots; of CUT: c is log2 of the operand's size */
	uint16_t walk, dynamic[DYNAMICS_MAX];    /* slots of i64 */
	uint16_t state;                  /* FOLD, ARG: its number */
	union {
		Int param;               /* PARAM */
		const FoldPrim *fold;    /* FOLD */
		const ArgPrim *arg;      /* ARG */
		Prim fn;                 /* others, where they call a primitive */
	};
} RunOp;
_Static_assert(sizeof(RunOp) <= 32, "a program has thousands");

/* Where a slot's elements lie. */
typedef enum SlotPlace { PLACE_NONE, PLACE_CONSTANT, PLACE_SCALAR, PLACE_REGISTER, PLACE_KEPT } SlotPlace;
/* at: byte; of a constant and of a kept row: its number */
typedef struct Slot { uint8_t place, size; uint32_t at; } Slot;

/* which axes an access walks: rows; all; all but the folded */
typedef enum Space3 { OF_ROW, OF_ALL, OF_KEPT } Space3;
typedef struct WalkPlan { uint16_t access; uint8_t space; } WalkPlan;

/* [before, first) once a row batch; [first, end) */
typedef struct RunStage { uint16_t before, first, end; bool inner; } RunStage;

typedef struct Script {
	Mode mode;
	uint32_t nop; RunOp *op;
	uint32_t nprologue;              /* the first operations: once a call */
	uint32_t nstage; RunStage *stage;
	uint32_t nslot; Slot *slot;
	uint32_t nwalk; WalkPlan *walk;
	uint32_t nconstant; const void **constant;   /* elements in the pool */
	uint32_t nstate, nkept;
	uint32_t registers;              /* bytes */
} Script;

/* Constants, and vectors that repeat them: of all kernels of a program, each once.  What is there stays where
 * it is: others run while a kernel is prepared. */
struct ConstPool {
	Arena *arena;
	const Prims *prims;
	size_t bytes;
	Table known;
};

struct Interp {
	const Kernel *kernel;
	ConstPool *pool;
	bool folds;
	_Atomic(const Script *) script[2];   /* LONG, BATCH; or CHAIN at [0]; NULL: it was not needed yet */
};

/* An access along merged axes, in elements. */
typedef struct AccessWalk {
	int32_t n;
	int64_t offset, extent[AXES_MAX], stride[AXES_MAX];
	struct { int64_t stride, extent; } dynamic[2];
} AccessWalk;

struct Bound {
	const Interp *interp;
	const Script *script;
	int64_t rows, folded, inner;     /* numbers of indices */
	int64_t batch;                   /* BATCH: rows of a block; CHAIN: folded indices of a block */
	int64_t width;                   /* inner indices of a block */
	int64_t items, splits;           /* LONG without folds: items of a row */
	int64_t levels;                  /* CHAIN: blocks on the stack */
	size_t kept_bytes, scratch;
	AccessWalk walk[];
};

/* ---- interp.c ---- */
/* the kernel for that mode, prepared by now; NULL with an error */
const Script *script_of(Interp *, Mode, Error *);

/* ---- interp_walk.c ---- */
void walk_bind(AccessWalk *, const Kernel *, const WalkPlan *, const int64_t *param);
/* NULL: not in one run */
const char *walk_direct(const AccessWalk *, const char *base, int size, int64_t at, int64_t n);
void walk_load(const AccessWalk *, const char *base, int size, int64_t at, int64_t n, char *out);
void walk_store(const AccessWalk *, char *base, int size, int64_t at, int64_t n, const char *from);
void walk_index(const AccessWalk *, int64_t at, int64_t n, int64_t *out);

#endif
