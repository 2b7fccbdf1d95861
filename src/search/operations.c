/* operations.c - the same results in fewer operations.
 *
 * Needs: a function whose nodes no rule makes simpler any more.  Gives: one whose sums and products of arrays
 * cost less, or the same one.  Nodes that hang together by sums, products, contractions, transposes and folds
 * of sums are searched as one: whatever they are equal to within the bounds, the choice that costs least,
 * what is needed twice counted once.  The cost must fall with some sizes, by what is worth it, and rise with
 * none.
 */
#include "egraph.h"

static const Bounds bounds = {.nodes = 700, .rounds = 4, .matches = 100};
static const double worth = 0.95; /* a few operations less are none where kernels are others */
enum { MOST = 48 };               /* nodes that hang together; more are left as they are */

static bool is_searched(const Node *x)
{
	if (x->type->kind != TYPE_ARRAY || !dtype_is_float(node_dtype(x)) || !is_wide(node_dtype(x)))
		return false;
	switch (x->op) {
	case OP_CONTRACT:
	case OP_ADD:
	case OP_SUB:
	case OP_NEG:
	case OP_MUL:
	case OP_TRANSPOSE:
	case OP_SUM: return true;
	default: return is_square(x);
	}
}

/* ---- what hangs together ----------------------------------------------------------------------- */

typedef struct Island {
	uint32_t n, contractions, sums, products, filled;
	uint32_t *place; /* in the region, ascending */
} Island;

static uint32_t root_of(uint32_t *above, uint32_t i)
{
	while (above[i] != i) i = above[i] = above[above[i]];
	return i;
}

/* Is there anything to choose? */
static bool is_worth(const Island *s)
{
	bool arrays = s->contractions > 1 || (s->contractions && s->sums);
	return s->n <= MOST && (arrays || (s->products > 2 && s->sums > 1));
}

static void count_in(Island *s, const Node *x)
{
	s->n++;
	s->contractions += x->op == OP_CONTRACT;
	s->products += x->op == OP_MUL && x->arg[0]->op != OP_CONST && x->arg[1]->op != OP_CONST;
	s->sums += x->op == OP_ADD || x->op == OP_SUB || x->op == OP_SUM;
}

/* Each stands where the last of its nodes does.  Gives how many places there are; 0: none is worth it. */
static uint32_t islands_of(Arena *a, const Region *r, Island **out)
{
	uint32_t *above = NEW_ARRAY(a, uint32_t, r->n), worthy = 0;
	bool *searched = NEW_ARRAY(a, bool, r->n);
	Island *of = *out = NEW_ARRAY(a, Island, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		region_look_ahead(r, i);
		const Node *x = r->node[i];
		above[i] = i;
		searched[i] = is_searched(x);
		for (uint32_t k = 0; searched[i] && k < x->narg; k++) {
			uint32_t operand = region_place(r, x->arg[k]);
			if (searched[operand]) above[root_of(above, operand)] = i;
		}
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (searched[i]) count_in(&of[root_of(above, i)], r->node[i]);
	for (uint32_t i = 0; i < r->n; i++) worthy += is_worth(&of[i]);
	for (uint32_t i = 0; worthy && i < r->n; i++) {
		Island *s = searched[i] ? &of[root_of(above, i)] : NULL;
		if (!s || !is_worth(s)) continue;
		if (!s->place) s->place = NEW_ARRAY(a, uint32_t, s->n);
		s->place[s->filled++] = i;
	}
	return worthy ? r->n : 0;
}

/* ---- the cheapest choice ----------------------------------------------------------------------- */

/* Of a class: the member that is taken, and all classes whose members it needs. */
typedef struct Chosen {
	Node *node; /* NULL: none yet */
	uint64_t *needs;
	double cost; /* of all of them */
} Chosen;

typedef struct Chooser {
	const Egraph *e;
	uint32_t words, trial;
	Chosen *of;
	double *price; /* of the class's choice alone */
	uint64_t *spare;
} Chooser;

static double cost_of(const Chooser *s, const uint64_t *needs)
{
	double sum = 0;
	for (uint32_t w = 0; w < s->words; w++)
		for (uint64_t bits = needs[w]; bits; bits &= bits - 1)
			sum += s->price[w * 64 + (uint32_t)__builtin_ctzll(bits)];
	return sum;
}

/* Is member x of class c cheaper than what is taken? */
static bool try_member(Chooser *s, uint32_t c, Node *x)
{
	double own = price_on_trial(x, s->trial), before = s->price[c];
	memset(s->spare, 0, s->words * sizeof *s->spare);
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t operand = egraph_class(s->e, x->arg[k]);
		if (operand == UINT32_MAX) return false;
		const Chosen *o = &s->of[operand];
		if (!o->node || o->needs[c / 64] >> c % 64 & 1) return false;
		for (uint32_t w = 0; w < s->words; w++) s->spare[w] |= o->needs[w];
	}
	s->spare[c / 64] |= (uint64_t)1 << c % 64;
	s->price[c] = own;
	double cost = cost_of(s, s->spare);
	if (s->of[c].node && !(cost < s->of[c].cost)) {
		s->price[c] = before;
		return false;
	}
	s->of[c].node = x;
	s->of[c].cost = cost;
	memcpy(s->of[c].needs, s->spare, s->words * sizeof *s->spare);
	return true;
}

