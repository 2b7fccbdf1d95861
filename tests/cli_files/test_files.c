/* test_files.c - the files of the command: what is written reads back, and what is damaged says so.
 *
 * Run from the root of the source, or with the path of digits.npz as the argument.
 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/cli/files/files.h"

static const char *digits = "examples/digits/digits.npz";
static char folder[] = "/tmp/porism-files-XXXXXX";
static char error[1024];
#define ERROR error, sizeof error

static const char *in_folder(const char *name)
{
	static char path[4][300];
	static int turn;
	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

static int files_in_folder(void)
{
	DIR *d = opendir(folder);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int empty_folder(void **state)
{
	(void)state;
	DIR *d = opendir(folder);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.') unlink(in_folder(e->d_name));
	closedir(d);
	return 0;
}

#define assert_good(call)                                                                                    \
	do {                                                                                                 \
		if (!(call)) fail_msg("%s: %s", #call, error);                                               \
	} while (0)

#define assert_error(call, wanted)                                                                           \
	do {                                                                                                 \
		strcpy(error, "(nothing)");                                                                  \
		if (call) fail_msg("%s is good; an error was wanted: %s", #call, wanted);                    \
		if (!strstr(error, wanted)) fail_msg("%s: \"%s\" has no \"%s\"", #call, error, wanted);      \
	} while (0)

static FileArray array_of(const char *dtype, int rank, const int64_t *shape, const void *data)
{
	FileArray a = {.rank = rank};
	strcpy(a.dtype, dtype);
	for (int i = 0; i < rank; i++) a.shape[i] = shape[i];
	assert_true(file_array_bytes(&a, &a.bytes));
	a.data = malloc(a.bytes + 1);
	if (data && a.bytes) memcpy(a.data, data, a.bytes);
	return a;
}

static void assert_same(const FileArray *a, const FileArray *b)
{
	assert_string_equal(a->dtype, b->dtype);
	assert_int_equal(a->rank, b->rank);
	for (int i = 0; i < a->rank; i++) assert_true(a->shape[i] == b->shape[i]);
	assert_int_equal(a->bytes, b->bytes);
	assert_memory_equal(a->data, b->data, a->bytes);
}

/* A .npy with this header and data, in a buffer of just its size, so that reading past it is seen. */
static uint8_t *npy_with(int version, const char *header, const void *data, size_t bytes, size_t *n)
{
	size_t length = strlen(header), at = version == 1 ? 10 : 12;
	uint8_t *p = malloc(*n = at + length + bytes);
	memcpy(p, "\x93NUMPY", 6);
	p[6] = (uint8_t)version;
	p[7] = 0;
	for (size_t i = 8; i < at; i++) p[i] = (uint8_t)(length >> 8 * (i - 8));
	memcpy(p + at, header, length);
	if (bytes) memcpy(p + at + length, data, bytes);
	return p;
}

static bool parse_header(const char *header, const void *data, size_t bytes, FileArray *out)
{
	size_t n;
	uint8_t *p = npy_with(1, header, data, bytes, &n);
	bool good = npy_parse(p, n, out, ERROR);
	free(p);
	return good;
}

/* ---- .npy ------------------------------------------------------------------------- */

static const char *const dtypes[] = {
	"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128"};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void test_every_dtype(void **state)
{
	(void)state;
	static const size_t sizes[DTYPES] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};
	uint8_t bytes[6 * 16];
	for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 37 + 11);
	for (int d = 0; d < DTYPES; d++) {
		if (!d) memcpy(bytes, "\0\1\1\0\1\0", 6);
		FileArray a = array_of(dtypes[d], 2, (int64_t[]){2, 3}, bytes), b;
		assert_int_equal(a.bytes, 6 * sizes[d]);
		assert_int_equal(file_dtype_bytes(dtypes[d]), sizes[d]);
		assert_good(npy_write(in_folder("a.npy"), &a, ERROR));
		assert_good(npy_read(in_folder("a.npy"), &b, ERROR));
		assert_same(&a, &b);
		file_array_free(&a);
		file_array_free(&b);
	}
	assert_int_equal(file_dtype_bytes("f8"), 0);
}

static void test_every_rank(void **state)
{
	(void)state;
	int64_t shape[FILE_RANK_MAX];
	for (int i = 0; i < FILE_RANK_MAX; i++) shape[i] = 1;
	for (int rank = 0; rank <= FILE_RANK_MAX; rank++) {
		FileArray a = array_of("f64", rank, shape, &(double){M_PI}), b;
		assert_good(npy_write(in_folder("a.npy"), &a, ERROR));
		assert_good(npy_read(in_folder("a.npy"), &b, ERROR));
		assert_same(&a, &b);
		file_array_free(&a);
		file_array_free(&b);
	}
	FileArray none = array_of("f32", 3, (int64_t[]){4, 0, INT64_MAX}, NULL), back;
	assert_good(npy_write(in_folder("a.npy"), &none, ERROR));
	assert_good(npy_read(in_folder("a.npy"), &back, ERROR));
	assert_same(&none, &back);
	assert_non_null(back.data);
	file_array_free(&none);
	file_array_free(&back);
}

