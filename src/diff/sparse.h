/* sparse.h - what the files of sparse Jacobians share.
 *
 * A linear map between arrays is swept through the nodes that compute it, by its diagonals.  A diagonal of a
 * node holds a number for each element of it: by how much the element changes with one element of the leaf.
 * Which one that is, its form says: along each axis of the leaf that is followed, the place is a sum of
 * multiples of the element's places, and an offset.  Sizes being polynomials, so are forms: what is found
 * holds for all sizes, and is as large for a million elements as for ten.
 */
#ifndef POR_DIFF_SPARSE_H
#define POR_DIFF_SPARSE_H

#include "diff.h"

/* More diagonals of a node than these are a matrix; a sum of more elements is no sum of so many diagonals. */
enum { DIAGONALS_MAX = 256, PIECES_MAX = 64 };

/* A form over a node of r axes: for each of n followed axes of the leaf r steps, then the offset. */
typedef const Size *const *Form;
/* Indexed, it has no form: `other` holds the place in the leaf, in row order, for each element of the
 * value, and `own`, or NULL, that in the node, where the value is a list of elements.  Those of one place
 * add up.  Of one that is no list `fixed`, or NULL, says by axis of the node the one place that it has, or
 * -1: all. */
typedef struct Diagonal { Form form; Node *value, *other, *own; const int64_t *fixed; } Diagonal;
typedef struct Diagonals { uint32_t n, cap; Diagonal *v; } Diagonals;

/* ---- sparse_forms.c: forms through operators --------------------------------------------------- */

/* n followed axes; all: the leaf's type, where these are all of them */
typedef struct Forms { Graph *g; Arena *a; uint32_t n; const Type *all; } Forms;

const Size **form_new(const Forms *, uint32_t rank);            /* of zeros */
bool form_is_fixed(const Forms *, Form, uint32_t rank);         /* no steps: the same element for all */
bool form_equal(const Forms *, Form, Form, uint32_t rank);
/* What a node makes of the form of its operand k. */
typedef enum Moved {
	MOVED,       /* `to` is its form in the node */
	MOVED_BY_PIECES, /* it has one for each place along the axis `at` of the operand */
	MOVED_AWAY   /* it has none: the place along the followed axis `at` is lost */
} Moved;
Moved form_moved(const Forms *, Node *x, uint32_t k, Form from, const Size ***to, uint32_t *at);
/* x of the operand's places c alone along the axis that form_moved named. */
Node *piece(const Forms *, Node *x, uint32_t k, uint32_t axis, int64_t c);

/* ---- sparse_indexed.c: diagonals by index arrays ------------------------------------------------ */

/* Where the place is lost to forms; false where all axes are not followed, or with an error. */
bool diagonal_indexed(const Forms *, Node *of, Diagonal *);
/* A node, its operand that has the diagonal, and which of them depend on the leaf. */
typedef struct IndexedOperand { Node *x; uint32_t k; const bool *depends; } IndexedOperand;
/* False: it is none in the node, or an error; a value of NULL: nothing is left. */
bool indexed_moved(const Forms *, const IndexedOperand *, const Diagonal *, Diagonal *out);

/* ---- sparse_fixed.c: indexed diagonals with one place along an axis ------------------------------- */

/* What is fixed becomes a list. */
bool diagonal_listed(const Forms *, const Type *of, Diagonal *);
/* x, of the node's shape, at the places that the diagonal has. */
Node *at_fixed(const Forms *, Node *x, const Diagonal *);
/* The places at one place along an axis, without that axis. */
Node *element_places(const Forms *, Node *places, uint32_t axis, int64_t c);
/* Into how many it is cut on the way from operand k through x, and along which axis; 0: it is not. */
uint32_t pieces_of(const Node *x, uint32_t k, const Diagonal *, uint32_t *axis);
/* The same where others of its node have one place along an axis: so that what they share is added up. */
uint32_t pieces_beside(const Diagonals *, const Diagonal *, uint32_t *axis);
bool piece_of(const Forms *, const Diagonal *, uint32_t axis, uint32_t c, Diagonal *out);
typedef enum FixedMoved { FIXED, FIXED_NOTHING, FIXED_NOT, FIXED_FAILED } FixedMoved;
/* Through what is no map.  NOTHING: no element is left; NOT: as a list. */
FixedMoved fixed_moved(const Forms *, Node *x, uint32_t k, const Diagonal *, Diagonal *out);

/* ---- sparse_places.c: places as arrays ------------------------------------------------------------- */

/* The sum of step[i]*(place along axis i) + offset, over a box; of step NULL none. */
Node *places(Graph *, uint32_t rank, const Size *const *dim, const Size *const *step, const Size *offset);
/* How far apart elements are whose places along an axis differ by 1. */
const Size *stride(Graph *, const Type *, uint32_t axis);
/* Is 0 <= form < n proved over a box?  A form of one axis: steps, then the offset. */
bool places_inside(Graph *, uint32_t rank, const Size *const *dim, const Size *const *form, const Size *n);
/* Those of a form, and the nearest of 0 <= i < n where it is outside. */
Node *nearest_places(Graph *, uint32_t rank, const Size *const *dim, const Size *const *form, const Size *n);
/* Of all axes, in row order, for each element of a node of this type. */
Node *form_places(const Forms *, const Type *own, Form);
Node *flat(Graph *, Node *);                            /* as a vector */
/* The elements of x in this shape; itself, or what it is a reshape of, where that has it. */
Node *reshaped(Graph *, Node *x, uint32_t rank, const Size *const *dim);
/* What is taken of copies is a copy of what is taken: a list has no element to spare then.  NULL: x is no
 * such. */
Node *copy_of_taken(Graph *, Node *x);

/* ---- sparse_free.c: parts of tuples ------------------------------------------------------------------ */

/* Which elements of what x gives hang on the leaf, where these operands do. */
void parts_that_hang(const Forms *, const Node *x, const bool *depends, bool *hang);
/* x where all of its operands that depend are 0. */
Node *where_leaf_is_zero(const Forms *, const Node *x, const bool *depends);

/* ---- sparse_sweep.c: diagonals through nodes -------------------------------------------------------- */

typedef struct Sweep {
	Forms forms;
	IdMap done;                  /* node id -> Swept */
	uint32_t made;               /* nodes, but for views: what it costs */
	uint32_t lost;               /* after a failure without an error: the followed axis, by its number */
	Node *at;                    /* and the node where */
} Sweep;

void sweep_open(Sweep *, Forms);
void sweep_seed(Sweep *, Node *leaf, Diagonal);
bool sweep_run(Sweep *, uint32_t n, Node *const *y);            /* false: lost, or an error */
const Diagonals *sweep_of(const Sweep *, const Node *);         /* NULL: it is zero */

#endif
