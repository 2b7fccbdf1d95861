/* held_put.c - the branches that hold what sides of several ask for (held.c), and what captures of them.
 *
 * What they hold stands over leaves in place of each other first, so that nobody computes it; then each takes
 * its leaf's place, what asks for others behind those.
 */
#include "held.h"

/* What is read of what is held with the results, and leaves for it. */
static void find_gets(HeldOnce *h, IdMap *leaves)
{
	IdMap once, leaf;
	idmap_open(&once, h->a);
	idmap_open(&leaf, h->a);
	for (uint32_t i = 0; i < h->nonce; i++) {
		Once *o = &h->once[i];
		if (o->in != TOP) continue;
		o->get = NEW_ARRAY(h->a, Node *, o->x->type->n);
		o->leaf = NEW_ARRAY(h->a, Node *, o->x->type->n);
		idmap_put(&once, o->x->id, o);
	}
	for (uint32_t i = 0; i < h->nnode && !h->g->error.code; i++) {
		Node *x = h->node[i], *one = met_of(h, x)->x, *y = idmap_get(&leaf, one->id);
		const Met *of = one->op == OP_GET ? met_of(h, one->arg[0]) : NULL;
		Once *o = of ? idmap_get(&once, of->x->id) : NULL;
		if (!o) continue;
		if (!y) {
			y = fresh(h->g, x->type, NULL);
			o->get[o->n] = one;
			o->leaf[o->n++] = y;
			if (y) idmap_put(&leaf, one->id, y);
		}
		if (y) idmap_put(leaves, x->id, y);
	}
}

/* What is computed with the results, as it has become, what is held there among it. */
static Nodes computed_there(const HeldOnce *h, const IdMap *over_leaves, const IdMap *now)
{
	uint32_t n = 0, most = h->nnode;
	for (uint32_t i = 0; i < h->nonce; i++) most += h->once[i].n;
	Node **all = NEW_ARRAY(h->a, Node *, most + 1);
	for (uint32_t i = 0; i < h->nonce; i++)
		for (uint32_t k = 0; k < h->once[i].n; k++) {
			Node *y = idmap_get(now, h->once[i].leaf[k]->id);
			if (y) all[n++] = y;
		}
	for (uint32_t i = 0; i < h->nnode; i++) {
		const Met *t = met_of(h, h->node[i]);
		if (t->held || t->n != 1 || t->place[0] != TOP) continue;
		Node *y = idmap_get(over_leaves, h->node[i]->id);
		if (y && (y = idmap_get(now, y->id))) all[n++] = y;
	}
	return (Nodes){n, all};
}

/* The branch that holds x, or x where nothing needs to ask: what is read of it, in `now` by its leaves. */
static bool put_once(HeldOnce *h, const Once *o, Node *x, Node *asked, const IdMap *over_leaves, IdMap *now)
{
	Graph *g = h->g;
	Node *y[2] = {x, asked};
	Node **value = NEW_ARRAY(h->a, Node *, o->n), **zero = NEW_ARRAY(h->a, Node *, o->n);
	rebuild(g, (Nodes){asked ? 2 : 1, y}, now, NULL, NULL, y);
	for (uint32_t i = 0; i < o->n && y[0]; i++) {
		value[i] = get(g, y[0], (uint32_t)attr_int(o->get[i], 0));
		zero[i] = constant_int(g, o->get[i]->type, 0);
	}
	if (g->error.code) return false;
	Heritage before = heritage_begin(g, o->x);
	Node *held = asked ? branch(g, y[1], o->n, value, zero, computed_there(h, over_leaves, now)) : NULL;
	heritage_end(g, before, o->x, held);
	for (uint32_t i = 0; i < o->n && !g->error.code; i++) {
		Node *z = held ? get(g, held, i) : value[i];
		if (z) idmap_put(now, o->leaf[i]->id, z);
	}
	return !g->error.code;
}

/* Is one of these made of a leaf that has no value yet? */
static bool waits(const HeldOnce *h, Node *x, Node *asked, const IdMap *leaves, const IdMap *now)
{
	Arena *a = arena_child(h->a);
	Region *r = region_of(a, 2, (Node *[]){x, asked});
	bool any = false;
	for (uint32_t i = 0; i < r->n && !any; i++) {
		const uint32_t id = r->node[i]->id;
		any = idmap_get(leaves, id) && !idmap_get(now, id);
	}
	arena_free(a);
	return any;
}

/* What asks for it last before what asks for that; but first what its own question is made of.  root: each
 * over leaves, and what asks for it.  false: they ask for one another, or an error. */
static bool put_all(HeldOnce *h, Node *const *root, const IdMap *over_leaves, IdMap *now)
{
	IdMap leaves;
	idmap_open(&leaves, h->a);
	for (uint32_t i = 0; i < h->nonce; i++)
		for (uint32_t k = 0; k < h->once[i].n; k++)
			idmap_put(&leaves, h->once[i].leaf[k]->id, h->once[i].leaf[k]);
	bool more = true, left = true;
	while (more && left) {
		more = left = false;
		for (uint32_t i = h->nonce; i-- > 0;) {
			Once *o = &h->once[i];
			Node *x = root[2 * i], *asked = root[2 * i + 1];
			if (o->in != TOP || o->put) continue;
			o->put = !waits(h, x, asked, &leaves, now);
			if (o->put && !put_once(h, o, x, asked, over_leaves, now)) return false;
			more |= o->put;
			left |= !o->put;
		}
	}
	return !left;
}

