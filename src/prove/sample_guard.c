/* sample_guard.c - values moved to where a guard holds.
 *
 * Needs: the guard of an instance's rule, of a disjunction one side.  Gives: the range of each variable and
 * which lies below which, as far as comparisons with numbers and with one another say so; and values moved
 * there, mirrored where that is enough, so that of `x >= 0` no sample is left out because of its sign.
 */
#include "sample.h"

static Stretch *bound_of(Instance *in, const Pattern *x)
{
	bool value = x->kind == P_VARIABLE && in->rule->var[x->var].kind == V_VALUE;
	return value ? &in->bound[x->var] : NULL;
}

static bool number_of(Instance *in, const Pattern *p, double *value)
{
	bool minus = p->kind == P_OPERATOR && p->op == OP_NEG;
	if (!guard_number(&in->m, minus ? p->arg[0] : p, value)) return false;
	if (minus) *value = -*value;
	return true;
}

/* x OP value */
static void bound_by(Stretch *b, Op op, double value)
{
	bool strict = op == OP_LT || op == OP_GT, both = op == OP_EQ;
	if (op == OP_NE) b->nonzero |= value == 0;
	if ((op == OP_LT || op == OP_LE || both) && value <= b->hi) {
		b->hi = value;
		b->hi_open = strict;
	}
	if ((op == OP_GT || op == OP_GE || both) && value >= b->lo) {
		b->lo = value;
		b->lo_open = strict;
	}
}

/* x OP y, of two variables */
static void order_by(Instance *in, Op op, uint32_t x, uint32_t y)
{
	bool up = op == OP_LT || op == OP_LE, down = op == OP_GT || op == OP_GE;
	if ((up || down) && in->norder < IN_ORDER) in->order[in->norder++] = (Order){up ? x : y, up ? y : x};
}

static void read_comparison(Instance *in, const Pattern *p)
{
	double value;
	for (uint32_t i = 0; i < 2; i++) {
		const Pattern *x = p->arg[i];
		Op op = i ? mirrored(p->op) : p->op;
		if (op == OP_NONE) op = p->op; /* == and != */
		bool size = x->kind == P_OPERATOR && x->op == OP_ABS;
		Stretch *b = bound_of(in, size ? x->arg[0] : x);
		if (!b || !number_of(in, p->arg[1 - i], &value)) continue;
		if (size && (op == OP_LT || op == OP_LE)) bound_by(b, op == OP_LT ? OP_GT : OP_GE, -value);
		if (!size || op == OP_LT || op == OP_LE) bound_by(b, op, value);
	}
	if (bound_of(in, p->arg[0]) && bound_of(in, p->arg[1]))
		order_by(in, p->op, p->arg[0]->var, p->arg[1]->var);
}

static void read_bounds(Instance *in, const Pattern *p)
{
	if (p->kind == P_LIBRARY) {
		Stretch *b = p->n == 1 ? bound_of(in, p->arg[0]) : NULL;
		if (!b) return;
		b->finite |= !strcmp(p->name, "finite");
		b->number |= !strcmp(p->name, "number");
		b->whole |= !strcmp(p->name, "whole");
	} else if (p->kind == P_OPERATOR && p->op == OP_OR) {
		read_bounds(in, p->arg[random_below(in->random, 2)]);
	} else if (p->kind == P_OPERATOR && p->op == OP_AND) {
		for (uint32_t i = 0; i < p->n; i++) read_bounds(in, p->arg[i]);
	} else if (p->kind == P_OPERATOR && p->n == 2) {
		read_comparison(in, p);
	}
}

void instance_bounds(Instance *in)
{
	in->norder = 0;
	for (uint32_t v = 0; v < RULE_VARIABLES; v++)
		in->bound[v] = (Stretch){.lo = -INFINITY, .hi = INFINITY};
	if (in->rule->guard) read_bounds(in, in->rule->guard);
}

