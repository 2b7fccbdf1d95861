/* complex.h - the operators that complex numbers have, c64 of floats and c128 of doubles.
 *
 * Products by the plain formula, without fma; quotients by R. L. Smith's scaling (1962).  exp, log, sqrt,
 * pow, sin, cos and tanh are computed in f64 and rounded for c64.  Branch cuts lie along the negative reals, as in C.
 */

typedef struct { float re, im; } C64;
typedef struct { double re, im; } C128;

/* ---- c64 ---- */

/* parts */
M C64 complex_f32(float x, float y) { C64 z = { x, y }; return z; }
M float re_c64(C64 x) { return x.re; }
M float im_c64(C64 x) { return x.im; }
M C64 conj_c64(C64 x) { return complex_f32(x.re, -x.im); }
M C64 stop_c64(C64 x) { return x; }

/* arithmetic */
M C64 add_c64(C64 x, C64 y) { return complex_f32(x.re + y.re, x.im + y.im); }
M C64 sub_c64(C64 x, C64 y) { return complex_f32(x.re - y.re, x.im - y.im); }
M C64 neg_c64(C64 x) { return complex_f32(-x.re, -x.im); }
M float abs_c64(C64 x) { return hypot_f32(x.re, x.im); }

/* x*y, each product rounded */
M C64 mul_c64(C64 x, C64 y)
{
	float a = x.re * y.re, b = x.im * y.im, c = x.re * y.im, d = x.im * y.re;
	ROUNDED(a);
	ROUNDED(b);
	ROUNDED(c);
	ROUNDED(d);
	return complex_f32(a - b, c + d);
}

/* x/y: numerator and denominator divided by the larger part of y */
M C64 div_c64(C64 x, C64 y)
{
	uint8_t turned = __builtin_fabsf(y.re) < __builtin_fabsf(y.im);
	float a = turned ? y.im : y.re, b = turned ? y.re : y.im;
	float r = b / a, d = a + b * r, u = x.re * r, v = x.im * r;
	ROUNDED(u);
	ROUNDED(v);
	float re = turned ? u + x.im : x.re + v, im = turned ? v - x.re : x.im - u;
	return complex_f32(re / d, im / d);
}

/* comparison and selection */
M uint8_t eq_c64(C64 x, C64 y) { return (x.re == y.re) & (x.im == y.im); }
M uint8_t ne_c64(C64 x, C64 y) { return (x.re != y.re) | (x.im != y.im); }
M C64 where_c64(uint8_t c, C64 x, C64 y) { return complex_f32(c ? x.re : y.re, c ? x.im : y.im); }

/* ---- c128 ---- */

/* parts */
M C128 complex_f64(double x, double y) { C128 z = { x, y }; return z; }
M double re_c128(C128 x) { return x.re; }
M double im_c128(C128 x) { return x.im; }
M C128 conj_c128(C128 x) { return complex_f64(x.re, -x.im); }
M C128 stop_c128(C128 x) { return x; }

/* arithmetic */
M C128 add_c128(C128 x, C128 y) { return complex_f64(x.re + y.re, x.im + y.im); }
M C128 sub_c128(C128 x, C128 y) { return complex_f64(x.re - y.re, x.im - y.im); }
M C128 neg_c128(C128 x) { return complex_f64(-x.re, -x.im); }
M double abs_c128(C128 x) { return hypot_f64(x.re, x.im); }

/* x*y, each product rounded */
M C128 mul_c128(C128 x, C128 y)
{
	double a = x.re * y.re, b = x.im * y.im, c = x.re * y.im, d = x.im * y.re;
	ROUNDED(a);
	ROUNDED(b);
	ROUNDED(c);
	ROUNDED(d);
	return complex_f64(a - b, c + d);
}

