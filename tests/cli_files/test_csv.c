/* test_csv.c - numbers as text that reads back, and tables of them. */
#include "files_help.h"

#include <math.h>

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
	assert_good(csv_write(in_folder("a.csv"), &(CsvTable){.names = names, .columns = 2, .rows = 3, .values = values}, ERROR));
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
	assert_good(parse_text("name,age,cm\nAda,36,170\nEmmy,53,160\n", "cm, age", &a));
	assert_true(a.rank == 2 && a.shape[0] == 2 && a.shape[1] == 2);
	assert_memory_equal(a.data, ((double[]){170, 36, 160, 53}), 32);
	file_array_free(&a);
	assert_good(parse_text("a,\"a,b\",b\n1,2,3\n", "a,b", &a)); /* one name, of a column that is there */
	assert_true(a.rank == 1 && *(double *)a.data == 2);
	file_array_free(&a);
	assert_good(parse_text("a,b\n1,2\n", "b,b", &a));
	assert_memory_equal(a.data, ((double[]){2, 2}), 16);
	file_array_free(&a);
	assert_good(parse_text("inf,-inf\n1e-400,1e308\n", NULL, &a));
	assert_memory_equal(a.data, ((double[]){INFINITY, -INFINITY, 0, 1e308}), 32);
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
		{"a,b\n1,2\n1,-1e400\n", NULL, "line 3, column 2: -1e400 is larger than an f64 can be"},
		{"1,2\n", "x", "its first line has no names"},
		{"a,b\n1,2\n", "b,c", "there is no column \"c\"; it has a, b"},
		{"a;b\n1;2\n", "a", "there is no column \"a\"; it has a;b, as commas separate columns"},
		{"a,b\n1,x\n", NULL, "FILE.csv:NAME,NAME takes the columns of these names"},
		{"a,b\n1,x\n", "b,a", "line 2, column 2: \"x\", where a number was wanted"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_number_text), TEST(test_csv), TEST(test_csv_spelling)};
	return cmocka_run_group_tests_name("files: csv", tests, make_folder, remove_folder) != 0;
}
