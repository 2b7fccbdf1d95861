/* test_printed.c - what is printed reads back: every function of the files below that says what it takes, after every
 * stage that leaves a function.
 *
 * It is the same graph, or one that prints the same: a text does not tell in which order a body captures.  After `lower`
 * it need not be, as the loop of one pass that a checkpoint has become is none when it is read.
 *
 * All of it within a small stack: what recurses does so by the depth of what is written, not by how long it looks. */
#include "file_text.h"
#include "api/compile.h"
#include "print/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/resource.h>

typedef struct Seen {
	Graph *g;
	const Pipeline *line;
	const char *file, *stage;
	const char *const *but; /* functions of which no more is asked than that they read back */
	const Syntax *syntax;   /* of the file */
	bool same;       /* is the same graph asked for? */
	uint32_t faults;
} Seen;

static void differs(Seen *s, const char *how, const char *text)
{
	fprintf(stderr, "%s: %s after %s %s\n%s\n", s->file, s->line->signature->name, s->stage, how, text);
	s->faults++;
}

/* The last function of a text is the one that was printed: those before it are called by it. */
static const char *last_name(const Module *m)
{
	const Syntax *file = module_syntax(m);
	return file->part[file->count - 1]->name;
}

static const char *printed(Graph *g, Function *f, const Signature *sig)
{
	Text t;
	text_open(&t, g->arena);
	print_function(&t, g, f, sig, NULL, 0);
	return text_done(&t);
}

/* Ops are called by their names: whoever reads a call has them. */
static void add_ops(Seen *s, Module *m)
{
	for (uint32_t i = 0; m && i < s->syntax->count; i++) {
		Text t;
		text_open(&t, s->g->arena);
		if (s->syntax->part[i]->kind != SYN_OP) continue;
		print_syntax(&t, s->syntax->part[i]);
		const char *text = text_done(&t);
		module_add(s->g, m, s->file, text, strlen(text));
	}
}

static bool is_asked(const Seen *s)
{
	for (const char *const *name = s->but; name && *name; name++)
		if (!strcmp(*name, s->line->signature->name)) return false;
	return s->same && strcmp(s->stage, "lower");
}

static void read_back(Seen *s)
{
	Graph *g = s->g;
	Function *f = s->line->function;
	const char *text = printed(g, f, s->line->signature);
	Module *m = module_load(g, "printed", text, strlen(text));
	const char *name = m ? last_name(m) : NULL;
	add_ops(s, m);
	Signature *again = m ? elaborate_function(g, m, name, 0, NULL) : NULL;
	bool same = again && (again->function == f || !strcmp(printed(g, again->function, again), text));
	if (!again || (is_asked(s) && !same)) differs(s, again ? "is another graph" : g->error.text, text);
	error_clear(&g->error);
}

/* Before each stage: what the one before it left. */
static bool stage_begins(void *user, const char *stage, double done)
{
	Seen *s = user;
	(void)done;
	if (s->stage) read_back(s);
	s->stage = stage;
	return true;
}

static void each_stage(Seen *s, Signature *sig)
{
	Pipeline line = {.signature = sig, .begins = stage_begins, .user = s};
	s->line = &line;
	s->stage = NULL;
	if (pipeline_run(s->g, sig->function, &line)) read_back(s);
	if (!s->g->error.code) return;
	differs(s, "is not compiled", s->g->error.text);
	error_clear(&s->g->error);
}

static void each_function(Seen *s, const char *path, uint32_t *count)
{
	char *text = file_text(path);
	assert_non_null(text);
	Trap trap;
	for (uint32_t i = 0;; i++) {
		s->g = graph_open(NULL);
		if (TRAP(&trap)) abort();
		arena_arm(s->g->arena, &trap);
		diff_open(s->g);
		Module *m = module_load(s->g, path, text, strlen(text));
		if (!m) fail_msg("%s: %s", path, s->g->error.text);
		const Syntax *file = s->syntax = module_syntax(m), *d = i < file->count ? file->part[i] : NULL;
		if (d && d->kind == SYN_FN) {
			Signature *sig = elaborate_function(s->g, m, d->name, 0, NULL);
			error_clear(&s->g->error);
			*count += sig != NULL;
			if (sig) each_stage(s, sig);
		}
		graph_close(s->g);
		if (!d) break;
	}
	free(text);
}

static void each_file(Seen *s, const char *const *file)
{
	uint32_t count = 0;
	for (; *file; file++) {
		s->file = *file;
		each_function(s, *file, &count);
	}
	assert_true(count > 50);
	assert_int_equal(s->faults, 0);
}

/* Passes that are cut into pieces are sizes of sizes, which the notation writes as numbers; and of equal functions, which
 * are one, the first in the text gives the names, which is another one when it is read. */
static void it_is_the_same_graph(void **state)
{
	(void)state;
	static const char *const but[] = {"budget", "counted_on", "conjugate", NULL};
	each_file(&(Seen){.same = true, .but = but},
		(const char *const[]){"tests/lang/cases/forms.por", "tests/lang/cases/named.por",
			"tests/lang/cases/black_scholes.por", "tests/lang/cases/classifier.por",
			"tests/lang/cases/control.por", "tests/lang/cases/effects.por", "tests/lang/cases/heat.por",
			"tests/lang/cases/logistic.por", "tests/lang/cases/markov.por",
			"tests/lang/cases/printed.por", "tests/lang/cases/ragged.por", "tests/library/nn.por",
			"tests/library/shows.por", "tests/library/sizes.por", "tests/standalone/programs.por",
			"examples/flow.por", "examples/formulas.por", "examples/hmm.por", "examples/leapfrog.por",
			"examples/logistic.por", NULL});
}

static void it_reads_back(void **state)
{
	(void)state;
	each_file(&(Seen){0},
		(const char *const[]){"tests/lang/cases/forms.por", "tests/lang/cases/lbfgs.por",
			"tests/lang/cases/radon.por", "tests/lang/cases/transformer.por", "tests/library/ode.por",
			"tests/library/optim.por", "tests/library/quad.por", "tests/library/solve.por",
			"examples/rosenbrock.por", "examples/rules.por", "examples/trees.por", NULL});
}

int main(void)
{
	struct rlimit stack;
	getrlimit(RLIMIT_STACK, &stack);
	stack.rlim_cur = (rlim_t)1 << 20;
	if (setrlimit(RLIMIT_STACK, &stack)) return 1;
	const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_the_same_graph), cmocka_unit_test(it_reads_back)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
