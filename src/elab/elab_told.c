/* elab_told.c - ops that take functions, and the lines of book derivative that tell their derivatives.
 *
 * What a function is, is known where it is called: such an op is no node of its own.  Its call is its
 * meaning, written out, or, where a line d(f(g, x)) => or vjp(f(g, x), u) => tells its derivative, a call
 * that has that line's right side for it, as with_derivative and with_vjp make one, of the arguments that are
 * arrays.  In the line dx is the differential of x, dg that of what the function g has from outside, and the
 * call of its left side the value that it has.
 */
#include "elab_kept.h"

/* A line, and what of it is looked for again and again. */
struct Told {
	const Syntax *op, *rule;
	const Syntax *brackets, *call; /* SUBSCRIPTS or NULL; f(g, x) */
	const char *cotangent;         /* NULL: of the differential */
	const char *value;             /* how the right side calls f(g, x) */
	Syntax *right;
};

/* Within its own derivative an op tells it again; more of them within each other than any text means. */
enum { TOLD_DEPTH = 16 };

static bool told_same(const void *item, const void *key)
{
	return ((const Told *)item)->op == key;
}

static uint32_t told_hash(const Syntax *op)
{
	return hash_mix(5, (uint64_t)(uintptr_t)op);
}

static const Told *told_of(const Graph *g, const Syntax *op)
{
	const Told *t = NULL;
	for (; g && !t; g = g->below ? g->below : g->base) {
		const Library *lib = g->library;
		t = lib ? table_find(&lib->told, told_hash(op), op, told_same) : NULL;
	}
	return t;
}

/* ---- reading a line ------------------------------------------------------------------------------ */

static bool is_function_parameter(const Syntax *p)
{
	return p->kind == SYN_PARAM && p->part[1] && p->part[1]->kind == SYN_ARROW;
}

bool op_takes_functions(const Syntax *op)
{
	const Syntax *params = op->part[1];
	for (uint32_t i = 0; i < params->count; i++)
		if (is_function_parameter(params->part[i])) return true;
	return false;
}

const Syntax *op_of_call(Graph *g, const Syntax *call)
{
	const Syntax *f = call->kind == SYN_CALL ? call->part[0] : NULL;
	if (f && f->kind == SYN_SUBSCRIPTS) f = f->part[0];
	if (f && f->kind == SYN_FIELD && f->part[0]->kind == SYN_NAME)
		return op_find(g, arena_printf(g->arena, "%s.%s", f->part[0]->name, f->name));
	return f && f->kind == SYN_NAME ? op_find(g, op_written(g, call->where.file, f->name)) : NULL;
}

/* The text with a name for each call that is this one. */
static Syntax *named_call(Arena *a, const Syntax *s, const Told *t)
{
	if (!s) return NULL;
	if (syntax_equal(s, t->call)) return syntax_name(a, s->where, t->value);
	if (s->kind == SYN_NAME || s->kind == SYN_NUMBER) return (Syntax *)(uintptr_t)s;
	Syntax *out = NEW(a, Syntax);
	*out = *s;
	out->cap = s->count;
	out->part = NEW_ARRAY(a, Syntax *, s->count + 1);
	for (uint32_t i = 0; i < s->count; i++) out->part[i] = named_call(a, s->part[i], t);
	return out;
}

static bool refuse_line(Graph *g, const Syntax *at, const char *format, const char *what)
{
	fail(&g->error, ERR_RULE, at->where, format, what);
	return false;
}

/* Names of their own for what stands from `first` on. */
static bool are_names(Graph *g, const Syntax *list, const char **seen, uint32_t *n)
{
	for (uint32_t i = 1; i < list->count; i++) {
		const Syntax *p = list->part[i];
		if (p->kind != SYN_NAME)
			return refuse_line(
				g, p, "%s", "what stands in a line of an op that takes functions are names");
		for (uint32_t k = 0; k < *n; k++)
			if (seen[k] == p->name) return refuse_line(g, p, "%s stands there twice", p->name);
		seen[(*n)++] = p->name;
	}
	return true;
}

static bool read_left(Graph *g, Told *t, const Syntax *left)
{
	const Syntax *params = t->op->part[1], *list = t->op->part[0];
	uint32_t nbracket = list ? list->count : 0, n = 0;
	const char **seen = NEW_ARRAY(g->arena, const char *, params->count + nbracket + 2);
	if (t->call->part[0]->kind == SYN_SUBSCRIPTS) t->brackets = t->call->part[0];
	if (t->call->count - 1 != params->count)
		return refuse_line(g, t->call, "%s",
			arena_printf(g->arena, "%s takes %u operands, here are %u", t->op->name, params->count,
				t->call->count - 1));
	if (t->brackets && t->brackets->count - 1 != nbracket)
		return refuse_line(g, t->brackets, "%s",
			arena_printf(g->arena, "%s has %u values in brackets, here are %u", t->op->name, nbracket,
				t->brackets->count - 1));
	for (uint32_t i = 0; i < nbracket; i++)
		if (t->brackets && list->part[i]->kind == SYN_RUN)
			return refuse_line(g, t->brackets,
				"..%s: a line of an op that takes functions names no run", list->part[i]->name);
	if (!are_names(g, t->call, seen, &n) || (t->brackets && !are_names(g, t->brackets, seen, &n)))
		return false;
	if (!t->cotangent) return true;
	bool arrays = false;
	for (uint32_t i = 0; i < params->count; i++) arrays |= !is_function_parameter(params->part[i]);
	if (!arrays)
		return refuse_line(g, left, "%s: it has no operand but functions, which have no cotangents",
			t->op->name);
	return left->part[2]->kind == SYN_NAME || refuse_line(g, left, "%s", "the cotangent must be a name");
}

