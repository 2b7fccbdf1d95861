/* elab_call.c - calls: arguments bound to parameters, bodies inlined at the types of the call, but for those
 * that stay (elab_kept.c). */
#include "elaborator.h"

/* ---- parameters --------------------------------------------------------------------------- */

/* Bound leaves that stand for the arguments while the body is elaborated. */
typedef struct Fresh {
	Node **leaf, **actual;
	uint32_t n, cap, actual_cap;
} Fresh;

static Binding *freshen(Elab *e, Fresh *f, const char *name, Binding *b)
{
	uint32_t n = binding_leaves(b, NULL), before = f->n;
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		if (leaf[i]->type->kind != TYPE_ARRAY ||
			!(dtype_is_float(node_dtype(leaf[i])) || dtype_is_complex(node_dtype(leaf[i]))))
			continue;
		GROW(e->g->arena, f->leaf, f->n, f->cap);
		GROW(e->g->arena, f->actual, f->n, f->actual_cap);
		f->actual[f->n] = leaf[i];
		leaf[i] = f->leaf[f->n] = fresh(e->g, leaf[i]->type, name);
		stands_for(e, leaf[i], f->actual[f->n++]);
	}
	return f->n == before ? b : binding_refill(e->g, b, leaf);
}

/* Dtype variables of the types: capitals before brackets that stand for nothing else. */
static void declare_dtypes(Elab *e, Env *env, const Syntax *s)
{
	if (!s) return;
	const Syntax *base = s->kind == SYN_SUBSCRIPTS ? s->part[0] : NULL;
	if (base && base->kind == SYN_NAME && base->name[0] >= 'A' && base->name[0] <= 'Z' &&
		!env_local((Env){env->scope, UINT32_MAX}, base->name) &&
		!module_decl(env->scope->module, base->name) &&
		!(e->lib->prelude && module_decl(e->lib->prelude, base->name))) {
		TypeTerm *t = NEW(e->g->arena, TypeTerm);
		*t = (TypeTerm){.kind = TT_ARRAY, .variable = base->name, .env = {env->scope, UINT32_MAX}};
		env_bind(e, env, base->name, bind_type(e->g, t));
	}
	for (uint32_t i = 0; i < s->count; i++) declare_dtypes(e, env, s->part[i]);
}

static bool is_weak(const Binding *b)
{
	return b->kind == B_NODE && b->node->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(b->node));
}

/* Parameters being bound, by place: the value, where it was written (NULL: a default), its type (NULL: none
 * is asked for). */
typedef struct ParamBinder {
	Elab *e;
	const GivenAll *a;
	Env *env;
	Fresh *fresh; /* NULL: leaves are bound as they are */
	Binding **value;
	const Syntax **source;
	TypeTerm **term;
} ParamBinder;

static const Syntax *param_at(const ParamBinder *b, uint32_t i)
{
	return b->a->params->part[i];
}

/* NULL: a pattern, which takes a structure apart, or a run of arguments. */
static const char *param_name(const Syntax *p)
{
	return p->kind == SYN_PARAM && p->part[0]->kind == SYN_NAME ? p->part[0]->name : NULL;
}

static const Syntax *source_of(const ParamBinder *b, uint32_t i)
{
	return b->source[i] ? b->source[i] : b->a->at;
}

/* The values that are given by name. */
static bool assign_named(ParamBinder *b)
{
	Elab *e = b->e;
	const GivenAll *a = b->a;
	NameMap place; /* of a parameter, from 1 */
	namemap_open(&place, e->g->arena);
	for (uint32_t i = 0; i < a->n; i++)
		if (param_name(param_at(b, i)))
			namemap_put(&place, param_name(param_at(b, i)), (void *)((uintptr_t)i + 1));
	for (uint32_t k = 0; k < a->ngiven; k++) {
		const Given *x = &a->given[k];
		if (!x->name) continue;
		uintptr_t i = (uintptr_t)namemap_get(&place, x->name);
		if (!i)
			return fail_at_syntax(e, x->syntax, ERR_NAME, "%s: %s has no parameter %s",
				shown(e, a->at), a->what, x->name);
		if (b->value[i - 1])
			return fail_at_syntax(e, x->syntax, ERR_NAME, "%s: argument %s is given twice",
				shown(e, a->at), x->name);
		b->value[i - 1] = x->value;
		b->source[i - 1] = x->syntax;
	}
	return true;
}

