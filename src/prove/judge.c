/* judge.c - see judge.h. */
#include <float.h>
#include <math.h>

#include "judge.h"

static Quad magnitude(Quad x)
{
	return x < 0 ? -x : x;
}

static bool is_number(Quad x)
{
	return magnitude(x) <= (Quad)DBL_MAX;
}

/* Nothing, or so little that binary128 itself does not tell: a sum of parts that cancel. */
static bool is_nothing(const Judged *j)
{
	Quad a = magnitude(j->truth[0]), b = magnitude(j->truth[1]),
		gap = magnitude(j->truth[0] - j->truth[1]);
	return (a == 0 && b == 0) || (a < (Quad)0x1p-60 && b < (Quad)0x1p-60 && gap > (Quad)1e-9 * a &&
		gap > (Quad)1e-9 * b);
}

/* Errors in ulp of the value or of the inputs, by one of the truths.  Where what was written is right the
 * inputs' rounding counts for no more than an exponent's does, which is below 1024: else nothing would count
 * where they decide about all digits, as near 2 in acos(1 - x), or at a label of 1. */
static double excess_over(const Judged *j, uint32_t k)
{
	Quad truth = j->truth[k], ulp = magnitude(truth) * (Quad)0x1p-53, most = 1024 * ulp;
	bool right = magnitude((Quad)j->written - truth) <= most;
	Quad unit = ulp + (right && most < j->stir ? most : j->stir) + (Quad)0x1p-1054;
	if (is_nothing(j)) unit += (Quad)0x1p-53;
	Quad ours = magnitude((Quad)j->ours - truth) / unit, near = FEW_ULP * j->rough[k] / unit,
	     written = magnitude((Quad)j->written - truth) / unit;
	if (near > written) written = near;
	if (!isfinite(j->written) || ours <= written) return 0;
	return is_number(ours) ? (double)(ours - written) : INFINITY;
}

Verdict judge(const Judged *j, double *excess)
{
	bool written = is_number(j->truth[0]), ours = is_number(j->truth[1]), ran = isfinite(j->written);
	bool beyond = !written && magnitude(j->truth[0]) > 0; /* a number too large for f64, or infinity */
	*excess = 0;
	if (!isfinite(j->ours))
		return !beyond && (ran || (written && isfinite(j->plain))) ? VERDICT_LOST : VERDICT_NONE;
	if (!written && !ours) return VERDICT_NONE;
	double a = written ? excess_over(j, 0) : INFINITY, b = ours ? excess_over(j, 1) : INFINITY;
	*excess = a < b ? a : b;
	return VERDICT_GOOD;
}

/* ---- both sides computed ------------------------------------------------------------------ */

/* Inputs are moved by a part of about a millionth, or by a few units in the last place; whole numbers too? */
typedef struct Move {
	bool near, whole;
} Move;

static Value *moved(Arena *a, Random *random, uint32_t n, const Value *v, Move how)
{
	Value *w = NEW_ARRAY(a, Value, n + 1);
	memcpy(w, v, n * sizeof *w);
	for (uint32_t k = 0; k < n; k++) {
		if (v[k].dtype != DT_F64) continue;
		double *to = w[k].data = arena_alloc(a, (size_t)(v[k].count + 1) * sizeof(double));
		for (int64_t i = 0; i < v[k].count; i++) {
			double x = ((double *)v[k].data)[i],
				part = (random_below(random, 2) ? 1 : -1) * (2.0 + random_below(random, 3));
			double y = x + x * part * (how.near ? 0x1p-22 : 0x1p-53);
			to[i] = isfinite(y) && (how.whole || x != floor(x)) ? y : x;
		}
	}
	return w;
}

static double own_at(const Value *v, int64_t i)
{
	return ((double *)v->data)[i];
}

/* Is something no number that was one? */
static bool loses(uint32_t n, const Value *was, const Value *is)
{
	for (uint32_t r = 0; r < n; r++)
		for (int64_t i = 0; was[r].dtype == DT_F64 && i < was[r].count; i++)
			if (isnan(own_at(&is[r], i)) && !isnan(own_at(&was[r], i))) return true;
	return false;
}

static bool computed(Graph *g, Arena *a, const Function *f, const Value *in, Value *own, Value *wide)
{
	return f->nresult <= SEEN_RESULTS && (!own || evaluates(g, a, f, in, own, false)) &&
		(!wide || evaluates(g, a, f, values_widened(a, f->nparam, in), wide, true));
}

bool see(Graph *g, Arena *a, Random *random, const Compared *c, const Value *in, Seen *seen)
{
	bool good = computed(g, a, c->plain ? c->plain : c->ours, in, seen->plain, NULL);
	good = good && computed(g, a, c->ours, in, seen->ours, NULL);
	for (uint32_t q = 0; good && q <= STIRS + NEAR; q++) {
		Move how = {q > STIRS, true};
		const Value *at = q ? moved(a, random, c->written->nparam, in, how) : in;
		good = computed(g, a, c->written, at, seen->own[q], NULL);
		if (good && q && loses(c->written->nresult, seen->own[0], seen->own[q])) {
			how.whole = false; /* an exponent of what is below 0 */
			at = moved(a, random, c->written->nparam, in, how);
			good = computed(g, a, c->written, at, seen->own[q], NULL);
		}
		good = good && computed(g, a, c->written, at, NULL, seen->wide[0][q]) &&
			computed(g, a, c->ours, at, NULL, seen->wide[1][q]);
	}
	return good;
}

static Quad wide_at(const Value *v, int64_t i)
{
	return ((Quad *)v->data)[i];
}

Judged seen_at(const Seen *seen, uint32_t r, int64_t i)
{
	Judged j = {.written = own_at(&seen->own[0][r], i),
		.ours = own_at(&seen->ours[r], i),
		.plain = own_at(&seen->plain[r], i),
		.truth = {wide_at(&seen->wide[0][0][r], i), wide_at(&seen->wide[1][0][r], i)}};
	Quad stir[2] = {0, 0};
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t q = 1; q <= STIRS + NEAR; q++) {
			Quad here = wide_at(&seen->wide[k][q][r], i), far = magnitude(here - j.truth[k]);
			double near = own_at(&seen->own[q][r], i);
			if (q <= STIRS && far > stir[k]) stir[k] = far;
			if (isfinite(near) && magnitude((Quad)near - here) > j.rough[k])
				j.rough[k] = magnitude((Quad)near - here);
		}
	j.stir = stir[0] < stir[1] ? stir[0] : stir[1];
	return j;
}
