/* test_eval_fold.c - the defined order of folding against a second, plain writing of it. */
#include "eval_help.h"

#include <math.h>

/* ---- the order, written again ------------------------------------------------- */

static float join(float x, float y)
{
	return x + y;
}

/* Neighbours pairwise, from the bottom up, by recursion on the tree: the size
 * of a left subtree is the largest power of two below n. */
static float pairs(const float *r, int64_t n)
{
	if (n == 1) return r[0];
	int64_t left = 1;
	while (2 * left < n) left *= 2;
	return join(pairs(r, left), pairs(r + left, n - left));
}

static float lanes_f32(const float *x, int64_t n)
{
	float lane[64];
	for (int l = 0; l < 64; l++) {
		lane[l] = -0.0f;
		for (int64_t i = l; i < n; i += 64) lane[l] += x[i];
	}
	for (int l = 0; l < 32; l++) lane[l] += lane[l + 32];
	for (int l = 0; l < 16; l++) lane[l] += lane[l + 16];
	for (int l = 0; l < 8; l++) lane[l] += lane[l + 8];
	for (int l = 0; l < 4; l++) lane[l] += lane[l + 4];
	lane[0] += lane[2], lane[1] += lane[3];
	return lane[0] + lane[1];
}

static float sum_f32(const float *x, int64_t n, bool lanes)
{
	float block[64];
	int64_t blocks = 0;
	for (int64_t from = 0; from < n; from += 4096) {
		int64_t m = n - from < 4096 ? n - from : 4096;
		float acc = -0.0f;
		for (int64_t i = 0; i < m; i++) acc += x[from + i];
		block[blocks++] = lanes ? lanes_f32(x + from, m) : acc;
	}
	return blocks ? pairs(block, blocks) : 0;
}

static float *random_floats(int64_t n, uint64_t seed)
{
	float *x = malloc((size_t)n * sizeof *x);
	for (int64_t i = 0; i < n; i++)
		x[i] = (float)random_between(&seed, -1, 1) * ldexpf(1, (int)(next_random(&seed) % 20) - 10);
	return x;
}

/* ---- sums ------------------------------------------------------------------------ */

static void sums_of_many(void **state)
{
	(void)state;
	static const int64_t size[] = {
		0, 1, 2, 63, 64, 65, 1000, 4095, 4096, 4097, 8192, 10000, 20481, 29000, 100000};
	for (size_t k = 0; k < countof(size); k++) {
		int64_t n = size[k];
		Case c;
		open_case(&c);
		float *x = random_floats(n + 1, 17 + k);
		Node *v = vector(&c, DT_F32, n, x), *column = given(&c, DT_F32, 2, DIMS(n, 1), x);
		Node *all[] = {fold_all(c.g, OP_SUM, v), fold(c.g, OP_SUM, column, 1, DIMS(0))};
		Value *out = try_all(&c, 2, all, false);
		assert_non_null(out);
		EXPECT(&out[0], float, sum_f32(x, n, true));
		EXPECT(&out[1], float, sum_f32(x, n, false));
		free(x);
		close_case(&c);
	}
}

static void order_matters(void **state)
{
	(void)state;
	float *x = random_floats(10000, 3);
	assert_true(sum_f32(x, 10000, true) != sum_f32(x, 10000, false));
	free(x);
}

static void several_axes_are_one_index(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	float *x = random_floats(5 * 70 * 101, 5), line[5 * 101];
	Node *v = given(&c, DT_F32, 3, DIMS(5, 70, 101), x);
	Value *out = value_of(&c, fold(c.g, OP_SUM, v, 2, DIMS(0, 2)));
	for (int j = 0; j < 70; j++) {
		for (int i = 0; i < 5; i++)
			for (int k = 0; k < 101; k++) line[i * 101 + k] = x[(i * 70 + j) * 101 + k];
		assert_true(((float *)out->data)[j] == sum_f32(line, countof(line), true));
	}
	free(x);
	close_case(&c);
}

