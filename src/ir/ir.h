/* ir.h - the node, its type, its sizes; functions; regions.
 *
 * One immutable, interned node carries everything.  Equal nodes are the same
 * node, an argument exists before its user, so id order is topological, and
 * a pass is a loop over a region with side tables on a scratch arena.
 *
 * First error sticks to the graph; every constructor given NULL gives NULL.
 */
#ifndef POR_IR_H
#define POR_IR_H

#include "../base/base.h"
#include "dtype.h"
#include "op.h"
#include "sizes.h"

typedef struct Type Type;
typedef struct Attr Attr;
typedef struct Data Data;
typedef struct Region Region;
typedef struct Nodes { uint32_t n; Node *const *v; } Nodes;     /* a list that is somebody else's */
typedef struct Origin Origin;
struct Rule;                         /* of rewrite */

/* ---- types ----------------------------------------------------------------- */

enum { RANK_MAX = 16 };              /* axes of an array */
/* Bytes of an array, stored or not, and steps of a loop: more than any machine gets through, and sums of many
 * are far from 64 bits.  A call of larger ones is refused. */
#define LARGEST ((int64_t)1 << 48)
typedef enum TypeKind { TYPE_ARRAY, TYPE_TUPLE, TYPE_TOKEN } TypeKind;

struct Type {                        /* interned */
	uint32_t id, hash;
	uint8_t kind;
	uint8_t dtype;               /* ARRAY */
	uint32_t n;                  /* rank, or number of elements */
	union {
		const Size *dim[1];  /* ARRAY */
		const Type *elem[1]; /* TUPLE: arrays and tokens */
	} u;
};
#define DIM(t, i) ((t)->u.dim[i])

const Type *type_array(Graph *, Dtype, uint32_t rank, const Size *const *dim);
const Type *type_tuple(Graph *, uint32_t n, const Type *const *elem);
const Type *type_token(Graph *);
const Type *type_scalar(Graph *, Dtype);
const Type *type_with_dtype(Graph *, const Type *, Dtype);
const Size *type_elements(Graph *, const Type *);      /* product of the sizes */
const Type *type_substitute(Graph *, const Type *, atom_map, void *user);
void type_print(Text *, const Type *);                 /* f64[m, n] */
const char *type_shown(Graph *, const Type *);         /* the same on the graph's arena, for a message */

/* ---- attributes ------------------------------------------------------------- */

typedef enum AttrKind { A_INT, A_SIZE, A_DTYPE, A_NAME, A_DATA, A_FUNCTION, A_CUSTOM } AttrKind;
typedef struct AttrValue {
	AttrKind kind;
	union { int64_t i; const Size *size; Dtype dtype; const char *name; const Data *data;
		Function *function;
	        const void *custom; } u;
} AttrValue;

struct Attr {                        /* interned list; NULL is the empty list */
	uint32_t id, hash, n;
	AttrValue v[];
};

const Attr *attr_make(Graph *, uint32_t n, const AttrValue *);   /* n 0: NULL */
const Attr *attr_ints(Graph *, uint32_t n, const int64_t *);
AttrValue av_int(int64_t);
AttrValue av_size(const Size *);
AttrValue av_dtype(Dtype);
AttrValue av_name(const char *interned);
AttrValue av_data(const Data *);
AttrValue av_function(Function *);

struct Data {                        /* elements of a constant, interned by bits (every NaN the same one) */
	uint32_t id, hash;
	size_t bytes;
	_Alignas(16) unsigned char at[];
};
const Data *data_make(Graph *, const void *, size_t bytes);

/* ---- node.c --------------------------------------------------------------------- */

struct Node {                        /* immutable once interned, but for `origin` */
	Origin *origin;              /* who asked for it; not part of identity */
	const Attr *attr;
	const Type *type;
	uint32_t hash;
	uint16_t depth;              /* longest path to a leaf, saturating at 65535 */
	uint16_t op;                 /* from here on what walks ask for, in one line of memory mostly */
	uint32_t narg;
	uint32_t id;                 /* from 1; id(argument) < id(node) */
	Node *arg[];
};

