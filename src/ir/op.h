/* op.h - the operators, as ops.h lists them. */
#ifndef POR_IR_OP_H
#define POR_IR_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Op {
	OP_NONE,
#define OP(NAME, ...) OP_##NAME,
#include "ops.h"
#undef OP
	OP_COUNT
} Op;

typedef enum Class { LEAF, MAP, FOLD, CUMULATIVE, VIEW, INDEX, CONTRACT, SOLVE, RANDOM, CONTROL } Class;
typedef enum DtypeRule {
	OWN, SAME, MODULUS, REAL, FLOAT, RFLOAT, INT, BITS, BOOL, TEST, RTEST, FTEST, SELECT
} DtypeRule;
enum { VARIADIC = -1, COST_DEAR = 5 };
typedef enum OpFlag {
	COMM = 1 << 0, ASSOC = 1 << 1, IDEM = 1 << 2, LINEAR = 1 << 3, BILINEAR = 1 << 4,
	ZERO = 1 << 5, UNIT = 1 << 6, POSITIVE = 1 << 7, INCREASING = 1 << 8, DECREASING = 1 << 9,
	EVEN = 1 << 10, ODD = 1 << 11, TO_WHOLE = 1 << 12, NO_NAN = 1 << 13, EXACT = 1 << 14,
	FAILS = 1 << 15, CHECKED = 1 << 16, EFFECT = 1 << 17, RATIO = 1 << 18, REFLEXIVE = 1 << 19,
	WRITES = 1 << 20
} OpFlag;

typedef struct OpRange {
	double lo, hi;
	bool lo_open, hi_open;
} OpRange;

typedef struct OpInfo {
	const char *name;            /* "ADD" */
	const char *text;            /* "+" */
	int args;
	Class class;
	DtypeRule dtype;
	unsigned flags;
	uint32_t cost;
	OpRange range;
	const char *brackets;
	const char *formula, *notes;
	size_t length;               /* of text */
} OpInfo;
extern const OpInfo op_info[OP_COUNT];
/* The operator that the notation calls `text`, taking n operands (a sign such
 * as "-" has two); OP_NONE when there is none.  Leaves, TUPLE, GET, CALL, SCAN
 * and PARAM have no name there.  `fold`: max and min with one operand. */
Op op_named(const char *text, size_t len, int n);
bool op_is_named(const char *text, size_t len);  /* with any number of operands */
Op op_joining(Op fold); /* what makes a fold of the folds of two parts: + of a sum; OP_NONE: nothing does */

#endif
