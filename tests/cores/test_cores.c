/* test_cores.c - every core against the defined order written plainly, to the bit: random sizes, strides, dtypes,
 * every instruction set that the machine has, and items in random ranges. */
#include "../ir/eval_help.h"
#define LANE_BYTES EVAL_LANE_BYTES       /* both headers have one */
#include "../../src/oracle/eval.h"
#undef LANE_BYTES
#include "../../src/cores/items.h"
#include "../../src/loop/loop.h"
#include "../../src/math/math.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>

static uint64_t seed = 1;
static const Eval own;

static int64_t pick(int64_t low, int64_t high) { return low + next_random(&seed) % (uint64_t)(high - low + 1); }

/* ---- arrays ------------------------------------------------------------------------ */

#define NUMBER(D, ...) DT_##D,
static const Dtype number[] = { REAL_DTYPES(NUMBER) COMPLEX_DTYPES(NUMBER) };

static double some_float(bool wild)
{
	static const double special[] = { 0, -0.0, 1e-40, -1e300, 3e38, NAN, -NAN, INFINITY, -INFINITY };
	if (wild && pick(0, 40) == 0)
		return special[pick(0, countof(special) - 1)];
	return random_between(&seed, -2, 2) * (pick(0, 9) ? 1 : 1e-3);
}

static void fill(Dtype d, void *p, int64_t n, bool wild)
{
	char *to = p;
	for (int64_t i = 0; i < n; i++, to += dtype_bytes(d)) {
		Scalar s = { .u = (uint64_t)next_random(&seed) << 33 ^ next_random(&seed) };
		switch (eval_kind(&own, d)) {
		case KIND_F32: case KIND_C64:
			s.f[0] = (float)some_float(wild), s.f[1] = (float)some_float(wild);
			break;
		case KIND_F64: case KIND_C128: s.d[0] = some_float(wild), s.d[1] = some_float(wild); break;
		default: s.u &= d == DT_BOOL ? 1 : ~(uint64_t)0; break;
		}
		eval_store(&own, d, to, s);
	}
}

static void *array_of(Dtype d, int64_t n, bool wild)
{
	void *p = malloc((size_t)(n + 1) * dtype_bytes(d));
	assert_non_null(p);
	fill(d, p, n, wild);
	return p;
}

static Scalar at(Dtype d, const void *p, int64_t i)
{
	return eval_load(&own, d, (const char *)p + (size_t)i * dtype_bytes(d));
}

static void put(Dtype d, void *p, int64_t i, Scalar s)
{
	eval_store(&own, d, (char *)p + (size_t)i * dtype_bytes(d), s);
}

/* ---- running --------------------------------------------------------------------------- */

enum { GUARD = 64 };

/* All items, in ranges cut at random and taken backwards; scratch holds rubbish, and what lies after it stays. */
static Fault run_core(Core core, Dtype d, void *const *buffer, const int64_t *p, int isa)
{
	Fault fault = { INT64_MAX, 0, 0 };
	size_t bytes = core_scratch(core, (uint8_t)d, p), whole = (bytes + GUARD + 63)/64*64;
	unsigned char *scratch = aligned_alloc(64, whole);
	assert_non_null(scratch);
	for (int64_t hi = core_items(core, p), lo; hi > 0; hi = lo) {
		lo = pick(0, 2) ? pick(0, hi - 1) : 0;
		memset(scratch, 0xff, whole);
		core_run(core, (uint8_t)d, &(Piece){ buffer, p, lo, hi, scratch, &fault }, isa);
		for (size_t i = bytes; i < whole; i++)
			assert_int_equal(scratch[i], 0xff);
	}
	free(scratch);
	return fault;
}

static bool same(const char *what, Dtype d, int isa, const int64_t *p, int np, const void *got, const void *want,
                 int64_t n)
{
	const char *g = got, *w = want;
	size_t bytes = dtype_bytes(d);
	if (!memcmp(g, w, (size_t)n * bytes))
		return true;
	int64_t i = 0;
	for (; !memcmp(g, w, bytes); g += bytes, w += bytes)
		i++;
	fprintf(stderr, "%s %s, instruction set %d, element %lld of %lld; integers", what, dtype_name(d), isa,
	        (long long)i, (long long)n);
	for (int k = 0; k < np; k++)
		fprintf(stderr, " %lld", (long long)p[k]);
	fprintf(stderr, "\n");
	return false;
}

