/* repl_names.c - the names of a session: listed, and offered where one is begun. */
#include "repl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ------------------------------------------------------------------------------- */

static void add_value_type(TextBuffer *b, const TextValue *v)
{
	if (v->kind == VALUE_ARRAY) {
		buffer_text(b, v->array.dtype);
		for (int i = 0; i < v->array.rank; i++)
			buffer_printf(b, "%s%lld", i ? ", " : "[", (long long)v->array.shape[i]);
		buffer_text(b, v->array.rank ? "]" : "");
		return;
	}
	const bool record = v->kind == VALUE_RECORD;
	buffer_text(b, record ? "{" : "(");
	for (size_t i = 0; i < v->n; i++) {
		buffer_text(b, i ? ", " : "");
		if (record) buffer_printf(b, "%s: ", v->field[i]);
		add_value_type(b, &v->elem[i]);
	}
	buffer_text(b, record ? "}" : ")");
}

int session_list(Session *s)
{
	Target *t = &s->target;
	TextBuffer b = {0};
	int status = session_begin(s, "", BY_CALL);
	for (int i = 0; status == EXIT_GOOD && i < por_module_count(t->module); i++) {
		const char *name = por_module_name(t->module, i);
		if (kept_value(s, name, strlen(name))) continue;
		b.n = 0;
		declaration_line(&b, t->graph, t->module, i, true);
		puts(buffer_get(&b));
	}
	for (size_t i = 0; i < s->nvalue; i++) {
		b.n = 0;
		add_value_type(&b, &s->value[i].value);
		printf("%s: %s\n", s->value[i].name, b.text);
	}
	buffer_free(&b);
	return status;
}

/* ---- completion ----------------------------------------------------------------------------- */

/* The names that may follow `path.`, or all that stand alone; each is offered until one is
 * taken. */
typedef struct Wanted {
	const char *begin;
	size_t skip; /* of those that fit so many are passed over */
	char *got;
} Wanted;

static bool offer(Wanted *w, const char *before, const char *name)
{
	size_t n = strlen(before);
	if (!*name || strncmp(w->begin, before, n < strlen(w->begin) ? n : strlen(w->begin)) ||
		strncmp(w->begin + n, name, strlen(w->begin + n)))
		return false;
	if (w->skip--) return false;
	w->got = text_of("%s%s", before, name);
	return true;
}

static bool offer_module(Wanted *w, por_module *m, const char *before)
{
	for (int i = 0; m && i < por_module_count(m); i++)
		if (strcmp(por_module_kind(m, i), "use") && offer(w, before, por_module_name(m, i)))
			return true;
	return false;
}

/* Behind a point: fields of a value, or what a module of the library declares. */
static bool offer_fields(Session *s, Wanted *w)
{
	const char *point = strrchr(w->begin, '.'), *at = w->begin;
	char *before = text_copy(at, (size_t)(point + 1 - at));
	KeptValue *kept = kept_value(s, at, strcspn(at, "."));
	const TextValue *v = kept ? &kept->value : NULL;
	bool found = false;
	for (at += strcspn(at, "."); v && at < point; at += strcspn(at, ".")) {
		size_t n = strcspn(++at, "."), i = 0;
		while (i < v->n && v->field && !(strlen(v->field[i]) == n && !strncmp(v->field[i], at, n)))
			i++;
		v = v->field && i < v->n ? &v->elem[i] : NULL;
	}
	for (size_t i = 0; v && v->field && i < v->n && !found; i++) found = offer(w, before, v->field[i]);
	if (!kept) {
		char *module = text_copy(before, strlen(before) - 1);
		por_graph *g = s->target.graph;
		for (int i = 0; por_library_module(i) && !found; i++)
			if (!strcmp(por_library_module(i), module))
				found = offer_module(w, por_load_library(g, module), before);
		por_clear_error(g);
		free(module);
	}
	free(before);
	return found;
}

static bool offer_words(Session *s, Wanted *w)
{
	static const char *const commands[] = {
		":explain", ":grad", ":graph", ":help", ":list", ":load", ":quit", ":reset", ":type"};
	const char *word;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (*w->begin == ':' && offer(w, "", commands[i])) return true;
	for (size_t i = 0; i < s->nvalue; i++)
		if (offer(w, "", s->value[i].name)) return true;
	if (offer_module(w, s->target.module, "")) return true;
	if (offer_module(w, por_load_library(s->target.graph, "prelude"), "")) return true;
	for (int kind = POR_WORD_KEYWORD; kind <= POR_WORD_BUILTIN; kind++)
		for (int i = 0; (word = por_word(kind, i)); i++)
			if (is_name_char(*word) && offer(w, "", word)) return true;
	for (int i = 0; i < 64; i++)
		if (por_dtype_bytes(i) && offer(w, "", por_dtype_name(i))) return true;
	for (int i = 0; (word = por_library_module(i)); i++)
		if (offer(w, "", word)) return true;
	return false;
}

char *session_name(Session *s, const char *begin, size_t n)
{
	Wanted w = {begin, n, NULL};
	if (strchr(begin, '.'))
		offer_fields(s, &w);
	else
		offer_words(s, &w);
	return w.got;
}
