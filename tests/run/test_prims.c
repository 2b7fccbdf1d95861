/* test_prims.c - the primitives: the same bits from every instruction set, at every place of a vector, and in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail
#include "../../src/interp/prim.h"
#include "../../src/loop/loop.h"

enum { N = 517 };

static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 11;
}

static size_t held(Dtype d)
{
	return dtype_bytes(dtype_held(d));
}

/* Numbers of all sizes, the special ones among them. */
static void fill(Dtype d, void *out)
{
	static const double special[] = {
		0, -0.0, 1, -1, 0.5, 1e30, -1e30, 1e-40, __builtin_inf(), -__builtin_inf(), 2, 3, 7.5};
	for (int i = 0; i < N; i++) {
		double x = i % 3 ? (double)(int64_t)(draw() % 20001 - 10000) / (double)(1 + draw() % 5000)
				 : special[draw() % countof(special)];
		if (i % 41 == 0) x = __builtin_nan("");
		uint64_t w = draw() >> (draw() % 53);
		switch (dtype_held(d)) {
		case DT_BOOL: ((uint8_t *)out)[i] = w & 1; break;
		case DT_F32: ((float *)out)[i] = (float)x; break;
		case DT_F64: ((double *)out)[i] = x; break;
		default: memcpy((char *)out + (size_t)i * held(d), &w, held(d)); break;
		}
	}
}

static bool same(Dtype d, const char *x, const char *y)
{
	float f[2];
	double g[2];
	if (!memcmp(x, y, held(d))) return true;
	memcpy(&f[0], x, 4), memcpy(&f[1], y, 4);
	if (d == DT_F64) {
		memcpy(&g[0], x, 8), memcpy(&g[1], y, 8);
		return g[0] != g[0] && g[1] != g[1];
	}
	return dtype_held(d) == DT_F32 && f[0] != f[0] && f[1] != f[1];
}

static Dtype result_of(Op op, Dtype d)
{
	DtypeRule r = op_info[op].dtype;
	return r == TEST || r == RTEST || r == FTEST ? DT_BOOL : d;
}

static void check(
	const char *what, Dtype from, Dtype to, Prim one, Prim other, void *const in[3], bool single)
{
	static _Alignas(64) char a[N * 8 + 64], b[N * 8 + 64];
	other(N, b, in[0], in[1], in[2]);
	if (single) /* one at a time: no vectors */
		for (int i = 0; i < N; i++)
			one(1, a + (size_t)i * held(to), (char *)in[0] + (size_t)i * held(from),
				(char *)in[1] + (size_t)i * held(from),
				(char *)in[2] + (size_t)i * held(from));
	else
		one(N, a, in[0], in[1], in[2]);
	for (int i = 0; i < N; i++)
		if (!same(to, a + (size_t)i * held(to), b + (size_t)i * held(to))) {
			print_error(
				"%s of %s to %s differs at %d\n", what, dtype_name(from), dtype_name(to), i);
			assert_true(false);
		}
}

static bool in_registers(Dtype d)
{
	return dtype_held(d) == d && d != DT_KEY && !dtype_is_complex(d);
}

static void test_maps(void **state)
{
	(void)state;
	static _Alignas(64) char x[3][N * 8 + 64], c[N];
	const Prims *low = prims_of(0);
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (int op = 1; op < OP_COUNT; op++)
			for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
				const Prims *p = prims_of(isa);
				assert_true(!low->map[op][d] == !p->map[op][d]);
				if (!p->map[op][d] || op_info[op].class != MAP) continue;
				for (int k = 0; k < 3; k++) fill(d, x[k]);
				fill(DT_BOOL, c);
				void *in[] = {op == OP_WHERE ? c : x[0], x[1], x[2]};
				Dtype to = result_of((Op)op, d);
				check(op_info[op].name, d, to, low->map[op][d], p->map[op][d], in,
					op != OP_WHERE);
				for (int i = 0; i < N; i++) { /* with a scalar: as with a vector of it */
					memcpy(x[2] + (size_t)i * held(d), x[1] + 5 * held(d), held(d));
				}
				bool where = op == OP_WHERE;
				void *wide[] = {where ? c : x[0], where ? x[0] : x[2], x[2]};
				void *one[] = {wide[0], where ? x[0] : x[1] + 5 * held(d),
					where ? x[1] + 5 * held(d) : x[2]};
				if (p->map_vs[op][d])
					check("vector by scalar", d, to, low->map[op][d], p->map[op][d], wide,
						false),
						check(op_info[op].name, d, to, low->map_vs[op][d],
							p->map_vs[op][d], one, false);
				static _Alignas(64) char a[N * 8 + 64], b[N * 8 + 64];
				if (p->map_vs[op][d]) {
					p->map[op][d](N, a, wide[0], wide[1], wide[2]);
					p->map_vs[op][d](N, b, one[0], one[1], one[2]);
					for (int i = 0; i < N; i++)
						assert_true(same(to, a + (size_t)i * held(to),
							b + (size_t)i * held(to)));
				}
				if (held(to) == held(d) && !where) { /* in place */
					p->map[op][d](N, a, x[0], x[1], x[2]);
					memcpy(b, x[0], N * held(d));
					p->map[op][d](N, b, b, x[1], x[2]);
					for (int i = 0; i < N; i++)
						assert_true(same(to, a + (size_t)i * held(to),
							b + (size_t)i * held(to)));
				}
			}
}

