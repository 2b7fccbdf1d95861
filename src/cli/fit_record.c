/* fit_record.c - what `let train = {minimise = loss, start = init, by = optim.adam()}` and the options
 * say. */
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_field(por_value *record, const char *name)
{
	for (int i = 0; i < por_value_count(record); i++)
		if (!strcmp(por_value_field(record, i), name)) return true;
	return false;
}

int fit_number(Fit *f, const char *text, double *x)
{
	TextValue v = {0};
	int status = evaluate_text(&f->target, NULL, text, &v);
	if (status == EXIT_GOOD && (v.kind != VALUE_ARRAY || v.array.rank))
		status = complain(f->options, EXIT_FAILED, "%s is no number", text);
	if (status == EXIT_GOOD) *x = array_number(&v.array, 0);
	value_free(&v);
	return status;
}

/* The number of a field; it may be any expression of numbers. */
static int field_number(Fit *f, const char *field, double *x)
{
	char *text = text_of("%s.%s", f->target.function, field);
	int status = fit_number(f, text, x);
	free(text);
	return status;
}

/* How long the expression is that stands first in a list. */
static size_t expression_length(const char *text)
{
	size_t n = 0;
	for (int depth = 0; text[n] && (depth || !strchr(",)}]", text[n])); n++) {
		depth += strchr("([{", text[n]) != NULL;
		depth -= strchr(")]}", text[n]) != NULL;
	}
	return n;
}

/* `name = ` where it begins a field or an argument; NULL: it is not there. */
static const char *find_named(const char *text, const char *name)
{
	char *pattern = text_of("%s = ", name);
	const char *at = text;
	while ((at = strstr(at, pattern)) && at > text && is_name_char(at[-1])) at++;
	free(pattern);
	return at;
}

/* "optim.adam(rate = 0.1)" of `by = optim.adam(rate = 0.1)`, as the file writes it; NULL: it does not. */
static char *written_field(Fit *f, const char *field)
{
	char *value = NULL;
	for (int i = 0; i < por_module_count(f->target.module) && !value; i++) {
		if (strcmp(por_module_name(f->target.module, i), f->target.function)) continue;
		char *text = por_module_text(f->target.module, i);
		const char *at = text ? find_named(text, field) : NULL;
		if (at) at += strlen(field) + 3;
		if (at) value = text_copy(at, expression_length(at));
		por_text_free(text);
	}
	return value;
}

/* "accuracy" of `show = accuracy`. */
static char *written_name(Fit *f, const char *field)
{
	char *name = written_field(f, field);
	size_t n = name ? strcspn(name, " \n(") : 0;
	if (n) name[n] = 0;
	if (n) return name;
	free(name);
	return text_of("%s", field);
}

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* An optimiser with another rate: its argument `rate`, wherever it stands, else one more; NULL: it is no
 * call, or has arguments by place. */
static char *rated(const char *by, const char *rate)
{
	const char *at = find_named(by, "rate");
	size_t n = strlen(by);
	if (at) {
		at += strlen("rate = ");
		return text_of("%.*s%s%s", (int)(at - by), by, rate, at + expression_length(at));
	}
	const size_t open = strcspn(by, "("), first = by[open] ? open + 1 : n;
	if (!n || by[n - 1] != ')') return NULL;
	if (first == n - 1) return text_of("%.*srate = %s)", (int)n - 1, by, rate);
	const size_t name = first + strspn(by + first, WORD); /* an argument by place may be the rate */
	return strncmp(by + name, " = ", 3) ? NULL : text_of("%.*s, rate = %s)", (int)n - 1, by, rate);
}

/* `block = {m = 128}`, or --block m=N, where N may also name sizes, which are known when the data are. */
static int read_block(Fit *f, por_value *record)
{
	const char *given = option(f->options, "block");
	if (given) {
		size_t n = strcspn(given, "=");
		if (!n || !given[n] || !given[n + 1])
			return usage(
				f->options, "--block %s: m=N, a size and how many rows, was wanted", given);
		f->block_name = text_copy(given, n);
		f->block_text = text_of("%s", given + n + 1);
	} else if (record && has_field(record, "block")) {
		por_value *block = por_value_element(record, 0);
		for (int i = 0; i < por_value_count(record); i++)
			if (!strcmp(por_value_field(record, i), "block"))
				block = por_value_element(record, i);
		if (strcmp(por_value_kind(block), "record") || por_value_count(block) != 1)
			return complain(
				f->options, EXIT_FAILED, "block: {m = 128}, a size and how many, was wanted");
		f->block_name = text_of("%s", por_value_field(block, 0));
		f->block_text = text_of("%s.block.%s", f->target.function, f->block_name);
	}
	return EXIT_GOOD;
}

