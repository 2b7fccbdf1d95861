/* dtypes.h - simple.h for each dtype. */

#include "each.h"

/* ---- complex numbers: the plain product, no fma ---- */

/* gcc 12 at -O3 fuses the products of (ac - bd, ad + bc) in a loop, -ffp-contract=off or not: a product that the
 * compiler cannot see through stays rounded. */
#ifndef ROUNDED
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define ROUNDED(p) __asm__("" : "+x"(p))
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
#define ROUNDED(p) __asm__("" : "+w"(p))
#else
#define ROUNDED(p) (void)0
#endif
#endif

typedef struct Single { float re, im; } Single;
typedef struct Double { double re, im; } Double;

CORE_INLINE Single core_add_c64(Single x, Single y) { return (Single){ x.re + y.re, x.im + y.im }; }
CORE_INLINE Single core_quiet_c64(Single x) { return (Single){ core_quiet_f32(x.re), core_quiet_f32(x.im) }; }
CORE_INLINE Single core_madd_c64(Single x, Single y, Single z)
{
	float a = x.re*y.re, b = x.im*y.im, c = x.re*y.im, d = x.im*y.re;
	ROUNDED(a);
	ROUNDED(b);
	ROUNDED(c);
	ROUNDED(d);
	return core_add_c64(z, (Single){ a - b, c + d });
}

CORE_INLINE Double core_add_c128(Double x, Double y) { return (Double){ x.re + y.re, x.im + y.im }; }
CORE_INLINE Double core_quiet_c128(Double x) { return (Double){ core_quiet_f64(x.re), core_quiet_f64(x.im) }; }
CORE_INLINE Double core_madd_c128(Double x, Double y, Double z)
{
	double a = x.re*y.re, b = x.im*y.im, c = x.re*y.im, d = x.im*y.re;
	ROUNDED(a);
	ROUNDED(b);
	ROUNDED(c);
	ROUNDED(d);
	return core_add_c128(z, (Double){ a - b, c + d });
}

#if HAS(1u << IS_C64)
#define N(name) PASTE(name, core_c64)
#define T Single
#define W Single
#define LOAD(t) (t)
#define STORE(w) core_quiet_c64(w)
#define ADD(x, y) core_add_c64(x, y)
#define MADD(x, y, z) core_madd_c64(x, y, z)
#define MUL(x, y) core_madd_c64(x, y, NOTHING)
#define NOTHING ((Single){ -(float)0, -(float)0 })
#define PLAIN_CONTRACT
#include "float.h"
#endif

#if HAS(1u << IS_C128)
#define N(name) PASTE(name, core_c128)
#define T Double
#define W Double
#define LOAD(t) (t)
#define STORE(w) core_quiet_c128(w)
#define ADD(x, y) core_add_c128(x, y)
#define MADD(x, y, z) core_madd_c128(x, y, z)
#define MUL(x, y) core_madd_c128(x, y, NOTHING)
#define NOTHING ((Double){ -(double)0, -(double)0 })
#define PLAIN_CONTRACT
#include "float.h"
#endif

/* ---- keys: only moved ---- */

typedef struct Key { uint64_t word[2]; } Key;

#if HAS(1u << IS_KEY)
#define N(name) PASTE(name, core_key)
#define T Key
#define W Key
#define LOAD(t) (t)
#define STORE(w) (w)
#define ADD(x, y) (y)
#define MOVED_ONLY
#include "float.h"
#endif
