/* naive.h - a kernel computed one index at a time, in the order that loop.h writes down: what tiers are compared with. */
#ifndef POR_TESTS_NAIVE_H
#define POR_TESTS_NAIVE_H

#include "../../src/loop/loop.h"

/* Buffers hold all that the accesses touch. */
void naive_run(const Kernel *, void *const *buffer, const int64_t *param, Fault *);

/* Random kernels over few operators and dtypes; the same seed gives the same kernel. */
typedef struct Sample {
	Kernel kernel;
	Ins code[64];
	Access at[48];
	int64_t param[16 + 4];                   /* integers, then constants */
	int64_t elements[BUFFERS_MAX];
} Sample;
void sample_make(Sample *, uint64_t seed);
void sample_fill(const Sample *, uint64_t seed, void **buffer);        /* malloc'd, inputs filled, outputs 0xa5 */

#endif
