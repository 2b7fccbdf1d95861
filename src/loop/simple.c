/* simple.c - steps of the simple cores (cumulative sums, scatters, top-k, QR, triangular solves), and of
 * operators of the user's. */
#include "make.h"
#include "../cores/items.h"

static const Size *product(PlanMaker *m, const Type *t, uint32_t from, uint32_t to)
{
	const Size *s = size_const(m->g, 1);
	for (uint32_t i = from; i < to; i++) s = size_mul(m->g, s, DIM(t, i));
	return s;
}

/* A bool is 0 or 1: both hold where the smaller does. */
static int64_t scatter_kind(Op op)
{
	switch (op) {
	case OP_SCATTER_SET: return SCATTERS_SET;
	case OP_SCATTER_MAX:
	case OP_SCATTER_OR: return SCATTERS_MAX;
	case OP_SCATTER_MIN:
	case OP_SCATTER_AND: return SCATTERS_MIN;
	case OP_SCATTER_MUL: return SCATTERS_MUL;
	default: return SCATTERS_ADD;
	}
}

/* ---- operands, and scatters in place ------------------------------------------------------- */

static bool is_data(PlanMaker *m, Node *x)
{
	return x->op == OP_CONST && !constant_is_uniform(x) && !buffer_of(m, x);
}

/* Where an operand lies.  Data lie in the plan, once for all cores that read them. */
static uint32_t operand(PlanMaker *m, Node *x)
{
	if (!is_data(m, x)) return buffer_need(m, x);
	void **at = idmap_slot(&m->data, x->id);
	if (!*at) *at = (void *)(uintptr_t)(constant_buffer(m, x) + 1);
	return (uint32_t)(uintptr_t)*at - 1;
}

/* Does a step of its own make the array that a scatter changes, for this scatter alone? */
static bool is_made_for(const PlanMaker *m, const Node *x)
{
	const PlanScope *s = m->scope;
	uint32_t place = is_scatter(x) ? region_place(s->r, x->arg[0]) : UINT32_MAX;
	if (place == UINT32_MAX || s->reader[place] != x || !s->groups->root[place]) return false;
	switch (op_info[x->arg[0]->op].class) {
	case MAP:
	case FOLD:
	case CONTRACT:
	case CUMULATIVE:
	case INDEX: return x->arg[0]->type->kind == TYPE_ARRAY;
	default: return false;
	}
}

/* By place: the node that alone reads it, or the node itself where several do, or a result is it. */
static void list_readers(PlanMaker *m, Nodes results)
{
	PlanScope *s = m->scope;
	s->reader = NEW_ARRAY(m->scratch, const Node *, s->r->n);
	for (uint32_t i = 0; i < s->r->n; i++)
		for (uint32_t k = 0; k < s->r->node[i]->narg; k++) {
			uint32_t of = region_place(s->r, s->r->node[i]->arg[k]);
			if (of != UINT32_MAX) s->reader[of] = s->reader[of] ? s->r->node[of] : s->r->node[i];
		}
	for (uint32_t i = 0; i < results.n; i++) {
		uint32_t of = region_place(s->r, results.v[i]);
		s->reader[of] = s->r->node[of];
	}
}

