/* print_called.c - functions that stay calls and are called more than once, each written once.
 *
 * A definition says the sizes of its parameters by names, which the call finds again: so it needs a parameter
 * with an axis of each, and none that is a token.
 */
#include "print_graph.h"

static void count_calls(Graph *g, Arena *a, Function *f, IdMap *count, CalledFunctions *all)
{
	Region *r = function_region(g, f);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		Body b[BODIES_MAX];
		uint32_t n = node_bodies(x, b);
		for (uint32_t k = 0; k < n; k++) {
			bool first = !idmap_get(count, b[k].f->id);
			if (call_is_kept(x))
				idmap_put(count, b[k].f->id,
					(void *)((uintptr_t)idmap_get(count, b[k].f->id) + 1));
			if (!call_is_kept(x) || first) count_calls(g, a, b[k].f, count, all);
			if (!call_is_kept(x) || !first) continue;
			GROW(a, all->f, all->n, all->cap);
			all->f[all->n++] = b[k].f; /* those that it calls are before it */
		}
	}
}

static bool can_be_defined(Arena *a, const Function *f)
{
	bool *shown = NEW_ARRAY(a, bool, f->nsize + 1), all = true;
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = f->param[i];
		if (t->kind != TYPE_ARRAY) return false;
		for (uint32_t k = 0; k < t->n; k++) {
			const Atom *atom = size_single(DIM(t, k));
			if (atom && atom->kind == ATOM_PARAM && !atom->data) shown[atom->index] = true;
		}
	}
	for (uint32_t i = 0; i < f->nsize; i++) all &= shown[i];
	return all;
}

const CalledFunctions *called_functions(GraphPrinter *p, Function *f)
{
	CalledFunctions *all = NEW(p->scratch, CalledFunctions);
	Arena *a = arena_child(p->scratch);
	IdMap count;
	if (body_any(p->g, f, call_is_kept)) {
		idmap_open(&count, a);
		idmap_open(&all->name, p->scratch);
		count_calls(p->g, p->scratch, f, &count, all);
		uint32_t n = all->n;
		all->n = 0;
		for (uint32_t i = 0; i < n; i++) {
			Function *h = all->f[i];
			if ((uintptr_t)idmap_get(&count, h->id) < 2 || !can_be_defined(a, h)) continue;
			idmap_put(&all->name, h->id, (void *)free_name(p, h->name ? h->name : "kept"));
			all->f[all->n++] = h;
		}
	}
	arena_free(a);
	return all->n ? all : NULL;
}

const char *called_name(const GraphPrinter *p, const Function *f)
{
	return p->called ? idmap_get(&p->called->name, f->id) : NULL;
}
