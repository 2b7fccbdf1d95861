/* test_range.c - no rewriting makes NaN, infinity or 0 of numbers that were in range as they were written.
 *
 * Rules one by one, and random formulas through the stages, in f16, f32 and f64, at magnitudes at which every
 * value of what is written is a normal number, as large or small as the dtype has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "math/math.h"
#include "prove/check.h"
#include <cmocka.h>

enum { DTYPES = 3, RESULTS = 48 };
static const Dtype dtypes[DTYPES] = {DT_F16, DT_F32, DT_F64};

/* ---- values as large or small as the dtype has them ---------------------------------------------------- */

static double number_at(const Value *v, int64_t i)
{
	switch (v->dtype) {
	case DT_F16: return cast_f16_f64(((uint16_t *)v->data)[i]);
	case DT_F32: return ((float *)v->data)[i];
	case DT_F64: return ((double *)v->data)[i];
	default: return 1;
	}
}

static void put_number(const Value *v, int64_t i, double x)
{
	switch (v->dtype) {
	case DT_F16: ((uint16_t *)v->data)[i] = cast_f64_f16(x); break;
	case DT_F32: ((float *)v->data)[i] = (float)x; break;
	case DT_F64: ((double *)v->data)[i] = x; break;
	case DT_BOOL: ((uint8_t *)v->data)[i] = x > 0; break;
	default: ((int64_t *)v->data)[i] = x > 0; break;
	}
}

/* Of f16 every normal number counts; in the wider dtypes law real may move a value by as much as ROOM. */
enum { ROOM = 12 };

static int room_of(Dtype d)
{
	return is_wide(d) ? ROOM : 0;
}

/* A power of two that the dtype has, often near the ends. */
static double any_scale(Random *r, Dtype d)
{
	int space = 1 + room_of(d);
	int least = ilogb(dtype_min(d)) + space, most = ilogb(dtype_max(d)) - space;
	switch (random_below(r, 4)) {
	case 0: return ldexp(1, most - (int)random_below(r, 4));
	case 1: return ldexp(1, (int)random_below(r, 8) - 4);
	default: return ldexp(1, least + (int)random_below(r, (uint32_t)(most - least + 1)));
	}
}

static Value any_value(Random *r, Arena *a, const Type *t, double scale, bool positive)
{
	Value v = {.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
	for (uint32_t i = 0; i < t->n; i++) {
		size_is(DIM(t, i), &v.dim[i]);
		v.count *= v.dim[i];
	}
	v.data = arena_alloc(a, (size_t)(v.count + 1) * dtype_bytes(v.dtype));
	for (int64_t i = 0; i < v.count; i++) {
		double x = (1 + random_below(r, 1000)/1001.0)*scale;
		put_number(&v, i, !positive && random_below(r, 2) ? -x : x);
	}
	return v;
}

static bool is_normal(double x, Dtype d)
{
	return fabs(x) >= dtype_min(d) && fabs(x) <= dtype_max(d);
}

/* What is written, all its parts beside it, and what it has become. */
typedef struct Pair {
	Node *result[RESULTS]; /* what it has become, what holds (or NULL), what is written, its parts */
	uint32_t n;
	bool guarded;
	Function *f;
} Pair;

static bool pair_close(Graph *g, Arena *a, Pair *p, Nodes in, Node *written, Node *after, Node *holds)
{
	Closure c = {0};
	Region *r = region_of(a, 1, &written);
	p->n = 0, p->guarded = holds;
	p->result[p->n++] = after;
	p->result[p->n++] = holds ? holds : after;
	p->result[p->n++] = written;
	for (uint32_t i = 0; i < r->n && p->n < RESULTS; i++)
		if (r->node[i]->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(r->node[i])))
			p->result[p->n++] = r->node[i];
	if (p->n == RESULTS) return false;
	p->f = function_close(g, (Title){.name = "range"}, in, (Nodes){p->n, p->result}, &c) ? c.function : NULL;
	return p->f != NULL;
}

static Value *widened(Arena *a, uint32_t n, const Value *v)
{
	Value *w = NEW_ARRAY(a, Value, n);
	for (uint32_t k = 0; k < n; k++) {
		w[k] = v[k];
		if (!dtype_is_float(v[k].dtype)) continue;
		__float128 *q = w[k].data = arena_alloc(a, (size_t)(v[k].count + 1) * sizeof *q);
		for (int64_t i = 0; i < v[k].count; i++) q[i] = number_at(&v[k], i);
	}
	return w;
}

static bool is_in_range(const Value *v)
{
	double room = ldexp(1, room_of(v->dtype));
	for (int64_t i = 0; i < v->count; i++) {
		double x = number_at(v, i);
		if (!is_normal(x*room, v->dtype) || !is_normal(x/room, v->dtype)) return false;
	}
	return true;
}

typedef struct Arguments {
	uint32_t n;
	const Value *v;
} Arguments;

typedef struct Seen {
	bool met; /* they were in range */
	double was, is;
} Seen;

