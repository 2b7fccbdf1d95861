/* reference.c - the reference tier: calls by the slow, simple evaluator; and the checks of promises.
 *
 * The evaluator works on nodes, so such a program has a graph of its own for its function.  It keeps the
 * user's alive, too, for the operators that are defined there, and is called on that graph's thread.
 */
#define POR_NO_LINES
#include "leaf.h"
#include "compiled.h"
#include "../math/math.h"
#include "../oracle/oracle.h"

#include <math.h>
#include <stdio.h>

/* ---- refusing ---------------------------------------------------------------------------- */

int call_fail(por_error *e, int code, const Port *port, int argument, const char *format, ...)
{
	Where where = port ? (Where){port->file, port->line, 0} : (Where){0};
	va_list args;
	va_start(args, format);
	error_clear((Error *)e);
	fail_list((Error *)e, code, where, format, args);
	va_end(args);
	e->argument = argument;
	return code;
}

/* ---- promises -------------------------------------------------------------------------------- */

static bool kept(const Fact *f, double x)
{
	bool low = f->above_low ? x > f->low : x >= f->low, high = f->below_high ? x < f->high : x <= f->high;
	return low && high && (!f->integer || x == __builtin_floor(x));
}

/* 0 <= x < 1 */
static void promise_text(const Fact *f, const char *name, char *out, size_t room)
{
	char low[32] = "", high[32] = "";
	if (f->low > -INFINITY) snprintf(low, sizeof low, "%g %s ", f->low, f->above_low ? "<" : "<=");
	if (f->high < INFINITY) snprintf(high, sizeof high, " %s %g", f->below_high ? "<" : "<=", f->high);
	bool bounds = *low || *high;
	snprintf(out, room, "%s%s%s%s%s", low, bounds ? name : "", high, bounds && f->integer ? ", " : "",
		f->integer ? "a whole number" : "");
}

