/* plain.c - what a stage does to a node without a pattern: constants, casts, like terms, views, moves, the
 * order of operands.
 *
 * Needs: a node over normal operands.  Gives: an equal node, or NULL.
 */
#include "drive.h"

/* A map of views is a view of the map. */
static Node *lift_view(Graph *g, Node *x)
{
	bool viewed = false;
	for (uint32_t i = 0; i < x->narg; i++) viewed |= is_seen_through((Op)x->arg[i]->op);
	Node *y = viewed ? lift_expand(g, x) : NULL;
	if (!viewed || y) return y;
	y = lift_reshape(g, x);
	return y ? y : lift_turned(g, x);
}

/* Beside the rules of algebra and stable, what hangs on x, facts and laws alone: of a node for which there is
 * nothing to do there is nothing in the next stage either. */
static Node *collected(Driver *d, Node *x, const char **what)
{
	Graph *g = d->g;
	Node *y;
	*what = "constant";
	if ((y = fold_operation(d, x)) || (y = with_folded_operands(d, x))) return y;
	*what = "cast";
	if (op_info[x->op].class == MAP && (y = plain_cast(g, x))) return y;
	*what = "collect";
	unsigned laws = waits_for_literals(d, x) ? d->laws & ~(1u << LAW_REAL) : d->laws;
	return collect(g, x, d->facts, laws);
}

static Node *tidied(Driver *d, Node *x, const char **what)
{
	bool vain = found_of(d, x) & FOUND_VAIN, real = d->laws & 1u << LAW_REAL;
	Graph *g = d->g;
	Node *y = vain ? NULL : collected(d, x, what);
	if (y) return y;
	*what = "parts";
	if (real && (y = sum_of_parts(g, x, &d->needs, d->facts))) return y;
	bool sum = x->op == OP_ADD || x->op == OP_SUB;
	*what = "centre";
	if (!vain && real && sum && dtype_is_float(node_dtype(x)) && is_wide(node_dtype(x)) &&
		(y = centre_products(g, x)))
		return y;
	*what = "expand";
	if (!vain && (y = lift_view(g, x))) return y;
	*what = "move";
	const Moves moves = {&d->needs, d->facts, d->laws, d->o->last, d->newest, &d->again};
	if (!d->o->whole && (y = move_inwards(g, x, &moves))) return y;
	if (real && sum && (y = add_in_sides(g, d->scratch, x, &d->needs))) return y;
	*what = "contraction";
	if (!vain && real && (y = tidy_contraction(g, x))) return y;
	if (!vain) note_found(d, x, FOUND_VAIN);
	*what = "order";
	return order_operands(g, &d->met, x);
}

/* Loops that became one meet here first: what one of them wrote is added to what the other carries. */
static Node *written_once(Driver *d, Node *x)
{
	bool sum = x->op == OP_ADD || x->op == OP_SUB;
	Node *y = sum && dtype_is_float(node_dtype(x)) ? add_into(d->g, x, &d->needs) : NULL;
	if (!y && sum) y = add_in_sides(d->g, d->scratch, x, &d->needs);
	return y ? y : write_at_both(d->g, x, &d->needs);
}

Node *by_no_pattern(Driver *d, Node *x, const char **what)
{
	Graph *g = d->g;
	Class class = op_info[x->op].class;
	Node *y;
	if (d->algebra) return tidied(d, x, what);
	*what = "constant";
	if ((y = fold_operation(d, x))) return y;
	*what = "cast";
	if (class == MAP && (y = plain_cast(g, x))) return y;
	*what = "write";
	if (d->lower && d->laws & 1u << LAW_REAL && (y = written_once(d, x))) return y;
	*what = "collect";
	if (d->lower && d->laws & 1u << LAW_REAL && class == MAP) return collect_numbers(g, x, d->facts);
	*what = "expand";
	return lift_view(g, x);
}
