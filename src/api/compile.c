/* compile.c - the pipeline on one screen.
 *
 * written -> merge -> algebra -> stable -> lower, and then (loop.h) groups, kernels, plan.
 * Derivatives are expanded while a program is elaborated (diff/transforms.c), calls are inlined there; so what
 * arrives holds operators, `op`s of the library and loops.
 */
#include "compile.h"

#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec*1e3 + (double)t.tv_nsec*1e-6;
}

/* One loop where several walk the same way; dead traces and carried values go. */
static Function *merged(Graph *g, Function *f)
{
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult);
	memcpy(result, f->result, f->nresult * sizeof *result);
	return diff_merge(g, f->nresult, result) ? function_over(g, f, f->nresult, result) : NULL;
}

static Function *stage(Graph *g, Pipeline *p, const char *name, Function *f)
{
	if (!f || g->error.code)
		return NULL;
	StageReport *s = &p->stage[p->nstage++];
	RewriteOptions o = { .laws = p->laws, .nfact = p->nfact, .fact = p->fact, .last = true,
	                     .log_arena = p->keep_log ? g->arena : NULL };
	double start = now();
	if (!strcmp(name, "merge"))
		f = merged(g, f);
	else if (strcmp(name, "written"))
		f = rewrite_function(g, name, f, &o);
	*s = (StageReport){ .name = name, .function = f, .milliseconds = now() - start, .fired = o.fired,
	                    .visited = o.visited, .log = o.log, .nlog = o.nlog };
	return f && verify(g, function_region(g, f), true) ? f : NULL;
}

Function *pipeline_run(Graph *g, Function *f, Pipeline *p)
{
	static const char *const stages[] = { "written", "merge", "algebra", "stable", "lower" };
	p->nstage = 0;
	for (size_t i = 0; f && i < countof(stages); i++) {
		f = stage(g, p, stages[i], f);
		if (p->until && !strcmp(p->until, stages[i]))
			break;
	}
	return f;
}
