/* kept.c - what a node asks of sizes is not forgotten when another takes its place.
 *
 * The call checks what is not proved of sizes, for each node.  With y of x + y - y the check would go that y
 * has the size of x.  So a rewriting after which something that was asked for is neither asked for nor proved
 * is refused.  Most programs ask for nothing.
 */
#include "drive.h"

enum { OF_OLD = 1, OF_NEW = 2 };

typedef struct SizeAsked {
	const Size *a, *b;
	bool equal;
} SizeAsked;

typedef struct SizesAsked {
	Graph *g;
	Arena *arena;
	SizeAsked *v;
	uint32_t n, cap;
} SizesAsked;

static void ask(void *user, const Size *a, const Size *b, bool equal)
{
	SizesAsked *l = user;
	if (!a || !b || (equal ? size_compare(l->g, a, b) == PROOF_EQUAL : size_at_most(l->g, a, b))) return;
	GROW(l->arena, l->v, l->n, l->cap);
	l->v[l->n++] = (SizeAsked){a, b, equal};
}

static void ask_shape(SizesAsked *l, const Type *t)
{
	for (uint32_t i = 0; t->kind == TYPE_ARRAY && i < t->n; i++)
		ask(l, size_const(l->g, 0), DIM(t, i), false);
	for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->n; i++) ask_shape(l, t->u.elem[i]);
}

/* What x itself asks for. */
static void ask_node(SizesAsked *l, const Node *x)
{
	if (x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM) return;
	ask_shape(l, x->type);
	node_requirements(l->g, x, ask, l);
	element_requirements(l->g, x, ask, l);
}

/* A map of operands that all have its own shape, which they did not ask for. */
static bool is_plain_map(const Node *x)
{
	if (op_info[x->op].class != MAP || !x->narg) return false;
	for (uint32_t i = 0; i < x->narg; i++) {
		const Type *t = x->arg[i]->type;
		bool same = t == x->type ||
			(t->n == x->type->n && !memcmp(t->u.dim, x->type->u.dim, t->n * sizeof *t->u.dim));
		if (!same) return false;
	}
	return true;
}

bool node_asks(Driver *d, const Node *x)
{
	if (is_plain_map(x)) return false;
	uintptr_t found = found_of(d, x);
	if (found & (FOUND_SILENT | FOUND_ASKS)) return found & FOUND_ASKS;
	SizesAsked l = {.g = d->g, .arena = d->scratch};
	ask_node(&l, x);
	note_found(d, x, l.n ? FOUND_ASKS : FOUND_SILENT);
	return l.n > 0;
}

/* ---- what is below one of two nodes and not below the other ------------------------------------ */

typedef struct WalkPlace {
	Node *x;
	int of; /* OF_OLD, OF_NEW */
} WalkPlace;

typedef struct RegionWalk {
	Driver *d;
	Arena *arena;
	WalkPlace *v; /* a heap: the node made last is first */
	uint32_t n, cap;
} RegionWalk;

static void swap(WalkPlace *a, WalkPlace *b)
{
	WalkPlace was = *a;
	*a = *b;
	*b = was;
}

static void walk_to(RegionWalk *w, Node *x, int of)
{
	if (is_silent(w->d, x)) return;
	GROW(w->arena, w->v, w->n, w->cap);
	w->v[w->n] = (WalkPlace){x, of};
	for (uint32_t i = w->n++; i && w->v[(i - 1) / 2].x->id < w->v[i].x->id; i = (i - 1) / 2)
		swap(&w->v[i], &w->v[(i - 1) / 2]);
}

static WalkPlace walk_next(RegionWalk *w)
{
	WalkPlace first = w->v[0];
	w->v[0] = w->v[--w->n];
	for (uint32_t i = 0;;) {
		uint32_t most = i;
		for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < w->n; k++)
			if (w->v[k].x->id > w->v[most].x->id) most = k;
		if (most == i) return first;
		swap(&w->v[i], &w->v[most]);
		i = most;
	}
}

/* Users come before their operands: when a node comes, it is known which of the two it belongs to. */
static void list_difference(RegionWalk *w, SizesAsked *lost, SizesAsked *made)
{
	while (w->n) {
		WalkPlace p = walk_next(w);
		while (w->n && w->v[0].x == p.x) p.of |= walk_next(w).of;
		if (p.of == (OF_OLD | OF_NEW)) continue;
		ask_node(p.of == OF_OLD ? lost : made, p.x);
		for (uint32_t i = 0; i < p.x->narg; i++) walk_to(w, p.x->arg[i], p.of);
	}
}

static bool implies(Graph *g, const SizeAsked *p, const SizeAsked *q)
{
	if (p->equal != q->equal) return false;
	if (p->equal) return (p->a == q->a && p->b == q->b) || (p->a == q->b && p->b == q->a);
	return size_at_most(g, size_sub(g, p->b, p->a), size_sub(g, q->b, q->a));
}

static bool all_kept(const SizesAsked *lost, const SizesAsked *made)
{
	for (uint32_t i = 0; i < lost->n; i++) {
		uint32_t k = 0;
		while (k < made->n && !implies(made->g, &made->v[k], &lost->v[i])) k++;
		if (k == made->n) return false;
	}
	return true;
}

bool forgets_sizes(Driver *d, Node *x, Node *y)
{
	if (is_silent(d, x)) return false;
	Arena *a = arena_child(d->scratch);
	RegionWalk w = {.d = d, .arena = a};
	SizesAsked lost = {.g = d->g, .arena = a}, made = {.g = d->g, .arena = a};
	walk_to(&w, x, OF_OLD);
	walk_to(&w, y, OF_NEW);
	list_difference(&w, &lost, &made);
	bool kept = all_kept(&lost, &made);
	if (!kept) { /* something that both are made of may ask for it */
		walk_to(&w, y, OF_NEW);
		list_difference(&w, NULL, &made);
		kept = all_kept(&lost, &made);
	}
	arena_free(a);
	return !kept;
}
