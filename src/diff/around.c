/* around.c - a loop in a side of a branch that walks as one around the branch does, which runs whichever side
 * is taken, is that one.
 *
 * A value that is asked for under a condition has its loop in a side; the gradient runs the same loop with
 * more traces.  The side captures the results of one loop with the traces of both.
 *
 * The loop around then asks for what those in sides ask for, and their branches for it.  Nothing goes in a
 * circle, however many are found in one walk over the graph, as they stand there in this order: what is asked
 * for, the loop, the branch.  What stands in another order, and need not, is walked over first the next time.
 * needs: nodes in any state; gives: the same values, to the bit
 */
#include "merge.h"

/* A loop that runs whichever sides are taken. */
typedef struct OuterLoop {
	Node *x;
	struct OuterLoop *alike; /* the next one that begins as it does */
	List within;         /* loops of sides that are this one */
} OuterLoop;

typedef struct Alike {
	OuterLoop *first;
} Alike;

/* A branch, its sides opened. */
typedef struct OpenSides {
	Node *x;
	Opened o[2];
	Region *r[2];
	List shared; /* loops in it that are around it */
} OpenSides;

typedef struct SideLoops {
	Graph *g;
	Arena *a;
	Region *r;
	IdMap around; /* what is computed whichever sides are taken */
	Table begins; /* Alike, by what they begin with */
	IdMap outer;  /* by loop */
	IdMap sides;  /* by branch */
	IdMap is;     /* loop of a side -> the OuterLoop that it is */
	IdMap gets;   /* loop -> what is read of it, a List */
	IdMap read;   /* what was read of loops that are one -> what is now */
	List first;   /* what the next walk begins with */
	bool found;
} SideLoops;

static bool carries(const Node *x)
{
	return is_counted(x) && states(x);
}

static List *gets_of(SideLoops *s, const Node *loop)
{
	List *l = idmap_get(&s->gets, loop->id);
	if (l) return l;
	l = NEW(s->a, List);
	idmap_put(&s->gets, loop->id, l);
	return l;
}

static void note_gets(SideLoops *s, const Region *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		if (x->op == OP_GET && x->arg[0]->op == OP_SCAN) list_put(s->a, gets_of(s, x->arg[0]), 1, &x);
	}
}

static bool begin_so(const void *item, const void *key)
{
	return begin_alike(((const Alike *)item)->first->x, key);
}

static Alike *alike_to(const SideLoops *s, const Node *x)
{
	return table_find(&s->begins, beginning(x), x, begin_so);
}

static void find_outer(SideLoops *s)
{
	for (uint32_t i = s->r->n; i-- > 0;) {
		Node *x = s->r->node[i];
		if (!carries(x) || !idmap_get(&s->around, x->id)) continue;
		OuterLoop *o = NEW(s->a, OuterLoop);
		Alike *known = alike_to(s, x);
		*o = (OuterLoop){.x = x, .alike = known ? known->first : NULL};
		idmap_put(&s->outer, x->id, o);
		if (!known) {
			known = NEW(s->a, Alike);
			table_add(&s->begins, beginning(x), known);
		}
		known->first = o;
	}
}

/* ---- loops as one ------------------------------------------------------------------------ */

/* The loop over leaves: what its operands are is none of its business, as far as merging goes. */
static Node *over_leaves(SideLoops *s, const Node *x, IdMap *leaves, IdMap *operands)
{
	Node **arg = NEW_ARRAY(s->a, Node *, x->narg);
	arg[0] = x->arg[0];
	for (uint32_t k = 1; k < x->narg; k++) {
		arg[k] = idmap_get(leaves, x->arg[k]->id);
		if (arg[k]) continue;
		if (!(arg[k] = fresh(s->g, x->arg[k]->type, NULL))) return NULL;
		idmap_put(leaves, x->arg[k]->id, arg[k]);
		idmap_put(operands, arg[k]->id, x->arg[k]);
	}
	return node_make(s->g, OP_SCAN, x->attr, x->narg, arg);
}

