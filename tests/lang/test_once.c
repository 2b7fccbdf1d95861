/* test_once.c - what is written once is read once and elaborated once: counted in tokens, and in sums and products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "diff/diff.h" /* before cmocka.h, which makes `fail` a macro */
#include "elab/elaborator.h"
#include "parse/parse.h"
#include <cmocka.h>

static int tokens, chains;
void __real_lex_next(Parser *);
void __wrap_lex_next(Parser *);
void __wrap_lex_next(Parser *p)
{
	tokens++;
	__real_lex_next(p);
}

Binding *__real_elab_chain(Elab *, Env, const Syntax *);
Binding *__wrap_elab_chain(Elab *, Env, const Syntax *);
Binding *__wrap_elab_chain(Elab *e, Env env, const Syntax *s)
{
	chains++;
	return __real_elab_chain(e, env, s);
}

/* With the library and the books read already. */
static Graph *ready(void)
{
	static const char some[] = "fn f(x: f64) = grad(sin(x), x)\n";
	Graph *g = graph_open(NULL);
	diff_open(g);
	Module *m = module_load(g, "some.por", some, strlen(some));
	assert_non_null(m);
	assert_non_null(elaborate_function(g, m, "f", 0, NULL));
	return g;
}

/* Of a file with f and a `loss` of 100 terms: how often a sum or product is elaborated for f. */
static int chains_of(const char *f)
{
	Text t;
	Graph *g = ready();
	text_open(&t, g->arena);
	text_add(&t, "fn loss(x: f64) = x");
	for (int i = 0; i < 100; i++) text_printf(&t, " + sin(x*%d.5)", i);
	text_printf(&t, "\n%s\n", f);
	const char *text = text_done(&t);
	tokens = 0;
	Module *m = module_load(g, "work.por", text, strlen(text));
	int loaded = tokens;
	tokens = chains = 0;
	assert_non_null(m);
	assert_non_null(elaborate_function(g, m, "f", 0, NULL));
	print_message("%s: %d tokens, then %d; %d sums and products\n", f, loaded, tokens, chains);
	assert_in_range(loaded, 700, 800);
	assert_int_equal(tokens, 0);
	graph_close(g);
	return chains;
}

/* A body is read when its file is, and elaborated once for its value and its derivatives. */
static void test_bodies_once(void **state)
{
	(void)state;
	int value = chains_of("fn f(x: f64) = loss(x)");
	assert_in_range(value, 100, 110);
	assert_in_range(chains_of("fn f(x: f64) = (loss(x), grad(loss(x), x))"), value, value + 10);
	assert_in_range(chains_of("fn f(x: f64) = (loss(x), grad(loss, x))"), value, value + 10);
	assert_in_range(chains_of("fn f(x: f64) = (loss(x), grad(loss, x), jvp(loss, x, 1.0))"), value, value + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
