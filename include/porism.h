/* porism.h - the C interface of Porism, a compiler for tensor mathematics.
 *
 *     por_graph *g = por_open(NULL);
 *     por_node *x = por_input(g, "x", "f64[n]"), *dx;
 *     por_node *y = por_sum(por_log(por_add(por_exp(x), por_number(g, 1))), POR_ALL);
 *     por_grad(y, 1, &x, &dx);
 *     por_program *p = por_compile(g, 1, (por_node *[]){x}, 2, (por_node *[]){y, dx}, NULL);
 *     if (!p) puts(por_graph_error(g)->text);      -- one check: the first error, with the line of this file
 *
 * Who is who
 *     por_context   rules, library, allocator, log: immutable once open     any thread
 *     por_graph     owns nodes, types, functions, modules, the first error  one thread at a time
 *     por_node, por_type, por_function
 *                   interned values of a graph: equal is ==                 with their graph
 *     por_region    the nodes below some results, arguments first           with its graph
 *     por_program   compiled; needs neither nodes nor graph any more        any thread
 *     por_frame     one caller's workspace, results and error               one call at a time
 *     por_array     a view of elements, byte for byte a DLPack DLTensor
 *
 * To be freed, in any order: contexts, graphs, programs, frames, regions, arrays of por_array_new, and text
 * that is given as `char *` (por_text_free).  `const char *` is never freed: it lives as long as what gave
 * it.
 *
 * Errors.  The first error sticks to the graph; until por_clear_error every constructor gives NULL.  What
 * is given NULL gives NULL too and is no error of its own (a por_size: POR_NO_SIZE; a `const char *`: "";
 * a code: POR_ERR_VALUE), so a single check at the end is enough.  Nothing here aborts, exits or prints,
 * memory that has run out included.  Functions that give an int for success give 0, otherwise a POR_ERR_
 * code.  Structs whose first field is `size` take sizeof that struct; fields that are 0 have their
 * defaults.
 */
#ifndef PORISM_H
#define PORISM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(POR_API)
#elif defined(__GNUC__)
#define POR_API __attribute__((visibility("default")))
#else
#define POR_API
#endif

#define POR_VERSION_MAJOR 0
#define POR_VERSION_MINOR 1
#define POR_VERSION_PATCH 0
POR_API const char *por_version(void);                          /* "0.1.0", of the library */

typedef struct por_context por_context;
typedef struct por_graph por_graph;
typedef struct por_node por_node;
typedef struct por_type por_type;
typedef struct por_function por_function;
typedef struct por_module por_module;
typedef struct por_value por_value;
typedef struct por_structure por_structure;
typedef struct por_loop por_loop;
typedef struct por_region por_region;
typedef struct por_program por_program;
typedef struct por_frame por_frame;
typedef struct por_array por_array;

/* ---- errors -------------------------------------------------------------------------------------------- */

typedef enum por_code {
	POR_OK, POR_ERR_MEMORY, POR_ERR_SYNTAX, POR_ERR_TYPE, POR_ERR_NAME, POR_ERR_VALUE,
	POR_ERR_UNSUPPORTED, POR_ERR_DERIVATIVE, POR_ERR_RULE, POR_ERR_FILE, POR_ERR_COMPILER, POR_ERR_CALL,
	POR_ERR_INTERNAL,
	POR_ERR_LIMIT,                                  /* a limit of the context or the call was met */
	POR_ERR_CANCELLED                               /* por_cancel, por_frame_cancel, `progress` */
} por_code;

/* In the place of an argument's number.  INDEX: an index is outside of its axis.  OPERATOR: nothing tells the
 * derivative of an operator of por_define, whose name stands in the text, and behind it in brackets the rule
 * that would. */
enum { POR_AT_INDEX = -1, POR_AT_OPERATOR = -2 };
typedef struct por_error {                                      /* 1 KiB, frozen */
	int32_t code;                                   /* por_code; POR_OK: no error */
	int32_t line, column;                           /* from 1; 0: unknown */
	int32_t argument;                               /* of a call, from 1; 0: none of them; POR_AT_ */
	char file[240];
	char text[768];                                 /* one sentence */
} por_error;

POR_API const por_error *por_graph_error(const por_graph *);    /* never NULL */
/* Go on after an error.  The error of a graph that is spent stays: one whose work was left in the middle,
 * since memory had run out, a limit was met, or it was cancelled. */
POR_API void por_clear_error(por_graph *);
/* file:line:column: text; with the `source` of the file (or NULL) also the line itself and a mark. */
POR_API char *por_error_show(const por_error *, const char *source);
POR_API void por_text_free(char *);

/* ---- contexts and graphs ------------------------------------------------------------------------------- */

/* A module that `use NAME` asks for and that the library does not have. */
typedef struct por_source {
	size_t size;                                    /* of this struct, as the library has it */
	const char *name;                               /* asked for: a plain name, never a path */
	const char *from;                               /* the file that uses it, by its name in messages */
	/* To be set.  They are borrowed: until the next `load`, or the end of por_load. */
	const char *file;                               /* its name in messages, also where there is none; */
	                                                /* equal texts are one file, which is read once */
	const char *text;
	int64_t n;                                      /* bytes; -1, as it is set: up to the 0 */
	const char *why;                                /* why there is no text: "cannot be read: ..." */
} por_source;

/* How far a long piece of work is: reading, elaborating, deriving, rewriting, compiling. */
typedef struct por_progress {
	size_t size;                                    /* of this struct, as the library has it */
	const char *stage;                              /* "read", "elaborate", "derive", "stable", "code", ... */
	uint64_t nodes, bytes;                          /* that the graph holds */
	double seconds;                                 /* since the entry point began */
} por_progress;

typedef struct por_context_options {
	size_t size;
	/* NULL: malloc and free; both are set or neither */
	void *(*alloc)(void *user, size_t size, size_t align);
	void (*free)(void *user, void *p, size_t size, size_t align);
	void *user;
	/* What is worth knowing, once: "interpreted, because ...".  From any thread, the compiler's too. */
	void (*log)(void *user, const char *line);
	/* Finds the text of a module for por_load and por_module_add: 0, else a POR_ERR_ code.  It must not
	 * call their graph.  NULL: modules of the library alone; the library opens no file for `use`. */
	int (*load)(void *user, por_source *);
	/* Limits of what is done with a graph, before anything is called: reading, elaborating, deriving,
	 * rewriting, compiling.  0: none.  What is past one gives POR_ERR_LIMIT, which names it.  The graph
	 * is spent then, as when memory has run out: its error stays, it can only be closed.  The context and
	 * its other graphs go on.  Nodes and bytes are those of one graph, seconds those of one entry point;
	 * the entry point ends soon after, not at once. */
	uint64_t max_nodes, max_bytes;
	double max_seconds;
	/* Called some ten times a second by the thread that works, while one entry point takes longer than
	 * that. Not 0: POR_ERR_CANCELLED; the graph is spent.  It must not call the graph. */
	int (*progress)(void *user, const por_progress *);
} por_context_options;

/* NULL: defaults; gives NULL: no memory, or `size` is not set, alloc without free, or max_seconds below 0 */
POR_API por_context *por_context_new(const por_context_options *);
/* on: all work on its graphs and all calls of its programs that are under way end soon with
 * POR_ERR_CANCELLED, compilers at work for them are ended, and what is begun later fails the same way, until
 * it is off (0) again. A graph that was at work is spent; other graphs, programs and frames are not.  From
 * any thread, and from a handler of signals. */
