/* c_program.c - a whole program as one C file.
 *
 *     types, scalar functions, constants, sizes, the workspace, what steps share
 *     for each instruction set: helpers, kernels, cores, the steps by parts
 *     which instruction set the machine has; NAME_workspace, NAME
 */
#include "writer.h"

#include <stdio.h>

void say(Writer *w, const char *format, ...)
{
	va_list args;
	for (int i = 0; i < w->depth; i++) text_char(&w->t, '\t');
	if (w->lead) text_add(&w->t, w->lead);
	w->lead = NULL;
	va_start(args, format);
	text_vprintf(&w->t, format, args);
	va_end(args);
	text_char(&w->t, '\n');
}

void say_open(Writer *w, const char *format, ...)
{
	va_list args;
	for (int i = 0; i < w->depth; i++) text_char(&w->t, '\t');
	va_start(args, format);
	text_vprintf(&w->t, format, args);
	va_end(args);
	text_add(&w->t, *format && strcmp(format, "%s") ? " {\n" : "{\n");
	w->depth++;
}

void say_close(Writer *w)
{
	w->depth--;
	say(w, "}");
}

/* ---- what the plan uses ----------------------------------------------------------------------- */

static void use(Writer *w, uint32_t b)
{
	for (w->used[b] = true; w->plan->buffer[b].space == SPACE_ALIAS; w->used[b] = true)
		b = w->plan->buffer[b].of;
}

static bool is_identifier(const char *s)
{
	if (*s >= '0' && *s <= '9') return false;
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
			    *s == '_'))
			return false;
	return true;
}

/* An operator of the user's comes with its C, once. */
static bool use_custom(Writer *w, const Step *s, Error *error)
{
	const Custom *c = s->call->custom;
	const char *lack = NULL;
	if (!c->c_text)
		lack = "has no C text";
	else if (!is_identifier(c->name) || prelude_defines(c->name))
		lack = "has a name that C does not take";
	else if (!strcmp(c->name, w->name))
		lack = "has the program's name";
	for (uint32_t i = 0; i < w->ncustom && !lack; i++)
		if (!strcmp(w->custom[i]->name, c->name)) return true;
	if (lack) {
		fail(error, ERR_UNSUPPORTED, (Where){s->call->file, s->line, 0},
			"the program cannot be written as C: the custom operator %s %s", c->name, lack);
		return false;
	}
	w->custom[w->ncustom++] = c;
	return true;
}

/* Their texts as they were given; steps call them by names that nothing local hides. */
static void print_customs(const Writer *w, Text *t)
{
	for (uint32_t i = 0; i < w->ncustom; i++)
		text_printf(t,
			"\n/* ---- %s: as it was given ---- */\n%s\n"
			"static int custom_%s(void *const *arrays_, const int64_t *sizes_)\n"
			"{\n\treturn %s(arrays_, sizes_);\n}\n\n",
			w->custom[i]->name, w->custom[i]->c_text, w->custom[i]->name, w->custom[i]->name);
}

static bool use_steps(Writer *w, const Step *s, Error *error)
{
	for (; s; s = s->next) {
		for (uint32_t i = 0; i < s->call->nbuffer; i++) use(w, s->buffer[i]);
		bool own = s->kind == STEP_CORE && s->call->core == CORE_CUSTOM;
		if (own && !use_custom(w, s, error)) return false;
		if (s->kind == STEP_CORE && s->call->core == CORE_EFFECT) use_effect(w, s);
		if (core_has_items(s)) {
			w->wants.cores |= 1u << s->call->core;
			w->wants.dtypes |= 1u << s->call->dtype;
		}
		if (s->kind != STEP_LOOP) continue;
		if (s->condition) use(w, s->condition - 1);
		if (s->index != UINT32_MAX) use(w, s->index);
		for (uint32_t c = 0; c < s->ncarry; c++) {
			use(w, s->carry[c].first);
			use(w, s->carry[c].now);
			use(w, s->carry[c].next);
		}
		if (!use_steps(w, s->body, error)) return false;
	}
	return true;
}

/* Which loop exchanges which buffers. */
static void find_carries(Writer *w, const Step *s)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) continue;
		for (uint32_t c = 0; c < s->ncarry; c++) {
			uint32_t now = s->carry[c].now, next = s->carry[c].next;
			if (now == next) continue;
			w->carrier[now] = w->carrier[next] = s->loop + 1;
			w->partner[now] = next;
			w->partner[next] = now;
		}
		find_carries(w, s->body);
	}
}

/* ---- instruction sets ------------------------------------------------------------------------------ */

