/* test_random.c - random numbers: small standard tests on the words, and the distributions of what is made of them.
 *
 * Everything is deterministic, so a p-value between 1e-5 and 1 - 1e-5 now is one for ever: a fault in the generator (a
 * round less, a word used twice) moves several of them out by hundreds of digits.
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

#include "math/math.h"

#define LIMIT 1e-5

/* the upper tail of chi-square by Wilson and Hilferty's cube root (1931), good to a few percent in what is asked here */
static double chi_tail(double chi, double freedom)
{
	double z = (cbrt(chi / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom));
	return 0.5 * erfc(z / sqrt(2));
}

static void check(const char *name, double p)
{
	if (getenv("VERBOSE")) printf("%-32s p = %.4f\n", name, p);
	if (!(p > LIMIT && p < 1 - LIMIT)) fail_msg("%s: p = %g", name, p);
}

/* counts against equal expectations */
static void check_counts(const char *name, const uint32_t *count, int n, double total)
{
	double chi = 0, want = total / n;
	for (int i = 0; i < n; i++) chi += (count[i] - want) * (count[i] - want) / want;
	check(name, chi_tail(chi, n - 1));
}

/* ---- words: as a stream of one key, of consecutive keys at one place, and of keys made by k[i] ---- */

enum { STREAMS = 3, WORDS = 1 << 18 };

static uint64_t word(int stream, uint64_t i)
{
	switch (stream) {
	case 0: return words01(7, 3, i);
	case 1: return words23(i, 0, 5);
	default: return words01(key_at_a(1, 0, i), key_at_b(1, 0, i), 0);
	}
}

static int rank_of(uint32_t *row)
{
	int rank = 0;
	for (int bit = 31; bit >= 0; bit--) {
		int p = rank;
		while (p < 32 && !(row[p] >> bit & 1)) p++;
		if (p == 32) continue;
		uint32_t t = row[p];
		row[p] = row[rank], row[rank] = t;
		for (int i = rank + 1; i < 32; i++) row[i] ^= row[i] >> bit & 1 ? t : 0;
		rank++;
	}
	return rank;
}

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* each bit as often 1 as 0; bytes, and pairs of bytes of neighbours, equally often */
static void frequencies(int stream, const uint64_t *w)
{
	static uint32_t byte[256], pair[65536];
	double worst = 0;
	memset(byte, 0, sizeof byte), memset(pair, 0, sizeof pair);
	for (int bit = 0; bit < 64; bit++) {
		int ones = 0;
		for (int i = 0; i < WORDS; i++) ones += (int)(w[i] >> bit & 1);
		double z = (ones - WORDS / 2.0) / sqrt(WORDS / 4.0);
		worst = fmax(worst, fabs(z));
	}
	check(stream == 0 ? "bits" : stream == 1 ? "bits over keys" : "bits of keys", 1 - pow(1 - erfc(worst / sqrt(2)), 64));
	for (int i = 0; i < WORDS; i++)
		for (int k = 0; k < 64; k += 8) byte[w[i] >> k & 255]++;
	check_counts("bytes", byte, 256, 8.0 * WORDS);
	for (int i = 0; i + 1 < WORDS; i += 2)
		for (int k = 0; k < 64; k += 8) pair[(w[i] >> k & 255) << 8 | (w[i + 1] >> k & 255)]++;
	check_counts("pairs of bytes", pair, 65536, 4.0 * WORDS);
}

/* how many of 32 rows over GF(2) are independent: 32, 31 or less (G. Marsaglia and L.-H. Tsay, 1985) */
static void ranks(const uint64_t *w)
{
	static const double share[3] = { 0.2887880952, 0.5775761902, 0.1336357146 };
	double count[3] = { 0 }, chi = 0;
	int n = WORDS / 32;
	for (int i = 0; i < n; i++) {
		uint32_t row[32];
		for (int k = 0; k < 32; k++) row[k] = (uint32_t)(w[32 * i + k] >> (i & 32));
		int r = rank_of(row);
		count[r == 32 ? 0 : r == 31 ? 1 : 2]++;
	}
	for (int i = 0; i < 3; i++) chi += (count[i] - n * share[i]) * (count[i] - n * share[i]) / (n * share[i]);
	check("ranks", exp(-chi / 2));
}

/* equal spacings among 4,096 birthdays in 2^32 days: Poisson with mean 4096^3/2^34 = 4 a year */
static void birthdays(const uint64_t *w)
{
	static uint32_t day[4096], space[4096];
	int equal = 0, years = WORDS / 4096;
	for (int y = 0; y < years; y++) {
		for (int i = 0; i < 4096; i++) day[i] = (uint32_t)(w[4096 * y + i] >> 16);
		qsort(day, 4096, sizeof *day, compare_words);
		for (int i = 0; i < 4095; i++) space[i] = day[i + 1] - day[i];
		qsort(space, 4095, sizeof *space, compare_words);
		for (int i = 0; i + 1 < 4095; i++) equal += space[i] == space[i + 1];
	}
	check("birthday spacings", 0.5 * erfc((equal - 4.0 * years) / sqrt(8.0 * years)));
}

