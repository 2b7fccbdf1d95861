/* cmd_explain.c - explain: what became of a function, stage by stage. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *heading;
	bool shown, json; /* without --show; as JSON of its own, others are text there too */
} parts[] = {
	{"summary", "where its time goes", true, false},
	{"calls", "calls", true, false},
	{"rules", "rules applied", true, true},
	{"kernels", "kernels", true, false},
	{"plan", "plan", true, false},
	{"memory", "memory", true, false},
	{"log", "tier", true, false},
	{"profile", "time of the kernels", false, true},
	{"stages", "stages", false, true},
	{"c", "C", false, false},
};
enum { PARTS = sizeof parts / sizeof *parts };
static const unsigned summary_bit = 1u, profile_bit = 1u << 7;

/* The wanted parts as bits; 0 after a message. */
static unsigned wanted_parts(const Options *o)
{
	const char *list = option(o, "show");
	unsigned bits = 0;
	for (int i = 0; i < PARTS && !list; i++) bits |= (unsigned)parts[i].shown << i;
	if (option(o, "c")) bits |= 1u << (PARTS - 1);
	for (const char *at = list; at && *at;) {
		size_t n = strcspn(at, ", ");
		int i = 0;
		while (i < PARTS && (strlen(parts[i].name) != n || strncmp(parts[i].name, at, n))) i++;
		if (n == 3 && !strncmp(at, "all", 3))
			bits |= (1u << PARTS) - 1;
		else if (i == PARTS) {
			usage(o,
				"--show %.*s: summary, calls, rules, kernels, plan, memory, log, profile, stages, c or all"
				" was wanted",
				(int)n, at);
			return 0;
		} else
			bits |= 1u << i;
		at += n + strspn(at + n, ", ");
	}
	return bits;
}

/* The first lines of the stages: how many nodes and rules, how long it took. */
static int print_passes(const Options *o, por_program *p)
{
	static const char mark[] = "# after ";
	char *text = por_explain(p, "stages");
	if (!text) return complain_with(o, por_program_error(p), NULL);
	puts("# ---- passes");
	for (char *at = text; *at;) {
		size_t n = strcspn(at, "\n");
		if (!strncmp(at, mark, strlen(mark)))
			printf("%.*s\n", (int)(n - strlen(mark)), at + strlen(mark));
		at += n + (at[n] == '\n');
	}
	putchar('\n');
	por_text_free(text);
	return EXIT_GOOD;
}

static int explain_parts(const Options *o, Target *t, por_program *p, unsigned bits)
{
	TextBuffer json = {0};
	buffer_text(&json, "{");
	for (int i = 0; i < PARTS; i++) {
		if (!(bits & 1u << i)) continue;
		char *what = text_of("%s%s", parts[i].name, o->json && parts[i].json ? ".json" : "");
		char *text = por_explain(p, what);
		free(what);
		if (!text) {
			buffer_free(&json);
			return complain_with(t->options, por_program_error(p), NULL);
		}
		if (o->json) {
			json_key(&json, parts[i].name);
			parts[i].json ? buffer_text(&json, text) : json_text(&json, text);
		} else if (*text || option(o, "show"))
			printf("# ---- %s\n%s%s", parts[i].heading, text,
				*text && text[strlen(text) - 1] == '\n' ? "\n" : "\n\n");
		por_text_free(text);
	}
	buffer_text(&json, "}");
	if (o->json) puts(json.text);
	buffer_free(&json);
	return o->json || option(o, "show") ? EXIT_GOOD : print_passes(o, p);
}

/* ---- the difference of two stages ---- */

typedef struct Lines {
	char **line;
	size_t n;
} Lines;

/* The lines of a text, which is cut into them; the first, with counts and times, is left out. */
static Lines lines_of(char *text)
{
	size_t most = 1;
	for (const char *at = text; *at; at++) most += *at == '\n';
	Lines l = {need(calloc(most, sizeof *l.line)), 0};
	for (char *at = strchr(text, '\n'); at && at[1]; l.n++) {
		*at = 0;
		l.line[l.n] = at + 1;
		at = strchr(at + 1, '\n');
		if (at && !at[1]) *at = 0;
	}
	return l;
}

