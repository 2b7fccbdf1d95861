/* simple.h - for one dtype: cumulative sum, scatter, top k, joins of partial sums; the contraction of integers and
 * complex numbers.
 *
 * Read once for each dtype.  Before: N(name), the name for this dtype; T, the element as stored; W, what it is
 * computed in (integers: unsigned, so that they wrap); LOAD(t) and STORE(w) between them (STORE: NaN is the
 * positive quiet one); ADD, MADD(x, y, acc); NOTHING, what a sum begins with (-0), and ZERO; SUM and SUMMED, what
 * a cumulative sum is computed in and stored as, with SUM_OF(t), SUM_ADD, SUM_STORE, SUM_NOTHING; KEY and
 * KEY_OF(t), what is compared, and KEY_NAN (none: not ordered).  For the defined order see eval_fold.c.
 */

#if WANTED(RUN_CUMSUM) && defined(SUM)
/* ---- cumulative sum ---- */

/* One line that lies together.  Blocks are chains of their own: four at a time hide the latency of addition. */
CORE void N(cumsum_line)(const T *x, SUMMED *out, int64_t n)
{
	SUM carry = SUM_NOTHING;
	int64_t b = 0;
	for (; b + 4*TERMS <= n; b += 4*TERMS) {
		SUM s0 = SUM_NOTHING, s1 = s0, s2 = s0, s3 = s0;
		const T *y = x + b;
		for (int64_t i = 0; i < TERMS; i++) {
			s0 = SUM_ADD(s0, SUM_OF(y[i]));
			s1 = SUM_ADD(s1, SUM_OF(y[i + TERMS]));
			s2 = SUM_ADD(s2, SUM_OF(y[i + 2*TERMS]));
		}
		SUM c0 = carry, c1 = b ? SUM_ADD(c0, s0) : s0, c2 = SUM_ADD(c1, s1), c3 = SUM_ADD(c2, s2);
		s0 = s1 = s2 = SUM_NOTHING;
		for (int64_t i = 0; i < TERMS; i++) {
			s0 = SUM_ADD(s0, SUM_OF(y[i]));
			s1 = SUM_ADD(s1, SUM_OF(y[i + TERMS]));
			s2 = SUM_ADD(s2, SUM_OF(y[i + 2*TERMS]));
			s3 = SUM_ADD(s3, SUM_OF(y[i + 3*TERMS]));
			out[b + i] = SUM_STORE(b ? SUM_ADD(c0, s0) : s0);
			out[b + i + TERMS] = SUM_STORE(SUM_ADD(c1, s1));
			out[b + i + 2*TERMS] = SUM_STORE(SUM_ADD(c2, s2));
			out[b + i + 3*TERMS] = SUM_STORE(SUM_ADD(c3, s3));
		}
		carry = SUM_ADD(c3, s3);
	}
	for (; b < n; b += TERMS) {
		SUM s = SUM_NOTHING;
		for (int64_t i = b; i < least(b + TERMS, n); i++) {
			s = SUM_ADD(s, SUM_OF(x[i]));
			out[i] = SUM_STORE(b ? SUM_ADD(carry, s) : s);
		}
		carry = b ? SUM_ADD(carry, s) : s;
	}
}

CORE void N(cumsum)(const CoreWork *w)
{
	int64_t n = w->param[1], inner = w->param[2], pieces = cut_in(inner, ITEM_INNER);
	SUM *chain = w->scratch, *carry = chain + least(inner, ITEM_INNER);
	for (int64_t item = w->lo; item < w->hi; item++) {
		int64_t from = item % pieces * ITEM_INNER, width = least(inner - from, ITEM_INNER);
		const T *x = (const T *)w->buffer[0] + item/pieces*n*inner + from;
		SUMMED *out = (SUMMED *)w->buffer[1] + item/pieces*n*inner + from;
		if (inner == 1) {
			N(cumsum_line)(x, out, n);
			continue;
		}
		for (int64_t j = 0; j < width; j++)
			chain[j] = SUM_NOTHING;
		for (int64_t i = 0; i < n; i++, x += inner, out += inner) {
			for (int64_t j = 0; i && i % TERMS == 0 && j < width; j++) {
				carry[j] = i == TERMS ? chain[j] : SUM_ADD(carry[j], chain[j]);
				chain[j] = SUM_NOTHING;
			}
			if (i < TERMS)
				for (int64_t j = 0; j < width; j++) {
					SUM s = SUM_ADD(chain[j], SUM_OF(x[j]));
					chain[j] = s;
					out[j] = SUM_STORE(s);
				}
			else
				for (int64_t j = 0; j < width; j++) {
					SUM s = SUM_ADD(chain[j], SUM_OF(x[j]));
					chain[j] = s;
					out[j] = SUM_STORE(SUM_ADD(carry[j], s));
				}
		}
	}
}

