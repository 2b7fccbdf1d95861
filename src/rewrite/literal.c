/* literal.c - which operations on constants are worked out before `stable` has looked.
 *
 * log(1 + 1e-20) is log1p(1e-20), and log(exp(800)) is 800, only as long as 1 + 1e-20 and exp(800) stand
 * there as they are written: as 1 and infinity they are lost.  So the stages before `lower` fold what is
 * exact (whole numbers, bools, views, 2 + 3.0) and what keeps all that its operands tell: a quotient that
 * neither overflows nor underflows, a function where a change of its operand shows in the result (sqrt(2),
 * log(10); not exp(1e-9)). Squares and powers stand for rules to find, as in exp(30.0^2)*erfc(30.0).  `lower`
 * folds the rest.
 */
#include "rules.h"
#include "../oracle/oracle.h"

#include <float.h>

/* A change of the operand shows in the result at least (at most) so many times as large. */
static const double shows = 0.4, grows = 16, nudge = 1.0 / 256;

/* Is it a number that a float of this dtype holds with all its digits? */
bool number_fits(Dtype d, double x)
{
	Dtype f = dtype_is_float(d) ? d : DT_F64;
	return fabs(x) >= dtype_min(f) && fabs(x) <= dtype_max(f);
}

bool is_wide(Dtype d)
{
	return dtype_max(d) > 0x1p100;
}

bool is_moderate(Dtype d, double x)
{
	return is_wide(d) && fabs(x) >= 0x1p-10 && fabs(x) <= 0x1p10;
}

/* Neither operand of the sum x + y is lost in it. */
bool sum_keeps(Dtype d, double x, double y)
{
	double sum = x + y;
	if (dtype_is_float(d)) { /* as it is rounded there */
		uint64_t own = 0;
		element_cast(d, &own, DT_F64, &sum);
		sum = element_number(d, &own);
	}
	if (!isfinite(sum)) return false;
	if ((__float128)sum - x == y) return true;
	return fmin(fabs(x), fabs(y)) >= 0.25 * fabs(sum) && number_fits(d, sum);
}

/* How a small change of x shows in f(x), which is y: |x f'(x)/f(x)|. */
static double condition(Graph *g, Op op, double x, double y)
{
	double near;
	Node *at = constant_float(g, type_scalar(g, DT_F64), x * (1 + nudge));
	Node *f = at ? node_make(g, op, NULL, 1, &at) : NULL;
	if (!f || !constant_value(evaluate_constant(g, f), &near)) return 0;
	return fabs((near - y) / y) / nudge;
}

static bool keeps_operands(Graph *g, const Node *x, const double *v, double y)
{
	Dtype d = node_dtype(x);
	for (uint32_t i = 0; i < x->narg; i++)
		if (!isfinite(v[i])) return true;
	switch ((Op)x->op) {
	case OP_ADD: return sum_keeps(d, v[0], v[1]);
	case OP_SUB: return sum_keeps(d, v[0], -v[1]);
	case OP_MUL: return x->arg[0] != x->arg[1] && (number_fits(d, y) || v[0] == 0 || v[1] == 0);
	case OP_DIV: return number_fits(d, y) || (v[0] == 0 && v[1] != 0);
	default: break;
	}
	if (x->narg != 1 || !isfinite(y)) return false;
	if (v[0] == 0 || v[0] == 1) return true;
	if (fabs(y - v[0]) < 0.25 * fabs(v[0])) return false; /* of log1p(x) - x the difference is wanted */
	double c = number_fits(d, y) ? condition(g, (Op)x->op, v[0], y) : 0;
	return c >= shows && c <= grows;
}

static bool loses_nothing(Graph *g, const Node *x, const Node *y)
{
	double v[4], value;
	Class class = op_info[x->op].class;
	if (!dtype_is_float(node_dtype(x)) && !dtype_is_complex(node_dtype(x))) return true;
	if (class == VIEW || class == INDEX || x->op == OP_MAX || x->op == OP_MIN) return true;
	if (class != MAP) return false;
	if (op_info[x->op].flags & EXACT) return true;
	if (x->narg > countof(v) || !constant_value(y, &value)) return false;
	for (uint32_t i = 0; i < x->narg; i++)
		if (!constant_value(x->arg[i], &v[i])) return false;
	return keeps_operands(g, x, v, value);
}

Node *fold_literal(Graph *g, const Node *x)
{
	Node *y = evaluate_constant(g, x);
	return y && loses_nothing(g, x, y) ? y : NULL;
}
