/* elab_type.c - types of the notation: reading them, and what they say when names are known.
 *
 * A type with names in it is a pattern.  Matching a value binds the names in
 * the scope where the type was written: a small name in a shape is a size,
 * ..s a run of sizes, a capital with brackets a dtype, a capital alone any
 * type.  A type with parameters has a scope of its own, in which a parameter
 * is an alias of what stands in the brackets; without brackets it is new.
 */
#include "elab_type.h"

/* ---- reading ---------------------------------------------------------------------- */

TypeTerm *term_new(Elab *e, uint8_t kind, uint32_t n)
{
	TypeTerm *t = NEW(e->g->arena, TypeTerm);
	t->kind = kind;
	t->n = n;
	t->dim = kind == TT_ARRAY ? NEW_ARRAY(e->g->arena, TypeDim, n) : NULL;
	t->elem = kind == TT_ARRAY ? NULL : NEW_ARRAY(e->g->arena, TypeTerm *, n);
	return t;
}

/* n dims before those of every array of the type. */
static TypeTerm *prepend(Elab *e, const TypeTerm *t, uint32_t n, const TypeDim *dim)
{
	TypeTerm *r = term_new(e, t->kind, t->kind == TT_ARRAY ? t->n + n : t->n);
	r->dtype = t->dtype;
	r->variable = t->variable;
	r->env = t->env;
	r->field = t->field;
	r->fact = t->fact;
	if (t->kind == TT_ARRAY) {
		memcpy(r->dim, dim, n * sizeof *dim);
		if (t->n) memcpy(r->dim + n, t->dim, t->n * sizeof *dim);
	}
	for (uint32_t i = 0; t->kind != TT_ARRAY && i < t->n; i++)
		r->elem[i] = prepend(e, t->elem[i], n, dim);
	return r;
}

/* A parameter of a type that stands for a formula is that formula: of it a size can be found. */
static TypeDim written_dim(Env env, const Syntax *s)
{
	TypeDim d = {.env = env, .syntax = s}, formula = d;
	while (formula.syntax->kind == SYN_NAME) {
		Binding *b = env_local((Env){formula.env.scope, UINT32_MAX}, formula.syntax->name);
		if (!b || b->kind != B_ALIAS) return d;
		formula.syntax = b->alias->syntax;
		formula.env = b->alias->env;
	}
	return formula;
}

TypeTerm *type_batch(Elab *e, Env env, TypeTerm *t, const Syntax *s)
{
	uint32_t n = s->count - 1;
	TypeDim *dim = NEW_ARRAY(e->g->arena, TypeDim, n);
	for (uint32_t i = 0; i < n; i++) {
		const Syntax *sub = s->part[1 + i];
		if (sub->kind == SYN_SLICE || sub->kind == SYN_ENTRY || (sub->kind == SYN_RUN && !sub->name))
			return fail_at_syntax(
				e, s, ERR_TYPE, "%s: a shape holds sizes and runs ..s", shown(e, s));
		if (sub->kind == SYN_RUN)
			dim[i] = (TypeDim){.env = env, .run = sub->name};
		else
			dim[i] = written_dim(env, sub);
	}
	return t ? prepend(e, t, n, dim) : NULL;
}

static bool is_capital(const char *name)
{
	return name[0] >= 'A' && name[0] <= 'Z';
}

/* ---- how many arrays a type has, told by its text ---------------------------------- */

typedef struct Counted {
	const Syntax *decl;
	uint64_t arrays;
	bool busy, holds_itself;
} Counted;

static bool counted_same(const void *item, const void *key)
{
	return ((const Counted *)item)->decl == key;
}

static const Counted *count_declared(Elab *, Module *, const Syntax *decl);

/* At least so many; types of other modules and of parameters count as one array. */
static uint64_t count_arrays(Elab *e, Module *m, const Syntax *s, bool *holds_itself)
{
	uint64_t n = 0;
	if (s->kind == SYN_SUBSCRIPTS) return count_arrays(e, m, s->part[0], holds_itself);
	if (s->kind == SYN_NAME) {
		Decl *d = m ? module_decl(m, s->name) : NULL;
		if (!d || d->syntax->kind != SYN_TYPE) return 1;
		const Counted *c = count_declared(e, m, d->syntax);
		*holds_itself |= c->holds_itself;
		return c->arrays;
	}
	if (s->kind != SYN_TUPLE && s->kind != SYN_RECORD) return 1;
	for (uint32_t i = 0; i < s->count; i++)
		n += count_arrays(e, m, s->kind == SYN_RECORD ? s->part[i]->part[0] : s->part[i],
			holds_itself);
	return n < TYPE_ARRAYS ? n : TYPE_ARRAYS + (uint64_t)1;
}

