/* execute.c - a call: arrays checked and packed, results placed and moved; frames lent to calls without
 * one. */
#include "program.h"

#include <stdio.h>

/* ---- arrays of a call ------------------------------------------------------------------------ */

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
			const Buffer *b = &p->buffer[p->scalar[p->dim[i].a].buffer];
			const void *x = array_data(&in[b->index]);
			if (!x || f->key[n++] != size_at(b, x)) return false;
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
		if (!data && f->dim[elements_dim(p, &p->buffer[b])] > 0)
			return bad_call(f, &p->in[i], i, "an argument without data");
		f->base[b] = data;
		if (!array_compact(&in[i], bytes)) {
			f->base[b] = f->phase[0].work + f->pack_offset[i];
			Array packed = in[i];
			packed.data = f->base[b];
			packed.byte_offset = 0;
			packed.strides = NULL;
			array_copy(&packed, &in[i], bytes);
		}
	}
	return true;
}

/* Does result j, there, meet an argument that it may not be written over?  From the first step on that writes
 * over one where it may, the call is done to its end. */
static bool overlaps_input(Frame *f, uint32_t j, const char *data, size_t bytes)
{
	const Plan *p = f->program->plan;
	for (uint32_t i = 0; i < p->nin; i++) {
		const char *x = f->base[p->in[i].buffer];
		size_t n = (size_t)f->dim[elements_dim(p, &p->buffer[p->in[i].buffer])] *
			dtype_bytes((Dtype)p->in[i].dtype);
		bool meets = n && data < x + n && x < data + bytes && (void *)x == array_data(&f->in[i]);
		if (meets && !(x == data && n == bytes && may_write_over(f->program, j, i))) return true;
		uint32_t first = p->buffer[p->out[j].buffer].first;
		if (meets && first < f->no_return) f->no_return = first;
	}
	return false;
}

/* Two results that the caller has memory for, on each other. */
static bool results_meet(const Frame *f, uint32_t j, uint32_t k)
{
	const Plan *p = f->program->plan;
	const Buffer *a = &p->buffer[p->out[j].buffer], *b = &p->buffer[p->out[k].buffer];
	size_t each = dtype_bytes((Dtype)a->dtype), other = dtype_bytes((Dtype)b->dtype);
	const Array *x = &f->out[j], *y = &f->out[k];
	if (x->strides || y->strides) return arrays_meet(x, each, y, other);
	const char *from = array_data(x), *to = array_data(y);
	return from < to + (size_t)f->dim[elements_dim(p, b)] * other &&
		to < from + (size_t)f->dim[elements_dim(p, a)] * each &&
		f->dim[elements_dim(p, a)] && f->dim[elements_dim(p, b)];
}

