/* Effects from C: tokens in order through a loop and a branch, who hears of them, what does not hold, NaNs. */
#include <stdbool.h>
#include <stdio.h>

#include "graph_says.h"

static const int tiers[] = {POR_TIER_REFERENCE, POR_TIER_INTERPRET, POR_TIER_NATIVE};

/* What has been heard, a line each: "print i=0 w=8; pass 0". */
typedef struct Heard {
	char text[2000];
	size_t n;
	int stop; /* after so many; 0: never */
} Heard;

static void hears(Heard *h, const char *format, double x, const char *name)
{
	h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, format, name, x);
}

static int hear(void *user, const por_effect *e)
{
	static const char *const kinds[] = {"print", "assert", "check"};
	Heard *h = user;
	h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%s", kinds[e->kind]);
	for (int i = 0; i < e->n; i++) {
		double x[4];
		int64_t n = por_array_count(&e->value[i]);
		assert_true(n <= 4);
		assert_int_equal(
			por_convert(n, POR_F64, x, por_array_dtype(&e->value[i]), e->value[i].data), POR_OK);
		hears(h, " %s=%g", x[0], e->name[i]);
		for (int k = 1; k < n; k++) hears(h, ",%s%g", x[k], "");
	}
	for (int i = 0; i < e->npass; i++)
		h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, i ? " %d" : "; pass %d", (int)e->pass[i]);
	h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "\n");
	return h->stop && --h->stop == 0 ? 7 : 0;
}

static double call(por_program *p, double x, const char *error)
{
	double y = 0;
	por_array in = por_view(&x, POR_F64, 0, NULL), out = por_view(&y, POR_F64, 0, NULL);
	int code = por_call(p, NULL, 1, &in, 1, &out);
	if (!error && code) fail_msg("%s", por_program_error(p)->text);
	if (error) {
		assert_int_equal(code, POR_ERR_CALL);
		assert_string_equal(por_program_error(p)->text, error);
	}
	return y;
}

/* w is halved three times, or until it is at most 1; its values are summed where `stacked`. */
typedef struct Loop {
	por_node *last, *token, *sum;
} Loop;

static Loop loop(por_graph *g, por_node *x, por_node *before, bool whiles, bool stacked)
{
	por_loop *l = por_loop_open(g, por_constant(g, "i64", 3), 0);
	por_node *w = por_loop_carry(l, x), *t = por_loop_carry(l, before);
	const char *const names[] = {"i", "w"}, *const asserted[] = {"w < 100", "w"};
	por_node *told = por_do(t, POR_EFFECT_PRINT, 2, names, (por_node *[]){por_loop_index(l), w});
	por_node *held = por_do(
		told, POR_EFFECT_ASSERT, 2, asserted, (por_node *[]){por_lt(w, por_number(g, 100)), w});
	if (whiles) por_loop_while(l, por_gt(w, por_number(g, 1)));
	por_loop_next(l, w, por_mul(w, por_number(g, 0.5)));
	por_loop_next(l, t, held);
	int trace = stacked ? por_loop_stack(l, w) : 0;
	por_loop_close(l);
	Loop out = {por_loop_last(l, w), por_loop_last(l, t), NULL};
	if (stacked) out.sum = por_sum(por_loop_stacked(l, trace), POR_ALL);
	return out;
}

static por_program *program(int tier, Heard *h, bool whiles, bool stacked, bool gradient)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *d = NULL;
	por_node *first = por_do(NULL, POR_EFFECT_PRINT, 1, (const char *const[]){"x"}, &x);
	Loop l = loop(g, x, first, whiles, stacked);
	por_node *y = stacked ? l.sum : l.last;
	por_node *yes = por_do(l.token, POR_EFFECT_PRINT, 1, (const char *const[]){"large"}, &y);
	por_node *token = por_if(por_gt(y, por_number(g, 1)), yes, l.token);
	if (gradient) {
		por_grad(por_mul(y, y), 1, &x, &d);
		token = por_do(token, POR_EFFECT_CHECK, 1, (const char *const[]){"slope"}, &d);
	}
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1, .hear = hear, .hear_user = h};
	por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){gradient ? d : y, token}, &o);
	good(g);
	assert_int_equal(por_program_outputs(p), 1);
	por_close(g);
	return p;
}

static void effects_happen_in_order(void **state)
{
	(void)state;
	static const char wanted[] = "print x=8\nprint i=0 w=8; pass 0\nprint i=1 w=4; pass 1\nprint i=2 w=2; pass 2\n";
	for (size_t t = 0; t < 3; t++)
		for (int kind = 0; kind < 8; kind++) {
			Heard h = {.n = 0};
			bool whiles = kind & 1, stacked = kind & 2, gradient = kind & 4;
			por_program *p = program(tiers[t], &h, whiles, stacked, gradient);
			double y = stacked ? 14 : 1, dy = stacked ? 2*14*1.75 : 2*0.125;
			assert_true(call(p, 8, NULL) == (gradient ? dy : y));
			char all[400];
			snprintf(all, sizeof all, "%s%s", wanted, stacked ? "print large=14\n" : "");
			assert_string_equal(h.text, all);
			por_program_free(p);
		}
}

