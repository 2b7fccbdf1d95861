/* npy.c - one array in NumPy's format.
 *
 *     \x93 N U M P Y | major minor | length of the header | header | data
 *
 * The length has 2 bytes in version 1 and 4 in versions 2 and 3, little end first.  The header is a Python
 * dictionary, as in {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, then spaces and a new line.
 */
#include "files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const char native_order = '>';
#else
static const char native_order = '<';
#endif

/* ---- the header ---------------------------------------------------------------- */

typedef struct Header {
	const uint8_t *at, *end;
	char descr[24];
	bool fortran;
	FileArray array;
	enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 } has;
	char *error;
	size_t room;
} Header;

static void skip_spaces(Header *h)
{
	while (h->at < h->end && (*h->at == ' ' || (*h->at >= '\t' && *h->at <= '\r'))) h->at++;
}

/* Takes one character if it is the next one after spaces. */
static bool take(Header *h, char c)
{
	skip_spaces(h);
	if (h->at == h->end || *h->at != (uint8_t)c) return false;
	h->at++;
	return true;
}

/* A quoted text of less than `room` plain characters. */
static bool take_text(Header *h, char *text, size_t room)
{
	size_t n = 0;
	char quote = 0;
	if (take(h, '\''))
		quote = '\'';
	else if (take(h, '"'))
		quote = '"';
	if (!quote) return false;
	while (h->at < h->end && *h->at != (uint8_t)quote) {
		if (n + 1 >= room || *h->at < ' ' || *h->at > '~' || *h->at == '\\') return false;
		text[n++] = (char)*h->at++;
	}
	text[n] = 0;
	return take(h, quote);
}

static bool take_word(Header *h, const char *word)
{
	size_t n = strlen(word);
	skip_spaces(h);
	if ((size_t)(h->end - h->at) < n || memcmp(h->at, word, n)) return false;
	h->at += n;
	return true;
}

static bool take_descr(Header *h)
{
	skip_spaces(h);
	if (h->at < h->end && *h->at == '[')
		return file_fail(h->error, h->room, "the elements are records; numbers or bools were wanted");
	return take_text(h, h->descr, sizeof h->descr) ||
		file_fail(h->error, h->room, "the dtype in the header is not a short text");
}

static bool take_order(Header *h)
{
	h->fortran = take_word(h, "True");
	return h->fortran || take_word(h, "False") ||
		file_fail(h->error, h->room, "fortran_order in the header is neither True nor False");
}

static bool take_size(Header *h, int64_t *size)
{
	uint64_t x = 0;
	skip_spaces(h);
	if (h->at == h->end || *h->at < '0' || *h->at > '9')
		return file_fail(h->error, h->room, "the shape in the header is not a list of whole numbers");
	for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
		uint64_t digit = (uint64_t)*h->at - '0';
		if (x > ((uint64_t)INT64_MAX - digit) / 10)
			return file_fail(h->error, h->room, "a size in the header is past 2^63 - 1");
		x = 10 * x + digit;
	}
	if (h->at < h->end && *h->at == 'L') h->at++; /* Python 2 wrote 3L */
	*size = (int64_t)x;
	return true;
}

static bool take_shape(Header *h)
{
	FileArray *a = &h->array;
	if (!take(h, '(')) return file_fail(h->error, h->room, "the shape in the header is not a tuple");
	while (!take(h, ')')) {
		if (a->rank == FILE_RANK_MAX)
			return file_fail(h->error, h->room, "the array has more than %d axes", FILE_RANK_MAX);
		if (!take_size(h, &a->shape[a->rank])) return false;
		a->rank++;
		if (take(h, ',')) continue;
		if (a->rank > 1 && take(h, ')')) break; /* (3) is a number, (3,) a tuple */
		return file_fail(h->error, h->room, "the shape in the header is not a tuple");
	}
	return true;
}

