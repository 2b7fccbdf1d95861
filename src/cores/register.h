/* register.h - a register of W_BYTES as a vector of R, and fma of them.
 *
 * Before: R, FMA1 and R_BYTES as for vector.h; W_BYTES; V(name), the names for this width.  A vector operation gives
 * each lane what the scalar one does, so the width is free.
 */

#define WL (W_BYTES/R_BYTES)
#if W_BYTES == 64 && R_BYTES == 4
#define LOAD_MASKED(p, other, mask) __builtin_ia32_loadups512_mask(p, other, mask)
#define SAVE_MASKED(p, v, mask) __builtin_ia32_storeups512_mask(p, v, mask)
#define FUSED(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4)
#elif W_BYTES == 64
#define LOAD_MASKED(p, other, mask) __builtin_ia32_loadupd512_mask(p, other, mask)
#define SAVE_MASKED(p, v, mask) __builtin_ia32_storeupd512_mask(p, v, mask)
#define FUSED(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4)
#elif CORE_ISA == 2 && R_BYTES == 4
#define LOAD_MASKED(p, other, mask) __builtin_ia32_loadups256_mask(p, other, mask)
#define SAVE_MASKED(p, v, mask) __builtin_ia32_storeups256_mask(p, v, mask)
#elif CORE_ISA == 2
#define LOAD_MASKED(p, other, mask) __builtin_ia32_loadupd256_mask(p, other, mask)
#define SAVE_MASKED(p, v, mask) __builtin_ia32_storeupd256_mask(p, v, mask)
#elif CORE_ISA == 1 && R_BYTES == 4
#define OF_256(integer) integer __attribute__((vector_size(32)))
#define LOAD_FIRST(p, lanes) __builtin_ia32_maskloadps256(p, (OF_256(int))(lanes))
#define SAVE_FIRST(p, v, lanes) __builtin_ia32_maskstoreps256(p, (OF_256(int))(lanes), v)
#elif CORE_ISA == 1
#define OF_256(integer) integer __attribute__((vector_size(32)))
#define LOAD_FIRST(p, lanes) __builtin_ia32_maskloadpd256(p, (OF_256(long long))(lanes))
#define SAVE_FIRST(p, v, lanes) __builtin_ia32_maskstorepd256(p, (OF_256(long long))(lanes), v)
#endif
#if CORE_ISA && W_BYTES == 32 && R_BYTES == 4
#define FUSED(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#elif CORE_ISA && W_BYTES == 32
#define FUSED(a, b, c) __builtin_ia32_vfmaddpd256(a, b, c)
#endif
#if WL == 16
#define FIRST_BITS(n) (unsigned short)((1u << (n)) - 1)
#else
#define FIRST_BITS(n) (unsigned char)((1u << (n)) - 1)
#endif

typedef R V(Vector) __attribute__((vector_size(W_BYTES)));
typedef R V(Loose) __attribute__((vector_size(W_BYTES), aligned(R_BYTES), may_alias));
typedef BITS V(Mask) __attribute__((vector_size(W_BYTES)));

CORE_INLINE V(Vector) V(fused)(V(Vector) a, V(Vector) b, V(Vector) c)
{
#if CORE_ISA && defined(__clang__) && __has_builtin(__builtin_elementwise_fma)
	return __builtin_elementwise_fma(a, b, c);
#elif CORE_ISA
	return (V(Vector))FUSED(a, b, c);
#else
	for (int i = 0; i < WL; i++)
		c[i] = FMA1(a[i], b[i], c[i]);
	return c;
#endif
}

CORE_INLINE V(Vector) V(splat)(R x) { return x - (V(Vector)){ 0 }; }
CORE_INLINE V(Vector) V(load)(const R *p) { return (V(Vector))*(const V(Loose) *)p; }
CORE_INLINE void V(save)(R *p, V(Vector) v) { *(V(Loose) *)p = (V(Loose))v; }

/* Lanes before n. */
CORE_INLINE V(Mask) V(first)(int64_t n)
{
	V(Mask) lane;
	for (int l = 0; l < WL; l++)
		lane[l] = l;
	return lane < (V(Mask))(lane - lane + (BITS)n);
}

/* The first n numbers at p, zeros after them; nothing else is read. */
CORE_INLINE V(Vector) V(load_first)(const R *p, int64_t n)
{
#if CORE_ISA == 2
	return (V(Vector))LOAD_MASKED((const void *)p, (V(Vector)){ 0 }, FIRST_BITS(n));
#elif CORE_ISA == 1
	return (V(Vector))LOAD_FIRST((const void *)p, V(first)(n));
#else
	V(Vector) v = { 0 };
	for (int l = 0; l < WL; l++)
		if (l < n)
			v[l] = p[l];
	return v;
#endif
}

/* The first n numbers to p; nothing else is written. */
CORE_INLINE void V(save_first)(R *p, V(Vector) v, int64_t n)
{
#if CORE_ISA == 2
	SAVE_MASKED((void *)p, v, FIRST_BITS(n));
#elif CORE_ISA == 1
	SAVE_FIRST((void *)p, v, V(first)(n));
#else
	for (int l = 0; l < WL; l++)
		if (l < n)
			p[l] = v[l];
#endif
}

CORE_INLINE V(Vector) V(quiet)(V(Vector) v)
{
	V(Mask) number = (V(Mask))(v == v), nan = (V(Mask))V(splat)(QUIET_NAN);
	return (V(Vector))((number & (V(Mask))v) | (~number & nan));
}

/* The first n > 0 numbers at p, and the first of them again after them: what is made of those lanes is made of a
 * number's own and raises nothing more, where zeros by what is infinite would be invalid. */
CORE_INLINE V(Vector) V(load_same)(const R *p, int64_t n)
{
#if CORE_ISA == 2
	return (V(Vector))LOAD_MASKED((const void *)p, V(splat)(*p), FIRST_BITS(n));
#else
	return (V(Vector))((V(Mask))V(load_first)(p, n) | (~V(first)(n) & (V(Mask))V(splat)(*p)));
#endif
}

/* load_first with -0 after them. */
CORE_INLINE V(Vector) V(load_first_minus)(const R *p, int64_t n)
{
	return (V(Vector))((V(Mask))V(load_first)(p, n) | (~V(first)(n) & (V(Mask))V(splat)(-(R)0)));
}

#undef WL
#undef FUSED
#undef FIRST_BITS
#undef LOAD_MASKED
#undef SAVE_MASKED
#undef OF_256
#undef LOAD_FIRST
#undef SAVE_FIRST
