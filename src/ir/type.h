/* type.h - what the files that find types share; nobody else includes it. */
#ifndef POR_TYPE_H
#define POR_TYPE_H

#include "ir.h"

/* type.c */
/* The error "op: given TYPES, wanted ..."; NULL. */
const Type *type_refused(Graph *, Op, const char *wanted, uint32_t n, Node *const *);
bool operands_share_dtype(uint32_t n, Node *const *);
/* the same but for sizes that are not known to be equal */
bool types_agree(Graph *, const Type *, const Type *);

/* type_view.c */
const Type *view_type(Graph *, Op, const Attr *, uint32_t n, Node *const *);
const Type *index_type(Graph *, Op, const Attr *, uint32_t n, Node *const *);

/* type_control.c */
const Type *control_type(Graph *, Op, const Attr *, uint32_t n, Node *const *);

#endif
