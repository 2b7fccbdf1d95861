/* test_text.c - text that grows, numbers that read back, and the first error that sticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* ours is another */
#include "../../src/base/base.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 99;

static uint64_t random64(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	uint64_t high = seed >> 32;
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return high << 32 | seed >> 32;
}

static void test_text_grows(void **state)
{
	(void)state;
	Arena *a = arena_new(NULL);
	Text t;
	text_open(&t, a);
	assert_string_equal(text_done(&t), "");
	size_t n = 0, room = 1 << 20;
	char *want = calloc(1, room);
	for (int i = 0; i < 5000; i++) {
		n += (size_t)snprintf(want + n, room - n, "%d, x%*d;", i, i % 97, i);
		text_printf(&t, "%d, ", i);
		text_char(&t, 'x');
		text_add_n(&t, "", 0);
		text_printf(&t, "%*d", i % 97, i);
		text_add(&t, ";");
		assert_int_equal(t.n, n);
		assert_int_equal(strlen(text_done(&t)), n);
	}
	assert_string_equal(text_done(&t), want);
	free(want);
	arena_free(a);
}

static const char *number(Arena *a, double x, int bits)
{
	Text t;
	text_open(&t, a);
	text_number(&t, x, bits);
	return text_done(&t);
}

/* A sign, digits, a point with digits on both sides or an exponent or both: what the notation reads. */
static bool well_formed(const char *s)
{
	bool point = false, exponent = false;
	s += *s == '-';
	if (!isdigit((unsigned char)*s)) return false;
	while (isdigit((unsigned char)*s)) s++;
	if (*s == '.') {
		point = true;
		if (!isdigit((unsigned char)*++s)) return false;
		while (isdigit((unsigned char)*s)) s++;
	}
	if (*s == 'e') {
		exponent = true;
		s += 1 + (s[1] == '-');
		if (*s < '1' || *s > '9') return false;
		while (isdigit((unsigned char)*s)) s++;
	}
	return !*s && (point || exponent);
}

static int digits_of(const char *s)
{
	char digit[64];
	int n = 0;
	for (; *s && *s != 'e'; s++)
		if (isdigit((unsigned char)*s) && (n || *s != '0')) digit[n++] = *s;
	while (n > 1 && digit[n - 1] == '0') n--;
	return n;
}

static void check_double(double x)
{
	Arena *a = arena_new(NULL);
	const char *s = number(a, x, 64);
	if (isnan(x)) {
		assert_string_equal(s, "nan");
	} else if (isinf(x)) {
		assert_string_equal(s, x > 0 ? "inf" : "-inf");
	} else {
		double back = strtod(s, NULL);
		assert_memory_equal(&back, &x, sizeof x);
		assert_true(well_formed(s));
		char shorter[64];
		int n = digits_of(s);
		if (n > 1) { /* one digit less does not read back */
			snprintf(shorter, sizeof shorter, "%.*e", n - 2, x);
			assert_true(strtod(shorter, NULL) != x);
		}
	}
	arena_free(a);
}

static void check_float(float x)
{
	Arena *a = arena_new(NULL);
	const char *s = number(a, (double)x, 32);
	if (isfinite(x)) {
		float back = strtof(s, NULL);
		assert_memory_equal(&back, &x, sizeof x);
		assert_true(well_formed(s));
		assert_true(digits_of(s) <= 9);
	}
	arena_free(a);
}

static void test_numbers_read_back(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = random64();
		double x;
		memcpy(&x, &bits, sizeof x);
		check_double(x);
		uint32_t half = (uint32_t)bits;
		float y;
		memcpy(&y, &half, sizeof y);
		check_float(y);
		check_double((double)(int64_t)(bits >> (bits & 63)) / (double)(1 << (bits >> 60)));
		check_float((float)(bits >> 50) / 100);
	}
	for (int e = -1074; e < 1024; e++) {
		check_double(ldexp(1, e));
		check_double(nextafter(ldexp(1, e), 0));
		check_double(-nextafter(ldexp(1, e), INFINITY));
	}
}

