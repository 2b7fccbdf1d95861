/* cases.c - kernels by hand: maps, folds, rows, chains, gathers, of all dtypes that matter. */
#include "cases.h"

/* y = exp(x)*2 + x over one axis */
static void map_exp(Case *c, Dtype t, const char *name)
{
	Draft *d = &c->d;
	draft_open(d, name, RECIPE_ROWS, 1, 0, 0);
	draft_extent_param(d, 0, 0);
	int x = draft_buffer(d, t, false), y = draft_buffer(d, t, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 0, S(1)), e = draft_map(d, OP_EXP, t, t, v, 0, 0);
	int two = t == DT_F64 ? draft_f64(d, 2)
			      : draft_const(d, t,
					t == DT_F32           ? 0x40000000
						: t == DT_F16 ? 0x4000
							      : 0x4000);
	int m = draft_map(d, OP_MUL, t, t, e, two, 0);
	draft_store(d, y, draft_map(d, OP_ADD, t, t, m, v, 0), 0, S(1));
	RUN(c, 0);
	RUN(c, 1);
	RUN(c, 37);
	RUN(c, 4096);
	RUN(c, 10007);
}

static void map_exp_f32(Case *c)
{
	map_exp(c, DT_F32, "map f32");
}
static void map_exp_f64(Case *c)
{
	map_exp(c, DT_F64, "map f64");
}
static void map_exp_f16(Case *c)
{
	map_exp(c, DT_F16, "map f16");
}
static void map_exp_bf16(Case *c)
{
	map_exp(c, DT_BF16, "map bf16");
}

/* y[i, j] = x[i, j]*a[i] - b[j], turned: y[j, i]; a row stage forms a[i]*a[i] */
static void map_broadcast(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "map with broadcast, turned", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, DT_F64, false), a = draft_buffer(d, DT_F64, false),
	    b = draft_buffer(d, DT_F64, false);
	int y = draft_buffer(d, DT_F64, true);
	draft_stage(d, false);
	int va = draft_load(d, a, DT_F64, 0, S(1, 0)), aa = draft_map(d, OP_MUL, DT_F64, DT_F64, va, va, 0);
	draft_stage(d, true);
	int vx = draft_load(d, x, DT_F64, 0, S(P(1), 1)), vb = draft_load(d, b, DT_F64, 0, S(0, 1));
	int m = draft_map(d, OP_MUL, DT_F64, DT_F64, vx, aa, 0);
	draft_store(d, y, draft_map(d, OP_SUB, DT_F64, DT_F64, m, vb, 0), 0, S(1, P(0)));
	RUN(c, 3, 5);
	RUN(c, 1, 4097);
	RUN(c, 17, 4100);
	RUN(c, 0, 3);
	RUN(c, 3, 0);
}

/* three inner axes, the middle one broken; y = x + index */
static void map_axes(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "map of three inner axes", RECIPE_ROWS, 4, 1, 0);
	for (int i = 0; i < 4; i++) draft_extent_param(d, i, i);
	int x = draft_buffer(d, DT_I32, false), y = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_I32, 3, S(0, 1, 0, 7)), k = draft_index(d, 5, S(1000, 100, 10, 1));
	int wide = draft_map(d, OP_CAST, DT_I64, DT_I32, v, 0, 0),
	    s = draft_map(d, OP_ADD, DT_I64, DT_I64, wide, k, 0);
	int f = draft_map(d, OP_CAST, DT_F32, DT_I64, s, 0, 0);
	draft_store(d, y, f, 0, S(P(4), P(5), P(3), 1));
	RUN(c, 2, 3, 4, 5, 60, 20);
	RUN(c, 1, 1, 1, 1, 1, 1);
	RUN(c, 2, 30, 17, 11, 5610, 187);
	RUN(c, 2, 3, 0, 5, 0, 0);
}

