/* whiles.c - a loop that a condition ends, as a loop of so many passes.
 *
 * How many they are is a result of the loop, which has no derivative; what is differentiated is a loop of as
 * many passes, whose states a reverse sweep keeps as those of any other.
 */
#include "linear.h"

/* Which carried value counts the passes: its next one is the index and 1; 0: none does. */
static uint32_t counter(const Node *x, const Opened *o)
{
	int64_t first, one;
	for (uint32_t i = 1; i < scan_carries(x); i++) {
		const Node *next = o->result[i];
		if (next->op != OP_ADD || !constant_integer(x->arg[1 + i], &first) || first) continue;
		for (uint32_t k = 0; k < 2; k++)
			if (next->arg[k] == o->param[0] && constant_integer(next->arg[!k], &one) && one == 1)
				return i;
	}
	return 0;
}

/* The same loop that carries the number of its passes besides, last. */
static Node *with_counter(Graph *g, Arena *a, Node *x, const Opened *o)
{
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), bound = 1 + carries + sequences;
	const Type *number = type_scalar(g, DT_I64);
	Node **param = NEW_ARRAY(a, Node *, bound + 1), **result = NEW_ARRAY(a, Node *, carries + 1),
	     **first = NEW_ARRAY(a, Node *, carries + 1);
	memcpy(param, o->param, (1 + carries) * sizeof *param);
	param[1 + carries] = fresh(g, number, NULL);
	memcpy(param + 2 + carries, o->param + 1 + carries, sequences * sizeof *param);
	memcpy(result, o->result, carries * sizeof *result);
	result[carries] = build2(g, OP_ADD, o->param[0], constant_int(g, number, 1));
	memcpy(first, x->arg + 1, carries * sizeof *first);
	first[carries] = constant_int(g, number, 0);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){bound + 1, param}, (Nodes){carries + 1, result},
		    (Around){NULL, captured(x)}, &c))
		return NULL;
	return scan(g, &c, x->arg[0], (Nodes){carries + 1, first}, (Nodes){sequences, x->arg + 1 + carries},
		scan_way(x));
}

Node *counted(Graph *g, Arena *a, Node *x)
{
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Opened o = scan_open(g, a, x);
	if (g->error.code) return NULL;
	uint32_t at = counter(x, &o);
	Node *counting = at ? x : with_counter(g, a, x, &o), *n = get(g, counting, at ? at : carries);
	Node **param = NEW_ARRAY(a, Node *, o.nparam), **seq = NEW_ARRAY(a, Node *, sequences);
	if (!n) return NULL;
	param[0] = o.param[0];
	memcpy(param + 1, o.param + 2, (carries - 1 + sequences) * sizeof *param);
	for (uint32_t i = 0; i < sequences; i++)
		if (!(seq[i] = rows(g, x->arg[1 + carries + i], size_const(g, 0), size_of_node(g, n))))
			return NULL;
	/* within it holds */
	IdMap holds;
	idmap_open(&holds, a);
	idmap_put(&holds, o.param[1]->id, constant_int(g, o.param[1]->type, 1));
	Node **result = NEW_ARRAY(a, Node *, carries);
	rebuild(g, (Nodes){carries - 1, o.result + 1}, &holds, NULL, NULL, result);
	Closure c;
	if (g->error.code ||
		!body_close(g, scan_body(x)->name, (Nodes){carries + sequences, param},
			(Nodes){carries - 1, result}, (Around){n, captured(x)}, &c))
		return NULL;
	return scan(g, &c, n, (Nodes){carries - 1, x->arg + 2}, (Nodes){sequences, seq}, 0);
}
