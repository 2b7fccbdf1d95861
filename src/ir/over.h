/* over.h - nodes made anew over bodies that have changed, for the files that change them. */
#ifndef POR_OVER_H
#define POR_OVER_H

#include "ir.h"

/* A body of a loop or branch opened, for what the node becomes over what is mapped: where a size of what a
 * loop carries or walks along is another then, its leaves are too, in `map`. */
Opened opened_over(Graph *, Arena *, const Node *, const Body *, IdMap *map);
/* A loop or branch with opened bodies, and its operands, over what is mapped; a call of a function of these
 * results over leaves, for which `given` stands.  Either may capture more (within.c). */
Node *node_over_bodies(Graph *, Arena *, const Node *, const Opened *, IdMap *map);
Node *call_over(Graph *, Arena *, const Node *, Nodes leaf, Node *const *given, Nodes results);

#endif
