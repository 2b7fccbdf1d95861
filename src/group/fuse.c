/* fuse.c - deciding what is stored and what is computed in passing.
 *
 * needs: a region in place order, without calls
 * gives: roots; for every other node its home, the one root whose kernel
 *        computes it, or none where several cheap copies are better
 * keeps: the graph
 *
 * A fold joins the kernel of its only home where both walk the same rows
 * (softmax, norms), or as what the home's elementwise end works on.
 */
#include "group.h"

enum { WEIGHT_MAX = 80, LOADS_MAX = 9, COST_MAX = 1000 };

static Node *const MANY = (Node *)1;

static bool is_core(const Groups *gr, const Node *x)
{
	switch (op_info[x->op].class) {
	case CUMULATIVE:
	case SOLVE: return true;
	case CONTRACT: return !gr->few[region_place(gr->r, x)];
	case INDEX: return x->op != OP_GATHER && x->op != OP_ONE_HOT;
	case CONTROL: return x->op == OP_CUSTOM || x->op == OP_ORDER || node_holds_bodies(x);
	default: return false;
	}
}

/* Nodes that lie in memory without a kernel of their own, or that cost nothing to form anew. */
static bool is_leaf(const Node *x)
{
	return op_info[x->op].class == LEAF || x->op == OP_GET || x->op == OP_TUPLE || x->op == OP_KEY;
}

/* It is read from memory.  A reshape lies where its operand does, so that the operand is what is stored. */
static void demand(Groups *gr, const Node *x)
{
	while (x->op == OP_RESHAPE) x = x->arg[0];
	if (!is_leaf(x) || x->op == OP_IOTA || x->op == OP_KEY) gr->forced[region_place(gr->r, x)] = 1;
}

static void demand_size(void *user, const Atom *a)
{
	Groups *gr = user;
	if (a->kind == ATOM_NODE && region_place(gr->r, a->node) != UINT32_MAX) demand(gr, a->node);
}

/* The body of a loop or branch may take a whole number that it captures for a size, which is then computed
 * around it from what that number is made of. */
static void demand_sizes_within(Groups *gr, const Node *x)
{
	Nodes o = captured(x);
	for (uint32_t k = 0; k < o.n; k++) {
		if (node_is_scalar(o.v[k]) && node_dtype(o.v[k]) == DT_I64)
			size_atoms(size_of_node(gr->g, o.v[k]), demand_size, gr);
	}
}

/* Transposes are read by strides: they need no memory of their own. */
static void demand_factors(Groups *gr, const Node *x)
{
	for (uint32_t k = 0; k < 2; k++) {
		const Node *y = x->arg[k];
		while (y->op == OP_TRANSPOSE) y = y->arg[0];
		demand(gr, y);
	}
}

static const Node *below_views(const Node *x)
{
	while (op_info[x->op].class == VIEW) x = x->arg[0];
	return x;
}

/* Spread along its last axes an operand is computed once a row; else it would be once an element. */
static bool spreads_rows(const Node *x)
{
	return x->op == OP_EXPAND && attr_int(x, 0) != node_rank(x) - attr_count(x) / 2;
}

/* What would be computed again for each row, or drawn anew. */
static void demand_spread(Groups *gr, const Node *x)
{
	const Node *y = below_views(x->arg[0]);
	Class class = op_info[y->op].class;
	bool again = spreads_rows(x) && ((class == MAP && op_info[y->op].cost > 1) || class == CONTRACT);
	if (again || class == RANDOM) demand(gr, y);
}

/* What a product that is written out would compute again is stored. */
static void demand_repeated(Groups *gr, const Node *x)
{
	for (uint32_t k = 0; k < 2; k++) {
		const Node *y = below_views(x->arg[k]);
		if (product_repeats(x, k) || op_info[y->op].class == RANDOM) demand(gr, y);
	}
}

/* What the structure alone asks for. */
static void demand_operands(Groups *gr, const Node *x)
{
	int axis[RANK_MAX];
	const Size *factor[RANK_MAX];
	for (uint32_t k = node_operands(x); k < x->narg; k++) demand(gr, x->arg[k]);
	if (x->op == OP_SCAN) size_atoms(size_of_node(gr->g, x->arg[0]), demand_size, gr);
	if (node_holds_bodies(x)) demand_sizes_within(gr, x);
	if (x->op == OP_CONTRACT && !is_core(gr, x))
		demand_repeated(gr, x);
	else if (x->op == OP_CONTRACT)
		demand_factors(gr, x);
	else if (is_core(gr, x))
		for (uint32_t k = 0; k < x->narg; k++) demand(gr, x->arg[k]);
	else if (x->op == OP_RESHAPE && !reshape_splits(gr->g, x, axis, factor))
		demand(gr, x->arg[0]);
	else if (x->op == OP_EXPAND)
		demand_spread(gr, x);
}