POR_API void por_cancel(por_context *, int on);
POR_API void por_context_free(por_context *);
POR_API por_graph *por_open(por_context *);                     /* NULL: a context of its own */
POR_API void por_close(por_graph *);
/* The user's line for what has no `_at` of its own, from now on; NULL: none.  "file" or "file:line". */
POR_API void por_at(por_graph *, const char *where);

/* Marks, which nest: por_mark gives its number, or -1 with an error; por_release takes back what was built
 * and asked for since, later marks included: nodes, types, sizes, functions, loops, values, and their texts.
 * Their handles are worth nothing then.  A node's is told where it is used, an error of the graph, until
 * another node has its place; a region of theirs is empty.  Handles from before the mark stay what they are,
 * and so do compiled programs and an error.  At a mark no loop is open; while there is one, no file, rule or
 * operator is added. */
POR_API int por_mark(por_graph *);
POR_API int por_release(por_graph *, int mark);

/* ---- dtypes, sizes, types ------------------------------------------------------------------------------ */

#include "porism_dtypes.h"

POR_API const char *por_dtype_name(int dtype);                  /* "f64"; "" of no dtype */
POR_API int por_dtype_named(const char *name);                  /* POR_NO_DTYPE: there is none */
POR_API size_t por_dtype_bytes(int dtype);                      /* of an element; bool 1, key 16 */
POR_API int por_dtype_is_float(int dtype);                      /* of real numbers: f16, bf16, f32, f64 */
/* n real numbers or bools as another dtype, as por_cast gives them, rounded once: the elements of a dtype
 * that C has no type of.  POR_ERR_TYPE: a dtype of none; POR_ERR_VALUE: NULL, or n below 0. */
POR_API int por_convert(int64_t n, int to, void *, int from, const void *);

/* A size is a number from 0 on, or the handle (below -2^62) of an expression over named sizes of one
 * graph. */
typedef int64_t por_size;
#define POR_NO_SIZE INT64_MIN
POR_API por_size por_size_named(por_graph *, const char *name); /* n */
POR_API por_size por_size_add(por_graph *, por_size, por_size);
POR_API por_size por_size_sub(por_graph *, por_size, por_size);
POR_API por_size por_size_mul(por_graph *, por_size, por_size);
POR_API por_size por_size_floordiv(por_graph *, por_size, por_size);
POR_API por_size por_size_mod(por_graph *, por_size, por_size);
POR_API por_size por_size_min(por_graph *, por_size, por_size);
POR_API por_size por_size_max(por_graph *, por_size, por_size);
POR_API por_size por_size_of_node(por_node *i64_scalar);        /* a size that depends on data */
POR_API char *por_size_text(por_graph *, por_size);             /* "2*n + 1" */

POR_API por_type *por_type_parse(por_graph *, const char *text);/* "f64[m, n + 1]"; new names are sizes */
POR_API por_type *por_type_array(por_graph *, int dtype, int rank, const por_size *sizes);
POR_API int por_type_dtype(const por_type *);                   /* POR_NO_DTYPE of tuples and tokens */
POR_API int por_type_rank(const por_type *);                    /* -1 of tuples and tokens */
POR_API por_size por_type_size(const por_type *, int axis);
POR_API int por_type_count(const por_type *);                   /* elements of a tuple; 0 of others */
POR_API por_type *por_type_element(const por_type *, int i);
POR_API char *por_type_text(const por_type *);

/* ---- leaves -------------------------------------------------------------------------------------------- */

/* An input: its type as text, with what is promised of its values: "f64[m] if y >= 0".  The same name and
 * type again is the same node, another type an error; equal names of sizes are one size. */
POR_API por_node *por_input(por_graph *, const char *name, const char *type);
POR_API por_node *por_input_typed(por_graph *, const char *name, const por_type *);
/* Weakly typed numbers: they take the dtype of what they meet, f64 or i64 at the end. */
POR_API por_node *por_number(por_graph *, double);
POR_API por_node *por_integer(por_graph *, int64_t);
/* "f32[m, n]", all equal; the value becomes of that dtype as por_cast makes it: integers saturate */
POR_API por_node *por_constant(por_graph *, const char *type, double value);
POR_API por_node *por_constant_array(por_graph *, const por_array *);   /* copied; host memory, any strides */
POR_API por_node *por_size_node(por_graph *, por_size);         /* its value, an i64 scalar */
POR_API por_node *por_iota(por_graph *, por_size);              /* i64[n]: 0, 1, 2, ... */

/* ---- arrays: DLPack ------------------------------------------------------------------------------------ */

typedef struct por_device { int32_t type, id; } por_device;     /* type 1: host memory */
/* keys: u64, 2 lanes */
typedef struct por_dtype_code { uint8_t code, bits; uint16_t lanes; } por_dtype_code;
struct por_array {
	void *data;
	por_device device;
	int32_t ndim;
	por_dtype_code dtype;
	int64_t *shape;
	int64_t *strides;                               /* in elements; NULL: compact, row order */
	uint64_t byte_offset;
};
/* A view of compact memory.  It borrows `shape`: keep that alive as long as the view. */
POR_API por_array por_view(void *data, int dtype, int ndim, const int64_t *shape);
/* zeros; 64-byte aligned */
POR_API por_array *por_array_new(por_context *, int dtype, int ndim, const int64_t *shape);
POR_API void por_array_free(por_array *);                       /* of por_array_new only */
POR_API int por_array_dtype(const por_array *);                 /* POR_NO_DTYPE: none of ours */
POR_API int64_t por_array_count(const por_array *);             /* elements; -1: no array, or past 2^63 */

/* ---- the notation -------------------------------------------------------------------------------------- */

/* An expression over nodes by name, often shorter than constructors: por_parse(g, "x @ w + b", 3, names,
 * nodes).  Names that are not bound must be of the library.  A tuple of arrays is one node, see por_get.
 * An error has the user's line where por_at told it, else line and column of the text. */
POR_API por_node *por_parse(por_graph *, const char *text, int n, const char *const *names,
                            por_node *const *nodes);
POR_API char *por_print(int n, por_node *const *);              /* as one expression over their inputs */
enum { POR_PRINT_NOTES = 1, POR_PRINT_ONE_LINE = 2 };  /* types and lines as comments; the results alone */
POR_API char *por_print_function(por_function *, int flags);    /* a definition */
/* its graph, for Graphviz; of a large one what is next to the results */
POR_API char *por_print_dot(por_function *);

/* A file of the notation; `file` names it in messages; n bytes, or -1: up to the 0.  Its books join the
 * graph's rules, after those of the modules that it uses (por_context_options.load); a file of books that
 * Porism carries adds nothing, since its rules are there.  NULL text: a module with nothing but the
 * prelude. */
POR_API por_module *por_load(por_graph *, const char *text, int64_t n, const char *file);
/* A module of the library, "logp" or "prelude", as por_load gives one of a text; NULL with POR_ERR_NAME where
 * there is none of that name, with POR_ERR_VALUE where name is NULL. */
