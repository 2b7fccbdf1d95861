/* needs.c - what must hold of sizes, of the function and of the bodies in it. */
#include "make.h"

typedef struct SizeNeeds {
	PlanMaker *m;
	const Within *at;
	const Node *x;
} SizeNeeds;

/* Is it asked for already where this guard is open: with the guard itself, or with that of a body around?
 * What two loops side by side ask for is asked twice: either may have no pass. */
static bool is_known_within(const PlanMaker *m, Table *t, uint32_t h, const void *key, uint32_t *guard,
	table_same same)
{
	uint32_t innermost = *guard;
	void *known = table_find(t, h, key, same);
	while (!known && *guard != GUARD_NONE) {
		*guard = m->plan->dim[*guard].guard; /* a guard's own is that of the body around */
		known = table_find(t, h, key, same);
	}
	*guard = innermost;
	return known;
}

static bool need_same(const void *item, const void *key)
{
	const Requirement *x = item, *y = key;
	return x->a == y->a && x->b == y->b && x->equal == y->equal && x->guard == y->guard;
}

/* Is it asked for the first time?  b UINT32_MAX: that a is a size. */
static bool need_new(PlanMaker *m, Requirement *r)
{
	uint32_t h = hash_mix(hash_mix(r->a, r->b), r->equal);
	r->guard = guard_around(m);
	if (is_known_within(m, &m->needs, h, r, &r->guard, need_same)) return false;
	r->guard = scope_guard(m);
	if (is_known_within(m, &m->needs, h, r, &r->guard, need_same)) return false;
	Requirement *asked = NEW(m->scratch, Requirement);
	*asked = *r;
	table_add(&m->needs, h, asked);
	return true;
}

/* Sizes by the names that they have in the user's text; those of a loop's body by what they are around it. */
static const Size *named_atom(void *user, const Atom *a)
{
	const SizeNeeds *n = user;
	Graph *g = n->m->g;
	const Within *at = n->at;
	if (a->kind == ATOM_NODE) return size_named(g, scalar_text(n->m->scratch, at, a->node));
	if (a->kind != ATOM_PARAM) return NULL;
	if (at->f->size_name && at->f->size_name[a->index]) return size_named(g, at->f->size_name[a->index]);
	if (!at->around) return NULL;
	SizeNeeds outer = {n->m, at->outer, n->x};
	return size_substitute(g, at->around->attr->v[at->body->sizes + a->index].u.size, named_atom, &outer);
}

static void print_named(Text *t, SizeNeeds *n, const Size *s)
{
	const Size *named = s ? size_substitute(n->m->g, s, named_atom, n) : NULL;
	if (named) size_print(t, named); /* none is divided by zero, with an error */
}

static Where where_of(const Node *x)
{
	return x->origin ? x->origin->where : (Where){0};
}

/* What was wanted, in the user's names. */
static const char *need_text(SizeNeeds *n, const Size *a, const Size *b, bool equal, bool least)
{
	PlanMaker *m = n->m;
	Text t;
	text_open(&t, m->plan->arena);
	if (n->x->op == OP_GATHER) {
		text_add(&t, "index ");
		print_named(&t, n, size_of_node(m->g, n->x->arg[1]));
		text_add(&t, " of an axis of ");
		print_named(&t, n, node_dim(n->x->arg[0], 0));
		return text_done(&t);
	}
	requirement_print(&t, m->g, n->x, named_atom, n);
	text_add(&t, ": ");
	print_named(&t, n, least ? b : a);
	if (equal)
		text_add(&t, " must equal ");
	else
		text_add(&t, least ? " must be at least " : " must be at most ");
	print_named(&t, n, least ? a : b);
	return text_done(&t);
}

static bool is_proved(Graph *g, const Size *a, const Size *b, bool equal)
{
	return equal ? size_compare(g, a, b) == PROOF_EQUAL : size_at_most(g, a, b);
}

static void need_size(void *user, const Size *a, const Size *b, bool equal)
{
	SizeNeeds *n = user;
	PlanMaker *m = n->m;
	if (!a || !b || is_proved(m->g, a, b, equal)) return;
	Plan *plan = m->plan;
	bool of_index = n->x->op == OP_GATHER;
	Requirement r = {.a = dim_of(m, a), .b = dim_of(m, b), .equal = equal, .of_index = of_index};
	if (r.a == r.b) return;
	if (!need_new(m, &r)) return;
	if (equal) requirement_sizes(m->g, n->x, &a, &b);
	if (!a || !b) return; /* one is divided by zero, with an error */
	r.told_a = dim_of(m, a);
	r.told_b = dim_of(m, b);
	r.text = need_text(n, a, b, equal, !equal && plan->dim[r.a].kind == DIM_CONST);
	r.file = plan_text(m, where_of(n->x).file);
	r.line = where_of(n->x).line;
	GROW(m->scratch, plan->requirement, plan->nrequirement, m->requirement_cap);
	plan->requirement[plan->nrequirement++] = r;
}

