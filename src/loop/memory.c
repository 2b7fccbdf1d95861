/* memory.c - one workspace: buffers whose lifetimes do not meet share memory. */
#include "loop.h"

enum { ALIGN = 64 };

/* In order of birth, each buffer takes the lowest gap between those that live at the same time. */
int64_t plan_layout(const Plan *p, const int64_t *dims, int64_t *offset)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		offset[i] = -1;
		if (b->space != SPACE_WORK || b->first == UINT32_MAX)
			continue;
		int64_t bytes;
		if (dims[b->elements] < 0 || __builtin_mul_overflow(dims[b->elements], (int64_t)dtype_bytes((Dtype)b->dtype), &bytes)
		    || bytes > INT64_MAX/4)
			return -1;
		bytes = (bytes + ALIGN - 1)/ALIGN*ALIGN;
		int64_t at = 0;
		for (bool moved = true; moved;) {
			moved = false;
			for (uint32_t k = 0; k < i; k++) {
				const Buffer *c = &p->buffer[k];
				if (offset[k] < 0 || c->last < b->first || b->last < c->first)
					continue;
				int64_t size = (dims[c->elements]*(int64_t)dtype_bytes((Dtype)c->dtype) + ALIGN - 1)/ALIGN*ALIGN;
				if (at < offset[k] + size && offset[k] < at + bytes) {
					at = offset[k] + size;
					moved = true;
				}
			}
		}
		offset[i] = at;
		if (at > INT64_MAX/2 - bytes)
			return -1;
		total = at + bytes > total ? at + bytes : total;
	}
	return total;
}