POR_API por_module *por_load_library(por_graph *, const char *name);
POR_API const char *por_library_module(int i);  /* their names by number; NULL beyond the last */
POR_API int por_module_add(por_module *, const char *text, const char *file);   /* more declarations */
POR_API int por_module_count(const por_module *);               /* declarations, in order of the file */
POR_API const char *por_module_kind(const por_module *, int i); /* "fn", "op", "type", "let", "book", "use" */
POR_API const char *por_module_name(const por_module *, int i);
POR_API const char *por_module_doc(const por_module *, int i);  /* the comment above it, or "" */
POR_API int por_module_line(const por_module *, int i);
POR_API char *por_module_text(const por_module *, int i);       /* the declaration, printed */

/* Words of the notation by number: "fn", "=>", and names that mean something without being declared ("grad",
 * "exp"; a number whose name is no word gives "").  NULL: beyond the last. */
enum { POR_WORD_KEYWORD, POR_WORD_SIGN, POR_WORD_BUILTIN };
POR_API const char *por_word(int kind, int i);
/* A file's text laid out, with its comments: only blanks and ends of lines are others.  n bytes, or -1: up to
 * the 0; `file` names it in messages.  To be given to por_text_free.  NULL: it does not parse, which is the
 * graph's error, with its place (POR_ERR_SYNTAX). */
POR_API char *por_format(por_graph *, const char *text, int64_t n, const char *file);

/* Parameters as they are declared, of a fn, an op, or a function in a `let` ("train.minimise"): nothing is
 * elaborated that needs their types.  Bracket parameters come first. */
typedef struct por_param {
	const char *name;
	const char *type;                               /* "params[n]"; "" where none is written */
	const char *fallback;                           /* the default as written, or "" */
	const char *fact;                               /* "0 <= x < 1", or "" */
	int32_t bracket;
	int32_t run;                                    /* `..axes`: any number of them */
} por_param;
/* how many; -1: there is no such function */
POR_API int por_declared_params(por_module *, const char *name);
POR_API int por_declared_param(por_module *, const char *name, int i, por_param *);

/* A declared value (`let`), walked: records, tuples, functions, constants. */
POR_API por_value *por_value_named(por_module *, const char *name);     /* "train", or a field: "train.by" */
/* "array", "tuple", "record", "function", "type", "module" */
POR_API const char *por_value_kind(const por_value *);
POR_API int por_value_count(const por_value *);                 /* of a tuple or record */
POR_API const char *por_value_field(const por_value *, int i);
POR_API por_value *por_value_element(const por_value *, int i);
POR_API por_node *por_value_node(const por_value *);  /* of an array; NULL of others, which is no error */

/* What is known of a parameter, of a leaf of one ("p.w"), or of a free name of an expression. */
typedef struct por_given {
	const char *name;
	const por_type *type;                           /* of a value that is there; or NULL */
	const char *declared;                           /* "y: f64[m]"; an expression's, with facts; or NULL */
	por_node *value;                                /* a constant known while building; or NULL */
	/* 1: whole numbers as one writes them, whose type says their shape: f64, or i64 where the use asks
	 * for integers (an index, a size, a count, a bit operation, a key) */
	int whole;
} por_given;

/* A top-level fn or op as a closed function, or a function in a `let` ("train.minimise"). */
POR_API por_function *por_function_named(por_module *, const char *name, int n, const por_given *);
/* The types with which `called`, a fn of the same file, is first called while `name` is elaborated: a
 * function of parameters of these types, which gives 0.  Sizes that a declaration cannot tell have names of
 * their own there (size1, ...).  NULL without an error: it is not called; POR_ERR_UNSUPPORTED: it is given a
 * function. */
POR_API por_function *por_called_with(por_module *, const char *name, int n, const por_given *,
                                      const char *called);
/* An expression of the command line: its free names become parameters in the order of the text.
 * Undeclared ones are f64: beside @ a capital is a matrix, a small letter a vector, others are scalars.
 * module NULL: the library. */
POR_API por_function *por_function_expression(por_graph *, por_module *, const char *text, int n,
                                              const por_given *);

/* ---- functions ----------------------------------------------------------------------------------------- */

/* Closes results over inputs; an input that is not listed is an error. */
POR_API por_function *por_function_of(por_graph *, const char *name, int n, por_node *const *params,
                                      int nresults, por_node *const *results);
/* a tuple if it has several results */
POR_API por_node *por_invoke(por_function *, int n, por_node *const *args);
/* The function for all along an axis at once: axes has one for each input (leaf of a parameter), counted from
 * the end below 0, or POR_SHARED where all take the same; results have a new first axis, but for a last one
 * that is a token: effects happen for one after another, in ascending order.  POR_ERR_UNSUPPORTED: a function
 * of law exact that has effects. */
#define POR_SHARED INT32_MIN
POR_API por_function *por_vmap(por_function *, int n, const int *axes);
/* The same function whose calls stay calls: of what is computed within nothing is kept for a derivative,
 * which computes it again.  Memory that runs out is the error. */
POR_API por_function *por_checkpoint(por_function *);
/* The same function that stays one: in the graph, in what is printed and in every stage there is one
 * function and its calls, and one derivative, transpose and batch of it.  Before it is planned it is
 * taken apart. */
POR_API por_function *por_kept(por_function *);
/* The function f with a derivative of its own.  d has the inputs of f, then its results, then tangents of
 * the inputs, and gives tangents of the results; of the results it may make what it likes, and is
 * differentiated itself for more orders.  b, of an f with one result, has its inputs, the result and the
 * result's cotangent, and gives the cotangents of the inputs: such a function has no derivative forwards.
 * POR_ERR_VALUE: other numbers of inputs or results; POR_ERR_DERIVATIVE: other types. */
POR_API por_function *por_with_derivative(por_function *f, por_function *d);
POR_API por_function *por_with_vjp(por_function *f, por_function *b);
/* A function that solves a system of linear equations.  f gives z for which a(z) = b: its results are
 * like b, its first inputs; what the system is made of follows.  a has the inputs of f, with z in the
 * place of b, and gives a(z), which is linear in z; t gives for u in the place of b the solution of the
 * transposed system. Derivatives of any order, forwards and in reverse, by b and by what a is made of,
 * are such solutions; what f and t do is not differentiated.  POR_ERR_VALUE: other numbers of inputs or
 * results, effects, several graphs; POR_ERR_TYPE: b is not of floats, a result not like it;
 * POR_ERR_DERIVATIVE: a is not linear. */
POR_API por_function *por_with_system(por_function *f, por_function *a, por_function *t);
/* rewritten by these alone: POR_LAW_EXACT */
POR_API por_function *por_with_laws(por_function *, unsigned laws);
/* Leaves by path that take a constant and are no inputs any more; of a parameter all leaves or none. */
POR_API por_function *por_bind(por_function *, int n, const char *const *paths, por_node *const *values);

/* Signatures.  Parameters and results may be structures; arrays are their leaves, which lie in the order
 * of the names' code points; a leaf's path is "p.w", "layers.0.w", or "" of a result that is one array. */
