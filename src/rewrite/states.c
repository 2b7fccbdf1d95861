/* states.c - what the automaton makes of a node, from which the rules are told that may match there.
 *
 * Needs: operands that have their states.  Gives: the node's own, with ASKS beside it.
 */
#include "drive.h"

/* What the automaton makes of it, over operands that have theirs. */
void set_state(Driver *d, Node *x)
{
	const StateRow *small[8], **args = small;
	uint32_t n = own_args(x);
	bool asks = false;
	SweepNode *side = side_for(d, x);
	if (side->state) return;
	if (n > countof(small)) args = NEW_ARRAY(d->scratch, const StateRow *, n);
	for (uint32_t i = 0; i < x->narg; i++) {
		uintptr_t state = side_of(d, x->arg[i])->state;
		asks = asks || !state || state & ASKS;
		if (i < n) args[i] = (const StateRow *)(state & ~(uintptr_t)ASKS);
	}
	asks = asks || node_asks(d, x);
	const StateRow *row = n ? automaton_step(d->automaton, x, args) : automaton_leaf(d->automaton, x);
	side->state = (uintptr_t)row | (asks ? ASKS : 0);
}

/* States of nodes that were just made, over others that have theirs. */
void set_states(Driver *d, Node *x)
{
	if (state_at(d, x)) return;
	for (uint32_t i = 0; i < x->narg; i++) set_states(d, x->arg[i]);
	set_state(d, x);
}
