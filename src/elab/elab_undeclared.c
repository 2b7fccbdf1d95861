/* elab_undeclared.c - names that mean nothing here: what people of other languages mean by them, and which
 * name is nearest.
 *
 * Needs: a name that nobody declares, or a field of what has none.  Gives: an error that says what to write.
 */
#include "elaborator.h"
#include "elab_builtin.h"

/* ---- the nearest name ------------------------------------------------------------------------- */

typedef struct Nearest {
	const char *word, *name;     /* the nearest so far, or NULL */
	uint32_t apart;
} Nearest;

static bool same_but_case(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a | 0x20) != (*b | 0x20)) return false;
	return !*a && !*b;
}

static bool is_as_long(const Nearest *n, const char *name)
{
	return strlen(name) == strlen(n->word);
}

/* With the same first letter.  Of two that are as near the one as long as the word, then the first of the
 * alphabet, so that tables may be walked in any order. */
static void consider(Nearest *n, const char *name)
{
	if ((*name | 0x20) != (*n->word | 0x20)) return;
	uint32_t apart = same_but_case(n->word, name) ? 0 : letters_apart(strlen(n->word), n->word, name);
	if (apart > n->apart) return;
	if (n->name && apart == n->apart) {
		bool fits = is_as_long(n, name), fitted = is_as_long(n, n->name);
		if (fits != fitted ? fitted : strcmp(name, n->name) >= 0) return;
	}
	n->name = name;
	n->apart = apart;
}

static void consider_module(Nearest *n, const Module *m)
{
	for (; m; m = m->base)
		for (uint32_t i = 0; i < m->decls.slots; i++)
			if (m->decls.hash[i]) consider(n, ((const Decl *)m->decls.item[i])->name);
}

static void consider_scopes(Nearest *n, const Scope *scope)
{
	for (; scope; scope = scope->outer.scope)
		for (uint32_t i = 0; i < scope->entries.slots; i++)
			if (scope->entries.hash[i])
				consider(n, ((const ScopeEntry *)scope->entries.item[i])->name);
}

/* At most a third of its letters are others; NULL: there is none. */
static const char *nearest(Elab *e, Env env, const char *word)
{
	Nearest n = {word, NULL, (uint32_t)strlen(word) / 3};
	const char *name;
	for (uint32_t i = 0; (name = builtin_name(i)); i++) consider(&n, name);
	for (uint32_t i = 0; (name = habit_name(i)); i++) consider(&n, name);
	consider_module(&n, e->lib->prelude);
	if (env.scope) {
		consider_module(&n, env.scope->module);
		consider_scopes(&n, env.scope);
	}
	return n.name;
}

/* Is it there without a module? */
static bool stands_alone(Elab *e, const char *name)
{
	const char *one;
	for (uint32_t i = 0; (one = builtin_name(i)); i++)
		if (!strcmp(one, name)) return true;
	return module_decl(e->lib->prelude, name) != NULL;
}

