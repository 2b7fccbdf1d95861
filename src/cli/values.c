/* values.c - what is given on the command line: name=VALUE, name=@file, 'name: type'. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays of the library and of files ------------------------------------------------------ */

/* A compact copy of an array of any strides. */
FileArray copy_array(const por_array *from)
{
	FileArray a = {0};
	snprintf(a.dtype, sizeof a.dtype, "%s", por_dtype_name(por_array_dtype(from)));
	size_t size = element_bytes(a.dtype);
	a.rank = from->ndim;
	int64_t count = 1, stride[FILE_RANK_MAX + 1], at[FILE_RANK_MAX] = {0};
	for (int i = a.rank; i-- > 0;) {
		a.shape[i] = from->shape[i];
		stride[i] = from->strides ? from->strides[i] : count;
		count *= a.shape[i];
	}
	a.bytes = (size_t)count * size;
	a.data = need(malloc(a.bytes + 1));
	const char *data = (const char *)from->data + from->byte_offset;
	for (int64_t k = 0, offset = 0; k < count; k++) {
		memcpy((char *)a.data + (size_t)k * size, data + offset * (int64_t)size, size);
		for (int i = a.rank; i-- > 0;) {
			offset += stride[i];
			if (++at[i] < a.shape[i]) break;
			offset -= stride[i] * a.shape[i];
			at[i] = 0;
		}
	}
	return a;
}

por_array array_view(const FileArray *a)
{
	return por_view(a->data, por_dtype_named(a->dtype), a->rank, (int64_t *)a->shape);
}

bool is_float_name(const char *dtype)
{
	return por_dtype_is_float(por_dtype_named(dtype));
}

bool array_same_bits(const FileArray *a, const FileArray *b)
{
	if (strcmp(a->dtype, b->dtype) || a->rank != b->rank) return false;
	for (int i = 0; i < a->rank; i++)
		if (a->shape[i] != b->shape[i]) return false;
	if (!memcmp(a->data, b->data, a->bytes)) return true;
	size_t size = element_bytes(a->dtype);
	if (!is_float_name(a->dtype)) return false;
	for (int64_t i = 0; i < array_count(a); i++) {
		bool nan = isnan(array_number(a, i)) && isnan(array_number(b, i));
		size_t at = (size_t)i * size;
		if (!nan && memcmp((char *)a->data + at, (char *)b->data + at, size)) return false;
	}
	return true;
}

static void put_integer(FileArray *a, int64_t i, int64_t x)
{
	char *at = (char *)a->data + (size_t)i * element_bytes(a->dtype);
	por_convert(1, por_dtype_named(a->dtype), at, POR_I64, &x);
}

static int64_t get_integer(const FileArray *a, int64_t i)
{
	if (!strcmp(a->dtype, "i64") || !strcmp(a->dtype, "u64")) return ((const int64_t *)a->data)[i];
	return (int64_t)array_number(a, i);
}

/* a real number, or the real part of a complex one */
static void put_float(FileArray *a, int64_t i, double x)
{
	char *at = (char *)a->data + (size_t)i * element_bytes(a->dtype);
	int dtype = por_dtype_named(a->dtype);
	if (a->dtype[0] == 'c') dtype = strcmp(a->dtype, "c64") ? POR_F64 : POR_F32;
	por_convert(1, dtype, at, POR_F64, &x);
}

/* Element i, if it is still the same number; floats may be rounded. */
static bool convert_element(FileArray *to, const FileArray *from, int64_t i)
{
	bool from_float = is_float_name(from->dtype);
	if (is_float_name(to->dtype) || to->dtype[0] == 'c') {
		double x = array_number(from, i);
		put_float(to, i, x);
		if (to->dtype[0] == 'c' && from->dtype[0] == 'c')
			((float *)to->data)[2 * i + 1] = (float)((const double *)from->data)[2 * i + 1];
		return from_float || from->dtype[0] == 'c' || array_number(to, i) == x;
	}
	if (from_float) {
		double x = array_number(from, i);
		if (x != floor(x) || fabs(x) > 0x1p53) return false;
		put_integer(to, i, (int64_t)x);
		return array_number(to, i) == x;
	}
	put_integer(to, i, get_integer(from, i));
	bool both_wide = !strcmp(to->dtype, "u64") || !strcmp(from->dtype, "u64");
	if (both_wide && get_integer(from, i) < 0) return false;
	return get_integer(to, i) == get_integer(from, i);
}

