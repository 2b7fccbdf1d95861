/* sample.h - random kernels over few operators and dtypes, and memory for them. */
#ifndef POR_TESTS_SAMPLE_H
#define POR_TESTS_SAMPLE_H

#include "../kernel/room.h"

/* The same seed gives the same kernel. */
typedef struct Sample {
	Kernel kernel;
	KernelRoom room;
	int64_t param[16 + 4];                   /* integers, then constants */
	int64_t elements[BUFFERS_MAX];
} Sample;
void sample_make(Sample *, uint64_t seed);
void sample_fill(const Sample *, uint64_t seed, void **buffer);        /* malloc'd, inputs filled, outputs 0xa5 */

#endif
