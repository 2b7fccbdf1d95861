/* run.c - our results beside the references, block after block, on all threads.
 *
 * A result of the quick reference (double for f32, binary128 for f64) comes with the bound of its error.  Where the
 * two ends of that interval round to different numbers, MPFR says which is right; elsewhere the rounding is certain.
 * One input in DIRECT is given to MPFR whatever the quick reference says, and one where they disagree by more than
 * the bound counts as an error of 1e9 ulp: the harness is wrong then, and has to say so.
 */
#include "accuracy.h"
#include "inputs.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

#define BROKEN 1e9

typedef struct Place { int digits, low, high; } Place;      /* of a format: largest number below 2^high */

static const Place place_f32 = { 24, -125, 128 }, place_f64 = { 53, -1021, 1024 };

Quad frexpf128(Quad, int *), ldexpf128(Quad, int);

/* the exponent of an ulp at a number in [1/2, 1)*2^e, or of the floor's ulp if that is larger */
static int ulp_exponent(int e, double floor, const Place *p)
{
	int g;
	e = e < p->low ? p->low : e;
	if (floor > 0 && (frexp(floor, &g), g > e))
		e = g;
	return e - p->digits;
}

/* |got - want| in ulp; an infinity stands for the first number that is too large, 2^high */
static double error_of(double got, Quad want, double floor, const Place *p)
{
	int e;
	Quad top = ldexpf128(1, p->high), edge = top - ldexpf128(1, p->high - p->digits - 1), g = got;
	if (got != got || want != want)
		return got != got && want != want ? 0 : BROKEN;
	if (got == 0 && want == 0)
		return !signbit(got) == !signbit((double)want) ? 0 : BROKEN;
	if (want >= edge || want <= -edge)
		want = want > 0 ? top : -top;
	if (isinf(got))
		g = got > 0 ? top : -top;
	frexpf128(want, &e);
	return fabs((double)ldexpf128(g - want, -ulp_exponent(want == 0 ? p->low : e, floor, p)));
}

typedef struct Tools { mpfr_t x, y, z, d; } Tools;

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
	if (!mpfr_regular_p(t->z))
		return mpfr_get_d(t->z, MPFR_RNDN);
	long e = mpfr_get_exp(t->z);
	if (e > 20000 || e < -20000)                               /* past binary128 on either side */
		return ldexpf128(mpfr_sgn(t->z), e > 0 ? 20000 : -20000);
	mpfr_mul_2si(t->d, t->z, -e, MPFR_RNDN);
	double high = mpfr_get_d(t->d, MPFR_RNDN);
	mpfr_sub_d(t->d, t->d, high, MPFR_RNDN);
	return ldexpf128((Quad)high + mpfr_get_d(t->d, MPFR_RNDN), (int)e);
}

static double floor_at(const Function *f, double x) { return x < 0 ? f->left : f->right; }

/* error and whether correctly rounded, by MPFR, whose result is stored */
static double judge_exactly(Tools *t, const Function *f, double x, double y, double got, bool f64, bool *right, Quad *truth)
{
	exact(t, f, x, y);
	double want = f64 ? mpfr_get_d(t->z, MPFR_RNDN) : mpfr_get_flt(t->z, MPFR_RNDN);
	*right = want != want ? got != got : got == want;
	*truth = quad_of(t);
	return error_of(got, *truth, floor_at(f, x), f64 ? &place_f64 : &place_f32);
}

typedef struct Found { double worst, at[2]; uint64_t wrong, settled, bent; } Found;

static void count(Found *r, double e, bool right, double x, double y)
{
	r->wrong += !right;
	if (e > r->worst)
		r->worst = e, r->at[0] = x, r->at[1] = y;
}

static bool one_in(uint64_t i, uint64_t n) { return i * 0x9e3779b97f4a7c15 < UINT64_MAX / n; }

enum { DIRECT_NEAR = 1 << 16, DIRECT_WIDE = 100 };