/* With those that have their places already. */
static bool check_overlaps(Frame *f, uint32_t j, uint32_t phase)
{
	const Plan *p = f->program->plan;
	char text[100];
	for (uint32_t k = 0; k < p->nout; k++) {
		uint32_t its = buffer_phase(p, p->out[k].buffer);
		if (its > phase || (its == phase && k >= j) || !array_data(&f->out[k]) ||
			!results_meet(f, j, k))
			continue;
		snprintf(text, sizeof text, "results %u and %u lie on each other", (k < j ? k : j) + 1,
			(k < j ? j : k) + 1);
		return bad_call(f, &p->out[j], j, text);
	}
	return true;
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

/* Results go straight to the caller's memory unless it is strided, or overlaps an input that is read when the
 * result is written. */
bool give_outputs(Frame *f, uint32_t phase)
{
	const Plan *p = f->program->plan;
	for (uint32_t j = 0; j < p->nout; j++)
		if (buffer_phase(p, p->out[j].buffer) >= phase) f->base[p->out[j].buffer] = NULL;
	for (uint32_t j = 0; j < p->nout; j++) {
		const Buffer *b = &p->buffer[p->out[j].buffer];
		if (buffer_phase(p, p->out[j].buffer) != phase) continue;
		char *own = f->phase[phase].work + f->result_offset[j];
		char *data = j < f->nout ? array_data(&f->out[j]) : NULL;
		f->moved[j] = false;
		f->base[p->out[j].buffer] = f->result[j].data = own;
		if (!data && f->borrowed && f->dim[elements_dim(p, b)]) {
			fail(&f->error, ERR_CALL, (Where){0},
				"result %u: without a frame every result needs memory", j + 1);
			return false;
		}
		if (!data) continue;
		if (!check_result(f, j, &f->out[j]) || !check_overlaps(f, j, phase)) return false;
		size_t each = dtype_bytes((Dtype)b->dtype), bytes = (size_t)f->dim[elements_dim(p, b)] * each;
		f->moved[j] = !array_compact(&f->out[j], each) || overlaps_input(f, j, data, bytes);
		if (!f->moved[j]) f->base[p->out[j].buffer] = f->result[j].data = data;
	}
	return true;
}

static void move_outputs(Frame *f, const Array *out)
{
	const Plan *p = f->program->plan;
	for (uint32_t j = 0; j < p->nout; j++)
		if (f->moved[j])
			array_copy(&out[j], &f->result[j], dtype_bytes((Dtype)p->out[j].dtype));
}

/* A result of the frame's last call is no argument of its next one: the call writes that memory, or frees
 * it. */
static bool check_foreign(Frame *f, const struct PlanArg *a, uint32_t i, const Array *x)
{
	const Plan *p = f->program->plan;
	const char *data = array_data(x);
	char text[200], shown[100];
	for (uint32_t k = 0; k < p->nphase; k++) {
		const FramePhase *own = &f->phase[k];
		if (__builtin_expect((uintptr_t)data - (uintptr_t)own->work >= own->work_bytes, 1)) continue;
		snprintf(text, sizeof text,
			"%s: it lies in this frame's own memory, which the call writes; copy it, or take another frame",
			arg_text(shown, a >= p->in && a < p->in + p->nin ? "argument" : "result", i, a));
		return bad_call(f, a, i, text);
	}
	return true;
}

static bool check_inputs(Frame *f, uint32_t nin, const Array *in)
{
	const Plan *p = f->program->plan;
	if (nin != p->nin) {
		fail(&f->error, ERR_CALL, (Where){0}, "%u arguments, wanted %u", nin, p->nin);
		return false;
	}
	for (uint32_t i = 0; i < nin; i++)
		if (!check_array(f, &p->in[i], i, &in[i], "argument") ||
			!check_foreign(f, &p->in[i], i, &in[i]))
			return false;
	return true;
}

static bool check_outputs(Frame *f, uint32_t nout, const Array *out)
{
	const Plan *p = f->program->plan;
	if (nout && nout != p->nout) {
		fail(&f->error, ERR_CALL, (Where){0}, "memory for %u results, wanted %u", nout, p->nout);
		return false;
	}
	for (uint32_t j = 0; j < nout; j++)
		if (out[j].data && !check_foreign(f, &p->out[j], j, &out[j])) return false;
	return true;
}

/* ---- a call ---------------------------------------------------------------------------------- */

static bool call_frame(Frame *f, const CallArrays *x)
{
	if (f->error.code) error_clear(&f->error);
	if (f->stop.seconds > 0 && !f->stop.row) stop_begin(&f->stop);
	f->over = 0;
	f->no_return = UINT32_MAX;
	if (!check_inputs(f, x->nin, x->in) || !check_outputs(f, x->nout, x->out)) return false;
	if (!remembered(f, x->in) && !frame_layout(f, x->in)) return false;
	f->in = x->in;
	f->out = x->out;
	f->nout = x->nout;
	if (!take_inputs(f, x->in) || !give_outputs(f, 0) || !run_plan(f)) return false;
	move_outputs(f, x->out);
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

static int call_borrowed(Program *p, const CallArrays *x, Error *e)
{
	Error none = {0};
	Frame *f = borrow(p, e ? e : &none);
	if (!f) return ERR_MEMORY;
	bool good = x->nout >= p->plan->nout;
	if (!good) {
		error_clear(&f->error);
		fail(&f->error, ERR_CALL, (Where){0},
			"without a frame every result needs memory: there are %u", p->plan->nout);
	}
	good = good && call_frame(f, x);
	int code = good ? 0 : f->error.code;
	if (!good && e) *e = f->error;
	give_back(p, f);
	return code;
}

int program_call(Program *p, Frame *f, const CallArrays *x, Error *e)
{
	if (__builtin_expect(atomic_load_explicit(&p->forks, memory_order_relaxed) != fork_count, 0))
		tier_restart(p);
	if (!f) return call_borrowed(p, x, e);
	if (__builtin_expect(call_frame(f, x), 1)) return 0;
	if (e) *e = f->error;
	return f->error.code;
}
