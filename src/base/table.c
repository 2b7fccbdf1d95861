/* table.c - interning and side tables: open addressing with linear probing,
 * at most three quarters full.  Nothing is ever removed. */
#include "base.h"

enum { FIRST_SLOTS = 16, SLOT_BYTES = sizeof(void *) + sizeof(uint32_t) };

/* ---- sets found by hash ---- */

void table_open(Table *t, Arena *a)
{
	*t = (Table){.arena = a};
}

static void table_place(Table *t, uint32_t hash, void *item)
{
	uint32_t i = table_slot(t, hash);
	while (t->hash[i]) i = i + 1 < t->slots ? i + 1 : 0;
	t->hash[i] = hash;
	t->item[i] = item;
}

/* As what lies in order is put down in order, neither list is jumped about in. */
static void table_grow(Table *t)
{
	if (t->slots > UINT32_MAX / 2) arena_out_of_memory(t->arena);
	uint32_t n = t->slots ? 2 * t->slots : FIRST_SLOTS;
	Table grown = {.arena = t->arena, .count = t->count, .slots = n};
	grown.item = arena_array_cut(t->arena, SLOT_BYTES, n, n * sizeof *grown.item);
	grown.hash = (uint32_t *)(grown.item + n);
	for (uint32_t i = 0; i < t->slots; i++)
		if (t->hash[i]) table_place(&grown, t->hash[i], t->item[i]);
	arena_recycle(t->arena, t->item, (size_t)t->slots * SLOT_BYTES);
	*t = grown;
}

void table_add(Table *t, uint32_t hash, void *item)
{
	if (t->count >= t->slots / 4 * 3) table_grow(t);
	table_place(t, hash + !hash, item);
	t->count++;
}

/* ---- maps from ids: blocks of pages of neighbouring ids, since those are asked for together ---- */

IdPage idmap_nothing;
static IdBlock no_pages = {{[0 ... PAGE - 1] = &idmap_nothing}};

void idmap_open(IdMap *m, Arena *a)
{
	*m = (IdMap){.arena = a};
}

/* Room for a block before or behind those that are there, and for some more on that side. */
static void idmap_reach(IdMap *m, uint32_t block)
{
	uint32_t first = m->first, end = m->first + m->blocks, more = m->blocks / 2;
	if (!m->blocks) {
		first = block;
		end = block + 1;
	} else if (block < first) {
		first = block > more ? block - more : 0;
	} else {
		end = block + more + 1;
	}
	IdBlock **room = NEW_ARRAY(m->arena, IdBlock *, end - first);
	for (uint32_t i = 0; i < end - first; i++) room[i] = &no_pages;
	if (m->blocks) memcpy(room + (m->first - first), m->block, m->blocks * sizeof *room);
	arena_recycle(m->arena, m->block, m->blocks * sizeof *room);
	m->block = room;
	m->first = first;
	m->blocks = end - first;
}

IdPage *idmap_page(IdMap *m, uint32_t id)
{
	uint32_t block = id >> BLOCK_BITS;
	if (block - m->first >= m->blocks) idmap_reach(m, block);
	IdBlock **b = &m->block[block - m->first];
	if (*b == &no_pages) {
		IdBlock *own = arena_cut(m->arena, sizeof *own, _Alignof(IdBlock));
		*own = no_pages;
		*b = own;
	}
	IdPage **p = &(*b)->page[(id >> PAGE_BITS) % PAGE];
	if (*p != &idmap_nothing) return *p;
	*p = NEW(m->arena, IdPage); /* without which the map is as it was */
	m->count++;
	return *p;
}

/* ---- names ---- */

void names_open(Names *t, Arena *a)
{
	*t = (Names){.arena = a};
	table_open(&t->table, a);
}

typedef struct {
	const char *text;
	size_t n;
} NameKey;

static bool name_same(const void *item, const void *key)
{
	const NameKey *k = key;
	const char *name = item;
	return !strncmp(name, k->text, k->n) && !name[k->n]; /* no 0 is in the text */
}

static char *name_known(const Names *t, uint32_t hash, const NameKey *key)
{
	char *name = t->base ? name_known(t->base, hash, key) : NULL;
	return name ? name : table_find(&t->table, hash, key, name_same);
}

const char *names_find(const Names *t, const char *text, size_t n)
{
	if (t->of) return names_find(t->of, text, n);
	return name_known(t, hash_bytes(text, n), &(NameKey){text, n});
}

const char *names_get(Names *t, const char *text, size_t n)
{
	if (t->of) return names_get(t->of, text, n);
	const char *zero = n ? memchr(text, 0, n) : NULL;
	if (zero) n = (size_t)(zero - text);
	uint32_t hash = hash_bytes(text, n);
	char *name = name_known(t, hash, &(NameKey){text, n});
	if (!name) {
		name = arena_copy(t->arena, text, n);
		table_add(&t->table, hash, name);
	}
	return name;
}

/* ---- maps from names ---- */

typedef struct NameEntry {
	const char *name;
	void *value;
} NameEntry;

static bool name_is(const void *item, const void *key)
{
	return ((const NameEntry *)item)->name == key;
}

void namemap_open(NameMap *m, Arena *a)
{
	table_open(&m->table, a);
}

void *namemap_get(const NameMap *m, const char *name)
{
	const NameEntry *e = table_find(&m->table, hash_mix(0, (uint64_t)(uintptr_t)name), name, name_is);
	return e ? e->value : NULL;
}

void namemap_put(NameMap *m, const char *name, void *value)
{
	uint32_t h = hash_mix(0, (uint64_t)(uintptr_t)name);
	NameEntry *e = table_find(&m->table, h, name, name_is);
	if (!e) {
		e = NEW(m->table.arena, NameEntry);
		e->name = name;
		table_add(&m->table, h, e);
	}
	e->value = value;
}

/* ---- hashes ---- */

uint64_t hash_bytes64(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = n;
	for (; n >= 8; s += 8, n -= 8) {
		uint64_t word;
		memcpy(&word, s, 8);
		h = hash_more(h ^ h >> 29, word); /* high bits go down: a product carries them up alone */
	}
	uint64_t last = 0;
	if (n) memcpy(&last, s, n);
	return hash_mix64(hash_more(h ^ h >> 29, last));
}

uint32_t hash_bytes(const void *p, size_t n)
{
	uint64_t h = hash_bytes64(p, n);
	return (uint32_t)(h ^ h >> 32);
}
