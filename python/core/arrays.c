/* arrays.c - NumPy's arrays as por_array, without a copy.  NumPy is found when the module is imported: its table of
 * functions and the first fields of its arrays are the same in 1.x and 2.x, so that one build serves both. */
#include "core.h"

#include <string.h>

PyTypeObject *numpy_array_type;
PyObject *numpy, *shown_key;

typedef PyObject *(*NewArray)(PyTypeObject *, int nd, const Py_ssize_t *dims, int type, const Py_ssize_t *strides,
	void *data, int itemsize, int flags, PyObject *obj);
typedef PyObject *(*NewLike)(PyTypeObject *, PyObject *dtype, int nd, const Py_ssize_t *dims,
	const Py_ssize_t *strides, void *data, int flags, PyObject *obj);
typedef PyObject *(*NewScalar)(void *data, PyObject *dtype, PyObject *base);
typedef PyObject *(*GetDtype)(int type);
enum { NUMPY_FIELDS = 20 };                       /* the type of NumPy's arrays of records, as keys are */
enum { TABLE_ARRAY = 2, TABLE_DTYPE = 45, TABLE_SCALAR = 60, TABLE_NEW = 93, TABLE_LIKE = 94 };   /* places in NumPy's table */

static NewArray numpy_new;
static NewLike numpy_like;
static NewScalar numpy_scalar;

/* NumPy's numbers of its types, by ours, and ours by NumPy's; -1: there is none */
static const int8_t to_numpy[] = {[POR_NO_DTYPE] = -1, [POR_BOOL] = 0, [POR_I8] = 1, [POR_I16] = 3, [POR_I32] = 5,
	[POR_I64] = sizeof(long) == 8 ? 7 : 9, [POR_U8] = 2, [POR_U16] = 4, [POR_U32] = 6,
	[POR_U64] = sizeof(long) == 8 ? 8 : 10, [POR_F16] = 23, [POR_BF16] = -1, [POR_F32] = 11, [POR_F64] = 12,
	[POR_C64] = 14, [POR_C128] = 15, [POR_KEY] = -1};
static const uint8_t from_numpy[] = {[0] = POR_BOOL, [1] = POR_I8, [2] = POR_U8, [3] = POR_I16, [4] = POR_U16,
	[5] = POR_I32, [6] = POR_U32, [7] = sizeof(long) == 8 ? POR_I64 : POR_I32,
	[8] = sizeof(long) == 8 ? POR_U64 : POR_U32, [9] = POR_I64, [10] = POR_U64, [11] = POR_F32, [12] = POR_F64,
	[14] = POR_C64, [15] = POR_C128, [23] = POR_F16};
static const por_dtype_code code_of[] = {[POR_BOOL] = {6, 8, 1}, [POR_I8] = {0, 8, 1}, [POR_I16] = {0, 16, 1},
	[POR_I32] = {0, 32, 1}, [POR_I64] = {0, 64, 1}, [POR_U8] = {1, 8, 1}, [POR_U16] = {1, 16, 1},
	[POR_U32] = {1, 32, 1}, [POR_U64] = {1, 64, 1}, [POR_F16] = {2, 16, 1}, [POR_F32] = {2, 32, 1},
	[POR_F64] = {2, 64, 1}, [POR_C64] = {5, 64, 1}, [POR_C128] = {5, 128, 1}, [POR_KEY] = {1, 64, 2}};
static PyObject *dtype_object[POR_KEY + 1];      /* NumPy's, by ours */

