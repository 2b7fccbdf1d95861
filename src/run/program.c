/* program.c - a plan made ready to run: its kernels prepared, its aliases sorted, its tier started. */
#include "program.h"

/* ---- which aliases move with which loop -------------------------------------------- */

static uint32_t depth_of(const Plan *p, uint32_t buffer)
{
	uint32_t d = 0;
	for (; p->buffer[buffer].space == SPACE_ALIAS; buffer = p->buffer[buffer].of) d++;
	return d;
}

/* All aliases, those that others lie in first. */
static LoopPlan aliases_of(Arena *a, const Plan *p)
{
	LoopPlan l = {0};
	uint32_t deepest = 0, *start;
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		uint32_t d = depth_of(p, i);
		l.n += d > 0;
		deepest = d > deepest ? d : deepest;
	}
	l.alias = NEW_ARRAY(a, uint32_t, l.n + 1);
	start = NEW_ARRAY(a, uint32_t, deepest + 2);
	for (uint32_t i = 0; i < p->nbuffer; i++) start[depth_of(p, i) + 1]++;
	start[1] = 0; /* what is no alias does not count */
	for (uint32_t d = 1; d <= deepest; d++) start[d + 1] += start[d];
	for (uint32_t i = 0; i < p->nbuffer; i++)
		if (p->buffer[i].space == SPACE_ALIAS) l.alias[start[depth_of(p, i)]++] = i;
	return l;
}

static void loop_add(LoopPlan *l, uint32_t alias)
{
	if (!l->n || l->alias[l->n - 1] != alias) /* it may move with the loop by more than one link */
		l->alias[l->n++] = alias;
}

/* Which loop changes the places of a carried value, by buffer, + 1. */
static void note_carries(uint32_t *carried, const Step *s)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) continue;
		for (uint32_t c = 0; c < s->ncarry; c++)
			if (s->carry[c].now != s->carry[c].next)
				carried[s->carry[c].now] = carried[s->carry[c].next] = s->loop + 1;
		note_carries(carried, s->body);
	}
}

/* For each alias, each loop that it moves with: one that moves a link of it, or one that carries what it lies
 * in. Once to count, then to note. */
static void prepare_loops(Program *p)
{
	const Plan *plan = p->plan;
	Arena *scratch = arena_child(p->arena);
	uint32_t *carried = NEW_ARRAY(scratch, uint32_t, plan->nbuffer),
		 *most = NEW_ARRAY(scratch, uint32_t, plan->nloop + 1);
	note_carries(carried, plan->first);
	p->whole = aliases_of(p->arena, plan);
	p->loop = NEW_ARRAY(p->arena, LoopPlan, plan->nloop + 1);
	for (int note = 0; note < 2; note++) {
		for (uint32_t k = 0; k < p->whole.n; k++) {
			uint32_t i = p->whole.alias[k], b = i;
			for (; plan->buffer[b].space == SPACE_ALIAS; b = plan->buffer[b].of)
				if (plan->buffer[b].loop == UINT32_MAX)
					continue;
				else if (note)
					loop_add(&p->loop[plan->buffer[b].loop], i);
				else
					most[plan->buffer[b].loop]++;
			if (carried[b] && note)
				loop_add(&p->loop[carried[b] - 1], i);
			else if (carried[b])
				most[carried[b] - 1]++;
		}
		for (uint32_t l = 0; l < plan->nloop && !note; l++)
			p->loop[l].alias = NEW_ARRAY(p->arena, uint32_t, most[l] + 1);
	}
	arena_free(scratch);
}

/* ---- kernels ---------------------------------------------------------------------------- */

