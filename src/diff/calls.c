/* calls.c - derivatives of calls that stay: others of them, of functions that compute the values again.
 *
 * The operands of a call of tangents are those of the call, and their tangents; of its transpose, the
 * operands and the cotangents of the results.  So of what is computed within nothing is kept for a
 * derivative.  A sweep remembers what it made of a function: that of the next call is the same.
 */
#include "linear.h"

/* What a derivative of a call is made of: the operands, their tangents or the cotangents of the results
 * (NULL: zero), and which operands the transpose is by (NULL: of tangents).  Of calls of which all this is
 * of the same types but for names of sizes, and the same where it stands in the function itself, the
 * derivative is the same function. */
typedef struct Kept {
	Graph *g;
	Function *f;
	const Size **size;
	uint32_t n;
	Node **given;
	const bool *linear;
	uint32_t nout;
	bool *there;   /* of the results, those that are not zero */
	KeptForm form;
} Kept;

static Kept kept_of(Table *known, Graph *g, Node *x, uint32_t more, uint32_t nout, const bool *linear)
{
	Arena *a = known->arena;
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Kept k = {.g = g,
		.f = b->f,
		.size = body_sizes(a, x, b),
		.n = b->f->nparam + more,
		.linear = linear,
		.nout = nout,
		.there = NEW_ARRAY(a, bool, nout + 1)};
	k.given = NEW_ARRAY(a, Node *, k.n + 1);
	memcpy(k.given, x->arg, b->f->nparam * sizeof *k.given);
	return k;
}

/* The sizes of one call by the names that another one has. */
typedef struct Renaming { const Kept *from, *to; } Renaming;

static const Size *renamed_atom(void *user, const Atom *a)
{
	const Renaming *r = user;
	for (uint32_t i = 0; i < r->from->f->nsize; i++)
		if (size_single(r->from->size[i]) == a) return r->to->size[i];
	return NULL;
}

static const Size *renamed(const Renaming *r, const Size *s)
{
	return size_substitute(r->to->g, s, renamed_atom, (void *)(uintptr_t)r);
}

/* One is the other by other names; what data gives has none. */
static bool are_names(const Size *x, const Size *y)
{
	const Atom *a = size_single(x), *b = size_single(y);
	if (x == y || !a || !b) return true;
	return a->kind == b->kind && a->data == b->data && (a->kind == ATOM_NAME || a->kind == ATOM_PARAM);
}

static bool same_type(const Renaming *r, const Type *x, const Type *y)
{
	if (x->kind != TYPE_ARRAY || y->kind != TYPE_ARRAY) return x == y;
	bool same = x->dtype == y->dtype && x->n == y->n;
	for (uint32_t i = 0; same && i < x->n; i++) same = renamed(r, DIM(x, i)) == DIM(y, i);
	return same;
}

/* All that is of the one is of the other, renamed. */
static bool renames(const Kept *from, const Kept *to)
{
	const Renaming r = {from, to};
	for (uint32_t i = 0; i < from->f->nsize; i++)
		if (!are_names(from->size[i], to->size[i]) || renamed(&r, from->size[i]) != to->size[i])
			return false;
	for (uint32_t i = 0; i < from->n; i++)
		if (from->given[i] && !same_type(&r, from->given[i]->type, to->given[i]->type)) return false;
	return true;
}

static bool same_given(const Node *x, const Node *y, unsigned flags)
{
	if (!x || !y) return x == y;
	return x == y || !(is_given_inside(x, flags) || is_given_inside(y, flags));
}

/* Names are renamed one to one where that goes both ways. */
static bool same_kept(const void *item, const void *key)
{
	const Kept *x = item, *y = key;
	if (x->f != y->f || x->n != y->n) return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (!same_given(x->given[i], y->given[i], x->f->flags)) return false;
	if (!renames(x, y) || !renames(y, x)) return false;
	for (uint32_t i = 0; x->linear && i < x->f->nparam; i++)
		if (x->linear[i] != y->linear[i]) return false;
	return true;
}