static const Counted *count_declared(Elab *e, Module *m, const Syntax *decl)
{
	if (!e->type_arrays.arena) table_open(&e->type_arrays, e->g->arena);
	uint32_t h = hash_mix(0, (uint64_t)(uintptr_t)decl);
	Counted *c = table_find(&e->type_arrays, h, decl, counted_same);
	if (c) {
		c->holds_itself |= c->busy;
		return c;
	}
	c = NEW(e->g->arena, Counted);
	*c = (Counted){.decl = decl, .busy = true};
	table_add(&e->type_arrays, h, c);
	e->counting++; /* deeper ones are too deep in any case */
	c->arrays = e->counting > TYPE_DEPTH ? 1 : count_arrays(e, m, decl->part[0], &c->holds_itself);
	e->counting--;
	c->busy = false;
	return c;
}

static bool type_fits(Elab *e, Module *m, const Syntax *decl)
{
	if (e->types && e->types < TYPE_DEPTH) return true;
	const Counted *c = count_declared(e, m, decl);
	if (c->holds_itself)
		return fail_at_syntax(e, decl, ERR_TYPE, "type %s holds itself", decl->name);
	if (c->arrays > TYPE_ARRAYS)
		return fail_at_syntax(e, decl, ERR_TYPE, "type %s is a structure of more than %d arrays",
			decl->name, TYPE_ARRAYS);
	return e->types < TYPE_DEPTH ||
		fail_at_syntax(e, decl, ERR_TYPE, "type %s: more than %d types, each within the next",
			decl->name, TYPE_DEPTH);
}

/* A named type with its arguments (NULL: none given). */
static TypeTerm *named_type(Elab *e, Env env, Module *m, const Syntax *decl, const Syntax *args)
{
	Env inner = env_open(e, (Env){m->scope, 0});
	inner.scope->module = m;
	for (uint32_t i = 1; args && i < args->count; i++) {
		Alias *alias = NEW(e->g->arena, Alias);
		*alias = (Alias){args->part[i], env};
		Binding *b = NEW(e->g->arena, Binding);
		b->kind = B_ALIAS;
		b->alias = alias;
		env_bind(e, &inner, decl->part[i]->name, b);
	}
	if (!type_fits(e, m, decl)) return NULL;
	e->types++;
	TypeTerm *t = type_term(e, (Env){inner.scope, UINT32_MAX}, decl->part[0]);
	e->types--;
	return t;
}

/* The declaration of a type that a name or path stands for. */
static const Syntax *type_declaration(Elab *e, Env env, const Syntax *s, Module **module)
{
	if (s->kind == SYN_FIELD) {
		Binding *b = elab(e, env, s->part[0]);
		if (!b) return NULL;
		Decl *d = b->kind == B_MODULE ? module_decl(b->module, s->name) : NULL;
		*module = b->kind == B_MODULE ? b->module : NULL;
		return d && d->syntax->kind == SYN_TYPE
			? d->syntax
			: fail_at_syntax(e, s, ERR_NAME, "%s: there is no such type", shown(e, s));
	}
	for (int i = 0; i < 2; i++) {
		*module = i ? e->lib->prelude : env.scope->module;
		Decl *d = *module ? module_decl(*module, s->name) : NULL;
		if (d && d->syntax->kind == SYN_TYPE) return d->syntax;
	}
	return NULL;
}

static TypeTerm *type_name(Elab *e, Env env, const Syntax *s, const Syntax *args)
{
	Binding *b = s->kind == SYN_NAME ? env_local(env, s->name) : NULL;
	if (b && b->kind == B_ALIAS) return type_term(e, b->alias->env, b->alias->syntax);
	if (b && b->kind == B_TYPE) return b->type;
	if (b) return fail_at_syntax(e, s, ERR_TYPE, "%s is %s, not a type", s->name, kind_text(b));
	Dtype d = s->kind == SYN_NAME ? dtype_named(s->name, strlen(s->name)) : DT_NONE;
	TypeTerm *t;
	if (d != DT_NONE) {
		t = term_new(e, TT_ARRAY, 0);
		t->dtype = d;
		return t;
	}
	Module *m;
	const Syntax *decl = type_declaration(e, env, s, &m);
	if (decl && args && args->count != decl->count)
		return fail_at_syntax(e, args, ERR_TYPE, "%s: %s has %u parameters", shown(e, args),
			decl->name, decl->count - 1);
	if (decl) return named_type(e, env, m, decl, args);
	if (e->g->error.code) return NULL;
	if (!is_capital(s->name)) {
		const char *here = habit_of_type(s->name);
		return fail_at_syntax(e, s, ERR_NAME, "%s: there is no such type%s%s", s->name, here ? "; write " : "",
			here ? here : "");
	}
	t = term_new(e, TT_ANY, 0);
	t->variable = s->name;
	t->env = env;
	return t;
}

