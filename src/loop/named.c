/* named.c - the arrays that a step names: which it reads, and which it writes. */
#include "make.h"

/* A core's arrays are operands, and from this one on results. */
static uint32_t core_operands(const Plan *p, const StepCall *c)
{
	switch ((Core)c->core) {
	case CORE_CUMSUM:
	case CORE_TOP_K:
	case CORE_QR:
	case CORE_COPY: return 1;
	case CORE_CONTRACT:
	case CORE_TRI_SOLVE: return 2;
	case CORE_SCATTER: return 3;
	case CORE_JOIN:
	case CORE_CARRY: return 0;
	case CORE_CUSTOM: return (uint32_t)p->dim[c->param[0]].value;
	case CORE_EFFECT: break;
	}
	return c->nbuffer;
}

static uint32_t named_by_call(const Plan *p, Step *s, StepArray *list)
{
	const StepCall *c = s->call;
	uint32_t operands = s->kind == STEP_CORE ? core_operands(p, c) : 0;
	for (uint32_t i = 0; i < c->nbuffer; i++) {
		bool written = s->kind == STEP_CORE ? i >= operands : c->kernel->buffer[i].written;
		list[i] = (StepArray){&s->buffer[i], !written, written};
	}
	/* a kernel may read what it writes, and JOIN and CARRY do */
	for (uint32_t i = 0; s->kind == STEP_KERNEL && i < c->kernel->ncode; i++)
		if (c->kernel->code[i].kind == INS_LOAD)
			list[c->kernel->at[c->kernel->code[i].at].buffer].read = true;
	for (uint32_t i = 0; s->kind == STEP_CORE && !operands && i < c->nbuffer; i++) list[i].read = true;
	return c->nbuffer;
}

uint32_t most_named(const Step *s)
{
	return s->kind == STEP_LOOP ? 3 * s->ncarry + 1 : s->call->nbuffer;
}

uint32_t named_by(const Plan *p, Step *s, StepArray *list)
{
	uint32_t n = 0;
	if (s->kind != STEP_LOOP) return named_by_call(p, s, list);
	if (s->index != UINT32_MAX) list[n++] = (StepArray){&s->index, true, true};
	for (uint32_t i = 0; i < s->ncarry; i++) {
		list[n++] = (StepArray){&s->carry[i].first, true, false};
		list[n++] = (StepArray){&s->carry[i].now, true, true};
		list[n++] = (StepArray){&s->carry[i].next, true, true};
	}
	return n;
}

uint32_t array_root(const Plan *p, uint32_t b)
{
	while (p->buffer[b].space == SPACE_ALIAS) b = p->buffer[b].of;
	return b;
}
