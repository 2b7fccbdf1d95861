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
Quad quad_fma(Quad x, Quad y, Quad z)
{
	return fmaf128(x, y, z);
}
Quad quad_sqrt(Quad x)
{
	return sqrtf128(x);
}
Quad quad_trunc(Quad x)
{
	return truncf128(x);
}

/* ---- arithmetic ------------------------------------------------------------ */

static Quad add(Quad x, Quad y)
{
	return x + y;
}
static Quad sub(Quad x, Quad y)
{
	return x - y;
}
static Quad mul(Quad x, Quad y)
{
	return x * y;
}
static Quad divide(Quad x, Quad y)
{
	return x / y;
}
static Quad neg(Quad x)
{
	return -x;
}
static Quad same(Quad x)
{
	return x;
}
static Quad zero(Quad x)
{
	return 0;
}
static Quad sign(Quad x)
{
	if (x > 0) return 1;
	if (x < 0) return -1;
	return x;
}

static Quad maximum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	if (x == y) return negative(x) ? y : x;
	return x > y ? x : y;
}

static Quad minimum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	if (x == y) return negative(x) ? x : y;
	return x < y ? x : y;
}

static Quad floor_div(Quad x, Quad y)
{
	Quad q = floorf128(x / y), r = q == 0 ? x : fmaf128(-q, y, x);
	return (r < 0 && y > 0) || (r > 0 && y < 0) ? q - 1 : q;
}

static Quad mod(Quad x, Quad y)
{
	Quad r = fmodf128(x, y);
	if (r != 0 && (r < 0) != (y < 0)) r += y;
	return r == 0 ? copysignf128(0, y) : r;
}

static Quad copysign_to(Quad x, Quad y)
{
	return copysignf128(x, is_nan(y) ? 1 : y);
}

static bool eq(Quad x, Quad y)
{
	return x == y;
}
static bool ne(Quad x, Quad y)
{
	return x != y;
}
static bool lt(Quad x, Quad y)
{
	return x < y;
}
static bool le(Quad x, Quad y)
{
	return x <= y;
}
static bool gt(Quad x, Quad y)
{
	return x > y;
}
static bool ge(Quad x, Quad y)
{
	return x >= y;
}

/* ---- exponentials and logarithms --------------------------------------------- */

/* log(1 - e^-x): near 0 the difference is small, far from it e^-x is */
static Quad log1mexp(Quad x)
{
	return x < LN2 ? logf128(-expm1f128(-x)) : log1pf128(-expf128(-x));
}

static Quad logaddexp(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	Quad large = x > y ? x : y, small = x > y ? y : x;
	if (large == small) return large + LN2;
	if (is_inf(large)) return large;
	return large + log1pf128(expf128(small - large));
}

static Quad sigmoid(Quad x)
{
	Quad e = expf128(-fabsf128(x));
	return (x < 0 ? e : 1) / (1 + e);
}

static Quad softplus(Quad x)
{
	return x > 0 ? x + log1pf128(expf128(-x)) : log1pf128(expf128(x));
}

/* near 1/2 as 2 atanh(2x - 1), which is exact there */
static Quad logit(Quad x)
{
	return x > 0.25Q && x < 0.75Q ? 2 * atanhf128(2 * x - 1) : logf128(x) - log1pf128(-x);
}

static Quad ten_to(Quad x)
{
	return powf128(10, x);
}

static Quad rsqrt(Quad x)
{
	return 1 / sqrtf128(x);
}

static Quad xlogy(Quad x, Quad y)
{
	return x == 0 && !is_nan(y) ? 0 : x * logf128(y);
}

static Quad silu(Quad x)
{
	return x == -quad_inf() ? -(Quad)0 : x * sigmoid(x);
}

static Quad gelu_tanh(Quad x)
{
	Quad w = 2 * sqrtf128(2 / PI) * (x + 0.044715Q * x * x * x);
	return x == -quad_inf() ? -(Quad)0 : x * sigmoid(w);
}

