/* elab_dim.c - sizes in shapes: what the names in them stand for, and new ones. */
#include "elab_type.h"

/* ---- sizes in shapes --------------------------------------------------------------------- */

const Size *shape_size(Elab *e, const TypeDim *d, DimPlace *new)
{
	if (d->size) return d->size;
	const Syntax *s = d->syntax;
	Env env = d->env;
	for (Binding *b; s->kind == SYN_NAME;) {
		if (!(b = env_local((Env){env.scope, UINT32_MAX}, s->name))) {
			Decl *let = env.scope->module ? module_decl(env.scope->module, s->name) : NULL;
			if (let && let->syntax->kind == SYN_BIND) break;
			*new = (DimPlace){env, s->name};
			return NULL;
		}
		if (b->kind != B_ALIAS) return size_from(e, s, b);
		s = b->alias->syntax;
		env = b->alias->env;
	}
	return size_from(e, s, elab(e, (Env){env.scope, UINT32_MAX}, s));
}

void bind_place(Elab *e, DimPlace p, Binding *b)
{
	Env env = {p.env.scope, 0};
	env_bind(e, &env, p.name, b);
}

/* A type without its brackets has sizes of its own: of `p: tree, q: tree` the second n is n1. */
const char *new_size_name(Elab *e, DimPlace p)
{
	const char *name = p.name;
	if (!e->size_names.table.arena) namemap_open(&e->size_names, e->g->arena);
	/* what stands behind a name is the first number that may be free */
	uintptr_t first = (uintptr_t)namemap_get(&e->size_names, name), k = first;
	for (; k && namemap_get(&e->size_names, name); k++) {
		const char *next = arena_printf(e->g->arena, "%s%u", p.name, (unsigned)k);
		name = names_get(&e->g->names, next, strlen(next));
	}
	if (first) namemap_put(&e->size_names, p.name, (void *)k);
	namemap_put(&e->size_names, name, (void *)(uintptr_t)1);
	return name;
}

const Size *signature_size(Elab *e, const char *name)
{
	const char *interned = names_get(&e->g->names, name, strlen(name));
	return size_named(e->g, new_size_name(e, (DimPlace){.name = interned}));
}

/* ---- names that stand within a size: 2*n + 1 -------------------------------------------------------- */

enum { NEW_NAMES = 8 };

static void find_new(Env env, const Syntax *s, DimPlace *out, uint32_t *n)
{
	if (s->kind == SYN_NAME) {
		const Decl *let = env.scope->module ? module_decl(env.scope->module, s->name) : NULL;
		const Binding *b = env_local((Env){env.scope, UINT32_MAX}, s->name);
		if (b && b->kind == B_ALIAS) {
			find_new(b->alias->env, b->alias->syntax, out, n);
			return;
		}
		bool known = b || (let && let->syntax->kind == SYN_BIND);
		for (uint32_t i = 0; i < *n; i++)
			known |= out[i].name == s->name && out[i].env.scope == env.scope;
		if (!known && *n < NEW_NAMES) out[(*n)++] = (DimPlace){env, s->name};
		return;
	}
	bool sum = s->kind == SYN_CHAIN || s->kind == SYN_UNARY || s->kind == SYN_TUPLE,
	     call = s->kind == SYN_CALL;
	for (uint32_t i = call; (sum || call) && i < s->count; i++) find_new(env, s->part[i], out, n);
}

static const Size *put_number(void *user, const Atom *a)
{
	const Size *const *x = user; /* which atom, and what stands for it */
	return a == x[0]->term[0].atom[0] ? x[1] : NULL;
}

/* The n for which a*n + b, written in d, is the given size; NULL: d is not so. */
static const Size *solved(Elab *e, const TypeDim *d, DimPlace n, const Size *given)
{
	Graph *g = e->g;
	const Size *x[2] = {size_named(g, " ")}, *at[3];
	bind_place(e, n, size_value(g, x[0]));
	const Size *whole = size_from(e, d->syntax, elab(e, (Env){d->env.scope, UINT32_MAX}, d->syntax));
	for (int i = 0; i < 3; i++) {
		x[1] = size_const(g, i);
		at[i] = whole ? size_substitute(g, whole, put_number, x) : NULL;
		if (!at[i]) return NULL;
	}
	const Size *slope = size_sub(g, at[1], at[0]);
	int64_t a;
	if (!size_is(slope, &a) || !a || size_sub(g, at[2], at[1]) != slope) return NULL;
	return size_floordiv(g, size_sub(g, given, at[0]), slope);
}