/* ---- indices that may be outside ------------------------------------------------------------
 *
 * What is computed in passing is computed only where it is read; but each element of an index whose result is
 * used must be checked, as the evaluator does.  So what such an index picks is stored before a part of it is
 * read.  One element by a number or a size is asked for with the sizes. */

/* by an index of all elements; by each element's */
typedef enum Checks { CHECKS_NONE, CHECKS_ONE, CHECKS_MANY } Checks;

/* Has x an element wherever its operand (of this type) has one, by what is proved? */
static bool stays_occupied(Graph *g, const Node *x, const Type *from)
{
	for (uint32_t i = 0; i < x->type->n; i++) {
		bool kept = false;
		for (uint32_t k = 0; k < from->n && !kept; k++) kept = DIM(from, k) == DIM(x->type, i);
		if (!kept && !size_holds(g, size_const(g, 1), DIM(x->type, i), false)) return false;
	}
	return true;
}

/* Does x read all of operand k that must be checked? */
static bool reads_checked(Graph *g, const Node *x, uint32_t k, Checks checks)
{
	if (op_info[x->op].class == RANDOM) return stays_occupied(g, x, x->arg[k]->type);
	switch (x->op) {
	case OP_SLICE: return checks == CHECKS_ONE && stays_occupied(g, x, x->arg[0]->type);
	case OP_GATHER:
		return (k || checks == CHECKS_ONE) && stays_occupied(g, x, x->arg[k]->type);
	case OP_EXPAND:
	case OP_CONTRACT:
	case OP_ONE_HOT: return stays_occupied(g, x, x->arg[k]->type);
	default: return true;
	}
}

static bool spreads_over_none(Graph *g, const Node *x)
{
	for (uint32_t k = 1; x->op == OP_EXPAND && k < attr_count(x); k += 2)
		if (!size_holds(g, size_const(g, 1), x->attr->v[k].u.size, false)) return true;
	return false;
}

static Checks checks_itself(Graph *g, const Node *x)
{
	if (x->op != OP_GATHER || index_is_asked(x) ||
		index_holds(g, x->arg[1], node_dim(x->arg[0], (uint32_t)attr_int(x, 0))))
		return CHECKS_NONE;
	return node_is_scalar(x->arg[1]) ? CHECKS_ONE : CHECKS_MANY;
}

/* Of a node, as far as it is computed in passing. */
typedef struct Passing {
	Checks checks;
	/* along an axis that may be empty: its operand may be read where there is nothing of the result */
	bool spreads;
} Passing;

static void demand_checked(Groups *gr, Passing *passing)
{
	for (uint32_t i = 0; i < gr->r->n; i++) {
		Node *x = gr->r->node[i];
		if (is_core(gr, x) || (is_leaf(x) && x->op != OP_KEY)) continue;
		Passing *p = &passing[i];
		p->checks = checks_itself(gr->g, x);
		p->spreads = spreads_over_none(gr->g, x);
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t at = region_place(gr->r, x->arg[k]);
			Passing inner = gr->forced[at] ? (Passing){0} : passing[at];
			bool all = !inner.checks || reads_checked(gr->g, x, k, inner.checks);
			if (!all || (inner.spreads && !k && checks_itself(gr->g, x))) {
				demand(gr, x->arg[k]);
				continue;
			}
			p->spreads |= inner.spreads;
			if (inner.checks > p->checks) p->checks = inner.checks;
		}
	}
}

static bool same_rows(const Node *a, const Node *b)
{
	const Type *s = a->arg[0]->type, *t = b->arg[0]->type;
	if (a->attr != b->attr || s->n != t->n) return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (DIM(s, i) != DIM(t, i)) return false;
	return true;
}

static bool same_shape(const Type *a, const Type *b)
{
	if (a->kind != TYPE_ARRAY || b->kind != TYPE_ARRAY || a->n != b->n) return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (DIM(a, i) != DIM(b, i)) return false;
	return true;
}

enum { ROW_SHORT = 64 };

