/* draft.h - kernels built by hand. */
#ifndef DRAFT_H
#define DRAFT_H

#include "../../src/kernels/kernels.h"
#include "../kernel/room.h"

/* A kernel being written down. */
typedef struct Draft {
	Kernel k;
	KernelRoom room;
	char name[64];
} Draft;

void draft_open(Draft *, const char *name, Recipe, int naxis, int nrow, int nfold);
void draft_extent(Draft *, int axis, int64_t literal);          /* or a parameter: */
void draft_extent_param(Draft *, int axis, int param);
int draft_buffer(Draft *, Dtype, bool written);
void draft_stage(Draft *, bool inner);                          /* begins one; ends the one before */
void draft_done(Draft *);
uint16_t draft_const(Draft *, Dtype, uint64_t bits);
uint16_t draft_f32(Draft *, float);
uint16_t draft_f64(Draft *, double);
uint16_t draft_param(Draft *, int param);
uint16_t draft_map(Draft *, Op, Dtype to, Dtype from, int a, int b, int c);
uint16_t draft_fold(Draft *, Op, Dtype to, Dtype from, int a);
uint16_t draft_random(Draft *, InsKind, Op, Dtype, int a, int b, int c);
/* strides of the axes follow; P(n) is parameter n */
#define P(n) ((int64_t)1 << 40 | (n))
uint16_t draft_load(Draft *, int buffer, Dtype, int64_t offset, const int64_t *stride);
uint16_t draft_store(Draft *, int buffer, int a, int64_t offset, const int64_t *stride);
uint16_t draft_index(Draft *, int64_t offset, const int64_t *stride);
void draft_dynamic(Draft *, int ins, int value, int64_t stride, int64_t extent);        /* of a load, store or index */
#define S(...) ((const int64_t[AXES_MAX]){ __VA_ARGS__ })

#endif
