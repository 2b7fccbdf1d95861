/* dtype.c - the element types and where two of them meet. */
#include "dtypes.h"
#include "ir.h"
#include "../math/math.h" /* complex numbers */

/* A later kind takes in the ones before. */
typedef enum Kind { OTHER, WHOLE, REAL_FLOAT, COMPLEX_FLOAT } Kind;

static const struct {
	const char *name;
	size_t bytes;
	Kind kind;
	Dtype strong;
} dtypes[DT_COUNT] = {
	[DT_NONE] = {"none", 0, OTHER, DT_NONE},
#define STRONG(D, d, T, HELD, held, H, kind) [DT_##D] = {&#d[1], sizeof(T), kind, DT_##D},
	BOOL_DTYPES(STRONG, OTHER)
	WHOLE_DTYPES(STRONG, WHOLE)
	HALF_DTYPES(STRONG, REAL_FLOAT)
	FLOAT_DTYPES(STRONG, REAL_FLOAT)
	COMPLEX_DTYPES(STRONG, COMPLEX_FLOAT)
	[DT_KEY] = {"key", 16, OTHER, DT_KEY},
	[DT_WEAK_INT] = {"whole number", 8, WHOLE, DT_I64},
	[DT_WEAK_FLOAT] = {"number", 8, REAL_FLOAT, DT_F64},
	[DT_WEAK_COMPLEX] = {"complex number", 16, COMPLEX_FLOAT, DT_C128},
};

const char *dtype_name(Dtype d)
{
	return dtypes[d].name;
}

Dtype dtype_named(const char *text, size_t n)
{
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		if (strlen(dtypes[d].name) == n && !memcmp(dtypes[d].name, text, n)) return d;
	return DT_NONE;
}

size_t dtype_bytes(Dtype d)
{
	return dtypes[d].bytes;
}
bool dtype_is_integer(Dtype d)
{
	return dtypes[d].kind == WHOLE;
}
bool dtype_is_float(Dtype d)
{
	return dtypes[d].kind == REAL_FLOAT;
}
bool dtype_is_complex(Dtype d)
{
	return dtypes[d].kind == COMPLEX_FLOAT;
}
bool dtype_is_number(Dtype d)
{
	return dtypes[d].kind != OTHER;
}
bool dtype_is_weak(Dtype d)
{
	return dtypes[d].strong != d;
}
Dtype dtype_strong(Dtype d)
{
	return dtypes[d].strong;
}

/* A signed integer meets an unsigned one in a signed type that holds both. */
static Dtype integers_meet(Dtype a, Dtype b)
{
	bool a_signed = a <= DT_I64, b_signed = b <= DT_I64;
	if (a_signed == b_signed) return a > b ? a : b;
	Dtype s = a_signed ? a : b, u = a_signed ? b : a;
	Dtype holds_u = (Dtype)(u - DT_U8 + DT_I8 + 1);
	if (s >= holds_u) return s;
	return holds_u <= DT_I64 ? holds_u : DT_NONE;
}

Dtype dtype_promote(Dtype a, Dtype b)
{
	if (a == b) return a;
	if (!dtype_is_number(a) || !dtype_is_number(b)) return DT_NONE;
	if (dtypes[a].kind > dtypes[b].kind) return dtype_promote(b, a);
	bool same = dtypes[a].kind == dtypes[b].kind;
	if (same && dtype_is_weak(b)) return a;
	if (dtype_is_weak(a) || (!same && dtype_is_integer(a))) return b;
	if (same && dtype_is_integer(a)) return integers_meet(a, b);
	if (same && dtype_is_float(a)) {
		if (a <= DT_BF16 && b <= DT_BF16) return DT_F32;
		if (a > b) return a;
		return b;
	}
	/* two complex types that differ, or a strong float and a complex one */
	if (same || a == DT_F64) return DT_C128;
	return dtype_is_weak(b) ? DT_C64 : b;
}