/* common[i*(b.n + 1) + j]: how many lines a from i on and b from j on have in common, in order. */
static void print_difference(const Lines *a, const Lines *b, const size_t *common)
{
	const size_t wide = b->n + 1;
	for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
		bool both = i < a->n && j < b->n;
		if (both && !strcmp(a->line[i], b->line[j])) {
			printf(" %s\n", a->line[i++]);
			j++;
		} else if (j == b->n || (both && common[(i + 1) * wide + j] >= common[i * wide + j + 1]))
			printf("-%s\n", a->line[i++]);
		else
			printf("+%s\n", b->line[j++]);
	}
}

static char *stage_text(const Options *o, por_program *p, const char *name)
{
	char *what = text_of("stage:%s", name), *text = por_explain(p, what);
	free(what);
	if (!text) usage(o, "--diff: %s is no stage; see --stage", name);
	return text;
}

/* FROM,TO: the lines that one has and the other has not. */
static int explain_difference(const Options *o, por_program *p, const char *stages)
{
	enum { MOST = 4000 };
	const char *comma = strchr(stages, ',');
	if (!comma) return usage(o, "--diff %s: two stages were wanted, as in written,stable", stages);
	char *first = text_of("%.*s", (int)(comma - stages), stages);
	char *before = stage_text(o, p, first), *after = before ? stage_text(o, p, comma + 1) : NULL;
	int status = after ? EXIT_GOOD : EXIT_USAGE;
	if (after) {
		Lines a = lines_of(before), b = lines_of(after);
		if (a.n > MOST || b.n > MOST)
			status = complain(o, EXIT_FAILED, "--diff: a stage has more than %d lines", MOST);
		size_t wide = b.n + 1,
		       *common = status ? NULL : need(calloc((a.n + 1) * wide, sizeof *common));
		for (size_t i = a.n; common && i-- > 0;)
			for (size_t j = b.n; j-- > 0;) {
				size_t down = common[(i + 1) * wide + j], right = common[i * wide + j + 1];
				size_t one = down > right ? down : right;
				bool same = !strcmp(a.line[i], b.line[j]);
				common[i * wide + j] = same ? common[(i + 1) * wide + j + 1] + 1 : one;
			}
		if (common) {
			printf("--- %s\n+++ %s\n", first, comma + 1);
			print_difference(&a, &b, common);
		}
		free(common);
		free(a.line);
		free(b.line);
	}
	free(first);
	por_text_free(before);
	por_text_free(after);
	return status;
}

static int explain_stage(const Options *o, por_program *p, const char *name)
{
	char *what = text_of("stage:%s", name), *text = por_explain(p, what);
	free(what);
	if (!text)
		return usage(
			o,
			"--stage %s: written, merge, map, algebra, stable, remerge, lower, groups, kernels, plan or code"
			" was wanted",
			name);
	if (o->json) {
		TextBuffer json = {0};
		json_key(&json, "stage");
		json_text(&json, name);
		json_key(&json, "text");
		json_text(&json, text);
		printf("{%s}\n", json.text);
		buffer_free(&json);
	} else
		fputs(text, stdout);
	por_text_free(text);
	return EXIT_GOOD;
}

/* ---- one application ---- */

/* The line of the list of applications that a number, from 1, or the name of a rule says; NULL: there is
 * none. */
static const char *application_line(const char *list, const char *which, int64_t *number)
{
	char *end;
	long long wanted = strtoll(which, &end, 10);
	*number = 0;
	for (const char *at = list; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *name = strstr(at, ": ");
		if (!name) return NULL;
		size_t n = strlen(which);
		++*number;
		if (*end ? !strncmp(name + 2, which, n) && name[2 + n] == ':' : *number == wanted) return at;
	}
	return NULL;
}

static int print_stopped(Target *t, por_function *f, por_options compile, int64_t most, const char *heading)
{
	const Options *o = t->options;
	compile.most_applications = most;
	por_function *h = por_optimise(f, &compile, most ? "lower" : "written");
	char *text = h ? por_print_function(h, POR_PRINT_NOTES) : NULL;
	if (!text) return complain_with(o, por_graph_error(t->graph), NULL);
	printf("# %s\n%s", heading, text);
	por_text_free(text);
	return EXIT_GOOD;
}

