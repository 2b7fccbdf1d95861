/* main.c - the `porism` command: the table of commands.
 *
 * Exit: 0 good, 1 a computation or check failed, 2 usage, 3 environment, 130 interrupted.  Messages go to
 * stderr.
 */
#include "cli.h"

#include <string.h>
#include <unistd.h>

const Command *const commands[] = {
	&command_eval,
	&command_run,
	&command_grad,
	&command_list,
	&command_repl,
	&command_explain,
	&command_improve,
	&command_fit,
	&command_build,
	&command_rules,
	&command_view,
	&command_check,
	&command_fmt,
	&command_cache,
	NULL,
};

const char about_values[] =
	"  x=2.5  y='[1, 2, 3]'  p='{w = [1.0, 2.0], b = 0.0}'  k='key(7)'    expressions\n"
	"  X=@data.npy  X=@data.npz:key  y=@table.csv:column  p=@model.npz    files\n"
	"  'y: f64[m]'                                                        a type\n"
	"Undeclared names are f64; beside @ a capital is a matrix and a small letter a vector.\n"
	"A word that begins with one minus and is no option is an expression.\n";
const char about_exit[] = "Exit: 0 good, 1 failed, 2 usage, 3 environment, 130 interrupted.\n";

static void help(FILE *to)
{
	fprintf(to,
		"porism COMMAND FILE:FN | 'EXPR' [name=VALUE | name=@FILE | 'name: type']...\n\n"
		"A compiler for tensor mathematics, version %s.\n\ncommands\n",
		por_version());
	for (int i = 0; commands[i]; i++)
		fprintf(to, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "\nvalues\n%s\noptions\n", about_values);
	fputs("  --version                 print the version\n"
	      "  --completion SHELL        print what completes words in bash or zsh\n"
	      "  --syntax EDITOR           print what colours the notation: vim, ftdetect (for Vim too) or textmate\n"
	      "  --manual                  print the page of the manual, for man -l\n",
		to);
	for (const OptionSpec *s = shared_options; s->name; s++) {
		char left[64];
		snprintf(left, sizeof left, "--%s%s%s", s->name, s->argument ? " " : "",
			s->argument ? s->argument : "");
		fprintf(to, "  %-24s  %s\n", left, s->help);
	}
	fprintf(to, "\nporism COMMAND --help says which of these it takes, and what else.\n%s", about_exit);
}

static bool has_help(int n, char **words)
{
	for (int i = 0; i < n && strcmp(words[i], "--"); i++)
		if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) return true;
	return false;
}

/* What --NAME=VALUE or --NAME VALUE says, or "" for nothing; NULL: it is another word. */
static const char *told(int n, char **words, const char *name)
{
	size_t length = strlen(name);
	if (strncmp(words[1], name, length)) return NULL;
	if (words[1][length] == '=') return words[1] + length + 1;
	if (words[1][length]) return NULL;
	return n > 2 ? words[2] : "";
}

/* --version, --manual, --completion SHELL, --syntax EDITOR, --help: the status; -1: none of them. */
static int tell(int n, char **words)
{
	const char *word = words[1], *shell = told(n, words, "--completion"), *editor = told(n, words, "--syntax");
	if (!strcmp(word, "--version")) {
		printf("porism %s\n", por_version());
	} else if (!strcmp(word, "--manual")) {
		manual_print(stdout);
	} else if (shell && !completion_print(stdout, shell)) {
		fprintf(stderr, "porism: --completion %s: bash or zsh was wanted\n", shell);
		return EXIT_USAGE;
	} else if (editor && !syntax_print(stdout, editor)) {
		fprintf(stderr, "porism: --syntax %s: vim, ftdetect or textmate was wanted\n", editor);
		return EXIT_USAGE;
	} else if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		help(stdout);
	} else if (!shell && !editor) {
		return -1;
	}
	return EXIT_GOOD;
}

static int run_command(const Command *c, int n, char **words)
{
	if (has_help(n, words)) {
		options_help(stdout, c);
		return EXIT_GOOD;
	}
	Options o;
	int status = EXIT_USAGE;
	interrupt_open();
	if (options_read(&o, c, n, words)) status = c->run(&o);
	options_free(&o);
	interrupt_close();
	if (interrupted()) {
		fprintf(stderr, "porism: interrupted\n");
		status = interrupted();
	}
	return status;
}

static int no_command(const char *word)
{
	int i = 0;
	while (commands[i] && !resembles(word, commands[i]->name)) i++;
	bool near = commands[i] != NULL;
	if (strstr(word, ".por") || strpbrk(word, "()+*^ ")) {
		const char *file = strstr(word, ".por"), *command = strchr(word, ':') ? "run" : "list";
		fprintf(stderr, "porism: no command %s; write porism %s '%s'\n", word, file ? command : "eval",
			word);
		return EXIT_USAGE;
	}
	fprintf(stderr, "porism: no %s %s; %s%s%sporism --help lists them\n",
		*word == '-' ? "option" : "command", word, near ? "did you mean " : "",
		near ? commands[i]->name : "", near ? "? " : "");
	return EXIT_USAGE;
}

int main(int n, char **words)
{
	if (n < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return run_command(&command_repl, 0, NULL);
	if (n < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(words[1], "help") && n == 3 && words[2][0] != '-') {
		words[1] = words[2];
		words[2] = "--help";
	}
	int status = tell(n, words), i = 0;
	if (status < 0) {
		while (commands[i] && strcmp(commands[i]->name, words[1])) i++;
		if (!commands[i]) {
			return no_command(words[1]);
		}
		status = run_command(commands[i], n - 2, words + 2);
	}
	bool lost = fflush(stdout) || ferror(stdout); /* a first part may have failed alone */
	if (lost && status == EXIT_GOOD) {
		fputs("porism: standard output cannot be written\n", stderr);
		status = EXIT_ENVIRONMENT;
	}
	return status;
}
