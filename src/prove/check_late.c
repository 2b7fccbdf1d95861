/* check_late.c - may a rule fire before derivatives are taken?
 *
 * Needs: a true rule.  Gives: true when the conventional differentials of its
 * sides differ somewhere (at zeros and ties) while that of the left is finite:
 * where(x < 0, -x, x) has the differential dx at 0, abs(x) has 0.  Such a rule
 * fires only in stages after the last derivative.
 */
#include "check.h"

enum { TRIALS = 48, TRIALS_AT_THRESHOLDS = 6, VALUES = 4 /* of each of the latter */ };

/* Tangents of nodes, and which nodes have been looked at. */
typedef struct Tangents {
	Graph *g;
	Arena *arena;
	IdMap of, seen;
	bool by_meanings; /* an op that the table does not know is its meaning */
} Tangents;

static bool has_differentials(const Node *x)
{
	if (x->type->kind != TYPE_ARRAY) return true;
	return dtype_is_float(node_dtype(x)) || dtype_is_complex(node_dtype(x));
}

/* Those of y and of what it is made of. */
static bool add_tangents(Tangents *t, Node *y)
{
	Region *r = region_of(t->arena, 1, &y);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i], *d = NULL;
		if (idmap_get(&t->seen, x->id)) continue;
		idmap_put(&t->seen, x->id, x);
		Node **of = NEW_ARRAY(t->arena, Node *, x->narg + 1);
		bool any = false;
		for (uint32_t k = 0; k < x->narg; k++)
			any |= (of[k] = idmap_get(&t->of, x->arg[k]->id)) != NULL;
		if (!any || !has_differentials(x)) continue;
		if (t->by_meanings && library_name(x) && !derivative_rule(t->g, x, HEAD_D)) {
			Node *meaning = expand_op(t->g, x);
			if (!meaning || !add_tangents(t, meaning)) return false;
			d = idmap_get(&t->of, meaning->id);
		} else if (!derivative_apply(t->g, t->arena, x, of, &d)) {
			return false;
		}
		if (d) idmap_put(&t->of, x->id, d);
	}
	return true;
}

static Node *differential_by(bool meanings, Instance *in, Arena *a, Node *y, Node *const *tangent, uint32_t n)
{
	Tangents t = {.g = in->m.g, .arena = a, .by_meanings = meanings};
	idmap_open(&t.of, a);
	idmap_open(&t.seen, a);
	for (uint32_t k = 0; k < n; k++)
		if (tangent[k]) idmap_put(&t.of, in->input[k]->id, tangent[k]);
	if (!add_tangents(&t, y)) return NULL;
	Node *d = idmap_get(&t.of, y->id);
	return d ? d : constant_int(in->m.g, y->type, 0);
}

Node *differential(Instance *in, Arena *a, Node *y, Node *const *tangent, uint32_t n)
{
	return differential_by(false, in, a, y, tangent, n);
}

static Quad number_at(const Value *v, int64_t i)
{
	return ((Quad *)v->data)[i];
}

static Quad size_of(Quad x)
{
	return x < 0 ? -x : x;
}

/* Two differentials, and the guard, on values: what binary128 does not tell of them is no difference. */
static bool differs(Instance *in, Arena *a, Node *left, Node *right, Node *mask)
{
	Graph *g = in->m.g;
	Node *result[3] = {left, right, mask};
	uint32_t n = mask ? 3 : 2;
	Closure c = {0};
	Value out[3], again[3];
	bool stirred = false;
	/* what a series in the meaning of an op is rounded by is much beside 0 */
	const Quad nothing = names_ops(in->rule->left) || names_ops(in->rule->right) ? 1e-12Q : 1e-300Q;
	if (!function_close(g, (Title){.name = "check"}, (Nodes){in->ninput, in->input}, (Nodes){n,
		result}, &c) ||
		c.ncapture)
		return false;
	Value *v = values_widened(a, in->ninput, instance_values(in, a));
	if (!evaluates(g, a, c.function, v, out, true) || !dtype_is_float(out[0].dtype)) return false;
	for (int64_t i = 0; i < out[0].count; i++) {
		Quad x = number_at(&out[0], i), y = number_at(&out[1], i), size = size_of(x);
		if ((mask && !((uint8_t *)out[2].data)[i]) || !(size < 1e300Q)) continue;
		if (size_of(x - y) <= 1e-9Q * size + nothing) continue;
		if (!stirred && !evaluates_stirred(g, a, c.function, v, again, 1)) return false;
		stirred = true;
		Quad lost = size_of(number_at(&again[0], i) - x), other = size_of(number_at(&again[1],
			i) - y);
		if (!(lost <= 1e-3Q * size) && size > 0) continue;
		if (y == y && !(size_of(x - y) > 64 * (lost + other) + 1e-4900Q)) continue;
		return true;
	}
	return false;
}