static void what_does_not_hold_ends_the_call(void **state)
{
	(void)state;
	for (size_t t = 0; t < 3; t++) {
		Heard h = {.n = 0};
		por_program *p = program(tiers[t], &h, false, false, false);
		call(p, 128, "assert(w < 100) does not hold: w = 128; in pass 0");
		assert_string_equal(h.text, "print x=128\nprint i=0 w=128; pass 0\nassert =0 w=128; pass 0\n");
		assert_true(call(p, 8, NULL) == 1); /* the next call is as any */
		h = (Heard){.stop = 2};
		call(p, 8, "print: who hears of it gave 7");
		assert_string_equal(h.text, "print x=8\nprint i=0 w=8; pass 0\n");
		por_program_free(p);
	}
}

/* x^2, which is told, of each element of an axis; the lanes are told of in ascending order. */
static void lanes_come_one_after_another(void **state)
{
	(void)state;
	for (size_t t = 0; t < 3; t++) {
		por_graph *g = por_open(NULL);
		por_node *x = por_input(g, "x", "f64"), *y = por_mul(x, x), *out[2] = {y};
		por_node *told = por_do(NULL, POR_EFFECT_PRINT, 1, (const char *const[]){"x"}, &x);
		const char *const asserted[] = {"y < 10", "y"};
		out[1] = por_do(told, POR_EFFECT_ASSERT, 2, asserted,
			(por_node *[]){por_lt(y, por_number(g, 10)), y});
		por_function *f = por_function_of(g, "f", 1, &x, 2, out), *all = por_vmap(f, 1, (int[]){0});
		Heard h = {.n = 0};
		por_options o = {.size = sizeof o, .tier = tiers[t], .threads = 1, .hear = hear, .hear_user = &h};
		por_program *p = por_compile_function(all, &o);
		good(g);
		assert_null(por_vmap(por_with_laws(f, POR_LAW_EXACT), 1, (int[]){0}));
		assert_string_equal(por_graph_error(g)->text, "vmap: f: a function of law exact that has effects");
		por_close(g);
		double in[4] = {1, 2, 3, 4}, got[4] = {0};
		for (int64_t n = 0; n <= 4; n++) {
			por_array from = por_view(in, POR_F64, 1, &n), to = por_view(got, POR_F64, 1, &n);
			h.n = 0;
			*h.text = 0;
			assert_int_equal(por_call(p, NULL, 1, &from, 1, &to), n < 4 ? POR_OK : POR_ERR_CALL);
			static const char wanted[] = "print x=1; pass 0\nprint x=2; pass 1\nprint x=3; pass 2\n"
						     "print x=4; pass 3\nassert =0 y=16; pass 3\n";
			assert_memory_equal(h.text, wanted, strlen(h.text));
			assert_int_equal(strlen(h.text), n < 4 ? n*strlen("print x=1; pass 0\n") : sizeof wanted - 1);
			for (int64_t i = 0; i < n && n < 4; i++) assert_true(got[i] == in[i]*in[i]);
		}
		por_program_free(p);
	}
}

/* A function is invoked twice, the second time for what the first gave, on one side of a branch. */
static void effects_of_functions(void **state)
{
	(void)state;
	static const char text[] = "fn f(x: f64) =\n    do print({x})\n    let s = scan (s = x, i < 2) => (do print({s}) in 2*s)\n"
				   "    do assert(s < 100, {s})\n    in s\n";
	for (size_t t = 0; t < 3; t++) {
		por_graph *g = por_open(NULL);
		por_function *f = por_function_named(por_load(g, text, -1, "f.por"), "f", 0, NULL);
		assert_true(por_has_effects(f));
		por_node *x = por_input(g, "x", "f64");
		por_node *told = por_do(por_no_effect(g), POR_EFFECT_PRINT, 1, (const char *const[]){"begin"}, &x);
		por_node *first = por_invoke_after(told, f, 1, &x), *y = por_get(first, 0);
		por_node *second = por_invoke_after(por_get(first, 1), f, 1, &y), *out[2];
		good(g);
		por_if_all(por_gt(y, por_number(g, 5)), 2, (por_node *[]){por_get(second, 0), por_get(second, 1)},
			(por_node *[]){x, por_get(first, 1)}, out);
		Heard h = {.n = 0};
		por_options o = {.size = sizeof o, .tier = tiers[t], .threads = 1, .hear = hear, .hear_user = &h};
		por_program *p = por_compile(g, 1, &x, 2, out, &o);
		good(g);
		assert_true(call(p, 2, NULL) == 32);
		assert_string_equal(h.text, "print begin=2\nprint x=2\nprint s=2; pass 0\nprint s=4; pass 1\n"
					    "print x=8\nprint s=8; pass 0\nprint s=16; pass 1\n");
		h.n = 0;
		assert_true(call(p, 1, NULL) == 1);
		assert_string_equal(h.text, "print begin=1\nprint x=1\nprint s=1; pass 0\nprint s=2; pass 1\n");
		call(p, 7, "assert(s < 100) does not hold: s = 112");
		por_program_free(p);
		por_close(g);
	}
}

