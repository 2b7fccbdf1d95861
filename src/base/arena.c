/* arena.c - memory that lives and dies together.
 *
 * An arena is a list of chunks from the user's allocator.  Small blocks are
 * cut from the newest chunk, or from what has become free in older ones; a
 * block too large for that gets a chunk of its own.  A block of more than
 * LARGE bytes has one always, however much room the newest chunk has: that its
 * size alone tells so is what lets it be released.
 * The arena's own record lies in its first chunk.
 *
 *     chunk | next before size | Arena | block | block | ...      | at ......... end |
 */
#include "chunk.h"

#include <stdio.h>
#include <stdlib.h>

/* A common chunk is a small part of what is there already: little is held that nobody uses.  Of an arena
 * that is not small it is as large as those that are kept: what is smaller and lies at the end of libc's
 * memory goes back to the system, and is asked of it anew, with each graph.  One of an arena that is large is
 * a page of the largest size, and what is as large as a page lies in such: fewer are asked of the system, and
 * fewer are looked for. */
enum { ALIGN = ARENA_ALIGN, ALIGN_LEAST = ARENA_ALIGN_LEAST, LARGE = ARENA_LARGE, CHUNK_FIRST = 4 << 10,
	CHUNK_LEAST = 2 << 10, CHUNK_PART = 64, KEEPING_ARENA = 64 << 10, KEPT_PART = 16,
	LARGE_ARENA = 4 << 20, GROW_FIRST = 64, SPARE_LEAST = 6, SPARE_LAST = 12 };

/* Room within a chunk that nobody needs: what a chunk had left, a small list that has been replaced. */
typedef struct Spare {
	struct Spare *next;
	size_t size;
} Spare;

struct Arena {
	ArenaRoom room; /* of the newest common chunk, or a spare */
	Allocator allocator;
	Chunk *chunk;
	Spare *spare[SPARE_LAST - SPARE_LEAST + 1]; /* by the power of two that their size is at least */
	size_t bytes;
	bool large;            /* is to be */
	Arena *parent, *child; /* child: the newest */
	Arena *older, *newer;  /* among the parent's children */
	Trap *trap;            /* of a root: the innermost that is armed */
	Watch *watch;          /* of a root: what bounds the work, or NULL */
};

static Arena *root_of(Arena *a)
{
	while (a->parent) a = a->parent;
	return a;
}

Arena *arena_new(const Allocator *m)
{
	if (!m) m = &allocator_libc;
	Chunk *c = chunk_new(m, CHUNK_FIRST);
	if (!c) return NULL;
	Arena *a = (Arena *)(void *)(c + 1);
	*a = (Arena){.allocator = *m, .chunk = c, .bytes = CHUNK_FIRST};
	a->room.at = (char *)a + (sizeof *a + ALIGN - 1) / ALIGN * ALIGN;
	a->room.end = (char *)c + CHUNK_FIRST;
	return a;
}

static void leave_parent(Arena *a)
{
	if (a->newer)
		a->newer->older = a->older;
	else if (a->parent)
		a->parent->child = a->older;
	if (a->older) a->older->newer = a->newer;
}

static void join_parent(Arena *a, Arena *parent)
{
	a->parent = parent;
	a->older = parent->child;
	a->newer = NULL;
	if (a->older) a->older->newer = a;
	parent->child = a;
}

void arena_free(Arena *a)
{
	if (!a) return;
	while (a->child) arena_free(a->child);
	leave_parent(a);

	Allocator m = a->allocator; /* the record goes with its chunk */
	Watch *w = root_of(a)->watch;
	if (w) w->bytes -= a->bytes;
	for (Chunk *c = a->chunk, *next; c; c = next) {
		next = c->next;
		chunk_free(&m, c);
	}
}

Arena *arena_child(Arena *parent)
{
	Arena *a = arena_new(&parent->allocator);
	if (!a) arena_out_of_memory(parent);
	Watch *w = root_of(parent)->watch;
	if (w) w->bytes += a->bytes;
	join_parent(a, parent);
	return a;
}

bool arena_move(Arena *a, Arena *parent)
{
	if (root_of(a) != root_of(parent)) return false;
	leave_parent(a);
	join_parent(a, parent);
	return true;
}

void arena_expect_much(Arena *a)
{
	a->large = chunks_are_kept(&a->allocator);
}

