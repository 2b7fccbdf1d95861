/* told.c - what the message of an index outside calls indices and array, where a step has one of each. */
#include "make.h"

typedef struct Asking {
	const PlanMaker *m;
	Arena *arena;
	IdMap seen;
	Node **stack;
	uint32_t depth, cap;
} Asking;

static void look_at(Asking *q, Node *x)
{
	if (idmap_get(&q->seen, x->id)) return;
	idmap_put(&q->seen, x->id, x);
	GROW(q->arena, q->stack, q->depth, q->cap);
	q->stack[q->depth++] = x;
}

/* Is it computed by another step? */
static bool is_stored(const PlanMaker *m, const Node *x)
{
	uint32_t place = region_place(m->scope->r, x);
	return op_info[x->op].class == LEAF || (place != UINT32_MAX && m->scope->groups->root[place]);
}

static bool may_be_outside(const PlanMaker *m, const Node *x)
{
	return op_info[x->op].flags & CHECKED &&
		!index_holds(m->g, x->arg[1], node_dim(x->arg[0], (uint32_t)attr_int(x, 0)));
}

static bool asks_alike(const Node *a, const Node *b)
{
	return a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1];
}

static bool scope_has_indices(PlanScope *s)
{
	if (!s->indices) {
		s->indices = INDICES_NONE;
		for (uint32_t i = 0; i < s->r->n; i++)
			if (op_info[s->r->node[i]->op].flags & CHECKED) s->indices = INDICES_SOME;
	}
	return s->indices == INDICES_SOME;
}

/* The one of these roots' that may be outside; NULL: there is none, or are several. */
static const Node *the_one_outside(Asking *q, uint32_t n, Node *const *root)
{
	const Node *one = NULL;
	for (uint32_t i = 0; i < n; i++) look_at(q, root[i]);
	while (q->depth) {
		const Node *x = q->stack[--q->depth];
		if (may_be_outside(q->m, x)) {
			if (one && !asks_alike(one, x)) return NULL;
			one = x;
		}
		for (uint32_t k = 0; k < x->narg; k++)
			if (!is_stored(q->m, x->arg[k])) look_at(q, x->arg[k]);
	}
	return one;
}

const char *indices_told(PlanMaker *m, uint32_t n, Node *const *root)
{
	if (!m->scope || !m->scope->groups || !scope_has_indices(m->scope)) return NULL;
	Asking q = {.m = m, .arena = arena_child(m->scratch)};
	idmap_open(&q.seen, q.arena);
	const Node *one = the_one_outside(&q, n, root);
	arena_free(q.arena);
	if (!one) return NULL;
	Text t;
	text_open(&t, m->scratch);
	indices_print(&t, scope_names(m, m->scope), one);
	return plan_text(m, text_done(&t));
}