/* What is read of these loops, and the same of one loop; false: they are several. */
static bool as_one(SideLoops *s, uint32_t n, Node *const *loop, List *was, List *now)
{
	Graph *g = s->g;
	IdMap leaves, operands;
	idmap_open(&leaves, s->a);
	idmap_open(&operands, s->a);
	*was = *now = (List){0};
	for (uint32_t i = 0; i < n; i++) {
		const List *own = gets_of(s, loop[i]);
		Node *x = over_leaves(s, loop[i], &leaves, &operands);
		for (uint32_t k = 0; k < own->n && x; k++) {
			Node *y = get(g, x, (uint32_t)attr_int(own->v[k], 0));
			list_put(s->a, was, 1, &own->v[k]);
			list_put(s->a, now, 1, &y);
		}
	}
	if (!now->n || g->error.code || !diff_merge(g, now->n, now->v)) return false;
	for (uint32_t i = 0; i < now->n; i++)
		if (now->v[i]->op != OP_GET || now->v[i]->arg[0] != now->v[0]->arg[0]) return false;
	rebuild(g, (Nodes){now->n, now->v}, &operands, NULL, NULL, now->v);
	return !g->error.code;
}

/* ---- which of them are ------------------------------------------------------------------- */

/* Does the loop stand behind what one in a side asks for, and before the branch? */
static bool in_order(SideLoops *s, const Node *x, const Node *within, Node *outer)
{
	uint32_t place = region_place(s->r, outer);
	bool right = place < region_place(s->r, x);
	for (uint32_t i = 0; i < within->narg; i++) right &= region_place(s->r, within->arg[i]) < place;
	if (right) return true;
	if (asks_for(s->a, (Nodes){1, &outer}, x)) return false;
	if (asks_for(s->a, (Nodes){within->narg, within->arg}, outer)) return false;
	list_put(s->a, &s->first, within->narg, within->arg);
	list_put(s->a, &s->first, 1, &outer);
	return false;
}

static bool is_outside(const SideLoops *s, const Node *within)
{
	for (uint32_t i = 0; i < within->narg; i++)
		if (region_place(s->r, within->arg[i]) == UINT32_MAX) return false;
	return true;
}

static void share(SideLoops *s, OpenSides *b, Node *within)
{
	OuterLoop *is = idmap_get(&s->is, within->id);
	List was, now;
	if (!carries(within) || idmap_get(&s->around, within->id) || !is_outside(s, within)) return;
	const Alike *begin = alike_to(s, within);
	for (OuterLoop *o = begin ? begin->first : NULL; o && !is && !s->g->error.code; o = o->alike) {
		if (!as_one(s, 2, (Node *[]){o->x, within}, &was, &now)) continue;
		if (!in_order(s, b->x, within, o->x)) continue;
		is = o;
		list_put(s->a, &o->within, 1, &within);
		idmap_put(&s->is, within->id, o);
	}
	if (!is || !in_order(s, b->x, within, is->x)) return;
	list_put(s->a, &b->shared, 1, &within);
	s->found = true;
}

static void find_shared(SideLoops *s)
{
	for (uint32_t i = 0; i < s->r->n && !s->g->error.code; i++) {
		Node *x = s->r->node[i];
		Body body[BODIES_MAX];
		if (x->op != OP_IF || !idmap_get(&s->around, x->id)) continue;
		OpenSides *b = NEW(s->a, OpenSides);
		b->x = x;
		idmap_put(&s->sides, x->id, b);
		node_bodies(x, body);
		for (uint32_t k = 0; k < 2 && !s->g->error.code; k++) {
			b->o[k] = body_open(s->g, s->a, x, &body[k]);
			if (s->g->error.code) return;
			b->r[k] = region_of(s->a, b->o[k].nresult, b->o[k].result);
			note_gets(s, b->r[k]);
		}
		for (uint32_t k = 0; k < 2; k++)
			for (uint32_t j = 0; j < b->r[k]->n; j++) share(s, b, b->r[k]->node[j]);
	}
}

/* ---- what they become -------------------------------------------------------------------- */

