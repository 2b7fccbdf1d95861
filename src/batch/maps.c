/* maps.c - a loop in which no pass needs another is a map: all passes together, as lanes of the loop's body.
 *
 * What a carried value grows by, and nothing else asks for, needs no other pass either: it is summed behind.
 * needs: a closed function, law `real`; gives: the function with such loops as what they map, in bodies too.
 * A loop stays one where passes at once would keep more than the passes read and give, where a pass may
 * choose (a branch computes one side, lanes both), end or tell, where something could fail without a pass,
 * and where a loop over the lanes would be left.
 */
#include "lanes.h"
#include "../ir/pass.h"

enum { FEW = 8 }; /* elements that a pass may keep in any case */

typedef struct MapLoop {
	Graph *g;
	Arena *a;
	LoopPass pass;
	Growth *growth;   /* of carried values */
	IdMap behind;     /* what of growth is kept as the sum alone: sums, and terms that are products */
	const Size *most; /* what a pass reads and gives, in elements */
} MapLoop;

/* A loop of as many passes as each of its sequences has elements, 0 or more without a call's asking. */
static bool is_plain(Graph *g, const Node *x)
{
	return passes_are_elements(g, x) && size_at_most(g, size_const(g, 0), size_of_node(g, x->arg[0]));
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
	if (x->op == OP_GATHER || x->op == OP_SLICE) return idmap_get(&m->pass.outside, x->arg[0]->id);
	for (uint32_t k = 0; x->op == OP_CONTRACT && k < 2; k++) {
		bool outside = idmap_get(&m->pass.outside, x->arg[k]->id);
		if (outside && node_rank(x) <= node_rank(x->arg[!k])) return true;
	}
	return false;
}

static bool find_growth(MapLoop *m, uint32_t i)
{
	Growth *w = &m->growth[i];
	Node *own = m->pass.o.param[1 + i];
	if (!pass_growth(m->a, &m->pass, i, w)) return false;
	for (uint32_t k = 0; k < w->n; k++) {
		Node *term = w->term[k];
		idmap_put(&m->behind, w->sum[k]->id, w->sum[k]);
		bool product = term->op == OP_CONTRACT && pass_uses_once(&m->pass, term);
		if (product) idmap_put(&m->behind, term->id, term);
	}
	idmap_put(&m->behind, own->id, own);
	return true;
}

static void allow(MapLoop *m, const Node *x)
{
	m->most = size_add(m->g, m->most, elements(m->g, x));
}

static bool open_loop(MapLoop *m, Node *x)
{
	const Opened *o = &m->pass.o;
	if (!pass_open(m->g, m->a, x, &m->pass)) return false;
	m->growth = NEW_ARRAY(m->a, Growth, m->pass.carries);
	idmap_open(&m->behind, m->a);
	m->most = size_const(m->g, FEW);
	for (uint32_t i = 0; i < m->pass.sequences; i++) allow(m, o->param[1 + m->pass.carries + i]);
	for (uint32_t i = m->pass.carries; i < o->nresult; i++) allow(m, o->result[i]);
	for (uint32_t i = 0; i < m->pass.r->n; i++)
		if (is_read(m, m->pass.r->node[i])) allow(m, m->pass.r->node[i]);
	return true;
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
	return !m->g->error.code && region_fits(m, region_above(m->a, o.nresult, o.result, &m->pass.outside));
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
	for (uint32_t i = 0; i < m->pass.r->n; i++) {
		Node *x = m->pass.r->node[i];
		bool shared = !m->pass.bound[i] && x->type->kind == TYPE_ARRAY && !node_bodies(x, b);
		if (!shared && !fits(m, x)) return false;
	}
	return true;
}

/* What no pass reaches does not fail: can it without a pass?  What has no elements then asks for none. */
static bool may_fail(const MapLoop *m, uint32_t place)
{
	const Node *x = m->pass.r->node[place];
	Body b[BODIES_MAX];
	bool element = m->pass.bound[place] && !node_bodies(x, b) && op_info[x->op].flags & (CHECKED | FAILS);
	return !element && !node_is_total(m->g, x, size_of_node(m->g, m->pass.x->arg[0]));
}

static bool needs_pass(const MapLoop *m)
{
	const Size *steps = size_of_node(m->g, m->pass.x->arg[0]);
	if (size_at_most(m->g, size_const(m->g, 1), steps)) return false;
	for (uint32_t i = 0; i < m->pass.r->n; i++)
		if (may_fail(m, i)) return true;
	return false;
}

/* Is a loop without state left among what was made of it? */
static bool leaves_loop(const MapLoop *m, uint32_t n, Node *const *y)
{
	IdMap known;
	const Node *x = m->pass.x;
	idmap_open(&known, m->a);
	for (uint32_t i = 0; i < x->narg; i++) idmap_put(&known, x->arg[i]->id, x->arg[i]);
	Region *r = region_above(m->a, n, y, &known);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_SCAN && !scan_carries(r->node[i])) return true;
	return false;
}

