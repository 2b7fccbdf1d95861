/* test_element.c - one element: every code of every narrow dtype by its formula, rounding, casts of each to each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail                               /* ours is another */
#include "../../src/ir/ir.h"

#include <math.h>

static double number_of(Dtype d, uint64_t code)
{
	return element_number(d, &code);
}

static uint64_t code_of(Dtype d, double x)
{
	uint64_t code = 0;
	element_cast(d, &code, DT_F64, &x);
	return code;
}

/* Sign, exponent, fraction, as IEEE 754 has them; past the largest number an infinity, where there is one, and NaNs. */
static double formula(Dtype d, uint64_t code)
{
	int digits = dtype_digits(d), bits = 8 * (int)dtype_bytes(d);
	uint64_t size = code & ((1ull << (bits - 1)) - 1), unit = 1ull << (digits - 1);
	uint64_t exponent = size / unit, fraction = size % unit;
	double x = (double)(exponent ? unit + fraction : fraction) / (double)unit * dtype_min(d);
	x = ldexp(x, exponent ? (int)exponent - 1 : 0);
	if (x > dtype_max(d)) x = dtype_has_infinity(d) && !fraction ? INFINITY : NAN;
	return code >> (bits - 1) ? -x : x;
}

static void test_codes(void **state)
{
	(void)state;
	int narrow = 0;
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
		if (!dtype_is_narrow(d)) continue;
		narrow++;
		uint64_t codes = 1ull << 8 * dtype_bytes(d), quiet = code_of(d, NAN);
		assert_true(isnan(number_of(d, quiet)) && quiet < codes / 2);
		for (uint64_t c = 0; c < codes; c++) {
			double x = number_of(d, c), want = formula(d, c);
			assert_true(isnan(want) ? isnan(x) : x == want && signbit(x) == signbit(want));
			assert_int_equal(code_of(d, x), isnan(want) ? quiet : c);
		}
	}
	assert_true(narrow >= 2);
}

/* Half way between neighbours the even one, a little off the nearer; past the largest what the list says. */
static void test_rounding(void **state)
{
	(void)state;
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
		if (!dtype_is_narrow(d)) continue;
		uint64_t last = code_of(d, dtype_max(d)), sign = 1ull << (8 * dtype_bytes(d) - 1);
		assert_true(number_of(d, last) == dtype_max(d));
		for (uint64_t c = 0; c < last; c++) {
			double half = (number_of(d, c) + number_of(d, c + 1)) / 2, off = half * 0x1p-50;
			assert_int_equal(code_of(d, half), c + c % 2);
			assert_int_equal(code_of(d, half - off), c);
			assert_int_equal(code_of(d, half + off), c + 1);
			assert_int_equal(code_of(d, -half), (c + c % 2) | sign);
		}
		double step = dtype_max(d) - number_of(d, last - 1), past[] = {step * 0.51, step, 1e300, INFINITY};
		assert_true(number_of(d, code_of(d, dtype_max(d) + step * 0.49)) == dtype_max(d));
		for (size_t i = 0; i < countof(past); i++) {
			double x = number_of(d, code_of(d, dtype_max(d) + past[i]));
			assert_true(dtype_has_infinity(d) ? x == INFINITY : isnan(x));
		}
	}
}

/* By way of what holds both: f64 of floats and small whole numbers, whole numbers of whole numbers. */
static void test_casts(void **state)
{
	(void)state;
	static const double numbers[] = {0, 1, -1, 0.5, 2, 7.75, -7.75, 100, 127, 128, 200, 255, 256, 1e9, -1e9, 1e19};
	for (Dtype from = DT_NONE + 1; from < DT_WEAK_INT; from++)
		for (Dtype to = DT_NONE + 1; to < DT_WEAK_INT; to++)
			for (size_t i = 0; i < countof(numbers); i++) {
				if (from == DT_KEY || to == DT_KEY || dtype_is_complex(from) || dtype_is_complex(to)) continue;
				uint64_t x = code_of(from, numbers[i]), y = 0;
				double number = number_of(from, x);
				element_cast(to, &y, from, &x);
				if (dtype_bytes(from) < 8 || dtype_is_float(from)) /* f64 holds it */
					assert_int_equal(y, code_of(to, number));
				else if (dtype_bytes(to) == 8 && !dtype_is_float(to) && number < 9e18)
					assert_true(number_of(to, y) == (number < dtype_min(to) ? 0 : number));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_casts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
