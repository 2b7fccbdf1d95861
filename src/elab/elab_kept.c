/* elab_kept.c - exact(f), checkpoint(f), checkpoint(e): functions that stay calls in the graph.
 *
 * What a name of the text stands for is computed outside, where it was written, and is an operand of the
 * call; the rest of the text is inside.
 */
#include "elab_kept.h"

/* ---- what is outside --------------------------------------------------------------------------- */

static void mention_text(Mentioned *m, Env env, const Syntax *s)
{
	if (!s) return;
	Binding *b = s->kind == SYN_NAME || s->kind == SYN_RUN ? env_local(env, s->name) : NULL;
	if (b) mention_value(m, b);
	for (uint32_t i = 0; s->kind != SYN_NAME && i < s->count; i++) mention_text(m, env, s->part[i]);
}

static void mention_function(Mentioned *m, const FunctionValue *f)
{
	for (uint32_t i = 0; i < m->nfunction; i++)
		if (m->function[i] == f) return;
	GROW(m->e->g->arena, m->function, m->nfunction, m->cap);
	m->function[m->nfunction++] = f;
	if (f->inner) mention_value(m, f->inner);
	if (f->kind == F_LAMBDA) mention_text(m, f->env, f->syntax);
	if (f->brackets) mention_text(m, f->brackets_env, f->brackets);
}

void mention_value(Mentioned *m, const Binding *b)
{
	if (b->kind == B_FUNCTION) mention_function(m, b->function);
	if (b->kind == B_NODE && op_info[b->node->op].class != LEAF)
		idmap_put(&m->node, b->node->id, b->node);
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++) mention_value(m, b->elem[i]);
}

/* ---- a call that stays --------------------------------------------------------------------------- */

void give_leaf(Elab *e, KeptCall *k, Node *leaf, Node *given)
{
	GROW(e->g->arena, k->leaf, k->n, k->cap);
	GROW(e->g->arena, k->given, k->n, k->given_cap);
	k->leaf[k->n] = leaf;
	k->given[k->n++] = given;
}

Given *over_leaves(Elab *e, KeptCall *k, uint32_t n, const Given *given)
{
	Graph *g = e->g;
	Given *inner = NEW_ARRAY(g->arena, Given, n);
	for (uint32_t i = 0; i < n; i++) {
		inner[i] = given[i];
		uint32_t count = binding_leaves(given[i].value, NULL);
		Node **leaf = NEW_ARRAY(g->arena, Node *, count);
		binding_leaves(given[i].value, leaf);
		for (uint32_t j = 0; j < count; j++) {
			if (leaf[j]->op == OP_CONST || leaf[j]->op == OP_SIZE) continue;
			Node *actual = strong_operand(g, leaf[j]);
			leaf[j] = actual ? fresh(g, actual->type, NULL) : NULL;
			if (!leaf[j]) return NULL;
			stands_for(e, leaf[j], actual);
			give_leaf(e, k, leaf[j], actual);
		}
		if (!(inner[i].value = binding_refill(g, given[i].value, leaf))) return NULL;
	}
	return inner;
}

static bool close_exact(Elab *e, KeptCall *k, Nodes result, Node **out)
{
	Graph *g = e->g;
	Closure c;
	if (!function_close(g, (Title){.name = "exact", .flags = FN_EXACT}, (Nodes){k->n, k->leaf}, result, &c))
		return false;
	for (uint32_t i = 0; i < c.ncapture; i++) give_leaf(e, k, NULL, strong_operand(g, c.capture[i]));
	Node *x = call_with(g, c.function, c.size, k->n, k->given);
	for (uint32_t i = 0; i < result.n && x; i++) out[i] = result.n == 1 ? x : get(g, x, i);
	return x && !g->error.code;
}

static bool is_bound(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM;
}

/* What a branch or loop gives whose effects are none of these: it has happened outside. */
static bool has_happened(const Node *x, const IdMap *own)
{
	return x->op == OP_GET && !is_token(x) && is_effect(x->arg[0]) && !idmap_get(own, x->arg[0]->id);
}

