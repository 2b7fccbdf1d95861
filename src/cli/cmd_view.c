/* cmd_view.c - view: a page that shows what became of a function; or its graph before and after rewriting, as
 * SVG by Graphviz, or as Graphviz's input. */
#include "cli.h"

#include <ctype.h>
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
		bool frame = !quoted && !strncmp(at, "cluster_", strlen("cluster_"));
		if (starts) buffer_printf(b, "%s_", prefix);
		if (frame) buffer_printf(b, "cluster_%s_", prefix);
		if (frame)
			at += strlen("cluster_") - 1;
		else
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

/* The same picture with one graph below the other: edges that are not seen lead from the results of the one,
 * by a point between them, to all that begins the other. */
static void put_below(const char *text, TextBuffer *to)
{
	buffer_add(to, text, (size_t)(strrchr(text, '}') - text));
	buffer_text(to, "\tbetween [style=invis, shape=point];\n");
	for (const char *line = text; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
		char name[32], arrow[40];
		int end = 0;
		if (sscanf(line, "\t%31[a-z_0-9] [label=%n", name, &end) != 1 || !end) continue;
		snprintf(arrow, sizeof arrow, "-> %s", name);
		const char *at = strstr(text, arrow);
		while (at && isdigit((unsigned char)at[strlen(arrow)])) at = strstr(at + 1, arrow);
		if (!strncmp(name, "before_r", 8)) buffer_printf(to, "\t%s -> between [style=invis];\n", name);
		if (!strncmp(name, "after_n", 7) && !at) buffer_printf(to, "\tbetween -> %s [style=invis];\n", name);
	}
	buffer_text(to, "}\n");
}

static double width_of(const TextBuffer *picture)
{
	const char *at = strstr(picture->text, "<svg width=\"");
	return at ? atof(at + strlen("<svg width=\"")) : 0;
}

