/* step.c - the plan's steps run: kernels, cores, operators of the user's; phase by phase. */
#include "program.h"

#include <time.h>

/* ---- one step ------------------------------------------------------------------------------- */

static int64_t nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool check_fault(Frame *f, const Step *s)
{
	const Fault *x = &f->fault[0];
	if (__builtin_expect(__atomic_load_n(&f->over, __ATOMIC_RELAXED), 0)) return !stopped(f);
	if (__builtin_expect(x->position == INT64_MAX, 1)) return true;
	const Where where = {s->call->file, s->line, 0};
	const char *told = s->indices ? s->indices : "";
	if (!x->extent) /* whose index nobody has looked at */
		fail(&f->error, ERR_CALL, where, "an index of an axis of 0, which has no element (element %lld)%s",
			(long long)x->position, told);
	else
		fail(&f->error, ERR_CALL, where, "index %lld of an axis of %lld (element %lld)%s",
			(long long)x->index, (long long)x->extent, (long long)x->position, told);
	f->error.argument = ERR_AT_INDEX;
	return false;
}

/* k NULL: a core */
static void run_job(Job *j, const KernelSlot *k)
{
	FrameStep *x = j->x;
	if (__builtin_expect(x->work <= PARALLEL_WORK, 1)) {
		run_items(j);
		return;
	}
	j->large = x->work > PIECE_WORK && j->s->number < j->f->no_return;
	if (j->f->program->threads == 1) {
		if (!j->large || !run_parted(j, k)) run_items(j);
		return;
	}
	int64_t start = nanoseconds();
	j->shared = choose_way(&x->choice);
	if (!(j->shared || j->large) || !run_parted(j, k)) run_items(j);
	note_way(&x->choice, nanoseconds() - start);
}

static bool run_kernel(Frame *f, const Step *s, FrameStep *x)
{
	Program *p = f->program;
	KernelSlot *k = &p->kernel[s->call->kernel->index];
	Job j = {.f = f, .s = s, .x = x};
	j.native = atomic_load_explicit(&k->native, memory_order_acquire);
	if (p->options.alternate && f->launches++ / p->options.alternate % 2 == 0) j.native = NULL;
	j.items = j.native ? x->items : bound_items(x->bound);
	if (!j.native && atomic_load_explicit(&p->undecided, memory_order_relaxed)) tier_worked(p, x->work);
	run_job(&j, k);
	return check_fault(f, s);
}

/* ---- operators of the user's ---------------------------------------------------------------- */

static Value value_of(const Frame *f, uint32_t buffer, void *data)
{
	const Buffer *b = &f->program->plan->buffer[buffer];
	Value v = {.dtype = (Dtype)b->dtype, .rank = b->rank, .data = data};
	v.count = f->dim[elements_dim(f->program->plan, b)];
	const uint32_t *dim = buffer_dims(f->program->plan, buffer);
	for (uint32_t k = 0; k < b->rank; k++) v.dim[k] = f->dim[dim[k]];
	return v;
}

/* One at a time where the operator asks for it: among all programs, which is seldom and simple. */
static bool run_custom(Frame *f, const Step *s, FrameStep *x)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	const Custom *c = s->call->custom;
	uint32_t nin = (uint32_t)x->param[0];
	Value v[BUFFERS_MAX];
	for (uint32_t i = 0; i < s->call->nbuffer; i++) v[i] = value_of(f, s->buffer[i], x->buffer[i]);
	if (c->flags & CUSTOM_ONE_THREAD) pthread_mutex_lock(&one);
	int code = c->call(c, nin, v, s->call->nbuffer - nin, v + nin);
	if (c->flags & CUSTOM_ONE_THREAD) pthread_mutex_unlock(&one);
	if (code)
		fail(&f->error, ERR_CALL, (Where){s->call->file, s->line, 0}, "%s: its kernel gave %d", c->name,
			code);
	return !code;
}

/* ---- effects --------------------------------------------------------------------------------- */

static bool run_effect(Frame *f, const Step *s, FrameStep *x)
{
	const Effect *e = s->call->effect;
	int64_t pass[BUFFERS_MAX];
	Value v[BUFFERS_MAX];
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		if (i < e->npass)
			pass[i] = *(const int64_t *)x->buffer[i];
		else
			v[i - e->npass] = value_of(f, s->buffer[i], x->buffer[i]);
	}
	return effect_happens(e, &f->program->options.sink, pass, v, &f->error);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static void poison(Frame *f, uint32_t from, uint32_t to)
{
	const Plan *plan = f->program->plan;
	for (uint32_t i = 0; i < plan->nbuffer; i++) {
		const Buffer *b = &plan->buffer[i];
		const FramePhase *phase = &f->phase[buffer_phase(plan, i)];
		if (b->space == SPACE_WORK && phase->ready && f->offset[i] >= 0 &&
			b->first != UINT32_MAX && b->last >= from && b->last <= to)
			memset(phase->work + f->offset[i], 0xff,
				(size_t)f->dim[elements_dim(plan, b)] * dtype_bytes((Dtype)b->dtype));
	}
}

