/* check_random.c - the tests of tests/math/battery.c on many words and numbers, and tails counted in samples; `help` says
 * how it is called. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/math/math.h"
#include "../tests/math/battery.h"

enum { ROUND = 1 << 20, SEED = 2026 };

static const char help[] =
	"check_random [--words N] [--draws N] [--quiet]   prints a line for each p-value; fails on one beyond 1e-9\n"
	"check_random --raw STREAM                        words of the stream without end, for other batteries\n"
	"check_random --streams                           how many streams there are\n"
	"Words: N (16777216) of each stream, in rounds of 2^20.  Draws: N (100000000) of each distribution for its\n"
	"tails, which are counted where N*p is at least 20; moments and Kolmogorov's test see 2^20 of them.\n";

/* ---- what was found ---- */

typedef struct Tally {
	const char *group;
	int tests, failed, quiet;
	double least; /* distance of the worst p-value from the nearer end */
} Tally;

static void report(void *user, const char *name, double p)
{
	Tally *t = user;
	double end = p < 0.5 ? p : 1 - p;
	int bad = !(end > 1e-9);
	t->tests++, t->failed += bad;
	t->least = fmin(t->least, end);
	if (bad || !t->quiet) printf("%-28s %-28s %.6f%s\n", t->group, name, p, bad ? "  FAILED" : "");
	fflush(stdout);
}

/* ---- words ---- */

static void check_words(Tally *t, uint64_t words)
{
	Battery b = {report, t};
	uint64_t *w = malloc(ROUND * sizeof *w);
	if (!w) exit(2);
	for (int stream = 0; stream < STREAMS; stream++)
		for (uint64_t at = 0; at < words; at += ROUND) {
			t->group = stream_name(stream);
			for (uint64_t i = 0; i < ROUND; i++) w[i] = stream_word(stream, at + i);
			battery_words(&b, w, ROUND);
		}
	free(w);
}

static int write_raw(int stream)
{
	static uint64_t w[1 << 16];
	for (uint64_t at = 0;; at += 1 << 16) {
		for (uint64_t i = 0; i < 1 << 16; i++) w[i] = stream_word(stream, at + i);
		if (fwrite(w, sizeof w, 1, stdout) != 1) return 0;
	}
}

/* ---- draws ---- */

/* distributions: the share below x; s is the shape of a gamma distribution */
static double flat(double x, double s)
{
	return (void)s, x;
}
static double bell(double x, double s)
{
	return (void)s, normal_tail(-x);
}
static double fading(double x, double s)
{
	return (void)s, -expm1(-x);
}

static double gamma_share(double x, double s)
{
	return gamma_below(s, x);
}

typedef struct Draw {
	const char *name;
	double (*draw)(uint64_t i);
	double (*below)(double x, double s);
	double shape, mean, moment[7];
	double tail[12]; /* tails at these places, upper where the mean is below; 0 ends */
} Draw;

/* clang-format off */
#define DRAW(name) \
	static double one_##name(uint64_t i) { return (double)name(SEED, 1, i); }
#define GAMMA(name, T, s) \
	static double one_##name(uint64_t i) \
	{ \
		return (double)gamma_draw_##T(key_at_a(SEED, 1, i), key_at_b(SEED, 1, i), s); \
	}
DRAW(uniform_f32) DRAW(uniform_f64) DRAW(normal_f32) DRAW(normal_f64) DRAW(exponential_f32) DRAW(exponential_f64)
GAMMA(gamma_small, f64, 0.25) GAMMA(gamma_small_f32, f32, 0.25f) GAMMA(gamma_one, f64, 1)
GAMMA(gamma_middle, f64, 2.5) GAMMA(gamma_large, f64, 400)

#define EVEN         { 1, 0, 1.0 / 12, 0, 1.0 / 80, 0, 1.0 / 448 }
#define NORMAL       { 1, 0, 1, 0, 3, 0, 15 }
#define EXPONENTIAL  { 1, 0, 1, 2, 9, 44, 265 }
#define OF_GAMMA(s)  { 1, 0, s, 2 * (s), 3 * (s) * (s) + 6 * (s), 0, ((15 * (s) + 130) * (s) + 120) * (s) }
#define NORMAL_TAILS { 2, -2, 3, -3, 4, -4, 4.8, -4.8, 5.2, -5.2, 5.6 }
#define FADING_TAILS { 4, 8, 12, 16, 18, 1e-2, 1e-4, 1e-6, 1e-7 }

