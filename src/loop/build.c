/* build.c - a lowered function to a plan: buffers, steps, loops.
 *
 * needs: a verified closed function without calls
 * gives: the plan, on an arena of its own
 */
#include "make.h"

/* ---- buffers ------------------------------------------------------------------------ */

uint32_t buffer_new(Maker *m, const Type *t, Space space)
{
	Plan *p = m->plan;
	Buffer b = {.dtype = t->dtype, .space = space, .rank = t->n, .loop = UINT32_MAX, .first = UINT32_MAX};
	for (uint32_t i = 0; i < t->n; i++) b.dim[i] = dim_of(m, DIM(t, i));
	b.elements = dim_of(m, type_elements(m->g, t));
	GROW(p->arena, p->buffer, p->nbuffer, m->buffer_cap);
	p->buffer[p->nbuffer] = b;
	return p->nbuffer++;
}

uint32_t buffer_of(Maker *m, Node *x)
{
	if (x == m->temporary) return m->temporary_buffer + 1;
	uint32_t place = region_place(m->scope->r, x);
	if (place == UINT32_MAX) return 0;
	if (!m->scope->buffer[place] && x->op == OP_RESHAPE && m->scope->groups &&
		m->scope->groups->root[place] == 0) {
		/* a reshape of what is stored lies in the same memory, if its operand was asked to be stored */
		Node *y = x->arg[0];
		while (y->op == OP_RESHAPE) y = y->arg[0];
		uint32_t of = buffer_of(m, y);
		if (of) {
			uint32_t b = buffer_new(m, x->type, SPACE_ALIAS);
			m->plan->buffer[b].of = of - 1;
			m->scope->buffer[place] = b + 1;
		}
	}
	return m->scope->buffer[place];
}

static void buffer_set(Maker *m, Node *x, uint32_t b)
{
	m->scope->buffer[region_place(m->scope->r, x)] = b + 1;
}

static void plan_root(Maker *m, Node *x, uint32_t target);

/* Stores `force`, which the kernel of x could not hold, so that x can be tried again; what has been planned stays.
 * False: it is x itself or stored already, or an error. */
static bool store_first(Maker *m, const Node *x, const Node *force)
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

/* A buffer that holds x, stored by a copy if it lies nowhere (constants, sizes, views left to be computed). */
static uint32_t buffer_need(Maker *m, Node *x)
{
	uint32_t b = buffer_of(m, x);
	if (b) return b - 1;
	const Node *force;
	uint32_t to = buffer_new(m, x->type, SPACE_WORK);
	while (!kernel_make(m, x, to, NULL, &force)) {
		if (store_first(m, x, force)) continue;
		if (!m->g->error.code)
			graph_fail(m->g, ERR_INTERNAL, "%s: it cannot be stored (at %s)", op_info[x->op].text,
				force ? op_info[force->op].text : "?");
		return 0;
	}
	buffer_set(m, x, to);
	return to;
}

/* ---- steps ---------------------------------------------------------------------------- */

void touch(Maker *m, uint32_t buffer, uint32_t number)
{
	Buffer *b = &m->plan->buffer[buffer];
	b->first = number < b->first ? number : b->first;
	b->last = number > b->last ? number : b->last;
	if (b->space == SPACE_ALIAS) touch(m, b->of, number);
}

void step_add(Maker *m, Step *s)
{
	s->number = m->plan->nstep++;
	for (uint32_t i = 0; i < s->nbuffer; i++) touch(m, s->buffer[i], s->number);
	*m->tail = s;
	m->tail = &s->next;
}

void core_step(Maker *m, Node *x, Core core, Dtype d, uint32_t nbuffer, const uint32_t *buffer,
	uint32_t nparam, const uint32_t *param)
{
	Arena *a = m->plan->arena;
	Step *s = NEW(a, Step);
	s->kind = STEP_CORE, s->core = core, s->dtype = (uint8_t)d;
	s->nbuffer = nbuffer, s->nparam = nparam;
	s->buffer = NEW_ARRAY(a, uint32_t, nbuffer);
	s->param = NEW_ARRAY(a, uint32_t, nparam);
	memcpy(s->buffer, buffer, nbuffer * sizeof *buffer);
	memcpy(s->param, param, nparam * sizeof *param);
	s->rules = x ? op_info[x->op].text : "copy";
	if (x && x->origin && x->origin->where.line) {
		const char *file = x->origin->where.file;
		s->file = file ? arena_copy(a, file, strlen(file)) : NULL;
		s->line = x->origin->where.line;
	}
	step_add(m, s);
}

