/* test_operations.c - expressions of models in fewer operations by search than by one step at a time, and never
 * in more.  Operations are counted for sizes as they are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "../../src/rewrite/rules.h"
#include "../../src/search/search.h"
#include <cmocka.h>

static const char *const declared[] = {"A: f64[400, 20]", "B: f64[20, 400]", "C: f64[400, 20]", "D: f64[20, 400]",
	"u: f64[400]", "v: f64[400]", "w: f64[400]", "S: f64[400, 400]", "a: f64[n]", "b: f64[n]", "c: f64[n]",
	"x: f64[n]", "y: f64[n]", "T: f64[30, 30, 30]", "P: f64[30, 30]", "q: f64[30]", "X: f64[m, k]", "g: f64[k]", "h: f64[k]"};

/* What is counted: of each node the price, on the trial where it is most. */
static double operations(const Function *f)
{
	Arena *a = arena_new(NULL);
	Region *r = region_of(a, f->nresult, f->result);
	double most = 0;
	for (uint32_t k = 0; k < SIZE_TRIALS; k++) {
		double sum = 0;
		for (uint32_t i = 0; i < r->n; i++) sum += price_on_trial(r->node[i], k);
		if (sum > most) most = sum;
	}
	arena_free(a);
	return most;
}

/* The expression by the books, closed. */
static Function *by_books(Scope *s, const char *text)
{
	Node *x = node_of(s, text, strlen(text));
	RewriteOptions o = {.last = true};
	if (!x || !rewrite(s->g, "algebra", 1, &x, &o) || !rewrite(s->g, "stable", 1, &x, &o)) return NULL;
	Arena *a = arena_new(NULL);
	Region *r = region_of(a, 1, &x);
	Node **leaf = NEW_ARRAY(s->g->arena, Node *, r->n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_INPUT) leaf[n++] = r->node[i];
	arena_free(a);
	Closure c;
	bool good = function_close(s->g, (Title){.name = "f"}, (Nodes){n, leaf}, (Nodes){1, &x}, &c);
	return good ? c.function : NULL;
}

static void fewer(void **state)
{
	/* the second is how many times fewer, at least */
	static const struct {
		const char *text;
		double times;
	} cases[] = {
		{"let M = A @ B in M @ (M @ v)", 9}, /* a square of a product */
		{"let M = A @ B in dot(M @ u, M @ v)", 9},
		{"let M = A @ B in u @ M + M @ v", 9}, /* with its transpose */
		{"let M = A @ B in dot(u, M @ u) + dot(v, M @ v)", 9},
		{"let M = A @ A.T in M @ (M @ (M @ v))", 9}, /* powers of a kernel of low rank */
		{"let M = A @ B in (M + C @ D) @ v", 9},
		{"let M = A @ B in M @ v - (M @ u) @ (C @ D)", 9},
		{"sum((A @ B)*(C @ D))", 9}, /* inner products of matrices of low rank */
		{"sum((A @ B)^2)", 9},
		{"sum((A @ B)*S)", 1.05},
		{"let M = A @ B in sum(M @ u)*sum(u @ M)", 9},
		{"sum((A @ A.T)*(C @ C.T))", 9},
		{"sum[0](A @ B)*v + sum[1](A @ B)*u", 9},
		{"0.5*(S @ u) + 0.25*(S @ v)", 1.9}, /* weighed sums */
		{"S @ u + 3*(S @ v) - 2*(S @ w)", 2.9},
		{"einsum[(i, j, k), (j, a), (k,), (i, a)](T, P, q)", 9}, /* orders of einsum */
		{"einsum[(i, j, k), (i, a), (j, b), (k,), (a, b)](T, P, P, q)", 9},
		{"einsum[(i, j, k), (k, r), (j, r), (i,), (r,)](T, P, P, q)", 9},
		{"einsum[(i, r), (j, r), (i,), (j,), ()](A, C, u, v)", 9},
		{"einsum[(i, r), (j, r), (j, s), (k, s), (k,), (i,)](A, C, C, A, v)", 9},
		{"let M = X.T @ X in M @ g + M @ h", 1.4}, /* sizes that are no numbers */
	};
	Scope s;
	int failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	for (size_t i = 0; i < countof(declared); i++) assert_true(declare(&s, declared[i]));
	for (size_t i = 0; i < countof(cases); i++) {
		Function *before = by_books(&s, cases[i].text), *after = NULL;
		if (before) after = fewer_operations(s.g, before, 0, NULL);
		if (!after) fail_msg("%s: %s", cases[i].text, s.g->error.text);
		double p = operations(before), q = operations(after);
		if (!(p >= cases[i].times * q)) {
			print_message("%s: %g operations by the books, %g by search\n", cases[i].text, p, q);
			failed++;
		}
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* What is best already stays as it is, the same function. */
static void as_it_is(void **state)
{
	static const char *const text[] = {"A @ (B @ v)", "tanh(A @ (B @ v) + u)", "a*x + b*y", "(a + b)*(x + y)",
		"exp(a)*x + sin(b)*x^2", "sum((A @ (B @ v))^2)", "S @ S", "S @ u + v", "dot(u, v) + sum(w)",
		/* a difference that is worked out keeps its digits; a number far from 1 stays where it is */
		"let d = S @ (u - v) in dot(d, d)*dot(S @ u, S @ v)", "1e200*(S @ u) - 3e200*(S @ v)"};
	Scope s;
	(void)state;
	assert_true(scope_open(&s));
	for (size_t i = 0; i < countof(declared); i++) assert_true(declare(&s, declared[i]));
	for (size_t i = 0; i < countof(text); i++) {
		Function *f = by_books(&s, text[i]);
		if (!f || fewer_operations(s.g, f, 0, NULL) != f) fail_msg("%s is not what it was", text[i]);
	}
	graph_close(s.g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fewer), cmocka_unit_test(as_it_is)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
