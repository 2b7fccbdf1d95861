/* c_same.c - steps that come again, but for their arrays and sizes, as one function.
 *
 * What differs (same_runs of loop.h) is a row of numbers that a call gives: of an array, its place in the
 * workspace, or -1 less its number among the arguments; of a size, its number among the dims; of a loop, its
 * own.  What a loop moves has a row of NAME_moved, whose numbers begin behind the places:
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

/* Those of a loop stand in a line, as far as nothing comes between them. */
static void write_moved(Writer *w)
{
	const Plan *p = w->plan;
	uint32_t last = UINT32_MAX;
	Text t;
	if (!w->nmoved) return;
	text_open(&t, w->arena);
	say_open(w, "static const int %s_moved[][4] =", w->name);
	for (uint32_t i = 0; i < p->nbuffer; i++) {
		const Buffer *b = &p->buffer[i];
		if (!w->moved[i]) continue;
		uint32_t loop = b->space == SPACE_ALIAS ? b->loop : w->carrier[i] - 1;
		if (t.n) text_add(&t, loop == last ? " " : "\n\t");
		last = loop;
		if (b->space != SPACE_ALIAS)
			text_printf(&t, "{ %u, %u, %u, 0 },", loop, w->place[i], w->place[w->partner[i]]);
		else
			text_printf(&t, "{ %u, %lld, %u, %zu },", loop, (long long)array_number(w, b->of),
				elements_dim(p, b), dtype_bytes((Dtype)b->dtype));
	}
	say(w, "%s", text_done(&t));
	w->depth--;
	say(w, "};");
}

/* As a row gives it. */
static int64_t place_number(Writer *w, Place x)
{
	return x.kind == PLACE_ARRAY ? array_number(w, x.number) : (int64_t)x.number;
}

static void write_row(Writer *w, const SameRun *run, const uint32_t *value)
{
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < run->ngiven; i++)
		text_printf(&t, "%lld, ", (long long)place_number(w, (Place){run->gives[i], value[i]}));
	say(w, "{ %s0 },", text_done(&t));
}

void write_same_rows(Writer *w)
{
	write_moved(w);
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		if (!run->rows) continue;
		say(w, "/* %u steps that come %u times: their sizes and arrays */", run->steps, run->times);
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

/* ---- what stands at a place ---------------------------------------------------------------------- */

const char *place_text(Writer *w, PlaceKind kind, uint32_t number)
{
	const SameRun *run = w->run;
	uint32_t k = run ? run->given[w->at] : 0;
	if (run) number = run->same[w->at++].number;
	switch (kind) {
	case PLACE_DIM: return k ? arena_printf(w->arena, "d[u[%u]]", k - 1) : dim_text(w, number);
	case PLACE_LOOP: return arena_printf(w->arena, k ? "u[%u]" : "%u", k ? k - 1 : number);
	case PLACE_ARRAY: break;
	}
	if (!run) return arena_printf(w->arena, "b%u", number);
	if (k) return arena_printf(w->arena, "%s_array(r, u[%u])", w->name, k - 1);
	return w->moved[number]
		? arena_printf(w->arena, "%s_array(r, %lld)", w->name, (long long)array_number(w, number))
		: buffer_place(w, number);
}

/* The numbers that a run's function is called with: a row, or, within another run, those that it gives. */
static const char *row_text(Writer *w, const SameAt *at)
{
	const SameRun *run = w->run;
	Text t;
	if (!run) return arena_printf(w->arena, "%s_same%u[%u]", w->name, at->run + 1, at->row);
	text_open(&t, w->arena);
	for (uint32_t i = w->same->run[at->run].ngiven; i > 0; i--, w->at++)
		if (run->given[w->at])
			text_printf(&t, "u[%u], ", run->given[w->at] - 1);
		else
			text_printf(&t, "%lld, ", (long long)place_number(w, run->same[w->at]));
	return arena_printf(w->arena, "(const int[]){ %s0 }", text_done(&t));
}

static const Step *row_last(Writer *w, const SameAt *at, const Step *s)
{
	for (uint32_t k = w->same->run[at->run].steps; k > 1; k--) s = s->next;
	return s;
}

const Step *write_same_call(Writer *w, const SameAt *at, const Step *s)
{
	say(w, "if ((bad = %s_run_same%u%s(r, %s))) return bad;", w->name, at->run + 1, w->suffix,
		row_text(w, at));
	return row_last(w, at, s);
}

/* ---- functions ------------------------------------------------------------------------------------ */

/* In a function of a run: of the steps up to `end`. */
static void write_needs_in(Writer *w, const Step *s, const Step *end)
{
	for (; s != end; s = s->next) {
		const SameAt *at = same_at(w->same, s, w->run);
		uint32_t after = w->at + step_places(w->plan, s, NULL);
		bool needs = s->kind == STEP_KERNEL || core_has_items(s);
		if (at || needs) say_open(w, "%s", "");
		if (at) {
			say(w, "const int64_t need = %s_same%u_scratch(d, %s);", w->name, at->run + 1,
				row_text(w, at));
			say(w, "if (need > most) most = need;");
			after = w->at;
			s = row_last(w, at, s);
		} else if (needs) {
			write_need(w, s);
		}
		if (at || needs) say_close(w);
		w->at = after;
		if (!at && s->kind == STEP_LOOP) write_needs_in(w, s->body, NULL);
	}
}

static const Step *open_run(Writer *w, const SameRun *run)
{
	const Step *end = run->row[0];
	for (uint32_t k = 0; k < run->steps; k++) end = end->next;
	w->run = run;
	w->at = 0;
	return end;
}

void write_same_needs(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		say_open(w, "static int64_t %s_same%u_scratch(const int64_t *d, const int *u)", w->name, q + 1);
		say(w, "int64_t most = 0;");
		write_needs_in(w, run->row[0], open_run(w, run));
		say(w, "return most;");
		say_close(w);
	}
	w->run = NULL;
}

void write_same_layout(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		if (!w->same->run[q].rows) continue;
		say_open(w, "for (int i = 0; i < %u; i++)", w->same->run[q].rows);
		say(w, "const int64_t need = %s_same%u_scratch(d, %s_same%u[i]);", w->name, q + 1, w->name,
			q + 1);
		say(w, "if (need > scratch) scratch = need;");
		say(w, "if (need < 0) return -1;");
		say_close(w);
	}
}

/* A function for each run, behind those that it calls. */
void write_same(Writer *w)
{
	for (uint32_t q = 0; q < w->same->n; q++) {
		const SameRun *run = &w->same->run[q];
		say(w, "%s", "");
		say_open(w, "static int %s_run_same%u%s(struct %s_run *r, const int *u)", w->name, q + 1,
			w->suffix, w->name);
		say(w, "int bad;");
		say(w, "int64_t *const d = r->d;");
		say(w, "const int64_t *const at = r->at;");
		say(w, "char *const w = r->w, *const scratch = w + at[%u];", w->nplace);
		say(w, "struct fault fault = { INT64_MAX, 0, 0 };");
		write_inline(w, run->row[0], 0, open_run(w, run));
		say(w, "return 0;");
		say_close(w);
	}
	w->run = NULL;
}
