/* make.h - shared by the files that turn a function into a plan; private to src/loop. */
#ifndef POR_LOOP_MAKE_H
#define POR_LOOP_MAKE_H

#include "loop.h"

/* The body being planned: the function's, or that of a loop in it. */
typedef struct Scope {
	struct Scope *outer;
	const Node *around;          /* the loop whose body this is; NULL: the function's own */
	Region *r;
	Groups *groups;
	const uint32_t *size;        /* dims of the function's size parameters */
	uint32_t *buffer;            /* by place: the node's buffer + 1; 0: none */
	/* by place: the first GET of that node, the next GET of the same one, + 1 */
	uint32_t *get, *next_get;
	uint32_t loop;               /* number of the loop, UINT32_MAX outside */
	uint32_t steps;              /* a dim: of the loop */
	uint32_t guard;              /* a dim: above 0 where the body runs; UINT32_MAX outside of loops that may have no pass */
	uint32_t settled;            /* steps before this number are those of roots that are done */
} Scope;

typedef struct Maker {
	Graph *g;                    /* for sizes and errors */
	Arena *scratch;
	const Function *f;           /* that is planned */
	Groups *groups;              /* of its own nodes; NULL: to be found */
	Plan *plan;
	Scope *scope;
	Step **tail;                 /* where the next step goes */
	uint32_t dim_cap, buffer_cap, kernel_cap, requirement_cap, scalar_cap, sized_cap, extent_cap;
	struct ScalarNode { Node *x; const Scope *scope; } *scalar;      /* by the plan's scalars: what holds each */
	Node *temporary; uint32_t temporary_buffer; /* a leaf outside of every region, and where it lies */
	Table dims, kernels, needs, extents;
	const char *file, *file_kept; /* of the step before: as the graph has it, and as the plan does */
} Maker;

/* ---- dims.c --------------------------------------------------------------------- */

uint32_t dim_of(Maker *, const Size *);          /* of the scope's sizes; 0 with an error is dim 0 */
uint32_t dim_const(Maker *, int64_t);
uint32_t dim_guarded(Maker *, uint32_t dim);     /* 0 where the scope's body does not run */
uint32_t dim_size(Maker *, uint32_t parameter);  /* of the function that is planned */
Scope *scope_of_loop(Maker *, const Node *loop);
void plan_requirements(Maker *, Function *);     /* what must hold of sizes, of the function and of loops in it */
void scalars_settle(Maker *);                    /* after a root of the scope: which sizes it has computed */
bool scalars_done(Maker *);                      /* when all is planned */

/* ---- steps.c -------------------------------------------------------------------- */

void touch(Maker *, uint32_t buffer, uint32_t number);   /* the buffer lives at that step */
uint32_t buffer_new(Maker *, const Type *, Space);
uint32_t buffer_of(Maker *, Node *);             /* + 1; the buffer a node lies in, 0: none (yet) */
void buffer_set(Maker *, Node *, uint32_t buffer);
void step_add(Maker *, Step *);
const char *plan_file(Maker *, const char *file);  /* the plan's copy, for its steps */
void core_step(Maker *, Node *, Core, Dtype, uint32_t nbuffer, const uint32_t *buffer, uint32_t nparam,
               const uint32_t *param);
/* the plan's one kernel of this structure; the given one lies on a scratch arena */
Kernel *kernel_intern(Maker *, Kernel *);
/* the elements that are taken of each tuple, as lists through places */
void list_gets(Maker *, Scope *);
/* its own, or that of each element that is taken of it */
void set_results(Maker *, Node *, const uint32_t *buffer);

/* ---- build.c -------------------------------------------------------------------- */

/* The buffer that holds a node, stored by a copy if it lies nowhere (constants, sizes, most views). */
uint32_t buffer_need(Maker *, Node *);
/* The steps of the scope's function, whose results go to these buffers. */
bool plan_body(Maker *, Function *, const uint32_t *param, const uint32_t *result);

/* ---- contract.c, simple.c, scan.c: steps of roots that are no kernel -------------- */

bool contract_plan(Maker *, Node *, uint32_t target); /* target: the buffer + 1 that wants the result, or 0 */
void simple_plan(Maker *, Node *, uint32_t target);
void custom_plan(Maker *, Node *);
void scan_plan(Maker *, Node *);

/* ---- kernel.c ------------------------------------------------------------------- */

/* Where a kernel's results go: element (axes of the node) at offset + strides (sizes, in elements). */
typedef struct Target { uint32_t buffer; const Size *offset; const Size *const *stride; } Target;

/* Add the step that computes `x` (any node that is no core and no loop) into the target (NULL: compact, from
 * the start).  `force` gets a node that must be stored first where the kernel cannot hold it. */
bool kernel_make(Maker *, Node *x, uint32_t buffer, const Target *, const Node **force);
/* Fill a buffer with zeros. */
bool kernel_fill(Maker *, const Type *, uint32_t buffer);

#endif
