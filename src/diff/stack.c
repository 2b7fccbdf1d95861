/* stack.c - what a reverse loop would make again of the passes of the loop before it, stacked by that one.
 *
 * A reverse loop keeps what is carried and makes the rest of a pass again.  Where that is a fold or a loop of
 * the pass, it is kept too, up to as much as a pass carries: the loop before has it in its hand.  So the
 * inner one of two loops runs once, not twice.  A loop over pieces of a loop, which is there to keep less,
 * makes in a pass what is larger than its state, and stays as it is; so do loops in bodies, which it has.
 * needs: a closed function; gives: the same values, to the bit
 */
#include "merge.h"
#include "../ir/pass.h"

typedef struct Again {
	Graph *g;
	Arena *a;
	const Region *r;
	LoopPass made, walks; /* the loop that stacks, and one that walks along what that stacks */
	IdMap in_made;        /* node of a pass of `walks` -> the same in a pass of `made` */
	bool *known;          /* by place in `walks`: has it one? */
	const Size *room;     /* elements of a pass that may be kept yet: as many as it carries */
	Node **value, **trace; /* of `walks`, and of `made` */
	uint32_t n, cap[2];
} Again;

static void pair(Again *s, const Node *x, Node *y)
{
	uint32_t place = region_place(s->walks.r, x);
	idmap_put(&s->in_made, x->id, y);
	if (place != UINT32_MAX) s->known[place] = true;
}

/* The elements of `walks` that `made` stacks or walks along too. */
static void pair_elements(Again *s)
{
	const Node *made = s->made.x, *walks = s->walks.x;
	const Opened *o = &s->walks.o;
	pair(s, o->param[0], s->made.o.param[0]);
	for (uint32_t i = 0; i < s->walks.sequences; i++) {
		Node *x = walks->arg[1 + s->walks.carries + i], *leaf = o->param[1 + s->walks.carries + i];
		if (x->op == OP_GET && x->arg[0] == made) pair(s, leaf, s->made.o.result[attr_int(x, 0)]);
		for (uint32_t k = 0; k < s->made.sequences; k++)
			if (made->arg[1 + s->made.carries + k] == x)
				pair(s, leaf, s->made.o.param[1 + s->made.carries + k]);
	}
}

static void spread_known(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		bool known = x->narg || !s->walks.bound[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t place = region_place(r, x->arg[k]);
			known &= place == UINT32_MAX || s->known[place];
		}
		s->known[i] |= known;
	}
}

static void add(Again *s, Node *value, Node *trace)
{
	const Size *own = type_elements(s->g, value->type);
	if (!size_at_most(s->g, own, s->room)) return;
	s->room = size_sub(s->g, s->room, own);
	GROW(s->a, s->value, s->n, s->cap[0]);
	GROW(s->a, s->trace, s->n, s->cap[1]);
	s->value[s->n] = value;
	s->trace[s->n++] = trace;
}

/* Would they be one loop? */
static bool is_one_loop(Again *s, Node *x, Node *y)
{
	if (x == y) return true;
	if (scan_way(x) != scan_way(y) || states(x) != states(y)) return false;
	if (memcmp(x->arg, y->arg, (1 + states(x)) * sizeof *x->arg)) return false;
	Node *both[] = {get(s->g, x, 0), get(s->g, y, 0)};
	return diff_merge(s->g, 2, both) && both[0]->op == OP_GET && both[1]->op == OP_GET &&
		both[0]->arg[0] == both[1]->arg[0];
}

/* What of a loop of the pass is asked for, if `made` has such a loop. */
static void add_loop(Again *s, Node *x, Node *y)
{
	const Region *r = s->made.r, *w = s->walks.r;
	bool has = false;
	for (uint32_t i = 0; i < r->n && !has && !s->g->error.code; i++)
		has = is_counted(r->node[i]) && states(r->node[i]) && is_one_loop(s, r->node[i], y);
	for (uint32_t i = 0; i < w->n && has && !s->g->error.code; i++) {
		Node *of = w->node[i];
		if (of->op == OP_GET && of->arg[0] == x) add(s, of, get(s->g, y, (uint32_t)attr_int(of, 0)));
	}
}

static void find_made(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n && !s->g->error.code; i++) {
		Node *x = r->node[i], *y;
		bool loop = is_counted(x) && states(x), fold = op_info[x->op].class == FOLD;
		if (!s->known[i] || !s->walks.bound[i] || !(loop || fold)) continue;
		rebuild(s->g, (Nodes){1, &x}, &s->in_made, NULL, NULL, &y);
		if (s->g->error.code) return;
		if (loop)
			add_loop(s, x, y);
		else if (region_place(s->made.r, y) != UINT32_MAX)
			add(s, x, y);
	}
}