/* Is one row all that there is?  A long one is better shared by threads in each of its walks. */
static bool is_long_alone(Graph *g, const Node *x)
{
	int64_t n;
	return !node_rank(x) && !(size_is(type_elements(g, x->arg[0]->type), &n) && n <= ROW_SHORT);
}

/* May fold x be computed inside the kernel of root h? */
static bool fold_joins(Groups *gr, const Node *x, Node *h)
{
	uint32_t place = region_place(gr->r, h);
	Class class = op_info[h->op].class;
	if (class != MAP && class != FOLD && class != VIEW) return false;
	if (h->op == OP_PAD || h->op == OP_CONCAT) return false;
	const Node *rows = class == FOLD ? h : gr->rows[place];
	if (rows && !same_rows(x, rows)) return false;
	if (class == FOLD) return fold_takes_last(x);
	bool kept = !is_long_alone(gr->g, x), whole = same_shape(h->type, x->arg[0]->type);
	return same_shape(h->type, x->type) || (whole && kept && fold_takes_last(x));
}

/* ---- deciding ------------------------------------------------------------------------------- */

/* What a node brings into the kernel that computes it in passing, by place. */
typedef struct Burden {
	uint32_t weight; /* nodes */
	uint32_t loads;  /* arrays that are read */
	uint32_t cost;   /* of one element, formed anew */
} Burden;

/* What a function gave that is called often is stored where more than one reads it: what it is made of would
 * grow from call to call else, and no call be planned as the one before. */
static void store_given(Groups *gr)
{
	unsigned char *users = NEW_ARRAY(gr->arena, unsigned char, gr->r->n);
	for (uint32_t i = 0; i < gr->r->n; i++) {
		const Node *x = gr->r->node[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t at = region_place(gr->r, x->arg[k]);
			users[at] += users[at] < 2;
			bool given = x->arg[k]->type->kind == TYPE_ARRAY &&
				idmap_get(&gr->g->given, x->arg[k]->id);
			if (users[at] == 2 && given) demand(gr, x->arg[k]);
		}
	}
}

/* What ends a kernel whoever reads it. */
static bool must_be_stored(const Groups *gr, uint32_t i)
{
	const Node *x = gr->r->node[i];
	return gr->forced[i] || is_core(gr, x) || x->op == OP_PAD || x->op == OP_CONCAT;
}

static Burden burden_alone(const Node *x)
{
	return (Burden){.weight = 1, .loads = is_leaf(x) && x->op != OP_CONST, .cost = op_info[x->op].cost};
}

/* An operand that is stored is one load; another brings all that it is made of.  A fold's terms are another
 * loop's, and an index of no axes is formed once: they make no element of the result dearer. */
static void add_operand(Burden *b, const Node *x, uint32_t k, bool stored, const Burden *operand)
{
	bool once = op_info[x->op].class == FOLD || (x->op == OP_GATHER && k && node_is_scalar(x->arg[k]));
	b->weight += stored ? 1 : operand->weight;
	b->loads += stored ? 1 : operand->loads;
	if (!stored && !once) b->cost += operand->cost;
}

static bool is_too_large(const Burden *b) { return b->weight > WEIGHT_MAX || b->loads > LOADS_MAX; }

/* Weight and loads of map x with each map counted once, as a kernel computes it; other operators may ask for
 * what they are made of at several indices. */
static void count_once(const Groups *gr, Node *x, const Burden *burden, Burden *b)
{
	Node *node[WEIGHT_MAX + 1] = {x};
	uint32_t n = 1;
	b->weight = b->loads = 0;
	for (uint32_t i = 0; i < n; i++) {
		Node *y = node[i];
		uint32_t place = region_place(gr->r, y);
		if (i && (gr->root[place] || op_info[y->op].class != MAP)) {
			b->weight += gr->root[place] ? 1 : burden[place].weight;
			b->loads += gr->root[place] ? 1 : burden[place].loads;
			continue;
		}
		b->weight++;
		for (uint32_t k = 0; k < y->narg; k++) {
			uint32_t at = 0;
			while (at < n && node[at] != y->arg[k]) at++;
			if (at < n) continue;
			if (n == countof(node)) {
				b->weight = WEIGHT_MAX + 1;
				return;
			}
			node[n++] = y->arg[k];
		}
	}
}

/* A cheap operator, as that of log(w) - log(s), is spread along rows with what it is made of. */
static void store_dear_spread(Groups *gr, const Node *x, const Burden *burden)
{
	const Node *y = below_views(x->arg[0]);
	uint32_t at = region_place(gr->r, y);
	if (op_info[y->op].class == MAP && burden[at].cost >= COST_DEAR) gr->root[at] = 1;
}

