/* interp_walk.c - runs of elements along the axes of an access.
 *
 * The indices of a block are consecutive numbers in row order; an access turns
 * each into a place in memory.  Axes that it walks as one are merged at
 * binding, so most walks are one run.
 */
#include "script.h"

/* An offset may be negative: it is no number to be shifted. */
static inline int64_t bytes(int64_t elements, int size)
{
	return elements * ((int64_t)1 << size);
}

/* Strides of axes with one element or none are what they are: products of them may wrap, and are not used
 * then. */
static inline int64_t product(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

void walk_bind(AccessWalk *w, const Kernel *k, const WalkPlan *plan, const int64_t *param)
{
	const Access *a = &k->at[plan->access];
	uint32_t end = plan->space == OF_ROW ? k->nrow : k->naxis;
	w->n = 0;
	w->offset = int_value(a->offset, param);
	for (uint32_t i = 0; i < end; i++) {
		if (plan->space == OF_KEPT && i >= k->nrow && i < k->nfold) continue;
		int64_t extent = int_value(k->extent[i], param), stride = int_value(a->stride[i], param);
		if (extent == 1) continue;
		if (w->n && w->stride[w->n - 1] == product(stride, extent)) {
			w->extent[w->n - 1] = product(w->extent[w->n - 1], extent);
			w->stride[w->n - 1] = stride;
			continue;
		}
		w->extent[w->n] = extent;
		w->stride[w->n++] = stride;
	}
	for (uint32_t i = 0; i < a->ndynamic; i++) {
		w->dynamic[i].stride = int_value(a->dynamic[i].stride, param);
		w->dynamic[i].extent = int_value(a->dynamic[i].extent, param);
	}
}

/* The place of index number `at`; its indices along the axes. */
static int64_t seek(const AccessWalk *w, int64_t at, int64_t *index)
{
	int64_t place = w->offset;
	for (int32_t k = w->n; k-- > 1;) {
		int64_t q = at / w->extent[k];
		index[k] = at - q * w->extent[k];
		place += index[k] * w->stride[k];
		at = q;
	}
	if (w->n) {
		index[0] = at;
		place += at * w->stride[0];
	}
	return place;
}

/* After a whole run along the last axis: the place where the next begins. */
static int64_t next_run(const AccessWalk *w, int64_t *index)
{
	int64_t place = w->offset;
	index[w->n - 1] = 0;
	for (int32_t k = w->n - 2; k >= 0; k--) {
		if (++index[k] < w->extent[k] || k == 0) break;
		index[k] = 0;
	}
	for (int32_t k = 0; k < w->n - 1; k++) place += index[k] * w->stride[k];
	return place;
}

const char *walk_direct(const AccessWalk *w, const char *base, int size, int64_t at, int64_t n)
{
	if (n == 1 && !w->n) return base + bytes(w->offset, size);
	if (w->n == 1 && w->stride[0] == 1) return base + bytes(w->offset + at, size);
	if (!w->n) return NULL;
	int64_t index[AXES_MAX], place = seek(w, at, index);
	int32_t last = w->n - 1;
	bool whole = n == 1 || (w->stride[last] == 1 && index[last] + n <= w->extent[last]);
	return whole ? base + bytes(place, size) : NULL;
}

#define COPY_RUN(T)                                                                                          \
	{                                                                                                    \
		T *o = to;                                                                                   \
		const T *f = from;                                                                           \
		if (to_stride == 1 && from_stride == 0)                                                      \
			for (int64_t i = 0; i < n; i++) o[i] = *f;                                           \
		else if (to_stride == 1)                                                                     \
			for (int64_t i = 0; i < n; i++) o[i] = f[i * from_stride];                           \
		else                                                                                         \
			for (int64_t i = 0; i < n; i++) o[i * to_stride] = f[i * from_stride];               \
		break;                                                                                       \
	}

static inline void copy_run(
	int size, int64_t n, void *to, int64_t to_stride, const void *from, int64_t from_stride)
{
	if (to_stride == 1 && from_stride == 1 && n > 4) {
		memmove(to, from, (size_t)n << size);
		return;
	}
	switch (size) {
	case 0: COPY_RUN(uint8_t)
	case 1: COPY_RUN(uint16_t)
	case 2: COPY_RUN(uint32_t)
	default: COPY_RUN(uint64_t)
	}
}

/* What repeats with period p is doubled from what is there. */
static void repeat(char *out, int64_t p, int64_t n)
{
	for (int64_t have = p; have < n; have *= 2)
		memcpy(out + have, out, (size_t)(have < n - have ? have : n - have));
}

void walk_load(const AccessWalk *w, const char *base, int size, int64_t at, int64_t n, char *out)
{
	if (!w->n) {
		copy_run(size, n, out, 1, base + bytes(w->offset, size), 0);
		return;
	}
	int64_t index[AXES_MAX], place = seek(w, at, index);
	int32_t last = w->n - 1;
	int64_t extent = w->extent[last], stride = w->stride[last];
	int64_t period = last > 0 && w->stride[last - 1] == 0 && extent < n &&
			index[last - 1] * extent + index[last] + n <= w->extent[last - 1] * extent
		? extent
		: 0;
	int64_t todo = period ? period : n;
	for (char *o = out; todo > 0;) {
		int64_t run = extent - index[last] < todo ? extent - index[last] : todo;
		run = last == 0 ? todo : run;
		copy_run(size, run, o, 1, base + bytes(place, size), stride);
		o += run << size;
		todo -= run;
		if (todo > 0) place = next_run(w, index);
	}
	if (period) repeat(out, period << size, n << size);
}

void walk_store(const AccessWalk *w, char *base, int size, int64_t at, int64_t n, const char *from)
{
	if (!w->n) {
		copy_run(size, 1, base + bytes(w->offset, size), 1, from + ((n - 1) << size), 1);
		return;
	}
	int64_t index[AXES_MAX], place = seek(w, at, index);
	int32_t last = w->n - 1;
	while (n > 0) {
		int64_t run = w->extent[last] - index[last] < n ? w->extent[last] - index[last] : n;
		run = last == 0 ? n : run;
		copy_run(size, run, base + bytes(place, size), w->stride[last], from, 1);
		from += run << size;
		n -= run;
		if (n > 0) place = next_run(w, index);
	}
}

void walk_index(const AccessWalk *w, int64_t at, int64_t n, int64_t *out)
{
	if (!w->n) {
		for (int64_t i = 0; i < n; i++) out[i] = w->offset;
		return;
	}
	int64_t index[AXES_MAX], place = seek(w, at, index);
	int32_t last = w->n - 1;
	while (n > 0) {
		int64_t run = w->extent[last] - index[last] < n ? w->extent[last] - index[last] : n;
		run = last == 0 ? n : run;
		for (int64_t i = 0; i < run; i++) out[i] = place + i * w->stride[last];
		out += run;
		n -= run;
		if (n > 0) place = next_run(w, index);
	}
}
