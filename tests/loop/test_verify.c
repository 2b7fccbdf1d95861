/* A plan that is broken in one place is refused with what is wrong there; as it was made it is not. */
#include "../../src/api/compile.h"
#include "../../src/prove/prove.h"
#include "compare.h"

#include <setjmp.h>
#include <cmocka.h>

static const char program[] =
	"fn f(W: f64[n, n], xs: f64[t, n]) =\n"
	"    let end = scan (h = f64[n](0), x in xs) => {h = tanh(W @ h + x), y = h*x}\n"
	"    in sum(end.y) + sum(exp(end.h)*3.7) + sum(W @ cos(end.h)) + sum(softmax[1](xs))\n";

typedef struct Made {
	Graph *g;
	Function *f;
	Plan *plan;
} Made;

static Made made(void)
{
	Made m = {.g = graph_open(NULL)};
	Error e = {0};
	diff_open(m.g);
	prove_open(m.g);
	books_open(m.g);
	Module *module = module_load(m.g, "broken.por", program, sizeof program - 1);
	Signature *s = module ? elaborate_function(m.g, module, "f", 0, NULL) : NULL;
	m.f = s ? pipeline_run(m.g, s->function, &(Pipeline){0}) : NULL;
	m.plan = m.f ? plan_make(m.g, m.f, &e) : NULL;
	if (!m.plan) fail_msg("%s%s", m.g->error.text, e.text);
	return m;
}

static void close_made(Made m)
{
	plan_free(m.plan);
	graph_close(m.g);
}

static Kernel *kernel_with(const Plan *p, InsKind kind, Ins **ins)
{
	for (uint32_t i = 0; i < p->nkernel; i++)
		for (uint32_t k = 0; k < p->kernel[i]->ncode; k++)
			if (p->kernel[i]->code[k].kind == kind) {
				*ins = &p->kernel[i]->code[k];
				return p->kernel[i];
			}
	fail_msg("no kernel has instructions of kind %d", kind);
	return NULL;
}

static Step *first_kernel_step(Step *s)
{
	while (s->kind != STEP_KERNEL) s = s->next;
	return s;
}

static Buffer *work_buffer(Plan *p)
{
	uint32_t i = 0;
	while (p->buffer[i].space != SPACE_WORK || p->buffer[i].first == UINT32_MAX) i++;
	return &p->buffer[i];
}

static void reads_itself(Plan *p)      { Ins *x; kernel_with(p, INS_MAP, &x); x->a = CODE_MAX; }
static void loads_nothing(Plan *p)     { Ins *x; kernel_with(p, INS_LOAD, &x)->at[x->at].buffer = BUFFERS_MAX; }
static void no_such_access(Plan *p)    { Ins *x; uint16_t n = kernel_with(p, INS_LOAD, &x)->nat; x->at = n; }
static void writes_what_is_read(Plan *p)
{
	Ins *x;
	Kernel *k = kernel_with(p, INS_STORE, &x);
	k->buffer[k->at[x->at].buffer].written = false;
}
static void stage_ends_early(Plan *p)  { Ins *x; kernel_with(p, INS_FOLD, &x)->stage[0].end--; }
static void a_buffer_short(Plan *p)    { ((StepCall *)first_kernel_step(p->first)->call)->nbuffer--; }
static void dim_of_later(Plan *p)      { uint32_t i = 0; while (p->dim[i].kind <= DIM_SCALAR) i++; p->dim[i].a = i; }
static void dies_before_birth(Plan *p) { Buffer *b = work_buffer(p); b->first++, b->last = b->first - 1; }
static void used_when_dead(Plan *p)    { Buffer *b = work_buffer(p); b->first = b->last = p->nstep + 1; }
static void no_phase(Plan *p)          { p->its_phase = NEW_ARRAY(p->arena, uint32_t, p->nbuffer), p->its_phase[0] = p->nphase; }
static void foreign_buffer(Plan *p)    { first_kernel_step(p->first)->buffer[0] = p->nbuffer; }

static const struct {
	void (*broken)(Plan *);
	bool kernels; /* found by kernels_verify; else by plan_verify */
	const char *text;
} cases[] = {
	{reads_itself, true, "reads what is not there"},
	{loads_nothing, true, "reads what is not there"},
	{no_such_access, true, "reads what is not there"},
	{writes_what_is_read, true, "reads what is not there"},
	{stage_ends_early, true, "its stages are not its instructions"},
	{a_buffer_short, true, "buffers"},
	{dim_of_later, false, "is made of what is not known before it"},
	{dies_before_birth, false, "ends before it begins"},
	{used_when_dead, false, "which lives in steps"},
	{no_phase, false, "belongs to no phase"},
	{foreign_buffer, false, "uses a buffer that is not the plan's"},
};

static void broken_plans_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Made m = made();
		Error e = {0};
		assert_true(kernels_verify(m.plan, &e) && plan_verify(m.plan, &e));
		cases[i].broken(m.plan);
		assert_false(cases[i].kernels ? kernels_verify(m.plan, &e) : plan_verify(m.plan, &e));
		assert_int_equal(e.code, ERR_INTERNAL);
		if (!strstr(e.text, cases[i].text)) fail_msg("case %zu: %s", i, e.text);
		close_made(m);
	}
}

static void wrong_groups_are_refused(void **state)
{
	(void)state;
	Made m = made();
	Arena *a = arena_child(m.g->arena);
	Error e = {0};
	Groups *gr = groups_of(m.g, a, function_region(m.g, m.f), (Nodes){m.f->nresult, m.f->result}, false);
	assert_true(groups_verify(gr, &e));
	uint32_t i = 0;
	while (i < gr->r->n && (!gr->home[i] || gr->root[i])) i++; /* computed in passing */
	assert_true(i < gr->r->n);
	gr->root[region_place(gr->r, gr->home[i])] = 0;
	assert_false(groups_verify(gr, &e));
	assert_non_null(strstr(e.text, "where nothing is stored"));
	e = (Error){0};
	for (i = 0; i < gr->r->n && !gr->forced[i];) i++;
	assert_true(i < gr->r->n);
	gr->root[i] = 0;
	assert_false(groups_verify(gr, &e));
	graph_close(m.g);
	plan_free(m.plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_plans_are_refused),
		cmocka_unit_test(wrong_groups_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
