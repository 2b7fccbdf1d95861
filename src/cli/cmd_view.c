/* cmd_view.c - view: the graph before and after rewriting, as SVG by Graphviz, or as its text. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The nodes and edges of a function's graph, inside a frame with a title; names of nodes get a prefix. */
static bool add_graph(TextBuffer *b, por_function *f, const char *prefix, const char *title)
{
	char *text = por_print_dot(f);
	const char *at = text ? strchr(text, '{') : NULL;
	if (!at) return false;
	buffer_printf(b, "subgraph cluster_%s {\n\tlabel=\"%s\"; color=\"#bbbbbb\";", prefix, title);
	bool quoted = false;
	for (at++; *at; at++) {
		bool starts =
			!quoted && strchr("nr", *at) && strchr(" \t", at[-1]) && at[1] >= '0' && at[1] <= '9';
		if (*at == '"' && at[-1] != '\\') quoted = !quoted;
		if (starts) buffer_printf(b, "%s_", prefix);
		buffer_add(b, at, 1);
	}
	por_text_free(text);
	return true;
}

static bool draw(por_function *f, const Options *o, TextBuffer *b)
{
	por_options compile;
	if (!options_compile(o, &compile)) return false;
	const char *stage = option(o, "stage") ? option(o, "stage") : "stable";
	por_function *written = por_optimise(f, &compile, "written"),
		     *after = por_optimise(f, &compile, stage);
	buffer_text(b, "digraph porism {\n\tfontname=\"monospace\"; edge [arrowsize=0.6];\n");
	char *title = text_of("after %s", stage);
	bool good = written && after && add_graph(b, written, "before", "as written") &&
		add_graph(b, after, "after", title);
	buffer_text(b, "}\n");
	free(title);
	return good;
}

static bool read_whole(FILE *from, TextBuffer *to)
{
	char part[4096];
	rewind(from);
	for (size_t n; (n = fread(part, 1, sizeof part, from));) buffer_add(to, part, n);
	return !ferror(from);
}

/* Runs dot -Tsvg between two files without names: 0, or the errno of a file that cannot be written or read.
 * *status: dot's own; 127: it cannot be run. */
static int run_dot(const char *text, TextBuffer *picture, int *status)
{
	FILE *source = tmpfile(), *drawn = tmpfile();
	size_t n = strlen(text);
	bool written = source && drawn && fwrite(text, 1, n, source) == n && !fflush(source) &&
		!fseek(source, 0, SEEK_SET);
	int problem = EIO;
	if (written)
		problem = 0;
	else if (errno)
		problem = errno;
	pid_t child = written ? fork() : -1;
	if (!child) {
		dup2(fileno(source), STDIN_FILENO);
		dup2(fileno(drawn), STDOUT_FILENO);
		execlp("dot", "dot", "-Tsvg", (char *)NULL);
		_exit(127);
	}
	int end = 0;
	while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR) {}
	*status = child > 0 && WIFEXITED(end) ? WEXITSTATUS(end) : 127;
	if (!problem && !*status && !read_whole(drawn, picture)) problem = EIO;
	if (source) fclose(source);
	if (drawn) fclose(drawn);
	return problem;
}

static int write_file(const Options *o, const char *path, const char *text, size_t n)
{
	char error[512];
	Output out;
	if (output_open(&out, path, error, sizeof error)) output_write(&out, text, n);
	if (!out.file || !output_close(&out, error, sizeof error))
		return complain(o, EXIT_ENVIRONMENT, "%s", error);
	return EXIT_GOOD;
}

static int write_view(const Options *o, const char *text)
{
	const char *path = option(o, "output") ? option(o, "output") : "graph.svg";
	size_t n = strlen(path);
	bool dot_wanted = n > 4 && !strcmp(path + n - 4, ".dot"),
	     stem = n > 4 && !strcmp(path + n - 4, ".svg");
	char *shown = text_of("%s", path);
	TextBuffer picture = {0};
	int drawn = 0, problem = dot_wanted ? 0 : run_dot(text, &picture, &drawn), status = EXIT_GOOD;
	if (dot_wanted)
		status = write_file(o, path, text, strlen(text));
	else if (problem)
		status = complain(o, EXIT_ENVIRONMENT, "a file for Graphviz: %s", strerror(problem));
	else if (drawn && drawn != 127)
		status = complain(o, EXIT_ENVIRONMENT, "%s: Graphviz (dot) did not draw it: exit status %d",
			path, drawn);
	else if (drawn) {
		free(shown);
		shown = text_of("%.*s.dot", (int)(stem ? n - 4 : n), path);
		status = write_file(o, shown, text, strlen(text));
		if (status == EXIT_GOOD)
			fprintf(stderr, "porism: Graphviz (dot) cannot be run; its input is in %s\n", shown);
	} else
		status = write_file(o, path, buffer_get(&picture), picture.n);
	buffer_free(&picture);
	TextBuffer json = {0};
	json_key(&json, "file");
	json_text(&json, shown);
	if (status == EXIT_GOOD && o->json) printf("{%s}\n", json.text);
	if (status == EXIT_GOOD && !o->json) puts(shown);
	buffer_free(&json);
	free(shown);
	return status;
}

static int view(const Options *o, Target *t, Arguments *a)
{
	TextBuffer b = {0};
	int status = EXIT_GOOD;
	por_function *f = target_function(t, t->function, a, &status);
	if (f && !draw(f, o, &b)) status = stage_fail(t);
	if (status == EXIT_GOOD) status = write_view(o, b.text);
	buffer_free(&b);
	return status;
}

static int run(Options *o)
{
	return run_target(o, "drawn", view);
}

static const OptionSpec own[] = {
	{"output", 'o', "FILE", "the picture; graph.svg if not given; .dot: Graphviz's input", 0,
		".svg or .dot"},
	{"stage", 0, "NAME", "of rewriting: merge, map, algebra, stable, remerge, lower; else stable"},
	{0},
};

const Command command_view = {"view", "FILE:FN | 'EXPR' ['name: type']... [-o FILE.svg]",
	"a picture of the graph before and after rewriting",
	"Graphviz draws it; without dot its input is written.", own, TAKES_LAWS | TAKES_RULES | TAKES_LIMITS,
	run};
