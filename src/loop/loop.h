/* loop.h - kernels and the plan that calls them.
 *
 * A plan is what a compiled function is: sizes to compute, buffers to lay
 * out, steps to run.  It lives on an arena of its own and points at nothing
 * of the graph, so that a background compile and a long-lived program need
 * neither.  Both tiers (interpreter and native code) run the same plan with
 * the same kernels; a kernel says *what order*, so the bits are the same.
 */
#ifndef POR_LOOP_H
#define POR_LOOP_H

#include "../group/group.h"
#include "order.h"

typedef struct Plan Plan;
typedef struct Kernel Kernel;
typedef struct Step Step;

/* ---- sizes: a tape of integers, computed once per call (or per shape) ------------ */

typedef enum DimKind {
	DIM_CONST,                   /* value */
	DIM_SIZE, /* size parameter number a of the function, bound from the inputs' shapes */
	DIM_SCALAR,                  /* scalar number a of the plan */
	DIM_ADD, DIM_MUL, DIM_FLOORDIV, DIM_MOD, DIM_MIN, DIM_MAX /* of dims a and b, which come before */
} DimKind;
/* A dim of a loop's body has a guard, a dim that is above 0 where the body runs: else it is 0, whatever it
 * would be. */
/* guard UINT32_MAX: none */
typedef struct Dim { DimKind kind; int64_t value; uint32_t a, b, phase, guard; } Dim;

/* An i64 that sizes depend on: an input, known when the call begins, or computed; in a loop, anew in each
 * pass. */
typedef struct DimScalar {
	uint32_t buffer;
	uint32_t ready;              /* steps from this number on may use it; 0: an input */
	uint32_t loop;               /* the loop whose body has it, or UINT32_MAX */
	uint32_t below; /* a dim that it is less than (a loop's index: its steps), or UINT32_MAX */
	const char *text;            /* what it is, for messages */
} DimScalar;

/* Where sizes become known: from step `first` on, to the next phase of the same list of steps or the list's
 * end. */
typedef struct Phase {
	uint32_t first;
	uint32_t loop;               /* the loop in whose body it lies, or UINT32_MAX */
	uint32_t next;               /* of the same list; 0: none */
	const Step *step;            /* `first`, or NULL: it has no steps */
} Phase;

/* A size that is not known to be at least 0, and must be: checked as soon as it is known, and its guard as of
 * a dim. */
typedef struct Sized { uint32_t dim, guard; const char *text, *file; int line; } Sized;

/* An array that some node is, stored or not, or a loop's steps (dtype DT_NONE): refused where it is larger
 * than LARGEST.  Axes of size 0 do not count, so that it is the same for every order of the axes. */
typedef struct Extent { uint8_t dtype, rank; uint32_t guard, phase; int line; const uint32_t *dim;
	const char *file; } Extent;

/* ---- kernels --------------------------------------------------------------------- */

/* An integer of a kernel: a literal (param -1), or parameter number `param` (given by each step that calls
 * it), as what 32 bits do not hold always is. */
typedef struct Int { int32_t param, value; } Int;
#define INT_LITERAL(v) ((Int){ -1, (v) })
static inline int64_t int_value(Int i, const int64_t *param) { return i.param < 0 ? i.value : param[i.param];
	}
static inline bool int_is(Int i, int32_t literal) { return i.param < 0 && i.value == literal; }

/* Axes: as many as an array may have; those that lie alike are merged, so that few kernels have more than
 * three. */
enum { AXES_MAX = RANK_MAX, BUFFERS_MAX = 32, CODE_MAX = 300, STAGES_MAX = 16 };

/* One scalar instruction.  `kind` says what the fields mean; the value of
 * instruction i is value i (static single assignment).  dtype is that of the
 * value; f16 and bf16 values are held as f32, rounded after every operation. */
