/* op.h - the operators, as ops.h lists them. */
#ifndef POR_IR_OP_H
#define POR_IR_OP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Op {
	OP_NONE,
#define OP(NAME, ...) OP_##NAME,
#include "ops.h"
#undef OP
	OP_COUNT
} Op;

typedef enum Class { LEAF, MAP, FOLD, CUMULATIVE, VIEW, INDEX, CONTRACT, SOLVE, RANDOM, CONTROL } Class;
typedef enum DtypeRule { OWN, SAME, REAL, FLOAT, RFLOAT, INT, BITS, BOOL, TEST, RTEST, FTEST, SELECT } DtypeRule;
enum { VARIADIC = -1 };
enum { COMM = 1, ASSOC = 2, IDEM = 4, LINEAR = 8, BILINEAR = 16, ZERO = 32, INCREASING = 64, EVEN = 128, ODD = 256,
       EFFECT = 512 };

typedef struct OpInfo {
	const char *name;            /* "ADD" */
	const char *text;            /* "+" */
	int args;
	Class class;
	DtypeRule dtype;
	unsigned flags;
	const char *formula, *notes;
	size_t length;               /* of text */
} OpInfo;
extern const OpInfo op_info[OP_COUNT];
/* The operator that the notation calls `text`, taking n operands (a sign such
 * as "-" has two); OP_NONE when there is none.  Leaves, TUPLE, GET, CALL, SCAN
 * and PARAM have no name there.  `fold`: max and min with one operand. */
Op op_named(const char *text, size_t len, int n);
bool op_is_named(const char *text, size_t len);  /* with any number of operands */

#endif
