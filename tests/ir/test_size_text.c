/* test_size_text.c - sizes as they are printed and read back, and what must be provable of them. */
#include "size_help.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- a reader of what is printed: the notation's precedence, to sizes ---- */

typedef struct Reader {
	Graph *g;
	const char *at;
} Reader;

static const Size *read_sum(Reader *r);

static void expect_text(Reader *r, const char *text)
{
	while (*r->at == ' ') r->at++;
	assert_int_equal(strncmp(r->at, text, strlen(text)), 0);
	r->at += strlen(text);
	while (*r->at == ' ') r->at++;
}

static const Size *read_factor(Reader *r)
{
	expect_text(r, "");
	if (*r->at == '-') {
		expect_text(r, "-");
		return size_sub(r->g, size_const(r->g, 0), read_factor(r));
	}
	if (*r->at == '(') {
		expect_text(r, "(");
		const Size *s = read_sum(r);
		expect_text(r, ")");
		return s;
	}
	if (!strncmp(r->at, "min(", 4) || !strncmp(r->at, "max(", 4)) {
		bool min = r->at[1] == 'i';
		r->at += 4;
		const Size *a = read_sum(r);
		expect_text(r, ",");
		const Size *b = read_sum(r);
		expect_text(r, ")");
		return min ? size_min(r->g, a, b) : size_max(r->g, a, b);
	}
	char word[64] = "";
	for (int n = 0; isalnum((unsigned char)*r->at); n++) word[n] = *r->at++;
	assert_true(*word);
	if (isdigit((unsigned char)*word)) return size_const(r->g, strtoll(word, NULL, 10));
	if (!strcmp(word, "count")) return basic_size(r->g, 5);
	return *word == 's' ? size_param(r->g, (uint32_t)atoi(word + 1) - 1) : size_named(r->g, word);
}

static const Size *read_product(Reader *r)
{
	const Size *s = read_factor(r);
	for (;;) {
		expect_text(r, "");
		char op = *r->at;
		if (op != '*' && op != '/' && op != '%') return s;
		expect_text(r, op == '*' ? "*" : op == '/' ? "//" : "%");
		const Size *b = read_factor(r);
		s = op == '*'       ? size_mul(r->g, s, b)
			: op == '/' ? size_floordiv(r->g, s, b)
				    : size_mod(r->g, s, b);
	}
}

static const Size *read_sum(Reader *r)
{
	const Size *s = read_product(r);
	for (;;) {
		expect_text(r, "");
		char op = *r->at;
		if (op != '+' && op != '-') return s;
		expect_text(r, op == '+' ? "+" : "-");
		const Size *b = read_product(r);
		s = op == '+' ? size_add(r->g, s, b) : size_sub(r->g, s, b);
	}
}

static const Size *read_size(Graph *g, const char *text)
{
	Reader r = {g, text};
	const Size *s = read_sum(&r);
	assert_int_equal(*r.at, 0);
	return s;
}

static void test_printed_reads_back(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		Graph *g = open_graph();
		Expr pool[POOL];
		fill_pool(g, pool, all_ops);
		for (int i = 0; i < POOL; i++) {
			const char *text = size_shown(g, pool[i].s);
			const Size *back = read_size(g, text);
			if (back != pool[i].s) print_message("%s\n%s\n", text, size_shown(g, back));
			assert_ptr_equal(back, pool[i].s);
		}
		graph_close(g);
	}
}

