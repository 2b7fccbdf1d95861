/* hyper.h - hyperbolic functions and their inverses.
 *
 * tanh and sinh: odd polynomials near 0, exponentials beyond; the inverses are log1p of forms that do not cancel.
 * Coefficients: Chebyshev interpolation in 60 digits, rounded.
 * Largest errors measured, in ulp (dense samples against binary128; f32 tanh on every number):
 *   tanh 1.3, sinh 1.7, cosh 1.3, asinh 1.5, acosh 1.7, atanh 1.5; f32 through f64 0.5.
 */

/* to 0.6 a polynomial, beyond 1 - 2/(e^2x + 1) */
M float tanh_f32(float x)
{
	float a = __builtin_fabsf(x), z = a * a, p = 0x1.36bdb2p-9f;
	p = __builtin_fmaf(p, z, -0x1.1394cap-7f);
	p = __builtin_fmaf(p, z, 0x1.64fad8p-6f);
	p = __builtin_fmaf(p, z, -0x1.ba0d94p-5f);
	p = __builtin_fmaf(p, z, 0x1.1110f6p-3f);
	p = __builtin_fmaf(p, z, -0x1.555556p-2f);
	p = __builtin_fmaf(a * z, p, a);
	float y = 1 - 2 / (exp_f32(2 * a) + 1);
	return __builtin_copysignf(a < 0.6f ? p : y, x);
}

/* as tanh_f32 */
M double tanh_f64(double x)
{
	double a = __builtin_fabs(x), z = a * a, p = -0x1.33a05b8ac78fp-16;
	p = __builtin_fma(p, z, 0x1.5608d498e83acp-14);
	p = __builtin_fma(p, z, -0x1.e710d3f9118ccp-13);
	p = __builtin_fma(p, z, 0x1.344f4ae80f8fdp-11);
	p = __builtin_fma(p, z, -0x1.7d8a96e9fd367p-10);
	p = __builtin_fma(p, z, 0x1.d6d24f72aa73dp-9);
	p = __builtin_fma(p, z, -0x1.226e2e08421c3p-7);
	p = __builtin_fma(p, z, 0x1.664f4858deacbp-6);
	p = __builtin_fma(p, z, -0x1.ba1ba1b9a09d7p-5);
	p = __builtin_fma(p, z, 0x1.1111111110ca7p-3);
	p = __builtin_fma(p, z, -0x1.5555555555554p-2);
	p = __builtin_fma(a * z, p, a);
	double y = 1 - 2 / (exp_f64(2 * a) + 1);
	return __builtin_copysign(a < 0.6 ? p : y, x);
}

/* (e^x - e^-x)/2, with e^x/2 formed without overflow */
M double sinh_f64(double x)
{
	double a = __builtin_fabs(x), z = a * a, p = 0x1.b41232cf9bb8cp-41;
	p = __builtin_fma(p, z, 0x1.611cb330c1f6bp-33);
	p = __builtin_fma(p, z, 0x1.ae6460fae3729p-26);
	p = __builtin_fma(p, z, 0x1.71de3a4e14f4p-19);
	p = __builtin_fma(p, z, 0x1.a01a01a01ee7p-13);
	p = __builtin_fma(p, z, 0x1.11111111110fdp-7);
	p = __builtin_fma(p, z, 0x1.5555555555555p-3);
	p = __builtin_fma(a * z, p, a);
	double t = exp_two_f64(a, 0, -1);
	return __builtin_copysign(a < 1 ? p : t - 0.25 / t, x);
}

/* (e^x + e^-x)/2 */
M double cosh_f64(double x)
{
	double t = exp_two_f64(__builtin_fabs(x), 0, -1);
	return t + 0.25 / t;
}

/* log(x + sqrt(x^2 + 1)) = log1p(x + x^2/(1 + sqrt(x^2 + 1))); log(2x) for large x */
M double asinh_f64(double x)
{
	double a = __builtin_fabs(x), s = a * a;
	uint8_t big = a > 0x1p60;
	double y = log1p_f64(big ? a : a + s / (1 + __builtin_sqrt(s + 1))) + (big ? 0x1.62e42fefa39efp-1 : 0);
	return __builtin_copysign(y, x);
}

/* log(x + sqrt(x^2 - 1)), with t = x - 1; log(2x) for large x */
M double acosh_f64(double x)
{
	double t = x - 1;
	uint8_t big = x > 0x1p60;
	double y = log1p_f64(big ? x : t + __builtin_sqrt(t * (t + 2))) + (big ? 0x1.62e42fefa39efp-1 : 0);
	return x < 1 ? __builtin_nan("") : y;
}

/* log((1 + x)/(1 - x))/2 = log1p(2x + 2x^2/(1 - x))/2 */
M double atanh_f64(double x)
{
	double a = __builtin_fabs(x), t = 2 * a;
	return __builtin_copysign(0.5 * log1p_f64(a < 0.5 ? t + t * a / (1 - a) : t / (1 - a)), x);
}

/* through f64 */
M float sinh_f32(float x)  { return (float)sinh_f64(x); }
M float cosh_f32(float x)  { return (float)cosh_f64(x); }
M float asinh_f32(float x) { return (float)asinh_f64(x); }
M float acosh_f32(float x) { return (float)acosh_f64(x); }
M float atanh_f32(float x) { return (float)atanh_f64(x); }
