/* c_plan.c - the steps of a plan as C.
 *
 * Loops are loops; carried values change places after each pass, and an odd
 * number of passes begins with them exchanged, so that the last value lies
 * where later steps look for it.
 */
#include "writer.h"

/* ---- steps --------------------------------------------------------------------------------- */

const char *dim_text(Writer *w, uint32_t i)
{
	const Dim *d = &w->plan->dim[i];
	return d->kind == DIM_CONST ? dtype_literal(w->arena, DT_I64, (uint64_t)d->value)
				    : arena_printf(w->arena, "d[%u]", i);
}

void write_step_sizes(Writer *w, const Step *s, bool constants)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nparam; i++)
		text_printf(&t, "%s, ", place_text(w, PLACE_DIM, s->call->param[i]));
	for (uint32_t i = 0; constants && i < s->call->nconstant; i++) {
		text_printf(&t, "%s /* ", dtype_literal(w->arena, DT_I64, call_constants(s->call)[i]));
		given_print(&t, s, i);
		text_add(&t, " */, ");
	}
	say(w, "const int64_t m[] = { %s0 };", text_done(&t));
}

static const char *arrays_text(Writer *w, const Step *s)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nbuffer; i++)
		text_printf(&t, "%s, ", place_text(w, PLACE_ARRAY, s->buffer[i]));
	return text_done(&t);
}

static void write_call(Writer *w, const Step *s)
{
	say_open(w, "%s", "");
	write_step_sizes(w, s, true);
	say(w, "void *const v[] = { %s0 };", arrays_text(w, s));
	if (s->kind == STEP_KERNEL) {
		uint32_t k = s->call->kernel->index;
		const char *name = w->isa < 0 ? arena_printf(w->arena, "r->code->k[%u]", k)
					      : arena_printf(w->arena, "k%u%s", k, w->suffix);
		say(w, "%s(v, m, 0, k%u_items(m), scratch, &fault);", name, k);
	} else {
		const char *name = w->isa < 0 ? "r->code->core" : arena_printf(w->arena, "core%d_run_here", w->isa);
		say(w, "%s(%d, %u, &(CoreWork){ v, m, 0, run_items(%d, m), scratch, &fault.position });", name,
			(int)s->call->core, s->call->dtype, (int)s->call->core);
	}
	say(w, "if (fault.position != INT64_MAX) return 2;");
	say_close(w);
}

const char *axes_text(Writer *w, const Step *s)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nbuffer; i++)
		for (uint32_t k = 0; k < w->plan->buffer[s->buffer[i]].rank; k++)
			text_printf(&t, "%s, ", place_text(w, PLACE_DIM, buffer_dims(w->plan, s->buffer[i])[k]));
	return text_done(&t);
}

/* An operator of the user's: custom_NAME(arrays, the sizes of all their axes). */
static void write_custom(Writer *w, const Step *s)
{
	say_open(w, "%s", "");
	say(w, "void *const v[] = { %s0 };", arrays_text(w, s));
	say(w, "const int64_t m[] = { %s0 };", axes_text(w, s));
	say(w, "if (custom_%s(v, m)) return 3;", ((const Custom *)s->call->custom)->name);
	say_close(w);
}

/* ---- loops ------------------------------------------------------------------------------------ */

/* What lies elsewhere in the next pass; in the function of a run each step asks where its arrays are. */
static void write_moves(Writer *w, const Step *loop)
{
	for (uint32_t i = 0; !w->run && i < w->part->nbuffer; i++) {
		uint32_t b = w->part->buffer[i];
		if (buffer_moves(w, b, loop)) say(w, "b%u = %s;", b, buffer_place(w, b));
	}
}

/* A loop as it is written: its number, its steps and its arrays; of what it carries also the bytes. */
typedef struct LoopText {
	const char *number, *steps, *condition, *index;
	struct CarryText { const char *now, *first, *bytes; } *carry;
} LoopText;

static LoopText loop_text(Writer *w, const Step *s)
{
	LoopText x = {.carry = NEW_ARRAY(w->arena, struct CarryText, s->ncarry + 1)};
	x.number = place_text(w, PLACE_LOOP, s->loop);
	x.steps = place_text(w, PLACE_DIM, s->steps);
	if (s->condition) x.condition = place_text(w, PLACE_ARRAY, s->condition - 1);
	if (s->index != UINT32_MAX) x.index = place_text(w, PLACE_ARRAY, s->index);
	for (uint32_t i = 0; i < s->ncarry; i++) {
		const Buffer *b = &w->plan->buffer[s->carry[i].now];
		struct CarryText *c = &x.carry[i];
		c->now = place_text(w, PLACE_ARRAY, s->carry[i].now);
		c->first = place_text(w, PLACE_ARRAY, s->carry[i].first);
		place_text(w, PLACE_ARRAY, s->carry[i].next); /* its step names it */
		c->bytes = arena_printf(w->arena, "(uint64_t)%s*%zu",
			place_text(w, PLACE_DIM, elements_dim(w->plan, b)), dtype_bytes((Dtype)b->dtype));
	}
	return x;
}

