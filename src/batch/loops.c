/* loops.c - lanes of loops: one loop, each pass of which is made for all lanes.
 *
 * What is carried has lanes where it begins with some or gets some in a pass.  Where lanes end apart (each
 * with a condition of its own, or so many passes), the loop goes on until the last has ended; those that have
 * ended keep their state, and take no part in a pass (branches.c says how).
 */
#include "lanes.h"

typedef struct LaneScan {
	Batch *b;
	Node *x;
	uint32_t carries, bound; /* bound: index, carried, elements */
	bool *on;                /* which carried values have lanes */
	bool own_steps, own_condition;
	/* of a round */
	Batch in;
	Opened o;
	Node **leaf, **first; /* by parameter: what is bound, and where it begins or what it walks along */
	Node *active;         /* which lanes are in this pass; NULL: all */
} LaneScan;

static bool ends_apart(const LaneScan *l)
{
	return l->own_steps || l->own_condition;
}

/* [n, steps, ...] and [steps, n, ...] */
static Node *axes_turned(Graph *g, Node *x)
{
	return axes_first(g, x, 1, (int64_t[]){1});
}

/* ---- a round: the body's lanes when these carried values have some --------------------------------------
 * */

static bool bind_parameters(LaneScan *l)
{
	Batch *b = l->b;
	Graph *g = b->g;
	batch_seed(&l->in, l->o.param[0], NULL);
	for (uint32_t i = 1; i < l->bound; i++) {
		Node *outer = l->x->arg[i], *p = l->o.param[i];
		bool carried = i <= l->carries, lifted = carried ? l->on[i - 1] : lanes_of(b, outer) != NULL;
		l->leaf[i] = p;
		l->first[i] = outer;
		if (lifted) {
			const Type *t = lane_type(b, p->type);
			l->leaf[i] = t ? fresh(g, t, leaf_name(p)) : NULL;
			l->first[i] = carried ? all_lanes(b, outer) : axes_turned(g, lanes_of(b, outer));
		}
		if (!l->leaf[i] || !l->first[i]) return false;
		batch_seed(&l->in, p, lifted ? l->leaf[i] : NULL);
	}
	return true;
}

/* Which lanes are in the pass. */
static bool find_active(LaneScan *l)
{
	Graph *g = l->b->g;
	l->active = l->own_condition ? l->leaf[1] : NULL;
	if (!l->own_steps) return true;
	Node *within = build2(g, OP_LT, spread(l->b, l->o.param[0]), lanes_of(l->b, l->x->arg[0]));
	l->active = l->active && within ? build2(g, OP_AND, l->active, within) : within;
	return l->active != NULL;
}

/* What lanes see that have ended; of what is bound, too. */
static bool seed_active(LaneScan *l)
{
	Stand s;
	Batch bound;
	Node **lifted = NEW_ARRAY(l->b->a, Node *, l->bound);
	uint32_t n = 0;
	for (uint32_t i = 1; i < l->bound; i++)
		if (l->leaf[i] != l->o.param[i]) lifted[n++] = l->o.param[i];
	stand_ask(l->b, l->x, &l->o, (Nodes){n, lifted}, &s);
	if (!stand_open(l->b, l->active, &s)) return false;
	seed_taking(l->b, &l->in, captured(l->x), &s);
	batch_open(&bound, l->b->g, l->b->a, l->b->n);
	for (uint32_t i = 1; i < l->bound; i++)
		batch_seed(&bound, l->o.param[i], l->leaf[i] == l->o.param[i] ? NULL : l->leaf[i]);
	seed_taking(&bound, &l->in, (Nodes){l->bound - 1, l->o.param + 1}, &s);
	return !l->b->g->error.code;
}

/* more: another carried value has got lanes, or lanes end apart. */
static bool make_round(LaneScan *l, bool *more)
{
	Batch *b = l->b;
	*more = false;
	l->o = scan_open(b->g, b->a, l->x);
	batch_open(&l->in, b->g, b->a, b->n);
	if (b->g->error.code || !bind_parameters(l) || !find_active(l)) return false;
	if (!ends_apart(l))
		seed_all(l->b, &l->in, captured(l->x));
	else if (!seed_active(l))
		return false;
	if (!batch_run(&l->in, l->o.nresult, l->o.result)) return false;
	for (uint32_t i = 0; i < l->carries; i++) {
		bool lanes = ends_apart(l) || has_lanes(&l->in, l->o.result[i]);
		if (!l->on[i] && lanes) l->on[i] = *more = true;
	}
	if (scan_is_while(l->x) && l->on[0] && !l->own_condition) l->own_condition = *more = true;
	return true;
}

/* ---- the loop
 * ----------------------------------------------------------------------------------------------- */

/* As many passes as the lane needs that has the most; where one's number is below 0, that, which is an error.
 * */
