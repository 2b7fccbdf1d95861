/* Files that use others: what the loader is asked, what comes in, and how it fails. */
#include "graph_says.h"

/* Files by name; one of them may be longer than its text, as a file that is mapped is. */
typedef struct Files {
	struct {
		const char *file, *text;
		int64_t n;
	} file[6];
	int asked; /* how often */
	char last[100]; /* "layers for main.por" */
} Files;

/* `use NAME` in d/f.por is d/NAME.por, in "flat" files NAME alone. */
static int find(void *user, por_source *s)
{
	Files *files = user;
	assert_true(s->size == sizeof *s && s->n == -1);
	files->asked++;
	strcat(strcat(strcpy(files->last, s->name), " for "), s->from);
	s->file = "no file";
	for (int i = 0; i < 6 && files->file[i].file; i++) {
		const char *file = files->file[i].file, *slash = strchr(file, '/'), *plain = slash ? slash + 1 : file;
		size_t folder = (size_t)(plain - file), n = strlen(s->name);
		if (strncmp(plain, s->name, n) || strcmp(plain + n, ".por") || strncmp(file, s->from, folder)) continue;
		s->file = file, s->text = files->file[i].text;
		if (files->file[i].n) s->n = files->file[i].n;
		return POR_OK;
	}
	s->why = "was looked for";
	return POR_ERR_FILE;
}

static por_graph *open_with(Files *files)
{
	por_context *c = por_context_new(&(por_context_options){.size = sizeof(por_context_options),
		.user = files, .load = find});
	por_graph *g = por_open(c);
	por_context_free(c);
	assert_non_null(g);
	return g;
}

static void gives(por_module *m, const char *name, double x, double want)
{
	por_function *f = por_function_named(m, name, 0, NULL);
	assert_non_null(f);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET};
	por_program *p = por_compile_function(f, &o);
	assert_non_null(p);
	double out = 0;
	por_array in = por_view(&x, POR_F64, 0, NULL), to = por_view(&out, POR_F64, 0, NULL);
	assert_int_equal(por_call(p, NULL, 1, &in, 1, &to), POR_OK);
	assert_true(out == want);
	por_program_free(p);
}

static void a_file_uses_files(void **state)
{
	(void)state;
	/* a use of a use, a diamond, a text with more behind it, and the library's own module */
	Files files = {.file = {{"layers.por", "use units use optim fn f(x: f64) = units.half(x) + 1", 0},
			       {"units.por", "fn half(x: f64) = x/2 book near: algebra cube: cbrt(x)^3 => x and then", 61}}};
	por_graph *g = open_with(&files);
	assert_int_equal(por_rule(g, "sin(x)*cos(x) => sin(2*x)/2", NULL), POR_OK); /* opens the books */
	int rules = por_rule_count(g);
	por_module *m = por_load(g, "use layers\nuse units\nfn g(x: f64) = 10*layers.f(x) + units.half(x)", -1,
		"main.por");
	if (!m) fail_msg("%s", por_graph_error(g)->text);
	assert_int_equal(por_module_count(m), 3);
	assert_int_equal(files.asked, 3); /* layers; units for layers; units for main */
	assert_string_equal(files.last, "units for main.por");
	assert_int_equal(por_rule_count(g), rules + 1); /* units was read once */
	gives(m, "g", 4, 32); /* 10*(4/2 + 1) + 4/2 */
	assert_int_equal(por_module_add(m, "use units2\nfn h(x: f64) = x", "more.por"), POR_ERR_FILE);
	fails_at(g, POR_ERR_FILE, "more.por", 1, 5,
		"use units2: the library has no such module, and no file was looked for");
	por_close(g);
}

/* Types, facts, ops and books of a used file; its books name its own ops plainly, others by the module. */
static void declarations_come_in(void **state)
{
	(void)state;
	Files files = {.file = {{"units.por",
		"type part = {v: f64 if v > 0}\nop double(x) = 2*x\nop halve(x) = x/2\n"
		"fn value(p: part) = p.v\nbook near: algebra\nback: halve(double(x)) => x  real\n", 0}}};
	por_graph *g = open_with(&files);
	por_module *m = por_load(g,
		"use units\nfn f(p: units.part) = units.value(p)\nfn back(x: f64) = units.halve(units.double(x))\n"
		"fn forth(x: f64) = units.double(units.halve(x))\n"
		"book mine: algebra\nforth: units.double(units.halve(x)) => x  real\n", -1, "main.por");
	if (!m) fail_msg("%s", por_graph_error(g)->text);
	por_leaf leaf;
	assert_int_equal(por_function_input(por_function_named(m, "f", 0, NULL), 0, &leaf), POR_OK);
	assert_string_equal(leaf.path, "p.v");
	assert_true(leaf.low == 0 && leaf.above_low);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "forth" : "back";
		por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .keep_stages = 1};
		por_program *p = por_compile_function(por_function_named(m, name, 0, NULL), &o);
		char *text = por_explain(p, "rules");
		assert_non_null(text);
		assert_non_null(strstr(text, i ? "algebra: forth: " : "algebra: back: "));
		por_text_free(text);
		por_program_free(p);
	}
	/* the used file's books come first; each book has one rule */
	int n = por_rule_count(g);
	por_rule_info r;
	assert_int_equal(por_rule_at(g, n - 2, &r), POR_OK);
	assert_string_equal(r.file, "units.por");
	assert_int_equal(por_rule_at(g, n - 1, &r), POR_OK);
	assert_string_equal(r.file, "main.por");
	assert_int_equal(por_rule(g, "halve(halve(x)) => x/4", NULL), POR_ERR_RULE); /* the op is units.halve */
	assert_non_null(strstr(por_graph_error(g)->text, "there is no operator or op halve"));
	por_clear_error(g);
	assert_int_equal(por_rule(g, "units.halve(units.halve(x)) => x/4", NULL), POR_OK);
	assert_null(por_function_expression(g, m, "double(x)", 0, NULL)); /* the name is units.double */
	assert_non_null(strstr(por_graph_error(g)->text, "double"));
	por_close(g);
}

