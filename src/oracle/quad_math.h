/* quad_math.h - what quad.c and quad_special.c share: glibc's functions of binary128, constants, tests.
 *
 * The prototypes are our own: one spelling, __float128, that both compilers
 * know.  <math.h> is not included, lest it declare them in another.
 */
#ifndef POR_QUAD_MATH_H
#define POR_QUAD_MATH_H

#include "quad.h"

#define Q1(f) Quad f(Quad);
/* clang-format off */
Q1(fabsf128) Q1(floorf128) Q1(ceilf128) Q1(truncf128) Q1(roundevenf128) Q1(sqrtf128) Q1(cbrtf128)
Q1(expf128) Q1(exp2f128) Q1(expm1f128) Q1(logf128) Q1(log2f128) Q1(log10f128) Q1(log1pf128)
Q1(sinf128) Q1(cosf128) Q1(tanf128) Q1(asinf128) Q1(acosf128) Q1(atanf128) Q1(sinhf128)
Q1(coshf128) Q1(tanhf128) Q1(asinhf128) Q1(acoshf128) Q1(atanhf128) Q1(erff128) Q1(erfcf128)
Q1(tgammaf128)
/* clang-format on */
#undef Q1
Quad fmodf128(Quad, Quad);
Quad powf128(Quad, Quad);
Quad hypotf128(Quad, Quad);
Quad atan2f128(Quad, Quad);
Quad copysignf128(Quad, Quad);
Quad fmaf128(Quad, Quad, Quad);
Quad lgammaf128_r(Quad, int *);

#define PI 3.14159265358979323846264338327950288420Q
#define LN2 0.693147180559945309417232121458176568076Q
#define ROOT_PI 1.77245385090551602729816748334114518280Q

static inline bool is_nan(Quad x)
{
	return x != x;
}
static inline bool is_inf(Quad x)
{
	return x == quad_inf() || x == -quad_inf();
}
static inline bool is_finite(Quad x)
{
	return x - x == 0;
}
static inline bool negative(Quad x)
{
	return !is_nan(x) && copysignf128(1, x) < 0;
}

#endif