/* Both sides of a rule over one instance. */
typedef struct LateSides {
	Instance in;
	uint32_t ninput; /* of the rule; tangents follow */
	Node *left, *right, *mask, *tangent[2 * RULE_VARIABLES];
} LateSides;

static bool open_sides(LateSides *s, Graph *g, const Rule *r, Random *random, int mode)
{
	Instance *in = &s->in;
	bool never = false;
	if (!instance_open(in, g, r, random, DT_F64, mode)) return false;
	if (!dtype_is_float(node_dtype(in->m.node))) return false;
	const Type *type = in->m.node->type;
	s->ninput = in->ninput;
	s->left = in->m.node;
	s->mask = r->guard ? mask_of(in, r->guard, type, &never) : NULL;
	s->right = never ? NULL : fit_type(g, solid(g, instantiate(&in->m, r->right, type)), type);
	for (uint32_t k = 0; s->right && k < s->ninput && 2 * s->ninput < countof(in->input); k++)
		if (dtype_is_float(node_dtype(in->input[k])))
			s->tangent[k] = instance_input(in, in->input[k]->type);
	return s->right;
}

/* The differentials of both, in their place; false: there are none, or of another type. */
static bool derive_sides(LateSides *s)
{
	Arena *a = s->in.m.scratch;
	s->left = differential_by(true, &s->in, a, s->left, s->tangent, s->ninput);
	s->right = s->left ? differential_by(true, &s->in, a, s->right, s->tangent, s->ninput) : NULL;
	return s->right && s->left->type == s->right->type;
}

static bool sides_differ(LateSides *s)
{
	return differs(&s->in, s->in.m.scratch, s->left, s->right, s->mask);
}

static bool is_late_at(Graph *g, const Rule *r, Random *random, int mode)
{
	LateSides s = {0};
	bool late = open_sides(&s, g, r, random, mode) && derive_sides(&s) && sides_differ(&s);
	instance_close(&s.in);
	return late;
}

/* The same where the meanings of its ops, and those of their derivatives, change sides, also of the second
 * derivatives. */
static bool is_late_at_thresholds(Graph *g, const Rule *r, Random *random)
{
	LateSides s = {0};
	bool late = false, open = open_sides(&s, g, r, random, 0);
	for (uint32_t order = 0; open && order < 3 && !late; order++) {
		if (order && !derive_sides(&s)) break;
		collect_thresholds(&s.in, s.left, order);
		collect_thresholds(&s.in, s.right, order);
		uint32_t values = order && s.in.nthreshold ? VALUES : 0;
		for (uint32_t i = 0; i < values && !late; i++) late = sides_differ(&s);
	}
	instance_close(&s.in);
	return late;
}

bool rule_is_late(Graph *g, const Rule *r, uint64_t seed)
{
	static const int modes[] = {5, 5, 0, 5, 1, 5, 8, 5}; /* small whole numbers: zeros and ties */
	Random random = {seed};
	bool late = false;
	if (r->head || r->complex || r->integer) return false;
	for (uint32_t i = 0; i < TRIALS && !late; i++)
		late = is_late_at(g, r, &random, modes[i % countof(modes)]);
	if (!names_ops(r->left) && !names_ops(r->right)) return late;
	for (uint32_t i = 0; i < TRIALS_AT_THRESHOLDS && !late; i++)
		late = is_late_at_thresholds(g, r, &random);
	return late;
}
