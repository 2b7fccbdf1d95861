/* output.c - values as the notation writes them, so that they read back exactly; as JSON; as files.
 *
 * f64, i64, bool:  0.1   [1, 2]   [true, false]       other dtypes by a conversion:  f32(0.1)   u8[2]([1, 2])
 * complex:         complex(f64(1.0), f64(-0.5))       no elements:  f64[0, 3](0)
 */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_WIDTH = 100, SUMMARY_EDGE = 3 };

size_t element_bytes(const char *dtype)
{
	return por_dtype_bytes(por_dtype_named(dtype));
}

int64_t array_count(const FileArray *a)
{
	int64_t n = 1;
	for (int i = 0; i < a->rank; i++) n *= a->shape[i];
	return n;
}

/* ---- one element ----------------------------------------------------------------------------- */

static bool is_complex(const FileArray *a)
{
	return a->dtype[0] == 'c';
}

/* Part 0 of element i, or part 1, the imaginary one. */
static double part_of(const FileArray *a, int64_t i, int part)
{
	size_t bytes = element_bytes(a->dtype), at = (size_t)i * bytes;
	int dtype = por_dtype_named(a->dtype);
	double x;
	if (is_complex(a)) {
		dtype = bytes == 16 ? POR_F64 : POR_F32;
		at += bytes / 2 * (size_t)part;
	}
	return por_convert(1, POR_F64, &x, dtype, (const char *)a->data + at) == POR_OK ? x : NAN;
}

double array_number(const FileArray *a, int64_t i)
{
	return part_of(a, i, 0);
}

/* Short decimals that round to the same float, also by way of a double, as the notation converts them. */
static void float_text(double x, char text[NUMBER_TEXT_MAX])
{
	for (int digits = 1; digits <= 9; digits++) {
		snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, x);
		if ((double)(float)strtod(text, NULL) == x) {
			double shown = strtod(text, NULL);
			number_text(shown, text);
			return;
		}
	}
	number_text(x, text);
}

/* A float with a point or an exponent, which tells it from an integer. */
static void add_float(TextBuffer *b, double x, bool single)
{
	char text[NUMBER_TEXT_MAX + 2];
	if (isnan(x)) {
		buffer_text(b, "nan");
		return;
	}
	if (single && isfinite(x))
		float_text(x, text);
	else
		number_text(x, text);
	bool whole = isfinite(x) && !text[strcspn(text, ".e")];
	buffer_printf(b, "%s%s", text, whole ? ".0" : "");
}

/* The smallest i64 is no literal: the minus is applied after it is read. */
static void add_whole(TextBuffer *b, int64_t x)
{
	if (x == INT64_MIN)
		buffer_text(b, "(-9223372036854775807 - 1)");
	else
		buffer_printf(b, "%" PRId64, x);
}

static void add_integer(TextBuffer *b, const FileArray *a, int64_t i)
{
	if (strcmp(a->dtype, "i64") && strcmp(a->dtype, "u64"))
		buffer_printf(b, "%.0f", part_of(a, i, 0));
	else
		add_whole(b, ((const int64_t *)a->data)[i]);
}

/* The key of a seed, or of two words. */
static void add_key(TextBuffer *b, const int64_t *word)
{
	buffer_text(b, "key(");
	add_whole(b, word[0]);
	if (word[1]) {
		buffer_text(b, ", ");
		add_whole(b, word[1]);
	}
	buffer_text(b, ")");
}

static void add_element(TextBuffer *b, const FileArray *a, int64_t i, int part)
{
	bool single = !strcmp(a->dtype, "f32") || !strcmp(a->dtype, "c64");
	if (!strcmp(a->dtype, "bool"))
		buffer_text(b, ((const uint8_t *)a->data)[i] ? "true" : "false");
	else if (!strcmp(a->dtype, "key"))
		add_key(b, (const int64_t *)a->data + 2 * i);
	else if (is_float_name(a->dtype) || is_complex(a))
		add_float(b, part_of(a, i, part), single);
	else
		add_integer(b, a, i);
}

