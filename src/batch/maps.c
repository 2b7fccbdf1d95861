/* maps.c - a loop in which no pass needs another is a map: all passes together, as lanes of the loop's body.
 *
 * What a carried value grows by, and nothing else asks for, needs no other pass either: it is summed behind.
 * needs: a closed function, law `real`; gives: the function with such loops as what they map, in bodies too.
 * A loop stays one where passes at once would keep more than the passes read and give, where a pass may
 * choose (a branch computes one side, lanes both), end or tell, where something could fail without a pass,
 * and where a loop over the lanes would be left.
 */
#include "lanes.h"

enum { FEW = 8 }; /* elements that a pass may keep in any case */

/* What a carried value grows by in a pass: terms. */
typedef struct Increase { uint32_t n, cap; Node **term; } Increase;

typedef struct MapLoop {
	Graph *g;
	Arena *a;
	Node *x;
	uint32_t carries;
	Opened o;
	Region *r;        /* of a pass, above what is outside of the loop */
	uint32_t *used;   /* by place: how often */
	bool *lane;       /* by place: does it hang on what the loop binds? */
	IdMap outside;
	Increase *growth; /* of carried values */
	IdMap behind;     /* what of growth is kept as the sum alone: sums, and terms that are products */
	const Size *most; /* what a pass reads and gives, in elements */
} MapLoop;

/* A loop of as many passes as each of its sequences has elements, 0 or more without a call's asking. */
static bool is_plain(Graph *g, const Node *x)
{
	const Size *steps = size_of_node(g, x->arg[0]);
	for (uint32_t i = 0; i < scan_sequences(x); i++)
		if (node_dim(x->arg[1 + scan_carries(x) + i], 0) != steps) return false;
	return size_at_most(g, size_const(g, 0), steps);
}

static const Size *elements(Graph *g, const Node *x)
{
	const Size *sum = size_const(g, 0);
	if (x->type->kind == TYPE_ARRAY) return type_elements(g, x->type);
	for (uint32_t i = 0; x->type->kind == TYPE_TUPLE && i < x->type->n; i++)
		sum = size_add(g, sum, type_elements(g, x->type->u.elem[i]));
	return sum;
}

/* What is read of an array outside; a product of a pass with such an array, of no more axes than it had. */
static bool is_read(const MapLoop *m, const Node *x)
{
	if (x->op == OP_GATHER || x->op == OP_SLICE) return idmap_get(&m->outside, x->arg[0]->id);
	for (uint32_t k = 0; x->op == OP_CONTRACT && k < 2; k++) {
		bool outside = idmap_get(&m->outside, x->arg[k]->id);
		if (outside && node_rank(x) <= node_rank(x->arg[!k])) return true;
	}
	return false;
}

static void use(MapLoop *m, const Node *x)
{
	uint32_t place = region_place(m->r, x);
	if (place != UINT32_MAX) m->used[place]++;
}

static bool used_once(const MapLoop *m, const Node *x)
{
	uint32_t place = region_place(m->r, x);
	return place != UINT32_MAX && m->used[place] == 1;
}

/* x is the carried value and terms, each sum of which only the next asks for. */
static bool find_growth(MapLoop *m, uint32_t i)
{
	Increase *w = &m->growth[i];
	const Node *own = m->o.param[1 + i];
	Node *x = m->o.result[i];
	if (x->type->kind != TYPE_ARRAY) return false;
	while (x != own) {
		if (x->op != OP_ADD || !used_once(m, x)) return false;
		idmap_put(&m->behind, x->id, x);
		bool left = x->arg[0] == own || (x->arg[0]->op == OP_ADD && x->arg[1] != own);
		GROW(m->a, w->term, w->n, w->cap);
		w->term[w->n++] = x->arg[left];
		x = x->arg[!left];
	}
	for (uint32_t k = 0; k < w->n; k++)
		if (w->term[k]->op == OP_CONTRACT && used_once(m, w->term[k]))
			idmap_put(&m->behind, w->term[k]->id, w->term[k]);
	idmap_put(&m->behind, own->id, m->o.param[1 + i]);
	return used_once(m, own);
}

