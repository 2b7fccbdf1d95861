/* chunk.h - what arenas are made of; nobody else includes it. */
#ifndef POR_BASE_CHUNK_H
#define POR_BASE_CHUNK_H

#include "base.h"

/* The largest page of the system: a chunk that is as large lies in such.  The smallest chunk that is kept. */
enum { LARGE_PAGE = 2 << 20, KEPT_LEAST = 16 << 10 };

typedef struct Chunk {
	_Alignas(ARENA_ALIGN) struct Chunk *next;
	struct Chunk *before;
	size_t size;   /* as asked from the allocator */
	bool mapped;   /* of the system, in large pages */
	bool is_zero;  /* but for this record */
} Chunk;

/* Does it give chunks that may be kept, and large pages? */
bool chunks_are_kept(const Allocator *);
/* As many bytes as a chunk has of which so many are wanted. */
size_t chunk_size(const Allocator *, size_t wanted);
Chunk *chunk_new(const Allocator *, size_t size); /* of chunk_size(size); NULL: there is no memory */
void chunk_free(const Allocator *, Chunk *);

#endif