/* From `next` on, the first that is given by place; ngiven: none is left. */
static uint32_t next_by_place(const GivenAll *a, uint32_t next)
{
	while (next < a->ngiven && a->given[next].name) next++;
	return next;
}

static void add_names(Text *t, const Syntax *list)
{
	const char *between = "";
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		const char *name = p->kind == SYN_RUN ? p->name : param_name(p);
		if (!name) continue;
		text_printf(t, "%s%s%s", between, p->kind == SYN_RUN ? ".." : "", name);
		between = ", ";
	}
}

/* "; it is written eye[n]()", of a function with brackets. */
static const char *as_written(const ParamBinder *b)
{
	const GivenAll *a = b->a;
	Text t;
	if (!a->brackets || !a->brackets->count) return "";
	text_open(&t, b->e->g->arena);
	text_printf(&t, "; it is written %s[", a->what);
	add_names(&t, a->brackets);
	text_add(&t, "](");
	add_names(&t, a->params);
	text_char(&t, ')');
	return text_done(&t);
}

/* The value of each parameter by name or by place; one with a default may have none. */
static bool assign(ParamBinder *b)
{
	Elab *e = b->e;
	const GivenAll *a = b->a;
	uint32_t next = 0;
	bool named = false;
	for (uint32_t k = 0; k < a->ngiven; k++) named |= a->given[k].name != NULL;
	if (named && !assign_named(b)) return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const Syntax *p = param_at(b, i);
		if (p->kind == SYN_RUN) {
			Binding **run = NEW_ARRAY(e->g->arena, Binding *, a->ngiven);
			uint32_t k = 0;
			for (; next < a->ngiven; next++)
				if (!a->given[next].name) run[k++] = a->given[next].value;
			b->value[i] = bind_tuple(e->g, k, run);
			continue;
		}
		if (b->value[i]) continue;
		next = next_by_place(a, next);
		if (next < a->ngiven) {
			b->source[i] = a->given[next].syntax;
			b->value[i] = a->given[next++].value;
		} else if (!p->part[2])
			return fail_at_syntax(e, a->at, ERR_TYPE, "%s: %s: argument %s is missing",
				shown(e, a->at), a->what, shown(e, p->part[0]));
	}
	if (next_by_place(a, next) < a->ngiven)
		return fail_at_syntax(e, a->at, ERR_TYPE, "%s: %s takes %u argument%s, here are %u%s",
			shown(e, a->at), a->what, a->n, a->n == 1 ? "" : "s", a->ngiven, as_written(b));
	return true;
}

/* Names that types may speak of: dtype variables, and parameters, as a size of that name is the parameter. */
static void declare_names(ParamBinder *b)
{
	for (uint32_t i = 0; i < b->a->n; i++) {
		const Syntax *p = param_at(b, i);
		if (p->kind == SYN_PARAM) declare_dtypes(b->e, b->env, p->part[1]);
		if (b->value[i] && param_name(p)) env_bind(b->e, b->env, param_name(p), b->value[i]);
	}
}

static TypeTerm *term_of(const ParamBinder *b, const Syntax *p)
{
	return type_term(b->e, (Env){b->env->scope, UINT32_MAX}, p->part[1]);
}

static bool read_types(ParamBinder *b)
{
	for (uint32_t i = 0; i < b->a->n; i++) {
		const Syntax *p = param_at(b, i);
		if (p->kind != SYN_PARAM || !p->part[1] || !b->value[i]) continue;
		b->term[i] = term_of(b, p);
		if (!b->term[i]) return false;
	}
	return true;
}

