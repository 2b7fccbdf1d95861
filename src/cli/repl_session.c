/* repl_session.c - a line's graph, made of what is kept, and what is computed with it. */
#include "repl.h"

#include <stdlib.h>
#include <string.h>

/* ---- a line's graph ------------------------------------------------------------------------- */

static bool is_in_text(const KeptValue *v, const char *text, ValuesBy by)
{
	return v->text && (by == BY_TEXT || !text_mentions(text, v->name));
}

/* A graph with the texts that are kept, and small values as `let`. */
int session_begin(Session *s, const char *text, ValuesBy by)
{
	Target *t = &s->target;
	int status = target_renew(t);
	if (status != EXIT_GOOD) return status;
	free(t->source);
	free(t->file);
	free(t->function);
	t->file = t->function = NULL;
	t->source = text_of("%s", text);
	t->module = por_load(t->graph, NULL, 0, NULL);
	if (!t->module) return target_fail(t);
	for (size_t i = 0; i < s->ntext; i++)
		if (por_module_add(t->module, s->text[i].text, s->text[i].file)) return target_fail(t);
	TextBuffer values = {0};
	for (size_t i = 0; i < s->nvalue; i++)
		if (is_in_text(&s->value[i], text, by))
			buffer_printf(&values, "let %s = %s\n", s->value[i].name, s->value[i].text);
	int code = values.n ? por_module_add(t->module, values.text, "values") : 0;
	buffer_free(&values);
	return code ? target_fail(t) : target_add_rules(t);
}

/* Values that the call gives; they stay the session's. */
static Arguments arguments(const Session *s, const char *text, ValuesBy by)
{
	Arguments a = {.given = need(calloc(s->nvalue + 1, sizeof *a.given)), .spare = true};
	for (size_t i = 0; i < s->nvalue; i++) {
		KeptValue *v = &s->value[i];
		if (text_mentions(text, v->name) && !is_in_text(v, text, by))
			a.given[a.n++] = (GivenArgument){
				.name = v->name, .value = v->value, .literal = by == BY_CALL && v->text};
	}
	return a;
}

int session_open(Session *s, const Options *o)
{
	*s = (Session){.target.options = o};
	return session_begin(s, "", BY_TEXT);
}

void session_recover(Session *s)
{
	por_graph *g = s->target.graph;
	por_clear_error(g);
	if (!g || por_graph_error(g)->code) session_begin(s, "", BY_TEXT); /* what was cancelled stays so */
}

void session_close(Session *s)
{
	session_reset(s);
	free(s->text);
	free(s->value);
	target_close(&s->target);
}

/* ---- declarations --------------------------------------------------------------------------- */

int session_declare(Session *s, const char *file, const char *text)
{
	Target *t = &s->target;
	source_put(&t->sources, file, text);
	/* names first: what is defined again goes */
	int status = target_renew(t);
	if (status != EXIT_GOOD) return status;
	const char *word = first_word(text);
	bool book = begins_word(word, "book");
	t->module = book ? NULL : por_load(t->graph, text, -1, file);
	if (!t->module && !book) return target_fail(t);
	TypedText new = book ? kept_book(file, text, word) : kept_declarations(file, text, t->module);
	for (int i = 0; i < new.count; i++) kept_forget(s, new.name[i]);
	s->text = need(realloc(s->text, (s->ntext + 1) * sizeof *s->text));
	s->text[s->ntext++] = new;
	status = session_begin(s, "", BY_TEXT);
	if (status != EXIT_GOOD) kept_text_free(&s->text[--s->ntext]);
	return status;
}

/* ---- values computed ------------------------------------------------------------------------ */

static por_function *function_for(Session *s, const char *text, Arguments *a, ValuesBy by, int *status)
{
	Target *t = &s->target;
	free(a->given); /* of another way of reading it */
	*a = (Arguments){0};
	*status = session_begin(s, text, by);
	if (*status != EXIT_GOOD) return NULL;
	*a = arguments(s, text, by);
	GivenLeaves leaves;
	arguments_leaves(a, &leaves);
	por_given *given = need(calloc(leaves.n + 1, sizeof *given));
	for (size_t i = 0; i < leaves.n; i++)
		given[i] = (por_given){.name = leaves.leaf[i].path,
			.type = type_of_array(t, leaves.leaf[i].array),
			.whole = leaves.leaf[i].from->literal && !strcmp(leaves.leaf[i].array->dtype, "i64")};
	por_function *f = por_function_expression(t->graph, t->module, text, (int)leaves.n, given);
	free(given);
	given_leaves_free(&leaves);
	return f;
}