/* The header is what NumPy writes: 64 bytes at least, aligned, ended by a new line. */
static void test_header_text(void **state)
{
	(void)state;
	char h[NPY_HEADER_MAX];
	FileArray a = {.dtype = "f32", .rank = 1, .shape = {7}};
	size_t n = npy_header(&a, h);
	assert_int_equal(n, 128);
	assert_memory_equal(
		h, "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (7,), } ", 66);
	assert_int_equal(h[n - 1], '\n');
	a = (FileArray){.dtype = "bool", .rank = 0};
	n = npy_header(&a, h);
	assert_memory_equal(h + 10, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 55);
	a = (FileArray){.dtype = "f99"};
	assert_int_equal(npy_header(&a, h), 0);
	a = (FileArray){.dtype = "f64", .rank = 2, .shape = {INT64_MAX, 2}};
	assert_int_equal(npy_header(&a, h), 0);
}

static void test_big_endian(void **state)
{
	(void)state;
	FileArray a;
	static const uint8_t i2[] = {0x01, 0x02, 0xFF, 0xFE};
	assert_good(parse_header("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n", i2, 4, &a));
	assert_string_equal(a.dtype, "i16");
	assert_int_equal(((int16_t *)a.data)[0], 0x0102);
	assert_int_equal(((int16_t *)a.data)[1], -2);
	file_array_free(&a);

	/* 1 + 2i: the halves stay where they are, the bytes of each are reversed */
	static const uint8_t c8[] = {0x3F, 0x80, 0, 0, 0x40, 0, 0, 0};
	assert_good(parse_header("{'descr': '>c8', 'fortran_order': False, 'shape': (), }", c8, 8, &a));
	assert_string_equal(a.dtype, "c64");
	assert_true(((float *)a.data)[0] == 1 && ((float *)a.data)[1] == 2);
	file_array_free(&a);

	static const uint8_t f8[] = {0x3F, 0xF8, 0, 0, 0, 0, 0, 0};
	assert_good(parse_header("{'descr': '>f8', 'fortran_order': False, 'shape': (), }", f8, 8, &a));
	assert_true(*(double *)a.data == 1.5);
	file_array_free(&a);
}

static void test_fortran_order(void **state)
{
	(void)state;
	FileArray a;
	/* x[i, j] = 10 i + j of 2 by 3, the first axis fastest, and big-endian as well */
	static const uint8_t plain[] = {0, 10, 1, 11, 2, 12};
	static const uint8_t wanted[] = {0, 1, 2, 10, 11, 12};
	assert_good(
		parse_header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", plain, 6, &a));
	assert_memory_equal(a.data, wanted, 6);
	file_array_free(&a);

	uint8_t big[2 * 3 * 4 * 2];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 4; k++) {
				big[2 * (i + 2 * (j + 3 * k))] = (uint8_t)(i + 1);
				big[2 * (i + 2 * (j + 3 * k)) + 1] = (uint8_t)(10 * j + k);
			}
	assert_good(
		parse_header("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3, 4), }\n", big, 48, &a));
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 4; k++)
				assert_int_equal(((uint16_t *)a.data)[(i * 3 + j) * 4 + k],
					256 * (i + 1) + 10 * j + k);
	file_array_free(&a);

	assert_good(
		parse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }\n", NULL, 0, &a));
	file_array_free(&a);
}

static void test_versions_and_spelling(void **state)
{
	(void)state;
	FileArray a;
	size_t n;
	for (int version = 1; version <= 4; version++) {
		uint8_t *p = npy_with(
			version, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "abc", 3, &n);
		if (version < 4) {
			assert_good(npy_parse(p, n, &a, ERROR));
			assert_memory_equal(a.data, "abc", 3);
			file_array_free(&a);
		} else {
			assert_error(npy_parse(p, n, &a, ERROR), "version 4.0");
		}
		free(p);
	}
	/* any order of the names, either quote mark, no comma at the end, Python 2's long numbers */
	assert_good(
		parse_header("{\"shape\":(3L,1),\"descr\":\"|i1\",\"fortran_order\":False}", "abc", 3, &a));
	assert_int_equal(a.rank, 2);
	file_array_free(&a);
	/* a bool is 0 or 1 */
	assert_good(parse_header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\0\1\7", 3, &a));
	assert_memory_equal(a.data, "\0\1\1", 3);
	file_array_free(&a);
}

static void test_bad_headers(void **state)
{
	(void)state;
	static const struct {
		const char *header, *wanted;
	} bad[] = {
		{"", "not a dictionary"},
		{"[1]", "not a dictionary"},
		{"{", "dictionary of short names"},
		{"{'descr'", "dictionary of short names"},
		{"{'descr': '<f8', 'fortran_order': False, }", "lacks shape"},
		{"{'fortran_order': False, 'shape': (1,), }", "lacks descr"},
		{"{'descr': '<f8', 'shape': (1,), }", "lacks fortran_order"},
		{"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "descr twice"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}", "\"more\""},
		{"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }", "neither True nor False"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': 1, }", "not a tuple"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1), }", "not a tuple"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "whole numbers"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1.5,), }", "not a tuple"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (,), }", "whole numbers"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x", "goes on after"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (1,) ", "does not end"},
		{"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "records"},
		{"{'descr': 8, 'fortran_order': False, 'shape': (1,), }", "not a short text"},
		{"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "'|O'"},
		{"{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", "'<U4'"},
		{"{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", "'<V2'"},
		{"{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "'<f16'"},
		{"{'descr': '|f8', 'fortran_order': False, 'shape': (1,), }", "'|f8'"},
		{"{'descr': '', 'fortran_order': False, 'shape': (1,), }", "the dtype is ''"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
			"8 bytes of data, where f64[2] has 16"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
			"8 bytes of data, where f32[1] has 4"},
		{"{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }",
			"8 bytes of data, where f64[0] has 0"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		FileArray a = {.rank = 99};
		assert_error(parse_header(bad[i].header, "12345678", 8, &a), bad[i].wanted);
		assert_null(a.data);
		assert_int_equal(a.rank, 0);
	}
}

static void test_sizes_that_overflow(void **state)
{
	(void)state;
	FileArray a;
	static const char *const huge[] = {"(9223372036854775807,)", "(4294967296, 4294967296)",
		"(2305843009213693952,)", "(2147483648, 2147483648, 4, 1)", "(1, 9223372036854775807, 2, 2)"};
	for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
		char header[200];
		snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': True, 'shape': %s, }",
			huge[i]);
		assert_error(parse_header(header, "", 0, &a), "too large for memory");
	}
	assert_error(parse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808,)}",
			     "", 0, &a),
		"past 2^63 - 1");
	char header[400] = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
	for (int i = 0; i <= FILE_RANK_MAX; i++) strcat(header, "1, ");
	strcat(header, ")}");
	assert_error(parse_header(header, "12345678", 8, &a), "more than 32 axes");
}

static void test_truncated_npy(void **state)
{
	(void)state;
	double x[5] = {1, 2, 3, 4, 5};
	FileArray a = array_of("f64", 1, (int64_t[]){5}, x), b;
	uint8_t *data;
	size_t n;
	assert_good(npy_write(in_folder("a.npy"), &a, ERROR));
	assert_good(file_read(in_folder("a.npy"), &data, &n, ERROR));
	assert_int_equal(n, 128 + 40);
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *part = malloc(cut + !cut);
		memcpy(part, data, cut);
		assert_error(npy_parse(part, cut, &b, ERROR),
			cut < 6             ? "not a .npy file"
				: cut < 128 ? "the file ends"
					    : "bytes of data, where f64[5] has 40");
		assert_null(b.data);
		free(part);
	}
	free(data);
	file_array_free(&a);
}