#endif
#if WANTED(RUN_CARRY) && defined(SUM)
/* Blocks of a line that were summed up each for itself: the sum of those before each, and its addition. */
CORE void N(carry)(const CoreWork *w)
{
	int64_t n = w->param[0], add = w->param[1];
	SUMMED *out = w->buffer[0];
	SUM *carry = w->buffer[1];
	for (int64_t b = 1; !add && b*TERMS < n; b++) {
		SUM total = out[b*TERMS - 1];
		carry[b] = b > 1 ? SUM_ADD(carry[b - 1], total) : total;
	}
	for (int64_t b = w->lo ? w->lo : 1; add && b < w->hi; b++)
		for (int64_t i = b*TERMS; i < least(b*TERMS + TERMS, n); i++) {
			SUM s = out[i];
			out[i] = SUM_STORE(SUM_ADD(carry[b], s));
		}
}

#endif
#if WANTED(RUN_SCATTER)
/* ---- scatter ---- */

/* NaN if either is; of zeros +0 is larger than -0 */
#ifndef LARGER
#define LARGER(a, b) ((a) > (b) || KEY_NAN(a) ? (a) : (a) < (b) || KEY_NAN(b) ? (b) : (a) == 0 ? (a) + (b) : (a))
#define SMALLER(a, b) ((a) < (b) || KEY_NAN(a) ? (a) : (a) > (b) || KEY_NAN(b) ? (b) : (a) == 0 ? -(-(a) - (b)) : (a))
#endif

CORE void N(scatter_row)(T *out, const T *v, int64_t width, int64_t kind)
{
	switch (kind) {
	case SCATTERS_SET:
		for (int64_t j = 0; j < width; j++)
			out[j] = STORE(LOAD(v[j]));
		break;
#ifdef KEY
	case SCATTERS_MAX:
		for (int64_t j = 0; j < width; j++)
			out[j] = STORE(LARGER(KEY_OF(out[j]), KEY_OF(v[j])));
		break;
	case SCATTERS_MIN:
		for (int64_t j = 0; j < width; j++)
			out[j] = STORE(SMALLER(KEY_OF(out[j]), KEY_OF(v[j])));
		break;
#endif
#ifdef MUL
	case SCATTERS_MUL:
		for (int64_t j = 0; j < width; j++)
			out[j] = STORE(MUL(LOAD(out[j]), LOAD(v[j])));
		break;
#endif
	default:
		for (int64_t j = 0; j < width; j++)
			out[j] = STORE(ADD(LOAD(out[j]), LOAD(v[j])));
	}
}

/* Where an index is outside; count: nowhere. */
CORE int64_t N(scatter_outside)(const int64_t *index, int64_t n, int64_t count)
{
	for (int64_t c = 0; c < count; c += ITEM_INNER) {
		int64_t end = least(c + ITEM_INNER, count), outside = 0;
		for (int64_t i = c; i < end; i++)
			outside |= (uint64_t)index[i] >= (uint64_t)n;
		for (int64_t i = c; outside && i < end; i++)
			if ((uint64_t)index[i] >= (uint64_t)n)
				return i;
	}
	return count;
}

#ifndef KEPT
#define KEPT(w) STORE(w)
#define KEPT_NAN(w) 0
#endif

/* Of rows of one element.  The next sum may wait for this one, so f32 and f64 are stored as they are, and NaN is
 * made quiet behind. */
CORE void N(scatter_ones)(T *out, const T *v, const int64_t *index, int64_t count, int64_t set)
{
	int nan = 0;
	for (int64_t c = 0; c < count && set; c++)
		out[index[c]] = STORE(LOAD(v[c]));
	for (int64_t c = 0; c < count && !set; c++) {
		W sum = ADD(LOAD(out[index[c]]), LOAD(v[c]));
		out[index[c]] = KEPT(sum);
		nan |= KEPT_NAN(sum);
	}
	for (int64_t c = 0; c < count && nan; c++)
		out[index[c]] = STORE(LOAD(out[index[c]]));
}

/* Runs of one index, added up before the next sum is stored: a sum that is loaded waits until it is stored. */
CORE void N(scatter_runs)(T *out, const T *v, const int64_t *index, int64_t count)
{
	int nan = 0;
	for (int64_t c = 0; c < count;) {
		int64_t at = index[c];
		T sum = out[at];
		do
			sum = KEPT(ADD(LOAD(sum), LOAD(v[c])));
		while (++c < count && index[c] == at);
		nan |= KEPT_NAN(sum);
		out[at] = sum;
	}
	for (int64_t c = 0; c < count && nan; c++)
		out[index[c]] = STORE(LOAD(out[index[c]]));
}

