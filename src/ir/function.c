/* function.c - closed functions: their regions, calling them by inlining, solving their sizes, names. */
#include "ir.h"

const Size *function_size(Graph *g, const Function *f, uint32_t i)
{
	return (f->size_of_data[i] ? size_param_of_data : size_param)(g, i);
}

uint32_t function_values(const Function *f)
{
	uint32_t n = f->nresult;
	while (n && is_token(f->result[n - 1])) n--;
	return n;
}

Region *function_region(Graph *g, Function *f)
{
	while (g->under && f->id <= g->under->nfunction) g = g->under; /* which stays as long as it does */
	if (!f->region) f->region = region_of(g->arena, f->nresult, f->result);
	return f->region;
}

Arena *function_borrow_region(Graph *g, Function *f)
{
	if (f->region) return NULL;
	Arena *a = arena_child(g->arena);
	f->region = region_of(a, f->nresult, f->result);
	return a;
}

void function_return_region(Function *f, Arena *a)
{
	if (!a) return;
	f->region = NULL;
	arena_free(a);
}

/* ---- inlining -------------------------------------------------------------------------- */

static const Size *given_size(void *user, const Atom *a)
{
	const Size *const *sizes = user;
	return a->kind == ATOM_PARAM ? sizes[a->index] : NULL;
}

void function_inline(Graph *g, Function *f, const Size *const *sizes, Node *const *args, Node **results)
{
	Arena *scratch = arena_child(g->arena);
	IdMap map;
	idmap_open(&map, scratch);
	Region *r = function_region(g, f);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_PARAM)
			idmap_put(&map, r->node[i]->id, args[attr_int(r->node[i], 0)]);
	rebuild(g, (Nodes){f->nresult, f->result}, &map, f->nsize ? given_size : NULL, (void *)sizes,
		results);
	arena_free(scratch);
}

/* ---- sizes ------------------------------------------------------------------------------- */

static void count_unknown(void *user, const Atom *a)
{
	const Atom **one = user; /* [0]: the only unknown atom met; [1]: set when there are two */
	if (a->kind != ATOM_PARAM || one[0] == a) return;
	if (one[0])
		one[1] = a;
	else
		one[0] = a;
}

/* Solve want = given for the one size parameter that want still holds linearly: coef*a + rest. */
static bool solve_one(Graph *g, const Size *want, const Size *given, const Size **sizes)
{
	const Size *known = size_substitute(g, want, given_size, sizes);
	const Atom *unknown[2] = {0};
	if (!known) return false;
	for (uint32_t t = 0; t < want->nterm; t++)
		for (uint32_t k = 0; k < want->term[t].natom; k++) {
			const Atom *a = want->term[t].atom[k];
			if (a->kind != ATOM_PARAM) return false;
			if (!sizes[a->index]) count_unknown(unknown, a);
		}
	if (!unknown[0] || unknown[1]) return false;
	const Size *coef = size_const(g, 0), *rest = size_const(g, 0);
	for (uint32_t t = 0; t < want->nterm; t++) {
		const Size *product = size_const(g, want->term[t].coef);
		uint32_t power = 0;
		for (uint32_t k = 0; k < want->term[t].natom; k++) {
			const Atom *a = want->term[t].atom[k];
			if (a == unknown[0])
				power++;
			else
				product = size_mul(g, product, sizes[a->index]);
		}
		if (power > 1) return false;
		if (power)
			coef = size_add(g, coef, product);
		else
			rest = size_add(g, rest, product);
	}
	sizes[unknown[0]->index] = size_floordiv(g, size_sub(g, given, rest), coef);
	return sizes[unknown[0]->index] != NULL;
}

bool function_solve_sizes(Graph *g, const Function *f, uint32_t n, Node *const *args, const Size **sizes)
{
	uint32_t left = f->nsize;
	for (uint32_t i = 0; i < f->nsize; i++) sizes[i] = NULL;
	for (bool found = true; left && found;) {
		found = false;
		for (uint32_t i = 0; i < n; i++) {
			const Type *t = f->param[i], *given = args[i]->type;
			if (t->kind != TYPE_ARRAY) continue;
			if (given->kind != TYPE_ARRAY || given->n != t->n || given->dtype != t->dtype) {
				graph_fail(g, ERR_TYPE, "%s: argument %u: given %s, wanted %s",
					f->name ? f->name : "call", i + 1, type_shown(g, given),
					type_shown(g, t));
				return false;
			}
			for (uint32_t k = 0; k < t->n && left; k++)
				if (solve_one(g, DIM(t, k), DIM(given, k), sizes)) {
					left--;
					found = true;
				}
		}
	}
	/* Sizes that no parameter shows stay what they are outside when a body is closed and called in one
	 * place. */
	if (left)
		graph_fail(g, ERR_TYPE,
			"%s: a size occurs only inside an expression and cannot be solved for",
			f->name ? f->name : "call");
	return !left;
}

/* ---- names ------------------------------------------------------------------------- */

void name_closed_sizes(Function *f, const Closure *c)
{
	for (uint32_t i = 0; i < c->nsize; i++) {
		const Atom *a = size_single(c->size[i]);
		if (!f->size_name[i] && a && a->kind == ATOM_NAME) f->size_name[i] = a->name;
	}
}

const Size *size_by_name(void *size_names, const Atom *a)
{
	const SizeNames *x = size_names;
	if (a->kind != ATOM_PARAM || a->index >= x->f->nsize || !x->f->size_name[a->index]) return NULL;
	return size_named(x->g, x->f->size_name[a->index]);
}

const Type *type_by_name(Graph *g, const Function *f, const Type *t)
{
	SizeNames x = {g, f};
	const Type *named = type_substitute(g, t, size_by_name, &x);
	return named ? named : t;
}