typedef enum InsKind {
	INS_CONST,                   /* bits: the element, in its own dtype (f16, bf16 as their 16 bits) */
	INS_GIVEN,                   /* constant number `bits` of those that a step gives */
	INS_PARAM,                   /* i64: the integer `at.offset` */
	INS_INDEX, /* i64: at.offset + sum of at.stride[k]*index of axis k + dynamic terms */
	/* buffer[at], converted to its register form; a KEY buffer is loaded as u64 halves with strides
	 * counted in u64 */
	INS_LOAD,
	/* op (class MAP) of a, b, c; `from` is the dtype of the operands (of a CAST: the source; of WHERE:
	 * that of b and c); the function is op_from, e.g. exp_f32, lt_f32, cast_f32_i8 */
	INS_MAP,
	INS_KEY_A, INS_KEY_B,        /* u64: halves of key c (i64) of the key (a, b) */
	/* op UNIFORM, NORMAL, ...: element c (i64) of the draw of key (a, b), dtype f16..f64; GAMMA_DRAW: of
	 * shape c (dtype) under the key (a, b) */
	INS_RANDOM,
	/* op (SUM PROD MAX MIN ANY ALL ARGMAX ARGMIN) of a over the inner index; the value is a row scalar of
	 * dtype, for later stages.  `from`: dtype of a */
	INS_FOLD,
	INS_STORE                    /* buffer[at] = a */
} InsKind;

/* An index that an instruction computes (gather): adds value*stride; 0 <= value < extent is checked: a value
 * outside is the call's error; memory is not touched there (index 0 is used). */
typedef struct Dynamic { uint32_t value; Int stride, extent; } Dynamic;
enum { DYNAMICS_MAX = 2 };           /* of an access */

typedef struct Access {
	uint8_t buffer, ndynamic;
	Int offset;                  /* in elements */
	Int *stride; /* in elements, per axis of the kernel; literal 0 where it does not move */
	Dynamic *dynamic;
} Access;

typedef struct Ins {                 /* no padding: kernels are compared as bytes */
	uint8_t kind;                /* InsKind */
	uint8_t dtype, from;         /* Dtype */
	uint8_t unused;
	uint16_t op;                 /* Op of MAP, RANDOM, FOLD */
	uint16_t unused_2;
	union {
		struct {
			uint16_t a, b, c;    /* operands: instruction numbers */
			uint16_t at;         /* LOAD, STORE, INDEX, PARAM: access number */
		};
		uint64_t bits;       /* CONST, GIVEN, which have neither */
	};
} Ins;
_Static_assert(sizeof(Ins) == 16 && sizeof(Int) == 8 && sizeof(Dynamic) == 20, "no padding");

/* How many of a, b, c are values. */
static inline uint32_t ins_arity(const Ins *x)
{
	switch ((InsKind)x->kind) {
	case INS_CONST:
	case INS_GIVEN:
	case INS_PARAM:
	case INS_INDEX:
	case INS_LOAD: return 0;
	case INS_FOLD:
	case INS_STORE: return 1;
	case INS_MAP: return (uint32_t)op_info[x->op].args;
	case INS_KEY_A:
	case INS_KEY_B:
	case INS_RANDOM: return 3;
	}
	return 0;
}

/* A stage is a range of instructions run either for each inner index, or once a row. */
typedef struct Stage { uint16_t first, end; bool inner, unused; } Stage;    /* no padding */