static void signs_of_zero(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *zeros = vector(&c, DT_F32, 2, (float[]){-0.0f, -0.0f});
	Node *none = vector(&c, DT_F64, 0, "");
	Node *all[] = {fold_all(c.g, OP_SUM, zeros), fold_all(c.g, OP_SUM, none),
		fold_all(c.g, OP_PROD, none), fold_all(c.g, OP_MAX, none), fold_all(c.g, OP_MIN, none),
		fold_all(c.g, OP_LOGSUMEXP, none)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, -0.0f);
	EXPECT(&out[1], double, 0.0);
	EXPECT(&out[2], double, 1.0);
	EXPECT(&out[3], double, -HUGE_VAL);
	EXPECT(&out[4], double, HUGE_VAL);
	EXPECT(&out[5], double, -HUGE_VAL);
	close_case(&c);
}

static void sums_of_integers(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	int8_t small[300];
	for (int i = 0; i < 300; i++) small[i] = 127;
	Node *x = vector(&c, DT_I8, 300, small), *none = vector(&c, DT_I8, 0, "");
	Node *b = vector(&c, DT_BOOL, 4, (uint8_t[]){1, 0, 1, 1}),
	     *u = vector(&c, DT_U8, 2, (uint8_t[]){255, 255});
	Node *big = vector(&c, DT_I64, 2, (int64_t[]){INT64_MAX, 1});
	Node *all[] = {fold_all(c.g, OP_SUM, x), fold_all(c.g, OP_SUM, b), fold_all(c.g, OP_SUM, u),
		fold_all(c.g, OP_SUM, big), fold_all(c.g, OP_MAX, none), fold_all(c.g, OP_MIN, none),
		fold_all(c.g, OP_ANY, b), fold_all(c.g, OP_ALL, b), fold_all(c.g, OP_PROD, u)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], int64_t, 38100);
	EXPECT(&out[1], int64_t, 3);
	EXPECT(&out[2], uint64_t, 510);
	EXPECT(&out[3], int64_t, INT64_MIN);
	EXPECT(&out[4], int8_t, -128);
	EXPECT(&out[5], int8_t, 127);
	EXPECT(&out[6], uint8_t, 1);
	EXPECT(&out[7], uint8_t, 0);
	EXPECT(&out[8], uint64_t, 65025);
	close_case(&c);
}

/* 1 + 2^-11 + ... in f16: kept in f32, rounded once */
static void halves_accumulate_in_f32(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	uint16_t x[] = {0x6800, 0x3c00, 0x3c00}; /* 2048, 1, 1: each step in f16 would stay at 2048 */
	uint16_t y[] = {0x4380, 0x3f80, 0x3f80}; /* bf16: 256, 1, 1 */
	Node *h = vector(&c, DT_F16, 3, x), *b = vector(&c, DT_BF16, 3, y);
	Node *ones = vector(&c, DT_BF16, 3, (uint16_t[]){0x3f80, 0x3f80, 0x3f80});
	Node *at = vector(&c, DT_I64, 2, (int64_t[]){0, 0}), *two = vector(&c, DT_BF16, 2, y + 1);
	Node *all[] = {fold_all(c.g, OP_SUM, h), fold_all(c.g, OP_SUM, b), matmul(c.g, b, ones),
		scatter(c.g, OP_SCATTER_ADD, b, at, two, 0)};
	Value *out = try_all(&c, 4, all, false);
	EXPECT(&out[0], uint16_t, 0x6801);
	EXPECT(&out[1], uint16_t, 0x4381);
	EXPECT(&out[2], uint16_t, 0x4381);
	EXPECT(&out[3], uint16_t, 0x4380, 0x3f80, 0x3f80); /* a scatter rounds each addition */
	close_case(&c);
}

/* ---- other folds --------------------------------------------------------------------- */

