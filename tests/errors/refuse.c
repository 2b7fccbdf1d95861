/* refuse.c - preloaded: in a process named porism the allocation $REFUSE (from 0) fails; what it said before the end
 * of the process is followed by `allocations N`, the number asked for. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long asked;
static long refused = -1;

static int refuse(void)
{
	if (asked++ != refused) return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return refuse() ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t m)
{
	return refuse() ? NULL : __libc_calloc(n, m);
}
void *realloc(void *p, size_t n)
{
	return refuse() ? NULL : __libc_realloc(p, n);
}
void *aligned_alloc(size_t align, size_t n)
{
	return refuse() ? NULL : __libc_memalign(align, n);
}
int posix_memalign(void **p, size_t align, size_t n)
{
	*p = refuse() ? NULL : __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("REFUSE");
	if (at && !strcmp(program_invocation_short_name, "porism")) refused = strtol(at, NULL, 10);
	asked = 0;
}

__attribute__((destructor)) static void end(void)
{
	char text[40];
	if (strcmp(program_invocation_short_name, "porism")) return;
	int n = snprintf(text, sizeof text, "allocations %ld\n", (long)asked);
	if (write(2, text, (size_t)n) < 0) _exit(3);
}
