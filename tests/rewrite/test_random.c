/* test_random.c - random graphs keep their values: to the bit under law exact, in binary128 under law
 * real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "oracle/oracle.h"
#include <cmocka.h>

enum { GRAPHS = 6000, SIZE = 6, NODES = 14 };

static uint64_t seed, compared, fired;

static uint32_t below(uint32_t n)
{
	seed += 0x9e3779b97f4a7c15u;
	uint64_t z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

static Node *random_node(Graph *g, Node **pool, uint32_t n)
{
	static const Op one[] = {OP_NEG, OP_EXP, OP_LOG, OP_SQRT, OP_ABS, OP_SIGMOID, OP_SOFTPLUS, OP_TANH,
		OP_LOG1P, OP_EXPM1, OP_SIN, OP_COS, OP_SIGN, OP_FLOOR};
	static const Op two[] = {
		OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_ADD, OP_SUB, OP_MUL, OP_MAXIMUM, OP_MINIMUM};
	static const double literals[] = {0, 1, 2, -1, 0.5, 3};
	Node *x = pool[below(n)],
	     *y = below(4) ? pool[below(n)] : constant_float(g, pool[0]->type, literals[below(6)]);
	uint32_t kind = below(10);
	if (kind < 4) return build1(g, one[below(countof(one))], x);
	if (kind < 8) return build2(g, two[below(countof(two))], x, y);
	if (kind == 8)
		return build3(g, OP_WHERE, build2(g, below(2) ? OP_LT : OP_GE, x, pool[below(n)]), y,
			pool[below(n)]);
	Node *s = fold_all(g, below(3) ? OP_SUM : OP_MAX, x);
	return build2(g, OP_MUL, s, y);
}

static Value *inputs(Arena *a, Node *const *in, uint32_t n, bool quad)
{
	Value *v = NEW_ARRAY(a, Value, n);
	uint64_t keep = seed;
	static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 700, -700, 1e-300};
	for (uint32_t k = 0; k < n; k++) {
		v[k] = (Value){.type = in[k]->type, .dtype = DT_F64, .rank = 1, .dim = {SIZE}, .count = SIZE};
		v[k].data = arena_alloc(a, SIZE * (quad ? sizeof(__float128) : sizeof(double)));
		for (uint32_t i = 0; i < SIZE; i++) {
			double x = (double)below(4000) / 1000 - 2;
			if (!quad && !below(3))
				x = special[below(countof(special))];
			else if (quad && !below(6))
				x = (double)below(3) - 1;
			if (quad)
				((__float128 *)v[k].data)[i] = x;
			else
				((double *)v[k].data)[i] = x;
		}
	}
	(void)keep;
	return v;
}

/* One graph; true if the value is kept. */
static bool one_graph(Scope *s, bool exact)
{
	Graph *g = s->g;
	Arena *a = arena_child(g->arena);
	Node *pool[3 + NODES] = {s->value[0], s->value[1], s->value[2]};
	for (uint32_t i = 0; i < NODES; i++) pool[3 + i] = random_node(g, pool, 3 + i);
	Node *root = pool[2 + NODES], *y = root;
	RewriteOptions o = {.laws = exact ? LAWS_EXACT : 0, .last = true, .log_arena = a};
	bool good = rewrite(g, "algebra", 1, &y, &o) && rewrite(g, "stable", 1, &y, &o) && !o.out_of_fuel;
	Node *result[64] = {root, y};
	uint32_t n = 2;
	Region *r = region_of(a, 1, &root);
	for (uint32_t i = 0; i < r->n && n < countof(result); i++)
		if (node_dtype(r->node[i]) == DT_F64) result[n++] = r->node[i];
	Closure c = {0};
	Value out[64];
	good = good &&
		function_close(g, (Title){.name = "random"}, (Nodes){3, s->value}, (Nodes){n, result}, &c) &&
		evaluate(g, a, c.function, inputs(a, s->value, 3, !exact), out, !exact);
	if (!good) printf("%s%s\n", g->error.text, o.out_of_fuel ? "out of fuel" : "");
	__float128 most = 0;
	bool defined = true; /* the whole: a sum reads elements whose inside is not */
	for (uint32_t k = 0; good && !exact && k < n; k++)
		for (int64_t i = 0; k != 1 && i < out[k].count; i++) {
			__float128 x = ((__float128 *)out[k].data)[i];
			x = x < 0 ? -x : x;
			defined = defined && x < 1e300Q;
			most = x > most && x < 1e300Q ? x : most;
		}
	compared += exact || defined;
	fired += o.fired;
	for (int64_t i = 0; good && (exact || defined) && i < out[0].count; i++) {
		if (exact) {
			double p = ((double *)out[0].data)[i], q = ((double *)out[1].data)[i];
			good = (isnan(p) && isnan(q)) || !memcmp(&p, &q, sizeof p);
			continue;
		}
		__float128 p = ((__float128 *)out[0].data)[i], q = ((__float128 *)out[1].data)[i],
			   gap = p < q ? q - p : p - q;
		__float128 size = p < 0 ? -p : p;
		good = gap <= 1e-9Q * size + 1e-20Q * (1 + most * most);
	}
	if (!good) {
		printf("%s\n", shown_node(g, root));
		for (uint32_t i = 0; i < o.nlog; i++)
			printf("   %s: %s => %s\n", o.log[i].what, shown_node(g, o.log[i].before),
				shown_node(g, o.log[i].after));
	}
	arena_free(a);
	return good;
}

static void kept(bool exact)
{
	int failed = 0;
	seed = exact ? 11 : 12;
	compared = fired = 0;
	for (int k = 0; k < GRAPHS / 100; k++) {
		Scope s;
		assert_true(scope_open(&s) && declare(&s, "x: f64[6]") && declare(&s, "y: f64[6]") &&
			declare(&s, "z: f64[6]"));
		for (int i = 0; i < 100 && failed < 5; i++) failed += !one_graph(&s, exact);
		graph_close(s.g);
	}
	printf("%d graphs compared, %d applications\n", (int)compared, (int)fired);
	assert_int_equal(failed, 0);
	assert_true(compared > GRAPHS / 20 && fired > GRAPHS / 2); /* else it tells nothing */
}

static void exact_keeps_bits(void **state)
{
	(void)state;
	kept(true);
}

static void real_keeps_values(void **state)
{
	(void)state;
	kept(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_keeps_bits), cmocka_unit_test(real_keeps_values)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
