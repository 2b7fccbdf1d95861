/* c_parts.c - the steps of a plan cut into functions.
 *
 * One function of thousands of steps is dear to compile and hard to read.  A
 * list of more than PART_STEPS is cut where the line of the user's changes, if
 * that is near, and each part becomes a function that finds its buffers by
 * what all steps share, struct NAME_run:
 *
 *     size, d, at, arg, w    sizes as they are given, dims, places in the workspace, arrays, the workspace
 *     i[L]                   the index of loop L
 *     turn[L]                1: values that loop L carries lie where the next ones do otherwise
 */
#include "writer.h"

#include <stdio.h>

enum { PART_STEPS = 24 };

/* What the steps call is of the instruction set that the machine has. */
static void write_code_type(Writer *w)
{
	say(w, "%s", "");
	say_open(w, "struct %s_code", w->name);
	if (w->plan->nkernel)
		say(w, "void (*k[%u])(void *const *, const int64_t *, int64_t, int64_t, void *, struct fault *);",
			w->plan->nkernel);
	if (w->wants.cores) say(w, "void (*core)(int, int, const CoreWork *);");
	if (!w->plan->nkernel && !w->wants.cores) say(w, "int none;");
	w->depth--;
	say(w, "};");
}

void write_run(Writer *w)
{
	uint32_t n = w->plan->nloop;
	if (w->isa < 0) write_code_type(w);
	say(w, "%s", "");
	say_open(w, "struct %s_run", w->name);
	if (w->isa < 0) say(w, "const struct %s_code *code;", w->name);
	say(w, "const int64_t *size;");
	say(w, "int64_t *d;");
	say(w, "const int64_t *at;");
	say(w, "void *const *arg;");
	say(w, "char *w;");
	if (n) say(w, "int64_t i[%u];", n);
	if (n) say(w, "int turn[%u];", n);
	w->depth--;
	say(w, "};");
	write_same_place(w);
}

/* ---- what is long ----------------------------------------------------------------------- */

static uint32_t weigh(Writer *w, const Step *s)
{
	uint32_t all = 0;
	for (; s; s = s->next) {
		uint32_t body = s->kind == STEP_LOOP ? weigh(w, s->body) : 0;
		w->weight[s->number] = 1 + (body > PART_STEPS ? body / PART_STEPS + 1 : body);
		if (w->same->within[s->number]) w->weight[s->number] = 0; /* the first of its run calls it */
		all += w->weight[s->number];
	}
	return all;
}

void weigh_steps(Writer *w)
{
	weigh(w, w->plan->first);
}

static bool is_long(const Writer *w, const Step *s, const Step *end)
{
	uint32_t all = 0;
	if (s && s->next == end) return false; /* one step: its body is cut */
	for (; s != end && all <= PART_STEPS; s = s->next) all += w->weight[s->number];
	return all > PART_STEPS;
}

static bool same_file(const Step *a, const Step *b)
{
	const char *x = a->call->file, *y = b->call->file;
	return x && y ? !strcmp(x, y) : x == y;
}

static bool same_line(const Step *a, const Step *b)
{
	return a->line == b->line && same_file(a, b);
}

/* Where the part that begins with s ends: a change of the line in its second half, or PART_STEPS. */
static const Step *part_end(const Writer *w, const Step *s)
{
	uint32_t all = w->weight[s->number];
	for (const Step *t = s->next; t; s = t, t = t->next) {
		if (w->same->within[t->number]) continue;
		if (all >= PART_STEPS / 2 && !same_line(s, t)) return t;
		all += w->weight[t->number];
		if (all > PART_STEPS) return t;
	}
	return NULL;
}

/* ---- buffers ------------------------------------------------------------------------------ */

/* Where a buffer begins; what it lies in has been declared. */
const char *buffer_place(Writer *w, uint32_t i)
{
	const Plan *p = w->plan;
	const Buffer *b = &p->buffer[i];
	switch (b->space) {
	case SPACE_INPUT: return arena_printf(w->arena, "(char *)r->arg[%u]", b->index);
	case SPACE_OUTPUT: return arena_printf(w->arena, "(char *)r->arg[%u]", p->nin + b->index);
	case SPACE_ALIAS:
		if (b->loop == UINT32_MAX) return arena_printf(w->arena, "b%u", b->of);
		return arena_printf(w->arena, "b%u + r->i[%u]*d[%u]*%zu", b->of, b->loop,
			elements_dim(w->plan, b),
			dtype_bytes((Dtype)b->dtype));
	default: break;
	}
	if (w->place[i] == UINT32_MAX) return arena_printf(w->arena, "(char *)c%u", i);
	if (!w->carrier[i]) return arena_printf(w->arena, "w + at[%u]", w->place[i]);
	return arena_printf(w->arena, "w + at[r->turn[%u] ? %u : %u]", w->carrier[i] - 1,
		w->place[w->partner[i]], w->place[i]);
}

/* Does it lie elsewhere when this loop goes on? */
bool buffer_moves(const Writer *w, uint32_t i, const Step *loop)
{
	const Buffer *b = &w->plan->buffer[i];
	for (; b->space == SPACE_ALIAS; i = b->of, b = &w->plan->buffer[i])
		if (b->loop == loop->loop) return true;
	return w->carrier[i] == loop->loop + 1;
}

static void use_buffer(Writer *w, uint32_t i)
{
	const Buffer *b = &w->plan->buffer[i];
	if (w->mark[i] == w->nmark) return;
	if (b->space == SPACE_ALIAS) use_buffer(w, b->of);
	w->mark[i] = w->nmark;
	w->part->buffer[w->part->nbuffer++] = i;
}

