/* factored.c - a rule at a sum without what all its terms have: 4*cosh(x) - 4 is four times what comes of
 * cosh(x) - 1.
 *
 * Needs: a sum over normal operands, at which no rule matches.  Gives: an equal node, or NULL.
 */
#include "drive.h"

/* What the automaton makes of it, over operands that have theirs. */
void set_state(Driver *d, Node *x)
{
	const StateRow *small[8], **args = small;
	uint32_t n = own_args(x);
	bool asks = false;
	void **slot = idmap_slot(&d->state, x->id);
	if (*slot) return;
	if (n > countof(small)) args = NEW_ARRAY(d->scratch, const StateRow *, n);
	for (uint32_t i = 0; i < x->narg; i++) {
		uintptr_t state = (uintptr_t)idmap_get(&d->state, x->arg[i]->id);
		asks = asks || !state || state & ASKS;
		if (i < n) args[i] = (const StateRow *)(state & ~(uintptr_t)ASKS);
	}
	asks = asks || node_asks(d, x);
	const StateRow *row = n ? automaton_step(d->automaton, x, args) : automaton_leaf(d->automaton, x);
	*slot = (void *)((uintptr_t)row | (asks ? ASKS : 0));
}

/* States of nodes that were just made, over others that have theirs. */
static void set_states(Driver *d, Node *x)
{
	if (state_at(d, x)) return;
	for (uint32_t i = 0; i < x->narg; i++) set_states(d, x->arg[i]);
	set_state(d, x);
}

/* by*y, and y/3 where `by` is a third. */
static Node *times(Graph *g, Node *by, Node *y)
{
	double c = 1;
	bool number = by->op == OP_CONST && constant_value(by, &c);
	double below = round(1 / c);
	bool quotient = number && fabs(c) < 1 && 1 / below == c;
	return quotient ? build2(g, OP_DIV, y, constant_float(g, by->type, below)) : build2(g, OP_MUL, by, y);
}

Node *by_factor(Driver *d, Node *x, bool *broken)
{
	Graph *g = d->g;
	Node *by = NULL;
	Trial t;
	bool sum = (x->op == OP_ADD || x->op == OP_SUB) && x->type->kind == TYPE_ARRAY;
	if (!sum || !d->algebra || !dtype_is_float(node_dtype(x)) || !is_wide(node_dtype(x))) return NULL;
	if (!(d->laws & 1u << LAW_REAL)) return NULL;
	trial_begin(g, &t);
	Node *one = sum_without_factor(g, x, d->facts, &by);
	trial_end(g, &t);
	if (!one || !by) return NULL;
	set_states(d, one);
	Node *y = by_book(d, one, broken);
	if (!y || *broken) return y;
	y = y->op == OP_NEG ? build1(g, OP_NEG, times(g, by, y->arg[0])) : times(g, by, y);
	if (y && d->o->log_arena) { /* of the rule all is told that it changed */
		d->o->log[d->o->nlog - 1].before = x;
		d->o->log[d->o->nlog - 1].after = y;
	}
	return y;
}
