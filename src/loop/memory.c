/* memory.c - one workspace: buffers whose lifetimes do not meet share memory. */
#include "loop.h"

#include <stdlib.h>

enum { ALIGN = 64 };

typedef struct Block { int64_t at, bytes; uint32_t last, next; } Block;

/* Blocks that live now, by offset: a list through `next`, ended by NONE. */
typedef struct Live { Block *block; uint32_t first; } Live;
enum { NONE = UINT32_MAX };

static void expire(Live *l, uint32_t now)
{
	for (uint32_t *p = &l->first; *p != NONE;)
		if (l->block[*p].last < now)
			*p = l->block[*p].next;
		else
			p = &l->block[*p].next;
}

/* The lowest gap that is large enough. */
static void place(Live *l, uint32_t i)
{
	int64_t at = 0;
	uint32_t *p = &l->first;
	for (; *p != NONE; p = &l->block[*p].next) {
		const Block *b = &l->block[*p];
		if (b->at - at >= l->block[i].bytes)
			break;
		at = b->at + b->bytes;
	}
	l->block[i].at = at;
	l->block[i].next = *p;
	*p = i;
}

static bool bytes_of(const Buffer *b, const int64_t *dims, int64_t *bytes)
{
	int64_t n = dims[b->elements];
	if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_bytes((Dtype)b->dtype), bytes) || *bytes > INT64_MAX/4)
		return false;
	*bytes = (*bytes + ALIGN - 1)/ALIGN*ALIGN;
	return true;
}

/* Each buffer, in the order of birth (p->birth), takes the lowest gap between those that live at the same time. */
int64_t plan_layout(const Plan *p, const int64_t *dims, int64_t *offset)
{
	const Allocator *a = arena_allocator(p->arena);
	size_t size = (p->nbuffer + 1) * sizeof(Block);
	Live l = { .block = a->alloc(a->user, size, _Alignof(Block)), .first = NONE };
	int64_t total = l.block ? 0 : PLAN_NO_MEMORY;
	for (uint32_t k = 0; k < p->nbuffer && total >= 0; k++) {
		uint32_t i = p->birth[k];
		const Buffer *b = &p->buffer[i];
		offset[i] = -1;
		if (b->space != SPACE_WORK || b->first == UINT32_MAX)
			continue;
		if (!bytes_of(b, dims, &l.block[i].bytes)) {
			total = PLAN_TOO_LARGE;
			break;
		}
		l.block[i].last = b->last;
		expire(&l, b->first);
		place(&l, i);
		offset[i] = l.block[i].at;
		int64_t end = l.block[i].at + l.block[i].bytes;
		total = end < 0 || end > INT64_MAX/2 ? PLAN_TOO_LARGE : end > total ? end : total;
	}
	if (l.block)
		a->free(a->user, l.block, size, _Alignof(Block));
	return total;
}

static int by_birth(const void *x, const void *y, void *user)
{
	const Buffer *b = user;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	return b[i].first != b[j].first ? (b[i].first < b[j].first ? -1 : 1) : i < j ? -1 : i > j;
}

/* The order of birth: by first use, then by number. */
void plan_order(Plan *p)
{
	p->birth = NEW_ARRAY(p->arena, uint32_t, p->nbuffer);
	for (uint32_t i = 0; i < p->nbuffer; i++)
		p->birth[i] = i;
	qsort_r(p->birth, p->nbuffer, sizeof *p->birth, by_birth, p->buffer);
}
