/* test_range.c - no rewriting makes NaN, infinity or 0 of numbers that were in range as they were written.
 *
 * Rules one by one, and random formulas through the stages, in f16, f32 and f64, at magnitudes at which every
 * value of what is written is a normal number, as large or small as the dtype has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "prove/range.h"
#include <cmocka.h>

enum { DTYPES = 3 };
static const Dtype dtypes[DTYPES] = {DT_F16, DT_F32, DT_F64};

/* The arguments that were lost. */
static void say_values(Text *said, uint32_t n, const Value *v)
{
	for (uint32_t k = 0; k < n; k++)
		for (int64_t i = 0; i < v[k].count; i++) text_printf(said, "%s%g", i ? "," : " ", range_number(&v[k], i));
	text_add(said, "\n");
}

/* ---- rules ------------------------------------------------------------------------------------- */

typedef struct Count {
	uint32_t met, lost;
} Count;

static void rules_keep_the_range(void **state)
{
	Scope s;
	uint32_t failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	for (uint32_t i = 0; i < rules_count(s.g); i++) {
		const Rule *r = rule_at(s.g, i);
		bool table = r->head || r->written || r->law == LAW_EXACT || r->integer || r->complex || r->boolean;
		if (table || r->call || book_is_for_search(r->book)) continue;
		for (uint32_t d = 0; d < DTYPES; d++) {
			Text said;
			text_open(&said, s.g->arena);
			uint64_t seed = hash_bytes(r->name, strlen(r->name));
			bool keeps = true;
			for (uint32_t k = 0; k < 4 && keeps; k++)
				keeps = rule_keeps_range(s.g, r, dtypes[d], seed + 1000*k, &said, NULL);
			if (keeps) continue;
			printf("%s: %s\n", r->name, text_done(&said));
			failed++;
		}
	}
	graph_close(s.g);
	assert_int_equal(failed, 0);
}

/* Of f32 and f64 what docs/rules.md says of law real: a scalar leaves a sum, or a matrix before a vector, and
 * products of matrices are grouped in another way. */
static bool may_leave_range(const char *name)
{
	static const char *const one[] = {"sum_scal", "einsum_scale", "factor_", "move"};
	for (size_t i = 0; i < countof(one); i++)
		if (!strncmp(name, one[i], strlen(one[i]))) return true;
	return false;
}

/* ---- random formulas --------------------------------------------------------------------------- */

enum { LEAVES = 7, NODES = 6, SIDE = 3, FORMULAS = 4000 };

static Node *spread(Graph *g, Node *x, const Node *as)
{
	return node_rank(x) == node_rank(as) ? x : broadcast_to(g, x, as->type->n, as->type->u.dim);
}

static Node *random_node(Graph *g, Random *r, Dtype d, Node **pool, uint32_t n)
{
	double near = ldexp(1 + random_below(r, 3), (int)random_below(r, 5) - 2);
	Node *x = pool[random_below(r, n)], *y = pool[random_below(r, n)];
	if (random_below(r, 2)) x = pool[n - 1]; /* one chain rather than many stumps */
	double literal = random_below(r, 3) ? near : range_scale(r, d);
	if (node_rank(x) < node_rank(y)) x = node_rank(x) ? x : spread(g, x, y);
	y = node_rank(y) ? y : spread(g, y, x);
	bool fits = node_rank(x) == node_rank(y);
	switch (random_below(r, 12)) {
	case 0: return build2(g, OP_POW, x, constant_float(g, x->type, 2 + random_below(r, 2)));
	case 1: return build2(g, OP_MUL, x, constant_float(g, x->type, literal));
	case 2: return build2(g, OP_DIV, x, constant_float(g, x->type, literal));
	case 3: return node_rank(x) ? fold_all(g, OP_SUM, x) : build1(g, OP_NEG, x);
	case 4: return node_rank(x) == 2 && node_rank(y) ? matmul(g, x, y) : build1(g, OP_NEG, x);
	case 5: return fits ? build2(g, OP_ADD, x, y) : NULL;
	case 6: return fits ? build2(g, OP_SUB, x, y) : NULL;
	case 7: return build2(g, OP_DIV, constant_float(g, x->type, literal), x);
	case 8:
	case 9: return fits ? build2(g, OP_DIV, x, y) : NULL;
	default: return fits ? build2(g, OP_MUL, x, y) : NULL;
	}
}