bool op_tell(Graph *g, const Syntax *op, const Syntax *rule)
{
	const Syntax *left = rule->part[0];
	Library *lib = library_of(g);
	Told *t = NEW(g->arena, Told);
	bool pulls = !strcmp(left->part[0]->name, "vjp");
	if (left->count != (pulls ? 3u : 2u))
		return refuse_line(g, left, "%s",
			pulls ? "vjp takes the operator and the cotangent" : "d takes the operator");
	if (rule->sign == SIGN_SAME || rule->part[2])
		return refuse_line(g, rule, "%s: a line of an op that takes functions has `=>` and no guard",
			op->name);
	if (told_of(g, op)) return refuse_line(g, rule, "%s: its derivative is told already", op->name);
	*t = (Told){.op = op, .rule = rule, .call = left->part[1]};
	if (pulls) t->cotangent = left->part[2]->kind == SYN_NAME ? left->part[2]->name : "";
	t->value = names_get(&g->names, "its value", strlen("its value"));
	if (!read_left(g, t, left)) return false;
	t->right = named_call(g->arena, rule->part[1], t);
	table_add(&lib->told, told_hash(op), t);
	return true;
}

/* ---- calls ------------------------------------------------------------------------------------------ */

static Binding *operand(const FunctionValue *f, uint32_t i)
{
	return scope_own(f->env, f->syntax->part[1]->part[i]->part[0]->name);
}

void mention_operands(Mentioned *m, const FunctionValue *f)
{
	for (uint32_t i = 0; i < f->syntax->part[1]->count; i++)
		if (operand(f, i)->kind == B_FUNCTION) mention_value(m, operand(f, i));
}

/* Around the text that is elaborated, the op's or that of its line. */
typedef struct ToldText {
	const Syntax *active;
	Where where;
	uint32_t library;
} ToldText;

static ToldText told_begin(Elab *e, const FunctionValue *f)
{
	ToldText in = {e->active, e->g->where, f->env.scope->outer.scope->module->library};
	e->active = f->syntax;
	e->library_calls += in.library;
	e->depth += CALL_DEPTH;
	return in;
}

static void told_end(Elab *e, const ToldText *in)
{
	e->depth -= CALL_DEPTH;
	e->library_calls -= in->library;
	e->active = in->active;
	e->g->where = in->where;
}

/* Over the arrays that are given, the meaning; functions are those of the call. */
static Binding *meaning(Elab *e, const Syntax *s, const FunctionValue *f, const Given *given)
{
	Graph *g = e->g;
	const Syntax *op = f->syntax, *params = op->part[1], *list = op->part[0];
	Env env = env_open(e, (Env){f->env.scope->module->scope, 0});
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		const char *name = p->kind == SYN_RUN ? p->name : p->part[0]->name;
		env_bind(e, &env, name, scope_own((Env){f->env.scope, UINT32_MAX}, name));
	}
	Given *all = NEW_ARRAY(g->arena, Given, params->count);
	for (uint32_t i = 0; i < params->count; i++)
		all[i] = operand(f, i)->kind == B_FUNCTION ? (Given){NULL, operand(f, i), s} : *given++;
	if (!bind_params(e, &env, &(GivenAll){s, op->name, params, params->count, params->count, all}))
		return NULL;
	ToldText in = told_begin(e, f);
	const Pure pure = pure_begin(e, "the meaning of an op");
	Binding *b = elab(e, env, definition_body(g, op));
	if (b && op->part[2]) {
		TypeTerm *t = type_term(e, (Env){env.scope, UINT32_MAX}, op->part[2]);
		b = t ? match_type(e, op->part[3], op->name, t, b) : NULL;
	}
	e->pure = pure;
	told_end(e, &in);
	if (b && binding_has_function(b))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: an op gives arrays, not functions", op->name);
	return b;
}

/* Zeros in the structure of an operand whose cotangent is written 0. */
static Binding *no_cotangent(Elab *e, const Binding *of, Binding *b)
{
	int64_t zero;
	if (!is_structure(of) || !known_int(b, &zero) || zero) return b;
	uint32_t n = binding_leaves(of, NULL);
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n + 1);
	binding_leaves(of, leaf);
	for (uint32_t i = 0; i < n; i++) leaf[i] = like(e->g, leaf[i], 0);
	return binding_refill(e->g, of, leaf);
}

