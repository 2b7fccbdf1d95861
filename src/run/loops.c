/* loops.c - a loop's passes.
 *
 * The first passes find each step's arrays where the frame has them.  Then, where the body is kernels, cores
 * and sides of branches, the passes are *prepared*: each step has the addresses of its arrays for an even and
 * for an odd pass, as what is carried changes places, and what moves with the index is known by how far, so
 * that a pass of small kernels is little more than their calls.
 */
#include "program.h"

/* ---- what moves and changes places ------------------------------------------------------------ */

void move_aliases(Frame *f, const LoopPlan *l)
{
	const Plan *plan = f->program->plan;
	for (uint32_t i = 0; i < l->n; i++) {
		const Buffer *b = &plan->buffer[l->alias[i]];
		char *base = f->base[b->of];
		if (base && b->loop != UINT32_MAX) /* NULL: its phase has not begun */
			base += f->index[b->loop] * f->dim[elements_dim(f->program->plan, b)] *
				(int64_t)dtype_bytes((Dtype)b->dtype);
		f->base[l->alias[i]] = base;
	}
}

static void exchange(void **x, void **y)
{
	void *t = *x;
	*x = *y;
	*y = t;
}

static void carry_on(Frame *f, const Step *s)
{
	for (uint32_t c = 0; c < s->ncarry; c++)
		exchange(&f->base[s->carry[c].now], &f->base[s->carry[c].next]);
}

static size_t carried_bytes(const Frame *f, const struct Carry *x)
{
	const Buffer *b = &f->program->plan->buffer[x->now];
	return (size_t)f->dim[elements_dim(f->program->plan, b)] * dtype_bytes((Dtype)b->dtype);
}

static bool holds(const Frame *f, const Step *s)
{
	return *(const uint8_t *)f->base[s->carry[0].now];
}

static void turn_to(Frame *f, const Step *s, int64_t pass, int64_t n)
{
	f->index[s->loop] = s->back ? n - 1 - pass : pass;
	move_aliases(f, &f->program->loop[s->loop]);
}

/* ---- what is written down -------------------------------------------------------------------------- */

static void record_begin(Frame *f, const Step *s)
{
	for (uint32_t k = 0; k < s->nrecord; k++) {
		Grown *g = &f->grown[s->record[k].number];
		g->bytes = 0;
		g->over = false;
		g->each = carried_bytes(f, &s->carry[s->record[k].carry]);
	}
}

static void record_rows(Frame *f, const Step *s, bool after)
{
	for (uint32_t k = 0; k < s->nrecord; k++)
		if (s->record[k].after == after)
			grown_add(f, &f->grown[s->record[k].number],
				f->base[s->carry[s->record[k].carry].now]);
}

/* Where rows are, from a pass on in which all lies as it does now. */
static void record_places(Frame *f, const Step *s)
{
	for (uint32_t k = 0; k < s->nrecord; k++) {
		const struct Carry *c = &s->carry[s->record[k].carry];
		Grown *g = &f->grown[s->record[k].number];
		g->from[s->record[k].after] = f->base[c->now];
		g->from[!s->record[k].after] = f->base[c->next];
	}
}

static inline void record_prepared(Frame *f, const Step *s, int odd, bool after)
{
	for (uint32_t k = 0; k < s->nrecord; k++) {
		Grown *g = &f->grown[s->record[k].number];
		if (s->record[k].after == after) grown_add(f, g, g->from[odd]);
	}
}

/* A loop whose traces another has written down; false: it was too much. */
static bool take_recorded(Frame *f, const Step *s)
{
	bool all = s->ntake > 0;
	for (uint32_t k = 0; k < s->ntake; k++) all &= !f->grown[s->take[k].number].over;
	for (uint32_t k = 0; k < s->ntake; k++) {
		enum { KEPT = 1 << 20 };
		Grown *g = &f->grown[s->take[k].number];
		if (all && g->bytes) memcpy(f->base[s->take[k].trace], g->data, g->bytes);
		if (g->capacity > KEPT) grown_drop(f, g);
	}
	return all;
}

/* ---- prepared passes ---------------------------------------------------------------------------- */

/* A step of a pass, or the condition of a branch's side, with its arrays in even and odd passes. */
typedef struct PassStep {
	const Step *step;
	FrameStep *x;
	const KernelSlot *small;         /* a kernel for one thread, once it is native; NULL: anything else */
	const int64_t *param;            /* its own */
	int64_t items;
	void **buffer[2];
	uint32_t skip;                   /* the steps of a side */
} PassStep;