int check_facts(por_error *e, const Port *port, int argument, const por_array *a)
{
	Dtype d = (Dtype)port->dtype;
	if (!port->fact || dtype_is_complex(d) || d == DT_KEY) return POR_OK;
	const char *at = (const char *)a->data + a->byte_offset;
	int64_t n = por_array_count(a), index[RANK_MAX] = {0}, bytes = (int64_t)dtype_bytes(d);
	for (int64_t i = 0; i < n; i++) {
		double x = element_number(d, at);
		if (!kept(port->fact, x)) {
			char promise[256];
			promise_text(port->fact, port->path, promise, sizeof promise);
			return call_fail(e, POR_ERR_CALL, port, argument,
				"argument %d: %s = %g, which breaks its promise: %s", argument, port->path, x,
				promise);
		}
		if (!a->strides) {
			at += bytes;
			continue;
		}
		for (int k = a->ndim; k-- > 0;) {
			at += a->strides[k] * bytes;
			if (++index[k] < a->shape[k]) break;
			at -= a->strides[k] * bytes * index[k];
			index[k] = 0;
		}
	}
	return POR_OK;
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* What an argument says of itself; its data is not copied yet. */
static bool describe(const por_program *p, por_error *e, int i, const por_array *in, Value *out)
{
	const Port *port = &p->in[i];
	int d = por_array_dtype(in);
	int64_t n = por_array_count(in);
	if (d != port->dtype || in->ndim != (int)port->rank || n < 0 || (n && !in->data)) {
		call_fail(e, POR_ERR_CALL, port, i + 1, "argument %d: given %s of %d axes, wanted %s",
			       i + 1, por_dtype_name(d), in->ndim, port->text);
		return false;
	}
	*out = (Value){
		.type = p->function->param[i], .dtype = (Dtype)d, .rank = (uint32_t)in->ndim, .count = n};
	for (int k = 0; k < in->ndim; k++) out->dim[k] = in->shape[k];
	return true;
}

/* The line that declared an argument which does not fit. */
static void blame_port(const por_program *p, por_error *e)
{
	const Port *port = e->argument > 0 ? &p->in[e->argument - 1] : NULL;
	if (!port || e->line) return;
	e->line = port->line;
	snprintf(e->file, sizeof e->file, "%s", port->file);
}

/* All arguments are looked at before one is copied: a size that is no size would be all of memory. */
static bool take_values(por_program *p, por_frame *f, const por_array *in, bool copied, Value *args)
{
	for (uint32_t i = 0; i < p->nin; i++)
		if (!describe(p, &f->error, (int)i, &in[i], &args[i])) return false;
	if (!evaluate_sizes(p->own, &(EvalCall){.arena = f->arena, .f = p->function, .in = args},
		(Error *)&f->error)) {
		blame_port(p, &f->error);
		return false;
	}
	for (uint32_t i = 0; copied && i < p->nin; i++) {
		size_t bytes = dtype_bytes(args[i].dtype);
		args[i].data = arena_array(f->arena, bytes, (size_t)args[i].count + 1);
		copy_compact(&in[i], bytes, args[i].data);
		if (!p->facts_unchecked && check_facts(&f->error, &p->in[i], (int)i + 1, &in[i]))
			return false;
	}
	return true;
}

/* The memory for a result has its dtype and sizes; as the runner says it. */
static bool check_result(const por_program *p, por_error *e, int i, const Value *v, const por_array *out)
{
	const Port *t = &p->out[i];
	int d = por_array_dtype(out);
	if (d != (int)v->dtype) {
		call_fail(e, POR_ERR_CALL, t, 0, "result %d: dtype %s, wanted %s", i + 1,
			       d ? por_dtype_name(d) : "unknown", dtype_name(v->dtype));
		return false;
	}
	if (out->ndim != (int)v->rank) {
		call_fail(e, POR_ERR_CALL, t, 0, "result %d: %d axes, wanted %u", i + 1, out->ndim,
			       v->rank);
		return false;
	}
	for (int k = 0; k < out->ndim; k++)
		if (out->shape[k] != v->dim[k]) {
			call_fail(e, POR_ERR_CALL, t, 0,
				       "result %d: size %lld on axis %d, wanted %lld", i + 1,
				       (long long)out->shape[k], k, (long long)v->dim[k]);
			return false;
		}
	return true;
}

/* The result into the caller's memory, whose shape must be right, with any strides. */
static bool put_value(const por_program *p, por_error *e, int i, const Value *v, const por_array *out)
{
	if (!check_result(p, e, i, v, out)) return false;
	size_t bytes = dtype_bytes(v->dtype);
	char *at = (char *)out->data + out->byte_offset;
	int64_t index[RANK_MAX] = {0};
	for (int64_t j = 0; j < v->count; j++) {
		memcpy(at, (const char *)v->data + (size_t)j * bytes, bytes);
		if (!out->strides) at += bytes;
		for (int k = out->strides ? out->ndim : 0; k-- > 0;) {
			at += out->strides[k] * (int64_t)bytes;
			if (++index[k] < out->shape[k]) break;
			at -= out->strides[k] * (int64_t)bytes * index[k];
			index[k] = 0;
		}
	}
	return true;
}

void reference_keeps(por_program *p, por_graph *g, Function *f)
{
	Graph *from = g->work ? g->work : g->ir;
	Trap t;
	p->graph = graph_retain(g);
	p->own = graph_open_on(g->context->library);
	if (!p->own || TRAP(&t)) arena_out_of_memory(g->ir->arena);
	arena_arm(p->own->arena, &t);
	Carrier *c = carrier_open(from, p->own);
	p->function = carry_function(c, f);
	carrier_close(c);
	arena_disarm(p->own->arena, &t);
}

static int run_reference(por_program *p, por_frame *f, const por_array *in, int nout, const por_array *out)
{
	Value *args = NEW_ARRAY(f->arena, Value, p->nin + 1),
	      *result = NEW_ARRAY(f->arena, Value, p->function->nresult + 1);
	if (!take_values(p, f, in, true, args)) return f->error.code;
	const EvalCall call = {f->arena, p->function, args, result, &p->sink, p->check_finite};
	bool good = evaluate_call(p->own, &call, (Error *)&f->error);
	if (!good) blame_port(p, &f->error);
	for (uint32_t i = 0; good && i < p->nout; i++) {
		for (uint32_t k = 0; k < result[i].rank; k++) f->shape[i][k] = result[i].dim[k];
		f->result[i] =
			por_view(result[i].data, (int)result[i].dtype, (int)result[i].rank, f->shape[i]);
		if (i < (uint32_t)nout && out[i].data)
			good = put_value(p, &f->error, (int)i, &result[i], &out[i]);
	}
	return f->error.code;
}

/* As the runner says it; memory has run out where nothing else stopped the call. */
static int call_is_over(por_frame *f)
{
	if (f->arena) arena_watch(f->arena, NULL);
	if (f->watch.why == WATCH_CANCELLED)
		return call_fail(&f->error, POR_ERR_CANCELLED, NULL, 0, "the call was cancelled");
	if (f->watch.why == WATCH_SECONDS)
		return call_fail(&f->error, POR_ERR_LIMIT, NULL, 0,
			"the call takes more than %g seconds, the limit call_seconds", f->watch.seconds_most);
	return call_fail(&f->error, POR_ERR_MEMORY, NULL, 0, "out of memory");
}

/* Nothing may lie in the results of the last call, which go, and no result on another. */
static int check_memory(const por_program *p, por_frame *f, int nin, const por_array *in, int nout,
	const por_array *out)
{
	for (int i = 0; i < nin + nout; i++) {
		bool given = i < nin;
		const por_array *a = given ? &in[i] : &out[i - nin];
		const Port *port = given ? &p->in[i] : &p->out[i - nin];
		for (uint32_t k = 0; k < p->nout && a->data && f->arena; k++) {
			const por_array *own = &f->result[k];
			size_t bytes = own->data
				? (size_t)por_array_count(own) * por_dtype_bytes(p->out[k].dtype) : 0;
			if ((uintptr_t)a->data - (uintptr_t)own->data < bytes)
				return call_fail(&f->error, POR_ERR_CALL, port, given ? i + 1 : 0,
					"%s %d: it lies in this frame's own memory, which the call writes; copy it, or take "
					"another frame",
					given ? "argument" : "result", given ? i + 1 : i - nin + 1);
		}
		for (int k = 0; k < i - nin && a->data && a->ndim == (int)port->rank; k++)
			if (out[k].data && out[k].ndim == (int)p->out[k].rank &&
				arrays_meet((const Array *)a, por_dtype_bytes(port->dtype),
				(const Array *)&out[k],
					por_dtype_bytes(p->out[k].dtype)))
				return call_fail(&f->error, POR_ERR_CALL, port, 0,
					"results %d and %d lie on each other", k + 1, i - nin + 1);
	}
	return POR_OK;
}

typedef struct Work {
	const por_array *in;
	int nout;
	const por_array *out;
} Work;

static int do_call(por_program *p, por_frame *f, const Work *w)
{
	return run_reference(p, f, w->in, w->nout, w->out);
}

static int do_reserve(por_program *p, por_frame *f, const Work *w)
{
	take_values(p, f, w->in, false, NEW_ARRAY(f->arena, Value, p->nin + 1));
	return f->error.code;
}

/* In memory of its own, which replaces that of the frame's last results, and under the frame's limits. */
static int in_frame(
	por_program *p, por_frame *f, const Work *w, int (*work)(por_program *, por_frame *, const Work *))
{
	for (uint32_t k = 0; k < p->nout; k++) f->result[k].data = NULL;
	arena_free(f->arena);
	f->arena = arena_new(&p->context->allocator);
	watch_begin(&f->watch);
	if (!f->arena || watch_look(&f->watch)) return call_is_over(f);
	Trap own, graphs;
	if (TRAP(&own)) {
		arena_disarm(p->own->arena, &graphs);
		return call_is_over(f);
	}
	if (TRAP(&graphs)) {
		arena_disarm(f->arena, &own);
		return call_is_over(f);
	}
	arena_watch(f->arena, &f->watch);
	arena_arm(f->arena, &own);
	arena_arm(p->own->arena, &graphs);
	int code = work(p, f, w);
	arena_disarm(p->own->arena, &graphs);
	arena_disarm(f->arena, &own);
	arena_watch(f->arena, NULL);
	return code;
}

int reference_call(por_program *p, por_frame *f, int nin, const por_array *in, int nout, const por_array *out)
{
	if (check_memory(p, f, nin, in, nout, out)) return f->error.code;
	return in_frame(p, f, &(Work){in, nout, out}, do_call);
}

int reference_reserve(por_program *p, por_frame *f, const por_array *in)
{
	return in_frame(p, f, &(Work){.in = in}, do_reserve);
}