/* `made` with what is found as further traces. */
static Node *with_stacked(const Again *s)
{
	const LoopPass *l = &s->made;
	Nodes carry = {l->carries, l->x->arg + 1}, sequence = {l->sequences, carry.v + carry.n};
	Node **result = NEW_ARRAY(s->a, Node *, l->o.nresult + s->n);
	Closure c;
	memcpy(result, l->o.result, l->o.nresult * sizeof *result);
	memcpy(result + l->o.nresult, s->trace, s->n * sizeof *result);
	if (!body_close(s->g, scan_body(l->x)->name, (Nodes){1 + carry.n + sequence.n, l->o.param},
		    (Nodes){l->o.nresult + s->n, result}, (Around){scan_steps(l->x), captured(l->x)}, &c))
		return NULL;
	return scan(s->g, &c, l->x->arg[0], carry, sequence, scan_way(l->x));
}

/* roots with `made` as the loop that stacks more, and `walks` as the one that walks along that. */
static bool replace_both(Again *s, uint32_t n, Node **roots)
{
	Graph *g = s->g;
	Node *full = with_stacked(s), **sequence = NEW_ARRAY(s->a, Node *, s->n), *y;
	IdMap now;
	for (uint32_t i = 0; i < s->n && full; i++) sequence[i] = get(g, full, s->made.o.nresult + i);
	Node *shorter = full ? pass_walking(g, s->a, &s->walks, s->n, s->value, sequence) : NULL;
	if (!shorter) return false;
	idmap_open(&now, s->a);
	for (uint32_t i = 0; i < s->r->n && !g->error.code; i++) {
		Node *x = s->r->node[i];
		if (x->op == OP_GET && x->arg[0] == s->made.x)
			idmap_put(&now, x->id, get(g, full, (uint32_t)attr_int(x, 0)));
	}
	rebuild(g, (Nodes){1, &shorter}, &now, NULL, NULL, &y);
	idmap_put(&now, s->walks.x->id, y);
	if (!g->error.code) rebuild(g, (Nodes){n, roots}, &now, NULL, NULL, roots);
	return !g->error.code;
}

/* Do both walk along the same? */
static bool stack_pair(Again *s, Node *made, Node *walks, uint32_t n, Node **roots)
{
	Graph *g = s->g;
	if (made->arg[0] != walks->arg[0]) return false;
	if (!pass_open(g, s->a, made, &s->made) || !pass_open(g, s->a, walks, &s->walks)) return false;
	s->known = NEW_ARRAY(s->a, bool, s->walks.r->n);
	s->room = size_const(g, 0);
	idmap_open(&s->in_made, s->a);
	for (uint32_t i = 0; i < s->made.carries; i++)
		s->room = size_add(g, s->room, type_elements(g, made->type->u.elem[i]));
	pair_elements(s);
	spread_known(s);
	find_made(s);
	return s->n && !g->error.code && replace_both(s, n, roots);
}

static bool is_trace(const Node *x)
{
	return x->op == OP_GET && is_counted(x->arg[0]) && attr_int(x, 0) >= scan_carries(x->arg[0]);
}

/* The first two loops of which one makes again what the other has made; false: none, or an error. */
static bool stack_one(Graph *g, uint32_t n, Node **roots)
{
	Arena *a = arena_child(g->arena);
	Region *r = region_of(a, n, roots);
	bool found = false;
	for (uint32_t i = 0; i < r->n && !found && !g->error.code; i++) {
		Node *x = r->node[i];
		if (!is_counted(x)) continue;
		Node *const *s = x->arg + 1 + scan_carries(x);
		for (uint32_t k = 0; k < scan_sequences(x) && !found && !g->error.code; k++) {
			Again again = {.g = g, .a = a, .r = r};
			found = is_trace(s[k]) && stack_pair(&again, s[k]->arg[0], x, n, roots);
		}
	}
	arena_free(a);
	return found;
}

enum { ROUNDS = 32 };

Function *diff_stack_function(Graph *g, Function *f)
{
	if (!body_any(g, f, is_counted)) return f;
	Arena *a = arena_child(g->arena);
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	memcpy(result, f->result, f->nresult * sizeof *result);
	for (uint32_t i = 0; i < ROUNDS && stack_one(g, f->nresult, result); i++) {}
	bool same = !memcmp(result, f->result, f->nresult * sizeof *result);
	if (!g->error.code && !same) f = function_over(g, f, f->nresult, result);
	arena_free(a);
	return g->error.code ? NULL : f;
}
