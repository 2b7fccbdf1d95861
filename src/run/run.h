/* run.h - floor 8: running plans.
 *
 * A Program is a plan with its kernels prepared; many threads may call it at
 * once, each in a Frame of its own, which owns the workspace, the remembered
 * layout for the last shapes, the results and the error.
 */
#ifndef POR_RUN_H
#define POR_RUN_H

#include "../loop/loop.h"

/* ---- arrays: byte for byte a DLPack DLTensor ------------------------------------- */

typedef struct Array {
	void *data;
	struct { int32_t type, id; } device;     /* type 1: the CPU */
	int32_t ndim;
	struct { uint8_t code, bits; uint16_t lanes; } dtype;
	int64_t *shape, *strides;        /* strides in elements; NULL: compact, row order */
	uint64_t byte_offset;
} Array;

Dtype array_dtype(const Array *);                /* DT_NONE: none of ours.  A key is u64 with 2 lanes */
void array_set_dtype(Array *, Dtype);

/* ---- interp.c, interp_run.c: the vector interpreter --------------------------------- */

typedef struct Interp Interp;            /* a kernel prepared */
typedef struct Bound Bound;              /* and bound to a step's integers */

Interp *interp_new(const Kernel *, int isa, const Allocator *, Error *);
void interp_free(Interp *);
size_t interp_bound_bytes(const Interp *);
void interp_bind(const Interp *, const int64_t *param, Bound *);
int64_t bound_items(const Bound *);              /* independent of one another */
size_t bound_scratch(const Bound *);             /* bytes, 64-byte aligned, each thread's own */
void interp_run(const Bound *, void *const *buffer, const int64_t *param, int64_t lo, int64_t hi, void *scratch, Fault *);
/* One long row with folds, shared among threads: blocks of stage s into `shared` (bound_shared bytes, zeroed
 * once a row), then the stage's end by one thread.  bound_blocks 0: it does not split. */
int64_t bound_blocks(const Bound *);
#endif
