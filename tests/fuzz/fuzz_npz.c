/* fuzz_npz.c - any bytes as a .npz: every array, then one by its key: an error, or an array that is what it says. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[256] = "";
	FileArray a;
	NamedArray *all;
	size_t count;
	if (npz_parse_all(data, size, &all, &count, error, sizeof error)) named_arrays_free(all, count);
	check_read(npz_find(data, size, "x", &a, error, sizeof error), &a, error, sizeof error);
	return 0;
}