static bool kernel_same(const void *item, const void *key)
{
	const Kernel *a = item, *b = key;
	return a->recipe == b->recipe && a->naxis == b->naxis && a->nrow == b->nrow && a->nfold == b->nfold &&
		!memcmp(a->extent, b->extent, sizeof a->extent) && a->nbuffer == b->nbuffer &&
		!memcmp(a->buffer, b->buffer, sizeof a->buffer) && a->nparam == b->nparam &&
		a->ncode == b->ncode && !memcmp(a->code, b->code, a->ncode * sizeof *a->code) &&
		a->nat == b->nat && !memcmp(a->at, b->at, a->nat * sizeof *a->at) && a->nstage == b->nstage &&
		!memcmp(a->stage, b->stage, a->nstage * sizeof *a->stage);
}

/* The plan's one kernel of this structure; k lies on a scratch arena. */
Kernel *kernel_intern(Maker *m, Kernel *k)
{
	uint64_t h = hash_bytes64(k->code, k->ncode * sizeof *k->code) * 31 +
		hash_bytes64(k->at, k->nat * sizeof *k->at);
	h = h * 31 + hash_bytes64(k->extent, sizeof k->extent) + k->naxis * 7u + k->nrow * 5u +
		k->nfold * 3u + k->recipe;
	k->hash = h;
	Kernel *old = table_find(&m->kernels, (uint32_t)h, k, kernel_same);
	if (old) return old;
	Plan *p = m->plan;
	Kernel *mine = NEW(p->arena, Kernel);
	*mine = *k;
	mine->code = NEW_ARRAY(p->arena, Ins, k->ncode);
	mine->at = NEW_ARRAY(p->arena, Access, k->nat);
	memcpy(mine->code, k->code, k->ncode * sizeof *k->code);
	memcpy(mine->at, k->at, k->nat * sizeof *k->at);
	k = mine;
	GROW(p->arena, p->kernel, p->nkernel, m->kernel_cap);
	k->index = p->nkernel;
	p->kernel[p->nkernel++] = k;
	table_add(&m->kernels, (uint32_t)h, k);
	return k;
}

/* ---- cores ------------------------------------------------------------------------------- */

static const Size *product(Maker *m, const Type *t, uint32_t from, uint32_t to)
{
	const Size *s = size_const(m->g, 1);
	for (uint32_t i = from; i < to; i++) s = size_mul(m->g, s, DIM(t, i));
	return s;
}

/* The elements that are taken of each tuple, as lists through places. */
static void list_gets(Maker *m, Scope *s)
{
	s->get = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	s->next_get = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	for (uint32_t i = 0; i < s->r->n; i++)
		if (s->r->node[i]->op == OP_GET) {
			uint32_t *first = &s->get[region_place(s->r, s->r->node[i]->arg[0])];
			s->next_get[i] = *first;
			*first = i + 1;
		}
}

/* Where the results of x lie: its own, or that of each element that is taken of it. */
static void set_results(Maker *m, Node *x, const uint32_t *b)
{
	const Scope *s = m->scope;
	for (uint32_t i = s->get[region_place(s->r, x)]; i; i = s->next_get[i - 1])
		s->buffer[i - 1] = b[attr_int(s->r->node[i - 1], 0)] + 1;
	if (x->type->kind != TYPE_TUPLE) buffer_set(m, x, b[0]);
}

/* An operator of the user's: its descriptor goes with the plan, which outlives the graph. */
static void plan_custom(Maker *m, Node *x)
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
	Step **at = m->tail;
	core_step(m, x, CORE_CUSTOM, DT_NONE, nin + nout, b, 1, &count);
	Custom *c = NEW(a, Custom);
	*c = *(const Custom *)x->attr->v[0].u.custom;
	c->name = arena_copy(a, c->name, strlen(c->name));
	c->next = NULL, c->c_text = c->c_text ? arena_copy(a, c->c_text, strlen(c->c_text)) : NULL;
	(*at)->custom = c;
	set_results(m, x, b + nin);
}

