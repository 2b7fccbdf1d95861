/* naive.c - see naive.h. */
#include "naive.h"
#include "../../src/math/math.h"

#include <stdlib.h>

typedef union Number { uint64_t bits; uint8_t b; int32_t i32; int64_t i; uint64_t u; float f; double d; uint16_t h; int8_t i8; } Number;

/* ---- memory ---------------------------------------------------------------------- */

static size_t bytes_of(Dtype d)
{
	switch (d) {
	case DT_BOOL: case DT_I8: return 1;
	case DT_F16: case DT_BF16: return 2;
	case DT_F32: case DT_I32: return 4;
	default: return 8;
	}
}

static Number read_value(Dtype d, const void *p)
{
	Number v = { 0 };
	memcpy(&v, p, bytes_of(d));
	if (d == DT_F16)
		v.f = f32_from_f16(v.h);
	else if (d == DT_BF16)
		v.f = f32_from_bf16(v.h);
	return v;
}

static void write_value(Dtype d, void *p, Number v)
{
	if (d == DT_F16)
		v.h = f16_from_f32(v.f);
	else if (d == DT_BF16)
		v.h = bf16_from_f32(v.f);
	memcpy(p, &v, bytes_of(d));
}

/* ---- one instruction --------------------------------------------------------------- */

typedef struct Naive {
	const Kernel *k;
	void *const *buffer;
	const int64_t *param;
	Fault *fault;
	int64_t index[AXES_MAX], position;
	Number *row;                      /* values of the row stage and of folds */
} Naive;

static int64_t int_of(const Naive *n, Int i) { return i.param < 0 ? i.value : n->param[i.param]; }

static bool is_half(Dtype d) { return d == DT_F16 || d == DT_BF16; }

static Number rounded(Dtype d, Number v)
{
	if (d == DT_F16)
		v.f = round_f16(v.f);
	else if (d == DT_BF16)
		v.f = round_bf16(v.f);
	return v;
}

