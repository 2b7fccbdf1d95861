/* test_bits.c - every function gives the bits of bits.txt, whatever compiles it: each build of the tests (gcc and clang,
 * sanitizers or not, any processor) is held to the same sums, and so is each change that should not change a result.
 *
 * Whoever changes a result on purpose checks it by `make check-math` and puts the new line, which the failure prints, into
 * bits.txt.  `make check-bits` compares many more inputs, and all widths and levels of optimisation.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../src/ir/dtypes.h"
#include "scalars.h"

enum { INPUTS = 1 << 15 };

/* ---- inputs and sums ---- */

/* word i of the inputs (the finisher of S. Vigna's splitmix64) */
static uint64_t word(uint64_t i)
{
	uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* random bits; uniform in [-8, 8); and near 0 */
static double input(uint64_t i)
{
	uint64_t u = word(i);
	double x = (double)(int64_t)u * 0x1p-60;
	return i % 3 == 0 ? f64_of_bits((int64_t)u) : i % 3 == 1 ? x : x * 0x1p-12;
}

static float input_f32(uint64_t i)
{
	return i % 3 == 0 ? f32_of_bits((int32_t)(word(i) >> 32)) : (float)input(i);
}

static uint64_t sum;

static void take(uint64_t bits)
{
	sum = (sum << 7 | sum >> 57) * 0x9e3779b97f4a7c15u + bits;
}

/* any NaN is like any other */
static void take_f64(double x)
{
	take(x == x ? (uint64_t)bits_f64(x) : 1);
}
static void take_f32(float x)
{
	take(x == x ? (uint64_t)(uint32_t)bits_f32(x) : 1);
}
static void take_c128(C128 x)
{
	take_f64(x.re), take_f64(x.im);
}

/* ---- the lines of bits.txt ---- */

typedef struct Line {
	char name[32];
	unsigned long long sum;
	int met;
} Line;

static Line lines[512];
static int line_count, wrong;

static void test_lines(void **state)
{
	(void)state;
	char text[128];
	FILE *f = fopen("tests/math/bits.txt", "r");
	assert_non_null(f);
	while (line_count < 512 && fgets(text, sizeof text, f))
		line_count +=
			sscanf(text, "%31s %16llx", lines[line_count].name, &lines[line_count].sum) == 2 &&
			text[0] != '#';
	fclose(f);
	assert_true(line_count < 512);
}

/* compares the sum with the line of this name, and begins another sum */
static void expect(const char *name, const char *dtype)
{
	char full[64];
	int i = 0;
	snprintf(full, sizeof full, "%s%s", name, dtype);
	while (i < line_count && strcmp(lines[i].name, full)) i++;
	if (i == line_count || lines[i].sum != sum) {
		print_error("other bits than bits.txt has: %s %016llx\n", full, (unsigned long long)sum);
		wrong++;
	}
	if (i < line_count) lines[i].met = 1;
	sum = 0;
}

/* ---- the functions ---- */

static void test_scalars(void **state)
{
	(void)state;
	for (const Scalar *s = scalars; s < scalars + SCALARS; s++) {
		for (uint64_t i = 0; i < INPUTS; i++)
			take_f32(s->args == 1 ? s->one_f32(input_f32(i))
					      : s->two_f32(input_f32(i), input_f32(3 * i + INPUTS)));
		expect(s->name, "_f32");
		for (uint64_t i = 0; i < INPUTS; i++)
			take_f64(s->args == 1 ? s->one_f64(input(i))
					      : s->two_f64(input(i), input(3 * i + INPUTS)));
		expect(s->name, "_f64");
	}
	for (uint64_t i = 0; i < INPUTS; i++) take_f64(polygamma_f64((double)(i % 6), input(i)));
	expect("polygamma", "_f64");
}

/* a line of bits.txt: the results of a call for each i */
#define SUM(name, take, call)                                                                                \
	do {                                                                                                 \
		for (uint64_t i = 0; i < INPUTS; i++) take(call);                                            \
		expect(name, "");                                                                            \
	} while (0)

/* what check_math leaves to others: near_NAME, remainders, the 16-bit floats */
static void test_others(void **state)
{
	(void)state;
	SUM("mod_f32", take_f32, mod_f32(input_f32(i), input_f32(3 * i + INPUTS)));
	SUM("mod_f64", take_f64, mod_f64(input(i), input(3 * i + INPUTS)));
	SUM("floordiv_f32", take_f32, floordiv_f32(input_f32(i), input_f32(3 * i + INPUTS)));
	SUM("floordiv_f64", take_f64, floordiv_f64(input(i), input(3 * i + INPUTS)));
	SUM("near_sin_f32", take_f32, near_sin_f32(input_f32(3 * i + 1)));
	SUM("near_cos_f32", take_f32, near_cos_f32(input_f32(3 * i + 1)));
	SUM("near_tan_f32", take_f32, near_tan_f32(input_f32(3 * i + 1)));
	SUM("near_sin_f64", take_f64, near_sin_f64(input(3 * i + 1)));
	SUM("near_cos_f64", take_f64, near_cos_f64(input(3 * i + 1)));
	SUM("near_tan_f64", take_f64, near_tan_f64(input(3 * i + 1)));
#define NARROW_CASTS(D, d, ...)                                                                              \
	SUM("round" #d, take_f32, round##d(input_f32(i)));                                                   \
	SUM("cast_f64" #d, take, cast_f64##d(input(i)));
	NARROW_DTYPES(NARROW_CASTS)
}

static void test_draws(void **state)
{
	(void)state;
	SUM("key_at_a", take, key_at_a(3, 5, i));
	SUM("key_at_b", take, key_at_b(3, 5, i));
#define NARROW_DRAWS(D, d, ...)                                                                              \
	SUM("uniform" #d, take_f32, uniform##d(3, 5, i));                                                    \
	SUM("uniform_open" #d, take_f32, uniform_open##d(3, 5, i));
	NARROW_DTYPES(NARROW_DRAWS)
	SUM("uniform_f32", take_f32, uniform_f32(3, 5, i));
	SUM("uniform_f64", take_f64, uniform_f64(3, 5, i));
	SUM("uniform_open_f32", take_f32, uniform_open_f32(3, 5, i));
	SUM("uniform_open_f64", take_f64, uniform_open_f64(3, 5, i));
	SUM("exponential_f32", take_f32, exponential_f32(3, 5, i));
	SUM("exponential_f64", take_f64, exponential_f64(3, 5, i));
	SUM("normal_f32", take_f32, normal_f32(3, 5, i));
	SUM("normal_f64", take_f64, normal_f64(3, 5, i));
	SUM("gamma_draw_f64", take_f64, gamma_draw_f64(3, i, 0.25 * (double)(1 + i % 16)));
}

static C128 complex_input(uint64_t i)
{
	return (C128){input(3 * i + 1), input(3 * i + 1 + 3 * INPUTS)};
}

static void test_complex(void **state)
{
	(void)state;
	SUM("exp_c128", take_c128, exp_c128(complex_input(i)));
	SUM("log_c128", take_c128, log_c128(complex_input(i)));
	SUM("sqrt_c128", take_c128, sqrt_c128(complex_input(i)));
	SUM("sin_c128", take_c128, sin_c128(complex_input(i)));
	SUM("cos_c128", take_c128, cos_c128(complex_input(i)));
	SUM("tanh_c128", take_c128, tanh_c128(complex_input(i)));
	SUM("mul_c128", take_c128, mul_c128(complex_input(i), complex_input(i + 1)));
	SUM("div_c128", take_c128, div_c128(complex_input(i), complex_input(i + 1)));
	SUM("pow_c128", take_c128, pow_c128(complex_input(i), complex_input(i + 1)));
}

static void test_all_lines(void **state)
{
	(void)state;
	for (int i = 0; i < line_count; i++)
		if (!lines[i].met) fail_msg("bits.txt: no function is called %s", lines[i].name);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_others), cmocka_unit_test(test_draws), cmocka_unit_test(test_complex),
		cmocka_unit_test(test_all_lines)};
	return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
