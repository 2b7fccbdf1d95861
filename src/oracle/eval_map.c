/* eval_map.c - elementwise operators: a table of the scalar functions of src/math by operator and dtype.
 *
 * f16 and bf16 use the functions of f32 and are rounded after every operator;
 * binary128 has a table of its own (quad.c).
 */
#include "eval.h"
#include "../math/math.h"

/* ---- the table --------------------------------------------------------------- */

#define NUMBER_OPS(X, D, d, T)                                                                               \
	X(ADD, add, 2, D, d, T)                                                                              \
	X(SUB, sub, 2, D, d, T)                                                                              \
	X(MUL, mul, 2, D, d, T) X(FLOORDIV, floordiv, 2, D, d, T) X(MOD, mod, 2, D, d, T)                    \
		X(POW, pow, 2, D, d, T) X(NEG, neg, 1, D, d, T) X(ABS, abs, 1, D, d, T)                      \
			X(SIGN, sign, 1, D, d, T) X(MAXIMUM, maximum, 2, D, d, T)                            \
				X(MINIMUM, minimum, 2, D, d, T)
#define COMPARE_OPS(X, D, d, T)                                                                              \
	X(EQ, eq, 2, D, d, T)                                                                                \
	X(NE, ne, 2, D, d, T)                                                                                \
	X(LT, lt, 2, D, d, T) X(LE, le, 2, D, d, T) X(GT, gt, 2, D, d, T) X(GE, ge, 2, D, d, T)
#define BIT_OPS(X, D, d, T)                                                                                  \
	X(BIT_AND, bit_and, 2, D, d, T)                                                                      \
	X(BIT_OR, bit_or, 2, D, d, T) X(BIT_XOR, bit_xor, 2, D, d, T) X(BIT_NOT, bit_not, 1, D, d, T)
#define TRUTH_OPS(X, D, d, T) X(AND, and, 2, D, d, T) X(OR, or, 2, D, d, T) X(NOT, not, 1, D, d, T)
#define WHOLE_OPS(X, D, d, T)                                                                                \
	X(SHIFT_LEFT, shift_left, 2, D, d, T)                                                                \
	X(SHIFT_RIGHT, shift_right, 2, D, d, T) X(POPCOUNT, popcount, 1, D, d, T)
#define FLOAT_OPS(X, D, d, T)                                                                                \
	X(DIV, div, 2, D, d, T)                                                                              \
	X(FMA, fma, 3, D, d, T)                                                                              \
	X(ISNAN, isnan, 1, D, d, T) X(ISINF, isinf, 1, D, d, T) X(ISFINITE, isfinite, 1, D, d, T) X(         \
		SIGNBIT, signbit, 1, D, d, T) X(COPYSIGN, copysign, 2, D, d, T) X(FLOOR, floor, 1, D, d,     \
		T) X(CEIL, ceil, 1, D, d, T) X(ROUND, round, 1, D, d, T) X(TRUNC, trunc, 1, D, d, T) X(SQRT, \
		sqrt, 1, D, d, T) X(CBRT, cbrt, 1, D, d, T) X(HYPOT, hypot, 2, D, d, T) X(EXP, exp, 1, D, d, \
		T) X(EXP2, exp2, 1, D, d, T) X(EXPM1, expm1, 1, D, d, T) X(LOG, log, 1, D, d, T) X(LOG2,     \
		log2, 1, D, d, T) X(LOG10, log10, 1, D, d, T) X(LOG1P, log1p, 1, D, d,                       \
		T) X(LOG1MEXP, log1mexp, 1, D, d, T) X(LOGADDEXP,                                            \
		logaddexp, 2, D, d, T) X(SIGMOID, sigmoid, 1, D, d, T) X(SOFTPLUS, softplus, 1, D, d,        \
		T) X(LOGIT, logit, 1, D, d, T) X(SIN, sin, 1, D, d, T) X(COS, cos, 1, D, d, T) X(TAN, tan,   \
		1, D, d,                                                                                     \
		T) X(ASIN, asin, 1, D, d, T) X(ACOS, acos, 1, D, d, T) X(ATAN, atan, 1, D, d, T)             \
		X(ATAN2, atan2, 2, D, d, T) X(SINH, sinh, 1, D, d, T) X(COSH, cosh, 1, D, d, T)              \
			X(TANH, tanh, 1, D, d, T) X(ASINH, asinh, 1, D, d, T) X(ACOSH, acosh, 1, D, d, T)    \
				X(ATANH, atanh, 1, D, d, T) X(ERF, erf, 1, D, d, T)                          \
					X(ERFC, erfc, 1, D, d, T) X(ERFINV, erfinv, 1, D, d, T)              \
						X(GAMMA, gamma, 1, D, d, T) X(LGAMMA, lgamma, 1, D, d, T)    \
							X(DIGAMMA, digamma, 1, D, d, T)                      \
								X(POLYGAMMA, polygamma, 2, D, d, T)
