/* branch_around.c - what is computed whichever side of a branch is taken is captured by it, not computed
 * again; and so is what is computed whether or not the pass of a guard (close_body.c) is taken.
 *
 * What stands around a branch or a guard is known when that is closed, as other results may use what it does.
 * A chain in which each value is used by a loop and beside it would else hold each value twice as often as
 * the one after it.
 */
#include "close.h"

void note_around(Arena *a, Nodes of, IdMap *around)
{
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	for (uint32_t i = 0; i < of.n; i++) {
		GROW(a, stack, depth, cap);
		stack[depth++] = of.v[i];
	}
	while (depth) {
		Node *y = stack[--depth];
		if (!y || idmap_get(around, y->id)) continue;
		idmap_put(around, y->id, y);
		for (uint32_t k = 0; k < (y->op == OP_IF ? 1 : y->narg); k++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = y->arg[k];
		}
	}
}

/* Is one side of it zeros, or the like: does it hold something for those alone who ask for it? */
static bool is_held_once(const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t n = x->op == OP_IF ? node_bodies(x, b) : 0;
	bool none = false;
	for (uint32_t k = 0; k < n; k++) {
		bool all = true;
		for (uint32_t i = 0; i < b[k].f->nresult; i++) all &= b[k].f->result[i]->op == OP_CONST;
		none |= all;
	}
	return none;
}

typedef struct Sharing {
	const IdMap *around;
	bool bodies; /* what is computed for its sake holds some */
} Sharing;

static Standing stands_around(void *user, const Node *x)
{
	Sharing *s = user;
	if (idmap_get(s->around, x->id)) return STANDS_THERE;
	s->bodies |= node_holds_bodies(x);
	return is_held_once(x) ? STANDS_SAFE : STANDS_OPEN;
}

/* Does it hold bodies, and can nothing fail for being computed here? */
static bool may_be_shared(Graph *g, Node *x, const IdMap *around)
{
	Sharing s = {.around = around};
	return is_total_down_to(g, x, stands_around, &s) && s.bodies;
}

/* What holds bodies is not held twice for being captured by two branches. */
void note_shared(Graph *g, Arena *a, const Region *r, const bool *of, IdMap *around)
{
	IdMap captures;
	idmap_open(&captures, a);
	for (uint32_t i = 0; i < r->n; i++) {
		bool one = r->node[i]->op == OP_IF && (!of || of[i]);
		Nodes outer = one ? captured(r->node[i]) : (Nodes){0};
		for (uint32_t k = 0; k < outer.n; k++) {
			Node *x = outer.v[k];
			if (op_info[x->op].class == LEAF || idmap_get(around, x->id)) continue;
			bool twice = idmap_get(&captures, x->id);
			if (twice && may_be_shared(g, x, around)) note_around(a, (Nodes){1, &x}, around);
			idmap_put(&captures, x->id, x);
		}
	}
}

Nodes within_sides(Arena *a, uint32_t n, Node *const *yes, Node *const *no, const IdMap *around)
{
	Node **node = NULL;
	uint32_t count = 0, cap = 0;
	for (uint32_t k = 0; k < 2; k++) {
		Region *r = region_of(a, n, k ? no : yes);
		for (uint32_t i = 0; i < r->n; i++) {
			if (!idmap_get(around, r->node[i]->id)) continue;
			GROW(a, node, count, cap);
			node[count++] = r->node[i];
		}
	}
	return (Nodes){count, node};
}

/* What is opened of branches while results are closed, and what is computed around them. */
typedef struct Surroundings {
	Graph *g;
	Arena *a;
	IdMap *around;
	IdMap sides; /* branch id -> Opened[2] */
} Surroundings;

static Opened *open_sides(Surroundings *s, Node *x)
{
	Opened *o = idmap_get(&s->sides, x->id);
	Body b[BODIES_MAX];
	if (o) return o;
	o = NEW_ARRAY(s->a, Opened, BODIES_MAX);
	node_bodies(x, b);
	for (uint32_t k = 0; k < 2 && !s->g->error.code; k++) o[k] = body_open(s->g, s->a, x, &b[k]);
	idmap_put(&s->sides, x->id, o);
	return o;
}