static void plan_simple_core(Maker *m, Node *x, uint32_t target)
{
	const Type *t = x->arg[0]->type;
	Dtype d = node_dtype(x->arg[0]);
	uint32_t b[5], p[5], n = 0;
	for (uint32_t k = 0; k < (uint32_t)op_info[x->op].args; k++) b[n++] = buffer_need(m, x->arg[k]);
	const Type *result[2] = {x->type};
	uint32_t nresult = 1;
	if (x->type->kind == TYPE_TUPLE)
		for (nresult = 0; nresult < x->type->n; nresult++) result[nresult] = x->type->u.elem[nresult];
	for (uint32_t k = 0; k < nresult; k++)
		b[n++] = target && nresult == 1 ? target - 1 : buffer_new(m, result[k], SPACE_WORK);
	uint32_t first = n - nresult;
	switch (x->op) {
	case OP_CUMSUM: {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		p[0] = dim_of(m, product(m, t, 0, axis)), p[1] = dim_of(m, DIM(t, axis));
		p[2] = dim_of(m, product(m, t, axis + 1, t->n));
		core_step(m, x, CORE_CUMSUM, d, n, b, 3, p);
		break;
	}
	case OP_SCATTER_ADD:
	case OP_SCATTER_SET: {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		p[0] = dim_const(m, x->op == OP_SCATTER_SET), p[1] = dim_of(m, product(m, t, 0, axis));
		p[2] = dim_of(m, DIM(t, axis)), p[3] = dim_of(m, product(m, t, axis + 1, t->n));
		p[4] = dim_of(m, type_elements(m->g, x->arg[1]->type));
		core_step(m, x, CORE_SCATTER, d, n, b, 5, p);
		break;
	}
	case OP_TOP_K:
		p[0] = dim_of(m, product(m, t, 0, t->n - 1)), p[1] = dim_of(m, DIM(t, t->n - 1));
		p[2] = dim_of(m, x->attr->v[0].u.size);
		core_step(m, x, CORE_TOP_K, d, n, b, 3, p);
		break;
	case OP_QR:
		p[0] = dim_of(m, product(m, t, 0, t->n - 2)), p[1] = dim_of(m, DIM(t, t->n - 2));
		p[2] = dim_of(m, DIM(t, t->n - 1));
		core_step(m, x, CORE_QR, d, n, b, 3, p);
		break;
	default: /* TRI_SOLVE */
		p[0] = dim_const(m, attr_int(x, 0)), p[1] = dim_const(m, attr_int(x, 1));
		p[2] = dim_of(m, product(m, t, 0, t->n - 2)), p[3] = dim_of(m, DIM(t, t->n - 1));
		p[4] = dim_of(m, node_dim(x->arg[1], t->n - 1));
		core_step(m, x, CORE_TRI_SOLVE, d, n, b, 5, p);
		break;
	}
	set_results(m, x, b + first);
}

/* ---- views that are written in parts --------------------------------------------------------- */

/* Compute part `x` of `whole` into its place: element (i...) at offset + strides. */
static bool store_part(Maker *m, Node *x, uint32_t buffer, const Size *offset, const Size *const *stride)
{
	const Node *force;
	Target target = {buffer, offset, stride};
	while (!kernel_make(m, x, buffer, &target, &force))
		if (!store_first(m, x, force)) {
			if (!m->g->error.code) buffer_need(m, x); /* too large to be computed in passing: stored, then copied */
			return !m->g->error.code && kernel_make(m, x, buffer, &target, &force);
		}
	return true;
}

static void compact_strides(Maker *m, const Type *t, const Size **stride)
{
	const Size *s = size_const(m->g, 1);
	for (uint32_t i = t->n; i-- > 0;) {
		stride[i] = s;
		s = size_mul(m->g, s, DIM(t, i));
	}
}

