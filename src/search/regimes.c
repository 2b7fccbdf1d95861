/* regimes.c - one form here, another there.
 *
 * Needs: forms with their errors at the points.  Gives: by which variable, or its magnitude, and at which
 * numbers to choose between which of them, so that the mean error is least; each piece has to pay for itself.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

static const double form_price = 0.01;                 /* of an operator */
static const double price = 0.2, price_at_zero = 0.05; /* of a piece, in bits of the mean */

typedef struct Sorted {
	uint32_t n;
	double *key;
	uint32_t *point;
} Sorted;

static void sift(const Sorted *s, uint32_t at, uint32_t n)
{
	for (uint32_t k; (k = 2 * at + 1) < n; at = k) {
		if (k + 1 < n && s->key[s->point[k + 1]] > s->key[s->point[k]]) k++;
		if (s->key[s->point[k]] <= s->key[s->point[at]]) return;
		uint32_t p = s->point[k];
		s->point[k] = s->point[at];
		s->point[at] = p;
	}
}

static void sort(const Sorted *s)
{
	for (uint32_t i = s->n / 2; i-- > 0;) sift(s, i, s->n);
	for (uint32_t n = s->n; n-- > 1;) {
		uint32_t p = s->point[0];
		s->point[0] = s->point[n];
		s->point[n] = p;
		sift(s, 0, n);
	}
}

/* Between two numbers, with as few digits as there may be. */
static double threshold(double a, double b)
{
	int64_t low = number_place(a), high = number_place(b);
	double middle = number_at(low / 2 + high / 2 + (low % 2 + high % 2) / 2);
	if (a <= 0 && b >= 0) return 0;
	for (int digits = 0; digits < 17; digits++) {
		char text[40];
		snprintf(text, sizeof text, "%.*e", digits, middle);
		double x = strtod(text, NULL);
		if (x > a && x <= b) return x;
	}
	return b;
}

/* What is lost, NaN or infinite where the true value is a number, counts four times. */
static double cost_of(const Computed *f, uint32_t point)
{
	return f->bits[point] * (isfinite(f->value[point]) ? 1 : 4);
}

typedef struct CutPoint {
	double sum; /* of errors, and the price of cuts and forms */
	uint32_t from, form;
} CutPoint;

static double price_of(const Sorted *s, uint32_t i)
{
	bool zero = s->key[s->point[i - 1]] <= 0 && s->key[s->point[i]] >= 0;
	return s->n * (zero ? price_at_zero : price);
}

/* The best ways to cut the first j points into k + 1 pieces. */
static void cut_all(Arena *a, const Sorted *s, uint32_t nform, const Computed *f, CutPoint *best[PIECES])
{
	double *sum = NEW_ARRAY(a, double, nform);
	for (uint32_t k = 0; k < PIECES; k++) best[k] = NEW_ARRAY(a, CutPoint, s->n + 1);
	for (uint32_t k = 0; k < PIECES; k++)
		for (uint32_t j = 1; j <= s->n; j++) {
			CutPoint c = {.sum = INFINITY};
			for (uint32_t q = 0; q < nform; q++) sum[q] = s->n * form_price * f[q].size;
			for (uint32_t i = j; i-- > 0;) {
				bool whole = i && s->key[s->point[i]] == s->key[s->point[i - 1]];
				double before = 0;
				if (i) before = k ? best[k - 1][i].sum + price_of(s, i) : INFINITY;
				for (uint32_t q = 0; q < nform; q++) {
					sum[q] += cost_of(&f[q], s->point[i]);
					if (!whole && before + sum[q] < c.sum)
						c = (CutPoint){before + sum[q], i, q};
				}
			}
			best[k][j] = c;
		}
}

static void take_cuts(const Sorted *s, CutPoint *const best[PIECES], Node *by, Regimes *r)
{
	for (uint32_t k = 0; k < PIECES; k++) {
		double mean = best[k][s->n].sum / s->n;
		if (!(mean < r->mean)) continue;
		r->mean = mean;
		r->by = by;
		r->n = k + 1;
		for (uint32_t j = s->n, i = k + 1; i-- > 0; j = best[i][j].from) {
			uint32_t from = best[i][j].from;
			r->form[i] = best[i][j].form;
			if (!i) continue;
			double last = s->key[s->point[from - 1]];
			r->below[i - 1] = threshold(last, s->key[s->point[from]]);
			r->with[i - 1] = last == r->below[i - 1];
		}
	}
}

