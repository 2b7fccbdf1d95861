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
	for (uint32_t i = 0; t->kind == TYPE_ARRAY && i < t->n; i++)
		ask(q, size_const(q->g, 0), DIM(t, i), false);
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

static bool loop_is_total(Graph *g, const Node *x, const Size *none)
{
	const Size *steps = size_of_node(g, x->arg[0]);
	Question entry = {g, true};
	Body b[BODIES_MAX];
	node_bodies(x, b);
	if (scan_is_while(x) || !size_holds(g, size_const(g, 0), steps, false)) return false;
	if (none && size_holds(g, steps, none, false)) return true;
	entry_requirements(g, x, b, ask, &entry);
	return entry.total && function_is_total(g, b->f);
}

static bool bodies_are_total(Graph *g, const Node *x)
{
	Body b[BODIES_MAX];
	Question entry = {g, true};
	uint32_t n = node_bodies(x, b);
	for (uint32_t i = 0; i < n; i++) {
		if (x->op == OP_IF) entry_requirements(g, x, &b[i], ask, &entry);
		if (!entry.total || !function_is_total(g, b[i].f)) return false;
	}
	return true;
}

static bool operator_is_total(Graph *g, const Node *x, const Size *none)
{
	unsigned flags = op_info[x->op].flags;
	if (flags & CHECKED) return index_holds(g, x->arg[1], node_dim(x->arg[0], (uint32_t)attr_int(x, 0)));
	if (x->op == OP_SCAN) return loop_is_total(g, x, none);
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
