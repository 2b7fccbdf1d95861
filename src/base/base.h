/* base.h - memory, tables, text, errors.
 *
 * Everything above allocates from an arena and never frees a single object.
 * Running out of memory is a jump to the entry point that armed the arena's
 * trap (see Trap): no code between needs a check, and nothing leaks, because
 * the arena still owns every byte.  Nothing else in the library jumps.
 */
#ifndef POR_BASE_H
#define POR_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define countof(a) (sizeof(a) / sizeof *(a))

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

/* ---- arena.c: memory that lives and dies together ---------------------- */

/* The user's allocator.  `free` gets the size that was asked for. */
typedef struct Allocator {
	void *(*alloc)(void *user, size_t size, size_t align);
	void (*free)(void *user, void *p, size_t size, size_t align);
	void *user;
} Allocator;

extern const Allocator allocator_libc;

/* Where to continue when memory runs out.  An entry point writes
 *     Trap t; if (TRAP(&t)) { ...out of memory... return NULL; }
 *     arena_arm(a, &t); ... arena_disarm(a, &t);
 * Traps nest: disarming restores the one before. */
typedef struct Trap {
	jmp_buf at;
	struct Trap *before;
} Trap;
#define TRAP(t) setjmp((t)->at)

typedef struct Arena Arena;

Arena *arena_new(const Allocator *);      /* NULL when memory has run out; allocator NULL: libc */
void arena_free(Arena *);                 /* NULL is fine */
void arena_expect_much(Arena *);          /* megabytes will lie in it: large pages of the system */
const Allocator *arena_allocator(const Arena *);
void arena_arm(Arena *, Trap *);
void arena_disarm(Arena *, Trap *);
void arena_out_of_memory(Arena *) __attribute__((noreturn)); /* jumps to the trap; aborts if none is armed */
void *arena_alloc(Arena *, size_t);       /* zeroed, 16-byte aligned; jumps when memory has run out */
static inline void *arena_alloc_aligned(Arena *, size_t, size_t align);
static inline void *arena_cut(Arena *, size_t, size_t align);   /* not zeroed: who asks fills all of it */
size_t arena_bytes(const Arena *);        /* bytes taken from the allocator */
Arena *arena_child(Arena *);              /* a scratch arena with the same allocator and trap; free it first.
                                             If a trap fires it is freed with its parent. */
/* A scratch arena lives from now on as long as another, which is not below it; false: they have nothing in
 * common. */
bool arena_move(Arena *, Arena *parent);
/* a large block of so many bytes is wanted no more; a small one stays */
void arena_release(Arena *, void *, size_t);
/* the same, and in a small one may lie what is asked for next: nobody reads it any more */
void arena_recycle(Arena *, void *, size_t);
char *arena_copy(Arena *, const char *text, size_t n);  /* n bytes and a 0 */
char *arena_text(Arena *, const char *text);            /* the whole text; NULL of NULL */
char *arena_printf(Arena *, const char *format, ...) PRINTF_LIKE(2, 3);

/* Under the sanitizer nearly all lists that grow are released, so that it sees who still reads the old. */
#ifdef __SANITIZE_ADDRESS__
enum { ARENA_LARGE = 128 };
#else
enum { ARENA_LARGE = 4 << 10 };
#endif
enum { ARENA_ALIGN = 16, ARENA_ALIGN_LEAST = 8 };

/* What an arena begins with: what is free where small blocks are cut.  It lies on an address of the least
 * alignment, and so does what is cut of it. */
typedef struct ArenaRoom { char *at, *end; } ArenaRoom;
void *arena_cut_anew(Arena *, size_t, size_t align);    /* where that has no room */
static inline void *arena_cut(Arena *a, size_t size, size_t align)
{
	ArenaRoom *r = (ArenaRoom *)(void *)a;
	uintptr_t at = ((uintptr_t)r->at + (align - 1)) & -(uintptr_t)align;
	uintptr_t end = at + ((size + ARENA_ALIGN_LEAST - 1) & -(uintptr_t)ARENA_ALIGN_LEAST);
	if (__builtin_expect(size > ARENA_LARGE || align > ARENA_ALIGN || end > (uintptr_t)r->end, 0))
		return arena_cut_anew(a, size, align);
	char *p = r->at + (at - (uintptr_t)r->at);
	r->at = p + (end - at);
	return p;
}
static inline void *arena_alloc_aligned(Arena *a, size_t size, size_t align)
{
	return memset(arena_cut(a, size, align), 0, size);
}

#define NEW(a, T) ((T *)arena_alloc_aligned((a), sizeof(T), _Alignof(T)))
#define NEW_ARRAY(a, T, n) ((T *)arena_array_aligned((a), sizeof(T), (size_t)(n), _Alignof(T)))
void *arena_array(Arena *, size_t size, size_t n);      /* overflow of size*n is out of memory */
void *arena_array_aligned(Arena *, size_t size, size_t n, size_t align);
/* the same, but that what lies in the first bytes is not told */
void *arena_array_cut(Arena *, size_t size, size_t n, size_t untold);

