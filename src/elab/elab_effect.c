/* elab_effect.c - do print(x), do assert(c, {x}), do check(x): what happens besides the values.
 *
 * The text's order is the order of effects: the elaborator has the token of what has happened so far, and
 * each effect takes it and gives the next one.  A loop's body and a branch's sides begin with the token that
 * there is when they begin.
 */
#include "elaborator.h"

static const char *const kinds[] = {
	[EFFECT_PRINT] = "print", [EFFECT_ASSERT] = "assert", [EFFECT_CHECK] = "check"};

/* Which of them has the name; -1: none. */
static int kind_named(const char *name)
{
	for (size_t i = 0; i < countof(kinds); i++)
		if (!strcmp(kinds[i], name)) return (int)i;
	return -1;
}

bool names_effect(const char *name)
{
	return kind_named(name) >= 0;
}

/* Which of them is called; -1: none, or a function of the user's that has the name. */
static int kind_called(Env env, const Syntax *s)
{
	const Syntax *f = s->kind == SYN_CALL ? s->part[0] : NULL;
	if (f && f->kind == SYN_SUBSCRIPTS) f = f->part[0];
	if (!f || f->kind != SYN_NAME || env_local(env, f->name)) return -1;
	Env top = env;
	while (top.scope->outer.scope) top = top.scope->outer;
	return module_decl(top.scope->module, f->name) ? -1 : kind_named(f->name);
}

Node *token_now(Elab *e)
{
	if (!e->token) e->token = token(e->g);
	return e->token;
}

/* Does it stand in the text of the other? */
static bool stands_in(const Syntax *s, const Syntax *text)
{
	bool found = s == text;
	for (uint32_t i = 0; text && i < text->count && !found; i++) found = stands_in(s, text->part[i]);
	return found;
}

bool effects_allowed(Elab *e, const Syntax *s)
{
	if (!e->pure.what || (e->pure.derivative && !stands_in(s, e->pure.derivative))) return true;
	const char *instead = e->pure.instead;
	return fail_at_syntax(e, s, ERR_TYPE, "do: %s has no effects%s%s", e->pure.what, instead ? ": " : "",
		instead ? instead : "");
}

Pure pure_begin(Elab *e, const char *what)
{
	const Pure before = e->pure;
	e->pure = (Pure){.what = what};
	return before;
}

Pure pure_within(Elab *e, const char *what)
{
	return e->pure.derivative ? e->pure : pure_begin(e, what);
}

Pure derivative_begin(Elab *e, const Syntax *rule)
{
	const Pure before = pure_begin(e, "a function that tells its derivative");
	e->pure.derivative = rule;
	return before;
}

/* ---- values with names ------------------------------------------------------------------------ */

typedef struct ValueList {
	Node **v;
	const char **name;
	uint32_t n, cap, name_cap;
} ValueList;

static void add_value(Elab *e, ValueList *l, const char *name, Node *x)
{
	GROW(e->g->arena, l->v, l->n, l->cap);
	GROW(e->g->arena, l->name, l->n, l->name_cap);
	l->v[l->n] = x;
	l->name[l->n++] = name;
}

/* The leaves under their paths, p.w and p.0; in the order in which they are written. */
static void add_values(Elab *e, ValueList *l, const char *path, const Binding *b)
{
	if (b->kind == B_NODE) add_value(e, l, path, b->node);
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++) {
		const char *own = b->kind == B_RECORD ? b->field[i] : arena_printf(e->g->arena, "%u", i);
		add_values(e, l, *path ? arena_printf(e->g->arena, "%s.%s", path, own) : own, b->elem[i]);
	}
}

static bool take_values(Elab *e, const Syntax *s, const Binding *b, ValueList *l)
{
	if (binding_has_function(b) || !(b->kind == B_NODE || is_structure(b)))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: %s where arrays are wanted", shown(e, s),
			shown_type(e, b));
	add_values(e, l, "", b);
	enum { MOST = 30 };
	return l->n <= MOST || fail_at_syntax(e, s, ERR_UNSUPPORTED, "%s: more than %d arrays", shown(e, s), MOST);
}