static bool take_entry(Header *h)
{
	static const struct {
		const char *name;
		bool (*value)(Header *);
	} entry[] = {{"descr", take_descr}, {"fortran_order", take_order}, {"shape", take_shape}};
	char name[24];
	if (!take_text(h, name, sizeof name) || !take(h, ':'))
		return file_fail(h->error, h->room, "the header is not a dictionary of short names");
	for (int i = 0; i < 3; i++) {
		if (strcmp(name, entry[i].name)) continue;
		if (h->has & 1 << i) return file_fail(h->error, h->room, "the header has %s twice", name);
		h->has |= 1 << i;
		return entry[i].value(h);
	}
	return file_fail(h->error, h->room, "the header has \"%s\", not descr, fortran_order or shape", name);
}

static bool take_header(Header *h)
{
	if (!take(h, '{')) return file_fail(h->error, h->room, "the header is not a dictionary");
	while (!take(h, '}')) {
		if (!take_entry(h)) return false;
		if (take(h, ',')) continue;
		if (take(h, '}')) break;
		return file_fail(h->error, h->room, "the header does not end as a dictionary does");
	}
	skip_spaces(h);
	if (h->at < h->end) return file_fail(h->error, h->room, "the header goes on after its dictionary");
	const char *lacks = NULL;
	if (!(h->has & HAS_DESCR))
		lacks = "descr";
	else if (!(h->has & HAS_ORDER))
		lacks = "fortran_order";
	else if (h->has != HAS_ALL)
		lacks = "shape";
	return !lacks || file_fail(h->error, h->room, "the header lacks %s", lacks);
}

/* '<f8' to "f64" and the byte order. */
static const FileDtype *dtype_of(const Header *h, bool *swapped)
{
	const char *s = h->descr;
	if (!*s || !strchr("<>=|", *s)) return NULL;
	*swapped = (*s == '<' || *s == '>') && *s != native_order;
	for (const FileDtype *d = file_dtypes; *d->name; d++) {
		char code[8];
		snprintf(code, sizeof code, "%c%zu", d->kind, d->bytes);
		if (!strcmp(s + 1, code) && (*s != '|' || d->unit == 1)) return d;
	}
	return NULL;
}

/* ---- the data ------------------------------------------------------------------- */

static void reverse_bytes(uint8_t *data, size_t bytes, size_t unit)
{
	for (uint8_t *p = data; p < data + bytes; p += unit)
		for (size_t i = 0; i < unit / 2; i++) {
			uint8_t kept = p[i];
			p[i] = p[unit - 1 - i];
			p[unit - 1 - i] = kept;
		}
}

/* Copies with the first axis fastest in `from` and the last fastest in `to`. */
static void copy_fortran(uint8_t *to, const uint8_t *from, const FileArray *a, size_t size)
{
	int64_t index[FILE_RANK_MAX] = {0};
	size_t stride[FILE_RANK_MAX], at = 0, step = size;
	for (int i = 0; i < a->rank; i++) {
		stride[i] = step;
		step *= (size_t)a->shape[i];
	}
	for (uint8_t *end = to + a->bytes; to < end; to += size) {
		memcpy(to, from + at, size);
		for (int i = a->rank - 1; i >= 0; i--) {
			at += stride[i];
			if (++index[i] < a->shape[i]) break;
			at -= stride[i] * (size_t)a->shape[i];
			index[i] = 0;
		}
	}
}

