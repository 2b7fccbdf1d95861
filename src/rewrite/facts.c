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
	IdMap map, terms, long_ratios;
	SumLists sums;
};

static const Range unknown = {.lo = -INFINITY, .hi = INFINITY};

Facts *facts_open(Graph *g, Arena *arena, uint32_t n, const LeafFact *fact)
{
	Facts *f = NEW(arena, Facts);
	f->g = g;
	f->arena = arena;
	idmap_open(&f->map, arena);
	idmap_open(&f->terms, arena);
	idmap_open(&f->long_ratios, arena);
	f->sums.arena = arena;
	idmap_open(&f->sums.length, arena);
	for (uint32_t i = 0; i < n; i++) {
		Range *r = NEW(arena, Range);
		bool bounded = !fact[i].derived && (fact[i].lo > -INFINITY || fact[i].hi < INFINITY);
		*r = (Range){.lo = fact[i].lo,
			.hi = fact[i].hi,
			.lo_open = fact[i].lo_open,
			.hi_open = fact[i].hi_open,
			.declared_open = !fact[i].derived,
			.nonzero = fact[i].nonzero,
			.integer = fact[i].integer,
			.finite = fact[i].finite,
			.no_nan = fact[i].no_nan || fact[i].finite || bounded};
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

static bool ends_off_zero(const Range *a)
{
	bool above = a->lo > 0 || (a->lo == 0 && a->lo_open), under = a->hi < 0 || (a->hi == 0 && a->hi_open);
	return above || under;
}

bool off_zero(const Range *a)
{
	return a->nonzero || ends_off_zero(a);
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
	bool off = ends_off_zero(a) && ends_off_zero(b);
	r.lo_open = r.lo == 0 && off;
	r.hi_open = r.hi == 0 && off;
	r.nonzero = off_zero(a) && off_zero(b);
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

/* The end of what reaches furthest; it is open where neither that reaches it is closed there. */
static void widen(double *end, bool *open, double to, bool to_open, bool further)
{
	if (to == *end) {
		*open = *open && to_open;
	} else if (further) {
		*end = to;
		*open = to_open;
	}
}

/* Is no end open but by what was declared? */
static bool opens_as_declared(const Range *a)
{
	return a->declared_open || !(a->lo_open || a->hi_open);
}

Range range_either(const Range *a, const Range *b)
{
	Range r = *a;
	widen(&r.lo, &r.lo_open, b->lo, b->lo_open, b->lo < a->lo);
	widen(&r.hi, &r.hi_open, b->hi, b->hi_open, b->hi > a->hi);
	r.constant = false;
	r.nonzero = a->nonzero && b->nonzero;
	r.integer = a->integer && b->integer;
	r.finite = a->finite && b->finite;
	r.no_nan = a->no_nan && b->no_nan;
	r.declared_open = opens_as_declared(a) && opens_as_declared(b);
	return r;
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
	Range r = range_either(a, b);
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

/* On which side of 0 a map stays, by where it has its 0; what rounds to whole numbers is 0 beside 0 too. */
static void ends_at_zero(Range *r, const OpInfo *info, const Range *a)
{
	unsigned flags = info->flags;
	bool off = off_zero(a), leaves = off && !(flags & TO_WHOLE);
	if (flags & ZERO && r->lo == 0) r->lo_open = off;
	if (flags & ZERO && flags & INCREASING) {
		if (a->lo >= 0 && r->lo <= 0) from_zero(r, leaves);
		if (a->hi <= 0 && r->hi >= 0) up_to_zero(r, leaves);
	}
	if (flags & POSITIVE && a->lo >= 0 && off) from_zero(r, true);
	if (flags & UNIT && a->lo >= 1) from_zero(r, a->lo > 1 || a->lo_open);
}

/* Of a map or what makes numbers, by what ops.h says. */
static Range map_range(const Node *x, const Range *a)
{
	const OpInfo *info = &op_info[x->op];
	Range r = unknown;
	r.lo = info->range.lo;
	r.hi = info->range.hi;
	r.lo_open = info->range.lo_open;
	r.hi_open = info->range.hi_open;
	r.no_nan = info->flags & NO_NAN && (!x->narg || a->no_nan || info->class != MAP);
	r.finite = r.no_nan && isfinite(r.lo) && isfinite(r.hi);
	r.integer = info->flags & TO_WHOLE;
	ends_at_zero(&r, info, a);
	return r;
}

/* Whole numbers from low on, or any. */
static Range whole_from(double low)
{
	return (Range){.lo = low, .hi = INFINITY, .integer = true, .finite = true, .no_nan = true};
}

static Range times_range(const Node *x, const Range *const *a)
{
	Range r = product(a[0], a[1]);
	if (x->arg[0] != x->arg[1]) return r;
	r.lo = 0; /* a square */
	r.lo_open = off_zero(a[0]);
	r.no_nan = a[0]->no_nan;
	return r;
}

static Range quotient(const Range *a, const Range *b)
{
	Range t = inverse(b), r = product(a, &t);
	r.integer = r.no_nan = false;
	return r;
}

static Range cast_range(const Node *x, const Range *a)
{
	if (dtype_is_complex(node_dtype(x))) return unknown;
	if (!dtype_is_float(node_dtype(x))) return whole_from(a->lo >= 0 ? 0 : -INFINITY);
	Range r = *a;
	r.declared_open = false;
	return r;
}

static Range of_any(uint32_t n, const Range *const *a)
{
	Range r = *a[0];
	for (uint32_t i = 1; i < n; i++) {
		Range both = range_either(&r, a[i]);
		r = both;
	}
	return r;
}

static Range padded(const Range *a)
{
	const Range zero = {.integer = true, .finite = true, .no_nan = true};
	return range_either(a, &zero);
}

static Range size_range(const Size *s)
{
	Range r = unknown;
	size_bounds(s, &r.lo, &r.hi);
	r.no_nan = true;
	return r;
}

static Range operator_range(const Node *x, const Range *const *a)
{
	Range t;
	switch ((Op)x->op) { /* what ops.h does not say: arithmetic on ranges */
	case OP_ADD: return sum(a[0], a[1]);
	case OP_SUB: t = minus(a[1]); return sum(a[0], &t);
	case OP_NEG: return minus(a[0]);
	case OP_MUL: return times_range(x, a);
	case OP_DIV: return quotient(a[0], a[1]);
	case OP_POW: return power(a[0], x->arg[1]);
	case OP_MAXIMUM: return extreme(a[0], a[1], true);
	case OP_MINIMUM: return extreme(a[0], a[1], false);
	case OP_WHERE: return range_either(a[1], a[2]);
	case OP_STOP:
	case OP_RESHAPE:
	case OP_TRANSPOSE:
	case OP_EXPAND:
	case OP_SLICE:
	case OP_FLIP:
	case OP_GATHER: return *a[0];
	case OP_PAD: return padded(a[0]);
	case OP_SCATTER_MAX:
	case OP_SCATTER_MIN:
	case OP_SCATTER_SET: return range_either(a[0], a[2]);
	case OP_CONCAT: return of_any(x->narg, a);
	case OP_CAST: return cast_range(x, a[0]);
	case OP_CONTRACT: t = product(a[0], a[1]); return folded(OP_SUM, &t);
	case OP_SIZE: return size_range(x->attr->v[0].u.size);
	case OP_ARGMAX:
	case OP_ARGMIN: return map_range(x, a[0]); /* places, not elements */
	default: break;
	}
	bool folds = op_info[x->op].class == FOLD || op_info[x->op].class == CUMULATIVE;
	return folds ? folded((Op)x->op, a[0]) : map_range(x, a[0]);
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

/* One number, or NaN. */
static Range of_number(double x)
{
	bool nan = isnan(x);
	return (Range){.lo = nan ? -INFINITY : x,
		.hi = nan ? INFINITY : x,
		.declared_open = true,
		.nonzero = x != 0,
		.integer = x == floor(x),
		.finite = isfinite(x),
		.no_nan = !nan,
		.constant = true};
}

/* Of a constant with data, if it is no large one. */
static Range of_data(const Node *x)
{
	enum { LOOKED_AT = 1024 };
	Dtype d = node_dtype(x);
	size_t each = dtype_bytes(d), n = x->attr->v[0].u.data->bytes / (each ? each : 1);
	if (!n || n > LOOKED_AT || d == DT_KEY || dtype_is_complex(d)) return unknown;
	Range all = of_number(element_number(d, constant_bytes(x)));
	for (size_t i = 1; i < n; i++) {
		Range r = of_number(element_number(d, (const char *)constant_bytes(x) + i * each));
		all.lo = fmin(all.lo, r.lo);
		all.hi = fmax(all.hi, r.hi);
		all.nonzero &= r.nonzero;
		all.integer &= r.integer;
		all.finite &= r.finite;
		all.no_nan &= r.no_nan;
	}
	all.constant = all.declared_open = false;
	return all;
}

/* What its dtype says of an integer or bool. */
static void of_whole_dtype(Range *r, const Node *x)
{
	Dtype d = node_dtype(x);
	if (op_info[x->op].class == MAP && dtype_is_integer(d) && wraps(d, r)) *r = unknown;
	if (d == DT_BOOL) {
		r->lo = 0;
		r->hi = 1;
	}
	if (dtype_is_unsigned(d) && r->lo < 0) {
		r->lo = 0;
		r->lo_open = false;
	}
	r->integer = r->finite = r->no_nan = true;
}

/* Operators behind which an end that was declared open is open still: nothing was rounded. */
static bool keeps_ends(const Node *x)
{
	return op_info[x->op].class == VIEW || x->op == OP_NEG || x->op == OP_STOP || x->op == OP_WHERE;
}

static Range range_from(const Node *x, const Range *const *a)
{
	Range r = unknown;
	if (x->type->kind != TYPE_ARRAY) return r;
	Dtype d = node_dtype(x);
	Class class = op_info[x->op].class;
	double value;
	if (x->op == OP_CONST && constant_value(x, &value)) return of_number(value);
	if (x->op == OP_CONST && !constant_is_uniform(x)) return of_data(x);
	bool bound = true;
	for (uint32_t i = 0; i < own_args(x); i++) bound &= a[i] != NULL;
	if (bound && (x->narg || class == LEAF)) r = operator_range(x, a);
	if (dtype_is_integer(d) || d == DT_BOOL) of_whole_dtype(&r, x);
	if (may_pass(x, &r)) r.finite = r.no_nan = false;
	r.finite |= r.no_nan && isfinite(r.lo) && isfinite(r.hi) && class != CONTROL;
	r.declared_open = r.declared_open && keeps_ends(x);
	return r;
}

/* What is promised of a leaf of floats, beside what its dtype says. Bounds of an index would make a one_hot a
 * read, whose derivative is a write. */
static void keep_promise(const Graph *g, const Node *x, Range *r)
{
	const LeafPromise *p = x->op == OP_FRESH || x->op == OP_INPUT ? promise_of(g, x) : NULL;
	if (!p || !dtype_is_float(node_dtype(x))) return;
	bool low = p->low > r->lo || (p->low == r->lo && p->above_low),
	     high = p->high < r->hi || (p->high == r->hi && p->below_high);
	if (low) {
		r->lo = p->low;
		r->lo_open = p->above_low;
	}
	if (high) {
		r->hi = p->high;
		r->hi_open = p->below_high;
	}
	r->declared_open |= low || high;
	r->integer |= p->integer;
	r->no_nan |= p->integer || p->low > -INFINITY || p->high < INFINITY;
	r->finite |= r->no_nan && isfinite(r->lo) && isfinite(r->hi);
	r->nonzero |= ends_off_zero(r);
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
			*r = narg || !own_args(y) || op_info[y->op].class == RANDOM ? range_from(y, a)
										    : unknown;
			keep_promise(f->g, y, r);
			idmap_put(&f->map, y->id, r);
		}
	}
	return idmap_get(&f->map, x->id);
}

const TermFact *term_fact(Facts *f, Node *x)
{
	TermFact *t = idmap_get(&f->terms, x->id);
	if (t) return t;
	t = NEW(f->arena, TermFact);
	*t = (TermFact){term_is_zero(f, x), exponents_key(f, x)};
	idmap_put(&f->terms, x->id, t);
	return t;
}

SumLists *sum_lists(Facts *f)
{
	return &f->sums;
}

IdMap *long_ratios(Facts *f)
{
	return &f->long_ratios;
}
