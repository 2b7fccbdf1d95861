/* build.c - operators, shapes and sizes as nodes: what porism/nodes.py calls, made of what the library has. */
#include "core.h"

#include <string.h>

static bool take_attributes(PyObject *list, Graph *g, por_attribute *to)
{
	for (Py_ssize_t i = 0; i < PyTuple_Size(list); i++) {
		PyObject *o = PyTuple_GetItem(list, i);
		to[i] = (por_attribute){0};
		if (PyUnicode_Check(o)) {
			to[i].kind = POR_ATTR_DTYPE;
			to[i].dtype = take_dtype(o);
			if (!to[i].dtype) return false;
		} else if (PyTuple_Check(o)) {            /* (size,): also where it is a number */
			to[i].kind = POR_ATTR_SIZE;
			if (!take_size(PyTuple_GetItem(o, 0), g, &to[i].size)) return false;
		} else {
			to[i].kind = POR_ATTR_INT;
			long long number;
			if (!take_whole(o, "an axis or a count is a whole number", &number)) return false;
			to[i].integer = number;
		}
	}
	return true;
}

/* apply(op, operands, attributes, graph or None): any operator by its number */
static PyObject *apply(PyObject *m, PyObject *const *a, Py_ssize_t n)
{
	ALONE;
	if (n != 4 || !PyTuple_Check(a[2])) return PyErr_Format(PyExc_TypeError, "apply: op, operands, attributes, graph");
	Graph *g = a[3] == Py_None ? NULL : (Graph *)a[3];
	int op = (int)PyLong_AsLong(a[0]);
	Py_ssize_t nargs, nattrs = PyTuple_Size(a[2]);
	por_node **x = take_nodes(a[1], &g, &nargs);
	if (!x) return NULL;
	por_attribute *attr = PyMem_Calloc((size_t)nattrs + 1, sizeof *attr);
	PyObject *result = NULL;
	if (!g) PyErr_SetString(PyExc_TypeError, "apply: there is no graph");
	else if (attr && take_attributes(a[2], g, attr) && enter(g))
		result = give_node(g, por_apply(g->g, op, (int)nargs, x, (int)nattrs, attr, NULL));
	PyMem_Free(attr);
	PyMem_Free(x);
	return result;
}

/* library(name, operands, graph or None): a function of the library, "softmax[0]" */
static PyObject *library(PyObject *m, PyObject *args)
{
	ALONE;
	const char *name;
	PyObject *operands, *of;
	if (!PyArg_ParseTuple(args, "sOO", &name, &operands, &of)) return NULL;
	Graph *g = of == Py_None ? NULL : (Graph *)of;
	Py_ssize_t n;
	por_node **x = take_nodes(operands, &g, &n);
	if (!x) return NULL;
	PyObject *result = NULL;
	if (!g) PyErr_SetString(PyExc_TypeError, "there is no graph");
	else if (enter(g)) result = give_node(g, por_library(g->g, name, (int)n, x));
	PyMem_Free(x);
	return result;
}

/* Constructors with a shape. */
static PyObject *broadcast_to(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *of, *sizes;
	if (!PyArg_ParseTuple(args, "O!O!", node_type, &of, &PyTuple_Type, &sizes)) return NULL;
	Node *x = (Node *)of;
	por_size s[RANK_MAX];
	Py_ssize_t n = PyTuple_Size(sizes);
	if (n > RANK_MAX) return PyErr_Format(PyExc_ValueError, "%zd axes, more than %d", n, RANK_MAX);
	for (Py_ssize_t i = 0; i < n; i++)
		if (!take_size(PyTuple_GetItem(sizes, i), x->graph, &s[i])) return NULL;
	enter(x->graph);
	return give_node(x->graph, por_broadcast_to(x->n, (int)n, s));
}

static PyObject *change_axes(PyObject *args, por_node *(*change)(por_node *, int, const int *))
{
	PyObject *of, *list;
	int axes[RANK_MAX];
	if (!PyArg_ParseTuple(args, "O!O!", node_type, &of, &PyTuple_Type, &list)) return NULL;
	Node *x = (Node *)of;
	Py_ssize_t n = PyTuple_Size(list);
	if (n > RANK_MAX) return PyErr_Format(PyExc_ValueError, "%zd axes, more than %d", n, RANK_MAX);
	for (Py_ssize_t i = 0; i < n; i++) axes[i] = (int)PyLong_AsLong(PyTuple_GetItem(list, i));
	if (PyErr_Occurred()) return NULL;
	enter(x->graph);
	return give_node(x->graph, change(x->n, (int)n, axes));
}
static PyObject *squeeze(PyObject *m, PyObject *args)
{
	ALONE;
	return change_axes(args, por_squeeze);
}
static PyObject *unsqueeze(PyObject *m, PyObject *args)
{
	ALONE;
	return change_axes(args, por_unsqueeze);
}