/* Behind a loop that a condition ended, the last values go where later steps look for them. */
static void write_last(Writer *w, const Step *s, const LoopText *x)
{
	say_open(w, "if (r->turn[%s])", x->number);
	for (uint32_t c = 0; c < s->ncarry; c++) {
		if (s->carry[c].now == s->carry[c].next) continue;
		const char *now = w->run ? x->carry[c].now : buffer_place(w, s->carry[c].now);
		say(w, "r->turn[%s] = 1;", x->number);
		say(w, "const char *last%u = %s;", c, now);
		say(w, "r->turn[%s] = 0;", x->number);
		say(w, "__builtin_memcpy(%s, last%u, %s);", now, c, x->carry[c].bytes);
	}
	say_close(w);
}

static void write_loop(Writer *w, const Step *s)
{
	LoopText x = loop_text(w, s);
	if (s->condition)
		say_open(w, "if (%s*(const uint8_t *)%s)", s->unless ? "!" : "", x.condition);
	else
		say_open(w, "%s", "");
	say(w, "const int64_t n = %s;", x.steps);
	say(w, s->whiles ? "r->turn[%s] = 0;" : "r->turn[%s] = n > 0 && n%%2;", x.number);
	write_moves(w, s);
	for (uint32_t c = 0; c < s->ncarry; c++)
		if (buffer_base(w->plan, s->carry[c].now) != buffer_base(w->plan, s->carry[c].first))
			say(w, "__builtin_memmove(%s, %s, %s);", x.carry[c].now, x.carry[c].first,
				x.carry[c].bytes);
	if (s->whiles)
		say_open(w, "for (int64_t i = 0; i < n && *(const uint8_t *)%s; i++)", x.carry[0].now);
	else
		say_open(w, "for (int64_t i = 0; i < n; i++)");
	say(w, s->back ? "r->i[%s] = n - 1 - i;" : "r->i[%s] = i;", x.number);
	if (s->index != UINT32_MAX) say(w, "*(int64_t *)%s = r->i[%s];", x.index, x.number);
	write_moves(w, s);
	write_list(w, s->body, s->phase);
	say(w, "r->turn[%s] ^= 1;", x.number);
	if (s->whiles) write_moves(w, s);
	say_close(w);
	if (s->whiles) write_last(w, s, &x);
	say(w, "r->i[%s] = 0;", x.number);
	say(w, "r->turn[%s] = 0;", x.number);
	write_moves(w, s);
	say_close(w);
}

/* ---- lists -------------------------------------------------------------------------------------- */

/* Constants of one element, for the arrays of a phase. */
void write_fills(Writer *w, uint32_t phase)
{
	const Plan *p = w->plan;
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		if (!w->used[i] || !buffer_is_filled(p, i) || buffer_phase(p, i) != phase) continue;
		size_t bytes = p->constant[b->constant].bytes;
		say(w, "for (int64_t i = 0; i < %s; i++) __builtin_memcpy(w + at[%u] + i*%zu, c%u, %zu);",
			dim_text(w, elements_dim(w->plan, b)), w->place[i], bytes, i, bytes);
	}
}

/* Sizes that are known now: given to the caller, held against their most, and those that follow from them. */
static void write_begin(Writer *w, uint32_t phase)
{
	const Plan *p = w->plan;
	for (uint32_t i = 0; i < p->ndim; i++) {
		const Dim *d = &p->dim[i];
		if (d->kind != DIM_SCALAR || d->phase != phase) continue;
		uint32_t b = p->scalar[d->a].buffer;
		const char *type = p->buffer[b].dtype == DT_BOOL ? "uint8_t" : "int64_t";
		say(w, "d[%u] = *(const %s *)b%u;", i, type, b);
		if (w->computed[d->a])
			say(w, "if (r->arg[%u]) *(int64_t *)r->arg[%u] = d[%u];", w->result[d->a],
				w->result[d->a], i);
		if (w->most[d->a])
			say(w, "if (d[%u] > r->size[%u] || d[%u] < -r->size[%u]) return 1;", i,
				p->nsize + d->a, i, p->nsize + d->a);
	}
	say(w, "if (%s_sizes_%u(r->size, d)) return 1;", w->name, phase);
	write_fills(w, phase);
}

/* The user's line, and what is computed. */
static void write_comment(Writer *w, const Step *s)
{
	if (w->isa >= 0 || (!s->line && !s->call->rules)) return;
	const char *what = "";
	if (s->kind == STEP_LOOP)
		what = "loop";
	else if (s->call->rules)
		what = comment(w, s->call->rules);
	if (s->line)
		say(w, "/* line %d: %s */", s->line, what);
	else
		say(w, "/* %s */", what);
}

/* The steps up to `end`; phase: the next to begin. */
void write_inline(Writer *w, const Step *s, uint32_t phase, const Step *end)
{
	const Phase *all = w->plan->phase;
	for (; s != end; s = s->next) {
		for (; phase && all[phase].step == s; phase = all[phase].next) write_begin(w, phase);
		const SameAt *at = same_at(w->same, s, w->run);
		if (at) {
			s = write_same_call(w, at, s);
			continue;
		}
		write_comment(w, s);
		if (s->kind == STEP_LOOP)
			write_loop(w, s);
		else if (s->kind == STEP_CORE && s->call->core == CORE_CUSTOM)
			write_custom(w, s);
		else if (s->kind == STEP_CORE && s->call->core == CORE_EFFECT)
			write_effect(w, s);
		else
			write_call(w, s);
	}
	for (; !end && phase; phase = all[phase].next) write_begin(w, phase);
}