/* The buffers of what write_inline prints. */
static void use_inline(Writer *w, const Step *s, uint32_t phase, const Step *end)
{
	const Plan *p = w->plan;
	for (; phase && (!end || p->phase[phase].first < end->number); phase = p->phase[phase].next)
		for (uint32_t i = 0; i < p->nscalar; i++)
			if (p->scalar[i].ready == p->phase[phase].first) use_buffer(w, p->scalar[i].buffer);
	for (; s != end; s = s->next) {
		if (w->same->within[s->number] || w->same->at[s->number]) {
			w->part->calls = true;
			continue;
		}
		for (uint32_t i = 0; i < s->call->nbuffer; i++) use_buffer(w, s->buffer[i]);
		if (s->kind != STEP_LOOP) continue;
		if (s->condition) use_buffer(w, s->condition - 1);
		if (s->index != UINT32_MAX) use_buffer(w, s->index);
		for (uint32_t c = 0; c < s->ncarry; c++) { /* the next value is its step's to name */
			use_buffer(w, s->carry[c].first);
			use_buffer(w, s->carry[c].now);
		}
		if (is_long(w, s->body, NULL))
			w->part->calls = true;
		else
			use_inline(w, s->body, s->phase, NULL);
	}
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The lines that steps came from, as far as they are of one file. */
static const char *lines_of(Writer *w, const Step *s, const Step *end)
{
	const Step *first = s;
	int least = INT32_MAX, most = 0;
	for (; s != end; s = s->next) {
		if (!s->line || !same_file(s, first)) continue;
		least = s->line < least ? s->line : least;
		most = s->line > most ? s->line : most;
	}
	if (!most) return "";
	const char *file = first->call->file, *slash = file ? strrchr(file, '/') : NULL, *name = "";
	if (file) name = arena_printf(w->arena, "%s, ", comment(w, slash ? slash + 1 : file));
	if (least == most) return arena_printf(w->arena, "%sline %d", name, least);
	return arena_printf(w->arena, "%slines %d to %d", name, least, most);
}

/* Opens the function of these steps; all are printed in it, or calls of parts of them. */
static void open_part(Writer *w, const char *name, const Step *s, uint32_t phase, const Step *end)
{
	const char *lines = w->isa < 0 ? lines_of(w, s, end) : "";
	w->part->buffer = NEW_ARRAY(w->arena, uint32_t, w->plan->nbuffer + 1);
	w->nmark++;
	if (is_long(w, s, end))
		w->part->calls = true;
	else
		use_inline(w, s, phase, end);
	say(w, "%s", "");
	if (*lines) say(w, "/* %s */", lines);
	say_open(w, "static int %s(struct %s_run *r)", name, w->name);
	if (w->part->calls) say(w, "int bad;");
	say(w, "int64_t *const d = r->d;");
	say(w, "const int64_t *const at = r->at;");
	say(w, "char *const w = r->w, *const scratch = w + at[%u];", w->nplace);
	say(w, "struct fault fault = { INT64_MAX, 0, 0 };");
	for (uint32_t i = 0; i < w->part->nbuffer; i++)
		say(w, "char *b%u = %s;", w->part->buffer[i], buffer_place(w, w->part->buffer[i]));
}

static void close_part(Writer *w)
{
	say(w, "return 0;");
	say_close(w);
}

/* A function for the steps, and its call here. */
static void write_part(Writer *w, const Step *s, uint32_t phase, const Step *end)
{
	Text around = w->t;
	StepPart *caller = w->part, part = {0};
	int depth = w->depth;
	const char *name = arena_printf(w->arena, "%s_part%u%s", w->name, ++w->nrun, w->suffix);
	text_open(&w->t, w->arena);
	w->depth = 0;
	w->part = &part;
	open_part(w, name, s, phase, end);
	write_inline(w, s, phase, end);
	close_part(w);
	text_add_n(&w->parts, w->t.s, w->t.n);
	w->t = around;
	w->depth = depth;
	w->part = caller;
	say(w, "if ((bad = %s(r))) return bad;", name);
}

/* A whole list of steps: here, or part by part. */
void write_list(Writer *w, const Step *s, uint32_t phase)
{
	if (!is_long(w, s, NULL)) {
		write_inline(w, s, phase, NULL);
		return;
	}
	for (const Step *end; s; s = end) {
		const Phase *all = w->plan->phase;
		end = part_end(w, s);
		while (phase && all[phase].step && all[phase].step->number < s->number)
			phase = all[phase].next;
		write_part(w, s, phase, end);
	}
}

void write_steps(Writer *w)
{
	const Plan *p = w->plan;
	StepPart part = {0};
	Text before = w->t;
	text_open(&w->t, w->arena);
	text_open(&w->parts, w->arena);
	w->part = &part;
	w->nrun = 0;
	w->depth = 0;
	write_same(w);
	text_add_n(&w->parts, w->t.s, w->t.n);
	text_open(&w->t, w->arena);
	open_part(
		w, arena_printf(w->arena, "%s_run%s", w->name, w->suffix), p->first, p->phase[0].next, NULL);
	write_fills(w, 0);
	write_list(w, p->first, p->phase[0].next);
	close_part(w);
	Text run = w->t;
	w->t = before;
	text_add_n(&w->t, w->parts.s, w->parts.n);
	text_add_n(&w->t, run.s, run.n);
}
