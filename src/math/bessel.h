/* bessel.h - modified Bessel functions of the first kind, of order 0 and 1, times e^-|x|.
 *
 * To 8 the power series of I, a polynomial in z = x^2/4 all of whose terms are positive, times e^-|x|; beyond,
 * sqrt(|x|)*e^-|x|*I is a polynomial in 16/|x| - 1.  A rounding of z counts up to |x|/2 times, so its lower part goes in to
 * first order, with I1/I0 near x/(1 + sqrt(1 + x^2)) and I2/I1 near x/(2 + sqrt(4 + x^2)) (D. E. Amos, 1974).
 * Coefficients: tools/chebyshev.py.  Errors: docs/accuracy.md.
 */

/* e^-|x|*I0(x) */
M double i0e_f64(double x)
{
	double a = __builtin_fabs(x), c = below_f64(a, 8), z = 0.25 * (c * c), zl = 0.25 * __builtin_fma(c, c, -(c * c));
	double p = 0x1.0b7cab2f34743p-113;
	p = __builtin_fma(p, z, 0x1.c4a39576f59d1p-106);
	p = __builtin_fma(p, z, 0x1.45942923d7987p-97);
	p = __builtin_fma(p, z, 0x1.695af5654284ap-89);
	p = __builtin_fma(p, z, 0x1.6a05eb7d5abc9p-81);
	p = __builtin_fma(p, z, 0x1.3e21e507c165dp-73);
	p = __builtin_fma(p, z, 0x1.e72572382e283p-66);
	p = __builtin_fma(p, z, 0x1.4197a6f6d6eb9p-58);
	p = __builtin_fma(p, z, 0x1.69ca9d037f8b6p-51);
	p = __builtin_fma(p, z, 0x1.5601885da0e63p-44);
	p = __builtin_fma(p, z, 0x1.0b313289c5526p-37);
	p = __builtin_fma(p, z, 0x1.522a43f6541c6p-31);
	p = __builtin_fma(p, z, 0x1.522a43f6548b2p-25);
	p = __builtin_fma(p, z, 0x1.02e85c0898b6fp-19);
	p = __builtin_fma(p, z, 0x1.23456789abcdfp-14);
	p = __builtin_fma(p, z, 0x1.c71c71c71c71cp-10);
	p = __builtin_fma(p, z, 0x1.c71c71c71c71cp-6);
	p = __builtin_fma(p, z, 0x1.p-2);
	p = __builtin_fma(p, z, 0x1.p0);
	p = __builtin_fma(p, z, 0x1.p0);
	double near = fade_f64(c, 0, p, 2 * p * zl / (1 + __builtin_sqrt(1 + 4 * z)));
	double far = above_f64(a, 8), u = 16 / far - 1, uu = u * u, u4 = uu * uu;
	p = 0x1.6e48b56608f9p-36;
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.1998ba2c8ef47p-31, 0x1.ec7656d43152ap-32,
		-0x1.4b4eae130efc2p-33, -0x1.03b4aa8a9e407p-34));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.2159f0c508719p-29, 0x1.ee943d682b9f4p-29,
		-0x1.3ab3b1c19a518p-30, -0x1.b5e3e7f99d058p-30));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.09d8aa3fc68bp-27, 0x1.fcf3dd682ab36p-28,
		-0x1.0c5d8b2e86f47p-28, -0x1.9683a45b51615p-28));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.03fa571f405c2p-27, -0x1.cfe4f8bebe7e4p-28,
		-0x1.ceb2c3f3c2085p-27, -0x1.72b4495699537p-28));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.3f49af1ca6576p-22, 0x1.7d0f0727d6a9dp-24,
		0x1.51cb3832a6046p-25, 0x1.723509510cd4ap-26));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, 0x1.b87969bb93bd2p-9, 0x1.1daa72b5e22b2p-13,
		0x1.75e5ee6fabb85p-17, 0x1.8e513a7ddffecp-20));
	p = __builtin_fma(p, u, 0x1.9bd428ad249a5p-2);
	double y = a <= 8 ? near : p / __builtin_sqrt(far);
	return x == x ? y : x;
}