static void test_errors_name_the_file(void **state)
{
	(void)state;
	FileArray a;
	Output o;
	assert_error(npy_read(in_folder("none.npy"), &a, ERROR), "none.npy: cannot be read: No such file");
	assert_error(npy_read(folder, &a, ERROR), "cannot be read: Is a directory");
	assert_good(output_open(&o, in_folder("text.npy"), ERROR));
	output_printf(&o, "hello");
	assert_good(output_close(&o, ERROR));
	assert_error(npy_read(in_folder("text.npy"), &a, ERROR), "text.npy: not a .npy file");
	assert_error(npz_read(in_folder("text.npy"), "x", &a, ERROR), "text.npy: not a .npz file");
	assert_error(csv_read(in_folder("text.npy"), "x", &a, ERROR), "text.npy: there is no column \"x\"");
	char small[8];
	assert_false(npy_read(in_folder("none.npy"), &a, small, sizeof small));
	assert_int_equal(strlen(small), 7);
}

/* ---- .npz ---------------------------------------------------------------------------- */

static void two_arrays(NamedArray a[2])
{
	a[0] = (NamedArray){(char *)"weights", array_of("f32", 2, (int64_t[]){1, 2}, (float[]){1.5F, -2})};
	a[1] = (NamedArray){(char *)"gr\xC3\xB6\xC3\x9F"
				    "e",
		array_of("i64", 0, NULL, &(int64_t){42})};
}

static void free_two(NamedArray a[2])
{
	file_array_free(&a[0].array);
	file_array_free(&a[1].array);
}

static void test_npz_round_trip(void **state)
{
	(void)state;
	static const uint64_t wide[] = {0xFFFFFFFF, 0, 200}; /* the usual, all 64-bit, some 64-bit */
	NamedArray a[2];
	two_arrays(a);
	for (int i = 0; i < 3; i++) {
		FileArray b;
		NamedArray *all;
		size_t count;
		assert_good(npz_write_wide(in_folder("a.npz"), a, 2, wide[i], ERROR));
		assert_good(npz_read(in_folder("a.npz"), "weights", &b, ERROR));
		assert_same(&a[0].array, &b);
		file_array_free(&b);
		assert_good(npz_read(in_folder("a.npz"),
			"gr\xC3\xB6\xC3\x9F"
			"e.npy",
			&b, ERROR));
		assert_same(&a[1].array, &b);
		file_array_free(&b);
		assert_good(npz_read_all(in_folder("a.npz"), &all, &count, ERROR));
		assert_int_equal(count, 2);
		for (int j = 0; j < 2; j++) {
			assert_string_equal(all[j].key, a[j].key);
			assert_same(&all[j].array, &a[j].array);
		}
		named_arrays_free(all, count);
		assert_error(npz_read(in_folder("a.npz"), "bias", &b, ERROR),
			"a.npz: there is no array \"bias\"; it has weights, gr");
		assert_error(npz_read(in_folder("a.npz"), NULL, &b, ERROR),
			"which array is meant? it has weights, gr");
	}
	assert_good(npz_write(in_folder("a.npz"), a, 1, ERROR));
	FileArray only;
	assert_good(npz_read(in_folder("a.npz"), NULL, &only, ERROR));
	assert_same(&only, &a[0].array);
	file_array_free(&only);
	assert_good(npz_write(in_folder("a.npz"), a, 0, ERROR));
	assert_error(npz_read(in_folder("a.npz"), NULL, &only, ERROR), "there is no array in it");
	free_two(a);
}

