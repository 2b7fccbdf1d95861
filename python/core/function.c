/* function.c - closed functions, and files of the notation. */
#include "core.h"

#include <stdio.h>
#include <string.h>

/* ---- functions --------------------------------------------------------------------------------------------------- */

PyObject *give_function(Graph *g, por_function *f)
{
	if (!f) return raise_graph(g);
	Function *x = (Function *)make_object(function_type);
	if (!x) return NULL;
	x->f = f;
	x->graph = (Graph *)Py_NewRef((PyObject *)g);
	return (PyObject *)x;
}

static void function_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(OBJECT(((Function *)self)->graph));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *function_invoke(PyObject *self, PyObject *nodes)
{
	ALONE;
	Function *f = (Function *)self;
	Graph *g = f->graph;
	Py_ssize_t n;
	por_node **x = take_nodes(nodes, &g, &n);
	if (!x) return NULL;
	enter(g);
	por_node *node = por_invoke(f->f, (int)n, x);
	PyMem_Free(x);
	return give_node(g, node);
}

/* invoke_after(token, nodes): of one that has effects; the last of what it gives is the token behind them */
static PyObject *function_invoke_after(PyObject *self, PyObject *args)
{
	ALONE;
	Function *f = (Function *)self;
	Graph *g = f->graph;
	PyObject *after, *nodes;
	Py_ssize_t n;
	if (!PyArg_ParseTuple(args, "OO", &after, &nodes)) return NULL;
	por_node *token = take_node(after, g), **x = token ? take_nodes(nodes, &g, &n) : NULL;
	if (!x) return token ? NULL : raise_graph(g);
	enter(g);
	por_node *node = por_invoke_after(token, f->f, (int)n, x);
	PyMem_Free(x);
	return give_node(g, node);
}

static PyObject *function_effects(PyObject *self, void *unused)
{
	return PyBool_FromLong(por_has_effects(((Function *)self)->f));
}

/* vmap(axes): of each input; None: shared */
static PyObject *function_vmap(PyObject *self, PyObject *list)
{
	ALONE;
	Function *f = (Function *)self;
	Py_ssize_t n = PySequence_Size(list);
	int *axis = n < 0 ? NULL : PyMem_Malloc((size_t)(n + 1) * sizeof *axis);
	for (Py_ssize_t i = 0; axis && i < n; i++) {
		PyObject *o = PySequence_GetItem(list, i);
		axis[i] = o == Py_None ? POR_SHARED : (int)PyLong_AsLong(o);
		Py_XDECREF(o);
	}
	enter(f->graph);
	PyObject *result = axis && !PyErr_Occurred() ? give_function(f->graph, por_vmap(f->f, (int)n, axis)) : NULL;
	PyMem_Free(axis);
	return result;
}

static PyObject *function_checkpoint(PyObject *self, PyObject *unused)
{
	ALONE;
	Function *f = (Function *)self;
	enter(f->graph);
	return give_function(f->graph, por_checkpoint(f->f));
}

static PyObject *function_exact(PyObject *self, PyObject *unused)
{
	ALONE;
	Function *f = (Function *)self;
	enter(f->graph);
	return give_function(f->graph, por_with_laws(f->f, POR_LAW_EXACT));
}

/* with_derivative(d), with_vjp(b): the function with one of its own */
static PyObject *with_own(PyObject *self, PyObject *o, por_function *(*give)(por_function *, por_function *))
{
	Function *f = (Function *)self;
	if (!PyObject_TypeCheck(o, function_type)) return PyErr_Format(PyExc_TypeError, "%R is no function of a graph", o);
	enter(f->graph);
	return give_function(f->graph, give(f->f, ((Function *)o)->f));
}
static PyObject *function_with_derivative(PyObject *self, PyObject *d)
{
	ALONE;
	return with_own(self, d, por_with_derivative);
}
static PyObject *function_with_vjp(PyObject *self, PyObject *b)
{
	ALONE;
	return with_own(self, b, por_with_vjp);
}