/* bools and small integers: y = where(x < c, x*x, 7) with x i8, and of u8 */
static void map_small(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "bools and small integers", RECIPE_ROWS, 1, 0, 0);
	draft_extent_param(d, 0, 0);
	int x = draft_buffer(d, DT_I8, false), u = draft_buffer(d, DT_U8, false),
	    m = draft_buffer(d, DT_BOOL, false);
	int y = draft_buffer(d, DT_I8, true), z = draft_buffer(d, DT_BOOL, true);
	draft_stage(d, true);
	int vx = draft_load(d, x, DT_I8, 0, S(1)), vu = draft_load(d, u, DT_U8, 0, S(-1));
	d->k.at[d->k.code[vu].at].offset = INT_LITERAL(20000);
	int vm = draft_load(d, m, DT_BOOL, 0, S(1)), k = draft_const(d, DT_U8, 200),
	    seven = draft_const(d, DT_I8, 0xf9);
	int lt = draft_map(d, OP_LT, DT_BOOL, DT_U8, vu, k, 0),
	    both = draft_map(d, OP_AND, DT_BOOL, DT_BOOL, lt, vm, 0);
	int sq = draft_map(d, OP_MUL, DT_I8, DT_I8, vx, vx, 0);
	draft_store(d, z, both, 0, S(1));
	draft_store(d, y, draft_map(d, OP_WHERE, DT_I8, DT_I8, both, sq, seven), 0, S(1));
	RUN(c, 1);
	RUN(c, 10000);
}

/* ---- folds ----------------------------------------------------------------------------------- */

/* y[i] = op over j of x[i, j] */
static void fold_rows(Case *c, Op op, Dtype to, Dtype from, const char *name)
{
	Draft *d = &c->d;
	draft_open(d, name, RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, from, false), y = draft_buffer(d, to, true);
	draft_stage(d, true);
	int f = draft_fold(d, op, to, from, draft_load(d, x, from, 0, S(P(1), 1)));
	draft_stage(d, false);
	draft_store(d, y, f, 0, S(1, 0));
	RUN(c, 3, 0);
	RUN(c, 5, 1);
	RUN(c, 7, 63);
	RUN(c, 2, 4096);
	RUN(c, 3, 4097);
	RUN(c, 1, 4096 * 5 + 100);
	RUN(c, 1, 4096 * 15);
	RUN(c, 77, 3); /* short rows, many at once */
	RUN(c, 40, 24);
	RUN(c, 33, 1);
	RUN(c, 16, 25);
	if (op == OP_ARGMAX || op == OP_ARGMIN)
		memmove(c->param, c->param + 1, sizeof c->param - sizeof c->param[0]), c->nrun--;
}

static void sum_f32(Case *c)
{
	fold_rows(c, OP_SUM, DT_F32, DT_F32, "sum f32");
}
static void sum_f64(Case *c)
{
	fold_rows(c, OP_SUM, DT_F64, DT_F64, "sum f64");
}
static void prod_f64(Case *c)
{
	fold_rows(c, OP_PROD, DT_F64, DT_F64, "prod f64");
}
static void sum_bool(Case *c)
{
	fold_rows(c, OP_SUM, DT_I64, DT_BOOL, "sum of bools");
}
static void sum_f16(Case *c)
{
	fold_rows(c, OP_SUM, DT_F16, DT_F16, "sum f16");
}
static void max_f32(Case *c)
{
	fold_rows(c, OP_MAX, DT_F32, DT_F32, "max f32");
}
static void min_bf16(Case *c)
{
	fold_rows(c, OP_MIN, DT_BF16, DT_BF16, "min bf16");
}
static void max_i8(Case *c)
{
	fold_rows(c, OP_MAX, DT_I8, DT_I8, "max i8");
}
static void min_u32(Case *c)
{
	fold_rows(c, OP_MIN, DT_U32, DT_U32, "min u32");
}
static void any_bool(Case *c)
{
	fold_rows(c, OP_ANY, DT_BOOL, DT_BOOL, "any");
}
static void all_bool(Case *c)
{
	fold_rows(c, OP_ALL, DT_BOOL, DT_BOOL, "all");
}
static void argmax_f32(Case *c)
{
	fold_rows(c, OP_ARGMAX, DT_I64, DT_F32, "argmax f32");
}
static void argmin_i32(Case *c)
{
	fold_rows(c, OP_ARGMIN, DT_I64, DT_I32, "argmin i32");
}

