/* build.c - a lowered function to a plan: buffers, steps, loops.
 *
 * needs: a verified closed function without calls
 * gives: the plan, on an arena of its own
 */
#include "make.h"

/* ---- what lies nowhere yet ------------------------------------------------------------ */

static void plan_root(PlanMaker *m, Node *x, uint32_t target);

/* Stores `force`, which the kernel of x could not hold, so that x can be tried again; what has been planned
 * stays. False: it is x itself or stored already, or an error. */
static bool store_first(PlanMaker *m, const Node *x, const Node *force)
{
	if (m->g->error.code || !force || force == x) return false;
	Groups *gr = m->scope->groups;
	uint32_t p = region_place(m->scope->r, force), place = region_place(m->scope->r, x);
	if (!gr || p == UINT32_MAX || gr->root[p]) return false;
	gr->root[p] = 1;
	if (op_info[force->op].class == FOLD) gr->rows[p] = (Node *)force;
	if (place != UINT32_MAX && gr->rows[place] == force)
		gr->rows[place] = op_info[x->op].class == FOLD ? (Node *)x : NULL;
	plan_root(m, (Node *)force, 0);
	return !m->g->error.code;
}

/* The kernel of x, what it cannot hold stored first.  False: `force` cannot be stored, or an error. */
bool kernel_stored(PlanMaker *m, Node *x, uint32_t buffer, const StoreTarget *target,
	const Node **force)
{
	while (!kernel_make(m, x, buffer, target, force))
		if (!store_first(m, x, *force)) return false;
	return true;
}

uint32_t buffer_need(PlanMaker *m, Node *x)
{
	uint32_t b = buffer_of(m, x);
	if (b) return b - 1;
	const Node *force;
	uint32_t to = buffer_new(m, x->type, SPACE_WORK);
	if (!kernel_stored(m, x, to, NULL, &force)) {
		if (!m->g->error.code)
			graph_fail(m->g, ERR_INTERNAL, "%s: it cannot be stored (at %s)", op_info[x->op].text,
				force ? op_info[force->op].text : "?");
		return 0;
	}
	/* a zero that only this loop begins with is no node of the body */
	if (region_place(m->scope->r, x) != UINT32_MAX) buffer_set(m, x, to);
	return to;
}

/* ---- views that are written in parts --------------------------------------------------------- */

/* Compute the part x into its place: element (i...) at offset + strides. */
static bool store_part(PlanMaker *m, Node *x, uint32_t buffer, const Size *offset, const Size *const *stride)
{
	const Node *force;
	StoreTarget target = {buffer, offset, stride};
	if (kernel_stored(m, x, buffer, &target, &force)) return true;
	if (!m->g->error.code)
		buffer_need(m, x); /* too large to be computed in passing: stored, then copied */
	return !m->g->error.code && kernel_make(m, x, buffer, &target, &force);
}

static void compact_strides(PlanMaker *m, const Type *t, const Size **stride)
{
	const Size *s = size_const(m->g, 1);
	for (uint32_t i = t->n; i-- > 0;) {
		stride[i] = s;
		s = size_mul(m->g, s, DIM(t, i));
	}
}

/* One number, which no fold makes. */
static bool is_single(const PlanMaker *m, const Node *x)
{
	uint32_t place = region_place(m->scope->r, x);
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (!size_equals(node_dim(x, i), 1)) return false;
	return node_dtype(x) != DT_KEY && !m->scope->groups->rows[place] && op_info[x->op].class != FOLD;
}

enum { SINGLES = 64 }; /* in one kernel */

/* Parts that are single numbers, one behind the other: one kernel for as many as it can hold; gives how
 * many. */
static uint32_t store_singles(PlanMaker *m, uint32_t n, Node *const *x, StoreTarget first)
{
	uint32_t run = 0, to[SINGLES];
	StoreTarget target[SINGLES];
	for (; run < n && run < SINGLES && is_single(m, x[run]); run++) {
		to[run] = first.buffer;
		target[run] = first;
		target[run].offset = size_add(m->g, first.offset, size_const(m->g, run));
	}
	return run > 1 ? kernel_of_singles(m, run, x, to, target) : 0;
}

