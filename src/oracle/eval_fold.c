/* eval_fold.c - the defined order of folding, and the folds.
 *
 * THE DEFINED ORDER.  A fold joins n terms t(0), ..., t(n-1) of an accumulator
 * type by an operation "op" with a neutral element e.  It depends on nothing
 * but n, the accumulator's type and one bit: LANES or CHAIN.
 *
 *   0. n = 0: the result is `empty` (+0 for sums and contractions, else e).
 *   1. Block b holds the terms i with 4096 b <= i < 4096 (b + 1); the last may
 *      be short.
 *   2. CHAIN, inside a block: acc = e; for i ascending: acc = acc op t(i).
 *      LANES, inside a block: L = 256 / (bytes of the accumulator) lanes, each
 *      e at first; for i ascending: lane[i mod L] = lane[i mod L] op t(i), also
 *      in a short block, where the lanes that get no term stay e; then for
 *      h = L/2, L/4, ..., 1, for 0 <= l < h: lane[l] = lane[l] op lane[l + h].
 *      The block's result is lane[0].
 *   3. The results r(0), r(1), ... of the blocks, in order: while there is more
 *      than one, the new r(j) is r(2j) op r(2j + 1); an odd last one moves up
 *      as it is.  (One block: no further op.)
 *
 * Operands of op stand as written: the accumulator or lower index on the left.
 *
 *   accumulator       of                             bytes  L    e of sum   of prod
 *   i64, u64          bools and signed, unsigned       8    32   0          1
 *   f32               f16, bf16, f32                   4    64   -0         1
 *   f64               f64                              8    32   -0         1
 *   c64               c64                              8    32   (-0, -0)   (1, +0)
 *   c128              c128                            16    16   (-0, -0)   (1, +0)
 *
 * Every f16 or bf16 term is converted to f32 exactly; the final result alone is
 * rounded to the node's dtype.  Integers are cut to it.  A NaN anywhere is
 * stored as the positive quiet one (complex: each part for itself).
 *
 * A FOLD node: the folded axes are one index in row order; LANES if the last
 * axis of the operand is among them, else CHAIN.  Sizes have no say: an axis of
 * size 1 is an axis.  sum: +; prod: * (complex: the plain formula, no fma).
 * max, min, any, all: any order gives the same bits.  e of max is -inf or the
 * smallest integer of the dtype, of min +inf or the largest.
 *
 * logsumexp, in the accumulator's type: m = max; if m is NaN or infinite the
 * result is m; else s = sum of exp(t(i) - m) in the order above, and m + log(s).
 *
 * cumsum along an axis: blocks of 4096 as in 1; in a block c = -0 (integers 0),
 * for i ascending c = c + x(i); the result at i is c in block 0, else carry + c.
 * carry into block 1 is the last c of block 0, into block b + 1 it is
 * carry + (last c of block b).  Nothing is rounded to f16 or bf16 but the
 * stored results.
 */
#include "eval.h"
#include "../math/math.h"

/* ---- the order ---------------------------------------------------------------- */

int64_t fold_blocks(int64_t n)
{
	return n / BLOCK + (n % BLOCK != 0);
}

int64_t fold_lanes(ScalarKind k)
{
	return LANE_BYTES / (int64_t)eval_arithmetic(k)->bytes;
}

static Scalar fold_block(const Fold *f, int64_t from, int64_t to)
{
	Scalar lane[LANE_BYTES / 4];
	for (int64_t l = 0; l < f->lanes; l++) lane[l] = f->neutral;
	for (int64_t i = from; i < to; i++) lane[i % f->lanes] = f->term(f->user, i, lane[i % f->lanes]);
	for (int64_t h = f->lanes / 2; h >= 1; h /= 2)
		for (int64_t l = 0; l < h; l++) lane[l] = f->join(lane[l], lane[l + h]);
	return lane[0];
}

/* Terms are asked for once each, in ascending order. */
Scalar fold_in_order(const Fold *f, int64_t n, Scalar *r)
{
	if (n == 0) return f->empty;
	int64_t blocks = fold_blocks(n);
	for (int64_t b = 0; b < blocks; b++) {
		eval_works(f->e, (uint64_t)(n < BLOCK ? n : BLOCK));
		r[b] = fold_block(f, b * BLOCK, b + 1 < blocks ? (b + 1) * BLOCK : n);
	}
	while (blocks > 1) {
		for (int64_t j = 0; 2 * j < blocks; j++)
			r[j] = 2 * j + 1 < blocks ? f->join(r[2 * j], r[2 * j + 1]) : r[2 * j];
		blocks = (blocks + 1) / 2;
	}
	return r[0];
}