bool guard_leaves_points(const Rule *r)
{
	Random random = {1};
	Instance in = {.rule = r, .random = &random, .m = {.rule = r}};
	bool points = false;
	instance_bounds(&in);
	for (uint32_t v = 0; v < RULE_VARIABLES; v++)
		points |= in.bound[v].hi - in.bound[v].lo <= (r->integer ? 2 : 0);
	return points;
}

/* ---- moving ------------------------------------------------------------------------------------- */

static bool lies_in(const Stretch *b, double x)
{
	return (isfinite(x) || !b->finite) && (!isnan(x) || !b->number) && !(x < b->lo) && !(x > b->hi) &&
		!(isnan(x) && (isfinite(b->lo) || isfinite(b->hi))) && !(b->lo_open && x == b->lo) &&
		!(b->hi_open && x == b->hi) && !(b->nonzero && x == 0);
}

/* Mirrored at the end beyond which it lies; where that leaves it outside, anywhere between the ends. */
static double moved(Random *r, const Stretch *b, double x)
{
	double end = x < b->lo ? b->lo : b->hi, y = isfinite(end) ? 2*end - x : -x;
	if (lies_in(b, y)) return y;
	double far = isfinite(b->lo) && isfinite(b->hi) ? b->hi - b->lo : 4;
	double from = isfinite(b->lo) || !isfinite(b->hi) ? fmax(b->lo, -4) : b->hi - far;
	if (isfinite(b->lo)) from = b->lo;
	double part = random_below(r, 1u << 30) * 0x1p-30;
	return from + far * (random_below(r, 2) ? part : exp2(-60 * part));
}

static void move_value(Random *r, const Stretch *b, Dtype d, void *at)
{
	if (d == DT_BOOL || dtype_is_complex(d)) return;
	double x = element_number(d, at);
	if (dtype_is_integer(d)) {
		if (lies_in(b, x)) return;
		int64_t whole = (int64_t)-(uint64_t)element_whole(d, at);
		memcpy(at, &whole, dtype_bytes(d)); /* all of its bits */
		x = element_number(d, at);
		if (lies_in(b, x)) return;
		x = floor(moved(r, b, x));
		whole = fabs(x) < 0x1p63 ? (int64_t)x : 0;
		if (b->nonzero && !whole) whole = 1;
		memcpy(at, &whole, dtype_bytes(d));
		return;
	}
	if (b->whole) x = floor(x);
	if (!lies_in(b, x)) x = moved(r, b, x);
	if (b->whole) x = ceil(x);
	element_cast(d, at, DT_F64, &x);
}

bool instance_move(Instance *in, uint32_t k, Value *v, int64_t i)
{
	uint32_t var = 0;
	while (var < in->rule->nvar && in->m.value[var] != in->input[k]) var++;
	if (var == in->rule->nvar || in->below[k]) return false;
	void *at = (char *)v->data + (size_t)i * dtype_bytes(v->dtype);
	char before[16];
	memcpy(before, at, dtype_bytes(v->dtype));
	move_value(in->random, &in->bound[var], v->dtype, at);
	return memcmp(before, at, dtype_bytes(v->dtype)) != 0;
}

static void put_in_order(const Value *less, const Value *more)
{
	char *x = less->data, *y = more->data, other[16];
	size_t bytes = dtype_bytes(less->dtype);
	for (int64_t i = 0; i < less->count; i++, x += bytes, y += bytes) {
		if (!(element_number(less->dtype, x) > element_number(less->dtype, y))) continue;
		memcpy(other, x, bytes);
		memcpy(x, y, bytes);
		memcpy(y, other, bytes);
	}
}

static uint32_t input_of(const Instance *in, uint32_t var)
{
	uint32_t k = 0;
	while (k < in->ninput && in->input[k] != in->m.value[var]) k++;
	return k;
}

void instance_put_in_order(Instance *in, Value *v)
{
	for (uint32_t o = 0; o < in->norder; o++) {
		uint32_t less = input_of(in, in->order[o].less), more = input_of(in, in->order[o].more);
		bool both = less < in->ninput && more < in->ninput;
		if (both && v[less].type == v[more].type) put_in_order(&v[less], &v[more]);
	}
}