static PyObject *function_text(PyObject *self, PyObject *unused)
{
	ALONE;
	return give_text(((Function *)self)->graph, por_print_function(((Function *)self)->f, 0));
}
static PyObject *function_dot(PyObject *self, PyObject *unused)
{
	ALONE;
	return give_text(((Function *)self)->graph, por_print_dot(((Function *)self)->f));
}
static PyObject *function_name(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_function_name(((Function *)self)->f));
}
static PyObject *function_doc(PyObject *self, void *unused)
{
	ALONE;
	return PyUnicode_FromString(por_function_doc(((Function *)self)->f));
}
static PyObject *function_graph(PyObject *self, void *unused)
{
	return Py_NewRef((PyObject *)((Function *)self)->graph);
}

/* ("array", leaf), ("tuple", [structures]) or ("record", [(name, structure)]) */
static PyObject *structure_of(const por_structure *s)
{
	const char *kind = por_structure_kind(s);
	int leaf = por_structure_leaf(s);
	if (leaf >= 0) return Py_BuildValue("(si)", kind, leaf);
	PyObject *parts = PyList_New(0);
	for (int i = 0; parts && i < por_structure_count(s); i++) {
		PyObject *part = structure_of(por_structure_element(s, i)), *pair = NULL;
		if (part) pair = strcmp(kind, "record") ? Py_NewRef(part)
			                                : Py_BuildValue("(sO)", por_structure_field(s, i), part);
		Py_XDECREF(part);
		if (!pair || PyList_Append(parts, pair)) Py_CLEAR(parts);
		Py_XDECREF(pair);
	}
	return Py_BuildValue("(sN)", kind, parts);
}

static PyObject *leaf_of(Graph *g, const por_leaf *l)
{
	char *type = por_type_text(l->type);
	PyObject *o = Py_BuildValue("(ss)", l->path, type ? type : "");
	por_text_free(type);
	return o;
}

/* {params: [(name, fact, structure)], result: structure, inputs: [(path, type)], outputs: [(path, type)]} */
static PyObject *function_signature(PyObject *self, PyObject *unused)
{
	ALONE;
	por_function *f = ((Function *)self)->f;
	Graph *g = ((Function *)self)->graph;
	PyObject *params = PyList_New(0), *inputs = PyList_New(0), *outputs = PyList_New(0);
	bool good = params && inputs && outputs;
	for (int i = 0; good && i < por_function_params(f); i++) {
		char *fact = por_function_fact(f, i);
		PyObject *o = Py_BuildValue("(ssN)", por_function_param(f, i), fact ? fact : "",
			structure_of(por_function_param_structure(f, i)));
		por_text_free(fact);
		good = o && !PyList_Append(params, o);
		Py_XDECREF(o);
	}
	por_leaf l;
	for (int i = 0; good && !por_function_input(f, i, &l) && i < por_function_inputs(f); i++) {
		PyObject *o = leaf_of(g, &l);
		good = o && !PyList_Append(inputs, o);
		Py_XDECREF(o);
	}
	for (int i = 0; good && i < por_function_outputs(f) && !por_function_output(f, i, &l); i++) {
		PyObject *o = leaf_of(g, &l);
		good = o && !PyList_Append(outputs, o);
		Py_XDECREF(o);
	}
	por_clear_error(g->g);
	return Py_BuildValue("{sNsNsNsN}", "params", params, "inputs", inputs, "outputs", outputs, "result",
		structure_of(por_function_result_structure(f)));
}

static bool take_tier(const char *name, int32_t *tier)
{
	static const char *const names[] = {"background", "interpret", "native", "cached", "reference"};
	for (int i = 0; i < 5; i++)
		if (!strcmp(name, names[i])) {
			*tier = i;
			return true;
		}
	PyErr_Format(PyExc_ValueError, "tier %R: there are background, interpret, native, cached and reference",
		PyUnicode_FromString(name));
	return false;
}

static PyObject *check_tier(PyObject *m, PyObject *o)
{
	const char *name;
	int32_t tier;
	if (!take_text(o, &name) || !take_tier(name, &tier)) return NULL;
	Py_RETURN_NONE;
}

PyMethodDef tier_functions[] = {{"check_tier", check_tier, METH_O, NULL}, {0}};

