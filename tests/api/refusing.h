/* refusing.h - allocations of which the n-th fails: those that a context is asked for, and those of the process. */
#ifndef POR_TEST_REFUSING_H
#define POR_TEST_REFUSING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct Counter {
	long left, live, count;
} Counter;

static void *counted_alloc(void *user, size_t size, size_t align)
{
	Counter *c = user;
	c->count++;
	if (c->left-- == 0) return NULL;
	size_t room = size ? (size + align - 1) / align * align : align;
	void *p = align > 16 ? aligned_alloc(align, room) : malloc(room);
	c->live += p != NULL;
	return p;
}

static void counted_free(void *user, void *p, size_t size, size_t align)
{
	(void)size, (void)align;
	((Counter *)user)->live -= p != NULL;
	free(p);
}

/* What does not ask the context: scratch of compiles, the compiler's run, the C library's own.  A sanitizer's
 * allocator must stay the process's: there the linker turns the calls of our own code alone (--wrap). */
static long refuse_in = -1; /* allocations of the process until one fails; -1: none does */

#ifdef WRAPPED
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
#define REAL_ALIGNED __real_aligned_alloc
#else
#define OURS(name) name
#define REAL(name) __libc_##name
#define REAL_ALIGNED __libc_memalign
#endif
extern void *REAL(malloc)(size_t);
extern void *REAL(calloc)(size_t, size_t);
extern void *REAL(realloc)(void *, size_t);
extern void *REAL_ALIGNED(size_t, size_t);

static bool refuse(void)
{
	if (refuse_in < 0 || refuse_in-- > 0) return false;
	errno = ENOMEM;
	return true;
}
void *OURS(malloc)(size_t n)
{
	return refuse() ? NULL : REAL(malloc)(n);
}
void *OURS(calloc)(size_t n, size_t m)
{
	return refuse() ? NULL : REAL(calloc)(n, m);
}
void *OURS(realloc)(void *p, size_t n)
{
	return refuse() ? NULL : REAL(realloc)(p, n);
}
void *OURS(aligned_alloc)(size_t align, size_t n)
{
	return refuse() ? NULL : REAL_ALIGNED(align, n);
}
int OURS(posix_memalign)(void **p, size_t align, size_t n)
{
	*p = refuse() ? NULL : REAL_ALIGNED(align, n);
	return *p ? 0 : ENOMEM;
}

#endif
