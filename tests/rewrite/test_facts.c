/* test_facts.c - what is proved of values, through rules that ask: `probe` fires exactly where its guard
 * is proved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include <cmocka.h>

/* Is `guard` proved of `text`, by a rule of this law? */
static bool proved(Scope *s, const char *text, const char *guard, const char *law)
{
	static int number;
	char rule[200], stage[20];
	snprintf(stage, sizeof stage, "probe%d", number++);
	snprintf(rule, sizeof rule, "probe%d: stop_gradient(x) => x %s if %s", number, law, guard);
	assert_true(rule_add(s->g, rule, stage));
	Node *x = node_of(s, text, strlen(text));
	if (!x) fail_msg("%s: %s", text, s->g->error.text);
	x = build1(s->g, OP_STOP, x);
	RewriteOptions o = {.nfact = s->nfact, .fact = s->fact, .last = true};
	assert_true(rewrite(s->g, stage, 1, &x, &o));
	return o.fired > 0;
}

static void proofs(void **state)
{
	static const struct {
		const char *text, *guard;
		bool real, exact;
	} cases[] = {
		{"exp(x)", "x > 0", true, false}, /* it underflows */
		{"exp(x)", "x >= 0", true, true},
		{"1 + exp(x)", "x >= 1", true, true},
		{"x", "x >= 0", false, false},
		{"pos", "x > 0", true, true},
		{"-pos", "x < 0", true, true},
		{"pos*pos", "x > 0", true, false},
		{"unit", "x >= 0 and x < 1", true, true},
		{"1 - unit", "x > 0", true, false},
		{"x*x", "x >= 0", true, true},
		{"x^2", "x >= 0", true, true},
		{"x^3", "x >= 0", false, false},
		{"abs(x) + 1", "x > 0", true, true},
		{"sqrt(x)", "x >= 0", true, true},
		{"sigmoid(x)", "finite(x)", false, false}, /* of NaN */
		{"sigmoid(unit)", "finite(x)", true, true},
		{"1/unit", "finite(x)", false, false},
		{"max(x, 0)", "x >= 0", true, true},
		{"max(x, 2)", "x > 1", true, true},
		{"min(x, 0)", "x <= 0", true, true},
		{"where(x > 0, pos, 1)", "x > 0", true, true},
		{"where(x > 0, pos, -1)", "x > 0", false, false},
		{"sum(exp(x))", "x >= 0", true, true},
		{"sum(x)", "x >= 0", false, false},
		{"max(exp(x))", "x >= 0", false, false}, /* of nothing it is -inf */
		{"floor(x)", "whole(x)", true, true},
		{"x/2", "whole(x)", false, false},
		{"k", "finite(x)", true, true},
		{"k*k", "x >= 0", false, false}, /* integers wrap */
		{"x", "number(x)", false, false},
		{"pos", "number(x)", true, true},
		{"log(1 + pos)", "x > 0", true, false},
		{"tanh(pos)", "x > 0", true, false},
		{"x", "x != 0", false, false},
		{"off", "x != 0", true, true},
		{"x", "rank(x) > 0", true, true},
		{"sum(x)", "rank(x) > 0", false, false},
		{"k", "integer(x)", true, true},
	};
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s) && declare(&s, "x: f64[n]") && declare(&s, "k: i64[n]"));
	rules_trust(s.g, true);
	assert_true(declare(&s, "pos: f64[n] if pos > 0") && declare(&s, "unit: f64[n] if 0 <= unit < 1"));
	assert_true(declare(&s, "off: f64[n] if off != 0"));
	for (size_t i = 0; i < countof(cases); i++) {
		bool integers = cases[i].text[0] == 'k';
		char guard[100];
		snprintf(guard, sizeof guard, integers ? "integer(x) and %s" : "%s", cases[i].guard);
		bool real = proved(&s, cases[i].text, guard, "real"),
		     exact = proved(&s, cases[i].text, guard, "exact");
		if (real != cases[i].real || exact != cases[i].exact) {
			printf("%s: %s: real %d, exact %d\n", cases[i].text, cases[i].guard, real, exact);
			failed++;
		}
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(proofs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
