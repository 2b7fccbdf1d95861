/* test_cases.c - rewriting by example: cases.txt, idempotence, explain, laws, users' rules, long chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "diff/diff.h"
#include <cmocka.h>

static const char *const files[] = {"tests/rewrite/cases.txt", "tests/rewrite/peers.txt"};

static bool run_stage(Scope *s, const char *stage, Node **x, RewriteOptions *o)
{
	o->nfact = s->nfact, o->fact = s->fact;
	if (!strcmp(stage, "merge")) return diff_merge(s->g, 1, x);
	o->whole = !strcmp(stage, "stable"); /* as the pipeline does */
	if (o->whole && !rewrite(s->g, "algebra", 1, x, o)) return false;
	o->whole = false;
	return rewrite(s->g, stage, 1, x, o);
}

enum { IDENTITIES = 48, MARKS = 600 };

/* The marks of identities: [23 log1p] before a case, [34 absent inv] alone. */
typedef struct Marks {
	char name[MARKS][40];
	int n;
	bool met[IDENTITIES + 1];
} Marks;

static bool is_operator(const char *name)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (op_info[i].text && !strcmp(op_info[i].text, name)) return true;
	return false;
}

/* What stands behind the mark; NULL: nothing, or a mark that is wrong or double. */
static char *unmarked(Marks *m, char *line, const char *file, int number)
{
	int item = 0, used = 0;
	char name[40] = "";
	if (line[0] != '[') return line;
	bool absent = sscanf(line, "[%d absent %39[a-z_0-9]]%n", &item, name, &used) == 2 && used;
	bool good = absent || (sscanf(line, "[%d %39[a-z_0-9]] %n", &item, name, &used) == 2 && used);
	good = good && item > 0 && item <= IDENTITIES && m->n < MARKS;
	for (int i = 0; i < m->n; i++) good &= strcmp(m->name[i], name) != 0;
	if (absent) good = good && !is_operator(name) && !line[used];
	if (!good) {
		printf("%s:%d: %s is no mark, or not the first of its name\n", file, number, line);
		m->n = MARKS;
		return NULL;
	}
	strcpy(m->name[m->n++], name);
	m->met[item] = true;
	return absent ? NULL : line + used;
}

/* The arrow of a case: the first outside brackets. */
static char *arrow_of(char *line)
{
	int depth = 0;
	for (; *line; line++) {
		depth += strchr("([{", *line) ? 1 : strchr(")]}", *line) ? -1 : 0;
		if (!depth && !strncmp(line, " => ", 4)) return line;
	}
	return NULL;
}

/* Where a case of a file fails; file NULL: nothing is told. */
static void __attribute__((format(printf, 3, 4))) tell(const char *file, int number, const char *how, ...)
{
	va_list list;
	if (!file) return;
	printf("%s:%d: ", file, number);
	va_start(list, how);
	vprintf(how, list);
	va_end(list);
}

/* One line of a file, NULL: nothing is told; true if it holds. */
static bool one_case(Scope *s, char *line, const char *file, int number)
{
	char *colon = strchr(line, ':'), *arrow = arrow_of(line);
	if (!strncmp(line, "let ", 4)) return declare(s, line + 4);
	*colon = 0;
	Node *x = node_of(s, colon + 1, (size_t)(arrow - colon - 1)),
	     *want = node_of(s, arrow + 4, strlen(arrow + 4));
	RewriteOptions o = {.last = true};
	if (!x || !want || !run_stage(s, line, &x, &o)) {
		tell(file, number, "%s\n", s->g->error.text);
		error_clear(&s->g->error);
		return false;
	}
	Node *again = x;
	bool same = x == want;
	if (!same) { /* the expected side may have its operands in another order */
		RewriteOptions quiet = {.laws = LAWS_EXACT};
		Node *ordered = want;
		same = rewrite(s->g, "algebra", 1, &ordered, &quiet) && x == ordered;
	}
	if (!same)
		tell(file, number, "gives %s\n   wanted %s\n", shown_node(s->g, x),
			shown_node(s->g, want));
	if (!run_stage(s, line, &again, &o) || again != x) {
		tell(file, number, "rewriting twice changes %s\n   to %s\n", shown_node(s->g, x),
			shown_node(s->g, again));
		same = false;
	}
	if (o.out_of_fuel) {
		tell(file, number, "out of fuel\n");
		same = false;
	}
	return same;
}

