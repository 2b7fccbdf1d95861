/* program.h - what a program and a frame consist of. */
#ifndef POR_RUN_PROGRAM_H
#define POR_RUN_PROGRAM_H

#include "run.h"
#include "../interp/interp.h"
#include "../kernels/kernels.h"

#include <pthread.h>
#include <stdatomic.h>

enum { STRIPES = 8, PARALLEL_WORK = 256 << 10, PIECE_WORK = 32 << 20, GROUPS_MAX = 64, LINE = 64 };

static inline size_t round_line(size_t n) { return (n + LINE - 1) & ~(size_t)(LINE - 1); }

typedef void (*Native)(void *const *buffer, const int64_t *param, int64_t lo, int64_t hi, void *scratch,
	Fault *);

/* What a kernel computes for each inner index and for each row: 1 is an addition. */
typedef struct KernelCost { uint32_t index, row; } KernelCost;

/* A kernel in its forms.  `native` is set last, when the others are there. */
typedef struct KernelSlot {
	const Kernel *kernel;
	Interp *interp;
	KernelForm form;
	Native blocks, finish;           /* NULL: it does not split */
	_Atomic(Native) native;
	KernelCost cost;
} KernelSlot;

/* Which aliases move when loop L goes on. */
typedef struct LoopPlan { uint32_t n, *alias; } LoopPlan;

typedef enum UnitState { UNIT_WAITS, UNIT_READY, UNIT_FAILED } UnitState;
/* kernels [first, first + n) */
typedef struct TierUnit { uint32_t first, n; struct Code *code; _Atomic UnitState state; } TierUnit;

/* Of a step, with the option profile: how often it ran, and how long in all. */
typedef struct StepTime { _Atomic int64_t calls, nanoseconds, bytes, work; } StepTime;

/* in_place.c: what results may be written over */
typedef struct Reuse {
	uint32_t from;                   /* those that are first written by this step or a later one */
	const uint32_t **over; /* by result: arguments that are read meanwhile; NULL: no result may */
} Reuse;

typedef struct Stripe { atomic_flag busy; Frame *first; char pad[48]; } Stripe;

struct Program {
	atomic_int owners;
	Arena *arena;                    /* what follows; not the plan's */
	Allocator allocator;
	Plan *plan;
	RunOptions options;
	int threads, isa;
	_Atomic uint32_t forks;                  /* fork_count when the background was started */
	KernelSlot *kernel;
	LoopPlan *loop, whole;           /* whole: aliases that no loop moves */
	Stripe stripe[STRIPES];
	StepTime *times;                 /* by step's number; NULL: not asked for */
	_Atomic int64_t *array_bytes;    /* profiled: by buffer, the most that it held; 0: no step took it */
	Reuse reuse;
	/* tier.c */
	struct Background *tier;
	/* the background has yet to see that calls work enough for a compiler to gain */
	atomic_bool undecided;
	TierUnit *unit; uint32_t nunit;
};

/* Whether a step goes alone or shared among threads. */
typedef struct Choice {
	bool shared;
	int64_t left, wait;              /* calls until the other way is tried; after a trial that failed */
	int64_t trial, sum;              /* calls left of a trial; nanoseconds of those that count */
	int64_t took[2];                 /* nanoseconds that it took alone and shared; 0: not known */
} Choice;

/* What a frame knows of a step for the last shapes. */
typedef struct FrameStep {
	void **buffer;                   /* one more than the step's: shared block results */
	int64_t *param;
	Bound *bound;
	int64_t work;                    /* element-instructions */
	int64_t items, blocks; /* of the native kernel; of a core (blocks: of one with few items, or 0) */
	Choice choice;                   /* of large work */
	struct Prepared *prepared;       /* of a loop; NULL: its passes are not */
} FrameStep;
typedef struct Prepared Prepared;

/* The layout of the steps of one phase of the plan, and their memory. */
typedef struct FramePhase {
	Arena *arena;                    /* of the layout */
	bool ready;
	int64_t *sizes;                  /* that it was made of: phase_alike.c; NULL: there is no layout */
	/* workspace | results | packed inputs | constants | shared results | scratch */
	char *work; size_t work_bytes;
	size_t layout_bytes, result_at, shared_at, scratch_at, scratch_each;
} FramePhase;

/* What a loop writes down, pass by pass. */
typedef struct Grown {
	char *data;                      /* NULL: nothing yet, or too much */
	size_t bytes, capacity, each;
	const void *from[2];             /* where a row is in even and odd passes, once these are prepared */
	bool over;                       /* more than is kept: who takes it makes it itself */
} Grown;

struct Frame {
	Program *program;
	Grown *grown;                    /* by the plan's records */
	Frame *next;                     /* in the free list */
	Error error;
	bool borrowed;
	/* of this call */
	const Array *in, *out; uint32_t nout;
	const FramePhase *now;
	/* the layout: for these shapes and scalars.  It lies on the arena of the first phase. */
	int64_t *key; uint32_t nkey;
	int64_t *dim;                    /* by dim */
	int64_t *offset;                 /* by buffer: of WORK, in the memory of its phase */
	void **base;                     /* by buffer */
	FrameStep *step;                 /* by number */
	int64_t *index;                  /* by loop */
	size_t *result_offset, *pack_offset;
	Fault *fault;                    /* by thread */
	bool *moved; /* by output: computed in the frame, then copied to the caller's memory */
	Array *result;
	uint32_t launches;
	Stop stop;
	int over;                        /* a piece of work found that the call is over; atomic */
	uint32_t no_return; /* the first step that writes over an argument: from there on nobody stops */
	FramePhase phase[];              /* by the plan's phases */
};

