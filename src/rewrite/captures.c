/* captures.c - a loop whose captured operands have become equal takes each of them once.
 *
 * Rewriting makes equal what was written differently: inside the body these are still parameters of their own,
 * and no rule sees that they are one.
 */
#include "rules.h"

static bool twice(const Node *x)
{
	uint32_t first = 1 + scan_carries(x) + scan_sequences(x), n = node_operands(x);
	for (uint32_t i = first; i < n; i++)
		for (uint32_t k = first; k < i; k++)
			if (x->arg[i] == x->arg[k]) return true;
	return false;
}

Node *distinct_captures(Graph *g, Arena *scratch, Node *x)
{
	if (!twice(x)) return x;
	const Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Opened o = scan_open(g, scratch, x);
	Closure c;
	if (g->error.code ||
		!function_close(g, f->name, f->flags, f->op, f->opattr, 1 + carries + sequences, o.param,
			o.nresult, o.result, &c))
		return NULL;
	return scan(g, &c, x->arg[0], carries, x->arg + 1, sequences, x->arg + 1 + carries, scan_is_back(x));
}
