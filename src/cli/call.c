/* call.c - a function with its arguments bound, compiled and called; its results as a value. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A parameter of type key that is not given is key(seed). */
static FileArray seed_key(const Options *o)
{
	int64_t seed = 0;
	FileArray a = {.dtype = "key", .bytes = 16, .data = need(calloc(2, 8))};
	option_number(o, "seed", INT64_MIN, INT64_MAX, &seed);
	memcpy(a.data, &seed, sizeof seed);
	return a;
}

static void bind(CompiledCall *c, int i, FileArray own)
{
	c->own[i] = own;
	c->bound[i] = true;
}

/* What compiled tiers do not have is computed by the reference evaluator where nobody chose a tier. */
static int compile_or_evaluate(CompiledCall *c, Target *t, const por_options *o, bool chosen, bool told)
{
	c->program = por_compile_function(c->function, o);
	if (!c->program && por_graph_error(t->graph)->code == POR_ERR_UNSUPPORTED && !chosen) {
		por_options slow = *o;
		slow.tier = POR_TIER_REFERENCE;
		if (told)
			fprintf(stderr, "porism: %s: computed as with --tier reference\n",
				por_graph_error(t->graph)->text);
		por_clear_error(t->graph);
		c->program = por_compile_function(c->function, &slow);
	}
	if (!c->program) return target_fail(t);
	c->frame = por_frame_new(c->program);
	return c->frame ? EXIT_GOOD : complain_with(t->options, por_program_error(c->program), NULL);
}

static bool bind_all(CompiledCall *d, const CompiledCall *c, int n)
{
	for (int i = 0; i < d->nin; i++) {
		por_leaf wanted, leaf;
		bool found = false;
		wanted = input_of(d->function, i);
		for (int k = 0; k < n && !found; k++) {
			leaf = input_of(c->function, k);
			if ((found = c->bound[k] && !strcmp(leaf.path, wanted.path))) d->in[i] = c->in[k];
		}
		if (!found) return false;
	}
	return true;
}

/* The default of input i as its text says it, over the inputs before it: `fn f(x: f64, y: f64 = 2*x)`. */
static bool call_default(CompiledCall *c, Target *t, int i, const char *text, TextValue *v)
{
	por_given *given = need(calloc((size_t)i + 1, sizeof *given));
	int n = 0;
	for (int k = 0; k < i; k++) {
		por_leaf leaf = input_of(c->function, k);
		if (c->bound[k])
			given[n++] = (por_given){.name = leaf.path, .type = type_of_array(t, &c->own[k])};
	}
	por_function *f = por_function_expression(t->graph, t->module, text, n, given);
	free(given);
	if (!f) {
		por_clear_error(t->graph);
		return false;
	}
	CompiledCall d = {.function = f, .nin = por_function_inputs(f)};
	d.in = need(calloc((size_t)d.nin + 1, sizeof *d.in));
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	bool good = bind_all(&d, c, i) && compile_or_evaluate(&d, t, &o, false, false) == EXIT_GOOD &&
		call_run(&d, t, v) == EXIT_GOOD;
	call_free(&d);
	return good;
}

/* A default that is no constant: the parameter's, where it is one array. */
static void bind_default(CompiledCall *c, Target *t, int i, const por_leaf *leaf)
{
	por_param p;
	TextValue v = {0};
	char why[256];
	const char *dtype = por_dtype_name(por_type_dtype(leaf->type));
	if (!target_parameter(t, t->function, leaf->path, &p) || !*p.fallback || strcmp(p.name, leaf->path))
		return;
	if (call_default(c, t, i, p.fallback, &v) && v.kind == VALUE_ARRAY &&
		array_convert(&v.array, dtype, why, sizeof why)) {
		bind(c, i, v.array);
		v.array = (FileArray){0};
	}
	value_free(&v);
}

