/* eval_linear.c - contraction, QR, triangular solves.
 *
 * CONTRACT is a fold (see eval_fold.c) with t(i) = (a, b), the elements of x
 * and y, and acc op t(i) = fma(a, b, acc): rounded once for real floats;
 * integers wrap; complex: acc + a*b with the plain product, no fma.  Partial
 * results are joined by +.  e is -0, an empty contraction +0.  f16 and bf16
 * are converted to f32 and the result is rounded once.
 *
 *   The folded index: the labels that the result lacks, in the order in which
 *   they first appear in x's labels, then those only y has; the last runs
 *   fastest.  No such label: one term.
 *   A label is FREE in an operand if the result has it and the other operand
 *   has not.  LANES if a label is folded and x or y has no free label (dot,
 *   matrix by vector, vector by matrix), else CHAIN.  Sizes and what the
 *   operands are have no say.
 *
 * QR, of each matrix [m, n] of a batch; all sums are one chain of fma from -0
 * with i ascending, without blocks.  For k = 0 ... n - 1:
 *   c = max |a(i,k)|, i = k ... m-1 (NaN wins); c = 0: no reflection, d(k) = 0
 *   v(i) = a(i,k)/c;  s = sum v(i) v(i);  h = sqrt(s);  p = |v(k)|
 *   d(k) = h c if v(k) < 0 (or NaN), else -(h c)
 *   v(k) = v(k) - h if v(k) < 0, else v(k) + h;  u = s + h p
 *   for j = k+1 ... n-1: t = (sum v(i) a(i,j))/u;  a(i,j) = fma(-t, v(i), a(i,j)), i = k ... m-1
 * r(k,k) = d(k), r(k,j) = a(k,j) above, +0 below.  q begins as the first n
 * columns of the identity; for k = n-1 ... 0, for j = k ... n-1: the same
 * reflection of q's column j.  Last, where d(k) < 0, row k of r (from the
 * diagonal on) and column k of q are negated.
 *
 * TRI_SOLVE, of each column of b: rows ascending if the solved triangle is
 * lower (upper == turned), else descending.  For each row i: acc = b(i); for
 * the solved rows j, ascending: acc = fma(-a(i,j), z(j), acc); z(i) = acc/a(i,i)
 * (turned: a(j,i) for a(i,j)).
 */
#include "eval.h"
#include "../math/math.h"

/* ---- contraction ---------------------------------------------------------------- */

enum { LABELS = 64 };

typedef struct EvalContraction {
	const Eval *e;
	const Value *x, *y;
	const int64_t *label[3]; /* of x, y, the result */
	uint32_t n[3];
	int64_t labels[2 * RANK_MAX + RANK_MAX];
	BoxWalk outer, inner;
	int64_t terms;
	bool lanes;
	const Arithmetic *a;
} EvalContraction;

static bool has(const EvalContraction *c, int which, int64_t label)
{
	for (uint32_t i = 0; i < c->n[which]; i++)
		if (c->label[which][i] == label) return true;
	return false;
}

static void read_labels(const Node *x, EvalContraction *c)
{
	uint32_t at = 0, total = 0;
	for (int k = 0; k < 3; k++, at++) {
		c->label[k] = c->labels + total;
		for (; at < attr_count(x) && attr_int(x, at) >= 0; at++, c->n[k]++)
			c->labels[total++] = attr_int(x, at);
	}
}

static bool has_free_label(const EvalContraction *c, int which)
{
	for (uint32_t i = 0; i < c->n[which]; i++)
		if (has(c, 2, c->label[which][i]) && !has(c, 1 - which, c->label[which][i])) return true;
	return false;
}

static void add_axis(const EvalContraction *c, BoxWalk *w, int64_t label)
{
	uint32_t at = w->rank++;
	int64_t stride[RANK_MAX];
	for (int k = 0; k < 2; k++) {
		const Value *v = k ? c->y : c->x;
		eval_strides(v, stride);
		for (uint32_t i = 0; i < c->n[k]; i++)
			if (c->label[k][i] == label) {
				w->stride[k][at] += stride[i];
				w->dim[at] = v->dim[i];
			}
	}
}

static bool check_sizes(Activation *f, const EvalContraction *c)
{
	int64_t size[LABELS];
	memset(size, -1, sizeof size);
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < c->n[k]; i++) {
			int64_t *s = &size[c->label[k][i]], d = (k ? c->y : c->x)->dim[i];
			if (*s >= 0 && *s != d)
				return eval_fail(f, ERR_CALL, "einsum: inner sizes %lld and %lld differ",
					(long long)*s, (long long)d);
			*s = d;
		}
	return true;
}

