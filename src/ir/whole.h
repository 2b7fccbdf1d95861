/* whole.h - exact whole numbers, for what is written out in a program: 10^23, 1/(2^70), 18446744073709551615.
 *
 * Magnitude and sign; as large as the largest f64 (1,024 bits).  A function that gives false has found its
 * result larger than that.
 */
#ifndef POR_WHOLE_H
#define POR_WHOLE_H

#include "ir.h"

enum { WHOLE_BITS = 1024, WHOLE_WORDS = WHOLE_BITS / 32, WHOLE_DIGITS = 312 };

typedef struct Whole {
	uint32_t negative;           /* 1: below 0; two equal numbers are equal bytes */
	uint32_t n;                  /* words in use: the last is not 0 */
	uint32_t word[WHOLE_WORDS];  /* the smallest first */
} Whole;

Whole whole_of_i64(int64_t);
Whole whole_of_u64(uint64_t);
/* up to the first that is no digit; base 10 or 16 */
bool whole_read(Whole *, const char *digits, uint32_t base);
bool whole_to_i64(const Whole *, int64_t *);            /* false: it does not fit */
bool whole_to_u64(const Whole *, uint64_t *);
/* rounded once; odd: so that a narrower float can be taken of it */
double whole_to_double(const Whole *, bool odd);
void whole_text(const Whole *, char out[WHOLE_DIGITS]); /* in decimal digits */

int whole_compare(const Whole *, const Whole *);        /* below 0, 0, above 0 */
Whole whole_minus(const Whole *);
bool whole_add(Whole *, const Whole *, const Whole *);
bool whole_multiply(Whole *, const Whole *, const Whole *);
bool whole_power(Whole *, const Whole *, const Whole *exponent); /* exponent >= 0 */
/* floor(x/y) and x - y*floor(x/y); of y = 0 they are 0 and x, as of integers. */
void whole_divide(const Whole *x, const Whole *y, Whole *quotient, Whole *rest);
bool whole_shift(Whole *, const Whole *, int64_t left); /* floor(x*2^left) */
/* x/y rounded once, y not 0. */
double whole_quotient(const Whole *x, const Whole *y);

/* ---- build_whole.c: literals in the graph --------------------------------------------
 * A whole number that i64 holds is a weak integer; a larger one a weak float that has the exact number beside
 * it. */

/* Element i of a literal: false where it is none, or no whole number. */
bool whole_at(const Node *, int64_t i, Whole *);
Node *whole_number(Graph *, const Whole *);
/* Literals of shape and elements: weak integers, or weak floats with their numbers. */
Node *whole_data(Graph *, uint32_t rank, const Size *const *dim, int64_t n, const Whole *);
/* The exact result of an operator on literals in *out (NULL: an error); false: it is an operation like any
 * other. */
bool whole_map(Graph *, Op, uint32_t n, Node *const *, Node **out);
bool whole_fold(Graph *, Op, Node *x, Node **out);      /* over all axes */
/* A literal as an integer dtype: nearest: explicitly, to the nearest that there is; else it is an error that
 * it does not fit. */
Node *whole_cast(Graph *, Node *x, Dtype, bool nearest);

#endif