static void plan_parts(PlanMaker *m, Node *x, uint32_t buffer)
{
	Graph *g = m->g;
	const Size *stride[RANK_MAX], *offset = size_const(g, 0);
	compact_strides(m, x->type, stride);
	if (x->op == OP_CONCAT) {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		for (uint32_t k = 0; k < x->narg;) {
			StoreTarget here = {buffer, offset, stride};
			uint32_t singles = store_singles(m, x->narg - k, x->arg + k, here);
			if (!singles && !store_part(m, x->arg[k], buffer, offset, stride)) return;
			for (uint32_t end = k + (singles ? singles : 1); k < end; k++) {
				const Size *step = size_mul(g, node_dim(x->arg[k], axis), stride[axis]);
				offset = size_add(g, offset, step);
			}
		}
		return;
	}
	uint32_t n = node_rank(x);
	for (uint32_t i = 0; i < n; i++) {
		offset = size_add(g, offset, size_mul(g, x->attr->v[i].u.size, stride[i]));
		stride[i] = size_mul(g, stride[i], size_const(g, x->attr->v[2 * n + i].u.i));
	}
	if (kernel_fill(m, x->type, buffer)) store_part(m, x->arg[0], buffer, offset, stride);
}

/* ---- a body ---------------------------------------------------------------------------------------- */

static void plan_root(PlanMaker *m, Node *x, uint32_t target)
{
	const Node *force;
	switch (op_info[x->op].class) {
	case CUMULATIVE:
	case SOLVE: simple_plan(m, x, target); return;
	case CONTRACT:
		if (m->scope->groups->few[region_place(m->scope->r, x)]) break;
		contract_plan(m, x, target);
		return;
	case INDEX:
		if (x->op == OP_GATHER || x->op == OP_ONE_HOT) break;
		simple_plan(m, x, target);
		return;
	case CONTROL:
		if (x->op == OP_SCAN)
			scan_plan(m, x);
		else if (x->op == OP_IF)
			branch_plan(m, x);
		else if (x->op == OP_CUSTOM)
			custom_plan(m, x);
		else if (x->op == OP_ORDER)
			effect_plan(m, x);
		else if (x->op != OP_TUPLE && x->op != OP_GET)
			graph_fail(m->g, ERR_UNSUPPORTED, "%s is not supported by the compiled tiers yet",
				op_info[x->op].text);
		return;
	default: break;
	}
	if (x->type->kind != TYPE_ARRAY) return;
	uint32_t b = target ? target - 1 : buffer_new(m, x->type, SPACE_WORK);
	if (x->op == OP_PAD || x->op == OP_CONCAT) {
		plan_parts(m, x, b);
	} else if (!kernel_stored(m, x, b, NULL, &force)) {
		if (!m->g->error.code)
			graph_fail(m->g, ERR_INTERNAL, "%s: no kernel holds it (at %s)", op_info[x->op].text,
				force ? op_info[force->op].text : "?");
		return;
	}
	buffer_set(m, x, b);
}

/* A loop's index is below the number of steps, where a size of the body is that; PARAM leaves are those of
 * any function, so it is told for a while alone. */
static Node *bound_index(Graph *g, const PlanScope *s)
{
	const Node *loop = s->around && s->around->op == OP_SCAN ? s->around : NULL;
	const Size *steps = loop ? size_of_node(g, loop->arg[0]) : NULL;
	Node *index = loop ? param(g, 0, type_scalar(g, DT_I64)) : NULL;
	int64_t number;
	if (loop && size_is(steps, &number)) {
		leaf_is_below(g, index, loop->arg[0]);
		return index;
	}
	for (uint32_t k = 0; loop && k < s->body.f->nsize; k++)
		if (loop->attr->v[s->body.sizes + k].u.size == steps) {
			leaf_is_below(g, index, size_node(g, size_param(g, k)));
			return index;
		}
	return NULL;
}

