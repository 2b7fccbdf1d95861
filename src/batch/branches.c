/* branches.c - lanes of branches.
 *
 * A condition that all lanes share takes a side for all of them.  Where each has its own, both sides are
 * computed for all lanes, and each takes its own:
 *
 *   a side that cannot fail is computed as it is.  Of a lane that does not take it nothing goes back into
 *   what is steep within, and what multiplies there is 0: 0 times an infinite slope would be no 0.  If it is
 *   more than passing work, that is in a branch which asks whether any lane takes it;
 *
 *   a side that may fail, or loop without an end, is in such a branch, and lanes that do not take it compute
 *   what the first one computes that does.  So what it does is done for a lane that asked for it.
 */
#include "lanes.h"

/* ---- lanes that do not take part ----------------------------------------------------------------- */

bool is_float(const Node *x)
{
	return dtype_is_float(node_dtype(x)) || dtype_is_complex(node_dtype(x));
}

static Node *stopped(Graph *g, Node *x)
{
	return x && is_float(x) ? build1(g, OP_STOP, x) : x;
}

/* Lanes, but for those that take no part, which have what the first has that does. */
static Node *stand_in(const Batch *b, const Stand *s, Node *lanes)
{
	if (!s->first) return lanes;
	Node *other = lanes ? stopped(b->g, gather(b->g, lanes, s->first, 0)) : NULL;
	return other ? choose(b, s->takes, lanes, spread(b, other)) : NULL;
}

bool stand_open(const Batch *b, Node *takes, Stand *s)
{
	s->takes = b->takes && takes ? build2(b->g, OP_AND, b->takes, takes) : takes;
	int64_t lanes;
	s->first = NULL;
	if (s->takes && size_is(b->n, &lanes) && lanes == 0) return true; /* there is none to stand in for */
	Node *number = s->takes ? cast(b->g, s->takes, DT_I8) : NULL;
	s->first = number ? fold_all(b->g, OP_ARGMAX, number) : NULL;
	return s->first != NULL;
}

Node *screened(const Batch *b, Node *lanes)
{
	return lanes && is_float(lanes) ? choose(b, b->takes, lanes, stopped(b->g, lanes)) : lanes;
}

/* What a body has from outside: as it is where all is screened within, else with lanes that stand in. */
void seed_taking(const Batch *b, Batch *in, Nodes from, const Stand *s)
{
	in->takes = s->screens ? s->takes : NULL;
	for (uint32_t i = 0; i < from.n; i++) {
		Node *x = from.v[i], *lanes = x->type->kind == TYPE_ARRAY ? lanes_of(b, x) : NULL;
		batch_seed(in, x, s->screens || !lanes ? lanes : stand_in(b, s, lanes));
	}
}

/* ---- what may be computed where it is not asked for ---------------------------------------------- */

/* Is a slope of it infinite somewhere, or a result no number? */
bool is_steep(const Node *x)
{
	double value;
	unsigned tame = EXACT | LINEAR | BILINEAR | NO_NAN;
	Class class = op_info[x->op].class;
	if ((class != MAP && class != FOLD) || x->type->kind != TYPE_ARRAY || !is_float(x)) return false;
	if (op_info[x->op].flags & tame || x->op == OP_MAX || x->op == OP_MIN) return false;
	if (x->op == OP_POW) return !constant_value(x->arg[1], &value) || value < 1;
	if (x->op == OP_DIV) return !constant_value(x->arg[1], &value) || value == 0;
	return true;
}

/* A body that is asked, and which of its nodes have lanes, and which are steep or hang on what is. */
typedef struct Ask {
	Batch *b;
	Stand *s;
	IdMap lanes, steep;
} Ask;

static void ask_body(const Ask *above, Batch *b, Node *of, const Opened *o, Nodes bound, Stand *s);