static const Draw draws[] = {
	{ "uniform f32", one_uniform_f32, flat, 0, 0.5, EVEN, { 1e-3, 1e-5, 0.999, 0.99999 } },
	{ "uniform f64", one_uniform_f64, flat, 0, 0.5, EVEN, { 1e-3, 1e-5, 1e-7, 0.999, 0.9999999 } },
	{ "normal f32", one_normal_f32, bell, 0, 0, NORMAL, NORMAL_TAILS },
	{ "normal f64", one_normal_f64, bell, 0, 0, NORMAL, NORMAL_TAILS },
	{ "exponential f32", one_exponential_f32, fading, 0, 1, EXPONENTIAL, FADING_TAILS },
	{ "exponential f64", one_exponential_f64, fading, 0, 1, EXPONENTIAL, FADING_TAILS },
	{ "gamma f64 of 0.25", one_gamma_small, gamma_share, 0.25, 0.25, OF_GAMMA(0.25), { 1e-20, 1e-28, 4, 8, 12 } },
	{ "gamma f32 of 0.25", one_gamma_small_f32, gamma_share, 0.25, 0.25, OF_GAMMA(0.25), { 1e-20, 1e-28, 4, 8, 12 } },
	{ "gamma f64 of 1", one_gamma_one, gamma_share, 1, 1, OF_GAMMA(1.0), FADING_TAILS },
	{ "gamma f64 of 2.5", one_gamma_middle, gamma_share, 2.5, 2.5, OF_GAMMA(2.5), { 0.1, 0.01, 1e-3, 8, 12, 16, 20 } },
	{ "gamma f64 of 400", one_gamma_large, gamma_share, 400, 400, OF_GAMMA(400.0), { 340, 320, 310, 460, 490, 505 } },
};
/* clang-format on */

/* the probability of the tail at x; the upper ones by formulas that keep small numbers */
static double tail_of(const Draw *d, double x)
{
	if (x < d->mean) return d->below(x, d->shape);
	return d->below == bell ? normal_tail(x) : d->below == fading ? exp(-x) : 1 - d->below(x, d->shape);
}

static void check_draw(Tally *t, const Draw *d, uint64_t n)
{
	Battery b = {report, t};
	double *x = malloc(ROUND * sizeof *x);
	uint64_t count[12] = {0};
	int tails = 0;
	if (!x) exit(2);
	t->group = d->name;
	while (tails < 12 && d->tail[tails] != 0) tails++;
	for (uint64_t at = 0; at < n; at += ROUND) {
		for (uint64_t i = 0; i < ROUND; i++) x[i] = d->draw(at + i);
		for (int k = 0; k < tails; k++)
			for (int i = 0; i < ROUND; i++)
				count[k] += d->tail[k] < d->mean ? x[i] < d->tail[k] : x[i] > d->tail[k];
		if (at) continue;
		battery_moments(&b, "draws", x, ROUND, d->mean, d->moment);
		battery_shape(&b, "shape", x, ROUND, d->below, d->shape);
	}
	double total = (double)((n + ROUND - 1) / ROUND * ROUND);
	for (int k = 0; k < tails; k++) {
		double p = tail_of(d, d->tail[k]), want = p * total;
		char name[40];
		if (want < 20) continue;
		snprintf(name, sizeof name, "tail of %.3g at %.4g", p, d->tail[k]);
		report(t, name, normal_tail(((double)count[k] - want) / sqrt(want * (1 - p))));
	}
	free(x);
}

int main(int argc, char **argv)
{
	uint64_t words = 1 << 24, n = 100000000;
	Tally t = {.least = 1};
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return fputs(help, stdout) < 0;
		if (!strcmp(argv[i], "--raw") && *value) return write_raw(atoi(value) % STREAMS);
		if (!strcmp(argv[i], "--streams")) return printf("%d\n", STREAMS) < 0;
		if (!strcmp(argv[i], "--words"))
			words = strtoull(value, NULL, 10), i++;
		else if (!strcmp(argv[i], "--draws"))
			n = strtoull(value, NULL, 10), i++;
		else if (!strcmp(argv[i], "--quiet"))
			t.quiet = 1;
		else
			return fprintf(stderr, "check_random: there is no option %s; --help lists them\n",
				       argv[i]),
			       2;
	}
	check_words(&t, words);
	for (size_t k = 0; k < sizeof draws / sizeof *draws; k++) check_draw(&t, &draws[k], n);
	printf("%d p-values, %d failed, the one nearest 0 or 1: %.2g\n", t.tests, t.failed, t.least);
	return t.failed != 0;
}
