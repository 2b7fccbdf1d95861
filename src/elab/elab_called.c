/* elab_called.c - what a definition is called with first: the types of its parameters, before it has a
 * body. */
#include "elaborator.h"

void called_watch(Graph *g, Called *c)
{
	library_of(g)->called = c;
}

/* Its arguments by place, and no value: the error ends what calls it. */
Binding *note_called(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	Called *c = e->lib->called;
	if (c->found) return fail_at_syntax(e, s, ERR_TYPE, "%s is called again", f->name);
	const Syntax *params = c->definition->part[1];
	const char **name = NEW_ARRAY(e->g->arena, const char *, params->count);
	for (uint32_t i = 0; i < params->count; i++) {
		const Syntax *p = params->part[i];
		if (p->kind == SYN_RUN || p->part[0]->kind != SYN_NAME)
			return fail_at_syntax(e, p, ERR_TYPE, "%s: a run or pattern has no type", shown(e, p));
		name[i] = p->part[0]->name;
	}
	const GivenAll all = {s, f->name, params, params->count, n, given};
	Env env = env_open(e, f->env);
	if (!bind_params(e, &env, &all)) return NULL;
	c->n = params->count;
	c->name = name;
	c->argument = NEW_ARRAY(e->g->arena, Binding *, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		c->argument[i] = env_local(env, name[i]);
		if (binding_has_function(c->argument[i]))
			return fail_at_syntax(e, s, ERR_UNSUPPORTED, "%s: %s is a function, which has no type",
				shown(e, s), name[i]);
	}
	c->found = true;
	return fail_at_syntax(e, s, ERR_TYPE, "%s is called", f->name);
}

/* ---- types that a declaration can have ----------------------------------------------------------- */

/* Sizes that stand alone on an axis, and names for those that are no sum or product of these. */
typedef struct SizesAlone {
	Graph *g;
	IdMap alone, named;
	uint32_t nnamed;
	bool told; /* the size that is looked at is made of names that stand alone */
} SizesAlone;

static const char *number_name(Graph *g, uint32_t i)
{
	const char *name = arena_printf(g->arena, "size%u", i);
	return names_get(&g->names, name, strlen(name));
}

static void look_at_atom(void *user, const Atom *x)
{
	SizesAlone *s = user;
	if (x->kind != ATOM_NAME || !idmap_get(&s->alone, x->id)) s->told = false;
}

static const Size *declared_size(SizesAlone *s, const Size *size)
{
	int64_t number;
	s->told = true;
	size_atoms(size, look_at_atom, s);
	if (s->told || size_is(size, &number)) return size;
	const Size *name = idmap_get(&s->named, size->id);
	if (!name) {
		name = size_named(s->g, number_name(s->g, ++s->nnamed));
		idmap_put(&s->named, size->id, (void *)name);
	}
	return name;
}

static Binding *declared_leaves(SizesAlone *s, Binding *b)
{
	Graph *g = s->g;
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		const Size *dim[RANK_MAX];
		Node *x = strong_operand(g, leaf[i]);
		if (!x) return NULL;
		for (uint32_t k = 0; k < node_rank(x); k++) dim[k] = declared_size(s, node_dim(x, k));
		leaf[i] = fresh(g, type_array(g, node_dtype(x), node_rank(x), dim), "x");
	}
	return binding_refill(g, b, leaf);
}

Signature *called_signature(Graph *g, const Called *c)
{
	SizesAlone s = {.g = g};
	idmap_open(&s.alone, g->arena);
	idmap_open(&s.named, g->arena);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t n = binding_leaves(c->argument[i], NULL);
		Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
		binding_leaves(c->argument[i], leaf);
		for (uint32_t j = 0; j < n; j++)
			for (uint32_t k = 0; k < node_rank(leaf[j]); k++) {
				const Atom *x = size_single(node_dim(leaf[j], k));
				if (x && x->kind == ATOM_NAME) idmap_put(&s.alone, x->id, (void *)x);
			}
	}
	Binding **value = NEW_ARRAY(g->arena, Binding *, c->n + 1);
	for (uint32_t i = 0; i < c->n; i++)
		if (!(value[i] = declared_leaves(&s, c->argument[i]))) return NULL;
	const Elaborated zero = {.value = bind_node(g, constant_float(g, type_scalar(g, DT_F64), 0.0))};
	return close_over(g, c->definition->name, c->n, c->name, value, zero);
}
