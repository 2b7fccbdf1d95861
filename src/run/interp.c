/* interp.c - preparing a kernel: instructions to operations on vectors.
 *
 * needs: a kernel as loop.h describes it
 * gives: a script (two for RECIPE_ROWS: for long rows and for batches of short
 *        ones) with primitives looked up, constants laid down and registers
 *        assigned by lifetime
 */
#include "interp.h"

enum { NONE = 0xffff };

typedef enum Class3 { CLASS_SAME, CLASS_ROW, CLASS_EACH } Class3; /* everywhere the same, one a row, one an index */

typedef struct Maker {
	Interp *t;
	const Kernel *k;
	Arena *scratch;
	Error *error;
	Script *s;
	uint8_t *class;                  /* by instruction */
	uint16_t *stage;                 /* by instruction: the stage that makes it */
	uint16_t *slot;                  /* by instruction */
	uint16_t *splat;                 /* by slot: a vector of it, NONE: none */
	uint16_t *wide, *wide_stage;     /* by slot: a row's value for each index, and in which stage */
	uint32_t *defined, *last;        /* by slot: operation that makes it, last one that reads it */
	RunOp *before; uint32_t nbefore; /* once a row batch, of the stage being made */
	RunOp *body; uint32_t nbody;
	RunOp *prologue; uint32_t nprologue;
	uint16_t now;                    /* stage being made */
	bool inner, again;               /* CHAIN's second stage: values are formed again */
	uint32_t pool, pool_cap;
	uint32_t slot_cap, op_cap;
	bool failed;
} Maker;

/* ---- slots ---------------------------------------------------------------------- */

static int log2_size(Dtype d)
{
	switch (d) {
	case DT_BOOL: case DT_I8: case DT_U8: return 0;
	case DT_I16: case DT_U16: return 1;
	case DT_I64: case DT_U64: case DT_F64: return 3;
	default: return 2;               /* f16 and bf16 are held as f32 */
	}
}

static uint16_t slot_new(Maker *m, Place place, int size)
{
	if (m->s->nslot == m->slot_cap) {
		m->failed = true;
		return 0;
	}
	uint32_t i = m->s->nslot++;
	m->s->slot[i] = (Slot){ (uint8_t)place, (uint8_t)size, 0 };
	m->splat[i] = m->wide[i] = NONE;
	return (uint16_t)i;
}

/* Bytes of constants; grows by doubling. */
static uint32_t pool_take(Maker *m, uint32_t bytes)
{
	uint32_t at = m->pool, want = m->pool + ((bytes + 63) & ~63u);
	if (want > m->pool_cap) {
		uint32_t cap = want*2;
		char *fresh = arena_alloc_aligned(m->t->arena, cap, 64);
		if (m->pool)
			memcpy(fresh, m->t->pool, m->pool);
		m->t->pool = fresh, m->pool_cap = cap;
	}
	m->pool = want;
	return at;
}

static RunOp *op_add(RunOp *list, uint32_t *n, RunOp op, Maker *m)
{
	if (*n == m->op_cap) {
		m->failed = true;
		return list;
	}
	list[*n] = op;
	return &list[(*n)++];
}

static RunOp *emit(Maker *m, RunOp op) { return op_add(m->body, &m->nbody, op, m); }
static RunOp *emit_before(Maker *m, RunOp op) { return op_add(m->before, &m->nbefore, op, m); }
static RunOp *emit_once(Maker *m, RunOp op) { return op_add(m->prologue, &m->nprologue, op, m); }

/* ---- operands --------------------------------------------------------------------- */

static uint16_t value_slot(Maker *m, uint16_t v);

/* A vector that repeats what is everywhere the same. */
static uint16_t splat_of(Maker *m, uint16_t slot)
{
	if (m->splat[slot] != NONE)
		return m->splat[slot];
	int size = m->s->slot[slot].size;
	Prim splat = m->t->prims->splat[size];
	uint16_t to;
	if (m->s->slot[slot].place == PLACE_POOL) {
		to = slot_new(m, PLACE_POOL, size);
		uint32_t at = pool_take(m, (uint32_t)BLOCK << size);
		m->s->slot[to].at = at;
		splat(BLOCK, m->t->pool + at, m->t->pool + m->s->slot[slot].at, NULL, NULL);
	} else {
		to = slot_new(m, PLACE_REGISTER, size);
		emit_once(m, (RunOp){ .kind = RUN_EXPAND, .size = (uint8_t)size, .out = to, .a = slot, .b = NONE, .c = NONE, .fn = splat });
	}
	return m->splat[slot] = to;
}

