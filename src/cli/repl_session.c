/* repl_session.c - what is kept from line to line: texts of declarations, and values by name. */
#include "repl.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 256 }; /* elements of a value that stands in the text of a line's program */

/* ---- texts ---------------------------------------------------------------------------------- */

static void free_text(TypedText *t)
{
	for (int i = 0; i < t->count; i++) free(t->name[i]);
	free(t->name);
	free(t->line);
	free(t->file);
	free(t->text);
}

/* The declarations of a module, which came from this text. */
static TypedText kept_text(const char *file, const char *text, por_module *m)
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
static TypedText kept_book(const char *file, const char *text, const char *word)
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

static KeptValue *find_value(const Session *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->nvalue; i++)
		if (strlen(s->value[i].name) == n && !strncmp(s->value[i].name, name, n)) return &s->value[i];
	return NULL;
}

static void forget(Session *s, const char *name)
{
	KeptValue *v = find_value(s, name, strlen(name));
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
	forget(s, name);
	if (elements(&value) <= SMALL) value_print(&text, &value, OUTPUT_FULL | OUTPUT_ONE_LINE);
	s->value = need(realloc(s->value, (s->nvalue + 1) * sizeof *s->value));
	s->value[s->nvalue++] = (KeptValue){text_of("%s", name), value, text.text};
}

/* Is the name a word of the text, neither a field nor in a comment? */
static bool mentions(const char *text, const char *name)
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

/* ---- a line's graph ------------------------------------------------------------------------- */

/* Who has the values that a line names: the text of its program, small ones; or the call. */
typedef enum ValuesBy { BY_TEXT, BY_CALL } ValuesBy;

static bool is_in_text(const KeptValue *v, const char *text, ValuesBy by)
{
	return v->text && (by == BY_TEXT || !mentions(text, v->name));
}

/* A graph with the texts that are kept, and small values as `let`. */
static int begin(Session *s, const char *text, ValuesBy by)
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
		if (mentions(text, v->name) && !is_in_text(v, text, by))
			a.given[a.n++] = (GivenArgument){
				.name = v->name, .value = v->value, .literal = by == BY_CALL && v->text};
	}
	return a;
}

int session_open(Session *s, const Options *o)
{
	*s = (Session){.target.options = o};
	return begin(s, "", BY_TEXT);
}

void session_recover(Session *s)
{
	por_graph *g = s->target.graph;
	por_clear_error(g);
	if (!g || por_graph_error(g)->code) begin(s, "", BY_TEXT); /* what was cancelled stays so */
}

void session_reset(Session *s)
{
	while (s->nvalue) forget(s, s->value[0].name);
	for (size_t i = 0; i < s->ntext; i++) free_text(&s->text[i]);
	s->ntext = 0;
	sources_free(&s->target.sources);
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
	TypedText new = book ? kept_book(file, text, word) : kept_text(file, text, t->module);
	for (int i = 0; i < new.count; i++) forget(s, new.name[i]);
	s->text = need(realloc(s->text, (s->ntext + 1) * sizeof *s->text));
	s->text[s->ntext++] = new;
	status = begin(s, "", BY_TEXT);
	if (status != EXIT_GOOD) free_text(&s->text[--s->ntext]);
	return status;
}

/* ---- values computed ------------------------------------------------------------------------ */

static por_function *function_for(Session *s, const char *text, Arguments *a, ValuesBy by, int *status)
{
	Target *t = &s->target;
	free(a->given); /* of another way of reading it */
	*a = (Arguments){0};
	*status = begin(s, text, by);
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
	bool text_it_is = begin(s, name, BY_CALL) == EXIT_GOOD && !por_module_add(t->module, text, "") &&
		holds_function(por_value_named(t->module, name));
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
	int status = begin(s, text, BY_TEXT);
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
	int status = begin(s, text, BY_CALL);
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
	int status = begin(s, text, BY_TEXT);
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
	int status = begin(s, "", BY_CALL);
	for (int i = 0; status == EXIT_GOOD && i < por_module_count(t->module); i++) {
		const char *name = por_module_name(t->module, i);
		if (find_value(s, name, strlen(name))) continue;
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
	KeptValue *kept = find_value(s, at, strcspn(at, "."));
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
