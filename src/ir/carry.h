/* carry.h - what carrying needs of the files that intern; nobody else includes it. */
#ifndef POR_CARRY_H
#define POR_CARRY_H

#include "ir.h"

/* The node, over what its type, attributes and operands are in g. */
Node *node_again(Graph *, const Node *, const Type *, const Attr *, Node *const *args);
/* The function, the same way; the lists belong to g. */
Function *function_again(Graph *, const Function *, const Attr *opattr, const Type **param, Node **result);
/* Elements that another graph keeps as long as g is there, as g's own. */
const Data *data_lent(Graph *, const Data *);

#endif