/* ---- the folded and the kept axes ------------------------------------------------ */

typedef struct Folding {
	const Eval *e;
	const Value *x;
	BoxWalk outer, inner; /* over results, over the terms of one */
	int64_t n;         /* terms of one */
	bool last;         /* the last axis is folded */
	const Arithmetic *a;
	Scalar (*join)(Scalar, Scalar);
	ScalarKind kind;
	Scalar shift; /* logsumexp: the maximum */
	Scalar *scratch;
} Folding;

static bool folding_open(Activation *f, const Node *x, const Value *v, Folding *g)
{
	int64_t stride[RANK_MAX];
	eval_strides(v, stride);
	*g = (Folding){.e = f->e, .x = v, .n = 1, .kind = eval_kind(f->e, v->dtype)};
	g->a = eval_arithmetic(g->kind);
	uint32_t next = 0;
	bool empty = false;
	for (uint32_t k = 0; k < v->rank; k++) {
		bool folded = next < attr_count(x) && attr_int(x, next) == k;
		next += folded;
		BoxWalk *w = folded ? &g->inner : &g->outer;
		w->dim[w->rank] = v->dim[k];
		w->stride[0][w->rank++] = stride[k];
		g->last = folded;
		empty |= folded && v->dim[k] == 0;
	}
	for (uint32_t k = 0; k < g->inner.rank && !empty; k++)
		if (__builtin_mul_overflow(g->n, g->inner.dim[k], &g->n))
			return eval_fail(f, ERR_VALUE, "a fold of more terms than can be counted");
	g->n = empty ? 0 : g->n;
	g->scratch = NEW_ARRAY(f->arena, Scalar, fold_blocks(g->n) + 1);
	return true;
}

static Scalar next_term(Folding *g)
{
	Scalar s = eval_load(g->e, g->x->dtype, eval_at(g->e, g->x, g->outer.at[0] + g->inner.at[0]));
	eval_walk_next(&g->inner);
	return s;
}

static Scalar plain_term(void *user, int64_t i, Scalar acc)
{
	Folding *g = user;
	(void)i;
	return g->join(acc, next_term(g));
}

/* ---- sum, prod, max, min, any, all -------------------------------------------------- */

static Fold fold_of(const Folding *g, Op op, Dtype d)
{
	const Arithmetic *a = g->a;
	Fold f = {.e = g->e, .term = plain_term, .lanes = g->last ? fold_lanes(g->kind) : 1};
	switch (op) {
	case OP_SUM:
		f.join = a->add;
		f.neutral = a->minus_zero;
		f.empty = a->zero;
		return f;
	case OP_PROD:
		f.join = a->mul;
		f.neutral = a->one;
		break;
	case OP_ANY:
		f.join = a->max;
		f.neutral = a->zero;
		break;
	case OP_ALL:
		f.join = a->min;
		f.neutral = a->one;
		break;
	case OP_MAX:
		f.join = a->max;
		f.neutral = eval_extreme(g->e, d, false);
		break;
	default:
		f.join = a->min;
		f.neutral = eval_extreme(g->e, d, true);
		break;
	}
	f.empty = f.neutral;
	return f;
}

bool eval_fold(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Folding g;
	if (!eval_alloc(f, out) || !folding_open(f, x, arg[0], &g)) return false;
	Fold order = fold_of(&g, (Op)x->op, arg[0]->dtype);
	order.user = &g;
	g.join = order.join;
	for (int64_t i = 0; i < out->count; i++, eval_walk_next(&g.outer))
		eval_store(f->e, out->dtype, eval_at(f->e, out, i), fold_in_order(&order, g.n, g.scratch));
	return true;
}

/* ---- argmax, argmin ------------------------------------------------------------------- */