/* A zip with 64-bit fields: the local header has them, and an entry that needs only some has only those. */
static void test_npz_wide_fields(void **state)
{
	(void)state;
	NamedArray a[2];
	uint8_t *data;
	size_t n, name = strlen("weights.npy"), entry = 30 + name + 20 + 128 + 8;
	FileArray b;
	two_arrays(a);
	assert_good(npz_write_wide(in_folder("a.npz"), a, 1, 0, ERROR));
	assert_good(file_read(in_folder("a.npz"), &data, &n, ERROR));
	assert_memory_equal(data + 4, "\x2D\0", 2);
	assert_memory_equal(data + 18, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x0B\0\x14\0", 12);
	assert_memory_equal(data + 30 + name, "\1\0\x10\0\x88\0\0\0\0\0\0\0\x88\0\0\0\0\0\0\0", 20);
	assert_memory_equal(data + entry, "PK\1\2", 4);
	memcpy(data + entry + 20, "\x88\0\0\0", 4); /* the packed size in 32 bits */
	memset(data + entry + 46 + name + 12, 0, 8); /* then the offset, 0, is the second */
	memset(data + entry + 46 + name + 20, 0x55, 8);
	assert_good(npz_find(data, n, "weights", &b, ERROR));
	assert_same(&a[0].array, &b);
	file_array_free(&b);
	data[entry + 46 + name + 2] = 8; /* an extra block with one number, where two are due */
	assert_error(npz_find(data, n, "weights", &b, ERROR), "64-bit size");
	free(data);
	free_two(a);
}

static void test_npz_same_bytes(void **state)
{
	(void)state;
	NamedArray a[2];
	uint8_t *first, *second;
	size_t n, m;
	two_arrays(a);
	assert_good(npz_write(in_folder("a.npz"), a, 2, ERROR));
	assert_good(npz_write(in_folder("b.npz"), a, 2, ERROR));
	assert_good(file_read(in_folder("a.npz"), &first, &n, ERROR));
	assert_good(file_read(in_folder("b.npz"), &second, &m, ERROR));
	assert_int_equal(n, m);
	assert_memory_equal(first, second, n);
	assert_memory_equal(first, "PK\3\4\x14\0\0\0\0\0\0\0\x21\0", 14);
	free(first);
	free(second);
	free_two(a);
}

static void test_npz_bad_keys(void **state)
{
	(void)state;
	NamedArray a[2];
	two_arrays(a);
	char *kept = a[1].key;
	a[1].key = a[0].key;
	assert_error(npz_write(in_folder("a.npz"), a, 2, ERROR), "two arrays named \"weights\"");
	a[1].key = (char *)"";
	assert_error(npz_write(in_folder("a.npz"), a, 2, ERROR), "a key of 0 bytes");
	a[1].key = kept;
	a[1].array.bytes--;
	assert_error(npz_write(in_folder("a.npz"), a, 2, ERROR), "no array that a file can hold");
	assert_int_equal(files_in_folder(), 0);
	free_two(a);
}

/* Many keys: the error shows some and counts the rest. */
static void test_npz_many_keys(void **state)
{
	(void)state;
	NamedArray a[20];
	char key[20][8];
	FileArray one = array_of("u8", 0, NULL, "x"), none;
	for (int i = 0; i < 20; i++) {
		sprintf(key[i], "k%02d", i);
		a[i] = (NamedArray){key[i], one};
	}
	assert_good(npz_write(in_folder("a.npz"), a, 20, ERROR));
	assert_error(npz_read(in_folder("a.npz"), "k", &none, ERROR), "k00, k01, k02");
	assert_error(npz_read(in_folder("a.npz"), "k", &none, ERROR), "k11 and 8 more");
	file_array_free(&one);
}

/* Cut anywhere, or with any one byte wrong: an error or the right array, never anything else. */
static void damage(const char *path, const char *key, const FileArray *right)
{
	uint8_t *data;
	size_t n, stride;
	FileArray b;
	assert_good(file_read(path, &data, &n, ERROR));
	stride = n > 4000 ? 97 : 1;
	for (size_t cut = 0; cut < n; cut += stride) {
		uint8_t *part = malloc(cut + !cut);
		memcpy(part, data, cut);
		assert_error(npz_find(part, cut, key, &b, ERROR), "");
		assert_null(b.data);
		free(part);
	}
	for (size_t i = 0; i < n; i += stride)
		for (int how = 0; how < 3; how++) {
			uint8_t kept = data[i];
			data[i] = how == 0 ? 0xFF : how == 1 ? 0 : kept ^ 1;
			if (npz_find(data, n, key, &b, ERROR))
				assert_same(&b, right);
			else
				assert_null(b.data);
			file_array_free(&b);
			data[i] = kept;
		}
	free(data);
}

static void test_damaged_npz(void **state)
{
	(void)state;
	NamedArray a[2];
	two_arrays(a);
	for (int wide = 0; wide < 2; wide++) {
		assert_good(npz_write_wide(in_folder("a.npz"), a, 2, wide ? 0 : 0xFFFFFFFF, ERROR));
		damage(in_folder("a.npz"), "weights", &a[0].array);
	}
	free_two(a);
	FileArray y;
	assert_good(npz_read(digits, "y", &y, ERROR));
	damage(digits, "y", &y);
	file_array_free(&y);
}

static void test_checksum_and_method(void **state)
{
	(void)state;
	NamedArray a[2];
	uint8_t *data;
	size_t n;
	FileArray b;
	two_arrays(a);
	assert_good(npz_write(in_folder("a.npz"), a, 1, ERROR));
	assert_good(file_read(in_folder("a.npz"), &data, &n, ERROR));
	size_t start = 30 + strlen("weights.npy"), entry = start + 128 + 8;
	assert_memory_equal(data + entry, "PK\1\2", 4);
	data[start + 128] ^= 1;
	assert_error(npz_find(data, n, "weights", &b, ERROR),
		"weights: this member of the zip is damaged: its checksum");
	data[start + 128] ^= 1;
	data[entry + 10] = 12;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "packed in a way other than deflate");
	data[entry + 10] = 8;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "does not unpack");
	data[entry + 24 + 3] = 0x7F; /* two gigabytes from a hundred bytes */
	assert_error(npz_find(data, n, "weights", &b, ERROR), "not as long as it says");
	data[entry + 10] = 0;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "not as long as it says");
	data[entry + 24 + 3] = 0;
	data[entry + 8] = 1;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "is encrypted");
	data[entry + 8] = 0;
	data[entry + 42] = 1;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "is not where");
	data[entry + 42] = 0;
	data[entry + 20] = data[entry + 24] = 200;
	data[28] = 255;
	assert_error(npz_find(data, n, "weights", &b, ERROR), "goes past the end");
	free(data);
	free_two(a);
}

