/* operator.c - operators of the user's: a kernel of C at an address, a C function of numbers that is applied to each
 * element, or a function of Python, which is called under the GIL. */
#include "core.h"

#include <stdio.h>
#include <string.h>

PyTypeObject *operator_type;

enum { NUMBERS_MAX = 6 };                        /* arguments of a C function of numbers */

typedef struct Operator {
	PyObject_HEAD
	PyObject *name, *signature, *c_text;
	PyObject *python;                        /* called with arrays; or NULL */
	PyObject *keep;                          /* what the address belongs to */
	void *address;                           /* of a function of numbers */
	por_custom custom;
} Operator;

/* ---- functions of Python ------------------------------------------------------------------------------------------- */

static __thread PyObject *raised;                /* by the last one that failed in a call of this thread */

/* A note on the exception: which operator raised it, and the user's line that called that. */
static void tell_place(PyObject *e, const por_error *at)
{
	char note[sizeof *at];
	snprintf(note, sizeof note, "in %.*s, an operator called at %s:%d", (int)strcspn(at->text, ":"), at->text, at->file,
		(int)at->line);
	PyObject *done = PyObject_CallMethod(e, "add_note", "s", note);
	Py_XDECREF(done);
	PyErr_Clear();
}

bool operator_raised(const por_error *at)
{
	PyObject *e = raised;
	if (!e) return false;
	raised = NULL;
	if (at && at->line) tell_place(e, at);
	PyErr_SetObject((PyObject *)Py_TYPE(e), e);
	Py_DECREF(e);
	return true;
}

int keep_exception(void)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	if (value && trace) PyException_SetTraceback(value, trace);
	put_object(&raised, value);
	Py_XDECREF(type);
	Py_XDECREF(trace);
	return 1;
}

/* A copy: what is given may be kept, and the program's memory is its own. */
static PyObject *given_array(const por_array *a)
{
	int dtype = por_array_dtype(a);
	void *from = (char *)a->data + a->byte_offset, *data;
	if (!a->ndim) return new_scalar(dtype, from);
	PyObject *o = new_array(dtype, a->ndim, a->shape, &data);
	if (o) memcpy(data, from, (size_t)por_array_count(a) * por_dtype_bytes(dtype));
	return o;
}

static bool same_shape(const por_array *a, const NumpyArray *b)
{
	bool same = a->ndim == b->nd;
	for (int k = 0; same && k < a->ndim; k++) same = a->shape[k] == b->dimensions[k];
	return same;
}

static void say_what_is_wanted(const Operator *x, PyObject *like, PyObject *dtype, const por_array *to)
{
	PyObject *given = PyObject_GetAttrString(like, "shape"), *shape = given ? PyTuple_New(to->ndim) : NULL;
	for (int k = 0; shape && k < to->ndim; k++) {
		PyObject *n = PyLong_FromLongLong(to->shape[k]);
		if (!n || PyTuple_SetItem(shape, k, n)) Py_CLEAR(shape);
	}
	if (shape)
		PyErr_Format(PyExc_ValueError, "%U gives an array of %S and shape %R: wanted %s and shape %R, by %U", x->name,
			dtype, given, por_dtype_name(por_array_dtype(to)), shape, x->signature);
	Py_XDECREF(given);
	Py_XDECREF(shape);
}

/* One result, into the program's memory. */
static bool take_result(const Operator *x, PyObject *o, const por_array *to)
{
	int dtype = por_array_dtype(to);
	PyObject *like = PyObject_CallMethod(numpy, "asarray", "O", o), *compact = NULL;
	PyObject *wanted = like ? PyObject_GetAttrString(like, "dtype") : NULL;
	bool good = like && is_numpy_array(like) && numpy_dtype((NumpyArray *)(void *)like) == dtype &&
		same_shape(to, (NumpyArray *)(void *)like);
	if (like && wanted && !good)
		say_what_is_wanted(x, like, wanted, to);
	if (good) compact = PyObject_CallMethod(numpy, "ascontiguousarray", "O", like);
	if (compact)
		memcpy((char *)to->data + to->byte_offset, ((NumpyArray *)(void *)compact)->data,
			(size_t)por_array_count(to) * por_dtype_bytes(dtype));
	good = good && compact;
	Py_XDECREF(wanted);
	Py_XDECREF(like);
	Py_XDECREF(compact);
	return good;
}

static bool take_results(const Operator *x, PyObject *result, int nout, const por_array *out)
{
	if (nout == 1) return take_result(x, result, out);
	if (!PyTuple_Check(result) || PyTuple_Size(result) != nout) {
		PyErr_Format(PyExc_ValueError, "%U gives %R: wanted %d results, of %U", x->name, result, nout, x->signature);
		return false;
	}
	for (int j = 0; j < nout; j++)
		if (!take_result(x, PyTuple_GetItem(result, j), &out[j])) return false;
	return true;
}

