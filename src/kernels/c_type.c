/* c_type.c - dtypes, literals and scalar functions as C has them. */
#include "c_kernel.h"

static const struct {
	const char *held, *memory;
	uint32_t bytes;
} types[DT_COUNT] = {
	[DT_BOOL] = {"uint8_t", "uint8_t", 1},
	[DT_I8] = {"int8_t", "int8_t", 1},
	[DT_I16] = {"int16_t", "int16_t", 2},
	[DT_I32] = {"int32_t", "int32_t", 4},
	[DT_I64] = {"int64_t", "int64_t", 8},
	[DT_U8] = {"uint8_t", "uint8_t", 1},
	[DT_U16] = {"uint16_t", "uint16_t", 2},
	[DT_U32] = {"uint32_t", "uint32_t", 4},
	[DT_U64] = {"uint64_t", "uint64_t", 8},
	[DT_F16] = {"float", "uint16_t", 4},
	[DT_BF16] = {"float", "uint16_t", 4},
	[DT_F32] = {"float", "float", 4},
	[DT_F64] = {"double", "double", 8},
	[DT_C64] = {"C64", "C64", 8},
	[DT_C128] = {"C128", "C128", 16},
	[DT_KEY] = {"uint64_t", "uint64_t", 8}, /* loaded by halves */
};

Dtype held_dtype(Dtype d)
{
	if (d == DT_F16 || d == DT_BF16) return DT_F32;
	if (d == DT_KEY) return DT_U64;
	return d;
}

const char *held_type(Dtype d)
{
	return types[d].held ? types[d].held : "void";
}

const char *memory_type(Dtype d)
{
	return types[d].memory ? types[d].memory : "void";
}

uint32_t held_bytes(Dtype d)
{
	return types[d].bytes ? types[d].bytes : 1;
}

Dtype fold_accumulator(const Ins *x)
{
	return held_dtype((Dtype)(is_argfold(x) ? x->from : x->dtype));
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
	strcpy(name + n, dtype_name(held_dtype((Dtype)x->from)));
	if (x->op == OP_CAST || x->op == OP_BITCAST) {
		strcat(name, "_");
		strcat(name, dtype_name(held_dtype((Dtype)x->dtype)));
	}
}

/* ---- literals ------------------------------------------------------------------------- */

static float f32_of_half(Dtype d, uint16_t h)
{
	uint32_t b = (uint32_t)h << 16;
	float x;
	if (d == DT_F16) { /* normal numbers move by the difference of the biases, subnormal ones too */
		b = (uint32_t)(h & 0x7fff) << 13;
		memcpy(&x, &b, 4);
		x *= 0x1p112f;
		if ((h & 0x7c00) == 0x7c00) x = h & 0x3ff ? __builtin_nanf("") : __builtin_inff();
		return h & 0x8000 ? -x : x;
	}
	memcpy(&x, &b, 4);
	return x;
}

static const char *float_literal(Arena *a, double x, bool single)
{
	if (x != x) return single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
	if (x - x != 0) return arena_printf(a, "%s__builtin_inf%s()", x < 0 ? "-" : "", single ? "f" : "");
	return arena_printf(a, __builtin_signbit(x) ? "(%a%s)" : "%a%s", x, single ? "f" : "");
}

static const char *int_literal(Arena *a, Dtype d, uint64_t bits)
{
	bool is_signed = d >= DT_I8 && d <= DT_I64;
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
	float f;
	double x;
	switch (d) {
	case DT_F16:
	case DT_BF16: return float_literal(a, f32_of_half(d, (uint16_t)bits), true);
	case DT_F32: memcpy(&f, &bits, 4); return float_literal(a, f, true); /* little-endian */
	case DT_F64: memcpy(&x, &bits, 8); return float_literal(a, x, false);
	case DT_C64:
		return arena_printf(a, "(C64){ %s, %s }", dtype_literal(a, DT_F32, bits & 0xffffffff),
			dtype_literal(a, DT_F32, bits >> 32));
	case DT_BOOL: return bits & 0xff ? "1" : "0";
	default: return int_literal(a, d, bits);
	}
}