void array_line(TextBuffer *b, const FileArray *a)
{
	int64_t n = array_count(a);
	if (!n) buffer_text(b, "[]");
	for (int64_t i = 0; i < n; i++) {
		int64_t row = 1, next = 1;
		buffer_text(b, i ? ", " : "");
		for (int k = a->rank; k-- > 0;)
			if (i % (row *= a->shape[k]) == 0) buffer_text(b, "[");
		add_element(b, a, i, 0);
		for (int k = a->rank; k-- > 0;)
			if ((i + 1) % (next *= a->shape[k]) == 0) buffer_text(b, "]");
	}
}

/* ---- an array -------------------------------------------------------------------------------- */

typedef struct Layout {
	const FileArray *array;
	int part;
	bool one_line, summary;
	int indent;  /* columns before the first bracket */
	size_t line; /* where the line began */
} Layout;

static void break_line(TextBuffer *b, Layout *l, int depth)
{
	buffer_printf(b, "\n%*s", l->indent + depth, "");
	l->line = b->n - (size_t)(l->indent + depth);
}

static void add_rows(TextBuffer *b, Layout *l, int axis, int64_t first)
{
	const FileArray *a = l->array;
	if (axis == a->rank) {
		add_element(b, a, first, l->part);
		return;
	}
	int64_t stride = 1, n = a->shape[axis];
	for (int k = axis + 1; k < a->rank; k++) stride *= a->shape[k];
	buffer_text(b, "[");
	for (int64_t i = 0; i < n; i++) {
		bool inner = axis + 1 == a->rank;
		if (i && !l->one_line && (!inner || b->n - l->line > LINE_WIDTH - 12)) {
			buffer_text(b, ",");
			break_line(b, l, axis + 1);
		} else if (i) {
			buffer_text(b, ", ");
		}
		if (l->summary && n > 2 * SUMMARY_EDGE && i == SUMMARY_EDGE) {
			buffer_text(b, "...");
			i = n - SUMMARY_EDGE - 1;
			continue;
		}
		add_rows(b, l, axis + 1, first + i * stride);
	}
	buffer_text(b, "]");
}

static void add_shape(TextBuffer *b, const FileArray *a)
{
	for (int i = 0; i < a->rank; i++) buffer_printf(b, "%s%" PRId64, i ? ", " : "[", a->shape[i]);
	if (a->rank) buffer_text(b, "]");
}

static bool is_plain(const FileArray *a)
{
	return !strcmp(a->dtype, "f64") || !strcmp(a->dtype, "i64") || !strcmp(a->dtype, "bool") ||
		!strcmp(a->dtype, "key");
}

/* What stands before the elements: u8[2]; numbers past the largest i64 are no literals, their bits are. */
static void add_conversion(TextBuffer *b, const FileArray *a)
{
	bool wide = false;
	for (int64_t i = 0; !strcmp(a->dtype, "u64") && i < array_count(a); i++)
		wide |= ((const uint64_t *)a->data)[i] > INT64_MAX;
	buffer_text(b, wide ? "bitcast[u64]" : a->dtype);
	if (!wide) add_shape(b, a);
}

static void array_print(TextBuffer *b, const FileArray *a, unsigned flags, int indent)
{
	size_t line = b->n;
	while (line && b->text[line - 1] != '\n') line--;
	Layout l = {.array = a, .one_line = flags & OUTPUT_ONE_LINE, .line = line};
	l.summary = !(flags & (OUTPUT_FULL | OUTPUT_ONE_LINE)) && array_count(a) > 1000;
	l.indent = indent;
	if (!array_count(a)) {
		buffer_text(b, a->dtype);
		add_shape(b, a);
		buffer_text(b, strcmp(a->dtype, "bool") ? "(0)" : "(false)");
		return;
	}
	size_t start = b->n;
	if (is_complex(a)) {
		const char *half = strcmp(a->dtype, "c64") ? "f64" : "f32";
		int left = indent + (int)strlen("complex(");
		for (int part = 0; part < 2; part++) {
			buffer_text(b, part ? "," : "complex(");
			l.indent = left;
			if (part && strchr(b->text + start, '\n')) {
				break_line(b, &l, 0);
				start = b->n - (size_t)left;
			} else if (part)
				buffer_text(b, " ");
			buffer_text(b, half);
			add_shape(b, a);
			buffer_text(b, "(");
			l.part = part;
			l.indent = indent + (int)(b->n - start);
			add_rows(b, &l, 0, 0);
			buffer_text(b, ")");
		}
		buffer_text(b, ")");
		return;
	}
	if (!is_plain(a)) {
		add_conversion(b, a);
		buffer_text(b, "(");
		l.indent += (int)(b->n - start);
	}
	add_rows(b, &l, 0, 0);
	if (!is_plain(a)) buffer_text(b, ")");
}

