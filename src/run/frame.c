/* frame.c - a caller's memory: the layout for the sizes of a call, remembered for the next one. */
#include "frame.h"

#include <stdio.h>

bool call_error(Frame *f, Where where, int argument, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_list(&f->error, ERR_CALL, where, format, args);
	va_end(args);
	f->error.argument = argument;
	return false;
}

/* ---- memory -------------------------------------------------------------------------- */

static size_t buffer_bytes(const Frame *f, uint32_t b)
{
	const Buffer *x = &f->program->plan->buffer[b];
	return (size_t)f->dim[elements_dim(f->program->plan, x)] * dtype_bytes((Dtype)x->dtype);
}

static void note(size_t *largest, size_t bytes)
{
	*largest = bytes > *largest ? bytes : *largest;
}

typedef struct FrameNeeds {
	size_t scratch, shared;
	const FrameStep **alike; /* by kernel: the last step that calls it */
} FrameNeeds;

static bool layout_kernel(Frame *f, Arena *a, const Step *s, FrameStep *x, FrameNeeds *needs)
{
	const StepCall *c = s->call;
	Program *p = f->program;
	KernelSlot *k = &p->kernel[c->kernel->index];
	const FrameStep *y = needs->alike[c->kernel->index];
	if (y && !memcmp(y->param, x->param, c->nparam * sizeof *x->param)) { /* programs repeat themselves */
		x->bound = y->bound;
		x->work = y->work;
		x->items = y->items;
		x->blocks = y->blocks;
		return true;
	}
	needs->alike[c->kernel->index] = x;
	x->bound = interp_bind(k->interp, x->param, a, &f->error);
	if (!x->bound) return false;
	note(&needs->scratch, bound_scratch(x->bound));
	if (p->threads > 1 && bound_blocks(x->bound) > 1) note(&needs->shared, bound_shared(x->bound));
	x->work = kernel_work(c->kernel, k->cost, x->param);
	if (k->form.kernel) {
		x->items = form_items(&k->form, x->param);
		x->blocks = form_blocks(&k->form, x->param);
		note(&needs->scratch, form_scratch(&k->form, x->param));
		note(&needs->shared, form_partial(&k->form, x->param));
	}
	return true;
}

static void layout_core(Frame *f, const Step *s, FrameStep *x, FrameNeeds *needs)
{
	const StepCall *c = s->call;
	x->items = core_has_items(s) ? core_items(c->core, x->param) : 1;
	note(&needs->scratch, core_has_items(s) ? core_scratch(c->core, c->dtype, x->param) : 0);
	x->work = core_work(f->program->plan, s, x->param, f->dim);
	size_t shared = 0;
	x->blocks = core_has_items(s) && f->program->threads > 1 && x->items < f->program->threads
		? core_blocks(s, x->param, f->program->threads, &shared)
		: 0;
	note(&needs->shared, shared);
}

static bool layout_step(Frame *f, Arena *a, const Step *s, FrameNeeds *needs);

/* The steps of a list up to the one with number `end`. */
static bool layout_steps(Frame *f, Arena *a, const Step *s, uint32_t end, FrameNeeds *needs)
{
	for (; s && s->number < end; s = s->next)
		if (!layout_step(f, a, s, needs)) return false;
	return true;
}

static bool layout_step(Frame *f, Arena *a, const Step *s, FrameNeeds *needs)
{
	const StepCall *c = s->call;
	FrameStep *x = &f->step[s->number];
	*x = (FrameStep){.buffer = NEW_ARRAY(a, void *, c->nbuffer + 1),
		.param = NEW_ARRAY(a, int64_t, c->nparam + c->nconstant + 1)};
	for (uint32_t i = 0; i < c->nparam; i++) x->param[i] = f->dim[c->param[i]];
	for (uint32_t i = 0; i < c->nconstant; i++) x->param[c->nparam + i] = (int64_t)call_constants(c)[i];
	if (s->kind == STEP_KERNEL) return layout_kernel(f, a, s, x, needs);
	if (s->kind == STEP_CORE) {
		layout_core(f, s, x, needs);
		return true;
	}
	if (f->dim[s->steps] <= 0 || !guard_open(f->dim, s->guard)) return true;
	const Phase *inside = &f->program->plan->phase[s->phase];
	if (!layout_steps(f, a, s->body, s->phase ? inside->first : UINT32_MAX, needs)) return false;
	x->prepared = prepared_new(f, a, s);
	return true;
}

