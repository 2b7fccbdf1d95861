/* test_random.c - random numbers: small standard tests on the words, and the distributions of what is made of them.
 *
 * Everything is deterministic, so a p-value between 1e-5 and 1 - 1e-5 now is one for ever: a fault in the generator (a
 * round less, a word used twice) moves several of them out by hundreds of digits.  `make check-random` runs the same
 * on many more numbers.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "battery.h"
#include "math/math.h"

#define LIMIT 1e-5

static void check(const char *name, double p)
{
	if (getenv("VERBOSE")) printf("%-32s p = %.4f\n", name, p);
	if (!(p > LIMIT && p < 1 - LIMIT)) fail_msg("%s: p = %g", name, p);
}

static void report(void *user, const char *name, double p)
{
	char text[120];
	snprintf(text, sizeof text, "%s: %s", (const char *)user, name);
	check(text, p);
}

static Battery battery(const char *name)
{
	return (Battery){report, (void *)(uintptr_t)name};
}

enum { WORDS = 1 << 17, DRAWS = 1 << 17 };

static void test_words(void **state)
{
	(void)state;
	uint64_t *w = malloc(WORDS * sizeof *w);
	assert_non_null(w);
	for (int stream = 0; stream < STREAMS; stream++) {
		Battery b = battery(stream_name(stream));
		for (uint64_t i = 0; i < WORDS; i++) w[i] = stream_word(stream, i);
		battery_words(&b, w, WORDS);
	}
	free(w);
}

/* ---- distributions ---- */

static double flat(double x, double s) { return (void)s, x; }
static double bell(double x, double s) { return (void)s, 0.5 * erfc(-x / sqrt(2)); }
static double fading(double x, double s) { return (void)s, -expm1(-x); }
static double logarithm(double x, double s) { return gamma_below(s, x); }

static void test_distributions(void **state)
{
	(void)state;
	/* about the mean: of (0, 1) 1/((k + 1)2^k), of the bell 1, 3, 15, of the exponential the subfactorials */
	static const double even[7] = {1, 0, 1.0 / 12, 0, 1.0 / 80, 0, 1.0 / 448}, normal[7] = {1, 0, 1, 0, 3, 0, 15},
			    exponential[7] = {1, 0, 1, 2, 9, 44, 265};
	double *x = malloc(DRAWS * sizeof *x);
	assert_non_null(x);
#define SHAPE(draw, f, mean, moments) do { \
		Battery b = battery(#draw); \
		for (int i = 0; i < DRAWS; i++) x[i] = (double)draw(11, 5, (uint64_t)i); \
		battery_moments(&b, "moments", x, DRAWS, mean, moments); \
		battery_shape(&b, "shape", x, DRAWS, f, 0); \
	} while (0)
	SHAPE(uniform_f32, flat, 0.5, even);
	SHAPE(uniform_f64, flat, 0.5, even);
	SHAPE(uniform_open_f32, flat, 0.5, even);
	SHAPE(uniform_open_f64, flat, 0.5, even);
	SHAPE(normal_f32, bell, 0, normal);
	SHAPE(normal_f64, bell, 0, normal);
	SHAPE(exponential_f32, fading, 1, exponential);
	SHAPE(exponential_f64, fading, 1, exponential);
	free(x);
}

/* Gamma numbers of shapes below, at and above 1.  Central moments of shape s: s, 2s, 3s^2 + 6s, ..., 15s^3 + 130s^2 + 120s. */
static void test_gamma(void **state)
{
	(void)state;
	static const double shapes[] = {0.05, 0.3, 0.999, 1, 1.001, 2.5, 40, 1000};
	enum { MANY = 1 << 16 };
	double *x = malloc(MANY * sizeof *x);
	assert_non_null(x);
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		double s = shapes[k], moment[7] = {1, 0, s, 2 * s, 3 * s * s + 6 * s, 0, ((15 * s + 130) * s + 120) * s};
		char name[40];
		snprintf(name, sizeof name, "gamma of %g", s);
		Battery b = battery(name);
		for (int half = 0; half < 2; half++) {
			for (uint64_t i = 0; i < MANY; i++) {
				uint64_t ka = key_at_a(k, 77, i), kb = key_at_b(k, 77, i);
				x[i] = half ? (double)gamma_draw_f32(ka, kb, (float)s) : gamma_draw_f64(ka, kb, s);
			}
			battery_moments(&b, half ? "f32" : "f64", x, MANY, s, moment);
			battery_shape(&b, half ? "f32" : "f64", x, MANY, logarithm, s);
		}
	}
	free(x);
	/* f32 is f64 rounded; no shape at or below 0 */
	assert_true(gamma_draw_f32(3, 4, 2.5f) == (float)gamma_draw_f64(3, 4, 2.5));
	assert_true(isnan(gamma_draw_f64(3, 4, 0)) && isnan(gamma_draw_f32(3, 4, -1)) && isnan(gamma_draw_f64(3, 4, NAN)));
	assert_true(isinf(gamma_draw_f64(3, 4, INFINITY)) && gamma_draw_f64(3, 4, 1e-300) == 0);
}

