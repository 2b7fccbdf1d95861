/* test_shape.c - what holds of a function's graph, exactly: odd and even symmetry, monotonic runs of neighbouring floats,
 * one result from the fast function for near arguments and the one for all. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include "ir/op.h"
#include "math/math.h"

static uint64_t seed = 7;

static uint64_t random_bits(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d;
}

#define F(name) #name, name##_f32, name##_f64
typedef struct { const char *name; float (*f32)(float); double (*f64)(double); } Pair;

/* every function of one real operand that gives such a one, with what ops.h says of it */
#define OF_BOOL(...)
#define OF_WHOLE(...)
#define OF_COMPLEX(...)
#define OF_CHOICE(...)
#define IF_FLOAT(f) _Generic(&f, float (*)(float): f, default: NULL)
#define IF_DOUBLE(f) _Generic(&f, double (*)(double): f, default: NULL)
#define SHAPE_1(NAME, name) { { #name, IF_FLOAT(name##_f32), IF_DOUBLE(name##_f64) }, OP_##NAME },
#define SHAPE_2(...)
#define SHAPE_3(...)
#define OF_FLOAT(NAME, name, n, forms) SHAPE_##n(NAME, name)
static const struct Shape { Pair f; Op op; } shapes[] = {
#include "ir/map_ops.h"
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static unsigned flags_of(const struct Shape *s) { return s->f.f32 ? op_info[s->op].flags : 0; }

static int same_f32(float a, float b) { return a != a ? b != b : bits_f32(a) == bits_f32(b); }
static int same_f64(double a, double b) { return a != a ? b != b : bits_f64(a) == bits_f64(b); }

static void test_symmetry(void **state)
{
	(void)state;
	int kinds[2] = {0};
	for (int i = 0; i < 20000; i++) {
		uint64_t u = random_bits();
		float x = i % 2 ? f32_of_bits((int32_t)u) : (float)(int32_t)u * 0x1p-28f;
		double y = i % 2 ? f64_of_bits((int64_t)u) : (double)(int64_t)u * 0x1p-60;
		for (const struct Shape *s = shapes; s < shapes + SHAPES; s++) {
			const Pair *p = &s->f;
			bool is_odd = flags_of(s) & ODD;
			if (!is_odd && !(flags_of(s) & EVEN)) continue;
			const char *kind = is_odd ? "odd" : "even";
			if (!same_f32(p->f32(-x), is_odd ? -p->f32(x) : p->f32(x)))
				fail_msg("%s_f32 is not %s at %a", p->name, kind, (double)x);
			if (!same_f64(p->f64(-y), is_odd ? -p->f64(y) : p->f64(y)))
				fail_msg("%s_f64 is not %s at %a", p->name, kind, y);
			kinds[is_odd]++;
		}
	}
	assert_true(kinds[0] >= 6 * 20000 && kinds[1] >= 16 * 20000);
}

/* `up` is 1 of a function that rises, -1 of one that falls: no step from `from` to `to` goes the other way */
static void check_run(const Pair *p, float up, float from, float to)
{
	float last = up * p->f32(from), towards = to < from ? -__builtin_inff() : __builtin_inff();
	for (float x = from; x != to;) {
		x = __builtin_nextafterf(x, towards);
		float y = up * p->f32(x);
		if (to < from ? y > last : y < last) fail_msg("%s_f32 is not monotonic at %a", p->name, (double)x);
		last = y;
	}
}

/* Runs of neighbours; every second one begins at a power of two, where the spacing of the results may change. */
static void check_runs(const Pair *p, float up)
{
	for (int run = 0; run < 200; run++) {
		int32_t at = (int32_t)(random_bits() % 0x7f7ffe00);
		at = run % 2 ? at & 0x7f800000 : at;
		float sign = run % 4 < 2 ? 1 : -1;
		check_run(p, up, sign * f32_of_bits(at), sign * f32_of_bits(at + 500));
	}
}

static void test_monotonic(void **state)
{
	(void)state;
	int rising = 0, falling = 0;
	for (const struct Shape *s = shapes; s < shapes + SHAPES; s++) {
		rising += flags_of(s) & INCREASING ? 1 : 0;
		falling += flags_of(s) & DECREASING ? 1 : 0;
		if (flags_of(s) & (INCREASING | DECREASING)) check_runs(&s->f, flags_of(s) & INCREASING ? 1 : -1);
	}
	assert_true(rising >= 28 && falling >= 4);
}

/* All neighbours where formulas change or a step of the argument is half one of the result: a rounding too many in the
 * middle of a formula shows there.  (erf once fell at one in 10,000 from 0.91 to 0.98, erfc rose at one in 20 from 0.4 to
 * 0.5.) */
static void test_slow(void **state)
{
	(void)state;
	static const Pair slow[] = { { F(erf) }, { F(tanh) }, { F(atan) }, { F(sigmoid) }, { F(log) }, { F(log1p) }, { F(asinh) } };
	for (const Pair *p = slow; p < slow + sizeof slow / sizeof *slow; p++)
		check_run(p, 1, 0.875f, 1.125f);
	check_run(&(Pair){ F(erfc) }, -1, 0.375f, 0.75f);
	check_run(&(Pair){ F(erfc) }, -1, -0.375f, -0.75f);
}

typedef struct { Pair near, any; uint8_t (*far_f32)(float), (*far_f64)(double); } NearPair;

static void same_near(const NearPair *p, double y)
{
	float x = (float)y;
	if (!p->far_f32(x) && !same_f32(p->near.f32(x), p->any.f32(x)))
		fail_msg("%s_f32 and %s_f32 differ at %a", p->near.name, p->any.name, (double)x);
	if (!p->far_f64(y) && !same_f64(p->near.f64(y), p->any.f64(y)))
		fail_msg("%s_f64 and %s_f64 differ at %a", p->near.name, p->any.name, y);
}

/* near_NAME has the bits of NAME wherever far_NAME says no */
static void test_near(void **state)
{
	(void)state;
#define NEAR(name) { { F(near_##name) }, { F(name) }, far_##name##_f32, far_##name##_f64 }
	static const NearPair kinds[] = { NEAR(sin), NEAR(cos), NEAR(tan), NEAR(gamma), NEAR(lgamma), NEAR(digamma), NEAR(trigamma) };
#undef NEAR
	static const double ends[] = { 0.0, -0.0, 0x1p-1074, 0x1p-149, 0x1p-127, 0.8, 1, 2, 2.25, 3.25, 4, 35.04, 171.6, 0x1p47, 0x1p900,
		0x1.fffffep127, 0x1.fffffffffffffp1023, __builtin_inf(), __builtin_nan("") };
	for (const NearPair *p = kinds; p < kinds + sizeof kinds / sizeof *kinds; p++) {
		for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) same_near(p, ends[i]);
		for (int i = 0; i < 20000; i++) {
			int e = (int)(random_bits() % 60) - 10;
			same_near(p, (double)(int64_t)random_bits() * 0x1p-63 * (e < 0 ? 1.0 / (1 << -e) : (double)(1ll << e)));
		}
	}
	assert_true(far_sin_f32(0x1p48f) && !far_sin_f32(0x1.fffffep47f) && far_sin_f64(-0x1p45) && !far_sin_f64(0x1.fffffffffffffp44));
	assert_true(far_gamma_f32(-1e-45f) && !far_gamma_f32(-0.0f) && far_gamma_f64(-5e-324) && !far_gamma_f64(-0.0));
}

