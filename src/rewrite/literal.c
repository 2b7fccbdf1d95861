/* literal.c - which operations on constants are worked out before `stable` has looked.
 *
 * log(1 + 1e-20) is log1p(1e-20), and log(exp(800)) is 800, only as long as 1 + 1e-20 and exp(800) stand
 * there as they are written: as 1 and infinity they are lost.  So the stages before `lower` fold what is
 * exact (whole numbers, bools, views) and, where what is no literal meets an expression of literals, the
 * whole of it if every part keeps all that its operands tell: a quotient that neither overflows nor
 * underflows, a function where a change of its operand shows in the result (sqrt(2), log(10); not
 * exp(1e-9)).  Squares and powers stand for rules to find, as in exp(30.0^2)*erfc(30.0); among literals
 * 1/1e-10 does, for 1/tanh(1e-10) - 1/1e-10.  `lower` folds the rest.
 */
#include "drive.h"
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

/* Is it a number of f16, or a comparison of such? */
bool is_narrow(const Node *x)
{
	const Node *y = x->narg && x->type->kind == TYPE_ARRAY &&
		!dtype_is_float(node_dtype(x)) ? x->arg[0] : x;
	return y->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(y)) && !is_wide(node_dtype(y));
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
	if ((__float128)sum - x == y && (__float128)sum - y == x) return true;
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

/* Whatever the operands are. */
static bool is_exact(const Node *x)
{
	Class class = op_info[x->op].class;
	if (!dtype_is_float(node_dtype(x)) && !dtype_is_complex(node_dtype(x))) return true;
	if (class == VIEW || class == INDEX || x->op == OP_MAX || x->op == OP_MIN) return true;
	return class == MAP && op_info[x->op].flags & EXACT;
}

static bool loses_nothing(Graph *g, const Node *x, const Node *y)
{
	double v[4], value;
	if (is_exact(x)) return true;
	if (op_info[x->op].class != MAP || x->narg > countof(v) || !constant_value(y, &value)) return false;
	for (uint32_t i = 0; i < x->narg; i++)
		if (!constant_value(x->arg[i], &v[i])) return false;
	return keeps_operands(g, x, v, value);
}

/* Few are asked for often: the 2 - 1 of d(x^2). */
Node *fold_literal(Graph *g, const Node *x)
{
	struct FoldedLiteral *known = &g->folded[x->id % countof(g->folded)];
	if (known->of != x) {
		Node *y = evaluate_constant(g, x);
		*known = (struct FoldedLiteral){x, y && loses_nothing(g, x, y) ? y : NULL};
	} else if (known->to) {
		node_stamp(g, known->to, false);
	}
	return known->to;
}

/* Of an exponent rules want to see no more than its value: where powers meet it is 2*2, two equal literals,
 * whose square is kept elsewhere. */
Node *exponent_as_number(Graph *g, Node *x)
{
	const Node *e = x->arg[1];
	double value;
	bool literals = e->op == OP_ADD || e->op == OP_SUB || e->op == OP_MUL;
	for (uint32_t i = 0; i < e->narg && literals; i++)
		literals = constant_is_uniform(e->arg[i]) && constant_value(e->arg[i], &value) &&
			floor(value) == value && fabs(value) <= 64;
	Node *number = literals ? evaluate_constant(g, e) : NULL;
	bool whole = number && constant_value(number, &value) && fabs(value) <= 256;
	return whole ? build2(g, OP_POW, x->arg[0], number) : NULL;
}

/* ---- expressions of literals ----------------------------------------------------------------------- */

/* A part of zeros stays one before `lower`: of a product with it the zeros are known (zeros_times.c). */
static bool may_fold(const Driver *d, const Node *x)
{
	if (d->algebra && dtype_is_float(node_dtype(x)) && is_part_of_zeros(x)) return false;
	switch (op_info[x->op].class) {
	case MAP:
	case FOLD:
	case VIEW:
	case INDEX:
	case CUMULATIVE:
	case CONTRACT: return true;
	default: return false;
	}
}

/* What the operand, which is normal, is among literals: itself, folded, or NULL: it is none of them. */
static Node *as_literal(const Driver *d, Node *x)
{
	if (x->op == OP_CONST) return x;
	return d->literals ? side_of(d, x)->literal : NULL;
}

Node *settled(const Driver *d, Node *x)
{
	Node *y = x->narg && !strcmp(d->stage, "stable") ? as_literal(d, x) : NULL;
	return y ? y : x;
}

static bool is_of_literals(const Driver *d, const Node *x)
{
	if (!x->narg || !(may_fold(d, x) || library_name(x))) return false;
	for (uint32_t i = 0; i < x->narg; i++)
		if (!as_literal(d, x->arg[i])) return false;
	return true;
}

bool waits_for_literals(const Driver *d, const Node *x)
{
	if (is_of_literals(d, x)) return true;
	for (uint32_t i = 0; (x->op == OP_ADD || x->op == OP_SUB) && i < x->narg; i++)
		if (as_literal(d, x->arg[i]) == x->arg[i] && x->arg[i]->op != OP_CONST) return true;
	return false;
}

Node *fold_operation(Driver *d, const Node *x)
{
	double value;
	if (!x->narg || !may_fold(d, x)) return NULL;
	for (uint32_t i = 0; i < x->narg; i++)
		if (x->arg[i]->op != OP_CONST) return NULL;
	bool zero = x->narg == 1 && constant_value(x->arg[0], &value) && value == 0;
	if (d->algebra && !zero && !is_exact(x)) return NULL;
	return evaluate_constant(d->g, x);
}

void note_literals(Driver *d, Node *x)
{
	Node *arg[4], *y = NULL;
	if (!d->algebra || !is_of_literals(d, x)) return;
	bool folds = may_fold(d, x) && x->narg <= countof(arg);
	for (uint32_t i = 0; folds && i < x->narg; i++) {
		arg[i] = as_literal(d, x->arg[i]);
		folds = arg[i]->op == OP_CONST;
	}
	Trial t;
	trial_begin(d->g, &t);
	Node *folded = folds ? node_make(d->g, (Op)x->op, x->attr, x->narg, arg) : NULL;
	if (folded && folded->op != OP_CONST) folded = fold_literal(d->g, folded);
	if (folded && folded->type == x->type && !d->g->error.code) y = folded;
	trial_end(d->g, &t);
	side_for(d, x)->literal = y ? y : x;
	d->literals = true;
}

Node *with_folded_operands(Driver *d, Node *x)
{
	Node *small[8], **arg = small;
	bool any = false;
	if (is_of_literals(d, x)) return NULL;
	if (x->narg > countof(small)) arg = NEW_ARRAY(d->scratch, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		Node *y = x->arg[i]->op != OP_CONST ? as_literal(d, x->arg[i]) : NULL;
		arg[i] = y && y->op == OP_CONST ? y : x->arg[i];
		any |= arg[i] != x->arg[i];
	}
	return any ? node_with(d->g, x, arg, NULL, NULL) : NULL;
}