/* Growing arrays:  T *v = NULL; uint32_t n = 0, cap = 0;  GROW(a, v, n, cap); v[n++] = x; */
#define GROW(a, v, n, cap) \
	((n) < (cap) ? (void)0 : (void)((v) = arena_grow((a), (v), &(cap), sizeof *(v))))
void *arena_grow(Arena *, void *old, uint32_t *cap, size_t size);

/* ---- table.c: interning and side tables -------------------------------- */

/* A set of pointers found by hash: open addressing, any number of slots. */
typedef struct Table {
	Arena *arena;
	void **item;                 /* by slot */
	uint32_t *hash;              /* of the item, 0: it is empty; behind the items, in one block */
	uint32_t slots, count;
} Table;
typedef bool (*table_same)(const void *item, const void *key);
void table_open(Table *, Arena *);
static inline void *table_find(const Table *, uint32_t hash, const void *key, table_same);
void table_add(Table *, uint32_t hash, void *item);     /* item must not be there yet */

/* The hash tells the slot as a part of all, whatever their number. */
static inline uint32_t table_slot(const Table *t, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * t->slots >> 32);
}
static inline void *table_find(const Table *t, uint32_t hash, const void *key, table_same same)
{
	if (!t->item) return NULL;
	hash += !hash;
	uint32_t i = table_slot(t, hash);
	__builtin_prefetch(&t->item[i]); /* wanted next, whether it is found or added */
	for (; t->hash[i]; i = i + 1 < t->slots ? i + 1 : 0)
		if (t->hash[i] == hash && same(t->item[i], key)) return t->item[i];
	return NULL;
}

/* A map from 32-bit ids to pointers (a side table of a region). */
typedef struct IdMap {
	Arena *arena;
	struct IdBlock **block;      /* block[i]: of ids >> BLOCK_BITS first + i */
	uint32_t first, blocks;
	uint32_t count;              /* of pages */
} IdMap;
void idmap_open(IdMap *, Arena *);
static inline void *idmap_get(const IdMap *, uint32_t id);      /* NULL when absent */
static inline void idmap_put(IdMap *, uint32_t id, void *value); /* replaces */
static inline void **idmap_slot(IdMap *, uint32_t id);  /* where it stands or will stand, for good */

enum { PAGE_BITS = 6, PAGE = 1 << PAGE_BITS, BLOCK_BITS = 2 * PAGE_BITS };
typedef struct IdPage { void *value[PAGE]; } IdPage;
typedef struct IdBlock { IdPage *page[PAGE]; } IdBlock;
extern IdPage idmap_nothing; /* stands where no page is, so that who looks need not ask; only read */
static inline void *idmap_get(const IdMap *m, uint32_t id)
{
	uint32_t i = (id >> BLOCK_BITS) - m->first;
	return i < m->blocks ? m->block[i]->page[(id >> PAGE_BITS) % PAGE]->value[id % PAGE] : NULL;
}
IdPage *idmap_page(IdMap *, uint32_t id);               /* made where there is none */
static inline void **idmap_slot(IdMap *m, uint32_t id)
{
	uint32_t i = (id >> BLOCK_BITS) - m->first;
	IdPage *page = i < m->blocks ? m->block[i]->page[(id >> PAGE_BITS) % PAGE] : &idmap_nothing;
	return &(page != &idmap_nothing ? page : idmap_page(m, id))->value[id % PAGE];
}
static inline void idmap_put(IdMap *m, uint32_t id, void *value)
{
	*idmap_slot(m, id) = value;
}

/* Names: equal text is the same pointer.  Those of `base`, to which none is added any more, are looked for
 * first.  `of`: none are here, all are found there and added to that. */
typedef struct Names { Table table; Arena *arena; const struct Names *base; struct Names *of; } Names;
void names_open(Names *, Arena *);                        /* base, of: NULL */
const char *names_get(Names *, const char *text, size_t n);
const char *names_find(const Names *, const char *text, size_t n); /* NULL: nobody has asked for it yet */

/* A map from names, by their addresses, to pointers that are not NULL. */
typedef struct NameMap { Table table; } NameMap;
void namemap_open(NameMap *, Arena *);
void *namemap_get(const NameMap *, const char *name);   /* NULL when absent */
void namemap_put(NameMap *, const char *name, void *value);     /* replaces */

