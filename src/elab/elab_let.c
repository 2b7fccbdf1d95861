/* elab_let.c - lets and the patterns in them. */
#include "elaborator.h"

static Node *row_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)n;
	return gather(e->g, x[0], weak_int(e->g, *(const int64_t *)user), 0);
}

/* A pattern takes a tuple apart, or an array along its first axis of known length. */
static bool bind_parts(Elab *e, Env *env, const Syntax *p, Binding *value)
{
	if (value->kind == B_NODE && value->node->type->kind == TYPE_ARRAY && node_rank(value->node)) {
		int64_t n;
		if (!size_is(node_dim(value->node, 0), &n) || n != p->count)
			return fail_at_syntax(e, p, ERR_TYPE, "%s: %u names for %s", shown(e, p), p->count,
				shown_type(e, value));
		for (int64_t i = 0; i < n; i++) {
			Binding *row = on_leaves(e, p, 1, &value, row_leaf, &i);
			if (!row || !bind_pattern(e, env, p->part[i], row)) return false;
		}
		return true;
	}
	if (value->kind != B_TUPLE || value->n != p->count)
		return fail_at_syntax(
			e, p, ERR_TYPE, "%s: %u names for %s", shown(e, p), p->count, shown_type(e, value));
	for (uint32_t i = 0; i < p->count; i++)
		if (!bind_pattern(e, env, p->part[i], value->elem[i])) return false;
	return true;
}

bool bind_pattern(Elab *e, Env *env, const Syntax *p, Binding *value)
{
	if (!value) return false;
	if (p->kind == SYN_NAME) {
		if (value->kind == B_NODE && !e->library_calls && value->node->op != OP_CONST) {
			at(e, p);
			node_note(e->g, value->node, p->name, NULL, 0);
		}
		env_bind(e, env, p->name, value);
		return true;
	}
	if (p->kind == SYN_TUPLE) return bind_parts(e, env, p, value);
	if (p->kind != SYN_CURLY) return fail_at_syntax(e, p, ERR_SYNTAX, "%s is no pattern", shown(e, p));
	for (uint32_t i = 0; i < p->count; i++) {
		Binding *f = binding_field(value, p->part[i]->name);
		if (!f)
			return fail_at_syntax(e, p->part[i], ERR_NAME, "%s: no field %s in %s", shown(e, p),
				p->part[i]->name, shown_type(e, value));
		if (!bind_pattern(e, env, p->part[i]->part[0], f)) return false;
	}
	return true;
}

/* May it come to derivatives by the names within only later, when it is called? */
static bool holds_functions(const Binding *b)
{
	bool holds = b->kind != B_NODE && !is_structure(b);
	for (uint32_t i = 0; is_structure(b) && i < b->n && !holds; i++) holds = holds_functions(b->elem[i]);
	return holds;
}

Binding *elab_let(Elab *e, Env outer, const Syntax *s)
{
	Env env = env_open(e, outer);
	const uint32_t kept = e->g->nvariable;
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		const Syntax *step = s->part[i];
		if (step->kind == SYN_DO) {
			if (!elab_do(e, env, step)) return NULL;
			continue;
		}
		Binding *value = elab(e, env, step->part[2]);
		if (value && step->part[1]) {
			TypeTerm *t = type_term(e, env, step->part[1]);
			value = t ? match_type(e, step->part[2], shown(e, step->part[0]), t, value) : NULL;
			env.seen = env.scope->count; /* sizes that the type names */
		}
		if (!value || !bind_pattern(e, &env, step->part[0], value)) return NULL;
		for (uint32_t k = i + 1; k < s->count; k++) keep_variables(e, env, step->part[0], s->part[k]);
	}
	Binding *out = elab(e, env, s->part[s->count - 1]);
	if (out && !holds_functions(out)) e->g->nvariable = kept;
	return out;
}
