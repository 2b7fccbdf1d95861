/* merge_find.c - the loops that may become one: those of a region, in the order in which they are looked at,
 * which of them begin alike, and what hangs on one; and whether a function holds what nobody reads.
 *
 * needs: a region; gives: its loops, kin by kin, none before what it begins with
 */
#include "merge.h"

#include <stdlib.h>

bool is_counted(const Node *x)
{
	return x->op == OP_SCAN && !scan_is_while(x) && !has_token(x);
}

void loop_is(Merge *m, OpenLoop *l, Node *x)
{
	if (l->x == x) return;
	l->x = x;
	GROW(m->a, l->was, l->nwas, l->was_cap);
	l->was[l->nwas++] = x;
	idmap_put(&m->loops, x->id, l);
}

static bool is_kin(const void *item, const void *key)
{
	const Kin *a = item, *b = key;
	return a->level == b->level && states(a->x) == states(b->x) && scan_way(a->x) == scan_way(b->x);
}

static Kin *kin_of(Merge *m, Table *kin, const Node *x, uint32_t level)
{
	Kin like = {.level = level, .x = x, .number = kin->count};
	uint32_t h = hash_mix(hash_mix(level, states(x)), scan_way(x));
	Kin *k = table_find(kin, h, &like, is_kin);
	if (k) return k;
	k = NEW(m->a, Kin);
	*k = like;
	table_add(kin, h, k);
	return k;
}

/* Of a loop's operands, those that its carried values come from: steps, first values, and what the next
 * ones are made of. */
static unsigned char *comes_from(Merge *m, const Node *x)
{
	const Function *f = scan_body(x);
	unsigned char *from = NEW_ARRAY(m->a, unsigned char, x->narg);
	Arena *a = arena_child(m->a);
	Region *r = region_of(a, states(x), f->result);
	memset(from, 1, 1 + states(x));
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_PARAM) from[attr_int(r->node[i], 0)] = 1;
	arena_free(a);
	return from;
}

/* The greatest number of what the node at this place begins with: of a loop, what its carried values come
 * from. */
static uint32_t greatest(const Merge *m, uint32_t place, const uint32_t *number)
{
	const Node *x = m->r->node[place];
	const OpenLoop *l = idmap_get(&m->loops, x->id);
	uint32_t most = 0;
	for (uint32_t k = 0; k < x->narg; k++) {
		if (l && !l->from[k]) continue;
		uint32_t one = number[region_place(m->r, x->arg[k])];
		most = one > most ? one : most;
	}
	return most;
}

/* Loops that walk alike, once those below are merged, have as many loops one below the other in what they
 * begin with: that is their level.  So of equal layers, one upon another, each has kin of its own. */
static void find_kin(Merge *m)
{
	Table kin;
	uint32_t *level = NEW_ARRAY(m->a, uint32_t, m->r->n + 1);
	table_open(&kin, m->a);
	for (uint32_t i = 0; i < m->r->n; i++) {
		OpenLoop *l = idmap_get(&m->loops, m->r->node[i]->id);
		level[i] = greatest(m, i, level) + (l != NULL);
		if (l) l->kin = kin_of(m, &kin, l->x, level[i]);
	}
	uint32_t *turn = NEW_ARRAY(m->a, uint32_t, m->r->n + 1);
	for (bool later = true; later;) {
		later = false;
		for (uint32_t i = 0; i < m->r->n; i++) {
			OpenLoop *l = idmap_get(&m->loops, m->r->node[i]->id);
			turn[i] = greatest(m, i, turn);
			if (!l) continue;
			turn[i] = turn[i] > i ? turn[i] : i;
			later |= turn[i] > l->kin->turn;
			turn[i] = l->kin->turn = turn[i] > l->kin->turn ? turn[i] : l->kin->turn;
		}
	}
}

static int in_turn(const void *a, const void *b)
{
	const OpenLoop *l = *(OpenLoop *const *)a, *k = *(OpenLoop *const *)b;
	const uint32_t x[] = {l->kin->turn, l->kin->level, l->kin->number, l->place},
		       y[] = {k->kin->turn, k->kin->level, k->kin->number, k->place};
	for (uint32_t i = 0; i < countof(x); i++)
		if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
	return 0;
}

