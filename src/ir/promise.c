/* promise.c - what is promised of a leaf of an open graph, until its function is closed and has facts of its
 * own.
 *
 * Needs: ranges that every call of the function is checked for; all of one leaf hold.  Gives: them back, to
 * whoever rewrites what the function computes before it is one, as a derivative does.
 */
#include "ir.h"

void leaf_is_promised(Graph *g, const Node *leaf, const LeafPromise *p)
{
	const LeafPromise *before = promise_of(g, leaf);
	LeafPromise *kept = NEW(g->arena, LeafPromise);
	*kept = before ? *before : *p;
	if (p->low > kept->low || (p->low == kept->low && p->above_low)) {
		kept->low = p->low;
		kept->above_low = p->above_low;
	}
	if (p->high < kept->high || (p->high == kept->high && p->below_high)) {
		kept->high = p->high;
		kept->below_high = p->below_high;
	}
	kept->integer |= p->integer;
	idmap_put(&g->promised, leaf->id, kept);
}

const LeafPromise *promise_of(const Graph *g, const Node *leaf)
{
	const LeafPromise *p = NULL;
	for (; g && !p; g = g->under) p = idmap_get(&g->promised, leaf->id);
	return p;
}
