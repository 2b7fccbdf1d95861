/* c_same.c - steps that come again, but for their arrays and sizes, as one function.
 *
 * What differs (same_runs of loop.h) is a row of numbers that a call gives: of an array, its place in the
 * workspace, or -1 less its number among the arguments; of a size, its number among the dims.
 */
#include "writer.h"

static void write_row(Writer *w, const SameRun *run, const uint32_t *value)
{
	const Plan *p = w->plan;
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < run->ngiven; i++) {
		const Buffer *b = &p->buffer[value[i]];
		if (!run->gives_array[i])
			text_printf(&t, "%u, ", value[i]);
		else if (b->space == SPACE_INPUT)
			text_printf(&t, "-%u, ", 1 + b->index);
		else if (b->space == SPACE_OUTPUT)
			text_printf(&t, "-%u, ", 1 + p->nin + b->index);
		else
			text_printf(&t, "%u, ", w->place[value[i]]);
	}
	say(w, "{ %s0 },", text_done(&t));
}

void write_same_rows(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		say(w, "/* %u steps that come %u times: their sizes and arrays */", run->steps, run->rows);
		say_open(w, "static const int %s_same%u[][%u] =", w->name, q + 1, run->ngiven + 1);
		for (uint32_t k = 0; k < run->rows; k++) write_row(w, run, run->value + k * run->ngiven);
		w->depth--;
		say(w, "};");
	}
}

void write_same_place(Writer *w)
{
	if (!w->same->n) return;
	say_open(w, "static inline void *%s_array(const struct %s_run *r, int i)", w->name, w->name);
	say(w, "return i < 0 ? r->arg[-1 - i] : r->w + r->at[i];");
	say_close(w);
}

static const char *number_text(Writer *w, const SameRun *run, uint32_t place)
{
	uint32_t dim = run->same[place], k = run->given[place];
	return k ? arena_printf(w->arena, "d[u[%u]]", k - 1) : dim_text(w, dim);
}

static const char *array_text(Writer *w, const SameRun *run, uint32_t place)
{
	uint32_t b = run->same[place], k = run->given[place];
	return k ? arena_printf(w->arena, "%s_array(r, u[%u])", w->name, k - 1) : buffer_place(w, b);
}

/* The integers of step s, whose places begin at `place`. */
static void write_numbers(Writer *w, const SameRun *run, const Step *s, uint32_t place, bool constants)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nparam; i++)
		text_printf(&t, "%s, ", number_text(w, run, place + i));
	if (constants) write_step_constants(w, &t, s);
	say(w, "const int64_t m[] = { %s0 };", text_done(&t));
}

static void write_arrays(Writer *w, const SameRun *run, const Step *s, uint32_t place)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < s->call->nbuffer; i++)
		text_printf(&t, "%s, ", array_text(w, run, place + s->call->nparam + i));
	say(w, "void *const v[] = { %s0 };", text_done(&t));
}

static uint32_t places_of(const Step *s)
{
	return s->call->nparam + s->call->nbuffer;
}

void write_same_needs(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		const Step *s = run->row[0];
		say_open(w, "static int64_t %s_same%u_scratch(const int64_t *d, const int *u)", w->name, q + 1);
		say(w, "int64_t most = 0;");
		for (uint32_t k = 0, at = 0; k < run->steps; k++, at += places_of(s), s = s->next) {
			say_open(w, "%s", "");
			write_numbers(w, run, s, at, false);
			write_need_of(w, s);
			say_close(w);
		}
		say(w, "return most;");
		say_close(w);
	}
}

void write_same_layout(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		say_open(w, "for (int i = 0; i < %u; i++)", w->same->run[q].rows);
		say(w, "const int64_t need = %s_same%u_scratch(d, %s_same%u[i]);", w->name, q + 1, w->name,
			q + 1);
		say(w, "if (need > scratch) scratch = need;");
		say(w, "if (need < 0) return -1;");
		say_close(w);
	}
}

/* A function for each run. */
void write_same(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		const Step *s = run->row[0];
		say(w, "%s", "");
		say_open(w, "static int %s_run_same%u%s(struct %s_run *r, const int *u)", w->name, q + 1,
			w->suffix, w->name);
		say(w, "int64_t *const d = r->d;");
		say(w, "const int64_t *const at = r->at;");
		say(w, "char *const w = r->w, *const scratch = w + at[%u];", w->nplace);
		say(w, "struct fault fault = { INT64_MAX, 0, 0 };");
		for (uint32_t k = 0, at = 0; k < run->steps; k++, at += places_of(s), s = s->next) {
			write_comment(w, s);
			say_open(w, "%s", "");
			write_numbers(w, run, s, at, true);
			write_arrays(w, run, s, at);
			write_run_of(w, s);
			say_close(w);
		}
		say(w, "return 0;");
		say_close(w);
	}
}

const Step *write_same_call(Writer *w, const Step *s)
{
	const SameAt *at = &w->same->at[s->number];
	say(w, "if ((bad = %s_run_same%u%s(r, %s_same%u[%u]))) return bad;", w->name, at->run, w->suffix,
		w->name, at->run, at->row);
	for (uint32_t k = w->same->run[at->run - 1].steps; k > 1; k--) s = s->next;
	return s;
}
