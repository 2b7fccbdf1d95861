/* c_doors.c - the functions of a program that are called, and its header. */
#include "writer.h"

static const char *arg_type(Dtype d)
{
	return memory_type(dtype_part(d));
}

/* The input whose value is scalar i, UINT32_MAX: it is computed. */
static uint32_t scalar_input(const Plan *p, uint32_t i)
{
	const Buffer *b = &p->buffer[p->scalar[i].buffer];
	return b->space == SPACE_INPUT ? b->index : UINT32_MAX;
}

/* What a scalar's number among the sizes is called; NULL: it has none. */
static const char *scalar_name(const Writer *w, uint32_t i)
{
	uint32_t in = scalar_input(w->plan, i);
	return in == UINT32_MAX ? w->most[i] : w->arg[in];
}

/* The i-th array that the main function takes: its number among the inputs, or among the outputs behind them.
 * Who calls it by hand finds the fields of a record as they were written. */
static uint32_t array_at(const Writer *w, uint32_t i)
{
	const Plan *p = w->plan;
	if (w->isa >= 0 || !p->declared) return i;
	return i < p->nin ? p->declared[i] : p->nin + p->declared[i];
}

static const struct PlanArg *plan_array(const Plan *p, uint32_t number)
{
	return number < p->nin ? &p->in[number] : &p->out[number - p->nin];
}

static void print_need_signature(Writer *w, Text *t, const char *end)
{
	const Plan *p = w->plan;
	const char *const *size = w->arg + p->nin + p->nout, *comma = "";
	text_printf(t, "int64_t %s_workspace(", w->name);
	for (uint32_t i = 0; i < p->nsize; i++, comma = ", ") text_printf(t, "%sint64_t %s", comma, size[i]);
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (scalar_name(w, i)) {
			text_printf(t, "%sint64_t %s", comma, scalar_name(w, i));
			comma = ", ";
		}
	text_printf(t, "%s)%s", *comma ? "" : "void", end);
}

static void print_main_signature(Writer *w, Text *t, const char *end)
{
	const Plan *p = w->plan;
	const char *const *size = w->arg + p->nin + p->nout;
	text_printf(t, "int %s(", w->name);
	for (uint32_t i = 0; i < p->nsize; i++) text_printf(t, "int64_t %s, ", size[i]);
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (w->most[i]) text_printf(t, "int64_t %s, ", w->most[i]);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) {
		uint32_t k = array_at(w, i);
		text_printf(t, "%s%s *%s, ", k < p->nin ? "const " : "", arg_type((Dtype)plan_array(p, k)->dtype),
			w->arg[k]);
	}
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (w->computed[i]) text_printf(t, "int64_t *%s, ", w->computed[i]);
	text_printf(t, "void *workspace)%s", end);
}

/* size_[]: the sizes, then a number for each scalar: its value, or its most. */
static void say_sizes(Writer *w, const char *value)
{
	const Plan *p = w->plan;
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < p->nsize; i++) text_printf(&t, "%s, ", w->arg[p->nin + p->nout + i]);
	for (uint32_t i = 0; i < p->nscalar; i++) {
		const char *name = scalar_name(w, i);
		text_printf(&t, "%s%s, ", name && !w->most[i] ? value : "", name ? name : "0");
	}
	say(w, "const int64_t size_[] = { %s0 };", text_done(&t));
}

static void say_arrays(Writer *w)
{
	const Plan *p = w->plan;
	Text t;
	text_open(&t, w->arena);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) text_printf(&t, "(void *)%s, ", w->arg[i]);
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (w->computed[i]) text_printf(&t, "%s, ", w->computed[i]);
	say(w, "void *const arg_[] = { %s0 };", text_done(&t));
}

/* Dims in dims_, places in at_; without them `bad`. */
static void say_layout(Writer *w, const char *good, const char *bad)
{
	const Plan *p = w->plan;
	say(w, "int64_t dims_[%u], at_[%u];", p->ndim + 1, w->nplace + 1);
	say(w, "if (%s_sizes(size_, dims_)) return %s;", w->name, bad);
	if (p->nphase > 1) {
		say(w, "int64_t most_[%u];", p->ndim + 1);
		say(w, "if (%s_bounds(size_, most_)) return %s;", w->name, bad);
	}
	say(w, "%s%s_layout(%s, at_)%s;", good, w->name, p->nphase > 1 ? "most_" : "dims_",
		*bad == '1' ? " < 0) return 1" : "");
}

