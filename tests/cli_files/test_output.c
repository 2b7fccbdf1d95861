/* test_output.c - files are written whole or not at all. */
#include "files_help.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
	assert_error(output_open(&o, test_folder(), ERROR), "Is a directory");
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

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_full_disk), TEST(test_output)};
	return cmocka_run_group_tests_name("files: output", tests, make_folder, remove_folder) != 0;
}
