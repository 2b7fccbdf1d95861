/* forest.h - the forest of a stage: all subpatterns of its left sides, each once, by number; nobody else
 * includes it but the automaton over it.
 *
 * Once made it only is read: graphs that go on from one graph share its forests.
 */
#ifndef POR_FOREST_H
#define POR_FOREST_H

#include "rules.h"

typedef struct Subpattern {
	uint32_t id;
	PatternKind kind;
	Op op, tied;
	const char *name;
	double value;
	uint32_t n, *child;
	bool is_bool;
	bool constant; /* a variable that is a constant */
} Subpattern;
typedef struct SubList {
	uint32_t n, cap, *at;
} SubList;

struct Forest {
	const uint32_t *rules; /* in the order in which they are tried */
	uint32_t nrules, words; /* of a set of subpatterns: words of 64 */
	uint32_t nown; /* those of algebra come behind so many of the stage itself */
	const Subpattern **sub; /* from 1; 0 is what matches anything */
	uint32_t nsub, sub_cap;
	/* Of a whole left side, the place of its first rule in `rules`; of a place, that of the next rule;
	 * each plus 1. */
	uint32_t *first, *next;
	SubList of_op[OP_COUNT];      /* subpatterns by the operator of their root */
	SubList literals, constants, minus; /* minus: -x, which also matches products and constants */
	uint64_t *asked[OP_COUNT]; /* what the subpatterns of an operator ask of operands */
};

static inline bool set_has(const uint64_t *word, uint32_t i)
{
	return !i || word[i >> 6] >> (i & 63) & 1;
}

/* The first member from i on; the number of words times 64: there is none. */
static inline uint32_t set_next(const uint64_t *word, uint32_t words, uint32_t i)
{
	for (uint32_t k = i >> 6; k < words; i = ++k << 6) {
		uint64_t left = word[k] >> (i & 63);
		if (left) return i + (uint32_t)__builtin_ctzll(left);
	}
	return words << 6;
}

static inline void set_put(uint64_t *word, uint32_t i)
{
	word[i >> 6] |= 1ull << (i & 63);
}

#endif
