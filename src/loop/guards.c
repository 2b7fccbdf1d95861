/* guards.c - where what belongs to a body may fail: there alone where that runs.
 *
 * A guard is a dim that is above 0 where a body runs: of a loop its steps, 0 or 1; of a branch's side the
 * condition.  What a side needs waits for its guard; as that costs a phase, it is made when it is asked for.
 */
#include "make.h"

/* What has this guard is used in the scope as well: the guard of the innermost body around both uses. */
uint32_t common_guard(PlanMaker *m, uint32_t guard)
{
	if (guard != GUARD_NONE) scope_guard(m);
	/* a guard's own is that of the body around */
	for (; guard != GUARD_NONE; guard = m->plan->dim[guard].guard)
		for (const PlanScope *s = m->scope; s; s = s->outer)
			if (s->guard == guard) return guard;
	return GUARD_NONE;
}

/* The innermost guard that is made: good enough for what cannot fail. */
uint32_t guard_around(const PlanMaker *m)
{
	const PlanScope *s = m->scope;
	while (s->guard == GUARD_UNMADE) s = s->outer;
	return s->guard;
}

static bool is_above_none(const PlanMaker *m, uint32_t dim)
{
	const Dim *all = m->plan->dim, *d = &all[dim];
	if (d->kind == DIM_MAX) return is_above_none(m, d->a) || is_above_none(m, d->b);
	return d->kind == DIM_CONST && d->value > 0;
}

/* Has it a value only where its body runs?  What is made of data, or of a quotient by a size that may be 0;
 * those lie in m->of_data. */
bool dim_is_of_data(const PlanMaker *m, const Dim *d)
{
	if (d->kind <= DIM_SCALAR) return d->kind == DIM_SCALAR;
	if ((d->kind == DIM_FLOORDIV || d->kind == DIM_MOD) && !is_above_none(m, d->b)) return true;
	return idmap_get(&m->of_data, d->a + 1) || idmap_get(&m->of_data, d->b + 1);
}

/* Of a branch's side only what may fail, being past 64 bits or made of data, waits for the condition. */
uint32_t guard_of_dim(PlanMaker *m, const Dim *d)
{
	const Dim *all = m->plan->dim;
	if (d->kind <= DIM_SCALAR) return GUARD_NONE;
	bool number = all[d->a].kind == DIM_CONST || all[d->b].kind == DIM_CONST;
	bool sum = d->kind != DIM_MUL && d->kind != DIM_FLOORDIV && d->kind != DIM_MOD;
	return (sum || number) && !dim_is_of_data(m, d) ? guard_around(m) : scope_guard(m);
}

/* ---- making them ------------------------------------------------------------------------------ */

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
	uint32_t d = constant_integer(c, &known) ? dim_const(m, known) : dim_of_scalar(m, c);
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

/* Of a loop that a condition may end before its first pass. */
static uint32_t guard_of_while(PlanMaker *m, const PlanScope *s)
{
	uint32_t steps = guard_of(m, s->steps), begins = dim_of_condition(m, s->around->arg[1]);
	if (steps == GUARD_NONE) return guard_of(m, begins);
	return dim_add(m, (Dim){.kind = DIM_MIN, .a = steps, .b = begins});
}

/* What depends on a condition, and loops in it, has a guard when something asks for it: it costs a phase. */
uint32_t scope_guard(PlanMaker *m)
{
	PlanScope *s = m->scope;
	if (s->guard != GUARD_UNMADE) return s->guard;
	m->scope = s->outer;
	if (s->around->op != OP_SCAN)
		s->guard = guard_of_side(m, s);
	else
		s->guard = scan_is_while(s->around) ? guard_of_while(m, s) : guard_of(m, s->steps);
	m->scope = s;
	return s->guard;
}

static void note_data(void *user, const Atom *a)
{
	*(bool *)user |= a->data || a->kind == ATOM_NODE;
}

/* A number as it is, which can be no other. */
static bool is_plain(const Size *s)
{
	return s->nterm == 1 && s->term[0].coef == 1 && s->term[0].natom == 1 &&
		s->term[0].atom[0]->kind <= ATOM_NODE;
}

uint32_t dim_given(PlanMaker *m, PlanScope *inner, const Size *given)
{
	PlanScope *outer = m->scope;
	uint32_t around = outer->guard;
	bool data = false;
	size_atoms(given, note_data, &data);
	if (!data || is_plain(given)) return dim_of(m, given);
	PlanScope *asks = m->asks;
	m->scope = inner;
	m->asks = NULL;
	uint32_t guard = scope_guard(m);
	m->asks = asks;
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
		bool known = m->scope->guard != GUARD_UNMADE && !scan_is_while(x);
		if (known) s->guard = guard_of(m, s->steps);
	}
	for (uint32_t k = 0; k < n; k++) size[k] = dim_given(m, s, x->attr->v[b->sizes + k].u.size);
	return s;
}
