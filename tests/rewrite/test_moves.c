/* test_moves.c - random graphs of what moves data (slices, indices, writes, parts, zeros around), folds and
 * products keep their values: to the bit under law exact, in binary128 under law real; and what the call
 * refuses of them it refuses afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "rewrite_help.h" /* before cmocka.h, which makes `fail` a macro */
#include "oracle/oracle.h"
#include <cmocka.h>

enum { GRAPHS = 8000, NODES = 12, POOL = 18, M = 3, N = 4, INPUTS = 6 };

static uint64_t seed;
static int compared, refused, fired;

static uint32_t below(uint32_t n)
{
	seed += 0x9e3779b97f4a7c15u;
	uint64_t z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) >> 33) % n;
}

static bool size_value(void *user, const Atom *a, int64_t *value)
{
	(void)user;
	if (a->kind != ATOM_NAME) return false;
	*value = a->name[0] == 'm' ? M : N;
	return true;
}

static int64_t value_of(const Size *s)
{
	int64_t n;
	return size_evaluate(s, size_value, NULL, &n) ? n : 1;
}

typedef struct Pool {
	Graph *g;
	Node *x[POOL], *k; /* k: an index that the call gives */
	uint32_t n;
} Pool;

static Node *any(Pool *p)
{
	uint32_t last = below(4) ? 2 : p->n;
	return p->x[p->n - 1 - below(last)];
}

static Node *of_rank(Pool *p, uint32_t rank)
{
	for (uint32_t t = 0; t < 30; t++) {
		Node *x = any(p);
		if (node_rank(x) >= rank && node_rank(x) <= 3) return x;
	}
	return p->x[2];
}

/* Another of the same shape, or one of these. */
static Node *alike(Pool *p, Node *x)
{
	for (uint32_t t = 0; t < 12; t++) {
		Node *y = any(p);
		if (y->type == x->type && (y != x || below(3))) return y;
	}
	return below(2) ? x : constant_float(p->g, x->type, below(2));
}

static const Size *some_size(Graph *g, const Size *n, bool *forwards)
{
	*forwards = below(4) != 0;
	return size_add(g, below(2) ? n : size_const(g, 0), size_const(g, (int64_t)below(4) - 2));
}

static Node *random_slice(Pool *p, Node *x)
{
	Graph *g = p->g;
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t d = 0; d < node_rank(x); d++) {
		const Size *n = node_dim(x, d);
		int64_t size = value_of(n), from = size ? below((uint32_t)size) : 0, left = size - from;
		bool end = below(2);
		start[d] = end ? size_add(g, n, size_const(g, from - size)) : size_const(g, from);
		step[d] = 1 + (below(4) == 0);
		if (below(4) == 0) {
			step[d] = -step[d];
			left = from + 1;
		}
		int64_t by = step[d] < 0 ? -step[d] : step[d], most = (left + by - 1) / by, less = below(3);
		if (!size) most = 0;
		length[d] = size_const(g, most - (less < most ? less : 0));
		if (step[d] == 1 && !end && below(2)) length[d] = size_sub(g, n, start[d]);
		if (below(2)) {
			start[d] = size_const(g, 0);
			length[d] = n;
			step[d] = 1;
		}
	}
	return slice(g, x, start, length, step);
}

static Node *random_pad(Pool *p, Node *x)
{
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t d = 0; d < node_rank(x); d++) {
		before[d] = size_const(p->g, below(2) * below(3));
		after[d] = size_const(p->g, below(2) * below(3));
		step[d] = value_of(node_dim(x, d)) ? 1 + (below(5) == 0) : 1;
	}
	return pad(p->g, x, before, after, step);
}

