/* egraph.c - classes of equal nodes, that grow by rules.
 *
 * Needs: nodes of a graph without error.  Gives: a class for each; rules that match modulo what is equal
 * already join classes, until nothing is new or the bounds are reached.  Nodes are interned, so that two over
 * the same operands are one: a node over what stands for its operands' classes is its own key.
 */
#include "egraph.h"

enum { NONE = UINT32_MAX };

typedef struct Equality {
	uint32_t class;
	Node *node;
} Equality;

void egraph_open(Egraph *e, Graph *g, Arena *a, Facts *facts, Bounds bounds)
{
	*e = (Egraph){.g = g, .arena = a, .facts = facts, .bounds = bounds};
	idmap_open(&e->at, a);
}

uint32_t egraph_stands(const Egraph *e, uint32_t c)
{
	while (e->class[c].above != c) c = e->class[c].above;
	return c;
}

uint32_t egraph_class(const Egraph *e, const Node *x)
{
	uintptr_t c = (uintptr_t)idmap_get(&e->at, x->id);
	return c ? egraph_stands(e, (uint32_t)c - 1) : NONE;
}

static void put(Egraph *e, const Node *x, uint32_t c)
{
	idmap_put(&e->at, x->id, (void *)(uintptr_t)(c + 1));
}

/* ---- adding ------------------------------------------------------------------------------------ */

static uint32_t tree_size(const Egraph *e, const Node *x)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < x->narg; i++) {
		uint32_t c = egraph_class(e, x->arg[i]);
		n += c == NONE ? 1 : e->class[c].size;
	}
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void use(Egraph *e, Node *x)
{
	for (uint32_t i = 0; i < x->narg; i++) {
		uint32_t c = egraph_class(e, x->arg[i]);
		if (c == NONE) continue;
		EClass *k = &e->class[c];
		if (k->nuser && k->user[k->nuser - 1] == x) continue;
		GROW(e->arena, k->user, k->nuser, k->user_cap);
		k->user[k->nuser++] = x;
	}
}

static bool is_smaller(uint32_t size, const Node *x, const EClass *c)
{
	return size < c->size || (size == c->size && x->id < c->best->id);
}

/* Whoever is over the class has another operand now. */
static void soil(Egraph *e, const EClass *c)
{
	for (uint32_t i = 0; i < c->nuser; i++) {
		GROW(e->arena, e->dirty, e->ndirty, e->dirty_cap);
		e->dirty[e->ndirty++] = c->user[i];
	}
}

static void enter(Egraph *e, uint32_t c, Node *x)
{
	EClass *k = &e->class[c];
	uint32_t size = tree_size(e, x);
	put(e, x, c);
	if (e->worth) e->worth->entered(e->worth->user, c, x);
	GROW(e->arena, k->member, k->n, k->cap);
	k->member[k->n++] = x;
	k->grown = e->round;
	e->nnode++;
	if (!k->best || is_smaller(size, x, k)) {
		bool other = k->best != NULL;
		k->best = x;
		k->size = size;
		if (other) soil(e, k);
	}
}

static uint32_t new_class(Egraph *e, Node *x)
{
	GROW(e->arena, e->class, e->nclass, e->class_cap);
	uint32_t c = e->nclass++;
	e->class[c] = (EClass){.above = c};
	enter(e, c, x);
	return c;
}

uint32_t egraph_leaf(Egraph *e, Node *x)
{
	uint32_t c = egraph_class(e, x);
	return c == NONE ? new_class(e, x) : c;
}

/* x over what stands for its operands. */
static Node *over_best(Egraph *e, Node *x)
{
	Node *small[8], **arg = small;
	bool same = true;
	if (x->narg > countof(small)) arg = NEW_ARRAY(e->arena, Node *, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		uint32_t c = egraph_class(e, x->arg[i]);
		arg[i] = c == NONE ? x->arg[i] : e->class[c].best;
		same &= arg[i] == x->arg[i];
	}
	Node *y = same ? x : node_with(e->g, x, arg, NULL, NULL);
	for (uint32_t i = 0; y && i < y->narg; i++)
		if (egraph_class(e, y->arg[i]) == NONE) return NULL; /* it was made of something else */
	return y;
}

static uint32_t add_over_known(Egraph *e, Node *x)
{
	Node *z = over_best(e, x);
	z = z ? z : x;
	uint32_t c = egraph_class(e, z);
	if (c == NONE) {
		c = new_class(e, z);
		use(e, z);
	}
	if (z != x) put(e, x, c);
	return c;
}

