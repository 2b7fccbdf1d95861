/* test_size.c - sizes: random expressions against plain evaluation, the normal form, proofs, printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail                               /* ours is another */
#include "../../src/ir/ir.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static char *text_of(Graph *g, const Size *s)
{
	Text t;
	text_open(&t, g->arena);
	size_print(&t, s);
	return text_done(&t);
}

/* ---- expressions with their values under many assignments ---- */

enum { VALUES = 40, BASIC = 6, POOL = 60, ROUNDS = 150 };

typedef struct Expr { const Size *s; bool ok[VALUES]; int64_t value[VALUES]; } Expr;

static int64_t basic_value[BASIC][VALUES];
static Node *basic_node;

static const Size *basic_size(Graph *g, uint32_t i)
{
	static const char *const name[] = {"m", "n", "k"};
	return i < 3 ? size_named(g, name[i]) : i < 5 ? size_param(g, i - 3) : size_of_node(g, basic_node);
}

static int basic_place(const Atom *x)
{
	return x->kind == ATOM_NAME ? (*x->name == 'm' ? 0 : *x->name == 'n' ? 1 : 2)
	       : x->kind == ATOM_PARAM ? 3 + (int)x->index : 5;
}

static bool value_of(void *user, const Atom *x, int64_t *value)
{
	*value = basic_value[basic_place(x)][*(int *)user];
	return true;
}

static Expr combine(Graph *g, char op, const Expr *a, const Expr *b)
{
	Expr e;
	switch (op) {
	case '+': e.s = size_add(g, a->s, b->s); break;
	case '-': e.s = size_sub(g, a->s, b->s); break;
	case '*': e.s = size_mul(g, a->s, b->s); break;
	case '/': e.s = size_floordiv(g, a->s, b->s); break;
	case '%': e.s = size_mod(g, a->s, b->s); break;
	case '<': e.s = size_min(g, a->s, b->s); break;
	default:  e.s = size_max(g, a->s, b->s); break;
	}
	for (int i = 0; i < VALUES; i++) {
		int64_t x = a->value[i], y = b->value[i], q = y ? x / y - (x % y && (x < 0) != (y < 0)) : 0;
		e.ok[i] = a->ok[i] && b->ok[i] && (y || (op != '/' && op != '%'));
		e.value[i] = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : op == '/' ? q
			: op == '%' ? x - q * y : op == '<' ? (x < y ? x : y) : (x > y ? x : y);
		if (llabs(e.value[i]) > 1000000000) {
			e.ok[i] = false;
			e.value[i] = 0;
		}
	}
	return e;
}

static void assign_values(void)
{
	for (int i = 0; i < BASIC; i++)
		for (int j = 0; j < VALUES; j++)
			basic_value[i][j] = below(3) ? below(5) : below(200);
}

static Graph *open_graph(void)
{
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	basic_node = fresh(g, type_scalar(g, DT_I64), "count");
	assign_values();
	return g;
}

/* A pool of expressions: small numbers, the basic atoms, and random combinations of what is there. */
static void fill_pool(Graph *g, Expr pool[POOL], const char *ops)
{
	for (uint32_t i = 0; i < POOL; i++) {
		Expr *e = &pool[i];
		if (i < BASIC + 6) {
			int64_t number = (int64_t)below(9) - 3;
			e->s = i < BASIC ? basic_size(g, i) : size_const(g, number);
			for (int j = 0; j < VALUES; j++) {
				e->ok[j] = true;
				e->value[j] = i < BASIC ? basic_value[i][j] : number;
			}
			continue;
		}
		do {
			const Expr *a = &pool[below(i)], *b = &pool[below(i)];
			char op = ops[below((uint32_t)strlen(ops))];
			if (size_equals(b->s, 0) && (op == '/' || op == '%'))
				e->s = NULL;
			else
				*e = combine(g, op, a, b);
			assert_int_equal(g->error.code, 0);
		} while (!e->s || strlen(text_of(g, e->s)) > 150);
	}
}

