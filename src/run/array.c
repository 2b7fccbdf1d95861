/* array.c - arrays as callers give them: dtypes, strides, copies. */
#include "program.h"

bool array_is(const Array *a, Dtype d)
{
	return a->dtype.code == dtype_dlpack(d) && a->dtype.lanes == dtype_lanes(d) &&
		a->dtype.bits * (size_t)a->dtype.lanes == 8 * dtype_bytes(d);
}

Dtype array_dtype(const Array *a)
{
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		if (array_is(a, d)) return d;
	return DT_NONE;
}

void array_set_dtype(Array *a, Dtype d)
{
	a->dtype.code = (uint8_t)dtype_dlpack(d);
	a->dtype.lanes = (uint16_t)dtype_lanes(d);
	a->dtype.bits = a->dtype.lanes ? (uint8_t)(8 * dtype_bytes(d) / a->dtype.lanes) : 0;
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

bool array_strides_fit(const Array *a, size_t bytes)
{
	int64_t far = 0, step;
	for (int32_t k = 0; k < a->ndim; k++)
		if (a->shape[k] <= 0) return true; /* nothing is there, or that is another error */
	for (int32_t k = 0; k < a->ndim; k++) {
		bool far_off = __builtin_mul_overflow(a->strides[k], a->shape[k] - 1, &step);
		if (far_off || step < -LARGEST || step > LARGEST) return false;
		far += step < 0 ? -step : step;
	}
	return far <= LARGEST / (int64_t)bytes;
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
