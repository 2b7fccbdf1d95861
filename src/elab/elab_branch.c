/* elab_branch.c - if: by what is known while building one side alone is elaborated; by a value of the graph
 * both are, and become the sides of an IF node.  So is what `and` and `or` may leave out.
 */
#include "elab_kept.h"

/* Does a pattern, a parameter or a step of a let give the name another meaning? */
static bool binds(const Syntax *s, const char *name)
{
	if (!s || s->kind == SYN_DO) return false;
	if (s->kind == SYN_NAME) return s->name == name;
	if (s->kind == SYN_BIND || s->kind == SYN_PARAM) return binds(s->part[0], name);
	for (uint32_t i = 0; i < s->count; i++)
		if (binds(s->part[i], name)) return true;
	return false;
}

static bool calls_itself(const Syntax *s, const char *name)
{
	if (!s) return false;
	if (s->kind == SYN_CALL) {
		const Syntax *f = s->part[0];
		if (f && f->kind == SYN_SUBSCRIPTS) f = f->part[0];
		if (f && f->kind == SYN_NAME && f->name == name) return true;
	}
	bool bound = false; /* what stands behind means another */
	for (uint32_t i = 0; i < s->count && !bound; i++) {
		if (calls_itself(s->part[i], name)) return true;
		bool scope = s->kind == SYN_LET || s->kind == SYN_LAMBDA;
		bound = scope && i + 1 < s->count && binds(s->part[i], name);
	}
	return false;
}

/* Brackets and runs are known while building: what they are may end it. */
static bool takes_known(const Syntax *f)
{
	bool run = f->part[0] != NULL;
	for (uint32_t i = 0; f->part[1] && i < f->part[1]->count && !run; i++)
		run = f->part[1]->part[i]->kind == SYN_RUN;
	return run;
}

/* Both sides are elaborated: a function that calls itself in one has no end, unless what it is called with
 * ends it. */
static bool recursion_ends(Elab *e, const Syntax *s)
{
	const Syntax *f = e->active;
	bool named = f && (f->kind == SYN_FN || f->kind == SYN_OP);
	if (!named || takes_known(f) ||
		!(calls_itself(s->part[1], f->name) || calls_itself(s->part[2], f->name)))
		return true;
	return fail_at_syntax(e, s, ERR_TYPE,
		"%s: it calls itself where %s says so, which is not known while building; a loop does: "
		"scan (...) while, of a tree one over its levels; or recursion on a number in brackets, %s[n](...)",
		f->name, shown(e, s->part[0]), f->name);
}

/* ---- one type for both sides --------------------------------------------------------------- */

/* Of the two leaves the one of this side. */
static Node *meet_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	uint32_t side = *(const uint32_t *)user;
	(void)n;
	return side_value(e->g, x[side], x[!side]);
}

static bool no_common_type(Elab *e, const Syntax *s, Binding *const *side)
{
	if (e->g->error.code && e->g->error.code != ERR_TYPE) return false;
	error_clear(&e->g->error);
	return fail_at_syntax(e, s, ERR_TYPE, "if: %s is %s and %s is %s; both sides give one type",
		shown(e, s->part[1]), shown_type(e, side[0]), shown(e, s->part[2]), shown_type(e, side[1]));
}

static bool meet(Elab *e, const Syntax *s, Binding *const *side, Binding **met)
{
	bool alike = (side[0]->kind == B_NODE) == (side[1]->kind == B_NODE);
	for (uint32_t k = 0; k < 2; k++) {
		met[k] = alike ? on_leaves(e, s, 2, side, meet_leaf, &k) : NULL;
		if (!met[k]) return no_common_type(e, s, side);
	}
	return true;
}

/* ---- the node --------------------------------------------------------------------------------- */

/* Elements of the branch's tuple in the structure of `shape`; weak ones are weak again outside. */
static Binding *results(Elab *e, Node *x, const Binding *shape, uint32_t n, Node *const *side)
{
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		leaf[i] = get(e->g, x, i);
		if (side[i]->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(side[i])))
			leaf[i] = cast(e->g, leaf[i], node_dtype(side[i]));
	}
	return binding_refill(e->g, shape, leaf);
}

/* ---- sizes --------------------------------------------------------------------------------------- */

typedef struct CountedBy {
	Elab *e;
	const Node *before;
	IdMap map;
} CountedBy;

/* A number that a side counts by, without the effects of that side. */
static void count_without(void *user, const Atom *a)
{
	CountedBy *c = user;
	Graph *g = c->e->g;
	Node *pure = NULL;
	if (a->kind != ATOM_NODE || idmap_get(&c->map, a->node->id) || g->error.code) return;
	Arena *scratch = arena_child(g->arena);
	Region *r = region_of(scratch, 1, (Node *[]){a->node});
	bool within = c->before->op == OP_TOKEN || region_place(r, c->before) != UINT32_MAX;
	if (within && without_effects(g, (Nodes){1, (Node *[]){a->node}}, &pure))
		idmap_put(&c->map, a->node->id, pure);
	arena_free(scratch);
}

/* What sizes of results are counted by is computed around the branch: there its effects do not happen, but
 * in the side. */
