/* cmd_fmt.c - fmt: files of the notation, laid out. */
#include "cli.h"

#include <string.h>

static bool put_file(const char *path, const char *text, char *error, size_t room)
{
	Output out;
	if (!output_open(&out, path, error, room)) return false;
	output_write(&out, text, strlen(text));
	return output_close(&out, error, room);
}

/* One file, or standard input to standard output.  *differs: it was laid out otherwise. */
static int format_file(const Options *o, Target *t, const char *word, bool *differs)
{
	const char *file = is_input_word(word) ? input_name : word;
	char error[512];
	*differs = false;
	const SourceText *s = source_read(&t->sources, file);
	if (!s) return complain(o, EXIT_ENVIRONMENT, "%s", t->sources.why);
	char *text = por_format(t->graph, s->text, (int64_t)s->n, file);
	int status = EXIT_GOOD;
	*differs = text && (strlen(text) != s->n || memcmp(text, s->text, s->n));
	if (!text) {
		status = complain_with(o, por_graph_error(t->graph), s->text);
		por_clear_error(t->graph);
	} else if (option(o, "check")) {
		if (*differs && !o->json) printf("%s\n", file);
	} else if (is_input_word(word)) {
		fputs(text, stdout);
	} else if (*differs && !put_file(file, text, error, sizeof error)) {
		status = complain(o, EXIT_ENVIRONMENT, "%s", error);
	}
	por_text_free(text);
	return status;
}

static int run(Options *o)
{
	Target t;
	TextBuffer json = {0};
	bool other = false;
	if (!o->nword) return usage(o, "what is to be laid out? %s", o->command->words);
	int status = target_open(&t, o, "0");
	bool opened = status == EXIT_GOOD;
	for (size_t i = 0; opened && i < o->nword; i++) {
		bool differs;
		int one = format_file(o, &t, o->word[i], &differs);
		if (one > status) status = one;
		other |= differs;
		if (one != EXIT_GOOD || !differs) continue;
		buffer_text(&json, json.n ? ", " : "");
		json_text(&json, o->word[i]);
	}
	if (opened && status == EXIT_GOOD && o->json) printf("{\"laid_out\": [%s]}\n", buffer_get(&json));
	buffer_free(&json);
	target_close(&t);
	return status == EXIT_GOOD && other && option(o, "check") ? EXIT_FAILED : status;
}

static const OptionSpec own[] = {
	{"check", 0, NULL, "change nothing: name the files that would change, and fail if there are any"},
	{0},
};

const Command command_fmt = {"fmt", "FILE.por... [--check]", "files of the notation, laid out",
	"  porism fmt examples/*.por\n"
	"  porism fmt - < model.por\n"
	"Blanks and the beginnings of lines change, and lines of more than 110 columns are cut; tokens, comments\n"
	"and empty lines stay.  Of - what comes from standard input goes to standard output.",
	own, TAKES_LIMITS, run};
