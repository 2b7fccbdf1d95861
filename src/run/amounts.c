/* amounts.c - what a step asks of the machine: its work and the bytes of its arrays.  All that tell or use
 * such amounts (threads, tiers, profiles, explain, the page) have them from here. */
#include "program.h"

/* The product of two counts; the largest number where it leaves 64 bits. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t r;
	return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t r;
	return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

/* Dear operators count 8, others 1; threads are worth their waking for large work only. */
static uint32_t ins_cost(const Ins *x)
{
	bool dear = (x->kind == INS_MAP || x->kind == INS_RANDOM) && op_info[x->op].cost >= COST_DEAR;
	return dear ? 8 : 1;
}

KernelCost kernel_cost(const Kernel *k)
{
	KernelCost cost = {.index = 1};
	for (uint8_t s = 0; s < k->nstage; s++) {
		const Stage *stage = &k->stage[s];
		bool once = k->recipe == RECIPE_ROWS && !stage->inner;
		for (uint16_t i = stage->first; i < stage->end; i++)
			*(once ? &cost.row : &cost.index) += ins_cost(&k->code[i]);
	}
	return cost;
}

int64_t kernel_work(const Kernel *k, KernelCost cost, const int64_t *param)
{
	KernelShape shape = kernel_shape(k, param);
	int64_t rows = times(shape.rows, shape.folded);
	return plus(times(rows, times(shape.inner, cost.index)), times(rows, cost.row));
}

/* Of a scatter whose result lies where what it changes lies, those two are not walked. */
static bool is_walked(const Plan *p, const Step *s, uint32_t i)
{
	const uint32_t *buffer = s->buffer;
	enum { BASE = 0, RESULT = 3 };
	return (i != BASE && i != RESULT) || s->kind != STEP_CORE || s->call->core != CORE_SCATTER ||
		buffer_base(p, buffer[BASE]) != buffer_base(p, buffer[RESULT]);
}

int64_t core_work(const Plan *p, const Step *s, const int64_t *param, const int64_t *dim)
{
	const StepCall *c = s->call;
	int64_t work = 0;
	if (c->core == CORE_CONTRACT) return times(times(param[1], param[2]), times(param[3], param[4]));
	for (uint32_t i = 0; i < c->nbuffer; i++)
		if (is_walked(p, s, i))
			work = plus(work, times(dim[elements_dim(p, &p->buffer[s->buffer[i]])], 4));
	return work;
}

int64_t step_bytes(const Plan *p, const Step *s, const int64_t *dim)
{
	int64_t bytes = 0;
	for (uint32_t i = 0; i < s->call->nbuffer; i++) {
		const Buffer *b = &p->buffer[s->buffer[i]];
		const int64_t each = (int64_t)dtype_bytes((Dtype)b->dtype);
		bool again = false;
		for (uint32_t k = 0; k < i; k++) again |= s->buffer[k] == s->buffer[i];
		if (!again && is_walked(p, s, i)) bytes = plus(bytes, times(dim[elements_dim(p, b)], each));
	}
	return bytes;
}

StepTaken step_amounts(const Plan *p, const Step *s, const int64_t *dim, Arena *a)
{
	const StepCall *c = s->call;
	int64_t *param = NEW_ARRAY(a, int64_t, c->nparam + c->nconstant + 1);
	for (uint32_t i = 0; i < c->nparam; i++) param[i] = dim[c->param[i]];
	for (uint32_t i = 0; i < c->nconstant; i++) param[c->nparam + i] = (int64_t)call_constants(c)[i];
	int64_t work = s->kind == STEP_KERNEL ? kernel_work(c->kernel, kernel_cost(c->kernel), param)
					      : core_work(p, s, param, dim);
	return (StepTaken){.calls = 1, .bytes = step_bytes(p, s, dim), .work = work};
}