/* A size that may come out negative. */
static void need_sized(SizeNeeds *n, const Size *s)
{
	PlanMaker *m = n->m;
	Plan *p = m->plan;
	if (!s || size_at_most(m->g, size_const(m->g, 0), s)) return;
	uint32_t dim = dim_of(m, s);
	Requirement r = {.a = dim, .b = UINT32_MAX};
	if (!need_new(m, &r)) return;
	Text t;
	text_open(&t, p->arena);
	print_named(&t, n, s);
	GROW(m->scratch, p->sized, p->nsized, m->sized_cap);
	p->sized[p->nsized++] =
		(Sized){dim, r.guard, text_done(&t), plan_text(m, where_of(n->x).file),
			where_of(n->x).line};
}

static bool extent_same(const void *item, const void *key)
{
	const Extent *x = item, *y = key;
	return x->dtype == y->dtype && x->rank == y->rank && x->guard == y->guard &&
		!memcmp(x->dim, y->dim, x->rank * sizeof *x->dim);
}

static void need_extent(SizeNeeds *n, Extent x)
{
	PlanMaker *m = n->m;
	Plan *p = m->plan;
	uint32_t h = hash_mix(hash_bytes(x.dim, x.rank * sizeof *x.dim), x.dtype);
	x.guard = guard_around(m);
	if (is_known_within(m, &m->extents, h, &x, &x.guard, extent_same)) return;
	x.guard = scope_guard(m);
	if (is_known_within(m, &m->extents, h, &x, &x.guard, extent_same)) return;
	uint32_t *dim = NEW_ARRAY(p->arena, uint32_t, x.rank);
	memcpy(dim, x.dim, x.rank * sizeof *dim);
	x.dim = dim;
	x.file = plan_text(m, where_of(n->x).file);
	x.line = where_of(n->x).line;
	Extent *asked = NEW(m->scratch, Extent);
	*asked = x;
	table_add(&m->extents, h, asked);
	GROW(m->scratch, p->extent, p->nextent, m->extent_cap);
	p->extent[p->nextent++] = x;
}

static void need_steps(SizeNeeds *n, const Size *steps)
{
	uint32_t dim = dim_of(n->m, steps);
	need_extent(n, (Extent){.dtype = DT_NONE, .rank = 1, .dim = &dim});
}

/* Is an array as large there, whatever side is taken? */
static bool is_held(PlanMaker *m, const Type *t)
{
	if (m->scope->guard != GUARD_UNMADE) return false;
	uint32_t elements = dim_of(m, type_elements(m->g, t));
	return (uintptr_t)idmap_get(&m->held, elements + 1) >= dtype_bytes((Dtype)t->dtype);
}

static void need_shape(SizeNeeds *n, const Type *t)
{
	uint32_t dim[RANK_MAX];
	for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->n; i++) need_shape(n, t->u.elem[i]);
	if (t->kind != TYPE_ARRAY) return;
	for (uint32_t i = 0; i < t->n; i++) {
		need_sized(n, DIM(t, i));
		dim[i] = dim_of(n->m, DIM(t, i));
	}
	if (t->n && !is_held(n->m, t))
		need_extent(n, (Extent){.dtype = t->dtype, .rank = (uint8_t)t->n, .dim = dim});
}

typedef struct Unproved {
	Graph *g;
	bool any;
} Unproved;

static void note_unproved(void *user, const Size *a, const Size *b, bool equal)
{
	Unproved *u = user;
	u->any |= !is_proved(u->g, a, b, equal);
}

/* Asked around the body, where that runs. */
static void need_entry(PlanMaker *m, SizeNeeds *n, PlanScope *inner)
{
	PlanScope *outer = m->scope;
	uint32_t around = outer->guard;
	Unproved u = {m->g, false};
	entry_requirements(m->g, n->x, &inner->body, note_unproved, &u);
	if (!u.any) return;
	m->scope = inner;
	uint32_t guard = scope_guard(m);
	m->scope = outer;
	outer->guard = guard;
	entry_requirements(m->g, n->x, &inner->body, need_size, n);
	outer->guard = around;
}

/* What a body needs holds before it, over sizes of what is around it; of sizes that a pass brings, in each.
 * It holds where the body runs at all, as does what is said of what a loop carries on, which the loop's user
 * names. */
static void body_requirements(PlanMaker *m, SizeNeeds *n, const Body *b)
{
	PlanScope *inner = scope_of_body(m, n->x, b);
	need_entry(m, n, inner);
	m->scope = inner;
	m->scope->r = function_region(m->g, b->f);
	plan_requirements(m, b->f);
	m->scope = m->scope->outer;
}

void plan_requirements(PlanMaker *m, Function *f)
{
	Region *r = function_region(m->g, f);
	const Within *at = scope_names(m, m->scope);
	for (uint32_t i = 0; i < r->n && !m->g->error.code; i++) {
		SizeNeeds n = {m, at, r->node[i]};
		m->g->where = where_of(n.x);
		node_requirements(m->g, r->node[i], need_size, &n);
		if (n.x->op != OP_PARAM) need_shape(&n, n.x->type);
		if (index_is_asked(n.x)) element_requirements(m->g, n.x, need_size, &n);
		if (n.x->op == OP_SCAN) need_steps(&n, size_of_node(m->g, n.x->arg[0]));
		Body b[BODIES_MAX];
		uint32_t bodies = node_bodies(n.x, b);
		for (uint32_t k = 0; k < bodies; k++) body_requirements(m, &n, &b[k]);
	}
}
