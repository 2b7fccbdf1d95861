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
 * Errors.  The first error sticks to the graph; whatever is given NULL gives NULL (POR_NO_SIZE, "" where a
 * `const char *` is given, or the code POR_ERR_VALUE where an int is given), so a single check at the end is enough.  Nothing here aborts, exits
 * or prints, memory that has run out included.  Functions that give an int for success give 0, otherwise a
 * POR_ERR_ code.  Structs whose first field is `size` take sizeof that struct; fields that are 0 have their
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
typedef struct por_future por_future;
typedef struct por_array por_array;

/* ---- errors -------------------------------------------------------------------------------------------- */

typedef enum por_code {
	POR_OK, POR_ERR_MEMORY, POR_ERR_SYNTAX, POR_ERR_TYPE, POR_ERR_NAME, POR_ERR_VALUE, POR_ERR_UNSUPPORTED,
	POR_ERR_DERIVATIVE, POR_ERR_RULE, POR_ERR_FILE, POR_ERR_COMPILER, POR_ERR_CALL, POR_ERR_INTERNAL
} por_code;

typedef struct por_error {                                      /* 1 KiB, frozen */
	int32_t code;                                           /* por_code; POR_OK: no error */
	int32_t line, column;                                   /* from 1; 0: unknown */
	int32_t argument;                                       /* of a call, from 1; 0: none of them */
	char file[240];
	char text[768];                                         /* one sentence */
} por_error;

POR_API const por_error *por_graph_error(const por_graph *);    /* never NULL */
POR_API void por_clear_error(por_graph *);                      /* go on after an error */
/* file:line:column: text; with the `source` of the file (or NULL) also the line itself and a mark. */
POR_API char *por_error_show(const por_error *, const char *source);
POR_API void por_text_free(char *);

/* ---- contexts and graphs ------------------------------------------------------------------------------- */

/* A module that `use NAME` asks for and that the library does not have. */
typedef struct por_source {
	size_t size;                                            /* of this struct, as the library has it */
	const char *name;                                       /* asked for: a plain name, never a path */
	const char *from;                                       /* the file that uses it, by its name in messages */
	/* To be set.  They are borrowed: until the next `load`, or the end of por_load. */
	const char *file;                                       /* its name in messages, also where there is none; */
	                                                        /* equal texts are one file, which is read once */
	const char *text;
	int64_t n;                                              /* bytes; -1, as it is set: up to the 0 */
	const char *why;                                        /* why there is no text: "cannot be read: ..." */
} por_source;

typedef struct por_context_options {
	size_t size;
	void *(*alloc)(void *user, size_t size, size_t align);  /* NULL: malloc and free; both are set or neither */
	void (*free)(void *user, void *p, size_t size, size_t align);
	void *user;
	/* What is worth knowing, once: "interpreted, because ...".  From any thread, the compiler's too. */
	void (*log)(void *user, const char *line);
	/* Finds the text of a module for por_load and por_module_add: 0, else a POR_ERR_ code.  It must not call
	 * their graph.  NULL: modules of the library alone; the library opens no file for `use`. */
	int (*load)(void *user, por_source *);
} por_context_options;

/* NULL: defaults; gives NULL: no memory */
POR_API por_context *por_context_new(const por_context_options *);
POR_API void por_context_free(por_context *);
POR_API por_graph *por_open(por_context *);                     /* NULL: a context of its own */
POR_API void por_close(por_graph *);
/* The user's line for what has no `_at` of its own, from now on; NULL: none.  "file" or "file:line". */
POR_API void por_at(por_graph *, const char *where);

/* ---- dtypes, sizes, types ------------------------------------------------------------------------------ */

typedef enum por_dtype {
	POR_NO_DTYPE, POR_BOOL, POR_I8, POR_I16, POR_I32, POR_I64, POR_U8, POR_U16, POR_U32, POR_U64,
	POR_F16, POR_BF16, POR_F32, POR_F64, POR_C64, POR_C128, POR_KEY
} por_dtype;
POR_API const char *por_dtype_name(int dtype);                  /* "f64"; "" of no dtype */
POR_API int por_dtype_named(const char *name);                  /* POR_NO_DTYPE: there is none */
POR_API size_t por_dtype_bytes(int dtype);                      /* of an element; bool 1, key 16 */

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
POR_API por_node *por_constant(por_graph *, const char *type, double value);    /* "f32[m, n]", all equal */
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
	int64_t *strides;                                       /* in elements; NULL: compact, row order */
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
 * nodes).  Names that are not bound must be of the library. */
POR_API por_node *por_parse(por_graph *, const char *text, int n, const char *const *names,
                            por_node *const *nodes);
POR_API char *por_print(int n, por_node *const *);              /* as one expression over their inputs */
enum { POR_PRINT_NOTES = 1, POR_PRINT_ONE_LINE = 2 };  /* types and lines as comments; the results alone */
POR_API char *por_print_function(por_function *, int flags);    /* a definition */
POR_API char *por_print_dot(por_function *);    /* its graph, for Graphviz; of a large one what is next to the results */

/* A file of the notation; `file` names it in messages; n bytes, or -1: up to the 0.  Its books join the
 * graph's rules, after those of the modules that it uses (por_context_options.load).  NULL text: a module
 * with nothing but the prelude. */
POR_API por_module *por_load(por_graph *, const char *text, int64_t n, const char *file);
POR_API int por_module_add(por_module *, const char *text, const char *file);   /* more declarations */
POR_API int por_module_count(const por_module *);               /* declarations, in order of the file */
POR_API const char *por_module_kind(const por_module *, int i); /* "fn", "op", "type", "let", "book", "use" */
POR_API const char *por_module_name(const por_module *, int i);
POR_API const char *por_module_doc(const por_module *, int i);  /* the comment above it, or "" */
POR_API int por_module_line(const por_module *, int i);
POR_API char *por_module_text(const por_module *, int i);       /* the declaration, printed */

/* Parameters as they are declared, of a fn, an op, or a function in a `let` ("train.minimise"): nothing is
 * elaborated that needs their types.  Bracket parameters come first. */
typedef struct por_param {
	const char *name;
	const char *type;                                       /* "params[n]"; "" where none is written */
	const char *fallback;                                   /* the default as written, or "" */
	const char *fact;                                       /* "0 <= x < 1", or "" */
	int32_t bracket;
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
	const por_type *type;                                   /* of a value that is there; or NULL */
	const char *declared;                                   /* "y: f64[m] if y >= 0"; or NULL */
	por_node *value;                                        /* a constant known while building; or NULL */
} por_given;

/* A top-level fn or op as a closed function, or a function in a `let` ("train.minimise"). */
POR_API por_function *por_function_named(por_module *, const char *name, int n, const por_given *);
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
/* rewritten by these alone: POR_LAW_EXACT */
POR_API por_function *por_with_laws(por_function *, unsigned laws);
POR_API por_function *por_checkpoint(por_function *);                   /* recomputed in reverse sweeps */
/* Leaves by path that take a constant and are no inputs any more; of a parameter all leaves or none. */
POR_API por_function *por_bind(por_function *, int n, const char *const *paths, por_node *const *values);
/* bit i: parameter i has a new first axis */
POR_API por_function *por_vmap(por_function *, unsigned params);
POR_API por_node *por_if(por_node *condition, por_node *yes, por_node *no);     /* only the side taken runs */

/* Signatures.  Parameters and results may be structures; arrays are their leaves, which lie in the order
 * of the names' code points; a leaf's path is "p.w", "layers.0.w", or "" of a result that is one array. */