static void test_numbers_look_right(void **state)
{
	(void)state;
	Arena *a = arena_new(NULL);
	const struct {
		double x;
		int bits;
		const char *text;
	} cases[] = {
		{0, 64, "0.0"},
		{-0.0, 64, "-0.0"},
		{1, 64, "1.0"},
		{-2.5, 64, "-2.5"},
		{0.1, 64, "0.1"},
		{(double)0.1f, 32, "0.1"},
		{(double)0.1f, 64, "0.10000000149011612"},
		{100, 64, "100.0"},
		{1e15, 64, "1000000000000000.0"},
		{1e16, 64, "1e16"},
		{1e-5, 64, "1e-5"},
		{1e-4, 64, "0.0001"},
		{0.00012, 64, "0.00012"},
		{1.5e300, 64, "1.5e300"},
		{-1.25e-300, 64, "-1.25e-300"},
		{5e-324, 64, "5e-324"},
		{1e22, 64, "1e22"},
		{12345.678, 64, "12345.678"},
		{INFINITY, 64, "inf"},
		{-INFINITY, 32, "-inf"},
		{NAN, 32, "nan"},
		{-NAN, 64, "nan"},
		{1e300, 32, "inf"},
	};
	for (size_t i = 0; i < countof(cases); i++)
		assert_string_equal(number(a, cases[i].x, cases[i].bits), cases[i].text);
	arena_free(a);
}

/* A locale whose point is a comma changes nothing (where the machine has one). */
static void test_numbers_in_a_locale(void **state)
{
	(void)state;
	const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "C"};
	size_t i = 0;
	while (!setlocale(LC_NUMERIC, names[i])) i++;
	Arena *a = arena_new(NULL);
	assert_string_equal(number(a, 2.5, 64), "2.5");
	assert_string_equal(number(a, 1.0 / 3, 64), "0.3333333333333333");
	assert_string_equal(number(a, 1.5e-30, 32), "1.5e-30");
	arena_free(a);
	setlocale(LC_NUMERIC, "C");
}

static void test_first_error_sticks(void **state)
{
	(void)state;
	Error e = {0};
	assert_null(fail(&e, ERR_TYPE, (Where){"a.por", 3, 7}, "%d and %d differ", 784, 512));
	assert_null(fail(&e, ERR_VALUE, (Where){"b.por", 4, 8}, "later"));
	assert_int_equal(e.code, ERR_TYPE);
	assert_int_equal(e.line, 3);
	assert_int_equal(e.column, 7);
	assert_string_equal(e.file, "a.por");
	assert_string_equal(e.text, "784 and 512 differ");
	error_clear(&e);
	assert_int_equal(e.code, ERR_NONE);
	fail(&e, ERR_VALUE, (Where){0}, "now");
	assert_string_equal(e.text, "now");
	assert_string_equal(e.file, "");
}

/* Characters of one to four bytes, shifted byte by byte past the end: never is one cut in its middle. */
static void test_long_errors_are_cut_between_characters(void **state)
{
	(void)state;
	const char *character[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9D\x94\xB8"};
	for (size_t bytes = 1; bytes <= 4; bytes++)
		for (size_t before = 0; before < 8; before++) {
			char text[1200] = "";
			memset(text, 'a', before);
			for (size_t n = before; n + bytes < sizeof text; n += bytes)
				memcpy(text + n, character[bytes - 1], bytes + 1);
			Error e = {0};
			fail(&e, ERR_VALUE, (Where){text, 1, 1}, "%s", text);
			size_t n = strlen(e.text), file = strlen(e.file);
			assert_int_equal((n - before) % bytes, 0);
			assert_int_equal((file - before) % bytes, 0);
			assert_true(n + bytes >= sizeof e.text && n < sizeof e.text);
			assert_true(file + bytes >= sizeof e.file && file < sizeof e.file);
			assert_memory_equal(e.text, text, n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_grows),
		cmocka_unit_test(test_numbers_read_back),
		cmocka_unit_test(test_numbers_look_right),
		cmocka_unit_test(test_numbers_in_a_locale),
		cmocka_unit_test(test_first_error_sticks),
		cmocka_unit_test(test_long_errors_are_cut_between_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
