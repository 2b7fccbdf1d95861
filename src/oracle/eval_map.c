/* eval_map.c - elementwise operators: a table of the scalar functions of src/math by operator and dtype.
 *
 * narrow floats use the functions of f32 and are rounded after every operator;
 * binary128 has a table of its own (quad.c).
 */
#include "../ir/dtypes.h"
#include "eval.h"
#include "../math/math.h"

/* ---- the table --------------------------------------------------------------- */

#define OF_BOOL(...) BOOL_DTYPES(FUNCTION, __VA_ARGS__)
#define OF_WHOLE(...) WHOLE_DTYPES(FUNCTION, __VA_ARGS__)
#define OF_FLOAT(...) FLOAT_DTYPES(FUNCTION, __VA_ARGS__)
#define OF_COMPLEX(...) COMPLEX_DTYPES(FUNCTION, __VA_ARGS__)
#define OF_CHOICE(...)

#define APPLY1(f, T) f(*(const T *)a)
#define APPLY2(f, T) f(*(const T *)a, *(const T *)b)
#define APPLY3(f, T) f(*(const T *)a, *(const T *)b, *(const T *)c)
#define FUNCTION(D, d, T, HELD, held, H, numbers, NAME, name, n, forms)                                             \
	static void map_##name##d(void *r, const void *a, const void *b, const void *c)                      \
	{                                                                                                    \
		__typeof__(APPLY##n(name##d, T)) t = APPLY##n(name##d, T);                                   \
		(void)b, (void)c;                                                                            \
		memcpy(r, &t, sizeof t);                                                                     \
	}
#include "../ir/map_ops.h"
#undef FUNCTION

typedef void (*ScalarMap)(void *r, const void *a, const void *b, const void *c);

#define FUNCTION(D, d, T, HELD, held, H, numbers, NAME, name, n, forms) [OP_##NAME][DT_##D] = map_##name##d,
static const ScalarMap scalar_map[OP_COUNT][DT_COUNT] = {
#include "../ir/map_ops.h"
};

bool map_numbers(Op op, const double *x, double *y)
{
	union { double number; uint8_t truth; } r = {.number = 0};
	DtypeRule of = op_info[op].dtype;
	bool of_truths = !scalar_map[op][DT_F64] && scalar_map[op][DT_BOOL];
	bool test = of == TEST || of == RTEST || of == FTEST || of_truths;
	if (op == OP_WHERE) {
		r.number = x[0] != 0 ? x[1] : x[2];
	} else if (of_truths) {
		uint8_t truth[3];
		for (uint32_t k = 0; k < 3; k++) truth[k] = x[k] != 0;
		scalar_map[op][DT_BOOL](&r, &truth[0], &truth[1], &truth[2]);
	} else if (scalar_map[op][DT_F64]) {
		scalar_map[op][DT_F64](&r, &x[0], &x[1], &x[2]);
	} else {
		return false;
	}
	*y = test ? r.truth : r.number;
	return true;
}

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
	bool narrow = dtype_is_narrow(d), number = dtype_is_float(out->dtype) || dtype_is_complex(out->dtype);
	ScalarMap map = scalar_map[x->op][dtype_held(d)];
	if (!map) return no_map(f, x, d);
	for (int64_t i = 0; i < out->count; i++) {
		Scalar a[3], r = {.q = {0, 0}};
		eval_works(f->e, 2);
		for (uint32_t k = 0; k < n; k++) {
			if (narrow)
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

static bool apply_quad(const QuadOp *o, bool complex, const Scalar *a, Scalar *r)
{
	if (complex && o->of_pair_1)
		r->pair = o->of_pair_1(a[0].pair);
	else if (complex && o->of_pair_2)
		r->pair = o->of_pair_2(a[0].pair, a[1].pair);
	else if (complex)
		return false;
	else if (o->of_1)
		r->q[0] = o->of_1(a[0].q[0]);
	else if (o->of_2)
		r->q[0] = o->of_2(a[0].q[0], a[1].q[0]);
	else if (o->of_3)
		r->q[0] = o->of_3(a[0].q[0], a[1].q[0], a[2].q[0]);
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
		for (uint32_t k = 0; k < n; k++) a[k] = eval_load(f->e, d, eval_at(f->e, arg[k], i));
		if (!apply_quad(&quad_op[x->op], dtype_is_complex(d), a, &r))
			return no_map(f, x, d);
		if (out->dtype == DT_BOOL) r.i = r.q[0] != 0;
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
