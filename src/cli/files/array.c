/* array.c - arrays as files have them: their dtypes, sizes and names. */
#include "files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"

const FileDtype file_dtypes[] = {
	{"bool", 'b', 1, 1},
	{"i8", 'i', 1, 1},
	{"i16", 'i', 2, 2},
	{"i32", 'i', 4, 4},
	{"i64", 'i', 8, 8},
	{"u8", 'u', 1, 1},
	{"u16", 'u', 2, 2},
	{"u32", 'u', 4, 4},
	{"u64", 'u', 8, 8},
	{"f16", 'f', 2, 2},
	{"f32", 'f', 4, 4},
	{"f64", 'f', 8, 8},
	{"c64", 'c', 8, 4},
	{"c128", 'c', 16, 8},
	{"", 0, 0, 0},
};

const FileDtype *file_dtype(const char *name)
{
	for (const FileDtype *d = file_dtypes; *d->name; d++)
		if (!strcmp(d->name, name)) return d;
	return NULL;
}

bool file_dtype_named(const char *what, const FileArray *a, char *error, size_t room)
{
	return file_dtype(a->dtype) ||
		file_fail(error, room, "%s: NumPy, whose format it is, has no dtype %.7s; save another, as f32(x)",
			what, a->dtype);
}

size_t file_dtype_bytes(const char *dtype)
{
	const FileDtype *d = file_dtype(dtype);
	return d ? d->bytes : 0;
}

bool file_array_bytes(const FileArray *a, size_t *bytes)
{
	const FileDtype *d = file_dtype(a->dtype);
	bool empty = false, huge = false;
	*bytes = 0;
	if (!d || a->rank < 0 || a->rank > FILE_RANK_MAX) return false;
	size_t product = d->bytes;
	for (int i = 0; i < a->rank; i++) {
		if (a->shape[i] < 0) return false;
		if (a->shape[i] == 0)
			empty = true;
		else if ((uint64_t)a->shape[i] > PTRDIFF_MAX / product)
			huge = true;
		else
			product *= (size_t)a->shape[i];
	}
	if (huge && !empty) return false;
	*bytes = empty ? 0 : product;
	return true;
}

char *file_array_type(const FileArray *a, char *text, size_t room)
{
	int n = snprintf(text, room, "%s", a->dtype);
	for (int i = 0; i < a->rank && n >= 0 && (size_t)n < room; i++)
		n += snprintf(text + n, room - (size_t)n, "%s%" PRId64 "%s", i ? ", " : "[", a->shape[i],
			i == a->rank - 1 ? "]" : "");
	return text;
}

void file_array_free(FileArray *a)
{
	if (!a) return;
	free(a->data);
	*a = (FileArray){0};
}

void named_arrays_free(NamedArray *arrays, size_t count)
{
	for (size_t i = 0; arrays && i < count; i++) {
		free(arrays[i].key);
		file_array_free(&arrays[i].array);
	}
	free(arrays);
}
