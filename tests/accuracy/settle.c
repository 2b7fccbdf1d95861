/* settle.c - the error of one result.
 *
 * A result of a quick reference comes with the bound of its error.  Where the two ends of that interval
 * round to different numbers, MPFR says which is right; elsewhere the rounding is certain.  Quick is for f32
 * our own function of f64, for f64 the oracle's of binary128.
 * One input in DIRECT is given to MPFR whatever the others say, and one where they are off by more than
 * their bounds counts as an error of more than BROKEN ulp: the harness is wrong then, and has to say so. */
#include "accuracy.h"
#include <math.h>
#include <string.h>

typedef struct Place {
	int digits, low, high;
} Place; /* of a format: largest number below 2^high */

static const Place place_f32 = {24, -125, 128}, place_f64 = {53, -1021, 1024};

Quad frexpf128(Quad, int *), ldexpf128(Quad, int);

/* the exponent of an ulp at a number in [1/2, 1)*2^e, or of the floor's ulp if that is larger */
static int ulp_exponent(int e, double floor, const Place *p)
{
	int g;
	e = e < p->low ? p->low : e;
	if (floor > 0 && (frexp(floor, &g), g > e)) e = g;
	return e - p->digits;
}

/* |got - want| in ulp; an infinity stands for the first number that is too large, 2^high */
static double error_of(double got, Quad want, double floor, const Place *p)
{
	int e;
	Quad top = ldexpf128(1, p->high), edge = top - ldexpf128(1, p->high - p->digits - 1), g = got;
	if (got != got || want != want) return got != got && want != want ? 0 : BROKEN;
	if (got == 0 && want == 0) return !signbit(got) == !signbit((double)want) ? 0 : BROKEN;
	if (want >= edge || want <= -edge) want = want > 0 ? top : -top;
	if (isinf(got)) g = got > 0 ? top : -top;
	frexpf128(want, &e);
	return fabs((double)ldexpf128(g - want, -ulp_exponent(want == 0 ? p->low : e, floor, p)));
}

/* the true result into z */
static void exact(Tools *t, const Function *f, double x, double y)
{
	mpfr_set_d(t->x, x, MPFR_RNDN);
	mpfr_set_d(t->y, y, MPFR_RNDN);
	if (f->args == 1)
		f->exact1(t->z, t->x);
	else
		f->exact2(t->z, t->x, t->y);
}

/* the number in z, to 106 bits */
static Quad quad_of(Tools *t)
{
	if (!mpfr_regular_p(t->z)) return mpfr_get_d(t->z, MPFR_RNDN);
	long e = mpfr_get_exp(t->z);
	if (e > 20000 || e < -20000) /* past binary128 on either side */
		return ldexpf128(mpfr_sgn(t->z), e > 0 ? 20000 : -20000);
	mpfr_mul_2si(t->d, t->z, -e, MPFR_RNDN);
	double high = mpfr_get_d(t->d, MPFR_RNDN);
	mpfr_sub_d(t->d, t->d, high, MPFR_RNDN);
	return ldexpf128((Quad)high + mpfr_get_d(t->d, MPFR_RNDN), (int)e);
}

static double floor_at(const Function *f, double x)
{
	return x < 0 ? f->left : f->right;
}

/* error and whether correctly rounded, by MPFR, whose result is stored */
static double judge_exactly(
	Tools *t, const Function *f, double x, double y, double got, bool f64, bool *right, Quad *truth)
{
	exact(t, f, x, y);
	double want = f64 ? mpfr_get_d(t->z, MPFR_RNDN) : mpfr_get_flt(t->z, MPFR_RNDN);
	*right = want != want ? got != got : got == want;
	*truth = quad_of(t);
	return error_of(got, *truth, floor_at(f, x), f64 ? &place_f64 : &place_f32);
}

void count(Found *r, double e, bool right, double x, double y)
{
	r->wrong += !right;
	if (e > r->worst) r->worst = e, r->at[0] = x, r->at[1] = y;
}

/* MPFR is given up on where it would take seconds: gamma far beyond its range, beta of very unlike operands */
static bool sensible(const Function *f, double x, double y)
{
	if (!strcmp(f->name, "lbeta")) return x > 1e-3 && x < 1e3 && y > 1e-3 && y < 1e3;
	return fabs(x) < 1e5 || (strcmp(f->name, "gamma") && strcmp(f->name, "lgamma"));
}

static Quad size_of(Quad x)
{
	return x < 0 ? -x : x;
}

void settle_f32(Found *r, Tools *t, const Function *f, float x, float y, float got, double want)
{
	bool right = want != want ? got != got : got == (float)want;
	double e = error_of(got, want, floor_at(f, x), &place_f32);
	if (sensible(f, x, y)) {
		Quad truth;
		e = judge_exactly(t, f, x, y, got, false, &right, &truth);
		r->settled++;
		double err = fabs(want) * NEAR_RELATIVE + (floor_at(f, x) > 0 ? NEAR_ABSOLUTE : 0);
		if (want - want == 0 && fabs(want) > 0x1p-160 && fabs(want) < 0x1p140 &&
			size_of(truth - want) > err)
			e = 2 * BROKEN;
	}
	count(r, e, right, x, y);
}

/* ---- f64 ---- */

/* whether the truth is as near as the reference says */
static bool holds(Quad want, Quad err, Quad truth)
{
	Quad size = size_of(want);
	return !(want - want == 0 && size > 0x1p-15000Q && size < 0x1p15000Q && size_of(truth - want) > err);
}

void settle_f64(Found *r, Tools *t, const Function *f, double x, double y, double got, bool direct)
{
	Quad want = f->args == 1 ? f->wide1(x) : f->wide2(x, y), truth;
	Quad err = size_of(want) * WIDE_RELATIVE + (floor_at(f, x) > 0 ? WIDE_ABSOLUTE : 0);
	bool doubt = want - want == 0 && (double)(want - err) != (double)(want + err);
	double d = (double)want;
	bool right = d != d ? got != got : got == d;
	double e = error_of(got, want, floor_at(f, x), &place_f64);
	if ((doubt || direct) && sensible(f, x, y)) {
		e = judge_exactly(t, f, x, y, got, true, &right, &truth);
		r->settled++;
		if (!holds(want, err, truth)) e = 2 * BROKEN;
	}
	count(r, e, right, x, y);
}
