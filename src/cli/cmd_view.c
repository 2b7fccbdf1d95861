/* cmd_view.c - view: the graph before and after rewriting, as SVG by Graphviz, or as its text. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONSTANT_TEXT = 24 };

static void add_label(Buffer *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') buffer_text(b, "\\");
		if (*text == '\n')
			buffer_text(b, "\\n");
		else
			buffer_add(b, text, 1);
	}
}

/* What a node shows: its name, number or operator; its attributes; its type. */
static void add_node(Buffer *b, por_node *x, const char *id)
{
	int op = por_node_op(x), attributes = por_node_nattributes(x);
	const char *name = por_op_text(op), *kind = por_op_name(op);
	bool input = !strcmp(kind, "INPUT") || !strcmp(kind, "PARAM"), constant = !strcmp(kind, "CONST");
	char *type = por_type_text(por_node_type(x));
	buffer_printf(b, "\t%s [label=\"", id);
	double number;
	if (input)
		add_label(b, por_node_name(x));
	else if (constant && !por_node_number(x, &number)) {
		char text[NUMBER_TEXT_MAX];
		add_label(b, number_text(number, text));
	} else
		add_label(b, constant ? "data" : name);
	Buffer list = {0};
	for (int i = 0; i < attributes && !input && !constant; i++) {
		por_attribute a;
		if (por_node_attribute(x, i, &a)) continue;
		const char *comma = list.n ? ", " : "";
		char *size = a.kind == POR_ATTR_SIZE ? por_size_text(por_node_graph(x), a.size) : NULL;
		if (a.kind == POR_ATTR_INT) buffer_printf(&list, "%s%lld", comma, (long long)a.integer);
		if (size) buffer_printf(&list, "%s%s", comma, size);
		if (a.kind == POR_ATTR_DTYPE) buffer_printf(&list, "%s%s", comma, por_dtype_name(a.dtype));
		if (a.kind == POR_ATTR_NAME && a.name) buffer_printf(&list, "%s%s", comma, a.name);
		por_text_free(size);
	}
	if (list.n && list.n < 2 * CONSTANT_TEXT) {
		buffer_text(b, "[");
		add_label(b, list.text);
		buffer_text(b, "]");
	}
	buffer_free(&list);
	buffer_text(b, "\\n");
	add_label(b, type ? type : "");
	buffer_printf(b, "\"%s];\n", input ? ", shape=box, style=filled, fillcolor=\"#dfeaf5\""
				   : constant ? ", shape=plaintext" : "");
	por_text_free(type);
}

static void add_graph(Buffer *b, const char *prefix, const char *title, int n, por_node *const *root)
{
	por_region *r = por_region_of(n, root);
	buffer_printf(b, "subgraph cluster_%s {\n\tlabel=\"%s: %d nodes\"; color=\"#bbbbbb\";\n", prefix, title,
		por_region_count(r));
	for (int i = 0; i < por_region_count(r); i++) {
		por_node *x = por_region_node(r, i);
		char id[64];
		snprintf(id, sizeof id, "%s%d", prefix, i);
		add_node(b, x, id);
		for (int k = 0; k < por_node_nargs(x); k++)
			buffer_printf(b, "\t%s%d -> %s;\n", prefix, por_region_place(r, por_node_arg(x, k)), id);
	}
	for (int i = 0; i < n; i++) {
		buffer_printf(b, "\t%sr%d [label=\"result%s\", shape=plaintext];\n", prefix, i, n > 1 ? "s" : "");
		buffer_printf(b, "\t%s%d -> %sr%d;\n", prefix, por_region_place(r, root[i]), prefix, i);
	}
	buffer_text(b, "}\n");
	por_region_free(r);
}

static bool draw(Target *t, por_function *f, const char *stages, Buffer *b)
{
	Opened open;
	buffer_text(b, "digraph porism {\n\tnode [fontname=\"Helvetica\", fontsize=11, shape=ellipse];\n"
		       "\tedge [arrowsize=0.6];\n\tfontname=\"Helvetica\";\n");
	bool good = open_function(t->graph, f, NULL, &open);
	if (good) add_graph(b, "before", "as written", open.nresult, open.result);
	good = good && !por_simplify(open.nresult, open.result, stages);
	if (good) add_graph(b, "after", "rewritten", open.nresult, open.result);
	buffer_text(b, "}\n");
	opened_free(&open);
	return good;
}

/* dot -Tsvg; false when there is no dot. */
static bool run_dot(const char *source, const char *picture)
{
	pid_t child = fork();
	if (child < 0) return false;
	if (!child) {
		execlp("dot", "dot", "-Tsvg", "-o", picture, source, (char *)NULL);
		_exit(127);
	}
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int write_view(const Options *o, const char *text)
{
	const char *path = option(o, "o") ? option(o, "o") : "graph.svg", *shown = path;
	size_t n = strlen(path);
	bool dot_wanted = n > 4 && !strcmp(path + n - 4, ".dot"), stem = n > 4 && !strcmp(path + n - 4, ".svg");
	char *dot = dot_wanted ? text_of("%s", path) : text_of("%.*s.dot", (int)(stem ? n - 4 : n), path);
	char error[512];
	Output out;
	int status = EXIT_GOOD;
	if (output_open(&out, dot, error, sizeof error)) output_write(&out, text, strlen(text));
	if (!out.file || !output_close(&out, error, sizeof error)) status = fail(o, EXIT_ENVIRONMENT, "%s", error);
	if (status == EXIT_GOOD && !dot_wanted) {
		if (run_dot(dot, path))
			unlink(dot);
		else {
			fprintf(stderr, "porism: Graphviz (dot) cannot be run; its input is in %s\n", dot);
			shown = dot;
		}
	}
	if (status == EXIT_GOOD) printf(o->json ? "{\"file\": \"%s\"}\n" : "%s\n", shown);
	free(dot);
	return status;
}

static int run(Options *o)
{
	Target t;
	Arguments a = {0};
	Buffer b = {0};
	if (!o->nword) return usage(o, "what is to be drawn? %s", o->command->words);
	int status = target_open(&t, o, o->word[0]);
	if (status == EXIT_GOOD && t.file && !t.function) status = usage(o, "%s:NAME was wanted", o->word[0]);
	if (status == EXIT_GOOD) status = arguments_read(&a, &t, o, 1);
	if (status == EXIT_GOOD) {
		por_function *f = target_function(&t, t.function, &a, &status);
		if (f && !draw(&t, f, option(o, "stages"), &b)) status = target_fail(&t);
	}
	if (status == EXIT_GOOD) status = write_view(o, b.text);
	buffer_free(&b);
	arguments_free(&a);
	target_close(&t);
	return status;
}

static const OptionSpec own[] = {
	{"o", 'o', "FILE", "the picture; graph.svg if not given; .dot: Graphviz's input"},
	{"stages", 0, "LIST", "stages of rewriting: algebra,stable"},
	{0},
};

const Command command_view = {"view", "FILE:FN | 'EXPR' ['name: type']... [-o FILE.svg]",
	"a picture of the graph before and after rewriting", "Graphviz draws it; without dot its input is written.",
	own, run};
