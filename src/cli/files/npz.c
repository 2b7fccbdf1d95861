/* npz.c - several arrays in a zip, each a member key.npy. */
#include "files.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dtype.h"
#include "zip.h"

/* ---- reading ---------------------------------------------------------------------- */

/* The length of a member's name without ".npy". */
static size_t key_bytes(const ZipMember *m)
{
	size_t n = m->name_bytes;
	return n > 4 && !memcmp(m->name + n - 4, ".npy", 4) ? n - 4 : n;
}

static bool is_key(const ZipMember *m, const char *key)
{
	size_t n = strlen(key);
	return (n == m->name_bytes || n == key_bytes(m)) && !memcmp(m->name, key, n);
}

/* A key for a message: a few, plain characters. */
static void plain_key(const ZipMember *m, char text[64])
{
	size_t n = key_bytes(m) < 63 ? key_bytes(m) : 63;
	for (size_t i = 0; i < n; i++) text[i] = m->name[i] >= ' ' && m->name[i] <= '~' ? m->name[i] : '?';
	text[n] = 0;
}

/* "a, b, c and 9 more", from a zip that is opened again. */
static void list_keys(Zip z, char *list, size_t room)
{
	enum { SHOWN = 12 };
	ZipMember m;
	char key[64];
	size_t n = 0;
	*list = 0;
	for (int i = 0; i < SHOWN && z.left && zip_next(&z, &m); i++) {
		plain_key(&m, key);
		n += (size_t)snprintf(list + n, room - n, "%s%s", i ? ", " : "", key);
		if (n >= room) return;
	}
	if (z.left) snprintf(list + n, room - n, " and %llu more", (unsigned long long)z.left);
}

/* Reads one member; an error gets its key. */
static bool read_member(Zip *z, const ZipMember *m, FileArray *out)
{
	char why[400] = "", key[64];
	Zip quiet = *z;
	quiet.error = why;
	quiet.room = sizeof why;
	uint8_t *data = zip_unpack(&quiet, m);
	bool good = data && npy_parse(data, (size_t)m->bytes, out, why, sizeof why);
	free(data);
	plain_key(m, key);
	return good || file_fail(z->error, z->room, "%s: %s", key, why);
}

bool npz_find(const uint8_t *data, size_t n, const char *key, FileArray *out, char *error, size_t room)
{
	Zip z, all;
	ZipMember m;
	char list[900];
	*out = (FileArray){0};
	if (!zip_open(&z, data, n, error, room)) return false;
	all = z;
	while (z.left) {
		if (!zip_next(&z, &m)) return false;
		if (key ? is_key(&m, key) : all.left == 1) return read_member(&z, &m, out);
	}
	if (!all.left) return file_fail(error, room, "there is no array in it");
	list_keys(all, list, sizeof list);
	return key ? file_fail(error, room, "there is no array \"%s\"; it has %s", key, list)
		   : file_fail(error, room, "which array is meant? it has %s", list);
}

bool npz_parse_all(
	const uint8_t *data, size_t n, NamedArray **arrays, size_t *count, char *error, size_t room)
{
	Zip z;
	ZipMember m;
	*arrays = NULL;
	*count = 0;
	if (!zip_open(&z, data, n, error, room)) return false;
	NamedArray *list = calloc((size_t)z.left + 1, sizeof *list);
	bool good = list || file_fail(error, room, "no memory for the list of its arrays");
	size_t done = 0;
	while (good && z.left) {
		if (!(good = zip_next(&z, &m))) break;
		NamedArray *a = &list[done++];
		size_t bytes = key_bytes(&m);
		if (!(a->key = calloc(1, bytes + 1)))
			good = file_fail(error, room, "no memory for a key");
		else
			good = memcpy(a->key, m.name, bytes) && read_member(&z, &m, &a->array);
	}
	if (!good) {
		named_arrays_free(list, done);
		return false;
	}
	*arrays = list;
	*count = done;
	return true;
}