static void test_print(void **state)
{
	(void)state;
	static const char *const same[] = {
		"0",
		"7",
		"-7",
		"n",
		"-n",
		"2*m*n + n - 1",
		"n - m",
		"n*n - 3*n",
		"(n + 1)//2",
		"n//2 + 1",
		"-(n//2)",
		"2*(n//2)",
		"m*(n//2)",
		"n % 4",
		"(m*n) % 4",
		"min(m, n)",
		"max(m + 1, n)",
		"m//n",
		"m//(n + 1)",
		"m - n//2",
		"s1*s12 + 1",
		"min(k, min(m, n))",
		"(n % 4)//2",
		"3*count",
		"5 - n",
	};
	static const char *const other[][2] = {
		{"n*m", "m*n"},
		{"1 + n", "n + 1"},
		{"(n+3)//2", "(n + 1)//2 + 1"},
		{"(2*n + 1)//2", "n"},
		{"n % 1", "0"},
		{"n//1", "n"},
		{"n//n", "1"},
		{"(m*n)//n", "m"},
		{"(n*n - 1)//(n + 1)", "n - 1"},
		{"7//2", "3"},
		{"-7//2", "-4"},
		{"-7 % 3", "2"},
		{"7 % -3", "-2"},
		{"min(n, n + 1)", "n"},
		{"max(n, n//2)", "n"},
		{"max(n, 0)", "n"},
		{"n//-2", "(-n)//2"},
		{"(n//2)//3", "n//6"},
		{"(n % 4)//4", "0"},
		{"(n % 4) % 8", "n % 4"},
		{"5 - n + 0*m", "5 - n"},
		{"(n - 1)//2 + 1", "(n + 1)//2"},
		{"(n + 1)*(n + 1)", "n*n + 2*n + 1"},
		{"min(n, max(n, m))", "n"},
		{"max(max(n, 1) - 1, 1) - 1", "max(n - 1, 1) - 1"},
		{"max(max(max(n, 1) - 1, 1) - 1, 1) - 1", "max(n - 2, 1) - 1"},
		{"min(min(n, 4) + 2, 5)", "min(n + 2, 5)"},
		{"min(max(n, 4) + 2, 5)", "5"},
		{"min(n % 4, 3)", "n % 4"},
	};
	Graph *g = open_graph();
	for (size_t i = 0; i < countof(same); i++)
		assert_string_equal(size_shown(g, read_size(g, same[i])), same[i]);
	for (size_t i = 0; i < countof(other); i++) {
		const Size *s = read_size(g, other[i][0]);
		if (s != read_size(g, other[i][1])) print_message("%s: %s\n", other[i][0], size_shown(g, s));
		assert_ptr_equal(s, read_size(g, other[i][1]));
	}
	graph_close(g);
}

/* The text does not depend on what the graph held before. */
static void test_same_in_every_graph(void **state)
{
	(void)state;
	for (int round = 0; round < 40; round++) {
		Graph *g = open_graph(), *h = graph_open(NULL);
		Expr pool[POOL];
		fill_pool(g, pool, all_ops);
		basic_node = fresh(h, type_scalar(h, DT_I64), "count");
		for (int i = POOL - 1; i >= 0; i--)
			assert_string_equal(size_shown(h, read_size(h, size_shown(g, pool[i].s))),
				size_shown(g, pool[i].s));
		graph_close(g);
		graph_close(h);
	}
}

/* ---- what must be provable ---- */

static void test_proofs_found(void **state)
{
	(void)state;
	static const struct {
		const char *a;
		Proof proof;
		const char *b;
	} cases[] = {
		{"n + 1", PROOF_GREATER, "n"},
		{"n", PROOF_GREATER_EQUAL, "0"},
		{"n + m", PROOF_GREATER_EQUAL, "n"},
		{"m", PROOF_UNKNOWN, "n"},
		{"n - 1", PROOF_UNKNOWN, "0"},
		{"2*n", PROOF_GREATER_EQUAL, "n"},
		{"n*m + 1", PROOF_GREATER, "0"},
		{"3", PROOF_LESS, "4"},
		{"n//2", PROOF_LESS_EQUAL, "n"},
		{"2*(n//2)", PROOF_LESS_EQUAL, "n"},
		{"2*(n//2) + 2", PROOF_GREATER, "n"},
		{"n % 4", PROOF_LESS, "4"},
		{"n % 4", PROOF_LESS_EQUAL, "n"},
		{"n % (m + 1)", PROOF_LESS, "m + 1"},
		{"n % m", PROOF_LESS, "m"},
		{"min(m, n)", PROOF_LESS_EQUAL, "m"},
		{"min(m, n)", PROOF_LESS_EQUAL, "n + k"},
		{"max(m, n) + 1", PROOF_GREATER, "m"},
		{"min(m, n)", PROOF_LESS_EQUAL, "max(m, n)"},
		{"(n + 1)//2", PROOF_LESS, "n + 1"},
		{"(n + 1)//2", PROOF_LESS_EQUAL, "n"},
		{"(n + 3)//4", PROOF_GREATER_EQUAL, "n//4"},
		{"m*(n//2)", PROOF_LESS_EQUAL, "m*n"},
		{"n//k", PROOF_LESS_EQUAL, "n"},
		{"min(n//2, m)", PROOF_LESS_EQUAL, "n"},
		{"max(n, 3)", PROOF_GREATER, "2"},
		{"min(n, 3)", PROOF_LESS, "4"},
		{"n//2 + m//3", PROOF_LESS_EQUAL, "n + m"},
	};
	Graph *g = open_graph();
	for (size_t i = 0; i < countof(cases); i++) {
		Proof p = size_compare(g, read_size(g, cases[i].a), read_size(g, cases[i].b));
		if (p != cases[i].proof) print_message("%s and %s\n", cases[i].a, cases[i].b);
		assert_int_equal(p, cases[i].proof);
	}
	graph_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printed_reads_back),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_same_in_every_graph),
		cmocka_unit_test(test_proofs_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
