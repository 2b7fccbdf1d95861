/* test_edges.c - the edge cases of edges.txt, in f32 and f64, of complex_edges.txt, and pairs of inverse functions. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "oracle/quad.h" /* its fail() is no macro yet */

#include <cmocka.h>

#include "scalars.h"

static int same(double a, double b)
{
	return a != a ? b != b : a == b && !__builtin_signbit(a) == !__builtin_signbit(b);
}

static const Scalar *entry_of(const char *name)
{
	for (const Scalar *e = scalars; e < scalars + SCALARS; e++)
		if (!strcmp(e->name, name)) return e;
	fail_msg("edges.txt: no function is called %s", name);
	return NULL;
}

enum { PLAIN, POSITIVE_ZERO, NEGATIVE_ZERO, SUBNORMAL, POSITIVE_INFINITY, NEGATIVE_INFINITY, IS_NAN, KINDS };
static const char *const kinds[] = {"", "0", "-0", "a subnormal number", "inf", "-inf", "NaN"};

static int kind_of(double x)
{
	if (x != x) return IS_NAN;
	if (x - x != 0) return x > 0 ? POSITIVE_INFINITY : NEGATIVE_INFINITY;
	if (x == 0) return __builtin_signbit(x) ? NEGATIVE_ZERO : POSITIVE_ZERO;
	return __builtin_fabs(x) < 0x1p-126 ? SUBNORMAL : PLAIN;
}

/* f64 and f32 give what binary128 does, special results exactly */
static void check_by_reference(const Scalar *e, int kind)
{
	static const double examples[KINDS] = {1, 0.0, -0.0, 0x1p-149, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
	Op op = op_named(e->name, strlen(e->name), e->args);
	if (e->args != 1 || !op || !quad_op[op].of_1)
		fail_msg("edges.txt does not say what %s gives for %s", e->name, kinds[kind]);
	double x = examples[kind], want = (double)quad_op[op].of_1(x), wide = e->one_f64(x),
	       narrow = (double)e->one_f32((float)x);
	bool near = fabs(wide - want) <= 0x1p-50 * fabs(want) && fabs(narrow - want) <= 0x1p-22 * fabs(want);
	if (same(wide, want) && same(narrow, (double)(float)want)) return;
	if (!near || kind_of(want) != PLAIN)
		fail_msg("%s of %s: f64 gives %.17g, f32 %.9g, binary128 %.17g", e->name, kinds[kind], wide, narrow, want);
}

static void test_edges(void **state)
{
	(void)state;
	FILE *f = fopen("tests/math/edges.txt", "r");
	char line[256], word[5][64];
	int cases = 0, seen[SCALARS] = {0}, wrong = 0;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		int words =
			sscanf(line, "%63s %63s %63s %63s %63s", word[0], word[1], word[2], word[3], word[4]);
		if (words < 1 || word[0][0] == '#') continue;
		const Scalar *e = entry_of(word[0]);
		int only_f32 = !strcmp(word[words - 1], "f32"), only_f64 = !strcmp(word[words - 1], "f64");
		assert_int_equal(words, e->args + 2 + (only_f32 | only_f64));
		double x = strtod(word[1], 0), y = e->args == 2 ? strtod(word[2], 0) : 0,
		       want = strtod(word[e->args + 1], 0);
		double wide = e->args == 1 ? e->one_f64(x) : e->two_f64(x, y);
		double narrow =
			e->args == 1 ? (double)e->one_f32((float)x) : (double)e->two_f32((float)x, (float)y);
		if ((!only_f32 && !same(wide, want)) || (!only_f64 && !same(narrow, (double)(float)want))) {
			line[strcspn(line, "\n")] = 0;
			print_error("%s: f64 gives %.17g, f32 %.9g\n", line, wide, narrow);
			wrong++;
		}
		for (int k = 0; k < e->args; k++) seen[e - scalars] |= 1 << kind_of(k ? y : x);
		cases++;
	}
	fclose(f);
	assert_int_equal(wrong, 0);
	assert_true(cases > 400);
	for (int i = 0; i < SCALARS; i++) /* of what it does not speak, a function does as its reference */
		for (int kind = PLAIN + 1; kind < KINDS; kind++)
			if (!(seen[i] >> kind & 1)) check_by_reference(&scalars[i], kind);
}

