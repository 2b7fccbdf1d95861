/* call.c - compiled functions, called from Python: arguments lie where NumPy has them, results are new arrays of
 * NumPy's.  A call takes a slot, which has a frame and all that a call needs; what is known of the last shapes stays in
 * it, so that a call of the same shapes looks at each argument once and allocates nothing but its results. */
#include "program.h"

#include <string.h>

enum { QUICK_WORK = 1 << 15 };                   /* additions; calls of more work let other threads of Python run */

/* ---- slots ------------------------------------------------------------------------------------------------------- */

void slot_free(Slot *s)
{
	if (!s) return;
	por_frame_free(s->frame);
	PyMem_Free(s->key);
	PyMem_Free(s->in);
	PyMem_Free(s->stride);
	PyMem_Free(s->number);
	PyMem_Free(s->held);
	PyMem_Free(s->placed);
	PyMem_Free(s);
}

static Slot *slot_new(const Program *p)
{
	size_t n = (size_t)p->nin + (size_t)p->nout + 1;
	Slot *s = PyMem_Calloc(1, sizeof *s);
	if (!s) return (Slot *)PyErr_NoMemory();
	s->frame = por_frame_new(p->p);
	s->key = PyMem_Calloc((size_t)p->nkey + 1, sizeof *s->key);
	s->in = PyMem_Calloc(n, sizeof *s->in);
	s->stride = PyMem_Calloc(n, sizeof *s->stride);
	s->number = PyMem_Calloc(n, sizeof *s->number);
	s->held = PyMem_Calloc(n, sizeof *s->held);
	s->placed = PyMem_Calloc(n, sizeof *s->placed);
	if (!s->frame || !s->key || !s->in || !s->stride || !s->number || !s->held || !s->placed) {
		slot_free(s);
		return (Slot *)PyErr_NoMemory();
	}
	s->out = s->in + p->nin;
	s->shape = s->stride + p->nin;
	s->made = s->held + p->nin;
	for (int i = 0; i < p->nin; i++) s->in[i] = por_view(NULL, p->in[i].dtype, p->in[i].rank, NULL);
	for (int j = 0; j < p->nout; j++) s->out[j] = por_view(NULL, p->out[j].dtype, p->out[j].rank, s->shape[j]);
	return s;
}

static Slot *slot_take(Program *p)
{
	lock(&p->locked);
	Slot *s = p->slots;
	if (s) p->slots = s->next;
	unlock(&p->locked);
	return s ? s : slot_new(p);
}

