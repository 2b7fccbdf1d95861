/* group.h - which nodes share a kernel. */
#ifndef POR_GROUP_H
#define POR_GROUP_H

#include "../ir/ir.h"

/* Nodes of a lowered body that are stored (roots: each ends a kernel, a core
 * or a loop) and, for the others, the one root that computes them in passing. */
typedef struct Groups {
	Graph *g;
	Arena *arena;
	Region *r;
	uint32_t nresult;
	Node *const *result;
	unsigned char *forced;       /* by place: must be a root, as some operator reads it from memory */
	unsigned char *root;         /* by place: is a root */
	unsigned char *few;          /* by place: a contraction that kernels write out */
	Node **home; /* by place: the root that a node is computed in; NULL: none or several */
	Node **rows; /* by place of a root: the fold whose rows its kernel walks, or NULL: a plain map */
} Groups;

/* ---- fuse.c -------------------------------------------------------------------- */

/* needs: a region without calls; gives: groups with every kernel bounded (a
 * few hundred instructions, a few dozen arrays).  body: of a loop or a branch. */
Groups *groups_of(Graph *, Arena *, Region *, Nodes results, bool body);

/* ---- changed.c ------------------------------------------------------------------ */

/* What arrays become in parts, of their own other elements, is forced to be stored. */
void store_changed_parts(Groups *);

/* ---- report.c ------------------------------------------------------------------ */

uint32_t groups_count(const Groups *);           /* roots that are computed: kernels, cores and loops */
/* Is every node stored, or computed where a stored one is?  False with ERR_INTERNAL. */
bool groups_verify(const Groups *, Error *);
/* A line for each group: what is stored, and what is computed in passing; of loops, those of their bodies
 * too. */
void groups_print(Text *, const Groups *, const Function *of);

/* ---- product.c ------------------------------------------------------------------ */

enum { PRODUCT_TERMS = 32 };         /* no more than a fold has lanes */

/* The labels that the result of a contraction lacks, in the order in which they are summed; terms 0: their
 * number is not known, or more than PRODUCT_TERMS. */
typedef struct FoldedLabels {
	uint32_t n, label[RANK_MAX], extent[RANK_MAX], terms;
	bool in_lanes;               /* an operand has no label of its own */
} FoldedLabels;
FoldedLabels folded_labels(const Node *contraction);
/* of an axis of an operand (0, 1) or the result (2) */
uint32_t contraction_label(const Node *contraction, uint32_t which, uint32_t axis);
/* Would what computes an operand be done again for other elements of the result? */
bool product_repeats(const Node *contraction, uint32_t operand);
/* Fills `few`. */
void find_few_products(Groups *);

/* ---- shapes.c -------------------------------------------------------------------- */

/* Axes of a fold. */
bool fold_takes(const Node *fold, uint32_t axis);
bool fold_takes_last(const Node *fold);
/* Is the reshape free of merging, so that an index of the result is an affine
 * function of indices of the operand? Fills, for each axis of the result, the operand's axis
 * and the factor by which it counts (both axes of size 1: axis -1). */
bool reshape_splits(Graph *, const Node *reshape, int *axis, const Size **factor);

#endif
