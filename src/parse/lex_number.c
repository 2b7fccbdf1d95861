/* lex_number.c - the value of a number as it is written. */
#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* False: it is larger than 64 bits hold. */
static bool integer_value(bool negative, int base, const char *s, Syntax *number)
{
	uint64_t value = 0, most = (uint64_t)INT64_MAX + negative;
	for (; *s; s++) {
		uint64_t digit = (uint64_t)(is_digit(*s) ? *s - '0' : (*s | 32) - 'a' + 10);
		if (value > (most - digit) / (uint64_t)base) return false;
		value = value * (uint64_t)base + digit;
	}
	number->integer = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

/* The digits of s without the point, which depends on the locale, and an exponent that makes up for it. */
static double real_value(Arena *a, const char *s, bool hex)
{
	char small[128], *buffer = small, *to;
	size_t n = strlen(s);
	long long shift = 0;
	bool fraction = false;
	const char mark = hex ? 'p' : 'e';
	if (n + 32 > sizeof small) buffer = arena_alloc(a, n + 32);
	to = buffer;
	for (; *s && (*s != mark); s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		*to++ = *s;
		if (fraction) shift -= hex ? 4 : 1;
	}
	if (*s) {
		long long e = strtoll(s + 1, NULL, 10); /* at the ends of its range when it is beyond */
		const long long most = 1LL << 60;
		if (e > most) e = most;
		if (e < -most) e = -most;
		shift += e;
	}
	sprintf(to, "%c%lld", mark, shift);
	return strtod(buffer, NULL);
}

Syntax *lex_number(Parser *p, Token t, bool negative)
{
	Syntax *number = syntax_new(p->arena, SYN_NUMBER, token_where(p, t), 0);
	char *text = arena_alloc(p->arena, t.n + 2), *to = text;
	bool hex = t.n > 1 && t.text[1] == 'x', imaginary = !hex && t.text[t.n - 1] == 'i';
	for (size_t i = 0; i < t.n - imaginary; i++)
		if (t.text[i] != '_') *to++ = t.text[i];
	*to = 0;
	bool whole = !imaginary && !strpbrk(text, hex ? ".p" : ".e");
	if (whole && integer_value(negative, hex ? 16 : 10, hex ? text + 2 : text, number)) {
		number->number = NUMBER_INTEGER;
	} else {
		double value = real_value(p->arena, text, hex);
		if (!isfinite(value))
			return syntax_fail_at(p, token_where(p, t),
				"%.*s: floats go up to 1.7976931348623157e308", shown_bytes(t.n, t.text),
				t.text);
		if (imaginary)
			number->number = NUMBER_IMAGINARY;
		else if (whole)
			number->number = NUMBER_WHOLE;
		else
			number->number = NUMBER_REAL;
		number->real = negative ? -value : value;
	}
	memcpy(text + negative, t.text, t.n);
	text[0] = negative ? '-' : text[0];
	text[t.n + negative] = 0;
	number->text = names_get(p->names, text, t.n + negative);
	return number;
}