/* Provenance, beside the identity: a few are kept, the rest counted. */
struct Origin {
	Where where;                 /* the user's line */
	const char *name;            /* of the let that named it, or NULL */
	const char *rule;            /* rule or transform that made it, or NULL */
	Origin *next;
	uint32_t from;               /* id of the node it came from, or 0 */
	bool shared; /* the list that begins here is that of several nodes: it stays as it is */
	bool derived;                /* a derivative of what stands there */
	bool with;                   /* zeros around what `with` adds there */
};

struct Graph {
	const Graph *base;           /* that this one goes on from, or NULL: see graph_open_on */
	Graph *below; /* a graph of work: that under it, which is its base, too; see graph_open_above */
	Graph *under; /* what it was at the last mark, which is below and base, too; or NULL: graph_mark */
	Arena *arena;                /* owns all below */
	Names names;
	Table sizes, atoms, types, attrs, datas, nodes, functions;
	uint32_t nnode, nsize, natom, ntype, nattr, ndata, nfunction, nfresh;
	uint32_t branches;           /* how many of the nodes are IFs */
	uint32_t guards;             /* how many were made (close_body.c) */
	bool effects;                /* is there a token, of any origin? */
	Error error;                 /* the first one */
	const Size *blamed;          /* the size that differs from one of all to the next, or NULL */
	Watch *watch;                /* what bounds the work on it */
	Where where;                 /* the user's line now; stamped on new nodes */
	Where user;                  /* with a line: of the text at work now, stamped in its place */
	const char *rule;            /* the rule at work now, stamped too */
	uint32_t from;               /* id of the node that it is at work on */
	int derived;                 /* above 0: what is made is a derivative */
	bool with;                   /* what is made is zeros around what `with` adds */
	Origin *stamp, *heritage;    /* of the last node made; of the node that the next one stands for */
	/* what type_with_dtype gave last; in_body: where sizes may be negative */
	struct TypeCast { const Type *from, *to; bool in_body; } casts[16];
	/* the whole numbers that were asked for last, of their types */
	struct WholeNumber { const Type *type; int64_t value; Node *node; } wholes[32];
	/* what literal.c made of operations on constants last; NULL: nothing */
	struct FoldedLiteral { const Node *of; Node *to; } folded[16];
	int bodies; /* above 0: what is built may lie in a loop's body, and fails when it is reached */
	IdMap near;                  /* lines of nodes by the newest operand: near.h */
	IdMap bounds;                /* a leaf that is a loop's index -> the Size that it is below */
	IdMap total;                 /* a loop or branch -> can it not fail where it stands?  1: yes, 2: no */
	IdMap promised;              /* a leaf -> the LeafPromise that calls keep */
	IdMap given;                 /* what functions gave that were taken apart at last: x -> x */
	Node **variable;             /* that a derivative by is to come: derivatives before it keep them */
	uint32_t nvariable, variable_cap;
	/* What upper rooms hang on a graph. */
	/* see size_declare; those of the text at work */
	struct Apart { const Size **v; uint32_t n, cap; } apart;
	void *library;               /* elab: open modules and ops */
	/* An instance of the named `op` of the library on these operands (a CALL node); NULL with an
	 * error. */
	Node *(*apply_op)(Graph *, const char *name, const Attr *, uint32_t n, Node *const *args);
	void *rewriter;              /* rewrite: its rules */
	void *rewritten;             /* rewrite: what became of functions */
	/* prove: is a rule of the user's true?  false with an error */
	bool (*admit_rule)(Graph *, const struct Rule *);
	const struct Transforms *transforms;     /* diff: what grad, jvp and jacobian are */
	bool no_rules;               /* derivatives are of what is written */
	const struct Custom *customs;    /* operators of the user's with a C kernel, newest first */
	/* what size_compare said last */
	struct SizesCompared { const Size *a, *b; Proof proof; } compared[32];
};

Graph *graph_open(const Allocator *);                   /* NULL when memory has run out */
/* A graph that goes on from another: it has that one's names, library and books, and no nodes.  From now on
 * the other one only is read, by any number of graphs and threads, and is closed after all of them. */
Graph *graph_open_on(const Graph *base);
/* A graph of work on another: what is made there goes when it is closed, but for what is carried down.  It
 * finds and adds to the other's names, rules and automata, has its library and its watch, and no nodes; their
 * numbers go on.  The other one is let alone meanwhile, and closes it if it is closed first. */