/* Does value v stand for one element where the stage being made wants a vector? */
static bool is_single(const Maker *m, uint16_t v)
{
	if (m->class[v] == CLASS_SAME)
		return true;
	return m->class[v] == CLASS_ROW && m->inner && m->s->mode == MODE_LONG;
}

/* A slot with an element for each index of the stage. */
static uint16_t vector_of(Maker *m, uint16_t v)
{
	uint16_t slot = value_slot(m, v);
	if (m->class[v] == CLASS_SAME)
		return !m->inner && m->s->mode == MODE_LONG ? slot : splat_of(m, slot);
	if (m->class[v] == CLASS_ROW && m->inner) {
		if (m->wide[slot] != NONE && m->wide_stage[slot] == m->now)
			return m->wide[slot];
		int size = m->s->slot[slot].size;
		uint16_t to = slot_new(m, PLACE_REGISTER, size);
		m->wide_stage[slot] = m->now;
		emit_before(m, (RunOp){ .kind = RUN_EXPAND, .size = (uint8_t)size, .out = to, .a = slot, .b = NONE, .c = NONE,
		                        .fn = m->t->prims->splat[size] });
		return m->wide[slot] = to;
	}
	return slot;
}

/* ---- maps --------------------------------------------------------------------------- */

static void *unsupported(Maker *m, const Ins *i)
{
	m->failed = true;
	return fail(m->error, ERR_UNSUPPORTED, (Where){ 0 }, "the interpreter has no %s of %s",
	            i->kind == INS_FOLD || i->kind == INS_MAP || i->kind == INS_RANDOM ? op_info[i->op].text : "instruction",
	            dtype_name((Dtype)(i->kind == INS_MAP || i->kind == INS_FOLD ? i->from : i->dtype)));
}

static uint32_t operand_count(const Ins *i)
{
	switch (i->kind) {
	case INS_MAP: return (uint32_t)op_info[i->op].args;
	case INS_KEY_A: case INS_KEY_B: case INS_RANDOM: return 3;
	case INS_FOLD: case INS_STORE: return 1;
	default: return 0;
	}
}

static Prim prim_of(const Maker *m, const Ins *i)
{
	const Prims *p = m->t->prims;
	switch (i->kind) {
	case INS_KEY_A: return p->key_a;
	case INS_KEY_B: return p->key_b;
	case INS_RANDOM: return (i->op == OP_UNIFORM ? p->uniform : p->normal)[i->dtype == DT_F64];
	default: break;
	}
	if (i->from >= PRIM_TYPES || i->dtype >= PRIM_TYPES)
		return NULL;
	if (i->op == OP_CAST)
		return p->cast[i->from][i->dtype];
	return i->op == OP_BITCAST ? p->bitcast[i->from][i->dtype] : p->map[i->op][i->from];
}

/* The form with scalar operands, if there is one for these; sets the operands. */
static Prim scalar_form(Maker *m, const Ins *i, RunOp *op)
{
	const Prims *p = m->t->prims;
	if (i->kind != INS_MAP || i->from >= PRIM_TYPES)
		return NULL;
	bool where = i->op == OP_WHERE;
	uint16_t left = where ? i->b : i->a, right = where ? i->c : i->b;
	bool sa = is_single(m, left), sb = is_single(m, right);
	if ((!sa && !sb) || (!where && sa && sb) || (!where && op_info[i->op].args != 2))
		return NULL;
	Prim fn = where && sa && sb ? p->where_ss[i->from] : (sb ? p->map_vs : p->map_sv)[i->op][i->from];
	if (!fn)
		return NULL;
	uint16_t l = sa && !(sb && !where) ? value_slot(m, left) : vector_of(m, left);
	uint16_t r = sb ? value_slot(m, right) : vector_of(m, right);
	if (where)
		op->a = vector_of(m, i->a), op->b = l, op->c = r;
	else
		op->a = l, op->b = r;
	return fn;
}

/* f16 and bf16 results of arithmetic are rounded where they are made. */
static void round_half(Maker *m, const Ins *i, uint16_t slot, RunOp *(*add)(Maker *, RunOp))
{
	bool made = i->kind == INS_RANDOM || (i->kind == INS_MAP && i->op != OP_CAST && i->op != OP_BITCAST && i->op != OP_WHERE);
	if ((made || i->kind == INS_FOLD) && (i->dtype == DT_F16 || i->dtype == DT_BF16))
		add(m, (RunOp){ .kind = RUN_PRIM, .out = slot, .a = slot, .b = NONE, .c = NONE,
		                .fn = i->dtype == DT_F16 ? m->t->prims->round_f16 : m->t->prims->round_bf16 });
}

