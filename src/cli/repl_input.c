/* repl_input.c - what was typed: is it whole, and what is it? */
#include "repl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *first_word(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n");
		if (*text != '#') return text;
		text += strcspn(text, "\n");
	}
}

bool begins_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(text, word, n) && !is_name_char(text[n]);
}

/* Does the text parse as a file?  unfinished: it would, if more came. */
static bool parses(Session *s, const char *text, bool *unfinished)
{
	por_graph *g = s->target.graph;
	char *laid = por_format(g, text, -1, "");
	const por_error *e = por_graph_error(g);
	*unfinished = !laid && e->code == POR_ERR_SYNTAX && strstr(e->text, "the text ends");
	por_clear_error(g);
	por_text_free(laid);
	return laid;
}

/* `name = e` is taken for `let name = e`. */
static bool names_a_value(const char *text)
{
	if (!is_name_char(*text) || isdigit((unsigned char)*text)) return false;
	while (is_name_char(*text)) text++;
	text += strspn(text, " \t");
	return *text == '=' && text[1] != '=' && text[1] != '>';
}

static InputKind kind_of(Session *s, const char *text, bool *unfinished)
{
	static const char *const declares[] = {"fn", "op", "type", "use", "book"};
	const char *word = first_word(text);
	*unfinished = false;
	if (!*word) return INPUT_NOTHING;
	if (*word == ':') return INPUT_COMMAND;
	for (size_t i = 0; i < sizeof declares / sizeof *declares; i++)
		if (begins_word(word, declares[i])) {
			parses(s, text, unfinished);
			return INPUT_DECLARATION;
		}
	if (begins_word(word, "let") && (parses(s, text, unfinished) || *unfinished)) return INPUT_LET;
	if (names_a_value(word)) {
		char *let = text_of("let %s", word);
		bool good = parses(s, let, unfinished) || *unfinished;
		free(let);
		if (good) return INPUT_LET;
	}
	char *value = text_of("let it =\n%s", text);
	parses(s, value, unfinished);
	free(value);
	return INPUT_EXPRESSION;
}

/* Whether what was read goes on: it has no end yet, it is a book, whose rules end at an empty line, or a
 * comment, or the next line of a script begins with a blank. */
static bool goes_on(const char *text, const char *last, InputKind kind, bool unfinished, bool terminal)
{
	const bool empty = !last[strspn(last, " \t\r")];
	const int next = lines_peek();
	if (kind == INPUT_COMMAND) return false;
	if (kind == INPUT_NOTHING) return *text && !empty;
	if (kind == INPUT_DECLARATION && begins_word(first_word(text), "book")) return !empty;
	if (next == ' ' || next == '\t') return true;
	return unfinished && !(empty && terminal);
}

char *input_read(Session *s, InputKind *kind)
{
	TextBuffer text = {0};
	for (;;) {
		char *line = lines_next(text.n ? "   ...> " : "porism> ");
		if (!line && s->terminal && interrupt_line()) { /* what was begun is given up */
			puts("");
			text.n = 0;
			continue;
		}
		if (!line) break;
		s->line++;
		if (!text.n) s->begins = s->line;
		session_recover(s);
		bool unfinished;
		buffer_text(&text, text.n ? "\n" : "");
		buffer_text(&text, line);
		*kind = kind_of(s, buffer_get(&text), &unfinished);
		bool more = goes_on(buffer_get(&text), line, *kind, unfinished, s->terminal);
		free(line);
		if (!more && *kind != INPUT_NOTHING) return text.text;
		if (!more) text.n = 0;
		if (!more && text.text) *text.text = 0;
	}
	if (text.n && *kind != INPUT_NOTHING) return text.text; /* its mistake is told */
	buffer_free(&text);
	return NULL;
}