/* A field that is a whole number from `least` on; what it does not have stays. */
static int record_whole(
	Fit *f, por_value *record, const char *name, double least, const char *of, int64_t *out)
{
	double x;
	if (!record || !has_field(record, name)) return EXIT_GOOD;
	int status = field_number(f, name, &x);
	if (status != EXIT_GOOD) return status;
	if (!(x >= least && x <= 0x1p53 && x == floor(x)))
		return complain(f->options, EXIT_FAILED, "%s: given %.17g, wanted a whole number%s%s%s", name, x,
			least == 0 ? ", 0 or more" : "", *of ? ", of " : "", of);
	*out = (int64_t)x;
	return EXIT_GOOD;
}

static int read_numbers(Fit *f, por_value *record)
{
	f->steps = 1000;
	int status = record_whole(f, record, "steps", 0, "steps", &f->steps);
	if (status == EXIT_GOOD) status = record_whole(f, record, "patience", 0, "measurements", &f->patience);
	if (status == EXIT_GOOD) status = record_whole(f, record, "seed", -0x1p53, "", &f->seed);
	if (status == EXIT_GOOD && record && has_field(record, "hold"))
		status = field_number(f, "hold", &f->hold);
	if (status != EXIT_GOOD) return status;
	if (!option_number(f->options, "steps", 0, INT64_MAX, &f->steps)) return EXIT_USAGE;
	if (!option_number(f->options, "patience", 0, INT64_MAX, &f->patience)) return EXIT_USAGE;
	if (!option_number(f->options, "seed", INT64_MIN, INT64_MAX, &f->seed)) return EXIT_USAGE;
	const char *hold = option(f->options, "hold");
	char *end = NULL;
	if (hold) f->hold = strtod(hold, &end);
	if ((end && (end == hold || *end)) || !(f->hold >= 0 && f->hold < 1))
		return complain(f->options, EXIT_FAILED, "hold: a part from 0 to below 1 was wanted");
	return status;
}

static bool uses_optim(const Fit *f)
{
	por_module *m = f->target.module;
	for (int i = 0; i < por_module_count(m); i++)
		if (!strcmp(por_module_kind(m, i), "use") && !strcmp(por_module_name(m, i), "optim")) return true;
	return false;
}

/* The record's optimiser, the one of --by, or Adam; with the rate of --rate. */
static int read_optimiser(Fit *f, bool written)
{
	const char *by = option(f->options, "by"), *rate = option(f->options, "rate");
	if (written && !by && !rate) {
		f->by = text_of("%s.by", f->target.function);
		return EXIT_GOOD;
	}
	if (!by && !written) by = "optim.adam()";
	char *text = by ? text_of("%s", by) : written_field(f, "by");
	char *other = text && rate ? rated(text, rate) : NULL;
	if (rate && !other) {
		int status = usage(f->options, "--rate %s: by = %s is no call with a rate by its name", rate, text ? text : "...");
		free(text);
		return status;
	}
	char *let = text_of("%slet porism_by = %s\n", uses_optim(f) ? "" : "use optim\n", other ? other : text);
	source_put(&f->target.sources, "the command", let);
	int code = por_module_add(f->target.module, let, "the command");
	f->by = text_of("porism_by");
	free(let);
	free(other);
	free(text);
	return code ? target_fail(&f->target) : EXIT_GOOD;
}

/* A field that says nothing to a fit is most often a slip of the pen. */
static void unknown_fields(const Fit *f, por_value *record)
{
	static const char *const known[] = {
		"minimise", "start", "by", "block", "steps", "hold", "seed", "show", "patience", NULL};
	for (int i = 0; i < por_value_count(record); i++) {
		int k = 0;
		while (known[k] && strcmp(known[k], por_value_field(record, i))) k++;
		if (!known[k])
			fprintf(stderr, "porism: %s: `%s` is no field that fit reads\n", f->target.function,
				por_value_field(record, i));
	}
}

/* The file's function `start`, if it has one. */
static bool has_start(const Fit *f)
{
	for (int i = 0; i < por_module_count(f->target.module); i++)
		if (!strcmp(por_module_name(f->target.module, i), "start") && !strcmp(por_module_kind(f->target.module, i), "fn"))
			return true;
	return false;
}

int fit_record(Fit *f)
{
	const char *name = f->target.function;
	por_value *record = por_value_named(f->target.module, name);
	if (!record) return target_fail(&f->target);
	if (!strcmp(por_value_kind(record), "function")) {
		f->minimise = text_of("%s", name);
		record = NULL;
	} else if (strcmp(por_value_kind(record), "record") || !has_field(record, "minimise"))
		return complain(f->options, EXIT_FAILED,
			"%s: a record with a field `minimise`, or a function, was wanted", name);
	else
		f->minimise = text_of("%s.minimise", name);
	if (record) unknown_fields(f, record);
	if (record && has_field(record, "start"))
		f->start = text_of("%s.start", name);
	else if (!record && has_start(f))
		f->start = text_of("start");
	if (record && has_field(record, "show")) {
		f->show = text_of("%s.show", name);
		f->show_name = written_name(f, "show");
	}
	int status = read_optimiser(f, record && has_field(record, "by"));
	if (status == EXIT_GOOD) status = read_block(f, record);
	return status == EXIT_GOOD ? read_numbers(f, record) : status;
}
