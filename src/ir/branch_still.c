/* branch_still.c - what a side of a branch in a loop computes alike in each pass, before the loop.
 *
 * A side holds what it alone uses, also what was written outside of the loop around it, and would compute
 * that in each pass that takes it.  So a loop, a product or a fold in a side that hangs on nothing of the
 * pass is captured: under the same condition where that is the same in each pass, else where it cannot fail.
 */
#include "close.h"

typedef struct Still {
	Graph *g;
	Arena *a;
	Nodes bound;
	Node *condition;
	bool same;       /* the condition is, in each pass */
	Node **outside;  /* what the branch captures */
	uint32_t n, cap;
	IdMap known;     /* that, by id */
	IdMap map;       /* what is computed under the condition, by what it stands for */
	bool found;
} Still;

static bool is_number(const Node *x)
{
	bool sized = false;
	if (x->type->kind != TYPE_ARRAY || op_info[x->op].class == LEAF) return false;
	for (uint32_t i = 0; i < x->type->n; i++) sized |= size_is_of_node(DIM(x->type, i));
	Dtype d = node_dtype(x);
	return !sized && (dtype_is_float(d) || dtype_is_integer(d) || d == DT_BOOL);
}

/* Is it worth computing once, and may it be computed elsewhere?  total: can it not fail? */
static bool is_dear(const Still *s, Node *x, bool *total)
{
	Region *r = region_of(s->a, 1, &x);
	bool dear = false;
	*total = true;
	for (uint32_t i = 0; i < r->n; i++) {
		Node *y = r->node[i];
		unsigned class = op_info[y->op].class;
		if (is_effect(y) || y->op == OP_CUSTOM) return false;
		dear |= y->op == OP_SCAN || y->op == OP_TOP_K || class == FOLD || class == CUMULATIVE ||
			class == CONTRACT || class == SOLVE;
		*total = *total && node_is_total(s->g, y, NULL);
	}
	return dear;
}

static void keep_outside(Still *s, Node *x)
{
	if (idmap_get(&s->known, x->id)) return;
	idmap_put(&s->known, x->id, x);
	GROW(s->a, s->outside, s->n, s->cap);
	s->outside[s->n++] = x;
}

/* x where the side is taken, else zeros. */
static bool under_condition(Still *s, unsigned side, Node *x)
{
	Graph *g = s->g;
	Node *value = cast(g, x, dtype_strong(node_dtype(x)));
	Node *zero = value ? constant_int(g, value->type, 0) : NULL;
	if (!zero) return false;
	Node *y = side ? branch(g, s->condition, 1, &zero, &value, (Nodes){0})
		       : branch(g, s->condition, 1, &value, &zero, (Nodes){0});
	y = get(g, y, 0);
	if (!y) return false;
	keep_outside(s, y);
	idmap_put(&s->map, x->id, cast(g, y, node_dtype(x)));
	return true;
}

/* x hangs on nothing of the pass, and what uses it does. */
static bool take_out(Still *s, unsigned side, Node *x)
{
	bool total;
	if (!is_number(x) || idmap_get(&s->known, x->id)) return true;
	if (idmap_get(&s->map, x->id)) { /* the other side asks for it, too: it is wanted anyway */
		idmap_put(&s->map, x->id, x);
		keep_outside(s, x);
		return true;
	}
	const Node *of = x->op == OP_GET ? x->arg[0] : x;
	/* already, as its other side asks for nothing that could fail */
	bool under = of->op == OP_IF && of->arg[0] == s->condition && side_is_total(s->g, of, !side);
	if (!under && (!is_dear(s, x, &total) || !(s->same || total))) return true;
	s->found = true;
	if (s->same && !under) return under_condition(s, side, x);
	keep_outside(s, x);
	return true;
}

static bool search_side(Still *s, unsigned side, Nodes result)
{
	Region *r = region_of(s->a, result.n, result.v);
	bool *hangs = region_hanging(s->a, r, s->bound), *ends = NEW_ARRAY(s->a, bool, r->n);
	bool *own = NEW_ARRAY(s->a, bool, r->n); /* not below what is captured alone */
	for (uint32_t i = 0; i < result.n; i++) {
		uint32_t at = region_place(r, result.v[i]);
		ends[at] = own[at] = true;
	}
	for (uint32_t i = r->n; i-- > 0;) {
		const Node *x = r->node[i];
		if (!own[i] || idmap_get(&s->known, x->id)) continue;
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t at = region_place(r, x->arg[k]);
			own[at] = true;
			ends[at] |= hangs[i];
		}
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (ends[i] && own[i] && !hangs[i] && !take_out(s, side, r->node[i])) return false;
	return true;
}

/* The branch x, whose condition is the same in each pass or not; NULL with an error. */
static Node *without_still_parts(Graph *g, Arena *a, Node *x, Nodes bound, bool same)
{
	Body b[BODIES_MAX];
	Opened o[BODIES_MAX];
	Still s = {.g = g, .a = a, .bound = bound, .condition = x->arg[0], .same = same};
	node_bodies(x, b);
	idmap_open(&s.known, a);
	idmap_open(&s.map, a);
	for (uint32_t i = 0; i < captured(x).n; i++) {
		keep_outside(&s, captured(x).v[i]);
		idmap_put(&s.map, captured(x).v[i]->id, captured(x).v[i]);
	}
	for (uint32_t k = 0; k < 2; k++) {
		o[k] = body_open(g, a, x, &b[k]);
		if (g->error.code || !search_side(&s, k, (Nodes){o[k].nresult, o[k].result})) return NULL;
	}
	if (!s.found) return x;
	for (uint32_t k = 0; k < 2; k++)
		rebuild(g, (Nodes){o[k].nresult, o[k].result}, &s.map, NULL, NULL, o[k].result);
	if (g->error.code) return NULL;
	return branch(g, x->arg[0], x->type->n, o[0].result, o[1].result, (Nodes){s.n, s.outside});
}

Node *const *still_before(Graph *g, Arena *a, Nodes results, Nodes bound)
{
	Region *r = region_of(a, results.n, results.v);
	bool *hangs = region_hanging(a, r, bound), changed = false;
	Node **out = NEW_ARRAY(a, Node *, results.n + 1);
	IdMap map;
	idmap_open(&map, a);
	g->bodies++;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		if (x->op != OP_IF || !hangs[i]) continue;
		Node *y = without_still_parts(g, a, x, bound, !hangs[region_place(r, x->arg[0])]);
		if (!y || y == x) continue;
		rebuild(g, (Nodes){1, &y}, &map, NULL, NULL, &y);
		if (y) idmap_put(&map, x->id, y);
		changed = true;
	}
	if (changed && !g->error.code) rebuild(g, results, &map, NULL, NULL, out);
	g->bodies--;
	if (g->error.code) return NULL;
	return changed ? out : results.v;
}
