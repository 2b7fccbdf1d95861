/* vector.h - vectors of R = float or double: register.h for the widest register as N(name), and for half of it, as
 * N(half_name), where it is worth having; turned, joined.
 *
 * Before: N, R, FMA1, and R_BYTES (4 or 8, for the preprocessor).
 */

#if CORE_ISA == 2
#define V_BYTES 64
#elif CORE_ISA == 1
#define V_BYTES 32
#else
#define V_BYTES 16
#endif
#define VL (V_BYTES/R_BYTES)

#define V(name) N(name)
#define W_BYTES V_BYTES
#include "register.h"
#undef V
#undef W_BYTES
#if CORE_ISA == 2
#define V(name) N(half_##name)
#define W_BYTES 32
#include "register.h"
#undef V
#undef W_BYTES
#endif

typedef R N(Half) __attribute__((vector_size(32)));
typedef R N(LooseHalf) __attribute__((vector_size(32), aligned(R_BYTES), may_alias));

/* ---- turning, joining ---- */

#if R_BYTES == 4
#define INTEGER int32_t
#define SQUARES(DO) HALVINGS_8(DO, N(Half), 32)
#else
#define INTEGER int64_t
#define SQUARES(DO) HALVINGS_4(DO, N(Half), 32)
#endif
/* DO(V, bytes, b, h, low, high) for each h from b/2: numbers whose index lacks or has the bit h. */
#define HALVINGS_2(DO, V, bytes) DO(V, bytes, 2, 1, (0, 2), (1, 3))
#define HALVINGS_4(DO, V, bytes) DO(V, bytes, 4, 2, (0, 1, 4, 5), (2, 3, 6, 7)) \
	DO(V, bytes, 4, 1, (0, 4, 2, 6), (1, 5, 3, 7))
#define HALVINGS_8(DO, V, bytes) DO(V, bytes, 8, 4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)) \
	DO(V, bytes, 8, 2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)) \
	DO(V, bytes, 8, 1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
#define HALVINGS_16(DO, V, bytes) \
	DO(V, bytes, 16, 8, (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23), \
	   (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)) \
	DO(V, bytes, 16, 4, (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27), \
	   (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)) \
	DO(V, bytes, 16, 2, (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29), \
	   (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)) \
	DO(V, bytes, 16, 1, (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), \
	   (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))

/* Squares are turned in log B steps: the off-diagonal quarters of ever smaller squares are exchanged. */
#define EXCHANGE(V, bytes, b, h, low, high) \
	UNROLL for (int i = 0; i < b; i++) \
		if (!(i & h)) { \
			V p = r[i], q = r[i + h]; \
			r[i] = SHUFFLE(INTEGER, bytes, p, q, low); \
			r[i + h] = SHUFFLE(INTEGER, bytes, p, q, high); \
		}
/* The same, where what lies beside each other then is added. */
#define JOIN(V, bytes, b, h, low, high) \
	UNROLL for (int i = 0; i < h; i++) \
		r[i] = SHUFFLE(INTEGER, bytes, r[i], r[i + h], low) + SHUFFLE(INTEGER, bytes, r[i], r[i + h], high);

#if VL == 16
#define HALVINGS(DO) HALVINGS_16(DO, N(Vector), V_BYTES)
#elif VL == 8
#define HALVINGS(DO) HALVINGS_8(DO, N(Vector), V_BYTES)
#elif VL == 4
#define HALVINGS(DO) HALVINGS_4(DO, N(Vector), V_BYTES)
#else
#define HALVINGS(DO) HALVINGS_2(DO, N(Vector), V_BYTES)
#endif

/* VL vectors: number j of vector i goes to vector j, i. */
CORE_INLINE void N(turn_vectors)(N(Vector) r[VL]) { HALVINGS(EXCHANGE) }

/* The sums of VL vectors: in each, lane l joins with l + h, h halving. */
CORE_INLINE N(Vector) N(join_lanes)(N(Vector) r[VL])
{
	HALVINGS(JOIN)
	return r[0];
}

enum { N(SQUARE) = 32/R_BYTES };

/* to[j*ts + i] = from[i*fs + j], i, j < SQUARE. */
CORE_INLINE void N(turn_square)(R *to, int64_t ts, const R *from, int64_t fs)
{
	N(Half) r[N(SQUARE)];
	UNROLL for (int i = 0; i < N(SQUARE); i++)
		r[i] = (N(Half))*(const N(LooseHalf) *)(from + i*fs);
	SQUARES(EXCHANGE)
	UNROLL for (int i = 0; i < N(SQUARE); i++)
		*(N(LooseHalf) *)(to + i*ts) = (N(LooseHalf))r[i];
}

CORE void N(turn)(R *to, int64_t ts, const R *from, int64_t fs, int64_t rows, int64_t columns)
{
	int64_t i = 0;
	for (; i + N(SQUARE) <= rows; i += N(SQUARE)) {
		int64_t j = 0;
		for (; j + N(SQUARE) <= columns; j += N(SQUARE))
			N(turn_square)(to + j*ts + i, ts, from + i*fs + j, fs);
		for (; j < columns; j++)
			for (int64_t l = 0; l < N(SQUARE); l++)
				to[j*ts + i + l] = from[(i + l)*fs + j];
	}
	for (; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			to[j*ts + i] = from[i*fs + j];
}
#undef INTEGER
#undef SQUARES
#undef HALVINGS
#undef HALVINGS_2
#undef HALVINGS_4
#undef HALVINGS_8
#undef HALVINGS_16
#undef EXCHANGE
#undef JOIN
