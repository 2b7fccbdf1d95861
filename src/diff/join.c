/* join.c - a loop that walks along what a loop before it stacks, in the same direction, is one with it.
 *
 * Tangents of a loop are carried by a loop of their own over the states of the first.  Where it asks for
 * nothing that is known only when that has ended, both take their passes together: no state is stacked for
 * it, and what both make of one is made once.  A loop whose number of passes another one's condition says
 * stays where anything is stacked still, as it is written down by that; else both are part of that one then.
 * needs: nodes in any state; gives: the same values, to the bit.  Each pair makes the graph anew, so where
 * that adds up to much, the pairs that are left stay.
 */
#include "merge.h"
#include "../ir/pass.h"

enum { WORK = 50000 }; /* nodes that are looked at, over all pairs */

typedef struct Join {
	Graph *g;
	Arena *a;
	const Region *r;
	LoopPass first, next; /* next walks along what first stacks */
	IdMap to_first;       /* leaves of next -> nodes of a pass of first */
	Node **own, **leaf;   /* the sequences of next that first does not walk along, and their leaves */
	uint32_t nown;
} Join;

static bool is_counted(const Node *x)
{
	return x->op == OP_SCAN && !scan_is_while(x) && !has_token(x);
}

static bool is_trace_of(const Node *x, const Node *loop)
{
	return x->op == OP_GET && x->arg[0] == loop && attr_int(x, 0) >= scan_carries(loop);
}

/* Does `next` ask for nothing of `first` but elements of what it stacks? */
static bool may_join(Arena *a, const Region *r, Node *first, const Node *next)
{
	const bool *hangs = region_hanging(a, r, (Nodes){1, &first});
	uint32_t own = 1 + scan_carries(next), end = own + scan_sequences(next);
	if (first->arg[0] != next->arg[0] || scan_way(first) != scan_way(next)) return false;
	for (uint32_t i = 0; i < next->narg; i++) {
		bool element = i >= own && i < end && is_trace_of(next->arg[i], first);
		if (!element && hangs[region_place(r, next->arg[i])]) return false;
	}
	return true;
}

static void pair_leaves(Join *j)
{
	const LoopPass *f = &j->first, *n = &j->next;
	j->own = NEW_ARRAY(j->a, Node *, n->sequences + 1);
	j->leaf = NEW_ARRAY(j->a, Node *, n->sequences + 1);
	idmap_open(&j->to_first, j->a);
	idmap_put(&j->to_first, n->o.param[0]->id, f->o.param[0]);
	for (uint32_t i = 0; i < n->sequences; i++) {
		Node *x = n->x->arg[1 + n->carries + i], *leaf = n->o.param[1 + n->carries + i], *same = NULL;
		if (is_trace_of(x, f->x)) same = f->o.result[attr_int(x, 0)];
		for (uint32_t k = 0; k < f->sequences && !same; k++)
			if (f->x->arg[1 + f->carries + k] == x) same = f->o.param[1 + f->carries + k];
		if (same) {
			idmap_put(&j->to_first, leaf->id, same);
		} else {
			j->own[j->nown] = x;
			j->leaf[j->nown++] = leaf;
		}
	}
}

static uint32_t put(Node **to, uint32_t n, Node *const *from, uint32_t count)
{
	if (count) memcpy(to + n, from, count * sizeof *to);
	return n + count;
}

/* Both as one: carried values of both, then traces of both. */
static Node *joined(Join *j)
{
	const LoopPass *f = &j->first, *n = &j->next;
	uint32_t carries = f->carries + n->carries, np = 0, nr = 0, nc = 0, ns = 0, no = 0;
	uint32_t most = 1 + carries + f->sequences + j->nown + f->o.nresult + n->o.nresult;
	Node **param = NEW_ARRAY(j->a, Node *, most), **result = NEW_ARRAY(j->a, Node *, most),
	     **first = NEW_ARRAY(j->a, Node *, most), **sequence = NEW_ARRAY(j->a, Node *, most),
	     **outside = NEW_ARRAY(j->a, Node *, captured(f->x).n + captured(n->x).n + 1),
	     **own = NEW_ARRAY(j->a, Node *, n->o.nresult + 1);
	rebuild(j->g, (Nodes){n->o.nresult, n->o.result}, &j->to_first, NULL, NULL, own);
	if (j->g->error.code) return NULL;
	np = put(param, np, f->o.param, 1 + f->carries);
	np = put(param, np, n->o.param + 1, n->carries);
	np = put(param, np, f->o.param + 1 + f->carries, f->sequences);
	np = put(param, np, j->leaf, j->nown);
	nc = put(first, nc, f->x->arg + 1, f->carries);
	nc = put(first, nc, n->x->arg + 1, n->carries);
	ns = put(sequence, ns, f->x->arg + 1 + f->carries, f->sequences);
	ns = put(sequence, ns, j->own, j->nown);
	nr = put(result, nr, f->o.result, f->carries);
	nr = put(result, nr, own, n->carries);
	nr = put(result, nr, f->o.result + f->carries, f->o.nresult - f->carries);
	nr = put(result, nr, own + n->carries, n->o.nresult - n->carries);
	no = put(outside, no, captured(f->x).v, captured(f->x).n);
	no = put(outside, no, captured(n->x).v, captured(n->x).n);
	Closure c;
	if (!body_close(j->g, scan_body(f->x)->name, (Nodes){np, param}, (Nodes){nr, result},
		    (Around){scan_steps(f->x), {no, outside}}, &c))
		return NULL;
	return scan(j->g, &c, f->x->arg[0], (Nodes){nc, first}, (Nodes){ns, sequence}, scan_way(f->x));
}

