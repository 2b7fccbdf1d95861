/* options.c - words of the command line -> Options.
 *
 * --name, --name=VALUE, --name VALUE, -o VALUE.  A word that begins with one minus and is no known option is
 * an expression; `--` makes everything after it one.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const OptionSpec shared_options[] = {
	{"tier", 0, "TIER", "interpret, native, cached, reference or background (the default)", TAKES_TIER},
	{"threads", 0, "N", "threads of a computation; 0: as many as there are cores", TAKES_TIER},
	{"seed", 0, "N", "where random draws begin; 0 if not given", TAKES_SEED},
	{"laws", 0, "LIST", "laws that rules may use, as in exact,real", TAKES_LAWS},
	{"no-rules", 0, NULL, "compute as written: nothing but the lowering", TAKES_LAWS},
	{"rules-off", 0, "LIST", "rules that are not used, by name, book, stage or tag, as in log_exp,folds,+sum_neg", TAKES_LAWS},
	{"rule", 0, "RULE",
		"a rule of yours for book algebra, as in 'sqrt(x^2) => x if x >= 0'; more than once too",
		TAKES_RULES},
	{"rules", 0, "FILE", "books of rules in a file", TAKES_RULES},
	{"max-nodes", 0, "N", "nodes that a graph may have; 20000000 if not given", TAKES_LIMITS},
	{"max-bytes", 0, "N",
		"memory of a graph, as 500M or 4G; if not given, half of the machine's, at most 16G",
		TAKES_LIMITS},
	{"max-seconds", 0, "S", "what reading, rewriting or compiling may take; 600 if not given",
	TAKES_LIMITS}, {"call-seconds", 0, "S", "what a call may take; any time if not given", TAKES_TIER},
	{"json", 0, NULL, "print JSON", 0},
	{"help", 'h', NULL, "print this", 0},
	{0},
};

bool option_is_taken(const Command *c, const OptionSpec *shared)
{
	return !shared->of || (c->takes & shared->of);
}

/* The option that a word names: the n characters after the minus signs. */
static const OptionSpec *find(const OptionSpec *table, const char *name, size_t n, bool letter)
{
	for (const OptionSpec *s = table; s && s->name; s++) {
		if (letter && s->letter && n == 1 && *name == s->letter) return s;
		if (!letter && strlen(s->name) == n && !strncmp(s->name, name, n)) return s;
	}
	return NULL;
}

static const OptionSpec *find_option(const Command *c, const char *name, size_t n, bool letter)
{
	const OptionSpec *s = find(c->options, name, n, letter);
	if (s) return s;
	s = find(shared_options, name, n, letter);
	return s && option_is_taken(c, s) ? s : NULL;
}

/* Whether the file's name ends as one of `written`; a name without an end is taken as it is. */
static bool suffix_is_known(const char *path, const char *written)
{
	const char *slash = strrchr(path, '/'), *suffix = strrchr(slash ? slash : path, '.');
	for (const char *at = written; suffix && *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		if (strlen(suffix) == n && !strncmp(at, suffix, n)) return true;
		at += n;
	}
	return !suffix;
}

static bool keep_value(Options *o, const OptionSpec *s, const char *value)
{
	o->value = need(realloc(o->value, (o->nvalue + 1) * sizeof *o->value));
	o->value[o->nvalue++] = (OptionValue){s, value};
	if (!s->written || suffix_is_known(value, s->written)) return true;
	if (s->letter)
		usage(o, "-%c %s: a name that ends in %s was wanted", s->letter, value, s->written);
	else
		usage(o, "--%s %s: a name that ends in %s was wanted", s->name, value, s->written);
	return false;
}

static void add_word(Options *o, char *word)
{
	o->word = need(realloc(o->word, (o->nword + 2) * sizeof *o->word));
	o->word[o->nword++] = word;
	o->word[o->nword] = NULL;
}

/* What other commands call an option of this one; NULL: it has no such option. */
static const char *habit_of_option(const Command *c, const char *given)
{
	static const char *const habits[][2] = {{"lr", "rate"}, {"learning-rate", "rate"}, {"epochs", "steps"},
		{"epoch", "steps"}, {"iterations", "steps"}, {"batch", "block"}, {"batch-size", "block"},
		{"optimizer", "by"}, {"optimiser", "by"}, {"test-size", "hold"}, {"validation", "hold"}, {"out", "output"},
		{"dir", "output"}, {"by", "wrt"}, {"with-respect-to", "wrt"}, {"random-state", "seed"}, {"jobs", "threads"},
		{"verbose", "show"}, {"silent", "quiet"}};
	for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
		if (strcmp(habits[i][0], given) != 0) continue;
		for (const OptionSpec *s = c->options; s && s->name; s++)
			if (!strcmp(s->name, habits[i][1])) return s->name;
		for (const OptionSpec *s = shared_options; s->name; s++)
			if (option_is_taken(c, s) && !strcmp(s->name, habits[i][1])) return s->name;
	}
	return NULL;
}

static void no_option(const Options *o, const Command *c, const char *name, size_t n)
{
	char *given = text_copy(name, n);
	const OptionSpec *near = NULL;
	for (const OptionSpec *s = c->options; s && s->name && !near; s++)
		if (resembles(given, s->name)) near = s;
	for (const OptionSpec *s = shared_options; s->name && !near; s++)
		if (option_is_taken(c, s) && resembles(given, s->name)) near = s;
	const char *known = near ? near->name : habit_of_option(c, given);
	usage(o, known ? "no option --%s; did you mean --%s?" : "no option --%s; a value is given as %s=VALUE", given,
		known ? known : given);
	free(given);
}

