/* sample.c - see sample.h. */
#include "sample.h"
#include "../../src/math/math.h"

#include <stdlib.h>

typedef struct Maker {
	Sample *s;
	uint64_t state;
	uint16_t pool[64];
	uint32_t npool;
} Maker;

static uint64_t draw(Maker *m, uint64_t n)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (m->state >> 33) % n;
}

static Int some_int(Maker *m, int64_t v)
{
	Kernel *k = &m->s->kernel;
	if (draw(m, 3) || k->nparam == 16) return INT_LITERAL((int32_t)v);
	m->s->param[k->nparam] = v;
	return (Int){k->nparam++, 0};
}

static int64_t value_of(Maker *m, Int i)
{
	return i.param < 0 ? i.value : m->s->param[i.param];
}

static uint8_t new_buffer(Maker *m, Dtype d, bool written, int64_t elements)
{
	Kernel *k = &m->s->kernel;
	k->buffer[k->nbuffer].dtype = (uint8_t)d, k->buffer[k->nbuffer].written = written;
	m->s->elements[k->nbuffer] = elements;
	return k->nbuffer++;
}

static uint16_t add_ins(Maker *m, Ins i)
{
	Kernel *k = &m->s->kernel;
	k->code[k->ncode] = i;
	return k->ncode++;
}

/* An access along axes [0, n), perhaps without some, that touches memory of its own from 0 on. */
static uint16_t add_access(
	Maker *m, Dtype d, uint32_t first_out, uint32_t end_out, uint32_t naxis, bool written, bool plain)
{
	Kernel *k = &m->s->kernel;
	Access *a = &k->at[k->nat];
	a->offset = some_int(m, plain ? 0 : (int64_t)draw(m, 3));
	int64_t size = 1;
	for (uint32_t i = naxis; i-- > 0;) {
		if ((i >= first_out && i < end_out) || (!plain && !draw(m, 4))) continue;
		a->stride[i] = some_int(m, size);
		size *= value_of(m, k->extent[i]);
		if (!plain && !draw(m, 5)) size += 1;
	}
	a->buffer = new_buffer(m, d, written, size + value_of(m, a->offset) + 1);
	return k->nat++;
}

static const Dtype dtypes[] = {DT_F32, DT_F32, DT_F64, DT_I32, DT_I64, DT_F16, DT_BF16};

/* A value of dtype d from the pool, or cast to it. */
static uint16_t operand(Maker *m, Dtype d)
{
	Kernel *k = &m->s->kernel;
	uint16_t v = m->pool[draw(m, m->npool)];
	if (k->code[v].dtype == d) return v;
	return add_ins(m,
		(Ins){.kind = INS_MAP, .op = OP_CAST, .from = k->code[v].dtype, .dtype = (uint8_t)d, .a = v});
}

static void add_maps(Maker *m, int n)
{
	static const Op ops[] = {
		OP_ADD, OP_SUB, OP_MUL, OP_MAXIMUM, OP_NEG, OP_EXP, OP_FMA, OP_WHERE, OP_ADD, OP_MUL};
	while (n-- > 0) {
		Dtype d = dtypes[draw(m, countof(dtypes))];
		Op op = ops[draw(m, countof(ops))];
		if ((op == OP_EXP || op == OP_FMA) && (d == DT_I32 || d == DT_I64)) op = OP_SUB;
		uint16_t a = operand(m, d), b = operand(m, d), c = operand(m, d);
		Ins i = {.kind = INS_MAP,
			.op = (uint16_t)op,
			.from = (uint8_t)d,
			.dtype = (uint8_t)d,
			.a = a,
			.b = b,
			.c = c};
		if (op == OP_WHERE)
			i.a = add_ins(m,
				(Ins){.kind = INS_MAP,
					.op = OP_LT,
					.from = (uint8_t)d,
					.dtype = DT_BOOL,
					.a = a,
					.b = b});
		if (op == OP_WHERE) i.b = draw(m, 2) ? a : c;
		m->pool[m->npool++] = add_ins(m, i);
	}
}