/* The loop with those of sides that are it, over what is below it as it is now. */
static void replace_outer(SideLoops *s, OuterLoop *o, IdMap *now)
{
	List all = {0}, was, read;
	list_put(s->a, &all, 1, &o->x);
	list_put(s->a, &all, o->within.n, o->within.v);
	if (!as_one(s, all.n, all.v, &was, &read)) return;
	rebuild(s->g, (Nodes){read.n, read.v}, now, NULL, NULL, read.v);
	for (uint32_t i = 0; i < was.n && !s->g->error.code; i++) {
		idmap_put(&s->read, was.v[i]->id, read.v[i]);
		if (was.v[i]->arg[0] == o->x) idmap_put(now, was.v[i]->id, read.v[i]);
	}
}

/* The branch, whose sides capture what they read of such loops. */
static void replace_sides(SideLoops *s, OpenSides *b, IdMap *now)
{
	Graph *g = s->g;
	IdMap within;
	List outside = {0};
	idmap_open(&within, s->a);
	list_put(s->a, &outside, captured(b->x).n, captured(b->x).v);
	for (uint32_t i = 0; i < b->shared.n; i++) {
		const List *own = gets_of(s, b->shared.v[i]);
		for (uint32_t k = 0; k < own->n; k++) {
			Node *y = idmap_get(&s->read, own->v[k]->id);
			if (!y) continue;
			idmap_put(&within, own->v[k]->id, y);
			list_put(s->a, &outside, 1, &y);
		}
	}
	for (uint32_t k = 0; k < 2; k++)
		rebuild(g, (Nodes){b->o[k].nresult, b->o[k].result}, &within, NULL, NULL, b->o[k].result);
	if (g->error.code) return;
	Node *y = branch(g, b->x->arg[0], b->x->type->n, b->o[0].result, b->o[1].result,
		(Nodes){outside.n, outside.v});
	if (!y || y->type != b->x->type) return;
	rebuild(g, (Nodes){1, &y}, now, NULL, NULL, &y);
	idmap_put(now, b->x->id, y);
}

static void replace_shared(SideLoops *s, uint32_t n, Node **roots)
{
	IdMap now;
	idmap_open(&now, s->a);
	for (uint32_t i = 0; i < s->r->n && !s->g->error.code; i++) {
		OuterLoop *o = idmap_get(&s->outer, s->r->node[i]->id);
		OpenSides *b = idmap_get(&s->sides, s->r->node[i]->id);
		if (o && o->within.n) replace_outer(s, o, &now);
		if (b && b->shared.n) replace_sides(s, b, &now);
	}
	if (!s->g->error.code) rebuild(s->g, (Nodes){n, roots}, &now, NULL, NULL, roots);
}

static void look(SideLoops *s, uint32_t n, Node *const *roots)
{
	List all = {0};
	list_put(s->a, &all, s->first.n, s->first.v);
	list_put(s->a, &all, n, roots);
	s->first.n = 0;
	s->r = region_of(s->a, all.n, all.v);
	idmap_open(&s->around, s->a);
	table_open(&s->begins, s->a);
	idmap_open(&s->outer, s->a);
	idmap_open(&s->sides, s->a);
	idmap_open(&s->is, s->a);
	idmap_open(&s->gets, s->a);
	idmap_open(&s->read, s->a);
	note_around(s->a, (Nodes){n, roots}, &s->around);
	note_gets(s, s->r);
	find_outer(s);
	find_shared(s);
}

/* All that one walk finds; false: nothing, or an error. */
static bool share_found(Graph *g, uint32_t n, Node **roots)
{
	SideLoops s = {.g = g, .a = arena_child(g->arena)};
	look(&s, n, roots);
	if (!s.found && s.first.n && !g->error.code) look(&s, n, roots);
	if (s.found && !g->error.code) replace_shared(&s, n, roots);
	arena_free(s.a);
	return s.found && !g->error.code;
}

enum { ROUNDS = 32 }; /* what is found after a walk hangs on what was found by it */

bool loops_around(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	g->bodies++;
	for (uint32_t i = 0; i < ROUNDS && share_found(g, n, roots); i++) {}
	g->bodies--;
	return !g->error.code;
}
