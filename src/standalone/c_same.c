/* c_same.c - steps that come again, but for their arrays and sizes, as one function.
 *
 * What differs (same_runs of loop.h) is a row of numbers that a call gives: of an array, its place in the
 * workspace, or -1 less its number among the arguments; of a size, its number among the dims.  What a loop
 * moves has a row of NAME_moved, whose numbers begin behind the places:
 *
 *     { loop, a, b, 0 }          at a, or at b where the loop's carried values are exchanged
 *     { loop, a, d, bytes }      for each pass d elements further than a
 */
#include "writer.h"

/* Of an array, in a row. */
static int64_t array_number(Writer *w, uint32_t i)
{
	const Plan *p = w->plan;
	const Buffer *b = &p->buffer[i = buffer_base(p, i)];
	if (b->space == SPACE_INPUT) return -1 - (int64_t)b->index;
	if (b->space == SPACE_OUTPUT) return -1 - (int64_t)p->nin - b->index;
	return w->moved[i] ? w->nplace + w->moved[i] : w->place[i];
}

void find_moved(Writer *w)
{
	const Plan *p = w->plan;
	w->moved = NEW_ARRAY(w->arena, uint32_t, p->nbuffer + 1);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		bool carried = w->carrier[i] && w->place[i] != UINT32_MAX;
		bool walks = b->space == SPACE_ALIAS && b->loop != UINT32_MAX;
		if (w->same->n && w->used[i] && (carried || walks))
			w->moved[i] = ++w->nmoved;
	}
}

static void write_moved(Writer *w)
{
	const Plan *p = w->plan;
	if (!w->nmoved) return;
	say_open(w, "static const int %s_moved[][4] =", w->name);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		if (w->moved[i] && b->space != SPACE_ALIAS)
			say(w, "{ %u, %u, %u, 0 },", w->carrier[i] - 1, w->place[i], w->place[w->partner[i]]);
		else if (w->moved[i])
			say(w, "{ %u, %lld, %u, %zu },", b->loop, (long long)array_number(w, b->of),
				elements_dim(p, b), dtype_bytes((Dtype)b->dtype));
	}
	w->depth--;
	say(w, "};");
}

static void write_row(Writer *w, const SameRun *run, const uint32_t *value)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < run->ngiven; i++)
		text_printf(&t, "%lld, ",
			run->gives_array[i] ? (long long)array_number(w, value[i]) : (long long)value[i]);
	say(w, "{ %s0 },", text_done(&t));
}

void write_same_rows(Writer *w)
{
	write_moved(w);
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
	if (w->nmoved) {
		say(w, "int64_t on = 0;");
		say_open(w, "while (i > %u)", w->nplace);
		say(w, "const int *m = %s_moved[i - %u];", w->name, w->nplace + 1);
		say(w, "if (m[3]) on += r->i[m[0]]*r->d[m[2]]*m[3];");
		say(w, "i = m[!m[3] && r->turn[m[0]] ? 2 : 1];");
		say_close(w);
		say(w, "return (i < 0 ? (char *)r->arg[-1 - i] : r->w + r->at[i]) + on;");
	} else {
		say(w, "return i < 0 ? r->arg[-1 - i] : r->w + r->at[i];");
	}
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
	if (k) return arena_printf(w->arena, "%s_array(r, u[%u])", w->name, k - 1);
	return w->moved[b] ? arena_printf(w->arena, "%s_array(r, %lld)", w->name, (long long)array_number(w, b))
			   : buffer_place(w, b);
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