/* Are there four equal indices in a row, as a rule?  Shorter runs cost more, as where they end is not foreseen. */
CORE int N(has_runs)(const int64_t *index, int64_t count)
{
	int64_t ends = 1;
	for (int64_t c = 1; c < count; c++)
		ends += index[c] != index[c - 1];
	return 4*ends <= count;
}

CORE void N(scatter)(const CoreWork *w)
{
	const int64_t *p = w->param, *index = w->buffer[1];
	int64_t kind = p[0], n = p[2], inner = p[3], count = p[4], pieces = cut_in(inner, ITEM_INNER);
	int64_t outside = w->lo < w->hi ? N(scatter_outside)(index, n, count) : count;
	if (outside < count && outside < w->fault[0])
		w->fault[0] = outside, w->fault[1] = index[outside], w->fault[2] = n;
	for (int64_t item = w->lo; item < w->hi; item++) {
		int64_t from = item % pieces * ITEM_INNER, width = least(inner - from, ITEM_INNER), o = item/pieces;
		const T *base = (const T *)w->buffer[0] + o*n*inner + from;
		const T *v = (const T *)w->buffer[2] + o*count*inner + from;
		T *out = (T *)w->buffer[3] + o*n*inner + from;
		if (base != out && width == inner)
			__builtin_memcpy(out, base, (uint64_t)(n*inner)*sizeof(T));
		else if (base != out)
			for (int64_t i = 0; i < n; i++)
				__builtin_memcpy(out + i*inner, base + i*inner, (uint64_t)width*sizeof(T));
		if (inner == 1 && outside == count && kind <= SCATTERS_SET) {
			if (kind != SCATTERS_SET && N(has_runs)(index, count))
				N(scatter_runs)(out, v, index, count);
			else
				N(scatter_ones)(out, v, index, count, kind == SCATTERS_SET);
			continue;
		}
		for (int64_t c = 0; c < count; c++)
			if ((uint64_t)index[c] < (uint64_t)n)
				N(scatter_row)(out + index[c]*inner, v + c*inner, width, kind);
	}
}

#endif
#if WANTED(RUN_TOP_K) && defined(KEY)
/* ---- top k ---- */

/* Is element i before element j?  The larger is; of equals the first; NaN is last. */
CORE int N(before)(const T *x, int64_t i, int64_t j)
{
	KEY a = KEY_OF(x[i]), b = KEY_OF(x[j]);
	if (a > b || a < b)
		return a > b;
	int a_nan = KEY_NAN(a), b_nan = KEY_NAN(b);
	return a_nan != b_nan ? b_nan : i < j;
}

/* heap[0] is the last of a heap of n; its place takes i, which sinks. */
CORE void N(sink)(const T *x, int64_t *heap, int64_t n, int64_t i)
{
	int64_t at = 0;
	for (int64_t child; (child = 2*at + 1) < n; at = child) {
		if (child + 1 < n && N(before)(x, heap[child], heap[child + 1]))
			child++;
		if (!N(before)(x, i, heap[child]))
			break;
		heap[at] = heap[child];
	}
	heap[at] = i;
}

/* The k first are kept in a heap with the last of them on top; then they are taken off one by one. */
CORE void N(top_k)(const CoreWork *w)
{
	int64_t n = w->param[1], k = w->param[2];
	for (int64_t row = w->lo; row < w->hi && k; row++) {
		const T *x = (const T *)w->buffer[0] + row*n;
		T *values = (T *)w->buffer[1] + row*k;
		int64_t *heap = (int64_t *)w->buffer[2] + row*k;
		for (int64_t i = 0; i < k; i++) {
			int64_t at = i;
			for (; at && N(before)(x, heap[(at - 1)/2], i); at = (at - 1)/2)
				heap[at] = heap[(at - 1)/2];
			heap[at] = i;
		}
		for (int64_t i = k; i < n; i++)
			if (N(before)(x, i, heap[0]))
				N(sink)(x, heap, k, i);
		for (int64_t left = k; left-- > 1;) {
			int64_t last = heap[0];
			N(sink)(x, heap, left, heap[left]);
			heap[left] = last;
		}
		for (int64_t i = 0; i < k; i++)
			values[i] = STORE(LOAD(x[heap[i]]));
	}
}
#endif

#if WANTED(RUN_CONTRACT) && defined(PLAIN_CONTRACT)
/* ---- contraction, plain ---- */

