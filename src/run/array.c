/* array.c - arrays as callers give them: dtypes, strides, copies. */
#include "program.h"

enum { DL_INT, DL_UINT, DL_FLOAT, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };

static const struct {
	uint8_t code, bits, lanes;
} codes[DT_COUNT] = {
	[DT_BOOL] = {DL_BOOL, 8, 1},
	[DT_I8] = {DL_INT, 8, 1},
	[DT_I16] = {DL_INT, 16, 1},
	[DT_I32] = {DL_INT, 32, 1},
	[DT_I64] = {DL_INT, 64, 1},
	[DT_U8] = {DL_UINT, 8, 1},
	[DT_U16] = {DL_UINT, 16, 1},
	[DT_U32] = {DL_UINT, 32, 1},
	[DT_U64] = {DL_UINT, 64, 1},
	[DT_F16] = {DL_FLOAT, 16, 1},
	[DT_BF16] = {DL_BFLOAT, 16, 1},
	[DT_F32] = {DL_FLOAT, 32, 1},
	[DT_F64] = {DL_FLOAT, 64, 1},
	[DT_C64] = {DL_COMPLEX, 64, 1},
	[DT_C128] = {DL_COMPLEX, 128, 1},
	[DT_KEY] = {DL_UINT, 64, 2},
};

Dtype array_dtype(const Array *a)
{
	for (int d = DT_BOOL; d <= DT_KEY; d++)
		if (codes[d].code == a->dtype.code && codes[d].bits == a->dtype.bits &&
			codes[d].lanes == a->dtype.lanes)
			return (Dtype)d;
	return DT_NONE;
}

bool array_is(const Array *a, Dtype d)
{
	return a->dtype.code == codes[d].code && a->dtype.bits == codes[d].bits &&
		a->dtype.lanes == codes[d].lanes;
}

void array_set_dtype(Array *a, Dtype d)
{
	a->dtype.code = codes[d].code;
	a->dtype.bits = codes[d].bits;
	a->dtype.lanes = codes[d].lanes;
}

bool array_is_compact(const Array *a)
{
	int64_t want = 1;
	for (int32_t k = a->ndim; k-- > 0;) {
		if (a->shape[k] == 0) return true;
		if (a->shape[k] != 1 && a->strides[k] != want) return false;
		if (__builtin_mul_overflow(want, a->shape[k], &want)) return false;
	}
	return true;
}

void array_copy(const Array *x, const Array *y, size_t bytes)
{
	uint32_t rank = (uint32_t)y->ndim;
	const int64_t *shape = y->shape;
	char *to = array_data(x);
	const char *from = array_data(y);
	int64_t index[16] = {0}, ts[16], fs[16], compact = 1, n = 1;
	for (uint32_t k = 0; k < rank; k++)
		if (shape[k] == 0) return; /* the others may be any, and their product too */
	for (uint32_t k = rank; k-- > 0;) {
		ts[k] = (x->strides ? x->strides[k] : compact) * (int64_t)bytes;
		fs[k] = (y->strides ? y->strides[k] : compact) * (int64_t)bytes;
		compact *= shape[k];
		n *= shape[k];
	}
	int64_t last = rank ? shape[rank - 1] : 1;
	for (int64_t done = 0; done < n; done += last) {
		for (int64_t i = 0; i < last; i++)
			memcpy(to + (rank ? i * ts[rank - 1] : 0), from + (rank ? i * fs[rank - 1] : 0),
				bytes);
		for (uint32_t k = rank ? rank - 1 : 0; k-- > 0;) {
			to += ts[k];
			from += fs[k];
			if (++index[k] < shape[k]) break;
			to -= shape[k] * ts[k];
			from -= shape[k] * fs[k];
			index[k] = 0;
		}
	}
}