static bool take_data(Header *h, const uint8_t *data, size_t n, FileArray *out)
{
	FileArray *a = &h->array;
	char type[160];
	bool swapped = false;
	const FileDtype *d = dtype_of(h, &swapped);
	if (!d) {
		return file_fail(h->error, h->room,
			"the dtype is '%s'; bool, an integer of 8 to 64 bits, a float of "
			"16 to 64 or a complex of 64 or 128 was wanted",
			h->descr);
	}
	memcpy(a->dtype, d->name, sizeof a->dtype);
	file_array_type(a, type, sizeof type);
	if (!file_array_bytes(a, &a->bytes))
		return file_fail(h->error, h->room, "%s is too large for memory", type);
	if (a->bytes != n)
		return file_fail(h->error, h->room, "%zu bytes of data, where %s has %zu", n, type, a->bytes);
	if (!(a->data = malloc(a->bytes + !a->bytes)))
		return file_fail(h->error, h->room, "no memory for %s, %zu bytes", type, a->bytes);
	if (h->fortran && a->rank > 1)
		copy_fortran(a->data, data, a, d->bytes);
	else if (n)
		memcpy(a->data, data, n);
	if (swapped) reverse_bytes(a->data, a->bytes, d->unit);
	if (d->kind == 'b')
		for (size_t i = 0; i < n; i++) ((uint8_t *)a->data)[i] = ((uint8_t *)a->data)[i] != 0;
	*out = *a;
	return true;
}

bool npy_parse(const uint8_t *data, size_t n, FileArray *out, char *error, size_t room)
{
	Header h = {.error = error, .room = room};
	*out = (FileArray){0};
	if (n < 6 || memcmp(data, "\x93NUMPY", 6)) return file_fail(error, room, "not a .npy file");
	if (n < 8) return file_fail(error, room, "the file ends in its first line");
	if (data[6] < 1 || data[6] > 3 || data[7])
		return file_fail(
			error, room, "version %d.%d of .npy, where 1.0 to 3.0 was wanted", data[6], data[7]);
	size_t wide = data[6] == 1 ? 2 : 4, length = 0;
	if (n < 8 + wide) return file_fail(error, room, "the file ends in its first line");
	for (size_t i = wide; i--;) length = length << 8 | data[8 + i];
	if (n - 8 - wide < length)
		return file_fail(
			error, room, "the file ends %zu bytes into a header of %zu", n - 8 - wide, length);
	h.at = data + 8 + wide;
	h.end = h.at + length;
	const uint8_t *body = h.end;
	return take_header(&h) && take_data(&h, body, (size_t)(data + n - body), out);
}

bool npy_read(const char *path, FileArray *out, char *error, size_t room)
{
	uint8_t *data;
	size_t n;
	char why[512];
	*out = (FileArray){0};
	if (!file_read(path, &data, &n, error, room)) return false;
	bool good = npy_parse(data, n, out, why, sizeof why) || file_fail(error, room, "%s: %s", path, why);
	free(data);
	return good;
}

/* ---- writing ---------------------------------------------------------------------- */

size_t npy_header(const FileArray *a, char header[NPY_HEADER_MAX])
{
	const FileDtype *d = file_dtype(a->dtype);
	size_t bytes, n = 10;
	if (!d || !file_array_bytes(a, &bytes)) return 0;
	n += (size_t)sprintf(header + n, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (",
		d->unit == 1 ? '|' : native_order, d->kind, d->bytes);
	for (int i = 0; i < a->rank; i++)
		n += (size_t)sprintf(
			header + n, "%s%" PRId64 "%s", i ? ", " : "", a->shape[i], a->rank == 1 ? "," : "");
	n += (size_t)sprintf(header + n, "), }");
	while (n % 64 != 63) header[n++] = ' ';
	header[n++] = '\n';
	memcpy(header, "\x93NUMPY\1", 8);
	header[8] = (char)((n - 10) & 255);
	header[9] = (char)((n - 10) >> 8);
	return n;
}

bool npy_write(const char *path, const FileArray *a, char *error, size_t room)
{
	char header[NPY_HEADER_MAX];
	Output o;
	size_t bytes, n = npy_header(a, header);
	if (!file_dtype_named(path, a, error, room)) return false;
	if (!n || !file_array_bytes(a, &bytes) || bytes != a->bytes)
		return file_fail(error, room,
			"%s: %zu bytes of dtype \"%.7s\" are no array that a file can hold", path, a->bytes,
			a->dtype);
	if (!output_open(&o, path, error, room)) return false;
	output_write(&o, header, n);
	output_write(&o, a->data, a->bytes);
	return output_close(&o, error, room);
}
