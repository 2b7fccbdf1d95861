/* elab_shared.c - what sides of several branches ask for, computed once before them where it holds much.
 *
 * A side holds what it alone asks for.  In a chain of branches whose sides ask for earlier ones, other sides
 * hold these too, and so on down: a text of n lines would become 2^n branches within each other.  So what
 * sides of two branches ask for, holds many bodies and cannot fail is captured by both; what holds few stays
 * where it is asked for, and so does what may fail, which no side may do that is not taken.
 */
#include "elaborator.h"

/* The branch in a side of which something was met first. */
typedef struct Holder {
	const Node *condition;
	uint32_t n;
	Node *const *result[2];
} Holder;

static bool same_holder(const Holder *a, const Holder *b)
{
	if (a->condition != b->condition || a->n != b->n) return false;
	for (uint32_t k = 0; k < 2; k++)
		if (a->n && memcmp(a->result[k], b->result[k], a->n * sizeof *a->result[k])) return false;
	return true;
}

/* What the condition is made of is computed whichever side is taken. */
static Standing stands_before(void *of_condition, const Node *x)
{
	return region_place(of_condition, x) != UINT32_MAX ? STANDS_THERE : STANDS_OPEN;
}

static bool may_be_shared(Elab *e, Node *x, Region *of_condition)
{
	Body b[BODIES_MAX];
	return node_bodies(x, b) && bodies_held(e->g, x) >= MANY_BODIES &&
		is_total_down_to(e->g, x, stands_before, of_condition);
}

Nodes shared_before(Elab *e, Node *condition, uint32_t n, Node *const *yes, Node *const *no)
{
	Graph *g = e->g;
	if (!e->shared.holder.arena) idmap_open(&e->shared.holder, g->arena);
	Arena *a = arena_child(g->arena);
	Region *r[2] = {region_of(a, n, yes), region_of(a, n, no)};
	Region *of_condition = region_of(a, 1, &condition);
	Holder *h = NEW(g->arena, Holder);
	*h = (Holder){condition, n, {yes, no}};
	Node **out = NULL;
	uint32_t count = 0, cap = 0;
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < r[k]->n; i++) {
			Node *x = r[k]->node[i];
			if (!node_holds_bodies(x) || region_place(r[!k], x) != UINT32_MAX ||
				region_place(of_condition, x) != UINT32_MAX)
				continue;
			Holder **first = (Holder **)idmap_slot(&e->shared.holder, x->id);
			if (!*first) *first = h;
			if (same_holder(*first, h) || !may_be_shared(e, x, of_condition)) continue;
			GROW(g->arena, out, count, cap);
			out[count++] = x;
		}
	}
	arena_free(a);
	return (Nodes){count, out};
}
