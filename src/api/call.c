/* call.c - calls of programs, frames. */
#define POR_NO_LINES
#include "compiled.h"

#include <stdio.h>

/* ---- frames -------------------------------------------------------------------------------- */

static size_t frame_bytes(const por_program *p)
{
	return sizeof(por_frame) + p->nout * (sizeof(por_array) + RANK_MAX * sizeof(int64_t));
}

por_frame *por_frame_new(por_program *p)
{
	por_frame *f = p ? context_alloc(p->context, frame_bytes(p)) : NULL;
	if (!f) {
		if (p) compiled_fail(p, POR_ERR_MEMORY, "out of memory");
		return NULL;
	}
	f->result = (por_array *)(void *)(f + 1);
	f->shape = (int64_t(*)[RANK_MAX])(void *)(f->result + p->nout);
	Error e = {0};
	if (p->run && !(f->run = frame_new(p->run, &e))) {
		compiled_set_error(p, (por_error *)&e);
		context_release(p->context, f, frame_bytes(p));
		return NULL;
	}
	f->program = compiled_retain(p);
	f->watch = (Watch){.cancel = {&p->context->cancelled, &f->cancelled},
		.seconds_most = p->call_seconds};
	return f;
}

void por_frame_cancel(por_frame *f, int on)
{
	if (!f) return;
	__atomic_store_n(&f->cancelled, on != 0, __ATOMIC_RELAXED);
	if (f->run) frame_cancel(f->run, on != 0);
}

int por_frame_limit(por_frame *f, double seconds)
{
	if (!f) return POR_ERR_VALUE;
	if (!(seconds >= 0))
		return call_fail(&f->error, POR_ERR_VALUE, NULL, 0,
			"frame_limit: %g seconds; wanted 0 or more", seconds);
	f->watch.seconds_most = seconds;
	if (f->run) frame_limit(f->run, seconds);
	return POR_OK;
}

void por_frame_free(por_frame *f)
{
	if (!f) return;
	por_program *p = f->program;
	frame_free(f->run);
	arena_free(f->arena);
	context_release(p->context, f, frame_bytes(p));
	compiled_drop(p);
}

const por_error *por_frame_error(const por_frame *f)
{
	static const por_error none = {.code = POR_ERR_VALUE, .text = "there is no frame"};
	return f ? &f->error : &none;
}

int por_frame_reserve(por_frame *f, int nin, const por_array *in)
{
	if (!f) return POR_ERR_VALUE;
	error_clear((Error *)&f->error);
	if (nin != (int)f->program->nin || (nin && !in))
		return call_fail(&f->error, POR_ERR_CALL, NULL, 0, "reserve: given %d arguments, wanted %u",
			nin, f->program->nin);
	if (!f->run) return reference_reserve(f->program, f, in);
	if (frame_reserve(f->run, (uint32_t)nin, (const Array *)in)) return POR_OK;
	memcpy(&f->error, frame_error(f->run), sizeof f->error);
	return f->error.code;
}

int por_frame_shape(por_frame *f, int i, int64_t *sizes)
{
	bool known = f && f->run && i >= 0 && i < (int)f->program->nout && sizes;
	const int64_t *shape = known ? frame_shape(f->run, (uint32_t)i) : NULL;
	if (!shape) return -1;
	int rank = f->program->out[i].rank;
	memcpy(sizes, shape, (size_t)rank * sizeof *sizes);
	return rank;
}

int64_t por_frame_work(por_frame *f)
{
	return f && f->run ? frame_work(f->run) : -1;
}

const por_array *por_frame_result(por_frame *f, int i)
{
	if (!f || i < 0 || i >= (int)f->program->nout) return NULL;
	if (!f->run) return f->result[i].data ? &f->result[i] : NULL;
	Array *a = (Array *)(void *)&f->result[i];
	if (!frame_result(f->run, (uint32_t)i, a)) return NULL;
	for (int k = 0; k < a->ndim; k++) f->shape[i][k] = a->shape[k];
	a->shape = f->shape[i];
	return &f->result[i];
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* An argument that is not plain: its message, and its promises. */
static int check_argument(const por_program *p, por_error *e, int i, const por_array *a)
{
	const Port *t = &p->in[i];
	if (a->ndim < 0 || (a->ndim && !a->shape))
		return call_fail(e, POR_ERR_CALL, t, i + 1, "argument %d: it has no shape", i + 1);
	if (a->device.type != 1)
		return call_fail(e, POR_ERR_CALL, t, i + 1, "argument %d: it is not in host memory", i + 1);
	if (!a->data && por_array_count(a) > 0)
		return call_fail(e, POR_ERR_CALL, t, i + 1, "argument %d: it has no data", i + 1);
	if (a->strides && !array_strides_fit((const Array *)a, por_dtype_bytes(t->dtype)))
		return call_fail(e, POR_ERR_CALL, t, i + 1, "argument %d: its strides reach past 2^48 bytes",
			i + 1);
	bool known = por_array_dtype(a) == t->dtype && a->ndim == (int)t->rank;
	return t->fact && known ? check_facts(e, t, i + 1, a) : POR_OK;
}

/* Says what is wanted, as far as there is room. */
static int wrong_number(const por_program *p, por_error *e, int nin)
{
	char wanted[400] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < p->nin && n < sizeof wanted; i++)
		n += (size_t)snprintf(wanted + n, sizeof wanted - n, "%s%s", i ? ", " : ": ", p->in[i].text);
	if (n >= sizeof wanted) memcpy(wanted + sizeof wanted - 4, "...", 4);
	return call_fail(e, POR_ERR_CALL, p->out, 0, "given %d argument%s, wanted %u%s", nin, nin == 1 ? "" : "s", p->nin,
		wanted);
}