/* A number, a size, what the call gives, a row of numbers, some numbers. */
static Node *random_index(Pool *p, const Size *n, bool scalar)
{
	Graph *g = p->g;
	bool inside;
	int64_t size = value_of(n), at[4];
	uint32_t kind = below(scalar ? 4 : 6), count = 1 + below(3);
	if (kind == 0) return p->k;
	if (kind == 1) return size_node(g, some_size(g, n, &inside));
	if (kind < 4) return constant_int(g, type_scalar(g, DT_I64), size ? below((uint32_t)size) : 0);
	const Size *dim = size_const(g, count);
	int64_t step = (int64_t)below(5) - 2;
	for (uint32_t i = 0; i < count; i++) at[i] = size ? below((uint32_t)size) : 0;
	for (uint32_t i = 1; kind == 5 && i < count; i++) at[i] = at[i - 1] + step;
	for (uint32_t i = 0; i < count; i++)
		if (at[i] < 0 || at[i] >= size) at[i] = 0;
	if (below(4) == 0 && size) return build2(g, OP_ADD, iota(g, size_const(g, 2)), weak_int(g, below(2)));
	return constant_data(g, type_array(g, DT_I64, 1, &dim), at);
}

static Node *random_write(Pool *p, Node *x)
{
	Graph *g = p->g;
	uint32_t axis = below(node_rank(x));
	Node *i = random_index(p, node_dim(x, axis), below(2)), *v = gather(g, x, i, axis);
	if (is_scatter(x) && below(2)) {
		i = x->arg[1];
		axis = (uint32_t)attr_int(x, 0);
		v = x->arg[2];
	}
	v = v ? alike(p, v) : NULL;
	static const Op kind[] = {OP_SCATTER_ADD, OP_SCATTER_SET, OP_SCATTER_MAX, OP_SCATTER_MIN, OP_SCATTER_MUL};
	Op op = kind[below(scatter_takes(OP_SCATTER_MAX, node_dtype(x)) ? 5 : 2)];
	return v ? scatter(g, op, x, i, v, axis) : NULL;
}

static Node *random_fold(Pool *p, Node *x)
{
	static const Op ops[] = {
		OP_SUM, OP_SUM, OP_SUM, OP_MAX, OP_MIN, OP_PROD, OP_LOGSUMEXP, OP_CUMSUM, OP_ARGMAX};
	Op op = ops[below(countof(ops))];
	int64_t axes[RANK_MAX], axis = below(node_rank(x));
	uint32_t n = 0;
	if (op == OP_CUMSUM) return node_make(p->g, OP_CUMSUM, attr_ints(p->g, 1, &axis), 1, &x);
	for (uint32_t d = 0; d < node_rank(x); d++)
		if (d == axis || below(3) == 0) axes[n++] = d;
	Node *y = fold(p->g, op, x, n, axes);
	return cast(p->g, y, DT_F64);
}

static Node *random_product(Pool *p, Node *x)
{
	Node *y = of_rank(p, 1);
	int64_t lx[4], ly[4], out[8];
	uint32_t n = 0, next = 0;
	for (uint32_t i = 0; i < node_rank(x); i++) lx[i] = next++;
	for (uint32_t k = 0; k < node_rank(y); k++) {
		ly[k] = next++;
		for (uint32_t i = 0; i < node_rank(x); i++)
			if (node_dim(y, k) == node_dim(x, i) && !list_has(k, ly, lx[i]) && below(3))
				ly[k] = lx[i];
	}
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (below(3) && n < 3) out[n++] = lx[i];
	for (uint32_t i = 0; i < node_rank(y); i++)
		if (below(3) && n < 3 && !list_has(n, out, ly[i])) out[n++] = ly[i];
	return contract(p->g, (Labelled){x, lx}, (Labelled){y, ly}, n, out);
}

static Node *random_view(Pool *p, Node *x)
{
	Graph *g = p->g;
	uint32_t r = node_rank(x);
	int64_t axis = below(r), perm[RANK_MAX];
	const Size *n = size_const(g, 1 + below(3));
	switch (below(6)) {
	case 0: return r < 3 ? expand(g, x, 1, (int64_t[]){below(r + 1)}, &n) : x;
	case 1:
		for (uint32_t d = 0; d < r; d++) perm[d] = (d + axis) % r;
		return transpose(g, x, perm);
	case 2: return flip(g, x, 1, &axis);
	case 3: return r < 3 ? unsqueeze(g, x, 1, (int64_t[]){below(r + 1)}) : x;
	case 4: return random_pad(p, x);
	default: n = type_elements(g, x->type); return reshape(g, x, 1, &n);
	}
}

