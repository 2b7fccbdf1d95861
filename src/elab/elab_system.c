/* elab_system.c - with_system(f, a, t): functions that solve a system of linear equations.
 *
 * f(b) is z with a(z) = b, where a is linear; t(u) solves the transposed system.  All three are elaborated
 * over leaves for the arguments of the call; what they have from outside follows these as operands, so that
 * derivatives know what a is made of.
 */
#include "elab_kept.h"

#include "../ir/own.h"

#define INSTEAD                                                                                              \
	"find z with them before, and write with_derivative(() => z, (z) => "                                \
	"with_system(f, a, t)(differential(b - a(z))))()"

typedef struct SystemUse {
	Elab *e;
	const Syntax *at;
	const FunctionValue *f;
	uint32_t n, nb;              /* arguments; leaves of the right side */
	const Given *given;          /* the arguments, over leaves */
	KeptCall call;
	Mentioned outside;
	Binding *side;               /* the right side */
	SystemParts parts;
} SystemUse;

/* The first of the arguments, as one value, over leaves that come first; constants too, since derivatives put
 * others in their place. */
static bool read_side(SystemUse *u, const Given *given)
{
	Elab *e = u->e;
	uint32_t sides = u->f->sides;
	if (u->n < sides)
		return fail_at_syntax(e, u->at, ERR_TYPE, "%s: given %u arguments, wanted %u at least",
			shown(e, u->at), u->n, sides);
	Binding **all = NEW_ARRAY(e->g->arena, Binding *, sides);
	for (uint32_t i = 0; i < sides; i++) all[i] = given[i].value;
	Binding *side = sides == 1 ? all[0] : bind_tuple(e->g, sides, all);
	u->nb = binding_leaves(side, NULL);
	Node **b = NEW_ARRAY(e->g->arena, Node *, u->nb + 1);
	binding_leaves(side, b);
	bool good = u->nb && !binding_has_function(side);
	for (uint32_t i = 0; good && i < u->nb; i++) {
		Node *actual = strong_operand(e->g, b[i]);
		if (!actual) return false;
		good = has_tangent(actual);
		if (!good) break;
		b[i] = fresh(e->g, actual->type, NULL);
		stands_for(e, b[i], actual);
		give_leaf(e, &u->call, b[i], actual);
	}
	if (!good)
		return fail_at_syntax(e, u->at, ERR_TYPE, "%s: its right side is %s, wanted arrays of floats",
			shown(e, u->at), shown_type(e, side));
	u->side = binding_refill(e->g, side, b);
	return u->side != NULL;
}

static bool open_arguments(SystemUse *u, const Given *given)
{
	Elab *e = u->e;
	uint32_t sides = u->f->sides;
	if (!read_side(u, given)) return false;
	const Given *rest = over_leaves(e, &u->call, 0, u->n - sides, given + sides);
	if (!rest) return false;
	Given *all = NEW_ARRAY(e->g->arena, Given, u->n);
	memcpy(all, given, u->n * sizeof *all);
	for (uint32_t i = 0; i < sides; i++) all[i].value = sides == 1 ? u->side : u->side->elem[i];
	memcpy(all + sides, rest, (u->n - sides) * sizeof *all);
	u->given = all;
	return true;
}

static Node **results(SystemUse *u, Binding *function, const char *what)
{
	Elab *e = u->e;
	Node *token = e->token;
	e->token = NULL;
	const Pure pure = pure_within(e, "a function that solves a system");
	e->pure.instead = INSTEAD;
	Binding *y = apply(e, u->at, function, u->n, u->given);
	e->pure = pure;
	e->token = token;
	Node **out = y ? fitted(e, u->at, what, u->side, y) : NULL;
	const Nodes leaf = {u->call.n, u->call.leaf};
	return out && without_effects_over(e->g, leaf, (Nodes){u->nb, out}, out) ? out : NULL;
}

/* What a's transpose makes of leaves: a is linear where that hangs on no z. */
static Node **transposed(SystemUse *u, Node *const *a)
{
	Graph *g = u->e->g;
	Node **v = NEW_ARRAY(g->arena, Node *, u->nb), **out = NEW_ARRAY(g->arena, Node *, u->nb);
	for (uint32_t i = 0; i < u->nb; i++)
		if (!(v[i] = fresh(g, u->call.leaf[i]->type, NULL))) return NULL;
	u->parts.u = (Nodes){u->nb, v};
	at(u->e, u->at);
	const Nodes y = {u->nb, (Node **)a}, z = {u->nb, u->call.leaf};
	if (!g->transforms->vjp(g, y, z, v, out)) return NULL;
	Region *r = region_of(g->arena, u->nb, out);
	for (uint32_t i = 0; i < u->nb; i++)
		if (region_place(r, u->call.leaf[i]) != UINT32_MAX)
			return fail_at_syntax(u->e, u->at, ERR_DERIVATIVE,
				"%s: its second function is not linear in what is solved for", shown(u->e, u->at));
	return out;
}

static bool elaborate_parts(SystemUse *u)
{
	SystemParts *p = &u->parts;
	Node **a;
	return (p->solve = results(u, u->f->inner, "its first function")) &&
		(p->apply = a = results(u, u->f->rule, "its second function")) &&
		(p->solve_transposed = results(u, u->f->back, "its third function")) &&
		(p->apply_transposed = transposed(u, a));
}

/* Operands from outside follow the arguments. */
static void complete(SystemUse *u)
{
	Graph *g = u->e->g;
	const SystemParts *p = &u->parts;
	Node *const *part[] = {p->solve, p->apply, p->solve_transposed, p->apply_transposed};
	Node **all = NEW_ARRAY(g->arena, Node *, countof(part) * u->nb);
	KeptCall known = {0};
	for (uint32_t k = 0; k < countof(part); k++) memcpy(all + k * u->nb, part[k], u->nb * sizeof *all);
	for (uint32_t i = 0; i < u->call.n; i++) give_leaf(u->e, &known, u->call.leaf[i], u->call.leaf[i]);
	for (uint32_t i = 0; i < u->nb; i++) give_leaf(u->e, &known, p->u.v[i], p->u.v[i]);
	uint32_t own = known.n;
	give_outside(u->e, &known, &u->outside, (Nodes){countof(part) * u->nb, all});
	for (uint32_t i = own; i < known.n; i++) give_leaf(u->e, &u->call, known.leaf[i], known.given[i]);
}

Binding *apply_system(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	Graph *g = e->g;
	SystemUse u = {.e = e, .at = s, .f = f, .n = n, .outside = {.e = e}, .parts = {.name = f->name}};
	idmap_open(&u.outside.node, g->arena);
	mention_value(&u.outside, f->inner);
	mention_value(&u.outside, f->rule);
	mention_value(&u.outside, f->back);
	if (!open_arguments(&u, given) || !elaborate_parts(&u)) return NULL;
	complete(&u);
	u.parts.leaf = (Nodes){u.call.n, u.call.leaf};
	at(e, s);
	Node *x = g->error.code ? NULL : system_call(g, &u.parts, u.call.given);
	Node **z = NEW_ARRAY(g->arena, Node *, u.nb);
	for (uint32_t i = 0; i < u.nb && x; i++) z[i] = u.nb == 1 ? x : get(g, x, i);
	return x && !g->error.code ? binding_refill(g, u.side, z) : NULL;
}
