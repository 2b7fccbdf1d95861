/* run.h - running plans.
 *
 * A Program is a plan with its kernels prepared; many threads may call it at
 * once, each in a Frame of its own, which owns the workspace, the remembered
 * layout for the last shapes, the results and the error.
 */
#ifndef POR_RUN_H
#define POR_RUN_H

#include "../loop/loop.h"

/* ---- arrays: byte for byte a DLPack DLTensor ------------------------------------- */

typedef struct Array {
	void *data;
	struct { int32_t type, id; } device;     /* type 1: the CPU */
	int32_t ndim;
	struct { uint8_t code, bits; uint16_t lanes; } dtype;
	int64_t *shape, *strides;        /* strides in elements; NULL: compact, row order */
	uint64_t byte_offset;
} Array;

Dtype array_dtype(const Array *);                /* DT_NONE: none of ours.  A key is u64 with 2 lanes */
void array_set_dtype(Array *, Dtype);
/* overlap.c: at most RANK_MAX axes; elements of so many bytes */
bool arrays_meet(const Array *, size_t bytes, const Array *, size_t other_bytes);
bool array_strides_fit(const Array *, size_t bytes);     /* they reach no further than LARGEST bytes */
bool array_meets_itself(const Array *, size_t bytes);    /* two of its elements share memory */

/* ---- pool.c: threads ---------------------------------------------------------------- */

int cpu_count(void);
/* fn(user, 0) ... fn(user, parts - 1), each once, by the caller and up to parts - 1 workers, which take the
 * caller's floating-point control word.  If the workers are busy with another's work the caller does all. */
void pool_run(int parts, void (*fn)(void *user, int part), void *user);
extern uint32_t fork_count; /* forks between this process and the first: threads are gone then */
void pool_close(void);                           /* ends the workers; they come back when wanted */

/* ---- program.c: compiled functions ------------------------------------------------------- */

typedef struct Program Program;
typedef struct Frame Frame;

typedef enum Tier {
	TIER_BACKGROUND, /* interpreted at once, native code when the background has compiled it */
	TIER_INTERPRET,                  /* no thread, no child process */
	TIER_NATIVE, /* native code before program_new returns, where the compiler manages */
	TIER_CACHED                      /* native code if the disk cache holds it */
} Tier;

typedef struct RunOptions {              /* zero: the defaults */
	Tier tier;
	int threads;                     /* 0: as many as CPUs; 1: the caller alone */
	int isa; /* 0: the best of the machine; else 1 + the instruction set, or the best below */
	const char *compiler, *cache;    /* NULL: $CC or cc; the user's cache */
	int time_limit;                  /* of the compiler, seconds; 0: its default */
	uint32_t alternate;              /* tests: change the tier after so many kernels */
	bool poison;                     /* tests: dead memory is filled with NaNs */
	bool profile;                    /* steps are timed: program_taken */
	uint64_t memory_cap;             /* bytes that a frame may own for a call; 0: any */
	/* Runs task(argument, 0) ... task(argument, n - 1), each once, before it returns; NULL: the pool. */
	void (*parallel_for)(void *user, int64_t n, void (*task)(void *argument, int64_t i), void *argument);
	void *parallel_user;
	/* told once why kernels stay interpreted; from any thread */
	void (*log)(void *user, const char *line);
	EffectSink sink;                 /* hears of effects, on the caller's thread */
	void *log_user;                  /* lives as long as the program */
	const Allocator *allocator;      /* of programs and frames; NULL: libc */
	double call_seconds;             /* that a call may take; 0: any time */
	const int *cancel;               /* not 0: calls and compilers end; from any thread; NULL: never */
	const Watch *watch;              /* what bounds program_new itself, until it returns; NULL: nothing */
} RunOptions;

/* Takes the plan (it is freed with the program, also when this fails).  NULL with an error. */
Program *program_new(Plan *, const RunOptions *, Error *);
Program *program_keep(Program *);                /* one more owner */
void program_free(Program *);                    /* one less; NULL is fine; frames keep their program */
const Plan *program_plan(const Program *);

/* Which tier kernel k runs in now, and why: "interpreted", "native", ... */
typedef struct TierState {
	uint32_t kernels, native, failed;
	bool busy;
	int code;                                /* of the first error on the way to native code; 0: none */
	char text[600];
} TierState;
void program_state(Program *, TierState *);
/* Of step s, counted along the plan's steps and into loops: how often it ran, nanoseconds in all, bytes of
 * the arrays that it was given and its work in element-instructions (of a product: multiplications), both of
 * all calls and of no loop.  Zeros: it did not run, or is not profiled. */
typedef struct StepTaken { int64_t calls, nanoseconds, bytes, work; } StepTaken;
StepTaken program_taken(const Program *, uint32_t s);
/* amounts.c: the bytes and the work of one call of a kernel's or a core's step, of dims of these values */
StepTaken step_amounts(const Plan *, const Step *, const int64_t *dim, Arena *);
/* The most bytes that an array of the plan had in a step; 0: no step that was profiled had it. */
int64_t program_array_bytes(const Program *, uint32_t buffer);
void program_hurry(Program *);                   /* the background compiles now, however little was called */
bool program_wait(Program *); /* until the background has finished; are all kernels native? */

/* ---- frame.c, execute.c, step.c: calls ------------------------------------------------------------- */

Frame *frame_new(Program *, Error *);
void frame_free(Frame *);
const Error *frame_error(const Frame *);
void frame_cancel(Frame *, bool on);             /* the call on it, and later ones, end; from any thread */
void frame_limit(Frame *, double seconds);       /* of each call; 0: none */
void frame_row(Frame *, bool begins);            /* calls between the two have the time of one */
/* Result j of the last call, where the caller gave no memory: valid until the frame's next call. */
bool frame_result(const Frame *, uint32_t j, Array *);
/* The sizes of result j for the arguments that the frame is laid out for; NULL: they are computed, or there
 * is no layout. */
const int64_t *frame_shape(const Frame *, uint32_t j);
int64_t frame_work(const Frame *); /* of such a call, in element-instructions; -1: the values decide */
/* Does ahead what a first call with inputs of these shapes would; data is read only where sizes depend on
 * it. */
bool frame_reserve(Frame *, uint32_t nin, const Array *in);

/* Runs the program on a frame, or on a borrowed one (NULL: then all results need memory).  nout 0, or data
 * NULL: the result stays in the frame.  Inputs of any strides; results too, which may overlap inputs, but not
 * each other, and neither may lie in the frame's own memory.  Gives 0 or the error's code; the error is
 * copied to `e` if that is not NULL. */
typedef struct CallArrays { uint32_t nin; const Array *in; uint32_t nout; const Array *out; } CallArrays;
int program_call(Program *, Frame *, const CallArrays *, Error *e);
/* n calls on a frame; argument i begins at in[i]*call bytes, result j at out[j]*call.  Where all are
 * compact, no size depends on data and no result meets an argument, all but the first are a loop of the
 * plan's steps alone. */
typedef struct CallSteps { int64_t n; const int64_t *in, *out; } CallSteps;
int program_call_many(Program *, Frame *, const CallArrays *first, const CallSteps *);

/* ---- entry.c: a whole program as one native function ------------------------------------------- */

typedef struct Entry {
	int (*call)(void *const *arrays, const int64_t *sizes, void *workspace); /* arguments, then results */
	int64_t (*workspace)(const int64_t *sizes);
	struct Code *code;
} Entry;

/* Compiled here and now, or from the cache; false with an error, Entry then zero. */
bool entry_open(Entry *, const Plan *, const RunOptions *, Error *);
void entry_close(Entry *);

#endif
