/* poly.h - polynomials by pairs of terms (G. Estrin, 1960): chains a third as long as Horner's.
 *
 * Coefficients come lowest power first; xx is x^2, x4 is x^4.  Longer polynomials are Horner's in x4, each of its
 * coefficients a poly4: the chain is what long functions wait for.
 */

/* a + b*x + c*x^2 + d*x^3 */
M double poly4_f64(double x, double xx, double a, double b, double c, double d)
{
	return __builtin_fma(__builtin_fma(d, x, c), xx, __builtin_fma(b, x, a));
}

/* a + b*x + ... + f*x^5 */
M double poly6_f64(double x, double xx, double a, double b, double c, double d, double e, double f)
{
	return __builtin_fma(poly4_f64(x, xx, c, d, e, f), xx, __builtin_fma(b, x, a));
}

/* a + b*x + ... + h*x^7 */
M double poly8_f64(double x, double xx, double x4, double a, double b, double c, double d,
	double e, double f, double g, double h)
{
	return __builtin_fma(poly4_f64(x, xx, e, f, g, h), x4, poly4_f64(x, xx, a, b, c, d));
}
