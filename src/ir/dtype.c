/* dtype.c - the element types and where two of them meet. */
#include "dtypes.h"
#include "ir.h"
#include "../math/math.h" /* complex numbers */

#include <math.h>

/* A later kind takes in the ones before. */
typedef enum Kind { OTHER, WHOLE, REAL_FLOAT, COMPLEX_FLOAT } Kind;

static const struct {
	const char *name;
	size_t bytes;
	Kind kind;
	Dtype strong, held, sum;
	int lanes, dlpack, digits;
	double min, max, past;
} dtypes[DT_COUNT] = {
	[DT_NONE] = {.name = "none"},
#define NUMBERS(number, kind, of_sum, binary, least, most, beyond)                                           \
	.dlpack = kind, .sum = DT_##of_sum, .digits = binary, .min = (double)(least), .max = (double)(most), \
	.past = (double)(beyond)
#define STRONG(D, d, T, HELD, held_as, H, numbers, of_kind, n)                                               \
	[DT_##D] = {.name = &#d[1], .bytes = (n) * sizeof(T), .kind = of_kind, .strong = DT_##D,             \
		.held = DT_##HELD, .lanes = n, NUMBERS numbers},
	BOOL_DTYPES(STRONG, OTHER, 1)
	WHOLE_DTYPES(STRONG, WHOLE, 1)
	NARROW_DTYPES(STRONG, REAL_FLOAT, 1)
	FLOAT_DTYPES(STRONG, REAL_FLOAT, 1)
	COMPLEX_DTYPES(STRONG, COMPLEX_FLOAT, 1)
	KEY_DTYPES(STRONG, OTHER, 2)
	[DT_WEAK_INT] = {"whole number", 8, WHOLE, .strong = DT_I64, .sum = DT_WEAK_INT},
	[DT_WEAK_FLOAT] = {"number", 8, REAL_FLOAT, .strong = DT_F64, .sum = DT_WEAK_FLOAT},
	[DT_WEAK_COMPLEX] = {"complex number", 16, COMPLEX_FLOAT, .strong = DT_C128, .sum = DT_WEAK_COMPLEX},
};

const char *dtype_name(Dtype d)
{
	return dtypes[d].name;
}

Dtype dtype_named(const char *text, size_t n)
{
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		if (n && *dtypes[d].name == *text && strlen(dtypes[d].name) == n &&
			!memcmp(dtypes[d].name, text, n))
			return d;
	return DT_NONE;
}

/* ---- what the list says ---------------------------------------------------------------------- */

size_t dtype_bytes(Dtype d)
{
	return dtypes[d].bytes;
}
bool dtype_is_integer(Dtype d)
{
	return dtypes[d].kind == WHOLE;
}
bool dtype_is_unsigned(Dtype d)
{
	return dtypes[d].kind == WHOLE && dtypes[dtypes[d].strong].min == 0;
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

Dtype dtype_part(Dtype d)
{
	switch (d) {
	case DT_C64: return DT_F32;
	case DT_C128: return DT_F64;
	case DT_WEAK_COMPLEX: return DT_WEAK_FLOAT;
	default: return d;
	}
}

Dtype dtype_held(Dtype d)
{
	return dtypes[dtypes[d].strong].held;
}
bool dtype_is_narrow(Dtype d)
{
	return dtypes[d].kind == REAL_FLOAT && dtype_held(d) != dtypes[d].strong;
}
Dtype dtype_summed(Dtype d)
{
	return dtypes[d].sum;
}
int dtype_dlpack(Dtype d)
{
	return dtypes[d].dlpack;
}
int dtype_lanes(Dtype d)
{
	return dtypes[d].lanes;
}
int dtype_digits(Dtype d)
{
	return dtypes[dtypes[d].strong].digits;
}
double dtype_min(Dtype d)
{
	return dtypes[dtypes[d].strong].min;
}
double dtype_max(Dtype d)
{
	return dtypes[dtypes[d].strong].max;
}
bool dtype_has_infinity(Dtype d)
{
	return isinf(dtypes[dtypes[d].strong].past);
}

/* ---- where two meet -------------------------------------------------------------------------- */

/* Two signed or two unsigned integers meet in the wider, others in the least signed type that holds both. */
static Dtype integers_meet(Dtype a, Dtype b)
{
	int digits = dtypes[a].digits > dtypes[b].digits ? dtypes[a].digits : dtypes[b].digits;
	bool is_unsigned = dtype_is_unsigned(a) && dtype_is_unsigned(b);
	Dtype best = DT_NONE;
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		if (dtype_is_integer(d) && dtype_is_unsigned(d) == is_unsigned && dtypes[d].digits >= digits)
			if (!best || dtypes[d].digits < dtypes[best].digits) best = d;
	return best;
}

static bool float_holds(Dtype a, Dtype b)
{
	return dtypes[a].digits >= dtypes[b].digits && dtypes[a].min <= dtypes[b].min &&
		dtypes[a].max >= dtypes[b].max;
}

/* Floats meet in the one that holds the other's numbers; f16 and bf16, neither of which does, in f32. */
static Dtype floats_meet(Dtype a, Dtype b)
{
	if (float_holds(a, b)) return a;
	return float_holds(b, a) ? b : DT_F32;
}

static Dtype alike_meet(Dtype a, Dtype b)
{
	if (dtype_is_weak(b)) return a;
	if (dtype_is_weak(a)) return b;
	if (dtype_is_integer(a)) return integers_meet(a, b);
	return dtype_is_float(a) ? floats_meet(a, b) : DT_C128;
}

Dtype dtype_promote(Dtype a, Dtype b)
{
	if (a == b) return a;
	if (!dtype_is_number(a) || !dtype_is_number(b)) return DT_NONE;
	if (dtypes[a].kind == dtypes[b].kind) return alike_meet(a, b);
	if (dtypes[a].kind > dtypes[b].kind) return dtype_promote(b, a);
	if (dtype_is_weak(a) || dtype_is_integer(a)) return b;
	if (a == DT_F64) return DT_C128; /* a strong float and a complex one */
	return dtype_is_weak(b) ? DT_C64 : b;
}
