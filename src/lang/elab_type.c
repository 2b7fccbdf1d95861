/* elab_type.c - types of the notation: reading them, putting values into them, converting to them.
 *
 * A type with names in it is a pattern.  Matching a value binds the names in
 * the scope where the type was written: a small name in a shape is a size,
 * ..s a run of sizes, a capital with brackets a dtype, a capital alone any
 * type.  A type with parameters has a scope of its own, in which a parameter
 * is an alias of what stands in the brackets; without brackets it is new.
 */
#include "elab.h"

/* ---- reading ---------------------------------------------------------------------- */

static TypeTerm *term_new(Elab *e, uint8_t kind, uint32_t n)
{
	TypeTerm *t = NEW(e->g->arena, TypeTerm);
	t->kind = kind;
	t->n = n;
	t->dim = kind == TT_ARRAY ? NEW_ARRAY(e->g->arena, Dim, n) : NULL;
	t->elem = kind == TT_ARRAY ? NULL : NEW_ARRAY(e->g->arena, TypeTerm *, n);
	return t;
}

/* n dims before those of every array of the type. */
static TypeTerm *prepend(Elab *e, const TypeTerm *t, uint32_t n, const Dim *dim)
{
	TypeTerm *r = term_new(e, t->kind, t->kind == TT_ARRAY ? t->n + n : t->n);
	r->dtype = t->dtype, r->variable = t->variable, r->env = t->env, r->field = t->field,
	r->fact = t->fact;
	if (t->kind == TT_ARRAY) {
		memcpy(r->dim, dim, n * sizeof *dim);
		if (t->n) memcpy(r->dim + n, t->dim, t->n * sizeof *dim);
	}
	for (uint32_t i = 0; t->kind != TT_ARRAY && i < t->n; i++)
		r->elem[i] = prepend(e, t->elem[i], n, dim);
	return r;
}

TypeTerm *type_batch(Elab *e, Env env, TypeTerm *t, const Syntax *s)
{
	uint32_t n = s->count - 1;
	Dim *dim = NEW_ARRAY(e->g->arena, Dim, n);
	for (uint32_t i = 0; i < n; i++) {
		const Syntax *sub = s->part[1 + i];
		if (sub->kind == SYN_SLICE || sub->kind == SYN_ENTRY || (sub->kind == SYN_RUN && !sub->name))
			return fail_at_syntax(
				e, s, ERR_TYPE, "%s: a shape holds sizes and runs ..s", shown(e, s));
		dim[i].env = env;
		if (sub->kind == SYN_RUN)
			dim[i].run = sub->name;
		else
			dim[i].syntax = sub;
	}
	return t ? prepend(e, t, n, dim) : NULL;
}