/* f has a loop, and calls a function that stays one, for what a loop in a loop gives it: each effect tells all
 * passes around it, the outermost first. */
static void functions_in_loops(void **state)
{
	(void)state;
	static const char text[] = "fn f(x: f64) =\n    do print({x})\n    let s = scan (s = x, i < 2) => (do print({s}) in s + 1)\n"
				   "    let c = checkpoint((y) => (do print({y}) in y))(s)\n"
				   "    do if c > 3 then (do assert(c < 5, {c}) in {}) else {}\n    in c\n";
	for (size_t t = 0; t < 3; t++) {
		por_graph *g = por_open(NULL);
		por_function *f = por_function_named(por_load(g, text, -1, "f.por"), "f", 0, NULL);
		por_node *x = por_input(g, "x", "f64"), *two = por_constant(g, "i64", 2);
		por_loop *l = por_loop_open(g, two, 0);
		por_node *w = por_loop_carry(l, x), *u = por_loop_carry(l, por_no_effect(g));
		por_loop *inner = por_loop_open(g, por_constant(g, "i64", 1), 0);
		por_node *v = por_loop_carry(inner, w), *s = por_loop_carry(inner, u), *y = por_invoke_after(s, f, 1, &v);
		por_loop_next(inner, v, por_get(y, 0));
		por_loop_next(inner, s, por_get(y, 1));
		por_loop_close(inner);
		por_loop_next(l, w, por_loop_last(inner, v));
		por_loop_next(l, u, por_loop_last(inner, s));
		por_loop_close(l);
		Heard h = {.n = 0};
		por_options o = {.size = sizeof o, .tier = tiers[t], .threads = 1, .hear = hear, .hear_user = &h};
		por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){por_loop_last(l, w), por_loop_last(l, u)}, &o);
		good(g);
		assert_true(call(p, 0, NULL) == 4);
		assert_string_equal(h.text, "print x=0; pass 0 0\nprint s=0; pass 0 0 0\nprint s=1; pass 0 0 1\nprint y=2; pass 0 0\n"
					    "print x=2; pass 1 0\nprint s=2; pass 1 0 0\nprint s=3; pass 1 0 1\nprint y=4; pass 1 0\n");
		h.n = 0;
		call(p, 1, "assert(c < 5) does not hold: c = 5; in pass 1, 0");
		por_program_free(p);
		por_close(g);
	}
}

/* x is halved while it is above 1, which is told when it is asked, before what the pass tells. */
static void conditions_have_effects(void **state)
{
	(void)state;
	static const char *const wanted[] = {"print asked=4; pass 0\nprint w=4; pass 0\nprint asked=2; pass 1\nprint w=2; pass 1\n"
					     "print asked=1; pass 2\n",
		"print asked=4; pass 0\nprint asked=2; pass 1\nprint asked=1; pass 2\n"};
	for (size_t t = 0; t < 3; t++)
		for (int kind = 0; kind < 4; kind++) {
			bool stacked = kind & 1, alone = kind & 2;
			por_graph *g = por_open(NULL);
			por_node *x = por_input(g, "x", "f64");
			por_loop *l = por_loop_open(g, kind ? NULL : por_constant(g, "i64", 9), 0);
			por_node *w = por_loop_carry(l, x), *s = por_loop_carry(l, por_no_effect(g));
			por_node *asked = por_do(s, POR_EFFECT_PRINT, 1, (const char *const[]){"asked"}, &w);
			assert_int_equal(por_loop_while_after(l, por_gt(w, por_number(g, 1)), asked), POR_OK);
			por_node *told = alone ? s : por_do(s, POR_EFFECT_PRINT, 1, (const char *const[]){"w"}, &w);
			por_loop_next(l, w, por_mul(w, por_number(g, 0.5)));
			por_loop_next(l, s, told);
			int all = stacked ? por_loop_stack(l, w) : 0;
			por_loop_close(l);
			por_node *y = stacked ? por_sum(por_loop_stacked(l, all), POR_ALL) : por_loop_last(l, w);
			Heard h = {.n = 0};
			por_options o = {.size = sizeof o, .tier = tiers[t], .threads = 1, .hear = hear, .hear_user = &h};
			por_program *p = por_compile(g, 1, &x, 2, (por_node *[]){y, por_loop_last(l, s)}, &o);
			good(g);
			assert_true(call(p, 4, NULL) == (stacked ? 6 : 1));
			assert_string_equal(h.text, wanted[alone]);
			por_program_free(p);
			por_close(g);
		}
}

