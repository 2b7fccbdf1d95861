/* ways.c - which rules a search follows, and in which direction. */
#include "egraph.h"

typedef struct Ways {
	Arena *arena;
	SearchWay *v;
	uint32_t n, cap;
} Ways;

static void add(Ways *w, const Rule *r, const Rule *side)
{
	if (!side) return;
	GROW(w->arena, w->v, w->n, w->cap);
	w->v[w->n++] = (SearchWay){.rule = r, .side = side};
}

static void add_rules(Ways *w, Graph *g, const uint32_t *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const Rule *r = rule_at(g, list[i]);
		if (r->head || r->written || r->call || r->law == LAW_APPROX || rule_use(g, r)->off) continue;
		add(w, r, r);
		if (r->equation) add(w, r, r->back);
	}
}

uint32_t ways_of(Graph *g, Arena *a, const char *const *stage, SearchWay **way)
{
	Ways w = {.arena = a};
	uint32_t n;
	for (; *stage; stage++) {
		const uint32_t *list = stage_rules(g, *stage, &n);
		add_rules(&w, g, list, n);
	}
	if (w.n) {
		const uint32_t *list = equations_of(g, &n);
		add_rules(&w, g, list, n);
	}
	*way = w.v;
	return w.n;
}
