/* test_eval.c - the reference evaluator on small cases computed by hand, a test per class of operators. */
#include "eval_help.h"

#include <math.h>

/* ---- maps ------------------------------------------------------------------- */

static void integers(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = vector(&c, DT_I8, 4, (int8_t[]){127, -128, -7, 5}),
	     *y = vector(&c, DT_I8, 4, (int8_t[]){1, -1, 2, 0});
	Op ops[] = {
		OP_ADD, OP_SUB, OP_MUL, OP_FLOORDIV, OP_MOD, OP_SHIFT_LEFT, OP_BIT_XOR, OP_MAXIMUM, OP_LT};
	Node *all[countof(ops)];
	for (size_t i = 0; i < countof(ops); i++) all[i] = node_make(c.g, ops[i], NULL, 2, (Node *[]){x, y});
	Value *out = try_all(&c, countof(ops), all, false);
	EXPECT(&out[0], int8_t, -128, 127, -5, 5);
	EXPECT(&out[1], int8_t, 126, -127, -9, 5);
	EXPECT(&out[2], int8_t, 127, -128, -14, 0);
	EXPECT(&out[3], int8_t, 127, -128, -4, 0);
	EXPECT(&out[4], int8_t, 0, 0, 1, 5);
	EXPECT(&out[5], int8_t, -2, 0, -28, 5);
	EXPECT(&out[6], int8_t, 126, 127, -5, 5);
	EXPECT(&out[7], int8_t, 127, -1, 2, 5);
	EXPECT(&out[8], uint8_t, 0, 1, 1, 0);
	close_case(&c);
}

static void floats(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = vector(&c, DT_F32, 3, (float[]){-0.0f, -NAN, 2}),
	     *y = vector(&c, DT_F32, 3, (float[]){0, 1, -1});
	Node *b = vector(&c, DT_BOOL, 3, (uint8_t[]){0, 0, 1});
	Node *h = vector(&c, DT_F16, 2, (uint16_t[]){0x3c00, 0x7bff}); /* 1, 65504 */
	Node *all[] = {build2(c.g, OP_MAXIMUM, x, y), build2(c.g, OP_ADD, x, y),
		build3(c.g, OP_WHERE, b, x, y), build1(c.g, OP_SIGNBIT, x), build2(c.g, OP_COPYSIGN, y, x),
		build2(c.g, OP_ADD, h, h), build2(c.g, OP_LT, h, h), build1(c.g, OP_NEG, x),
		build1(c.g, OP_SQRT, h)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], uint32_t, 0, 0x7fc00000, 0x40000000);
	EXPECT(&out[1], uint32_t, 0, 0x7fc00000, 0x3f800000);
	EXPECT(&out[2], uint32_t, 0, 0x3f800000, 0x40000000);
	EXPECT(&out[3], uint8_t, 1, 0, 0);
	EXPECT(&out[4], float, -0.0f, 1, 1);
	EXPECT(&out[5], uint16_t, 0x4000, 0x7c00);
	EXPECT(&out[6], uint8_t, 0, 0);
	EXPECT(&out[7], uint32_t, 0, 0x7fc00000, 0xc0000000);
	EXPECT(&out[8], uint16_t, 0x3c00, 0x5bff); /* sqrt(65504) = 255.937 */
	close_case(&c);
}

static void complex_numbers(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = vector(&c, DT_C64, 2, (float[]){3, 4, 0, -1}), *r = vector(&c, DT_F64, 1, (double[]){2});
	Node *all[] = {build2(c.g, OP_MUL, x, x), build1(c.g, OP_ABS, x), build1(c.g, OP_IM, x),
		build1(c.g, OP_CONJ, x), build2(c.g, OP_DIV, x, x), cast(c.g, x, DT_C128),
		build2(c.g, OP_COMPLEX, r, r), fold_all(c.g, OP_SUM, x), fold_all(c.g, OP_PROD, x),
		build2(c.g, OP_EQ, x, x)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, -7, 24, -1, -0.0f);
	EXPECT(&out[1], float, 5, 1);
	EXPECT(&out[2], float, 4, -1);
	EXPECT(&out[3], float, 3, -4, 0, 1);
	EXPECT(&out[4], float, 1, 0, 1, -0.0f);
	EXPECT(&out[5], double, 3, 4, 0, -1);
	EXPECT(&out[6], double, 2, 2);
	EXPECT(&out[7], float, 3, 3);
	EXPECT(&out[8], float, 4, -3);
	EXPECT(&out[9], uint8_t, 1, 1);
	close_case(&c);
}

