/* requirement.h - what sizes must hold for a node, and what that is told of; a part of ir.h. */
#ifndef POR_IR_REQUIREMENT_H
#define POR_IR_REQUIREMENT_H

typedef void (*Need)(void *user, const Size *a, const Size *b, bool equal); /* a == b, or a <= b */

/* verify.c: what must hold for a node, beyond what is proved. */
void node_requirements(Graph *, const Node *, Need, void *user);
/* And of what is taken by a number or a size: that this is within the axis. */
void element_requirements(Graph *, const Node *, Need, void *user);
/* And where a body of it runs, a loop having a pass, a branch taking that side: sizes that are given to the
 * body are not negative, what is carried on has the sizes of what it began with, and both sides give the
 * same. */
void entry_requirements(Graph *, const Node *, const Body *, Need, void *user);

/* told.c: what a requirement is told of, "f64[k]", "@: f64[m, n] and f64[4]", "reshape", and its two sides
 * without what they have in common. */
void requirement_print(Text *, Graph *, const Node *, atom_map names, void *user);
void requirement_sizes(Graph *, const Node *, const Size **a, const Size **b);

#endif
