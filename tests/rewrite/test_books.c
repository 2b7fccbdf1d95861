/* test_books.c - every rule of every book is true, and the tables give derivatives; planted mistakes are
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include <cmocka.h>

static void every_rule(void **state)
{
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	assert_true(rules_count(s.g) > 250);
	for (uint64_t seed = 1; seed <= 3; seed++)
		for (uint32_t i = 0; i < rules_count(s.g); i++) {
			Text report;
			text_open(&report, s.g->arena);
			bool late = rule_at(s.g, i)->late,
			     good = rule_check(s.g, rule_at(s.g, i), seed, &report);
			if (late != rule_at(s.g, i)->late) {
				printf("%s: belongs into a book of order last\n", rule_at(s.g, i)->text);
				failed++;
			}
			if (!good) {
				printf("seed %d: %s\n", (int)seed, text_done(&report));
				failed++;
			}
			assert_int_equal(s.g->error.code, 0);
		}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* Every rule of algebra is proved to make the expression simpler; no rule stands behind one that always fires. */
static void orders(void **state)
{
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	for (uint32_t i = 0; i < rules_count(s.g); i++) {
		const Rule *r = rule_at(s.g, i), *first = rule_shadowed_by(s.g, r);
		double left, right;
		bool ordered = !strcmp(r->book->stage, "algebra") || !strcmp(r->book->stage, "last");
		if (!r->head && !r->equation && ordered && !rule_decreases(s.g, r, &left, &right)) {
			printf("%s does not lower the weight\n", r->text);
			failed++;
		}
		if (first) {
			printf("%s stands behind %s\n", r->text, first->text);
			failed++;
		}
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* A mistake in a line of the tables is found. */
static void wrong_lines(void **state)
{
	static const struct {
		const char *text, *stage;
	} wrong[] = {{"d(sin(x)) => -cos(x)*dx", "derivative"}, {"d(x*y) => dx*y", "derivative"},
		{"d(sum[a](x)) => prod[a](dx)", "derivative"}, {"d(sqrt(x)) => dx/sqrt(x)", "derivative"},
		{"d(log1p(x)) => dx/x", "derivative"},
		{"d(einsum[a](x, y)) => einsum[a](dx, y)", "derivative"},
		{"vjp(x - y, g) => (g, g)", "transposition"},
		{"vjp(cumsum[a](x), g) => cumsum[a](g)", "transposition"},
		{"vjp(flip[a](x), g) => g", "transposition"}};
	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		Scope s;
		Text report;
		memset(&s, 0, sizeof s);
		s.g = graph_open(NULL);
		s.module = module_empty(s.g);
		assert_non_null(books_empty(s.g));
		rules_trust(s.g, true); /* no right line stands before the wrong one */
		for (const EmbeddedText *t = embedded_rules; t->name; t++)
			if (wrong[i].stage[0] == 't' && !strcmp(t->name, "derivative"))
				assert_true(rules_add(s.g, t->text, strlen(t->text), t->name));
		assert_true(rule_add(s.g, wrong[i].text, wrong[i].stage));
		text_open(&report, s.g->arena);
		if (rule_check(s.g, rule_at(s.g, rules_count(s.g) - 1), 3, &report))
			fail_msg("accepted: %s", wrong[i].text);
		graph_close(s.g);
	}
}

/* Zero tangents leave no trace; what has no line is named. */
static void differentials(void **state)
{
	Scope s;
	Node *d;
	(void)state;
	assert_true(scope_open(&s) && declare(&s, "x: f64[n]") && declare(&s, "y: f64[n]") &&
		declare(&s, "t: f64[n]"));
	Node *x = s.value[0], *y = s.value[1], *t = s.value[2];
	assert_true(derivative_apply(s.g, build2(s.g, OP_MUL, x, y), (Node *[]){t, NULL}, &d));
	assert_ptr_equal(d, build2(s.g, OP_MUL, t, y));
	assert_true(derivative_apply(s.g, build2(s.g, OP_SUB, x, y), (Node *[]){NULL, t}, &d));
	assert_ptr_equal(d, build1(s.g, OP_NEG, t));
	assert_true(derivative_apply(s.g, build2(s.g, OP_MUL, x, y), (Node *[]){NULL, NULL}, &d));
	assert_null(d);
	assert_true(derivative_apply(s.g, build1(s.g, OP_FLOOR, x), (Node *[]){t}, &d));
	assert_null(d);
	Node *sum = fold_all(s.g, OP_SUM, x), *out;
	assert_true(transpose_apply(s.g, sum, fold_all(s.g, OP_SUM, y), 0, &out));
	assert_ptr_equal(out->type, x->type);
	assert_int_equal(out->op, OP_EXPAND);
	AttrValue i64 = av_dtype(DT_I64);
	Node *bits = node_make(s.g, OP_BITCAST, attr_make(s.g, 1, &i64), 1, &x);
	assert_false(derivative_apply(s.g, bits, (Node *[]){t}, &d));
	assert_string_equal(
		s.g->error.text, "no derivative rule for bitcast (d(bitcast(x)) => ... in book derivative)");
	graph_close(s.g);
}

/* Loops are rewritten inside, once for each body. */
static void bodies(void **state)
{
	Scope s;
	(void)state;
	assert_true(scope_open(&s) && declare(&s, "x: f64[n]") && declare(&s, "k: i64"));
	static const char before[] = "scan (y = x, i < 5) => log(1 + exp(y))",
			  after[] = "scan (y = x, i < 5) => softplus(y)";
	Node *x = node_of(&s, before, strlen(before)), *want = node_of(&s, after, strlen(after));
	if (!x || !want) fail_msg("%s", s.g->error.text);
	RewriteOptions o = {0};
	assert_true(rewrite(s.g, "algebra", 1, &x, &o) && rewrite(s.g, "stable", 1, &x, &o));
	assert_ptr_equal(x, want);
	uint64_t fired = o.fired;
	Node *again = node_of(&s, before, strlen(before));
	assert_true(rewrite(s.g, "algebra", 1, &again, &o) && rewrite(s.g, "stable", 1, &again, &o));
	assert_ptr_equal(again, want);
	assert_int_equal(o.fired, fired);
	graph_close(s.g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule), cmocka_unit_test(orders),
		cmocka_unit_test(wrong_lines), cmocka_unit_test(differentials), cmocka_unit_test(bodies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