static const char all_ops[] = "++--***//%%<>";

static void test_values(void **state)
{
	(void)state;
	int evaluated = 0;
	for (int round = 0; round < ROUNDS; round++) {
		Graph *g = open_graph();
		Expr pool[POOL];
		fill_pool(g, pool, all_ops);
		for (int i = 0; i < POOL; i++)
			for (int j = 0; j < VALUES; j++) {
				int64_t x;
				if (!pool[i].ok[j])
					continue;
				if (!size_evaluate(pool[i].s, value_of, &j, &x) || x != pool[i].value[j])
					print_message("%s\n", text_of(g, pool[i].s));
				assert_true(size_evaluate(pool[i].s, value_of, &j, &x));
				assert_int_equal(x, pool[i].value[j]);
				evaluated++;
			}
		graph_close(g);
	}
	assert_true(evaluated > ROUNDS * POOL * VALUES / 3);
}

static void test_proofs_hold(void **state)
{
	(void)state;
	int count[6] = {0};
	for (int round = 0; round < ROUNDS; round++) {
		Graph *g = open_graph();
		Expr pool[POOL];
		fill_pool(g, pool, all_ops);
		for (int pair = 0; pair < 500; pair++) {
			const Expr *a = &pool[below(POOL)], *b = &pool[below(POOL)];
			Proof p = size_compare(g, a->s, b->s), back = size_compare(g, b->s, a->s);
			assert_int_equal(back, p == PROOF_UNKNOWN ? 0 : PROOF_LESS + PROOF_GREATER - p);
			assert_int_equal(size_differ(g, a->s, b->s), p == PROOF_LESS || p == PROOF_GREATER);
			count[p]++;
			for (int j = 0; j < VALUES; j++) {
				int64_t x = a->value[j], y = b->value[j];
				bool holds = p == PROOF_LESS ? x < y : p == PROOF_LESS_EQUAL ? x <= y
					: p == PROOF_EQUAL ? x == y : p == PROOF_GREATER_EQUAL ? x >= y
					: p == PROOF_GREATER ? x > y : true;
				if (a->ok[j] && b->ok[j] && !holds)
					print_message("%s  %d  %s\n", text_of(g, a->s), p, text_of(g, b->s));
				assert_true(!a->ok[j] || !b->ok[j] || holds);
			}
		}
		graph_close(g);
	}
	for (int p = 0; p < 6; p++)
		assert_true(count[p] > 20);
}

/* Polynomials that are equal as functions are the same pointer, however they were put together. */
static void test_normal_form(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		Graph *g = open_graph();
		Expr pool[POOL];
		fill_pool(g, pool, round % 2 ? all_ops : "++-**");
		for (int i = 0; i < 200; i++) {
			const Size *a = pool[below(POOL)].s, *b = pool[below(POOL)].s, *c = pool[below(POOL)].s;
			const Size *two = size_const(g, 2), *ten = size_const(g, 10);
			assert_ptr_equal(size_add(g, a, b), size_add(g, b, a));
			assert_ptr_equal(size_mul(g, a, b), size_mul(g, b, a));
			assert_ptr_equal(size_add(g, size_add(g, a, b), c), size_add(g, a, size_add(g, b, c)));
			assert_ptr_equal(size_sub(g, size_add(g, a, b), b), a);
			assert_ptr_equal(size_sub(g, a, a), size_const(g, 0));
			const Size *ab = size_mul(g, a, b), *ac = size_mul(g, a, c);
			assert_ptr_equal(size_mul(g, a, size_add(g, b, c)), size_add(g, ab, ac));
			assert_ptr_equal(size_floordiv(g, size_mul(g, a, two), two), a);
			assert_ptr_equal(size_floordiv(g, size_add(g, a, size_mul(g, b, ten)), ten),
				size_add(g, size_floordiv(g, a, ten), b));
			assert_ptr_equal(size_mod(g, size_add(g, a, size_mul(g, b, ten)), ten), size_mod(g, a, ten));
			if (!size_equals(b, 0)) {
				assert_ptr_equal(size_floordiv(g, size_mul(g, a, b), b), a);
				assert_ptr_equal(size_mod(g, size_mul(g, a, b), b), size_const(g, 0));
			}
			assert_ptr_equal(size_min(g, a, a), a);
			assert_int_equal(g->error.code, 0);
		}
		graph_close(g);
	}
}

