/* interp_slots.c - preparing a kernel: slots, room for constants, lists of operations. */
#include "interp_make.h"

int log2_size(Dtype d)
{
	return __builtin_ctzll(dtype_bytes(dtype_held(d)));
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

/* ---- the pool ------------------------------------------------------------------------- */

typedef struct Pooled {
	uint64_t bits; /* the one element */
	uint32_t n;
	int size;
	const void *at;
} Pooled;

static bool pooled_same(const void *item, const void *key)
{
	const Pooled *a = item, *b = key;
	return a->bits == b->bits && a->n == b->n && a->size == b->size;
}

ConstPool *const_pool_open(Arena *a, int isa)
{
	ConstPool *p = NEW(a, ConstPool);
	p->arena = a;
	p->prims = prims_of(isa);
	table_open(&p->known, a);
	return p;
}

static const void *repeated(Arena *a, int size, uint64_t bits, uint32_t n)
{
	char *at = arena_alloc_aligned(a, (size_t)n << size, 64);
	for (uint32_t i = 0; i < n; i++) memcpy(at + ((size_t)i << size), &bits, (size_t)1 << size);
	return at;
}

/* Repeated n times: a primitive reads a constant as it does a vector.  Equal ones stand once a program. */
static const void *const_pool_take(ConstPool *p, int size, uint64_t bits, uint32_t n)
{
	Pooled key = {.bits = bits, .n = n, .size = size};
	uint32_t h = hash_mix(hash_mix(n, bits), (uint64_t)size);
	Pooled *known = table_find(&p->known, h, &key, pooled_same);
	if (known) return known->at;
	known = NEW(p->arena, Pooled);
	*known = key;
	known->at = n == 1 ? &known->bits : repeated(p->arena, size, bits, n);
	p->bytes += sizeof *known + ((size_t)n << size);
	table_add(&p->known, h, known);
	return known->at;
}

uint16_t slot_of_constant(ScriptMaker *m, int size, uint64_t bits, uint32_t n)
{
	uint16_t slot = slot_new(m, PLACE_CONSTANT, size);
	Script *s = m->s;
	if (m->failed) return 0;
	s->slot[slot].at = s->nconstant;
	s->constant[s->nconstant++] = const_pool_take(m->pool, size, bits, n);
	return slot;
}

/* ---- lists of operations ----------------------------------------------------------------- */

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
