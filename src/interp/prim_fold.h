/* prim_fold.h - part of prim.c: the joins of folds, in the order that loop.h defines.
 *
 * A block of terms goes to lanes, term i to lane i mod L; lanes are joined l
 * with l + h, h = L/2 ... 1.  Neutral elements change nothing, so a row of few
 * terms is joined in as many lanes as the next power of two.
 */

#define HALF(JOIN, h) \
	if (p > (h)) \
		for (int l = 0; l < (h); l++) \
			t[l] = JOIN(t[l], t[l + (h)]);

/* f is the name, T the terms' type, A the accumulator's, JOIN a macro or function of two, E the neutral
 * element. */
#define FOLD(f, T, A, JOIN, E) \
	static void f##_start(int64_t n, void *acc) \
	{ \
		A *a = acc; \
		for (int64_t i = 0; i < n; i++) \
			a[i] = E; \
	} \
	static inline A f##_halve(A *t, int p) \
	{ \
		enum { L = LANE_BYTES / sizeof(A) }; \
		if (L > 128) { HALF(JOIN, 128) } \
		if (L > 64) { HALF(JOIN, 64) } \
		if (L > 32) { HALF(JOIN, 32) } \
		HALF(JOIN, 16) HALF(JOIN, 8) HALF(JOIN, 4) HALF(JOIN, 2) HALF(JOIN, 1) \
		return t[0]; \
	} \
	static void f##_chunk(int64_t n, void *lanes, const void *terms) \
	{ \
		enum { L = LANE_BYTES / sizeof(A) }; \
		A t[L]; \
		const T *v = terms; \
		memcpy(t, lanes, sizeof t); \
		for (; n >= L; n -= L, v += L) \
			for (int l = 0; l < L; l++) \
				t[l] = JOIN(t[l], (A)v[l]); \
		for (int64_t l = 0; l < n; l++) \
			t[l] = JOIN(t[l], (A)v[l]); \
		memcpy(lanes, t, sizeof t); \
	} \
	static void f##_finish(void *out, void *lanes) \
	{ \
		*(A *)out = f##_halve(lanes, LANE_BYTES / sizeof(A)); \
	} \
	static void f##_segments(int64_t rows, int64_t n, void *out, const void *terms) \
	{ \
		enum { L = LANE_BYTES / sizeof(A) }; \
		A t[256], *o = out; \
		const T *v = terms; \
		int p = 1; \
		while (p < n && p < L) \
			p *= 2; \
		for (int64_t r = 0; r < rows; r++, v += n) { \
			int64_t first = n < p ? n : p, i; \
			for (int l = (int)first; l < p; l++) \
				t[l] = E; \
			for (i = 0; i < first; i++) \
				t[i] = JOIN(E, (A)v[i]); \
			for (; i + p <= n; i += p) \
				for (int l = 0; l < p; l++) \
					t[l] = JOIN(t[l], (A)v[i + l]); \
			for (int l = 0; i + l < n; l++) \
				t[l] = JOIN(t[l], (A)v[i + l]); \
			o[r] = f##_halve(t, p); \
		} \
	} \
	static void f##_chain(int64_t rows, int64_t n, void *acc, const void *terms) \
	{ \
		A *a = acc; \
		const T *v = terms; \
		for (int64_t r = 0; r < rows; r++, v += n) \
			LOOP(n) a[i] = JOIN(a[i], (A)v[i]); \
	} \
	static void f##_join(int64_t n, void *acc, const void *later) \
	{ \
		A *a = acc; \
		const A *b = later; \
		LOOP(n) a[i] = JOIN(a[i], b[i]); \
	}