static int failed_of(const char *path, Marks *marks)
{
	Scope s;
	char line[400];
	int number = 0, failed = 0;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(scope_open(&s));
	diff_open(s.g);
	while (fgets(line, sizeof line, f)) {
		number++;
		line[strcspn(line, "\n")] = 0;
		char *bare = unmarked(marks, line, path, number);
		if (!bare || !bare[0] || bare[0] == '#') continue;
		bool open = bare[0] == '~'; /* a case that is not reached yet: it is told once it is */
		bool reached = one_case(&s, open ? bare + 2 : bare, open ? NULL : path, number);
		if (open && reached) printf("%s:%d: is reached now\n", path, number);
		failed += reached == open;
	}
	fclose(f);
	graph_close(s.g);
	return failed;
}

static void cases(void **state)
{
	static Marks marks;
	int failed = 0;
	(void)state;
	for (size_t k = 0; k < countof(files); k++) failed += failed_of(files[k], &marks);
	assert_true(marks.n < MARKS);
	for (int i = 1; i <= IDENTITIES; i++)
		if (!marks.met[i]) fail_msg("identity %d has no test", i);
	assert_int_equal(failed, 0);
}

static Scope open_scope(void)
{
	Scope s;
	assert_true(scope_open(&s));
	assert_true(declare(&s, "x: f64[n]") && declare(&s, "y: f64[n]") && declare(&s, "a: f64"));
	return s;
}

static Node *rewritten(Scope *s, const char *stage, const char *text, RewriteOptions *o)
{
	Node *x = node_of(s, text, strlen(text));
	assert_non_null(x);
	assert_true(run_stage(s, stage, &x, o));
	return x;
}

/* Laws: exact alone leaves what only real numbers allow; finite must be asked for. */
static void laws(void **state)
{
	Scope s = open_scope();
	(void)state;
	RewriteOptions exact = {.laws = LAWS_EXACT}, finite = {.laws = LAWS_DEFAULT | 1 << LAW_FINITE},
		       plain = {0};
	assert_ptr_equal(rewritten(&s, "algebra", "x*1", &exact), node_of(&s, "x", 1));
	assert_ptr_equal(rewritten(&s, "algebra", "x*y/x", &exact), node_of(&s, "x*y/x", 5));
	assert_ptr_equal(rewritten(&s, "algebra", "x + y - x", &exact), node_of(&s, "x + y - x", 9));
	assert_ptr_equal(rewritten(&s, "algebra", "x/x", &finite), like(s.g, s.value[0], 1));
	assert_int_equal(finite.fired, 1);
	assert_ptr_equal(rewritten(&s, "algebra", "x/x", &plain), node_of(&s, "x/x", 3));
	graph_close(s.g);
}

/* Before the last derivative a rule that changes a differential waits: abs has the differential 0 at 0. */
static void late_rules(void **state)
{
	Scope s = open_scope();
	static const char text[] = "where(x < 0, -x, x)";
	(void)state;
	RewriteOptions early = {0}, last = {.last = true};
	assert_int_equal(rewritten(&s, "algebra", text, &early)->op, OP_WHERE);
	assert_int_equal(rewritten(&s, "algebra", text, &last)->op, OP_ABS);
	rules_trust(s.g, true);
	assert_true(rule_add(s.g, "mine: max(x, 0) => where(x >= 0, x, 0)", "algebra"));
	Text report;
	text_open(&report, s.g->arena);
	const Rule *mine = rule_named(s.g, "mine");
	assert_false(rule_use(s.g, mine)->late);
	assert_true(rule_check(s.g, mine, 1, &report));
	assert_true(rule_use(s.g, mine)->late);
	graph_close(s.g);
}

/* Every application is told, with its rule, and the new node knows where it came from. */
static void explained(void **state)
{
	Scope s = open_scope();
	(void)state;
	RewriteOptions o = {.log_arena = s.g->arena};
	Node *y = rewritten(&s, "stable", "log(1 + exp(x))", &o);
	assert_int_equal(o.nlog, 2);
	assert_string_equal(o.log[0].what, "log1p");
	assert_string_equal(o.log[1].what, "softplus");
	assert_ptr_equal(o.log[1].after, y);
	assert_string_equal(y->origin->rule, "softplus");
	assert_true(rule_use(s.g, rule_named(s.g, "softplus"))->fired == 1);
	graph_close(s.g);
}