static void casts(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = vector(&c, DT_F64, 4, (double[]){-1.9, 300, NAN, 1e30});
	Node *i = vector(&c, DT_I64, 2, (int64_t[]){-1, 2049}),
	     *f = vector(&c, DT_F32, 2, (float[]){1, -NAN});
	Node *all[] = {cast(c.g, x, DT_I8), cast(c.g, x, DT_U64), cast(c.g, x, DT_BOOL), cast(c.g, i, DT_U8),
		cast(c.g, i, DT_F16), cast(c.g, i, DT_C64), cast(c.g, f, DT_BF16),
		node_make(c.g, OP_BITCAST, ATTR(&c, av_dtype(DT_I32)), 1, &f)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], int8_t, -1, 127, 0, 127);
	EXPECT(&out[1], uint64_t, 0, 300, 0, UINT64_MAX);
	EXPECT(&out[2], uint8_t, 1, 1, 1, 1);
	EXPECT(&out[3], uint8_t, 0, 255);
	EXPECT(&out[4], uint16_t, 0xbc00, 0x6800);
	EXPECT(&out[5], float, -1, 0, 2049, 0);
	EXPECT(&out[6], uint16_t, 0x3f80, 0x7fc0);
	EXPECT(&out[7], uint32_t, 0x3f800000, 0x7fc00000);
	close_case(&c);
}

/* Every map has a function for every dtype that its rule admits, in both modes. */
static void every_map_of_every_dtype(void **state)
{
	(void)state;
	static const unsigned char zeros[64];
	for (int op = 1; op < OP_COUNT; op++) {
		if (op_info[op].class != MAP || op == OP_BITCAST) continue;
		for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
			for (int quad = 0; quad < 2; quad++) {
				Case c;
				open_case(&c);
				Node *x = vector(&c, d, 1, zeros), *b = vector(&c, DT_BOOL, 1, zeros),
				     *args[] = {x, x, x};
				if (op == OP_WHERE) args[0] = b;
				Node *y = node_make(c.g, (Op)op,
					op == OP_CAST ? ATTR(&c, av_dtype(DT_C64)) : NULL,
					(uint32_t)op_info[op].args, args);
				if (y && !try_all(&c, 1, &y, quad))
					fail_msg("%s of %s: %s", op_info[op].name, dtype_name(d),
						c.g->error.text);
				close_case(&c);
			}
	}
}

/* ---- views --------------------------------------------------------------------- */

static void views(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	const Size *two = size_const(g, 2), *zero = size_const(g, 0), *one = size_const(g, 1),
		   *three = size_const(g, 3);
	Node *x = given(&c, DT_I32, 2, DIMS(2, 3), (int32_t[]){1, 2, 3, 4, 5, 6}),
	     *v = vector(&c, DT_I32, 0, "");
	Node *all[] = {
		reshape(g, x, 2, (const Size *[]){three, two}),
		turn(g, x),
		expand(g, x, 1, DIMS(1), &two),
		slice(g, x, (const Size *[]){zero, two}, (const Size *[]){two, two}, DIMS(1, -2)),
		flip(g, x, 2, DIMS(0, 1)),
		pad(g, x, (const Size *[]){one, zero}, (const Size *[]){zero, one}, DIMS(1, 2)),
		concat(g, 1, 2, (Node *[]){x, x}),
		concat(g, 0, 2, (Node *[]){x, x}),
		pad(g, v, &two, &one, DIMS(2)),
	};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], int32_t, 1, 2, 3, 4, 5, 6);
	assert_int_equal(out[0].dim[0], 3);
	EXPECT(&out[1], int32_t, 1, 4, 2, 5, 3, 6);
	EXPECT(&out[2], int32_t, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6);
	EXPECT(&out[3], int32_t, 3, 1, 6, 4);
	EXPECT(&out[4], int32_t, 6, 5, 4, 3, 2, 1);
	EXPECT(&out[5], int32_t, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0);
	EXPECT(&out[6], int32_t, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6);
	EXPECT(&out[7], int32_t, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
	EXPECT(&out[8], int32_t, 0, 0, 0);
	close_case(&c);
}

