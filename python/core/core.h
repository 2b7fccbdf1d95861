/* core.h - the extension porism._core: graphs, nodes, functions and programs as objects of Python.
 *
 * It is written in the limited API of 3.11, so that one build serves every later version; a Python without the GIL has
 * a build of its own.  What is hot lies here: calls of programs, and the choice among the traces of a function of
 * `jit`.  All else is thin: porism/ *.py has the rest. */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#define POR_NO_LINES
#include <porism.h>

#include <stdatomic.h>
#include <stdbool.h>

/* The protocol is public since 3.8; the limited API has had its names since 3.12. */
#if defined(Py_LIMITED_API) && Py_LIMITED_API + 0 < 0x030c0000
typedef PyObject *(*vectorcallfunc)(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#define PY_VECTORCALL_ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))
#define PyVectorcall_NARGS(n) ((Py_ssize_t)((n) & ~PY_VECTORCALL_ARGUMENTS_OFFSET))
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *tuple, PyObject *dict);
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *, PyObject *const *args, size_t nargsf, PyObject *kwnames);
#endif

#define OBJECT(x) ((PyObject *)(void *)(x))
/* *at becomes o; what it was is let go of after that. */
static inline void put_object(PyObject **at, PyObject *o)
{
	PyObject *old = *at;
	*at = o;
	Py_XDECREF(old);
}

enum { RANK_MAX = 16 };

/* ---- threads ------------------------------------------------------------------------------------------------------
 * Under the GIL one thread is in here at a time, but where it is let go of.  Without it calls run side by side: what
 * they share has a Lock, held for some instructions that run nothing of Python's; and graphs, each of which is of one
 * thread at a time, are entered by one thread alone, as under the GIL: it lets others in where it waits. */
#ifdef Py_GIL_DISABLED
typedef PyMutex Lock;
#define lock(l) PyMutex_Lock(l)
#define unlock(l) PyMutex_Unlock(l)
#define ALONE                                                                                  \
	__attribute__((cleanup(PyCriticalSection_End))) PyCriticalSection alone;               \
	PyCriticalSection_Begin(&alone, shown_node)
#else
typedef struct Lock {
	char none;
} Lock;
static inline void lock(Lock *l)
{
}
static inline void unlock(Lock *l)
{
}
#define ALONE
#endif

/* ---- arrays.c: NumPy's arrays as por_array ------------------------------------------------------------------- */

/* What NumPy promises of its array in every version from 1.7 on. */
typedef struct NumpyArray {
	PyObject_HEAD
	char *data;
	int nd;
	Py_ssize_t *dimensions, *strides;
	PyObject *base;
	struct NumpyDtype *descr;
	int flags;
} NumpyArray;
typedef struct NumpyDtype {
	PyObject_HEAD
	PyTypeObject *typeobj;
	char kind, type, byteorder, flags;
	int type_num;
} NumpyDtype;
enum { NUMPY_COMPACT = 1, NUMPY_ALIGNED = 0x100, NUMPY_WRITEABLE = 0x400 };

bool numpy_import(void);
extern PyTypeObject *numpy_array_type;
extern PyObject *numpy;                          /* the module */
extern PyObject *shown_key;                      /* the class of porism/keys.py that is given */
/* A masked one is none: as_array says so. */
static inline bool is_numpy_array(PyObject *o)
{
	if (Py_TYPE(o) == numpy_array_type) return true;
	return PyType_IsSubtype(Py_TYPE(o), numpy_array_type) && !PyObject_HasAttrString(o, "mask");
}
/* The dtype of a NumPy array; POR_NO_DTYPE: one that Porism does not have. */
int numpy_dtype(const NumpyArray *);
/* The view of an array of a known dtype; strides has room for its axes.  false, without an error: its strides are not
 * whole elements, or its elements are not aligned, so that it has to be copied first. */
bool view_array(PyObject *, por_array *, int64_t *strides);
/* Anything like an array as an array that view_array takes: a new reference, or an error. */
PyObject *as_array(PyObject *, int dtype);
PyObject *new_array(int dtype, int rank, const int64_t *shape, void **data);
PyObject *new_scalar(int dtype, void *data);     /* a NumPy scalar; of a key an array without axes */
PyObject *give_array(int dtype, PyObject *);     /* of NumPy's, as one sees it: of keys a Key; NULL: NULL */
bool dtype_of_numpy(int dtype);                  /* does NumPy have it?  else with a TypeError */
int take_dtype(PyObject *);                      /* "f32", numpy.float32, float; POR_NO_DTYPE with an error */

/* ---- array.c: arrays of porism.array_api ----------------------------------------------------------------------- */

enum { HELD_RANK = 4, HELD_BYTES = 128, HELD_MOST = 1 << 14 };
typedef struct Array {
	PyObject_HEAD
	PyObject *_Atomic a;                     /* NumPy's; or NULL: the elements lie in `data`, in row order */
	char *data;                              /* `here`, or a block; NULL: NumPy's alone */
	uint8_t dtype, rank;
	Py_ssize_t dims[HELD_RANK];
	_Alignas(16) char here[HELD_BYTES];
} Array;