/* What a result's scatter changes is made where the result lies. */
void scatters_in_place(PlanMaker *m, Nodes results)
{
	PlanScope *s = m->scope;
	list_readers(m, results);
	for (uint32_t i = s->r->n; i-- > 0;)
		if (s->target[i] && is_made_for(m, s->r->node[i]))
			s->target[region_place(s->r, s->r->node[i]->arg[0])] = s->target[i];
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void scatter_call(PlanMaker *m, const Node *x, StepCall *c, uint32_t *p)
{
	const Type *t = x->arg[0]->type;
	uint32_t axis = (uint32_t)attr_int(x, 0);
	p[0] = dim_const(m, scatter_kind((Op)x->op));
	p[1] = dim_of(m, product(m, t, 0, axis));
	p[2] = dim_of(m, DIM(t, axis));
	p[3] = dim_of(m, product(m, t, axis + 1, t->n));
	p[4] = dim_of(m, type_elements(m->g, x->arg[1]->type));
	c->core = CORE_SCATTER;
	c->nparam = 5;
}

void simple_plan(PlanMaker *m, Node *x, uint32_t target)
{
	const Type *t = x->arg[0]->type;
	uint32_t b[5], p[5], n = 0;
	if (!target && is_made_for(m, x)) target = buffer_need(m, x->arg[0]) + 1;
	for (uint32_t k = 0; k < (uint32_t)op_info[x->op].args; k++) b[n++] = operand(m, x->arg[k]);
	const Type *result[2] = {x->type};
	uint32_t nresult = 1;
	if (x->type->kind == TYPE_TUPLE)
		for (nresult = 0; nresult < x->type->n; nresult++) result[nresult] = x->type->u.elem[nresult];
	for (uint32_t k = 0; k < nresult; k++)
		b[n++] = target && nresult == 1 ? target - 1 : buffer_new(m, result[k], SPACE_WORK);
	StepCall c = {.dtype = (uint8_t)node_dtype(x->arg[0]), .nbuffer = (uint16_t)n, .param = p};
	switch (x->op) {
	case OP_CUMSUM: {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		p[0] = dim_of(m, product(m, t, 0, axis));
		p[1] = dim_of(m, DIM(t, axis));
		p[2] = dim_of(m, product(m, t, axis + 1, t->n));
		c.core = CORE_CUMSUM;
		c.nparam = 3;
		break;
	}
	case OP_TOP_K:
		p[0] = dim_of(m, product(m, t, 0, t->n - 1));
		p[1] = dim_of(m, DIM(t, t->n - 1));
		p[2] = dim_of(m, x->attr->v[0].u.size);
		c.core = CORE_TOP_K;
		c.nparam = 3;
		break;
	case OP_QR:
		p[0] = dim_of(m, product(m, t, 0, t->n - 2));
		p[1] = dim_of(m, DIM(t, t->n - 2));
		p[2] = dim_of(m, DIM(t, t->n - 1));
		c.core = CORE_QR;
		c.nparam = 3;
		break;
	case OP_TRI_SOLVE:
		p[0] = dim_const(m, attr_int(x, 0));
		p[1] = dim_const(m, attr_int(x, 1));
		p[2] = dim_of(m, product(m, t, 0, t->n - 2));
		p[3] = dim_of(m, DIM(t, t->n - 1));
		p[4] = dim_of(m, node_dim(x->arg[1], t->n - 1));
		c.core = CORE_TRI_SOLVE;
		c.nparam = 5;
		break;
	default: scatter_call(m, x, &c, p); break;
	}
	core_step(m, x, &c, b);
	set_results(m, x, b + n - nresult);
}

/* What happens goes with the plan, which outlives the graph. */
void effect_plan(PlanMaker *m, Node *x)
{
	Arena *a = m->plan->arena;
	Effect *e = NEW(a, Effect);
	effect_read(m->scratch, x, e);
	const char **name = NEW_ARRAY(a, const char *, e->nvalue);
	uint32_t n = e->npass + e->nvalue, *b = NEW_ARRAY(m->scratch, uint32_t, n);
	if (n > BUFFERS_MAX) {
		graph_fail(m->g, ERR_UNSUPPORTED, "an effect of more than %d arrays and loops around it",
			BUFFERS_MAX);
		return;
	}
	for (uint32_t i = 0; i < e->nvalue; i++) name[i] = arena_text(a, e->name[i]);
	e->name = name;
	e->text = arena_text(a, e->text);
	e->where.file = plan_text(m, e->where.file);
	for (uint32_t k = 0; k < n; k++) b[k] = buffer_need(m, x->arg[1 + k]);
	core_step(m, x, &(StepCall){.core = CORE_EFFECT, .effect = e, .nbuffer = (uint16_t)n}, b);
}

/* An operator of the user's: its descriptor goes with the plan, which outlives the graph. */
void custom_plan(PlanMaker *m, Node *x)
{
	Arena *a = m->plan->arena;
	uint32_t nin = node_operands(x), nout = x->type->kind == TYPE_TUPLE ? x->type->n : 1,
		 count = dim_const(m, nin);
	uint32_t *b = NEW_ARRAY(m->scratch, uint32_t, nin + nout);
	if (nin + nout > BUFFERS_MAX) {
		graph_fail(m->g, ERR_UNSUPPORTED, "a custom operator of more than %d arrays", BUFFERS_MAX);
		return;
	}
	for (uint32_t k = 0; k < nin; k++) b[k] = buffer_need(m, x->arg[k]);
	for (uint32_t k = 0; k < nout; k++)
		b[nin + k] = buffer_new(m,
			nout == 1 && x->type->kind == TYPE_ARRAY ? x->type : x->type->u.elem[k], SPACE_WORK);
	Custom *c = NEW(a, Custom);
	*c = *(const Custom *)x->attr->v[0].u.custom;
	c->name = arena_text(a, c->name);
	c->next = NULL;
	c->c_text = arena_text(a, c->c_text);
	core_step(m, x,
		&(StepCall){.core = CORE_CUSTOM,
			.custom = c,
			.nbuffer = (uint16_t)(nin + nout),
			.nparam = 1,
			.param = &count},
		b);
	set_results(m, x, b + nin);
}
