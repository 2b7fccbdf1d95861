/* program.c - the type Program: what it takes and gives, what it explains, how it is kept. */
#include "program.h"

#include <string.h>

PyObject *give_program(por_program *of, PyObject *operators, int donate)
{
	Program *p = (Program *)make_object(program_type);
	if (!p) {
		por_program_free(of);
		return NULL;
	}
	p->call = program_call;
	p->p = of;
	p->donate = donate;
	p->operators = Py_XNewRef(operators);
	p->python = any_of_python(operators);
	p->nin = por_program_inputs(of);
	p->nout = por_program_outputs(of);
	p->in = PyMem_Calloc((size_t)(p->nin + p->nout) + 1, sizeof *p->in);
	if (!p->in) {
		Py_DECREF(OBJECT(p));
		return PyErr_NoMemory();
	}
	p->out = p->in + p->nin;
	for (int i = 0; i < p->nin; i++) {
		p->in[i].dtype = por_program_input_type(of, i, &p->in[i].rank);
		p->nkey += p->in[i].rank;
	}
	for (int j = 0; j < p->nout; j++) {
		p->out[j].dtype = por_program_output_type(of, j, &p->out[j].rank);
		if (dtype_of_numpy(p->out[j].dtype)) continue;
		Py_DECREF(OBJECT(p));
		return NULL;
	}
	return (PyObject *)p;
}

por_program *program_alone(PyObject *self)
{
	Program *p = (Program *)self;
	return p->python ? NULL : p->p;
}

static void program_dealloc(PyObject *self)
{
	Program *p = (Program *)self;
	PyTypeObject *type = Py_TYPE(self);
	for (Slot *s = p->slots, *next; s; s = next) {
		next = s->next;
		slot_free(s);
	}
	por_program_free(p->p);
	PyMem_Free(p->in);
	PyMem_Free(p->from);
	Py_XDECREF(p->source);
	Py_XDECREF(p->operators);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *program_ports(PyObject *self, bool in)
{
	Program *p = (Program *)self;
	int n = in ? p->nin : p->nout;
	PyObject *t = PyTuple_New(n);
	for (int i = 0; t && i < n; i++) {
		const char *text = in ? por_program_input(p->p, i) : por_program_output(p->p, i);
		if (!in && !strncmp(text, ": ", 2)) text += 2;
		PyObject *o = PyUnicode_FromString(text);
		if (!o || PyTuple_SetItem(t, i, o)) Py_CLEAR(t);
	}
	return t;
}
static PyObject *program_inputs(PyObject *self, void *unused)
{
	return program_ports(self, true);
}
static PyObject *program_outputs(PyObject *self, void *unused)
{
	return program_ports(self, false);
}

static PyObject *program_tier(PyObject *self, void *unused)
{
	int tier = por_program_tier(((Program *)self)->p);
	return PyUnicode_FromString(tier == POR_TIER_NATIVE ? "native" : tier == POR_TIER_REFERENCE ? "reference"
	                                                                                             : "interpret");
}

static PyObject *program_source(PyObject *self, void *unused)
{
	PyObject *o = ((Program *)self)->source;
	return Py_NewRef(o ? o : Py_None);
}
static int program_set_source(PyObject *self, PyObject *o, void *unused)
{
	put_object(&((Program *)self)->source, Py_XNewRef(o));
	return 0;
}

/* arrays: numbers are given as NumPy's arrays of no axes, as PyTensor wants them */
static int program_set_arrays(PyObject *self, PyObject *o, void *unused)
{
	int arrays = o ? PyObject_IsTrue(o) : 0;
	((Program *)self)->arrays = arrays > 0;
	return arrays < 0 ? -1 : 0;
}

/* order: the place in a call of each argument */
static int program_set_order(PyObject *self, PyObject *o, void *unused)
{
	Program *p = (Program *)self;
	int *from = PyMem_Calloc((size_t)p->nin + 1, sizeof *from);
	bool good = from && o && PyTuple_Check(o) && PyTuple_Size(o) == p->nin;
	for (int i = 0; good && i < p->nin; i++) {
		from[i] = (int)PyLong_AsLong(PyTuple_GetItem(o, i));
		good = from[i] >= 0 && from[i] < p->nin;
	}
	if (good) {
		PyMem_Free(p->from);
		p->from = from;
		return 0;
	}
	PyMem_Free(from);
	if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "order: a place for each argument is wanted");
	return -1;
}

static PyObject *program_wait(PyObject *self, PyObject *args, PyObject *named)
{
	static char *words[] = {"seconds", NULL};
	double seconds = -1;
	if (!PyArg_ParseTupleAndKeywords(args, named, "|d", words, &seconds)) return NULL;
	PyThreadState *t = PyEval_SaveThread();
	int code = por_wait(((Program *)self)->p, seconds);
	PyEval_RestoreThread(t);
	return PyBool_FromLong(!code);
}

