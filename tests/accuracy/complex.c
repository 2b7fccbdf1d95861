/* complex.c - check_complex: how far the complex functions of src/math are from the truth, by MPFR.
 *
 *     check_complex [--samples N] [--page FILE]     the table, put at the page's end if one is named
 *
 * The error of a result is measured in ulp of its modulus, and of each part by itself.  Fails if the former is above its
 * bound here.
 */
#include "../../src/math/math.h"
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 400, WIDE = 2600 }; /* WIDE: |x|^2 - 1 of doubles, to BITS */

typedef struct Whole {
	mpfr_t re, im;
} Whole;
typedef struct Temporaries {
	mpfr_t a, b, c, d, wide, square;
} Temporaries;

/* ---- the truth ---- */

static void exact_exp(Whole *out, const Whole *x, Temporaries *t)
{
	mpfr_exp(t->a, x->re, MPFR_RNDN);
	mpfr_sin_cos(t->b, t->c, x->im, MPFR_RNDN);
	mpfr_mul(out->re, t->a, t->c, MPFR_RNDN);
	mpfr_mul(out->im, t->a, t->b, MPFR_RNDN);
}

/* log1p(|x|^2 - 1)/2 */
static void exact_log(Whole *out, const Whole *x, Temporaries *t)
{
	mpfr_atan2(t->a, x->im, x->re, MPFR_RNDN);
	mpfr_sqr(t->wide, x->re, MPFR_RNDN);
	mpfr_sqr(t->square, x->im, MPFR_RNDN);
	mpfr_add(t->wide, t->wide, t->square, MPFR_RNDN);
	mpfr_sub_ui(t->wide, t->wide, 1, MPFR_RNDN);
	mpfr_log1p(out->re, t->wide, MPFR_RNDN);
	mpfr_div_2ui(out->re, out->re, 1, MPFR_RNDN);
	mpfr_set(out->im, t->a, MPFR_RNDN);
}

static void exact_sqrt(Whole *out, const Whole *x, Temporaries *t)
{
	bool left = mpfr_sgn(x->re) < 0;
	mpfr_hypot(t->a, x->re, x->im, MPFR_RNDN);
	mpfr_abs(t->b, x->re, MPFR_RNDN);
	mpfr_add(t->a, t->a, t->b, MPFR_RNDN);
	mpfr_div_2ui(t->a, t->a, 1, MPFR_RNDN);
	mpfr_sqrt(t->a, t->a, MPFR_RNDN);
	mpfr_div(t->b, x->im, t->a, MPFR_RNDN);
	mpfr_div_2ui(t->b, t->b, 1, MPFR_RNDN);
	if (left) {
		mpfr_abs(out->re, t->b, MPFR_RNDN);
		mpfr_setsign(out->im, t->a, mpfr_signbit(x->im), MPFR_RNDN);
	} else {
		mpfr_set(out->re, t->a, MPFR_RNDN);
		mpfr_set(out->im, t->b, MPFR_RNDN);
	}
}

/* a, b: sine and cosine of the one; c, d: hyperbolic ones of the other. */
static void sines(Temporaries *t, mpfr_srcptr angle, mpfr_srcptr other)
{
	mpfr_sin_cos(t->a, t->b, angle, MPFR_RNDN);
	mpfr_sinh_cosh(t->c, t->d, other, MPFR_RNDN);
}

static void exact_sin(Whole *out, const Whole *x, Temporaries *t)
{
	sines(t, x->re, x->im);
	mpfr_mul(out->re, t->a, t->d, MPFR_RNDN);
	mpfr_mul(out->im, t->b, t->c, MPFR_RNDN);
}

static void exact_cos(Whole *out, const Whole *x, Temporaries *t)
{
	sines(t, x->re, x->im);
	mpfr_mul(out->re, t->b, t->d, MPFR_RNDN);
	mpfr_mul(out->im, t->a, t->c, MPFR_RNDN);
	mpfr_neg(out->im, out->im, MPFR_RNDN);
}

/* (sinh re*cosh re + i*sin im*cos im)/(sinh^2 re + cos^2 im) */
static void exact_tanh(Whole *out, const Whole *x, Temporaries *t)
{
	sines(t, x->im, x->re);
	mpfr_mul(out->re, t->c, t->d, MPFR_RNDN);
	mpfr_mul(out->im, t->a, t->b, MPFR_RNDN);
	mpfr_sqr(t->c, t->c, MPFR_RNDN);
	mpfr_sqr(t->b, t->b, MPFR_RNDN);
	mpfr_add(t->c, t->c, t->b, MPFR_RNDN);
	mpfr_div(out->re, out->re, t->c, MPFR_RNDN);
	mpfr_div(out->im, out->im, t->c, MPFR_RNDN);
}

/* ---- the functions ---- */