/* ---- complex numbers ---- */

static const struct {
	const char *name;
	C64 (*c64)(C64);
	C128 (*c128)(C128);
} complex_functions[] = {{"exp", exp_c64, exp_c128}, {"log", log_c64, log_c128},
	{"sqrt", sqrt_c64, sqrt_c128}, {"sin", sin_c64, sin_c128}, {"cos", cos_c64, cos_c128},
	{"tanh", tanh_c64, tanh_c128}};
enum { COMPLEX = sizeof complex_functions / sizeof *complex_functions };

/* the number of this text, rounded as f32 or not; after ? of either sign */
static int is_part(double got, const char *text, double sign, int narrow)
{
	double want = sign * strtod(text + (*text == '?'), 0);
	want = narrow ? (float)want : want;
	return same(got, want) || (*text == '?' && same(-got, want));
}

static void test_complex_edges(void **state)
{
	(void)state;
	FILE *f = fopen("tests/math/complex_edges.txt", "r");
	char line[256], name[16], word[4][32];
	int cases = 0, wrong = 0;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%15s %31s %31s %31s %31s", name, word[0], word[1], word[2], word[3]) < 1 ||
			*name == '#')
			continue;
		int i = 0;
		while (i < COMPLEX && strcmp(complex_functions[i].name, name)) i++;
		assert_true(i < COMPLEX);
		for (int sign = 1; sign >= -1; sign -= 2) {
			C128 x = {strtod(word[0], 0), sign * strtod(word[1], 0)},
			     wide = complex_functions[i].c128(x);
			C64 narrow = complex_functions[i].c64(cast_c128_c64(x));
			if (!is_part(wide.re, word[2], 1, 0) || !is_part(wide.im, word[3], sign, 0) ||
				!is_part(narrow.re, word[2], 1, 1) || !is_part(narrow.im, word[3], sign, 1)) {
				line[strcspn(line, "\n")] = 0;
				print_error("%s, im times %d: c128 gives %g %g, c64 %g %g\n", line, sign,
					wide.re, wide.im, (double)narrow.re, (double)narrow.im);
				wrong++;
			}
			cases++;
		}
	}
	fclose(f);
	assert_int_equal(wrong, 0);
	assert_true(cases > 150);
}

/* ---- pairs ---- */

/* |g(f(x)) - x| in ulp of x is at most the error of f times the condition of g, and the error of g */
#define BACK(f, g, from, to, ulp)                                                                            \
	do {                                                                                                 \
		for (int i = 0; i <= 20000; i++) {                                                           \
			double x = (from) + ((to) - (from)) * i / 20000,                                     \
			       off = __builtin_fabs(g##_f64(f##_f64(x)) - x);                                \
			if (!(off <= (ulp)*0x1p-52 * __builtin_fabs(x) + 0x1p-1060))                         \
				fail_msg(#g "(" #f "(%.17g)) is off by %g ulp", x,                           \
					off / (0x1p-52 * __builtin_fabs(x)));                                \
		}                                                                                            \
	} while (0)

static void test_inverses(void **state)
{
	(void)state;
	BACK(exp, log, 1, 700, 2); /* log of e^x: an ulp of e^x is one of x or less */
	BACK(log, exp, 1, 20, 5);  /* an ulp of log x is log x <= 3 ulp of x */
	BACK(expm1, log1p, -0.5, 3, 5);
	BACK(sinh, asinh, -3, 3, 6);
	BACK(tan, atan, -1, 1, 5);
	BACK(tanh, atanh, -1, 1, 6);
	BACK(sin, asin, -1, 1, 6);
	BACK(erf, erfinv, -1, 1, 9); /* erf' is 0.41 at 1: an ulp of erf is 2.0 of x */
	BACK(erfinv, erf, -0.9, 0.9, 6);
	BACK(sigmoid, logit, -2, -0.5, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_complex_edges),
		cmocka_unit_test(test_inverses)};
	return cmocka_run_group_tests_name("edges", tests, NULL, NULL);
}
