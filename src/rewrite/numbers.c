/* numbers.c - the number in a term: of 2*x, of 2*x/(3*y), within an abs.
 *
 * Needs: floats over normal operands.  Gives: the number, and what is left without it.
 */
#include "rules.h"

/* x as coefficient times base; base NULL: a constant. */
double coefficient(Node *x, Node **base)
{
	double c;
	if (x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &c)) {
		*base = NULL;
		return c;
	}
	for (uint32_t i = 0; x->op == OP_MUL && i < 2; i++)
		if (x->arg[i]->op == OP_CONST && constant_is_uniform(x->arg[i]) &&
			constant_value(x->arg[i], &c)) {
			*base = x->arg[1 - i];
			return c;
		}
	*base = x;
	return 1;
}

/* c times base, of the type of x. */
Node *times_number(Graph *g, Node *x, double c, Node *base)
{
	if (!base) return constant_float(g, x->type, c);
	if (c == 1) return base;
	return c == -1 ? build1(g, OP_NEG, base) : build2(g, OP_MUL, constant_float(g, base->type, c), base);
}

/* x without the number in it: of 2*x, 2*x/y, 2/y and 2/y/z what is left, with *c times 2; of x/(2*y) with *by
 * times 2; the same within an expand.  NULL: there is none. */
static Node *numberless(Graph *g, Node *x, double *c, double *by);

/* Of a product of which one factor is a quotient with a number. */
static Node *numberless_factor(Graph *g, Node *x, double *c, double *by)
{
	for (uint32_t k = 0; k < 2; k++) {
		Node *y = x->arg[k]->op == OP_DIV ? numberless(g, x->arg[k], c, by) : NULL;
		if (y) return build2(g, OP_MUL, k ? x->arg[0] : y, k ? y : x->arg[1]);
	}
	return NULL;
}

static Node *numberless(Graph *g, Node *x, double *c, double *by)
{
	Node *above = NULL, *below = NULL, *base = NULL;
	if (x->op == OP_MUL) {
		*c = coefficient(x, &base);
		return *c != 1 ? base : numberless_factor(g, x, c, by);
	}
	if (x->op != OP_DIV) return NULL;
	double k = 1, over = 1, j = coefficient(x->arg[1], &below);
	bool product = x->arg[0]->op == OP_MUL && coefficient(x->arg[0], &base) == 1;
	if (x->arg[0]->op == OP_DIV || product)
		above = numberless(g, x->arg[0], &k, &over);
	else
		k = coefficient(x->arg[0], &above);
	if (!above && (product || x->arg[0]->op == OP_DIV)) above = x->arg[0];
	j *= over;
	if (j == 0 || (k == 1 && j == 1) || (!above && !below)) return NULL;
	*c = k;
	*by = j;
	if (!below) return above;
	above = above ? above : constant_int(g, x->type, 1);
	return build2(g, OP_DIV, above, below);
}

Node *numbered(Graph *g, Node *x, double *c, double *by)
{
	if (x->op != OP_EXPAND || x->narg != 1) return x->op == OP_DIV ? numberless(g, x, c, by) : NULL;
	Node *base = numberless(g, x->arg[0], c, by);
	return base ? node_make(g, OP_EXPAND, x->attr, 1, &base) : NULL;
}

/* abs(2*x) is 2*abs(x), and abs(x/2) is abs(x)/2. */
Node *size_of_scaled(Graph *g, Node *x)
{
	Node *y = x->arg[0], *base;
	bool quotient = y->op == OP_DIV;
	if (!dtype_is_float(node_dtype(y)) || (!quotient && y->op != OP_MUL)) return NULL;
	double c = coefficient(quotient ? y->arg[1] : y, &base);
	if (quotient ? base != NULL : !base || base == y) return NULL;
	if (!is_moderate(node_dtype(x), fabs(c))) return NULL;
	Node *size = build1(g, OP_ABS, quotient ? y->arg[0] : base);
	if (!quotient) return times_number(g, x, fabs(c), size);
	return build2(g, OP_DIV, size, constant_float(g, x->type, fabs(c)));
}

/* abs(x)/abs(y) is abs(x/y). */
Node *size_of_quotient(Graph *g, Node *x)
{
	Node *a = x->arg[0], *b = x->arg[1];
	bool sizes = a->op == OP_ABS && b->op == OP_ABS && a->arg[0]->type == b->arg[0]->type;
	if (!sizes || !dtype_is_float(node_dtype(a->arg[0]))) return NULL;
	return build1(g, OP_ABS, build2(g, OP_DIV, a->arg[0], b->arg[0]));
}