static int check_numbers(
	const por_program *p, por_error *e, int nin, const por_array *in, int nout, const por_array *out)
{
	if (nin != (int)p->nin)
		return wrong_number(p, e, nin);
	if (nout && nout != (int)p->nout)
		return call_fail(
			e, POR_ERR_CALL, p->out, 0, "given memory for %d results, there are %u", nout,
			p->nout);
	bool given = !nin || in;
	return call_fail(e, POR_ERR_CALL, p->out, 0, "the %s are NULL", given ? "results" : "arguments");
}

static int check_strides(const por_program *p, por_error *e, int i, const por_array *a)
{
	size_t bytes = por_dtype_bytes(p->out[i].dtype);
	if (!array_strides_fit((const Array *)a, bytes))
		return call_fail(e, POR_ERR_CALL, &p->out[i], 0,
			"result %d: its strides reach past 2^48 bytes", i + 1);
	for (int k = 0; k < a->ndim; k++)
		if (!a->strides[k] && a->shape[k] > 1)
			return call_fail(e, POR_ERR_CALL, &p->out[i], 0,
				"result %d: a stride of 0 on axis %d puts its elements on each other", i + 1,
				k);
	if (a->ndim <= RANK_MAX && array_meets_itself((const Array *)a, bytes))
		return call_fail(e, POR_ERR_CALL, &p->out[i], 0,
			"result %d: its strides put elements on each other", i + 1);
	return POR_OK;
}

static inline bool is_of_host(const por_array *a)
{
	return a->device.type == 1 && a->ndim >= 0 && (a->shape || !a->ndim);
}

/* What the runner does not check: numbers of arrays, host memory, promises. */
static inline int check_call(
	const por_program *p, por_error *e, int nin, const por_array *in, int nout, const por_array *out)
{
	bool numbers = nin == (int)p->nin && (in || !nin) && (!nout || (nout == (int)p->nout && out));
	if (__builtin_expect(!numbers, 0)) return check_numbers(p, e, nin, in, nout, out);
	for (int i = 0; i < nin; i++) {
		const por_array *a = &in[i];
		bool plain = a->data && is_of_host(a) && !a->strides && !p->in[i].fact;
		if (__builtin_expect(!plain, 0) && check_argument(p, e, i, a)) return e->code;
	}
	for (int i = 0; i < nout; i++) {
		const por_array *a = &out[i];
		if (a->data && !is_of_host(a))
			return call_fail(e, POR_ERR_CALL, &p->out[i], 0,
				"result %d: its memory has no shape or is not the host's", i + 1);
		if (__builtin_expect(a->data && a->strides, 0) && check_strides(p, e, i, a)) return e->code;
	}
	return POR_OK;
}

/* A borrowed frame: of the runner's own, or, for the reference tier, one of this call alone. */
static int call_borrowed(por_program *p, int nin, const por_array *in, int nout, const por_array *out)
{
	por_error e = {0};
	if (p->run) {
		if (!check_call(p, &e, nin, in, nout, out))
			program_call(p->run, NULL,
				&(CallArrays){(uint32_t)nin, (const Array *)in, (uint32_t)nout,
					(const Array *)out},
				(Error *)&e);
	} else {
		por_frame *f = por_frame_new(p);
		if (!f) return por_program_error(p)->code;
		por_call(p, f, nin, in, nout, out);
		e = f->error;
		for (int i = 0; i < (int)p->nout && !e.code; i++)
			if ((!nout || !out[i].data) && por_array_count(&f->result[i]))
				call_fail(&e, POR_ERR_CALL, &p->out[i], 0,
					"result %d: without a frame every result needs memory", i + 1);
		por_frame_free(f);
	}
	if (e.code) compiled_set_error(p, &e);
	return e.code;
}

int call_plain(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out)
{
	if (!f) return call_borrowed(p, nin, in, nout, out);
	f->error.code = 0;
	f->error.text[0] = 0;
	if (check_call(p, &f->error, nin, in, nout, out)) return f->error.code;
	if (!p->run) return reference_call(p, f, nin, in, nout, out);
	return program_call(p->run, f->run,
		&(CallArrays){(uint32_t)nin, (const Array *)in, (uint32_t)nout, (const Array *)out},
		(Error *)&f->error);
}

