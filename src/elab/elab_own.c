/* elab_own.c - with_derivative(f, d), with_vjp(f, b): functions that tell their derivative.
 *
 * d(x, y, dx) is elaborated over leaves for the arguments x of f, its value y and their tangents dx, and
 * gives dy; b(x, y, u) gives the cotangents of x for that of y.  differential(e) in d is the tangent of e by
 * what it has from outside, of which each is an operand of the call, as the arguments are.
 */
#include "elab_kept.h"

#include "../ir/own.h"

/* A derivative that is elaborated: what has tangents beside the arguments. */
typedef struct OwnRule {
	const Mentioned *outside;
	KeptCall local;              /* all leaves that the derivative binds */
	IdMap stands;                /* a leaf of a call within -> the argument that it stands for */
	IdMap within;                /* leaves of loops and arrays within */
	Node **of, **tangent;        /* from outside */
	uint32_t n, cap, tangent_cap;
} OwnRule;

static Node *tangent_of(Elab *e, OwnRule *r, Node *x)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->of[i] == x) return r->tangent[i];
	Node *d = fresh(e->g, type_with_dtype(e->g, x->type, dtype_strong(node_dtype(x))), NULL);
	GROW(e->g->arena, r->of, r->n, r->cap);
	GROW(e->g->arena, r->tangent, r->n, r->tangent_cap);
	r->of[r->n] = x;
	r->tangent[r->n++] = d;
	give_leaf(e, &r->local, d, d);
	return d;
}

void own_stands_for(Elab *e, Node *leaf, Node *actual)
{
	if (!e->own || !leaf || !actual) return;
	rebuild(e->g, (Nodes){1, &actual}, &e->own->stands, NULL, NULL, &actual);
	if (actual) idmap_put(&e->own->stands, leaf->id, actual);
}

void own_within(Elab *e, Node *leaf)
{
	if (e->own && leaf) idmap_put(&e->own->within, leaf->id, leaf);
}

/* What these nodes have from outside, behind the leaves that the derivative binds. */
static KeptCall with_outside(Elab *e, const OwnRule *r, Nodes of)
{
	KeptCall all = {0};
	for (uint32_t i = 0; i < r->local.n; i++) give_leaf(e, &all, r->local.leaf[i], r->local.leaf[i]);
	give_outside(e, &all, r->outside, of);
	return all;
}

Binding *differential_of(Elab *e, const Syntax *s, const Binding *b)
{
	Graph *g = e->g;
	OwnRule *r = e->own;
	if (!r)
		return fail_at_syntax(e, s, ERR_DERIVATIVE,
			"%s: it stands in the derivative that with_derivative(f, d) is given", shown(e, s));
	uint32_t n = binding_leaves(b, NULL), nx = 0;
	if (!n || binding_has_function(b))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, wanted arrays", shown(e, s), kind_text(b));
	Node **y = NEW_ARRAY(g->arena, Node *, n), **out = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(b, y);
	rebuild(g, (Nodes){n, y}, &r->stands, NULL, NULL, y);
	if (g->error.code || !without_effects(g, (Nodes){n, y}, y)) return NULL;
	uint32_t own = r->local.n;
	KeptCall all = with_outside(e, r, (Nodes){n, y});
	Node **x = NEW_ARRAY(g->arena, Node *, all.n + 1), **v = NEW_ARRAY(g->arena, Node *, all.n + 1);
	for (uint32_t i = own; i < all.n; i++)
		if (has_tangent(all.leaf[i])) {
			if (idmap_get(&r->within, all.leaf[i]->id))
				return fail_at_syntax(e, s, ERR_DERIVATIVE,
					"%s: %s is of a loop or an array around it; wanted what is from outside of them",
					shown(e, s), leaf_name(all.leaf[i]) ? leaf_name(all.leaf[i]) : "a value");
			x[nx] = all.leaf[i];
			v[nx++] = tangent_of(e, r, all.leaf[i]);
		}
	at(e, s);
	if (!g->transforms->jvp(g, (Nodes){n, y}, (Nodes){nx, x}, v, out)) return NULL;
	return binding_refill(g, b, out);
}

/* ---- a call --------------------------------------------------------------------------------------- */

typedef struct OwnUse {
	const Syntax *at;
	const FunctionValue *f;
	bool pulls;         /* with_vjp */
	uint32_t n;
	const Given *given; /* the arguments, over leaves */
	KeptCall call;
	Mentioned outside;
	OwnRule rule;
	Binding *value;     /* of f */
	uint32_t nresult;
	Node **result, **y; /* y: leaves for the results */
	Node **d;           /* and for tangents of the call's leaves, or cotangents of the results */
	Node **derivative;
} OwnUse;

/* Fresh leaves of these nodes' types, which the derivative binds. */
static Node **bound_of(Elab *e, OwnRule *r, uint32_t n, Node *const *x)
{
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		leaf[i] = fresh(e->g, x[i]->type, NULL);
		give_leaf(e, &r->local, leaf[i], leaf[i]);
	}
	return leaf;
}

