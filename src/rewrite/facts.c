/* facts.c - what is known of the values of a node: range, whole numbers, finiteness, NaN.
 *
 * Needs: a region's declared facts.  Gives: a Range for any node of it, made on
 * first use from the operands' (iterative), remembered by id.  A range speaks
 * of the values that are no NaN; `no_nan` says there is none.  Open ends that
 * come from mathematics, not from a declaration (exp(x) > 0, which underflows),
 * count only for rules that are true of real numbers.
 */
#include "rules.h"

struct Facts {
	Graph *g;
	Arena *arena;
	IdMap map;
};

static const Range unknown = {-INFINITY, INFINITY, false, false, false, false, false, false, false, false};

Facts *facts_open(Graph *g, Arena *arena, uint32_t n, const LeafFact *fact)
{
	Facts *f = NEW(arena, Facts);
	f->g = g;
	f->arena = arena;
	idmap_open(&f->map, arena);
	for (uint32_t i = 0; i < n; i++) {
		Range *r = NEW(arena, Range);
		bool bounded = !fact[i].derived && (fact[i].lo > -INFINITY || fact[i].hi < INFINITY);
		*r = (Range){fact[i].lo, fact[i].hi, fact[i].lo_open, fact[i].hi_open, !fact[i].derived,
			fact[i].nonzero, fact[i].integer, fact[i].finite,
			fact[i].no_nan || fact[i].finite || bounded, false};
		r->finite |= r->no_nan && isfinite(fact[i].lo) && isfinite(fact[i].hi);
		Dtype d = node_dtype(fact[i].leaf);
		if (dtype_is_integer(d) || d == DT_BOOL) r->integer = r->finite = r->no_nan = true;
		idmap_put(&f->map, fact[i].leaf->id, r);
	}
	return f;
}

/* ---- arithmetic on ranges --------------------------------------------------------------- */

/* An end at infinity is approached, and nothing by what is approached is nothing. */
static double times(double a, double b)
{
	return a == 0 || b == 0 ? 0 : a * b;
}

static Range product(const Range *a, const Range *b)
{
	Range r = unknown;
	double p[4] = {times(a->lo, b->lo), times(a->lo, b->hi), times(a->hi, b->lo), times(a->hi, b->hi)};
	r.lo = r.hi = p[0];
	for (uint32_t i = 1; i < 4; i++) {
		r.lo = p[i] < r.lo ? p[i] : r.lo;
		r.hi = p[i] > r.hi ? p[i] : r.hi;
	}
	bool a_off = a->lo > 0 || (a->lo == 0 && a->lo_open) || a->hi < 0 || (a->hi == 0 && a->hi_open);
	bool b_off = b->lo > 0 || (b->lo == 0 && b->lo_open) || b->hi < 0 || (b->hi == 0 && b->hi_open);
	r.lo_open = r.lo == 0 && a_off && b_off;
	r.hi_open = r.hi == 0 && a_off && b_off;
	r.nonzero = (a_off || a->nonzero) && (b_off || b->nonzero);
	r.no_nan = a->finite && b->finite;
	r.integer = a->integer && b->integer;
	return r;
}

static Range sum(const Range *a, const Range *b)
{
	Range r = unknown;
	r.lo = a->lo + b->lo;
	r.hi = a->hi + b->hi;
	r.lo = isnan(r.lo) ? -INFINITY : r.lo; /* inf - inf: nothing is known of that end */
	r.hi = isnan(r.hi) ? INFINITY : r.hi;
	r.lo_open = a->lo_open || b->lo_open;
	r.hi_open = a->hi_open || b->hi_open;
	r.no_nan = (a->finite && b->no_nan) || (b->finite && a->no_nan);
	r.integer = a->integer && b->integer;
	return r;
}

static Range minus(const Range *a)
{
	Range r = *a;
	r.lo = -a->hi;
	r.hi = -a->lo;
	r.lo_open = a->hi_open;
	r.hi_open = a->lo_open;
	return r;
}