/* ---- contraction ------------------------------------------------------------------------- */

/* Of blocks [first, end): the two halves, of which the first is the largest power of two that is smaller, joined;
 * that is what neighbours in pairs, an odd last one moving up, come to. */
static Scalar join_blocks(const Arithmetic *a, const Scalar *r, int64_t first, int64_t end)
{
	if (end - first == 1)
		return r[first];
	int64_t half = 1;
	while (2*half < end - first)
		half *= 2;
	return a->add(join_blocks(a, r, first, first + half), join_blocks(a, r, first + half, end));
}

static void contract_plainly(Dtype d, const void *x, const void *y, void *out, const int64_t *p)
{
	const Arithmetic *a = eval_arithmetic(eval_kind(&own, d));
	int64_t lanes = p[0] ? 256/(int64_t)a->bytes : 1, k = p[4];
	Scalar lane[64], block[64];
	for (int64_t i = 0; i < p[1]*p[2]*p[3]; i++) {
		int64_t b = i/(p[2]*p[3]), row = i/p[3] % p[2], column = i % p[3];
		int64_t from_x = b*p[5] + row*p[6], from_y = b*p[8] + column*p[10];
		for (int64_t t = 0; t < k; t++) {
			for (int64_t l = 0; t % 4096 == 0 && l < lanes; l++)
				lane[l] = a->minus_zero;
			Scalar *s = &lane[t % 4096 % lanes];
			*s = a->fma(at(d, x, from_x + t*p[7]), at(d, y, from_y + t*p[9]), *s);
			if (t % 4096 != 4095 && t != k - 1)
				continue;
			for (int64_t h = lanes/2; h; h /= 2)
				for (int64_t l = 0; l < h; l++)
					lane[l] = a->add(lane[l], lane[l + h]);
			block[t/4096] = lane[0];
		}
		put(d, out, i, k ? join_blocks(a, block, 0, (k + 4095)/4096) : a->zero);
	}
}

/* Strides of [batch, a, b] in memory: some order of the axes, perhaps with gaps; 0 for a shared batch. */
static int64_t strides(const int64_t *size, int64_t *stride)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	const int *order = orders[pick(0, 1) ? pick(0, 1) : pick(0, 4)];
	int64_t s = pick(0, 7) ? 1 : pick(2, 3);
	for (int i = 3; i-- > 0;) {
		stride[order[i]] = s;
		s *= size[order[i]];
		s += pick(0, 5) ? 0 : pick(1, 9);
	}
	if (pick(0, 9) == 0)
		stride[0] = 0;
	return s + 1;
}

static void contract_case(Dtype d, bool lanes, int64_t batch, int64_t m, int64_t n, int64_t k)
{
	int64_t p[11] = { lanes, batch, m, n, k }, stride[3];
	int64_t nx = strides((int64_t[]){ batch, m, k }, stride);
	memcpy(p + 5, stride, sizeof stride);
	int64_t ny = strides((int64_t[]){ batch, k, n }, stride);
	memcpy(p + 8, stride, sizeof stride);
	bool wild = pick(0, 3) == 0;
	void *x = array_of(d, nx, wild), *y = array_of(d, ny, wild), *want = array_of(d, batch*m*n, false);
	contract_plainly(d, x, y, want, p);
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		void *out = array_of(d, batch*m*n, false);
		run_core(CORE_CONTRACT, d, (void *[]){ x, y, out }, p, isa);
		assert_true(same("contract", d, isa, p, 11, out, want, batch*m*n));
		free(out);
	}
	free(x), free(y), free(want);
}

static int64_t some_size(void)
{
	switch (pick(0, 5)) {
	case 0: return pick(0, 1);
	case 1: return pick(2, 9);
	case 2: return pick(30, 70);
	default: return pick(1, 35);
	}
}

static void contractions(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(number); i++) {
		bool real = dtype_is_float(number[i]);
		for (int j = 0; j < (real ? 150 : 40); j++)
			contract_case(number[i], false, pick(0, 4) ? 1 : some_size()/8, some_size(), some_size(), some_size());
	}
}

/* One row or one column, in both orders: sizes 0 and 1, less than a vector, past the lanes, the pieces that are packed
 * and the columns that are added up together. */
