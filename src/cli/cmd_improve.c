/* cmd_improve.c - improve: a form of an expression that errs less, and the rule that makes it. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a form is, in words. */
static const char *told(const char *what)
{
	static const char *const words[][2] = {{"written", "as written"}, {"books", "by the rules"},
		{"improved", "found"}, {"piece", "piece of it"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(what, words[i][0])) return words[i][1];
	return what;
}

static void print_forms(const por_improvement *found)
{
	printf("%d points, the true value known at %d; bits of error: 0 is right, 1 is next to it, 64 is lost\n",
		(int)found->asked, (int)found->judged);
	puts("  mean largest  form");
	for (int i = 0; i < found->forms; i++) {
		const por_form *f = &found->form[i];
		if (isinf(f->mean)) /* it cannot be: complex numbers */
			printf("     -       -  %-12s  %s\n", told(f->what), f->text);
		else
			printf("%6.2f %7.2f  %-12s  %s\n", f->mean, f->most, told(f->what), f->text);
	}
	if (!found->rule) {
		bool near = found->forms > 1 && found->form[1].mean <= 0.25;
		puts(near ? "the rules' form errs by less than a quarter of a bit in the mean: no better one is searched for"
			  : "no form of less error was found");
		return;
	}
	printf("\n%s\n%s%s\n", found->rule,
		found->holds ? "" : "it fails as a rule of book stable: ", found->report);
}

static void add_worst(TextBuffer *json, const por_improvement *found, const por_form *f)
{
	json_key(json, "at");
	buffer_text(json, "{");
	for (int i = 0; i < found->inputs; i++) {
		json_key(json, found->input[i]);
		json_number(json, f->at[i]);
	}
	buffer_text(json, "}");
	json_key(json, "truth");
	json_number(json, f->truth);
}

static void add_forms(TextBuffer *json, const por_improvement *found)
{
	buffer_printf(
		json, "{\"points\": %d, \"judged\": %d, \"forms\": [", (int)found->asked, (int)found->judged);
	for (int i = 0; i < found->forms; i++) {
		const por_form *f = &found->form[i];
		buffer_text(json, i ? ",\n {" : "{");
		json_key(json, "what");
		json_text(json, f->what);
		json_key(json, "text");
		json_text(json, f->text);
		json_key(json, "mean");
		json_number(json, f->mean);
		json_key(json, "most");
		json_number(json, f->most);
		if (f->at) add_worst(json, found, f);
		buffer_text(json, "}");
	}
	buffer_text(json, "]");
	if (found->rule) {
		json_key(json, "rule");
		json_text(json, found->rule);
		buffer_printf(json, ", \"holds\": %s", found->holds ? "true" : "false");
		json_key(json, "report");
		json_text(json, found->report);
	}
	buffer_text(json, "}");
}

/* A function of the same inputs that gives the condition; NULL after a message, with a status. */
static por_function *condition(Target *t, Arguments *a, const char *text, int *status)
{
	char *written = t->source;
	t->source = text_of("let value = %s in %s", written, text);
	por_function *f = target_function(t, NULL, a, status);
	free(t->source);
	t->source = written;
	return f;
}

static int improve(const Options *o, Target *t, Arguments *a)
{
	int status;
	int64_t seed = 1;
	const char *text = option(o, "where");
	TextBuffer json = {0};
	if (!option_number(o, "seed", 0, INT64_MAX, &seed)) return EXIT_USAGE;
	if (text && t->file) return usage(o, "--where goes with an expression");
	for (size_t i = 0; i < a->n; i++)
		if (!a->given[i].declared)
			return usage(o, "%s has a value: a type was wanted", a->given[i].name);
	por_function *f = target_function(t, t->function, a, &status), *where = NULL;
	if (f && text && !(where = condition(t, a, text, &status))) return status;
	if (!f) return status;
	const por_improvement *found = por_improve(f, where, (uint64_t)seed);
	if (!found) return target_fail(t);
	if (o->json) {
		add_forms(&json, found);
		puts(buffer_get(&json));
	} else
		print_forms(found);
	buffer_free(&json);
	return EXIT_GOOD;
}

static int run(Options *o)
{
	return run_target(o, "improved", improve);
}

static const OptionSpec own[] = {
	{"where", 0, "COND", "only where this holds, a comparison of the inputs"},
	{"seed", 0, "N", "other points; 1 if not given"},
	{0},
};

const Command command_improve = {"improve", "FILE:FN | 'EXPR' ['name: f64 if FACT']... [--where COND]",
	"forms of less measured error, and the rule that makes the best one",
	"  porism improve 'sqrt(x + 1) - sqrt(x)' 'x: f64 if x > 1'\n"
	"Errors are bits: the logarithm of how many numbers lie between a value and the true one, at points from\n"
	"all over what is promised of the inputs. All forms are measured as they run, after the books.",
	own, TAKES_RULES | TAKES_LIMITS, run};
