/* tiers.c - a program's plan in its tiers: interpreted, native, in the background; what is asked of it. */
#define POR_NO_LINES
#include "compiled.h"
#include "../math/math.h"
#include "../standalone/standalone.h"

#include <ctype.h>
#include <stdio.h>
#include <time.h>

_Static_assert(sizeof(por_array) == sizeof(Array), "por_array is an Array");

/* ---- options --------------------------------------------------------------------------------- */

static void tell(void *context, const char *line)
{
	context_log(context, line);
}

static RunOptions run_options(const por_program *p, const por_options *o)
{
	static const Tier tiers[] = {[POR_TIER_BACKGROUND] = TIER_BACKGROUND,
		[POR_TIER_INTERPRET] = TIER_INTERPRET,
		[POR_TIER_NATIVE] = TIER_NATIVE,
		[POR_TIER_CACHED] = TIER_CACHED};
	RunOptions r = {.tier = o->tier == POR_TIER_REFERENCE ? TIER_INTERPRET : tiers[o->tier],
		.threads = o->threads,
		.compiler = o->compiler,
		.time_limit = (int)o->compile_seconds,
		.allocator = &p->context->allocator,
		.alternate = (uint32_t)(o->alternate > 0 ? o->alternate : 0),
		.profile = o->profile != 0,
		.memory_cap = o->memory_cap,
		.call_seconds = o->call_seconds,
		.cancel = &p->context->cancelled,
		.parallel_for = o->parallel_for,
		.parallel_user = o->parallel_user,
		.sink = p->sink,
		.log = tell,
		.log_user = p->context};
	if (!o->target)
		r.isa = 0;
	else if (!strcmp(o->target, "baseline"))
		r.isa = 1;
	else if (!strcmp(o->target, "avx2"))
		r.isa = 2;
	else
		r.isa = 3;
	/* what is no folder gives way to a temporary one, which goes with the program */
	r.cache = o->cache && !*o->cache ? "/dev/null" : o->cache;
	return r;
}

static bool begins(void *program, const char *stage, double done)
{
	const Compiling *c = &((const por_program *)program)->compiling;
	const por_options *o = c->options;
	if (!o->progress || !o->progress(o->progress_user, stage, done)) return true;
	return graph_fail(c->graph->ir, ERR_CANCELLED, "compile: cancelled before %s", stage);
}

/* Sizes by name, then the arguments whose values are sizes and the most of what is computed, as it is met. */
static void name_sizes(por_program *p, const Plan *plan)
{
	p->size = NEW_ARRAY(p->arena, const char *, plan->nsize + plan->nscalar + 1);
	for (uint32_t i = 0; i < plan->nsize; i++)
		p->size[p->nsize++] =
			plan->size_name && plan->size_name[i] ? arena_text(p->arena, plan->size_name[i]) : "";
	for (uint32_t i = 0; i < plan->nscalar; i++) {
		const Buffer *b = &plan->buffer[plan->scalar[i].buffer];
		if (b->space == SPACE_INPUT) p->size[p->nsize++] = p->in[b->index].path;
		if (scalar_is_asked(plan, i))
			p->size[p->nsize++] = arena_text(p->arena, plan->scalar[i].text);
	}
}

/* The lines that declared inputs or outputs; those of one file have its name once. */
static void name_lines(Arena *a, uint32_t n, const Port *port, struct PlanArg *arg)
{
	for (uint32_t i = 0; i < n; i++) {
		bool same = i && port[i].file == port[i - 1].file;
		arg[i].file = same ? arg[i - 1].file : arena_text(a, port[i].file);
		arg[i].line = port[i].line;
	}
}

