/* overlap.c - do arrays lie on each other?  Of any strides: columns of a matrix lie in each other's span, and
 * share no element.
 *
 * An element of x is one of y where the difference of their addresses, a sum of strides with whole factors in
 * known ranges, is less than an element.  The factors are searched for from the largest stride down: of
 * strides as they are met, each larger than what the smaller ones reach, one or two factors are possible at
 * each.
 */
#include "program.h"

enum { AXES = 2 * RANK_MAX, STEPS = 20000 };

typedef struct Stride {
	int64_t stride, least, most;
} Stride; /* stride > 0, in bytes; the factor's range */

typedef struct MeetSearch {
	Stride term[AXES];
	uint32_t n;
	int64_t low[AXES + 1], high[AXES + 1]; /* what the terms from here on reach */
	int steps;
} MeetSearch;

/* together: axes of one stride are one, whose factor is the sum of theirs */
static void add_term(MeetSearch *s, int64_t stride, int64_t least, int64_t most, bool together)
{
	if (stride < 0) {
		int64_t turned = -least;
		stride = -stride;
		least = -most;
		most = turned;
	}
	uint32_t at = s->n;
	if (!stride || least == most) return; /* with one factor, 0 */
	for (uint32_t i = 0; together && i < s->n; i++)
		if (s->term[i].stride == stride) {
			s->term[i].least += least;
			s->term[i].most += most;
			return;
		}
	for (; at && s->term[at - 1].stride < stride; at--) s->term[at] = s->term[at - 1];
	s->term[at] = (Stride){stride, least, most};
	s->n++;
}

static void reach(MeetSearch *s)
{
	s->low[s->n] = s->high[s->n] = 0;
	for (uint32_t i = s->n; i-- > 0;) {
		s->low[i] = s->low[i + 1] + s->term[i].least * s->term[i].stride;
		s->high[i] = s->high[i + 1] + s->term[i].most * s->term[i].stride;
	}
}

static int64_t floored(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && a < 0);
}

/* Are there factors for the terms from i on so that their sum lies between low and high, neither of them
 * taken? */
static bool found(MeetSearch *s, uint32_t i, int64_t low, int64_t high)
{
	if (i == s->n) return low < 0 && 0 < high;
	if (++s->steps > STEPS) return true; /* no strides of anything: taken to meet */
	const Stride *t = &s->term[i];
	int64_t first = floored(low - s->high[i + 1], t->stride) + 1,
		last = -floored(-(high - s->low[i + 1]), t->stride) - 1;
	first = first > t->least ? first : t->least;
	last = last < t->most ? last : t->most;
	for (int64_t k = first; k <= last; k++)
		if (found(s, i + 1, low - k * t->stride, high - k * t->stride)) return true;
	return false;
}

/* The strides in bytes; false: it has no elements. */
static bool strides_of(const Array *a, int64_t bytes, int64_t stride[RANK_MAX])
{
	int64_t compact = bytes;
	for (int32_t k = a->ndim; k-- > 0;) {
		if (a->shape[k] <= 0) return false;
		stride[k] = a->strides ? a->strides[k] * bytes : compact;
		compact *= a->shape[k];
	}
	return true;
}

bool arrays_meet(const Array *x, size_t x_bytes, const Array *y, size_t y_bytes)
{
	MeetSearch s = {.n = 0};
	int64_t xs[RANK_MAX], ys[RANK_MAX];
	int64_t between = (int64_t)((intptr_t)array_data(y) - (intptr_t)array_data(x));
	if (!strides_of(x, (int64_t)x_bytes, xs) || !strides_of(y, (int64_t)y_bytes, ys)) return false;
	for (int32_t k = 0; k < x->ndim; k++) add_term(&s, xs[k], 0, x->shape[k] - 1, true);
	for (int32_t k = 0; k < y->ndim; k++) add_term(&s, ys[k], 1 - y->shape[k], 0, true);
	reach(&s);
	return found(&s, 0, between - (int64_t)x_bytes, between + (int64_t)y_bytes);
}

/* Two factors of one stride, or none 0: the first factor that is not 0 may be taken above it. */
bool array_meets_itself(const Array *x, size_t bytes)
{
	MeetSearch s = {.n = 0};
	int64_t stride[RANK_MAX];
	if (!x->strides || !strides_of(x, (int64_t)bytes, stride)) return false;
	for (int32_t k = 0; k < x->ndim; k++) {
		if (!stride[k] && x->shape[k] > 1) return true;
		add_term(&s, stride[k], 1 - x->shape[k], x->shape[k] - 1, false);
	}
	reach(&s);
	for (uint32_t i = 0; i < s.n; i++) {
		const int64_t most = s.term[i].most, size = s.term[i].stride;
		for (int64_t k = 1; k <= most && k * size + s.low[i + 1] < (int64_t)bytes; k++)
			if (found(&s, i + 1, -k * size - (int64_t)bytes, -k * size + (int64_t)bytes))
				return true;
	}
	return false;
}
