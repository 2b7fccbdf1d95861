/* verify.c - kernels and plans as loop.h says: what a broken one would read is checked before anything runs
 * it. */
#include "loop.h"

#define REFUSE(e, ...) fail((e), ERR_INTERNAL, (Where){0}, __VA_ARGS__)

/* ---- kernels -------------------------------------------------------------------------------- */

static bool access_good(const Kernel *k, uint32_t at, uint32_t before)
{
	if (at >= k->nat) return false;
	const Access *a = &k->at[at];
	bool good = a->ndynamic <= DYNAMICS_MAX;
	for (uint32_t i = 0; i < a->ndynamic && good; i++) good = a->dynamic[i].value < before;
	return good;
}

static bool instruction_good(const Kernel *k, uint32_t i)
{
	const Ins *x = &k->code[i];
	const uint16_t operand[] = {x->a, x->b, x->c};
	for (uint32_t j = 0; j < ins_arity(x) && j < countof(operand); j++)
		if (operand[j] >= i) return false;
	bool stored = x->kind == INS_LOAD || x->kind == INS_STORE, placed = x->kind == INS_INDEX ||
		x->kind == INS_PARAM;
	if (x->kind == INS_GIVEN) return x->bits < k->nconstant;
	if ((stored || placed) && !access_good(k, x->at, i)) return false;
	if (!stored) return true;
	uint8_t buffer = k->at[x->at].buffer;
	return buffer < k->nbuffer && (x->kind == INS_LOAD || k->buffer[buffer].written);
}

static bool stages_good(const Kernel *k)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < k->nstage; i++) {
		if (k->stage[i].first != at || k->stage[i].end < at) return false;
		at = k->stage[i].end;
	}
	return at == k->ncode;
}

static bool kernel_good(const Kernel *k, Error *e)
{
	bool bounded = k->ncode <= CODE_MAX && k->nbuffer <= BUFFERS_MAX && k->naxis <= AXES_MAX &&
		k->nstage <= STAGES_MAX &&		k->nrow <= k->naxis;
	if (!bounded) return REFUSE(e, "kernel k%u is past its bounds", k->index);
	if (k->recipe == RECIPE_CHAIN && (k->nfold < k->nrow || k->nfold > k->naxis))
		return REFUSE(e, "kernel k%u folds axes that it does not have", k->index);
	if (!stages_good(k))
		return REFUSE(e, "kernel k%u: its stages are not its instructions in order", k->index);
	for (uint32_t i = 0; i < k->ncode; i++)
		if (!instruction_good(k, i))
			return REFUSE(e, "kernel k%u: instruction %u reads what is not there", k->index, i);
	return true;
}

static bool call_good(const Plan *p, const Step *s, Error *e)
{
	const StepCall *c = s->call;
	const Kernel *k = c->kernel;
	if (s->kind != STEP_KERNEL) return true;
	if (k->index >= p->nkernel || p->kernel[k->index] != k)
		return REFUSE(e, "step %u calls a kernel that is not the plan's", s->number);
	if (c->nbuffer != k->nbuffer || c->nparam != k->nparam || c->nconstant != k->nconstant)
		return REFUSE(e,
			"step %u gives kernel k%u %u buffers, %u integers and %u constants; it takes %u, %u and %u", s->number, k->index, c->nbuffer, c->nparam, c->nconstant, k->nbuffer, k->nparam, k->nconstant);
	return true;
}

static bool calls_good(const Plan *p, const Step *s, Error *e)
{
	for (; s; s = s->next)
		if (!call_good(p, s, e) || (s->kind == STEP_LOOP && !calls_good(p, s->body, e))) return false;
	return true;
}

bool kernels_verify(const Plan *p, Error *e)
{
	for (uint32_t i = 0; i < p->nkernel; i++)
		if (!kernel_good(p->kernel[i], e)) return false;
	return calls_good(p, p->first, e);
}

/* ---- plans ---------------------------------------------------------------------------------- */

/* The tape: a dim is made of dims before it, so that one pass computes all. */
static bool dims_good(const Plan *p, Error *e)
{
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		bool good = d->kind == DIM_CONST || (d->kind == DIM_SIZE && d->a < p->nsize) ||
			(d->kind == DIM_SCALAR && d->a < p->nscalar) ||
			(d->kind > DIM_SCALAR && d->a < i && d->b < i);
		if (!good) return REFUSE(e, "dim %u is made of what is not known before it", i);
	}
	return true;
}

static bool buffer_good(const Plan *p, uint32_t i, Error *e)
{
	const Buffer *b = &p->buffer[i];
	bool used = b->first != UINT32_MAX;
	if (b->axes + b->rank >= p->naxis || elements_dim(p, b) >= p->ndim)
		return REFUSE(e, "buffer %u has no size", i);
	if (b->space == SPACE_ALIAS && b->of >= p->nbuffer) return REFUSE(e, "buffer %u lies in none", i);
	if (b->space == SPACE_WORK && used && b->last < b->first)
		return REFUSE(e, "buffer %u ends before it begins", i);
	if (b->space == SPACE_INPUT && b->index >= p->nin) return REFUSE(e, "buffer %u is no input", i);
	if (b->space == SPACE_OUTPUT && b->index >= p->nout) return REFUSE(e, "buffer %u is no output", i);
	return buffer_phase(p, i) < p->nphase || REFUSE(e, "buffer %u belongs to no phase", i);
}

/* A step's buffers live while it runs. */
static bool steps_good(const Plan *p, const Step *s, Error *e)
{
	for (; s; s = s->next) {
		for (uint32_t i = 0; i < s->call->nbuffer; i++) {
			uint32_t at = s->buffer[i];
			if (at >= p->nbuffer)
				return REFUSE(e, "step %u uses a buffer that is not the plan's", s->number);
			const Buffer *b = &p->buffer[at];
			if (b->space == SPACE_WORK && (b->first > s->number || b->last < s->number))
				return REFUSE(e, "step %u uses buffer %u, which lives in steps %u to %u",
					s->number, at, b->first, b->last);
		}
		for (uint32_t i = 0; i < s->call->nparam; i++)
			if (s->call->param[i] >= p->ndim)
				return REFUSE(e, "step %u takes an integer that is not the plan's",
					s->number);
		if (s->kind == STEP_LOOP && !steps_good(p, s->body, e)) return false;
	}
	return true;
}

bool plan_verify(const Plan *p, Error *e)
{
	if (!dims_good(p, e)) return false;
	for (uint32_t i = 0; i < p->nbuffer; i++)
		if (!buffer_good(p, i, e)) return false;
	return steps_good(p, p->first, e);
}