/* ---- complex numbers --------------------------------------------------------- */

static QuadPair pair(Quad re, Quad im)
{
	return (QuadPair){re, im};
}
static QuadPair c_add(QuadPair x, QuadPair y)
{
	return pair(x.re + y.re, x.im + y.im);
}
static QuadPair c_sub(QuadPair x, QuadPair y)
{
	return pair(x.re - y.re, x.im - y.im);
}
static QuadPair c_mul(QuadPair x, QuadPair y)
{
	return pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}
static QuadPair c_neg(QuadPair x)
{
	return pair(-x.re, -x.im);
}
static QuadPair c_conj(QuadPair x)
{
	return pair(x.re, -x.im);
}
static QuadPair c_same(QuadPair x)
{
	return x;
}
static QuadPair c_re(QuadPair x)
{
	return pair(x.re, 0);
}
static QuadPair c_im(QuadPair x)
{
	return pair(x.im, 0);
}
Quad quad_abs_pair(QuadPair x)
{
	return hypotf128(x.re, x.im);
}

/* Smith: the larger part of the divisor is taken out */
static QuadPair c_div(QuadPair x, QuadPair y)
{
	if (fabsf128(y.re) >= fabsf128(y.im)) {
		Quad t = y.im / y.re, d = y.re + y.im * t;
		return pair((x.re + x.im * t) / d, (x.im - x.re * t) / d);
	}
	Quad t = y.re / y.im, d = y.re * t + y.im;
	return pair((x.re * t + x.im) / d, (x.im * t - x.re) / d);
}

static QuadPair c_sqrt(QuadPair x)
{
	if (x.re == 0 && x.im == 0) return pair(0, x.im);
	Quad t = sqrtf128((quad_abs_pair(x) + fabsf128(x.re)) / 2);
	return x.re >= 0 ? pair(t, x.im / (2 * t)) : pair(fabsf128(x.im) / (2 * t), copysignf128(t, x.im));
}

static QuadPair c_exp(QuadPair x)
{
	Quad e = expf128(x.re);
	return x.im == 0 ? pair(e, x.im) : pair(e * cosf128(x.im), e * sinf128(x.im));
}

/* near modulus 1 from |x|^2 - 1 */
static QuadPair c_log(QuadPair x)
{
	Quad a = fabsf128(x.re), b = fabsf128(x.im), m = quad_abs_pair(x);
	Quad large = a > b ? a : b, small = a > b ? b : a;
	Quad l = m > 0.5Q && m < 2 ? log1pf128((large - 1) * (large + 1) + small * small) / 2 : logf128(m);
	return pair(l, atan2f128(x.im, x.re));
}

static QuadPair c_pow(QuadPair x, QuadPair y)
{
	if (y.re == 0 && y.im == 0) return pair(1, 0);
	if (x.re == 0 && x.im == 0) return y.re > 0 ? pair(0, 0) : pair(quad_nan(), quad_nan());
	return c_exp(c_mul(y, c_log(x)));
}

/* ---- the table ----------------------------------------------------------------- */

