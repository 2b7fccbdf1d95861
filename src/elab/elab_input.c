/* elab_input.c - an expression of the command line over inputs, declared, given or inferred. */
#include "elab_infer.h"

static Node *input_leaf(Elab *e, void *user, const char *path, const Type *type)
{
	(void)user;
	return input(e->g, path, type);
}

/* Whole numbers have leaves of this attempt alone: an input keeps its first type. */
static Node *given_as_input(Elab *e, const char *path, const Declared *d)
{
	if (!e->asked || !d->whole) return input(e->g, path, d->type);
	Node *leaf = fresh(e->g, d->type, path);
	asked_leaf(e, d, leaf);
	return leaf;
}

/* Inputs for a name whose values are given: an array, or a structure of "p.w", "p.b". */
static Binding *given_input(Infer *f, const char *path)
{
	return given_value(f->e, given_part(f->parts, path), path, given_as_input);
}

/* Declarations first: their sizes are names of the expression. */
static bool declare(Infer *f)
{
	Elab *e = f->e;
	for (uint32_t i = 0; i < f->ngiven; i++) {
		const Declared *d = &f->given[i];
		if (!d->param) continue;
		const char *name = names_get(&e->g->names, d->name, strlen(d->name));
		TypeTerm *t = d->param->part[1]
			? type_term(e, (Env){f->env.scope, UINT32_MAX}, d->param->part[1])
			: NULL;
		if (d->param->part[1] && !t) return false;
		Binding *b;
		if (d->type && t) {
			b = match_type(e, d->param, name, t, bind_node(e->g, input(e->g, name, d->type)));
		} else {
			e->declaring = true;
			b = t ? term_leaves(e, d->param, t, name, input_leaf, NULL) : given_input(f, name);
			e->declaring = false;
		}
		if (!b) return false;
		env_bind(e, &f->env, name, b);
	}
	f->env.seen = f->env.scope->count;
	return true;
}

static const Size *new_size(Infer *f, uint32_t *next)
{
	static const char *const letters[] = {"m", "n", "k", "l", "p", "q", "r", "s", "t", "u", "v"};
	for (;; ++*next) {
		const char *name = *next < countof(letters)
			? letters[*next]
			: arena_printf(f->e->g->arena, "d%u", *next - (unsigned)countof(letters) + 1);
		if (strstr(text_done(&f->used), arena_printf(f->e->g->arena, " %s ", name))) continue;
		++*next;
		return size_named(f->e->g, names_get(&f->e->g->names, name, strlen(name)));
	}
}

static bool make_inputs(Infer *f)
{
	Graph *g = f->e->g;
	uint32_t next = 0;
	for (FreeName *n = f->names; n; n = n->next) {
		const Size *dim[RANK_MAX];
		if (!n->given || !(n->value = given_input(f, n->name))) {
			for (int i = 0; i < n->shape.rank; i++) {
				Unknown *u = unknown_root(n->shape.dim[i]);
				dim[i] = u->size = u->size ? u->size : new_size(f, &next);
			}
			n->value = bind_node(
				g, input(g, n->name, type_array(g, DT_F64, (uint32_t)n->shape.rank, dim)));
		}
		if (!n->value) return false;
		env_bind(f->e, &f->env, n->name, n->value);
	}
	return true;
}

static void first_shapes(Infer *f)
{
	for (FreeName *n = f->names; n; n = n->next) {
		if (n->given && n->given->type && !strcmp(n->given->name, n->name)) {
			n->shape = shape_of_type(f, n->given->type);
			continue;
		}
		bool capital = n->name[0] >= 'A' && n->name[0] <= 'Z';
		n->shape = (InferredShape){.rank = 0};
		if (n->given)
			n->shape.rank = -1;
		else if (n->product)
			n->shape.rank = capital ? 2 : 1;
		for (int i = 0; i < n->shape.rank; i++) n->shape.dim[i] = unknown_new(f, NULL);
	}
}

/* Every declared or undeclared name that the expression uses, in its order. */
static void collect(Infer *f, Expression *out, uint32_t *cap, uint32_t *vcap)
{
	Graph *g = f->e->g;
	for (uint32_t i = 0; i < f->ngiven; i++) {
		const char *name = names_get(&g->names, f->given[i].name, strlen(f->given[i].name));
		Binding *b = f->given[i].param ? scope_own(f->env, name) : NULL;
		if (!b) continue;
		GROW(g->arena, out->name, out->n, *cap);
		GROW(g->arena, out->value, out->n, *vcap);
		out->name[out->n] = name;
		out->value[out->n++] = b;
	}
	for (FreeName *n = f->names; n; n = n->next) {
		GROW(g->arena, out->name, out->n, *cap);
		GROW(g->arena, out->value, out->n, *vcap);
		out->name[out->n] = n->name;
		out->value[out->n++] = n->value;
	}
}

