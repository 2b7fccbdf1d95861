/* node.c - nodes and sizes as objects: what can be asked of them.  porism/nodes.py gives them their operators. */
#include "core.h"

#include <string.h>

static void release(PyObject *self, Graph *g)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(OBJECT(g));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static void node_dealloc(PyObject *self)
{
	release(self, ((Node *)self)->graph);
}
static void size_dealloc(PyObject *self)
{
	release(self, ((Size *)self)->graph);
}

static PyObject *node_graph(PyObject *self, void *unused)
{
	return Py_NewRef((PyObject *)((Node *)self)->graph);
}
static PyObject *node_op(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_op_name(por_node_op(((Node *)self)->n)));
}
static PyObject *node_id(PyObject *self, void *unused)
{
	return PyLong_FromUnsignedLong(por_node_id(((Node *)self)->n));
}
static PyObject *node_name(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_node_name(((Node *)self)->n));
}
static PyObject *node_where(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_node_where(((Node *)self)->n));
}
static PyObject *node_rule(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_node_rule(((Node *)self)->n));
}
static PyObject *node_type_text(PyObject *self, void *unused)
{
	ALONE;
	return give_text(((Node *)self)->graph, por_type_text(por_node_type(((Node *)self)->n)));
}
static PyObject *node_dtype(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_dtype_name(por_type_dtype(por_node_type(((Node *)self)->n))));
}
static PyObject *node_count(PyObject *self, void *unused)
{
	ALONE;
	return PyLong_FromLong(por_type_count(por_node_type(((Node *)self)->n)));
}

static PyObject *node_shape(PyObject *self, void *unused)
{
	ALONE;
	Node *x = (Node *)self;
	const por_type *t = por_node_type(x->n);
	int rank = por_type_rank(t);
	if (rank < 0) return PyErr_Format(PyExc_TypeError, "it is no array: it has no shape");
	PyObject *shape = PyTuple_New(rank);
	for (int k = 0; shape && k < rank; k++) {
		PyObject *s = give_size(x->graph, por_type_size(t, k));
		if (!s || PyTuple_SetItem(shape, k, s)) Py_CLEAR(shape);
	}
	return shape;
}

static PyObject *node_args(PyObject *self, void *unused)
{
	ALONE;
	Node *x = (Node *)self;
	int n = por_node_nargs(x->n);
	PyObject *t = PyTuple_New(n);
	for (int i = 0; t && i < n; i++) {
		PyObject *o = give_node(x->graph, por_node_arg(x->n, i));
		if (!o || PyTuple_SetItem(t, i, o)) Py_CLEAR(t);
	}
	return t;
}

static PyObject *attribute_of(Graph *g, const por_attribute *a)
{
	switch (a->kind) {
	case POR_ATTR_INT: return PyLong_FromLongLong(a->integer);
	case POR_ATTR_SIZE: return give_size(g, a->size);
	case POR_ATTR_DTYPE: return PyUnicode_FromString(por_dtype_name(a->dtype));
	case POR_ATTR_FUNCTION: return give_function(g, a->function);
	default: return PyUnicode_FromString(a->name ? a->name : "");
	}
}

static PyObject *node_attributes(PyObject *self, void *unused)
{
	ALONE;
	Node *x = (Node *)self;
	int n = por_node_nattributes(x->n);
	PyObject *t = PyTuple_New(n);
	for (int i = 0; t && i < n; i++) {
		por_attribute a;
		PyObject *o = por_node_attribute(x->n, i, &a) ? raise_graph(x->graph) : attribute_of(x->graph, &a);
		if (!o || PyTuple_SetItem(t, i, o)) Py_CLEAR(t);
	}
	return t;
}

/* A uniform real constant as a number, any constant as an array; of others None. */
static PyObject *node_value(PyObject *self, void *unused)
{
	ALONE;
	Node *x = (Node *)self;
	if (por_node_op(x->n) != POR_OP_CONST) Py_RETURN_NONE;
	por_array *a = por_node_constant(x->n);
	double number;                           /* everywhere in an array whose sizes are symbols */
	if (!a && !por_node_number(x->n, &number)) return PyFloat_FromDouble(number);
	if (!a) return raise_graph(x->graph);
	int dtype = por_array_dtype(a);
	void *data;
	PyObject *o = dtype_of_numpy(dtype) ? new_array(dtype, a->ndim, a->shape, &data) : NULL;
	if (o) memcpy(data, (char *)a->data + a->byte_offset, (size_t)por_array_count(a) * por_dtype_bytes(dtype));
	por_array_free(a);
	return give_array(dtype, o);
}

static PyGetSetDef node_gets[] = {
	{"graph", node_graph, NULL, "the graph it is of", NULL},
	{"op", node_op, NULL, "the operator: \"ADD\"", NULL},
	{"id", node_id, NULL, "its number in the graph", NULL},
	{"args", node_args, NULL, "the operands", NULL},
	{"attributes", node_attributes, NULL, "axes, sizes, dtypes: what stands in brackets", NULL},
	{"name", node_name, NULL, "of an input", NULL},
	{"where", node_where, NULL, "the user's line: \"model.py:31\"", NULL},
	{"rule", node_rule, NULL, "the rule that made it, or \"\"", NULL},
	{"type", node_type_text, NULL, "its type: \"f64[m, n]\"", NULL},
	{"dtype", node_dtype, NULL, "the dtype's name: \"f64\"", NULL},
	{"shape", node_shape, NULL, "its sizes: numbers and Sizes", NULL},
	{"value", node_value, NULL, "of a constant its elements, or the number that they all are; else None", NULL},
	{"count", node_count, NULL, NULL, NULL},
	{0}};
static PyType_Slot node_slots[] = {{Py_tp_dealloc, node_dealloc}, {Py_tp_getset, node_gets}, {0}};
PyType_Spec node_spec = {"porism._core.Node", sizeof(Node), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, node_slots};

/* ---- sizes --------------------------------------------------------------------------------------------------------- */

static PyObject *size_graph(PyObject *self, void *unused)
{
	return Py_NewRef((PyObject *)((Size *)self)->graph);
}
static PyObject *size_text(PyObject *self, void *unused)
{
	ALONE;
	Size *s = (Size *)self;
	return give_text(s->graph, por_size_text(s->graph->g, s->size));
}
static PyObject *size_key(PyObject *self, void *unused)
{
	return PyLong_FromLongLong(((Size *)self)->size);
}

static PyGetSetDef size_gets[] = {
	{"graph", size_graph, NULL, "the graph it is of", NULL},
	{"text", size_text, NULL, "as the notation writes it: \"2*n + 1\"", NULL},
	{"key", size_key, NULL, "equal for equal sizes", NULL},
	{0}};
static PyType_Slot size_slots[] = {{Py_tp_dealloc, size_dealloc}, {Py_tp_getset, size_gets}, {0}};
PyType_Spec size_spec = {"porism._core.Size", sizeof(Size), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, size_slots};