static Node *most_steps(const LaneScan *l)
{
	Graph *g = l->b->g;
	Node *steps = lanes_of(l->b, l->x->arg[0]), *zero = constant_int(g, type_scalar(g, DT_I64), 0);
	Node *least = fold_all(g, OP_MIN, steps), *most = fold_all(g, OP_MAX, steps);
	if (!least || !most) return NULL;
	return build3(g, OP_WHERE, build2(g, OP_LT, least, zero), least, build2(g, OP_MAXIMUM, most, zero));
}

/* Its next carried value i. */
static Node *next_value(const LaneScan *l, uint32_t i)
{
	Graph *g = l->b->g;
	if (!l->on[i]) return l->o.result[i];
	const Stood *stood = stood_of(&l->in, l->o.result[i]);
	if (stood && ends_apart(l) && stood->kept == l->leaf[1 + i]) return stood->own;
	Node *next = all_lanes(&l->in, l->o.result[i]);
	if (!ends_apart(l)) return next;
	return l->own_condition && !i ? build2(g, OP_AND, l->active, next)
				      : choose(l->b, l->active, next, l->leaf[1 + i]);
}

static void add_traces(const LaneScan *l, Node **result, uint32_t *n)
{
	for (uint32_t i = l->carries; i < l->o.nresult; i++) {
		Node *lanes = lanes_of(&l->in, l->o.result[i]);
		result[(*n)++] = lanes ? lanes : l->o.result[i];
	}
}

/* The loop over all lanes; a condition of each is carried behind that of them together. */
static Node *make_loop(LaneScan *l, uint32_t *extra)
{
	Graph *g = l->b->g;
	Arena *a = l->b->a;
	uint32_t most = l->bound + l->o.nresult + 2, np = 0, nf = 0, nr = 0;
	Node **param = NEW_ARRAY(a, Node *, most), **first = NEW_ARRAY(a, Node *, most),
	     **result = NEW_ARRAY(a, Node *, most), *next = next_value(l, 0);
	*extra = l->own_condition;
	param[np++] = l->o.param[0];
	if (l->own_condition) {
		param[np++] = fresh(g, type_scalar(g, DT_BOOL), NULL);
		first[nf++] = fold_all(g, OP_ANY, l->first[1]);
		result[nr++] = fold_all(g, OP_ANY, next);
	}
	for (uint32_t i = 1; i < l->bound; i++) {
		param[np++] = l->leaf[i];
		first[nf++] = l->first[i];
	}
	for (uint32_t i = 0; i < l->carries; i++) result[nr++] = next_value(l, i);
	add_traces(l, result, &nr);
	Node *steps = l->own_steps ? most_steps(l) : l->x->arg[0];
	Closure c;
	if (!steps ||
		!body_close(g, scan_body(l->x)->name, (Nodes){np, param}, (Nodes){nr, result},
			(Around){scan_is_while(l->x) ? NULL : steps,
				outside_lanes(l->b, captured(l->x), lanes_of(l->b, l->x->arg[0]))},
			&c))
		return NULL;
	uint32_t carries = l->carries + *extra;
	return scan(g, &c, steps, (Nodes){carries, first}, (Nodes){nf - carries, first + carries},
		scan_way(l->x));
}

bool batch_scan(Batch *b, Node *x, Node **out)
{
	uint32_t carries = scan_carries(x), extra;
	LaneScan l = {.b = b, .x = x, .carries = carries, .bound = 1 + carries + scan_sequences(x)};
	l.own_steps = lanes_of(b, x->arg[0]) != NULL;
	l.on = NEW_ARRAY(b->a, bool, carries + 1);
	l.leaf = NEW_ARRAY(b->a, Node *, l.bound);
	l.first = NEW_ARRAY(b->a, Node *, l.bound);
	if (l.own_steps && scan_sequences(x))
		return batch_by_loop(b, x, out); /* sequences that long,
		in each lane */
	for (uint32_t i = 0; i < carries; i++) {
		if (x->arg[1 + i]->type->kind != TYPE_ARRAY)
			return graph_fail(b->g, ERR_UNSUPPORTED,
				"for all of an axis: an effect in a loop, of which there is no one order");
		l.on[i] = l.own_steps || lanes_of(b, x->arg[1 + i]);
	}
	l.own_condition = scan_is_while(x) && l.on[0];
	for (uint32_t i = 0; l.own_condition && i < carries; i++) l.on[i] = true;
	for (bool more = true; more;)
		if (!make_round(&l, &more)) return false;
	Node *loop = make_loop(&l, &extra);
	for (uint32_t i = 0; loop && i < l.o.nresult; i++) {
		bool lanes = i < carries ? l.on[i] : has_lanes(&l.in, l.o.result[i]);
		Node *e = get(b->g, loop, extra + i);
		if (!lanes)
			out[i] = spread(b, e);
		else
			out[i] = i < carries ? e : axes_turned(b->g, e);
		if (!out[i]) return false;
	}
	return loop != NULL;
}