static int foreign_frame(por_frame *f)
{
	f->error.code = POR_OK;
	return call_fail(&f->error, POR_ERR_VALUE, NULL, 0, "this frame is another program's");
}

int por_call(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out)
{
	if (!p) return POR_ERR_VALUE;
	if (__builtin_expect(f && f->program != p, 0)) return foreign_frame(f);
	if (__builtin_expect(p->donate != 0, 0)) return call_donated(p, f, nin, in, nout, out);
	return call_plain(p, f, nin, in, nout, out);
}

/* One call after the other, each with all its checks. */
static int each_call(por_program *p, por_frame *f, int64_t n, const por_calls *c)
{
	por_array in[FEW_ARRAYS], out[FEW_ARRAYS];
	if (c->nin) memcpy(in, c->in, (size_t)c->nin * sizeof *in);
	if (c->nout) memcpy(out, c->out, (size_t)c->nout * sizeof *out);
	int code = POR_OK;
	for (int64_t i = 0; i < n && !code; i++) {
		code = por_call(p, f, c->nin, in, c->nout, out);
		for (int k = 0; k < c->nin; k++) in[k].data = (char *)in[k].data + c->in_step[k];
		for (int k = 0; k < c->nout; k++)
			if (out[k].data) out[k].data = (char *)out[k].data + c->out_step[k];
	}
	return code;
}

/* Nothing is to be looked at in each call. */
static bool checked_once(const por_program *p)
{
	bool facts = false;
	for (uint32_t i = 0; i < p->nin; i++) facts |= p->in[i].fact != NULL;
	return p->run && !facts && !p->donate;
}

static int checked_calls(por_program *p, por_frame *f, int64_t n, const por_calls *c)
{
	int code = check_call(p, &f->error, c->nin, c->in, c->nout, c->out);
	if (code) return code;
	const CallArrays first = {
		(uint32_t)c->nin, (const Array *)c->in, (uint32_t)c->nout, (const Array *)c->out};
	code = program_call_many(p->run, f->run, &first, &(CallSteps){n, c->in_step, c->out_step});
	if (code) memcpy(&f->error, frame_error(f->run), sizeof f->error);
	return code;
}

static int many_refused(por_program *p, por_frame *f, int code, const char *why)
{
	if (f) {
		f->error.code = POR_OK;
		return call_fail(&f->error, code, NULL, 0, "call_many: %s", why);
	}
	compiled_fail(p, code, "call_many: %s", why);
	return code;
}

/* Does the array of the last call still begin within what memory there may be? */
static bool steps_fit(int64_t n, int count, const int64_t *step)
{
	int64_t far;
	for (int i = 0; i < count; i++)
		if (__builtin_mul_overflow(step[i], n, &far) || far > LARGEST || far < -LARGEST) return false;
	return true;
}

/* What is said of one list of arrays and their steps. */
static bool is_list(int n, const por_array *x, const int64_t *step)
{
	return !n || (x && step);
}
static bool is_short(int n)
{
	return n >= 0 && n <= FEW_ARRAYS;
}

static int check_calls(por_program *p, por_frame *f, int64_t n, const por_calls *c)
{
	if (n < 0) return many_refused(p, f, POR_ERR_VALUE, "fewer calls than none");
	if (!c || !is_list(c->nin, c->in, c->in_step) || !is_list(c->nout, c->out, c->out_step))
		return many_refused(p, f, POR_ERR_VALUE, "arrays or steps are NULL");
	if (!is_short(c->nin) || !is_short(c->nout))
		return many_refused(p, f, POR_ERR_UNSUPPORTED, "more than 64 arguments or results");
	if (!steps_fit(n, c->nin, c->in_step) || !steps_fit(n, c->nout, c->out_step))
		return many_refused(p, f, POR_ERR_VALUE, "the steps reach past 2^48 bytes");
	return POR_OK;
}

int por_call_many(por_program *p, por_frame *f, int64_t n, const por_calls *c)
{
	if (!p) return POR_ERR_VALUE;
	if (f && f->program != p) return foreign_frame(f);
	int refused = check_calls(p, f, n, c);
	if (refused) return refused;
	por_frame *own = f ? NULL : por_frame_new(p), *used = f ? f : own;
	if (!used) return POR_ERR_MEMORY;
	used->error.code = 0;
	used->error.text[0] = 0;
	if (used->run) frame_row(used->run, true);
	int code = n && checked_once(p) ? checked_calls(p, used, n, c) : each_call(p, used, n, c);
	if (used->run) frame_row(used->run, false);
	if (own && code) compiled_set_error(p, &own->error);
	por_frame_free(own);
	return code;
}
