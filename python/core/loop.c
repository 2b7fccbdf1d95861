/* loop.c - loops, built flat: opened, their bodies as ordinary nodes, closed. */
#include "core.h"

typedef struct Loop {
	PyObject_HEAD
	por_loop *l;
	Graph *graph;
} Loop;

static void loop_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(OBJECT(((Loop *)self)->graph));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/* Loop(graph, steps or None, back) */
static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	ALONE;
	PyObject *of, *steps;
	int back;
	if (!PyArg_ParseTuple(args, "O!Op", graph_type, &of, &steps, &back)) return NULL;
	Graph *g = (Graph *)of;
	enter(g);
	por_node *n = steps == Py_None ? NULL : take_node(steps, g);
	if (steps != Py_None && !n) return raise_graph(g);
	por_loop *l = por_loop_open(g->g, n, back);
	if (!l) return raise_graph(g);
	Loop *x = (Loop *)make_object(type);
	if (!x) return NULL;
	x->l = l;
	x->graph = (Graph *)Py_NewRef(of);
	return (PyObject *)x;
}

static PyObject *loop_index(PyObject *self, PyObject *unused)
{
	ALONE;
	return give_node(((Loop *)self)->graph, por_loop_index(((Loop *)self)->l));
}

static PyObject *with_node(PyObject *self, PyObject *o, por_node *(*make)(por_loop *, por_node *))
{
	Loop *x = (Loop *)self;
	por_node *n = take_node(o, x->graph);
	if (!n) return raise_graph(x->graph);
	enter(x->graph);
	return give_node(x->graph, make(x->l, n));
}
static PyObject *loop_each(PyObject *self, PyObject *o)
{
	ALONE;
	return with_node(self, o, por_loop_each);
}
static PyObject *loop_carry(PyObject *self, PyObject *o)
{
	ALONE;
	return with_node(self, o, por_loop_carry);
}
static PyObject *loop_last(PyObject *self, PyObject *o)
{
	ALONE;
	return with_node(self, o, por_loop_last);
}

/* next(carried, value) */
static PyObject *loop_next(PyObject *self, PyObject *args)
{
	ALONE;
	Loop *x = (Loop *)self;
	Py_ssize_t n;
	Graph *g = x->graph;
	por_node **pair = take_nodes(args, &g, &n);
	if (!pair) return NULL;
	enter(g);
	int code = por_loop_next(x->l, pair[0], pair[1]);
	PyMem_Free(pair);
	if (code) return raise_graph(g);
	Py_RETURN_NONE;
}

/* while_(condition, the token behind its effects or None) */
static PyObject *loop_while(PyObject *self, PyObject *args)
{
	ALONE;
	Loop *x = (Loop *)self;
	PyObject *condition, *token;
	if (!PyArg_ParseTuple(args, "OO", &condition, &token)) return NULL;
	por_node *n = take_node(condition, x->graph), *after = token == Py_None ? NULL : take_node(token, x->graph);
	enter(x->graph);
	if (!n || (!after && token != Py_None) || por_loop_while_after(x->l, n, after)) return raise_graph(x->graph);
	Py_RETURN_NONE;
}

static PyObject *loop_stack(PyObject *self, PyObject *o)
{
	ALONE;
	Loop *x = (Loop *)self;
	por_node *n = take_node(o, x->graph);
	enter(x->graph);
	int number = n ? por_loop_stack(x->l, n) : -1;
	return number < 0 ? raise_graph(x->graph) : PyLong_FromLong(number);
}

static PyObject *loop_close(PyObject *self, PyObject *unused)
{
	ALONE;
	Loop *x = (Loop *)self;
	enter(x->graph);
	if (por_loop_close(x->l)) return raise_graph(x->graph);
	Py_RETURN_NONE;
}

static PyObject *loop_stacked(PyObject *self, PyObject *number)
{
	ALONE;
	Loop *x = (Loop *)self;
	return give_node(x->graph, por_loop_stacked(x->l, (int)PyLong_AsLong(number)));
}

static PyMethodDef loop_methods[] = {
	{"index", loop_index, METH_NOARGS, NULL},
	{"each", loop_each, METH_O, NULL},
	{"carry", loop_carry, METH_O, NULL},
	{"next", loop_next, METH_VARARGS, NULL},
	{"while_", loop_while, METH_VARARGS, NULL},
	{"stack", loop_stack, METH_O, NULL},
	{"close", loop_close, METH_NOARGS, NULL},
	{"last", loop_last, METH_O, NULL},
	{"stacked", loop_stacked, METH_O, NULL},
	{0}};
static PyType_Slot loop_slots[] = {{Py_tp_new, loop_new}, {Py_tp_dealloc, loop_dealloc}, {Py_tp_methods, loop_methods}, {0}};
PyType_Spec loop_spec = {"porism._core.Loop", sizeof(Loop), 0, Py_TPFLAGS_DEFAULT, loop_slots};