/* One block of one row: a chain for each column. */
CORE void N(plain_chain)(const Contraction *c, const T *x, const T *y, int64_t terms, int64_t width, W *acc)
{
	for (int64_t j = 0; j < width; j++)
		acc[j] = NOTHING;
	for (int64_t j = 0; j < width && c->yk == 1; j++)
		for (int64_t i = 0; i < terms; i++)
			acc[j] = MADD(LOAD(x[i*c->xk]), LOAD(y[j*c->yn + i]), acc[j]);
	for (int64_t i = 0; i < terms && c->yk != 1; i++) {
		W a = LOAD(x[i*c->xk]);
		const T *b = y + i*c->yk;
		if (c->yn == 1)
			for (int64_t j = 0; j < width; j++)
				acc[j] = MADD(a, LOAD(b[j]), acc[j]);
		else
			for (int64_t j = 0; j < width; j++)
				acc[j] = MADD(a, LOAD(b[j*c->yn]), acc[j]);
	}
}

/* One block of one row: lanes for each column. */
CORE void N(plain_lanes)(const Contraction *c, const T *x, const T *y, int64_t terms, int64_t width, W *acc)
{
	enum { L = 256/sizeof(W) };
	W lane[L];
	for (int64_t j = 0; j < width; j++) {
		for (int64_t l = 0; l < L; l++)
			lane[l] = NOTHING;
		for (int64_t i = 0; i < terms; i++)
			lane[i % L] = MADD(LOAD(x[i*c->xk]), LOAD(y[i*c->yk + j*c->yn]), lane[i % L]);
		for (int64_t h = L/2; h; h /= 2)
			for (int64_t l = 0; l < h; l++)
				lane[l] = ADD(lane[l], lane[l + h]);
		acc[j] = lane[0];
	}
}

typedef struct N(Region) {
	const Contraction *c;
	const T *x, *y;                  /* of the first row, of the first column */
	T *out;
	int64_t rows, width;
} N(Region);

CORE void N(contract)(N(Region) g, void *scratch)
{
	const Contraction *c = g.c;
	int64_t width = g.width;
	for (int64_t r = 0; r < g.rows; r++, g.x += c->xm, g.out += c->n) {
		W *top = scratch;
		for (int64_t b = 0; b*TERMS < c->k; b++) {
			int64_t terms = least(c->k - b*TERMS, TERMS);
			(c->lanes ? N(plain_lanes) : N(plain_chain))(c, g.x + b*TERMS*c->xk, g.y + b*TERMS*c->yk, terms, width, top);
			for (int64_t odd = b; odd & 1; odd >>= 1) {
				top -= width;
				for (int64_t j = 0; j < width; j++)
					top[j] = ADD(top[j], top[j + width]);
			}
			top += width;
		}
		for (top -= width; top > (W *)scratch; top -= width)
			for (int64_t j = 0; j < width; j++)
				top[j - width] = ADD(top[j - width], top[j]);
		for (int64_t j = 0; j < width; j++)
			g.out[j] = STORE(((W *)scratch)[j]);
	}
}

#define O N
#include "regions.h"
#undef O
#endif

#if WANTED(RUN_JOIN) && !defined(MOVED_ONLY)
/* ---- partial sums ---- */

/* out[e] of n parts, in the place of the first: parts 0 and 1, 2 and 3, ... join until one is left. */
CORE void N(join)(const CoreWork *w)
{
	int64_t size = w->param[1], from = w->lo*ITEM_INNER, to = least(w->hi*ITEM_INNER, size);
	T *part = w->buffer[0], *out = w->buffer[1];
	for (int64_t n = w->param[0]; n > 0; n = n > 1 ? (n + 1)/2 : 0)
		for (int64_t i = 0; i < n; i += 2)
			for (int64_t e = from; e < to; e++) {
				T *sum = n > 1 ? part + i/2*size : out;
				sum[e] = i + 1 < n ? STORE(ADD(LOAD(part[i*size + e]), LOAD(part[(i + 1)*size + e]))) : part[i*size + e];
			}
}
#endif

/* ---- which ---- */

CORE void N(run)(int core, const CoreWork *w)
{
	switch (core) {
#if WANTED(RUN_CUMSUM) && defined(SUM)
	case RUN_CUMSUM: N(cumsum)(w); break;
#endif
#if WANTED(RUN_SCATTER)
	case RUN_SCATTER: N(scatter)(w); break;
#endif
#if WANTED(RUN_TOP_K) && defined(KEY)
	case RUN_TOP_K: N(top_k)(w); break;
#endif
#if WANTED(RUN_CONTRACT) && defined(PLAIN_CONTRACT)
	case RUN_CONTRACT: N(contract_regions)(w); break;
#endif
#if WANTED(RUN_JOIN) && !defined(MOVED_ONLY)
	case RUN_JOIN: N(join)(w); break;
#endif
#if WANTED(RUN_CARRY) && defined(SUM)
	case RUN_CARRY: N(carry)(w); break;
#endif
	}
}