static const char *nearest_member(const Module *m, const char *word)
{
	Nearest n = {word, NULL, (uint32_t)strlen(word) / 3};
	consider_module(&n, m);
	return n.name;
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* Is this a function that its module's page tells of?  Its comment has an example, which stands in. */
static bool is_told(const Decl *d)
{
	bool function = d && (d->syntax->kind == SYN_FN || d->syntax->kind == SYN_OP);
	const char *text = function ? d->syntax->text : NULL;
	return text && (!strncmp(text, "    ", 4) || strstr(text, "\n    "));
}

/* "draw.cauchy, by use draw, or logp.cauchy, by use logp"; NULL: no module has such a function. */
static const char *of_modules(Elab *e, const char *name)
{
	const char *module, *found = NULL;
	Arena *a = e->g->arena;
	for (uint32_t i = 0; (module = embedded_module(i)); i++) {
		Module *m = strcmp(module, "prelude") ? module_library(e->g, module) : NULL;
		if (m && is_told(module_decl(m, name)))
			found = arena_printf(a, "%s%s%s.%s, by use %s", found ? found : "", found ? ", or " : "",
				module, name, module);
	}
	return found;
}

void *undeclared(Elab *e, Env env, const Syntax *s)
{
	const char *here = habit_of_name(e->g->arena, s->name);
	if (here) return fail_at_syntax(e, s, ERR_NAME, "%s is not declared: %s", s->name, here);
	if (module_is_embedded(s->name))
		return fail_at_syntax(e, s, ERR_NAME, "%s is not declared: it is a module of the library; "
			"write use %s at the top of a file", s->name, s->name);
	if (is_habit_of_module(s->name))
		return fail_at_syntax(e, s, ERR_NAME, "%s is not declared: functions stand by themselves here, without a "
			"module, as sum(x)", s->name);
	if ((here = of_modules(e, s->name)))
		return fail_at_syntax(e, s, ERR_NAME, "%s is not declared: write %s", s->name, here);
	const char *near = nearest(e, env, s->name);
	if (!near) return fail_at_syntax(e, s, ERR_NAME, "%s is not declared", s->name);
	here = habit_of_name(e->g->arena, near);
	return fail_at_syntax(e, s, ERR_NAME, "%s is not declared; the nearest name is %s%s%s", s->name, near,
		here ? ": " : "", here ? here : "");
}

/* A module has no such name: of the library's it may stand by itself, in another one or by another name. */
void *no_member(Elab *e, const Module *m, const Syntax *s, const char *name)
{
	const char *file = m->file && *m->file ? m->file : "the text", *what = m->name ? m->name : file;
	if (m->library && stands_alone(e, name))
		return fail_at_syntax(e, s, ERR_NAME, "%s has no %s: %s stands by itself, without a module", what, name,
			name);
	const char *here = m->library ? habit_of_name(e->g->arena, name) : NULL;
	if (here) return fail_at_syntax(e, s, ERR_NAME, "%s has no %s: %s", what, name, here);
	const char *near = nearest_member(m, name), *other = m->library && !near ? of_modules(e, name) : NULL;
	if (other) return fail_at_syntax(e, s, ERR_NAME, "%s has no %s: write %s", what, name, other);
	return fail_at_syntax(e, s, ERR_NAME, "%s has no %s%s%s", what, name, near ? "; the nearest name is " : "",
		near ? near : "");
}

/* What is written for x.name, or NULL. */
static const char *in_place_of_field(Elab *e, const Syntax *s, bool scalar)
{
	Graph *g = e->g;
	const Syntax *base = s->part[0];
	const char *here = NULL;
	bool module = scalar && base->kind == SYN_NAME && is_habit_of_module(base->name);
	if (scalar && base->kind == SYN_NAME && module_is_embedded(base->name))
		return arena_printf(g->arena, "of the library's module write use %s at the top of a file", base->name);
	bool known = is_builtin(s->name) || module_decl(e->lib->prelude, s->name);
	if (known && module)
		here = arena_printf(g->arena, "%s stands by itself, without a module", s->name);
	else if (known)
		here = arena_printf(g->arena, "write %s%s(%s)", s->name, brackets_of_view(s->name), shown(e, base));
	return here ? here : habit_of_name(g->arena, s->name);
}

/* What is said where a field's own field has the name. */
static const char *deeper(Elab *e, const Syntax *s, const Binding *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->elem[i] && x->elem[i]->kind == B_RECORD && binding_field(x->elem[i], s->name))
			return arena_printf(e->g->arena, "; %s.%s has one", shown(e, s->part[0]), x->field[i]);
	return "";
}

void *no_field(Elab *e, const Syntax *s, const Binding *x)
{
	if (x->kind == B_RECORD)
		return fail_at_syntax(e, s, ERR_NAME, "%s: %s has no field %s%s: it is %s", shown(e, s),
			shown(e, s->part[0]), s->name, deeper(e, s, x), shown_type(e, x));
	bool node = x->kind == B_NODE, scalar = node && node_is_scalar(x->node);
	const char *here = in_place_of_field(e, s, scalar), *what = node ? shown_type(e, x) : kind_text(x);
	return fail_at_syntax(e, s, ERR_TYPE, "%s: %s is %s, not a structure%s%s", shown(e, s), shown(e, s->part[0]),
		what, here ? "; " : "", here ? here : "");
}
