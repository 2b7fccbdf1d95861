/* cmd_repl.c - repl: expressions and declarations, line by line. */
#include "repl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
	"  x^2 + 1            an expression: its value, which is kept as `it`\n"
	"  let x = [1.0, 2.0] a value by a name; x = [1.0, 2.0] too; let (q, r) = qr(A)\n"
	"  fn f(x) = x^2      a function; op, type, use and book likewise; what is defined again replaces\n"
	"  :type E            the type of an expression, of a function its head\n"
	"  :grad E by w       the derivative as mathematics, and its value; by w, b for several\n"
	"  :graph E           what becomes of it, rewritten\n"
	"  :explain E         rules applied, kernels, plan, memory\n"
	"  :list              the names that there are\n"
	"  :load FILE         the declarations of a file\n"
	"  :reset  :quit      forget all; end, as end of input does\n"
	"What is not finished goes on in the next line; an empty one ends it.  Tab completes names and fields.\n";

static int evaluate(Session *s, const char *text)
{
	TextValue v = {0};
	TextBuffer type = {0}, json = {0};
	int status = session_evaluate(s, text, &v, &type);
	if (status == EXIT_GOOD) {
		json_key(&json, "type");
		json_text(&json, buffer_get(&type));
		status = write_result(s->target.options, &v, &json);
		session_keep(s, "it", v);
	} else {
		value_free(&v);
	}
	buffer_free(&json);
	buffer_free(&type);
	return status;
}

static int load(Session *s, const char *path)
{
	const Options *o = s->target.options;
	uint8_t *data;
	size_t n;
	char error[512];
	if (!*path) return complain(o, EXIT_FAILED, ":load FILE was wanted");
	if (!file_read(path, &data, &n, error, sizeof error)) return complain(o, EXIT_FAILED, "%s", error);
	int status = session_declare(s, path, (const char *)data);
	free(data);
	return status;
}

/* "E by w, b": where " by " stands last outside of brackets, or the end. */
static size_t before_by(const char *text)
{
	size_t found = strlen(text);
	for (const char *at = text; (at = strstr(at, " by ")); at++) {
		const char *name = at + 4;
		if (!name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_., ")])
			found = (size_t)(at - text);
	}
	return found;
}

/* Another command's way with a target, with an option of it. */
static int with_option(Session *s, const char *text, const char *name, const char *value,
	int (*body)(const Options *, Target *, Arguments *))
{
	Options o = *s->target.options;
	const OptionSpec spec = {.name = name};
	o.value = need(calloc(o.nvalue + 1, sizeof *o.value));
	for (size_t i = 0; i < o.nvalue; i++) o.value[i] = s->target.options->value[i];
	if (value) o.value[o.nvalue++] = (OptionValue){&spec, value};
	int status = session_run(s, &o, text, body);
	free(o.value);
	return status;
}

static int differentiate(Session *s, const char *text)
{
	size_t n = before_by(text);
	char *value = text_copy(text, n);
	int status = with_option(s, value, "wrt", text[n] ? text + n + 4 : NULL, grad_target);
	free(value);
	return status;
}

/* The rest of a line that begins with one of these words; NULL: it does not. */
static const char *after(const char *text, const char *word)
{
	if (!begins_word(text, word)) return NULL;
	text += strlen(word);
	return text + strspn(text, " \t");
}

static int command(Session *s, char *text, bool *ends)
{
	const char *rest;
	text += strspn(text, " \t");
	for (size_t n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--) text[n - 1] = 0;
	if ((*ends = after(text, ":quit") || after(text, ":q"))) return EXIT_GOOD;
	if (after(text, ":help") || after(text, ":h")) return fputs(help_text, stdout) < 0;
	if ((rest = after(text, ":load"))) return load(s, rest);
	if (after(text, ":list")) return session_list(s);
	if (after(text, ":reset")) {
		session_reset(s);
		return EXIT_GOOD;
	}
	struct {
		const char *name, *rest;
	} of[] = {{":type", NULL}, {":grad", NULL}, {":graph", NULL}, {":explain", NULL}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		of[i].rest = after(text, of[i].name);
		if (of[i].rest && !*of[i].rest)
			return complain(
				s->target.options, EXIT_FAILED, "%s E: an expression was wanted", of[i].name);
	}
	if (of[0].rest) return session_type(s, of[0].rest);
	if (of[1].rest) return differentiate(s, of[1].rest);
	if (of[2].rest) return with_option(s, of[2].rest, "stage", "stable", explain_target);
	if (of[3].rest) return with_option(s, of[3].rest, NULL, NULL, explain_target);
	return complain(s->target.options, EXIT_FAILED, "no command %.*s; :help lists them",
		(int)strcspn(text, " \t"), text);
}

static int take(Session *s, char *text, InputKind kind, bool *ends)
{
	int status = EXIT_GOOD;
	if (kind == INPUT_COMMAND) {
		status = command(s, text, ends);
	} else if (kind == INPUT_DECLARATION) {
		char *file = text_of("input %d", s->begins);
		status = session_declare(s, file, text);
		free(file);
	} else if (kind == INPUT_LET) {
		bool bare = !begins_word(text + strspn(text, " \t\r\n"), "let");
		char *let = text_of("%s%s", bare ? "let " : "", text);
		status = session_let(s, let);
		free(let);
	} else {
		status = evaluate(s, text);
	}
	return status;
}

/* By a signal: SIGINT ends what is computed, and between lines nothing is. */
static bool ended(const Session *s)
{
	return interrupted() && !(s->terminal && interrupt_line());
}

static int run(Options *o)
{
	Session s;
	InputKind kind = INPUT_NOTHING;
	bool ends = false;
	char *text;
	if (o->nword > 1) return usage(o, "one file was wanted");
	int worst = session_open(&s, o);
	s.terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (worst == EXIT_GOOD && o->nword) worst = load(&s, o->word[0]);
	if (worst != EXIT_GOOD) {
		session_close(&s);
		return worst;
	}
	if (s.terminal) {
		printf("Porism %s.  :help says what can be typed, :quit leaves.\n", por_version());
		interrupt_lines();
	}
	lines_open(&s);
	while (!ends && !ended(&s) && (text = input_read(&s, &kind))) {
		int status = take(&s, text, kind, &ends);
		fflush(stdout);
		if (status > worst) worst = status;
		if (s.terminal && interrupt_line()) fputs("porism: interrupted\n", stderr);
		free(text);
	}
	lines_close();
	if (s.terminal && !ends) puts("");
	bool script = !s.terminal;
	session_close(&s);
	return script ? worst : EXIT_GOOD;
}

const Command command_repl = {"repl", "[FILE.por]", "expressions and declarations, line by line",
	"  porism repl model.por\n"
	"  porism repl < script\n"
	"On a terminal with editing, history and completion; :help says what can be typed.  From a pipe each line is\n"
	"read as if it were typed, lines that begin with a blank belong to the one before; it fails if one failed.\n"
	"porism alone on a terminal is this.",
	NULL, TAKES_ALL, run};
