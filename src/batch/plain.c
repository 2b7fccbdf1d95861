/* plain.c - lanes of operators that treat an axis more as they treat the others: maps, folds, views,
 * products, decompositions, draws.
 *
 * Most are the same operator with its axes one further on.  Which of the integers in its brackets are axes is
 * told by ops.h; lists that hold something for each axis get an entry more at the front.
 */
#include "lanes.h"

/* ---- brackets ----------------------------------------------------------------------------------- */

/* Axes one further on: every `step`-th value of the attribute is one. */
static const Attr *shifted(const Batch *b, const Attr *attr, uint32_t step)
{
	if (!attr) return NULL;
	AttrValue *v = NEW_ARRAY(b->a, AttrValue, attr->n);
	memcpy(v, attr->v, attr->n * sizeof *v);
	for (uint32_t i = 0; i < attr->n; i += step) v[i].u.i++;
	return attr_make(b->g, attr->n, v);
}

/* An attribute of n lists with an entry for each axis, and for the lanes an entry more in each. */
static const Attr *longer(const Batch *b, const Attr *attr, uint32_t lists, const AttrValue *more)
{
	uint32_t n = attr ? attr->n / lists : 0, k = 0;
	AttrValue *v = NEW_ARRAY(b->a, AttrValue, (n + 1) * lists);
	for (uint32_t l = 0; l < lists; l++) {
		v[k++] = more[l];
		for (uint32_t i = 0; i < n; i++) v[k++] = attr->v[l * n + i];
	}
	return attr_make(b->g, k, v);
}

/* transpose: the first axis stays, the others are permuted behind it */
static const Attr *permuted(const Batch *b, const Attr *attr)
{
	const Attr *behind = shifted(b, attr, 1);
	return longer(b, behind, 1, (AttrValue[]){av_int(0)});
}

static const Attr *view_brackets(const Batch *b, const Node *x)
{
	AttrValue none = av_size(size_const(b->g, 0)), all = av_size(b->n), one = av_int(1);
	switch (x->op) {
	case OP_RESHAPE:
		return longer(b, x->attr, 1, &all); /* what is taken axis by axis says so at the end */
	case OP_TRANSPOSE: return permuted(b, x->attr);
	case OP_EXPAND: return shifted(b, x->attr, 2);
	case OP_SLICE: return longer(b, x->attr, 3, (AttrValue[]){none, all, one});
	case OP_PAD: return longer(b, x->attr, 3, (AttrValue[]){none, none, one});
	default: return shifted(b, x->attr, 1); /* FLIP, CONCAT: axes */
	}
}

static const Attr *lane_brackets(const Batch *b, const Node *x)
{
	switch (op_info[x->op].class) {
	case FOLD:
	case CUMULATIVE: return shifted(b, x->attr, 1);
	case VIEW: return view_brackets(b, x);
	default: return x->attr; /* no axes: maps; of the last axes: decompositions, top_k, one_hot */
	}
}

/* ---- products ------------------------------------------------------------------------------------ */

/* Lanes of an operand of a product, 0 in those that take no part: what goes back through a product is one
 * with the other operand, and 0 times what is no number would be no 0. */
static Node *factor_lanes(const Batch *b, Node *x)
{
	Node *lanes = lanes_of(b, x);
	if (!lanes || !b->takes || !dtype_is_float(node_dtype(lanes))) return lanes;
	return choose(b, b->takes, lanes, constant_float(b->g, lanes->type, 0));
}

/* A product gets a label more in what has lanes; what is shared by them stays without. */
static Node *batch_contract(Batch *b, Node *x)
{
	enum { LANE = LABELS_MAX - 1 }; /* others are numbered from 0 */
	int64_t label[3][RANK_MAX + 1];
	uint32_t n[3] = {0}, at = 0;
	Node *y[2];
	for (uint32_t k = 0; k < 3; k++) {
		Node *lanes = k < 2 ? factor_lanes(b, x->arg[k]) : NULL;
		if (k < 2) y[k] = lanes ? lanes : x->arg[k];
		if (k == 2 || lanes) label[k][n[k]++] = LANE;
		for (; at < attr_count(x) && attr_int(x, at) >= 0; at++)
			if (n[k] <= RANK_MAX) label[k][n[k]++] = attr_int(x, at);
		at++;
	}
	return contract(b->g, (Labelled){y[0], label[0]}, (Labelled){y[1], label[1]}, n[2], label[2]);
}