static void test_min_max_in_any_order(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		Graph *g = open_graph();
		const Size *leaf[7], *first[2] = {NULL, NULL};
		for (uint32_t i = 0; i < 7; i++)
			leaf[i] = i < BASIC ? size_add(g, basic_size(g, i), size_const(g, below(3))) : size_const(g, 9);
		for (int shuffle = 0; shuffle < 6; shuffle++) {
			const Size *part[7];
			memcpy(part, leaf, sizeof part);
			for (uint32_t n = 7; n > 1; n--) {      /* join two at random places */
				uint32_t i = below(n), j = below(n - 1);
				j += j >= i;
				const Size *s = round % 2 ? size_min(g, part[i], part[j]) : size_max(g, part[i], part[j]);
				part[i] = s;
				part[j] = part[n - 1];
			}
			if (!first[0])
				first[0] = part[0];
			assert_ptr_equal(part[0], first[0]);
		}
		graph_close(g);
	}
}

/* ---- a reader of what is printed: the notation's precedence, to sizes ---- */

typedef struct Reader { Graph *g; const char *at; } Reader;

static const Size *read_sum(Reader *r);

static void expect_text(Reader *r, const char *text)
{
	while (*r->at == ' ')
		r->at++;
	assert_int_equal(strncmp(r->at, text, strlen(text)), 0);
	r->at += strlen(text);
	while (*r->at == ' ')
		r->at++;
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
	for (int n = 0; isalnum((unsigned char)*r->at); n++)
		word[n] = *r->at++;
	assert_true(*word);
	if (isdigit((unsigned char)*word))
		return size_const(r->g, strtoll(word, NULL, 10));
	if (!strcmp(word, "count"))
		return basic_size(r->g, 5);
	return *word == 's' ? size_param(r->g, (uint32_t)atoi(word + 1) - 1) : size_named(r->g, word);
}

static const Size *read_product(Reader *r)
{
	const Size *s = read_factor(r);
	for (;;) {
		expect_text(r, "");
		char op = *r->at;
		if (op != '*' && op != '/' && op != '%')
			return s;
		expect_text(r, op == '*' ? "*" : op == '/' ? "//" : "%");
		const Size *b = read_factor(r);
		s = op == '*' ? size_mul(r->g, s, b) : op == '/' ? size_floordiv(r->g, s, b) : size_mod(r->g, s, b);
	}
}

static const Size *read_sum(Reader *r)
{
	const Size *s = read_product(r);
	for (;;) {
		expect_text(r, "");
		char op = *r->at;
		if (op != '+' && op != '-')
			return s;
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
			const char *text = text_of(g, pool[i].s);
			const Size *back = read_size(g, text);
			if (back != pool[i].s)
				print_message("%s\n%s\n", text, text_of(g, back));
			assert_ptr_equal(back, pool[i].s);
		}
		graph_close(g);
	}
}

