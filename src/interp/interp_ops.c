/* interp_ops.c - preparing a kernel: the operations of one instruction, their operands and primitives. */
#include "interp_make.h"

/* ---- operands --------------------------------------------------------------------- */

static uint16_t value_slot(ScriptMaker *m, uint16_t v);

/* One element a row, or one for all, to a vector of it. */
static RunOp expansion(const ScriptMaker *m, uint16_t slot, uint16_t to)
{
	int size = m->s->slot[slot].size;
	return (RunOp){.kind = RUN_EXPAND,
		.size = (uint8_t)size,
		.out = to,
		.a = slot,
		.b = NONE,
		.c = NONE,
		.fn = m->prims->splat[size]};
}

/* A vector that repeats what is everywhere the same: of a constant made now, unless the program holds very
 * many; else once a call. */
static uint16_t splat_of(ScriptMaker *m, uint16_t slot)
{
	if (m->splat[slot] != NONE) return m->splat[slot];
	int size = m->s->slot[slot].size;
	uint16_t to;
	if (m->s->slot[slot].place == PLACE_CONSTANT && m->pool->bytes < SPLATS_MOST) {
		uint64_t bits = 0;
		memcpy(&bits, m->s->constant[m->s->slot[slot].at], (size_t)1 << size);
		to = slot_of_constant(m, size, bits, BLOCK);
	} else {
		to = slot_new(m, PLACE_REGISTER, size);
		script_once(m, expansion(m, slot, to));
	}
	return m->splat[slot] = to;
}

/* Does value v stand for one element where the stage being made wants a vector? */
static bool is_single(const ScriptMaker *m, uint16_t v)
{
	if (m->class[v] == CLASS_SAME) return true;
	return m->class[v] == CLASS_ROW && m->inner && m->s->mode == MODE_LONG;
}

/* A slot with an element for each index of the stage. */
static uint16_t vector_of(ScriptMaker *m, uint16_t v)
{
	uint16_t slot = value_slot(m, v);
	if (m->class[v] == CLASS_SAME) return !m->inner && m->s->mode == MODE_LONG ? slot : splat_of(m, slot);
	if (m->class[v] == CLASS_ROW && m->inner) {
		if (m->wide[slot] != NONE && m->wide_stage[slot] == m->now) return m->wide[slot];
		uint16_t to = slot_new(m, PLACE_REGISTER, m->s->slot[slot].size);
		m->wide_stage[slot] = m->now;
		script_before(m, expansion(m, slot, to));
		return m->wide[slot] = to;
	}
	return slot;
}

/* ---- maps --------------------------------------------------------------------------- */

static void *unsupported(ScriptMaker *m, const Ins *i)
{
	m->failed = true;
	return fail(m->error, ERR_UNSUPPORTED, (Where){0}, "the interpreter has no %s of %s",
		i->kind == INS_FOLD || i->kind == INS_MAP || i->kind == INS_RANDOM ? op_info[i->op].text
										   : "instruction",
		dtype_name((Dtype)(i->kind == INS_MAP || i->kind == INS_FOLD ? i->from : i->dtype)));
}

/* The bits of a narrow dtype are those in memory; between two narrow ones they are loaded then. */
static Prim bits_prim(const Prims *p, Dtype from, Dtype to)
{
	if (dtype_is_narrow(from)) return p->store[from];
	return dtype_is_narrow(to) ? p->load[to] : p->bits[from];
}

/* A draw of a narrow dtype is one of the dtype that it is held in, unless it has its own. */
static Prim draw_prim(const Prims *p, uint16_t op, Dtype d)
{
	return p->map[op][d] ? p->map[op][d] : p->map[op][dtype_held(d)];
}

static Prim prim_of(const ScriptMaker *m, const Ins *i)
{
	const Prims *p = m->prims;
	switch (i->kind) {
	case INS_KEY_A: return p->key_a;
	case INS_KEY_B: return p->key_b;
	case INS_RANDOM: return draw_prim(p, i->op, (Dtype)i->dtype);
	default: break;
	}
	if (i->from >= PRIM_TYPES || i->dtype >= PRIM_TYPES) return NULL;
	Dtype from = dtype_held((Dtype)i->from);
	if (i->op == OP_CAST) return p->cast[from][i->dtype];
	return i->op == OP_BITCAST ? bits_prim(p, (Dtype)i->from, (Dtype)i->dtype) : p->map[i->op][from];
}