/* Bytes of all phases up to this one. */
static size_t bytes_to(const Frame *f, uint32_t phase)
{
	size_t n = 0;
	for (uint32_t k = 0; k <= phase; k++) n += f->phase[k].layout_bytes;
	return n;
}

static void free_work(Frame *f, FramePhase *x)
{
	Allocator *m = &f->program->allocator;
	if (x->work) m->free(m->user, x->work, x->work_bytes, LINE);
	x->work = NULL;
	x->work_bytes = 0;
}

static bool layout_memory(Frame *f, uint32_t phase, FrameNeeds needs)
{
	Program *p = f->program;
	const Plan *plan = p->plan;
	FramePhase *x = &f->phase[phase];
	int64_t bytes = plan_layout(plan, phase, f->dim, f->offset);
	if (bytes == PLAN_NO_MEMORY) {
		fail(&f->error, ERR_MEMORY, (Where){0}, "out of memory");
		return false;
	}
	if (bytes == PLAN_TOO_LARGE) return too_large(f, phase, ERR_CALL, "the arrays are too large");
	size_t at = round_line((size_t)bytes);
	x->result_at = at;
	for (uint32_t i = 0; i < plan->nout; i++)
		if (buffer_phase(plan, plan->out[i].buffer) == phase) {
			f->result_offset[i] = at;
			at += round_line(buffer_bytes(f, plan->out[i].buffer));
		}
	for (uint32_t i = 0; i < plan->nin && !phase; i++) {
		f->pack_offset[i] = at;
		at += round_line(buffer_bytes(f, plan->in[i].buffer));
	}
	for (uint32_t i = 0; i < plan->nbuffer; i++)
		if (plan->buffer[i].space == SPACE_CONST && buffer_phase(plan, i) == phase) {
			f->offset[i] = (int64_t)at;
			size_t bytes = buffer_bytes(f, i);
			if (plan->constant[plan->buffer[i].constant].bytes < bytes) at += round_line(bytes);
		}
	x->shared_at = at;
	at += round_line(needs.shared);
	x->scratch_at = at;
	x->scratch_each = round_line(needs.scratch);
	at += x->scratch_each * (size_t)p->threads + LINE;
	x->layout_bytes = at;
	size_t all = bytes_to(f, phase);
	if (p->options.memory_cap && all > p->options.memory_cap)
		return call_error(f, (Where){0}, 0,
			"a call of these sizes wants a workspace of %zu bytes, past the memory cap of %llu",
			all, (unsigned long long)p->options.memory_cap);
	if (at <= x->work_bytes) return true;
	free_work(f, x);
	x->work = p->allocator.alloc(p->allocator.user, at, LINE);
	if (!x->work) {
		char text[64];
		snprintf(text, sizeof text, "out of memory: a call wants %zu bytes", at);
		return too_large(f, phase, ERR_MEMORY, text);
	}
	x->work_bytes = at;
	return true;
}

/* Pointers that stay: workspace and constants; a constant of one element fills its array. */
static void place_buffers(Frame *f, uint32_t phase)
{
	const Plan *plan = f->program->plan;
	char *work = f->phase[phase].work;
	for (uint32_t i = 0; i < plan->nbuffer; i++) {
		const Buffer *b = &plan->buffer[i];
		if (buffer_phase(plan, i) != phase) continue;
		f->base[i] = work;
		if (b->space == SPACE_WORK && f->offset[i] >= 0) f->base[i] = work + f->offset[i];
		if (b->space != SPACE_CONST) continue;
		size_t bytes = buffer_bytes(f, i);
		const Elements *e = &plan->constant[b->constant];
		f->base[i] = (void *)e->data;
		if (e->bytes && e->bytes < bytes) {
			f->base[i] = work + f->offset[i];
			for (size_t k = 0; k < bytes; k += e->bytes)
				memcpy((char *)f->base[i] + k, e->data, e->bytes);
		}
	}
}

static void make_results(Frame *f, uint32_t phase)
{
	const Plan *plan = f->program->plan;
	FramePhase *x = &f->phase[phase];
	for (uint32_t j = 0; j < plan->nout; j++) {
		Array *a = &f->result[j];
		if (buffer_phase(plan, plan->out[j].buffer) != phase) continue;
		*a = (Array){.data = x->work + f->result_offset[j],
			.device = {1, 0},
			.ndim = (int32_t)plan->out[j].rank};
		array_set_dtype(a, (Dtype)plan->out[j].dtype);
		a->shape = NEW_ARRAY(x->arena, int64_t, plan->out[j].rank + 1);
		const uint32_t *dim = buffer_dims(plan, plan->out[j].buffer);
		for (uint32_t k = 0; k < plan->out[j].rank; k++) a->shape[k] = f->dim[dim[k]];
	}
}

