/* bodies.c - rewriting the functions within nodes: loops' bodies, and functions that are called. */
#include "drive.h"

/* Do the parameters show all sizes?  Then those are numbered as the parameters name them, whatever the
 * results are. */
static void mark_size(void *user, const Atom *a)
{
	bool *shown = user;
	if (a->kind == ATOM_PARAM) shown[a->index] = true;
}

static bool parameters_show_sizes(Arena *a, const Function *f)
{
	bool *shown = NEW_ARRAY(a, bool, f->nsize + 1), all = true;
	for (uint32_t i = 0; i < f->nparam; i++)
		for (uint32_t k = 0; f->param[i]->kind == TYPE_ARRAY && k < f->param[i]->n; k++)
			size_atoms(DIM(f->param[i], k), mark_size, shown);
	for (uint32_t i = 0; i < f->nsize; i++) all &= shown[i];
	return all;
}

/* f with these results, over its own parameters.  The sizes of the closure are f's size parameters.  With its
 * own results it is f itself: sizes that were numbered anew could be others each time. */
static bool close_again(Graph *g, Arena *a, Function *f, Node *const *result, Closure *out)
{
	const Size **size = NEW_ARRAY(g->arena, const Size *, f->nsize + 1);
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = function_size(g, f, i);
	if (!f->nresult || !memcmp(result, f->result, f->nresult * sizeof *result)) {
		*out = (Closure){.function = f, .nsize = f->nsize, .size = size};
		return true;
	}
	if (parameters_show_sizes(a, f)) {
		*out = (Closure){
			.function = function_over(g, f, f->nresult, result), .nsize = f->nsize, .size = size};
		return out->function != NULL;
	}
	Node **leaf = NEW_ARRAY(a, Node *, f->nparam + 1);
	for (uint32_t i = 0; i < f->nparam; i++) leaf[i] = param(g, i, f->param[i]);
	if (!function_close_again(g, (Title){f->name, f->flags, f->op, f->opattr, f->noperand},
		    (Nodes){f->nparam, leaf}, (Nodes){f->nresult, result}, out))
		return false;
	memcpy(out->function->param_name, f->param_name, f->nparam * sizeof *f->param_name);
	for (uint32_t i = 0; i < out->nsize; i++)
		for (uint32_t k = 0; k < f->nsize; k++)
			if (out->size[i] == size[k]) out->function->size_name[i] = f->size_name[k];
	out->function->where = f->where;
	return true;
}

/* f's results rewritten, and f closed over them again. */
static bool rewrite_closed(Graph *g, const char *stage, Function *f, RewriteOptions *o, Closure *out)
{
	Arena *a = arena_child(g->arena);
	Node **result = NEW_ARRAY(a, Node *, f->nresult + 1);
	RewriteOptions inner = *o;
	LeafFact *facts = NEW_ARRAY(a, LeafFact, o->nfact + 1);
	memcpy(result, f->result, f->nresult * sizeof *result);
	inner.function = f;
	inner.nfact = 0;
	inner.fact = facts;
	for (uint32_t i = 0; i < o->nfact;
		i++) /* those of PARAM leaves speak of this function's parameters */
		if (o->fact[i].leaf->op == OP_PARAM && attr_int(o->fact[i].leaf, 0) < f->nparam &&
			param(g, (uint32_t)attr_int(o->fact[i].leaf, 0),
				f->param[attr_int(o->fact[i].leaf, 0)]) == o->fact[i].leaf)
			facts[inner.nfact++] = o->fact[i];
	if (f->flags & FN_EXACT) inner.laws = LAWS_EXACT;
	bool good = rewrite(g, stage, f->nresult, result, &inner) && close_again(g, a, f, result, out);
	inner.nfact = o->nfact;
	inner.fact = o->fact;
	inner.laws = o->laws;
	inner.function = o->function;
	*o = inner;
	arena_free(a);
	return good;
}

/* A body rewritten, and the sizes that it is given from outside.  Facts of the outer region are not those of
 * a body: equal PARAM leaves mean other values there.  What a loop or branch holds has its own; a function's
 * body is the same for all its callers and has none. */
static Function *rewritten_body(Driver *d, Node *x, const Body *b, const Size ***size)
{
	Graph *g = d->g;
	Function *f = b->f;
	LeafFact *fact = NEW_ARRAY(d->scratch, LeafFact, f->nparam ? f->nparam : 1);
	uint32_t nfact = x->op == OP_CALL ? 0 : body_facts(g, d->scratch, d->facts, x, b, fact);
	const BodyWay way = {.laws = d->laws, .last = d->o->last, .whole = d->o->whole, .nfact = nfact,
		.fact = fact};
	Closure own = {0}, *known = d->o->most ? &own : function_memo(g, d->stage, f, &way);
	if (!known->function) {
		RewriteOptions inner = *d->o;
		inner.found = NULL;
		inner.nfact = nfact;
		inner.fact = fact;
		inner.laws = d->laws;
		bool good = rewrite_closed(g, d->stage, f, &inner, known);
		inner.nfact = d->o->nfact;
		inner.fact = d->o->fact;
		inner.laws = d->o->laws;
		inner.found = d->o->found;
		*d->o = inner;
		if (!good) return NULL;
	}
	CallSite caller = call_site(g, b, x->attr, x->arg);
	*size = NEW_ARRAY(g->arena, const Size *, known->nsize);
	for (uint32_t i = 0; i < known->nsize; i++)
		if (!((*size)[i] = size_substitute(g, known->size[i], callers_size, &caller))) return NULL;
	return known->function;
}

Node *with_rewritten_bodies(Driver *d, Node *x)
{
	Body b[BODIES_MAX];
	Function *f[BODIES_MAX];
	const Size **size[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!(f[i] = rewritten_body(d, x, &b[i], &size[i]))) return NULL;
		same &= f[i] == b[i].f;
	}
	return same ? x : node_with_bodies(d->g, x, f, (const Size *const *const *)size);
}

Function *rewrite_function(Graph *g, const char *stage, Function *f, RewriteOptions *o)
{
	Closure c = {0};
	RewriteOptions none = {0};
	return rewrite_closed(g, stage, f, o ? o : &none, &c) ? c.function : NULL;
}
