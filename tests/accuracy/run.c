/* run.c - our results beside the references, block after block, on all threads; settle.c says what counts. */
#include "accuracy.h"
#include "inputs.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

enum {
	DIRECT_F32 = 1 << 16,
	DIRECT_F64 = 100
}; /* one input in so many is given to MPFR whatever the others say */

static bool one_in(uint64_t i, uint64_t n)
{
	return i * 0x9e3779b97f4a7c15 < UINT64_MAX / n;
}

/* ---- shape: rising and symmetric, of neighbours among the inputs ---- */

static float float_of(uint32_t u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}
static bool zero_sign(double a, double b)
{
	return a != b || (a == 0 && !signbit(a) != !signbit(b));
}

/* n results and the one that follows them */
static void shape_f32(
	Found *r, const Function *f, const Ours *o, const Judge *judge, const float *x, const float *y, int n)
{
	float t[CHUNK], u[CHUNK];
	if (f->shape & RISES_F32) r->bent += judge->falls(x, y, n);
	if (!(f->shape & (ODD | EVEN))) return;
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
	if (!(f->shape & (ODD | EVEN))) return;
	for (int i = 0; i < n; i++) t[i] = -x[i];
	o->f64(t, t, u, n);
	for (int i = 0; i < n; i++) r->bent += y[i] == y[i] && zero_sign(u[i], f->shape & ODD ? -y[i] : y[i]);
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
	float x[CHUNK + 1] = {0}, y[CHUNK + 1] = {0}, out[CHUNK + 1];
	double a[CHUNK], b[CHUNK], want[CHUNK], error[CHUNK];
	const Ours *o = ours_best() + (f - functions);
	const Judge *judge = judge_best();
	inputs_f32(row, f, from, x, y, n + 1);
	for (int i = 0; i < n; i++) a[i] = x[i], b[i] = y[i];
	o->f32(x, y, out, n + 1);
	o->f64(a, b, want, n);
	judge->errors(f, a, want, out, error, n);
	for (int i = 0; i < n; i++)
		if (error[i] < 0 || one_in(from + (uint64_t)i, DIRECT_F32))
			settle_f32(r, t, f, x[i], y[i], out[i], want[i]);
		else if (error[i] > 0.5 || error[i] > r->worst)
			count(r, error[i], error[i] <= 0.5, x[i], y[i]);
	shape_f32(r, f, o, judge, x, out, n);
}

static void chunk_f64(Found *r, Tools *t, const Function *f, uint64_t from, int n)
{
	const Ours *o = ours_best() + (f - functions);
	double x[CHUNK] = {0}, y[CHUNK] = {0}, out[CHUNK];
	for (int i = 0; i < n; i++) {
		x[i] = sample(f, from + (uint64_t)i, 0);
		y[i] = f->args == 1 ? 0 : sample(f, from + (uint64_t)i, 1);
	}
	o->f64(x, y, out, n);
	for (int i = 0; i < n; i++)
		settle_f64(r, t, f, x[i], y[i], out[i], one_in(from + (uint64_t)i, DIRECT_F64));
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
	if (r->worst > row->worst) row->worst = r->worst, row->at[0] = r->at[0], row->at[1] = r->at[1];
}

static void *worker(void *arg)
{
	Work *w = arg;
	Tools t;
	pthread_mutex_lock(&w->lock);
	Found r = {.worst = w->row->worst};
	pthread_mutex_unlock(&w->lock);
	mpfr_inits2(PRECISION, t.z, t.d, (mpfr_ptr)0);
	mpfr_inits2(53, t.x, t.y, (mpfr_ptr)0);
	for (;;) {
		pthread_mutex_lock(&w->lock);
		uint64_t from = w->next;
		int n = w->end - from < CHUNK ? (int)(w->end - from) : CHUNK;
		w->next += (uint64_t)n;
		pthread_mutex_unlock(&w->lock);
		if (n == 0) break;
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
	Work w = {row, f, row->next, row->total, PTHREAD_MUTEX_INITIALIZER};
	if (w.end - w.next > count_) w.end = w.next + count_;
	pthread_t id[64];
	int started = 0;
	while (started < threads - 1 && started < 64 && pthread_create(&id[started], 0, worker, &w) == 0)
		started++;
	worker(&w);
	for (int i = 0; i < started; i++) pthread_join(id[i], 0);
	row->next = w.end;
}