const Allocator *arena_allocator(const Arena *a)
{
	return &a->allocator;
}

Watch *arena_watched(Arena *a)
{
	return root_of(a)->watch;
}

static size_t bytes_below(const Arena *a)
{
	size_t n = a->bytes;
	for (const Arena *child = a->child; child; child = child->older) n += bytes_below(child);
	return n;
}

void arena_watch(Arena *a, Watch *w)
{
	if (a->watch) a->watch->bytes -= bytes_below(a);
	if (w) w->bytes += bytes_below(a);
	a->watch = w;
}

size_t arena_bytes(const Arena *a)
{
	return a->bytes;
}

void arena_arm(Arena *a, Trap *t)
{
	a = root_of(a);
	t->before = a->trap;
	a->trap = t;
}

void arena_disarm(Arena *a, Trap *t)
{
	root_of(a)->trap = t->before;
}

void arena_out_of_memory(Arena *a)
{
	a = root_of(a);
	Trap *t = a->trap;
	if (!t) abort();
	a->trap = t->before; /* it lies on a stack that is about to be left */
	longjmp(t->at, 1);
}

static size_t common_chunk(const Arena *a)
{
	if (a->large || a->bytes >= LARGE_ARENA) return LARGE_PAGE;
	bool keeps = a->bytes >= KEEPING_ARENA && chunks_are_kept(&a->allocator);
	size_t part = a->bytes / (keeps ? KEPT_PART : CHUNK_PART), least = keeps ? KEPT_LEAST : CHUNK_LEAST;
	return part < least ? least : part / ALIGN * ALIGN;
}

static uint32_t power_below(size_t size)
{
	return 63 - (uint32_t)__builtin_clzll(size);
}

static void keep_spare(Arena *a, void *p, size_t size)
{
	if (size < (size_t)1 << SPARE_LEAST) return;
	uint32_t power = power_below(size) < SPARE_LAST ? power_below(size) : SPARE_LAST;
	Spare *s = p;
	*s = (Spare){a->spare[power - SPARE_LEAST], size};
	a->spare[power - SPARE_LEAST] = s;
}

/* The least spare that is large enough for sure becomes where blocks are cut; false: there is none. */
static bool cut_spare(Arena *a, size_t size)
{
	uint32_t power = size > 1 ? power_below(size - 1) + 1 : 0;
	for (power = power < SPARE_LEAST ? SPARE_LEAST : power; power <= SPARE_LAST; power++) {
		Spare *s = a->spare[power - SPARE_LEAST];
		if (!s) continue;
		a->spare[power - SPARE_LEAST] = s->next;
		keep_spare(a, a->room.at, (size_t)(a->room.end - a->room.at));
		a->room.at = (char *)s;
		a->room.end = a->room.at + s->size;
		return true;
	}
	return false;
}

/* A chunk with room for `size` bytes from an aligned place.  A block of more
 * than half a chunk gets one of its own, and the newest common one stays. */
static char *block_of_new_chunk(Arena *a, size_t size, size_t align)
{
	size_t whole = sizeof(Chunk) + (align > ALIGN ? align - ALIGN : 0);
	if (size > SIZE_MAX - whole) arena_out_of_memory(a);
	whole += size;
	size_t common = common_chunk(a);
	bool own = size > LARGE || whole > common / 2;
	size_t bytes = chunk_size(&a->allocator, own ? whole : common);
	Watch *w = root_of(a)->watch;
	Chunk *c = w && !watch_takes(w, bytes) ? NULL : chunk_new(&a->allocator, bytes);
	if (!c) arena_out_of_memory(a);
	if (w) w->bytes += bytes;
	c->next = a->chunk;
	a->chunk->before = c;
	a->chunk = c;
	a->bytes += c->size;
	char *p = (char *)(c + 1);
	p += -(uintptr_t)p & (align - 1);
	if (!own) {
		keep_spare(a, a->room.at, (size_t)(a->room.end - a->room.at));
		a->room.at = (char *)c + whole;
		a->room.end = (char *)c + c->size;
	}
	return p;
}

static bool has_room(const Arena *a, size_t size)
{
	return size <= (size_t)(a->room.end - a->room.at);
}