/* The form with scalar operands, if there is one for these; sets the operands. */
static Prim scalar_form(ScriptMaker *m, const Ins *i, RunOp *op)
{
	const Prims *p = m->prims;
	if (i->kind != INS_MAP || i->from >= PRIM_TYPES) return NULL;
	bool where = i->op == OP_WHERE;
	uint16_t left = where ? i->b : i->a, right = where ? i->c : i->b;
	bool sa = is_single(m, left), sb = is_single(m, right);
	if ((!sa && !sb) || (!where && sa && sb) || (!where && op_info[i->op].args != 2)) return NULL;
	Dtype from = dtype_held((Dtype)i->from);
	Prim fn = sb ? p->map_vs[i->op][from] : p->map_sv[i->op][from];
	if (where && sa && sb) fn = p->where_ss[from];
	if (!fn) return NULL;
	uint16_t l = sa && !(sb && !where) ? value_slot(m, left) : vector_of(m, left);
	uint16_t r = sb ? value_slot(m, right) : vector_of(m, right);
	if (where) {
		op->a = vector_of(m, i->a);
		op->b = l;
		op->c = r;
	} else {
		op->a = l;
		op->b = r;
	}
	return fn;
}

static void add_prim(ScriptMaker *m, uint16_t out, uint16_t a, Prim fn, AddOp *add)
{
	add(m, (RunOp){.kind = RUN_PRIM, .out = out, .a = a, .b = NONE, .c = NONE, .fn = fn});
}

/* Narrow results of arithmetic are rounded where they are made. */
static void round_narrow(ScriptMaker *m, const Ins *i, uint16_t slot, AddOp *add)
{
	bool made = i->kind == INS_RANDOM ||
		(i->kind == INS_MAP && i->op != OP_CAST && i->op != OP_BITCAST && i->op != OP_WHERE);
	if ((made || i->kind == INS_FOLD) && dtype_is_narrow((Dtype)i->dtype))
		add_prim(m, slot, slot, m->prims->round[i->dtype], add);
}

static int memory_size(Dtype d)
{
	return __builtin_ctzll(dtype_bytes(d));
}

static void make_map(ScriptMaker *m, const Ins *i, uint16_t v)
{
	RunOp op = {.kind = RUN_PRIM, .a = NONE, .b = NONE, .c = NONE};
	bool once = m->class[v] == CLASS_SAME;
	uint32_t n = ins_arity(i);
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
	AddOp *add = once ? script_once : script_emit;
	SlotPlace place = once ? PLACE_SCALAR : PLACE_REGISTER;
	/* bits on their way between narrow dtypes are as wide as in memory, and not what they are held as: an
	 * operation may write over an operand of its own size */
	Dtype from = (Dtype)i->from, to = (Dtype)i->dtype;
	bool bits = i->op == OP_BITCAST && dtype_is_narrow(from) && dtype_is_narrow(to);
	op.out = m->slot[v] = slot_new(m, place, bits ? memory_size(to) : log2_size(to));
	add(m, op);
	if (bits) {
		m->slot[v] = slot_new(m, place, log2_size((Dtype)i->dtype));
		add_prim(m, m->slot[v], op.out, m->prims->load[i->dtype], add);
	}
	round_narrow(m, i, m->slot[v], add);
}

/* ---- memory -------------------------------------------------------------------------- */

static uint16_t walk_add(ScriptMaker *m, uint16_t access, Space3 space)
{
	Script *s = m->s;
	for (uint32_t i = 0; i < s->nwalk; i++)
		if (s->walk[i].access == access && s->walk[i].space == space) return (uint16_t)i;
	s->walk[s->nwalk] = (WalkPlan){access, (uint8_t)space};
	return (uint16_t)s->nwalk++;
}

static Space3 space_now(const ScriptMaker *m)
{
	if (!m->inner) return OF_ROW;
	if (m->again) return OF_KEPT;
	return OF_ALL;
}

/* A slot of an index value as i64. */
static uint16_t as_index(ScriptMaker *m, uint16_t v, uint16_t slot, AddOp *add)
{
	Dtype d = (Dtype)m->k->code[v].dtype;
	if (d == DT_I64) return slot;
	Prim cast = (int)d < PRIM_TYPES ? m->prims->cast[dtype_held(d)][DT_I64] : NULL;
	if (!cast) m->failed = true;
	uint16_t to = slot_new(m, add == script_once ? PLACE_SCALAR : PLACE_REGISTER, 3);
	add(m, (RunOp){.kind = RUN_PRIM, .out = to, .a = slot, .b = NONE, .c = NONE, .fn = cast});
	return to;
}

