/* factored.c - a rule at a sum without what all its terms have: 4*cosh(x) - 4 is four times what comes of
 * cosh(x) - 1.
 *
 * Needs: a sum over normal operands, at which no rule matches.  Gives: an equal node, or NULL.
 */
#include "drive.h"

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