/* Results by their paths, for messages and exports, all by the lines that declared them, and their order. */
static void name_ports(const por_program *p, Plan *plan)
{
	name_lines(plan->arena, plan->nin, p->in, plan->in);
	name_lines(plan->arena, plan->nout, p->out, plan->out);
	for (uint32_t i = 0; i < plan->nout; i++)
		if (*p->out[i].path) plan->out[i].name = arena_text(plan->arena, p->out[i].path);
	plan->declared = NEW_ARRAY(plan->arena, uint32_t, plan->nin + plan->nout + 1);
	memcpy(plan->declared, p->declared, (plan->nin + plan->nout) * sizeof *plan->declared);
}

static void planned(void *program, Plan *plan)
{
	name_sizes(program, plan);
	name_ports(program, plan);
}

void compiled_asks(por_program *p, Pipeline *line, const por_options *o)
{
	p->options = run_options(p, o);
	p->options.compiler = arena_text(p->arena, p->options.compiler);
	p->options.cache = arena_text(p->arena, p->options.cache);
	line->until = "code";
	line->run = &p->options;
	line->begins = begins;
	line->planned = planned;
	line->user = p;
}

void compiled_unplan(por_program *p)
{
	entry_close(&p->entry);
	program_free(p->run);
}

/* ---- asking ------------------------------------------------------------------------------------- */

