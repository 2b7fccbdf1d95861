/* effect.c - what programs print goes through Python's own print, and so to where that goes: a terminal, a notebook. */
#include "core.h"

#include <string.h>

static __thread bool raised;                     /* in a call of this thread, by print */

bool print_raised(void)
{
	bool now = raised;
	raised = false;
	return now;
}

static PyObject *text_of(const char *name, const por_array *a)
{
	int dtype = por_array_dtype(a);
	void *data;
	PyObject *o = dtype_of_numpy(dtype) ? new_array(dtype, a->ndim, a->shape, &data) : NULL;
	if (!o) return NULL;
	memcpy(data, (char *)a->data + a->byte_offset, (size_t)por_array_count(a)*por_dtype_bytes(dtype));
	PyObject *shown = give_array(dtype, o), *text = NULL;
	bool own = *name && name[strspn(name, "0123456789")];      /* and not a place */
	if (shown) text = PyUnicode_FromFormat("%s%s%S", own ? name : "", own ? " = " : "", shown);
	Py_XDECREF(shown);
	return text;
}

static bool print_values(const por_effect *e)
{
	PyObject *parts = PyList_New(0), *comma = PyUnicode_FromString(", ");
	bool good = parts && comma;
	for (int i = 0; good && i < e->n; i++) {
		PyObject *text = text_of(e->name[i], &e->value[i]);
		good = text && !PyList_Append(parts, text);
		Py_XDECREF(text);
	}
	PyObject *line = good ? PyUnicode_Join(comma, parts) : NULL, *builtins = line ? PyImport_ImportModule("builtins") : NULL;
	PyObject *done = builtins ? PyObject_CallMethod(builtins, "print", "O", line) : NULL;
	Py_XDECREF(parts);
	Py_XDECREF(comma);
	Py_XDECREF(line);
	Py_XDECREF(builtins);
	Py_XDECREF(done);
	return done;
}

int hear_effect(void *unused, const por_effect *e)
{
	(void)unused;
	if (e->kind != POR_EFFECT_PRINT) return 0;     /* the call's error says it */
	PyGILState_STATE state = PyGILState_Ensure();
	raised = !print_values(e);
	int code = raised ? keep_exception() : 0;
	PyGILState_Release(state);
	return code;
}

/* ---- effects as nodes ---------------------------------------------------------------------------------- */

bool is_token_node(const por_node *x)
{
	const por_type *t = por_node_type(x);
	return por_type_dtype(t) == POR_NO_DTYPE && !por_type_count(t);
}

/* no_effect(graph) */
static PyObject *no_effect(PyObject *m, PyObject *o)
{
	ALONE;
	Graph *g = (Graph *)o;
	if (!PyObject_TypeCheck(o, graph_type)) return PyErr_Format(PyExc_TypeError, "%R is no graph", o);
	return give_node(g, por_no_effect(g->g));
}

static const char **names_of(PyObject *names, Py_ssize_t n)
{
	const char **name = PyMem_New(const char *, n + 1);
	for (Py_ssize_t i = 0; name && i < n; i++)
		if (!take_text(PyTuple_GetItem(names, i), &name[i])) {
			PyMem_Free(name);
			return NULL;
		}
	return name;
}

/* do(token, kind, names, nodes): the token behind it */
static PyObject *do_effect(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *after, *names, *nodes;
	int kind;
	Graph *g = NULL;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "OiO!O", &after, &kind, &PyTuple_Type, &names, &nodes)) return NULL;
	por_node **x = take_nodes(nodes, &g, &n);
	if (!x) return NULL;
	if (!g || PyTuple_Size(names) != n) {
		PyMem_Free(x);
		return PyErr_Format(PyExc_ValueError, "do: %zd values, %zd names", n, PyTuple_Size(names));
	}
	const char **name = names_of(names, n);
	por_node *token = name ? take_node(after, g) : NULL;
	enter(g);
	token = token ? por_do(token, kind, (int)n, name, x) : NULL;
	PyMem_Free(name);
	PyMem_Free(x);
	return PyErr_Occurred() ? NULL : give_node(g, token);
}

/* cond_all(condition, yes, no): one branch of several results */
static PyObject *cond_all(PyObject *m, PyObject *args)
{
	ALONE;
	PyObject *condition, *sides[2], *result = NULL;
	Graph *g = NULL;
	Py_ssize_t n[2] = {0, 0};
	if (!PyArg_ParseTuple(args, "OOO", &condition, &sides[0], &sides[1])) return NULL;
	por_node **yes = take_nodes(sides[0], &g, &n[0]), **no = yes ? take_nodes(sides[1], &g, &n[1]) : NULL;
	por_node *c = no && n[0] == n[1] ? take_node(condition, g) : NULL;
	por_node **out = PyMem_New(por_node *, n[0] + 1);
	if (no && n[0] != n[1]) PyErr_Format(PyExc_ValueError, "cond: %zd results, and %zd", n[0], n[1]);
	if (c && out && enter(g)) {
		int code = por_if_all(c, (int)n[0], yes, no, out);
		result = code ? raise_graph(g) : give_nodes(g, (int)n[0], out);
	}
	PyMem_Free(yes);
	PyMem_Free(no);
	PyMem_Free(out);
	return result;
}

PyMethodDef effect_functions[] = {
	{"no_effect", no_effect, METH_O, NULL},
	{"do", do_effect, METH_VARARGS, NULL},
	{"cond_all", cond_all, METH_VARARGS, NULL},
	{0}};
