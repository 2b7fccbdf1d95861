/* target.c - FILE:FN or 'EXPR' -> a function for what is given. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

por_leaf input_of(const por_function *f, int i)
{
	por_leaf leaf = {0};
	if (por_function_input(f, i, &leaf)) need(NULL);
	return leaf;
}

por_leaf output_of(const por_function *f, int i)
{
	por_leaf leaf = {0};
	if (por_function_output(f, i, &leaf)) need(NULL);
	return leaf;
}

/* ---- the target ------------------------------------------------------------------------------ */

/* FILE.por or FILE.por:NAME, or -:NAME: where the name begins, or the end; NULL: an expression. */
static const char *file_end(const char *word)
{
	if (word[0] == '-' && word[1] == ':') return word + 1;
	for (const char *at = word; (at = strstr(at, ".por")); at++)
		if (!at[4] || at[4] == ':') return at + 4;
	return NULL;
}

bool is_file_word(const char *word)
{
	return file_end(word);
}

static bool begins_declaration(const char *line)
{
	return is_name_char(*line) || *line == '(' || *line == '[';
}

/* The declaration that holds a line, which begins in the first column, becomes blanks. */
static void blank_declaration(char *text, int line)
{
	char *from = text, *at = text;
	for (int i = 1; *at && i <= line; i++) {
		if (begins_declaration(at)) from = at;
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	while (*at && !begins_declaration(at)) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	for (; from < at; from++)
		if (*from != '\n') *from = ' ';
}

/* A file that does not parse may have mistakes in other declarations: they are told too. */
static void more_mistakes(Target *t)
{
	enum { MOST = 20 };
	const por_error *e = por_graph_error(t->graph);
	char *text = text_of("%s", t->source);
	for (int i = 0; i < MOST && e->code == POR_ERR_SYNTAX && e->line && !strcmp(e->file, t->file); i++) {
		blank_declaration(text, e->line);
		por_clear_error(t->graph);
		char *laid = por_format(t->graph, text, -1, t->file);
		if (!laid && e->code == POR_ERR_SYNTAX) target_fail(t);
		por_text_free(laid);
	}
	free(text);
}

static int open_file(Target *t, const Options *o, const char *word)
{
	const char *end = file_end(word);
	if (!end) end = word + strlen(word);
	t->file = *word == '-' ? text_of("%s", input_name) : text_copy(word, (size_t)(end - word));
	if (*end && end[1]) t->function = text_of("%s", end + 1);
	const SourceText *s = source_read(&t->sources, t->file);
	if (!s) return complain(o, EXIT_ENVIRONMENT, "%s", t->sources.why);
	t->source = text_copy(s->text, s->n);
	t->module = por_load(t->graph, t->source, (int64_t)s->n, t->file);
	if (t->module) return EXIT_GOOD;
	int status = target_fail(t);
	more_mistakes(t);
	return status;
}

/* What `use NAME` in front of an expression opens; it becomes blanks, so that places in the text stay. */
static char *take_uses(char *text)
{
	TextBuffer uses = {0};
	for (char *at = text + strspn(text, " \t\n"); !strncmp(at, "use ", 4); at += strspn(at, " \t\n")) {
		size_t blank = 4 + strspn(at + 4, " \t"), n = strcspn(at + blank, " \t\n");
		buffer_printf(&uses, "use %.*s\n", (int)n, at + blank);
		memset(at, ' ', blank + n);
	}
	return uses.text;
}

/* Of - it is what standard input gives. */
static int open_expression(Target *t, const Options *o, const char *word)
{
	const SourceText *s = is_input_word(word) ? source_read(&t->sources, input_name) : NULL;
	if (is_input_word(word) && !s) return complain(o, EXIT_ENVIRONMENT, "%s", t->sources.why);
	t->source = text_of("%s", s ? s->text : word);
	char *uses = take_uses(t->source);
	if (uses) source_put(&t->sources, "use", uses);
	t->module = por_load(t->graph, NULL, 0, NULL);
	bool opened = t->module && !(uses && por_module_add(t->module, uses, "use"));
	free(uses);
	return opened ? EXIT_GOOD : target_fail(t);
}

/* --rule RULE and --rules FILE, in order: after the file's own, whose ops they may name. */
int target_add_rules(Target *t)
{
	const Options *o = t->options;
	for (size_t i = 0; i < o->nvalue; i++) {
		const char *name = o->value[i].spec->name, *value = o->value[i].value;
		if (!strcmp(name, "rule") && por_rule(t->graph, value, NULL))
			return complain_with(o, por_graph_error(t->graph), value);
		if (strcmp(name, "rules") || source_kept(&t->sources, value))
			continue; /* once, as `use` reads it */
		const SourceText *s = source_read(&t->sources, value);
		if (!s) return complain(o, EXIT_ENVIRONMENT, "%s", t->sources.why);
		por_module *m = por_load(t->graph, s->text, (int64_t)s->n, value);
		if (!m) return target_fail(t);
		if (!t->file) t->module = m; /* an expression sees the ops that its rules name */
	}
	return EXIT_GOOD;
}

int target_renew(Target *t)
{
	int status;
	por_context *context = command_context(t->options, &t->sources, &status);
	if (!context) return status;
	target_parameters_free(t);
	t->parameters = need(calloc(1, sizeof *t->parameters));
	por_close(t->graph);
	t->module = NULL;
	t->graph = need(por_open(context));
	if (option(t->options, "no-rules")) por_derive_as_written(t->graph, 1);
	return EXIT_GOOD;
}

int target_open(Target *t, const Options *o, const char *word)
{
	*t = (Target){.options = o};
	int status = target_renew(t);
	if (status != EXIT_GOOD) return status;
	if (is_file_word(word) || (is_input_word(word) && o->command->reads_file))
		status = open_file(t, o, word);
	else
		status = open_expression(t, o, word);
	return status == EXIT_GOOD ? target_add_rules(t) : status;
}

void target_close(Target *t)
{
	target_parameters_free(t);
	por_close(t->graph);
	free(t->file);
	free(t->function);
	free(t->source);
	free(t->added);
	sources_free(&t->sources);
	*t = (Target){0};
}

int run_target(Options *o, const char *done, int (*body)(const Options *, Target *, Arguments *))
{
	Target t;
	Arguments a = {0};
	if (!o->nword) return usage(o, "what is to be %s? %s", done, o->command->words);
	int status = target_open(&t, o, o->word[0]);
	bool alone = status == EXIT_GOOD && t.file && !t.function;
	if (alone && o->command == &command_run && o->nword == 1)
		status = list_target(o, &t);
	else if (alone)
		status = usage(o, "%s:NAME was wanted; porism list %s says which it has", t.file, t.file);
	else if (status == EXIT_GOOD)
		status = arguments_read(&a, &t, o, 1);
	if (status == EXIT_GOOD && !alone) status = body(o, &t, &a);
	arguments_free(&a);
	target_close(&t);
	return status;
}

int target_fail(const Target *t)
{
	const por_error *e = por_graph_error(t->graph);
	const char *kept = source_kept(&t->sources, e->file);
	const char *own;
	if (!t->file)
		own = t->source;
	else if (*e->file)
		own = NULL;
	else
		own = t->added;
	return complain_with(t->options, e, kept ? kept : own);
}

int stage_fail(const Target *t)
{
	const por_error *e = por_graph_error(t->graph);
	const char *stage = option(t->options, "stage");
	return stage && e->code == POR_ERR_NAME ? usage(t->options, "--stage %s: %s", stage, e->text)
						: target_fail(t);
}

por_function *elaborate(Target *t, const char *name, size_t n, const por_given *given)
{
	if (name) return por_function_named(t->module, name, (int)n, given);
	return por_function_expression(t->graph, t->module, t->source, (int)n, given);
}

/* ---- parameters as the declaration writes them ----------------------------------------------- */

typedef enum ParameterPlace { PLACE_NONE, PLACE_BRACKET, PLACE_TYPED, PLACE_UNTYPED } ParameterPlace;

static ParameterPlace parameter_place(Target *t, const char *function, const char *name)
{
	por_param p;
	if (!target_parameter(t, function, name, &p)) return PLACE_NONE;
	if (p.bracket) return PLACE_BRACKET;
	if (*p.type) return PLACE_TYPED;
	return PLACE_UNTYPED;
}

/* ---- the function for the given values ------------------------------------------------------- */

typedef struct GivenList {
	por_given *v;
	size_t n, room;
} GivenList;

static void add_given(GivenList *l, por_given one)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->v = need(realloc(l->v, l->room * sizeof *l->v));
	}
	l->v[l->n++] = one;
}