static void lock(por_program *p)
{
	while (__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock(por_program *p)
{
	__atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
}

void compiled_set_error(por_program *p, const por_error *e)
{
	lock(p);
	p->error = *e;
	unlock(p);
}

void compiled_fail(por_program *p, int code, const char *format, ...)
{
	por_error e = {0};
	va_list args;
	va_start(args, format);
	fail_list((Error *)&e, code, (Where){0}, format, args);
	va_end(args);
	compiled_set_error(p, &e);
}

static bool is_native(por_program *p, TierState *s)
{
	program_state(p->run, s);
	return s->native == s->kernels;
}

int por_program_tier(por_program *p)
{
	TierState s;
	if (!p) return -1;
	if (!p->run) return POR_TIER_REFERENCE;
	if (is_native(p, &s)) return POR_TIER_NATIVE;
	return POR_TIER_INTERPRET;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int por_wait(por_program *p, double seconds)
{
	if (!p) return POR_ERR_VALUE;
	if (!p->run) {
		compiled_fail(p, POR_ERR_VALUE, "wait: a program of the reference tier never becomes native");
		return POR_ERR_VALUE;
	}
	TierState s;
	const int *cancel = &p->context->cancelled;
	program_hurry(p->run);
	for (double end = now() + seconds; !is_native(p, &s) && s.busy && (seconds < 0 || now() < end);) {
		if (__atomic_load_n(cancel, __ATOMIC_RELAXED)) {
			compiled_fail(p, POR_ERR_CANCELLED, "wait: cancelled");
			return POR_ERR_CANCELLED;
		}
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	if (is_native(p, &s)) return POR_OK;
	compiled_fail(p, POR_ERR_COMPILER, "%s", s.text);
	return POR_ERR_COMPILER;
}

/* ---- the bare function ----------------------------------------------------------------------------- */

static bool open_entry(por_program *p)
{
	Error e = {0};
	bool never = !p->run || p->tier == POR_TIER_INTERPRET;
	if (never)
		fail(&e, ERR_UNSUPPORTED, (Where){0},
			"program_entry: a program of this tier has no native function");
	pthread_mutex_lock(&p->entry_lock);
	bool good = !never && (p->entry.code || entry_open(&p->entry, program_plan(p->run), &p->options, &e));
	pthread_mutex_unlock(&p->entry_lock);
	if (!good) compiled_set_error(p, (const por_error *)&e);
	return good;
}

por_entry por_program_entry(por_program *p)
{
	return p && open_entry(p) ? p->entry.call : NULL;
}

int64_t por_program_workspace(por_program *p, const int64_t *sizes)
{
	if (!p || (p->nsize && !sizes) || !open_entry(p)) return -1;
	return p->entry.workspace(sizes);
}

int por_program_sizes(const por_program *p)
{
	return p ? (int)p->nsize : 0;
}

const char *por_program_size(const por_program *p, int i)
{
	return i >= 0 && i < por_program_sizes(p) ? p->size[i] : "";
}

/* ---- explaining a plan ------------------------------------------------------------------------------ */

static bool plan_text(Text *t, por_program *p, const void *of)
{
	const char *what = of;
	const Plan *plan = program_plan(p->run);
	TierState s;
	if (!strncmp(what, "stage:", 6)) return stage_print(t, what + 6, plan);
	if (!strcmp(what, "c")) return stage_print(t, "code", plan);
	if (!strcmp(what, "memory")) {
		memory_text(t, plan);
	} else if (!strcmp(what, "arrays.json")) {
		arrays_json(t, p->run);
	} else if (!strcmp(what, "summary")) {
		summary_text(t, p->run);
	} else if (!strcmp(what, "profile")) {
		profile_text(t, p->run);
	} else if (!strcmp(what, "profile.json")) {
		profile_json(t, p->run);
	} else if (!strcmp(what, "log")) {
		program_state(p->run, &s);
		text_printf(t, "%u kernels, %u native, %u failed%s%s%s\n", s.kernels, s.native, s.failed,
			s.busy ? ", compiling" : "", *s.text ? ": " : "", s.text);
	} else {
		return stage_print(t, what, plan);
	}
	return true;
}

char *compiled_text(por_program *p, const char *s)
{
	char *out = text_give(p->context, s);
	if (!out) compiled_fail(p, POR_ERR_MEMORY, "out of memory");
	return out;
}

char *compiled_written(por_program *p, WriteText write, const void *of, bool *known)
{
	Arena *a = arena_new(&p->context->allocator);
	Trap trap;
	if (!a || TRAP(&trap)) {
		arena_free(a);
		*known = true;
		compiled_fail(p, POR_ERR_MEMORY, "out of memory");
		return NULL;
	}
	arena_arm(a, &trap);
	Text t;
	text_open(&t, a);
	*known = write(&t, p, of);
	char *out = *known ? compiled_text(p, text_done(&t)) : NULL;
	arena_free(a);
	return out;
}

char *explain_plan(por_program *p, const char *what, bool *known)
{
	return p->run ? compiled_written(p, plan_text, what, known) : NULL;
}

/* May a function of C be called so?  Letters of any script are those of its implementation. */
static bool is_c_name(const char *name)
{
	static const char *const words[] = {"auto", "break", "case", "char", "const", "continue", "default", "do",
		"double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "main",
		"register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
		"typedef", "union", "unsigned", "void", "volatile", "while"};
	for (size_t i = 0; i < countof(words); i++)
		if (!strcmp(name, words[i])) return false;
	if (!*name || (*name >= '0' && *name <= '9')) return false;
	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		if (*c < 0x80 && *c != '_' && !isalnum(*c)) return false;
	return true;
}

char *por_export_c(por_program *p, const char *name, int header)
{
	if (!p) return NULL;
	if (!name || !is_c_name(name)) {
		compiled_fail(p, POR_ERR_NAME, "export_c: \"%s\" is no name of a function of C", name ? name : "");
		return NULL;
	}
	Arena *a = p->run ? arena_new(&p->context->allocator) : NULL;
	Error e = {0};
	Trap trap;
	if (!a || TRAP(&trap)) {
		arena_free(a);
		compiled_fail(p, p->run ? POR_ERR_MEMORY : POR_ERR_UNSUPPORTED,
			p->run ? "out of memory" : "export_c: a program of the reference tier has no plan");
		return NULL;
	}
	arena_arm(a, &trap);
	Text code, declared;
	text_open(&code, a);
	text_open(&declared, a);
	bool good = emit_program(&code, &declared, program_plan(p->run), name, &e);
	Text *wanted = header ? &declared : &code;
	char *out = good ? compiled_text(p, text_done(wanted)) : NULL;
	if (!good) compiled_set_error(p, (const por_error *)&e);
	arena_free(a);
	return out;
}
