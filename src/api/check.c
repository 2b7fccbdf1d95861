/* check.c - one call in every tier, compared to the bit. */
#define POR_NO_LINES
#include "compiled.h"

typedef struct CheckSide {
	const char *name;
	int tier;
	const char *target;
} CheckSide;

static const CheckSide sides[] = {
	{"reference", POR_TIER_REFERENCE, NULL},
	{"interpreted", POR_TIER_INTERPRET, NULL},
	{"native, baseline", POR_TIER_NATIVE, "baseline"},
	{"native, avx2", POR_TIER_NATIVE, "avx2"},
	{"native, avx512", POR_TIER_NATIVE, "avx512"},
};

typedef struct CheckedRun {
	por_program *program;
	por_frame *frame;
} CheckedRun;

static void run_free(CheckedRun *r)
{
	por_frame_free(r->frame);
	por_program_free(r->program);
	*r = (CheckedRun){0};
}

/* All NaNs are one value. */
static bool equal_element(const char *a, const char *b, int d, size_t bytes)
{
	if (!memcmp(a, b, bytes)) return true;
	if (d == POR_F32 || d == POR_C64)
		for (size_t i = 0; i < bytes; i += 4) {
			float x, y;
			memcpy(&x, a + i, 4);
			memcpy(&y, b + i, 4);
			if (memcmp(a + i, b + i, 4) && !(x != x && y != y)) return false;
		}
	else if (d == POR_F64 || d == POR_C128)
		for (size_t i = 0; i < bytes; i += 8) {
			double x, y;
			memcpy(&x, a + i, 8);
			memcpy(&y, b + i, 8);
			if (memcmp(a + i, b + i, 8) && !(x != x && y != y)) return false;
		}
	else
		return false;
	return true;
}

/* The first element that differs: -1: none; -2: the shapes do. */
static int64_t first_difference(const por_array *a, const por_array *b)
{
	int d = a ? por_array_dtype(a) : 0;
	if (!a || !b || d != por_array_dtype(b) || a->ndim != b->ndim ||
		(a->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape)))
		return -2;
	size_t bytes = por_dtype_bytes(d);
	int64_t n = por_array_count(a);
	for (int64_t i = 0; i < n; i++)
		if (!equal_element((const char *)a->data + (size_t)i * bytes,
			    (const char *)b->data + (size_t)i * bytes, d, bytes))
			return i;
	return -1;
}

static bool compare(Text *t, const CheckSide *s, const CheckedRun *want, const CheckedRun *have)
{
	bool good = true;
	for (int k = 0; k < por_program_outputs(want->program); k++) {
		int64_t at =
			first_difference(por_frame_result(want->frame, k), por_frame_result(have->frame, k));
		if (at == -1) continue;
		good = false;
		if (at == -2)
			text_printf(t, "%s: result %d has another shape\n", s->name, k + 1);
		else
			text_printf(t, "%s: result %d differs first at element %lld\n", s->name, k + 1,
				(long long)at);
	}
	if (good) text_printf(t, "%s: the same bits\n", s->name);
	return good;
}

/* A function and what it is called with; what is said of the sides. */
typedef struct Checked {
	por_function *f;
	const por_options *options;
	int nin;
	const por_array *in;
	Text *t;
} Checked;

static int check_side(const Checked *c, const CheckSide *s, CheckedRun *first)
{
	Text *t = c->t;
	por_options o = {0};
	options_copy(&o, sizeof o, c->options, c->options ? c->options->size : 0);
	o.size = sizeof o;
	o.tier = s->tier;
	o.target = s->target;
	CheckedRun own = {.program = por_compile_function(c->f, &o)}, *r = first->program ? &own : first;
	if (!own.program) {
		text_printf(t, "%s: %s\n", s->name, por_graph_error(c->f->graph)->text);
		return code_of(c->f->graph);
	}
	if (r == first) *first = own;
	r->frame = por_frame_new(r->program);
	int code = r->frame ? por_call(r->program, r->frame, c->nin, c->in, 0, NULL) : POR_ERR_MEMORY;
	if (code)
		text_printf(t, "%s: %s\n", s->name, por_frame_error(r->frame)->text);
	else if (r == first)
		text_printf(t, "%s: called\n", s->name);
	else if (!compare(t, s, first, r))
		code = POR_ERR_INTERNAL;
	if (r != first) run_free(r);
	return code;
}

static int check_sides(
	Text *t, por_function *f, const por_options *o, const char *compiler, int nin, const por_array *in)
{
	const Checked c = {.f = f, .options = o, .nin = nin, .in = in, .t = t};
	CheckedRun first = {0};
	int code = POR_OK;
	for (size_t i = 0; i < countof(sides) && (!code || code == POR_ERR_INTERNAL); i++) {
		bool native = sides[i].tier == POR_TIER_NATIVE;
		if (native && (!compiler || !*compiler || (int)i - 2 > cpu_isa())) continue;
		int own = check_side(&c, &sides[i], &first);
		code = code ? code : own;
	}
	run_free(&first);
	return code;
}

int por_check_function(por_function *f, const por_options *o, int nin, const por_array *in, char **report)
{
	if (report) *report = NULL;
	ENTER(alone(f ? f->graph : NULL, "check_function"), f ? code_of(f->graph) : POR_ERR_VALUE);
	char *compiler = por_compiler_path(o && o->size >= sizeof *o ? o->compiler : NULL);
	Text t;
	text_open(&t, graph_->ir->arena);
	int code = check_sides(&t, f, o, compiler, nin, in);
	por_text_free(compiler);
	if (report) *report = graph_text(graph_, text_done(&t));
	LEAVE(code);
}
