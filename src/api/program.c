/* program.c - compiling: options, the pipeline, and what a program keeps when its graph has gone. */
#define POR_NO_LINES
#include "compiled.h"

#include <math.h>

/* ---- options ---------------------------------------------------------------------------- */

static bool read_options(por_graph *g, const por_options *given, por_options *o)
{
	Graph *ir = g->ir;
	if (given && given->size < sizeof given->size)
		return graph_fail(
			ir, ERR_VALUE, "options: their size is %zu, wanted sizeof(por_options)", given->size);
	if (!options_copy(o, sizeof *o, given, given ? given->size : 0))
		return graph_fail(
			ir, ERR_UNSUPPORTED, "options: a field is set that this library does not have");
	if (o->check_finite) o->tier = POR_TIER_REFERENCE;
	if (o->tier < POR_TIER_BACKGROUND || o->tier > POR_TIER_REFERENCE)
		return graph_fail(ir, ERR_VALUE, "options: there is no tier %d", o->tier);
	const char *wrong = NULL;
	if (o->threads < 0)
		wrong = "threads";
	else if (o->laws > 15)
		wrong = "laws";
	else if (!(o->compile_seconds >= 0))
		wrong = "compile_seconds";
	else if (!(o->call_seconds >= 0))
		wrong = "call_seconds";
	if (wrong) return graph_fail(ir, ERR_VALUE, "options: %s is out of range", wrong);
	static const char *const targets[] = {"baseline", "avx2", "avx512"};
	bool known = !o->target;
	for (size_t i = 0; i < countof(targets); i++) known |= o->target && !strcmp(o->target, targets[i]);
	if (!known)
		return graph_fail(ir, ERR_VALUE,
			"options: there is no target %s; there are baseline, avx2, avx512", o->target);
	return true;
}

/* ---- promises -------------------------------------------------------------------------------- */

uint32_t leaf_facts(Graph *g, const Signature *s, const Function *f, LeafFact **out)
{
	LeafFact *v = *out = NEW_ARRAY(g->arena, LeafFact, s->nfact + 1);
	for (uint32_t i = 0; i < s->nfact; i++) {
		const Fact *x = &s->fact[i];
		bool low = x->low > -INFINITY, high = x->high < INFINITY;
		v[i] = (LeafFact){.leaf = param(g, x->leaf, f->param[x->leaf]),
			.lo = x->low,
			.hi = x->high,
			.lo_open = x->above_low,
			.hi_open = x->below_high,
			.integer = x->integer};
		/* bounds of whole numbers may be rounded */
		bool whole = dtype_is_integer((Dtype)f->param[x->leaf]->dtype);
		if (whole && low && fabs(x->low) >= 0x1p53) v[i].lo = nextafter(x->low, -INFINITY);
		if (whole && high && fabs(x->high) >= 0x1p53) v[i].hi = nextafter(x->high, INFINITY);
		v[i].no_nan = low || high || x->integer;
		v[i].finite = low && high;
		v[i].nonzero = x->low > 0 || x->high < 0 || (x->low == 0 && x->above_low) ||
			(x->high == 0 && x->below_high);
	}
	return s->nfact;
}

/* ---- the pipeline -------------------------------------------------------------------------------- */

/* The function through the pipeline with these options, in the graph of the work that has begun. */
static Function *run_pipeline(por_graph *g, por_function *f, const por_options *o, Pipeline *p)
{
	if (!books_open(g->ir)) return NULL;
	Graph *ir = work_begin(g);
	Function *in = work_up(g, f->function);
	p->laws = o->laws << 1;
	p->keep_log = o->keep_stages != 0;
	p->no_rules = o->no_rules != 0;
	p->most = o->most_applications > 0 ? (uint64_t)o->most_applications : 0;
	p->signature = f->signature;
	if (o->keep_stages > 1) p->graphs = json_graphs_open(ir);
	p->nfact = leaf_facts(ir, f->signature, in, (LeafFact **)&p->fact);
	if (!o->rules_off) return pipeline_run(ir, in, p);
	Function *h = rules_switch(ir, o->rules_off) ? pipeline_run(ir, in, p) : NULL;
	rules_on(ir);
	return h;
}

por_function *por_optimise(por_function *f, const por_options *given, const char *until)
{
	ENTER(alone(f ? f->graph : NULL, "optimise"), NULL);
	por_graph *g = f->graph;
	por_options o;
	Pipeline p = {.until = until};
	if (!read_options(g, given, &o)) LEAVE((por_function *)NULL);
	Function *h = work_down(g, run_pipeline(g, f, &o, &p));
	work_end(g);
	if (!h) LEAVE((por_function *)NULL);
	Signature *s = NEW(g->ir->arena, Signature);
	*s = *f->signature;
	s->function = h;
	LEAVE(give_function(g, h, s));
}