/* the sum of a whole array: a single row, shared by blocks; then sqrt(sum/n) */
static void sum_all(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "norm of all", RECIPE_ROWS, 1, 0, 0);
	draft_extent_param(d, 0, 0);
	int x = draft_buffer(d, DT_F32, false), y = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_F32, 0, S(1)),
	    s = draft_fold(d, OP_SUM, DT_F32, DT_F32, draft_map(d, OP_MUL, DT_F32, DT_F32, v, v, 0));
	draft_stage(d, false);
	int n = draft_map(d, OP_CAST, DT_F32, DT_I64, draft_param(d, 0), 0, 0);
	draft_store(d, y,
		draft_map(d, OP_SQRT, DT_F32, DT_F32, draft_map(d, OP_DIV, DT_F32, DT_F32, s, n, 0), 0, 0), 0,
		S(0));
	RUN(c, 1);
	RUN(c, 4096);
	RUN(c, 4096 * 7 + 1);
	RUN(c, 100000);
}

/* a sum of -0 alone is -0, an empty one +0 */
static void sum_zeros(Case *c)
{
	fold_rows(c, OP_SUM, DT_F32, DT_F32, "sum of -0");
	c->zeros = true;
}

/* to 16 bits, rounded once */
static void casts(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "casts to 16 bits", RECIPE_ROWS, 1, 0, 0);
	draft_extent_param(d, 0, 0);
	int x = draft_buffer(d, DT_F64, false), k = draft_buffer(d, DT_I32, false),
	    u = draft_buffer(d, DT_U8, false);
	int y = draft_buffer(d, DT_F16, true), z = draft_buffer(d, DT_BF16, true),
	    w = draft_buffer(d, DT_BF16, true);
	draft_stage(d, true);
	int vx = draft_load(d, x, DT_F64, 0, S(1)), vk = draft_load(d, k, DT_I32, 0, S(1)),
	    vu = draft_load(d, u, DT_U8, 0, S(1));
	draft_store(d, y, draft_map(d, OP_CAST, DT_F16, DT_F64, vx, 0, 0), 0, S(1));
	draft_store(d, z, draft_map(d, OP_CAST, DT_BF16, DT_I32, vk, 0, 0), 0, S(1));
	draft_store(d, w, draft_map(d, OP_CAST, DT_BF16, DT_U8, vu, 0, 0), 0, S(1));
	RUN(c, 130000);
}

/* products and sums of complex numbers: y = x*w + x; their sum and product over rows */
static void complex_numbers(Case *c, Dtype t, const char *name)
{
	Draft *d = &c->d;
	draft_open(d, name, RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, t, false), w = draft_buffer(d, t, false);
	int y = draft_buffer(d, t, true), s = draft_buffer(d, t, true), p = draft_buffer(d, t, true);
	draft_stage(d, true);
	int vx = draft_load(d, x, t, 0, S(P(1), 1)), vw = draft_load(d, w, t, 0, S(0, 1));
	int m = draft_map(d, OP_MUL, t, t, vx, vw, 0);
	draft_store(d, y, draft_map(d, OP_ADD, t, t, m, vx, 0), 0, S(P(1), 1));
	int sum = draft_fold(d, OP_SUM, t, t, m), prod = draft_fold(d, OP_PROD, t, t, vx);
	draft_stage(d, false);
	draft_store(d, s, sum, 0, S(1, 0));
	draft_store(d, p, prod, 0, S(1, 0));
	RUN(c, 3, 0);
	RUN(c, 5, 7);
	RUN(c, 2, 5000);
}

static void complex_c64(Case *c)
{
	complex_numbers(c, DT_C64, "complex c64");
}
static void complex_c128(Case *c)
{
	complex_numbers(c, DT_C128, "complex c128");
}

/* several folds of one stage with different lanes: sum f32, sum f64 of the square, argmax, any; of rows or of all */
static void fold_mixed(Case *c, int nrow)
{
	Draft *d = &c->d;
	draft_open(d, nrow ? "folds with different lanes" : "folds of all with different lanes", RECIPE_ROWS,
		nrow + 1, nrow, 0);
	draft_extent_param(d, 0, 1 - nrow);
	draft_extent_param(d, nrow, 1);
	int x = draft_buffer(d, DT_F32, false), y = draft_buffer(d, DT_F32, true),
	    z = draft_buffer(d, DT_F64, true);
	int k = draft_buffer(d, DT_I64, true), b = draft_buffer(d, DT_BOOL, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_F32, 0, nrow ? S(P(1), 1) : S(1)),
	    w = draft_map(d, OP_CAST, DT_F64, DT_F32, v, 0, 0);
	int s = draft_fold(d, OP_SUM, DT_F32, DT_F32, v),
	    q = draft_fold(d, OP_SUM, DT_F64, DT_F64, draft_map(d, OP_MUL, DT_F64, DT_F64, w, w, 0));
	int a = draft_fold(d, OP_ARGMAX, DT_I64, DT_F32, v);
	int lt = draft_map(d, OP_LT, DT_BOOL, DT_F32, v, draft_f32(d, -2.9f), 0),
	    any = draft_fold(d, OP_ANY, DT_BOOL, DT_BOOL, lt);
	draft_stage(d, false);
	draft_store(d, y, s, 0, S(1, 0));
	draft_store(d, z, q, 0, S(1, 0));
	draft_store(d, k, a, 0, S(1, 0));
	draft_store(d, b, any, 0, S(1, 0));
	RUN(c, 4, 7);
	RUN(c, 3, 5000);
	RUN(c, 1, 30000);
}

