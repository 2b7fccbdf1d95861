/* graph.c - graphs, what is built on them, errors with the user's line. */
#include "core.h"

#include <stdio.h>
#include <string.h>

PyObject *shown_node, *shown_size;
por_context *context;
static PyObject *package;                        /* the folder of porism: lines in it are not the user's */

/* ---- the user's line ------------------------------------------------------------------------------------------- */

/* "file:line" of a frame, unless it is of the package; false without an error. */
static bool line_of(PyFrameObject *frame, char *to, size_t size)
{
	PyObject *code = (PyObject *)PyFrame_GetCode(frame);
	PyObject *file = PyObject_GetAttrString(code, "co_filename");
	Py_DECREF(code);
	const char *name = file ? PyUnicode_AsUTF8AndSize(file, NULL) : NULL;
	bool ours = !name || (package && PyUnicode_Tailmatch(file, package, 0, PY_SSIZE_T_MAX, -1) == 1);
	if (!ours) snprintf(to, size, "%s:%d", name, PyFrame_GetLineNumber(frame));
	Py_XDECREF(file);
	PyErr_Clear();
	return !ours;
}

static void user_line(char *to, size_t size)
{
	PyFrameObject *frame = PyEval_GetFrame();
	Py_XINCREF(OBJECT(frame));
	*to = 0;
	while (frame && !line_of(frame, to, size)) {
		PyObject *back = PyObject_GetAttrString((PyObject *)frame, "f_back");
		Py_DECREF(OBJECT(frame));
		if (back == Py_None) Py_CLEAR(back);
		frame = (PyFrameObject *)back;
	}
	Py_XDECREF(OBJECT(frame));
	PyErr_Clear();
}

