/* compile.c - the pipeline on one screen.
 *
 * Derivatives are expanded while a program is elaborated (diff/transforms.c), most calls are inlined there;
 * so what arrives holds operators, `op`s of the library (nodes until `lower`, for rules to name), loops, and
 * calls of functions that stay.
 * Each stage takes what the one before it left in the Pipeline; its verifier looks at the result, its printer
 * shows it.
 */
#include "compile.h"

#include "../batch/batch.h"
#include "../kernels/kernels.h"
#include "../print/print.h"
#include "../search/search.h"

#include <time.h>

typedef struct Row {
	const char *name;
	bool (*work)(Graph *, Pipeline *, StageReport *);
	bool (*verify)(Graph *, Pipeline *);
	/* what has the pipeline: before it goes */
	void (*print)(Text *, Graph *, const Pipeline *, const StageReport *);
	void (*print_plan)(Text *, const Plan *); /* what has the program: at any time */
} Row;

static bool keep(Graph *, Pipeline *, StageReport *);
static bool merge(Graph *, Pipeline *, StageReport *);
static bool remerge(Graph *, Pipeline *, StageReport *);
static bool map(Graph *, Pipeline *, StageReport *);
static bool apply_book(Graph *, Pipeline *, StageReport *);
static bool stable(Graph *, Pipeline *, StageReport *);
static bool lower(Graph *, Pipeline *, StageReport *);
static bool group(Graph *, Pipeline *, StageReport *);
static bool make_kernels(Graph *, Pipeline *, StageReport *);
static bool order_plan(Graph *, Pipeline *, StageReport *);
static bool make_code(Graph *, Pipeline *, StageReport *);
static bool verify_function(Graph *, Pipeline *);
static bool verify_groups(Graph *, Pipeline *);
static bool verify_kernels(Graph *, Pipeline *);
static bool verify_plan(Graph *, Pipeline *);
static bool verify_code(Graph *, Pipeline *);
static void print_stage(Text *, Graph *, const Pipeline *, const StageReport *);
static void print_groups(Text *, Graph *, const Pipeline *, const StageReport *);
static void print_kernels(Text *, const Plan *);
static void print_code(Text *, const Plan *);

static const Row stages[] = {
	{"written", keep,         verify_function, print_stage,  NULL},          /* as it was elaborated */
	{"merge",   merge,        verify_function, print_stage,  NULL},          /* loops that walk alike are one */
	{"map",     map,          verify_function, print_stage,  NULL},          /* loops without state are none */
	{"algebra", apply_book,   verify_function, print_stage,  NULL},          /* simpler */
	{"stable",  stable,       verify_function, print_stage,  NULL},          /* more accurate */
	{"remerge", remerge,      verify_function, print_stage,  NULL},          /* bodies have become equal */
	{"lower",   lower,        verify_function, print_stage,  NULL},          /* what kernels know, no calls */
	{"groups",  group,        verify_groups,   print_groups, NULL},          /* which nodes share a kernel */
	{"kernels", make_kernels, verify_kernels,  NULL,         print_kernels}, /* and the steps that call them */
	{"plan",    order_plan,   verify_plan,     NULL,         plan_print},    /* phases, lifetimes */
	{"code",    make_code,    verify_code,     NULL,         print_code},    /* interpreted, native */
};
enum { LAST_FUNCTION = 6 };
_Static_assert(countof(stages) <= STAGES_MOST, "each has a report");

/* ---- work ----------------------------------------------------------------------------------- */

static bool keep(Graph *g, Pipeline *p, StageReport *r)
{
	(void)g;
	(void)p;
	(void)r;
	return true;
}

static bool merge(Graph *g, Pipeline *p, StageReport *r)
{
	(void)r;
	if (!p->no_rules) p->function = diff_merge_function(g, p->function);
	return p->function != NULL;
}

/* What nobody reads any more when loops and branches have been merged goes too. */
static bool merge_all(Graph *g, Pipeline *p, StageReport *r)
{
	return merge(g, p, r) && (!diff_holds_unread(g, p->function) || merge(g, p, r));
}

