/* close_body.c - closing a loop's body so that nothing runs which the loop does not reach.
 *
 * What hangs on no bound leaf is the same in each pass, and is captured: computed once, outside.  But a loop
 * may have no pass, and what can fail (an index that is not proved, a size that must fit) would then fail
 * though it is not reached.  So it is computed by a guard, a loop of min(steps, 1) passes that carries its
 * values; where a value's sizes are not known outside, it stays in the body.
 */
#include "close.h"

enum { BOUND = 1, OUTER = 2, STAYS = 4, WANTED = 8 };

typedef struct Closed {
	Graph *g;
	Arena *a;
	const Size *count; /* of passes; NULL: nobody knows whether there is one */
	uint32_t nparam;
	Node *const *param;
	IdMap outside;
	Region *r;
	unsigned char *mark; /* by place */
} Closed;

/* What hangs on bound leaves, on outer ones alone, and of the latter what may not be captured. */
static void mark_all(Closed *c, uint32_t nresult, Node *const *results)
{
	c->r = region_of(c->a, nresult, results);
	c->mark = NEW_ARRAY(c->a, unsigned char, c->r->n);
	IdMap bound;
	idmap_open(&bound, c->a);
	for (uint32_t i = 0; i < c->nparam; i++) idmap_put(&bound, c->param[i]->id, c->param[i]);
	for (uint32_t i = 0; i < c->r->n; i++) {
		Node *x = c->r->node[i];
		unsigned char m = 0;
		for (uint32_t k = 0; k < x->narg; k++) m |= c->mark[region_place(c->r, x->arg[k])];
		/* by its sizes alone, too */
		bool fails = !(m & (BOUND | STAYS)) && !node_is_total(c->g, x, c->count);
		if (idmap_get(&bound, x->id))
			m = BOUND;
		else if (x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM ||
			(is_effect(x) && !(m & BOUND)) || (x->op == OP_GET && m == OUTER) || /* of what is */
			((m || fails) && !(m & BOUND) && idmap_get(&c->outside, x->id)))
			m = OUTER;
		else if (fails)
			m |= STAYS;
		c->mark[i] = m & BOUND ? BOUND : m;
	}
}

static void want_size(void *user, const Atom *a)
{
	Closed *c = user;
	uint32_t place = a->kind == ATOM_NODE ? region_place(c->r, a->node) : UINT32_MAX;
	if (place != UINT32_MAX) c->mark[place] |= WANTED;
}

typedef struct KnownSizes {
	const Closed *c;
	bool known;
} KnownSizes;

static void is_known(void *user, const Atom *a)
{
	KnownSizes *k = user;
	uint32_t place = a->kind == ATOM_NODE ? region_place(k->c->r, a->node) : UINT32_MAX;
	if (place != UINT32_MAX && k->c->mark[place] & (STAYS | BOUND)) k->known = false;
}

static bool is_never_negative(Graph *g, const Type *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!size_holds(g, size_const(g, 0), DIM(t, i), false)) return false;
	return true;
}

/* Can it be carried from zeros, whose sizes are known outside?  Of a size that may be below 0 what computes
 * nothing is not worth it, as what such a guard gives. */
static bool has_zeros(const Closed *c, const Node *x)
{
	KnownSizes k = {c, x->type->kind == TYPE_ARRAY};
	for (uint32_t i = 0; k.known && i < x->type->n; i++) size_atoms(DIM(x->type, i), is_known, &k);
	if (!k.known || is_never_negative(c->g, x->type)) return k.known;
	if (x->op == OP_CONST || x->op == OP_EXPAND) return false;
	return x->op != OP_RESHAPE || c->mark[region_place(c->r, x->arg[0])] & (STAYS | BOUND);
}

/* x with these sizes, or as a guard carries it: where the loop has no pass nobody asks for a size, which
 * may be below 0; zeros have no elements then. */
static Node *sized_as(Graph *g, Node *x, const Type *t, bool carried)
{
	const Size *dim[RANK_MAX], *none = size_const(g, 0);
	for (uint32_t i = 0; i < t->n; i++) {
		bool as_it_is = !carried || size_holds(g, none, DIM(t, i), false);
		dim[i] = as_it_is ? DIM(t, i) : size_max(g, DIM(t, i), none);
	}
	return reshape(g, x, t->n, dim);
}

static void want_results(Closed *c, uint32_t n, Node *const *results)
{
	for (uint32_t i = 0; i < n; i++) c->mark[region_place(c->r, results[i])] |= WANTED;
}

static void want_operands(Closed *c, const Node *x)
{
	for (uint32_t k = 0; k < x->narg; k++) c->mark[region_place(c->r, x->arg[k])] |= WANTED;
}

/* A loop of one pass at the most: a guard itself, and what leaves it is computed no less often. */
static bool is_once(const Closed *c)
{
	return c->count && size_holds(c->g, c->count, size_const(c->g, 1), false);
}

/* The values that a guard computes: what stays and is wanted, as near to its users as can be.  Of a guard
 * only sizes of its results are wanted outside.  A size stays in the body, over what its numbers are outside:
 * as a number that a guard gives it would be none that others add up with. */
static uint32_t find_guarded(Closed *c, uint32_t nresult, Node *const *results, Node ***guarded)
{
	bool once = is_once(c);
	uint32_t n = 0, cap = 0;
	*guarded = NULL;
	if (!once) want_results(c, nresult, results);
	for (uint32_t i = 0; i < nresult; i++)
		for (uint32_t k = 0; results[i]->type->kind == TYPE_ARRAY && k < node_rank(results[i]); k++)
			size_atoms(node_dim(results[i], k), want_size, c);
	for (uint32_t i = c->r->n; i-- > 0;) {
		Node *x = c->r->node[i];
		bool stays = c->mark[i] & STAYS && c->mark[i] & WANTED;
		if (stays && x->op != OP_SIZE && has_zeros(c, x)) {
			GROW(c->g->arena, *guarded, n, cap);
			(*guarded)[n++] = x;
		} else if (!once && (stays || c->mark[i] & BOUND)) {
			want_operands(c, x);
		}
	}
	return n;
}