bool eval_argfold(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Folding g;
	if (!eval_alloc(f, out) || !folding_open(f, x, arg[0], &g)) return false;
	if (g.n == 0) return eval_fail(f, ERR_CALL, "%s of no elements", op_info[x->op].text);
	for (int64_t i = 0; i < out->count; i++, eval_walk_next(&g.outer)) {
		int64_t best = 0;
		Scalar kept = next_term(&g);
		for (int64_t k = 1; k < g.n; k++) {
			Scalar s = next_term(&g);
			bool better = x->op == OP_ARGMAX ? g.a->less(kept, s) : g.a->less(s, kept);
			if (!eval_is_nan(g.kind, kept) && (better || eval_is_nan(g.kind, s))) {
				best = k;
				kept = s;
			}
		}
		((int64_t *)out->data)[i] = best;
	}
	return true;
}

/* ---- logsumexp -------------------------------------------------------------------------- */

/* Of a narrow float every step is rounded to it, as that of a map is. */
static float in_dtype(const Folding *g, float x)
{
	uint16_t narrow;
	if (!dtype_is_narrow(g->x->dtype)) return x;
	element_cast(g->x->dtype, &narrow, DT_F32, &x);
	element_cast(DT_F32, &x, g->x->dtype, &narrow);
	return x;
}

static Scalar shifted_term(void *user, int64_t i, Scalar acc)
{
	Folding *g = user;
	Scalar s = next_term(g);
	(void)i;
	switch (g->kind) {
	case KIND_F32: s.f[0] = in_dtype(g, exp_f32(in_dtype(g, s.f[0] - g->shift.f[0]))); break;
	case KIND_F64: s.d[0] = exp_f64(s.d[0] - g->shift.d[0]); break;
	default: s.q[0] = quad_exp(s.q[0] - g->shift.q[0]); break;
	}
	return g->a->add(acc, s);
}

static Scalar shifted_back(const Folding *g, Scalar s)
{
	switch (g->kind) {
	case KIND_F32: s.f[0] = g->shift.f[0] + in_dtype(g, log_f32(in_dtype(g, s.f[0]))); break;
	case KIND_F64: s.d[0] = g->shift.d[0] + log_f64(s.d[0]); break;
	default: s.q[0] = g->shift.q[0] + quad_log(s.q[0]); break;
	}
	return s;
}

static bool is_finite(const Folding *g, Scalar s)
{
	switch (g->kind) {
	case KIND_F32: return s.f[0] - s.f[0] == 0;
	case KIND_F64: return s.d[0] - s.d[0] == 0;
	default: return s.q[0] - s.q[0] == 0;
	}
}

bool eval_logsumexp(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Folding g;
	if (!eval_alloc(f, out) || !folding_open(f, x, arg[0], &g)) return false;
	Fold largest = fold_of(&g, OP_MAX, arg[0]->dtype), sum = fold_of(&g, OP_SUM, arg[0]->dtype);
	largest.user = sum.user = &g;
	sum.term = shifted_term;
	g.join = largest.join;
	for (int64_t i = 0; i < out->count; i++, eval_walk_next(&g.outer)) {
		Scalar r = g.shift = fold_in_order(&largest, g.n, g.scratch);
		if (is_finite(&g, r)) r = shifted_back(&g, fold_in_order(&sum, g.n, g.scratch));
		eval_store(f->e, out->dtype, eval_at(f->e, out, i), r);
	}
	return true;
}

/* ---- cumsum ------------------------------------------------------------------------------- */

bool eval_cumsum(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	const Value *v = arg[0];
	const Arithmetic *a = eval_arithmetic(eval_kind(f->e, v->dtype));
	int64_t axis = attr_int(x, 0), n = v->dim[axis], stride[RANK_MAX];
	if (!eval_alloc(f, out)) return false;
	eval_strides(v, stride);
	BoxWalk w = {.rank = v->rank};
	memcpy(w.dim, v->dim, sizeof v->dim);
	memcpy(w.stride[0], stride, sizeof stride);
	w.dim[axis] = 1;
	for (int64_t line = 0; line < (n ? v->count / n : 0); line++, eval_walk_next(&w)) {
		Scalar carry = a->zero, chain = a->minus_zero;
		for (int64_t i = 0; i < n; i++) {
			if (i && i % BLOCK == 0) {
				carry = i == BLOCK ? chain : a->add(carry, chain);
				chain = a->minus_zero;
			}
			int64_t at = w.at[0] + i * stride[axis];
			chain = a->add(chain, eval_load(f->e, v->dtype, eval_at(f->e, v, at)));
			eval_store(f->e, out->dtype, eval_at(f->e, out, at),
				i < BLOCK ? chain : a->add(carry, chain));
		}
	}
	return true;
}