bool enter(Graph *g)
{
	char where[sizeof g->where];
	user_line(where, sizeof where);
	if (strcmp(where, g->where)) {
		memcpy(g->where, where, sizeof where);
		por_at(g->g, *where ? where : NULL);
	}
	return true;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

PyObject *class_of(const por_error *e)
{
	if (e->argument == POR_AT_INDEX) return PyExc_IndexError;
	switch (e->code) {
	case POR_ERR_MEMORY: return PyExc_MemoryError;
	case POR_ERR_TYPE: return PyExc_TypeError;
	case POR_ERR_NAME: return PyExc_NameError;
	case POR_ERR_UNSUPPORTED: return PyExc_NotImplementedError;
	case POR_ERR_FILE: return PyExc_OSError;
	case POR_ERR_CALL: case POR_ERR_SYNTAX: case POR_ERR_VALUE: case POR_ERR_DERIVATIVE: case POR_ERR_RULE: return PyExc_ValueError;
	default: return PyExc_RuntimeError;
	}
}

void raise_text(PyObject *class, char *shown, const char *text)
{
	size_t n = shown ? strlen(shown) : 0;
	while (n && shown[n - 1] == '\n') shown[--n] = 0;
	PyErr_SetString(class, shown ? shown : text);
	por_text_free(shown);
}

PyObject *raise_error(const por_error *e)
{
	raise_text(class_of(e), por_error_show(e, NULL), e->text);
	return NULL;
}

/* What to write, as one writes it in Python: the graph says it in the notation, which a text has. */
static PyObject *said_in_python(const char *text)
{
	static const char *const said[][2] = {{"as in sum[1, keep](x)", "as in x.sum(1, keepdims=True)"},
		{"as in bool(x)", "as in x.astype(\"f64\")"}};
	PyObject *s = PyUnicode_FromString(text);
	for (int i = 0; s && i < 2; i++) put_object(&s, PyObject_CallMethod(s, "replace", "ss", said[i][0], said[i][1]));
	for (int d = POR_BOOL; s && d < POR_KEY; d++) {
		PyObject *from = PyUnicode_FromFormat("as in %s(x)", por_dtype_name(d));
		PyObject *to = PyUnicode_FromFormat("as in x.astype(\"%s\")", por_dtype_name(d));
		if (from && to) put_object(&s, PyObject_CallMethod(s, "replace", "OO", from, to));
		Py_XDECREF(from);
		Py_XDECREF(to);
	}
	return s;
}

/* Of an operator of one's own: where one tells it. */
static const char *told_by_operator(const Graph *g, const char *text)
{
	static const char before[] = "no derivative rule for ";
	const char *at = strstr(text, before), *end = at ? strstr(at, " (d(") : NULL;
	if (!end || !g->operators) return NULL;
	at += sizeof before - 1;
	PyObject *name = PyUnicode_FromStringAndSize(at, end - at);
	bool own = name && PyDict_GetItemWithError(g->operators, name);
	Py_XDECREF(name);
	PyErr_Clear();
	return own ? end : NULL;
}

PyObject *raise_graph(Graph *g)
{
	por_error e = *por_graph_error(g->g);
	por_clear_error(g->g);
	if (PyErr_Occurred()) return NULL;
	char *end = (char *)(uintptr_t)told_by_operator(g, e.text);
	if (end)
		snprintf(end, sizeof e.text - (size_t)(end - e.text),
			": porism.operator(..., derivative=...) or vjp= tells it");
	if (strstr(e.text, "as in ") == NULL || e.column) return raise_error(&e);
	char *shown = por_error_show(&e, NULL);
	PyObject *s = said_in_python(shown ? shown : e.text);
	if (s) PyErr_SetObject(class_of(&e), s);
	Py_XDECREF(s);
	por_text_free(shown);
	return NULL;
}

/* ---- giving and taking -------------------------------------------------------------------------------------------- */

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

bool take_text(PyObject *o, const char **to)
{
	return (*to = PyUnicode_AsUTF8AndSize(o, NULL)) != NULL;
}

bool take_size(PyObject *o, Graph *g, por_size *to)
{
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
	PyObject *whole = PyNumber_Index(o);
	*to = whole ? PyLong_AsLongLong(whole) : -1;
	Py_XDECREF(whole);
	if (PyErr_Occurred()) return false;
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
	return constant_of(o, g);
}

static Graph *graph_of(PyObject *o)
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

/* ---- building ---------------------------------------------------------------------------------------------------- */

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
			to[i].integer = PyLong_AsLongLong(o);
			if (PyErr_Occurred()) return false;
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

/* matmul(x, y, graph or None); einsum(labels, x, y, graph or None) */
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
static PyObject *einsum(PyObject *m, PyObject *args)
{
	ALONE;
	const char *labels;
	PyObject *x, *y, *of, *result = NULL;
	if (!PyArg_ParseTuple(args, "sOOO", &labels, &x, &y, &of)) return NULL;
	Graph *g = of == Py_None ? NULL : (Graph *)of;
	PyObject *pair = PyTuple_Pack(2, x, y);
	Py_ssize_t n;
	por_node **xy = pair ? take_nodes(pair, &g, &n) : NULL;
	if (xy && enter(g)) result = give_node(g, por_einsum(labels, xy[0], xy[1]));
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

/* ---- derivatives, editing -------------------------------------------------------------------------------------------- */

/* Lists of nodes of one graph, one after another in memory of PyMem_Malloc; n: how many in each. */
static por_node **take_lists(PyObject *args, int most, Graph **g, Py_ssize_t *n)
{
	if (PyTuple_Size(args) != most) {
		PyErr_Format(PyExc_TypeError, "%d lists of nodes are wanted", most);
		return NULL;
	}
	PyObject *all = PyList_New(0);
	for (int i = 0; all && i < most; i++) {
		PyObject *list = PyTuple_GetItem(args, i);
		n[i] = PySequence_Size(list);
		if (n[i] < 0 || PyList_SetSlice(all, PY_SSIZE_T_MAX, PY_SSIZE_T_MAX, list)) Py_CLEAR(all);
	}
	Py_ssize_t count;
	por_node **x = all ? take_nodes(all, g, &count) : NULL;
	Py_XDECREF(all);
	if (x && *g) return x;
	PyMem_Free(x);
	if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "there is no node");
	return NULL;
}

static PyObject *give_many(Graph *g, int code, Py_ssize_t n, por_node **out, por_node **taken)
{
	PyObject *result = code ? raise_graph(g) : give_nodes(g, (int)n, out);
	PyMem_Free(out);
	PyMem_Free(taken);
	return result;
}

static por_node **room(Py_ssize_t n)
{
	return PyMem_Calloc((size_t)n + 1, sizeof(por_node *));
}

/* grad([y], [x...]) */
static PyObject *grad(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[2];
	por_node **x = take_lists(args, 2, &g, n);
	if (!x) return NULL;
	por_node **d = room(n[1]);
	enter(g);
	return give_many(g, por_grad(x[0], (int)n[1], x + n[0], d), n[1], d, x);
}

/* A derivative of the nodes of one list by those of the next, beside those of the third: like those of list `like`. */
static PyObject *product(PyObject *args, int like,
	int (*make)(int, por_node *const *, int, por_node *const *, por_node *const *, por_node **))
{
	Graph *g = NULL;
	Py_ssize_t n[3];
	por_node **x = take_lists(args, 3, &g, n);
	if (!x) return NULL;
	por_node **d = room(n[like]);
	enter(g);
	return give_many(g, make((int)n[0], x, (int)n[1], x + n[0], x + n[0] + n[1], d), n[like], d, x);
}

/* jvp([y...], [x...], [v...]); vjp([y...], [x...], [u...]) */
static PyObject *jvp(PyObject *m, PyObject *args)
{
	ALONE;
	return product(args, 0, por_jvp);
}
static PyObject *vjp(PyObject *m, PyObject *args)
{
	ALONE;
	return product(args, 1, por_vjp);
}

/* jacobian(y, x, forward); hessian(y, x) */
static PyObject *jacobian(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *y, *x;
	int forward;
	if (!PyArg_ParseTuple(args, "O!O!p", node_type, &y, node_type, &x, &forward)) return NULL;
	Graph *g = ((Node *)y)->graph;
	enter(g);
	return give_node(g, por_jacobian(((Node *)y)->n, ((Node *)x)->n, forward));
}
static PyObject *hessian(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *y, *x;
	if (!PyArg_ParseTuple(args, "O!O!", node_type, &y, node_type, &x)) return NULL;
	Graph *g = ((Node *)y)->graph;
	enter(g);
	return give_node(g, por_hessian(((Node *)y)->n, ((Node *)x)->n));
}

/* substitute(roots, from, to) */
static PyObject *substitute(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[3];
	por_node **x = take_lists(args, 3, &g, n);
	if (!x) return NULL;
	if (n[1] != n[2]) {
		PyMem_Free(x);
		return PyErr_Format(PyExc_ValueError, "substitute: %zd nodes for %zd", n[2], n[1]);
	}
	por_node **out = room(n[0]);
	enter(g);
	int code = n[0] ? por_substitute((int)n[0], x, (int)n[1], x + n[0], x + n[0] + n[1], out) : POR_OK;
	return give_many(g, code, n[0], out, x);
}

/* simplify(roots, stages or None) */
static PyObject *simplify(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *roots;
	const char *stages;
	Graph *g = NULL;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "Oz", &roots, &stages)) return NULL;
	por_node **x = take_nodes(roots, &g, &n);
	if (!x) return NULL;
	if (!g) {
		PyMem_Free(x);
		return PyTuple_New(0);
	}
	enter(g);
	return give_many(g, por_simplify((int)n, x, stages), n, x, NULL);
}

