/* region.c - the nodes below some results, in the order of their places; rebuilding over replacements. */
#include "ir.h"

static Region *walk(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known, bool under_sizes)
{
	Region *r = NEW(a, Region);
	r->arena = a;
	idmap_open(&r->place, a);
	typedef struct Visit {
		Node *x;
		uint32_t next;
	} Visit;
	Visit *stack = NULL;
	uint32_t n = 0, cap = 0, node_cap = 0;
	for (uint32_t k = 0; k < nroot; k++) {
		if (!root[k] || idmap_get(&r->place, root[k]->id) || idmap_get(known, root[k]->id)) continue;
		GROW(a, stack, n, cap);
		stack[n++] = (Visit){root[k], 0};
		while (n) {
			Visit *v = &stack[n - 1];
			if (v->next < v->x->narg && (under_sizes || v->x->op != OP_SIZE)) {
				Node *y = v->x->arg[v->next++];
				if (!idmap_get(&r->place, y->id) && !idmap_get(known, y->id)) {
					GROW(a, stack, n, cap);
					stack[n++] = (Visit){y, 0};
				}
				continue;
			}
			Node *x = v->x;
			n--;
			if (idmap_get(&r->place, x->id)) continue;
			GROW(a, r->node, r->n, node_cap);
			r->node[r->n++] = x;
			idmap_put(&r->place, x->id, (void *)(uintptr_t)r->n);
		}
	}
	arena_release(a, stack, cap * sizeof *stack);
	return r;
}

Region *region_of(Arena *a, uint32_t nroot, Node *const *root)
{
	IdMap none;
	idmap_open(&none, a);
	return walk(a, nroot, root, &none, true);
}

Region *region_above(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known)
{
	return walk(a, nroot, root, known, true);
}

Region *region_above_sizes(Arena *a, uint32_t nroot, Node *const *root, const IdMap *known)
{
	return walk(a, nroot, root, known, false);
}

uint32_t region_place(const Region *r, const Node *x)
{
	return (uint32_t)(uintptr_t)idmap_get(&r->place, x->id) - 1;
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

void rebuild(Graph *g, Nodes roots, IdMap *map, atom_map atoms, void *user, Node **out)
{
	Arena *scratch = arena_child(g->arena);
	Region *r = region_above(scratch, roots.n, roots.v, map); /* what is done is not walked again */
	Replacing how = {g, map, atoms, user};
	uint32_t most = 0;
	for (uint32_t i = 0; i < r->n; i++) most = r->node[i]->narg > most ? r->node[i]->narg : most;
	Node **args = NEW_ARRAY(scratch, Node *, most + 1);
	g->bodies++;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		watch_step(g->arena, g->watch, 1);
		bool same = !atoms;
		for (uint32_t k = 0; k < x->narg; k++) {
			args[k] = idmap_get(map, x->arg[k]->id);
			same = same && args[k] == x->arg[k];
		}
		if (same) {
			y = x;
		} else {
			Heritage before = heritage_begin(g, x);
			y = node_with(g, x, args, replace_atom, &how);
			heritage_end(g, before, x, y);
		}
		if (y) idmap_put(map, x->id, y);
	}
	g->bodies--;
	for (uint32_t i = 0; i < roots.n; i++)
		out[i] = g->error.code || !roots.v[i] ? NULL : idmap_get(map, roots.v[i]->id);
	arena_free(scratch);
}