static int call_python(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const Operator *x = user;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *args = PyTuple_New(nin), *result = NULL;
	bool good = args;
	for (int i = 0; good && i < nin; i++) {
		PyObject *o = given_array(&in[i]);
		good = o && !PyTuple_SetItem(args, i, o);
	}
	if (good) result = PyObject_CallObject(x->python, args);
	int code = result && take_results(x, result, nout, out) ? 0 : keep_exception();
	Py_XDECREF(result);
	Py_XDECREF(args);
	PyGILState_Release(state);
	return code;
}

/* ---- C functions of numbers ------------------------------------------------------------------------------------------ */

static double call_numbers(void (*f)(void), int n, const double *x)
{
	switch (n) {
	case 1: return ((double (*)(double))f)(x[0]);
	case 2: return ((double (*)(double, double))f)(x[0], x[1]);
	case 3: return ((double (*)(double, double, double))f)(x[0], x[1], x[2]);
	case 4: return ((double (*)(double, double, double, double))f)(x[0], x[1], x[2], x[3]);
	case 5: return ((double (*)(double, double, double, double, double))f)(x[0], x[1], x[2], x[3], x[4]);
	default:
		return ((double (*)(double, double, double, double, double, double))f)(x[0], x[1], x[2], x[3], x[4], x[5]);
	}
}

static int call_each(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const Operator *x = user;
	void (*f)(void);
	memcpy(&f, &x->address, sizeof f);
	int64_t n = por_array_count(out);
	bool good = nout == 1 && nin >= 1 && nin <= NUMBERS_MAX && por_array_dtype(out) == POR_F64;
	for (int i = 0; good && i < nin; i++) good = por_array_dtype(&in[i]) == POR_F64 && por_array_count(&in[i]) == n;
	if (!good) return 2;
	double *to = (double *)(void *)((char *)out->data + out->byte_offset), arg[NUMBERS_MAX];
	for (int64_t e = 0; e < n; e++) {
		for (int i = 0; i < nin; i++) arg[i] = ((double *)(void *)((char *)in[i].data + in[i].byte_offset))[e];
		to[e] = call_numbers(f, nin, arg);
	}
	return 0;
}

/* ---- the type ---------------------------------------------------------------------------------------------------------- */

/* Operator(name, signature, function of Python or None, address, user, each, flags, c text or None, keep) */
static PyObject *operator_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	PyObject *name, *signature, *python, *c_text, *keep;
	unsigned long long address, user;
	int each;
	unsigned flags;
	if (!PyArg_ParseTuple(args, "UUOKKpIOO", &name, &signature, &python, &address, &user, &each, &flags, &c_text, &keep))
		return NULL;
	Operator *x = (Operator *)make_object(type);
	if (!x) return NULL;
	x->name = Py_NewRef(name);
	x->signature = Py_NewRef(signature);
	x->python = python == Py_None ? NULL : Py_NewRef(python);
	x->c_text = c_text == Py_None ? NULL : Py_NewRef(c_text);
	x->keep = Py_NewRef(keep);
	x->address = (void *)(uintptr_t)address;
	x->custom = (por_custom){.size = sizeof x->custom, .flags = flags, .user = (void *)(uintptr_t)user};
	x->custom.kernel = python != Py_None ? call_python : call_each;
	if (python == Py_None && !each) memcpy(&x->custom.kernel, &x->address, sizeof x->address);
	if (python != Py_None || each) x->custom.user = x;
	return (PyObject *)x;
}

static void operator_dealloc(PyObject *self)
{
	Operator *x = (Operator *)self;
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(x->name);
	Py_XDECREF(x->signature);
	Py_XDECREF(x->python);
	Py_XDECREF(x->c_text);
	Py_XDECREF(x->keep);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/* The graph knows it from then on, once. */
PyObject *define_operator(Graph *g, PyObject *operator)
{
	if (!PyObject_TypeCheck(operator, operator_type))
		return PyErr_Format(PyExc_TypeError, "%R is no operator", operator);
	Operator *x = (Operator *)operator;
	if (!g->operators && !(g->operators = PyDict_New())) return NULL;
	PyObject *known = PyDict_GetItemWithError(g->operators, x->name);
	if (known == operator) Py_RETURN_NONE;
	if (known) PyErr_Format(PyExc_ValueError, "two operators of the name %U in one trace", x->name);
	if (PyErr_Occurred()) return NULL;
	por_custom c = x->custom;
	if (!take_text(x->signature, &c.signature) || (x->c_text && !take_text(x->c_text, &c.c_text))) return NULL;
	enter(g);
	if (por_define(g->g, &c)) return raise_graph(g);
	if (PyDict_SetItem(g->operators, x->name, operator)) return NULL;
	Py_RETURN_NONE;
}

bool any_of_python(PyObject *operators)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	while (operators && PyDict_Next(operators, &at, &key, &value))
		if (((Operator *)value)->python) return true;
	return false;
}

static PyType_Slot operator_slots[] = {{Py_tp_new, operator_new}, {Py_tp_dealloc, operator_dealloc}, {0}};
PyType_Spec operator_spec = {"porism._core.Operator", sizeof(Operator), 0, Py_TPFLAGS_DEFAULT, operator_slots};
