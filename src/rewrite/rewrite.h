/* rewrite.h - rules in mathematical notation, and what applies them.
 *
 * A rule is text (rules/NAME.por), parsed once into patterns that have no types.
 * A stage ("algebra", "stable", "lower", ...) holds the rules of all books of
 * that order.  rewrite() brings the nodes of one region to a normal form of a
 * stage; the derivative and transposition books are tables that the
 * derivatives' floor looks up line by line.
 *
 * First error sticks to the graph; a rule that does not fit is refused, which
 * is no error.
 */
#ifndef POR_REWRITE_H
#define POR_REWRITE_H

#include "../ir/ir.h"
#include "../elab/elab.h"

typedef struct Books Books;
typedef struct Book Book;
typedef struct Rule Rule;
typedef struct Pattern Pattern;

enum { RULE_VARIABLES = 24, RULE_PATTERNS = 512 };

/* ---- rules ------------------------------------------------------------------ */

/* f(x) =>, d(f(x)) =>, vjp(f(x), g) =>, in book batching batch(f(x)) => */
typedef enum RuleHead { HEAD_NONE, HEAD_D, HEAD_VJP, HEAD_BATCH } RuleHead;

typedef enum VariableKind {
	V_VALUE, /* a node */
	V_ATTR, /* a bracket's list */
	V_RUN, /* ..x: any number of operands */
	V_TANGENT, /* dx: `of` is x (a value or a run) */
	V_COTANGENT, /* g of vjp */
	V_LOCAL /* let on the right */
} VariableKind;

typedef struct Variable {
	const char *name;
	VariableKind kind;
	uint32_t of;
} Variable;

/* The replacement of a node that matched, by the rule's variables; NULL: none. */
typedef Node *(*RuleCall)(const Rule *, Graph *, Node *matched, Node *const *value);

struct Rule {
	const char *name; /* never NULL: "rule 3" of a book, or "d_exp" */
	const char *const *tag; /* its own, then those of its section */
	uint32_t ntag;
	Where where;
	const Book *book;
	uint32_t number; /* from 0, over all books of the graph */
	RuleHead head;
	Law law;
	double tolerance; /* of LAW_APPROX */
	bool equation; /* <=>: whichever side costs less, in algebra and stable */
	const Rule *back; /* of an equation: read from right to left; NULL: it cannot be */
	bool late; /* of a book that comes after the last derivative */
	bool integer, complex, boolean; /* the guard asks for them */
	bool moves; /* nothing is computed on either side: complex though no guard asks for it */
	bool splits; /* log(f(x)) => what holds no logarithm: it is found in log(f(x)*y) too */
	uint8_t shared; /* of a sum of two: what its terms have in common (match_may.c) */
	uint32_t signs; /* variables that stand once besides in squares, which tells their sign, as bits */
	uint32_t constants; /* variables that the guard wants to be constants, as bits */
	bool factors; /* of a product or quotient: its factors are found among others */
	bool integers; /* of a sum or product, and the guard wants integers: of floats it is none */
	bool repeats; /* what stands twice on the left side tells where it does not match (match_may.c) */
	const Pattern *left, *right, *guard;
	const Syntax *syntax; /* as it was read */
	bool written; /* of book `check`: both sides are expressions of the notation, no patterns */
	bool told; /* the derivative of an op that takes functions: the elaborator's (elab_told.c) */
	Variable *var; /* at most RULE_VARIABLES */
	uint32_t nvar, var_cap;
	RuleCall call; /* a rule by function: `right` stands for nothing then */
	const void *user;
	const char *given; /* of a rule by function: the left side as it was given */
};

/* What a graph does with a rule. */
typedef struct RuleUse {
	bool off; /* switched off by an option of the compile at work */
	bool late; /* only after the last derivative: the differentials of the sides differ somewhere */
	bool wide; /* only of dtypes with a wide range: in f16's the right side leaves it */
	uint64_t tried, fired, refused; /* statistics */
	const char *text, *tags; /* once they were asked for */
	const char *told; /* to its author, when it was added; NULL: it was not checked */
} RuleUse;

struct Book {
	const char *name, *stage; /* book mine: algebra has name mine, stage algebra */
	const char *file;
	uint32_t first, count; /* rules in order of the file */
};

/* ---- books.c: reading rules --------------------------------------------------- */

extern const EmbeddedText embedded_rules[]; /* tools/embed.py: the books of rules/; ends with a NULL name */

/* g->rewriter, made on first use with the embedded books; NULL with an error.  In a graph that goes on from
 * another with that one's rules; in a graph of work the rules of the graph under it. */
Books *books_open(Graph *);
/* A graph above another gets books of its own, which begin as those below: what is added is gone with it. */
Books *books_apart(Graph *);
/* opens them, and makes all that graphs which go on from this one share; false with an error */
bool books_finish(Graph *);
Books *books_empty(Graph *); /* g->rewriter without any book, for tests that read their own */
/* Rules added are checked first, by what the room above hangs on the graph (graph->admit_rule): what fails is
 * not added (ERR_RULE with the counterexample). */
