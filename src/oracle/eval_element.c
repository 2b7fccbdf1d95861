/* eval_element.c - one element of any dtype: how it is stored, and computed with.
 *
 * bool and integers are computed with in 64 bits, narrow floats in f32; with
 * binary128 every float is one (every complex number two).  Storing cuts,
 * rounds, and makes every NaN the positive quiet one.
 */
#include "eval.h"
#include "../math/math.h"

size_t eval_bytes(const Eval *e, Dtype d)
{
	if (e->quad && dtype_is_float(d)) return sizeof(Quad);
	if (e->quad && dtype_is_complex(d)) return sizeof(QuadPair);
	return dtype_bytes(d);
}

ScalarKind eval_kind(const Eval *e, Dtype d)
{
	if (dtype_is_float(d)) {
		if (e->quad) return KIND_Q;
		return dtype_held(d) == DT_F64 ? KIND_F64 : KIND_F32;
	}
	if (dtype_is_complex(d)) {
		if (e->quad) return KIND_CQ;
		if (d == DT_C64) return KIND_C64;
		return KIND_C128;
	}
	return dtype_is_unsigned(d) ? KIND_U64 : KIND_I64;
}

/* ---- between memory and accumulator ------------------------------------------ */

Scalar eval_load(const Eval *e, Dtype d, const void *p)
{
	Scalar s = {.q = {0, 0}};
	if (e->quad && (dtype_is_float(d) || dtype_is_complex(d))) {
		memcpy(s.q, p, eval_bytes(e, d));
		return s;
	}
	if (dtype_is_narrow(d))
		element_cast(DT_F32, &s, d, p);
	else if (dtype_is_integer(d) || d == DT_BOOL)
		s.i = element_whole(d, p);
	else
		memcpy(&s, p, dtype_bytes(d));
	return s;
}

static float plain_f32(float x)
{
	return x == x ? x : __builtin_nanf("");
}
static double plain_f64(double x)
{
	return x == x ? x : __builtin_nan("");
}

void eval_store(const Eval *e, Dtype d, void *p, Scalar s)
{
	switch (eval_kind(e, d)) {
	case KIND_F32:
	case KIND_C64:
		s.f[0] = plain_f32(s.f[0]);
		s.f[1] = plain_f32(s.f[1]);
		break;
	case KIND_F64:
	case KIND_C128:
		s.d[0] = plain_f64(s.d[0]);
		s.d[1] = plain_f64(s.d[1]);
		break;
	case KIND_Q:
	case KIND_CQ:
		s.q[0] = s.q[0] == s.q[0] ? s.q[0] : quad_nan();
		s.q[1] = s.q[1] == s.q[1] ? s.q[1] : quad_nan();
		memcpy(p, s.q, eval_bytes(e, d));
		return;
	default: break;
	}
	if (dtype_is_narrow(d))
		element_cast(d, p, DT_F32, &s);
	else
		memcpy(p, &s, dtype_bytes(d)); /* a whole number is cut */
}

int64_t eval_index_at(const Value *v, int64_t i)
{
	static const Eval own;
	Scalar s = eval_load(&own, v->dtype, eval_at(&own, v, i));
	return eval_kind(&own, v->dtype) == KIND_U64 && s.u > INT64_MAX ? INT64_MAX : s.i;
}

/* ---- between own dtype and binary128 --------------------------------------------- */

Quad quad_from_own(Dtype d, const void *p, int part)
{
	static const Eval own;
	Scalar s = eval_load(&own, d, p);
	switch (eval_kind(&own, d)) {
	case KIND_F32:
	case KIND_C64: return s.f[part];
	case KIND_F64:
	case KIND_C128: return s.d[part];
	default: return quad_nan();
	}
}

/* Rounded to odd, so that a second rounding to a shorter format is that of x itself. */
static double odd_f64(Quad x)
{
	double d = (double)x;
	if (x != x || (Quad)d == x) return d;
	int64_t b;
	memcpy(&b, &d, 8);
	b -= (d < 0 ? -(Quad)d : (Quad)d) > (x < 0 ? -x : x);
	b |= 1;
	memcpy(&d, &b, 8);
	return d;
}

void quad_to_own(Dtype d, void *p, const Quad *x)
{
	static const Eval own;
	Scalar s = {.q = {0, 0}};
	if (dtype_is_narrow(d)) {
		double odd = odd_f64(x[0]);
		element_cast(d, p, DT_F64, &odd);
		return;
	}
	for (int part = 0; part < 1 + dtype_is_complex(d); part++) {
		if (dtype_held(dtype_part(d)) == DT_F32)
			s.f[part] = (float)x[part];
		else
			s.d[part] = (double)x[part];
	}
	eval_store(&own, d, p, s);
}

/* ---- arithmetic on accumulators ------------------------------------------------------ */

