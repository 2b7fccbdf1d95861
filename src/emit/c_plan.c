/* c_plan.c - the steps of a plan as straight C.
 *
 * Loops are loops; carried values change places by pointers, and an odd number
 * of passes begins with them exchanged, so that the last value lies where later
 * steps look for it.  Windows that move with a loop are set when it goes on.
 */
#include "program.h"

bool is_filled(const Plan *p, const Buffer *b)
{
	const Dim *d = &p->dim[b->elements];
	bool one = d->kind == DIM_CONST && d->value <= 1;
	return b->space == SPACE_CONST && b->bytes == dtype_bytes((Dtype)b->dtype) && !one;
}

/* ---- buffers --------------------------------------------------------------------------- */

static uint32_t alias_depth(const Plan *p, uint32_t b)
{
	uint32_t n = 0;
	for (; p->buffer[b].space == SPACE_ALIAS; b = p->buffer[b].of) n++;
	return n;
}

/* Does the alias move when this loop goes on? (NULL: any alias) */
static bool alias_moves(const Plan *p, uint32_t b, const Step *loop)
{
	const Buffer *x = &p->buffer[b];
	if (x->space == SPACE_ALIAS) return !loop || x->loop == loop->loop || alias_moves(p, x->of, loop);
	for (uint32_t c = 0; loop && c < loop->ncarry; c++)
		if (loop->carry[c].now == b || loop->carry[c].next == b) return true;
	return false;
}

static void write_aliases(Writer *w, const Step *loop)
{
	const Plan *p = w->plan;
	for (uint32_t depth = 1, more = 1; more; depth++) {
		more = 0;
		for (uint32_t i = 0; i < p->nbuffer; i++) {
			const Buffer *b = &p->buffer[i];
			uint32_t n = alias_depth(p, i);
			more += n > depth;
			if (n != depth || !w->used[i] || !alias_moves(p, i, loop)) continue;
			if (b->loop == UINT32_MAX)
				say(w, "b%u = b%u;", i, b->of);
			else
				say(w, "b%u = b%u + i%u*d[%u]*%zu;", i, b->of, b->loop, b->elements,
					dtype_bytes((Dtype)b->dtype));
		}
	}
}

static void write_buffers(Writer *w)
{
	const Plan *p = w->plan;
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		if (!w->used[i]) continue;
		switch (b->space) {
		case SPACE_INPUT: say(w, "char *b%u = arg[%u];", i, b->index); break;
		case SPACE_OUTPUT: say(w, "char *b%u = arg[%u];", i, p->nin + b->index); break;
		case SPACE_ALIAS: say(w, "char *b%u;", i); break;
		default:
			if (b->space == SPACE_WORK || is_filled(p, b))
				say(w, "char *b%u = w + at[%u];", i, i);
			else
				say(w, "char *b%u = (char *)c%u;", i, i);
		}
		if (is_filled(p, b))
			say(w, "for (int64_t i = 0; i < d[%u]; i++) __builtin_memcpy(b%u + i*%zu, c%u, %zu);",
				b->elements, i, b->bytes, i, b->bytes);
	}
}

/* ---- steps --------------------------------------------------------------------------------- */

void write_step_params(Writer *w, const Step *s)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->nparam; i++) text_printf(&t, "d[%u], ", s->param[i]);
	say(w, "const int64_t m[] = { %s0 };", s->nparam ? text_done(&t) : "");
}

static void write_call(Writer *w, const Step *s)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->nbuffer; i++) text_printf(&t, "b%u, ", s->buffer[i]);
	say_open(w, "%s", "");
	write_step_params(w, s);
	say(w, "void *const v[] = { %s0 };", s->nbuffer ? text_done(&t) : "");
	if (s->kind == STEP_KERNEL) {
		uint32_t k = s->kernel->index;
		say(w, "k%u%s(v, m, 0, k%u_items(m), scratch, &fault);", k, w->suffix, k);
	} else
		say(w, "core%s_run_here(%d, %u, v, m, 0, run_items(%d, m), scratch, &fault.position);",
			w->suffix + 1, (int)s->core, s->dtype, (int)s->core);
	say(w, "if (fault.position != INT64_MAX) return 2;");
	say_close(w);
}

/* An operator of the user's: custom_NAME(arrays, the sizes of all their axes). */
static void write_custom(Writer *w, const Step *s)
{
	const Plan *p = w->plan;
	Text v, m;
	text_open(&v, w->arena), text_open(&m, w->arena);
	for (uint32_t i = 0; i < s->nbuffer; i++) {
		const Buffer *b = &p->buffer[s->buffer[i]];
		text_printf(&v, "b%u, ", s->buffer[i]);
		for (uint32_t k = 0; k < b->rank; k++) text_printf(&m, "d[%u], ", b->dim[k]);
	}
	say_open(w, "%s", "");
	say(w, "const int64_t m[] = { %s0 };", text_done(&m));
	say(w, "void *const v[] = { %s0 };", text_done(&v));
	say(w, "if (custom_%s(v, m)) return 3;", ((const Custom *)s->custom)->name);
	say_close(w);
}

static void write_exchange(Writer *w, const struct Carry *c)
{
	say(w, "{ char *t = b%u; b%u = b%u; b%u = t; }", c->now, c->now, c->next, c->next);
}

static void write_list(Writer *w, const Step *s);

static void write_loop(Writer *w, const Step *s)
{
	const Plan *p = w->plan;
	say_open(w, "%s", "");
	say(w, "const int64_t n = d[%u];", s->steps);
	for (uint32_t c = 0; c < s->ncarry; c++) {
		const struct Carry *x = &s->carry[c];
		const Buffer *b = &p->buffer[x->now];
		say_open(w, "%s", "");
		say(w, "const char *first = b%u;", x->first);
		say(w, "if (n > 0 && n%%2) { char *t = b%u; b%u = b%u; b%u = t; }", x->now, x->now, x->next,
			x->next);
		say(w, "if (first != b%u) __builtin_memmove(b%u, first, (uint64_t)d[%u]*%zu);", x->now,
			x->now, b->elements, dtype_bytes((Dtype)b->dtype));
		say_close(w);
	}
	say_open(w, "for (int64_t i = 0; i < n; i++)");
	say(w, s->back ? "i%u = n - 1 - i;" : "i%u = i;", s->loop);
	say(w, "*(int64_t *)b%u = i%u;", s->index, s->loop);
	write_aliases(w, s);
	write_list(w, s->body);
	for (uint32_t c = 0; c < s->ncarry; c++) write_exchange(w, &s->carry[c]);
	say_close(w);
	say(w, "i%u = 0;", s->loop);
	write_aliases(w, s);
	say_close(w);
}

static void write_list(Writer *w, const Step *s)
{
	for (; s; s = s->next)
		if (s->kind == STEP_LOOP)
			write_loop(w, s);
		else if (s->kind == STEP_CORE && s->core == CORE_CUSTOM)
			write_custom(w, s);
		else
			write_call(w, s);
}

void write_steps(Writer *w)
{
	say(w, "%s", "");
	say_open(w, "static int %s_run%s(const int64_t *d, const int64_t *at, void *const *arg, char *w)",
		w->name, w->suffix);
	say(w, "struct fault fault = { INT64_MAX, 0, 0 };");
	say(w, "char *const scratch = w + at[%u];", w->plan->nbuffer);
	for (uint32_t l = 0; l < w->plan->nloop; l++) say(w, "int64_t i%u = 0;", l);
	write_buffers(w);
	write_aliases(w, NULL);
	write_list(w, w->plan->first);
	say(w, "return 0;");
	say_close(w);
}
