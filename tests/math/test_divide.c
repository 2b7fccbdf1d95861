/* test_divide.c - division by a number that stays has the quotients and remainders of division by any. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/math.h"

static uint64_t seed = 11;

static uint64_t random_bits(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d;
}

#define CHECK(t, T, x, d) do { \
	uint32_t l; \
	const __typeof__(divisor_##t(d, &l)) m = divisor_##t(d, &l); \
	const T q = by_floordiv_##t(x, d, m, l), r = by_mod_##t(x, d, m, l); \
	if (q != floordiv_##t(x, d) || r != mod_##t(x, d)) \
		fail_msg("%s: %lld by %lld is %lld, rest %lld", #t, (long long)(x), (long long)(d), (long long)q, (long long)r); \
} while (0)

static void test_every_byte(void **state)
{
	(void)state;
	for (int d = -128; d < 256; d++)
		for (int x = -128; x < 256; x++) {
			CHECK(i8, int8_t, (int8_t)x, (int8_t)d);
			CHECK(u8, uint8_t, (uint8_t)x, (uint8_t)d);
		}
}

/* a number of any size; powers of two and their neighbours, the largest and the smallest */
static uint64_t random_number(void)
{
	uint64_t u = random_bits(), k = u >> 8 & 63;
	switch (u & 3) {
	case 0: return (uint64_t)1 << k;
	case 1: return ((uint64_t)1 << k) - 1;
	case 2: return 0 - ((uint64_t)1 << k);
	default: return random_bits() >> k;
	}
}

/* quotients are also asked beside multiples of the divisor, where one too few or too many shows */
#define RANDOM(t, T) \
	for (int i = 0; i < 200000; i++) { \
		const T d = (T)random_number(), x = i % 2 ? (T)random_number() : (T)(random_bits()*(uint64_t)d - (uint64_t)(i % 4 / 2)); \
		CHECK(t, T, x, d); \
	}

static void test_random_numbers(void **state)
{
	(void)state;
	RANDOM(i16, int16_t) RANDOM(u16, uint16_t) RANDOM(u32, uint32_t) RANDOM(u64, uint64_t)
	for (int i = 0; i < 200000; i++) {
		uint64_t a = random_number(), b = random_number(), n = random_bits();
		CHECK(i32, int32_t, (int32_t)a, (int32_t)b);
		CHECK(i64, int64_t, (int64_t)a, (int64_t)b);
		CHECK(i32, int32_t, (int32_t)(n*b - (uint64_t)(i % 2)), (int32_t)b);
		CHECK(i64, int64_t, (int64_t)(n*b - (uint64_t)(i % 2)), (int64_t)b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_byte), cmocka_unit_test(test_random_numbers) };
	return cmocka_run_group_tests_name("divide", tests, NULL, NULL);
}
