/* check_range.c - no rule of law real makes NaN, infinity or 0 of numbers that were in range as they
 * were written. */
#include "check.h"
#include "range.h"

/* Of f16 every normal number counts; in the wider dtypes law real may move a value by as much as ROOM. */
enum { ROOM = 12, VALUES = 8 };

static int room_of(Dtype d)
{
	return is_wide(d) ? ROOM : 0;
}

double range_number(const Value *v, int64_t i)
{
	if (!dtype_is_float(v->dtype)) return 1;
	return element_number(v->dtype, (char *)v->data + (size_t)i * dtype_bytes(v->dtype));
}

double range_scale(Random *r, Dtype d)
{
	int space = room_of(d);
	int least = ilogb(dtype_min(d)) + space, most = ilogb(dtype_max(d)) - space;
	switch (random_below(r, 4)) {
	case 0: return ldexp(1, most - (int)random_below(r, 4));
	case 1: return ldexp(1, (int)random_below(r, 8) - 4);
	default: return ldexp(1, least + (int)random_below(r, (uint32_t)(most - least + 1)));
	}
}

Value range_value(Random *r, Arena *a, const Type *t, double scale, bool positive)
{
	Value v = {.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
	for (uint32_t i = 0; i < t->n; i++) {
		size_is(DIM(t, i), &v.dim[i]);
		v.count *= v.dim[i];
	}
	size_t bytes = dtype_bytes(v.dtype);
	v.data = arena_alloc(a, (size_t)(v.count + 1) * bytes);
	for (int64_t i = 0; i < v.count; i++) {
		double x = (1 + random_below(r, 1000) / 1001.0) * scale;
		if (!positive && random_below(r, 2)) x = -x;
		if (!dtype_is_float(v.dtype)) x = x > 0;
		element_cast(v.dtype, (char *)v.data + (size_t)i * bytes, DT_F64, &x);
	}
	return v;
}

static bool is_normal(double x, Dtype d)
{
	return fabs(x) >= dtype_min(d) && fabs(x) <= dtype_max(d);
}

static void add_parts(Arena *a, RangePair *p, Node *root)
{
	Region *r = region_of(a, 1, &root);
	for (uint32_t i = 0; i < r->n && p->n < RANGE_RESULTS; i++)
		if (r->node[i]->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(r->node[i])))
			p->result[p->n++] = r->node[i];
}

bool range_open(Graph *g, Arena *a, RangePair *p, Nodes in, Node *const after_holds_written[3])
{
	Closure c = {0};
	Node *after = after_holds_written[0], *holds = after_holds_written[1], *written =
		after_holds_written[2];
	p->n = 0;
	p->guarded = holds;
	p->result[p->n++] = after;
	p->result[p->n++] = holds ? holds : after;
	p->result[p->n++] = written;
	add_parts(a, p, written);
	p->nwritten = p->n;
	add_parts(a, p, after);
	if (p->n == RANGE_RESULTS) return false;
	p->f = function_close(g, (Title){.name = "range"}, in, (Nodes){p->n, p->result},
		&c) ? c.function : NULL;
	return p->f && !c.ncapture;
}

static bool is_in_range(const Value *v)
{
	double room = ldexp(1, room_of(v->dtype));
	for (int64_t i = 0; i < v->count; i++) {
		double x = range_number(v, i);
		if (!is_normal(x * room, v->dtype) || !is_normal(x / room, v->dtype)) return false;
	}
	return true;
}

/* Is something on the way too large for its dtype, or too small and not nothing?  Else it is cancelled. */
static bool leaves_range(const RangePair *p, const Value *truth)
{
	for (uint32_t k = p->nwritten; k < p->n; k++) {
		Dtype d = truth[k].dtype;
		for (int64_t i = 0; i < truth[k].count; i++) {
			Quad q = ((Quad *)truth[k].data)[i], size = q < 0 ? -q : q;
			if (size > (Quad)dtype_max(d) || (size > 0 && size < (Quad)dtype_min(d))) return true;
		}
	}
	return false;
}

bool range_is_lost(Graph *g, Arena *a, const RangePair *p, const Value *in, RangeSeen *seen)
{
	Value out[RANGE_RESULTS], truth[RANGE_RESULTS];
	seen->met = false;
	if (!evaluates(g, a, p->f, in, out, false)) return false;
	for (int64_t i = 0; p->guarded && i < out[1].count; i++)
		if (!((uint8_t *)out[1].data)[i]) return false;
	for (uint32_t k = 2; k < p->nwritten; k++)
		if (!is_in_range(&out[k])) return false;
	seen->met = true;
	bool asked = false;
	for (int64_t i = 0; i < out[0].count && dtype_is_float(out[0].dtype); i++) {
		seen->is = range_number(&out[0], i);
		seen->was = range_number(&out[2], i);
		if (isfinite(seen->is) && seen->is != 0) continue;
		if (!asked && !evaluates(g, a, p->f, values_widened(a, p->f->nparam, in), truth,
			true)) return false;
		asked = true;
		double t = (double)((Quad *)truth[2].data)[i], u = (double)((Quad *)truth[0].data)[i];
		/* where they differ much, binary128 has lost what both were to be */
		bool known = fabs(t - u) <= 1e-3 * fabs(t) && is_normal(1.1 * t, out[0].dtype) &&
			is_normal(t / 4, out[0].dtype);
		if (known && leaves_range(p, truth)) return true;
	}
	return false;
}

/* ---- a rule ---------------------------------------------------------------------------- */