typedef struct por_leaf {
	const char *path;
	por_type *type;
	int32_t param;                                  /* of an input: the parameter it belongs to */
	int32_t integer;                                /* promised: whole numbers */
	double low, high;                               /* promised: low <= x <= high; infinite: nothing */
	int32_t above_low, below_high;                  /* strictly */
	por_node *fallback;                             /* the default, a constant; or NULL */
} por_leaf;
POR_API const char *por_function_name(const por_function *);
POR_API const char *por_function_doc(const por_function *);
POR_API int por_function_params(const por_function *);
POR_API const char *por_function_param(const por_function *, int i);
POR_API char *por_function_fact(const por_function *, int i);   /* as written: "0 <= x < 1", or "" */
POR_API int por_function_inputs(const por_function *);          /* leaves of all parameters */
POR_API int por_function_input(const por_function *, int i, por_leaf *);
POR_API int por_function_outputs(const por_function *);
POR_API int por_function_output(const por_function *, int i, por_leaf *);
POR_API const por_structure *por_function_param_structure(const por_function *, int i);
POR_API const por_structure *por_function_result_structure(const por_function *);
POR_API const char *por_structure_kind(const por_structure *);  /* "array", "tuple", "record" */
POR_API int por_structure_count(const por_structure *);
POR_API const char *por_structure_field(const por_structure *, int i);          /* in declared order */
POR_API const por_structure *por_structure_element(const por_structure *, int i);
POR_API int por_structure_leaf(const por_structure *);  /* of an array: its input or output; else -1 */

/* ---- derivatives --------------------------------------------------------------------------------------- */

/* By nodes of the graph: only paths through x count; a variable that is not reached gives zeros.  x may be
 * computed, and y come of earlier derivatives.  The list of results may be one of the lists given.  A tangent
 * v[i] has the shape of x[i], a cotangent u[i] that of y[i] (POR_ERR_TYPE). */
POR_API int por_grad(por_node *y, int n, por_node *const *x, por_node **d);     /* of a real scalar y */
POR_API int por_jvp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v,
                    por_node **dy);
POR_API int por_vjp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u,
                    por_node **dx);
POR_API por_node *por_jacobian(por_node *y, por_node *x, int forward);  /* sizes of y, then those of x */
POR_API por_node *por_hessian(por_node *y, por_node *x);        /* of a real scalar y: sizes of x twice */
/* What of these matrices may be other than zero, as three vectors: out[0][k] stands in row out[1][k] and
 * column out[2][k], i64, which count the elements of y (for a Hessian of x) and of x in row order. Which
 * elements these are is found on the graph, for all values and sizes, a Hessian has both triangles; where
 * indices or offsets are data a pair may come twice, and what stands there adds up. x and y are arrays of
 * real floats, y of a Hessian has no axes, x is no constant (POR_ERR_DERIVATIVE). */
POR_API int por_sparse_jacobian(por_node *y, por_node *x, por_node **out);
POR_API int por_sparse_hessian(por_node *y, por_node *x, por_node **out);

/* ---- branches ------------------------------------------------------------------------------------------ */

/* Where the condition (one bool) holds, yes, else no: only the side that is taken is computed, and nothing of
 * the other fails.  What both sides use, or the condition, is computed before it.  Both give arrays of one
 * shape, or one gives fewer axes and takes the other's; dtypes meet as in a sum.  POR_ERR_TYPE: a condition
 * that is no bool scalar, tuples, sides whose shapes or dtypes do not meet. */
POR_API por_node *por_if(por_node *condition, por_node *yes, por_node *no);
/* One branch of n results, out[0], ..., out[n - 1]: yes[i] where the condition (one bool) holds, else no[i].
 * Result i has the dtype and shape in which yes[i] and no[i] meet as in por_if, whatever the others have; or
 * both are tokens, and so is it: the effects of the side that is taken happen, those of the other do not.
 * Gives 0 or a code: POR_ERR_TYPE as in por_if, and of a token beside an array; POR_ERR_VALUE where n is
 * below 1.  With an error nothing is given. */
POR_API int por_if_all(por_node *condition, int n, por_node *const *yes, por_node *const *no, por_node **out);

/* ---- loops, built flat --------------------------------------------------------------------------------- */

/*     por_loop *l = por_loop_open(g, NULL, 0);                 sum of squares, and its running values
 *     por_node *x = por_loop_each(l, xs), *s = por_loop_carry(l, por_constant(g, "f64", 0));
 *     por_loop_next(l, s, por_add(s, por_mul(x, x)));
 *     int t = por_loop_stack(l, s);
 *     if (!por_loop_close(l)) ... por_loop_last(l, s), por_loop_stacked(l, t)
 * What the body uses and the loop does not change is captured by itself.  The loop belongs to the graph. */
/* steps NULL: the length of its sequences */
POR_API por_loop *por_loop_open(por_graph *, por_node *steps, int back);
POR_API por_node *por_loop_index(por_loop *);                   /* 0, 1, ... (back: from the last on) */
POR_API por_node *por_loop_each(por_loop *, por_node *xs);      /* element of xs along its first axis */
POR_API por_node *por_loop_carry(por_loop *, por_node *first);  /* a value carried from step to step; typed */
POR_API int por_loop_next(por_loop *, por_node *carried, por_node *next);
/* Before each pass the condition (one bool, over carried values, the index and elements) must hold, or the
 * loop ends; steps and sequences bound it still, if there are any.  Stacked values are as long as it ran.
 * Gives 0 or a code: POR_ERR_TYPE where it is no bool scalar, POR_ERR_VALUE where the loop goes backwards,
 * has a condition already, or is closed. */
POR_API int por_loop_while(por_loop *, por_node *condition);
/* The same of a condition that has effects: they happen each time it is asked, which is once more than the
 * loop has passes, or as often where its steps end it.  `after` is the token behind them and goes on from a
 * token that the loop carries, which in the body stands for the place behind them; NULL: there are none.
 * POR_ERR_TYPE, too: it is no such token. */
POR_API int por_loop_while_after(por_loop *, por_node *condition, por_node *after);
POR_API int por_loop_stack(por_loop *, por_node *x);            /* its number; -1: an error */
POR_API int por_loop_close(por_loop *);
POR_API por_node *por_loop_last(por_loop *, por_node *carried);
POR_API por_node *por_loop_stacked(por_loop *, int number);     /* a new first axis */

/* ---- walking and editing ------------------------------------------------------------------------------- */

typedef enum por_attribute_kind {
	POR_ATTR_INT, POR_ATTR_SIZE, POR_ATTR_DTYPE, POR_ATTR_NAME, POR_ATTR_DATA, POR_ATTR_FUNCTION,
	POR_ATTR_CUSTOM
} por_attribute_kind;
typedef struct por_attribute {
	int32_t kind;
	int32_t dtype;
	int64_t integer;
	por_size size;
	const char *name;                               /* DATA: NULL, see por_node_constant */
	por_function *function;
} por_attribute;

POR_API int por_op_count(void);  /* operators are POR_OP_... from 1 to here - 1 */
POR_API const char *por_op_name(int op);                        /* "ADD" */
POR_API const char *por_op_text(int op);                        /* "+" */
POR_API const char *por_op_formula(int op);                     /* "x + y" */
POR_API const char *por_op_notes(int op);                       /* edge cases */
POR_API int por_op_named(const char *text, int nargs);          /* 0: there is none */

