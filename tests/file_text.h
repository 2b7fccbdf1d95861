/* file_text.h - a file of the tests as text. */
#ifndef FILE_TEXT_H
#define FILE_TEXT_H

#include <stdio.h>
#include <stdlib.h>

/* The caller frees it; NULL: it cannot be read.  (Within a function that jumps gcc would warn of its variables.) */
__attribute__((noinline)) static char *file_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	if (!f) return NULL;
	if (!fseek(f, 0, SEEK_END)) {
		long n = ftell(f);
		rewind(f);
		text = calloc((size_t)n + 1, 1);
		if (fread(text, 1, (size_t)n, f) != (size_t)n) text[0] = 0;
	}
	fclose(f);
	return text;
}

#endif
