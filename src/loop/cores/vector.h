/* vector.h - vectors of R = float or double of the widest register, and fma of them.
 *
 * Before: N, R, FMA1, and R_BYTES (4 or 8, for the preprocessor).  A vector operation gives each lane what the
 * scalar one does, so the width is free.
 */

#if CORE_ISA == 2
#define V_BYTES 64
#elif CORE_ISA == 1
#define V_BYTES 32
#else
#define V_BYTES 16
#endif
#define VL (V_BYTES/R_BYTES)

typedef R N(Vector) __attribute__((vector_size(V_BYTES)));
typedef R N(Loose) __attribute__((vector_size(V_BYTES), aligned(R_BYTES), may_alias));
typedef R N(Half) __attribute__((vector_size(32)));
typedef R N(LooseHalf) __attribute__((vector_size(32), aligned(R_BYTES), may_alias));

CORE_INLINE N(Vector) N(fused)(N(Vector) a, N(Vector) b, N(Vector) c)
{
#if CORE_ISA && defined(__clang__) && __has_builtin(__builtin_elementwise_fma)
	return __builtin_elementwise_fma(a, b, c);
#elif CORE_ISA == 2 && R_BYTES == 4
	return (N(Vector))__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4);
#elif CORE_ISA == 2
	return (N(Vector))__builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
#elif CORE_ISA == 1 && R_BYTES == 4
	return (N(Vector))__builtin_ia32_vfmaddps256(a, b, c);
#elif CORE_ISA == 1
	return (N(Vector))__builtin_ia32_vfmaddpd256(a, b, c);
#else
	N(Vector) s;
	for (int i = 0; i < VL; i++)
		s[i] = FMA1(a[i], b[i], c[i]);
	return s;
#endif
}

CORE_INLINE N(Vector) N(load)(const R *p) { return (N(Vector))*(const N(Loose) *)p; }
CORE_INLINE void N(save)(R *p, N(Vector) v) { *(N(Loose) *)p = (N(Loose))v; }
CORE_INLINE N(Vector) N(splat)(R x) { return x - (N(Vector)){ 0 }; }
CORE_INLINE N(Vector) N(quiet)(N(Vector) v)
{
	typedef BITS Mask __attribute__((vector_size(V_BYTES)));
	Mask number = (Mask)(v == v), nan = (Mask)N(splat)(QUIET_NAN);
	return (N(Vector))((number & (Mask)v) | (~number & nan));
}

/* ---- turning ---- */

/* to[j*ts + i] = from[i*fs + j], i, j < B: log B times, the off-diagonal quarters of ever smaller squares are
 * exchanged. */
#if R_BYTES == 4
#define B 8
#define EXCHANGE(h, low, high) \
	for (int i = 0; i < 8; i++) \
		if (!(i & h)) { \
			N(Half) a = r[i], b = r[i + h]; \
			r[i] = SHUFFLE(int32_t, a, b, low); \
			r[i + h] = SHUFFLE(int32_t, a, b, high); \
		}
#define LISTS EXCHANGE(4, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)) \
	EXCHANGE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)) \
	EXCHANGE(1, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15))
#else
#define B 4
#define EXCHANGE(h, low, high) \
	for (int i = 0; i < 4; i++) \
		if (!(i & h)) { \
			N(Half) a = r[i], b = r[i + h]; \
			r[i] = SHUFFLE(int64_t, a, b, low); \
			r[i + h] = SHUFFLE(int64_t, a, b, high); \
		}
#define LISTS EXCHANGE(2, (0, 1, 4, 5), (2, 3, 6, 7)) EXCHANGE(1, (0, 4, 2, 6), (1, 5, 3, 7))
#endif

CORE_INLINE void N(turn_square)(R *to, int64_t ts, const R *from, int64_t fs)
{
	N(Half) r[B];
	UNROLL for (int i = 0; i < B; i++)
		r[i] = (N(Half))*(const N(LooseHalf) *)(from + i*fs);
	LISTS
	UNROLL for (int i = 0; i < B; i++)
		*(N(LooseHalf) *)(to + i*ts) = (N(LooseHalf))r[i];
}

CORE void N(turn)(R *to, int64_t ts, const R *from, int64_t fs, int64_t rows, int64_t columns)
{
	int64_t i = 0;
	for (; i + B <= rows; i += B) {
		int64_t j = 0;
		for (; j + B <= columns; j += B)
			N(turn_square)(to + j*ts + i, ts, from + i*fs + j, fs);
		for (; j < columns; j++)
			for (int64_t l = 0; l < B; l++)
				to[j*ts + i + l] = from[(i + l)*fs + j];
	}
	for (; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			to[j*ts + i] = from[i*fs + j];
}
#undef B
#undef EXCHANGE
#undef LISTS
