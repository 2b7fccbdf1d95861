/* main.c - the `porism` command: the table of commands.
 *
 * Exit: 0 good, 1 a computation or check failed, 2 usage, 3 environment, 130 interrupted.  Messages go to stderr.
 */
#include "cli.h"

#include <string.h>

const Command *const commands[] = {
	&command_eval,
	&command_run,
	&command_grad,
	&command_explain,
	&command_fit,
	&command_build,
	&command_rules,
	&command_view,
	&command_check,
	&command_cache,
	NULL,
};

static void help(FILE *to)
{
	fprintf(to,
		"porism COMMAND FILE:FN | 'EXPR' [name=VALUE | name=@FILE | 'name: type']...\n\n"
		"A compiler for tensor mathematics, version %s.\n\ncommands\n",
		por_version());
	for (int i = 0; commands[i]; i++)
		fprintf(to, "  %-8s  %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nvalues\n"
	      "  x=2.5  y='[1, 2, 3]'  p='{w = [1.0, 2.0], b = 0.0}'  k='key(7)'    expressions\n"
	      "  X=@data.npy  X=@data.npz:key  y=@table.csv:column  p=@model.npz    files\n"
	      "  'y: f64[m]'                                                        a type\n"
	      "Undeclared names are f64; beside @ a capital is a matrix and a small letter a vector.\n"
	      "A word that begins with one minus and is no option is an expression.\n\noptions\n"
	      "  --version                 print the version\n",
		to);
	for (const OptionSpec *s = shared_options; s->name; s++) {
		char left[64];
		snprintf(left, sizeof left, "--%s%s%s", s->name, s->argument ? " " : "",
			s->argument ? s->argument : "");
		fprintf(to, "  %-24s  %s\n", left, s->help);
	}
	fputs("\nporism COMMAND --help says which of these it takes, and what else.\n"
	      "Exit: 0 good, 1 failed, 2 usage, 3 environment, 130 interrupted.\n",
		to);
}

static bool has_help(int n, char **words)
{
	for (int i = 0; i < n && strcmp(words[i], "--"); i++)
		if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) return true;
	return false;
}

int main(int n, char **words)
{
	if (n < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(words[1], "--version"))
		return printf("porism %s\n", por_version()) < 0 ? EXIT_ENVIRONMENT : EXIT_GOOD;
	if (!strcmp(words[1], "help") && n == 3 && words[2][0] != '-') {
		words[1] = words[2], words[2] = "--help";
	}
	if (!strcmp(words[1], "--help") || !strcmp(words[1], "-h") || !strcmp(words[1], "help")) {
		help(stdout);
		return EXIT_GOOD;
	}
	for (int i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, words[1])) continue;
		if (has_help(n - 2, words + 2)) {
			options_help(stdout, commands[i]);
			return EXIT_GOOD;
		}
		Options o;
		int status = EXIT_USAGE;
		interrupt_open();
		if (options_read(&o, commands[i], n - 2, words + 2)) status = commands[i]->run(&o);
		options_free(&o);
		interrupt_close();
		if (interrupted()) {
			fprintf(stderr, "porism: interrupted\n");
			status = interrupted();
		}
		if (fflush(stdout) && status == EXIT_GOOD) {
			perror("porism: standard output");
			status = EXIT_ENVIRONMENT;
		}
		return status;
	}
	fprintf(stderr, "porism: no command %s; porism --help lists them\n", words[1]);
	return EXIT_USAGE;
}