/* out[i]: y[i] of all passes. */
static bool all_passes(const MapLoop *m, uint32_t n, Node *const *y, Node **out)
{
	Graph *g = m->g;
	const Size *steps = size_of_node(g, m->pass.x->arg[0]);
	uint32_t nlane = m->pass.sequences;
	Node **leaf = NEW_ARRAY(m->a, Node *, 1 + nlane), **lanes = NEW_ARRAY(m->a, Node *, 1 + nlane);
	leaf[0] = m->pass.o.param[0];
	lanes[0] = iota(g, steps);
	for (uint32_t i = 0; i < nlane; i++) {
		leaf[1 + i] = m->pass.o.param[1 + m->pass.carries + i];
		lanes[1 + i] = m->pass.x->arg[1 + m->pass.carries + i];
	}
	return batch(g, &(Lanes){.n = steps, .nx = 1 + nlane, .x = leaf, .xs = lanes}, n, y, out);
}

/* Do its terms hold a number from outside?  Rules may take it out of the sum, where NaN times none is NaN. */
static bool grows_by_outside(const MapLoop *m, const Growth *w)
{
	Region *r = region_of(m->a, w->n, w->term);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		uint32_t place = region_place(m->pass.r, x);
		bool outside = place == UINT32_MAX || !m->pass.bound[place];
		Dtype d = x->type->kind == TYPE_ARRAY ? node_dtype(x) : DT_BOOL;
		bool number = dtype_is_float(d) || dtype_is_complex(d);
		if (outside && number && x->op != OP_CONST) return true;
	}
	return false;
}

/* What a carried value is after all passes, which may be none. */
static Node *grown(const MapLoop *m, uint32_t i, Node *all)
{
	Graph *g = m->g;
	Node *first = m->pass.x->arg[1 + i], *steps = m->pass.x->arg[0];
	bool has_pass = size_at_most(g, size_const(g, 1), size_of_node(g, steps));
	if (has_pass || !all || !grows_by_outside(m, &m->growth[i])) return all;
	Node *any = build2(g, OP_GT, steps, constant_int(g, steps->type, 0));
	any = any ? broadcast_to(g, any, node_rank(all), all->type->u.dim) : NULL;
	return any ? build3(g, OP_WHERE, any, all, first) : NULL;
}

/* The loop's results over those of all passes: first what the carried values grow by, then traces. */
static Node *results_of(const MapLoop *m, Node *const *all)
{
	Graph *g = m->g;
	Node **out = NEW_ARRAY(m->a, Node *, m->pass.o.nresult);
	for (uint32_t i = 0; i < m->pass.carries; i++) {
		out[i] = m->pass.x->arg[1 + i];
		for (uint32_t k = m->growth[i].n; k-- > 0 && out[i];) {
			Node *sum = fold(g, OP_SUM, all[k], 1, (int64_t[]){0});
			out[i] = sum ? build2(g, OP_ADD, out[i], sum) : NULL;
		}
		all += m->growth[i].n;
		out[i] = grown(m, i, out[i]);
	}
	for (uint32_t i = m->pass.carries; i < m->pass.o.nresult; i++) out[i] = *all++;
	for (uint32_t i = 0; i < m->pass.o.nresult; i++)
		if (!out[i] || out[i]->type != m->pass.x->type->u.elem[i]) return NULL;
	return leaves_loop(m, m->pass.o.nresult, out) ? NULL : tuple(g, m->pass.o.nresult, out);
}

/* NULL without an error: there is no such map. */
static Node *mapped(const MapLoop *m)
{
	Graph *g = m->g;
	uint32_t n = 0, most = m->pass.o.nresult;
	for (uint32_t i = 0; i < m->pass.carries; i++) most += m->growth[i].n;
	Node **y = NEW_ARRAY(m->a, Node *, most), **all = NEW_ARRAY(m->a, Node *, most);
	for (uint32_t i = 0; i < m->pass.carries; i++)
		for (uint32_t k = 0; k < m->growth[i].n; k++) y[n++] = m->growth[i].term[k];
	for (uint32_t i = m->pass.carries; i < m->pass.o.nresult; i++) y[n++] = m->pass.o.result[i];
	Trial t;
	trial_begin(g, &t);
	Node *map = all_passes(m, n, y, all) ? results_of(m, all) : NULL;
	trial_end(g, &t);
	return t.failed ? NULL : map;
}

static Node *as_map(Graph *g, Arena *a, Node *x)
{
	MapLoop m = {.g = g, .a = a};
	if (!is_plain(g, x)) return x;
	bool alone = open_loop(&m, x);
	for (uint32_t i = 0; i < m.pass.carries && alone; i++) alone = find_growth(&m, i);
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
	return function_replace(g, f, (NodeKind){1u << CONTROL, may_be_map}, as_map);
}