static bool count_around(Elab *e, const Node *before, uint32_t n, Node **result)
{
	CountedBy c = {e, before, {0}};
	idmap_open(&c.map, e->g->arena);
	for (uint32_t i = 0; i < n; i++) {
		const Type *t = result[i]->type;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			size_atoms(DIM(t, k), count_without, &c);
	}
	if (c.map.count) rebuild(e->g, (Nodes){n, result}, &c.map, NULL, NULL, result);
	return !e->g->error.code;
}

static Binding *elab_branch(Elab *e, Env env, const Syntax *s, const Binding *condition)
{
	Binding *side[2], *met[2];
	Node *c = array_in(e, s->part[0], condition), **leaf[2];
	uint32_t n;
	if (!c) return NULL;
	if (!node_is_scalar(c) || node_dtype(c) != DT_BOOL)
		return fail_at_syntax(e, s->part[0], ERR_TYPE,
			"if %s: %s where one bool is wanted; where(c, a, b) chooses for each element",
			shown(e, s->part[0]), shown_type(e, condition));
	if (!recursion_ends(e, s)) return NULL;
	Node *before = e->token, *after[2];
	e->g->bodies++;
	for (uint32_t k = 0; k < 2; k++) {
		e->token = before;
		side[k] = elab(e, env, s->part[1 + k]);
		after[k] = e->token;
		if (!side[k] || !binding_has_function(side[k])) continue;
		e->g->bodies--;
		return fail_at_syntax(e, s->part[1 + k], ERR_TYPE,
			"if %s: functions are chosen by what is known while building alone",
			shown(e, s->part[0]));
	}
	e->g->bodies--;
	if (!side[0] || !side[1] || !meet(e, s, side, met)) return NULL;
	for (uint32_t k = 0; k < 2; k++) {
		n = binding_leaves(met[k], NULL);
		leaf[k] = NEW_ARRAY(e->g->arena, Node *, n + 1);
		binding_leaves(met[k], leaf[k]);
		leaf[k][n] = after[k] ? after[k] : token(e->g);
		bool happens = after[k] != before;
		if (happens && !count_around(e, before ? before : token(e->g), n + 1, leaf[k])) return NULL;
	}
	bool effects = leaf[0][n] != leaf[1][n];
	at(e, s);
	Node *x = branch(e->g, c, n + effects, leaf[0], leaf[1],
		shared_before(e, c, n + effects, leaf[0], leaf[1]));
	e->token = effects && x ? get(e->g, x, n) : before;
	return x ? results(e, x, met[0], n, leaf[0]) : NULL;
}

Binding *elab_if(Elab *e, Env env, const Syntax *s)
{
	for (;; s = s->part[2]) {
		Binding *c = elab(e, env, s->part[0]);
		bool yes;
		if (!c) return NULL;
		if (!known_bool(e, c, &yes)) return elab_branch(e, env, s, c);
		if (yes) return elab(e, env, s->part[1]);
		if (s->part[2]->kind != SYN_IF) return elab(e, env, s->part[2]);
	}
}

typedef struct Anyway {
	Region *of_condition;
	Mentioned named; /* in the text, and computed where it was written */
} Anyway;

/* What has happened has, whoever asks; and what the condition is made of is computed anyway. */
static Standing stands_anyway(void *user, const Node *x)
{
	Anyway *a = user;
	bool stands = is_effect(x) || region_place(a->of_condition, x) != UINT32_MAX ||
		idmap_get(&a->named.node, x->id);
	return stands ? STANDS_THERE : STANDS_OPEN;
}

static bool is_one_bool(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && node_is_scalar(x) && node_dtype(x) == DT_BOOL;
}

/* Can y, which this text gives, not fail where the condition is known? */
static bool cannot_fail(Elab *e, Env env, const Syntax *s, Node *c, Node *y)
{
	Arena *a = arena_child(e->g->arena);
	Anyway anyway = {region_of(a, 1, &c), {.e = e}};
	idmap_open(&anyway.named.node, a);
	mention_text(&anyway.named, env, s);
	bool total = is_total_down_to(e->g, y, stands_anyway, &anyway);
	arena_free(a);
	return total;
}

Node *decided_by(Elab *e, Env env, const Syntax *s, Op op, Node *const *x, Node *before)
{
	Graph *g = e->g;
	Node *c = x[0], *y = x[1];
	const bool effects = e->token != before;
	if (!is_one_bool(c) || !is_one_bool(y)) return NULL;
	if (!effects && cannot_fail(e, env, s, c, y)) return NULL;
	Node *start = before ? before : token(g), *known = constant_int(g, c->type, op == OP_OR);
	Node **side = NEW_ARRAY(g->arena, Node *, 4); /* shared_before() keeps them */
	memcpy(side, (Node *[]){y, effects ? e->token : start, known, start}, 4 * sizeof *side);
	if (!known || (effects && !count_around(e, start, 2, side))) return NULL;
	Node **yes = side + (op == OP_AND ? 0 : 2), **no = side + (op == OP_AND ? 2 : 0);
	Node *z = branch(g, c, 1 + effects, yes, no, shared_before(e, c, 1 + effects, yes, no));
	e->token = effects && z ? get(g, z, 1) : before;
	return z ? get(g, z, 0) : NULL;
}
