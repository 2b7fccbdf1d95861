/* cases_chain.c - kernels by hand: folds along outer axes, computed indices, random numbers. */
#include "cases.h"

/* ---- chains ------------------------------------------------------------------------------------- */

/* y[i, k] = op over j of x[i, j, k], then doubled */
static void chain(Case *c, Op op, Dtype to, Dtype from, const char *name)
{
	Draft *d = &c->d;
	draft_open(d, name, RECIPE_CHAIN, 3, 1, 2);
	for (int i = 0; i < 3; i++) draft_extent_param(d, i, i);
	int x = draft_buffer(d, from, false), y = draft_buffer(d, to, true);
	draft_stage(d, true);
	int f = draft_fold(d, op, to, from, draft_load(d, x, from, 0, S(P(3), P(2), 1)));
	draft_stage(d, true);
	draft_store(d, y, draft_map(d, OP_ADD, to, to, f, f, 0), 0, S(P(2), 0, 1));
	RUN(c, 2, 3, 5, 15);
	RUN(c, 2, 20, 1000, 20000);
	RUN(c, 1, 4097, 3, 0);
	RUN(c, 1, 4096 * 5 + 7, 2, 0);
	RUN(c, 1, 4096 * 11, 1, 0);
	if (op != OP_ARGMAX) RUN(c, 2, 0, 7, 0);
}

void chain_sum_f32(Case *c)
{
	chain(c, OP_SUM, DT_F32, DT_F32, "chain sum f32");
}
void chain_sum_bf16(Case *c)
{
	chain(c, OP_SUM, DT_BF16, DT_BF16, "chain sum bf16");
}
void chain_sum_i32(Case *c)
{
	chain(c, OP_SUM, DT_I64, DT_I32, "chain sum i32");
}
void chain_max_f64(Case *c)
{
	chain(c, OP_MAX, DT_F64, DT_F64, "chain max f64");
}
void chain_argmax(Case *c)
{
	chain(c, OP_ARGMAX, DT_I64, DT_F32, "chain argmax f32");
}

/* sums and last smallest of columns: one row, shared by blocks */
void chain_columns(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "chains of columns", RECIPE_CHAIN, 2, 0, 1);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, DT_F64, false), y = draft_buffer(d, DT_F64, true),
	    z = draft_buffer(d, DT_I64, true);
	draft_stage(d, true);
	int v = draft_load(d, x, DT_F64, 0, S(P(1), 1)), s = draft_fold(d, OP_SUM, DT_F64, DT_F64, v);
	int m = draft_fold(d, OP_ARGMIN, DT_I64, DT_F64, v);
	draft_stage(d, true);
	draft_store(d, y, s, 0, S(0, 1));
	draft_store(d, z, m, 0, S(0, 1));
	RUN(c, 5, 3);
	RUN(c, 100, 1200);
	RUN(c, 4096 * 3 + 5, 7);
	RUN(c, 4096 * 7, 2);
	RUN(c, 4097, 31);
}

/* two folded axes, two inner ones, a broadcast, two folds, and a value of the inner index in stage 1 */
void chain_axes(Case *c)
{
	Draft *d = &c->d;
	Dtype t = DT_F32;
	draft_open(d, "chain of two folded and two inner axes", RECIPE_CHAIN, 4, 0, 2);
	for (int i = 0; i < 4; i++) draft_extent_param(d, i, i);
	int x = draft_buffer(d, t, false), a = draft_buffer(d, t, false), y = draft_buffer(d, t, true),
	    z = draft_buffer(d, t, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 1, S(P(4), P(5), P(6), 1)), w = draft_load(d, a, t, 0, S(0, 0, 1, 0));
	int m = draft_map(d, OP_MUL, t, t, v, w, 0);
	int s = draft_fold(d, OP_SUM, t, t, m), p = draft_fold(d, OP_MAX, t, t, v);
	draft_stage(d, true);
	draft_store(d, y, draft_map(d, OP_SUB, t, t, s, w, 0), 0, S(0, 0, P(3), 1));
	draft_store(d, z, p, 0, S(0, 0, P(3), 1));
	RUN(c, 3, 4, 5, 6, 120, 6, 24);
	RUN(c, 70, 61, 3, 2, 366, 6, 2);
	RUN(c, 3, 3, 40, 50, 6000, 2000, 50);
}

/* ---- computed indices, random numbers --------------------------------------------------------------- */

/* y[i, j] = x[k[i, j]] and z[i, j] = x2[r[i], j] */
static void gather_any(Case *c, bool stray)
{
	Draft *d = &c->d;
	draft_open(d, stray ? "gather with strays" : "gather", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, DT_F32, false), k = draft_buffer(d, DT_I64, false),
	    r = draft_buffer(d, DT_I32, false);
	int y = draft_buffer(d, DT_F32, true), z = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int vk = draft_load(d, k, DT_I64, 0, S(P(1), 1)), vr = draft_load(d, r, DT_I32, 0, S(1, 0));
	int wide = draft_map(d, OP_CAST, DT_I64, DT_I32, vr, 0, 0);
	int vx = draft_load(d, x, DT_F32, 0, S(0, 0));
	draft_dynamic(d, vx, vk, 1, 100);
	int vz = draft_load(d, x, DT_F32, 0, S(0, 1));
	draft_dynamic(d, vz, wide, P(1), 20);
	draft_store(d, y, draft_map(d, OP_NEG, DT_F32, DT_F32, vx, 0, 0), 0, S(P(1), 1));
	draft_store(d, z, vz, 0, S(P(1), 1));
	c->index_extent[k] = 100;
	c->index_extent[r] = 20;
	c->stray = stray;
	RUN(c, 3, 7);
	RUN(c, 20, 1000);
	RUN(c, 2, 6000);
	RUN(c, 0, 3);
	RUN(c, 5, 0);
}