static void transposing_three_axes(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	int32_t x[24];
	for (int i = 0; i < 24; i++) x[i] = i;
	Value *out = value_of(&c, transpose(c.g, given(&c, DT_I32, 3, DIMS(2, 3, 4), x), DIMS(2, 0, 1)));
	assert_int_equal(out->dim[0], 4);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 3; j++)
				assert_int_equal(
					((int32_t *)out->data)[(k * 2 + i) * 3 + j], (i * 3 + j) * 4 + k);
	close_case(&c);
}

/* ---- indices -------------------------------------------------------------------- */

static void indices(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	Node *x = given(&c, DT_F32, 2, DIMS(3, 2), (float[]){1, 2, 3, 4, 5, 6});
	Node *i = vector(&c, DT_I32, 3, (int32_t[]){2, 0, 2}), *s = scalar(&c, DT_I64, (int64_t[]){1});
	Node *v = given(&c, DT_F32, 2, DIMS(3, 2), (float[]){10, 20, 30, 40, 50, 60});
	Node *j = vector(&c, DT_I64, 3, (int64_t[]){1, -1, 7});
	Node *all[] = {gather(g, x, i, 0), gather(g, x, s, 1), scatter(g, OP_SCATTER_ADD, x, i, v, 0),
		scatter(g, OP_SCATTER_SET, x, i, v, 0),
		node_make(g, OP_ONE_HOT, ATTR(&c, av_size(size_const(g, 2)), av_dtype(DT_U8)), 1, &j)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, 5, 6, 1, 2, 5, 6);
	EXPECT(&out[1], float, 2, 4, 6);
	EXPECT(&out[2], float, 31, 42, 3, 4, 65, 86);
	EXPECT(&out[3], float, 30, 40, 3, 4, 50, 60);
	EXPECT(&out[4], uint8_t, 0, 1, 0, 0, 0, 0);
	close_case(&c);
}

static void joined_at_indices(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	Node *x = given(&c, DT_F32, 2, DIMS(3, 2), (float[]){1, 2, 3, 4, 5, 6});
	Node *i = vector(&c, DT_I32, 3, (int32_t[]){2, 0, 2});
	Node *v = given(&c, DT_F32, 2, DIMS(3, 2), (float[]){5.5, -1, NAN, 3, 2, 9});
	Node *b = vector(&c, DT_BOOL, 3, (uint8_t[]){1, 1, 0}), *w = vector(&c, DT_BOOL, 3, (uint8_t[]){0, 1, 1});
	Node *all[] = {scatter(g, OP_SCATTER_MAX, x, i, v, 0), scatter(g, OP_SCATTER_MIN, x, i, v, 0),
		scatter(g, OP_SCATTER_MUL, x, i, v, 0), scatter(g, OP_SCATTER_AND, b, i, w, 0),
		scatter(g, OP_SCATTER_OR, b, i, w, 0)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, NAN, 3, 3, 4, 5.5, 9);
	EXPECT(&out[1], float, NAN, 2, 3, 4, 2, -1);
	EXPECT(&out[2], float, NAN, 6, 3, 4, 55, -54);
	EXPECT(&out[3], uint8_t, 1, 1, 0);
	EXPECT(&out[4], uint8_t, 1, 1, 1);
	close_case(&c);
}

static void index_outside(void **state)
{
	(void)state;
	for (int op = 0; op < 2; op++) {
		Case c;
		open_case(&c);
		Node *x = vector(&c, DT_F32, 3, (float[]){1, 2, 3});
		Node *i = vector(&c, DT_I64, 4, (int64_t[]){0, 2, -5, 3}),
		     *v = vector(&c, DT_F32, 4, (float[4]){0});
		Node *y = op ? scatter(c.g, OP_SCATTER_ADD, x, i, v, 0) : gather(c.g, x, i, 0);
		assert_null(try_all(&c, 1, &y, false));
		assert_int_equal(c.g->error.code, ERR_CALL);
		assert_non_null(strstr(c.g->error.text, "index -5 at position 2 is outside of 0 <= i < 3"));
		close_case(&c);
	}
}

static void largest_few(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = given(&c, DT_F32, 2, DIMS(2, 4), (float[]){1, NAN, 3, 3, NAN, -0.0f, 0, -HUGE_VALF});
	Node *t = node_make(c.g, OP_TOP_K, ATTR(&c, av_size(size_const(c.g, 4))), 1, &x);
	Node *all[] = {get(c.g, t, 0), get(c.g, t, 1)};
	Value *out = try_all(&c, 2, all, false);
	EXPECT(&out[0], float, 3, 3, 1, NAN, -0.0f, 0, -HUGE_VALF, NAN);
	EXPECT(&out[1], int64_t, 2, 3, 0, 1, 1, 2, 3, 0);
	close_case(&c);
}