static bool is_capital(const char *name)
{
	return name[0] >= 'A' && name[0] <= 'Z';
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
	if (e->types >= TYPE_DEPTH)
		return fail_at_syntax(e, decl, ERR_TYPE, "type %s holds itself", decl->name);
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
	if (!is_capital(s->name)) return fail_at_syntax(e, s, ERR_NAME, "%s: there is no such type", s->name);
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
			d->variable = t->variable, d->env = t->env;
			t = d;
		}
	} else {
		t = type_term(e, env, base);
	}
	return t ? type_batch(e, env, t, s) : NULL;
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
	case SYN_RECORD:
		t = term_new(e, s->kind == SYN_TUPLE ? TT_TUPLE : TT_RECORD, s->count);
		t->field = NEW_ARRAY(e->g->arena, const char *, s->count);
		t->fact = NEW_ARRAY(e->g->arena, const Syntax *, s->count);
		for (uint32_t i = 0; i < s->count; i++) {
			const Syntax *slot = s->part[i];
			if (s->kind == SYN_RECORD) t->field[i] = slot->name, t->fact[i] = slot->part[1];
			if (!(t->elem[i] = type_term(e, env, s->kind == SYN_RECORD ? slot->part[0] : slot)))
				return NULL;
		}
		return t;
	case SYN_CALL: {
		Binding *b = elab(e, env, s); /* typeof(p) */
		return b && b->kind == B_TYPE ? b->type
			: b
			? fail_at_syntax(e, s, ERR_TYPE, "%s is %s, not a type", shown(e, s), kind_text(b))
			: NULL;
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

/* ---- sizes in shapes --------------------------------------------------------------------- */

/* A name in a shape: what it stands for, or where it would be bound. */
typedef struct Place {
	Env env;
	const char *name;
} Place;

/* The size; NULL without an error where it is a new name, whose place is then told. */
static const Size *dim_size(Elab *e, const Dim *d, Place *new)
{
	if (d->size) return d->size;
	const Syntax *s = d->syntax;
	Env env = d->env;
	for (Binding *b; s->kind == SYN_NAME;) {
		if (!(b = env_local((Env){env.scope, UINT32_MAX}, s->name))) {
			Decl *let = env.scope->module ? module_decl(env.scope->module, s->name) : NULL;
			if (let && let->syntax->kind == SYN_BIND) break;
			*new = (Place){env, s->name};
			return NULL;
		}
		if (b->kind != B_ALIAS) return size_from(e, s, b);
		s = b->alias->syntax, env = b->alias->env;
	}
	return size_from(e, s, elab(e, (Env){env.scope, UINT32_MAX}, s));
}

static void bind_place(Elab *e, Place p, Binding *b)
{
	Env env = {p.env.scope, 0};
	env_bind(e, &env, p.name, b);
}

/* A type without its brackets has sizes of its own: of `p: tree, q: tree` the second n is n1. */
static const char *new_size_name(Elab *e, Place p)
{
	const char *name = p.name;
	for (uint32_t k = 1;; k++) {
		bool taken = false;
		for (uint32_t i = 0; i < e->nsize_name; i++) taken |= e->size_name[i] == name;
		if (!taken) break;
		const char *next = arena_printf(e->g->arena, "%s%u", p.name, k);
		name = names_get(&e->g->names, next, strlen(next));
	}
	GROW(e->g->arena, e->size_name, e->nsize_name, e->size_name_cap);
	e->size_name[e->nsize_name++] = name;
	return name;
}

const Size *signature_size(Elab *e, const char *name)
{
	const char *interned = names_get(&e->g->names, name, strlen(name));
	return size_named(e->g, new_size_name(e, (Place){.name = interned}));
}

/* ---- names that stand within a size: 2*n + 1 -------------------------------------------------------- */

enum { NEW_NAMES = 8 };

static void find_new(Env env, const Syntax *s, Place *out, uint32_t *n)
{
	if (s->kind == SYN_NAME) {
		const Decl *let = env.scope->module ? module_decl(env.scope->module, s->name) : NULL;
		bool known = env_local((Env){env.scope, UINT32_MAX}, s->name) ||
			(let && let->syntax->kind == SYN_BIND);
		for (uint32_t i = 0; i < *n; i++) known |= out[i].name == s->name;
		if (!known && *n < NEW_NAMES) out[(*n)++] = (Place){env, s->name};
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
static const Size *solved(Elab *e, const Dim *d, Place n, const Size *given)
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

/* Names that are new within a size become sizes of their own, or what the given size says. */
static bool learn_names(Elab *e, const Syntax *s, const Dim *d, const Size *given)
{
	Place new[NEW_NAMES];
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
	for (uint32_t i = 0; !given && i < n; i++)
		bind_place(e, new[i], size_value(e->g, size_named(e->g, new_size_name(e, new[i]))));
	return true;
}

static const char *term_text(Elab *e, const TypeTerm *t)
{
	Text x;
	text_open(&x, e->g->arena);
	if (t->kind != TT_ARRAY)
		return t->kind == TT_TUPLE       ? "a tuple"
			: t->kind == TT_RECORD   ? "a structure"
			: t->kind == TT_FUNCTION ? "a function"
						 : "any type";
	text_add(&x, t->dtype == DT_NONE ? t->variable : dtype_name(t->dtype));
	for (uint32_t i = 0; i < t->n; i++) {
		const Dim *d = &t->dim[i];
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

static void *mismatch(Elab *e, const Syntax *s, const char *what, const TypeTerm *t, const Binding *b)
{
	return fail_at_syntax(
		e, s, ERR_TYPE, "%s: given %s, wanted %s", what, shown_type(e, b), term_text(e, t));
}

/* ---- matching -------------------------------------------------------------------------------- */

/* The size that is wanted, or NULL with an error. */
static const Size *match_dim(Elab *e, const Syntax *s, const char *what, const TypeTerm *t, const Dim *d,
	const Size *given, const Binding *value)
{
	Place new = {0};
	if (!learn_names(e, s, d, given)) return NULL;
	const Size *want = dim_size(e, d, &new);
	if (!want && e->g->error.code) return NULL;
	if (!want) {
		bind_place(e, new, size_value(e->g, given));
		return given;
	}
	if (!size_differ(e->g, want, given)) return want;
	Text x;
	text_open(&x, e->g->arena);
	if (d->syntax && d->syntax->kind == SYN_NAME) {
		text_printf(&x, ": %s is ", d->syntax->name);
		size_print(&x, want);
	}
	return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, wanted %s%s", what, shown_type(e, value),
		term_text(e, t), text_done(&x));
}

static bool match_run(Elab *e, const Syntax *s, const char *what, const TypeTerm *t, const Dim *d,
	const Binding *value, uint32_t first, uint32_t n, const Size **out)
{
	Binding *bound = env_local((Env){d->env.scope, UINT32_MAX}, d->run);
	if (!bound) {
		Binding **size = NEW_ARRAY(e->g->arena, Binding *, n);
		for (uint32_t i = 0; i < n; i++)
			size[i] = size_value(e->g, out[i] = node_dim(value->node, first + i));
		bind_place(e, (Place){d->env, d->run}, bind_tuple(e->g, n, size));
		return true;
	}
	if (bound->kind != B_TUPLE || bound->n != n) return mismatch(e, s, what, t, value);
	for (uint32_t i = 0; i < n; i++) {
		out[i] = size_from(e, s, bound->elem[i]);
		if (!out[i] || size_differ(e->g, out[i], node_dim(value->node, first + i)))
			return mismatch(e, s, what, t, value);
	}
	return true;
}

static Dtype variable_dtype(const TypeTerm *t)
{
	Binding *b = t->variable ? env_local((Env){t->env.scope, UINT32_MAX}, t->variable) : NULL;
	return b && b->kind == B_TYPE && b->type->kind == TT_ARRAY ? b->type->dtype : DT_NONE;
}

Dtype term_dtype(const TypeTerm *t)
{
	Dtype d = t->variable ? variable_dtype(t) : t->dtype;
	return d == DT_NONE ? DT_F64 : d;
}

static Binding *match_array(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY) return mismatch(e, s, what, t, b);
	Node *x = b->node;
	Dtype have = node_dtype(x), want = t->variable ? variable_dtype(t) : t->dtype;
	if (t->variable && want == DT_NONE && !dtype_is_weak(have)) {
		TypeTerm *d = term_new(e, TT_ARRAY, 0);
		d->dtype = want = have;
		bind_place(e, (Place){t->env, t->variable}, bind_type(e->g, d));
	}
	bool fits = want == have || want == DT_NONE;
	if (!fits && dtype_is_weak(have))
		fits = dtype_is_complex(want) || (dtype_is_float(want) && have != DT_WEAK_COMPLEX) ||
			(dtype_is_integer(want) && have == DT_WEAK_INT);
	uint32_t runs = 0, rank = node_rank(x);
	for (uint32_t i = 0; i < t->n; i++) runs += t->dim[i].run != NULL;
	if (!fits || runs > 1 || (runs ? rank + 1 < t->n : rank != t->n)) return mismatch(e, s, what, t, b);
	const Size *dim[RANK_MAX];
	for (uint32_t i = 0, axis = 0; i < t->n; i++) {
		uint32_t n = t->dim[i].run ? rank + 1 - t->n : 1;
		if (t->dim[i].run && !match_run(e, s, what, t, &t->dim[i], b, axis, n, dim + axis))
			return NULL;
		if (!t->dim[i].run &&
			!(dim[axis] = match_dim(e, s, what, t, &t->dim[i], node_dim(x, axis), b)))
			return NULL;
		axis += n;
	}
	at(e, s);
	Node *y = sized(e->g, want == have || want == DT_NONE ? x : cast(e->g, x, want), rank, dim);
	return y == x ? b : bind_node(e->g, y);
}

Binding *match_type(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	if (!t || !b) return NULL;
	Binding **elem;
	switch (t->kind) {
	case TT_ARRAY: return match_array(e, s, what, t, b);
	case TT_FUNCTION: return b->kind == B_FUNCTION ? b : mismatch(e, s, what, t, b);
	case TT_ANY: {
		Binding *bound = t->variable ? env_local((Env){t->env.scope, UINT32_MAX}, t->variable) : NULL;
		if (bound && bound->kind == B_TYPE &&
			!(bound->type->kind == TT_ARRAY && bound->type->dtype == DT_NONE))
			return match_type(e, s, what, bound->type, b);
		if (t->variable && !bound)
			bind_place(e, (Place){t->env, t->variable}, bind_type(e->g, type_of_value(e, b)));
		return b;
	}
	case TT_TUPLE:
		if (b->kind != B_TUPLE || b->n != t->n) return mismatch(e, s, what, t, b);
		elem = NEW_ARRAY(e->g->arena, Binding *, t->n);
		for (uint32_t i = 0; i < t->n; i++)
			elem[i] = match_type(e, s, arena_printf(e->g->arena, "%s, element %u", what, i),
				t->elem[i], b->elem[i]);
		return bind_tuple(e->g, t->n, elem);
	default:
		if (b->kind != B_RECORD) return mismatch(e, s, what, t, b);
		elem = NEW_ARRAY(e->g->arena, Binding *, t->n);
		for (uint32_t i = 0; i < t->n; i++) {
			Binding *f = binding_field(b, t->field[i]);
			if (!f)
				return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, which has no field %s",
					what, shown_type(e, b), t->field[i]);
			if (!(elem[i] = match_type(e, s,
				      arena_printf(e->g->arena, "%s.%s", what, t->field[i]), t->elem[i], f)))
				return NULL;
			if (t->fact && !keep_fact(e, s, t->fact[i], t->field[i], elem[i])) return NULL;
		}
		if (b->n != t->n)
			return fail_at_syntax(e, s, ERR_TYPE,
				"%s: given %s, which has more fields than the type", what, shown_type(e, b));
		return bind_record(e->g, t->n, t->field, elem);
	}
}

/* ---- types that are known ---------------------------------------------------------------------- */

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
		const Dim *x = &t->dim[i];
		Binding *run = x->run ? env_local((Env){x->env.scope, UINT32_MAX}, x->run) : NULL;
		if (x->run && (!run || run->kind != B_TUPLE))
			return fail_at_syntax(e, s, ERR_TYPE, "%s is generic: a value must give its shape",
				term_text(e, t));
		for (uint32_t k = 0; k < (run ? run->n : 1); k++) {
			Place new = {0};
			if (e->declaring && !learn_names(e, s, x, NULL)) return NULL;
			const Size *size = run ? size_from(e, s, run->elem[k]) : dim_size(e, x, &new);
			if (!size && e->g->error.code) return NULL;
			if (!size && !e->declaring && is_own_bracket(e, new.name))
				return fail_at_syntax(e, s, ERR_NAME,
					"%s: %s has no value: it stands in the brackets of %s, as in %s[%s = 3](...)",
					term_text(e, t), new.name, e->active->name, e->active->name,
					new.name);
			if (!size && !e->declaring)
				return fail_at_syntax(
					e, s, ERR_NAME, "%s: %s is not declared", term_text(e, t), new.name);
			if (!size) {
				size = size_named(e->g, new_size_name(e, new));
				bind_place(e, new, size_value(e->g, size));
			}
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

/* ---- conversion ----------------------------------------------------------------------------------- */

static Node *convert_complex(Graph *g, Node *x, Dtype d)
{
	double v[2];
	memcpy(v, constant_bytes(x), sizeof v);
	const float f[2] = {(float)v[0], (float)v[1]};
	return constant(g, type_with_dtype(g, x->type, d), d == DT_C64 ? (const void *)f : v);
}

/* A weak constant, each element rounded once. */
Node *convert_constant(Graph *g, Node *x, Dtype d)
{
	int64_t n;
	if (node_dtype(x) == DT_WEAK_COMPLEX && constant_is_uniform(x) && (d == DT_C64 || d == DT_C128))
		return convert_complex(g, x, d);
	if (constant_is_uniform(x) || !size_is(type_elements(g, x->type), &n)) return cast(g, x, d);
	const Type *one = type_scalar(g, node_dtype(x));
	size_t from = dtype_bytes(node_dtype(x)), to = dtype_bytes(d);
	const unsigned char *bytes = constant_bytes(x);
	unsigned char *out = NEW_ARRAY(g->arena, unsigned char, (size_t)n *to + 1);
	for (int64_t i = 0; i < n; i++) {
		Node *y = cast(g, constant(g, one, bytes + (size_t)i * from), d);
		if (!y || y->op != OP_CONST) return y ? cast(g, x, d) : NULL;
		memcpy(out + (size_t)i * to, constant_bytes(y), to);
	}
	return constant_data(g, type_with_dtype(g, x->type, d), out);
}

static Node *convert_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Type *t = user;
	(void)n;
	bool data = x[0]->op == OP_CONST && dtype_is_weak(node_dtype(x[0]));
	Node *y = data ? convert_constant(e->g, x[0], (Dtype)t->dtype) : cast(e->g, x[0], (Dtype)t->dtype);
	return t->n ? sized(e->g, broadcast_to(e->g, y, t->n, t->u.dim), t->n, t->u.dim) : y;
}

Binding *convert(Elab *e, const Syntax *s, TypeTerm *t, Binding *b)
{
	if (!t || !b) return NULL;
	if (t->kind == TT_ARRAY) {
		const Type *type = term_type(e, s, t);
		at(e, s);
		return type ? on_leaves(e, s, 1, &b, convert_leaf, type) : NULL;
	}
	if (t->kind != TT_TUPLE && t->kind != TT_RECORD)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s: nothing converts to %s", shown(e, s), term_text(e, t));
	Binding **elem = NEW_ARRAY(e->g->arena, Binding *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		Binding *part = b->kind == B_NODE                     ? b
			: b->kind == B_RECORD && t->kind == TT_RECORD ? binding_field(b, t->field[i])
			: b->kind == B_TUPLE && i < b->n              ? b->elem[i]
								      : NULL;
		if (!part) return mismatch(e, s, shown(e, s), t, b);
		if (!(elem[i] = convert(e, s, t->elem[i], part))) return NULL;
	}
	return t->kind == TT_TUPLE ? bind_tuple(e->g, t->n, elem) : bind_record(e->g, t->n, t->field, elem);
}