#define ARITHMETIC(more, x, y, M_, D_) \
	switch (op) { \
	case OP_ADD: r.M_ = add_##D_(x.M_, y.M_); break; \
	case OP_SUB: r.M_ = sub_##D_(x.M_, y.M_); break; \
	case OP_MUL: r.M_ = mul_##D_(x.M_, y.M_); break; \
	case OP_NEG: r.M_ = neg_##D_(x.M_); break; \
	case OP_MAXIMUM: r.M_ = maximum_##D_(x.M_, y.M_); break; \
	case OP_LT: r.b = lt_##D_(x.M_, y.M_); break; \
	case OP_WHERE: r.M_ = x.b ? y.M_ : z.M_; break; \
	case OP_CAST: \
		if (to == DT_F32) r.f = cast_##D_##_f32(x.M_); \
		else if (to == DT_F64) r.d = cast_##D_##_f64(x.M_); \
		else if (to == DT_I32) r.i32 = cast_##D_##_i32(x.M_); \
		else if (to == DT_I64) r.i = cast_##D_##_i64(x.M_); \
		else if (to == DT_F16) r.f = f32_from_f16(f16_from_f64(cast_##D_##_f64(x.M_))); \
		else if (to == DT_BF16) r.f = f32_from_bf16(bf16_from_f64(cast_##D_##_f64(x.M_))); \
		break; \
	more default: abort(); \
	}

static Number map_value(Op op, Dtype from, Dtype to, Number x, Number y, Number z)
{
	Number r = { 0 };
	switch (from) {
	case DT_F16: case DT_BF16: case DT_F32:
		ARITHMETIC(case OP_EXP: r.f = exp_f32(x.f); break; case OP_FMA: r.f = fma_f32(x.f, y.f, z.f); break;, x, y, f, f32)
		break;
	case DT_F64:
		ARITHMETIC(case OP_EXP: r.d = exp_f64(x.d); break; case OP_FMA: r.d = fma_f64(x.d, y.d, z.d); break;, x, y, d, f64)
		break;
	case DT_I32: ARITHMETIC(, x, y, i32, i32) break;
	case DT_I64: ARITHMETIC(, x, y, i, i64) break;
	default: abort();
	}
	return op == OP_CAST ? r : rounded(to, r);
}

static int64_t place_of(Naive *n, const Access *a, const Number *v)
{
	int64_t at = int_of(n, a->offset);
	for (uint32_t k = 0; k < n->k->naxis; k++)
		at += int_of(n, a->stride[k])*n->index[k];
	for (uint32_t k = 0; k < a->ndynamic; k++) {
		int64_t i = v[a->dynamic[k].value].i, extent = int_of(n, a->dynamic[k].extent);
		if (n->k->code[a->dynamic[k].value].dtype == DT_I32)
			i = v[a->dynamic[k].value].i32;
		if (i < 0 || i >= extent) {
			if (n->position < n->fault->position)
				*n->fault = (Fault){ n->position, i, extent };
			i = 0;
		}
		at += i*int_of(n, a->dynamic[k].stride);
	}
	return at;
}

static void step(Naive *n, uint16_t j, Number *v)
{
	const Ins *i = &n->k->code[j];
	const Access *a = &n->k->at[i->at];
	switch (i->kind) {
	case INS_CONST: v[j] = read_value((Dtype)i->dtype, &i->bits); break;
	case INS_GIVEN: v[j] = read_value((Dtype)i->dtype, &n->param[n->k->nparam + i->bits]); break;
	case INS_PARAM: v[j].i = int_of(n, a->offset); break;
	case INS_INDEX: v[j].i = place_of(n, a, v); break;
	case INS_LOAD:
		v[j] = read_value((Dtype)i->dtype, (char *)n->buffer[a->buffer] + place_of(n, a, v)*(int64_t)bytes_of((Dtype)i->dtype));
		break;
	case INS_STORE:
		write_value((Dtype)i->dtype, (char *)n->buffer[a->buffer] + place_of(n, a, v)*(int64_t)bytes_of((Dtype)i->dtype), v[i->a]);
		break;
	case INS_MAP: v[j] = map_value((Op)i->op, (Dtype)i->from, (Dtype)i->dtype, v[i->a], v[i->b], v[i->c]); break;
	default: break;
	}
}

/* ---- folds --------------------------------------------------------------------------- */

static Number join(const Ins *i, Number x, Number y)
{
	bool single = i->from == DT_F32 || is_half((Dtype)i->from), whole = i->from == DT_I32 || i->from == DT_I64;
	Number r = { 0 };
	switch (i->op) {
	case OP_SUM: if (single) r.f = x.f + y.f; else if (whole) r.u = x.u + y.u; else r.d = x.d + y.d; break;
	case OP_PROD: if (single) r.f = x.f*y.f; else if (whole) r.u = x.u*y.u; else r.d = x.d*y.d; break;
	case OP_MAX:
		if (single) r.f = maximum_f32(x.f, y.f);
		else if (whole) r.i = x.i > y.i ? x.i : y.i;
		else r.d = maximum_f64(x.d, y.d);
		break;
	case OP_MIN:
		if (single) r.f = minimum_f32(x.f, y.f);
		else if (whole) r.i = x.i < y.i ? x.i : y.i;
		else r.d = minimum_f64(x.d, y.d);
		break;
	default: abort();
	}
	return r;
}

static Number neutral(const Ins *i)
{
	bool single = i->from == DT_F32 || is_half((Dtype)i->from), whole = i->from == DT_I32 || i->from == DT_I64;
	Number r = { 0 };
	double x = i->op == OP_SUM ? -0.0 : i->op == OP_PROD ? 1 : i->op == OP_MAX ? -__builtin_inf() : __builtin_inf();
	int64_t w = i->op == OP_SUM ? 0 : i->op == OP_PROD ? 1 : i->op == OP_MAX ? INT64_MIN : INT64_MAX;
	if (i->from == DT_I32 && i->op == OP_MAX)
		w = INT32_MIN;
	if (i->from == DT_I32 && i->op == OP_MIN)
		w = INT32_MAX;
	if (single) r.f = (float)x; else if (whole) r.i = w; else r.d = x;
	return r;
}

static Number term_of(const Ins *i, Number v)
{
	if (i->from == DT_I32)
		v.i = v.i32;
	return v;
}

/* Is x better than the one kept? */
static bool better(const Ins *i, Number kept, Number x)
{
	bool most = i->op == OP_ARGMAX;
	switch (i->from) {
	case DT_F64: return kept.d == kept.d && ((most ? kept.d < x.d : x.d < kept.d) || x.d != x.d);
	case DT_I32: return most ? kept.i32 < x.i32 : x.i32 < kept.i32;
	case DT_I64: return most ? kept.i < x.i : x.i < kept.i;
	default: return kept.f == kept.f && ((most ? kept.f < x.f : x.f < kept.f) || x.f != x.f);
	}
}

/* n terms in lanes (1: a chain) */
static Number fold_terms(const Ins *i, const Number *term, int64_t n, bool chain)
{
	if (i->op == OP_ARGMAX || i->op == OP_ARGMIN) {
		int64_t best = 0;
		for (int64_t j = 1; j < n; j++)
			if (better(i, term[best], term[j]))
				best = j;
		return (Number){ .i = best };
	}
	int64_t lanes = chain ? 1 : LANE_BYTES/(i->from == DT_F32 || is_half((Dtype)i->from) ? 4 : 8);
	int64_t blocks = (n + FOLD_BLOCK - 1)/FOLD_BLOCK;
	Number *r = calloc((size_t)blocks + 1, sizeof *r), lane[64];
	for (int64_t b = 0; b < blocks; b++) {
		for (int64_t l = 0; l < lanes; l++)
			lane[l] = neutral(i);
		for (int64_t j = b*FOLD_BLOCK; j < n && j < (b + 1)*FOLD_BLOCK; j++)
			lane[j % lanes] = join(i, lane[j % lanes], term_of(i, term[j]));
		for (int64_t h = lanes/2; h >= 1; h /= 2)
			for (int64_t l = 0; l < h; l++)
				lane[l] = join(i, lane[l], lane[l + h]);
		r[b] = lane[0];
	}
	for (; blocks > 1; blocks = (blocks + 1)/2)
		for (int64_t j = 0; 2*j < blocks; j++)
			r[j] = 2*j + 1 < blocks ? join(i, r[2*j], r[2*j + 1]) : r[2*j];
	Number v = n ? r[0] : i->op == OP_SUM ? (Number){ 0 } : neutral(i);
	free(r);
	if (i->dtype == DT_I32)
		v.bits = (uint32_t)v.bits;
	return rounded((Dtype)i->dtype, v);
}

/* ---- recipes --------------------------------------------------------------------------- */

static int64_t count(Naive *n, uint32_t first, uint32_t end)
{
	int64_t c = 1;
	for (uint32_t i = first; i < end; i++)
		c *= int_of(n, n->k->extent[i]);
	return c;
}

static void set_index(Naive *n, uint32_t first, uint32_t end, int64_t at)
{
	for (uint32_t i = end; i-- > first;) {
		int64_t e = int_of(n, n->k->extent[i]);
		n->index[i] = e ? at % e : 0;
		at = e ? at/e : 0;
	}
}

static void run_row(Naive *n, int64_t row, int64_t inner)
{
	const Kernel *k = n->k;
	Number *v = calloc((size_t)(inner + 1)*k->ncode, sizeof *v), *term = calloc((size_t)inner + 1, sizeof *term);
	Number *fixed = calloc(k->ncode, sizeof *fixed);
	set_index(n, 0, k->nrow, row);
	for (uint32_t s = 0; s < k->nstage; s++) {
		const Stage *st = &k->stage[s];
		for (int64_t i = 0; i < (st->inner ? inner : 1); i++) {
			Number *w = v + i*k->ncode;
			set_index(n, k->nrow, k->naxis, st->inner ? i : 0);
			n->position = row*inner + (st->inner ? i : 0);
			for (uint16_t j = st->first; j < st->end; j++) {
				if (!st->inner || k->code[j].kind == INS_CONST || k->code[j].kind == INS_GIVEN) {
					step(n, j, fixed);
					for (int64_t x = 0; x <= inner; x++)
						v[x*k->ncode + j] = fixed[j];
				} else {
					step(n, j, w);
				}
			}
		}
		for (uint16_t j = st->first; st->inner && j < st->end; j++) {
			if (k->code[j].kind != INS_FOLD)
				continue;
			for (int64_t i = 0; i < inner; i++)
				term[i] = v[i*k->ncode + k->code[j].a];
			fixed[j] = fold_terms(&k->code[j], term, inner, false);
			for (int64_t x = 0; x <= inner; x++)
				v[x*k->ncode + j] = fixed[j];
		}
	}
	free(v), free(term), free(fixed);
}

static void run_chain(Naive *n, int64_t row, int64_t folded, int64_t inner, int64_t at)
{
	const Kernel *k = n->k;
	Number *v = calloc((size_t)(folded + 1)*k->ncode, sizeof *v), *term = calloc((size_t)folded + 1, sizeof *term);
	Number *last = v + folded*k->ncode;
	set_index(n, 0, k->nrow, row);
	set_index(n, k->nfold, k->naxis, at);
	for (int64_t f = 0; f < folded; f++) {
		set_index(n, k->nrow, k->nfold, f);
		n->position = (row*folded + f)*inner + at;
		for (uint16_t j = k->stage[0].first; j < k->stage[0].end; j++)
			step(n, j, v + f*k->ncode);
	}
	set_index(n, k->nrow, k->nfold, 0);
	n->position = row*folded*inner + at;
	for (uint16_t j = k->stage[0].first; j < k->stage[0].end; j++) {
		if (k->code[j].kind != INS_FOLD) {
			if (k->code[j].kind != INS_LOAD || folded)
				step(n, j, last);
			continue;
		}
		for (int64_t f = 0; f < folded; f++)
			term[f] = v[f*k->ncode + k->code[j].a];
		last[j] = fold_terms(&k->code[j], term, folded, true);
	}
	for (uint16_t j = k->stage[1].first; j < k->stage[1].end; j++)
		step(n, j, last);
	free(v), free(term);
}

void naive_run(const Kernel *k, void *const *buffer, const int64_t *param, Fault *fault)
{
	Naive n = { .k = k, .buffer = buffer, .param = param, .fault = fault };
	int64_t rows = count(&n, 0, k->nrow);
	if (k->recipe == RECIPE_ROWS) {
		for (int64_t r = 0; r < rows; r++)
			run_row(&n, r, count(&n, k->nrow, k->naxis));
		return;
	}
	int64_t folded = count(&n, k->nrow, k->nfold), inner = count(&n, k->nfold, k->naxis);
	for (int64_t r = 0; r < rows; r++)
		for (int64_t i = 0; i < inner; i++)
			run_chain(&n, r, folded, inner, i);
}

/* ---- random kernels ------------------------------------------------------------------------ */

typedef struct Maker { Sample *s; uint64_t state; uint16_t pool[64]; uint32_t npool; } Maker;

static uint64_t draw(Maker *m, uint64_t n)
{
	m->state = m->state*6364136223846793005u + 1442695040888963407u;
	return (m->state >> 33) % n;
}

static Int some_int(Maker *m, int64_t v)
{
	Kernel *k = &m->s->kernel;
	if (draw(m, 3) || k->nparam == 16)
		return INT_LITERAL(v);
	m->s->param[k->nparam] = v;
	return (Int){ k->nparam++, 0 };
}

static int64_t value_of(Maker *m, Int i) { return i.param < 0 ? i.value : m->s->param[i.param]; }

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
static uint16_t add_access(Maker *m, Dtype d, uint32_t first_out, uint32_t end_out, uint32_t naxis, bool written, bool plain)
{
	Kernel *k = &m->s->kernel;
	Access *a = &k->at[k->nat];
	*a = (Access){ .offset = some_int(m, plain ? 0 : (int64_t)draw(m, 3)) };
	int64_t size = 1;
	for (uint32_t i = 0; i < AXES_MAX; i++)
		a->stride[i] = INT_LITERAL(0);
	for (uint32_t i = naxis; i-- > 0;) {
		if ((i >= first_out && i < end_out) || (!plain && !draw(m, 4)))
			continue;
		a->stride[i] = some_int(m, size);
		size *= value_of(m, k->extent[i]);
		if (!plain && !draw(m, 5))
			size += 1;
	}
	a->buffer = new_buffer(m, d, written, size + value_of(m, a->offset) + 1);
	return k->nat++;
}

static const Dtype dtypes[] = { DT_F32, DT_F32, DT_F64, DT_I32, DT_I64, DT_F16, DT_BF16 };

/* A value of dtype d from the pool, or cast to it. */
static uint16_t operand(Maker *m, Dtype d)
{
	Kernel *k = &m->s->kernel;
	uint16_t v = m->pool[draw(m, m->npool)];
	if (k->code[v].dtype == d)
		return v;
	return add_ins(m, (Ins){ .kind = INS_MAP, .op = OP_CAST, .from = k->code[v].dtype, .dtype = (uint8_t)d, .a = v });
}

static void add_maps(Maker *m, int n)
{
	static const Op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_MAXIMUM, OP_NEG, OP_EXP, OP_FMA, OP_WHERE, OP_ADD, OP_MUL };
	while (n-- > 0) {
		Dtype d = dtypes[draw(m, countof(dtypes))];
		Op op = ops[draw(m, countof(ops))];
		if ((op == OP_EXP || op == OP_FMA) && (d == DT_I32 || d == DT_I64))
			op = OP_SUB;
		uint16_t a = operand(m, d), b = operand(m, d), c = operand(m, d);
		Ins i = { .kind = INS_MAP, .op = (uint16_t)op, .from = (uint8_t)d, .dtype = (uint8_t)d, .a = a, .b = b, .c = c };
		if (op == OP_WHERE)
			i.a = add_ins(m, (Ins){ .kind = INS_MAP, .op = OP_LT, .from = (uint8_t)d, .dtype = DT_BOOL, .a = a, .b = b });
		if (op == OP_WHERE)
			i.b = draw(m, 2) ? a : c;
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
			v = add_ins(m, (Ins){ .kind = INS_INDEX, .dtype = DT_I64, .at = k->nat++ });
			m->pool[m->npool++] = v;
			continue;
		}
		if (!draw(m, 4) && m->npool) {                   /* a gather */
			Access *a = &k->at[at];
			uint16_t i = operand(m, DT_I64);
			i = add_ins(m, (Ins){ .kind = INS_MAP, .op = OP_MAXIMUM, .from = DT_I64, .dtype = DT_I64, .a = i,
			            .b = add_ins(m, (Ins){ .kind = INS_CONST, .dtype = DT_I64, .bits = 0 }) });
			int64_t extent = 1 + (int64_t)draw(m, 5), stride = m->s->elements[a->buffer];
			a->ndynamic = 1;
			a->dynamic[0].value = i;
			a->dynamic[0].stride = some_int(m, stride);
			a->dynamic[0].extent = some_int(m, extent);
			m->s->elements[a->buffer] = stride*extent;
		}
		v = add_ins(m, (Ins){ .kind = INS_LOAD, .dtype = (uint8_t)d, .at = at });
		m->pool[m->npool++] = v;
	}
}

static void add_consts(Maker *m)
{
	float f = 0.75f;
	uint64_t bits = 0;
	memcpy(&bits, &f, 4);
	m->pool[m->npool++] = add_ins(m, (Ins){ .kind = INS_CONST, .dtype = DT_F32, .bits = bits });
	m->pool[m->npool++] = add_ins(m, (Ins){ .kind = INS_CONST, .dtype = DT_F16, .bits = 0x3c01 });
	Kernel *k = &m->s->kernel;
	k->at[k->nat] = (Access){ .offset = some_int(m, 3) };
	m->pool[m->npool++] = add_ins(m, (Ins){ .kind = INS_PARAM, .dtype = DT_I64, .at = k->nat++ });
}

static void add_store(Maker *m, uint16_t v, uint32_t first_out, uint32_t end_out, uint32_t naxis)
{
	Dtype d = (Dtype)m->s->kernel.code[v].dtype;
	uint16_t at = add_access(m, d, first_out, end_out, naxis, true, true);
	add_ins(m, (Ins){ .kind = INS_STORE, .dtype = (uint8_t)d, .a = v, .at = at });
}

static void add_folds(Maker *m, int n)
{
	static const Op ops[] = { OP_SUM, OP_SUM, OP_MAX, OP_MIN, OP_PROD, OP_ARGMAX, OP_ARGMIN };
	uint16_t made[8];
	for (int i = 0; i < n; i++) {
		Dtype d = dtypes[draw(m, countof(dtypes))];
		Op op = ops[draw(m, countof(ops))];
		uint16_t a = operand(m, d);
		bool wide = d == DT_I32 && (op == OP_SUM || op == OP_PROD);
		Dtype to = op == OP_ARGMAX || op == OP_ARGMIN ? DT_I64 : wide && draw(m, 2) ? DT_I64 : d;
		made[i] = add_ins(m, (Ins){ .kind = INS_FOLD, .op = (uint16_t)op, .from = (uint8_t)d, .dtype = (uint8_t)to, .a = a });
	}
	for (int i = 0; i < n; i++)
		m->pool[m->npool++] = made[i];
}

static void end_stage(Maker *m, bool inner)
{
	Kernel *k = &m->s->kernel;
	uint16_t first = k->nstage ? k->stage[k->nstage - 1].end : 0;
	if (k->ncode > first)
		k->stage[k->nstage++] = (Stage){ first, k->ncode, inner };
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
		if (draw(m, 2)) {                                /* one thing a row, then another pass */
			Dtype d = (Dtype)k->code[fold].dtype;
			m->pool[m->npool++] = add_ins(m, (Ins){ .kind = INS_MAP, .op = OP_ADD, .from = (uint8_t)d, .dtype = (uint8_t)d,
			                              .a = fold, .b = fold });
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
	m->npool = m->npool;
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
	static const int64_t sizes[] = { 1, 2, 3, 5, 10, 17, 64, 65, 130, 300, 700, 0 };
	Maker m = { .s = s, .state = seed*0x9e3779b97f4a7c15u + 1 };
	memset(s, 0, sizeof *s);
	Kernel *k = &s->kernel;
	k->code = s->code, k->at = s->at, k->text = "a random kernel";
	for (int i = 0; i < 4; i++)
		draw(&m, 2);
	k->recipe = draw(&m, 3) ? RECIPE_ROWS : RECIPE_CHAIN;
	k->naxis = (uint8_t)draw(&m, 4);
	k->nrow = (uint8_t)draw(&m, k->naxis + 1u);
	k->nfold = (uint8_t)(k->nrow + draw(&m, (uint64_t)(k->naxis - k->nrow) + 1u));
	int64_t total = 1;
	for (uint32_t i = 0; i < AXES_MAX; i++)
		k->extent[i] = INT_LITERAL(1);
	for (uint32_t i = 0; i < k->naxis; i++) {
		int64_t n = draw(&m, 12) ? sizes[draw(&m, countof(sizes) - 1)] : draw(&m, 4) ? 9000 + (int64_t)draw(&m, 9) : 0;
		if (total*n > 20000)
			n = 2;
		k->extent[i] = some_int(&m, n);
		total *= n ? n : 1;
	}
	if (k->recipe == RECIPE_ROWS)
		make_rows(&m);
	else
		make_chain(&m);
	if (seed % 2)
		give_constants(s);
}

void sample_fill(const Sample *s, uint64_t seed, void **buffer)
{
	Maker m = { .state = seed };
	for (uint32_t b = 0; b < s->kernel.nbuffer; b++) {
		Dtype d = (Dtype)s->kernel.buffer[b].dtype;
		size_t bytes = bytes_of(d);
		buffer[b] = malloc((size_t)s->elements[b]*bytes + 1);
		memset(buffer[b], 0xa5, (size_t)s->elements[b]*bytes);
		for (int64_t i = 0; !s->kernel.buffer[b].written && i < s->elements[b]; i++) {
			Number v = { 0 };
			double x = (double)draw(&m, 2000)/500 - 2;
			if (d == DT_F32 || is_half(d)) v.f = (float)x;
			else if (d == DT_F64) v.d = x;
			else if (d == DT_I32) v.i32 = (int32_t)x;
			else v.i = (int64_t)x;
			write_value(d, (char *)buffer[b] + i*(int64_t)bytes, v);
		}
	}
}