/* x/y: numerator and denominator divided by the larger part of y */
M C128 div_c128(C128 x, C128 y)
{
	uint8_t turned = __builtin_fabs(y.re) < __builtin_fabs(y.im);
	double a = turned ? y.im : y.re, b = turned ? y.re : y.im;
	double r = b / a, d = a + b * r, u = x.re * r, v = x.im * r;
	ROUNDED(u);
	ROUNDED(v);
	double re = turned ? u + x.im : x.re + v, im = turned ? v - x.re : x.im - u;
	return complex_f64(re / d, im / d);
}

/* comparison and selection */
M uint8_t eq_c128(C128 x, C128 y) { return (x.re == y.re) & (x.im == y.im); }
M uint8_t ne_c128(C128 x, C128 y) { return (x.re != y.re) | (x.im != y.im); }
M C128 where_c128(uint8_t c, C128 x, C128 y) { return complex_f64(c ? x.re : y.re, c ? x.im : y.im); }

/* casts between the two, and to bool */
M C64 cast_c64_c64(C64 x) { return x; }
M C128 cast_c64_c128(C64 x) { return complex_f64(x.re, x.im); }
M C64 cast_c128_c64(C128 x) { return complex_f32((float)x.re, (float)x.im); }
M C128 cast_c128_c128(C128 x) { return x; }
M uint8_t cast_c64_bool(C64 x) { return (x.re != 0) | (x.im != 0); }
M uint8_t cast_c128_bool(C128 x) { return (x.re != 0) | (x.im != 0); }

/* casts of reals, with an imaginary part of 0 */
M C64 cast_bool_c64(uint8_t x) { return complex_f32(cast_bool_f32(x), 0); }
M C64 cast_i8_c64(int8_t x) { return complex_f32(cast_i8_f32(x), 0); }
M C64 cast_i16_c64(int16_t x) { return complex_f32(cast_i16_f32(x), 0); }
M C64 cast_i32_c64(int32_t x) { return complex_f32(cast_i32_f32(x), 0); }
M C64 cast_i64_c64(int64_t x) { return complex_f32(cast_i64_f32(x), 0); }
M C64 cast_u8_c64(uint8_t x) { return complex_f32(cast_u8_f32(x), 0); }
M C64 cast_u16_c64(uint16_t x) { return complex_f32(cast_u16_f32(x), 0); }
M C64 cast_u32_c64(uint32_t x) { return complex_f32(cast_u32_f32(x), 0); }
M C64 cast_u64_c64(uint64_t x) { return complex_f32(cast_u64_f32(x), 0); }
M C64 cast_f32_c64(float x) { return complex_f32(cast_f32_f32(x), 0); }
M C64 cast_f64_c64(double x) { return complex_f32(cast_f64_f32(x), 0); }
M C128 cast_bool_c128(uint8_t x) { return complex_f64(cast_bool_f64(x), 0); }
M C128 cast_i8_c128(int8_t x) { return complex_f64(cast_i8_f64(x), 0); }
M C128 cast_i16_c128(int16_t x) { return complex_f64(cast_i16_f64(x), 0); }
M C128 cast_i32_c128(int32_t x) { return complex_f64(cast_i32_f64(x), 0); }
M C128 cast_i64_c128(int64_t x) { return complex_f64(cast_i64_f64(x), 0); }
M C128 cast_u8_c128(uint8_t x) { return complex_f64(cast_u8_f64(x), 0); }
M C128 cast_u16_c128(uint16_t x) { return complex_f64(cast_u16_f64(x), 0); }
M C128 cast_u32_c128(uint32_t x) { return complex_f64(cast_u32_f64(x), 0); }
M C128 cast_u64_c128(uint64_t x) { return complex_f64(cast_u64_f64(x), 0); }
M C128 cast_f32_c128(float x) { return complex_f64(cast_f32_f64(x), 0); }
M C128 cast_f64_c128(double x) { return complex_f64(cast_f64_f64(x), 0); }

/* ---- elementary functions ---- */

/* s*e^x*2^j for x > 709 and a small whole j, without overflow on the way: 2^k is put on in three factors, the first of them
 * before s, which may be subnormal, is rounded.  From 1460 on even the least s gives infinity. */