static void choose(Chooser *s, Arena *a, const Egraph *e, uint32_t trial)
{
	enum { PASSES = 8 };
	*s = (Chooser){.e = e, .words = e->nclass / 64 + 1, .trial = trial};
	s->of = NEW_ARRAY(a, Chosen, e->nclass);
	s->price = NEW_ARRAY(a, double, 64 * s->words);
	s->spare = NEW_ARRAY(a, uint64_t, s->words);
	for (uint32_t c = 0; c < e->nclass; c++) s->of[c].needs = NEW_ARRAY(a, uint64_t, s->words);
	bool any = true;
	for (uint32_t pass = 0; pass < PASSES && any; pass++) {
		any = false;
		for (uint32_t c = 0; c < e->nclass; c++)
			for (uint32_t i = 0; e->class[c].above == c && i < e->class[c].n; i++)
				any |= try_member(s, c, e->class[c].member[i]);
	}
}

/* The node of class c as it was chosen, over leaves as they are. */
static Node *chosen(Graph *g, const Chooser *s, Node **made, uint32_t c)
{
	const Node *x = s->of[c].node;
	Node *arg[8];
	if (made[c] || !x) return made[c];
	if (!x->narg || x->narg > countof(arg)) return made[c] = (Node *)x;
	for (uint32_t k = 0; k < x->narg; k++)
		if (!(arg[k] = chosen(g, s, made, egraph_class(s->e, x->arg[k])))) return NULL;
	return made[c] = node_with(g, x, arg, NULL, NULL);
}

/* ---- one island -------------------------------------------------------------------------------- */

typedef struct Searcher {
	Graph *g;
	Arena *arena;
	const Region *region;
	const uint32_t *users; /* by place, results too */
	uint32_t *inside;      /* by place, of the island at hand; else 0 */
	Facts *facts;
	SearchWay *way;
	uint32_t nway;
	IdMap found;    /* in place of what islands give */
	IdMap *instead; /* what stands for a node from now on */
} Searcher;

/* The operations of these and all below that is searched. */
static double total(Arena *a, const IdMap *leaves, uint32_t n, Node *const *out, uint32_t trial)
{
	const Region *r = region_above(a, n, out, leaves);
	double sum = 0;
	for (uint32_t i = 0; i < r->n; i++) sum += price_on_trial(r->node[i], trial);
	return sum;
}

static bool costs_less_now(Arena *a, const IdMap *leaves, uint32_t n, Node *const *now, Node *const *before)
{
	bool less = false;
	for (uint32_t k = 0; k < SIZE_TRIALS; k++) {
		double x = total(a, leaves, n, now, k), y = total(a, leaves, n, before, k);
		if (x > y) return false;
		less |= x < worth * y;
	}
	return less;
}

/* What is needed outside of it. */
static uint32_t outputs_of(const Searcher *s, const Island *island, Node **out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < island->n; i++) {
		const Node *x = s->region->node[island->place[i]];
		for (uint32_t k = 0; k < x->narg; k++) s->inside[region_place(s->region, x->arg[k])]++;
	}
	for (uint32_t i = 0; i < island->n; i++) {
		uint32_t p = island->place[i];
		if (s->users[p] > s->inside[p]) out[n++] = s->region->node[p];
	}
	for (uint32_t i = 0; i < island->n; i++) {
		const Node *x = s->region->node[island->place[i]];
		for (uint32_t k = 0; k < x->narg; k++) s->inside[region_place(s->region, x->arg[k])] = 0;
	}
	return n;
}

static void add_island(const Searcher *s, Egraph *e, const Island *island, IdMap *leaves)
{
	idmap_open(leaves, s->arena);
	for (uint32_t i = 0; i < island->n; i++) {
		Node *x = s->region->node[island->place[i]];
		for (uint32_t k = 0; k < x->narg; k++) {
			if (is_searched(x->arg[k])) continue;
			egraph_leaf(e, x->arg[k]);
			idmap_put(leaves, x->arg[k]->id, x->arg[k]);
		}
		egraph_add(e, x);
	}
}

