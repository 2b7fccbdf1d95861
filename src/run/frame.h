/* frame.h - what the files of frames share; nobody else includes it. */
#ifndef POR_RUN_FRAME_H
#define POR_RUN_FRAME_H

#include "program.h"

/* frame_sizes.c: false with the frame's error */
typedef struct FrameSizes {
	Frame *f;
	const Array *in;
	int64_t *size;
	bool *bound;        /* the function's size parameters */
	uint32_t missing;   /* while a dim is evaluated: a parameter not bound, UINT32_MAX: none */
	bool two;           /* several are missing */
	bool overflow;
	const Dim *by_zero; /* the last division by 0; NULL: there was none */
} FrameSizes;
bool bind_sizes(FrameSizes *);                        /* of the first phase, from the arguments' shapes */
void dim_values(FrameSizes *, uint32_t phase);        /* the frame's dims of that phase */
bool check_requirements(FrameSizes *, uint32_t phase);
/* phase_alike.c: a phase behind the first keeps the sizes of its layout; are those of now the same? */
void phase_keep(const Frame *, uint32_t phase, FramePhase *);
bool phase_alike(const Frame *, uint32_t phase);
int64_t scalar_of(const FrameSizes *, const DimScalar *);
/* The error "what: NAME is NUMBER" about the size to blame: the largest of those that this phase brings. */
bool too_large(Frame *, uint32_t phase, int code, const char *what);

#endif