typedef enum Recipe {
	/* Rows of an inner index.  axis [0, nrow) make the rows (each combination
	 * one row, in row order; rows are independent and go to threads); axes
	 * [nrow, naxis) make the inner index, one number in row order, vectorised.
	 *   for each row: for each stage: inner ? for each inner index: instructions
	 *                                       : instructions, once
	 * A value of an inner stage that a later inner stage uses is kept for the
	 * row (never computed twice); INS_FOLD gives its value at the end of its
	 * stage, folded over the inner index in the defined order: blocks of
	 * FOLD_BLOCK, in each block LANE_BYTES of lanes of the accumulator's type
	 * (f16, bf16: f32), lanes joined by halving, blocks joined pairwise.
	 * A map has one inner stage; a fold an inner stage and a row stage; softmax
	 * and its kin have several. */
	RECIPE_ROWS,
	/* Folds of axes that are not the last.  axes [0, nrow) rows; [nrow, nfold)
	 * the folded index in row order; [nfold, naxis) the inner index,
	 * vectorised.  Stage 0 (inner) runs for each (folded, inner) index and ends
	 * in folds; each fold is one ascending chain per (row, inner index), cut in
	 * blocks of FOLD_BLOCK joined pairwise; stage 1 (inner) runs once per
	 * (row, inner index) on the folds' values. */
	RECIPE_CHAIN
} Recipe;

typedef struct KernelBuffer { uint8_t dtype; bool written; } KernelBuffer;   /* no padding */

struct Kernel {                      /* equal kernels are one; its lists are as long as they have to be */
	uint32_t index;              /* in the plan */
	uint8_t recipe;              /* Recipe */
	uint8_t naxis, nrow, nfold;  /* ROWS: nfold is not used */
	uint8_t nbuffer, nstage;
	uint16_t nparam;             /* integers that a step gives: param[0], ... */
	uint16_t nconstant;          /* the bits of constants that it gives: param[nparam], ... */
	uint16_t ncode, nat;
	Int *extent;                 /* by axis */
	KernelBuffer *buffer;
	Ins *code;
	Access *at;
	Stage *stage;
};

/* ---- cores: precompiled routines, the same for both tiers ------------------------------ */

typedef enum Core {
	/* buffers and integers of each, in order: */
	/* x, y, out | lanes(0/1; then m or n is 1), batch, m, n, k, x: batch m k strides, y: batch k n
	 * strides; out is compact [batch, m, n] */
	CORE_CONTRACT,
	CORE_CUMSUM,     /* x, out | outer, n, inner (compact) */
	CORE_SCATTER,    /* base, index(i64), v, out | kind (items.h), outer, n, inner, count (indices) */
	CORE_TOP_K,      /* x, values, indices | rows, n, k */
	CORE_QR,         /* x, q, r | batch, rows, columns */
	CORE_TRI_SOLVE,  /* a, b, z | upper, turned, batch, n, columns */
	CORE_COPY,       /* from, to | elements: plain copy */
	/* parts (overwritten), out | n, size: n arrays of partial sums, neighbours joined pairwise */
	CORE_JOIN,
	/* out (blocks summed up for themselves), carries | n, 0: find the carries; 1: add them, by block */
	CORE_CARRY,
	CORE_CUSTOM,     /* operands..., results... | ranks and sizes of all; custom: descriptor */
	CORE_EFFECT      /* passes (i64 scalars)..., values... | none; effect: what happens */
} Core;

/* ---- the plan ------------------------------------------------------------------------------ */

typedef enum Space { SPACE_INPUT, SPACE_OUTPUT, SPACE_WORK, SPACE_CONST, SPACE_ALIAS } Space;

/* Memory for one array: compact, row order.  In a loop, an ALIAS is a window
 * of another buffer that moves with the loop's index. */
typedef struct Buffer {
	uint8_t dtype;
	uint8_t space;               /* Space */
	uint16_t rank;
	uint32_t axes;               /* among the plan's: the product of its dims, behind it those */
	union {
		uint32_t index;      /* INPUT, OUTPUT: its number */
		uint32_t of;         /* ALIAS: the buffer it lies in */
		uint32_t constant;   /* CONST: number of the plan's */
	};
	/* ALIAS: the loop (its number) whose index moves it, or UINT32_MAX: the whole of `of` */
	uint32_t loop;
	uint32_t first, last;        /* lifetime, in preorder numbers of steps */
} Buffer;

/* The elements of a CONST, all of them or one that fills the array (uniform). */
typedef struct Elements { const void *data; size_t bytes; } Elements;

