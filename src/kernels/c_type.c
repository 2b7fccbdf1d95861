/* c_type.c - dtypes, literals and scalar functions as C has them. */
#include "c_kernel.h"

const char *held_type(Dtype d)
{
	static const char *const name[DT_COUNT] = {
#define HELD(D, d, T, HELD, held, H, ...) [DT_##D] = #H,
		ALL_DTYPES(HELD)
	};
	return name[d] ? name[d] : "void";
}

const char *memory_type(Dtype d)
{
	static const char *const name[DT_COUNT] = {
#define MEMORY(D, d, T, ...) [DT_##D] = #T,
		ALL_DTYPES(MEMORY)
	};
	return name[d] ? name[d] : "void";
}

uint32_t held_bytes(Dtype d)
{
	return d ? (uint32_t)dtype_bytes(dtype_held(d)) : 1;
}

Dtype fold_accumulator(const Ins *x)
{
	return dtype_held((Dtype)(is_argfold(x) ? x->from : x->dtype));
}

uint32_t ins_lanes(const Ins *x)
{
	return LANE_BYTES / held_bytes(fold_accumulator(x));
}

void map_function(const Ins *x, char name[40])
{
	const char *op = op_info[x->op].name;
	size_t n = 0;
	for (; op[n] && n < 24; n++)
		name[n] = op[n] >= 'A' && op[n] <= 'Z' ? (char)(op[n] - 'A' + 'a') : op[n];
	name[n++] = '_';
	strcpy(name + n, dtype_name(dtype_held((Dtype)x->from)));
	if (x->op == OP_CAST || x->op == OP_BITCAST) {
		strcat(name, "_");
		strcat(name, dtype_name(dtype_held((Dtype)x->dtype)));
	}
}

/* ---- literals ------------------------------------------------------------------------- */

static const char *float_literal(Arena *a, double x, bool single)
{
	if (x != x) return single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
	if (x - x != 0) return arena_printf(a, "%s__builtin_inf%s()", x < 0 ? "-" : "", single ? "f" : "");
	return arena_printf(a, __builtin_signbit(x) ? "(%a%s)" : "%a%s", x, single ? "f" : "");
}

static const char *int_literal(Arena *a, Dtype d, uint64_t bits)
{
	bool is_signed = dtype_is_integer(d) && !dtype_is_unsigned(d);
	uint32_t unused = 64 - 8 * held_bytes(d);
	if (!is_signed)
		return arena_printf(a, "%lluu%s", (unsigned long long)(bits << unused >> unused),
			d == DT_U64 ? "ll" : "");
	int64_t x = (int64_t)(bits << unused) >> unused;
	if (x == INT64_MIN) return "(-9223372036854775807ll - 1)";
	return arena_printf(a, x < 0 ? "(%lld%s)" : "%lld%s", (long long)x, d == DT_I64 ? "ll" : "");
}

const char *dtype_literal(Arena *a, Dtype d, uint64_t bits)
{
	if (dtype_is_float(d)) return float_literal(a, element_number(d, &bits), dtype_held(d) == DT_F32);
	switch (d) {
	case DT_C64:
		return arena_printf(a, "(C64){ %s, %s }", dtype_literal(a, DT_F32, bits & 0xffffffff),
			dtype_literal(a, DT_F32, bits >> 32));
	case DT_BOOL: return bits & 0xff ? "1" : "0";
	default: return int_literal(a, d, bits);
	}
}
