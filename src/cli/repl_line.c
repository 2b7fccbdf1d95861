/* repl_line.c - lines from a terminal, with editing, history and completion where libedit is, or from
 * a pipe. */
#include "repl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBEDIT
#include <editline/readline.h>
#include <locale.h>
#include <poll.h>
#include <wchar.h>

static bool edited; /* by libedit */
static bool early;  /* the next key may have been typed before editing began */
#endif

enum { HISTORY_MOST = 2000 };

static int keys = -1; /* the terminal, opened not to wait: what SIGINT takes back was never there */

/* A line without editing, as the terminal gives it. */
static char *typed(const char *prompt)
{
	TextBuffer line = {0};
	char key[2] = "";
	fputs(prompt, stdout);
	fflush(stdout);
	while (interrupt_read(keys, key)) {
		if (*key == '\n') return line.text ? line.text : text_of("%s", "");
		buffer_text(&line, key);
	}
	buffer_free(&line);
	return NULL;
}

char *lines_next(const char *prompt)
{
#ifdef HAVE_LIBEDIT
	if (edited) {
		early = true;
		char *line = readline(prompt);
		if (line && line[strspn(line, " \t")]) add_history(line);
		return line;
	}
#endif
	if (keys >= 0) return typed(prompt);
	char *line = NULL;
	size_t room = 0;
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

/* The next character typed; -1: there is none, or SIGINT came first.  libedit writes its prompt before it
 * turns the terminal to single keys: an end of input (^D) that comes between is read as 0. */
static int next_key(FILE *in)
{
	enum { END_OF_INPUT = 'D' & 31 };
	static mbstate_t state;
	struct pollfd input = {.fd = keys, .events = POLLIN};
	wchar_t key;
	char byte;
	(void)in;
	early = early && poll(&input, 1, 0) > 0;
	while (interrupt_read(keys, &byte)) {
		if (early && !byte) return END_OF_INPUT;
		size_t n = mbrtowc(&key, &byte, 1, &state);
		if (n <= 1) return (int)key;
		if (n == (size_t)-1) memset(&state, 0, sizeof state); /* no character: passed over */
	}
	return -1;
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

static void editing_open(Session *s)
{
	session = s;
	setlocale(LC_CTYPE, "");
	rl_readline_name = "porism";
	rl_getc_function = next_key;
	rl_initialize();
	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = " \t\n()[]{},:;=+-*/%^@<>";
	rl_basic_word_break_characters = rl_completer_word_break_characters;
	using_history();
	stifle_history(HISTORY_MOST);
	history_path = find_history();
	if (history_path) read_history(history_path);
}

static void editing_close(void)
{
	if (history_path) write_history(history_path);
	free(history_path);
	history_path = NULL;
}

#endif

void lines_open(Session *s)
{
	if (s->terminal) keys = open("/dev/stdin", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (s->terminal && keys < 0) keys = dup(STDIN_FILENO);
#ifdef HAVE_LIBEDIT
	const char *kind = getenv("TERM");
	edited = keys >= 0 && kind && strcmp(kind, "dumb");
	if (edited) editing_open(s);
#endif
}

void lines_close(void)
{
#ifdef HAVE_LIBEDIT
	if (edited) editing_close();
#endif
	if (keys >= 0) close(keys);
}
