/* module.c - the module porism._core, and the context that all graphs share. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *graph_type, *node_type, *size_type, *function_type, *loop_type, *file_type, *program_type, *dispatch_type;

/* `use NAME` of a file: NAME.por beside it.  The texts live as long as the process; each file is read anew by each
 * load, so that the last one of a name is kept alone. */
static int load_beside(void *user, por_source *s)
{
	static __thread char *text, file[4096];
	const char *slash = strrchr(s->from, '/');
	snprintf(file, sizeof file, "%.*s%s.por", slash ? (int)(slash - s->from) + 1 : 0, s->from, s->name);
	s->file = file;
	FILE *f = fopen(file, "rb");
	size_t room = 0, n = 0;
	if (!f) {
		s->why = "there is no such file";
		return POR_ERR_FILE;
	}
	free(text);
	text = NULL;
	for (size_t got = 1; got; n += got) {
		if (room - n < 4096) {
			char *more = realloc(text, room = 2*room + 8192);
			if (!more) break;
			text = more;
		}
		got = fread(text + n, 1, room - n - 1, f);
	}
	fclose(f);
	if (!text) return POR_ERR_MEMORY;
	s->text = text;
	s->n = (int64_t)n;
	return POR_OK;
}

static bool add_types(PyObject *m)
{
	static const struct {
		const char *name;
		PyTypeObject **type;
		PyType_Spec *spec;
	} table[] = {{"Graph", &graph_type, &graph_spec}, {"Node", &node_type, &node_spec}, {"Size", &size_type, &size_spec},
		{"Function", &function_type, &function_spec}, {"Loop", &loop_type, &loop_spec}, {"File", &file_type, &file_spec},
		{"Program", &program_type, &program_spec}, {"Dispatch", &dispatch_type, &dispatch_spec},
		{"Array", &array_type, &array_spec}, {"Operator", &operator_type, &operator_spec}};
	for (size_t i = 0; i < sizeof table/sizeof *table; i++) {
		PyObject *type = PyType_FromSpec(table[i].spec);
		*table[i].type = (PyTypeObject *)type;
		if (!type || PyModule_AddObjectRef(m, table[i].name, type)) return false;
	}
	shown_node = Py_NewRef((PyObject *)node_type);
	shown_size = Py_NewRef((PyObject *)size_type);
	shown_array = Py_NewRef((PyObject *)array_type);
	return true;
}

static PyMethodDef functions[] = {
	{"trace_opened", trace_opened, METH_O, NULL}, {"end_log", end_log, METH_NOARGS, NULL}, {0}};

static bool add_functions(PyObject *m)
{
	PyMethodDef *const table[] = {
		exchange_functions, build_functions, edit_functions, array_functions, xla_functions, effect_functions, tier_functions};
	for (size_t i = 0; i < sizeof table/sizeof *table; i++)
		if (PyModule_AddFunctions(m, table[i])) return false;
	return true;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "porism._core", NULL, -1, functions, NULL, NULL, NULL, NULL};
	const por_context_options o = {.size = sizeof o, .load = load_beside, .log = log_line};
	if (!numpy_import()) return NULL;
	if (!context && !(context = por_context_new(&o))) return PyErr_NoMemory();
	PyObject *m = PyModule_Create(&def);
#ifdef Py_GIL_DISABLED
	if (m && PyUnstable_Module_SetGIL(m, Py_MOD_GIL_NOT_USED)) Py_CLEAR(m);
#endif
	if (!m || !add_types(m) || !add_functions(m) || PyModule_AddStringConstant(m, "version", por_version()))
		Py_CLEAR(m);
	return m;
}