/* MPFR is given up on where it would take seconds: gamma far beyond its range, beta of very unlike operands */
static bool sensible(const Function *f, double x, double y)
{
	if (!strcmp(f->name, "lbeta"))
		return x > 1e-3 && x < 1e3 && y > 1e-3 && y < 1e3;
	return fabs(x) < 1e5 || (strcmp(f->name, "gamma") && strcmp(f->name, "lgamma"));
}

static Quad size_of(Quad x) { return x < 0 ? -x : x; }

/* one result that the quick reference leaves in doubt, or that is asked after whatever it says */
static void settle_f32(Found *r, Tools *t, const Function *f, float x, float y, float got, double want)
{
	bool right = want != want ? got != got : got == (float)want;
	double e = error_of(got, want, floor_at(f, x), &place_f32);
	if (sensible(f, x, y)) {
		Quad truth;
		e = judge_exactly(t, f, x, y, got, false, &right, &truth);
		r->settled++;
		double err = fabs(want) * NEAR_RELATIVE + (floor_at(f, x) > 0 ? NEAR_ABSOLUTE : 0);
		if (want - want == 0 && fabs(want) > 0x1p-160 && fabs(want) < 0x1p140 && size_of(truth - want) > err)
			e = 2 * BROKEN;
	}
	count(r, e, right, x, y);
}

static void judge_f64(Found *r, Tools *t, const Function *f, uint64_t i, double x, double y, double got)
{
	bool right, wide = f->wide1 || f->wide2;
	Quad want = !wide ? 0 : f->args == 1 ? f->wide1(x) : f->wide2(x, y), truth;
	Quad err = size_of(want) * WIDE_RELATIVE + (floor_at(f, x) > 0 ? WIDE_ABSOLUTE : 0);
	bool number = want - want == 0, doubt = number && (double)(want - err) != (double)(want + err);
	double d = (double)want, e = 0;
	right = d != d ? got != got : got == d;
	if (wide)
		e = error_of(got, want, floor_at(f, x), &place_f64);
	if (!wide || ((doubt || one_in(i, DIRECT_WIDE)) && sensible(f, x, y))) {
		e = judge_exactly(t, f, x, y, got, true, &right, &truth);
		r->settled++;
		if (wide && number && size_of(want) > 0x1p-15000Q && size_of(truth - want) > err)
			e = 2 * BROKEN;
	}
	count(r, e, right, x, y);
}

/* ---- shape: rising and symmetric, of neighbours among the inputs ---- */

static float float_of(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
static bool zero_sign(double a, double b) { return a != b || (a == 0 && !signbit(a) != !signbit(b)); }

/* n results and the one that follows them */
static void shape_f32(Found *r, const Function *f, const Ours *o, const Judge *judge, const float *x, const float *y, int n)
{
	float t[CHUNK], u[CHUNK];
	if (f->shape & RISES_F32)
		r->bent += judge->falls(x, y, n);
	if (!(f->shape & (ODD | EVEN)))
		return;
	for (int i = 0; i < n; i++) t[i] = -x[i];
	o->f32(t, t, u, n);
	r->bent += judge->unlike(y, u, f->shape & ODD, n);
}

/* each against the next number upwards */
static void shape_f64(Found *r, const Function *f, const Ours *o, const double *x, const double *y, int n)
{
	double t[CHUNK], u[CHUNK];
	if ((f->shape & RISES) == RISES) {
		for (int i = 0; i < n; i++) t[i] = nextafter(x[i], INFINITY);
		o->f64(t, t, u, n);
		for (int i = 0; i < n; i++) r->bent += y[i] > u[i];
	}
	if (!(f->shape & (ODD | EVEN)))
		return;
	for (int i = 0; i < n; i++) t[i] = -x[i];
	o->f64(t, t, u, n);
	for (int i = 0; i < n; i++)
		r->bent += y[i] == y[i] && zero_sign(u[i], f->shape & ODD ? -y[i] : y[i]);
}

/* ---- blocks ---- */

static void inputs_f32(const Row *row, const Function *f, uint64_t from, float *x, float *y, int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t at = from + (uint64_t)i;
		x[i] = f->args == 1 ? float_of((uint32_t)(at * row->step)) : (float)sample(f, at, 0);
		y[i] = f->args == 1 ? 0 : (float)sample(f, at, 1);
	}
}