/* What a loop has made in a pass is made once, also where a reverse loop asks for it. */
static bool remerge(Graph *g, Pipeline *p, StageReport *r)
{
	Function *before = p->function;
	if (!p->no_rules) p->function = diff_stack_function(g, before);
	bool stacks = p->function != before;
	if (p->function && !p->no_rules) p->function = diff_join_function(g, p->function);
	return p->function && (stacks ? merge_all : merge)(g, p, r);
}

static bool map(Graph *g, Pipeline *p, StageReport *r)
{
	(void)r;
	bool real = !p->laws || p->laws & 1 << LAW_REAL;
	if (!p->no_rules && real) p->function = loops_as_maps(g, p->function);
	return p->function != NULL;
}

/* Have so many rules been applied as were asked for? */
static bool is_enough(const Pipeline *p)
{
	return p->most && p->fired >= p->most;
}

static bool rewrite_stage(Graph *g, Pipeline *p, StageReport *r, bool whole)
{
	if (is_enough(p)) return true;
	RewriteOptions o = {.laws = p->no_rules ? 1u << LAW_EXACT : p->laws, /* lowered as it is written */
		.nfact = p->nfact,
		.fact = p->fact,
		.last = true,
		.whole = whole,
		.found = &p->found,
		.most = p->most ? p->most - p->fired : 0,
		.log_arena = p->keep_log ? g->arena : NULL};
	p->function = rewrite_function(g, r->name, p->function, &o);
	r->fired = o.fired;
	p->fired += o.fired;
	r->visited = o.visited;
	r->log = o.log;
	r->nlog = o.nlog;
	return p->function != NULL;
}

/* Indices, sums and exponentials stay until `stable` has looked at what they would take apart. */
static bool apply_book(Graph *g, Pipeline *p, StageReport *r)
{
	return p->no_rules || rewrite_stage(g, p, r, !strcmp(r->name, "algebra"));
}

/* A list of its nodes is as large as the function: one at a time. */
static void list_nodes(Graph *g, Pipeline *p)
{
	if (p->function == p->seen) return;
	function_return_region(p->seen, p->region);
	p->seen = p->function;
	p->region = function_borrow_region(g, p->function);
}

/* When no rule makes anything simpler, what has fewer operations is searched for, and brought to the same
 * normal form. */
static bool stable(Graph *g, Pipeline *p, StageReport *r)
{
	bool real = !p->laws || p->laws & 1 << LAW_REAL;
	if (!apply_book(g, p, r)) return false;
	Function *f = p->function;
	if (p->no_rules || !real || is_enough(p)) return true;
	list_nodes(g, p);
	p->function = fewer_operations(g, f, p->nfact, p->fact);
	return p->function == f || (p->function && rewrite_stage(g, p, r, false));
}

/* A function that is called often is lowered once, and then taken apart: kernels reach over its bounds, and
 * its loops are one with those of others that walk alike.  Nobody may read a result of a branch or loop any
 * more, which could fail: it goes.  What loops make of elements leaves them then, and folds that only now are
 * to be seen are stacked, by the loop that was there. */
static bool lower(Graph *g, Pipeline *p, StageReport *r)
{
	if (is_enough(p)) return true;
	Function *merged = p->function = inline_calls(g, p->function);
	if (!p->function || !rewrite_stage(g, p, r, false)) return false;
	Function *before = p->function;
	p->function = inline_kept(g, before);
	if (!p->function) return false;
	bool unread = p->function != merged && diff_holds_unread(g, p->function);
	if ((p->function != before || unread) && !merge_all(g, p, r)) return false;
	bool real = !p->laws || p->laws & 1 << LAW_REAL;
	if (p->function && real && !p->no_rules) p->function = guarded_products(g, p->function);
	if (p->function && real && !p->no_rules && !p->passes_told)
		p->function = maps_before_loops(g, p->function);
	before = p->function;
	if (before && !p->no_rules) p->function = diff_stack_function(g, before);
	if (p->function && p->function != before && !merge_all(g, p, r)) return false;
	if (p->function && !p->no_rules) p->function = factors_turned(g, p->function);
	if (!p->function) return false;
	p->function = checkpoints_as_loops(g, p->function);
	return p->function != NULL;
}

