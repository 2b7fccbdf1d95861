/* test_eval_quad.c - own dtypes against binary128: every map at random arguments, and whole expressions.
 *
 * Tolerances are loose (the tests of src/math measure ulps): a wrong function,
 * table entry or formula on either side is what is looked for here.
 */
#include "eval_help.h"

#include <math.h>

typedef __float128 Quad;

enum { N = 400 };

/* Arguments of real operators where they are not all of [-6, 6]: of the first operand, and of the second. */
static const struct {
	Op op;
	double low, high, low2, high2;
} range[] = {
	{OP_POW, 0, 5, -4, 4},
	{OP_SQRT, 0, 9},
	{OP_LOG, 0, 9},
	{OP_LOG2, 0, 9},
	{OP_LOG10, 0, 9},
	{OP_LOG1P, -1, 9},
	{OP_LOG1MEXP, 0, 9},
	{OP_LOGIT, 0, 1},
	{OP_ASIN, -1, 1},
	{OP_ACOS, -1, 1},
	{OP_ACOSH, 1, 9},
	{OP_ATANH, -1, 1},
	{OP_ERFINV, -1, 1},
	{OP_ERFC, -3, 9},
	{OP_GAMMA, -8, 20},
	{OP_LGAMMA, 3, 90},
	{OP_DIGAMMA, 2, 90},
	{OP_POLYGAMMA, 0, 5, 0.1, 30},
	{OP_RSQRT, 0.01, 9},
	{OP_XLOGY, -6, 6, 0.01, 9},
	{OP_ERFCX, -3, 30},
	{OP_LBETA, 0.1, 60, 0.1, 60},
	{OP_LOG_NDTR, -60, 4},
	{OP_TRIGAMMA, 0.1, 60},
	{OP_I0E, -200, 200},
	{OP_I1E, -200, 200},
};

static void arguments(Op op, uint64_t *seed, double *x, double *y, double *z)
{
	double low = -6, high = 6, low2 = -6, high2 = 6;
	for (size_t k = 0; k < countof(range); k++)
		if (range[k].op == op) {
			low = range[k].low, high = range[k].high;
			low2 = range[k].low2, high2 = range[k].high2;
		}
	for (int i = 0; i < N; i++) {
		x[i] = random_between(seed, low, high);
		y[i] = random_between(seed, low2, high2);
		z[i] = random_between(seed, -1, 1);
		if (op == OP_POLYGAMMA) x[i] = floor(x[i]);
	}
}

/* An array of a dtype from doubles, and the same numbers in binary128. */
typedef struct Both {
	void *own;
	Quad *quad;
} Both;

static Both both(Graph *g, Dtype d, const double *x, int n)
{
	Both b = {arena_alloc(g->arena, (size_t)n * 8), arena_alloc(g->arena, (size_t)n * sizeof(Quad))};
	bool single = d == DT_F32 || d == DT_C64;
	for (int i = 0; i < n; i++) {
		if (single)
			((float *)b.own)[i] = (float)x[i];
		else
			((double *)b.own)[i] = x[i];
		b.quad[i] = single ? (Quad)(float)x[i] : (Quad)x[i];
	}
	return b;
}

static void close_enough(const Value *own, const Value *quad, Dtype d, const char *name)
{
	assert_int_equal(own->count, quad->count);
	bool single = d == DT_F32 || d == DT_C64;
	int64_t n = own->count * (dtype_is_complex(d) ? 2 : 1);
	for (int64_t i = 0; i < n; i++) {
		double x = single ? ((float *)own->data)[i] : ((double *)own->data)[i],
		       y = (double)((Quad *)quad->data)[i];
		double scale =
			dtype_is_complex(d) ? fabs(y) + fabs((double)((Quad *)quad->data)[i ^ 1]) : fabs(y);
		double tolerance = (single ? 4e-7 : 4e-15) * (scale + 0.01);
		if (!(fabs(x - y) <= tolerance) && !(isnan(x) && isnan(y)) && x != y)
			fail_msg("%s of %s, element %d: %.17g, binary128 %.17g", name, dtype_name(d), (int)i,
				x, y);
	}
}

