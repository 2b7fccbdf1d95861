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

enum { FIELD_MAX = 256, CHOSEN_MAX = 4096 };

/* Which columns are wanted, in order; n 0: all. */
typedef struct CsvChosen {
	const char *name; /* "age" or "age,height" */
	size_t n, *column;
} CsvChosen;

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

/* The column goes to each place that asks for it.  A name may have commas itself: then it is
 * that one alone. */
static void choose(CsvChosen *c, const char *field, size_t column)
{
	const char *name = c->name;
	const size_t n = strlen(field);
	if (!strcmp(field, name) && (c->n != 1 || c->column[0] == SIZE_MAX)) {
		c->n = 1;
		c->column[0] = column;
		return;
	}
	for (size_t place = 0; place < c->n; place++) {
		name += strspn(name, " ");
		size_t part = strcspn(name, ",");
		bool same = part == n && !strncmp(name, field, n);
		if (same && c->column[place] == SIZE_MAX) c->column[place] = column;
		name += part + (name[part] == ',');
	}
}

static bool open_chosen(CsvReader *t, CsvChosen *c)
{
	if (!c->name) return true;
	c->n = 1;
	for (const char *s = c->name; *s; s++) c->n += *s == ',';
	if (c->n > CHOSEN_MAX)
		return file_fail(t->error, t->room, "more than %d columns are asked for", CHOSEN_MAX);
	c->column = malloc(c->n * sizeof *c->column);
	if (!c->column) return file_fail(t->error, t->room, "no memory");
	for (size_t i = 0; i < c->n; i++) c->column[i] = SIZE_MAX;
	return true;
}

/* All names that were asked for are there; `list` has those of the file. */
static bool all_found(CsvReader *t, const CsvChosen *c, bool named, const char *list)
{
	const char *name = c->name;
	if (c->name && !named)
		return file_fail(t->error, t->room, "no column \"%s\": its first line has no names", c->name);
	for (size_t i = 0; i < c->n; i++) {
		int n = c->n == 1 ? (int)strlen(name) : (int)strcspn(name, ",");
		if (c->column[i] == SIZE_MAX)
			return file_fail(t->error, t->room, "there is no column \"%.*s\"; it has %s%s", n, name, list,
				strpbrk(list, ";\t") ? ", as commas separate columns" : "");
		name += n + (name[n] == ',');
	}
	return true;
}

/* The first line: how many columns, whether they are names, and which are the wanted ones. */
static bool take_names(CsvReader *t, CsvChosen *c, size_t *columns, bool *named)
{
	char field[FIELD_MAX], list[480] = "";
	size_t n = 0;
	double x;
	*columns = 0;
	*named = false;
	for (bool last = false; !last; ++*columns) {
		if (!take_field(t, field, &last)) return false;
		if (!is_number(field, &x)) *named = true;
		if (c->name) choose(c, field, *columns);
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", *columns ? ", " : "", field);
	}
	return all_found(t, c, *named, list);
}

static bool no_number(CsvReader *t, const char *field, size_t column, bool all)
{
	return file_fail(t->error, t->room, "line %zu, column %zu: \"%.60s\", where a number was wanted%s",
		t->line, column + 1, field, all && *field ? "; FILE.csv:NAME,NAME takes the columns of these names" : "");
}

/* The field of each column goes to its places in the row, which has all wanted ones before it is kept. */
static bool take_row(CsvReader *t, const CsvChosen *c, size_t columns, double *row, size_t *fields)
{
	char field[FIELD_MAX];
	double x;
	*fields = 0;
	for (bool last = false; !last; ++*fields) {
		const size_t j = *fields;
		bool wanted = !c->n && j < columns;
		if (!take_field(t, field, &last)) return false;
		for (size_t i = 0; i < c->n; i++) wanted |= c->column[i] == j;
		if (!wanted) continue;
		if (!is_number(field, &x)) return no_number(t, field, j, !c->n);
		if (is_too_large(field, x))
			return file_fail(t->error, t->room, "line %zu, column %zu: %.60s is larger than an f64 can be",
				t->line, j + 1, field);
		for (size_t i = 0; i < c->n; i++)
			if (c->column[i] == j) row[i] = x;
		if (!c->n) row[j] = x;
	}
	return true;
}

static bool take_rows(CsvReader *t, const CsvChosen *c, size_t columns)
{
	const size_t width = c->n ? c->n : columns;
	size_t fields;
	double *row = malloc((width + 1) * sizeof *row);
	bool good = row || file_fail(t->error, t->room, "no memory");
	while (good && next_line(t)) {
		good = take_row(t, c, columns, row, &fields);
		if (good && fields != columns)
			good = file_fail(t->error, t->room, "line %zu has %zu fields, the first line %zu", t->line,
				fields, columns);
		for (size_t i = 0; good && i < width; i++) good = add_value(t, row[i]);
	}
	free(row);
	return good;
}

static void give_table(FileArray *out, CsvReader *t, const CsvChosen *c, size_t columns, size_t count)
{
	const size_t width = c->n ? c->n : columns;
	strcpy(out->dtype, "f64");
	out->rank = c->n == 1 ? 1 : 2;
	out->shape[0] = (int64_t)(count / width);
	if (c->n != 1) out->shape[1] = (int64_t)width;
	out->data = t->values;
	out->bytes = count * sizeof(double);
}

bool csv_parse(const uint8_t *data, size_t n, const char *column, FileArray *out, char *error, size_t room)
{
	CsvReader t = {.at = data, .end = data + n, .error = error, .room = room};
	CsvChosen c = {.name = column};
	size_t columns;
	bool named;
	*out = (FileArray){0};
	if (n >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3)) t.at += 3;
	if (!next_line(&t))
		return file_fail(error, room, "there is nothing in it; lines of numbers were wanted");
	const uint8_t *first = t.at;
	bool good = open_chosen(&t, &c) && take_names(&t, &c, &columns, &named);
	if (good && !named) {
		t.at = first;
		t.line--;
	}
	good = good && take_rows(&t, &c, columns);
	const size_t count = t.count;
	good = good && (count || add_value(&t, 0)); /* no rows: the data still is not NULL */
	if (good)
		give_table(out, &t, &c, columns, count);
	else
		free(t.values);
	free(c.column);
	return good;
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
