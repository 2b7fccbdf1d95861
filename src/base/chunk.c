/* chunk.c - chunks of arenas, of the user's allocator; of libc's some are kept for those that come next.
 *
 * A graph that is closed is often followed by one like it: a chunk that was free'd need not be asked of the
 * system again, which would clear each of its pages.  So the sizes of chunks that are not small are few, and
 * of each size some are kept, up to KEPT_SMALL bytes.  Of those in large pages, which are the system's to
 * take back when it has no others, more are: KEPT_MOST.  Who finds the list taken by another thread does
 * without.
 */
#include "chunk.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A power of two has PARTS sizes up to the next. */
enum { SMALL_PAGE = 64 << 10, KEPT_LARGEST = 64 << 20, PARTS = 4, KEPT_MOST = 256 << 20,
	KEPT_SMALL = 64 << 20, KEPT_COUNT = 256 };

/* Beside the chunks, whose pages nobody touches. */
static struct {
	atomic_flag taken;
	uint32_t n;
	size_t bytes[2]; /* 1: of those in large pages */
	struct KeptChunk { Chunk *at; size_t size; bool mapped; } chunk[KEPT_COUNT];
} kept = {.taken = ATOMIC_FLAG_INIT};

#ifdef MADV_HUGEPAGE
/* A loop that walks through a workspace asks for another page all the time: large ones are found sooner. */
static void in_large_pages(char *p, size_t size)
{
	size_t before = -(uintptr_t)p & (SMALL_PAGE - 1);
	madvise(p + before, (size - before) & ~(size_t)(SMALL_PAGE - 1), MADV_HUGEPAGE);
}
#else
static void in_large_pages(char *p, size_t size)
{
	(void)p;
	(void)size;
}
#endif

static void *libc_alloc(void *user, size_t size, size_t align)
{
	(void)user;
	if (align <= _Alignof(max_align_t)) return malloc(size);
	size_t whole = size + (align - 1);
	if (whole < size) return NULL;
	void *p = aligned_alloc(align, whole & ~(align - 1));
	if (p && size >= 2 * LARGE_PAGE) in_large_pages(p, size);
	return p;
}

static void libc_free(void *user, void *p, size_t size, size_t align)
{
	(void)user;
	(void)size;
	(void)align;
	free(p);
}

const Allocator allocator_libc = {libc_alloc, libc_free, NULL};

/* Under the sanitizer nothing is mapped or kept: it sees what it has allocated itself. */
#if defined(MADV_HUGEPAGE) && defined(MADV_FREE) && !defined(__SANITIZE_ADDRESS__)
bool chunks_are_kept(const Allocator *m)
{
	return m->alloc == libc_alloc;
}

static void *map_large_pages(size_t size)
{
	char *p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) return NULL;
	size_t before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before) munmap(p, before);
	p += before;
	munmap(p + size, LARGE_PAGE - before);
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

static void may_be_taken_back(void *p, size_t size)
{
	madvise(p, size, MADV_FREE);
}
#else
bool chunks_are_kept(const Allocator *m)
{
	(void)m;
	return false;
}

static void *map_large_pages(size_t size)
{
	(void)size;
	return NULL;
}

static void may_be_taken_back(void *p, size_t size)
{
	(void)p;
	(void)size;
}
#endif

/* Whole small pages, as the system gives them. */
static size_t mapped_size(size_t size)
{
	return (size + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
}

static bool has_size_of_kept(const Allocator *m, size_t size)
{
	return size >= KEPT_LEAST && size <= KEPT_LARGEST && chunks_are_kept(m);
}

size_t chunk_size(const Allocator *m, size_t wanted)
{
	if (!has_size_of_kept(m, wanted)) return wanted;
	size_t step = ((size_t)1 << (63 - __builtin_clzll(wanted - 1))) / PARTS;
	return (wanted + step - 1) / step * step;
}

static bool kept_taken(void)
{
	return !atomic_flag_test_and_set_explicit(&kept.taken, memory_order_acquire);
}
static void kept_left(void)
{
	atomic_flag_clear_explicit(&kept.taken, memory_order_release);
}

/* The one that was kept last, which is the most likely to be near the processor. */
static struct KeptChunk take_kept(size_t size)
{
	struct KeptChunk c = {NULL};
	if (!kept_taken()) return c;
	uint32_t i = kept.n;
	while (i && kept.chunk[i - 1].size != size) i--;
	if (i) {
		c = kept.chunk[i - 1];
		memmove(kept.chunk + i - 1, kept.chunk + i, (kept.n-- - i) * sizeof c);
		kept.bytes[c.mapped] -= size;
	}
	kept_left();
	return c;
}

static bool keep(Chunk *at)
{
	const struct KeptChunk c = {at, at->size, at->mapped};
	if (c.mapped) may_be_taken_back(at, mapped_size(c.size));
	if (!kept_taken()) return false;
	const size_t most = c.mapped ? KEPT_MOST : KEPT_SMALL;
	bool fits = kept.n < KEPT_COUNT && kept.bytes[c.mapped] + c.size <= most;
	if (fits) {
		kept.chunk[kept.n++] = c;
		kept.bytes[c.mapped] += c.size;
	}
	kept_left();
	return fits;
}

Chunk *chunk_new(const Allocator *m, size_t size)
{
	struct KeptChunk old = {NULL};
	if (has_size_of_kept(m, size)) old = take_kept(size);
	if (old.at) {
		*old.at = (Chunk){.size = size, .mapped = old.mapped};
		return old.at;
	}
	bool maps = size >= LARGE_PAGE && size <= SIZE_MAX / 2 && chunks_are_kept(m);
	Chunk *c = maps ? map_large_pages(mapped_size(size)) : NULL;
	bool mapped = c;
	if (!c) c = m->alloc(m->user, size, ARENA_ALIGN);
	if (c) *c = (Chunk){.size = size, .mapped = mapped, .is_zero = mapped};
	return c;
}

void chunk_free(const Allocator *m, Chunk *c)
{
	const size_t size = c->size;
	const bool mapped = c->mapped;
	if (has_size_of_kept(m, size) && keep(c)) return;
	if (mapped)
		munmap(c, mapped_size(size));
	else
		m->free(m->user, c, size, ARENA_ALIGN);
}