static void make_map(Maker *m, const Ins *i, uint16_t v)
{
	RunOp op = { .kind = RUN_PRIM, .a = NONE, .b = NONE, .c = NONE };
	bool once = m->class[v] == CLASS_SAME;
	uint32_t n = operand_count(i);
	op.fn = prim_of(m, i);
	if (!op.fn) {
		unsupported(m, i);
		return;
	}
	Prim scalar = once ? NULL : scalar_form(m, i, &op);
	if (scalar) {
		op.fn = scalar;
	} else {
		if (n > 0) op.a = once ? value_slot(m, i->a) : vector_of(m, i->a);
		if (n > 1) op.b = once ? value_slot(m, i->b) : vector_of(m, i->b);
		if (n > 2) op.c = once ? value_slot(m, i->c) : vector_of(m, i->c);
	}
	op.out = m->slot[v] = slot_new(m, once ? PLACE_SCALAR : PLACE_REGISTER, log2_size((Dtype)i->dtype));
	(once ? emit_once : emit)(m, op);
	round_half(m, i, op.out, once ? emit_once : emit);
}

/* ---- memory -------------------------------------------------------------------------- */

static uint16_t walk_add(Maker *m, uint16_t access, Space3 space)
{
	Script *s = m->s;
	for (uint32_t i = 0; i < s->nwalk; i++)
		if (s->walk[i].access == access && s->walk[i].space == space)
			return (uint16_t)i;
	s->walk[s->nwalk] = (WalkPlan){ access, (uint8_t)space };
	return (uint16_t)s->nwalk++;
}

static Space3 space_now(const Maker *m) { return !m->inner ? OF_ROW : m->again ? OF_KEPT : OF_ALL; }

/* A slot of an index value as i64. */
static uint16_t as_index(Maker *m, uint16_t v, uint16_t slot, RunOp *(*add)(Maker *, RunOp))
{
	Dtype d = (Dtype)m->k->code[v].dtype;
	if (d == DT_I64)
		return slot;
	Prim cast = (int)d < PRIM_TYPES ? m->t->prims->cast[d][DT_I64] : NULL;
	if (!cast)
		m->failed = true;
	uint16_t to = slot_new(m, add == emit_once ? PLACE_SCALAR : PLACE_REGISTER, 3);
	add(m, (RunOp){ .kind = RUN_PRIM, .out = to, .a = slot, .b = NONE, .c = NONE, .fn = cast });
	return to;
}

/* Index values of the access: by row if all are, else for each index. */
static bool make_dynamic(Maker *m, const Access *a, RunOp *op)
{
	bool rows = m->inner && !m->again && m->k->recipe == RECIPE_ROWS;
	op->ndynamic = a->ndynamic;
	for (uint32_t i = 0; i < a->ndynamic; i++)
		rows &= m->class[a->dynamic[i].value] != CLASS_EACH;
	for (uint32_t i = 0; i < a->ndynamic; i++) {
		uint16_t v = a->dynamic[i].value;
		bool once = m->class[v] == CLASS_SAME;
		if (rows) {
			op->one[i] = once;
			op->dynamic[i] = value_slot(m, v);
			op->dynamic[i] = as_index(m, v, op->dynamic[i], once ? emit_once : emit_before);
		} else {
			op->dynamic[i] = as_index(m, v, vector_of(m, v), emit);
		}
	}
	return rows;
}

static Half half_of(Dtype d) { return d == DT_F16 ? HALF_F16 : d == DT_BF16 ? HALF_BF16 : HALF_NONE; }

static int memory_size(Dtype d) { return d == DT_F16 || d == DT_BF16 ? 1 : log2_size(d); }

static void make_load(Maker *m, const Ins *i, uint16_t v)
{
	const Access *a = &m->k->at[i->at];
	bool once = m->class[v] == CLASS_SAME;
	RunOp op = { .kind = RUN_LOAD, .a = NONE, .b = NONE, .c = NONE, .size = (uint8_t)memory_size((Dtype)i->dtype) };
	op.half = (uint8_t)half_of((Dtype)i->dtype);
	op.fn = op.half == HALF_F16 ? m->t->prims->load_f16 : m->t->prims->load_bf16;
	op.buffer = a->buffer;
	op.walk = walk_add(m, i->at, once ? OF_ROW : space_now(m));
	if (a->ndynamic)
		op.kind = make_dynamic(m, a, &op) ? RUN_LOAD_ROWS : RUN_LOAD_EACH;
	op.out = m->slot[v] = slot_new(m, once ? PLACE_SCALAR : PLACE_REGISTER, log2_size((Dtype)i->dtype));
	(once ? emit_once : emit)(m, op);
}