/* ---- tails: the words are chosen, since a block can be found from its words ---- */

static uint32_t inverse(uint32_t odd)
{
	uint32_t x = odd;
	for (int i = 0; i < 4; i++) x *= 2 - odd * x;
	return x;
}

/* The b and e whose block under the key a has these words (as words01 and words23 give them): ten rounds backwards. */
static void block_of(uint64_t a, uint64_t w01, uint64_t w23, uint64_t *b, uint64_t *e)
{
	uint32_t x = (uint32_t)(w01 >> 32), y = (uint32_t)w01, z = (uint32_t)(w23 >> 32), w = (uint32_t)w23;
	uint32_t k = (uint32_t)a + 10 * 0x9e3779b9, l = (uint32_t)(a >> 32) + 10 * 0xbb67ae85;
	for (int i = 0; i < 10; i++) {
		k -= 0x9e3779b9, l -= 0xbb67ae85;
		uint32_t p = w * inverse(0xd2511f53), q = y * inverse(0xcd9e8d57);
		uint32_t upper_p = (uint32_t)(0xd2511f53ull * p >> 32), upper_q = (uint32_t)(0xcd9e8d57ull * q >> 32);
		y = x ^ upper_q ^ k, w = z ^ upper_p ^ l;
		x = p, z = q;
	}
	*e = (uint64_t)y << 32 | x, *b = (uint64_t)w << 32 | z;
}

enum { FORCED = 1 << 17 };

/* Draws whose first `zeros` bits, those that lead to the tail, are given: among them the share beyond t is
 * probability * 2^zeros, so that events of 1e-9 and rarer are met thousands of times. */
typedef struct Tail {
	const char *name;
	double (*draw)(uint64_t b, uint64_t e);
	uint64_t first;              /* the first bits of words 0 and 1 */
	int zeros;                   /* how many they are; of normal_f32 at most 32 */
	double (*below)(double);     /* the probability of the tail */
	double t;
	int side;                    /* 1: beyond t; -1: below it */
} Tail;

static double one_normal_f32(uint64_t b, uint64_t e) { return (double)normal_f32(99, b, e); }
static double one_normal_f64(uint64_t b, uint64_t e) { return normal_f64(99, b, e); }
static double one_exponential_f32(uint64_t b, uint64_t e) { return (double)exponential_f32(99, b, e); }
static double one_exponential_f64(uint64_t b, uint64_t e) { return exponential_f64(99, b, e); }
static double upper_bell(double t) { return 0.5 * erfc(t / sqrt(2)); }
static double lower_bell(double t) { return 0.5 * erfc(-t / sqrt(2)); }
static double upper_fading(double t) { return exp(-t); }
static double lower_fading(double t) { return -expm1(-t); }