const por_type *type_of_array(Target *t, const FileArray *a)
{
	return por_type_array(t->graph, por_dtype_named(a->dtype), a->rank, (const por_size *)a->shape);
}

/* A function's promises are those of its file: "x: f64 if x > 0" on the command line would be another
 * function. */
static int refuse_promises(const Target *t, const char *name, const Arguments *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *fact = a->given[i].declared ? strstr(a->given[i].declared, " if ") : NULL;
		if (fact)
			return usage(t->options,
				"%s: the promise%s stands in the file, at the parameter of %s; here a type was wanted",
				a->given[i].name, fact, name);
	}
	return EXIT_GOOD;
}

/* A number, true or false that is known while the function is built. */
static por_node *known_number(Target *t, const FileArray *a)
{
	double x = array_number(a, 0);
	if (!strcmp(a->dtype, "bool")) return por_constant(t->graph, "bool", x);
	bool whole = *a->dtype == 'i' || *a->dtype == 'u';
	return whole ? por_integer(t->graph, (int64_t)x) : por_number(t->graph, x);
}

/* Whole numbers in a text, for a name that has no type of its own, are f64 unless the use asks for
 * integers. */
static bool is_whole(const Target *t, const char *function, const GivenLeaf *leaf)
{
	por_param p;
	if (!leaf->from->literal || leaf->from->named || strcmp(leaf->array->dtype, "i64")) return false;
	return !function || !target_parameter(t, function, leaf->path, &p) || !*p.type ||
		(*p.type >= 'A' && *p.type <= 'Z');
}

