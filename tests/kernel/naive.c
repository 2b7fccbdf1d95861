/* naive.c - a kernel, one index after another, folds in the order that loop.h writes down.
 *
 * Values lie in arrays over the inner index (CHAIN's stage 0: over folded and
 * inner), folds are done on those afterwards, level by level.
 */
#include "naive.h"
#include "../../src/math/math.h"

#include <assert.h>
#include <stdlib.h>

typedef union Scalar {
	float f;
	double d;
	int64_t i;
	uint64_t u;
	C64 c;
	C128 z;
} Scalar;

typedef struct Naive {
	const Kernel *k;
	void *const *buffer;
	const int64_t *param;
	Fault *fault;
	int64_t n[AXES_MAX], rows, folded, inner, row;
	Scalar *value[CODE_MAX]; /* of the row: by folded*inner + inner index */
} Naive;

static bool is_unsigned(Dtype d)
{
	return d == DT_BOOL || dtype_is_unsigned(d);
}

static Scalar load(Dtype d, const void *p)
{
	Scalar s = {.u = 0};
	switch (d) {
#define LOAD(D, d, T, ...)                                                                                   \
	case DT_##D: s.f = cast##d##_f32(*(const T *)p); break;
		NARROW_DTYPES(LOAD)
	case DT_I8: s.i = *(const int8_t *)p; break;
	case DT_I16: s.i = *(const int16_t *)p; break;
	case DT_I32: s.i = *(const int32_t *)p; break;
	case DT_KEY: s.u = *(const uint64_t *)p; break;
	default: memcpy(&s, p, dtype_bytes(d)); break;
	}
	return s;
}

static void store(Dtype d, void *p, Scalar s)
{
	switch (d) {
#define STORE(D, d, T, ...)                                                                                  \
	case DT_##D: *(T *)p = cast_f32##d(s.f); break;
		NARROW_DTYPES(STORE)
	default: memcpy(p, &s, d == DT_KEY ? 8 : dtype_bytes(d)); break;
	}
}

static Scalar rounded(Dtype d, Scalar s)
{
	switch (d) {
#define ROUND(D, d, ...)                                                                                     \
	case DT_##D: s.f = round##d(s.f); break;
		NARROW_DTYPES(ROUND)
	default: break;
	}
	return s;
}

/* ---- maps: those that the tests use ------------------------------------------------------- */

#define BOTH(OP, name)                                                                                       \
	case OP:                                                                                             \
		if (f64)                                                                                     \
			r.d = name##_f64(a.d, b.d);                                                          \
		else                                                                                         \
			r.f = name##_f32(a.f, b.f);                                                          \
		return r;
#define ONE(OP, name)                                                                                        \
	case OP:                                                                                             \
		if (f64)                                                                                     \
			r.d = name##_f64(a.d);                                                               \
		else                                                                                         \
			r.f = name##_f32(a.f);                                                               \
		return r;

static Scalar float_map(Op op, bool f64, Scalar a, Scalar b, Scalar c)
{
	Scalar r = {.u = 0};
	switch ((int)op) {
	case OP_LT: r.u = f64 ? a.d < b.d : a.f < b.f; return r;
	case OP_FMA:
		if (f64)
			r.d = fma_f64(a.d, b.d, c.d);
		else
			r.f = fma_f32(a.f, b.f, c.f);
		return r;
		BOTH(OP_ADD, add)
		BOTH(OP_SUB, sub)
		BOTH(OP_MUL, mul)
		BOTH(OP_DIV, div)
		BOTH(OP_MAXIMUM, maximum)
		BOTH(OP_MINIMUM, minimum)
		ONE(OP_NEG, neg)
		ONE(OP_EXP, exp)
		ONE(OP_LOG, log)
		ONE(OP_TANH, tanh)
		ONE(OP_SQRT, sqrt)
		ONE(OP_SIN, sin)
	case OP_WHERE: return a.u & 1 ? b : c;
	}
	assert(!"a map the tests know");
	return r;
}