/* The two graphs beside each other, or, where that is too wide for a screen, below. */
static int draw_both(const char *text, TextBuffer *picture, int *status)
{
	const double wide = 1500;
	int problem = run_dot(text, picture, status), other = 0;
	if (problem || *status || width_of(picture) <= wide) return problem;
	TextBuffer below = {0}, drawn = {0};
	put_below(text, &below);
	if (!run_dot(below.text, &drawn, &other) && !other && width_of(&drawn) < width_of(picture)) {
		TextBuffer kept = *picture;
		*picture = drawn;
		drawn = kept;
	}
	buffer_free(&below);
	buffer_free(&drawn);
	return 0;
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

static void say_file(const Options *o, const char *path)
{
	TextBuffer json = {0};
	json_key(&json, "file");
	json_text(&json, path);
	if (o->json)
		printf("{%s}\n", json.text);
	else
		puts(path);
	buffer_free(&json);
}

/* The picture, or its text: FILE.svg or FILE.dot. */
static int write_picture(const Options *o, const char *path, const char *text)
{
	size_t n = strlen(path);
	bool dot_wanted = n > 4 && !strcmp(path + n - 4, ".dot"),
	     stem = n > 4 && !strcmp(path + n - 4, ".svg");
	char *shown = text_of("%s", path);
	TextBuffer picture = {0};
	int drawn = 0, problem = dot_wanted ? 0 : draw_both(text, &picture, &drawn), status = EXIT_GOOD;
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
	if (status == EXIT_GOOD) say_file(o, shown);
	free(shown);
	return status;
}

static int view_picture(const Options *o, Target *t, por_function *f, const char *path)
{
	TextBuffer b = {0};
	int status = draw(f, o, &b) ? EXIT_GOOD : stage_fail(t);
	if (status == EXIT_GOOD) status = write_picture(o, path, b.text);
	buffer_free(&b);
	return status;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Calls of code that is native by now, where there is a compiler, so that times are worth looking at. */
static int measure(CompiledCall *c, Target *t)
{
	enum { FEW = 5, MANY = 100 };
	const double compiler = 30, calls = 0.5;
	int status = EXIT_GOOD;
	por_wait(c->program, compiler);
	double end = seconds_now() + calls;
	for (int i = 0; i < MANY && (i < FEW || seconds_now() < end) && status == EXIT_GOOD; i++) {
		TextValue v = {0};
		status = call_run(c, t, &v);
		value_free(&v);
	}
	return status;
}

/* An expression for an input of a declared type whose sizes are numbers, from malloc; NULL: there is none. */
static char *drawn_text(const Options *o, const por_leaf *leaf)
{
	int dtype = por_type_dtype(leaf->type), rank = por_type_rank(leaf->type);
	const char *name = por_dtype_name(dtype), *seed = option(o, "seed") ? option(o, "seed") : "0";
	char *type = need(por_type_text(leaf->type)), *text = NULL;
	const char *sizes = type + strcspn(type, "[");
	bool known = strspn(sizes, "[], 0123456789") == strlen(sizes);
	if (dtype == POR_KEY && !rank)
		text = text_of("key(%s)", seed);
	else if (known && is_float_name(name) && !(leaf->low > 0) && !(leaf->high < 1))
		text = text_of("uniform[%s](key(%s))", type, seed);
	else if (known && (*name == 'i' || *name == 'u'))
		text = text_of("%s(%d)", type, rank == 0); /* as an index it is inside, as a number of passes there is one */
	else if (known && dtype == POR_BOOL)
		text = text_of("%s(true)", type);
	por_text_free(type);
	return text;
}

/* Has every input a value?  Keys and what was declared with its sizes are drawn. */
static bool make_ready(CompiledCall *c, Target *t)
{
	bool all = true;
	for (int i = 0; i < c->nin && all; i++) {
		por_leaf leaf = input_of(c->function, i);
		char *text = c->bound[i] ? NULL : drawn_text(t->options, &leaf);
		TextValue v = {0};
		if (text && evaluate_text(t, NULL, text, &v) == EXIT_GOOD && v.kind == VALUE_ARRAY) {
			c->own[i] = v.array;
			c->in[i] = array_view(&c->own[i]);
			c->bound[i] = true;
			v.array = (FileArray){0};
		}
		all = c->bound[i];
		value_free(&v);
		free(text);
	}
	return all;
}

static int write_page(const Options *o, Target *t, por_program *p, const char *path)
{
	size_t n = 0;
	const char **file = need(calloc(t->sources.n + 2, sizeof *file)),
		   **text = need(calloc(t->sources.n + 2, sizeof *text));
	if (!t->file && t->source) {
		file[n] = "";
		text[n++] = t->source;
	}
	for (size_t i = 0; i < t->sources.n; i++) {
		file[n] = t->sources.v[i].file;
		text[n++] = t->sources.v[i].text;
	}
	const char *source = t->source ? t->source : "";
	char *title = t->file && t->function ? text_of("%s:%s", t->file, t->function) : text_of("%s", source);
	char *page = por_page(p, title, option(o, "stage"), (int)n, file, text);
	int status = EXIT_GOOD;
	if (page)
		status = write_file(o, path, page, strlen(page));
	else
		status = complain_with(o, por_program_error(p), NULL);
	if (status == EXIT_GOOD) say_file(o, path);
	por_text_free(page);
	free(title);
	free(file);
	free(text);
	return status;
}

static int view_page(const Options *o, Target *t, Arguments *a, const char *path)
{
	por_options compile;
	int status = EXIT_GOOD;
	if (!options_compile(o, &compile)) return EXIT_USAGE;
	compile.keep_stages = 2;
	por_function *f = target_function(t, t->function, a, &status);
	if (!f) return status;
	if (option(o, "stage") && !por_optimise(f, &compile, option(o, "stage"))) return stage_fail(t);
	CompiledCall c;
	status = call_bind(&c, t, f, a, true);
	bool all = status == EXIT_GOOD && a->n && make_ready(&c, t);
	compile.profile = all;
	if (!all && !option(o, "tier")) compile.tier = POR_TIER_INTERPRET;
	if (status == EXIT_GOOD) status = call_compile(&c, t, &compile);
	if (status == EXIT_GOOD && all) status = measure(&c, t);
	if (status == EXIT_GOOD) status = write_page(o, t, c.program, path);
	call_free(&c);
	return status;
}

static int view(const Options *o, Target *t, Arguments *a)
{
	const char *path = option(o, "output") ? option(o, "output") : "page.html";
	if (ends_with(path, ".html")) return view_page(o, t, a, path);
	int status = EXIT_GOOD;
	por_function *f = target_function(t, t->function, a, &status);
	return f ? view_picture(o, t, f, path) : status;
}

static int run(Options *o)
{
	return run_target(o, "drawn", view);
}

static const OptionSpec own[] = {
	{"output", 'o', "FILE", "page.html if not given; .svg: a picture by Graphviz; .dot: its input", 0,
		".html, .svg or .dot"},
	{"stage", 0, "NAME", "that is shown first: written, merge, map, algebra, stable, remerge, lower; else stable"},
	{0},
};

const Command command_view = {"view", "FILE:FN | 'EXPR' [name=VALUE | 'name: type']... [-o FILE.html]",
	"a page of graphs, rules, kernels and memory",
	"The page holds the graph of every stage, the rules applied, plan and memory, and needs no network.\n"
	"With a value for every input it is called for half a second, and the page has the times of its kernels;\n"
	"inputs that are declared with numbers as sizes, 'x: f64[1000]', are drawn.",
	own, TAKES_ALL, run};
