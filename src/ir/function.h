/* function.h - functions: closed over their parameters and sizes, inlined, kept as calls; a part of ir.h. */
#ifndef POR_IR_FUNCTION_H
#define POR_IR_FUNCTION_H

/* ---- function.c ---------------------------------------------------------------------- */

/* OWN: its brackets are a function, which tells its derivative; see own.c */
enum { FN_OP = 1, FN_EXACT = 2, FN_CHECKPOINT = 4, FN_BODY = 8, FN_OWN = 16, FN_KEPT = 32 };

struct Function { /* closed and interned; parameters are PARAM leaves, sizes are ATOM_PARAM */
	uint32_t id, hash;
	unsigned flags;
	uint32_t nparam, nsize, nresult;
	const Type **param;
	Node **result;
	uint32_t noperand;           /* parameters, without those that sizes of data are counted by */
	const char *op; /* FN_OP: the op's name (with its module: "softmax", "optim.x"), part of identity */
	const Attr *opattr;          /* and its bracket values */
	const char *name;            /* provenance: what the user calls it */
	const char **param_name;     /* provenance; entries may be NULL */
	const char **size_name;
	const bool *size_of_data;    /* which sizes are values of data: they may be negative */
	Where where;
	Region *region;              /* made on first use: function_region */
	void *meaning;               /* elab: the op's definition */
	uint8_t total;               /* can nothing in it fail?  1: yes, 2: no, 0: not asked yet */
	uint32_t bodies;             /* 1 + how many it holds; 0: not counted yet */
};

/* What a function is called: the user's name for it; FN_...; of an op's meaning, its name and brackets. */
typedef struct Title {
	const char *name;
	unsigned flags;
	const char *op;
	const Attr *opattr;
	uint32_t noperand;           /* 0: all that are listed */
} Title;

/* Close `results` over the bound leaves `params` (FRESH or INPUT; what is no leaf stands for one, and nothing
 * below it is the function's).  What depends on no bound leaf is captured: given back in *capture
 * (ncapture), in order of place, as further parameters after the listed ones (constants and size leaves are
 * not captured).  Free size atoms become size parameters in order of first appearance; *size (nsize) are the
 * caller's sizes for them.  All nodes are rebuilt once; weak results become strong. */
struct Closure {
	Function *function;
	uint32_t ncapture; Node **capture;
	uint32_t nsize; const Size **size;
};
bool function_close(Graph *, Title, Nodes params, Nodes results, Closure *);
/* Of results that were closed before: what branches hold and capture stays with them. */
bool function_close_again(Graph *, Title, Nodes params, Nodes results, Closure *);
/* A loop's body, closed over its index, carried values and elements: what can fail does not leave it, as a
 * loop without a pass would run it then.  What of it is the same in each pass is computed by a loop of one
 * pass, or of none where this one has none; where steps is NULL, nobody knows that, it stays. */
typedef struct Around { Node *steps; Nodes outside; } Around;        /* outside: computed there anyway */
bool body_close(Graph *, const char *name, Nodes params, Nodes results, Around, Closure *);
/* The same parameters and sizes with other results, nodes over the same PARAM leaves. */
Function *function_over(Graph *, const Function *, uint32_t nresult, Node *const *results);
const Size *function_size(Graph *, const Function *, uint32_t i);       /* its size parameter i */
/* Its results but for the token, which comes last where it has effects. */
uint32_t function_values(const Function *);
Region *function_region(Graph *, Function *);
/* A list of nodes is as large as the function: where that is large and wanted for a while alone, it lies on
 * an arena that goes when it is given back.  NULL: the function has its list. */
Arena *function_borrow_region(Graph *, Function *);
void function_return_region(Function *, Arena *);
void name_closed_sizes(Function *, const Closure *);    /* by the names that its sizes have outside */
/* Its sizes by their names: an atom_map whose user is a SizeNames, and a type. */
typedef struct SizeNames { Graph *g; const Function *f; } SizeNames;
const Size *size_by_name(void *size_names, const Atom *);
const Type *type_by_name(Graph *, const Function *, const Type *);
/* The function's results over these operands and sizes, as nodes of the caller (inlining). */
void function_inline(Graph *, Function *, const Size *const *sizes, Node *const *args, Node **results);
/* The operands' sizes for a function's size parameters; false with an error if they do not fit. */
bool function_solve_sizes(Graph *, const Function *, uint32_t n, Node *const *args, const Size **sizes);

/* ---- checkpoint.c -------------------------------------------------------------------------- */

/* A call whose values on the way derivatives compute again instead of keeping them, until it is planned. */
bool is_checkpoint(const Node *);
bool call_is_kept(const Node *);     /* such a one, or one that stays until all is lowered */
/* Results over leaves as a call of what is given for those; they may capture more.  False with an error. */
bool kept_call(Graph *, Title, Nodes leaf, Node *const *given, Nodes results, Node **out);
/* The two halves of it: the function, and which of what is given are its operands; a call of it.  Given
 * others of the same types, with the same constants and sizes among them, it is the same function, if it
 * captures nothing. */
typedef struct KeptForm { Closure closure; uint32_t nresult, n, *place; } KeptForm;
bool kept_form(Graph *, Title, Nodes leaf, Node *const *given, Nodes results, KeptForm *);
bool kept_apply(Graph *, const KeptForm *, Node *const *given, Node **out);
/* Does what is given stand in the function itself?  Sizes and numbers do; to one that is kept for being one
 * (FN_KEPT), f64(1) is given as any value of a float's dtype is. */
bool is_given_inside(const Node *, unsigned flags);
/* Each checkpoint a loop of one pass, for those who know loops alone: after the last rewriting. */
Function *checkpoints_as_loops(Graph *, Function *);

#endif
