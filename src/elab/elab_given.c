/* elab_given.c - what is given for parameters and names, found by path: "p", "p.w", "p.layers.0". */
#include "elaborator.h"

typedef struct PartKey {
	const GivenPart *of;
	const char *name;
	size_t n;
} PartKey;

static bool part_same(const void *item, const void *key)
{
	const GivenPart *p = item;
	const PartKey *k = key;
	return p->of == k->of && !strncmp(p->name, k->name, k->n) && !p->name[k->n];
}

static uint32_t part_hash(const PartKey *k)
{
	return hash_mix(hash_bytes(k->name, k->n), (uint64_t)(uintptr_t)k->of);
}

static GivenPart *part_add(Graph *g, GivenPart *of, const char *name, size_t n)
{
	PartKey key = {of, name, n};
	uint32_t h = part_hash(&key);
	GivenPart *p = table_find(of->table, h, &key, part_same);
	if (p) return p;
	p = NEW(g->arena, GivenPart);
	*p = (GivenPart){.of = of, .name = names_get(&g->names, name, n), .table = of->table};
	*(of->first ? &of->last->next : &of->first) = p;
	of->last = p;
	of->count++;
	table_add(of->table, h, p);
	return p;
}

GivenPart *given_parts(Graph *g, uint32_t n, const Declared *given)
{
	GivenPart *root = NEW(g->arena, GivenPart);
	root->table = NEW(g->arena, Table);
	table_open(root->table, g->arena);
	for (uint32_t i = 0; i < n; i++) {
		GivenPart *p = root;
		for (const char *at = given[i].name;; at++) {
			size_t k = strcspn(at, ".");
			p = part_add(g, p, at, k);
			at += k;
			if (!*at) break;
		}
		if (!p->whole) p->whole = &given[i];
	}
	return root;
}

const GivenPart *given_part(const GivenPart *p, const char *path)
{
	for (; p; path++) {
		PartKey key = {p, path, strcspn(path, ".")};
		p = table_find(p->table, part_hash(&key), &key, part_same);
		path += key.n;
		if (!*path) break;
	}
	return p;
}

Binding *given_value(Elab *e, const GivenPart *p, const char *path, given_leaf make)
{
	Graph *g = e->g;
	const Declared *d = p ? p->whole : NULL;
	if (!p || (d && d->value)) return p ? d->value : NULL;
	if (d && d->type) return bind_node(g, make(e, path, d));
	const char **field = NEW_ARRAY(g->arena, const char *, p->count);
	Binding **elem = NEW_ARRAY(g->arena, Binding *, p->count);
	uint32_t n = 0;
	for (const GivenPart *x = p->first; x; x = x->next, n++) {
		field[n] = x->name;
		elem[n] = given_value(e, x, arena_printf(g->arena, "%s.%s", path, x->name), make);
		if (!elem[n]) return NULL;
	}
	return n ? bind_given(g, n, field, elem) : NULL;
}
