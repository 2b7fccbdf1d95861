/* cmd_grad.c - grad: the derivative as mathematics, and its value where values are given. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- the text of the derivative's function --------------------------------------------------- */

/* "w, b" -> grad(e, w); several variables give a record of their names. */
static char *derivative_text(const char *value, const char *wrt)
{
	if (!strchr(wrt, ',')) return text_of("grad(%s, %s)", value, wrt);
	TextBuffer b = {0};
	buffer_printf(&b, "let value = %s in {", value);
	for (const char *at = wrt; *at;) {
		size_t n = strcspn(at, ", ");
		buffer_printf(
			&b, "%s%.*s = grad(value, %.*s)", at == wrt ? "" : ", ", (int)n, at, (int)n, at);
		at += n + strspn(at + n, ", ");
	}
	buffer_text(&b, "}");
	return b.text;
}

/* "p.w" is one where p is a parameter. */
static bool is_variable(const por_function *f, const char *name)
{
	size_t n = strcspn(name, "., ");
	for (int i = 0; i < por_function_params(f); i++)
		if (strlen(por_function_param(f, i)) == n && !strncmp(por_function_param(f, i), name, n))
			return true;
	return false;
}

/* The only parameter, or all that are not said; NULL after a message. */
static char *choose_variable(const Options *o, por_function *f, bool file)
{
	const char *wrt = option(o, "wrt"), *unknown = wrt;
	int n = por_function_params(f);
	for (size_t k; unknown && *unknown; unknown += k + strspn(unknown + k, ", ")) {
		k = strcspn(unknown, ", ");
		if (!is_variable(f, unknown)) break;
	}
	if (wrt && !wrt[strspn(wrt, ", ")]) {
		usage(o, "--wrt names no variable");
		return NULL;
	}
	if (wrt && !*unknown) return text_of("%s", wrt);
	if (!wrt && (n == 1 || (n && file))) return text_of("%s", por_function_param(f, 0));
	TextBuffer b = {0};
	for (int i = 0; i < n; i++) buffer_printf(&b, "%s%s", i ? ", " : "", por_function_param(f, i));
	if (wrt && n)
		usage(o, "--wrt %s: the variables are %s", unknown, buffer_get(&b));
	else
		usage(o, n ? "--wrt NAME was wanted: one of %s" : "there is no variable%s", buffer_get(&b));
	buffer_free(&b);
	return NULL;
}

/* Adds `fn derivative(p: {...}, X: ...) = grad(loss(p, X), p)` to the file; gives its name. */
static const char *add_derivative(Target *t, por_function *f, const char *wrt)
{
	static char name[128];
	snprintf(name, sizeof name, "%.100s_gradient", t->function);
	while (por_declared_params(t->module, name) >= 0 && strlen(name) < sizeof name - 2) strcat(name, "_");
	por_clear_error(t->graph);
	TextBuffer params = {0}, call = {0}, text = {0};
	buffer_printf(&call, "%s(", t->function);
	for (int i = 0; i < por_function_params(f); i++) {
		const char *p = por_function_param(f, i);
		buffer_printf(&call, "%s%s", i ? ", " : "", p);
		buffer_printf(&params, "%s%s: ", i ? ", " : "", p);
		add_structure_type(&params, por_function_param_structure(f, i), f, false);
	}
	buffer_text(&call, ")");
	char *derivative = derivative_text(call.text, wrt);
	buffer_printf(&text, "fn %s(%s) = %s\n", name, buffer_get(&params), derivative);
	int code = por_module_add(t->module, text.text, NULL);
	free(t->added);
	free(derivative);
	t->added = text.text;
	buffer_free(&params);
	buffer_free(&call);
	return code ? NULL : name;
}

/* The function whose result is the derivative. */
static por_function *derivative(Target *t, Arguments *a, int *status)
{
	por_function *f = target_function(t, t->function, a, status);
	char *wrt = f ? choose_variable(t->options, f, t->file) : NULL;
	if (f && !wrt) *status = EXIT_USAGE;
	if (!wrt) return NULL;
	por_function *d = NULL;
	if (t->file) {
		const char *name = add_derivative(t, f, wrt);
		d = name ? elaborate(t, name, 0, NULL) : NULL;
		if (!d) *status = target_fail(t);
	} else {
		char *written = t->source;
		t->source = derivative_text(written, wrt);
		d = target_function(t, NULL, a, status);
		free(written);
	}
	free(wrt);
	return d;
}

/* The derivative after rewriting, in one line where it is short. */
static char *print_derivative(const Options *o, por_function *d, const por_options *compile)
{
	const char *stage = option(o, "stage");
	por_function *f = por_optimise(d, compile, stage ? stage : "stable");
	char *text = f ? por_print_function(f, POR_PRINT_ONE_LINE) : NULL;
	for (size_t n = text ? strlen(text) : 0; n && text[n - 1] == '\n'; n--) text[n - 1] = 0;
	return text;
}

static int show(const Options *o, Target *t, por_function *d, const por_options *compile, const TextValue *v)
{
	char *text = print_derivative(o, d, compile);
	if (!text) return stage_fail(t);
	TextBuffer json = {0};
	int status = EXIT_GOOD;
	json_key(&json, "derivative");
	json_text(&json, text);
	if (!o->json) puts(text);
	if (v)
		status = write_result(o, v, &json);
	else if (o->json)
		printf("{%s}\n", buffer_get(&json));
	buffer_free(&json);
	por_text_free(text);
	return status;
}

int grad_target(const Options *o, Target *t, Arguments *a)
{
	int status;
	bool values = false;
	por_options compile;
	if (!options_compile(o, &compile)) return EXIT_USAGE;
	for (size_t i = 0; i < a->n; i++) values |= !a->given[i].declared;
	por_function *d = derivative(t, a, &status);
	if (!d) return status;
	if (!values && option(o, "output")) return usage(o, "-o saves a value: give every parameter one");
	if (!values) return show(o, t, d, &compile, NULL);
	CompiledCall c;
	TextValue v = {0};
	status = call_bind(&c, t, d, a, true);
	bool all = true;
	for (int i = 0; i < c.nin; i++) all &= c.bound[i];
	if (status == EXIT_GOOD && !all && option(o, "output"))
		status = usage(o, "-o saves a value: give every parameter one");
	else if (status == EXIT_GOOD && !all)
		status = show(o, t, d, &compile, NULL);
	else if (status == EXIT_GOOD) {
		status = call_compile(&c, t, &compile);
		if (status == EXIT_GOOD) status = call_run(&c, t, &v);
		if (status == EXIT_GOOD) status = show(o, t, d, &compile, &v);
	}
	value_free(&v);
	call_free(&c);
	return status;
}

static int run(Options *o)
{
	return run_target(o, "differentiated", grad_target);
}

static const OptionSpec own[] = {
	{"wrt", 'w', "NAMES", "the variable, or several: w,b; a file's first parameter if not given"},
	{"stage", 0, "NAME", "of rewriting, before it is printed: written, merge, map, algebra; else stable"},
	{"output", 'o', "FILE", "save the derivative's value: .npy, or .npz for a structure", 0,
	".npy or .npz"}, {"full", 0, NULL, "print large arrays whole on a terminal"},
	{0},
};

const Command command_grad = {"grad", "FILE:FN | 'EXPR' [name=VALUE]... [--wrt NAME]",
	"the derivative as mathematics, and its value",
	"  porism grad 'sum(log(1 + exp(-y*(X @ w))))' --wrt w\n"
	"  porism grad 'x^3' x=2.0\n"
	"With all values given, the value of the derivative follows.",
	own, TAKES_ALL, run};