void rules_trust(Graph *, bool on); /* on: what is added from now on is taken without a check */
bool rules_add(Graph *, const char *text, size_t n, const char *file); /* a file of books */
bool rules_carried(const char *text, size_t n); /* is it one of those that Porism carries, to the letter? */
bool rule_add(Graph *, const char *text, const char *stage); /* one rule; stage NULL: algebra */
/* A rule whose right side is a function; "name: left" or "left".  Taken unchecked. */
bool rule_add_call(Graph *, const char *left, const char *stage, Law, RuleCall, const void *user);
bool rules_call(Graph *); /* is there any such? */
/* Books in the file of a program: their declarations (SYN_BOOK). */
bool book_add(Graph *, const Syntax *book, const char *file);
uint32_t rules_count(Graph *);
const Rule *rule_at(Graph *, uint32_t number);
RuleUse *rule_use(Graph *, const Rule *);
/* switches.c: rules are switched off by name, book, stage or tag, "folds, exp_mul", `all` of them but those of
 * lower; + before a word: on again; false: there is none of that name */
bool rules_switch(Graph *, const char *words);
void rules_on(Graph *); /* none is switched off any more */
const char *rule_text(Arena *, const Rule *); /* rule.c: printed on one line */
const Rule *rule_named(Graph *, const char *name); /* the last of that name, or NULL */
const Rule *rule_namesake(Graph *, const Rule *); /* another carried one of that name, or NULL */

/* ---- drive.c: rewriting --------------------------------------------------------- */

/* What is known of a leaf of the region: declared facts. */
typedef struct LeafFact {
	Node *leaf;
	double lo, hi; /* -INFINITY and INFINITY when open-ended */
	bool lo_open, hi_open; /* lo or hi itself is excluded */
	bool nonzero, integer, finite, no_nan;
	bool derived; /* from operators, not declared: open ends are true of real numbers alone */
} LeafFact;

enum { LAWS_DEFAULT = 1 << LAW_EXACT | 1 << LAW_REAL, LAWS_EXACT = 1 << LAW_EXACT };

/* One application, for `explain`. */
typedef struct Application {
	const Rule *rule;
	const char *what;
	Node *before, *after;
	const Function *in; /* whose parameters stand there; NULL: of an open graph */
} Application;

typedef struct RewriteOptions {
	unsigned laws; /* 1 << LAW_...; 0: LAWS_DEFAULT */
	uint32_t nfact;
	const LeafFact *fact;
	const Function *function; /* whose parameters are the leaves; NULL: an open graph */
	bool last; /* no derivative follows: late rules (books of order `last`) may fire */
	/* indices, sums, exponentials stay: stable has yet to look at what they would take apart */
	bool whole;
	/* What sweeps over one function find out of its nodes that holds for all of them, by id: between
	 * stages with the same facts and laws; NULL: it is forgotten. */
	IdMap *found;
	uint64_t most; /* so many applications, and then none; 0: all */
	Arena *log_arena; /* where the log grows; NULL: none is kept */
	Application *log;
	uint32_t nlog, log_cap; /* out */
	uint64_t fired, tried, refused, visited; /* out: added to */
	bool out_of_fuel; /* out: some node stopped short of its normal form */
} RewriteOptions;

/* Replace roots by equal ones in the stage's normal form.  Needs: a region
 * whose error is clear.  Gives: false only when the graph has an error. */
bool rewrite(Graph *, const char *stage, uint32_t n, Node **roots, RewriteOptions *);
/* The same inside the body of a closed function: its results rewritten, loops and callees within too. */
Function *rewrite_function(Graph *, const char *stage, Function *, RewriteOptions *);

/* ---- derive.c: the tables of derivatives ------------------------------------------ */

/* Is there a line d(op(...)) => for this node? */
const Rule *derivative_rule(Graph *, const Node *, RuleHead which);
/* The differential of n: tangents[i] belongs to operand i, NULL is zero; *out NULL is zero.
 * False with an error (ERR_DERIVATIVE) when the table has no line. */
bool derivative_apply(Graph *, Arena *scratch, Node *n, Node *const *tangents, Node **out);
/* The cotangent that n, linear in operand `which`, gives to it; *out NULL is zero. */
bool transpose_apply(Graph *, Arena *scratch, Node *n, Node *cotangent, uint32_t which, Node **out);
/* A user's line vjp(op(x, y), g) => (..., ...) in book derivative: all cotangents (out[narg], NULL zero).
 * Gives false without an error when there is none. */
bool vjp_apply(Graph *, Node *n, Node *cotangent, Node **out);
/* A line batch(op(x, y)) => ... of book batching: the n results of the op for all along a first axis, in the
 * types that are wanted.  False without an error when there is none. */
typedef struct OperandLanes {
	Node *const *all; /* operand i with that axis */
	const bool *shared; /* is it the same in all? */
} OperandLanes;
bool batch_apply(Graph *, Node *call, OperandLanes, uint32_t n, const Type *const *want, Node **out);
/* The meaning of an `op` (CALL of FN_OP) over its operands, as nodes: one result, or a TUPLE. */
Node *expand_op(Graph *, Node *call);

/* ---- turned.c ---------------------------------------------------------------------------- */

/* The function whose loops take what products of each pass read across its rows turned: once, before the
 * loop. */
Function *factors_turned(Graph *, Function *);

/* ---- inline.c ---------------------------------------------------------------------------- */

/* The function with every call replaced by its body, `op`s by their meaning; in loops too.  Calls that stay
 * do, and inline_kept takes those of them apart that are no checkpoints; what they give, g->given tells. */
Function *inline_calls(Graph *, Function *);
Function *inline_kept(Graph *, Function *);

#endif