/* What happens before a token is the roots' own. */
static void mark_effects(const por_region *r, por_node *x, char *depends)
{
	while (x && is_token_node(x) && por_node_op(x) != POR_OP_TOKEN) {
		int place = por_region_place(r, x);
		if (place >= 0) depends[place] = 1;
		if (por_node_op(x) == POR_OP_GET) place = por_region_place(r, x = por_node_arg(x, 0));
		if (place >= 0) depends[place] = 1;
		por_node *before = NULL;
		for (int k = 0; k < por_node_nargs(x); k++)
			if (is_token_node(por_node_arg(x, k))) before = por_node_arg(x, k);
		x = before;
	}
}

/* captured(roots, own): the nodes that roots use, that do not depend on `own`, and that are no constants */
static PyObject *captured(PyObject *m, PyObject *args)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n[2];
	por_node **x = take_lists(args, 2, &g, n);
	por_region *r = x ? por_region_of((int)n[0], x) : NULL;
	PyObject *list = r ? PyList_New(0) : x ? raise_graph(g) : NULL;
	int count = r ? por_region_count(r) : 0;
	char *depends = PyMem_Calloc((size_t)count + 1, 2), *taken = depends + count;
	for (Py_ssize_t i = 0; list && i < n[1]; i++) {
		int place = por_region_place(r, x[n[0] + i]);
		if (place >= 0) depends[place] = 1;
	}
	for (Py_ssize_t i = 0; list && i < n[0]; i++) mark_effects(r, x[i], depends);
	for (int i = 0; list && i < count; i++) {
		por_node *node = por_region_node(r, i);
		for (int k = 0; k < por_node_nargs(node); k++) {
			int place = por_region_place(r, por_node_arg(node, k));
			if (place >= 0) depends[i] |= depends[place];
		}
	}
	for (int i = 0; list && i < count; i++) {
		por_node *node = por_region_node(r, i);
		bool root = false;
		for (Py_ssize_t k = 0; k < n[0]; k++) root |= x[k] == node;
		if (!depends[i] && root) taken[i] = 1;
		for (int k = 0; depends[i] && k < por_node_nargs(node); k++) {
			int place = por_region_place(r, por_node_arg(node, k));
			if (place >= 0 && !depends[place]) taken[place] = 1;
		}
	}
	for (int i = 0; list && i < count; i++) {
		por_node *node = por_region_node(r, i);
		int op = por_node_op(node);
		bool plain = op == POR_OP_CONST || op == POR_OP_SIZE || op == POR_OP_IOTA || op == POR_OP_TOKEN;
		if (!taken[i] || plain) continue;
		PyObject *o = give_node(g, node);
		if (!o || PyList_Append(list, o)) Py_CLEAR(list);
		Py_XDECREF(o);
	}
	PyMem_Free(depends);
	PyMem_Free(x);
	por_region_free(r);
	return list;
}