static void test_digits(void **state)
{
	(void)state;
	static const int wanted[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
	FileArray x, y;
	char type[40];
	int64_t sum = 0, weighted = 0, ordered = 0;
	int seen[10] = {0};
	assert_good(npz_read(digits, "x", &x, ERROR));
	assert_good(npz_read(digits, "y", &y, ERROR));
	assert_string_equal(file_array_type(&x, type, sizeof type), "u8[1797, 64]");
	assert_string_equal(file_array_type(&y, type, sizeof type), "i32[1797]");
	for (int64_t i = 0; i < 1797 * 64; i++) {
		int pixel = ((uint8_t *)x.data)[i];
		assert_in_range(pixel, 0, 16);
		sum += pixel;
		weighted += pixel * (i % 64);
	}
	for (int i = 0; i < 1797; i++) {
		int digit = ((int32_t *)y.data)[i];
		assert_in_range(digit, 0, 9);
		seen[digit]++;
		ordered += digit * i;
	}
	assert_int_equal(sum, 561718);
	assert_int_equal(weighted, 17660653);
	assert_int_equal(ordered, 7264791);
	assert_memory_equal(seen, wanted, sizeof wanted);
	file_array_free(&x);
	file_array_free(&y);
}

/* ---- whole files ------------------------------------------------------------------------ */

static void test_full_disk(void **state)
{
	(void)state;
	FileArray a = array_of("f64", 1, (int64_t[]){100000}, (double[100000]){0});
	assert_error(npy_write("/dev/full", &a, ERROR), "/dev/full: cannot be written: No space left");

	/* A file that may not grow: the old one stays and nothing is left beside it. */
	FileArray old = array_of("u8", 1, (int64_t[]){3}, "old"), back;
	struct rlimit limit, tight;
	assert_good(npy_write(in_folder("a.npy"), &old, ERROR));
	getrlimit(RLIMIT_FSIZE, &limit);
	tight = limit;
	tight.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &tight);
	bool good = npy_write(in_folder("a.npy"), &a, ERROR);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_false(good);
	assert_non_null(strstr(error, "a.npy: cannot be written: File too large"));
	assert_int_equal(files_in_folder(), 1);
	assert_good(npy_read(in_folder("a.npy"), &back, ERROR));
	assert_same(&old, &back);
	file_array_free(&a);
	file_array_free(&old);
	file_array_free(&back);
}

static void test_output(void **state)
{
	(void)state;
	Output o;
	struct stat about;
	uint8_t *data;
	size_t n;
	assert_error(output_open(&o, in_folder("no/such/place"), ERROR),
		"no/such/place: cannot be written: No such");
	assert_error(output_open(&o, folder, ERROR), "Is a directory");
	assert_good(output_open(&o, in_folder("a"), ERROR));
	output_printf(&o, "%d", 1);
	assert_int_not_equal(stat(in_folder("a"), &about), 0); /* not before it is whole */
	assert_good(output_close(&o, ERROR));
	assert_int_equal(chmod(in_folder("a"), 0640), 0);
	assert_int_equal(symlink(in_folder("a"), in_folder("link")), 0);
	assert_good(output_open(&o, in_folder("link"), ERROR));
	output_write(&o, "two", 3);
	assert_good(output_close(&o, ERROR));
	assert_int_equal(lstat(in_folder("link"), &about), 0);
	assert_true(S_ISLNK(about.st_mode));
	assert_int_equal(stat(in_folder("a"), &about), 0);
	assert_int_equal(about.st_mode & 0777, 0640);
	assert_good(file_read(in_folder("a"), &data, &n, ERROR));
	assert_string_equal((char *)data, "two");
	free(data);
	assert_int_equal(files_in_folder(), 2);
}

/* ---- .csv --------------------------------------------------------------------------------- */