static void make_index(Maker *m, const Ins *i, uint16_t v)
{
	const Access *a = &m->k->at[i->at];
	bool once = m->class[v] == CLASS_SAME;
	RunOp op = { .kind = RUN_INDEX, .a = NONE, .b = NONE, .c = NONE, .size = 3 };
	op.walk = walk_add(m, i->at, once ? OF_ROW : space_now(m));
	if (i->kind == INS_PARAM)
		op.kind = RUN_PARAM, op.param = a->offset;
	if (a->ndynamic && i->kind == INS_INDEX) {
		op.kind = RUN_INDEX_EACH;
		op.ndynamic = a->ndynamic;
		for (uint32_t d = 0; d < a->ndynamic; d++)
			op.dynamic[d] = as_index(m, a->dynamic[d].value, vector_of(m, a->dynamic[d].value), emit);
	}
	op.out = m->slot[v] = slot_new(m, once ? PLACE_SCALAR : PLACE_REGISTER, 3);
	(once ? emit_once : emit)(m, op);
}

static void make_store(Maker *m, const Ins *i)
{
	const Access *a = &m->k->at[i->at];
	Dtype d = (Dtype)i->dtype;
	RunOp op = { .kind = RUN_STORE, .out = NONE, .b = NONE, .c = NONE, .size = (uint8_t)memory_size(d) };
	op.a = vector_of(m, i->a);
	op.half = (uint8_t)half_of(d);
	op.fn = op.half == HALF_F16 ? m->t->prims->store_f16 : m->t->prims->store_bf16;
	op.buffer = a->buffer;
	op.walk = walk_add(m, i->at, space_now(m));
	if (a->ndynamic) {
		op.kind = RUN_STORE_EACH;
		op.ndynamic = a->ndynamic;
		for (uint32_t k = 0; k < a->ndynamic; k++)
			op.dynamic[k] = as_index(m, a->dynamic[k].value, vector_of(m, a->dynamic[k].value), emit);
	}
	emit(m, op);
}

/* ---- folds ------------------------------------------------------------------------------ */

static const FoldPrim *fold_of(const Prims *p, const Ins *i)
{
	if (i->from >= PRIM_TYPES)
		return NULL;
	switch (i->op) {
	case OP_SUM: return &p->sum[i->from];
	case OP_PROD: return &p->prod[i->from];
	case OP_MAX: return i->from == DT_BOOL ? &p->any : &p->max[i->from];
	case OP_MIN: return i->from == DT_BOOL ? &p->all : &p->min[i->from];
	case OP_ANY: return &p->any;
	case OP_ALL: return &p->all;
	default: return NULL;
	}
}

/* The fold's operation in its stage; its value is made when the stage ends.  What follows it (cutting integers,
 * rounding f16) is left to `fold_end`. */
static void make_fold(Maker *m, const Ins *i, uint16_t v)
{
	RunOp op = { .kind = RUN_FOLD, .b = NONE, .c = NONE, .state = (uint16_t)m->s->nstate++ };
	if (i->op == OP_ARGMAX || i->op == OP_ARGMIN) {
		op.kind = RUN_ARG;
		op.arg = i->from < PRIM_TYPES ? &(i->op == OP_ARGMAX ? m->t->prims->argmax : m->t->prims->argmin)[i->from] : NULL;
		op.size = (uint8_t)log2_size((Dtype)i->from);
		op.out = slot_new(m, PLACE_REGISTER, 3);
		if (!op.arg || !op.arg->chunk)
			unsupported(m, i);
	} else {
		op.fold = fold_of(m->t->prims, i);
		if (!op.fold || !op.fold->chunk) {
			unsupported(m, i);
			return;
		}
		op.zero_empty = i->op == OP_SUM;
		op.size = (uint8_t)log2_size((Dtype)op.fold->acc);
		op.out = slot_new(m, PLACE_REGISTER, op.size);
	}
	op.a = vector_of(m, i->a);
	m->slot[v] = op.out;
	emit(m, op);
}

