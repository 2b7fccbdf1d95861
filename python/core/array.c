/* array.c - porism.Array: what a call of porism.array_api gives.  Small arrays hold their elements, which costs less than
 * an array of NumPy's; all others, and those that something else is asked of, hold one of NumPy's.  Signs are calls of
 * functions that porism/array_api names. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *array_type;
PyObject *shown_array;

static PyObject *dtype_shown[POR_KEY + 1];       /* what x.dtype is, by ours */

int dtype_of_shown(PyObject *o)
{
	for (int d = POR_BOOL; d <= POR_C128; d++)
		if (o == dtype_shown[d]) return d;
	return POR_NO_DTYPE;
}

/* ---- blocks -------------------------------------------------------------------------------------------------------
 * Of arrays up to HELD_MOST bytes, which come and go in every call: of each power of two some are kept, chained by their
 * first words. */

enum { BLOCKS_KEPT = 16, CLASSES = 8 };          /* HELD_BYTES doubled 1 to 7 times */
static struct Kept {
	char *first;
	int n;
} kept[CLASSES];
static Lock kept_locked;

static int class_of_bytes(size_t bytes)
{
	int class = 0;
	while ((size_t)HELD_BYTES << class < bytes) class++;
	return class;
}

static char *take_block(size_t bytes)
{
	int class = class_of_bytes(bytes);
	struct Kept *k = &kept[class];
	lock(&kept_locked);
	char *block = k->first;
	if (block) {
		memcpy(&k->first, block, sizeof k->first);
		k->n--;
	}
	unlock(&kept_locked);
	return block ? block : aligned_alloc(64, (size_t)HELD_BYTES << class);
}

static void give_block(char *block, size_t bytes)
{
	struct Kept *k = &kept[class_of_bytes(bytes)];
	lock(&kept_locked);
	bool keep = k->n < BLOCKS_KEPT;
	if (keep) {
		memcpy(block, &k->first, sizeof k->first);
		k->first = block;
		k->n++;
	}
	unlock(&kept_locked);
	if (!keep) free(block);
}

/* Of one that holds its elements. */
static size_t held_bytes(const Array *x)
{
	size_t bytes = por_dtype_bytes(x->dtype);
	for (int k = 0; k < x->rank; k++) bytes *= (size_t)x->dims[k];
	return bytes;
}

/* ---- making ------------------------------------------------------------------------------------------------------- */

PyObject *new_held(int dtype, int rank, const int64_t *shape, void **data)
{
	size_t bytes = por_dtype_bytes(dtype);
	bool small = rank <= HELD_RANK;
	for (int k = 0; small && k < rank; k++) {
		bytes *= (size_t)shape[k];
		small = bytes <= HELD_MOST;
	}
	Array *x = (Array *)make_object((PyTypeObject *)shown_array);
	if (!x) return NULL;
	if (!small) {
		if ((x->a = new_array(dtype, rank, shape, data))) return OBJECT(x);
		Py_DECREF(OBJECT(x));
		return NULL;
	}
	x->dtype = (uint8_t)dtype;
	x->rank = (uint8_t)rank;
	for (int k = 0; k < rank; k++) x->dims[k] = (Py_ssize_t)shape[k];
	*data = x->data = bytes <= HELD_BYTES ? x->here : take_block(bytes);
	if (x->data) return OBJECT(x);
	Py_DECREF(OBJECT(x));
	return PyErr_NoMemory();
}

PyObject *held_numpy(PyObject *self)
{
	Array *x = (Array *)self;
	if (x->a) return x->a;
	int64_t shape[HELD_RANK];
	for (int k = 0; k < x->rank; k++) shape[k] = x->dims[k];
	void *data;
	PyObject *a = new_array(x->dtype, x->rank, shape, &data);
	if (!a) return NULL;
	memcpy(data, x->data, held_bytes(x));
	PyObject *first = NULL;                   /* of another thread */
	if (atomic_compare_exchange_strong(&x->a, &first, a)) return a;    /* the block stays: a call may be reading it */
	Py_DECREF(a);
	return first;
}