#define MORE_FLOAT_OPS(X, D, d, T)                                                                           \
	X(EXP10, exp10, 1, D, d, T) X(RSQRT, rsqrt, 1, D, d, T) X(XLOGY, xlogy, 2, D, d, T)                  \
	X(SINPI, sinpi, 1, D, d, T) X(COSPI, cospi, 1, D, d, T) X(SINC, sinc, 1, D, d, T)                    \
	X(SILU, silu, 1, D, d, T) X(GELU, gelu, 1, D, d, T) X(GELU_TANH, gelu_tanh, 1, D, d, T)              \
	X(ERFCX, erfcx, 1, D, d, T) X(NDTR, ndtr, 1, D, d, T) X(LOG_NDTR, log_ndtr, 1, D, d, T)              \
	X(TRIGAMMA, trigamma, 1, D, d, T) X(LBETA, lbeta, 2, D, d, T) X(I0E, i0e, 1, D, d, T)                \
	X(I1E, i1e, 1, D, d, T)
#define COMPLEX_OPS(X, D, d, T)                                                                              \
	X(ADD, add, 2, D, d, T)                                                                              \
	X(SUB, sub, 2, D, d, T)                                                                              \
	X(MUL, mul, 2, D, d, T) X(DIV, div, 2, D, d, T) X(POW, pow, 2, D, d, T) X(NEG, neg, 1, D, d, T)      \
		X(ABS, abs, 1, D, d, T) X(EQ, eq, 2, D, d, T) X(NE, ne, 2, D, d, T)                          \
			X(SQRT, sqrt, 1, D, d, T) X(EXP, exp, 1, D, d, T) X(LOG, log, 1, D, d, T)

#define OF_BOOL(X)                                                                                           \
	COMPARE_OPS(X, BOOL, _bool, uint8_t)                                                                 \
	BIT_OPS(X, BOOL, _bool, uint8_t) TRUTH_OPS(X, BOOL, _bool, uint8_t)
#define OF_WHOLE(X, D, d, T)                                                                                 \
	NUMBER_OPS(X, D, d, T) COMPARE_OPS(X, D, d, T) BIT_OPS(X, D, d, T) WHOLE_OPS(X, D, d, T)
#define OF_FLOAT(X, D, d, T)                                                                                 \
	NUMBER_OPS(X, D, d, T) COMPARE_OPS(X, D, d, T) FLOAT_OPS(X, D, d, T) MORE_FLOAT_OPS(X, D, d, T)
#define OF_ALL(X)                                                                                            \
	OF_BOOL(X)                                                                                           \
	OF_WHOLE(X, I8, _i8, int8_t)                                                                         \
	OF_WHOLE(X, I16, _i16, int16_t) OF_WHOLE(X, I32, _i32, int32_t) OF_WHOLE(X, I64, _i64, int64_t)      \
		OF_WHOLE(X, U8, _u8, uint8_t) OF_WHOLE(X, U16, _u16, uint16_t)                               \
			OF_WHOLE(X, U32, _u32, uint32_t) OF_WHOLE(X, U64, _u64, uint64_t)                    \
				OF_FLOAT(X, F32, _f32, float) OF_FLOAT(X, F64, _f64, double)                 \
					COMPLEX_OPS(X, C64, _c64, C64) COMPLEX_OPS(X, C128, _c128, C128)