typedef struct por_leaf {
	const char *path;
	por_type *type;
	int32_t param;                                          /* of an input: the parameter it belongs to */
	int32_t integer;                                        /* promised: whole numbers */
	double low, high;                                       /* promised: low <= x <= high; infinite: nothing */
	int32_t above_low, below_high;                          /* strictly */
	por_node *fallback;                                     /* the default, a constant; or NULL */
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

/* By nodes of the graph: only paths through x count; a variable that is not reached gives zeros. */
POR_API int por_grad(por_node *y, int n, por_node *const *x, por_node **d);     /* of a real scalar y */
POR_API int por_jvp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v,
                    por_node **dy);
POR_API int por_vjp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u,
                    por_node **dx);
POR_API por_node *por_jacobian(por_node *y, por_node *x, int forward);  /* sizes of y, then those of x */
POR_API por_node *por_hessian(por_node *y, por_node *x);        /* of a real scalar y: sizes of x twice */

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
POR_API int por_loop_while(por_loop *, por_node *condition);
POR_API int por_loop_stack(por_loop *, por_node *x);            /* its number; -1: an error */
POR_API int por_loop_close(por_loop *);
POR_API por_node *por_loop_last(por_loop *, por_node *carried);
POR_API por_node *por_loop_stacked(por_loop *, int number);     /* a new first axis */

/* ---- walking and editing ------------------------------------------------------------------------------- */

