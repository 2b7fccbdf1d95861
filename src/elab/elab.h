/* elab.h - from the notation to the graph.
 *
 * syntax.h is the tree of the notation; here the tree becomes nodes (the
 * elaborator).  Functions, structures, generics and modules exist only here:
 * the graph knows operators, tuples, closed functions and loops.
 *
 * A user's mistake sticks to the graph (graph->error); every function below
 * then gives NULL or false.  Memory belongs to the graph.
 */
#ifndef POR_ELAB_H
#define POR_ELAB_H

#include "../ir/ir.h"
#include "../parse/syntax.h"

typedef struct Module Module;
typedef struct Binding Binding;
typedef struct TypeTerm TypeTerm;
typedef struct FunctionValue FunctionValue;

/* ---- what an expression stands for ----------------------------------------------- */

typedef enum BindingKind {
	B_NODE, /* an array; numbers and sizes known while building are weak constants and weak SIZE leaves */
	B_TUPLE,        /* (a, b), and a run ..more */
	B_RECORD,       /* {w, b} */
	B_FUNCTION,     /* a lambda with what it captures, a fn, an op, an operator */
	B_TYPE,         /* f64[n], typeof(p) */
	B_MODULE,       /* optim */
	B_ALIAS         /* within types: an argument not looked at yet */
} BindingKind;

struct Binding {                     /* immutable */
	uint8_t kind;
	uint32_t n;                  /* TUPLE, RECORD: elements */
	union {
		Node *node;
		Binding **elem;      /* RECORD: in declared order */
		FunctionValue *function;
		TypeTerm *type;
		Module *module;
		struct Alias *alias;
	};
	const char **field;          /* RECORD: names */
	uint32_t *order;             /* RECORD: elements by the code points of their names */
};

/* The arrays of a structure, in the order of their names' code points.
 * `out` may be NULL to count.  Functions, types and modules have none. */
uint32_t binding_leaves(const Binding *, Node **out);
bool binding_has_function(const Binding *);
/* The same structure over other arrays, in that order. */
Binding *binding_refill(Graph *, const Binding *, Node *const *leaves);
Binding *binding_field(const Binding *,
                       const char *name);      /* of a RECORD; NULL when it has none (compares text) */
void binding_print_type(Text *, const Binding *);               /* {w: f64[n], b: f64} */

/* ---- signatures ---------------------------------------------------------------------- */

/* The structure of a parameter or a result over the leaves of a closed
 * function: what a caller needs to bind `p.w` and to show a result. */
typedef struct Structure Structure;
struct Structure {
	uint8_t kind;                /* B_NODE, B_TUPLE or B_RECORD */
	uint32_t n;                  /* elements */
	uint32_t leaf;               /* NODE: its place among the function's parameters or results */
	const Type *type;            /* NODE: in the function's own sizes */
	const char **field;          /* RECORD: names in declared order */
	Structure **elem;
};

/* low <= x <= high where it is declared: `x: f64 if 0 <= x < 1`. */
typedef struct Fact {
	uint32_t leaf;               /* parameter of the function */
	double low, high;            /* -inf, inf where there is none */
	bool above_low, below_high;  /* strict */
	bool integer;
	Where where;
} Fact;

typedef struct SignatureParam {
	const char *name;
	Structure *structure;
	uint32_t first, count;       /* its leaves among the function's parameters */
	Binding *fallback;           /* the default when it has one */
	const Syntax *fact;          /* as written, or NULL */
	Where where;                 /* that declared it; line 0: the signature's */
} SignatureParam;

typedef struct Signature {
	const char *name;            /* NULL for an expression */
	Where where;
	const char *documentation;   /* or NULL */
	Function *function;
	uint32_t nparam;
	SignatureParam *param;
	Structure *result;
	const char *said;            /* what became of calls in it, for explain; or NULL */
	uint32_t nfact;              /* the facts simple enough for Fact */
	Fact *fact;
} Signature;

/* carry_signature.c: of a function that is closed, in the graph to which that is carried. */
Signature *carry_signature(Carrier *, Graph *to, const Signature *);
/* The leaf that `path` ("p.w", "layers.0.w" with places of tuples) names; NULL when there is none or it is no
 * leaf. */