Graph *graph_open_above(Graph *below);
void graph_close(Graph *);
/* Marks, which nest: what is built since one goes when it is released, and the graph is what it was, but for
 * its error, its names, and what is known of rules, which have to be open.  Meanwhile all that was there is
 * found as ever, and stays as it is: nodes gain no provenance. */
void graph_mark(Graph *);
void graph_release(Graph *);            /* the last mark */
void *graph_fail(Graph *, int code, const char *format, ...) PRINTF_LIKE(3, 4); /* at g->where; gives NULL */
/* What is built between the two may not fit: its error is the trial's, and the graph's stays what it was. */
typedef struct Trial { bool failed; Error before; } Trial;  /* failed: the graph had, with that error */
static inline void trial_begin(Graph *g, Trial *t)
{
	t->failed = g->error.code != ERR_NONE;
	if (__builtin_expect(!t->failed, 1)) return; /* a kilobyte need not be copied */
	t->before = g->error;
	error_clear(&g->error);
}
static inline void trial_end(Graph *g, const Trial *t)
{
	if (__builtin_expect(t->failed, 0))
		g->error = t->before;
	else if (__builtin_expect(g->error.code, 0))
		error_clear(&g->error);
}

/* The one strict constructor: operands already agree (no promotion, no
 * broadcasting).  Finds the type by the operator's rules (type_of), checks,
 * interns.  Data-dependent sizes in `attr` append their scalar nodes as
 * operands by themselves. */
Node *node_make(Graph *, Op, const Attr *, uint32_t n, Node *const *args);
/* INPUT, PARAM, FRESH, CONST, CUSTOM-free leaves with a given type */
Node *node_leaf(Graph *, Op, const Attr *, const Type *);
const Type *type_of(Graph *, Op, const Attr *, uint32_t n, Node *const *args); /* NULL with an error */

Node *input(Graph *, const char *name, const Type *);   /* same name, other type: an error */
Node *input_named(const Graph *, const char *name);     /* NULL: there is none */
Node *param(Graph *, uint32_t index, const Type *);
/* The user's name of a bound leaf, or NULL. */
const char *leaf_name(const Node *);
Node *fresh(Graph *, const Type *, const char *name);   /* a new bound leaf; its name is provenance */
/* What every call is made to keep: low <= x <= high of the leaf x, a parameter of a whole function. */
typedef struct LeafPromise { double low, high; bool above_low, below_high, integer; } LeafPromise;
void leaf_is_promised(Graph *, const Node *leaf, const LeafPromise *);
const LeafPromise *promise_of(const Graph *, const Node *leaf); /* NULL: there is none */
Node *constant(Graph *, const Type *, const void *element);     /* uniform */
/* all elements of a numeric shape, compact; uniform data becomes uniform */
Node *constant_data(Graph *, const Type *, const void *elements);
Node *constant_int(Graph *, const Type *, int64_t); /* value converted to the type's dtype (rounded once) */
Node *constant_float(Graph *, const Type *, double);
Node *weak_int(Graph *, int64_t);                       /* weakly typed literal scalars */
Node *weak_float(Graph *, double);
static inline bool constant_is_uniform(const Node *x)
{
	return x->op == OP_CONST && x->attr->v[0].u.data->bytes == dtype_bytes((Dtype)x->type->dtype);
}
/* one element if uniform, else all */
static inline const void *constant_bytes(const Node *x) { return x->attr->v[0].u.data->at; }
/* value of a uniform real constant (exact for |i64| <= 2^53), bools as 0/1 */
bool constant_value(const Node *, double *);
/* value of a uniform integer or bool constant, or whole-number float */
bool constant_integer(const Node *, int64_t *);
Node *get(Graph *, Node *tuple, uint32_t i);            /* of a TUPLE node: its operand */
Node *tuple(Graph *, uint32_t n, Node *const *);
/* The same operator over other operands, sizes of its attributes and type substituted (map may be NULL). */
Node *node_with(Graph *, const Node *, Node *const *args, atom_map, void *user);