static void fold_mixed_rows(Case *c)
{
	fold_mixed(c, 1);
}
static void fold_mixed_all(Case *c)
{
	fold_mixed(c, 0);
}

/* sum over two inner axes that do not collapse, times a broadcast: y[i] = sum over j, k of x[j, i, k]*a[k] */
static void fold_axes(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "fold of two inner axes", RECIPE_ROWS, 3, 1, 0);
	for (int i = 0; i < 3; i++) draft_extent_param(d, i, i);
	int x = draft_buffer(d, DT_F32, false), a = draft_buffer(d, DT_F32, false),
	    y = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_F32, 0, S(P(2), P(3), 1)), w = draft_load(d, a, DT_F32, 0, S(0, 0, 1));
	int s = draft_fold(d, OP_SUM, DT_F32, DT_F32, draft_map(d, OP_MUL, DT_F32, DT_F32, v, w, 0));
	draft_stage(d, false);
	draft_store(d, y, s, 0, S(1, 0, 0));
	RUN(c, 3, 4, 5, 15);
	RUN(c, 2, 90, 100, 200);
	RUN(c, 1, 4096, 2, 2);
	RUN(c, 5, 3, 4500, 22500);
}

/* softmax: max | exp(x - max), its sum | e/sum, with exp kept for the row */
static void softmax(Case *c, Dtype t, const char *name)
{
	Draft *d = &c->d;
	draft_open(d, name, RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, t, false), y = draft_buffer(d, t, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 0, S(P(1), 1)), m = draft_fold(d, OP_MAX, t, t, v);
	draft_stage(d, true);
	int e = draft_map(d, OP_EXP, t, t, draft_map(d, OP_SUB, t, t, v, m, 0), 0, 0),
	    s = draft_fold(d, OP_SUM, t, t, e);
	draft_stage(d, true);
	draft_store(d, y, draft_map(d, OP_DIV, t, t, e, s, 0), 0, S(P(1), 1));
	RUN(c, 4, 10);
	RUN(c, 3, 1000);
	RUN(c, 2, 9000);
	RUN(c, 3, 0);
	RUN(c, 0, 4);
	RUN(c, 70, 3);
	RUN(c, 35, 17);
	RUN(c, 16, 24);
	RUN(c, 200, 0);
}

static void softmax_f32(Case *c)
{
	softmax(c, DT_F32, "softmax f32");
}
static void softmax_f16(Case *c)
{
	softmax(c, DT_F16, "softmax f16");
}

/* a layer norm's kin: row stages between inner ones, a store into a loaded buffer's neighbour */
static void norm_rows(Case *c)
{
	Draft *d = &c->d;
	Dtype t = DT_F64;
	draft_open(d, "mean and deviation of rows", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, t, false), g = draft_buffer(d, t, false), y = draft_buffer(d, t, true),
	    z = draft_buffer(d, t, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 0, S(P(1), 1)), s = draft_fold(d, OP_SUM, t, t, v);
	draft_stage(d, false);
	int n = draft_map(d, OP_CAST, t, DT_I64, draft_param(d, 1), 0, 0),
	    mean = draft_map(d, OP_DIV, t, t, s, n, 0);
	draft_stage(d, true);
	int u = draft_map(d, OP_SUB, t, t, v, mean, 0),
	    q = draft_fold(d, OP_SUM, t, t, draft_map(d, OP_MUL, t, t, u, u, 0));
	draft_stage(d, false);
	int sd = draft_map(d, OP_SQRT, t, t, draft_map(d, OP_DIV, t, t, q, n, 0), 0, 0);
	draft_store(d, z, sd, 0, S(1, 0));
	draft_stage(d, true);
	int w = draft_load(d, g, t, 0, S(0, 1)), r = draft_map(d, OP_DIV, t, t, u, sd, 0);
	draft_store(d, y, draft_map(d, OP_MUL, t, t, r, w, 0), 0, S(P(1), 1));
	RUN(c, 4, 10);
	RUN(c, 3, 1000);
	RUN(c, 2, 9000);
	RUN(c, 1, 1);
	RUN(c, 50, 5);
	RUN(c, 100, 2);
}