static bool contraction_open(Activation *f, const Node *x, const Value *const *arg, EvalContraction *c)
{
	*c = (EvalContraction){.e = f->e, .x = arg[0], .y = arg[1], .terms = 1};
	c->a = eval_arithmetic(eval_kind(f->e, arg[0]->dtype));
	read_labels(x, c);
	if (!check_sizes(f, c)) return false;
	for (uint32_t i = 0; i < c->n[2]; i++) add_axis(c, &c->outer, c->label[2][i]);
	bool folded = false;
	uint64_t seen = 0;
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < c->n[k]; i++) {
			int64_t l = c->label[k][i];
			if (has(c, 2, l) || seen >> l & 1) continue;
			seen |= (uint64_t)1 << l;
			add_axis(c, &c->inner, l);
			folded = true;
			if (__builtin_mul_overflow(c->terms, c->inner.dim[c->inner.rank - 1], &c->terms))
				return eval_fail(f, ERR_VALUE, "einsum: more terms than can be counted");
		}
	for (int k = 0; k < 2; k++) c->lanes |= folded && !has_free_label(c, k);
	return true;
}

static Scalar product_term(void *user, int64_t i, Scalar acc)
{
	EvalContraction *c = user;
	Dtype d = c->x->dtype;
	(void)i;
	Scalar x = eval_load(c->e, d, eval_at(c->e, c->x, c->outer.at[0] + c->inner.at[0]));
	Scalar y = eval_load(c->e, d, eval_at(c->e, c->y, c->outer.at[1] + c->inner.at[1]));
	eval_walk_next(&c->inner);
	return c->a->fma(x, y, acc);
}

bool eval_contract(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	EvalContraction c;
	if (!eval_alloc(f, out) || !contraction_open(f, x, arg, &c)) return false;
	Fold order = {.e = f->e,
		.neutral = c.a->minus_zero,
		.empty = c.a->zero,
		.term = product_term,
		.join = c.a->add,
		.lanes = c.lanes ? fold_lanes(eval_kind(f->e, out->dtype)) : 1,
		.user = &c};
	Scalar *scratch = NEW_ARRAY(f->arena, Scalar, fold_blocks(c.terms) + 1);
	for (int64_t i = 0; i < out->count; i++, eval_walk_next(&c.outer))
		eval_store(f->e, out->dtype, eval_at(f->e, out, i), fold_in_order(&order, c.terms, scratch));
	return true;
}

/* ---- QR -------------------------------------------------------------------------------- */

/* The same text for f32, f64 and binary128: T, and its fma, root and larger. */
#define QR(T, name, FMA, ROOT, LARGER)                                                                       \
	static T dot_##name(int64_t k, int64_t m, const T *x, int64_t xs, const T *y, int64_t ys)            \
	{                                                                                                    \
		T s = -(T)0;                                                                                 \
		for (int64_t i = k; i < m; i++) s = FMA(x[i * xs], y[i * ys], s);                            \
		return s;                                                                                    \
	}                                                                                                    \
                                                                                                             \
	static void reflect_##name(int64_t k, int64_t m, const T *v, T u, T *column, int64_t stride)         \
	{                                                                                                    \
		T t = dot_##name(k, m, v, 1, column, stride) / u;                                            \
		for (int64_t i = k; i < m; i++) column[i * stride] = FMA(-t, v[i], column[i * stride]);      \
	}                                                                                                    \
                                                                                                             \
	static void qr_##name(int64_t m, int64_t n, T *a, T *q, T *r, T *vs, T *us)                          \
	{                                                                                                    \
		for (int64_t k = 0; k < n; k++) {                                                            \
			T *v = vs + k * m, c = 0;                                                            \
			for (int64_t i = k; i < m; i++)                                                      \
				c = LARGER(c, a[i * n + k] < 0 ? -a[i * n + k] : a[i * n + k]);              \
			us[k] = 0;                                                                           \
			if (c != 0) {                                                                        \
				for (int64_t i = k; i < m; i++) v[i] = a[i * n + k] / c;                     \
				T s = dot_##name(k, m, v, 1, v, 1), h = ROOT(s), first = v[k];               \
				v[k] = first < 0 ? first - h : first + h;                                    \
				us[k] = s + h * (first < 0 ? -first : first);                                \
				a[k * n + k] = first < 0 ? h * c : -(h * c);                                 \
				for (int64_t j = k + 1; j < n; j++)                                          \
					reflect_##name(k, m, v, us[k], a + j, n);                            \
			} else {                                                                             \
				a[k * n + k] = 0;                                                            \
			}                                                                                    \
			for (int64_t j = k; j < n; j++) r[k * n + j] = a[k * n + j];                         \
			q[k * n + k] = 1;                                                                    \
		}                                                                                            \
		for (int64_t k = n; k-- > 0;)                                                                \
			for (int64_t j = k; us[k] != 0 && j < n; j++)                                        \
				reflect_##name(k, m, vs + k * m, us[k], q + j, n);                           \
		for (int64_t k = 0; k < n; k++) {                                                            \
			if (!(r[k * n + k] < 0)) continue;                                                   \
			for (int64_t j = k; j < n; j++) r[k * n + j] = -r[k * n + j];                        \
			for (int64_t i = 0; i < m; i++) q[i * n + k] = -q[i * n + k];                        \
		}                                                                                            \
	}

