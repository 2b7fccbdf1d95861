/* calls.c - lanes of functions, and of what has no other way than a loop over them.
 *
 * A function is taken apart.  Of an op of the library or of the user's a line of book batching says what its
 * lanes are.  Without one it stays an op where it says of arrays with an axis more what it says of each lane,
 * so that rules know it by its name; otherwise, where a rule tells its derivative, it is computed in a loop
 * over the lanes, and else it is taken apart too.  So that nothing is moved out of a function of law `exact`,
 * that is a loop.
 */
#include "lanes.h"

/* ---- a loop over the lanes ------------------------------------------------------------------------ */

typedef struct LaneLoop {
	Node **leaf; /* index, then elements */
	Node **seq, **arg;
	uint32_t n;
	Nodes outside;
} LaneLoop;

static bool open_loop(Batch *b, Node *x, LaneLoop *l)
{
	Graph *g = b->g;
	uint32_t n = node_operands(x), k = 0;
	Node **known = NEW_ARRAY(b->a, Node *, n + 1);
	*l = (LaneLoop){.leaf = NEW_ARRAY(b->a, Node *, n + 1),
		.seq = NEW_ARRAY(b->a, Node *, n + 1),
		.arg = NEW_ARRAY(b->a, Node *, n + 1)};
	l->leaf[0] = fresh(g, type_scalar(g, DT_I64), NULL);
	leaf_is_below(g, l->leaf[0], size_node(g, b->n));
	for (uint32_t i = 0; i < n && !g->error.code; i++) {
		Node *lanes = lanes_of(b, x->arg[i]);
		l->arg[i] = x->arg[i];
		if (!lanes) {
			known[k++] = x->arg[i];
			continue;
		}
		l->seq[l->n] = cast(g, lanes, dtype_strong(node_dtype(lanes)));
		l->arg[i] = l->leaf[1 + l->n++] =
			fresh(g, type_with_dtype(g, x->arg[i]->type, dtype_strong(node_dtype(lanes))),
				leaf_name(x->arg[i]));
	}
	l->outside = (Nodes){k, known};
	return !g->error.code;
}

static Why why_by_loop(const Node *x)
{
	if (x->op == OP_CUSTOM) return WHY_KERNEL;
	if (x->op != OP_CALL) return WHY_SIZES;
	return call_function(x)->flags & FN_EXACT ? WHY_EXACT : WHY_OWN;
}

bool batch_by_loop(Batch *b, Node *x, Node **out)
{
	Graph *g = b->g;
	LaneLoop l;
	Closure c;
	uint32_t n = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	Node **result = NEW_ARRAY(b->a, Node *, n), *steps = size_node(g, b->n);
	for (uint32_t i = node_operands(x); i < x->narg; i++)
		if (has_lanes(b, x->arg[i]))
			return graph_fail(g, ERR_TYPE,
				"for all of an axis: %s: its sizes differ from one to the next",
				op_info[x->op].text);
	if (!open_loop(b, x, &l)) return false;
	Node *y = node_make(g, (Op)x->op, x->attr, node_operands(x), l.arg);
	for (uint32_t i = 0; y && i < n; i++) result[i] = x->type->kind == TYPE_TUPLE ? get(g, y, i) : y;
	if (!y ||
		!body_close(g, loop_name[why_by_loop(x)], (Nodes){1 + l.n, l.leaf}, (Nodes){n, result},
			(Around){steps, l.outside}, &c))
		return false;
	Node *loop = scan(g, &c, steps, (Nodes){0}, (Nodes){l.n, l.seq}, 0);
	for (uint32_t i = 0; loop && i < n; i++) out[i] = get(g, loop, i);
	return loop != NULL;
}

