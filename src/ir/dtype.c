/* dtype.c - the element types and where two of them meet. */
#include "ir.h"

/* A later kind takes in the ones before. */
typedef enum Kind { OTHER, WHOLE, REAL_FLOAT, COMPLEX_FLOAT } Kind;

static const struct {
	const char *name;
	size_t bytes;
	Kind kind;
	Dtype strong;
} dtypes[DT_COUNT] = {
	[DT_NONE] = {"none", 0, OTHER, DT_NONE},
	[DT_BOOL] = {"bool", 1, OTHER, DT_BOOL},
	[DT_I8] = {"i8", 1, WHOLE, DT_I8},
	[DT_I16] = {"i16", 2, WHOLE, DT_I16},
	[DT_I32] = {"i32", 4, WHOLE, DT_I32},
	[DT_I64] = {"i64", 8, WHOLE, DT_I64},
	[DT_U8] = {"u8", 1, WHOLE, DT_U8},
	[DT_U16] = {"u16", 2, WHOLE, DT_U16},
	[DT_U32] = {"u32", 4, WHOLE, DT_U32},
	[DT_U64] = {"u64", 8, WHOLE, DT_U64},
	[DT_F16] = {"f16", 2, REAL_FLOAT, DT_F16},
	[DT_BF16] = {"bf16", 2, REAL_FLOAT, DT_BF16},
	[DT_F32] = {"f32", 4, REAL_FLOAT, DT_F32},
	[DT_F64] = {"f64", 8, REAL_FLOAT, DT_F64},
	[DT_C64] = {"c64", 8, COMPLEX_FLOAT, DT_C64},
	[DT_C128] = {"c128", 16, COMPLEX_FLOAT, DT_C128},
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