static void survey(MapLoop *m)
{
	m->r = region_above(m->a, m->o.nresult, m->o.result, &m->outside);
	m->used = NEW_ARRAY(m->a, uint32_t, m->r->n);
	m->lane = NEW_ARRAY(m->a, bool, m->r->n);
	for (uint32_t i = 0; i < 1 + scan_carries(m->x) + scan_sequences(m->x); i++) {
		uint32_t place = region_place(m->r, m->o.param[i]);
		if (place != UINT32_MAX) m->lane[place] = true;
	}
	for (uint32_t i = 0; i < m->r->n; i++)
		for (uint32_t k = 0; k < m->r->node[i]->narg; k++) {
			uint32_t place = region_place(m->r, m->r->node[i]->arg[k]);
			m->lane[i] |= place != UINT32_MAX && m->lane[place];
			use(m, m->r->node[i]->arg[k]);
		}
	for (uint32_t i = 0; i < m->o.nresult; i++) use(m, m->o.result[i]);
}

static void allow(MapLoop *m, const Node *x)
{
	m->most = size_add(m->g, m->most, elements(m->g, x));
}

static void open_pass(MapLoop *m)
{
	Graph *g = m->g;
	Nodes o = captured(m->x);
	idmap_open(&m->outside, m->a);
	for (uint32_t i = 0; i < o.n; i++) idmap_put(&m->outside, o.v[i]->id, o.v[i]);
	m->o = scan_open(g, m->a, m->x);
	if (g->error.code) return;
	survey(m);
	m->carries = scan_carries(m->x);
	m->growth = NEW_ARRAY(m->a, Increase, m->carries);
	idmap_open(&m->behind, m->a);
	m->most = size_const(g, FEW);
	for (uint32_t i = 0; i < scan_sequences(m->x); i++) allow(m, m->o.param[1 + m->carries + i]);
	for (uint32_t i = m->carries; i < m->o.nresult; i++) allow(m, m->o.result[i]);
	for (uint32_t i = 0; i < m->r->n; i++)
		if (is_read(m, m->r->node[i])) allow(m, m->r->node[i]);
}

static bool region_fits(const MapLoop *m, const Region *r);

/* Would all passes at once keep no more of it than is theirs anyway, and do what each of them does? */
static bool fits(const MapLoop *m, Node *x)
{
	Body b[BODIES_MAX];
	if (idmap_get(&m->behind, x->id)) return true;
	bool values = x->type->kind == TYPE_ARRAY || x->type->kind == TYPE_TUPLE;
	bool ends = x->op == OP_SCAN && scan_is_while(x);
	if (!values || ends || x->op == OP_IF || is_checkpoint(x)) return false;
	for (uint32_t i = 0; x->type->kind == TYPE_TUPLE && i < x->type->n; i++)
		if (x->type->u.elem[i]->kind != TYPE_ARRAY) return false;
	if (!size_at_most(m->g, elements(m->g, x), m->most)) return false;
	if (!node_bodies(x, b)) return true;
	Opened o = body_open(m->g, m->a, x, b);
	return !m->g->error.code && region_fits(m, region_above(m->a, o.nresult, o.result, &m->outside));
}

static bool region_fits(const MapLoop *m, const Region *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!fits(m, r->node[i])) return false;
	return true;
}

/* What hangs on nothing that the loop binds is kept once. */
static bool pass_fits(const MapLoop *m)
{
	Body b[BODIES_MAX];
	for (uint32_t i = 0; i < m->r->n; i++) {
		Node *x = m->r->node[i];
		bool shared = !m->lane[i] && x->type->kind == TYPE_ARRAY && !node_bodies(x, b);
		if (!shared && !fits(m, x)) return false;
	}
	return true;
}

/* What no pass reaches does not fail: can it without a pass?  What has no elements then asks for none. */
static bool may_fail(const MapLoop *m, uint32_t place)
{
	const Node *x = m->r->node[place];
	Body b[BODIES_MAX];
	bool element = m->lane[place] && !node_bodies(x, b) && op_info[x->op].flags & (CHECKED | FAILS);
	return !element && !node_is_total(m->g, x, size_of_node(m->g, m->x->arg[0]));
}

static bool needs_pass(const MapLoop *m)
{
	const Size *steps = size_of_node(m->g, m->x->arg[0]);
	if (size_at_most(m->g, size_const(m->g, 1), steps)) return false;
	for (uint32_t i = 0; i < m->r->n; i++)
		if (may_fail(m, i)) return true;
	return false;
}

