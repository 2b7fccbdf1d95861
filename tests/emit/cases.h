/* cases.h - kernels by hand, each with the sizes it is run at. */
#ifndef CASES_H
#define CASES_H

#include "draft.h"

enum { ELEMENTS = 1 << 17, RUNS = 12 };   /* of each buffer; sets of parameters at most */

typedef struct Case {
	Draft d;
	int nrun;
	int64_t param[RUNS][8];
	int64_t index_extent[BUFFERS_MAX];       /* of a buffer of indices; 0: any numbers */
	bool stray;                              /* some indices lie outside */
	bool zeros;                              /* floats are all -0 */
} Case;

#define RUN(c, ...) memcpy((c)->param[(c)->nrun++], (const int64_t[8]){__VA_ARGS__}, 8 * sizeof(int64_t))

/* cases_chain.c */
void chain_sum_f32(Case *), chain_sum_bf16(Case *), chain_sum_i32(Case *), chain_max_f64(Case *),
	chain_argmax(Case *), chain_columns(Case *), chain_axes(Case *), gather_in(Case *), gather_out(Case
	*), gather_fold(Case *), random_draws(Case *), long_rows_f16(Case *), long_rows_f64(Case *);

extern void (*const case_make[])(Case *);
extern const uint32_t ncase;

#endif
