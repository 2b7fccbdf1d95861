/* fuzz_file.h - what the fuzzers of files check. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stdlib.h>
#include <string.h>

#include "../../src/cli/files/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An array is what it says; else there is none, and an error that fits its room. */
static inline void check_read(bool good, FileArray *a, const char *error, size_t room)
{
	size_t bytes;
	if (good ? !file_array_bytes(a, &bytes) || bytes != a->bytes || !a->data
		 : !*error || a->data || strlen(error) >= room)
		abort();
	volatile uint8_t last = good && a->bytes ? ((const uint8_t *)a->data)[a->bytes - 1] : 0;
	(void)last;
	file_array_free(a);
}

#endif