static void largest_and_where(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = given(&c, DT_F32, 2, DIMS(2, 3), (float[]){1, 3, 3, -0.0f, 0, -5});
	Node *n = vector(&c, DT_F32, 4, (float[]){1, -NAN, 7, NAN});
	Node *all[] = {fold(c.g, OP_MAX, x, 1, DIMS(1)), fold(c.g, OP_ARGMAX, x, 1, DIMS(1)),
		fold(c.g, OP_ARGMIN, x, 1, DIMS(0)), fold_all(c.g, OP_ARGMAX, x), fold_all(c.g, OP_ARGMIN, x),
		fold_all(c.g, OP_ARGMIN, n), fold_all(c.g, OP_MIN, n)};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], float, 3, 0);
	EXPECT(&out[1], int64_t, 1, 0);
	EXPECT(&out[2], int64_t, 1, 1, 1);
	EXPECT(&out[3], int64_t, 1);
	EXPECT(&out[4], int64_t, 5);
	EXPECT(&out[5], int64_t, 1);
	EXPECT(&out[6], uint32_t, 0x7fc00000);
	close_case(&c);
}

static void log_of_sums(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *x = given(
		&c, DT_F64, 2, DIMS(4, 2), (double[]){1000, 1000, -HUGE_VAL, -HUGE_VAL, 0, HUGE_VAL, 1, NAN});
	Value *out = value_of(&c, fold(c.g, OP_LOGSUMEXP, x, 1, DIMS(1)));
	const double *r = out->data;
	assert_true(fabs(r[0] - 1000.6931471805599453) < 1e-12);
	assert_true(r[1] == -HUGE_VAL && r[2] == HUGE_VAL && r[3] != r[3]);
	close_case(&c);
}

static void cumulative(void **state)
{
	(void)state;
	enum { N = 9000 };
	Case c;
	open_case(&c);
	float *x = random_floats(N, 9), *want = malloc(N * sizeof *want), total[3] = {0};
	for (int i = 0; i < N; i++) {
		float chain = x[i / 4096 * 4096], carry = i >= 8192 ? total[0] + total[1] : total[0];
		for (int k = i / 4096 * 4096 + 1; k <= i; k++) chain += x[k];
		want[i] = i < 4096 ? chain : carry + chain;
		if (i % 4096 == 4095) total[i / 4096] = chain;
	}
	Node *v = vector(&c, DT_F32, N, x), *m = given(&c, DT_I32, 2, DIMS(2, 2), (int32_t[]){1, 2, 3, 4});
	Node *z = vector(&c, DT_F64, 2, (double[]){-0.0, -0.0});
	Node *all[] = {node_make(c.g, OP_CUMSUM, attr_ints(c.g, 1, DIMS(0)), 1, &v),
		node_make(c.g, OP_CUMSUM, attr_ints(c.g, 1, DIMS(0)), 1, &m),
		node_make(c.g, OP_CUMSUM, attr_ints(c.g, 1, DIMS(1)), 1, &m),
		node_make(c.g, OP_CUMSUM, attr_ints(c.g, 1, DIMS(0)), 1, &z)};
	Value *out = try_all(&c, 4, all, false);
	same_bytes(&out[0], want, N * sizeof *want);
	EXPECT(&out[1], int64_t, 1, 2, 4, 6);
	EXPECT(&out[2], int64_t, 1, 3, 3, 7);
	EXPECT(&out[3], double, -0.0, -0.0);
	free(x), free(want);
	close_case(&c);
}

/* ---- contraction ----------------------------------------------------------------------- */

