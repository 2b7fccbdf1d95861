/* dtype.c - the element types and where two of them meet. */
#include "dtypes.h"
#include "ir.h"
#include "../math/math.h" /* complex numbers */

#include <math.h>

const DtypeFacts dtype_facts[DT_COUNT] = {
#define FACTS(D, d, T, HELD, held_as, H, numbers, of_kind, n, PART)                                          \
	[DT_##D] = {of_kind, (n) * sizeof(T), DT_##D, PART(D)},
#define ITSELF(D) DT_##D
#define FLOAT_OF(D) DT_##D == DT_C64 ? DT_F32 : DT_F64
	BOOL_DTYPES(FACTS, OF_NO_NUMBERS, 1, ITSELF)
	WHOLE_DTYPES(FACTS, OF_INTEGERS, 1, ITSELF)
	NARROW_DTYPES(FACTS, OF_FLOATS, 1, ITSELF)
	FLOAT_DTYPES(FACTS, OF_FLOATS, 1, ITSELF)
	COMPLEX_DTYPES(FACTS, OF_COMPLEX, 1, FLOAT_OF)
	KEY_DTYPES(FACTS, OF_NO_NUMBERS, 2, ITSELF)
	[DT_WEAK_INT] = {OF_INTEGERS, 8, DT_I64, DT_WEAK_INT},
	[DT_WEAK_FLOAT] = {OF_FLOATS, 8, DT_F64, DT_WEAK_FLOAT},
	[DT_WEAK_COMPLEX] = {OF_COMPLEX, 16, DT_C128, DT_WEAK_FLOAT},
};

static const struct {
	const char *name;
	Dtype held, sum;
	int lanes, dlpack, digits;
	double min, max, past;
} dtypes[DT_COUNT] = {
	[DT_NONE] = {.name = "none"},
#define NUMBERS(number, kind, of_sum, binary, least, most, beyond)                                           \
	.dlpack = kind, .sum = DT_##of_sum, .digits = binary, .min = (double)(least), .max = (double)(most), \
	.past = (double)(beyond)
#define STRONG(D, d, T, HELD, held_as, H, numbers, n)                                                        \
	[DT_##D] = {.name = &#d[1], .held = DT_##HELD, .lanes = n, NUMBERS numbers},
	BOOL_DTYPES(STRONG, 1)
	WHOLE_DTYPES(STRONG, 1)
	NARROW_DTYPES(STRONG, 1)
	FLOAT_DTYPES(STRONG, 1)
	COMPLEX_DTYPES(STRONG, 1)
	KEY_DTYPES(STRONG, 2)
	[DT_WEAK_INT] = {"whole number", .sum = DT_WEAK_INT},
	[DT_WEAK_FLOAT] = {"number", .sum = DT_WEAK_FLOAT},
	[DT_WEAK_COMPLEX] = {"complex number", .sum = DT_WEAK_COMPLEX},
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

bool dtype_is_unsigned(Dtype d)
{
	return dtype_is_integer(d) && dtypes[dtype_strong(d)].min == 0;
}
Dtype dtype_held(Dtype d)
{
	return dtypes[dtype_strong(d)].held;
}
bool dtype_is_narrow(Dtype d)
{
	return dtype_is_float(d) && dtype_held(d) != dtype_strong(d);
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
	return dtypes[dtype_strong(d)].digits;
}
double dtype_min(Dtype d)
{
	return dtypes[dtype_strong(d)].min;
}
double dtype_max(Dtype d)
{
	return dtypes[dtype_strong(d)].max;
}
bool dtype_has_infinity(Dtype d)
{
	return isinf(dtypes[dtype_strong(d)].past);
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
	if (dtype_facts[a].kind == dtype_facts[b].kind) return alike_meet(a, b);
	if (dtype_facts[a].kind > dtype_facts[b].kind) return dtype_promote(b, a);
	if (dtype_is_weak(a) || dtype_is_integer(a)) return b;
	if (a == DT_F64) return DT_C128; /* a strong float and a complex one */
	return dtype_is_weak(b) ? DT_C64 : b;
}