/* What stays, from these results down to what is computed outside. */
static void keep_within(Closed *c, uint32_t nresult, Node *const *results, IdMap *within)
{
	idmap_open(within, c->a);
	mark_all(c, nresult, results);
	want_results(c, nresult, results);
	for (uint32_t i = c->r->n; i-- > 0;) {
		bool stays = c->mark[i] & STAYS && c->mark[i] & WANTED;
		if (stays) idmap_put(within, c->r->node[i]->id, c->r->node[i]);
		if (stays || c->mark[i] & BOUND) want_operands(c, c->r->node[i]);
	}
}

/* The loop of one pass or none that computes these values; `map` gets what stands for each outside. */
static bool make_guard(Closed *c, uint32_t n, Node *const *x, IdMap *map)
{
	Graph *g = c->g;
	Node **param = NEW_ARRAY(g->arena, Node *, n + 1), **zero = NEW_ARRAY(g->arena, Node *, n),
	     **next = NEW_ARRAY(g->arena, Node *, n);
	Closed inner = {.g = g, .a = c->a, .outside = c->outside};
	IdMap within;
	Closure closed;
	param[0] = fresh(g, type_scalar(g, DT_I64), NULL);
	for (uint32_t i = 0; i < n && !g->error.code; i++) {
		next[i] = sized_as(g, cast(g, x[i], dtype_strong(node_dtype(x[i]))), x[i]->type, true);
		zero[i] = next[i] ? constant_int(g, next[i]->type, 0) : NULL;
		param[1 + i] = next[i] ? fresh(g, next[i]->type, leaf_name(x[i])) : NULL;
	}
	if (g->error.code) return false;
	keep_within(&inner, n, next, &within);
	if (!close_within(
		    g, (Title){.flags = FN_BODY}, (Nodes){1 + n, param}, (Nodes){n, next},
		    (ClosePlaces){&within, &inner.outside}, &closed))
		return false;
	Node *few = size_node(g, size_min(g, c->count, size_const(g, 1)));
	Node *guard = scan(g, &closed, few, (Nodes){n, zero}, (Nodes){0}, false);
	g->guards++;
	for (uint32_t i = 0; i < n && guard; i++) {
		Node *y = get(g, guard, i);
		idmap_put(&c->outside, y->id, y);
		y = sized_as(g, y, x[i]->type, false);
		if (y) idmap_put(map, x[i]->id, cast(g, y, node_dtype(x[i])));
	}
	return guard && !g->error.code;
}

/* results: replaced by those over the guard, if there is one */
static bool guard_failing(Closed *c, uint32_t nresult, Node **results)
{
	Node **guarded;
	IdMap map;
	mark_all(c, nresult, results);
	uint32_t n = find_guarded(c, nresult, results, &guarded);
	if (!n) return true;
	idmap_open(&map, c->a);
	/* what is linear in a tangent is in no loop with what is not */
	uint32_t each = c->g->derived ? 1 : n;
	for (uint32_t i = 0; i < n; i += each)
		if (!make_guard(c, each, guarded + i, &map)) return false;
	for (uint32_t i = 0; i < c->r->n; i++) { /* what has happened outside is not made anew */
		Node *x = c->r->node[i];
		if (is_effect(x) && !(c->mark[i] & BOUND)) idmap_put(&map, x->id, x);
	}
	rebuild(c->g, (Nodes){nresult, results}, &map, NULL, NULL, results);
	return !c->g->error.code;
}

/* What is computed outside: besides what is known to be, the number of passes, and the sizes of what is
 * carried and walked along. */
static void note_outside(Closed *c, Around around)
{
	Nodes outside = around.outside;
	idmap_open(&c->outside, c->a);
	note_around(c->a, (Nodes){1, &around.steps}, &c->outside);
	for (uint32_t i = 0; i < outside.n; i++) idmap_put(&c->outside, outside.v[i]->id, outside.v[i]);
	counts_of((Nodes){c->nparam, c->param}, &c->outside);
}

bool body_close(Graph *g, const char *name, Nodes params, Nodes results, Around around, Closure *out)
{
	Node *steps = around.steps;
	for (uint32_t i = 0; i < results.n; i++)
		if (!results.v[i] || g->error.code) return false;
	Closed c = {.g = g,
		.a = arena_child(g->arena),
		.count = steps ? size_of_node(g, cast(g, steps, DT_I64)) : NULL,
		.nparam = params.n,
		.param = params.v};
	IdMap within;
	Node **result = NEW_ARRAY(c.a, Node *, results.n + 1);
	results.v = held_once(g, c.a, results, params);
	if (results.v) results.v = captured_around(g, c.a, results, params, around.outside, NULL);
	if (results.v && !is_once(&c)) results.v = still_before(g, c.a, results, params);
	if (results.v && results.n) memcpy(result, results.v, results.n * sizeof *result);
	idmap_open(&within, c.a);
	note_outside(&c, around);
	bool good = results.v && (c.count || !steps);
	if (good && !(c.count && size_holds(g, size_const(g, 1), c.count, false))) {
		good = !steps || guard_failing(&c, results.n, result);
		if (good) keep_within(&c, results.n, result, &within);
	}
	good = good &&
		close_within(
			g, (Title){name, .flags = FN_BODY}, params, (Nodes){results.n, result},
			(ClosePlaces){&within, &c.outside}, out);
	arena_free(c.a);
	return good;
}