static void test_number_text(void **state)
{
	(void)state;
	static const struct {
		double x;
		const char *text;
	} some[] = {{0, "0"}, {-0.0, "-0"}, {1, "1"}, {0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"},
		{100, "100"}, {-1e15, "-1e+15"}, {0.1 + 0.2, "0.30000000000000004"}, {5e-324, "5e-324"},
		{INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {1797, "1797"},
		{1.7976931348623157e308, "1.7976931348623157e+308"}};
	char text[NUMBER_TEXT_MAX];
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		assert_string_equal(number_text(some[i].x, text), some[i].text);
	uint64_t bits = 1;
	for (int i = 0; i < 20000; i++) {
		double x;
		bits = bits * 6364136223846793005U + 1442695040888963407U;
		memcpy(&x, &bits, 8);
		if (!isnan(x)) assert_true(strtod(number_text(x, text), NULL) == x);
	}
}

static bool parse_text(const char *text, const char *column, FileArray *out)
{
	size_t n = strlen(text);
	uint8_t *p = malloc(n + !n);
	memcpy(p, text, n);
	bool good = csv_parse(p, n, column, out, ERROR);
	free(p);
	return good;
}

static void test_csv(void **state)
{
	(void)state;
	static const char *const names[] = {"step", "loss, \"mean\""};
	static const double values[] = {1, 0.1, 2, 1e-300, 3, NAN};
	uint8_t *data;
	size_t n;
	FileArray a;
	assert_good(csv_write(in_folder("a.csv"), names, 2, values, 3, ERROR));
	assert_good(file_read(in_folder("a.csv"), &data, &n, ERROR));
	assert_string_equal((char *)data, "step,\"loss, \"\"mean\"\"\"\n1,0.1\n2,1e-300\n3,nan\n");
	free(data);
	assert_good(csv_read(in_folder("a.csv"), NULL, &a, ERROR));
	assert_int_equal(a.rank, 2);
	assert_true(a.shape[0] == 3 && a.shape[1] == 2);
	assert_memory_equal(a.data, values, 5 * sizeof(double));
	assert_true(isnan(((double *)a.data)[5]));
	file_array_free(&a);
	assert_good(csv_read(in_folder("a.csv"), "loss, \"mean\"", &a, ERROR));
	assert_int_equal(a.rank, 1);
	assert_int_equal(a.shape[0], 3);
	assert_true(((double *)a.data)[1] == 1e-300);
	file_array_free(&a);
	assert_error(
		csv_read(in_folder("a.csv"), "lost", &a, ERROR), "no column \"lost\"; it has step, loss");
}

static void test_csv_spelling(void **state)
{
	(void)state;
	FileArray a;
	assert_good(parse_text("\xEF\xBB\xBF"
			       "1, 2\r\n\r\n -3.5e1 ,\"4\"\r\n",
		NULL, &a));
	assert_true(a.shape[0] == 2 && a.shape[1] == 2);
	assert_memory_equal(a.data, ((double[]){1, 2, -35, 4}), 32);
	file_array_free(&a);
	assert_good(parse_text("a,b", NULL, &a));
	assert_true(a.shape[0] == 0 && a.shape[1] == 2 && a.bytes == 0 && a.data);
	file_array_free(&a);
	assert_good(parse_text("name,age\nAda,36\nEmmy,53\n", "age", &a));
	assert_memory_equal(a.data, ((double[]){36, 53}), 16);
	file_array_free(&a);
	static const struct {
		const char *text, *column, *wanted;
	} bad[] = {
		{"", NULL, "nothing in it"},
		{"\n\n", NULL, "nothing in it"},
		{"1,2\n3\n", NULL, "line 2 has 1 fields, the first line 2"},
		{"1,2\n\n3,4,5\n", NULL, "line 3 has 3 fields"},
		{"a,b\n1,x\n", NULL, "line 2, column 2: \"x\", where a number was wanted"},
		{"a,b\n1,\n", NULL, "line 2, column 2: \"\""},
		{"a\n1 2\n", NULL, "\"1 2\""},
		{"1,\"2\n", NULL, "not closed"},
		{"1,2\n", "x", "its first line has no names"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_error(parse_text(bad[i].text, bad[i].column, &a), bad[i].wanted);
		assert_null(a.data);
	}
	char *wide = calloc(1, 2000);
	memset(wide, '7', 1999);
	assert_error(parse_text(wide, NULL, &a), "neither a number nor a name");
	free(wide);
}

/* ---- pictures ------------------------------------------------------------------------------ */

static void test_png(void **state)
{
	(void)state;
	static const uint8_t pixels[2 * 3 * 3] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
	uint8_t *data;
	size_t n;
	for (int channels = 1; channels <= 3; channels += 2) {
		assert_good(png_write(in_folder("a.png"), pixels, 3, 2, channels, ERROR));
		assert_good(file_read(in_folder("a.png"), &data, &n, ERROR));
		/* signature, then IHDR: width 3, height 2, 8 bits, grey (0) or RGB (2) */
		assert_memory_equal(data, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\x08", 25);
		assert_int_equal(data[25], channels == 3 ? 2 : 0);
		assert_memory_equal(data + n - 8, "IEND", 4);
		free(data);
	}
	assert_error(png_write(in_folder("b.png"), pixels, 3, 2, 2, ERROR), "2 channels");
	assert_error(png_write(in_folder("b.png"), pixels, 0, 2, 1, ERROR), "0 by 2");
	assert_error(png_write("/dev/full", pixels, 3, 2, 1, ERROR), "No space left");
}

static void test_nice_ticks(void **state)
{
	(void)state;
	static const struct {
		double low, high, first, step;
		int count, decimals;
	} some[] = {{0, 1, 0, 0.2, 6, 1}, {0, 10, 0, 2, 6, 0}, {0.03, 2.31, 0, 0.5, 6, 1},
		{-1, 1, -1, 0.5, 5, 1}, {97, 103, 96, 2, 5, 0}, {0, 0, -1, 0.5, 5, 1},
		{0, 1797, 0, 500, 5, 0}, {1e-9, 5e-9, 1e-9, 1e-9, 5, 9}};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		Ticks t = nice_ticks(some[i].low, some[i].high, 5);
		assert_float_equal(t.first, some[i].first, 1e-12);
		assert_true(fabs(t.step / some[i].step - 1) < 1e-12);
		assert_int_equal(t.count, some[i].count);
		assert_int_equal(t.decimals, some[i].decimals);
	}
	static const double wild[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1 + 1e-15, 5e-324, 3e17, 123456789};
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 10; j++) {
			double low = fmin(wild[i], wild[j]), high = fmax(wild[i], wild[j]);
			Ticks t = nice_ticks(low, high, 5);
			assert_in_range(t.count, 2, 12);
			assert_true(t.first <= low + t.step * 1e-5 &&
				t.first + (t.count - 1) * t.step >= high - t.step * 1e-5);
		}
}

static int count_of(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)); text++) n++;
	return n;
}