/* Where a result of either stands in both. */
static uint32_t place_of(const Join *j, bool next, uint32_t i)
{
	const LoopPass *f = &j->first, *n = &j->next;
	uint32_t carries = f->carries + n->carries;
	if (!next) return i < f->carries ? i : carries + i - f->carries;
	return i < n->carries ? f->carries + i : carries + f->o.nresult - f->carries + i - n->carries;
}

static bool join_pair(Join *j, Node *first, Node *next, uint32_t n, Node **roots)
{
	Graph *g = j->g;
	IdMap now;
	if (!may_join(j->a, j->r, first, next)) return false;
	if (!pass_open(g, j->a, first, &j->first) || !pass_open(g, j->a, next, &j->next)) return false;
	pair_leaves(j);
	Node *both = joined(j);
	idmap_open(&now, j->a);
	for (uint32_t i = 0; i < j->r->n && both && !g->error.code; i++) {
		Node *x = j->r->node[i];
		if (x->op != OP_GET || (x->arg[0] != first && x->arg[0] != next)) continue;
		uint32_t at = place_of(j, x->arg[0] == next, (uint32_t)attr_int(x, 0));
		if (both->type->u.elem[at] != x->type) return false;
		idmap_put(&now, x->id, get(g, both, at));
	}
	if (!both || g->error.code) return false;
	rebuild(g, (Nodes){n, roots}, &now, NULL, NULL, roots);
	return !g->error.code;
}

/* Is its number of passes what the condition of another one says? */
static bool says_passes(const Node *x)
{
	const Node *steps = x->arg[0];
	return steps->op == OP_GET && steps->arg[0]->op == OP_SCAN && scan_is_while(steps->arg[0]);
}

/* The loop whose trace this is, or NULL. */
static Node *traced(const Node *x)
{
	bool of_loop = x->op == OP_GET && x->arg[0]->op == OP_SCAN;
	return of_loop && is_trace_of(x, x->arg[0]) ? x->arg[0] : NULL;
}

static bool walks_along(const Node *x, uint32_t k, const Node *loop)
{
	uint32_t own = 1 + scan_carries(x);
	return k >= own && k < own + scan_sequences(x) && x->arg[0] == loop->arg[0] &&
		scan_way(x) == scan_way(loop);
}

/* A loop is open where another than a loop that is not reads what it stacks, or where it walks along anything
 * else.  Gives whether there are more of them now. */
static bool opened(const Region *r, bool *open)
{
	bool more = false;
	for (uint32_t i = r->n; i--;) /* readers before what they read */
		for (uint32_t k = 0; k < r->node[i]->narg; k++) {
			const Node *x = r->node[i], *loop = traced(x->arg[k]);
			uint32_t at = loop ? region_place(r, loop) : 0;
			if (!loop || open[at] || (!open[i] && walks_along(x, k, loop))) continue;
			more = open[at] = true;
		}
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; !open[i] && k < scan_sequences(r->node[i]); k++) {
			uint32_t at = 1 + scan_carries(r->node[i]) + k;
			const Node *x = r->node[i], *loop = traced(x->arg[at]);
			if (loop && walks_along(x, at, loop) && !open[region_place(r, loop)]) continue;
			more = open[i] = true;
		}
	return more;
}

/* By place: all but loops of as many passes as a condition says that stack for one another alone.  Such are
 * one that stacks nothing, which is part of the loop with the condition then. */
static const bool *open_loops(Arena *a, const Region *r, uint32_t n, Node *const *roots)
{
	bool *open = NEW_ARRAY(a, bool, r->n + 1);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		open[i] = !is_counted(x) || !says_passes(x) || !scan_carries(x);
	}
	for (uint32_t i = 0; i < n; i++)
		if (roots[i] && traced(roots[i])) open[region_place(r, traced(roots[i]))] = true;
	while (opened(r, open)) {}
	return open;
}

/* Any two; false: there are none, or an error.  work: of all of it, with this. */
static bool join_two(Graph *g, uint32_t n, Node **roots, uint64_t *work)
{
	Arena *a = arena_child(g->arena);
	Region *r = region_of(a, n, roots);
	bool found = false;
	const bool *open = open_loops(a, r, n, roots);
	*work += r->n;
	for (uint32_t i = 0; i < r->n && !found && !g->error.code; i++) {
		Node *x = r->node[i];
		if (!is_counted(x) || !scan_carries(x)) continue;
		for (uint32_t k = 0; k < scan_sequences(x) && !found && !g->error.code; k++) {
			Node *s = x->arg[1 + scan_carries(x) + k], *of = s->op == OP_GET ? s->arg[0] : NULL;
			if (of && is_counted(of) && scan_carries(of) && is_trace_of(s, of) &&
				(!says_passes(x) || (!open[i] && !open[region_place(r, of)])))
				found = join_pair(&(Join){.g = g, .a = a, .r = r}, of, x, n, roots);
		}
	}
	arena_free(a);
	return found;
}

bool diff_join(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	uint64_t work = 0;
	g->bodies++;
	while (join_two(g, n, roots, &work) && work < WORK) {}
	g->bodies--;
	return !g->error.code;
}
