/* many.c - a row of calls: checked once, then the plan's steps alone. */
#include "program.h"

typedef struct Span {
	const char *lo, *hi;
} Span;

/* The bytes that an array covers in n calls; false: not compact and aligned in each. */
static bool covers(const Array *a, int64_t elements, Dtype d, int64_t step, int64_t n, Span *s)
{
	size_t bytes = dtype_bytes(d);
	const char *data = array_data(a);
	int64_t way;
	if (!data || !array_compact(a, bytes) || step % (int64_t)(bytes > 8 ? 8 : bytes) ||
		__builtin_mul_overflow(step, n - 1, &way))
		return false;
	s->lo = way < 0 ? data + way : data;
	s->hi = (way < 0 ? data : data + way) + (size_t)elements * bytes;
	return true;
}

/* Results go straight to their memory in every call, and meet neither arguments nor one another. */
static bool is_plain(const Frame *f, const CallArrays *x, const CallSteps *steps)
{
	enum { MOST = 64 };
	const Plan *p = f->program->plan;
	Span s[MOST];
	if (p->nin + p->nout > MOST) return false;
	if (p->nscalar) return false;
	for (uint32_t i = 0; i < p->nin + p->nout; i++) {
		bool given = i < p->nin;
		uint32_t k = given ? i : i - p->nin;
		const struct PlanArg *a = given ? &p->in[k] : &p->out[k];
		int64_t elements = f->dim[elements_dim(p, &p->buffer[a->buffer])];
		if (!covers(given ? &x->in[k] : &x->out[k], elements, (Dtype)a->dtype,
			    given ? steps->in[k] : steps->out[k], steps->n, &s[i]))
			return false;
		for (uint32_t j = 0; !given && j < i; j++)
			if (s[j].lo < s[i].hi && s[i].lo < s[j].hi) return false;
	}
	return true;
}

static void *moved(const Array *a, int64_t step, int64_t call)
{
	return (char *)array_data(a) + step * call;
}

static int plain_calls(Frame *f, const CallArrays *x, const CallSteps *steps)
{
	const Plan *p = f->program->plan;
	for (int64_t c = 1; c < steps->n; c++) {
		for (uint32_t i = 0; i < p->nin; i++)
			f->base[p->in[i].buffer] = moved(&x->in[i], steps->in[i], c);
		for (uint32_t j = 0; j < p->nout; j++) {
			f->result[j].data = moved(&x->out[j], steps->out[j], c);
			f->base[p->out[j].buffer] = f->result[j].data;
		}
		if (!run_plan(f)) return f->error.code;
	}
	return 0;
}

/* Of each array, as call c has it. */
static void move_arrays(Array *to, uint32_t n, const Array *from, const int64_t *step, int64_t c)
{
	for (uint32_t i = 0; i < n; i++) {
		to[i] = from[i];
		if (from[i].data) to[i].data = (char *)from[i].data + step[i] * c;
	}
}

int program_call_many(Program *p, Frame *f, const CallArrays *first, const CallSteps *steps)
{
	enum { MOST = 64 };
	Array in[MOST], out[MOST];
	if (steps->n <= 0) return 0;
	int code = program_call(p, f, first, NULL);
	if (code || steps->n == 1) return code;
	if (first->nout == p->plan->nout && is_plain(f, first, steps)) return plain_calls(f, first, steps);
	if (first->nin > MOST || first->nout > MOST) {
		error_clear(&f->error);
		fail(&f->error, ERR_UNSUPPORTED, (Where){0}, "more than %d arguments or results", MOST);
		return ERR_UNSUPPORTED;
	}
	for (int64_t c = 1; c < steps->n && !code; c++) {
		move_arrays(in, first->nin, first->in, steps->in, c);
		move_arrays(out, first->nout, first->out, steps->out, c);
		code = program_call(p, f, &(CallArrays){first->nin, in, first->nout, out}, NULL);
	}
	return code;
}