uint32_t egraph_add(Egraph *e, Node *x)
{
	struct {
		Node *x;
		uint32_t next;
	} *stack = NULL;
	uint32_t n = 0, cap = 0;
	GROW(e->arena, stack, n, cap);
	stack[n].x = x;
	stack[n++].next = 0;
	while (n) {
		Node *y = stack[n - 1].x;
		if (egraph_class(e, y) != NONE) {
			n--;
		} else if (stack[n - 1].next < y->narg) {
			Node *z = y->arg[stack[n - 1].next++];
			if (egraph_class(e, z) != NONE) continue;
			GROW(e->arena, stack, n, cap);
			stack[n].x = z;
			stack[n++].next = 0;
		} else {
			add_over_known(e, y);
			n--;
		}
	}
	return egraph_class(e, x);
}

/* ---- joining ----------------------------------------------------------------------------------- */

static void append(Egraph *e, Node ***to, uint32_t *n, uint32_t *cap, Nodes more)
{
	for (uint32_t i = 0; i < more.n; i++) {
		GROW(e->arena, *to, *n, *cap);
		(*to)[(*n)++] = more.v[i];
	}
}

bool egraph_join(Egraph *e, uint32_t a, uint32_t b)
{
	a = egraph_stands(e, a);
	b = egraph_stands(e, b);
	if (a == b) return true;
	if (e->worth && !e->worth->agree(e->worth->user, a, b)) return false;
	if (b < a) {
		uint32_t c = a;
		a = b;
		b = c;
	}
	EClass *x = &e->class[a], *y = &e->class[b];
	bool smaller = is_smaller(y->size, y->best, x);
	soil(e, smaller ? x : y);
	if (smaller) {
		x->best = y->best;
		x->size = y->size;
	}
	y->above = a;
	x->grown = e->round;
	append(e, &x->member, &x->n, &x->cap, (Nodes){y->n, y->member});
	append(e, &x->user, &x->nuser, &x->user_cap, (Nodes){y->nuser, y->user});
	return true;
}

static void forget_member(Egraph *e, uint32_t c, const Node *x)
{
	EClass *k = &e->class[c];
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->member[i] != x) k->member[n++] = k->member[i];
	e->nnode -= k->n - n;
	k->n = n;
}

/* x is said anew over what stands for its operands now. */
static void say_anew(Egraph *e, Node *x)
{
	uint32_t c = egraph_class(e, x);
	Node *z = over_best(e, x);
	if (!z || z == x) return;
	uint32_t other = egraph_class(e, z);
	if (e->class[c].best != x) forget_member(e, c, x);
	if (other == NONE) {
		enter(e, c, z);
		use(e, z);
	} else {
		egraph_join(e, c, other);
	}
}

void egraph_rebuild(Egraph *e)
{
	for (uint32_t i = 0; i < e->ndirty; i++) say_anew(e, e->dirty[i]);
	e->ndirty = 0;
	for (uint32_t c = 0; c < e->nclass; c++) { /* no member twice */
		EClass *k = &e->class[c];
		uint32_t n = 0;
		if (k->above != c) continue;
		for (uint32_t i = 0; i < k->n; i++) {
			bool again = false;
			for (uint32_t j = 0; j < n && !again; j++) again = k->member[j] == k->member[i];
			if (!again) k->member[n++] = k->member[i];
		}
		e->nnode -= k->n - n;
		k->n = n;
	}
}

/* ---- matching modulo what is equal ------------------------------------------------------------- */

static Nodes equal_of(void *user, const Node *x)
{
	const Egraph *e = user;
	uint32_t c = egraph_class(e, x);
	return c == NONE ? (Nodes){0, NULL} : (Nodes){e->class[c].n, e->class[c].member};
}

static Node *equal_one(void *user, Node *x)
{
	const Egraph *e = user;
	uint32_t c = egraph_class(e, x);
	return c == NONE ? x : e->class[c].best;
}

/* The right side of a match, of the type of the left one; NULL: it does not fit. */
static Node *replacement(Egraph *e, Match *m)
{
	Graph *g = e->g;
	Trial t;
	trial_begin(g, &t);
	Node *y = solid(g, instantiate(m, m->rule->right, m->node->type));
	if (y && m->whole) {
		y = fit_type(g, y, m->node->type);
		y = y ? terms_around(g, m, y) : NULL;
	}
	y = fit_type(g, y, m->node->type);
	if (g->error.code) y = NULL;
	trial_end(g, &t);
	return y;
}