M double times_exp_f64(double s, double x, double j)
{
	double l, k, h = exp_parts_f64(below_f64(x, 1460), 0, &l, &k), n = __builtin_rint(0x1.5555555555555p-2 * k), f = pow2_f64(n);
	return s * f * (1 + (h + l)) * f * pow2_f64(k + j - 2 * n);
}

/* 1 with the sign of x, of NaN 1 */
M double side_f64(double x) { return x == x ? __builtin_copysign(1, x) : 1; }

/* e^x = e^re*(cos im + i*sin im); of a real it is real.  Where im is no angle, an infinite re gives its size alone. */
M C128 exp_c128(C128 x)
{
	double r = exp_f64(x.re), c = cos_f64(x.im), s = sin_f64(x.im);
	uint8_t over = x.re > 709 && x.re <= 0x1.fffffffffffffp1023, any = c != c && x.re - x.re != 0 && r == r;
	double re = over ? times_exp_f64(c, x.re, 0) : r * c, im = over ? times_exp_f64(s, x.re, 0) : r * s;
	return complex_f64(any ? r : re, x.im == 0 ? x.im : any && r == 0 ? 0 : im);
}

/* log|x| + i*angle; near |x| = 1 from (u - 1)*(u + 1) + v^2, u the larger part, in two doubles: the sum may cancel */
M C128 log_c128(C128 x)
{
	double a = __builtin_fabs(x.re), b = __builtin_fabs(x.im), u = a > b ? a : b, v = a > b ? b : a;
	double c = u - 1, d = u + 1, p = c * d, q = v * v, l, h = two_sum_f64(p, q, &l);
	l += __builtin_fma(c, d, -p) + c * (u - (d - 1)) + __builtin_fma(v, v, -q);
	double g = h + l, near = 0.5 * log_ends_f64(1 + g, log1p_sum_f64(g, (h - g) + l, 0));
	double s = u > 0x1p1000 ? 0x1p-60 : u < 0x1p-960 ? 0x1p60 : 1;
	double e = u > 0x1p1000 ? 0x1.4cb5ecf0a9650p5 : u < 0x1p-960 ? -0x1.4cb5ecf0a9650p5 : 0;
	double far = log_f64(hypot_f64(x.re * s, x.im * s)) + e;
	return complex_f64(u > 0.5 && u < 2 ? near : far, atan2_f64(x.im, x.re));
}

/* x^(1/2) with a real part >= 0: the part that does not cancel is a root, the other a quotient by it */
M C128 sqrt_c128(C128 x)
{
	double a = __builtin_fabs(x.re), b = __builtin_fabs(x.im), u = a > b ? a : b;
	double s = u > 0x1p1000 ? 0x1p-100 : u < 0x1p-900 ? 0x1p100 : 1;
	double back = u > 0x1p1000 ? 0x1p50 : u < 0x1p-900 ? 0x1p-50 : 1;
	double w = __builtin_sqrt(0.5 * (a * s + hypot_f64(a * s, b * s)));
	double q = w > 0 ? 0.5 * (b * s) / w : 0;
	double re = (x.re >= 0 ? w : q) * back, im = (x.re >= 0 ? q : w) * back;
	uint8_t tall = b == __builtin_inf(), wide = a == __builtin_inf() && !tall;
	re = tall ? b : wide ? (x.re > 0 ? a : x.im == x.im ? 0 : x.im) : re;
	im = tall ? b : wide ? (x.re > 0 ? (x.im == x.im ? 0 : x.im) : a) : im;
	re = x.im != x.im && !wide ? x.im : x.re != x.re && !tall ? x.re : re;
	im = x.im != x.im && !wide ? x.im : x.re != x.re && !tall ? x.re : im;
	return complex_f64(re, __builtin_copysign(im, x.im));
}