/* as_held(array of NumPy's): it, held */
static PyObject *as_held(PyObject *m, PyObject *a)
{
	if (!is_numpy_array(a)) return PyErr_Format(PyExc_TypeError, "%R is no array of NumPy's", a);
	int dtype = numpy_dtype((NumpyArray *)(void *)a);
	if (dtype == POR_KEY)
		return PyErr_Format(PyExc_TypeError, "keys are no numbers: draws of porism take them, porism.normal(k, shape)");
	if (!dtype) {
		PyObject *name = PyObject_GetAttrString(a, "dtype");
		if (name) PyErr_Format(PyExc_TypeError, "an array of dtype %S: Porism has no such numbers", name);
		Py_XDECREF(name);
		return NULL;
	}
	Array *x = (Array *)make_object((PyTypeObject *)shown_array);
	if (x) x->a = Py_NewRef(a);
	return (PyObject *)x;
}

static void array_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Array *x = (Array *)self;
	if (x->data && x->data != x->here) give_block(x->data, held_bytes(x));
	Py_XDECREF(x->a);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/* ---- what it is ----------------------------------------------------------------------------------------------------- */

static PyObject *array_numpy(PyObject *self, void *unused)
{
	return Py_XNewRef(held_numpy(self));
}

static PyObject *array_dtype(PyObject *self, void *unused)
{
	return Py_XNewRef(dtype_shown[held_dtype((Array *)self)]);
}

static PyObject *array_ndim(PyObject *self, void *unused)
{
	return PyLong_FromLong(held_rank((Array *)self));
}

static PyObject *array_shape(PyObject *self, void *unused)
{
	Array *x = (Array *)self;
	int rank = held_rank(x);
	const Py_ssize_t *dims = held_dims(x);
	PyObject *shape = PyTuple_New(rank);
	for (int k = 0; shape && k < rank; k++) {
		PyObject *n = PyLong_FromSsize_t(dims[k]);
		if (!n || PyTuple_SetItem(shape, k, n)) Py_CLEAR(shape);
	}
	return shape;
}

static PyObject *array_size(PyObject *self, void *unused)
{
	Array *x = (Array *)self;
	const Py_ssize_t *dims = held_dims(x);
	Py_ssize_t n = 1;
	for (int k = 0; k < held_rank(x); k++) n *= dims[k];
	return PyLong_FromSsize_t(n);
}

/* The number that an array without axes holds, of Python's */
static PyObject *item(PyObject *self, const char *what)
{
	if (held_rank((Array *)self))
		return PyErr_Format(PyExc_TypeError, "%s of an array with axes: there is one of arrays without alone", what);
	PyObject *a = held_numpy(self);
	return a ? PyObject_CallMethod(a, "item", NULL) : NULL;
}

static int array_bool(PyObject *self)
{
	PyObject *o = item(self, "bool()");
	int is = o ? PyObject_IsTrue(o) : -1;
	Py_XDECREF(o);
	return is;
}

static PyObject *number_of(PyObject *self, const char *what, PyObject *(*convert)(PyObject *))
{
	PyObject *o = item(self, what);
	if (o) put_object(&o, convert(o));
	return o;
}
static PyObject *array_float(PyObject *self)
{
	return number_of(self, "float()", PyNumber_Float);
}
static PyObject *array_int(PyObject *self)
{
	return number_of(self, "int()", PyNumber_Long);
}
static PyObject *array_index(PyObject *self)
{
	int dtype = held_dtype((Array *)self);
	if (dtype < POR_I8 || dtype > POR_U64)
		return PyErr_Format(PyExc_TypeError, "an index of dtype %s: wanted integers", por_dtype_name(dtype));
	return number_of(self, "an index", PyNumber_Index);
}

