/* dims.c - sizes of a plan: the tape of dims, and the scalars it reads. */
#include "make.h"

/* ---- the tape ---------------------------------------------------------------------- */

typedef struct NumberedDim {
	Dim d;
	uint32_t n;
} NumberedDim;

/* guard: that of the dim that is wanted; GUARD_UNMADE: whichever it has */
typedef struct WantedDim {
	const PlanMaker *m;
	const Dim *d;
	uint32_t guard;
} WantedDim;

static bool dim_same(const void *item, const void *key)
{
	const NumberedDim *x = item;
	const WantedDim *w = key;
	const Dim *a = &x->d, *b = w->d;
	return a->kind == b->kind && a->value == b->value && a->a == b->a && a->b == b->b &&
		(w->guard == GUARD_UNMADE || w->m->plan->dim[x->n].guard == w->guard);
}

/* One of data that is computed wherever what has this guard runs: its guard is that or one around it. */
static NumberedDim *dim_within(PlanMaker *m, uint32_t h, const Dim *d, uint32_t guard)
{
	for (;; guard = m->plan->dim[guard].guard) {
		NumberedDim *item = table_find(&m->dims, h, &(WantedDim){m, d, guard}, dim_same);
		if (item || guard == GUARD_NONE) return item;
	}
}

/* Of data there is one for each body that asks for it and is within no other that does: where two sides share
 * no guard, neither may fail for the other.  Else there is one, where all that ask for it run. */
static NumberedDim *dim_known(PlanMaker *m, uint32_t h, Dim *d)
{
	NumberedDim *item;
	if (!dim_is_of_data(m, d)) {
		item = table_find(&m->dims, h, &(WantedDim){m, d, GUARD_UNMADE}, dim_same);
		if (!item) {
			d->guard = guard_of_dim(m, d);
			return NULL;
		}
		uint32_t guard = common_guard(m, m->plan->dim[item->n].guard);
		m->plan->dim[item->n].guard = guard;
		return item;
	}
	if ((item = dim_within(m, h, d, guard_around(m)))) return item;
	d->guard = guard_of_dim(m, d);
	return dim_within(m, h, d, d->guard);
}

uint32_t dim_add(PlanMaker *m, Dim d)
{
	uint32_t h = hash_mix(hash_mix(hash_mix(d.kind, (uint64_t)d.value), d.a), d.b);
	NumberedDim *item = dim_known(m, h, &d);
	if (item) return item->n;
	item = NEW(m->scratch, NumberedDim);
	GROW(m->scratch, m->plan->dim, m->plan->ndim, m->dim_cap);
	m->plan->dim[m->plan->ndim] = d;
	item->d = d;
	item->n = m->plan->ndim++;
	if (dim_is_of_data(m, &d)) idmap_put(&m->of_data, item->n + 1, item);
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

/* A loop in pieces asks whether it is too long as a whole: that is told of all its steps. */
static const Node *asked_of(const Node *x)
{
	int64_t most;
	for (uint32_t i = 0; x->op == OP_MAXIMUM && i < 2; i++)
		if (x->arg[i]->op == OP_WHERE && x->arg[1 - i]->op == OP_CONST) x = x->arg[i];
	bool asks = x->op == OP_WHERE && x->arg[0]->op == OP_LE && x->arg[0]->arg[0] == x->arg[2];
	return asks && constant_integer(x->arg[0]->arg[1], &most) && most == LARGEST ? x->arg[2] : x;
}

/* What a scalar of the function is called, or what it is the result of. */
const char *scalar_text(Arena *a, const Within *at, const Node *x)
{
	Text t;
	text_open(&t, a);
	scalar_print(&t, at, asked_of(x));
	return text_done(&t);
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

const Function *scope_function(const PlanMaker *m, const PlanScope *s)
{
	return s->around ? s->body.f : m->f;
}

const Within *scope_names(const PlanMaker *m, const PlanScope *s)
{
	Within *at = NEW(m->scratch, Within);
	*at = (Within){.f = scope_function(m, s), .around = s->around, .body = &s->body};
	if (s->around) at->outer = scope_names(m, s->outer);
	return at;
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
uint32_t dim_of_scalar(PlanMaker *m, Node *x)
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
			.text = scalar_text(p->arena, scope_names(m, scope), x)};
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
	if (!scope->around || x->op != OP_PARAM || attr_int(x, 0) < b->bound) return dim_of_scalar(m, x);
	const Size *s = size_of_node(m->g, scope->around->arg[b->first + attr_int(x, 0)]);
	PlanScope *asks = m->asks;
	if (!asks) m->asks = scope;
	m->scope = scope->outer;
	uint32_t d = dim_given(m, m->asks, s);
	m->scope = scope;
	m->asks = asks;
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
	if (sum == UINT32_MAX) return dim_const(m, 0);
	bool waits = m->scope->guard == GUARD_UNMADE && dim_is_of_data(m, &m->plan->dim[sum]);
	if (waits) scope_guard(m); /* it is no size, perhaps, where the body does not run */
	return sum;
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
