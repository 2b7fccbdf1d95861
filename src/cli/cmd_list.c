/* cmd_list.c - list: what a file or a module of the library declares. */
#include "cli.h"

#include <string.h>

/* ---- a declaration --------------------------------------------------------------------------- */

/* "x: f64[n] = 1 if x > 0" */
static void add_parameter(TextBuffer *b, const por_param *p)
{
	buffer_printf(b, "%s%s", p->run ? ".." : "", p->name);
	if (*p->type) buffer_printf(b, ": %s", p->type);
	if (*p->fallback) buffer_printf(b, " = %s", p->fallback);
	if (*p->fact) buffer_printf(b, " if %s", p->fact);
}

/* "NAME[brackets](parameters)"; whether each has a type and there are no brackets. */
static bool add_head(TextBuffer *b, por_module *m, const char *name)
{
	bool typed = true, bracket = false, open = false;
	buffer_text(b, name);
	for (int i = 0; i < por_declared_params(m, name); i++) {
		por_param p;
		if (por_declared_param(m, name, i, &p)) break;
		if (bracket && !p.bracket) buffer_text(b, "]");
		if (!open || bracket != (p.bracket != 0))
			buffer_text(b, p.bracket ? "[" : "(");
		else
			buffer_text(b, ", ");
		open = true;
		bracket = p.bracket != 0;
		typed &= !bracket && *p.type;
		add_parameter(b, &p);
	}
	if (bracket) buffer_text(b, "]");
	buffer_text(b, !open || bracket ? "()" : ")");
	return typed;
}

/* " -> f64[n]", where the parameters' types tell it. */
static void add_result(TextBuffer *b, por_graph *g, por_module *m, const char *name)
{
	int mark = por_mark(g);
	por_function *f = mark < 0 ? NULL : por_function_named(m, name, 0, NULL);
	if (f) {
		buffer_text(b, " -> ");
		add_structure_type(b, por_function_result_structure(f), f, true);
	}
	por_clear_error(g);
	if (mark >= 0) por_release(g, mark);
}

static bool is_function(const char *kind)
{
	return !strcmp(kind, "fn") || !strcmp(kind, "op");
}

/* One line: a function's head, the name of a book or module, what else is declared as it stands there. */
void declaration_line(TextBuffer *b, por_graph *g, por_module *m, int i, bool results)
{
	const char *kind = por_module_kind(m, i), *name = por_module_name(m, i);
	if (is_function(kind)) {
		buffer_printf(b, "%s ", kind);
		if (add_head(b, m, name) && results) add_result(b, g, m, name);
	} else if (!strcmp(kind, "book") || !strcmp(kind, "use")) {
		buffer_printf(b, "%s %s", kind, name);
	} else {
		enum { WIDEST = 100 };
		char *text = por_module_text(m, i);
		const char *at = text ? text : "";
		size_t n = strcspn(at, "\n");
		for (; *at == '#' && at[n]; n = strcspn(at, "\n")) at += n + 1; /* its comment is printed below */
		bool whole = !at[n] && n <= WIDEST;
		while (!whole && n > 0 && (n > WIDEST || at[n - 1] == ' ')) n--;
		buffer_printf(b, "%.*s%s", (int)n, at, whole ? "" : " ...");
		por_text_free(text);
	}
}

static void add_object(TextBuffer *json, por_module *m, int i, const char *line)
{
	buffer_text(json, json->n ? ",\n {" : "{");
	json_key(json, "kind");
	json_text(json, por_module_kind(m, i));
	json_key(json, "name");
	json_text(json, por_module_name(m, i));
	json_key(json, "text");
	json_text(json, line);
	json_key(json, "comment");
	json_text(json, por_module_doc(m, i));
	buffer_printf(json, ", \"line\": %d}", por_module_line(m, i));
}

/* The comment's lines below what it tells of. */
static void print_comment(const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		printf("    %.*s\n", (int)n, text);
	}
}

/* ---- a module, and all of the library ------------------------------------------------------------ */

