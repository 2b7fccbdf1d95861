/* dims.c - sizes of a plan: the tape of dims, the scalars it reads, and what must hold of them. */
#include "make.h"

/* ---- the tape ---------------------------------------------------------------------- */

typedef struct NumberedDim {
	Dim d;
	uint32_t n;
} NumberedDim;

static bool dim_same(const void *item, const void *key)
{
	const Dim *a = &((const NumberedDim *)item)->d, *b = key;
	return a->kind == b->kind && a->value == b->value && a->a == b->a && a->b == b->b;
}

static uint32_t scope_guard(PlanMaker *m);

/* What has this guard is used in the scope as well: the guard of the innermost body around both uses. */
static uint32_t common_guard(PlanMaker *m, uint32_t guard)
{
	if (guard != GUARD_NONE) scope_guard(m);
	/* a guard's own is that of the body around */
	for (; guard != GUARD_NONE; guard = m->plan->dim[guard].guard)
		for (const PlanScope *s = m->scope; s; s = s->outer)
			if (s->guard == guard) return guard;
	return GUARD_NONE;
}

/* The innermost guard that is made: good enough for what cannot fail. */
static uint32_t guard_around(const PlanMaker *m)
{
	const PlanScope *s = m->scope;
	while (s->guard == GUARD_UNMADE) s = s->outer;
	return s->guard;
}

/* Those that are made of data lie in m->of_data. */
static bool is_of_data(const PlanMaker *m, const Dim *d)
{
	if (d->kind <= DIM_SCALAR) return d->kind == DIM_SCALAR;
	return idmap_get(&m->of_data, d->a + 1) || idmap_get(&m->of_data, d->b + 1);
}

/* Of a branch's side only what may fail, being past 64 bits or made of data, waits for the condition. */
static uint32_t guard_of_dim(PlanMaker *m, const Dim *d)
{
	const Dim *all = m->plan->dim;
	if (d->kind <= DIM_SCALAR) return GUARD_NONE;
	bool number = all[d->a].kind == DIM_CONST || all[d->b].kind == DIM_CONST;
	bool sum = d->kind != DIM_MUL && d->kind != DIM_FLOORDIV && d->kind != DIM_MOD;
	return (sum || number) && !is_of_data(m, d) ? guard_around(m) : scope_guard(m);
}

static uint32_t dim_add(PlanMaker *m, Dim d)
{
	uint32_t h = hash_mix(hash_mix(hash_mix(d.kind, (uint64_t)d.value), d.a), d.b);
	NumberedDim *item = table_find(&m->dims, h, &d, dim_same);
	if (item) {
		uint32_t guard = common_guard(m, m->plan->dim[item->n].guard);
		m->plan->dim[item->n].guard = guard;
		return item->n;
	}
	d.guard = guard_of_dim(m, &d);
	item = NEW(m->scratch, NumberedDim);
	GROW(m->scratch, m->plan->dim, m->plan->ndim, m->dim_cap);
	m->plan->dim[m->plan->ndim] = d;
	item->d = d;
	item->n = m->plan->ndim++;
	if (is_of_data(m, &d)) idmap_put(&m->of_data, item->n + 1, item);
	table_add(&m->dims, h, item);
	return item->n;
}

uint32_t dim_const(PlanMaker *m, int64_t v)
{
	return dim_add(m, (Dim){.kind = DIM_CONST, .value = v});
}
uint32_t dim_size(PlanMaker *m, uint32_t parameter)
{
	return dim_add(m, (Dim){.kind = DIM_SIZE, .a = parameter});
}

uint32_t dim_guarded(PlanMaker *m, uint32_t dim)
{
	const Dim *d = &m->plan->dim[dim];
	if (m->scope->guard == GUARD_NONE || (d->kind == DIM_CONST && d->value >= 0)) return dim;
	if (m->scope->guard == GUARD_UNMADE && idmap_get(&m->held, dim + 1)) return dim;
	uint32_t guard = scope_guard(m);
	return guard == GUARD_NONE ? dim : dim_add(m, (Dim){.kind = DIM_MUL, .a = dim, .b = guard});
}

void dim_held(PlanMaker *m, uint32_t elements, Dtype t)
{
	uintptr_t bytes = dtype_bytes(t);
	if (m->scope->guard == GUARD_NONE && (uintptr_t)idmap_get(&m->held, elements + 1) < bytes)
		idmap_put(&m->held, elements + 1, (void *)bytes);
}

