/* floats.h - what is fast for f32 and f64: contraction (also of narrow dtypes, in f32) and linear algebra.
 *
 * For each of the two: what R is; then vector.h, tile.h, streams.h, linear.h, and contract.h for each dtype that is
 * accumulated in R.
 */

CORE float core_quiet_f32(float x) { return x == x ? x : __builtin_nanf(""); }
CORE double core_quiet_f64(double x) { return x == x ? x : __builtin_nan(""); }

#if HAS(IS_NARROW | 1u << IS_F32)
#define N(name) PASTE(name, core_f32)
#define R float
#define R_BYTES 4
#define BITS int32_t
#define QUIET_NAN __builtin_nanf("")
#define FMA1(x, y, z) __builtin_fmaf(x, y, z)
#define ROOT(x) __builtin_sqrtf(x)
#define QUIET(x) core_quiet_f32(x)

#if WANTED(RUN_CONTRACT)
#include "vector.h"
#include "tile.h"
#include "streams.h"
#if HAS(1u << IS_F32)
#define S(name) PASTE(name, core_of_f32)
#define T float
#define TO_R(t) (t)
#define FROM_R(r) core_quiet_f32(r)
#define SAME 1
#include "contract.h"
#undef S
#undef T
#undef TO_R
#undef FROM_R
#undef SAME
#endif
#include "narrow.h"
#endif

#if HAS(1u << IS_F32) && (WANTED(RUN_QR) || WANTED(RUN_TRI_SOLVE))
#include "linear.h"
#endif
#include "clear.h"
#endif

#if HAS(1u << IS_F64)
#define N(name) PASTE(name, core_f64)
#define R double
#define R_BYTES 8
#define BITS int64_t
#define QUIET_NAN __builtin_nan("")
#define FMA1(x, y, z) __builtin_fma(x, y, z)
#define ROOT(x) __builtin_sqrt(x)
#define QUIET(x) core_quiet_f64(x)

#if WANTED(RUN_CONTRACT)
#include "vector.h"
#include "tile.h"
#include "streams.h"
#define S(name) PASTE(name, core_of_f64)
#define T double
#define TO_R(t) (t)
#define FROM_R(r) core_quiet_f64(r)
#define SAME 1
#include "contract.h"
#undef S
#undef T
#undef TO_R
#undef FROM_R
#undef SAME
#endif

#if WANTED(RUN_QR) || WANTED(RUN_TRI_SOLVE)
#include "linear.h"
#endif
#include "clear.h"
#endif