/* ---- the layout -------------------------------------------------------------------------- */

/* What the first phase depends on: shapes, and arguments that are sizes. */
static void make_key(Frame *f, Arena *a, const Array *in)
{
	const Plan *p = f->program->plan;
	uint32_t n = p->ndim;
	for (uint32_t i = 0; i < p->nin; i++) n += p->in[i].rank;
	f->key = NEW_ARRAY(a, int64_t, n + 1);
	n = 0;
	for (uint32_t i = 0; i < p->nin; i++)
		for (uint32_t k = 0; k < p->in[i].rank; k++) f->key[n++] = in[i].shape[k];
	for (uint32_t i = 0; i < p->ndim; i++)
		if (p->dim[i].kind == DIM_SCALAR && !p->dim[i].phase) f->key[n++] = f->dim[i];
	f->nkey = n;
}

/* Steps, memory and results of a phase whose dims are known. */
static bool layout_phase(Frame *f, uint32_t phase)
{
	const Plan *plan = f->program->plan;
	FrameNeeds needs = {.alike = NEW_ARRAY(f->phase[phase].arena, const FrameStep *, plan->nkernel + 1)};
	Arena *a = f->phase[phase].arena;
	if (!layout_steps(f, a, plan->phase[phase].step, phase_end(plan, phase), &needs)) return false;
	if (!layout_memory(f, phase, needs)) return false;
	place_buffers(f, phase);
	make_results(f, phase);
	return true;
}

static bool layout_first(Frame *f, Arena *a, const Array *in)
{
	Program *p = f->program;
	const Plan *plan = p->plan;
	f->dim = NEW_ARRAY(a, int64_t, plan->ndim + 1);
	f->offset = NEW_ARRAY(a, int64_t, plan->nbuffer + 1);
	f->base = NEW_ARRAY(a, void *, plan->nbuffer + 1);
	f->step = NEW_ARRAY(a, FrameStep, plan->nstep + 1);
	f->index = NEW_ARRAY(a, int64_t, plan->nloop + 1);
	f->result_offset = NEW_ARRAY(a, size_t, plan->nout + 1);
	f->pack_offset = NEW_ARRAY(a, size_t, plan->nin + 1);
	f->fault = NEW_ARRAY(a, Fault, p->threads + 1);
	f->moved = NEW_ARRAY(a, bool, plan->nout + 1);
	f->result = NEW_ARRAY(a, Array, plan->nout + 1);
	FrameSizes s = {.f = f, .in = in, .missing = UINT32_MAX};
	s.size = NEW_ARRAY(a, int64_t, plan->nsize + 1);
	s.bound = NEW_ARRAY(a, bool, plan->nsize + 1);
	if (!bind_sizes(&s) || !check_requirements(&s, 0)) return false;
	make_key(f, a, in);
	return layout_phase(f, 0);
}

static bool sizes_next(Frame *f, uint32_t phase)
{
	FrameSizes s = {.f = f, .in = f->in};
	dim_values(&s, phase);
	return check_requirements(&s, phase);
}

static bool layout_next(Frame *f, uint32_t phase)
{
	if (!sizes_next(f, phase) || !layout_phase(f, phase)) return false;
	phase_keep(f, phase, &f->phase[phase]);
	return true;
}

/* in: of the first phase */
static bool layout(Frame *f, uint32_t phase, const Array *in)
{
	Trap trap;
	FramePhase *x = &f->phase[phase];
	for (uint32_t k = phase; k < f->program->plan->nphase; k++) {
		f->phase[k].ready = false;
		if (!phase) f->phase[k].sizes = NULL; /* all steps are the first phase's */
	}
	if (x->sizes && sizes_next(f, phase) && phase_alike(f, phase)) return x->ready = true;
	x->sizes = NULL;
	arena_free(x->arena);
	x->arena = arena_new(&f->program->allocator);
	if (!x->arena || TRAP(&trap)) {
		arena_free(x->arena);
		x->arena = NULL;
		fail(&f->error, ERR_MEMORY, (Where){0}, "out of memory");
		return false;
	}
	arena_arm(x->arena, &trap);
	x->ready = phase ? layout_next(f, phase) : layout_first(f, x->arena, in);
	arena_disarm(x->arena, &trap);
	return x->ready;
}