static void chunk_f32(Found *r, Tools *t, const Row *row, const Function *f, uint64_t from, int n)
{
	float x[CHUNK + 1] = { 0 }, y[CHUNK + 1] = { 0 }, out[CHUNK + 1];
	double a[CHUNK], b[CHUNK], want[CHUNK], error[CHUNK];
	const Ours *o = ours_best() + (f - functions);
	const Judge *judge = judge_best();
	inputs_f32(row, f, from, x, y, n + 1);
	for (int i = 0; i < n; i++) a[i] = x[i], b[i] = y[i];
	o->f32(x, y, out, n + 1);
	near_best()[f - functions](a, b, want, n);
	judge->errors(f, a, want, out, error, n);
	for (int i = 0; i < n; i++)
		if (error[i] < 0 || one_in(from + (uint64_t)i, DIRECT_NEAR))
			settle_f32(r, t, f, x[i], y[i], out[i], want[i]);
		else if (error[i] > 0.5 || error[i] > r->worst)
			count(r, error[i], error[i] <= 0.5, x[i], y[i]);
	shape_f32(r, f, o, judge, x, out, n);
}

static void chunk_f64(Found *r, Tools *t, const Function *f, uint64_t from, int n)
{
	const Ours *o = ours_best() + (f - functions);
	double x[CHUNK] = { 0 }, y[CHUNK] = { 0 }, out[CHUNK];
	for (int i = 0; i < n; i++) {
		x[i] = sample(f, from + (uint64_t)i, 0);
		y[i] = f->args == 1 ? 0 : sample(f, from + (uint64_t)i, 1);
	}
	o->f64(x, y, out, n);
	for (int i = 0; i < n; i++)
		judge_f64(r, t, f, from + (uint64_t)i, x[i], y[i], out[i]);
	shape_f64(r, f, o, x, out, n);
}

typedef struct Work {
	Row *row;
	const Function *f;
	uint64_t next, end;
	pthread_mutex_t lock;
} Work;

static void merge(Row *row, const Found *r)
{
	row->wrong += r->wrong, row->settled += r->settled, row->bent += r->bent;
	if (r->worst > row->worst)
		row->worst = r->worst, row->at[0] = r->at[0], row->at[1] = r->at[1];
}

static void *worker(void *arg)
{
	Work *w = arg;
	Tools t;
	Found r = { 0 };
	mpfr_inits2(PRECISION, t.z, t.d, (mpfr_ptr)0);
	mpfr_inits2(53, t.x, t.y, (mpfr_ptr)0);
	for (;;) {
		pthread_mutex_lock(&w->lock);
		uint64_t from = w->next;
		int n = w->end - from < CHUNK ? (int)(w->end - from) : CHUNK;
		w->next += (uint64_t)n;
		pthread_mutex_unlock(&w->lock);
		if (n == 0)
			break;
		if (w->row->f64)
			chunk_f64(&r, &t, w->f, from, n);
		else
			chunk_f32(&r, &t, w->row, w->f, from, n);
	}
	mpfr_clears(t.x, t.y, t.z, t.d, (mpfr_ptr)0);
	series_end();
	mpfr_free_cache();
	pthread_mutex_lock(&w->lock);
	merge(w->row, &r);
	pthread_mutex_unlock(&w->lock);
	return 0;
}

void row_advance(Row *row, const Function *f, uint64_t count_, int threads)
{
	Work w = { row, f, row->next, row->total, PTHREAD_MUTEX_INITIALIZER };
	if (w.end - w.next > count_)
		w.end = w.next + count_;
	pthread_t id[64];
	int started = 0;
	while (started < threads - 1 && started < 64 && pthread_create(&id[started], 0, worker, &w) == 0)
		started++;
	worker(&w);
	for (int i = 0; i < started; i++)
		pthread_join(id[i], 0);
	row->next = w.end;
}
