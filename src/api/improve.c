/* improve.c - a function's forms of less error, as the user gets them. */
#define POR_NO_LINES
#include "api.h"

#include "../search/search.h"

/* What was found in the graph of work, kept with the user's. */
static const por_improvement *kept(
	por_graph *g, const Improvement *found, uint32_t n, const char *const *name)
{
	Arena *a = g->home;
	const char **input = NEW_ARRAY(a, const char *, n);
	for (uint32_t i = 0; i < n; i++) input[i] = arena_text(a, name[i]);
	por_improvement *out = NEW(a, por_improvement);
	por_form *form = NEW_ARRAY(a, por_form, found->nform);
	for (uint32_t i = 0; i < found->nform; i++) {
		const ErrorForm *f = &found->form[i];
		double *at = f->at ? NEW_ARRAY(a, double, n) : NULL;
		for (uint32_t k = 0; at && k < n; k++) at[k] = f->at[k];
		form[i] = (por_form){
			arena_text(a, f->what), arena_text(a, f->text), f->mean, f->most, at, f->truth};
	}
	*out = (por_improvement){.forms = (int32_t)found->nform,
		.form = form,
		.inputs = (int32_t)n,
		.input = input,
		.asked = (int32_t)found->asked,
		.judged = (int32_t)found->judged,
		.rule = arena_text(a, found->rule),
		.holds = found->holds,
		.report = arena_text(a, found->report)};
	return out;
}

static bool is_condition(por_graph *g, const por_function *f, const por_function *where)
{
	const Function *w = where->function;
	bool fits = where->graph == g && w->nparam == f->function->nparam && w->nresult == 1 &&
		w->result[0]->type == type_scalar(g->ir, DT_BOOL);
	for (uint32_t i = 0; fits && i < w->nparam; i++) fits = w->param[i] == f->function->param[i];
	if (!fits)
		graph_fail(g->ir, ERR_TYPE,
			"improve: the condition was wanted to give a bool of the function's inputs");
	return fits;
}

const por_improvement *por_improve(por_function *f, por_function *where, uint64_t seed)
{
	ENTER(alone(f ? f->graph : NULL, "improve"), NULL);
	por_graph *g = f->graph;
	graph_->ir->watch->stage = "improve";
	if ((where && !is_condition(g, f, where)) || !books_open(g->ir)) LEAVE((const por_improvement *)NULL);
	const char **name = input_paths(g->ir->arena, f);
	Graph *work = work_begin(g);
	Improvement found;
	LeafFact *fact;
	Function *own = work_up(g, f->function);
	ImproveTask task = {.f = own, .name = name, .seed = seed};
	if (where) task.where = work_up(g, where->function);
	if (own) {
		task.nfact = leaf_facts(work, f->signature, own, &fact);
		task.fact = fact;
	}
	bool good = own && improve(work, work->arena, &task, &found);
	const por_improvement *out = good ? kept(g, &found, own->nparam, name) : NULL;
	work_end(g);
	LEAVE(out);
}
