/* fuzz_npz.c - any bytes as a .npz: every array, then one by its key: an error, or an array that is what it says. */
#include <stdlib.h>
#include <string.h>

#include "../../src/cli/files/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const FileArray *a)
{
	size_t bytes;
	if (!file_array_bytes(a, &bytes) || bytes != a->bytes || !a->data) abort();
	volatile uint8_t last = a->bytes ? ((const uint8_t *)a->data)[a->bytes - 1] : 0;
	(void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[256] = "";
	FileArray a;
	NamedArray *all;
	size_t count;
	if (npz_parse_all(data, size, &all, &count, error, sizeof error)) named_arrays_free(all, count);
	if (npz_find(data, size, "x", &a, error, sizeof error))
		check(&a);
	else if (!*error || a.data || strlen(error) >= sizeof error)
		abort();
	file_array_free(&a);
	return 0;
}