/* Is a loop without state left among what was made of it? */
static bool leaves_loop(const MapLoop *m, uint32_t n, Node *const *y)
{
	IdMap known;
	idmap_open(&known, m->a);
	for (uint32_t i = 0; i < m->x->narg; i++) idmap_put(&known, m->x->arg[i]->id, m->x->arg[i]);
	Region *r = region_above(m->a, n, y, &known);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_SCAN && !scan_carries(r->node[i])) return true;
	return false;
}

/* out[i]: y[i] of all passes. */
static bool all_passes(const MapLoop *m, uint32_t n, Node *const *y, Node **out)
{
	Graph *g = m->g;
	const Size *steps = size_of_node(g, m->x->arg[0]);
	uint32_t nlane = scan_sequences(m->x);
	Node **leaf = NEW_ARRAY(m->a, Node *, 1 + nlane), **lanes = NEW_ARRAY(m->a, Node *, 1 + nlane);
	leaf[0] = m->o.param[0];
	lanes[0] = iota(g, steps);
	for (uint32_t i = 0; i < nlane; i++) {
		leaf[1 + i] = m->o.param[1 + m->carries + i];
		lanes[1 + i] = m->x->arg[1 + m->carries + i];
	}
	return batch(g, &(Lanes){steps, 1 + nlane, leaf, lanes}, n, y, out);
}

/* The loop's results over those of all passes: first what the carried values grow by, then traces. */
static Node *results_of(const MapLoop *m, Node *const *all)
{
	Graph *g = m->g;
	Node **out = NEW_ARRAY(m->a, Node *, m->o.nresult);
	for (uint32_t i = 0; i < m->carries; i++) {
		out[i] = m->x->arg[1 + i];
		for (uint32_t k = m->growth[i].n; k-- > 0 && out[i];) {
			Node *sum = fold(g, OP_SUM, all[k], 1, (int64_t[]){0});
			out[i] = sum ? build2(g, OP_ADD, out[i], sum) : NULL;
		}
		all += m->growth[i].n;
	}
	for (uint32_t i = m->carries; i < m->o.nresult; i++) out[i] = *all++;
	for (uint32_t i = 0; i < m->o.nresult; i++)
		if (!out[i] || out[i]->type != m->x->type->u.elem[i]) return NULL;
	return leaves_loop(m, m->o.nresult, out) ? NULL : tuple(g, m->o.nresult, out);
}

/* NULL without an error: there is no such map. */
static Node *mapped(const MapLoop *m)
{
	Graph *g = m->g;
	uint32_t n = 0, most = m->o.nresult;
	for (uint32_t i = 0; i < m->carries; i++) most += m->growth[i].n;
	Node **y = NEW_ARRAY(m->a, Node *, most), **all = NEW_ARRAY(m->a, Node *, most);
	for (uint32_t i = 0; i < m->carries; i++)
		for (uint32_t k = 0; k < m->growth[i].n; k++) y[n++] = m->growth[i].term[k];
	for (uint32_t i = m->carries; i < m->o.nresult; i++) y[n++] = m->o.result[i];
	Trial t;
	trial_begin(g, &t);
	Node *map = all_passes(m, n, y, all) ? results_of(m, all) : NULL;
	trial_end(g, &t);
	return t.failed ? NULL : map;
}

static Node *as_map(Graph *g, Arena *a, Node *x)
{
	MapLoop m = {.g = g, .a = a, .x = x};
	if (!is_plain(g, x)) return x;
	open_pass(&m);
	bool alone = !g->error.code;
	for (uint32_t i = 0; i < m.carries && alone; i++) alone = find_growth(&m, i);
	Node *map = alone && !needs_pass(&m) && pass_fits(&m) ? mapped(&m) : NULL;
	if (g->error.code) return NULL;
	return map ? map : x;
}

/* Does no carried value of the closed body look as if it did more than grow? */
static bool may_be_map(const Node *x)
{
	if (x->op != OP_SCAN || scan_is_while(x)) return false;
	for (uint32_t i = 0; i < scan_carries(x); i++)
		if (scan_body(x)->result[i]->op != OP_ADD) return false;
	return true;
}

Function *loops_as_maps(Graph *g, Function *f)
{
	return function_replace(g, f, may_be_map, as_map);
}