/* short rows of two axes: max of where(m, sin(x)*a, index) over the last; then x times it and the row's number */
static void short_rows(Case *c)
{
	Draft *d = &c->d;
	Dtype t = DT_F64;
	draft_open(d, "short rows of two axes", RECIPE_ROWS, 3, 2, 0);
	for (int i = 0; i < 3; i++) draft_extent_param(d, i, i);
	int x = draft_buffer(d, t, false), a = draft_buffer(d, t, false), m = draft_buffer(d, DT_BOOL, false),
	    y = draft_buffer(d, t, true), z = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 0, S(P(3), P(2), 1)),
	    k = draft_map(d, OP_CAST, t, DT_I64, draft_index(d, 2, S(100, 10, 1)), 0, 0);
	int s = draft_map(d, OP_MUL, t, t, draft_map(d, OP_SIN, t, t, v, 0, 0),
		    draft_load(d, a, t, 0, S(1, 0, 0)), 0),
	    w = draft_map(d, OP_WHERE, t, t, draft_load(d, m, DT_BOOL, 0, S(P(3), P(2), 1)), s, k);
	int f = draft_fold(d, OP_MAX, t, t, w);
	draft_stage(d, false);
	int n = draft_map(d, OP_CAST, t, DT_I64, draft_index(d, 0, S(P(1), 1, 0)), 0, 0),
	    r = draft_map(d, OP_ADD, t, t, f, n, 0);
	draft_store(d, z, draft_map(d, OP_CAST, DT_F32, t, r, 0, 0), 0, S(P(1), 1, 0));
	draft_stage(d, true);
	draft_store(d, y, draft_map(d, OP_MUL, t, t, r, w, 0), 0, S(P(3), 1, P(1)));
	RUN(c, 3, 40, 5, 200);
	RUN(c, 5, 16, 24, 384);
	RUN(c, 7, 33, 1, 33);
	RUN(c, 2, 15, 3, 45);
	RUN(c, 2, 70, 32, 2240);
}

/* no axes at all */
static void scalars(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "scalars", RECIPE_ROWS, 0, 0, 0);
	int x = draft_buffer(d, DT_F64, false), y = draft_buffer(d, DT_F64, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_F64, 2, NULL);
	int s = draft_map(d, OP_SIN, DT_F64, DT_F64, v, 0, 0);
	draft_store(
		d, y, draft_map(d, OP_MUL, DT_F64, DT_F64, s, draft_f64(d, -__builtin_inf()), 0), 1, NULL);
	RUN(c, 0);
}

void (*const case_make[])(Case *) = {
	map_exp_f32,
	map_exp_f64,
	map_exp_f16,
	map_exp_bf16,
	map_broadcast,
	map_axes,
	map_small,
	scalars,
	sum_f32,
	sum_f64,
	prod_f64,
	sum_bool,
	sum_f16,
	max_f32,
	min_bf16,
	max_i8,
	min_u32,
	any_bool,
	all_bool,
	argmax_f32,
	argmin_i32,
	sum_all,
	fold_mixed_rows,
	fold_axes,
	softmax_f32,
	softmax_f16,
	norm_rows,
	short_rows,
	chain_sum_f32,
	chain_sum_bf16,
	chain_sum_i32,
	chain_max_f64,
	chain_argmax,
	chain_axes,
	gather_in,
	gather_out,
	gather_fold,
	random_draws,
	long_rows_f16,
	long_rows_f64,
	fold_mixed_all,
	chain_columns,
	sum_zeros,
	casts,
	complex_c64,
	complex_c128,
};
const uint32_t ncase = countof(case_make);
