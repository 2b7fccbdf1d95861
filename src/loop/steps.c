/* steps.c - what a plan consists of: buffers, steps, kernels of which equal ones are one. */
#include "make.h"

/* ---- buffers ------------------------------------------------------------------------ */

static uint32_t axes_add(PlanMaker *m, const uint32_t *dim, uint32_t n)
{
	Plan *p = m->plan;
	for (uint32_t i = 0; i < n; i++) {
		GROW(m->scratch, p->axis, p->naxis, m->axis_cap);
		p->axis[p->naxis++] = dim[i];
	}
	return p->naxis - n;
}

/* Where its dims lie, behind their product; of the arrays that are made one after another many are of one
 * shape. */
static uint32_t axes_of(PlanMaker *m, const Type *t)
{
	Plan *p = m->plan;
	uint32_t dim[1 + RANK_MAX];
	for (uint32_t i = 0; i < t->n; i++) dim[1 + i] = dim_of(m, DIM(t, i));
	dim[0] = dim_guarded(m, dim_of(m, type_elements(m->g, t)));
	dim_held(m, dim[0], (Dtype)t->dtype);
	uint32_t n = 1 + t->n;
	for (uint32_t i = 0; i < SHAPES; i++)
		if (m->shape[i].n == n && !memcmp(dim, p->axis + m->shape[i].axes, n * sizeof *dim))
			return m->shape[i].axes;
	uint32_t axes = axes_add(m, dim, n), place = m->nshape++ % SHAPES;
	m->shape[place].axes = axes;
	m->shape[place].n = n;
	return axes;
}

static uint32_t buffer_add(PlanMaker *m, Buffer b)
{
	Plan *p = m->plan;
	GROW(m->scratch, p->buffer, p->nbuffer, m->buffer_cap);
	p->buffer[p->nbuffer] = b;
	return p->nbuffer++;
}

/* Tokens order the steps and are nothing else: all of them are one array without elements. */
uint32_t token_buffer(PlanMaker *m)
{
	if (m->token) return m->token - 1;
	const uint32_t none = dim_const(m, 0);
	Buffer b = {.dtype = DT_BOOL, .space = SPACE_WORK, .loop = UINT32_MAX, .first = UINT32_MAX};
	b.axes = axes_add(m, &none, 1);
	m->token = 1 + buffer_add(m, b);
	return m->token - 1;
}

uint32_t buffer_new(PlanMaker *m, const Type *t, Space space)
{
	if (t->kind == TYPE_TOKEN) return token_buffer(m);
	Buffer b = {.dtype = t->dtype, .space = space, .rank = t->n, .loop = UINT32_MAX, .first = UINT32_MAX};
	b.axes = axes_of(m, t);
	return buffer_add(m, b);
}