static void test_print(void **state)
{
	(void)state;
	static const char *const same[] = {
		"0", "7", "-7", "n", "-n", "2*m*n + n - 1", "n - m", "n*n - 3*n", "(n + 1)//2", "n//2 + 1", "-(n//2)",
		"2*(n//2)", "m*(n//2)", "n % 4", "(m*n) % 4", "min(m, n)", "max(m + 1, n)", "m//n", "m//(n + 1)",
		"m - n//2", "s1*s12 + 1", "min(k, min(m, n))", "(n % 4)//2", "3*count", "5 - n",
	};
	static const char *const other[][2] = {
		{"n*m", "m*n"}, {"1 + n", "n + 1"}, {"(n+3)//2", "(n + 1)//2 + 1"}, {"(2*n + 1)//2", "n"},
		{"n % 1", "0"}, {"n//1", "n"}, {"n//n", "1"}, {"(m*n)//n", "m"}, {"(n*n - 1)//(n + 1)", "n - 1"},
		{"7//2", "3"}, {"-7//2", "-4"}, {"-7 % 3", "2"}, {"7 % -3", "-2"}, {"min(n, n + 1)", "n"},
		{"max(n, n//2)", "n"}, {"max(n, 0)", "n"}, {"n//-2", "(-n)//2"}, {"(n//2)//3", "n//6"},
		{"(n % 4)//4", "0"}, {"(n % 4) % 8", "n % 4"}, {"5 - n + 0*m", "5 - n"},
		{"(n - 1)//2 + 1", "(n + 1)//2"}, {"(n + 1)*(n + 1)", "n*n + 2*n + 1"}, {"min(n, max(n, m))", "n"},
		{"min(n % 4, 3)", "n % 4"},
	};
	Graph *g = open_graph();
	for (size_t i = 0; i < countof(same); i++)
		assert_string_equal(text_of(g, read_size(g, same[i])), same[i]);
	for (size_t i = 0; i < countof(other); i++) {
		const Size *s = read_size(g, other[i][0]);
		if (s != read_size(g, other[i][1]))
			print_message("%s: %s\n", other[i][0], text_of(g, s));
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
			assert_string_equal(text_of(h, read_size(h, text_of(g, pool[i].s))), text_of(g, pool[i].s));
		graph_close(g);
		graph_close(h);
	}
}

/* ---- what must be provable ---- */

static void test_proofs_found(void **state)
{
	(void)state;
	static const struct { const char *a; Proof proof; const char *b; } cases[] = {
		{"n + 1", PROOF_GREATER, "n"}, {"n", PROOF_GREATER_EQUAL, "0"}, {"n + m", PROOF_GREATER_EQUAL, "n"},
		{"m", PROOF_UNKNOWN, "n"}, {"n - 1", PROOF_UNKNOWN, "0"}, {"2*n", PROOF_GREATER_EQUAL, "n"},
		{"n*m + 1", PROOF_GREATER, "0"}, {"3", PROOF_LESS, "4"}, {"n//2", PROOF_LESS_EQUAL, "n"},
		{"2*(n//2)", PROOF_LESS_EQUAL, "n"}, {"2*(n//2) + 2", PROOF_GREATER, "n"}, {"n % 4", PROOF_LESS, "4"},
		{"n % 4", PROOF_LESS_EQUAL, "n"}, {"n % (m + 1)", PROOF_LESS, "m + 1"}, {"n % m", PROOF_LESS, "m"},
		{"min(m, n)", PROOF_LESS_EQUAL, "m"}, {"min(m, n)", PROOF_LESS_EQUAL, "n + k"},
		{"max(m, n) + 1", PROOF_GREATER, "m"}, {"min(m, n)", PROOF_LESS_EQUAL, "max(m, n)"},
		{"(n + 1)//2", PROOF_LESS, "n + 1"}, {"(n + 1)//2", PROOF_LESS_EQUAL, "n"},
		{"(n + 3)//4", PROOF_GREATER_EQUAL, "n//4"}, {"m*(n//2)", PROOF_LESS_EQUAL, "m*n"},
		{"n//k", PROOF_LESS_EQUAL, "n"}, {"min(n//2, m)", PROOF_LESS_EQUAL, "n"},
		{"max(n, 3)", PROOF_GREATER, "2"}, {"min(n, 3)", PROOF_LESS, "4"},
		{"n//2 + m//3", PROOF_LESS_EQUAL, "n + m"},
	};
	Graph *g = open_graph();
	for (size_t i = 0; i < countof(cases); i++) {
		Proof p = size_compare(g, read_size(g, cases[i].a), read_size(g, cases[i].b));
		if (p != cases[i].proof)
			print_message("%s and %s\n", cases[i].a, cases[i].b);
		assert_int_equal(p, cases[i].proof);
	}
	graph_close(g);
}

