/* text.c - building text on an arena, and numbers that read back exactly. */
#include "base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void text_open(Text *t, Arena *a)
{
	*t = (Text){.arena = a};
}

/* Room for n bytes more and the 0 at the end. */
static void text_room(Text *t, size_t n)
{
	if (t->cap - t->n > n) return;
	if (n > SIZE_MAX / 2 - t->n - 1) arena_out_of_memory(t->arena);
	size_t cap = t->cap ? 2 * t->cap : 64;
	while (cap <= t->n + n) cap *= 2;
	char *s = arena_alloc(t->arena, cap);
	if (t->n) memcpy(s, t->s, t->n);
	arena_release(t->arena, t->s, t->cap);
	t->s = s;
	t->cap = cap;
}

void text_add_n(Text *t, const char *s, size_t n)
{
	text_room(t, n);
	if (n) memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

void text_add(Text *t, const char *s)
{
	text_add_n(t, s, strlen(s));
}

void text_char(Text *t, char c)
{
	text_add_n(t, &c, 1);
}

void text_vprintf(Text *t, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	text_room(t, 0);
	int n = vsnprintf(t->s + t->n, t->cap - t->n, format, args);
	if (n > 0 && (size_t)n >= t->cap - t->n) {
		text_room(t, (size_t)n);
		vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
	}
	t->n += n > 0 ? (size_t)n : 0;
	va_end(again);
}

void text_printf(Text *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

char *text_done(Text *t)
{
	text_room(t, 0);
	return t->s;
}

/* Digits d1 d2 ... dn and a power p: the number d1.d2...dn * 10^p. */
typedef struct {
	char digit[20];
	int n, power;
} Decimal;

/* The fewest digits that read back as x > 0.  The C library both writes and
 * reads, so its locale's point does not matter: only the digits are taken. */
static Decimal shortest(double x, int bits)
{
	char s[64];
	for (int n = 0; n < 17; n++) {
		snprintf(s, sizeof s, "%.*e", n, x);
		if (bits == 32 ? strtof(s, NULL) == (float)x : strtod(s, NULL) == x) break;
	}
	Decimal d = {.n = 0};
	char *c = s;
	for (; *c != 'e'; c++)
		if (*c >= '0' && *c <= '9') d.digit[d.n++] = *c;
	d.power = atoi(c + 1);
	while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
	return d;
}

/* Every point has a digit on both sides. */
static void decimal_print(Text *t, const Decimal *d)
{
	if (d->power < -4 || d->power > 15) {
		text_char(t, d->digit[0]);
		if (d->n > 1) text_char(t, '.');
		text_add_n(t, d->digit + 1, (size_t)d->n - 1);
		text_printf(t, "e%d", d->power);
		return;
	}
	int first = d->power < 0 ? d->power : 0, last = d->n - 1 > d->power ? d->n - 1 : d->power + 1;
	for (int i = first; i <= last; i++) {
		text_char(t, i >= 0 && i < d->n ? d->digit[i] : '0');
		if (i == (d->power < 0 ? first : d->power)) text_char(t, '.');
	}
}

void text_number(Text *t, double x, int bits)
{
	if (isnan(x)) {
		text_add(t, "nan");
		return;
	}
	if (bits == 32) x = (float)x;
	if (signbit(x)) text_char(t, '-');
	if (isinf(x)) {
		text_add(t, "inf");
	} else if (x == 0) {
		text_add(t, "0.0");
	} else {
		Decimal d = shortest(fabs(x), bits);
		decimal_print(t, &d);
	}
}

/* ---- UTF-8 --------------------------------------------------------------------------------- */

/* How many the code point has that begins with this one; 0: none does. */
static size_t bytes_from(unsigned char c)
{
	if (c < 0x80) return 1;
	if (c < 0xc0) return 0;
	if (c < 0xe0) return 2;
	if (c < 0xf0) return 3;
	return c < 0xf8 ? 4 : 0;
}

uint32_t code_point(const char *s, const char *end, size_t *n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)*s;
	size_t bytes = bytes_from(c);
	*n = 0;
	if (!bytes || bytes > (size_t)(end - s)) return 0;
	uint32_t u = bytes == 1 ? c : c & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80) return 0;
		u = u << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (u < least[bytes] || u > 0x10ffff || (u >= 0xd800 && u < 0xe000)) return 0;
	*n = bytes;
	return u;
}

uint32_t letters_apart(size_t n, const char *word, const char *name)
{
	uint32_t rows[3][LETTERS_MOST + 1]; /* of this letter of the word, and of the two before it */
	size_t m = strlen(name);
	if (m >= LETTERS_MOST || n >= LETTERS_MOST) return LETTERS_MOST;
	for (uint32_t k = 0; k <= m; k++) rows[0][k] = k;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *row = rows[(i + 1) % 3], *before = rows[i % 3], *earlier = rows[(i + 2) % 3];
		row[0] = i + 1;
		for (uint32_t k = 0; k < m; k++) {
			uint32_t best = before[k] + (word[i] != name[k]);
			if (best > row[k] + 1) best = row[k] + 1;
			if (best > before[k + 1] + 1) best = before[k + 1] + 1;
			bool turned = i && k && word[i] == name[k - 1] && word[i - 1] == name[k];
			if (turned && best > earlier[k - 1] + 1) best = earlier[k - 1] + 1;
			row[k + 1] = best;
		}
	}
	return rows[n % 3][m];
}

/* A name may be of any bytes: what is no UTF-8 is shown as such. */
void json_quote(Text *t, const char *s)
{
	const char *end = s ? s + strlen(s) : NULL;
	text_char(t, '"');
	for (size_t n; s < end; s += n ? n : 1) {
		unsigned char c = (unsigned char)*s;
		code_point(s, end, &n);
		if (c == '"' || c == '\\')
			text_printf(t, "\\%c", c);
		else if (c == '\n')
			text_add(t, "\\n");
		else if (c == '\t')
			text_add(t, "\\t");
		else if (c < 32)
			text_printf(t, "\\u%04x", c);
		else if (!n)
			text_add(t, "\xef\xbf\xbd"); /* U+FFFD */
		else
			text_add_n(t, s, n);
	}
	text_char(t, '"');
}
