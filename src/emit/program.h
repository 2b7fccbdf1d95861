/* program.h - inside floor 7: what the printers of a whole program share.
 *
 * Names in the file, N being a number: d[N] dims, bN buffers (char *), cN
 * constants, iN the index of loop N, kN_S kernel N for instruction set S.
 */
#ifndef POR_EMIT_PROGRAM_H
#define POR_EMIT_PROGRAM_H

#include "print.h"

typedef struct Writer {
	Arena *arena;
	Text t;
	int depth;
	const Plan *plan;
	const char *name;                /* the program's */
	const char **arg;                /* names of inputs, then outputs, then sizes */
	Form *form;                      /* by kernel */
	bool *used;                      /* by buffer: some step uses it */
	uint32_t nscalar, *scalar;       /* inputs that sizes depend on */
	CoreWants wants;                 /* the cores of its steps */
	uint32_t ncustom; const Custom **custom;         /* operators of the user's */
	int isa;                         /* the one instruction set to print, -1: all */
	const char *suffix;              /* of that being printed */
} Writer;

void say(Writer *, const char *format, ...) PRINTF_LIKE(2, 3);   /* a line */
void say_open(Writer *, const char *format, ...) PRINTF_LIKE(2, 3);
void say_close(Writer *);

/* c_names.c */
void find_args(Writer *);                /* w->arg: inputs by their paths, results as out_PATH, or out1, out2, ... */
const char *program_name(Writer *, const char *wish);
/* c_plan.c */
void write_steps(Writer *);              /* static int NAME_run_S(d, at, arg, w) */
void write_step_params(Writer *, const Step *);          /* const int64_t m[] = ...; */
bool is_filled(const Plan *, const Buffer *);    /* a constant of one element, for an array of several */
/* c_layout.c */
void write_constants(Writer *);
void write_sizes(Writer *);              /* static int NAME_sizes(size, scalar, d) */
void write_kernel_needs(Writer *);       /* kN_items, kN_scratch */
void write_layout(Writer *);             /* static int64_t NAME_layout(d, at) */

#endif
