/* element.c - one element in memory: as a number, as another dtype's, with the one NaN.
 *
 * A number is read as an i64, a u64 or an f64, whichever holds all of its dtype, and from there cast once.
 */
#include "build.h"
#include "../math/math.h"

#include <math.h>

typedef enum Reading { AS_I64, AS_U64, AS_F64 } Reading;
typedef struct Number {
	Reading as;
	int64_t i;
	uint64_t u;
	double f;
} Number;

static Number number_read(Dtype d, const void *p)
{
	Number n = {AS_I64, 0, 0, 0};
	switch (d) {
#define READ(D, d, T, HELD, held, H, numbers, reading, member, value)                                        \
	case DT_##D: {                                                                                       \
		T t;                                                                                         \
		memcpy(&t, p, sizeof t);                                                                     \
		n.as = reading;                                                                              \
		n.member = value(d);                                                                         \
		break;                                                                                       \
	}
#define PLAIN(d) t
#define NARROW(d) cast##d##_f64(t)
		BOOL_DTYPES(READ, AS_I64, i, PLAIN)
		SIGNED_DTYPES(READ, AS_I64, i, PLAIN)
		UNSIGNED_DTYPES(READ, AS_U64, u, PLAIN)
		FLOAT_DTYPES(READ, AS_F64, f, PLAIN)
		NARROW_DTYPES(READ, AS_F64, f, NARROW)
	default: break;
	}
	return n;
}

static double number_float(const Number *n)
{
	if (n->as == AS_F64) return n->f;
	return n->as == AS_U64 ? cast_u64_f64(n->u) : cast_i64_f64(n->i);
}

void element_cast(Dtype to, void *r, Dtype from, const void *a)
{
	Number n = number_read(dtype_strong(from), a);
	switch (dtype_strong(to)) {
#define WRITE(D, d, T, ...)                                                                                  \
	case DT_##D: {                                                                                       \
		T t;                                                                                         \
		if (n.as == AS_F64)                                                                          \
			t = cast_f64##d(n.f);                                                                \
		else                                                                                         \
			t = n.as == AS_U64 ? cast_u64##d(n.u) : cast_i64##d(n.i);                            \
		memcpy(r, &t, sizeof t);                                                                     \
		break;                                                                                       \
	}
#define WRITE_NARROW(D, d, T, ...)                                                                           \
	case DT_##D: {                                                                                       \
		T t = cast_f64##d(number_float(&n));                                                         \
		memcpy(r, &t, sizeof t);                                                                     \
		break;                                                                                       \
	}
		HELD_DTYPES(WRITE)
		NARROW_DTYPES(WRITE_NARROW)
	default: break;
	}
}

double element_number(Dtype d, const void *p)
{
	Dtype part = dtype_strong(dtype_part(d));
	if (part == DT_F64) {
		double x;
		memcpy(&x, p, sizeof x);
		return x;
	}
	Number n = number_read(part, p);
	return number_float(&n);
}

int64_t element_whole(Dtype d, const void *p)
{
	Number n = number_read(dtype_strong(d), p);
	return n.as == AS_U64 ? (int64_t)n.u : n.i;
}

bool element_test(Op op, Dtype d, const void *p, const void *q)
{
	Number a = number_read(dtype_strong(d), p), b = number_read(dtype_strong(d), q);
	bool below = a.i < b.i, above = a.i > b.i;
	if (a.as == AS_U64) {
		below = a.u < b.u;
		above = a.u > b.u;
	} else if (a.as == AS_F64) {
		below = a.f < b.f;
		above = a.f > b.f;
	}
	bool equal = a.as == AS_F64 ? a.f == b.f : !below && !above; /* no NaN is */
	switch (op) {
	case OP_EQ: return equal;
	case OP_NE: return !equal;
	case OP_LT: return below;
	case OP_LE: return below || equal;
	case OP_GT: return above;
	case OP_GE: return above || equal;
	case OP_AND: return a.i && b.i;
	default: return a.i || b.i; /* OP_OR */
	}
}

void elements_quiet(Dtype d, void *p, size_t bytes)
{
	Dtype part = dtype_part(d);
	size_t size = dtype_bytes(part);
	double nan = __builtin_nan("");
	if (!dtype_is_float(part)) return;
	for (char *at = p; at + size <= (char *)p + bytes; at += size)
		if (isnan(element_number(part, at))) element_cast(part, at, DT_F64, &nan);
}
