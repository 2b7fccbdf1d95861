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
	uint64_t bits;
	uint32_t n, at;
	int size;
} Pooled;

static bool pooled_same(const void *item, const void *key)
{
	const Pooled *a = item, *b = key;
	return a->bits == b->bits && a->n == b->n && a->size == b->size;
}

ConstPool *const_pool_open(Arena *a)
{
	ConstPool *p = NEW(a, ConstPool);
	p->arena = a;
	table_open(&p->known, a);
	return p;
}

/* Its own arena, freed when it moves: an arena that only grows would keep each of the pools before. */
static void const_pool_grow(ConstPool *p, uint32_t bytes)
{
	uint32_t cap = 2 * (p->n + bytes);
	Arena *home = arena_child(p->arena);
	char *at = arena_alloc_aligned(home, cap, 64);
	if (p->n) memcpy(at, p->at, p->n);
	arena_free(p->home);
	p->home = home;
	p->at = at;
	p->cap = cap;
}

/* Repeated n times: a primitive reads a constant as it does a vector.  Equal ones stand once a program. */
uint32_t const_pool_take(ConstPool *p, int size, uint64_t bits, uint32_t n)
{
	Pooled key = {.bits = bits, .n = n, .size = size};
	uint32_t h = hash_mix(hash_mix(n, bits), (uint64_t)size), bytes = ((n << size) + 63) & ~63u;
	Pooled *known = table_find(&p->known, h, &key, pooled_same);
	if (known) return known->at;
	if (p->n + bytes > p->cap) const_pool_grow(p, bytes);
	known = NEW(p->arena, Pooled);
	*known = key;
	known->at = p->n;
	p->n += bytes;
	table_add(&p->known, h, known);
	for (uint32_t i = 0; i < n; i++)
		memcpy(p->at + known->at + ((size_t)i << size), &bits, (size_t)1 << size);
	return known->at;
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