/* What all lanes share stays one array: it is given no lanes for the sake of a screen. */
static bool stays_shared(Ask *a, Node *x)
{
	bool lanes = false, steep = is_steep(x);
	for (uint32_t i = 0; i < x->narg; i++) {
		lanes |= idmap_get(&a->lanes, x->arg[i]->id) != NULL;
		steep |= idmap_get(&a->steep, x->arg[i]->id) != NULL;
	}
	if (lanes) idmap_put(&a->lanes, x->id, x);
	if (steep) idmap_put(&a->steep, x->id, x);
	bool screen = (steep && op_info[x->op].class == MAP) || wants_mask(a->b, x);
	return screen && !lanes && node_rank(x) > 0;
}

static void ask_node(Ask *a, Node *x)
{
	Batch *b = a->b;
	Stand *s = a->s;
	Class class = op_info[x->op].class;
	bool function = x->op == OP_IF || x->op == OP_CALL;
	bool passing = class == LEAF || class == MAP || class == FOLD ||
		(class == VIEW && x->op != OP_CONCAT) || x->op == OP_GATHER || x->op == OP_ONE_HOT;
	bool loops = class == CONTROL && !function && x->op != OP_GET && x->op != OP_TUPLE;
	bool total = x->op == OP_IF || node_is_total(b->g, x, NULL) || can_mask(b, x);
	s->screens = s->screens && !loops && class != SOLVE && total;
	s->screens &= !stays_shared(a, x);
	s->cheap &= passing || class == CONTROL || (class == CONTRACT && !node_rank(x)); /* as dot is */
	Body body[BODIES_MAX];
	uint32_t n = function ? node_bodies(x, body) : 0;
	for (uint32_t i = 0; i < n && s->screens; i++) {
		Opened o = body_open(b->g, b->a, x, &body[i]);
		s->screens = !b->g->error.code && !(body[i].f->flags & (FN_EXACT | FN_OWN));
		if (s->screens) ask_body(a, b, x, &o, (Nodes){0}, s);
	}
}

static bool asked_lanes(const Ask *above, const Batch *b, const Node *x)
{
	return above ? idmap_get(&above->lanes, x->id) != NULL : has_lanes(b, x);
}

/* Of what a function binds, an operand each. */
static void bind_operands(Ask *a, const Ask *above, const Node *of, const Opened *o)
{
	for (uint32_t i = 0; of->op == OP_CALL && i < node_operands(of); i++)
		if (asked_lanes(above, a->b, of->arg[i])) idmap_put(&a->lanes, o->param[i]->id, o->param[i]);
}

/* What is computed within, over what it captures; bound: what else of it has lanes; above: the body that it
 * stands in, NULL for the first. */
static void ask_body(const Ask *above, Batch *b, Node *of, const Opened *o, Nodes bound, Stand *s)
{
	Ask a = {.b = b, .s = s};
	IdMap outside;
	Nodes from = captured(of);
	idmap_open(&outside, b->a);
	idmap_open(&a.lanes, b->a);
	idmap_open(&a.steep, b->a);
	bind_operands(&a, above, of, o);
	for (uint32_t i = 0; i < bound.n; i++) idmap_put(&a.lanes, bound.v[i]->id, bound.v[i]);
	for (uint32_t i = 0; i < from.n; i++) {
		idmap_put(&outside, from.v[i]->id, from.v[i]);
		if (asked_lanes(above, b, from.v[i])) idmap_put(&a.lanes, from.v[i]->id, from.v[i]);
	}
	Region *r = region_above(b->a, o->nresult, o->result, &outside);
	for (uint32_t i = 0; i < r->n && s->screens; i++)
		if (!idmap_get(&outside, r->node[i]->id)) ask_node(&a, r->node[i]);
}

void stand_ask(Batch *b, Node *of, const Opened *o, Nodes bound, Stand *s)
{
	*s = (Stand){.screens = true, .cheap = true};
	ask_body(NULL, b, of, o, bound, s);
}

/* ---- one condition ---------------------------------------------------------------------------------- */

/* What is computed outside of the branch: what it captures, and the lanes of that. */
static Nodes outside_of(const Batch *b, const Node *x)
{
	Nodes o = captured(x);
	Node **lanes = NEW_ARRAY(b->a, Node *, o.n + 1);
	for (uint32_t i = 0; i < o.n; i++) lanes[i] = lanes_of(b, o.v[i]);
	return outside_with(b->a, o, o.n, lanes);
}

