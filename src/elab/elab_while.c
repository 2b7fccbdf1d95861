/* elab_while.c - scan (...) while c => e: what ends the loop, and what it gives.
 *
 * A loop that stacks values, or is cut into pieces, first counts its passes, and is then a loop of so many.
 * One whose condition is that a number that each pass counts up is below another is such a loop from the
 * start.  One whose condition is the first value that it carries, as it is printed, is what it says.
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

bool has_effects(const ScanForm *l)
{
	return l->token != l->token_leaf || (l->condition && l->asked != l->token_leaf);
}

bool elaborate_condition(ScanForm *l, Env body)
{
	Elab *e = l->e;
	if (!l->condition) return true;
	Node *before = e->token;
	e->g->bodies++;
	e->token = l->token_leaf;
	e->around = &(LoopAround){l->index, e->around};
	l->test = elab_array(e, body, l->condition);
	l->asked = e->token;
	e->around = e->around->outer;
	e->token = before;
	e->g->bodies--;
	if (!l->test) return false;
	if (node_is_scalar(l->test) && node_dtype(l->test) == DT_BOOL) return true;
	return fail_at_syntax(e, l->condition, ERR_TYPE, "scan: while %s: %s where one bool is wanted",
		shown(e, l->condition), type_shown(e->g, l->test->type));
}

/* ---- conditions that count ----------------------------------------------------------------------- */

static bool is_whole(const Node *x)
{
	return node_dtype(x) == DT_I64 || node_dtype(x) == DT_WEAK_INT;
}

/* Without what makes a whole number an i64. */
static const Node *bare(const Node *x)
{
	while (x->op == OP_CAST && is_whole(x) && is_whole(x->arg[0])) x = x->arg[0];
	return x;
}

/* Which carried value this is, where each pass adds 1 to it; 0: none. */
static uint32_t counter(const LoopParts *p, const Node *x)
{
	for (uint32_t i = 1; i <= p->ncarry; i++) {
		const Node *next = bare(p->result[i - 1]);
		int64_t one;
		if (p->param[i] != x || !is_whole(x) || next->op != OP_ADD) continue;
		uint32_t other = bare(next->arg[0]) == x;
		bool own = bare(next->arg[!other]) == x;
		if (own && constant_integer(next->arg[other], &one) && one == 1) return i;
	}
	return 0;
}

/* Is it known before a call computes anything? */
static bool is_given(const LoopParts *p, const Node *x)
{
	for (uint32_t i = 0; i < p->nparam; i++)
		if (p->param[i] == x) return false;
	return x->op == OP_CONST || x->op == OP_SIZE || x->op == OP_INPUT || x->op == OP_FRESH;
}

/* The passes of a loop while k < n, of which k is counted up from c: n - c, or none.  Not of numbers that
 * are computed, nor within another loop, where they would be a size that is not known until then; NULL: the
 * condition is none of these. */
static const Size *counted_passes(ScanForm *l, const LoopParts *p)
{
	Graph *g = l->e->g;
	Node *test = l->test;
	bool alone = !l->e->around && !l->bounded && !p->nseq && !has_effects(l);
	if (!alone || test->op != OP_LT) return NULL;
	uint32_t k = counter(p, bare(test->arg[0]));
	if (!k || !is_given(p, bare(test->arg[1])) || !is_given(p, bare(p->first[k - 1]))) return NULL;
	const Size *c = size_of_node(g, p->first[k - 1]);
	const Size *n = size_of_node(g, cast(g, test->arg[1], DT_I64));
	return n && c ? size_max(g, size_const(g, 0), size_sub(g, n, c)) : NULL;
}

Node *while_node(ScanForm *l, const LoopParts *p, uint32_t *first)
{
	Graph *g = l->e->g;
	const Size *passes = counted_passes(l, p);
	if (g->error.code) return NULL;
	if (passes) {
		*first = 0;
		l->length = passes;
		l->steps = size_node(g, passes);
		return loop_node(l, p);
	}
	bool in_passes = l->ntrace || is_in_pieces(l);
	bool asks = l->asked != l->token_leaf;
	if (l->test == p->param[1] && !in_passes && !asks) {
		*first = 0;
		return while_of_flag(g, p, l->bounded ? l->steps : NULL);
	}
	const LoopTest c = {l->test, asks ? l->asked : NULL, p->ncarry - 1};
	Node *t = while_loop(g, p, l->bounded ? l->steps : NULL, &c);
	LoopParts counted;
	*first = 2;
	if (!t || !in_passes) return t;
	*first = 0;
	if (has_effects(l)) l->effects = get(g, t, 1 + p->ncarry);
	if (!loop_of_passes(g, p, t, &counted, &l->steps)) return NULL;
	l->length = size_of_node(g, l->steps);
	return loop_node(l, &counted);
}
