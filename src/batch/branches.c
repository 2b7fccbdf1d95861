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

/* Lanes, but for those that take no part, which have what the first has that does. */
static Node *stand_in(const Batch *b, const Stand *s, Node *lanes)
{
	return s->first ? lanes_from(b, lanes, s->takes, s->first) : lanes;
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
	return screened_by(b, b->takes, lanes);
}

/* What a body has from outside: as it is where all is screened within, else with lanes that stand in. */
void seed_taking(const Batch *b, Batch *in, Nodes from, const Stand *s)
{
	in->takes = s->screens ? s->takes : NULL;
	for (uint32_t i = 0; i < from.n; i++) {
		Node *x = from.v[i], *lanes = NULL;
		Stood *stood = x->type->kind == TYPE_ARRAY ? stood_within(b, x, s) : NULL;
		if (!stood && x->type->kind == TYPE_ARRAY) lanes = lanes_of(b, x);
		batch_seed(in, x, s->screens || !lanes ? lanes : stand_in(b, s, lanes));
		known_of(in, x)->stood[0] = stood;
	}
}

/* What a body has from outside, of which all lanes ask. */
void seed_all(const Batch *b, Batch *in, Nodes from)
{
	in->takes = b->takes;
	for (uint32_t i = 0; i < from.n; i++) {
		Node *x = from.v[i];
		if (x->type->kind != TYPE_ARRAY) continue;
		Stood *stood = stood_of(b, x);
		batch_seed(in, x, stood ? NULL : lanes_of(b, x));
		known_of(in, x)->stood[0] = stood;
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
	bool shared; /* it is computed as it is, once for all lanes: no lane is left out of it */
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
	bool total = x->op == OP_IF || node_is_total(b->g, x, NULL) || (!a->shared && can_mask(b, x));
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
	bool shared = above && (above->shared || !idmap_get(&above->lanes, of->id));
	Ask a = {.b = b, .s = s, .shared = shared};
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

/* Is a result of both sides written, or as it was, where the same array lies? */
static bool both_stood(const Stood *const *s)
{
	return s[0] && s[1] && s[0]->kept && s[0]->kept == s[1]->kept && s[0]->row == s[1]->row &&
		s[0]->takes == s[1]->takes;
}

/* A result of both sides, of which it has lanes if either has. */
static void shared_result(const Batch *b, Node *const *y, Node **lanes)
{
	const Stood *stood[2] = {stood_of(b, y[0]), stood_of(b, y[1])};
	bool any = has_lanes(b, y[0]) || has_lanes(b, y[1]);
	for (uint32_t k = 0; k < 2; k++) {
		if (both_stood(stood))
			lanes[k] = stood[k]->own;
		else
			lanes[k] = any ? all_lanes(b, y[k]) : y[k];
	}
}

static bool shared_condition(Batch *b, Node *x, const Opened *o, Known *out)
{
	uint32_t n = x->type->n;
	Node **result[2] = {NEW_ARRAY(b->a, Node *, n + 1), NEW_ARRAY(b->a, Node *, n + 1)}, *lanes[2];
	for (uint32_t s = 0; s < 2; s++)
		if (!batch_run(b, n, o[s].result)) return false;
	for (uint32_t i = 0; i < n; i++) {
		shared_result(b, (Node *[]){o[0].result[i], o[1].result[i]}, lanes);
		for (uint32_t s = 0; s < 2; s++) result[s][i] = lanes[s];
	}
	Node *y = branch(b->g, x->arg[0], n, result[0], result[1], outside_lanes(b, captured(x), NULL));
	for (uint32_t i = 0; y && i < n; i++) {
		const Stood *stood[2] = {stood_of(b, o[0].result[i]), stood_of(b, o[1].result[i])};
		bool any = has_lanes(b, o[0].result[i]) || has_lanes(b, o[1].result[i]);
		Node *e = get(b->g, y, i);
		if (both_stood(stood))
			out->stood[i] = stood_like(b, stood[0], e, stood[0]->kept);
		else
			out->elem[i] = any ? e : spread(b, e);
	}
	return y && !b->g->error.code;
}

/* ---- a condition of each lane ------------------------------------------------------------------------ */

static Node *zeros(Graph *g, const Type *t)
{
	static const unsigned char none[32];
	return constant(g, t, none);
}

/* A side, for the lanes that take it. */
typedef struct TakenSide {
	Batch in;
	Stand s;
	const Opened *o;
	Node **result; /* for all lanes; those that do not take it get something */
} TakenSide;

static bool open_side(Batch *b, Node *x, const Opened *o, Node *takes, TakenSide *y)
{
	y->o = o;
	y->result = NEW_ARRAY(b->a, Node *, x->type->n + 1);
	stand_ask(b, x, o, (Nodes){0}, &y->s);
	if (!stand_open(b, takes, &y->s)) return false;
	batch_open(&y->in, b->g, b->a, b->n);
	seed_taking(b, &y->in, captured(x), &y->s);
	return batch_run(&y->in, x->type->n, o->result);
}

/* Result i of a side is written where an array lies that is what the other gives as it was: 1 + which side;
 * 0: it is not. */
static uint32_t written_by(const TakenSide *y, uint32_t i)
{
	const Stood *s[2] = {stood_of(&y[0].in, y[0].o->result[i]), stood_of(&y[1].in, y[1].o->result[i])};
	if (!s[0] || !s[1] || !s[0]->kept || s[0]->kept != s[1]->kept) return 0;
	if (s[1]->own == s[1]->kept) return 1;
	return s[0]->own == s[0]->kept ? 2 : 0;
}

/* The results of side k. */
static bool take_side(Batch *b, Node *x, TakenSide *both, uint32_t k)
{
	Graph *g = b->g;
	TakenSide *y = &both[k];
	uint32_t n = x->type->n, *at = NEW_ARRAY(b->a, uint32_t, n + 1), made = 0;
	Node **some = NEW_ARRAY(b->a, Node *, n + 1), **none = NEW_ARRAY(b->a, Node *, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t by = written_by(both, i);
		const Stood *stood = by ? stood_of(&y->in, y->o->result[i]) : NULL;
		y->result[i] = stood ? stood->own : all_lanes(&y->in, y->o->result[i]);
		if (!y->result[i]) return false;
		if (by && by != 1 + k) continue;
		at[made] = i;
		some[made] = y->result[i];
		if (!(none[made++] = stood ? stood->kept : zeros(g, y->result[i]->type))) return false;
	}
	if (y->s.screens && y->s.cheap) return true;
	Nodes outside = outside_with(b->a, outside_lanes(b, captured(x), NULL), 1, &y->s.takes);
	Node *z = made ? branch(g, fold_all(g, OP_ANY, y->s.takes), made, some, none, outside) : NULL;
	for (uint32_t i = 0; z && i < made; i++) y->result[at[i]] = get(g, z, i);
	return (z || !made) && !g->error.code;
}

static bool own_conditions(Batch *b, Node *x, const Opened *o, Known *out)
{
	Graph *g = b->g;
	TakenSide side[2];
	Node *c = lanes_of(b, x->arg[0]);
	for (uint32_t i = 0; i < x->type->n; i++)
		if (x->type->u.elem[i]->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_UNSUPPORTED,
				"for all of an axis: an effect in a branch, of which there is no one order");
	for (uint32_t k = 0; k < 2; k++)
		if (!open_side(b, x, &o[k], k ? build1(g, OP_NOT, c) : c, &side[k])) return false;
	for (uint32_t k = 0; k < 2; k++)
		if (!take_side(b, x, side, k)) return false;
	for (uint32_t i = 0; i < x->type->n; i++) {
		uint32_t by = written_by(side, i);
		const Stood *above = by ? stood_of(&side[2 - by].in, o[2 - by].result[i])->above : NULL;
		Node *y = by ? side[by - 1].result[i] : choose(b, c, side[0].result[i], side[1].result[i]);
		if (!y) return false;
		if (above)
			out->stood[i] = stood_like(b, above, y, above->kept);
		else
			out->elem[i] = y;
	}
	return !g->error.code;
}

bool batch_if(Batch *b, Node *x, Known *out)
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
