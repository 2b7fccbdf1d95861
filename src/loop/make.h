/* make.h - shared by the files that turn a function into a plan; private to src/loop. */
#ifndef POR_LOOP_MAKE_H
#define POR_LOOP_MAKE_H

#include "../diff/diff.h"
#include "loop.h"

enum { SHAPES = 16 };
enum { GUARD_NONE = UINT32_MAX, GUARD_UNMADE = UINT32_MAX - 1 };

/* The body being planned: the function's, or one of a loop or branch in it. */
typedef struct PlanScope {
	struct PlanScope *outer;
	const Node *around;          /* the loop or branch whose body this is; NULL: the function's own */
	Body body;                   /* which of its bodies */
	Region *r;
	Groups *groups;
	const uint32_t *size;        /* dims of the function's size parameters */
	uint32_t *buffer;            /* by place: the node's buffer + 1; 0: none */
	/* by place: the first GET of that node, the next GET of the same one, + 1 */
	uint32_t *get, *next_get;
	struct Recording *recorded;  /* loops that others write down, by place; NULL: none yet */
	uint32_t *target;            /* by place: the buffer + 1 of the result that a node is; 0: of none */
	const Node **reader;         /* by place: the node that alone reads it; itself: several; NULL: none */
	uint32_t loop;               /* number of the loop, UINT32_MAX outside */
	uint32_t steps;              /* a dim: of the loop; UINT32_MAX: of a branch */
	/* a dim: above 0 where the body runs; GUARD_NONE: it always does; GUARD_UNMADE: that of a branch,
	 * which nothing has asked for (scope_guard) */
	uint32_t guard;
	uint32_t settled;            /* steps before this number are those of roots that are done */
	enum { INDICES_UNASKED, INDICES_NONE, INDICES_SOME } indices; /* are there operators of such? */
} PlanScope;

typedef struct PlanMaker {
	Graph *g;                    /* for sizes and errors */
	Arena *scratch;
	const Function *f;           /* that is planned */
	Groups *groups;              /* of its own nodes; NULL: to be found */
	Plan *plan;
	PlanScope *scope;
	PlanScope *asks;             /* the body that asks for a size of what is around it */
	Step **tail;                 /* where the next step goes */
	uint32_t dim_cap, buffer_cap, axis_cap, constant_cap, kernel_cap, requirement_cap, scalar_cap,
		sized_cap, extent_cap;
	/* by the plan's scalars: what holds each */
	struct ScalarNode { Node *x; const PlanScope *scope; } *scalar;
	Node *temporary; uint32_t temporary_buffer; /* a leaf outside of every region, and where it lies */
	Table dims, kernels, calls, needs, extents;
	IdMap of_data;               /* dims + 1 that are made of data */
	IdMap data;                  /* buffers + 1 of constants that cores read, by the node's id */
	/* by dim + 1: bytes of an element of an array of so many, which there is whatever side is taken */
	IdMap held;
	/* where the dims of some shapes begin that were met last, and how many they are; 0: none */
	struct { uint32_t axes, n; } shape[SHAPES];
	uint32_t nshape;             /* met so far */
	uint32_t token;              /* + 1: the empty buffer in which all tokens lie; 0: none yet */
	Names texts;                 /* those that the plan has: files, and what kernels compute */
} PlanMaker;

/* ---- dims.c --------------------------------------------------------------------- */

uint32_t dim_of(PlanMaker *, const Size *);          /* of the scope's sizes; 0 with an error is dim 0 */
uint32_t dim_const(PlanMaker *, int64_t);
uint32_t dim_guarded(PlanMaker *, uint32_t dim);     /* 0 where the scope's body does not run */
uint32_t dim_size(PlanMaker *, uint32_t parameter);  /* of the function that is planned */
/* an array of so many elements (a dim) is there, whatever side is taken */
void dim_held(PlanMaker *, uint32_t elements, Dtype);
void scalars_settle(PlanMaker *); /* after a root of the scope: which sizes it has computed */
bool scalars_done(PlanMaker *);                      /* when all is planned */

uint32_t dim_add(PlanMaker *, Dim);                  /* the one that is equal */
uint32_t dim_of_scalar(PlanMaker *, Node *);         /* of the scope's function */
/* what a scalar of the function is called, or what it is the result of */
const char *scalar_text(Arena *, const Within *, const Node *);
const Within *scope_names(const PlanMaker *, const PlanScope *); /* on the scratch arena */
const Function *scope_function(const PlanMaker *, const PlanScope *);

/* ---- guards.c ------------------------------------------------------------------- */

PlanScope *scope_of_body(PlanMaker *, const Node *, const Body *);
uint32_t scope_guard(PlanMaker *);                   /* that of the scope, made if need be */
/* A size that a body is given, in the scope around it: what data makes of it may have no number where the
 * body does not run. */
uint32_t dim_given(PlanMaker *, PlanScope *inner, const Size *);
uint32_t guard_around(const PlanMaker *);            /* the innermost that is made */
uint32_t guard_of_dim(PlanMaker *, const Dim *);
uint32_t common_guard(PlanMaker *, uint32_t guard);  /* of what has this one and is used in the scope too */
bool dim_is_of_data(const PlanMaker *, const Dim *);

/* ---- needs.c -------------------------------------------------------------------- */

void plan_requirements(PlanMaker *, Function *);     /* of the function and of the bodies in it */

/* ---- told.c --------------------------------------------------------------------- */

/* ": i, in x": what a step of these roots has indices of; NULL: nothing that is outside, or of several */
const char *indices_told(PlanMaker *, uint32_t n, Node *const *root);

/* ---- steps.c -------------------------------------------------------------------- */

