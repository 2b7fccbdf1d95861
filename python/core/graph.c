/* graph.c - the type Graph: inputs, files, functions, and operators and rules of the user's. */
#include "core.h"

por_context *context;

static PyObject *graph_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	Graph *g = (Graph *)make_object(type);
	if (g && !(g->g = por_open(context))) {
		Py_DECREF(OBJECT(g));
		return PyErr_NoMemory();
	}
	return (PyObject *)g;
}

static void graph_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	por_close(((Graph *)self)->g);
	free_rules((Graph *)self);
	Py_XDECREF(((Graph *)self)->operators);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *graph_input(PyObject *self, PyObject *args)
{
	ALONE;
	const char *name, *type;
	if (!PyArg_ParseTuple(args, "ss;an input is of two texts, its name and its type: g.input(\"x\", \"f64[m, n]\")", &name, &type))
		return NULL;
	enter((Graph *)self);
	return give_node((Graph *)self, por_input(((Graph *)self)->g, name, type));
}

/* An input of the type of a node, or of its elements along an axis. */
static PyObject *graph_input_like(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *name;
	PyObject *like;
	int axis = -1;
	if (!PyArg_ParseTuple(args, "sO!|i", &name, node_type, &like, &axis)) return NULL;
	const por_type *t = por_node_type(((Node *)like)->n);
	if (axis >= 0) {
		por_size s[RANK_MAX];
		int rank = por_type_rank(t), n = 0;
		for (int k = 0; k < rank; k++)
			if (k != axis) s[n++] = por_type_size(t, k);
		t = por_type_array(g->g, por_type_dtype(t), n, s);
	}
	enter(g);
	return give_node(g, por_input_typed(g->g, name, t));
}

static PyObject *graph_constant(PyObject *self, PyObject *o)
{
	ALONE;
	Graph *g = (Graph *)self;
	enter(g);
	return give_node(g, take_node(o, g));
}

static PyObject *graph_iota(PyObject *self, PyObject *o)
{
	ALONE;
	Graph *g = (Graph *)self;
	por_size n;
	enter(g);
	return take_size(o, g, &n) ? give_node(g, por_iota(g->g, n)) : NULL;
}

static PyObject *graph_parse(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *text;
	PyObject *names, *nodes;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "sO!O", &text, &PyTuple_Type, &names, &nodes)) return NULL;
	por_node **x = take_nodes(nodes, &g, &n);
	const char **name = PyMem_Calloc((size_t)PyTuple_Size(names) + 1, sizeof *name);
	PyObject *result = NULL;
	bool good = x && name && n == PyTuple_Size(names);
	for (Py_ssize_t i = 0; good && i < n; i++) good = take_text(PyTuple_GetItem(names, i), &name[i]);
	if (good && enter(g)) result = give_node(g, por_parse(g->g, text, (int)n, name, x));
	PyMem_Free(name);
	PyMem_Free(x);
	return result;
}

static PyObject *graph_rule(PyObject *self, PyObject *args)
{
	ALONE;
	const char *text, *stage;
	if (!PyArg_ParseTuple(args, "sz", &text, &stage)) return NULL;
	enter((Graph *)self);
	if (por_rule(((Graph *)self)->g, text, stage)) return raise_graph((Graph *)self);
	Py_RETURN_NONE;
}

static PyObject *graph_size(PyObject *self, PyObject *o)
{
	ALONE;
	const char *name;
	return take_text(o, &name) ? give_size((Graph *)self, por_size_named(((Graph *)self)->g, name)) : NULL;
}

/* load(text, file) */
static PyObject *graph_load(PyObject *self, PyObject *args)
{
	ALONE;
	const char *text, *file;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "z#s", &text, &n, &file)) return NULL;
	return load_file((Graph *)self, text, n, file);
}

/* function(name, params, results) */
static PyObject *graph_function(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *name;
	PyObject *params, *results;
	Py_ssize_t n, k;
	if (!PyArg_ParseTuple(args, "sOO", &name, &params, &results)) return NULL;
	por_node **x = take_nodes(params, &g, &n), **y = x ? take_nodes(results, &g, &k) : NULL;
	PyObject *f = NULL;
	if (y && enter(g)) f = give_function(g, por_function_of(g->g, name, (int)n, x, (int)k, y));
	PyMem_Free(x);
	PyMem_Free(y);
	return f;
}

/* expression(text, {leaf: type text}): its free names become parameters */
static PyObject *graph_expression(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *text;
	PyObject *types;
	if (!PyArg_ParseTuple(args, "sO!", &text, &PyDict_Type, &types)) return NULL;
	int n;
	por_given *given = take_given(g, types, &n);
	PyObject *f = given ? give_function(g, por_function_expression(g->g, NULL, text, n, given)) : NULL;
	PyMem_Free(given);
	return f;
}

static PyObject *graph_define(PyObject *self, PyObject *operator)
{
	ALONE;
	return define_operator((Graph *)self, operator);
}

/* custom(name, operands): the operator of the user's of this name */
static PyObject *graph_custom(PyObject *self, PyObject *args)
{
	ALONE;
	Graph *g = (Graph *)self;
	const char *name;
	PyObject *operands;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "sO", &name, &operands)) return NULL;
	por_node **x = take_nodes(operands, &g, &n);
	if (!x) return NULL;
	enter(g);
	PyObject *result = give_node(g, por_custom_call(g->g, name, (int)n, x));
	PyMem_Free(x);
	return result;
}

static PyMethodDef graph_methods[] = {
	{"input", graph_input, METH_VARARGS, "input(name, type): an input of this type, \"f64[m, n] if x > 0\""},
	{"input_like", graph_input_like, METH_VARARGS, NULL},
	{"constant", graph_constant, METH_O, "constant(value): a number or an array as a node"},
	{"iota", graph_iota, METH_O, "iota(n): 0, 1, ..., n - 1"},
	{"size", graph_size, METH_O, "size(name): the size of this name"},
	{"parse", graph_parse, METH_VARARGS, NULL},
	{"define", graph_define, METH_O, NULL},
	{"custom", graph_custom, METH_VARARGS, NULL},
	{"add_rule", graph_rule, METH_VARARGS, NULL},
	{"add_function_rule", graph_function_rule, METH_VARARGS, NULL},
	{"load_text", graph_load, METH_VARARGS, NULL},
	{"function", graph_function, METH_VARARGS, "function(name, params, results): closes results over inputs"},
	{"expression", graph_expression, METH_VARARGS, NULL},
	{0}};
static PyType_Slot graph_slots[] = {{Py_tp_new, graph_new}, {Py_tp_dealloc, graph_dealloc},
	{Py_tp_methods, graph_methods}, {Py_tp_doc, "A graph: inputs, and what is built on them."}, {0}};
PyType_Spec graph_spec = {"porism._core.Graph", sizeof(Graph), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	graph_slots};
