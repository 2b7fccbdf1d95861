/* elab_infer.h - what the files about undeclared names share; nobody else includes it. */
#ifndef POR_ELAB_INFER_H
#define POR_ELAB_INFER_H

#include "elaborator.h"

typedef struct Unknown {
	struct Unknown *same;
	const Size *size;
} Unknown;

/* rank -1: nothing is known */
typedef struct Shape {
	int rank;
	Unknown *dim[RANK_MAX];
} Shape;

typedef struct Name {
	const char *name;
	bool product; /* an operand of @ */
	const Declared *given;
	Binding *value; /* declared */
	Shape shape;
	struct Name *next;
} Name;

typedef struct Bound {
	const char *name;
	Shape shape;
	struct Bound *next;
} Bound;

typedef struct Infer {
	Elab *e;
	Env env;
	uint32_t ngiven;
	const Declared *given;
	const GivenPart *parts;      /* the same by path */
	Name *names, **last;
	NameMap by_name;
	Text used; /* every name of the expression, between blanks */
} Infer;

/* elab_infer.c */
Unknown *unknown_root(Unknown *);
Unknown *unknown_new(Infer *, const Size *);            /* size NULL: not known */
Shape shape_of_type(Infer *, const Type *);
void find_free(Infer *, const Bound *, const Syntax *); /* the free names of an expression, in its order */
const Bound *bound_name(Infer *, const Bound *, const char *name);
Shape infer(Infer *, const Bound *, const Syntax *);    /* unifies sizes; gives the shape, rank -1: not known */

#endif