/* A value that the text holds is a number known while building; where that is a mistake, as of a derivative
 * it, it is what the call gives. */
static por_function *function_of_text(Session *s, const char *text, Arguments *a, int *status)
{
	Target *t = &s->target;
	por_function *f = function_for(s, text, a, BY_TEXT, status);
	if (f || *status != EXIT_GOOD || por_graph_error(t->graph)->code == POR_ERR_SYNTAX) return f;
	f = function_for(s, text, a, BY_CALL, status);
	if (f || *status != EXIT_GOOD) return f;
	return function_for(s, text, a, BY_TEXT, status);
}

/* What somebody who wrote this name alone may have meant. */
static const char *meant_command(const char *name)
{
	if (!strcmp(name, "help")) return ":help";
	return !strcmp(name, "quit") || !strcmp(name, "exit") ? ":quit" : NULL;
}

/* A name without a value is told as one that is not declared. */
static int missing_value(Session *s, const por_function *f, const Arguments *a)
{
	int status = EXIT_GOOD;
	GivenLeaves leaves;
	arguments_leaves((Arguments *)a, &leaves);
	for (int i = 0; i < por_function_inputs(f) && status == EXIT_GOOD; i++) {
		por_leaf leaf = input_of(f, i);
		if (given_leaf(&leaves, leaf.path)) continue;
		int n = (int)strcspn(leaf.path, ".");
		const char *command = meant_command(leaf.path);
		if (command)
			status = complain(s->target.options, EXIT_FAILED, "%s has no value; the command is %s",
				leaf.path, command);
		else
			status = complain(s->target.options, EXIT_FAILED,
				"%.*s has no value; let %.*s = ... gives it one", n, leaf.path, n, leaf.path);
	}
	given_leaves_free(&leaves);
	return status;
}

int session_evaluate(Session *s, const char *text, TextValue *v, TextBuffer *type)
{
	Target *t = &s->target;
	Arguments a = {0};
	CompiledCall c = {0};
	por_options compile;
	int status;
	if (!options_compile(t->options, &compile)) return EXIT_USAGE;
	if (!option(t->options, "tier")) compile.tier = POR_TIER_INTERPRET;
	por_function *f = function_of_text(s, text, &a, &status);
	if (!f && status == EXIT_GOOD) status = target_fail(t);
	if (f) status = missing_value(s, f, &a);
	if (f && status == EXIT_GOOD) {
		if (type) add_structure_type(type, por_function_result_structure(f), f, true);
		status = call_bind(&c, t, f, &a, false);
		if (status == EXIT_GOOD) status = call_compile(&c, t, &compile);
		if (status == EXIT_GOOD) status = call_run(&c, t, v);
		call_free(&c);
	}
	free(a.given);
	return status;
}

/* ---- let ------------------------------------------------------------------------------------ */

static bool holds_function(const por_value *v)
{
	const char *kind = v ? por_value_kind(v) : "";
	if (!strcmp(kind, "function") || !strcmp(kind, "type") || !strcmp(kind, "module")) return true;
	for (int i = 0; v && i < por_value_count(v); i++)
		if (holds_function(por_value_element(v, i))) return true;
	return false;
}

/* The names that `let pattern ... =` gives a value, one behind the other. */
static char *pattern_names(const char *text)
{
	TextBuffer b = {0};
	int depth = 0;
	const char *at = strstr(text, "let") + 3;
	for (; *at && !(depth == 0 && (*at == '=' || *at == ':')); at++) {
		if (*at == '#') at += strcspn(at, "\n");
		depth += strchr("({", *at) && *at;
		depth -= strchr(")}", *at) && *at;
		if (!is_name_char(*at)) continue;
		size_t n = 1;
		while (is_name_char(at[n])) n++;
		bool field = depth && at[n + strspn(at + n, " \t\n")] == '=';
		if (!field) buffer_printf(&b, "%s%.*s", b.n ? " " : "", (int)n, at);
		at += n - 1;
	}
	return need(b.text);
}

