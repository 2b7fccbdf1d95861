/* execute.c - a call: arrays checked and packed, the plan's steps run, results moved. */
#include "program.h"

#include <stdio.h>
#include <time.h>

/* ---- one step ------------------------------------------------------------------------------- */

static int64_t nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool check_fault(Frame *f, const Step *s)
{
	const Fault *x = &f->fault[0];
	if (__builtin_expect(x->position == INT64_MAX, 1)) return true;
	fail(&f->error, ERR_CALL, (Where){s->file, s->line, 0},
		"index %lld of an axis of %lld (element %lld)", (long long)x->index, (long long)x->extent,
		(long long)x->position);
	return false;
}

/* k NULL: a core */
static void run_job(Job *j, const KernelSlot *k)
{
	FrameStep *x = j->x;
	if (__builtin_expect(j->f->program->threads == 1 || x->work <= PARALLEL_WORK, 1)) {
		run_items(j);
		return;
	}
	int64_t start = nanoseconds();
	j->shared = choose_way(&x->choice);
	if (!j->shared || !run_parted(j, k)) run_items(j);
	note_way(&x->choice, nanoseconds() - start);
}

static bool run_kernel(Frame *f, const Step *s, FrameStep *x)
{
	Program *p = f->program;
	KernelSlot *k = &p->kernel[s->kernel->index];
	Job j = {.f = f, .s = s, .x = x};
	j.native = atomic_load_explicit(&k->native, memory_order_acquire);
	if (p->options.alternate && f->launches++ / p->options.alternate % 2 == 0) j.native = NULL;
	j.items = j.native ? x->items : bound_items(x->bound);
	run_job(&j, k);
	return check_fault(f, s);
}

/* ---- operators of the user's ---------------------------------------------------------------- */

/* One at a time where the operator asks for it: among all programs, which is seldom and simple. */
static bool run_custom(Frame *f, const Step *s, FrameStep *x)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	const Custom *c = s->custom;
	const Plan *plan = f->program->plan;
	uint32_t nin = (uint32_t)x->param[0];
	Value v[BUFFERS_MAX];
	for (uint32_t i = 0; i < s->nbuffer; i++) {
		const Buffer *b = &plan->buffer[s->buffer[i]];
		v[i] = (Value){.dtype = (Dtype)b->dtype,
			.rank = b->rank,
			.count = f->dim[b->elements],
			.data = x->buffer[i]};
		for (uint32_t k = 0; k < b->rank; k++) v[i].dim[k] = f->dim[b->dim[k]];
	}
	if (c->flags & CUSTOM_ONE_THREAD) pthread_mutex_lock(&one);
	int code = c->call(c, nin, v, s->nbuffer - nin, v + nin);
	if (c->flags & CUSTOM_ONE_THREAD) pthread_mutex_unlock(&one);
	if (code)
		fail(&f->error, ERR_CALL, (Where){s->file, s->line, 0}, "%s: its kernel gave %d", c->name,
			code);
	return !code;
}

/* ---- loops --------------------------------------------------------------------------------- */

static void move_aliases(Frame *f, const LoopPlan *l)
{
	const Plan *plan = f->program->plan;
	for (uint32_t i = 0; i < l->n; i++) {
		const Buffer *b = &plan->buffer[l->alias[i]];
		char *base = f->base[b->of];
		if (base && b->loop != UINT32_MAX) /* NULL: its phase has not begun */
			base += f->index[b->loop] * f->dim[b->elements] *
				(int64_t)dtype_bytes((Dtype)b->dtype);
		f->base[l->alias[i]] = base;
	}
}

static void exchange(void **x, void **y)
{
	void *t = *x;
	*x = *y;
	*y = t;
}

static bool run_body(Frame *f, const Step *loop);

/* `now` and `next` change places after each pass; after an odd number of passes the last value would lie in `next`'s
 * memory, which later steps may use: so then they change places before the first pass as well. */
static bool run_loop(Frame *f, const Step *s)
{
	const Plan *plan = f->program->plan;
	const LoopPlan *l = &f->program->loop[s->loop];
	int64_t n = f->dim[s->steps];
	for (uint32_t c = 0; c < s->ncarry; c++) {
		const struct Carry *x = &s->carry[c];
		const Buffer *b = &plan->buffer[x->now];
		void *first = f->base[x->first];
		if (n > 0 && n % 2) exchange(&f->base[x->now], &f->base[x->next]);
		if (first != f->base[x->now])
			memmove(f->base[x->now], first,
				(size_t)f->dim[b->elements] * dtype_bytes((Dtype)b->dtype));
	}
	for (int64_t i = 0; i < n; i++) {
		f->index[s->loop] = s->back ? n - 1 - i : i;
		*(int64_t *)f->base[s->index] = f->index[s->loop];
		move_aliases(f, l);
		if (!run_body(f, s)) return false;
		for (uint32_t c = 0; c < s->ncarry; c++)
			exchange(&f->base[s->carry[c].now], &f->base[s->carry[c].next]);
	}
	f->index[s->loop] = 0;
	move_aliases(f, l);
	return true;
}

