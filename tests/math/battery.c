/* battery.c - see battery.h. */
#include "battery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/math/math.h"

/* ---- streams ---- */

static const char *const names[STREAMS] = {"one key", "keys in turn", "keys of keys", "16 neighbouring keys",
	"16 neighbours by b", "one bit of the key"};

const char *stream_name(int stream)
{
	return names[stream];
}

uint64_t stream_word(int stream, uint64_t i)
{
	switch (stream) {
	case 0: return words01(7, 3, i);
	case 1: return words23(i, 0, 5);
	case 2: return words01(key_at_a(1, 0, i), key_at_b(1, 0, i), 0);
	case 3: return words01(1000 + (i & 15), 0, i >> 4);
	case 4: return words01(1, i & 15, i >> 4);
	default: return words01((uint64_t)1 << (i & 63), 0, i >> 6);
	}
}

/* ---- tails ---- */

double normal_tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

/* by Wilson and Hilferty's cube root (1931), good to a few percent in what is asked here */
double chi_tail(double chi, double freedom)
{
	return normal_tail((cbrt(chi / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom)));
}

/* the power series below s + 1, Lentz's continued fraction above */
double gamma_below(double s, double x)
{
	if (x <= 0) return 0;
	double front = exp(s * log(x) - x - lgamma(s));
	if (x < s + 1) {
		double term = 1 / s, sum = term;
		for (int i = 1; i < 10000 && term > 1e-17 * sum; i++) sum += term *= x / (s + i);
		return front * sum;
	}
	double b = x + 1 - s, c = 1e300, d = 1 / b, h = d, step = 0;
	for (int i = 1; i < 10000 && fabs(step - 1) > 1e-15; i++) {
		double a = i * (s - i);
		b += 2, d = 1 / (a * d + b), c = b + a / c, step = c * d, h *= step;
	}
	return 1 - front * h;
}

/* ---- counts ---- */

static void chi_square(
	const Battery *b, const char *name, const uint32_t *count, const double *share, int n, double total)
{
	double chi = 0;
	for (int i = 0; i < n; i++) {
		double want = total * share[i];
		chi += (count[i] - want) * (count[i] - want) / want;
	}
	b->report(b->user, name, chi_tail(chi, n - 1));
}

void battery_counts(const Battery *b, const char *name, const uint32_t *count, int n, double total)
{
	double chi = 0, want = total / n;
	for (int i = 0; i < n; i++) chi += (count[i] - want) * (count[i] - want) / want;
	b->report(b->user, name, chi_tail(chi, n - 1));
}

/* the p-value of the worst of n standard normal numbers */
static double worst_of(double z, int n)
{
	return -expm1(n * log1p(-2 * normal_tail(z)));
}

/* ---- bits ---- */

/* each bit as often 1 as 0, and as often a change as none; bytes, and pairs of bytes of neighbours, equally often */
static void frequencies(const Battery *b, const uint64_t *w, size_t n)
{
	static uint32_t byte[256], pair[65536];
	double worst = 0, runs = 0;
	memset(byte, 0, sizeof byte), memset(pair, 0, sizeof pair);
	for (int bit = 0; bit < 64; bit++) {
		size_t ones = 0, changes = 0;
		for (size_t i = 0; i < n; i++) ones += w[i] >> bit & 1;
		for (size_t i = 1; i < n; i++) changes += (w[i] ^ w[i - 1]) >> bit & 1;
		worst = fmax(worst, fabs(((double)ones - (double)n / 2) / sqrt((double)n / 4)));
		runs = fmax(runs, fabs(((double)changes - (double)(n - 1) / 2) / sqrt((double)(n - 1) / 4)));
	}
	b->report(b->user, "bits", worst_of(worst, 64));
	b->report(b->user, "runs", worst_of(runs, 64));
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 64; k += 8) byte[w[i] >> k & 255]++;
	battery_counts(b, "bytes", byte, 256, 8.0 * (double)n);
	for (size_t i = 0; i + 1 < n; i += 2)
		for (int k = 0; k < 64; k += 8) pair[(w[i] >> k & 255) << 8 | (w[i + 1] >> k & 255)]++;
	battery_counts(b, "pairs of bytes", pair, 65536, 4.0 * (double)n);
}