/* In the stage after a fold's: its value in the value's own form. */
static void fold_end(Maker *m, uint16_t v)
{
	const Ins *i = &m->k->code[v];
	if (i->op == OP_ARGMAX || i->op == OP_ARGMIN)
		return;
	const FoldPrim *f = fold_of(m->t->prims, i);
	int size = log2_size((Dtype)i->dtype), from = f ? log2_size((Dtype)f->acc) : size;
	if (from > size) {
		uint16_t to = slot_new(m, PLACE_REGISTER, size);
		emit(m, (RunOp){ .kind = RUN_CUT, .size = (uint8_t)size, .out = to, .a = m->slot[v], .b = NONE, .c = (uint16_t)from });
		m->slot[v] = to;
	}
	round_half(m, i, m->slot[v], emit);
}

/* ---- instructions ------------------------------------------------------------------------- */

static void make_const(Maker *m, const Ins *i, uint16_t v)
{
	uint32_t at = pool_take(m, 8);
	uint64_t bits = i->bits;
	if (i->dtype == DT_F16)
		m->t->prims->load_f16(1, m->t->pool + at, &bits, NULL, NULL);
	else if (i->dtype == DT_BF16)
		m->t->prims->load_bf16(1, m->t->pool + at, &bits, NULL, NULL);
	else
		memcpy(m->t->pool + at, &bits, 8);
	m->slot[v] = slot_new(m, PLACE_POOL, log2_size((Dtype)i->dtype));
	m->s->slot[m->slot[v]].at = at;
}

static void make_ins(Maker *m, uint16_t v)
{
	const Ins *i = &m->k->code[v];
	switch (i->kind) {
	case INS_CONST: make_const(m, i, v); break;
	case INS_PARAM: case INS_INDEX: make_index(m, i, v); break;
	case INS_LOAD: make_load(m, i, v); break;
	case INS_FOLD: make_fold(m, i, v); break;
	case INS_STORE: make_store(m, i); break;
	default: make_map(m, i, v); break;
	}
}

/* In CHAIN's second stage a value of the first is formed again, with indices that lack the folded axes. */
static uint16_t value_slot(Maker *m, uint16_t v)
{
	if (m->slot[v] == NONE && !m->failed) {
		if (!m->again)
			m->failed = true;
		else
			make_ins(m, v);
	}
	return m->slot[v] == NONE ? 0 : m->slot[v];
}

static bool moves(const Maker *m, const Ins *i)
{
	const Access *a = &m->k->at[i->at];
	if (i->kind == INS_PARAM)
		return false;
	if (a->ndynamic)
		return true;
	for (uint32_t k = 0; k < m->k->naxis; k++)
		if (a->stride[k].param >= 0 || a->stride[k].value != 0)
			return true;
	return false;
}

static void classify(Maker *m)
{
	const Kernel *k = m->k;
	for (uint16_t s = 0; s < k->nstage; s++)
		for (uint16_t v = k->stage[s].first; v < k->stage[s].end; v++) {
			const Ins *i = &k->code[v];
			uint16_t operand[3] = { i->a, i->b, i->c };
			uint8_t here = k->stage[s].inner ? CLASS_EACH : CLASS_ROW, c = CLASS_SAME;
			for (uint32_t j = 0; j < operand_count(i); j++)
				if (operand[j] >= v || m->class[operand[j]] != CLASS_SAME)
					c = here;
			if ((i->kind == INS_LOAD || i->kind == INS_INDEX) && moves(m, i))
				c = here;
			if (i->kind == INS_STORE)
				c = here;
			if (i->kind == INS_FOLD)
				c = k->recipe == RECIPE_CHAIN ? CLASS_EACH : CLASS_ROW;
			m->class[v] = c;
			m->stage[v] = s;
		}
}

/* ---- stages ----------------------------------------------------------------------------------- */

static void append(Script *s, const RunOp *op, uint32_t n)
{
	if (n)
		memcpy(s->op + s->nop, op, n * sizeof *op);
	s->nop += n;
}

/* A result that is stored at once and read nowhere else is computed where it belongs. */
static void fuse_stores(Maker *m)
{
	for (uint32_t p = 0; p + 1 < m->nbody; p++) {
		RunOp *x = &m->body[p], *y = &m->body[p + 1];
		if (x->kind != RUN_PRIM || y->kind != RUN_STORE || y->a != x->out || y->half)
			continue;
		uint32_t uses = 0;
		for (uint16_t v = 0; v < m->k->ncode; v++) {
			const Ins *i = &m->k->code[v];
			uint16_t operand[3] = { i->a, i->b, i->c };
			for (uint32_t j = 0; j < operand_count(i); j++)
				uses += m->slot[operand[j]] == x->out;
		}
		for (uint32_t a = 0; a < m->k->nat; a++)
			for (uint32_t j = 0; j < m->k->at[a].ndynamic; j++)
				uses += 2*(m->slot[m->k->at[a].dynamic[j].value] == x->out);
		if (uses == 1)
			x->kind = RUN_PRIM_STORE;        /* the store follows; run_ops skips it */
	}
}

