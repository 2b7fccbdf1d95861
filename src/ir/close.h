/* close.h - what the files that close functions share; nobody else includes it. */
#ifndef POR_CLOSE_H
#define POR_CLOSE_H

#include "ir.h"

/* Where nodes are computed that no leaf tells of, by their ids; NULL: none. */
typedef struct ClosePlaces {
	const IdMap *within, /* in the function, though no bound leaf reaches them */
		*outside;    /* results of loops that are captured, though only sizes reach them */
	bool again;          /* it is closed already, and captures nothing more */
} ClosePlaces;

/* function_close with the places of nodes. */
bool close_within(Graph *, Title, Nodes params, Nodes results, ClosePlaces, Closure *);

/* branch.c: is it so little that a side makes it again? */
bool is_made_again(const Node *);

/* branch_still.c: the same results of a loop's pass, of branches that capture what is the same in each pass.
 * NULL with an error. */
Node *const *still_before(Graph *, Arena *, Nodes results, Nodes bound);

#endif