static float dot_f32(const float *x, const float *y, int64_t n, int64_t ys, bool lanes)
{
	float block[8];
	int64_t blocks = 0;
	for (int64_t from = 0; from < n; from += 4096) {
		int64_t m = n - from < 4096 ? n - from : 4096, w = lanes ? 64 : 1;
		float lane[64];
		for (int64_t l = 0; l < w; l++) {
			lane[l] = -0.0f;
			for (int64_t i = l; i < m; i += w)
				lane[l] = fmaf(x[from + i], y[(from + i) * ys], lane[l]);
		}
		for (int64_t h = w / 2; h; h /= 2)
			for (int64_t l = 0; l < h; l++) lane[l] += lane[l + h];
		block[blocks++] = lane[0];
	}
	return pairs(block, blocks);
}

/* x @ y with labels x[i, k], y[k, j]: a chain.  Where x or y has no axis of its own (dot, matrix by vector, vector by
 * matrix, however it is stored): lanes. */
static void contractions(void **state)
{
	(void)state;
	enum { K = 5000 };
	Case c;
	open_case(&c);
	float *x = random_floats(3 * K, 21), *y = random_floats(2 * K, 22), want[6];
	Node *a = given(&c, DT_F32, 2, DIMS(3, K), x), *b = given(&c, DT_F32, 2, DIMS(K, 2), y);
	Node *v = vector(&c, DT_F32, K, y), *turned = turn(c.g, a);
	Node *all[] = {matmul(c.g, a, b), matmul(c.g, v, v), matmul(c.g, a, v), matmul(c.g, v, b),
		matmul(c.g, v, turned)};
	Value *out = try_all(&c, countof(all), all, false);
	for (int i = 0; i < 6; i++) want[i] = dot_f32(x + i / 2 * K, y + i % 2, K, 2, false);
	same_bytes(&out[0], want, sizeof want);
	EXPECT(&out[1], float, dot_f32(y, y, K, 1, true));
	for (int i = 0; i < 3; i++) want[i] = dot_f32(x + i * K, y, K, 1, true);
	same_bytes(&out[2], want, 3 * sizeof *want);
	same_bytes(&out[4], want, 3 * sizeof *want);
	EXPECT(&out[3], float, dot_f32(y, y, K, 2, true), dot_f32(y, y + 1, K, 2, true));
	free(x), free(y);
	close_case(&c);
}

static void small_contractions(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Node *a = given(&c, DT_I32, 2, DIMS(2, 2), (int32_t[]){1, 2, 3, 4});
	Node *z = given(&c, DT_C128, 1, DIMS(2), (double[]){1, 2, 3, -1});
	Node *e = given(&c, DT_F64, 2, DIMS(2, 0), "");
	Node *all[] = {contract(c.g, (Labelled){a, DIMS(0, 1)}, (Labelled){a, DIMS(1, 2)}, 2, DIMS(2, 0)), /* (a @ a).T */
		contract(c.g, (Labelled){a, DIMS(0, 1)}, (Labelled){a, DIMS(0, 1)}, 1, DIMS(1)),           /* columns' squares */
		contract(c.g, (Labelled){z, DIMS(0)}, (Labelled){z, DIMS(0)}, 0, NULL),
		contract(c.g, (Labelled){e, DIMS(0, 1)}, (Labelled){e, DIMS(2, 1)}, 2, DIMS(0, 2))};
	Value *out = try_all(&c, countof(all), all, false);
	EXPECT(&out[0], int32_t, 7, 15, 10, 22);
	EXPECT(&out[1], int32_t, 10, 20);
	EXPECT(&out[2], double, -3 + 8, 4 - 6);
	EXPECT(&out[3], double, 0, 0, 0, 0);
	close_case(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_many),
		cmocka_unit_test(order_matters),
		cmocka_unit_test(several_axes_are_one_index),
		cmocka_unit_test(signs_of_zero),
		cmocka_unit_test(sums_of_integers),
		cmocka_unit_test(halves_accumulate_in_f32),
		cmocka_unit_test(largest_and_where),
		cmocka_unit_test(log_of_sums),
		cmocka_unit_test(cumulative),
		cmocka_unit_test(contractions),
		cmocka_unit_test(small_contractions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