/* Does a side, or one within it, compute what is computed around it? */
static bool computes_around(Surroundings *s, Node *x)
{
	Arena *a = arena_child(s->a);
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	bool found = false;
	IdMap seen;
	idmap_open(&seen, a);
	for (uint32_t i = 0; i < captured(x).n; i++) idmap_put(&seen, captured(x).v[i]->id, x);
	GROW(a, stack, depth, cap);
	stack[depth++] = x;
	while (depth && !found && !s->g->error.code) {
		Node *y = stack[--depth];
		if (idmap_get(&seen, y->id)) continue;
		idmap_put(&seen, y->id, y);
		found = y != x && op_info[y->op].class != LEAF && idmap_get(s->around, y->id) &&
			!is_made_again(y);
		Opened *o = y->op == OP_IF && !found ? open_sides(s, y) : NULL;
		for (uint32_t k = 0; o && k < 2; k++)
			for (uint32_t i = 0; i < o[k].nresult; i++) {
				GROW(a, stack, depth, cap);
				stack[depth++] = o[k].result[i];
			}
		for (uint32_t i = 0; y != x && i < y->narg; i++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = y->arg[i];
		}
	}
	arena_free(a);
	return found;
}

/* Is all that it captures computed around it, or asked for by both sides? */
static bool captures_around(Surroundings *s, Node *x)
{
	Nodes outer = captured(x);
	Opened *o = open_sides(s, x);
	Arena *a = arena_child(s->a);
	Region *r[2] = {region_of(a, o[0].nresult, o[0].result), region_of(a, o[1].nresult, o[1].result)};
	bool all = true;
	for (uint32_t i = 0; i < outer.n && all; i++) {
		const Node *y = outer.v[i];
		bool both = region_place(r[0], y) != UINT32_MAX && region_place(r[1], y) != UINT32_MAX;
		all = both || op_info[y->op].class == LEAF || idmap_get(s->around, y->id);
	}
	arena_free(a);
	return all;
}

/* The branch that captures what is computed around it. */
static Node *made_again(Surroundings *s, Node *x)
{
	Graph *g = s->g;
	Arena *a = s->a;
	IdMap *around = s->around;
	Opened *side = open_sides(s, x);
	if (g->error.code) return NULL;
	if (captures_around(s, x) && !computes_around(s, x)) {
		note_around(a, captured(x), around);
		return x;
	}
	Nodes outside = within_sides(a, x->type->n, side[0].result, side[1].result, around);
	Node *y = branch(g, x->arg[0], x->type->n, side[0].result, side[1].result, outside);
	if (y) note_around(a, captured(y), around);
	return y;
}

/* A loop of one pass or none, over nothing. */
static bool is_guard(Graph *g, const Node *x)
{
	if (x->op != OP_SCAN || is_effect(x) || scan_is_while(x) || scan_sequences(x)) return false;
	if (scan_body(x)->nresult != scan_carries(x)) return false;
	const Size *n = size_of_node(g, cast(g, x->arg[0], DT_I64));
	return n && size_holds(g, n, size_const(g, 1), false);
}

/* The guard that captures what is computed around it. */
static Node *guard_again(Surroundings *s, Node *x)
{
	Graph *g = s->g;
	Arena *a = s->a;
	IdMap *around = s->around;
	Opened o = scan_open(g, a, x);
	if (g->error.code) return NULL;
	Region *r = region_of(a, o.nresult, o.result);
	Nodes known = captured(x);
	Node **outside = NEW_ARRAY(a, Node *, r->n + 1);
	uint32_t n = 0, nnew = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		Node *y = r->node[i];
		bool is_known = op_info[y->op].class == LEAF;
		if (!idmap_get(around, y->id)) continue;
		for (uint32_t k = 0; k < known.n; k++) is_known |= known.v[k] == y;
		nnew += !is_known;
		outside[n++] = y;
	}
	if (!nnew) return x;
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){1 + scan_carries(x), o.param},
		    (Nodes){o.nresult, o.result}, (Around){x->arg[0], {n, outside}}, &c))
		return NULL;
	Node *y = scan(g, &c, x->arg[0], (Nodes){scan_carries(x), x->arg + 1}, (Nodes){0}, scan_way(x));
	if (y) note_around(a, captured(y), around);
	return y;
}