/* bits that words at a distance have in common; correlation of the weights of neighbours */
static void correlations(const Battery *b, const uint64_t *w, size_t n)
{
	static const int lag[] = {1, 2, 3, 4, 8, 16, 64, 256, 1024};
	double worst = 0, sum = 0;
	int lags = (int)(sizeof lag / sizeof *lag);
	for (int k = 0; k < lags; k++) {
		size_t same = 0, m = n - (size_t)lag[k];
		for (size_t i = 0; i < m; i++)
			same += (size_t)__builtin_popcountll(w[i] ^ w[i + (size_t)lag[k]]);
		worst = fmax(worst, fabs((double)same - 32.0 * (double)m) / sqrt(16.0 * (double)m));
	}
	b->report(b->user, "bits at a distance", worst_of(worst, lags));
	for (size_t i = 0; i + 1 < n; i++)
		sum += (__builtin_popcountll(w[i]) - 32) * (__builtin_popcountll(w[i + 1]) - 32) / 16.0;
	b->report(b->user, "weights of neighbours", normal_tail(sum / sqrt((double)(n - 1))));
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

/* how many of 32 rows over GF(2) are independent: 32, 31 or less (G. Marsaglia and L.-H. Tsay, 1985) */
static void ranks(const Battery *b, const uint64_t *w, size_t n)
{
	static const double share[3] = {0.2887880952, 0.5775761902, 0.1336357146};
	uint32_t count[3] = {0};
	for (size_t i = 0; i < n / 32; i++) {
		uint32_t row[32];
		for (size_t k = 0; k < 32; k++) row[k] = (uint32_t)(w[32 * i + k] >> (i & 32));
		int r = rank_of(row);
		count[r == 32 ? 0 : r == 31 ? 1 : 2]++;
	}
	chi_square(b, "ranks", count, share, 3, (double)(n / 32));
}

enum { LENGTH = 500 };

/* the length of the shortest feedback register that makes the bits (E. Berlekamp and J. Massey, 1969) */
static int complexity(const uint8_t *s)
{
	uint8_t c[LENGTH + 1] = {1}, before[LENGTH + 1] = {1}, keep[LENGTH + 1];
	int l = 0, m = -1;
	for (int i = 0; i < LENGTH; i++) {
		int d = s[i];
		for (int j = 1; j <= l; j++) d ^= c[j] & s[i - j];
		if (!d) continue;
		memcpy(keep, c, sizeof c);
		for (int j = 0; j + i - m <= LENGTH; j++) c[j + i - m] ^= before[j];
		if (2 * l <= i) l = i + 1 - l, m = i, memcpy(before, keep, sizeof before);
	}
	return l;
}

/* linear complexity of 500 successive values of a bit: the classes of NIST SP 800-22, 2.10 */
static void complexities(const Battery *b, const uint64_t *w, size_t n)
{
	static const double share[7] = {1.0 / 96, 1.0 / 32, 1.0 / 8, 1.0 / 2, 1.0 / 4, 1.0 / 16, 1.0 / 48};
	uint32_t count[7] = {0};
	double mean = LENGTH / 2.0 + 4.0 / 18 - (LENGTH / 3.0 + 2.0 / 9) * ldexp(1, -LENGTH);
	int blocks = 0;
	for (size_t at = 0; at + LENGTH <= n && blocks < 4000; at += LENGTH, blocks++) {
		uint8_t s[LENGTH];
		for (int i = 0; i < LENGTH; i++) s[i] = w[at + (size_t)i] >> (blocks & 63) & 1;
		double t = complexity(s) - mean + 2.0 / 9;
		int k = (int)floor(t + 3.5);
		count[k < 0 ? 0 : k > 6 ? 6 : k]++;
	}
	chi_square(b, "linear complexity", count, share, 7, blocks);
}

/* ---- places ---- */

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* equal spacings among 4,096 birthdays in 2^32 days: Poisson with mean 4096^3/2^34 = 4 a year */
static void birthdays(const Battery *b, const uint64_t *w, size_t n)
{
	static uint32_t day[4096], space[4096];
	size_t equal = 0, years = n / 4096;
	for (size_t y = 0; y < years; y++) {
		for (size_t i = 0; i < 4096; i++) day[i] = (uint32_t)(w[4096 * y + i] >> (y & 32));
		qsort(day, 4096, sizeof *day, compare_words);
		for (int i = 0; i < 4095; i++) space[i] = day[i + 1] - day[i];
		qsort(space, 4095, sizeof *space, compare_words);
		for (int i = 0; i + 1 < 4095; i++) equal += space[i] == space[i + 1];
	}
	double want = 4.0 * (double)years;
	b->report(b->user, "birthday spacings", normal_tail(((double)equal - want) / sqrt(want)));
}

/* balls that fall into an urn that has one: 2^14 balls, 2^20 urns; nearly Poisson */
static void collisions(const Battery *b, const uint64_t *w, size_t n)
{
	static uint8_t urn[1 << 20];
	size_t found = 0, rounds = n >> 14;
	for (size_t r = 0; r < rounds; r++) {
		memset(urn, 0, sizeof urn);
		for (size_t i = 0; i < 1 << 14; i++) {
			uint8_t *u = &urn[w[(r << 14) + i] >> (r * 11 % 45) & 0xfffff];
			found += *u, *u = 1;
		}
	}
	double balls = 0x1p14, urns = 0x1p20, each = balls - urns * -expm1(balls * log1p(-1 / urns));
	double want = each * (double)rounds;
	b->report(b->user, "collisions", normal_tail(((double)found - want) / sqrt(want)));
}

/* the order of five; gaps between numbers below 1/8; the largest of eight */
static void patterns(const Battery *b, const uint64_t *w, size_t n)
{
	static uint32_t order[120], gap[48], largest[64];
	memset(order, 0, sizeof order), memset(gap, 0, sizeof gap), memset(largest, 0, sizeof largest);
	for (size_t i = 0; i + 5 <= n; i += 5) {
		int index = 0;
		for (size_t j = 0; j < 5; j++) {
			int below = 0;
			for (size_t k = j + 1; k < 5; k++) below += w[i + k] < w[i + j];
			index = index * (5 - (int)j) + below;
		}
		order[index]++;
	}
	battery_counts(b, "orders of five", order, 120, (double)(n / 5));
	double share[48], left = 1, gaps = 0;
	size_t run = 0;
	for (size_t i = 0; i < n; i++) {
		if (w[i] >> 61) {
			run++;
			continue;
		}
		gap[run < 47 ? run : 47]++, gaps++, run = 0;
	}
	for (int g = 0; g < 48; g++) share[g] = g < 47 ? left / 8 : left, left -= share[g];
	chi_square(b, "gaps", gap, share, 48, gaps);
	for (size_t i = 0; i + 8 <= n; i += 8) {
		double m = 0;
		for (size_t k = 0; k < 8; k++) m = fmax(m, fraction_f64(w[i + k]));
		largest[(int)(64 * pow(m, 8))]++;
	}
	battery_counts(b, "largest of eight", largest, 64, (double)(n / 8));
}

void battery_words(const Battery *b, const uint64_t *w, size_t n)
{
	frequencies(b, w, n);
	correlations(b, w, n);
	ranks(b, w, n);
	complexities(b, w, n);
	birthdays(b, w, n);
	collisions(b, w, n);
	patterns(b, w, n);
}

/* ---- numbers ---- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

void battery_shape(
	const Battery *b, const char *name, double *x, size_t n, double (*f)(double, double), double s)
{
	double d = 0, p = 0;
	qsort(x, n, sizeof *x, compare_doubles);
	for (size_t i = 0; i < n; i++) {
		double y = f(x[i], s);
		d = fmax(d, fmax(y - (double)i / (double)n, (double)(i + 1) / (double)n - y));
	}
	double l = d * (sqrt((double)n) + 0.12 + 0.11 / sqrt((double)n));
	for (int k = 1; k < 100; k++) p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * l * l);
	b->report(b->user, name, l < 0.2 ? 1 : p);
}

void battery_moments(
	const Battery *b, const char *name, const double *x, size_t n, double mean, const double moment[7])
{
	double sum[4] = {0};
	char text[80];
	for (size_t i = 0; i < n; i++) {
		double power = 1;
		for (int k = 1; k < 4; k++) sum[k] += power *= x[i] - mean;
	}
	for (int k = 1; k < 4; k++) {
		double spread = sqrt((moment[2 * k] - moment[k] * moment[k]) / (double)n);
		snprintf(text, sizeof text, "%s, moment %d", name, k);
		b->report(b->user, text, normal_tail((sum[k] / (double)n - moment[k]) / spread));
	}
}