static void add_loads(Maker *m, int n, uint32_t first_out, uint32_t end_out, uint32_t naxis)
{
	Kernel *k = &m->s->kernel;
	while (n-- > 0) {
		Dtype d = dtypes[draw(m, countof(dtypes))];
		uint16_t at = add_access(m, d, first_out, end_out, naxis, false, draw(m, 2));
		uint16_t v;
		if (!draw(m, 6)) {
			k->nat--, k->nbuffer--;
			v = add_ins(m, (Ins){.kind = INS_INDEX, .dtype = DT_I64, .at = k->nat++});
			m->pool[m->npool++] = v;
			continue;
		}
		if (!draw(m, 4) && m->npool) { /* a gather */
			Access *a = &k->at[at];
			uint16_t i = operand(m, DT_I64);
			i = add_ins(m,
				(Ins){.kind = INS_MAP,
					.op = OP_MAXIMUM,
					.from = DT_I64,
					.dtype = DT_I64,
					.a = i,
					.b = add_ins(
						m, (Ins){.kind = INS_CONST, .dtype = DT_I64, .bits = 0})});
			int64_t extent = 1 + (int64_t)draw(m, 5), stride = m->s->elements[a->buffer];
			a->ndynamic = 1;
			a->dynamic[0].value = i;
			a->dynamic[0].stride = some_int(m, stride);
			a->dynamic[0].extent = some_int(m, extent);
			m->s->elements[a->buffer] = stride * extent;
		}
		v = add_ins(m, (Ins){.kind = INS_LOAD, .dtype = (uint8_t)d, .at = at});
		m->pool[m->npool++] = v;
	}
}

static void add_consts(Maker *m)
{
	float f = 0.75f;
	uint64_t bits = 0;
	memcpy(&bits, &f, 4);
	m->pool[m->npool++] = add_ins(m, (Ins){.kind = INS_CONST, .dtype = DT_F32, .bits = bits});
	m->pool[m->npool++] = add_ins(m, (Ins){.kind = INS_CONST, .dtype = DT_F16, .bits = 0x3c01});
	Kernel *k = &m->s->kernel;
	k->at[k->nat].offset = some_int(m, 3);
	m->pool[m->npool++] = add_ins(m, (Ins){.kind = INS_PARAM, .dtype = DT_I64, .at = k->nat++});
}

static void add_store(Maker *m, uint16_t v, uint32_t first_out, uint32_t end_out, uint32_t naxis)
{
	Dtype d = (Dtype)m->s->kernel.code[v].dtype;
	uint16_t at = add_access(m, d, first_out, end_out, naxis, true, true);
	add_ins(m, (Ins){.kind = INS_STORE, .dtype = (uint8_t)d, .a = v, .at = at});
}

static void add_folds(Maker *m, int n)
{
	static const Op ops[] = {OP_SUM, OP_SUM, OP_MAX, OP_MIN, OP_PROD, OP_ARGMAX, OP_ARGMIN};
	uint16_t made[8];
	for (int i = 0; i < n; i++) {
		Dtype d = dtypes[draw(m, countof(dtypes))];
		Op op = ops[draw(m, countof(ops))];
		uint16_t a = operand(m, d);
		bool wide = d == DT_I32 && (op == OP_SUM || op == OP_PROD);
		Dtype to = op == OP_ARGMAX || op == OP_ARGMIN ? DT_I64 : wide && draw(m, 2) ? DT_I64 : d;
		made[i] = add_ins(m,
			(Ins){.kind = INS_FOLD,
				.op = (uint16_t)op,
				.from = (uint8_t)d,
				.dtype = (uint8_t)to,
				.a = a});
	}
	for (int i = 0; i < n; i++) m->pool[m->npool++] = made[i];
}

static void end_stage(Maker *m, bool inner)
{
	Kernel *k = &m->s->kernel;
	uint16_t first = k->nstage ? k->stage[k->nstage - 1].end : 0;
	if (k->ncode > first) k->stage[k->nstage++] = (Stage){first, k->ncode, inner};
}

static void make_rows(Maker *m)
{
	Kernel *k = &m->s->kernel;
	uint32_t row = k->nrow, all = k->naxis;
	add_consts(m);
	add_loads(m, (int)draw(m, 2), row, all, all);
	end_stage(m, false);
	add_loads(m, 2, 0, 0, all);
	add_maps(m, 3);
	if (draw(m, 3)) {
		add_folds(m, 1 + (int)draw(m, 2));
		end_stage(m, true);
		uint16_t fold = m->pool[m->npool - 1];
		if (draw(m, 2)) { /* one thing a row, then another pass */
			Dtype d = (Dtype)k->code[fold].dtype;
			m->pool[m->npool++] = add_ins(m,
				(Ins){.kind = INS_MAP,
					.op = OP_ADD,
					.from = (uint8_t)d,
					.dtype = (uint8_t)d,
					.a = fold,
					.b = fold});
			add_store(m, m->pool[m->npool - 1], row, all, all);
			end_stage(m, false);
		}
		if (draw(m, 3)) {
			add_maps(m, 2);
			if (draw(m, 3) == 0) {
				add_folds(m, 1);
				end_stage(m, true);
				add_store(m, m->pool[m->npool - 1], row, all, all);
				end_stage(m, false);
				return;
			}
			add_store(m, m->pool[m->npool - 1], 0, 0, all);
			end_stage(m, true);
		} else {
			add_store(m, fold, row, all, all);
			end_stage(m, false);
		}
		return;
	}
	add_store(m, m->pool[m->npool - 1], 0, 0, all);
	end_stage(m, true);
}

