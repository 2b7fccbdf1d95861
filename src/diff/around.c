/* around.c - a loop in a side of a branch that walks as one around the branch does, which runs whichever side
 * is taken, is that one.
 *
 * A value that is asked for under a condition has its loop in a side; the gradient runs the same loop with
 * more traces.  The side captures the results of one loop with the traces of both.
 * needs: nodes in any state; gives: the same values, to the bit
 */
#include "merge.h"

typedef struct Gets {
	Node **was, **now;
	uint32_t n;
} Gets;

typedef struct SideLoops {
	Graph *g;
	Arena *a;
	const Region *r;
	IdMap around; /* what is computed whichever sides are taken */
	Opened side[2];
	Region *within[2];
} SideLoops;

static bool carries(const Node *x)
{
	return is_counted(x) && states(x);
}

static void add_gets(Gets *to, const Region *r, const Node *loop)
{
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		if (x->op == OP_GET && x->arg[0] == loop) to->was[to->n++] = x;
	}
}

/* Both begin alike, and all that the one in the side walks along is there outside. */
static bool may_be_one(const SideLoops *s, const Node *within, const Node *outside)
{
	if (scan_way(within) != scan_way(outside) || states(within) != states(outside)) return false;
	if (memcmp(within->arg, outside->arg, (1 + states(within)) * sizeof *within->arg)) return false;
	for (uint32_t i = 0; i < within->narg; i++)
		if (region_place(s->r, within->arg[i]) == UINT32_MAX) return false;
	return true;
}

/* What is read of either, of one loop; false: they are two. */
static bool as_one(SideLoops *s, const Node *within, const Node *outside, Gets *all)
{
	uint32_t most = s->r->n + s->within[0]->n + s->within[1]->n;
	*all = (Gets){NEW_ARRAY(s->a, Node *, most), NEW_ARRAY(s->a, Node *, most), 0};
	add_gets(all, s->r, outside);
	for (uint32_t k = 0; k < 2; k++) add_gets(all, s->within[k], within);
	memcpy(all->now, all->was, all->n * sizeof *all->was);
	if (!all->n || !diff_merge(s->g, all->n, all->now)) return false;
	for (uint32_t i = 0; i < all->n; i++)
		if (all->now[i]->op != OP_GET || all->now[i]->arg[0] != all->now[0]->arg[0]) return false;
	return true;
}

/* roots with these results of loops as they are now, in the sides of branch x too. */
static bool replace_gets(SideLoops *s, Node *x, const Gets *all, uint32_t n, Node **roots)
{
	Graph *g = s->g;
	IdMap now;
	Node *y, **outside = NEW_ARRAY(s->a, Node *, captured(x).n + all->n + 1);
	idmap_open(&now, s->a);
	for (uint32_t i = 0; i < all->n; i++) idmap_put(&now, all->was[i]->id, all->now[i]);
	for (uint32_t k = 0; k < 2; k++) {
		Opened *o = &s->side[k];
		rebuild(g, (Nodes){o->nresult, o->result}, &now, NULL, NULL, o->result);
	}
	rebuild(g, captured(x), &now, NULL, NULL, outside);
	if (g->error.code) return false;
	memcpy(outside + captured(x).n, all->now, all->n * sizeof *outside);
	y = branch(g, x->arg[0], x->type->n, s->side[0].result, s->side[1].result,
		(Nodes){captured(x).n + all->n, outside});
	if (y && y->type == x->type) {
		idmap_put(&now, x->id, y);
		rebuild(g, (Nodes){n, roots}, &now, NULL, NULL, roots);
		return !g->error.code;
	}
	return false;
}

/* One loop of a side of x that is one around it; false: there is none, or an error. */
static bool share_one(SideLoops *s, Node *x, uint32_t n, Node **roots)
{
	const bool *hangs = region_hanging(s->a, s->r, (Nodes){1, &x});
	Gets all;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < s->within[k]->n; i++) {
			const Node *l = s->within[k]->node[i];
			if (!carries(l) || idmap_get(&s->around, l->id)) continue;
			for (uint32_t j = 0; j < s->r->n && !s->g->error.code; j++) {
				const Node *f = s->r->node[j];
				if (hangs[j] || !carries(f) || !idmap_get(&s->around, f->id)) continue;
				if (may_be_one(s, l, f) && as_one(s, l, f, &all))
					return replace_gets(s, x, &all, n, roots);
			}
		}
	return false;
}

static bool share_in(Graph *g, uint32_t n, Node **roots)
{
	Arena *a = arena_child(g->arena);
	SideLoops s = {.g = g, .a = a, .r = region_of(a, n, roots)};
	bool shared = false;
	idmap_open(&s.around, a);
	note_around(a, (Nodes){n, roots}, &s.around);
	for (uint32_t i = 0; i < s.r->n && !shared && !g->error.code; i++) {
		Node *x = s.r->node[i];
		Body b[BODIES_MAX];
		if (x->op != OP_IF || !idmap_get(&s.around, x->id)) continue;
		node_bodies(x, b);
		for (uint32_t k = 0; k < 2 && !g->error.code; k++) {
			s.side[k] = body_open(g, a, x, &b[k]);
			if (!g->error.code) s.within[k] = region_of(a, s.side[k].nresult, s.side[k].result);
		}
		shared = !g->error.code && share_one(&s, x, n, roots);
	}
	arena_free(a);
	return shared;
}

enum { ROUNDS = 32 };

bool loops_around(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	g->bodies++;
	for (uint32_t i = 0; i < ROUNDS && share_in(g, n, roots); i++) {}
	g->bodies--;
	return !g->error.code;
}
