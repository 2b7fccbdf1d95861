/* cmd_rules.c - rules: listed, shown, checked; and what of the list of identities they cover. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char *law_name(unsigned law)
{
	if (law == POR_LAW_EXACT) return "exact";
	if (law == POR_LAW_FINITE) return "finite";
	if (law == POR_LAW_APPROX) return "approx";
	return "real";
}

/* The built-in books, and those of a file. */
static int open_rules(Target *t, const Options *o, const char *file)
{
	return target_open(t, o, file ? file : "0");
}

static void add_rule(TextBuffer *json, const por_rule_info *r)
{
	buffer_text(json, "{");
	json_key(json, "name");
	json_text(json, r->name ? r->name : "");
	json_key(json, "book");
	json_text(json, r->book ? r->book : "");
	json_key(json, "law");
	json_text(json, law_name(r->law));
	json_key(json, "tags");
	json_text(json, r->tags ? r->tags : "");
	json_key(json, "text");
	json_text(json, r->text ? r->text : "");
	json_key(json, "file");
	json_text(json, r->file ? r->file : "");
	buffer_printf(json, ", \"line\": %d}", (int)r->line);
}

static int list(const Options *o, Target *t, const char *name)
{
	TextBuffer json = {0};
	int shown = 0;
	for (int i = 0; i < por_rule_count(t->graph); i++) {
		por_rule_info r;
		if (por_rule_at(t->graph, i, &r) || (name && (!r.name || strcmp(r.name, name)))) continue;
		if (o->json) {
			buffer_text(&json, shown ? ",\n " : "");
			add_rule(&json, &r);
		} else if (name)
			printf("# book %s, law %s, %s%s%s%s:%d\n%s%s%s%s\n", r.book, law_name(r.law),
				*r.tags ? "tags " : "", r.tags, *r.tags ? ", " : "", r.file, (int)r.line, *r.told ? "# " : "", r.told, *r.told ? "\n" : "", r.text);
		else
			printf("%-16s %-13s %-6s  %s:%d%s%s\n", r.name ? r.name : "", r.book, law_name(r.law),
				r.file, (int)r.line, *r.tags ? "  " : "", r.tags);
		shown++;
	}
	if (o->json && (shown || !name)) printf("[%s]\n", buffer_get(&json));
	buffer_free(&json);
	if (por_graph_error(t->graph)->code) return target_fail(t);
	return shown || !name ? EXIT_GOOD : complain(o, EXIT_FAILED, "there is no rule %s", name);
}

/* The file's name in its rules, "" of none: all; a file of books that Porism carries has the book's. */
static char *name_in_rules(Target *t)
{
	if (!t->file) return text_copy("", 0);
	for (int i = 0; i < por_rule_count(t->graph); i++) {
		por_rule_info r;
		if (!por_rule_at(t->graph, i, &r) && !strcmp(r.file, t->file)) return text_of("%s", t->file);
	}
	const char *folder = strrchr(t->file, '/'), *name = folder ? folder + 1 : t->file;
	char *stem = text_copy(name, strcspn(name, ".")), *head = text_of("\nbook %s", stem);
	bool carried = strstr(t->source, head);
	free(head);
	if (carried) return stem;
	free(stem);
	return text_of("%s", t->file);
}