static Scalar integer_map(Op op, Dtype d, Scalar a, Scalar b, Scalar c)
{
	Scalar r = {.u = 0};
	switch ((int)op) {
	case OP_ADD: r.u = a.u + b.u; break;
	case OP_SUB: r.u = a.u - b.u; break;
	case OP_MUL: r.u = a.u * b.u; break;
	case OP_NEG: r.u = 0 - a.u; break;
	case OP_MAXIMUM: return (is_unsigned(d) ? a.u > b.u : a.i > b.i) ? a : b;
	case OP_LT: r.u = is_unsigned(d) ? a.u < b.u : a.i < b.i; break;
	case OP_AND: r.u = a.u & b.u; break;
	case OP_WHERE: return a.u & 1 ? b : c;
	default: assert(!"a map the tests know");
	}
	return r;
}

static Scalar converted(Dtype from, Dtype to, Scalar a)
{
	Scalar r = {.u = 0};
	bool whole = !dtype_is_float(from);
	double x = from == DT_F64 ? a.d : whole ? is_unsigned(from) ? (double)a.u : (double)a.i : a.f;
	if (to == DT_F64)
		r.d = x;
#define NARROW(D, d, ...)                                                                                    \
	else if (to == DT_##D) r.f = cast##d##_f32(cast_f64##d(x));
	NARROW_DTYPES(NARROW)
	else if (to == DT_F32)
		r.f = whole ? is_unsigned(from) ? (float)a.u : (float)a.i : (float)x;
	else if (to == DT_BOOL)
		r.u = x != 0;
	else if (whole)
		r = from == DT_I64 && to == DT_I32 ? (Scalar){.i = cast_i64_i32(a.i)}
						   : a; /* others are widened */
	else if (to == DT_I32)
		r.i = cast_f64_i32(x);
	else if (to == DT_I64)
		r.i = cast_f64_i64(x);
	else
		assert(!"a cast the tests know");
	return r;
}

static Scalar narrowed(Dtype d, Scalar s)
{
	switch (d) {
	case DT_BOOL:
	case DT_U8: s.u = (uint8_t)s.u; break;
	case DT_I8: s.i = (int8_t)s.u; break;
	case DT_I16: s.i = (int16_t)s.u; break;
	case DT_I32: s.i = (int32_t)s.u; break;
	case DT_U32: s.u = (uint32_t)s.u; break;
	default: break;
	}
	return s;
}

static Scalar map(const Ins *x, Scalar a, Scalar b, Scalar c)
{
	Dtype from = (Dtype)x->from, to = (Dtype)x->dtype;
	if (x->op == OP_CAST) return converted(from, to, a);
	if (dtype_is_complex(from)) {
		Scalar r = {.z = {0, 0}};
		volatile float p, q; /* rounded, whatever the compiler fuses */
		volatile double s, t;
		if (from == DT_C64 && x->op == OP_MUL)
			p = a.c.im * b.c.im, q = a.c.im * b.c.re,
			r.c = (C64){a.c.re * b.c.re - p, a.c.re * b.c.im + q};
		else if (from == DT_C64)
			r.c = add_c64(a.c, b.c);
		else if (x->op == OP_MUL)
			s = a.z.im * b.z.im, t = a.z.im * b.z.re,
			r.z = (C128){a.z.re * b.z.re - s, a.z.re * b.z.im + t};
		else
			r.z = add_c128(a.z, b.z);
		return r;
	}
	if (dtype_is_float(from)) return rounded(to, float_map((Op)x->op, from == DT_F64, a, b, c));
	return narrowed(to, integer_map((Op)x->op, from, a, b, c));
}

/* ---- folds ------------------------------------------------------------------------------------ */

static Scalar join(const Ins *x, Scalar a, Scalar b)
{
	Scalar r = {.u = 0};
	Dtype d = (Dtype)x->dtype;
	bool f64 = d == DT_F64, whole = !dtype_is_float(d);
	if (dtype_is_complex(d))
		return map(&(Ins){.op = x->op == OP_SUM ? OP_ADD : OP_MUL, .from = (uint8_t)d}, a, b, r);
	switch ((int)x->op) {
	case OP_SUM:
		if (whole)
			r.u = a.u + b.u;
		else
			r = float_map(OP_ADD, f64, a, b, r);
		break;
	case OP_PROD:
		if (whole)
			r.u = a.u * b.u;
		else
			r = float_map(OP_MUL, f64, a, b, r);
		break;
	case OP_MAX:
		if (whole)
			r = (is_unsigned(d) ? a.u > b.u : a.i > b.i) ? a : b;
		else
			r = float_map(OP_MAXIMUM, f64, a, b, r);
		break;
	case OP_MIN:
		if (whole)
			r = (is_unsigned(d) ? a.u < b.u : a.i < b.i) ? a : b;
		else
			r = float_map(OP_MINIMUM, f64, a, b, r);
		break;
	case OP_ANY: r.u = a.u | b.u; break;
	case OP_ALL: r.u = a.u & b.u; break;
	default: assert(!"a fold");
	}
	return whole ? narrowed(d, r) : r;
}

static Scalar neutral(const Ins *x)
{
	Scalar r = {.u = 0};
	Dtype d = (Dtype)x->dtype;
	bool f64 = d == DT_F64, whole = !dtype_is_float(d);
	if (d == DT_C64) return x->op == OP_SUM ? (Scalar){.c = {-0.f, -0.f}} : (Scalar){.c = {1, 0}};
	if (d == DT_C128) return x->op == OP_SUM ? (Scalar){.z = {-0., -0.}} : (Scalar){.z = {1, 0}};
	double v = x->op == OP_SUM ? -0.0
		: x->op == OP_PROD ? 1
		: x->op == OP_MAX  ? -__builtin_inf()
				   : __builtin_inf();
	if (!whole) {
		if (f64)
			r.d = v;
		else
			r.f = (float)v;
		return r;
	}
	int bits = 8 * (int)dtype_bytes(d);
	bool u = is_unsigned(d);
	int64_t most = u ? (int64_t)(~0ull >> (64 - bits)) : (int64_t)(~0ull >> (65 - bits));
	switch ((int)x->op) {
	case OP_PROD:
	case OP_ALL: r.i = 1; break;
	case OP_MAX: r.i = u ? 0 : -most - 1; break;
	case OP_MIN: r.i = most; break;
	}
	return r;
}

static Scalar folded_value(const Ins *x, const Scalar *v, int64_t n, int64_t step, bool lanes)
{
	Scalar r[64], lane[256];
	int64_t blocks = 0,
		count = lanes
		? LANE_BYTES / (dtype_is_narrow((Dtype)x->dtype) ? 4 : (int64_t)dtype_bytes((Dtype)x->dtype))
		: 1;
	if (n == 0) {
		r[0] = neutral(x);
		return x->op == OP_SUM ? (Scalar){.z = {0, 0}} : r[0];
	}
	for (int64_t from = 0; from < n; from += FOLD_BLOCK) {
		for (int64_t l = 0; l < count; l++) lane[l] = neutral(x);
		for (int64_t i = from; i < n && i < from + FOLD_BLOCK; i++) {
			Scalar t = x->from == x->dtype
				? v[i * step]
				: converted((Dtype)x->from, (Dtype)x->dtype, v[i * step]);
			lane[(i - from) % count] = join(x, lane[(i - from) % count], t);
		}
		for (int64_t h = count / 2; h; h /= 2)
			for (int64_t l = 0; l < h; l++) lane[l] = join(x, lane[l], lane[l + h]);
		assert(blocks < 64);
		r[blocks++] = lane[0];
	}
	for (; blocks > 1; blocks = (blocks + 1) / 2)
		for (int64_t j = 0; 2 * j < blocks; j++)
			r[j] = 2 * j + 1 < blocks ? join(x, r[2 * j], r[2 * j + 1]) : r[2 * j];
	return rounded((Dtype)x->dtype, r[0]);
}

/* Is b further than a, in the way that `most` says? */
static bool beyond(Dtype d, bool most, Scalar a, Scalar b)
{
	if (!dtype_is_float(d)) return most ? b.i > a.i : b.i < a.i;
	double x = d == DT_F64 ? a.d : a.f, y = d == DT_F64 ? b.d : b.f;
	return x == x && (y != y || (most ? y > x : y < x));
}

static Scalar arg_fold(const Ins *x, const Scalar *v, int64_t n, int64_t step)
{
	Scalar best = {.i = 0};
	for (int64_t i = 1; i < n; i++)
		if (beyond((Dtype)x->from, x->op == OP_ARGMAX, v[best.i * step], v[i * step])) best.i = i;
	return best;
}

/* ---- instructions ------------------------------------------------------------------------------- */

/* Where the access points for the row, `at` being the number of the index in row order of axes [nrow, naxis). */
static int64_t pointed(Naive *s, const Access *a, int64_t at, int64_t place)
{
	int64_t p = int_value(a->offset, s->param), rest = at, row = s->row;
	for (int axis = s->k->naxis; axis-- > s->k->nrow && s->n[axis]; rest /= s->n[axis])
		p += rest % s->n[axis] * int_value(a->stride[axis], s->param);
	for (int axis = s->k->nrow; axis-- > 0; row /= s->n[axis])
		p += row % s->n[axis] * int_value(a->stride[axis], s->param);
	for (int d = 0; d < a->ndynamic; d++) {
		uint16_t v = a->dynamic[d].value;
		int64_t w = s->value[v][at].i, extent = int_value(a->dynamic[d].extent, s->param);
		if (w < 0 || w >= extent) {
			if (place < s->fault->position) *s->fault = (Fault){place, w, extent};
			w = 0;
		}
		p += w * int_value(a->dynamic[d].stride, s->param);
	}
	return p;
}

static Scalar drawn(const Ins *x, uint64_t a, uint64_t b, Scalar c)
{
	bool f64 = x->dtype == DT_F64;
	switch (x->op) {
	case OP_NORMAL:
		return f64 ? (Scalar){.d = normal_f64(a, b, c.u)} : (Scalar){.f = normal_f32(a, b, c.u)};
	case OP_EXPONENTIAL:
		return f64 ? (Scalar){.d = exponential_f64(a, b, c.u)}
			   : (Scalar){.f = exponential_f32(a, b, c.u)};
	case OP_GAMMA_DRAW:
		return f64 ? (Scalar){.d = gamma_draw_f64(a, b, c.d)}
			   : (Scalar){.f = gamma_draw_f32(a, b, c.f)};
	case OP_UNIFORM_OPEN:
		return f64 ? (Scalar){.d = uniform_open_f64(a, b, c.u)}
			   : (Scalar){.f = uniform_open_f32(a, b, c.u)};
	default: return f64 ? (Scalar){.d = uniform_f64(a, b, c.u)} : (Scalar){.f = uniform_f32(a, b, c.u)};
	}
}

static void run_ins(Naive *s, uint32_t i, int64_t at, int64_t place)
{
	const Ins *x = &s->k->code[i];
	const Access *a = &s->k->at[x->at];
	Scalar *v = &s->value[i][at], none = {.u = 0};
	Dtype d =
		x->kind == INS_LOAD || x->kind == INS_STORE ? (Dtype)s->k->buffer[a->buffer].dtype : DT_NONE;
	size_t bytes = d == DT_KEY ? 8 : dtype_bytes(d);
	switch ((InsKind)x->kind) {
	case INS_CONST:
		v->u = x->bits;
		if (dtype_is_float((Dtype)x->dtype) || (dtype_is_integer((Dtype)x->dtype) && !is_unsigned((Dtype)x->dtype)))
			*v = load((Dtype)x->dtype, &x->bits);
		break;
	case INS_GIVEN: *v = load((Dtype)x->dtype, &s->param[s->k->nparam + x->bits]); break;
	case INS_PARAM: v->i = int_value(a->offset, s->param); break;
	case INS_INDEX: v->i = pointed(s, a, at, place); break;
	case INS_LOAD:
		*v = load(d, (char *)s->buffer[a->buffer] + pointed(s, a, at, place) * (int64_t)bytes);
		break;
	case INS_MAP: {
		int n = op_info[x->op].args;
		*v = map(x, s->value[x->a][at], n > 1 ? s->value[x->b][at] : none,
			n > 2 ? s->value[x->c][at] : none);
		break;
	}
	case INS_KEY_A:
		v->u = key_at_a(s->value[x->a][at].u, s->value[x->b][at].u, s->value[x->c][at].u);
		break;
	case INS_KEY_B:
		v->u = key_at_b(s->value[x->a][at].u, s->value[x->b][at].u, s->value[x->c][at].u);
		break;
	case INS_RANDOM: *v = drawn(x, s->value[x->a][at].u, s->value[x->b][at].u, s->value[x->c][at]); break;
	case INS_STORE:
		store(d, (char *)s->buffer[a->buffer] + pointed(s, a, at, place) * (int64_t)bytes,
			s->value[x->a][at]);
		break;
	case INS_FOLD: break;
	}
}

static void spread(Scalar *v, int64_t n)
{
	for (int64_t i = 1; i < n; i++) v[i] = v[0];
}

static void run_stage(Naive *s, uint32_t stage)
{
	const Kernel *k = s->k;
	const Stage *g = &k->stage[stage];
	bool chain = k->recipe == RECIPE_CHAIN;
	int64_t all = s->folded * s->inner, n = !g->inner ? 1 : chain && stage == 1 ? s->inner : all;
	for (int64_t at = 0; at < n; at++)
		for (uint32_t i = g->first; i < g->end; i++) run_ins(s, i, at, s->row * all + at);
	/* nothing is folded, but what depends on no folded element is wanted after the fold */
	for (int64_t at = 0; chain && stage == 0 && !s->folded && at < s->inner; at++)
		for (uint32_t i = g->first; i < g->end; i++)
			if (k->code[i].kind != INS_LOAD) run_ins(s, i, at, s->row * all + at);
	for (uint32_t i = g->first; i < g->end; i++) {
		const Ins *x = &k->code[i];
		if (!g->inner && x->kind != INS_STORE) spread(s->value[i], all);
		if (x->kind != INS_FOLD) continue;
		Scalar *v = s->value[x->a];
		bool arg = x->op == OP_ARGMAX || x->op == OP_ARGMIN;
		for (int64_t j = 0; chain && j < s->inner; j++)
			s->value[i][j] = arg ? arg_fold(x, v + j, s->folded, s->inner)
					     : folded_value(x, v + j, s->folded, s->inner, false);
		if (chain) continue;
		s->value[i][0] = arg ? arg_fold(x, v, s->inner, 1) : folded_value(x, v, s->inner, 1, true);
		spread(s->value[i], s->inner);
	}
}

void naive_run(const Kernel *k, void *const *buffer, const int64_t *param, Fault *fault)
{
	Naive s = {
		.k = k, .buffer = buffer, .param = param, .fault = fault, .rows = 1, .folded = 1, .inner = 1};
	for (int axis = 0; axis < k->naxis; axis++) {
		s.n[axis] = int_value(k->extent[axis], s.param);
		bool folded = k->recipe == RECIPE_CHAIN && axis >= k->nrow && axis < k->nfold;
		*(axis < k->nrow ? &s.rows : folded ? &s.folded : &s.inner) *= s.n[axis];
	}
	for (int i = 0; i < k->ncode; i++)
		s.value[i] = calloc((size_t)(s.folded * s.inner + s.inner) + 1, sizeof(Scalar));
	for (s.row = 0; s.row < s.rows; s.row++)
		for (uint32_t stage = 0; stage < k->nstage; stage++) run_stage(&s, stage);
	for (int i = 0; i < k->ncode; i++) free(s.value[i]);
}
