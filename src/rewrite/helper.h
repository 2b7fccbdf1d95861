/* helper.h - what the files of helpers share; nobody else includes it. */
#ifndef POR_HELPER_H
#define POR_HELPER_H

#include "rules.h"

/* A node from the match, the lists in the pattern's brackets and the operands; NULL: the rule is refused. */
typedef Node *HelperFunction(Match *, const Pattern *, uint32_t n, Node **x);

/* helper.c: list number k in the brackets, as it is bound; NULL: empty */
const Attr *list_at(const Match *, const Pattern *, uint32_t k);
uint32_t axes_at(const Match *, const Pattern *, uint32_t k, int64_t *axes); /* its numbers; how many */

/* helper_back.c */
HelperFunction unpermute, unslice, unpad, concat_part, einsum_left, einsum_right, solve_turned,
	triangle_product, strictly_lower, solve_right, pick_last, written_last;

/* helper_twice.c */
HelperFunction expand_twice, transpose_twice, flip_twice, slice_twice;

#endif