typedef enum StepKind { STEP_KERNEL, STEP_CORE, STEP_LOOP } StepKind;

/* What a step calls, and with what but for its buffers: steps that differ in those and in their lines alone
 * share it, as those of equal layers of a network do. */
typedef struct StepCall {
	uint8_t core, dtype;         /* CORE: which; of the numbers */
	uint16_t nbuffer, nparam, nconstant;
	const char *file;            /* for explain and messages */
	const char *rules;           /* what the kernel computes, in the notation */
	union {
		const Kernel *kernel;
		const void *custom;  /* CORE_CUSTOM */
		const Effect *effect; /* CORE_EFFECT */
	};
	const uint32_t *param;       /* dims of the plan; before them lie the constants */
} StepCall;
/* KERNEL: elements in their own dtypes */
static inline const uint64_t *call_constants(const StepCall *c)
{
	return (const uint64_t *)(const void *)c->param - c->nconstant;
}
extern const StepCall call_none;     /* of loops: nothing */

struct Step {
	Step *next;                  /* in order within its parent */
	const StepCall *call;        /* never NULL */
	uint32_t number;             /* preorder */
	int line;                    /* of the call's file */
	const char *indices;         /* what a message calls those that may be outside; NULL: nothing */
	uint8_t kind;                /* StepKind */
	bool back;
	union {
		bool unless;         /* LOOP: where the condition holds there is no pass */
		bool fills;          /* KERNEL: all of an array, of which a part is written again */
	};
	bool moves;                  /* KERNEL: all of an array to all of another, of any shape */
	bool whiles;                 /* before each pass the first carried value, a bool, must hold */
	union {
		uint32_t buffer[1];  /* KERNEL, CORE: as many as the call takes; there the step ends */
		/* LOOP: for index i in [0, steps), or back: run body; then each carried pair is exchanged:
		 * what `next` holds becomes `now`; they are one array where the body writes its
		 * elements.  first is copied into `now` before the loop; after it
		 * `now` holds the last value. */
		struct {
			uint32_t loop, steps; /* the loop's number; a dim */
			uint32_t index; /* an i64 scalar buffer that holds i; UINT32_MAX: none */
			/* + 1: a bool scalar buffer; where it does not hold there is no pass */
			uint32_t condition;
			/* a dim: above 0 where the body has sizes; UINT32_MAX: it always has */
			uint32_t guard;
			uint32_t phase; /* the first that begins in the body; 0: none does */
			uint32_t ncarry;
			struct Carry { uint32_t first, now, next; } *carry;
			/* what is written down in each pass, for a loop of as many passes that would make
			 * the same again: that one takes it */
			uint32_t nrecord;
			struct Record { uint32_t number, carry; bool after; } *record;
			uint32_t ntake;
			struct Take { uint32_t number, trace; } *take;
			Step *body;
		};
	};
};

/* What must hold as soon as all are known: dim a == dim b, or a <= b; not asked where the guard is not above
 * 0.  A message tells of two others, which mean the same. */
typedef struct Requirement { uint32_t a, b, guard, told_a, told_b; bool equal, of_index;
	const char *text, *file; int line; } Requirement;

/* The steps run in phases.  Computed sizes are known when the phase begins that first may use them; then its
 * dims are evaluated and its buffers laid out, apart from those of the phases before.  Most plans have one
 * phase.  A phase in the body of a loop begins anew in each pass. */
