/* test_spellings.c - a user's rule is found in its left side however it is written: spellings.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(spellings)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
