/* bind.c - parameters of a function that take constants: what is left is a function of the others. */
#define POR_NO_LINES
#include "compiled.h"

#include <string.h>

typedef struct Binder {
	por_graph *graph;
	Graph *g;
	por_function *of;
	Node **value;      /* by leaf: the constant, or NULL */
	const Size **size; /* by size parameter: what it is now */
} Binder;

static const Size *known_size(void *user, const Atom *a)
{
	Binder *b = user;
	return a->kind == ATOM_PARAM && a->index < b->of->function->nsize ? b->size[a->index] : NULL;
}

/* A size parameter that stands alone on an axis of a constant is that axis' number. */
static void learn_sizes(Binder *b)
{
	Function *f = b->of->function;
	for (uint32_t i = 0; i < f->nparam; i++)
		for (uint32_t k = 0; b->value[i] && k < f->param[i]->n && k < b->value[i]->type->n; k++) {
			const Atom *a = size_single(DIM(f->param[i], k));
			if (a && a->kind == ATOM_PARAM) b->size[a->index] = DIM(b->value[i]->type, k);
		}
	for (uint32_t i = 0; i < f->nsize; i++)
		if (!b->size[i]) {
			const char *name =
				f->size_name[i] ? f->size_name[i] : arena_printf(b->g->arena, "s%u", i + 1);
			b->size[i] = size_named(b->g, names_get(&b->g->names, name, strlen(name)));
		}
}

/* The structure again, its leaves' numbers less by `less`. */
static Structure *renumbered(Graph *g, const Structure *s, uint32_t less)
{
	Structure *out = NEW(g->arena, Structure);
	*out = *s;
	out->leaf -= s->kind == B_NODE ? less : 0;
	out->elem = NEW_ARRAY(g->arena, Structure *, s->n + 1);
	for (uint32_t i = 0; i < s->n; i++) out->elem[i] = renumbered(g, s->elem[i], less);
	return out;
}

static void set_types(Structure *s, const Function *f)
{
	if (s->kind == B_NODE && s->leaf < f->nparam) s->type = f->param[s->leaf];
	for (uint32_t i = 0; i < s->n; i++) set_types(s->elem[i], f);
}

/* The parameters that are left; false with an error where one is bound in part. */
static bool left_over(Binder *b, Signature *out)
{
	const Signature *s = b->of->signature;
	uint32_t leaf = 0;
	out->param = NEW_ARRAY(b->g->arena, SignatureParam, s->nparam + 1);
	out->fact = NEW_ARRAY(b->g->arena, Fact, s->nfact + 1);
	out->nparam = out->nfact = 0;
	for (uint32_t i = 0; i < s->nparam; i++) {
		const SignatureParam *p = &s->param[i];
		uint32_t bound = 0;
		for (uint32_t k = 0; k < p->count; k++) bound += b->value[p->first + k] != NULL;
		if (bound && bound < p->count)
			return graph_fail(b->g, ERR_VALUE, "bind: %s is given in part: %u of %u arrays",
				p->name, bound, p->count);
		if (bound) continue;
		SignatureParam *q = &out->param[out->nparam++];
		*q = *p;
		q->first = leaf;
		q->structure = renumbered(b->g, p->structure, p->first - leaf);
		leaf += p->count;
		for (uint32_t k = 0; k < s->nfact; k++)
			if (s->fact[k].leaf - p->first < p->count) {
				out->fact[out->nfact] = s->fact[k];
				out->fact[out->nfact++].leaf = q->first + (s->fact[k].leaf - p->first);
			}
	}
	return true;
}