bool npz_read(const char *path, const char *key, FileArray *out, char *error, size_t room)
{
	uint8_t *data;
	size_t n;
	char why[1200];
	*out = (FileArray){0};
	if (!file_read(path, &data, &n, error, room)) return false;
	bool good =
		npz_find(data, n, key, out, why, sizeof why) || file_fail(error, room, "%s: %s", path, why);
	free(data);
	return good;
}

bool npz_read_all(const char *path, NamedArray **arrays, size_t *count, char *error, size_t room)
{
	uint8_t *data;
	size_t n;
	char why[600];
	*arrays = NULL;
	*count = 0;
	if (!file_read(path, &data, &n, error, room)) return false;
	bool good = npz_parse_all(data, n, arrays, count, why, sizeof why) ||
		file_fail(error, room, "%s: %s", path, why);
	free(data);
	return good;
}

/* ---- writing (the layout is drawn in zip.c) ------------------------------------------ */

typedef struct ZipWriter {
	Output output;
	uint64_t at, wide;
} ZipWriter;

/* A block of a zip while it is put together: numbers with their little end first. */
typedef struct ZipBlock {
	uint8_t byte[96];
	size_t n;
} ZipBlock;

static void put(ZipBlock *b, uint64_t x, int bytes)
{
	for (; bytes--; x >>= 8) b->byte[b->n++] = (uint8_t)x;
}

static void emit(ZipWriter *w, const void *data, size_t n)
{
	output_write(&w->output, data, n);
	w->at += n;
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 128) s++;
	return !*s;
}

/* What a local header and an entry of the directory share: version .. lengths. */
static void put_common(ZipBlock *b, const char *key, uint32_t crc, uint64_t bytes, bool wide, size_t extra)
{
	put(b, wide ? 45 : 20, 2);
	put(b, is_ascii(key) ? 0 : 1 << 11, 2); /* the name is UTF-8 */
	put(b, 0, 2); /* stored */
	put(b, 0, 2); /* midnight, */
	put(b, 1 << 5 | 1, 2); /* 1 January 1980: the same arrays, the same bytes */
	put(b, crc, 4);
	put(b, wide ? 0xFFFFFFFF : bytes, 4);
	put(b, wide ? 0xFFFFFFFF : bytes, 4);
	put(b, strlen(key) + 4, 2);
	put(b, extra, 2);
}

static void put_wide(ZipBlock *b, const uint64_t *numbers, int count)
{
	put(b, 1, 2);
	put(b, 8 * (uint64_t)count, 2);
	for (int i = 0; i < count; i++) put(b, numbers[i], 8);
}

typedef struct ZipEntry {
	uint64_t offset, bytes;
	uint32_t crc;
} ZipEntry;

static ZipEntry write_member(ZipWriter *w, const NamedArray *a)
{
	char header[NPY_HEADER_MAX];
	size_t n = npy_header(&a->array, header);
	ZipEntry e = {w->at, n + a->array.bytes, 0};
	bool wide = e.bytes >= w->wide;
	ZipBlock b = {.n = 0}, extra = {.n = 0};
	e.crc = (uint32_t)crc32_z(crc32_z(0, (const Bytef *)header, n), a->array.data, a->array.bytes);
	if (wide) put_wide(&extra, (uint64_t[]){e.bytes, e.bytes}, 2);
	put(&b, 0x04034b50, 4);
	put_common(&b, a->key, e.crc, e.bytes, wide, extra.n);
	emit(w, b.byte, b.n);
	emit(w, a->key, strlen(a->key));
	emit(w, ".npy", 4);
	emit(w, extra.byte, extra.n);
	emit(w, header, n);
	emit(w, a->array.data, a->array.bytes);
	return e;
}

