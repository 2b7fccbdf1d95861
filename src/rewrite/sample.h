/* sample.h - instances of a rule: shapes, brackets and values for its variables. */
#ifndef POR_SAMPLE_H
#define POR_SAMPLE_H

#include "rules.h"

typedef struct Random {
	uint64_t s;
} Random;
uint64_t random_next(Random *);
uint32_t random_below(Random *, uint32_t n);
double random_unit(Random *);

typedef struct Shape {
	uint32_t rank;
	int64_t dim[RANK_MAX];
} Shape;

/* One concrete choice for a rule. */
typedef struct Instance {
	Match m; /* values are INPUT leaves or constants */
	const Rule *rule;
	Random *random;
	Dtype real; /* what real numbers are here: f64, f32, i64, c128 */
	bool scalar[RULE_VARIABLES], constant[RULE_VARIABLES];
	uint32_t ninput;
	Node *input[2 * RULE_VARIABLES];
	int mode; /* of the values: see sample.c */
} Instance;

/* Inputs for every variable so that the left side has `shape`; false: this choice does not fit. */
bool instance_shape(Instance *, const Pattern *left, const Shape *);
Node *instance_input(Instance *, const Type *);
/* Values for the inputs: an array, in the own dtype or widened to binary128. */
Value *instance_values(Instance *, Arena *);
Value *values_widened(Arena *, uint32_t n, const Value *);
double sample_value(Random *, int mode);
enum { SAMPLE_MODES = 10 };

#endif