/* ---- steps ------------------------------------------------------------------------------------ */

static void poison(Frame *f, uint32_t from, uint32_t to)
{
	const Plan *plan = f->program->plan;
	for (uint32_t i = 0; i < plan->nbuffer; i++) {
		const Buffer *b = &plan->buffer[i];
		if (b->space == SPACE_WORK && f->phase[b->phase].ready && f->offset[i] >= 0 &&
			b->first != UINT32_MAX && b->last >= from && b->last <= to)
			memset(f->phase[b->phase].work + f->offset[i], 0xff,
				(size_t)f->dim[b->elements] * dtype_bytes((Dtype)b->dtype));
	}
}

static void note_time(StepTime *t, int64_t start)
{
	atomic_fetch_add_explicit(&t->calls, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&t->nanoseconds, nanoseconds() - start, memory_order_relaxed);
}

/* The steps from `s` on, to the one with number `end`. */
static bool run_steps(Frame *f, const Step *s, uint32_t end)
{
	StepTime *times = f->program->times;
	for (; s && s->number < end; s = s->next) {
		FrameStep *x = &f->step[s->number];
		int64_t start = times ? nanoseconds() : 0;
		for (uint32_t i = 0; i < s->nbuffer; i++) x->buffer[i] = f->base[s->buffer[i]];
		if (s->kind == STEP_KERNEL) {
			if (!run_kernel(f, s, x)) return false;
		} else if (s->kind == STEP_LOOP) {
			if (!run_loop(f, s)) return false;
		} else if (s->core == CORE_CUSTOM) {
			if (!run_custom(f, s, x)) return false;
		} else {
			Job j = {.f = f, .s = s, .x = x, .items = x->items};
			run_job(&j, NULL);
			if (!check_fault(f, s)) return false;
		}
		if (times) note_time(&times[s->number], start);
		if (f->program->options.poison)
			poison(f, s->number,
				s->kind == STEP_LOOP && s->next ? s->next->number - 1 : s->number);
	}
	return true;
}

/* ---- a call --------------------------------------------------------------------------------------- */

static bool bad_call(Frame *f, const struct PlanArg *a, uint32_t i, const char *text)
{
	const struct PlanArg *in = f->program->plan->in;
	fail(&f->error, ERR_CALL, (Where){a->file, a->line, 0}, "%s", text);
	f->error.argument = a == &in[i] ? (int)i + 1 : 0;
	return false;
}

/* "argument 1 (x)"; a result that is one array has no name, an element of a tuple a number for it. */
static const char *arg_text(char out[100], const char *what, uint32_t i, const struct PlanArg *a)
{
	int n = snprintf(out, 100, "%s %u", what, i + 1);
	bool named = a->name && (a->name[0] < '0' || a->name[0] > '9');
	if (named) snprintf(out + n, 100 - (size_t)n, " (%s)", a->name);
	return out;
}

static bool check_array(Frame *f, const struct PlanArg *a, uint32_t i, const Array *x, const char *what)
{
	char text[200], shown[100];
	if (array_is(x, (Dtype)a->dtype) && x->ndim == (int32_t)a->rank &&
		(x->device.type == 1 || x->device.type == 0))
		return true;
	Dtype d = array_dtype(x);
	arg_text(shown, what, i, a);
	if (d != (Dtype)a->dtype)
		snprintf(text, sizeof text, "%s: dtype %s, wanted %s", shown, d ? dtype_name(d) : "unknown",
			dtype_name((Dtype)a->dtype));
	else if (x->ndim != (int32_t)a->rank)
		snprintf(text, sizeof text, "%s: %d axes, wanted %u", shown, x->ndim, a->rank);
	else
		snprintf(text, sizeof text, "%s: it does not lie in the CPU's memory", shown);
	return bad_call(f, a, i, text);
}