static TypeTerm *type_subscripts(Elab *e, Env env, const Syntax *s)
{
	const Syntax *base = s->part[0];
	Module *m;
	TypeTerm *t;
	if (base->kind == SYN_NAME || base->kind == SYN_FIELD) {
		bool local = base->kind == SYN_NAME &&
			(env_local(env, base->name) ||
				dtype_named(base->name, strlen(base->name)) != DT_NONE);
		const Syntax *decl = local ? NULL : type_declaration(e, env, base, &m);
		if (decl && decl->count > 1) return type_name(e, env, base, s);
		t = type_name(e, env, base, NULL);
		if (t && t->kind == TT_ANY && t->variable) { /* a capital with brackets: a dtype */
			TypeTerm *d = term_new(e, TT_ARRAY, 0);
			d->variable = t->variable;
			d->env = t->env;
			t = d;
		}
	} else {
		t = type_term(e, env, base);
	}
	return t ? type_batch(e, env, t, s) : NULL;
}

static TypeTerm *type_record(Elab *e, Env env, const Syntax *s)
{
	TypeTerm *t = term_new(e, TT_RECORD, s->count);
	NameMap met;
	namemap_open(&met, e->g->arena);
	t->field = NEW_ARRAY(e->g->arena, const char *, s->count);
	t->fact = NEW_ARRAY(e->g->arena, const Syntax *, s->count);
	for (uint32_t i = 0; i < s->count; i++) {
		const Syntax *slot = s->part[i];
		if (namemap_get(&met, slot->name))
			return fail_at_syntax(
				e, slot, ERR_NAME, "%s: field %s is given twice", shown(e, s), slot->name);
		namemap_put(&met, slot->name, (void *)(uintptr_t)slot->name);
		t->field[i] = slot->name;
		t->fact[i] = slot->part[1];
		if (!(t->elem[i] = type_term(e, env, slot->part[0]))) return NULL;
	}
	return t;
}

TypeTerm *type_term(Elab *e, Env env, const Syntax *s)
{
	TypeTerm *t;
	switch (s->kind) {
	case SYN_NAME:
	case SYN_FIELD: return type_name(e, env, s, NULL);
	case SYN_SUBSCRIPTS: return type_subscripts(e, env, s);
	case SYN_ARROW: return term_new(e, TT_FUNCTION, 0);
	case SYN_TUPLE:
		t = term_new(e, TT_TUPLE, s->count);
		for (uint32_t i = 0; i < s->count; i++)
			if (!(t->elem[i] = type_term(e, env, s->part[i]))) return NULL;
		return t;
	case SYN_RECORD: return type_record(e, env, s);
	case SYN_CALL: {
		Binding *b = elab(e, env, s); /* typeof(p) */
		if (b && b->kind == B_TYPE) return b->type;
		if (b)
			return fail_at_syntax(e, s, ERR_TYPE, "%s is %s, not a type", shown(e, s),
				kind_text(b));
		return NULL;
	}
	default: return fail_at_syntax(e, s, ERR_TYPE, "%s is no type", shown(e, s));
	}
}

TypeTerm *type_of_value(Elab *e, const Binding *b)
{
	if (!b) return NULL;
	if (b->kind == B_FUNCTION || b->kind == B_TYPE || b->kind == B_MODULE) return term_new(e, TT_ANY, 0);
	TypeTerm *t;
	if (b->kind == B_NODE) {
		bool array = b->node->type->kind == TYPE_ARRAY;
		t = term_new(e, array ? TT_ARRAY : TT_ANY, array ? node_rank(b->node) : 0);
		t->dtype = array ? dtype_strong(node_dtype(b->node)) : DT_NONE;
		for (uint32_t i = 0; i < t->n; i++) t->dim[i].size = node_dim(b->node, i);
		return t;
	}
	t = term_new(e, b->kind == B_TUPLE ? TT_TUPLE : TT_RECORD, b->n);
	t->field = b->field;
	t->fact = NEW_ARRAY(e->g->arena, const Syntax *, b->n);
	for (uint32_t i = 0; i < b->n; i++) t->elem[i] = type_of_value(e, b->elem[i]);
	return t;
}

/* ---- in messages ------------------------------------------------------------------ */

const char *term_text(Elab *e, const TypeTerm *t)
{
	Text x;
	text_open(&x, e->g->arena);
	switch (t->kind) {
	case TT_ARRAY: break;
	case TT_TUPLE: return "a tuple";
	case TT_RECORD: return "a structure";
	case TT_FUNCTION: return "a function";
	default: return "any type";
	}
	text_add(&x, t->dtype == DT_NONE ? t->variable : dtype_name(t->dtype));
	for (uint32_t i = 0; i < t->n; i++) {
		const TypeDim *d = &t->dim[i];
		text_add(&x, i ? ", " : "[");
		if (d->run)
			text_printf(&x, "..%s", d->run);
		else if (d->size)
			size_print(&x, d->size);
		else
			print_syntax(&x, d->syntax);
	}
	text_add(&x, t->n ? "]" : "");
	return text_done(&x);
}

