/* total.c - which nodes cannot fail, whatever values they meet.
 *
 * What can fail may not run where the user's loop would not have reached it: only what is proved here leaves
 * the body of a loop that may have no pass.
 */
#include "ir.h"

typedef struct Question {
	Graph *g;
	bool total;
} Question;

static void ask(void *user, const Size *a, const Size *b, bool equal)
{
	Question *q = user;
	q->total = q->total && size_holds(q->g, a, b, equal);
}

static void ask_shape(Question *q, const Type *t)
{
	for (uint32_t i = 0; t->kind == TYPE_ARRAY && i < t->n && q->total; i++) {
		ask(q, size_const(q->g, 0), DIM(t, i), false);
		q->total = q->total && size_is_defined(q->g, DIM(t, i));
	}
	for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->n; i++) ask_shape(q, t->u.elem[i]);
}

static bool function_is_total(Graph *g, Function *f)
{
	if (!f->total) {
		Region *r = function_region(g, f);
		f->total = 1;
		for (uint32_t i = 0; i < r->n && f->total == 1; i++)
			f->total = node_is_total(g, r->node[i], NULL) ? 1 : 2;
	}
	return f->total == 1;
}

/* Can nothing fail that x holds, where its operands, their sizes and its index are known?  Asked once of each
 * node: bodies within bodies are opened again else, at every level. */
static bool opened_is_total(Graph *g, const Node *x, const Body *b, uint32_t n)
{
	for (const Graph *at = g; at; at = at->under) {
		uintptr_t known = (uintptr_t)idmap_get(&at->total, x->id);
		if (known) return known == 1;
	}
	Arena *a = arena_child(g->arena);
	bool total = true;
	g->bodies++;
	for (uint32_t k = 0; k < n && total; k++) {
		Opened o = x->op == OP_SCAN ? scan_open(g, a, x) : body_open(g, a, x, &b[k]);
		IdMap known;
		idmap_open(&known, a);
		for (uint32_t i = 0; i < x->narg; i++) idmap_put(&known, x->arg[i]->id, x->arg[i]);
		total = !g->error.code;
		Region *r = total ? region_above(a, o.nresult, o.result, &known) : NULL;
		for (uint32_t i = 0; total && i < r->n; i++) total = node_is_total(g, r->node[i], NULL);
	}
	g->bodies--;
	arena_free(a);
	idmap_put(&g->total, x->id, (void *)(uintptr_t)(total ? 1 : 2));
	return total;
}

static bool loop_is_total(Graph *g, const Node *x, const Size *none)
{
	const Size *steps = size_of_node(g, x->arg[0]);
	Question entry = {g, true};
	Body b[BODIES_MAX];
	node_bodies(x, b);
	if (scan_is_while(x) || !size_holds(g, size_const(g, 0), steps, false)) return false;
	if (none && size_holds(g, steps, none, false)) return true;
	entry_requirements(g, x, b, ask, &entry);
	return entry.total && (function_is_total(g, b->f) || opened_is_total(g, x, b, 1));
}

bool side_is_total(Graph *g, const Node *x, uint32_t side)
{
	Body b[BODIES_MAX];
	Question entry = {g, true};
	node_bodies(x, b);
	entry_requirements(g, x, &b[side], ask, &entry);
	return entry.total && function_is_total(g, b[side].f);
}

static bool bodies_are_total(Graph *g, const Node *x)
{
	Body b[BODIES_MAX];
	Question entry = {g, true};
	uint32_t n = node_bodies(x, b);
	bool known = true;
	for (uint32_t i = 0; i < n; i++) {
		if (x->op == OP_IF) entry_requirements(g, x, &b[i], ask, &entry);
		if (!entry.total) return false;
		known = known && function_is_total(g, b[i].f);
	}
	return known || (x->op == OP_IF && opened_is_total(g, x, b, n));
}

static bool operator_is_total(Graph *g, const Node *x, const Size *none)
{
	unsigned flags = op_info[x->op].flags;
	if (flags & CHECKED) return index_holds(g, x->arg[1], node_dim(x->arg[0], (uint32_t)attr_int(x, 0)));
	if (x->op == OP_SCAN) return loop_is_total(g, x, none);
	if (x->op == OP_SIZE) return size_is_defined(g, x->attr->v[0].u.size);
	return !(flags & FAILS) && bodies_are_total(g, x);
}

bool node_is_total(Graph *g, const Node *x, const Size *none)
{
	Question q = {g, true};
	if (x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM) return true;
	if (!operator_is_total(g, x, none)) return false;
	ask_shape(&q, x->type);
	if (q.total) node_requirements(g, x, ask, &q);
	return q.total;
}

bool is_total_down_to(Graph *g, Node *x, Standing (*of)(void *user, const Node *), void *user)
{
	Arena *a = arena_child(g->arena);
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	bool total = true;
	IdMap seen;
	idmap_open(&seen, a);
	GROW(a, stack, depth, cap);
	stack[depth++] = x;
	while (depth && total) {
		Node *y = stack[--depth];
		if (idmap_get(&seen, y->id)) continue;
		idmap_put(&seen, y->id, y);
		Standing at = of(user, y);
		if (at == STANDS_THERE) continue;
		total = !is_effect(y) && (at == STANDS_SAFE || node_is_total(g, y, NULL));
		for (uint32_t k = 0; k < y->narg; k++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = y->arg[k];
		}
	}
	arena_free(a);
	return total;
}
