/* points.c - where errors are measured. */
#include "measure.h"

int64_t number_place(double x)
{
	int64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? INT64_MIN - bits : bits;
}

double number_at(int64_t place)
{
	int64_t bits = place < 0 ? INT64_MIN - place : place;
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

double bits_between(double x, double truth)
{
	if (isnan(x)) return 64;
	int64_t a = number_place(x), b = number_place(truth);
	double far = (double)a - (double)b;
	return log2(1 + fabs(far));
}

typedef struct NumberSpan {
	int64_t low, high;
} NumberSpan;

static NumberSpan span_of(const ImproveTask *t, uint32_t i)
{
	NumberSpan s = {number_place(-__DBL_MAX__), number_place(__DBL_MAX__)};
	for (uint32_t k = 0; k < t->nfact; k++) {
		const LeafFact *f = &t->fact[k];
		if (attr_int(f->leaf, 0) != i) continue;
		if (isfinite(f->lo)) s.low = number_place(f->lo) + f->lo_open;
		if (isfinite(f->hi)) s.high = number_place(f->hi) - f->hi_open;
	}
	return s;
}

static uint64_t next_word(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Part i of n of a span, so that a few points are spread over all of it. */
static NumberSpan part_of(NumberSpan s, uint32_t i, uint32_t n)
{
	uint64_t each = ((uint64_t)s.high - (uint64_t)s.low) / n;
	if (!each) return s;
	int64_t low = (int64_t)((uint64_t)s.low + i * each);
	return (NumberSpan){low, i + 1 == n ? s.high : (int64_t)((uint64_t)low + each - 1)};
}

static double draw(uint64_t *state, NumberSpan s)
{
	uint64_t n = (uint64_t)s.high - (uint64_t)s.low + 1;
	return number_at((int64_t)((uint64_t)s.low + next_word(state) % n));
}

static bool is_inside(Graph *g, Arena *a, const Function *where, const double *x)
{
	Value in[RULE_VARIABLES], out = {0};
	for (uint32_t i = 0; i < where->nparam; i++) {
		double *own = arena_alloc(a, sizeof *own);
		*own = x[i];
		in[i] = (Value){.type = where->param[i], .dtype = DT_F64, .count = 1, .data = own};
	}
	return evaluates(g, a, where, in, &out, false) && *(uint8_t *)out.data;
}

/* Of everyday size where the span has such numbers. */
static double draw_near(uint64_t *state, NumberSpan s)
{
	double low = fmax(number_at(s.low), -4), high = fmin(number_at(s.high), 4);
	if (!(low < high)) return draw(state, s);
	return low + (high - low) * ((double)(next_word(state) >> 11) + 0.5) * 0x1p-53;
}

/* ---- where numbers meet ------------------------------------------------------------------------ */

/* 0, or an end of what is promised. */
static double end_of(uint64_t *state, NumberSpan s)
{
	double end[3];
	uint32_t n = 0;
	if (s.low <= 0 && s.high >= 0) end[n++] = 0;
	if (number_at(s.low) > -__DBL_MAX__) end[n++] = number_at(s.low);
	if (number_at(s.high) < __DBL_MAX__) end[n++] = number_at(s.high);
	return n ? end[next_word(state) % n] : draw(state, s);
}

/* Equal to y, or to -y, or as near as up to 2^52 numbers between them say, all powers of two alike. */
static double draw_beside(uint64_t *state, NumberSpan s, double y)
{
	uint64_t w = next_word(state);
	int64_t far = (int64_t)(1ull << w % 54 >> 1), place = number_place(w >> 8 & 3 ? y : -y);
	place += w >> 10 & 1 ? far : -far;
	return place >= s.low && place <= s.high ? number_at(place) : draw(state, s);
}

/* One point in eight has two inputs beside one another, half of them of everyday size, one in sixteen an
 * input at an end, some of these two. */
static void let_meet(uint64_t *state, const ImproveTask *t, uint32_t nvar, uint32_t i, double *x)
{
	if (!nvar) return;
	bool both = i % 48 == 9;
	uint32_t k = (both ? i / 48 : i / 16) % nvar, other = (k + 1) % nvar; /* each in its turn */
	if (i % 16 == 3) x[other] = draw_near(state, span_of(t, other));
	if (i % 8 == 3 && nvar > 1) x[k] = draw_beside(state, span_of(t, k), x[other]);
	if (i % 16 == 9) x[k] = end_of(state, span_of(t, k));
	if (both) x[other] = end_of(state, span_of(t, other));
}

bool points_take(Graph *g, Arena *a, const ImproveTask *t, uint32_t n, bool near, Points *p)
{
	enum { TRIES = 400 };
	uint64_t state = t->seed;
	double x[RULE_VARIABLES];
	p->nvar = t->f->nparam;
	p->n = 0;
	p->x = NEW_ARRAY(a, double *, p->nvar);
	for (uint32_t i = 0; i < p->nvar; i++) p->x[i] = NEW_ARRAY(a, double, n);
	for (uint32_t i = 0; i < p->nvar; i++) {
		NumberSpan s = span_of(t, i);
		if (s.low > s.high)
			return graph_fail(g, ERR_VALUE, "improve: no number is what is promised of %s", t->name[i]);
	}
	for (uint32_t tries = 0; tries < n * TRIES && p->n < n; tries++) {
		for (uint32_t i = 0; i < p->nvar; i++) {
			NumberSpan s = span_of(t, i);
			if (p->nvar == 1) s = part_of(s, tries % n, n);
			x[i] = near ? draw_near(&state, s) : draw(&state, s);
		}
		if (!near) let_meet(&state, t, p->nvar, tries, x);
		Arena *scratch = arena_child(a);
		bool inside = !t->where || is_inside(g, scratch, t->where, x);
		arena_free(scratch);
		if (!inside) continue;
		for (uint32_t i = 0; i < p->nvar; i++) p->x[i][p->n] = x[i];
		p->n++;
	}
	return p->n > 0;
}
