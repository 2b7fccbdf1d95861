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

/* An array of lanes that is not made, as some lanes take no part and see the rows of another (stood.c). */
typedef struct Stood {
	Node *own;   /* all rows, each lane's own */
	Node *row;   /* [n]: which of them a lane sees; NULL: its own */
	Node *takes; /* [n] bools: in these lanes it is its own, and may be written */
	Node *kept;  /* in the others `own` has the rows of this; NULL: of nothing that is there */
	Node *seen;  /* all rows as the lanes see them; NULL: not made yet */
	/* As long as nothing is written: what it is within, and that there lanes outside of `within` see what
	 * lane `first` does. */
	struct Stood *above;
	Node *within, *first;
} Stood;

/* Of an array one node with a first axis more, NULL where all lanes have the same, or in its place what is
 * stood in for; of a tuple one each. */
typedef struct Known { uint32_t n; Node **elem; Stood **stood; } Known;

/* Why lanes are a loop over them, which its body is called by: its text stands in batch.c. */
typedef enum Why { WHY_SIZES, WHY_EFFECTS, WHY_EXACT, WHY_OWN, WHY_KERNEL, WHYS } Why;
extern const char *const loop_name[WHYS];

/* batch.c */
void batch_open(Batch *, Graph *, Arena *, const Size *n);
bool batch_run(Batch *, uint32_t n, Node *const *y);           /* all below y; false with an error */
void batch_seed(Batch *, const Node *x, Node *lanes);
Node *lanes_of(const Batch *, const Node *x);                  /* NULL: the same in all */
Known *known_of(const Batch *, const Node *x);                 /* NULL: nothing is known */
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
bool size_differs(const Batch *, const Size *);

/* Each gives the lanes of x, of whose operands one has some, an element of `out` each: what hangs on them has
 * lanes, whatever its value. */
bool batch_plain(Batch *, Node *x, Node **out);                /* plain.c */
bool batch_gather(Batch *, Node *x, Known *out);               /* indices.c */
/* An element by an index that may be outside, of an axis that is not empty where there are lanes: could the
 * first be taken in its place in lanes that take no part?  Has it to be, as the index is not proved to be
 * inside?  And is it? */
bool can_mask(const Batch *, Node *x);
bool wants_mask(const Batch *, Node *x);
bool is_masked(const Batch *, Node *x);
bool batch_scatter(Batch *, Node *x, Known *out);
bool batch_window(Batch *, Node *x, Node **out);               /* a slice whose start has lanes */
bool batch_pad(Batch *, Node *x, Node **out);                  /* zeros around, as many as a lane says */
bool batch_if(Batch *, Node *x, Known *out);                   /* branches.c */
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
/* What a body has from outside, of which all lanes ask. */
void seed_all(const Batch *, Batch *in, Nodes);
/* The same values, through which nothing goes back to lanes that take no part. */
Node *screened(const Batch *, Node *lanes);
Node *screened_by(const Batch *, Node *takes, Node *lanes);
/* Lanes, but for those that take no part, which have those of `first`. */
Node *lanes_from(const Batch *, Node *lanes, Node *takes, Node *first);
bool is_steep(const Node *);
static inline bool is_float(const Node *x)
{
	return dtype_is_float(node_dtype(x)) || dtype_is_complex(node_dtype(x));
}

/* stood.c: arrays of lanes that take no part, read and written where they lie */
Stood *stood_of(const Batch *, const Node *x); /* NULL: it is there, or has no lanes */
/* Those of x within such a side or pass; NULL: so little that it is made at once. */
Stood *stood_within(const Batch *, Node *x, const Stand *);
/* Another array of the same rows, written in it; one that is read or viewed of it, as the lanes see it. */
Stood *stood_like(const Batch *, const Stood *, Node *own, Node *kept);
Stood *stood_read_of(const Batch *, const Stood *, Node *own, Node *seen);
Node *stood_seen(const Batch *, Stood *);
/* What is read of it by `row`: nothing goes back through lanes that take no part. */
Node *stood_read(const Batch *, const Stood *, Node *lanes);
/* What is computed outside of a body that captures these: their lanes, which lanes take part, and one node
 * more (NULL: none). */
Nodes outside_lanes(const Batch *, Nodes captured, Node *more);

#endif
