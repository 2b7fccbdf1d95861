/* check.h - shared by the files that check rules. */
#ifndef POR_CHECK_H
#define POR_CHECK_H

#include "sample.h"
#include "../oracle/quad.h"

/* False: no choice of shapes fits.  In either case it is closed. */
bool instance_open(Instance *, Graph *, const Rule *, Random *, Dtype real, int mode);
void instance_close(Instance *);
/* check_numbers.c: the numbers that a part of the rule names; where its comparisons are ties */
void collect_edges(Instance *, const Pattern *, bool guard);
void collect_ties(Instance *, const Pattern *);
/* What the operand of a function of one is where the function is `value`; NaN: it is not known.  The same of
 * one of two, beside the number c, which stands first or second. */
double operand_at(Op, double value);
double operand_beside(Op, double value, double c, bool first);
/* check_meanings.c: the inputs at which the meanings of ops in x change sides; own: and x itself */
void collect_thresholds(Instance *, Node *x, bool own);
bool names_ops(const Pattern *);
/* The guard as a bool array in the shape of the root; NULL: it is known, *never: to be false. */
Node *mask_of(Instance *, const Pattern *guard, const Type *root, bool *never);
/* Both sides on samples, and enough of them; the report has the counts or what is wrong. The use says
 * where the rule has to wait for the last derivative, and where it is for wide dtypes alone. */
typedef enum Likened { SIDES_DIFFER, SIDES_AGREE, SIDES_UNSEEN /* there was nothing to compare */ } Likened;
typedef struct Doubts Doubts; /* where they differed */
Likened sides_agree(Graph *, const Rule *, uint64_t seed, Text *report, RuleUse *, Doubts *);
/* check_suggest.c: a guard under which they would agree, and which holds at none of the doubts; or NULL */
const char *guard_suggested(Graph *, const Rule *, uint64_t seed, Doubts *);
/* A line of a book of kind check: the pipeline turns left into right (=>), or both compute the same (<=>). */
bool book_check(Graph *, const Rule *, Random *, Text *report);
/* check_table.c: d(f(x)) => ... by central differences; vjp(f(x), g) => ... by <g, f(dx)> = <g', dx> */
bool table_check(Graph *, const Rule *, Random *, Text *report);

/* ---- check_sides.c ---- */

enum { LITERALS = 6 };

/* A literal that stands for all real numbers which round to it. */
typedef struct Literal {
	Node *input;
	double value, room; /* room: how far such numbers lie from it */
	Dtype dtype;
} Literal;

/* Left and right side of an instance, and the guard where there is one: [0], [1], [2] of the values. */
typedef struct BothSides {
	Instance *in;
	Arena *arena;
	const Function *own_function, *wide_function; /* in binary128 without the guard,
		literals as inputs behind */
	Literal literal[LITERALS];
	uint32_t nliteral;
	Node *mask; /* the guard, or NULL */
	bool rough; /* an op in them is known as f64 has it alone */
	Value *input, own[3];
} BothSides;
/* Do numbers that f64 has rounded stand there, or in the meaning of an op? */
bool is_rough(Arena *, Graph *, uint32_t n, Node *const *root);
bool sides_open(BothSides *, Instance *, Arena *, Node *right, Node *mask);
bool sides_sample(BothSides *); /* other inputs, and both sides in their own dtypes */
/* Where they cannot be computed: the left side and the guard alone; why the sides cannot */
bool sides_left(BothSides *, Value *out, Error *why);
bool sides_widely(BothSides *, Value *out); /* in binary128 */
bool sides_stirred(BothSides *, uint64_t words, Value *out); /* the same, showing what it has lost */
bool sides_shifted(BothSides *, uint32_t which, Value *out); /* literals moved; false: no such way */

/* Is it one number, or more? */
typedef struct Spread {
	double first;
	bool seen, more;
} Spread;

typedef struct Tally {
	uint64_t met, samples, instances, better, tuples;
	uint64_t defined; /* met, and the left side a number */
	uint64_t numbers; /* the same of law exact, which is promised of NaN too */
	Spread met_at[RULE_VARIABLES], defined_at[RULE_VARIABLES]; /* numbers of each variable at those */
	Doubts *doubts; /* what differs is kept there; NULL: nowhere */
	Quad error; /* the largest, as a part of the largest number inside */
} Tally;

/* ---- check_doubts.c ---- */

/* The inputs at which sides differed: of maps one element of each, else all. */
typedef struct Doubt {
	const char *name[RULE_VARIABLES];
	Value value[RULE_VARIABLES];
	uint32_t n;
} Doubt;
enum { DOUBTS = 64 };
struct Doubts {
	Arena *arena;
	Doubt doubt[DOUBTS];
	uint32_t n;
	Tally last; /* of what was compared last */
};
void doubt_keep(Doubts *, const Instance *, const Value *input, int64_t element);
bool doubts_meet(const Doubts *, const Rule *); /* its guard, as far as it is known to hold there */

/* ---- check_compare.c ---- */

/* Counts; false with the first difference in the report. */
bool samples_agree(BothSides *, Tally *, Text *report);
/* The sides cannot be computed; false: the right one alone asks for an index that there is not. */
bool right_asks_no_more(BothSides *, Text *report);
bool has_choice(const Pattern *); /* where(...) */
void say_counts(Text *, const Rule *, uint64_t samples, uint64_t met, double error);
void say_rule(Text *, const Rule *); /* "rule NAME, law LAW: " */

/* found.c: of a left side that its own pattern does not match, what it becomes */
void say_instead(Instance *, Text *);
/* found.c: its stage, of what dtypes and when; the operations of its sides. */
void say_where_it_counts(Text *, Graph *, const Rule *);

/* check_late.c: the differential of y by the tangents of the inputs; NULL when the table has no line for
 * something inside. */
Node *differential(Instance *, Arena *, Node *y, Node *const *tangent, uint32_t n);
/* check_early.c: are the right side, or its derivatives, no worse than those of the left? If they are, the
 * report says where. */
typedef enum Orders { ORDER_ITSELF, ORDERS_OF_DERIVATIVES } Orders;
bool rule_is_no_worse(Graph *, const Rule *, Orders, uint64_t seed, Text *report, Doubts *);

#endif
