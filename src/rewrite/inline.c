/* inline.c - calls replaced by the bodies they call.
 *
 * needs: a closed function; gives: the same function in which no call is left,
 * neither of an `op` (its meaning stands there) nor of a function, in its
 * loops too; but those of functions that stay, in which none is left either.
 * Of those only checkpoints are left when they have been lowered.
 */
#include "rewrite.h"

static bool is_call(const Node *x)
{
	return x->op == OP_CALL && !call_is_kept(x);
}

static bool is_kept_till_now(const Node *x)
{
	return call_is_kept(x) && !is_checkpoint(x);
}

static Node *inlined(Graph *g, Arena *a, Node *x)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Opened o = body_open(g, a, x, b);
	if (g->error.code) return NULL;
	for (uint32_t i = 0; i < o.nresult && call_is_kept(x); i++)
		idmap_put(&g->given, o.result[i]->id, o.result[i]);
	return o.nresult == 1 ? o.result[0] : tuple(g, o.nresult, o.result);
}

/* Layer by layer: what stands for a call may hold others. */
static Function *inlined_calls(Graph *g, Function *f, bool (*is)(const Node *))
{
	const NodeKind calls = {1u << CONTROL, is};
	while (f && body_any(g, f, calls)) f = function_replace(g, f, calls, inlined);
	return f;
}

Function *inline_calls(Graph *g, Function *f)
{
	return inlined_calls(g, f, is_call);
}

Function *inline_kept(Graph *g, Function *f)
{
	return inlined_calls(g, f, is_kept_till_now);
}
