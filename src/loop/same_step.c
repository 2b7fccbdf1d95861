/* same_step.c - which steps are the same but for sizes, arrays and loops' numbers, and where those stand. */
#include "same.h"

uint32_t buffer_base(const Plan *p, uint32_t i)
{
	while (p->buffer[i].space == SPACE_ALIAS && p->buffer[i].loop == UINT32_MAX) i = p->buffer[i].of;
	return i;
}

bool buffer_is_filled(const Plan *p, uint32_t i)
{
	const Buffer *b = &p->buffer[i];
	const Dim *d = &p->dim[elements_dim(p, b)];
	bool one = d->kind == DIM_CONST && d->value <= 1;
	return b->space == SPACE_CONST && !one &&
		p->constant[b->constant].bytes == dtype_bytes((Dtype)b->dtype);
}

/* ---- places --------------------------------------------------------------------------------------- */

typedef struct Places {
	const Plan *plan;
	Place *place; /* NULL: they are counted */
	uint32_t n;
} Places;

static void add(Places *v, PlaceKind kind, uint32_t number)
{
	if (v->place) v->place[v->n] = (Place){kind, number};
	v->n++;
}

static void add_array(Places *v, uint32_t i)
{
	add(v, PLACE_ARRAY, buffer_base(v->plan, i));
}

static void add_loop(Places *v, const Step *s)
{
	add(v, PLACE_LOOP, s->loop);
	add(v, PLACE_DIM, s->steps);
	if (s->condition) add_array(v, s->condition - 1);
	if (s->index != UINT32_MAX) add_array(v, s->index);
	for (uint32_t i = 0; i < s->ncarry; i++) {
		const struct Carry *c = &s->carry[i];
		add_array(v, c->now);
		add_array(v, c->first);
		add_array(v, c->next);
		add(v, PLACE_DIM, elements_dim(v->plan, &v->plan->buffer[c->now]));
	}
}

/* The user's operators and effects are told the sizes of all axes. */
static bool tells_axes(const Step *s)
{
	return s->kind == STEP_CORE && !core_has_items(s);
}

uint32_t step_places(const Plan *p, const Step *s, Place *place)
{
	Places v = {p, place, 0};
	if (s->kind == STEP_LOOP) {
		add_loop(&v, s);
		return v.n;
	}
	bool axes = tells_axes(s);
	for (uint32_t i = 0; !axes && i < s->call->nparam; i++) add(&v, PLACE_DIM, s->call->param[i]);
	for (uint32_t i = 0; i < s->call->nbuffer; i++) add_array(&v, s->buffer[i]);
	for (uint32_t i = 0; axes && i < s->call->nbuffer; i++)
		for (uint32_t k = 0; k < p->buffer[s->buffer[i]].rank; k++)
			add(&v, PLACE_DIM, buffer_dims(p, s->buffer[i])[k]);
	return v.n;
}

/* ---- what may be one ------------------------------------------------------------------------------ */

/* Has the array a place, which a row can say, and from which a loop moves it? */
static bool has_place(const Plan *p, uint32_t i)
{
	uint32_t all = buffer_base(p, i), from = all;
	while (p->buffer[from].space == SPACE_ALIAS) from = buffer_base(p, p->buffer[from].of);
	return from == all || p->buffer[from].space != SPACE_CONST;
}

bool step_may_come_again(const Plan *p, const Step *s)
{
	bool good = true;
	for (uint32_t i = 0; good && i < s->call->nbuffer; i++) good = has_place(p, s->buffer[i]);
	if (!good || s->kind != STEP_LOOP) return good;
	good = !s->phase && (!s->condition || has_place(p, s->condition - 1));
	for (uint32_t i = 0; good && i < s->ncarry; i++) good = has_place(p, s->carry[i].first);
	return good;
}

static bool dim_same(const Plan *p, uint32_t a, uint32_t b)
{
	const Dim *x = &p->dim[a], *y = &p->dim[b];
	bool number = x->kind == DIM_CONST;
	return number == (y->kind == DIM_CONST) && (!number || x->value == y->value);
}

/* Constants that are no fill are what they are: their elements stand where they are used. */
static bool array_same(const Plan *p, uint32_t a, uint32_t b)
{
	a = buffer_base(p, a);
	b = buffer_base(p, b);
	bool own = p->buffer[a].space == SPACE_CONST && !buffer_is_filled(p, a);
	bool other = p->buffer[b].space == SPACE_CONST && !buffer_is_filled(p, b);
	return own == other && (!own || a == b);
}

static bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool effect_same(const Effect *a, const Effect *b)
{
	bool same = a->kind == b->kind && a->npass == b->npass && a->nvalue == b->nvalue &&
		a->where.line == b->where.line && text_same(a->where.file, b->where.file) &&
		text_same(a->text, b->text);
	for (uint32_t i = 0; same && i < a->nvalue; i++) same = text_same(a->name[i], b->name[i]);
	return same;
}

/* Of what no kernel and no core's integers tell: dtypes, ranks, and what is done with them. */
static bool axes_same(const Plan *p, const Step *s, const Step *t)
{
	const StepCall *a = s->call, *b = t->call;
	bool same = a->core == CORE_EFFECT
		? effect_same(a->effect, b->effect)
		: text_same(((const Custom *)a->custom)->name, ((const Custom *)b->custom)->name);
	for (uint32_t i = 0; same && i < a->nbuffer; i++) {
		const Buffer *x = &p->buffer[s->buffer[i]], *y = &p->buffer[t->buffer[i]];
		same = x->dtype == y->dtype && x->rank == y->rank;
		for (uint32_t k = 0; same && k < x->rank; k++)
			same = dim_same(p, buffer_dims(p, s->buffer[i])[k], buffer_dims(p, t->buffer[i])[k]);
	}
	return same;
}

static bool call_same(const Plan *p, const Step *s, const Step *t)
{
	const StepCall *a = s->call, *b = t->call;
	if (a->core != b->core || a->dtype != b->dtype || a->nbuffer != b->nbuffer ||
		a->nparam != b->nparam || a->nconstant != b->nconstant ||
		memcmp(call_constants(a), call_constants(b), a->nconstant * sizeof *call_constants(a)) != 0)
		return false;
	if (s->kind == STEP_KERNEL && a->kernel != b->kernel) return false;
	if (tells_axes(s) && !axes_same(p, s, t)) return false;
	for (uint32_t i = 0; i < a->nparam; i++)
		if (!dim_same(p, a->param[i], b->param[i])) return false;
	for (uint32_t i = 0; i < a->nbuffer; i++)
		if (!array_same(p, s->buffer[i], t->buffer[i])) return false;
	return true;
}

/* Does it begin where it is carried? */
static bool stays(const Plan *p, const struct Carry *c)
{
	return buffer_base(p, c->now) == buffer_base(p, c->first);
}

static bool loop_same(const Plan *p, const Step *s, const Step *t)
{
	bool same = s->back == t->back && s->unless == t->unless && s->whiles == t->whiles &&
		!s->condition == !t->condition && (s->index == UINT32_MAX) == (t->index == UINT32_MAX) &&
		s->ncarry == t->ncarry && dim_same(p, s->steps, t->steps) &&
		(!s->condition || array_same(p, s->condition - 1, t->condition - 1));
	for (uint32_t i = 0; same && i < s->ncarry; i++) {
		uint32_t x = s->carry[i].now, y = t->carry[i].now;
		same = p->buffer[x].dtype == p->buffer[y].dtype &&
			(x == s->carry[i].next) == (y == t->carry[i].next) &&
			stays(p, &s->carry[i]) == stays(p, &t->carry[i]) &&
			dim_same(p, elements_dim(p, &p->buffer[x]), elements_dim(p, &p->buffer[y])) &&
			array_same(p, s->carry[i].first, t->carry[i].first);
	}
	return same;
}

bool step_same(const Plan *p, const Step *s, const Step *t)
{
	if (s->kind != t->kind) return false;
	return s->kind == STEP_LOOP ? loop_same(p, s, t) : call_same(p, s, t);
}

uint32_t step_hash(const Step *s)
{
	if (s->kind == STEP_LOOP) return hash_mix(s->ncarry, s->whiles + 2u * s->back + 4u * s->unless);
	uint32_t h = hash_mix(s->call->core + 31u * s->call->dtype,
		s->kind == STEP_KERNEL ? s->call->kernel->index : UINT32_MAX);
	return hash_mix(h, s->call->nparam + 7u * s->call->nconstant);
}