void find_loops(Merge *m, uint32_t nroot, Node *const *roots)
{
	uint32_t cap = 0;
	for (uint32_t i = 0; i < m->r->n; i++) {
		Node *x = m->r->node[i];
		if (x->op == OP_SCAN) {
			OpenLoop *l = NEW(m->a, OpenLoop);
			loop_is(m, l, x);
			l->from = comes_from(m, x);
			l->place = i;
			l->read = NEW_ARRAY(m->a, unsigned char, x->type->n + 1);
			GROW(m->a, m->loop, m->n, cap);
			m->loop[m->n++] = l;
		}
		for (uint32_t k = 0; k < x->narg; k++) {
			OpenLoop *l = idmap_get(&m->loops, x->arg[k]->id);
			if (l && x->op == OP_GET)
				l->read[attr_int(x, 0)] = 1;
			else if (l)
				memset(l->read, 1, l->x->type->n);
		}
	}
	for (uint32_t i = 0; i < nroot; i++) {
		OpenLoop *l = roots[i] ? idmap_get(&m->loops, roots[i]->id) : NULL;
		if (l) memset(l->read, 1, l->x->type->n);
	}
	find_kin(m);
	if (m->n) qsort(m->loop, m->n, sizeof *m->loop, in_turn);
}

bool begin_alike(const Node *a, const Node *b)
{
	return states(a) == states(b) && scan_way(a) == scan_way(b) && a->arg[0] == b->arg[0] &&
		!memcmp(a->arg + 1, b->arg + 1, states(a) * sizeof *a->arg);
}

/* Of loops that begin alike the one met last. */
typedef struct Latest {
	OpenLoop *loop;
} Latest;

static bool begins_so(const void *item, const void *key)
{
	return begin_alike(((const Latest *)item)->loop->x, key);
}

uint32_t beginning(const Node *x)
{
	uint32_t h = hash_mix(states(x), scan_way(x));
	for (uint32_t i = 0; i <= states(x); i++) h = hash_mix(h, x->arg[i]->id);
	return h;
}

void find_alike(Merge *m, uint32_t first, uint32_t end)
{
	Table last;
	Arena *scratch = arena_child(m->a);
	table_open(&last, scratch);
	for (uint32_t i = end; i-- > first;) {
		OpenLoop *l = m->loop[i];
		if (l->done) continue;
		uint32_t h = beginning(l->x);
		Latest *latest = table_find(&last, h, l->x, begins_so);
		l->alike = latest ? latest->loop : NULL;
		if (!latest) {
			latest = NEW(scratch, Latest);
			table_add(&last, h, latest);
		}
		latest->loop = l;
	}
	arena_free(scratch);
}

bool asks_for(Arena *a, Nodes of, const Node *loop)
{
	Arena *scratch = arena_child(a);
	IdMap seen;
	List stack = {0};
	bool found = false;
	idmap_open(&seen, scratch);
	list_put(scratch, &stack, of.n, of.v);
	while (stack.n && !found) {
		Node *y = stack.v[--stack.n];
		found = y == loop;
		if (y->id <= loop->id || idmap_get(&seen, y->id)) continue;
		idmap_put(&seen, y->id, y);
		list_put(scratch, &stack, y->narg, y->arg);
	}
	arena_free(scratch);
	return found;
}

/* ---- what nobody reads ---------------------------------------------------------------------- */

static uint32_t unstacked(const Node *x)
{
	return x->op == OP_SCAN ? scan_carries(x) : 0;
}

/* Of the results of a branch, of what a loop stacks: how many are there to be read? */
static uint32_t readable(const Node *x)
{
	if (x->type->kind != TYPE_TUPLE || !node_holds_bodies(x) || call_is_kept(x)) return 0;
	return x->type->n - unstacked(x);
}

static bool is_read_there(const Node *x)
{
	const Node *of = x->arg[0];
	return readable(of) && attr_int(x, 0) >= unstacked(of);
}

static bool holds_unread(Graph *g, Arena *a, IdMap *asked, Function *f)
{
	Region *r = function_region(g, f);
	if (idmap_get(asked, f->id) || !(r->classes & 1u << CONTROL)) return false;
	idmap_put(asked, f->id, f);
	uint32_t *reads = NEW_ARRAY(a, uint32_t, r->n);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_GET && is_read_there(r->node[i]))
			reads[region_place(r, r->node[i]->arg[0])]++;
	for (uint32_t i = 0; i < r->n; i++) {
		Body b[BODIES_MAX];
		if (reads[i] < readable(r->node[i])) return true;
		for (uint32_t k = 0, n = node_bodies(r->node[i], b); k < n; k++)
			if (holds_unread(g, a, asked, b[k].f)) return true;
	}
	return false;
}

bool diff_holds_unread(Graph *g, Function *f)
{
	Arena *a = arena_child(g->arena);
	IdMap asked;
	idmap_open(&asked, a);
	bool any = holds_unread(g, a, &asked, f);
	arena_free(a);
	return any;
}