struct Plan {
	Arena *arena;
	uint32_t ndim; Dim *dim;
	uint32_t nscalar; DimScalar *scalar;
	uint32_t nsized; Sized *sized;
	uint32_t nextent; Extent *extent;
	uint32_t nphase; Phase *phase; /* by their first steps; 0: of all that needs no computed size */
	uint32_t nsize;              /* size parameters of the function */
	const char **size_name;      /* theirs; each may be NULL, as may be all */
	uint32_t nbuffer; Buffer *buffer;
	uint32_t *its_phase;         /* by buffer: of its first step; NULL: there is one phase */
	uint32_t naxis, *axis;       /* dims of buffers; those of equal shapes may lie at one place */
	uint32_t nconstant; Elements *constant;
	uint32_t *birth, *death;     /* buffers by first and by last use (plan_order) */
	uint32_t nin, nout;          /* inputs and outputs: types below */
	struct PlanArg { const char *name, *file; uint32_t buffer; int line; uint8_t dtype; uint32_t rank; }
		*in, *out;
	uint32_t *declared;          /* inputs, then outputs, as fields were written; NULL: as numbered */
	uint32_t nkernel; Kernel **kernel;       /* distinct ones */
	uint32_t nloop;
	uint32_t nrecord;            /* those of all loops */
	uint32_t nstep; Step *first;
	uint32_t nrequirement; Requirement *requirement;
};

/* Is it run by the cores' text, by items? */
static inline bool core_has_items(const Step *s)
{
	return s->kind == STEP_CORE && s->call->core != CORE_CUSTOM && s->call->core != CORE_EFFECT;
}

/* ---- build.c, kernel.c, ...: a closed, lowered function to a plan ------------------------------- */

/* needs: a verified closed function without calls of `fn`s (ops are lowered); how its nodes are grouped
 * (those of
 *        loops' bodies are grouped here), or NULL
 * gives: kernels, steps and buffers, on a new arena of the same allocator; NULL with the graph's error */
Plan *plan_kernels(Graph *, Function *, Groups *);
/* Phases and the orders of lifetimes: then it can run.  False with an error, and the plan is still there. */
bool plan_finish(Plan *, Error *);
/* Both; NULL with an error. */
Plan *plan_make(Graph *, Function *, Error *);
void plan_free(Plan *);
/* verify.c: are kernels, and steps and buffers, as loop.h says?  False with ERR_INTERNAL. */
bool kernels_verify(const Plan *, Error *);
bool plan_verify(const Plan *, Error *);
void plan_print(Text *, const Plan *);       /* sizes, buffers and steps, for explain */
void kernel_print(Text *, const Kernel *);   /* in words: loops, instructions */
/* as a number: constant that a kernel's step gives */
void given_print(Text *, const Step *, uint32_t constant);
/* Do both lead to the same element of their buffers? */
bool place_same(const Access *, const Access *, uint32_t naxis);

/* ---- memory.c ----------------------------------------------------------------------------------- */

static inline const uint32_t *buffer_dims(const Plan *p, uint32_t buffer)
{
	return p->axis + p->buffer[buffer].axes + 1;
}
static inline uint32_t elements_dim(const Plan *p, const Buffer *b)
{
	return p->axis[b->axes];
}

static inline uint32_t buffer_phase(const Plan *p, uint32_t buffer)
{
	return p->its_phase ? p->its_phase[buffer] : 0;
}

/* The steps of a phase end before this number. */
static inline uint32_t phase_end(const Plan *p, uint32_t phase)
{
	return p->phase[phase].next ? p->phase[p->phase[phase].next].first : UINT32_MAX;
}

/* The phase in which a dim is known, and whether the body that it guards runs; guard UINT32_MAX: always. */
static inline uint32_t later_phase(const Plan *p, uint32_t phase, uint32_t dim)
{
	return dim != UINT32_MAX && p->dim[dim].phase > phase ? p->dim[dim].phase : phase;
}
static inline uint32_t requirement_phase(const Plan *p, const Requirement *r)
{
	return later_phase(p, later_phase(p, later_phase(p, 0, r->a), r->b), r->guard);
}
static inline bool guard_open(const int64_t *dims, uint32_t guard)
{
	return guard == UINT32_MAX || dims[guard] > 0;
}

/* Put the buffers in the orders of their first and last use, and find the phases: once, when lifetimes are
 * known. */
