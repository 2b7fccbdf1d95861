/* check_ways.c - a function computed in every way, and the outcomes compared to the bit. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct Way {
	const char *name;
	int tier, threads;
	const char *target;
	unsigned laws;
	bool no_rules, native;
	int like; /* compared with this way */
} ways[] = {
	{"reference", POR_TIER_REFERENCE, 1, NULL, 0, false, false, 0},
	{"interpreted", POR_TIER_INTERPRET, 1, NULL, 0, false, false, 0},
	{"interpreted, 2 threads", POR_TIER_INTERPRET, 2, NULL, 0, false, false, 0},
	{"interpreted, baseline", POR_TIER_INTERPRET, 1, "baseline", 0, false, false, 0},
	{"native", POR_TIER_NATIVE, 1, NULL, 0, false, true, 0},
	{"native, 2 threads", POR_TIER_NATIVE, 2, NULL, 0, false, true, 0},
	{"native, baseline", POR_TIER_NATIVE, 1, "baseline", 0, false, true, 0},
	{"as written", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, true, false, 7},
	{"rewritten, law exact", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, false, false, 7},
};
enum { WAYS = sizeof ways / sizeof *ways, WAY_INTERPRETED = 1 };

void outcome_free(Outcome *r)
{
	for (int i = 0; i < r->n; i++) file_array_free(&r->result[i]);
	free(r->result);
	*r = (Outcome){0};
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

/* A way's program, or why there is none. */
static por_program *compile(Check *c, por_function *f, const struct Way *w, Outcome *failed, uint64_t *heard)
{
	por_options o = {.size = sizeof o,
		.tier = w->tier,
		.threads = w->threads,
		.target = w->target,
		.laws = w->laws,
		.no_rules = w->no_rules,
		.hear = heard ? hear : NULL,
		.hear_user = heard};
	por_program *p = por_compile_function(f, &o);
	if (p) return p;
	note_error(failed, por_graph_error(c->target->graph));
	por_clear_error(c->target->graph);
	return NULL;
}

static Outcome call(por_program *p, int nin, const por_array *in)
{
	Outcome r = {0};
	por_frame *frame = por_frame_new(p);
	if (!frame) {
		r.code = POR_ERR_MEMORY;
		snprintf(r.text, sizeof r.text, "out of memory");
	} else if (por_call(p, frame, nin, in, 0, NULL))
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
	Outcome r = {0};
	por_program *p = compile(c, f, &ways[WAY_INTERPRETED], &r, NULL);
	if (p) r = call(p, nin, in);
	por_program_free(p);
	return r;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

/* Is it said of sizes?  These are asked for whatever rewriting does, but for what a loop does not need. */
static bool is_of_sizes(const Outcome *r)
{
	return strstr(r->text, " must ") || strstr(r->text, " is negative");
}

/* An error must be one of every way.  Of several the compiled tiers meet those of sizes first, the reference
 * those that it reaches first; and rewriting may make that an element which is not there is not needed. */
static bool same_outcome(const Check *c, const struct Way *w, const Outcome *a, const Outcome *b)
{
	if (a->code && !b->code && w->laws && !w->no_rules) return !c->plain || !is_of_sizes(a);
	if (a->code || b->code) return a->code == b->code;
	if (a->n != b->n || a->heard != b->heard) return false;
	for (int i = 0; i < a->n; i++)
		if (!array_same_bits(&a->result[i], &b->result[i])) return false;
	return true;
}

static void tell_difference(const char *name, const struct Way *w, const Outcome *a, const Outcome *b)
{
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

static bool is_asked(const Check *c, const struct Way *w)
{
	return !w->native || c->native;
}

/* The programs of all ways, and what each has heard in its call. */
typedef struct Programs {
	por_program *program[WAYS];
	uint64_t heard[WAYS];
} Programs;

static Agreement compare(Check *c, Programs *p, const Outcome *failed, const char *name, int nin,
	const por_array *in)
{
	por_program *const *program = p->program;
	Outcome r[WAYS] = {0};
	Agreement all = AGREE_FAILED;
	for (int k = 0; k < WAYS && all != DIFFER && !interrupted(); k++) {
		if (!is_asked(c, &ways[k]) || failed[k].code == POR_ERR_UNSUPPORTED) continue;
		p->heard[k] = 0;
		r[k] = program[k] ? call(program[k], nin, in) : failed[k];
		if (program[k]) r[k].heard = p->heard[k];
		if (interrupted()) break;
		if (!r[k].code && all == AGREE_FAILED) all = AGREE;
		if (failed[ways[k].like].code == POR_ERR_UNSUPPORTED ||
			same_outcome(c, &ways[k], &r[ways[k].like], &r[k]))
			continue;
		tell_difference(name, &ways[k], &r[ways[k].like], &r[k]);
		all = DIFFER;
	}
	for (int k = 0; k < WAYS; k++)
		if (program[k]) outcome_free(&r[k]);
	return all;
}

Agreement compare_ways(Check *c, por_function *f, const char *name, int most, bool all)
{
	Programs p = {0};
	Outcome failed[WAYS] = {0};
	const Outcome *refused = NULL; /* by some tier, which does not have it */
	for (int k = 0; k < WAYS && !interrupted(); k++)
		if (is_asked(c, &ways[k]) &&
			!(p.program[k] = compile(c, f, &ways[k], &failed[k], &p.heard[k])) &&
			failed[k].code == POR_ERR_UNSUPPORTED)
			refused = &failed[k];
	Agreement best = AGREE_FAILED;
	for (int i = 0; i < most && !interrupted() && best != DIFFER && (all || best == AGREE_FAILED); i++) {
		RandomArguments a = random_arguments(c, f);
		Agreement one = compare(c, &p, failed, name, a.n, a.in);
		best = one == AGREE_FAILED ? best : one;
		random_arguments_free(&a);
	}
	if (refused && best != DIFFER) {
		fprintf(stderr, "%s: %s\n", name, refused->text);
		best = REFUSED;
	}
	for (int k = 0; k < WAYS; k++) por_program_free(p.program[k]);
	return best;
}