static void by_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(number); i++)
		for (int j = 0; j < (dtype_is_float(number[i]) ? 200 : 40); j++) {
			int64_t n = pick(0, 19) ? pick(0, 3) ? some_size() : pick(50, 300) : pick(500, 1200);
			int64_t k = pick(0, 2) ? some_size() : pick(0, 2) ? pick(60, 700) : pick(4000, 4300);
			bool column = pick(0, 1);
			contract_case(number[i], pick(0, 1), pick(0, 4) ? 1 : pick(0, 3), column ? n : 1, column ? 1 : n, k);
		}
}

/* Sizes past the blocks of columns, of rows and of k that the routine cuts. */
static void large_contractions(void **state)
{
	(void)state;
	static const Dtype real[] = { FLOAT_DTYPES(NUMBER) NARROW_DTYPES(NUMBER) };
	for (size_t i = 0; i < countof(real); i++) {
		contract_case(real[i], false, 1, pick(1, 40), pick(385, 900), pick(500, 700));
		contract_case(real[i], false, 1, pick(257, 300), pick(40, 60), pick(4097, 4200));
		contract_case(real[i], false, 2, pick(1, 20), pick(1, 60), pick(8193, 30000));
		contract_case(real[i], false, 1, pick(40, 90), pick(100, 200), pick(1000, 1300));
		contract_case(real[i], false, pick(1, 2), pick(1, 4), pick(1200, 5000), pick(1, 60));
		contract_case(real[i], false, 1, pick(1, 4), pick(4000, 5000), pick(4097, 4200));
		contract_case(real[i], true, 1, 1, pick(1, 70), pick(4096, 30000));
		contract_case(real[i], true, 1, pick(1, 70), 1, pick(4096, 30000));
		contract_case(real[i], true, pick(1, 4), 1, 1, 4096*pick(1, 9) + pick(-1, 1));
	}
	contract_case(DT_C64, true, 1, 1, 3, pick(4097, 20000));
	contract_case(DT_C128, false, 1, 3, 400, pick(4097, 9000));
	contract_case(DT_I16, false, 1, 3, 400, pick(4097, 9000));
	contract_case(DT_U64, true, 2, 3, 1, pick(4097, 20000));
}

/* Few rows and columns of many blocks, which go side by side; then those that are left. */
static void thin_contractions(void **state)
{
	(void)state;
	static const Dtype real[] = { FLOAT_DTYPES(NUMBER) NARROW_DTYPES(NUMBER) };
	for (size_t i = 0; i < countof(real); i++)
		for (int j = 0; j < 30; j++)
			contract_case(real[i], false, pick(1, 2), pick(2, 5), pick(0, 4) ? pick(2, 18) : pick(19, 40),
			              pick(0, 3) ? 4096*pick(3, 9) + pick(-1, 1) : pick(16000, 40000));
}

/* A copy of n bytes that ends where memory ends: who reads past it is stopped. */
static char *at_the_end(const void *from, size_t n, size_t *whole)
{
	size_t page = 4096, pages = (n + page - 1)/page*page;
	char *p = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED && !mprotect(p + pages, page, PROT_NONE));
	*whole = pages + page;
	return memcpy(p + pages - n, from, n);
}

static void nothing_past_the_end(void **state)
{
	(void)state;
	static const Dtype real[] = { DT_F32, DT_F64, DT_BF16 };
	for (int j = 0; j < 300; j++) {
		Dtype d = real[j % 3];
		int64_t m = pick(0, 1) ? 1 : pick(2, 9), k = pick(0, 9) ? some_size() : pick(16384, 17000);
		int64_t n = pick(0, 3) ? some_size() : pick(70, 200), bytes = (int64_t)dtype_bytes(d);
		bool rows = pick(0, 1);
		int64_t p[11] = { m == 1 && pick(0, 1), 1, m, n, k, 0, k, 1, 0, rows ? n : 1, rows ? 1 : k };
		void *x = array_of(d, m*k, false), *y = array_of(d, k*n, false), *out = array_of(d, m*n, false);
		size_t nx, ny, mx = (size_t)(m*k*bytes), my = (size_t)(k*n*bytes);
		char *a = at_the_end(x, mx, &nx), *b = at_the_end(y, my, &ny);
		for (int isa = 0; isa <= cpu_isa(); isa++)
			run_core(CORE_CONTRACT, d, (void *[]){ a, b, out }, p, isa);
		munmap(a + mx - (nx - 4096), nx), munmap(b + my - (ny - 4096), ny);
		free(x), free(y), free(out);
	}
}