/* ---- signs ------------------------------------------------------------------------------------------------------------ */

enum { ADD, SUB, MUL, DIV, FLOORDIV, MOD, POW, MATMUL, AND, OR, XOR, LEFT, RIGHT, LT, LE, EQ, NE, GT, GE, NEG, POS, ABS,
	INVERT, SIGNS };
static PyObject *sign[SIGNS];                    /* what computes them */

/* What signs take: arrays, and numbers of Python's.  Nodes do it themselves. */
static bool is_operand(PyObject *o)
{
	static PyObject *_Atomic generic;
	if (is_held(o) || PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || is_numpy_array(o)) return true;
	if (!generic && !(generic = PyObject_GetAttrString(numpy, "generic"))) return false;
	return PyObject_IsInstance(o, generic) == 1;
}

static PyObject *two(int which, PyObject *x, PyObject *y)
{
	if (!is_operand(x) || !is_operand(y)) Py_RETURN_NOTIMPLEMENTED;
	PyObject *args[] = {x, y};
	return PyObject_Vectorcall(sign[which], args, 2, NULL);
}

static bool same_type(const Array *x, const Array *y)
{
	int rank = held_rank(x);
	return held_dtype(x) == held_dtype(y) && rank == held_rank(y) &&
		!memcmp(held_dims(x), held_dims(y), (size_t)rank * sizeof(Py_ssize_t));
}

/* x keeps its place, dtype and shape. */
static PyObject *write_over(Array *x, Array *y)
{
	if (!same_type(x, y)) {
		PyErr_Format(held_dtype(x) == held_dtype(y) ? PyExc_ValueError : PyExc_TypeError,
			"what is written over an array has its dtype and its shape: write x = x + y, say, in place of x += y");
		return NULL;
	}
	if (!x->a && !y->a) {
		memcpy(x->data, y->data, held_bytes(x));
		return Py_NewRef(OBJECT(x));
	}
	PyObject *from = held_numpy(OBJECT(y)), *to = held_numpy(OBJECT(x));
	PyObject *done = from && to ? PyObject_CallMethod(numpy, "copyto", "OO", to, from) : NULL;
	Py_XDECREF(done);
	return done ? Py_NewRef(OBJECT(x)) : NULL;
}

static PyObject *in_place(int which, PyObject *x, PyObject *y)
{
	PyObject *z = two(which, x, y);
	if (!z || !is_held(z)) return z;
	put_object(&z, write_over((Array *)x, (Array *)z));
	return z;
}

#define TWO(name, which)                                                       \
	static PyObject *array_##name(PyObject *x, PyObject *y)                \
	{                                                                      \
		return two(which, x, y);                                       \
	}                                                                      \
	static PyObject *array_i##name(PyObject *x, PyObject *y)               \
	{                                                                      \
		return in_place(which, x, y);                                  \
	}
#define ONE(name, which)                                                       \
	static PyObject *array_##name(PyObject *x)                             \
	{                                                                      \
		return PyObject_Vectorcall(sign[which], &x, 1, NULL);          \
	}
TWO(add, ADD) TWO(sub, SUB) TWO(mul, MUL) TWO(div, DIV) TWO(floordiv, FLOORDIV) TWO(mod, MOD) TWO(matmul, MATMUL)
TWO(and, AND) TWO(or, OR) TWO(xor, XOR) TWO(left, LEFT) TWO(right, RIGHT)
ONE(neg, NEG) ONE(pos, POS) ONE(abs, ABS) ONE(invert, INVERT)

static PyObject *array_pow(PyObject *x, PyObject *y, PyObject *modulus)
{
	if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
	return two(POW, x, y);
}
static PyObject *array_ipow(PyObject *x, PyObject *y, PyObject *modulus)
{
	if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
	return in_place(POW, x, y);
}

