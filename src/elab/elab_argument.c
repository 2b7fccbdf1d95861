/* elab_argument.c - what a call gives: its arguments in order, and the values in brackets. */
#include "elaborator.h"

/* ---- arguments --------------------------------------------------------------------- */

static bool add_argument(Elab *e, ArgumentList *a, const char *name, Binding *value, const Syntax *s)
{
	GROW(e->g->arena, a->v, a->n, a->cap);
	a->v[a->n++] = (Given){name, value, s};
	return value != NULL;
}

bool read_arguments(Elab *e, Env env, const Syntax *s, ArgumentList *a)
{
	for (uint32_t i = 1; i < s->count; i++) {
		const Syntax *x = s->part[i];
		if (x->kind == SYN_ENTRY) {
			if (!add_argument(e, a, x->name, elab(e, env, x->part[0]), x)) return false;
		} else if (x->kind == SYN_RUN) {
			Binding *run = lookup(e, env, x);
			if (run && run->kind != B_TUPLE)
				return fail_at_syntax(
					e, x, ERR_TYPE, "..%s: %s is no run", x->name, kind_text(run));
			for (uint32_t k = 0; run && k < run->n; k++)
				add_argument(e, a, NULL, run->elem[k], x);
			if (!run) return false;
		} else if (!add_argument(e, a, NULL, elab(e, env, x), x)) {
			return false;
		}
	}
	return true;
}

/* ---- brackets of a definition ---------------------------------------------------------- */

static bool is_flag(const Syntax *param)
{
	const Syntax *d = param->kind == SYN_PARAM ? param->part[2] : NULL;
	return d && d->kind == SYN_NAME && (!strcmp(d->name, "true") || !strcmp(d->name, "false"));
}

static const Syntax *bracket_param(const Syntax *list, const char *name)
{
	for (uint32_t i = 0; list && i < list->count; i++)
		if (list->part[i]->kind == SYN_PARAM && list->part[i]->part[0]->name == name)
			return list->part[i];
	return NULL;
}

/* Does a name without a value stand in the brackets of the definition being elaborated? */
bool is_own_bracket(const Elab *e, const char *name)
{
	const Syntax *d = e->active;
	return d && d->name && (d->kind == SYN_FN || d->kind == SYN_OP) && bracket_param(d->part[0], name);
}

/* ---- what stands in brackets, given behind the operands ------------------------------------------ */

static bool is_axis(const char *name)
{
	return !strcmp(name, "axis") || !strcmp(name, "axes") || !strcmp(name, "dim") || !strcmp(name, "dims");
}

static bool has_axes(const Syntax *list)
{
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		if (is_axis(p->kind == SYN_RUN ? p->name : p->part[0]->name)) return true;
	}
	return false;
}

/* Is it a value of these brackets?  Axes may have others' names.  No list: of an operator along axes. */
static bool stands_in_brackets(const Syntax *list, const Syntax *params, const Given *given)
{
	const char *name = given->name;
	bool axes = !list || has_axes(list);
	if (!name || given->syntax->kind != SYN_ENTRY || bracket_param(params, name)) return false;
	return (list ? bracket_param(list, name) != NULL : !strcmp(name, "keep")) || (axes && is_axis(name));
}

/* axis = 0 as 0, axes = (0, 1) as 0, 1, keep = true as keep, less = 1 as it is. */
static void bracket_text(Elab *e, Text *t, const Syntax *list, const Syntax *entry)
{
	const Syntax *v = entry->part[0];
	bool axes = is_axis(entry->name), on = v->kind == SYN_NAME && !strcmp(v->name, "true"),
	     off = v->kind == SYN_NAME && !strcmp(v->name, "false");
	bool flag = !axes && (on || off) && (!list || is_flag(bracket_param(list, entry->name)));
	uint32_t n = 1;
	if (axes && v->kind == SYN_TUPLE)
		n = v->count;
	else if (flag && off)
		n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const Syntax *what = v->kind == SYN_TUPLE ? v->part[i] : v;
		text_add(t, t->n ? ", " : "");
		if (!axes) what = entry;
		text_add(t, flag ? entry->name : shown(e, what));
	}
}

/* mean(x, 1): one argument more than there are parameters, a number, of a definition along axes. */
static bool refuse_axis_by_place(Elab *e, const Syntax *s, const FunctionValue *f, const Syntax *definition,
	uint32_t n, const Given *given)
{
	const Syntax *params = definition->part[1], *last = n ? given[n - 1].syntax : NULL;
	const bool more = n > 1 && n == params->count + 1;
	if (!last || !more || given[n - 1].name || !has_axes(definition->part[0])) return true;
	if (last->kind == SYN_UNARY) last = last->part[0];
	if (last->kind != SYN_NUMBER && last->kind != SYN_TUPLE) return true;
	const Syntax *axes = given[n - 1].syntax;
	Text t;
	text_open(&t, e->g->arena);
	for (uint32_t i = 0; axes->kind == SYN_TUPLE && i < axes->count; i++)
		text_printf(&t, "%s%s", i ? ", " : "", shown(e, axes->part[i]));
	return fail_at_syntax(e, axes, ERR_TYPE, "%s: axes stand in brackets: %s[%s](%s)", shown(e, s), f->name,
		axes->kind == SYN_TUPLE ? text_done(&t) : shown(e, axes), shown(e, given[0].syntax));
}