/* Of a cotangent for each operand those of arrays. */
static Binding *cotangents(Elab *e, const FunctionValue *f, const Given *given, Binding *all)
{
	const Syntax *params = f->syntax->part[1], *at = f->told->rule->part[1];
	uint32_t n = params->count, k = 0;
	if (all->kind != B_TUPLE || all->n != n)
		return fail_at_syntax(e, at, ERR_DERIVATIVE, "%s: given %s, wanted a cotangent for each of %u operands",
			f->syntax->name, shown_type(e, all), n);
	Binding **some = NEW_ARRAY(e->g->arena, Binding *, n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t zero = 1;
		if (operand(f, i)->kind != B_FUNCTION) {
			some[k] = no_cotangent(e, given[k].value, all->elem[i]);
			k++;
		} else if (!known_int(all->elem[i], &zero) || zero)
			return fail_at_syntax(e, at, ERR_DERIVATIVE, "%s: %s is a function: its cotangent is 0",
				f->syntax->name, params->part[i]->part[0]->name);
	}
	return k == 1 ? some[0] : bind_tuple(e->g, k, some);
}

static const char *differential_name(Graph *g, const char *of)
{
	const char *s = arena_printf(g->arena, "d%s", of);
	return names_get(&g->names, s, strlen(s));
}

/* What names of the line stand for; given are the arrays, the value, and tangents or the cotangent. */
static void bind_line(Elab *e, const FunctionValue *f, Env *env, uint32_t n, const Given *given)
{
	const Told *t = f->told;
	const Syntax *list = f->syntax->part[0];
	uint32_t arrays = t->cotangent ? n - 2 : (n - 1)/2, k = 0;
	for (uint32_t i = 0; t->brackets && i < list->count; i++)
		env_bind(e, env, t->brackets->part[i + 1]->name,
			scope_own((Env){f->env.scope, UINT32_MAX}, list->part[i]->part[0]->name));
	for (uint32_t i = 0; i + 1 < t->call->count; i++) {
		const char *name = t->call->part[i + 1]->name;
		Binding *own = operand(f, i), *value = own, *d = NULL;
		if (own->kind == B_FUNCTION)
			d = bind_function(e->g,
				&(FunctionValue){.kind = F_WRAPPED, .name = "differential", .inner = own});
		else {
			value = given[k].value;
			d = t->cotangent ? NULL : given[arrays + 1 + k].value;
			k++;
		}
		env_bind(e, env, name, value);
		if (!t->cotangent) env_bind(e, env, differential_name(e->g, name), d);
	}
	env_bind(e, env, t->value, given[arrays].value);
	if (t->cotangent) env_bind(e, env, t->cotangent, given[n - 1].value);
}

static Binding *line(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	const Told *t = f->told;
	const Module *m = module_of_file(e->g, t->rule->where.file);
	Env env = env_open(e, (Env){(m ? m : f->env.scope->module)->scope, 0});
	bind_line(e, f, &env, n, given);
	if (e->told == TOLD_DEPTH)
		return fail_at_syntax(e, s, ERR_DERIVATIVE,
			"%s: its derivative has a call of it, whose derivative has one, %d within each other; the line "
			"may call a fn that computes the same, which is differentiated as it is written",
			f->syntax->name, TOLD_DEPTH);
	e->told++;
	ToldText in = told_begin(e, f);
	Binding *b = elab(e, env, t->right);
	told_end(e, &in);
	e->told--;
	return b && t->cotangent ? cotangents(e, f, given, b) : b;
}

Binding *apply_told(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	return f->told ? line(e, s, f, n, given) : meaning(e, s, f, given);
}

Binding *apply_op_of_functions(Elab *e, const Syntax *s, const Syntax *op, Env env)
{
	Graph *g = e->g;
	const Syntax *params = op->part[1];
	const FunctionValue value = {.kind = F_TOLD, .syntax = op, .env = env, .name = op->name};
	Given *given = NEW_ARRAY(g->arena, Given, params->count);
	uint32_t n = 0;
	for (uint32_t i = 0; i < params->count; i++) {
		Binding *b = operand(&value, i);
		const char *name = params->part[i]->part[0]->name;
		if (b->kind != B_FUNCTION && binding_has_function(b))
			return fail_at_syntax(e, s, ERR_TYPE, "%s: %s: given functions within a structure, wanted each by itself",
				op->name, name);
		if (b->kind == B_FUNCTION && !is_function_parameter(params->part[i]))
			return fail_at_syntax(e, s, ERR_TYPE,
				"%s: %s is given a function and is not declared as one: %s: (f64) -> f64, or what it takes and gives",
				op->name, name, name);
		if (b->kind != B_FUNCTION) given[n++] = (Given){NULL, b, s};
	}
	if (custom_named(g, op->name))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: an operator with a C kernel takes arrays", op->name);
	const Told *t = told_of(g, op);
	if (!t) return apply_told(e, s, &value, n, given);
	FunctionValue rule = value, f = {.kind = F_WRAPPED, .name = t->cotangent ? "with_vjp" : "with_derivative"};
	rule.told = t;
	f.inner = bind_function(g, &value);
	f.rule = bind_function(g, &rule);
	return apply(e, s, bind_function(g, &f), n, given);
}
