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

/* ---- what all terms of a sum have -------------------------------------------------------------- */

/* The ratio of the numbers of a term, and what is left; 0: there are none. */
static double number_of_term(Graph *g, Node *x, Node **base)
{
	double c = 1, by = 1;
	if (x->op == OP_CONST) {
		*base = NULL;
		return coefficient(x, base);
	}
	*base = x->op == OP_MUL ? numberless(g, x, &c, &by) : numbered(g, x, &c, &by);
	return *base ? c / by : 0;
}

/* A sum of terms with the signs that they have, the first of them positive; *turned: it is the sum turned. */
static Node *signed_sum(Graph *g, uint32_t n, Node *const *x, const int *sign, bool *turned)
{
	uint32_t first = 0;
	while (first < n && sign[first] < 0) first++;
	*turned = first == n;
	first = *turned ? 0 : first;
	Node *y = x[first];
	for (uint32_t i = 0; i < n && y; i++)
		if (i != first) y = build2(g, (sign[i] < 0) != *turned ? OP_SUB : OP_ADD, y, x[i]);
	return y;
}

/* Of a/x - a/y what is left without a, which is above each line; NULL: it is not. */
static Node *over_one(Graph *g, const Terms *t, uint32_t i)
{
	const Node *x = t->term[i].x, *first = t->term[0].x;
	bool quotients = x->op == OP_DIV && first->op == OP_DIV && x->arg[0] == first->arg[0];
	return quotients ? build2(g, OP_DIV, constant_int(g, x->type, 1), x->arg[1]) : NULL;
}

/* Of two terms the factors that both have, as their product, and each without them; false: there are none. */
static bool common_factors(Graph *g, Facts *facts, const Terms *t, Node **base, Node **by)
{
	Ratios f[2];
	Node *with[2][KEY_TERMS], *over = NULL, *under = NULL;
	if (t->n != 2 || t->term[0].x->type != t->term[1].x->type) return false;
	if (!(factors_of_term(t->term[0].x).rest & factors_of_term(t->term[1].x).rest)) return false;
	for (uint32_t k = 0; k < 2; k++) {
		if (!factors_of_ratio(facts, t->term[k].x, &f[k])) return false;
		for (uint32_t i = 0; i < f[k].n; i++) with[k][i] = f[k].factor[i].x;
	}
	for (uint32_t i = 0; i < f[0].n; i++)
		for (uint32_t k = 0; k < f[1].n; k++) {
			Node *x = with[0][i], **to = f[0].factor[i].below ? &under : &over;
			if (!x || x->op == OP_CONST || with[1][k] != x) continue;
			if (f[0].factor[i].below != f[1].factor[k].below) continue;
			*to = *to ? build2(g, OP_MUL, *to, x) : x;
			with[0][i] = with[1][k] = NULL;
		}
	for (uint32_t k = 0; k < 2; k++) {
		bool alone = f[k].n == 1 && f[k].factor[0].x == t->term[k].x && !with[k][0];
		Node *x = t->term[k].x;
		base[k] = alone ? constant_int(g, x->type, 1) : ratio_with(g, x, with[k]);
		if (!base[k]) return false;
	}
	if (under) over = over ? over : constant_int(g, under->type, 1);
	*by = under ? build2(g, OP_DIV, over, under) : over;
	return *by;
}

static Node *sum_without_common(Graph *g, const Terms *t, Facts *facts, Node **by)
{
	Node *base[2];
	const int sign[2] = {t->term[0].sign, t->term[1].sign};
	bool turned;
	if (!common_factors(g, facts, t, base, by)) return NULL;
	Node *y = signed_sum(g, 2, base, sign, &turned);
	if (turned) *by = build1(g, OP_NEG, *by);
	return y;
}

/* 3*x - 3*y and 3*x - 3 as x - y and x - 1, with *by 3; x/3 - y/3, with 1/3; a/x - a/y as 1/x - 1/y, with a;
 * a*x/b - a*y/b as x - y, with a/b; NULL: nothing is in all terms. */
Node *sum_without_factor(Graph *g, Node *x, Facts *facts, Node **by)
{
	enum { FEW = 8 };
	Terms t;
	Node *base[FEW] = {NULL};
	int sign[FEW];
	uint32_t first;
	bool turned;
	double c = 0;
	if (!sum_terms(facts, x, &t, &first) || t.n > FEW) return NULL;
	Node *common = sum_without_common(g, &t, facts, by);
	if (common) return common;
	for (uint32_t i = 0; i < t.n; i++) {
		double k = number_of_term(g, t.term[i].x, &base[i]);
		if (!i) c = fabs(k);
		if (c == 0 && !(base[i] = over_one(g, &t, i))) return NULL;
		if (fabs(k) != c || c == 1 || (c != 0 && !is_moderate(node_dtype(x), c))) return NULL;
		if (!base[i]) base[i] = constant_int(g, t.term[i].x->type, 1);
		if (base[i]->type != x->type) return NULL;
		sign[i] = k < 0 ? -t.term[i].sign : t.term[i].sign;
	}
	Node *y = signed_sum(g, t.n, base, sign, &turned);
	*by = c == 0 ? t.term[0].x->arg[0] : constant_float(g, x->type, c);
	if (turned) *by = c == 0 ? build1(g, OP_NEG, *by) : constant_float(g, x->type, -c);
	return y;
}