static bool is_spread(const Pattern *p, uint32_t var)
{
	if (p->kind == P_OPERATOR && p->op == OP_EXPAND && p->arg[0]->kind == P_VARIABLE &&
		p->arg[0]->var == var)
		return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (is_spread(p->arg[i], var)) return true;
	return false;
}

static bool is_said_wide(const Pattern *guard, uint32_t var)
{
	if (!guard) return false;
	if (guard->kind == P_LIBRARY && !strcmp(guard->name, "wide"))
		return guard->arg[0]->kind == P_VARIABLE && guard->arg[0]->var == var;
	for (uint32_t i = 0; i < guard->n; i++)
		if (is_said_wide(guard->arg[i], var)) return true;
	return false;
}

bool range_may_leave(const Instance *in, uint32_t k)
{
	const Rule *r = in->rule;
	for (uint32_t v = 0; v < r->nvar; v++)
		if (in->m.value[v] == in->input[k]) return is_said_wide(r->guard, v) && is_spread(r->left, v);
	return false;
}

static void say_lost(Text *t, const Instance *in, const Value *v, const RangeSeen *seen)
{
	if (is_wide(in->real)) say_rule(t, in->rule);
	text_printf(t, "the right side leaves the range of %s:", dtype_name(in->real));
	for (uint32_t i = 0, n = 0; i < in->rule->nvar; i++)
		for (uint32_t k = 0; k < in->ninput; k++)
			if (in->m.value[i] == in->input[k] && v[k].count) {
				text_printf(t, "%s%s = ", n++ ? ", " : " at ", in->rule->var[i].name);
				text_number(t, range_number(&v[k], 0), 64);
			}
	text_add(t, " left is ");
	text_number(t, seen->was, 64);
	text_add(t, ", right is ");
	text_number(t, seen->is, 64);
}

static void move_all(Instance *in, Value *v)
{
	instance_bounds(in);
	for (uint32_t k = 0; k < in->ninput; k++)
		for (int64_t i = 0; i < v[k].count; i++) instance_move(in, k, &v[k], i);
	instance_put_in_order(in, v);
}

static bool values_keep_range(Instance *in, const RangePair *p, Text *report, Doubts *doubts)
{
	Random *random = in->random;
	for (uint32_t t = 0; t < VALUES; t++) {
		Arena *a = arena_child(in->m.scratch);
		Value v[2 * RULE_VARIABLES];
		RangeSeen seen = {0};
		bool positive = random_below(random, 2), alike = !random_below(random, 3);
		bool ends = !random_below(random, 4); /* of exponentials */
		double one = range_scale(random, in->real);
		for (uint32_t k = 0; k < in->ninput; k++) {
			double scale = alike ? one : range_scale(random, in->real);
			if (ends) scale = random_below(random, 1000) / 999.0 * log(dtype_max(in->real));
			if (range_may_leave(in, k)) scale = ldexp(1, (int)random_below(random, 20) - 10);
			v[k] = range_value(random, a, in->input[k]->type, scale, positive);
			if (in->below[k])
				memset(v[k].data, 0, (size_t)v[k].count * dtype_bytes(v[k].dtype));
		}
		if (in->rule->guard && t % 2) move_all(in, v);
		bool lost = range_is_lost(in->m.g, a, p, v, &seen);
		if (lost) say_lost(report, in, v, &seen);
		if (lost) doubt_keep(doubts, in, v, 0);
		arena_free(a);
		if (lost) return false;
	}
	return true;
}

static bool names_infinity(const Pattern *p)
{
	if (p->kind == P_LITERAL && !isfinite(p->value)) return true;
	for (uint32_t i = 0; i < p->n; i++)
		if (names_infinity(p->arg[i])) return true;
	return false;
}

/* A number that the right side names is none of the dtype. */
static bool loses_number(const Instance *in, Node *right, Text *report)
{
	Region *r = names_infinity(in->rule->right) ? NULL : region_of(in->m.scratch, 1, &right);
	double value;
	for (uint32_t i = 0; r && i < r->n; i++) {
		const Node *x = r->node[i];
		bool number = x->op == OP_CONST && dtype_is_float(node_dtype(x)) && constant_value(x, &value);
		if (!number || isfinite(value)) continue;
		if (is_wide(in->real)) say_rule(report, in->rule);
		text_printf(report, "a number of the right side leaves the range of %s", dtype_name(in->real));
		return true;
	}
	return false;
}

bool rule_keeps_range(Graph *g, const Rule *r, Dtype d, uint64_t seed, Text *report, Doubts *doubts)
{
	enum { INSTANCES = 10, NARROW_INSTANCES = 30 };
	static const int modes[] = {0, 2, 7, 8};
	const uint32_t instances = is_wide(d) ? INSTANCES : NARROW_INSTANCES;
	Random random = {seed + d};
	bool good = true;
	for (uint32_t i = 0; i < instances && good; i++) {
		Instance in;
		bool never = false;
		if (instance_open(&in, g, r, &random, d, modes[random_below(&random, countof(modes))])) {
			const Type *type = in.m.node->type;
			Node *side[3] = {NULL, r->guard ? mask_of(&in, r->guard, type, &never) : NULL,
				in.m.node};
			if (!never) side[0] = fit_type(g, solid(g, instantiate(&in.m, r->right, type)), type);
			RangePair p;
			bool made = side[0] && !g->error.code;
			good = !made || !loses_number(&in, side[0], report);
			if (made && good &&
				range_open(g, in.m.scratch, &p, (Nodes){in.ninput, in.input}, side))
				good = values_keep_range(&in, &p, report, doubts);
		}
		instance_close(&in);
	}
	return good;
}
