/* fit_start.c - where a fit starts: parameters from `start` or from the command line, the optimiser's
 * state. */
#include "fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The value of an input of `start`: a key is root[0], sizes and data come by name. */
static int bind_start(Fit *f, CompiledCall *c)
{
	TextValue key = {0};
	char *text = text_of("key(%" PRId64 ")[0]", f->seed);
	int status = evaluate_text(&f->target, NULL, text, &key);
	free(text);
	for (int i = 0; i < c->nin && status == EXIT_GOOD; i++) {
		por_leaf leaf;
		FitLeaf *found = NULL;
		por_array *fallback = NULL;
		leaf = input_of(c->function, i);
		FileArray *own = &c->own[i];
		if (por_type_dtype(leaf.type) == POR_KEY) {
			por_array view = por_view(key.array.data, POR_KEY, 0, NULL);
			*own = copy_array(&view);
		} else {
			f->data = need(realloc(f->data, (f->ndata + 1) * sizeof *f->data));
			status = fit_find_data(f, &leaf, &found);
			if (found) {
				por_array view = array_view(&found->array);
				*own = copy_array(&view);
			} else if (leaf.fallback && (fallback = por_node_constant(leaf.fallback)))
				*own = copy_array(fallback);
			else if (status == EXIT_GOOD)
				status = usage(f->options, "start needs %s, which is not given", leaf.path);
		}
		por_array_free(fallback);
		if (status == EXIT_GOOD) c->in[i] = array_view(own);
	}
	value_free(&key);
	return status;
}

int fit_call_start(Fit *f)
{
	int count = por_declared_params(f->target.module, f->start), n = (int)f->nsize;
	por_given *given = need(calloc(f->nsize + (size_t)(count > 0 ? count : 0) + 1, sizeof *given));
	for (size_t i = 0; i < f->nsize; i++)
		given[i] = (por_given){
			.name = f->size[i].name, .value = por_integer(f->target.graph, f->size[i].value)};
	for (int i = 0; i < count; i++) { /* (k) => ...: what has neither type nor default is the key */
		por_param p;
		if (!por_declared_param(f->target.module, f->start, i, &p) && !p.bracket && !*p.type &&
			!*p.fallback)
			given[n++] =
				(por_given){.name = p.name, .type = por_type_parse(f->target.graph, "key")};
	}
	por_function *start = por_function_named(f->target.module, f->start, n, given);
	free(given);
	if (!start) return target_fail(&f->target);
	CompiledCall c = {.function = start, .nin = por_function_inputs(start)};
	c.own = need(calloc((size_t)c.nin + 1, sizeof *c.own));
	c.in = need(calloc((size_t)c.nin + 1, sizeof *c.in));
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	int status = bind_start(f, &c);
	if (status == EXIT_GOOD) status = call_compile(&c, &f->target, &o);
	if (status == EXIT_GOOD) status = call_run(&c, &f->target, &f->p);
	if (status == EXIT_GOOD)
		f->p_type = fit_structure_type(f, por_function_result_structure(start), start, true);
	call_free(&c);
	return status;
}

/* A structure like s, its arrays taken from those given by path. */
static int take_given(Fit *f, const por_structure *s, const char *path, GivenLeaves *all, TextValue *v)
{
	const char *kind = por_structure_kind(s);
	int n = por_structure_count(s), status = EXIT_GOOD;
	bool record = !strcmp(kind, "record");
	*v = (TextValue){.kind = record ? VALUE_RECORD : VALUE_TUPLE};
	if (!strcmp(kind, "array")) v->kind = VALUE_ARRAY;
	if (v->kind == VALUE_ARRAY) {
		por_leaf leaf = input_of(f->loss, por_structure_leaf(s));
		GivenLeaf *given = given_leaf(all, path);
		char why[256];
		if (!given) {
			char *type = need(por_type_text(leaf.type));
			status = usage(f->options,
				"%s is not given, and there is no `start`; add '%s=%s(0.0)', sizes as numbers, or to the "
				"file fn start(k: key) = ..., which gives the first values",
				path, path, type);
			por_text_free(type);
			return status;
		}
		if (!array_convert(given->array, por_dtype_name(por_type_dtype(leaf.type)), why, sizeof why))
			return complain(f->options, EXIT_FAILED, "%s %s", path, why);
		por_array view = array_view(given->array);
		v->array = copy_array(&view);
		return fit_learn_sizes(f, path, &v->array, leaf.type);
	}
	v->n = (size_t)n;
	v->elem = need(calloc(v->n + 1, sizeof *v->elem));
	if (record) v->field = need(calloc(v->n + 1, sizeof *v->field));
	for (int i = 0; i < n && status == EXIT_GOOD; i++) {
		char number[16];
		snprintf(number, sizeof number, "%d", i);
		const char *name = record ? por_structure_field(s, i) : number;
		char *inner = text_of("%s.%s", path, name);
		if (record) v->field[i] = text_of("%s", name);
		status = take_given(f, por_structure_element(s, i), inner, all, &v->elem[i]);
		free(inner);
	}
	return status;
}

bool fit_is_given(const Fit *f)
{
	size_t n = strlen(f->p_name);
	for (size_t i = 0; i < f->arguments.n; i++) {
		const char *name = f->arguments.given[i].name;
		if (!strncmp(name, f->p_name, n) && (!name[n] || name[n] == '.')) return true;
	}
	return false;
}

static int given_start(Fit *f)
{
	GivenLeaves all;
	const por_structure *s = por_function_param_structure(f->loss, 0);
	arguments_leaves(&f->arguments, &all);
	int status = take_given(f, s, f->p_name, &all, &f->p);
	given_leaves_free(&all);
	if (status == EXIT_GOOD) f->p_type = fit_structure_type(f, s, f->loss, false);
	return status;
}

/* The optimiser's state for the parameters. */
static int call_state(Fit *f)
{
	char *text = text_of("fn porism_state(p: %s) = %s.start(p)\n", f->p_type, f->by);
	int code = por_module_add(f->target.module, text, "the optimiser");
	free(text);
	por_function *state = code ? NULL : por_function_named(f->target.module, "porism_state", 0, NULL);
	if (!state) return target_fail(&f->target);
	f->s_type = fit_structure_type(f, por_function_result_structure(state), state, true);
	if (!por_function_outputs(state)) {
		f->s = (TextValue){.kind = VALUE_TUPLE};
		return EXIT_GOOD;
	}
	Arguments a = {.given = &(GivenArgument){.name = "p", .value = f->p}, .n = 1};
	CompiledCall c;
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	int status = call_bind(&c, &f->target, state, &a, false);
	if (status == EXIT_GOOD) status = call_compile(&c, &f->target, &o);
	if (status == EXIT_GOOD) status = call_run(&c, &f->target, &f->s);
	call_free(&c);
	return status;
}

int fit_begin(Fit *f)
{
	int status;
	if (f->p_type)
		status = EXIT_GOOD;
	else if (f->start && !fit_is_given(f))
		status = fit_call_start(f);
	else
		status = given_start(f);
	return status == EXIT_GOOD ? call_state(f) : status;
}
