/* csv.c - tables of numbers with commas between them (RFC 4180). */
#include "files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------ */

char *number_text(double x, char text[NUMBER_TEXT_MAX])
{
	if (isnan(x)) return strcpy(text, "nan");
	if (isinf(x)) return strcpy(text, x < 0 ? "-inf" : "inf");
	if (x == floor(x) && fabs(x) < 1e15) {
		snprintf(text, NUMBER_TEXT_MAX, "%.0f", x);
		return text;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, x);
		if (strtod(text, NULL) == x) break;
	}
	return text;
}

static void write_name(Output *o, const char *name)
{
	if (!strpbrk(name, ",\"\r\n")) {
		output_printf(o, "%s", name);
		return;
	}
	output_write(o, "\"", 1);
	for (; *name; name++) output_printf(o, *name == '"' ? "%c\"" : "%c", *name);
	output_write(o, "\"", 1);
}

bool csv_write(const char *path, const CsvTable *t, char *error, size_t room)
{
	char text[NUMBER_TEXT_MAX];
	Output o;
	if (!output_open(&o, path, error, room)) return false;
	for (size_t j = 0; j < t->columns; j++) {
		write_name(&o, t->names[j]);
		output_write(&o, j + 1 < t->columns ? "," : "\n", 1);
	}
	for (size_t i = 0; i < t->rows * t->columns; i++)
		output_printf(&o, "%s%s", number_text(t->values[i], text), (i + 1) % t->columns ? "," : "\n");
	return output_close(&o, error, room);
}

/* ---- reading ------------------------------------------------------------------------ */

typedef struct CsvReader {
	const uint8_t *at, *end;
	size_t line; /* of the file, from 1 */
	double *values;
	size_t count, cap;
	char *error;
	size_t room;
} CsvReader;

enum { FIELD_MAX = 256 };

/* One field, without its quotes and the spaces around it; more than FIELD_MAX - 1 bytes are an error, since a
 * number or a name is shorter.  *last: no comma follows. */
static bool take_field(CsvReader *t, char field[FIELD_MAX], bool *last)
{
	size_t n = 0, kept = 0; /* kept: spaces up to here were quoted */
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t')) t->at++;
	bool quoted = t->at < t->end && *t->at == '"';
	if (quoted) t->at++;
	for (; t->at < t->end; t->at++) {
		if (quoted && *t->at == '"') {
			bool twice = t->end - t->at > 1 && t->at[1] == '"';
			if (!twice) {
				quoted = false;
				kept = n;
				continue;
			}
			t->at++;
		} else if (!quoted && (*t->at == ',' || *t->at == '\n')) {
			break;
		}
		if (n + 1 >= FIELD_MAX || !*t->at)
			return file_fail(t->error, t->room,
				"line %zu: a field that is neither a number nor a name", t->line);
		field[n++] = (char)*t->at;
	}
	if (quoted) return file_fail(t->error, t->room, "line %zu: a quote mark that is not closed", t->line);
	while (n > kept && strchr(" \t\r", field[n - 1])) n--;
	field[n] = 0;
	*last = t->at == t->end || *t->at == '\n';
	if (t->at < t->end) t->at++;
	return true;
}

static bool is_number(const char *field, double *x)
{
	char *end;
	*x = strtod(field, &end);
	return end != field && !*end;
}

/* 1e400: digits of a number that f64 does not have. */
static bool is_too_large(const char *field, double x)
{
	return isinf(x) && strpbrk(field, "0123456789");
}

static bool add_value(CsvReader *t, double x)
{
	if (t->count == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 256;
		double *more =
			cap < PTRDIFF_MAX / sizeof *more ? realloc(t->values, cap * sizeof *more) : NULL;
		if (!more) return file_fail(t->error, t->room, "no memory for %zu numbers", cap);
		t->values = more;
		t->cap = cap;
	}
	t->values[t->count++] = x;
	return true;
}

/* Skips empty lines; whether there is another one. */
static bool next_line(CsvReader *t)
{
	t->line++;
	while (t->at < t->end &&
		(*t->at == '\n' || (*t->at == '\r' && t->end - t->at > 1 && t->at[1] == '\n'))) {
		t->at += *t->at == '\r' ? 2 : 1;
		t->line++;
	}
	return t->at < t->end;
}

/* The first line: how many columns, whether they are names, and which is the wanted one. */
static bool take_names(CsvReader *t, const char *column, size_t *columns, bool *named, size_t *wanted)
{
	char field[FIELD_MAX], list[480] = "";
	size_t n = 0;
	double x;
	*wanted = SIZE_MAX;
	*columns = 0;
	*named = false;
	for (bool last = false; !last; ++*columns) {
		if (!take_field(t, field, &last)) return false;
		if (!is_number(field, &x)) *named = true;
		if (column && *wanted == SIZE_MAX && !strcmp(field, column)) *wanted = *columns;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", *columns ? ", " : "", field);
	}
	if (!column || (*named && *wanted != SIZE_MAX)) return true;
	if (!*named)
		return file_fail(t->error, t->room, "no column \"%s\": its first line has no names", column);
	return file_fail(t->error, t->room, "there is no column \"%s\"; it has %s", column, list);
}

static bool take_rows(CsvReader *t, size_t columns, size_t wanted)
{
	char field[FIELD_MAX];
	double x;
	for (; next_line(t);) {
		size_t j = 0;
		for (bool last = false; !last; j++) {
			if (!take_field(t, field, &last)) return false;
			if (j >= columns) continue;
			if (wanted != SIZE_MAX && j != wanted) continue;
			if (!is_number(field, &x))
				return file_fail(t->error, t->room,
					"line %zu, column %zu: \"%.60s\", where a number was wanted", t->line,
					j + 1, field);
			if (is_too_large(field, x))
				return file_fail(t->error, t->room,
					"line %zu, column %zu: %.60s is larger than an f64 can be", t->line,
					j + 1, field);
			if (!add_value(t, x)) return false;
		}
		if (j != columns)
			return file_fail(t->error, t->room, "line %zu has %zu fields, the first line %zu",
				t->line, j, columns);
	}
	return true;
}

bool csv_parse(const uint8_t *data, size_t n, const char *column, FileArray *out, char *error, size_t room)
{
	CsvReader t = {.at = data, .end = data + n, .error = error, .room = room};
	size_t columns, wanted;
	bool named;
	*out = (FileArray){0};
	if (n >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3)) t.at += 3;
	if (!next_line(&t))
		return file_fail(error, room, "there is nothing in it; lines of numbers were wanted");
	const uint8_t *first = t.at;
	if (!take_names(&t, column, &columns, &named, &wanted)) return false;
	if (!named) {
		t.at = first;
		t.line--;
	}
	bool good = take_rows(&t, columns, wanted);
	size_t count = t.count;
	good = good && (count || add_value(&t, 0)); /* no rows: the data still is not NULL */
	if (!good) {
		free(t.values);
		return false;
	}
	strcpy(out->dtype, "f64");
	out->rank = column ? 1 : 2;
	out->shape[0] = (int64_t)(count / (column ? 1 : columns));
	if (!column) out->shape[1] = (int64_t)columns;
	out->data = t.values;
	out->bytes = count * sizeof(double);
	return true;
}

bool csv_read(const char *path, const char *column, FileArray *out, char *error, size_t room)
{
	uint8_t *data;
	size_t n;
	char why[640];
	*out = (FileArray){0};
	if (!file_read(path, &data, &n, error, room)) return false;
	bool good = csv_parse(data, n, column, out, why, sizeof why) ||
		file_fail(error, room, "%s: %s", path, why);
	free(data);
	return good;
}