/* Index values of the access: by row if all are, else for each index. */
static bool make_dynamic(ScriptMaker *m, const Access *a, RunOp *op)
{
	bool rows = m->inner && !m->again && m->k->recipe == RECIPE_ROWS;
	op->ndynamic = a->ndynamic;
	for (uint32_t i = 0; i < a->ndynamic; i++) rows &= m->class[a->dynamic[i].value] != CLASS_EACH;
	for (uint32_t i = 0; i < a->ndynamic; i++) {
		uint16_t v = a->dynamic[i].value;
		bool once = m->class[v] == CLASS_SAME;
		if (rows) {
			op->one |= (uint8_t)(once << i);
			op->dynamic[i] = value_slot(m, v);
			op->dynamic[i] = as_index(m, v, op->dynamic[i], once ? script_once : script_before);
		} else {
			op->dynamic[i] = as_index(m, v, vector_of(m, v), script_emit);
		}
	}
	return rows;
}

static void make_load(ScriptMaker *m, const Ins *i, uint16_t v)
{
	const Access *a = &m->k->at[i->at];
	bool once = m->class[v] == CLASS_SAME;
	RunOp op = {.kind = RUN_LOAD,
		.a = NONE,
		.b = NONE,
		.c = NONE,
		.size = (uint8_t)memory_size((Dtype)i->dtype),
		.narrow = dtype_is_narrow((Dtype)i->dtype)};
	op.fn = m->prims->load[i->dtype];
	op.buffer = a->buffer;
	op.walk = walk_add(m, i->at, once ? OF_ROW : space_now(m));
	if (a->ndynamic) op.kind = make_dynamic(m, a, &op) ? RUN_LOAD_ROWS : RUN_LOAD_EACH;
	op.out = m->slot[v] = slot_new(m, once ? PLACE_SCALAR : PLACE_REGISTER, log2_size((Dtype)i->dtype));
	(once ? script_once : script_emit)(m, op);
}

static void make_index(ScriptMaker *m, const Ins *i, uint16_t v)
{
	const Access *a = &m->k->at[i->at];
	bool once = m->class[v] == CLASS_SAME;
	RunOp op = {.kind = RUN_INDEX, .a = NONE, .b = NONE, .c = NONE, .size = 3};
	op.walk = walk_add(m, i->at, once ? OF_ROW : space_now(m));
	if (i->kind == INS_PARAM) {
		op.kind = RUN_PARAM;
		op.param = a->offset;
	}
	if (a->ndynamic && i->kind == INS_INDEX) {
		op.kind = RUN_INDEX_EACH;
		op.ndynamic = a->ndynamic;
		for (uint32_t d = 0; d < a->ndynamic; d++)
			op.dynamic[d] = as_index(
				m, a->dynamic[d].value, vector_of(m, a->dynamic[d].value), script_emit);
	}
	op.out = m->slot[v] = slot_new(m, once ? PLACE_SCALAR : PLACE_REGISTER, 3);
	(once ? script_once : script_emit)(m, op);
}

static void make_store(ScriptMaker *m, const Ins *i)
{
	const Access *a = &m->k->at[i->at];
	Dtype d = (Dtype)i->dtype;
	RunOp op = {.kind = RUN_STORE, .out = NONE, .b = NONE, .c = NONE, .size = (uint8_t)memory_size(d)};
	op.a = vector_of(m, i->a);
	op.narrow = dtype_is_narrow(d);
	op.fn = m->prims->store[d];
	op.buffer = a->buffer;
	op.walk = walk_add(m, i->at, space_now(m));
	if (a->ndynamic) {
		op.kind = RUN_STORE_EACH;
		op.ndynamic = a->ndynamic;
		for (uint32_t k = 0; k < a->ndynamic; k++)
			op.dynamic[k] = as_index(
				m, a->dynamic[k].value, vector_of(m, a->dynamic[k].value), script_emit);
	}
	script_emit(m, op);
}

/* ---- folds ------------------------------------------------------------------------------ */

