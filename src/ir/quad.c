/* quad.c - scalar mathematics in binary128: glibc's functions, and those it lacks.
 *
 * The prototypes are our own: one spelling, __float128, that both compilers
 * know.  <math.h> is not included, lest it declare them in another.
 */
#include "quad.h"

#define Q1(f) Quad f(Quad);
Q1(fabsf128)
Q1(floorf128)
Q1(ceilf128) Q1(truncf128) Q1(roundevenf128) Q1(sqrtf128) Q1(cbrtf128) Q1(expf128) Q1(exp2f128) Q1(expm1f128)
	Q1(logf128) Q1(log2f128) Q1(log10f128) Q1(log1pf128) Q1(sinf128) Q1(cosf128) Q1(tanf128) Q1(asinf128)
		Q1(acosf128) Q1(atanf128) Q1(sinhf128) Q1(coshf128) Q1(tanhf128) Q1(asinhf128) Q1(acoshf128)
			Q1(atanhf128) Q1(erff128) Q1(erfcf128) Q1(tgammaf128)
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

static bool is_nan(Quad x)
{
	return x != x;
}
static bool is_inf(Quad x)
{
	return x == quad_inf() || x == -quad_inf();
}
static bool is_finite(Quad x)
{
	return x - x == 0;
}
static bool negative(Quad x)
{
	return !is_nan(x) && copysignf128(1, x) < 0;
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
	return (void)x, 0;
}
static Quad sign(Quad x)
{
	return x > 0 ? 1 : x < 0 ? -1 : x;
}

static Quad maximum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	return x == y ? (negative(x) ? y : x) : x > y ? x : y;
}

static Quad minimum(Quad x, Quad y)
{
	if (is_nan(x) || is_nan(y)) return quad_nan();
	return x == y ? (negative(x) ? x : y) : x < y ? x : y;
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
	return large == small   ? large + LN2
		: is_inf(large) ? large
				: large + log1pf128(expf128(small - large));
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

/* ---- error and gamma functions ------------------------------------------------- */

/* Winitzki's formula (three digits), then Halley's step on erf(y) = x, or on
 * erfc(y) = 1 - x where x is near 1, until it stays. */
static Quad erfinv(Quad x)
{
	Quad a = fabsf128(x), rest = 1 - a;
	if (!(a < 1)) return a == 1 ? copysignf128(quad_inf(), x) : quad_nan();
	if (a == 0) return x;
	Quad l = logf128(rest * (1 + a)), h = 4.33Q + l / 2;
	Quad y = sqrtf128(sqrtf128(h * h - l / 0.147Q) - h);
	for (int i = 0; i < 12; i++) {
		Quad off = a < 0.5Q ? erff128(y) - a : rest - erfcf128(y);
		Quad step = off * ROOT_PI / 2 * expf128(y * y);
		Quad next = y - step / (1 + y * step);
		if (next == y) break;
		y = next;
	}
	return copysignf128(y, x);
}

static Quad lgamma_abs(Quad x)
{
	int s;
	return lgammaf128_r(x, &s);
}

static bool is_pole(Quad x)
{
	return x <= 0 && x == floorf128(x);
}

static Quad gamma_of(Quad x)
{
	return x < 0 && (is_pole(x) || is_inf(x)) ? quad_nan() : tgammaf128(x);
}

/* Bernoulli numbers B(2), B(4), ..., B(32) */
static const Quad bernoulli[] = {
	1.0Q / 6,
	-1.0Q / 30,
	1.0Q / 42,
	-1.0Q / 30,
	5.0Q / 66,
	-691.0Q / 2730,
	7.0Q / 6,
	-3617.0Q / 510,
	43867.0Q / 798,
	-174611.0Q / 330,
	854513.0Q / 138,
	-236364091.0Q / 2730,
	8553103.0Q / 6,
	-23749461029.0Q / 870,
	8615841276005.0Q / 14322,
	-7709321041217.0Q / 510,
};

/* From x + 1 to x by recurrence, from 40 on Stirling's series
 * log x - 1/(2x) - sum B(2k)/(2k x^2k); below 0 by reflection. */
static Quad digamma(Quad x)
{
	if (is_nan(x) || x == -quad_inf()) return quad_nan();
	if (x == quad_inf()) return x;
	if (x == 0) return -1 / x;
	if (is_pole(x)) return quad_nan();
	if (x < 0) {
		Quad part = x - floorf128(x + 0.5Q);
		return digamma(1 - x) - PI / tanf128(PI * part);
	}
	Quad sum = 0;
	for (; x < 40; x += 1) sum -= 1 / x;
	Quad power = 1;
	for (size_t k = 0; k < countof(bernoulli); k++) {
		power /= x * x;
		sum -= bernoulli[k] / (Quad)(2 * k + 2) * power;
	}
	return sum + logf128(x) - 1 / (2 * x);
}

static Quad whole_power(Quad x, Quad n)
{
	Quad p = powf128(fabsf128(x), n);
	return x < 0 && fmodf128(n, 2) != 0 ? -p : p;
}

/* (-1)^(n+1) n! zeta(n + 1, x): the terms (x + k)^-(n+1) one by one up to
 * x + k >= 40 + n, the rest by Euler and Maclaurin. */
static Quad polygamma(Quad n, Quad x)
{
	if (!(n >= 0) || n != floorf128(n) || is_inf(n)) return quad_nan();
	if (n == 0) return digamma(x);
	bool odd = fmodf128(n, 2) != 0;
	if (is_nan(x) || x == -quad_inf() || x < -100000) return quad_nan();
	if (x == quad_inf()) return odd ? 0 : -(Quad)0;
	if (is_pole(x)) return odd ? quad_inf() : quad_nan();
	Quad s = n + 1, sum = 0;
	for (long k = 0; x < 40 + n && k < 200000; x += 1, k++) sum += 1 / whole_power(x, s);
	Quad p = powf128(x, -s), term = s / 2 / x * p; /* s (s+1) ... (s+m-2) / m! x^(-s-m+1), m = 2 */
	sum += x * p / n + p / 2;
	for (size_t k = 0; k < countof(bernoulli); k++) {
		Quad m = (Quad)(2 * k + 2);
		sum += bernoulli[k] * term;
		term *= (s + m - 1) / (m + 1) * (s + m) / (m + 2) / (x * x);
	}
	Quad f = 1;
	for (Quad k = 2; k <= n && !is_inf(f); k += 1) f *= k;
	return (odd ? 1 : -1) * f * sum;
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
	[OP_ERFINV] = {.one = erfinv},
	[OP_GAMMA] = {.one = gamma_of},
	[OP_LGAMMA] = {.one = lgamma_abs},
	[OP_DIGAMMA] = {.one = digamma},
	[OP_POLYGAMMA] = {.two = polygamma},
	[OP_STOP] = {.one = same, .pair = c_same},
	[OP_RE] = {.one = same, .pair = c_re},
	[OP_IM] = {.one = zero, .pair = c_im},
	[OP_CONJ] = {.one = same, .pair = c_conj},
};