/* x^y = e^(y*log x); x^0 is 1, and 0^y is 0 for a positive real part of y */
M C128 pow_c128(C128 x, C128 y)
{
	C128 r = exp_c128(mul_c128(y, log_c128(x)));
	uint8_t zero = x.re == 0 && x.im == 0, one = y.re == 0 && y.im == 0;
	double re = zero ? (y.re > 0 ? 0 : __builtin_nan("")) : r.re, im = zero ? (y.re > 0 ? 0 : __builtin_nan("")) : r.im;
	return complex_f64(one ? 1 : re, one ? 0 : im);
}

/* sin re*cosh im + i*cos re*sinh im; past the range of cosh both are e^|im|/2, but for the sign.  Where re is no angle, an im
 * that is 0 or infinite stays. */
M C128 sin_c128(C128 x)
{
	double s = sin_f64(x.re), c = cos_f64(x.re), a = __builtin_fabs(x.im);
	uint8_t over = a > 709 && a <= 0x1.fffffffffffffp1023, end = a == 0 || a == __builtin_inf();
	double re = over ? times_exp_f64(s, a, -1) : s * cosh_f64(x.im);
	double im = over ? times_exp_f64(__builtin_copysign(1, x.im) * c, a, -1) : x.im == 0 ? c * x.im : c * sinh_f64(x.im);
	return complex_f64(x.re == 0 ? x.re : re, c != c && end ? x.im : im);
}

/* cos re*cosh im - i*sin re*sinh im, likewise; of a real or imaginary number it is real */
M C128 cos_c128(C128 x)
{
	double s = sin_f64(x.re), c = cos_f64(x.re), a = __builtin_fabs(x.im);
	uint8_t over = a > 709 && a <= 0x1.fffffffffffffp1023;
	double re = over ? times_exp_f64(c, a, -1) : c * cosh_f64(x.im);
	double im = over ? times_exp_f64(__builtin_copysign(1, x.im) * s, a, -1) : s * sinh_f64(x.im);
	im = x.re == 0 ? x.re * side_f64(x.im) : x.im == 0 ? x.im * side_f64(x.re) : im;
	return complex_f64(c != c && a == __builtin_inf() ? a : re, -im);
}

/* W. Kahan's form (1987): with t = tan im, b = 1 + t^2, s = sinh re it is (b*s*sqrt(1 + s^2) + i*t)/(1 + b*s^2); past 22
 * the real part is 1 to the last bit and the imaginary 4*sin im*cos im*e^-2|re| */
M C128 tanh_c128(C128 x)
{
	double a = __builtin_fabs(x.re), t = tan_f64(x.im), b = 1 + t * t;
	uint8_t far = a > 22;
	double s = sinh_f64(far ? 0 : x.re), r = __builtin_sqrt(1 + s * s), d = 1 + b * s * s;
	double e = exp_f64(-2 * a), im = far ? 4 * sin_f64(x.im) * cos_f64(x.im) * e : t / d;
	double re = far ? (a < __builtin_inf() && im != im ? im : __builtin_copysign(1, x.re)) : x.re == 0 ? x.re : b * r * s / d;
	uint8_t end = a == __builtin_inf() && x.im - x.im != 0;
	return complex_f64(re, x.im == 0 ? x.im : end ? 0 : im);
}

/* through c128 */
M C64 exp_c64(C64 x) { return cast_c128_c64(exp_c128(cast_c64_c128(x))); }
M C64 log_c64(C64 x) { return cast_c128_c64(log_c128(cast_c64_c128(x))); }
M C64 sqrt_c64(C64 x) { return cast_c128_c64(sqrt_c128(cast_c64_c128(x))); }
M C64 sin_c64(C64 x) { return cast_c128_c64(sin_c128(cast_c64_c128(x))); }
M C64 cos_c64(C64 x) { return cast_c128_c64(cos_c128(cast_c64_c128(x))); }
M C64 tanh_c64(C64 x) { return cast_c128_c64(tanh_c128(cast_c64_c128(x))); }
M C64 pow_c64(C64 x, C64 y) { return cast_c128_c64(pow_c128(cast_c64_c128(x), cast_c64_c128(y))); }