/* Where an axis is m + n, every axis that tells m or n is asked first. */
static void learn_all(ParamBinder *b)
{
	bool more = false;
	for (uint32_t i = 0; i < b->a->n; i++) more |= has_tangled_size(b->term[i]);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < b->a->n; i++) more |= learn_sizes(b->e, b->term[i], b->value[i]);
	}
}

/* Literals last: they take the dtype that a variable got from the others. */
static bool match_values(ParamBinder *b)
{
	for (int weak = 0; weak < 2; weak++)
		for (uint32_t i = 0; i < b->a->n; i++) {
			const Syntax *p = param_at(b, i);
			if (!b->term[i] || is_weak(b->value[i]) != (bool)weak) continue;
			const char *name = param_name(p);
			if (!name) name = shown(b->e, p->part[0]);
			b->value[i] = match_type(b->e, source_of(b, i), name, b->term[i], b->value[i]);
			if (!b->value[i]) return false;
		}
	return true;
}

/* It sees what stands before it. */
static Binding *default_of(ParamBinder *b, const Syntax *p)
{
	Binding *value = elab(b->e, *b->env, p->part[2]);
	if (!value || !p->part[1]) return value;
	TypeTerm *t = term_of(b, p);
	return match_type(b->e, b->a->at, shown(b->e, p->part[0]), t, value);
}

static bool bind_value(ParamBinder *b, uint32_t i)
{
	const Syntax *p = param_at(b, i);
	if (p->kind == SYN_RUN) {
		env_bind(b->e, b->env, p->name, b->value[i]);
		return true;
	}
	Binding *value = b->value[i] ? b->value[i] : default_of(b, p);
	if (!value) return false;
	const char *name = param_name(p);
	if (name && !keep_fact(b->e, source_of(b, i), p->part[3], name, value)) return false;
	if (b->fresh) value = freshen(b->e, b->fresh, name, value);
	if (!value) return false;
	if (!name) return bind_pattern(b->e, b->env, p->part[0], value);
	env_bind(b->e, b->env, name, value);
	return true;
}

static bool bind_fresh(Elab *e, Env *env, const GivenAll *a, Fresh *f)
{
	Arena *arena = e->g->arena;
	ParamBinder b = {.e = e, .a = a, .env = env, .fresh = f};
	b.value = NEW_ARRAY(arena, Binding *, a->n);
	b.source = NEW_ARRAY(arena, const Syntax *, a->n);
	b.term = NEW_ARRAY(arena, TypeTerm *, a->n);
	if (!assign(&b)) return false;
	declare_names(&b);
	if (!read_types(&b)) return false;
	learn_all(&b);
	if (!match_values(&b)) return false;
	for (uint32_t i = 0; i < a->n; i++) {
		env->seen = env->scope->count;
		if (!bind_value(&b, i)) return false;
	}
	env->seen = env->scope->count;
	return true;
}

