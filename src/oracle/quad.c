/* quad.c - scalar mathematics in binary128: a table by operator. */
#include "quad_math.h"

Quad quad_inf(void)
{
	return (Quad)__builtin_inf();
}
Quad quad_nan(void)
{
	return (Quad)__builtin_nan("");
}

/* ---- arithmetic ------------------------------------------------------------ */

Quad quad_add(Quad x, Quad y)
{
	return x + y;
}
Quad quad_sub(Quad x, Quad y)
{
	return x - y;
}
Quad quad_mul(Quad x, Quad y)
{
	return x * y;
}
Quad quad_div(Quad x, Quad y)
{
	return x / y;
}
Quad quad_neg(Quad x)
{
	return -x;
}
Quad quad_sign(Quad x)
{
	if (x > 0) return 1;
	if (x < 0) return -1;
	return x;
}

Quad quad_maximum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	if (x == y) return negative(x) ? y : x;
	return x > y ? x : y;
}

Quad quad_minimum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	if (x == y) return negative(x) ? x : y;
	return x < y ? x : y;
}

Quad quad_floordiv(Quad x, Quad y)
{
	Quad q = floorf128(x / y), r = q == 0 ? x : fmaf128(-q, y, x);
	return (r < 0 && y > 0) || (r > 0 && y < 0) ? q - 1 : q;
}

Quad quad_mod(Quad x, Quad y)
{
	Quad r = fmodf128(x, y);
	if (r != 0 && (r < 0) != (y < 0)) r += y;
	return r == 0 ? copysignf128(0, y) : r;
}

Quad quad_copysign(Quad x, Quad y)
{
	return copysignf128(x, is_nan(y) ? 1 : y);
}

/* truths are 1 and 0 */
#define COMPARISON(name, sign) Quad quad_##name(Quad x, Quad y) { return x sign y; }
COMPARISON(eq, ==) COMPARISON(ne, !=) COMPARISON(lt, <) COMPARISON(le, <=) COMPARISON(gt, >)
COMPARISON(ge, >=)

Quad quad_isnan(Quad x) { return is_nan(x); }
Quad quad_isinf(Quad x) { return is_inf(x); }
Quad quad_isfinite(Quad x) { return is_finite(x); }
Quad quad_signbit(Quad x) { return negative(x); }

/* ---- what the C library has -------------------------------------------------- */

#define LIBM(name) Quad quad_##name(Quad x) { return name##f128(x); }
#define LIBM_2(name) Quad quad_##name(Quad x, Quad y) { return name##f128(x, y); }
/* clang-format off */
LIBM(floor) LIBM(ceil) LIBM(trunc) LIBM(sqrt) LIBM(cbrt) LIBM(exp) LIBM(exp2) LIBM(expm1) LIBM(log) LIBM(log2)
LIBM(log10) LIBM(log1p) LIBM(sin) LIBM(cos) LIBM(tan) LIBM(asin) LIBM(acos) LIBM(atan) LIBM(sinh) LIBM(cosh)
LIBM(tanh) LIBM(asinh) LIBM(acosh) LIBM(atanh) LIBM(erf) LIBM(erfc) LIBM_2(pow) LIBM_2(hypot) LIBM_2(atan2)
/* clang-format on */

Quad quad_abs(Quad x)
{
	return fabsf128(x);
}
Quad quad_round(Quad x)
{
	return roundevenf128(x);
}
Quad quad_fma(Quad x, Quad y, Quad z)
{
	return fmaf128(x, y, z);
}

/* ---- exponentials and logarithms --------------------------------------------- */

/* log(1 - e^-x): near 0 the difference is small, far from it e^-x is */
Quad quad_log1mexp(Quad x)
{
	return x < LN2 ? logf128(-expm1f128(-x)) : log1pf128(-expf128(-x));
}

Quad quad_logaddexp(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	Quad large = x > y ? x : y, small = x > y ? y : x;
	if (large == small) return large + LN2;
	if (is_inf(large)) return large;
	return large + log1pf128(expf128(small - large));
}

Quad quad_sigmoid(Quad x)
{
	Quad e = expf128(-fabsf128(x));
	return (x < 0 ? e : 1) / (1 + e);
}

Quad quad_softplus(Quad x)
{
	return x > 0 ? x + log1pf128(expf128(-x)) : log1pf128(expf128(x));
}