/* ---- substitution ---- */

static const Size *map_to_pool(void *user, const Atom *x)
{
	const Expr *const *to = user;
	const Expr *e = to[basic_place(x)];
	return e ? e->s : NULL;
}

typedef struct Composed { const Expr *const *to; int j; } Composed;

static bool composed_value(void *user, const Atom *x, int64_t *value)
{
	const Composed *c = user;
	int i = basic_place(x);
	*value = c->to[i] ? c->to[i]->value[c->j] : basic_value[i][c->j];
	return true;
}

static void test_substitution(void **state)
{
	(void)state;
	int compared = 0;
	for (int round = 0; round < ROUNDS; round++) {
		Graph *g = open_graph();
		Expr pool[POOL];
		fill_pool(g, pool, all_ops);
		for (int i = 0; i < POOL; i++) {
			const Expr *to[BASIC];          /* sums of atoms and a number: never negative, as atoms are */
			Expr sum[BASIC], one = combine(g, '/', &pool[0], &pool[0]);
			for (int j = 0; j < VALUES; j++)
				one.ok[j] = true, one.value[j] = 1;
			for (uint32_t k = 0; k < BASIC; k++) {
				sum[k] = combine(g, '+', &pool[below(BASIC)], below(2) ? &one : &pool[below(BASIC)]);
				to[k] = below(4) ? &sum[k] : NULL;
			}
			const Size *s = size_substitute(g, pool[i].s, map_to_pool, to);
			if (!s) {                       /* a divisor became 0, at most */
				assert_int_equal(g->error.code, ERR_VALUE);
				error_clear(&g->error);
				continue;
			}
			for (int j = 0; j < VALUES; j++) {
				int64_t x, y;
				if (!size_evaluate(pool[i].s, composed_value, &(Composed){to, j}, &x))
					continue;
				bool good = size_evaluate(s, value_of, &j, &y);
				assert_true(good);
				assert_int_equal(x, y);
				compared++;
			}
			assert_ptr_equal(size_substitute(g, pool[i].s, NULL, NULL), pool[i].s);
		}
		graph_close(g);
	}
	assert_true(compared > ROUNDS * POOL * VALUES / 3);
}

/* ---- sizes from nodes ---- */

static void test_nodes(void **state)
{
	(void)state;
	Graph *g = open_graph();
	const Type *i64 = type_scalar(g, DT_I64);
	Node *x = basic_node, *y = fresh(g, i64, NULL), *n = size_node(g, size_named(g, "n"));
	assert_ptr_equal(size_of_node(g, constant_int(g, i64, 5)), size_const(g, 5));
	assert_ptr_equal(size_of_node(g, n), size_named(g, "n"));
	const Size *xs = size_of_node(g, x), *ys = size_of_node(g, y);
	assert_ptr_not_equal(xs, ys);
	Node *parts[] = {build2(g, OP_MUL, x, build2(g, OP_ADD, y, n)), constant_int(g, i64, 3)};
	const Size *s = size_of_node(g, build2(g, OP_SUB, parts[0], parts[1]));
	const Size *want = size_mul(g, xs, size_add(g, ys, size_named(g, "n")));
	assert_ptr_equal(s, size_sub(g, want, size_const(g, 3)));
	char text[64];
	snprintf(text, sizeof text, "#%u + 1", y->id);
	assert_string_equal(text_of(g, size_add(g, ys, size_const(g, 1))), text);
	assert_string_equal(text_of(g, xs), "count");
	Node *deep = x;
	for (int i = 0; i < 40; i++)         /* seen through some levels deep, and never for long */
		deep = build2(g, OP_ADD, deep, deep);
	assert_non_null(size_of_node(g, deep));
	assert_int_equal(g->error.code, 0);
	assert_null(size_of_node(g, fresh(g, type_scalar(g, DT_F64), NULL)));
	assert_int_equal(g->error.code, ERR_TYPE);
	graph_close(g);
}

