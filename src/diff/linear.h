/* linear.h - what the files of this room share. */
#ifndef POR_DIFF_LINEAR_H
#define POR_DIFF_LINEAR_H

#include "diff.h"
#include "../ir/own.h"

/* A forward sweep: what is known of each node's tangent. */
typedef struct Forward {
	Graph *g;
	Arena *scratch;
	IdMap done;                  /* node id -> Tangent */
	Table kept;                  /* derivatives of calls that stay, of this sweep (calls.c) */
} Forward;

/* Of an array: one node, NULL when zero.  Of a tuple: one per element. */
typedef struct Tangent { uint32_t n; Node **elem; } Tangent;

Tangent *tangent_new(Forward *, const Node *);
void forward_open(Forward *, Graph *, Arena *scratch);
void forward_seed(Forward *, Node *x, Node *v);
bool forward_run(Forward *, uint32_t n, Node *const *y);       /* all below y; false with an error */
Node *forward_of(const Forward *, const Node *y);              /* NULL: zero */

/* Does the loop make a pass?  NULL: it always does, or with an error.  loops.c */
Node *has_pass(Graph *, Node *scan);

/* Carries tangents through a loop; t has an element per result.  loops.c */
bool forward_scan(Forward *, Node *scan, Tangent *t);

/* The same loop without its condition, of as many passes as it makes with it; its results without the first,
 * which is that condition.  whiles.c */
Node *counted(Graph *, Arena *, Node *scan);
/* Through a branch.  branches.c */
bool forward_if(Forward *, Node *branch, Tangent *t);

/* Through a call that stays: its tangents are another, which computes its values again.  calls.c */
bool forward_kept(Forward *, Node *call, Tangent *t);

/* Through a function that solves a system.  calls.c */
bool forward_system(Forward *, Node *call, Node *const *tangents, Tangent *t);

/* Branches of one condition become one, with the results that are read; roots are replaced.
 * merge_branches.c */
bool merge_branches(Graph *, uint32_t n, Node **roots);

/* Loops that one condition ends become one, with what either carries; roots are replaced.  merge_whiles.c */
bool merge_whiles(Graph *, uint32_t n, Node **roots);

/* dh, a leaf for the differential of h. */
Node *differential_leaf(Graph *, const Node *of);

/* A marker is a call that stands for the tangent of an op whose reverse is a rule of its own: operands are
 * those of the op, then their tangents.  It can be transposed, not computed. */
bool marker_is(const Node *);

/* What comes back to what is linear.  Where `asked` does not hold (NULL: it always holds) nothing that runs
 * has asked for it: a loop had no pass, a side was not taken; then it is zero, and is no factor. */
typedef struct Cotangent { Node *value, *asked; } Cotangent;

/* Transpose: cotangents of the linear leaves `leaf` for cotangents u of y, which depends linearly on them.
 * out[j] NULL: zero. */
bool transpose_linear(Graph *, Nodes y, Node *const *u, Nodes leaf, Node **out);
/* In a body; factor[j]: somebody multiplies the cotangent of leaf j yet: tell where it is asked for. */
bool transpose_body(Graph *, Nodes y, Node *const *u, Nodes leaf, const bool *factor, Cotangent *out);

/* Does b hold wherever a does, as one of what a is made of?  masks.c */
bool mask_implies(const Node *a, const Node *b);
/* The number that a mask is for all elements; NULL: it is none.  masks.c */
Node *mask_number(Graph *, Node *mask);
/* Does the mask compare what is made of this factor, as that of relu(A @ x) does?  Where that is no number,
 * so is what it chooses by.  masks.c */
bool mask_asks(const Node *mask, const Node *factor);
/* Is this factor 0 where the mask does not hold?  masks.c */
bool mask_guards(const Node *mask, const Node *factor);
/* Where any of n masks holds, which are changed; NULL: everywhere.  masks.c */
Node *any_mask(Graph *, uint32_t n, Node **mask);

/* What holds bodies, to be turned round: which operands are linear, of which the cotangent is multiplied yet,
 * and the cotangents of the results. */
typedef struct TurnRound {
	const bool *linear, *factor;
	Node *const *cotangent;
} TurnRound;

/* The cotangents of a linear loop's operands.  loops.c */
bool reverse_scan(Graph *, Node *scan, const TurnRound *, Cotangent *out);
/* Of a linear branch's.  branches.c */
bool reverse_if(Graph *, Node *branch, const TurnRound *, Cotangent *out);
/* Of a linear call's that stays; kept: those of this sweep.  calls.c */
bool reverse_kept(Graph *, Table *kept, Node *call, const bool *linear, Node *const *cotangent, Node **out);
/* Of the right side of a system.  calls.c */
bool reverse_system(Graph *, Node *call, const bool *linear, Node *const *cotangent, Node **out);

#endif