/* keys, and element numbers or shapes; one at a time gives what all together give, on every instruction set */
static void test_draws(void **state)
{
	(void)state;
	static _Alignas(64) uint64_t key[2][N], number[N];
	static _Alignas(64) char shape[N * 8], a[N * 8], b[N * 8];
	int draws = 0;
	for (int i = 0; i < N; i++) key[0][i] = draw(), key[1][i] = draw(), number[i] = draw() >> 20;
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (int op = 1; op < OP_COUNT; op++)
			for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
				Prim one = prims_of(0)->map[op][d], all = prims_of(isa)->map[op][d];
				if (op_info[op].class != RANDOM || !all) continue;
				bool shaped = op_info[op].args == 2;
				size_t step = shaped ? held(d) : 8;
				fill(d, shape);
				char *third = shaped ? shape : (char *)number;
				all(N, b, key[0], key[1], third);
				for (int i = 0; i < N; i++) {
					one(1, a, key[0] + i, key[1] + i, third + (size_t)i * step);
					assert_true(same(d, a, b + (size_t)i * held(d)));
				}
				draws++;
			}
	int floats = 0, narrow = 0;
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
		floats += dtype_is_float(d) && !dtype_is_narrow(d);
		narrow += dtype_is_narrow(d);
	}
	assert_int_equal(draws, (cpu_isa() + 1) * (5 * floats + 2 * narrow)); /* five draws; of narrow ones uniform */
}

static void test_casts(void **state)
{
	(void)state;
	static _Alignas(64) char x[N * 8 + 64];
	void *in[] = {x, x, x};
	const Prims *low = prims_of(0);
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (Dtype from = DT_NONE + 1; from < DT_WEAK_INT; from++) {
			const Prims *p = prims_of(isa);
			if (!in_registers(from)) continue;
			fill(from, x);
			check("bits", from, from, low->bits[from], p->bits[from], in, true);
			for (Dtype to = DT_NONE + 1; to < DT_WEAK_INT; to++) {
				if (!in_registers(to) && !dtype_is_narrow(to)) continue;
				assert_non_null(p->cast[from][to]);
				check("cast", from, to, low->cast[from][to], p->cast[from][to], in, true);
			}
		}
}

/* What is stored and loaded again is what is rounded; bits in memory are loaded and stored as they are. */
static void test_narrow(void **state)
{
	(void)state;
	static _Alignas(64) char x[N * 4 + 64], bits[N * 4 + 64], back[N * 4 + 64], rounded[N * 4 + 64];
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
			const Prims *p = prims_of(isa);
			assert_true(!p->load[d] == !dtype_is_narrow(d));
			if (!p->load[d]) continue;
			fill(d, x);
			check("round", d, d, prims_of(0)->round[d], p->round[d], (void *[]){x, x, x}, true);
			p->store[d](N, bits, x, x, x);
			p->load[d](N, back, bits, bits, bits);
			p->round[d](N, rounded, x, x, x);
			for (int i = 0; i < N; i++) assert_true(same(d, back + 4 * i, rounded + 4 * i));
		}
}

/* Folds of rows: alone, as chunks, and as chains of one, which is the plain order. */
static void check_fold(const FoldPrim *low, const FoldPrim *p, Dtype d, bool any_order)
{
	static _Alignas(64) char x[N * 8 + 64], lanes[LANE_BYTES];
	Dtype acc = (Dtype)p->acc;
	fill(d, x);
	for (int64_t n = 1; n < N; n += 1 + n / 3) {
		char a[8 * N], b[8 * N], c[8 * N];
		int64_t rows = N / n;
		low->segments(rows, n, a, x);
		p->segments(rows, n, b, x);
		for (int64_t r = 0; r < rows; r++) {
			assert_true(same(acc, a + (size_t)r * held(acc), b + (size_t)r * held(acc)));
			p->start(LANE_BYTES / (int64_t)held(acc), lanes);
			p->chunk(n, lanes, x + (size_t)(r * n) * held(d));
			p->finish(c, lanes);
			assert_true(same(acc, a + (size_t)r * held(acc), c));
			p->start(1, c);
			p->chain(n, 1, c, x + (size_t)(r * n) * held(d));
			assert_true(!any_order || same(acc, a + (size_t)r * held(acc), c));
		}
	}
}

static void test_folds(void **state)
{
	(void)state;
	const Prims *low = prims_of(0);
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		const Prims *p = prims_of(isa);
		for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++) {
			if (!in_registers(d)) continue;
			bool whole = dtype_is_integer(d) || d == DT_BOOL;
			check_fold(&low->sum[d], &p->sum[d], d, whole);
			check_fold(&low->prod[d], &p->prod[d], d, whole);
			if (d == DT_BOOL) continue;
			check_fold(&low->max[d], &p->max[d], d, true);
			check_fold(&low->min[d], &p->min[d], d, true);
		}
		check_fold(&low->any, &p->any, DT_BOOL, true);
		check_fold(&low->all, &p->all, DT_BOOL, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_casts),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_folds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
