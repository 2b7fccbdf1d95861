/* eval.h - inside the reference evaluator: frames, elements, and who evaluates what.
 *
 *   eval.c          frames, leaves, calls, loops, the driver
 *   eval_needs.c    what must hold of sizes, before anything is computed
 *   eval_entry.c    evaluate, evaluate_constant; sizes found from the inputs
 *   eval_element.c  one element: bytes, loading, storing, between own dtype and binary128
 *   eval_map.c      elementwise operators; eval_cast.c: conversions
 *   eval_fold.c     the defined order; folds, cumulative sums
 *   eval_view.c     views;  eval_index.c: gather, scatter, one_hot, top_k
 *   eval_linear.c   contraction, QR, triangular solves
 *   eval_random.c   keys and draws
 *   eval_stir.c     what binary128 has lost, shown by moving what was rounded
 */
#ifndef POR_EVAL_H
#define POR_EVAL_H

#include "oracle.h"
#include "quad.h"

typedef struct EvalNeeds EvalNeeds;
typedef struct Eval {
	Graph *g;
	Arena *memory;                   /* of what is remembered */
	IdMap needs;                     /* EvalNeeds by function */
	bool quad;                       /* floats in binary128 */
	const EffectSink *sink;          /* who hears of effects, or NULL */
	uint32_t npass;                  /* of the loops around what is at work */
	int64_t pass[32];
	bool finite;                     /* the first element that is no finite number ends it */
	uint64_t stir;                   /* not 0: what is rounded is moved, by these random words */
	Arena *arena;                    /* of the results; what watches it bounds the work */
	Watch *watch;                    /* NULL: nothing does */
	Error error;
} Eval;

/* Every so many terms or elements of an operator's work; jumps when it is past its bounds. */
static inline void eval_works(const Eval *e, uint64_t elements)
{
	if (e->watch) watch_step(e->arena, e->watch, 1 + elements / 4);
}

/* One activation of a function. */
typedef struct Activation {
	Eval *e;
	Arena *arena;                    /* its values; results are copied out */
	const Function *function;
	const struct Activation *caller; /* in which `at` has this function for its body, or NULL */
	const Region *region;            /* NULL when a lone node is evaluated */
	Value *value;                    /* by place */
	const Value *const *in;          /* by parameter */
	const int64_t *size;             /* by size parameter */
	const Node *at;                  /* the node at work, for messages */
} Activation;

/* Needs: the operands' values.  Gives: *out, whose type, dtype, rank and dims
 * the driver has filled in from the node's type (not its data). */
typedef bool (*Evaluator)(Activation *, const Node *, const Value *const *arg, Value *out);

bool eval_map(Activation *, const Node *, const Value *const *, Value *);
bool eval_cast(Activation *, const Node *, const Value *const *, Value *);
bool eval_bitcast(Activation *, const Node *, const Value *const *, Value *);
bool eval_fold(Activation *, const Node *, const Value *const *, Value *);
bool eval_argfold(Activation *, const Node *, const Value *const *, Value *);
bool eval_logsumexp(Activation *, const Node *, const Value *const *, Value *);
bool eval_cumsum(Activation *, const Node *, const Value *const *, Value *);
bool eval_view(Activation *, const Node *, const Value *const *, Value *);
bool eval_index(Activation *, const Node *, const Value *const *, Value *);
bool eval_contract(Activation *, const Node *, const Value *const *, Value *);
bool eval_qr(Activation *, const Node *, const Value *const *, Value *);
bool eval_tri_solve(Activation *, const Node *, const Value *const *, Value *);
bool eval_random(Activation *, const Node *, const Value *const *, Value *);

/* With stir: before and after an operator's evaluation. */
void eval_stir_operands(Activation *, const Node *, const Value **arg);
void eval_stir_result(Activation *, const Node *, const Value *const *arg, Value *);

bool eval_finite(Activation *, const Node *, const Value *const *arg, const Value *);
bool eval_needs(Activation *, const Node *computed);  /* NULL: when it begins; false with an error */
/* ": i, in x": of an operator with an index, in these names */
const char *eval_indices_text(Activation *, const Node *);
const char *eval_size_text(Activation *, const Size *);  /* in names of the function that is evaluated */

/* ---- eval.c ------------------------------------------------------------------ */