/* Of one value or the other: an end is open only where neither reaches it. */
static Range either(const Range *a, const Range *b)
{
	Range r = unknown;
	r.lo = a->lo < b->lo ? a->lo : b->lo;
	r.hi = a->hi > b->hi ? a->hi : b->hi;
	r.lo_open = (a->lo > r.lo || a->lo_open) && (b->lo > r.lo || b->lo_open);
	r.hi_open = (a->hi < r.hi || a->hi_open) && (b->hi < r.hi || b->hi_open);
	r.nonzero = a->nonzero && b->nonzero;
	r.integer = a->integer && b->integer;
	r.finite = a->finite && b->finite;
	r.no_nan = a->no_nan && b->no_nan;
	r.declared_open = (a->declared_open || !(a->lo_open || a->hi_open)) &&
		(b->declared_open || !(b->lo_open || b->hi_open));
	return r;
}

Range range_either(const Range *a, const Range *b)
{
	return either(a, b);
}

/* 1/x of an x of one sign */
static Range inverse(const Range *a)
{
	Range r = unknown;
	if (a->lo > 0 || (a->lo == 0 && a->lo_open)) {
		r.lo = a->hi == INFINITY ? 0 : 1 / a->hi;
		r.lo_open = a->hi == INFINITY;
		r.hi = a->lo == 0 ? INFINITY : 1 / a->lo;
	} else if (a->hi < 0 || (a->hi == 0 && a->hi_open)) {
		r.hi = a->lo == -INFINITY ? 0 : 1 / a->lo;
		r.hi_open = a->lo == -INFINITY;
		r.lo = a->hi == 0 ? -INFINITY : 1 / a->hi;
	}
	r.no_nan = a->no_nan;
	return r;
}

static Range extreme(const Range *a, const Range *b, bool max)
{
	Range r = either(a, b);
	if (max && (a->lo > b->lo || (a->lo == b->lo && a->lo_open))) {
		r.lo = a->lo;
		r.lo_open = a->lo_open;
	} else if (max) {
		r.lo = b->lo;
		r.lo_open = b->lo_open;
	} else if (a->hi < b->hi || (a->hi == b->hi && a->hi_open)) {
		r.hi = a->hi;
		r.hi_open = a->hi_open;
	} else {
		r.hi = b->hi;
		r.hi_open = b->hi_open;
	}
	return r;
}

bool off_zero(const Range *a)
{
	return a->nonzero || a->lo > 0 || a->hi < 0 || (a->lo == 0 && a->lo_open) ||
		(a->hi == 0 && a->hi_open);
}

/* Of a negative base an even whole power alone is known; another may be no number. */
static Range power(const Range *a, const Node *exponent)
{
	Range r = unknown;
	int64_t k;
	if (a->lo >= 0) {
		r.lo = 0;
		r.lo_open = off_zero(a);
	} else if (constant_integer(exponent, &k) && k % 2 == 0) {
		r.lo = 0;
		r.lo_open = off_zero(a);
		r.no_nan = a->no_nan;
	}
	return r;
}

/* Folds and views of x keep its range; a sum keeps its sign.  An axis may be empty when the program is
 * called, and then a fold gives what it begins with, which need not lie in the range of the terms. */
static Range folded(Op op, const Range *a)
{
	Range r = *a;
	r.declared_open = false;
	r.nonzero = false;
	if (op == OP_SUM || op == OP_CUMSUM || op == OP_PROD || op == OP_LOGSUMEXP || op == OP_CONTRACT) {
		r = unknown;
		if (op == OP_SUM || op == OP_CUMSUM) { /* empty: 0 */
			r.lo = a->lo >= 0 ? 0 : -INFINITY;
			r.hi = a->hi <= 0 ? 0 : INFINITY;
			r.integer = a->integer;
		}
		if (op == OP_PROD) r.lo = a->lo >= 0 ? 0 : -INFINITY;
	} else if (op == OP_MAX) {
		r.finite = false; /* empty: -inf */
		r.lo = -INFINITY;
		r.lo_open = false;
	} else if (op == OP_MIN) {
		r.hi = INFINITY;
		r.hi_open = false;
		r.finite = false;
	}
	return r;
}

