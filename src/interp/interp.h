/* interp.h - the vector interpreter: a kernel without a C compiler.
 *
 * A kernel is bound to the integers of a step once for each shape, and then run over items, in order or by
 * several threads.  It is prepared when it is bound first, as long or as short rows need it: a kernel that is
 * never called, or never on such rows, costs nothing.
 */
#ifndef POR_INTERP_H
#define POR_INTERP_H

#include "../loop/loop.h"

typedef struct Interp Interp;            /* a kernel, and what has been prepared of it */
typedef struct ConstPool ConstPool;
typedef struct Bound Bound;              /* and bound to a step's integers */

/* When a call ends before it is done. */
typedef struct Stop {
	const int *all;                  /* of all calls: atomic, not 0: stop */
	int own;                         /* of this one: likewise */
	bool row;                        /* a row of calls has one clock, which has begun */
	double seconds;
	int64_t deadline;                /* nanoseconds; 0: none */
	int64_t left;                    /* until the clock is asked */
} Stop;

/* Both from any thread: does somebody ask for the end?  Or has its time come? */
static inline bool stop_is_asked(const Stop *s)
{
	return __atomic_load_n(s->all, __ATOMIC_RELAXED) | __atomic_load_n(&s->own, __ATOMIC_RELAXED);
}
bool stop_is_due(const Stop *);

/* Constants of all kernels that are prepared with it, for this instruction set; kernels and pool lie on the
 * arena. */
ConstPool *const_pool_open(Arena *, int isa);
Interp *interp_new(const Kernel *, ConstPool *);
/* On this arena, which is not the pool's or nobody else's at the time; from any thread, as only kernels that
 * are bound take from the pool's.  NULL with an error. */
Bound *interp_bind(Interp *, const int64_t *param, Arena *, Error *);
int64_t bound_items(const Bound *);              /* independent of one another */
size_t bound_scratch(const Bound *);             /* bytes, 64-byte aligned, each thread's own */
/* stop: asked between blocks; NULL: it is done to its end */
void interp_run(const Bound *, const Piece *, const Stop *stop);
/* One long row with folds, shared among threads: parts 0 ... parts - 1 of phase 0, then all of phase 1, and
 * so on; a part keeps its scratch from phase to phase.  bound_blocks: more parts than that are idle; 0: it
 * does not split. */
typedef struct RowPart { int64_t row; int phase, part, parts; void *shared; const Stop *stop; } RowPart;
int64_t bound_blocks(const Bound *);
size_t bound_shared(const Bound *);
int bound_phases(const Bound *);
void interp_phase(const Bound *, const RowPart *, void *const *buffer, const int64_t *param, void *scratch,
	Fault *);

#endif