/* ---- limits ---- */

static void expect_error(Graph *g, const Size *s)
{
	assert_null(s);
	assert_int_equal(g->error.code, ERR_VALUE);
	assert_true(strlen(g->error.text) > 10);
	error_clear(&g->error);
}

static void test_limits(void **state)
{
	(void)state;
	Graph *g = open_graph();
	const Size *big = size_const(g, INT64_MAX), *small = size_const(g, INT64_MIN), *n = size_named(g, "n");
	const Size *one = size_const(g, 1), *zero = size_const(g, 0), *minus = size_const(g, -1);
	expect_error(g, size_add(g, big, one));
	expect_error(g, size_sub(g, small, one));
	expect_error(g, size_mul(g, big, size_const(g, 2)));
	expect_error(g, size_add(g, size_mul(g, big, n), n));
	expect_error(g, size_floordiv(g, small, minus));
	expect_error(g, size_floordiv(g, n, zero));
	expect_error(g, size_mod(g, n, zero));
	assert_ptr_equal(size_floordiv(g, small, one), small);
	assert_ptr_equal(size_floordiv(g, small, size_const(g, 3)), size_const(g, INT64_MIN / 3 - 1));
	assert_ptr_equal(size_mod(g, small, size_const(g, 3)), size_const(g, 1));
	assert_ptr_equal(size_mod(g, big, size_const(g, 10)), size_const(g, 7));
	assert_ptr_equal(size_sub(g, size_add(g, size_mul(g, big, n), small), size_mul(g, big, n)), small);
	assert_int_equal(size_compare(g, big, small), PROOF_GREATER);
	assert_int_equal(size_compare(g, size_add(g, n, small), big), PROOF_UNKNOWN);
	assert_null(size_add(g, NULL, n));
	assert_null(size_mul(g, n, NULL));
	assert_null(size_floordiv(g, NULL, n));
	assert_null(size_min(g, NULL, n));
	assert_int_equal(size_compare(g, NULL, n), PROOF_UNKNOWN);
	assert_int_equal(g->error.code, 0);
	int64_t x;
	assert_false(size_is(n, &x));
	assert_false(size_is(NULL, &x));
	assert_true(size_is(zero, &x) && x == 0);
	graph_close(g);
}

/* Growing without end gives an error in the end, soon enough: squares, nested divisions, long sums. */
static void test_growth_ends(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		Graph *g = open_graph();
		const Size *s = size_add(g, basic_size(g, 0), size_const(g, 1));
		int step = 0;
		for (; s && step < 10000; step++) {
			char name[32];
			snprintf(name, sizeof name, "x%d", step);
			const Size *x = size_named(g, name);
			if (way == 0)
				s = size_mul(g, s, s);
			else if (way == 1)
				s = size_floordiv(g, size_add(g, s, x), size_add(g, x, size_const(g, 2)));
			else if (way == 2)
				s = size_mod(g, size_mul(g, s, x), size_add(g, s, size_const(g, 3)));
			else
				s = size_add(g, size_min(g, s, x), size_const(g, step));
		}
		assert_true(step < 10000);
		expect_error(g, s);
		graph_close(g);
	}
}

int main(void)
{
	seed = 1234567;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_proofs_hold),
		cmocka_unit_test(test_normal_form),
		cmocka_unit_test(test_min_max_in_any_order),
		cmocka_unit_test(test_printed_reads_back),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_same_in_every_graph),
		cmocka_unit_test(test_proofs_found),
		cmocka_unit_test(test_substitution),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_growth_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
