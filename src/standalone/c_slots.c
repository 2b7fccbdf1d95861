/* c_slots.c - which arrays of a program share memory, decided once for all sizes.
 *
 * Arrays whose lifetimes do not meet may have one place.  A place is as large
 * as the largest array that it is given, and places lie one behind the other,
 * so the workspace of a call is laid out in one walk through a short table,
 * and grows with every size: for the most that computed sizes may be, it is
 * large enough.  An array takes the free place whose size is nearest where
 * sizes are those of an example, in which no two named sizes are the same.
 */
#include "writer.h"

#include <math.h>
#include <stdlib.h>

enum { NONE = UINT32_MAX, NEAR = 2, NEAR_RANKS = 64 };

typedef struct Slots {
	double *bytes; /* by buffer, in the example */
	uint32_t nrank;
	double *rank;                    /* distinct sizes, ascending */
	uint32_t *free, *next, *rank_of; /* by rank: a free place; by place: the next one; its rank */
} Slots;

static double *example_dims(Arena *a, const Plan *p)
{
	double *v = NEW_ARRAY(a, double, p->ndim + 1);
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		double x = d->kind > DIM_SCALAR ? v[d->a] : 0, y = d->kind > DIM_SCALAR ? v[d->b] : 0;
		switch (d->kind) {
		case DIM_CONST: v[i] = (double)d->value; break;
		case DIM_SIZE: v[i] = 1000 + 37 * (double)d->a; break;
		case DIM_SCALAR: v[i] = 500 + 17 * (double)d->a; break;
		case DIM_ADD: v[i] = x + y; break;
		case DIM_MUL: v[i] = x * y; break;
		case DIM_FLOORDIV: v[i] = y != 0 ? floor(x / y) : 0; break;
		case DIM_MOD: v[i] = y != 0 ? x - y * floor(x / y) : x; break;
		case DIM_MIN: v[i] = x < y ? x : y; break;
		case DIM_MAX: v[i] = x > y ? x : y; break;
		}
	}
	return v;
}

static bool is_placed(const Writer *w, uint32_t i)
{
	const Buffer *b = &w->plan->buffer[i];
	return b->space == SPACE_WORK && b->first != UINT32_MAX && w->used[i];
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

static uint32_t rank_of(const Slots *s, double bytes)
{
	return (uint32_t)((const double *)bsearch(&bytes, s->rank, s->nrank, sizeof bytes, by_size) -
		s->rank);
}

static void open_slots(Writer *w, Slots *s)
{
	const Plan *p = w->plan;
	const double *dim = example_dims(w->arena, p);
	uint32_t n = p->nbuffer + 1, count = 0;
	*s = (Slots){.bytes = NEW_ARRAY(w->arena, double, n),
		.rank = NEW_ARRAY(w->arena, double, n),
		.free = NEW_ARRAY(w->arena, uint32_t, n),
		.next = NEW_ARRAY(w->arena, uint32_t, n),
		.rank_of = NEW_ARRAY(w->arena, uint32_t, n)};
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		double bytes = dim[elements_dim(p, b)] * (double)dtype_bytes((Dtype)b->dtype);
		s->bytes[i] = ceil(bytes / 64);
		if (is_placed(w, i)) s->rank[count++] = s->bytes[i];
	}
	qsort(s->rank, count, sizeof *s->rank, by_size);
	for (uint32_t i = 0; i < count; i++)
		if (!i || s->rank[i] != s->rank[i - 1]) s->rank[s->nrank++] = s->rank[i];
	memset(s->free, 0xff, n * sizeof *s->free);
}

static void put_back(Slots *s, uint32_t place)
{
	uint32_t *list = &s->free[s->rank_of[place]];
	s->next[place] = *list;
	*list = place;
}

/* The free place whose size is nearest: one that is large enough before one that has to grow. */
static uint32_t take(Slots *s, uint32_t rank)
{
	uint32_t found = NONE;
	for (uint32_t r = rank; r < s->nrank && r < rank + NEAR_RANKS && found == NONE; r++)
		if (s->rank[r] > NEAR * s->rank[rank])
			break;
		else if (s->free[r] != NONE)
			found = r;
	for (uint32_t r = rank; r-- > 0 && r + NEAR_RANKS > rank && found == NONE;)
		if (s->rank[r] * NEAR < s->rank[rank])
			break;
		else if (s->free[r] != NONE)
			found = r;
	if (found == NONE) return NONE;
	uint32_t place = s->free[found];
	s->free[found] = s->next[place];
	if (found < rank) s->rank_of[place] = rank;
	return place;
}

/* Arrays in the order of their birth; before each, those that died give back their places. */
void find_places(Writer *w)
{
	const Plan *p = w->plan;
	Slots s;
	open_slots(w, &s);
	w->place = NEW_ARRAY(w->arena, uint32_t, p->nbuffer + 1);
	memset(w->place, 0xff, (p->nbuffer + 1) * sizeof *w->place);
	for (uint32_t k = 0, dead = 0; k < p->nbuffer; k++) {
		uint32_t i = p->birth[k];
		if (!is_placed(w, i)) continue;
		for (; p->buffer[p->death[dead]].last < p->buffer[i].first; dead++)
			if (is_placed(w, p->death[dead])) put_back(&s, w->place[p->death[dead]]);
		uint32_t rank = rank_of(&s, s.bytes[i]), place = take(&s, rank);
		if (place == NONE) {
			place = w->nplace++;
			s.rank_of[place] = rank;
		}
		w->place[i] = place;
	}
	for (uint32_t i = 0; i < p->nbuffer; i++)
		if (w->used[i] && buffer_is_filled(p, i)) w->place[i] = w->nplace++;
}