static void search_island(Searcher *s, const Island *island)
{
	Egraph e;
	IdMap leaves;
	Node *out[MOST], *now[MOST];
	uint32_t n = outputs_of(s, island, out);
	egraph_open(&e, s->g, s->arena, s->facts, bounds);
	e.by_code = contractions_find;
	add_island(s, &e, island, &leaves);
	for (uint32_t round = 0; round < bounds.rounds; round++)
		if (!egraph_round(&e, s->nway, s->way)) break;
	for (uint32_t k = 0; k < SIZE_TRIALS; k++) {
		Chooser c;
		bool good = true;
		choose(&c, s->arena, &e, k);
		Node **made = NEW_ARRAY(s->arena, Node *, e.nclass);
		for (uint32_t i = 0; i < n; i++) {
			now[i] = chosen(s->g, &c, made, egraph_class(&e, out[i]));
			good &= now[i] && now[i]->type == out[i]->type;
		}
		if (!good || !costs_less_now(s->arena, &leaves, n, now, out)) continue;
		for (uint32_t i = 0; i < n; i++) idmap_put(&s->found, out[i]->id, now[i]);
		return;
	}
}

/* ---- the function ------------------------------------------------------------------------------ */

static const Size *size_instead(void *user, const Atom *a)
{
	const Searcher *s = user;
	Node *y = a->kind == ATOM_NODE ? idmap_get(s->instead, a->node->id) : NULL;
	return y && y != a->node ? size_of_node(s->g, y) : NULL;
}

/* x over what stands for its operands now, of what was found in its place. */
static Node *made_anew(Searcher *s, Node *root)
{
	struct Visit {
		Node *x, *y;
		uint32_t next;
	} *stack = NULL;
	uint32_t n = 0, cap = 0;
	GROW(s->arena, stack, n, cap);
	stack[n++] = (struct Visit){root, NULL, 0};
	while (n) {
		struct Visit *v = &stack[n - 1];
		Node *found = idmap_get(&s->found, v->x->id);
		v->y = found ? found : v->x;
		if (idmap_get(s->instead, v->x->id)) {
			n--;
		} else if (v->next < v->y->narg) {
			Node *operand = v->y->arg[v->next++];
			if (idmap_get(s->instead, operand->id)) continue;
			GROW(s->arena, stack, n, cap);
			stack[n++] = (struct Visit){operand, NULL, 0};
		} else {
			Node *y = v->y, **arg = NEW_ARRAY(s->arena, Node *, y->narg + 1);
			bool same = true;
			for (uint32_t k = 0; k < y->narg; k++) {
				arg[k] = idmap_get(s->instead, y->arg[k]->id);
				same &= arg[k] == y->arg[k];
			}
			y = same ? y : node_with(s->g, y, arg, size_instead, s);
			if (!y) return NULL;
			idmap_put(s->instead, v->x->id, y);
			n--;
		}
	}
	return idmap_get(s->instead, root->id);
}

static const uint32_t *users_of(Arena *a, const Region *r, const Function *f)
{
	uint32_t *users = NEW_ARRAY(a, uint32_t, r->n);
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->node[i]->narg; k++) users[region_place(r, r->node[i]->arg[k])]++;
	for (uint32_t i = 0; i < f->nresult; i++) users[region_place(r, f->result[i])]++;
	return users;
}

Function *fewer_operations(Graph *g, Function *f, uint32_t nfact, const LeafFact *fact)
{
	static const char *const stage[] = {"operations", NULL};
	Arena *a = arena_child(g->arena);
	IdMap instead;
	Island *island;
	Searcher s = {.g = g, .arena = a, .instead = &instead};
	s.region = f->region ? f->region : region_of(a, f->nresult, f->result);
	idmap_open(&instead, a);
	idmap_open(&s.found, a);
	for (uint32_t i = 0, n = islands_of(a, s.region, &island); i < n && !g->error.code; i++) {
		if (!island[i].filled) continue;
		if (!s.facts) {
			s.facts = facts_open(g, a, nfact, fact);
			s.nway = ways_of(g, a, stage, &s.way);
			if (!s.nway) break; /* it is switched off */
			s.inside = NEW_ARRAY(a, uint32_t, s.region->n);
			s.users = users_of(a, s.region, f);
		}
		search_island(&s, &island[i]);
	}
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult);
	bool any = s.found.count > 0;
	for (uint32_t i = 0; i < f->nresult && any; i++)
		if (!(result[i] = made_anew(&s, f->result[i]))) any = false;
	if (any) f = function_over(g, f, f->nresult, result);
	arena_free(a);
	return g->error.code ? NULL : f;
}
