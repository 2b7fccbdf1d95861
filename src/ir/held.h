/* held.h - what the files share that hold once what sides of several branches ask for. */
#ifndef POR_HELD_H
#define POR_HELD_H

#include "close.h"

enum { TOP = 0 };

/* Where something is computed: with the results, in a side of a branch that is computed in the place above,
 * or in the passes of a loop.  Both sides of a branch stand beside each other, from an even number on; beside
 * a loop there is nothing. */
typedef struct Stead {
	uint32_t above, depth;
	Node *condition; /* of the branch, which holds in the first of the two; of a loop: has it a pass?
			  * NULL: nobody knows */
	bool loops;      /* in a loop, or in what is in one */
	Node *asked;     /* in place `in`: is this one come to? */
	uint32_t in;
} Stead;

/* Nodes that are alike, branches that capture other things, too: one of them stands for all. */
typedef struct Met {
	Node *x;
	uint32_t *of, nof;   /* numbers of what it is made of; of a branch, what it asks and its sides give */
	Opened *side;        /* of a branch that is looked into: two; of a loop: its body */
	uint32_t *place;     /* from which it is asked for; when it is done, where it is computed */
	uint32_t n, cap;
	bool hangs, done, held;
	bool counts; /* sizes are counted by it */
	bool inner;  /* it hangs on a pass of a loop that is looked into */
} Met;

/* A value that is held once: where, and what asks for it, or NULL where nothing needs to. */
typedef struct Once {
	Node *x, *asked;
	uint32_t in;
	Node **get, **leaf;  /* what is read of it, and what stands for that meanwhile */
	uint32_t n;
	bool put;            /* its leaves have values */
} Once;

typedef struct HeldOnce {
	Graph *g;
	Arena *a;
	Nodes around;        /* what is computed around all of it, */
	const IdMap *known;  /* by id; NULL: nothing is */
	IdMap bound, at;     /* at: node id -> number + 1 of its item */
	IdMap passing;       /* leaves of loops that are looked into */
	Table alike;         /* numbers of items + 1 */
	Met *item;
	uint32_t n, cap;
	Node **node;         /* all of them */
	uint32_t nnode, node_cap;
	Stead *place;
	uint32_t nplace, place_cap;
	Once *once;
	uint32_t nonce, once_cap;
	uint32_t *mark;      /* by place: of which question */
	uint32_t mark_cap, marks;
	bool deeper;         /* something is held once within a side */
	bool weak;           /* what differs in being weak alone is alike */
} HeldOnce;

/* held.c */
Met *met_of(const HeldOnce *, const Node *);           /* NULL: it is around */
void met_below(HeldOnce *, Node *root); /* all of it, in sides too, behind what it is made of */
bool places_of_all(HeldOnce *, Nodes results); /* false: too much of it cannot be held once */

#endif