POR_API por_graph *por_node_graph(const por_node *);
POR_API int por_node_op(const por_node *);
POR_API uint32_t por_node_id(const por_node *);
POR_API int por_node_nargs(const por_node *);
POR_API por_node *por_node_arg(const por_node *, int i);
POR_API int por_node_nattributes(const por_node *);
POR_API int por_node_attribute(const por_node *, int i, por_attribute *);
POR_API por_type *por_node_type(const por_node *);
POR_API const char *por_node_where(const por_node *);           /* "model.c:31", or "" */
POR_API const char *por_node_name(const por_node *);            /* of an input, or of the `let`; or "" */
POR_API const char *por_node_rule(const por_node *);            /* that made it, or "" */
POR_API int por_node_number(const por_node *, double *value);   /* of a uniform real constant; 0: it is one */
POR_API por_array *por_node_constant(const por_node *);         /* any constant's elements, a copy */
/* any operator, as constructors do */
POR_API por_node *por_apply(por_graph *, int op, int nargs, por_node *const *args, int nattrs,
                            const por_attribute *attrs, const char *where);
/* the same operator of others */
POR_API por_node *por_rebuild(por_node *, int nargs, por_node *const *args);
/* out[i] is roots[i] with each from[k] replaced by to[k], of its type. */
POR_API int por_substitute(int n, por_node *const *roots, int m, por_node *const *from, por_node *const *to,
                           por_node **out);
/* Rewrites in place by stages in order: "algebra, stable", which is NULL too. */
POR_API int por_simplify(int n, por_node **roots, const char *stages);

POR_API por_region *por_region_of(int n, por_node *const *roots);
POR_API void por_region_free(por_region *);
POR_API int por_region_count(const por_region *);
POR_API por_node *por_region_node(const por_region *, int place);
POR_API int por_region_place(const por_region *, const por_node *);     /* -1: it is not there */
POR_API int por_region_users(const por_region *, int place);  /* nodes that take it, each counted once */
POR_API por_node *por_region_user(const por_region *, int place, int k);

/* ---- rules and custom operators ------------------------------------------------------------------------ */

typedef enum por_law { POR_LAW_EXACT = 1, POR_LAW_REAL = 2, POR_LAW_FINITE = 4, POR_LAW_APPROX = 8 } por_law;

/* "log1p: log(1 + x) => log1p(x)  real", for book `stage` ("algebra" if NULL); checked when it is added.  One
 * that nothing would ever come to is refused, too.  What was seen is por_rule_info.told, and the log's. */
POR_API int por_rule(por_graph *, const char *text, const char *stage);
/* on: derivatives asked for from now on are of what is written, without a rule before them; a program without
 * any rule is compiled with no_rules, too. */
POR_API int por_derive_as_written(por_graph *, int on);
/* For what patterns cannot say: `fn` gives the replacement of a node of the book algebra that `pattern`
 * ("exp(x)", "name: exp(x)") matches, of its type, or NULL to leave it.  `variables` are in order of the
 * pattern.  It builds nodes and asks about them, and does nothing else with the graph; its law is taken on
 * trust.  A node of another type, and an error of what it builds, are errors of the graph. */
typedef por_node *(*por_rewrite)(void *user, por_node *matched, int n, por_node *const *variables);
POR_API int por_rule_call(por_graph *, const char *pattern, unsigned law, por_rewrite fn, void *user);
typedef struct por_rule_info {
	const char *name, *book, *stage, *text, *file;
	int32_t line;
	uint32_t law;
	uint64_t tried, fired, refused;
	const char *told;               /* when it was added: law, samples, where it counts, what comes first; "" */
	const char *tags;               /* "folds, views"; "" */
} por_rule_info;
POR_API int por_rule_count(por_graph *);
POR_API int por_rule_at(por_graph *, int i, por_rule_info *);
/* 0: it holds; report may be NULL */
POR_API int por_rule_check(por_graph *, int i, uint64_t seed, char **report);

/* A form of a function, and its error against the true value: log2 of how many f64 numbers lie between. */
typedef struct por_form {
	const char *what;               /* "written", "books", "improved", or "piece" of that */
	const char *text;               /* in the notation */
	double mean, most;              /* infinite: it holds operators that are not measured */
	const double *at;               /* the inputs where it errs most; NULL: nowhere */
	double truth;                   /* there */
} por_form;
typedef struct por_improvement {
	int32_t forms;                  /* those that were written and by the books come first */
	const por_form *form;
	int32_t inputs;
	const char *const *input;       /* their names */
	int32_t asked, judged;          /* points; those at which the true value is known */
	/* What was written, or what the books leave of it, => improved; NULL: nothing better was found.
	 * It is not added to the graph. */
	const char *rule;
	int32_t holds;                  /* the rule does, as one of book `stable` is checked */
	const char *report;             /* of the check */
} por_improvement;
/* Searches forms of a function of f64 numbers with one result for one that errs less at points from all over
 * what is promised of its inputs.  where (or NULL): a function of the same inputs that gives one bool, which
 * holds at these points.  What is given lives as long as the graph.  POR_ERR_UNSUPPORTED: it is of something
 * else; POR_ERR_VALUE: there is no such point, or the true value is known at none. */
POR_API const por_improvement *por_improve(por_function *, por_function *where, uint64_t seed);

enum { POR_ELEMENTWISE = 1, POR_ONE_THREAD = 2, POR_NOT_PURE = 4 };
/* 0: done; else the call fails.  Arrays are compact; their number and dtypes are the signature's. */
typedef int (*por_kernel)(void *user, int nin, const por_array *in, int nout, const por_array *out);
typedef struct por_custom {
	size_t size;
	/* "spring(x: f64[n], k: f64) -> f64[n]"; a size of a result may be an argument, "first(x: f64[n], k:
	 * i64) -> f64[k]" */
	const char *signature;
	por_kernel kernel;
	void *user;                                     /* must outlive every program that uses it */
	/* ELEMENTWISE: arguments and the result have one shape, and an element is made of those at its place:
	 * what is mapped along an axis is one call where the signature takes any shape, "f(x: f64[..s]) ->
	 * f64[..s]".
	 * ONE_THREAD: never two calls at a time.  NOT_PURE, too, runs once for equal arguments in a
	 * program. */
	unsigned flags;
	/* For por_export_c: C that defines static int NAME(void *const *arrays, const int64_t *sizes):
	 * arguments, then results; the sizes of all their axes; 0: done.  It may include what it needs. */
	const char *c_text;
} por_custom;
/* Every file and expression of the graph sees it.  Define operators first, rules that name them after:
 * d(spring(x, k)) => ... gives its derivative.  Such rules are taken unchecked. */
POR_API int por_define(por_graph *, const por_custom *);
POR_API por_node *por_custom_call(por_graph *, const char *name, int n, por_node *const *args);

/* ---- effects ------------------------------------------------------------------------------------------- */

/* What happens besides the values: it is told to por_options.hear, or ends the call.  An effect is a node, a
 * token, which is given to the next one: effects happen in that order.  `after` NULL: before it there is
 * none.  A loop carries the token (por_loop_carry, por_loop_next), a branch gives that of the side taken
 * (por_if), and a function or program has it as its last result, which is no array: who leaves it out has no
 * effects. */
typedef enum por_effect_kind {
	POR_EFFECT_PRINT,                               /* the values, under their names */
	/* values[0] is a bool, names[0] its text; then as PRINT */
	POR_EFFECT_ASSERT,
	/* all elements are finite; names[0] is said of them */
	POR_EFFECT_CHECK
} por_effect_kind;
POR_API por_node *por_do(por_node *after, int kind, int n, const char *const *names,
                         por_node *const *values);
/* The token before all effects: what a loop carries first, or a side gives that has none.  It is of no dtype
 * (POR_NO_DTYPE, rank -1), and equal in all the graph.  NULL: no memory, or the graph has an error. */
