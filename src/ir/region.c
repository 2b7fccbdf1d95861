/* region.c - the nodes below some results, in the order of their places; rebuilding over replacements. */
#include "ir.h"

enum { LOOKED_FOR = 4 };    /* operands: they are wanted when the first is done */

/* A node with operands yet to be placed. */
typedef struct Visit { Node *x; void **place; uint32_t next, n; } Visit;

typedef struct Walk {
	Arena *a;
	Region *r;
	const IdMap *known; /* NULL: nothing is */
	bool under_sizes;
	Visit *stack;
	uint32_t n, cap, node_cap;
} Walk;

static bool is_placed(const Walk *w, const Node *x)
{
	return idmap_get(&w->r->place, x->id) || (w->known && idmap_get(w->known, x->id));
}

static Visit visit(Walk *w, Node *x)
{
	for (uint32_t k = 1; k < x->narg && k < LOOKED_FOR; k++) __builtin_prefetch(x->arg[k]);
	uint32_t n = w->under_sizes || x->op != OP_SIZE ? x->narg : 0;
	return (Visit){x, idmap_slot(&w->r->place, x->id), 0, n};
}

/* It lies on no path to itself: nobody has placed it since it was met. */
static void place(Walk *w, const Visit *v)
{
	Region *r = w->r;
	GROW(w->a, r->node, r->n, w->node_cap);
	r->node[r->n++] = v->x;
	r->classes |= 1u << op_info[v->x->op].class;
	*v->place = (void *)(uintptr_t)r->n;
}

static void below(Walk *w, Node *root)
{
	if (!root || is_placed(w, root)) return;
	for (Visit v = visit(w, root);;) {
		Node *y = NULL;
		while (v.next < v.n && is_placed(w, y = v.x->arg[v.next])) v.next++;
		if (v.next < v.n) {
			v.next++;
			GROW(w->a, w->stack, w->n, w->cap);
			w->stack[w->n++] = v;
			v = visit(w, y);
			continue;
		}
		place(w, &v);
		if (!w->n) return;
		v = w->stack[--w->n];
	}
}

/* What effects hang on comes first, so that they happen before anything fails that they do not ask for. */
static Region *walk(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known, bool under_sizes)
{
	Walk w = {.a = a, .r = NEW(a, Region), .known = known, .under_sizes = under_sizes};
	w.r->arena = a;
	idmap_open(&w.r->place, a);
	for (uint32_t k = 0; k < nroot; k++)
		if (root[k] && is_token(root[k])) below(&w, root[k]);
	for (uint32_t k = 0; k < nroot; k++) below(&w, root[k]);
	arena_release(a, w.stack, w.cap * sizeof *w.stack);
	return w.r;
}

Region *region_of(Arena *a, uint32_t nroot, Node *const *root)
{
	return walk(a, nroot, root, NULL, true);
}

Region *region_above(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known)
{
	return walk(a, nroot, root, known, true);
}

Region *region_above_sizes(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known)
{
	return walk(a, nroot, root, known, false);
}

bool *region_hanging(Arena *a, const Region *r, Nodes bound)
{
	bool *hangs = NEW_ARRAY(a, bool, r->n);
	for (uint32_t i = 0; i < bound.n; i++) {
		uint32_t at = region_place(r, bound.v[i]);
		if (at != UINT32_MAX) hangs[at] = true;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		for (uint32_t k = 0; k < x->narg; k++) hangs[i] |= hangs[region_place(r, x->arg[k])];
	}
	return hangs;
}

typedef struct Replacing {
	Graph *g;
	IdMap *map;
	atom_map atoms;
	void *user;
} Replacing;

/* A size that a replaced node holds is the size of its replacement. */
static const Size *replace_atom(void *user, const Atom *a)
{
	Replacing *r = user;
	if (a->kind == ATOM_NODE) {
		Node *y = idmap_get(r->map, a->node->id);
		return y && y != a->node ? size_of_node(r->g, y) : NULL;
	}
	return r->atoms ? r->atoms(r->user, a) : NULL;
}

static uint32_t most_operands(const Region *r)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < r->n; i++) most = r->node[i]->narg > most ? r->node[i]->narg : most;
	return most;
}

/* x over what its operands have become; NULL: an error */
static Node *over_replaced(Replacing *how, Node *x, Node **args)
{
	bool same = !how->atoms;
	for (uint32_t k = 0; k < x->narg; k++) {
		args[k] = idmap_get(how->map, x->arg[k]->id);
		same = same && args[k] == x->arg[k];
	}
	if (same) return x;
	Heritage before = heritage_begin(how->g, x);
	Node *y = node_with(how->g, x, args, replace_atom, how);
	heritage_end(how->g, before, x, y);
	return y;
}

void rebuild_each(Graph *g, const Region *r, IdMap *map, node_map by, void *user)
{
	Arena *scratch = arena_child(g->arena);
	Replacing how = {g, map, NULL, NULL};
	Node **args = NEW_ARRAY(scratch, Node *, most_operands(r) + 1);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		watch_step(g->arena, g->watch, 1);
		region_look_ahead(r, i);
		g->bodies++;
		Node *y = over_replaced(&how, x, args);
		g->bodies--;
		if (y) y = by(user, x, y);
		if (y) idmap_put(map, x->id, y);
	}
	arena_free(scratch);
}

void rebuild(Graph *g, Nodes roots, IdMap *map, atom_map atoms, void *user, Node **out)
{
	Arena *scratch = arena_child(g->arena);
	Region *r = region_above(scratch, roots.n, roots.v, map); /* what is done is not walked again */
	Replacing how = {g, map, atoms, user};
	Node **args = NEW_ARRAY(scratch, Node *, most_operands(r) + 1);
	g->bodies++;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		watch_step(g->arena, g->watch, 1);
		region_look_ahead(r, i);
		Node *y = over_replaced(&how, r->node[i], args);
		if (y) idmap_put(map, r->node[i]->id, y);
	}
	g->bodies--;
	for (uint32_t i = 0; i < roots.n; i++)
		out[i] = g->error.code || !roots.v[i] ? NULL : idmap_get(map, roots.v[i]->id);
	arena_free(scratch);
}