/* near 1/2 as 2 atanh(2x - 1), which is exact there */
Quad quad_logit(Quad x)
{
	return x > 0.25Q && x < 0.75Q ? 2 * atanhf128(2 * x - 1) : logf128(x) - log1pf128(-x);
}

Quad quad_exp10(Quad x)
{
	return powf128(10, x);
}

Quad quad_rsqrt(Quad x)
{
	return 1 / sqrtf128(x);
}

Quad quad_xlogy(Quad x, Quad y)
{
	return x == 0 && !is_nan(y) ? 0 : x * logf128(y);
}

Quad quad_silu(Quad x)
{
	return x == -quad_inf() ? -(Quad)0 : x * quad_sigmoid(x);
}

Quad quad_gelu_tanh(Quad x)
{
	Quad w = 2 * sqrtf128(2 / PI) * (x + 0.044715Q * x * x * x);
	return x == -quad_inf() ? -(Quad)0 : x * quad_sigmoid(w);
}

/* ---- complex numbers --------------------------------------------------------- */

static QuadPair pair(Quad re, Quad im)
{
	return (QuadPair){re, im};
}
QuadPair pair_add(QuadPair x, QuadPair y)
{
	return pair(x.re + y.re, x.im + y.im);
}
QuadPair pair_sub(QuadPair x, QuadPair y)
{
	return pair(x.re - y.re, x.im - y.im);
}
QuadPair pair_mul(QuadPair x, QuadPair y)
{
	return pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}
QuadPair pair_neg(QuadPair x)
{
	return pair(-x.re, -x.im);
}
static Quad modulus(QuadPair x)
{
	return hypotf128(x.re, x.im);
}

/* what is real of complex numbers has no imaginary part */
QuadPair pair_abs(QuadPair x)
{
	return pair(modulus(x), 0);
}
QuadPair pair_eq(QuadPair x, QuadPair y)
{
	return pair(x.re == y.re && x.im == y.im, 0);
}
QuadPair pair_ne(QuadPair x, QuadPair y)
{
	return pair(x.re != y.re || x.im != y.im, 0);
}

/* Smith: the larger part of the divisor is taken out */
QuadPair pair_div(QuadPair x, QuadPair y)
{
	if (fabsf128(y.re) >= fabsf128(y.im)) {
		Quad t = y.im / y.re, d = y.re + y.im * t;
		return pair((x.re + x.im * t) / d, (x.im - x.re * t) / d);
	}
	Quad t = y.re / y.im, d = y.re * t + y.im;
	return pair((x.re * t + x.im) / d, (x.im * t - x.re) / d);
}

QuadPair pair_sqrt(QuadPair x)
{
	if (x.re == 0 && x.im == 0) return pair(0, x.im);
	Quad t = sqrtf128((modulus(x) + fabsf128(x.re)) / 2);
	return x.re >= 0 ? pair(t, x.im / (2 * t)) : pair(fabsf128(x.im) / (2 * t), copysignf128(t, x.im));
}

QuadPair pair_exp(QuadPair x)
{
	Quad e = expf128(x.re);
	return x.im == 0 ? pair(e, x.im) : pair(e * cosf128(x.im), e * sinf128(x.im));
}

/* near modulus 1 from |x|^2 - 1 */
QuadPair pair_log(QuadPair x)
{
	Quad a = fabsf128(x.re), b = fabsf128(x.im), m = modulus(x);
	Quad large = a > b ? a : b, small = a > b ? b : a;
	Quad l = m > 0.5Q && m < 2 ? log1pf128((large - 1) * (large + 1) + small * small) / 2 : logf128(m);
	return pair(l, atan2f128(x.im, x.re));
}

QuadPair pair_pow(QuadPair x, QuadPair y)
{
	if (y.re == 0 && y.im == 0) return pair(1, 0);
	if (x.re == 0 && x.im == 0) return y.re > 0 ? pair(0, 0) : pair(quad_nan(), quad_nan());
	return pair_exp(pair_mul(y, pair_log(x)));
}

/* ---- the table ----------------------------------------------------------------- */

#define OF_BOOL(...)
#define OF_WHOLE(...)
#define OF_CHOICE(...)
#define OF_FLOAT(NAME, name, n, forms) [OP_##NAME].of_##n = quad_##name,
#define OF_COMPLEX(NAME, name, n, forms) [OP_##NAME].of_pair_##n = pair_##name,
const QuadOp quad_op[OP_COUNT] = {
#include "../ir/map_ops.h"
};
