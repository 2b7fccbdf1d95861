/* transforms.c - derivatives as the elaborator and the C interface ask for them.
 *
 * An expression is abstracted into a function of its variables, simplified and
 * made stable, differentiated, and called with them: rewriting first cannot
 * lose a node, because the variables are leaves while it happens.
 */
#include "diff.h"
#include "../batch/batch.h"

/* An expression as a function of its variables x, which stand as leaves in y; so does what derivatives are to
 * come by. */
typedef struct Abstracted {
	Nodes x;
	Node **leaf, **y;
	IdMap around;    /* by the leaf that stands for it */
	bool as_written; /* it is made of what has to stay and hangs on the variables, too */
} Abstracted;

/* The variables of open graphs and of functions are leaves already. */
static bool is_variable(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM;
}

static bool hangs_on(Arena *a, Node *y, Nodes leaf)
{
	Region *r = region_of(a, 1, &y);
	bool hangs = false;
	for (uint32_t i = 0; i < leaf.n; i++) hangs |= region_place(r, leaf.v[i]) != UINT32_MAX;
	return hangs;
}

static bool is_among(const Node *x, Nodes those)
{
	bool found = false;
	for (uint32_t i = 0; i < those.n; i++) found |= those.v[i] == x;
	return found;
}

/* Of what derivatives are to come by: those that are none of the variables, over `map`, which has leaves in
 * the place of these; for each a leaf that is to stand for it. */
typedef struct KeptVariables {
	uint32_t n;
	Node **x, **stands;
} KeptVariables;

static bool kept_variables(Graph *g, Arena *a, IdMap *map, const Abstracted *out, KeptVariables *k)
{
	uint32_t most = 0;
	IdMap seen;
	idmap_open(&seen, a);
	for (const Graph *of = g; of; of = of->under) most += of->nvariable;
	*k = (KeptVariables){0, NEW_ARRAY(a, Node *, most), NEW_ARRAY(a, Node *, most)};
	for (const Graph *of = g; of; of = of->under)
		for (uint32_t i = of->nvariable; i-- > 0;) {
			Node *x = of->variable[i];
			if (is_among(x, out->x)) continue;
			rebuild(g, (Nodes){1, &x}, map, NULL, NULL, &x);
			if (!x) return false;
			if (idmap_get(&seen, x->id)) continue;
			idmap_put(&seen, x->id, x);
			k->x[k->n] = x;
			k->stands[k->n] = fresh(g, x->type, leaf_name(x));
			if (!k->stands[k->n++]) return false;
		}
	return !g->error.code;
}

/* Leaves put for these: are there any?  over: y with them */
static bool put_leaves(Graph *g, Arena *a, Nodes y, const KeptVariables *k, Node **over)
{
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < k->n; i++) idmap_put(&map, k->x[i]->id, k->stands[i]);
	note_alike(g, a, y, (Nodes){k->n, k->x}, k->stands, &map);
	return rebuild_within(g, y, &map, over) && y.n && memcmp(over, y.v, y.n * sizeof *over);
}

/* What derivatives are to come by stays, also within bodies: a leaf stands for it, if it is none of the
 * variables and hangs on none; for the last first, which may be made of others.  Mostly there is none, as
 * one look for all of them shows. */
static bool put_variables(Graph *g, Arena *a, Nodes y, Nodes leaf, IdMap *map, Abstracted *out)
{
	KeptVariables all;
	Node **over = NEW_ARRAY(a, Node *, y.n);
	if (!kept_variables(g, a, map, out, &all) || !all.n || !put_leaves(g, a, y, &all, over))
		return !g->error.code;
	for (uint32_t i = 0; i < all.n && !g->error.code; i++) {
		if (!put_leaves(g, a, y, &(KeptVariables){1, &all.x[i], &all.stands[i]}, over)) continue;
		if (hangs_on(a, all.x[i], leaf)) {
			out->as_written = true;
			continue;
		}
		memcpy(out->y, over, y.n * sizeof *over);
		idmap_put(&out->around, all.stands[i]->id, all.x[i]);
	}
	return !g->error.code;
}

