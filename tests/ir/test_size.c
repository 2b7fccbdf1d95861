/* test_size.c - sizes: random expressions against plain evaluation, the normal form, substitution, limits. */
#include "size_help.h"

#include <stdio.h>

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
				if (!pool[i].ok[j]) continue;
				if (!size_evaluate(pool[i].s, value_of, &j, &x) || x != pool[i].value[j])
					print_message("%s\n", size_shown(g, pool[i].s));
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
				bool holds = p == PROOF_LESS       ? x < y
					: p == PROOF_LESS_EQUAL    ? x <= y
					: p == PROOF_EQUAL         ? x == y
					: p == PROOF_GREATER_EQUAL ? x >= y
					: p == PROOF_GREATER       ? x > y
								   : true;
				if (a->ok[j] && b->ok[j] && !holds)
					print_message(
						"%s  %d  %s\n", size_shown(g, a->s), p, size_shown(g, b->s));
				assert_true(!a->ok[j] || !b->ok[j] || holds);
			}
		}
		graph_close(g);
	}
	for (int p = 0; p < 6; p++) assert_true(count[p] > 20);
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
			const Size *a = pool[below(POOL)].s, *b = pool[below(POOL)].s,
				   *c = pool[below(POOL)].s;
			const Size *two = size_const(g, 2), *ten = size_const(g, 10);
			assert_ptr_equal(size_add(g, a, b), size_add(g, b, a));
			assert_ptr_equal(size_mul(g, a, b), size_mul(g, b, a));
			assert_ptr_equal(
				size_add(g, size_add(g, a, b), c), size_add(g, a, size_add(g, b, c)));
			assert_ptr_equal(size_sub(g, size_add(g, a, b), b), a);
			assert_ptr_equal(size_sub(g, a, a), size_const(g, 0));
			const Size *ab = size_mul(g, a, b), *ac = size_mul(g, a, c);
			assert_ptr_equal(size_mul(g, a, size_add(g, b, c)), size_add(g, ab, ac));
			assert_ptr_equal(size_floordiv(g, size_mul(g, a, two), two), a);
			assert_ptr_equal(size_floordiv(g, size_add(g, a, size_mul(g, b, ten)), ten),
				size_add(g, size_floordiv(g, a, ten), b));
			assert_ptr_equal(
				size_mod(g, size_add(g, a, size_mul(g, b, ten)), ten), size_mod(g, a, ten));
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
			leaf[i] = i < BASIC ? size_add(g, basic_size(g, i), size_const(g, below(3)))
					    : size_const(g, 9);
		for (int shuffle = 0; shuffle < 6; shuffle++) {
			const Size *part[7];
			memcpy(part, leaf, sizeof part);
			for (uint32_t n = 7; n > 1; n--) { /* join two at random places */
				uint32_t i = below(n), j = below(n - 1);
				j += j >= i;
				const Size *s = round % 2 ? size_min(g, part[i], part[j])
							  : size_max(g, part[i], part[j]);
				part[i] = s;
				part[j] = part[n - 1];
			}
			if (!first[0]) first[0] = part[0];
			assert_ptr_equal(part[0], first[0]);
		}
		graph_close(g);
	}
}

/* ---- substitution ---- */

static const Size *map_to_pool(void *user, const Atom *x)
{
	const Expr *const *to = user;
	const Expr *e = to[basic_place(x)];
	return e ? e->s : NULL;
}

typedef struct Composed {
	const Expr *const *to;
	int j;
} Composed;

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
			const Expr *to[BASIC]; /* sums of atoms and a number: never negative, as atoms are */
			Expr sum[BASIC], one = combine(g, '/', &pool[0], &pool[0]);
			for (int j = 0; j < VALUES; j++) one.ok[j] = true, one.value[j] = 1;
			for (uint32_t k = 0; k < BASIC; k++) {
				sum[k] = combine(
					g, '+', &pool[below(BASIC)], below(2) ? &one : &pool[below(BASIC)]);
				to[k] = below(4) ? &sum[k] : NULL;
			}
			const Size *s = size_substitute(g, pool[i].s, map_to_pool, to);
			if (!s) { /* a divisor became 0, at most */
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
	assert_string_equal(size_shown(g, size_add(g, ys, size_const(g, 1))), "fresh(...) + 1");
	assert_string_equal(size_shown(g, xs), "count");
	Node *deep = x;
	for (int i = 0; i < 40; i++) /* seen through some levels deep, and never for long */
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
	const Size *big = size_const(g, INT64_MAX), *small = size_const(g, INT64_MIN),
		   *n = size_named(g, "n");
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_proofs_hold),
		cmocka_unit_test(test_normal_form),
		cmocka_unit_test(test_min_max_in_any_order),
		cmocka_unit_test(test_substitution),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_growth_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
