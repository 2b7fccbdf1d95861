/* The tier changes in the middle of a loop: at every kernel of a scan of 50 steps, forward and reverse, f32 and bf16,
 * value and gradient have the bits of the reference. */
#include "../../src/api/compile.h"
#include "../../src/prove/prove.h"
#include "../../src/elab/elab.h"
#include "compare.h"

#include <setjmp.h>
#include <cmocka.h>

/* back: the loop that reads its sequence from the end; the gradient of either runs the other way */
static const char program[] =
	"fn on[T](W: T[n, n], xs: T[t, n]) = let end = scan (h = T[n](0), x in xs) => {h = tanh(W @ h + x), y = h*x}\n"
	"    in sum(end.y) + sum(end.h*end.h)\n"
	"fn turned[T](W: T[n, n], xs: T[t, n]) = let end = scan[back] (h = T[n](0), x in xs) => {h = sin(W @ h - x), y = h*x}\n"
	"    in sum(end.y) + sum(end.h*end.h)\n"
	"fn on_f32(W: f32[n, n], xs: f32[t, n]) = (on(W, xs), grad(on(W, xs), W, xs))\n"
	"fn on_bf16(W: bf16[n, n], xs: bf16[t, n]) = (on(W, xs), grad(on(W, xs), W, xs))\n"
	"fn turned_f32(W: f32[n, n], xs: f32[t, n]) = (turned(W, xs), grad(turned(W, xs), W, xs))\n"
	"fn turned_bf16(W: bf16[n, n], xs: bf16[t, n]) = (turned(W, xs), grad(turned(W, xs), W, xs))\n";

enum { STEPS = 50, WIDTH = 3 };

typedef struct Case {
	Graph *g;
	Function *f;
	Value *in, *want;
} Case;

static Value value_of(Graph *g, const Type *t, int64_t rows, uint32_t seed)
{
	Value v = {
		.type = t, .dtype = (Dtype)t->dtype, .rank = 2, .dim = {rows, WIDTH}, .count = rows * WIDTH};
	v.data = arena_alloc_aligned(g->arena, 4 * (size_t)v.count, 64);
	for (int64_t i = 0; i < v.count; i++) {
		float x = (float)((i * 7 + seed) % 13) / 16.0f - 0.375f;
		uint32_t bits;
		memcpy(&bits, &x, 4);
		if (v.dtype == DT_F32)
			((float *)v.data)[i] = x;
		else
			((uint16_t *)v.data)[i] = (uint16_t)(bits >> 16); /* sixteenths of few bits: exact */
	}
	return v;
}

static Case open_case(const char *name)
{
	Case c = {.g = graph_open(NULL)};
	diff_open(c.g);
	prove_open(c.g);
	books_open(c.g);
	Module *m = module_load(c.g, "swap.por", program, sizeof program - 1);
	Signature *s = m ? elaborate_function(c.g, m, name, 0, NULL) : NULL;
	Pipeline p = {0};
	c.f = s ? pipeline_run(c.g, s->function, &p) : NULL;
	if (!c.f) fail_msg("%s: %s", name, c.g->error.text);
	c.in = NEW_ARRAY(c.g->arena, Value, 2);
	c.in[0] = value_of(c.g, c.f->param[0], WIDTH, 3);
	c.in[1] = value_of(c.g, c.f->param[1], STEPS, 5);
	c.want = NEW_ARRAY(c.g->arena, Value, c.f->nresult);
	assert_true(evaluate(c.g, c.g->arena, c.f, c.in, c.want, false));
	return c;
}

static Program *program_of(const Case *c, uint32_t kernels)
{
	Error e = {0};
	Plan *plan = plan_make(c->g, c->f, &e);
	RunOptions o = {
		.tier = TIER_NATIVE, .threads = 1, .alternate = kernels, .poison = true, .time_limit = 3600};
	Program *p = plan ? program_new(plan, &o, &e) : NULL;
	TierState s = {0};
	if (p) program_state(p, &s);
	if (!p || s.native != s.kernels) fail_msg("%s %s", e.text, s.text);
	return p;
}

static bool same_bits(const Case *c, Frame *f)
{
	for (uint32_t j = 0; j < c->f->nresult; j++) {
		Array got;
		const Value *want = &c->want[j];
		if (!frame_result(f, j, &got) ||
			memcmp(got.data, want->data, (size_t)want->count * dtype_bytes(want->dtype)))
			return false;
	}
	return true;
}

static uint32_t count_kernels(const Step *s)
{
	uint32_t n = 0;
	for (; s; s = s->next)
		n += s->kind == STEP_LOOP ? STEPS * count_kernels(s->body) : s->kind == STEP_KERNEL;
	return n;
}

/* With the tier changing after k kernels, for every k up to all of them. */
static void check_swaps(const char *name)
{
	Case c = open_case(name);
	Array in[2];
	int64_t shape[2][2] = {{WIDTH, WIDTH}, {STEPS, WIDTH}};
	for (int i = 0; i < 2; i++) {
		in[i] = (Array){.data = c.in[i].data, .device = {1, 0}, .ndim = 2, .shape = shape[i]};
		array_set_dtype(&in[i], c.in[i].dtype);
	}
	uint32_t all = 1, bad = 0;
	for (uint32_t k = 1; k <= all && bad < 3; k++) {
		Error e = {0};
		Program *p = program_of(&c, k);
		Frame *f = frame_new(p, &e);
		all = count_kernels(program_plan(p)->first);
		assert_true(all >= 2 * STEPS); /* a forward and a backward loop at least */
		if (program_call(p, f, &(CallArrays){2, in, 0, NULL}, &e) || !same_bits(&c, f)) {
			print_error("%s: the tier changed after %u of %u kernels: %s\n", name, k, all,
				e.code ? e.text : "other bits");
			bad++;
		}
		frame_free(f);
		program_free(p);
	}
	graph_close(c.g);
	assert_int_equal(bad, 0);
}

static void test_forward_f32(void **state)
{
	(void)state;
	check_swaps("on_f32");
}
static void test_forward_bf16(void **state)
{
	(void)state;
	check_swaps("on_bf16");
}
static void test_back_f32(void **state)
{
	(void)state;
	check_swaps("turned_f32");
}
static void test_back_bf16(void **state)
{
	(void)state;
	check_swaps("turned_bf16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward_f32),
		cmocka_unit_test(test_forward_bf16),
		cmocka_unit_test(test_back_f32),
		cmocka_unit_test(test_back_bf16),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