/* false, with the exception: it does not become native, and is gone */
static bool wait_native(por_program *p)
{
	PyThreadState *t = PyEval_SaveThread();
	int code = por_wait(p, -1);
	PyEval_RestoreThread(t);
	if (!code) return true;
	raise_error(por_program_error(p));
	por_program_free(p);
	return false;
}

/* compile(tier, threads, check_finite, keep_stages, profile) */
static PyObject *function_compile(PyObject *self, PyObject *args, PyObject *kw)
{
	ALONE;
	static char *names[] = {"tier", "threads", "check_finite", "keep_stages", "profile", "rules", "cache",
		"donate", NULL};
	Function *f = (Function *)self;
	por_options o = {.size = sizeof o, .hear = hear_effect};
	const char *tier = "background";
	int threads = 0, finite = 0, stages = 0, profile = 0, rules = 1, donate = 0;
	const char *cache = NULL;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|$sipippzi", names, &tier, &threads, &finite, &stages, &profile, &rules,
		&cache, &donate) || !take_tier(tier, &o.tier))
		return NULL;
	o.threads = threads;
	o.check_finite = finite;
	o.keep_stages = stages;
	o.profile = profile;
	o.no_rules = !rules;
	o.cache = cache;
	o.donate = donate;
	/* The graph's work is done under the GIL; a compiler of C, which takes longer, is waited for without it. */
	bool native = o.tier == POR_TIER_NATIVE;
	if (native) o.tier = POR_TIER_BACKGROUND;
	enter(f->graph);
	por_program *p = por_compile_function(f->f, &o);
	if (!p) return raise_graph(f->graph);
	return native && !wait_native(p) ? NULL : give_program(p, f->graph->operators, donate);
}

static PyMethodDef function_methods[] = {
	{"invoke", function_invoke, METH_O, NULL},
	{"invoke_after", function_invoke_after, METH_VARARGS, NULL},
	{"vmap", function_vmap, METH_O, NULL},
	{"checkpoint", function_checkpoint, METH_NOARGS, NULL},
	{"exact", function_exact, METH_NOARGS, NULL},
	{"with_derivative", function_with_derivative, METH_O, NULL},
	{"with_vjp", function_with_vjp, METH_O, NULL},
	{"text", function_text, METH_NOARGS, "text(): its definition in the notation"},
	{"dot", function_dot, METH_NOARGS, "dot(): its graph, for Graphviz"},
	{"signature", function_signature, METH_NOARGS, NULL},
	{"compile", (PyCFunction)(void *)function_compile, METH_VARARGS | METH_KEYWORDS, NULL},
	{0}};
static PyGetSetDef function_gets[] = {
	{"name", function_name, NULL, "its name", NULL},
	{"doc", function_doc, NULL, "the comment above it in its file", NULL},
	{"graph", function_graph, NULL, "the graph it is of", NULL},
	{"effects", function_effects, NULL, "whether it prints, asserts or checks", NULL},
	{0}};
static PyType_Slot function_slots[] = {{Py_tp_dealloc, function_dealloc}, {Py_tp_methods, function_methods},
	{Py_tp_getset, function_gets}, {Py_tp_doc, "A closed function of a graph."}, {0}};
PyType_Spec function_spec = {"porism._core.Function", sizeof(Function), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, function_slots};

/* ---- files --------------------------------------------------------------------------------------------------------- */

typedef struct File {
	PyObject_HEAD
	por_module *m;
	Graph *graph;
} File;

/* Without a text it is the library's module of that name. */
PyObject *load_file(Graph *g, const char *text, Py_ssize_t n, const char *file)
{
	por_module *m = text ? por_load(g->g, text, n, file) : por_load_library(g->g, file);
	if (!m) {
		por_error e = *por_graph_error(g->g);
		bool here = !strcmp(e.file, file);   /* and not in a file that it uses */
		por_clear_error(g->g);
		raise_text(class_of(&e), por_error_show(&e, here ? text : NULL), e.text);
		return NULL;
	}
	File *x = (File *)make_object(file_type);
	if (!x) return NULL;
	x->m = m;
	x->graph = (Graph *)Py_NewRef((PyObject *)g);
	return (PyObject *)x;
}