static uint32_t dim_pair(PlanMaker *m, DimKind k, const Atom *x)
{
	uint32_t a = dim_of(m, x->a), b = dim_of(m, x->b);
	return dim_add(m, (Dim){.kind = k, .a = a, .b = b});
}

/* ---- scalars ------------------------------------------------------------------------ */

/* What a scalar of the function is called, or what it is the result of. */
static const char *scalar_text(Arena *a, const Function *f, const Node *x)
{
	while (x->op == OP_CAST) x = x->arg[0]; /* a size is an i64, whether or not that is written */
	const char *name = x->op == OP_PARAM ? f->param_name[attr_int(x, 0)] : NULL;
	if (name) return arena_text(a, name);
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name) return arena_text(a, o->name);
	return arena_printf(a, "%s(...)", op_info[x->op].text);
}

/* Where the scalar lies, if something has put it there; + 1. */
static uint32_t scalar_buffer(PlanMaker *m, Node *x)
{
	uint32_t b = m->scope->buffer ? buffer_of(m, x) : 0;
	const Buffer *buffer = m->plan->buffer;
	/* a reshape of an array of one element */
	while (b && buffer[b - 1].space == SPACE_ALIAS && buffer[b - 1].loop == UINT32_MAX)
		b = buffer[b - 1].of + 1;
	return b;
}

static const Function *scope_function(const PlanMaker *m, const PlanScope *s)
{
	return s->around ? s->body.f : m->f;
}

/* The same body, of the same loop?  Loops may share the function that is their body. */
static bool scope_same(const PlanScope *a, const PlanScope *b)
{
	for (; a && b && a->around == b->around && a->body.which == b->body.which; a = a->outer) b = b->outer;
	return a == b;
}

static void scalar_settle(PlanMaker *m, uint32_t i, uint32_t ready)
{
	DimScalar *s = &m->plan->scalar[i];
	bool open = s->buffer == UINT32_MAX && scope_same(m->scalar[i].scope, m->scope);
	uint32_t b = open ? scalar_buffer(m, m->scalar[i].x) : 0;
	if (!b) return;
	s->buffer = b - 1;
	s->loop = m->scope->loop;
	s->ready = m->plan->buffer[b - 1].space == SPACE_INPUT ? 0 : ready;
}

/* A scalar of the body that is planned, or will be: x may not be stored yet. */
static uint32_t scalar_of(PlanMaker *m, Node *x)
{
	Plan *p = m->plan;
	PlanScope *scope = m->scope;
	uint32_t i = 0;
	while (i < p->nscalar && (m->scalar[i].x != x || !scope_same(m->scalar[i].scope, scope))) i++;
	if (i == p->nscalar) {
		bool index = scope->body.bound && x->op == OP_PARAM && !attr_int(x, 0);
		uint32_t cap = m->scalar_cap;
		GROW(m->scratch, p->scalar, p->nscalar, m->scalar_cap);
		GROW(m->scratch, m->scalar, p->nscalar, cap);
		m->scalar[i] = (struct ScalarNode){x, scope};
		p->scalar[i] = (DimScalar){.buffer = UINT32_MAX,
			.loop = UINT32_MAX,
			.below = index ? scope->steps : UINT32_MAX,
			.text = scalar_text(p->arena, scope_function(m, scope), x)};
		p->nscalar++;
		scalar_settle(m, i, scope->settled);
	}
	return dim_add(m, (Dim){.kind = DIM_SCALAR, .a = i});
}

void scalars_settle(PlanMaker *m)
{
	for (uint32_t i = 0; i < m->plan->nscalar; i++) scalar_settle(m, i, m->plan->nstep);
}

/* In a body: of what it captures, or one that each pass brings. */
static uint32_t dim_of_node(PlanMaker *m, Node *x)
{
	PlanScope *scope = m->scope;
	const Body *b = &scope->body;
	if (!scope->around || x->op != OP_PARAM || attr_int(x, 0) < b->bound) return scalar_of(m, x);
	const Size *s = size_of_node(m->g, scope->around->arg[b->first + attr_int(x, 0)]);
	m->scope = scope->outer;
	uint32_t d = dim_of(m, s);
	m->scope = scope;
	return d;
}

static uint32_t dim_of_atom(PlanMaker *m, const Atom *a)
{
	switch (a->kind) {
	case ATOM_PARAM: return m->scope->size[a->index];
	case ATOM_NODE: return dim_of_node(m, a->node);
	case ATOM_FLOORDIV: return dim_pair(m, DIM_FLOORDIV, a);
	case ATOM_MOD: return dim_pair(m, DIM_MOD, a);
	case ATOM_MIN: return dim_pair(m, DIM_MIN, a);
	case ATOM_MAX: return dim_pair(m, DIM_MAX, a);
	default: graph_fail(m->g, ERR_INTERNAL, "a size of an open graph in a plan"); return 0;
	}
}