void gather_in(Case *c)
{
	gather_any(c, false);
}
void gather_out(Case *c)
{
	gather_any(c, true);
}

/* a gathered sum: s[i] = sum over j of x[k[j], i]'s kin; the row stage gathers too */
void gather_fold(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "folds of gathers", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, DT_F32, false), k = draft_buffer(d, DT_I64, false),
	    y = draft_buffer(d, DT_F32, true);
	draft_stage(d, true);
	int vk = draft_load(d, k, DT_I64, 0, S(0, 1)), vx = draft_load(d, x, DT_F32, 0, S(1, 0));
	draft_dynamic(d, vx, vk, 30, P(2));
	int s = draft_fold(d, OP_SUM, DT_F32, DT_F32, vx);
	draft_stage(d, false);
	int vr = draft_load(d, k, DT_I64, 0, S(1, 0)), vz = draft_load(d, x, DT_F32, 0, S(0, 0));
	draft_dynamic(d, vz, vr, 1, P(2));
	draft_store(d, y, draft_map(d, OP_ADD, DT_F32, DT_F32, s, vz, 0), 0, S(1, 0));
	c->index_extent[k] = 100;
	c->stray = true;
	RUN(c, 3, 7, 100);
	RUN(c, 20, 5000, 100);
	RUN(c, 3, 7, 90);
}

/* element e of draws under keys k[i], and keys of keys */
void random_draws(Case *c)
{
	Draft *d = &c->d;
	draft_open(d, "random draws", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int key = draft_buffer(d, DT_KEY, false), y = draft_buffer(d, DT_F32, true),
	    z = draft_buffer(d, DT_F64, true), g = draft_buffer(d, DT_F64, true),
	    h = draft_buffer(d, DT_F32, true);
	int out = draft_buffer(d, DT_KEY, true);
	draft_stage(d, true);
	int a = draft_load(d, key, DT_U64, 0, S(2, 0)), b = draft_load(d, key, DT_U64, 1, S(2, 0)),
	    e = draft_index(d, 0, S(0, 1));
	draft_store(d, y, draft_random(d, INS_RANDOM, OP_UNIFORM, DT_F32, a, b, e), 0, S(P(1), 1));
	draft_store(d, z, draft_random(d, INS_RANDOM, OP_NORMAL, DT_F64, a, b, e), 0, S(P(1), 1));
	int shape = draft_random(d, INS_RANDOM, OP_EXPONENTIAL, DT_F64, a, b, e);
	draft_store(d, g, draft_random(d, INS_RANDOM, OP_GAMMA_DRAW, DT_F64, a, b, shape), 0, S(P(1), 1));
	draft_store(d, h, draft_random(d, INS_RANDOM, OP_UNIFORM_OPEN, DT_F32, a, b, e), 0, S(P(1), 1));
	draft_store(d, out, draft_random(d, INS_KEY_A, OP_NONE, DT_U64, a, b, e), 0, S(P(2), 2));
	draft_store(d, out, draft_random(d, INS_KEY_B, OP_NONE, DT_U64, a, b, e), 1, S(P(2), 2));
	RUN(c, 3, 100, 200);
	RUN(c, 2, 5000, 10000);
}

/* Rows long enough to be cut in pieces: values that cross cuts, sines in the middle, one that stands still along the row
 * and is kept, a fold of what several pieces made, and a later stage that reads what was kept. */
static void long_rows(Case *c, Dtype t)
{
	Draft *d = &c->d;
	draft_open(d, t == DT_F16 ? "long rows of f16" : "long rows of f64", RECIPE_ROWS, 2, 1, 0);
	draft_extent_param(d, 0, 0);
	draft_extent_param(d, 1, 1);
	int x = draft_buffer(d, t, false), y = draft_buffer(d, t, true), z = draft_buffer(d, t, true);
	draft_stage(d, true);
	int v = draft_load(d, x, t, 0, S(P(1), 1)), still = draft_load(d, x, t, 0, S(1, 0)), early, late;
	still = draft_map(d, OP_TANH, t, t, still, 0, 0);
	early = v = draft_map(d, OP_TANH, t, t, v, 0, 0);
	for (int i = 0; i < 3; i++) {
		v = draft_map(d, OP_EXP, t, t, v, 0, 0);
		v = draft_map(d, OP_SIN, t, t, v, 0, 0);
		v = draft_map(d, OP_ADD, t, t, v, i ? early : still, 0);
		v = draft_map(d, OP_TANH, t, t, v, 0, 0);
	}
	late = v;
	draft_store(d, y, draft_map(d, OP_MUL, t, t, v, early, 0), 0, S(P(1), 1));
	int s = draft_fold(d, OP_SUM, t, t, late);
	draft_stage(d, true);
	v = draft_map(d, OP_SUB, t, t, late, s, 0);
	draft_store(d, z, draft_map(d, OP_MUL, t, t, v, still, 0), 0, S(P(1), 1));
	RUN(c, 3, 7);
	RUN(c, 2, 255);
	RUN(c, 2, 257);
	RUN(c, 2, 9000);
	RUN(c, 4, 0);
}

void long_rows_f16(Case *c)
{
	long_rows(c, DT_F16);
}
void long_rows_f64(Case *c)
{
	long_rows(c, DT_F64);
}