int call_bind(CompiledCall *c, Target *t, por_function *f, Arguments *a, bool partly)
{
	*c = (CompiledCall){.function = f, .nin = por_function_inputs(f)};
	size_t n = (size_t)c->nin;
	c->own = need(calloc(n + 1, sizeof *c->own));
	c->in = need(calloc(n + 1, sizeof *c->in));
	c->bound = need(calloc(n + 1, sizeof *c->bound));
	c->given = need(calloc(n + 1, sizeof *c->given));
	GivenLeaves leaves;
	int status = EXIT_GOOD;
	arguments_leaves(a, &leaves);
	for (int i = 0; i < c->nin && status == EXIT_GOOD; i++) {
		por_leaf leaf = input_of(f, i);
		GivenLeaf *from = given_leaf(&leaves, leaf.path);
		bool key = por_type_dtype(leaf.type) == POR_KEY && !por_type_rank(leaf.type);
		if (from) {
			por_array view = array_view(from->array);
			bind(c, i, copy_array(&view));
			c->given[i] = true;
			char why[256];
			const char *dtype = por_dtype_name(por_type_dtype(leaf.type));
			if (!array_convert(&c->own[i], dtype, why, sizeof why))
				status = complain(t->options, EXIT_FAILED, "%s %s", leaf.path, why);
		} else if (leaf.fallback) {
			por_array *fallback = por_node_constant(leaf.fallback);
			if (fallback) bind(c, i, copy_array(fallback));
			por_array_free(fallback);
		} else if (key && !partly)
			bind(c, i, seed_key(t->options));
		else
			bind_default(c, t, i, &leaf);
		if (status == EXIT_GOOD && !c->bound[i] && !partly) {
			char *type = need(por_type_text(leaf.type));
			status = usage(t->options, "%s: %s is not given; add %s=VALUE or %s=@FILE", leaf.path,
				type, leaf.path, leaf.path);
			por_text_free(type);
		}
		if (c->bound[i]) c->in[i] = array_view(&c->own[i]);
	}
	given_leaves_free(&leaves);
	return status;
}

int call_compile(CompiledCall *c, Target *t, const por_options *o)
{
	return compile_or_evaluate(c, t, o, option(t->options, "tier"), true);
}

TextValue value_of_result(const por_function *f, const por_structure *s, por_frame *frame)
{
	TextValue v = {0};
	int n = por_structure_count(s);
	const char *kind = por_structure_kind(s);
	if (!strcmp(kind, "array")) {
		v.array = copy_array(por_frame_result(frame, por_structure_leaf(s)));
		return v;
	}
	bool record = !strcmp(kind, "record");
	v.kind = record ? VALUE_RECORD : VALUE_TUPLE;
	v.n = (size_t)n;
	v.elem = need(calloc(v.n + 1, sizeof *v.elem));
	if (record) v.field = need(calloc(v.n + 1, sizeof *v.field));
	for (int i = 0; i < n; i++) {
		if (record) v.field[i] = text_of("%s", por_structure_field(s, i));
		v.elem[i] = value_of_result(f, por_structure_element(s, i), frame);
	}
	return v;
}

int call_run(CompiledCall *c, Target *t, TextValue *result)
{
	if (por_call(c->program, c->frame, c->nin, c->in, 0, NULL))
		return complain_with(t->options, por_frame_error(c->frame), t->file ? t->source : NULL);
	*result = value_of_result(c->function, por_function_result_structure(c->function), c->frame);
	return EXIT_GOOD;
}

void call_free(CompiledCall *c)
{
	por_frame_free(c->frame);
	por_program_free(c->program);
	for (int i = 0; c->own && i < c->nin; i++) file_array_free(&c->own[i]);
	free(c->own);
	free(c->in);
	free(c->bound);
	free(c->given);
	*c = (CompiledCall){0};
}

int evaluate_text(Target *t, const char *what, const char *text, TextValue *v)
{
	por_function *f = por_function_expression(t->graph, t->module, text, 0, NULL);
	if (what && (!f || por_function_inputs(f)) && !access(text, R_OK)) {
		por_clear_error(t->graph);
		return complain(t->options, EXIT_FAILED, "%s=%s: a file is given as %s=@%s", what, text, what,
			text);
	}
	if (!f) {
		por_error e = *por_graph_error(t->graph);
		if (what && !*e.file) snprintf(e.file, sizeof e.file, "%s", what);
		int status = complain_with(t->options, &e, text);
		por_clear_error(t->graph);
		return status;
	}
	if (por_function_inputs(f)) {
		por_leaf leaf = input_of(f, 0);
		return complain(t->options, EXIT_FAILED, "%s%s%s: %s has no value", what ? what : "",
			what ? "=" : "", text, leaf.path);
	}
	CompiledCall c = {.function = f};
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	int status = compile_or_evaluate(&c, t, &o, false, false);
	if (status == EXIT_GOOD) status = call_run(&c, t, v);
	call_free(&c);
	return status;
}
