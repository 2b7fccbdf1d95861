/* repl_kept.c - what is kept from line to line: texts of declarations, and values by name. */
#include "repl.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 256 }; /* elements of a value that stands in the text of a line's program */

/* ---- texts ---------------------------------------------------------------------------------- */

void kept_text_free(TypedText *t)
{
	for (int i = 0; i < t->count; i++) free(t->name[i]);
	free(t->name);
	free(t->line);
	free(t->file);
	free(t->text);
}

/* The declarations of a module, which came from this text. */
TypedText kept_declarations(const char *file, const char *text, por_module *m)
{
	int n = por_module_count(m);
	TypedText t = {text_of("%s", file), text_of("%s", text), need(calloc((size_t)n + 1, sizeof *t.name)),
		need(calloc((size_t)n + 1, sizeof *t.line)), n};
	for (int i = 0; i < n; i++) {
		t.name[i] = text_of("%s", por_module_name(m, i));
		t.line[i] = por_module_line(m, i);
	}
	return t;
}

/* A book may name operators of other texts: it is not read to find its name. */
TypedText kept_book(const char *file, const char *text, const char *word)
{
	const char *name = word + 4 + strspn(word + 4, " \t");
	TypedText t = {text_of("%s", file), text_of("%s", text), need(calloc(1, sizeof *t.name)),
		need(calloc(1, sizeof *t.line)), 1};
	t.name[0] = text_copy(name, strcspn(name, " \t:\r\n"));
	t.line[0] = 1;
	return t;
}

/* Lines from..to - 1 become empty; to 0: up to the end. */
static void blank_lines(char *text, int from, int to)
{
	int line = 1;
	for (char *at = text; *at; at++) {
		if (*at == '\n')
			line++;
		else if (line >= from && (!to || line < to))
			*at = ' ';
	}
}

static void forget_text(TypedText *t, const char *name)
{
	for (int i = 0; i < t->count; i++) {
		if (strcmp(t->name[i], name)) continue;
		blank_lines(t->text, t->line[i], i + 1 < t->count ? t->line[i + 1] : 0);
		*t->name[i] = 0;
	}
}

/* ---- values --------------------------------------------------------------------------------- */

static int64_t elements(const TextValue *v)
{
	int64_t n = v->kind == VALUE_ARRAY ? array_count(&v->array) : 0;
	for (size_t i = 0; i < v->n; i++) n += elements(&v->elem[i]);
	return n;
}

KeptValue *kept_value(const Session *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->nvalue; i++)
		if (strlen(s->value[i].name) == n && !strncmp(s->value[i].name, name, n)) return &s->value[i];
	return NULL;
}

void kept_forget(Session *s, const char *name)
{
	KeptValue *v = kept_value(s, name, strlen(name));
	for (size_t i = 0; i < s->ntext; i++) forget_text(&s->text[i], name);
	if (!v) return;
	free(v->name);
	free(v->text);
	value_free(&v->value);
	*v = s->value[--s->nvalue];
}

void session_keep(Session *s, const char *name, TextValue value)
{
	TextBuffer text = {0};
	kept_forget(s, name);
	if (elements(&value) <= SMALL) value_print(&text, &value, OUTPUT_FULL | OUTPUT_ONE_LINE);
	s->value = need(realloc(s->value, (s->nvalue + 1) * sizeof *s->value));
	s->value[s->nvalue++] = (KeptValue){text_of("%s", name), value, text.text};
}

/* Is the name a word of the text, neither a field nor in a comment? */
bool text_mentions(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = text; *at;) {
		if (*at == '#') {
			at += strcspn(at, "\n");
		} else if (is_name_char(*at)) {
			size_t k = 1;
			while (is_name_char(at[k])) k++;
			bool field = at > text && at[-1] == '.' && !(at > text + 1 && at[-2] == '.');
			if (!field && k == n && !strncmp(at, name, n)) return true;
			at += k;
		} else {
			at++;
		}
	}
	return false;
}

void session_reset(Session *s)
{
	while (s->nvalue) kept_forget(s, s->value[0].name);
	for (size_t i = 0; i < s->ntext; i++) kept_text_free(&s->text[i]);
	s->ntext = 0;
	sources_free(&s->target.sources);
}