bool refuse_brackets(Elab *e, const Syntax *s, const FunctionValue *f, const Syntax *definition, uint32_t n,
	const Given *given)
{
	const Syntax *list = definition ? definition->part[0] : NULL;
	const Syntax *params = definition ? definition->part[1] : NULL;
	const Given *wrong = NULL;
	for (uint32_t i = 0; i < n && !wrong && (list || !definition); i++)
		wrong = stands_in_brackets(list, params, &given[i]) ? &given[i] : NULL;
	if (!wrong) return !definition || refuse_axis_by_place(e, s, f, definition, n, given);
	Text in, rest;
	text_open(&in, e->g->arena);
	text_open(&rest, e->g->arena);
	for (uint32_t i = 1; f->brackets && i < f->brackets->count; i++)
		text_printf(&in, "%s%s", in.n ? ", " : "", shown(e, f->brackets->part[i]));
	for (uint32_t i = 0; i < n; i++) {
		const Syntax *x = given[i].syntax;
		if (stands_in_brackets(list, params, &given[i]))
			bracket_text(e, &in, list, x);
		else if (!i || x != given[i - 1].syntax) /* a run is one */
			text_printf(&rest, "%s%s", rest.n ? ", " : "", shown(e, x));
	}
	return fail_at_syntax(e, wrong->syntax, ERR_NAME,
		"%s: %s has no parameter %s; %s in brackets: %s[%s](%s)", shown(e, s), f->name, wrong->name,
		is_axis(wrong->name) ? "axes stand" : "it stands", f->name, text_done(&in), text_done(&rest));
}

/* Bracket values as arguments: a bare name that is a flag sets it. */
static bool read_brackets(Elab *e, const FunctionValue *f, const Syntax *list, ArgumentList *a)
{
	const Syntax *s = f->brackets;
	for (uint32_t i = 1; s && i < s->count; i++) {
		const Syntax *x = s->part[i],
			     *flag = x->kind == SYN_NAME ? bracket_param(list, x->name) : NULL;
		if (flag && is_flag(flag)) {
			add_argument(e, a, x->name,
				bind_node(e->g, constant_int(e->g, type_scalar(e->g, DT_BOOL), 1)), x);
		} else if (x->kind == SYN_ENTRY) {
			if (!add_argument(e, a, x->name, elab(e, f->brackets_env, x->part[0]), x))
				return false;
		} else if (x->kind == SYN_RUN && x->name) {
			Binding *run = lookup(e, f->brackets_env, x);
			for (uint32_t k = 0; run && run->kind == B_TUPLE && k < run->n; k++)
				add_argument(e, a, NULL, run->elem[k], x);
			if (!run) return false;
		} else if (x->kind == SYN_SLICE || x->kind == SYN_RUN) {
			return fail_at_syntax(
				e, s, ERR_TYPE, "%s: %s takes values in its brackets", shown(e, s), f->name);
		} else if (!add_argument(e, a, NULL, elab(e, f->brackets_env, x), x)) {
			return false;
		}
	}
	return true;
}

static bool named_once(Elab *e, const FunctionValue *f, const ArgumentList *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; a->v[i].name && k < i; k++)
			if (a->v[k].name == a->v[i].name)
				return fail_at_syntax(e, a->v[i].syntax, ERR_NAME,
					"%s: %s is given twice in brackets", f->name, a->v[i].name);
	return true;
}

/* What is given by this name, or stands next without one; NULL: nothing. */
static Binding *bracket_value(const ArgumentList *a, const char *name, uint32_t *next)
{
	for (uint32_t k = 0; k < a->n; k++)
		if (a->v[k].name == name) return a->v[k].value;
	while (*next < a->n && a->v[*next].name) ++*next;
	return *next < a->n ? a->v[(*next)++].value : NULL;
}

/* All that stands from here on without a name. */
static Binding *rest_in_brackets(Graph *g, const ArgumentList *a, uint32_t *next)
{
	Binding **run = NEW_ARRAY(g->arena, Binding *, a->n);
	uint32_t n = 0;
	for (; *next < a->n; ++*next)
		if (!a->v[*next].name) run[n++] = a->v[*next].value;
	return bind_tuple(g, n, run);
}

bool bind_brackets(Elab *e, const FunctionValue *f, const Syntax *definition, Env *env)
{
	const Syntax *list = definition->part[0];
	ArgumentList a = {0};
	uint32_t next = 0;
	if (!read_brackets(e, f, list, &a) || !named_once(e, f, &a)) return false;
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		const char *name = p->kind == SYN_RUN ? p->name : p->part[0]->name;
		if (p->kind == SYN_RUN) {
			env_bind(e, env, name, rest_in_brackets(e->g, &a, &next));
			continue;
		}
		Binding *value = bracket_value(&a, name, &next);
		if (!value && p->part[2] && !(value = elab(e, *env, p->part[2]))) return false;
		if (value) env_bind(e, env, name, value); /* else a size that the arguments tell */
	}
	for (uint32_t k = 0; k < a.n; k++)
		if (a.v[k].name ? !bracket_param(list, a.v[k].name) : k >= next)
			return fail_at_syntax(e, f->brackets, ERR_NAME,
				"%s: %s has no such bracket parameter", shown(e, a.v[k].syntax), f->name);
	return true;
}
