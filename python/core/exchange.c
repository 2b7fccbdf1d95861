/* exchange.c - nodes, sizes and texts, given to Python and taken from it. */
#include "core.h"

PyObject *shown_node, *shown_size;

/* ---- what is given ----------------------------------------------------------------------------------------------- */

PyObject *make_object(PyTypeObject *type)
{
	allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	return make(type, 0);
}

PyObject *give_node(Graph *g, por_node *n)
{
	if (!n) return raise_graph(g);
	Node *x = (Node *)make_object((PyTypeObject *)shown_node);
	if (!x) return NULL;
	Py_INCREF(OBJECT(g));
	x->n = n;
	x->graph = g;
	if (g->made && PyList_Append(g->made, OBJECT(x))) Py_CLEAR(x);
	return (PyObject *)x;
}

PyObject *give_size(Graph *g, por_size s)
{
	if (s == POR_NO_SIZE) return raise_graph(g);
	if (s >= 0) return PyLong_FromLongLong(s);
	Size *x = (Size *)make_object((PyTypeObject *)shown_size);
	if (!x) return NULL;
	Py_INCREF(OBJECT(g));
	x->size = s;
	x->graph = g;
	return (PyObject *)x;
}

PyObject *give_text(Graph *g, char *text)
{
	if (!text && !g) Py_RETURN_NONE;
	if (!text) return raise_graph(g);
	PyObject *o = PyUnicode_FromString(text);
	por_text_free(text);
	return o;
}

PyObject *give_nodes(Graph *g, int n, por_node *const *x)
{
	PyObject *t = PyTuple_New(n);
	for (int i = 0; t && i < n; i++) {
		PyObject *o = give_node(g, x[i]);
		if (!o || PyTuple_SetItem(t, i, o)) Py_CLEAR(t);
	}
	return t;
}

/* ---- what is taken ----------------------------------------------------------------------------------------------- */

bool take_text(PyObject *o, const char **to)
{
	return (*to = PyUnicode_AsUTF8AndSize(o, NULL)) != NULL;
}

bool take_whole(PyObject *o, const char *what, long long *to)
{
	PyObject *whole = PyNumber_Index(o);
	if (whole) {
		*to = PyLong_AsLongLong(whole);
		Py_DECREF(whole);
	} else if (PyErr_ExceptionMatches(PyExc_TypeError))
		PyErr_Format(PyExc_TypeError, "%s, and not %R", what, o);
	return !PyErr_Occurred();
}

bool take_size(PyObject *o, Graph *g, por_size *to)
{
	long long number;
	if (PyObject_TypeCheck(o, size_type)) {
		*to = ((Size *)o)->size;
		if (((Size *)o)->graph == g) return true;
		PyErr_SetString(PyExc_ValueError, "a size of another graph: sizes and nodes live as long as one trace");
		return false;
	}
	if (PyObject_TypeCheck(o, node_type)) {
		*to = por_size_of_node(((Node *)o)->n);
		return *to != POR_NO_SIZE || raise_graph(g);
	}
	if (!take_whole(o, "a size is a whole number, or made of x.shape", &number)) return false;
	*to = number;
	if (*to >= 0) return true;
	PyErr_Format(PyExc_ValueError, "a size is 0 or more, not %lld", (long long)*to);
	return false;
}

/* A constant: numbers of Python are weak, NumPy's have their dtype. */
static por_node *constant_of(PyObject *o, Graph *g)
{
	if (PyBool_Check(o)) return por_constant(g->g, "bool", o == Py_True);
	if (PyFloat_CheckExact(o)) return por_number(g->g, PyFloat_AsDouble(o));
	if (PyLong_CheckExact(o)) {
		int far;
		long long v = PyLong_AsLongLongAndOverflow(o, &far);
		if (!far) return por_integer(g->g, v);
		PyErr_Format(PyExc_OverflowError, "%R does not fit 64 bits", o);
		return NULL;
	}
	if (is_held(o) && !(o = held_numpy(o))) return NULL;
	int64_t strides[RANK_MAX];
	por_array view;
	PyObject *given = Py_NewRef(o);           /* the caller's, too: it outlives what is made of it */
	for (int copied = 0; copied < 2; copied++) {
		if (is_numpy_array(o) && numpy_dtype((NumpyArray *)(void *)o) && view_array(o, &view, strides)) {
			por_node *n = por_constant_array(g->g, &view);
			Py_DECREF(o);
			return n;
		}
		PyObject *array = as_array(o, POR_NO_DTYPE);
		Py_DECREF(o);
		if (!array) return NULL;
		o = array;
	}
	PyErr_Format(PyExc_TypeError, "%R has no place in a graph: give arrays and numbers", given);
	Py_DECREF(o);
	return NULL;
}

