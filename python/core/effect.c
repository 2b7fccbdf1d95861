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
	if (shown) text = PyUnicode_FromFormat("%s%s%S", name, *name ? " = " : "", shown);
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