/* What is bound keeps the promises of its parameter: no call will check them. */
static bool keeps_promises(Binder *b)
{
	const Signature *s = b->of->signature;
	for (uint32_t k = 0; k < s->nfact; k++) {
		const Fact *f = &s->fact[k];
		const Node *x = b->value[f->leaf];
		if (!x || x->op != OP_CONST) continue;
		int64_t n = (int64_t)(x->attr->v[0].u.data->bytes / dtype_bytes(node_dtype(x)));
		por_array a = por_view((void *)(uintptr_t)constant_bytes(x), node_dtype(x), 1, &n);
		const char *name = b->of->function->param_name[f->leaf];
		Port port = {
			.path = name ? name : "leaf", .dtype = (uint8_t)node_dtype(x), .fact = f};
		por_error e = {0};
		if (check_facts(&e, &port, 1, &a))
			return graph_fail(b->g, ERR_VALUE, "bind: %s", strchr(e.text, ':') + 2);
	}
	return true;
}

static por_function *bound_function(Binder *b)
{
	Function *f = b->of->function;
	Graph *g = b->g;
	Node **arg = NEW_ARRAY(g->arena, Node *, f->nparam + 1),
	     **leaf = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult + 1);
	Signature *s = NEW(g->arena, Signature);
	*s = *b->of->signature;
	uint32_t n = 0;
	learn_sizes(b);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = type_substitute(g, f->param[i], known_size, b);
		arg[i] = b->value[i] ? b->value[i] : fresh(g, t, f->param_name[i]);
		if (b->value[i] && b->value[i]->type != t)
			return graph_fail(g, ERR_TYPE, "bind: %s: given %s, wanted %s",
				f->param_name[i] ? f->param_name[i] : "leaf",
				type_shown(g, b->value[i]->type), type_shown(g, t));
		if (!b->value[i]) leaf[n++] = arg[i];
	}
	function_inline(g, f, b->size, arg, result);
	Closure c;
	if (!left_over(b, s) || g->error.code ||
		!function_close(
			g, (Title){.name = f->name}, (Nodes){n, leaf}, (Nodes){f->nresult, result}, &c))
		return NULL;
	n = 0;
	for (uint32_t i = 0; i < f->nparam; i++)
		if (!b->value[i]) c.function->param_name[n++] = f->param_name[i];
	name_closed_sizes(c.function, &c);
	for (uint32_t i = 0; i < s->nparam; i++) set_types(s->param[i].structure, c.function);
	s->function = c.function;
	return give_function(b->graph, c.function, s);
}

static void *no_leaf(por_function *f, const char *path)
{
	Graph *g = f->graph->ir;
	const char **all = input_paths(g->arena, f);
	Text t;
	text_open(&t, g->arena);
	for (uint32_t i = 0; i < f->function->nparam; i++) text_printf(&t, "%s%s", i ? ", " : "", all[i]);
	return graph_fail(g, ERR_NAME, "bind: there is no leaf %s; there are %s", path, t.n ? text_done(&t) : "none");
}

por_function *por_bind(por_function *f, int n, const char *const *paths, por_node *const *values)
{
	por_graph *g_of = f ? f->graph : NULL;
	if (!at_least(g_of, "bind", n, 0) || (n && !paths) || !all_of(g_of, n, values)) return NULL;
	ENTER(f->graph, NULL);
	Graph *g = f->graph->ir;
	Binder b = {.graph = f->graph, .g = g, .of = f};
	b.value = NEW_ARRAY(g->arena, Node *, f->function->nparam + 1);
	b.size = NEW_ARRAY(g->arena, const Size *, f->function->nsize + 1);
	for (int i = 0; i < n; i++) {
		const Structure *s = paths[i] ? signature_leaf(f->signature, paths[i]) : NULL;
		if (!s)
			LEAVE((por_function *)no_leaf(f, paths[i] ? paths[i] : "(null)"));
		const Type *t = f->function->param[s->leaf];
		Node *x = values[i]->node;
		bool weak = x->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(x));
		b.value[s->leaf] = weak ? cast(g, x, (Dtype)t->dtype) : x;
	}
	LEAVE(keeps_promises(&b) ? bound_function(&b) : NULL);
}
