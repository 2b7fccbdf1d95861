/* elab_while.c - scan (...) while c => e: what ends the loop, and what it gives.
 *
 * A loop that stacks values, or is cut into pieces, first counts its passes, and is then a loop of so many.
 */
#include "elab_scan.h"

bool read_condition(ScanForm *l)
{
	Graph *g = l->e->g;
	l->condition = l->at->part[2];
	l->bounded = l->length || l->steps;
	if (l->back)
		return fail_at_syntax(l->e, l->condition, ERR_UNSUPPORTED,
			"scan[back] ... while: a loop from the end has all its steps; walk along x[::-1]");
	if (!l->ncarry)
		return fail_at_syntax(
			l->e, l->condition, ERR_TYPE, "scan: nothing is carried that could end it");
	if (!l->bounded) l->length = size_const(g, LARGEST);
	if (!l->steps) l->steps = size_node(g, l->length);
	return l->steps != NULL;
}

bool elaborate_condition(ScanForm *l, Env body)
{
	Elab *e = l->e;
	if (!l->condition) return true;
	const char *pure = pure_begin(e, "the condition of a loop");
	e->g->bodies++;
	l->test = elab_array(e, body, l->condition);
	e->g->bodies--;
	e->pure = pure;
	if (!l->test) return false;
	if (node_is_scalar(l->test) && node_dtype(l->test) == DT_BOOL) return true;
	return fail_at_syntax(e, l->condition, ERR_TYPE, "scan: while %s: %s where one bool is wanted",
		shown(e, l->condition), type_shown(e->g, l->test->type));
}

Node *while_node(ScanForm *l, const LoopParts *p, uint32_t *first)
{
	Graph *g = l->e->g;
	Node *t = while_loop(g, p, l->bounded ? l->steps : NULL, l->test);
	LoopParts counted;
	*first = 2;
	if (!t || !(l->ntrace || is_in_pieces(l))) return t;
	*first = 0;
	if (l->token != l->token_leaf) l->effects = get(g, t, 1 + p->ncarry);
	if (!loop_of_passes(g, p, t, &counted, &l->steps)) return NULL;
	l->length = size_of_node(g, l->steps);
	return loop_node(l, &counted);
}