static void **numpy_table(void)
{
	static const char *const homes[] = {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"};
	PyObject *capsule = NULL;
	for (int i = 0; i < 2 && !capsule; i++) {
		PyErr_Clear();
		PyObject *home = PyImport_ImportModule(homes[i]);
		if (home) capsule = PyObject_GetAttrString(home, "_ARRAY_API");
		Py_XDECREF(home);
	}
	void **table = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
	Py_XDECREF(capsule);                      /* NumPy's module keeps it */
	return table;
}

bool numpy_import(void)
{
	numpy = PyImport_ImportModule("numpy");
	void **table = numpy ? numpy_table() : NULL;
	if (!table) return false;
	numpy_array_type = table[TABLE_ARRAY];
	numpy_new = (NewArray)(uintptr_t)table[TABLE_NEW];
	numpy_like = (NewLike)(uintptr_t)table[TABLE_LIKE];
	numpy_scalar = (NewScalar)(uintptr_t)table[TABLE_SCALAR];
	GetDtype get = (GetDtype)(uintptr_t)table[TABLE_DTYPE];
	for (int i = POR_BOOL; i <= POR_KEY; i++)
		if (to_numpy[i] >= 0 && !(dtype_object[i] = get(to_numpy[i]))) return false;
	dtype_object[POR_KEY] = PyObject_CallMethod(numpy, "dtype", "[(ss)(ss)]O", "key_a", "u8", "key_b", "u8", Py_True);
	return dtype_object[POR_KEY] != NULL;
}

int numpy_dtype(const NumpyArray *a)
{
	int n = a->descr->type_num;
	if (n == NUMPY_FIELDS) {
		int same = PyObject_RichCompareBool(OBJECT(a->descr), dtype_object[POR_KEY], Py_EQ);
		if (same < 0) PyErr_Clear();
		return same == 1 ? POR_KEY : POR_NO_DTYPE;
	}
	bool native = a->descr->byteorder == '=' || a->descr->byteorder == '|';
	return native && n >= 0 && n < (int)sizeof from_numpy ? from_numpy[n] : POR_NO_DTYPE;
}

bool view_array(PyObject *o, por_array *to, int64_t *strides)
{
	const NumpyArray *a = (NumpyArray *)(void *)o;
	int dtype = numpy_dtype(a);
	*to = (por_array){.data = a->data, .device = {1, 0}, .ndim = a->nd, .dtype = code_of[dtype],
		.shape = (int64_t *)a->dimensions};
	if (!(a->flags & NUMPY_ALIGNED) || a->nd > RANK_MAX) return false;
	if (a->flags & NUMPY_COMPACT) return true;
	Py_ssize_t bytes = (Py_ssize_t)por_dtype_bytes(dtype);
	for (int k = 0; k < a->nd; k++) {
		if (a->strides[k] % bytes) return false;
		strides[k] = a->strides[k] / bytes;
	}
	to->strides = strides;
	return true;
}

PyObject *as_array(PyObject *o, int dtype)
{
	if (is_held(o)) return Py_XNewRef(held_numpy(o));
	if (is_numpy_array(o)) return PyObject_CallMethod(o, "copy", NULL);
	if (PyType_IsSubtype(Py_TYPE(o), numpy_array_type))
		return PyErr_Format(PyExc_TypeError, "a masked array: give x.filled(v), or x.data and its mask x.mask");
	PyObject *like = NULL;
	bool tensor = PyObject_HasAttrString(o, "__dlpack__");
	if (tensor && !PyObject_HasAttrString(o, "__array_interface__"))
		like = PyObject_CallMethod(numpy, "from_dlpack", "O", o);
	else
		like = PyObject_CallMethod(numpy, "asarray", "O", o);
	if (!like || (PyList_Check(o) == 0 && PyLong_Check(o) == 0 && PyTuple_Check(o) == 0) || dtype == POR_NO_DTYPE)
		return like;
	/* numbers as one writes them take the dtype that is wanted */
	bool known = dtype <= POR_KEY && dtype_object[dtype];
	PyObject *cast = known ? PyObject_CallMethod(like, "astype", "Os", dtype_object[dtype], "K") : NULL;
	Py_DECREF(like);
	return cast;
}

bool dtype_of_numpy(int dtype)
{
	if (dtype > 0 && dtype <= POR_KEY && dtype_object[dtype]) return true;
	PyErr_Format(PyExc_TypeError, "NumPy has no %s: write x.astype(\"f32\"), say", por_dtype_name(dtype));
	return false;
}

PyObject *new_array(int dtype, int rank, const int64_t *shape, void **data)
{
	const Py_ssize_t *dims = (const Py_ssize_t *)shape;
	PyObject *a = dtype == POR_KEY ?
		numpy_like(numpy_array_type, Py_NewRef(dtype_object[dtype]), rank, dims, NULL, NULL, 0, NULL) :
		numpy_new(numpy_array_type, rank, dims, to_numpy[dtype], NULL, NULL, 0, 0, NULL);
	if (a) *data = ((NumpyArray *)(void *)a)->data;
	return a;
}

PyObject *new_scalar(int dtype, void *data)
{
	if (dtype != POR_KEY) return numpy_scalar(data, dtype_object[dtype], NULL);
	void *to;
	PyObject *o = new_array(dtype, 0, NULL, &to);
	if (o) memcpy(to, data, por_dtype_bytes(dtype));
	return o;
}

PyObject *give_array(int dtype, PyObject *a)
{
	if (a && dtype == POR_KEY) put_object(&a, PyObject_CallFunctionObjArgs(shown_key, a, NULL));
	return a;
}

/* Ours, as numpy.dtype reads it: "f32" is f4's name here, so ours come first. */
int take_dtype(PyObject *o)
{
	if (PyUnicode_Check(o)) {
		const char *name = PyUnicode_AsUTF8AndSize(o, NULL);
		int d = name ? por_dtype_named(name) : POR_NO_DTYPE;
		if (d != POR_NO_DTYPE) return d;
	}
	int found = dtype_of_shown(o);
	if (found) return found;
	PyObject *dtype = PyObject_CallMethod(numpy, "dtype", "O", o);
	for (int i = POR_BOOL; dtype && i <= POR_KEY && !found; i++)
		if (dtype_object[i] && PyObject_RichCompareBool(dtype, dtype_object[i], Py_EQ) == 1) found = i;
	Py_XDECREF(dtype);
	if (!found) {
		PyErr_Clear();
		PyErr_Format(PyExc_TypeError, "%R is no dtype of Porism: write \"f64\", numpy.float32, bool, say", o);
	}
	return found;
}