/* By a line of book batching, over lanes of all operands; *found: there is one. */
static bool by_rule(Batch *b, Node *x, Node **out, bool *found)
{
	uint32_t n = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	Node **lanes = NEW_ARRAY(b->a, Node *, x->narg + 1);
	bool *shared = NEW_ARRAY(b->a, bool, x->narg + 1);
	const Type **want = NEW_ARRAY(b->a, const Type *, n);
	for (uint32_t i = 0; i < node_operands(x); i++) {
		Node *own = lanes_of(b, x->arg[i]);
		shared[i] = !own;
		if (!own)
			own = spread(b, x->arg[i]);
		else if (b->takes)
			own = screened(b, own);
		lanes[i] = own ? cast(b->g, own, dtype_strong(node_dtype(own))) : NULL;
		if (!lanes[i]) return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!(want[i] = lane_type(b, n == 1 ? x->type : x->type->u.elem[i]))) return false;
	*found = batch_apply(b->g, x, (OperandLanes){lanes, shared}, n, want, out);
	return !b->g->error.code;
}

/* By a line of book batching; one that is elementwise takes all lanes at once, where its signature takes an
 * axis more. */
bool batch_custom(Batch *b, Node *x, Node **out)
{
	const Custom *c = x->attr->v[0].u.custom;
	Node **arg = NEW_ARRAY(b->a, Node *, x->narg + 1);
	Trial trial;
	bool found;
	if (!by_rule(b, x, out, &found)) return false;
	if (found) return true;
	if (!(c->flags & CUSTOM_ELEMENTWISE) || b->takes || x->type->kind == TYPE_TUPLE)
		return batch_by_loop(b, x, out);
	for (uint32_t i = 0; i < x->narg; i++)
		if (!(arg[i] = all_lanes(b, x->arg[i]))) return false;
	trial_begin(b->g, &trial);
	Node *y = b->g->apply_op(b->g, c->name, NULL, x->narg, arg);
	bool whole = y && !b->g->error.code && y->type == lane_type(b, x->type);
	trial_end(b->g, &trial);
	if (!whole) return batch_by_loop(b, x, out);
	out[0] = y;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------------ */

/* The lanes of the function's results, taken apart. */
static bool by_meaning(Batch *b, Node *x, Node **out)
{
	Body body[BODIES_MAX];
	node_bodies(x, body);
	Opened o = body_open(b->g, b->a, x, body);
	if (b->g->error.code || !batch_run(b, o.nresult, o.result)) return false;
	for (uint32_t i = 0; i < o.nresult; i++) out[i] = all_lanes(b, o.result[i]);
	return !b->g->error.code;
}

/* Whole numbers in its brackets may be axes, and are one further on then. */
static const Attr *shifted_brackets(Batch *b, const Attr *attr)
{
	if (!attr) return NULL;
	AttrValue *v = NEW_ARRAY(b->a, AttrValue, attr->n);
	memcpy(v, attr->v, attr->n * sizeof *v);
	for (uint32_t i = 0; i < attr->n; i++)
		if (v[i].kind == A_INT && v[i].u.i >= 0) v[i].u.i++;
	return attr_make(b->g, attr->n, v);
}

/* The op itself, over lanes where there are some, or everywhere (way & 1), perhaps with other brackets (way &
 * 2); NULL without an error: it takes no such. */
enum { WAYS = 4 };
static Node *same_op(Batch *b, Node *x, int way)
{
	const Function *f = call_function(x);
	const Attr *attr = way & 2 ? shifted_brackets(b, f->opattr) : f->opattr;
	Node **arg = NEW_ARRAY(b->a, Node *, x->narg + 1);
	Trial trial;
	if (way & 2 && attr == f->opattr) return NULL;
	for (uint32_t i = 0; i < f->noperand; i++) {
		Node *lanes = lanes_of(b, x->arg[i]);
		arg[i] = way & 1 ? all_lanes(b, x->arg[i]) : x->arg[i];
		if (lanes) arg[i] = lanes;
	}
	trial_begin(b->g, &trial);
	Node *y = b->g->apply_op(b->g, f->op, attr, f->noperand, arg);
	if (b->g->error.code) y = NULL;
	trial_end(b->g, &trial);
	return y && y->op == OP_CALL ? y : NULL;
}

/* Does it say of the lanes together what the op says of each? */
static bool is_lanewise(Batch *b, Node *y, uint32_t n, Node *const *lanes)
{
	Body body[BODIES_MAX];
	node_bodies(y, body);
	Opened o = body_open(b->g, b->a, y, body);
	for (uint32_t i = 0; i < o.nresult && !b->g->error.code; i++)
		if (o.nresult != n || o.result[i] != lanes[i]) return false;
	return !b->g->error.code;
}

/* The op over lanes, screened where it is asked for not in all; same: it says of them together what it says
 * of each. */
static bool over_lanes(Batch *b, Node *x, Node **out, bool *same)
{
	uint32_t n = call_function(x)->nresult;
	Batch in;
	batch_open(&in, b->g, b->a, b->n);
	for (uint32_t i = 0; i < node_operands(x); i++) {
		Node *lanes = lanes_of(b, x->arg[i]);
		batch_seed(&in, x->arg[i], lanes && b->takes ? screened(b, lanes) : lanes);
	}
	*same = false;
	if (!by_meaning(&in, x, out)) return false;
	for (int way = 0; way < WAYS && !*same; way++) {
		Node *y = same_op(&in, x, way);
		if (!y || !is_lanewise(&in, y, n, out)) continue;
		*same = true;
		for (uint32_t i = 0; i < n; i++) out[i] = n == 1 ? y : get(b->g, y, i);
	}
	return !b->g->error.code;
}

static bool batch_op(Batch *b, Node *x, Node **out)
{
	bool same, found;
	if (!by_rule(b, x, out, &found)) return false;
	if (found) return true;
	if (!over_lanes(b, x, out, &same)) return false;
	if (same) return true;
	if (derivative_rule(b->g, x, HEAD_D) || derivative_rule(b->g, x, HEAD_VJP))
		return batch_by_loop(b, x, out);
	return by_meaning(b, x, out);
}

/* A call that stays is one for all lanes, of what it computes for each. */
static bool batch_kept(Batch *b, Node *x, Node **out)
{
	Graph *g = b->g;
	Body body[BODIES_MAX];
	node_bodies(x, body);
	Function *f = body->f;
	Node **leaf = NEW_ARRAY(b->a, Node *, 2 * f->nparam + 1),
	     **given = NEW_ARRAY(b->a, Node *, 2 * f->nparam + 1),
	     **result = NEW_ARRAY(b->a, Node *, f->nresult);
	uint32_t n = f->nparam;
	Batch in;
	batch_open(&in, g, b->a, b->n);
	for (uint32_t i = 0; i < f->nparam && !g->error.code; i++) {
		Node *lanes = is_token(x->arg[i]) ? NULL : lanes_of(b, x->arg[i]);
		leaf[i] = fresh(g, x->arg[i]->type, f->param_name[i]);
		given[i] = x->arg[i];
		if (lanes) given[n] = lanes;
		batch_seed(&in, leaf[i], lanes ? leaf[n++] = fresh(g, lanes->type, f->param_name[i]) : NULL);
		if (idmap_get(&b->steep, x->arg[i]->id)) idmap_put(&in.steep, leaf[i]->id, leaf[i]);
	}
	if (b->takes) {
		given[n] = b->takes;
		in.takes = leaf[n++] = fresh(g, b->takes->type, NULL);
	}
	if (g->error.code) return false;
	function_inline(g, f, body_sizes(b->a, x, body), leaf, result);
	if (g->error.code || !batch_run(&in, f->nresult, result)) return false;
	for (uint32_t i = 0; i < f->nresult; i++) result[i] = all_lanes(&in, result[i]);
	const Title title = {.name = f->name, .flags = f->flags};
	return kept_call(g, title, (Nodes){n, leaf}, given, (Nodes){f->nresult, result}, out);
}

bool batch_call(Batch *b, Node *x, Node **out)
{
	unsigned flags = call_function(x)->flags;
	if (call_is_kept(x)) return batch_kept(b, x, out);
	bool told = own_derivative(x, OWN_DIFFERENTIAL) || own_derivative(x, OWN_PULLBACK);
	if (told && !b->takes && !(flags & FN_EXACT)) return batch_own(b, x, out);
	if (flags & (FN_EXACT | FN_OWN)) return batch_by_loop(b, x, out);
	return flags & FN_OP ? batch_op(b, x, out) : by_meaning(b, x, out);
}