/* Are shapes, and scalars that sizes depend on, those of the layout? */
static bool remembered(const Frame *f, const Array *in)
{
	const Plan *p = f->program->plan;
	uint32_t n = 0;
	if (!f->phase[0].ready) return false;
	for (uint32_t i = 0; i < p->nin; i++)
		for (uint32_t k = 0; k < p->in[i].rank; k++)
			if (f->key[n++] != in[i].shape[k]) return false;
	for (uint32_t i = 0; n < f->nkey; i++)
		if (p->dim[i].kind == DIM_SCALAR && !p->dim[i].phase) {
			const void *x = array_data(&in[p->buffer[p->scalar[p->dim[i].a].buffer].index]);
			if (!x || memcmp(&f->key[n++], x, 8)) return false;
		}
	return true;
}

static bool take_inputs(Frame *f, const Array *in)
{
	const Plan *p = f->program->plan;
	for (uint32_t i = 0; i < p->nin; i++) {
		uint32_t b = p->in[i].buffer;
		size_t bytes = dtype_bytes((Dtype)p->in[i].dtype);
		void *data = array_data(&in[i]);
		if (!data && f->dim[p->buffer[b].elements] > 0)
			return bad_call(f, &p->in[i], i, "an argument without data");
		f->base[b] = data;
		if (!array_compact(&in[i], bytes)) {
			f->base[b] = f->phase[0].work + f->pack_offset[i];
			array_copy(p->in[i].rank, in[i].shape, bytes, f->base[b], NULL, data, in[i].strides);
		}
	}
	return true;
}

/* Does result j, there, meet an argument that it may not be written over? */
static bool overlaps_input(const Frame *f, uint32_t j, const char *data, size_t bytes)
{
	const Plan *p = f->program->plan;
	for (uint32_t i = 0; i < p->nin; i++) {
		const char *x = f->base[p->in[i].buffer];
		size_t n = (size_t)f->dim[p->buffer[p->in[i].buffer].elements] *
			dtype_bytes((Dtype)p->in[i].dtype);
		bool meets = n && data < x + n && x < data + bytes && (void *)x == array_data(&f->in[i]);
		if (meets && !(x == data && n == bytes && f->program->in_place[j * p->nin + i])) return true;
	}
	return false;
}

/* Is this the memory of a result that has its place already? */
static bool overlaps_output(const Frame *f, uint32_t j, const char *data, size_t bytes)
{
	const Plan *p = f->program->plan;
	for (uint32_t k = 0; k < p->nout; k++) {
		const Buffer *b = &p->buffer[p->out[k].buffer];
		const char *other = f->base[p->out[k].buffer];
		if (k != j && other &&
			data < other + (size_t)f->dim[b->elements] * dtype_bytes((Dtype)b->dtype) &&
			other < data + bytes)
			return true;
	}
	return false;
}

static bool check_result(Frame *f, uint32_t j, const Array *out)
{
	const struct PlanArg *a = &f->program->plan->out[j];
	char text[200], shown[100];
	if (!check_array(f, a, j, out, "result")) return false;
	for (uint32_t k = 0; k < a->rank; k++)
		if (out->shape[k] != f->result[j].shape[k]) {
			snprintf(text, sizeof text, "%s: size %lld on axis %u, wanted %lld",
				arg_text(shown, "result", j, a), (long long)out->shape[k], k,
				(long long)f->result[j].shape[k]);
			return bad_call(f, a, j, text);
		}
	return true;
}

/* Results go straight to the caller's memory unless it is strided, or overlaps another result or an input that is read
 * when the result is written. */
static bool give_outputs(Frame *f, uint32_t phase)
{
	const Plan *p = f->program->plan;
	for (uint32_t j = 0; j < p->nout; j++)
		if (p->buffer[p->out[j].buffer].phase >= phase) f->base[p->out[j].buffer] = NULL;
	for (uint32_t j = 0; j < p->nout; j++) {
		const Buffer *b = &p->buffer[p->out[j].buffer];
		if (b->phase != phase) continue;
		char *own = f->phase[phase].work + f->result_offset[j];
		char *data = j < f->nout ? array_data(&f->out[j]) : NULL;
		f->moved[j] = false;
		f->base[p->out[j].buffer] = f->result[j].data = own;
		if (!data && f->borrowed && f->dim[b->elements]) {
			fail(&f->error, ERR_CALL, (Where){0}, "result %u: without a frame every result needs memory",
				j + 1);
			return false;
		}
		if (!data) continue;
		if (!check_result(f, j, &f->out[j])) return false;
		size_t each = dtype_bytes((Dtype)b->dtype), bytes = (size_t)f->dim[b->elements] * each;
		f->moved[j] = !array_compact(&f->out[j], each) || overlaps_input(f, j, data, bytes) ||
			overlaps_output(f, j, data, bytes);
		if (!f->moved[j]) f->base[p->out[j].buffer] = f->result[j].data = data;
	}
	return true;
}