/* Numbers of no axes that wait for their kernel, and where they go: those that follow one another share one.
 * A loop over numbers has one step a pass, not one for each that it carries. */
typedef struct Waiting {
	Node **x;
	uint32_t *buffer;
	uint32_t n, cap, buffer_cap;
} Waiting;

static bool may_wait(PlanMaker *m, Node *x, uint32_t place)
{
	if (x->type->kind != TYPE_ARRAY || x->type->n || node_dtype(x) == DT_KEY) return false;
	if (buffer_of(m, x)) return true;
	if (m->scope->groups->rows[place]) return false;
	switch (op_info[x->op].class) {
	case LEAF:
	case MAP:
	case VIEW:
	case RANDOM: return true;
	case CONTRACT: return m->scope->groups->few[place];
	default: return x->op == OP_GATHER;
	}
}

static void wait_for(PlanMaker *m, Waiting *w, Node *x, uint32_t buffer)
{
	GROW(m->scratch, w->x, w->n, w->cap);
	GROW(m->scratch, w->buffer, w->n, w->buffer_cap);
	w->x[w->n] = x;
	w->buffer[w->n++] = buffer;
}

/* Is it stored by a step of its own, not a copy of what lies elsewhere? */
static bool is_unstored(const PlanMaker *m, const Node *x)
{
	uint32_t place = region_place(m->scope->r, x);
	return m->scope->groups->root[place] && !m->scope->buffer[place];
}

static void plan_one(PlanMaker *m, Node *x, uint32_t buffer)
{
	const Node *force;
	if (is_unstored(m, x))
		plan_root(m, x, buffer + 1);
	else if (!kernel_make(m, x, buffer, NULL, &force) && !m->g->error.code)
		graph_fail(m->g, ERR_INTERNAL, "a result cannot be stored");
}

static void plan_waiting(PlanMaker *m, Waiting *w)
{
	for (uint32_t i = 0; i < w->n && !m->g->error.code;) {
		m->scope->settled = m->plan->nstep;
		uint32_t made = kernel_of_singles(m, w->n - i, w->x + i, w->buffer + i, NULL);
		for (uint32_t k = i; k < i + made; k++)
			if (is_unstored(m, w->x[k])) buffer_set(m, w->x[k], w->buffer[k]);
		if (!made) plan_one(m, w->x[i], w->buffer[i]);
		i += made ? made : 1;
		scalars_settle(m);
	}
	w->n = 0;
}

/* Data that sizes are made of begin a phase: what follows may ask for those. */
static bool may_be_size(const PlanMaker *m, const Node *x)
{
	return m->plan->nscalar && (node_dtype(x) == DT_I64 || node_dtype(x) == DT_BOOL);
}

static void plan_roots(PlanMaker *m, Waiting *w)
{
	PlanScope *s = m->scope;
	for (uint32_t i = 0; i < s->r->n && !m->g->error.code; i++) {
		Node *x = s->r->node[i];
		if (!s->groups->root[i] || s->buffer[i]) continue;
		if (x->origin) m->g->where = x->origin->where;
		bool waits = may_wait(m, x, i);
		if (waits)
			wait_for(m, w, x,
				s->target[i] ? s->target[i] - 1 : buffer_new(m, x->type, SPACE_WORK));
		if (!waits || may_be_size(m, x)) plan_waiting(m, w);
		if (waits) continue;
		s->settled = m->plan->nstep;
		plan_root(m, x, s->target[i]);
		scalars_settle(m);
	}
}

