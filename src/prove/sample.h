/* sample.h - instances of a rule: shapes, brackets and values for its variables. */
#ifndef POR_SAMPLE_H
#define POR_SAMPLE_H

#include "prove.h"
#include "../oracle/oracle.h"
#include "../rewrite/rules.h"

typedef struct Random {
	uint64_t s;
} Random;
uint32_t random_below(Random *, uint32_t n);

typedef struct Shape {
	uint32_t rank;
	int64_t dim[RANK_MAX];
} Shape;

/* A number that the rule names, and the variable about which it says something there. */
typedef struct Edge {
	double value;
	uint32_t var; /* UINT32_MAX: any */
} Edge;

/* x == f(x, y) holds where the input is what the function gives. */
typedef struct Tie {
	uint32_t input;
	const Function *f;
} Tie;

/* Where the guard holds of a variable, as far as numbers say so; of two of them, which is not the larger. */
typedef struct Stretch {
	double lo, hi;
	bool lo_open, hi_open, nonzero, finite, number, whole;
} Stretch;
typedef struct Order {
	uint32_t less, more;
} Order;

/* An input, and a number of its at which the meaning of an op changes sides. */
typedef struct Threshold {
	uint32_t input;
	double value;
} Threshold;

enum { EDGES = 24, TIES = 2, IN_ORDER = 4, THRESHOLDS = 32 };

/* One concrete choice for a rule.  What it is put into may not fit: while it is open, errors are its own. */
typedef struct Instance {
	Trial trial;
	Match m; /* values are INPUT leaves or constants; m.scratch is freed with the instance */
	const Rule *rule;
	Random *random;
	Dtype real; /* what numbers are here: f64, f32, f16, bf16, i64, u8, i8, u64, bool, c128 */
	/* by what the guard says */
	bool scalar[RULE_VARIABLES], constant[RULE_VARIABLES];
	uint32_t ninput;
	Node *input[2 * RULE_VARIABLES];
	int64_t below[2 * RULE_VARIABLES]; /* indices lie below; 0: it is no index */
	int mode; /* of the values: see sample.c */
	bool small; /* sizes of 0 and 1 among the others */
	bool is_long; /* an axis has a hundred elements or more */
	bool near; /* values lie about the numbers that it names more often */
	bool close; /* and about one another, also of places */
	bool edged; /* values lie about what the guard compares with */
	Edge edge[EDGES];
	uint32_t nedge, nguard; /* those of the guard come first */
	Tie tie[TIES];
	uint32_t ntie;
	Threshold threshold[THRESHOLDS]; /* where there are some, half of all values lie there */
	uint32_t nthreshold;
	int side[RULE_VARIABLES]; /* 1: above, -1: below, 0: both */
	bool hard; /* values are those that decide, where the guard holds: sample_hard.c */
	Dtype cast_from; /* what was converted last: others are often of the same dtype */
	Stretch bound[RULE_VARIABLES];
	Order order[IN_ORDER];
	uint32_t norder;
} Instance;

/* ---- sample_variables.c ---- */

/* Inputs for every variable so that the left side has `shape`; false: this choice does not fit. */
bool instance_shape(Instance *, const Pattern *left, const Shape *);
Node *instance_input(Instance *, const Type *);
int64_t instance_size(Instance *, uint32_t most); /* of an axis, from 1; where sizes are small, 0 too */
bool instance_is_empty(const Instance *); /* has something on the left side no elements? */

/* REAL_NUMBER is a number of the instance's dtype; PART a part of a complex number; OF_DTYPE + d of that
 * dtype. */
typedef enum Want { REAL_NUMBER, TRUTH, INDEX_NUMBER, COMPLEX_NUMBER, PART, OF_DTYPE } Want;
/* The same for a part of the left side, whose elements are of that kind. */
bool assign_shape(Instance *, const Pattern *, const Shape *, Want);
const Type *type_for(Instance *, const Shape *, Dtype);
uint32_t bound_var(const AttrPattern *); /* the variable that the brackets are; UINT32_MAX: none */
/* Binds that variable, where it is not bound, to a list of axes (of `wide`, where their sizes count). */
void bind_list(Instance *, const AttrPattern *, const Attr *list, const Shape *wide);
/* The axes that the brackets already name, or a free choice of `n` of the axes of a shape of `rank`. */
uint32_t choose_axes(Instance *, const AttrPattern *, uint32_t rank, uint32_t n, int64_t *axes, bool *free);

/* The one axis that the brackets name, or a free choice among `rank`; without brackets the first.  False:
 * there is none. */
bool choose_axis(Instance *, const AttrPattern *, uint32_t rank, int64_t *axis);
Dtype dtype_wanted(const Instance *, Want);

/* ---- sample_cast.c ---- */
bool assign_cast(Instance *, const Pattern *, const Shape *, Want);
bool names_cast(const Pattern *);

/* ---- sample_view.c ---- */
bool assign_fold(Instance *, const Pattern *, const Shape *);
bool assign_view(Instance *, const Pattern *, const Shape *, Want);

/* ---- sample.c ---- */
/* Values for the inputs: an array, in the own dtype or widened to binary128. */
Value *instance_values(Instance *, Arena *);
Value *values_widened(Arena *, uint32_t n, const Value *);
double sample_value(Random *, int mode);
int64_t sample_integer(Random *);
double sample_of_range(Random *, Dtype); /* any number of a dtype, each exponent as often */
/* A float as the dtype has it; one too large for it becomes another.  A real number has one zero. */
void sample_put_float(Instance *, Dtype, void *at, double x);
enum { SAMPLE_TIES = 5, SAMPLE_HALVES = 6, SAMPLE_WHOLE = 10, SAMPLE_PLACES = 11, SAMPLE_SPECIAL = 12,
	SAMPLE_MODES = 13,
	SAMPLE_SMALL = 32 /* added to a mode: sizes of 0 and 1 */,
	SAMPLE_HARD = 64 /* the values that decide */ };

/* ---- sample_hard.c ---- */
void instance_harden(Instance *, Value *);

/* ---- sample_guard.c ---- */
void instance_bounds(Instance *); /* what the guard says of its variables */
bool guard_leaves_points(const Rule *); /* of a variable one number alone, or three whole ones */
bool instance_move(Instance *, uint32_t input, Value *, int64_t element); /* to where it holds: was it not? */
void instance_put_in_order(Instance *, Value *);

#endif