#define APPLY1(f, T) f(*(const T *)a)
#define APPLY2(f, T) f(*(const T *)a, *(const T *)b)
#define APPLY3(f, T) f(*(const T *)a, *(const T *)b, *(const T *)c)
#define DEFINE(NAME, name, n, D, d, T)                                                                       \
	static void map_##name##d(void *r, const void *a, const void *b, const void *c)                      \
	{                                                                                                    \
		__typeof__(APPLY##n(name##d, T)) t = APPLY##n(name##d, T);                                   \
		(void)b, (void)c;                                                                            \
		memcpy(r, &t, sizeof t);                                                                     \
	}
OF_ALL(DEFINE)

typedef void (*ScalarMap)(void *r, const void *a, const void *b, const void *c);

#define ENTRY(NAME, name, n, D, d, T) [OP_##NAME][DT_##D] = map_##name##d,
static const ScalarMap scalar_map[OP_COUNT][DT_COUNT] = {OF_ALL(ENTRY)};

/* ---- one operator over arrays -------------------------------------------------- */

static bool is_wide(const Eval *e, Dtype d)
{
	return e->quad && (dtype_is_float(d) || dtype_is_complex(d));
}

static bool same_shapes(Activation *f, const Node *x, const Value *const *arg, const Value *out, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < out->rank; i++)
			if (arg[k]->dim[i] != out->dim[i])
				return eval_fail(f, ERR_CALL, "%s: sizes %lld and %lld differ on axis %u",
					op_info[x->op].text, (long long)out->dim[i],
					(long long)arg[k]->dim[i], i);
	return true;
}

static bool no_map(Activation *f, const Node *x, Dtype d)
{
	return eval_fail(
		f, ERR_UNSUPPORTED, "the evaluator has no %s of %s", op_info[x->op].text, dtype_name(d));
}

static bool map_own(Activation *f, const Node *x, const Value *const *arg, Value *out, uint32_t n)
{
	Dtype d = dtype_strong(arg[0]->dtype);
	bool half = d == DT_F16 || d == DT_BF16,
	     number = dtype_is_float(out->dtype) || dtype_is_complex(out->dtype);
	ScalarMap map = scalar_map[x->op][half ? DT_F32 : d];
	if (!map) return no_map(f, x, d);
	for (int64_t i = 0; i < out->count; i++) {
		Scalar a[3], r = {.q = {0, 0}};
		eval_works(f->e, 2);
		for (uint32_t k = 0; k < n; k++) {
			if (half)
				a[k] = eval_load(f->e, d, eval_at(f->e, arg[k], i));
			else
				memcpy(&a[k], eval_at(f->e, arg[k], i), dtype_bytes(d));
		}
		map(&r, &a[0], &a[1], &a[2]);
		if (number)
			eval_store(f->e, out->dtype, eval_at(f->e, out, i), r);
		else
			memcpy(eval_at(f->e, out, i), &r, dtype_bytes(out->dtype));
	}
	return true;
}

static bool apply_quad(const QuadOp *o, Op op, bool complex, const Scalar *a, Scalar *r, bool *truth)
{
	if (complex && op == OP_ABS)
		r->q[0] = quad_abs_pair(a[0].pair);
	else if (complex && (op == OP_EQ || op == OP_NE))
		*truth = (a[0].q[0] == a[1].q[0] && a[0].q[1] == a[1].q[1]) == (op == OP_EQ);
	else if (complex && o->pair)
		r->pair = o->pair(a[0].pair);
	else if (complex && o->pairs)
		r->pair = o->pairs(a[0].pair, a[1].pair);
	else if (complex)
		return false;
	else if (o->one)
		r->q[0] = o->one(a[0].q[0]);
	else if (o->two)
		r->q[0] = o->two(a[0].q[0], a[1].q[0]);
	else if (o->three)
		r->q[0] = o->three(a[0].q[0], a[1].q[0], a[2].q[0]);
	else if (o->test)
		*truth = o->test(a[0].q[0]);
	else if (o->compare)
		*truth = o->compare(a[0].q[0], a[1].q[0]);
	else
		return false;
	return true;
}

