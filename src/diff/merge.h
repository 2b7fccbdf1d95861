/* merge.h - what the files that merge loops share. */
#ifndef POR_MERGE_H
#define POR_MERGE_H

#include "linear.h"
#include "../ir/pass.h"

/* Loops of which some may walk alike, once what is below them is merged. */
typedef struct Kin {
	uint32_t level; /* see find_kin() */
	const Node *x;  /* one of them */
	uint32_t turn;  /* when they are looked at: by the place of the last, after what they begin with */
	uint32_t number;
} Kin;

/* A loop of the region, its body opened. */
typedef struct OpenLoop {
	Node *x;
	Node **was;          /* x, and what it was before loops that it hangs on were merged */
	uint32_t nwas, was_cap;
	Opened o;
	Node *const *leaf;   /* of the carried values: shared by loops that begin alike */
	Node *token;         /* the leaf of the token that it carries last; NULL: it has no effects */
	unsigned char *read; /* by result */
	unsigned char *from; /* by operand: do the carried values come from it? */
	bool tells; /* it is asked for its effects, or for what comes from them */
	bool done;
	uint32_t place; /* in the region */
	Kin *kin;
	struct OpenLoop *alike; /* the next one that begins as this one does */
} OpenLoop;

typedef struct Merge {
	Graph *g;
	Arena *a;
	Region *r;
	OpenLoop **loop;
	uint32_t n;    /* kin stand together, in their turn */
	IdMap loops;   /* what a loop is or has been -> that loop */
	IdMap now;     /* GET nodes of loops that have had their turn, settled nodes -> what they are now */
	Node **settled; /* those that stand for themselves, and what has no loop below it that waits */
	uint32_t nsettled, settled_cap;
	bool changed;
	IdMap element; /* a sequence -> its leaf, for the group at hand */
	Node *index;
} Merge;

/* What is done with the roots of each function, of bodies first; false with an error. */
typedef bool Work(Graph *, uint32_t n, Node **roots);
Function *all_through(Graph *, Function *, Work *);

static inline bool has_token(const Node *scan)
{
	uint32_t n = scan_carries(scan);
	return n && is_token(scan->arg[n]);
}

/* Carried values, but for a token. */
static inline uint32_t states(const Node *scan)
{
	return scan_carries(scan) - has_token(scan);
}

typedef struct List {
	Node **v;
	uint32_t n, cap;
} List;

static inline void list_put(Arena *a, List *l, uint32_t n, Node *const *v)
{
	for (uint32_t i = 0; i < n; i++) {
		GROW(a, l->v, l->n, l->cap);
		l->v[l->n++] = v[i];
	}
}

/* join.c: loops that walk along what another stacks, in its direction, are one with it; roots are replaced */
bool diff_join(Graph *, uint32_t n, Node **roots);

/* around.c: loops in sides of branches that run around them too; roots are replaced */
bool loops_around(Graph *, uint32_t n, Node **roots);

/* stack_sides.c: the loop whose pass this is, with branches in it parted by which of their results are known;
 * NULL with an error */
Node *sides_apart(Graph *, Arena *, const LoopPass *, const bool *known);

/* stack_reads.c: before branches of the open pass others stand, in which numbers are read of what `made`
 * stacks; false with an error */
bool reads_apart(Graph *, Arena *, const Node *made, LoopPass *, const bool *known);
/* Of one type with what the other side gives: nobody asks for it. */
Node *nothing_like(Graph *, const Node *);

/* Cells of what a pass gives, and the leaves that stand for them in another. */
typedef struct Cells {
	List value, leaf;
} Cells;

/* stack_cells.c: in the open pass `walks` elements of what `made` stacks, by sequence where trace[i], are
 * made of their cells, if these are much less, which are added to the list; false with an error */
bool cells_apart(Graph *, Arena *, const LoopPass *made, LoopPass *walks, const bool *trace, Cells *);

/* stack.c: is it as large in each pass?  Else it is no trace. */
bool is_even(Arena *, const LoopPass *, const Node *);
/* Half as much at most, whatever else grows?  A matter of memory alone. */
bool is_half(const Size *part, const Size *whole);

/* merge_find.c */
void loop_is(Merge *, OpenLoop *, Node *);          /* from now on */
void find_loops(Merge *, uint32_t nroot, Node *const *roots);
/* Each of these loops that is left is followed by the next that begins as it does. */
void find_alike(Merge *, uint32_t first, uint32_t end);
/* A loop whose passes are known before it begins, without effects? */
bool is_counted(const Node *);
/* Steps, direction, first values; a hash of them. */
bool begin_alike(const Node *, const Node *);
uint32_t beginning(const Node *);
/* Does one of these hang on the node?  What was made before it does not. */
bool asks_for(Arena *, Nodes, const Node *);

#endif
