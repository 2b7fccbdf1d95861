/* interp_slots.c - preparing a kernel: slots, room for constants, lists of operations. */
#include "interp_make.h"

int log2_size(Dtype d)
{
	switch (d) {
	case DT_BOOL:
	case DT_I8:
	case DT_U8: return 0;
	case DT_I16:
	case DT_U16: return 1;
	case DT_I64:
	case DT_U64:
	case DT_F64: return 3;
	default: return 2; /* f16 and bf16 are held as f32 */
	}
}

uint16_t slot_new(ScriptMaker *m, SlotPlace place, int size)
{
	if (m->s->nslot == m->slot_cap) {
		m->failed = true;
		return 0;
	}
	uint32_t i = m->s->nslot++;
	m->s->slot[i] = (Slot){(uint8_t)place, (uint8_t)size, 0};
	m->splat[i] = m->wide[i] = NONE;
	return (uint16_t)i;
}

/* Grows by doubling, aside until the kernel is prepared. */
uint32_t pool_take(ScriptMaker *m, uint32_t bytes)
{
	uint32_t at = m->pool, want = m->pool + ((bytes + 63) & ~63u);
	if (want > m->pool_cap) {
		uint32_t cap = want * 2;
		char *fresh = arena_alloc_aligned(m->scratch, cap, 64);
		if (m->pool) memcpy(fresh, m->t->pool, m->pool);
		m->t->pool = fresh;
		m->pool_cap = cap;
	}
	m->pool = want;
	return at;
}

static RunOp *op_add(RunOp *list, uint32_t *n, RunOp op, ScriptMaker *m)
{
	if (*n == m->op_cap) {
		m->failed = true;
		return list;
	}
	list[*n] = op;
	return &list[(*n)++];
}

RunOp *script_emit(ScriptMaker *m, RunOp op)
{
	return op_add(m->body, &m->nbody, op, m);
}
RunOp *script_before(ScriptMaker *m, RunOp op)
{
	return op_add(m->before, &m->nbefore, op, m);
}
RunOp *script_once(ScriptMaker *m, RunOp op)
{
	return op_add(m->prologue, &m->nprologue, op, m);
}