const Structure *signature_leaf(const Signature *, const char *path);
/* How a record or tuple of n elements ends: "}", ",)", ")". */
static inline const char *structure_end(int kind, uint32_t n)
{
	if (kind == B_RECORD) return "}";
	return n == 1 ? ",)" : ")";
}
void structure_print(Text *, const Structure *, Graph *, const Function *);/* {w: f64[n], b: f64} */

/* ---- library.c: modules ------------------------------------------------------------------ */

extern const EmbeddedText embedded_lib[];       /* the library's files */

/* A file of the user's.  `file` names it in messages. */
Module *module_load(Graph *, const char *file, const char *text, size_t n);
Module *module_library(Graph *,
                       const char *name);      /* embedded or loaded; NULL with an error when unknown */
/* What a graph of work has of a module of the graph under it; in that itself the module. */
Module *module_above(Graph *, const Module *);
const char *embedded_module(uint32_t i);        /* the name of an embedded module; NULL beyond the last */
bool library_read(Graph *); /* all embedded modules, for graphs that go on from this one */
Module *module_empty(Graph *);                          /* the prelude alone, for expressions */
Module *module_prelude(Graph *);
Module *module_of_file(Graph *, const char *file); /* the last one of that file; NULL when there is none */
const Syntax *module_syntax(const Module *);            /* FILE */
const char *module_file(const Module *);
/* Make the name known to an expression's module: declarations of a text (use, fn, op, type, let). */
bool module_add(Graph *, Module *, const char *file, const char *text, size_t n);
/* The declaration of a name (FN, OP, TYPE, BIND) in this module; NULL when it has none. */
const Syntax *module_find(const Module *, const char *name);
/* the same question at once, of a name in graph->names */
bool module_declares(Module *, const char *interned);
/* The same of any of the user's files, the last one first, or of the prelude. */
const Syntax *module_declaration(Graph *, const char *name);
/* A declared value (`let`), elaborated; NULL with an error. */
Binding *module_value(Graph *, Module *, const char *name);
/* The op that a FN_OP function is an instance of: its declaration (OP). */
const Syntax *op_declaration(const Function *);
/* An instance of an op (also of user's modules): as g->apply_op, with the structure of its result. */
Node *op_apply_named(Graph *, const char *name, const Attr *, uint32_t n, Node *const *args);
/* The signature of an op's parameters as patterns need it: how many leaves; UINT32_MAX when there is no such
 * op. */
const Syntax *op_find(Graph *, const char *name);
/* What the graph calls the op that a rule in this file calls `name`: "layers.swish" in the file of layers. */
const char *op_written(Graph *, const char *file, const char *name);

/* elab_told.c: ops that take functions, which are no nodes; a line of book derivative is all that is said of
 * them. */
bool op_takes_functions(const Syntax *op);
const Syntax *op_of_call(Graph *, const Syntax *call);  /* the op that a rule's text calls, or NULL */
bool op_tell(Graph *, const Syntax *op, const Syntax *rule);    /* d(f(g, x)) => or vjp(f(g, x), u) => */

/* ---- uses.c: files that a file uses ------------------------------------------------------ */

/* A module that `use` asks for and that the library does not have: what is asked, and what a loader
 * answers. */
typedef struct Source {
	const char *name, *from;     /* asked: a plain name, and the file that says it */
	const char *file, *text;     /* answered: which file it is, its text; read before the next question */
	size_t n;
	const char *why;             /* why there is none, or NULL */
} Source;
typedef int (*SourceLoader)(void *user, Source *);      /* 0, or the code of an error */
typedef struct SourceLoading {
	SourceLoader load;           /* NULL: there is none but the library's */
	void *user;
	Module **read;               /* the modules that were read, each after those that it uses */
	uint32_t nread, read_cap;
} SourceLoading;
/* Reads what the module's declarations from `first` on use, and what that uses; false with an error. */
bool module_uses(Graph *, Module *, uint32_t first, SourceLoading *);

/* ---- elab*.c: the elaborator ----------------------------------------------------------------- */

/* What is known of a parameter or of a name of an expression before elaboration: a type, from a value that is
 * given, or a declaration (a PARAM, from parse_param).  Sizes of a given type are numbers. */
typedef struct Declared {
	const char *name;            /* "y", or a leaf of a structure: "p.w" */
	const Type *type;            /* NULL: not given */
	const Syntax *param;         /* NULL: not declared */
	Binding *value;              /* NULL, or a value known while building (bracket-like) */
	bool whole; /* whole numbers that somebody wrote: f64, unless integers are asked of them */
} Declared;