/* get(tuple, i) */
static PyObject *get(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *of;
	int i;
	if (!PyArg_ParseTuple(args, "O!i", node_type, &of, &i)) return NULL;
	return give_node(((Node *)of)->graph, por_get(((Node *)of)->n, i));
}

/* matmul(x, y, graph or None) */
static PyObject *matmul(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *x, *y, *of, *result = NULL;
	if (!PyArg_ParseTuple(args, "OOO", &x, &y, &of)) return NULL;
	Graph *g = of == Py_None ? NULL : (Graph *)of;
	PyObject *pair = PyTuple_Pack(2, x, y);
	Py_ssize_t n;
	por_node **xy = pair ? take_nodes(pair, &g, &n) : NULL;
	if (xy && enter(g)) result = give_node(g, por_matmul(xy[0], xy[1]));
	Py_XDECREF(pair);
	PyMem_Free(xy);
	return result;
}

static PyObject *cond(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *all = args;
	Graph *g = NULL;
	Py_ssize_t n;
	por_node **x = take_nodes(all, &g, &n);
	PyObject *result = NULL;
	if (x && n != 3) PyErr_SetString(PyExc_TypeError, "cond: a condition and two sides are wanted");
	else if (x && enter(g)) result = give_node(g, por_if(x[0], x[1], x[2]));
	PyMem_Free(x);
	return result;
}

/* ---- sizes --------------------------------------------------------------------------------------------------------- */

static PyObject *size_op(PyObject *m, PyObject *args)
{
	ALONE;
	static const struct {
		const char *name;
		por_size (*make)(por_graph *, por_size, por_size);
	} table[] = {{"add", por_size_add}, {"sub", por_size_sub}, {"mul", por_size_mul}, {"floordiv", por_size_floordiv},
		{"mod", por_size_mod}, {"min", por_size_min}, {"max", por_size_max}};
	const char *name;
	PyObject *a, *b;
	if (!PyArg_ParseTuple(args, "sOO", &name, &a, &b)) return NULL;
	Graph *g = graph_of(a) ? graph_of(a) : graph_of(b);
	por_size x, y;
	if (!g) return PyErr_Format(PyExc_TypeError, "neither is a size");
	if (!take_size(a, g, &x) || !take_size(b, g, &y)) return NULL;
	enter(g);
	for (size_t i = 0; i < sizeof table/sizeof *table; i++)
		if (!strcmp(name, table[i].name)) return give_size(g, table[i].make(g->g, x, y));
	return PyErr_Format(PyExc_ValueError, "sizes have no %s", name);
}

/* A size as a node; of a size that is data, as a size. */
static PyObject *size_node(PyObject *m, PyObject *o)
{
	ALONE;
	Graph *g = graph_of(o);
	por_size s;
	if (!g) return PyErr_Format(PyExc_TypeError, "%R is no size of a graph", o);
	if (!take_size(o, g, &s)) return NULL;
	return give_node(g, por_size_node(g->g, s));
}
static PyObject *size_of_node(PyObject *m, PyObject *o)
{
	ALONE;
	if (!PyObject_TypeCheck(o, node_type)) return PyErr_Format(PyExc_TypeError, "%R is no node", o);
	Node *x = (Node *)o;
	enter(x->graph);
	return give_size(x->graph, por_size_of_node(x->n));
}

static PyObject *dtype_name(PyObject *m, PyObject *o)
{
	int d = take_dtype(o);
	return d ? PyUnicode_FromString(por_dtype_name(d)) : NULL;
}

PyMethodDef build_functions[] = {
	{"apply", (PyCFunction)(void *)apply, METH_FASTCALL, NULL},
	{"library", library, METH_VARARGS, NULL},
	{"broadcast_to", broadcast_to, METH_VARARGS, NULL},
	{"squeeze", squeeze, METH_VARARGS, NULL},
	{"unsqueeze", unsqueeze, METH_VARARGS, NULL},
	{"get", get, METH_VARARGS, NULL},
	{"matmul", matmul, METH_VARARGS, NULL},
	{"cond", cond, METH_VARARGS, NULL},
	{"size_op", size_op, METH_VARARGS, NULL},
	{"size_node", size_node, METH_O, NULL},
	{"size_of_node", size_of_node, METH_O, NULL},
	{"dtype_name", dtype_name, METH_O, NULL},
	{0}};