static void plan_parts(Maker *m, Node *x, uint32_t buffer)
{
	Graph *g = m->g;
	const Size *stride[RANK_MAX], *offset = size_const(g, 0);
	compact_strides(m, x->type, stride);
	if (x->op == OP_CONCAT) {
		uint32_t axis = (uint32_t)attr_int(x, 0);
		for (uint32_t k = 0; k < x->narg; k++) {
			if (!store_part(m, x->arg[k], buffer, offset, stride)) return;
			offset = size_add(g, offset, size_mul(g, node_dim(x->arg[k], axis), stride[axis]));
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

/* ---- loops -------------------------------------------------------------------------------------- */

static bool plan_body(Maker *m, Function *f, const uint32_t *param, const uint32_t *result);

static void plan_scan(Maker *m, Node *x)
{
	Plan *p = m->plan;
	Arena *a = p->arena;
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), loop = p->nloop++;
	Step *s = NEW(a, Step);
	s->kind = STEP_LOOP, s->loop = loop, s->back = scan_is_back(x), s->ncarry = carries;
	s->steps = dim_of(m, size_of_node(m->g, x->arg[0]));
	s->carry = arena_array(a, sizeof *s->carry, carries);
	uint32_t *param = NEW_ARRAY(m->scratch, uint32_t, f->nparam),
		 *result = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	uint32_t *size = NEW_ARRAY(m->scratch, uint32_t, f->nsize);
	param[0] = s->index = buffer_new(m, type_scalar(m->g, DT_I64), SPACE_WORK);
	for (uint32_t i = 0; i < carries; i++) {
		const Type *t = x->type->u.elem[i];
		s->carry[i].first = buffer_need(m, x->arg[1 + i]);
		s->carry[i].now = param[1 + i] = buffer_new(m, t, SPACE_WORK);
		s->carry[i].next = result[i] = buffer_new(m, t, SPACE_WORK);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) {
		uint32_t of = buffer_need(m, x->arg[i]);
		param[i] = of;
		if (i < 1 + carries + sequences) {
			const Type *t = x->arg[i]->type;
			param[i] = buffer_new(
				m, type_array(m->g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), SPACE_ALIAS);
			p->buffer[param[i]].of = of, p->buffer[param[i]].loop = loop;
		}
	}
	uint32_t *trace = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	for (uint32_t i = carries; i < f->nresult; i++) {
		const Type *t = x->type->u.elem[i];
		trace[i] = buffer_new(m, t, SPACE_WORK);
		result[i] =
			buffer_new(m, type_array(m->g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), SPACE_ALIAS);
		p->buffer[result[i]].of = trace[i], p->buffer[result[i]].loop = loop;
	}
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = dim_of(m, x->attr->v[4 + i].u.size);
	step_add(m, s);
	Step **tail = m->tail;
	Scope inner = {.outer = m->scope, .around = x, .size = size, .loop = loop};
	m->scope = &inner;
	m->tail = &s->body;
	plan_body(m, f, param, result);
	m->tail = tail;
	m->scope = inner.outer;
	uint32_t first = s->number, last = p->nstep++;
	touch(m, s->index, first), touch(m, s->index, last);
	/* what the loop uses lives through all of it */
	for (uint32_t i = 0; i < carries; i++) {
		touch(m, s->carry[i].first, first);
		touch(m, s->carry[i].now, first), touch(m, s->carry[i].now, last);
		touch(m, s->carry[i].next, first), touch(m, s->carry[i].next, last);
	}
	for (uint32_t i = 1 + carries; i < f->nparam; i++) touch(m, param[i], last);
	for (uint32_t i = carries; i < f->nresult; i++) touch(m, result[i], first), touch(m, result[i], last);
	for (uint32_t i = 0; i < carries; i++) trace[i] = s->carry[i].now;
	set_results(m, x, trace);
}

/* ---- a body ---------------------------------------------------------------------------------------- */

static void plan_root(Maker *m, Node *x, uint32_t target)
{
	const Node *force;
	switch (op_info[x->op].class) {
	case CUMULATIVE:
	case SOLVE: plan_simple_core(m, x, target); return;
	case CONTRACT: contract_plan(m, x, target); return;
	case INDEX:
		if (x->op == OP_GATHER || x->op == OP_ONE_HOT) break;
		plan_simple_core(m, x, target);
		return;
	case CONTROL:
		if (x->op == OP_SCAN)
			plan_scan(m, x);
		else if (x->op == OP_CUSTOM)
			plan_custom(m, x);
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
	} else {
		while (!kernel_make(m, x, b, NULL, &force)) {
			if (store_first(m, x, force)) continue;
			if (!m->g->error.code)
				graph_fail(m->g, ERR_INTERNAL, "%s: no kernel holds it (at %s)",
					op_info[x->op].text, force ? op_info[force->op].text : "?");
			return;
		}
	}
	buffer_set(m, x, b);
}

/* Where results go: each result to its buffer; nodes that are computed by a kernel of their own go there at once. */
static bool plan_body(Maker *m, Function *f, const uint32_t *param, const uint32_t *result)
{
	Graph *g = m->g;
	Scope *s = m->scope;
	s->r = function_region(g, f);
	s->groups = groups_of(g, m->scratch, s->r, f->nresult, f->result);
	list_gets(m, s);
	s->buffer = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	uint32_t *target = NEW_ARRAY(m->scratch, uint32_t, s->r->n);
	for (uint32_t i = 0; i < s->r->n; i++)
		if (s->r->node[i]->op == OP_PARAM) s->buffer[i] = param[attr_int(s->r->node[i], 0)] + 1;
	for (uint32_t i = 0; i < f->nresult; i++) {
		uint32_t place = region_place(s->r, f->result[i]);
		if (!target[place]) target[place] = result[i] + 1;
	}
	for (uint32_t i = 0; i < s->r->n && !g->error.code; i++)
		if (s->groups->root[i] && !s->buffer[i]) {
			g->where = s->r->node[i]->origin ? s->r->node[i]->origin->where : g->where;
			if (!s->outer) m->settled = m->plan->nstep;
			plan_root(m, s->r->node[i], target[i]);
			if (!s->outer) scalars_settle(m);
		}
	const Node *force;
	for (uint32_t i = 0; i < f->nresult && !g->error.code; i++) {
		uint32_t b = buffer_of(m, f->result[i]);
		if (b == result[i] + 1) continue;
		if (!kernel_make(m, f->result[i], result[i], NULL, &force) && !g->error.code)
			graph_fail(g, ERR_INTERNAL, "a result cannot be stored");
	}
	return !g->error.code;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static struct PlanArg plan_arg(Maker *m, const Type *t, uint32_t buffer, const char *name, Where where)
{
	struct PlanArg p = {.dtype = t->dtype, .rank = t->n, .buffer = buffer, .line = where.line};
	Arena *a = m->plan->arena;
	memcpy(p.dim, m->plan->buffer[buffer].dim, sizeof p.dim);
	p.name = name ? arena_copy(a, name, strlen(name)) : NULL;
	p.file = where.file ? arena_copy(a, where.file, strlen(where.file)) : NULL;
	return p;
}

static bool plan_fill(Maker *m, Function *f)
{
	Plan *p = m->plan;
	Arena *a = p->arena;
	uint32_t *size = NEW_ARRAY(m->scratch, uint32_t, f->nsize);
	uint32_t *param = NEW_ARRAY(m->scratch, uint32_t, f->nparam),
		 *result = NEW_ARRAY(m->scratch, uint32_t, f->nresult);
	Scope top = {.size = size, .loop = UINT32_MAX};
	m->scope = &top;
	m->tail = &p->first;
	p->nsize = f->nsize, p->nin = f->nparam, p->nout = f->nresult;
	p->size_name = NEW_ARRAY(p->arena, const char *, f->nsize + 1);
	for (uint32_t i = 0; i < f->nsize; i++)
		if (f->size_name && f->size_name[i])
			p->size_name[i] = arena_copy(p->arena, f->size_name[i], strlen(f->size_name[i]));
	p->in = arena_array(a, sizeof *p->in, p->nin);
	p->out = arena_array(a, sizeof *p->out, p->nout);
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = dim_size(m, i);
	top.r = function_region(m->g, f);
	top.buffer = NEW_ARRAY(m->scratch, uint32_t, top.r->n);
	top.groups = groups_of(m->g, m->scratch, top.r, f->nresult, f->result);
	for (uint32_t i = 0; i < f->nparam; i++) {
		if (f->param[i]->kind != TYPE_ARRAY)
			return graph_fail(
				m->g, ERR_UNSUPPORTED, "effects are not supported by the compiled tiers yet");
		param[i] = buffer_new(m, f->param[i], SPACE_INPUT);
		p->buffer[param[i]].index = i;
		p->in[i] = plan_arg(m, f->param[i], param[i], f->param_name[i], f->where);
	}
	for (uint32_t k = 0; k < top.r->n; k++)
		if (top.r->node[k]->op == OP_PARAM) top.buffer[k] = param[attr_int(top.r->node[k], 0)] + 1;
	for (uint32_t i = 0; i < f->nresult; i++) {
		if (f->result[i]->type->kind != TYPE_ARRAY)
			return graph_fail(
				m->g, ERR_UNSUPPORTED, "effects are not supported by the compiled tiers yet");
		result[i] = buffer_new(m, f->result[i]->type, SPACE_OUTPUT);
		p->buffer[result[i]].index = i;
		p->out[i] = plan_arg(m, f->result[i]->type, result[i], NULL, f->where);
	}
	plan_requirements(m, f);
	if (m->g->error.code || !plan_body(m, f, param, result) || !scalars_done(m)) return false;
	plan_order(p);
	return true;
}

Plan *plan_make(Graph *g, Function *f, Error *error)
{
	Arena *a = arena_new(arena_allocator(g->arena));
	if (!a) return fail(error, ERR_MEMORY, g->where, "out of memory");
	Trap t, graphs; /* memory may run out in either arena: both end as the graph's */
	Maker m = {.g = g, .f = f};
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
		table_open(&m.kernels, m.scratch);
		table_open(&m.needs, m.scratch);
		if (plan_fill(&m, f)) plan = m.plan;
		arena_free(m.scratch);
		arena_disarm(a, &t);
		arena_disarm(g->arena, &graphs);
	} else {
		arena_disarm(g->arena, &graphs);
		arena_free(a);
		arena_out_of_memory(g->arena);
	}
	if (!plan) {
		arena_free(a);
		*error = g->error;
	}
	return plan;
}

void plan_free(Plan *p)
{
	if (p) arena_free(p->arena);
}
