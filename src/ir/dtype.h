/* dtype.h - the types of elements, as dtypes.h lists them.
 *
 * Apart from ir.h, as op.h is, for what is compiled long and once for each instruction set: the interpreter's
 * primitives need to know these lists and nothing else of a graph.
 */
#ifndef POR_IR_DTYPE_H
#define POR_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include "dtypes.h"

typedef enum Dtype {
	DT_NONE,
#define DTYPE(D, d, T, HELD, held, H, numbers, ...) DT_##D = DTYPE_NUMBER numbers,
	ALL_DTYPES(DTYPE)
#undef DTYPE
#define DTYPE(...) + 1
	DT_WEAK_INT = 1 ALL_DTYPES(DTYPE),   /* literals of an open graph; held as i64, f64, c128 */
#undef DTYPE
	DT_WEAK_FLOAT,
	DT_WEAK_COMPLEX,
	DT_COUNT
} Dtype;

/* What rewriting asks of nearly every node.  A later kind takes in the ones before. */
typedef enum DtypeKind { OF_NO_NUMBERS, OF_INTEGERS, OF_FLOATS, OF_COMPLEX } DtypeKind;
typedef struct DtypeFacts { unsigned char kind, bytes, strong, part; } DtypeFacts;
extern const DtypeFacts dtype_facts[DT_COUNT];

const char *dtype_name(Dtype);                   /* "f32"; of a literal, "number", ... */
Dtype dtype_named(const char *, size_t n);       /* DT_NONE when there is none; a literal's has no name */
/* of one element; bool is 1 */
static inline size_t dtype_bytes(Dtype d) { return dtype_facts[d].bytes; }
/* i8..u64 and weak int; not bool */
static inline bool dtype_is_integer(Dtype d) { return dtype_facts[d].kind == OF_INTEGERS; }
bool dtype_is_unsigned(Dtype);                   /* u8..u64 */
/* f16, bf16, f32, f64, weak float */
static inline bool dtype_is_float(Dtype d) { return dtype_facts[d].kind == OF_FLOATS; }
static inline bool dtype_is_complex(Dtype d) { return dtype_facts[d].kind == OF_COMPLEX; }
/* integer, float or complex */
static inline bool dtype_is_number(Dtype d) { return dtype_facts[d].kind != OF_NO_NUMBERS; }
static inline bool dtype_is_weak(Dtype d) { return dtype_facts[d].strong != d; }
/* weak: i64, f64, c128; others: themselves */
static inline Dtype dtype_strong(Dtype d) { return (Dtype)dtype_facts[d].strong; }
/* of a complex number; others: themselves */
static inline Dtype dtype_part(Dtype d) { return (Dtype)dtype_facts[d].part; }
/* The dtype two operands meet in (array-API table within a kind, an integer
 * meeting a float gives the float, weak gives way); DT_NONE: they do not meet. */
Dtype dtype_promote(Dtype, Dtype);

Dtype dtype_held(Dtype);                         /* in whose registers it is computed: of f16 f32 */
bool dtype_is_narrow(Dtype);                     /* held in a wider float: each operation is rounded */
Dtype dtype_summed(Dtype);                       /* of a sum or product of many */
int dtype_dlpack(Dtype);                         /* its kind in a DLDataType */
int dtype_lanes(Dtype);                          /* and its lanes: 2 of a key */

/* Limits, of a complex number those of its parts: binary digits; the least number, of floats the least normal
 * positive one, and the largest; is there an infinity? */
int dtype_digits(Dtype);
double dtype_min(Dtype);
double dtype_max(Dtype);
bool dtype_has_infinity(Dtype);

/* ---- element.c: one element in memory; in its own dtype, but for the weak ones that of dtype_strong ---- */

/* a real number or bool as a cast gives it, rounded once */
void element_cast(Dtype to, void *, Dtype from, const void *);
double element_number(Dtype, const void *);      /* as f64; of a complex number the real part */
int64_t element_whole(Dtype, const void *);      /* of a whole number or bool; u64 as its bits */
/* every NaN becomes the positive quiet one, that of a part too */
void elements_quiet(Dtype, void *, size_t bytes);

#endif
