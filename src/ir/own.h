/* own.h - functions that tell their derivative, and functions that solve a system of linear equations. */
#ifndef POR_OWN_H
#define POR_OWN_H

#include "ir.h"

/* An array of real floats: it has tangents. */
static inline bool has_tangent(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(x));
}

/* ---- own.c ---------------------------------------------------------------------------------- */

/* A function whose derivative is another: of the parameters, the results and either the parameters' tangents
 * (DIFFERENTIAL: it gives those of the results) or the results' cotangents (PULLBACK: those of the
 * parameters).  Both are closed over these leaves in that order; NULL with an error. */
typedef enum OwnKind { OWN_DIFFERENTIAL, OWN_PULLBACK, OWN_SYSTEM } OwnKind;
typedef struct OwnParts {
	const char *name;
	Nodes leaf, result;          /* of the function */
	Nodes y, d;                  /* leaves for its results, then for tangents or cotangents */
	Nodes derivative;            /* tangents of the results, or cotangents of the leaves */
	OwnKind kind;
} OwnParts;
Node *own_call(Graph *, const OwnParts *, Node *const *given);
/* function_close where nothing but the leaves may be reached; else NULL with an error. */
Function *closed_over(Graph *, Title, Nodes leaf, Nodes result, Closure *);
/* The sizes for a function that takes what the call takes, and perhaps more; a call of it. */
bool sizes_as_called(Graph *, const Node *call, const Function *, Node *const *arg, const Size **);
Node *call_as_called(Graph *, const Node *call, Function *, Node *const *arg);
/* What tells the derivative of a call; NULL: nothing of its own does. */
Function *own_derivative(const Node *, OwnKind);
/* A call of that, of zeros, for who reads it. */
Node *own_derivative_call(Graph *, Node *call);
/* It over the call's operands, its results and these, where NULL is zero. */
bool own_apply(Graph *, Node *call, Node *const *d, Node **out);

/* ---- linearity.c ----------------------------------------------------------------------------- */

/* Is y linear in d, as far as one can tell?  False with an error where it is affine: "WHAT is not linear in
 * IN: ...". */
bool told_is_linear(Graph *, const char *what, const char *in, Nodes y, Nodes d);

/* ---- system.c -------------------------------------------------------------------------------- */

/* A function that solves a system: z with a(z) = b, of b and of what the system is made of; a is linear.
 * Its differential is the solution of the same system for db - da(z), its transpose that of the transposed
 * one: both are such functions again, so they have derivatives of any order. */
typedef struct SystemParts {
	const char *name;
	Nodes leaf;                          /* nb of b, then what the system is made of */
	Nodes u;                             /* as those of b */
	Node *const *solve, *const *apply;   /* z; a of b's leaves in the place of z */
	Node *const *solve_transposed;       /* of b's leaves in the place of u */
	Node *const *apply_transposed;       /* of u */
} SystemParts;
/* A call of it; results as b has. */
Node *system_call(Graph *, const SystemParts *, Node *const *given);
uint32_t system_size(const Node *);          /* nb of such a call; of others 0 */
Node *system_of(Graph *, Node *call, Node *const *b);        /* the same of another right side */
Node *system_transposed(Graph *, Node *call, Node *const *u);
bool system_apply(Graph *, Node *call, Node *const *z, Node **out);
/* Calls of what it is made of, for who reads it: a, and what solves the transposed system. */
Node *system_apply_call(Graph *, Node *call);
Node *system_transposed_call(Graph *, Node *call);

#endif
