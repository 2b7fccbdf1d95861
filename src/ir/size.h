/* size.h - what the files of sizes share: the arithmetic that makes no errors, and atoms' bounds. */
#ifndef POR_SIZE_H
#define POR_SIZE_H

#include "ir.h"

/* Terms and atoms of a size, nested ones included; bounds every recursion. */
enum { SIZE_WEIGHT = 4096 };

/* Bounds of what an atom or a size can be.  +-FAR stands for anything at least
 * as far: no lower or upper bound. */
#define FAR INT64_MAX
typedef struct SizeRange { int64_t low, high; } SizeRange;

/* An atom and what is worked out once about it. */
typedef struct AtomRecord { Atom atom; uint32_t weight; SizeRange range; } AtomRecord;

static inline const AtomRecord *atom_record(const Atom *x) { return (const AtomRecord *)x; }

/* size.c.  NULL when a number leaves 64 bits or a size grows beyond SIZE_WEIGHT; NULL of NULL. */
const Size *size_of_term(Graph *, Term);
const Size *size_sum(Graph *, const Size *a, int64_t k, const Size *b); /* a + k*b */
const Size *size_product(Graph *, const Size *, const Size *);

const Size *size_of_atom(Graph *, Atom);
/* The one atom that a term is a multiple of, if it is of this kind; else NULL. */
static inline const Atom *size_only_atom(const Term *t, AtomKind kind)
{
	return t->natom == 1 && t->atom[0]->kind == kind ? t->atom[0] : NULL;
}

/* size_division.c: a // b (ATOM_FLOORDIV) or a % b (ATOM_MOD), b not 0. */
const Size *size_division(Graph *, AtomKind, const Size *a, const Size *b);
static inline int64_t floor_quotient(int64_t x, int64_t y) { return x / y - (x % y < 0); } /* y > 0 */
static inline int64_t floor_rest(int64_t x, int64_t y) { return x % y + (x % y < 0 ? y : 0); }

/* size_proof.c */
SizeRange atom_range(const Atom *);
bool size_proved(Graph *, const Size *);                /* never negative?  false of NULL */

#endif
