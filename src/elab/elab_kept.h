/* elab_kept.h - what the files share that elaborate functions which stay calls; nobody else includes it. */
#ifndef POR_ELAB_KEPT_H
#define POR_ELAB_KEPT_H

#include "elaborator.h"

/* Values of names that a text mentions, by id. */
typedef struct Mentioned {
	Elab *e;
	IdMap node;
	const FunctionValue **function;
	uint32_t nfunction, cap;
} Mentioned;
void mention_value(Mentioned *, const Binding *);
/* elab_told.c: the functions that an op is given */
void mention_operands(Mentioned *, const FunctionValue *);

/* Leaves of the function, and what each stands for. */
typedef struct KeptCall {
	Node **leaf, **given;
	uint32_t n, cap, given_cap;
} KeptCall;
void give_leaf(Elab *, KeptCall *, Node *leaf, Node *given);
/* Arguments over leaves of the function; NULL with an error. */
Given *over_leaves(Elab *, KeptCall *, uint32_t n, const Given *);
/* Operands beside those that are given: what names stand for, and leaves. */
void give_outside(Elab *, KeptCall *, const Mentioned *, Nodes results);

/* elab_own.c */
/* The leaves of what a function of the user's gives, in the types of those of `to`; NULL with an error, which
 * says what it is. */
Node **fitted(Elab *, const Syntax *, const char *what, Binding *to, Binding *d);

#endif