static bool check_map(Op op, Dtype d, uint64_t *seed)
{
	Case c;
	open_case(&c);
	uint32_t n = (uint32_t)op_info[op].args;
	double x[3][2 * N];
	bool complex = dtype_is_complex(d);
	arguments(op, seed, x[0], x[1], x[2]);
	if (complex) arguments(op, seed, x[0] + N, x[1] + N, x[2] + N);
	Node *args[3];
	Both b[3];
	for (uint32_t k = 0; k < n; k++) {
		b[k] = both(c.g, d, x[k], complex ? 2 * N : N);
		args[k] = vector(&c, d, N, b[k].own);
	}
	Node *y = node_make(c.g, op, NULL, n, args);
	bool has = y != NULL && !dtype_is_integer(node_dtype(y));
	if (has) {
		Value *own = try_all(&c, 1, &y, false);
		for (uint32_t k = 0; k < n; k++) c.in[k].data = b[k].quad;
		Value *quad = try_all(&c, 1, &y, true);
		if (!own || !quad) fail_msg("%s", c.g->error.text);
		if (node_dtype(y) == DT_BOOL)
			assert_memory_equal(own->data, quad->data, N);
		else
			close_enough(own, quad, node_dtype(y), op_info[op].name);
	}
	close_case(&c);
	return has;
}

static void every_map(void **state)
{
	(void)state;
	uint64_t seed = 11;
	int checked = 0;
	for (int op = 1; op < OP_COUNT; op++)
		if (op_info[op].class == MAP && op != OP_WHERE && op != OP_CAST && op != OP_BITCAST)
			for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
				if (!dtype_is_narrow(d) && (dtype_is_float(d) || dtype_is_complex(d)))
					checked += check_map((Op)op, d, &seed);
	assert_true(checked > 150);
}

/* ---- what only binary128 can tell -------------------------------------------------- */

static Quad quad_of(Op op, uint32_t n, const Quad *x)
{
	Case c;
	open_case(&c);
	Node *args[3];
	for (uint32_t k = 0; k < n; k++) args[k] = scalar(&c, DT_F64, &x[k]);
	Node *y = node_make(c.g, op, NULL, n, args);
	Value *v = try_all(&c, 1, &y, true);
	assert_non_null(v);
	Quad r = *(Quad *)v->data;
	close_case(&c);
	return r;
}

static void near(Quad x, Quad y)
{
	Quad off = x > y ? x - y : y - x, scale = y < 0 ? -y : y;
	if (!(off <= (scale + 0.2Q) * 1e-32Q)) /* digamma near its root: by cancellation */
		fail_msg("%.20g where %.20g is wanted: off by %g", (double)x, (double)y, (double)off);
}

/* Published values, to 33 digits */
static const struct {
	Op op;
	Quad x[2], value;
} known[] = {
	{OP_EXP, {1}, 2.71828182845904523536028747135266250Q},
	{OP_DIGAMMA, {1}, -0.577215664901532860606512090082402431Q},
	{OP_DIGAMMA, {0.5Q}, -1.96351002602142347944097633299875557Q},
	{OP_DIGAMMA, {-0.5Q}, 0.0364899739785765205590236670012444Q},
	{OP_POLYGAMMA, {1, 1}, 1.64493406684822643647241516664602519Q},     /* pi^2/6 */
	{OP_POLYGAMMA, {1, 0.5Q}, 4.93480220054467930941724549993807557Q},  /* pi^2/2 */
	{OP_POLYGAMMA, {2, 1}, -2.40411380631918857079947632302289998Q},    /* -2 zeta(3) */
	{OP_POLYGAMMA, {3, 1}, 6.49393940226682914909602217924700742Q},     /* pi^4/15 */
	{OP_POLYGAMMA, {1, -0.5Q}, 8.93480220054467930941724549993807557Q}, /* pi^2/2 + 4 */
	{OP_ERFINV, {0.5Q}, 0.476936276204469873381418353643130560Q},
	{OP_SOFTPLUS, {0}, 0.693147180559945309417232121458176568Q},
	{OP_LOGADDEXP, {0, 0}, 0.693147180559945309417232121458176568Q},
	{OP_SIGMOID, {1}, 0.731058578630004879251159241821836274Q},
	{OP_LOG1MEXP, {1}, -0.458675145387081891021643645067329702Q},
	{OP_LOGIT, {0.25Q}, -1.09861228866810969139524523692252570Q},
	{OP_EXP10, {0.5Q}, 3.16227766016837933199889354443271853Q},    /* sqrt(10) */
	{OP_SINPI, {-1.75Q}, 0.707106781186547524400844362104849039Q}, /* sqrt(1/2) */
	{OP_COSPI, {1.25Q}, -0.707106781186547524400844362104849039Q},
	{OP_SINC, {0.5Q}, 0.636619772367581343075535053490057448Q}, /* 2/pi */
	{OP_ERFCX, {1}, 0.427583576155807004410750344490515154Q},
	{OP_NDTR, {1}, 0.841344746068542948585232545632036982Q},
	{OP_TRIGAMMA, {0.5Q}, 4.93480220054467930941724549993807557Q}, /* pi^2/2 */
	{OP_LBETA, {2, 3}, -2.48490664978800031022970947983887884Q},   /* -log(12) */
};