/* Everything that is given; with `open`, types of declared parameters only where nothing else tells them. */
static GivenList make_given(Target *t, const char *name, Arguments *a, GivenLeaves *leaves, bool open)
{
	GivenList l = {0};
	NameIndex declared = {0};
	for (size_t i = 0; i < a->n; i++) {
		GivenArgument *g = &a->given[i];
		if (g->declared) name_add(&declared, g->name, i);
		if (g->declared && name)
			add_given(&l,
				(por_given){.name = g->name,
					.type = por_type_parse(t->graph, strchr(g->declared, ':') + 1)});
		else if (g->declared)
			add_given(&l, (por_given){.name = g->name, .declared = g->declared});
	}
	names_sort(&declared);
	for (size_t i = 0; i < leaves->n; i++) {
		GivenLeaf *leaf = &leaves->leaf[i];
		ParameterPlace place = parameter_place(t, name, leaf->path);
		if (name_find(&declared, leaf->path, strcspn(leaf->path, "."), NULL))
			continue; /* the call finds sizes, and converts */
		if (place == PLACE_BRACKET && !leaf->array->rank) {
			leaf->used = true;
			add_given(&l, (por_given){.name = leaf->path, .value = known_number(t, leaf->array)});
		} else if (!open || place != PLACE_TYPED)
			add_given(&l,
				(por_given){.name = leaf->path,
					.type = type_of_array(t, leaf->array),
					.whole = is_whole(t, name, leaf)});
	}
	names_free(&declared);
	return l;
}

/* Is there a number that the dtype only comes near?  An integer dtype has it, or the conversion fails. */
static bool some_rounds(const FileArray *a, const char *dtype)
{
	if (*dtype == 'i' || *dtype == 'u') return false;
	for (int64_t i = 0; i < array_count(a); i++) {
		double v = array_number(a, i);
		if (strcmp(dtype, "f32") || (v == v && (double)(float)v != v)) return true;
	}
	return false;
}

static bool convert_leaf(GivenLeaf *leaf, const char *dtype, char *error, size_t room)
{
	char why[256];
	bool rounds = !leaf->from->literal && !strcmp(leaf->array->dtype, "f64") && strcmp(dtype, "f64") &&
		some_rounds(leaf->array, dtype);
	if (!array_convert(leaf->array, dtype, why, sizeof why))
		return file_fail(error, room, "%s %s", leaf->path, why);
	if (rounds) fprintf(stderr, "porism: %s: f64 rounded to %s\n", leaf->path, dtype);
	return true;
}