bool array_convert(FileArray *a, const char *dtype, char *error, size_t room)
{
	if (!strcmp(a->dtype, dtype)) return true;
	bool from_key = !strcmp(a->dtype, "key"), to_key = !strcmp(dtype, "key");
	bool narrow = a->dtype[0] == 'c' && strcmp(dtype, "c64");
	bool from_bool = !strcmp(a->dtype, "bool"), to_bool = !strcmp(dtype, "bool");
	if (from_key || to_key || narrow || from_bool || to_bool)
		return file_fail(error, room, "is %s, and %s is wanted", a->dtype, dtype);
	FileArray to = *a;
	int64_t n = array_count(a);
	snprintf(to.dtype, sizeof to.dtype, "%s", dtype);
	to.bytes = (size_t)n * element_bytes(dtype);
	to.data = need(calloc(to.bytes + 1, 1));
	for (int64_t i = 0; i < n; i++)
		if (!convert_element(&to, a, i)) {
			char text[NUMBER_TEXT_MAX];
			file_array_free(&to);
			return file_fail(error, room, "is %s, and %s is wanted, which has no %s", a->dtype,
				dtype, number_text(array_number(a, i), text));
		}
	free(a->data);
	*a = to;
	return true;
}

/* ---- words of the command line --------------------------------------------------------------- */

/* The length of NAME or NAME.NAME at the start; bytes above 127 are letters of some script. */
static size_t path_length(const char *w)
{
	size_t n = 0;
	while (w[n] == '_' || w[n] == '.' || (w[n] >= '0' && w[n] <= '9') || (w[n] >= 'a' && w[n] <= 'z') ||
		(w[n] >= 'A' && w[n] <= 'Z') || (unsigned char)w[n] > 127)
		n++;
	return n && (w[0] == '.' || (w[0] >= '0' && w[0] <= '9')) ? 0 : n;
}

/* All arrays of a .npz as a structure: "w", "b"; "layers.0.w" is one path.  What a fit notes beside the
 * parameters ("fit.step") is left out. */
static bool read_structure(const char *path, TextValue *v, char *error, size_t room)
{
	NamedArray *all;
	size_t n;
	if (!npz_read_all(path, &all, &n, error, room)) return false;
	if (!n) {
		named_arrays_free(all, n);
		return file_fail(error, room, "%s: there is no array in it", path);
	}
	*v = (TextValue){.kind = VALUE_RECORD};
	v->elem = need(calloc(n + 1, sizeof *v->elem));
	v->field = need(calloc(n + 1, sizeof *v->field));
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(all[i].key, "fit.", 4)) continue;
		v->field[v->n] = text_of("%s", all[i].key);
		v->elem[v->n++].array = all[i].array;
		all[i].array = (FileArray){0};
	}
	named_arrays_free(all, n);
	return true;
}

/* @file.npy, @file.npz:key, @file.npz, @file.csv, @file.csv:column, @file.csv:column,column */
static bool read_file(const char *word, TextValue *v, char *error, size_t room)
{
	char *path = text_of("%s", word), *key = NULL, *csv = strstr(path, ".csv:"), *npz = strstr(path, ".npz:");
	if (csv || npz) {
		key = (csv ? csv : npz) + strlen(".csv:");
		key[-1] = 0;
	}
	bool good;
	*v = (TextValue){0};
	if (ends_with(path, ".csv"))
		good = csv_read(path, key, &v->array, error, room);
	else if (ends_with(path, ".npz") && !key)
		good = read_structure(path, v, error, room);
	else if (ends_with(path, ".npz"))
		good = npz_read(path, key, &v->array, error, room);
	else
		good = npy_read(path, &v->array, error, room);
	free(path);
	return good;
}

/* 1,2,3 and 1 2 3: numbers without brackets around them. */
static bool is_bare_list(const char *text)
{
	const bool numbers = text[strspn(text, "0123456789.eE+-, ")] == 0;
	return numbers && (strchr(text, ',') || (strchr(text, ' ') && !strpbrk(text, "+-")));
}