/* ---- provenance.c ---- */
/* add provenance (with g->where) */
void node_note(Graph *, Node *, const char *let_name, const char *rule, uint32_t from);
void node_stamp(Graph *, Node *, bool made);            /* that of what is at work now */
/* Is it a derivative of the line that it belongs to? */
static inline bool node_is_derived(const Node *x) { return x->origin && x->origin->derived; }
const char *node_told(const Node *); /* in a message: zeros around a derivative are those of a slice */
bool node_has_name(const Node *, const char *name);
/* Between these two the node is made that stands for x over other operands: it has the provenance of x. */
typedef struct Heritage { Where where; Origin *origin; } Heritage;
Heritage heritage_begin(Graph *, const Node *x);
void heritage_end(Graph *, Heritage, const Node *x, Node *y);

/* operands but those that only hold data-dependent sizes, which come last */
uint32_t node_operands(const Node *);

static inline bool list_has(uint32_t n, const int64_t *list, int64_t x) /* of axes or labels */
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == x) return true;
	return false;
}

static inline Dtype node_dtype(const Node *x) { return (Dtype)x->type->dtype; }
static inline uint32_t node_rank(const Node *x) { return x->type->n; }
static inline const Size *node_dim(const Node *x, uint32_t i) { return x->type->u.dim[i]; }
static inline bool node_is_scalar(const Node *x) { return x->type->kind == TYPE_ARRAY && x->type->n == 0; }
static inline int64_t attr_int(const Node *x, uint32_t i) { return x->attr->v[i].u.i; }
static inline uint32_t attr_count(const Node *x) { return x->attr ? x->attr->n : 0; }
static inline bool is_sized(const Node *x) { return x->op == OP_RESHAPE && attr_count(x) > x->type->n; }
/* Is it an array with something written to it, or joined with it, at indices? */
static inline bool is_scatter(const Node *x) { return op_info[x->op].flags & WRITES; }
/* One element of a vector by a number or a size: that it is within the axis is asked for as sizes are. */
static inline bool index_is_asked(const Node *x)
{
	return x->op == OP_GATHER && node_is_scalar(x) && (x->arg[1]->op == OP_CONST ||
		x->arg[1]->op == OP_SIZE);
}

/* ---- build*.c: the constructors people use ------------------------------------------ */

/* Any operator as NumPy would take it: operands are promoted (weak ones give
 * way), broadcast (expand made explicit, uniform constants take the shape),
 * converted where the operator asks for it (int/int is f64).  Axes may be
 * negative.  This is what the elaborator, rules' right sides and por_apply call. */
Node *build(Graph *, Op, const Attr *, uint32_t n, Node *const *args);
/* brackets.c: is the list, by kinds and number, what the brackets hold of a first operand of this rank? */
bool attr_fits(Op, uint32_t rank, const Attr *);
Node *build1(Graph *, Op, Node *);
Node *build2(Graph *, Op, Node *, Node *);
Node *build3(Graph *, Op, Node *, Node *, Node *);
/* the node itself when it has the dtype; constants are converted; a literal that an integer dtype does not
 * hold is an error */