static void mistakes_are_told(void **state)
{
	(void)state;
	Files files = {.file = {{"a.por", "\nuse b", 0}, {"b.por", "use a", 0},
			       {"bad.por", "fn f(x: f64) =\n  x + * 2", 0}, {"one/same.por", "", 0}, {"two/same.por", "", 0}}};
	por_graph *g = open_with(&files);
	assert_null(por_load(g, "# none\n  use nowhere", -1, "main.por"));
	fails_at(g, POR_ERR_FILE, "main.por", 2, 7,
		"use nowhere: the library has no such module, and no file was looked for");
	assert_null(por_load(g, "use a", -1, "main.por"));
	fails_at(g, POR_ERR_NAME, "b.por", 1, 5, "use a: files use each other in a circle: a.por uses b.por uses a.por");
	assert_null(por_load(g, "\nuse b", -1, "a.por"));
	fails_at(g, POR_ERR_NAME, "b.por", 1, 5, "use a: files use each other in a circle: a.por uses b.por uses a.por");
	assert_null(por_load(g, "use bad", -1, "main.por"));
	fails_at(g, POR_ERR_SYNTAX, "bad.por", 2, 7, "found *; wanted an expression");
	int before = files.asked;
	assert_null(por_load(g, "use one.same", -1, "main.por"));
	fails_at(g, POR_ERR_NAME, "main.por", 1, 5, "use takes one plain name, here are several with points between");
	assert_null(por_load(g, "use ../same", -1, "one/main.por"));
	fails_at(g, POR_ERR_SYNTAX, "one/main.por", 1, 5, "found ..; wanted a module's name after use");
	assert_int_equal(files.asked, before); /* neither reaches the loader */
	assert_non_null(por_load(g, "use same", -1, "one/main.por"));
	assert_null(por_load(g, "use same", -1, "two/main.por"));
	fails_at(g, POR_ERR_NAME, "two/main.por", 1, 5,
		"use same: here that is two/same.por, elsewhere it is one/same.por");
	/* what was read beside a mistake is read again, its books too */
	int rules = por_rule_count(g);
	files.file[0].text = "book mine: algebra\ncube: cbrt(x)^3 => x";
	assert_null(por_load(g, "use a use nowhere", -1, "main.por"));
	por_clear_error(g);
	assert_non_null(por_load(g, "use a", -1, "main.por"));
	assert_int_equal(por_rule_count(g), rules + 1);
	por_close(g);
}

static int refuse(void *user, por_source *s)
{
	s->why = user;
	return user ? POR_ERR_UNSUPPORTED : -5;
}

static void a_loader_may_refuse(void **state)
{
	(void)state;
	const char *why[] = {NULL, "modules are not sent over this wire"};
	for (int i = 0; i < 2; i++) {
		por_context *c = por_context_new(&(por_context_options){.size = sizeof(por_context_options),
			.user = (void *)(uintptr_t)why[i], .load = refuse});
		por_graph *g = por_open(c);
		por_context_free(c);
		assert_null(por_load(g, "use layers", -1, "main.por"));
		fails_at(g, i ? POR_ERR_UNSUPPORTED : POR_ERR_FILE, "main.por", 1, 5,
			i ? "use layers: modules are not sent over this wire" : "use layers: there is no such module");
		por_close(g);
	}
	por_graph *g = por_open(NULL); /* without one: the library's modules alone */
	assert_null(por_load(g, "use optim use layers", -1, "main.por"));
	fails_at(g, POR_ERR_NAME, "main.por", 1, 15, "use layers: there is no such module");
	assert_non_null(por_load(g, "use optim use logp", -1, "main.por"));
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_uses_files),
		cmocka_unit_test(declarations_come_in),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(a_loader_may_refuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
