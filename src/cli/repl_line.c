/* repl_line.c - lines from a terminal, with editing, history and completion where libedit is, or from
 * a pipe. */
#include "repl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBEDIT
#include <editline/readline.h>
#endif

enum { HISTORY_MOST = 2000 };

static bool edited; /* by libedit */

char *lines_next(const char *prompt)
{
#ifdef HAVE_LIBEDIT
	if (edited) {
		char *line = readline(prompt);
		if (line && line[strspn(line, " \t")]) add_history(line);
		return line;
	}
#endif
	char *line = NULL;
	size_t room = 0;
	if (isatty(STDIN_FILENO)) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	ssize_t n = getline(&line, &room, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n') line[--n] = 0;
	return line;
}

int lines_peek(void)
{
	if (isatty(STDIN_FILENO)) return 0;
	int c = getc(stdin);
	if (c == EOF) return 0;
	ungetc(c, stdin);
	return c;
}

#ifdef HAVE_LIBEDIT

static Session *session;
static char *history_path;

/* $XDG_STATE_HOME/porism/history, or in ~/.local/state; NULL: there is no such place. */
static char *find_history(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *folder = NULL;
	if (state && *state == '/')
		folder = text_of("%s/porism", state);
	else if (home && *home == '/')
		folder = text_of("%s/.local/state/porism", home);
	if (!folder) return NULL;
	for (char *at = folder + 1; *at; at++)
		if (*at == '/') {
			*at = 0;
			mkdir(folder, 0700);
			*at = '/';
		}
	mkdir(folder, 0700);
	char *path = text_of("%s/history", folder);
	free(folder);
	return path;
}

static char *next_name(const char *begin, int state)
{
	static size_t n;
	if (!state) n = 0;
	return session_name(session, begin, n++);
}

static char **complete(const char *begin, int from, int to)
{
	(void)to;
	const bool file = !strncmp(rl_line_buffer, ":load ", 6);
	rl_attempted_completion_over = !file;
	rl_completion_append_character = 0;
	/* a command is one word with its colon, which breaks words elsewhere */
	if (from == 1 && *rl_line_buffer == ':') {
		static char word[64];
		snprintf(word, sizeof word, ":%.60s", begin);
		begin = word;
		char **found = rl_completion_matches(begin, next_name);
		for (size_t i = 0; found && found[i]; i++) memmove(found[i], found[i] + 1, strlen(found[i]));
		return found;
	}
	return file ? NULL : rl_completion_matches(begin, next_name);
}

void lines_open(Session *s)
{
	const char *kind = getenv("TERM");
	session = s;
	edited = s->terminal && kind && strcmp(kind, "dumb");
	if (!edited) return;
	rl_readline_name = "porism";
	rl_initialize();
	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = " \t\n()[]{},:;=+-*/%^@<>";
	rl_basic_word_break_characters = rl_completer_word_break_characters;
	using_history();
	stifle_history(HISTORY_MOST);
	history_path = find_history();
	if (history_path) read_history(history_path);
}

void lines_close(void)
{
	if (edited && history_path) write_history(history_path);
	free(history_path);
	history_path = NULL;
}

#else

void lines_open(Session *s)
{
	(void)s;
}

void lines_close(void)
{
}

#endif