Node *cast(Graph *, Node *, Dtype);
Node *convert_number(Graph *, Node *, Dtype); /* as somebody asked for: such a literal becomes the nearest */
Dtype literal_dtype(const Node *); /* that of the node; of a whole number past 64 bits weak int, too */
/* NumPy alignment from the right */
Node *broadcast_to(Graph *, Node *, uint32_t rank, const Size *const *dim);
Node *like(Graph *, Node *pattern, double value);       /* a constant of the pattern's type */
/* naxes 0: nothing to do; axes may be negative */
Node *fold(Graph *, Op, Node *, uint32_t naxes, const int64_t *axes);
Node *fold_all(Graph *, Op, Node *);
Node *reshape(Graph *, Node *, uint32_t rank, const Size *const *dim);
/* x with these sizes, axis by axis: what is not known while building the call finds out. */
Node *sized(Graph *, Node *x, uint32_t rank, const Size *const *dim);
/* x spread to these sizes; two that were declared as two are an error, of `what`. */
Node *spread_to(Graph *, const char *what, Node *x, uint32_t rank, const Size *const *dim);
Node *transpose(Graph *, Node *, const int64_t *perm);
Node *turn(Graph *, Node *);                            /* .T: the last two axes turned */
/* axes of the result */
Node *expand(Graph *, Node *, uint32_t naxes, const int64_t *axes, const Size *const *sizes);
Node *squeeze(Graph *, Node *, uint32_t naxes, const int64_t *axes);
Node *unsqueeze(Graph *, Node *, uint32_t naxes, const int64_t *axes);  /* axes of the result, of size 1 */
Node *slice(Graph *, Node *, const Size *const *start, const Size *const *length, const int64_t *step);
/* Elements from..from + n along the first axis. */
Node *rows(Graph *, Node *, const Size *from, const Size *n);
Node *pad(Graph *, Node *, const Size *const *before, const Size *const *after, const int64_t *step);
Node *flip(Graph *, Node *, uint32_t naxes, const int64_t *axes);
Node *concat(Graph *, int64_t axis, uint32_t n, Node *const *);         /* promotes dtypes */
/* any integer index; literal negative scalars count from the end */
Node *gather(Graph *, Node *x, Node *index, int64_t axis);
/* v is broadcast */
Node *scatter(Graph *, Op, Node *x, Node *index, Node *v, int64_t axis);
bool scatter_takes(Op, Dtype);                          /* or else: */
const char *scatter_wanted(Op);
Op scatter_map(Op);                                     /* what joins two; OP_NONE: the second stays */
Node *matmul(Graph *, Node *, Node *);                  /* NumPy's @, ranks >= 1, batches broadcast */
Node *diagonal(Graph *, Node *, uint32_t i, uint32_t j); /* where axes i and j agree: one axis, the last */
bool is_matmul(const Node *);                           /* what that makes of its operands? */
Node *build_solve(Graph *, Op, const Attr *, uint32_t n, Node *const *); /* qr, tri_solve; build() for them */
/* sum over labels missing in the result; labels are numbers below LABELS_MAX, one per axis */
enum { LABELS_MAX = 64 };
typedef struct Labelled { Node *x; const int64_t *label; } Labelled;
Node *contract(Graph *, Labelled x, Labelled y, uint32_t n, const int64_t *result);
/* without axes along which it is the same: what is left, each axis labelled by the one of x that it is */
Labelled without_repeats(Node *x, int64_t *label);
Node *iota(Graph *, const Size *n);
/* i64 scalar: a constant, or a SIZE leaf, or the node of a node atom */
Node *size_node(Graph *, const Size *);
Node *call(Graph *, Function *, uint32_t n, Node *const *args); /* checks types, solves the size parameters */
Node *call_with(Graph *, Function *, const Size *const *sizes, uint32_t n, Node *const *args);
Node *strong_operand(Graph *, Node *);                  /* as a body takes it: no longer weak */
typedef struct Closure Closure;
/* `if condition then yes else no`, a tuple of n results of which only those of one side are computed: a side
 * holds what it alone uses; what both use, or the condition, or what is computed `outside` anyway, is
 * captured. */
Node *branch(Graph *, Node *condition, uint32_t n, Node *const *yes, Node *const *no, Nodes outside);
/* A loop over a body closed by function_close over the leaves index (i64), carried..., elements...;
 * its captures become operands.  The result is a tuple: last carried values, then traces. */
Node *scan(Graph *, const Closure *body, Node *steps, Nodes carry, Nodes seq, unsigned way);
/* x as one side gives it where the other gives `other`: in the dtype of both, and in the shape of the one
 * with more axes.  NULL without an error: they have no type in common. */
Node *side_value(Graph *, Node *x, const Node *other);
/* Of a loop over leaves: its body's parameters (index, carried, elements) and results (next carried values,
 * traces), where the carried values begin, what it walks along. */
typedef struct LoopParts {
	uint32_t nparam;
	Node **param;
	uint32_t nresult;
	Node **result;
	uint32_t ncarry;
	Node **first;
	uint32_t nseq;
	Node **seq;
} LoopParts;
/* The loop that ends before the first pass for which the condition, over the leaves, does not hold, and after
 * `steps` passes (NULL: no bound).  It carries first whether it goes on, then how many passes it made, then
 * what the parts carry; it has no traces. */