static const FoldPrim *fold_of(const Prims *p, const Ins *i)
{
	if (i->from >= PRIM_TYPES) return NULL;
	Dtype from = dtype_held((Dtype)i->from);
	switch (i->op) {
	case OP_SUM: return &p->sum[from];
	case OP_PROD: return &p->prod[from];
	case OP_MAX: return from == DT_BOOL ? &p->any : &p->max[from];
	case OP_MIN: return from == DT_BOOL ? &p->all : &p->min[from];
	case OP_ANY: return &p->any;
	case OP_ALL: return &p->all;
	default: return NULL;
	}
}

/* The fold's operation in its stage; its value is made when the stage ends.  What follows it (cutting
 * integers, rounding a narrow one) is left to `script_fold_end`. */
static void make_fold(ScriptMaker *m, const Ins *i, uint16_t v)
{
	RunOp op = {.kind = RUN_FOLD, .b = NONE, .c = NONE, .state = (uint16_t)m->s->nstate++};
	if (i->op == OP_ARGMAX || i->op == OP_ARGMIN) {
		op.kind = RUN_ARG;
		const ArgPrim *best = i->op == OP_ARGMAX ? m->prims->argmax : m->prims->argmin;
		op.arg = i->from < PRIM_TYPES ? &best[dtype_held((Dtype)i->from)] : NULL;
		op.size = (uint8_t)log2_size((Dtype)i->from);
		op.out = slot_new(m, PLACE_REGISTER, 3);
		if (!op.arg || !op.arg->chunk) unsupported(m, i);
	} else {
		op.fold = fold_of(m->prims, i);
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
	script_emit(m, op);
}

/* In the stage after a fold's: its value in the value's own form. */
void script_fold_end(ScriptMaker *m, uint16_t v)
{
	const Ins *i = &m->k->code[v];
	if (i->op == OP_ARGMAX || i->op == OP_ARGMIN) return;
	const FoldPrim *f = fold_of(m->prims, i);
	int size = log2_size((Dtype)i->dtype), from = f ? log2_size((Dtype)f->acc) : size;
	if (from > size) {
		uint16_t to = slot_new(m, PLACE_REGISTER, size);
		script_emit(m,
			(RunOp){.kind = RUN_CUT,
				.size = (uint8_t)size,
				.out = to,
				.a = m->slot[v],
				.b = NONE,
				.c = (uint16_t)from});
		m->slot[v] = to;
	}
	round_narrow(m, i, m->slot[v], script_emit);
}

/* ---- instructions ------------------------------------------------------------------------- */

static void make_const(ScriptMaker *m, const Ins *i, uint16_t v)
{
	uint64_t bits = i->bits, wide = 0;
	int size = log2_size((Dtype)i->dtype);
	if (dtype_is_narrow((Dtype)i->dtype))
		m->prims->load[i->dtype](1, &wide, &bits, NULL, NULL);
	else
		memcpy(&wide, &bits, (size_t)1 << size);
	m->slot[v] = slot_of_constant(m, size, wide, 1);
}

/* Once a call: its bits, and of a narrow float what it is held as. */
static void make_given(ScriptMaker *m, const Ins *i, uint16_t v)
{
	Dtype d = (Dtype)i->dtype;
	uint16_t bits = slot_new(m, PLACE_SCALAR, log2_size(d)), to = bits;
	script_once(m,
		(RunOp){.kind = RUN_PARAM,
			.out = bits,
			.a = NONE,
			.b = NONE,
			.c = NONE,
			.param = {m->k->nparam + (int32_t)i->bits, 0}});
	if (dtype_is_narrow(d)) {
		to = slot_new(m, PLACE_SCALAR, log2_size(d));
		add_prim(m, to, bits, m->prims->load[d], script_once);
	}
	m->slot[v] = to;
}

void script_ins(ScriptMaker *m, uint16_t v)
{
	const Ins *i = &m->k->code[v];
	switch (i->kind) {
	case INS_CONST: make_const(m, i, v); break;
	case INS_GIVEN: make_given(m, i, v); break;
	case INS_PARAM:
	case INS_INDEX: make_index(m, i, v); break;
	case INS_LOAD: make_load(m, i, v); break;
	case INS_FOLD: make_fold(m, i, v); break;
	case INS_STORE: make_store(m, i); break;
	default: make_map(m, i, v); break;
	}
}

/* In CHAIN's second stage a value of the first is formed again, with indices that lack the folded axes. */
static uint16_t value_slot(ScriptMaker *m, uint16_t v)
{
	if (m->slot[v] == NONE && !m->failed) {
		if (!m->again)
			m->failed = true;
		else
			script_ins(m, v);
	}
	return m->slot[v] == NONE ? 0 : m->slot[v];
}
