/* machine.h - the interpreter while it runs. */
#ifndef POR_MACHINE_H
#define POR_MACHINE_H

#include "script.h"

typedef struct State {                   /* of a fold in a LONG row */
	_Alignas(64) char lanes[LANE_BYTES];
	char stack[8*STACK_LEVELS];
	int64_t blocks, index;
	int top;
} State;

typedef struct Machine {
	const Bound *b;
	const Script *s;
	void *const *buffer;
	const int64_t *param;
	Fault *fault;
	char **value;                    /* by slot */
	char *registers, *state, *raw, *kept;
	int64_t *place;
	/* where it stands */
	int64_t rows, where;             /* rows of the block; its first index in the space of the stage */
	int64_t inner, first; /* indices of a row in this block; the first one's number in its row */
	int64_t position, step;          /* of a fault: of element 0, and from one to the next */
	const Stop *stop;         /* asked between blocks; NULL: nobody is */
	bool quiet;                      /* another thread stores what is one a row */
	char *shared;                    /* results of blocks, or NULL: folded at once */
} Machine;

static inline size_t line(size_t bytes) { return (bytes + 63) & ~(size_t)63; }
static inline int64_t chain_state_bytes(const Bound *b) { return (1 + b->levels)*BLOCK*16; }

/* ---- interp_fold.c: LONG ---- */
void state_start(Machine *, const RunOp *);
void state_push(Machine *, const RunOp *, int64_t block);        /* a block is done */
void state_collect(Machine *, const RunOp *);                    /* takes the blocks that all threads did */
void state_end(Machine *, const RunOp *);
/* ---- CHAIN ---- */
void chain_start(Machine *, const RunOp *, int64_t n);
void chain_push(Machine *, const RunOp *, int64_t n, int64_t block, int64_t *top);
void chain_end(Machine *, const RunOp *, int64_t n, int64_t top);
/* ---- BATCH, and any ---- */
void fold_batch(Machine *, const RunOp *);
void fold_some(Machine *, const RunOp *, int64_t n);
/* ---- interp_memory.c ---- */
void run_load(Machine *, const RunOp *, int64_t n);
void run_load_rows(Machine *, const RunOp *);
void run_load_each(Machine *, const RunOp *, int64_t n);
void run_store(Machine *, const RunOp *, int64_t n);
void run_store_each(Machine *, const RunOp *, int64_t n);
void run_expand(Machine *, const RunOp *);
void run_cut(Machine *, const RunOp *, int64_t n);
/* index values; false: an axis has no elements */
bool add_dynamic(Machine *, const RunOp *, int64_t n, int64_t *place);

static inline char *base_of(const Machine *m, const RunOp *op) { return m->buffer[op->buffer]; }

#endif