bool bind_params(Elab *e, Env *env, const GivenAll *a)
{
	return bind_fresh(e, env, a, NULL);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef struct Remembered {
	const Syntax *syntax;
	bool derivative;
} Remembered;

static bool remembered_same(const void *item, const void *key)
{
	return ((const Remembered *)item)->syntax == key;
}

static bool finds_derivative(const Syntax *s)
{
	if (!s) return false;
	if (s->kind == SYN_CALL) {
		const Syntax *f = s->part[0]->kind == SYN_SUBSCRIPTS ? s->part[0]->part[0] : s->part[0];
		if (f->kind == SYN_NAME && is_derivative(f->name)) return true;
	}
	for (uint32_t i = 0; i < s->count; i++)
		if (finds_derivative(s->part[i])) return true;
	return false;
}

/* Does the body write a derivative?  Then its parameters are variables of their own. */
static bool has_derivative(Elab *e, const Syntax *s)
{
	uint32_t h = hash_mix(1, (uint64_t)(uintptr_t)s);
	Remembered *r = table_find(&e->lib->syntaxes, h, s, remembered_same);
	if (!r) {
		r = NEW(e->g->arena, Remembered);
		*r = (Remembered){s, finds_derivative(s)};
		table_add(&e->lib->syntaxes, h, r);
	}
	return r->derivative;
}

/* Distinct bound leaves can be differentiated by as they are, where nothing is captured. */
static bool are_variables(Elab *e, uint32_t n, const Given *given)
{
	IdMap met;
	idmap_open(&met, e->g->arena);
	for (uint32_t i = 0; i < n; i++) {
		if (given[i].value->kind == B_FUNCTION || is_structure(given[i].value)) return false;
		if (given[i].value->kind != B_NODE) continue;
		Node *x = given[i].value->node;
		bool leaf = x->op == OP_FRESH || x->op == OP_INPUT;
		if (!leaf && !dtype_is_integer(node_dtype(x))) return false;
		if (idmap_get(&met, x->id)) return false;
		idmap_put(&met, x->id, x);
	}
	return true;
}

static bool over_arguments(Graph *g, Arena *a, Nodes results, IdMap *map);

/* What a branch captures instead of a leaf that stood for an argument belongs to the side that asks for it:
 * it may be an element that is not there. */
static bool branch_over_arguments(Graph *g, Arena *a, Node *x, IdMap *map)
{
	Nodes outer = captured(x);
	Node **outside = NEW_ARRAY(a, Node *, outer.n + 1), *condition;
	Opened o[BODIES_MAX];
	Body b[BODIES_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < outer.n; i++)
		if (op_info[outer.v[i]->op].class != LEAF || !idmap_get(map, outer.v[i]->id))
			outside[n++] = outer.v[i];
	if (n == outer.n) return true;
	node_bodies(x, b);
	for (uint32_t k = 0; k < 2; k++) {
		o[k] = body_open(g, a, x, &b[k]);
		Nodes given = {o[k].nresult, o[k].result};
		if (g->error.code || !over_arguments(g, a, given, map)) return false;
		rebuild(g, given, map, NULL, NULL, o[k].result);
	}
	rebuild(g, (Nodes){1, &x->arg[0]}, map, NULL, NULL, &condition);
	rebuild(g, (Nodes){n, outside}, map, NULL, NULL, outside);
	if (g->error.code) return false;
	Node *y = branch(g, condition, x->type->n, o[0].result, o[1].result, (Nodes){n, outside});
	if (y) idmap_put(map, x->id, y);
	return y != NULL;
}

static bool over_arguments(Graph *g, Arena *a, Nodes results, IdMap *map)
{
	Region *r = region_of(a, results.n, results.v);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		Body side[BODIES_MAX];
		bool branches = node_bodies(x, side) == BODIES_MAX && !idmap_get(map, x->id);
		if (branches && !branch_over_arguments(g, a, x, map)) return false;
	}
	return true;
}

/* The body's value over the arguments instead of the leaves that stood for them. */
static Binding *put_arguments(Elab *e, const Fresh *f, Binding *b)
{
	if (!b || !f->n) return b;
	Graph *g = e->g;
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n), **out = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(b, leaf);
	IdMap map;
	idmap_open(&map, g->arena);
	for (uint32_t i = 0; i < f->n; i++) idmap_put(&map, f->leaf[i]->id, f->actual[i]);
	Arena *a = arena_child(g->arena);
	if (over_arguments(g, a, (Nodes){n, leaf}, &map) &&
		(!e->token || over_arguments(g, a, (Nodes){1, &e->token}, &map)))
		rebuild(g, (Nodes){n, leaf}, &map, NULL, NULL, out);
	arena_free(a);
	if (e->token && !g->error.code) rebuild(g, (Nodes){1, &e->token}, &map, NULL, NULL, &e->token);
	return g->error.code ? NULL : binding_refill(g, b, out);
}

typedef struct NamedCounts {
	Elab *e;
	const char *name;
	bool any;
} NamedCounts;

