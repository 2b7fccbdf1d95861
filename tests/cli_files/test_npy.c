/* test_npy.c - arrays as .npy: every dtype, rank and order reads back; what is damaged says so. */
#include "files_help.h"

#include <math.h>

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
	assert_error(npy_read(test_folder(), &a, ERROR), "cannot be read: Is a directory");
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

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_every_dtype), TEST(test_every_rank),
		TEST(test_header_text), TEST(test_big_endian), TEST(test_fortran_order),
		TEST(test_versions_and_spelling), TEST(test_bad_headers), TEST(test_sizes_that_overflow),
		TEST(test_truncated_npy), TEST(test_errors_name_the_file)};
	return cmocka_run_group_tests_name("files: npy", tests, make_folder, remove_folder) != 0;
}