typedef enum por_attribute_kind {
	POR_ATTR_INT, POR_ATTR_SIZE, POR_ATTR_DTYPE, POR_ATTR_NAME, POR_ATTR_DATA, POR_ATTR_FUNCTION, POR_ATTR_CUSTOM
} por_attribute_kind;
typedef struct por_attribute {
	int32_t kind;
	int32_t dtype;
	int64_t integer;
	por_size size;
	const char *name;                                       /* DATA: NULL, see por_node_constant */
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

/* "log1p: log(1 + x) => log1p(x)  real", for book `stage` ("algebra" if NULL); checked when it is added. */
POR_API int por_rule(por_graph *, const char *text, const char *stage);
/* For what patterns cannot say: `fn` gives the replacement of a node of the book algebra that `pattern`
 * ("exp(x)", "name: exp(x)") matches, of its type, or NULL to leave it.  `variables` are in order of the
 * pattern.  It builds nodes and asks about them, and does nothing else with the graph; its law is taken on
 * trust. */
typedef por_node *(*por_rewrite)(void *user, por_node *matched, int n, por_node *const *variables);
POR_API int por_rule_call(por_graph *, const char *pattern, unsigned law, por_rewrite fn, void *user);
typedef struct por_rule_info {
	const char *name, *book, *stage, *text, *file;
	int32_t line;
	uint32_t law;
	uint64_t tried, fired, refused;
} por_rule_info;
POR_API int por_rule_count(por_graph *);
POR_API int por_rule_at(por_graph *, int i, por_rule_info *);
/* 0: it holds; report may be NULL */
POR_API int por_rule_check(por_graph *, int i, uint64_t seed, char **report);

enum { POR_ELEMENTWISE = 1, POR_ONE_THREAD = 2, POR_NOT_PURE = 4 };
/* 0: done; else the call fails.  Arrays are compact; their number and dtypes are the signature's. */
typedef int (*por_kernel)(void *user, int nin, const por_array *in, int nout, const por_array *out);
typedef struct por_custom {
	size_t size;
	const char *signature;                                  /* "spring(x: f64[n], k: f64) -> f64[n]" */
	por_kernel kernel;
	void *user;                                             /* must outlive every program that uses it */
	/* ONE_THREAD: never two calls at a time.  NOT_PURE, too, runs once for equal arguments in a program. */
	unsigned flags;
	/* For por_export_c: C that defines static int NAME(void *const *arrays, const int64_t *sizes):
	 * arguments, then results; the sizes of all their axes; 0: done.  It may include what it needs. */
	const char *c_text;
} por_custom;
/* Every file and expression of the graph sees it.  Define operators first, rules that name them after:
 * d(spring(x, k)) => ... gives its derivative.  Such rules are taken unchecked. */
POR_API int por_define(por_graph *, const por_custom *);
POR_API por_node *por_custom_call(por_graph *, const char *name, int n, por_node *const *args);

/* ---- compiling ----------------------------------------------------------------------------------------- */

typedef enum por_tier {
	POR_TIER_BACKGROUND,                                    /* interpreted at once, native when it is ready */
	POR_TIER_INTERPRET,                                     /* never a thread or child process for compiling */
	POR_TIER_NATIVE,                                        /* native when por_compile returns */
	POR_TIER_CACHED,                                        /* native if the cache has it, else interpreted */
	POR_TIER_REFERENCE                                      /* the slow, simple evaluator: the oracle */
} por_tier;

typedef void (*por_task)(void *argument, int64_t i);
typedef struct por_options {
	size_t size;
	int32_t tier;                                           /* por_tier */
	int32_t threads;                                        /* at most; 0: as many as there are cores */
	uint32_t laws;                                          /* POR_LAW_...; 0: exact and real */
	int32_t no_rules;                                       /* nothing but the lowering */
	const char *rules_off;                                  /* "mul_one, log_exp": these are not used */
	const char *target;  /* "baseline", "avx2", "avx512"; NULL: this machine's best */
	const char *cache;                                      /* folder; NULL: the user's; "": none */
	const char *compiler;                                   /* NULL: $CC, cc, gcc, clang */
	double compile_seconds;                                 /* limit of one run of the compiler; 0: 60 */
	uint64_t memory_cap;  /* bytes of a call's workspace, past which it fails; 0: none */
	int32_t donate;  /* so many first results go to the arguments at their places, see por_call */
	int32_t facts_unchecked;                                /* promises about inputs are not checked at calls */
	int32_t keep_stages;                                    /* for por_explain(p, "rules" or "stages") */
	int32_t profile;  /* each step is timed, for por_explain(p, "profile") */
	/* task(argument, 0) ... task(argument, n - 1), each once, done when it returns; NULL: Porism's threads. */
	void (*parallel_for)(void *user, int64_t n, por_task task, void *argument);
	void *parallel_user;
	int (*progress)(void *user, const char *stage, double done);    /* not 0: cancel */
	void *progress_user;
	int32_t alternate;                                      /* tests: change the tier after so many steps */
} por_options;

/* The function after a stage of the pipeline: "written", "merge", "algebra", "stable", "remerge", "lower". */
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
POR_API int por_program_tier(por_program *);  /* that would run now: INTERPRET, NATIVE, REFERENCE */
POR_API int por_wait(por_program *, double seconds);            /* 0: native now; seconds below 0: no limit */
/* "rules", "stages", "stage:NAME", "kernels", "plan", "memory", "c", "profile", "log"; as JSON
 * "rules.json", "stages.json", "profile.json". */
POR_API char *por_explain(por_program *, const char *what);
/* C that needs no Porism, or its header */
POR_API char *por_export_c(por_program *, const char *name, int header);
/* The same call by the reference evaluator, interpreted, and native for every target of this machine: 0 if
 * all bits agree; report (may be NULL) has a line for each. */
POR_API int por_check_function(por_function *, const por_options *, int nin, const por_array *in,
                               char **report);

/* ---- calling ------------------------------------------------------------------------------------------- */

POR_API por_frame *por_frame_new(por_program *);
POR_API void por_frame_free(por_frame *);
/* after it, such calls do not allocate */
POR_API int por_frame_reserve(por_frame *, int nin, const por_array *in);
POR_API const por_array *por_frame_result(por_frame *, int i);  /* of the last call; valid until the next */
POR_API const por_error *por_frame_error(const por_frame *);    /* of the last call; never NULL */
/* out[j].data NULL (its other fields are not read), or nout 0: the result lies in the frame.  A NULL frame is
 * borrowed from the program; then every result needs memory.  Gives 0 or a code.
 *
 * With the option donate the first results go to the memory of the arguments at their places when the call is
 * done, where `out` has no memory for them; the sizes must agree.  A call that fails changes no argument. */
POR_API int por_call(por_program *, por_frame *, int nin, const por_array *in, int nout,
                     const por_array *out);
/* n calls; argument i begins at step[i]*call bytes, result j at out_step[j]*call bytes.  Where arrays are
 * compact, nothing is promised of arguments and no result meets them, all is checked once. */
POR_API int por_call_many(por_program *, por_frame *, int64_t n, int nin, const por_array *in,
                          const int64_t *step,
                          int nout, const por_array *out, const int64_t *out_step);
POR_API por_future *por_call_async(por_program *, por_frame *, int nin, const por_array *in, int nout,
                                   const por_array *out);
POR_API int por_future_wait(por_future *);                      /* gives what por_call gives, and frees it */
/* The bare native function, compiled when it is first asked for (NULL: none, see por_program_error): no
 * checks, nothing allocated, one thread; arrays are compact and aligned, arguments before results, which meet
 * nothing else; its workspace has por_program_workspace bytes, each call's own.  Gives 0; 1: the sizes do not
 * fit; 2: an index is outside its axis; 3: a custom operator failed.  `sizes` has por_program_sizes numbers:
 * "n", "m", then the arguments whose values are sizes (the function itself reads those from the arrays). */
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

/* generated by tools/make_header.py from src/ir/ops.h: begin */
typedef enum por_op {
	POR_OP_NONE, POR_OP_INPUT, POR_OP_PARAM, POR_OP_FRESH, POR_OP_CONST, POR_OP_SIZE, POR_OP_IOTA,
	POR_OP_ADD, POR_OP_SUB, POR_OP_MUL, POR_OP_DIV, POR_OP_FLOORDIV, POR_OP_MOD, POR_OP_POW, POR_OP_NEG,
	POR_OP_ABS, POR_OP_SIGN, POR_OP_MAXIMUM, POR_OP_MINIMUM, POR_OP_FMA, POR_OP_EQ, POR_OP_NE, POR_OP_LT,
	POR_OP_LE, POR_OP_GT, POR_OP_GE, POR_OP_AND, POR_OP_OR, POR_OP_NOT, POR_OP_BIT_AND, POR_OP_BIT_OR,
	POR_OP_BIT_XOR, POR_OP_BIT_NOT, POR_OP_SHIFT_LEFT, POR_OP_SHIFT_RIGHT, POR_OP_POPCOUNT, POR_OP_ISNAN,
	POR_OP_ISINF, POR_OP_ISFINITE, POR_OP_SIGNBIT, POR_OP_COPYSIGN, POR_OP_FLOOR, POR_OP_CEIL,
	POR_OP_ROUND, POR_OP_TRUNC, POR_OP_SQRT, POR_OP_CBRT, POR_OP_HYPOT, POR_OP_EXP, POR_OP_EXP2,
	POR_OP_EXPM1, POR_OP_LOG, POR_OP_LOG2, POR_OP_LOG10, POR_OP_LOG1P, POR_OP_LOG1MEXP, POR_OP_LOGADDEXP,
	POR_OP_SIGMOID, POR_OP_SOFTPLUS, POR_OP_LOGIT, POR_OP_SIN, POR_OP_COS, POR_OP_TAN, POR_OP_ASIN,
	POR_OP_ACOS, POR_OP_ATAN, POR_OP_ATAN2, POR_OP_SINH, POR_OP_COSH, POR_OP_TANH, POR_OP_ASINH,
	POR_OP_ACOSH, POR_OP_ATANH, POR_OP_ERF, POR_OP_ERFC, POR_OP_ERFINV, POR_OP_GAMMA, POR_OP_LGAMMA,
	POR_OP_DIGAMMA, POR_OP_POLYGAMMA, POR_OP_WHERE, POR_OP_CAST, POR_OP_BITCAST, POR_OP_STOP,
	POR_OP_COMPLEX, POR_OP_RE, POR_OP_IM, POR_OP_CONJ, POR_OP_SUM, POR_OP_PROD, POR_OP_MAX, POR_OP_MIN,
	POR_OP_ANY, POR_OP_ALL, POR_OP_ARGMAX, POR_OP_ARGMIN, POR_OP_LOGSUMEXP, POR_OP_CUMSUM,
	POR_OP_RESHAPE, POR_OP_TRANSPOSE, POR_OP_EXPAND, POR_OP_SLICE, POR_OP_FLIP, POR_OP_PAD,
	POR_OP_CONCAT, POR_OP_GATHER, POR_OP_SCATTER_ADD, POR_OP_SCATTER_SET, POR_OP_ONE_HOT, POR_OP_TOP_K,
	POR_OP_CONTRACT, POR_OP_QR, POR_OP_TRI_SOLVE, POR_OP_KEY, POR_OP_KEY_AT, POR_OP_UNIFORM,
	POR_OP_NORMAL, POR_OP_TUPLE, POR_OP_GET, POR_OP_CALL, POR_OP_SCAN, POR_OP_CUSTOM, POR_OP_TOKEN,
	POR_OP_ORDER, POR_OP_UNIFORM_OPEN, POR_OP_EXPONENTIAL, POR_OP_GAMMA_DRAW, POR_OP_EXP10, POR_OP_RSQRT,
	POR_OP_XLOGY, POR_OP_SINPI, POR_OP_COSPI, POR_OP_SINC, POR_OP_SILU, POR_OP_GELU, POR_OP_GELU_TANH,
	POR_OP_ERFCX, POR_OP_NDTR, POR_OP_LOG_NDTR, POR_OP_TRIGAMMA, POR_OP_LBETA, POR_OP_I0E, POR_OP_I1E
} por_op;

/* x + y; integers wrap */
POR_API por_node *por_add(por_node *x, por_node *y);
/* x - y; integers wrap */
POR_API por_node *por_sub(por_node *x, por_node *y);
/* x*y; integers wrap; complex by the plain formula */
POR_API por_node *por_mul(por_node *x, por_node *y);
/* x/y; of integers: both converted to f64; complex quotients are scaled */
POR_API por_node *por_div(por_node *x, por_node *y);
/* floor(x/y); integers: x//0 is 0; the quotient of the smallest integer and -1 wraps */
POR_API por_node *por_floordiv(por_node *x, por_node *y);
/* x - y*floor(x/y); sign of y; integers: x%0 is x */
POR_API por_node *por_mod(por_node *x, por_node *y);
/* x^y; integers: a negative power truncates (0 except of 1 and -1); x^0 = 1, also of NaN; negative x with a
 * fractional y is NaN */
POR_API por_node *por_pow(por_node *x, por_node *y);
/* -x; integers wrap */
POR_API por_node *por_neg(por_node *x);
/* |x|; of complex: the modulus, a real; the smallest integer stays */
POR_API por_node *por_abs(por_node *x);
/* -1, 0 or 1; sign(-0) is -0; NaN stays */
POR_API por_node *por_sign(por_node *x);
/* the larger of x and y; NaN if either is; max(-0, +0) is +0 in either order; a tie splits its gradient */
POR_API por_node *por_maximum(por_node *x, por_node *y);
/* the smaller of x and y; NaN if either is; min(-0, +0) is -0 in either order; a tie splits its gradient */
POR_API por_node *por_minimum(por_node *x, por_node *y);
/* x*y + z, rounded once */
POR_API por_node *por_fma(por_node *x, por_node *y, por_node *z);
/* x = y; false with NaN */
POR_API por_node *por_eq(por_node *x, por_node *y);
/* x and y differ; true with NaN */
POR_API por_node *por_ne(por_node *x, por_node *y);
/* x < y; false with NaN; bools: false < true */
POR_API por_node *por_lt(por_node *x, por_node *y);
/* x <= y; false with NaN */
POR_API por_node *por_le(por_node *x, por_node *y);
/* x > y; false with NaN */
POR_API por_node *por_gt(por_node *x, por_node *y);
/* x >= y; false with NaN */
POR_API por_node *por_ge(por_node *x, por_node *y);
/* x and y */
POR_API por_node *por_and(por_node *x, por_node *y);
/* x or y */
POR_API por_node *por_or(por_node *x, por_node *y);
/* not x */
POR_API por_node *por_not(por_node *x);
/* bits of both */
POR_API por_node *por_bit_and(por_node *x, por_node *y);
/* bits of either */
POR_API por_node *por_bit_or(por_node *x, por_node *y);
/* bits of one alone */
POR_API por_node *por_bit_xor(por_node *x, por_node *y);
/* all bits turned */
POR_API por_node *por_bit_not(por_node *x);
/* x*2^y; y below 0 or past the width gives 0 */
POR_API por_node *por_shift_left(por_node *x, por_node *y);
/* floor(x/2^y); y below 0 or past the width gives 0, or -1 of a negative x */
POR_API por_node *por_shift_right(por_node *x, por_node *y);
/* number of bits that are set */
POR_API por_node *por_popcount(por_node *x);
/* x is NaN */
POR_API por_node *por_isnan(por_node *x);
/* x is infinite */
POR_API por_node *por_isinf(por_node *x);
/* x is neither NaN nor infinite */
POR_API por_node *por_isfinite(por_node *x);
/* the sign bit of x; true of -0; NaN is positive */
POR_API por_node *por_signbit(por_node *x);
/* |x| with the sign of y; NaN counts as positive */
POR_API por_node *por_copysign(por_node *x, por_node *y);
/* the largest whole number <= x */
POR_API por_node *por_floor(por_node *x);
/* the smallest whole number >= x */
POR_API por_node *por_ceil(por_node *x);
/* the nearest whole number, ties to even */
POR_API por_node *por_round(por_node *x);
/* x without its fraction */
POR_API por_node *por_trunc(por_node *x);
/* x^(1/2); NaN below 0; sqrt(-0) is -0 */
POR_API por_node *por_sqrt(por_node *x);
/* x^(1/3) */
POR_API por_node *por_cbrt(por_node *x);
/* sqrt(x^2 + y^2); without overflow; infinite if either is */
POR_API por_node *por_hypot(por_node *x, por_node *y);
/* e^x */
POR_API por_node *por_exp(por_node *x);
/* 2^x */
POR_API por_node *por_exp2(por_node *x);
/* e^x - 1 */
POR_API por_node *por_expm1(por_node *x);
/* natural logarithm; log(0) is -inf; NaN below 0 */
POR_API por_node *por_log(por_node *x);
/* logarithm to base 2; as log */
POR_API por_node *por_log2(por_node *x);
/* logarithm to base 10; as log */
POR_API por_node *por_log10(por_node *x);
/* log(1 + x); log1p(-1) is -inf; NaN below -1 */
POR_API por_node *por_log1p(por_node *x);
/* log(1 - e^-x); x >= 0; -inf at 0; NaN below */
POR_API por_node *por_log1mexp(por_node *x);
/* log(e^x + e^y); -inf with -inf is -inf */
POR_API por_node *por_logaddexp(por_node *x, por_node *y);
/* 1/(1 + e^-x) */
POR_API por_node *por_sigmoid(por_node *x);
/* log(1 + e^x) */
POR_API por_node *por_softplus(por_node *x);
/* log(x/(1 - x)); -inf at 0, inf at 1, NaN outside */
POR_API por_node *por_logit(por_node *x);
/* sine, of radians; NaN at infinity */
POR_API por_node *por_sin(por_node *x);
/* cosine, of radians; NaN at infinity */
POR_API por_node *por_cos(por_node *x);
/* sin(x)/cos(x); NaN at infinity */
POR_API por_node *por_tan(por_node *x);
/* arc sine; NaN outside [-1, 1] */
POR_API por_node *por_asin(por_node *x);
/* arc cosine; NaN outside [-1, 1] */
POR_API por_node *por_acos(por_node *x);
/* arc tangent */
POR_API por_node *por_atan(por_node *x);
/* the angle of the point (y, x), first operand y; signed zeros as in C */
POR_API por_node *por_atan2(por_node *x, por_node *y);
/* (e^x - e^-x)/2 */
POR_API por_node *por_sinh(por_node *x);
/* (e^x + e^-x)/2 */
POR_API por_node *por_cosh(por_node *x);
/* sinh(x)/cosh(x) */
POR_API por_node *por_tanh(por_node *x);
/* log(x + sqrt(x^2 + 1)) */
POR_API por_node *por_asinh(por_node *x);
/* log(x + sqrt(x^2 - 1)); NaN below 1 */
POR_API por_node *por_acosh(por_node *x);
/* log((1 + x)/(1 - x))/2; infinite at -1 and 1, NaN outside */
POR_API por_node *por_atanh(por_node *x);
/* 2/sqrt(pi) * integral of e^-t^2 from 0 to x */
POR_API por_node *por_erf(por_node *x);
/* 1 - erf(x); accurate for large x */
POR_API por_node *por_erfc(por_node *x);
/* y with erf(y) = x; infinite at -1 and 1, NaN outside */
POR_API por_node *por_erfinv(por_node *x);
/* integral of t^(x-1) e^-t; gamma(+0) is inf, gamma(-0) -inf; NaN at negative integers */
POR_API por_node *por_gamma(por_node *x);
/* log|gamma(x)|; inf at 0 and the negative integers */
POR_API por_node *por_lgamma(por_node *x);
/* derivative of lgamma; NaN at the negative integers, -inf at +0, inf at -0 */
POR_API por_node *por_digamma(por_node *x);
/* derivative number n of digamma: polygamma(n, x); n is a whole number >= 0, else NaN */
POR_API por_node *por_polygamma(por_node *n, por_node *x);
/* x where c, else y: where(c, x, y); the branch not taken has no influence, NaN or not */
POR_API por_node *por_where(por_node *c, por_node *x, por_node *y);
/* x as another dtype; to integers: truncates and saturates, NaN to 0; to bool: x != 0 */
POR_API por_node *por_cast(por_node *x, int dtype);
/* the bits of x as another dtype of the same width; NaN is the positive quiet one */
POR_API por_node *por_bitcast(por_node *x, int dtype);
/* x, with derivative 0; any dtype */
POR_API por_node *por_stop_gradient(por_node *x);
/* x + y*i; f32 to c64, f64 to c128 */
POR_API por_node *por_complex(por_node *x, por_node *y);
/* the real part; a real stays */
POR_API por_node *por_re(por_node *x);
/* the imaginary part; 0 of a real */
POR_API por_node *por_im(por_node *x);
/* the complex conjugate; a real stays */
POR_API por_node *por_conj(por_node *x);
/* the sum over the axes; bools and integers are summed in 64 bits; empty: +0 */
POR_API por_node *por_sum(por_node *x, int axis);
POR_API por_node *por_sum_axes(por_node *x, int n, const int *axes);
/* the product over the axes; integers in 64 bits; empty: 1 */
POR_API por_node *por_prod(por_node *x, int axis);
POR_API por_node *por_prod_axes(por_node *x, int n, const int *axes);
/* the largest over the axes; NaN if any is; empty: -inf or the smallest integer; ties split the gradient */
POR_API por_node *por_max(por_node *x, int axis);
POR_API por_node *por_max_axes(por_node *x, int n, const int *axes);
/* the smallest over the axes; NaN if any is; empty: inf or the largest integer; ties split the gradient */
POR_API por_node *por_min(por_node *x, int axis);
POR_API por_node *por_min_axes(por_node *x, int n, const int *axes);
/* true if one is; empty: false */
POR_API por_node *por_any(por_node *x, int axis);
POR_API por_node *por_any_axes(por_node *x, int n, const int *axes);
/* true if all are; empty: true */
POR_API por_node *por_all(por_node *x, int axis);
POR_API por_node *por_all_axes(por_node *x, int n, const int *axes);
/* index of the largest, i64; the first of equals; NaN counts as largest; over all axes: the index in row
 * order; an empty axis is an error */
POR_API por_node *por_argmax(por_node *x, int axis);
POR_API por_node *por_argmax_axes(por_node *x, int n, const int *axes);
/* index of the smallest, i64; the first of equals; NaN counts as smallest; an empty axis is an error */
POR_API por_node *por_argmin(por_node *x, int axis);
POR_API por_node *por_argmin_axes(por_node *x, int n, const int *axes);
/* log of the sum of e^x over the axes; shifted by the maximum; empty: -inf */
POR_API por_node *por_logsumexp(por_node *x, int axis);
POR_API por_node *por_logsumexp_axes(por_node *x, int n, const int *axes);
/* y[i] = x[0] + ... + x[i] along [axis]; integers in 64 bits */
POR_API por_node *por_cumsum(por_node *x, int axis);
/* the same elements in row order with other sizes; the number of elements stays; written f64[m, n](x) each
 * size stays, and the call checks it */
POR_API por_node *por_reshape(por_node *x, int rank, const por_size *sizes);
/* axis j of the result is axis axes[j] of x; NULL: as por_turn; x.T turns the last two axes */
POR_API por_node *por_transpose(por_node *x, const int *axes);
/* new axes, places in the result, each repeating x; broadcasting made explicit */
POR_API por_node *por_expand(por_node *x, int n, const int *axes, const por_size *sizes);
/* x[start : start + step*length : step] on every axis; step NULL: all 1; steps are not 0 and may be
 * negative */
POR_API por_node *por_slice(por_node *x, const por_size *start, const por_size *length, const int64_t *step);
/* x backwards along [axes] */
POR_API por_node *por_flip(por_node *x, int n, const int *axes);
/* zeros before, after and between the elements of x on every axis; step NULL: none between; element i lies
 * at before + step*i; the transpose of slice */
POR_API por_node *por_pad(por_node *x, const por_size *before, const por_size *after, const int64_t *step);
/* operands one after another along [axis] */
POR_API por_node *por_concat(int axis, int n, por_node *const *x);
/* x at the indices i along [axis]; the axes of i stand in its place; an index outside 0 <= i < n is the
 * call's error; of a scalar i the axis goes: x[i] */
POR_API por_node *por_gather(por_node *x, por_node *i, int axis);
/* x with v added at the indices i along [axis]: scatter_add(x, i, v); of equal indices all are added in
 * ascending order */
POR_API por_node *por_scatter_add(por_node *x, por_node *i, por_node *v, int axis);
/* x with v written at the indices i along [axis]: scatter_set(x, i, v); of equal indices the last stays */
POR_API por_node *por_scatter_set(por_node *x, por_node *i, por_node *v, int axis);
/* 1 where i = j for a new last axis j < n, else 0; an index outside gives a row of zeros */
POR_API por_node *por_one_hot(por_node *i, por_size n, int dtype);
/* the k largest along the last axis, descending, and their indices: por_get(t, 0) and por_get(t, 1); of
 * equals the first; NaN last */
POR_API por_node *por_top_k(por_node *x, por_size k);
/* as NumPy writes it: "ij,jk->ik", "bij,bjk->bik"; written @ where it is a matrix product; an empty sum is
 * +0 */
POR_API por_node *por_einsum(const char *labels, por_node *x, por_node *y);
/* x = q @ r, q with orthonormal columns: por_get(t, 0), por_get(t, 1); f32 and f64; x has at least as many
 * rows as columns; batches lead */
POR_API por_node *por_qr(por_node *x);
/* z with a @ z = b, a triangular: its upper half or the lower; turned: a.T @ z = b; batches lead; a zero on
 * the diagonal divides by zero */
POR_API por_node *por_tri_solve(por_node *a, por_node *b, int upper, int turned);
/* the key of a seed: (s, 0); s an integer */
POR_API por_node *por_key(por_node *seed);
/* key i of k: k[i]; Philox4x32-10 with key a xor a constant and counter (i, b) */
POR_API por_node *por_subkey(por_node *k, por_node *i);
/* independent uniform numbers in [0, 1); element e uses Philox block (e, b) with key a; the top 24 or 53
 * bits, of f16 11, of bf16 8 */
POR_API por_node *por_uniform(por_node *k, int dtype, int rank, const por_size *sizes);
/* independent standard normal numbers; Box-Muller on block e */
POR_API por_node *por_normal(por_node *k, int dtype, int rank, const por_size *sizes);
/* several results as one */
POR_API por_node *por_tuple(int n, por_node *const *x);
/* element i of a tuple */
POR_API por_node *por_get(por_node *tuple, int i);
/* independent uniform numbers in (0, 1), the ends left out; as uniform, the last bit always set */
POR_API por_node *por_uniform_open(por_node *k, int dtype, int rank, const por_size *sizes);
/* independent exponential numbers of mean 1; by the logarithm, from both ends: never 0, tails to 2^-49 (f64
 * 2^-55) */
POR_API por_node *por_exponential(por_node *k, int dtype, int rank, const por_size *sizes);
/* gamma numbers of shape s and scale 1, each from a key of its own: gamma_draw(k, s); Marsaglia and Tsang's
 * rejection, attempt j by blocks 2j and 2j + 1; of one key k element i uses k[i]; NaN unless s > 0; no
 * derivative by s */
POR_API por_node *por_gamma_draw(por_node *k, por_node *s);
/* 10^x */
POR_API por_node *por_exp10(por_node *x);
/* x^(-1/2); inf at +0, -inf at -0; NaN below 0 */
POR_API por_node *por_rsqrt(por_node *x);
/* x*log(y); 0 where x is 0, unless y is NaN */
POR_API por_node *por_xlogy(por_node *x, por_node *y);
/* sin(pi*x); exact at whole and half numbers; NaN at infinity */
POR_API por_node *por_sinpi(por_node *x);
/* cos(pi*x); exact at whole and half numbers; NaN at infinity */
POR_API por_node *por_cospi(por_node *x);
/* sin(pi*x)/(pi*x); 1 at 0; 0 at infinity */
POR_API por_node *por_sinc(por_node *x);
/* x*sigmoid(x); -0 at -inf */
POR_API por_node *por_silu(por_node *x);
/* x*ndtr(x); -0 at -inf */
POR_API por_node *por_gelu(por_node *x);
/* x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))/2; -0 at -inf */
POR_API por_node *por_gelu_tanh(por_node *x);
/* e^(x^2)*erfc(x); accurate for large x; inf at -inf */
POR_API por_node *por_erfcx(por_node *x);
/* the standard normal distribution's integral from -inf to x; accurate in the left tail */
POR_API por_node *por_ndtr(por_node *x);
/* log(ndtr(x)); accurate in both tails */
POR_API por_node *por_log_ndtr(por_node *x);
/* derivative of digamma; inf at 0 and the negative integers */
POR_API por_node *por_trigamma(por_node *x);
/* log(gamma(x)*gamma(y)/gamma(x + y)); x, y >= 0, NaN below; inf where one is 0 */
POR_API por_node *por_lbeta(por_node *x, por_node *y);
/* e^-|x| times the modified Bessel function of the first kind of order 0 */
POR_API por_node *por_i0e(por_node *x);
/* e^-|x| times the modified Bessel function of the first kind of order 1 */
POR_API por_node *por_i1e(por_node *x);
/* x @ y as NumPy's: batches lead and broadcast */
POR_API por_node *por_matmul(por_node *x, por_node *y);
/* the mean over an axis, or POR_ALL */
POR_API por_node *por_mean(por_node *x, int axis);
/* e^x / sum of e^x along an axis */
POR_API por_node *por_softmax(por_node *x, int axis);
/* its logarithm */
POR_API por_node *por_log_softmax(por_node *x, int axis);
/* max(x, 0) */
POR_API por_node *por_relu(por_node *x);
/* min(max(x, low), high) */
POR_API por_node *por_clip(por_node *x, por_node *low, por_node *high);
/* the sum of x*y over all axes */
POR_API por_node *por_dot(por_node *x, por_node *y);
/* sqrt(dot(x, x)) */
POR_API por_node *por_norm(por_node *x);

POR_API por_node *por_add_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_sub_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_mul_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_div_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_floordiv_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_mod_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_pow_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_neg_at(por_node *x, const char *where);
POR_API por_node *por_abs_at(por_node *x, const char *where);
POR_API por_node *por_sign_at(por_node *x, const char *where);
POR_API por_node *por_maximum_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_minimum_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_fma_at(por_node *x, por_node *y, por_node *z, const char *where);
POR_API por_node *por_eq_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_ne_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_lt_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_le_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_gt_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_ge_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_and_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_or_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_not_at(por_node *x, const char *where);
POR_API por_node *por_bit_and_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_bit_or_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_bit_xor_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_bit_not_at(por_node *x, const char *where);
POR_API por_node *por_shift_left_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_shift_right_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_popcount_at(por_node *x, const char *where);
POR_API por_node *por_isnan_at(por_node *x, const char *where);
POR_API por_node *por_isinf_at(por_node *x, const char *where);
POR_API por_node *por_isfinite_at(por_node *x, const char *where);
POR_API por_node *por_signbit_at(por_node *x, const char *where);
POR_API por_node *por_copysign_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_floor_at(por_node *x, const char *where);
POR_API por_node *por_ceil_at(por_node *x, const char *where);
POR_API por_node *por_round_at(por_node *x, const char *where);
POR_API por_node *por_trunc_at(por_node *x, const char *where);
POR_API por_node *por_sqrt_at(por_node *x, const char *where);
POR_API por_node *por_cbrt_at(por_node *x, const char *where);
POR_API por_node *por_hypot_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_exp_at(por_node *x, const char *where);
POR_API por_node *por_exp2_at(por_node *x, const char *where);
POR_API por_node *por_expm1_at(por_node *x, const char *where);
POR_API por_node *por_log_at(por_node *x, const char *where);
POR_API por_node *por_log2_at(por_node *x, const char *where);
POR_API por_node *por_log10_at(por_node *x, const char *where);
POR_API por_node *por_log1p_at(por_node *x, const char *where);
POR_API por_node *por_log1mexp_at(por_node *x, const char *where);
POR_API por_node *por_logaddexp_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_sigmoid_at(por_node *x, const char *where);
POR_API por_node *por_softplus_at(por_node *x, const char *where);
POR_API por_node *por_logit_at(por_node *x, const char *where);
POR_API por_node *por_sin_at(por_node *x, const char *where);
POR_API por_node *por_cos_at(por_node *x, const char *where);
POR_API por_node *por_tan_at(por_node *x, const char *where);
POR_API por_node *por_asin_at(por_node *x, const char *where);
POR_API por_node *por_acos_at(por_node *x, const char *where);
POR_API por_node *por_atan_at(por_node *x, const char *where);
POR_API por_node *por_atan2_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_sinh_at(por_node *x, const char *where);
POR_API por_node *por_cosh_at(por_node *x, const char *where);
POR_API por_node *por_tanh_at(por_node *x, const char *where);
POR_API por_node *por_asinh_at(por_node *x, const char *where);
POR_API por_node *por_acosh_at(por_node *x, const char *where);
POR_API por_node *por_atanh_at(por_node *x, const char *where);
POR_API por_node *por_erf_at(por_node *x, const char *where);
POR_API por_node *por_erfc_at(por_node *x, const char *where);
POR_API por_node *por_erfinv_at(por_node *x, const char *where);
POR_API por_node *por_gamma_at(por_node *x, const char *where);
POR_API por_node *por_lgamma_at(por_node *x, const char *where);
POR_API por_node *por_digamma_at(por_node *x, const char *where);
POR_API por_node *por_polygamma_at(por_node *n, por_node *x, const char *where);
POR_API por_node *por_where_at(por_node *c, por_node *x, por_node *y, const char *where);
POR_API por_node *por_cast_at(por_node *x, int dtype, const char *where);
POR_API por_node *por_bitcast_at(por_node *x, int dtype, const char *where);
POR_API por_node *por_stop_gradient_at(por_node *x, const char *where);
POR_API por_node *por_complex_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_re_at(por_node *x, const char *where);
POR_API por_node *por_im_at(por_node *x, const char *where);
POR_API por_node *por_conj_at(por_node *x, const char *where);
POR_API por_node *por_sum_at(por_node *x, int axis, const char *where);
POR_API por_node *por_sum_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_prod_at(por_node *x, int axis, const char *where);
POR_API por_node *por_prod_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_max_at(por_node *x, int axis, const char *where);
POR_API por_node *por_max_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_min_at(por_node *x, int axis, const char *where);
POR_API por_node *por_min_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_any_at(por_node *x, int axis, const char *where);
POR_API por_node *por_any_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_all_at(por_node *x, int axis, const char *where);
POR_API por_node *por_all_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_argmax_at(por_node *x, int axis, const char *where);
POR_API por_node *por_argmax_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_argmin_at(por_node *x, int axis, const char *where);
POR_API por_node *por_argmin_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_logsumexp_at(por_node *x, int axis, const char *where);
POR_API por_node *por_logsumexp_axes_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_cumsum_at(por_node *x, int axis, const char *where);
POR_API por_node *por_reshape_at(por_node *x, int rank, const por_size *sizes, const char *where);
POR_API por_node *por_transpose_at(por_node *x, const int *axes, const char *where);
POR_API por_node *por_expand_at(por_node *x, int n, const int *axes, const por_size *sizes,
                                const char *where);
POR_API por_node *por_slice_at(por_node *x, const por_size *start, const por_size *length,
                               const int64_t *step, const char *where);
POR_API por_node *por_flip_at(por_node *x, int n, const int *axes, const char *where);
POR_API por_node *por_pad_at(por_node *x, const por_size *before, const por_size *after, const int64_t *step,
                             const char *where);
POR_API por_node *por_concat_at(int axis, int n, por_node *const *x, const char *where);
POR_API por_node *por_gather_at(por_node *x, por_node *i, int axis, const char *where);
POR_API por_node *por_scatter_add_at(por_node *x, por_node *i, por_node *v, int axis, const char *where);
POR_API por_node *por_scatter_set_at(por_node *x, por_node *i, por_node *v, int axis, const char *where);
POR_API por_node *por_one_hot_at(por_node *i, por_size n, int dtype, const char *where);
POR_API por_node *por_top_k_at(por_node *x, por_size k, const char *where);
POR_API por_node *por_einsum_at(const char *labels, por_node *x, por_node *y, const char *where);
POR_API por_node *por_qr_at(por_node *x, const char *where);
POR_API por_node *por_tri_solve_at(por_node *a, por_node *b, int upper, int turned, const char *where);
POR_API por_node *por_key_at(por_node *seed, const char *where);
POR_API por_node *por_subkey_at(por_node *k, por_node *i, const char *where);
POR_API por_node *por_uniform_at(por_node *k, int dtype, int rank, const por_size *sizes, const char *where);
POR_API por_node *por_normal_at(por_node *k, int dtype, int rank, const por_size *sizes, const char *where);
POR_API por_node *por_tuple_at(int n, por_node *const *x, const char *where);
POR_API por_node *por_get_at(por_node *tuple, int i, const char *where);
POR_API por_node *por_uniform_open_at(por_node *k, int dtype, int rank, const por_size *sizes,
                                      const char *where);
POR_API por_node *por_exponential_at(por_node *k, int dtype, int rank, const por_size *sizes,
                                     const char *where);
POR_API por_node *por_gamma_draw_at(por_node *k, por_node *s, const char *where);
POR_API por_node *por_exp10_at(por_node *x, const char *where);
POR_API por_node *por_rsqrt_at(por_node *x, const char *where);
POR_API por_node *por_xlogy_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_sinpi_at(por_node *x, const char *where);
POR_API por_node *por_cospi_at(por_node *x, const char *where);
POR_API por_node *por_sinc_at(por_node *x, const char *where);
POR_API por_node *por_silu_at(por_node *x, const char *where);
POR_API por_node *por_gelu_at(por_node *x, const char *where);
POR_API por_node *por_gelu_tanh_at(por_node *x, const char *where);
POR_API por_node *por_erfcx_at(por_node *x, const char *where);
POR_API por_node *por_ndtr_at(por_node *x, const char *where);
POR_API por_node *por_log_ndtr_at(por_node *x, const char *where);
POR_API por_node *por_trigamma_at(por_node *x, const char *where);
POR_API por_node *por_lbeta_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_i0e_at(por_node *x, const char *where);
POR_API por_node *por_i1e_at(por_node *x, const char *where);
POR_API por_node *por_matmul_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_mean_at(por_node *x, int axis, const char *where);
POR_API por_node *por_softmax_at(por_node *x, int axis, const char *where);
POR_API por_node *por_log_softmax_at(por_node *x, int axis, const char *where);
POR_API por_node *por_relu_at(por_node *x, const char *where);
POR_API por_node *por_clip_at(por_node *x, por_node *low, por_node *high, const char *where);
POR_API por_node *por_dot_at(por_node *x, por_node *y, const char *where);
POR_API por_node *por_norm_at(por_node *x, const char *where);
POR_API por_node *por_input_at(por_graph *, const char *name, const char *type, const char *where);

#ifndef POR_NO_LINES
#define por_add(...) por_add_at(__VA_ARGS__, POR_HERE)
#define por_sub(...) por_sub_at(__VA_ARGS__, POR_HERE)
#define por_mul(...) por_mul_at(__VA_ARGS__, POR_HERE)
#define por_div(...) por_div_at(__VA_ARGS__, POR_HERE)
#define por_floordiv(...) por_floordiv_at(__VA_ARGS__, POR_HERE)
#define por_mod(...) por_mod_at(__VA_ARGS__, POR_HERE)
#define por_pow(...) por_pow_at(__VA_ARGS__, POR_HERE)
#define por_neg(...) por_neg_at(__VA_ARGS__, POR_HERE)
#define por_abs(...) por_abs_at(__VA_ARGS__, POR_HERE)
#define por_sign(...) por_sign_at(__VA_ARGS__, POR_HERE)
#define por_maximum(...) por_maximum_at(__VA_ARGS__, POR_HERE)
#define por_minimum(...) por_minimum_at(__VA_ARGS__, POR_HERE)
#define por_fma(...) por_fma_at(__VA_ARGS__, POR_HERE)
#define por_eq(...) por_eq_at(__VA_ARGS__, POR_HERE)
#define por_ne(...) por_ne_at(__VA_ARGS__, POR_HERE)
#define por_lt(...) por_lt_at(__VA_ARGS__, POR_HERE)
#define por_le(...) por_le_at(__VA_ARGS__, POR_HERE)
#define por_gt(...) por_gt_at(__VA_ARGS__, POR_HERE)
#define por_ge(...) por_ge_at(__VA_ARGS__, POR_HERE)
#define por_and(...) por_and_at(__VA_ARGS__, POR_HERE)
#define por_or(...) por_or_at(__VA_ARGS__, POR_HERE)
#define por_not(...) por_not_at(__VA_ARGS__, POR_HERE)
#define por_bit_and(...) por_bit_and_at(__VA_ARGS__, POR_HERE)
#define por_bit_or(...) por_bit_or_at(__VA_ARGS__, POR_HERE)
#define por_bit_xor(...) por_bit_xor_at(__VA_ARGS__, POR_HERE)
#define por_bit_not(...) por_bit_not_at(__VA_ARGS__, POR_HERE)
#define por_shift_left(...) por_shift_left_at(__VA_ARGS__, POR_HERE)
#define por_shift_right(...) por_shift_right_at(__VA_ARGS__, POR_HERE)
#define por_popcount(...) por_popcount_at(__VA_ARGS__, POR_HERE)
#define por_isnan(...) por_isnan_at(__VA_ARGS__, POR_HERE)
#define por_isinf(...) por_isinf_at(__VA_ARGS__, POR_HERE)
#define por_isfinite(...) por_isfinite_at(__VA_ARGS__, POR_HERE)
#define por_signbit(...) por_signbit_at(__VA_ARGS__, POR_HERE)
#define por_copysign(...) por_copysign_at(__VA_ARGS__, POR_HERE)
#define por_floor(...) por_floor_at(__VA_ARGS__, POR_HERE)
#define por_ceil(...) por_ceil_at(__VA_ARGS__, POR_HERE)
#define por_round(...) por_round_at(__VA_ARGS__, POR_HERE)
#define por_trunc(...) por_trunc_at(__VA_ARGS__, POR_HERE)
#define por_sqrt(...) por_sqrt_at(__VA_ARGS__, POR_HERE)
#define por_cbrt(...) por_cbrt_at(__VA_ARGS__, POR_HERE)
#define por_hypot(...) por_hypot_at(__VA_ARGS__, POR_HERE)
#define por_exp(...) por_exp_at(__VA_ARGS__, POR_HERE)
#define por_exp2(...) por_exp2_at(__VA_ARGS__, POR_HERE)
#define por_expm1(...) por_expm1_at(__VA_ARGS__, POR_HERE)
#define por_log(...) por_log_at(__VA_ARGS__, POR_HERE)
#define por_log2(...) por_log2_at(__VA_ARGS__, POR_HERE)
#define por_log10(...) por_log10_at(__VA_ARGS__, POR_HERE)
#define por_log1p(...) por_log1p_at(__VA_ARGS__, POR_HERE)
#define por_log1mexp(...) por_log1mexp_at(__VA_ARGS__, POR_HERE)
#define por_logaddexp(...) por_logaddexp_at(__VA_ARGS__, POR_HERE)
#define por_sigmoid(...) por_sigmoid_at(__VA_ARGS__, POR_HERE)
#define por_softplus(...) por_softplus_at(__VA_ARGS__, POR_HERE)
#define por_logit(...) por_logit_at(__VA_ARGS__, POR_HERE)
#define por_sin(...) por_sin_at(__VA_ARGS__, POR_HERE)
#define por_cos(...) por_cos_at(__VA_ARGS__, POR_HERE)
#define por_tan(...) por_tan_at(__VA_ARGS__, POR_HERE)
#define por_asin(...) por_asin_at(__VA_ARGS__, POR_HERE)
#define por_acos(...) por_acos_at(__VA_ARGS__, POR_HERE)
#define por_atan(...) por_atan_at(__VA_ARGS__, POR_HERE)
#define por_atan2(...) por_atan2_at(__VA_ARGS__, POR_HERE)
#define por_sinh(...) por_sinh_at(__VA_ARGS__, POR_HERE)
#define por_cosh(...) por_cosh_at(__VA_ARGS__, POR_HERE)
#define por_tanh(...) por_tanh_at(__VA_ARGS__, POR_HERE)
#define por_asinh(...) por_asinh_at(__VA_ARGS__, POR_HERE)
#define por_acosh(...) por_acosh_at(__VA_ARGS__, POR_HERE)
#define por_atanh(...) por_atanh_at(__VA_ARGS__, POR_HERE)
#define por_erf(...) por_erf_at(__VA_ARGS__, POR_HERE)
#define por_erfc(...) por_erfc_at(__VA_ARGS__, POR_HERE)
#define por_erfinv(...) por_erfinv_at(__VA_ARGS__, POR_HERE)
#define por_gamma(...) por_gamma_at(__VA_ARGS__, POR_HERE)
#define por_lgamma(...) por_lgamma_at(__VA_ARGS__, POR_HERE)
#define por_digamma(...) por_digamma_at(__VA_ARGS__, POR_HERE)
#define por_polygamma(...) por_polygamma_at(__VA_ARGS__, POR_HERE)
#define por_where(...) por_where_at(__VA_ARGS__, POR_HERE)
#define por_cast(...) por_cast_at(__VA_ARGS__, POR_HERE)
#define por_bitcast(...) por_bitcast_at(__VA_ARGS__, POR_HERE)
#define por_stop_gradient(...) por_stop_gradient_at(__VA_ARGS__, POR_HERE)
#define por_complex(...) por_complex_at(__VA_ARGS__, POR_HERE)
#define por_re(...) por_re_at(__VA_ARGS__, POR_HERE)
#define por_im(...) por_im_at(__VA_ARGS__, POR_HERE)
#define por_conj(...) por_conj_at(__VA_ARGS__, POR_HERE)
#define por_sum(...) por_sum_at(__VA_ARGS__, POR_HERE)
#define por_sum_axes(...) por_sum_axes_at(__VA_ARGS__, POR_HERE)
#define por_prod(...) por_prod_at(__VA_ARGS__, POR_HERE)
#define por_prod_axes(...) por_prod_axes_at(__VA_ARGS__, POR_HERE)
#define por_max(...) por_max_at(__VA_ARGS__, POR_HERE)
#define por_max_axes(...) por_max_axes_at(__VA_ARGS__, POR_HERE)
#define por_min(...) por_min_at(__VA_ARGS__, POR_HERE)
#define por_min_axes(...) por_min_axes_at(__VA_ARGS__, POR_HERE)
#define por_any(...) por_any_at(__VA_ARGS__, POR_HERE)
#define por_any_axes(...) por_any_axes_at(__VA_ARGS__, POR_HERE)
#define por_all(...) por_all_at(__VA_ARGS__, POR_HERE)
#define por_all_axes(...) por_all_axes_at(__VA_ARGS__, POR_HERE)
#define por_argmax(...) por_argmax_at(__VA_ARGS__, POR_HERE)
#define por_argmax_axes(...) por_argmax_axes_at(__VA_ARGS__, POR_HERE)
#define por_argmin(...) por_argmin_at(__VA_ARGS__, POR_HERE)
#define por_argmin_axes(...) por_argmin_axes_at(__VA_ARGS__, POR_HERE)
#define por_logsumexp(...) por_logsumexp_at(__VA_ARGS__, POR_HERE)
#define por_logsumexp_axes(...) por_logsumexp_axes_at(__VA_ARGS__, POR_HERE)
#define por_cumsum(...) por_cumsum_at(__VA_ARGS__, POR_HERE)
#define por_reshape(...) por_reshape_at(__VA_ARGS__, POR_HERE)
#define por_transpose(...) por_transpose_at(__VA_ARGS__, POR_HERE)
#define por_expand(...) por_expand_at(__VA_ARGS__, POR_HERE)
#define por_slice(...) por_slice_at(__VA_ARGS__, POR_HERE)
#define por_flip(...) por_flip_at(__VA_ARGS__, POR_HERE)
#define por_pad(...) por_pad_at(__VA_ARGS__, POR_HERE)
#define por_concat(...) por_concat_at(__VA_ARGS__, POR_HERE)
#define por_gather(...) por_gather_at(__VA_ARGS__, POR_HERE)
#define por_scatter_add(...) por_scatter_add_at(__VA_ARGS__, POR_HERE)
#define por_scatter_set(...) por_scatter_set_at(__VA_ARGS__, POR_HERE)
#define por_one_hot(...) por_one_hot_at(__VA_ARGS__, POR_HERE)
#define por_top_k(...) por_top_k_at(__VA_ARGS__, POR_HERE)
#define por_einsum(...) por_einsum_at(__VA_ARGS__, POR_HERE)
#define por_qr(...) por_qr_at(__VA_ARGS__, POR_HERE)
#define por_tri_solve(...) por_tri_solve_at(__VA_ARGS__, POR_HERE)
#define por_key(...) por_key_at(__VA_ARGS__, POR_HERE)
#define por_subkey(...) por_subkey_at(__VA_ARGS__, POR_HERE)
#define por_uniform(...) por_uniform_at(__VA_ARGS__, POR_HERE)
#define por_normal(...) por_normal_at(__VA_ARGS__, POR_HERE)
#define por_tuple(...) por_tuple_at(__VA_ARGS__, POR_HERE)
#define por_get(...) por_get_at(__VA_ARGS__, POR_HERE)
#define por_uniform_open(...) por_uniform_open_at(__VA_ARGS__, POR_HERE)
#define por_exponential(...) por_exponential_at(__VA_ARGS__, POR_HERE)
#define por_gamma_draw(...) por_gamma_draw_at(__VA_ARGS__, POR_HERE)
#define por_exp10(...) por_exp10_at(__VA_ARGS__, POR_HERE)
#define por_rsqrt(...) por_rsqrt_at(__VA_ARGS__, POR_HERE)
#define por_xlogy(...) por_xlogy_at(__VA_ARGS__, POR_HERE)
#define por_sinpi(...) por_sinpi_at(__VA_ARGS__, POR_HERE)
#define por_cospi(...) por_cospi_at(__VA_ARGS__, POR_HERE)
#define por_sinc(...) por_sinc_at(__VA_ARGS__, POR_HERE)
#define por_silu(...) por_silu_at(__VA_ARGS__, POR_HERE)
#define por_gelu(...) por_gelu_at(__VA_ARGS__, POR_HERE)
#define por_gelu_tanh(...) por_gelu_tanh_at(__VA_ARGS__, POR_HERE)
#define por_erfcx(...) por_erfcx_at(__VA_ARGS__, POR_HERE)
#define por_ndtr(...) por_ndtr_at(__VA_ARGS__, POR_HERE)
#define por_log_ndtr(...) por_log_ndtr_at(__VA_ARGS__, POR_HERE)
#define por_trigamma(...) por_trigamma_at(__VA_ARGS__, POR_HERE)
#define por_lbeta(...) por_lbeta_at(__VA_ARGS__, POR_HERE)
#define por_i0e(...) por_i0e_at(__VA_ARGS__, POR_HERE)
#define por_i1e(...) por_i1e_at(__VA_ARGS__, POR_HERE)
#define por_matmul(...) por_matmul_at(__VA_ARGS__, POR_HERE)
#define por_mean(...) por_mean_at(__VA_ARGS__, POR_HERE)
#define por_softmax(...) por_softmax_at(__VA_ARGS__, POR_HERE)
#define por_log_softmax(...) por_log_softmax_at(__VA_ARGS__, POR_HERE)
#define por_relu(...) por_relu_at(__VA_ARGS__, POR_HERE)
#define por_clip(...) por_clip_at(__VA_ARGS__, POR_HERE)
#define por_dot(...) por_dot_at(__VA_ARGS__, POR_HERE)
#define por_norm(...) por_norm_at(__VA_ARGS__, POR_HERE)
#define por_input(...) por_input_at(__VA_ARGS__, POR_HERE)
#endif
/* generated: end */

#define POR_STRING_(x) #x
#define POR_STRING(x) POR_STRING_(x)
#define POR_HERE __FILE__ ":" POR_STRING(__LINE__)

#ifdef __cplusplus
}
#endif

#endif