void touch(PlanMaker *, uint32_t buffer, uint32_t number);   /* the buffer lives at that step */
uint32_t buffer_new(PlanMaker *, const Type *, Space);
uint32_t token_buffer(PlanMaker *);
uint32_t buffer_of(PlanMaker *, Node *);             /* + 1; the buffer a node lies in, 0: none (yet) */
void buffer_set(PlanMaker *, Node *, uint32_t buffer);
Step *loop_new(PlanMaker *);
/* Adds a step of that node's line; its call, where there is none that is equal, and the list of buffers are
 * copied. */
Step *step_call(PlanMaker *, StepKind, const Node *, const StepCall *, const uint32_t *buffer);
void step_add(PlanMaker *, Step *);
/* The plan outlives the graph: its copy of a text, one of those that are equal; NULL of NULL. */
const char *plan_text(PlanMaker *, const char *);
/* a step of the node with this core, dtype, buffers and integers, whose lists are copied */
void core_step(PlanMaker *, Node *, const StepCall *like, const uint32_t *buffer);
/* the plan's one kernel of this structure; the given one lies on a scratch arena */
Kernel *kernel_intern(PlanMaker *, const Kernel *);
/* the elements that are taken of each tuple, as lists through places */
void list_gets(PlanMaker *, PlanScope *);
/* the buffer for element i of a tuple: of the result that it is, or a new one */
uint32_t element_target(PlanMaker *, Node *, uint32_t i);
/* its own, or that of each element that is taken of it */
void set_results(PlanMaker *, Node *, const uint32_t *buffer);

/* Where a kernel's results go: element (axes of the node) at offset + strides (sizes, in elements). */
typedef struct StoreTarget { uint32_t buffer; const Size *offset; const Size *const *stride; } StoreTarget;

/* ---- build.c -------------------------------------------------------------------- */

/* The buffer that holds a node, stored by a copy if it lies nowhere (constants, sizes, most views). */
uint32_t buffer_need(PlanMaker *, Node *);
/* kernel_make, what it cannot hold stored first; false: `force` cannot be stored, or an error. */
bool kernel_stored(PlanMaker *, Node *, uint32_t buffer, const StoreTarget *, const Node **force);
/* The steps of the scope's function, whose results go to these buffers. */
bool plan_body(PlanMaker *, Function *, const uint32_t *param, const uint32_t *result);

/* ---- contract.c, simple.c, scan.c, branch.c: steps of roots that are no kernel ---- */

/* target: the buffer + 1 that wants the result, or 0 */
bool contract_plan(PlanMaker *, Node *, uint32_t target);
void simple_plan(PlanMaker *, Node *, uint32_t target);
void scatters_in_place(PlanMaker *, Nodes results);  /* when targets are told, before steps are made */
void custom_plan(PlanMaker *, Node *);
void effect_plan(PlanMaker *, Node *);
void scan_plan(PlanMaker *, Node *);
void branch_plan(PlanMaker *, Node *);
/* record.c: a loop that a condition ends, and a later one of as many passes whose traces it writes down;
 * carried: where what both carry ends up. */
typedef struct Recording {
	Node *counted;
	RecordedLoop as;
	uint32_t first;              /* of the plan's records */
	const uint32_t *carried;
	struct Recording *before;    /* of the same body */
} Recording;
/* Of this loop, which has no step yet; false: there is no such other loop, or an error. */
bool recording_of(PlanMaker *, Node *whiles, Recording *);
/* Its results, once the one for both has its step, whose results are in these buffers. */
void recording_set(PlanMaker *, Node *whiles, Step *, const Recording *, const uint32_t *buffer);
/* A loop's results: those in these buffers, or what was recorded of them. */
const uint32_t *recording_take(PlanMaker *, Node *, Step *, const uint32_t *buffer);
/* what a loop carries and writes elements of is one array, where nobody reads the old one.  update.c */
void update_in_place(PlanMaker *, Step *loop);
/* Of a list of steps that ends before number `end`: the reader, and those that it hangs on, go before the
 * writer.  False: something is in the way.  earlier.c */
bool step_goes_before(PlanMaker *, Step **writer, const Step *reader, uint32_t end);
/* the step, and in it those of the body, with these buffers for its parameters and results */
void body_plan(PlanMaker *, Step *, PlanScope *body, const uint32_t *param, const uint32_t *result);

/* ---- named.c -------------------------------------------------------------------- */

/* An array that a step names itself (of a branch's side not the condition), and what it does with it. */
typedef struct StepArray { uint32_t *at; bool read, written; } StepArray;
uint32_t named_by(const Plan *, Step *, StepArray *);    /* how many; there is room for most_named */
uint32_t most_named(const Step *);
uint32_t array_root(const Plan *, uint32_t buffer);  /* that in which it lies */

/* ---- kernel.c ------------------------------------------------------------------- */

/* Add the step that computes `x` (any node that is no core and no loop) into the target (NULL: compact, from
 * the start).  `force` gets a node that must be stored first where the kernel cannot hold it. */
bool kernel_make(PlanMaker *, Node *x, uint32_t buffer, const StoreTarget *, const Node **force);
/* A buffer that holds a constant. */
uint32_t constant_buffer(PlanMaker *, const Node *);
/* Fill a buffer with zeros. */
bool kernel_fill(PlanMaker *, const Type *, uint32_t buffer);

/* ---- singles.c ------------------------------------------------------------------ */

/* Add the step that computes the first of these single numbers into their buffers, or places there (NULL: the
 * start), each from what is stored and from those before it; gives how many one kernel holds, 0: not even the
 * first. */
uint32_t kernel_of_singles(
	PlanMaker *, uint32_t n, Node *const *x, const uint32_t *buffer, const StoreTarget *);

#endif