/* A sum of products of what has lanes and what they share is a product.  NULL without an error: x is none. */
static Node *product_of_sum(Batch *b, Node *x)
{
	Node *m = x->arg[0];
	int64_t label[2][RANK_MAX + 1], result[RANK_MAX + 1];
	Labelled y[2];
	if (x->op != OP_SUM || m->op != OP_MUL) return NULL;
	if (!known_of(b, m->arg[0]) || !known_of(b, m->arg[1])) return NULL; /* from outside, as a product */
	if (node_dtype(m) != DT_F64 && node_dtype(m) != DT_F32) return NULL;
	Node *lanes[2] = {lanes_of(b, m->arg[0]), lanes_of(b, m->arg[1])};
	if (!lanes[0] == !lanes[1]) return NULL;
	for (uint32_t k = 0; k < 2; k++) {
		Node *of = lanes[k] ? factor_lanes(b, m->arg[k]) : m->arg[k];
		if (!of) return NULL;
		y[k] = without_repeats(of, label[k]);
		for (uint32_t i = 0; !lanes[k] && i < node_rank(y[k].x); i++) label[k][i]++;
	}
	uint32_t n = 0;
	result[n++] = 0;
	for (uint32_t i = 0, k = 0; i < node_rank(m); i++)
		if (k < attr_count(x) && attr_int(x, k) == i)
			k++;
		else
			result[n++] = 1 + i;
	for (uint32_t i = 0; i < n; i++)
		if (!list_has(node_rank(y[0].x), label[0], result[i]) &&
			!list_has(node_rank(y[1].x), label[1], result[i]))
			return NULL;
	for (uint32_t i = 0; i < attr_count(x); i++) /* what neither has is summed as often as it repeats */
		if (!list_has(node_rank(y[0].x), label[0], 1 + attr_int(x, i)) ||
			!list_has(node_rank(y[1].x), label[1], 1 + attr_int(x, i)))
			return NULL;
	return contract(b->g, y[0], y[1], n, result);
}

/* What goes back through it is multiplied, by values that may be no numbers where nobody asks for them. */
static bool multiplies(const Node *x)
{
	Class class = op_info[x->op].class;
	if (op_info[x->op].flags & LINEAR) return false;
	return (class == MAP || class == FOLD || class == CUMULATIVE) && !(op_info[x->op].flags & EXACT);
}

/* Where it is asked for not in all lanes, what is steep or hangs on it is screened; of what else multiplies
 * the operands are 0 in the others, what they share too: whatever becomes of that is a number there. */
static Node *operand_lanes(const Batch *b, Node *x, uint32_t i)
{
	Node *of = x->arg[i], *lanes = all_lanes(b, of);
	bool sums = op_info[x->op].flags & LINEAR && op_info[x->op].class != MAP;
	if (!lanes || !b->takes || !is_float(lanes) || of->op == OP_CONST) return lanes;
	if (idmap_get(&b->steep, x->id)) return sums ? lanes : screened(b, lanes);
	return multiplies(x) ? choose(b, b->takes, lanes, constant_int(b->g, lanes->type, 0)) : lanes;
}

/* Of one number in each lane a fold is that number: no axes could not be written, as none are all. */
static Node *fold_of_one(const Batch *b, const Node *x, Node *lanes)
{
	if (x->op == OP_ARGMAX || x->op == OP_ARGMIN) return constant_int(b->g, lane_type(b, x->type), 0);
	return cast(b->g, lanes, node_dtype(x));
}

/* ---- the same operator ----------------------------------------------------------------------------- */

bool batch_plain(Batch *b, Node *x, Node **out)
{
	uint32_t n = node_operands(x);
	Node **y = NEW_ARRAY(b->a, Node *, n + 1), *z;
	if (x->op == OP_CONTRACT) return (out[0] = batch_contract(b, x)) != NULL;
	if ((out[0] = product_of_sum(b, x)) || b->g->error.code) return out[0] != NULL;
	for (uint32_t i = 0; i < n; i++)
		if (!(y[i] = operand_lanes(b, x, i))) return false;
	if (node_rank(x) >= RANK_MAX && x->type->kind == TYPE_ARRAY) return lane_type(b, x->type);
	bool one = op_info[x->op].class == FOLD && !attr_count(x);
	z = one ? fold_of_one(b, x, y[0]) : node_make(b->g, (Op)x->op, lane_brackets(b, x), n, y);
	if (!z) return false;
	if (z->type->kind != TYPE_TUPLE) return (out[0] = z) != NULL;
	for (uint32_t i = 0; i < z->type->n; i++)
		if (!(out[i] = get(b->g, z, i))) return false;
	return true;
}