static int place_of(const Program *p, int i)
{
	return p->from ? p->from[i] : i;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static PyObject *shown_shape(const por_array *a)
{
	PyObject *list = PyList_New(0), *comma = PyUnicode_FromString(", "), *text = NULL;
	for (int k = 0; list && k < a->ndim; k++) {
		PyObject *o = PyUnicode_FromFormat("%lld", (long long)a->shape[k]);
		if (o) PyList_Append(list, o);
		Py_XDECREF(o);
	}
	if (list && comma) text = PyUnicode_Join(comma, list);
	Py_XDECREF(list);
	Py_XDECREF(comma);
	return text;
}

static bool wrong_type(const Program *p, int i, PyObject *o)
{
	const char *wanted = por_program_input(p->p, i);
	if (is_numpy_array(o)) {
		int dtype = numpy_dtype((NumpyArray *)(void *)o);
		por_array a = {.ndim = ((NumpyArray *)(void *)o)->nd, .shape = (int64_t *)((NumpyArray *)(void *)o)->dimensions};
		PyObject *shape = shown_shape(&a), *name = PyObject_GetAttrString(o, "dtype");
		if (shape && name && dtype)
			PyErr_Format(PyExc_TypeError, a.ndim ? "argument %d: given %s[%U], wanted %s" : "argument %d: given %s%U, "
				"wanted %s", i + 1, por_dtype_name(dtype), shape, wanted);
		else if (name)
			PyErr_Format(PyExc_TypeError, "argument %d: given an array of dtype %S, wanted %s", i + 1, name, wanted);
		Py_XDECREF(shape);
		Py_XDECREF(name);
	} else
		PyErr_Format(PyExc_TypeError, "argument %d: given %R, wanted %s", i + 1, o, wanted);
	return false;
}

static bool is_float(int dtype)
{
	return dtype == POR_F64 || dtype == POR_F32 || dtype == POR_F16 || dtype == POR_BF16;
}

/* A number of Python where a scalar of a dtype that holds it is wanted. */
static bool take_number(const Program *p, Slot *s, int i, PyObject *o)
{
	int dtype = p->in[i].dtype;
	Number *to = &s->number[i];
	if (p->in[i].rank) return wrong_type(p, i, o);
	if (PyBool_Check(o)) {
		if (dtype != POR_BOOL) return wrong_type(p, i, o);
		to->byte[0] = o == Py_True;
	} else if (is_float(dtype)) {
		double v = PyFloat_AsDouble(o);
		if (PyErr_Occurred()) return false;
		if (dtype == POR_F64) to->d = v;
		else if (dtype == POR_F32) to->f = (float)v;
		else por_convert(1, dtype, to, POR_F64, &v);
	} else if (PyLong_Check(o) && dtype >= POR_I8 && dtype <= POR_U64) {
		int far;
		long long v = PyLong_AsLongLongAndOverflow(o, &far);
		int64_t back;
		por_convert(1, dtype, to, POR_I64, &v);
		por_convert(1, POR_I64, &back, dtype, to);
		if (far || back != v) {
			PyErr_Format(PyExc_OverflowError, "argument %d: %R does not fit %s%s", i + 1, o, por_dtype_name(dtype),
				far ? ": give a float, as 1e30" : "");
			return false;
		}
	} else
		return wrong_type(p, i, o);
	s->in[i].data = to;
	return true;
}

/* What is neither an array nor a plain number: a list, a tensor of another library, a number of NumPy's. */
static bool take_like(const Program *p, Slot *s, int i, PyObject *o)
{
	if (PyComplex_Check(o) || PyUnicode_Check(o) || o == Py_None) return wrong_type(p, i, o);
	PyObject *a = as_array(o, p->in[i].dtype);
	if (!a) return false;
	bool good = is_numpy_array(a) && numpy_dtype((NumpyArray *)(void *)a) == p->in[i].dtype &&
		((NumpyArray *)(void *)a)->nd == p->in[i].rank;
	if (good) good = view_array(a, &s->in[i], s->stride[i]) || !wrong_type(p, i, a);
	else wrong_type(p, i, a);
	put_object(&s->held[i], a);
	return good && !PyErr_Occurred();
}

static bool take_held(const Program *p, Slot *s, int i, Array *x)
{
	if (x->dtype != p->in[i].dtype || x->rank != p->in[i].rank) {
		PyObject *a = held_numpy(OBJECT(x));
		return a && wrong_type(p, i, a);
	}
	s->in[i].data = x->data;
	s->in[i].shape = (int64_t *)x->dims;
	s->in[i].strides = NULL;
	return true;
}

static bool take_argument(const Program *p, Slot *s, int i, PyObject *o)
{
	const Port *t = &p->in[i];
	if (PyFloat_CheckExact(o) && t->dtype == POR_F64 && !t->rank) {
		s->number[i].d = PyFloat_AsDouble(o);
		s->in[i].data = &s->number[i];
		return true;
	}
	if (PyFloat_Check(o) || PyLong_Check(o)) return take_number(p, s, i, o);
	if (is_held(o)) {
		Array *x = (Array *)o;
		if (!x->a) return take_held(p, s, i, x);
		o = x->a;
	}
	if (!is_numpy_array(o)) return take_like(p, s, i, o);
	NumpyArray *a = (NumpyArray *)(void *)o;
	if (numpy_dtype(a) != t->dtype || a->nd != t->rank) return wrong_type(p, i, o);
	if ((a->flags & (NUMPY_COMPACT | NUMPY_ALIGNED)) == (NUMPY_COMPACT | NUMPY_ALIGNED)) {
		s->in[i].data = a->data;
		s->in[i].shape = (int64_t *)a->dimensions;
		s->in[i].strides = NULL;
		return true;
	}
	return view_array(o, &s->in[i], s->stride[i]) || take_like(p, s, i, o);
}

/* Are the sizes those of the last call?  They are kept. */
static bool same_sizes(const Program *p, Slot *s)
{
	bool same = s->known;
	int64_t *key = s->key;
	for (int i = 0; i < p->nin; i++)
		for (int k = 0; k < p->in[i].rank; k++, key++) {
			same &= *key == s->in[i].shape[k];
			*key = s->in[i].shape[k];
		}
	return same;
}

/* Shapes of results, as far as those of arguments tell. */
static bool foresee(const Program *p, Slot *s)
{
	s->known = false;
	if (por_frame_reserve(s->frame, p->nin, s->in)) return raise_error(por_frame_error(s->frame)) != NULL;
	int64_t work = por_frame_work(s->frame);
	s->known = work >= 0;
	s->quick = work >= 0 && work <= QUICK_WORK;
	for (int j = 0; j < p->nout; j++) {
		s->placed[j] = por_frame_shape(s->frame, j, s->shape[j]) >= 0 || !p->out[j].rank;
		s->known &= s->placed[j];
	}
	return true;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* The array whose memory a result takes, which is the result then; NULL: it cannot be written to, or has been copied. */
static PyObject *donated(const Program *p, const Slot *s, int j, PyObject *const *args)
{
	if (j >= p->donate || s->held[j] || !p->out[j].rank) return NULL;
	PyObject *o = args[place_of(p, j)], *a = is_held(o) ? ((Array *)o)->a : o;
	return !a || ((NumpyArray *)(void *)a)->flags & NUMPY_WRITEABLE ? o : NULL;
}

static bool place_results(const Program *p, Slot *s, PyObject *const *args, bool held)
{
	for (int j = 0; j < p->nout; j++) {
		const Port *t = &p->out[j];
		void *data = NULL;
		PyObject *own = donated(p, s, j, args);
		if (own) {
			s->made[j] = Py_NewRef(own);
		} else if (held && s->placed[j] && t->dtype != POR_KEY) {
			if (!(s->made[j] = new_held(t->dtype, t->rank, s->shape[j], &data))) return false;
		} else if (!t->rank && !p->arrays) data = &s->number[p->nin + j];
		else if (s->placed[j] && !(s->made[j] = new_array(t->dtype, t->rank, s->shape[j], &data))) return false;
		s->out[j].data = data;
	}
	return true;
}

/* A result that lies in the frame, whose shape nobody knew. */
static PyObject *copy_result(const Program *p, Slot *s, int j, bool held)
{
	const por_array *a = por_frame_result(s->frame, j);
	held = held && p->out[j].dtype != POR_KEY;
	void *data;
	PyObject *o = a ? (held ? new_held : new_array)(p->out[j].dtype, a->ndim, a->shape, &data) : NULL;
	if (o)
		memcpy(data, (char *)a->data + a->byte_offset,
			(size_t)por_array_count(a) * por_dtype_bytes(p->out[j].dtype));
	else if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "a result is not there");
	return o;
}

static bool make_results(const Program *p, Slot *s, bool held)
{
	for (int j = 0; j < p->nout; j++) {
		int dtype = p->out[j].dtype;
		if (!s->made[j])
			s->made[j] = p->out[j].rank ? copy_result(p, s, j, held) : new_scalar(dtype, &s->number[p->nin + j]);
		s->made[j] = give_array(dtype, s->made[j]);
		if (!s->made[j]) return false;
	}
	return true;
}

static PyObject *give_results(const Program *p, Slot *s)
{
	PyObject *result = p->nout == 1 ? s->made[0] : PyTuple_New(p->nout);
	for (int j = 0; j < p->nout; j++) {
		if (p->nout != 1) PyTuple_SetItem(result, j, s->made[j]);
		s->made[j] = NULL;
	}
	return result;
}

/* ---- a call -------------------------------------------------------------------------------------------------------- */

static bool call_program(Program *p, Slot *s)
{
	int code;
	if (s->quick && !p->python)
		code = por_call(p->p, s->frame, p->nin, s->in, p->nout, s->out);
	else {
		PyThreadState *t = PyEval_SaveThread();
		code = por_call(p->p, s->frame, p->nin, s->in, p->nout, s->out);
		PyEval_RestoreThread(t);
	}
	if (code && (print_raised() || p->python) && operator_raised(por_frame_error(s->frame))) return false;
	return !code || raise_error(por_frame_error(s->frame));
}

static void slot_give(Program *p, Slot *s)
{
	for (int i = 0; i < p->nin; i++) Py_CLEAR(s->held[i]);
	for (int j = 0; j < p->nout; j++) Py_CLEAR(s->made[j]);
	lock(&p->locked);
	s->next = p->slots;
	p->slots = s;
	unlock(&p->locked);
}

PyObject *program_call_list(PyObject *self, PyObject *const *args, Py_ssize_t n, bool held)
{
	Program *p = (Program *)self;
	if (n != p->nin) return PyErr_Format(PyExc_TypeError, "given %zd arguments, wanted %d", n, p->nin);
	Slot *s = slot_take(p);
	if (!s) return NULL;
	Py_INCREF(self);                          /* a call may be the last that knows of it */
	bool good = true;
	for (int i = 0; good && i < p->nin; i++) good = take_argument(p, s, i, args[place_of(p, i)]);
	if (good && !same_sizes(p, s)) good = foresee(p, s);
	good = good && place_results(p, s, args, held) && call_program(p, s) && make_results(p, s, held);
	if (!good) s->known = false;
	PyObject *result = good ? give_results(p, s) : NULL;
	slot_give(p, s);
	Py_DECREF(self);
	return result;
}

static bool any_held(PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 0; i < n; i++)
		if (is_held(args[i])) return true;
	return false;
}

