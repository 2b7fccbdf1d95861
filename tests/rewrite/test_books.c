/* test_books.c - every rule of every book is true, and the tables give derivatives; planted mistakes are
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "rewrite/rules.h"
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
			bool late = rule_use(s.g, rule_at(s.g, i))->late,
			     good = rule_check(s.g, rule_at(s.g, i), seed, &report);
			if (late != rule_use(s.g, rule_at(s.g, i))->late) {
				printf("%s: belongs into a book of order last or stable_last%s\n",
					rule_text(s.g->arena, rule_at(s.g, i)), text_done(&report));
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

/* Every rule of algebra is proved to make the expression simpler; none can never be found. */
static void orders(void **state)
{
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	for (uint32_t i = 0; i < rules_count(s.g); i++) {
		const Rule *r = rule_at(s.g, i);
		double left, right;
		bool ordered = !strcmp(r->book->stage, "algebra") || !strcmp(r->book->stage, "last");
		if (!r->head && !r->equation && ordered && !rule_decreases(s.g, r, &left, &right)) {
			printf("%s does not lower the weight\n", rule_text(s.g->arena, r));
			failed++;
		}
		Text why;
		text_open(&why, s.g->arena);
		if (rule_finding(s.g, r, &why) == NEVER_FOUND) {
			printf("%s: %s\n", rule_text(s.g->arena, r), text_done(&why));
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

/* ---- the table and nothing else --------------------------------------------------------------- */

/* One of the two tables: how its lines begin, and what makes nothing of a node when its line is missing. */
typedef struct DiffTable {
	const char *book, *prefix;
	RuleHead head;
} DiffTable;
static const DiffTable differentials_table = {"derivative", "d(", HEAD_D},
		       transposes_table = {"transposition", "vjp(", HEAD_VJP};

/* The rules of the table as text, one for each; a rule goes on where a line is indented. */
static uint32_t lines_of(const DiffTable *table, const char *text, const char **start, const char **end)
{
	uint32_t n = 0;
	for (const char *p = text; *p;) {
		const char *next = strchr(p, '\n');
		next = next ? next + 1 : p + strlen(p);
		if (!strncmp(p, table->prefix, strlen(table->prefix)))
			start[n] = p, end[n++] = next;
		else if (n && (*p == ' ' || *p == '\t') && end[n - 1] == p)
			end[n - 1] = next;
		p = next;
	}
	return n;
}

/* Of an array, indices, and what is written there? */
static bool writes_at_indices(const Pattern *p)
{
	if (p->kind == P_LIBRARY) return !strcmp(p->name, "base_others") || !strcmp(p->name, "written_others");
	return is_scatter(&(Node){.op = (uint16_t)p->op});
}

/* A node of the operator of a line, and tangents for its operands that can have one. */
static Node *node_for(Graph *g, const Rule *r, bool complex, Node **tangent)
{
	Node *arg[8], *y;
	const Size *n = size_const(g, 4);
	Dtype d = complex ? DT_C128 : DT_F64;
	const Type *t = type_array(g, d, 1, &n), *m = type_array(g, d, 2, (const Size *[]){n, n});
	Op op = r->left->op;
	AttrValue v[3] = {av_int(0), av_size(n), av_size(n)};
	uint32_t narg = op == OP_CONCAT ? 2 : r->left->n;
	bool two_axes = r->guard && r->guard->op == OP_NE; /* count(a) != 1 */
	bool spread = r->guard && r->guard->kind == P_LIBRARY && !strcmp(r->guard->name, "spread");
	bool no_axes = r->guard && r->guard->op == OP_EQ;  /* count(a) == 0: of all, when none is named */
	for (uint32_t i = 0; i < narg; i++) {
		bool matrix = op == OP_QR || op == OP_TRI_SOLVE || two_axes;
		const Type *own = (op == OP_WHERE && !i)              ? type_array(g, DT_BOOL, 1, &n)
			: op == OP_RE || op == OP_IM || op == OP_CONJ ? type_array(g, DT_C128, 1, &n)
			: op == OP_COMPLEX                            ? type_array(g, DT_F64, 1, &n)
			: matrix                                      ? m
								      : t;
		bool scatters = writes_at_indices(r->left);
		if ((op == OP_GATHER || scatters) && i == 1) own = type_scalar(g, DT_I64);
		if (scatters && i == 2) own = type_scalar(g, d);
		arg[i] = fresh(g, own, "x");
		if (op == OP_POLYGAMMA && !i) arg[i] = constant_int(g, t, 1);
		if (spread && i + 1 == narg) arg[i] = expand(g, fresh(g, type_scalar(g, d), "x"), 1, &(int64_t){0}, &n);
		tangent[i] = own->dtype == DT_BOOL || own->dtype == DT_I64 || arg[i]->op == OP_CONST
			? NULL
			: fresh(g, own, "dx");
	}
	const Size *zero = size_const(g, 0), *two = size_const(g, 2);
	int64_t none = 0, step = 1;
	switch (op) {
	case OP_CALL:
	case OP_NONE:
		return g->apply_op(g, r->left->name,
			r->left->attr.kind == AT_NONE || no_axes ? NULL : attr_make(g, 1, v), narg, arg);
	case OP_CAST: return cast(g, arg[0], DT_F32);
	case OP_RESHAPE: return reshape(g, arg[0], 2, (const Size *[]){two, two});
	case OP_TRANSPOSE: return node_make(g, op, attr_make(g, 1, v), 1, arg);
	case OP_EXPAND: return expand(g, arg[0], 1, &none, &two);
	case OP_SLICE: return slice(g, arg[0], &zero, &two, &step);
	case OP_PAD: return pad(g, arg[0], &two, &two, &step);
	case OP_CONTRACT: return matmul(g, arg[0], arg[1]);
	case OP_TRI_SOLVE: return build(g, op, attr_ints(g, 2, (int64_t[]){0, 0}), 2, arg);
	case OP_QR: return build(g, op, NULL, 1, arg);
	case OP_TOP_K: return build(g, op, attr_make(g, 1, (AttrValue[]){av_size(two)}), 1, arg);
	default: break;
	}
	Class class = op_info[op].class;
	bool axes =
		class == FOLD || class == CUMULATIVE || class == INDEX || op == OP_FLIP || op == OP_CONCAT;
	if (two_axes) return fold_all(g, op, arg[0]);
	y = node_make(g, op, axes ? attr_make(g, 1, v) : NULL, narg, arg);
	return y;
}

/* Which lines of the whole table have no differential when the table is `text`?  One bit each; *said: the
 * message of the first. */
static void failing(const DiffTable *table, const char *text, bool *fails, char said[][200])
{
	Scope s, whole;
	memset(&s, 0, sizeof s);
	s.g = graph_open(NULL), s.module = module_empty(s.g);
	assert_non_null(books_empty(s.g));
	rules_trust(s.g, true);
	assert_true(rules_add(s.g, text, strlen(text), "table"));
	assert_true(scope_open(&whole));
	uint32_t k = 0;
	for (uint32_t i = 0; i < rules_count(whole.g); i++) {
		const Rule *r = rule_at(whole.g, i);
		Node *tangent[8], *d, *x;
		if (r->head != table->head || strcmp(r->book->name, table->book)) continue;
		error_clear(&s.g->error);
		if (!(x = node_for(s.g, r, r->complex, tangent)))
			fail_msg("%s: %s", r->name, s.g->error.text);
		if (table->head == HEAD_D) {
			fails[k] = !derivative_apply(s.g, s.g->arena, x, tangent, &d);
		} else {
			Node *g = fresh(s.g, x->type, "g");
			fails[k] = false;
			for (uint32_t i = 0; i < x->narg && !fails[k]; i++)
				fails[k] = !transpose_apply(s.g, s.g->arena, x, g, i, &d);
		}
		snprintf(said[k++], 200, "%.199s", s.g->error.text);
	}
	graph_close(s.g), graph_close(whole.g);
}

/* Without its line an operator has no derivative, with a message that names it, and every other has its own;
 * of two lines of one operator the one with a guard is missed where the guard held. */
static void each_line_alone(const DiffTable *table, uint32_t least)
{
	enum { LINES = 200 };
	const char *start[LINES], *end[LINES], *text = NULL;
	static bool fails[LINES];
	static char said[LINES][200];
	int failed = 0;
	for (const EmbeddedText *t = embedded_rules; t->name; t++)
		if (!strcmp(t->name, table->book)) text = t->text;
	uint32_t n = lines_of(table, text, start, end), in = (uint32_t)strlen(table->prefix);
	assert_true(n >= least && n < LINES);
	failing(table, text, fails, said);
	for (uint32_t i = 0; i < n; i++)
		if (fails[i]) fail_msg("%.40s: %s", start[i], said[i]);
	for (uint32_t i = 0; i < n; i++) {
		char *without = malloc(strlen(text) + 1), op[40];
		sprintf(without, "%.*s%s", (int)(start[i] - text), text, end[i]);
		failing(table, without, fails, said);
		snprintf(op, sizeof op, "%.*s", (int)strcspn(start[i] + in, "(["), start[i] + in);
		for (uint32_t k = 0; k < n; k++) {
			if (fails[k] == (k == i)) continue;
			printf("without %.30s...: %.30s... %s\n", start[i], start[k],
				fails[k] ? said[k] : "works");
			failed++;
		}
		if (fails[i] && strcspn(start[i] + in, "([") < strcspn(start[i] + in, "*/+-^%)") &&
			!strstr(said[i], op)) { /* a name; signs have no line that begins with them */
			printf("without %.30s...: %s\n", start[i], said[i]);
			failed++;
		}
		free(without);
	}
	assert_int_equal(failed, 0);
}

static void table_alone(void **state)
{
	(void)state;
	each_line_alone(&differentials_table, 80);
}

static void transposes_alone(void **state)
{
	(void)state;
	each_line_alone(&transposes_table, 25);
}

/* Every operator that makes floats of floats has a differential, but for bitcast, and loops, calls and tuples,
 * which are no lines of a table; bools have none. */
static void every_operator_has_a_line(void **state)
{
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	for (Op op = OP_NONE + 1; op < OP_COUNT; op++) {
		const OpInfo *info = &op_info[op];
		bool gives_numbers = info->class == MAP
			? info->dtype == SAME || info->dtype == FLOAT || info->dtype == RFLOAT ||
				info->dtype == REAL || info->dtype == MODULUS || info->dtype == SELECT ||
				info->dtype == OWN
			: info->class == FOLD
			? op != OP_ANY && op != OP_ALL && op != OP_ARGMAX && op != OP_ARGMIN
			: op != OP_SCATTER_AND && op != OP_SCATTER_OR && (info->class == CUMULATIVE ||
				info->class == VIEW || info->class == INDEX ||
				info->class == CONTRACT || info->class == SOLVE);
		bool line = false;
		for (uint32_t i = 0; i < rules_count(s.g); i++) {
			const Rule *r = rule_at(s.g, i);
			line |= r->head == HEAD_D && r->left->op == op && r->left->kind != P_LIBRARY;
		}
		if (gives_numbers == (line || op == OP_BITCAST || op == OP_ONE_HOT)) continue;
		printf("%s: %s\n", info->text, line ? "a line of what gives no numbers" : "no line");
		failed++;
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
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
	assert_true(derivative_apply(s.g, s.g->arena, build2(s.g, OP_MUL, x, y), (Node *[]){t, NULL}, &d));
	assert_ptr_equal(d, build2(s.g, OP_MUL, t, y));
	assert_true(derivative_apply(s.g, s.g->arena, build2(s.g, OP_SUB, x, y), (Node *[]){NULL, t}, &d));
	assert_ptr_equal(d, build1(s.g, OP_NEG, t));
	assert_true(derivative_apply(s.g, s.g->arena, build2(s.g, OP_MUL, x, y), (Node *[]){NULL, NULL}, &d));
	assert_null(d);
	assert_true(derivative_apply(s.g, s.g->arena, build1(s.g, OP_FLOOR, x), (Node *[]){t}, &d));
	assert_null(d);
	Node *sum = fold_all(s.g, OP_SUM, x), *out;
	assert_true(transpose_apply(s.g, s.g->arena, sum, fold_all(s.g, OP_SUM, y), 0, &out));
	assert_ptr_equal(out->type, x->type);
	assert_int_equal(out->op, OP_EXPAND);
	AttrValue i64 = av_dtype(DT_I64);
	Node *bits = node_make(s.g, OP_BITCAST, attr_make(s.g, 1, &i64), 1, &x);
	assert_false(derivative_apply(s.g, s.g->arena, bits, (Node *[]){t}, &d));
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
		cmocka_unit_test(wrong_lines), cmocka_unit_test(table_alone),
		cmocka_unit_test(transposes_alone), cmocka_unit_test(every_operator_has_a_line),
		cmocka_unit_test(differentials), cmocka_unit_test(bodies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