void write_doors(Writer *w)
{
	uint32_t n = w->plan->nloop;
	text_char(&w->t, '\n');
	print_need_signature(w, &w->t, "\n{\n");
	w->depth = 1;
	say_sizes(w, "");
	say_layout(w, "return ", "-1");
	say_close(w);
	text_char(&w->t, '\n');
	print_main_signature(w, &w->t, "\n{\n");
	w->depth = 1;
	say_sizes(w, "*");
	say_arrays(w);
	say_layout(w, "if (", "1");
	say(w, "char *const w_ = (char *)(((__UINTPTR_TYPE__)workspace + 63) & -(__UINTPTR_TYPE__)64);");
	say(w, "struct %s_run run_ = { %ssize_, dims_, at_, arg_, w_%s };", w->name,
		w->isa < 0 ? arena_printf(w->arena, "&%s_code_0, ", w->name) : "", n ? ", { 0 }, { 0 }" : "");
	if (w->isa < 0)
		text_printf(&w->t,
			"#if defined(__x86_64__)\n\tif (isa() == 2) run_.code = &%s_code_2;\n"
			"\tif (isa() == 1) run_.code = &%s_code_1;\n#endif\n",
			w->name, w->name);
	say(w, "return %s_run%s(&run_);", w->name, w->suffix);
	say_close(w);
}

/* ---- the header ---------------------------------------------------------------------------- */

/* A size by the names that the functions' parameters have; tight: within a product. */
static void print_dim(Writer *w, Text *t, uint32_t i, bool tight)
{
	static const char *const op[] = {
		[DIM_ADD] = " + ", [DIM_MUL] = "*", [DIM_FLOORDIV] = "//", [DIM_MOD] = " % "};
	const Plan *p = w->plan;
	const Dim *d = &p->dim[i];
	bool named = d->kind == DIM_MIN || d->kind == DIM_MAX;
	switch (d->kind) {
	case DIM_CONST: text_printf(t, "%lld", (long long)d->value); return;
	case DIM_SIZE: text_add(t, w->arg[p->nin + p->nout + d->a]); return;
	case DIM_SCALAR: text_add(t, w->computed[d->a] ? w->computed[d->a] : scalar_name(w, d->a)); return;
	default: break;
	}
	if (named)
		text_add(t, d->kind == DIM_MIN ? "min(" : "max(");
	else if (tight)
		text_add(t, "(");
	print_dim(w, t, d->a, !named && d->kind != DIM_ADD);
	text_add(t, named ? ", " : op[d->kind]);
	print_dim(w, t, d->b, !named && d->kind != DIM_ADD);
	text_add(t, named || tight ? ")" : "");
}

static void print_shape(Writer *w, Text *t, const struct PlanArg *a)
{
	text_add(t, dtype_name((Dtype)a->dtype));
	for (uint32_t k = 0; k < a->rank; k++) {
		text_add(t, k ? ", " : "[");
		print_dim(w, t, buffer_dims(w->plan, a->buffer)[k], false);
	}
	text_add(t, a->rank ? "]" : "");
}

/* The sizes that are computed, if there are any. */
static void print_computed(Writer *w, Text *t)
{
	const Plan *p = w->plan;
	bool any = false;
	for (uint32_t i = 0; i < p->nscalar; i++) {
		if (!w->most[i]) continue;
		const char *text = comment(w, p->scalar[i].text);
		if (!any)
			text_add(t,
				" * Computed while it runs, and no larger (nor less than minus that) than what"
				" the caller says; results\n * of such sizes have room for the largest:\n");
		any = true;
		if (w->computed[i])
			text_printf(t, " *     %s: at most %s; *%s gets it, unless that is NULL\n", text,
				w->most[i], w->computed[i]);
		else
			text_printf(t, " *     %s, in each pass of a loop: at most %s\n", text, w->most[i]);
	}
}

void write_header(Writer *w, Text *t)
{
	const Plan *p = w->plan;
	text_printf(t,
		"/* %s.h - made by Porism: do not edit.\n *\n * Arrays are compact and in row order; outputs overlap nothing.\n",
		w->name);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) {
		uint32_t k = array_at(w, i);
		const struct PlanArg *a = plan_array(p, k);
		const char *path = a->name ? comment(w, a->name) : "";
		bool in = k < p->nin;
		text_printf(t, " *     %s: ", w->arg[k]);
		print_shape(w, t, a);
		if (!in || strcmp(path, w->arg[k])) /* what it is called in the program */
			text_printf(t, "  (%s%s%s)", in ? "" : "result", in || !*path ? "" : " ", path);
		text_char(t, '\n');
	}
	print_computed(w, t);
	text_printf(t,
		" * %s gives 0; 1: the sizes do not fit; 2: an index is outside its axis; 3: an operator of the user's failed%s.\n"
		" * workspace: %s_workspace bytes, each call's own; -1: the sizes do not fit.\n */\n",
		w->name, w->effects ? ";\n * 4: what is asserted or checked does not hold, as standard error says" : "",
		w->name);
	text_printf(t,
		"#ifndef %s_h\n#define %s_h\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
		w->name, w->name);
	print_need_signature(w, t, ";\n");
	print_main_signature(w, t, ";\n");
	text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
