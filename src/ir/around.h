/* around.h - what is computed around branches, and once for several; a part of ir.h. */
#ifndef POR_IR_AROUND_H
#define POR_IR_AROUND_H

/* ---- branch_around.c ---------------------------------------------------------------- */

/* What these need whichever side of a branch is taken, into `around` by id; what of that is within sides. */
void note_around(Arena *, Nodes of, IdMap *around);
/* And what holds bodies and is captured by two branches of the region; `of` says by place by which (NULL:
 * any). */
void note_shared(Graph *, Arena *, const Region *, const bool *of, IdMap *around);
Nodes within_sides(Arena *, uint32_t n, Node *const *yes, Node *const *no, const IdMap *around);

/* The same results, of branches and guards that capture what is computed around them anyway, `outside`
 * among it: of those that hang on bound leaves, or that `own` (may be NULL) has by their ids.  NULL with an
 * error. */
Node *const *captured_around(Graph *, Arena *, Nodes results, Nodes bound, Nodes outside, const IdMap *own);

/* ---- held_put.c ------------------------------------------------------------------------- */

/* The same results, in which what sides of several branches hold is held once; bound: the leaves that they
 * are closed over.  NULL with an error. */
Node *const *held_once(Graph *, Arena *, Nodes results, Nodes bound);
/* What is alike to one of x in the roots, also in bodies, where a branch may capture other things: in `map`
 * the leaf in its place. */
void note_alike(Graph *, Arena *, Nodes roots, Nodes x, Node *const *leaf, IdMap *map);

#endif