#define ROOT_F32(x) __builtin_sqrtf(x)
#define ROOT_F64(x) __builtin_sqrt(x)
QR(float, f32, fma_f32, ROOT_F32, maximum_f32)
QR(double, f64, fma_f64, ROOT_F64, maximum_f64)
QR(Quad, quad, quad_fma, quad_sqrt, quad_maximum)

/* Every NaN the same one. */
static void store_again(const Eval *e, const Value *v)
{
	for (int64_t i = 0; i < v->count; i++)
		eval_store(e, v->dtype, eval_at(e, v, i), eval_load(e, v->dtype, eval_at(e, v, i)));
}

bool eval_qr(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	const Value *a = arg[0];
	Value *q = &out->elem[0], *r = &out->elem[1], work = *a;
	int64_t m = a->dim[a->rank - 2], n = a->dim[a->rank - 1];
	size_t bytes = eval_bytes(f->e, a->dtype);
	(void)x;
	if (m < n)
		return eval_fail(
			f, ERR_CALL, "qr: %lld rows, fewer than %lld columns", (long long)m, (long long)n);
	if (!eval_alloc(f, q) || !eval_alloc(f, r) || !eval_alloc(f, &work)) return false;
	memcpy(work.data, a->data, (size_t)a->count * bytes);
	void *v = arena_array(f->arena, bytes, (size_t)(m * n + 1)),
	     *u = arena_array(f->arena, bytes, (size_t)n + 1);
	for (int64_t b = 0; b < (a->count ? a->count / (m * n) : 0); b++) {
		void *ab = eval_at(f->e, &work, b * m * n), *qb = eval_at(f->e, q, b * m * n),
		     *rb = eval_at(f->e, r, b * n * n);
		if (f->e->quad)
			qr_quad(m, n, ab, qb, rb, v, u);
		else if (a->dtype == DT_F32)
			qr_f32(m, n, ab, qb, rb, v, u);
		else
			qr_f64(m, n, ab, qb, rb, v, u);
	}
	store_again(f->e, q);
	store_again(f->e, r);
	return true;
}

/* ---- triangular solves ------------------------------------------------------------------- */

#define SOLVE_TRIANGLE(T, name, FMA)                                                                         \
	static void solve_##name(int64_t n, int64_t columns, bool down, bool turned, const T *a, T *z)       \
	{                                                                                                    \
		for (int64_t c = 0; c < columns; c++)                                                        \
			for (int64_t step = 0; step < n; step++) {                                           \
				int64_t i = down ? step : n - 1 - step;                                      \
				T acc = z[i * columns + c];                                                  \
				for (int64_t j = down ? 0 : i + 1; j < (down ? i : n); j++)                  \
					acc = FMA(-(turned ? a[j * n + i] : a[i * n + j]),                   \
						z[j * columns + c], acc);                                    \
				z[i * columns + c] = acc / a[i * n + i];                                     \
			}                                                                                    \
	}

SOLVE_TRIANGLE(float, f32, fma_f32)
SOLVE_TRIANGLE(double, f64, fma_f64)
SOLVE_TRIANGLE(Quad, quad, quad_fma)

bool eval_tri_solve(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	const Value *a = arg[0], *b = arg[1];
	bool turned = attr_int(x, 1) != 0, down = (attr_int(x, 0) != 0) == turned;
	int64_t n = a->dim[a->rank - 1], columns = b->dim[b->rank - 1], batches = 1;
	if (a->dim[a->rank - 2] != n || b->dim[b->rank - 2] != n)
		return eval_fail(f, ERR_CALL, "tri_solve: a matrix of %lld by %lld and %lld rows",
			(long long)a->dim[a->rank - 2], (long long)n, (long long)b->dim[b->rank - 2]);
	for (uint32_t k = 0; k + 2 < a->rank; k++) {
		if (a->dim[k] != b->dim[k])
			return eval_fail(f, ERR_CALL, "tri_solve: batches of %lld and %lld",
				(long long)a->dim[k], (long long)b->dim[k]);
		batches *= a->dim[k];
	}
	if (!eval_alloc(f, out)) return false;
	memcpy(out->data, b->data, (size_t)b->count * eval_bytes(f->e, b->dtype));
	for (int64_t k = 0; k < batches; k++) {
		void *ak = eval_at(f->e, a, k * n * n), *z = eval_at(f->e, out, k * n * columns);
		if (f->e->quad)
			solve_quad(n, columns, down, turned, ak, z);
		else if (a->dtype == DT_F32)
			solve_f32(n, columns, down, turned, ak, z);
		else
			solve_f64(n, columns, down, turned, ak, z);
	}
	store_again(f->e, out);
	return true;
}