uint32_t dim_of(PlanMaker *m, const Size *s)
{
	uint32_t sum = UINT32_MAX;
	for (uint32_t t = 0; s && t < s->nterm; t++) {
		uint32_t product = dim_const(m, s->term[t].coef);
		for (uint32_t k = 0; k < s->term[t].natom; k++) {
			uint32_t a = dim_of_atom(m, s->term[t].atom[k]);
			bool alone = !k && s->term[t].coef == 1;
			product = alone ? a : dim_add(m, (Dim){.kind = DIM_MUL, .a = product, .b = a});
		}
		sum = sum == UINT32_MAX ? product
					: dim_add(m, (Dim){.kind = DIM_ADD, .a = sum, .b = product});
	}
	return sum == UINT32_MAX ? dim_const(m, 0) : sum;
}

/* ---- what must hold -------------------------------------------------------------------- */

typedef struct SizeNeeds {
	PlanMaker *m;
	const Function *f;
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
	SizeNeeds *n = user;
	PlanMaker *m = n->m;
	PlanScope *scope = m->scope;
	if (a->kind == ATOM_NODE) return size_named(m->g, scalar_text(m->scratch, n->f, a->node));
	if (a->kind != ATOM_PARAM) return NULL;
	if (n->f->size_name && n->f->size_name[a->index]) return size_named(m->g, n->f->size_name[a->index]);
	if (!scope->around) return NULL;
	SizeNeeds outer = {m, scope_function(m, scope->outer), n->x};
	m->scope = scope->outer;
	const Size *s = size_substitute(
		m->g, scope->around->attr->v[scope->body.sizes + a->index].u.size, named_atom, &outer);
	m->scope = scope;
	return s;
}

static void print_named(Text *t, SizeNeeds *n, const Size *s)
{
	size_print(t, size_substitute(n->m->g, s, named_atom, n));
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
	if (is_sized(n->x))
		type_print(&t, type_substitute(m->g, n->x->type, named_atom, n));
	else
		text_add(&t, op_info[n->x->op].text);
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
	if (is_proved(m->g, a, b, equal)) return;
	Plan *plan = m->plan;
	Requirement r = {.a = dim_of(m, a), .b = dim_of(m, b), .equal = equal};
	if (r.a == r.b) return;
	if (!need_new(m, &r)) return;
	r.text = need_text(n, a, b, equal, !equal && plan->dim[r.a].kind == DIM_CONST);
	r.file = arena_text(plan->arena, where_of(n->x).file);
	r.line = where_of(n->x).line;
	GROW(m->scratch, plan->requirement, plan->nrequirement, m->requirement_cap);
	plan->requirement[plan->nrequirement++] = r;
}

/* A size that may come out negative. */
static void need_sized(SizeNeeds *n, const Size *s)
{
	PlanMaker *m = n->m;
	Plan *p = m->plan;
	if (size_at_most(m->g, size_const(m->g, 0), s)) return;
	uint32_t dim = dim_of(m, s);
	Requirement r = {.a = dim, .b = UINT32_MAX};
	if (!need_new(m, &r)) return;
	Text t;
	text_open(&t, p->arena);
	print_named(&t, n, s);
	GROW(m->scratch, p->sized, p->nsized, m->sized_cap);
	p->sized[p->nsized++] =
		(Sized){dim, r.guard, text_done(&t), arena_text(p->arena, where_of(n->x).file),
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
	x.file = arena_text(p->arena, where_of(n->x).file);
	x.line = where_of(n->x).line;
	Extent *asked = NEW(m->scratch, Extent);
	*asked = x;
	table_add(&m->extents, h, asked);
	GROW(m->scratch, p->extent, p->nextent, m->extent_cap);
	p->extent[p->nextent++] = x;
}

static void need_steps(SizeNeeds *n, const Size *steps)
{
	need_extent(n, (Extent){.dtype = DT_NONE, .rank = 1, .dim = {dim_of(n->m, steps)}});
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
	Extent x = {.dtype = t->dtype, .rank = t->n};
	for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->n; i++) need_shape(n, t->u.elem[i]);
	if (t->kind != TYPE_ARRAY) return;
	for (uint32_t i = 0; i < t->n; i++) {
		need_sized(n, DIM(t, i));
		x.dim[i] = dim_of(n->m, DIM(t, i));
	}
	if (t->n && !is_held(n->m, t)) need_extent(n, x);
}

