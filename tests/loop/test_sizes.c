/* Sizes that are computed while a program runs: every tier to the bit, errors that name them, frames called again. */
#include "../../src/api/compile.h"
#include "../../src/prove/prove.h"
#include "../../src/elab/elab.h"
#include "compare.h"

#include <setjmp.h>
#include <cmocka.h>

static const char program[] =
	/* an input, through what arithmetic on sizes sees through and what it does not */
	"fn half(x: f64[n], m: i64) = iota[m//2]() + sum(i64(x))\n"
	"fn rest(x: f64[n], m: i64) = iota[m % 3 + 1]()\n"
	"fn most(x: f64[n], m: i64) = f64[max(m, 2), n](1) @ x\n"
	"fn least(x: f64[n], m: i64) = x[:min(m, n)]\n"
	"fn quotient(x: f64[n], m: i64) = iota[100//m]()\n"
	"fn narrow(x: f64[n], m: i64) = iota[i64(i8(m)) + 1]()\n"
	/* counted in the data */
	"fn positive(x: f64[n]) = sum(i64(x > 0))\n"
	/* a number below 0 of which nothing is known, as a minus before one would be */
	"fn lacking(x: f64[n]) = sum(i64(where(x > 0.0, -1, 0)))\n"
	"fn first(x: f64[n]) = let k = positive(x) in (x[:k], k)\n"
	"fn expanded(x: f64[n]) = let k = positive(x) in sum(x)*f64[k, n](2)*x\n"
	"fn folded(x: f64[n]) = let k = positive(x) in (sum(iota[k]()), mean(x[k:]))\n"
	"fn slope(x: f64[n]) = let k = positive(x) in grad(sum(sin(x[:k])^2), x)\n"
	"fn twice(x: f64[n]) = let y = x[:positive(x)] in let z = y[:positive(y - 1)] in (z*2, sum(y), x)\n"
	"fn largest(x: f64[n]) = let k = positive(x) in let (v, i) = top_k[k](x) in (v, i)\n"
	"fn taken(x: f64[n]) = let k = positive(x) in x[iota[k]()*0 + k - 1]\n"
	"fn product(x: f64[n]) = let k = positive(x) in let A = x[:k, _]*x[_, :] in (A @ x, A.T @ x[:k])\n"
	"fn other(x: f64[n], y: f64[n]) = let k = positive(x) in sum(y[:k])*y\n" /* y waits for k */
	/* in loops */
	"fn steps(x: f64[n]) = let k = positive(x) in scan (s = x, i < k) => s*2 + f64(i)\n"
	"fn traced(x: f64[n]) = let k = positive(x) + 1 in grad(sum(scan (s = x, i < k) => sin(s)), x)\n"
	"fn inside(x: f64[n]) = let k = positive(x) in scan (s = x, i < 3) => s + sum(f64(iota[k]())*s[0])\n"
	"fn after(x: f64[n]) = let k = scan (s = 0, i < 3) => s + positive(x*f64(i)) in iota[k]()\n"
	"fn nested(x: f64[n]) = scan (s = x, i < 2) =>\n"
	"    scan (t = s, j < positive(x)) => t + sum(x[:positive(x)])*t\n"
	"fn bounded(x: f64[n]) = sum(scan (i < 3) => sum(scan (j < min(i64(abs(x[1])), 4)) => x[0] + i*j))\n"
	"fn bounds(x: f64[n]) = scan (a = x[0], h < 2) => a + sum(scan (i < 2) =>\n"
	"    sum(scan (j < max(2*i64(abs(x[1])) - 1, i64(x[0])) // 2) => a*i + x[:min(2, positive(x))]*j))\n"
	/* anew in each pass: of the index, of what is carried, of a sequence, computed there */
	"fn changing(x: f64[n]) = scan (s = 0, i < 3) => s + sum(iota[i]())\n"
	"fn prefixes(x: f64[n]) = scan (s = 0.0, i < n) => {s = s + sum(x[:i]^2), all = mean(x[i:])}\n"
	"fn carried(x: f64[n]) = scan (s = 0.0, k = 1, i < 4) => {s = s + sum(exp(x[:k])), k = 7*k % 5}\n"
	"fn listed(x: f64[n]) = scan (s = x, v in [2, 0, 2, 7]) => s + sum(x[:v])\n"
	"fn counted(x: f64[n]) = scan (s = x, i < 3) =>\n"
	"    let k = positive(s) in let y = sin(s[:k]) in s - sum(y)*0.125 + f64(positive(y)) - sum(x[k:])\n"
	"fn inner(x: f64[n]) = scan (s = 0.0, i < 4) =>\n    s + (scan (t = 1.0, j < i) => t + sum(x[:j])*t + f64(i))\n"
	"fn deeper(x: f64[n]) = scan (s = 0.0, i < 4) =>\n    s + (scan (t = sum(x[i:]), j < 2) => t + sum(x[:i]) + s)\n"
	"fn alike(x: f64[n]) = let y = scan (s = 0.0, i < 3) => s + sum(x[:i]) in\n"
	"    let z = scan (s = 1.0, i < 5) => s + sum(x[:i]) in y*z\n"
	"fn ending(x: f64[n]) = let k = scan (k = 1, i < 3) => k + sum(iota[k]()) in x[:k]\n"
	"fn reached(x: f64[n]) = grad(scan (s = 0.0, i < n) => s + sum(sin(x[:i]))*x[i], x)\n"
	"fn never(x: f64[n]) = (scan (s = x, i < n - 7) => s + sum(x[:i]))*2\n"
	"fn beside(x: f64[n]) = (scan (a = 1.0, i < n - 7) => a + sum(x[:positive(x) + 9])) +\n"
	"    (scan (a = 1.0, i < 2*(n - 7)) => a*sum(x[:positive(x) + 9]))\n" /* neither has a pass */
	/* what must not be */
	"fn least_of_none(x: f64[n]) = let k = lacking(x) in x[:k]\n"
	"fn before(x: f64[n]) = let k = lacking(x) in x[k:]\n"
	"fn backwards(x: f64[n]) = let k = lacking(x) in x[k::-1]\n"
	"fn past_by_steps(x: f64[n]) = let k = positive(x) + 4 in x[:k:2]\n"
	"fn filled(x: f64[n]) = let k = lacking(x) in sum(f64[k](2))\n"
	"fn walked(x: f64[n]) = let k = lacking(x) in scan (s = 0.0, i < k) => s + x[0]\n"
	"fn single(x: f64[n]) = let k = positive(x) in x[_][k]\n"
	"fn spread(x: f64[n]) = let k = positive(x) in expand[0, 3](sum(x))[k]\n"
	"fn written(x: f64[n]) = let k = lacking(x) in x with [k::2] = 1.0\n"
	"fn within(x: f64[n]) = let k = lacking(x) in let y = x[:k + 6] in scan (s = 0.0, i < 3) => s + sum(y[3:])\n"
	"fn shown(x: f64[n]) = let k = lacking(x) in let y = x[:k + 6] in scan (s = 0.0, i < 3) => s + sum(y[1:])\n"
	"fn overrun(x: f64[n]) = scan (s = 0.0, i < n + 2) => s + sum(x[:i])\n"
	"fn below(x: f64[n]) = scan (s = 0, i < n) => s + sum(iota[3 - i]())\n"
	"fn unread(x: f64[n]) = scan (s = 0, i < 3) => let k = positive(x) in s + k + 0*sum(iota[k - 9]())\n"
	"fn negative(x: f64[n]) = let k = positive(x) in iota[k - 9]()\n"
	"fn unstored(x: f64[n]) = let k = positive(x) in sum(iota[k - 9]())\n"
	"fn beyond(x: f64[n]) = let k = positive(x) in sum(x[:k + 9])\n"
	"fn huge(x: f64[n]) = let k = positive(x)*3000000000 in f64[k, k](1)*sum(x)\n"
	"fn large(x: f64[n]) = let k = positive(x)*1000000000000000000 in f64[k](1)*x[0]\n";