/* The order is seen: a sum of many terms in one chain gives other bits. */
static void order_matters(void **state)
{
	(void)state;
	enum { K = 9000, N = 16 };
	float *x = array_of(DT_F32, K, false), *y = array_of(DT_F32, K*N, false), chain[N], lanes[N], sum[N];
	int64_t p[11] = { 0, 1, 1, N, K, 0, 0, 1, 0, 1, K };
	for (int j = 0; j < N; j++) {
		sum[j] = -0.f;
		for (int i = 0; i < K; i++)
			sum[j] = fma_f32(x[i], y[j*K + i], sum[j]);
	}
	run_core(CORE_CONTRACT, DT_F32, (void *[]){ x, y, chain }, p, 2);
	p[0] = 1;
	run_core(CORE_CONTRACT, DT_F32, (void *[]){ x, y, lanes }, p, 2);
	assert_memory_not_equal(chain, lanes, sizeof chain);
	assert_memory_not_equal(chain, sum, sizeof chain);
	free(x), free(y);
}

/* ---- cumulative sums ------------------------------------------------------------------------- */

static Dtype summed(Dtype d)
{
	return dtype_summed(d);
}

static void cumsum_case(Dtype d, int64_t outer, int64_t n, int64_t inner)
{
	int64_t p[3] = { outer, n, inner }, count = outer*n*inner;
	Dtype s = summed(d);
	const Arithmetic *a = eval_arithmetic(eval_kind(&own, d));
	void *x = array_of(d, count, pick(0, 3) == 0), *want = array_of(s, count, false);
	for (int64_t line = 0; line < outer*inner; line++) {
		Scalar carry = a->zero, chain = a->minus_zero;
		for (int64_t i = 0; i < n; i++) {
			int64_t place = (line/inner*n + i)*inner + line % inner;
			if (i % 4096 == 0 && i) {
				carry = i == 4096 ? chain : a->add(carry, chain);
				chain = a->minus_zero;
			}
			chain = a->add(chain, at(d, x, place));
			put(s, want, place, i < 4096 ? chain : a->add(carry, chain));
		}
	}
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		void *out = array_of(s, count, false);
		run_core(CORE_CUMSUM, d, (void *[]){ x, out }, p, isa);
		assert_true(same("cumsum", s, isa, p, 3, out, want, count));
		free(out);
	}
	free(x), free(want);
}

static void cumulative_sums(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(number); i++) {
		for (int j = 0; j < 20; j++)
			cumsum_case(number[i], some_size()/4, some_size(), some_size());
		cumsum_case(number[i], pick(1, 3), pick(4096, 40000), 1);
		cumsum_case(number[i], 1, pick(8193, 13000), pick(2, 5));
		cumsum_case(number[i], 2, 3, pick(513, 1100));
		cumsum_case(number[i], pick(1, 20), 4096*pick(1, 9), 1);
	}
}

/* ---- scatter ---------------------------------------------------------------------------------- */

/* What of two elements stays. */
static Scalar scattered(const Arithmetic *a, int kind, Scalar before, Scalar v)
{
	switch (kind) {
	case SCATTERS_ADD: return a->add(before, v);
	case SCATTERS_MAX: return a->max(before, v);
	case SCATTERS_MIN: return a->min(before, v);
	case SCATTERS_MUL: return a->mul(before, v);
	default: return v;
	}
}