static void prepare_kernels(Program *p)
{
	const Plan *plan = p->plan;
	ConstPool *pool = const_pool_open(p->arena, p->isa);
	p->kernel = arena_alloc_aligned(p->arena, (plan->nkernel + 1) * sizeof *p->kernel, LINE);
	for (uint32_t i = 0; i < plan->nkernel; i++) {
		KernelSlot *k = &p->kernel[i];
		k->kernel = plan->kernel[i];
		k->cost = kernel_cost(k->kernel);
		k->interp = interp_new(k->kernel, pool);
		if (p->options.tier != TIER_INTERPRET) k->form = kernel_form(k->kernel);
	}
	uint32_t size = unit_size(plan->nkernel);
	p->nunit = (plan->nkernel + size - 1) / size;
	p->unit = NEW_ARRAY(p->arena, TierUnit, p->nunit + 1);
	for (uint32_t u = 0; u < p->nunit; u++) {
		uint32_t left = plan->nkernel - u * size;
		p->unit[u].first = u * size;
		p->unit[u].n = left < size ? left : size;
	}
}

static void prepare(Program *p, const RunOptions *o)
{
	const Plan *plan = p->plan;
	int best = cpu_isa();
	p->options = o ? *o : (RunOptions){.tier = TIER_BACKGROUND};
	p->options.compiler = arena_text(p->arena, p->options.compiler);
	p->options.cache = arena_text(p->arena, p->options.cache);
	static const int never;
	if (!p->options.cancel) p->options.cancel = &never;
	p->threads = p->options.threads > 0 ? p->options.threads : cpu_count();
	p->isa = p->options.isa > 0 && p->options.isa - 1 < best ? p->options.isa - 1 : best;
	prepare_loops(p);
	p->reuse = find_reuse(p->arena, plan);
	if (p->options.profile) {
		p->times = NEW_ARRAY(p->arena, StepTime, plan->nstep + 1);
		p->array_bytes = NEW_ARRAY(p->arena, _Atomic int64_t, plan->nbuffer + 1);
	}
	prepare_kernels(p);
}

/* ---- programs ------------------------------------------------------------------------------ */

static void destroy(Program *p)
{
	tier_stop(p);
	for (int i = 0; i < STRIPES; i++)
		for (Frame *f = p->stripe[i].first, *next; f; f = next) {
			next = f->next;
			frame_free(f);
		}
	plan_free(p->plan);
	arena_free(p->arena);
}

Program *program_new(Plan *plan, const RunOptions *o, Error *e)
{
	Allocator m = o && o->allocator ? *o->allocator : allocator_libc;
	Arena *a = arena_new(&m);
	Trap trap;
	Program *volatile made = NULL;
	if (!a || TRAP(&trap)) {
		if (made)
			destroy(made);
		else {
			arena_free(a);
			plan_free(plan);
		}
		return fail(e, ERR_MEMORY, (Where){0}, "out of memory");
	}
	arena_arm(a, &trap);
	Program *p = arena_alloc_aligned(a, sizeof *p, LINE);
	p->arena = a;
	p->allocator = m;
	p->plan = plan;
	atomic_init(&p->owners, 1);
	made = p;
	prepare(p, o);
	tier_start(p);
	p->options.watch = NULL;
	arena_disarm(a, &trap);
	return p;
}

Program *program_keep(Program *p)
{
	atomic_fetch_add(&p->owners, 1);
	return p;
}

void program_free(Program *p)
{
	if (p && atomic_fetch_sub(&p->owners, 1) == 1) destroy(p);
}

const Plan *program_plan(const Program *p)
{
	return p->plan;
}

StepTaken program_taken(const Program *p, uint32_t s)
{
	if (!p->times || s >= p->plan->nstep) return (StepTaken){0};
	StepTime *t = &p->times[s];
	return (StepTaken){atomic_load_explicit(&t->calls, memory_order_relaxed),
		atomic_load_explicit(&t->nanoseconds, memory_order_relaxed),
		atomic_load_explicit(&t->bytes, memory_order_relaxed),
		atomic_load_explicit(&t->work, memory_order_relaxed)};
}

int64_t program_array_bytes(const Program *p, uint32_t buffer)
{
	if (!p->array_bytes || buffer >= p->plan->nbuffer) return 0;
	return atomic_load_explicit(&p->array_bytes[buffer], memory_order_relaxed);
}