/* Memory may stand for a loaded value if nothing of the stage writes before it is read, and no other stage reads it. */
static void mark_direct(Maker *m, uint16_t stage)
{
	uint32_t first = m->nbody, stores = 0;
	bool load_stored = false;
	for (uint32_t p = 0; p < m->nbody; p++) {
		bool store = m->body[p].kind == RUN_STORE || m->body[p].kind == RUN_STORE_EACH;
		if (store && first == m->nbody)
			first = p;
		if (!store && p > first)
			return;
		stores += store;
		for (uint32_t q = 0; store && q < p; q++)
			load_stored |= m->body[q].kind == RUN_LOAD && m->body[q].out == m->body[p].a;
	}
	if (load_stored && stores > 1)
		return;
	for (uint32_t p = 0; p < m->nbody; p++)
		m->body[p].direct = m->body[p].kind == RUN_LOAD && !m->body[p].half;
	const Kernel *k = m->k;
	for (uint16_t v = 0; v < k->ncode; v++) {                /* read by another stage */
		const Ins *i = &k->code[v];
		uint16_t operand[5] = { i->a, i->b, i->c }, n = (uint16_t)operand_count(i);
		if (i->kind == INS_LOAD || i->kind == INS_STORE || i->kind == INS_INDEX)
			for (uint32_t j = 0; j < k->at[i->at].ndynamic; j++)
				operand[n++] = k->at[i->at].dynamic[j].value;
		for (uint32_t j = 0; j < n && m->stage[v] != stage; j++)
			for (uint32_t p = 0; p < m->nbody; p++)
				if (m->slot[operand[j]] == m->body[p].out)
					m->body[p].direct = false;
	}
}

static void make_stage(Maker *m, uint16_t s)
{
	const Kernel *k = m->k;
	m->now = s;
	m->inner = k->stage[s].inner || k->recipe == RECIPE_CHAIN;
	m->nbefore = m->nbody = 0;
	if (k->recipe == RECIPE_CHAIN && s == 1) {
		m->again = true;
		for (uint16_t v = 0; v < k->stage[0].end; v++)
			if (k->code[v].kind != INS_FOLD && m->class[v] != CLASS_SAME)
				m->slot[v] = NONE;
	}
	for (uint16_t v = 0; v < k->stage[s].first; v++)         /* folds of the stage before */
		if (k->code[v].kind == INS_FOLD && m->stage[v] + 1 == s)
			fold_end(m, v);
	uint32_t ends = m->nbody;
	if (k->recipe == RECIPE_ROWS && m->inner && ends) {      /* once a row, not once a block */
		append(m->s, m->body, ends);
		m->nbody = 0;
	}
	bool row_end = k->recipe == RECIPE_ROWS && m->inner && ends;
	RunStage *stage = &m->s->stage[m->s->nstage];
	if (row_end) {
		*stage = (RunStage){ (uint16_t)(m->s->nop - ends), (uint16_t)(m->s->nop - ends), (uint16_t)m->s->nop, false };
		stage = &m->s->stage[++m->s->nstage];
	}
	for (uint16_t v = k->stage[s].first; v < k->stage[s].end; v++)
		if (m->slot[v] == NONE)
			make_ins(m, v);
	mark_direct(m, s);
	fuse_stores(m);
	stage->before = (uint16_t)m->s->nop;
	append(m->s, m->before, m->nbefore);
	stage->first = (uint16_t)m->s->nop;
	append(m->s, m->body, m->nbody);
	stage->end = (uint16_t)m->s->nop;
	stage->inner = m->inner;
	m->s->nstage++;
}

/* ---- registers ------------------------------------------------------------------------------------ */

static uint32_t operands_of(const RunOp *op, uint16_t slot[6])
{
	uint32_t n = 0;
	if (op->a != NONE) slot[n++] = op->a;
	if (op->b != NONE && op->kind <= RUN_PRIM_STORE) slot[n++] = op->b;
	if (op->c != NONE && op->kind <= RUN_PRIM_STORE) slot[n++] = op->c;
	for (uint32_t i = 0; i < op->ndynamic; i++)
		slot[n++] = op->dynamic[i];
	return n;
}