void *arena_cut_anew(Arena *a, size_t size, size_t align)
{
	if (align < ALIGN_LEAST) align = ALIGN_LEAST;
	if (size > SIZE_MAX - ALIGN_LEAST) arena_out_of_memory(a);
	size = (size + ALIGN_LEAST - 1) / ALIGN_LEAST * ALIGN_LEAST;
	/* As much room for every place that a chunk may have: whether another is asked for hangs on none. */
	size_t common = align < ALIGN ? align : ALIGN, span = size + (align - common);
	size_t skip = -(uintptr_t)a->room.at & (common - 1);
	if (size <= LARGE && !has_room(a, skip + span) && cut_spare(a, span + common - ALIGN_LEAST))
		skip = -(uintptr_t)a->room.at & (common - 1);
	if (size > LARGE || !has_room(a, skip + span)) return block_of_new_chunk(a, size, align);
	char *p = a->room.at + skip;
	a->room.at = p + span;
	return p + (-(uintptr_t)p & (align - 1));
}

void *arena_alloc(Arena *a, size_t size)
{
	return arena_alloc_aligned(a, size, ALIGN);
}

static void *array(Arena *a, size_t size, size_t n, size_t untold, size_t align)
{
	if (size && n > SIZE_MAX / size) arena_out_of_memory(a);
	char *p = arena_cut(a, size * n, align);
	bool is_zero = size * n >= LARGE_PAGE && a->chunk->is_zero && p > (char *)a->chunk &&
		p < (char *)a->chunk + a->chunk->size;
	if (!is_zero) memset(p + untold, 0, size * n - untold);
	return p;
}

void *arena_array_aligned(Arena *a, size_t size, size_t n, size_t align)
{
	return array(a, size, n, 0, align);
}

void *arena_array(Arena *a, size_t size, size_t n)
{
	return array(a, size, n, 0, ALIGN);
}

void *arena_array_cut(Arena *a, size_t size, size_t n, size_t untold)
{
	return array(a, size, n, untold, ALIGN);
}

/* Most lists are short: the first room is a line of memory, of at least two elements and at most eight. */
void *arena_grow(Arena *a, void *old, uint32_t *cap, size_t size)
{
	if (*cap > UINT32_MAX / 2) arena_out_of_memory(a);
	uint32_t first = 8;
	if (size > GROW_FIRST / 2)
		first = 2;
	else if (size > GROW_FIRST / 8)
		first = GROW_FIRST / (uint32_t)size;
	uint32_t more = *cap ? 2 * *cap : first;
	size_t now = *cap * size, added = (more - *cap) * size;
	if (*cap && (char *)old + now == a->room.at && now + added <= LARGE && has_room(a, added)) {
		memset(a->room.at, 0, added); /* nothing lies behind it */
		a->room.at += added;
		*cap = more;
		return old;
	}
	void *p = arena_array_cut(a, size, more, now);
	if (*cap) memcpy(p, old, now);
	arena_release(a, old, *cap * size);
	*cap = more;
	return p;
}

/* Its alignment must be the common one: it lies right behind its chunk's head. */
void arena_release(Arena *a, void *p, size_t size)
{
	if (!p || size <= LARGE) return;
	Chunk *c = (Chunk *)p - 1;
	if (c->next) c->next->before = c->before;
	*(c->before ? &c->before->next : &a->chunk) = c->next;
	a->bytes -= c->size;
	Watch *w = root_of(a)->watch;
	if (w) w->bytes -= c->size;
	chunk_free(&a->allocator, c);
}

void arena_recycle(Arena *a, void *p, size_t size)
{
	if (p && size <= LARGE)
		keep_spare(a, p, (size + ALIGN_LEAST - 1) / ALIGN_LEAST * ALIGN_LEAST);
	else
		arena_release(a, p, size);
}

char *arena_copy(Arena *a, const char *text, size_t n)
{
	if (n == SIZE_MAX) arena_out_of_memory(a);
	char *s = arena_alloc_aligned(a, n + 1, 1);
	if (n) memcpy(s, text, n);
	return s;
}

char *arena_text(Arena *a, const char *text)
{
	return text ? arena_copy(a, text, strlen(text)) : NULL;
}

char *arena_printf(Arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, args);
	char *s = arena_alloc(a, (size_t)(n > 0 ? n : 0) + 1);
	if (n > 0) vsnprintf(s, (size_t)n + 1, format, again);
	va_end(again);
	va_end(args);
	return s;
}