static uint32_t place_of(const KeptCall *k, const Node *leaf)
{
	uint32_t i = 0;
	while (i < k->n && k->leaf[i] != leaf) i++;
	return i;
}

/* Tangents of an argument: leaf by leaf, zeros where there is none. */
static Binding *tangents_of(Elab *e, const OwnUse *u, const Binding *b)
{
	Graph *g = e->g;
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = place_of(&u->call, leaf[i]);
		leaf[i] = k < u->call.n && has_tangent(leaf[i]) ? u->d[k] : like(g, leaf[i], 0);
	}
	return binding_refill(g, b, leaf);
}

/* What the derivative gives, in the type of what it belongs to. */
static Node *fit(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)user;
	(void)n;
	if (!has_tangent(x[0])) return like(e->g, x[0], 0);
	Node *d = cast(e->g, x[1], dtype_strong(node_dtype(x[0])));
	return spread_to(e->g, "a derivative", d, x[0]->type->n, x[0]->type->u.dim);
}

Node **fitted(Elab *e, const Syntax *s, const char *what, Binding *to, Binding *d)
{
	uint32_t n = binding_leaves(to, NULL);
	Node **out = NEW_ARRAY(e->g->arena, Node *, n + 1);
	bool alike = binding_leaves(d, NULL) == n && !binding_has_function(d) && d->kind == to->kind;
	if (!alike)
		return fail_at_syntax(e, s, ERR_DERIVATIVE, "%s: %s gives %s, wanted %s", shown(e, s), what,
			shown_type(e, d), shown_type(e, to));
	Binding *b = on_leaves(e, s, 2, (Binding *[]){to, d}, fit, NULL);
	if (!b) return NULL;
	binding_leaves(b, out);
	return out;
}

static bool elaborate_value(Elab *e, OwnUse *u)
{
	Graph *g = e->g;
	u->value = apply(e, u->at, u->f->inner, u->n, u->given);
	if (!u->value) return false;
	u->nresult = binding_leaves(u->value, NULL);
	if (binding_has_function(u->value) || !u->nresult)
		return fail_at_syntax(e, u->at, ERR_TYPE, "%s: its function gives %s, wanted arrays",
			shown(e, u->at), kind_text(u->value));
	if (u->pulls && u->nresult > 1)
		return fail_at_syntax(e, u->at, ERR_TYPE, "%s: its function gives %s, wanted one array",
			shown(e, u->at), shown_type(e, u->value));
	u->result = NEW_ARRAY(g->arena, Node *, u->nresult);
	binding_leaves(u->value, u->result);
	for (uint32_t i = 0; i < u->nresult; i++)
		if (!(u->result[i] = strong_operand(g, u->result[i]))) return false;
	return (u->value = binding_refill(g, u->value, u->result)) != NULL;
}

/* What the derivative is of: the results, or the arguments. */
static Binding *derivative_of(Elab *e, const OwnUse *u)
{
	if (!u->pulls) return u->value;
	if (u->n == 1) return u->given[0].value;
	Binding **all = NEW_ARRAY(e->g->arena, Binding *, u->n + 1);
	for (uint32_t i = 0; i < u->n; i++) all[i] = u->given[i].value;
	return bind_tuple(e->g, u->n, all);
}

/* Calls the rule: with arguments, the value, and tangents of the arguments or the cotangent. */
static bool elaborate_rule(Elab *e, OwnUse *u)
{
	Graph *g = e->g;
	OwnRule *r = &u->rule, *before = e->own;
	idmap_open(&r->stands, g->arena);
	idmap_open(&r->within, g->arena);
	Given *given = NEW_ARRAY(g->arena, Given, 2 * u->n + 2);
	uint32_t k = 0;
	for (uint32_t i = 0; i < u->call.n; i++) give_leaf(e, &r->local, u->call.leaf[i], u->call.leaf[i]);
	u->y = bound_of(e, r, u->nresult, u->result);
	u->d = u->pulls ? bound_of(e, r, u->nresult, u->result) : bound_of(e, r, u->call.n, u->call.leaf);
	if (g->error.code) return false;
	for (uint32_t i = 0; i < u->n; i++) given[k++].value = u->given[i].value;
	given[k++].value = binding_refill(g, u->value, u->y);
	for (uint32_t i = 0; i < u->n && !u->pulls; i++)
		given[k++].value = tangents_of(e, u, u->given[i].value);
	if (u->pulls) given[k++].value = binding_refill(g, u->value, u->d);
	for (uint32_t i = 0; i < k; i++) {
		if (!given[i].value) return false;
		given[i].syntax = u->at;
	}
	e->own = u->pulls ? NULL : r;
	Binding *d = apply(e, u->at, u->f->rule, k, given);
	e->own = before;
	Binding *to = d ? derivative_of(e, u) : NULL;
	if (!to || !(u->derivative = fitted(e, u->at, "its derivative", to, d))) return false;
	return without_effects(g, (Nodes){binding_leaves(to, NULL), u->derivative}, u->derivative);
}