static uint32_t kept_hash(const Kept *k)
{
	uint32_t h = hash_mix(k->n, k->f->id);
	for (uint32_t i = 0; i < k->n; i++) h = hash_mix(h, k->given[i] ? 1 + k->given[i]->type->n : 0);
	return h;
}

/* A leaf for each that is given; NULL with an error. */
static Node **leaves_of(Graph *g, Arena *a, const Kept *k, bool tangents)
{
	Node **leaf = NEW_ARRAY(a, Node *, k->n + 1);
	for (uint32_t i = 0; i < k->n; i++) {
		bool operand = i < k->f->nparam;
		if (!k->given[i]) continue;
		if (!operand && tangents)
			leaf[i] = differential_leaf(g, leaf[i - k->f->nparam]);
		else
			leaf[i] = fresh(g, k->given[i]->type, operand ? k->f->param_name[i] : NULL);
		if (!leaf[i]) return NULL;
	}
	return leaf;
}

/* The call's results over leaves. */
static Node **results_over(Graph *g, Arena *a, const Kept *k, Node **leaf)
{
	Node **result = NEW_ARRAY(a, Node *, k->f->nresult);
	if (!leaf) return NULL;
	function_inline(g, k->f, k->size, leaf, result);
	return g->error.code ? NULL : result;
}

/* Those of the results that are there, as a function of what is given. */
static bool close_form(Graph *g, Arena *a, Kept *k, Node **leaf, Node *const *result)
{
	Node **some = NEW_ARRAY(a, Node *, k->n + 1), **given = NEW_ARRAY(a, Node *, k->n + 1),
	     **there = NEW_ARRAY(a, Node *, k->nout + 1);
	uint32_t n = 0, m = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if (!leaf[i]) continue;
		some[n] = leaf[i];
		given[n++] = k->given[i];
	}
	for (uint32_t i = 0; i < k->nout; i++) {
		k->there[i] = result[i] != NULL;
		if (result[i]) there[m++] = result[i];
	}
	const Title title = {.name = k->f->name, .flags = k->f->flags};
	return kept_form(g, title, (Nodes){n, some}, given, (Nodes){m, there}, &k->form);
}

/* A call of the derivative that was made for this call, or for the same by other names; out has NULL for what
 * is zero. */
static bool call_form(Graph *g, Arena *a, const Kept *made, const Kept *k, Node **out)
{
	const Renaming r = {made, k};
	KeptForm form = made->form;
	Closure *c = &form.closure;
	Node **given = NEW_ARRAY(a, Node *, k->n + 1), **got = NEW_ARRAY(a, Node *, k->nout + 1);
	uint32_t n = 0, m = 0;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->given[i]) given[n++] = k->given[i];
	if (made != k) {
		c->size = NEW_ARRAY(a, const Size *, c->nsize + 1);
		for (uint32_t i = 0; i < c->nsize; i++) c->size[i] = renamed(&r, made->form.closure.size[i]);
	}
	if (!kept_apply(g, &form, given, got)) return false;
	for (uint32_t i = 0; i < k->nout; i++) out[i] = made->there[i] ? got[m++] : NULL;
	return true;
}

typedef bool MakeForm(Graph *, Arena *, Kept *);

/* The derivative of a call, made where no call before it had the same. */
static bool derivative_of(Graph *g, Table *known, Kept *k, MakeForm *make, Node **out)
{
	Arena *a = known->arena;
	const uint32_t h = kept_hash(k);
	const Kept *same = table_find(known, h, k, same_kept);
	if (same) return call_form(g, a, same, k, out);
	if (!make(g, a, k)) return false;
	if (!k->form.closure.ncapture) {
		Kept *item = NEW(a, Kept);
		*item = *k;
		table_add(known, h, item);
	}
	return call_form(g, a, k, k, out);
}

static bool make_tangents(Graph *g, Arena *a, Kept *k)
{
	Node **leaf = leaves_of(g, a, k, true), **result = results_over(g, a, k, leaf),
	     **dy = NEW_ARRAY(a, Node *, k->nout);
	Forward inner;
	if (!result) return false;
	forward_open(&inner, g, a);
	for (uint32_t i = 0; i < k->f->nparam; i++) forward_seed(&inner, leaf[i], leaf[k->f->nparam + i]);
	if (!forward_run(&inner, k->nout, result)) return false;
	for (uint32_t i = 0; i < k->nout; i++) dy[i] = forward_of(&inner, result[i]);
	return close_form(g, a, k, leaf, dy);
}