static bool group(Graph *g, Pipeline *p, StageReport *r)
{
	p->scratch = arena_child(g->arena);
	p->groups = groups_of(g, p->scratch, function_region(g, p->function),
		(Nodes){p->function->nresult, p->function->result}, false);
	r->count = p->groups ? groups_count(p->groups) : 0;
	r->of = "groups";
	return p->groups != NULL;
}

static bool make_kernels(Graph *g, Pipeline *p, StageReport *r)
{
	p->plan = plan_kernels(g, p->function, p->groups);
	arena_free(p->scratch);
	p->scratch = NULL;
	p->groups = NULL;
	r->count = p->plan ? p->plan->nkernel : 0;
	r->of = "kernels";
	return p->plan != NULL;
}

static bool order_plan(Graph *g, Pipeline *p, StageReport *r)
{
	r->count = p->plan->nstep;
	r->of = "steps";
	return plan_finish(p->plan, &g->error);
}

/* Names and lines are copied to the plan's arena, which has none to tell that memory ran out but this. */
static bool tell_planned(Graph *g, Pipeline *p)
{
	Trap t;
	if (!p->planned) return true;
	if (TRAP(&t)) return fail(&g->error, ERR_MEMORY, (Where){0}, "out of memory");
	arena_arm(p->plan->arena, &t);
	p->planned(p->user, p->plan);
	arena_disarm(p->plan->arena, &t);
	return true;
}

static bool make_code(Graph *g, Pipeline *p, StageReport *r)
{
	RunOptions o = p->run ? *p->run : (RunOptions){.tier = TIER_INTERPRET};
	if (!tell_planned(g, p)) return false;
	Plan *plan = p->plan;
	Error e = {0};
	TierState s = {0};
	o.watch = g->watch;
	p->plan = NULL; /* the program takes it, come what may */
	p->program = program_new(plan, &o, &e);
	if (o.tier == TIER_NATIVE && p->program && watch_look(g->watch))
		watch_fail(g->watch, &g->error, g->where);
	if (p->program) program_state(p->program, &s);
	r->count = s.native;
	r->of = "native";
	if (!p->program && !g->error.code) g->error = e;
	return p->program != NULL;
}

/* ---- verifying ------------------------------------------------------------------------------ */

static bool verify_function(Graph *g, Pipeline *p)
{
	return verify(g, p->function->region, true, &p->verified);
}

static bool verify_groups(Graph *g, Pipeline *p)
{
	return groups_verify(p->groups, &g->error);
}

static bool verify_kernels(Graph *g, Pipeline *p)
{
	return kernels_verify(p->plan, &g->error);
}

static bool verify_plan(Graph *g, Pipeline *p)
{
	return plan_verify(p->plan, &g->error);
}

/* Who asks for native code gets it, or why not. */
static bool verify_code(Graph *g, Pipeline *p)
{
	TierState s;
	if (!p->run || p->run->tier != TIER_NATIVE) return true;
	program_state(p->program, &s);
	if (s.native == s.kernels) return true;
	int code = s.code == ERR_MEMORY ? ERR_MEMORY : ERR_COMPILER;
	return fail(&g->error, code, (Where){0}, "compile: native code was asked for: %s", s.text);
}

/* ---- printing ------------------------------------------------------------------------------- */

static void print_stage(Text *t, Graph *g, const Pipeline *p, const StageReport *r)
{
	char *heading = arena_printf(t->arena, "after %s: %u nodes, %llu rules applied, %.2f ms", r->name,
		r->count, (unsigned long long)r->fired, r->milliseconds);
	print_function(t, g, p->function, p->signature, heading, PRINT_NOTES);
}

static void print_groups(Text *t, Graph *g, const Pipeline *p, const StageReport *r)
{
	(void)g;
	text_printf(t, "# after %s: %u %s, %.2f ms\n", r->name, r->count, r->of, r->milliseconds);
	groups_print(t, p->groups, p->function);
}

static void print_kernels(Text *t, const Plan *plan)
{
	for (uint32_t i = 0; i < plan->nkernel; i++) kernel_print(t, plan->kernel[i]);
}

