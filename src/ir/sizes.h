/* sizes.h - sizes of axes: integer polynomials in normal form, interned: equal sizes are one pointer. */
#ifndef POR_SIZES_H
#define POR_SIZES_H

#include "../base/base.h"

typedef struct Graph Graph;
typedef struct Node Node;
typedef struct Function Function;
typedef struct Size Size;
typedef struct Atom Atom;

typedef enum AtomKind { ATOM_NAME, ATOM_PARAM, ATOM_NODE, ATOM_FLOORDIV, ATOM_MOD, ATOM_MIN,
	ATOM_MAX } AtomKind;

/* what a size is a polynomial of; interned; a name or parameter is >= 0 but for those of data */
struct Atom {
	uint32_t id;
	AtomKind kind;
	uint32_t index;              /* PARAM: the size parameter's place */
	bool data; /* PARAM: what is given for it is a value of data, which may be negative */
	const char *name;            /* NAME: interned text */
	Node *node;                  /* NODE: the i64 scalar that holds it */
	const Size *a, *b;           /* FLOORDIV a//b, MOD a%b, MIN, MAX */
};

/* coef * product of atoms */
typedef struct Term { int64_t coef; uint32_t natom; const Atom *const *atom; } Term;

struct Size {                        /* sum of terms; the constant term, if any, last; no terms: 0 */
	uint32_t id, hash;
	uint32_t nterm;
	Term term[];
};

const Size *size_const(Graph *, int64_t);
const Size *size_named(Graph *, const char *name);
const Size *size_param(Graph *, uint32_t index);
const Size *size_param_of_data(Graph *, uint32_t index);  /* for which a value of data is given */
/* constants, size leaves and their sums and products are seen through */
const Size *size_of_node(Graph *, Node *i64_scalar);
void size_counts(Graph *, Node *i64_scalar, void (*found)(void *user, Node *ones, bool alone), void *user);
const Size *size_add(Graph *, const Size *, const Size *);
const Size *size_sub(Graph *, const Size *, const Size *);
const Size *size_mul(Graph *, const Size *, const Size *);
const Size *size_floordiv(Graph *, const Size *, const Size *);
const Size *size_mod(Graph *, const Size *, const Size *);
const Size *size_min(Graph *, const Size *, const Size *);
const Size *size_max(Graph *, const Size *, const Size *);
bool size_is(const Size *, int64_t *value);            /* a number? */
bool size_equals(const Size *, int64_t);               /* this number? */
const Atom *size_single(const Size *);                 /* the atom that it is; NULL: a number, or more */
/* Sign of a - b as far as it is proved, names and parameters being >= 0; a value of data may be anything. */
typedef enum Proof { PROOF_UNKNOWN, PROOF_LESS, PROOF_LESS_EQUAL, PROOF_EQUAL, PROOF_GREATER_EQUAL,
	PROOF_GREATER } Proof;
Proof size_compare(Graph *, const Size *a, const Size *b);
bool size_differ(Graph *, const Size *a, const Size *b);  /* proved different */
bool size_at_most(Graph *, const Size *a, const Size *b); /* proved a <= b */
/* between which its value lies; infinite: not known */
void size_bounds(const Size *, double *low, double *high);
/* Names that somebody gave to sizes of one signature: where two of them meet, that is an error where it is
 * written. */
void size_declare(Graph *, const Size *named);
bool size_is_name(const Size *);
bool sizes_clash(Graph *, const Size *a, const Size *b);  /* proved different, or two such names */
const char *clash_advice(Graph *, const Size *a, const Size *b); /* the end of a message, or "" */
/* Is a <= b, or a == b, proved?  Loops' indices are within their ranges, which leaf_is_below tells. */
bool size_holds(Graph *, const Size *a, const Size *b, bool equal);
void leaf_is_below(Graph *, const Node *leaf, Node *steps);
/* every element of an index is proved to be within 0 <= i < n */
bool index_holds(Graph *, Node *index, const Size *n);
/* Replace atoms: `map` gives a size for an atom or NULL to keep it; node atoms go through it too. */
typedef const Size *(*atom_map)(void *user, const Atom *);
const Size *size_substitute(Graph *, const Size *, atom_map, void *user);
/* Is all that is divided in it divided by what is above 0? */
bool size_is_defined(Graph *, const Size *);
bool size_is_of_node(const Size *); /* is it counted by a value of the graph? */
/* each basic atom, in order */
void size_atoms(const Size *, void (*visit)(void *user, const Atom *), void *user);
/* Does a part grow wherever the whole does?  Of numbers: is it more than half? */
bool size_grows_as(const Size *part, const Size *whole);
/* Value under an assignment of the basic atoms; false on overflow or when `value` says false. */
typedef bool (*atom_value)(void *user, const Atom *, int64_t *value);
bool size_evaluate(const Size *, atom_value, void *user, int64_t *value);
uint32_t size_lead(const Size *);                      /* the term that is shown first: n - m, not -m + n */
void size_print(Text *, const Size *);                 /* "2*n + 1"; size parameters print as s1, s2, ... */
struct Within;
void scalar_print(Text *, const struct Within *, const Node *); /* its name there, or what computes it */
bool scalar_is_told(Arena *, const Node *);            /* does a name stand in that? */
/* ": i, in x": what an index and its array are called, of an operator that has them; what has no name is left out */
void indices_print(Text *, const struct Within *, const Node *);
const char *size_shown(Graph *, const Size *);         /* the same on the graph's arena, for a message */

#endif
