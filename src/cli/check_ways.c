/* check_ways.c - a function computed in every way, and the outcomes compared to the bit. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_INTERPRETED = 1, WAY_WRITTEN = 8 };

static const struct Way {
	const char *name;
	int tier, threads;
	const char *target;
	unsigned laws;
	bool no_rules, native;
	int like;   /* compared with this way */
	bool alone; /* exported, and called without the library */
} ways[] = {
	{"reference", POR_TIER_REFERENCE, 1, NULL, 0, false, false, 0},
	{"interpreted", POR_TIER_INTERPRET, 1, NULL, 0, false, false, 0},
	{"interpreted, 2 threads", POR_TIER_INTERPRET, 2, NULL, 0, false, false, 0},
	{"interpreted, baseline", POR_TIER_INTERPRET, 1, "baseline", 0, false, false, 0},
	{"native", POR_TIER_NATIVE, 1, NULL, 0, false, true, 0},
	{"native, 2 threads", POR_TIER_NATIVE, 2, NULL, 0, false, true, 0},
	{"native, baseline", POR_TIER_NATIVE, 1, "baseline", 0, false, true, 0},
	{"standalone C", POR_TIER_INTERPRET, 1, "baseline", 0, false, true, 0, true},
	{"as written", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, true, false, WAY_WRITTEN},
	{"rewritten, law exact", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, false, false, WAY_WRITTEN},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* A function made ready to be called in a way, or why it is not. */
typedef struct Ready {
	por_program *program;
	Alone *alone;
	Outcome failed;
	uint64_t heard;
} Ready;

void outcome_free(Outcome *r)
{
	for (int i = 0; i < r->n; i++) file_array_free(&r->result[i]);
	free(r->result);
	*r = (Outcome){0};
}

bool check_is_over(const Check *c)
{
	return interrupted() || c->end.code;
}

bool check_ends(Check *c, const por_error *e)
{
	bool ends = e->code == POR_ERR_MEMORY || e->code == POR_ERR_LIMIT;
	if (ends && !c->end.code) c->end = *e;
	return ends;
}

/* It is one alone among the ways: no fault of what is computed. */
static bool outcome_ends(Check *c, const Outcome *r)
{
	por_error e = {.code = r->code};
	snprintf(e.text, sizeof e.text, "%s", r->text);
	return check_ends(c, &e);
}

static void note_error(Outcome *r, const por_error *e)
{
	r->code = e->code;
	snprintf(r->text, sizeof r->text, "%.250s", e->text);
}

/* What effects told, in their order: kinds, passes and values as one number. */
static uint64_t mixed(uint64_t h, const void *p, size_t n)
{
	for (const unsigned char *c = p; n--; c++) h = (h ^ *c)*0x100000001b3;
	return h;
}

/* All NaNs are one value. */
static uint64_t mixed_array(uint64_t h, const por_array *x)
{
	FileArray a = copy_array(x);
	size_t bytes = element_bytes(a.dtype);
	bool real = is_float_name(a.dtype);
	for (int64_t i = 0; i < array_count(&a); i++)
		if (real && isnan(array_number(&a, i)))
			h = mixed(h, "nan", 3);
		else
			h = mixed(h, (const char *)a.data + (size_t)i*bytes, bytes);
	file_array_free(&a);
	return h;
}

static int hear(void *heard, const por_effect *e)
{
	uint64_t *h = heard;
	*h = mixed(*h, &e->kind, sizeof e->kind);
	*h = mixed(*h, e->pass, (size_t)e->npass*sizeof *e->pass);
	for (int32_t i = 0; i < e->n; i++) {
		*h = mixed(*h, e->name[i], strlen(e->name[i]));
		*h = mixed_array(*h, &e->value[i]);
	}
	return 0;
}

/* r->heard: of effects, in each call. */
static void make_ready(Check *c, por_function *f, const struct Way *w, Ready *r)
{
	por_options o = {.size = sizeof o,
		.tier = w->tier,
		.threads = w->threads,
		.target = w->target,
		.laws = w->laws,
		.no_rules = w->no_rules,
		.call_seconds = c->call_seconds,
		.hear = hear,
		.hear_user = &r->heard};
	r->program = por_compile_function(f, &o);
	if (r->program && w->alone && !(r->alone = alone_open(r->program, f))) {
		const por_error *e = por_program_error(r->program);
		check_ends(c, e);
		r->failed.code = POR_ERR_UNSUPPORTED;
		snprintf(r->failed.text, sizeof r->failed.text, "%.250s",
			e->code ? e->text : "as standalone C it does not compile");
	}
	if (r->program) return;
	const por_error *e = por_graph_error(c->target->graph);
	note_error(&r->failed, e);
	outcome_ends(c, &r->failed);
	if (!w->no_rules && check_refuses(e)) r->failed.code = POR_ERR_UNSUPPORTED;
	por_clear_error(c->target->graph);
}

static void ready_free(Ready *r)
{
	alone_close(r->alone);
	por_program_free(r->program);
}

Outcome call_program(por_program *p, int nin, const por_array *in)
{
	Outcome r = {0};
	por_frame *frame = por_frame_new(p);
	if (!frame)
		note_error(&r, por_program_error(p));
	else if (por_call(p, frame, nin, in, 0, NULL))
		note_error(&r, por_frame_error(frame));
	else {
		r.n = por_program_outputs(p);
		r.result = need(calloc((size_t)r.n + 1, sizeof *r.result));
		for (int i = 0; i < r.n; i++) r.result[i] = copy_array(por_frame_result(frame, i));
	}
	por_frame_free(frame);
	return r;
}

Outcome compute_interpreted(Check *c, por_function *f, int nin, const por_array *in)
{
	Ready ready = {0};
	make_ready(c, f, &ways[WAY_INTERPRETED], &ready);
	Outcome r = ready.program ? call_program(ready.program, nin, in) : ready.failed;
	outcome_ends(c, &r);
	ready_free(&ready);
	return r;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

/* Is it said of sizes?  These are asked for whatever rewriting does, but for what a loop or a side of a
 * branch does not need. */
static bool is_of_sizes(const Outcome *r)
{
	return strstr(r->text, " must ") || strstr(r->text, " is negative");
}

/* Rewriting opens calls: (n - 1)*k becomes n*k - k, which is past the largest number where the first is
 * not. */
static bool is_too_large(const Outcome *r)
{
	return r->code && strstr(r->text, "too large");
}

/* Rewriting moves an index inwards, (x + y)[:, i] becomes x[:, i] + y[i], and asks that it is within also
 * where the other axes have nothing. */
static bool is_index_of_nothing(const RandomArguments *a, const Outcome *r)
{
	bool empty = false;
	for (int i = 0; i < a->n; i++) empty |= !array_count(&a->own[i]);
	return empty && r->code && strstr(r->text, " of an axis of ");
}

/* A loop that these arguments do not end, it may be. */
static bool is_too_long(const Outcome *r)
{
	return r->code == POR_ERR_LIMIT && strstr(r->text, "the call takes more than");
}

/* An error must be one of every way.  Of several the compiled tiers meet those of sizes first, the reference
 * those that it reaches first; and rewriting may make that an element which is not there is not needed. */
static bool same_outcome(const Check *c, const struct Way *w, const Outcome *a, const Outcome *b)
{
	bool rewritten = w->laws && !w->no_rules;
	if (rewritten && a->code && !b->code) return !c->plain || !is_of_sizes(a);
	if (rewritten && !a->code && is_too_large(b)) return true;
	if (a->code || b->code) return w->alone ? a->code && b->code : a->code == b->code;
	if (a->n != b->n || a->heard != b->heard) return false;
	for (int i = 0; i < a->n; i++)
		if (!array_same_bits(&a->result[i], &b->result[i])) return false;
	return true;
}

/* Standalone C lays out all of its workspace when it is called: it refuses sizes that a side or a loop would
 * need if it were reached. */
static bool is_huge(const RandomArguments *a)
{
	for (int i = 0; i < a->n; i++)
		for (int64_t k = 0; a->own[i].dtype[0] != 'f' && k < array_count(&a->own[i]); k++)
			if (fabs(array_number(&a->own[i], k)) > 0x1p31) return true;
	return false;
}

static void tell_difference(const char *name, const struct Way *w, const Outcome *a, const Outcome *b)
{
	check_hides();
	fprintf(stderr, "%s: %s differs from %s", name, w->name, ways[w->like].name);
	if (a->code || b->code) {
		fprintf(stderr, ": %s; %s\n", b->code ? b->text : "it computes",
			a->code ? a->text : "the other computes");
		return;
	}
	if (a->heard != b->heard) fprintf(stderr, ": effects tell something else");
	for (int i = 0; i < a->n && i < b->n; i++) {
		const FileArray *x = &a->result[i], *y = &b->result[i];
		if (array_same_bits(x, y)) continue;
		int64_t n = array_count(x) < array_count(y) ? array_count(x) : array_count(y), k = 0;
		while (k < n &&
			(array_number(x, k) == array_number(y, k) ||
				(isnan(array_number(x, k)) && isnan(array_number(y, k)))))
			k++;
		if (k < n)
			fprintf(stderr, ": result %d, element %" PRId64 ": %.17g, not %.17g", i, k,
				array_number(y, k), array_number(x, k));
		break;
	}
	fputc('\n', stderr);
}

void tell_arguments(por_function *f, const RandomArguments *a)
{
	TextBuffer b = {0};
	for (int i = 0; i < a->n; i++) {
		por_leaf leaf = input_of(f, i);
		buffer_printf(&b, " '%s=", leaf.path);
		const TextValue v = {.kind = VALUE_ARRAY, .array = a->own[i]};
		value_print(&b, &v, OUTPUT_FULL | OUTPUT_ONE_LINE);
		buffer_text(&b, "'");
	}
	fprintf(stderr, "    with%s\n", buffer_get(&b));
	buffer_free(&b);
}

static bool is_asked(const Check *c, const struct Way *w)
{
	return !w->native || c->native;
}

static Agreement compare(
	Check *c, por_function *f, Ready *ready, const char *name, const RandomArguments *a)
{
	Outcome r[WAYS] = {0};
	Agreement all = AGREE_FAILED;
	for (int k = 0; k < WAYS && all != DIFFER && !check_is_over(c); k++) {
		const struct Way *w = &ways[k];
		if (!is_asked(c, w) || ready[k].failed.code == POR_ERR_UNSUPPORTED) continue;
		if (ready[k].alone && r[w->like].heard) continue; /* it would tell that to stderr */
		ready[k].heard = 0;
		if (ready[k].alone)
			r[k] = alone_call(
				ready[k].alone, a, por_program_outputs(ready[k].program), &r[w->like]);
		else
			r[k] = ready[k].program ? call_program(ready[k].program, a->n, a->in)
						: ready[k].failed;
		if (ready[k].program) r[k].heard = ready[k].heard;
		if (check_is_over(c)) break;
		if (is_too_long(&r[k])) { /* these arguments do not suit it */
			c->too_long = true;
			all = AGREE_FAILED;
			break;
		}
		if (!r[k].code && all == AGREE_FAILED) all = AGREE;
		bool rewritten = w->laws && !w->no_rules;
		if (ready[w->like].failed.code == POR_ERR_UNSUPPORTED ||
			same_outcome(c, w, &r[w->like], &r[k]) || (w->alone && r[k].code && is_huge(a)) ||
			(rewritten && !r[w->like].code && is_index_of_nothing(a, &r[k])))
			continue;
		if (outcome_ends(c, &r[k]) || outcome_ends(c, &r[w->like])) break;
		tell_difference(name, w, &r[w->like], &r[k]);
		tell_arguments(f, a);
		all = DIFFER;
	}
	for (int k = 0; k < WAYS; k++)
		if (ready[k].program) outcome_free(&r[k]);
	return all;
}

/* Made ready in every way that is asked for; what some tier refuses, since it does not have it, or NULL. */
static const Outcome *all_ready(Check *c, por_function *f, Ready ready[WAYS])
{
	const Outcome *refused = NULL;
	for (int k = 0; k < WAYS && !check_is_over(c); k++) {
		if (!is_asked(c, &ways[k])) continue;
		make_ready(c, f, &ways[k], &ready[k]);
		if (ready[k].failed.code == POR_ERR_UNSUPPORTED) refused = &ready[k].failed;
	}
	return refused;
}

static Agreement concluded(Agreement a, const char *name, const Outcome *refused, Ready ready[WAYS])
{
	if (refused && a != DIFFER) {
		check_hides();
		fprintf(stderr, "%s: %s\n", name, refused->text);
		a = REFUSED;
	}
	for (int k = 0; k < WAYS; k++) ready_free(&ready[k]);
	return a;
}

Agreement compare_ways(Check *c, por_function *f, const char *name, int most, bool all)
{
	Ready ready[WAYS] = {0};
	const Outcome *refused = all_ready(c, f, ready);
	Agreement best = AGREE_FAILED;
	for (int i = 0; i < most && !check_is_over(c); i++) {
		RandomArguments a = random_arguments(c, f);
		Agreement one = compare(c, f, ready, name, &a);
		best = one == AGREE_FAILED ? best : one;
		random_arguments_free(&a);
		if (best == DIFFER || (best == AGREE && !all)) break;
	}
	return concluded(best, name, refused, ready);
}

Agreement compare_given(Check *c, por_function *f, const char *name, const por_array *in)
{
	Ready ready[WAYS] = {0};
	const Outcome *refused = all_ready(c, f, ready);
	RandomArguments a = given_arguments(c, f, in);
	c->too_long = false;
	Agreement one = compare(c, f, ready, name, &a);
	random_arguments_free(&a);
	return concluded(one, name, refused, ready);
}
