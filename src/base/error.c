/* error.c - the first error sticks. */
#include "base.h"

#include <stdio.h>

/* Take off the last character when it was cut in its middle (UTF-8). */
static void drop_cut_character(char *s)
{
	size_t n = strlen(s), i = n;
	while (i > 0 && n - i < 3 && ((unsigned char)s[i - 1] & 0xC0) == 0x80) i--;
	if (i == 0) return;
	unsigned char lead = (unsigned char)s[i - 1];
	size_t wants = 1;
	if (lead >= 0xF0)
		wants = 4;
	else if (lead >= 0xE0)
		wants = 3;
	else if (lead >= 0xC0)
		wants = 2;
	if (n - (i - 1) < wants) s[i - 1] = 0;
}

void *fail(Error *e, int code, Where where, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_list(e, code, where, format, args);
	va_end(args);
	return NULL;
}

void *fail_list(Error *e, int code, Where where, const char *format, va_list args)
{
	if (e->code) return NULL;
	error_clear(e);
	e->code = code;
	e->line = where.line;
	e->column = where.column;
	if (where.file) {
		size_t n = strlen(where.file);
		bool cut = n >= sizeof e->file;
		memcpy(e->file, where.file, cut ? sizeof e->file - 1 : n);
		if (cut) drop_cut_character(e->file);
	}
	int n = vsnprintf(e->text, sizeof e->text, format, args);
	if (n >= (int)sizeof e->text) drop_cut_character(e->text);
	return NULL;
}

void error_clear(Error *e)
{
	memset(e, 0, sizeof *e);
}
