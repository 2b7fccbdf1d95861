/* elab_infer.h - what the files about undeclared names share; nobody else includes it. */
#ifndef POR_ELAB_INFER_H
#define POR_ELAB_INFER_H

#include "elaborator.h"

typedef struct Unknown {
	struct Unknown *same;
	const Size *size;
} Unknown;

/* rank -1: nothing is known */
typedef struct InferredShape {
	int rank;
	Unknown *dim[RANK_MAX];
} InferredShape;

typedef struct FreeName {
	const char *name;
	bool product; /* an operand of @ */
	const Declared *given;
	Binding *value; /* declared */
	InferredShape shape;
	struct FreeName *next;
} FreeName;

typedef struct BoundName {
	const char *name;
	InferredShape shape;
	struct BoundName *next;
} BoundName;

typedef struct Infer {
	Elab *e;
	Env env;
	uint32_t ngiven;
	const Declared *given;
	const GivenPart *parts;      /* the same by path */
	FreeName *names, **last;
	NameMap by_name;
	Text used; /* every name of the expression, between blanks */
} Infer;

/* elab_infer.c */
Unknown *unknown_root(Unknown *);
Unknown *unknown_new(Infer *, const Size *);            /* size NULL: not known */
InferredShape shape_of_type(Infer *, const Type *);
/* the free names of an expression, in its order */
void find_free(Infer *, const BoundName *, const Syntax *);
const BoundName *bound_name(Infer *, const BoundName *, const char *name);
/* unifies sizes; gives the shape, rank -1: not known */
InferredShape infer(Infer *, const BoundName *, const Syntax *);

#endif