static int read_argument(GivenArgument *given, Target *t, const Options *o, const char *word)
{
	char error[512];
	size_t n = path_length(word), at = n;
	while (word[at] == ' ') at++;
	bool value = n && word[at] == '=' && word[at + 1] != '=', type = n && word[at] == ':';
	if (!value && !type) {
		const bool wrt = !strcmp(o->command->name, "grad") && n && !word[n];
		const char *more = wrt ? "; the variable is chosen by --wrt " : "";
		if (!word[strspn(word, "+-*/^@<>=%")]) more = "; an expression stands in quotes, as in 'x + 1'";
		return usage(o, "%s: name=VALUE, name=@FILE or 'name: type' was wanted%s%s", word, more,
			wrt ? word : "");
	}
	*given = (GivenArgument){.name = text_copy(word, n)};
	const char *text = word + at + 1;
	while (*text == ' ') text++;
	if (type) {
		given->declared = text_of("%s", word);
		return EXIT_GOOD;
	}
	if (*text == '@' && !text[1]) return usage(o, "%s: a file's name after @ was wanted", word);
	if (!*text) return usage(o, "%s: a value after = was wanted", word);
	if (*text == '@') {
		if (read_file(text + 1, &given->value, error, sizeof error)) return EXIT_GOOD;
		return complain(o, EXIT_ENVIRONMENT, "%s: %s", given->name, error);
	}
	if (is_bare_list(text)) return usage(o, "%s: an array is written %s='[1, 2, 3]'", word, given->name);
	given->literal = true;
	given->named = strstr(text, "i64") != NULL;
	return evaluate_text(t, given->name, text, &given->value);
}

/* A name has one value and one type. */
static int given_once(const Arguments *a, const Options *o)
{
	NameIndex names[2] = {{0}, {0}};
	size_t twice = SIZE_MAX, first;
	for (size_t i = 0; i < a->n; i++) name_add(&names[!a->given[i].declared], a->given[i].name, i);
	for (int k = 0; k < 2; k++) names_sort(&names[k]);
	for (size_t i = 0; i < a->n && twice == SIZE_MAX; i++) {
		const char *name = a->given[i].name;
		if (name_find(&names[!a->given[i].declared], name, strlen(name), &first) && first < i)
			twice = i;
	}
	for (int k = 0; k < 2; k++) names_free(&names[k]);
	return twice == SIZE_MAX ? EXIT_GOOD : usage(o, "%s is given twice", a->given[twice].name);
}

int arguments_read(Arguments *a, Target *t, const Options *o, size_t first)
{
	*a = (Arguments){0};
	a->given = need(calloc(o->nword + 1, sizeof *a->given));
	int status = EXIT_GOOD;
	for (size_t i = first; i < o->nword && status == EXIT_GOOD; i++)
		status = read_argument(&a->given[a->n++], t, o, o->word[i]);
	return status == EXIT_GOOD ? given_once(a, o) : status;
}

void arguments_free(Arguments *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->given[i].name);
		free(a->given[i].declared);
		value_free(&a->given[i].value);
	}
	free(a->given);
	*a = (Arguments){0};
}

void arguments_leaves(Arguments *a, GivenLeaves *all)
{
	*all = (GivenLeaves){0};
	for (size_t i = 0; i < a->n; i++) {
		ValueLeaf *leaf;
		if (a->given[i].declared) continue;
		size_t n = value_leaves(&a->given[i].value, &leaf);
		if (all->n + n > all->room) {
			all->room = 2 * (all->n + n);
			all->leaf = need(realloc(all->leaf, all->room * sizeof *all->leaf));
		}
		for (size_t k = 0; k < n; k++) {
			const char *dot = *leaf[k].path ? "." : "";
			all->leaf[all->n++] =
				(GivenLeaf){.path = text_of("%s%s%s", a->given[i].name, dot, leaf[k].path),
					.from = &a->given[i],
					.array = &leaf[k].leaf->array};
		}
		value_leaves_free(leaf, n);
	}
	for (size_t i = 0; i < all->n; i++) name_add(&all->paths, all->leaf[i].path, i);
	names_sort(&all->paths);
}

void given_leaves_free(GivenLeaves *all)
{
	for (size_t i = 0; i < all->n; i++) free(all->leaf[i].path);
	free(all->leaf);
	names_free(&all->paths);
	*all = (GivenLeaves){0};
}

GivenLeaf *given_leaf(GivenLeaves *all, const char *path)
{
	size_t at;
	return name_find(&all->paths, path, strlen(path), &at) ? &all->leaf[at] : NULL;
}