/* after: the token behind its effects, or NULL; carried: which carried value that goes on from. */
typedef struct LoopTest { Node *holds, *after; uint32_t carried; } LoopTest;
Node *while_loop(Graph *, const LoopParts *, Node *steps, const LoopTest *);
/* The same of parts that carry first whether it goes on, and have no traces. */
Node *while_of_flag(Graph *, const LoopParts *, Node *steps);
/* The parts of a loop of as many passes as that one made, and their number; without effects, which have
 * happened then. */
bool loop_of_passes(Graph *, const LoopParts *, Node *whiles, LoopParts *counted, Node **steps);
/* How a loop walks.  WAY_WHILE: before each pass its first carried value, a bool, must hold; there are no
 * traces. */
enum { WAY_BACK = 1, WAY_WHILE = 2 };
/* SCAN's parts.  Operands: steps, carried..., sequences..., captured...
 * The body's parameters: index (i64), carried..., elements..., captured...;
 * its results: next carried..., traces... */
Function *scan_body(const Node *);
uint32_t scan_carries(const Node *);
uint32_t scan_sequences(const Node *);
unsigned scan_way(const Node *);
bool scan_is_back(const Node *);
bool scan_is_while(const Node *);
Node *scan_steps(const Node *);      /* for body_close: NULL where the loop may end before they are done */
Function *call_function(const Node *);

/* A body over leaves: what it binds (index, carried values, elements) fresh; captures as they are outside. */
typedef struct Opened { uint32_t nparam, nresult; Node **param, **result; } Opened;
Opened scan_open(Graph *, Arena *, const Node *scan);
Nodes captured(const Node *);        /* by the bodies of a node, outside of which it is */
/* ---- bodies.c: the functions within a node ------------------------------------------- */

/* A function within a node, and what it is given there.  Parameters below `bound` are bound by the node: they
 * are others in each pass; parameter i of the rest is operand first + i.  What meets a node with bodies asks
 * here, whatever its operator is. */
typedef struct Body {
	Function *f;
	uint32_t which;              /* of the node's bodies */
	uint32_t sizes;              /* the attribute that holds the first of the sizes that f is given */
	uint32_t bound, first;
} Body;
/* Where a node stands, for what it is called: in f, which is this body of the node around, that stands in
 * `outer`; or in a function alone, around NULL.  What a body captures is called as it is where it is from. */
typedef struct Within {
	const Function *f;
	const Node *around;
	const Body *body;
	const struct Within *outer;
} Within;
enum { BODIES_MAX = 2 };             /* CALL 1, SCAN 1, IF 2: when it holds, when it does not */
uint32_t bodies_of(Op, const Attr *, Body out[BODIES_MAX]);
uint32_t node_bodies(const Node *, Body out[BODIES_MAX]);
/* It has such that are no function to be taken apart: a loop, a branch, a call that stays. */
/* close.c: the numbers that sizes of these nodes' types hold, by their ids, into a map that is open */
void counts_of(Nodes, IdMap *out);
bool node_holds_bodies(const Node *);
/* How many bodies it holds, those within each other counted wherever they are held; what holds many is not
 * held more than once, where that can be. */
enum { MANY_BODIES = 8 };
uint32_t bodies_held(Graph *, const Node *);
/* These sizes, as function_inline takes them. */
const Size **body_sizes(Arena *, const Node *, const Body *);
/* Body i of the node over the operands as they are, its bound parameters over fresh leaves. */
Opened body_open(Graph *, Arena *, const Node *, const Body *);
/* The same node over other bodies with the same parameters: a function for each, with the sizes that it is
 * given (NULL: those of the old one, which are the same). */
Node *node_with_bodies(Graph *, Node *, Function *const *, const Size *const *const *sizes);
/* Does any body below these results, in bodies too, hold a node of which `is` says so?  Those are of these
 * classes, each a bit. */
typedef struct NodeKind { unsigned classes; bool (*is)(const Node *); } NodeKind;
bool body_any(Graph *, Function *, NodeKind);
/* With what `by` gives for each of them, over operands and with bodies that are done; NULL with an error. */
typedef Node *(*Replacement)(Graph *, Arena *, Node *);
Function *function_replace(Graph *, Function *, NodeKind, Replacement by);

/* What sizes and types of a body are outside of it.  A size parameter is the size that is given for it; a
 * size that a parameter holds is that of the operand.  `inner` is set by a size that has no meaning outside:
 * what a loop binds (its index, carried values, elements) is another in each pass. */