static void scatter_case(Dtype d, int kind, int64_t outer, int64_t n, int64_t inner, int64_t count, bool outside)
{
	int64_t p[5] = { kind, outer, n, inner, count }, size = outer*n*inner, first = INT64_MAX;
	const Arithmetic *a = eval_arithmetic(eval_kind(&own, d));
	bool wild = pick(0, 3) == 0, runs = pick(0, 2) == 0;
	void *base = array_of(d, size, wild), *v = array_of(d, outer*count*inner, wild), *want = array_of(d, size, false);
	int64_t *index = malloc((size_t)(count + 1) * sizeof *index);
	for (int64_t c = 0; c < count; c++) {
		index[c] = n ? pick(0, n - 1) : 0;
		if (n == 0 || (outside && pick(0, 5) == 0))
			index[c] = pick(0, 1) ? n + pick(0, 3) : -1 - pick(0, 3);
		if (c && runs && pick(0, 7))
			index[c] = index[c - 1];
		if ((index[c] < 0 || index[c] >= n) && first == INT64_MAX && outer*inner > 0) /* nothing placed, nothing asked */
			first = c;
	}
	memcpy(want, base, (size_t)size * dtype_bytes(d));
	for (int64_t o = 0; o < outer; o++)
		for (int64_t c = 0; c < count; c++)
			for (int64_t i = 0; i < inner && index[c] >= 0 && index[c] < n; i++) {
				int64_t to = (o*n + index[c])*inner + i;
				Scalar s = at(d, v, (o*count + c)*inner + i);
				put(d, want, to, scattered(a, kind, at(d, want, to), s));
			}
	for (int isa = 0; isa <= cpu_isa(); isa++)
		for (int in_place = 0; in_place < 2; in_place++) {
			void *out = array_of(d, size, false);
			if (in_place)
				memcpy(out, base, (size_t)size * dtype_bytes(d));
			Fault f = run_core(CORE_SCATTER, d, (void *[]){ in_place ? out : base, index, v, out }, p, isa);
			assert_true(same("scatter", d, isa, p, 5, out, want, size));
			assert_true(f.position == first);
			if (first != INT64_MAX)
				assert_true(f.index == index[first] && f.extent == n);
			free(out);
		}
	free(base), free(v), free(want), free(index);
}

static void scatters(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(number); i++) {
		bool ordered = !dtype_is_complex(number[i]);
		for (int j = 0; j < 30; j++)
			scatter_case(number[i], ordered ? pick(0, 4) : 4*pick(0, 1), some_size()/4, some_size(), some_size(), some_size(), pick(0, 2) == 0);
		scatter_case(number[i], SCATTERS_ADD, 2, 5, pick(512, 1500), 9, false);
		for (int j = 0; j < 20; j++) scatter_case(number[i], SCATTERS_ADD, 2, 9, 1, pick(50, 200), false);
	}
	scatter_case(DT_KEY, SCATTERS_SET, 3, 5, 4, 7, false);
}

/* A fault that is lower stays. */
static void lowest_fault(void **state)
{
	(void)state;
	float x[2] = { 1, 2 }, v[2] = { 3, 4 };
	int64_t index[2] = { 0, 7 }, p[5] = { 1, 1, 2, 1, 2 };
	Fault f = { 0, -1, 5 };
	core_run(CORE_SCATTER, DT_F32, &(Piece){ (void *[]){ x, index, v, x }, p, 0, 1, NULL, &f }, 0);
	assert_true(f.position == 0 && f.index == -1 && f.extent == 5);
	assert_true(x[0] == 3 && x[1] == 2);
}

/* ---- top k ------------------------------------------------------------------------------------- */

static void top_k_case(Dtype d, int64_t rows, int64_t n, int64_t k)
{
	int64_t p[3] = { rows, n, k };
	const Arithmetic *a = eval_arithmetic(eval_kind(&own, d));
	ScalarKind kind = eval_kind(&own, d);
	void *x = array_of(d, rows*n, pick(0, 1)), *want = array_of(d, rows*k, false);
	int64_t *places = malloc((size_t)(rows*k + 1) * sizeof *places);
	bool *taken = malloc((size_t)n + 1);
	for (int64_t i = 0; pick(0, 1) && i < rows*n; i++)                       /* equals */
		if (i && pick(0, 2))
			put(d, x, i, at(d, x, pick(0, i - 1)));
	for (int64_t r = 0; r < rows; r++) {
		memset(taken, 0, (size_t)n + 1);
		for (int64_t j = 0; j < k; j++) {
			int64_t best = -1;
			for (int64_t i = 0; i < n; i++) {
				if (taken[i])
					continue;
				Scalar s = at(d, x, r*n + i);
				bool best_nan = best >= 0 && eval_is_nan(kind, at(d, x, r*n + best));
				if (best < 0 || (best_nan ? !eval_is_nan(kind, s) : a->less(at(d, x, r*n + best), s)))
					best = i;
			}
			taken[best] = true;
			put(d, want, r*k + j, at(d, x, r*n + best));
			places[r*k + j] = best;
		}
	}
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		void *out = array_of(d, rows*k, false), *found = array_of(DT_I64, rows*k, false);
		run_core(CORE_TOP_K, d, (void *[]){ x, out, found }, p, isa);
		assert_true(same("top_k indices", DT_I64, isa, p, 3, found, places, rows*k));
		assert_true(same("top_k", d, isa, p, 3, out, want, rows*k));
		free(out), free(found);
	}
	free(x), free(want), free(places), free(taken);
}