static void known_values(void **state)
{
	(void)state;
	for (size_t k = 0; k < countof(known); k++)
		near(quad_of(known[k].op, op_info[known[k].op].args, known[k].x), known[k].value);
	const Quad e = quad_of(OP_EXP, 1, (Quad[]){1});
	near(quad_of(OP_I0E, 1, (Quad[]){1}) * e, 1.26606587775200833559824462521471754Q);
	near(quad_of(OP_I1E, 1, (Quad[]){1}) * e, 0.565159103992485027207696027609863307Q);
}

static void inverse_error_function(void **state)
{
	(void)state;
	for (double x = -0.999999; x < 1; x += 0.0371) {
		Quad y = quad_of(OP_ERFINV, 1, (Quad[]){x});
		near(quad_of(OP_ERF, 1, &y), x);
	}
	Quad y = quad_of(OP_ERFINV, 1, (Quad[]){1 - 1e-20Q});
	near(quad_of(OP_ERFC, 1, &y), 1 - (1 - 1e-20Q));
}

/* Infinities and NaN where they belong; 1/value tells the sign of a zero. */
#define INF ((Quad)HUGE_VAL)
static const struct {
	Op op;
	Quad x[2], value;
} limits[] = {
	{OP_MAXIMUM, {-0.0Q, 0}, 0},
	{OP_MINIMUM, {0, -0.0Q}, -0.0Q},
	{OP_GAMMA, {-0.0Q}, -INF},
	{OP_DIGAMMA, {0}, -INF},
	{OP_DIGAMMA, {-3}, (Quad)NAN}, /* a pole, of two signs */
	{OP_TRIGAMMA, {-0x1p100Q}, INF},
	{OP_LOGADDEXP, {-INF, -INF}, -INF},
	{OP_LOG1MEXP, {0}, -INF},
	{OP_LOGIT, {0}, -INF},
	{OP_LOGIT, {1}, INF},
	{OP_ERFINV, {2}, (Quad)NAN},
	{OP_MOD, {-1, 3}, 2},
	{OP_FLOORDIV, {-1, 3}, -1},
};

static void edges(void **state)
{
	(void)state;
	for (size_t k = 0; k < countof(limits); k++) {
		Quad y = quad_of(limits[k].op, op_info[limits[k].op].args, limits[k].x),
		     want = limits[k].value;
		if (want != want ? y == y : !(y == want && 1 / y == 1 / want))
			fail_msg("%s: %g, not %g", op_info[limits[k].op].name, (double)y, (double)want);
	}
}

/* Special values, where f64 and binary128 must agree to the sign of a zero. */
static void edges_agree(void **state)
{
	(void)state;
	static const double at[] = {0, -0.0, 1, -1, 2, -3, 0.5, HUGE_VAL, -HUGE_VAL, NAN};
	enum { K = countof(at) };
	double x[K * K], y[K * K];
	int wrong = 0;
	for (int i = 0; i < K * K; i++) x[i] = at[i % K], y[i] = at[i / K];
	for (int op = 1; op < OP_COUNT; op++) {
		if (op_info[op].class != MAP || op_info[op].args > 2 || op == OP_CAST || op == OP_BITCAST)
			continue;
		Case c;
		open_case(&c);
		uint32_t n = (uint32_t)op_info[op].args;
		Both a = both(c.g, DT_F64, x, K * K), b = both(c.g, DT_F64, y, K * K);
		Node *args[] = {vector(&c, DT_F64, K * K, a.own), vector(&c, DT_F64, K * K, b.own)};
		Node *z = node_make(c.g, (Op)op, NULL, n, args);
		Value *own = z ? try_all(&c, 1, &z, false) : NULL;
		c.in[0].data = a.quad, c.in[1].data = b.quad;
		Value *quad = z ? try_all(&c, 1, &z, true) : NULL;
		for (int i = 0; z && node_dtype(z) == DT_F64 && i < (n == 1 ? K : K * K); i++) {
			double p = ((double *)own->data)[i], q = (double)((Quad *)quad->data)[i];
			bool same = isnan(p) ? isnan(q) : fabs(p - q) <= 1e-14 * fabs(q) || p == q;
			bool signs = isnan(p) || (p != 0 && q != 0) || signbit(p) == signbit(q);
			if ((op == OP_LOGIT && x[i] == 0.5) || (op == OP_POLYGAMMA && isinf(x[i])))
				continue; /* the sign of logit(1/2); derivative number infinity */
			if (!same || !signs)
				print_error("%s(%g, %g): %.17g, binary128 %.17g\n", op_info[op].name, x[i],
					y[i], p, q);
			wrong += !same || !signs;
		}
		if (z && node_dtype(z) == DT_BOOL) assert_memory_equal(own->data, quad->data, K * K);
		close_case(&c);
	}
	assert_int_equal(wrong, 0);
}