static void file_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(OBJECT(((File *)self)->graph));
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/* [(kind, name, doc, line)] */
static PyObject *file_declarations(PyObject *self, PyObject *unused)
{
	ALONE;
	por_module *m = ((File *)self)->m;
	PyObject *list = PyList_New(0);
	for (int i = 0; list && i < por_module_count(m); i++) {
		PyObject *o = Py_BuildValue("(sssi)", por_module_kind(m, i), por_module_name(m, i), por_module_doc(m, i),
			por_module_line(m, i));
		if (!o || PyList_Append(list, o)) Py_CLEAR(list);
		Py_XDECREF(o);
	}
	return list;
}

/* [(name, type, default, fact)] of a function, as they are written */
static PyObject *file_params(PyObject *self, PyObject *args)
{
	ALONE;
	File *x = (File *)self;
	const char *name;
	if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
	PyObject *list = PyList_New(0);
	int n = por_declared_params(x->m, name);
	por_param p;
	for (int i = 0; list && i < n && !por_declared_param(x->m, name, i, &p); i++) {
		PyObject *o = p.bracket ? Py_NewRef(Py_None) : Py_BuildValue("(ssss)", p.name, p.type, p.fallback, p.fact);
		if (!o || (o != Py_None && PyList_Append(list, o))) Py_CLEAR(list);
		Py_XDECREF(o);
	}
	por_clear_error(x->graph->g);
	return list;
}

/* {leaf: type text} */
por_given *take_given(Graph *g, PyObject *types, int *n)
{
	Py_ssize_t at = 0;
	por_given *given = PyMem_Calloc((size_t)PyDict_Size(types) + 1, sizeof *given);
	PyObject *key, *value;
	bool good = given;
	if (!given) PyErr_NoMemory();
	enter(g);
	for (*n = 0; good && PyDict_Next(types, &at, &key, &value); ++*n) {
		const char *text;
		good = take_text(key, &given[*n].name) && take_text(value, &text);
		if (good && !(given[*n].type = por_type_parse(g->g, text))) good = raise_graph(g);
	}
	if (good) return given;
	PyMem_Free(given);
	return NULL;
}

/* function(name, {leaf: type text}): types are given of what has none in the file */
static PyObject *file_function(PyObject *self, PyObject *args)
{
	ALONE;
	File *x = (File *)self;
	const char *name;
	PyObject *types;
	if (!PyArg_ParseTuple(args, "sO!", &name, &PyDict_Type, &types)) return NULL;
	int n;
	por_given *given = take_given(x->graph, types, &n);
	PyObject *f = given ? give_function(x->graph, por_function_named(x->m, name, n, given)) : NULL;
	PyMem_Free(given);
	return f;
}

/* called(name, {leaf: type text}, which): what `which` is called with, as a function of that; None: it is not called */
static PyObject *file_called(PyObject *self, PyObject *args)
{
	File *x = (File *)self;
	const char *name, *which;
	PyObject *types;
	if (!PyArg_ParseTuple(args, "sO!s", &name, &PyDict_Type, &types, &which)) return NULL;
	int n;
	por_given *given = take_given(x->graph, types, &n);
	if (!given) return NULL;
	por_function *called = por_called_with(x->m, name, n, given, which);
	PyMem_Free(given);
	if (!called && !por_graph_error(x->graph->g)->code) Py_RETURN_NONE;
	return give_function(x->graph, called);
}

static PyMethodDef file_methods[] = {
	{"declarations", file_declarations, METH_NOARGS, NULL},
	{"params", file_params, METH_VARARGS, NULL},
	{"function", file_function, METH_VARARGS, NULL},
	{"called", file_called, METH_VARARGS, NULL},
	{0}};
static PyType_Slot file_slots[] = {{Py_tp_dealloc, file_dealloc}, {Py_tp_methods, file_methods}, {0}};
PyType_Spec file_spec = {"porism._core.File", sizeof(File), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, file_slots};
