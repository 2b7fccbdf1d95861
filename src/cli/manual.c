/* manual.c - what the table of commands says, as a page of the manual and as completion for shells. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* ---- porism.1 ---------------------------------------------------------------------------------- */

/* Text as roff takes it; no line of ours begins with a point or an apostrophe that is a request. */
static void roff(FILE *to, const char *text, size_t n)
{
	if (n && (*text == '.' || *text == '\'')) fputs("\\&", to);
	for (size_t i = 0; i < n; i++) {
		switch (text[i]) {
		case '\\': fputs("\\e", to); break;
		case '-': fputs("\\-", to); break;
		case '\'': fputs("\\(aq", to); break;
		case '^': fputs("\\(ha", to); break;
		case '~': fputs("\\(ti", to); break;
		case '`': fputs("\\(ga", to); break;
		default: fputc(text[i], to);
		}
	}
}

static void roff_text(FILE *to, const char *text)
{
	roff(to, text, strlen(text));
}

/* Paragraphs: lines that are indented stay lines, others are filled. */
static void roff_lines(FILE *to, const char *text)
{
	bool kept = false;
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		bool keep = *text == ' ';
		if (keep != kept) fputs(keep ? ".PP\n.nf\n" : ".fi\n.PP\n", to);
		kept = keep;
		roff(to, text, n);
		fputc('\n', to);
	}
	if (kept) fputs(".fi\n", to);
}

static void roff_option(FILE *to, const OptionSpec *s)
{
	fputs(".TP\n.B ", to);
	if (s->letter) fprintf(to, "\\-%c, ", s->letter);
	fputs("\\-\\-", to);
	roff_text(to, s->name);
	if (s->argument) fprintf(to, " \\fI%s\\fR", s->argument);
	fputc('\n', to);
	roff_text(to, s->help);
	fputc('\n', to);
}

static void roff_command(FILE *to, const Command *c)
{
	fprintf(to, ".SS %s\n.B porism %s\n", c->name, c->name);
	roff_text(to, c->words);
	fputs("\n.PP\n", to);
	roff_text(to, c->summary);
	fputs(".\n.PP\n", to);
	if (c->help) roff_lines(to, c->help);
	for (const OptionSpec *s = c->options; s && s->name; s++) roff_option(to, s);
	fputs(".PP\nIt takes", to);
	for (const OptionSpec *s = shared_options; s->name; s++)
		if (option_is_taken(c, s)) fprintf(to, " \\-\\-%s%s", s->name, s[1].name ? "," : ".\n");
}

void manual_print(FILE *to)
{
	fprintf(to,
		".TH PORISM 1 \"\" \"porism %s\"\n.SH NAME\nporism \\- a compiler for tensor mathematics\n"
		".SH SYNOPSIS\n.nf\n.B porism \\fICOMMAND\\fR FILE:FN | \\(aqEXPR\\(aq "
		"[name=VALUE | name=@FILE | \\(aqname: type\\(aq]...\n.B porism \\fICOMMAND\\fR \\-\\-help\n.fi\n"
		".SH DESCRIPTION\nA computation is written as mathematics, on the command line or in a file; what "
		"follows is its value, its derivatives, the rules that were applied, native code, C.\n"
		".SS Values\n",
		por_version());
	roff_lines(to, about_values);
	fputs(".SH COMMANDS\n", to);
	for (int i = 0; commands[i]; i++) roff_command(to, commands[i]);
	fputs(".SH OPTIONS OF SEVERAL COMMANDS\n", to);
	for (const OptionSpec *s = shared_options; s->name; s++) roff_option(to, s);
	fputs(".SH EXIT STATUS\n", to);
	roff_lines(to, about_exit);
	fputs(".SH ENVIRONMENT\n", to);
	static const char *const variables[][2] = {
		{"CC", "the C compiler that makes native code; else cc, gcc or clang"},
		{"PORISM_CACHE",
		"the folder of native code that is kept; else porism in $XDG_CACHE_HOME or in "
				 "~/.cache"},
		{"PORISM_CACHE_LIMIT", "its size in bytes: what was not used for longest goes"},
		{"NO_COLOR, TERM=dumb", "progress without colours, line by line"},
	};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		fprintf(to, ".TP\n.B %s\n", variables[i][0]);
		roff_text(to, variables[i][1]);
		fputc('\n', to);
	}
}

/* ---- completion ---------------------------------------------------------------------------------- */

/* The words that a command may begin with: of "list [FILE] | show NAME" list and show. */
static void put_first_words(FILE *to, const Command *c)
{
	for (const char *at = c->words; at; at = strchr(at, '|')) {
		at += strspn(at, "| ");
		size_t n = strcspn(at, " "), lower = 0;
		while (lower < n && islower((unsigned char)at[lower])) lower++;
		if (lower == n) fprintf(to, "%.*s ", (int)n, at);
	}
}

static void put_options(FILE *to, const Command *c)
{
	for (const OptionSpec *s = c->options; s && s->name; s++) {
		if (s->letter) fprintf(to, "-%c ", s->letter);
		fprintf(to, "--%s ", s->name);
	}
	for (const OptionSpec *s = shared_options; s->name; s++)
		if (option_is_taken(c, s)) fprintf(to, "--%s ", s->name);
}

