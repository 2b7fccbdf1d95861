/* cases.h - kernels by hand, each with the sizes it is run at. */
#ifndef CASES_H
#define CASES_H

#include "naive.h"

enum { ELEMENTS = 1 << 17, RUNS = 8 };   /* of each buffer; sets of parameters at most */

typedef struct Case {
	Draft d;
	int nrun;
	int64_t param[RUNS][8];
	int64_t index_extent[BUFFERS_MAX];       /* of a buffer of indices; 0: any numbers */
	bool stray;                              /* some indices lie outside */
	bool zeros;                              /* floats are all -0 */
} Case;

extern void (*const case_make[])(Case *);
extern const uint32_t ncase;

#endif
