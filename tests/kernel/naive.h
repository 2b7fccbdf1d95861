/* naive.h - a kernel computed one index at a time, in the order that loop.h writes down: what tiers are compared with. */
#ifndef KERNEL_NAIVE_H
#define KERNEL_NAIVE_H

#include "../../src/loop/loop.h"

/* The whole kernel; buffers hold all that the accesses touch. */
void naive_run(const Kernel *, void *const *buffer, const int64_t *param, Fault *);

#endif