#define INTEGER_ARITHMETIC(k, m)                                                                             \
	static Scalar add_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.u = x.u + y.u};                                                             \
	}                                                                                                    \
	static Scalar mul_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.u = x.u * y.u};                                                             \
	}                                                                                                    \
	static Scalar max_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return x.m > y.m ? x : y;                                                                    \
	}                                                                                                    \
	static Scalar min_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return x.m < y.m ? x : y;                                                                    \
	}                                                                                                    \
	static bool less_##k(Scalar x, Scalar y)                                                             \
	{                                                                                                    \
		return x.m < y.m;                                                                            \
	}                                                                                                    \
	static Scalar fma_##k(Scalar x, Scalar y, Scalar z)                                                  \
	{                                                                                                    \
		return (Scalar){.u = x.u * y.u + z.u};                                                       \
	}
INTEGER_ARITHMETIC(whole, i)
INTEGER_ARITHMETIC(natural, u)

#define REAL_ARITHMETIC(k, m, maxi, mini, fused)                                                             \
	static Scalar add_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.m = {x.m[0] + y.m[0]}};                                                     \
	}                                                                                                    \
	static Scalar mul_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.m = {x.m[0] * y.m[0]}};                                                     \
	}                                                                                                    \
	static Scalar max_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.m = {maxi(x.m[0], y.m[0])}};                                                \
	}                                                                                                    \
	static Scalar min_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.m = {mini(x.m[0], y.m[0])}};                                                \
	}                                                                                                    \
	static bool less_##k(Scalar x, Scalar y)                                                             \
	{                                                                                                    \
		return x.m[0] < y.m[0];                                                                      \
	}                                                                                                    \
	static Scalar fma_##k(Scalar x, Scalar y, Scalar z)                                                  \
	{                                                                                                    \
		return (Scalar){.m = {fused(x.m[0], y.m[0], z.m[0])}};                                       \
	}
REAL_ARITHMETIC(single, f, maximum_f32, minimum_f32, fma_f32)
REAL_ARITHMETIC(double, d, maximum_f64, minimum_f64, fma_f64)
REAL_ARITHMETIC(quad, q, quad_maximum, quad_minimum, quad_fma)

#define COMPLEX_ARITHMETIC(k, m)                                                                             \
	static Scalar add_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){.m = {x.m[0] + y.m[0], x.m[1] + y.m[1]}};                                    \
	}                                                                                                    \
	static Scalar mul_##k(Scalar x, Scalar y)                                                            \
	{                                                                                                    \
		return (Scalar){                                                                             \
			.m = {x.m[0] * y.m[0] - x.m[1] * y.m[1], x.m[0] * y.m[1] + x.m[1] * y.m[0]}};        \
	}                                                                                                    \
	static Scalar fma_##k(Scalar x, Scalar y, Scalar z)                                                  \
	{                                                                                                    \
		return add_##k(z, mul_##k(x, y));                                                            \
	}
COMPLEX_ARITHMETIC(single_pair, f)
COMPLEX_ARITHMETIC(double_pair, d)
COMPLEX_ARITHMETIC(quad_pair, q)

#define INF __builtin_inf()
#define OPERATIONS(k)                                                                                        \
	.add = add_##k, .mul = mul_##k, .max = max_##k, .min = min_##k, .less = less_##k, .fma = fma_##k
#define FLOATS(m)                                                                                            \
	.minus_zero = {.m = {-0.0}}, .one = {.m = {1}}, .lowest = {.m = {-INF}}, .highest = {.m = {INF}}
#define PAIRS(k, m)                                                                                          \
	.add = add_##k, .mul = mul_##k, .fma = fma_##k, .minus_zero = {.m = {-0.0, -0.0}},                   \
	.one = {.m = {1, 0}}

static const Arithmetic arithmetic[KIND_COUNT] = {
	[KIND_I64] = {OPERATIONS(whole), .one = {.i = 1}, .lowest = {.i = INT64_MIN},
		.highest = {.i = INT64_MAX}, .bytes = 8},
	[KIND_U64] = {OPERATIONS(natural), .one = {.u = 1}, .highest = {.u = UINT64_MAX}, .bytes = 8},
	[KIND_F32] = {OPERATIONS(single), FLOATS(f), .bytes = 4},
	[KIND_F64] = {OPERATIONS(double), FLOATS(d), .bytes = 8},
	[KIND_Q] = {OPERATIONS(quad), FLOATS(q), .bytes = 16},
	[KIND_C64] = {PAIRS(single_pair, f), .bytes = 8},
	[KIND_C128] = {PAIRS(double_pair, d), .bytes = 16},
	[KIND_CQ] = {PAIRS(quad_pair, q), .bytes = 32},
};

const Arithmetic *eval_arithmetic(ScalarKind k)
{
	return &arithmetic[k];
}

bool eval_is_nan(ScalarKind k, Scalar s)
{
	return (k == KIND_F32 && s.f[0] != s.f[0]) || (k == KIND_F64 && s.d[0] != s.d[0]) ||
		(k == KIND_Q && s.q[0] != s.q[0]);
}

Scalar eval_extreme(const Eval *e, Dtype d, bool largest)
{
	ScalarKind k = eval_kind(e, d);
	Scalar s = largest ? arithmetic[k].highest : arithmetic[k].lowest;
	unsigned spare = 64 - 8 * (unsigned)dtype_bytes(d);
	if (k == KIND_I64) s.i >>= spare;
	if (k == KIND_U64) s.u >>= spare;
	return s;
}
