/* carry.c - what one graph holds, made again in another: how the result of work leaves the graph of work.
 *
 * Needs: names of the first graph, files among them, live as long as the other.
 * Gives: equal nodes, types, sizes, functions of the other graph, with their provenance.
 * Keeps: the first graph as it is.
 */
#include "carry.h"
#include "size.h"

struct Carrier {
	Graph *to;
	Arena *scratch;
	bool lends; /* the other graph outlives this one: large elements need not be copied */
	IdMap node, type, attr, size, function;
	Table origin; /* lists that were made here */
	const Origin *last; /* the list that was carried last, and what became of it */
	Origin *made;
};

static const Attr *carried_attr(Carrier *, const Attr *);

Carrier *carrier_open(Graph *from, Graph *to)
{
	Arena *a = arena_child(to->arena);
	Carrier *c = NEW(a, Carrier);
	*c = (Carrier){.to = to, .scratch = a, .lends = to->below == from};
	IdMap *maps[] = {&c->node, &c->type, &c->attr, &c->size, &c->function};
	for (size_t i = 0; i < countof(maps); i++) idmap_open(maps[i], a);
	table_open(&c->origin, a);
	return c;
}

void carrier_close(Carrier *c)
{
	arena_free(c->scratch);
}

/* ---- sizes and types ------------------------------------------------------------------------ */

static const Size *carried_atom(Carrier *c, const Atom *x)
{
	Atom y = *x;
	y.id = 0;
	if (x->name) y.name = names_get(&c->to->names, x->name, strlen(x->name));
	if (x->node) carry_nodes(c, 1, &x->node, &y.node);
	if (x->a) y.a = carry_size(c, x->a);
	if (x->b) y.b = carry_size(c, x->b);
	return size_of_atom(c->to, y);
}

const Size *carry_size(Carrier *c, const Size *s)
{
	const Size *known = idmap_get(&c->size, s->id);
	if (known) return known;
	const Size *sum = size_const(c->to, 0);
	for (uint32_t i = 0; i < s->nterm; i++) {
		const Size *product = size_const(c->to, 1);
		for (uint32_t k = 0; k < s->term[i].natom; k++)
			product = size_product(c->to, product, carried_atom(c, s->term[i].atom[k]));
		sum = size_sum(c->to, sum, s->term[i].coef, product);
	}
	idmap_put(&c->size, s->id, (void *)(uintptr_t)sum);
	return sum;
}