static void find_lifetimes(Maker *m)
{
	Script *s = m->s;
	memset(m->last, 0, s->nslot * sizeof *m->last);
	memset(m->defined, 0xff, s->nslot * sizeof *m->defined);
	for (uint32_t i = 0; i < s->nop; i++)
		if (s->op[i].out != NONE && m->defined[s->op[i].out] == UINT32_MAX)
			m->defined[s->op[i].out] = i;
	for (uint32_t k = 0; k < s->nstage; k++)
		for (uint32_t i = s->stage[k].before; i < s->stage[k].end; i++) {
			uint16_t slot[6];
			uint32_t n = operands_of(&s->op[i], slot);
			/* a stage runs again and again: what it reads from outside lives to its end; a fold ends there */
			for (uint32_t j = 0; j < n; j++) {
				uint32_t to = m->defined[slot[j]] < s->stage[k].first ? s->stage[k].end : i;
				m->last[slot[j]] = to > m->last[slot[j]] ? to : m->last[slot[j]];
			}
			if (s->op[i].kind == RUN_FOLD || s->op[i].kind == RUN_ARG) {
				uint32_t to = s->stage[k].end;
				m->last[s->op[i].out] = to > m->last[s->op[i].out] ? to : m->last[s->op[i].out];
			}
		}
	for (uint32_t i = 0; i < s->nprologue; i++)              /* made once: live to the end */
		if (s->op[i].out != NONE)
			m->last[s->op[i].out] = UINT32_MAX;
}

/* Values of an inner stage that a later one reads are kept for the row (LONG). */
static void find_kept(Maker *m)
{
	Script *s = m->s;
	if (s->mode != MODE_LONG)
		return;
	for (uint32_t k = 0; k < s->nstage; k++)
		for (uint32_t i = s->stage[k].first; s->stage[k].inner && i < s->stage[k].end; i++) {
			RunOp *op = &s->op[i];
			bool value = op->out != NONE && op->kind != RUN_FOLD && op->kind != RUN_ARG;
			if (value && m->last[op->out] >= s->stage[k].end && s->slot[op->out].place == PLACE_REGISTER)
				s->slot[op->out] = (Slot){ PLACE_KEPT, s->slot[op->out].size, s->nkept++ };
		}
}

typedef struct Free { uint32_t *at[4], n[4]; bool *done; } Free;

static void release(Maker *m, Free *f, uint32_t slot)
{
	Slot *x = &m->s->slot[slot];
	if (x->place != PLACE_REGISTER || m->defined[slot] == UINT32_MAX || f->done[slot])
		return;
	f->done[slot] = true;
	f->at[x->size][f->n[x->size]++] = x->at;
}

static void take_register(Script *s, Free *f, Slot *x)
{
	if (f->n[x->size]) {
		x->at = f->at[x->size][--f->n[x->size]];
		return;
	}
	x->at = s->registers;
	s->registers += ((uint32_t)BLOCK << x->size) + 64;
}

/* A primitive may write over an operand of its own size; other operations need their operands whole. */
static void assign_registers(Maker *m)
{
	Script *s = m->s;
	Free f = { .done = NEW_ARRAY(m->scratch, bool, s->nslot) };
	for (int c = 0; c < 4; c++)
		f.at[c] = NEW_ARRAY(m->scratch, uint32_t, s->nslot + s->nop);
	for (uint32_t i = 0; i < s->nop; i++) {
		RunOp *op = &s->op[i];
		uint16_t slot[6];
		uint32_t n = operands_of(op, slot);
		bool prim = op->kind <= RUN_PRIM_STORE;
		for (uint32_t k = 0; k < s->nstage; k++)        /* what a stage that ends here held */
			for (uint32_t v = 0; s->stage[k].end == i && v < s->nslot; v++)
				if (m->last[v] == i)
					release(m, &f, v);
		for (uint32_t j = 0; prim && j < n; j++)
			if (m->last[slot[j]] == i)
				release(m, &f, slot[j]);
		if (op->out != NONE && s->slot[op->out].place == PLACE_REGISTER && m->defined[op->out] == i)
			take_register(s, &f, &s->slot[op->out]);
		for (uint32_t j = 0; !prim && j < n; j++)
			if (m->last[slot[j]] == i)
				release(m, &f, slot[j]);
	}
}