/* By what is chosen: an input, its magnitude, or how near two inputs are, the second being 1. */
typedef enum ChoiceKind { BY_INPUT, BY_SIZE, BY_GAP } ChoiceKind;
typedef struct ChoiceKey {
	ChoiceKind kind;
	uint32_t x, y; /* inputs; y of a gap */
} ChoiceKey;

static double key_at(const Points *p, ChoiceKey k, uint32_t point)
{
	double x = p->x[k.x][point], gap;
	if (k.kind != BY_GAP) return k.kind == BY_SIZE ? fabs(x) : x;
	gap = fabs((x - p->x[k.y][point]) / p->x[k.y][point]);
	return isnan(gap) ? INFINITY : gap;
}

static Node *key_node(Graph *g, const Points *p, ChoiceKey k)
{
	Node *x = p->var[k.x];
	if (k.kind == BY_INPUT) return x;
	if (k.kind == BY_GAP) x = build2(g, OP_DIV, build2(g, OP_SUB, x, p->var[k.y]), p->var[k.y]);
	return build1(g, OP_ABS, x);
}

/* What is chosen from, where it was measured, and the best so far. */
typedef struct RegimeSearch {
	Graph *g;
	Arena *arena;
	const Points *points;
	uint32_t nform;
	const Computed *form;
	Regimes best;
} RegimeSearch;

static void try_key(RegimeSearch *c, ChoiceKind kind, uint32_t x, uint32_t y)
{
	const Points *p = c->points;
	const ChoiceKey k = {kind, x, y};
	Arena *scratch = arena_child(c->arena);
	Sorted s = {p->n, NEW_ARRAY(scratch, double, p->n), NEW_ARRAY(scratch, uint32_t, p->n)};
	CutPoint *best[PIECES];
	for (uint32_t i = 0; i < p->n; i++) {
		s.key[i] = key_at(p, k, i);
		s.point[i] = i;
	}
	sort(&s);
	cut_all(scratch, &s, c->nform, c->form, best);
	take_cuts(&s, best, key_node(c->g, p, k), &c->best);
	arena_free(scratch);
}

static bool is_negative_somewhere(const Points *p, uint32_t x)
{
	bool is = false;
	for (uint32_t i = 0; i < p->n; i++) is |= p->x[x][i] < 0;
	return is;
}

enum { MOST_GAPS = 4 }; /* inputs of which each two are compared */

Regimes regimes_of(Graph *g, Arena *a, const Points *p, uint32_t nform, const Computed *f)
{
	RegimeSearch c = {g, a, p, nform, f, {.n = 1, .mean = INFINITY}};
	for (uint32_t q = 0; q < nform; q++)
		if (f[q].mean + form_price * f[q].size < c.best.mean) {
			c.best.mean = f[q].mean + form_price * f[q].size;
			c.best.form[0] = q;
		}
	for (uint32_t x = 0; x < p->nvar; x++) try_key(&c, BY_INPUT, x, x);
	for (uint32_t x = 0; x < p->nvar; x++)
		if (is_negative_somewhere(p, x)) try_key(&c, BY_SIZE, x, x);
	for (uint32_t x = 0; x < p->nvar && p->nvar <= MOST_GAPS; x++)
		for (uint32_t y = x + 1; y < p->nvar; y++) try_key(&c, BY_GAP, x, y);
	return c.best;
}

Node *regimes_node(Graph *g, const Regimes *r, const Computed *f)
{
	Node *y = f[r->form[r->n - 1]].node;
	for (uint32_t i = r->n - 1; i-- > 0;) {
		Node *to = constant_float(g, r->by->type, r->below[i]);
		Node *below = build2(g, r->with[i] ? OP_LE : OP_LT, r->by, to);
		y = build3(g, OP_WHERE, below, f[r->form[i]].node, y);
	}
	return y;
}