/* Is it a list, or a tuple, that holds nodes or sizes, at any depth? */
static bool lists_nodes(PyObject *o)
{
	bool list = PyList_Check(o), found = false;
	if (!list && !PyTuple_Check(o)) return false;
	for (Py_ssize_t i = 0, n = list ? PyList_Size(o) : PyTuple_Size(o); i < n && !found; i++) {
		PyObject *x = list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
		found = graph_of(x) || lists_nodes(x);
	}
	return found;
}

/* The elements of a list along a new first axis, as numpy.array has them. */
static por_node *stack_of(PyObject *o, Graph *g)
{
	Py_ssize_t n = PySequence_Size(o);
	por_node **x = PyMem_Calloc((size_t)n + 1, sizeof *x), *made = NULL;
	Py_ssize_t i = 0;
	for (; x && i < n; i++) {
		PyObject *item = PySequence_GetItem(o, i);
		por_node *one = item ? take_node(item, g) : NULL;
		Py_XDECREF(item);
		if (!one || !(x[i] = por_unsqueeze(one, 1, (int[]){0}))) break;
	}
	if (x && i == n) made = por_concat(0, (int)n, x);
	PyMem_Free(x);
	return made;
}

por_node *take_node(PyObject *o, Graph *g)
{
	if (PyObject_TypeCheck(o, node_type)) {
		if (!((Node *)o)->n) {
			PyErr_SetString(PyExc_ValueError, "a node that the function of a rule was given, which lives no longer than its call");
			return NULL;
		}
		if (((Node *)o)->graph == g) return ((Node *)o)->n;
		PyErr_SetString(PyExc_ValueError, "a value of another graph: a traced value lives as long as its trace; give it "
			"as an argument, or return it");
		return NULL;
	}
	if (PyObject_TypeCheck(o, size_type)) {
		por_size s;
		return take_size(o, g, &s) ? por_size_node(g->g, s) : NULL;
	}
	return lists_nodes(o) ? stack_of(o, g) : constant_of(o, g);
}

Graph *graph_of(PyObject *o)
{
	if (PyObject_TypeCheck(o, node_type)) return ((Node *)o)->graph;
	if (PyObject_TypeCheck(o, size_type)) return ((Size *)o)->graph;
	return NULL;
}

por_node **take_nodes(PyObject *sequence, Graph **g, Py_ssize_t *n)
{
	*n = PySequence_Size(sequence);
	if (*n < 0) return NULL;
	por_node **x = PyMem_Malloc((size_t)(*n + 1) * sizeof *x);
	if (!x) return (por_node **)PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < *n && !*g; i++) {
		PyObject *o = PySequence_GetItem(sequence, i);
		*g = o ? graph_of(o) : NULL;
		Py_XDECREF(o);
	}
	if (!*g && *n) PyErr_SetString(PyExc_TypeError, "none of these is a node of a graph");
	for (Py_ssize_t i = 0; i < *n && !PyErr_Occurred(); i++) {
		PyObject *o = PySequence_GetItem(sequence, i);
		x[i] = o ? take_node(o, *g) : NULL;
		Py_XDECREF(o);
		if (!x[i]) raise_graph(*g);
	}
	if (!PyErr_Occurred()) return x;
	PyMem_Free(x);
	return NULL;
}

/* ---- the classes that are given -------------------------------------------------------------------------------------- */

static PyObject *set_classes(PyObject *m, PyObject *args)
{
	PyObject *node, *size, *folder;
	if (!PyArg_ParseTuple(args, "OOO", &node, &size, &folder)) return NULL;
	put_object(&shown_node, Py_NewRef(node));
	put_object(&shown_size, Py_NewRef(size));
	put_object(&package, Py_NewRef(folder));
	Py_RETURN_NONE;
}

static PyObject *set_key(PyObject *m, PyObject *class)
{
	put_object(&shown_key, Py_NewRef(class));
	Py_RETURN_NONE;
}

PyMethodDef exchange_functions[] = {
	{"set_classes", set_classes, METH_VARARGS, NULL},
	{"set_key", set_key, METH_O, NULL},
	{0}};