static char *drawn_curve(const Curve *c)
{
	uint8_t *data;
	size_t n;
	assert_good(svg_curve(in_folder("a.svg"), c, ERROR));
	assert_good(file_read(in_folder("a.svg"), &data, &n, ERROR));
	assert_int_equal(strlen((char *)data), n);
	assert_null(strstr((char *)data, "nan"));
	assert_null(strstr((char *)data, "inf"));
	assert_non_null(strstr((char *)data, "</svg>"));
	return (char *)data;
}

static void test_curve(void **state)
{
	(void)state;
	enum { STEPS = 5000 };
	double *loss = malloc(STEPS * sizeof *loss), metric[3] = {0.5, NAN, 0.9}, at[3] = {1000, 3000, 5000};
	for (int i = 0; i < STEPS; i++) loss[i] = 2 * exp(-i / 500.) + 0.1 + 0.05 * sin(i * 7.);
	Curve c = {.title = "a < b & c",
		.loss = loss,
		.steps = STEPS,
		.first_step = 1,
		.metric = metric,
		.metric_step = at,
		.metrics = 3,
		.metric_name = "right"};
	char *svg = drawn_curve(&c);
	assert_non_null(strstr(svg, "a &lt; b &amp; c"));
	assert_non_null(strstr(svg, "training loss</text>"));
	assert_int_equal(count_of(svg, "<path"), 3);
	assert_int_equal(count_of(svg, "<circle"), 2);
	assert_in_range(strlen(svg), 10000, 60000); /* no more points than the picture has columns */
	free(svg);

	/* gaps: the faint line is broken in two by a NaN, the metric and its axis are gone */
	double few[5] = {4, 3, NAN, 2, 1};
	c = (Curve){.loss = few, .steps = 5, .first_step = 1};
	svg = drawn_curve(&c);
	assert_int_equal(count_of(svg, "<path"), 2);
	assert_int_equal(count_of(svg, "h0"), 4);
	free(svg);

	/* a logarithmic axis: decades, and what is not positive is a gap */
	double decades[4] = {1000, 1, 0, 0.001};
	c = (Curve){.loss = decades, .steps = 4, .first_step = 1, .log_loss = true};
	svg = drawn_curve(&c);
	assert_non_null(strstr(svg, ">1000</text>"));
	assert_non_null(strstr(svg, ">0.001</text>"));
	free(svg);

	/* nothing, one number, only bad numbers, extreme numbers */
	double odd[4] = {NAN, INFINITY, -INFINITY, 1e308}, wide[2] = {-1e300, 1e300};
	free(drawn_curve(&(Curve){.loss = NULL, .steps = 0}));
	free(drawn_curve(&(Curve){.loss = few, .steps = 1, .first_step = 7}));
	free(drawn_curve(&(Curve){.loss = odd, .steps = 4}));
	free(drawn_curve(&(Curve){.loss = odd, .steps = 4, .log_loss = true}));
	free(drawn_curve(&(Curve){.loss = wide, .steps = 2}));
	free(loss);
}

/* The smooth line does not lag: a loss that is its own mirror image gives one that is too. */
static void test_smooth_line(void **state)
{
	(void)state;
	enum { STEPS = 41 };
	double loss[STEPS], y[STEPS], x;
	for (int i = 0; i < STEPS; i++) loss[i] = abs(i - STEPS / 2);
	char *svg = drawn_curve(&(Curve){.loss = loss, .steps = STEPS, .first_step = 1});
	const char *at = strstr(strstr(svg, "<path") + 1, "<path");
	at = strstr(at, " d=\"") + 4;
	for (int i = 0, used; i < STEPS; i++) {
		assert_int_equal(sscanf(at, i ? "L%lf %lf%n" : "M%lf %lfh0%n", &x, &y[i], &used), 2);
		at += used;
	}
	for (int i = 0; i < STEPS; i++) assert_float_equal(y[i], y[STEPS - 1 - i], 0.011);
	assert_true(y[STEPS / 2] > y[0] + 100);
	free(svg);
}

