/* cores.h - the precompiled routines as one text, for the instruction set CORE_ISA.
 *
 * The text is this file with each #include "NAME.h" replaced by the text of NAME.h, as often as it stands.  It
 * calls nothing but memcpy, memset and, at CORE_ISA 0, fma and fmaf; allocates nothing; includes nothing.  Before
 * it: intN_t and uintN_t, and of the scalar functions cast_NAME_f32 and cast_f32_NAME of each narrow dtype, with
 * those that they use.  To be compiled with -ffp-contract=off.
 *
 *   CORE_ISA     0 baseline, 1 AVX2 and FMA, 2 AVX-512 F, DQ, BW, VL.  Not defined: what the compiler's target has.
 *   CORE_RUN     the name of the one function that is not static; not defined: core_run_here, static
 *   CORE_WANT    a bit 1 << RUN_... for each core that is wanted; not defined: all
 *   CORE_DTYPES  a bit 1 << IS_... for each dtype that is wanted; not defined: all
 *
 * The same bits at each instruction set and for any ranges of items.
 */
#ifndef CORE_ISA
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define CORE_ISA 2
#elif defined(__AVX2__) && defined(__FMA__)
#define CORE_ISA 1
#else
#define CORE_ISA 0
#endif
#endif
#ifndef CORE_WANT
#define CORE_WANT ~0u
#endif
#ifndef CORE_DTYPES
#define CORE_DTYPES ~0u
#endif

#include "items.h"

#define CORE_INLINE static inline __attribute__((always_inline, unused))
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define SHUFFLE(I, bytes, a, b, list) __builtin_shufflevector(a, b, SHUFFLE_LIST list)
#define SHUFFLE_LIST(...) __VA_ARGS__
#else
#define UNROLL _Pragma("GCC unroll 16")
#define SHUFFLE(I, bytes, a, b, list) __builtin_shuffle(a, b, (SHUFFLE_MASK(I, bytes)) SHUFFLE_LIST list)
#define SHUFFLE_MASK(I, bytes) I __attribute__((vector_size(bytes)))
#define SHUFFLE_LIST(...) { __VA_ARGS__ }
#endif

/* ---- f32 and f64: tiles, lanes, linear algebra ---- */

#define HAS(dtypes) (CORE_DTYPES & (dtypes))
#define WANTED(core) (CORE_WANT >> (core) & 1)
#include "floats.h"

/* ---- each dtype ---- */

#include "dtypes.h"
#include "run.h"