/* -o FILE, --output FILE, --output=FILE: how many words it takes; 0 with an error. */
static int read_option(Options *o, const Command *c, int n, char **words)
{
	const char *name = words[0] + (words[0][1] == '-' ? 2 : 1);
	bool two = name == words[0] + 2;
	size_t length = two ? strcspn(name, "=") : 1;
	const OptionSpec *s = find_option(c, name, length, !two);
	if (!s) {
		no_option(o, c, name, length);
		return 0;
	}
	const char *value = two && name[length] == '=' ? name + length + 1 : NULL;
	if (!s->argument && value) {
		usage(o, "--%s takes no value", s->name);
		return 0;
	}
	bool apart = s->argument && !value;
	if (apart && n < 2) {
		usage(o, "%s needs %s", words[0], s->argument);
		return 0;
	}
	if (apart) value = words[1];
	if (!keep_value(o, s, value ? value : "")) return 0;
	return apart ? 2 : 1;
}

bool options_read(Options *o, const Command *c, int n, char **words)
{
	*o = (Options){.command = c};
	bool rest = false;
	for (int i = 0; i < n && strcmp(words[i], "--"); i++) o->json |= !strcmp(words[i], "--json");
	for (int i = 0; i < n; i++) {
		char *w = words[i];
		bool two = w[0] == '-' && w[1] == '-', one = w[0] == '-' && w[1] && !w[2] && !two;
		if (two && !w[2] && !rest) {
			rest = true;
		} else if (rest || !(two || (one && find_option(c, w + 1, 1, true)))) {
			add_word(o, w);
		} else {
			int taken = read_option(o, c, n - i, words + i);
			if (!taken) return false;
			i += taken - 1;
		}
	}
	o->json = option(o, "json");
	return true;
}

void options_free(Options *o)
{
	free(o->value);
	free(o->word);
	*o = (Options){0};
}

const char *option(const Options *o, const char *name)
{
	for (size_t i = o->nvalue; i-- > 0;)
		if (!strcmp(o->value[i].spec->name, name)) return o->value[i].value;
	return NULL;
}

bool option_number(const Options *o, const char *name, int64_t low, int64_t high, int64_t *value)
{
	const char *text = option(o, name);
	if (!text) return true;
	char *end;
	errno = 0;
	long long x = strtoll(text, &end, 10);
	if (!*text || *end || errno || x < low || x > high) {
		usage(o, "--%s %s: a whole number from %" PRId64 " to %" PRId64 " was wanted", name, text,
			low, high);
		return false;
	}
	*value = x;
	return true;
}

static void help_option(FILE *to, const OptionSpec *s)
{
	char left[64];
	snprintf(left, sizeof left, "%c%c%s --%s%s%s", s->letter ? '-' : ' ', s->letter ? s->letter : ' ',
		s->letter ? "," : " ", s->name, s->argument ? " " : "", s->argument ? s->argument : "");
	fprintf(to, "  %-24s  %s\n", left, s->help);
}

void options_help(FILE *to, const Command *c)
{
	fprintf(to, "porism %s %s\n\n%s\n", c->name, c->words, c->summary);
	if (c->help) fprintf(to, "\n%s\n", c->help);
	fputs("\noptions\n", to);
	for (const OptionSpec *s = c->options; s && s->name; s++) help_option(to, s);
	for (const OptionSpec *s = shared_options; s->name; s++)
		if (option_is_taken(c, s)) help_option(to, s);
}

/* ---- how to compile -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int tier;
} tiers[] = {
	{"background", POR_TIER_BACKGROUND},
	{"interpret", POR_TIER_INTERPRET},
	{"native", POR_TIER_NATIVE},
	{"cached", POR_TIER_CACHED},
	{"reference", POR_TIER_REFERENCE},
};

const char *tier_name(int i)
{
	return i < (int)(sizeof tiers / sizeof *tiers) ? tiers[i].name : NULL;
}

static const struct {
	const char *name;
	unsigned law;
} laws[] = {
	{"exact", POR_LAW_EXACT},
	{"real", POR_LAW_REAL},
	{"finite", POR_LAW_FINITE},
	{"approx", POR_LAW_APPROX},
};

bool options_compile(const Options *o, por_options *p)
{
	int64_t threads = 0, seed = 0;
	*p = (por_options){.size = sizeof *p, .tier = POR_TIER_BACKGROUND};
	if (!option_number(o, "threads", 0, 4096, &threads)) return false;
	if (!option_number(o, "seed", INT64_MIN, INT64_MAX, &seed)) return false;
	if (!option_seconds(o, "call-seconds", &p->call_seconds)) return false;
	p->threads = (int32_t)threads;
	const char *tier = option(o, "tier"), *list = option(o, "laws");
	size_t i = 0, n = sizeof tiers / sizeof *tiers;
	while (tier && i < n && strcmp(tiers[i].name, tier)) i++;
	if (i == n) {
		usage(o, "--tier %s: interpret, native, cached, reference or background was wanted", tier);
		return false;
	}
	p->tier = tiers[i].tier;
	p->no_rules = option(o, "no-rules") != NULL;
	p->rules_off = option(o, "rules-off");
	p->check_finite = option(o, "check-finite") != NULL;
	p->hear = print_effect;
	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ", "), k = 0;
		while (k < 4 && (strlen(laws[k].name) != length || strncmp(laws[k].name, at, length))) k++;
		if (k == 4) {
			usage(o, "--laws %s: exact, real, finite and approx are laws", list);
			return false;
		}
		p->laws |= laws[k].law;
		at += length + strspn(at + length, ", ");
	}
	return true;
}