/* The places of nodes that others stand for, each behind those that the other is made of. */
static uint32_t in_order(Arena *a, const Region *r, Node *const *now, Nodes results, uint32_t *order)
{
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0, n = 0;
	bool *left = NEW_ARRAY(a, bool, r->n);
	IdMap seen;
	idmap_open(&seen, a);
	for (uint32_t i = 0; i < results.n; i++) {
		GROW(a, stack, depth, cap);
		stack[depth++] = results.v[i];
	}
	while (depth) {
		Node *x = stack[depth - 1];
		uint32_t at = region_place(r, x);
		Node *other = at != UINT32_MAX ? now[at] : NULL;
		if (idmap_get(&seen, x->id)) {
			depth--;
			if (other && !left[at]) order[n++] = at;
			if (other) left[at] = true;
			continue;
		}
		idmap_put(&seen, x->id, x);
		const bool same = !other || other == x;
		for (uint32_t k = 0; k < (same ? x->narg : 1); k++) {
			GROW(a, stack, depth, cap);
			stack[depth++] = same ? x->arg[k] : other;
		}
	}
	return n;
}

/* here: by place, what is computed here; what has happened elsewhere is not made anew */
static Node **rebuilt(Graph *g, Arena *a, const Region *r, const bool *here, Node **now, Nodes results)
{
	Node **out = NEW_ARRAY(a, Node *, results.n + 1);
	uint32_t *order = NEW_ARRAY(a, uint32_t, r->n + 1), n = in_order(a, r, now, results, order);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n; i++)
		if (!here[i] && is_effect(r->node[i])) idmap_put(&map, r->node[i]->id, r->node[i]);
	for (uint32_t i = 0; i < n && !g->error.code; i++) {
		Node *x;
		rebuild(g, (Nodes){1, &now[order[i]]}, &map, NULL, NULL, &x);
		idmap_put(&map, r->node[order[i]]->id, x);
	}
	if (!g->error.code) rebuild(g, results, &map, NULL, NULL, out);
	return g->error.code ? NULL : out;
}

/* The branches and guards that are made anew where these results are closed, by place; NULL: none.  `here`
 * gets what is computed there. */
static bool *own_bodies(Graph *g, Arena *a, const Region *r, Nodes bound, const IdMap *own, bool **here)
{
	bool *is = NEW_ARRAY(a, bool, r->n), any = false;
	*here = region_hanging(a, r, bound);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		(*here)[i] |= own && idmap_get(own, x->id);
		is[i] = (*here)[i] && (x->op == OP_IF || is_guard(g, x));
		any |= is[i];
	}
	return any ? is : NULL;
}

Node *const *captured_around(
	Graph *g, Arena *a, Nodes results, Nodes bound, Nodes outside, const IdMap *own)
{
	bool any = false;
	for (const Graph *of = g; of; of = of->under) any |= of->branches || of->guards;
	if (!any) return results.v;
	Region *r = region_of(a, results.n, results.v);
	bool *here, *is = own_bodies(g, a, r, bound, own, &here), changed = false;
	if (!is) return results.v;
	Node **now = NEW_ARRAY(a, Node *, r->n);
	IdMap around;
	Surroundings s = {.g = g, .a = a, .around = &around};
	idmap_open(&around, a);
	idmap_open(&s.sides, a);
	note_around(a, results, &around);
	note_shared(g, a, r, is, &around);
	for (uint32_t i = 0; i < outside.n; i++) idmap_put(&around, outside.v[i]->id, outside.v[i]);
	g->bodies++;
	/* from the last on: what one captures is around those before it */
	for (uint32_t i = r->n; i-- > 0 && !g->error.code;) {
		Node *x = r->node[i];
		if (!is[i] || !idmap_get(&around, x->id)) continue;
		now[i] = (x->op == OP_IF ? made_again : guard_again)(&s, x);
		changed |= now[i] != x;
	}
	Node *const *out = results.v;
	if (changed && !g->error.code) out = rebuilt(g, a, r, here, now, results);
	if (g->error.code) out = NULL;
	g->bodies--;
	return out;
}