static void name_count(void *user, const Atom *a)
{
	NamedCounts *c = user;
	Graph *g = c->e->g;
	if (a->kind != ATOM_NODE || scalar_is_told(g->arena, a->node)) return;
	const char *text = arena_printf(g->arena, "len(%s)", c->name);
	node_note(g, a->node, names_get(&g->names, text, strlen(text)), NULL, 0);
	c->any = true;
}

/* An array that a function of the library counts is told by the call, where what counts it says nothing. */
static void told_by_call(Elab *e, const Syntax *s, const Binding *b)
{
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY || node_rank(b->node) != 1) return;
	const char *call = shown(e, s);
	NamedCounts c = {e, names_get(&e->g->names, call, strlen(call)), false};
	size_atoms(node_dim(b->node, 0), name_count, &c);
	if (c.any) node_note(e->g, b->node, c.name, NULL, 0);
}

/* Behind the name of an operator, "sum: "; else the text itself. */
static const char *behind_operator(const char *text)
{
	const char *colon = strstr(text, ": ");
	const size_t n = colon ? (size_t)(colon - text) : 0;
	for (uint32_t op = 0; n && op < OP_COUNT; op++)
		if (strlen(op_info[op].text) == n && !memcmp(op_info[op].text, text, n)) return colon + 2;
	return text;
}

void name_library_call(Elab *e, const char *name)
{
	Error *error = &e->g->error;
	const size_t n = strlen(name);
	if (error->code != ERR_TYPE && error->code != ERR_VALUE) return;
	if (!strncmp(error->text, name, n) && error->text[n] == ':') return;
	const char *text = arena_printf(e->g->arena, "%s: %s", name, behind_operator(error->text));
	strncpy(error->text, text, sizeof error->text - 1);
}

static Binding *inline_body(
	Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given, bool own_variables)
{
	const Syntax *d = f->syntax, *body = definition_body(e->g, d);
	bool lambda = f->kind == F_LAMBDA;
	Env env = env_open(e, f->env);
	Fresh bound = {0};
	Where where = e->g->where;
	uint32_t counted = e->ncounted;
	if (e->inlined++ >= ELAB_CALLS)
		return fail_at_syntax(
			e, s, ERR_VALUE, "%s: more than %d calls, each written out", f->name, ELAB_CALLS);
	if (!lambda && (!refuse_brackets(e, s, f, d, n, given) || !bind_brackets(e, f, d, &env))) return NULL;
	Call call = call_of(e, f, env, n, given);
	Binding *known = call_known(e, &call);
	if (known) return known;
	const Syntax *params = lambda ? d : d->part[1];
	const uint32_t count = lambda ? d->count - 1 : params->count;
	const GivenAll all = {s, f->name, params, count, n, given, lambda ? NULL : d->part[0]};
	if (!bind_fresh(e, &env, &all, own_variables ? &bound : NULL)) return NULL;
	const Syntax *active = e->active;
	uint32_t library = f->env.scope->module && f->env.scope->module->library;
	e->g->where = where; /* not where a default was written */
	e->active = lambda ? e->active : d;
	e->library_calls += library;
	e->depth += CALL_DEPTH;
	Node *before = e->token;
	const bool failed = e->g->error.code;
	Binding *b = elab(e, env, body);
	e->depth -= CALL_DEPTH;
	if (!b && library && e->library_calls == library && !failed) name_library_call(e, f->name);
	if (b && !lambda && d->part[2]) {
		TypeTerm *t = type_term(e, (Env){env.scope, UINT32_MAX}, d->part[2]);
		b = t ? match_type(e, body, arena_printf(e->g->arena, "the result of %s", f->name), t, b)
		      : NULL;
	}
	e->library_calls -= library;
	e->active = active;
	e->g->where = where;
	/* a function that it gives captures its variables: they must be the arguments */
	if (b && bound.n && binding_has_function(b)) {
		e->token = before;
		return inline_body(e, s, f, n, given, false);
	}
	b = put_arguments(e, &bound, ask_lengths(e, b, counted));
	if (b && !library) lengths_of_unused(e, b, n, given);
	b = ask_lengths(e, b, counted);
	if (b && library && !e->library_calls) told_by_call(e, s, b);
	if (e->token == before) call_keep(e, &call, b); /* effects happen in each call */
	return b;
}