/* False, with the error that no call can check the promise `fact` of this parameter. */
bool fact_refused(Graph *, const Syntax *fact, const char *name);

/* A top-level fn or op as a closed function.  Parameters without a type need one in `given`.
 * `brackets` are values for its bracket parameters (declared ones by name); NULL for the defaults. */
Signature *elaborate_function(Graph *, Module *, const char *name, uint32_t ngiven, const Declared *given);
Signature *elaborate_function_value(Graph *, Binding *function, const char *name, uint32_t ngiven,
                                    const Declared *);

/* What there is in the end: a value, and the token of the last effect; NULL: there are none. */
/* said: what became of calls in it, lines for explain; or NULL. */
typedef struct Elaborated { Binding *value; Node *token; const char *said; } Elaborated;

/* An expression of the command line over inputs (INPUT leaves). */
typedef struct Expression {
	uint32_t n; /* its free names in order of appearance, declared ones that it uses included */
	const char **name;
	Binding **value; /* INPUT leaves, or structures of them ("p.w" is the input named "p.w") */
	Elaborated result;
} Expression;
Expression *elaborate_expression(Graph *, Module *, const Syntax *, uint32_t ndeclared, const Declared *);
/* Close such an expression, or any result, over named values; effects make a last result of the function that
 * the signature does not tell. */
Signature *close_over(Graph *, const char *name, uint32_t n, const char *const *names, Binding *const *values,
                      Elaborated result);

/* elab_called.c: what a definition is called with first, by place, while others are elaborated: they end
 * there, with an error, and `found`. */
typedef struct Called {
	const Syntax *definition;    /* FN, of a file */
	bool found;
	uint32_t n;
	const char **name;
	Binding **argument;
} Called;
void called_watch(Graph *, Called *);           /* until it is called with NULL */
/* A function of such arguments that gives 0.  A size that is no name which stands alone on an axis, nor made
 * of such, has a name of its own: the types can be declared. */
Signature *called_signature(Graph *, const Called *);

/* Pieces that the rooms above use. */
const Type *elaborate_type(Graph *, Module *, const Syntax *type);      /* of an array; new names are sizes */
Node *elaborate_node(Graph *, Module *, const Syntax *, uint32_t n, const char *const *names,
                     Node *const *values);

/* Names that the notation keeps: a user's may hide them. */
bool is_builtin(const char *name);              /* of an operator or form */
const char *builtin_name(uint32_t i);           /* the i-th of all of them; NULL: there are no more */
const char *derivative_name(uint32_t i);        /* grad, jvp, jacobian, ...; NULL: there are no more */
bool is_derivative(const char *name);

/* ---- what the room of derivatives hangs on the graph (graph->transforms) ------------------------ */

/* Values xs[j], with a first axis of n more, of the leaves x[j].  Where there are effects, they begin with
 * the leaf `token`, which stands for `before`, and the last result is the token that they end with. */
typedef struct Lanes {
	const Size *n;
	uint32_t nx;
	Node *const *x, *const *xs;
	Node *token, *before;        /* NULL: no effects */
} Lanes;

/* All work on nodes of the open graph; false or NULL with an error.  x are the variables: leaves or inner
 * nodes. */
typedef struct Transforms {
	/* out[j]: the cotangent of x[j], for cotangents u[i] of y[i] */
	bool (*vjp)(Graph *, Nodes y, Nodes x, Node *const *u, Node **out);
	/* out[i]: the tangent of y[i], for tangents v[j] of x[j] */
	bool (*jvp)(Graph *, Nodes y, Nodes x, Node *const *v, Node **out);
	/* sizes of y, then sizes of x; forward: column by column */
	Node *(*jacobian)(Graph *, Node *y, Node *x, bool forward);
	/* values, rows and columns of what may be other than zero in it; symmetric: y is a gradient by x */
	bool (*sparse)(Graph *, Node *y, Node *x, bool symmetric, Node *out[3]);
	/* y over bound leaves, for all values of these together: see Lanes; out[i] has a first axis more, but
	 * for a token, which is that of all */
	bool (*batch)(Graph *, const Lanes *, uint32_t ny, Node *const *y, Node **out);
} Transforms;

#endif