/* a number of any size, one near 1, a small whole number, or one at an end */
static double random_number(void)
{
	static const double ends[] = { 0.0, -0.0, 1, -1, 0.5, 0x1p-1074, 0x1p-149, 0x1.fffffep127, 0x1.fffffffffffffp1023, __builtin_inf(),
		-__builtin_inf(), __builtin_nan("") };
	uint64_t u = random_bits();
	switch (u % 4) {
	case 0: return f64_of_bits((int64_t)random_bits());
	case 1: return 1 + (double)(int64_t)random_bits() * 0x1p-63 * (u & 64 ? 0x1p-20 : 1);
	case 2: return (double)(int64_t)(random_bits() % 41) - 20;
	default: return ends[(u >> 8) % (sizeof ends / sizeof *ends)];
	}
}

static void test_near_pow(void **state)
{
	(void)state;
	for (int i = 0; i < 200000; i++) {
		double x = random_number(), y = random_number();
		float a = (float)x, b = (float)y;
		if (!far_pow_f32(a, b) && !same_f32(near_pow_f32(a, b), pow_f32(a, b)))
			fail_msg("near_pow_f32 and pow_f32 differ at %a, %a", (double)a, (double)b);
		if (!far_pow_f64(x, y) && !same_f64(near_pow_f64(x, y), pow_f64(x, y)))
			fail_msg("near_pow_f64 and pow_f64 differ at %a, %a", x, y);
	}
	assert_true(far_pow_f32(0, 1) && far_pow_f32(-1, 1) && far_pow_f32(__builtin_inff(), 1) && !far_pow_f32(1e-45f, 0));
	assert_true(far_pow_f64(-0.0, 1) && far_pow_f64(2, -__builtin_inf()) && far_pow_f64(2, __builtin_nan("")) && !far_pow_f64(5e-324, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_symmetry), cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_slow), cmocka_unit_test(test_near), cmocka_unit_test(test_near_pow) };
	return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