void *mismatch(Elab *e, const Syntax *s, const char *what, const TypeTerm *t, const Binding *b)
{
	return fail_at_syntax(
		e, s, ERR_TYPE, "%s: given %s, wanted %s", what, shown_type(e, b), term_text(e, t));
}

/* ---- types that are known ---------------------------------------------------------------------- */

Dtype variable_dtype(const TypeTerm *t)
{
	Binding *b = t->variable ? env_local((Env){t->env.scope, UINT32_MAX}, t->variable) : NULL;
	return b && b->kind == B_TYPE && b->type->kind == TT_ARRAY ? b->type->dtype : DT_NONE;
}

Dtype term_dtype(const TypeTerm *t)
{
	Dtype d = t->variable ? variable_dtype(t) : t->dtype;
	return d == DT_NONE ? DT_F64 : d;
}

/* A name that nothing has bound: a declaration makes a size of it; elsewhere that is an error. */
static const Size *new_size(Elab *e, const Syntax *s, const TypeTerm *t, DimPlace new)
{
	if (!e->declaring && is_own_bracket(e, new.name))
		return fail_at_syntax(e, s, ERR_NAME,
			"%s: %s has no value: it stands in the brackets of %s, as in %s[%s = 3](...)",
			term_text(e, t), new.name, e->active->name, e->active->name, new.name);
	if (!e->declaring)
		return fail_at_syntax(e, s, ERR_NAME, "%s: %s is not declared", term_text(e, t), new.name);
	const Size *size = size_named(e->g, new_size_name(e, new));
	if (new.env.scope == e->signature) size_declare(e->g, size);
	bind_place(e, new, size_value(e->g, size));
	return size;
}

const Type *term_type(Elab *e, const Syntax *s, TypeTerm *t)
{
	if (t->kind != TT_ARRAY)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s where the type of an array is wanted", term_text(e, t));
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	Dtype d = t->variable ? variable_dtype(t) : t->dtype;
	if (d == DT_NONE && e->declaring)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s is generic: a value must give its type", term_text(e, t));
	for (uint32_t i = 0; i < t->n; i++) {
		const TypeDim *x = &t->dim[i];
		Binding *run = x->run ? env_local((Env){x->env.scope, UINT32_MAX}, x->run) : NULL;
		if (x->run && (!run || run->kind != B_TUPLE))
			return fail_at_syntax(e, s, ERR_TYPE, "%s is generic: a value must give its shape",
				term_text(e, t));
		for (uint32_t k = 0; k < (run ? run->n : 1); k++) {
			DimPlace new = {0};
			if (e->declaring && !learn_names(e, s, x, NULL)) return NULL;
			const Size *size = run ? size_from(e, s, run->elem[k]) : shape_size(e, x, &new);
			if (!size && !e->g->error.code) size = new_size(e, s, t, new);
			if (!size) return NULL;
			if (n == RANK_MAX)
				return fail_at_syntax(e, s, ERR_TYPE, "more than %d axes", RANK_MAX);
			dim[n++] = size;
		}
	}
	return type_array(e->g, d == DT_NONE ? DT_F64 : d, n, dim);
}

Binding *term_leaves(Elab *e, const Syntax *s, TypeTerm *t, const char *path, leaf_maker make, void *user)
{
	if (!t) return NULL;
	if (t->kind == TT_ARRAY) {
		const Type *type = term_type(e, s, t);
		return type ? bind_node(e->g, make(e, user, path, type)) : NULL;
	}
	Binding *bound = t->kind == TT_ANY && t->variable
		? env_local((Env){t->env.scope, UINT32_MAX}, t->variable)
		: NULL;
	if (bound && bound->kind == B_TYPE) return term_leaves(e, s, bound->type, path, make, user);
	if (t->kind != TT_TUPLE && t->kind != TT_RECORD)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s: %s: a value must give its type", path, term_text(e, t));
	Binding **elem = NEW_ARRAY(e->g->arena, Binding *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		const char *sub = t->kind == TT_TUPLE ? arena_printf(e->g->arena, "%s.%u", path, i)
						      : arena_printf(e->g->arena, "%s.%s", path, t->field[i]);
		if (!(elem[i] = term_leaves(e, s, t->elem[i], sub, make, user))) return NULL;
	}
	return t->kind == TT_TUPLE ? bind_tuple(e->g, t->n, elem) : bind_record(e->g, t->n, t->field, elem);
}
