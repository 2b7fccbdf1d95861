/* writer.h - what the printers of a whole program share.
 *
 * Names in the file, N being a number: d[N] dims, at[N] places in the
 * workspace, bN buffers (char *), cN constants, kN_S kernel N for instruction
 * set S.  NAME is the program's.  Kernels and cores are there for each set, the
 * steps once: they call what NAME_code_S lists of the set that the machine has.
 */
#ifndef POR_WRITER_H
#define POR_WRITER_H

#include "../kernels/c_text.h"
#include "standalone.h"

/* ---- c_cores.c ---- */

typedef struct CoreWants { uint32_t cores, dtypes; } CoreWants;         /* bits 1 << Core, 1 << Dtype */
/* c_cores.c: what the cores share; and their text for an instruction set, whose names end in the suffix */
void print_items(Text *);
void print_cores(Arena *, Text *, const char *suffix, int isa, const CoreWants *);

/* ---- c_program.c: what stands around the code in a program's file ---- */

void print_head(Text *);                                 /* what the file asks of the compiler, and refuses */
const char *isa_region(int isa), *isa_region_end(int isa);

/* ---- the writer ---- */

/* The function that is printed: a run of steps, and the buffers that it uses. */
typedef struct StepPart {
	uint32_t nbuffer, *buffer;
	bool calls;                      /* other parts */
} StepPart;

typedef struct Writer {
	Arena *arena;
	Text t;
	int depth;
	const char *lead; /* what the next line begins with: a condition; or NULL */
	const Plan *plan;
	const char *name;                /* the program's */
	const char **arg;                /* names of inputs, outputs, sizes, then what is called below */
	/* by scalar: what its most is called, and where it goes; NULL: not asked for */
	const char **most, **computed;
	uint32_t *result;                /* by scalar: the number of where it goes among the arrays */
	Form *form;                      /* by kernel */
	bool *used;                      /* by buffer: some step uses it */
	uint32_t nplace, *place;         /* by buffer: its place in the workspace, UINT32_MAX: none */
	/* by buffer: the loop that carries it, + 1; with which it changes places */
	uint32_t *carrier, *partner;
	uint32_t *moved, nmoved;         /* by buffer: its row of what loops move, + 1 */
	uint32_t *weight;                /* by step: what it counts in a function */
	uint32_t *mark, nmark;           /* by buffer: the part that was seen last to use it */
	uint32_t nrun;                   /* parts of the instruction set that is printed */
	Text parts;                      /* their functions */
	StepPart *part;
	const SameRuns *same;            /* steps that come again */
	const SameRun *run;              /* whose function is printed; NULL: it is a part */
	uint32_t at;                     /* the next of its places */
	CoreWants wants;                 /* the cores of its steps */
	uint32_t ncustom; const Custom **custom;         /* operators of the user's */
	uint32_t effects;                /* bits 1 << Dtype of what they tell; 0: there are none */
	int isa;                         /* the one instruction set to print, -1: all */
	const char *suffix;              /* of that being printed; "": of what all share */
} Writer;

void say(Writer *, const char *format, ...) PRINTF_LIKE(2, 3);   /* a line */
void say_open(Writer *, const char *format, ...) PRINTF_LIKE(2, 3);
void say_close(Writer *);

/* c_names.c */
void find_args(Writer *); /* w->arg: inputs by their paths, results as out_PATH, or out1, out2, ... */
const char *program_name(Writer *, const char *wish);
const char *comment(Writer *, const char *);     /* a text of the user's in a comment */
/* c_slots.c */
void find_places(Writer *);
/* c_layout.c */
void write_constants(Writer *);
void write_kernel_needs(Writer *);       /* kN_items, kN_scratch */
void write_layout(Writer *);             /* static int64_t NAME_layout(d, at) */
void write_need(Writer *, const Step *);         /* into `most` */
/* c_sizes.c */
void write_sizes(Writer *);              /* static int NAME_sizes(size, d), NAME_sizes_PHASE(size, d) */
/* c_bounds.c */
void write_bounds(Writer *);             /* static int NAME_bounds(size, d): the most that each dim may be */
/* c_effects.c */
void use_effect(Writer *, const Step *);
const char *effects_text(Writer *, Unit *);      /* the functions that effects call; "": there are none */
void write_effect(Writer *, const Step *);
/* c_plan.c */
const char *dim_text(Writer *, uint32_t dim);
void write_step_sizes(Writer *, const Step *, bool constants);   /* const int64_t m[] = ...; */
const char *axes_text(Writer *, const Step *);    /* the sizes of all axes of its arrays */
void write_fills(Writer *, uint32_t phase);
/* phase: the next to begin, 0: none */
void write_inline(Writer *, const Step *, uint32_t phase, const Step *end);
/* c_same.c */
void find_moved(Writer *);               /* w->moved */
void write_same_rows(Writer *);          /* static const int NAME_sameN[][...] */
void write_same_place(Writer *);         /* static void *NAME_array(r, i) */
void write_same_needs(Writer *);         /* static int64_t NAME_sameN_scratch(d, u) */
void write_same_layout(Writer *);        /* what those need, within NAME_layout */
void write_same(Writer *);               /* static int NAME_run_sameN(r, u) */
/* gives the last step of it */
const Step *write_same_call(Writer *, const SameAt *, const Step *first);
/* What stands there: in the function of a run the next of its places, else that number. */
const char *place_text(Writer *, PlaceKind, uint32_t number);
/* c_parts.c */
void weigh_steps(Writer *);
void write_run(Writer *);                /* struct NAME_code, struct NAME_run */
void write_steps(Writer *);              /* static int NAME_run(r), NAME_run_S(r) of one instruction set */
void write_list(Writer *, const Step *, uint32_t phase);         /* here, or by parts */
const char *buffer_place(Writer *, uint32_t buffer);
bool buffer_moves(const Writer *, uint32_t buffer, const Step *loop);
/* c_doors.c */
void write_doors(Writer *);              /* NAME_workspace, NAME */
void write_header(Writer *, Text *);

#endif