static void assign_scalars(Script *s)
{
	for (uint32_t i = 0; i < s->nslot; i++)
		if (s->slot[i].place == PLACE_SCALAR) {
			s->slot[i].at = s->registers;
			s->registers += 64;
		}
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static bool make_script(Maker *m, Mode mode, Script *s)
{
	Arena *a = m->t->arena;
	const Kernel *k = m->k;
	m->s = s;
	*s = (Script){ .mode = mode };
	s->op = NEW_ARRAY(m->scratch, RunOp, 3*m->op_cap);
	s->slot = NEW_ARRAY(m->scratch, Slot, m->slot_cap);
	s->walk = NEW_ARRAY(a, WalkPlan, 3*k->nat + 1);
	m->nprologue = 0;
	m->again = false;
	memset(m->slot, 0xff, k->ncode * sizeof *m->slot);
	/* the prologue is made on the way; it goes first, so stages are laid out after it */
	for (uint16_t i = 0; i < k->nstage && !m->failed; i++)
		make_stage(m, i);
	if (m->failed)
		return false;
	memmove(s->op + m->nprologue, s->op, s->nop * sizeof *s->op);
	memcpy(s->op, m->prologue, m->nprologue * sizeof *s->op);
	s->nop += m->nprologue;
	s->nprologue = m->nprologue;
	for (uint32_t i = 0; i < s->nstage; i++) {
		s->stage[i].before = (uint16_t)(s->stage[i].before + m->nprologue);
		s->stage[i].first = (uint16_t)(s->stage[i].first + m->nprologue);
		s->stage[i].end = (uint16_t)(s->stage[i].end + m->nprologue);
	}
	find_lifetimes(m);
	find_kept(m);
	assign_registers(m);
	assign_scalars(s);
	RunOp *op = NEW_ARRAY(a, RunOp, s->nop);
	Slot *slot = NEW_ARRAY(a, Slot, s->nslot);
	s->op = s->nop ? memcpy(op, s->op, s->nop * sizeof *op) : op;
	s->slot = s->nslot ? memcpy(slot, s->slot, s->nslot * sizeof *slot) : slot;
	return true;
}

static bool prepare(Interp *t, Arena *scratch, Error *e)
{
	const Kernel *k = t->kernel;
	Maker *m = NEW(scratch, Maker);
	m->t = t, m->k = k, m->scratch = scratch, m->error = e;
	m->class = NEW_ARRAY(scratch, uint8_t, k->ncode + 1);
	m->stage = NEW_ARRAY(scratch, uint16_t, k->ncode + 1);
	m->slot = NEW_ARRAY(scratch, uint16_t, k->ncode + 1);
	m->slot_cap = 8*k->ncode + 64u, m->op_cap = 6*k->ncode + 64u;
	m->splat = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->wide_stage = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->wide = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->defined = NEW_ARRAY(scratch, uint32_t, m->slot_cap);
	m->last = NEW_ARRAY(scratch, uint32_t, m->slot_cap);
	m->before = NEW_ARRAY(scratch, RunOp, m->op_cap);
	m->body = NEW_ARRAY(scratch, RunOp, m->op_cap);
	m->prologue = NEW_ARRAY(scratch, RunOp, m->op_cap);
	classify(m);
	for (uint16_t v = 0; v < k->ncode; v++)
		t->folds |= k->code[v].kind == INS_FOLD;
	bool good = k->nstage <= 16 && (k->recipe == RECIPE_ROWS || k->nstage <= 2);
	if (good && k->recipe == RECIPE_CHAIN)
		good = make_script(m, MODE_CHAIN, &t->script[0]);
	else if (good)
		good = make_script(m, MODE_LONG, &t->script[0]) && make_script(m, MODE_BATCH, &t->script[1]);
	if (!good)
		fail(e, ERR_INTERNAL, (Where){ 0 }, "a kernel that the interpreter cannot prepare: %s", k->text ? k->text : "?");
	return good;
}

Interp *interp_new(const Kernel *k, int isa, const Allocator *allocator, Error *e)
{
	Arena *a = arena_new(allocator);
	Trap trap;
	if (!a || TRAP(&trap)) {
		arena_free(a);           /* and its child */
		return fail(e, ERR_MEMORY, (Where){ 0 }, "out of memory");
	}
	arena_arm(a, &trap);
	Interp *t = NEW(a, Interp);
	t->arena = a, t->kernel = k;
	t->prims = prims_of(isa);
	Arena *scratch = arena_child(a);
	bool good = prepare(t, scratch, e);
	arena_free(scratch);
	arena_disarm(a, &trap);
	if (!good) {
		arena_free(a);
		return NULL;
	}
	return t;
}

void interp_free(Interp *t)
{
	if (t)
		arena_free(t->arena);
}