/* ---- programs ------------------------------------------------------------------------------------- */

por_program *compiled_retain(por_program *p)
{
	if (p) __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
	return p;
}

void compiled_drop(por_program *p)
{
	if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL)) return;
	por_context *c = p->context;
	if (p->line) pipeline_drop(p->line);
	compiled_unplan(p);
	graph_close(p->own);
	graph_drop(p->graph);
	arena_free(p->arena);
	context_drop(c);
}

void por_program_free(por_program *p)
{
	compiled_drop(p);
}

static const char *copied(Arena *a, const char *s)
{
	return s ? arena_copy(a, s, strlen(s)) : "";
}

/* Of each input the line that declared it, or the function. */
static const Where *declared_at(Arena *a, const por_function *f, uint32_t nin)
{
	const Signature *s = f->signature;
	Where *where = NEW_ARRAY(a, Where, nin + 1);
	for (uint32_t k = 0; k < nin; k++) where[k] = s->where;
	for (uint32_t i = s->nparam; i-- > 0;)
		for (uint32_t k = 0; k < s->param[i].count && s->param[i].where.line; k++)
			where[s->param[i].first + k] = s->param[i].where;
	return where;
}

/* Each port with the facts that are promised of it, checked by a call. */
static void add_facts(por_program *p, const Signature *s)
{
	for (uint32_t j = 0; j < s->nfact; j++) {
		Fact *fact = NEW(p->arena, Fact);
		*fact = s->fact[j];
		fact->where.file = copied(p->arena, fact->where.file);
		if (!p->facts_unchecked) p->in[fact->leaf].fact = fact;
	}
}

static void declared_leaves(const Structure *s, uint32_t **out)
{
	if (s->kind == B_NODE) *(*out)++ = s->leaf;
	for (uint32_t i = 0; i < s->n; i++) declared_leaves(s->elem[i], out);
}

static void note_declared(por_program *p, const Signature *s)
{
	uint32_t *at = p->declared = NEW_ARRAY(p->arena, uint32_t, p->nin + p->nout + 1);
	for (uint32_t i = 0; i < s->nparam; i++) declared_leaves(s->param[i].structure, &at);
	declared_leaves(s->result, &at);
}

/* What is shown and checked of the leaves, on the program's own arena; the name of a file once. */
static void make_ports(por_program *p, por_graph *g, por_function *f)
{
	Arena *scratch = arena_child(p->arena);
	const char *file = NULL, *kept = "";
	p->nin = (uint32_t)por_function_inputs(f);
	p->nout = (uint32_t)por_function_outputs(f);
	p->in = NEW_ARRAY(p->arena, Port, p->nin + 1);
	p->out = NEW_ARRAY(p->arena, Port, p->nout + 1);
	const char **in_path = input_paths(scratch, f), **out_path = output_paths(scratch, f);
	const Where *declared = declared_at(scratch, f, p->nin);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) {
		bool in = i < p->nin;
		uint32_t k = in ? i : i - p->nin;
		Port *port = in ? &p->in[k] : &p->out[k];
		const Type *type = in ? f->function->param[k] : f->function->result[k]->type;
		const char *path = in ? in_path[k] : out_path[k];
		Where where = in ? declared[k] : f->signature->where;
		if (where.file != file) {
			file = where.file;
			kept = copied(p->arena, file);
		}
		Text t;
		text_open(&t, scratch);
		text_printf(&t, "%s: ", path);
		leaf_type_print(&t, g->ir, f->function, type);
		*port = (Port){.text = copied(p->arena, text_done(&t)),
			.path = copied(p->arena, path),
			.dtype = type->dtype,
			.rank = type->kind == TYPE_ARRAY ? (uint8_t)type->n : 0,
			.file = kept,
			.line = where.line};
	}
	add_facts(p, f->signature);
	note_declared(p, f->signature);
	arena_free(scratch);
}

static bool arrays_alone(Graph *g, const Function *f)
{
	for (uint32_t i = 0; i < f->nparam + f->nresult; i++) {
		const Type *t = i < f->nparam ? f->param[i] : f->result[i - f->nparam]->type;
		bool effects = i + 1 == f->nparam + f->nresult && t->kind == TYPE_TOKEN;
		if (t->kind != TYPE_ARRAY && !effects)
			return graph_fail(g, ERR_UNSUPPORTED,
				"compile: parameters and results of a program are arrays");
	}
	return true;
}