/* The application, the function before it and the function after it. */
static int explain_application(
	Target *t, por_program *p, por_function *f, const por_options *compile, const char *which)
{
	const Options *o = t->options;
	int64_t number;
	char *list = por_explain(p, "rules");
	if (!list) return complain_with(o, por_program_error(p), NULL);
	const char *line = application_line(list, which, &number);
	int status = line ? EXIT_GOOD
			  : usage(o, "--stop %s: no such application; --show rules lists them", which);
	if (line) printf("# application %lld: %.*s\n", (long long)number, (int)strcspn(line, "\n"), line);
	if (line) status = print_stopped(t, f, *compile, number - 1, "before");
	if (line && status == EXIT_GOOD) status = print_stopped(t, f, *compile, number, "after");
	por_text_free(list);
	return status;
}

/* ---- calls ---- */

/* What a call prints is told of the first one alone. */
static int hear_first(void *user, const por_effect *e)
{
	return *(const bool *)user ? 0 : print_effect(NULL, e);
}

/* A first call is cold; where calls are short the summary is that of several. */
static int run_calls(CompiledCall *c, Target *t, bool several, bool *again)
{
	enum { CALLS = 20 };
	const double within = 0.2, end = seconds_now() + within;
	int status = EXIT_GOOD, calls = several ? CALLS : 1;
	for (int i = 0; i < calls && status == EXIT_GOOD && (!i || seconds_now() < end); i++) {
		TextValue v = {0};
		*again = i > 0;
		status = call_run(c, t, &v);
		value_free(&v);
	}
	return status;
}

int explain_target(const Options *o, Target *t, Arguments *a)
{
	int status;
	por_options compile;
	unsigned bits = wanted_parts(o);
	if (!bits || !options_compile(o, &compile)) return EXIT_USAGE;
	bool again = false;
	if (!option(o, "tier")) compile.tier = POR_TIER_INTERPRET;
	compile.hear = hear_first;
	compile.hear_user = &again;
	compile.keep_stages = 1;
	compile.profile = (bits & profile_bit) != 0 || ((bits & summary_bit) && a->n);
	por_function *f = target_function(t, t->function, a, &status);
	if (!f) return status;
	CompiledCall c;
	status = call_bind(&c, t, f, a, true);
	if (status == EXIT_GOOD) status = call_compile(&c, t, &compile);
	bool all = true;
	for (int i = 0; i < c.nin; i++) all &= c.bound[i];
	if (status == EXIT_GOOD && all && a->n)
		status = run_calls(&c, t, (bits & (summary_bit | profile_bit)) == summary_bit, &again);
	const char *stage = option(o, "stage"), *stages = option(o, "diff"), *stop = option(o, "stop");
	if (status == EXIT_GOOD && stop)
		status = explain_application(t, c.program, f, &compile, stop);
	else if (status == EXIT_GOOD && stages)
		status = explain_difference(o, c.program, stages);
	else if (status == EXIT_GOOD)
		status = stage ? explain_stage(o, c.program, stage) : explain_parts(o, t, c.program, bits);
	call_free(&c);
	return status;
}

static int run(Options *o)
{
	return run_target(o, "explained", explain_target);
}

static const OptionSpec own[] = {
	{"stage", 0, "NAME",
		"what this stage left: written, merge, map, algebra, stable, remerge, lower, groups, kernels, plan, code"},
	{"diff", 0, "FROM,TO", "what changed between two stages, line by line: - went, + came"},
	{"stop", 0, "RULE", "at the first application of this rule, or the one of this number: the function before and after"},
	{"show", 0, "LIST", "of summary, calls, rules, kernels, plan, memory, log, profile, stages, c; or all"},
	{"c", 0, NULL, "the C of the kernels too"},
	{0},
};

const Command command_explain = {"explain", "FILE:FN | 'EXPR' [name=VALUE | 'name: type']... [--stage NAME]",
	"where time goes, and what became of calls: rules applied, stages, kernels, plan, memory, C",
	"  porism explain 'log(sum(exp(x)))' 'x: f64[n]'\n"
	"First of all a summary: the dearest steps, whether computing or memory bounds them, what is stored between\n"
	"two steps and why.  Values of all parameters give amounts and times, of the tier that --tier says (interpret,\n"
	"if not given); --show profile has those of each step.",
	own, TAKES_ALL, run};