typedef struct Function {
	const char *name;
	double size_re, size_im; /* of the parts of most samples */
	double bound;
	C64 (*c64)(C64);
	C128 (*c128)(C128);
	void (*exact)(Whole *, const Whole *, Temporaries *);
} Function;

static const Function functions[] = {
	{"exp", 50, 20, 2.5, exp_c64, exp_c128, exact_exp},
	{"log", 9, 9, 2, log_c64, log_c128, exact_log},
	{"sqrt", 9, 9, 2, sqrt_c64, sqrt_c128, exact_sqrt},
	{"sin", 20, 50, 2.5, sin_c64, sin_c128, exact_sin},
	{"cos", 20, 50, 2.5, cos_c64, cos_c128, exact_cos},
	{"tanh", 9, 9, 5, tanh_c64, tanh_c128, exact_tanh},
};

/* x^(1.5 - 0.5i), say: the exponent is one of these */
static const C128 power[] = {{2, 0}, {-1, 0}, {0.5, 0}, {1.5, -0.5}, {0, 1}, {-2.25, 3}, {5, 5}};

static void exact_pow(Whole *out, const Whole *x, C128 y, Temporaries *t)
{
	Whole l;
	mpfr_inits2(BITS, l.re, l.im, (mpfr_ptr)0);
	exact_log(&l, x, t);
	mpfr_mul_d(t->a, l.re, y.re, MPFR_RNDN);
	mpfr_mul_d(t->b, l.im, y.im, MPFR_RNDN);
	mpfr_mul_d(t->c, l.im, y.re, MPFR_RNDN);
	mpfr_mul_d(t->d, l.re, y.im, MPFR_RNDN);
	mpfr_sub(l.re, t->a, t->b, MPFR_RNDN);
	mpfr_add(l.im, t->c, t->d, MPFR_RNDN);
	exact_exp(out, &l, t);
	mpfr_clears(l.re, l.im, (mpfr_ptr)0);
}

/* ---- samples ---- */

static uint64_t seed = 3;

static uint64_t random_bits(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1d;
}

static double unit(void)
{
	return (double)(random_bits() >> 11) * 0x1p-53;
}

/* in +-size, or of any smaller magnitude */
static double part(double size)
{
	double x = size * (2 * unit() - 1);
	return random_bits() % 3 ? x : x * ldexp(1, -(int)(random_bits() % 60));
}

/* every fourth lies beside the unit circle */
static C128 sample(const Function *f, uint64_t i)
{
	if (i % 4) return (C128){part(f->size_re), part(f->size_im)};
	double angle = 6.283185307179586 * unit(),
	       r = 1 + (unit() - 0.5) * ldexp(1, -(int)(random_bits() % 40));
	return (C128){r * cos(angle), r * sin(angle)};
}

/* ---- errors ---- */

typedef struct Worst {
	double norm, part;
	C128 norm_at, part_at;
} Worst;

static double distance(mpfr_t d, mpfr_t want, double got)
{
	mpfr_sub_d(d, want, got, MPFR_RNDN);
	return mpfr_get_d(d, MPFR_RNDN);
}

/* an ulp of a number of `digits` with this exponent, that of the least normal number at least */
static double ulp(long e, bool wide)
{
	return ldexp(1, (int)(wide ? (e < -1021 ? -1021 : e) - 53 : (e < -125 ? -125 : e) - 24));
}

static void judge(Worst *w, Temporaries *t, const Whole *want, C128 got, C128 x, double spread, bool wide)
{
	double re = distance(t->a, (mpfr_ptr)want->re, got.re),
	       im = distance(t->b, (mpfr_ptr)want->im, got.im);
	mpfr_hypot(t->c, want->re, want->im, MPFR_RNDN);
	if (mpfr_zero_p(t->c) || mpfr_get_exp(t->c) > (wide ? 1023 : 127)) return;
	double norm = hypot(re, im) / (ulp(mpfr_get_exp(t->c), wide) * spread), a = 0, b = 0;
	if (!mpfr_zero_p(want->re)) a = fabs(re) / ulp(mpfr_get_exp(want->re), wide);
	if (!mpfr_zero_p(want->im)) b = fabs(im) / ulp(mpfr_get_exp(want->im), wide);
	norm = got.re != got.re || got.im != got.im ? INFINITY : norm;
	if (norm > w->norm) w->norm = norm, w->norm_at = x;
	if (fmax(a, b) > w->part) w->part = fmax(a, b), w->part_at = x;
}

static C128 rounded(C128 x)
{
	return cast_c64_c128(cast_c128_c64(x));
}