/* Arguments by name: the program's own names of its inputs, "w" or "p.w". */
static int input_named(const Program *p, PyObject *name)
{
	const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
	for (int i = 0; text && i < p->nin; i++) {
		const char *in = por_program_input(p->p, i);
		size_t n = strcspn(in, ":");
		if (strlen(text) == n && !memcmp(text, in, n)) return i;
	}
	return -1;
}

static PyObject *call_by_name(Program *p, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject **all = PyMem_Calloc((size_t)p->nin + 1, sizeof *all), *result = NULL;
	Py_ssize_t more = PyTuple_Size(names);
	if (!all) return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < n && i < p->nin; i++) all[i] = args[i];
	for (Py_ssize_t k = 0; k < more && !PyErr_Occurred(); k++) {
		PyObject *name = PyTuple_GetItem(names, k);
		int i = input_named(p, name);
		if (i < 0) PyErr_Format(PyExc_TypeError, "there is no argument %R", name);
		else if (all[i]) PyErr_Format(PyExc_TypeError, "argument %R is given twice", name);
		else all[i] = args[n + k];
	}
	for (int i = 0; i < p->nin && !PyErr_Occurred(); i++)
		if (!all[i]) PyErr_Format(PyExc_TypeError, "argument %d is missing: %s", i + 1, por_program_input(p->p, i));
	if (!PyErr_Occurred()) result = program_call_list((PyObject *)p, all, n + more, any_held(all, n + more));
	PyMem_Free(all);
	return result;
}

PyObject *program_call(PyObject *self, PyObject *const *args, size_t nf, PyObject *names)
{
	Py_ssize_t n = PyVectorcall_NARGS(nf);
	if (names && PyTuple_Size(names)) return call_by_name((Program *)self, args, n, names);
	return program_call_list(self, args, n, any_held(args, n));
}