bool forward_kept(Forward *f, Node *x, Tangent *t)
{
	uint32_t n = call_function(x)->nparam;
	Kept k = kept_of(&f->kept, f->g, x, n, t->n, NULL);
	for (uint32_t i = 0; i < n; i++)
		if (x->arg[i]->type->kind == TYPE_ARRAY) k.given[n + i] = forward_of(f, x->arg[i]);
	return derivative_of(f->g, &f->kept, &k, make_tangents, t->elem);
}

static bool make_transpose(Graph *g, Arena *a, Kept *k)
{
	Node **leaf = leaves_of(g, a, k, false), **result = results_over(g, a, k, leaf),
	     **by = NEW_ARRAY(a, Node *, k->f->nparam), **back = NEW_ARRAY(a, Node *, k->f->nparam),
	     **of = NEW_ARRAY(a, Node *, k->f->nparam);
	uint32_t n = 0;
	if (!result) return false;
	for (uint32_t i = 0; i < k->f->nparam; i++)
		if (k->linear[i]) by[n++] = leaf[i];
	if (!transpose_linear(g, (Nodes){k->f->nresult, result}, leaf + k->f->nparam, (Nodes){n, by}, back))
		return false;
	n = 0;
	for (uint32_t i = 0; i < k->f->nparam; i++) of[i] = k->linear[i] ? back[n++] : NULL;
	return close_form(g, a, k, leaf, of);
}

bool reverse_kept(Graph *g, Table *kept, Node *x, const bool *linear, Node *const *cotangent, Node **out)
{
	const Function *f = call_function(x);
	Kept k = kept_of(kept, g, x, f->nresult, f->nparam, linear);
	for (uint32_t i = 0; i < f->nresult; i++) k.given[f->nparam + i] = cotangent[i];
	return derivative_of(g, kept, &k, make_transpose, out);
}

/* ---- systems of linear equations ----------------------------------------------------------- */

/* dz solves the same system for db - da(z), where z stays. */
bool forward_system(Forward *f, Node *x, Node *const *v, Tangent *t)
{
	Graph *g = f->g;
	Arena *a = f->scratch;
	uint32_t n = system_size(x), nparam = call_function(x)->nparam;
	Node **z = NEW_ARRAY(a, Node *, n), **y = NEW_ARRAY(a, Node *, n), **r = NEW_ARRAY(a, Node *, n);
	Forward inner;
	forward_open(&inner, g, a);
	for (uint32_t i = n; i < nparam; i++) forward_seed(&inner, x->arg[i], v[i]);
	for (uint32_t i = 0; i < n; i++) {
		z[i] = n == 1 ? x : get(g, x, i);
		forward_seed(&inner, z[i], NULL);
	}
	if (!system_apply(g, x, z, y) || !forward_run(&inner, n, y)) return false;
	for (uint32_t i = 0; i < n; i++) {
		Node *d = forward_of(&inner, y[i]);
		r[i] = v[i] ? v[i] : like(g, z[i], 0);
		if (d && r[i]) r[i] = build2(g, OP_SUB, r[i], d);
		if (!r[i]) return false;
	}
	Node *dz = system_of(g, x, r);
	for (uint32_t i = 0; i < n && dz; i++) t->elem[i] = n == 1 ? dz : get(g, dz, i);
	return dz != NULL;
}

/* Linear in the right side alone. */
bool reverse_system(Graph *g, Node *x, const bool *linear, Node *const *u, Node **out)
{
	uint32_t n = system_size(x);
	Node **all = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		Node *z = n == 1 ? x : get(g, x, i);
		all[i] = z && !u[i] ? like(g, z, 0) : u[i];
		if (!all[i]) return false;
	}
	Node *back = system_transposed(g, x, all);
	for (uint32_t i = 0; i < n && back; i++)
		if (linear[i]) out[i] = n == 1 ? back : get(g, back, i);
	return back != NULL;
}
