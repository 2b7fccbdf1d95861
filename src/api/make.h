/* make.h - how operators.c builds.  `where` is "file:line" or NULL; NULL in, NULL out. */
#ifndef POR_API_MAKE_H
#define POR_API_MAKE_H

#include "api.h"

#define NO_AXIS INT32_MAX

por_node *make1(Op, por_node *, const char *where);
por_node *make2(Op, por_node *, por_node *, const char *where);
por_node *make3(Op, por_node *, por_node *, por_node *, const char *where);
por_node *make_dtype(Op, por_node *, int dtype, const char *where);
por_node *make_axis(Op, por_node *, int axis, const char *where);
por_node *make_fold(Op, por_node *, int axis, const char *where);
por_node *make_folds(Op, por_node *, int n, const int *axes, const char *where);
por_node *make_reshape(por_node *, int rank, const por_size *, const char *where);
por_node *make_transpose(por_node *, const int *axes, const char *where);
por_node *make_expand(por_node *, int n, const int *axes, const por_size *, const char *where);
por_node *make_slice(
	por_node *, const por_size *start, const por_size *length, const int64_t *step, const char *where);
por_node *make_flip(por_node *, int n, const int *axes, const char *where);
por_node *make_pad(
	por_node *, const por_size *before, const por_size *after, const int64_t *step, const char *where);
por_node *make_concat(int axis, int n, por_node *const *, const char *where);
por_node *make_gather(por_node *, por_node *i, int axis, const char *where);
por_node *make_scatter(Op, por_node *, por_node *i, por_node *v, int axis, const char *where);
por_node *make_one_hot(por_node *i, por_size n, int dtype, const char *where);
por_node *make_top_k(por_node *, por_size k, const char *where);
por_node *make_einsum(const char *labels, por_node *, por_node *, const char *where);
por_node *make_tri_solve(por_node *a, por_node *b, int upper, int turned, const char *where);
por_node *make_random(Op, por_node *k, int dtype, int rank, const por_size *, const char *where);
por_node *make_tuple(int n, por_node *const *, const char *where);
por_node *make_get(por_node *, int i, const char *where);
por_node *make_matmul(por_node *, por_node *, const char *where);
por_node *make_library(const char *name, int axis, int n, por_node *const *, const char *where);

#endif