/* ---- decompositions ---------------------------------------------------------------- */

static void orthogonal_triangular(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	enum { M = 7, N = 4 };
	double x[M * N];
	uint64_t seed = 4;
	for (int i = 0; i < M * N; i++) x[i] = random_between(&seed, -2, 2);
	Node *a = given(&c, DT_F64, 2, DIMS(M, N), x), *t = node_make(c.g, OP_QR, NULL, 1, &a);
	Node *z = given(&c, DT_F32, 3, DIMS(1, 2, 2), (float[]){0, 3, 0, 4}),
	     *u = node_make(c.g, OP_QR, NULL, 1, &z);
	Node *q = get(c.g, t, 0), *r = get(c.g, t, 1);
	Node *all[] = {q, r, matmul(c.g, q, r), matmul(c.g, turn(c.g, q), q), get(c.g, u, 0), get(c.g, u, 1)};
	Value *out = try_all(&c, countof(all), all, false);
	const double *back = out[2].data, *unit = out[3].data, *upper = out[1].data;
	for (int i = 0; i < M * N; i++) assert_true(fabs(back[i] - x[i]) < 1e-14);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			assert_true(fabs(unit[i * N + j] - (i == j)) < 1e-14);
			assert_true(i == j ? upper[i * N + j] > 0 : i < j || upper[i * N + j] == 0);
		}
	const float *zq = out[4].data, *zr = out[5].data; /* a zero column: no reflection */
	assert_true(zr[0] == 0 && zr[2] == 0 && zr[3] >= 0);
	assert_true(fabsf(zq[0] * zr[1] + zq[1] * zr[3] - 3) < 1e-5f &&
		fabsf(zq[2] * zr[1] + zq[3] * zr[3] - 4) < 1e-5f);
	close_case(&c);
}

static void triangular(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *a = given(&c, DT_F64, 2, DIMS(2, 2), (double[]){2, 8, 4, 4});
	Node *b = given(&c, DT_F64, 2, DIMS(2, 1), (double[]){8, 20}), *args[] = {a, b}, *all[4];
	for (int k = 0; k < 4; k++)
		all[k] = node_make(c.g, OP_TRI_SOLVE, attr_ints(c.g, 2, DIMS(k / 2, k % 2)), 2, args);
	Value *out = try_all(&c, 4, all, false);
	EXPECT(&out[0], double, 4, 1);   /* [2 0; 4 4] z = b */
	EXPECT(&out[1], double, -6, 5);  /* [2 4; 0 4] z = b */
	EXPECT(&out[2], double, -16, 5); /* [2 8; 0 4] z = b */
	EXPECT(&out[3], double, 4, -3);  /* [2 0; 8 4] z = b */
	close_case(&c);
}

/* ---- random ------------------------------------------------------------------------- */

static void draws(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	const Size *n = size_const(g, 20000);
	Node *s = scalar(&c, DT_I32, (int32_t[]){42}), *k = node_make(g, OP_KEY, NULL, 1, &s);
	Node *i = scalar(&c, DT_I64, (int64_t[]){3}),
	     *sub = node_make(g, OP_KEY_AT, NULL, 2, (Node *[]){k, i});
	Node *all[] = {k, sub, node_make(g, OP_UNIFORM, ATTR(&c, av_dtype(DT_F32), av_size(n)), 1, &k),
		node_make(g, OP_NORMAL, ATTR(&c, av_dtype(DT_F64), av_size(n)), 1, &sub),
		node_make(g, OP_UNIFORM, ATTR(&c, av_dtype(DT_F32), av_size(size_const(g, 2))), 1, &k)};
	Value *out = try_all(&c, countof(all), all, false), *wide = try_all(&c, countof(all), all, true);
	EXPECT(&out[0], uint64_t, 42, 0);
	assert_memory_not_equal(out[0].data, out[1].data, 16);
	double sum = 0, square = 0;
	for (int64_t e = 0; e < 20000; e++) {
		float u = ((float *)out[2].data)[e];
		double z = ((double *)out[3].data)[e];
		assert_true(u >= 0 && u < 1);
		sum += u, square += z * z;
		assert_true(((__float128 *)wide[3].data)[e] == z);
	}
	assert_true(fabs(sum / 20000 - 0.5) < 0.01 && fabs(square / 20000 - 1) < 0.05);
	assert_memory_equal(out[2].data, out[4].data, 8);
	close_case(&c);
}