static Function *compiled(Graph *g, const char *name)
{
	diff_open(g);
	prove_open(g);
	books_open(g);
	Module *m = module_load(g, "sizes.por", program, sizeof program - 1);
	Signature *s = m ? elaborate_function(g, m, name, 0, NULL) : NULL;
	Pipeline p = {0};
	return s ? pipeline_run(g, s->function, &p) : NULL;
}

enum { LENGTH = 7 };
static double data[LENGTH] = {1.5, -2, 3.25, 0.5, -0.125, 2, 0}; /* 4 are positive */
static int64_t number = 5;

static Value *inputs(Graph *g, const Function *f)
{
	Value *in = NEW_ARRAY(g->arena, Value, f->nparam);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = f->param[i];
		in[i] = (Value){
			.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = t->n ? LENGTH : 1};
		in[i].dim[0] = LENGTH;
		in[i].data = t->n ? (void *)data : (void *)&number;
	}
	return in;
}

static void test_tiers(void **state)
{
	(void)state;
	static const char *const names[] = {"half", "rest", "most", "least", "quotient", "narrow", "first",
		"expanded", "folded", "slope", "twice", "largest", "taken", "product", "other", "never",
		"steps", "traced", "inside", "after", "nested", "changing", "prefixes", "carried", "listed",
		"bounded", "bounds", "counted", "inner", "deeper", "alike", "ending", "reached", "negative", "unstored",
		"beyond",
		"overrun", "below", "unread",
		"beside", "least_of_none", "before", "backwards", "past_by_steps", "filled", "walked", "single",
		"spread", "written", "within", "shown"};
	int bad = 0;
	for (size_t i = 0; i < countof(names); i++) {
		Graph *g = graph_open(NULL);
		Function *f = compiled(g, names[i]);
		Comparison c = {0};
		Error e = g->error;
		bool good = f && compare_tiers(g, f, inputs(g, f), true, &c, &e) && c.same == c.runs;
		if (!good)
			print_error("%s: %s\n", names[i],
				c.text[0]               ? c.text
					: g->error.code ? g->error.text
							: e.text);
		bad += !good;
		graph_close(g);
	}
	assert_int_equal(bad, 0);
}