static void write_entry(ZipWriter *w, const char *key, ZipEntry e)
{
	bool wide = e.bytes >= w->wide || e.offset >= w->wide;
	ZipBlock b = {.n = 0}, extra = {.n = 0};
	if (wide) put_wide(&extra, (uint64_t[]){e.bytes, e.bytes, e.offset}, 3);
	put(&b, 0x02014b50, 4);
	put(&b, wide ? 45 : 20, 2);
	put_common(&b, key, e.crc, e.bytes, wide, extra.n);
	put(&b, 0, 10); /* no comment, disk 0, no attributes but: */
	put(&b, wide ? 0xFFFFFFFF : e.offset, 4);
	emit(w, b.byte, b.n);
	emit(w, key, strlen(key));
	emit(w, ".npy", 4);
	emit(w, extra.byte, extra.n);
}

static void write_end(ZipWriter *w, uint64_t start, uint64_t count)
{
	uint64_t end = w->at, bytes = end - start;
	bool wide = end >= w->wide || count >= 0xFFFF;
	ZipBlock b = {.n = 0};
	if (wide) {
		put(&b, 0x06064b50, 4);
		put(&b, 44, 8); /* the bytes of this block that follow */
		put(&b, 45, 2);
		put(&b, 45, 2);
		put(&b, 0, 8);
		put(&b, count, 8);
		put(&b, count, 8);
		put(&b, bytes, 8);
		put(&b, start, 8);
		put(&b, 0x07064b50, 4);
		put(&b, 0, 4);
		put(&b, end, 8);
		put(&b, 1, 4);
		emit(w, b.byte, b.n);
		b.n = 0;
	}
	put(&b, 0x06054b50, 4);
	put(&b, 0, 4);
	put(&b, wide ? 0xFFFF : count, 2);
	put(&b, wide ? 0xFFFF : count, 2);
	put(&b, wide ? 0xFFFFFFFF : bytes, 4);
	put(&b, wide ? 0xFFFFFFFF : start, 4);
	put(&b, 0, 2);
	emit(w, b.byte, b.n);
}

/* Whether a zip can hold these: keys that are distinct and fit, arrays as they say. */
static bool check_arrays(const char *path, const NamedArray *a, size_t count, char *error, size_t room)
{
	char header[NPY_HEADER_MAX];
	for (size_t i = 0; i < count; i++) {
		size_t bytes, n = strlen(a[i].key);
		if (!n || n > 0xFFFF - 4)
			return file_fail(
				error, room, "%s: a key of %zu bytes; 1 to 65531 were wanted", path, n);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(a[i].key, a[j].key))
				return file_fail(error, room, "%s: two arrays named \"%s\"", path, a[i].key);
		char what[256];
		snprintf(what, sizeof what, "%.150s: \"%.80s\"", path, a[i].key);
		if (!file_dtype_named(what, &a[i].array, error, room)) return false;
		if (!npy_header(&a[i].array, header) || !file_array_bytes(&a[i].array, &bytes) ||
			bytes != a[i].array.bytes)
			return file_fail(error, room,
				"%s: \"%s\" is no array that a file can hold: %zu bytes of dtype \"%.7s\"",
				path, a[i].key, a[i].array.bytes, a[i].array.dtype);
	}
	return true;
}

bool npz_write_wide(
	const char *path, const NamedArray *arrays, size_t count, uint64_t wide, char *error, size_t room)
{
	ZipWriter w = {.wide = wide};
	if (!check_arrays(path, arrays, count, error, room)) return false;
	ZipEntry *entries = malloc((count + 1) * sizeof *entries);
	if (!entries) return file_fail(error, room, "%s: no memory for a list of %zu arrays", path, count);
	if (!output_open(&w.output, path, error, room)) {
		free(entries);
		return false;
	}
	for (size_t i = 0; i < count; i++) entries[i] = write_member(&w, &arrays[i]);
	uint64_t start = w.at;
	for (size_t i = 0; i < count; i++) write_entry(&w, arrays[i].key, entries[i]);
	write_end(&w, start, count);
	free(entries);
	return output_close(&w.output, error, room);
}

bool npz_write(const char *path, const NamedArray *arrays, size_t count, char *error, size_t room)
{
	return npz_write_wide(path, arrays, count, 0xFFFFFFFF, error, room);
}