/* A user's rule, given as a line, works at once; a wrong one is refused by its check. */
static void users(void **state)
{
	Scope s = open_scope();
	Text report;
	(void)state;
	RewriteOptions o = {0};
	assert_true(rule_add(s.g, "mine: sin(x)*cos(x) => sin(2*x)/2", "algebra"));
	assert_ptr_equal(rewritten(&s, "algebra", "sin(x)*cos(x)", &o), node_of(&s, "sin(2*x)/2", 10));
	text_open(&report, s.g->arena);
	assert_true(rule_check(s.g, rule_named(s.g, "mine"), 7, &report));
	static const char *const wrong[] = {"w1: log(x^2)/2 => log(x)", "w2: sin(x + y) => sin(x) + sin(y)",
		"w3: sqrt(x^2) => x", "w4: exp(x)*y => exp(x + y)", "w5: x + 0 => x exact",
		"w6: sum[a](x*y) => sum[a](x)*sum[a](y)", "w7: max(x, y) => x if x > 0",
		"w8: where(c, x, y) => where(c, y, x) exact", "w9: abs(x) => x if x > -1",
		"w10: sum[a](expand[a](c)*x) => sum[a](x)"};
	rules_trust(s.g, true);
	for (size_t i = 0; i < countof(wrong); i++) {
		assert_true(rule_add(s.g, wrong[i], "algebra"));
		char name[8];
		snprintf(name, sizeof name, "w%zu", i + 1);
		text_open(&report, s.g->arena);
		if (rule_check(s.g, rule_named(s.g, name), 7, &report)) fail_msg("accepted: %s", wrong[i]);
		assert_int_equal(s.g->error.code, 0);
	}
	assert_true(rule_add(s.g, "s1: log1p(x) => log(1 + x)", "stable"));
	text_open(&report, s.g->arena);
	assert_false(rule_check(s.g, rule_named(s.g, "s1"), 7, &report));
	graph_close(s.g);
}

/* What is wrong with a rule is told when it is read, and it is not added. */
static void refused_at_load(void **state)
{
	static const struct {
		const char *rule, *told;
	} bad[] = {{"r: x*y => z", "z is not bound"}, {"r: x => x*1", "the left side is no operator"},
		{"r: x - x => 0", "`finite`"}, {"r: sum[a](x) => a*x", "in brackets"},
		{"r: x[1:] => x", "one index"}, {"d(sin(cos(x))) => dx", "must be variables"},
		{"r: sqrt(x^2) => x", "at x = "}, {"r: sin(x)*cos(x) => sin(2*x)", "left is "},
		{"r: mean(x) => sum(x)",
			"mean is a fn, which is taken apart before rules see it; make it an op"},
		{"r: nothing(x) => x", "there is no operator or op nothing"},
		{"r: exp(x) => nothing(x)", "there is no operator or op nothing"},
		{"r: exp(x, y) => x", "exp takes 1 operands, here are 2"},
		{"r: abs(x) => x if positive(x)", "positive is no word of guards"},
		{"r: x + y => y + x", "not proved to make the expression simpler"},
		{"r: a*(x + y) => a*x + a*y", "the left side weighs"},
		{"r: sin(x) => 2*sin(x/2)*cos(x/2)", "not proved"},
		{"r: log(x) => x if x > 4 and x < 3", "only 0 met"},
		{"r: max(x, y) => x if x > y and x < y", "only 0 met"},
		{"r: top_k[k](-x) => top_k[k](x)", "gives several results"},
		{"r: A @ B + A @ C => A @ (B - C)", "left is "}};
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		Scope s = open_scope();
		uint32_t before = rules_count(s.g);
		bool added = rule_add(s.g, bad[i].rule, "algebra");
		if (added || s.g->error.code != ERR_RULE || rules_count(s.g) != before ||
			!strstr(s.g->error.text, bad[i].told)) {
			printf("%s: %s\n", bad[i].rule, added ? "accepted" : s.g->error.text);
			failed++;
		}
		if (!added && before == rules_count(s.g)) { /* the graph stays usable */
			error_clear(&s.g->error);
			RewriteOptions o = {0};
			assert_ptr_equal(rewritten(&s, "algebra", "x*1", &o), s.value[0]);
		}
		graph_close(s.g);
	}
	assert_int_equal(failed, 0);
}