static PyObject *array_compare(PyObject *x, PyObject *y, int how)
{
	static const uint8_t which[] = {[Py_LT] = LT, [Py_LE] = LE, [Py_EQ] = EQ, [Py_NE] = NE, [Py_GT] = GT, [Py_GE] = GE};
	return two(which[how], x, y);
}

/* set_array(class, dtypes from bool on, signs in the order above) */
static PyObject *set_array(PyObject *m, PyObject *args)
{
	PyObject *class, *dtypes, *signs;
	if (!PyArg_ParseTuple(args, "OO!O!", &class, &PyTuple_Type, &dtypes, &PyTuple_Type, &signs)) return NULL;
	if (PyTuple_Size(signs) != SIGNS || PyTuple_Size(dtypes) != POR_KEY - POR_BOOL)
		return PyErr_Format(PyExc_ValueError, "%d signs and %d dtypes are wanted", SIGNS, POR_KEY - POR_BOOL);
	put_object(&shown_array, Py_NewRef(class));
	for (int i = 0; i < SIGNS; i++) put_object(&sign[i], Py_NewRef(PyTuple_GetItem(signs, i)));
	for (int i = 0; i < POR_KEY - POR_BOOL; i++)
		put_object(&dtype_shown[POR_BOOL + i], Py_NewRef(PyTuple_GetItem(dtypes, i)));
	Py_RETURN_NONE;
}

PyMethodDef array_functions[] = {{"as_held", as_held, METH_O, NULL}, {"set_array", set_array, METH_VARARGS, NULL}, {0}};

static PyGetSetDef array_gets[] = {
	{"_numpy", array_numpy, NULL, NULL, NULL},
	{"dtype", array_dtype, NULL, "the dtype, one of porism.array_api's", NULL},
	{"shape", array_shape, NULL, "the sizes", NULL},
	{"ndim", array_ndim, NULL, "how many axes", NULL},
	{"size", array_size, NULL, "how many elements", NULL},
	{0}};
static PyType_Slot array_slots[] = {{Py_tp_dealloc, array_dealloc}, {Py_tp_getset, array_gets},
	{Py_tp_richcompare, array_compare}, {Py_tp_hash, PyObject_HashNotImplemented},
	{Py_nb_add, array_add}, {Py_nb_subtract, array_sub}, {Py_nb_multiply, array_mul}, {Py_nb_true_divide, array_div},
	{Py_nb_floor_divide, array_floordiv}, {Py_nb_remainder, array_mod}, {Py_nb_power, array_pow},
	{Py_nb_matrix_multiply, array_matmul}, {Py_nb_and, array_and}, {Py_nb_or, array_or}, {Py_nb_xor, array_xor},
	{Py_nb_lshift, array_left}, {Py_nb_rshift, array_right}, {Py_nb_inplace_add, array_iadd},
	{Py_nb_inplace_subtract, array_isub}, {Py_nb_inplace_multiply, array_imul}, {Py_nb_inplace_true_divide, array_idiv},
	{Py_nb_inplace_floor_divide, array_ifloordiv}, {Py_nb_inplace_remainder, array_imod},
	{Py_nb_inplace_power, array_ipow}, {Py_nb_inplace_matrix_multiply, array_imatmul}, {Py_nb_inplace_and, array_iand},
	{Py_nb_inplace_or, array_ior}, {Py_nb_inplace_xor, array_ixor}, {Py_nb_inplace_lshift, array_ileft},
	{Py_nb_inplace_rshift, array_iright}, {Py_nb_negative, array_neg}, {Py_nb_positive, array_pos},
	{Py_nb_absolute, array_abs}, {Py_nb_invert, array_invert}, {Py_nb_bool, array_bool}, {Py_nb_float, array_float},
	{Py_nb_int, array_int}, {Py_nb_index, array_index}, {0}};
PyType_Spec array_spec = {"porism._core.Array", sizeof(Array), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, array_slots};