/* `asked`: what whole numbers are is still to be found; NULL: types are what is given. */
static Expression *attempt(
	Graph *g, Module *m, const Syntax *s, uint32_t ngiven, const Declared *given, Asked *asked)
{
	Elab e = {.g = g, .lib = library_of(g), .asked = asked};
	Infer f = {.e = &e,
		.env = env_open(&e, (Env){m->scope, 0}),
		.ngiven = ngiven,
		.given = given,
		.parts = given_parts(g, ngiven, given)};
	namemap_open(&f.by_name, g->arena);
	f.last = &f.names;
	e.signature = f.env.scope;
	text_open(&f.used, g->arena);
	if (!declare(&f)) return NULL;
	find_free(&f, NULL, s);
	first_shapes(&f);
	/* declared names are operands of known shape */
	const BoundName *b = NULL;
	for (uint32_t i = 0; i < ngiven; i++) {
		const char *name = names_get(&g->names, given[i].name, strlen(given[i].name));
		Binding *v = given[i].param ? scope_own(f.env, name) : NULL;
		if (v) promise_facts(g, given[i].param->part[3], name, NULL, v);
		if (v && v->kind == B_NODE) {
			b = bound_name(&f, b, name);
			((BoundName *)b)->shape = shape_of_type(&f, v->node->type);
		}
	}
	infer(&f, b, s);
	if (!make_inputs(&f)) return NULL;
	Expression *out = NEW(g->arena, Expression);
	uint32_t cap = 0, vcap = 0;
	collect(&f, out, &cap, &vcap);
	out->result.value = elab(&e, f.env, s);
	out->result.token = e.token;
	out->result.said = said_of_calls(&e);
	return out->result.value ? out : NULL;
}

Expression *elaborate_expression(Graph *g, Module *m, const Syntax *s, uint32_t ngiven, const Declared *given)
{
	Asked asked;
	if (!m || !s || g->error.code) return NULL;
	const struct Apart before = g->apart;
	g->apart = (struct Apart){0};
	if (asked_open(g, &asked, ngiven, given)) {
		do attempt(g, m, s, ngiven, asked.given, &asked);
		while (asked_again(g, &asked));
		error_clear(&g->error); /* which the last attempt tells again */
	}
	Expression *x = attempt(g, m, s, ngiven, asked.given, NULL);
	g->apart = before;
	return x;
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

const Type *elaborate_type(Graph *g, Module *m, const Syntax *s)
{
	Elab e = {.g = g, .lib = library_of(g), .declaring = true};
	if (!m || !s || g->error.code) return NULL;
	Env env = env_open(&e, (Env){m->scope, 0});
	TypeTerm *t = type_term(&e, (Env){env.scope, UINT32_MAX}, s);
	return t ? term_type(&e, s, t) : NULL;
}

/* What a name stands for that is given a node: a tuple is taken apart. */
static Binding *given_node(Graph *g, Node *x)
{
	if (!x || x->type->kind != TYPE_TUPLE) return bind_node(g, x);
	Binding **part = NEW_ARRAY(g->arena, Binding *, x->type->n);
	for (uint32_t i = 0; i < x->type->n; i++) part[i] = given_node(g, get(g, x, i));
	return bind_tuple(g, x->type->n, part);
}

Node *elaborate_node(
	Graph *g, Module *m, const Syntax *s, uint32_t n, const char *const *names, Node *const *values)
{
	Elab e = {.g = g, .lib = library_of(g), .pure = {"an expression that becomes a node", NULL}};
	if (!m || !s || g->error.code) return NULL;
	Env env = env_open(&e, (Env){m->scope, 0});
	for (uint32_t i = 0; i < n; i++)
		env_bind(&e, &env, names_get(&g->names, names[i], strlen(names[i])),
			given_node(g, values[i]));
	Binding *b = elab(&e, env, s);
	bool arrays = b && b->kind == B_TUPLE && b->n;
	for (uint32_t i = 0; arrays && i < b->n; i++)
		arrays = b->elem[i]->kind == B_NODE && b->elem[i]->node->type->kind == TYPE_ARRAY;
	if (!arrays) return b ? array_in(&e, s, b) : NULL;
	Node **x = NEW_ARRAY(g->arena, Node *, b->n);
	for (uint32_t i = 0; i < b->n; i++) x[i] = b->elem[i]->node;
	return tuple(g, b->n, x);
}