static void move_outputs(Frame *f, const Array *out)
{
	const Plan *p = f->program->plan;
	for (uint32_t j = 0; j < p->nout; j++)
		if (f->moved[j])
			array_copy(p->out[j].rank, f->result[j].shape, dtype_bytes((Dtype)p->out[j].dtype),
				array_data(&out[j]), out[j].strides, f->result[j].data, NULL);
}

static bool check_inputs(Frame *f, uint32_t nin, const Array *in)
{
	const Plan *p = f->program->plan;
	if (nin != p->nin) {
		fail(&f->error, ERR_CALL, (Where){0}, "%u arguments, wanted %u", nin, p->nin);
		return false;
	}
	for (uint32_t i = 0; i < nin; i++)
		if (!check_array(f, &p->in[i], i, &in[i], "argument")) return false;
	return true;
}

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

static bool run_body(Frame *f, const Step *loop)
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

static bool call_frame(Frame *f, uint32_t nin, const Array *in, uint32_t nout, const Array *out)
{
	if (f->error.code) error_clear(&f->error);
	if (!check_inputs(f, nin, in)) return false;
	if (nout && nout != f->program->plan->nout) {
		fail(&f->error, ERR_CALL, (Where){0}, "memory for %u results, wanted %u", nout,
			f->program->plan->nout);
		return false;
	}
	if (!remembered(f, in) && !frame_layout(f, in)) return false;
	f->in = in, f->out = out, f->nout = nout;
	if (!take_inputs(f, in) || !give_outputs(f, 0) || !run_plan(f)) return false;
	move_outputs(f, out);
	return true;
}

bool frame_reserve(Frame *f, uint32_t nin, const Array *in)
{
	if (f->error.code) error_clear(&f->error);
	return check_inputs(f, nin, in) && (remembered(f, in) || frame_layout(f, in));
}

/* ---- borrowed frames ------------------------------------------------------------------------------- */

static Stripe *stripe_of(Program *p)
{
	static _Thread_local char mine;
	return &p->stripe[((uintptr_t)&mine >> 12) * 0x9e3779b9u >> 8 & (STRIPES - 1)];
}

static void stripe_lock(Stripe *s)
{
	while (atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire)) {}
}

static Frame *new_borrowed(Program *p, Error *e)
{
	Error unread = {0};
	Frame *f = frame_new(p, e ? e : &unread);
	if (f) {
		f->borrowed = true; /* owned by the program: it does not keep it */
		program_free(p);
	}
	return f;
}

static Frame *borrow(Program *p, Error *e)
{
	Stripe *s = stripe_of(p);
	stripe_lock(s);
	Frame *f = s->first;
	if (f) s->first = f->next;
	atomic_flag_clear_explicit(&s->busy, memory_order_release);
	return f ? f : new_borrowed(p, e);
}

static void give_back(Program *p, Frame *f)
{
	Stripe *s = stripe_of(p);
	stripe_lock(s);
	f->next = s->first;
	s->first = f;
	atomic_flag_clear_explicit(&s->busy, memory_order_release);
}

static int call_borrowed(Program *p, uint32_t nin, const Array *in, uint32_t nout, const Array *out, Error *e)
{
	Error none = {0};
	Frame *f = borrow(p, e ? e : &none);
	if (!f) return ERR_MEMORY;
	bool good = nout >= p->plan->nout;
	if (!good) {
		error_clear(&f->error);
		fail(&f->error, ERR_CALL, (Where){0},
			"without a frame every result needs memory: there are %u", p->plan->nout);
	}
	good = good && call_frame(f, nin, in, nout, out);
	int code = good ? 0 : f->error.code;
	if (!good && e) *e = f->error;
	give_back(p, f);
	return code;
}

int program_call(
	Program *p, Frame *f, uint32_t nin, const Array *in, uint32_t nout, const Array *out, Error *e)
{
	if (__builtin_expect(atomic_load_explicit(&p->forks, memory_order_relaxed) != fork_count, 0))
		tier_restart(p);
	if (!f) return call_borrowed(p, nin, in, nout, out, e);
	if (__builtin_expect(call_frame(f, nin, in, nout, out), 1)) return 0;
	if (e) *e = f->error;
	return f->error.code;
}
