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
static bool is_plain(const Frame *f, int64_t n, const Array *in, const int64_t *step, const Array *out,
	const int64_t *out_step)
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
		if (!covers(given ? &in[k] : &out[k], f->dim[p->buffer[a->buffer].elements], (Dtype)a->dtype,
			    given ? step[k] : out_step[k], n, &s[i]))
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

static int plain_calls(
	Frame *f, int64_t n, const Array *in, const int64_t *step, const Array *out, const int64_t *out_step)
{
	const Plan *p = f->program->plan;
	for (int64_t c = 1; c < n; c++) {
		for (uint32_t i = 0; i < p->nin; i++) f->base[p->in[i].buffer] = moved(&in[i], step[i], c);
		for (uint32_t j = 0; j < p->nout; j++)
			f->base[p->out[j].buffer] = f->result[j].data = moved(&out[j], out_step[j], c);
		if (!run_plan(f)) return f->error.code;
	}
	return 0;
}

int program_call_many(Program *p, Frame *f, int64_t n, uint32_t nin, const Array *in, const int64_t *step,
	uint32_t nout, const Array *out, const int64_t *out_step)
{
	enum { MOST = 64 };
	Array x[MOST], y[MOST];
	if (n <= 0) return 0;
	int code = program_call(p, f, nin, in, nout, out, NULL);
	if (code || n == 1) return code;
	if (nout == p->plan->nout && is_plain(f, n, in, step, out, out_step))
		return plain_calls(f, n, in, step, out, out_step);
	if (nin > MOST || nout > MOST) {
		error_clear(&f->error);
		fail(&f->error, ERR_UNSUPPORTED, (Where){0}, "more than %d arguments or results", MOST);
		return ERR_UNSUPPORTED;
	}
	for (uint32_t i = 0; i < nin; i++) x[i] = in[i];
	for (uint32_t j = 0; j < nout; j++) y[j] = out[j];
	for (int64_t c = 1; c < n && !code; c++) {
		for (uint32_t i = 0; i < nin; i++)
			x[i].data = in[i].data ? (char *)in[i].data + step[i] * c : NULL;
		for (uint32_t j = 0; j < nout; j++)
			y[j].data = out[j].data ? (char *)out[j].data + out_step[j] * c : NULL;
		code = program_call(p, f, nin, x, nout, y, NULL);
	}
	return code;
}
