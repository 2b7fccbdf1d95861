/* own.c - lanes of a function that tells its derivative: a function of all lanes, whose derivative is told by
 * that of each.
 */
#include "lanes.h"

/* Leaves of one lane, and those of all; where all lanes have the same, it is one leaf. */
typedef struct LaneLeaves { uint32_t n; Node **one, **all; } LaneLeaves;

static LaneLeaves leaves_open(Batch *b, uint32_t n)
{
	return (LaneLeaves){n, NEW_ARRAY(b->a, Node *, n + 1), NEW_ARRAY(b->a, Node *, n + 1)};
}

static void leaf_open(Batch *in, LaneLeaves *l, uint32_t i, const Type *t, bool lanes)
{
	l->one[i] = l->all[i] = fresh(in->g, t, NULL);
	if (lanes) batch_seed(in, l->one[i], l->all[i] = fresh(in->g, lane_type(in, t), NULL));
}

static const Type *result_type(const Node *x, uint32_t i)
{
	return x->type->kind == TYPE_TUPLE ? x->type->u.elem[i] : x->type;
}

/* What is told, over these leaves of one lane. */
static bool derivative_of_lane(
	Batch *in, const Node *call, const Function *h, const LaneLeaves *const part[3], Node **out)
{
	Node **arg = NEW_ARRAY(in->a, Node *, h->nparam + 1);
	const Size **size = NEW_ARRAY(in->a, const Size *, h->nsize + 1);
	uint32_t n = 0;
	for (int k = 0; k < 3; k++)
		for (uint32_t i = 0; i < part[k]->n; i++) arg[n++] = part[k]->one[i];
	if (in->g->error.code || !sizes_as_called(in->g, call, h, arg, size)) return false;
	function_inline(in->g, (Function *)h, size, arg, out);
	return !in->g->error.code && batch_run(in, h->nresult, out);
}

/* An operand that all lanes share gets the sum of what goes back to it. */
static bool told_of_lanes(Batch *in, const LaneLeaves *x, bool forward, uint32_t n, Node **told)
{
	for (uint32_t i = 0; i < n && !in->g->error.code; i++) {
		Node *d = all_lanes(in, told[i]);
		bool shared = !forward && x->one[i] == x->all[i];
		told[i] = shared && d ? fold(in->g, OP_SUM, d, 1, (const int64_t[]){0}) : d;
	}
	return !in->g->error.code;
}

/* x: its operands, y: its results, d: their tangents or cotangents. */
typedef struct OwnLanes { LaneLeaves x, y, d; Node **given, **result, **told; } OwnLanes;

static bool own_open(Batch *b, Batch *in, Node *call, bool forward, OwnLanes *l)
{
	const Function *f = call_function(call);
	uint32_t n = f->nparam, r = f->nresult;
	*l = (OwnLanes){leaves_open(b, n), leaves_open(b, r), leaves_open(b, forward ? n : r),
		NEW_ARRAY(b->a, Node *, n + 1), NEW_ARRAY(b->a, Node *, r + 1),
		NEW_ARRAY(b->a, Node *, (forward ? r : n) + 1)};
	for (uint32_t i = 0; i < n && !b->g->error.code; i++) {
		Node *x = call->arg[i], *lanes = lanes_of(b, x);
		leaf_open(in, &l->x, i, x->type, lanes);
		if (forward) leaf_open(in, &l->d, i, x->type, lanes);
		l->given[i] = lanes ? cast(b->g, lanes, dtype_strong(node_dtype(lanes))) : x;
	}
	for (uint32_t i = 0; i < r && !b->g->error.code; i++) {
		leaf_open(in, &l->y, i, result_type(call, i), true);
		if (!forward) leaf_open(in, &l->d, i, result_type(call, i), true);
	}
	return !b->g->error.code;
}

bool batch_own(Batch *b, Node *x, Node **out)
{
	Graph *g = b->g;
	Body body[BODIES_MAX];
	node_bodies(x, body);
	Function *f = body->f;
	bool forward = own_derivative(x, OWN_DIFFERENTIAL);
	OwnKind kind = forward ? OWN_DIFFERENTIAL : OWN_PULLBACK;
	const Function *h = own_derivative(x, kind);
	OwnLanes l;
	Batch in;
	batch_open(&in, g, b->a, b->n);
	if (!own_open(b, &in, x, forward, &l)) return false;
	function_inline(g, f, body_sizes(b->a, x, body), l.x.one, l.result);
	if (g->error.code || !batch_run(&in, f->nresult, l.result)) return false;
	for (uint32_t i = 0; i < f->nresult; i++) l.result[i] = all_lanes(&in, l.result[i]);
	if (!derivative_of_lane(&in, x, h, (const LaneLeaves *const[]){&l.x, &l.y, &l.d}, l.told) ||
		!told_of_lanes(&in, &l.x, forward, h->nresult, l.told))
		return false;
	const OwnParts p = {.name = f->name, .leaf = {l.x.n, l.x.all}, .result = {f->nresult, l.result},
		.y = {l.y.n, l.y.all}, .d = {l.d.n, l.d.all}, .derivative = {h->nresult, l.told},
		.kind = kind};
	Node *all = own_call(g, &p, l.given);
	for (uint32_t i = 0; all && i < f->nresult; i++) out[i] = f->nresult == 1 ? all : get(g, all, i);
	return all && !g->error.code;
}