/* Of a thread, for the steps of this phase. */
static inline void *scratch_of(const Frame *f, int part)
{
	return f->now->work + round_line(f->now->scratch_at) + (size_t)part * f->now->scratch_each;
}

void grown_add(Frame *, Grown *, const void *row);        /* frame.c */
void grown_drop(Frame *, Grown *);

/* frame.c.  false with the frame's error. */
bool frame_layout(Frame *, const Array *in);     /* the first phase, for the inputs' shapes */
bool frame_knows(Frame *, uint32_t phase);       /* are its sizes those that it was laid out for? */
bool frame_phase(Frame *, uint32_t phase); /* a later one, when the sizes that it waits for are computed */
bool call_error(Frame *, Where, int argument, const char *format, ...) PRINTF_LIKE(4, 5);

/* step.c: all steps, for arguments and results that the first phase has taken; false with the frame's
 * error */
bool run_plan(Frame *);
bool run_body(Frame *, const Step *loop);        /* a pass, or a side */
/* A step that is no loop, whose arrays have been found. */
bool run_placed(Frame *, const Step *, FrameStep *);
bool check_fault(Frame *, const Step *);

/* loops.c: false with the frame's error */
bool run_loop(Frame *, const Step *);
void move_aliases(Frame *, const LoopPlan *);
/* For a layout whose body's steps are laid out; NULL where passes are not prepared. */
Prepared *prepared_new(Frame *, Arena *, const Step *loop);
/* A side of a branch. */
static inline bool is_side(const Step *s) { return s->kind == STEP_LOOP && s->condition; }

/* execute.c: results that a phase makes go to the caller's memory where they can; false with the frame's
 * error */
bool give_outputs(Frame *, uint32_t phase);

/* choice.c */
bool choose_way(Choice *);                       /* shared? */
void note_way(Choice *, int64_t nanoseconds);    /* what it took */

/* in_place.c */
Reuse find_reuse(Arena *, const Plan *);
bool may_write_over(const Program *, uint32_t result, uint32_t argument);

/* ---- amounts.c ---- */

KernelCost kernel_cost(const Kernel *);
int64_t kernel_work(const Kernel *, KernelCost, const int64_t *param);
int64_t core_work(const Plan *, const Step *, const int64_t *param, const int64_t *dim);
int64_t step_bytes(const Plan *, const Step *, const int64_t *dim); /* of its arrays, each counted once */

/* ---- parallel.c: a step's work, by one thread or several ---- */

typedef struct Job {
	Frame *f;
	const Step *s;
	FrameStep *x;
	Native native;                   /* NULL: the interpreter, or a core */
	int64_t items;
	int parts;
	bool shared;                     /* among threads */
	bool large;                      /* cut into pieces, each of which may be the last */
} Job;

void run_items(Job *);
/* Fewer items than threads: the blocks of their folds are shared; k NULL: a core.  Gives whether it was
 * done. */
bool run_parted(Job *, const KernelSlot *k);
/* Blocks that the sums of a core with few items are cut into, and the bytes that they share; 0: it has no
 * such. */
int64_t core_blocks(const Step *, const int64_t *param, int threads, size_t *bytes);

/* stop.c */
void stop_begin(Stop *);                         /* a call begins: its clock */
bool stop_looks(Frame *, int64_t work);          /* true with the frame's error */
bool stopped(Frame *);                           /* makes the error; true */
/* Before a step of so much work. */
static inline bool call_is_over(Frame *f, int64_t work)
{
	const Stop *s = &f->stop;
	bool look = stop_is_asked(s) | (s->deadline != 0);
	return __builtin_expect(look, 0) && stop_looks(f, work);
}

/* array.c */
bool array_is(const Array *, Dtype);
bool array_is_compact(const Array *);            /* with strides */
static inline void *array_data(const Array *a) { return a->data ? (char *)a->data + a->byte_offset : NULL; }
/* Compact and aligned; seen at once of most. */
static inline bool array_compact(const Array *a, size_t bytes)
{
	size_t align = bytes > 8 ? 8 : bytes;
	return ((uintptr_t)array_data(a) & (align - 1)) == 0 && (!a->strides || array_is_compact(a));
}
void array_copy(const Array *to, const Array *from, size_t bytes);   /* of one shape; bytes of an element */

/* pool.c */
void pool_watch_forks(void);

/* tier.c */
void tier_start(Program *);                      /* as the options ask; what fails stays interpreted */
void tier_restart(Program *);                    /* in a forked child */
void tier_worked(Program *, int64_t work);       /* where undecided: so much is interpreted now */
void tier_stop(Program *);                       /* waits for the background, closes the code */


/* frame_sizes.c */
int64_t size_at(const Buffer *, const void *data);  /* the i64, or the bool as 0 or 1, that lies there */

#endif
