/* dispatch.c - which trace of a function fits a call.  A trace serves all calls of its dtypes and ranks, whose sizes
 * are 0, are 1, or are neither, where its trace had them so, and that are equal where its symbols are one: a trace
 * whose symbols are fewer than the call's sizes does not fit, one whose symbols are more does. */
#include "core.h"

#include <string.h>

enum { LEAVES_MAX = 1024 };

/* Traces that are open on this thread.  Within one a function is part of it, which may use what it has. */
static __thread int open_traces;

PyObject *trace_opened(PyObject *m, PyObject *by)
{
	open_traces += (int)PyLong_AsLong(by);
	Py_RETURN_NONE;
}

typedef struct Leaf {
	uint8_t dtype, rank;
	const Py_ssize_t *dims;
} Leaf;

typedef struct Trace {
	struct Trace *next;
	PyObject *program, *rebuild;             /* rebuild: of results, or NULL */
	int nleaf, nsize;
	uint8_t *type;                           /* dtype and rank of each leaf */
	int64_t *size;                           /* 0, 1; -1 - k: as size number k, from the first leaf's on */
} Trace;

typedef struct Dispatch {
	PyObject_HEAD
	vectorcallfunc call;
	PyObject *trace, *other;                 /* trace(types), or None; other(*args, **kw): what is no row of leaves */
	PyObject *dict;
	Trace *traces;                           /* a trace stays as long as its Dispatch */
	Lock locked;                             /* their order */
	bool held;                               /* one of porism.array_api: results are its arrays */
	int weak;                                /* from this argument on numbers are of the arrays' dtype; -1: none */
} Dispatch;

static bool leaf_of(PyObject *o, Leaf *to)
{
	to->rank = 0;
	to->dtype = POR_F64;
	if (PyFloat_CheckExact(o)) return true;
	if (is_held(o)) {
		const Array *x = (Array *)o;
		to->dtype = (uint8_t)held_dtype(x);
		to->rank = (uint8_t)held_rank(x);
		to->dims = held_dims(x);
		return true;
	}
	if (Py_TYPE(o) == numpy_array_type) {
		NumpyArray *a = (NumpyArray *)(void *)o;
		to->dtype = (uint8_t)numpy_dtype(a);
		to->rank = (uint8_t)a->nd;
		to->dims = a->dimensions;
		return to->dtype != POR_NO_DTYPE;
	}
	if (PyFloat_Check(o)) return true;        /* NumPy's f64 too */
	to->dtype = PyBool_Check(o) ? POR_BOOL : POR_I64;
	return PyBool_Check(o) || PyLong_CheckExact(o);
}

static bool fits(const Trace *t, const Leaf *leaf, int n)
{
	if (t->nleaf != n) return false;
	for (int i = 0; i < n; i++)
		if (t->type[2*i] != leaf[i].dtype || t->type[2*i + 1] != leaf[i].rank) return false;
	int64_t seen[LEAVES_MAX];                /* sizes, as far as earlier ones are asked for */
	int at = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < leaf[i].rank; k++, at++) {
			int64_t is = leaf[i].dims[k], wanted = t->size[at];
			seen[at] = is;
			if (wanted >= 0 ? is != wanted : is < 2 || seen[-1 - wanted] != is) return false;
		}
	return true;
}

static void trace_free(Trace *t)
{
	Py_XDECREF(t->program);
	Py_XDECREF(t->rebuild);
	PyMem_Free(t->type);
	PyMem_Free(t->size);
	PyMem_Free(t);
}

