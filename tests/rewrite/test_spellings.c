/* test_spellings.c - a user's rule is found in its left side however it is written: spellings.txt;
 * books of several users beside one another, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "rewrite/rules.h"
#include <cmocka.h>

static const char names[] = "xyzw";

static bool stands_alone(const char *text, char name)
{
	for (const char *at = strchr(text, name); at; at = strchr(at + 1, name)) {
		bool before = at > text && ((at[-1] | ' ') >= 'a' && (at[-1] | ' ') <= 'z'),
		     after = ((at[1] | ' ') >= 'a' && (at[1] | ' ') <= 'z') || at[1] == '(';
		if (!before && !after) return true;
	}
	return false;
}

/* A rule `left => found(x, y)` of an op of that meaning, in a graph of its own. */
static Scope with_rule(const char *left)
{
	Scope s;
	char of[40] = "", types[100] = "", text[400];
	assert_true(scope_open(&s));
	for (const char *c = names; *c; c++) {
		snprintf(text, sizeof text, "%c: f64[n]", *c);
		assert_true(declare(&s, text));
		if (!stands_alone(left, *c)) continue;
		size_t n = strlen(of), k = strlen(types);
		snprintf(of + n, sizeof of - n, "%s%c", n ? ", " : "", *c);
		snprintf(types + k, sizeof types - k, "%s%c: T[..s]", k ? ", " : "", *c);
	}
	snprintf(text, sizeof text, "op found(%s) = %s\n", types, left);
	assert_true(module_add(s.g, s.module, "ops", text, strlen(text)));
	snprintf(text, sizeof text, "mine: %s => found(%s)", left, of);
	if (!rule_add(s.g, text, "algebra")) fail_msg("%s", s.g->error.text);
	return s;
}

static bool holds_call(const Node *x)
{
	if (x->op == OP_CALL) return true;
	for (uint32_t i = 0; i < x->narg; i++)
		if (holds_call(x->arg[i])) return true;
	return false;
}

/* As the pipeline does. */
static bool run_stages(Scope *s, Node **x)
{
	RewriteOptions o = {.last = true, .whole = true};
	if (!rewrite(s->g, "algebra", 1, x, &o)) return false;
	o.whole = false;
	return rewrite(s->g, "stable", 1, x, &o) && !o.out_of_fuel;
}

static bool is_found(Scope *s, const char *text)
{
	Node *x = node_of(s, text, strlen(text));
	if (!x || !run_stages(s, &x)) fail_msg("%s: %s", text, s->g->error.text);
	Node *again = x;
	assert_true(run_stages(s, &again));
	if (again != x) print_error("%s: rewriting twice changes it\n", text);
	return holds_call(x) && again == x;
}

static void spellings(void **state)
{
	char line[200], left[200] = "";
	int rules = 0, failed = 0;
	Scope s;
	FILE *f = fopen("tests/rewrite/spellings.txt", "r");
	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (!line[0] || line[0] == '#') continue;
		if (line[0] != ' ') {
			if (rules++) graph_close(s.g);
			strcpy(left, line);
			s = with_rule(left);
			continue;
		}
		if (is_found(&s, line + strspn(line, " "))) continue;
		print_error("%s is not found in %s\n", left, line + strspn(line, " "));
		failed++;
	}
	graph_close(s.g);
	fclose(f);
	assert_true(rules > 40);
	assert_int_equal(failed, 0);
}

/* Three users' books beside ours: in whatever order they are read the graph is the same, unless two rules of them
 * stand for one expression; then the one that was read first. */
static void orders_of_books(void **state)
{
	static const char ops[] = "op cardinal(x: T[..s]) = sin(x)/x\nop entropy(x: T[..s]) = x*log(x)\n"
				  "op harmonic(x: T[..s], y: T[..s]) = x*y/(x + y)\nop gauss(x: T[..s]) = exp(-x^2/2)\n"
				  "op swish(x: T[..s]) = x*sigmoid(x)\nop contrast(x: T[..s], y: T[..s]) = (x - y)/(x + y)\n";
	static const char *const book[] = {
		"book waves: algebra\nsinc: sin(x)/x => cardinal(x)\ntwice: sin(x)*cos(x) => sin(2*x)/2\nbell: exp(-x*x/2) => gauss(x)\n",
		"book means: algebra\nmean: x*y/(x + y) => harmonic(x, y)\nnats: x*log(x) => entropy(x)\nfar: sqrt(x*x + y*y) => hypot(x, y)\n",
		"book nets: algebra\ngate: x*sigmoid(x) => swish(x)\nweber: (x - y)/(x + y) => contrast(x, y)\ncube: cbrt(x)^3 => x\n"};
	static const char *const text[] = {"y*sin(x)/x + x*log(x)", "z*x*y/(x + y)*sigmoid(z)", "exp(-sin(x)^2*cos(x)^2/2)",
		"(x - y)/(y + x)*log(x - y)", "cbrt(sin(x)/x)^3*log(sin(x)/x)", "sqrt(x^2 + y^2)*log(hypot(x, y))",
		"sum(x*sigmoid(x)*y/(y + x*sigmoid(x)))", "exp(-0.5*(x*log(x))^2)*sin(z)*cos(z)"};
	static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	char first[countof(text)][400];
	(void)state;
	for (size_t k = 0; k < countof(order); k++) {
		Scope s;
		assert_true(scope_open(&s) && declare(&s, "x: f64[n]") && declare(&s, "y: f64[n]") && declare(&s, "z: f64[n]"));
		assert_true(module_add(s.g, s.module, "ops", ops, strlen(ops)));
		for (int i = 0; i < 3; i++)
			if (!rules_add(s.g, book[order[k][i]], strlen(book[order[k][i]]), "book")) fail_msg("%s", s.g->error.text);
		for (size_t i = 0; i < countof(text); i++) {
			Node *x = node_of(&s, text[i], strlen(text[i]));
			assert_true(x && run_stages(&s, &x));
			if (!k)
				snprintf(first[i], sizeof first[i], "%s", shown_node(s.g, x));
			else
				assert_string_equal(shown_node(s.g, x), first[i]);
		}
		graph_close(s.g);
	}
}

/* Of two rules for one expression the one that was read first. */
static void first_read_first_tried(void **state)
{
	static const char ops[] = "op one(x: T[..s]) = sin(x)*x\nop two(x: T[..s]) = sin(x)*x\n",
			  *const rule[] = {"sin(x)*x => one(x)", "sin(x)*x => two(x)"};
	(void)state;
	for (int k = 0; k < 2; k++) {
		Scope s;
		assert_true(scope_open(&s) && declare(&s, "x: f64[n]"));
		assert_true(module_add(s.g, s.module, "ops", ops, strlen(ops)));
		rules_trust(s.g, true); /* the second can never be found */
		assert_true(rule_add(s.g, rule[k], "algebra") && rule_add(s.g, rule[1 - k], "algebra"));
		Node *x = node_of(&s, "x*sin(x)", 8);
		assert_true(run_stages(&s, &x));
		assert_string_equal(library_name(x), k ? "two" : "one");
		graph_close(s.g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spellings), cmocka_unit_test(orders_of_books),
		cmocka_unit_test(first_read_first_tried)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
