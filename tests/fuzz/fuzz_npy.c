/* fuzz_npy.c - any bytes as a .npy: an error, or an array that is what it says. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[256] = "";
	FileArray a;
	check_read(npy_parse(data, size, &a, error, sizeof error), &a, error, sizeof error);
	return 0;
}