/* An address that is another in the next pass but one. */
typedef struct Moving { void **at; int64_t by; } Moving;

struct Prepared {
	uint32_t nstep, nmoving[2];
	PassStep *step;
	Moving *moving[2];
	int64_t work;
};

/* Steps of a body, of the sides in it too; 0: there are some that are not prepared. */
static uint32_t count_steps(const Frame *f, const Step *s)
{
	uint32_t n = 0;
	for (; s; s = s->next) {
		uint32_t inside = 0;
		n++;
		if (s->kind != STEP_LOOP) continue;
		if (!is_side(s) || s->phase || !guard_open(f->dim, s->guard)) return 0;
		if (s->body && !(inside = count_steps(f, s->body))) return 0;
		n += inside;
	}
	return n;
}

static uint32_t slots(const Step *s)
{
	return is_side(s) ? 1 : s->call->nbuffer;
}

static uint32_t slot_buffer(const Step *s, uint32_t i)
{
	return is_side(s) ? s->condition - 1 : s->buffer[i];
}

static uint32_t add_steps(Frame *f, Arena *a, const Step *s, Prepared *p)
{
	uint32_t moving = 0;
	for (; s; s = s->next) {
		PassStep *to = &p->step[p->nstep++];
		FrameStep *x = &f->step[s->number];
		*to = (PassStep){.step = s, .x = x, .param = x->param, .items = x->items};
		for (int odd = 0; odd < 2; odd++) to->buffer[odd] = NEW_ARRAY(a, void *, slots(s) + 1);
		moving += slots(s);
		p->work += x->work;
		if (s->kind == STEP_KERNEL && x->work <= PARALLEL_WORK)
			to->small = &f->program->kernel[s->call->kernel->index];
		if (s->kind != STEP_LOOP) continue;
		uint32_t first = p->nstep;
		moving += add_steps(f, a, s->body, p);
		to->skip = p->nstep - first;
	}
	return moving;
}

Prepared *prepared_new(Frame *f, Arena *a, const Step *loop)
{
	const RunOptions *o = &f->program->options;
	uint32_t n = loop->phase || is_side(loop) ? 0 : count_steps(f, loop->body);
	if (!n || o->profile || o->poison || o->alternate) return NULL;
	Prepared *p = NEW(a, Prepared);
	p->step = NEW_ARRAY(a, PassStep, n);
	uint32_t moving = add_steps(f, a, loop->body, p);
	for (int odd = 0; odd < 2; odd++) p->moving[odd] = NEW_ARRAY(a, Moving, moving + 1);
	return p;
}

/* Four passes are gone through without their steps: two tell the addresses, two by how much they move. */
static void find_places(Frame *f, const Step *s, Prepared *p, int64_t pass, int64_t n)
{
	p->nmoving[0] = p->nmoving[1] = 0;
	for (int k = 0; k < 4; k++) {
		int odd = k % 2;
		turn_to(f, s, pass + k, n);
		for (PassStep *x = p->step; x < p->step + p->nstep; x++)
			for (uint32_t i = 0; i < slots(x->step); i++) {
				char *at = f->base[slot_buffer(x->step, i)], *before = x->buffer[odd][i];
				if (k < 2)
					x->buffer[odd][i] = at;
				else if (at != before)
					p->moving[odd][p->nmoving[odd]++] =
						(Moving){&x->buffer[odd][i], at - before};
			}
		carry_on(f, s);
	}
}

static inline bool may_begin(Frame *f, const Step *s, int64_t work)
{
	return s->number >= f->no_return || !call_is_over(f, work);
}

/* What is no small kernel in native code; gives the step that is done, NULL: the call is over. */
static __attribute__((noinline)) const PassStep *run_other(Frame *f, const PassStep *y, int odd)
{
	FrameStep *x = y->x;
	if (y->step->kind == STEP_LOOP)
		return *(const uint8_t *)y->buffer[odd][0] == y->step->unless ? y + y->skip : y;
	void **own = x->buffer;
	x->buffer = y->buffer[odd];
	bool good = may_begin(f, y->step, x->work) && run_placed(f, y->step, x);
	x->buffer = own;
	f->fault[0].position = INT64_MAX;
	return good ? y : NULL;
}

/* What the passes of a loop have in common. */
typedef struct Common {
	Frame *f;
	const PassStep *step, *end;
	Fault *fault;                    /* there is none yet */
	void *scratch;
} Common;

