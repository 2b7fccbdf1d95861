/* inline.c - calls replaced by the bodies they call.
 *
 * needs: a closed function; gives: the same function in which no call is left,
 * neither of an `op` (its meaning stands there) nor of a function, in its
 * loops too.
 */
#include "rewrite.h"

static bool holds_call(Graph *g, Function *f)
{
	Region *r = function_region(g, f);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_CALL ||
			(r->node[i]->op == OP_SCAN && holds_call(g, scan_body(r->node[i]))))
			return true;
	return false;
}

static Node *inlined(Graph *g, Arena *a, Node *x)
{
	Function *f = call_function(x);
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	function_inline(g, f, given_sizes(a, x), x->arg, result);
	if (g->error.code) return NULL;
	if (f->nresult == 1) return result[0];
	return tuple(g, f->nresult, result);
}

/* One layer of calls. */
static Function *inline_once(Graph *g, Function *f)
{
	Arena *a = arena_child(g->arena);
	Region *r = function_region(g, f);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		if (x->op != OP_CALL && !(x->op == OP_SCAN && holds_call(g, scan_body(x)))) continue;
		rebuild(g, 1, &x, &map, NULL, NULL, &y); /* over operands that are done */
		if (y)
			y = y->op == OP_CALL ? inlined(g, a, y)
					     : scan_with_body(g, y, inline_calls(g, scan_body(y)));
		if (y) idmap_put(&map, x->id, y);
	}
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	rebuild(g, f->nresult, f->result, &map, NULL, NULL, result);
	f = g->error.code ? NULL : function_over(g, f, f->nresult, result);
	arena_free(a);
	return f;
}

Function *inline_calls(Graph *g, Function *f)
{
	while (f && holds_call(g, f)) f = inline_once(g, f);
	return f;
}