Binding *written_out(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	const Syntax *body = definition_body(e->g, f->syntax);
	bool own = has_derivative(e, body) && (f->kind == F_LAMBDA || !are_variables(e, n, given));
	return inline_body(e, s, f, n, given, own);
}

/* Not within apply(), where what it builds would be on the stack of every call within a call. */
__attribute__((noinline)) static Binding *apply_type(
	Elab *e, const Syntax *s, TypeTerm *t, uint32_t n, const Given *given)
{
	const Binding *b = n == 1 ? given[0].value : NULL;
	bool array = b && b->kind == B_NODE && b->node->type->kind == TYPE_ARRAY;
	bool spreads = array && node_dtype(b->node) == DT_KEY;
	if (t->kind == TT_ARRAY && t->dtype == DT_KEY && !spreads) { /* of a number */
		const FunctionValue key = {.kind = F_OPERATOR, .name = "key"};
		Binding *k = apply_builtin(e, s, &key, n, given);
		return k && t->n ? convert(e, s, t, k) : k;
	}
	if (n != 1 || given[0].name)
		return fail_at_syntax(e, s, ERR_TYPE, "%s: a type converts one value", shown(e, s));
	return convert(e, s, t, given[0].value);
}

/* What may have been meant by a call of what is no function. */
static const char *not_called(const Elab *e, const Binding *callee)
{
	if (callee->kind == B_MODULE) return "; its functions are called NAME.f(x)";
	if (callee->kind != B_NODE) return "";
	return e->library_calls ? "; a function is (x) => 2*x" : "; an element is x[i], a product x*y";
}

Binding *apply(Elab *e, const Syntax *s, Binding *callee, uint32_t n, const Given *given)
{
	if (!callee) return NULL;
	if (callee->kind == B_TYPE) return apply_type(e, s, callee->type, n, given);
	if (callee->kind != B_FUNCTION) {
		const char *what = shown(e, s->kind == SYN_CALL ? s->part[0] : s);
		return fail_at_syntax(e, s, ERR_TYPE, "%s: %s is %s, not a function%s", shown(e, s), what,
			kind_text(callee), not_called(e, callee));
	}
	const FunctionValue *f = callee->function;
	if (f->kind == F_OPERATOR && is_derivative(f->name))
		return apply_derivative(e, s, f->name, f, n, given);
	if (f->kind == F_OPERATOR) return apply_builtin(e, s, f, n, given);
	if (f->kind == F_TOLD) return apply_told(e, s, f, n, given);
	if (f->kind == F_WRAPPED && f->back) return apply_system(e, s, f, n, given);
	if (f->kind == F_WRAPPED && !strcmp(f->name, "differential")) {
		Binding *b = apply(e, s, f->inner, n, given);
		return b ? differential_of(e, s, b) : NULL;
	}
	if (f->kind == F_WRAPPED) return (f->rule ? apply_own : apply_wrapped)(e, s, f, n, given);
	if (f->kind == F_DEFINITION && f->syntax->kind == SYN_OP)
		return apply_op_definition(e, s, f, n, given);
	if (f->kind == F_LAMBDA && f->brackets)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s: this function has no bracket parameters", shown(e, s));
	if (e->lib->called && f->syntax == e->lib->called->definition) return note_called(e, s, f, n, given);
	Binding *b = f->kind == F_DEFINITION ? apply_often(e, s, f, n, given) : NULL;
	return b || e->g->error.code ? b : written_out(e, s, f, n, given);
}

Binding *elab_call(Elab *e, Env env, const Syntax *s)
{
	Binding *f = elab(e, env, s->part[0]);
	ArgumentList a = {0};
	if (f && is_checkpoint_of(f, s)) return elab_checkpoint(e, env, s, f);
	if (!f || !read_arguments(e, env, s, &a)) return NULL;
	at(e, s);
	return apply(e, s, f, a.n, a.v);
}