static const Type *type_again(Carrier *c, const Type *t)
{
	const void **part = NEW_ARRAY(c->scratch, const void *, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		part[i] = t->kind == TYPE_ARRAY ? (const void *)carry_size(c, DIM(t, i))
						: (const void *)carry_type(c, t->u.elem[i]);
	switch ((TypeKind)t->kind) {
	case TYPE_ARRAY: return type_array(c->to, (Dtype)t->dtype, t->n, (const Size *const *)part);
	case TYPE_TUPLE: return type_tuple(c->to, t->n, (const Type *const *)part);
	case TYPE_TOKEN: break;
	}
	return type_token(c->to);
}

const Type *carry_type(Carrier *c, const Type *t)
{
	const Type *known = idmap_get(&c->type, t->id);
	if (known) return known;
	c->to->bodies++; /* what is negative has been found already, or is of a body */
	known = type_again(c, t);
	c->to->bodies--;
	idmap_put(&c->type, t->id, (void *)(uintptr_t)known);
	return known;
}

/* ---- attributes ------------------------------------------------------------------------------- */

static AttrValue carried_value(Carrier *c, AttrValue v)
{
	switch (v.kind) {
	case A_INT:
	case A_DTYPE:
	case A_CUSTOM: break;
	case A_SIZE: v.u.size = carry_size(c, v.u.size); break;
	case A_NAME: v.u.name = names_get(&c->to->names, v.u.name, strlen(v.u.name)); break;
	case A_DATA:
		v.u.data = c->lends ? data_lent(c->to, v.u.data)
				    : data_make(c->to, v.u.data->at, v.u.data->bytes);
		break;
	case A_FUNCTION: v.u.function = carry_function(c, v.u.function); break;
	}
	return v;
}

static const Attr *carried_attr(Carrier *c, const Attr *x)
{
	const Attr *known = x ? idmap_get(&c->attr, x->id) : NULL;
	if (!x || known) return known;
	AttrValue *v = NEW_ARRAY(c->scratch, AttrValue, x->n);
	for (uint32_t i = 0; i < x->n; i++) v[i] = carried_value(c, x->v[i]);
	known = attr_make(c->to, x->n, v);
	idmap_put(&c->attr, x->id, (void *)(uintptr_t)known);
	return known;
}

/* ---- provenance ----------------------------------------------------------------------------------- */

static bool origin_same(const void *item, const void *key)
{
	const Origin *a = item, *b = key;
	return a->where.file == b->where.file && a->where.line == b->where.line &&
		a->where.column == b->where.column && a->name == b->name && a->rule == b->rule &&
		a->next == b->next && a->derived == b->derived && a->with == b->with;
}

/* Equal lists are one, and so are their equal ends.  Ids of the other graph mean nothing here. */
static Origin *carried_list(Carrier *c, const Origin *o)
{
	if (!o) return NULL;
	Origin key = {o->where, o->name, o->rule, carried_list(c, o->next), 0, true, o->derived, o->with};
	/* with the column: a file may be one line */
	uint64_t place = (uint64_t)o->where.line << 32 | (uint32_t)o->where.column;
	uint64_t mixed = hash_more(hash_more((uintptr_t)o->name, place), (uintptr_t)o->rule);
	uint32_t h = hash_done(hash_more(mixed, (uintptr_t)key.next));
	Origin *x = table_find(&c->origin, h, &key, origin_same);
	if (x) return x;
	x = NEW(c->to->arena, Origin);
	*x = key;
	table_add(&c->origin, h, x);
	return x;
}

static void carry_origin(Carrier *c, const Node *x, Node *y, bool made)
{
	Graph *g = c->to;
	if (made) {
		if (x->origin != c->last) c->made = carried_list(c, x->origin);
		c->last = x->origin;
		y->origin = c->made;
		return;
	}
	for (const Origin *o = x->origin; o; o = o->next) {
		g->where = o->where;
		node_note(g, y, o->name, o->rule, 0);
	}
	g->where = (Where){0};
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static void carry_region(Carrier *c, Arena *a, const Region *r)
{
	Graph *g = c->to;
	const Where where = g->where, user = g->user;
	g->where = g->user = (Where){0};
	uint32_t most = 0;
	for (uint32_t i = 0; i < r->n; i++) most = r->node[i]->narg > most ? r->node[i]->narg : most;
	Node **args = NEW_ARRAY(a, Node *, most + 1);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		region_look_ahead(r, i);
		if (i + 1 < r->n) __builtin_prefetch(r->node[i + 1]->origin);
		if (idmap_get(&c->node, x->id)) continue;
		const Type *type = carry_type(c, x->type);
		const Attr *attr = carried_attr(c, x->attr);
		for (uint32_t k = 0; k < x->narg; k++) args[k] = idmap_get(&c->node, x->arg[k]->id);
		uint32_t before = g->nnode;
		Node *y = node_again(g, x, type, attr, args);
		carry_origin(c, x, y, g->nnode > before);
		idmap_put(&c->node, x->id, y);
	}
	g->where = where;
	g->user = user;
}

/* region: of these nodes, or NULL */
static void carry_over(Carrier *c, const Region *region, uint32_t n, Node *const *from, Node **to)
{
	Arena *a = arena_child(c->scratch);
	carry_region(c, a, region ? region : region_of(a, n, from));
	for (uint32_t i = 0; i < n; i++) to[i] = idmap_get(&c->node, from[i]->id);
	arena_free(a);
}

void carry_nodes(Carrier *c, uint32_t n, Node *const *from, Node **to)
{
	carry_over(c, NULL, n, from, to);
}

/* ---- functions ----------------------------------------------------------------------------------- */

static void names_again(Graph *g, uint32_t n, const char *const *from, const char **to)
{
	for (uint32_t i = 0; i < n; i++)
		if (from[i] && !to[i]) to[i] = names_get(&g->names, from[i], strlen(from[i]));
}

Function *carry_function(Carrier *c, Function *f)
{
	Function *known = idmap_get(&c->function, f->id);
	if (known) return known;
	Graph *g = c->to;
	const Type **param = NEW_ARRAY(g->arena, const Type *, f->nparam);
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult);
	for (uint32_t i = 0; i < f->nparam; i++) param[i] = carry_type(c, f->param[i]);
	carry_over(c, f->region, f->nresult, f->result, result);
	uint32_t before = g->nfunction;
	known = function_again(g, f, carried_attr(c, f->opattr), param, result);
	if (g->nfunction > before) {
		known->where = f->where;
		known->meaning = f->meaning;
		known->total = f->total;
	}
	names_again(g, f->nparam, f->param_name, known->param_name);
	names_again(g, f->nsize, f->size_name, known->size_name);
	idmap_put(&c->function, f->id, known);
	return known;
}
