/* compile.c - the pipeline on one screen.
 *
 * written -> merge -> algebra -> stable -> remerge -> lower, and then (loop.h) groups, kernels, plan.
 * Derivatives are expanded while a program is elaborated (diff/transforms.c), calls are inlined there; so what
 * arrives holds operators, `op`s of the library (nodes until `lower`, for rules to name) and loops.
 */
#include "compile.h"

#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static Function *stage(Graph *g, Pipeline *p, const char *name, Function *f)
{
	if (!f || g->error.code) return NULL;
	StageReport *s = &p->stage[p->nstage++];
	RewriteOptions o = {.laws = p->laws,
		.nfact = p->nfact,
		.fact = p->fact,
		.last = true,
		.whole = !strcmp(name, "algebra"),
		.log_arena = p->keep_log ? g->arena : NULL};
	double start = now();
	g->watch.stage = name;
	bool lower = !strcmp(name, "lower"), still = !strcmp(name, "written") || (p->no_rules && !lower);
	if (lower && (f = inline_calls(g, f)))
		f = rewrite_function(g, name, f, &o);
	else if (!still && (!strcmp(name, "merge") || !strcmp(name, "remerge")))
		f = diff_merge_function(g, f);
	else if (!still && !lower)
		f = rewrite_function(g, name, f, &o);
	*s = (StageReport){.name = name,
		.function = f,
		.milliseconds = now() - start,
		.fired = o.fired,
		.visited = o.visited,
		.log = o.log,
		.nlog = o.nlog};
	return f;
}

Function *pipeline_run(Graph *g, Function *f, Pipeline *p)
{
	static const char *const stages[] = {"written", "merge", "algebra", "stable", "remerge", "lower"};
	Function *last = f;
	Arena *region = f ? function_borrow_region(g, f) : NULL;
	p->nstage = 0;
	bool known = !p->until;
	for (size_t i = 0; i < countof(stages); i++) known |= p->until && !strcmp(p->until, stages[i]);
	if (!known)
		return graph_fail(g, ERR_NAME,
			"there is no stage %s; there are written, merge, algebra, stable, remerge and lower",
			p->until);
	for (size_t i = 0; f && i < countof(stages); i++) {
		f = stage(g, p, stages[i], f);
		if (f && f != last) {
			function_return_region(last, region);
			region = function_borrow_region(g, f);
			last = f;
		}
		f = f && verify(g, f->region, true) ? f : NULL;
		if (p->until && !strcmp(p->until, stages[i])) break;
	}
	function_return_region(last, region);
	return f;
}
