/* test_work.c - how much work rewriting and merging is, counted in steps and not in time: a long sum, or many
 * layers, cost so many times as much as they are longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "diff/diff.h"
#include "rewrite/rules.h"
#include <cmocka.h>

/* Nobody looks at a clock: what is counted down is the work, and is never set back. */
bool __wrap_watch_look(Watch *w);
bool __wrap_watch_look(Watch *w)
{
	return w->why;
}

bool __wrap_watch_takes(Watch *w, uint64_t bytes);
bool __wrap_watch_takes(Watch *w, uint64_t bytes)
{
	(void)w, (void)bytes;
	return true;
}

typedef bool (*Task)(Graph *, Node **);

static bool simplified(Graph *g, Node **x)
{
	RewriteOptions o = {.laws = ~0u};
	return rewrite(g, "algebra", 1, x, &o) && !o.out_of_fuel;
}

static bool made_stable(Graph *g, Node **x)
{
	RewriteOptions o = {.laws = ~0u, .last = true};
	return rewrite(g, "stable", 1, x, &o) && !o.out_of_fuel;
}

static bool merged_loops(Graph *g, Node **x)
{
	return diff_merge(g, 1, x);
}

/* The steps of the task on `begin`, then n times `part`, in which %d is a number from 1, then `end`. */
static double steps_of(Task task, const char *begin, const char *part, const char *end, int n)
{
	Scope s;
	Text t;
	assert_true(scope_open(&s));
	assert_true(declare(&s, "x: f64[m, k]") && declare(&s, "a: f64[2000]"));
	text_open(&t, s.g->arena);
	text_add(&t, begin);
	for (int i = 1; i <= n; i++)
		for (const char *at = part; *at; at++)
			if (*at == '#')
				text_printf(&t, "%d", i);
			else
				text_printf(&t, "%c", *at);
	text_add(&t, end);
	const char *text = text_done(&t);
	Node *y = node_of(&s, text, strlen(text));
	if (s.g->error.code) print_message("%s\n", s.g->error.text);
	assert_non_null(y);
	s.g->watch->looks = UINT32_MAX;
	assert_true(task(s.g, &y));
	double steps = (double)(UINT32_MAX - s.g->watch->looks);
	graph_close(s.g);
	return steps;
}

/* Terms that are alike up to a number: each pair may be a match of a rule, or cancel. */
static void test_sums(void **state)
{
	(void)state;
	static const struct {
		const char *part;
		double most; /* steps for each */
	} sum[] = {{" + a[#]*sin(x*#.5)", 100},
		{" + a[#]*exp(-(x - #.25)^2/2)", 150},
		{" - exp(-x*#.5)", 30},
		{" + (x/#.5)/a[#]", 1000}};
	for (uint32_t k = 0; k < countof(sum); k++)
		for (int n = 60; n <= 960; n *= 4) {
			double steps = steps_of(simplified, "x", sum[k].part, "", n) / n;
			print_message("%4d of %s: %.0f steps each\n", n, sum[k].part, steps);
			assert_true(steps < sum[k].most);
		}
}

/* Rules that look for two parts, of a sum or of a choice, where there is one or neither, or none comes twice. */
static void test_pairs(void **state)
{
	(void)state;
	static const struct {
		const char *begin, *part;
		double most;
	} pair[] = {{"x", " - (x - a[#])^2/#.5", 60}, {"x > 0", " and x > a[#]", 60}};
	for (uint32_t k = 0; k < countof(pair); k++)
		for (int n = 15; n <= 60; n *= 2) {
			double steps = steps_of(made_stable, pair[k].begin, pair[k].part, "", n) / n;
			print_message("%4d of %s: %.0f steps each\n", n, pair[k].part, steps);
			assert_true(steps < pair[k].most);
		}
}

/* Two loops that become one in each of the layers, which what comes before them is added to. */
static void test_layers(void **state)
{
	(void)state;
	double before = 0;
	static const char layer[] =
		" let v = v"
		" + (scan (h = v[0], z in v) => let h = sin(h*#) + z in {h = h, out = h*2}).out"
		" + (scan (h = v[0], z in v) => let h = sin(h*#) + z in {h = h, out = h*3}).out ";
	for (int n = 20; n <= 80; n *= 2) {
		double steps = steps_of(merged_loops, "let v = x ", layer, "in v", n) / n;
		print_message("%d layers: %.0f steps each\n", n, steps);
		assert_true(!before || steps < 1.25*before);
		before = steps;
	}
}

static int asked;
static bool is_asked(const Node *x)
{
	(void)x;
	asked++;
	return false;
}

/* Loops within loops, each body held by two: whatever looks through bodies looks through each once. */
static void test_shared_bodies(void **state)
{
	(void)state;
	Scope s;
	Text t;
	Body b[BODIES_MAX];
	enum { LEVELS = 9 };
	assert_true(scope_open(&s));
	assert_true(declare(&s, "x: f64"));
	text_open(&t, s.g->arena);
	text_add(&t, "let f0 = (v) => sin(v) ");
	for (int i = 1; i <= LEVELS; i++)
		text_printf(&t,
			"let f%d = (v) => (scan (h = v, i < 3) => f%d(h))"
			" - (scan (h = 2*v, i < 3) => f%d(h)) ",
			i, i - 1, i - 1);
	text_printf(&t, "in f%d(x)", LEVELS);
	const char *text = text_done(&t);
	Node *y = node_of(&s, text, strlen(text));
	if (s.g->error.code) print_message("%s\n", s.g->error.text);
	assert_non_null(y);
	Node *loop = y->arg[0]->op == OP_GET ? y->arg[0]->arg[0] : y->arg[0];
	assert_int_equal(node_bodies(loop, b), 1);
	assert_false(body_any(s.g, b[0].f, (NodeKind){~0u, is_asked}));
	print_message("%d nodes asked for %d levels\n", asked, LEVELS);
	assert_true(asked < 20 * LEVELS);
	graph_close(s.g);
}

static int ranged;
const Range *__real_range_of(Facts *f, Node *x);
const Range *__wrap_range_of(Facts *f, Node *x);
const Range *__wrap_range_of(Facts *f, Node *x)
{
	ranged++;
	return __real_range_of(f, x);
}

static bool differentiated(Graph *g, Node **x)
{
	Node *leaf = input_named(g, "x"), *one = like(g, *x, 1), *d;
	ranged = 0;
	return diff_vjp(g, (Nodes){1, x}, (Nodes){1, &leaf}, &one, &d);
}

/* Which line a quotient has is told by its divisor alone, not by all that stands below that, which each of
 * them would walk anew. */
static void test_quotients(void **state)
{
	(void)state;
	steps_of(differentiated, "let v = x ", " let v = v/(# + v^2) ", "in v", 50);
	print_message("%d ranges asked for\n", ranged);
	assert_int_equal(ranged, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_layers), cmocka_unit_test(test_shared_bodies),
		cmocka_unit_test(test_quotients)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