/* y over leaves in place of x, in normal form. */
static bool abstracted(Graph *g, Arena *a, Nodes y, Nodes x, Abstracted *out)
{
	IdMap map;
	bool same = true;
	idmap_open(&map, a);
	*out = (Abstracted){x, NEW_ARRAY(a, Node *, x.n), NEW_ARRAY(a, Node *, y.n)};
	for (uint32_t i = 0; i < x.n; i++) {
		Node *of = x.v[i];
		if (!of) return false;
		Node *known = idmap_get(&map, of->id); /* given twice: one variable */
		if (known)
			out->leaf[i] = known;
		else
			out->leaf[i] = is_variable(of) ? of : fresh(g, of->type, leaf_name(of));
		idmap_put(&map, of->id, out->leaf[i]);
		same &= out->leaf[i] == of;
	}
	if (!same) {
		note_alike(g, a, y, x, out->leaf, &map); /* bodies hold branches that capture others */
		rebuild_within(g, y, &map, out->y);
	} else if (y.n)
		memcpy(out->y, y.v, y.n * sizeof *y.v);
	Nodes of = {y.n, out->y}, leaf = {x.n, out->leaf};
	idmap_open(&out->around, a);
	if (!g->error.code && !put_variables(g, a, of, leaf, &map, out)) return false;
	/* effects happen where the value is computed, once */
	if (!g->error.code) without_effects_over(g, leaf, of, out->y);
	of.v = g->error.code ? NULL : held_once(g, a, of, leaf);
	Node *const *once = of.v ? captured_around(g, a, of, leaf, (Nodes){0}, NULL) : NULL;
	if (!once) return false;
	if (y.n) memmove(out->y, once, y.n * sizeof *once);
	if (g->error.code || g->no_rules || out->as_written) return !g->error.code;
	IdMap found;
	idmap_open(&found, a);
	RewriteOptions first = {.whole = true, .found = &found}, o = {.found = &found};
	return rewrite(g, "algebra", y.n, out->y, &first) && rewrite(g, "stable", y.n, out->y, &o);
}

/* Results over the variables again. */
static bool applied(Graph *g, Arena *a, uint32_t n, Node **results, const Abstracted *e)
{
	IdMap map = e->around;
	bool same = !map.count;
	for (uint32_t i = 0; i < e->x.n; i++) {
		idmap_put(&map, e->leaf[i]->id, e->x.v[i]);
		same &= e->leaf[i] == e->x.v[i];
	}
	if (!same) rebuild(g, (Nodes){n, results}, &map, NULL, NULL, results);
	return !g->error.code;
}

/* Where each variable is given last. */
static void last_places(Arena *a, Nodes leaf, IdMap *last)
{
	idmap_open(last, a);
	for (uint32_t i = 0; i < leaf.n; i++) idmap_put(last, leaf.v[i]->id, (void *)(uintptr_t)(i + 1));
}

/* Of a variable that is given twice the cotangent is the same twice. */
static void same_for_same(Arena *a, Nodes leaf, Node **out)
{
	IdMap last;
	last_places(a, leaf, &last);
	for (uint32_t i = 0; i < leaf.n; i++) out[i] = out[(uintptr_t)idmap_get(&last, leaf.v[i]->id) - 1];
}

/* Along each place: the directions of a variable that is given twice add up. */
static Node *const *added_up(Graph *g, Arena *a, Nodes leaf, Node *const *v)
{
	IdMap last;
	last_places(a, leaf, &last);
	Node **all = NEW_ARRAY(a, Node *, leaf.n);
	for (uint32_t i = 0; i < leaf.n; i++) {
		Node **sum = &all[(uintptr_t)idmap_get(&last, leaf.v[i]->id) - 1];
		if (*sum && v[i])
			*sum = build2(g, OP_ADD, *sum, v[i]);
		else if (v[i])
			*sum = v[i];
	}
	for (uint32_t i = 0; i < leaf.n; i++) all[i] = all[(uintptr_t)idmap_get(&last, leaf.v[i]->id) - 1];
	return all;
}

static bool transform_vjp(Graph *g, Nodes y, Nodes x, Node *const *u, Node **out)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	bool good =
		abstracted(g, a, y, x, &e) && diff_vjp(g, (Nodes){y.n, e.y}, (Nodes){x.n, e.leaf}, u, out);
	if (good) same_for_same(a, (Nodes){x.n, e.leaf}, out);
	good = good && applied(g, a, x.n, out, &e);
	arena_free(a);
	return good;
}

static bool transform_jvp(Graph *g, Nodes y, Nodes x, Node *const *v, Node **out)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	bool good = abstracted(g, a, y, x, &e);
	const Nodes leaf = {x.n, e.leaf};
	good = good && diff_jvp(g, (Nodes){y.n, e.y}, leaf, added_up(g, a, leaf, v), out) &&
		applied(g, a, y.n, out, &e);
	arena_free(a);
	return good;
}

static Node *transform_jacobian(Graph *g, Node *y, Node *x, bool forward)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	Node *out = NULL;
	if (y && abstracted(g, a, (Nodes){1, &y}, (Nodes){1, &x}, &e))
		out = diff_jacobian(g, e.y[0], e.leaf[0], forward);
	if (out && !applied(g, a, 1, &out, &e)) out = NULL;
	arena_free(a);
	return out;
}

static bool transform_sparse(Graph *g, Node *y, Node *x, bool symmetric, Node *out[3])
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	bool good = y && abstracted(g, a, (Nodes){1, &y}, (Nodes){1, &x}, &e) &&
		diff_sparse(g, e.y[0], e.leaf[0], symmetric, out) && applied(g, a, 3, out, &e);
	arena_free(a);
	return good;
}

static const Transforms transforms = {.vjp = transform_vjp,
	.jvp = transform_jvp,
	.jacobian = transform_jacobian,
	.sparse = transform_sparse,
	.batch = batch};

void diff_open(Graph *g)
{
	g->transforms = &transforms;
}