/* the order of five; gaps between numbers below 1/8; correlation of the weights of neighbours; the largest of eight */
static void patterns(const uint64_t *w)
{
	static uint32_t order[120], gap[48];
	memset(order, 0, sizeof order), memset(gap, 0, sizeof gap);
	int runs = WORDS / 5, last = -1, gaps = 0;
	for (int i = 0; i < runs; i++) {
		int index = 0;
		for (int j = 0; j < 5; j++) {
			int below = 0;
			for (int k = j + 1; k < 5; k++) below += w[5 * i + k] < w[5 * i + j];
			index = index * (5 - j) + below;
		}
		order[index]++;
	}
	check_counts("orders of five", order, 120, runs);
	for (int i = 0; i < WORDS; i++)
		if (w[i] >> 61 == 0) {
			int g = i - last - 1;
			gap[g < 47 ? g : 47]++, gaps++, last = i;
		}
	double chi = 0, left = 1;
	for (int g = 0; g < 48; g++) {
		double p = g < 47 ? left / 8 : left;
		chi += (gap[g] - gaps * p) * (gap[g] - gaps * p) / (gaps * p);
		left -= p;
	}
	check("gaps", chi_tail(chi, 47));
	double sum = 0;
	for (int i = 0; i + 1 < WORDS; i++)
		sum += (__builtin_popcountll(w[i]) - 32) * (__builtin_popcountll(w[i + 1]) - 32) / 16.0;
	check("weights of neighbours", 0.5 * erfc(sum / sqrt(2.0 * (WORDS - 1))));
	uint32_t largest[64] = { 0 };
	for (int i = 0; i + 7 < WORDS; i += 8) {
		double m = 0;
		for (int k = 0; k < 8; k++) m = fmax(m, fraction_f64(w[i + k]));
		largest[(int)(64 * pow(m, 8))]++;
	}
	check_counts("largest of eight", largest, 64, WORDS / 8);
}

static void test_words(void **state)
{
	(void)state;
	uint64_t *w = malloc(WORDS * sizeof *w);
	assert_non_null(w);
	for (int stream = 0; stream < STREAMS; stream++) {
		for (int i = 0; i < WORDS; i++) w[i] = word(stream, (uint64_t)i);
		frequencies(stream, w);
		ranks(w);
		birthdays(w);
		patterns(w);
	}
	free(w);
}

/* ---- distributions ---- */

enum { DRAWS = 1 << 17 };

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov's distance of the draws from the distribution f, and its limiting tail */
static void check_shape(const char *name, double *x, double (*f)(double))
{
	double d = 0, p = 0;
	qsort(x, DRAWS, sizeof *x, compare_doubles);
	for (int i = 0; i < DRAWS; i++) {
		double y = f(x[i]);
		d = fmax(d, fmax(y - (double)i / DRAWS, (i + 1.0) / DRAWS - y));
	}
	double l = d * (sqrt(DRAWS) + 0.12);
	for (int k = 1; k < 100; k++) p += (k % 2 ? 2 : -2) * exp(-2 * k * k * l * l);
	check(name, p);
}

static double flat(double x) { return x; }
static double bell(double x) { return 0.5 * erfc(-x / sqrt(2)); }
static double fading(double x) { return -expm1(-x); }

static void test_distributions(void **state)
{
	(void)state;
	double *x = malloc(DRAWS * sizeof *x);
	assert_non_null(x);
#define SHAPE(draw, f) do { \
		for (int i = 0; i < DRAWS; i++) x[i] = (double)draw(11, 5, (uint64_t)i); \
		check_shape(#draw, x, f); \
	} while (0)
	SHAPE(uniform_f32, flat);
	SHAPE(uniform_f64, flat);
	SHAPE(uniform_open_f32, flat);
	SHAPE(uniform_open_f64, flat);
	SHAPE(normal_f32, bell);
	SHAPE(normal_f64, bell);
	SHAPE(exponential_f32, fading);
	SHAPE(exponential_f64, fading);
	free(x);
}

/* how many of 2^24 lie beyond t against its Poisson mean: the tails down to a few in a million */
static void test_tails(void **state)
{
	(void)state;
	int n = 1 << 24, beyond[6] = { 0 }, far[4] = { 0 };
	for (int i = 0; i < n; i++) {
		float x = normal_f32(2, 9, (uint64_t)i), y = exponential_f32(4, 9, (uint64_t)i);
		for (int k = 0; k < 6; k++) beyond[k] += x > 2 + 0.5f * (float)k;
		for (int k = 0; k < 4; k++) far[k] += y > 4 + 3 * k;
	}
	for (int k = 0; k < 6; k++) {
		double want = n * 0.5 * erfc((2 + 0.5 * k) / sqrt(2));
		check("normal tail", 0.5 * erfc((beyond[k] - want) / sqrt(2 * want)));
	}
	for (int k = 0; k < 4; k++) {
		double want = n * exp(-(4.0 + 3 * k));
		check("exponential tail", 0.5 * erfc((far[k] - want) / sqrt(2 * want)));
	}
}

/* f16 and bf16 hold what is drawn for them: nothing rounds up to 1, every multiple of 2^-11 and 2^-8 is met */
static void test_halves(void **state)
{
	(void)state;
	static uint32_t seen16[2048], seen8[256];
	for (int i = 0; i < 1 << 17; i++) {
		float x = uniform_f16(1, 2, (uint64_t)i), y = uniform_bf16(1, 2, (uint64_t)i);
		assert_true(x < 1 && round_f16(x) == x && y < 1 && round_bf16(y) == y);
		assert_true(y <= x && x <= uniform_f32(1, 2, (uint64_t)i));        /* the same word, cut */
		seen16[(int)(x * 2048)]++, seen8[(int)(y * 256)]++;
	}
	check_counts("uniform_f16", seen16, 2048, 1 << 17);
	check_counts("uniform_bf16", seen8, 256, 1 << 17);
	for (int i = 0; i < 1 << 16; i++)
		assert_true(uniform_open_f32(3, 4, (uint64_t)i) > 0 && uniform_open_f64(3, 4, (uint64_t)i) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_distributions), cmocka_unit_test(test_tails),
		cmocka_unit_test(test_halves),
	};
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