static bool map_quad(Activation *f, const Node *x, const Value *const *arg, Value *out, uint32_t n)
{
	Dtype d = arg[0]->dtype;
	for (int64_t i = 0; i < out->count; i++) {
		Scalar a[3], r = {.q = {0, 0}};
		eval_works(f->e, 2);
		bool truth = false;
		for (uint32_t k = 0; k < n; k++) a[k] = eval_load(f->e, d, eval_at(f->e, arg[k], i));
		if (!apply_quad(&quad_op[x->op], (Op)x->op, dtype_is_complex(d), a, &r, &truth))
			return no_map(f, x, d);
		if (out->dtype == DT_BOOL) r.i = truth;
		eval_store(f->e, out->dtype, eval_at(f->e, out, i), r);
	}
	return true;
}

/* ---- selection and the parts of complex numbers: bytes moved ---------------------- */

static bool map_where(Activation *f, const Value *const *arg, Value *out)
{
	size_t bytes = eval_bytes(f->e, out->dtype);
	for (int64_t i = 0; i < out->count; i++)
		memcpy(eval_at(f->e, out, i), eval_at(f->e, arg[((uint8_t *)arg[0]->data)[i] ? 1 : 2], i),
			bytes);
	return true;
}

static bool map_complex(Activation *f, const Value *const *arg, Value *out)
{
	size_t half = eval_bytes(f->e, out->dtype) / 2;
	for (int64_t i = 0; i < out->count; i++)
		for (int k = 0; k < 2; k++)
			memcpy((char *)eval_at(f->e, out, i) + (size_t)k * half, eval_at(f->e, arg[k], i),
				half);
	return true;
}

/* re, im, conj; of a real: itself, 0, itself */
static bool map_part(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Dtype d = arg[0]->dtype;
	size_t half = eval_bytes(f->e, d) / 2;
	if (!dtype_is_complex(d)) {
		out->data = x->op == OP_IM ? out->data : arg[0]->data;
		return true;
	}
	for (int64_t i = 0; i < out->count; i++) {
		const char *from = eval_at(f->e, arg[0], i);
		if (x->op != OP_CONJ) {
			memcpy(eval_at(f->e, out, i), from + (x->op == OP_IM ? half : 0), half);
			continue;
		}
		Scalar s = eval_load(f->e, d, from);
		switch (eval_kind(f->e, d)) {
		case KIND_C64: s.f[1] = -s.f[1]; break;
		case KIND_C128: s.d[1] = -s.d[1]; break;
		default: s.q[1] = -s.q[1]; break;
		}
		eval_store(f->e, d, eval_at(f->e, out, i), s);
	}
	return true;
}

bool eval_map(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	uint32_t n = (uint32_t)op_info[x->op].args;
	if (!same_shapes(f, x, arg, out, n)) return false;
	if (x->op == OP_STOP) {
		out->data = arg[0]->data;
		return true;
	}
	if (!eval_alloc(f, out)) return false;
	switch (x->op) {
	case OP_WHERE: return map_where(f, arg, out);
	case OP_COMPLEX: return map_complex(f, arg, out);
	case OP_RE:
	case OP_IM:
	case OP_CONJ: return map_part(f, x, arg, out);
	default: break;
	}
	return is_wide(f->e, arg[0]->dtype) ? map_quad(f, x, arg, out, n) : map_own(f, x, arg, out, n);
}