/* A rule that does not hold is told with a guard under which it does, where one of the usual ones will do. */
static void suggested(void **state)
{
	static const struct {
		const char *rule, *told; /* NULL: none of them */
	} cases[] = {{"sqrt(x^2) => x", "; add `if x >= 0`"}, {"abs(x) => -x", "; add `if x <= 0`"},
		{"max(x, y) => x", "; add `if x >= y`"}, {"where(x > y, x, y) => max(x, y)", "; add `if number(x)`"},
		{"argmin[a](-x) => argmax[a](x) exact", "; add `if real(x)`"},
		{"abs(x)*abs(y) => x*y", "; add `if x >= 0 and y >= 0`"},
		{"asin(sin(x)) => x", "; add `if x >= -1 and x <= 1`"},
		{"x + 0 => x exact", "; add `if x != 0`"}, /* -0 + 0 is 0 */
		{"abs(x)*abs(y) => x*y if x > 0", "; add `and y >= 0`"}, {"sin(x + y) => sin(x) + y", NULL}};
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Scope s = open_scope();
		bool added = rule_add(s.g, cases[i].rule, "algebra");
		if (added || !strstr(s.g->error.text, "left is") ||
			(cases[i].told ? !strstr(s.g->error.text, cases[i].told)
				       : strstr(s.g->error.text, "; add") != NULL)) {
			printf("%s: %s\n", cases[i].rule, added ? "accepted" : s.g->error.text);
			failed++;
		}
		graph_close(s.g);
	}
	assert_int_equal(failed, 0);
}

/* Rules guarded by complex(x) are sampled with complex numbers, literals and parts in them too. */
static void complex_rules(void **state)
{
	static const struct {
		const char *rule, *told;
	} cases[] = {{"re(x*conj(x)) => abs(x)^2 if complex(x)", NULL},
		{"complex(re(x), im(x)) => x exact if complex(x)", NULL}, {"x^2/x => x if complex(x)", NULL},
		{"im(conj(x)) => -im(x) exact if complex(x)", NULL},
		{"conj(x)*x => x^2 if complex(x)", "i left is "}, /* x = a + bi, so the left side is real */
		{"im(conj(x)) => im(x) exact if complex(x)", "left is"},
		{"sqrt(x^2) => x if complex(x)", "left is"}};
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Scope s = open_scope();
		bool added = rule_add(s.g, cases[i].rule, "algebra");
		if (added == (cases[i].told != NULL) || (!added && !strstr(s.g->error.text, cases[i].told))) {
			printf("%s: %s\n", cases[i].rule, added ? "accepted" : s.g->error.text);
			failed++;
		}
		graph_close(s.g);
	}
	assert_int_equal(failed, 0);
}

/* Wrong rules that hold on most values: halves, integers at their ends, unsigned ones, the edge of a guard;
 * and what nothing tells of, since the left side is no number there. */
static void rarely_wrong(void **state)
{
	static const struct {
		const char *rule, *stage, *told;
	} cases[] = {
		{"floor(x + 0.5) => round(x)", "algebra", "left is"}, /* a half goes to the even number */
		{"(x^y)^z => x^(y*z)", "lower", "left is"},           /* (x^2)^0.5 is |x| */
		{"x*2//2 => x exact if integer(x)", "algebra", "left is"},
		{"x//x => 1 exact if integer(x)", "algebra", "x = 0 left is 0, right is 1"},
		{"x + 1 > x => true exact if integer(x)", "algebra", "left is false"},
		{"abs(-x) => abs(x) exact", "algebra", "left is"}, /* -1 is 255 */
		{"bit_xor(x, y) => x or y exact if boolean(x)", "lower", "x = true, y = true left is false"},
		{"floor(x) => 2 exact if x >= 2 and x <= 3", "algebra", "x = 3.0 left is 3.0"},
		{"tanh(x) => 1 approx(1e-9) if x > 7", "algebra", "left is"},
		{"log(x) => 5*x if x < 0", "last", "the left side is a number for 0 alone"},
		{"sqrt(x)*sqrt(y) => sqrt(x*y) if x <= 0", "algebra", "is a number at x = 0.0 alone"},
		{"sqrt(x)*sqrt(y) => sqrt(x*y) if x <= 0 and y <= 0", "algebra", "is a number at x = 0.0 alone"},
		{"sqrt(-x)*y => sqrt(x)*y if x >= 0", "lower", "is a number at x = 0.0 alone"},
		{"acosh(x)*y => x*y - y if x <= 1", "lower", "is a number at x = 1.0 alone"},
		{"log1p(sqrt(x) + y) => log1p(y) if x <= 0", "lower", "is a number at x = 0.0 alone"},
	};
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Scope s = open_scope();
		bool added = rule_add(s.g, cases[i].rule, cases[i].stage);
		if (added || !strstr(s.g->error.text, cases[i].told))
			fail_msg("%s: %s", cases[i].rule, added ? "accepted" : s.g->error.text);
		graph_close(s.g);
	}
}

