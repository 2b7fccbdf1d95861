/* draft.c - writing kernels down. */
#include "draft.h"

#include <stdio.h>

void draft_open(Draft *d, const char *name, Recipe recipe, int naxis, int nrow, int nfold)
{
	memset(d, 0, sizeof *d);
	snprintf(d->name, sizeof d->name, "%s", name);
	d->k.recipe = (uint8_t)recipe;
	d->k.naxis = (uint8_t)naxis;
	d->k.nrow = (uint8_t)nrow;
	d->k.nfold = (uint8_t)nfold;
	kernel_takes(&d->k, &d->room);
}

static Int int_of(Draft *d, int64_t x)
{
	if (x >> 40 != 1) return INT_LITERAL((int32_t)x);
	int p = (int)(x & 0xffff);
	if (d->k.nparam <= p) d->k.nparam = (uint16_t)(p + 1);
	return (Int){p, 0};
}

void draft_extent(Draft *d, int axis, int64_t literal)
{
	d->k.extent[axis] = INT_LITERAL((int32_t)literal);
}

void draft_extent_param(Draft *d, int axis, int param)
{
	d->k.extent[axis] = int_of(d, P(param));
}

int draft_buffer(Draft *d, Dtype dtype, bool written)
{
	d->k.buffer[d->k.nbuffer].dtype = (uint8_t)dtype;
	d->k.buffer[d->k.nbuffer].written = written;
	return d->k.nbuffer++;
}

void draft_stage(Draft *d, bool inner)
{
	draft_done(d);
	d->k.stage[d->k.nstage++] = (Stage){d->k.ncode, d->k.ncode, inner};
}

void draft_done(Draft *d)
{
	if (d->k.nstage) d->k.stage[d->k.nstage - 1].end = d->k.ncode;
}

static uint16_t add(Draft *d, Ins x)
{
	d->k.code[d->k.ncode] = x;
	return d->k.ncode++;
}

static uint16_t access_of(Draft *d, int buffer, int64_t offset, const int64_t *stride)
{
	Access *a = &d->k.at[d->k.nat];
	a->buffer = (uint8_t)buffer;
	a->offset = int_of(d, offset);
	for (int i = 0; i < d->k.naxis; i++) a->stride[i] = int_of(d, stride ? stride[i] : 0);
	return d->k.nat++;
}

uint16_t draft_const(Draft *d, Dtype t, uint64_t bits)
{
	return add(d, (Ins){.kind = INS_CONST, .dtype = (uint8_t)t, .bits = bits});
}

uint16_t draft_f32(Draft *d, float x)
{
	uint32_t b;
	memcpy(&b, &x, 4);
	return draft_const(d, DT_F32, b);
}

uint16_t draft_f64(Draft *d, double x)
{
	uint64_t b;
	memcpy(&b, &x, 8);
	return draft_const(d, DT_F64, b);
}

uint16_t draft_param(Draft *d, int param)
{
	return add(d, (Ins){.kind = INS_PARAM, .dtype = DT_I64, .at = access_of(d, 0, P(param), NULL)});
}

uint16_t draft_map(Draft *d, Op op, Dtype to, Dtype from, int a, int b, int c)
{
	return add(d,
		(Ins){.kind = INS_MAP,
			.dtype = (uint8_t)to,
			.from = (uint8_t)from,
			.op = (uint16_t)op,
			.a = (uint16_t)a,
			.b = (uint16_t)b,
			.c = (uint16_t)c});
}

uint16_t draft_fold(Draft *d, Op op, Dtype to, Dtype from, int a)
{
	return add(d,
		(Ins){.kind = INS_FOLD,
			.dtype = (uint8_t)to,
			.from = (uint8_t)from,
			.op = (uint16_t)op,
			.a = (uint16_t)a});
}

uint16_t draft_random(Draft *d, InsKind kind, Op op, Dtype t, int a, int b, int c)
{
	return add(d,
		(Ins){.kind = (uint8_t)kind,
			.dtype = (uint8_t)t,
			.op = (uint16_t)op,
			.a = (uint16_t)a,
			.b = (uint16_t)b,
			.c = (uint16_t)c});
}

uint16_t draft_load(Draft *d, int buffer, Dtype t, int64_t offset, const int64_t *stride)
{
	return add(
		d, (Ins){.kind = INS_LOAD, .dtype = (uint8_t)t, .at = access_of(d, buffer, offset, stride)});
}

uint16_t draft_store(Draft *d, int buffer, int a, int64_t offset, const int64_t *stride)
{
	return add(d,
		(Ins){.kind = INS_STORE,
			.dtype = d->k.buffer[buffer].dtype,
			.a = (uint16_t)a,
			.at = access_of(d, buffer, offset, stride)});
}

uint16_t draft_index(Draft *d, int64_t offset, const int64_t *stride)
{
	return add(d, (Ins){.kind = INS_INDEX, .dtype = DT_I64, .at = access_of(d, 0, offset, stride)});
}

void draft_dynamic(Draft *d, int ins, int value, int64_t stride, int64_t extent)
{
	Access *a = &d->k.at[d->k.code[ins].at];
	a->dynamic[a->ndynamic++] = (Dynamic){(uint32_t)value, int_of(d, stride), int_of(d, extent)};
}