/* What is held with the results, over leaves for each other first. */
static bool hold_at_top(HeldOnce *h, uint32_t n, Node *const *results, Node **out)
{
	Graph *g = h->g;
	Node **root = NEW_ARRAY(h->a, Node *, n + 2 * h->nonce);
	IdMap over_leaves, now;
	idmap_open(&over_leaves, h->a);
	idmap_open(&now, h->a);
	for (uint32_t i = 0; i < h->around.n; i++)
		idmap_put(&over_leaves, h->around.v[i]->id, h->around.v[i]);
	find_gets(h, &over_leaves);
	if (n) memcpy(root, results, n * sizeof *root);
	if (n) memcpy(out, results, n * sizeof *out);
	for (uint32_t i = 0; i < h->nonce; i++) {
		if (h->once[i].in != TOP) continue;
		root[n + 2 * i] = h->once[i].x;
		root[n + 2 * i + 1] = h->once[i].asked;
	}
	const Nodes all = {n + 2 * h->nonce, root};
	if (g->error.code || !rebuild_within(g, all, &over_leaves, root)) return false;
	if (put_all(h, root + n, &over_leaves, &now)) rebuild(g, (Nodes){n, root}, &now, NULL, NULL, out);
	return !g->error.code;
}

static Node *const *held(Graph *g, Arena *a, Nodes results, Nodes bound, const IdMap *known);

/* What is held once within a side. */
static Node *held_within(Graph *g, Arena *a, Node *x)
{
	Body b[BODIES_MAX];
	Node *const *result[BODIES_MAX];
	IdMap known;
	bool changed = false;
	Nodes outer = captured(x);
	node_bodies(x, b);
	idmap_open(&known, a);
	for (uint32_t i = 0; i < outer.n; i++) idmap_put(&known, outer.v[i]->id, outer.v[i]);
	for (uint32_t k = 0; k < 2; k++) {
		Opened o = body_open(g, a, x, &b[k]);
		result[k] = g->error.code ? NULL : held(g, a, (Nodes){o.nresult, o.result}, outer, &known);
		if (!result[k]) return NULL;
		changed |= result[k] != o.result;
	}
	return changed ? branch(g, x->arg[0], x->type->n, result[0], result[1], outer) : x;
}

static bool hold_in_sides(Graph *g, Arena *a, uint32_t n, Node **results, const IdMap *known)
{
	Region *r = known ? region_above(a, n, results, known) : region_of(a, n, results);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		if (x->op != OP_IF || bodies_held(g, x) < 2 * MANY_BODIES) continue;
		Node *y = held_within(g, a, x);
		if (y && y != x) rebuild(g, (Nodes){1, &y}, &map, NULL, NULL, &y);
		if (y && y != x) idmap_put(&map, x->id, y);
	}
	if (!g->error.code) rebuild(g, (Nodes){n, results}, &map, NULL, NULL, results);
	return !g->error.code;
}

static bool holds_many(Graph *g, Arena *a, Nodes results, const IdMap *known)
{
	bool any = false;
	for (const Graph *of = g; of && !any; of = of->under) any = of->branches > 1;
	IdMap none;
	idmap_open(&none, a);
	if (!any) return false;
	Region *r = region_above(a, results.n, results.v, known ? known : &none);
	uint32_t all = 0;
	for (uint32_t i = 0; i < r->n && all < 2 * MANY_BODIES; i++)
		if (r->node[i]->op == OP_IF) all += bodies_held(g, r->node[i]);
	return all >= 2 * MANY_BODIES;
}

static Node *const *held(Graph *g, Arena *a, Nodes results, Nodes bound, const IdMap *known)
{
	if (!holds_many(g, a, results, known)) return results.v;
	HeldOnce h = {.g = g, .a = a, .known = known};
	if (known) h.around = bound;
	Node **out = NEW_ARRAY(a, Node *, results.n + 1);
	idmap_open(&h.bound, a);
	idmap_open(&h.at, a);
	idmap_open(&h.passing, a);
	table_open(&h.alike, a);
	for (uint32_t i = 0; i < bound.n; i++) idmap_put(&h.bound, bound.v[i]->id, bound.v[i]);
	GROW(a, h.place, h.nplace, h.place_cap);
	h.place[h.nplace++] = (Stead){0};
	GROW(a, h.place, h.nplace, h.place_cap);
	h.place[h.nplace++] = (Stead){0}; /* beside it there is none */
	g->bodies++;
	for (uint32_t i = 0; i < results.n; i++) met_below(&h, results.v[i]);
	bool found = !g->error.code && places_of_all(&h, results) && h.nonce;
	if (found && hold_at_top(&h, results.n, results.v, out) && h.deeper)
		hold_in_sides(g, a, results.n, out, known);
	g->bodies--;
	if (g->error.code) return NULL;
	return found ? out : results.v;
}

Node *const *held_once(Graph *g, Arena *a, Nodes results, Nodes bound)
{
	return held(g, a, results, bound, NULL);
}