/* ---- structures ------------------------------------------------------------------------------ */

static bool is_long(const TextValue *v)
{
	if (v->kind == VALUE_ARRAY) return array_count(&v->array) > 8;
	for (size_t i = 0; i < v->n; i++)
		if (is_long(&v->elem[i])) return true;
	return v->n > 6;
}

static void print_at(TextBuffer *b, const TextValue *v, unsigned flags, int indent)
{
	if (v->kind == VALUE_ARRAY) {
		array_print(b, &v->array, flags, indent);
		return;
	}
	bool record = v->kind == VALUE_RECORD, lines = !(flags & OUTPUT_ONE_LINE) && is_long(v);
	buffer_text(b, record ? "{" : "(");
	for (size_t i = 0; i < v->n; i++) {
		int column = indent + 1;
		if (i && lines)
			buffer_printf(b, ",\n%*s", indent + 1, "");
		else if (i)
			buffer_text(b, ", ");
		if (record) {
			buffer_printf(b, "%s = ", v->field[i]);
			column += (int)strlen(v->field[i]) + 3;
		}
		print_at(b, &v->elem[i], flags, column);
	}
	if (!record && v->n == 1) buffer_text(b, ",");
	buffer_text(b, record ? "}" : ")");
}

void value_print(TextBuffer *b, const TextValue *v, unsigned flags)
{
	print_at(b, v, flags, 0);
}

static void json_rows(TextBuffer *b, const FileArray *a, int axis, int64_t first)
{
	if (axis == a->rank) {
		if (!strcmp(a->dtype, "key"))
			buffer_printf(b, "[%" PRIu64 ", %" PRIu64 "]", ((const uint64_t *)a->data)[2 * first],
				((const uint64_t *)a->data)[2 * first + 1]);
		else if (is_complex(a)) {
			buffer_text(b, "[");
			json_number(b, part_of(a, first, 0));
			buffer_text(b, ", ");
			json_number(b, part_of(a, first, 1));
			buffer_text(b, "]");
		} else if (is_float_name(a->dtype))
			json_number(b, part_of(a, first, 0));
		else if (!strcmp(a->dtype, "u64"))
			buffer_printf(b, "%" PRIu64, ((const uint64_t *)a->data)[first]);
		else if (!strcmp(a->dtype, "i64"))
			buffer_printf(b, "%" PRId64, ((const int64_t *)a->data)[first]);
		else
			add_element(b, a, first, 0);
		return;
	}
	int64_t stride = 1;
	for (int k = axis + 1; k < a->rank; k++) stride *= a->shape[k];
	buffer_text(b, "[");
	for (int64_t i = 0; i < a->shape[axis]; i++) {
		if (i) buffer_text(b, ", ");
		json_rows(b, a, axis + 1, first + i * stride);
	}
	buffer_text(b, "]");
}

void value_json(TextBuffer *b, const TextValue *v)
{
	if (v->kind == VALUE_ARRAY) {
		json_rows(b, &v->array, 0, 0);
		return;
	}
	bool record = v->kind == VALUE_RECORD;
	buffer_text(b, record ? "{" : "[");
	for (size_t i = 0; i < v->n; i++) {
		if (record)
			json_key(b, v->field[i]);
		else if (i)
			buffer_text(b, ", ");
		value_json(b, &v->elem[i]);
	}
	buffer_text(b, record ? "}" : "]");
}

/* ---- leaves and files ------------------------------------------------------------------------ */