static void test_misread_digits(void **state)
{
	(void)state;
	static const double pixels[2][4] = {{16, 16, 0, 8}, {0, 0, 0, NAN}};
	static const int read[] = {3, 1}, is[] = {5, 7};
	Digits d = {.title = "misread",
		.pixels = pixels[0],
		.count = 2,
		.width = 2,
		.height = 2,
		.ink = 16,
		.read = read,
		.is = is};
	uint8_t *data;
	size_t n;
	assert_good(svg_digits(in_folder("a.svg"), &d, ERROR));
	assert_good(file_read(in_folder("a.svg"), &data, &n, ERROR));
	assert_non_null(strstr((char *)data, ">read 3, is 5</text>"));
	assert_non_null(strstr((char *)data, ">read 1, is 7</text>"));
	assert_non_null(strstr((char *)data, "width=\"72.00\" height=\"36.00\" fill=\"#000000\""));
	assert_non_null(strstr((char *)data, "width=\"36.00\" height=\"36.00\" fill=\"#808080\""));
	assert_int_equal(count_of((char *)data, "fill=\"#000000\""), 1);
	free(data);
	d.count = 0;
	assert_good(svg_digits(in_folder("a.svg"), &d, ERROR));
	d.count = 1;
	d.width = 0;
	assert_error(svg_digits(in_folder("a.svg"), &d, ERROR), "0 by 2");
}

/* ---- progress ------------------------------------------------------------------------------- */

static void test_progress_line(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	Progress p = {.total = 500, .step = 190, .loss = 0.23456789, .rate = 1234};
	progress_line(&p, 0, line);
	assert_string_equal(line, " 38%  190/500  loss 0.23457  1.23k steps/s  0:00 left");
	progress_line(&p, 79, line);
	assert_string_equal(
		line, "[#######------------]  38%  190/500  loss 0.23457  1.23k steps/s  0:00 left");
	progress_line(&p, 20, line);
	assert_int_equal(strlen(line), 20);
	p = (Progress){.total = 100000, .step = 0, .loss = NAN, .rate = 25};
	progress_line(&p, 0, line);
	assert_string_equal(line, "  0%  0/100000  25 steps/s  1:06:40 left");
	p = (Progress){.total = 0, .step = 7, .loss = -INFINITY};
	progress_line(&p, 79, line);
	assert_string_equal(line, "step 7  loss -inf");
	p = (Progress){.total = INT64_MAX, .step = INT64_MAX - 1, .loss = -1.2345e-300, .rate = 1e300};
	for (int columns = 0; columns < 1000; columns++) {
		progress_line(&p, columns, line);
		if (columns) assert_true(strlen(line) <= (size_t)columns);
	}
}

/* Piped: the first step, then a line when ten seconds have passed, and the end; no escapes. */
static void test_progress_piped(void **state)
{
	(void)state;
	char text[1000] = "";
	FILE *f = tmpfile();
	Progress p;
	progress_open(&p, f, 0, 1000);
	assert_false(p.terminal);
	double began = p.began;
	for (int i = 1; i <= 25; i++) progress_step_at(&p, 10 * i, 1.0 / i, began + i);
	rewind(f);
	assert_int_equal(text[fread(text, 1, sizeof text - 1, f)], 0);
	assert_string_equal(text,
		"  1%  10/1000  loss 1  10 steps/s  1:39 left\n"
		" 11%  110/1000  loss 0.090909  10 steps/s  1:29 left\n"
		" 21%  210/1000  loss 0.047619  10 steps/s  1:19 left\n");
	progress_close(&p);
	rewind(f);
	memset(text, 0, sizeof text);
	assert_true(fread(text, 1, sizeof text - 1, f) > 0);
	assert_non_null(strstr(text, " 25%  250/1000"));
	assert_null(strchr(text, '\r'));
	assert_null(strchr(text, '\033'));
	fclose(f);
}

/* The rate follows a change within some seconds. */
static void test_progress_rate(void **state)
{
	(void)state;
	FILE *f = tmpfile();
	Progress p;
	progress_open(&p, f, 500, 100000);
	p.terminal = true;
	double now = p.began;
	int64_t step = 500;
	for (int i = 0; i < 50; i++) progress_step_at(&p, step += 1, 1, now += 0.2);
	assert_float_equal(p.rate, 5, 0.1);
	for (int i = 0; i < 100; i++) progress_step_at(&p, step += 100, 1, now += 0.2);
	assert_float_equal(p.rate, 500, 10);
	fclose(f);
}

#define TEST(f) cmocka_unit_test_teardown(f, empty_folder)

int main(int argc, char **argv)
{
	if (argc > 1) digits = argv[1];
	if (!mkdtemp(folder)) return 1;
	const struct CMUnitTest tests[] = {TEST(test_every_dtype), TEST(test_every_rank),
		TEST(test_header_text), TEST(test_big_endian), TEST(test_fortran_order),
		TEST(test_versions_and_spelling), TEST(test_bad_headers), TEST(test_sizes_that_overflow),
		TEST(test_truncated_npy), TEST(test_errors_name_the_file), TEST(test_npz_round_trip),
		TEST(test_npz_wide_fields), TEST(test_npz_same_bytes), TEST(test_npz_bad_keys),
		TEST(test_npz_many_keys), TEST(test_damaged_npz), TEST(test_checksum_and_method),
		TEST(test_digits), TEST(test_full_disk), TEST(test_output), TEST(test_number_text),
		TEST(test_csv), TEST(test_csv_spelling), TEST(test_png), TEST(test_nice_ticks),
		TEST(test_curve), TEST(test_smooth_line), TEST(test_misread_digits), TEST(test_progress_line),
		TEST(test_progress_piped), TEST(test_progress_rate)};
	int failed = cmocka_run_group_tests_name("files of the command", tests, NULL, NULL);
	rmdir(folder);
	return failed != 0;
}