/* What a step took, with the bytes of its arrays as they are laid out. */
static void note_time(Frame *f, const Step *s, int64_t start)
{
	StepTime *t = &f->program->times[s->number];
	const Plan *p = f->program->plan;
	atomic_fetch_add_explicit(&t->calls, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->nanoseconds, nanoseconds() - start, memory_order_relaxed);
	if (s->kind == STEP_LOOP) return;
	atomic_fetch_add_explicit(&t->work, f->step[s->number].work, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->bytes, step_bytes(p, s, f->dim), memory_order_relaxed);
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		const Buffer *b = &p->buffer[s->buffer[i]];
		_Atomic int64_t *most = &f->program->array_bytes[s->buffer[i]];
		int64_t bytes = f->dim[elements_dim(p, b)] * (int64_t)dtype_bytes((Dtype)b->dtype);
		if (bytes > atomic_load_explicit(most, memory_order_relaxed))
			atomic_store_explicit(most, bytes, memory_order_relaxed);
	}
}

/* The side of a branch that is not taken. */
static bool is_skipped(const Frame *f, const Step *s)
{
	return is_side(s) && *(const uint8_t *)f->base[s->condition - 1] == s->unless;
}

bool run_placed(Frame *f, const Step *s, FrameStep *x)
{
	if (s->kind == STEP_KERNEL) return run_kernel(f, s, x);
	if (s->call->core == CORE_CUSTOM) return run_custom(f, s, x);
	if (s->call->core == CORE_EFFECT) return run_effect(f, s, x);
	Job j = {.f = f, .s = s, .x = x, .items = x->items};
	run_job(&j, NULL);
	return check_fault(f, s);
}

/* The steps from `s` on, to the one with number `end`. */
static bool run_steps(Frame *f, const Step *s, uint32_t end)
{
	const bool times = f->program->times != NULL;
	for (; s && s->number < end; s = s->next) {
		if (is_skipped(f, s)) continue;
		FrameStep *x = &f->step[s->number];
		if (s->number < f->no_return && call_is_over(f, x->work)) return false;
		int64_t start = times ? nanoseconds() : 0;
		for (uint32_t i = 0; i < s->call->nbuffer; i++) x->buffer[i] = f->base[s->buffer[i]];
		if (!(s->kind == STEP_LOOP ? run_loop(f, s) : run_placed(f, s, x))) return false;
		if (times) note_time(f, s, start);
		if (f->program->options.poison)
			poison(f, s->number,
				s->kind == STEP_LOOP && s->next ? s->next->number - 1 : s->number);
	}
	return true;
}

/* ---- phases ----------------------------------------------------------------------------------- */

/* In a loop, sizes that are those of the last pass leave all as it is. */
static bool begin_phase(Frame *f, uint32_t phase)
{
	bool top = f->program->plan->phase[phase].loop == UINT32_MAX, known = !phase || frame_knows(f, phase);
	if (!known && !frame_phase(f, phase)) return false;
	if (top && phase && !give_outputs(f, phase)) return false;
	f->now = &f->phase[phase];
	if (f->program->options.poison) memset(f->now->work, 0xff, f->now->result_at);
	if (top || !known) move_aliases(f, &f->program->whole);
	return true;
}

/* `phase` and those that follow it in its list. */
static bool run_phases(Frame *f, uint32_t phase)
{
	const Plan *p = f->program->plan;
	do
		if (!begin_phase(f, phase) || !run_steps(f, p->phase[phase].step, phase_end(p, phase)))
			return false;
	while ((phase = p->phase[phase].next));
	return true;
}

bool run_body(Frame *f, const Step *loop)
{
	const FramePhase *around = f->now;
	if (!loop->phase) return run_steps(f, loop->body, UINT32_MAX);
	bool good = run_steps(f, loop->body, f->program->plan->phase[loop->phase].first) &&
		run_phases(f, loop->phase);
	f->now = around;
	return good;
}

bool run_plan(Frame *f)
{
	return run_phases(f, 0);
}
