/* hunt.c - looks for larger errors where the largest were found.
 *
 * Inputs that are spread evenly see little of the one place in a thousand beside which a function errs most.  So
 * the line is cut in cells, and in each round fewer of them, those with the largest errors so far, get more inputs.
 * Of one operand the cells are equal parts of the interval, and equal parts, by the bits of the number, of all sizes
 * from 2^-30 to the interval's ends; of two operands they are rectangles. */
#include "accuracy.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { EVEN_CELLS = 1024, BIT_CELLS = 2048, CELLS = EVEN_CELLS + BIT_CELLS, WIDE = 64, HIGH = CELLS / WIDE };

static const int in_round[] = {CELLS, 256, 64, 16, 4};
enum { ROUNDS = sizeof in_round / sizeof *in_round };

typedef struct Cell {
	Found found;
	int number;
} Cell;

/* uniform in [0, 1) (S. Vigna's splitmix64) */
static double unit(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* a number of part i of n between a and b */
static double within(double a, double b, int i, int n, uint64_t *state)
{
	return a + (b - a) * ((i + unit(state)) / n);
}

/* the same by the bits of the numbers between 2^-30 and most */
static double within_bits(double most, int i, int n, uint64_t *state)
{
	double least = 0x1p-30, x;
	int64_t from, to, at;
	memcpy(&from, &least, 8);
	memcpy(&to, &most, 8);
	at = from + (int64_t)((double)(to - from) * ((i + unit(state)) / n));
	memcpy(&x, &at, 8);
	return x;
}

static void input(const Function *f, int cell, uint64_t *state, double *x, double *y)
{
	*y = 0;
	if (f->args == 2) {
		*x = within(f->from, f->to, cell % WIDE, WIDE, state);
		*y = within(f->from2, f->to2, cell / WIDE, HIGH, state);
	} else if (cell < EVEN_CELLS)
		*x = within(f->from, f->to, cell, EVEN_CELLS, state);
	else {
		int i = cell - EVEN_CELLS;
		*x = within_bits(fmax(fabs(f->from), fabs(f->to)), i / 2, BIT_CELLS / 2, state);
		*x = i % 2 ? -*x : *x;
	}
}

/* ---- one cell ---- */

static void errors_f64(Found *r, Tools *t, const Function *f, const double *x, const double *y, int n)
{
	double out[CHUNK];
	ours_best()[f - functions].f64(x, y, out, n);
	for (int i = 0; i < n; i++) settle_f64(r, t, f, x[i], y[i], out[i], i % 128 == 0);
}

static void errors_f32(Found *r, Tools *t, const Function *f, double *x, double *y, int n)
{
	float a[CHUNK], b[CHUNK], out[CHUNK];
	double want[CHUNK], error[CHUNK];
	for (int i = 0; i < n; i++) x[i] = a[i] = (float)x[i], y[i] = b[i] = (float)y[i];
	ours_best()[f - functions].f32(a, b, out, n);
	ours_best()[f - functions].f64(x, y, want, n);
	judge_best()->errors(f, x, want, out, error, n);
	for (int i = 0; i < n; i++)
		if (error[i] < 0)
			settle_f32(r, t, f, a[i], b[i], out[i], want[i]);
		else
			count(r, error[i], true, x[i], y[i]);
}

static void visit(Cell *c, Tools *t, const Function *f, bool f64, int round, uint64_t inputs)
{
	double x[CHUNK], y[CHUNK];
	uint64_t state = (uint64_t)(c->number * ROUNDS + round) << 32;
	for (int n; inputs > 0; inputs -= (uint64_t)n) {
		n = inputs < CHUNK ? (int)inputs : CHUNK;
		for (int i = 0; i < n; i++) input(f, c->number, &state, x + i, y + i);
		if (f64)
			errors_f64(&c->found, t, f, x, y, n);
		else
			errors_f32(&c->found, t, f, x, y, n);
	}
}

/* ---- a round, over all threads: what a cell gets does not depend on their number ---- */

typedef struct Round {
	Cell *cells;
	const Function *f;
	bool f64;
	int number, next;
	uint64_t inputs; /* of a cell */
	pthread_mutex_t lock;
} Round;

static void *worker(void *arg)
{
	Round *r = arg;
	Tools t;
	mpfr_inits2(PRECISION, t.z, t.d, (mpfr_ptr)0);
	mpfr_inits2(53, t.x, t.y, (mpfr_ptr)0);
	for (;;) {
		pthread_mutex_lock(&r->lock);
		int at = r->next++;
		pthread_mutex_unlock(&r->lock);
		if (at >= in_round[r->number]) break;
		visit(r->cells + at, &t, r->f, r->f64, r->number, r->inputs);
	}
	mpfr_clears(t.x, t.y, t.z, t.d, (mpfr_ptr)0);
	series_end();
	mpfr_free_cache();
	return 0;
}

static void run_round(Round *r, int threads)
{
	pthread_t id[64];
	int started = 0;
	while (started < threads - 1 && started < 64 && pthread_create(&id[started], 0, worker, r) == 0)
		started++;
	worker(r);
	for (int i = 0; i < started; i++) pthread_join(id[i], 0);
}

static int by_error(const void *a, const void *b)
{
	const Cell *c = a, *d = b;
	if (c->found.worst != d->found.worst) return c->found.worst > d->found.worst ? -1 : 1;
	return c->number - d->number;
}

bool row_hunt(Row *row, const Function *f, int threads)
{
	Cell *cells = calloc(CELLS, sizeof *cells);
	if (!cells) return false;
	for (int i = 0; i < CELLS; i++) cells[i].number = i;
	for (int k = 0; k < ROUNDS; k++) {
		Round r = {.cells = cells,
			.f = f,
			.f64 = row->f64,
			.number = k,
			.lock = PTHREAD_MUTEX_INITIALIZER};
		r.inputs = row->total / (uint64_t)(ROUNDS * in_round[k]) + 1;
		run_round(&r, threads);
		qsort(cells, CELLS, sizeof *cells, by_error);
	}
	row->worst = cells->found.worst, row->at[0] = cells->found.at[0], row->at[1] = cells->found.at[1];
	for (int i = 0; i < CELLS; i++) row->settled += cells[i].found.settled;
	row->next = row->total;
	free(cells);
	return true;
}