/* ---- frames ------------------------------------------------------------------------------ */

static Program *program_of(const char *name, uint64_t cap, Error *e)
{
	Graph *g = graph_open(NULL);
	Function *f = compiled(g, name);
	RunOptions o = {.tier = TIER_INTERPRET, .threads = 1, .poison = true, .memory_cap = cap};
	*e = g->error;
	Plan *plan = f ? plan_make(g, f, e) : NULL;
	Program *p = plan ? program_new(plan, &o, e) : NULL;
	graph_close(g);
	return p;
}

static Array vector(double *x, int64_t *n)
{
	Array a = {.data = x, .device = {1, 0}, .ndim = 1, .shape = n};
	array_set_dtype(&a, DT_F64);
	return a;
}

/* The text says which size, and what it came to. */
static void expect_error(const char *name, uint64_t cap, int code, const char *part)
{
	Error e;
	Program *p = program_of(name, cap, &e);
	Frame *f = p ? frame_new(p, &e) : NULL;
	int64_t n = LENGTH;
	Array in = vector(data, &n);
	if (f) program_call(p, f, &(CallArrays){1, &in, 0, NULL}, &e);
	if (e.code != code || !strstr(e.text, part)) fail_msg("%s: code %d, %s", name, e.code, e.text);
	frame_free(f);
	program_free(p);
}

static void test_errors(void **state)
{
	(void)state;
	expect_error("negative", 0, ERR_CALL, "the size k - 9 is negative: -5");
	expect_error("unstored", 0, ERR_CALL,
		"the size k - 9 is negative: -5"); /* no array of it is ever stored */
	expect_error("beyond", 0, ERR_CALL, "k + 9 must be at most n: 13 and 7");
	expect_error(
		"huge", 0, ERR_CALL, "the sizes are too large: sum(x > 0) is 4"); /* 12e9*12e9 leaves 64 bits */
	expect_error("large", 0, ERR_CALL, "elements of f64 is too large: sum(x > 0) is 4");
	expect_error("expanded", 4096, ERR_CALL, "past the memory cap of 4096");
	expect_error("overrun", 0, ERR_CALL, "i must be at most n: 8 and 7"); /* in the ninth pass */
	expect_error("below", 0, ERR_CALL, "the size 3 - i is negative: -1"); /* in the fifth */
}

static void test_frame(void **state)
{
	(void)state;
	Error e;
	Program *p = program_of("first", 0, &e);
	Frame *f = frame_new(p, &e);
	int64_t n = LENGTH, one = 0;
	double x[LENGTH], mine[LENGTH];
	Array in = vector(x, &n), got, none = {0};
	for (int round = 0; round < 6; round++) {
		int want = round * 5 % 7; /* 0 5 3 1 6 4 */
		for (int i = 0; i < LENGTH; i++) x[i] = i < want ? i + 1 : -i;
		assert_int_equal(program_call(p, f, &(CallArrays){1, &in, 0, NULL}, &e), 0);
		assert_true(frame_result(f, 0, &got));
		assert_int_equal(got.shape[0], want);
		for (int i = 0; i < want; i++) assert_true(((double *)got.data)[i] == i + 1);
		assert_true(frame_result(f, 1, &got));
		assert_int_equal(*(int64_t *)got.data, want);
	}
	/* memory of the caller's: of the right size, of another, and over the argument */
	Array out[2] = {vector(mine, &one), none};
	one = 4;
	assert_int_equal(program_call(p, f, &(CallArrays){1, &in, 2, out}, &e), 0);
	assert_true(mine[0] == 1 && mine[3] == 4);
	one = 5;
	assert_int_equal(program_call(p, f, &(CallArrays){1, &in, 2, out}, &e), ERR_CALL);
	assert_non_null(strstr(e.text, "result 1: size 5 on axis 0, wanted 4"));
	out[0] = vector(x + 1, &one), one = 4;
	assert_int_equal(program_call(p, f, &(CallArrays){1, &in, 2, out}, &e), 0);
	assert_true(x[0] == 1 && x[1] == 1 && x[4] == 4);
	frame_free(f);
	program_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiers),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