static void put_tiers(FILE *to)
{
	for (int i = 0; tier_name(i); i++) fprintf(to, "%s%s", i ? " " : "", tier_name(i));
}

static void bash(FILE *to)
{
	fputs("# Completion of porism for bash, made by `porism --completion=bash`.\n"
	      "_porism()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= first= typed\n"
	      "\ttyped=${COMP_LINE:0:COMP_POINT}\n"
	      "\ttyped=${typed##* }\t\t# also what bash takes for several words: FILE:FN, name=@FILE\n"
	      "\tcase ${COMP_WORDS[1]} in\n", to);
	for (int i = 0; commands[i]; i++) {
		fprintf(to, "\t%s) options='", commands[i]->name);
		put_options(to, commands[i]);
		fputs("' first='", to);
		put_first_words(to, commands[i]);
		fputs("' ;;\n", to);
	}
	fputs("\tesac\n\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W '", to);
	for (int i = 0; commands[i]; i++) fprintf(to, "%s ", commands[i]->name);
	fputs("help --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
	      "\t[ \"$before\" != --tier ] || {\n\t\tCOMPREPLY=($(compgen -W '", to);
	put_tiers(to);
	fputs("' -- \"$word\"))\n\t\treturn\n\t}\n"
	      "\tcase $typed in\n"
	      "\t*.por:*)\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$(sed -nE 's/^(fn|op|let) ([A-Za-z_0-9]+).*/\\2/p' "
	      "\"${typed%:*}\" 2>/dev/null)\" -- \"${typed##*:}\")) ;;\n"
	      "\t*=@*)\n\t\tCOMPREPLY=($(compgen -f -- \"${typed#*=@}\")) ;;\n"
	      "\t-*)\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
	      "\t*)\n\t\tif ((COMP_CWORD == 2)) && [ \"$first\" ]; then\n"
	      "\t\t\tCOMPREPLY=($(compgen -W \"$first\" -- \"$word\"))\n"
	      "\t\telse\n\t\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n\t\tfi ;;\n"
	      "\tesac\n}\ncomplete -o filenames -F _porism porism\n", to);
}

/* In _arguments a bracket or colon of the help would end it, an apostrophe the word. */
static void zsh_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text)) fputc('\\', to);
		fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, to);
	}
}

static void zsh_option(FILE *to, const OptionSpec *s)
{
	if (s->letter)
		fprintf(to, " \\\n\t\t'*'{-%c,--%s}'", s->letter, s->name);
	else
		fprintf(to, " \\\n\t\t'*--%s", s->name);
	fputc('[', to);
	zsh_text(to, s->help);
	fputc(']', to);
	if (s->argument && s->of == TAKES_TIER && !strcmp(s->argument, "TIER")) {
		fputs(":tier:(", to);
		put_tiers(to);
		fputc(')', to);
	} else if (s->argument) {
		const char *what = " ";
		if (!strcmp(s->argument, "FILE"))
			what = "_files";
		else if (!strcmp(s->argument, "DIR"))
			what = "_files -/";
		fprintf(to, ":%s:%s", s->argument, what);
	}
	fputc('\'', to);
}

static void zsh(FILE *to)
{
	fputs("#compdef porism\n# Completion of porism for zsh, made by `porism --completion=zsh`.\n"
	      "_porism_word()\n{\n"
	      "\tif compset -P '*=@'; then\n\t\t_files\n"
	      "\telif [[ $PREFIX == *.por:* ]]; then\n"
	      "\t\tlocal file=${PREFIX%%:*}\n\t\tcompset -P '*:'\n"
	      "\t\tcompadd -- $(sed -nE 's/^(fn|op|let) ([A-Za-z_0-9]+).*/\\2/p' $file 2>/dev/null)\n"
	      "\telse\n\t\tcompadd -- $=1\n\t\t_files\n\tfi\n}\n"
	      "_porism()\n{\n\tlocal -a commands\n\tcommands=(", to);
	for (int i = 0; commands[i]; i++) {
		fprintf(to, "\n\t\t'%s:", commands[i]->name);
		zsh_text(to, commands[i]->summary);
		fputc('\'', to);
	}
	fputs(")\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tcase $words[2] in\n", to);
	for (int i = 0; commands[i]; i++) {
		const Command *c = commands[i];
		fprintf(to, "\t%s)\n\t\tshift words\n\t\t((CURRENT--))\n\t\t_arguments", c->name);
		for (const OptionSpec *s = c->options; s && s->name; s++) zsh_option(to, s);
		for (const OptionSpec *s = shared_options; s->name; s++)
			if (option_is_taken(c, s)) zsh_option(to, s);
		fputs(" \\\n\t\t'*:word:{_porism_word \"", to);
		put_first_words(to, c);
		fputs("\"}' ;;\n", to);
	}
	fputs("\tesac\n}\n_porism \"$@\"\n", to);
}

bool completion_print(FILE *to, const char *shell)
{
	if (!strcmp(shell, "bash"))
		bash(to);
	else if (!strcmp(shell, "zsh"))
		zsh(to);
	else
		return false;
	return true;
}
