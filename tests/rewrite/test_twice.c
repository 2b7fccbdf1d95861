/* test_twice.c - every function of every program of the tests and examples, brought to `stable`: the rules once
 * more change nothing.
 *
 * test_twice FILE...: those programs, and what the second time changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <dirent.h>
#include <string.h>

#include "file_text.h"
#include "api/compile.h"
#include "prove/prove.h"
#include <cmocka.h>

typedef struct Tally {
	uint32_t functions, changed;
} Tally;

/* Stages up to `stable`, loops merged among them. */
static Function *optimised(Graph *g, Function *f)
{
	Pipeline p = {.until = "stable"};
	return pipeline_run(g, f, &p);
}

/* The rules once more; how many were applied, and which. */
static Function *rewritten(Graph *g, Function *f, uint64_t *fired, Text *said)
{
	RewriteOptions o = {.last = true, .whole = true, .log_arena = g->arena};
	f = rewrite_function(g, "algebra", f, &o);
	o.whole = false;
	f = f ? rewrite_function(g, "stable", f, &o) : NULL;
	*fired = o.fired;
	for (uint32_t k = 0; k < o.nlog; k++) text_printf(said, " %s", o.log[k].rule ? o.log[k].rule->name : o.log[k].what);
	return f;
}

static void one_function(Graph *g, Module *m, const char *file, const char *name, Tally *tally)
{
	uint64_t fired;
	Text said;
	text_open(&said, g->arena);
	Signature *s = elaborate_function(g, m, name, 0, NULL);
	Function *f = s && s->function ? optimised(g, s->function) : NULL;
	Function *again = f ? rewritten(g, f, &fired, &said) : NULL;
	error_clear(&g->error); /* it wants brackets or types, or is wrong on purpose */
	if (!again) return;
	tally->functions++;
	if (!fired && again == f) return;
	tally->changed++;
	print_error("%s: %s changes the second time:%s\n", file, name, text_done(&said));
}

static void one_file(const char *path, Tally *tally)
{
	char *text = file_text(path);
	Graph *g = graph_open(NULL);
	assert_non_null(text);
	diff_open(g);
	prove_open(g);
	Module *m = books_open(g) ? module_load(g, path, text, strlen(text)) : NULL;
	const Syntax *s = m && !g->error.code ? module_syntax(m) : NULL;
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->part[i]->kind == SYN_BOOK && !book_add(g, s->part[i], path)) error_clear(&g->error);
	for (uint32_t i = 0; s && i < s->count; i++)
		if (s->part[i]->kind == SYN_FN && s->part[i]->name) one_function(g, m, path, s->part[i]->name, tally);
	graph_close(g);
	free(text);
}

static void every_file(const char *folder, Tally *tally)
{
	DIR *d = opendir(folder);
	char path[600];
	if (!d) return;
	for (struct dirent *e; (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			every_file(path, tally);
		else if (n > 4 && !strcmp(e->d_name + n - 4, ".por"))
			one_file(path, tally);
	}
	closedir(d);
}

static void second_time(void **state)
{
	Tally tally = {0, 0};
	(void)state;
	every_file("tests", &tally);
	every_file("examples", &tally);
	print_message("%u functions\n", tally.functions);
	assert_true(tally.functions > 250);
	assert_int_equal(tally.changed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(second_time)};
	Tally tally = {0, 0};
	for (int i = 1; i < argc; i++) one_file(argv[i], &tally);
	if (argc > 1) return tally.changed != 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