void egraph_find(Egraph *e, uint32_t c, Node *x)
{
	if (!x) error_clear(&e->g->error); /* of the trial around the round */
	if (!x || egraph_class(e, x) == c || x->type != e->class[c].best->type) return;
	GROW(e->arena, e->found, e->nfound, e->found_cap);
	e->found[e->nfound++] = (Equality){c, x};
}

static void note_match(void *user, Match *m)
{
	Egraph *e = user;
	uint32_t before = e->nfound;
	if (e->way->found >= e->bounds.matches) return;
	egraph_find(e, e->matched, replacement(e, m));
	e->way->found += e->nfound - before;
}

static bool may_begin(const Pattern *p, const Node *x)
{
	switch (p->kind) {
	case P_OPERATOR: return x->op == p->op;
	case P_SUM: return x->op == OP_ADD || x->op == OP_SUB;
	case P_PRODUCT: return x->op == OP_MUL;
	case P_MATMUL: return x->op == OP_CONTRACT;
	case P_TURN: return x->op == OP_TRANSPOSE;
	case P_INDEX: return x->op == OP_GATHER;
	default: return library_name(x) == p->name;
	}
}

static void try_ways(Egraph *e, Arena *scratch, Node *x, uint32_t n, SearchWay *way)
{
	const Equals equal = {equal_of, equal_one, note_match, e};
	for (uint32_t i = 0; i < n; i++) {
		Match m;
		if (!may_begin(way[i].side->left, x) || way[i].found >= e->bounds.matches) continue;
		match_open(&m, e->g, scratch, e->facts);
		m.equal = &equal;
		e->way = &way[i];
		match_rule(&m, way[i].side, x);
	}
}

static void try_all(Egraph *e, Arena *scratch, Node *x, uint32_t n, SearchWay *way)
{
	try_ways(e, scratch, x, n, way);
	if (!e->by_code) return;
	Trial t;
	trial_begin(e->g, &t);
	e->by_code(e, e->matched, x);
	trial_end(e->g, &t);
}

/* Has an operand's class, or one below it, grown since the last round? */
static bool is_fresh(const Egraph *e, const Node *x)
{
	bool fresh = x->id > e->seen;
	for (uint32_t i = 0; i < x->narg && !fresh; i++) {
		uint32_t c = egraph_class(e, x->arg[i]);
		fresh = c != NONE && e->class[c].fresh;
	}
	return fresh;
}

static bool has_grown(const Egraph *e, uint32_t c)
{
	return c != NONE && e->class[c].grown + 1 >= e->round;
}

static void mark_fresh(Egraph *e)
{
	for (uint32_t c = 0; c < e->nclass; c++) {
		EClass *k = &e->class[c];
		k->fresh = has_grown(e, c);
		for (uint32_t i = 0; i < k->n && !k->fresh; i++)
			for (uint32_t j = 0; j < k->member[i]->narg; j++)
				k->fresh |= has_grown(e, egraph_class(e, k->member[i]->arg[j]));
	}
}

bool egraph_round(Egraph *e, uint32_t n, SearchWay *way)
{
	uint32_t before = e->nclass, joined = 0, newest = e->g->nnode;
	Arena *scratch = arena_child(e->arena);
	e->round++;
	mark_fresh(e);
	e->nfound = 0;
	for (uint32_t i = 0; i < n; i++) way[i].found = 0;
	for (uint32_t c = 0; c < before; c++) {
		if (e->class[c].above != c) continue;
		e->matched = c;
		for (uint32_t i = 0; i < e->class[c].n; i++)
			if (is_fresh(e, e->class[c].member[i]))
				try_all(e, scratch, e->class[c].member[i], n, way);
	}
	e->seen = newest;
	for (uint32_t i = 0; i < e->nfound && e->nnode < e->bounds.nodes; i++) {
		uint32_t c = egraph_add(e, e->found[i].node);
		joined += c != egraph_stands(e, e->found[i].class) && egraph_join(e, c, e->found[i].class);
	}
	egraph_rebuild(e);
	arena_free(scratch);
	return joined && e->nnode < e->bounds.nodes;
}