/* Of numbers in range throughout: has one become NaN, infinite or nothing, and is in truth none of that? */
static bool is_lost(Graph *g, Arena *a, const Pair *p, Arguments in, Seen *seen)
{
	Value out[RESULTS], truth[RESULTS];
	seen->met = false;
	if (!evaluates(g, a, p->f, in.v, out, false)) return false;
	for (int64_t i = 0; p->guarded && i < out[1].count; i++)
		if (!((uint8_t *)out[1].data)[i]) return false;
	for (uint32_t k = 2; k < p->n; k++)
		if (!is_in_range(&out[k])) return false;
	seen->met = true;
	for (int64_t i = 0; i < out[0].count && dtype_is_float(out[0].dtype); i++) {
		seen->is = number_at(&out[0], i), seen->was = number_at(&out[2], i);
		bool differs = p->result[0]->op == OP_SUB || p->result[0]->op == OP_ADD; /* may be 0 by rounding */
		if (isfinite(seen->is) && (seen->is != 0 || differs)) continue;
		if (!evaluates(g, a, p->f, widened(a, in.n, in.v), truth, true)) return false;
		double t = (double)((__float128 *)truth[2].data)[i], u = (double)((__float128 *)truth[0].data)[i];
		/* where they differ much, binary128 has lost what both were to be */
		bool known = fabs(t - u) <= 1e-3*fabs(t) && is_normal(2*t, out[0].dtype) && is_normal(t/4, out[0].dtype);
		if (known) return true;
	}
	return false;
}

/* The arguments that were lost. */
static void say_values(Text *said, uint32_t n, const Value *v)
{
	for (uint32_t k = 0; k < n; k++)
		for (int64_t i = 0; i < v[k].count; i++) text_printf(said, "%s%g", i ? "," : " ", number_at(&v[k], i));
	text_add(said, "\n");
}

/* ---- rules ------------------------------------------------------------------------------------- */

typedef struct Count {
	uint32_t met, lost;
} Count;

static bool one_instance(Graph *g, const Rule *rule, Dtype d, Random *random, Count *count, Text *said)
{
	static const int modes[] = {0, 2, 7, 8};
	Instance in;
	bool never = false, good = instance_open(&in, g, rule, random, d, modes[random_below(random, 4)]);
	if (good) {
		Arena *a = in.m.scratch;
		Node *written = in.m.node, *holds = rule->guard ? mask_of(&in, rule->guard, written->type, &never) : NULL;
		Node *right = never ? NULL : solid(g, instantiate(&in.m, rule->right, written->type));
		Node *after = fit_type(g, right, written->type);
		Pair p;
		if (after && !g->error.code &&
			pair_close(g, a, &p, (Nodes){in.ninput, in.input}, written, after, holds))
			for (uint32_t t = 0; t < 12; t++) {
				Value v[2 * RULE_VARIABLES];
				Seen seen = {0};
				bool positive = random_below(random, 2);
				double one = any_scale(random, d);
				bool alike = !random_below(random, 3);
				for (uint32_t k = 0; k < in.ninput; k++)
					v[k] = any_value(random, a, in.input[k]->type, alike ? one : any_scale(random, d),
						positive);
				bool lost = is_lost(g, a, &p, (Arguments){in.ninput, v}, &seen);
				count->met += seen.met;
				count->lost += lost;
				if (!lost || count->lost > 1) continue;
				text_printf(said, "  %s in %s: %g is %g at", rule->name, dtype_name(d), seen.was,
					seen.is);
				say_values(said, in.ninput, v);
			}
	}
	error_clear(&g->error);
	instance_close(&in);
	return good;
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

static void rules_keep_the_range(void **state)
{
	Scope s;
	Text said;
	uint32_t failed = 0;
	(void)state;
	assert_true(scope_open(&s));
	text_open(&said, s.g->arena);
	for (uint32_t i = 0; i < rules_count(s.g); i++) {
		const Rule *r = rule_at(s.g, i);
		bool table = r->head || r->written || r->law == LAW_EXACT || r->integer || r->complex || r->boolean;
		if (table || r->call) continue;
		Count c[DTYPES] = {{0}};
		for (uint32_t d = 0; d < DTYPES; d++) {
			Random random = {hash_bytes(r->name, strlen(r->name)) + d};
			for (uint32_t t = 0; t < 60; t++) one_instance(s.g, r, dtypes[d], &random, &c[d], &said);
		}
		bool may_move = may_leave_range(r->name);
		failed += c[0].lost || (!may_move && (c[1].lost || c[2].lost));
		if (c[0].lost || c[1].lost || c[2].lost)
			printf("%-8s %-20s f16 %u of %u, f32 %u of %u, f64 %u of %u\n", r->book->name, r->name,
				c[0].lost, c[0].met, c[1].lost, c[1].met, c[2].lost, c[2].met);
	}
	printf("%s", text_done(&said));
	graph_close(s.g);
	assert_int_equal(failed, 0);
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
	double literal = random_below(r, 3) ? near : any_scale(r, d);
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
	Pair p;
	bool good = !g->error.code && rewrite(g, "algebra", 1, &after, &o) && rewrite(g, "stable", 1, &after, &o) &&
		rewrite(g, "algebra", 1, &after, &o) && after != written &&
		pair_close(g, a, &p, (Nodes){LEAVES, pool}, written, after, NULL);
	bool told = false;
	for (uint32_t t = 0; good && t < 30; t++) {
		Value v[LEAVES];
		Seen seen = {0};
		bool alike = !random_below(random, 3), positive = random_below(random, 2);
		double one = any_scale(random, d);
		for (uint32_t k = 0; k < LEAVES; k++)
			v[k] = any_value(random, a, pool[k]->type, alike ? one : any_scale(random, d), positive);
		bool lost = is_lost(g, a, &p, (Arguments){LEAVES, v}, &seen);
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