static bool wraps(Dtype d, const Range *r)
{
	return !(r->hi <= dtype_max(d) && r->lo >= dtype_min(d));
}

/* ---- one node from its operands -------------------------------------------------------------- */

static void from_zero(Range *r, bool open)
{
	r->lo = 0;
	r->lo_open = open;
}

static void up_to_zero(Range *r, bool open)
{
	r->hi = 0;
	r->hi_open = open;
}

/* Of a map or what makes numbers, by what ops.h says; what rounds to whole numbers is 0 beside 0 too. */
static Range map_range(const Node *x, const Range *a)
{
	const OpInfo *info = &op_info[x->op];
	Range r = unknown;
	bool rounds = info->flags & TO_WHOLE, off = off_zero(a);
	r.lo = info->range.lo;
	r.hi = info->range.hi;
	r.lo_open = info->range.lo_open;
	r.hi_open = info->range.hi_open;
	r.no_nan = info->flags & NO_NAN && (!x->narg || a->no_nan || info->class != MAP);
	r.finite = r.no_nan && isfinite(r.lo) && isfinite(r.hi);
	r.integer = rounds;
	if (info->flags & ZERO && r.lo == 0) r.lo_open = off;
	if (info->flags & ZERO && info->flags & INCREASING) {
		if (a->lo >= 0 && r.lo <= 0) from_zero(&r, !rounds && off);
		if (a->hi <= 0 && r.hi >= 0) up_to_zero(&r, !rounds && off);
	}
	if (info->flags & POSITIVE && a->lo >= 0 && off) from_zero(&r, true);
	if (info->flags & UNIT && a->lo >= 1) from_zero(&r, a->lo > 1 || a->lo_open);
	return r;
}

static Range operator_range(const Node *x, const Range *const *a)
{
	Range r = unknown, t;
	switch ((Op)x->op) { /* what ops.h does not say: arithmetic on ranges */
	case OP_ADD: return sum(a[0], a[1]);
	case OP_SUB: t = minus(a[1]); return sum(a[0], &t);
	case OP_NEG: return minus(a[0]);
	case OP_MUL:
		r = product(a[0], a[1]);
		if (x->arg[0] == x->arg[1]) {
			r.lo = 0;
			r.lo_open = off_zero(a[0]);
			r.no_nan = a[0]->no_nan;
		}
		return r;
	case OP_DIV:
		t = inverse(a[1]);
		r = product(a[0], &t);
		r.integer = false;
		r.no_nan = false;
		return r;
	case OP_POW: return power(a[0], x->arg[1]);
	case OP_MAXIMUM: return extreme(a[0], a[1], true);
	case OP_MINIMUM: return extreme(a[0], a[1], false);
	case OP_WHERE: return either(a[1], a[2]);
	case OP_STOP:
	case OP_RESHAPE:
	case OP_TRANSPOSE:
	case OP_EXPAND:
	case OP_SLICE:
	case OP_FLIP:
	case OP_GATHER: return *a[0];
	case OP_PAD:
	case OP_SCATTER_SET: {
		Range zero = {0, 0, false, false, false, false, true, true, true, false};
		return x->op == OP_PAD ? either(a[0], &zero) : either(a[0], a[2]);
	}
	case OP_CONCAT:
		r = *a[0];
		for (uint32_t i = 1; i < x->narg; i++) {
			t = either(&r, a[i]);
			r = t;
		}
		return r;
	case OP_CAST:
		r = *a[0];
		if (dtype_is_complex(node_dtype(x))) return unknown;
		r.declared_open = false;
		return dtype_is_float(node_dtype(x)) ? r
						     : (Range){r.lo >= 0 ? 0 : -INFINITY, INFINITY, false,
							       false, false, false, true, true, true, false};
	case OP_CONTRACT: t = product(a[0], a[1]); return folded(OP_SUM, &t);
	case OP_SIZE:
		size_bounds(x->attr->v[0].u.size, &r.lo, &r.hi);
		r.no_nan = true;
		return r;
	default: break;
	}
	bool folds = op_info[x->op].class == FOLD || op_info[x->op].class == CUMULATIVE;
	return folds && x->op != OP_ARGMAX && x->op != OP_ARGMIN ? folded((Op)x->op, a[0]) : map_range(x,
		a[0]);
}