static int list_module(const Options *o, por_graph *g, por_module *m, bool results)
{
	TextBuffer json = {0}, line = {0};
	for (int i = 0; i < por_module_count(m); i++) {
		line.n = 0;
		declaration_line(&line, g, m, i, results);
		if (o->json) {
			add_object(&json, m, i, buffer_get(&line));
			continue;
		}
		puts(buffer_get(&line));
		print_comment(por_module_doc(m, i));
	}
	if (o->json) printf("[%s]\n", buffer_get(&json));
	buffer_free(&json);
	buffer_free(&line);
	return EXIT_GOOD;
}

/* A line or more for each module: the names of its functions. */
static int list_library(const Options *o, Target *t)
{
	TextBuffer json = {0};
	const char *name;
	for (int k = 0; (name = por_library_module(k)); k++) {
		por_module *m = por_load_library(t->graph, name);
		if (!m) {
			buffer_free(&json);
			return target_fail(t);
		}
		int column = o->json ? 0 : printf("%-10s", name);
		buffer_printf(&json, "%s\"%s\": [", k ? ",\n " : "", name);
		for (int i = 0, n = 0; i < por_module_count(m); i++) {
			const char *function = por_module_name(m, i);
			if (!is_function(por_module_kind(m, i))) continue;
			buffer_printf(&json, "%s\"%s\"", n++ ? ", " : "", function);
			if (o->json) continue;
			if (column + 2 + strlen(function) > 100) column = printf("\n%-10s", "") - 1;
			column += printf(" %s", function);
		}
		buffer_text(&json, "]");
		if (!o->json) puts("");
	}
	if (o->json) printf("{%s}\n", buffer_get(&json));
	buffer_free(&json);
	return EXIT_GOOD;
}

int list_target(const Options *o, Target *t)
{
	return list_module(o, t->graph, t->module, true);
}

/* Every function whose parameters say their types is elaborated: each mistake is told. */
static int check_target(Target *t)
{
	int status = EXIT_GOOD;
	TextBuffer head = {0};
	for (int i = 0; i < por_module_count(t->module); i++) {
		const char *name = por_module_name(t->module, i);
		const bool function = is_function(por_module_kind(t->module, i));
		if (!function || !add_head(&head, t->module, name)) continue;
		int mark = por_mark(t->graph);
		if (mark >= 0 && !por_function_named(t->module, name, 0, NULL)) status = target_fail(t);
		por_clear_error(t->graph);
		if (mark >= 0) por_release(t->graph, mark);
	}
	buffer_free(&head);
	return status;
}

static int no_module(const Options *o, const char *word)
{
	const char *name, *near = NULL;
	for (int i = 0; (name = por_library_module(i)) && !near; i++)
		if (resembles(word, name)) near = name;
	const char *dot = strchr(word, '.');
	for (int i = 0; dot && (name = por_library_module(i)); i++)
		if (strlen(name) == (size_t)(dot - word) && !strncmp(name, word, strlen(name)))
			return complain(o, EXIT_FAILED, "%s: a module was wanted; porism list %s has its functions", word, name);
	return near ? complain(o, EXIT_FAILED, "the library has no module %s; did you mean %s?", word, near)
		    : complain(o, EXIT_FAILED, "the library has no module %s; porism list says which it has", word);
}

static int run(Options *o)
{
	Target t;
	if (o->nword > 1) return usage(o, "one file or module was wanted");
	const char *word = o->nword ? o->word[0] : NULL;
	bool file = word && (is_file_word(word) || is_input_word(word));
	int status = target_open(&t, o, file ? word : "0");
	if (status != EXIT_GOOD) {
		/* it is told */
	} else if (file && t.function) {
		status = usage(o, "%s: a file was wanted, without :%s", word, t.function);
	} else if (file && option(o, "check")) {
		status = check_target(&t);
	} else if (file) {
		status = list_target(o, &t);
	} else if (word) {
		por_module *m = por_load_library(t.graph, word);
		status = m ? list_module(o, t.graph, m, false)
			   : no_module(o, word);
	} else {
		status = list_library(o, &t);
	}
	target_close(&t);
	return status;
}

static const OptionSpec own[] = {
	{"check", 0, NULL, "of a file: no list, but every mistake in functions whose parameters say their types"},
	{0},
};

const Command command_list = {"list", "[FILE.por [--check] | MODULE]", "what a file or a module of the library declares",
	"  porism list hmm.por\n"
	"  porism list logp\n"
	"Each with its parameters and the comment above it.  Without a word: the modules and their functions.",
	own, TAKES_LIMITS, run, true};
