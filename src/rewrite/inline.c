/* inline.c - calls replaced by the bodies they call.
 *
 * needs: a closed function; gives: the same function in which no call is left,
 * neither of an `op` (its meaning stands there) nor of a function, in its
 * loops too; but those of functions that stay, in which none is left either.
 * Of those only checkpoints are left when they have been lowered.
 */
#include "rewrite.h"

typedef bool (*IsCall)(const Node *);

static bool is_call(const Node *x)
{
	return x->op == OP_CALL && !call_is_kept(x);
}

static bool is_kept_till_now(const Node *x)
{
	return call_is_kept(x) && !is_checkpoint(x);
}

/* Is it a call, or does a body of it hold one? */
static bool calls(Graph *g, const Node *x, IsCall is)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	bool found = is(x);
	for (uint32_t i = 0; i < n && !found; i++) found = body_any(g, b[i].f, is);
	return found;
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

static Function *inlined_calls(Graph *g, Function *f, IsCall is);

static Node *with_inlined_bodies(Graph *g, Node *x, IsCall is)
{
	Body b[BODIES_MAX];
	Function *f[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	for (uint32_t i = 0; i < n; i++) f[i] = inlined_calls(g, b[i].f, is);
	return node_with_bodies(g, x, f, NULL);
}

/* One layer of calls. */
static Function *inline_once(Graph *g, Function *f, IsCall is)
{
	Arena *a = arena_child(g->arena);
	Region *r = function_region(g, f);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		if (!calls(g, x, is)) continue;
		rebuild(g, (Nodes){1, &x}, &map, NULL, NULL, &y); /* over operands that are done */
		if (y) y = is(y) ? inlined(g, a, y) : with_inlined_bodies(g, y, is);
		if (y) idmap_put(&map, x->id, y);
	}
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	rebuild(g, (Nodes){f->nresult, f->result}, &map, NULL, NULL, result);
	f = g->error.code ? NULL : function_over(g, f, f->nresult, result);
	arena_free(a);
	return f;
}

static Function *inlined_calls(Graph *g, Function *f, IsCall is)
{
	while (f && body_any(g, f, is)) f = inline_once(g, f, is);
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