/* The value, and the rule, whose effects are its own: neither do they come after others, nor others after
 * them. */
static bool elaborate_both(Elab *e, OwnUse *u)
{
	Node *token = e->token;
	e->token = NULL;
	Pure pure = pure_within(e, "a function that tells its derivative");
	bool good = elaborate_value(e, u) &&
		without_effects(e->g, (Nodes){u->nresult, u->result}, u->result) &&
		(u->value = binding_refill(e->g, u->value, u->result));
	e->pure = pure;
	const Binding *rule = u->f->rule;
	const Syntax *text = rule->kind == B_FUNCTION ? rule->function->syntax : NULL;
	pure = derivative_begin(e, text ? text : u->at);
	good = good && elaborate_rule(e, u);
	e->pure = pure;
	e->token = token;
	return good;
}

/* Operands from outside follow the arguments. */
static void complete_call(Elab *e, OwnUse *u)
{
	uint32_t nd = u->pulls ? binding_leaves(derivative_of(e, u), NULL) : u->nresult, n = u->nresult;
	Node **both = NEW_ARRAY(e->g->arena, Node *, n + nd);
	memcpy(both, u->result, n * sizeof *both);
	memcpy(both + n, u->derivative, nd * sizeof *both);
	KeptCall all = with_outside(e, &u->rule, (Nodes){n + nd, both});
	for (uint32_t i = u->rule.local.n; i < all.n; i++) give_leaf(e, &u->call, all.leaf[i], all.given[i]);
	for (uint32_t i = 0; i < u->rule.n; i++) /* of which the derivative is linear alone */
		if (place_of(&u->call, u->rule.of[i]) == u->call.n)
			give_leaf(e, &u->call, u->rule.of[i], u->rule.of[i]);
}

/* Leaves for the tangents of all operands, the first of which are the arguments'. */
static void complete_tangents(Elab *e, OwnUse *u, uint32_t arguments)
{
	Graph *g = e->g;
	Node **d = NEW_ARRAY(g->arena, Node *, u->call.n + 1);
	memcpy(d, u->d, arguments * sizeof *d);
	for (uint32_t i = arguments; i < u->call.n; i++) {
		for (uint32_t k = 0; k < u->rule.n; k++)
			if (u->rule.of[k] == u->call.leaf[i]) d[i] = u->rule.tangent[k];
		if (!d[i]) d[i] = fresh(g, u->call.leaf[i]->type, NULL);
	}
	u->d = d;
}

/* In the order of the operands: cotangents of the arguments, zeros of what is from outside. */
static void complete_cotangents(Elab *e, OwnUse *u)
{
	Graph *g = e->g;
	Node **out = NEW_ARRAY(g->arena, Node *, u->call.n + 1);
	for (uint32_t i = 0; i < u->call.n; i++) out[i] = like(g, u->call.leaf[i], 0);
	Binding *to = derivative_of(e, u);
	uint32_t n = binding_leaves(to, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n + 1);
	binding_leaves(to, leaf);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = place_of(&u->call, leaf[i]);
		if (k < u->call.n) out[k] = u->derivative[i];
	}
	u->derivative = out;
}

static Binding *own_value(Elab *e, OwnUse *u)
{
	Graph *g = e->g;
	uint32_t nd = u->pulls ? u->nresult : u->call.n, nout = u->pulls ? u->call.n : u->nresult;
	const OwnParts parts = {.name = u->f->name,
		.leaf = {u->call.n, u->call.leaf},
		.result = {u->nresult, u->result},
		.y = {u->nresult, u->y},
		.d = {nd, u->d},
		.derivative = {nout, u->derivative},
		.kind = u->pulls ? OWN_PULLBACK : OWN_DIFFERENTIAL};
	at(e, u->at);
	Node *x = g->error.code ? NULL : own_call(g, &parts, u->call.given);
	for (uint32_t i = 0; i < u->nresult && x; i++) u->result[i] = u->nresult == 1 ? x : get(g, x, i);
	return x && !g->error.code ? binding_refill(g, u->value, u->result) : NULL;
}

Binding *apply_own(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	OwnUse u = {.at = s, .f = f, .n = n, .pulls = !strcmp(f->name, "with_vjp"), .outside = {.e = e}};
	idmap_open(&u.outside.node, e->g->arena);
	mention_value(&u.outside, f->inner);
	mention_value(&u.outside, f->rule);
	u.given = over_leaves(e, &u.call, 0, n, given);
	u.rule.outside = &u.outside;
	uint32_t arguments = u.call.n;
	if (!u.given || !elaborate_both(e, &u)) return NULL;
	complete_call(e, &u);
	if (u.pulls)
		complete_cotangents(e, &u);
	else
		complete_tangents(e, &u, arguments);
	return own_value(e, &u);
}