/* What is true far from most values is taken as well. */
static void seldom_met(void **state)
{
	static const char *const rules[] = {"cosh(x) => sinh(x) approx(1e-15) if x > 20",
		"x//y*y + x % y => x exact if integer(x)", "not bit_xor(x, y) => x == y exact if boolean(x)"};
	(void)state;
	for (size_t i = 0; i < countof(rules); i++) {
		Scope s = open_scope();
		if (!rule_add(s.g, rules[i], "lower")) fail_msg("%s: %s", rules[i], s.g->error.text);
		graph_close(s.g);
	}
}

/* A vjp of the user's gives a cotangent for each operand. */
static void cotangents(void **state)
{
	static const char *const rules[] = {"vjp(twice(x, y), g) => (g, g, g)", "vjp(twice(x, y), g) => (g,)",
		"vjp(twice(x, y), g) => g", "vjp(once(x), g) => (g, g)"};
	static const char ops[] = "op twice(x: T[..s], y: T[..s]) = 2*x*y\nop once(x: T[..s]) = 2*x\n";
	(void)state;
	for (size_t i = 0; i < countof(rules); i++) {
		Scope s = open_scope();
		assert_true(module_add(s.g, s.module, "ops", ops, strlen(ops)));
		if (rule_add(s.g, rules[i], "derivative") || !strstr(s.g->error.text, "cotangents for"))
			fail_msg("%s: %s", rules[i], s.g->error.text);
		graph_close(s.g);
	}
}

/* What users write is taken: the rules of the notation's page, and some that trade an operator for others. */
static void taken_at_load(void **state)
{
	static const char page[] = "book mine: algebra\n"
				   "axpb: a*x + b => axpb(a, x, b) real if rank(x) > 0\n"
				   "abs_square: sqrt(x^2) => abs(x) real\n"
				   "sqrt_square: sqrt(x^2) => x real if x >= 0\n"
				   "sum_scale: sum[a](expand[a](c)*x) => c*sum[a](x) real\n"
				   "shift: logsumexp[a](x + expand[a](c)) => logsumexp[a](x) + c real\n"
				   "softmax_row: softmax[a](x)[i] => softmax[a - 1](x[i]) exact if a > 0\n"
				   "book careful: stable\n"
				   "log_sub: log(exp(x) - exp(y)) => x + log(-expm1(y - x)) real if x > y\n"
				   "book equations\n"
				   "distribute: A @ B + A @ C <=> A @ (B + C)\n"
				   "chain: (A @ B) @ C <=> A @ (B @ C) if rank(B) == 2\n"
				   "book derivative\n"
				   "d(axpb(a, x, b)) => da*x + a*dx + db\n"
				   "d(step(A, b, h)) => db + dh*(A @ b) + h*(dA @ b + A @ db)\n"
				   "d(scaled(g, x)) => dg*x + g*dx\n"
				   "vjp(clip_gradient(x, limit), g) => (clip(g, -limit, limit), 0)\n";
	static const char ops[] = "op axpb(a: T[..s], x: T[..s], b: T[..s]) = a*x + b\n"
				  "op clip_gradient(x: T[..s], limit: T) = x\n"
				  "op step(A: T[n, n], b: T[n], h: T) = b + h*(A @ b)\n"
				  "op scaled(gain: T[d], x: T[..s, d]) = x*gain\n"
				  "op chosen(c: bool[n], x: T[n]) = where(c, x, -x)\n";
	static const char *const more[] = {"sin(x)*cos(x) => sin(2*x)/2",
		"sin(x) => x - x^3/6 approx(2e-1) if x > -1 and x < 1", "x^3 => x*x*x",
		"gelu(x) => x*erfc(-x/sqrt(2))/2", "r: relu(x) => max(x, 0)", "A @ B + A @ C => A @ (B + C)",
		"A @ (B + C) - A @ B => A @ C", "(A.T @ B.T).T => B @ A", "step(A, b, h) => b + h*(A @ b)",
		"scaled(g, x) => x*g", "chosen(c, x) => where(c, x, -x)"};
	Scope s = open_scope();
	(void)state;
	assert_true(module_add(s.g, s.module, "ops", ops, strlen(ops)));
	if (!rules_add(s.g, page, strlen(page), "page.por")) fail_msg("%s", s.g->error.text);
	/* the left side cancels nearly all digits of binary128 at small x */
	if (!rule_add(s.g, "(1 - cos(x))/x^2 => 2*(sin(x/2)/x)^2", "stable")) fail_msg("%s", s.g->error.text);
	for (size_t i = 0; i < countof(more); i++)
		if (!rule_add(s.g, more[i], "algebra")) fail_msg("%s: %s", more[i], s.g->error.text);
	const char *told = rule_use(s.g, rule_named(s.g, "sqrt_square"))->told;
	if (!strstr(told, "others do its work: sqrt_square (algebra:")) fail_msg("%s", told);
	told = rule_use(s.g, rule_named(s.g, "axpb"))->told;
	if (strstr(told, "comes first") || !strstr(told, "in stage algebra, of floats")) fail_msg("%s", told);
	graph_close(s.g);
}