/* The C of the kernels, in the units that a compiler gets. */
static void print_code(Text *t, const Plan *plan)
{
	uint32_t size = unit_size(plan->nkernel);
	for (uint32_t i = 0; i < plan->nkernel; i += size) {
		Error e = {0};
		uint32_t n = plan->nkernel - i < size ? plan->nkernel - i : size;
		if (!emit_unit(t, n, (const Kernel *const *)plan->kernel + i, &e))
			text_printf(t, "/* kernels %u to %u: %s */\n", i, i + n - 1, e.text);
	}
}

bool stage_print(Text *t, const char *name, const Plan *plan)
{
	for (size_t i = 0; i < countof(stages); i++)
		if (stages[i].print_plan && !strcmp(stages[i].name, name)) {
			stages[i].print_plan(t, plan);
			return true;
		}
	return false;
}

/* ---- running -------------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool run_stage(Graph *g, Pipeline *p, const Row *s)
{
	StageReport *r = &p->stage[p->nstage++];
	*r = (StageReport){.name = s->name};
	double start = now();
	g->watch->stage = s->name;
	if (!s->work(g, p, r) || g->error.code) return false;
	r->milliseconds = now() - start;
	return true;
}

/* same: the function that the stage before has left, which was verified then */
static bool check_stage(Graph *g, Pipeline *p, const Row *s, bool same)
{
	StageReport *r = &p->stage[p->nstage - 1];
	if (!r->of) {
		r->count = p->function->region->n;
		r->of = "nodes";
	}
	if (!same && !s->verify(g, p)) return false;
	r->leaves = p->graphs && s - stages <= LAST_FUNCTION;
	if (r->leaves) r->function = json_graphs_add(p->graphs, p->function, p->signature);
	if (!p->texts || !s->print) return true;
	Text t;
	text_open(&t, p->texts);
	s->print(&t, g, p, r);
	r->text = text_done(&t);
	return !g->error.code;
}

/* The place of the last stage; -1 with an error: there is none of that name, or it leaves no function. */
static int last_stage(Graph *g, const Pipeline *p)
{
	if (!p->until) return LAST_FUNCTION;
	int most = p->run ? (int)countof(stages) - 1 : LAST_FUNCTION;
	for (int i = 0; i <= most; i++)
		if (!strcmp(stages[i].name, p->until)) return i;
	Text names;
	text_open(&names, g->arena);
	for (int i = 0; i <= most; i++) {
		if (i) text_add(&names, i < most ? ", " : " and ");
		text_add(&names, stages[i].name);
	}
	graph_fail(g, ERR_NAME, "there is no stage %s; there are %s", p->until, text_done(&names));
	return -1;
}

void pipeline_drop(Pipeline *p)
{
	arena_free(p->scratch);
	plan_free(p->plan);
	program_free(p->program);
	p->scratch = NULL;
	p->groups = NULL;
	p->plan = NULL;
	p->program = NULL;
}

Function *pipeline_run(Graph *g, Function *f, Pipeline *p)
{
	int last = f && !g->error.code ? last_stage(g, p) : -1;
	if (last < 0) return NULL;
	const Function *checked = f;
	bool good = true;
	p->function = p->seen = f;
	p->region = function_borrow_region(g, f);
	p->nstage = 0;
	p->verified = (Verified){.arena = arena_child(g->arena)};
	idmap_open(&p->found, p->verified.arena);
	g->bodies++; /* what is sure to fail fails when it is reached: it may lie in a side */
	for (int i = 0; i <= last && good; i++) {
		good = (!p->begins || p->begins(p->user, stages[i].name, (double)i / countof(stages))) &&
			run_stage(g, p, &stages[i]);
		bool same = i && i <= LAST_FUNCTION && p->function == checked;
		if (good) list_nodes(g, p);
		good = good && check_stage(g, p, &stages[i], same);
		checked = p->function;
	}
	g->bodies--;
	function_return_region(p->seen, p->region);
	arena_free(p->verified.arena);
	if (good) return p->function;
	pipeline_drop(p);
	return NULL;
}