uint32_t buffer_of(PlanMaker *m, Node *x)
{
	if (is_token(x)) return token_buffer(m) + 1;
	if (x == m->temporary) return m->temporary_buffer + 1;
	uint32_t place = region_place(m->scope->r, x);
	if (place == UINT32_MAX) return 0;
	if (!m->scope->buffer[place] && x->op == OP_RESHAPE && m->scope->groups &&
		m->scope->groups->root[place] == 0) {
		/* a reshape of what is stored lies in the same memory, if its operand was asked to be
		 * stored */
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

void buffer_set(PlanMaker *m, Node *x, uint32_t b)
{
	m->scope->buffer[region_place(m->scope->r, x)] = b + 1;
}

/* ---- steps ---------------------------------------------------------------------------- */

void touch(PlanMaker *m, uint32_t buffer, uint32_t number)
{
	Buffer *b = &m->plan->buffer[buffer];
	b->first = number < b->first ? number : b->first;
	b->last = number > b->last ? number : b->last;
	if (b->space == SPACE_ALIAS) touch(m, b->of, number);
}

void step_add(PlanMaker *m, Step *s)
{
	s->number = m->plan->nstep++;
	for (uint32_t i = 0; i < s->call->nbuffer; i++) touch(m, s->buffer[i], s->number);
	*m->tail = s;
	m->tail = &s->next;
}

const char *plan_text(PlanMaker *m, const char *text)
{
	return text ? names_get(&m->texts, text, strlen(text)) : NULL;
}

#define SAME(a, b, list, n) (!memcmp((a)->list, (b)->list, (n) * sizeof *(a)->list))

const StepCall call_none;

Step *loop_new(PlanMaker *m)
{
	Step *s = NEW(m->plan->arena, Step);
	s->kind = STEP_LOOP;
	s->call = &call_none;
	return s;
}

/* Of constants and params, one list behind the other. */
static size_t call_bytes(const StepCall *c)
{
	return c->nconstant * sizeof *call_constants(c) + c->nparam * sizeof *c->param;
}

static bool call_same(const void *item, const void *key)
{
	const StepCall *a = item, *b = key;
	return a->core == b->core && a->dtype == b->dtype && a->nbuffer == b->nbuffer &&
		a->nparam == b->nparam && a->nconstant == b->nconstant &&
		a->file == b->file && a->rules == b->rules && a->kernel == b->kernel &&
		(!call_bytes(a) || !memcmp(call_constants(a), call_constants(b), call_bytes(a)));
}

/* The plan's call that is equal to this one. */
static const StepCall *call_intern(PlanMaker *m, const StepCall *like)
{
	Arena *a = m->plan->arena;
	uint32_t h = hash_mix(like->core, (uintptr_t)like->kernel);
	size_t bytes = call_bytes(like);
	if (bytes) h = hash_mix(h, hash_bytes(call_constants(like), bytes));
	StepCall *c = table_find(&m->calls, h, like, call_same);
	if (c) return c;
	char *p = arena_alloc_aligned(a, sizeof *c + bytes, _Alignof(StepCall));
	c = memcpy(p, like, sizeof *c);
	p += sizeof *c;
	if (bytes) memcpy(p, call_constants(like), bytes);
	c->param = (const uint32_t *)(const void *)(p + c->nconstant * sizeof *call_constants(c));
	table_add(&m->calls, h, c);
	return c;
}

Step *step_call(PlanMaker *m, StepKind kind, const Node *x, const StepCall *call, const uint32_t *buffer)
{
	size_t buffers = call->nbuffer * sizeof *buffer;
	Step *s = arena_alloc_aligned(m->plan->arena, offsetof(Step, buffer) + buffers, _Alignof(Step));
	StepCall c = *call;
	c.rules = plan_text(m, c.rules);
	if (x && x->origin && x->origin->where.line) {
		c.file = plan_text(m, x->origin->where.file);
		s->line = x->origin->where.line;
	}
	s->kind = (uint8_t)kind;
	s->call = call_intern(m, &c);
	if (buffers) memcpy(s->buffer, buffer, buffers);
	step_add(m, s);
	return s;
}

void core_step(PlanMaker *m, Node *x, const StepCall *like, const uint32_t *buffer)
{
	StepCall c = *like;
	c.rules = x ? op_info[x->op].text : "copy";
	Step *s = step_call(m, STEP_CORE, x, &c, buffer);
	if (x) s->indices = indices_told(m, 1, &x);
}

bool place_same(const Access *a, const Access *b, uint32_t naxis)
{
	return a->ndynamic == b->ndynamic && !memcmp(&a->offset, &b->offset, sizeof a->offset) &&
		SAME(a, b, stride, naxis) && SAME(a, b, dynamic, a->ndynamic);
}

/* Of one recipe, with as many of everything? */
static bool form_same(const Kernel *a, const Kernel *b)
{
	bool axes = a->naxis == b->naxis && a->nrow == b->nrow && a->nfold == b->nfold;
	bool given = a->nbuffer == b->nbuffer && a->nparam == b->nparam && a->nconstant == b->nconstant;
	bool code = a->nstage == b->nstage && a->ncode == b->ncode && a->nat == b->nat;
	return a->recipe == b->recipe && axes && given && code;
}

/* Of two kernels of one form. */
static bool accesses_same(const Kernel *a, const Kernel *b)
{
	for (uint32_t i = 0; i < a->nat; i++)
		if (a->at[i].buffer != b->at[i].buffer || !place_same(&a->at[i], &b->at[i], a->naxis))
			return false;
	return true;
}

static bool kernel_same(const void *item, const void *key)
{
	const Kernel *a = item, *b = key;
	return form_same(a, b) && accesses_same(a, b) && SAME(a, b, extent, a->naxis) &&
		SAME(a, b, buffer, a->nbuffer) && SAME(a, b, code, a->ncode) && SAME(a, b, stage, a->nstage);
}

/* The buffers and parameters follow from the rest, but for dtypes. */
static uint32_t kernel_hash(const Kernel *k)
{
	uint32_t h = hash_mix(k->recipe, k->naxis * 7u + k->nrow * 5u + k->nfold * 3u);
	h = hash_mix(h, hash_bytes64(k->code, k->ncode * sizeof *k->code));
	h = hash_mix(h, hash_bytes64(k->extent, k->naxis * sizeof *k->extent));
	for (uint32_t i = 0; i < k->nat; i++) {
		const Access *a = &k->at[i];
		h = hash_mix(h, hash_bytes64(a->stride, k->naxis * sizeof *a->stride) + a->buffer);
		h = hash_mix(h, hash_bytes64(&a->offset, sizeof a->offset));
		h = hash_mix(h, hash_bytes64(a->dynamic, a->ndynamic * sizeof *a->dynamic));
	}
	return h;
}

#define KEEP(k, list, n) ((k)->list = memcpy(p, (k)->list, (n) * sizeof *(k)->list), p += (n) * sizeof *(k)->list)

/* A copy in one block, its lists by their alignment. */
static Kernel *kernel_copy(Arena *arena, const Kernel *k)
{
	size_t ndynamic = 0;
	for (uint32_t i = 0; i < k->nat; i++) ndynamic += k->at[i].ndynamic;
	size_t ints = k->naxis * ((size_t)k->nat + 1) * sizeof(Int) + ndynamic * sizeof(Dynamic);
	size_t shorts = k->nstage * sizeof(Stage) + k->nbuffer * sizeof(KernelBuffer);
	size_t words = sizeof(Kernel) + k->nat * sizeof(Access) + k->ncode * sizeof(Ins);
	char *p = arena_alloc_aligned(arena, words + ints + shorts, _Alignof(Kernel));
	Kernel *mine = memcpy(p, k, sizeof *k);
	p += sizeof *k;
	KEEP(mine, at, k->nat);
	KEEP(mine, code, k->ncode);
	KEEP(mine, extent, k->naxis);
	for (uint32_t i = 0; i < k->nat; i++) {
		KEEP(&mine->at[i], stride, k->naxis);
		KEEP(&mine->at[i], dynamic, mine->at[i].ndynamic);
	}
	KEEP(mine, stage, k->nstage);
	KEEP(mine, buffer, k->nbuffer);
	return mine;
}

Kernel *kernel_intern(PlanMaker *m, const Kernel *k)
{
	uint32_t h = kernel_hash(k);
	Kernel *mine = table_find(&m->kernels, h, k, kernel_same);
	if (mine) return mine;
	Plan *p = m->plan;
	mine = kernel_copy(p->arena, k);
	GROW(m->scratch, p->kernel, p->nkernel, m->kernel_cap);
	mine->index = p->nkernel;
	p->kernel[p->nkernel++] = mine;
	table_add(&m->kernels, h, mine);
	return mine;
}

/* ---- results ---------------------------------------------------------------------------- */

void list_gets(PlanMaker *m, PlanScope *s)
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

uint32_t element_target(PlanMaker *m, Node *x, uint32_t i)
{
	const PlanScope *s = m->scope;
	for (uint32_t k = s->get[region_place(s->r, x)]; k; k = s->next_get[k - 1])
		if (attr_int(s->r->node[k - 1], 0) == i && s->target[k - 1]) return s->target[k - 1] - 1;
	return buffer_new(m, x->type->u.elem[i], SPACE_WORK);
}

void set_results(PlanMaker *m, Node *x, const uint32_t *b)
{
	const PlanScope *s = m->scope;
	for (uint32_t i = s->get[region_place(s->r, x)]; i; i = s->next_get[i - 1])
		s->buffer[i - 1] = b[attr_int(s->r->node[i - 1], 0)] + 1;
	if (x->type->kind != TYPE_TUPLE) buffer_set(m, x, b[0]);
}