static bool shared_condition(Batch *b, Node *x, const Opened *o, Node **out)
{
	uint32_t n = x->type->n;
	Node **result[2] = {NEW_ARRAY(b->a, Node *, n + 1), NEW_ARRAY(b->a, Node *, n + 1)};
	for (uint32_t s = 0; s < 2; s++)
		if (!batch_run(b, n, o[s].result)) return false;
	for (uint32_t i = 0; i < n; i++) {
		bool lanes = lanes_of(b, o[0].result[i]) || lanes_of(b, o[1].result[i]);
		for (uint32_t s = 0; s < 2; s++)
			result[s][i] = lanes ? all_lanes(b, o[s].result[i]) : o[s].result[i];
	}
	Node *y = branch(b->g, x->arg[0], n, result[0], result[1], outside_of(b, x));
	for (uint32_t i = 0; y && i < n; i++) {
		bool lanes = lanes_of(b, o[0].result[i]) || lanes_of(b, o[1].result[i]);
		out[i] = lanes ? get(b->g, y, i) : spread(b, get(b->g, y, i));
	}
	return y && !b->g->error.code;
}

/* ---- a condition of each lane ------------------------------------------------------------------------ */

static Node *zeros(Graph *g, const Type *t)
{
	static const unsigned char none[32];
	return constant(g, t, none);
}

/* Results of one side for all lanes; those that do not take it get something. */
static bool take_side(Batch *b, Node *x, const Opened *o, const Stand *s, Node **result)
{
	Graph *g = b->g;
	Batch in;
	uint32_t n = x->type->n;
	Node **none = NEW_ARRAY(b->a, Node *, n + 1);
	batch_open(&in, g, b->a, b->n);
	seed_taking(b, &in, captured(x), s);
	if (!batch_run(&in, n, o->result)) return false;
	for (uint32_t i = 0; i < n; i++) {
		result[i] = all_lanes(&in, o->result[i]);
		none[i] = result[i] ? zeros(g, result[i]->type) : NULL;
		if (!none[i]) return false;
	}
	if (s->screens && s->cheap) return true;
	Nodes outside = outside_with(b->a, outside_of(b, x), 1, &s->takes);
	Node *y = branch(g, fold_all(g, OP_ANY, s->takes), n, result, none, outside);
	for (uint32_t i = 0; y && i < n; i++) result[i] = get(g, y, i);
	return y != NULL;
}

static bool own_conditions(Batch *b, Node *x, const Opened *o, Node **out)
{
	Graph *g = b->g;
	uint32_t n = x->type->n;
	Node **side[2] = {NEW_ARRAY(b->a, Node *, n + 1), NEW_ARRAY(b->a, Node *, n + 1)};
	Node *c = lanes_of(b, x->arg[0]);
	for (uint32_t i = 0; i < n; i++)
		if (x->type->u.elem[i]->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_UNSUPPORTED,
				"for all of an axis: an effect in a branch, of which there is no one order");
	for (uint32_t k = 0; k < 2; k++) {
		Stand s;
		stand_ask(b, x, &o[k], (Nodes){0}, &s);
		if (!stand_open(b, k ? build1(g, OP_NOT, c) : c, &s)) return false;
		if (!take_side(b, x, &o[k], &s, side[k])) return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!(out[i] = choose(b, c, side[0][i], side[1][i]))) return false;
	return true;
}

bool batch_if(Batch *b, Node *x, Node **out)
{
	Body body[BODIES_MAX];
	Opened o[BODIES_MAX];
	uint32_t sides = node_bodies(x, body);
	for (uint32_t s = 0; s < sides; s++) {
		o[s] = body_open(b->g, b->a, x, &body[s]);
		if (b->g->error.code) return false;
	}
	return lanes_of(b, x->arg[0]) ? own_conditions(b, x, o, out) : shared_condition(b, x, o, out);
}