/* ---- whole expressions --------------------------------------------------------------- */

static void expressions(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	uint64_t seed = 5;
	double x[60], y[36];
	for (int i = 0; i < 60; i++) x[i] = random_between(&seed, -1, 1);
	for (int i = 0; i < 36; i++) y[i] = random_between(&seed, -1, 1) + (i % 7 == 0 ? 6 : 0);
	Both bx = both(g, DT_F64, x, 60), by = both(g, DT_F64, y, 36);
	Node *a = given(&c, DT_F64, 2, DIMS(10, 6), bx.own), *m = given(&c, DT_F64, 2, DIMS(6, 6), by.own);
	Node *qr = node_make(g, OP_QR, NULL, 1, &a), *upper = get(g, qr, 1);
	Node *solved = node_make(g, OP_TRI_SOLVE, attr_ints(g, 2, DIMS(1, 0)), 2, (Node *[]){upper, m});
	Node *all[] = {matmul(g, a, m), fold(g, OP_LOGSUMEXP, a, 1, DIMS(1)), fold_all(g, OP_PROD, m), upper,
		solved, get(g, qr, 0), node_make(g, OP_CUMSUM, attr_ints(g, 1, DIMS(0)), 1, &a),
		cast(g, a, DT_F64), build2(g, OP_ADD, a, like(g, a, 0.1))};
	Value *own = try_all(&c, countof(all), all, false);
	c.in[0].data = bx.quad, c.in[1].data = by.quad;
	Value *quad = try_all(&c, countof(all), all, true);
	assert_true(own && quad);
	for (size_t k = 0; k < countof(all); k++)
		for (int64_t i = 0; i < own[k].count; i++)
			assert_true(
				fabs(((double *)own[k].data)[i] - (double)((Quad *)quad[k].data)[i]) < 1e-10);
	close_case(&c);
}

static void casts_keep_what_they_have(void **state)
{
	(void)state;
	Case c;
	open_case(&c);
	Graph *g = c.g;
	Quad third = 1 / (Quad)3, large = 1e30Q;
	Node *x = scalar(&c, DT_F64, &third), *y = scalar(&c, DT_F64, &large), *i = cast(g, y, DT_I16);
	Node *f = cast(g, x, DT_F32);
	Node *all[] = {cast(g, cast(g, x, DT_F32), DT_F64), i, cast(g, i, DT_BF16),
		node_make(g, OP_BITCAST, ATTR(&c, av_dtype(DT_U32)), 1, &f), cast(g, x, DT_C128)};
	Value *v = try_all(&c, countof(all), all, true);
	assert_true(*(Quad *)v[0].data == third);
	assert_int_equal(*(int16_t *)v[1].data, INT16_MAX);
	assert_true(*(Quad *)v[2].data == 32767);
	assert_int_equal(*(uint32_t *)v[3].data, 0x3eaaaaab);
	assert_true(((Quad *)v[4].data)[0] == third && ((Quad *)v[4].data)[1] == 0);
	close_case(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_map),
		cmocka_unit_test(known_values),
		cmocka_unit_test(inverse_error_function),
		cmocka_unit_test(edges),
		cmocka_unit_test(edges_agree),
		cmocka_unit_test(expressions),
		cmocka_unit_test(casts_keep_what_they_have),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
