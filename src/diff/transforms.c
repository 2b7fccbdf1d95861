/* transforms.c - derivatives as the elaborator and the C interface ask for them.
 *
 * An expression is abstracted into a function of its variables, simplified and
 * made stable, differentiated, and called with them: rewriting first cannot
 * lose a node, because the variables are leaves while it happens.
 */
#include "diff.h"
#include "../elab/elab.h"

typedef struct Abstracted {
	Node **leaf, **y;
} Abstracted;

/* The variables of open graphs and of functions are leaves already. */
static bool is_variable(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM;
}

/* y over leaves in place of x, in normal form. */
static bool abstracted(
	Graph *g, Arena *a, uint32_t ny, Node *const *y, uint32_t nx, Node *const *x, Abstracted *out)
{
	IdMap map;
	bool same = true;
	idmap_open(&map, a);
	out->leaf = NEW_ARRAY(a, Node *, nx);
	out->y = NEW_ARRAY(a, Node *, ny);
	for (uint32_t i = 0; i < nx; i++) {
		if (!x[i]) return false;
		Node *known = idmap_get(&map, x[i]->id); /* given twice: one variable */
		if (known)
			out->leaf[i] = known;
		else if (is_variable(x[i]))
			out->leaf[i] = x[i];
		else
			out->leaf[i] = fresh(g, x[i]->type, leaf_name(x[i]));
		idmap_put(&map, x[i]->id, out->leaf[i]);
		same &= out->leaf[i] == x[i];
	}
	if (same)
		memcpy(out->y, y, ny * sizeof *y);
	else
		rebuild(g, ny, y, &map, NULL, NULL, out->y);
	RewriteOptions first = {.whole = true}, o = {0};
	if (g->error.code || g->no_rules) return !g->error.code;
	return rewrite(g, "algebra", ny, out->y, &first) && rewrite(g, "stable", ny, out->y, &o);
}

/* Results over the variables again. */
static bool applied(
	Graph *g, Arena *a, uint32_t n, Node **results, uint32_t nx, Node *const *leaf, Node *const *x)
{
	IdMap map;
	bool same = true;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < nx; i++) {
		idmap_put(&map, leaf[i]->id, x[i]);
		same &= leaf[i] == x[i];
	}
	if (!same) rebuild(g, n, results, &map, NULL, NULL, results);
	return !g->error.code;
}

static bool transform_vjp(
	Graph *g, uint32_t ny, Node *const *y, uint32_t nx, Node *const *x, Node *const *u, Node **out)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	bool good = abstracted(g, a, ny, y, nx, x, &e) && diff_vjp(g, ny, e.y, nx, e.leaf, u, out) &&
		applied(g, a, nx, out, nx, e.leaf, x);
	arena_free(a);
	return good;
}

static bool transform_jvp(
	Graph *g, uint32_t ny, Node *const *y, uint32_t nx, Node *const *x, Node *const *v, Node **out)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	bool good = abstracted(g, a, ny, y, nx, x, &e) && diff_jvp(g, ny, e.y, nx, e.leaf, v, out) &&
		applied(g, a, ny, out, nx, e.leaf, x);
	arena_free(a);
	return good;
}

static Node *transform_jacobian(Graph *g, Node *y, Node *x, bool forward)
{
	Arena *a = arena_child(g->arena);
	Abstracted e;
	Node *out = NULL;
	if (y && abstracted(g, a, 1, &y, 1, &x, &e) && (out = diff_jacobian(g, e.y[0], e.leaf[0], forward)))
		out = applied(g, a, 1, &out, 1, e.leaf, &x) ? out : NULL;
	arena_free(a);
	return out;
}

static const Transforms transforms = {
	.vjp = transform_vjp, .jvp = transform_jvp, .jacobian = transform_jacobian};

void diff_open(Graph *g)
{
	g->transforms = &transforms;
}