/* The rules of a file (all, without one), each on random values. */
static int check(const Options *o, Target *t)
{
	int64_t seed = 1;
	int good = 0, bad = 0;
	TextBuffer json = {0};
	if (!option_number(o, "seed", 0, INT64_MAX, &seed)) return EXIT_USAGE;
	char *file = name_in_rules(t);
	for (int i = 0; i < por_rule_count(t->graph) && !interrupted(); i++) {
		por_rule_info r;
		char *report = NULL;
		if (por_rule_at(t->graph, i, &r) || (*file && strcmp(r.file, file))) continue;
		bool fails = por_rule_check(t->graph, i, (uint64_t)seed, &report);
		const char *text = "";
		if (report && *report)
			text = report;
		else if (fails)
			text = por_graph_error(t->graph)->text;
		buffer_text(&json, json.n ? ",\n  {" : "{");
		json_key(&json, "name");
		json_text(&json, r.name ? r.name : "");
		buffer_printf(&json, ", \"holds\": %s", fails ? "false" : "true");
		json_key(&json, "report");
		json_text(&json, text);
		buffer_text(&json, "}");
		if (fails) fprintf(stderr, "%s:%d: %s\n", r.file, (int)r.line, text);
		if (!fails && !o->json && *text) printf("%s\n", text);
		if (fails) por_clear_error(t->graph);
		good += !fails;
		bad += fails;
		por_text_free(report);
	}
	if (o->json)
		printf("{\"hold\": %d, \"fail\": %d, \"rules\": [%s]}\n", good, bad, buffer_get(&json));
	else
		printf("%d rules hold, %d fail\n", good, bad);
	buffer_free(&json);
	free(file);
	return bad ? EXIT_FAILED : EXIT_GOOD;
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* identities.h is made of tests/rewrite/cases.txt and peers.txt, where each identity has its test, by
 * tools/make_identities.py. */
static const struct Identity {
	int number;
	const char *name, *stage, *before, *after; /* stage NULL: name is an operator that is absent */
	const char *declared;                      /* a line for each name */
} identities[] = {
#define IDENTITY(number, name, stage, before, after, declared)                                               \
	{number, #name, stage, before, after, declared},
#define ABSENT(number, name) {number, #name, NULL, NULL, NULL, NULL},
#include "identities.h"
};

enum { INPUTS = 32, DECLARED = 80 };

/* What is declared, name by name; how many. */
static int declared_inputs(
	const char *declared, char (*text)[DECLARED], char (*name)[DECLARED], por_given *given)
{
	int n = 0;
	for (const char *at = declared; *at && n < INPUTS; n++) {
		size_t length = strcspn(at, "\n");
		snprintf(text[n], DECLARED, "%.*s", (int)length, at);
		snprintf(name[n], DECLARED, "%.*s", (int)strcspn(at, ":"), at);
		given[n] = (por_given){.name = name[n], .declared = text[n]};
		at += length + (at[length] == '\n');
	}
	return n;
}

/* The expression after a stage, as text; NULL: the graph's error. */
static char *after_stage(por_graph *g, const struct Identity *d, const char *text, const char *stage)
{
	char line[INPUTS][DECLARED], name[INPUTS][DECLARED];
	por_given given[INPUTS] = {0};
	int count = declared_inputs(d->declared, line, name, given);
	por_function *f = por_function_expression(g, NULL, text, count, given);
	f = por_optimise(f, NULL, stage);
	char *shown = f ? por_print_function(f, POR_PRINT_ONE_LINE) : NULL;
	for (size_t n = shown ? strlen(shown) : 0; n && shown[n - 1] == '\n'; n--) shown[n - 1] = 0;
	return shown;
}

/* The identity after its stage is the right side, as it stands or in its own normal form.  Algebra is at its
 * end when stable is: indices and sums stay where they are until stable has looked. */
static bool holds(por_graph *g, const struct Identity *d, char **got)
{
	const char *stage = strcmp(d->stage, "algebra") ? d->stage : "stable";
	char *written = after_stage(g, d, d->after, "written"), *normal = after_stage(g, d, d->after, stage);
	*got = after_stage(g, d, d->before, stage);
	bool good = written && normal && *got && (!strcmp(*got, written) || !strcmp(*got, normal));
	por_text_free(written);
	por_text_free(normal);
	return good;
}

/* "test", "fails" or "absent". */
static const char *cover(const Options *o, const struct Identity *d)
{
	if (!d->stage) return "absent";
	char *got = NULL;
	int status;
	por_context *context = command_context(o, NULL, &status);
	por_graph *g = context ? por_open(context) : NULL;
	bool good = g && holds(g, d, &got);
	if (!good)
		fprintf(stderr, "%d %s: %s => %s; got %s\n", d->number, d->name, d->before, d->after,
			got ? got : por_graph_error(g)->text);
	por_text_free(got);
	por_close(g);
	return good ? "test" : "fails";
}

static int coverage(const Options *o)
{
	int bad = 0;
	TextBuffer json = {0};
	for (size_t k = 0; k < sizeof identities / sizeof *identities && !interrupted(); k++) {
		const struct Identity *d = &identities[k];
		const char *what = cover(o, d);
		bad += !strcmp(what, "fails");
		if (o->json)
			buffer_printf(&json, "%s{\"item\": %d, \"%s\": \"%s\"}", k ? ",\n " : "", d->number,
				what, d->name);
		else
			printf("%d %s %s\n", d->number, what, d->name);
	}
	if (o->json) printf("[%s]\n", buffer_get(&json));
	buffer_free(&json);
	return bad ? EXIT_FAILED : EXIT_GOOD;
}

static int run(Options *o)
{
	const char *what = o->nword ? o->word[0] : "list", *more = o->nword > 1 ? o->word[1] : NULL;
	bool show = !strcmp(what, "show"), checks = !strcmp(what, "check");
	bool covers = !strcmp(what, "coverage");
	if (!show && !checks && !covers && strcmp(what, "list"))
		return usage(o, "%s: list, show, check or coverage was wanted", what);
	if (show && !more) return usage(o, "show NAME was wanted");
	size_t before = show ? 2 : 1;
	const char *file = o->nword > before ? o->word[before] : NULL;
	if (o->nword > before + !covers) return usage(o, "%s: one word too many", o->word[before + !covers]);
	if (covers) return coverage(o);
	if (file && !is_file_word(file)) return usage(o, "%s: FILE.por was wanted", file);
	Target t;
	int status = open_rules(&t, o, file);
	if (status == EXIT_GOOD && checks)
		status = check(o, &t);
	else if (status == EXIT_GOOD)
		status = list(o, &t, show ? more : NULL);
	target_close(&t);
	return status;
}

static const OptionSpec own[] = {{"seed", 0, "N", "check: other values; 1 if not given"}, {0}};

const Command command_rules = {"rules", "list [FILE] | show NAME [FILE] | check [FILE] | coverage",
	"the rules of rewriting: listed, shown, checked",
	"check evaluates both sides of each rule of a file (without one: all books) on thousands of values; a file of\n"
	"books that Porism carries, as rules/stable.por, must be as it was built.\n"
	"coverage runs the tests of each number of the list of identities:\n"
	"  ITEM test NAME | ITEM fails NAME | ITEM absent OPERATOR",
	own, TAKES_RULES | TAKES_LIMITS, run};
