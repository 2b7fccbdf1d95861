/* battery.h - small standard tests of random words and numbers: each says a name and a p-value.
 *
 * Shared by the test-suite, which runs them on few words, and tools/check_random.c, which runs them on many.
 */
#ifndef TESTS_MATH_BATTERY_H
#define TESTS_MATH_BATTERY_H

#include <stddef.h>
#include <stdint.h>

/* Where p-values go: near 0 or near 1 (of a two-sided or a chi-square test) means that the words are not random. */
typedef struct Battery {
	void (*report)(void *user, const char *name, double p);
	void *user;
} Battery;

/* ---- words ---- */

enum { STREAMS = 6 };
const char *stream_name(int stream);
uint64_t stream_word(int stream, uint64_t i);               /* one key, neighbouring keys, keys of keys, ... */
void battery_words(const Battery *, const uint64_t *w, size_t n);    /* n a power of two, at least 2^16 */

/* ---- numbers ---- */

double chi_tail(double chi, double freedom);                 /* upper tails of chi-square and of the normal distribution */
double normal_tail(double z);
double gamma_below(double s, double x);                      /* the share of gamma numbers of shape s below x */
void battery_counts(const Battery *, const char *name, const uint32_t *count, int n, double total);
/* Kolmogorov's and Smirnov's test against the distribution f; sorts x */
void battery_shape(const Battery *, const char *name, double *x, size_t n, double (*f)(double, double), double s);
/* the mean and the second and third central moments; moment[k]: the true moment about the mean of degree k */
void battery_moments(const Battery *, const char *name, const double *x, size_t n, double mean, const double moment[7]);

#endif