static PyObject *print_nodes(PyObject *m, PyObject *roots)
{
	ALONE;
	Graph *g = NULL;
	Py_ssize_t n;
	por_node **x = take_nodes(roots, &g, &n);
	if (!x) return NULL;
	PyObject *text = g ? give_text(g, por_print((int)n, x)) : PyUnicode_FromString("");
	PyMem_Free(x);
	return text;
}

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

static PyObject *dtype_name(PyObject *m, PyObject *o)
{
	int d = take_dtype(o);
	return d ? PyUnicode_FromString(por_dtype_name(d)) : NULL;
}

PyMethodDef graph_functions[] = {
	{"apply", (PyCFunction)(void *)apply, METH_FASTCALL, NULL},
	{"library", library, METH_VARARGS, NULL},
	{"broadcast_to", broadcast_to, METH_VARARGS, NULL},
	{"squeeze", squeeze, METH_VARARGS, NULL},
	{"unsqueeze", unsqueeze, METH_VARARGS, NULL},
	{"get", get, METH_VARARGS, NULL},
	{"matmul", matmul, METH_VARARGS, NULL},
	{"einsum", einsum, METH_VARARGS, NULL},
	{"cond", cond, METH_VARARGS, NULL},
	{"size_op", size_op, METH_VARARGS, NULL},
	{"size_node", size_node, METH_O, NULL},
	{"size_of_node", size_of_node, METH_O, NULL},
	{"grad", grad, METH_VARARGS, NULL},
	{"jvp", jvp, METH_VARARGS, NULL},
	{"vjp", vjp, METH_VARARGS, NULL},
	{"jacobian", jacobian, METH_VARARGS, NULL},
	{"hessian", hessian, METH_VARARGS, NULL},
	{"substitute", substitute, METH_VARARGS, NULL},
	{"simplify", simplify, METH_VARARGS, NULL},
	{"captured", captured, METH_VARARGS, NULL},
	{"print_nodes", print_nodes, METH_O, NULL},
	{"dtype_name", dtype_name, METH_O, NULL},
	{"trace_opened", trace_opened, METH_O, NULL},
	{"set_classes", set_classes, METH_VARARGS, NULL},
	{"set_key", set_key, METH_O, NULL},
	{"end_log", end_log, METH_NOARGS, NULL},
	{0}};

/* ---- the type ------------------------------------------------------------------------------------------------------ */

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
	if (!PyArg_ParseTuple(args, "ss", &name, &type)) return NULL;
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