/* An equation goes the way that costs less, by numbers and by letters; not where a part is needed anyway. */
static void equations(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {{"sin(x + y)", "sin(x + y)"}, {"sin(x)*cos(y) + cos(x)*sin(y)", "sin(x + y)"},
		{"x^3 + 3*x^2*y + 3*x*y^2 + y^3", "(x + y)^3"}, {"(x + y)^3", "(x + y)^3"},
		{"f(g(x)) + g(x)", "f(g(x)) + g(x)"}, {"f(g(x))", "cbrt(x)"}};
	static const char ops[] = "op f(x) = sinh(x)\nop g(x) = asinh(cbrt(x))\n";
	static const char book[] = "book identities\n"
				   "sine_sum: sin(x + y) <=> sin(x)*cos(y) + cos(x)*sin(y)\n"
				   "cube: (x + y)^3 <=> x^3 + 3*x^2*y + 3*x*y^2 + y^3\n"
				   "inner: cbrt(x) <=> f(g(x))\n";
	Scope s = open_scope();
	int failed = 0;
	(void)state;
	assert_true(module_add(s.g, s.module, "ops", ops, strlen(ops)));
	if (!rules_add(s.g, book, strlen(book), "book.por")) fail_msg("%s", s.g->error.text);
	for (size_t i = 0; i < countof(cases); i++) {
		RewriteOptions o = {0}, quiet = {.laws = LAWS_EXACT};
		Node *got = rewritten(&s, "algebra", cases[i].before, &o),
		     *want = rewritten(&s, "algebra", cases[i].after, &quiet);
		if (got == want && !o.out_of_fuel) continue;
		printf("%s gives %s\n", cases[i].before, shown_node(s.g, got));
		failed++;
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* A carried value has the facts that its first value and every next one have; sequences and what is taken from
 * outside have theirs. */
static void carried_facts(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {/* positive at first, and whatever exp gives */
		{"scan (h = 1.0, w in x) => abs(h)*exp(w)", "scan (h = 1.0, w in x) => h*exp(w)"},
		/* may become negative */
		{"scan (h = 1.0, w in x) => abs(h) - w", "scan (h = 1.0, w in x) => abs(h) - w"},
		/* not known to begin with */
		{"scan (h = a, w in x) => abs(h)*exp(w)", "scan (h = a, w in x) => abs(h)*exp(w)"},
		/* grows without end: only the sign is left */
		{"scan (h = 1.0, i < 5) => abs(h) + 1", "scan (h = 1.0, i < 5) => h + 1"},
		/* one through the other */
		{"let r = scan (h = 1.0, k = 2.0, i < 5) => {h = abs(k) + 1, k = exp(h)*abs(h)} in r.h + r.k",
			"let r = scan (h = 1.0, k = 2.0, i < 5) => {h = k + 1, k = exp(h)*h} in r.h + r.k"},
		{"scan (h = a, w in exp(x)) => h*abs(w)", "scan (h = a, w in exp(x)) => h*w"}};
	Scope s = open_scope();
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		RewriteOptions o = {.last = true}, quiet = {.laws = LAWS_EXACT};
		Node *got = rewritten(&s, "algebra", cases[i].before, &o),
		     *want = rewritten(&s, "algebra", cases[i].after, &quiet);
		if (got == want) continue;
		printf("%s gives %s\n", cases[i].before, shown_node(s.g, got));
		failed++;
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* The report of a good rule has the counts; where others do its work, the rule that comes first. */
static void reports(void **state)
{
	Scope s = open_scope();
	Text report;
	(void)state;
	assert_true(rule_add(s.g, "half: exp(x)*exp(x)*y => exp(2*x)*y if y > 0", "algebra"));
	text_open(&report, s.g->arena);
	assert_true(rule_check(s.g, rule_named(s.g, "half"), 1, &report));
	unsigned long long samples, met;
	double error;
	if (sscanf(text_done(&report), "half: real, %llu samples, %llu met the guard, largest error %lf",
		    &samples, &met, &error) != 3)
		fail_msg("%s", text_done(&report));
	assert_true(met >= 100 && samples > met && error < 1e-20);
	assert_true(rule_add(s.g, "late: log(exp(x + y)) => y + x", "algebra"));
	text_open(&report, s.g->arena);
	assert_true(rule_check(s.g, rule_named(s.g, "late"), 1, &report));
	assert_non_null(strstr(text_done(&report), "others do its work: log_exp"));
	graph_close(s.g);
}

/* A rule that nothing would ever come to is refused with what comes first, a rule or the order of terms,
 * unless others do its work. */
static void never_found(void **state)
{
	static const struct {
		const char *stage, *rule, *why; /* NULL: it is taken */
	} cases[] = {{"algebra", "r: sin(x)*cos(x) => sin(2*x)/2", NULL},
		{"algebra", "log(exp(x))*a + b => axpb(a, x, b)", "log_exp (ops:"},
		{"algebra", "r: (x*x)/x*y => y*x", NULL},
		{"algebra", "r: sqrt(x^2) => x if x >= 0", NULL},
		{"derivative", "d(sin(x)) => cos(x)*dx", "d(sin(x)) (derivative:"}};
	static const char op[] = "op axpb(a: T[..s], x: T[..s], b: T[..s]) = a*x + b\n";
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Scope s = open_scope();
		assert_true(module_add(s.g, s.module, "ops", op, strlen(op)));
		bool taken = rule_add(s.g, cases[i].rule, cases[i].stage);
		const char *why = s.g->error.text;
		if (taken != !cases[i].why ||
			(!taken && (!strstr(why, "it can never be found: ") || !strstr(why, cases[i].why))))
			print_error("%s: %s\n", cases[i].rule, taken ? "taken" : why), assert_true(false);
		graph_close(s.g);
	}
}

/* Books of tests: => the pipeline must do it, <=> both sides compute the same. */
static void books_of_tests(void **state)
{
	static const struct {
		const char *rule, *told;
	} cases[] = {{"log(1 + exp(x)) => softplus(x)", NULL}, {"softplus(1000) <=> 1000", NULL},
		{"softplus(1000) <=> 1001", "left is 1000"},
		{"log(1 + exp(x)) => log1p(x)", "the pipeline makes"}, {"mean(x)*2 <=> 2*sum(x)/5", NULL},
		{"(A @ B).T <=> B.T @ A.T", NULL}, {"(A @ B) @ v <=> A @ (B @ v)", NULL},
		{"sqrt(x^2) => x if x > 0", NULL},
		{"sqrt(x^2) => x", "the pipeline makes abs(x), wanted is x"},
		{"sqrt(x^2) <=> x if x > 0", NULL}, {"sqrt(x^2) <=> x", "left is"},
		{"exp(x)[i] <=> exp(x[i])", NULL}, {"nothing(x) <=> x", "nothing"}};
	Scope s = open_scope();
	int failed = 0;
	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		Text report;
		text_open(&report, s.g->arena);
		if (!rule_add(s.g, cases[i].rule, "check")) fail_msg("%s", s.g->error.text);
		bool good = rule_check(s.g, rule_at(s.g, rules_count(s.g) - 1), 1, &report);
		if (good == (cases[i].told != NULL) ||
			(cases[i].told && !strstr(text_done(&report), cases[i].told)) || s.g->error.code) {
			printf("%s: %s\n", cases[i].rule, text_done(&report));
			failed++;
		}
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* Rules that undo each other, or grow without end, are an error that names one. */
static void fuel(void **state)
{
	Scope s = open_scope();
	(void)state;
	RewriteOptions o = {0};
	rules_trust(s.g, true);
	assert_true(rule_add(s.g, "there: sin(x) => cos(x)", "loop") &&
		rule_add(s.g, "back: cos(x) => sin(x)", "loop"));
	Node *x = node_of(&s, "sin(x)", 6);
	assert_false(run_stage(&s, "loop", &x, &o));
	assert_true(o.out_of_fuel);
	assert_int_equal(s.g->error.code, ERR_RULE);
	assert_non_null(strstr(s.g->error.text, "rule there (rule:1): there is no end to it"));
	error_clear(&s.g->error);
	assert_true(rule_add(s.g, "halves: exp(x) => exp(x/2)*exp(x/2)", "lower"));
	x = node_of(&s, "exp(x)", 6);
	o.last = true;
	assert_false(rewrite(s.g, "lower", 1, &x, &o));
	if (!strstr(s.g->error.text, "rule halves (rule:1): there is no end to it")) fail_msg("%s", s.g->error.text);
	graph_close(s.g);
}

/* What a user's rule looks for in exp stays as it is written; x^2 taken apart stays apart. */
static void users_gaussian(void **state)
{
	static const char *const rule[] = {"exp(-x*x) => bell(x)", "exp(-0.5*x^2) => bell(x)", "x^2 => x*x"};
	static const char *const text[] = {"y*exp(-x*x)", "y*exp(-0.5*x^2)", "exp(-x^2/2)"};
	static const char *const want[] = {"y*bell(x)", "y*bell(x)", "exp(-(x*x)/2)"};
	static const char *const ops[] = {
		"op bell(x: T[..s]) = exp(-x*x)\n", "op bell(x: T[..s]) = exp(-x*x/2)\n", ""};
	(void)state;
	for (size_t i = 0; i < countof(rule); i++) {
		Scope s = open_scope();
		RewriteOptions o = {0};
		assert_true(module_add(s.g, s.module, "ops", ops[i], strlen(ops[i])));
		if (!rule_add(s.g, rule[i], "algebra")) fail_msg("%s", s.g->error.text);
		assert_ptr_equal(
			rewritten(&s, "algebra", text[i], &o), node_of(&s, want[i], strlen(want[i])));
		assert_false(o.out_of_fuel);
		graph_close(s.g);
	}
}

/* Rules that are tried, nodes and memory: ten times as many for ten times the nodes. */
static uint64_t work_for(uint32_t n, int shape)
{
	Scope s = open_scope();
	Node *x = s.value[0], *y = x;
	for (uint32_t i = 0; i < n; i++)
		y = shape == 0 ? build1(s.g, i & 1 ? OP_SIN : OP_TANH, y)
			: shape == 1
			? build2(s.g, OP_ADD, y, build1(s.g, OP_SIN, constant_float(s.g, x->type, i)))
			: build2(s.g, OP_MUL, build2(s.g, OP_ADD, y, x), build1(s.g, OP_EXP, y));
	RewriteOptions o = {0};
	assert_true(rewrite(s.g, "stable", 1, &y, &o));
	uint64_t work = o.tried + s.g->nnode + s.g->watch->bytes / 64;
	graph_close(s.g);
	return work;
}

static void linear(void **state)
{
	(void)state;
	for (int shape = 0; shape < 3; shape++) {
		uint64_t small = work_for(10000, shape), large = work_for(100000, shape);
		printf("shape %d: %llu for 10,000, %llu for 100,000\n", shape, (unsigned long long)small,
			(unsigned long long)large);
		assert_in_range(large, 1, 12 * small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cases), cmocka_unit_test(laws),
		cmocka_unit_test(late_rules), cmocka_unit_test(explained), cmocka_unit_test(users),
		cmocka_unit_test(refused_at_load), cmocka_unit_test(suggested),
		cmocka_unit_test(rarely_wrong), cmocka_unit_test(seldom_met), cmocka_unit_test(cotangents),
		cmocka_unit_test(complex_rules), cmocka_unit_test(taken_at_load), cmocka_unit_test(reports),
		cmocka_unit_test(never_found),
		cmocka_unit_test(equations), cmocka_unit_test(carried_facts),
		cmocka_unit_test(books_of_tests), cmocka_unit_test(fuel), cmocka_unit_test(users_gaussian),
		cmocka_unit_test(linear)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