static inline bool run_prepared(const Common *c, int odd)
{
	for (const PassStep *x = c->step; x < c->end; x++) {
		const KernelSlot *k = x->small;
		Native native = k ? atomic_load_explicit(&k->native, memory_order_acquire) : NULL;
		if (__builtin_expect(!native, 0)) {
			if (!(x = run_other(c->f, x, odd))) return false;
			continue;
		}
		native(x->buffer[odd], x->param, 0, x->items, c->scratch, c->fault);
		if (__builtin_expect(c->fault->position != INT64_MAX, 0)) return check_fault(c->f, x->step);
	}
	return true;
}

/* ---- a loop --------------------------------------------------------------------------------------- */

/* The pass that a loop is at, of at most n. */
typedef struct PassAt { int64_t pass, n; } PassAt;

/* To the end; false: the call is over. */
static bool run_prepared_passes(Frame *f, const Step *s, Prepared *p, PassAt *t)
{
	static const uint8_t always = 1;
	const uint8_t *goes_on[2] = {&always, &always};
	int64_t first = t->pass, step = s->back ? -1 : 1, unread;
	int64_t *index = s->index == UINT32_MAX ? &unread : f->base[s->index];
	bool asks = s->number < f->no_return;
	find_places(f, s, p, first, t->n);
	for (int odd = 0; odd < 2 && s->whiles; odd++)
		goes_on[odd] = f->base[odd ? s->carry[0].next : s->carry[0].now];
	record_places(f, s);
	const Common c = {f, p->step, p->step + p->nstep, &f->fault[0], scratch_of(f, 0)};
	c.fault->position = INT64_MAX;
	*index = s->back ? t->n - 1 - first : first;
	int64_t pass = first, n = t->n;
	bool good = true;
	for (int odd = 0; pass < n && *goes_on[odd]; odd ^= 1, pass++) {
		if (asks && call_is_over(f, p->work)) good = false;
		if (s->nrecord) record_prepared(f, s, odd, false);
		if (!good || !(good = run_prepared(&c, odd))) break;
		if (s->nrecord) record_prepared(f, s, odd, true);
		for (const Moving *x = p->moving[odd], *end = x + p->nmoving[odd]; x < end; x++)
			*x->at = (char *)*x->at + x->by;
		*index += step;
	}
	t->pass = pass;
	if ((pass - first) % 2) carry_on(f, s);
	return good;
}

static bool run_passes(Frame *f, const Step *s, PassAt *t)
{
	enum { PREPARED = 4, FIRST = 2 }; /* finding places takes as long as two passes */
	Prepared *p = f->step[s->number].prepared;
	int64_t prepared = s->whiles ? FIRST : 0;
	if (!p || t->n < PREPARED) prepared = t->n;
	for (; t->pass < t->n; t->pass++) {
		if (t->pass == prepared) return run_prepared_passes(f, s, p, t);
		if (s->whiles && !holds(f, s)) return true;
		if (!may_begin(f, s, 0)) return false;
		turn_to(f, s, t->pass, t->n);
		if (s->index != UINT32_MAX) *(int64_t *)f->base[s->index] = f->index[s->loop];
		record_rows(f, s, false);
		if (!run_body(f, s)) return false;
		carry_on(f, s);
		record_rows(f, s, true);
	}
	return true;
}

/* `now` and `next` change places after each pass; after an odd number of passes the last value would lie in
 * `next`'s memory, which later steps may use.  So then they change places before the first pass as well;
 * where nobody knows how many there will be, the last value is copied. */
bool run_loop(Frame *f, const Step *s)
{
	if (is_side(s)) /* one that is taken: it carries nothing, and nothing moves with it */
		return run_body(f, s);
	if (take_recorded(f, s)) return true;
	record_begin(f, s);
	PassAt t = {.n = f->dim[s->steps]};
	bool before = !s->whiles && t.n > 0 && t.n % 2;
	for (uint32_t c = 0; c < s->ncarry; c++) {
		const struct Carry *x = &s->carry[c];
		void *first = f->base[x->first];
		if (before) exchange(&f->base[x->now], &f->base[x->next]);
		if (first != f->base[x->now]) memmove(f->base[x->now], first, carried_bytes(f, x));
	}
	bool good = run_passes(f, s, &t), moved = (t.pass + before) % 2;
	if (moved) carry_on(f, s); /* for the next call, also where this one is over */
	for (uint32_t c = 0; c < s->ncarry && moved && good; c++) {
		const struct Carry *x = &s->carry[c];
		if (x->now != x->next) memcpy(f->base[x->now], f->base[x->next], carried_bytes(f, x));
	}
	f->index[s->loop] = 0;
	move_aliases(f, &f->program->loop[s->loop]);
	return good;
}