/* A dim that is above 0 where a body runs, in the body around it, whose steps these are: 0 or 1. */
static uint32_t guard_of(PlanMaker *m, uint32_t steps)
{
	const Dim d = m->plan->dim[steps];
	uint32_t around = scope_guard(m);
	if (d.kind == DIM_CONST && d.value > 0) return around;
	uint32_t one = around == GUARD_NONE ? dim_const(m, 1) : around;
	return dim_add(m, (Dim){.kind = DIM_MIN, .a = one, .b = steps});
}

/* A condition as a number, in the scope that it is computed in. */
static uint32_t dim_of_condition(PlanMaker *m, Node *c)
{
	PlanScope *scope = m->scope, *s = scope;
	int64_t known;
	while (s->around && c->op == OP_PARAM && attr_int(c, 0) >= s->body.bound) {
		c = s->around->arg[s->body.first + attr_int(c, 0)];
		s = s->outer;
	}
	m->scope = s;
	uint32_t d = constant_integer(c, &known) ? dim_const(m, known) : scalar_of(m, c);
	m->scope = scope;
	return d;
}

/* 1 where the condition says so, in the scope around the branch. */
static uint32_t guard_of_side(PlanMaker *m, const PlanScope *s)
{
	uint32_t taken = dim_of_condition(m, s->around->arg[0]);
	if (s->body.which) {
		uint32_t less = dim_add(m, (Dim){.kind = DIM_MUL, .a = dim_const(m, -1), .b = taken});
		taken = dim_add(m, (Dim){.kind = DIM_ADD, .a = dim_const(m, 1), .b = less});
	}
	return guard_of(m, taken);
}

/* That of a branch's side, and of loops in it, is made when something asks for it, as it costs a phase. */
static uint32_t scope_guard(PlanMaker *m)
{
	PlanScope *s = m->scope;
	if (s->guard != GUARD_UNMADE) return s->guard;
	m->scope = s->outer;
	s->guard = s->around->op == OP_SCAN ? guard_of(m, s->steps) : guard_of_side(m, s);
	m->scope = s;
	return s->guard;
}

static void note_data(void *user, const Atom *a)
{
	*(bool *)user |= a->data || a->kind == ATOM_NODE;
}

/* A size that a body is given, in the scope around it: what data makes of it may have no number where the body
 * does not run. */
static uint32_t dim_given(PlanMaker *m, PlanScope *inner, const Size *given)
{
	PlanScope *outer = m->scope;
	uint32_t around = outer->guard;
	bool data = false;
	size_atoms(given, note_data, &data);
	if (!data) return dim_of(m, given);
	m->scope = inner;
	uint32_t guard = scope_guard(m);
	m->scope = outer;
	outer->guard = guard;
	uint32_t d = dim_of(m, given);
	outer->guard = around;
	return d;
}

/* The scope of a body, within the one that is planned. */
PlanScope *scope_of_body(PlanMaker *m, const Node *x, const Body *b)
{
	PlanScope *s = NEW(m->scratch, PlanScope);
	uint32_t n = b->f->nsize, *size = NEW_ARRAY(m->scratch, uint32_t, n);
	*s = (PlanScope){.outer = m->scope,
		.around = x,
		.body = *b,
		.size = size,
		.loop = UINT32_MAX,
		.steps = UINT32_MAX,
		.guard = GUARD_UNMADE};
	if (x->op == OP_SCAN) {
		s->steps = dim_of(m, size_of_node(m->g, x->arg[0]));
		if (m->scope->guard != GUARD_UNMADE) s->guard = guard_of(m, s->steps);
	}
	for (uint32_t k = 0; k < n; k++) size[k] = dim_given(m, s, x->attr->v[b->sizes + k].u.size);
	return s;
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
	for (uint32_t i = 0; i < r->n && !m->g->error.code; i++) {
		SizeNeeds n = {m, f, r->node[i]};
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

/* ---- when all is planned ------------------------------------------------------------------ */

/* What computes each size lives until the phase that it begins. */
bool scalars_done(PlanMaker *m)
{
	Plan *p = m->plan;
	for (uint32_t i = 0; i < p->nscalar; i++) {
		if (p->scalar[i].buffer == UINT32_MAX)
			return graph_fail(
				m->g, ERR_INTERNAL, "the size %s is never computed", p->scalar[i].text);
		if (p->scalar[i].ready) touch(m, p->scalar[i].buffer, p->scalar[i].ready);
	}
	return true;
}
