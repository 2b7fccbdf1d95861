/* quad_special.c - functions that glibc lacks in binary128: half turns, the normal distribution, Bessel,
 * gamma and kin. */
#include "quad_math.h"

/* ---- half turns: from the nearest whole number, where the sine keeps its digits ---- */

Quad quad_sinpi(Quad x)
{
	Quad n = roundevenf128(x), y = sinf128(PI * (x - n));
	if (x == n && !is_inf(x)) return copysignf128(0, x);
	return fmodf128(n, 2) != 0 ? -y : y;
}

Quad quad_cospi(Quad x)
{
	Quad n = roundevenf128(x), y = sinf128(PI * (0.5Q - fabsf128(x - n)));
	return fmodf128(n, 2) != 0 ? -y : y;
}

Quad quad_sinc(Quad x)
{
	if (x == 0) return 1;
	if (is_inf(x)) return 0;
	return quad_sinpi(x) / (PI * x);
}

/* ---- error and gamma functions ------------------------------------------------- */

/* Winitzki's formula (three digits), then Halley's step on erf(y) = x, or on
 * erfc(y) = 1 - x where x is near 1, until it stays. */
Quad quad_erfinv(Quad x)
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

Quad quad_lgamma(Quad x)
{
	int s;
	return lgammaf128_r(x, &s);
}

static bool is_pole(Quad x)
{
	return x <= 0 && x == floorf128(x);
}

Quad quad_gamma(Quad x)
{
	return x < 0 && (is_pole(x) || is_inf(x)) ? quad_nan() : tgammaf128(x);
}

/* e^(x^2)*erfc(x); from 100 on 1/(x*sqrt(pi)) * (1 - 1/(2x^2) + 1*3/(2x^2)^2 - ...) */
Quad quad_erfcx(Quad x)
{
	if (x < 100) return expf128(x * x) * erfcf128(x);
	Quad term = 1, sum = 1;
	for (int k = 1; k <= 12; k++) sum += term *= -(2 * k - 1) / (2 * x * x);
	return sum / (x * ROOT_PI);
}

Quad quad_ndtr(Quad x)
{
	return erfcf128(-x / sqrtf128(2)) / 2;
}

Quad quad_log_ndtr(Quad x)
{
	Quad left = -x / sqrtf128(2);
	if (x > 0) return log1pf128(-erfcf128(-left) / 2);
	return x > -1 || is_inf(x) ? logf128(quad_ndtr(x)) : logf128(quad_erfcx(left) / 2) - left * left;
}

Quad quad_gelu(Quad x)
{
	return x == -quad_inf() ? -(Quad)0 : x * quad_ndtr(x);
}

/* ---- Bessel functions, times e^-|x| ---- */

/* I of order n = 0 or 1 for x >= 0: the power series, whose terms are positive; from 100 on Hankel's, whose
 * terms are still below the last digit when they are smallest */
static Quad bessel(Quad x, int n)
{
	Quad term = 1, sum = 1;
	if (is_inf(x)) return 0;
	if (x < 100) {
		for (int k = 1; term > 1e-40Q * sum; k++) sum += term *= x * x / 4 / k / (k + n);
		return expf128(-x) * sum * (n ? x / 2 : 1);
	}
	for (int k = 1; k <= 40; k++) sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * n) / (8 * k * x);
	return sum / sqrtf128(2 * PI * x);
}

Quad quad_i0e(Quad x)
{
	return is_nan(x) ? x : bessel(fabsf128(x), 0);
}

Quad quad_i1e(Quad x)
{
	return is_nan(x) ? x : copysignf128(bessel(fabsf128(x), 1), x);
}

/* ---- the gamma function and its kin ---- */

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
Quad quad_digamma(Quad x)
{
	if (is_nan(x) || x == -quad_inf()) return quad_nan();
	if (x == quad_inf()) return x;
	if (x == 0) return -1 / x;
	if (is_pole(x)) return quad_nan();
	if (x < 0) {
		Quad part = x - floorf128(x + 0.5Q);
		return quad_digamma(1 - x) - PI / tanf128(PI * part);
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
Quad quad_polygamma(Quad n, Quad x)
{
	if (!(n >= 0) || n != floorf128(n) || is_inf(n)) return quad_nan();
	if (n == 0) return quad_digamma(x);
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

Quad quad_trigamma(Quad x)
{
	if (is_pole(x) && !is_inf(x)) return quad_inf();
	if (x > -0.5Q || is_nan(x) || is_inf(x)) return quad_polygamma(1, x);
	Quad s = quad_sinpi(x);
	return PI * PI / (s * s) - quad_polygamma(1, 1 - x);
}

/* what Stirling's formula lacks: log gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + this, x >= 40 */
static Quad stirling_rest(Quad x)
{
	Quad sum = 0, power = 1 / x;
	for (size_t k = 0; k < countof(bernoulli); k++, power /= x * x)
		sum += bernoulli[k] / (Quad)((2 * k + 1) * (2 * k + 2)) * power;
	return sum;
}

/* With b the larger, gamma(b)/gamma(a + b) by Stirling's formula, where the large parts of the two cancel. */
Quad quad_lbeta(Quad x, Quad y)
{
	Quad a = x < y ? x : y, b = x < y ? y : x;
	if (!(x >= 0) || !(y >= 0) || (a == 0 && is_inf(b))) return quad_nan();
	if (a == 0) return quad_inf();
	if (is_inf(b)) return -b;
	if (b < 40) return quad_lgamma(a) + quad_lgamma(b) - quad_lgamma(a + b);
	return quad_lgamma(a) + a - (b - 0.5Q) * log1pf128(a / b) - a * logf128(a + b) + stirling_rest(b) -
		stirling_rest(a + b);
}

/* ---- what is lost within ---- */

static Quad lbeta_terms(Quad x, Quad y)
{
	Quad a = x < y ? x : y, b = x < y ? y : x;
	if (b < 40) return fabsf128(quad_lgamma(a)) + fabsf128(quad_lgamma(b)) + fabsf128(quad_lgamma(a + b));
	return fabsf128(quad_lgamma(a)) + a * (2 + logf128(a + b));
}

/* Near a root the terms cancel; of a Gaussian's tail what x^2 is rounded by is that power's error. */
Quad quad_lost(Op op, const Quad *x, Quad y)
{
	Quad size = fabsf128(y), a = fabsf128(x[0]);
	switch (op) {
	case OP_LOGADDEXP: return size + expf128(-fabsf128(x[0] - x[1]));
	case OP_ERFCX:
	case OP_NDTR:
	case OP_LOG_NDTR:
	case OP_GELU: return size * (1 + a * a);
	case OP_GELU_TANH: return size * (1 + a * a * a);
	case OP_DIGAMMA: return size + 8 + log1pf128(a);
	case OP_POLYGAMMA: return x[1] < 0 ? quad_inf() : size;
	case OP_LBETA: return size + lbeta_terms(x[0], x[1]);
	default: return size;
	}
}