#define PLUS(x, y) ((x) + (y))
#define TIMES(x, y) ((x) * (y))
#define OR(x, y) ((x) | (y))
#define AND(x, y) ((x) & (y))
/* whole numbers are summed in 64 bits, unsigned: they wrap */
#define WHOLE_SUMS(D, d, T, ...) FOLD(sum##d, T, uint64_t, PLUS, 0) FOLD(prod##d, T, uint64_t, TIMES, 1)
#define WHOLE_EXTREMES(D, d, T, HELD, held, H, numbers, ...) \
	FOLD(max##d, T, T, maximum##d, DTYPE_MIN numbers) FOLD(min##d, T, T, minimum##d, DTYPE_MAX numbers)
#define FLOAT_FOLDS(D, d, T, ...) \
	FOLD(sum##d, T, T, PLUS, (T)-0.0) FOLD(prod##d, T, T, TIMES, 1) \
	FOLD(max##d, T, T, maximum##d, (T)-__builtin_inf()) FOLD(min##d, T, T, minimum##d, (T)__builtin_inf())
FOLD(any_bool, uint8_t, uint8_t, OR, 0)
FOLD(all_bool, uint8_t, uint8_t, AND, 1)
BOOL_DTYPES(WHOLE_SUMS)
WHOLE_DTYPES(WHOLE_SUMS)
WHOLE_DTYPES(WHOLE_EXTREMES)
FLOAT_DTYPES(FLOAT_FOLDS)

/* ---- the best and where it is: the first of equals; the first NaN wins ------------------------------ */

#define BETTER(kept, x, OVER) (!((x) OVER (kept)) && (kept) == (kept))

/* OVER is <= for the largest: what is not <= the one kept is larger, or a NaN is among the two. */
#define ARG(f, T, OVER) \
	static void f##_chunk(int64_t n, void *value, int64_t *index, const void *terms, int64_t base) \
	{ \
		const T *v = terms; \
		int64_t i = 0, best = *index; \
		if (best < 0 && n) \
			*(T *)value = v[0], best = base, i = 1; \
		T kept = *(T *)value; \
		for (; i < n && kept == kept; i++) \
			if (!(v[i] OVER kept)) \
				kept = v[i], best = base + i; \
		*(T *)value = kept; \
		*index = best; \
	} \
	static void f##_segments(int64_t rows, int64_t n, int64_t *out, const void *terms) \
	{ \
		const T *v = terms; \
		for (int64_t r = 0; r < rows; r++, v += n) { \
			T kept; \
			out[r] = -1; \
			f##_chunk(n, &kept, &out[r], v, 0); \
		} \
	} \
	static void f##_chain(int64_t rows, int64_t n, void *value, int64_t *index, const void *terms, int64_t base) \
	{ \
		T *kept = value; \
		const T *v = terms; \
		for (int64_t r = 0; r < rows; r++, v += n) \
			for (int64_t i = 0; i < n; i++) \
				if (index[i] < 0 || BETTER(kept[i], v[i], OVER)) \
					kept[i] = v[i], index[i] = base + r; \
	} \
	static void f##_join(int64_t n, void *value, int64_t *index, const void *later, const int64_t *later_index) \
	{ \
		T *kept = value; \
		const T *v = later; \
		for (int64_t i = 0; i < n; i++) \
			if (later_index[i] >= 0 && (index[i] < 0 || BETTER(kept[i], v[i], OVER))) \
				kept[i] = v[i], index[i] = later_index[i]; \
	}
#define ARGS(D, d, T, ...) ARG(argmax##d, T, <=) ARG(argmin##d, T, >=)
HELD_DTYPES(ARGS)

/* ---- entries ------------------------------------------------------------------------------------------ */

#define FOLD_ENTRY(f, A) { A, f##_start, f##_chunk, f##_finish, f##_segments, f##_chain, f##_join }
#define ENTRY_OF_SUM(D, d, T, HELD, held, H, numbers, f) [DT_##D] = FOLD_ENTRY(f##d, SUM_OF numbers),
#define SUM_OF(number, dlpack, sum, ...) DT_##sum
#define ENTRY_OF_OWN(D, d, T, HELD, held, H, numbers, f) [DT_##D] = FOLD_ENTRY(f##d, DT_##D),
#define FOLD_ENTRIES(f) HELD_DTYPES(ENTRY_OF_SUM, f)
#define FOLD_OWN_ENTRIES(f) WHOLE_DTYPES(ENTRY_OF_OWN, f) FLOAT_DTYPES(ENTRY_OF_OWN, f)
#define ENTRY_OF_ARG(D, d, T, HELD, held, H, numbers, f) [DT_##D] = { f##d##_chunk, f##d##_segments, f##d##_chain, f##d##_join },
#define ARG_ENTRIES(f) HELD_DTYPES(ENTRY_OF_ARG, f)