/* e^-|x|*I1(x) */
M double i1e_f64(double x)
{
	double a = __builtin_fabs(x), c = below_f64(a, 8), z = 0.25 * (c * c), zl = 0.25 * __builtin_fma(c, c, -(c * c));
	double p = 0x1.a40be3980aa9dp-118;
	p = __builtin_fma(p, z, 0x1.81fefdd800941p-110);
	p = __builtin_fma(p, z, 0x1.20b9ceb2abb47p-101);
	p = __builtin_fma(p, z, 0x1.54372d1e9828ep-93);
	p = __builtin_fma(p, z, 0x1.6a026a3930712p-85);
	p = __builtin_fma(p, z, 0x1.5357a7355d8c6p-77);
	p = __builtin_fma(p, z, 0x1.165e8585a7e91p-69);
	p = __builtin_fma(p, z, 0x1.8bce57d15f751p-62);
	p = __builtin_fma(p, z, 0x1.e2637bfb75e01p-55);
	p = __builtin_fma(p, z, 0x1.f17697ce8ab36p-48);
	p = __builtin_fma(p, z, 0x1.ab81ea7602543p-41);
	p = __builtin_fma(p, z, 0x1.2c9758daf5a52p-34);
	p = __builtin_fma(p, z, 0x1.522a43f654885p-28);
	p = __builtin_fma(p, z, 0x1.27e4fb7789f5cp-22);
	p = __builtin_fma(p, z, 0x1.845c8a0ce5129p-17);
	p = __builtin_fma(p, z, 0x1.6c16c16c16c17p-12);
	p = __builtin_fma(p, z, 0x1.c71c71c71c71cp-8);
	p = __builtin_fma(p, z, 0x1.5555555555555p-4);
	p = __builtin_fma(p, z, 0x1.p-1);
	p = __builtin_fma(p, z, 0x1.p0);
	double h = 0.5 * c, q = h * p;
	double near = fade_f64(c, 0, q, __builtin_fma(h, p, -q) + q * zl / (1 + __builtin_sqrt(1 + z)));
	double far = above_f64(a, 8), u = 16 / far - 1, uu = u * u, u4 = uu * uu;
	p = -0x1.5a29b473f1663p-36;
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.07d06c81c1d24p-31, -0x1.fff33f3b3e75ap-32,
		0x1.37bea5c8dbcccp-33, 0x1.0ddc7620a9205p-34));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.11c9f66d690fcp-29, -0x1.01ef463d9c576p-28,
		0x1.268bd450a314cp-30, 0x1.c7aed1ee533f7p-30));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.0c96c7afcb02cp-27, -0x1.0e2bb88351649p-27,
		0x1.05656ba38c1b6p-28, 0x1.aa440cf09ce3p-28));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.21f47a4eb566bp-27, 0x1.ceff3cea7c3a4p-28,
		0x1.e413f0678e137p-27, 0x1.99d190fe908dap-28));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.7613865ea6e9ap-22, -0x1.ad8d43e5d60bep-24,
		-0x1.727702ec186d3p-25, -0x1.9191ff33370adp-26));
	p = __builtin_fma(p, u4, poly4_f64(u, uu, -0x1.3f796198ee63fp-7, -0x1.cbc54df1e894cp-13,
		-0x1.f89c230446f74p-17, -0x1.ec8e107bd7eaap-20));
	p = __builtin_fma(p, u, 0x1.8ebe783a8403p-2);
	double y = __builtin_copysign(a <= 8 ? near : p / __builtin_sqrt(far), x);
	return x == x ? y : x;
}

/* through f64 */
M float i0e_f32(float x) { return (float)i0e_f64(x); }
M float i1e_f32(float x) { return (float)i1e_f64(x); }
