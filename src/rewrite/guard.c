/* guard.c - is the condition of a rule proved?
 *
 * Needs: a match.  Gives: true only where facts, types and brackets prove the
 * guard; what is not known is false.  `exact`: open ends that rounding may
 * reach do not count.
 */
#include "rules.h"

/* A number known from types and brackets: 3, a (one axis), rank(x), count(a). */
bool guard_number(Match *m, const Pattern *p, double *out)
{
	if (p->kind == P_LITERAL) {
		*out = p->value;
		return true;
	}
	if (p->kind == P_VARIABLE && m->rule->var[p->var].kind == V_ATTR) {
		const Attr *a = m->attr[p->var].list;
		if (!a || a->n != 1 || a->v[0].kind != A_INT) return false;
		*out = (double)a->v[0].u.i;
		return true;
	}
	if (p->kind == P_LIBRARY && p->n == 1 && p->arg[0]->kind == P_VARIABLE) {
		uint32_t v = p->arg[0]->var;
		if (!strcmp(p->name, "rank") && m->value[v] && m->value[v]->type->kind == TYPE_ARRAY) {
			*out = node_rank(m->value[v]);
			return true;
		}
		if (!strcmp(p->name, "count") && m->attr[v].bound) {
			*out = m->attr[v].list ? m->attr[v].list->n : 0;
			return true;
		}
	}
	return false;
}

bool guard_compares(Op op, double a, double b)
{
	if (op == OP_EQ) return a == b;
	if (op == OP_NE) return a != b;
	if (op == OP_LT) return a < b;
	if (op == OP_LE) return a <= b;
	if (op == OP_GT) return a > b;
	return a >= b;
}

static Node *guard_node(Match *m, const Pattern *p)
{
	Trial t;
	trial_begin(m->g, &t);
	Node *x = instantiate(m, p, NULL);
	trial_end(m->g, &t);
	return x && !is_zero(x) && x->type->kind == TYPE_ARRAY ? x : NULL;
}

/* a < b, or a <= b, everywhere? */
static bool below(const Range *a, const Range *b, bool strict, bool exact)
{
	if (a->hi < b->lo) return true;
	if (a->hi > b->lo || !strict) return a->hi <= b->lo;
	return (a->hi_open && (!exact || a->declared_open)) || (b->lo_open && (!exact || b->declared_open));
}

static bool is_nought(const Range *r)
{
	return r->constant && r->lo == 0 && r->hi == 0;
}

static bool are_equal(const Range *x, const Range *y)
{
	bool numbers = x->constant && y->constant && x->no_nan && y->no_nan;
	return numbers && x->lo == y->lo && x->hi == y->hi;
}

static bool comparison(Match *m, const Pattern *p, bool exact)
{
	double a, b;
	if (guard_number(m, p->arg[0], &a) && guard_number(m, p->arg[1], &b))
		return guard_compares(p->op, a, b);
	Node *x = guard_node(m, p->arg[0]), *y = guard_node(m, p->arg[1]);
	if (!x || !y) return false;
	const Range *rx = range_of(m->facts, x), *ry = range_of(m->facts, y);
	switch (p->op) {
	case OP_LT: return below(rx, ry, true, exact);
	case OP_LE: return below(rx, ry, false, exact);
	case OP_GT: return below(ry, rx, true, exact);
	case OP_GE: return below(ry, rx, false, exact);
	case OP_EQ: return are_equal(rx, ry);
	case OP_NE:
		if (rx->nonzero && is_nought(ry) && (!exact || rx->declared_open)) return true;
		return below(rx, ry, true, exact) || below(ry, rx, true, exact);
	default: return false;
	}
}

/* occupied(a): the axes a are known to hold something. */
static bool occupied(const Match *m, const Pattern *p)
{
	const AttrBinding *b = p->kind == P_VARIABLE ? &m->attr[p->var] : NULL;
	if (!b || !b->bound || (b->list && !b->size)) return false;
	for (uint32_t i = 0; i < (b->list ? b->list->n : 0); i++)
		if (size_compare(m->g, b->size[i], size_const(m->g, 0)) != PROOF_GREATER) return false;
	return true;
}

static bool property(Match *m, const Pattern *p)
{
	if (p->n != 1) return false;
	if (!strcmp(p->name, "occupied")) return occupied(m, p->arg[0]);
	if (!strcmp(p->name, "shared")) return p->arg[0]->kind == P_VARIABLE && m->shared[p->arg[0]->var];
	Node *x = guard_node(m, p->arg[0]);
	if (!x) return false;
	Dtype d = node_dtype(x);
	if (!strcmp(p->name, "spread")) return x->op == OP_EXPAND;
	if (!strcmp(p->name, "integer")) return dtype_is_integer(d);
	if (!strcmp(p->name, "complex")) return dtype_is_complex(d);
	if (!strcmp(p->name, "real")) return dtype_is_float(d);
	if (!strcmp(p->name, "boolean")) return d == DT_BOOL;
	/* only these ask for all that stands below x */
	if (!strcmp(p->name, "whole")) return range_of(m->facts, x)->integer;
	if (!strcmp(p->name, "finite")) return range_of(m->facts, x)->finite;
	if (!strcmp(p->name, "number")) return range_of(m->facts, x)->no_nan;
	if (!strcmp(p->name, "constant")) return x->op == OP_CONST;
	if (!strcmp(p->name, "literal")) return x->op == OP_CONST && constant_is_uniform(x);
	if (!strcmp(p->name, "wide")) return is_wide(d);
	double value;
	if (!strcmp(p->name, "moderate"))
		return x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &value) &&
			is_moderate(d, value);
	if (!strcmp(p->name, "scalar")) return node_rank(x) == 0;
	return false; /* positive_definite and others that nothing proves yet */
}

bool guard_holds(Match *m, const Pattern *p, bool exact)
{
	switch (p->kind) {
	case P_LITERAL: return p->is_bool && p->value != 0;
	case P_LIBRARY: return property(m, p);
	case P_OPERATOR: break;
	default: return false;
	}
	switch (p->op) {
	case OP_AND: return guard_holds(m, p->arg[0], exact) && guard_holds(m, p->arg[1], exact);
	case OP_OR: return guard_holds(m, p->arg[0], exact) || guard_holds(m, p->arg[1], exact);
	case OP_NOT: /* only of what types decide */
		if (p->arg[0]->kind == P_LIBRARY &&
			(!strcmp(p->arg[0]->name, "integer") || !strcmp(p->arg[0]->name, "complex") ||
				!strcmp(p->arg[0]->name, "constant") || !strcmp(p->arg[0]->name, "literal") ||
				!strcmp(p->arg[0]->name, "scalar") || !strcmp(p->arg[0]->name, "spread") ||
				!strcmp(p->arg[0]->name, "shared")))
			return guard_node(m, p->arg[0]->arg[0]) && !property(m, p->arg[0]);
		return false;
	default: return op_info[p->op].class == MAP && p->n == 2 ? comparison(m, p, exact) : false;
	}
}
