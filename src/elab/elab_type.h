/* elab_type.h - what the files about types of the notation share; nobody else includes it. */
#ifndef POR_ELAB_TYPE_H
#define POR_ELAB_TYPE_H

#include "elaborator.h"

/* elab_type.c */
TypeTerm *term_new(Elab *, uint8_t kind, uint32_t n);
Dtype variable_dtype(const TypeTerm *);                 /* DT_NONE: it is open */
const char *term_text(Elab *, const TypeTerm *);
/* The error "what: given ..., wanted ..."; NULL. */
void *mismatch(Elab *, const Syntax *at, const char *what, const TypeTerm *, const Binding *given);

/* elab_dim.c: a name in a shape: what it stands for, or where it would be bound. */
typedef struct DimPlace {
	Env env;
	const char *name;
} DimPlace;
void bind_place(Elab *, DimPlace, Binding *);
/* The size; NULL without an error where it is a new name, whose place is then told. */
const Size *shape_size(Elab *, const TypeDim *, DimPlace *new);
/* Names that are new within a size become sizes of their own, or what `given` says; false with an error. */
bool learn_names(Elab *, const Syntax *at, const TypeDim *, const Size *given);
const char *new_size_name(Elab *, DimPlace);               /* of p: tree, q: tree the second n is n1 */

#endif