POR_API por_node *por_no_effect(por_graph *);
/* As por_invoke, of a function that has effects: they happen after those of that token, or as the first where
 * it is NULL.  The last of what it gives is the token behind them; it is a tuple, or where the function has
 * no results the token alone.  Of a function without effects it is por_invoke. */
POR_API por_node *por_invoke_after(por_node *after, por_function *f, int n, por_node *const *args);
/* 1: its last result is a token, which por_function_outputs does not count; else, and of NULL, 0.  It says
 * what is written: an effect that is never reached counts, those of a node that no result hangs on do not. */
POR_API int por_has_effects(const por_function *);

/* ---- compiling ----------------------------------------------------------------------------------------- */

typedef enum por_tier {
	/* interpreted at once; native code is compiled beside when calls have worked enough, or por_wait
	 * asks, and taken when it is ready; from the cache at once */
	POR_TIER_BACKGROUND,
	POR_TIER_INTERPRET,                             /* never a thread or child process for compiling */
	POR_TIER_NATIVE,                                /* native when por_compile returns, or an error */
	POR_TIER_CACHED,                                /* native if the cache has it, else interpreted */
	POR_TIER_REFERENCE                              /* the slow, simple evaluator: the oracle; */
	                                                /* complex numbers run on it alone */
} por_tier;

/* An effect of a call.  Who hears of it may not call the program again on the same frame; the arrays are
 * compact and live until it returns. */
typedef struct por_effect {
	int32_t kind;                                   /* por_effect_kind */
	const char *text;                               /* asserted or checked, as it is written */
	const char *file;
	int32_t line;
	int32_t npass;                                  /* loops around it, from the outermost */
	const int64_t *pass;                            /* the pass that each is in */
	int32_t n;
	const char *const *name;                        /* "p.w"; "" where there is none */
	const por_array *value;                         /* of an assertion the condition first */
} por_effect;
typedef int (*por_hear)(void *user, const por_effect *);        /* not 0: the call ends */

typedef void (*por_task)(void *argument, int64_t i);
typedef struct por_options {
	size_t size;
	int32_t tier;                                   /* por_tier */
	int32_t threads;                                /* at most; 0: as many as there are cores */
	uint32_t laws;                                  /* POR_LAW_...; 0: exact and real */
	int32_t no_rules;                               /* nothing but the lowering */
	const char *rules_off;                          /* "mul_one, folds, +sum_neg", see docs/rules.md */
	const char *target;  /* "baseline", "avx2", "avx512"; NULL: this machine's best */
	const char *cache;                              /* folder; NULL: the user's; "": none */
	const char *compiler;                           /* NULL: $CC, cc, gcc, clang */
	double compile_seconds;                         /* limit of one run of the compiler; 0: 60 */
	uint64_t memory_cap;  /* bytes of a call's workspace, past which it fails; 0: none */
	int32_t donate;  /* so many first results go to the arguments at their places, see por_call */
	int32_t facts_unchecked;                        /* promises about inputs are not checked at calls */
	/* for por_explain(p, "calls", "rules", "stages"); 2: for "graphs.json" and por_page, too */
	int32_t keep_stages;
	int32_t profile;  /* each step is timed, for por_explain(p, "profile") */
	/* task(argument, 0) ... task(argument, n - 1), each once, done when it returns; NULL: Porism's
	 * threads. */
	void (*parallel_for)(void *user, int64_t n, por_task task, void *argument);
	void *parallel_user;
	/* before each; not 0: POR_ERR_CANCELLED */
	int (*progress)(void *user, const char *stage, double done);
	void *progress_user;
	int32_t alternate;                              /* tests: change the tier after so many steps */
	double call_seconds;                            /* limit of a call, see por_frame_limit; 0: none */
	/* Hears of all that is printed, and of assertions and checks that do not hold, in order, on the
	 * caller's thread; NULL: nobody.  The library itself prints nothing. */
	por_hear hear;
	void *hear_user;                                /* must outlive the program */
	/* Where a NaN or an infinity arises (of operands that have none), the call ends with an error that
	 * names line, pass, operator and operands; in a derivative, the line that it is the derivative of.
	 * On the reference tier, whatever `tier` says. */
	int32_t check_finite;
	/* So many applications of rules, as por_explain(p, "rules") lists them, and then none; 0: all. */
	int64_t most_applications;
} por_options;

/* The function after a stage of the pipeline: "written", "merge", "map", "algebra", "stable", "remerge",
 * "lower". */
POR_API por_function *por_optimise(por_function *, const por_options *, const char *until);
POR_API por_program *por_compile(por_graph *, int nin, por_node *const *in, int nout, por_node *const *out,
                                 const por_options *);
POR_API por_program *por_compile_function(por_function *, const por_options *);
POR_API void por_program_free(por_program *);
/* of the last failed call without a frame, explain, ... */
POR_API const por_error *por_program_error(const por_program *);
POR_API int por_program_inputs(const por_program *);
POR_API int por_program_outputs(const por_program *);
POR_API const char *por_program_input(const por_program *, int i);      /* "X: f64[m, n]" */
POR_API const char *por_program_output(const por_program *, int i);     /* ": f64[n]", or with its path */
/* its dtype and how many axes it has (rank may be NULL); POR_NO_DTYPE: there is none */
POR_API int por_program_input_type(const por_program *, int i, int *rank);
POR_API int por_program_output_type(const por_program *, int i, int *rank);
POR_API int por_program_tier(por_program *);  /* that would run now: INTERPRET, NATIVE, REFERENCE */
POR_API int por_wait(por_program *, double seconds);            /* 0: native now; seconds below 0: no limit */
/* "calls" (which stay functions, and why), "rules", "stages", "stage:NAME" (those of por_optimise;
 * "groups", "kernels", "plan", "code"), "kernels", "plan", "memory", "c", "profile", "log"; as JSON
 * "rules.json", "stages.json", "graphs.json", "arrays.json", "profile.json"; of the others
 * {"what": "plan", "text": ...}. */
POR_API char *por_explain(por_program *, const char *what);
/* A page of HTML that needs nothing else, no network: the graphs that the stages left, the rules applied step
 * by step, the plan, and, after calls of a program with the option profile, times against what this machine
 * does at its best, measured then.  It opens with the graph of this stage (NULL: stable).  n texts of the
 * user's stand beside it, by the names that messages have for their files.  To be given to por_text_free.
 * NULL with POR_ERR_VALUE where the option keep_stages was not 2, with POR_ERR_MEMORY. */
POR_API char *por_page(por_program *, const char *title, const char *stage, int n, const char *const *file,
                       const char *const *text);
/* C that needs no Porism, or its header.  Fields of records are parameters in the order in which they were
 * written. */
POR_API char *por_export_c(por_program *, const char *name, int header);
/* The same call by the reference evaluator, interpreted, and native for every target of this machine: 0 if
 * all bits agree; report (may be NULL) has a line for each. */
POR_API int por_check_function(por_function *, const por_options *, int nin, const por_array *in,
                               char **report);

/* ---- calling ------------------------------------------------------------------------------------------- */

POR_API por_frame *por_frame_new(por_program *);
POR_API void por_frame_free(por_frame *);
/* on: the call that is under way on it ends soon with POR_ERR_CANCELLED, and later ones do at once, until it
 * is off (0) again.  From any thread, and from a handler of signals. */