const QuadOp quad_op[OP_COUNT] = {
	[OP_ADD] = {.two = add, .pairs = c_add},
	[OP_SUB] = {.two = sub, .pairs = c_sub},
	[OP_MUL] = {.two = mul, .pairs = c_mul},
	[OP_DIV] = {.two = divide, .pairs = c_div},
	[OP_FLOORDIV] = {.two = floor_div},
	[OP_MOD] = {.two = mod},
	[OP_POW] = {.two = powf128, .pairs = c_pow},
	[OP_NEG] = {.one = neg, .pair = c_neg},
	[OP_ABS] = {.one = fabsf128},
	[OP_SIGN] = {.one = sign},
	[OP_MAXIMUM] = {.two = maximum},
	[OP_MINIMUM] = {.two = minimum},
	[OP_FMA] = {.three = fmaf128},
	[OP_EQ] = {.compare = eq},
	[OP_NE] = {.compare = ne},
	[OP_LT] = {.compare = lt},
	[OP_LE] = {.compare = le},
	[OP_GT] = {.compare = gt},
	[OP_GE] = {.compare = ge},
	[OP_ISNAN] = {.test = is_nan},
	[OP_ISINF] = {.test = is_inf},
	[OP_ISFINITE] = {.test = is_finite},
	[OP_SIGNBIT] = {.test = negative},
	[OP_COPYSIGN] = {.two = copysign_to},
	[OP_FLOOR] = {.one = floorf128},
	[OP_CEIL] = {.one = ceilf128},
	[OP_ROUND] = {.one = roundevenf128},
	[OP_TRUNC] = {.one = truncf128},
	[OP_SQRT] = {.one = sqrtf128, .pair = c_sqrt},
	[OP_CBRT] = {.one = cbrtf128},
	[OP_HYPOT] = {.two = hypotf128},
	[OP_EXP] = {.one = expf128, .pair = c_exp},
	[OP_EXP2] = {.one = exp2f128},
	[OP_EXPM1] = {.one = expm1f128},
	[OP_LOG] = {.one = logf128, .pair = c_log},
	[OP_LOG2] = {.one = log2f128},
	[OP_LOG10] = {.one = log10f128},
	[OP_LOG1P] = {.one = log1pf128},
	[OP_LOG1MEXP] = {.one = log1mexp},
	[OP_LOGADDEXP] = {.two = logaddexp},
	[OP_SIGMOID] = {.one = sigmoid},
	[OP_SOFTPLUS] = {.one = softplus},
	[OP_LOGIT] = {.one = logit},
	[OP_SIN] = {.one = sinf128},
	[OP_COS] = {.one = cosf128},
	[OP_TAN] = {.one = tanf128},
	[OP_ASIN] = {.one = asinf128},
	[OP_ACOS] = {.one = acosf128},
	[OP_ATAN] = {.one = atanf128},
	[OP_ATAN2] = {.two = atan2f128},
	[OP_SINH] = {.one = sinhf128},
	[OP_COSH] = {.one = coshf128},
	[OP_TANH] = {.one = tanhf128},
	[OP_ASINH] = {.one = asinhf128},
	[OP_ACOSH] = {.one = acoshf128},
	[OP_ATANH] = {.one = atanhf128},
	[OP_ERF] = {.one = erff128},
	[OP_ERFC] = {.one = erfcf128},
	[OP_ERFINV] = {.one = quad_erfinv},
	[OP_GAMMA] = {.one = quad_gamma},
	[OP_LGAMMA] = {.one = quad_lgamma},
	[OP_DIGAMMA] = {.one = quad_digamma},
	[OP_POLYGAMMA] = {.two = quad_polygamma},
	[OP_EXP10] = {.one = ten_to},
	[OP_RSQRT] = {.one = rsqrt},
	[OP_XLOGY] = {.two = xlogy},
	[OP_SINPI] = {.one = quad_sinpi},
	[OP_COSPI] = {.one = quad_cospi},
	[OP_SINC] = {.one = quad_sinc},
	[OP_SILU] = {.one = silu},
	[OP_GELU] = {.one = quad_gelu},
	[OP_GELU_TANH] = {.one = gelu_tanh},
	[OP_ERFCX] = {.one = quad_erfcx},
	[OP_NDTR] = {.one = quad_ndtr},
	[OP_LOG_NDTR] = {.one = quad_log_ndtr},
	[OP_TRIGAMMA] = {.one = quad_trigamma},
	[OP_LBETA] = {.two = quad_lbeta},
	[OP_I0E] = {.one = quad_i0e},
	[OP_I1E] = {.one = quad_i1e},
	[OP_STOP] = {.one = same, .pair = c_same},
	[OP_RE] = {.one = same, .pair = c_re},
	[OP_IM] = {.one = zero, .pair = c_im},
	[OP_CONJ] = {.one = same, .pair = c_conj},
};
