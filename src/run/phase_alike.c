/* phase_alike.c - does a phase's layout serve again, though what it waits for has changed?
 *
 * A phase begins anew when a computed size is another.  Often it is the number of passes of a loop alone,
 * which no array and no kernel asks about.  So a layout keeps the sizes that it was made of, in the order of
 * its steps and buffers, and is made again only where one of them differs.
 */
#include "frame.h"

/* The sizes are counted, written down, or compared with those that were. */
typedef struct Sizes {
	const Frame *f;
	int64_t *kept;
	uint32_t n;
	bool compare, alike;
} Sizes;

static void tell(Sizes *s, int64_t x)
{
	if (s->compare)
		s->alike = s->alike && s->kept[s->n] == x;
	else if (s->kept)
		s->kept[s->n] = x;
	s->n++;
}

static void tell_steps(Sizes *s, const Step *x, uint32_t end)
{
	const Frame *f = s->f;
	for (; x && x->number < end && s->alike; x = x->next) {
		for (uint32_t i = 0; i < x->call->nparam; i++) tell(s, f->dim[x->call->param[i]]);
		if (x->kind != STEP_LOOP) continue;
		bool runs = f->dim[x->steps] > 0 && guard_open(f->dim, x->guard);
		tell(s, runs);
		if (runs)
			tell_steps(s, x->body,
				x->phase ? f->program->plan->phase[x->phase].first : UINT32_MAX);
	}
}

static void tell_phase(Sizes *s, uint32_t phase)
{
	const Frame *f = s->f;
	const Plan *p = f->program->plan;
	tell_steps(s, p->phase[phase].step, phase_end(p, phase));
	for (uint32_t i = 0; i < p->nbuffer && s->alike; i++)
		if (buffer_phase(p, i) == phase) tell(s, f->dim[elements_dim(p, &p->buffer[i])]);
	for (uint32_t j = 0; j < p->nout && s->alike; j++)
		for (uint32_t k = 0; buffer_phase(p, p->out[j].buffer) == phase && k < p->out[j].rank; k++)
			tell(s, f->dim[buffer_dims(p, p->out[j].buffer)[k]]);
}

void phase_keep(const Frame *f, uint32_t phase, FramePhase *x)
{
	Sizes s = {.f = f, .alike = true};
	tell_phase(&s, phase);
	s.kept = NEW_ARRAY(x->arena, int64_t, s.n + 1);
	s.n = 0;
	tell_phase(&s, phase);
	x->sizes = s.kept;
}

bool phase_alike(const Frame *f, uint32_t phase)
{
	Sizes s = {.f = f, .kept = f->phase[phase].sizes, .compare = true, .alike = true};
	if (s.kept) tell_phase(&s, phase);
	return s.kept && s.alike;
}