static void nans_are_found(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_log(por_sub(x, por_number(g, 2)));
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE, .check_finite = 1};
	por_program *p = por_compile(g, 1, &x, 1, &y, &o);
	good(g);
	call(p, 1, "log(-1) is nan");
	assert_true(call(p, 3, NULL) == 0);
	call(p, 2, "log(0) is -inf");
	por_program_free(p);
	por_close(g);
}

static void refusals(void **state)
{
	(void)state;
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64");
	assert_null(por_do(NULL, 3, 1, NULL, &x));
	fails(g, POR_ERR_VALUE, "there is no effect 3");
	assert_null(por_do(x, POR_EFFECT_PRINT, 1, NULL, &x));
	fails(g, POR_ERR_TYPE, "after an effect, not after f64");
	assert_null(por_do(NULL, POR_EFFECT_ASSERT, 1, NULL, &x));
	fails(g, POR_ERR_TYPE, "do: what is asserted is f64, wanted a bool");
	assert_null(por_do(NULL, POR_EFFECT_PRINT, 0, NULL, NULL));
	por_node *t = por_do(NULL, POR_EFFECT_PRINT, 1, NULL, &x), *many[33];
	for (size_t i = 0; i < 33; i++) many[i] = x;
	assert_null(por_do(t, POR_EFFECT_PRINT, 33, NULL, many));
	fails(g, POR_ERR_UNSUPPORTED, "do: 33 values, more than 32");
	por_function *f = por_function_of(g, "f", 1, &x, 2, (por_node *[]){x, t});
	assert_null(por_invoke_after(x, f, 1, &x));
	fails(g, POR_ERR_TYPE, "f: its effects come after an effect, not after f64");
	assert_null(por_compile(g, 1, &x, 2, (por_node *[]){t, x}, NULL));
	fails(g, POR_ERR_UNSUPPORTED, "arrays");
	por_node *c = por_gt(x, por_number(g, 0)), *out[2];
	assert_int_equal(por_if_all(c, 2, (por_node *[]){x, t}, (por_node *[]){x, x}, out), POR_ERR_TYPE);
	fails(g, POR_ERR_TYPE, "if: one side gives token, the other f64");
	assert_int_equal(por_if_all(x, 2, (por_node *[]){x, t}, (por_node *[]){x, t}, out), POR_ERR_TYPE);
	fails(g, POR_ERR_TYPE, "if: ");
	assert_int_equal(por_if_all(c, 0, NULL, NULL, out), POR_ERR_VALUE);
	fails(g, POR_ERR_VALUE, "if: results: given 0, wanted 1 or more");
	/* sides of one shape and dtype; a token of no dtype, the same in all the graph */
	por_node *wide = por_input(g, "a", "f32[3]");
	assert_int_equal(por_if_all(c, 2, (por_node *[]){wide, t}, (por_node *[]){x, por_no_effect(g)}, out), POR_OK);
	is_text(por_type_text(por_node_type(out[0])), "f64[3]");
	assert_int_equal(por_type_dtype(por_node_type(out[1])), POR_NO_DTYPE);
	assert_int_equal(por_type_rank(por_node_type(out[1])), -1);
	assert_ptr_equal(por_no_effect(g), por_no_effect(g));
	assert_null(por_no_effect(NULL));
	assert_int_equal(por_has_effects(f), 1);
	assert_int_equal(por_function_outputs(f), 1);
	assert_int_equal(por_has_effects(por_function_of(g, "pure", 1, &x, 1, &x)), 0);
	assert_int_equal(por_has_effects(NULL), 0);
	por_loop *l = por_loop_open(g, NULL, 0);
	por_node *w = por_loop_carry(l, x);
	assert_int_equal(por_loop_while_after(l, por_gt(w, por_number(g, 1)), t), POR_ERR_TYPE);
	fails(g, POR_ERR_TYPE, "loop: the effects of a condition come after those that the loop carries");
	assert_int_equal(por_loop_while_after(l, por_gt(w, por_number(g, 1)), w), POR_ERR_TYPE);
	por_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects_happen_in_order),
		cmocka_unit_test(effects_of_functions),
		cmocka_unit_test(functions_in_loops),
		cmocka_unit_test(conditions_have_effects),
		cmocka_unit_test(what_does_not_hold_ends_the_call),
		cmocka_unit_test(lanes_come_one_after_another),
		cmocka_unit_test(nans_are_found),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
