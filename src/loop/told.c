/* told.c - what the message of an index outside calls indices and array, where a step has one of each. */
#include "make.h"

typedef struct Asking {
	PlanMaker *m;
	const Within *at;
	IdMap seen;
	Node **stack;
	uint32_t depth, cap;
	const Node *asks; /* the one that may be outside; NULL: none yet */
} Asking;

static void look_at(Asking *q, Node *x)
{
	if (idmap_get(&q->seen, x->id)) return;
	idmap_put(&q->seen, x->id, x);
	GROW(q->m->scratch, q->stack, q->depth, q->cap);
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

const char *indices_told(PlanMaker *m, uint32_t n, Node *const *root)
{
	Asking q = {.m = m};
	if (!m->scope || !m->scope->groups) return NULL;
	idmap_open(&q.seen, m->scratch);
	for (uint32_t i = 0; i < n; i++) look_at(&q, root[i]);
	while (q.depth) {
		const Node *x = q.stack[--q.depth];
		if (may_be_outside(m, x)) {
			if (q.asks && !asks_alike(q.asks, x)) return NULL;
			q.asks = x;
		}
		for (uint32_t k = 0; k < x->narg; k++)
			if (!is_stored(m, x->arg[k])) look_at(&q, x->arg[k]);
	}
	if (!q.asks) return NULL;
	Text t;
	text_open(&t, m->scratch);
	indices_print(&t, scope_names(m, m->scope), q.asks);
	return plan_text(m, text_done(&t));
}