/* As the call is: equal sizes are one symbol. */
static Trace *trace_of(const Leaf *leaf, int n, int nsize)
{
	Trace *t = PyMem_Calloc(1, sizeof *t);
	if (!t) return NULL;
	int64_t seen[LEAVES_MAX];
	t->nleaf = n;
	t->nsize = nsize;
	t->type = PyMem_Malloc(2*(size_t)n + 1);
	t->size = PyMem_Malloc(((size_t)nsize + 1) * sizeof *t->size);
	for (int i = 0, at = 0; t->type && t->size && i < n; i++) {
		t->type[2*i] = leaf[i].dtype;
		t->type[2*i + 1] = leaf[i].rank;
		for (int k = 0; k < leaf[i].rank; k++, at++) {
			int first = 0;
			seen[at] = leaf[i].dims[k];
			while (seen[first] != seen[at]) first++;
			t->size[at] = seen[at] < 2 ? seen[at] : -1 - first;
		}
	}
	return t;
}

/* ["f64", (s, ...)] for each leaf; a size is a number below 2, or -1 - k as above */
static PyObject *trace_types(const Trace *t)
{
	PyObject *list = PyList_New(0);
	for (int i = 0, at = 0; list && i < t->nleaf; i++) {
		PyObject *sizes = PyTuple_New(t->type[2*i + 1]);
		for (int k = 0; sizes && k < t->type[2*i + 1]; k++)
			PyTuple_SetItem(sizes, k, PyLong_FromLongLong(t->size[at++]));
		PyObject *o = sizes ? Py_BuildValue("(sN)", por_dtype_name(t->type[2*i]), sizes) : NULL;
		if (!o || PyList_Append(list, o)) Py_CLEAR(list);
		Py_XDECREF(o);
	}
	return list;
}

/* [(s, ...), ...]: the sizes of each leaf in this call, for messages */
static PyObject *call_sizes(const Leaf *leaf, int n)
{
	PyObject *list = PyList_New(0);
	for (int i = 0; list && i < n; i++) {
		PyObject *sizes = PyTuple_New(leaf[i].rank);
		for (int k = 0; sizes && k < leaf[i].rank; k++) PyTuple_SetItem(sizes, k, PyLong_FromSsize_t(leaf[i].dims[k]));
		if (!sizes || PyList_Append(list, sizes)) Py_CLEAR(list);
		Py_XDECREF(sizes);
	}
	return list;
}

static Trace *new_trace(Dispatch *d, const Leaf *leaf, int n, int nsize)
{
	Trace *t = trace_of(leaf, n, nsize);
	PyObject *types = t && t->type && t->size ? trace_types(t) : PyErr_NoMemory(), *sizes = types ? call_sizes(leaf, n) : NULL;
	PyObject *made = sizes ? PyObject_CallFunctionObjArgs(d->trace, types, sizes, NULL) : NULL;
	Py_XDECREF(types);
	Py_XDECREF(sizes);
	if (made && PyArg_ParseTuple(made, "O!O", program_type, &t->program, &t->rebuild)) {
		Py_INCREF(t->program);
		Py_INCREF(t->rebuild);
		if (t->rebuild == Py_None) Py_CLEAR(t->rebuild);
		lock(&d->locked);
		t->next = d->traces;
		d->traces = t;
		unlock(&d->locked);
	} else if (t) {
		t->program = t->rebuild = NULL;
		trace_free(t);
		t = NULL;
	}
	Py_XDECREF(made);
	return t;
}

/* The trace that fits comes first from then on. */
static Trace *find(Dispatch *d, const Leaf *leaf, int n)
{
	lock(&d->locked);
	Trace **at = &d->traces;
	while (*at && !fits(*at, leaf, n)) at = &(*at)->next;
	Trace *t = *at;
	if (t) {
		*at = t->next;
		t->next = d->traces;
		d->traces = t;
	}
	unlock(&d->locked);
	return t;
}

static bool is_number(PyObject *o)
{
	return PyFloat_Check(o) || PyLong_Check(o);
}

/* May a number of this kind stand beside elements of a dtype?  bools with bools alone, no float with integers */
static bool goes_with(PyObject *number, int dtype)
{
	if (PyBool_Check(number)) return dtype == POR_BOOL;
	return PyLong_Check(number) ? dtype != POR_BOOL : dtype >= POR_F16;
}