void give_outside(Elab *e, KeptCall *k, const Mentioned *m, Nodes result)
{
	Arena *a = arena_child(e->g->arena);
	IdMap leaf, known, own;
	idmap_open(&leaf, a);
	idmap_open(&known, a);
	effects_before(a, result, &own);
	for (uint32_t i = 0; i < k->n; i++) idmap_put(&leaf, k->leaf[i]->id, k->leaf[i]);
	Region *all = region_of(a, result.n, result.v);
	for (uint32_t i = 0; i < all->n; i++) {
		Node *x = all->node[i];
		bool given = idmap_get(&m->node, x->id) || has_happened(x, &own);
		if (given || idmap_get(&leaf, x->id)) idmap_put(&known, x->id, x);
	}
	Region *r = region_above(a, result.n, result.v, &known);
	bool *asked = NEW_ARRAY(a, bool, all->n);
	for (uint32_t i = 0; i < result.n; i++) asked[region_place(all, result.v[i])] = true;
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t j = 0; j < r->node[i]->narg; j++)
			asked[region_place(all, r->node[i]->arg[j])] = true;
	for (uint32_t i = 0; i < all->n; i++) {
		Node *x = all->node[i];
		bool given = is_bound(x) || idmap_get(&known, x->id);
		if (asked[i] && given && !idmap_get(&leaf, x->id)) give_leaf(e, k, x, x);
	}
	arena_free(a);
}

/* The text that is elaborated now, and its effects. */
typedef struct KeptText {
	const char *name; /* exact, checkpoint */
	Node *before, *token; /* of the effects around it; the leaf of those inside */
	KeptCall call;
	Mentioned outside;
} KeptText;

static void inside_open(Elab *e, KeptText *in, const char *name)
{
	*in = (KeptText){.name = name, .before = e->token, .outside = {.e = e}};
	idmap_open(&in->outside.node, e->g->arena);
	e->token = in->token = fresh(e->g, type_token(e->g), NULL);
}

/* The value b of the text by a call; NULL with an error. */
static Binding *inside_close(Elab *e, const Syntax *s, KeptText *in, Binding *b)
{
	Graph *g = e->g;
	KeptCall *k = &in->call;
	Node *after = e->token;
	e->token = in->before;
	if (!b) return NULL;
	if (binding_has_function(b))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: its function gives a function", shown(e, s));
	uint32_t nvalue = binding_leaves(b, NULL), nresult = nvalue;
	Node **result = NEW_ARRAY(g->arena, Node *, nvalue + 1);
	binding_leaves(b, result);
	if (after != in->token) { /* effects: a token is given to it, and one by it */
		give_leaf(e, k, in->token, token_now(e));
		result[nresult++] = after;
	}
	at(e, s);
	Nodes results = {nresult, result};
	bool exact = !strcmp(in->name, "exact");
	if (!exact) give_outside(e, k, &in->outside, results);
	if (!(exact ? close_exact(e, k, results, result)
		    : checkpoint(g, in->name, (Nodes){k->n, k->leaf}, k->given, results, result)))
		return NULL;
	if (nresult > nvalue) e->token = result[nvalue];
	return binding_refill(g, b, result);
}

Binding *apply_wrapped(
	Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	KeptText in;
	KeptCall k = {0};
	Given *inner = over_leaves(e, &k, n, given);
	if (!inner) return NULL;
	inside_open(e, &in, f->name);
	in.call = k;
	mention_value(&in.outside, f->inner);
	return inside_close(e, s, &in, apply(e, s, f->inner, n, inner));
}

/* ---- checkpoint(e) ---------------------------------------------------------------------------- */

bool is_checkpoint_of(const Binding *callee, const Syntax *s)
{
	const FunctionValue *f = callee->kind == B_FUNCTION ? callee->function : NULL;
	bool one = s->count == 2 && s->part[1]->kind != SYN_ENTRY && s->part[1]->kind != SYN_RUN;
	return one && f && f->kind == F_OPERATOR && !f->brackets && !strcmp(f->name, "checkpoint");
}

/* Of an expression that gives a function that function, wrapped; else its value. */
Binding *elab_checkpoint(Elab *e, Env env, const Syntax *s, Binding *callee)
{
	KeptText in;
	inside_open(e, &in, callee->function->name);
	mention_text(&in.outside, env, s->part[1]);
	Binding *b = elab(e, env, s->part[1]);
	if (!b || b->kind != B_FUNCTION) return inside_close(e, s, &in, b);
	bool effects = e->token != in.token;
	e->token = in.before;
	if (effects) b = elab(e, env, s->part[1]); /* those on the way to a function are outside */
	return b ? apply(e, s, callee, 1, &(Given){NULL, b, s->part[1]}) : NULL;
}