/* All of it, where it is an array. */
static bool take_condition(Elab *e, const Syntax *s, const Binding *b, ValueList *l)
{
	Node *c = array_in(e, s, b);
	if (!c) return false;
	if (node_dtype(c) != DT_BOOL)
		return fail_at_syntax(e, s, ERR_TYPE, "assert(%s): %s where a bool is wanted", shown(e, s),
			shown_type(e, b));
	add_value(e, l, "", node_rank(c) ? fold_all(e->g, OP_ALL, c) : c);
	return true;
}

/* ---- the node -------------------------------------------------------------------------------------- */

/* The passes that it tells: those of the loops around it, or what stands in its brackets, as where a loop has
 * been cut in two. */
static bool passes(Elab *e, Env env, const Syntax *s, uint32_t *n, Node ***pass)
{
	const Syntax *given = s->part[0]->kind == SYN_SUBSCRIPTS ? s->part[0] : NULL;
	*n = 0;
	for (const LoopAround *around = e->around; around && !given; around = around->outer) ++*n;
	if (given) *n = given->count - 1;
	*pass = NEW_ARRAY(e->g->arena, Node *, *n);
	uint32_t i = *n;
	for (const LoopAround *around = e->around; around && !given; around = around->outer)
		(*pass)[--i] = around->index;
	for (i = 0; given && i < *n; i++) {
		Node *x = elab_array(e, env, given->part[1 + i]);
		if (!x) return false;
		if (!node_is_scalar(x) || !dtype_is_integer(node_dtype(x)))
			return fail_at_syntax(e, s, ERR_TYPE, "%s: passes are integer scalars", shown(e, s));
		(*pass)[i] = x;
	}
	return true;
}

static bool add_effect(Elab *e, Env env, const Syntax *s, EffectKind kind, const ValueList *l)
{
	Graph *g = e->g;
	Effect x = {.kind = kind, .nvalue = l->n, .name = l->name};
	Node **pass;
	if (!passes(e, env, s, &x.npass, &pass)) return false;
	if (kind != EFFECT_PRINT) x.text = shown(e, s->part[1]);
	at(e, s);
	e->token = effect(g, &x, token_now(e), pass, l->v);
	return e->token != NULL;
}

static bool elab_effect(Elab *e, Env env, const Syntax *s, EffectKind kind)
{
	ArgumentList a = {0};
	ValueList l = {0};
	uint32_t most = kind == EFFECT_ASSERT ? 2 : 1;
	if (!effects_allowed(e, s) || !read_arguments(e, env, s, &a)) return false;
	bool named = false;
	for (uint32_t i = 0; i < a.n; i++) named |= a.v[i].name != NULL;
	if (named || !a.n || a.n > most)
		return fail_at_syntax(e, s, ERR_TYPE, "%s: wanted %s", shown(e, s),
			kind == EFFECT_ASSERT ? "assert(c) or assert(c, {x})"
					      : arena_printf(e->g->arena, "%s(x) or %s({x, y})", kinds[kind], kinds[kind]));
	if (kind == EFFECT_ASSERT && !take_condition(e, s->part[1], a.v[0].value, &l)) return false;
	for (uint32_t i = kind == EFFECT_ASSERT; i < a.n; i++)
		if (!take_values(e, a.v[i].syntax, a.v[i].value, &l)) return false;
	return add_effect(e, env, s, kind, &l);
}

bool elab_do(Elab *e, Env env, const Syntax *s)
{
	const Syntax *what = s->part[0];
	int kind = kind_called(env, what);
	if (kind >= 0) return elab_effect(e, env, what, (EffectKind)kind);
	Node *before = token_now(e);
	if (!elab(e, env, what)) return false;
	return e->token != before ||
		fail_at_syntax(e, s, ERR_TYPE, "%s: it has no effect, and its value goes nowhere", shown(e, s));
}