static PyObject *program_explain(PyObject *self, PyObject *args, PyObject *named)
{
	static char *words[] = {"what", NULL};
	const char *what = "kernels";
	if (!PyArg_ParseTupleAndKeywords(args, named, "|s", words, &what)) return NULL;
	char *text = por_explain(((Program *)self)->p, what);
	return text ? give_text(NULL, text) : raise_error(por_program_error(((Program *)self)->p));
}

/* page(title, files, texts): lists of str, of one length */
static PyObject *program_page(PyObject *self, PyObject *args)
{
	const char *title;
	PyObject *files, *texts;
	if (!PyArg_ParseTuple(args, "sO!O!", &title, &PyList_Type, &files, &PyList_Type, &texts)) return NULL;
	Py_ssize_t n = PyList_Size(files);
	if (PyList_Size(texts) != n)
		return PyErr_Format(PyExc_ValueError, "page: %zd files, %zd texts", n, PyList_Size(texts));
	const char **file = PyMem_New(const char *, 2 * n + 1), **text = file + n;
	if (!file) return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < n; i++) {
		file[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(files, i), NULL);
		text[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(texts, i), NULL);
		if (!file[i] || !text[i]) {
			PyMem_Free(file);
			return NULL;
		}
	}
	char *page = por_page(((Program *)self)->p, title, NULL, (int)n, file, text);
	PyMem_Free(file);
	return page ? give_text(NULL, page) : raise_error(por_program_error(((Program *)self)->p));
}

static PyObject *program_export(PyObject *self, PyObject *args, PyObject *named)
{
	static char *words[] = {"name", "header", NULL};
	const char *name;
	int header = 0;
	if (!PyArg_ParseTupleAndKeywords(args, named, "s|p", words, &name, &header)) return NULL;
	char *text = por_export_c(((Program *)self)->p, name, header);
	return text ? give_text(NULL, text) : raise_error(por_program_error(((Program *)self)->p));
}

static PyObject *program_reduce(PyObject *self, PyObject *unused)
{
	PyObject *source = ((Program *)self)->source;
	if (!source) return PyErr_Format(PyExc_TypeError, "this program has no source that could be pickled");
	PyObject *home = PyImport_ImportModule("porism.explicit");
	PyObject *again = home ? PyObject_GetAttrString(home, "compile_again") : NULL;
	Py_XDECREF(home);
	return again ? Py_BuildValue("(NO)", again, source) : NULL;
}

static PyObject *program_repr(PyObject *self)
{
	PyObject *in = program_ports(self, true), *out = program_ports(self, false), *comma = PyUnicode_FromString(", ");
	PyObject *a = in && comma ? PyUnicode_Join(comma, in) : NULL, *b = out && comma ? PyUnicode_Join(comma, out) : NULL;
	PyObject *text = a && b ? PyUnicode_FromFormat("<program (%U) -> %U>", a, b) : NULL;
	Py_XDECREF(in), Py_XDECREF(out), Py_XDECREF(comma), Py_XDECREF(a), Py_XDECREF(b);
	return text;
}

static PyMethodDef program_methods[] = {
	{"wait", (PyCFunction)(void *)program_wait, METH_VARARGS | METH_KEYWORDS,
	 "wait(seconds=-1): True when it is native; seconds below 0: no limit"},
	{"explain", (PyCFunction)(void *)program_explain, METH_VARARGS | METH_KEYWORDS,
	 "explain(what=\"kernels\"): \"plan\", \"memory\", \"kernels\", \"c\", \"rules\", \"stages\", \"profile\", \"log\""},
	{"page", program_page, METH_VARARGS, "page(title, files, texts): HTML, of a program that has keep_stages=2"},
	{"export_c", (PyCFunction)(void *)program_export, METH_VARARGS | METH_KEYWORDS,
	 "export_c(name, header=False): C that needs no Porism, or its header"},
	{"__reduce__", program_reduce, METH_NOARGS, NULL},
	{0}};
static PyGetSetDef program_gets[] = {
	{"inputs", program_inputs, NULL, "names and types of the arguments: \"X: f64[m, n]\"", NULL},
	{"outputs", program_outputs, NULL, "types of the results", NULL},
	{"tier", program_tier, NULL, "what runs now: \"interpret\", \"native\" or \"reference\"", NULL},
	{"source", program_source, program_set_source, NULL, NULL},
	{"order", NULL, program_set_order, NULL, NULL},
	{"arrays", NULL, program_set_arrays, NULL, NULL},
	{0}};
static PyMemberDef program_members[] = {
	{"__vectorcalloffset__", T_PYSSIZET, offsetof(Program, call), READONLY, NULL}, {0}};
static PyType_Slot program_slots[] = {{Py_tp_dealloc, program_dealloc}, {Py_tp_call, PyVectorcall_Call},
	{Py_tp_members, program_members}, {Py_tp_methods, program_methods}, {Py_tp_getset, program_gets},
	{Py_tp_repr, program_repr}, {Py_tp_doc, "A compiled function: NumPy's arrays in, NumPy's arrays out."}, {0}};
PyType_Spec program_spec = {"porism._core.Program", sizeof(Program), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, program_slots};