/* ---- control -------------------------------------------------------------------------- */

/* carried s' = 2 s + x[i] + i*captured, trace s */
static Node *loop(Case *c, Node *steps, Node *first, Node *sequence, Node *captured, bool back)
{
	Graph *g = c->g;
	Node *i = fresh(g, type_scalar(g, DT_I64), "i"), *s = fresh(g, first->type, "s"),
	     *e = fresh(g, first->type, "x");
	Node *next = build2(
		g, OP_ADD, build2(g, OP_ADD, build2(g, OP_ADD, s, s), e), build2(g, OP_MUL, i, captured));
	Closure f;
	assert_true(function_close(g, (Title){"body", .flags = FN_BODY}, (Nodes){3, (Node *[]){i, s, e}},
		(Nodes){2, (Node *[]){next, s}}, &f));
	assert_int_equal(f.ncapture, 1);
	return scan(g, &f, steps, (Nodes){1, &first}, (Nodes){1, &sequence}, back);
}

static void loops(void **state)
{
	(void)state;
	for (int back = 0; back < 2; back++)
		for (int64_t n = 0; n < 4; n += 3) {
			Case c;
			open_case(&c);
			const Size *size = size_named(c.g, "n");
			Node *first = scalar(&c, DT_I64, (int64_t[]){1});
			Node *x = given_sized(&c, DT_I64, 1, &size, &n, (int64_t[]){10, 20, 30});
			Node *captured = scalar(&c, DT_I64, (int64_t[]){100});
			Node *t = loop(&c, size_node(c.g, size), first, x, captured, back);
			Node *all[] = {get(c.g, t, 0), get(c.g, t, 1)};
			Value *out = try_all(&c, 2, all, false);
			if (!out) fail_msg("%s", c.g->error.text);
			if (n == 0) {
				EXPECT(&out[0], int64_t, 1);
				assert_int_equal(out[1].count, 0);
			} else if (back) { /* 1 -> 232 -> 584 -> 1178 */
				EXPECT(&out[0], int64_t, 1178);
				EXPECT(&out[1], int64_t, 584, 232, 1);
			} else { /* 1 -> 12 -> 144 -> 518 */
				EXPECT(&out[0], int64_t, 518);
				EXPECT(&out[1], int64_t, 1, 12, 144);
			}
			close_case(&c);
		}
}

static void calls(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	const Size *n = size_named(g, "n"), *twice = size_add(g, n, n);
	Node *p = fresh(g, type_array(g, DT_F32, 1, &n), "p");
	Node *body[] = {fold_all(g, OP_SUM, p), concat(g, 0, 2, (Node *[]){p, p}), size_node(g, twice)};
	Closure f;
	assert_true(function_close(g, (Title){.name = "f"}, (Nodes){1, &p}, (Nodes){3, body}, &f));
	Node *x = vector(&c, DT_F32, 3, (float[]){1, 2, 4}), *y = vector(&c, DT_F32, 1, (float[]){5});
	Node *a = call(g, f.function, 1, &x), *b = call(g, f.function, 1, &y);
	Node *all[] = {get(g, a, 0), get(g, a, 1), get(g, b, 1), get(g, a, 2), get(g, b, 2)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, 7);
	EXPECT(&out[1], float, 1, 2, 4, 1, 2, 4);
	EXPECT(&out[2], float, 5, 5);
	EXPECT(&out[3], int64_t, 6);
	EXPECT(&out[4], int64_t, 2);
	close_case(&c);
}

/* ---- sizes --------------------------------------------------------------------------- */