/* Numbers of Python's take the dtype of the first array; false: one cannot, or there is no array. */
static bool weaken(PyObject *const *args, Leaf *leaf, int n, int from)
{
	int first = from;
	while (first < n && is_number(args[first])) first++;
	if (first >= n) return false;
	for (int i = from; i < n; i++) {
		if (!is_number(args[i])) continue;
		if (!goes_with(args[i], leaf[first].dtype)) return false;
		leaf[i].dtype = leaf[first].dtype;
	}
	return true;
}

/* Complex numbers are for the reference tier alone, which is not for single operators. */
static bool held_plain(const Dispatch *d, PyObject *const *args, Leaf *leaf, int n)
{
	for (int i = 0; i < n; i++)
		if (leaf[i].dtype >= POR_C64) return false;
	return d->weak < 0 || weaken(args, leaf, n, d->weak);
}

/* What of these is none of ours. */
static PyObject *no_leaves(PyObject *const *args, Py_ssize_t n)
{
	Leaf leaf;
	for (Py_ssize_t i = 0; i < n && i < LEAVES_MAX; i++) {
		if (leaf_of(args[i], &leaf)) continue;
		PyObject *dtype = PyObject_GetAttrString(args[i], "dtype");
		PyErr_Clear();
		if (dtype)
			PyErr_Format(PyExc_TypeError, "an array of dtype %S, which is no dtype of Porism: wanted bools, "
				"integers or floats, as x.astype(\"f8\")", dtype);
		else
			PyErr_Format(PyExc_TypeError, "%R is no array", args[i]);
		Py_XDECREF(dtype);
		return NULL;
	}
	return PyErr_Format(PyExc_TypeError, "more than %d arrays or axes", LEAVES_MAX);
}

static PyObject *dispatch_call(PyObject *self, PyObject *const *args, size_t nf, PyObject *names)
{
	Dispatch *d = (Dispatch *)self;
	Py_ssize_t n = PyVectorcall_NARGS(nf);
	Leaf leaf[LEAVES_MAX];
	int nsize = 0;
	bool held = d->held, plain = !names && d->trace != Py_None && n <= LEAVES_MAX && (held || !open_traces);
	for (Py_ssize_t i = 0; plain && i < n; i++) {
		plain = leaf_of(args[i], &leaf[i]);
		nsize += leaf[i].rank;
		held |= is_held(args[i]);
	}
	if (plain && d->held) plain = held_plain(d, args, leaf, (int)n);
	if (!plain || nsize > LEAVES_MAX) {
		if (d->other != Py_None) return PyObject_Vectorcall(d->other, args, nf, names);
		return no_leaves(args, n);
	}
	Trace *t = find(d, leaf, (int)n);
	if (!t && !(t = new_trace(d, leaf, (int)n, nsize))) return NULL;
	PyObject *rebuild = Py_XNewRef(t->rebuild), *result = program_call_list(t->program, args, n, held);
	if (result && rebuild) put_object(&result, PyObject_CallFunctionObjArgs(rebuild, result, NULL));
	Py_XDECREF(rebuild);
	return result;
}

/* Dispatch(trace, other): trace(types, sizes) makes a trace; or with (.., held, weak) */
static PyObject *dispatch_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	PyObject *trace, *other;
	int held = 0, weak = -1;
	if (!PyArg_ParseTuple(args, "OO|pi", &trace, &other, &held, &weak)) return NULL;
	Dispatch *d = (Dispatch *)make_object(type);
	if (!d) return NULL;
	d->call = dispatch_call;
	d->held = held;
	d->weak = weak;
	d->trace = Py_NewRef(trace);
	d->other = Py_NewRef(other);
	return (PyObject *)d;
}

/* As a method: the object is the first argument. */
static PyObject *dispatch_bind(PyObject *self, PyObject *object, PyObject *type)
{
	if (!object || object == Py_None) return Py_NewRef(self);
	PyObject *types = PyImport_ImportModule("types");
	PyObject *bound = types ? PyObject_CallMethod(types, "MethodType", "OO", self, object) : NULL;
	Py_XDECREF(types);
	return bound;
}

