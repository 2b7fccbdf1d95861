/* test_npz.c - several arrays as .npz: what is written reads back; what is damaged says so.
 *
 * Run from the root of the source.
 */
#include "files_help.h"

static const char digits[] = "examples/digits/digits.npz";

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
	memcpy(data + entry + 20, "\x88\0\0\0", 4);  /* the packed size in 32 bits */
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

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_npz_round_trip), TEST(test_npz_wide_fields),
		TEST(test_npz_same_bytes), TEST(test_npz_bad_keys), TEST(test_npz_many_keys),
		TEST(test_damaged_npz), TEST(test_checksum_and_method), TEST(test_digits)};
	return cmocka_run_group_tests_name("files: npz", tests, make_folder, remove_folder) != 0;
}
