/* check_numbers.c - the numbers at which a rule says something: those that it names, what an expression must
 * be to be one of them, and where the two sides of a comparison are equal.  Samples lie there more often.
 */
#include "check.h"

static bool mentions_variable(const Pattern *p, uint32_t v)
{
	if (p->kind == P_VARIABLE && p->var == v) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (mentions_variable(p->arg[i], v)) return true;
	return false;
}

static void add_edge(Instance *in, double value, uint32_t var)
{
	if (in->nedge < EDGES && isfinite(value)) in->edge[in->nedge++] = (Edge){value, var};
}

/* The operand of a sum, product or other map of literals beside it; NULL: there are more.  Their sum, with
 * the sign before it, or product. */
static const Pattern *beside_literals(const Pattern *p, double *sum, double *product, int *sign)
{
	const Pattern *only = NULL;
	uint32_t n = 0;
	*sum = 0;
	*product = *sign = 1;
	for (uint32_t i = 0; i < p->n; i++) {
		int own = p->kind == P_SUM ? p->sign[i] : 1;
		if (p->arg[i]->kind == P_LITERAL) {
			*sum += own * p->arg[i]->value;
			*product *= p->arg[i]->value;
			continue;
		}
		only = p->arg[i];
		*sign = own;
		n++;
	}
	return n == 1 ? only : NULL;
}

double operand_at(Op op, double value)
{
	switch (op) {
	case OP_NEG: return -value;
	case OP_ABS:
	case OP_FLOOR:
	case OP_CEIL: return value;
	case OP_SQRT: return value * value;
	case OP_CBRT: return value * value * value;
	case OP_EXP: return log(value);
	case OP_EXP2: return log2(value);
	case OP_EXPM1: return log1p(value);
	case OP_LOG: return exp(value);
	case OP_LOG1P: return expm1(value);
	case OP_SIN: return asin(value);
	case OP_COS: return acos(value);
	case OP_ATAN: return tan(value);
	case OP_TANH: return atanh(value);
	default: return NAN;
	}
}

double operand_beside(Op op, double value, double c, bool first)
{
	switch (op) {
	case OP_ADD: return value - c;
	case OP_SUB: return first ? c - value : value + c;
	case OP_MUL: return value / c;
	case OP_DIV: return first ? c / value : value * c;
	case OP_POW: return first ? log(value) / log(c) : pow(value, 1 / c);
	default: return NAN;
	}
}

static double solved(const Pattern *p, const Pattern *x, double value, double c)
{
	return p->n == 1 ? operand_at(p->op, value) : operand_beside(p->op, value, c, p->arg[1] == x);
}

/* The numbers at which p has the value: of x/3 == 7 it is 21. */
static void collect_solutions(Instance *in, const Pattern *p, double value)
{
	double sum, product;
	int sign;
	if (p->kind == P_VARIABLE) add_edge(in, value, UINT32_MAX);
	const Pattern *x = p->n ? beside_literals(p, &sum, &product, &sign) : NULL;
	if (!x) return;
	if (p->kind == P_SUM)
		value = sign * (value - sum);
	else if (p->kind == P_PRODUCT)
		value /= product;
	else
		value = p->kind == P_OPERATOR ? solved(p, x, value, product) : NAN;
	if (isfinite(value)) collect_solutions(in, x, value);
}

/* The numbers that a part of the rule names, each beside the variables that it is compared with; of a
 * side of the rule, where it may be of any. */
void collect_edges(Instance *in, const Pattern *p, bool guard)
{
	bool map = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN || (p->kind == P_OPERATOR &&
		op_info[p->op].class == MAP);
	for (uint32_t i = 0; i < p->n; i++) {
		const Pattern *x = p->arg[i];
		if (x->kind != P_LITERAL || !map) {
			collect_edges(in, x, guard);
			continue;
		}
		for (uint32_t v = 0; guard && v < in->rule->nvar; v++)
			if (mentions_variable(p, v)) add_edge(in, x->value, v);
		if (guard) continue;
		add_edge(in, x->value, UINT32_MAX);
		DtypeRule of = p->kind == P_OPERATOR ? op_info[p->op].dtype : SAME;
		bool compares = of == TEST || of == RTEST;
		if (compares && p->n == 2 && p->arg[1 - i]->n) collect_solutions(in, p->arg[1 - i], x->value);
	}
}

/* What a comparison compares a variable with. */
static void add_tie(Instance *in, const Pattern *variable, const Pattern *other)
{
	Graph *g = in->m.g;
	Closure c = {0};
	uint32_t k = 0;
	if (variable->kind != P_VARIABLE || !other->n || in->ntie == TIES) return;
	while (k < in->ninput && in->input[k] != in->m.value[variable->var]) k++;
	Node *x = k < in->ninput ? instantiate(&in->m, other, NULL) : NULL;
	if (!x || x->type != in->input[k]->type || !dtype_is_float(node_dtype(x))) return;
	if (function_close(g, (Title){.name = "tie"}, (Nodes){in->ninput, in->input}, (Nodes){1, &x}, &c) && !c.ncapture)
		in->tie[in->ntie++] = (Tie){k, c.function};
}

void collect_ties(Instance *in, const Pattern *p)
{
	DtypeRule of = p->kind == P_OPERATOR ? op_info[p->op].dtype : SAME;
	if (p->n == 2 && (of == TEST || of == RTEST))
		for (uint32_t i = 0; i < 2; i++) add_tie(in, p->arg[i], p->arg[1 - i]);
	for (uint32_t i = 0; i < p->n; i++) collect_ties(in, p->arg[i]);
}