bool frame_layout(Frame *f, const Array *in)
{
	return layout(f, 0, in);
}

bool frame_knows(Frame *f, uint32_t phase)
{
	const Plan *p = f->program->plan;
	const FrameSizes s = {.f = f, .in = f->in};
	for (uint32_t i = 0; i < p->ndim; i++)
		if (p->dim[i].kind == DIM_SCALAR && p->dim[i].phase == phase &&
			f->dim[i] != scalar_of(&s, &p->scalar[p->dim[i].a]))
			return false;
	return f->phase[phase].ready;
}

bool frame_phase(Frame *f, uint32_t phase)
{
	return layout(f, phase, NULL);
}

/* ---- what loops write down ------------------------------------------------------------------------- */

enum { GROWN_FIRST = 4096, GROWN_MOST = 1 << 25 };

void grown_drop(Frame *f, Grown *g)
{
	Allocator *m = &f->program->allocator;
	if (g->data) m->free(m->user, g->data, g->capacity, LINE);
	*g = (Grown){.each = g->each};
}

/* No more than some part of what a caller lets a call have; none where that is told. */
static bool grow(Frame *f, Grown *g)
{
	Allocator *m = &f->program->allocator;
	size_t capacity = g->capacity ? 2 * g->capacity : GROWN_FIRST;
	while (capacity < g->bytes + g->each && capacity <= GROWN_MOST) capacity *= 2;
	bool may = capacity <= GROWN_MOST && !f->program->options.memory_cap;
	char *data = may ? m->alloc(m->user, capacity, LINE) : NULL;
	if (data && g->bytes) memcpy(data, g->data, g->bytes);
	if (g->data) m->free(m->user, g->data, g->capacity, LINE);
	g->data = data;
	g->capacity = data ? capacity : 0;
	g->over = !data;
	return data != NULL;
}

void grown_add(Frame *f, Grown *g, const void *row)
{
	if (g->over || (g->bytes + g->each > g->capacity && !grow(f, g))) return;
	memcpy(g->data + g->bytes, row, g->each);
	g->bytes += g->each;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static size_t frame_bytes(const Program *p)
{
	return sizeof(Frame) + p->plan->nphase * sizeof(FramePhase) + p->plan->nrecord * sizeof(Grown);
}

Frame *frame_new(Program *p, Error *e)
{
	Frame *f = p->allocator.alloc(p->allocator.user, frame_bytes(p), _Alignof(Frame));
	if (!f) return fail(e, ERR_MEMORY, (Where){0}, "out of memory");
	memset(f, 0, frame_bytes(p));
	f->grown = (Grown *)(f->phase + p->plan->nphase);
	f->program = program_keep(p);
	f->stop = (Stop){.all = p->options.cancel, .seconds = p->options.call_seconds};
	return f;
}

void frame_free(Frame *f)
{
	if (!f) return;
	Program *p = f->program;
	bool borrowed = f->borrowed;
	Allocator m = p->allocator;
	for (uint32_t k = 0; k < p->plan->nrecord; k++) grown_drop(f, &f->grown[k]);
	for (uint32_t k = 0; k < p->plan->nphase; k++) {
		arena_free(f->phase[k].arena);
		free_work(f, &f->phase[k]);
	}
	m.free(m.user, f, frame_bytes(p), _Alignof(Frame));
	if (!borrowed) program_free(p);
}

const Error *frame_error(const Frame *f)
{
	return &f->error;
}

bool frame_result(const Frame *f, uint32_t j, Array *a)
{
	const Plan *p = f->program->plan;
	if (j >= p->nout || !f->phase[buffer_phase(p, p->out[j].buffer)].ready) return false;
	*a = f->result[j];
	return true;
}

const int64_t *frame_shape(const Frame *f, uint32_t j)
{
	const Plan *p = f->program->plan;
	return f->phase[0].ready && !buffer_phase(p, p->out[j].buffer) ? f->result[j].shape : NULL;
}

int64_t frame_work(const Frame *f)
{
	const Plan *p = f->program->plan;
	int64_t all = 0;
	if (!f->phase[0].ready || p->nphase > 1 || p->nscalar) return -1;
	for (const Step *s = p->first; s; s = s->next) {
		bool computes = s->kind == STEP_KERNEL || core_has_items(s);
		if (!computes || __builtin_add_overflow(all, f->step[s->number].work, &all)) return -1;
	}
	return all;
}
