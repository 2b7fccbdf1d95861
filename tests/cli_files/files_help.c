/* files_help.c - see the header. */
#include "files_help.h"

#include <dirent.h>
#include <unistd.h>

char error[1024];
static char folder[40];

int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/porism-files-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

const char *test_folder(void)
{
	return folder;
}

const char *in_folder(const char *name)
{
	static char path[4][300];
	static int turn;
	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

int files_in_folder(void)
{
	DIR *d = opendir(folder);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

int empty_folder(void **state)
{
	(void)state;
	DIR *d = opendir(folder);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.') unlink(in_folder(e->d_name));
	closedir(d);
	return 0;
}

FileArray array_of(const char *dtype, int rank, const int64_t *shape, const void *data)
{
	FileArray a = {.rank = rank};
	strcpy(a.dtype, dtype);
	for (int i = 0; i < rank; i++) a.shape[i] = shape[i];
	assert_true(file_array_bytes(&a, &a.bytes));
	a.data = malloc(a.bytes + 1);
	if (data && a.bytes) memcpy(a.data, data, a.bytes);
	return a;
}

void assert_same(const FileArray *a, const FileArray *b)
{
	assert_string_equal(a->dtype, b->dtype);
	assert_int_equal(a->rank, b->rank);
	for (int i = 0; i < a->rank; i++) assert_true(a->shape[i] == b->shape[i]);
	assert_int_equal(a->bytes, b->bytes);
	assert_memory_equal(a->data, b->data, a->bytes);
}