void plan_order(Plan *);
/* Byte offsets of the WORK buffers of a phase for sizes in `dims` (those up to the phase, computed):
 * lifetimes that do not overlap share memory.  offset[i] per buffer; gives the bytes needed, or one of these.
 *  Deterministic. */
enum { PLAN_TOO_LARGE = -1, PLAN_NO_MEMORY = -2 };   /* past 64 bits; no memory for its own list */
int64_t plan_layout(const Plan *, uint32_t phase, const int64_t *dims, int64_t *offset);

/* ---- same.c: runs of steps that come again ------------------------------------------------------- */

/* What steps that are the same otherwise have of their own: a size, an array (that is no whole of another),
 * a loop's number.  Of a kernel or a core: its sizes, then its arrays; of an operator of the user's or an
 * effect: its arrays, then the sizes of all their axes; of a loop: its number, its steps, where it has them
 * its condition and its index, and of each carry `now`, `first`, `next` and the elements of these, before the
 * places of its body. */
typedef enum PlaceKind { PLACE_DIM, PLACE_ARRAY, PLACE_LOOP } PlaceKind;
typedef struct Place { PlaceKind kind; uint32_t number; } Place;

/* Steps of a list one behind the other, with the bodies of loops, that come again with other numbers at their
 * places.  A run may hold rows of runs that were found before it: there what those give are places. */
typedef struct SameRun {
	uint32_t steps, times;       /* of the list; in the plan, also within other runs */
	const Step **row;            /* by time: the first step */
	uint32_t nplace;
	Place *same;                 /* by place: what stands there in the first row */
	uint32_t *given; /* by place: which of a row's numbers stands there, + 1; 0: in all rows, `same` */
	uint32_t ngiven;
	PlaceKind *gives;            /* by number of a row */
	uint32_t rows, *value;       /* the numbers of those rows that are in no other run */
} SameRun;
/* A row that begins with a step.  Of those that begin there, the outermost is first. */
typedef struct SameAt { uint32_t run, row; struct SameAt *inner; } SameAt;
typedef struct SameRuns {
	uint32_t n;
	SameRun *run;
	SameAt **at;                 /* by step; NULL: no row begins there */
	bool *within;                /* by step: the first of its row is before it */
} SameRuns;

SameRuns *same_runs(Arena *, const Plan *);
/* The row that begins with a step, outermost where the step is told: in a run, or (NULL) in the plan. */
const SameAt *same_at(const SameRuns *, const Step *, const SameRun *within);
uint32_t step_places(const Plan *, const Step *, Place *);       /* gives how many; NULL: only that */
uint32_t buffer_base(const Plan *, uint32_t buffer);     /* that of which it is the whole */
/* Is it a constant of one element, for an array of several? */
bool buffer_is_filled(const Plan *, uint32_t buffer);

/* ---- cores.c: the precompiled routines ---------------------------------------------------------- */

/* Where an index is out of range: the lowest position wins. */
typedef struct Fault { int64_t position, index, extent; } Fault;   /* position INT64_MAX: none */

/* Items [lo, hi) of a step, for a core or the interpreter: its buffers and integers, memory of each thread's
 * own, and the fault to lower, or NULL where no index is computed. */
typedef struct Piece {
	void *const *buffer;
	const int64_t *param;
	int64_t lo, hi;
	void *scratch;
	Fault *fault;
} Piece;

/* Run a core over items of its parallel index (CONTRACT: blocks of rows; others: outer), by the best
 * instruction set up to `isa` (0 baseline, 1 AVX2+FMA, 2 AVX-512).  core_items gives the number of items. */
int64_t core_items(Core, const int64_t *param);
size_t core_scratch(Core, uint8_t dtype, const int64_t *param);
void core_run(Core, uint8_t dtype, const Piece *, int isa);
int cpu_isa(void);               /* the best instruction set of this machine: 0, 1, 2 */

#endif
