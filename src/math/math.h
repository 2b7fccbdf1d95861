/* math.h - the scalar functions: every MAP operator, a function NAME_dtype each, and the random words.
 *
 * These are the single source of what one element is: they are inlined in generated kernels, compiled into the
 * interpreter's loops once per instruction set, and used by the reference evaluator.  A function is one paragraph
 * that starts at column 0 with M and ends with a brace at column 0 or at the end of its one line; it uses its
 * arguments, constants, functions above it and compiler builtins only.  Nearly all are free of branches, so a loop
 * over one vectorises; none depends on the width: fma stands where it is written, nothing is reassociated.  To be
 * compiled with -ffp-contract=off, never with -ffast-math.
 *
 * Where rare arguments cost much, far_NAME says whether x is one of them, and near_NAME is NAME without them: the same bits
 * for all others, sooner.  Loops over arrays ask far_NAME of all elements first.
 *
 * dtypes: bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64.  bool is a uint8_t of 0 or 1.  f16 and bf16 are uint16_t,
 * computed as f32 and rounded by round_f16 or round_bf16 after each operation.  Complex numbers: complex.h.
 */
#ifndef POR_MATH_H
#define POR_MATH_H

#ifdef __CUDACC_RTC__                                   /* CUDA's compiler in memory has neither headers nor builtins */
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT8_MAX 0x7f
#define INT16_MAX 0x7fff
#define INT32_MAX 0x7fffffff
#define INT64_MAX 0x7fffffffffffffff
#define INT8_MIN (-INT8_MAX - 1)
#define INT16_MIN (-INT16_MAX - 1)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 0xff
#define UINT16_MAX 0xffff
#define UINT32_MAX 0xffffffffu
#define UINT64_MAX 0xffffffffffffffffu
#define __builtin_ceil ceil
#define __builtin_ceilf ceilf
#define __builtin_copysign(x, y) copysign((double)(x), (double)(y))
#define __builtin_copysignf(x, y) copysignf((float)(x), (float)(y))
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_floor floor
#define __builtin_floorf floorf
#define __builtin_fma fma
#define __builtin_fmaf fmaf
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_nan nan
#define __builtin_nanf nanf
#define __builtin_rint rint
#define __builtin_rintf rintf
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
#define __builtin_trunc trunc
#define __builtin_truncf truncf
#else
#include <stdint.h>
#endif

#if defined(__CUDACC__) || defined(__CUDA__)            /* device code: to be compiled with -fmad=false */
#define M static inline __device__ __attribute__((always_inline, unused))
#else
#define M static inline __attribute__((always_inline, unused))
#endif

/* gcc 12 at -O3 fuses (ac - bd, ad + bc) even with -ffp-contract=off: its pattern for alternating sums ignores that option.
 * ROUNDED hides a product from it, which so stays rounded. */
#ifndef ROUNDED
#if defined(__FMA__) && !defined(__clang__)
#define ROUNDED(p) __asm__("" : "+x"(p))
#elif defined(__aarch64__) && !defined(__clang__)
#define ROUNDED(p) __asm__("" : "+w"(p))
#else
#define ROUNDED(p) (void)0
#endif
#endif

#include "cast.h"     /* bits, bitcast_from_to, cast_from_to, f16 and bf16 */
#include "arith.h"    /* add ... fma, comparison, logic, bits, where */
#include "divide.h"   /* floordiv, mod */
#include "round.h"    /* floor, ceil, round, trunc */
#include "poly.h"     /* polynomials */
#include "exp.h"      /* exp, exp2, exp10, expm1, sigmoid */
#include "log.h"      /* log, log2, log10, log1p, log1mexp, softplus, logsigmoid, logaddexp, logit */
#include "power.h"    /* sqrt, cbrt, hypot, pow */
#include "trig.h"     /* sin, cos, tan, asin, acos, atan, atan2 */
#include "hyper.h"    /* sinh, cosh, tanh, asinh, acosh, atanh */
#include "erf.h"      /* erf, erfc, erfcx, erfinv, ndtr, log_ndtr, gelu */
#include "gamma.h"    /* gamma, lgamma, lbeta, digamma, trigamma, polygamma */
#include "bessel.h"   /* i0e, i1e */
#include "random.h"   /* philox, key_at, uniform, normal */
#include "complex.h"  /* the operators that complex numbers have */

#endif