POR_API void por_frame_cancel(por_frame *, int on);
/* What a call on it may take in seconds, a por_call_many in all; 0: any time.  Past it POR_ERR_LIMIT.  New
 * frames have por_options.call_seconds.
 *
 * Both are asked between steps, passes of loops, and pieces of large steps: a call ends some milliseconds
 * later, but for what cannot be cut, as kernels of the user's and the decomposition of one matrix.  The
 * results' memory then holds anything.  The frame and the program go on. */
POR_API int por_frame_limit(por_frame *, double seconds);
/* After it, calls with arguments of these shapes do not allocate; what does not fit is the error that such a
 * call has.  The last results go. */
POR_API int por_frame_reserve(por_frame *, int nin, const por_array *in);
/* The axes of result i and their sizes (room for 16), as a call with the arguments of the last call or
 * reserve has them; -1: that depends on what is computed, or there was none. */
POR_API int por_frame_shape(por_frame *, int i, int64_t *sizes);
/* What such a call costs, in additions of an element or so; -1: the values decide (loops, sizes that are
 * data, operators of the user's), or there was none. */
POR_API int64_t por_frame_work(por_frame *);
POR_API const por_array *por_frame_result(por_frame *, int i);  /* of the last call; valid until the next */
POR_API const por_error *por_frame_error(const por_frame *);    /* of the last call; never NULL */
/* out[j].data NULL (its other fields are not read), or nout 0: the result lies in the frame.  A NULL frame is
 * borrowed from the program; then every result needs memory.  Arguments may have any strides; of a result
 * with strides no element may lie on another, and no result on another.  Gives 0 or a code.
 *
 * With the option donate the first results go to the memory of the arguments at their places when the call is
 * done, where `out` has no memory for them; the sizes must agree.  A call that fails changes no argument:
 * from the first step on that writes over one, it cannot be cancelled. */
POR_API int por_call(por_program *, por_frame *, int nin, const por_array *in, int nout,
                     const por_array *out);
/* Of call number c, argument i begins in_step[i]*c bytes behind in[i], result j out_step[j]*c bytes behind
 * out[j]. */
typedef struct por_calls {
	int nin;
	const por_array *in;
	const int64_t *in_step;
	int nout;
	const por_array *out;
	const int64_t *out_step;
} por_calls;
/* n calls.  Where arrays are compact, nothing is promised of arguments and no result meets them, all is
 * checked once. */
POR_API int por_call_many(por_program *, por_frame *, int64_t n, const por_calls *);
/* The bare native function, compiled when it is first asked for (NULL: none, see por_program_error): no
 * checks, nothing allocated, one thread; arrays are compact and aligned, arguments before results, which meet
 * nothing else; its workspace has por_program_workspace bytes, each call's own.  Gives 0; 1: the sizes do not
 * fit; 2: an index is outside its axis; 3: a custom operator failed.  `sizes` has por_program_sizes numbers:
 * "n", "m", then the arguments whose values are sizes (the function itself reads those from the arrays) and,
 * of each size that is computed, the most that it may be: results of such sizes have room for the largest. */
typedef int (*por_entry)(void *const *arrays, const int64_t *sizes, void *workspace);
POR_API por_entry por_program_entry(por_program *);
POR_API int64_t por_program_workspace(por_program *, const int64_t *sizes);     /* -1: they do not fit */
POR_API int por_program_sizes(const por_program *);
POR_API const char *por_program_size(const por_program *, int i);               /* "n" */

/* ---- the cache of native code -------------------------------------------------------------------------- */

typedef struct por_cache { int64_t entries, bytes; char folder[1024]; } por_cache;
POR_API int por_cache_stat(const char *folder, por_cache *);    /* folder NULL: the user's */
POR_API char *por_cache_list(const char *folder);  /* a line each: name, bytes, seconds since its last use */
POR_API int por_cache_clear(const char *folder);
/* of the compiler (NULL: the default's); "": there is none */
POR_API char *por_compiler_path(const char *command);

/* ---- operators ----------------------------------------------------------------------------------------- */

/* Operands are promoted and broadcast as NumPy would; axes may be negative.  Each constructor has a twin
 * with the user's line, por_exp_at(x, "model.c:31"), which a macro of the plain name calls; POR_NO_LINES
 * leaves that out. */
#define POR_ALL INT32_MIN                                       /* as an axis: all of them */

POR_API por_node *por_turn(por_node *x);                        /* x.T: the last two axes turned */
POR_API por_node *por_broadcast_to(por_node *x, int rank, const por_size *sizes);
POR_API por_node *por_squeeze(por_node *x, int n, const int *axes);
POR_API por_node *por_unsqueeze(por_node *x, int n, const int *axes);   /* axes of the result, of size 1 */
POR_API por_node *por_at_index(por_node *x, por_node *i);       /* x[i], of the first axis */
/* The function `name` of the library with brackets and operands, as por_parse: por_library(g,
 * "softmax[0]", 1, &x). */
POR_API por_node *por_library(por_graph *, const char *name, int n, por_node *const *args);

/* por_add(x, y), por_exp(x), por_sum(x, axis), ...: a constructor for each operator, made from their
 * table. */
#include "porism_operators.h"

/* The twins of what is no constructor of one operator: `where` ("model.c:31", or NULL) stands for por_at's
 * line in the error of this call, and in the nodes that it makes.  Their macros, too, are left out by
 * POR_NO_LINES. */
POR_API por_function *por_function_of_at(por_graph *g, const char *name, int n,
        por_node *const *params, int nresults, por_node *const *results, const char *where);
POR_API por_node *por_invoke_at(por_function *f, int n, por_node *const *args, const char *where);
POR_API por_function *por_vmap_at(por_function *f, int n, const int *axes, const char *where);
POR_API por_function *por_bind_at(por_function *f, int n, const char *const *paths,
        por_node *const *values, const char *where);
POR_API int por_grad_at(por_node *y, int n, por_node *const *x, por_node **d, const char *where);
POR_API int por_jvp_at(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v,
        por_node **dy, const char *where);
POR_API int por_vjp_at(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u,
        por_node **dx, const char *where);
POR_API por_node *por_jacobian_at(por_node *y, por_node *x, int forward, const char *where);
POR_API por_node *por_hessian_at(por_node *y, por_node *x, const char *where);
POR_API int por_sparse_jacobian_at(por_node *y, por_node *x, por_node **out, const char *where);
POR_API int por_sparse_hessian_at(por_node *y, por_node *x, por_node **out, const char *where);
POR_API por_node *por_if_at(por_node *condition, por_node *yes, por_node *no, const char *where);
POR_API int por_if_all_at(por_node *condition, int n, por_node *const *yes, por_node *const *no,
                          por_node **out, const char *where);
POR_API int por_loop_while_at(por_loop *l, por_node *condition, const char *where);
POR_API int por_loop_while_after_at(por_loop *l, por_node *condition, por_node *after,
        const char *where);
POR_API por_node *por_do_at(por_node *after, int kind, int n, const char *const *names,
        por_node *const *values, const char *where);
POR_API por_node *por_invoke_after_at(por_node *after, por_function *f, int n, por_node *const *args,
                                      const char *where);
