/* build.h - what the files of the constructors share; nobody else includes it. */
#ifndef POR_BUILD_H
#define POR_BUILD_H

#include "ir.h"

/* build.c */
Node *build_unary(Graph *, Op, uint32_t nattr, const AttrValue *, Node *x); /* x NULL: NULL */
/* that all operands meet in; DT_NONE with an error */
Dtype joint_dtype(Graph *, Op, uint32_t n, Node *const *);

/* node.c: of a test of two numbers that are constants its value, else x itself. */
Node *known_test(Graph *, Node *x);
/* element.c: of two elements, by an operator that gives a bool */
bool element_test(Op, Dtype, const void *, const void *);

/* build_view.c */
/* from the front; -1 with an error */
int64_t front_axis(Graph *, const char *what, int64_t axis, uint32_t rank);
/* Axes from the front, ascending, each once; false with an error. */
bool front_axes(Graph *, const char *what, uint32_t n, const int64_t *axes, uint32_t rank, AttrValue *out);

/* build_contract.c: a contraction from the attribute of a node. */
Node *build_contract(Graph *, const Attr *, Node *const *);

#endif
