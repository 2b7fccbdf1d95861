/* near.h - where a node is found: near the newest of its operands; only who interns nodes includes it.
 *
 * What was made lately is asked for, and so is what is made of it: a table in which a node stands by chance
 * would be waited for at each look.  A line has room for the users of a few operands that were made one after
 * the other.  Users for which it has none, of what everything hangs on, stand in the graph's table of nodes,
 * and so do leaves.
 */
#ifndef POR_NEAR_H
#define POR_NEAR_H

#include "ir.h"

enum { NEAR_BITS = 3, NEAR = 2 << NEAR_BITS };
typedef struct NearLine {
	uint16_t tag[NEAR];          /* of the hash, 0: it is empty */
	Node *node[NEAR];
} NearLine;

static inline NearLine *near_line(const Graph *g, uint32_t newest)
{
	return idmap_get(&g->near, newest >> NEAR_BITS);
}

static inline uint16_t near_tag(uint32_t hash)
{
	return (uint16_t)(hash >> 16 | 1);
}

/* Its place, that of the first room for it, or NEAR: it is not in the line, which is full. */
static inline uint32_t near_place(const NearLine *l, uint32_t hash, const void *key, table_same same)
{
	const uint16_t tag = near_tag(hash);
	for (uint32_t k = 0, i = hash % NEAR; k < NEAR; k++, i = (i + 1) % NEAR)
		if (!l->tag[i] || (l->tag[i] == tag && same(l->node[i], key))) return i;
	return NEAR;
}

/* newest: the id of the newest operand; NULL: it is not there yet */
static inline Node *near_find(
	const Graph *g, uint32_t newest, uint32_t hash, const void *key, table_same same)
{
	Node *x = NULL;
	for (; g && !x; g = g->under) {
		const NearLine *l = near_line(g, newest);
		uint32_t i = l ? near_place(l, hash, key, same) : 0;
		if (!l) continue;
		x = i < NEAR ? l->node[i] : table_find(&g->nodes, hash, key, same);
	}
	return x;
}

static inline void near_add(Graph *g, uint32_t newest, uint32_t hash, Node *x)
{
	void **line = idmap_slot(&g->near, newest >> NEAR_BITS);
	if (!*line) *line = NEW(g->arena, NearLine);
	NearLine *l = *line;
	for (uint32_t k = 0, i = hash % NEAR; k < NEAR; k++, i = (i + 1) % NEAR) {
		if (l->tag[i]) continue;
		l->tag[i] = near_tag(hash);
		l->node[i] = x;
		return;
	}
	table_add(&g->nodes, hash, x);
}

#endif