static Node *random_concat(Pool *p, Node *x)
{
	Node *part[3];
	uint32_t n = 2 + below(2), axis = below(node_rank(x));
	for (uint32_t k = 0; k < n; k++) {
		part[k] = alike(p, x);
		Node *y = random_slice(p, part[k]);
		bool fits = y && below(2);
		for (uint32_t d = 0; fits && d < node_rank(x); d++)
			fits = d == axis || node_dim(y, d) == node_dim(x, d);
		if (fits) part[k] = y;
	}
	return concat(p->g, axis, n, part);
}

static Node *random_identity(Pool *p)
{
	Graph *g = p->g;
	static const char *const names[] = {"n", "m"};
	uint32_t k = below(3);
	const Size *n = k < 2 ? size_named(g, names[k]) : size_const(g, N);
	Node *i = iota(g, n);
	AttrValue v[2] = {av_size(n), av_dtype(DT_F64)};
	Node *one = node_make(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &i);
	Node *row = expand(g, i, 1, (int64_t[]){1}, &n), *column = expand(g, i, 1, (int64_t[]){0}, &n);
	Node *numbers = k ? p->x[k == 2 ? 2 : 4] : p->x[0];
	if (!below(3) || DIM(numbers->type, 0) != n) return one;
	numbers = expand(g, numbers, 1, (int64_t[]){below(2)}, &n);
	if (below(2)) return build2(g, OP_MUL, numbers, one);
	return build3(g, OP_WHERE, build2(g, OP_EQ, row, column), numbers, weak_float(g, 0));
}

static Node *random_node(Pool *p)
{
	static const Op one[] = {OP_NEG, OP_EXP, OP_ABS, OP_SIN},
			two[] = {OP_ADD, OP_SUB, OP_MUL, OP_MAXIMUM};
	Graph *g = p->g;
	Node *x = of_rank(p, 1), *y;
	int64_t axis = node_rank(x) ? (int64_t)below(node_rank(x)) : 0;
	if (!node_rank(x)) return build1(g, OP_NEG, x);
	switch (below(16)) {
	case 0:
	case 1:
	case 2: return random_slice(p, x);
	case 3:
	case 4: return gather(g, x, random_index(p, node_dim(x, (uint32_t)axis), below(2)), axis);
	case 5: return random_write(p, x);
	case 6:
	case 7: return random_fold(p, x);
	case 8: return random_product(p, x);
	case 9:
	case 10: return random_view(p, x);
	case 11: return random_concat(p, x);
	case 12:
		if (below(2)) return random_identity(p);
		return g->apply_op(g, below(2) ? "softmax" : "log_softmax", attr_ints(g, 1, &axis), 1, &x);
	case 13: return build1(g, one[below(countof(one))], x);
	case 14:
		return y = build2(g, OP_LT, x, weak_float(g, 0.5));
		return build3(g, OP_WHERE, y, alike(p, x), build1(g, OP_NEG, x));
	default: return build2(g, two[below(countof(two))], x, alike(p, x));
	}
}

static Value input_value(Arena *a, const Node *in, bool quad)
{
	Value v = {.type = in->type, .dtype = node_dtype(in), .rank = node_rank(in), .count = 1};
	for (uint32_t d = 0; d < v.rank; d++) v.count *= v.dim[d] = value_of(node_dim(in, d));
	v.data = arena_alloc(a, (size_t)v.count * sizeof(__float128));
	for (int64_t i = 0; i < v.count; i++) {
		double x = (double)below(64) / 16 - 1.5;
		if (v.dtype == DT_I64)
			((int64_t *)v.data)[i] = below(9) ? (int64_t)below(M) : below(2) ? 7 : -1;
		else if (quad)
			((__float128 *)v.data)[i] = x;
		else
			((double *)v.data)[i] = x;
	}
	return v;
}

static bool values_of(Scope *s, Arena *a, Node *root, const Value *in, Value *out, bool quad)
{
	Closure c = {0};
	Trial t;
	trial_begin(s->g, &t);
	bool good = function_close(s->g, (Title){.name = "random"}, (Nodes){INPUTS, s->value},
			    (Nodes){1, &root}, &c) &&
		evaluate_sizes(s->g, &(EvalCall){.arena = a, .f = c.function, .in = in}, &s->g->error) &&
		evaluate(s->g, a, c.function, in, out, quad);
	trial_end(s->g, &t);
	return good && !t.failed;
}

