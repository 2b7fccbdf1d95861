/* fuzz_csv.c - any bytes as a .csv: all of it, then a column: an error, or an array that is what it says. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[256] = "";
	FileArray a;
	check_read(csv_parse(data, size, NULL, &a, error, sizeof error), &a, error, sizeof error);
	check_read(csv_parse(data, size, "x", &a, error, sizeof error), &a, error, sizeof error);
	return 0;
}