static bool one_formula(Graph *g, Dtype d, Random *random, Count *count, Text *said)
{
	Arena *a = arena_child(g->arena);
	Trial trial;
	trial_begin(g, &trial);
	static const char *const name[LEAVES] = {"a", "b", "c", "x", "y", "A", "B"};
	static const uint32_t rank[LEAVES] = {0, 0, 0, 1, 1, 2, 2};
	Node *pool[LEAVES + NODES];
	const Size *dim[2] = {size_const(g, SIDE), size_const(g, SIDE)};
	for (uint32_t i = 0; i < LEAVES; i++)
		pool[i] = fresh(g, type_array(g, d, rank[i], dim), name[i]);
	uint32_t n = LEAVES;
	while (n < LEAVES + NODES) {
		Node *x = random_node(g, random, d, pool, n);
		if (g->error.code) break;
		if (x) pool[n++] = x;
	}
	Node *written = pool[n - 1], *after = written;
	RewriteOptions o = {.last = true, .log_arena = a};
	RangePair p;
	bool good = !g->error.code && rewrite(g, "algebra", 1, &after, &o) && rewrite(g, "stable", 1, &after, &o) &&
		rewrite(g, "algebra", 1, &after, &o) && after != written &&
		range_open(g, a, &p, (Nodes){LEAVES, pool}, (Node *[]){after, NULL, written});
	bool told = false;
	for (uint32_t t = 0; good && t < 30; t++) {
		Value v[LEAVES];
		RangeSeen seen = {0};
		bool alike = !random_below(random, 3), positive = random_below(random, 2);
		double one = range_scale(random, d);
		for (uint32_t k = 0; k < LEAVES; k++)
			v[k] = range_value(random, a, pool[k]->type, alike ? one : range_scale(random, d), positive);
		bool lost = range_is_lost(g, a, &p, v, &seen);
		for (uint32_t i = 0; i < o.nlog; i++) lost &= !is_wide(d) || !may_leave_range(o.log[i].what);
		count->met += seen.met;
		count->lost += lost && !told;
		if (!lost || told) continue;
		told = true;
		text_printf(said, "  %s: %s => %s: %g is %g at", dtype_name(d), shown_node(g, written),
			shown_node(g, after), seen.was,
			seen.is);
		say_values(said, LEAVES, v);
		for (uint32_t i = 0; i < o.nlog; i++)
			text_printf(said, "      %s: %s => %s\n", o.log[i].what, shown_node(g, o.log[i].before),
				shown_node(g, o.log[i].after));
	}
	error_clear(&g->error);
	trial_end(g, &trial);
	arena_free(a);
	return good;
}

static void formulas_keep_the_range(void **state)
{
	Text said;
	Count c[DTYPES] = {{0}};
	Scope s;
	(void)state;
	assert_true(scope_open(&s));
	text_open(&said, s.g->arena);
	for (uint32_t d = 0; d < DTYPES; d++) {
		Random random = {d + 1};
		for (uint32_t i = 0; i < FORMULAS; i++) one_formula(s.g, dtypes[d], &random, &c[d], &said);
		printf("%s: %u in range, %u lost\n", dtype_name(dtypes[d]), c[d].met, c[d].lost);
	}
	printf("%s", text_done(&said));
	graph_close(s.g);
	for (uint32_t d = 0; d < DTYPES; d++) assert_true(c[d].met > 5*FORMULAS); /* else it tells nothing */
	assert_int_equal(c[0].lost + c[1].lost + c[2].lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_keep_the_range), cmocka_unit_test(formulas_keep_the_range)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