extern PyTypeObject *array_type;
extern PyObject *shown_array;                    /* the class of porism/arrays.py that is given */
static inline bool is_held(PyObject *o)
{
	return OBJECT(Py_TYPE(o)) == shown_array;
}
static inline int held_dtype(const Array *x)
{
	return x->a ? numpy_dtype((NumpyArray *)(void *)x->a) : x->dtype;
}
static inline int held_rank(const Array *x)
{
	return x->a ? ((NumpyArray *)(void *)x->a)->nd : x->rank;
}
static inline const Py_ssize_t *held_dims(const Array *x)
{
	return x->a ? ((NumpyArray *)(void *)x->a)->dimensions : x->dims;
}
PyObject *held_numpy(PyObject *);                /* as NumPy's, which is the array's own; NULL with an error */
PyObject *new_held(int dtype, int rank, const int64_t *shape, void **data);
int dtype_of_shown(PyObject *);                  /* what x.dtype is; POR_NO_DTYPE: another object */
extern PyMethodDef array_functions[];

/* ---- what graphs are made of ----------------------------------------------------------------------------------- */

typedef struct FunctionRule FunctionRule;
typedef struct Graph {
	PyObject_HEAD
	por_graph *g;
	FunctionRule *rules;                     /* by functions of Python: rule.c */
	PyObject *made;                          /* within such a function, a list of the nodes that were given; else NULL */
	PyObject *operators;                     /* of the user's, by name; or NULL */
	char where[280];                         /* of the user, as por_at was told last */
} Graph;

typedef struct Node {
	PyObject_HEAD
	por_node *n;
	Graph *graph;
} Node;

typedef struct Size {
	PyObject_HEAD
	por_size size;
	Graph *graph;
} Size;

typedef struct Function {
	PyObject_HEAD
	por_function *f;
	Graph *graph;
} Function;

extern PyTypeObject *graph_type, *node_type, *size_type, *function_type, *loop_type, *file_type, *program_type,
	*dispatch_type;
extern por_context *context;

/* ---- error.c: errors, lines of the user ------------------------------------------------------------------------ */

extern PyObject *package;                        /* the folder of porism: lines in it are not the user's */
bool enter(Graph *);                             /* before what builds: tells the graph the user's line */
PyObject *class_of(const por_error *);           /* the exception that it is */
void raise_text(PyObject *class, char *shown, const char *text);        /* `shown`, which is freed; NULL: `text` */
PyObject *raise_error(const por_error *);        /* NULL, with the exception */
PyObject *raise_graph(Graph *);                  /* the graph's error, which is cleared */

/* ---- exchange.c: what is given to Python, and taken from it ----------------------------------------------------- */

extern PyObject *shown_node, *shown_size;        /* the classes of porism/nodes.py that are given */
PyObject *give_node(Graph *, por_node *);        /* NULL: the graph's error */
PyObject *give_size(Graph *, por_size);          /* an int, or a Size */
PyObject *give_text(Graph *, char *);            /* freed; NULL: the graph's error (graph NULL: None) */
PyObject *give_nodes(Graph *, int n, por_node *const *);
/* Nodes of a tuple or list, all of one graph, into memory of PyMem_Malloc. */
por_node **take_nodes(PyObject *sequence, Graph **, Py_ssize_t *n);
por_node *take_node(PyObject *, Graph *);
bool take_whole(PyObject *, const char *what, long long *); /* what: it should be, for the error */
bool take_size(PyObject *, Graph *, por_size *);
bool take_text(PyObject *, const char **);
Graph *graph_of(PyObject *);                     /* of a node or a size; NULL: it is neither */
PyObject *make_object(PyTypeObject *);
extern PyMethodDef exchange_functions[];

/* ---- build.c, edit.c: functions of nodes ------------------------------------------------------------------------ */

extern PyMethodDef build_functions[], edit_functions[];

/* ---- the types ------------------------------------------------------------------------------------------------- */

extern PyType_Spec graph_spec, node_spec, size_spec, loop_spec, array_spec;     /* graph.c, node.c, loop.c, array.c */
extern PyType_Spec function_spec, file_spec, program_spec, dispatch_spec;               /* function.c, ... */
PyObject *give_function(Graph *, por_function *);
/* The program is its own from then on. */
PyObject *give_program(por_program *, PyObject *operators, int donate);
por_program *program_alone(PyObject *);         /* that of a Program; NULL: it calls Python */
extern PyMethodDef xla_functions[];              /* xla.c: programs as custom calls of XLA's */
PyObject *load_file(Graph *, const char *text, Py_ssize_t n, const char *file);
por_given *take_given(Graph *, PyObject *types, int *n); /* {leaf: type text}; from PyMem_Calloc */

PyObject *trace_opened(PyObject *module, PyObject *by);         /* dispatch.c: one more is open, or (-1) one less */

/* rule.c: add_function_rule(pattern, law, place in the graph's `functions`) */
PyObject *graph_function_rule(PyObject *self, PyObject *args);
void free_rules(Graph *);

void log_line(void *user, const char *line);     /* log.c: of any thread */
PyObject *end_log(PyObject *module, PyObject *unused);          /* nothing is told any more */

/* operator.c: operators of the user's.  What one of Python's raised is the error of the call; false: there is none. */
extern PyTypeObject *operator_type;
extern PyType_Spec operator_spec;
bool operator_raised(const por_error *at);
int keep_exception(void);                        /* for that; 1 */
/* effect.c: por_options.hear; has what it called raised an error in a call of this thread, since it was asked? */
int hear_effect(void *unused, const por_effect *);
bool is_token_node(const por_node *);
extern PyMethodDef effect_functions[];
extern PyMethodDef tier_functions[];             /* function.c: is a name that of a tier? */
bool print_raised(void);
bool any_of_python(PyObject *operators);
PyObject *define_operator(Graph *, PyObject *operator);

/* call.c: a call by place; arguments as they come from Python, results NumPy's or porism.Array */
PyObject *program_call_list(PyObject *program, PyObject *const *args, Py_ssize_t n, bool held);

#endif
