/* text.c - text that grows, and JSON written into it. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What the command cannot do without: it has nothing better to do than to stop.  After a signal the library
 * gives nothing any more. */
void *need(void *p)
{
	if (p) return p;
	fputs(interrupted() ? "porism: interrupted\n" : "porism: out of memory\n", stderr);
	exit(interrupted() ? interrupted() : EXIT_ENVIRONMENT);
}

void buffer_add(TextBuffer *b, const char *text, size_t n)
{
	if (b->n + n + 1 > b->room) {
		b->room = 2 * (b->n + n + 1);
		b->text = need(realloc(b->text, b->room));
	}
	memcpy(b->text + b->n, text, n);
	b->n += n;
	b->text[b->n] = 0;
}

void buffer_text(TextBuffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

static char *formatted(const char *format, va_list list)
{
	va_list again;
	va_copy(again, list);
	int n = vsnprintf(NULL, 0, format, list);
	char *text = need(malloc((size_t)n + 1));
	vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

void buffer_printf(TextBuffer *b, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	char *text = formatted(format, list);
	va_end(list);
	buffer_text(b, text);
	free(text);
}

char *text_of(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	char *text = formatted(format, list);
	va_end(list);
	return text;
}

char *text_copy(const char *text, size_t n)
{
	char *copy = need(malloc(n + 1));
	memcpy(copy, text, n);
	copy[n] = 0;
	return copy;
}

bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* Letters changed, left out, put in, or two turned, are few for the length of what was wanted. */
bool resembles(const char *given, const char *wanted)
{
	enum { MOST = 40 };
	size_t n = strlen(given), m = strlen(wanted), row[3][MOST + 1];
	if (n > MOST || m > MOST || !n) return false;
	for (size_t j = 0; j <= m; j++) row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = above[j - 1] + (given[i - 1] != wanted[j - 1]);
			if (above[j] + 1 < best) best = above[j] + 1;
			if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
			bool turned = i > 1 && j > 1 && given[i - 1] == wanted[j - 2] &&
				given[i - 2] == wanted[j - 1];
			if (turned && before[j - 2] + 1 < best) best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m] <= 1 + m / 5;
}

bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(unsigned char)c > 127;
}

/* The text of a buffer; never NULL. */
const char *buffer_get(const TextBuffer *b)
{
	return b->text ? b->text : "";
}

void buffer_free(TextBuffer *b)
{
	free(b->text);
	*b = (TextBuffer){0};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void json_text(TextBuffer *b, const char *text)
{
	buffer_text(b, "\"");
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			buffer_printf(b, "\\%c", *c);
		else if (*c == '\n')
			buffer_text(b, "\\n");
		else if (*c == '\t')
			buffer_text(b, "\\t");
		else if (*c < ' ')
			buffer_printf(b, "\\u%04x", *c);
		else
			buffer_add(b, (const char *)c, 1);
	}
	buffer_text(b, "\"");
}

/* JSON has no infinities and no NaN: they are texts. */
void json_number(TextBuffer *b, double x)
{
	char text[NUMBER_TEXT_MAX];
	number_text(x, text);
	if (isfinite(x))
		buffer_text(b, text);
	else
		json_text(b, text);
}

/* "key": with the comma that is due before it. */
void json_key(TextBuffer *b, const char *key)
{
	char last = b->n ? b->text[b->n - 1] : 0;
	if (last && last != '{' && last != '[') buffer_text(b, ", ");
	json_text(b, key);
	buffer_text(b, ": ");
}