static void symbolic_sizes(void **state)
{
	(void)state;
	for (int64_t rows = 2; rows <= 3; rows++) {
		Case c;
		open_case(&c);
		Graph *g = c.g;
		const Size *n = size_named(g, "n"), *m = size_named(g, "m");
		const Size *grown = size_add(g, size_mul(g, size_const(g, 2), n), size_const(g, 1)),
			   *area = size_mul(g, n, m);
		Node *x =
			given_sized(&c, DT_I8, 2, (const Size *[]){grown, area}, DIMS(7, 6), (int8_t[42]){0});
		Node *y = given_sized(&c, DT_I8, 1, &m, &rows, (int8_t[3]){0});
		Node *all[] = {iota(g, n), iota(g, m), fold_all(g, OP_SUM, x), fold_all(g, OP_SUM, y)};
		Value *out = try_all(&c, countof(all), all, false);
		if (rows == 2) {
			assert_non_null(out);
			EXPECT(&out[0], int64_t, 0, 1, 2);
			EXPECT(&out[1], int64_t, 0, 1);
		} else {
			assert_null(out);
			assert_int_equal(g->error.code, ERR_CALL);
			assert_true(strstr(g->error.text, "given 3, wanted 2") ||
				strstr(g->error.text, "given 6, wanted 9"));
		}
		close_case(&c);
	}
}

static void wrong_inputs(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = vector(&c, DT_F32, 3, (float[3]){0});
	c.in[0].dim[0] = c.in[0].count = 2;
	assert_null(try_all(&c, 1, &x, false));
	assert_non_null(strstr(c.g->error.text, "given 2, wanted 3"));
	assert_int_equal(c.g->error.argument, 1);
	close_case(&c);
}

static void sizes_from_data(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *m = vector(&c, DT_BOOL, 5, (uint8_t[]){1, 0, 1, 1, 0}), *count = fold_all(c.g, OP_SUM, m);
	Value *out = value_of(&c, iota(c.g, size_of_node(c.g, count)));
	EXPECT(out, int64_t, 0, 1, 2);
	close_case(&c);
}

static void too_large(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	const Size *huge = size_const(c.g, INT64_MAX / 4);
	Node *x = scalar(&c, DT_F64, (double[]){1}), *y = expand(c.g, x, 1, DIMS(0), &huge);
	assert_null(try_all(&c, 1, &y, false));
	assert_int_equal(c.g->error.code, ERR_CALL);
	close_case(&c);
}

/* ---- constants -------------------------------------------------------------------------- */

static void constants(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	const Size *n = size_named(g, "n"), *three = size_const(g, 3);
	Node *two = constant_float(g, type_array(g, DT_F32, 1, &n), 2);
	Node *data = constant_data(g, type_array(g, DT_I32, 1, &three), (int32_t[]){3, 1, 2});
	Node *i = constant_data(g, type_array(g, DT_I64, 1, &three), (int64_t[]){0, 7, 0});
	double value;
	Node *sum = evaluate_constant(g, node_make(g, OP_ADD, NULL, 2, (Node *[]){two, two}));
	assert_non_null(sum);
	assert_ptr_equal(sum->type, two->type);
	assert_true(constant_value(sum, &value) && value == 4);
	Node *total = evaluate_constant(g, fold_all(g, OP_SUM, data));
	assert_true(total && constant_value(total, &value) && value == 6);
	Node *turned = evaluate_constant(g, flip(g, data, 1, DIMS(0)));
	assert_ptr_equal(turned, constant_data(g, data->type, (int32_t[]){2, 1, 3}));
	assert_null(evaluate_constant(g, fold_all(g, OP_SUM, two)));
	assert_null(evaluate_constant(g, gather(g, data, i, 0))); /* outside: the call's error, not now */
	assert_null(evaluate_constant(g, iota(g, three)));
	assert_null(evaluate_constant(g, NULL));
	Node *weak = evaluate_constant(
		g, node_make(g, OP_MUL, NULL, 2, (Node *[]){weak_float(g, 3), weak_float(g, 4)}));
	assert_true(weak && node_dtype(weak) == DT_WEAK_FLOAT && constant_value(weak, &value) && value == 12);
	assert_int_equal(g->error.code, 0);
	close_case(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(complex_numbers),
		cmocka_unit_test(casts),
		cmocka_unit_test(every_map_of_every_dtype),
		cmocka_unit_test(views),
		cmocka_unit_test(transposing_three_axes),
		cmocka_unit_test(indices), cmocka_unit_test(joined_at_indices),
		cmocka_unit_test(index_outside),
		cmocka_unit_test(largest_few),
		cmocka_unit_test(orthogonal_triangular),
		cmocka_unit_test(triangular),
		cmocka_unit_test(draws),
		cmocka_unit_test(loops),
		cmocka_unit_test(calls),
		cmocka_unit_test(symbolic_sizes),
		cmocka_unit_test(wrong_inputs),
		cmocka_unit_test(sizes_from_data),
		cmocka_unit_test(too_large),
		cmocka_unit_test(constants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