/* The 64-bit finaliser of SplitMix64 (Steele, Lea, Flood 2014) */
static inline uint64_t hash_mix64(uint64_t z)
{
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
static inline uint32_t hash_mix(uint32_t h, uint64_t x)
{
	uint64_t z = hash_mix64(x + (h + (uint64_t)1) * 0x9E3779B97F4A7C15u);
	return (uint32_t)(z ^ z >> 32);
}
/* Of several words, one after the other: each costs a product, and the sum is mixed once. */
static inline uint64_t hash_more(uint64_t h, uint64_t x)
{
	return (h + x) * 0x9E3779B97F4A7C15u;
}
static inline uint32_t hash_done(uint64_t h)
{
	h = hash_mix64(h);
	return (uint32_t)(h ^ h >> 32);
}
uint32_t hash_bytes(const void *p, size_t n);
uint64_t hash_bytes64(const void *p, size_t n);

/* ---- text.c: building text ---------------------------------------------- */

typedef struct Text { Arena *arena; char *s; size_t n, cap; } Text;
void text_open(Text *, Arena *);
void text_add(Text *, const char *s);
void text_add_n(Text *, const char *s, size_t n);
void text_char(Text *, char c);
void text_printf(Text *, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(Text *, const char *format, va_list);
void json_quote(Text *, const char *);    /* as a text of JSON, in quotes; NULL is empty */
char *text_done(Text *);                  /* the text, ended by 0, owned by the arena */
/* shortest decimal that reads back exactly as a float of 64 or 32 bits; "inf", "-inf", "nan"; always with a
 * point or an exponent */
void text_number(Text *, double x, int bits);

/* How many letters of the word are to be changed, put in, left out or, two beside each other, exchanged to
 * make the name; LETTERS_MOST: one is too long to count. */
enum { LETTERS_MOST = 40 };
uint32_t letters_apart(size_t n, const char *word, const char *name);

/* The code point of UTF-8 at s, before `end`; its bytes in *n, 0 where the text is none. */
uint32_t code_point(const char *s, const char *end, size_t *n);

/* ---- error.c: the first error sticks -------------------------------------- */

enum { ERR_NONE, ERR_MEMORY, ERR_SYNTAX, ERR_TYPE, ERR_NAME, ERR_VALUE, ERR_UNSUPPORTED, ERR_DERIVATIVE,
	ERR_RULE,
       ERR_FILE, ERR_COMPILER, ERR_CALL, ERR_INTERNAL, ERR_LIMIT, ERR_CANCELLED };
/* In the place of an argument: an index outside its axis; an operator of the user's whose derivative nobody
 * tells. */
enum { ERR_AT_INDEX = -1, ERR_AT_OPERATOR = -2 };

/* One error, of fixed size, so that reporting never allocates. */
typedef struct Error {
	int code;                        /* ERR_..., 0 when there is none */
	int line, column;                /* from 1; 0 when unknown */
	int argument;                    /* of a call, from 1; 0 when it is none of them; ERR_AT_... */
	char file[240];
	char text[768];                  /* one sentence: what was given, what was wanted */
} Error;

/* A place in the user's program: file may be NULL; line and column from 1. */
typedef struct Where { const char *file; int line, column; } Where;

/* Keep the error unless there is one already.  Always gives NULL, so that
 * `return fail(...)` reads well. */
void *fail(Error *, int code, Where, const char *format, ...) PRINTF_LIKE(4, 5);
void *fail_list(Error *, int code, Where, const char *format, va_list);
void error_clear(Error *);

/* ---- watch.c: what bounds long work ------------------------------------------- */

enum { WATCH_GOES_ON, WATCH_CANCELLED, WATCH_SECONDS, WATCH_BYTES, WATCH_NODES };

/* Of one graph, whose arenas have it (arena_watch).  What may take long looks at it, by watch_step or by
 * taking memory; when a limit is met that jumps to the arena's trap, as memory does that has run out. */
typedef struct Watch {
	const int *cancel[2];            /* either not 0: stop; from any thread; NULL: nobody does */
	uint64_t nodes_most, bytes_most; /* 0: any number */
	double seconds_most;             /* of an entry point; 0: no limit */
	/* some ten times a second; not 0: stop */
	int (*progress)(void *user, const struct Watch *, double seconds);
	void *user;
	const char *stage;               /* what is being done */
	const uint32_t *nodes;           /* how many there are, for `progress` */
	uint64_t bytes;                  /* that the arenas hold */
	int64_t began, deadline, told;   /* nanoseconds; 0: not yet */
	int why;                         /* WATCH_... that stopped it */
	uint32_t looks;                  /* until the clock is asked */
} Watch;

int64_t clock_ns(void);                  /* monotonic */
int64_t deadline_after(int64_t begin, double seconds);   /* 0: there is none */
void watch_begin(Watch *);               /* an entry point: nothing has stopped it, the clock stands */
bool watch_look(Watch *); /* is it over?  Asks the clock, the flag, and tells of the progress */
bool watch_takes(Watch *, uint64_t bytes);       /* may they be taken? */
bool watch_is_over(const Watch *);       /* the same question from another thread, which tells nobody */
void watch_fail(const Watch *, Error *, Where);  /* what stopped it; nothing did: memory has run out */
/* of a root and its children, from now on; what the root holds counts; NULL: no more */
void arena_watch(Arena *, Watch *);
Watch *arena_watched(Arena *);           /* that of its root, or NULL */
/* So many tenths of a microsecond of work; jumps when it is over. */
static inline void watch_step(Arena *a, Watch *w, uint64_t work)
{
	if (__builtin_expect(w->looks > work, 1))
		w->looks -= (uint32_t)work;
	else if (watch_look(w))
		arena_out_of_memory(a);
}

/* ---- texts that Porism carries (tools/embed.py) -------------------------------------------- */

typedef struct EmbeddedText { const char *name, *text; } EmbeddedText; /* of a table that a NULL name ends */

#endif
