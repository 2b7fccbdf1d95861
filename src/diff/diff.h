/* diff.h - derivatives, symbolic and closed under themselves.
 *
 * Forward mode pushes tangents through the nodes by the table of
 * differentials (book derivative).  Reverse mode transposes the linear part
 * that forward mode has made (book transposition).  Nothing here knows the
 * derivative of an operator; only loops, calls and `where` are treated in C.
 */
#ifndef POR_DIFF_H
#define POR_DIFF_H

#include "../rewrite/rewrite.h"

/* ---- forward.c ---------------------------------------------------------------- */

/* dy[i] = sum over j of (dy[i]/dx[j]) v[j].  x are variables: only paths through these nodes count.
 * v[j] NULL is zero; a dy that nothing reaches is a zero constant.  False with an error. */
bool diff_jvp(Graph *, Nodes y, Nodes x, Node *const *v, Node **dy);

/* ---- reverse.c ---------------------------------------------------------------- */

/* out[j] = sum over i of u[i] (dy[i]/dx[j]); u[i] NULL is zero. */
bool diff_vjp(Graph *, Nodes y, Nodes x, Node *const *u, Node **out);
/* The gradient of a real scalar; an error that names vjp and jacobian otherwise. */
bool diff_grad(Graph *, Node *y, uint32_t nx, Node *const *x, Node **out);

/* ---- jacobian.c ----------------------------------------------------------------- */

/* dy/dx, sizes of y then sizes of x: for all unit vectors, of y (reverse) or of x (forward), together. */
Node *diff_jacobian(Graph *, Node *y, Node *x, bool forward);

/* ---- sparse.c ------------------------------------------------------------------- */

/* dy/dx by the elements that may be other than zero, as three vectors: values, rows (elements of y) and
 * columns (of x), both in row order.  Of a gradient it is symmetric. */
bool diff_sparse(Graph *, Node *y, Node *x, bool symmetric, Node *out[3]);

/* ---- merge.c -------------------------------------------------------------------- */

/* Loops over equal operands whose carried parts are equal become one with the union of their traces; traces
 * that nobody reads and carried values that feed nothing go.  Branches of one condition become one.  roots
 * are replaced. */
bool diff_merge(Graph *, uint32_t n, Node **roots);
/* The same for a closed function, and for the bodies of its loops and branches. */
Function *diff_merge_function(Graph *, Function *);
/* Does a branch give, or a loop stack, what nobody reads, in bodies too?  Merging leaves none. */
bool diff_holds_unread(Graph *, Function *);

/* Loops over what a loop before them stacks, in the same direction, are one with it: tangents are carried
 * beside what they are of.  So is a loop in a side of a branch with one that runs around it. */
Function *diff_join_function(Graph *, Function *);

/* ---- stack.c -------------------------------------------------------------------- */

/* The closed function in which no loop makes again what a loop before it has made in each pass and can stack:
 * folds and loops of a pass, no larger than what is kept of one anyway. */
Function *diff_stack_function(Graph *, Function *);

/* ---- merge_whiles.c ------------------------------------------------------------- */

/* A row of a trace is what a loop carries before a pass, or after it. */
typedef struct CarriedTrace { uint32_t carry; bool after; } CarriedTrace;
/* One loop of a loop that a condition ends and of one that makes as many passes and stacks values: at:
 * where each carried value of either stands; trace: what the second one's traces are. */
typedef struct RecordedLoop { Node *loop; uint32_t *at[2]; CarriedTrace *trace; } RecordedLoop;
/* False, perhaps with an error: they are no such, or the second needs what the first gives. */
bool loop_recorded(Graph *, Arena *, Node *whiles, Node *counted, RecordedLoop *);

/* ---- transforms.c --------------------------------------------------------------- */

/* Hang the derivative forms of the notation on a graph (graph->transforms). */
void diff_open(Graph *);

#endif