/* What is computed and too large for its dtype is NaN where there is no infinity. */
static bool may_pass(const Node *x, const Range *r)
{
	Dtype d = node_dtype(x);
	Class c = op_info[x->op].class;
	if (!dtype_is_float(d) || dtype_has_infinity(d)) return false;
	if (c == LEAF || c == VIEW || c == INDEX || c == CONTROL) return false;
	return !(r->lo >= -dtype_max(d) && r->hi <= dtype_max(d));
}

static Range range_from(Facts *f, const Node *x, const Range *const *a)
{
	Range r = unknown;
	if (x->type->kind != TYPE_ARRAY) return r;
	Dtype d = node_dtype(x);
	double value;
	if (x->op == OP_CONST && constant_value(x, &value)) {
		r = (Range){value, value, false, false, true, value != 0, value == floor(value),
			isfinite(value), !isnan(value), true};
		if (isnan(value)) {
			r.lo = -INFINITY;
			r.hi = INFINITY;
			r.constant = true;
		}
		return r;
	}
	bool bound = true;
	for (uint32_t i = 0; i < own_args(x); i++) bound &= a[i] != NULL;
	if (bound && (x->narg || op_info[x->op].class == LEAF)) r = operator_range(x, a);
	if (dtype_is_integer(d) || d == DT_BOOL) {
		if (op_info[x->op].class == MAP && dtype_is_integer(d) && wraps(d, &r)) r = unknown;
		if (d == DT_BOOL) {
			r.lo = 0;
			r.hi = 1;
		}
		if (dtype_is_unsigned(d) && r.lo < 0) {
			r.lo = 0;
			r.lo_open = false;
		}
		r.integer = r.finite = r.no_nan = true;
	}
	if (may_pass(x, &r)) r.finite = r.no_nan = false;
	r.finite |= r.no_nan && isfinite(r.lo) && isfinite(r.hi) && op_info[x->op].class != CONTROL;
	r.declared_open = r.declared_open &&
		(op_info[x->op].class == VIEW || x->op == OP_NEG || x->op == OP_STOP || x->op == OP_WHERE);
	return r;
}

const Range *range_of(Facts *f, Node *x)
{
	Range *r = idmap_get(&f->map, x->id);
	Node **stack = NULL;
	uint32_t n = 0, cap = 0;
	if (r) return r;
	GROW(f->arena, stack, n, cap);
	stack[n++] = x;
	while (n) {
		Node *y = stack[n - 1];
		const Range *small[8], **a = small;
		uint32_t narg = own_args(y), missing = 0;
		if (op_info[y->op].class == CONTROL || op_info[y->op].class == SOLVE ||
			op_info[y->op].class == RANDOM)
			narg = 0;
		if (narg > countof(small)) a = NEW_ARRAY(f->arena, const Range *, narg);
		for (uint32_t i = 0; i < narg; i++)
			if (!(a[i] = idmap_get(&f->map, y->arg[i]->id))) {
				GROW(f->arena, stack, n, cap);
				stack[n++] = y->arg[i];
				missing++;
			}
		if (missing) continue;
		for (uint32_t i = narg; i < countof(small); i++)
			a == small ? (void)(small[i] = &unknown) : (void)0;
		n--;
		if (!idmap_get(&f->map, y->id)) {
			r = NEW(f->arena, Range);
			*r = narg || !own_args(y) || op_info[y->op].class == RANDOM ? range_from(f, y, a)
										    : unknown;
			idmap_put(&f->map, y->id, r);
		}
	}
	return idmap_get(&f->map, x->id);
}