static const char *const region[3] = {
	"\n/* ---- any machine ---- */\n",
	"\n/* ---- AVX2 and FMA ---- */\n"
	"#ifdef __clang__\n"
	"#pragma clang attribute push(__attribute__((target(\"avx2,fma\"))), apply_to = function)\n"
	"#else\n#pragma GCC push_options\n#pragma GCC target(\"avx2,fma\")\n#endif\n",
	"\n/* ---- AVX-512 ---- */\n"
	"#ifdef __clang__\n"
	"#pragma clang attribute push(__attribute__((target(\"avx2,fma,avx512f,avx512dq,avx512bw,avx512vl\"))), apply_to = function)\n"
	"#else\n#pragma GCC push_options\n"
	"#pragma GCC target(\"avx2,fma,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512\")\n#endif\n",
};
static const char *const region_end[3] = {
	"",
	"#ifdef __clang__\n#pragma clang attribute pop\n#else\n#pragma GCC pop_options\n#endif\n",
	"#ifdef __clang__\n#pragma clang attribute pop\n#else\n#pragma GCC pop_options\n#endif\n",
};

static const char find_isa[] =
	"\n/* The best instruction set of the machine: 0, 1 or 2; -DISA_MOST=0 or 1 for less. */\n"
	"#ifndef ISA_MOST\n#define ISA_MOST 2\n#endif\n"
	"#if defined(__x86_64__)\n"
	"static void cpuid(uint32_t leaf, uint32_t r[4])\n"
	"{\n\t__asm__ volatile(\"cpuid\" : \"=a\"(r[0]), \"=b\"(r[1]), \"=c\"(r[2]), \"=d\"(r[3]) : \"0\"(leaf), \"2\"(0));\n}\n"
	"static int find_isa(void)\n"
	"{\n"
	"\tuint32_t one[4], seven[4], kept, upper;\n"
	"\tcpuid(0, one);\n"
	"\tif (one[0] < 7) return 0;\n"
	"\tcpuid(1, one);\n"
	"\tcpuid(7, seven);\n"
	"\tif ((one[2] & 0x18001000) != 0x18001000 || !(seven[1] & 0x20)) return 0;\n"
	"\t__asm__ volatile(\"xgetbv\" : \"=a\"(kept), \"=d\"(upper) : \"c\"(0));\n"
	"\tif ((kept & 6) != 6) return 0;\n"
	"\treturn (seven[1] & 0xc0030000) == 0xc0030000 && (kept & 0xe6) == 0xe6 ? 2 : 1;\n"
	"}\n"
	"static int isa(void)\n"
	"{\n"
	"\tstatic int found;\n"
	"\tint i = __atomic_load_n(&found, __ATOMIC_RELAXED);\n"
	"\tif (!i) {\n\t\ti = find_isa() + 1;\n\t\t__atomic_store_n(&found, i, __ATOMIC_RELAXED);\n\t}\n"
	"\treturn i - 1 < ISA_MOST ? i - 1 : ISA_MOST;\n"
	"}\n"
	"#endif\n";

const char *isa_region(int isa)
{
	return region[isa];
}

const char *isa_region_end(int isa)
{
	return region_end[isa];
}

/* Kernels and cores of this instruction set, as its steps call them. */
static void write_code(Writer *w, const char *suffix)
{
	uint32_t n = w->plan->nkernel;
	say_open(w, "static const struct %s_code %s_code%s =", w->name, w->name, suffix);
	if (n) {
		Text t;
		text_open(&t, w->arena);
		for (uint32_t i = 0; i < n; i++) text_printf(&t, "k%u%s, ", i, suffix);
		say(w, ".k = { %s},", text_done(&t));
	}
	if (w->wants.cores) say(w, ".core = core%s_run_here,", suffix + 1);
	w->depth--;
	say(w, "};");
}

/* Kernels and cores for one instruction set, and the steps where it is the only one; marks the scalar
 * functions used. */
static bool write_region(Writer *w, Unit *u, int isa)
{
	const Plan *p = w->plan;
	Text kernels;
	text_open(&kernels, w->arena);
	for (uint32_t i = 0; i < p->nkernel && !u->failed; i++)
		print_kernel(u, &w->form[i], arena_printf(w->arena, "k%u%s", i, u->suffix), &kernels);
	if (u->failed) return false;
	text_add(&w->t, isa_region(isa));
	print_helpers(u, &w->t);
	if (kernels.n) text_add_n(&w->t, kernels.s, kernels.n);
	if (w->wants.cores) print_cores(w->arena, &w->t, u->suffix, isa, &w->wants);
	w->suffix = u->suffix;
	if (w->isa < 0)
		write_code(w, u->suffix);
	else
		write_steps(w);
	text_add(&w->t, isa_region_end(isa));
	return true;
}

/* ---- the file --------------------------------------------------------------------------------------- */