static int dispatch_traverse(PyObject *self, visitproc visit, void *arg)
{
	Dispatch *d = (Dispatch *)self;
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(d->trace);
	Py_VISIT(d->other);
	Py_VISIT(d->dict);
	for (Trace *t = d->traces; t; t = t->next) {
		Py_VISIT(t->program);
		Py_VISIT(t->rebuild);
	}
	return 0;
}

static int dispatch_clear(PyObject *self)
{
	Dispatch *d = (Dispatch *)self;
	while (d->traces) {
		Trace *t = d->traces;
		d->traces = t->next;
		trace_free(t);
	}
	Py_CLEAR(d->trace);
	Py_CLEAR(d->other);
	Py_CLEAR(d->dict);
	return 0;
}

static void dispatch_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	PyObject_GC_UnTrack(self);
	dispatch_clear(self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static bool add_programs(PyObject *list, Dispatch *d)
{
	bool good = true;
	lock(&d->locked);
	for (Trace *t = d->traces; good && t; t = t->next) good = !PyList_Append(list, t->program);
	unlock(&d->locked);
	return good;
}

/* The programs that were traced, the last one used first; after them those of each structure of arguments, which are
 * traced by functions of their own, kept in `by_structure`. */
static PyObject *dispatch_programs(PyObject *self, void *unused)
{
	Dispatch *d = (Dispatch *)self;
	PyObject *list = PyList_New(0), *inner = d->dict ? PyDict_GetItemString(d->dict, "by_structure") : NULL;
	bool good = list && add_programs(list, d);
	PyObject *key, *one;
	Py_ssize_t at = 0;
	while (good && inner && PyDict_Next(inner, &at, &key, &one)) good = add_programs(list, (Dispatch *)one);
	if (!good) Py_CLEAR(list);
	return list;
}

static PyObject *dispatch_reduce(PyObject *self, PyObject *unused)
{
	PyObject *home = PyImport_ImportModule("porism.trace");
	PyObject *reduced = home ? PyObject_CallMethod(home, "pickled", "O", self) : NULL;
	Py_XDECREF(home);
	return reduced;
}

/* <porism.jit loss(w, X)>; <porism function sum> of those that porism.array_api has */
static PyObject *dispatch_repr(PyObject *self)
{
	PyObject *dict = ((Dispatch *)self)->dict, *text = dict ? PyDict_GetItemString(dict, "signature") : NULL;
	if (text) return PyUnicode_FromFormat("<porism.jit %U>", text);
	text = dict ? PyDict_GetItemString(dict, "__name__") : NULL;
	return text ? PyUnicode_FromFormat("<porism function %U>", text) : PyUnicode_FromString("<porism function>");
}

static PyMethodDef dispatch_methods[] = {{"__reduce__", dispatch_reduce, METH_NOARGS, NULL}, {0}};
static PyGetSetDef dispatch_gets[] = {
	{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
	{"programs", dispatch_programs, NULL, "its compiled programs, the last one used first", NULL}, {0}};
static PyMemberDef dispatch_members[] = {
	{"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatch, call), READONLY, NULL},
	{"__dictoffset__", T_PYSSIZET, offsetof(Dispatch, dict), READONLY, NULL}, {0}};
static PyType_Slot dispatch_slots[] = {{Py_tp_new, dispatch_new}, {Py_tp_dealloc, dispatch_dealloc},
	{Py_tp_traverse, dispatch_traverse}, {Py_tp_clear, dispatch_clear}, {Py_tp_call, PyVectorcall_Call},
	{Py_tp_descr_get, dispatch_bind}, {Py_tp_repr, dispatch_repr},
	{Py_tp_members, dispatch_members}, {Py_tp_methods, dispatch_methods}, {Py_tp_getset, dispatch_gets}, {0}};
PyType_Spec dispatch_spec = {"porism._core.Dispatch", sizeof(Dispatch), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, dispatch_slots};