static Worst check(const Function *f, bool wide, uint64_t samples)
{
	Worst w = {0};
	Whole x, want;
	Temporaries t;
	mpfr_inits2(BITS, want.re, want.im, t.a, t.b, t.c, t.d, (mpfr_ptr)0);
	mpfr_inits2(53, x.re, x.im, (mpfr_ptr)0);
	mpfr_inits2(WIDE, t.wide, t.square, (mpfr_ptr)0);
	const Function powers = {"pow", 9, 9, 0, 0, 0, 0};
	for (uint64_t i = 0; i < samples; i++) {
		C128 z = sample(f ? f : &powers, i), y = power[i % (sizeof power / sizeof *power)], got;
		double spread = 1;
		if (!wide) z = rounded(z);
		mpfr_set_d(x.re, z.re, MPFR_RNDN);
		mpfr_set_d(x.im, z.im, MPFR_RNDN);
		if (f) {
			f->exact(&want, &x, &t);
			got = wide ? f->c128(z) : cast_c64_c128(f->c64(cast_c128_c64(z)));
		} else {
			exact_pow(&want, &x, y, &t);
			spread = wide
				? 1 + hypot(y.re, y.im) * hypot(log(hypot(z.re, z.im)), atan2(z.im, z.re))
				: 1;
			got = wide ? pow_c128(z, y)
				   : cast_c64_c128(pow_c64(cast_c128_c64(z), cast_c128_c64(y)));
		}
		judge(&w, &t, &want, got, z, spread, wide);
	}
	mpfr_clears(want.re, want.im, t.a, t.b, t.c, t.d, x.re, x.im, t.wide, t.square, (mpfr_ptr)0);
	return w;
}

static const char title[] = "\n## Complex functions\n";
static const char head[] =
	"\n"
	"Against MPFR with 400 bits: the largest error in ulp of the modulus of the true result, and of each\n"
	"part by itself, which is not promised: it is large where a part is near 0 and the other is not.\n"
	"Arguments lie within the sizes below, with all smaller magnitudes and the unit circle's\n"
	"neighbourhood. The errors of pow, of exponents to 7 in modulus, are of 1 + |y log x| ulp in c128. c64 is\n"
	"computed in c128.\n\n"
	"| function | type | samples | parts to | largest error | at | promised | of a part | at |\n"
	"|---|---|---|---|---|---|---|---|---|\n";

static bool line(FILE *page, const Function *f, bool wide, uint64_t samples)
{
	static const double pow_bound[2] = {1, 3};
	Worst w = check(f, wide, samples);
	double bound = f ? (wide ? f->bound : 1) : pow_bound[wide];
	char sizes[32];
	snprintf(sizes, sizeof sizes, "%g, %g", f ? f->size_re : 9, f ? f->size_im : 9);
	const char *name = f ? f->name : "pow", *type = wide ? "c128" : "c64";
	printf("%-5s %-4s %8.3f ulp at %.17g%+.17gi, a part %.3g%s\n", name, type, w.norm, w.norm_at.re,
		w.norm_at.im, w.part, w.norm <= bound ? "" : "   BROKEN");
	if (page)
		fprintf(page, "| %s | %s | %.3g | %s | %.3f | %.*g%+.*gi | %g | %.3g | %.*g%+.*gi |\n", name,
			type, (double)samples, sizes, w.norm, wide ? 17 : 9, w.norm_at.re, wide ? 17 : 9,
			w.norm_at.im, bound, w.part, wide ? 17 : 9, w.part_at.re, wide ? 17 : 9,
			w.part_at.im);
	return w.norm <= bound;
}

/* the page, open behind what it says before this table; NULL if it cannot be */
static FILE *page_open(const char *path)
{
	FILE *page = fopen(path, "r+");
	char text[1 << 16];
	if (!page) page = fopen(path, "w+");
	size_t n = page ? fread(text, 1, sizeof text - 1, page) : 0;
	text[n] = 0;
	char *found = strstr(text, title);
	long end = found ? found - text : (long)n;
	if (!page || fseek(page, end, SEEK_SET) || ftruncate(fileno(page), end)) return NULL;
	fputs(title, page);
	fputs(head, page);
	return page;
}

int main(int argc, char **argv)
{
	uint64_t samples = 100000;
	const char *path = 0;
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 < argc && !strcmp(argv[i], "--samples"))
			samples = strtoull(argv[i + 1], 0, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "--page"))
			path = argv[i + 1];
		else {
			fprintf(stderr, "usage: check_complex [--samples N] [--page FILE]\n");
			return 2;
		}
	}
	FILE *page = path ? page_open(path) : 0;
	if (path && !page) {
		fprintf(stderr, "check_complex: %s: cannot be written\n", path);
		return 2;
	}
	bool good = true;
	for (int wide = 0; wide < 2; wide++) {
		for (const Function *f = functions; f < functions + sizeof functions / sizeof *functions; f++)
			good &= line(page, f, wide, samples);
		good &= line(page, 0, wide, samples);
	}
	if (page && fclose(page)) return 2;
	mpfr_free_cache();
	return !good;
}
