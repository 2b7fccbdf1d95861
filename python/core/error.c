/* error.c - errors of the library as exceptions, and the line of the user's that they name. */
#include "core.h"

#include <stdio.h>
#include <string.h>

PyObject *package;

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

static void end_line(char *shown)
{
	size_t n = shown ? strlen(shown) : 0;
	while (n && shown[n - 1] == '\n') shown[--n] = 0;
}

void raise_text(PyObject *class, char *shown, const char *text)
{
	end_line(shown);
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

/* Of an operator of one's own the graph says what rule tells a derivative: here an argument does. */
static void tell_operator(por_error *e)
{
	size_t n = strcspn(e->text, "(");
	while (n && e->text[n - 1] == ' ') n--;
	snprintf(e->text + n, sizeof e->text - n, ": porism.operator(..., derivative=...) or vjp= tells it");
}

PyObject *raise_graph(Graph *g)
{
	por_error e = *por_graph_error(g->g);
	por_clear_error(g->g);
	if (PyErr_Occurred()) return NULL;
	if (e.argument == POR_AT_OPERATOR) tell_operator(&e);
	if (strstr(e.text, "as in ") == NULL || e.column) return raise_error(&e);
	char *shown = por_error_show(&e, NULL);
	end_line(shown);
	PyObject *s = said_in_python(shown ? shown : e.text);
	if (s) PyErr_SetObject(class_of(&e), s);
	Py_XDECREF(s);
	por_text_free(shown);
	return NULL;
}
