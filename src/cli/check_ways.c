/* check_ways.c - a function computed in every way, and the outcomes compared to the bit. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

static Outcome compute(Check *c, por_function *f, const struct Way *w, int nin, const por_array *in)
{
	Outcome r = {0};
	por_options o = {.size = sizeof o,
		.tier = w->tier,
		.threads = w->threads,
		.target = w->target,
		.laws = w->laws,
		.no_rules = w->no_rules};
	por_program *p = por_compile_function(f, &o);
	por_frame *frame = p ? por_frame_new(p) : NULL;
	if (!frame) {
		note_error(&r, por_graph_error(c->target->graph));
		por_clear_error(c->target->graph);
	} else if (por_call(p, frame, nin, in, 0, NULL))
		note_error(&r, por_frame_error(frame));
	else {
		r.n = por_program_outputs(p);
		r.result = need(calloc((size_t)r.n + 1, sizeof *r.result));
		for (int i = 0; i < r.n; i++) r.result[i] = copy_array(por_frame_result(frame, i));
	}
	por_frame_free(frame);
	por_program_free(p);
	return r;
}

Outcome compute_interpreted(Check *c, por_function *f, int nin, const por_array *in)
{
	return compute(c, f, &ways[WAY_INTERPRETED], nin, in);
}

static bool same_outcome(const Outcome *a, const Outcome *b)
{
	if (a->code || b->code) return a->code == b->code;
	if (a->n != b->n) return false;
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

bool compare_ways(Check *c, por_function *f, const char *name, int nin, const por_array *in)
{
	Outcome base[WAYS] = {0};
	bool same = true, computed = false;
	const Outcome *refused = NULL; /* by the compiled tiers, which do not have it */
	for (int k = 0; k < WAYS && !interrupted(); k++) {
		if (ways[k].native && !c->native) continue;
		base[k] = compute(c, f, &ways[k], nin, in);
		if (interrupted()) break;
		computed |= !base[k].code;
		if (k == 0 && base[0].code == POR_ERR_CALL) break;
		if (same_outcome(&base[ways[k].like], &base[k])) continue;
		if (base[k].code == POR_ERR_UNSUPPORTED) {
			refused = &base[k];
			continue;
		}
		tell_difference(name, &ways[k], &base[ways[k].like], &base[k]);
		same = false;
	}
	bool suits = computed || base[0].code != POR_ERR_CALL;
	if (suits && same && (base[0].code || refused)) {
		fprintf(stderr, "%s: %s\n", name, base[0].code ? base[0].text : refused->text);
		c->skipped++;
	} else if (suits) {
		c->same += same;
		c->differ += !same;
	}
	if (option(c->options, "verbose"))
		fprintf(stderr, "%s: %s\n", name,
			!suits            ? "unsuitable"
				: !same   ? "differs"
				: refused ? "not checked"
					  : "same");
	for (int k = 0; k < WAYS; k++) outcome_free(&base[k]);
	return suits;
}
