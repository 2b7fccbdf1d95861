/* told.c - what the message of an index outside calls indices and array; of a step that has several, each. */
#include "make.h"

enum { MOST_TOLD = 3 };

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

/* The most that an index is which is made of counts, of sizes and of what is looked at itself, as one of
 * several axes is; none is below 0.  NULL: of something else */
static const Size *most_of(Graph *g, Node *x, uint32_t levels)
{
	while (op_info[x->op].class == VIEW && x->op != OP_PAD && x->op != OP_CONCAT) x = x->arg[0];
	if (x->op == OP_GATHER && x->arg[0]->op == OP_IOTA) x = x->arg[0];
	if (x->op == OP_IOTA) return size_sub(g, node_dim(x, 0), size_const(g, 1));
	if (x->op == OP_ADD || x->op == OP_MUL) {
		const Size *a = levels ? most_of(g, x->arg[0], levels - 1) : NULL;
		const Size *b = a ? most_of(g, x->arg[1], levels - 1) : NULL;
		if (!b) return NULL;
		return x->op == OP_ADD ? size_add(g, a, b) : size_mul(g, a, b);
	}
	int64_t value;
	if (constant_integer(x, &value) && value >= 0) return size_const(g, value);
	const Size *n = node_is_scalar(x) && node_dtype(x) == DT_I64 ? size_of_node(g, x) : NULL;
	return n && size_holds(g, size_const(g, 0), n, false) ? n : NULL;
}

static bool may_be_outside(const PlanMaker *m, const Node *x)
{
	enum { LEVELS = 2 * RANK_MAX };
	if (!(op_info[x->op].flags & CHECKED)) return false;
	const Size *n = node_dim(x->arg[0], (uint32_t)attr_int(x, 0)), *most;
	if (index_holds(m->g, x->arg[1], n)) return false;
	most = x->op == OP_GATHER ? most_of(m->g, x->arg[1], LEVELS) : NULL;
	return !most || !size_holds(m->g, size_add(m->g, most, size_const(m->g, 1)), n, false);
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

/* Those of these roots' that may be outside, each once; how many, MOST_TOLD + 1 for more. */
static uint32_t all_outside(Asking *q, uint32_t n, Node *const *root, const Node **out)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++) look_at(q, root[i]);
	while (q->depth) {
		const Node *x = q->stack[--q->depth];
		if (may_be_outside(q->m, x)) {
			uint32_t i = 0;
			while (i < count && !asks_alike(out[i], x)) i++;
			if (i == MOST_TOLD) return MOST_TOLD + 1;
			if (i == count) out[count++] = x;
		}
		for (uint32_t k = 0; k < x->narg; k++)
			if (!is_stored(q->m, x->arg[k])) look_at(q, x->arg[k]);
	}
	return count;
}

const char *indices_told(PlanMaker *m, uint32_t n, Node *const *root)
{
	if (!m->scope || !m->scope->groups || !scope_has_indices(m->scope)) return NULL;
	Asking q = {.m = m, .arena = arena_child(m->scratch)};
	idmap_open(&q.seen, q.arena);
	const Node *one[MOST_TOLD];
	uint32_t count = all_outside(&q, n, root, one);
	arena_free(q.arena);
	if (!count || count > MOST_TOLD) return NULL;
	Text t;
	text_open(&t, m->scratch);
	for (uint32_t i = count; i-- > 0;) { /* the last operand was met first */
		Text own;
		text_open(&own, m->scratch);
		indices_print(&own, scope_names(m, m->scope), one[i]);
		const char *told = text_done(&own);
		if (count > 1 && !*told) return NULL; /* one without names may be the one */
		text_add(&t, i + 1 < count ? "; or" : "");
		text_add(&t, told + (i + 1 < count));
	}
	return plan_text(m, text_done(&t));
}
