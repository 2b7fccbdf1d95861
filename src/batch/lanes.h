/* lanes.h - what the files of this room share. */
#ifndef POR_LANES_H
#define POR_LANES_H

#include "batch.h"
#include "../ir/own.h"

/* Lanes of what is below some results. */
typedef struct Batch {
	Graph *g;
	Arena *a;
	const Size *n;
	IdMap done; /* node id -> Known */
	/* NULL, or [n] bools: in other lanes nothing of this is asked for, and nothing may go back into what
	 * is steep here, or hangs on that */
	Node *takes;
	IdMap steep;
} Batch;

/* Of an array one node with a first axis more, NULL where all lanes have the same; of a tuple one each. */
typedef struct Known { uint32_t n; Node **elem; } Known;

/* Why lanes are a loop over them, which its body is called by: its text stands in batch.c. */
typedef enum Why { WHY_SIZES, WHY_EFFECTS, WHY_EXACT, WHY_OWN, WHY_KERNEL, WHYS } Why;
extern const char *const loop_name[WHYS];

/* batch.c */
void batch_open(Batch *, Graph *, Arena *, const Size *n);
bool batch_run(Batch *, uint32_t n, Node *const *y);           /* all below y; false with an error */
void batch_seed(Batch *, const Node *x, Node *lanes);
Node *lanes_of(const Batch *, const Node *x);                  /* NULL: the same in all */
Node *const *tuple_lanes(const Batch *, const Node *x);        /* an element each */
bool has_lanes(const Batch *, const Node *x);                  /* any of its elements */
Node *spread(const Batch *, Node *x);                          /* x in each lane */
Node *all_lanes(const Batch *, Node *x);                       /* its lanes, spread where all have the same */
/* Lanes chosen one by one, c of [n] bools: a where it holds, else b. */
Node *choose(const Batch *, Node *c, Node *a, Node *b);
/* Axes of x in this order first, then the others as they were. */
Node *axes_first(Graph *, Node *x, uint32_t n, const int64_t *axis);
const Type *lane_type(const Batch *, const Type *);            /* with the first axis more */
/* Nodes that are computed outside of a body, and more of them (NULL: none). */
Nodes outside_with(Arena *, Nodes, uint32_t n, Node *const *more);
/* A size whose data has lanes: its value in each; NULL with the error that it is no size then. */
Node *size_lanes(Batch *, const Size *);

/* Each gives the lanes of x, of whose operands one has some, an element of `out` each: what hangs on them has
 * lanes, whatever its value. */
bool batch_plain(Batch *, Node *x, Node **out);                /* plain.c */
bool batch_gather(Batch *, Node *x, Node **out);               /* indices.c */
/* An element by an index that may be outside, of an axis that is not empty where there are lanes: could the
 * first be taken in its place in lanes that take no part?  Has it to be, as the index is not proved to be
 * inside?  And is it? */
bool can_mask(const Batch *, Node *x);
bool wants_mask(const Batch *, Node *x);
bool is_masked(const Batch *, Node *x);
bool batch_scatter(Batch *, Node *x, Node **out);
bool batch_window(Batch *, Node *x, Node **out);               /* a slice whose start has lanes */
bool batch_if(Batch *, Node *x, Node **out);                   /* branches.c */
bool batch_scan(Batch *, Node *x, Node **out);                 /* loops.c */
bool batch_call(Batch *, Node *x, Node **out);                 /* calls.c */
bool batch_own(Batch *, Node *x, Node **out);                  /* own.c: that tells its derivative itself */
bool batch_by_loop(Batch *, Node *x, Node **out);              /* calls.c: a loop over the lanes */
bool batch_custom(Batch *, Node *x, Node **out);               /* calls.c */

/* branches.c: lanes that take no part in a side of a branch, or in a pass of a loop */
typedef struct Stand {
	Node *takes;  /* [n] bools: which do */
	Node *first;  /* the number of the first that does, if there is one */
	bool screens; /* it cannot fail: those that take no part compute what they have, and it is screened */
	bool cheap;   /* passing work */
} Stand;
/* Of such a side or pass; bound: what it binds that has lanes. */
void stand_ask(Batch *, Node *of, const Opened *, Nodes bound, Stand *);
bool stand_open(const Batch *, Node *takes, Stand *);
void seed_taking(const Batch *, Batch *in, Nodes, const Stand *);
/* The same values, through which nothing goes back to lanes that take no part. */
Node *screened(const Batch *, Node *lanes);
bool is_steep(const Node *);
bool is_float(const Node *);

#endif
