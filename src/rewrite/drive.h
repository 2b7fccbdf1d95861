/* drive.h - what the driver and the rewriting of bodies share; nobody else includes it. */
#ifndef POR_DRIVE_H
#define POR_DRIVE_H

#include "rules.h"

typedef struct NodeVisit {
	Node *x, *y, *z;
	uint32_t fuel, next;
} NodeVisit;

/* What a sweep knows of a node; that of neighbours lies together. */
typedef struct SweepNode {
	Node *done;       /* its normal form */
	uintptr_t state;  /* of one over normal operands: the automaton's, and ASKS */
	Node *literal;    /* made of literals alone: what it folds to before lower, or itself */
} SweepNode;
enum { SIDES = 8 };
typedef struct SweepNodes { SweepNode of[SIDES]; } SweepNodes;

typedef struct Driver {
	Graph *g;
	Arena *scratch;
	const char *stage;
	Automaton *automaton;
	Facts *facts;
	RewriteOptions *o;
	unsigned laws;
	bool algebra, lower; /* which stage: algebra and stable are both the first */
	uint64_t fuel;
	IdMap sides;      /* by id / SIDES */
	IdMap needs;
	Table met;        /* operands in the order of the first that had them (order_operands) */
	IdMap cancelling; /* of stable: sums, parts of a larger one, that hold a term and its opposite */
	bool literals;    /* a node is made of literals alone */
	uint32_t nequation;
	const uint32_t *equation;
	bool cancels;     /* the node at hand is of them */
	bool matched;     /* a rule has matched there, whether it may be applied or not */
	NodeVisit *stack;
	uint32_t n, cap;
	uint32_t newest; /* node there was before the sweep */
	bool again;      /* with needs told anew more may move */
} Driver;

/* endless.c: fuel is out at y, which another rule would make z of; false with an error that names a rule */
bool endless(Driver *, const Node *y, const Node *z);

/* called.c: what a rule's function gives for x, of its type; NULL: nothing, or an error, which stays */
Node *by_function(Driver *, const Rule *, Node *x, const Match *);

/* bodies.c: a loop or call over its body, rewritten by the same stage; x itself where nothing changes, NULL:
 * an error */
Node *with_rewritten_bodies(Driver *, Node *x);

/* plain.c: what needs no pattern; *what: which of it that is */
Node *by_no_pattern(Driver *, Node *x, const char **what);

/* literal.c: x over literals, as far as the stage folds it before its users are known, or NULL */
Node *fold_operation(Driver *, const Node *x);
/* Is x, whose operands are normal, or a term of it made of literals, each of which may be wanted yet? */
bool waits_for_literals(const Driver *, const Node *x);
/* x, which is normal: is it made of literals alone, and of which literal does it lose nothing? */
void note_literals(Driver *, Node *x);
/* A result, or behind stage stable, where no rule will look at it, what it folds to if it is of literals */
Node *settled(const Driver *, Node *x);
/* x, which is not, with what its operands fold to; NULL: nothing folds */
Node *with_folded_operands(Driver *, Node *x);

/* What the sweeps over a function have found out of a node: the code of algebra and stable makes nothing of
 * it; whether it asks for something of sizes; no rule of algebra matches there. */
enum { FOUND_VAIN = 1, FOUND_SILENT = 2, FOUND_ASKS = 4, FOUND_UNMATCHED = 8 };
static inline uintptr_t found_of(const Driver *d, const Node *x)
{
	return d->o->found ? (uintptr_t)idmap_get(d->o->found, x->id) : 0;
}
static inline void note_found(Driver *d, const Node *x, uintptr_t more)
{
	if (!d->o->found) return;
	void **slot = idmap_slot(d->o->found, x->id);
	*slot = (void *)((uintptr_t)*slot | more);
}

static inline const SweepNode *side_of(const Driver *d, const Node *x)
{
	static const SweepNode none;
	const SweepNodes *s = idmap_get(&d->sides, x->id / SIDES);
	return s ? &s->of[x->id % SIDES] : &none;
}
static inline SweepNode *side_for(Driver *d, const Node *x)
{
	void **s = idmap_slot(&d->sides, x->id / SIDES);
	if (!*s) *s = NEW(d->scratch, SweepNodes);
	return &((SweepNodes *)*s)->of[x->id % SIDES];
}
static inline Node *done_of(const Driver *d, const Node *x)
{
	return side_of(d, x)->done;
}

/* Beside the state of a node: it, or what it is made of, asks for something of sizes. */
enum { ASKS = 1 };
static inline const StateRow *state_at(const Driver *d, const Node *x)
{
	return (const StateRow *)(side_of(d, x)->state & ~(uintptr_t)ASKS);
}
static inline bool is_silent(const Driver *d, const Node *x)
{
	uintptr_t state = side_of(d, x)->state;
	return state && !(state & ASKS);
}
/* states.c: of x, whose operands have theirs; of x and of all that was made with it */
void set_state(Driver *, Node *x);
void set_states(Driver *, Node *x);
/* drive.c: the first rule that matches and may; broken: its function made an error, which stays */
Node *by_book(Driver *, Node *x, bool *broken);
/* factored.c: what the rules make of a sum without what all its terms have, times that */
Node *by_factor(Driver *, Node *x, bool *broken);
/* kept.c: does x itself ask for something of sizes? */
bool node_asks(Driver *, const Node *x);
/* Would y, in the place of x, no longer ask for all of it? */
bool forgets_sizes(Driver *, Node *x, Node *y);

#endif
