/* known.h - how the files that intern look for what a graph holds; nobody else includes it. */
#ifndef POR_KNOWN_H
#define POR_KNOWN_H

#include "ir.h"

/* In one of the graph's tables, or in that of what the graph was at a mark; NULL: it is not there yet. */
static inline void *known_in(const Graph *g, size_t table, uint32_t hash, const void *key, table_same same)
{
	void *x = NULL;
	for (; g && !x; g = g->under)
		x = table_find((const Table *)(const void *)((const char *)g + table), hash, key, same);
	return x;
}
#define KNOWN(g, table, ...) known_in((g), offsetof(Graph, table), __VA_ARGS__)

#endif