POR_API por_loop *por_loop_open_at(por_graph *g, por_node *steps, int back, const char *where);
POR_API por_node *por_loop_each_at(por_loop *l, por_node *xs, const char *where);
POR_API por_node *por_loop_carry_at(por_loop *l, por_node *first, const char *where);
POR_API int por_loop_next_at(por_loop *l, por_node *carried, por_node *next, const char *where);
POR_API int por_loop_stack_at(por_loop *l, por_node *x, const char *where);
POR_API int por_loop_close_at(por_loop *l, const char *where);
POR_API por_node *por_loop_last_at(por_loop *l, por_node *carried, const char *where);
POR_API por_node *por_loop_stacked_at(por_loop *l, int number, const char *where);
POR_API int por_substitute_at(int n, por_node *const *roots, int m, por_node *const *from,
        por_node *const *to, por_node **out, const char *where);
POR_API int por_simplify_at(int n, por_node **roots, const char *stages, const char *where);
POR_API por_node *por_rebuild_at(por_node *x, int nargs, por_node *const *args, const char *where);
POR_API por_node *por_parse_at(por_graph *g, const char *text, int n, const char *const *names,
        por_node *const *nodes, const char *where);
POR_API por_node *por_library_at(por_graph *g, const char *name, int n, por_node *const *args,
        const char *where);
POR_API por_type *por_type_parse_at(por_graph *g, const char *text, const char *where);
POR_API por_node *por_input_typed_at(por_graph *g, const char *name, const por_type *type,
        const char *where);
POR_API por_node *por_constant_at(por_graph *g, const char *type, double value, const char *where);
POR_API por_node *por_constant_array_at(por_graph *g, const por_array *a, const char *where);
POR_API por_function *por_function_named_at(por_module *m, const char *name, int n,
        const por_given *given, const char *where);
POR_API por_function *por_function_expression_at(por_graph *g, por_module *m, const char *text,
        int n, const por_given *given, const char *where);
POR_API por_function *por_optimise_at(por_function *f, const por_options *options,
        const char *until, const char *where);
POR_API por_program *por_compile_at(por_graph *g, int nin, por_node *const *in, int nout,
        por_node *const *out, const por_options *options, const char *where);
POR_API por_program *por_compile_function_at(por_function *f, const por_options *options,
        const char *where);
POR_API int por_rule_call_at(por_graph *g, const char *pattern, unsigned law, por_rewrite fn,
        void *user, const char *where);
POR_API int por_define_at(por_graph *g, const por_custom *custom, const char *where);
POR_API por_node *por_custom_call_at(por_graph *g, const char *name, int n, por_node *const *args,
        const char *where);
POR_API por_node *por_turn_at(por_node *x, const char *where);
POR_API por_node *por_broadcast_to_at(por_node *x, int rank, const por_size *sizes,
        const char *where);
POR_API por_node *por_squeeze_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_unsqueeze_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_at_index_at(por_node *x, por_node *i, const char *where);

#define POR_STRING_(x) #x
#define POR_STRING(x) POR_STRING_(x)
#define POR_HERE __FILE__ ":" POR_STRING(__LINE__)

#ifndef POR_NO_LINES
#define por_function_of(...) por_function_of_at(__VA_ARGS__, POR_HERE)
#define por_invoke(...) por_invoke_at(__VA_ARGS__, POR_HERE)
#define por_vmap(...) por_vmap_at(__VA_ARGS__, POR_HERE)
#define por_bind(...) por_bind_at(__VA_ARGS__, POR_HERE)
#define por_grad(...) por_grad_at(__VA_ARGS__, POR_HERE)
#define por_jvp(...) por_jvp_at(__VA_ARGS__, POR_HERE)
#define por_vjp(...) por_vjp_at(__VA_ARGS__, POR_HERE)
#define por_jacobian(...) por_jacobian_at(__VA_ARGS__, POR_HERE)
#define por_hessian(...) por_hessian_at(__VA_ARGS__, POR_HERE)
#define por_sparse_jacobian(...) por_sparse_jacobian_at(__VA_ARGS__, POR_HERE)
#define por_sparse_hessian(...) por_sparse_hessian_at(__VA_ARGS__, POR_HERE)
#define por_if(...) por_if_at(__VA_ARGS__, POR_HERE)
#define por_if_all(...) por_if_all_at(__VA_ARGS__, POR_HERE)
#define por_loop_while(...) por_loop_while_at(__VA_ARGS__, POR_HERE)
#define por_loop_while_after(...) por_loop_while_after_at(__VA_ARGS__, POR_HERE)
#define por_do(...) por_do_at(__VA_ARGS__, POR_HERE)
#define por_invoke_after(...) por_invoke_after_at(__VA_ARGS__, POR_HERE)
#define por_loop_open(...) por_loop_open_at(__VA_ARGS__, POR_HERE)
#define por_loop_each(...) por_loop_each_at(__VA_ARGS__, POR_HERE)
#define por_loop_carry(...) por_loop_carry_at(__VA_ARGS__, POR_HERE)
#define por_loop_next(...) por_loop_next_at(__VA_ARGS__, POR_HERE)
#define por_loop_stack(...) por_loop_stack_at(__VA_ARGS__, POR_HERE)
#define por_loop_close(...) por_loop_close_at(__VA_ARGS__, POR_HERE)
#define por_loop_last(...) por_loop_last_at(__VA_ARGS__, POR_HERE)
#define por_loop_stacked(...) por_loop_stacked_at(__VA_ARGS__, POR_HERE)
#define por_substitute(...) por_substitute_at(__VA_ARGS__, POR_HERE)
#define por_simplify(...) por_simplify_at(__VA_ARGS__, POR_HERE)
#define por_rebuild(...) por_rebuild_at(__VA_ARGS__, POR_HERE)
#define por_parse(...) por_parse_at(__VA_ARGS__, POR_HERE)
#define por_library(...) por_library_at(__VA_ARGS__, POR_HERE)
#define por_type_parse(...) por_type_parse_at(__VA_ARGS__, POR_HERE)
#define por_input_typed(...) por_input_typed_at(__VA_ARGS__, POR_HERE)
#define por_constant(...) por_constant_at(__VA_ARGS__, POR_HERE)
#define por_constant_array(...) por_constant_array_at(__VA_ARGS__, POR_HERE)
#define por_function_named(...) por_function_named_at(__VA_ARGS__, POR_HERE)
#define por_function_expression(...) por_function_expression_at(__VA_ARGS__, POR_HERE)
#define por_optimise(...) por_optimise_at(__VA_ARGS__, POR_HERE)
#define por_compile(...) por_compile_at(__VA_ARGS__, POR_HERE)
#define por_compile_function(...) por_compile_function_at(__VA_ARGS__, POR_HERE)
#define por_rule_call(...) por_rule_call_at(__VA_ARGS__, POR_HERE)
#define por_define(...) por_define_at(__VA_ARGS__, POR_HERE)
#define por_custom_call(...) por_custom_call_at(__VA_ARGS__, POR_HERE)
#define por_turn(...) por_turn_at(__VA_ARGS__, POR_HERE)
#define por_broadcast_to(...) por_broadcast_to_at(__VA_ARGS__, POR_HERE)
#define por_squeeze(...) por_squeeze_at(__VA_ARGS__, POR_HERE)
#define por_unsqueeze(...) por_unsqueeze_at(__VA_ARGS__, POR_HERE)
#define por_at_index(...) por_at_index_at(__VA_ARGS__, POR_HERE)
#endif

#ifdef __cplusplus
}
#endif

#endif