/* Values take the dtypes that the parameters declare. */
static bool convert_all(por_function *f, GivenLeaves *leaves, char *error, size_t room)
{
	for (int i = 0; i < por_function_inputs(f); i++) {
		por_leaf leaf = input_of(f, i);
		GivenLeaf *from = given_leaf(leaves, leaf.path);
		if (from && !convert_leaf(from, por_dtype_name(por_type_dtype(leaf.type)), error, room))
			return false;
	}
	return true;
}

/* The same where the function has an error: what their text says, so that the error is what is reported. */
static bool convert_declared(Target *t, const char *function, GivenLeaves *leaves, char *error, size_t room)
{
	for (size_t i = 0; i < leaves->n; i++) {
		por_param p;
		if (!target_parameter(t, function, leaves->leaf[i].path, &p) || p.bracket) continue;
		char *dtype = text_copy(p.type, strcspn(p.type, "[ "));
		bool good = por_dtype_named(dtype) == POR_NO_DTYPE ||
			convert_leaf(&leaves->leaf[i], dtype, error, room);
		free(dtype);
		if (!good) return false;
	}
	return true;
}

/* What is given has just the types that the function has without it. */
static bool teaches_nothing(Target *t, por_function *f, GivenLeaves *leaves)
{
	for (int i = 0; i < por_function_inputs(f); i++) {
		por_leaf leaf = input_of(f, i);
		GivenLeaf *from = given_leaf(leaves, leaf.path);
		if (from && type_of_array(t, from->array) != leaf.type) return false;
	}
	return true;
}

/* Does the type name a size so? */
static bool holds_size(const char *type, const char *name)
{
	size_t n = strlen(name);
	bool found = false;
	for (const char *at = type; at && (at = strstr(at, name)); at += n)
		found |= at > type && strchr("[ *(", at[-1]) && strchr("], *+-/%)", at[n]) && at[n];
	return found;
}

/* Whose shape tells a size of this name: an input, or a parameter as it is declared; NULL: none's. */
static const char *sized_by(const Target *t, const char *function, por_function *f, const char *name)
{
	const Parameters *all = function ? target_parameters(t, function) : NULL;
	for (size_t i = 0; all && i < all->n; i++)
		if (!all->param[i].bracket && holds_size(all->param[i].type, name)) return all->param[i].name;
	for (int i = 0; i < por_function_inputs(f); i++) {
		por_leaf leaf = input_of(f, i);
		char *type = need(por_type_text(leaf.type));
		bool found = holds_size(type, name);
		por_text_free(type);
		if (found) return leaf.path;
	}
	return NULL;
}

/* Is the expression one name, which the user may have meant as a function's? */
static bool is_one_name(const Target *t, const char *function)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	return !function && !t->file && t->source && *t->source && !t->source[strspn(t->source, letters)];
}

/* Does the text of a type begin with a dtype? */
static bool is_array_type(const char *type)
{
	char *name = text_copy(type, strcspn(type, "[ "));
	bool found = por_dtype_named(name) != POR_NO_DTYPE;
	free(name);
	return found;
}

/* What is given under this path has no place in the function. */
static int no_parameter(const Target *t, const char *function, por_function *f, const char *path)
{
	por_param p;
	bool known = target_parameter(t, function, path, &p);
	if (por_graph_error(t->graph)->code) return target_fail(t);
	if (!known) {
		TextBuffer names = {0};
		const char *sized = sized_by(t, function, f, path);
		for (int i = 0; i < por_function_inputs(f) && i < 12; i++) {
			por_leaf leaf = input_of(f, i);
			buffer_printf(&names, "%s%s", i ? ", " : "", leaf.path);
		}
		int status;
		if (sized)
			status = usage(t->options,
				"%s is a size, which the shape of %s tells; '%s: i64' makes it a parameter", path,
				sized, path);
		else
			status = usage(t->options, "%s is no parameter of %s; it has %s%s", path,
				function ? function : "the expression", names.n ? names.text : "none",
				is_one_name(t, function) ? "; a function of a file is FILE.por:NAME" : "");
		buffer_free(&names);
		return status;
	}
	for (int i = 0; i < por_function_inputs(f); i++) {
		por_leaf leaf = input_of(f, i);
		if (!strcmp(leaf.path, path))
			return usage(t->options, "%s is given twice: %s = ... holds it", path, p.name);
	}
	if (strchr(path, '.') && is_array_type(p.type))
		return usage(t->options, "%s: %s is an array, which is written %s='[1.0, 2.0]'", p.name, p.type, p.name);
	return strchr(path, '.')
		? usage(t->options, "%s is no part of %s: %s", path, p.name, p.type)
		: usage(t->options, "%s is one array; %s: %s is wanted", path, p.name, p.type);
}