typedef struct CallSite { Graph *g; const Attr *attr; Node *const *arg; Body body; bool inner; } CallSite;
CallSite call_site(Graph *, const Body *, const Attr *, Node *const *args);
const Size *callers_size(void *caller, const Atom *);
const Type *callers_type(CallSite *, const Type *);

/* ---- total.c ----------------------------------------------------------------------------- */

/* Can it not fail, whatever values it meets?  `none`: a count, where it need not be asked unless that is
 * above 0. */
bool node_is_total(Graph *, const Node *, const Size *none);
bool side_is_total(Graph *, const Node *branch, uint32_t side); /* wherever the branch is computed */
/* Of a node where x is to be computed: may it fail, or only what it is made of, or is it there? */
typedef enum Standing { STANDS_OPEN, STANDS_SAFE, STANDS_THERE } Standing;
/* Can nothing fail, or have an effect, of what is computed for the sake of x, down to what is there? */
bool is_total_down_to(Graph *, Node *x, Standing (*of)(void *user, const Node *), void *user);

/* ---- region.c --------------------------------------------------------------------------- */

struct Region {
	Arena *arena;
	uint32_t n;
	unsigned classes;            /* 1 << class of each operator that there is */
	Node **node;                 /* depth-first operand order from the results, arguments first */
	IdMap place;                 /* id -> place + 1 */
};
Region *region_of(Arena *, uint32_t nroot, Node *const *root);   /* NULL roots are skipped; iterative */
/* without what is known, by id, and what is below it */
Region *region_above(Arena *, uint32_t nroot, Node *const *root, const IdMap *known);
/* and without what sizes are counted by */
Region *region_above_sizes(Arena *, uint32_t nroot, Node *const *root, const IdMap *known);
static inline uint32_t region_place(const Region *r, const Node *x) /* UINT32_MAX when absent */
{
	return (uint32_t)(uintptr_t)idmap_get(&r->place, x->id) - 1;
}
static inline void region_look_ahead(const Region *r, uint32_t i) /* who goes through it, at place i */
{
	if (i + 8 < r->n) __builtin_prefetch(&r->node[i + 8]->op);
}
bool *region_hanging(Arena *, const Region *, Nodes bound); /* which nodes hang on what is bound, by place */

/* Rebuild what lies below `roots`, replacing: `map` holds new nodes by id of the old (leaves and any others).
 * out[i] is root i over the replacements. */
void rebuild(Graph *, Nodes roots, IdMap *map, atom_map, void *user, Node **out);
/* Each node of the region in turn: by gives what stands for x, which over what its operands became is y. */
typedef Node *(*node_map)(void *user, Node *x, Node *y);
void rebuild_each(Graph *, const Region *, IdMap *map, node_map by, void *user);
/* The same, within branches and loops too, which hold what they alone use (within.c). */
bool rebuild_within(Graph *, Nodes roots, IdMap *map, Node **out);

/* ---- carry.c ------------------------------------------------------------------------------- */

/* Between a graph of work and that under it: what one holds, made again in the other. */
typedef struct Carrier Carrier;
Carrier *carrier_open(Graph *from, Graph *to);
void carrier_close(Carrier *);
const Size *carry_size(Carrier *, const Size *);
const Type *carry_type(Carrier *, const Type *);
void carry_nodes(Carrier *, uint32_t n, Node *const *from, Node **to);
Function *carry_function(Carrier *, Function *);

/* ---- verify.c ------------------------------------------------------------------------------ */

/* Nodes that have the type that their operator gives, by id, as bits; nodes do not change.  It begins with an
 * arena and zeros. */
typedef struct Verified { Arena *arena; uint64_t *typed; uint32_t words; } Verified;
/* Every node of the region has the type its operator gives it, functions are
 * closed, no weak dtype is left (when `closed`).  An error is ERR_INTERNAL.
 * known: those that were found to be right before, with these from now on; NULL: none is. */
bool verify(Graph *, const Region *, bool closed, Verified *known);

/* Does a slice that goes backwards begin at the last element of its axis, so that it may be empty? */
bool slice_is_whole(Graph *, const Size *start, const Size *axis);
#include "function.h"
#include "value.h"
#include "around.h"
#include "requirement.h"

#endif