static void top_ks(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(number); i++)
		for (int j = 0; j < 40 && !dtype_is_complex(number[i]); j++) {
			int64_t n = some_size();
			top_k_case(number[i], some_size()/4, n, pick(0, 3) ? pick(0, n) : n);
		}
}

/* ---- linear algebra ------------------------------------------------------------------------------ */

static void qr_case(Dtype d, int64_t batch, int64_t m, int64_t n, bool wild)
{
	Case c;
	open_case(&c);
	void *x = array_of(d, batch*m*n, wild);
	for (int64_t i = 0; pick(0, 3) == 0 && i < batch*m; i++)                 /* a column of zeros */
		put(d, x, i*n + n/2, (Scalar){ .u = 0 });
	Node *a = given(&c, d, 3, DIMS(batch, m, n), x), *t = node_make(c.g, OP_QR, NULL, 1, &a);
	Value *v = value_of(&c, t);
	int64_t p[3] = { batch, m, n };
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		void *q = array_of(d, batch*m*n, false), *r = array_of(d, batch*n*n, false);
		run_core(CORE_QR, d, (void *[]){ x, q, r }, p, isa);
		assert_true(same("q", d, isa, p, 3, q, v->elem[0].data, batch*m*n));
		assert_true(same("r", d, isa, p, 3, r, v->elem[1].data, batch*n*n));
		free(q), free(r);
	}
	close_case(&c);
	free(x);
}

static void qrs(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		int64_t n = pick(0, 12);
		qr_case(pick(0, 1) ? DT_F32 : DT_F64, pick(0, 3), n + pick(0, 20), n, pick(0, 5) == 0);
	}
	qr_case(DT_F32, 1, 70, 40, false);
}

static void solve_case(Dtype d, bool upper, bool turned, int64_t batch, int64_t n, int64_t columns, bool wild)
{
	Case c;
	open_case(&c);
	void *x = array_of(d, batch*n*n, wild), *y = array_of(d, batch*n*columns, wild);
	Node *args[] = { given(&c, d, 3, DIMS(batch, n, n), x), given(&c, d, 3, DIMS(batch, n, columns), y) };
	Value *v = value_of(&c, node_make(c.g, OP_TRI_SOLVE, attr_ints(c.g, 2, DIMS(upper, turned)), 2, args));
	int64_t p[5] = { upper, turned, batch, n, columns };
	for (int isa = 0; isa <= cpu_isa(); isa++) {
		void *z = array_of(d, batch*n*columns, false);
		run_core(CORE_TRI_SOLVE, d, (void *[]){ x, y, z }, p, isa);
		assert_true(same("tri_solve", d, isa, p, 5, z, v->data, batch*n*columns));
		free(z);
	}
	close_case(&c);
	free(x), free(y);
}

static void solves(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		solve_case(pick(0, 1) ? DT_F32 : DT_F64, i & 1, i >> 1 & 1, pick(0, 3), pick(0, 40), pick(0, 2) ? pick(0, 20) : 1,
		           pick(0, 5) == 0);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static void copies(void **state)
{
	(void)state;
	for (Dtype d = DT_NONE + 1; d < DT_WEAK_INT; d++)
		for (int j = 0; j < 3; j++) {
			int64_t n = j == 2 ? pick(65536, 200000) : pick(0, 9);
			unsigned char *x = malloc((size_t)n * 16 + 1), *y = malloc((size_t)n * 16 + 1);
			for (int64_t i = 0; i < n*16; i++)
				x[i] = (unsigned char)pick(0, 255), y[i] = 0;
			run_core(CORE_COPY, d, (void *[]){ x, y }, &n, 0);
			assert_true(same("copy", d, 0, &n, 1, y, x, n));
			free(x), free(y);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contractions), cmocka_unit_test(by_vectors), cmocka_unit_test(large_contractions),
		cmocka_unit_test(thin_contractions),
		cmocka_unit_test(nothing_past_the_end),
		cmocka_unit_test(order_matters),
		cmocka_unit_test(cumulative_sums), cmocka_unit_test(scatters), cmocka_unit_test(lowest_fault),
		cmocka_unit_test(top_ks), cmocka_unit_test(qrs), cmocka_unit_test(solves), cmocka_unit_test(copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