static bool same_values(const Value *p, const Value *q, bool exact)
{
	if (p->count != q->count || p->rank != q->rank) return false;
	for (int64_t i = 0; i < p->count; i++) {
		if (exact) {
			double x = ((double *)p->data)[i], y = ((double *)q->data)[i];
			if (memcmp(&x, &y, sizeof x) && !(isnan(x) && isnan(y))) return false;
			continue;
		}
		__float128 x = ((__float128 *)p->data)[i], y = ((__float128 *)q->data)[i],
			   size = x < 0 ? -x : x;
		__float128 gap = x < y ? y - x : x - y;
		if (!(size < 1e30Q)) continue; /* what is infinite or no number, and what it drowns */
		if (!(gap <= 1e-12Q * (size + 1))) return false;
	}
	return true;
}

/* What is not read of a concatenation, of what is written over, of zeros around, and x - x, go with their
 * checks. */
static bool drops_values(Arena *a, Node *root)
{
	Region *r = region_of(a, 1, &root);
	for (uint32_t i = 0; i < r->n; i++) {
		Op op = (Op)r->node[i]->op;
		if (op == OP_SUB && r->node[i]->arg[0] == r->node[i]->arg[1]) return true;
		if (op == OP_CONCAT || op == OP_PAD || is_scatter(r->node[i]))
			return true;
	}
	return false;
}

/* One graph; true if the value is kept. */
static bool one_graph(Scope *s, bool exact)
{
	Graph *g = s->g;
	Arena *a = arena_child(g->arena);
	Pool p = {.g = g, .k = s->value[INPUTS - 1], .n = INPUTS - 1};
	Value in[INPUTS], before, after;
	memcpy(p.x, s->value, (INPUTS - 1) * sizeof *p.x);
	for (uint32_t i = 0; i < NODES;) {
		Trial t;
		trial_begin(g, &t);
		Node *x = random_node(&p);
		bool good = x && !g->error.code && node_dtype(x) == DT_F64 && node_rank(x) < 5;
		for (uint32_t d = 0; good && d < node_rank(x); d++) good = value_of(node_dim(x, d)) < 40;
		trial_end(g, &t);
		i++;
		if (good) p.x[p.n++] = x;
	}
	Node *root = p.x[p.n - 1], *y = root;
	for (uint32_t k = 0; k < INPUTS; k++) in[k] = input_value(a, s->value[k], !exact);
	RewriteOptions o = {.laws = exact ? LAWS_EXACT : 0, .last = true, .log_arena = a};
	bool good = rewrite(g, "algebra", 1, &y, &o) && rewrite(g, "stable", 1, &y, &o) && !o.out_of_fuel;
	bool was = values_of(s, a, root, in, &before, !exact), is = values_of(s, a, y, in, &after, !exact);
	good = good && (was ? is && same_values(&before, &after, exact) : !is || drops_values(a, root));
	compared += was;
	refused += !was;
	fired += (int)o.fired;
	if (!good) {
		printf("%s %s%s\n%s\n", was ? "a value" : "refused", is ? "" : "refused now ",
			o.out_of_fuel ? "out of fuel" : "", shown_node(g, root));
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
	seed = exact ? 21 : 22;
	compared = refused = fired = 0;
	for (int k = 0; k < GRAPHS / 100; k++) {
		Scope s;
		assert_true(scope_open(&s) && declare(&s, "x: f64[n]") && declare(&s, "A: f64[m, n]") &&
			declare(&s, "u: f64[4]") && declare(&s, "U: f64[4, 4]") && declare(&s, "v: f64[m]") &&
			declare(&s, "k: i64"));
		for (int i = 0; i < 100 && failed < 5; i++) failed += !one_graph(&s, exact);
		graph_close(s.g);
	}
	printf("%d graphs compared, %d refused, %d applications\n", compared, refused, fired);
	assert_int_equal(failed, 0);
	assert_true(compared > GRAPHS / 2 && refused > GRAPHS / 100 &&
		fired > GRAPHS / 2); /* else it tells nothing */
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