bool eval_node(Activation *, const Node *, const Value *const *arg, Value *out);
/* at the node's line; false */
bool eval_fail(Activation *, int code, const char *format, ...) PRINTF_LIKE(3, 4);
bool eval_atom(void *activation, const Atom *, int64_t *); /* of parameters and of what has been computed */
bool eval_size(Activation *, const Size *, int64_t *);
bool eval_alloc(Activation *, Value *);                     /* data for its count, zeroed */
/* Run a function in a frame of its own; its results go to the arena. */
bool eval_function(Activation *caller, Function *, const Value *const *in, const int64_t *sizes, Arena *,
                   Value *out);

/* ---- eval_element.c ----------------------------------------------------------- */

/* What an element is while it is computed with: the accumulator of its dtype. */
typedef enum ScalarKind {
	KIND_I64, KIND_U64, KIND_F32, KIND_F64, KIND_C64, KIND_C128, KIND_Q, KIND_CQ, KIND_COUNT
} ScalarKind;

typedef union Scalar {
	int64_t i;
	uint64_t u;
	float f[2];
	double d[2];
	Quad q[2];
	QuadPair pair;
} Scalar;

size_t eval_bytes(const Eval *, Dtype);                /* of an element as it is stored */
ScalarKind eval_kind(const Eval *, Dtype);             /* bool and integers: 64 bits; narrow floats: f32 */
Scalar eval_load(const Eval *, Dtype, const void *);
void eval_store(const Eval *, Dtype, void *, Scalar);  /* cut, rounded; NaN is the positive quiet one */
int64_t eval_index_at(const Value *, int64_t i); /* of an integer or bool array; u64 past i64 saturates */
Quad quad_from_own(Dtype, const void *, int part);     /* of a float or complex element, part 0 or 1 */
void quad_to_own(Dtype, void *, const Quad *);         /* rounded once */

static inline void *eval_at(const Eval *e, const Value *v, int64_t i)
{
	return (char *)v->data + (size_t)i * eval_bytes(e, v->dtype);
}

/* Arithmetic on accumulators: complex products by the plain formula. */
typedef struct Arithmetic {
	Scalar (*add)(Scalar, Scalar);
	Scalar (*mul)(Scalar, Scalar);
	Scalar (*max)(Scalar, Scalar);                 /* NULL of complex */
	Scalar (*min)(Scalar, Scalar);
	Scalar (*fma)(Scalar, Scalar, Scalar);         /* x*y + z: rounded once if real */
	bool (*less)(Scalar, Scalar);                  /* NULL of complex; false with NaN */
	Scalar zero, minus_zero, one, lowest, highest;
	size_t bytes;                                  /* of the accumulator in memory */
} Arithmetic;
const Arithmetic *eval_arithmetic(ScalarKind);
bool eval_is_nan(ScalarKind, Scalar);                        /* of real floats */

/* The smallest (largest) value of a dtype: what max (min) of nothing is. */
Scalar eval_extreme(const Eval *, Dtype, bool largest);

/* ---- eval_fold.c ---------------------------------------------------------------- */

enum { BLOCK = 4096, LANE_BYTES = 256 };

/* A fold of n terms in the defined order. */
typedef struct Fold {
	Scalar neutral, empty;                         /* what a chain begins with; the result of no terms */
	Scalar (*term)(void *user, int64_t i, Scalar acc);  /* acc joined with term i */
	Scalar (*join)(Scalar, Scalar);
	int64_t lanes;                                 /* 1: a chain */
	void *user;
	const Eval *e;
} Fold;
Scalar fold_in_order(const Fold *, int64_t n, Scalar *scratch);   /* scratch: fold_blocks(n) */
int64_t fold_blocks(int64_t n);
int64_t fold_lanes(ScalarKind);

/* ---- eval_view.c ------------------------------------------------------------------ */

/* Steps through a box in row order; at[0] and at[1] are offsets by two sets of strides. */
typedef struct BoxWalk {
	uint32_t rank;
	int64_t dim[2*RANK_MAX], index[2*RANK_MAX], stride[2][2*RANK_MAX], at[2];
} BoxWalk;
void eval_walk_next(BoxWalk *);
void eval_strides(const Value *, int64_t *stride);      /* of a compact array */

#endif