static void make_chain(Maker *m)
{
	Kernel *k = &m->s->kernel;
	add_consts(m);
	add_loads(m, 2, 0, 0, k->naxis);
	add_maps(m, 2);
	uint32_t before = m->npool;
	add_folds(m, 1 + (int)draw(m, 2));
	end_stage(m, true);
	m->npool -= before;
	memmove(m->pool, m->pool + before, m->npool * sizeof *m->pool);
	add_loads(m, (int)draw(m, 2), k->nrow, k->nfold, k->naxis);
	add_maps(m, (int)draw(m, 3));
	add_store(m, m->pool[m->npool - 1], k->nrow, k->nfold, k->naxis);
	end_stage(m, true);
}

/* Constants of floats that the caller gives, in every other kernel. */
static void give_constants(Sample *s)
{
	Kernel *k = &s->kernel;
	for (uint32_t i = 0; i < k->ncode && k->nparam + k->nconstant < (int)countof(s->param); i++)
		if (k->code[i].kind == INS_CONST && dtype_is_float((Dtype)k->code[i].dtype)) {
			s->param[k->nparam + k->nconstant] = (int64_t)k->code[i].bits;
			k->code[i].kind = INS_GIVEN, k->code[i].bits = k->nconstant++;
		}
}

void sample_make(Sample *s, uint64_t seed)
{
	static const int64_t sizes[] = {1, 2, 3, 5, 10, 17, 64, 65, 130, 300, 700, 0};
	Maker m = {.s = s, .state = seed * 0x9e3779b97f4a7c15u + 1};
	memset(s, 0, sizeof *s);
	Kernel *k = &s->kernel;
	kernel_takes(k, &s->room);
	for (int i = 0; i < 4; i++) draw(&m, 2);
	k->recipe = draw(&m, 3) ? RECIPE_ROWS : RECIPE_CHAIN;
	k->naxis = (uint8_t)draw(&m, 4);
	k->nrow = (uint8_t)draw(&m, k->naxis + 1u);
	k->nfold = (uint8_t)(k->nrow + draw(&m, (uint64_t)(k->naxis - k->nrow) + 1u));
	int64_t total = 1;
	for (uint32_t i = 0; i < k->naxis; i++) {
		int64_t n = draw(&m, 12) ? sizes[draw(&m, countof(sizes) - 1)]
			: draw(&m, 4)    ? 9000 + (int64_t)draw(&m, 9)
					 : 0;
		if (total * n > 20000) n = 2;
		k->extent[i] = some_int(&m, n);
		total *= n ? n : 1;
	}
	if (k->recipe == RECIPE_ROWS)
		make_rows(&m);
	else
		make_chain(&m);
	if (seed % 2) give_constants(s);
}

static void put_value(Dtype d, char *to, double x)
{
	float f = (float)x;
	if (dtype_is_narrow(d))
		element_cast(d, to, DT_F32, &f);
	else
		element_cast(d, to, DT_F64, &x);
}

void sample_fill(const Sample *s, uint64_t seed, void **buffer)
{
	Maker m = {.state = seed};
	for (uint32_t b = 0; b < s->kernel.nbuffer; b++) {
		Dtype d = (Dtype)s->kernel.buffer[b].dtype;
		size_t bytes = dtype_bytes(d);
		buffer[b] = malloc((size_t)s->elements[b] * bytes + 1);
		memset(buffer[b], 0xa5, (size_t)s->elements[b] * bytes);
		for (int64_t i = 0; !s->kernel.buffer[b].written && i < s->elements[b]; i++)
			put_value(
				d, (char *)buffer[b] + i * (int64_t)bytes, (double)draw(&m, 2000) / 500 - 2);
	}
}