/* Forwards: what would be too large to be computed in passing is stored. */
static void store_large(Groups *gr, Burden *burden)
{
	for (uint32_t i = 0; i < gr->r->n; i++) {
		Node *x = gr->r->node[i];
		Burden *b = &burden[i];
		*b = burden_alone(x);
		gr->root[i] = must_be_stored(gr, i);
		if (is_core(gr, x) || is_leaf(x)) continue;
		if (spreads_rows(x)) store_dear_spread(gr, x, burden);
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t at = region_place(gr->r, x->arg[k]);
			add_operand(b, x, k, gr->root[at], &burden[at]);
		}
		if (x->op == OP_CONTRACT) {
			b->weight *= folded_labels(x).terms;
			b->cost *= folded_labels(x).terms;
		}
		if (is_too_large(b) && op_info[x->op].class == MAP) count_once(gr, x, burden, b);
		if (is_too_large(b)) gr->root[i] = 1;
		if (b->cost > COST_MAX) b->cost = COST_MAX;
	}
}

static void store_results(Groups *gr)
{
	for (uint32_t k = 0; k < gr->nresult; k++)
		if (!is_leaf(gr->result[k])) gr->root[region_place(gr->r, gr->result[k])] = 1;
}

/* Is x stored, whose users are computed in `home` (NULL: nobody reads it; MANY: in several kernels)?  A fold
 * is computed in passing by one kernel that walks its rows, anything else by one kernel, or by each where
 * that is cheap. */
static bool is_stored(Groups *gr, Node *x, Node *home, uint32_t cost)
{
	bool one = home && home != MANY;
	if (op_info[x->op].class == FOLD) return !one || !fold_joins(gr, x, home);
	if (home != MANY || cost < COST_DEAR) return false;
	if (x->op != OP_EXPAND) return true;
	demand(gr, x->arg[0]); /* which is less, and comes next */
	return false;
}

/* The kernel of root h walks the rows of fold x. */
static void walk_rows(Groups *gr, const Node *h, Node *x)
{
	gr->rows[region_place(gr->r, h)] = x;
}

/* `at` computes x in passing, or reads it: one kernel, or several. */
static Node *one_home_more(Node *before, Node *at)
{
	return before && before != at ? MANY : at;
}

/* Backwards, users before what they use: who computes it? */
static void find_homes(Groups *gr, const Burden *burden)
{
	Region *r = gr->r;
	Node **seen = NEW_ARRAY(gr->arena, Node *, r->n);
	for (uint32_t i = r->n; i-- > 0;) {
		Node *x = r->node[i], *home = seen[i];
		bool fold = op_info[x->op].class == FOLD;
		if (!is_leaf(x) && !gr->root[i]) {
			gr->root[i] = gr->forced[i] || is_stored(gr, x, home, burden[i].cost);
			if (fold && !gr->root[i] && op_info[home->op].class != FOLD) walk_rows(gr, home, x);
		}
		if (fold && gr->root[i]) walk_rows(gr, x, x);
		if (gr->root[i]) home = x;
		gr->home[i] = home == MANY ? NULL : home;
		for (uint32_t k = 0; k < x->narg && home; k++) {
			uint32_t at = region_place(r, x->arg[k]);
			seen[at] = one_home_more(seen[at], home);
		}
	}
}

Groups *groups_of(Graph *g, Arena *a, Region *r, Nodes results, bool body)
{
	Groups *gr = NEW(a, Groups);
	*gr = (Groups){.g = g, .arena = a, .r = r, .nresult = results.n, .result = results.v};
	gr->forced = NEW_ARRAY(a, unsigned char, r->n);
	gr->root = NEW_ARRAY(a, unsigned char, r->n);
	gr->home = NEW_ARRAY(a, Node *, r->n);
	gr->rows = NEW_ARRAY(a, Node *, r->n);
	gr->few = NEW_ARRAY(a, unsigned char, r->n);
	find_few_products(gr);
	for (uint32_t i = 0; i < r->n; i++) demand_operands(gr, r->node[i]);
	store_given(gr);
	if (body) store_changed_parts(gr);
	Arena *scratch = arena_child(a);
	demand_checked(gr, NEW_ARRAY(scratch, Passing, r->n));
	Burden *burden = NEW_ARRAY(scratch, Burden, r->n);
	store_large(gr, burden);
	store_results(gr);
	find_homes(gr, burden);
	arena_free(scratch);
	return gr;
}
