/* casts.c - conversions that say nothing new: of what was converted without loss, parts of a number that
 * is real, truth as a number beside a number.
 * needs: an operator over normal operands; gives: the same to the bit with one operator less, or NULL
 */
#include "rules.h"

/* Is every value of one dtype a value of the other? */
static bool holds_all(Dtype wide, Dtype narrow)
{
	bool counts = dtype_is_integer(narrow) || dtype_is_float(narrow);
	if (narrow == DT_BOOL) return dtype_is_integer(wide) || dtype_is_float(wide);
	if (!counts || dtype_is_weak(wide) || dtype_is_weak(narrow)) return false;
	if (dtype_is_integer(wide))
		return dtype_is_integer(narrow) && dtype_min(wide) <= dtype_min(narrow) &&
			dtype_max(wide) >= dtype_max(narrow);
	if (!dtype_is_float(wide) || dtype_digits(wide) < dtype_digits(narrow)) return false;
	return dtype_max(wide) >= dtype_max(narrow) &&
		(dtype_is_integer(narrow) || dtype_min(wide) <= dtype_min(narrow));
}

static bool holds(Op op, double x, double y)
{
	switch (op) {
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_LT:
		return x < y;
	case OP_LE:
		return x <= y;
	case OP_GT:
		return x > y;
	default:
		return x >= y;
	}
}

/* A truth value, or the number that it was made, is compared with a number: that is the same of 0 and 1, or
 * it is the value or its contrary. */
static Node *plain_test(Graph *g, Node *x)
{
	double k;
	bool behind = constant_value(x->arg[1], &k), is[2];
	if (!behind && !constant_value(x->arg[0], &k)) return NULL;
	Node *truth = x->arg[!behind];
	if (truth->op == OP_CAST) truth = truth->arg[0];
	if (node_dtype(truth) != DT_BOOL) return NULL;
	for (int v = 0; v < 2; v++) is[v] = behind ? holds(x->op, v, k) : holds(x->op, k, v);
	if (is[0] == is[1]) return constant_int(g, x->type, is[0]);
	return is[1] ? truth : build1(g, OP_NOT, truth);
}

Node *plain_cast(Graph *g, Node *x)
{
	Node *a = x->narg ? x->arg[0] : NULL;
	if (!a || a->type->kind != TYPE_ARRAY) return NULL;
	if (op_info[x->op].dtype == TEST || op_info[x->op].dtype == RTEST) return plain_test(g, x);
	bool real = dtype_is_float(node_dtype(a));
	if ((x->op == OP_CONJ || x->op == OP_RE) && real) return a;
	if (x->op == OP_IM && real) return constant_int(g, x->type, 0);
	if (x->op != OP_CAST || a->op != OP_CAST) return NULL;
	Node *first = a->arg[0];
	if (first->type->kind != TYPE_ARRAY || !holds_all(node_dtype(a), node_dtype(first))) return NULL;
	return first->type == x->type ? first : node_make(g, OP_CAST, x->attr, 1, &first);
}
