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
void mention_text(Mentioned *, Env, const Syntax *);
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
Given *over_leaves(Elab *, KeptCall *, unsigned flags, uint32_t n, const Given *);
/* Operands beside those that are given: what names stand for, and leaves. */
void give_outside(Elab *, KeptCall *, const Mentioned *, Nodes results);

/* elab_again.c: a function that stays one, called again: of arguments of the same types, it is the same. */
typedef struct KeptAgain {
	const FunctionValue *function;
	const struct OwnRule *own;   /* within which derivative */
	uint32_t n;
	const Given *given;
	uint32_t arguments;          /* leaves among those */
	KeptForm form;
	uint32_t noutside;
	Node **outside;              /* what it is given behind the arguments */
	const Binding *shape;        /* of what it gives */
} KeptAgain;
/* The value of this call, whose leaves are over_leaves'; NULL: it was not called so before, or an error. */
Binding *again_known(Elab *, const Syntax *, const KeptAgain *, const KeptCall *);
void again_keep(Elab *, const KeptAgain *, const KeptCall *, const KeptForm *, const Binding *shape);

/* elab_own.c */
/* The leaves of what a function of the user's gives, in the types of those of `to`; NULL with an error, which
 * says what it is. */
Node **fitted(Elab *, const Syntax *, const char *what, Binding *to, Binding *d);

#endif