/* Results that lie elsewhere, or nowhere yet. */
static void plan_copies(PlanMaker *m, const Function *f, const uint32_t *result, Waiting *w)
{
	PlanScope *s = m->scope;
	for (uint32_t i = 0; i < f->nresult && !m->g->error.code; i++) {
		Node *x = f->result[i];
		uint32_t place = region_place(s->r, x);
		bool waits = false;
		for (uint32_t k = 0; k < w->n; k++) waits |= w->x[k] == x && w->buffer[k] == result[i];
		if (waits || buffer_of(m, x) == result[i] + 1) continue;
		if (!may_wait(m, x, place)) plan_waiting(m, w);
		if (may_wait(m, x, place))
			wait_for(m, w, x, result[i]);
		else
			plan_one(m, x, result[i]);
	}
	plan_waiting(m, w);
}

bool plan_body(PlanMaker *m, Function *f, const uint32_t *param, const uint32_t *result)
{
	Graph *g = m->g;
	PlanScope *s = m->scope;
	s->r = function_region(g, f);
	if (!s->groups) {
		Node *index = bound_index(g, s);
		s->groups = groups_of(g, m->scratch, s->r, (Nodes){f->nresult, f->result}, true);
		if (index) idmap_put(&g->bounds, index->id, NULL);
	}
	list_gets(m, s);
	s->buffer = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	uint32_t *target = s->target = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	for (uint32_t i = 0; i < s->r->n; i++)
		if (s->r->node[i]->op == OP_PARAM) s->buffer[i] = param[attr_int(s->r->node[i], 0)] + 1;
	s->settled = m->plan->nstep;
	scalars_settle(m);
	for (uint32_t i = 0; i < f->nresult; i++) {
		uint32_t place = region_place(s->r, f->result[i]);
		if (!target[place]) target[place] = result[i] + 1;
	}
	scatters_in_place(m, (Nodes){f->nresult, f->result});
	Waiting w = {0};
	plan_roots(m, &w);
	plan_copies(m, f, result, &w);
	return !g->error.code;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static struct PlanArg plan_arg(PlanMaker *m, const Type *t, uint32_t buffer, const char *name, Where where)
{
	return (struct PlanArg){.name = arena_text(m->plan->arena, name),
		.dtype = t->dtype,
		.rank = t->n,
		.buffer = buffer,
		.file = plan_text(m, where.file),
		.line = where.line};
}

static bool plan_fill(PlanMaker *m, Function *f)
{
	Plan *p = m->plan;
	Arena *a = p->arena;
	uint32_t *size = NEW_ARRAY(m->scratch, uint32_t, f->nsize);
	uint32_t *param = NEW_ARRAY(m->scratch, uint32_t, f->nparam),
		 *result = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	PlanScope top = {.size = size, .loop = UINT32_MAX, .guard = GUARD_NONE};
	m->scope = &top;
	m->tail = &p->first;
	p->nsize = f->nsize;
	p->nin = f->nparam;
	p->nout = function_values(f);
	p->size_name = NEW_ARRAY(p->arena, const char *, f->nsize + 1);
	for (uint32_t i = 0; i < f->nsize; i++)
		if (f->size_name) p->size_name[i] = arena_text(p->arena, f->size_name[i]);
	p->in = arena_array(a, sizeof *p->in, p->nin);
	p->out = arena_array(a, sizeof *p->out, p->nout);
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = dim_size(m, i);
	top.r = function_region(m->g, f);
	top.buffer = NEW_ARRAY(m->scratch, uint32_t, top.r->n);
	Nodes results = {f->nresult, f->result};
	top.groups = m->groups ? m->groups : groups_of(m->g, m->scratch, top.r, results, false);
	for (uint32_t i = 0; i < f->nparam; i++) {
		if (f->param[i]->kind != TYPE_ARRAY)
			return graph_fail(
				m->g, ERR_UNSUPPORTED, "a program takes arrays alone");
		param[i] = buffer_new(m, f->param[i], SPACE_INPUT);
		p->buffer[param[i]].index = i;
		p->in[i] = plan_arg(m, f->param[i], param[i], f->param_name[i], f->where);
	}
	for (uint32_t k = 0; k < top.r->n; k++)
		if (top.r->node[k]->op == OP_PARAM) top.buffer[k] = param[attr_int(top.r->node[k], 0)] + 1;
	for (uint32_t i = p->nout; i < f->nresult; i++) result[i] = token_buffer(m);
	for (uint32_t i = 0; i < p->nout; i++) {
		result[i] = buffer_new(m, f->result[i]->type, SPACE_OUTPUT);
		p->buffer[result[i]].index = i;
		p->out[i] = plan_arg(m, f->result[i]->type, result[i], NULL, f->where);
	}
	plan_requirements(m, f);
	return !m->g->error.code && plan_body(m, f, param, result) && scalars_done(m);
}

/* Lists that grew aside, as long as they have become. */
#define SETTLE(p, list, n) ((p)->list = list_copy((p)->arena, (p)->list, (n)*sizeof *(p)->list))
static void *list_copy(Arena *a, const void *list, size_t bytes)
{
	void *kept = arena_alloc(a, bytes);
	return bytes ? memcpy(kept, list, bytes) : kept;
}

static void plan_settle(Plan *p)
{
	SETTLE(p, dim, p->ndim);
	SETTLE(p, scalar, p->nscalar);
	SETTLE(p, sized, p->nsized);
	SETTLE(p, extent, p->nextent);
	SETTLE(p, buffer, p->nbuffer);
	SETTLE(p, axis, p->naxis);
	SETTLE(p, constant, p->nconstant);
	SETTLE(p, kernel, p->nkernel);
	SETTLE(p, requirement, p->nrequirement);
}

Plan *plan_kernels(Graph *g, Function *f, Groups *groups)
{
	Arena *a = arena_new(arena_allocator(g->arena));
	if (!a) arena_out_of_memory(g->arena);
	arena_watch(a, g->watch);
	Trap t, graphs; /* memory may run out in either arena: both end as the graph's */
	PlanMaker m = {.g = g, .f = f, .groups = groups};
	Plan *volatile plan = NULL;
	if (TRAP(&graphs)) {
		arena_free(a);
		arena_out_of_memory(g->arena);
	}
	arena_arm(g->arena, &graphs);
	if (!TRAP(&t)) {
		arena_arm(a, &t);
		m.scratch = arena_child(g->arena);
		m.plan = NEW(a, Plan);
		m.plan->arena = a;
		table_open(&m.dims, m.scratch);
		names_open(&m.texts, m.scratch);
		m.texts.arena = a; /* where the texts lie */
		table_open(&m.kernels, m.scratch);
		table_open(&m.calls, m.scratch);
		table_open(&m.needs, m.scratch);
		table_open(&m.extents, m.scratch);
		idmap_open(&m.of_data, m.scratch);
		idmap_open(&m.held, m.scratch);
		idmap_open(&m.data, m.scratch);
		if (plan_fill(&m, f)) {
			plan_settle(m.plan);
			plan = m.plan;
		}
		arena_free(m.scratch);
		arena_disarm(a, &t);
		arena_disarm(g->arena, &graphs);
	} else {
		arena_disarm(g->arena, &graphs);
		arena_free(a);
		arena_out_of_memory(g->arena);
	}
	if (plan) {
		arena_watch(a, NULL); /* it may outlive the graph */
		return plan;
	}
	arena_free(a);
	return NULL;
}

bool plan_finish(Plan *p, Error *error)
{
	Trap t;
	if (TRAP(&t)) return fail(error, ERR_MEMORY, (Where){0}, "out of memory");
	arena_arm(p->arena, &t);
	plan_order(p);
	arena_disarm(p->arena, &t);
	return true;
}

Plan *plan_make(Graph *g, Function *f, Error *error)
{
	Plan *p = plan_kernels(g, f, NULL);
	if (!p) *error = g->error;
	if (!p || plan_finish(p, error)) return p;
	plan_free(p);
	return NULL;
}

void plan_free(Plan *p)
{
	if (p) arena_free(p->arena);
}
