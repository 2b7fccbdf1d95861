/* cmd_build.c - build: a function as C that needs no Porism, or as a shared object. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_text(const Options *o, const char *path, const char *text)
{
	Output out;
	char error[512];
	if (!output_open(&out, path, error, sizeof error)) return complain(o, EXIT_ENVIRONMENT, "%s", error);
	output_write(&out, text, strlen(text));
	return output_close(&out, error, sizeof error) ? EXIT_GOOD
						       : complain(o, EXIT_ENVIRONMENT, "%s", error);
}

int compile_shared(const char *source, const char *object, char **command)
{
	const char *cc = getenv("CC"), *word[64];
	char *words = text_of("%s", cc && cc[strspn(cc, " \t")] ? cc : "cc");
	const char *rest[] = {
		"-std=gnu11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-o", object, source, NULL};
	size_t n = 0;
	TextBuffer b = {0};
	for (char *save = NULL, *at = strtok_r(words, " \t", &save); at && n < 40;
		at = strtok_r(NULL, " \t", &save))
		word[n++] = at;
	for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) word[n + k] = rest[k];
	for (size_t k = 0; word[k]; k++) buffer_printf(&b, "%s%s", k ? " " : "", word[k]);
	*command = b.text;
	pid_t child = fork();
	if (!child) {
		execvp(word[0], (char *const *)(uintptr_t)word);
		_exit(127);
	}
	int status = 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
	free(words);
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What is given becomes data of the program. */
static por_function *bind(Target *t, por_function *f, const CompiledCall *c)
{
	const char **path = need(calloc((size_t)c->nin + 1, sizeof *path));
	por_node **value = need(calloc((size_t)c->nin + 1, sizeof *value));
	int n = 0;
	for (int i = 0; i < c->nin; i++) {
		por_leaf leaf;
		if (!c->given[i] || por_function_input(f, i, &leaf)) continue;
		path[n] = leaf.path;
		value[n++] = por_constant_array(t->graph, &c->in[i]);
	}
	por_function *bound = n ? por_bind(f, n, path, value) : f;
	free(path);
	free(value);
	return bound;
}

static void add_leaves(const por_structure *s, int first, int **out)
{
	if (por_structure_leaf(s) >= 0) *(*out)++ = first + por_structure_leaf(s);
	for (int i = 0; i < por_structure_count(s); i++) add_leaves(por_structure_element(s, i), first, out);
}

int *declared_leaves(const por_function *f)
{
	int n = por_function_inputs(f), all = n + por_function_outputs(f);
	int *leaf = need(calloc((size_t)all + 1, sizeof *leaf)), *at = leaf;
	for (int i = 0; i < por_function_params(f); i++)
		add_leaves(por_function_param_structure(f, i), 0, &at);
	add_leaves(por_function_result_structure(f), n, &at);
	return leaf;
}

static void report(
	const Options *o, por_program *p, const por_function *f, const char *name, char *const *path)
{
	int *leaf = declared_leaves(f);
	TextBuffer b = {0};
	json_key(&b, "name");
	json_text(&b, name);
	json_key(&b, "files");
	buffer_text(&b, "[");
	for (int i = 0; path[i]; i++) {
		if (i) buffer_text(&b, ", ");
		json_text(&b, path[i]);
		if (!o->json) puts(path[i]);
	}
	buffer_text(&b, "]");
	json_key(&b, "inputs");
	buffer_text(&b, "[");
	for (int i = 0; i < por_program_inputs(p); i++) {
		if (i) buffer_text(&b, ", ");
		json_text(&b, por_program_input(p, leaf[i]));
	}
	buffer_text(&b, "]");
	if (o->json) printf("{%s}\n", b.text);
	buffer_free(&b);
	free(leaf);
}

static int write_program(const Options *o, por_program *p, const por_function *f, const char *name)
{
	const char *folder = option(o, "output") ? option(o, "output") : ".", *suffix = strrchr(folder, '.');
	if (suffix && (!strcmp(suffix, ".c") || !strcmp(suffix, ".h") || !strcmp(suffix, ".so") || !strcmp(suffix, ".o") ||
			      !strcmp(suffix, ".a")))
		return usage(o, "-o %s: a folder was wanted; in it are %s.c and %s.h", folder, name, name);
	char *path[4] = {text_of("%s/%s.c", folder, name), text_of("%s/%s.h", folder, name)};
	char *code = por_export_c(p, name, 0), *header = code ? por_export_c(p, name, 1) : NULL;
	int status = header ? EXIT_GOOD : complain_with(o, por_program_error(p), NULL);
	if (status == EXIT_GOOD && mkdir(folder, 0777) && errno != EEXIST)
		status = complain(o, EXIT_ENVIRONMENT, "%s: %s", folder, strerror(errno));
	if (status == EXIT_GOOD) status = write_text(o, path[0], code);
	if (status == EXIT_GOOD) status = write_text(o, path[1], header);
	if (status == EXIT_GOOD && option(o, "shared")) {
		path[2] = text_of("%s/lib%s.so", folder, name);
		char *command;
		int rc = compile_shared(path[0], path[2], &command);
		if (rc)
			status = complain(o, EXIT_ENVIRONMENT, "the C compiler %s: %s (CC names another)",
				rc == 127 ? "cannot be run" : "failed", command);
		free(command);
	}
	if (status == EXIT_GOOD) report(o, p, f, name, path);
	for (int i = 0; i < 3; i++) free(path[i]);
	por_text_free(code);
	por_text_free(header);
	return status;
}

static bool is_name(const char *text)
{
	size_t n = 0;
	while (is_name_char(text[n])) n++;
	return n && !text[n] && !(*text >= '0' && *text <= '9');
}

static int build(const Options *o, Target *t, Arguments *a)
{
	int status;
	por_options options;
	const char *called = option(o, "name");
	if (called && !is_name(called))
		return usage(o, "--name %s: a name was wanted: letters, numerals and _, and no numeral first",
			called);
	if (!options_compile(o, &options)) return EXIT_USAGE;
	options.tier = POR_TIER_INTERPRET;
	por_function *f = target_function(t, t->function, a, &status);
	if (!f) return status;
	CompiledCall c;
	status = call_bind(&c, t, f, a, true);
	if (status == EXIT_GOOD) {
		f = bind(t, f, &c);
		por_program *p = por_compile_function(f, &options);
		const char *name = "expression";
		if (called)
			name = called;
		else if (t->function)
			name = t->function;
		status = p ? write_program(o, p, f, name) : target_fail(t);
		por_program_free(p);
	}
	call_free(&c);
	return status;
}

static int run(Options *o)
{
	return run_target(o, "built", build);
}

static const OptionSpec own[] = {
	{"output", 'o', "DIR", "where the files go; else here"},
	{"name", 0, "NAME", "of the C function and the files; else the function's"},
	{"shared", 0, NULL, "a shared object too"},
	{0},
};

const Command command_build = {"build", "FILE:FN | 'EXPR' [name=@FILE | 'name: type']... [-o DIR] [--shared]",
	"C that needs no Porism, or a shared object",
	"  porism build model.por:predict p=@model.npz -o out    a trained model: p is data of the C file\n"
	"  porism build model.por:loss 'X: f64[100, 5]'          with fixed sizes; else they are parameters\n"
	"Writes NAME.c and NAME.h.",
	own, TAKES_LAWS | TAKES_RULES | TAKES_LIMITS, run};