static const char head[] =
	"#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
	"#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
	"#if defined(__FAST_MATH__) || defined(__NO_SIGNED_ZEROS__) || defined(__ASSOCIATIVE_MATH__) || \\\n"
	"\tdefined(__RECIPROCAL_MATH__) || __FINITE_MATH_ONLY__ + 0\n"
	"#error \"compile this file without -ffast-math, -Ofast and their kin: its results would be others\"\n#endif\n"
	"#if __FLT_EVAL_METHOD__ + 0 != 0 && __FLT_EVAL_METHOD__ + 0 != 16\n"
	"#error \"float and double must be computed as such: on x86 compile this file with -mfpmath=sse -msse2\"\n#endif\n"
	"#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n"
	"#elif defined(__GNUC__)\n"
	"#pragma GCC optimize(\"O3\", \"fp-contract=off\", \"no-math-errno\", \"no-trapping-math\", "
	"\"no-aggressive-loop-optimizations\")\n#endif\n";

void print_head(Text *t)
{
	text_add(t, head);
}

static void merge(Unit *all, const Unit *u)
{
	for (uint32_t i = 0; embedded_math[i].name; i++) all->need[i] |= u->need[i];
}

static bool write_program(Writer *w, Unit *all, Text *code, Error *error)
{
	static const char *const suffix[3] = {"_0", "_1", "_2"};
	if (w->wants.cores) {
#define CASTS(D, d, ...)                                                                                     \
	if (w->wants.dtypes >> DT_##D & 1) {                                                                 \
		unit_math(all, "cast" #d "_f32");                                                            \
		unit_math(all, "cast_f32" #d);                                                               \
	}
		NARROW_DTYPES(CASTS)
	}
	int first = w->isa < 0 ? 0 : w->isa, last = w->isa < 0 ? 2 : w->isa;
	for (int isa = first; isa <= last; isa++) {
		Unit u = unit_open(w->arena, suffix[isa], error);
		if (isa == 1 || isa == first) text_add(&w->t, isa ? "#if defined(__x86_64__)\n" : "");
		if (!write_region(w, &u, isa)) return false;
		if (isa == last) text_add(&w->t, isa ? "#endif\n" : "");
		merge(all, &u);
	}
	if (w->isa < 0) {
		w->suffix = "";
		write_steps(w);
		text_add(&w->t, find_isa);
	}
	write_doors(w);
	Text regions = w->t;
	text_printf(code,
		"/* %s.c - made by Porism: do not edit.  It needs no header and no library but libm's fma on machines"
		" without one%s. */\n",
		w->name, w->effects ? ", and libc's write, snprintf and strtod for its effects" : "");
	print_head(code);
	print_prelude(code);
	print_customs(w, code);
	const char *effects = effects_text(w, all);
	print_math(all, code);
	text_add(code, effects);
	text_open(&w->t, w->arena);
	w->depth = 0;
	if (w->wants.cores) print_items(&w->t);
	write_constants(w);
	write_sizes(w);
	write_bounds(w);
	write_kernel_needs(w);
	write_layout(w);
	write_run(w);
	text_add_n(code, w->t.s, w->t.n);
	text_add_n(code, regions.s, regions.n);
	return true;
}

/* isa: the one to print; -1: all. */
static bool print_program(Text *code, Text *header, const Plan *p, const char *name, int isa, Error *error)
{
	Arena *a = arena_child(code->arena);
	Writer w = {.arena = a,
		.isa = isa,
		.plan = p,
		.used = NEW_ARRAY(a, bool, p->nbuffer + 1),
		.form = NEW_ARRAY(a, Form, p->nkernel + 1),
		.carrier = NEW_ARRAY(a, uint32_t, p->nbuffer + 1),
		.partner = NEW_ARRAY(a, uint32_t, p->nbuffer + 1),
		.mark = NEW_ARRAY(a, uint32_t, p->nbuffer + 1),
		.weight = NEW_ARRAY(a, uint32_t, p->nstep + 1),
		.custom = NEW_ARRAY(a, const Custom *, p->nstep + 1)};
	Unit all = unit_open(a, "", error);
	bool good = true;
	w.name = program_name(&w, name);
	find_args(&w);
	for (uint32_t i = 0; i < p->nout; i++) use(&w, p->out[i].buffer);
	for (uint32_t i = 0; i < p->nkernel && good; i++)
		if (!form_open(a, p->kernel[i], &w.form[i])) {
			good = false;
			fail(error, ERR_INTERNAL, (Where){0},
				"kernel %u cannot be printed: its stages do not fit together", i);
		}
	text_open(&w.t, a);
	good = good && use_steps(&w, p->first, error);
	if (good) {
		find_carries(&w, p->first);
		find_places(&w);
		w.same = same_runs(a, p);
		find_moved(&w);
		weigh_steps(&w);
		good = write_program(&w, &all, code, error);
	}
	if (good && header) write_header(&w, header);
	arena_free(a);
	return good;
}

bool emit_program(Text *code, Text *header, const Plan *p, const char *name, Error *error)
{
	return print_program(code, header, p, name, -1, error);
}

bool emit_program_for(Text *code, const Plan *p, const char *name, int isa, Error *error)
{
	return print_program(code, NULL, p, name, isa, error);
}