static void collect(TextValue *v, const char *path, ValueLeaf **leaf, size_t *n)
{
	if (v->kind == VALUE_ARRAY) {
		*leaf = need(realloc(*leaf, (*n + 1) * sizeof **leaf));
		(*leaf)[(*n)++] = (ValueLeaf){text_of("%s", path), v};
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		const char *dot = *path ? "." : "";
		char *inner = v->kind == VALUE_RECORD ? text_of("%s%s%s", path, dot, v->field[i])
						      : text_of("%s%s%zu", path, dot, i);
		collect(&v->elem[i], inner, leaf, n);
		free(inner);
	}
}

size_t value_leaves(TextValue *v, ValueLeaf **leaf)
{
	size_t n = 0;
	*leaf = NULL;
	collect(v, "", leaf, &n);
	return n;
}

void value_leaves_free(ValueLeaf *leaf, size_t n)
{
	for (size_t i = 0; i < n; i++) free(leaf[i].path);
	free(leaf);
}

void value_free(TextValue *v)
{
	if (!v) return;
	file_array_free(&v->array);
	for (size_t i = 0; i < v->n; i++) {
		value_free(&v->elem[i]);
		if (v->field) free(v->field[i]);
	}
	free(v->elem);
	free(v->field);
	*v = (TextValue){0};
}

/* All NaNs are one value: the positive quiet one, whichever sign a processor gave it. */
static void one_nan(FileArray *a)
{
	static const struct {
		const char *dtype;
		size_t bytes;
		uint64_t infinity, nan; /* what lies above infinity but for the sign is NaN */
	} floats[] = {{"f64", 8, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000)},
		{"c128", 8, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000)},
		{"f32", 4, 0x7f800000, 0x7fc00000}, {"c64", 4, 0x7f800000, 0x7fc00000},
		{"f16", 2, 0x7c00, 0x7e00}, {"bf16", 2, 0x7f80, 0x7fc0}};
	for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
		size_t bytes = floats[k].bytes;
		if (strcmp(a->dtype, floats[k].dtype)) continue;
		for (size_t at = 0; at + bytes <= a->bytes; at += bytes) {
			uint64_t x = 0, sign = UINT64_C(1) << (8 * bytes - 1);
			char *place = (char *)a->data + at;
			memcpy(&x, place, bytes);
			if ((x & (sign - 1)) > floats[k].infinity) memcpy(place, &floats[k].nan, bytes);
		}
	}
}

bool value_save(const char *path, const TextValue *v, char *error, size_t room)
{
	ValueLeaf *leaf;
	size_t n = value_leaves((TextValue *)v, &leaf);
	for (size_t i = 0; i < n; i++)
		if (leaf[i].leaf->kind == VALUE_ARRAY) one_nan(&((TextValue *)leaf[i].leaf)->array);
	value_leaves_free(leaf, n);
	if (v->kind == VALUE_ARRAY && !ends_with(path, ".npz"))
		return npy_write(path, &v->array, error, room);
	if (ends_with(path, ".npy"))
		return file_fail(error, room, "%s: the result is a structure; it needs a .npz", path);
	n = value_leaves((TextValue *)v, &leaf);
	NamedArray *named = need(calloc(n + 1, sizeof *named));
	for (size_t i = 0; i < n; i++)
		named[i] = (NamedArray){*leaf[i].path ? leaf[i].path : "result", leaf[i].leaf->array};
	bool good = npz_write(path, named, n, error, room);
	free(named);
	value_leaves_free(leaf, n);
	return good;
}

int write_result(const Options *o, const TextValue *v, TextBuffer *json)
{
	char error[512];
	const char *path = option(o, "output");
	if (path && !value_save(path, v, error, sizeof error))
		return complain(o, EXIT_ENVIRONMENT, "%s", error);
	TextBuffer b = {0};
	if (o->json) {
		buffer_text(&b, "{");
		if (json && json->n) buffer_add(&b, json->text, json->n);
		json_key(&b, "result");
		value_json(&b, v);
		buffer_text(&b, "}");
		puts(b.text);
	} else if (!path) {
		bool full = option(o, "full") || !isatty(STDOUT_FILENO);
		value_print(&b, v, full ? OUTPUT_FULL : 0);
		puts(b.text);
	}
	buffer_free(&b);
	return EXIT_GOOD;
}
