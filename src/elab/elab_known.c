/* elab_known.c - calls that were inlined before: the same function on the same values has the same value.
 *
 * Without this a chain of functions that each call the one before twice would be elaborated once for each
 * path through it, although its nodes, being interned, are few.  A call is known by its definition, by where
 * that was written, and by the values of its brackets and arguments.  Calls of the library are not kept: what
 * they make belongs to the line of each call.
 */
#include "elaborator.h"

typedef struct KnownCall {
	Call call;
	Binding *value;
} KnownCall;

static bool same_value(const Binding *x, const Binding *y)
{
	if (x == y) return true;
	if (!x || !y || x->kind != y->kind) return false;
	if (x->kind == B_NODE) return x->node == y->node;
	if (!is_structure(x) || x->n != y->n) return false;
	for (uint32_t i = 0; i < x->n; i++)
		if ((x->kind == B_RECORD && x->field[i] != y->field[i]) ||
			!same_value(x->elem[i], y->elem[i]))
			return false;
	return true;
}

static bool same_call(const void *item, const void *key)
{
	const Call *x = &((const KnownCall *)item)->call, *y = key;
	bool same = x->definition == y->definition && x->env.scope == y->env.scope &&
		x->env.seen == y->env.seen && x->nbracket == y->nbracket && x->n == y->n;
	for (uint32_t i = 0; same && i < x->nbracket; i++) same = same_value(x->bracket[i], y->bracket[i]);
	for (uint32_t i = 0; same && i < x->n; i++)
		same = x->given[i].name == y->given[i].name &&
			same_value(x->given[i].value, y->given[i].value);
	return same;
}

static uint32_t value_hash(uint32_t h, const Binding *b)
{
	uint32_t n = b ? binding_leaves(b, NULL) : 0;
	if (b && b->kind == B_NODE) return hash_mix(h, b->node->id);
	h = hash_mix(h, n);
	for (uint32_t i = 0; b && is_structure(b) && i < b->n; i++) h = value_hash(h, b->elem[i]);
	return h;
}

static uint32_t call_hash(const Call *c)
{
	uint32_t h = hash_mix(c->env.seen, (uint64_t)(uintptr_t)c->definition);
	for (uint32_t i = 0; i < c->nbracket; i++) h = value_hash(h, c->bracket[i]);
	for (uint32_t i = 0; i < c->n; i++) h = value_hash(h, c->given[i].value);
	return h;
}

/* The brackets' values are bound already, in `env`. */
Call call_of(Elab *e, const FunctionValue *f, Env env, uint32_t n, const Given *given)
{
	const Syntax *list = f->kind == F_LAMBDA ? NULL : f->syntax->part[0];
	Call c = {.definition = f->syntax,
		.env = f->env,
		.n = n,
		.given = given,
		.kept = !e->library_calls && !(f->env.scope->module && f->env.scope->module->library)};
	c.nbracket = c.kept && list ? list->count : 0;
	c.bracket = NEW_ARRAY(e->g->arena, Binding *, c.nbracket);
	for (uint32_t i = 0; i < c.nbracket; i++) {
		const Syntax *p = list->part[i];
		c.bracket[i] = scope_own(env, p->kind == SYN_RUN ? p->name : p->part[0]->name);
	}
	return c;
}

Binding *call_known(Elab *e, const Call *c)
{
	const KnownCall *k = c->kept ? table_find(&e->calls, call_hash(c), c, same_call) : NULL;
	return k ? k->value : NULL;
}

void call_keep(Elab *e, const Call *c, Binding *value)
{
	if (!c->kept || !value || binding_has_function(value)) return;
	if (!e->calls.arena) table_open(&e->calls, e->g->arena);
	Given *given = NEW_ARRAY(e->g->arena, Given, c->n);
	if (c->n) memcpy(given, c->given, c->n * sizeof *given);
	KnownCall *k = NEW(e->g->arena, KnownCall);
	*k = (KnownCall){*c, value};
	k->call.given = given;
	table_add(&e->calls, call_hash(c), k);
}