/* Do its parameters say their types, so that values would teach it nothing? */
static bool all_declared(const Target *t, const char *function)
{
	int n = por_declared_params(t->module, function);
	bool all = n > 0;
	for (int i = 0; i < n && all; i++) {
		por_param p;
		all = !por_declared_param(t->module, function, i, &p) &&
			(p.bracket || (*p.type && !(*p.type >= 'A' && *p.type <= 'Z') &&
			!strstr(p.type, "..")));
	}
	return all;
}

/* The error of a function for what is given: one in a declared text is shown there. */
static int given_fail(const Target *t, const Arguments *a)
{
	const por_error *e = por_graph_error(t->graph);
	for (size_t i = 0; i < a->n; i++)
		if (a->given[i].declared && !strcmp(a->given[i].name, e->file))
			return complain_with(t->options, e, a->given[i].declared);
	return target_fail(t);
}

por_function *target_function(Target *t, const char *name, Arguments *a, int *status)
{
	if (name && (*status = refuse_promises(t, name, a)) != EXIT_GOOD) return NULL;
	GivenLeaves leaves;
	char error[512];
	arguments_leaves(a, &leaves);
	bool good = true;
	por_function *f = NULL;
	if (name) {
		GivenList open = make_given(t, name, a, &leaves, true);
		f = elaborate(t, name, open.n, open.v);
		if (!f && all_declared(t, name)) {
			good = convert_declared(t, name, &leaves, error, sizeof error);
			*status = good ? given_fail(t, a) : complain(t->options, EXIT_FAILED, "%s", error);
			free(open.v);
			given_leaves_free(&leaves);
			return NULL;
		}
		if (!f) por_clear_error(t->graph);
		good = f ? convert_all(f, &leaves, error, sizeof error)
			 : convert_declared(t, name, &leaves, error, sizeof error);
		free(open.v);
	}
	*status = EXIT_GOOD;
	if (good && !(f && teaches_nothing(t, f, &leaves))) {
		GivenList all = make_given(t, name, a, &leaves, false);
		f = elaborate(t, name, all.n, all.v);
		if (!f) *status = given_fail(t, a);
		free(all.v);
	} else if (!good) {
		*status = complain(t->options, EXIT_FAILED, "%s", error);
		f = NULL;
	}
	for (int i = 0; f && i < por_function_inputs(f); i++) {
		por_leaf leaf = input_of(f, i);
		GivenLeaf *from = given_leaf(&leaves, leaf.path);
		if (from) from->used = true;
	}
	for (size_t i = 0; f && i < leaves.n; i++)
		if (!leaves.leaf[i].used && !a->spare) {
			*status = no_parameter(t, name, f, leaves.leaf[i].path);
			f = NULL;
		}
	given_leaves_free(&leaves);
	return f;
}

/* ---- types as texts -------------------------------------------------------------------------- */

/* The type of a parameter or result, as the notation writes it: {w: f64[n], b: f64}. */
void add_structure_type(TextBuffer *b, const por_structure *s, const por_function *f, bool output)
{
	const char *kind = por_structure_kind(s);
	if (!strcmp(kind, "array")) {
		por_leaf leaf;
		if (output)
			leaf = output_of(f, por_structure_leaf(s));
		else
			leaf = input_of(f, por_structure_leaf(s));
		char *type = need(por_type_text(leaf.type));
		buffer_text(b, type);
		por_text_free(type);
		return;
	}
	bool record = !strcmp(kind, "record");
	buffer_text(b, record ? "{" : "(");
	for (int i = 0; i < por_structure_count(s); i++) {
		if (i) buffer_text(b, ", ");
		if (record) buffer_printf(b, "%s: ", por_structure_field(s, i));
		add_structure_type(b, por_structure_element(s, i), f, output);
	}
	buffer_text(b, record ? "}" : ")");
}
