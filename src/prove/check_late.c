/* check_late.c - may a rule fire before derivatives are taken?
 *
 * Needs: a true rule.  Gives: true when the conventional differentials of its
 * sides differ somewhere (at zeros and ties) while that of the left is finite:
 * where(x < 0, -x, x) has the differential dx at 0, abs(x) has 0.  Such a rule
 * fires only in stages after the last derivative.
 */
#include "check.h"

Node *differential(Instance *in, Arena *a, Node *y, Node *const *tangent, uint32_t n)
{
	Graph *g = in->m.g;
	Region *r = region_of(a, 1, &y);
	IdMap of;
	idmap_open(&of, a);
	for (uint32_t k = 0; k < n; k++)
		if (tangent[k]) idmap_put(&of, in->input[k]->id, tangent[k]);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i], *d = NULL;
		Node **t = NEW_ARRAY(a, Node *, x->narg + 1);
		bool any = false;
		for (uint32_t k = 0; k < x->narg; k++) any |= (t[k] = idmap_get(&of, x->arg[k]->id)) != NULL;
		if (!any ||
			(x->type->kind == TYPE_ARRAY && !dtype_is_float(node_dtype(x)) &&
				!dtype_is_complex(node_dtype(x))))
			continue;
		if (!derivative_apply(g, a, x, t, &d)) return NULL;
		if (d) idmap_put(&of, x->id, d);
	}
	Node *d = idmap_get(&of, y->id);
	return d ? d : constant_int(g, y->type, 0);
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
	if (!function_close(g, (Title){.name = "check"}, (Nodes){in->ninput, in->input}, (Nodes){n,
		result}, &c) ||
		c.ncapture)
		return false;
	Value *v = values_widened(a, in->ninput, instance_values(in, a));
	if (!evaluates(g, a, c.function, v, out, true) || !dtype_is_float(out[0].dtype)) return false;
	for (int64_t i = 0; i < out[0].count; i++) {
		Quad x = number_at(&out[0], i), y = number_at(&out[1], i), size = size_of(x);
		if ((mask && !((uint8_t *)out[2].data)[i]) || !(size < 1e300Q)) continue;
		if (size_of(x - y) <= 1e-9Q * size + 1e-300Q) continue;
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

bool rule_is_late(Graph *g, const Rule *r, uint64_t seed)
{
	static const int modes[] = {5, 5, 0, 5, 1, 5, 8, 5}; /* small whole numbers: zeros and ties */
	Random random = {seed};
	bool late = false;
	if (r->head || r->complex || r->integer) return false;
	for (uint32_t i = 0; i < 48 && !late; i++) {
		Instance in;
		bool never = false;
		if (instance_open(&in, g, r, &random, DT_F64, modes[i % countof(modes)]) &&
			dtype_is_float(node_dtype(in.m.node))) {
			Node *root = in.m.node, *tangent[2 * RULE_VARIABLES] = {0};
			Arena *a = in.m.scratch;
			uint32_t n = in.ninput;
			Node *mask = r->guard ? mask_of(&in, r->guard, root->type, &never) : NULL;
			Node *right = never
				? NULL
				: fit_type(g, solid(g, instantiate(&in.m, r->right, root->type)), root->type);
			for (uint32_t k = 0; right && k < n && 2 * n < countof(in.input); k++)
				if (dtype_is_float(node_dtype(in.input[k])))
					tangent[k] = instance_input(&in, in.input[k]->type);
			Node *dl = right ? differential(&in, a, root, tangent, n) : NULL;
			Node *dr = dl ? differential(&in, a, right, tangent, n) : NULL;
			late = dr && dl->type == dr->type && differs(&in, a, dl, dr, mask);
		}
		instance_close(&in);
	}
	return late;
}