bool learn_names(Elab *e, const Syntax *s, const TypeDim *d, const Size *given)
{
	DimPlace new[NEW_NAMES];
	uint32_t n = 0;
	if (d->size || d->run || d->syntax->kind == SYN_NAME) return true;
	find_new(d->env, d->syntax, new, &n);
	if (given && n == 1) {
		const Size *x = solved(e, d, new[0], given);
		if (!x)
			return e->g->error.code
				? false
				: fail_at_syntax(e, s, ERR_TYPE,
					  "%s: %s does not tell the size %s; an axis %s would", shown(e, s),
					  shown(e, d->syntax), new[0].name, new[0].name);
		bind_place(e, new[0], size_value(e->g, x));
	}
	if (given && n > 1)
		return fail_at_syntax(e, s, ERR_TYPE,
			"%s: %s does not tell %s and %s apart; an axis %s or %s would", shown(e, s),
			shown(e, d->syntax), new[0].name, new[1].name, new[0].name, new[1].name);
	for (uint32_t i = 0; !given && i < n; i++)
		bind_place(e, new[i], size_value(e->g, size_named(e->g, new_size_name(e, new[i]))));
	return true;
}

/* ---- sizes that tell one another: m + n where n is known -------------------------------------------- */

/* Binds what a given size tells, where one name is new.  Gives whether one was bound. */
static bool learn_dim(Elab *e, const TypeDim *d, const Size *given)
{
	DimPlace new[NEW_NAMES] = {0};
	uint32_t n = 0;
	if (d->size) return false;
	if (d->syntax->kind == SYN_NAME)
		shape_size(e, d, &new[0]);
	else
		find_new(d->env, d->syntax, new, &n);
	const Size *x = NULL;
	if (n == 1)
		x = solved(e, d, new[0], given);
	else if (!n && new[0].name)
		x = given;
	if (x) bind_place(e, new[0], size_value(e->g, x));
	return x != NULL;
}

static bool is_tangled(const TypeDim *d)
{
	DimPlace new[NEW_NAMES];
	uint32_t n = 0;
	if (!d->size && !d->run && d->syntax->kind != SYN_NAME) find_new(d->env, d->syntax, new, &n);
	return n > 1;
}

/* Is an axis computed from a name that is not known yet and is one of these? */
static bool names_one(const TypeDim *d, uint32_t n, const char *const *name)
{
	DimPlace new[NEW_NAMES];
	uint32_t found = 0;
	if (!d->size && !d->run && d->syntax->kind != SYN_NAME) find_new(d->env, d->syntax, new, &found);
	for (uint32_t i = 0; i < found; i++)
		for (uint32_t k = 0; k < n; k++)
			if (name[k] && new[i].name == name[k]) return true;
	return false;
}

bool has_size_of(const TypeTerm *t, uint32_t n, const char *const *name)
{
	bool one = false;
	if (!t || (t->kind != TT_ARRAY && t->kind != TT_TUPLE && t->kind != TT_RECORD)) return false;
	for (uint32_t i = 0; i < t->n && !one; i++)
		one = t->kind == TT_ARRAY ? names_one(&t->dim[i], n, name) : has_size_of(t->elem[i], n, name);
	return one;
}

/* Does an axis have two names, so that another one must tell one of them first? */
bool has_tangled_size(const TypeTerm *t)
{
	bool tangled = false;
	if (!t) return false;
	for (uint32_t i = 0; i < t->n; i++)
		tangled |= t->kind == TT_ARRAY ? is_tangled(&t->dim[i]) : has_tangled_size(t->elem[i]);
	return tangled;
}

/* Those of an array, whose type may hold one run: [..s, n]. */
static bool learn_dims(Elab *e, const TypeTerm *t, const Node *x)
{
	bool more = false;
	if (x->type->kind != TYPE_ARRAY) return false;
	uint32_t rank = node_rank(x), runs = 0, axis = 0;
	for (uint32_t i = 0; i < t->n; i++) runs += t->dim[i].run != NULL;
	bool fits = runs ? rank + 1 >= t->n : rank == t->n;
	if (runs > 1 || !fits) return false;
	for (uint32_t i = 0; i < t->n; i++) {
		if (t->dim[i].run)
			axis += rank + 1 - t->n;
		else
			more |= learn_dim(e, &t->dim[i], node_dim(x, axis++));
	}
	return more;
}

/* The sizes that a value of this type tells by itself, for those that tell two at once.  Gives whether one
 * was bound; what does not fit is left to match_type. */
bool learn_sizes(Elab *e, const TypeTerm *t, const Binding *b)
{
	bool more = false;
	if (!t || !b || e->g->error.code) return false;
	if (t->kind == TT_ARRAY) return b->kind == B_NODE && learn_dims(e, t, b->node);
	bool tuples = t->kind == TT_TUPLE && b->kind == B_TUPLE,
	     records = t->kind == TT_RECORD && b->kind == B_RECORD;
	for (uint32_t i = 0; (tuples || records) && i < t->n; i++) {
		const Binding *part = i < b->n ? b->elem[i] : NULL;
		if (records) part = binding_field(b, t->field[i]);
		more |= learn_sizes(e, t->elem[i], part);
	}
	return more;
}