/* A function, or a structure of some, stays the text that it was written as. */
static bool is_text(Session *s, const char *text, const char *names)
{
	Target *t = &s->target;
	char *name = text_copy(names, strcspn(names, " "));
	bool text_it_is = session_begin(s, name, BY_CALL) == EXIT_GOOD &&
		!por_module_add(t->module, text, "") && holds_function(por_value_named(t->module, name));
	por_clear_error(t->graph);
	free(name);
	return text_it_is;
}

static int keep_all(Session *s, TextValue *record, const char *names)
{
	for (size_t i = 0; i < record->n; i++) {
		TextValue v = record->elem[i];
		record->elem[i] = (TextValue){0};
		char *name = text_copy(names, strcspn(names, " "));
		session_keep(s, name, v);
		free(name);
		names += strcspn(names, " ");
		names += strspn(names, " ");
	}
	value_free(record);
	return EXIT_GOOD;
}

int session_let(Session *s, const char *text)
{
	Target *t = &s->target;
	int status = session_begin(s, text, BY_TEXT);
	char *laid = status == EXIT_GOOD ? por_format(t->graph, text, -1, "") : NULL;
	if (!laid) return status == EXIT_GOOD ? target_fail(t) : status;
	por_text_free(laid);
	char *names = pattern_names(text), *file = text_of("input %d", s->begins);
	TextBuffer whole = {0};
	TextValue v = {0};
	if (is_text(s, text, names)) {
		status = session_declare(s, file, text);
	} else {
		buffer_printf(&whole, "%s\nin {", text);
		for (const char *at = names; *at; at += strspn(at, " ")) {
			int n = (int)strcspn(at, " ");
			buffer_printf(&whole, "%s%.*s = %.*s", at == names ? "" : ", ", n, at, n, at);
			at += n;
		}
		buffer_text(&whole, "}");
		status = session_evaluate(s, whole.text, &v, NULL);
		if (status == EXIT_GOOD) status = keep_all(s, &v, names);
	}
	buffer_free(&whole);
	free(file);
	free(names);
	return status;
}

/* ---- what is asked of it -------------------------------------------------------------------- */

static bool is_function(Session *s, const char *text)
{
	return por_declared_params(s->target.module, text) >= 0;
}

int session_run(
	Session *s, const Options *o, const char *text, int (*body)(const Options *, Target *, Arguments *))
{
	Target *t = &s->target;
	int status = session_begin(s, text, BY_CALL);
	if (status != EXIT_GOOD) return status;
	const Options *before = t->options;
	Arguments a = arguments(s, text, BY_CALL);
	if (is_function(s, text)) {
		t->function = text_of("%s", text);
		t->file = text_of("session");
	}
	por_clear_error(t->graph);
	t->options = o;
	status = body(o, t, &a);
	t->options = before;
	free(a.given);
	return status;
}

/* The head of "optim.adam", a function of a module of the library. */
static void add_library_function(TextBuffer *b, por_graph *g, const char *text)
{
	const char *point = strchr(text, '.');
	char *module = text_copy(text, point ? (size_t)(point - text) : 0);
	por_module *m = NULL;
	for (int i = 0; point && por_library_module(i) && !m; i++)
		if (!strcmp(por_library_module(i), module)) m = por_load_library(g, module);
	for (int i = 0; m && i < por_module_count(m); i++)
		if (!strcmp(por_module_name(m, i), point + 1)) declaration_line(b, g, m, i, false);
	free(module);
}

int session_type(Session *s, const char *text)
{
	Target *t = &s->target;
	Arguments a = {0};
	TextBuffer type = {0};
	int status = session_begin(s, text, BY_TEXT);
	if (status != EXIT_GOOD) return status;
	for (int i = 0; i < por_module_count(t->module); i++)
		if (!strcmp(por_module_name(t->module, i), text) && is_function(s, text))
			declaration_line(&type, t->graph, t->module, i, true);
	por_clear_error(t->graph);
	if (!type.n) add_library_function(&type, t->graph, text);
	if (!type.n) {
		por_function *f = function_of_text(s, text, &a, &status);
		if (!f && status == EXIT_GOOD) status = target_fail(t);
		if (f) add_structure_type(&type, por_function_result_structure(f), f, true);
		free(a.given);
	}
	if (type.n) puts(type.text);
	buffer_free(&type);
	return status;
}
