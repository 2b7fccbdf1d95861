/* egraph.h - classes of equal nodes: what the files of this room share. */
#ifndef POR_EGRAPH_H
#define POR_EGRAPH_H

#include "search.h"
#include "../rewrite/rules.h"

/* Nodes that are equal; all of one type. */
typedef struct EClass {
	uint32_t above; /* the class that has taken it in; itself: it stands */
	Node *best;     /* the smallest: it stands for the class in operands of others */
	uint32_t size;  /* of it, as a tree */
	Node **member;
	uint32_t n, cap;
	Node **user; /* nodes over it */
	uint32_t nuser, user_cap;
	uint32_t grown; /* the round in which it gained its last member */
	bool fresh;     /* it, or an operand of a member, has grown since the last round */
} EClass;

/* A rule, as it is read: from left to right, or an equation, or a rule whose sides bind the same, back. */
typedef struct SearchWay {
	const Rule *rule;
	const Rule *side;
	uint32_t found; /* matches of this round */
} SearchWay;

/* Who knows what the classes are worth hears of each that is new, and says whether two may be one: rules hold
 * where both sides are numbers, and what is none somewhere is anything there. */
typedef struct Worth {
	void (*entered)(void *user, uint32_t class, const Node *);
	bool (*agree)(void *user, uint32_t a, uint32_t b);
	void *user;
} Worth;

typedef struct Bounds {
	uint32_t nodes, rounds;
	uint32_t matches; /* of one way in a round */
} Bounds;

typedef struct Egraph {
	Graph *g;
	Arena *arena;
	Facts *facts;
	Bounds bounds;
	const Worth *worth; /* NULL: nobody does */
	IdMap at;           /* id of a node -> its class's number + 1 */
	EClass *class;
	uint32_t nclass, class_cap;
	uint32_t nnode;
	Node **dirty; /* whose operands are stood for by others now */
	uint32_t ndirty, dirty_cap;
	struct Equality *found; /* of this round */
	uint32_t nfound, found_cap;
	uint32_t round;
	uint32_t seen;    /* nodes up to this id were there in the last round */
	uint32_t matched; /* the class of the node at which a rule is tried */
	SearchWay *way;
	/* what no pattern says of a member of a class; NULL: nothing */
	void (*by_code)(struct Egraph *, uint32_t class, const Node *);
} Egraph;

void egraph_open(Egraph *, Graph *, Arena *, Facts *, Bounds);
/* The class of x, which is added with all below it that is not there yet; a node that is a leaf of the search
 * was added by egraph_leaf before. */
uint32_t egraph_add(Egraph *, Node *x);
uint32_t egraph_leaf(Egraph *, Node *x);
uint32_t egraph_class(const Egraph *, const Node *); /* UINT32_MAX: it is in none */
uint32_t egraph_stands(const Egraph *, uint32_t class);
bool egraph_join(Egraph *, uint32_t a, uint32_t b); /* false: they do not agree */
void egraph_rebuild(Egraph *);                      /* after joins: nodes over what is equal are equal */
/* In a round: x, if it is not NULL, is equal to class c. */
void egraph_find(Egraph *, uint32_t c, Node *x);
/* contractions.c: products of arrays in other orders, sums of them, of a member x of class c */
void contractions_find(Egraph *, uint32_t c, const Node *x);
/* Every way at every node, once; false: nothing new, or the bounds are reached. */
bool egraph_round(Egraph *, uint32_t n, SearchWay *);
/* polynomial.c: a sum or product as a sum of few products; NULL: nothing to work out, or too much */
Node *polynomial_form(Graph *, Node *);
/* The rules of these stages (NULL ends them) and all equations, each way; 0: they are switched off. */
uint32_t ways_of(Graph *, Arena *, const char *const *stage, SearchWay **);

#endif