/* Code, and what is kept for those who ask later. */
static bool make_code(por_program *p, por_graph *g, por_function *f, const por_options *o)
{
	Pipeline *line = p->line;
	Function *h = run_pipeline(g, f, o, line);
	if (h && o->keep_stages) keep_explained(p, g->work ? g->work : g->ir, line);
	if (h && o->tier == POR_TIER_REFERENCE) reference_keeps(p, g, h);
	p->run = line->program;
	line->program = NULL;
	work_end(g);
	return h && !g->ir->error.code;
}

/* Everything that needs the graph; what fails is in its error. */
static bool fill_program(por_program *p, por_graph *g, por_function *f, const por_options *o)
{
	Graph *ir = g->ir;
	p->tier = o->tier;
	p->facts_unchecked = o->facts_unchecked != 0;
	p->check_finite = o->check_finite != 0;
	p->heard = (Heard){o->hear, o->hear_user};
	p->sink = (EffectSink){o->hear ? effect_heard : NULL, &p->heard};
	p->call_seconds = o->call_seconds;
	if (!arrays_alone(ir, f->function)) return false;
	make_ports(p, g, f);
	if (!donation_fits(p, g, o)) return false;
	p->donate = (uint32_t)o->donate;
	Pipeline *line = p->line = NEW(p->arena, Pipeline);
	line->passes_told = p->check_finite;
	line->texts = o->keep_stages ? p->arena : NULL;
	if (o->tier != POR_TIER_REFERENCE) compiled_asks(p, line, o);
	p->compiling = (Compiling){g, o};
	return make_code(p, g, f, o);
}

static por_program *compiled_new(por_context *c)
{
	Arena *a = arena_new(&c->allocator);
	if (!a) return NULL;
	Trap t;
	if (TRAP(&t)) {
		arena_free(a);
		return NULL;
	}
	arena_arm(a, &t);
	por_program *p = NEW(a, por_program);
	*p = (por_program){
		.context = context_retain(c), .arena = a, .refs = 1, .entry_lock = PTHREAD_MUTEX_INITIALIZER};
	arena_disarm(a, &t);
	return p;
}

/* Memory may run out in the graph's arena or in the program's: both end as the graph's. */
static por_program *compile_function(por_graph *g, por_function *f, const por_options *given)
{
	por_options o;
	if (!read_options(g, given, &o)) return NULL;
	por_program *const p = compiled_new(g->context);
	if (!p) arena_out_of_memory(g->ir->arena);
	Trap graphs, own;
	if (TRAP(&graphs)) {
		compiled_drop(p);
		arena_out_of_memory(g->ir->arena);
	}
	arena_arm(g->ir->arena, &graphs);
	if (TRAP(&own)) {
		arena_disarm(g->ir->arena, &graphs);
		compiled_drop(p);
		arena_out_of_memory(g->ir->arena);
	}
	arena_arm(p->arena, &own);
	arena_watch(p->arena, g->ir->watch);
	bool good = fill_program(p, g, f, &o);
	p->compiling = (Compiling){0};
	arena_watch(p->arena, NULL);
	arena_disarm(p->arena, &own);
	arena_disarm(g->ir->arena, &graphs);
	if (good && !g->ir->error.code) return p;
	compiled_drop(p);
	return NULL;
}

por_program *por_compile_function(por_function *f, const por_options *o)
{
	ENTER(alone(f ? f->graph : NULL, "compile"), NULL);
	LEAVE(compile_function(f->graph, f, o));
}

por_program *por_compile(
	por_graph *g, int nin, por_node *const *in, int nout, por_node *const *out, const por_options *o)
{
	por_function *f = alone(g, "compile") ? por_function_of(g, NULL, nin, in, nout, out) : NULL;
	return por_compile_function(f, o);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

int por_program_inputs(const por_program *p)
{
	return p ? (int)p->nin : 0;
}
int por_program_outputs(const por_program *p)
{
	return p ? (int)p->nout : 0;
}

static int port_type(const Port *t, int *rank)
{
	if (rank) *rank = t ? t->rank : -1;
	return t ? t->dtype : POR_NO_DTYPE;
}
int por_program_input_type(const por_program *p, int i, int *rank)
{
	return port_type(i >= 0 && i < por_program_inputs(p) ? &p->in[i] : NULL, rank);
}
int por_program_output_type(const por_program *p, int i, int *rank)
{
	return port_type(i >= 0 && i < por_program_outputs(p) ? &p->out[i] : NULL, rank);
}

const char *por_program_input(const por_program *p, int i)
{
	return i >= 0 && i < por_program_inputs(p) ? p->in[i].text : "";
}

const char *por_program_output(const por_program *p, int i)
{
	return i >= 0 && i < por_program_outputs(p) ? p->out[i].text : "";
}

const por_error *por_program_error(const por_program *p)
{
	static const por_error none = {.code = POR_ERR_VALUE, .text = "there is no program"};
	return p ? &p->error : &none;
}