static const Tail tails[] = {
#define TAILS(T) \
	{"normal" #T " > 4", one_normal##T, 0, 11, upper_bell, 4, 1},                     /* 3e-5 */ \
	{"normal" #T " < -5", one_normal##T, 0, 18, lower_bell, -5, -1},                  /* 3e-7 */ \
	{"normal" #T " > 5.9978", one_normal##T, 0, 25, upper_bell, 5.9978, 1},           /* 1e-9 */ \
	{"normal" #T " < -5.9978", one_normal##T, 0, 25, lower_bell, -5.9978, -1}, \
	{"normal" #T " > 6.8", one_normal##T, 0, 32, upper_bell, 6.8, 1},                 /* 5e-12 */ \
	{"exponential" #T " > 10", one_exponential##T, 1ull << 63, 13, upper_fading, 10, 1}, \
	{"exponential" #T " > 20.72", one_exponential##T, 1ull << 63, 27, upper_fading, 20.72, 1},    /* 1e-9 */ \
	{"exponential" #T " > 25", one_exponential##T, 1ull << 63, 33, upper_fading, 25, 1}, \
	{"exponential" #T " < 1e-9", one_exponential##T, 0, 27, lower_fading, 1e-9, -1}, \
	{"exponential" #T " < 1e-11", one_exponential##T, 0, 33, lower_fading, 1e-11, -1},
	TAILS(_f32) TAILS(_f64)
#undef TAILS
};

static void test_tails(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
		const Tail *t = &tails[k];
		int beyond = 0;
		for (uint64_t i = 0; i < FORCED; i++) {
			uint64_t b, e, w01 = t->first | words01(k, 1, i) >> t->zeros, w23 = words23(k, 1, i);
			block_of(99, w01, w23, &b, &e);
			if (i < 10) assert_true(words01(99, b, e) == w01 && words23(99, b, e) == w23);
			beyond += t->draw(b, e) * t->side > t->t * t->side;
		}
		double p = ldexp(t->below(t->t), t->zeros), want = p * FORCED;
		assert_true(p < 1 && want > 100);                       /* the tail lies within the forced part */
		check(t->name, normal_tail((beyond - want) / sqrt(want * (1 - p))));
	}
}

/* The ends: words of zeros and of ones. */
static void test_ends(void **state)
{
	(void)state;
	uint64_t b, e, ones = ~(uint64_t)0, half = ones >> 1;
	block_of(99, 0, 0, &b, &e);
	assert_true(uniform_f32(99, b, e) == 0 && uniform_f64(99, b, e) == 0);
	assert_true(uniform_open_f32(99, b, e) == 0x1p-24f && uniform_open_f64(99, b, e) == 0x1p-53);
	assert_true(uniform_open_f16(99, b, e) == 0x1p-11f && uniform_open_bf16(99, b, e) == 0x1p-8f);
	assert_true(fabsf(normal_f32(99, b, e) - 7.53910f) < 1e-4f && fabs(normal_f64(99, b, e) - 8.57168) < 1e-4);
	assert_true(exponential_f32(99, b, e) == 0x1p-49f && exponential_f64(99, b, e) == 0x1p-55);
	block_of(99, ones ^ half, 0, &b, &e);        /* 49 and 55 times log 2 */
	assert_true(fabsf(exponential_f32(99, b, e) - 33.96421f) < 1e-5f && fabs(exponential_f64(99, b, e) - 38.123095) < 1e-6);
	block_of(99, ones, ones, &b, &e);
	assert_true(uniform_f32(99, b, e) == 1 - 0x1p-24f && uniform_open_f64(99, b, e) == 1 - 0x1p-53);
	assert_true(normal_f32(99, b, e) == 0 && normal_f64(99, b, e) == 0);
	block_of(99, half, 0, &b, &e);               /* where the two halves of the exponential meet: log 2 */
	assert_true(fabsf(exponential_f32(99, b, e) - 0.693147181f) < 1e-7f);
	block_of(99, ones, 0, &b, &e);
	assert_true(fabsf(exponential_f32(99, b, e) - 0.693147181f) < 1e-7f);
}

/* f16 and bf16 hold what is drawn for them: nothing rounds up to 1, every multiple of 2^-11 and 2^-8 is met */
static void test_halves(void **state)
{
	(void)state;
	static uint32_t seen16[2048], seen8[256];
	Battery b = battery("halves");
	for (int i = 0; i < 1 << 17; i++) {
		float x = uniform_f16(1, 2, (uint64_t)i), y = uniform_bf16(1, 2, (uint64_t)i);
		assert_true(x < 1 && round_f16(x) == x && y < 1 && round_bf16(y) == y);
		assert_true(y <= x && x <= uniform_f32(1, 2, (uint64_t)i));        /* the same word, cut */
		float u = uniform_open_f16(1, 2, (uint64_t)i), v = uniform_open_bf16(1, 2, (uint64_t)i);
		assert_true(u > 0 && u < 1 && round_f16(u) == u && v > 0 && v < 1 && round_bf16(v) == v);
		seen16[(int)(x * 2048)]++, seen8[(int)(y * 256)]++;
	}
	battery_counts(&b, "uniform_f16", seen16, 2048, 1 << 17);
	battery_counts(&b, "uniform_bf16", seen8, 256, 1 << 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_distributions), cmocka_unit_test(test_gamma),
		cmocka_unit_test(test_tails), cmocka_unit_test(test_ends), cmocka_unit_test(test_halves),
	};
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
