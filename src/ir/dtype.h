/* dtype.h - the types of elements.
 *
 * Apart from ir.h, as op.h is, for what is compiled long and once for each instruction set: the interpreter's
 * primitives need to know these lists and nothing else of a graph.
 */
#ifndef POR_IR_DTYPE_H
#define POR_IR_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Dtype {
	DT_NONE,
	DT_BOOL, DT_I8, DT_I16, DT_I32, DT_I64, DT_U8, DT_U16, DT_U32, DT_U64,
	DT_F16, DT_BF16, DT_F32, DT_F64, DT_C64, DT_C128,
	DT_KEY,                                  /* 128 bits: two u64 */
	DT_WEAK_INT, DT_WEAK_FLOAT, DT_WEAK_COMPLEX, /* literals of an open graph; held as i64, f64, c128 */
	DT_COUNT
} Dtype;

const char *dtype_name(Dtype);                   /* "f32"; of a literal, "number", ... */
Dtype dtype_named(const char *, size_t n);       /* DT_NONE when there is none; a literal's has no name */
size_t dtype_bytes(Dtype);                       /* of one element; bool is 1 */
bool dtype_is_integer(Dtype);                    /* i8..u64 and weak int; not bool */
bool dtype_is_float(Dtype);                      /* f16, bf16, f32, f64, weak float */
bool dtype_is_complex(Dtype);
bool dtype_is_number(Dtype);                     /* integer, float or complex */
bool dtype_is_weak(Dtype);
Dtype dtype_strong(Dtype);                       /* weak: i64, f64, c128; others: themselves */
/* The dtype two operands meet in (array-API table within a kind, an integer
 * meeting a float gives the float, weak gives way); DT_NONE: they do not meet. */
Dtype dtype_promote(Dtype, Dtype);

#endif
